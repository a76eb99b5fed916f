/* SPDX-License-Identifier: MIT */
#ifndef BW_INJECT_STOMP_H
#define BW_INJECT_STOMP_H

/* Registers that a driver must set itself, and values that reveal it if it does not. */

#include "base/vec.h"
#include "wire/crumbs_proto.h"

struct bw_stomp_set BW_VEC(struct bw_crumbs_poke);

/* ranges: registers by name or address, FIRST-LAST, several with commas; NULL: all of them. except:
 * registers to leave out, in the same form; NULL: none. BW_E_INVALID: a word is not a register that
 * can be filled. The caller frees the vector. */
struct bw_error *bw_stomp_make(const char *ranges, const char *except,
			       struct bw_stomp_set *out) BW_MUST_CHECK;
/* The name of such a register: "COMPUTE_PGM_LO"; NULL: it is not one of them. */
const char *bw_stomp_name(uint32_t addr_dw);

#endif
