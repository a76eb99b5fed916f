/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/compile/rows.h"

#include <string.h>

#include "base/util.h"
#include "vgpu/device/exec/compile/memory.h"
#include "vgpu/device/exec/core/build.h"
#include "vgpu/device/exec/core/exec_priv.h"

enum { SOURCES = 3 };

/* How a lane-wise row gets a source. */
struct source {
	enum bw_src_form form;
	uint8_t base; /* enum bw_base of the record: where it lies before it is made ready for X */
	bool is_signed; /* NEG or ABS */
	uint32_t keep, flip;
	unsigned size_b;
	uint32_t at; /* V: from vgpr, for the first half; a scalar register: from w */
	uint64_t konst;
};

struct plan {
	const struct bw_rec *rec;
	const struct bw_map_row *row;
	unsigned lanes;
	struct source src[SOURCES];
	bool takes_mask, gives_mask;
	uint32_t mask_in, mask_out; /* from w, for the first half */
};

static uint32_t scalar_at(unsigned code)
{
	return (uint32_t)(offsetof(struct bw_wave, s) + sizeof(uint32_t) * code);
}

/* False: not one that a stencil can have. */
static bool plan_source(struct plan *p, unsigned i)
{
	const struct bw_rec *rec = p->rec;
	const struct bw_inst *inst = rec->inst;
	enum bw_row_type type = p->row->src[i];
	struct source *s = &p->src[i];
	*s = (struct source){.base = rec->base[1 + i], .size_b = bw_type_bits(type) / 8};
	s->is_signed = ((inst->abs | inst->neg) >> i & 1) && bw_type_is_float(type);
	s->keep = inst->abs >> i & 1 ? INT32_MAX : UINT32_MAX;
	s->flip = inst->neg >> i & 1 ? 1u << 31 : 0;
	if (s->is_signed && s->size_b != 4)
		return false;
	s->form = s->is_signed ? BW_SRC_FORM_X : BW_SRC_FORM_V;
	if (s->base == BW_BASE_VGPR) {
		s->at = (uint32_t)rec->off[1 + i];
	} else if (s->base == BW_BASE_ABS) {
		memcpy(&s->konst, (const void *)(uintptr_t)rec->off[1 + i], s->size_b);
		s->form = i == 0 && !s->is_signed ? BW_SRC_FORM_K : BW_SRC_FORM_X;
	} else if (s->base == BW_BASE_BCAST) {
		unsigned code = inst->src[i];
		if (code == BW_SRC_SCC && s->size_b != 4)
			return false;
		s->at = code == BW_SRC_SCC ? (uint32_t)offsetof(struct bw_wave, scc)
					   : scalar_at(s->size_b == 8 ? code & ~1u : code);
		/* The mask of the first half could go to the register that the second one reads. */
		bool is_direct = i == 0 && !s->is_signed && !(p->gives_mask && p->lanes == 64);
		s->form = is_direct ? BW_SRC_FORM_S : BW_SRC_FORM_X;
	} else {
		return false;
	}
	return true;
}

static bool plan_mask_out(struct plan *p, struct bw_exec *x)
{
	const struct bw_rec *rec = p->rec;
	unsigned code = rec->inst->sdst;
	bool is_dropped = code == BW_SRC_NULL ||
			  (code >= BW_SRC_TTMP0 && code < BW_SRC_NULL && !x->code.page->ctx.priv);
	switch ((enum bw_shape)p->row->shape) {
	case BW_SHAPE_CMP:
	case BW_SHAPE_CMPX:
		p->gives_mask = true;
		p->mask_out = (uint32_t)rec->off[0];
		return rec->base[0] == BW_BASE_WAVE;
	case BW_SHAPE_CARRY:
		if (p->row->n_src == SOURCES) /* v_mad_u64_u32, whose stencil has no mask */
			return is_dropped;
		p->gives_mask = true;
		p->mask_out = is_dropped ? (uint32_t)offsetof(struct bw_wave, null_dst)
					 : scalar_at(p->lanes == 64 ? code & ~1u : code);
		return true;
	case BW_SHAPE_MAP:
	case BW_SHAPE_SEL:
		return true;
	case BW_SHAPE_PACKED:
		return false;
	}
	return false;
}

