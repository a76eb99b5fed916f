/* SPDX-License-Identifier: MIT */

/* Lane-wise rows in the general case: both wave sizes, 16-, 32- and 64-bit operands, modifiers and
 * DPP at operand fetch and at write-back. The rows themselves know nothing of it. */

#include <string.h>

#include "base/float_bits.h"
#include "base/util.h"
#include "vgpu/device/exec/core/build.h"
#include "vgpu/device/exec/alu/excp.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/core/hwreg.h"
#include "vgpu/device/exec/alu/lane_half.h"

/* Operands of a row while a half of a wave is executed. */
struct fetch {
	const struct bw_rec *rec;
	const struct bw_inst *inst;
	const struct bw_wave *w;
	struct bw_exec *x;
	unsigned half;
	const struct bw_dpp_lanes *dpp; /* of src0, or NULL */
	uint32_t valid;			/* lanes whose DPP source can be read */
};

bool bw_type_is_float(enum bw_row_type t)
{
	return t == BW_T_F32 || t == BW_T_N32 || t == BW_T_B32 || t == BW_T_F64 || t == BW_T_N64 ||
	       t == BW_T_F16 || t == BW_T_B16 || t == BW_T_BF16;
}

static const uint8_t *vgpr_half(const struct fetch *f, unsigned slot)
{
	return f->x->base[BW_BASE_VGPR] + f->rec->off[slot] + f->half * BW_HALF_B;
}

static uint64_t scalar_value(const struct fetch *f, unsigned i, unsigned bits)
{
	unsigned code = f->inst->src[i];
	if (code == BW_SRC_SCC)
		return f->w->scc;
	if (bits == 64)
		return bw_wave_s64(f->w, code & ~1u);
	return f->w->s[code];
}

static const void *fetch16(const struct fetch *f, unsigned i)
{
	uint16_t *out = (uint16_t *)f->x->src[i];
	/* An accumulator is in the half that the result goes to: rule 73. */
	bool is_dst = f->rec->map->reads_dst && i + 1u == f->rec->map->n_src;
	unsigned shift = f->inst->op_sel >> (is_dst ? 3 : i) & 1 ? 16 : 0;
	if (f->rec->base[1 + i] == BW_BASE_VGPR) {
		const uint32_t *v = (const uint32_t *)vgpr_half(f, 1 + i);
		for (unsigned l = 0; l < BW_LANES; l++)
			out[l] = (uint16_t)(v[l] >> shift);
		return out;
	}
	if (f->rec->base[1 + i] == BW_BASE_ABS)
		return (const void *)(uintptr_t)f->rec->off[1 + i];
	uint16_t v = (uint16_t)(scalar_value(f, i, 32) >> shift);
	for (unsigned l = 0; l < BW_LANES; l++)
		out[l] = v;
	return out;
}

static const void *fetch32(const struct fetch *f, unsigned i)
{
	if (f->rec->base[1 + i] == BW_BASE_VGPR)
		return vgpr_half(f, 1 + i);
	return f->x->base[f->rec->base[1 + i]] + f->rec->off[1 + i];
}

static const void *fetch64(const struct fetch *f, unsigned i)
{
	uint64_t *out = f->x->src[i];
	if (f->rec->base[1 + i] == BW_BASE_VGPR) {
		const uint32_t *lo = (const uint32_t *)vgpr_half(f, 1 + i);
		const uint32_t *hi = lo + f->w->lanes;
		for (unsigned l = 0; l < BW_LANES; l++)
			out[l] = lo[l] | (uint64_t)hi[l] << 32;
		return out;
	}
	if (f->rec->base[1 + i] == BW_BASE_ABS)
		return (const void *)(uintptr_t)f->rec->off[1 + i];
	uint64_t v = scalar_value(f, i, 64);
	for (unsigned l = 0; l < BW_LANES; l++)
		out[l] = v;
	return out;
}

static const void *fetch_part(const struct fetch *f, unsigned i, unsigned bits)
{
	unsigned from_bits = f->rec->base[1 + i] == BW_BASE_ABS ? bits : 32;
	bw_sdwa_take(f->inst, i, fetch32(f, i), from_bits, f->x->src[i], bits);
	return f->x->src[i];
}

