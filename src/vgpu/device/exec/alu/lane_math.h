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
#include "vgpu/device/exec/alu/lane_half.h"

/* ---- classes of values by bits ---- */

#define F32_ABS(a) ((a) & 0x7fffffffu)
#define F32_IS_NAN(a) (F32_ABS(a) > 0x7f800000u)
#define F32_IS_SNAN(a) (F32_IS_NAN(a) && !((a) & 0x400000u))
#define F32_IS_DENORM(a) (F32_ABS(a) < 0x800000u && F32_ABS(a) != 0)
#define F32_QUIET 0x400000u
#define F64_ABS(a) ((a) & 0x7fffffffffffffffull)
#define F64_IS_NAN(a) (F64_ABS(a) > 0x7ff0000000000000ull)
#define F64_IS_SNAN(a) (F64_IS_NAN(a) && !((a) & 0x8000000000000ull))
#define F64_IS_DENORM(a) (F64_ABS(a) < 0x10000000000000ull && F64_ABS(a) != 0)
#define F64_QUIET 0x8000000000000ull

/* Inputs and outputs that are denormal become zeros with their sign when MODE says so: rule 110. */
static inline uint32_t flush32(uint32_t a, uint32_t on)
{
	uint32_t tiny = (uint32_t)(F32_ABS(a) < 0x800000u) & (uint32_t)(on != 0);
	return tiny ? a & 0x80000000u : a;
}

static inline uint64_t flush64(uint64_t a, uint32_t on)
{
	uint64_t tiny = (uint64_t)(F64_ABS(a) < 0x10000000000000ull) & (uint64_t)(on != 0);
	return tiny ? a & 0x8000000000000000ull : a;
}

/* ---- min and max: rules 173 to 177 ---- */

/* Integers in the order of the floats, -0 below +0. */
static inline int32_t f32_order(uint32_t a)
{
	return (int32_t)(a ^ ((uint32_t)((int32_t)a >> 31) & 0x7fffffffu));
}

static inline int64_t f64_order(uint64_t a)
{
	return (int64_t)(a ^ ((uint64_t)((int64_t)a >> 63) & 0x7fffffffffffffffull));
}

static inline uint32_t minmax32(uint32_t a, uint32_t b, int max, const struct bw_fmode *m)
{
	a = flush32(a, m->flush_in32);
	b = flush32(b, m->flush_in32);
	int a_first = max ? f32_order(a) >= f32_order(b) : f32_order(a) < f32_order(b);
	uint32_t r = a_first ? a : b;
	r = F32_IS_NAN(b) ? a : r;
	r = F32_IS_NAN(a) ? b : r;
	uint32_t ieee = m->ieee;
	r = ieee & (uint32_t)F32_IS_NAN(b) & (uint32_t)!(b & F32_QUIET) ? b | F32_QUIET : r;
	r = ieee & (uint32_t)F32_IS_NAN(a) & (uint32_t)!(a & F32_QUIET) ? a | F32_QUIET : r;
	return r;
}

static inline uint64_t minmax64(uint64_t a, uint64_t b, int max, const struct bw_fmode *m)
{
	a = flush64(a, m->flush_in16);
	b = flush64(b, m->flush_in16);
	int a_first = max ? f64_order(a) >= f64_order(b) : f64_order(a) < f64_order(b);
	uint64_t r = a_first ? a : b;
	r = F64_IS_NAN(b) ? a : r;
	r = F64_IS_NAN(a) ? b : r;
	uint64_t ieee = m->ieee;
	r = ieee & (uint64_t)F64_IS_NAN(b) & (uint64_t)!(b & F64_QUIET) ? b | F64_QUIET : r;
	r = ieee & (uint64_t)F64_IS_NAN(a) & (uint64_t)!(a & F64_QUIET) ? a | F64_QUIET : r;
	return r;
}

