/* SPDX-License-Identifier: MIT */
#ifndef BW_SWAP_CODE_H
#define BW_SWAP_CODE_H

/* Machine code in the place of a compute shader's: it lies elsewhere, and instructions that lead to
 * it take the place of the first ones of the old code. A dispatch keeps its registers, so what the
 * new code finds in SGPRs and VGPRs, its scratch memory and its wave size are those of the old
 * one; only RSRC1 and RSRC2 may have to ask for more VGPRs and LDS. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "swap/rules.h"

/* The instructions that lead to target_va: s_mov_b32 s104, s_mov_b32 s105, s_setpc_b64. A wave of
 * gfx10 and later has s104 and s105 in any case, and nothing is in them when it begins (ISA manual,
 * 3.3: 106 SGPRs; doc/hardware/dispatch.md 2.1). */
enum { BW_SWAP_JUMP_DW = 5, BW_SWAP_JUMP_B = BW_SWAP_JUMP_DW * 4 };
void bw_swap_jump(uint64_t target_va, uint32_t out[BW_SWAP_JUMP_DW]);
/* Whether these are such instructions, and to where they lead. */
bool bw_swap_is_jump(const uint32_t dw[BW_SWAP_JUMP_DW], uint64_t *out_va);

/* Registers of a dispatch. */
struct bw_swap_regs {
	unsigned lanes;
	uint32_t rsrc1, rsrc2;
};
/* The RSRC1 and RSRC2 that the rule's code needs; those of `now` if they are enough. NULL: the code
 * fits; else the reason why it does not (static). */
const char *bw_swap_fit(const struct bw_swap_rule *rule, const struct bw_swap_regs *now,
			struct bw_swap_regs *out);
/* The rule's code for waves of so many lanes. */
static inline struct bw_swap_bytes bw_swap_code_for(const struct bw_swap_rule *rule, unsigned lanes)
{
	return rule->code[lanes == 64];
}

#endif
