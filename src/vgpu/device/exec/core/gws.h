/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_GWS_H
#define BW_VGPU_EXEC_GWS_H

/* Global wave sync, as far as waves know it; vgpu/device/gws.h has the resources. */

#include <stdbool.h>
#include <stdint.h>

enum { BW_GWS_RESOURCES = 64 };

enum bw_gws_op {
	BW_GWS_INIT,	    /* the count of waves that a barrier expects, less 1 */
	BW_GWS_BARRIER,	    /* waits until one wave more than counted has arrived */
	BW_GWS_V,	    /* a semaphore: lets one wave in */
	BW_GWS_V_MANY,	    /* lets several in */
	BW_GWS_P,	    /* waits until it is let in */
	BW_GWS_RELEASE_ALL, /* lets those in that wait */
};

/* What a wave waits for. */
struct bw_gws_wait {
	bool waits;
	uint8_t resource;
	uint8_t op; /* BARRIER, P */
	bool flag;  /* of the resource, when the wave arrived */
};

#endif
