/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_SCALAR_OPS_H
#define BW_VGPU_EXEC_SCALAR_OPS_H

/* What the expressions of sem/sop.def use: the operand types and functions of integers. salu.c
 * makes handlers of these rows, compile/stencils.c pieces of machine code. */

#include <stdint.h>

typedef uint32_t s_B32, s_U32;
typedef int32_t s_I32;
typedef uint64_t s_B64, s_U64;
typedef int64_t s_I64;

static inline uint32_t negate_if_negative(uint32_t v)
{
	return v >> 31 ? 0u - v : v;
}

static inline uint64_t bfe_u(uint64_t v, unsigned offset, unsigned width)
{
	v >>= offset;
	return width >= 64 ? v : v & ((1ull << width) - 1);
}

static inline int64_t bfe_i(uint64_t v, unsigned offset, unsigned width, unsigned bits)
{
	if (width == 0)
		return 0;
	if (offset + width > bits)
		width = bits - offset;
	v >>= offset;
	return (int64_t)(v << (64 - width)) >> (64 - width);
}

static inline uint64_t brev64(uint64_t v)
{
	v = (v >> 1 & 0x5555555555555555ull) | (v & 0x5555555555555555ull) << 1;
	v = (v >> 2 & 0x3333333333333333ull) | (v & 0x3333333333333333ull) << 2;
	v = (v >> 4 & 0x0f0f0f0f0f0f0f0full) | (v & 0x0f0f0f0f0f0f0f0full) << 4;
	return __builtin_bswap64(v);
}

/* Leading copies of the sign bit, -1 when all bits are equal: rule 92. */
static inline int32_t cls(int64_t v, unsigned bits)
{
	uint64_t u = (uint64_t)(v ^ v >> 63);
	return u ? __builtin_clzll(u) - (int32_t)(64 - bits) : -1;
}

static inline uint64_t bitreplicate(uint32_t v)
{
	uint64_t d = 0;
	for (unsigned i = 0; i < 32; i++)
		d |= (uint64_t)(v >> i & 1) * 3 << 2 * i;
	return d;
}

static inline uint64_t quadmask(uint64_t v)
{
	uint64_t d = 0;
	for (unsigned i = 0; i < 16; i++)
		d |= (uint64_t)((v >> 4 * i & 15) != 0) << i;
	return d;
}

static inline uint64_t wqm(uint64_t v)
{
	uint64_t any = (v | v >> 1 | v >> 2 | v >> 3) & 0x1111111111111111ull;
	return any * 15;
}

#define SCC (w->scc)
#define KEEP (w->scc)
#define NZ (D != 0)

#endif
