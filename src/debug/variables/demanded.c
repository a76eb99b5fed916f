// SPDX-License-Identifier: MIT
/* The code behind the instruction is followed until the register is written again. What an operand
 * needs follows from the operation, as in LLVM's SimplifyDemandedBits, whose doing this is about;
 * where the operation gives a result, from what is needed of that. It stops at a
 * depth, as that does: such values LLVM leaves as they are. */
#include "debug/variables/demanded.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "debug/frames/written.h"

enum { MAX_DWORDS = 1 << 18, MAX_DEPTH = 6, MAX_COPIES = 8, MAX_LOOKS = 20000 };

struct walk {
	const struct bw_origin_code *code;
	uint64_t end;
	unsigned looks;	 /* instructions that may still be looked at */
	unsigned copies; /* in a row */
};

/* The register whose uses are looked for. */
struct wanted {
	bool is_vgpr;
	unsigned reg;
};

static uint32_t demanded(struct walk *w, uint64_t from, struct wanted reg, unsigned depth);

static bool decode(const struct walk *w, uint64_t at, struct bw_inst *out)
{
	uint32_t words[3];
	size_t n = BW_MIN((w->end - at) / 4, (uint64_t)3);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *b = w->code->image + at + 4 * i;
		words[i] = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
			   (uint32_t)b[3] << 24;
	}
	return bw_isa_decode(w->code->gen, words, n, out);
}

/* ---- Operands ---- */

static bool constant(const struct bw_inst *inst, unsigned code, uint32_t *out)
{
	if (code >= BW_SRC_INT_0 && code <= BW_SRC_INT_64)
		*out = code - BW_SRC_INT_0;
	else if (code > BW_SRC_INT_64 && code <= BW_SRC_INT_NEG_16)
		*out = BW_SRC_INT_64 - code;
	else if (code == BW_SRC_LITERAL)
		*out = inst->literal;
	else
		return false;
	return true;
}

/* All bits that can have an influence on the bits of a sum or product. */
static uint32_t up_to_highest(uint32_t mask)
{
	return mask ? UINT32_MAX >> __builtin_clz(mask) : 0;
}

/* An operation of two operands without modifiers: what it needs of operand i, where the other one
 * is `other` if that is known, and `result` is needed of the result. */
static uint32_t of_two(enum bw_op op, unsigned i, bool is_known, uint32_t other, uint32_t result)
{
	uint32_t low = up_to_highest(result);
	switch ((int)op) {
	case BW_OP_V_ADD_NC_U32:
	case BW_OP_V_SUB_NC_U32:
	case BW_OP_V_SUBREV_NC_U32:
	case BW_OP_S_ADD_I32:
	case BW_OP_S_ADD_U32:
	case BW_OP_S_SUB_I32:
	case BW_OP_S_SUB_U32:
		return low;
	case BW_OP_V_MUL_LO_U32:
	case BW_OP_S_MUL_I32:
		return !is_known ? low : other ? low >> __builtin_ctz(other) : 0;
	case BW_OP_V_MUL_U32_U24:
	case BW_OP_V_MUL_I32_I24:
		return (!is_known ? low : other ? low >> __builtin_ctz(other) : 0) & 0xffffff;
	case BW_OP_V_XOR_B32:
	case BW_OP_V_XNOR_B32:
	case BW_OP_S_XOR_B32:
		return result;
	case BW_OP_V_AND_B32: /* what is 0 in the other one is often known to the compiler */
	case BW_OP_S_AND_B32:
		return is_known ? result & other : 0;
	case BW_OP_V_OR_B32:
	case BW_OP_S_OR_B32:
		return is_known ? result & ~other : 0;
	case BW_OP_V_LSHLREV_B32:
		return i && is_known ? result >> (other & 31) : 0;
	case BW_OP_V_LSHRREV_B32:
		return i && is_known ? result << (other & 31) : 0;
	case BW_OP_V_ASHRREV_I32:
		if (!i || !is_known)
			return 0;
		other &= 31;
		return result << other | (result >> (31 - other) ? 1u << 31 : 0);
	case BW_OP_S_LSHL_B32:
		return !i && is_known ? result >> (other & 31) : 0;
	case BW_OP_S_LSHR_B32:
		return !i && is_known ? result << (other & 31) : 0;
	case BW_OP_S_ASHR_I32:
		if (i || !is_known)
			return 0;
		other &= 31;
		return result << other | (result >> (31 - other) ? 1u << 31 : 0);
	default:
		return 0;
	}
}

static uint32_t shifted(const struct bw_inst *inst, unsigned amount, uint32_t result)
{
	uint32_t n;
	return constant(inst, inst->src[amount], &n) ? result >> (n & 31) : 0;
}

