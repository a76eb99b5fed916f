/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_SMALL_FLOAT_H
#define BW_BASE_SMALL_FLOAT_H

/* Half precision, and other floats with 5 exponent bits, to and from the bits of an IEEE float.
 * Pure, and inline: image formats convert every texel with them. */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A float with 5 exponent bits, bias 15, no sign, mantissa_bits. Exact. */
static inline uint32_t bw_small_to_f32(uint32_t v, unsigned mantissa_bits)
{
	uint32_t mantissa = v & ((1u << mantissa_bits) - 1), exponent = v >> mantissa_bits & 31;
	if (exponent == 31)
		return 0x7f800000 | mantissa << (23 - mantissa_bits);
	if (exponent)
		return (exponent + 112) << 23 | mantissa << (23 - mantissa_bits);
	float denormal = (float)mantissa / (float)(1u << (14 + mantissa_bits));
	uint32_t bits;
	memcpy(&bits, &denormal, sizeof(bits));
	return bits;
}

/* Magnitude bits of a finite f32 to such a float, without a limit at the top: 31 << mantissa_bits
 * and more is an overflow. Rounds to nearest even, or truncates. */
static inline uint32_t bw_f32_to_small(uint32_t magnitude, unsigned mantissa_bits, bool truncate)
{
	unsigned exponent = magnitude >> 23, drop = 23 - mantissa_bits;
	uint32_t v;
	if (exponent >= 113) {
		v = magnitude - (112u << 23);
	} else {
		/* Denormal: the implicit one becomes visible and all moves down. */
		unsigned extra = 113 - exponent;
		drop += extra;
		if (!exponent || drop > 31)
			return 0;
		v = (magnitude & 0x7fffff) | 0x800000;
	}
	uint32_t kept = v >> drop, rest = v & ((1u << drop) - 1), half = 1u << (drop - 1);
	if (!truncate && (rest > half || (rest == half && kept & 1)))
		kept++;
	return kept;
}

static inline uint32_t bw_f16_to_f32(uint16_t h)
{
	return (uint32_t)(h & 0x8000) << 16 | bw_small_to_f32(h & 0x7fff, 10);
}

static inline uint16_t bw_f32_to_f16(uint32_t f, bool truncate)
{
	uint16_t sign = f >> 16 & 0x8000;
	uint32_t magnitude = f & 0x7fffffff;
	if (magnitude > 0x7f800000) /* NaN, quiet, with what fits of its payload */
		return sign | 0x7e00 | (magnitude >> 13 & 0x3ff);
	if (magnitude == 0x7f800000)
		return sign | 0x7c00;
	uint32_t v = bw_f32_to_small(magnitude, 10, truncate);
	if (v > 0x7bff)
		v = truncate ? 0x7bff : 0x7c00;
	return sign | (uint16_t)v;
}

#endif