/* DPP of gfx942: lanes from anywhere in the wave. */
static void fetch_far(const struct bw_rec *rec, const struct bw_wave *w, struct bw_exec *x)
{
	const uint32_t *v = (const uint32_t *)BW_OPERAND(1);
	bool wide = bw_type_bits((enum bw_row_type)rec->map->src[0]) == 64;
	memcpy(x->far[0], v, sizeof(x->far[0]));
	if (wide)
		memcpy(x->far[1], v + w->lanes, sizeof(x->far[1]));
}

static const void *permute_far(const struct fetch *f, unsigned i, unsigned bits)
{
	void *out = f->x->src[i];
	for (unsigned l = 0; l < BW_LANES; l++) {
		unsigned from = f->dpp->far_from[f->half * BW_LANES + l];
		bool valid = f->valid >> l & 1;
		uint32_t lo = valid ? f->x->far[0][from] : 0;
		if (bits == 16)
			((uint16_t *)out)[l] = (uint16_t)lo;
		else if (bits == 32)
			((uint32_t *)out)[l] = lo;
		else
			((uint64_t *)out)[l] = bw_join32(valid ? f->x->far[1][from] : 0, lo);
	}
	return out;
}

/* Lanes change places; those without a source read 0. */
static const void *permute(const struct fetch *f, unsigned i, const void *p, unsigned bits)
{
	uint8_t *out = (uint8_t *)f->x->tmp[0];
	unsigned size_b = bits / 8;
	for (unsigned l = 0; l < BW_LANES; l++) {
		if (f->valid >> l & 1)
			memcpy(out + l * size_b, (const uint8_t *)p + f->dpp->from[l] * size_b,
			       size_b);
		else
			memset(out + l * size_b, 0, size_b);
	}
	memcpy(f->x->src[i], out, BW_LANES * size_b);
	return f->x->src[i];
}

/* |x| first, then -x: rule 123. */
static const void *apply_sign(const struct fetch *f, unsigned i, const void *p, unsigned bits)
{
	bool abs = f->inst->abs >> i & 1, neg = f->inst->neg >> i & 1;
	uint64_t sign = 1ull << (bits - 1);
	uint64_t keep = abs ? ~sign : ~0ull, flip = neg ? sign : 0;
	void *out = f->x->src[i];
	for (unsigned l = 0; l < BW_LANES; l++) {
		if (bits == 16)
			((uint16_t *)out)[l] = (uint16_t)((((const uint16_t *)p)[l] & keep) ^ flip);
		else if (bits == 32)
			((uint32_t *)out)[l] = (uint32_t)((((const uint32_t *)p)[l] & keep) ^ flip);
		else
			((uint64_t *)out)[l] = (((const uint64_t *)p)[l] & keep) ^ flip;
	}
	return out;
}

/* Both halves of a packed operand, the low one by OPSEL and NEG, the high one by OPSEL_HI and
 * NEG_HI: rules 202 and 205. Elsewhere than in VOP3P pairs stay as they are, and their modifiers
 * mean both. */
static const void *make_pair(const struct fetch *f, unsigned i, const uint32_t *p,
			     bool is_float_pair)
{
	const struct bw_inst *inst = f->inst;
	unsigned lo = 0, hi = 16;
	bool abs = inst->abs >> i & 1, neg_lo = inst->neg >> i & 1, neg_hi = neg_lo;
	if (inst->fmt == BW_FMT_VOP3P) {
		lo = inst->op_sel >> i & 1 ? 16 : 0;
		hi = inst->op_sel_hi >> i & 1 ? 16 : 0;
		neg_hi = inst->neg_hi >> i & 1;
	}
	uint32_t keep = UINT32_MAX, flip = 0, *out = (uint32_t *)f->x->src[i];
	if (is_float_pair) {
		keep = abs ? 0x7fff7fff : UINT32_MAX;
		flip = (neg_lo ? 0x8000u : 0) | (neg_hi ? 0x80000000u : 0);
	}
	for (unsigned l = 0; l < BW_LANES; l++)
		out[l] = (((p[l] >> lo & 0xffff) | p[l] >> hi << 16) & keep) ^ flip;
	return out;
}

