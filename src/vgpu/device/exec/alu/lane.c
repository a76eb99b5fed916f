/* SPDX-License-Identifier: MIT */

/* Vector instructions that are not lane to lane: doc/rules.md 12 to 16, 42, 43, 193, 248 to 252,
 * 258. */

#include <string.h>

#include "base/util.h"
#include "vgpu/device/exec/core/build.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/alu/lane_bits.h"
#include "vgpu/device/exec/alu/lane_math.h"

#define HANDLER(name) static BW_HANDLER(h_##name)

static unsigned n_vgprs(const struct bw_exec *x)
{
	return x->code.page->ctx.n_vgprs;
}

/* A source register that the wave does not have is v0: rule 40. */
static const uint32_t *vgpr_src(const struct bw_exec *x, const struct bw_wave *w, unsigned n)
{
	return bw_wave_vgpr(w, n < n_vgprs(x) ? n : 0);
}

static void write_sgpr(struct bw_wave *w, unsigned code, uint32_t value)
{
	if (code == BW_SRC_NULL ||
	    (code >= BW_SRC_TTMP0 && code < BW_SRC_NULL && !(w->status & BW_STATUS_PRIV)))
		return;
	w->s[code] = value;
}

static unsigned lane_select(const struct bw_wave *w, const struct bw_inst *inst)
{
	return bw_scalar_read32(w, inst, inst->src[1]) & (w->lanes - 1u);
}

