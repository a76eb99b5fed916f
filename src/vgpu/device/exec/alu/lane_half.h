/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_LANE_HALF_H
#define BW_VGPU_EXEC_LANE_HALF_H

/* f16 and bf16 of one lane, their packed pairs and dot products (doc/rules.md 107 to 127 and 186 to
 * 224). Rounding is done by hand on the bits of a double, so that it does not depend on the host's
 * mode; everything is free of branches where a row should become vector code.
 *
 * Why a double is enough. f16 has 11 significant bits, bf16 has 8: the exact product of two fits
 * into a double's 53. Sums need not, and half_fma says how it makes theirs exact enough. A quotient
 * of two such numbers, or a square root, that is not an f16 is further than 2^-24 of itself from
 * every f16 and from every tie, so that it does not matter how the double was rounded. */

#include <stdint.h>
#include <string.h>

#include "base/float_bits.h"
#include "vgpu/device/exec/core/fmode.h"

/* ---- widening ---- */

/* Exact. A denormal f16 is a normal f32: an integer times 2^-24. */
static inline float f16_to_f32(uint16_t h, uint32_t flush)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, mag = h & 0x7fff;
	uint32_t tiny = f32_bits((float)(int32_t)mag * 0x1p-24f);
	uint32_t r = (mag << 13) + (112u << 23);
	r = mag < 0x400 ? (flush ? 0 : tiny) : r;
	r = mag >= 0x7c00 ? (mag << 13) | 0x7f800000u | (mag > 0x7c00 ? 0x400000u : 0) : r;
	return bits_f32(sign | r);
}

static inline uint16_t flush_bf16(uint16_t h, uint32_t flush)
{
	return flush && (h & 0x7fff) < 0x80 ? h & 0x8000 : h;
}

static inline float bf16_to_f32(uint16_t h)
{
	return bits_f32((uint32_t)h << 16);
}

/* ---- rounding ---- */

/* A double to a format of `frac` fraction bits whose smallest normal is 2^emin: sign in bit 15. */
static inline uint16_t round_to_16(double d, unsigned frac, int emin, enum bw_round round,
				   uint32_t flush, uint32_t saturate)
{
	const uint32_t inf = 0x7fffu & ~((1u << frac) - 1);
	uint64_t b = f64_bits(d), mag = b & 0x7fffffffffffffffull;
	uint32_t neg = (uint32_t)(b >> 63);
	int32_t e = (int32_t)(mag >> 52) - 1023;
	uint64_t mant = (mag & 0xfffffffffffffull) | (uint64_t)(mag >= 1ull << 52) << 52;
	int32_t below = emin - e;
	below = below < 0 ? 0 : below;
	int32_t drop = 52 - (int32_t)frac + below;
	drop = drop > 63 ? 63 : drop; /* all of it is below half of the last place */
	uint64_t all = (1ull << drop) - 1;
	uint64_t odd = mant >> drop & 1;
	uint32_t away = (round == BW_ROUND_UP && !neg) || (round == BW_ROUND_DOWN && neg);
	uint64_t add = round == BW_ROUND_NEAREST ? (all >> 1) + odd : away ? all : 0;
	uint32_t kept = (uint32_t)((mant + add) >> drop);
	/* The leading one of `kept` adds one to the exponent; a denormal that rounds up gets it so
	 * too. */
	uint32_t out = (below ? 0 : (uint32_t)(e - emin) << frac) + kept;
	uint32_t over = saturate || (round != BW_ROUND_NEAREST && !away) ? inf - 1 : inf;
	out = out >= inf ? over : out;
	/* Tiny is what would be below 2^emin when rounded with an exponent that knows no bounds. */
	uint64_t normal = (uint64_t)(emin + 1023) << 52, spared = 1ull << (52 - frac);
	normal -= round == BW_ROUND_NEAREST ? spared >> 1 : away ? spared - 1 : 0;
	out = flush && mag < normal ? 0 : out;
	uint32_t nan = inf | 1u << (frac - 1) | (uint32_t)(b >> (52 - frac) & (inf ^ 0x7fffu));
	out = e == 1024 ? (mag > 0x7ff0000000000000ull ? nan : inf) : out;
	return (uint16_t)(neg << 15 | out);
}

