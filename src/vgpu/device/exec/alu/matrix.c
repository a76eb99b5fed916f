/* SPDX-License-Identifier: MIT */

/* Wave-wide vector instructions: WMMA and parameter interpolation (doc/rules.md 15, 152, 153, 215
 * to 224). */

#include <string.h>
#include <xmmintrin.h>

#include "base/util.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/alu/lane_bits.h"
#include "vgpu/device/exec/alu/lane_math.h"
#include "vgpu/device/exec/core/plant.h"
#include "vgpu/device/exec/core/wmma.h"

#define HANDLER(name) static BW_HANDLER(h_##name)

enum { N = BW_WMMA_N };

enum element { F16, BF16, IU8, IU4, F32, I32 };

static unsigned element_bits(enum element e)
{
	return e == F32 || e == I32 ? 32 : e == IU8 ? 8 : e == IU4 ? 4 : 16;
}

/* A source register that the wave does not have is v0: rule 40. */
static const uint32_t *vgpr_src(const struct bw_exec *x, const struct bw_wave *w, unsigned n)
{
	return bw_wave_vgpr(w, n < x->code.page->ctx.n_vgprs ? n : 0);
}

/* ---- WMMA ---- */

/* A line of register src, which is one of A or B: lanes 0 to 15 hold a row of A, a column of B, the
 * others copies (rule 217). NEG is for the low element of a register of floats, NEG_HI for the high
 * one: rule 221. */
static uint32_t part(const struct bw_exec *x, const struct bw_wave *w, unsigned src, unsigned line,
		     uint32_t flip)
{
	return vgpr_src(x, w, src - BW_SRC_VGPR0)[line] ^ flip;
}

static void read_halves(const struct bw_exec *x, const struct bw_wave *w,
			const struct bw_inst *inst, uint16_t *a, uint16_t *b)
{
	uint32_t flip[2];
	for (unsigned src = 0; src < 2; src++)
		flip[src] = (inst->neg >> src & 1 ? 0x8000u : 0) |
			    (inst->neg_hi >> src & 1 ? 0x80000000u : 0);
	for (unsigned r = 0; r < N / 2; r++) {
		for (unsigned line = 0; line < N; line++) {
			uint32_t va = part(x, w, inst->src[0] + r, line, flip[0]),
				 vb = part(x, w, inst->src[1] + r, line, flip[1]);
			a[line * N + 2 * r] = (uint16_t)va;
			a[line * N + 2 * r + 1] = (uint16_t)(va >> 16);
			b[2 * r * N + line] = (uint16_t)vb;
			b[(2 * r + 1) * N + line] = (uint16_t)(vb >> 16);
		}
	}
}

/* Constants are those of the element's type: 16-bit ones as f16 or bf16 patterns (rules 53 and
 * 57). */
static uint32_t constant(const struct bw_wave *w, const struct bw_inst *inst, enum element e)
{
	uint32_t v = bw_scalar_read32(w, inst, inst->src[2]);
	if (inst->src[2] < BW_SRC_HALF || e == F32 || e == I32)
		return v;
	static const struct bw_fmode keep;
	return e == BF16 ? v >> 16 : f32_to_f16(bits_f32(v), BW_ROUND_NEAREST, &keep);
}

/* C and D lie as one matrix, row after row, whatever the wave size: register r, lane l is element
 * r * lanes + l (rule 218). */
static void read_c(const struct bw_exec *x, const struct bw_wave *w, const struct bw_inst *inst,
		   enum element e, uint32_t *out)
{
	bool low16 = element_bits(e) == 16;
	unsigned shift = low16 && (inst->op_sel & 4) ? 16 : 0;
	if (inst->src[2] < BW_SRC_VGPR0) {
		uint32_t v = constant(w, inst, e);
		for (unsigned i = 0; i < BW_WMMA_ELEMENTS; i++)
			out[i] = v;
		return;
	}
	for (unsigned r = 0; r < BW_WMMA_ELEMENTS / w->lanes; r++) {
		const uint32_t *v = vgpr_src(x, w, inst->src[2] - BW_SRC_VGPR0 + r);
		for (unsigned l = 0; l < w->lanes; l++)
			out[r * w->lanes + l] = low16 ? v[l] >> shift & 0xffff : v[l];
	}
}

static void write_d(const struct bw_wave *w, const struct bw_inst *inst, enum element e,
		    const uint32_t *d)
{
	uint32_t *v = bw_wave_vgpr(w, inst->dst); /* registers lie one after the other */
	unsigned shift = inst->op_sel & 4 ? 16 : 0;
	if (element_bits(e) == 32) {
		memcpy(v, d, BW_WMMA_ELEMENTS * sizeof(*d));
		return;
	}
	for (unsigned i = 0; i < BW_WMMA_ELEMENTS; i++)
		v[i] = (v[i] & ~(0xffffu << shift)) | d[i] << shift;
}