/* The same of three. */
static uint32_t of_three(const struct bw_inst *inst, unsigned i, uint32_t result)
{
	uint32_t low = up_to_highest(result), n = 0;
	bool is_known = i < 2 && constant(inst, inst->src[!i], &n);
	switch ((int)inst->op) {
	case BW_OP_V_ADD3_U32:
		return low;
	case BW_OP_V_LSHL_ADD_U32:
		return i == 2 ? low : i == 0 ? shifted(inst, 1, low) : 0;
	case BW_OP_V_ADD_LSHL_U32:
		return i == 2 ? 0 : up_to_highest(shifted(inst, 2, result));
	case BW_OP_V_LSHL_OR_B32:
		return i == 0 ? shifted(inst, 1, result) : 0;
	case BW_OP_V_XAD_U32:
		return low;
	case BW_OP_V_AND_OR_B32:
		return i < 2 && is_known ? result & n : 0;
	case BW_OP_V_MAD_U32_U24:
	case BW_OP_V_MAD_I32_I24:
		if (i == 2)
			return low;
		return (!is_known ? low : n ? low >> __builtin_ctz(n) : 0) & 0xffffff;
	case BW_OP_V_CNDMASK_B32:
		return i < 2 ? result : 0;
	case BW_OP_V_BFE_U32:
	case BW_OP_V_BFE_I32: {
		uint32_t from, bits;
		if (i || !constant(inst, inst->src[1], &from) ||
		    !constant(inst, inst->src[2], &bits))
			return 0;
		bits &= 31;
		result &= (1u << bits) - 1u;
		return result << (from & 31);
	}
	default:
		return 0;
	}
}

/* Of integers, for which alone it matters. */
static bool is_equality(enum bw_op op)
{
	switch ((int)op) {
	case BW_OP_V_CMP_EQ_I32:
	case BW_OP_V_CMP_NE_I32:
	case BW_OP_V_CMP_EQ_U32:
	case BW_OP_V_CMP_NE_U32:
	case BW_OP_V_CMP_EQ_I64:
	case BW_OP_V_CMP_NE_I64:
	case BW_OP_V_CMP_EQ_U64:
	case BW_OP_V_CMP_NE_U64:
	case BW_OP_V_CMPX_EQ_I32:
	case BW_OP_V_CMPX_NE_I32:
	case BW_OP_V_CMPX_EQ_U32:
	case BW_OP_V_CMPX_NE_U32:
	case BW_OP_V_CMPX_EQ_I64:
	case BW_OP_V_CMPX_NE_I64:
	case BW_OP_V_CMPX_EQ_U64:
	case BW_OP_V_CMPX_NE_U64:
	case BW_OP_S_CMP_EQ_I32:
	case BW_OP_S_CMP_LG_I32:
	case BW_OP_S_CMP_EQ_U32:
	case BW_OP_S_CMP_LG_U32:
	case BW_OP_S_CMP_EQ_U64:
	case BW_OP_S_CMP_LG_U64:
		return true;
	default:
		return false;
	}
}

/* A comparison with a constant may look at some bits only: at the sign, or at those above a power
 * of two. */
static uint32_t of_comparison(enum bw_op op, unsigned i, bool is_known, uint32_t other)
{
	const struct bw_operand *o = &bw_isa_op_info(op)->src[i & 1];
	bool is_number = o->type == BW_OPERAND_UINT || o->type == BW_OPERAND_INT ||
			 o->type == BW_OPERAND_FLOAT;
	if (!is_number || o->bits < 32)
		return 0;
	if (!is_known || is_equality(op) || o->type == BW_OPERAND_FLOAT)
		return UINT32_MAX;
	return o->type == BW_OPERAND_INT && other + 1 > 2 ? UINT32_MAX : 0;
}

/* ---- Instructions ---- */

static bool is_source(const struct wanted *reg, unsigned code, unsigned n)
{
	unsigned first = reg->is_vgpr ? BW_SRC_VGPR0 + reg->reg : reg->reg;
	n = n ? n : 1;
	return first >= code && first < code + n &&
	       (reg->is_vgpr ? code >= BW_SRC_VGPR0 : code < BW_SRC_TTMP0);
}

static bool is_vgpr_in(const struct wanted *reg, unsigned first, unsigned n)
{
	return reg->is_vgpr && reg->reg >= first && reg->reg < first + n;
}

static unsigned dwords(unsigned bits)
{
	return bits > 32 ? (bits + 31) / 32 : 1;
}

static bool is_store(const struct bw_inst *inst)
{
	return bw_isa_op_info(inst->op)->flags & (BW_OPF_STORE | BW_OPF_ATOMIC);
}

