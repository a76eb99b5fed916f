/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_WORDS_H
#define BW_BASE_WORDS_H

/* Fields of what the hardware reads and writes as dwords: descriptors, packets, interrupt vectors.
 * A field is two numbers, its lowest bit, counted from bit 0 of dword 0, and how many bits it has,
 * and a macro is its name:
 *
 *     #define BW_IMAGE_WIDTH 62, 14
 *     unsigned width = (unsigned)bw_words_get(words, BW_IMAGE_WIDTH) + 1;
 *     bw_words_put(words, BW_IMAGE_WIDTH, width - 1);
 *
 * It lies in one dword or in two that follow each other, and has at most 63 bits. With constants
 * both functions are some machine instructions. Registers have regs/field.h. */

#include <stdint.h>

#include "base/util.h"

static inline uint64_t bw_words_get(const uint32_t *words, unsigned lo, unsigned n_bits)
{
	unsigned at = lo / 32, shift = lo % 32;
	uint64_t v = words[at];
	if (shift + n_bits > 32)
		v = bw_join32(words[at + 1], words[at]);
	return v >> shift & ((1ull << n_bits) - 1);
}

/* Where the field's bits are 0 before. What the value has too many bits of is cut off. */
static inline void bw_words_put(uint32_t *words, unsigned lo, unsigned n_bits, uint64_t value)
{
	unsigned at = lo / 32, shift = lo % 32;
	uint64_t v = (value & ((1ull << n_bits) - 1)) << shift;
	words[at] |= bw_lo32(v);
	if (shift + n_bits > 32)
		words[at + 1] |= bw_hi32(v);
}

#endif
