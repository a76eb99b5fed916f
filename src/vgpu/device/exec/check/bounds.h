/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_BOUNDS_H
#define BW_VGPU_EXEC_CHECK_BOUNDS_H

/* Accesses outside of what they may touch: of a descriptor's range, of LDS, of scratch, of an
 * image, of an allocation. One finding for each instruction and kind of object. It has a lock of
 * its own, which is taken only where something is outside or not known yet. */

#include "vgpu/device/exec/check/check.h"
#include "vgpu/device/exec/check/extents.h"
#include "vgpu/device/exec/core/limits.h"

struct bw_bounds_finding {
	struct bw_outside what; /* of the first access */
	uint64_t count;		/* accesses of lanes */
	uint64_t more_lanes;	/* others of the same wave in the first instruction */
	uint8_t vmid, lanes;
	/* of the allocation, as in bw_extent */
	char name[BW_EXTENT_NAME_B];
	bool is_freed;
	uint64_t made[BW_EXTENT_CALLERS], freed[BW_EXTENT_CALLERS];
	const char *program;
	/* as in bw_check_finding */
	bool has_pointer;
	uint8_t pointer_sgpr;
	uint32_t pointer_offset;
	struct bw_check_side at;
};

/* Called once for each new finding, from a worker thread. */
typedef void bw_bounds_listener(void *cookie, size_t number, const struct bw_bounds_finding *f);
void bw_bounds_listen(struct bw_check *c, bw_bounds_listener *fn, void *cookie);
/* Findings in the order in which they were made, at most max; returns how many there are. */
size_t bw_bounds_findings(struct bw_check *c, struct bw_bounds_finding *out, size_t max);

/* An allocation of an address space, by the root of its page tables as the registers have it, for
 * accesses by address. False: bounds are not checked, or bw_extents_add refuses it. */
bool bw_bounds_declare(struct bw_check *c, const struct bw_extent *e);
/* The path of a program, for its extents; it lives as long as the checker. NULL: they are too
 * many. */
const char *bw_bounds_program(struct bw_check *c, const char *path);
/* It is given back; the address space ends. */
void bw_bounds_withdraw(struct bw_check *c, uint64_t space, uint64_t va);
void bw_bounds_forget(struct bw_check *c, uint64_t space);

/* "buffer", "elements", ... */
const char *bw_outside_name(enum bw_outside_of of);

#endif
