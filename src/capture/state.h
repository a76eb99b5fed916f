/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_STATE_H
#define BW_CAPTURE_STATE_H

/* The memory of an address space at a point of a capture, made by applying records one after the
 * other. Records come from outside: an inconsistent one is an error, after which the space can only
 * be freed. */

#include "capture/capture.h"

struct bw_capture_state_buffer {
	struct bw_capture_buffer info;
	uint64_t n_pages;
	uint64_t *page; /* owned; the number of each page in the file */
};

struct bw_capture_space {
	uint32_t number;
	struct BW_VEC(struct bw_capture_state_buffer) buffers; /* by id */
	struct BW_VEC(struct bw_capture_map) maps;
	struct BW_VEC(struct bw_capture_object) objects;
	uint64_t total_b; /* of all buffers */
	uint32_t n_lost;  /* records that are damaged and were left out (bw_capture_seek) */
};
void bw_capture_space_fini(struct bw_capture_space *s);

/* NULL: there is none. */
struct bw_capture_state_buffer *bw_capture_space_buffer(const struct bw_capture_space *s,
							uint64_t id);
struct bw_error *bw_capture_space_apply(struct bw_capture_space *s,
					const struct bw_capture_submission *sub) BW_MUST_CHECK;
/* Whether they lie in buffers of the space. */
struct bw_error *bw_capture_space_check_runs(const struct bw_capture_space *s,
					     const struct bw_capture_runs *runs) BW_MUST_CHECK;
struct bw_error *bw_capture_space_apply_runs(struct bw_capture_space *s,
					     const struct bw_capture_runs *runs) BW_MUST_CHECK;
/* The first address at which this byte of the buffer is mapped; false: at none. */
bool bw_capture_space_va(const struct bw_capture_space *s, uint64_t buffer, uint64_t offset_b,
			 uint64_t *out_va);

#endif
