/* SPDX-License-Identifier: MIT */
#ifndef BW_REPLAY_PATCH_H
#define BW_REPLAY_PATCH_H

/* Memory that is other than captured while one submission of a replay runs: written before it, put
 * back after it. What a capture says of later memory is what has changed in the program, so no
 * byte of a patch may stay. */

#include "replay/gpu.h"

struct bw_replay_patch {
	uint64_t va;
	size_t size_b;
	uint8_t *old, *now; /* owned, size_b bytes each; in one allocation that begins at old */
};
/* Zeroed before the first write; emptied by bw_replay_patches_undo. */
struct bw_replay_patches BW_VEC(struct bw_replay_patch);

/* Where the GPU address va lies in our memory, and how many bytes follow it there in one piece.
 * NULL: nothing is mapped there, or only what the CPU may not see. */
uint8_t *bw_replay_memory_at(struct bw_replay_gpu *g, const struct bw_capture_space *s, uint64_t va,
			     uint64_t *out_left_b);
/* Writes size_b bytes at the GPU address va, of the memory that the capture has mapped in s, and
 * adds what was there to `done`. BW_E_FAULT names an address that is not mapped; nothing is written
 * then. */
struct bw_error *bw_replay_patch_write(struct bw_replay_gpu *g, const struct bw_capture_space *s,
				       uint64_t va, const void *bytes, size_t size_b,
				       struct bw_replay_patches *done) BW_MUST_CHECK;
/* Puts back what was there, the last patch first. A byte that is not the patch's any more (the
 * submission has written it) stays. Frees the list. */
void bw_replay_patches_undo(struct bw_replay_gpu *g, const struct bw_capture_space *s,
			    struct bw_replay_patches *done);

#endif
