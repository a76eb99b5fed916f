/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_LANE_MATH_H
#define BW_VGPU_EXEC_LANE_MATH_H

/* Helpers of the rows: one lane's arithmetic that is too long for an infix expression. "Rule n" is
 * doc/rules.md. Floats that are handled by their bits are uint32_t, uint64_t (types N32, N64 of the
 * tables). Written without branches where it is cheap, so that a row becomes vector code. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/float_bits.h"
#include "vgpu/device/exec/core/fmode.h"
#include "vgpu/device/exec/alu/lane_float.h"
#include "vgpu/device/exec/alu/lane_half.h"

/* ---- float to integer: rule 154 ---- */

static inline int32_t f32_to_i32(float f)
{
	if (!(f == f))
		return 0;
	return f >= 2147483648.0f ? INT32_MAX : f < -2147483648.0f ? INT32_MIN : (int32_t)f;
}

static inline uint32_t f32_to_u32(float f)
{
	if (!(f > 0.0f))
		return 0;
	return f >= 4294967296.0f ? UINT32_MAX : (uint32_t)f;
}

static inline int32_t f64_to_i32(double f)
{
	if (!(f == f))
		return 0;
	return f >= 2147483648.0 ? INT32_MAX : f <= -2147483649.0 ? INT32_MIN : (int32_t)f;
}

static inline uint32_t f64_to_u32(double f)
{
	if (!(f > 0.0))
		return 0;
	return f >= 4294967296.0 ? UINT32_MAX : (uint32_t)f;
}

/* Saturates to lo..hi; truncates. */
static inline int32_t f32_to_int(float f, int32_t lo, int32_t hi)
{
	int32_t v = f32_to_i32(f);
	return v < lo ? lo : v > hi ? hi : v;
}

/* v_cvt_pk_norm: rule 164. */
static inline uint16_t f32_to_norm(float f, float lo, float scale)
{
	if (!(f == f))
		return 0;
	f = f < lo ? lo : f > 1.0f ? 1.0f : f;
	return (uint16_t)(int32_t)__builtin_rint((double)f * (double)scale);
}

/* ---- fma ---- */

#ifdef __FMA__
#define FMA32(a, b, c) __builtin_fmaf(a, b, c)
#define FMA64(a, b, c) __builtin_fma(a, b, c)
#else
#define FMA32(a, b, c) fmaf(a, b, c)
#define FMA64(a, b, c) fma(a, b, c)
#endif

/* S0 * S1 + S2 with a product of +0 when a factor is 0: rule 141. */
static inline float fma_dx9(float a, float b, float c, const struct bw_fmode *m)
{
	float addend = bits_f32(flush32(f32_bits(c), m->flush_in32 | m->flush_out32));
	return a == 0.0f || b == 0.0f ? addend : FMA32(a, b, c);
}

static inline float mul_dx9(float a, float b)
{
	return a == 0.0f || b == 0.0f ? 0.0f : a * b;
}

/* "mad" of gfx9: the product is rounded, too, and denormals count as 0 whatever MODE says (AMD's
 * ISA manual of Vega). */
static inline float mad_f32(float a, float b, float c)
{
	float product = flushed(flushed(a) * flushed(b));
	return flushed(product + flushed(c));
}

static inline float mad_dx9(float a, float b, float c)
{
	float product = flushed(mul_dx9(flushed(a), flushed(b)));
	return flushed(product + flushed(c));
}

static inline double pow2_f64(int e)
{
	return bits_f64((uint64_t)(e + 1023) << 52);
}

/* One rounding: the double holds f32 times 2^±300 exactly. */
static inline float ldexp32(float f, int32_t e)
{
	e = e < -300 ? -300 : e > 300 ? 300 : e;
	return (float)((double)f * pow2_f64(e));
}

static inline double ldexp64(double f, int32_t e)
{
	return scalbn(f, e);
}

/* v_frexp: rule 139. The exponent of a denormal is that of its leading bit. */
static inline int32_t frexp_exp32(uint32_t a, uint32_t flush)
{
	a = F32_ABS(flush32(a, flush));
	if (a == 0 || a >= 0x7f800000u)
		return 0;
	if (a < 0x800000u)
		return -117 - __builtin_clz(a);
	return (int32_t)(a >> 23) - 126;
}

