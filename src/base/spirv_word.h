/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_SPIRV_WORD_H
#define BW_BASE_SPIRV_WORD_H

/* The first word of an instruction of SPIR-V (specification 2.3). */

#include <stdint.h>

static inline uint32_t bw_spv_op(uint32_t word)
{
	return word & 0xffff;
}

/* The number of words of the instruction, with this one; 0 is malformed. */
static inline uint32_t bw_spv_n_words(uint32_t word)
{
	return word >> 16;
}

#endif