#define MIN32(a, b) minmax32(a, b, 0, FM)
#define MAX32(a, b) minmax32(a, b, 1, FM)
#define MIN64(a, b) minmax64(a, b, 0, FM)
#define MAX64(a, b) minmax64(a, b, 1, FM)

static inline uint32_t med3_f32(uint32_t a, uint32_t b, uint32_t c, const struct bw_fmode *m)
{
	uint32_t lo = minmax32(a, b, 0, m), hi = minmax32(a, b, 1, m);
	uint32_t mid = minmax32(lo, minmax32(hi, c, 0, m), 1, m);
	int nan = F32_IS_NAN(a) | F32_IS_NAN(b) | F32_IS_NAN(c);
	return nan ? minmax32(lo, c, 0, m) : mid;
}

#define IMIN(a, b) ((a) < (b) ? (a) : (b))
#define IMAX(a, b) ((a) > (b) ? (a) : (b))
#define IMED3(a, b, c) IMAX(IMIN(a, b), IMIN(IMAX(a, b), c))

/* ---- classes: rule 183 ---- */

static inline uint32_t class_bit(int neg, int nan, int quiet, int inf, int denorm, int zero)
{
	if (nan)
		return quiet ? 2 : 1;
	if (inf)
		return neg ? 4 : 0x200;
	if (zero)
		return neg ? 0x20 : 0x40;
	if (denorm)
		return neg ? 0x10 : 0x80;
	return neg ? 8 : 0x100;
}

static inline uint32_t class32(uint32_t a)
{
	return class_bit(a >> 31, F32_IS_NAN(a), (a & F32_QUIET) != 0, F32_ABS(a) == 0x7f800000u,
			 F32_IS_DENORM(a), F32_ABS(a) == 0);
}

static inline uint32_t class64(uint64_t a)
{
	return class_bit((int)(a >> 63), F64_IS_NAN(a), (a & F64_QUIET) != 0,
			 F64_ABS(a) == 0x7ff0000000000000ull, F64_IS_DENORM(a), F64_ABS(a) == 0);
}

static inline uint32_t class16(uint16_t a)
{
	uint32_t v = a & 0x7fffu;
	return class_bit(a >> 15, v > 0x7c00, (a & 0x200) != 0, v == 0x7c00, v && v < 0x400,
			 v == 0);
}

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

/* ---- approximate functions, within 1 ULP: rules 129 to 134 ---- */

/* Series in double, whose error is far below the last bit of an f32: no calls and no branches, so
 * that rows become vector code. */
#define SERIES(c, x) series(c, sizeof(c) / sizeof((c)[0]), x)
static inline __attribute__((always_inline)) double series(const double *c, unsigned n, double x)
{
	double v = c[n - 1];
#pragma GCC unroll 16
	for (unsigned k = n - 1; k-- > 0;)
		v = v * x + c[k];
	return v;
}

/* 2^x: of an integer near by the exponent, of the rest by ln2^k / k!. */
static inline double exp2_of(double x)
{
	static const double c[] = {
		1.0,
		0.6931471805599453,
		0.2402265069591007,
		0.055504108664821576,
		0.009618129107628477,
		0.0013333558146428441,
		0.00015403530393381606,
		1.5252733804059838e-05,
		1.3215486790144305e-06,
		1.0178086009239696e-07,
		7.054911620801121e-09,
	};
	x = x < -300.0 ? -300.0 : x > 300.0 ? 300.0 : x; /* no f32 is as far out; NaN stays */
	/* To an integer, and to the nearest unless MODE rounds otherwise; then the rest may come
	 * near 1. */
	double whole = (x + 0x1.8p52) - 0x1.8p52, rest = x - whole;
	int32_t e = (int32_t)(x == x ? whole : 0.0);
	double power = bits_f64((uint64_t)(uint32_t)(e + 1023) << 52);
	return SERIES(c, rest) * power;
}

/* log2 of what is positive and normal: the exponent, so that m is within a factor of sqrt(2) of 1,
 * and of m the series of the inverse hyperbolic tangent. */
