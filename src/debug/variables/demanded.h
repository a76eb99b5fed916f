/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_VARIABLES_DEMANDED_H
#define BW_DEBUG_VARIABLES_DEMANDED_H

/* Which bits of a value the code after it needs. Where it does not need all, the optimizer may
 * compute another value that is equal in those (b - c for b + 3 * c of which two bits are used),
 * and clang's locations do not tell the two apart. Pure: code in, facts out. */

#include "debug/variables/origins.h"

/* Bits that are certainly needed of what the instruction at `at` puts into the register; the others
 * may be, too. All of a dword that is loaded or that a call returns. */
uint32_t bw_demanded_bits(const struct bw_origin_code *code, uint64_t at, bool is_vgpr,
			  unsigned reg);
/* Whether the code from `at` on reads what is in the register there. False: it does not, or that is
 * not known. */
bool bw_register_is_used(const struct bw_origin_code *code, uint64_t at, bool is_vgpr,
			 unsigned reg);

#endif
