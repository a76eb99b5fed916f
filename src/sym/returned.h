/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_RETURNED_H
#define BW_SYM_RETURNED_H

/* The place of a called function's result: clang's calling convention of AMDGPU device functions
 * (doc/hardware/code-objects.md 9). Pure. */

#include "sym/variables.h"

/* The type that the function with that entry returns (bw_frame_info); of kind VOID for none. Never
 * NULL. */
const struct bw_ctype *bw_lines_returns(struct bw_lines *l, uint64_t die);
/* The VGPRs in which a value of that type is after the return, as pieces. False: it is in none, or
 * where it is depends on more than the type. */
bool bw_returned_in(const struct bw_ctype *type, struct bw_location *out);

/* Whether such a value is in memory, at an address that the caller has given as the first argument:
 * what takes more registers than results have, and objects of C++ that cannot be copied as
 * bytes. */
bool bw_returned_in_memory(const struct bw_ctype *type);
/* The part of the type that neither of these functions supports: "bit fields", "a base class", "a
 * union". NULL: none. */
const char *bw_returned_why_not(const struct bw_ctype *type);
/* Whether the compiler has changed what the function takes or returns, or may have done so without
 * saying it in the debug information. */
bool bw_lines_is_nocall(const struct bw_lines *l, uint64_t die);

#endif
