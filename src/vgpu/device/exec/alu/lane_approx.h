/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_LANE_APPROX_H
#define BW_VGPU_EXEC_LANE_APPROX_H

/* Helpers of the rows (lane_math.h): the approximate functions. */

#include <math.h>
#include <stdint.h>

#include "base/float_bits.h"
#include "vgpu/device/exec/alu/lane_float.h"

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
	/* Rounds to the nearest integer, unless MODE rounds otherwise; then the rest may come near
	 * 1. */
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

/* For f16 values: the f32 result is rounded once more. */
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

#endif
