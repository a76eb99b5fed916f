/* SPDX-License-Identifier: MIT */

/* Lane-wise rows as compilers use most of them: operands of any width, |x| and -x, masks in and
 * out, but without DPP, OPSEL, OMOD or CLAMP, and without float exceptions being computed. map.c
 * has all of that and is several times slower. Compiled with rows.c, for the baseline of x86-64 and
 * for x86-64-v3. */

#include "vgpu/device/exec/core/build.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/core/lane_bit.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define EACH_LANE(l) _Pragma("GCC ivdep") for (unsigned l = 0; l < BW_LANES; l++)
#define INLINE static inline __attribute__((always_inline))

INLINE bool is_64(enum bw_row_type t)
{
	return t == BW_T_B64 || t == BW_T_U64 || t == BW_T_I64 || t == BW_T_F64 || t == BW_T_N64;
}

INLINE bool is_16(enum bw_row_type t)
{
	return t == BW_T_B16 || t == BW_T_U16 || t == BW_T_I16 || t == BW_T_F16 || t == BW_T_BF16 ||
	       t == BW_T_F16H;
}

/* The address of the lanes of a 32-bit operand. */
INLINE const uint32_t *fetch32(const struct bw_rec *rec, const struct bw_wave *w, struct bw_exec *x,
			       const uint8_t *vgpr, unsigned i)
{
	if (rec->base[1 + i] == BW_BASE_VGPR)
		return (const uint32_t *)(const void *)(vgpr + rec->off[1 + i]);
	if (rec->base[1 + i] == BW_BASE_ABS)
		return (const uint32_t *)(uintptr_t)rec->off[1 + i];
	unsigned code = rec->inst->src[i];
	uint32_t v = code == BW_SRC_SCC ? w->scc : w->s[code];
	EACH_LANE(l)
		x->bcast[i][l] = v;
	return x->bcast[i];
}

INLINE const uint64_t *fetch64(const struct bw_rec *rec, const struct bw_wave *w, struct bw_exec *x,
			       const uint8_t *vgpr, unsigned i)
{
	uint64_t *out = x->src[i];
	if (rec->base[1 + i] == BW_BASE_VGPR) {
		const uint32_t *lo = (const uint32_t *)(const void *)(vgpr + rec->off[1 + i]);
		const uint32_t *hi = lo + w->lanes;
		EACH_LANE(l)
			out[l] = lo[l] | (uint64_t)hi[l] << 32;
		return out;
	}
	if (rec->base[1 + i] == BW_BASE_ABS)
		return (const uint64_t *)(uintptr_t)rec->off[1 + i];
	unsigned code = rec->inst->src[i];
	uint64_t v = code == BW_SRC_SCC ? w->scc : bw_wave_s64(w, code & ~1u);
	EACH_LANE(l)
		out[l] = v;
	return out;
}

INLINE const uint16_t *fetch16(const struct bw_rec *rec, const struct bw_wave *w, struct bw_exec *x,
			       const uint8_t *vgpr, unsigned i)
{
	if (rec->base[1 + i] == BW_BASE_ABS)
		return (const uint16_t *)(uintptr_t)rec->off[1 + i];
	const uint32_t *v = fetch32(rec, w, x, vgpr, i);
	uint16_t *out = (uint16_t *)x->src[i];
	EACH_LANE(l)
		out[l] = (uint16_t)v[l];
	return out;
}

/* |x| first, then -x: rule 123. */
static const void *apply_sign(struct bw_exec *x, const struct bw_inst *inst, unsigned i,
			      const void *p, enum bw_row_type t)
{
	unsigned bits = is_64(t) ? 64 : is_16(t) ? 16 : 32;
	uint64_t sign = 1ull << (bits - 1);
	uint64_t keep = inst->abs >> i & 1 ? ~sign : ~0ull, flip = inst->neg >> i & 1 ? sign : 0;
	uint64_t *out64 = x->src[i];
	uint32_t *out32 = (uint32_t *)out64, keep32 = (uint32_t)keep, flip32 = (uint32_t)flip;
	uint16_t *out16 = (uint16_t *)out64, keep16 = (uint16_t)keep, flip16 = (uint16_t)flip;
	if (bits == 64)
		EACH_LANE(l)
			out64[l] = (((const uint64_t *)p)[l] & keep) ^ flip;
	else if (bits == 32)
		EACH_LANE(l)
			out32[l] = (((const uint32_t *)p)[l] & keep32) ^ flip32;
	else
		EACH_LANE(l)
			out16[l] = (uint16_t)((((const uint16_t *)p)[l] & keep16) ^ flip16);
	return out64;
}

