/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_LANE_FLOAT_H
#define BW_VGPU_EXEC_LANE_FLOAT_H

/* Helpers of the rows (lane_math.h): floats by their bits. Classes, denormals, min and max. */

#include <stdint.h>

#include "vgpu/device/exec/core/fmode.h"

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

static inline float flushed(float f)
{
	return bits_f32(flush32(f32_bits(f), 1));
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

#endif
