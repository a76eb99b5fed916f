/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_FLOAT_BITS_H
#define BW_BASE_FLOAT_BITS_H

/* Floats and their bits. */

#include <stdint.h>
#include <string.h>

static inline uint32_t f32_bits(float f)
{
	uint32_t u;
	memcpy(&u, &f, 4);
	return u;
}

static inline float bits_f32(uint32_t u)
{
	float f;
	memcpy(&f, &u, 4);
	return f;
}

static inline uint64_t f64_bits(double f)
{
	uint64_t u;
	memcpy(&u, &f, 8);
	return u;
}

static inline double bits_f64(uint64_t u)
{
	double f;
	memcpy(&f, &u, 8);
	return f;
}

#endif
