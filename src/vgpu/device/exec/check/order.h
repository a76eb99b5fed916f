/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_ORDER_H
#define BW_VGPU_EXEC_CHECK_ORDER_H

/* Which accesses of a dispatch are ordered ("happens before"): vector clocks over its waves. Pure:
 * calls in, answers out.
 *
 * A wave's clock counts its barriers and releases. An access is known by its wave and that wave's
 * clock. It is ordered before what another wave does now if that wave has learned of a later clock:
 * by a barrier of their workgroup, or by an acquire of a location to which the first wave has
 * released. Between workgroups an acquire takes effect at the next fence (buffer_gl1_inv, which
 * every acquire of device scope contains); within a workgroup at once. A release does not tell
 * other workgroups of stores that the wave has not waited for (s_waitcnt_vscnt, which every release
 * of device scope contains).
 *
 * Where something would need too much memory, more counts as ordered than is. So a limit can hide
 * findings, and never makes one. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BW_ORDER_WAVES = 1 << 22, /* of a dispatch; more are not checked */
	BW_ORDER_CLOCKS = 1 << 17,
	BW_ORDER_GROUP_WAVES = 32,
	BW_ORDER_PENDING = 8,
};

/* Clocks of waves of other groups that a wave has learned of: sorted by wave. */
struct bw_order_known {
	struct bw_order_clock {
		uint32_t wave, clock; /* accesses at lower clocks are ordered */
	} *e;
	uint32_t n;
};

struct bw_order_wave {
	struct bw_order_group *group;
	uint32_t serial; /* in the dispatch, from 0 */
	uint32_t clock;
	uint32_t released;     /* what its group learns: accesses at lower clocks */
	uint32_t released_far; /* the same for other groups */
	/* the first store to memory that it has not waited for, and its clock; 0: there is none */
	uint16_t unwaited;
	uint32_t unwaited_clock;
	uint8_t index;		     /* in the group */
	bool is_blind;		     /* everything counts as ordered before what it does */
	bool has_released;	     /* in this instruction */
	uint32_t *mate;		     /* what it knows of its own group, and */
	uint32_t *mate_given;	     /* what of that it has released; clocks by index */
	struct bw_order_known known; /* of other groups */
	/* locations that it has acquired since its last fence */
	uint64_t pending[BW_ORDER_PENDING];
	uint8_t n_pending;
	bool many_pending;
};

struct bw_order_group {
	struct bw_order_group *next;
	uint32_t id[3];
	uint32_t serial;
	unsigned n_waves;
	uint32_t barrier[BW_ORDER_GROUP_WAVES]; /* clocks after the last barrier */
	struct bw_order_wave wave[];
};

struct bw_order_location;

/* One dispatch. */
struct bw_order {
	struct bw_order_group *groups;
	struct bw_order_wave **wave; /* by serial */
	uint32_t n_waves, max_waves, n_groups;
	struct bw_order_location *location;
	size_t n_locations, max_locations; /* max: a power of two */
	size_t used_b;			   /* by clocks and by the waves of locations */
	bool is_blind;
};

void bw_order_fini(struct bw_order *o);
/* The dispatch has ended: only which waves there were is still asked for. */
void bw_order_end(struct bw_order *o);
/* A workgroup starts; its waves have consecutive serials. NULL: out of memory, or too many waves;
 * it is not to be checked. */
struct bw_order_group *bw_order_begin(struct bw_order *o, const uint32_t id[3], unsigned n_waves);
/* All waves of the group that have not ended have reached a barrier. */
void bw_order_barrier(struct bw_order *o, struct bw_order_group *g);
/* Whether an access of a wave at a clock is ordered before what `now` does. */
bool bw_order_is_before(const struct bw_order *o, uint32_t wave, uint32_t clock,
			const struct bw_order_wave *now);
/* The wave releases to the location. What it does from the next instruction on is not released:
 * call bw_order_step after each instruction. */
void bw_order_release(struct bw_order *o, struct bw_order_wave *w, uint64_t location);
void bw_order_step(struct bw_order *o, struct bw_order_wave *w);
/* A store of a wave at a clock turns out to be a release: an atomic reads what it has written. */
struct bw_order_store {
	uint32_t wave, clock;
	uint16_t place; /* of the instruction, as bw_order_stored has it */
};
void bw_order_was_release(struct bw_order *o, const struct bw_order_store *s, uint64_t location);
/* The wave has stored to memory, by an instruction at that place (not 0), and does not wait for it
 * yet. To be called before bw_order_step. */
void bw_order_stored(struct bw_order_wave *w, uint16_t place);
/* It has waited for all of its stores. */
void bw_order_waited(struct bw_order *o, struct bw_order_wave *w);
/* The wave acquires from the location what others have released there. */
void bw_order_acquire(struct bw_order *o, struct bw_order_wave *w, uint64_t location);
/* The wave discards what its caches have. */
void bw_order_fence(struct bw_order *o, struct bw_order_wave *w);

#endif
