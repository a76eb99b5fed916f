/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_READER_H
#define BW_CAPTURE_READER_H

/* Reads a capture file. Opening reads the headers of blocks alone, no page; what a block holds is
 * read when it is asked for. A file that was cut off, or is being written, opens to its last whole
 * block; after damage the next whole block is looked for. One thread at a time. */

#include "capture/file.h"
#include "capture/pipeline.h"

struct bw_capture_reader;

/* One submission of the file, as its blocks' summaries have it. */
struct bw_capture_entry {
	struct bw_capture_summary summary;
	bool has_result; /* false: the file was cut off, or its program was killed, while it ran */
	struct bw_capture_result result;
	/* the reader's: where the bodies lie */
	uint64_t at, result_at;
};

struct bw_error *bw_capture_reader_open(const char *path,
					struct bw_capture_reader **out) BW_MUST_CHECK;
/* fd: taken. name: for messages. */
struct bw_error *bw_capture_reader_of(int fd, const char *name,
				      struct bw_capture_reader **out) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_capture_reader_close(struct bw_capture_reader *r);

const struct bw_capture_device *bw_capture_reader_device(const struct bw_capture_reader *r);
uint32_t bw_capture_reader_version(const struct bw_capture_reader *r); /* of the file */
uint64_t bw_capture_reader_size(const struct bw_capture_reader *r);    /* bytes of the file */
uint64_t bw_capture_reader_pages(const struct bw_capture_reader *r);
/* All entries in the order of the file, with rising numbers; borrowed. */
const struct bw_capture_entry *bw_capture_reader_entries(const struct bw_capture_reader *r,
							 size_t *out_n);
/* Whether its last block is there. */
bool bw_capture_reader_is_whole(const struct bw_capture_reader *r);
/* Bytes that were skipped because they are not a block; 0: no damage was seen. */
uint64_t bw_capture_reader_skipped_b(const struct bw_capture_reader *r);

/* out: empty; the caller frees it. */
struct bw_error *bw_capture_reader_submission(struct bw_capture_reader *r,
					      const struct bw_capture_entry *e,
					      struct bw_capture_submission *out) BW_MUST_CHECK;
/* Reads the changes by the GPU. The entry must have a result. */
struct bw_error *bw_capture_reader_result(struct bw_capture_reader *r,
					  const struct bw_capture_entry *e,
					  struct bw_capture_runs *out) BW_MUST_CHECK;
/* The record of a pipeline by its number. BW_E_NOT_FOUND: the capture does not have it. out: empty;
 * the caller frees it. */
struct bw_error *bw_capture_reader_pipeline(struct bw_capture_reader *r, uint32_t number,
					    struct bw_capture_pipeline *out) BW_MUST_CHECK;
/* BW_CAPTURE_PAGE_B bytes; page 0 is zero. */
struct bw_error *bw_capture_reader_page(struct bw_capture_reader *r, uint64_t page,
					void *out) BW_MUST_CHECK;

#endif
