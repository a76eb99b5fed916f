/* SPDX-License-Identifier: MIT */

/* The lane-wise rows of the sem/vop*.def tables made into handlers and a table. This file is
 * compiled more than once, for the baseline of x86-64 and for x86-64-v3; BW_ROWS names the set.
 * Modifiers, EXEC and write-back are map.c's business; the fast handlers below run only where
 * there are no modifiers. */

#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/core/lane_bit.h"

static void blend(uint32_t *d, const uint32_t *s, uint32_t mask);

/* Wave32 instructions without modifiers, all operands 32 bits wide. Three handlers a row: `fast`
 * takes operands from anywhere and any EXEC; `fast_v` all sources from VGPRs and `fast_s` src0 from
 * an SGPR or a constant, both for full EXEC only. */
#define HANDLER(name) __attribute__((unused)) static BW_HANDLER(name)
#define OFTEN(cond) __builtin_expect(cond, 1)
#define VGPR(slot) ((void *)(vgpr + rec->off[slot]))
#define ALL_LANES (w->s[BW_SRC_EXEC_LO] == UINT32_MAX)

static inline const void *scalar0(const struct bw_rec *rec, const struct bw_wave *w)
{
	if (!rec->bcast)
		return (const void *)(uintptr_t)rec->off[1];
	unsigned code = rec->inst->src[0];
	return code == BW_SRC_SCC ? &w->scc : &w->s[code];
}

