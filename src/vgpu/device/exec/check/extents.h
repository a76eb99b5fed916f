/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_EXTENTS_H
#define BW_VGPU_EXEC_CHECK_EXTENTS_H

/* Allocations with their exact sizes, as their owners tell of them, by address space. Around each
 * is memory that belongs to nothing else: the rest of its last page, and what the owner has left
 * free. An access there is outside of the allocation, and so is any access after it was freed.
 * Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BW_EXTENTS_MAX = 1 << 16, BW_EXTENT_NAME_B = 32, BW_EXTENT_CALLERS = 3 };

struct bw_extent {
	uint64_t space; /* number of the address space */
	uint64_t va, size_b;
	uint64_t before_b, after_b; /* that belong to nothing else */
	char name[BW_EXTENT_NAME_B];
	/* Its owner has freed it, and nothing else is there: all accesses are outside. */
	bool is_freed;
	/* calls in the owner's program, the innermost first; 0: not known */
	uint64_t made[BW_EXTENT_CALLERS], freed[BW_EXTENT_CALLERS];
	const char *program; /* the path of that, which outlives the extent; NULL: not known */
};

struct bw_extents {
	struct bw_extent *e; /* sorted by space and address; none overlaps another */
	size_t n, max;
};

void bw_extents_fini(struct bw_extents *x);
/* Those that it overlaps are gone, since their owner has given them back. False: it is empty, it
 * wraps, there are too many, or no memory. */
bool bw_extents_add(struct bw_extents *x, const struct bw_extent *e);
/* Takes away the one that begins there. */
void bw_extents_remove(struct bw_extents *x, uint64_t space, uint64_t va);
void bw_extents_forget(struct bw_extents *x, uint64_t space);

/* Which extent an access is outside of; NULL: of none. Then accesses in [from, to) are, too. */
struct bw_extents_answer {
	const struct bw_extent *outside_of;
	uint64_t from, to;
};
struct bw_extents_answer bw_extents_look(const struct bw_extents *x, uint64_t space, uint64_t va,
					 unsigned size_b);

#endif
