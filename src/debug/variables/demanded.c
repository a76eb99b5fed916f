// SPDX-License-Identifier: MIT
/* The code after the instruction is followed until the register is written again. What an operand
 * needs follows from the operation, as in LLVM's SimplifyDemandedBits, whose doing this is about;
 * where the operation gives a result, from what is needed of that value, and so on through the
 * whole function: LLVM's BDCE follows values without a limit of depth. Around a loop a value can
 * need itself, so the bits start as none and grow until nothing changes. */
#include "debug/variables/demanded.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "base/vec.h"
#include "isa/ops.h"
#include "isa/written.h"

enum { MAX_DWORDS = 1 << 18, MAX_VALUES = 4096, MAX_LOOKS = 1 << 17 };

/* A register whose uses are searched. */
struct wanted {
	bool is_vgpr;
	unsigned reg;
};

/* A value that an instruction has put into a register. */
struct value {
	uint64_t from; /* after that instruction */
	struct wanted reg;
	uint32_t demanded;	  /* bits, as far as is known by now */
	uint32_t next;		  /* the next one of the same instruction + 1 */
	size_t first_use, n_uses; /* in the uses of the walk */
	bool has_uses;		  /* the uses were searched */
};

/* A dword of the function. */
struct place {
	uint32_t seen_by; /* the last value whose uses were looked for here + 1 */
	uint32_t waiting; /* entry i of the list of waiting places; it is not about this place */
	uint32_t values;  /* the first value from here on + 1 */
};

struct walk {
	const struct bw_origin_code *code;
	uint64_t end;
	unsigned looks; /* instructions that may still be looked at */
	struct place *places;
	uint32_t n_waiting;
	struct BW_VEC(struct value) values;
	struct BW_VEC(uint64_t) uses; /* addresses of instructions */
};

