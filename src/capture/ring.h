/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_RING_H
#define BW_CAPTURE_RING_H

/* The last submissions of a capture, in memory. Records go in as they come; the oldest are dropped
 * when there are too many, and become the memory that the first of the others starts with. That
 * memory is known only after a submission whose result is seen (bw_capture_is_seen); so of each
 * address space, the first record that is kept is one after such a result, and more records are
 * kept than the limits say where the results of those are not seen. Writing the ring makes a
 * capture like any other, which can be replayed from its first submission.
 *
 * Records come from outside: an address space whose records make no sense is dropped from the ring,
 * with all of its submissions. One thread at a time. */

#include "capture/capture.h"
#include "capture/writer.h"

struct bw_capture_ring;

/* 0: no limit. The last submission is kept whatever it takes. */
struct bw_capture_ring_limits {
	uint64_t submissions;
	uint64_t time_ns; /* older than that, seen from the last one */
	/* Limit of memory for pages, which are stored once, and records. An address space is
	 * dropped, with all its data, after twice as much without a result. */
	uint64_t size_b;
};

struct bw_error *bw_capture_ring_new(const struct bw_capture_ring_limits *limits,
				     struct bw_capture_ring **out) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_capture_ring_free(struct bw_capture_ring *r);

/* The id of a page with this content (0: it is zero), as runs name it below. It is held for the
 * caller until bw_capture_ring_release, so that the records that name it can be added. */
struct bw_error *bw_capture_ring_page(struct bw_capture_ring *r, const void *page,
				      uint64_t *out_id) BW_MUST_CHECK;
void bw_capture_ring_release(struct bw_capture_ring *r, const uint64_t *ids, size_t n);

/* An id for the record of a pipeline (pipeline.h), as dispatches name it below; equal ones once. It
 * is kept as long as the ring is; 0: it has too many of them. */
struct bw_error *bw_capture_ring_pipeline(struct bw_capture_ring *r, const void *bytes,
					  size_t size_b, uint32_t *out_id) BW_MUST_CHECK;

/* Both move the record's contents, so that it is empty after the call, also after an error. The
 * caller holds the pages of its runs. Numbers rise. now_ns: the time of the record's arrival. */
struct bw_error *bw_capture_ring_submission(struct bw_capture_ring *r,
					    struct bw_capture_submission *s,
					    uint64_t now_ns) BW_MUST_CHECK;
/* space: of the submission, which may be dropped by now. */
struct bw_error *bw_capture_ring_result(struct bw_capture_ring *r, uint32_t space,
					const struct bw_capture_result *result,
					struct bw_capture_runs *runs) BW_MUST_CHECK;
/* No submission of the space will come any more: its memory is freed with its last record. */
void bw_capture_ring_close_space(struct bw_capture_ring *r, uint32_t space);

/* Writes all of it, oldest first, under the numbers that the submissions came with; out_n: how many
 * they are. It is empty after the call. */
struct bw_error *bw_capture_ring_write(struct bw_capture_ring *r, struct bw_capture_writer *w,
				       uint32_t *out_n) BW_MUST_CHECK;

uint32_t bw_capture_ring_kept(const struct bw_capture_ring *r); /* submissions that it holds */
uint64_t bw_capture_ring_bytes(const struct bw_capture_ring *r);

#endif
