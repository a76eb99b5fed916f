/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_BODIES_H
#define BW_VGPU_EXEC_BODIES_H

/* The lane-wise rows of the sem/vop*.def tables made into inline functions: body_NAME for 32 lanes;
 * splat_NAME, where there is one, with one src0 for all lanes; satbody_NAME for CLAMP on an integer
 * result. A file that includes this makes of them what it needs (rows.c handlers and a table), by
 * four macros that it defines before:
 *
 *   ROW_(name)                     there is a body_NAME
 *   SAT_ROW_(name)                 there is a satbody_NAME
 *   FAST_MAP(name, before, args)   there is a splat_NAME; args: what the body takes besides its
 *                                  operands, which `before` has prepared
 *   FAST_CMP(name)                 the same for a compare
 *
 * Forms (D, T0.. are types: U32 I32 F32 B32 N32 X32, the same with 64, U16 I16 B16 F16):
 *   MAP1..3(name, D, T0.., expr)         result for one lane from S0, S1, S2
 *   ACC2(name, D, T0, T1, expr)          the same, S2 is the old destination
 *   ACC2S(.., expr, R, exact)            the same; with CLAMP as MAP3S
 *   MAP2S, MAP3S(.., expr, R, exact)     with CLAMP: the exact value saturated to R's range
 *   MAP3Q(.., expr, clamped)             with CLAMP: another expression
 *   HALF1..3, HALF2ACC(name, expr)       f16, computed in f32 and rounded; ACC as above
 *   HALF1I(name, expr)                   the same, S1 is an i16
 *   NARROW1(name, T0, expr)              an f32 result rounded to f16
 *   NARROW3(name, D, T0.., expr)         the same, D says which half of the register
 *   WIDEN1(name, D, expr)                S0 is an f16 as a float
 *   PACK_RTZ(name)                       two f32 rounded towards zero to a pair of f16
 *   DOT_HALF(name)                       S2 + S0.lo * S1.lo, then + S0.hi * S1.hi, in f16
 *   SEL2(name, D, T0, T1, expr)          M is the lane's bit of the mask operand
 *   VCC3(name, T, expr)                  M is the lane's bit of VCC
 *   CARRY2, CARRY2M(.., expr, carry, exact)  a mask result; M as carry in
 *   SCALE, MAD64                         v_div_scale, v_mad_u64: two results
 *   CMP2(name, T0, T1, expr)             v_cmp_name and v_cmpx_name
 * N32 and N64 are floats that the row handles by their bits; B16, F16 are always bits. FM is the
 * float mode. Modifiers, EXEC and write-back are not a row's business.
 *
 * Long file: one macro for each form, and all of them see the same tables. */

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/alu/lane_approx.h"
#include "vgpu/device/exec/alu/lane_bits.h"
#include "vgpu/device/exec/alu/lane_fp8.h"
#include "vgpu/device/exec/alu/lane_math.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

typedef uint32_t lane_B32, lane_U32, lane_N32, lane_X32;
typedef int32_t lane_I32;
typedef float lane_F32;
typedef uint64_t lane_B64, lane_U64, lane_N64;
typedef int64_t lane_I64;
typedef double lane_F64;
typedef uint16_t lane_B16, lane_U16, lane_F16, lane_BF16, lane_F16H;
typedef uint32_t lane_PKH, lane_PKB;
typedef uint64_t lane_PKF;
typedef float lane_MIX;
typedef int16_t lane_I16;

#define LO_U16 0
#define HI_U16 0xffff
#define LO_I16 (-0x8000)
#define HI_I16 0x7fff
#define LO_U32 0
#define HI_U32 0xffffffffll
#define LO_I32 (-0x80000000ll)
#define HI_I32 0x7fffffffll