/* Converts an f32 to f16, in eight lanes at a time. */
static inline uint16_t f32_bits_to_f16(uint32_t b, enum bw_round round, const struct bw_fmode *m)
{
	uint32_t neg = b >> 31, mag = b & 0x7fffffffu;
	uint32_t e = mag >> 23, low = (uint32_t)(e < 113), below = low ? 113 - e : 0;
	uint32_t mant = (mag & 0x7fffff) | (uint32_t)(e != 0) << 23;
	uint32_t drop = 13 + below;
	drop = drop > 31 ? 31 : drop;
	uint32_t all = (1u << drop) - 1;
	uint32_t away = (uint32_t)(round == (neg ? BW_ROUND_DOWN : BW_ROUND_UP));
	uint32_t add = round == BW_ROUND_NEAREST ? (all >> 1) + (mant >> drop & 1) : away ? all : 0;
	uint32_t out = (low ? 0 : (e - 113) << 10) + ((mant + add) >> drop);
	uint32_t over = m->fp16_ovfl || (round != BW_ROUND_NEAREST && !away) ? 0x7bff : 0x7c00;
	out = out >= 0x7c00 ? over : out;
	uint32_t normal = (113u << 23) - (round == BW_ROUND_NEAREST ? 1u << 12
					  : away		    ? (1u << 13) - 1
								    : 0);
	out = m->flush_out16 && mag < normal ? 0 : out;
	out = mag >= 0x7f800000u ? (mag > 0x7f800000u ? 0x7e00 | (mag >> 13 & 0x3ff) : 0x7c00)
				 : out;
	return (uint16_t)(neg << 15 | out);
}

/* Infinities that come from infinite operands stay: rule 127. */
static inline uint16_t f64_to_f16(double d, enum bw_round round, const struct bw_fmode *m)
{
	return round_to_16(d, 10, -14, round, m->flush_out16, m->fp16_ovfl);
}

static inline uint16_t f32_to_f16(float f, enum bw_round round, const struct bw_fmode *m)
{
	return f32_bits_to_f16(f32_bits(f), round, m);
}

/* bf16 results follow the f16/f64 fields of MODE like other 16-bit results [I]. */
static inline uint16_t f64_to_bf16(double d, const struct bw_fmode *m)
{
	return round_to_16(d, 7, -126, (enum bw_round)m->round16, m->flush_out16, 0);
}

static inline uint32_t pack16(uint32_t lo, uint32_t hi)
{
	return (lo & 0xffff) | hi << 16;
}

/* An f16 as the double that rows compute with, and back with the one rounding. */
#define HF(h) ((double)f16_to_f32((uint16_t)(h), FM->flush_in16))
#define F16_OF(d) f64_to_f16(d, (enum bw_round)FM->round16, FM)

/* a * b + c of f16 or bf16 values, to be rounded to one of them. The product is exact and has at
 * most 22 bits. When the smaller addend is below 2^-30 of the larger one, only its sign can matter:
 * the larger lies on a tie of the result's format, on one of its values, or at least 2^-21 of
 * itself away from both. So 2^-30 takes its place, and the sum is exact: 30 + 22 bits. */
static inline double half_fma(double a, double b, double c)
{
	double p = a * b;
	uint64_t pm = f64_bits(p) & 0x7fffffffffffffffull, cm = f64_bits(c) & 0x7fffffffffffffffull;
	uint64_t big = pm > cm ? pm : cm;
	uint64_t least = (big & 0x7ff0000000000000ull) - (30ull << 52);
	/* else infinite or NaN: the sum says what comes out */
	uint64_t on = big < 0x7ff0000000000000ull;
	uint64_t sign = 1ull << 63;
	uint64_t p2 = on && pm && pm < least ? (f64_bits(p) & sign) | least : f64_bits(p);
	uint64_t c2 = on && cm && cm < least ? (f64_bits(c) & sign) | least : f64_bits(c);
	memcpy(&p, &p2, 8);
	memcpy(&c, &c2, 8);
	return p + c;
}

