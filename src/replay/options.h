/* SPDX-License-Identifier: MIT */
#ifndef BW_REPLAY_OPTIONS_H
#define BW_REPLAY_OPTIONS_H

/* The command line of breakwater-replay, for it and for `breakwater replay`, which starts it.
 * Parsing only; texts are borrowed from argv. */

#include "base/options.h"
#include "base/vec.h"

struct bw_replay_texts BW_VEC(const char *);

struct bw_replay_words {
	const char *file, *gpu;
	const char *dispatches, *packets; /* N:COUNT; NULL: not given */
	uint32_t first, last, frame;	  /* frame 0: not given; first and last are not, then */
	uint64_t loop, timeout_s;
	bool check, json, help;
	struct bw_replay_texts dumps, overrides;
	struct bw_replay_texts shaders; /* of `breakwater replay`, which makes rules of them: */
	const char *shader_rules;	/* the folder; NULL: none */
};

/* The caller ends *out, after an error, too. */
struct bw_error *bw_replay_words_parse(int argc, char *const *argv,
				       struct bw_replay_words *out) BW_MUST_CHECK;
void bw_replay_words_fini(struct bw_replay_words *w);
extern const struct bw_command_line bw_line_replay;

#endif
