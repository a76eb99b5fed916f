/* SPDX-License-Identifier: MIT */
/* Encodes instructions to words: the reverse of decode.c, with the same tables. */
#include "isa/inst.h"

#include <string.h>

#include "isa/extra_words.h"
#include "isa/opcode_tables.h"

/* The words being written. */
struct encoding {
	uint32_t w[3];
	unsigned n_dw;
	bool bad; /* there is no such instruction */
};

static void more_dw(struct encoding *e, uint32_t dw)
{
	if (e->n_dw < 3)
		e->w[e->n_dw++] = dw;
	else
		e->bad = true;
}

/* Operands become source fields in their order: those without a field go out. An unused VSRC1 field
 * names v0. */
static void gather_sources(const struct bw_isa_row *row, uint16_t src[3])
{
	const bool has_vsrc1 =
		row->fmt == BW_FMT_VOP2 || row->fmt == BW_FMT_VOPC || row->fmt == BW_FMT_VOPD;
	uint16_t raw[3] = {0, has_vsrc1 ? BW_SRC_VGPR0 : 0, 0};
	unsigned n = 0;
	for (unsigned i = 0; i < row->n_src; i++)
		if (row->kind[i] != BW_OPD_IMPLIED_VCC && row->kind[i] != BW_OPD_LIT)
			raw[n++] = src[i];
	memcpy(src, raw, sizeof(raw));
}

/* Compact forms of 16-bit operands: the high half is another VGPR number. */
static void unfold_halves(const struct bw_isa_row *row, struct bw_inst *in)
{
	for (unsigned slot = 0; slot < 4; slot++) {
		uint16_t *reg = slot == 3 ? &in->dst : &in->src[slot];
		if ((row->half >> slot & 1) && (in->op_sel >> slot & 1))
			*reg += BW_VGPR_HIGH_HALF;
	}
}

static uint32_t dpp_dword(const struct bw_inst *in, bool compact)
{
	uint32_t w = 0;
	bw_words_put(&w, BW_DPP_SRC0, in->src[0] - (uint32_t)BW_SRC_VGPR0);
	if (in->dpp == BW_DPP_8) {
		bw_words_put(&w, BW_DPP8_SEL, in->dpp8_sel);
		return w;
	}
	bw_words_put(&w, BW_DPP16_CTRL, in->dpp_ctrl);
	bw_words_put(&w, BW_DPP16_FI, in->fi);
	bw_words_put(&w, BW_DPP16_BOUND_CTRL, in->bound_ctrl);
	bw_words_put(&w, BW_DPP16_BANK_MASK, in->bank_mask);
	bw_words_put(&w, BW_DPP16_ROW_MASK, in->row_mask);
	/* The 64-bit forms have neg and abs of their own. */
	for (unsigned i = 0; compact && i < 2; i++) {
		bw_words_put(&w, BW_DPP16_NEG(i), in->neg >> i);
		bw_words_put(&w, BW_DPP16_ABS(i), in->abs >> i);
	}
	return w;
}

static uint32_t scalar_number(const struct bw_isa_tables *t, uint16_t code)
{
	return code < BW_SRC_VGPR0 ? t->numbers[code] : code - (uint32_t)BW_SRC_VGPR0;
}

static uint32_t sdwa_dword(const struct bw_isa_tables *t, const struct bw_isa_row *row,
			   const struct bw_inst *in)
{
	uint32_t w = 0;
	bw_words_put(&w, BW_SDWA_SRC0, scalar_number(t, in->src[0]));
	for (unsigned i = 0; i < 2 && i < row->n_src; i++) {
		bw_words_put(&w, BW_SDWA_SEL(i), in->src_sel[i]);
		bw_words_put(&w, BW_SDWA_SEXT(i), in->sext >> i);
		bw_words_put(&w, BW_SDWA_NEG(i), in->neg >> i);
		bw_words_put(&w, BW_SDWA_ABS(i), in->abs >> i);
		bw_words_put(&w, BW_SDWA_SCALAR(i), in->src[i] < BW_SRC_VGPR0);
	}
	if (row->fmt != BW_FMT_VOPC) {
		bw_words_put(&w, BW_SDWA_DST_SEL, in->dst_sel);
		bw_words_put(&w, BW_SDWA_DST_UNUSED, in->dst_unused);
		bw_words_put(&w, BW_SDWA_CLAMP, in->clamp);
		bw_words_put(&w, BW_SDWA_OMOD, in->omod);
	} else if (in->dst != BW_SRC_VCC_LO) {
		bw_words_put(&w, BW_SDWA_SDST, t->numbers[in->dst & 127]);
		bw_words_put(&w, BW_SDWA_SD, 1);
	}
	return w;
}