/* Sums and products of two f16 in f32, rounded again: 24 bits are 2 * 11 + 2, so that the first
 * rounding to nearest does no harm, and in the other modes the host rounds the f32 to the same
 * side. */
#define HS(h) f16_to_f32((uint16_t)(h), FM->flush_in16)
#define F16_OF_F32(f) f32_to_f16(f, (enum bw_round)FM->round16, FM)

/* a * b + c of f16 values, to be rounded to f16: the exact product, and a sum whose last bit says
 * whether something was lost, so that it never looks like a tie (to nearest only; the other modes
 * compose). */
static inline float f16_fma_odd(float a, float b, float c, const struct bw_fmode *m)
{
	float p = a * b, s = p + c;
	float from_p = s - c, from_c = s - from_p;
	float lost = (p - from_p) + (c - from_c);
	uint32_t bits = f32_bits(s);
	uint32_t inexact =
		(uint32_t)(lost > 0.0f || lost < 0.0f) & (uint32_t)(m->round16 == BW_ROUND_NEAREST);
	uint32_t outwards = (uint32_t)((lost > 0.0f) == !(bits >> 31));
	uint32_t odd = outwards ? bits + 1 : bits - 1;
	bits = inexact && !(bits & 1) ? odd : bits;
	return bits_f32(bits);
}

/* ---- min and max: rules 173 to 177 ---- */

#define F16_IS_NAN(a) (((a) & 0x7fffu) > 0x7c00u)
#define F16_IS_SNAN(a) (F16_IS_NAN(a) && !((a) & 0x200u))

static inline uint16_t flush16(uint16_t a, uint32_t on)
{
	uint16_t tiny = (uint16_t)((a & 0x7fff) < 0x400) & (uint16_t)(on != 0);
	return tiny ? a & 0x8000 : a;
}

/* Integers in the order of the floats, -0 below +0. */
static inline int16_t f16_order(uint16_t a)
{
	return (int16_t)(a ^ (a & 0x8000 ? 0x7fff : 0));
}

static inline uint16_t minmax16(uint16_t a, uint16_t b, int max, const struct bw_fmode *m)
{
	a = flush16(a, m->flush_in16);
	b = flush16(b, m->flush_in16);
	int a_first = max ? f16_order(a) >= f16_order(b) : f16_order(a) < f16_order(b);
	uint16_t r = a_first ? a : b;
	r = F16_IS_NAN(b) ? a : r;
	r = F16_IS_NAN(a) ? b : r;
	uint16_t ieee = m->ieee;
	r = ieee & (uint16_t)F16_IS_NAN(b) & (uint16_t)!(b & 0x200) ? b | 0x200 : r;
	r = ieee & (uint16_t)F16_IS_NAN(a) & (uint16_t)!(a & 0x200) ? a | 0x200 : r;
	return r;
}

#define MIN16(a, b) minmax16(a, b, 0, FM)
#define MAX16(a, b) minmax16(a, b, 1, FM)

static inline uint16_t med3_f16(uint16_t a, uint16_t b, uint16_t c, const struct bw_fmode *m)
{
	uint16_t lo = minmax16(a, b, 0, m), hi = minmax16(a, b, 1, m);
	uint16_t mid = minmax16(lo, minmax16(hi, c, 0, m), 1, m);
	int nan = F16_IS_NAN(a) | F16_IS_NAN(b) | F16_IS_NAN(c);
	return nan ? minmax16(lo, c, 0, m) : mid;
}