INLINE const void *fetch(const struct bw_rec *rec, const struct bw_wave *w, struct bw_exec *x,
			 const uint8_t *vgpr, unsigned i, enum bw_row_type t)
{
	const void *p;
	if (is_64(t))
		p = fetch64(rec, w, x, vgpr, i);
	else if (is_16(t))
		p = fetch16(rec, w, x, vgpr, i);
	else
		p = fetch32(rec, w, x, vgpr, i);
	if (__builtin_expect((rec->inst->abs | rec->inst->neg) >> i & 1, 0) && bw_type_is_float(t))
		p = apply_sign(x, rec->inst, i, p, t);
	return p;
}

#define TAKE(mask) (((mask) & bw_lane_bit[l]) == bw_lane_bit[l] ? UINT32_MAX : 0)

static void write64(uint32_t *lo, uint32_t *hi, const uint64_t *s, uint32_t mask)
{
	if (mask == UINT32_MAX)
		EACH_LANE(l) {
			lo[l] = (uint32_t)s[l];
			hi[l] = (uint32_t)(s[l] >> 32);
		}
	else
		EACH_LANE(l) {
			uint32_t take = TAKE(mask);
			lo[l] = ((uint32_t)s[l] & take) | (lo[l] & ~take);
			hi[l] = ((uint32_t)(s[l] >> 32) & take) | (hi[l] & ~take);
		}
}

static void write32(uint32_t *d, const uint32_t *s, uint32_t mask)
{
	EACH_LANE(l) {
		uint32_t take = TAKE(mask);
		d[l] = (s[l] & take) | (d[l] & ~take);
	}
}

/* bits: those of a register that are written. */
static void write16(uint32_t *d, const uint16_t *s, unsigned shift, uint32_t bits, uint32_t mask)
{
	EACH_LANE(l) {
		uint32_t take = TAKE(mask) & bits;
		d[l] = ((uint32_t)s[l] << shift & take) | (d[l] & ~take);
	}
}

/* One half of the wave; returns the row's mask. */
INLINE uint32_t run_half(const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x,
			 uint8_t *vgpr, unsigned half, uint32_t exec)
{
	const struct bw_map_row *row = rec->map;
	struct bw_lane_args args = {.lane0 = half * BW_LANES, .neg = rec->inst->neg, .m = &x->m};
	const void *s[3] = {NULL, NULL, NULL};
	vgpr += half * BW_HALF_B;
	for (unsigned i = 0; i < row->n_src; i++)
		s[i] = fetch(rec, w, x, vgpr, i, row->src[i]);
	if (row->vcc_mask)
		args.mask_in = w->s[BW_SRC_VCC_LO + half];
	else if (row->takes_mask)
		args.mask_in = ((const uint32_t *)BW_OPERAND(1 + row->n_src))[half];
	if (row->shape == BW_SHAPE_CMP || row->shape == BW_SHAPE_CMPX)
		return row->fn(NULL, s[0], s[1], s[2], &args) & exec;

	uint32_t *d = (uint32_t *)(void *)(vgpr + rec->off[0]), mask;
	if (is_64(row->dst)) {
		mask = row->fn(x->tmp[1], s[0], s[1], s[2], &args);
		write64(d, d + w->lanes, x->tmp[1], exec);
	} else if (is_16(row->dst)) {
		mask = row->fn(x->tmp[1], s[0], s[1], s[2], &args);
		unsigned shift = row->dst == BW_T_F16H ? 16 : 0;
		write16(d, (const uint16_t *)x->tmp[1], shift,
			rec->flags & BW_REC_ZERO_HIGH ? UINT32_MAX : 0xffffu << shift, exec);
	} else if (exec == UINT32_MAX) {
		mask = row->fn(d, s[0], s[1], s[2], &args);
	} else {
		mask = row->fn(x->tmp[1], s[0], s[1], s[2], &args);
		write32(d, (const uint32_t *)x->tmp[1], exec);
	}
	return mask & exec;
}

BW_HANDLER(CAT(BW_ROWS, _plain))
{
	const struct bw_map_row *row = rec->map;
	uint32_t mxcsr = bw_row_mxcsr(row, &x->m);
	uint32_t exec_lo = w->s[BW_SRC_EXEC_LO], exec_hi = w->s[BW_SRC_EXEC_HI];
	uint64_t result;
	if (mxcsr != x->m.mxcsr32)
		bw_fmode_load(mxcsr);
	result = run_half(rec, w, x, vgpr, 0, exec_lo);
	if (w->lanes == 64)
		result |= (uint64_t)run_half(rec, w, x, vgpr, 1, exec_hi) << 32;
	if (mxcsr != x->m.mxcsr32)
		bw_fmode_load(x->m.mxcsr32);
	if (row->shape == BW_SHAPE_CARRY) {
		bw_write_mask(w, rec->inst->sdst, result);
	} else if (row->shape == BW_SHAPE_CMP || row->shape == BW_SHAPE_CMPX) {
		uint32_t *d = BW_OPERAND(0);
		d[0] = (uint32_t)result;
		if (w->lanes == 64)
			d[1] = (uint32_t)(result >> 32);
	}
	BW_NEXT(BW_FOLLOWING(rec));
}
