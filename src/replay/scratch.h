/* SPDX-License-Identifier: MIT */
#ifndef BW_REPLAY_SCRATCH_H
#define BW_REPLAY_SCRATCH_H

/* The scratch memory of a submission's dispatches. Which wave gets which part of it is another
 * choice in each run, so what is in it is no difference between a replay and its capture. */

#include "replay/gpu.h"

struct bw_replay_scratch {
	uint64_t buffer, begin_b, end_b;
};
struct bw_replay_scratches BW_VEC(struct bw_replay_scratch);

/* Before the submission: the scratch of its dispatches, as far as the capture has it mapped in s,
 * in addition to what is in out; the caller frees it, after an error, too. */
struct bw_error *bw_replay_scratch_note(struct bw_replay_gpu *g, const struct bw_capture_space *s,
					const struct bw_capture_submission *sub,
					struct bw_replay_scratches *out) BW_MUST_CHECK;
/* Gives bytes of a page that are scratch the captured values. page_at: the page's offset in the
 * buffer. Returns how many of them were others. */
uint64_t bw_replay_scratch_settle(const struct bw_replay_scratches *all, uint64_t buffer,
				  uint64_t page_at, const uint8_t *captured, uint8_t *memory);

#endif
