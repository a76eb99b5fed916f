/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_NAMES_BOUND_SETS_H
#define BW_AGENT_NAMES_BOUND_SETS_H

/* The bindings of a command buffer's descriptor sets while it is recorded: sets, whose descriptors
 * are looked up when it is submitted, or descriptors that were pushed, which are part of the
 * recording. The caller holds the lock of each of these structs. */

#include "agent/names/descriptors.h"
#include "agent/names/names.h"

enum { BW_BOUND_SETS_MAX = 16 };

struct bw_bound_sets {
	struct {
		uint64_t set;	 /* 0: none, or pushed */
		uint64_t layout; /* of what was pushed; 0: not known */
		uint32_t n_offsets, offsets[BW_DYNAMIC_MAX];
		struct bw_descriptors pushed; /* owned */
	} at[BW_BOUND_SETS_MAX];
};

/* Nothing is bound; frees. */
void bw_bound_sets_clear(struct bw_bound_sets *b);
/* Numbers that are too high are ignored here and below. set 0: one that is not known. */
void bw_bound_sets_bind(struct bw_bound_sets *b, uint32_t number, uint64_t set,
			const uint32_t *offsets, uint32_t n_offsets);
/* Adds to what was pushed there before, which ends with another layout. */
void bw_bound_sets_push(struct bw_bound_sets *b, uint32_t number, uint64_t layout,
			const struct bw_descriptors *descriptors);
/* Appends all that is bound; returns where and how many bytes, 0: nothing, or no memory. */
uint32_t bw_bound_sets_write(const struct bw_bound_sets *b, struct bw_names_blob *to,
			     uint32_t *out_b);
/* Reads one set of what was written: its number, and its descriptors as they are now, which go to
 * the end of out. Returns how many bytes that were. out_cut is set where memory did not suffice. */
uint32_t bw_bound_sets_read(const uint8_t *bytes, uint32_t *out_number, struct bw_descriptors *out,
			    bool *out_cut);

#endif