/* Two f32, the low one by OPSEL and NEG, the high one by OPSEL_HI and NEG_HI. */
static const void *make_wide_pair(const struct fetch *f, unsigned i, const uint64_t *p)
{
	const struct bw_inst *inst = f->inst;
	unsigned lo = inst->op_sel >> i & 1 ? 32 : 0, hi = inst->op_sel_hi >> i & 1 ? 32 : 0;
	uint64_t flip =
		(inst->neg >> i & 1 ? 1ull << 31 : 0) | (inst->neg_hi >> i & 1 ? 1ull << 63 : 0);
	uint64_t *out = f->x->src[i];
	for (unsigned l = 0; l < BW_LANES; l++)
		out[l] = bw_join32((uint32_t)(p[l] >> hi), (uint32_t)(p[l] >> lo)) ^ flip;
	return out;
}

/* v_fma_mix: NEG_HI is |x|, rule 207. */
static const void *mix(const struct fetch *f, unsigned i, const uint32_t *p)
{
	const struct bw_inst *inst = f->inst;
	bool half = inst->op_sel_hi >> i & 1;
	unsigned shift = inst->op_sel >> i & 1 ? 16 : 0;
	uint32_t keep = inst->neg_hi >> i & 1 ? 0x7fffffff : UINT32_MAX;
	uint32_t flip = inst->neg >> i & 1 ? 0x80000000u : 0, *out = (uint32_t *)f->x->src[i];
	for (unsigned l = 0; l < BW_LANES; l++) {
		uint32_t v =
			half ? f32_bits(f16_to_f32((uint16_t)(p[l] >> shift), f->x->m.flush_in16))
			     : p[l];
		out[l] = (v & keep) ^ flip;
	}
	return out;
}

static const void *fetch(const struct fetch *f, unsigned i, enum bw_row_type t)
{
	unsigned bits = bw_type_bits(t);
	const void *p;
	if (i == 0 && f->dpp && f->dpp->is_far)
		p = permute_far(f, i, bits);
	else if (f->inst->sdwa && i < 2 && bits <= 32)
		p = fetch_part(f, i, bits);
	else
		p = bits == 16 ? fetch16(f, i) : bits == 32 ? fetch32(f, i) : fetch64(f, i);
	if (i == 0 && f->dpp && !f->dpp->is_far)
		p = permute(f, i, p, bits);
	if (t == BW_T_MIX)
		return mix(f, i, p);
	if (t == BW_T_PKF)
		return make_wide_pair(f, i, p);
	if (t == BW_T_PKH || t == BW_T_PKB || f->rec->map->shape == BW_SHAPE_PACKED)
		return make_pair(f, i, p, t != BW_T_X32);
	if (((f->inst->abs | f->inst->neg) >> i & 1) && bw_type_is_float(t))
		p = apply_sign(f, i, p, bits);
	return p;
}

static uint32_t read_mask(const struct fetch *f, const struct bw_map_row *row)
{
	const uint8_t *p;
	if (row->vcc_mask)
		return f->w->s[BW_SRC_VCC_LO + f->half];
	unsigned slot = 1 + row->n_src;
	p = f->x->base[f->rec->base[slot]] + f->rec->off[slot];
	uint32_t v;
	memcpy(&v, p + 4 * f->half, 4);
	return v;
}

/* OMOD, then CLAMP: rules 118 to 122. */
static void finish_f32(float *d, const struct bw_inst *inst, const struct bw_fmode *m)
{
	static const float factor[] = {1.0f, 2.0f, 4.0f, 0.5f};
	if (inst->omod && !m->ieee && m->flush_out32)
		for (unsigned l = 0; l < BW_LANES; l++)
			d[l] *= factor[inst->omod];
	if (!inst->clamp)
		return;
	for (unsigned l = 0; l < BW_LANES; l++) {
		if (d[l] != d[l])
			d[l] = m->dx10_clamp ? 0.0f : d[l];
		else
			d[l] = d[l] > 1.0f ? 1.0f : d[l] > 0.0f ? d[l] : 0.0f;
	}
}

