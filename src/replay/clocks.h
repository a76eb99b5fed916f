/* SPDX-License-Identifier: MIT */
#ifndef BW_REPLAY_CLOCKS_H
#define BW_REPLAY_CLOCKS_H

/* Where the packets of a submission write values of the GPU's clock. These are other ones in each
 * run, and no difference between a replay and its capture. */

#include "capture/reader.h"
#include "replay/gpu.h"

struct bw_replay_clock {
	uint64_t buffer, offset_b;
	uint32_t size_b; /* up to 8 */
	uint8_t before[8];
	/* After the submission; is_settled: the place has the captured value. */
	uint8_t captured[8], replayed[8];
	bool is_settled;
};
struct bw_replay_clocks BW_VEC(struct bw_replay_clock);

struct bw_replay_clocks_said {
	uint64_t n_values, n_b;	       /* that were left out */
	uint64_t n_copies, n_copied_b; /* of these values, elsewhere, that were left out */
};

/* Before the submission: the places, of those that the capture has mapped in s and that the CPU may
 * see, in addition to those in out; the caller frees it, after an error, too. Of other rings than
 * graphics, compute and SDMA: none. */
struct bw_error *bw_replay_clocks_note(struct bw_replay_gpu *g, const struct bw_capture_space *s,
				       const struct bw_capture_submission *sub,
				       struct bw_replay_clocks *out) BW_MUST_CHECK;
/* After it, s being what the capture has there: gives each place the captured value, where both
 * the capture and the replay have written another one than before. A packet that only one of them
 * has executed makes a difference. Copies of these values get the captured one, too: places in
 * `after`, which is what the submission has changed in the capture, that have the captured value
 * there and the replayed one here. Adds to *said. */
struct bw_error *bw_replay_clocks_settle(struct bw_capture_reader *r, struct bw_replay_gpu *g,
					 const struct bw_capture_space *s,
					 const struct bw_capture_runs *after,
					 struct bw_replay_clocks *clocks,
					 struct bw_replay_clocks_said *said) BW_MUST_CHECK;

#endif