static uint32_t of_memory(const struct bw_inst *inst, const struct wanted *reg, bool *is_use)
{
	const struct bw_op_info *info = bw_isa_op_info(inst->op);
	unsigned bits = info->mem.bits;
	bool two = info->flags & BW_OPF_TWO_ADDRESSES;
	bool is_wide = inst->fmt == BW_FMT_GLOBAL && inst->saddr == BW_SRC_NULL;
	bool has_address = inst->fmt != BW_FMT_SCRATCH || inst->sve;
	uint32_t data = bits < 32 ? (1u << bits) - 1 : UINT32_MAX, out = 0;
	if (!reg->is_vgpr && inst->saddr < BW_SRC_TTMP0 && reg->reg >= inst->saddr &&
	    reg->reg < inst->saddr + (inst->fmt == BW_FMT_SCRATCH ? 1u : 2u))
		out = UINT32_MAX;
	if (has_address &&
	    is_vgpr_in(reg, inst->vaddr, inst->fmt == BW_FMT_FLAT || is_wide ? 2 : 1))
		out = UINT32_MAX;
	if (is_store(inst) && is_vgpr_in(reg, inst->vdata, dwords(bits)))
		out |= data;
	if (is_store(inst) && two && is_vgpr_in(reg, inst->vdata2, dwords(bits)))
		out |= data;
	*is_use = out;
	return out;
}

static bool is_copy(enum bw_op op)
{
	return op == BW_OP_V_MOV_B32 || op == BW_OP_S_MOV_B32 || op == BW_OP_V_READFIRSTLANE_B32;
}

/* What the result of an ALU operation is needed for. */
static uint32_t of_result(struct walk *w, const struct bw_inst *inst, uint64_t next, unsigned dst,
			  unsigned depth)
{
	bool is_scalar = inst->fmt == BW_FMT_SOP1 || inst->fmt == BW_FMT_SOP2 ||
			 inst->op == BW_OP_V_READFIRSTLANE_B32;
	struct wanted result = {!is_scalar, dst};
	uint32_t out = 0;
	if (is_copy(inst->op)) {
		if (w->copies++ < MAX_COPIES)
			out = demanded(w, next, result, depth);
		w->copies--;
		return out;
	}
	return depth ? demanded(w, next, result, depth - 1) : UINT32_MAX;
}

static uint32_t of_alu(struct walk *w, const struct bw_inst *half, const struct wanted *reg,
		       uint64_t next, unsigned depth, bool *is_use)
{
	const struct bw_op_info *info = bw_isa_op_info(half->op);
	uint32_t out = 0, result = 0, other;
	bool has_result = false;
	for (unsigned i = 0; i < half->n_src && i < info->n_src && out != UINT32_MAX; i++) {
		const struct bw_operand *o = &info->src[i];
		if (!is_source(reg, half->src[i], dwords(o->bits)))
			continue;
		*is_use = true;
		bool is_known = i < 2 && half->n_src > 1 && constant(half, half->src[!i], &other);
		if (info->class == BW_CLASS_CMP || half->fmt == BW_FMT_SOPC) {
			out |= of_comparison(half->op, i, is_known, is_known ? other : 0);
			continue;
		}
		if (o->type == BW_OPERAND_FLOAT && o->bits >= 32) {
			out = UINT32_MAX;
			continue;
		}
		bool is_cvt = half->op == BW_OP_V_CVT_F32_I32 || half->op == BW_OP_V_CVT_F32_U32;
		/* of an address of 64 bits */
		bool is_wide = o->bits == 64 && o->type != BW_OPERAND_MASK;
		if (is_cvt || is_wide) {
			out = UINT32_MAX;
			continue;
		}
		if (!has_result)
			result = of_result(w, half, next, half->dst, depth);
		has_result = true;
		if (is_copy(half->op))
			out |= result;
		else if (half->n_src == 2)
			out |= of_two(half->op, i, is_known, is_known ? other : 0, result);
		else if (half->n_src == 3)
			out |= of_three(half, i, result);
	}
	return out;
}