static void finish_f64(double *d, const struct bw_inst *inst, const struct bw_fmode *m)
{
	static const double factor[] = {1.0, 2.0, 4.0, 0.5};
	if (inst->omod && !m->ieee && m->flush_out16)
		for (unsigned l = 0; l < BW_LANES; l++)
			d[l] *= factor[inst->omod];
	if (!inst->clamp)
		return;
	for (unsigned l = 0; l < BW_LANES; l++) {
		if (d[l] != d[l])
			d[l] = m->dx10_clamp ? 0.0 : d[l];
		else
			d[l] = d[l] > 1.0 ? 1.0 : d[l] > 0.0 ? d[l] : 0.0;
	}
}

static void finish_f16(uint16_t *d, unsigned n, const struct bw_inst *inst,
		       const struct bw_fmode *m)
{
	static const double factor[] = {1.0, 2.0, 4.0, 0.5};
	if (inst->omod && !m->ieee && m->flush_out16)
		for (unsigned l = 0; l < n; l++)
			d[l] = f64_to_f16((double)f16_to_f32(d[l], 0) * factor[inst->omod],
					  m->round16, m);
	if (!inst->clamp)
		return;
	for (unsigned l = 0; l < n; l++) {
		uint16_t mag = d[l] & 0x7fff;
		if (mag > 0x7c00)
			d[l] = m->dx10_clamp ? 0 : d[l];
		else
			d[l] = d[l] & 0x8000 ? 0 : mag > 0x3c00 ? 0x3c00 : mag;
	}
}

/* OMOD and CLAMP of a float result. */
static void finish(const struct bw_map_row *row, void *d, const struct bw_inst *inst,
		   const struct bw_fmode *m)
{
	if (row->dst == BW_T_F32 || row->dst == BW_T_N32)
		finish_f32(d, inst, m);
	else if (row->dst == BW_T_F64 || row->dst == BW_T_N64)
		finish_f64(d, inst, m);
	else if (row->dst == BW_T_F16 || row->dst == BW_T_F16H)
		finish_f16(d, BW_LANES, inst, m);
	else if (row->dst == BW_T_PKH)
		finish_f16(d, 2 * BW_LANES, inst, m);
	else if (row->dst == BW_T_PKF)
		for (unsigned i = 0; i < 2; i++)
			finish_f32((float *)d + i * BW_LANES, inst, m);
}

/* The host's float mode for a row. */
uint32_t bw_row_mxcsr(const struct bw_map_row *row, const struct bw_fmode *m)
{
	bool from64 = row->src[0] == BW_T_F64 || row->src[0] == BW_T_N64;
	if (row->src[0] == BW_T_MIX)
		return m->mxcsr32; /* computed in f32, narrowed by hand */
	if (row->dst == BW_T_BF16)
		return m->mxcsr_bf16;
	if (row->dst == BW_T_F16 || row->dst == BW_T_PKH)
		return m->mxcsr_f16;
	if (!from64)
		return m->mxcsr32;
	return row->dst == BW_T_F32 ? m->mxcsr_narrow : m->mxcsr64;
}

static void write_lanes(const struct fetch *f, enum bw_row_type t, const void *r, uint32_t mask)
{
	uint32_t *d = (uint32_t *)vgpr_half(f, 0);
	unsigned bits = bw_type_bits(t);
	if (f->inst->sdwa && bits <= 32) {
		for (unsigned l = 0; l < BW_LANES; l++)
			if (mask >> l & 1)
				d[l] = bw_sdwa_put(f->inst, d[l],
						   bits == 16 ? ((const uint16_t *)r)[l]
							      : ((const uint32_t *)r)[l]);
	} else if (bits == 32) {
		f->x->rows->blend(d, r, mask);
	} else if (bits == 64) {
		const uint64_t *s = r;
		for (unsigned l = 0; l < BW_LANES; l++) {
			if (!(mask >> l & 1))
				continue;
			d[l] = (uint32_t)s[l];
			d[l + f->w->lanes] = (uint32_t)(s[l] >> 32);
		}
	} else {
		const uint16_t *s = r;
		unsigned shift = t == BW_T_F16H || (f->inst->op_sel & BW_OP_SEL_DST) ? 16 : 0;
		uint32_t keep = f->rec->flags & BW_REC_ZERO_HIGH ? 0 : ~(0xffffu << shift);
		for (unsigned l = 0; l < BW_LANES; l++)
			if (mask >> l & 1)
				d[l] = (d[l] & keep) | (uint32_t)s[l] << shift;
	}
}

