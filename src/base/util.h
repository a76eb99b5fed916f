/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_UTIL_H
#define BW_BASE_UTIL_H

/* The handful of macros that every file may use. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BW_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define BW_MIN(a, b)                                                                               \
	({                                                                                         \
		__typeof__(a) a_ = (a);                                                            \
		__typeof__(b) b_ = (b);                                                            \
		a_ < b_ ? a_ : b_;                                                                 \
	})
#define BW_MAX(a, b)                                                                               \
	({                                                                                         \
		__typeof__(a) c_ = (a);                                                            \
		__typeof__(b) d_ = (b);                                                            \
		c_ > d_ ? c_ : d_;                                                                 \
	})
#define BW_CONTAINER_OF(ptr, type, member)                                                         \
	({                                                                                         \
		__typeof__(((type *)0)->member) *p_ = (ptr);                                       \
		(type *)((char *)p_ - offsetof(type, member));                                     \
	})

/* The halves of an address, as registers and packets hold them. */
static inline uint32_t bw_lo32(uint64_t v)
{
	return (uint32_t)v;
}

static inline uint32_t bw_hi32(uint64_t v)
{
	return (uint32_t)(v >> 32);
}

static inline uint64_t bw_join32(uint32_t hi, uint32_t lo)
{
	return (uint64_t)hi << 32 | lo;
}

/* A half of 64 bits: 0 the low one, 1 the high one. */
static inline uint32_t bw_half32(uint64_t v, unsigned half)
{
	return (uint32_t)(v >> 32 * half);
}

/* A half of a dword: 0 the low one, 1 the high one. */
static inline uint32_t bw_half16(uint32_t v, unsigned half)
{
	return v >> 16 * half & 0xffff;
}

/* Pointers of 32 bits in code of Mesa's compilers (ac_gpu_info.address32_hi): all have the same
 * upper half. */
static inline uint64_t bw_mesa_pointer32(uint32_t lo)
{
	return bw_join32(0xffff8000, lo);
}

/* Addresses that registers and descriptors hold in units of 256 bytes, in two halves. */
static inline uint64_t bw_join_256b(uint32_t hi, uint32_t lo)
{
	return bw_join32(hi, lo) << 8;
}

static inline uint32_t bw_lo_256b(uint64_t va)
{
	return bw_lo32(va >> 8);
}

static inline uint32_t bw_hi_256b(uint64_t va)
{
	return bw_hi32(va >> 8);
}

/* Whether bit n of a mask is set. */
static inline bool bw_bit_is_set(uint64_t mask, unsigned n)
{
	return mask >> n & 1;
}

/* Bits hi..lo of a 32- or 64-bit word, both inclusive. */
static inline uint64_t bw_bits(uint64_t word, unsigned hi, unsigned lo)
{
	return (word >> lo) & (hi - lo >= 63 ? ~0ull : (1ull << (hi - lo + 1)) - 1);
}

static inline int64_t bw_sign_extend(uint64_t value, unsigned bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* GPU addresses are 48 bits wide on gfx9 to gfx12.0: bit 47 is repeated above it. Page tables know
 * none of the repeated ones. */
#define BW_VA_BITS 48
#define BW_VA_MASK ((1ull << BW_VA_BITS) - 1)
static inline uint64_t bw_canonical(uint64_t va)
{
	return (uint64_t)bw_sign_extend(va, BW_VA_BITS);
}

static inline uint64_t bw_align_up(uint64_t v, uint64_t align)
{
	return (v + align - 1) / align * align;
}

static inline uint64_t bw_align_down(uint64_t v, uint64_t align)
{
	return v / align * align;
}

#endif