/* Rule 39. */
static bool d_exists(const struct bw_exec *x, const struct bw_wave *w, const struct bw_inst *inst)
{
	return inst->dst + BW_WMMA_ELEMENTS / w->lanes <= x->code.page->ctx.n_vgprs;
}

static float c_to_f32(uint32_t c, const struct bw_inst *inst, enum element e)
{
	uint32_t f = e == F32 ? c : e == BF16 ? c << 16 : f32_bits(f16_to_f32((uint16_t)c, 0));
	if (inst->neg_hi & 4)
		f &= 0x7fffffff;
	if (inst->neg & 4)
		f ^= 0x80000000u;
	return bits_f32(f);
}

/* Rounds to nearest and keeps denormals whatever MODE says: WMMA does not read it [I]. */
static void wmma_float(const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x,
		       enum element ab, enum element cd)
{
	static const struct bw_fmode plain;
	static const uint32_t csr_round[] = {0, 2 << 13, 1 << 13, 3 << 13}; /* by MODE 1:0 */
	const struct bw_inst *inst = rec->inst;
	uint16_t a[BW_WMMA_ELEMENTS], b[BW_WMMA_ELEMENTS];
	float d[BW_WMMA_ELEMENTS];
	uint32_t c[BW_WMMA_ELEMENTS];
	if (!d_exists(x, w, inst))
		return;
	uint32_t saved = _mm_getcsr();
	_mm_setcsr(0x1f80 | (x->host.plant & BW_PLANT_ROUND ? csr_round[w->mode & 3] : 0));
	read_halves(x, w, inst, a, b);
	read_c(x, w, inst, cd, c);
	for (unsigned i = 0; i < BW_WMMA_ELEMENTS; i++)
		d[i] = c_to_f32(c[i], inst, cd);
	x->rows->wmma(d, a, b, ab == BF16);
	for (unsigned i = 0; i < BW_WMMA_ELEMENTS; i++)
		c[i] = cd == F32   ? f32_bits(d[i])
		       : cd == F16 ? f32_to_f16(d[i], BW_ROUND_NEAREST, &plain)
				   : f64_to_bf16((double)d[i], &plain);
	write_d(w, inst, cd, c);
	_mm_setcsr(saved);
}

/* Rule 222. */
static void wmma_int(const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x,
		     enum element ab)
{
	const struct bw_inst *inst = rec->inst;
	unsigned bits = element_bits(ab), per = 32 / bits;
	int16_t a[BW_WMMA_ELEMENTS], b[BW_WMMA_ELEMENTS];
	int32_t sum[BW_WMMA_ELEMENTS];
	uint32_t d[BW_WMMA_ELEMENTS], mask = (1u << bits) - 1;
	if (!d_exists(x, w, inst))
		return;
	for (unsigned k = 0; k < N; k++) {
		for (unsigned line = 0; line < N; line++) {
			uint32_t va =
				part(x, w, inst->src[0] + k / per, line, 0) >> k % per * bits &
				mask;
			uint32_t vb =
				part(x, w, inst->src[1] + k / per, line, 0) >> k % per * bits &
				mask;
			a[line * N + k] = (int16_t)(inst->neg & 1 ? sext(va, bits) : (int32_t)va);
			b[k * N + line] = (int16_t)(inst->neg & 2 ? sext(vb, bits) : (int32_t)vb);
		}
	}
	read_c(x, w, inst, I32, d);
	x->rows->wmma_int(sum, a, b);
	for (unsigned i = 0; i < BW_WMMA_ELEMENTS; i++) {
		int64_t v = (int64_t)(int32_t)d[i] + sum[i];
		d[i] = (uint32_t)(inst->clamp ? SAT(v, INT32_MIN, INT32_MAX) : v);
	}
	write_d(w, inst, I32, d);
}

#define WMMA(name, ...)                                                                            \
	HANDLER(name)                                                                              \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
		BW_NEXT(BW_FOLLOWING(rec));                                                        \
	}
WMMA(v_wmma_f32_16x16x16_f16, wmma_float(rec, w, x, F16, F32))
WMMA(v_wmma_f32_16x16x16_bf16, wmma_float(rec, w, x, BF16, F32))
WMMA(v_wmma_f16_16x16x16_f16, wmma_float(rec, w, x, F16, F16))
WMMA(v_wmma_bf16_16x16x16_bf16, wmma_float(rec, w, x, BF16, BF16))
WMMA(v_wmma_i32_16x16x16_iu8, wmma_int(rec, w, x, IU8))
WMMA(v_wmma_i32_16x16x16_iu4, wmma_int(rec, w, x, IU4))