void bw_write_mask(struct bw_wave *w, unsigned code, uint64_t mask)
{
	if (code == BW_SRC_NULL ||
	    (code >= BW_SRC_TTMP0 && code < BW_SRC_NULL && !(w->status & BW_STATUS_PRIV)))
		return;
	if (w->lanes == 64)
		code &= ~1u;
	w->s[code] = (uint32_t)mask;
	if (w->lanes == 64)
		w->s[code + 1] = (uint32_t)(mask >> 32);
}

/* Float exceptions of the instruction of rec: sticky flags, and out to the run loop for the
 * trap. */
#define BW_NEXT_EXCP(excp)                                                                         \
	do {                                                                                       \
		w->trapsts |= (excp);                                                              \
		if (__builtin_expect((excp) & w->mode >> BW_MODE_EXCP_EN_SHIFT, 0))                \
			BW_EXIT(BW_EXIT_EXCP, bw_code_pc(&x->code, BW_FOLLOWING(rec)));            \
		BW_NEXT(BW_FOLLOWING(rec));                                                        \
	} while (0)

/* Packed: lanes 16 to 31 have the second 32 of 64 halves. */
static void second_half(bw_row_fn *fn, void *d, const void *const s[3],
			const struct bw_lane_args *args)
{
	const void *t[3];
	for (unsigned i = 0; i < 3; i++)
		t[i] = s[i] ? (const uint8_t *)s[i] + BW_HALF_B / 2 : NULL;
	fn((uint8_t *)d + BW_HALF_B / 2, t[0], t[1], t[2], args);
}

BW_HANDLER(bw_h_map)
{
	const struct bw_map_row *row = rec->map;
	const struct bw_inst *inst = rec->inst;
	bool is_cmp = row->shape == BW_SHAPE_CMP || row->shape == BW_SHAPE_CMPX;
	uint32_t mxcsr = bw_row_mxcsr(row, &x->m);
	bw_row_fn *fn = inst->clamp && row->sat ? row->sat : row->fn;
	uint64_t exec = bw_wave_exec(w), result = 0;
	/* A clamped NaN raises nothing: rule 119. */
	bool watched = x->code.page->excp && !(inst->clamp && x->m.dx10_clamp);
	uint32_t excp = 0;
	if (rec->bcast)
		bw_spread(rec, w, x);
	if (mxcsr != x->m.mxcsr32)
		bw_fmode_load(mxcsr);
	if (inst->dpp != BW_DPP_NONE && ((const struct bw_dpp_lanes *)inst)->is_far)
		fetch_far(rec, w, x);
	for (unsigned half = 0; half < w->lanes / BW_LANES; half++) {
		struct fetch f = {.rec = rec, .inst = inst, .w = w, .x = x, .half = half};
		uint32_t mask = (uint32_t)(exec >> 32 * half);
		if (inst->dpp != BW_DPP_NONE) {
			f.dpp = (const struct bw_dpp_lanes *)inst;
			mask = f.dpp->is_far ? bw_dpp_far_masks(f.dpp, half, exec, &f.valid)
					     : bw_dpp_masks(f.dpp, half, mask, &f.valid);
		}
		const void *s[3] = {NULL, NULL, NULL};
		for (unsigned i = 0; i < row->n_src; i++)
			s[i] = fetch(&f, i, row->src[i]);
		struct bw_lane_args args = {.lane0 = half * BW_LANES, .neg = inst->neg, .m = &x->m};
		if (row->takes_mask)
			args.mask_in = read_mask(&f, row);
		if (watched)
			excp |= bw_excp_lanes(inst->op, row, s, mask, &args);
		uint32_t r = fn(x->tmp[1], s[0], s[1], s[2], &args);
		if (row->shape == BW_SHAPE_PACKED)
			second_half(fn, x->tmp[1], s, &args);
		result |= (uint64_t)(r & mask) << 32 * half;
		if (is_cmp)
			continue;
		if (inst->omod || inst->clamp)
			finish(row, x->tmp[1], inst, &x->m);
		write_lanes(&f, row->dst, x->tmp[1], mask);
	}
	if (mxcsr != x->m.mxcsr32)
		bw_fmode_load(x->m.mxcsr32);
	if (is_cmp) {
		uint32_t *d = BW_OPERAND(0);
		d[0] = (uint32_t)result;
		if (w->lanes == 64)
			d[1] = (uint32_t)(result >> 32);
		if (rec->flags & BW_REC_EXEC_TOO)
			bw_write_mask(w, BW_SRC_EXEC_LO, result);
	} else if (row->shape == BW_SHAPE_CARRY) {
		bw_write_mask(w, inst->sdst, result);
	}
	BW_NEXT_EXCP(excp);
}