static bool decode(const struct walk *w, uint64_t at, struct bw_inst *out)
{
	return bw_isa_decode_at(w->code->gen, w->code->image, w->end, at, out);
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

/* The bits that an operation of two operands, without modifiers, needs of operand i. other: the
 * value of the other operand, if it is known; result: the bits needed of the result. */
static uint32_t of_two(unsigned op, unsigned i, bool is_known, uint32_t other, uint32_t result)
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
	case BW_OP_V_AND_B32: /* the compiler often knows which bits of the other operand are 0 */
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

/* Like of_two, for operations of three operands. */
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

/* Whether the comparison is == or != of integers; floats need all bits anyway. */
static bool is_equality(unsigned op)
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
static uint32_t of_comparison(unsigned op, unsigned i, bool is_known, uint32_t other)
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
	bool two = info->flags & BW_OPF_TWO_ADDRESSES;
	unsigned bits = two ? info->mem.bits / 2u : info->mem.bits; /* of each address */
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

static bool is_copy(unsigned op)
{
	return op == BW_OP_V_MOV_B32 || op == BW_OP_S_MOV_B32 || op == BW_OP_V_READFIRSTLANE_B32;
}

/* The bits needed of a value, as far as known so far. */
static uint32_t of_value(struct walk *w, uint64_t from, struct wanted reg)
{
	if (from < w->code->entry || from >= w->end)
		return 0;
	struct place *p = &w->places[(from - w->code->entry) / 4];
	for (uint32_t i = p->values; i; i = w->values.data[i - 1].next) {
		const struct value *v = &w->values.data[i - 1];
		if (v->reg.is_vgpr == reg.is_vgpr && v->reg.reg == reg.reg)
			return v->demanded;
	}
	if (w->values.len == MAX_VALUES)
		return 0;
	struct value new = {.from = from, .reg = reg, .next = p->values};
	struct bw_error *err = bw_vec_push(&w->values, new);
	if (!err)
		p->values = (uint32_t)w->values.len;
	bw_error_free(err);
	return 0;
}

/* The bits that are needed of the result of an ALU operation. */
static uint32_t of_result(struct walk *w, const struct bw_inst *inst, uint64_t next, unsigned dst)
{
	bool is_scalar = inst->fmt == BW_FMT_SOP1 || inst->fmt == BW_FMT_SOP2 ||
			 inst->op == BW_OP_V_READFIRSTLANE_B32;
	return of_value(w, next, (struct wanted){!is_scalar, dst});
}

static uint32_t of_alu(struct walk *w, const struct bw_inst *half, const struct wanted *reg,
		       uint64_t next, bool *is_use)
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
		/* part of an address of 64 bits */
		bool is_wide = o->bits == 64 && o->type != BW_OPERAND_MASK;
		if (is_cvt || is_wide) {
			out = UINT32_MAX;
			continue;
		}
		if (!has_result)
			result = of_result(w, half, next, half->dst);
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

/* The bits that an instruction needs of the register. is_use: set if it reads the register. */
static uint32_t of_instruction(struct walk *w, const struct bw_inst *inst, const struct wanted *reg,
			       uint64_t next, bool *is_use)
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
		return of_alu(w, inst, reg, next, is_use);
	case BW_FMT_VOPD: {
		struct bw_inst x = *inst, y = *inst;
		x.op = bw_isa_op_info(inst->op)->same;
		y.op = bw_isa_op_info(inst->op_y)->same;
		y.dst = inst->dst_y;
		y.n_src = inst->n_src_y;
		for (unsigned i = 0; i < BW_ARRAY_SIZE(y.src); i++)
			y.src[i] = inst->src_y[i];
		return of_alu(w, &x, reg, next, is_use) | of_alu(w, &y, reg, next, is_use);
	}
	case BW_FMT_VOP3SD: /* sums, and products of two dwords */
		for (unsigned i = 0; i < inst->n_src; i++)
			if (inst->op != BW_OP_V_DIV_SCALE_F32 &&
			    inst->op != BW_OP_V_DIV_SCALE_F64 && is_source(reg, inst->src[i], 1)) {
				*is_use = true;
				return up_to_highest(of_result(w, inst, next, inst->dst));
			}
		return 0;
	default:
		return 0;
	}
}

/* ---- Values ---- */

static void go(struct walk *w, uint64_t at, uint32_t value)
{
	uint64_t i = (at - w->code->entry) / 4;
	if (at < w->code->entry || at >= w->end || w->places[i].seen_by == value + 1)
		return;
	w->places[i].seen_by = value + 1;
	w->places[w->n_waiting++].waiting = (uint32_t)i;
}

static void find_uses(struct walk *w, uint32_t value)
{
	const struct value v = w->values.data[value];
	size_t first = w->uses.len;
	w->n_waiting = 0;
	go(w, v.from, value);
	while (w->n_waiting && w->looks) {
		uint64_t at = w->code->entry + 4ull * w->places[--w->n_waiting].waiting, target = 0;
		struct bw_inst inst;
		struct bw_written written;
		w->looks--;
		if (!decode(w, at, &inst))
			continue;
		enum bw_flow flow = bw_isa_flow(&inst, at, &target);
		bool is_use = false;
		of_instruction(w, &inst, &v.reg, at + inst.size_b, &is_use);
		bw_error_free(is_use ? bw_vec_push(&w->uses, at) : NULL);
		bw_written_by(&inst, w->code->lanes, &written);
		/* the effect of a called function is not known */
		if (bw_written_has(&written, v.reg.is_vgpr, v.reg.reg) || flow == BW_FLOW_CALL ||
		    flow == BW_FLOW_END || flow == BW_FLOW_INDIRECT)
			continue;
		if (flow == BW_FLOW_BRANCH || flow == BW_FLOW_COND_BRANCH)
			go(w, target, value);
		if (flow != BW_FLOW_BRANCH)
			go(w, at + inst.size_b, value);
	}
	w->values.data[value].has_uses = true;
	w->values.data[value].first_use = first;
	w->values.data[value].n_uses = w->uses.len - first;
}

