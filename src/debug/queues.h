/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_QUEUES_H
#define BW_DEBUG_QUEUES_H

/* The AQL queues of the programs, and the packet at which each stands. */

#include "debug/debug.h"
#include "debug/dispatches.h"
#include "pm4/aql_look.h"
#include "target/runtime.h"

struct bw_queue_info {
	struct bw_target_queue queue;
	struct bw_aql_state state;
	uint32_t dispatch; /* its number in the session; 0: none is known */
};
/* All queues, by number. Memory that cannot be read is not an error: the state tells. Owned by the
 * caller (free). */
struct bw_error *bw_debug_queues(struct bw_debug *d, struct bw_queue_info **out,
				 size_t *out_n) BW_MUST_CHECK;
/* Appends what the queue's first packet is, in a few words: "dispatch 3 (weigh), which is running",
 * "empty". */
void bw_debug_queue_stands(struct bw_debug *d, const struct bw_queue_info *q, struct bw_str *out);
/* Whether a dispatch that has been passed on waits for another packet, at which its AQL queue
 * stands and which is not a dispatch; appends that: "barrier-AND, which waits for signal ...". */
bool bw_debug_waits_in_queue(struct bw_debug *d, const struct bw_dispatch_info *x,
			     struct bw_str *out);
/* Appends a paragraph: why queue `which` of these does not go on, who could make it go on, and the
 * next command to type. Nothing for an empty queue. */
void bw_debug_explain_queue(struct bw_debug *d, const struct bw_queue_info *all, size_t n,
			    size_t which, struct bw_str *out);

#endif