static bool plan_mask_in(struct plan *p)
{
	const struct bw_rec *rec = p->rec;
	unsigned slot = 1u + p->row->n_src;
	p->takes_mask = p->row->takes_mask;
	if (p->row->vcc_mask)
		p->mask_in = scalar_at(BW_SRC_VCC_LO);
	else if (p->takes_mask && rec->base[slot] == BW_BASE_WAVE)
		p->mask_in = (uint32_t)rec->off[slot];
	else if (p->takes_mask)
		return false; /* a constant, which nobody writes */
	return true;
}

static bool get_stencil(const struct plan *p, bool masked, struct bw_stencil *out)
{
	enum bw_src_form form[SOURCES] = {BW_SRC_FORM_V, BW_SRC_FORM_V, BW_SRC_FORM_V};
	for (unsigned i = 0; i < p->row->n_src; i++)
		form[i] = p->src[i].form;
	return bw_stencil_row(p->row, form, masked, out);
}

/* The same, with sources that are the last result taken from there if there is a stencil for it. */
static bool get_stencil_after(const struct plan *p, unsigned half, bool masked, uint32_t result,
			      struct bw_stencil *out)
{
	enum bw_src_form form[SOURCES] = {BW_SRC_FORM_V, BW_SRC_FORM_V, BW_SRC_FORM_V};
	bool any = false;
	for (unsigned i = 0; i < p->row->n_src; i++) {
		const struct source *s = &p->src[i];
		bool is_last = s->form == BW_SRC_FORM_V && s->size_b == 4 &&
			       s->at + half * BW_HALF_B == result;
		form[i] = is_last ? BW_SRC_FORM_P : s->form;
		any |= is_last;
	}
	return (any && bw_stencil_row(p->row, form, masked, out)) || get_stencil(p, masked, out);
}

/* Whether a row has its stencils, and in which forms of its sources. */
static bool plan_row(struct plan *p, struct bw_exec *x, const struct bw_rec *rec)
{
	struct bw_stencil no_matter;
	*p = (struct plan){.rec = rec, .row = rec->map, .lanes = x->code.page->ctx.lanes};
	if (p->row->n_src > SOURCES || !plan_mask_out(p, x) || !plan_mask_in(p))
		return false;
	for (unsigned i = 0; i < p->row->n_src; i++)
		if (!plan_source(p, i))
			return false;
	if (!get_stencil(p, false, &no_matter))
		p->src[0].form = p->src[0].base == BW_BASE_VGPR ? p->src[0].form : BW_SRC_FORM_X;
	return get_stencil(p, false, &no_matter) && get_stencil(p, true, &no_matter);
}

static const struct bw_rec *second(const struct bw_rec *rec)
{
	return &BW_CONTAINER_OF(rec->inst, const struct bw_dual, inst)->y;
}

static bool reads(const struct bw_rec *rec, const struct bw_rec *written)
{
	for (unsigned i = 0; i < rec->map->n_src; i++)
		if (rec->base[1 + i] == BW_BASE_VGPR && rec->off[1 + i] == written->off[0])
			return true;
	return false;
}

static bool has_row(struct bw_exec *x, const struct bw_rec *rec)
{
	struct plan p;
	return plan_row(&p, x, rec);
}

/* A constant of a scalar row is a number of 32 bits in the code, sign-extended. */
static bool has_scalar(const struct bw_rec *rec)
{
	const struct bw_scalar_row *row = rec->scalar;
	struct bw_stencil no_matter;
	for (unsigned i = 0; i < BW_ARRAY_SIZE(row->src); i++) {
		int64_t value = (int64_t)rec->off[1 + i];
		bool is_wide = bw_type_bits((enum bw_row_type)row->src[i]) == 64;
		if (rec->form >> i & 1 && is_wide && value != (int32_t)value)
			return false;
	}
	return bw_stencil_scalar(row, rec->form, &no_matter);
}