/* A copy, which the compiler knows that no result overwrites. */
#define FM (&mode_)
#define NEG (args->neg)
#define IN32(f) bits_f32(flush32(f32_bits(f), FM->flush_in32))
#define LO32(v) bits_f32((uint32_t)(v))
#define HI32(v) bits_f32((uint32_t)((v) >> 32))
#define PAIR32(lo, hi) ((uint64_t)f32_bits(hi) << 32 | f32_bits(lo))
#define IN64(f) bits_f64(flush64(f64_bits(f), FM->flush_in16))
#define LANES_BELOW(first) lanes_below(args->lane0, first, l)

/* v_mbcnt: of the 32 lanes from `first` on, those below lane lane0 + l. */
static inline uint32_t lanes_below(uint32_t lane0, uint32_t first, unsigned l)
{
	return lane0 < first ? 0 : lane0 > first ? UINT32_MAX : (1u << l) - 1;
}

/* Operands may be the destination, but never overlap it otherwise: lanes do not depend on each
 * other. */
#ifdef __clang__
#define VECTORS                                                                                    \
	_Pragma("clang loop vectorize(assume_safety) vectorize_width(32) interleave_count(1)")
#define EACH_LANE(l) VECTORS for (unsigned l = 0; l < BW_LANES; l++)
#else
#define EACH_LANE(l) _Pragma("GCC ivdep") for (unsigned l = 0; l < BW_LANES; l++)
#endif

#define ROW_FN(name)                                                                               \
	static uint32_t name(void *d_, const void *s0_, const void *s1_, const void *s2_,          \
			     const struct bw_lane_args *args)
#define BODY_FN(name)                                                                              \
	static inline __attribute__((always_inline)) uint32_t name(                                \
		void *d_, const void *s0_, const void *s1_, const void *s2_,                       \
		const struct bw_lane_args *args)
#define UNUSED                                                                                     \
	const struct bw_fmode mode_ = *args->m;                                                    \
	(void)d_, (void)s0_, (void)s1_, (void)s2_, (void)mode_

/* f16 lanes to floats and back. The host's conversions do what f16_to_f32 and f32_to_f16 do, but
 * for flushes and FP16_OVFL. */
static inline void widen_lanes(float *d, const uint16_t *s, const struct bw_fmode *m)
{
#ifdef __F16C__
	if (!m->flush_in16) {
		for (unsigned l = 0; l < BW_LANES; l += 8)
			_mm256_storeu_ps(d + l,
					 _mm256_cvtph_ps(_mm_loadu_si128((const void *)(s + l))));
		return;
	}
#endif
	EACH_LANE(l)
		d[l] = f16_to_f32(s[l], m->flush_in16);
}

/* Whatever MXCSR rounds to: where a row's float operations round as f32, the f16 field counts
 * here. */
static inline void narrow_to(uint16_t *d, const float *s, enum bw_round round,
			     const struct bw_fmode *m)
{
#ifdef __F16C__
#define NARROW(imm)                                                                                \
	for (unsigned l = 0; l < BW_LANES; l += 8)                                                 \
		_mm_storeu_si128((void *)(d + l), _mm256_cvtps_ph(_mm256_loadu_ps(s + l), imm));   \
	return
	if (!m->flush_out16 && !m->fp16_ovfl) {
		switch (round) {
		case BW_ROUND_NEAREST:
			NARROW(_MM_FROUND_TO_NEAREST_INT);
		case BW_ROUND_UP:
			NARROW(_MM_FROUND_TO_POS_INF);
		case BW_ROUND_DOWN:
			NARROW(_MM_FROUND_TO_NEG_INF);
		case BW_ROUND_ZERO:
			NARROW(_MM_FROUND_TO_ZERO);
		}
	}
#undef NARROW
#endif
	EACH_LANE(l)
		d[l] = f32_to_f16(s[l], round, m);
}

static inline void narrow_lanes(uint16_t *d, const float *s, const struct bw_fmode *m)
{
	narrow_to(d, s, (enum bw_round)m->round16, m);
}