static bool is_compact(const struct bw_isa_row *row)
{
	return row->fmt == BW_FMT_VOP1 || row->fmt == BW_FMT_VOP2 || row->fmt == BW_FMT_VOPC;
}

static bool is_vector(const struct bw_isa_row *row)
{
	return is_compact(row) || row->fmt == BW_FMT_VOP3 || row->fmt == BW_FMT_VOP3SD ||
	       row->fmt == BW_FMT_VOP3P || row->fmt == BW_FMT_MAI || row->fmt == BW_FMT_VINTERP ||
	       row->fmt == BW_FMT_VOPD;
}

/* Makes operands what their fields hold, and says what follows the fields. */
static void prepare_vector(const struct bw_isa_tables *t, const struct bw_isa_row *row,
			   struct bw_inst *in, struct encoding *e)
{
	if (is_compact(row))
		unfold_halves(row, in);
	if (in->dpp != BW_DPP_NONE) {
		more_dw(e, dpp_dword(in, is_compact(row)));
		in->src[0] = in->dpp == BW_DPP_16 ? BW_SRC_DPP16
			     : in->fi		  ? BW_SRC_DPP8_FI
						  : BW_SRC_DPP8;
	}
	if (in->sdwa) {
		more_dw(e, sdwa_dword(t, row, in));
		in->src[0] = BW_SRC_SDWA;
		if (in->src[1] < BW_SRC_VGPR0 && row->n_src > 1)
			in->src[1] = (uint16_t)(BW_SRC_VGPR0 + t->numbers[in->src[1]]);
	}
	if (row->dst_kind == BW_OPD_SDST && in->dst <= BW_SRC_EXEC_HI)
		in->dst = t->numbers[in->dst];
	for (unsigned i = 0; i < row->n_src; i++)
		if (row->kind[i] == BW_OPD_ACC)
			in->src[i] -= BW_SRC_ACC0 - BW_SRC_VGPR0;
	gather_sources(row, in->src);
}

static void put_half(const struct bw_isa_layout *layout, const struct bw_isa_row *row,
		     unsigned opcode, const struct bw_inst *in, struct encoding *e)
{
	uint64_t fixed = layout->value | bw_isa_fixed[row->fixed].value;
	e->w[0] |= (uint32_t)fixed | (uint32_t)opcode << layout->op_shift;
	if (layout->n_dw > 1)
		e->w[1] |= bw_hi32(fixed);
	e->bad |= !layout->put(in, e->w);
	e->w[0] &= ~(uint32_t)bw_isa_fixed[row->fixed].unused;
	e->w[1] &= ~bw_hi32(bw_isa_fixed[row->fixed].unused);
}

static const struct bw_isa_form *y_form(const struct bw_isa_tables *t, unsigned op)
{
	for (unsigned i = t->first_form[op]; i < t->first_form[op + 1]; i++)
		if (t->forms[i].is_y)
			return &t->forms[i];
	return NULL;
}

