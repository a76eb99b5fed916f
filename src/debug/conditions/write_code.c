/* SPDX-License-Identifier: MIT */
/* Pieces of code that compiled conditions are made of. */
#include "debug/conditions/filter_priv.h"
#include "isa/ops.h"

enum { LEAF = BW_FR_LEAF };

static const struct bw_asm_src zero = {BW_FR_INLINE_0}, minus_1 = {BW_FR_INLINE_MINUS_1};

unsigned bw_filter_scalar_compare(enum bw_compare compare, bool is_signed)
{
	static const enum bw_op ops[][2] = {
		[BW_LT] = {BW_OP_S_CMP_LT_U32, BW_OP_S_CMP_LT_I32},
		[BW_LE] = {BW_OP_S_CMP_LE_U32, BW_OP_S_CMP_LE_I32},
		[BW_GT] = {BW_OP_S_CMP_GT_U32, BW_OP_S_CMP_GT_I32},
		[BW_GE] = {BW_OP_S_CMP_GE_U32, BW_OP_S_CMP_GE_I32},
		[BW_EQ] = {BW_OP_S_CMP_EQ_U32, BW_OP_S_CMP_EQ_I32},
		[BW_NE] = {BW_OP_S_CMP_LG_U32, BW_OP_S_CMP_LG_I32},
	};
	return ops[compare][is_signed];
}

unsigned bw_filter_vector_compare(enum bw_compare compare, bool is_signed)
{
	static const enum bw_op ops[][2] = {
		[BW_LT] = {BW_OP_V_CMP_LT_U32, BW_OP_V_CMP_LT_I32},
		[BW_LE] = {BW_OP_V_CMP_LE_U32, BW_OP_V_CMP_LE_I32},
		[BW_GT] = {BW_OP_V_CMP_GT_U32, BW_OP_V_CMP_GT_I32},
		[BW_GE] = {BW_OP_V_CMP_GE_U32, BW_OP_V_CMP_GE_I32},
		[BW_EQ] = {BW_OP_V_CMP_EQ_U32, BW_OP_V_CMP_EQ_I32},
		[BW_NE] = {BW_OP_V_CMP_NE_U32, BW_OP_V_CMP_NE_I32},
	};
	return ops[compare][is_signed];
}

void bw_filter_compare_sgpr(struct bw_asm *c, enum bw_compare op, bool is_signed, unsigned sgpr,
			    uint32_t value)
{
	bw_asm_2(c, bw_filter_scalar_compare(op, is_signed), 0, bw_asm_code(sgpr),
		 bw_asm_literal(value));
}

void bw_filter_select_all(struct bw_asm *c)
{
	bw_asm_2(c, BW_OP_S_CSELECT_B64, LEAF, minus_1, zero);
}

void bw_filter_set_mask(struct bw_asm *c, unsigned pair, uint64_t mask)
{
	for (unsigned i = 0; i < 2; i++)
		bw_asm_1(c, BW_OP_S_MOV_B32, pair + i,
			 bw_asm_literal(i ? bw_hi32(mask) : bw_lo32(mask)));
}
