/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_QUEUES_H
#define BW_DEBUG_QUEUES_H

/* The AQL queues of the programs, and the packet at which each stands. */

#include "debug/debug.h"
#include "pm4/aql.h"
#include "target/runtime.h"

struct bw_queue_signal {
	uint64_t va;
	bool is_known; /* its value could be read */
	int64_t value;
};

struct bw_queue_info {
	struct bw_target_queue queue;
	/* Indices: all packets before `read` are complete; the program has reserved those before
	 * `write`. Valid if is_known. */
	bool is_known;
	uint64_t read, write;
	/* Of the packet at `read`, if read != write: */
	bool has_first;
	struct bw_aql_packet first;
	uint32_t dispatch; /* its number in the session; 0: none is known */
	/* Of a barrier: the signals that it waits for. */
	struct bw_queue_signal signals[BW_AQL_N_BARRIER_SIGNALS];
	size_t n_signals;
};
/* All queues, by number. Memory that cannot be read is not an error: is_known and has_first tell.
 * Owned by the caller (free). */
struct bw_error *bw_debug_queues(struct bw_debug *d, struct bw_queue_info **out,
				 size_t *out_n) BW_MUST_CHECK;

#endif