/* Whether two instructions are the same, apart from what follows from the rest. */
static bool same(const struct bw_inst *a, const struct bw_inst *b)
{
#define SAME(f) (a->f == b->f)
#define SAME_ARRAY(f) (memcmp(a->f, b->f, sizeof(a->f)) == 0)
	return SAME(op) && SAME(has_literal) && SAME(literal) && SAME(dst) && SAME(sdst) &&
	       SAME_ARRAY(src) && SAME(imm) && SAME(abs) && SAME(neg) && SAME(neg_hi) &&
	       SAME(op_sel) && SAME(op_sel_hi) && SAME(omod) && SAME(clamp) && SAME(dpp) &&
	       SAME(dpp_ctrl) && SAME(dpp8_sel) && SAME(row_mask) && SAME(bank_mask) &&
	       SAME(bound_ctrl) && SAME(fi) && SAME(sdwa) && SAME_ARRAY(src_sel) && SAME(dst_sel) &&
	       SAME(sext) && SAME(dst_unused) && SAME(cbsz) && SAME(abid) && SAME(blgp) &&
	       SAME(vaddr) && SAME(vdata) && SAME(vdata2) && SAME(saddr) && SAME(soffset) &&
	       SAME(srsrc) && SAME(ssamp) && SAME(glc) && SAME(slc) && SAME(dlc) && SAME(gds) &&
	       SAME(sve) && SAME(tfe) && SAME(lwe) && SAME(offen) && SAME(idxen) && SAME(r128) &&
	       SAME(a16) && SAME(d16) && SAME(unrm) && SAME(acc) && SAME(offset0) &&
	       SAME(offset1) && SAME(dmask) && SAME(dim) && SAME(tbuf_format) && SAME(n_nsa) &&
	       SAME_ARRAY(nsa) && SAME(exp_en) && SAME(exp_target) && SAME_ARRAY(exp_src) &&
	       SAME(exp_done) && SAME(exp_row) && SAME(wait) && SAME(attr) && SAME(attr_chan) &&
	       SAME(op_y) && SAME(dst_y) && SAME_ARRAY(src_y);
#undef SAME_ARRAY
#undef SAME
}

/* inst in one of its forms; 0: that form cannot say it. */
static size_t encode_form(enum bw_isa_gen gen, const struct bw_isa_form *form,
			  const struct bw_inst *inst, uint32_t out[3])
{
	const struct bw_isa_tables *t = &bw_isa_tables[gen];
	const struct bw_isa_row *row = &bw_isa_rows[form->row];
	const struct bw_isa_layout *layout = &t->layouts[row->fmt];
	struct encoding e = {.n_dw = layout->n_dw};
	struct bw_inst in = *inst, got;
	if (is_vector(row))
		prepare_vector(t, row, &in, &e);
	/* An immediate in a field of operand codes, which are translated: see decode.c. */
	bool raw = row->fmt == BW_FMT_SOPC && row->kind[1] == BW_OPD_IMM;
	if (raw)
		in.src[1] = 0;
	put_half(layout, row, form->opcode, &in, &e);
	if (raw)
		e.w[0] |= (uint32_t)(inst->src[1] & 0xff) << 8;
	if (row->fmt == BW_FMT_VOPD) {
		const struct bw_isa_form *y = y_form(t, in.op_y);
		if (!y)
			return 0;
		gather_sources(&bw_isa_rows[y->row], in.src_y);
		put_half(t->layout_y, &bw_isa_rows[y->row], y->opcode, &in, &e);
	}
	if (in.n_nsa) {
		e.w[0] |= 1u << layout->nsa_bit;
		uint32_t more = 0;
		for (unsigned i = 0; i < 4; i++)
			bw_words_put(&more, BW_NSA_VADDR(i), in.nsa[i]);
		more_dw(&e, more);
	}
	if (in.has_literal)
		more_dw(&e, in.literal);
	/* A value that no field can hold, or that must not be there, does not come back. */
	if (e.bad || !bw_isa_decode(gen, e.w, e.n_dw, &got) || got.fmt != row->fmt ||
	    got.size_b != 4 * e.n_dw || !same(&got, inst))
		return 0;
	memcpy(out, e.w, sizeof(e.w));
	return e.n_dw;
}

size_t bw_isa_encode(enum bw_isa_gen gen, const struct bw_inst *inst, uint32_t out[3])
{
	const struct bw_isa_tables *t = &bw_isa_tables[gen];
	for (unsigned i = t->first_form[inst->op]; i < t->first_form[inst->op + 1]; i++) {
		enum bw_fmt fmt = bw_isa_rows[t->forms[i].row].fmt;
		if (t->forms[i].is_y || (inst->fmt != BW_FMT_ILLEGAL && inst->fmt != fmt))
			continue;
		size_t n = encode_form(gen, &t->forms[i], inst, out);
		if (n)
			return n;
	}
	return 0;
}
