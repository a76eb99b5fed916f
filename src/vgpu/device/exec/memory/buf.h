/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_MEM_BUF_H
#define BW_VGPU_EXEC_MEM_BUF_H

/* Functions that plain and formatted buffer instructions share. Their records are made by
 * bw_mem_prep_begin with addr, dst and data filled. */

#include "image/format.h"
#include "vgpu/device/exec/memory/set.h"
#include "vgpu/device/exec/memory/span.h"

struct bw_buf_request {
	unsigned size_b, align_b; /* of an element */
	bool whole; /* an element is in range with all of its bytes or not at all (rule 346) */
	enum bw_access access;
};
/* Locates each active lane's element by the descriptor, index and offset. */
void bw_buf_locate(struct bw_span *s, struct bw_exec *x, struct bw_wave *w,
		   const struct bw_rec *rec, struct bw_buf_request request);

/* The format of what an instruction moves: its own in MTBUF, else the descriptor's; NULL: none. And
 * which component goes where. */
const struct bw_format *bw_buf_format(const struct bw_exec *x, const struct bw_wave *w,
				      const struct bw_inst *in, uint32_t *out_dst_sel);

/* The status register of TFE, n_dw after the first: nothing is ever partially resident in buffers
 * here (rule 352). */
void bw_buf_clear_tfe(struct bw_wave *w, const struct bw_rec *rec, unsigned n_dw);

#endif
