/* SPDX-License-Identifier: MIT */
#ifndef BW_REPLAY_PLAY_H
#define BW_REPLAY_PLAY_H

/* Submissions of a capture, one after the other, on a GPU. */

#include "capture/reader.h"
#include "replay/clocks.h"
#include "replay/gpu.h"
#include "replay/limit.h"
#include "replay/override.h"
#include "replay/swap.h"

struct bw_replay_dump {
	uint32_t number;
	uint64_t what;	  /* a buffer's id, or an address in it */
	const char *path; /* borrowed */
};

struct bw_replay_options {
	/* Numbers. Of the submissions before `first` only memory is taken. Where the capture does
	 * not have it, those after the last one whose memory it has run, too. */
	uint32_t first, last;
	uint64_t timeout_s;
	struct bw_replay_limit limit;
	bool check; /* compare memory with the capture's after each submission */
	/* Give places where the GPU writes its clock the captured values; `check` implies it. */
	bool settles_clocks;
	struct BW_VEC(struct bw_replay_dump) dumps;
	struct BW_VEC(struct bw_replay_override) overrides; /* owned by the user of the struct */
	struct bw_replay_swap *swap; /* shaders that are replaced; NULL: none; borrowed */
	/* Gets the packets of submission `last` as it is submitted; none where they are not known.
	 * NULL: nobody wants them. */
	struct bw_pm4_steps *steps;
	/* Called after submission `last`, whatever became of it. NULL: nobody. */
	struct bw_error *(*watch)(void *cookie, struct bw_replay_gpu *g);
	void *cookie;
};

/* The first byte that is another one than in the capture. */
struct bw_replay_difference {
	uint32_t number, n_dispatches, n_draws; /* the submission after which it was found */
	uint64_t buffer, offset_b, va;		/* va 0: not mapped */
	uint64_t n_pages, n_buffers;		/* that differ after that submission */
	uint8_t captured[16], replayed[16];
	unsigned n_bytes; /* of the two, up to the end of the page */
};

enum bw_replay_verdict {
	BW_REPLAY_SAME,	    /* or it was not checked */
	BW_REPLAY_DIFFERS,  /* difference */
	BW_REPLAY_BROKE,    /* outcome: one failed or did not end; in the capture otherwise */
	BW_REPLAY_BROKE_AS, /* it did so in the capture, too */
};
struct bw_replay_report {
	uint32_t n_submissions, n_dispatches, n_draws, n_checked;
	/* Those before `first` that ran, and the first of them: they are not in n_submissions. */
	uint32_t n_led_in, lead_in;
	uint32_t number; /* of the last one */
	enum bw_replay_verdict verdict;
	bool is_nothing; /* nothing was replayed, or compared where that was asked for */
	struct bw_replay_difference difference;
	struct bw_capture_result outcome, captured; /* captured: of the same submission */
	bool has_captured;
	struct bw_replay_override_said override_said;
	uint32_t n_lost; /* pages of memory that the capture, damaged, does not hold */
	/* Records that are damaged: a submission that did not run, or what one has changed. */
	uint32_t n_lost_records;
	/* Bytes of the program's own memory (GEM_USERPTR), and of memory that ROCm's runtime shares
	 * with the GPU, that changed while a submission ran, and that the replay does not write:
	 * threads of the program, and its queues, write these pages, too. They are no difference,
	 * and become what the capture has. */
	uint64_t n_program_b;
	uint64_t n_scratch_b; /* of scratch memory, that were others */
	/* Values of the GPU's clock, which packets have written: no difference, either. */
	struct bw_replay_clocks_said clocks;
};

/* Stops at the first submission that differs, fails or does not end. */
struct bw_error *bw_replay_play(struct bw_capture_reader *r, struct bw_replay_gpu *g,
				const struct bw_replay_options *o,
				struct bw_replay_report *out) BW_MUST_CHECK;

#endif