enum bw_row_kind bw_rows_kind(struct bw_exec *x, const struct bw_rec *rec, bw_handler *fn)
{
	if (fn == bw_h_nop)
		return BW_ROW_NOTHING;
	switch (bw_exec_sem(rec->inst->op)->kind) {
	case BW_SEM_MAP: {
		const struct bw_map_row *row = rec->map;
		if (!row) /* a wave without VGPRs */
			return BW_ROW_NONE;
		bool is_plain = fn == x->rows->plain || fn == bw_h_map64 ||
				(fn && (fn == row->fast || fn == row->fast_v || fn == row->fast_s));
		return is_plain && has_row(x, rec) ? BW_ROW_MAP : BW_ROW_NONE;
	}
	case BW_SEM_DUAL: {
		if (fn != bw_h_dual)
			return BW_ROW_NONE;
		const struct bw_rec *y = second(rec);
		bool is_circle = reads(y, rec) && reads(rec, y);
		return !is_circle && has_row(x, rec) && has_row(x, y) ? BW_ROW_DUAL : BW_ROW_NONE;
	}
	case BW_SEM_SCALAR:
		return fn == rec->scalar->fn[rec->form] && has_scalar(rec) ? BW_ROW_SCALAR
									   : BW_ROW_NONE;
	case BW_SEM_MEM:
		return fn == bw_h_mem && bw_memory_can(rec, &x->code.page->ctx) ? BW_ROW_MEMORY
										: BW_ROW_NONE;
	case BW_SEM_NONE:
	case BW_SEM_WAVE:
	case BW_SEM_ABSENT:
		return BW_ROW_NONE;
	}
	return BW_ROW_NONE;
}

static bool covers_exec(uint64_t at, unsigned size_b)
{
	return at < scalar_at(BW_SRC_EXEC_HI + 1) && at + size_b > scalar_at(BW_SRC_EXEC_LO);
}

enum bw_exec_write bw_rows_exec_write(const struct bw_rec *rec, enum bw_row_kind kind)
{
	if (kind == BW_ROW_SCALAR) {
		if (rec->scalar->form == BW_SCALAR_EXEC)
			return BW_EXEC_NARROWED;
		bool is_set = rec->scalar->dst != BW_T_NONE && covers_exec(rec->off[0], 8);
		return is_set ? BW_EXEC_SET : BW_EXEC_KEPT;
	}
	if (kind != BW_ROW_MAP)
		return BW_EXEC_KEPT;
	enum bw_shape shape = rec->map->shape;
	bool is_cmp = shape == BW_SHAPE_CMP || shape == BW_SHAPE_CMPX;
	if (is_cmp && covers_exec(rec->off[0], 8))
		return BW_EXEC_NARROWED;
	bool is_set = shape == BW_SHAPE_CARRY && covers_exec(scalar_at(rec->inst->sdst & ~1u), 8);
	return is_set ? BW_EXEC_SET : BW_EXEC_KEPT;
}

/* ---- machine code ---- */

static uint32_t x_at(unsigned i)
{
	return (uint32_t)(offsetof(struct bw_exec, src) +
			  i * sizeof(((struct bw_exec *)NULL)->src[0]));
}

/* What all lanes have in common, once for both halves. */
static void spread(struct bw_emit *e, const struct source *s, unsigned i)
{
	if (s->form != BW_SRC_FORM_X || s->base == BW_BASE_VGPR)
		return;
	e->value[BW_HOLE_D] = x_at(i);
	e->value[BW_HOLE_A] = s->at;
	e->konst = s->konst;
	if (s->base == BW_BASE_ABS)
		bw_emit_part(e, s->size_b == 8 ? BW_PART_SPREAD_K64 : BW_PART_SPREAD_K32);
	else
		bw_emit_part(e, s->size_b == 8 ? BW_PART_SPREAD_S64 : BW_PART_SPREAD_S32);
	e->value[BW_HOLE_KEEP] = s->keep;
	e->value[BW_HOLE_FLIP] = s->flip;
	if (s->is_signed)
		bw_emit_part(e, BW_PART_SIGN_X);
}

static void put_sign(struct bw_emit *e, const struct source *s, unsigned i, unsigned half)
{
	if (!s->is_signed || s->base != BW_BASE_VGPR)
		return;
	e->value[BW_HOLE_D] = x_at(i);
	e->value[BW_HOLE_A] = s->at + half * BW_HALF_B;
	e->value[BW_HOLE_KEEP] = s->keep;
	e->value[BW_HOLE_FLIP] = s->flip;
	bw_emit_part(e, BW_PART_SIGN_V);
}

