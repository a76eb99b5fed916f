/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_LANE_FP8_H
#define BW_VGPU_EXEC_LANE_FP8_H

/* fp8 and bf8 of gfx942: 3 or 2 bits of mantissa, 4 or 5 of exponent with a bias of 8 or 16. They
 * have neither infinities nor -0, whose pattern is the one NaN ("FNUZ"). Helpers of rows.c. */

#include <stdint.h>

#include "base/float_bits.h"

enum { FP8_NAN = 0x80, FP8_MAX = 0x7f };

/* Exact; the bits of a register above the byte do not count. */
static inline float fp8_to_f32(uint32_t v, unsigned mantissa_bits, unsigned bias)
{
	uint32_t magnitude = v & 0x7f, exponent = magnitude >> mantissa_bits;
	uint32_t mantissa = magnitude & ((1u << mantissa_bits) - 1);
	float denormal = (float)(int32_t)mantissa * bits_f32((128 - bias - mantissa_bits) << 23);
	uint32_t normal = (exponent + 127 - bias) << 23 | mantissa << (23 - mantissa_bits);
	uint32_t r = exponent ? normal : f32_bits(denormal);
	return bits_f32((v & 0xff) == FP8_NAN ? 0x7fc00000 : r | (v & 0x80) << 24);
}

/* Rounds to nearest even whatever MODE says. What is too large is a NaN, or with FP16_OVFL the
 * largest value [I: infinities are treated so, too]. */
static inline uint32_t f32_to_fp8(float f, unsigned mantissa_bits, unsigned bias, uint32_t saturate)
{
	uint32_t bits = f32_bits(f), magnitude = bits & 0x7fffffff;
	int32_t exponent = (int32_t)(magnitude >> 23) - 127, least = 1 - (int32_t)bias;
	int32_t below = exponent < least ? least - exponent : 0;
	uint32_t drop = 23 - mantissa_bits + (uint32_t)(below > 8 ? 8 : below);
	uint32_t all = (magnitude & 0x7fffff) | 0x800000;
	uint32_t kept = all >> drop, rest = all & ((1u << drop) - 1), half = 1u << (drop - 1);
	kept += rest > half || (rest == half && kept & 1);
	uint32_t code = below ? kept : kept + ((uint32_t)(exponent - least) << mantissa_bits);
	if (magnitude > 0x7f800000)
		return FP8_NAN;
	if (code > FP8_MAX)
		return saturate ? FP8_MAX | (bits >> 24 & 0x80) : FP8_NAN;
	return below > 8 || !code ? 0 : code | (bits >> 24 & 0x80);
}

#define FP8_F32(v) fp8_to_f32(v, 3, 8)
#define BF8_F32(v) fp8_to_f32(v, 2, 16)
#define F32_FP8(f) f32_to_fp8(f, 3, 8, FM->fp16_ovfl)
#define F32_BF8(f) f32_to_fp8(f, 2, 16, FM->fp16_ovfl)

#endif
