/* SPDX-License-Identifier: MIT */
#ifndef BW_REPLAY_LIMIT_H
#define BW_REPLAY_LIMIT_H

/* Less of a submission: packets become NOPs of their length, in GPU memory, until it has ended. */

#include "pm4/walk.h"
#include "replay/patch.h"

/* The first n dispatches and draws run, and all other packets; or the first n packets of any kind,
 * in the order in which they are executed. A packet that one of the first ones is stays. */
struct bw_replay_limit {
	uint32_t number; /* of the submission; 0: none */
	uint32_t n;
	bool is_packets;
};

/* The packets of a submission whose memory is in place; freed by the caller, after an error, too.
 * BW_E_UNSUPPORTED: the ring's packets are not known. */
struct bw_error *bw_replay_steps(struct bw_replay_gpu *g, const struct bw_capture_submission *sub,
				 struct bw_pm4_steps *out) BW_MUST_CHECK;

/* Does nothing where the limit is another submission's. done: what bw_replay_patches_undo puts
 * back. BW_E_NOT_FOUND: it has less than n. */
struct bw_error *bw_replay_limit(struct bw_replay_gpu *g, const struct bw_capture_space *s,
				 const struct bw_capture_submission *sub,
				 const struct bw_replay_limit *l,
				 struct bw_replay_patches *done) BW_MUST_CHECK;

#endif
