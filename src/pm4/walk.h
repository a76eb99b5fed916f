/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_WALK_H
#define BW_PM4_WALK_H

/* The packets of a submission in the order in which they are executed: those of its streams, of the
 * streams that these call, and of those that they chain. PM4 and SDMA. Padding (NOPs) is left out.
 * Pure: the words come from anywhere; a packet that lies in two places of the order, because its
 * stream is called twice, is listed once. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct bw_pm4_step {
	uint64_t va;	    /* of the packet */
	uint64_t stream_va; /* of the stream that it lies in */
	uint32_t header, size_dw;
	uint32_t stream; /* of the streams submitted, from 0: the one that it is executed for */
	uint8_t depth; /* 0: it lies in what was submitted, or is chained; 1: in what that calls */
	bool is_sdma;
	bool is_work; /* it starts waves */
	bool is_bad;  /* no packet: from here to the end of the stream nothing can be told apart */
};
struct bw_pm4_steps BW_VEC(struct bw_pm4_step);

struct bw_pm4_walk_stream {
	uint64_t va;
	size_t size_dw;
	bool is_sdma;
};
/* Reads n dwords; false: they cannot be read, and the stream is left out. */
typedef bool bw_pm4_walk_read_fn(void *cookie, uint64_t va, uint32_t *out, size_t n);
struct bw_pm4_walk {
	const struct bw_pm4_walk_stream *streams; /* borrowed */
	size_t n_streams;
	bw_pm4_walk_read_fn *read;
	void *cookie;
};

/* out: empty; the caller frees it, after an error, too. out_unseen: streams that were left out
 * since they cannot be read or are too many or too long. */
struct bw_error *bw_pm4_walk(const struct bw_pm4_walk *w, struct bw_pm4_steps *out,
			     uint32_t *out_unseen) BW_MUST_CHECK;

/* How many of its words, from the first, making it a NOP changes. */
uint32_t bw_pm4_step_changed(const struct bw_pm4_step *s);
/* Word i of the packet (old) where the packet is made NOPs of its length. */
uint32_t bw_pm4_step_nop(const struct bw_pm4_step *s, uint32_t i, uint32_t old);
/* "DISPATCH_DIRECT", "COPY_LINEAR", "no packet". buf may be used. */
const char *bw_pm4_step_name(const struct bw_pm4_step *s, char buf[32]);

#endif
