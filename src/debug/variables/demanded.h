/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_VARIABLES_DEMANDED_H
#define BW_DEBUG_VARIABLES_DEMANDED_H

/* Finds which bits of a value the later code needs. If it does not need all, the optimizer may
 * compute another value that is equal in these bits (b - c for b + 3 * c of which two bits are
 * used), and clang's locations do not tell the two apart. Pure: code in, facts out. */

#include "debug/variables/origins.h"

/* The bits that are certainly needed of the value that the instruction at `at` puts into the
 * register; others may be needed as well. All bits if the dword is loaded, or returned by a
 * call. */
uint32_t bw_demanded_bits(const struct bw_origin_code *code, uint64_t at, bool is_vgpr,
			  unsigned reg);
/* Whether the code from `at` on reads the value that is in the register there. False: it does not,
 * or that is not known. */
bool bw_register_is_used(const struct bw_origin_code *code, uint64_t at, bool is_vgpr,
			 unsigned reg);

#endif
