/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_CAPTURE_MEMORY_H
#define BW_AGENT_CAPTURE_MEMORY_H

/* The memory of an address space as a capture has it: what was sent of each buffer, and what has
 * changed since. Memory is compared page by page where it lies, by hashes; only pages that differ
 * are copied. A buffer that nobody but the GPU can write is not looked at before a submission when
 * it was looked at behind the last one. All calls are under the lock of capture_link.h, as pages
 * are sent from here. */

#include "agent/agent.h"
#include "base/vec.h"
#include "capture/capture.h"

struct bw_capture_sent; /* a buffer as it was sent last */

/* Zeroed: nothing was sent. */
struct bw_capture_memory {
	uint64_t last_id;
	bool is_settled; /* only the CPU has changed memory since it was looked at last */
	struct BW_VEC(struct bw_capture_sent) buffers;
	struct BW_VEC(struct bw_capture_map) maps;
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
/* Behind a submission that has ended: pages that have changed. */
struct bw_error *bw_capture_memory_behind(struct bw_agent_file *f, struct bw_capture_memory *m,
					  struct bw_capture_runs *out) BW_MUST_CHECK;

#endif