/* Lanes to lanes with all 64 active. */
static inline void map64_full(const struct bw_rec *rec, struct bw_exec *x)
{
	bw_row_fn *fn = rec->map->fn;
	uint8_t *p[4];
	for (unsigned i = 0; i < 4; i++)
		p[i] = BW_OPERAND(i);
	fn(p[0], p[1], p[2], p[3], &x->args);
	for (unsigned i = 0; i < 4; i++)
		p[i] += rec->base[i] == BW_BASE_VGPR ? BW_HALF_B : 0;
	struct bw_lane_args args = {.lane0 = BW_LANES, .m = &x->m};
	fn(p[0], p[1], p[2], p[3], &args);
}

/* wave64, 32-bit operands, no modifiers. */
BW_HANDLER(bw_h_map64)
{
	const struct bw_map_row *row = rec->map;
	if (row->shape == BW_SHAPE_MAP && !row->takes_mask && !rec->bcast &&
	    (w->s[BW_SRC_EXEC_LO] & w->s[BW_SRC_EXEC_HI]) == UINT32_MAX) {
		map64_full(rec, x);
		BW_NEXT(BW_FOLLOWING(rec));
	}
	const struct bw_row_set *rows = x->rows;
	struct bw_lane_args args = {.m = &x->m};
	uint32_t result[2];
	if (rec->bcast)
		bw_spread(rec, w, x);
	for (unsigned half = 0; half < 2; half++) {
		uint32_t exec = w->s[BW_SRC_EXEC_LO + half];
		const uint8_t *s[3];
		for (unsigned i = 0; i < 3; i++)
			s[i] = (const uint8_t *)BW_OPERAND(1 + i) +
			       (rec->base[1 + i] == BW_BASE_VGPR ? half * BW_HALF_B : 0);
		if (row->vcc_mask)
			args.mask_in = w->s[BW_SRC_VCC_LO + half];
		else if (row->takes_mask)
			args.mask_in = ((const uint32_t *)BW_OPERAND(1 + row->n_src))[half];
		args.lane0 = half * BW_LANES;
		if (row->shape == BW_SHAPE_CMP || row->shape == BW_SHAPE_CMPX) {
			result[half] = row->fn(x->tmp[1], s[0], s[1], s[2], &args) & exec;
		} else {
			uint32_t *d = (uint32_t *)((uint8_t *)BW_OPERAND(0) + half * BW_HALF_B);
			uint32_t *out = exec == UINT32_MAX ? d : (uint32_t *)x->tmp[1];
			result[half] = row->fn(out, s[0], s[1], s[2], &args) & exec;
			if (out != d)
				rows->blend(d, out, exec);
		}
	}
	if (row->shape == BW_SHAPE_CMP || row->shape == BW_SHAPE_CMPX)
		memcpy(BW_OPERAND(0), result, sizeof(result));
	else if (row->shape == BW_SHAPE_CARRY)
		bw_write_mask(w, rec->inst->sdst, result[0] | (uint64_t)result[1] << 32);
	BW_NEXT(BW_FOLLOWING(rec));
}

