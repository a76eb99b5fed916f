/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_SEEK_H
#define BW_CAPTURE_SEEK_H

/* Memory as a capture has it before one of its submissions. */

#include "capture/reader.h"
#include "capture/state.h"

/* The index of the submission with this number; BW_E_NOT_FOUND names it. */
struct bw_error *bw_capture_find(const struct bw_capture_reader *r, uint64_t number,
				 size_t *out_index) BW_MUST_CHECK;
/* Whether the capture has the memory before submission `index`. A capture from a ring may not have
 * it, if memory was not read after the submission before. Then bw_capture_seek lacks what
 * submissions have written since memory was last read. */
bool bw_capture_knows_before(const struct bw_capture_reader *r, size_t index);
/* The address space of submission `index` (of bw_capture_reader_entries) as it is before that, and
 * its record. Both: empty; the caller frees them, after an error, too. Earlier records that are
 * damaged are left out, and counted in out_space->n_lost. */
struct bw_error *bw_capture_seek(struct bw_capture_reader *r, size_t index,
				 struct bw_capture_space *out_space,
				 struct bw_capture_submission *out) BW_MUST_CHECK;
/* BW_E_FAULT: an address that is not mapped to a buffer. */
struct bw_error *bw_capture_read(struct bw_capture_reader *r, const struct bw_capture_space *s,
				 uint64_t va, void *out, size_t size_b) BW_MUST_CHECK;

#endif
