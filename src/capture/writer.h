/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_WRITER_H
#define BW_CAPTURE_WRITER_H

/* Writes a capture file, from its start to its end, never backwards: it can be a pipe, and what is
 * there when the writer is killed opens to the last whole submission. */

#include "capture/file.h"

struct bw_capture_writer;

/* fd: borrowed. */
struct bw_error *bw_capture_writer_create(int fd, const struct bw_capture_device *device,
					  struct bw_capture_writer **out) BW_MUST_CHECK;
/* Frees it, without an END. Accepts NULL. */
void bw_capture_writer_free(struct bw_capture_writer *w);

/* The number of a page with this content: it is stored unless an equal one was, or it is zero
 * (number 0). */
struct bw_error *bw_capture_writer_page(struct bw_capture_writer *w, const void *page,
					uint64_t *out_number) BW_MUST_CHECK;
/* Pages that they refer to are in the file before them. */
struct bw_error *bw_capture_writer_submission(struct bw_capture_writer *w,
					      const struct bw_capture_submission *s) BW_MUST_CHECK;
struct bw_error *bw_capture_writer_result(struct bw_capture_writer *w,
					  const struct bw_capture_result *r,
					  const struct bw_capture_runs *runs) BW_MUST_CHECK;
struct bw_error *bw_capture_writer_end(struct bw_capture_writer *w) BW_MUST_CHECK;
/* The number of a pipeline's record (pipeline.h), which is written unless an equal one was; 0: the
 * capture has as many as it can hold. */
struct bw_error *bw_capture_writer_pipeline(struct bw_capture_writer *w, const void *bytes,
					    size_t size_b, uint32_t *out_number) BW_MUST_CHECK;
uint64_t bw_capture_writer_bytes(const struct bw_capture_writer *w); /* written so far */

#endif
