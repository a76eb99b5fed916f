/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_LIMITS_H
#define BW_VGPU_EXEC_LIMITS_H

/* What memory instructions tell the checker about accesses outside of an object (exec/check). Only
 * the set of them that is compiled for that does so (memory/set.h); others do not ask. */

#include "vgpu/device/exec/core/wave.h"

enum bw_outside_of {
	BW_OUTSIDE_BUFFER,   /* the bytes of a buffer's descriptor */
	BW_OUTSIDE_ELEMENTS, /* its elements: `at` and `limit` count them */
	BW_OUTSIDE_ELEMENT,  /* the bytes of an element of such a buffer */
	BW_OUTSIDE_LDS,	     /* what the workgroup has */
	BW_OUTSIDE_SCRATCH,  /* what the lane has */
	BW_OUTSIDE_IMAGE,    /* `texel` and `extent` say more */
	BW_OUTSIDE_MEMORY,   /* an allocation that its owner has told of (check.h) */
	BW_OUTSIDE_COUNT
};

/* One lane's access. */
struct bw_outside {
	enum bw_outside_of of;
	uint8_t lane;
	uint32_t size_b;
	uint64_t base;	/* where the object is in memory; 0: not there, or not known */
	uint64_t limit; /* how large it is */
	int64_t at;	/* where the access is, from the object's start */
	uint32_t texel[4], extent[4]; /* x, y, z or layer, sample */
};
void bw_check_outside(struct bw_wave *w, const struct bw_outside *o);

/* All active lanes of half h access size_b bytes at base + (hi:lo), by address; hi NULL: lo is an
 * unsigned offset. */
struct bw_addresses {
	unsigned h;
	uint32_t exec;
	const uint32_t *lo, *hi;
	uint64_t base;
	unsigned size_b;
	unsigned told_b; /* the size that a finding names; 0: size_b */
};
void bw_check_addresses(struct bw_wave *w, const struct bw_addresses *a);

#endif
