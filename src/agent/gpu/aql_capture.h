/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_GPU_AQL_CAPTURE_H
#define BW_AGENT_GPU_AQL_CAPTURE_H

/* Packets of AQL queues for `breakwater capture`. A capture knows command streams, so a dispatch is
 * captured as the PM4 packets that do the same (pm4/aql_stream.h): they lie in a buffer that only
 * the capture has, and the program's queue gets the packet itself. What the command processor
 * writes for the queue (indices, headers, signals) is memory that changes while the dispatch runs.
 * A barrier is not captured: it runs nothing. */

#include "agent/agent.h"
#include "agent/memory/place.h"
#include "pm4/aql.h"
#include "wire/agent_proto.h"

/* Of a queue; zeroed before. */
struct bw_aql_capture {
	struct bw_placed stream; /* the PM4 packets of a dispatch */
	bool has_failed;	 /* there is no room for one */
	uint64_t fault_va;	 /* that was on record before */
	uint32_t fault_status;
};
void bw_aql_capture_free(struct bw_agent_file *vm, struct bw_aql_capture *c);

/* A packet that is about to be passed on, as the first one that the GPU has not completed. */
struct bw_aql_passing {
	struct bw_agent_file *kfd, *vm;
	uint32_t queue;		 /* its id */
	uint64_t index, read_va; /* of the packet; of the queue's read index */
	const atomic_bool *ends; /* the queue does */
	const struct bw_aql_packet *packet;
	const struct bw_aql_launch *launch;	  /* of a dispatch; NULL: it cannot be read */
	const struct bw_agent_dispatch *dispatch; /* of that */
};
/* Whether packets are captured, and this is one that a capture has. */
bool bw_aql_capture_wants(const struct bw_aql_packet *p);
/* What the command processor would do before it runs the dispatch, if the queue has too little
 * scratch: asks the program's runtime for it, and waits for the answer, so that the memory is there
 * when the dispatch is captured. True: the queue's object has changed, and is to be read again. */
bool bw_aql_capture_ask_scratch(const struct bw_aql_passing *p);
/* True: bw_aql_capture_end must be called when the packet has been passed on, which waits until it
 * is complete. */
bool bw_aql_capture_begin(struct bw_aql_capture *c, const struct bw_aql_passing *p);
void bw_aql_capture_end(struct bw_aql_capture *c, const struct bw_aql_passing *p);
/* A packet was passed on that is not captured. */
void bw_aql_capture_passed_other(void);
/* The process has queues that nobody follows (SDMA, PM4): they may change memory at any time. */
void bw_aql_capture_has_others(void);
/* Waits until no dispatch is being captured, as it takes so long that a fault is noted. */
void bw_aql_capture_await(void);

#endif
