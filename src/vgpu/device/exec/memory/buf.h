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
/* What a request to a buffer has in all of its lanes. */
struct bw_buf_use {
	bool has_index;	  /* lanes have an index; else an offset, or nothing */
	uint32_t fixed_b; /* the instruction's offset */
	uint32_t soffset;
	unsigned size_b; /* of an element */
};

/* The usual descriptors of drivers for storage and texel buffers: no swizzle, an index or an offset
 * in a register; max is the greatest of them. One comparison shows that all lanes are in range.
 * *out_base: what index * stride, or the offset, counts from. False: check each lane separately. */
static inline bool bw_buf_is_plain(const struct bw_buffer_desc *d, const struct bw_buf_use *u,
				   uint64_t max, uint64_t *out_base)
{
	uint64_t fixed_b = u->fixed_b, end_b = fixed_b + u->size_b;
	if (d->element_b || d->add_tid)
		return false;
	if (d->oob_select == BW_OOB_INDEX || d->oob_select == BW_OOB_STRUCTURED) {
		if ((u->has_index ? max : 0) >= d->n_records)
			return false;
		if (d->oob_select == BW_OOB_STRUCTURED &&
		    (u->has_index ? 0 : max) + end_b > d->stride_b)
			return false;
	} else if (d->oob_select == BW_OOB_NONE && !d->n_records) {
		return false;
	}
	if (u->has_index)
		max *= d->stride_b;
	bool by_bytes = d->oob_select == BW_OOB_RAW || d->oob_select == BW_OOB_BYTES;
	if (by_bytes && max + end_b + u->soffset > d->n_records)
		return false;
	/* Bit 47 of a base makes it one in the upper half of the address space. */
	uint64_t base = bw_canonical(d->base + u->soffset + fixed_b);
	*out_base = base;
	return max + fixed_b + u->soffset <= UINT32_MAX &&
	       bw_canonical(base + max + u->size_b) == base + max + u->size_b;
}

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
