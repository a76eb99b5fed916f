/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_LANE_BITS_H
#define BW_VGPU_EXEC_LANE_BITS_H

/* Helpers of the rows (lane_math.h): integers, bits and bytes. */

#include <stdint.h>

#define IMIN(a, b) ((a) < (b) ? (a) : (b))
#define IMAX(a, b) ((a) > (b) ? (a) : (b))
#define IMED3(a, b, c) IMAX(IMIN(a, b), IMIN(IMAX(a, b), c))

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

/* Exact sums of two products: the result of 32 bits may wrap, the saturated one needs all of it. */
static inline int64_t dot_i16(uint32_t a, uint32_t b)
{
	return (int64_t)(int16_t)a * (int16_t)b + (int64_t)((int32_t)a >> 16) * ((int32_t)b >> 16);
}

static inline int64_t dot_u16(uint32_t a, uint32_t b)
{
	return (int64_t)(a & 0xffff) * (b & 0xffff) + (int64_t)(a >> 16) * (b >> 16);
}

#endif