static inline double log2_of(double x)
{
	/* clang-format off */
	static const double c[] = {
		2.8853900817779268, 0.9617966939259756, 0.5770780163555853, 0.4121985831111324,
		0.3205988979753252, 0.2623081892525388, 0.22195308321368667, 0.19235933878519512,
		0.16972882833987804,
	};
	/* clang-format on */
	uint64_t bits = f64_bits(x);
	int32_t e = (int32_t)((uint32_t)(bits >> 32) - 0x3fe6a09eu) >> 20;
	double m = bits_f64(bits - ((uint64_t)(uint32_t)e << 52));
	double s = (m - 1.0) / (m + 1.0);
	return (double)e + s * SERIES(c, s * s);
}

/* sin of at most a quarter of a turn. */
static inline double sin_of_turns(double r)
{
	/* clang-format off */
	static const double c[] = {
		6.283185307179586, -41.341702240399755, 81.60524927607504, -76.70585975306136,
		42.058693944897634, -15.094642576822984, 3.8199525848482803, -0.7181223017785001,
		0.10422916220813978, -0.012031585942120619,
	};
	/* clang-format on */
	double v = r * SERIES(c, r * r);
	return r == 0.25 ? 1.0 : r == -0.25 ? -1.0 : v;
}

static inline float flushed(float f)
{
	return bits_f32(flush32(f32_bits(f), 1));
}

static inline float exp2_gpu(float f)
{
	float r = flushed((float)exp2_of((double)flushed(f)));
	return f == INFINITY ? f : f == -INFINITY ? 0.0f : r;
}

static inline float log2_gpu(float f)
{
	f = flushed(f);
	float r = (float)log2_of((double)f);
	r = f == INFINITY || f != f ? f + f : r;
	r = f == 0.0f ? bits_f32(0xff800000) : f == 1.0f ? 0.0f : r;
	return f < 0.0f ? bits_f32(0xffc00000) : r;
}

static inline float rcp_gpu(float f)
{
	return flushed((float)(1.0 / (double)f));
}

static inline float sqrt_gpu(float f)
{
	return f == 0.0f ? f : (float)__builtin_sqrt((double)f);
}

static inline double rsq64(double f)
{
	return f == 0.0 ? copysign(INFINITY, f) : 1.0 / __builtin_sqrt(f);
}

static inline float rsq_gpu(float f)
{
	float r = (float)(1.0 / __builtin_sqrt((double)f));
	return f == 0.0f ? bits_f32((f32_bits(f) & 0x80000000u) | 0x7f800000u) : r;
}

/* Arguments are revolutions; what is left after whole turns, at most half of one, is exact. */
static inline double turns_left(float f)
{
	return (double)f - floor((double)f + 0.5);
}

static inline float sin_gpu(float f)
{
	double r = turns_left(f);
	double t = r > 0.25 ? 0.5 - r : r < -0.25 ? -0.5 - r : r;
	float v = (float)sin_of_turns(t);
	return t == 0.0 ? f * 0.0f : v;
}

static inline float cos_gpu(float f)
{
	double r = turns_left(f);
	double a = r < 0.0 ? -r : r; /* and not fabs: a NaN keeps its sign */
	float v = (float)sin_of_turns(0.25 - a);
	return a == 0.25 ? 0.0f : v;
}

/* Of f16 values: results of an f32 that is rounded once more. */
static inline float exp2_half(float f)
{
	float r = (float)exp2_of((double)f);
	return f == INFINITY ? f : f == -INFINITY ? 0.0f : r;
}

static inline float log2_half(float f)
{
	float r = (float)log2_of((double)f);
	r = f == INFINITY || f != f ? f + f : r;
	r = f == 0.0f ? -INFINITY : f == 1.0f ? 0.0f : r;
	return f < 0.0f ? NAN : r;
}

static inline float sqrt_half(float f)
{
	return __builtin_sqrtf(f);
}

