// SPDX-License-Identifier: MIT
/* The comparisons of compile.c, which compare all lanes at once and write ttmp[14:15]. */
#include "debug/conditions/filter_priv.h"
#include "isa/ops.h"

#include <string.h>

enum {
	LEAF = BW_FR_LEAF,
	TTMP8 = BW_FR_TTMP8,
	TTMP11 = BW_FR_TTMP11,
};

static const struct bw_asm_src leaf = {BW_FR_LEAF}, leaf_hi = {BW_FR_LEAF + 1},
			       zero = {BW_FR_INLINE_0};

enum bw_compare bw_filter_negated(enum bw_compare op)
{
	static const enum bw_compare other[] = {[BW_LT] = BW_GE, [BW_LE] = BW_GT, [BW_GT] = BW_LE,
						[BW_GE] = BW_LT, [BW_EQ] = BW_NE, [BW_NE] = BW_EQ};
	return other[op];
}

enum bw_compare bw_filter_mirrored(enum bw_compare op)
{
	static const enum bw_compare other[] = {[BW_LT] = BW_GT, [BW_LE] = BW_GE, [BW_GT] = BW_LT,
						[BW_GE] = BW_LE, [BW_EQ] = BW_EQ, [BW_NE] = BW_NE};
	return other[op];
}

static bool holds(enum bw_compare op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BW_LT:
		return a < b;
	case BW_LE:
		return a <= b;
	case BW_GT:
		return a > b;
	case BW_GE:
		return a >= b;
	case BW_EQ:
		return a == b;
	case BW_NE:
		break;
	}
	return a != b;
}

/* The number in the form in which a 32-bit register is compared with it; false: there is none. */
bool bw_filter_number_for(const struct bw_filter_operand *o, const struct bw_value *v,
			  uint32_t *out)
{
	if (o->is_signed && (v->type.kind != BW_TYPE_INT || v->type.size_b > 4))
		return false;
	if (v->type.size_b > 4 && v->bits > UINT32_MAX)
		return false;
	*out = (uint32_t)v->bits;
	return true;
}

static void compare_register(struct bw_filter_parse *p, const struct bw_filter_operand *o,
			     enum bw_compare op, bool is_signed, uint32_t value)
{
	struct bw_asm *c = &p->code;
	if (o->kind == BW_FO_VECTOR) {
		/* wave32 writes the low half alone */
		bw_asm_1(c, BW_OP_S_MOV_B32, LEAF + 1, zero);
		bw_asm_2(c, bw_filter_vector_compare(op, is_signed), LEAF, bw_asm_vgpr(o->reg),
			 bw_asm_literal(value));
		return;
	}
	unsigned reg = o->reg;
	if (o->masked) {
		bw_asm_2(c, BW_OP_S_AND_B32, LEAF, bw_asm_code(reg), bw_asm_literal(o->mask));
		reg = LEAF;
	}
	bw_filter_compare_sgpr(c, op, is_signed, reg, value);
	bw_filter_select_all(c);
}

/* Compares a float with 0, which has two representations. */
static bool compare_zero(struct bw_filter_parse *p, const struct bw_filter_operand *o,
			 enum bw_compare op)
{
	enum { CLASS_ZEROS = 3 << 5 };
	const uint32_t minus_0 = 0x80000000u;
	switch (op) {
	/* as unsigned numbers, the bits of negative floats are greater than those of -0 */
	case BW_LT:
		compare_register(p, o, BW_GT, false, minus_0);
		return true;
	case BW_GE:
		compare_register(p, o, BW_LE, false, minus_0);
		return true;
	case BW_EQ: {
		unsigned code = o->kind == BW_FO_VECTOR ? BW_SRC_VGPR0 + o->reg : o->reg;
		bw_asm_1(&p->code, BW_OP_S_MOV_B32, LEAF + 1, zero);
		bw_asm_2(&p->code, BW_OP_V_CMP_CLASS_F32, LEAF, bw_asm_code(code),
			 bw_asm_literal(CLASS_ZEROS));
		return true;
	}
	case BW_LE:
	case BW_GT:
	case BW_NE: /* also stops at -0, which the debugger then rejects */
		break;
	}
	compare_register(p, o, op, op != BW_NE, 0);
	return true;
}

/* Compares floats by their bits: floats of the same sign have the order of integers. Where signs
 * and NaNs make a difference, too many waves stop, never too few. False: this comparison cannot be
 * made in this way. */
static bool compare_float(struct bw_filter_parse *p, const struct bw_filter_operand *o,
			  enum bw_compare op, const struct bw_value *v)
{
	double wanted = bw_value_f64(v, 0);
	float f = (float)wanted;
	uint32_t bits;
	bool greater = op == BW_GT || op == BW_GE;
	if (wanted != wanted)
		return false;
	if ((double)f != wanted && (op == BW_EQ || op == BW_NE)) {
		bw_filter_set_mask(&p->code, LEAF, op == BW_NE ? ~0ull : 0);
		return true;
	}
	/* no float lies between f and a number that is not a float: x > 0.1 is x >= the next one */
	if ((double)f != wanted)
		op = ((double)f < wanted) == greater ? greater ? BW_GT : BW_LT
		     : greater			     ? BW_GE
						     : BW_LE;
	if (f == 0)
		return compare_zero(p, o, op);
	memcpy(&bits, &f, sizeof(bits));
	if (op == BW_EQ || op == BW_NE) {
		compare_register(p, o, op, false, bits);
		return true;
	}
	bool negative = bits >> 31;
	/* of negative numbers the greater has the smaller bits */
	compare_register(p, o, negative ? bw_filter_mirrored(op) : op, !negative, bits);
	return true;
}

