/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_CAPTURE_CAPTURE_MEMORY_H
#define BW_AGENT_CAPTURE_CAPTURE_MEMORY_H

/* The memory of an address space as a capture has it: what was sent of each buffer, and what has
 * changed since. Memory is compared page by page where it lies, by hashes; only pages that differ
 * are copied. Before a submission, a buffer that nobody but the GPU can write is looked at only
 * where it was mapped since, or after bw_capture_memory_unsettle. All calls are under the lock of
 * capture_link.h, as pages are sent from here. */

#include "agent/agent.h"
#include "agent/memory/cpu_writes.h"
#include "base/table.h"
#include "capture/capture.h"

struct bw_capture_sent; /* a buffer as it was sent last */

/* Zeroed: nothing was sent. */
struct bw_capture_memory {
	uint64_t last_id;
	/* before the next submission only what the CPU can write is looked at */
	bool is_settled;
	uint64_t look_ns, looked_at_ns; /* how long the last look at all took, and when it ended */
	uint64_t sent_b;		/* of pages, since then */
	struct BW_TABLE(struct bw_capture_sent) buffers; /* by their handles */
	struct BW_VEC(struct bw_cpu_writes *) asked;	 /* of buffers, for one call */
	struct bw_capture_maps BW_VEC(struct bw_capture_map) maps;
};

void bw_capture_memory_fini(struct bw_capture_memory *m);
/* The GPU may have changed memory, or lost it: the next look is at everything. */
void bw_capture_memory_unsettle(struct bw_capture_memory *m);
/* The capture's id of the buffer with that handle; 0: it is not mapped. */
uint64_t bw_capture_memory_buffer(const struct bw_capture_memory *m, uint32_t handle);

/* Before a submission: mappings and buffers that are new or gone, and pages that have changed, go
 * into out. */
struct bw_error *bw_capture_memory_before(struct bw_agent_file *f, struct bw_capture_memory *m,
					  struct bw_capture_submission *out) BW_MUST_CHECK;
/* Whether memory is to be looked at after a submission now, where it need not be after each:
 * often enough that no more than unseen_max_b of pages come between two looks, and otherwise so
 * that looking takes a fiftieth of the time. */
bool bw_capture_memory_is_due(const struct bw_capture_memory *m, uint64_t unseen_max_b);
/* After a submission that has ended: pages that have changed. */
struct bw_error *bw_capture_memory_behind(struct bw_agent_file *f, struct bw_capture_memory *m,
					  struct bw_capture_runs *out) BW_MUST_CHECK;

#endif
