/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_WALK_H
#define BW_PM4_WALK_H

/* The packets of a submission in the order in which they are executed: those of its streams, of the
 * streams that these call, and of those that they chain. PM4 and SDMA. Padding (NOPs) is left out.
 * Pure: the words come from anywhere; a packet that is executed twice, because its stream is called
 * twice, is listed once. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct bw_pm4_step {
	uint64_t va;	    /* address of the packet */
	uint64_t stream_va; /* address of its stream */
	uint32_t header, size_dw;
	uint32_t stream; /* number of the submitted stream, from 0, for which it is executed */
	/* 0: in a submitted or chained stream; 1: in a stream that such a one calls */
	uint8_t depth;
	bool is_sdma;
	bool is_work; /* it starts waves */
	bool is_bad;  /* not a packet: the rest of the stream cannot be decoded */
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

/* Lists the packets. out: empty before; the caller frees it, also after an error. out_unseen:
 * number of streams that were left out, because they cannot be read or are too many or too long. */
struct bw_error *bw_pm4_walk(const struct bw_pm4_walk *w, struct bw_pm4_steps *out,
			     uint32_t *out_unseen) BW_MUST_CHECK;

/* How many words of the packet, from its first on, change when it is replaced by NOPs. */
uint32_t bw_pm4_step_changed(const struct bw_pm4_step *s);
/* Word i of the packet after it was replaced by NOPs of the same length; old: the word before. */
uint32_t bw_pm4_step_nop(const struct bw_pm4_step *s, uint32_t i, uint32_t old);
/* The name of a step: "DISPATCH_DIRECT", "COPY_LINEAR", "no packet". buf may be used for it. */
const char *bw_pm4_step_name(const struct bw_pm4_step *s, char buf[32]);

#endif