#define FAST_MAP(name, before, args)                                                               \
	__attribute__((unused, noinline)) static BW_HANDLER(fast_##name)                           \
	{                                                                                          \
		if (rec->bcast)                                                                    \
			bw_spread(rec, w, x);                                                      \
		before uint32_t *d = BW_OPERAND(0), exec = w->s[BW_SRC_EXEC_LO];                   \
		uint32_t *r = exec == UINT32_MAX ? d : (uint32_t *)x->tmp[1];                      \
		body_##name(r, BW_OPERAND(1), BW_OPERAND(2), BW_OPERAND(3), args);                 \
		if (r != d)                                                                        \
			blend(d, r, exec);                                                         \
		BW_NEXT(BW_FOLLOWING(rec));                                                        \
	}                                                                                          \
	HANDLER(fast_v_##name)                                                                     \
	{                                                                                          \
		if (!OFTEN(ALL_LANES))                                                             \
			return fast_##name(rec, w, x, left, vgpr);                                 \
		before body_##name(VGPR(0), VGPR(1), VGPR(2), VGPR(3), args);                      \
		BW_NEXT(BW_FOLLOWING(rec));                                                        \
	}                                                                                          \
	HANDLER(fast_s_##name)                                                                     \
	{                                                                                          \
		if (!OFTEN(ALL_LANES))                                                             \
			return fast_##name(rec, w, x, left, vgpr);                                 \
		before splat_##name(VGPR(0), scalar0(rec, w), VGPR(2), VGPR(3), args);             \
		BW_NEXT(BW_FOLLOWING(rec));                                                        \
	}

#define MASKED_ARGS(slot)                                                                          \
	const struct bw_lane_args masked = {.mask_in = *(const uint32_t *)BW_OPERAND(slot),        \
					    .m = &x->m};

#define ROW_(name)                                                                                 \
	ROW_FN(row_##name)                                                                         \
	{                                                                                          \
		return body_##name(d_, s0_, s1_, s2_, args);                                       \
	}
#define SAT_ROW_(name)                                                                             \
	ROW_FN(sat_##name)                                                                         \
	{                                                                                          \
		return satbody_##name(d_, s0_, s1_, s2_, args);                                    \
	}

#define FAST_CMP(name)                                                                             \
	HANDLER(fast_##name)                                                                       \
	{                                                                                          \
		if (rec->bcast)                                                                    \
			bw_spread(rec, w, x);                                                      \
		uint32_t r = body_##name(NULL, BW_OPERAND(1), BW_OPERAND(2), NULL, &x->args);      \
		*(uint32_t *)BW_OPERAND(0) = r & w->s[BW_SRC_EXEC_LO];                             \
		BW_NEXT(BW_FOLLOWING(rec));                                                        \
	}                                                                                          \
	HANDLER(fast_v_##name)                                                                     \
	{                                                                                          \
		uint32_t r = body_##name(NULL, VGPR(1), VGPR(2), NULL, &x->args);                  \
		*(uint32_t *)BW_OPERAND(0) = r & w->s[BW_SRC_EXEC_LO];                             \
		BW_NEXT(BW_FOLLOWING(rec));                                                        \
	}                                                                                          \
	HANDLER(fast_s_##name)                                                                     \
	{                                                                                          \
		uint32_t r = splat_##name(NULL, scalar0(rec, w), VGPR(2), NULL, &x->args);         \
		*(uint32_t *)BW_OPERAND(0) = r & w->s[BW_SRC_EXEC_LO];                             \
		BW_NEXT(BW_FOLLOWING(rec));                                                        \
	}

#include "vgpu/device/exec/alu/bodies.h"

static void blend(uint32_t *d, const uint32_t *s, uint32_t mask)
{
	EACH_LANE(l) {
		uint32_t m = (mask & bw_lane_bit[l]) == bw_lane_bit[l] ? UINT32_MAX : 0;
		d[l] = (s[l] & m) | (d[l] & ~m);
	}
}

/* Once more, as table entries. */
#define PK(name, row)
#define IS_32(T) (sizeof(lane_##T) == 4)
#define ENTRY(n, shape_, n_src_, D, T0, T1, T2, ...)                                               \
	{.name = #n,                                                                               \
	 .fn = row_##n,                                                                            \
	 .shape = shape_,                                                                          \
	 .n_src = n_src_,                                                                          \
	 .dst = BW_T_##D,                                                                          \
	 .src = {BW_T_##T0, BW_T_##T1, BW_T_##T2},                                                 \
	 __VA_ARGS__},
#define IF(cond, n)                                                                                \
	.fast = (cond) ? fast_##n : NULL, .fast_v = (cond) ? fast_v_##n : NULL,                    \
	.fast_s = (cond) ? fast_s_##n : NULL
#define FAST2_OF(n, D, T0, T1) IF(IS_32(D) && IS_32(T0) && IS_32(T1), n)
#define FAST3_OF(n, D, T0, T1, T2) IF(IS_32(D) && IS_32(T0) && IS_32(T1) && IS_32(T2), n)

#define MAP1(n, D, T0, expr) ENTRY(n, BW_SHAPE_MAP, 1, D, T0, NONE, NONE, FAST2_OF(n, D, T0, T0))
#define MAP2(n, D, T0, T1, expr) ENTRY(n, BW_SHAPE_MAP, 2, D, T0, T1, NONE, FAST2_OF(n, D, T0, T1))
#define MAP3(n, D, T0, T1, T2, expr)                                                               \
	ENTRY(n, BW_SHAPE_MAP, 3, D, T0, T1, T2, FAST3_OF(n, D, T0, T1, T2))
#define ACC2(n, D, T0, T1, expr)                                                                   \
	ENTRY(n, BW_SHAPE_MAP, 3, D, T0, T1, D, .reads_dst = true, FAST3_OF(n, D, T0, T1, D))
#define ACC2S(n, D, T0, T1, expr, R, exact)                                                        \
	ENTRY(n, BW_SHAPE_MAP, 3, D, T0, T1, D, .reads_dst = true, .sat = sat_##n,                 \
	      FAST3_OF(n, D, T0, T1, D))
#define HALF1(n, expr) ENTRY(n, BW_SHAPE_MAP, 1, F16, F16, NONE, NONE, .sat = NULL)
#define HALF1I(n, expr) ENTRY(n, BW_SHAPE_MAP, 2, F16, F16, I16, NONE, .sat = NULL)
#define NARROW1(n, T0, expr) ENTRY(n, BW_SHAPE_MAP, 1, F16, T0, NONE, NONE, .sat = NULL)
#define NARROW3(n, D, T0, T1, T2, expr) ENTRY(n, BW_SHAPE_MAP, 3, D, T0, T1, T2, .sat = NULL)
#define WIDEN1(n, D, expr) ENTRY(n, BW_SHAPE_MAP, 1, D, F16, NONE, NONE, .sat = NULL)
#define PACK_RTZ(n) ENTRY(n, BW_SHAPE_MAP, 2, X32, F32, F32, NONE, FAST2_OF(n, X32, F32, F32))
#define DOT_HALF(n) ENTRY(n, BW_SHAPE_MAP, 3, F16, PKH, PKH, F16, .sat = NULL)
#define HALF2(n, expr) ENTRY(n, BW_SHAPE_MAP, 2, F16, F16, F16, NONE, .sat = NULL)
#define HALF3(n, expr) ENTRY(n, BW_SHAPE_MAP, 3, F16, F16, F16, F16, .sat = NULL)
#define HALF2ACC(n, expr) ENTRY(n, BW_SHAPE_MAP, 3, F16, F16, F16, F16, .reads_dst = true)
#define MAP2S(n, D, T0, T1, expr, R, exact)                                                        \
	ENTRY(n, BW_SHAPE_MAP, 2, D, T0, T1, NONE, .sat = sat_##n, FAST2_OF(n, D, T0, T1))
#define MAP3S(n, D, T0, T1, T2, expr, R, exact)                                                    \
	ENTRY(n, BW_SHAPE_MAP, 3, D, T0, T1, T2, .sat = sat_##n, FAST3_OF(n, D, T0, T1, T2))
#define MAP3Q(n, D, T0, T1, T2, expr, clamped)                                                     \
	ENTRY(n, BW_SHAPE_MAP, 3, D, T0, T1, T2, .sat = sat_##n)
#define SEL2(n, D, T0, T1, expr)                                                                   \
	ENTRY(n, BW_SHAPE_SEL, 2, D, T0, T1, NONE, .takes_mask = true, FAST2_OF(n, D, T0, T1))
#define VCC3(n, T, expr) ENTRY(n, BW_SHAPE_MAP, 3, T, T, T, T, .takes_mask = true, .vcc_mask = true)
#define CARRY2(n, D, T0, T1, expr, carry, exact)                                                   \
	ENTRY(n, BW_SHAPE_CARRY, 2, D, T0, T1, NONE, .sat = sat_##n)
#define CARRY2M(n, D, T0, T1, expr, carry, exact)                                                  \
	ENTRY(n, BW_SHAPE_CARRY, 2, D, T0, T1, NONE, .sat = sat_##n, .takes_mask = true)
#define SCALE(n, T, f) ENTRY(n, BW_SHAPE_CARRY, 3, T, T, T, T, .sat = NULL)
#define MAD64(n, D, T, narrow, wide, lo, hi) ENTRY(n, BW_SHAPE_CARRY, 3, D, T, T, D, .sat = sat_##n)
#define CMP2(n, T0, T1, expr)                                                                      \
	{.name = "v_cmp_" #n,                                                                      \
	 .fn = row_v_cmp_##n,                                                                      \
	 .shape = BW_SHAPE_CMP,                                                                    \
	 .n_src = 2,                                                                               \
	 .src = {BW_T_##T0, BW_T_##T1},                                                            \
	 FAST2_OF(v_cmp_##n, T0, T0, T1)},                                                         \
		{.name = "v_cmpx_" #n,                                                             \
		 .fn = row_v_cmp_##n,                                                              \
		 .shape = BW_SHAPE_CMPX,                                                           \
		 .n_src = 2,                                                                       \
		 .src = {BW_T_##T0, BW_T_##T1},                                                    \
		 FAST2_OF(v_cmp_##n, T0, T0, T1)},

static const struct bw_map_row rows[] = {
#include "vgpu/device/exec/sem/vop1.def"
#include "vgpu/device/exec/sem/vop2.def"
#include "vgpu/device/exec/sem/vop3.def"
#include "vgpu/device/exec/sem/vopc.def"
#include "vgpu/device/exec/sem/vop3p.def"
};

const struct bw_row_set BW_ROWS = {.row = rows,
				   .n_rows = sizeof(rows) / sizeof(rows[0]),
				   .blend = blend,
				   .plain = CAT(BW_ROWS, _plain),
				   .wmma = CAT(BW_ROWS, _wmma),
				   .wmma_int = CAT(BW_ROWS, _wmma_int)};