BW_HANDLER(bw_h_packed)
{
	const struct bw_map_row *row = rec->map;
	struct bw_lane_args args = {.m = &x->m};
	uint32_t mxcsr = bw_row_mxcsr(row, &x->m);
	if (rec->bcast)
		bw_spread(rec, w, x);
	if (mxcsr != x->m.mxcsr32)
		bw_fmode_load(mxcsr);
	for (unsigned half = 0; half < w->lanes / BW_LANES; half++) {
		uint32_t exec = w->s[BW_SRC_EXEC_LO + half];
		const void *s[3] = {NULL, NULL, NULL};
		for (unsigned i = 0; i < row->n_src; i++)
			s[i] = (const uint8_t *)BW_OPERAND(1 + i) +
			       (rec->base[1 + i] == BW_BASE_VGPR ? half * BW_HALF_B : 0);
		uint32_t *d = (uint32_t *)((uint8_t *)BW_OPERAND(0) + half * BW_HALF_B);
		uint32_t *out = exec == UINT32_MAX ? d : (uint32_t *)x->tmp[1];
		row->fn(out, s[0], s[1], s[2], &args);
		second_half(row->fn, out, s, &args);
		if (out != d)
			x->rows->blend(d, out, exec);
	}
	if (mxcsr != x->m.mxcsr32)
		bw_fmode_load(x->m.mxcsr32);
	BW_NEXT(BW_FOLLOWING(rec));
}

static uint32_t *dual_half(const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x,
			   uint32_t *out)
{
	const struct bw_map_row *row = rec->map;
	struct bw_lane_args args = {.m = &x->m};
	if (rec->bcast)
		bw_spread(rec, w, x);
	if (row->takes_mask)
		args.mask_in = *(const uint32_t *)BW_OPERAND(1 + row->n_src);
	row->fn(out, BW_OPERAND(1), BW_OPERAND(2), BW_OPERAND(3), &args);
	return out;
}

static void dual(const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x)
{
	const struct bw_rec *y = &BW_CONTAINER_OF(rec->inst, const struct bw_dual, inst)->y;
	uint32_t exec = w->s[BW_SRC_EXEC_LO];
	uint32_t *dx = BW_OPERAND(0);
	uint32_t *dy = (uint32_t *)(x->base[y->base[0]] + y->off[0]);
	if (exec == UINT32_MAX && !(rec->flags & BW_REC_DEPENDS)) {
		dual_half(rec, w, x, dx);
		dual_half(y, w, x, dy);
	} else {
		const struct bw_row_set *rows = x->rows;
		uint32_t *rx = dual_half(rec, w, x, (uint32_t *)x->tmp[0]);
		uint32_t *ry = dual_half(y, w, x, (uint32_t *)x->tmp[1]);
		rows->blend(dx, rx, exec);
		rows->blend(dy, ry, exec);
	}
}

/* VOPD: both halves read before either writes (rule 226). */
BW_HANDLER(bw_h_dual)
{
	dual(rec, w, x);
	BW_NEXT(BW_FOLLOWING(rec));
}

static uint32_t half_excp(const struct bw_rec *rec, const struct bw_wave *w, struct bw_exec *x,
			  unsigned op)
{
	const struct bw_lane_args args = {.m = &x->m};
	const void *s[3] = {NULL, NULL, NULL};
	if (rec->bcast)
		bw_spread(rec, w, x);
	for (unsigned i = 0; i < rec->map->n_src; i++)
		s[i] = BW_OPERAND(1 + i);
	return bw_excp_lanes(op, rec->map, s, w->s[BW_SRC_EXEC_LO], &args);
}

/* A pair raises one event for both: rule 232. */
BW_HANDLER(bw_h_dual_excp)
{
	const struct bw_rec *y = &BW_CONTAINER_OF(rec->inst, const struct bw_dual, inst)->y;
	uint32_t excp = half_excp(rec, w, x, rec->inst->op) | half_excp(y, w, x, y->inst->op_y);
	dual(rec, w, x);
	BW_NEXT_EXCP(excp);
}
