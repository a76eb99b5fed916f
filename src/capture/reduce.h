/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_REDUCE_H
#define BW_CAPTURE_REDUCE_H

/* Writes a capture that is a part of another one: some of its submissions, with less memory. The
 * memory that a removed submission leaves becomes the memory that the next one starts with. */

#include "capture/reader.h"
#include "capture/writer.h"

/* A dword that is another one before the last submission. */
struct bw_capture_word {
	uint64_t buffer, offset_b;
	uint32_t value;
};
struct bw_capture_words BW_VEC(struct bw_capture_word);

/* Buffer ids and places of pages, in the address space of the last submission. */
struct bw_capture_ids BW_VEC(uint64_t);
struct bw_capture_place {
	uint64_t buffer, index; /* of a page in it */
};
struct bw_capture_places BW_VEC(struct bw_capture_place);

/* The parts of a capture to keep. All pointers are borrowed. */
struct bw_capture_reduction {
	/* Which submissions are kept, by index of bw_capture_reader_entries. */
	const bool *kept;
	/* Index of the last kept submission; later ones are ignored. */
	size_t last;
	/* Buffers that are left out with their mappings; pages that are zero at first; words. All
	 * three are sorted, by buffer and then by index or offset. */
	struct bw_capture_ids gone;
	struct bw_capture_places zeroed;
	struct bw_capture_words words;
	/* Which dispatches of the last submission's list do not run. NULL: all run. */
	const bool *no_dispatch;
	/* The last one's result does not say what it leaves; one that was good is left out. */
	bool no_runs;
};

/* The size of the written capture. n_pages: pages that are not zero in the first record of each
 * address space, and pages that later records change. */
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
