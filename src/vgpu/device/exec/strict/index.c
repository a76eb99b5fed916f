/* SPDX-License-Identifier: MIT */
/* v_movrel and s_movrel: M0 says which registers they use, when they are executed (rules 36 to 38,
 * 43). The same of gfx942's VALU while its VGPRs are indexed. */
#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/strict/effects.h"

enum { SRC = 1, DST = 2, TWO = 4 /* M0 has one index for each */ };

static unsigned kind_of(unsigned op)
{
	switch ((int)op) {
	case BW_OP_V_MOVRELS_B32:
	case BW_OP_S_MOVRELS_B32:
	case BW_OP_S_MOVRELS_B64:
		return SRC;
	case BW_OP_V_MOVRELD_B32:
	case BW_OP_S_MOVRELD_B32:
	case BW_OP_S_MOVRELD_B64:
		return DST;
	case BW_OP_V_MOVRELSD_B32:
		return SRC | DST;
	case BW_OP_V_MOVRELSD_2_B32:
	case BW_OP_S_MOVRELSD_2_B32:
		return SRC | DST | TWO;
	default:
		return 0;
	}
}

bool bw_effects_are_indexed(unsigned op)
{
	return kind_of(op) != 0;
}

static void index_vgprs(struct bw_effects *e, const struct bw_wave *w, unsigned kind, uint32_t src,
			uint32_t dst)
{
	unsigned n_vgprs = BW_MIN((unsigned)w->n_vgprs, (unsigned)BW_STRICT_VGPRS);
	if (kind & SRC && e->n_reads) {
		uint64_t to = (uint64_t)e->read[0].first + src;
		e->read[0].first = to < n_vgprs ? (uint16_t)to : 0;
	}
	if (kind & DST && e->n_writes) {
		uint64_t to = (uint64_t)e->write[0].first + dst;
		e->write[0].first = (uint16_t)to;
		e->n_writes = to < n_vgprs;
	}
}

static void index_sgprs(struct bw_inst *inst, struct bw_effects *e, const struct bw_wave *w,
			unsigned kind, uint32_t src, uint32_t dst)
{
	unsigned n = BW_MAX(1u, (unsigned)e->sdw[0]);
	if (kind & SRC) {
		inst->src[0] = (uint16_t)bw_sgpr_indexed(w, inst->src[0], src, n, 0);
		e->sread = e->data = (struct bw_sregs){0};
		bw_sregs_add(&e->sread, BW_SRC_M0, 1);
		bw_sregs_add(&e->sread, inst->src[0], n);
		bw_sregs_add(&e->data, inst->src[0], n);
	}
	if (kind & DST) {
		inst->dst = (uint16_t)bw_sgpr_indexed(w, inst->dst, dst, n, BW_SRC_NULL);
		e->swrite = (struct bw_sregs){0};
		if (inst->dst != BW_SRC_NULL)
			bw_sregs_add(&e->swrite, inst->dst, n);
	}
}

void bw_effects_index(struct bw_inst *inst, struct bw_effects *e, const struct bw_wave *w)
{
	unsigned kind = kind_of(inst->op);
	uint32_t m0 = w->s[BW_SRC_M0];
	uint32_t src = kind & TWO ? (uint32_t)bw_words_get(&m0, BW_M0_INDEX_SRC) : m0,
		 dst = kind & TWO ? (uint32_t)bw_words_get(&m0, BW_M0_INDEX_DST) : m0;
	if (e->unit == BW_UNIT_VALU)
		index_vgprs(e, w, kind, src, dst);
	else if (e->unit == BW_UNIT_SALU)
		index_sgprs(inst, e, w, kind, src, dst);
}

void bw_effects_index9(const struct bw_op_info *info, struct bw_effects *e, const struct bw_wave *w)
{
	enum { OF_DST = 8 };
	const uint32_t m0 = w->s[BW_SRC_M0], index = m0 & 0xff, enable = m0 >> 12 & 15;
	for (unsigned i = 0; i < e->n_reads; i++) {
		struct bw_vregs *r = &e->read[i];
		bool is_dst = r->src < info->n_src && info->src[r->src].is_dst;
		if (enable & (is_dst ? OF_DST : 1u << r->src))
			r->first = (uint16_t)(r->first + index);
		if (r->first + r->n > w->n_vgprs)
			r->first = 0;
	}
	if (!e->n_writes || !(enable & OF_DST))
		return;
	e->write[0].first = (uint16_t)(e->write[0].first + index);
	if (e->write[0].first + e->write[0].n > w->n_vgprs) /* nothing happens */
		e->n_writes = 0;
}
