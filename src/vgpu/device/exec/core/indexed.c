/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/core/indexed.h"

#include "isa/ops.h"
#include "vgpu/device/exec/core/build.h"

/* M0 of indexed VGPRs: AMD's ISA manual of CDNA3, s_set_gpr_idx_on. */
enum { SRC0 = 1, SRC1 = 2, SRC2 = 4, DST = 8 };

/* The index on top of each operand of a lane-wise instruction. False: the destination is out of
 * range, nothing happens. Sources out of range are v0, as they are where their numbers say so. */
static bool add_index(struct bw_rec *r, const struct bw_wave *w, const struct bw_exec *x)
{
	const uint32_t index = w->s[BW_SRC_M0] & 0xff, enable = w->s[BW_SRC_M0] >> 12 & 15;
	const uint64_t reg_b = w->lanes * 4u;
	const struct bw_map_row *row = r->map;
	for (unsigned i = 0; i <= row->n_src; i++) {
		/* An accumulator is the destination, wherever that is [I]. */
		bool is_dst = i == 0 || (row->reads_dst && i == row->n_src);
		enum bw_row_type t = (enum bw_row_type)(i ? row->src[i - 1] : row->dst);
		unsigned n = bw_type_bits(t) == 64 ? 2 : 1;
		if (r->base[i] != BW_BASE_VGPR || !(enable & (is_dst ? DST : 1u << (i - 1))))
			continue;
		r->off[i] += index * reg_b;
		if (r->off[i] / reg_b + n <= x->code.page->ctx.n_vgprs)
			continue;
		if (i == 0)
			return false;
		r->off[i] = 0;
	}
	return true;
}

const struct bw_rec *bw_run_indexed(const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x)
{
	uint8_t *vgpr = (uint8_t *)w->v;
	struct bw_code_page *page = x->code.page;
	struct bw_rec *r = &page->rec[rec - page->rec];
	if (r->fn == bw_h_decode)
		bw_decode(r, w, x);
	enum bw_sem_kind kind = bw_exec_sem(r->inst ? r->inst->op : BW_OP_ILLEGAL)->kind;
	bool named = kind == BW_SEM_WAVE && bw_exec_sem(r->inst->op)->wave->form == BW_WAVE_VECTOR;
	if (r->fn == bw_h_next_page || (kind != BW_SEM_MAP && !named) || r->fn == bw_h_illegal ||
	    r->fn == bw_h_nop)
		return r->fn(r, w, x, x->left, vgpr);
	const struct bw_rec saved = *r;
	const struct bw_rec *next;
	if (named) { /* those do not take their operands from the record */
		r->why = "gfx9: indexed VGPRs of this instruction";
		next = bw_h_absent(r, w, x, x->left, vgpr);
	} else if (add_index(r, w, x)) {
		next = r->fn(r, w, x, x->left, vgpr);
	} else {
		next = bw_h_nop(r, w, x, x->left, vgpr);
	}
	*r = saved;
	return next;
}