/* ---- interpolation ---- */

enum { NOT_A_QUAD_LANE = -1 };

/* The sources of a v_interp, and its rounding. */
struct interp {
	int quad[3];  /* the lane of its quad that a source comes from; or the lane itself */
	bool half[3]; /* the source is an f16 */
	bool half_dst, to_zero;
};

/* The values of a source in each lane. */
static void interp_src(const struct bw_exec *x, const struct bw_wave *w, const struct bw_inst *inst,
		       unsigned i, const struct interp *p, float out[64])
{
	const uint32_t *vgpr =
		inst->src[i] >= BW_SRC_VGPR0 ? vgpr_src(x, w, inst->src[i] - BW_SRC_VGPR0) : NULL;
	const uint32_t scalar = vgpr ? 0 : bw_scalar_read32(w, inst, inst->src[i]);
	const uint32_t sign = inst->neg >> i & 1 ? 0x80000000u : 0;
	const unsigned shift = inst->op_sel >> i & 1 ? 16 : 0;
	for (unsigned lane = 0; lane < w->lanes; lane++) {
		unsigned from = p->quad[i] < 0 ? lane : (lane & ~3u) + (unsigned)p->quad[i];
		uint32_t v = vgpr ? vgpr[from] : scalar;
		if (p->half[i])
			v = f32_bits(f16_to_f32((uint16_t)(v >> shift), x->m.flush_in16));
		out[lane] = bits_f32(v ^ sign);
	}
}

static float clamp01(float f, const struct bw_fmode *m)
{
	if (f != f)
		return m->dx10_clamp ? 0.0f : f;
	return f > 1.0f ? 1.0f : f > 0.0f ? f : 0.0f;
}

static void interp(const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x,
		   const struct interp *p)
{
	const struct bw_inst *inst = rec->inst;
	uint64_t exec = bw_wave_exec(w);
	uint32_t result[64];
	float src[3][64];
	uint32_t saved = _mm_getcsr();
	if (inst->dst >= x->code.page->ctx.n_vgprs)
		return;
	for (unsigned i = 0; i < 3; i++)
		interp_src(x, w, inst, i, p, src[i]);
	if (p->to_zero && !p->half_dst)
		_mm_setcsr(saved | _MM_ROUND_TOWARD_ZERO);
	for (unsigned l = 0; l < w->lanes; l++) {
		float r = FMA32(src[0][l], src[1][l], src[2][l]);
		if (inst->clamp)
			r = clamp01(r, &x->m);
		result[l] = p->half_dst ? f32_to_f16(r,
						     p->to_zero ? BW_ROUND_ZERO
								: (enum bw_round)x->m.round16,
						     &x->m)
					: f32_bits(r);
	}
	_mm_setcsr(saved);
	uint32_t *d = bw_wave_vgpr(w, inst->dst);
	unsigned shift = inst->op_sel & 8 ? 16 : 0;
	uint32_t keep = p->half_dst ? ~(0xffffu << shift) : 0;
	for (unsigned l = 0; l < w->lanes; l++)
		if (exec >> l & 1)
			d[l] = (d[l] & keep) | (p->half_dst ? result[l] << shift : result[l]);
}

#define INTERP(name, ...)                                                                          \
	HANDLER(name)                                                                              \
	{                                                                                          \
		static const struct interp p = {__VA_ARGS__};                                      \
		interp(rec, w, x, &p);                                                             \
		BW_NEXT(BW_FOLLOWING(rec));                                                        \
	}
INTERP(v_interp_p10_f32, .quad = {1, NOT_A_QUAD_LANE, 0})
INTERP(v_interp_p2_f32, .quad = {2, NOT_A_QUAD_LANE, NOT_A_QUAD_LANE})
INTERP(v_interp_p10_f16_f32, .quad = {1, NOT_A_QUAD_LANE, 0}, .half = {true, false, true})
INTERP(v_interp_p2_f16_f32, .quad = {2, NOT_A_QUAD_LANE, NOT_A_QUAD_LANE}, .half = {true},
       .half_dst = true)
INTERP(v_interp_p10_rtz_f16_f32, .quad = {1, NOT_A_QUAD_LANE, 0}, .half = {true, false, true},
       .to_zero = true)
INTERP(v_interp_p2_rtz_f16_f32, .quad = {2, NOT_A_QUAD_LANE, NOT_A_QUAD_LANE}, .half = {true},
       .half_dst = true, .to_zero = true)

#define WAVE(n) {.name = #n, .fn = h_##n, .form = BW_WAVE_VECTOR},
const struct bw_wave_row bw_matrix_rows[] = {
#include "vgpu/device/exec/sem/matrix.def"
};
const size_t bw_n_matrix_rows = BW_ARRAY_SIZE(bw_matrix_rows);