#define MAP1(name, D, T0, expr) MAP_(name, D, T0, T0, T0, 1, expr)
#define MAP2(name, D, T0, T1, expr) MAP_(name, D, T0, T1, T1, 2, expr)
#define MAP3(name, D, T0, T1, T2, expr) MAP_(name, D, T0, T1, T2, 3, expr)
#define ACC2(name, D, T0, T1, expr) MAP_(name, D, T0, T1, D, 3, expr)
#define ACC2S(name, D, T0, T1, expr, R, exact) MAP3S(name, D, T0, T1, D, expr, R, exact)

/* Only the operands that exist may be looked at; n is a constant. */
#define LANE_OPERANDS(T0, T1, T2, n)                                                               \
	const lane_##T0 S0 = ((const lane_##T0 *)s0_)[l];                                          \
	REST_OPERANDS(T1, T2, n)
#define REST_OPERANDS(T1, T2, n)                                                                   \
	const lane_##T1 S1 = n > 1 ? ((const lane_##T1 *)s1_)[l] : (lane_##T1)0;                   \
	const lane_##T2 S2 = n > 2 ? ((const lane_##T2 *)s2_)[l] : (lane_##T2)0;                   \
	(void)S0, (void)S1, (void)S2

#define BODY_(name, D, T0, T1, T2, n, expr)                                                        \
	BODY_FN(name)                                                                              \
	{                                                                                          \
		lane_##D *d = d_;                                                                  \
		UNUSED;                                                                            \
		EACH_LANE(l) {                                                                     \
			LANE_OPERANDS(T0, T1, T2, n);                                              \
			d[l] = (lane_##D)(expr);                                                   \
		}                                                                                  \
		return 0;                                                                          \
	}
/* Like BODY, with one src0 for all lanes. */
#define SPLAT_(name, D, T0, T1, T2, n, expr)                                                       \
	BODY_FN(name)                                                                              \
	{                                                                                          \
		lane_##D *d = d_;                                                                  \
		const lane_##T0 S0 = *(const lane_##T0 *)s0_;                                      \
		UNUSED;                                                                            \
		EACH_LANE(l) {                                                                     \
			REST_OPERANDS(T1, T2, n);                                                  \
			d[l] = (lane_##D)(expr);                                                   \
		}                                                                                  \
		return 0;                                                                          \
	}
#define MAP_(name, D, T0, T1, T2, n, expr)                                                         \
	BODY_(body_##name, D, T0, T1, T2, n, expr)                                                 \
	SPLAT_(splat_##name, D, T0, T1, T2, n, expr)                                               \
	ROW_(name)                                                                                 \
	FAST_MAP(name, , &x->args)

/* f16 arithmetic in f32 lanes: S0.. are floats, the result is rounded to f16. */
#define HALF_(name, n, expr)                                                                       \
	BODY_FN(body_##name)                                                                       \
	{                                                                                          \
		float a[BW_LANES], b[BW_LANES], c[BW_LANES], r[BW_LANES];                          \
		UNUSED;                                                                            \
		widen_lanes(a, s0_, FM);                                                           \
		if (n > 1)                                                                         \
			widen_lanes(b, s1_, FM);                                                   \
		if (n > 2)                                                                         \
			widen_lanes(c, s2_, FM);                                                   \
		EACH_LANE(l) {                                                                     \
			const float S0 = a[l], S1 = n > 1 ? b[l] : 0.0f, S2 = n > 2 ? c[l] : 0.0f; \
			(void)S1, (void)S2;                                                        \
			r[l] = (expr);                                                             \
		}                                                                                  \
		narrow_lanes(d_, r, FM);                                                           \
		return 0;                                                                          \
	}                                                                                          \
	ROW_(name)
#define HALF1(name, expr) HALF_(name, 1, expr)
#define HALF2(name, expr) HALF_(name, 2, expr)
#define HALF3(name, expr) HALF_(name, 3, expr)
#define HALF2ACC(name, expr) HALF_(name, 3, expr)

#define HALF1I(name, expr)                                                                         \
	BODY_FN(body_##name)                                                                       \
	{                                                                                          \
		float a[BW_LANES], r[BW_LANES];                                                    \
		UNUSED;                                                                            \
		widen_lanes(a, s0_, FM);                                                           \
		EACH_LANE(l) {                                                                     \
			const float S0 = a[l];                                                     \
			const int16_t S1 = ((const int16_t *)s1_)[l];                              \
			r[l] = (expr);                                                             \
		}                                                                                  \
		narrow_lanes(d_, r, FM);                                                           \
		return 0;                                                                          \
	}                                                                                          \
	ROW_(name)

#define NARROW_(name, T0, T1, T2, n, expr)                                                         \
	BODY_FN(body_##name)                                                                       \
	{                                                                                          \
		float r[BW_LANES];                                                                 \
		UNUSED;                                                                            \
		EACH_LANE(l) {                                                                     \
			LANE_OPERANDS(T0, T1, T2, n);                                              \
			r[l] = (expr);                                                             \
		}                                                                                  \
		narrow_lanes(d_, r, FM);                                                           \
		return 0;                                                                          \
	}                                                                                          \
	ROW_(name)
#define NARROW1(name, T0, expr) NARROW_(name, T0, T0, T0, 1, expr)
#define NARROW3(name, D, T0, T1, T2, expr) NARROW_(name, T0, T1, T2, 3, expr)

#define WIDEN1(name, D, expr)                                                                      \
	BODY_FN(body_##name)                                                                       \
	{                                                                                          \
		lane_##D *d = d_;                                                                  \
		float a[BW_LANES];                                                                 \
		UNUSED;                                                                            \
		widen_lanes(a, s0_, FM);                                                           \
		EACH_LANE(l) {                                                                     \
			const float S0 = a[l];                                                     \
			d[l] = (lane_##D)(expr);                                                   \
		}                                                                                  \
		return 0;                                                                          \
	}                                                                                          \
	ROW_(name)

#define PACK_RTZ_(name, first)                                                                     \
	BODY_FN(name)                                                                              \
	{                                                                                          \
		float a[BW_LANES], b[BW_LANES];                                                    \
		uint16_t lo[BW_LANES], hi[BW_LANES];                                               \
		uint32_t *d = d_;                                                                  \
		UNUSED;                                                                            \
		EACH_LANE(l) {                                                                     \
			a[l] = IN32(((const float *)s0_)[(first) ? 0 : l]);                        \
			b[l] = IN32(((const float *)s1_)[l]);                                      \
		}                                                                                  \
		narrow_to(lo, a, BW_ROUND_ZERO, FM);                                               \
		narrow_to(hi, b, BW_ROUND_ZERO, FM);                                               \
		EACH_LANE(l)                                                                       \
			d[l] = lo[l] | (uint32_t)hi[l] << 16;                                      \
		return 0;                                                                          \
	}
#define PACK_RTZ(name)                                                                             \
	PACK_RTZ_(body_##name, 0)                                                                  \
	PACK_RTZ_(splat_##name, 1)                                                                 \
	ROW_(name)                                                                                 \
	FAST_MAP(name, , &x->args)

/* The sum is an f16 after each step. */
#define DOT_HALF(name)                                                                             \
	BODY_FN(body_##name)                                                                       \
	{                                                                                          \
		uint16_t a[BW_LANES], b[BW_LANES], sum[BW_LANES];                                  \
		float x_[BW_LANES], y[BW_LANES], z[BW_LANES];                                      \
		UNUSED;                                                                            \
		memcpy(sum, s2_, sizeof(sum));                                                     \
		for (unsigned i = 0; i < 32; i += 16) {                                            \
			EACH_LANE(l) {                                                             \
				a[l] = (uint16_t)(((const uint32_t *)s0_)[l] >> i);                \
				b[l] = (uint16_t)(((const uint32_t *)s1_)[l] >> i);                \
			}                                                                          \
			widen_lanes(x_, a, FM);                                                    \
			widen_lanes(y, b, FM);                                                     \
			widen_lanes(z, sum, FM);                                                   \
			EACH_LANE(l)                                                               \
				z[l] = f16_fma_odd(x_[l], y[l], z[l], FM);                         \
			narrow_lanes(sum, z, FM);                                                  \
		}                                                                                  \
		memcpy(d_, sum, sizeof(sum));                                                      \
		return 0;                                                                          \
	}                                                                                          \
	ROW_(name)

#define SAT_(name, D, T0, T1, T2, n, R, exact)                                                     \
	BODY_(satbody_##name, D, T0, T1, T2, n, SAT((exact), LO_##R, HI_##R))                      \
	SAT_ROW_(name)
#define MAP2S(name, D, T0, T1, expr, R, exact)                                                     \
	MAP2(name, D, T0, T1, expr)                                                                \
	SAT_(name, D, T0, T1, T1, 2, R, exact)
#define MAP3S(name, D, T0, T1, T2, expr, R, exact)                                                 \
	MAP3(name, D, T0, T1, T2, expr)                                                            \
	SAT_(name, D, T0, T1, T2, 3, R, exact)
#define MAP3Q(name, D, T0, T1, T2, expr, clamped)                                                  \
	MAP3(name, D, T0, T1, T2, expr)                                                            \
	BODY_(satbody_##name, D, T0, T1, T2, 3, clamped)                                           \
	SAT_ROW_(name)

#define M (args->mask_in >> l & 1)

#define SEL2(name, D, T0, T1, expr)                                                                \
	BODY_(body_##name, D, T0, T1, T1, 2, expr)                                                 \
	SPLAT_(splat_##name, D, T0, T1, T1, 2, expr)                                               \
	ROW_(name)                                                                                 \
	FAST_MAP(name, MASKED_ARGS(3), &masked)

#define VCC3(name, T, expr)                                                                        \
	BODY_(body_##name, T, T, T, T, 3, expr)                                                    \
	ROW_(name)

#define CARRY_BODY_(name, D, T0, T1, expr, carry)                                                  \
	BODY_FN(name)                                                                              \
	{                                                                                          \
		lane_##D *d = d_;                                                                  \
		uint32_t mask = 0;                                                                 \
		UNUSED;                                                                            \
		EACH_LANE(l) {                                                                     \
			LANE_OPERANDS(T0, T1, T1, 2);                                              \
			mask |= (uint32_t)(carry) << l;                                            \
			d[l] = (lane_##D)(expr);                                                   \
		}                                                                                  \
		return mask;                                                                       \
	}
#define CARRY_(name, D, T0, T1, expr, carry, exact)                                                \
	CARRY_BODY_(body_##name, D, T0, T1, expr, carry)                                           \
	CARRY_BODY_(satbody_##name, D, T0, T1, SAT((exact), LO_##D, HI_##D), carry)                \
	ROW_(name)                                                                                 \
	SAT_ROW_(name)
#define CARRY2(name, D, T0, T1, expr, carry, exact) CARRY_(name, D, T0, T1, expr, carry, exact)
#define CARRY2M(name, D, T0, T1, expr, carry, exact) CARRY_(name, D, T0, T1, expr, carry, exact)

#define SCALE(name, T, fn)                                                                         \
	BODY_FN(body_##name)                                                                       \
	{                                                                                          \
		lane_##T *d = d_;                                                                  \
		uint32_t mask = 0;                                                                 \
		for (unsigned l = 0; l < BW_LANES; l++) {                                          \
			uint32_t bit;                                                              \
			d[l] = fn(((const lane_##T *)s0_)[l], ((const lane_##T *)s1_)[l],          \
				  ((const lane_##T *)s2_)[l], args->m, &bit);                      \
			mask |= bit << l;                                                          \
		}                                                                                  \
		return mask;                                                                       \
	}                                                                                          \
	ROW_(name)

/* The mask is the bit that does not fit into 64: rule 191. */
#define MAD64(name, D, T, narrow, wide, lo, hi)                                                    \
	static inline __attribute__((always_inline)) uint32_t mad_##name(                          \
		narrow *d, const lane_##T *a, const lane_##T *b, const narrow *c, int sat)         \
	{                                                                                          \
		uint32_t mask = 0;                                                                 \
		for (unsigned l = 0; l < BW_LANES; l++) {                                          \
			wide sum = (wide)a[l] * b[l] + (wide)c[l];                                 \
			narrow low = (narrow)(uint64_t)sum;                                        \
			mask |= (uint32_t)((wide)low != sum) << l;                                 \
			d[l] = !sat || (wide)low == sum ? low : (wide)hi < sum ? hi : lo;          \
		}                                                                                  \
		return mask;                                                                       \
	}                                                                                          \
	BODY_FN(body_##name)                                                                       \
	{                                                                                          \
		(void)args;                                                                        \
		return mad_##name(d_, s0_, s1_, s2_, 0);                                           \
	}                                                                                          \
	BODY_FN(satbody_##name)                                                                    \
	{                                                                                          \
		(void)args;                                                                        \
		return mad_##name(d_, s0_, s1_, s2_, 1);                                           \
	}                                                                                          \
	ROW_(name)                                                                                 \
	SAT_ROW_(name)

/* Lanes of all ones or all zeros to a mask. */
static inline uint32_t lanes_to_mask(const int32_t *t)
{
	uint32_t mask = 0;
#ifdef __AVX__
	typedef float v8 __attribute__((vector_size(32)));
	for (unsigned i = 0; i < BW_LANES; i += 8)
		mask |= (uint32_t)__builtin_ia32_movmskps256(*(const v8 *)(const void *)(t + i))
			<< i;
#else
	typedef float v4 __attribute__((vector_size(16)));
	for (unsigned i = 0; i < BW_LANES; i += 4)
		mask |= (uint32_t)__builtin_ia32_movmskps(*(const v4 *)(const void *)(t + i)) << i;
#endif
	return mask;
}

#define CMP_BODY_(name, T0, T1, expr, first)                                                       \
	BODY_FN(name)                                                                              \
	{                                                                                          \
		int32_t t[BW_LANES] __attribute__((aligned(32)));                                  \
		UNUSED;                                                                            \
		EACH_LANE(l) {                                                                     \
			const lane_##T0 S0 = ((const lane_##T0 *)s0_)[(first) ? 0 : l];            \
			const lane_##T1 S1 = ((const lane_##T1 *)s1_)[l];                          \
			(void)S0, (void)S1;                                                        \
			t[l] = (expr) ? -1 : 0;                                                    \
		}                                                                                  \
		return lanes_to_mask(t);                                                           \
	}
#define CMP2(name, T0, T1, expr)                                                                   \
	CMP_BODY_(body_v_cmp_##name, T0, T1, expr, 0)                                              \
	CMP_BODY_(splat_v_cmp_##name, T0, T1, expr, 1)                                             \
	ROW_(v_cmp_##name)                                                                         \
	FAST_CMP(v_cmp_##name)

#define PK(name, row) /* sem.c */
#include "vgpu/device/exec/sem/vop1.def"
#include "vgpu/device/exec/sem/vop2.def"
#include "vgpu/device/exec/sem/vop3.def"
#include "vgpu/device/exec/sem/vopc.def"
#include "vgpu/device/exec/sem/vop3p.def"

#undef NARROW
#undef HALF1
#undef HALF1I
#undef NARROW1
#undef NARROW3
#undef WIDEN1
#undef PACK_RTZ
#undef DOT_HALF
#undef HALF2
#undef HALF3
#undef HALF2ACC
#undef MAP1
#undef MAP2
#undef MAP3
#undef ACC2
#undef ACC2S
#undef MAP2S
#undef MAP3S
#undef MAP3Q
#undef SEL2
#undef VCC3
#undef CARRY2
#undef CARRY2M
#undef SCALE
#undef MAD64
#undef CMP2

#endif