/* Adds the bits that the uses of a value need, as far as known now. True: that is more than
 * before. */
static bool grow(struct walk *w, uint32_t value)
{
	const struct value v = w->values.data[value];
	uint32_t out = v.demanded;
	for (size_t i = 0; i < v.n_uses && w->looks && out != UINT32_MAX; i++) {
		uint64_t at = w->uses.data[v.first_use + i];
		struct bw_inst inst;
		bool is_use;
		w->looks--;
		if (decode(w, at, &inst))
			out |= of_instruction(w, &inst, &v.reg, at + inst.size_b, &is_use);
	}
	w->values.data[value].demanded = out;
	return out != v.demanded;
}

/* The bits needed of a value, with those of all values on which they depend. Values are found
 * before the values that they need, so one round gives most results. */
static uint32_t demanded(struct walk *w, uint64_t from, struct wanted reg)
{
	bool has_grown = true;
	of_value(w, from, reg);
	if (!w->values.len) /* the value has no later instruction */
		return 0;
	for (uint32_t i = 0; i < w->values.len && w->values.data[0].demanded != UINT32_MAX; i++) {
		find_uses(w, i);
		grow(w, i);
	}
	while (has_grown && w->looks && w->values.data[0].demanded != UINT32_MAX) {
		has_grown = false;
		for (uint32_t i = (uint32_t)w->values.len; i-- > 0;)
			has_grown |= w->values.data[i].has_uses && grow(w, i);
	}
	return w->values.data[0].demanded;
}

/* Whether all bits of the dword count: one that is loaded or returned by a call must be the dword
 * that was stored or returned. */
static bool is_taken_whole(const struct bw_inst *inst)
{
	const struct bw_op_info *info = bw_isa_op_info(inst->op);
	return (info->flags & (BW_OPF_LOAD | BW_OPF_ATOMIC) && info->mem.bits >= 32) ||
	       inst->op == BW_OP_S_SWAPPC_B64;
}

/* False: no instruction is at the address, or the function is too long. */
static bool begin(const struct bw_origin_code *code, uint64_t at, struct walk *out,
		  struct bw_inst *out_inst)
{
	struct walk w = {.code = code,
			 .end = BW_MIN(code->end, (uint64_t)code->image_b),
			 .looks = MAX_LOOKS};
	if (w.end > code->entry) /* whole dwords only */
		w.end -= (w.end - code->entry) % 4;
	if (at < code->entry || at % 4 || code->entry % 4 || at >= w.end ||
	    (w.end - code->entry) / 4 > MAX_DWORDS || !decode(&w, at, out_inst))
		return false;
	w.places = calloc((size_t)((w.end - code->entry) / 4), sizeof(*w.places));
	*out = w;
	return w.places;
}

static void end(struct walk *w)
{
	free(w->places);
	bw_vec_free(&w->values);
	bw_vec_free(&w->uses);
}

uint32_t bw_demanded_bits(const struct bw_origin_code *code, uint64_t at, bool is_vgpr,
			  unsigned reg)
{
	struct walk w;
	struct bw_inst inst;
	if (!begin(code, at, &w, &inst))
		return 0;
	uint32_t out = is_taken_whole(&inst)
			       ? UINT32_MAX
			       : demanded(&w, at + inst.size_b, (struct wanted){is_vgpr, reg});
	end(&w);
	return out;
}

bool bw_register_is_used(const struct bw_origin_code *code, uint64_t at, bool is_vgpr, unsigned reg)
{
	struct walk w;
	struct bw_inst inst;
	if (!begin(code, at, &w, &inst))
		return false;
	of_value(&w, at, (struct wanted){is_vgpr, reg});
	if (w.values.len)
		find_uses(&w, 0);
	bool is_used = w.uses.len;
	end(&w);
	return is_used;
}