/* is_use: set where the instruction reads the register. */
static uint32_t of_instruction(struct walk *w, const struct bw_inst *inst, const struct wanted *reg,
			       uint64_t next, unsigned depth, bool *is_use)
{
	switch ((int)inst->fmt) {
	case BW_FMT_SMEM:
	case BW_FMT_DS:
	case BW_FMT_FLAT:
	case BW_FMT_GLOBAL:
	case BW_FMT_SCRATCH:
		return of_memory(inst, reg, is_use);
	case BW_FMT_SOP1:
	case BW_FMT_SOP2:
	case BW_FMT_SOPC:
	case BW_FMT_VOP1:
	case BW_FMT_VOP2:
	case BW_FMT_VOPC:
	case BW_FMT_VOP3:
		if (inst->dpp != BW_DPP_NONE || inst->op_sel || inst->clamp)
			return 0;
		return of_alu(w, inst, reg, next, depth, is_use);
	case BW_FMT_VOPD: {
		struct bw_inst x = *inst, y = *inst;
		x.op = bw_isa_op_info(inst->op)->same;
		y.op = bw_isa_op_info(inst->op_y)->same;
		y.dst = inst->dst_y;
		y.n_src = inst->n_src_y;
		for (unsigned i = 0; i < BW_ARRAY_SIZE(y.src); i++)
			y.src[i] = inst->src_y[i];
		return of_alu(w, &x, reg, next, depth, is_use) |
		       of_alu(w, &y, reg, next, depth, is_use);
	}
	case BW_FMT_VOP3SD: /* sums, and the products of two dwords */
		for (unsigned i = 0; i < inst->n_src; i++)
			if (inst->op != BW_OP_V_DIV_SCALE_F32 &&
			    inst->op != BW_OP_V_DIV_SCALE_F64 && is_source(reg, inst->src[i], 1)) {
				*is_use = true;
				return up_to_highest(of_result(w, inst, next, inst->dst, depth));
			}
		return 0;
	default:
		return 0;
	}
}

/* ---- Ways ---- */

struct ways {
	uint8_t *seen;
	uint32_t *waiting;
	uint32_t n;
};

static void go(const struct walk *w, struct ways *ways, uint64_t at)
{
	uint64_t i = (at - w->code->entry) / 4;
	if (at < w->code->entry || at >= w->end || ways->seen[i])
		return;
	ways->seen[i] = 1;
	ways->waiting[ways->n++] = (uint32_t)i;
}

static uint32_t demanded(struct walk *w, uint64_t from, struct wanted reg, unsigned depth)
{
	size_t n = (size_t)((w->end - w->code->entry) / 4);
	_cleanup_free_ uint8_t *seen = calloc(n, 1);
	_cleanup_free_ uint32_t *waiting = malloc(n * sizeof(*waiting));
	struct ways ways = {seen, waiting, 0};
	uint32_t out = 0;
	if (!seen || !waiting)
		return 0;
	go(w, &ways, from);
	while (ways.n && w->looks && out != UINT32_MAX) {
		uint64_t at = w->code->entry + 4ull * ways.waiting[--ways.n], target = 0;
		struct bw_inst inst;
		struct bw_written written;
		w->looks--;
		if (!decode(w, at, &inst))
			continue;
		enum bw_flow flow = bw_isa_flow(&inst, at, &target);
		bool is_use = false;
		uint32_t mask = of_instruction(w, &inst, &reg, at + inst.size_b, depth, &is_use);
		out |= mask;
		bw_written_by(&inst, w->code->lanes, &written);
		/* what a function does that is called is not known */
		if (bw_written_has(&written, reg.is_vgpr, reg.reg) || flow == BW_FLOW_CALL ||
		    flow == BW_FLOW_END || flow == BW_FLOW_INDIRECT)
			continue;
		if (flow == BW_FLOW_BRANCH || flow == BW_FLOW_COND_BRANCH)
			go(w, &ways, target);
		if (flow != BW_FLOW_BRANCH)
			go(w, &ways, at + inst.size_b);
	}
	return out;
}

/* A dword that is loaded, or returned by a call, is the one that was stored or returned. */
static bool is_taken_whole(const struct bw_inst *inst)
{
	const struct bw_op_info *info = bw_isa_op_info(inst->op);
	return (info->flags & (BW_OPF_LOAD | BW_OPF_ATOMIC) && info->mem.bits >= 32) ||
	       inst->op == BW_OP_S_SWAPPC_B64;
}

uint32_t bw_demanded_bits(const struct bw_origin_code *code, uint64_t at, bool is_vgpr,
			  unsigned reg)
{
	struct walk w = {.code = code,
			 .end = BW_MIN(code->end, (uint64_t)code->image_b),
			 .looks = MAX_LOOKS};
	struct bw_inst inst;
	if (w.end > code->entry) /* whole dwords only */
		w.end -= (w.end - code->entry) % 4;
	if (at < code->entry || at % 4 || code->entry % 4 || at >= w.end ||
	    (w.end - code->entry) / 4 > MAX_DWORDS || !decode(&w, at, &inst))
		return 0;
	if (is_taken_whole(&inst))
		return UINT32_MAX;
	return demanded(&w, at + inst.size_b, (struct wanted){is_vgpr, reg}, MAX_DEPTH);
}