HANDLER(v_readlane_b32)
{
	const struct bw_inst *inst = rec->inst;
	const uint32_t *v = vgpr_src(x, w, inst->src[0] - BW_SRC_VGPR0);
	write_sgpr(w, inst->dst, v[lane_select(w, inst)]);
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(v_readfirstlane_b32)
{
	const struct bw_inst *inst = rec->inst;
	uint64_t exec = bw_wave_exec(w);
	const uint32_t *v = vgpr_src(x, w, inst->src[0] - BW_SRC_VGPR0);
	write_sgpr(w, inst->dst, v[exec ? __builtin_ctzll(exec) : 0]);
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(v_writelane_b32)
{
	const struct bw_inst *inst = rec->inst;
	if (inst->dst < n_vgprs(x))
		bw_wave_vgpr(w, inst->dst)[lane_select(w, inst)] =
			bw_scalar_read32(w, inst, inst->src[0]);
	BW_NEXT(BW_FOLLOWING(rec));
}

/* One source operand of a lane: a VGPR or a scalar. */
static uint32_t lane_src(const struct bw_exec *x, const struct bw_wave *w,
			 const struct bw_inst *inst, unsigned i, unsigned lane)
{
	if (inst->src[i] >= BW_SRC_VGPR0)
		return vgpr_src(x, w, inst->src[i] - BW_SRC_VGPR0)[lane];
	return bw_scalar_read32(w, inst, inst->src[i]);
}

static void permlane(const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x,
		     unsigned row_flip)
{
	const struct bw_inst *inst = rec->inst;
	uint64_t exec = bw_wave_exec(w);
	uint64_t select = bw_scalar_read32(w, inst, inst->src[1]) |
			  (uint64_t)bw_scalar_read32(w, inst, inst->src[2]) << 32;
	bool fi = inst->op_sel & 1, bound_ctrl = inst->op_sel & 2;
	if (inst->dst >= n_vgprs(x))
		return;
	uint32_t *d = bw_wave_vgpr(w, inst->dst), result[64];
	memcpy(result, d, w->lanes * 4u);
	for (unsigned l = 0; l < w->lanes; l++) {
		unsigned from = ((l & ~15u) ^ row_flip) + (unsigned)(select >> 4 * (l & 15) & 15);
		if (!(exec >> l & 1))
			continue;
		if (fi || (exec >> from & 1))
			result[l] = lane_src(x, w, inst, 0, from);
		else if (bound_ctrl)
			result[l] = 0;
	}
	memcpy(d, result, w->lanes * 4u);
}

HANDLER(v_permlane16_b32)
{
	permlane(rec, w, x, 0);
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(v_permlanex16_b32)
{
	permlane(rec, w, x, 16);
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(v_permlane64_b32)
{
	const struct bw_inst *inst = rec->inst;
	if (w->lanes == 64 && inst->dst < n_vgprs(x)) {
		uint64_t exec = bw_wave_exec(w);
		uint32_t *d = bw_wave_vgpr(w, inst->dst), old[64];
		for (unsigned l = 0; l < 64; l++)
			old[l] = lane_src(x, w, inst, 0, l);
		for (unsigned l = 0; l < 64; l++)
			if (exec >> l & 1)
				d[l] = old[l ^ 32];
	}
	BW_NEXT(BW_FOLLOWING(rec));
}

/* Dropped as a whole when a register is out of range: rule 42. */
static void swap(struct bw_wave *w, const struct bw_exec *x, uint64_t a, uint64_t b)
{
	uint64_t exec = bw_wave_exec(w);
	if (a >= n_vgprs(x) || b >= n_vgprs(x))
		return;
	uint32_t *va = bw_wave_vgpr(w, (unsigned)a), *vb = bw_wave_vgpr(w, (unsigned)b);
	for (unsigned l = 0; l < w->lanes; l++) {
		if (!(exec >> l & 1))
			continue;
		uint32_t t = va[l];
		va[l] = vb[l];
		vb[l] = t;
	}
}

HANDLER(v_swap_b32)
{
	swap(w, x, rec->inst->dst, rec->inst->src[0] - BW_SRC_VGPR0);
	BW_NEXT(BW_FOLLOWING(rec));
}

/* Halves by OPSEL, as the compact encoding's register numbers say. */
HANDLER(v_swap_b16)
{
	const struct bw_inst *inst = rec->inst;
	uint64_t exec = bw_wave_exec(w);
	unsigned a = inst->dst, b = inst->src[0] - BW_SRC_VGPR0;
	unsigned shift_a = inst->op_sel & BW_OP_SEL_DST ? 16 : 0,
		 shift_b = inst->op_sel & 1 ? 16 : 0;
	if (a >= n_vgprs(x) || b >= n_vgprs(x))
		BW_NEXT(BW_FOLLOWING(rec));
	uint32_t *va = bw_wave_vgpr(w, a), *vb = bw_wave_vgpr(w, b);
	for (unsigned l = 0; l < w->lanes; l++) {
		if (!(exec >> l & 1))
			continue;
		uint32_t ha = va[l] >> shift_a & 0xffff, hb = vb[l] >> shift_b & 0xffff;
		va[l] = (va[l] & ~(0xffffu << shift_a)) | hb << shift_a;
		vb[l] = (vb[l] & ~(0xffffu << shift_b)) | ha << shift_b;
	}
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(v_swaprel_b32)
{
	uint32_t m0 = w->s[BW_SRC_M0];
	swap(w, x, rec->inst->dst + (unsigned)bw_words_get(&m0, BW_M0_INDEX_DST),
	     rec->inst->src[0] - BW_SRC_VGPR0 + (unsigned)bw_words_get(&m0, BW_M0_INDEX_SRC));
	BW_NEXT(BW_FOLLOWING(rec));
}

/* One half of a wave. With DPP a lane takes the value of another one, which may be none: 0. */
static void move_half(const struct bw_inst *inst, uint32_t *d, const uint32_t *s, unsigned half,
		      uint32_t mask)
{
	uint32_t from[BW_LANES], valid = UINT32_MAX;
	memcpy(from, s, sizeof(from));
	if (inst->dpp != BW_DPP_NONE) {
		const struct bw_dpp_lanes *dpp =
			BW_CONTAINER_OF(inst, const struct bw_dpp_lanes, inst);
		mask = bw_dpp_masks(dpp, half, mask, &valid);
		for (unsigned l = 0; l < BW_LANES; l++)
			from[l] = valid >> l & 1 ? s[dpp->from[l]] : 0;
	}
	for (unsigned l = 0; l < BW_LANES; l++)
		if (mask >> l & 1)
			d[l] = from[l];
}

/* dst and src are moved by unsigned indices; rule 43. */
static void movrel(const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x,
		   uint32_t dst_index, uint32_t src_index)
{
	const struct bw_inst *inst = rec->inst;
	uint64_t exec = bw_wave_exec(w), dst = (uint64_t)inst->dst + dst_index;
	if (dst >= n_vgprs(x))
		return;
	uint32_t scalar[64];
	const uint32_t *s = scalar;
	if (inst->src[0] >= BW_SRC_VGPR0) {
		uint64_t n = (uint64_t)(inst->src[0] - BW_SRC_VGPR0) + src_index;
		s = vgpr_src(x, w, n < n_vgprs(x) ? (unsigned)n : 0);
	} else {
		for (unsigned l = 0; l < w->lanes; l++)
			scalar[l] = bw_scalar_read32(w, inst, inst->src[0]);
	}
	uint32_t *d = bw_wave_vgpr(w, (unsigned)dst);
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++)
		move_half(inst, d + h * BW_LANES, s + h * BW_LANES, h, (uint32_t)(exec >> 32 * h));
}

HANDLER(v_movreld_b32)
{
	movrel(rec, w, x, w->s[BW_SRC_M0], 0);
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(v_movrels_b32)
{
	movrel(rec, w, x, 0, w->s[BW_SRC_M0]);
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(v_movrelsd_b32)
{
	movrel(rec, w, x, w->s[BW_SRC_M0], w->s[BW_SRC_M0]);
	BW_NEXT(BW_FOLLOWING(rec));
}

HANDLER(v_movrelsd_2_b32)
{
	uint32_t m0 = w->s[BW_SRC_M0];
	movrel(rec, w, x, (uint32_t)bw_words_get(&m0, BW_M0_INDEX_DST),
	       (uint32_t)bw_words_get(&m0, BW_M0_INDEX_SRC));
	BW_NEXT(BW_FOLLOWING(rec));
}

/* Four 32-bit sums of masked differences: a window of S0 that moves by a byte. */
HANDLER(v_mqsad_u32_u8)
{
	const struct bw_inst *inst = rec->inst;
	uint64_t exec = bw_wave_exec(w);
	if (inst->dst + 4u > n_vgprs(x))
		BW_NEXT(BW_FOLLOWING(rec));
	for (unsigned l = 0; l < w->lanes; l++) {
		uint32_t d[4];
		if (!(exec >> l & 1))
			continue;
		uint64_t s0;
		if (inst->src[0] >= BW_SRC_VGPR0)
			s0 = vgpr_src(x, w, inst->src[0] - BW_SRC_VGPR0)[l] |
			     (uint64_t)vgpr_src(x, w, inst->src[0] - BW_SRC_VGPR0 + 1)[l] << 32;
		else if (inst->src[0] < 128)
			s0 = bw_wave_s64(w, inst->src[0] & ~1u);
		else
			s0 = (uint64_t)(int64_t)(int32_t)bw_scalar_read32(w, inst, inst->src[0]);
		for (unsigned i = 0; i < 4; i++) {
			uint32_t add = inst->src[2] >= BW_SRC_VGPR0
					       ? vgpr_src(x, w, inst->src[2] - BW_SRC_VGPR0 + i)[l]
					       : bw_scalar_read32(w, inst, inst->src[2]);
			uint64_t v = (uint64_t)add +
				     msad_u8((uint32_t)(s0 >> 8 * i), lane_src(x, w, inst, 1, l));
			d[i] = inst->clamp && v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
		}
		for (unsigned i = 0; i < 4; i++)
			bw_wave_vgpr(w, inst->dst + i)[l] = d[i];
	}
	BW_NEXT(BW_FOLLOWING(rec));
}

#define LANE(n) {.name = #n, .fn = h_##n, .form = BW_WAVE_VECTOR},
const struct bw_wave_row bw_lane_rows[] = {
#include "vgpu/device/exec/sem/lane.def"
};
const size_t bw_n_lane_rows = BW_ARRAY_SIZE(bw_lane_rows);
