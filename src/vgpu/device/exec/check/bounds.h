/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_BOUNDS_H
#define BW_VGPU_EXEC_CHECK_BOUNDS_H

/* Accesses outside of what they may touch: of a descriptor's range, of LDS, of scratch, of an
 * image, of an allocation. One finding for each instruction and kind of object. It has a lock of
 * its own, which is taken only where something is outside or not known yet. */

#include "vgpu/device/exec/check/check.h"
#include "vgpu/device/exec/check/extents.h"
#include "vgpu/device/exec/core/limits.h"

/* An allocation of an address space, by the root of its page tables as the registers have it, for
 * accesses by address. False: bounds are not checked, or bw_extents_add refuses it. */
bool bw_bounds_declare(struct bw_check *c, const struct bw_extent *e);
/* A kernel of an address space, by its first instruction, uses so many bytes of LDS for a
 * workgroup. The last ones that were told are kept. */
void bw_bounds_kernel(struct bw_check *c, uint64_t space, uint64_t va, uint32_t lds_b);
/* The path of a program, for its extents; it lives as long as the checker. NULL: they are too
 * many. */
const char *bw_bounds_program(struct bw_check *c, const char *path);
/* Memory that the program has not freed at its end, by the place that has made it. */
struct bw_leak {
	uint64_t n, size_b;	     /* blocks, and bytes of all of them */
	char name[BW_EXTENT_NAME_B]; /* of one of them */
	uint64_t made[BW_EXTENT_CALLERS];
	const char *program;
};
/* What programs that have ended have left, and what is there now: at most max; returns how many. To
 * be asked when the program has ended. */
size_t bw_bounds_leaks(struct bw_check *c, struct bw_leak *out, size_t max);
/* The program has left it. */
void bw_bounds_left(struct bw_check *c, const struct bw_extent *e);
/* It is given back; the address space ends. */
void bw_bounds_withdraw(struct bw_check *c, uint64_t space, uint64_t va);
void bw_bounds_forget(struct bw_check *c, uint64_t space);

/* Ranges of which a wave knows that accesses by address there are in bounds, as of a generation of
 * the extents: kernels have some buffers in turn. A range that is empty is none. */
enum { BW_CHECK_RANGES = 4 };
struct bw_check_known {
	struct bw_check_range {
		uint64_t from, to;
	} range[BW_CHECK_RANGES];
	uint64_t generation;
	unsigned next;
};

#endif
