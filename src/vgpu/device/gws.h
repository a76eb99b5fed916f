/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_GWS_H
#define BW_VGPU_DEVICE_GWS_H

/* Global wave sync: counters beside the memory, at which waves of all groups wait for each other.
 * HIP's cooperative launches set one up, and kernels of gfx9 wait at it. Each VMID has resources of
 * its own. Sources: DS_GWS_* in AMD's ISA documents; doc/rules.md 415. */

#include "vgpu/device/exec/core/gws.h"

struct bw_device;
struct bw_wave;

struct bw_gws_resource {
	uint32_t counter;
	uint32_t n_waiting; /* at BW_GWS_P */
	bool flag;	    /* changes when a barrier has been reached by all */
};

/* Carries op out, or looks again for a wave that waits. n: the number that op takes. False: the
 * wave waits, and is to ask again with the same arguments. Pure. */
bool bw_gws_do(struct bw_gws_resource *r, struct bw_gws_wait *wait, enum bw_gws_op op, uint32_t n);
/* The wave waits and has not been let through: it counts as never arrived. Pure. */
void bw_gws_leave(struct bw_gws_resource *r, struct bw_gws_wait *wait);

/* As bw_gws_do, for a wave's VMID. Any thread. */
bool bw_gws_wave_does(struct bw_device *dev, struct bw_wave *w, unsigned resource,
		      enum bw_gws_op op, uint32_t n);
/* The wave has ended, or its context has been saved. Any thread. */
void bw_gws_wave_ended(struct bw_device *dev, struct bw_wave *w);

#endif