static void set_source(struct bw_emit *e, const struct plan *p, unsigned i, unsigned half)
{
	const struct source *s = &p->src[i];
	uint32_t at = s->form == BW_SRC_FORM_X	 ? x_at(i)
		      : s->form == BW_SRC_FORM_V ? s->at + half * BW_HALF_B
						 : s->at;
	e->value[BW_HOLE_A + 2 * i] = at;
	e->value[BW_HOLE_AH + 2 * i] = at + p->lanes * (uint32_t)sizeof(uint32_t);
	if (s->form == BW_SRC_FORM_K)
		e->konst = s->konst;
}

static void put_half(struct bw_emit *e, const struct plan *p, unsigned half, bool masked)
{
	struct bw_stencil stencil;
	uint32_t at = (uint32_t)p->rec->off[0] + half * BW_HALF_B;
	for (unsigned i = 0; i < p->row->n_src; i++)
		put_sign(e, &p->src[i], i, half);
	for (unsigned i = 0; i < p->row->n_src; i++)
		set_source(e, p, i, half);
	e->value[BW_HOLE_D] = at;
	e->value[BW_HOLE_DH] = at + p->lanes * (uint32_t)sizeof(uint32_t);
	e->value[BW_HOLE_M] = p->mask_in + half * (uint32_t)sizeof(uint32_t);
	e->value[BW_HOLE_N] = p->mask_out + half * (uint32_t)sizeof(uint32_t);
	e->value[BW_HOLE_EXEC] = scalar_at(BW_SRC_EXEC_LO + half);
	e->value[BW_HOLE_LANE0] = half * BW_LANES;
	bool is_stored = p->row->dst != BW_T_NONE;
	if (masked && is_stored && e->half != half) {
		bw_emit_part(e, BW_PART_LANES);
		e->half = half;
	}
	if (get_stencil_after(p, half, masked, e->result, &stencil))
		bw_emit_stencil(e, &stencil);
	unsigned bits = bw_type_bits((enum bw_row_type)p->row->dst);
	if (bits == 32)
		e->result = at;
	else if (bits == 64 && (e->result == at || e->result == e->value[BW_HOLE_DH]))
		e->result = BW_NO_RESULT;
}

static void put_row(struct bw_emit *e, struct bw_exec *x, const struct bw_rec *rec, bool masked)
{
	struct plan p;
	if (!plan_row(&p, x, rec)) {
		e->is_too_large = true; /* cannot be: bw_rows_kind has asked the same */
		return;
	}
	for (unsigned i = 0; i < p.row->n_src; i++)
		spread(e, &p.src[i], i);
	/* First the half that has the last result; lanes know nothing of each other. */
	unsigned n = p.lanes / BW_LANES;
	unsigned first = n == 2 && e->result != BW_NO_RESULT && e->result % (2 * BW_HALF_B) != 0;
	for (unsigned i = 0; i < n; i++)
		put_half(e, &p, first ^ i, masked);
}

/* Both read their sources before either writes: what reads the other's result goes first. */
static void put_dual(struct bw_emit *e, struct bw_exec *x, const struct bw_rec *rec, bool masked)
{
	const struct bw_rec *y = second(rec);
	bool y_first = reads(y, rec);
	put_row(e, x, y_first ? y : rec, masked);
	put_row(e, x, y_first ? rec : y, masked);
}

static void put_scalar(struct bw_emit *e, const struct bw_rec *rec)
{
	struct bw_stencil stencil;
	e->value[BW_HOLE_D] = (uint32_t)rec->off[0];
	e->value[BW_HOLE_A] = (uint32_t)rec->off[1];
	e->value[BW_HOLE_B] = (uint32_t)rec->off[2];
	if (bw_stencil_scalar(rec->scalar, rec->form, &stencil))
		bw_emit_stencil(e, &stencil);
}

void bw_rows_emit(struct bw_emit *e, struct bw_exec *x, const struct bw_rec *rec,
		  enum bw_row_kind kind, bool masked)
{
	switch (kind) {
	case BW_ROW_NONE:
	case BW_ROW_NOTHING:
		break;
	case BW_ROW_MAP:
		put_row(e, x, rec, masked);
		break;
	case BW_ROW_DUAL:
		put_dual(e, x, rec, masked);
		break;
	case BW_ROW_SCALAR:
		put_scalar(e, rec);
		break;
	case BW_ROW_MEMORY:
		bw_memory_emit(e, rec, &x->code.page->ctx, masked);
		break;
	}
	if (bw_rows_exec_write(rec, kind) != BW_EXEC_KEPT)
		e->half = BW_NO_HALF;
}