/* Compares 64 bits. The number is put into the registers of the result, which the instruction
 * writes last. */
static bool compare_wide(struct bw_filter_parse *p, const struct bw_filter_operand *o,
			 enum bw_compare op, const struct bw_value *v)
{
	static const enum bw_op ops[][2] = {
		[BW_LT] = {BW_OP_V_CMP_LT_U64, BW_OP_V_CMP_LT_I64},
		[BW_LE] = {BW_OP_V_CMP_LE_U64, BW_OP_V_CMP_LE_I64},
		[BW_GT] = {BW_OP_V_CMP_GT_U64, BW_OP_V_CMP_GT_I64},
		[BW_GE] = {BW_OP_V_CMP_GE_U64, BW_OP_V_CMP_GE_I64},
		[BW_EQ] = {BW_OP_V_CMP_EQ_U64, BW_OP_V_CMP_EQ_I64},
		[BW_NE] = {BW_OP_V_CMP_NE_U64, BW_OP_V_CMP_NE_I64},
	};
	bool is_unsigned = v->type.kind == BW_TYPE_UINT && v->type.size_b == 8;
	if (v->type.kind != BW_TYPE_INT && v->type.kind != BW_TYPE_UINT)
		return false;
	bw_filter_set_mask(&p->code, LEAF, v->bits);
	bw_asm_2(&p->code, ops[op][o->is_signed && !is_unsigned], LEAF, bw_asm_code(o->reg), leaf);
	return true;
}

/* Compares threadIdx.x of workgroups with one row: it gives the wave, and the lane in it. */
static bool compare_item(struct bw_filter_parse *p, enum bw_compare op, const struct bw_value *v)
{
	struct bw_asm *c = &p->code;
	uint64_t item = v->bits;
	unsigned lanes = p->facts->lanes;
	if (op != BW_EQ || !lanes || item >= 1024)
		return false;
	bw_asm_2(c, BW_OP_S_AND_B32, LEAF, bw_asm_code(TTMP11),
		 bw_asm_literal(bw_filter_number_mask(p->facts)));
	bw_filter_compare_sgpr(c, BW_EQ, false, LEAF, (uint32_t)(item / lanes));
	bw_filter_set_mask(c, LEAF, 1ull << item % lanes);
	/* s_mov does not change SCC */
	bw_asm_2(c, BW_OP_S_CSELECT_B32, LEAF, leaf, zero);
	bw_asm_2(c, BW_OP_S_CSELECT_B32, LEAF + 1, leaf_hi, zero);
	return true;
}

/* SCC: all three are equal, and nothing before has cleared the mask in LEAF. */
void bw_filter_compare_position(struct bw_filter_parse *p, const uint32_t group[3])
{
	for (unsigned i = 0; i < 3; i++) {
		bw_filter_compare_sgpr(&p->code, BW_EQ, false, TTMP8 + i, group[i]);
		bw_asm_2(&p->code, BW_OP_S_CSELECT_B64, LEAF, leaf, zero);
	}
}

/* Compares $_wave == 5 by the place of wave 5 in its dispatch. A wave at this place of another
 * dispatch stops as well, and the debugger rejects it. */
static bool compare_wave(struct bw_filter_parse *p, enum bw_compare op, const struct bw_value *v)
{
	struct bw_asm *c = &p->code;
	uint32_t group[3], wave;
	if (op != BW_EQ || !p->facts->wave ||
	    !p->facts->wave(p->facts->cookie, v->bits, group, &wave))
		return false;
	bw_asm_2(c, BW_OP_S_AND_B32, LEAF, bw_asm_code(TTMP11),
		 bw_asm_literal(bw_filter_number_mask(p->facts)));
	bw_filter_compare_sgpr(c, BW_EQ, false, LEAF, wave);
	bw_filter_select_all(c);
	bw_filter_compare_position(p, group);
	return true;
}

bool bw_filter_compare_with(struct bw_filter_parse *p, const struct bw_filter_operand *o,
			    enum bw_compare op, const struct bw_filter_operand *number, bool negate)
{
	const struct bw_value *v = &number->value;
	uint32_t value;
	uint64_t mask = 0;
	bool real = number->kind == BW_FO_REAL;
	switch (o->kind) {
	case BW_FO_SCALAR:
	case BW_FO_VECTOR:
		/* a comparison that is false for a NaN is true when it is negated */
		if (o->is_float && negate && op != BW_EQ && op != BW_NE)
			return false;
		if (o->is_float)
			return (real || (v->type.kind == BW_TYPE_INT && v->type.size_b == 4)) &&
			       compare_float(p, o, op, v);
		if (real || !bw_filter_number_for(o, v, &value))
			return false;
		compare_register(p, o, op, o->is_signed, value);
		return true;
	case BW_FO_LANE:
		if (real || (int64_t)v->bits < 0)
			return false;
		for (unsigned lane = 0; lane < 64; lane++)
			mask |= (uint64_t)holds(op, lane, v->bits) << lane;
		bw_filter_set_mask(&p->code, LEAF, mask);
		return true;
	case BW_FO_WIDE:
		return !real && compare_wide(p, o, op, v);
	case BW_FO_ITEM_X:
		return !real && compare_item(p, op, v);
	case BW_FO_WAVE:
		return !real && compare_wave(p, op, v);
	case BW_FO_NOT_KNOWN:
	case BW_FO_GROUP:
	case BW_FO_NUMBER:
	case BW_FO_REAL:
		break;
	}
	return false;
}