static inline float rsq_half(float f)
{
	float r = (float)(1.0 / __builtin_sqrt((double)f));
	return f == 0.0f ? __builtin_copysignf(INFINITY, f) : r;
}

/* x - floor(x), no more than the largest f16 below 1: rule 136. */
static inline float fract_half(float f)
{
	float r = f - floorf(f);
	return r > 0x0.ffep0f ? 0x0.ffep0f : r;
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

/* ---- bits and bytes ---- */

static inline int32_t sext(uint32_t v, unsigned bits)
{
	return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

static inline uint32_t bfe_u32(uint32_t v, uint32_t offset, uint32_t width)
{
	offset &= 31;
	width &= 31;
	return v >> offset & ((1u << width) - 1);
}

static inline int32_t bfe_i32(uint32_t v, uint32_t offset, uint32_t width)
{
	offset &= 31;
	width &= 31;
	if (width == 0)
		return 0;
	if (offset + width >= 32)
		return (int32_t)v >> offset;
	return sext(v >> offset, width);
}

static inline uint32_t brev32(uint32_t v)
{
	v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
	v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
	return __builtin_bswap32(v);
}

static inline int32_t clz32(uint32_t v)
{
	return v ? __builtin_clz(v) : -1;
}

static inline int32_t ctz32(uint32_t v)
{
	return v ? __builtin_ctz(v) : -1;
}

/* Leading bits equal to the sign: rule 92. */
static inline int32_t cls32(int32_t v)
{
	uint32_t u = (uint32_t)(v ^ v >> 31);
	return u ? __builtin_clz(u) : -1;
}

/* Rule 195. */
static inline uint32_t perm_b32(uint32_t s0, uint32_t s1, uint32_t sel)
{
	uint64_t both = (uint64_t)s0 << 32 | s1;
	uint32_t d = 0;
	for (unsigned i = 0; i < 4; i++) {
		uint32_t k = sel >> 8 * i & 0xff, byte;
		if (k <= 7)
			byte = (uint32_t)(both >> 8 * k & 0xff);
		else if (k <= 11)
			byte = both >> (16 * (k - 8) + 15) & 1 ? 0xff : 0;
		else
			byte = k == 12 ? 0 : 0xff;
		d |= byte << 8 * i;
	}
	return d;
}

/* Rule 201. */
static inline uint32_t lerp_u8(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t d = 0;
	for (unsigned i = 0; i < 32; i += 8)
		d |= (((a >> i & 0xff) + (b >> i & 0xff) + (c >> i & 1)) >> 1) << i;
	return d;
}

/* Sums of absolute differences: rules 192 and 193. */
static inline uint32_t abs_diff(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

static inline uint32_t sad_u8(uint32_t a, uint32_t b)
{
	uint32_t d = 0;
	for (unsigned i = 0; i < 32; i += 8)
		d += abs_diff(a >> i & 0xff, b >> i & 0xff);
	return d;
}

static inline uint32_t msad_u8(uint32_t a, uint32_t ref)
{
	uint32_t d = 0;
	for (unsigned i = 0; i < 32; i += 8)
		if (ref >> i & 0xff)
			d += abs_diff(a >> i & 0xff, ref >> i & 0xff);
	return d;
}

static inline uint32_t sad_u16(uint32_t a, uint32_t b)
{
	return abs_diff(a & 0xffff, b & 0xffff) + abs_diff(a >> 16, b >> 16);
}

static inline uint64_t qsad(uint64_t s0, uint32_t s1, uint64_t s2, int masked, int saturate)
{
	uint64_t d = 0;
	for (unsigned i = 0; i < 4; i++) {
		uint32_t window = (uint32_t)(s0 >> 8 * i);
		uint32_t v = (uint32_t)(s2 >> 16 * i & 0xffff) +
			     (masked ? msad_u8(window, s1) : sad_u8(window, s1));
		d |= (uint64_t)(saturate && v > 0xffff ? 0xffff : v & 0xffff) << 16 * i;
	}
	return d;
}

#define SAT(v, lo, hi) ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))

#endif
