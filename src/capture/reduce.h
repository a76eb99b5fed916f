/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_REDUCE_H
#define BW_CAPTURE_REDUCE_H

/* Writes a capture that is a part of another one: some of its submissions, with less memory. What
 * the others have left in memory becomes the memory that the next one starts with. */

#include "capture/reader.h"
#include "capture/writer.h"

/* A dword that is another one before the last submission. */
struct bw_capture_word {
	uint64_t buffer, offset_b;
	uint32_t value;
};
struct bw_capture_words BW_VEC(struct bw_capture_word);

/* Of the address space of the last submission. */
struct bw_capture_ids BW_VEC(uint64_t);
struct bw_capture_place {
	uint64_t buffer, index; /* of a page in it */
};
struct bw_capture_places BW_VEC(struct bw_capture_place);

/* All of it is borrowed. */
struct bw_capture_reduction {
	/* By index of bw_capture_reader_entries. */
	const bool *kept;
	/* Index of the last one that is kept; later ones are not looked at. */
	size_t last;
	/* Buffers that are left out with their mappings; pages that are zero at first; words. All
	 * three are sorted, by buffer and then by index or offset. */
	struct bw_capture_ids gone;
	struct bw_capture_places zeroed;
	struct bw_capture_words words;
	/* By the last one's list: dispatches that do not run. NULL: all do. */
	const bool *no_dispatch;
	/* The last one's result does not say what it leaves; one that was good is left out. */
	bool no_runs;
};

/* What was written. n_pages: those that are not zero in the first record of each address space, and
 * those that later records change. */
struct bw_capture_reduced {
	uint32_t n_submissions, n_dispatches, n_buffers;
	uint64_t n_pages;
};

/* w: a new one; it gets its end, too. Pages that the capture has lost become zero. */
struct bw_error *bw_capture_reduce(struct bw_capture_reader *r,
				   const struct bw_capture_reduction *how,
				   struct bw_capture_writer *w,
				   struct bw_capture_reduced *out) BW_MUST_CHECK;

#endif
