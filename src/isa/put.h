/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_PUT_H
#define BW_ISA_PUT_H

/* Helpers of the generated functions that write fields. Private to isa/. */

#include <stdbool.h>
#include <stdint.h>

#include "base/util.h"

/* Puts value into a field of *w that is 0. False: it does not fit. */
static inline bool put(uint32_t *w, unsigned shift, unsigned bits, uint32_t value)
{
	*w |= (uint32_t)((value & ((1ull << bits) - 1)) << shift);
	return value >> (bits - 1) >> 1 == 0;
}

static inline bool put_signed(uint32_t *w, unsigned shift, unsigned bits, int32_t value)
{
	put(w, shift, bits, (uint32_t)value);
	return bw_sign_extend((uint32_t)value & ((1ull << bits) - 1), bits) == value;
}

#endif
