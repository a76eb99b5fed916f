/* SPDX-License-Identifier: MIT */
#include "swap/code.h"

#include <assert.h>
#include <string.h>

#include "base/util.h"
#include "isa/asm.h"
#include "isa/ops.h"
#include "regs/field.h"

enum {
	FREE_SGPR = 104,
	LDS_UNIT_B = 512, /* RSRC2.LDS_SIZE (AMDGPUUsage: GRANULATED_LDS_SIZE) */
	LDS_MAX_B = 64 << 10,
	VGPRS_MAX = 256,
};

void bw_swap_jump(uint64_t target_va, uint32_t out[BW_SWAP_JUMP_DW])
{
	struct bw_asm a = {.gen = BW_ISA_GFX11, .dw = out, .max = BW_SWAP_JUMP_DW};
	bw_asm_1(&a, BW_OP_S_MOV_B32, FREE_SGPR, bw_asm_literal(bw_lo32(target_va)));
	bw_asm_1(&a, BW_OP_S_MOV_B32, FREE_SGPR + 1, bw_asm_literal(bw_hi32(target_va)));
	bw_asm_1(&a, BW_OP_S_SETPC_B64, 0, bw_asm_code(FREE_SGPR));
	assert(!a.bad && a.n == BW_SWAP_JUMP_DW);
}

bool bw_swap_is_jump(const uint32_t dw[BW_SWAP_JUMP_DW], uint64_t *out_va)
{
	uint64_t va = bw_join32(dw[3], dw[1]);
	uint32_t jump[BW_SWAP_JUMP_DW];
	bw_swap_jump(va, jump);
	if (memcmp(jump, dw, sizeof(jump)) != 0)
		return false;
	*out_va = va;
	return true;
}

const char *bw_swap_fit(const struct bw_swap_rule *rule, const struct bw_swap_regs *now,
			struct bw_swap_regs *out)
{
	unsigned half = now->lanes == 64, unit = half ? 4 : 8;
	uint32_t vgprs = (BW_FIELD_GET(COMPUTE_PGM_RSRC1, VGPRS, now->rsrc1) + 1) * unit;
	uint32_t lds_b = BW_FIELD_GET(COMPUTE_PGM_RSRC2, LDS_SIZE, now->rsrc2) * LDS_UNIT_B;
	*out = *now;
	if (!rule->code[half].size_b)
		return half ? "it does not assemble for waves of 64 lanes, which the dispatch has"
			    : "it does not assemble for waves of 32 lanes, which the dispatch has";
	if (rule->vgprs[half] > VGPRS_MAX)
		return "it uses more than 256 VGPRs";
	if (rule->lds_b > LDS_MAX_B)
		return "it wants more than 64 KiB of LDS";
	if (rule->vgprs[half] > vgprs)
		out->rsrc1 = BW_FIELD_SET(COMPUTE_PGM_RSRC1, VGPRS, now->rsrc1,
					  (rule->vgprs[half] + unit - 1) / unit - 1);
	if (rule->lds_b > lds_b)
		out->rsrc2 = BW_FIELD_SET(COMPUTE_PGM_RSRC2, LDS_SIZE, now->rsrc2,
					  (rule->lds_b + LDS_UNIT_B - 1) / LDS_UNIT_B);
	return NULL;
}
