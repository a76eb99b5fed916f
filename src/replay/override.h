/* SPDX-License-Identifier: MIT */
#ifndef BW_REPLAY_OVERRIDE_H
#define BW_REPLAY_OVERRIDE_H

/* A submission of a replay that is another one than captured: a command stream in the place of one
 * IB, or all of an override file (capture/override.h). */

#include "capture/override.h"
#include "replay/patch.h"

struct bw_replay_override {
	uint32_t number, ib; /* ib: of a command stream alone */
	uint8_t *bytes;	     /* owned */
	size_t size_b;
	bool is_file; /* an override file: `file` borrows its bytes */
	struct bw_override file;
};

/* Reads the file at path, of either kind. out: number and ib are set; owned by the caller after
 * success: bw_replay_override_fini. */
struct bw_error *bw_replay_override_read(const char *path,
					 struct bw_replay_override *out) BW_MUST_CHECK;
void bw_replay_override_fini(struct bw_replay_override *v);

/* What an override is other in than what was captured. */
struct bw_replay_override_said {
	uint64_t changed_b; /* bytes of captured memory that have another value */
	uint64_t new_b;	    /* bytes of memory that the capture does not have */
};
/* Puts it into the memory of the space and into the record of the submission, which has its number.
 * What is written is added to `done`; new memory is bw_replay_gpu_add's. Adds to *said.
 * BW_E_INVALID: it was made of another submission. */
struct bw_error *bw_replay_override_apply(const struct bw_replay_override *v,
					  struct bw_replay_gpu *g, const struct bw_capture_space *s,
					  struct bw_capture_submission *sub,
					  struct bw_replay_patches *done,
					  struct bw_replay_override_said *said) BW_MUST_CHECK;

#endif