/* v_pack_b32_f16: rule 172. */
static inline uint16_t quiet16(uint16_t a, const struct bw_fmode *m)
{
	a = flush16(a, m->flush_in16);
	return m->ieee && F16_IS_SNAN(a) ? a | 0x200 : a;
}

/* v_frexp of f16: rule 139. */
static inline int16_t frexp_exp16(uint16_t a, uint32_t flush)
{
	a = flush16(a, flush) & 0x7fff;
	if (a == 0 || a >= 0x7c00)
		return 0;
	if (a < 0x400)
		return (int16_t)(8 - __builtin_clz(a)); /* 2^-24 is 0.5 * 2^-23 */
	return (int16_t)((a >> 10) - 14);
}

static inline uint16_t frexp_mant16(uint16_t a, uint32_t flush)
{
	a = flush16(a, flush);
	uint16_t sign = a & 0x8000, v = a & 0x7fff;
	if (v > 0x7c00)
		return a | 0x200;
	if (v == 0 || v == 0x7c00)
		return a;
	if (v < 0x400)
		v = (uint16_t)(v << (__builtin_clz(v) - 21));
	return sign | 0x3800 | (v & 0x3ff);
}

/* ---- dot products: rules 208 to 214 ---- */

#ifdef __FMA__
#define HALF_FMA32(a, b, c) __builtin_fmaf(a, b, c)
#else
float fmaf(float a, float b, float c);
#define HALF_FMA32(a, b, c) fmaf(a, b, c)
#endif

/* S2 + lo * lo, rounded, + hi * hi, rounded: the order of the opcode's definition. Products of f16
 * are exact in f32, those of bf16 are fused with the sum. */
static inline float dot2_f32_f16(uint32_t a, uint32_t b, float c, const struct bw_fmode *m)
{
	uint32_t flush = m->flush_in16;
	c = HALF_FMA32(f16_to_f32((uint16_t)a, flush), f16_to_f32((uint16_t)b, flush), c);
	return HALF_FMA32(f16_to_f32((uint16_t)(a >> 16), flush),
			  f16_to_f32((uint16_t)(b >> 16), flush), c);
}

static inline float dot2_f32_bf16(uint32_t a, uint32_t b, float c)
{
	c = HALF_FMA32(bits_f32(a << 16), bits_f32(b << 16), c);
	return HALF_FMA32(bits_f32(a & 0xffff0000u), bits_f32(b & 0xffff0000u), c);
}

/* The sum is a 16-bit float after each step. */
static inline uint16_t dot2_bf16(uint32_t a, uint32_t b, uint16_t c, const struct bw_fmode *m)
{
	uint32_t flush = m->flush_in16;
	for (unsigned i = 0; i < 32; i += 16) {
		double x = (double)bf16_to_f32(flush_bf16((uint16_t)(a >> i), flush));
		double y = (double)bf16_to_f32(flush_bf16((uint16_t)(b >> i), flush));
		double z = (double)bf16_to_f32(flush_bf16(c, flush));
		c = f64_to_bf16(half_fma(x, y, z), m);
	}
	return c;
}

/* Sums of products of bytes or nibbles; which source is signed is for the caller to say. */
static inline int32_t dot_int(uint32_t a, uint32_t b, unsigned bits, uint32_t signed_a,
			      uint32_t signed_b)
{
	int32_t sum = 0, mask = (int32_t)((1u << bits) - 1), sign = 1 << (bits - 1);
	for (unsigned i = 0; i < 32; i += bits) {
		int32_t x = (int32_t)(a >> i) & mask, y = (int32_t)(b >> i) & mask;
		x = signed_a ? (x ^ sign) - sign : x;
		y = signed_b ? (y ^ sign) - sign : y;
		sum += x * y;
	}
	return sum;
}

/* A float that goes through an f16 on its way. */
static inline float round_half(float v, const struct bw_fmode *m)
{
	return f16_to_f32(f32_to_f16(v, (enum bw_round)m->round16, m), m->flush_in16);
}

#endif
