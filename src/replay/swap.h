/* SPDX-License-Identifier: MIT */
#ifndef BW_REPLAY_SWAP_H
#define BW_REPLAY_SWAP_H

/* Other code in the place of captured shaders' (breakwater replay --shader WHICH=FILE), while a
 * submission runs: machine code as the agent places it in a living program (swap/code.h), and what
 * the driver has made of SPIR-V (swap/variant.h), in the replay's memory. */

#include "replay/patch.h"
#include "swap/rules.h"

/* Rules, and where what is done with them is said. Owned by its user. */
struct bw_replay_swap {
	const char *folder; /* borrowed */
	struct bw_swap_rules rules;
	struct BW_VEC(struct bw_swap_said) said; /* each event once */
};
/* The folder has the rules; borrowed. */
struct bw_error *bw_replay_swap_open(const char *folder, struct bw_replay_swap *out) BW_MUST_CHECK;
void bw_replay_swap_fini(struct bw_replay_swap *s);
/* Whether a capture of that version has what the rules go by; BW_E_INVALID: what is missing. */
struct bw_error *bw_replay_swap_check(const struct bw_replay_swap *s,
				      uint32_t version) BW_MUST_CHECK;
/* For a submission that is about to run. What is changed is added to `done`; new code goes away
 * with what else was added (bw_replay_gpu_drop_added). */
struct bw_error *bw_replay_swap_apply(struct bw_replay_swap *swap, struct bw_replay_gpu *g,
				      const struct bw_capture_space *s,
				      const struct bw_capture_submission *sub,
				      struct bw_replay_patches *done) BW_MUST_CHECK;

#endif