static inline uint32_t frexp_mant32(uint32_t a, uint32_t flush)
{
	a = flush32(a, flush);
	uint32_t sign = a & 0x80000000u, v = F32_ABS(a);
	if (F32_IS_NAN(a))
		return a | F32_QUIET;
	if (v == 0 || v == 0x7f800000u)
		return a;
	if (v < 0x800000u)
		v <<= __builtin_clz(v) - 8;
	return sign | 0x3f000000u | (v & 0x7fffffu);
}

static inline int32_t frexp_exp64(uint64_t a, uint32_t flush)
{
	a = F64_ABS(flush64(a, flush));
	if (a == 0 || a >= 0x7ff0000000000000ull)
		return 0;
	if (a < 0x10000000000000ull)
		return -1010 - __builtin_clzll(a);
	return (int32_t)(a >> 52) - 1022;
}

static inline uint64_t frexp_mant64(uint64_t a, uint32_t flush)
{
	a = flush64(a, flush);
	uint64_t sign = a & 0x8000000000000000ull, v = F64_ABS(a);
	if (F64_IS_NAN(a))
		return a | F64_QUIET;
	if (v == 0 || v == 0x7ff0000000000000ull)
		return a;
	if (v < 0x10000000000000ull)
		v <<= __builtin_clzll(v) - 11;
	return sign | 0x3fe0000000000000ull | (v & 0xfffffffffffffull);
}

/* x - floor(x), below 1: rule 136. */
static inline float fract32(float f)
{
	float r = f - floorf(f);
	return r >= 1.0f ? 0x1.fffffep-1f : r;
}

static inline double fract64(double f)
{
	double r = f - floor(f);
	return r >= 1.0 ? 0x1.fffffffffffffp-1 : r;
}

/* ---- division: rules 144 to 150 ---- */

uint32_t div_scale32(uint32_t s0, uint32_t s1, uint32_t s2, const struct bw_fmode *m,
		     uint32_t *out_mask);
uint64_t div_scale64(uint64_t s0, uint64_t s1, uint64_t s2, const struct bw_fmode *m,
		     uint32_t *out_mask);
float div_fmas32(float a, float b, float c, uint32_t scale, const struct bw_fmode *m);
double div_fmas64(double a, double b, double c, uint32_t scale, const struct bw_fmode *m);
uint32_t div_fixup32(uint32_t q, uint32_t den, uint32_t num, const struct bw_fmode *m);
uint64_t div_fixup64(uint64_t q, uint64_t den, uint64_t num, const struct bw_fmode *m);
uint16_t div_fixup16(uint16_t q, uint16_t den, uint16_t num, const struct bw_fmode *m);

/* v_trig_preop_f64: trig_preop.c. */
double trig_preop64(uint64_t s0, uint32_t s1);

/* ---- cube maps: rule 143 ---- */

static inline int cube_axis(float x, float y, float z)
{
	x = __builtin_fabsf(x);
	y = __builtin_fabsf(y);
	z = __builtin_fabsf(z);
	return z >= x && z >= y ? 2 : y >= x ? 1 : 0;
}

static inline float cubeid(float x, float y, float z)
{
	int axis = cube_axis(x, y, z);
	float v = axis == 2 ? z : axis == 1 ? y : x;
	return (float)(2 * axis + (v < 0.0f));
}

static inline float cubesc(float x, float y, float z)
{
	int axis = cube_axis(x, y, z);
	return axis == 2 ? (z < 0.0f ? -x : x) : axis == 1 ? x : x < 0.0f ? z : -z;
}

static inline float cubetc(float x, float y, float z)
{
	int axis = cube_axis(x, y, z);
	return axis == 1 ? (y < 0.0f ? -z : z) : -y;
}

static inline float cubema(float x, float y, float z)
{
	int axis = cube_axis(x, y, z);
	return 2.0f * (axis == 2 ? z : axis == 1 ? y : x);
}

/* Rule 142. */
static inline float mullit(float a, float b, float c)
{
	float lowest = bits_f32(0xff7fffff);
	int no = !(b > lowest) || !(c > 0.0f);
	return no ? lowest : mul_dx9(a, b);
}

#endif
