// SPDX-License-Identifier: MIT
#include "debug/stepping/simulate.h"

#include "base/util.h"
#include "isa/ops.h"

/* Reads 64 bits of a scalar operand; a pair begins at an even SGPR. False: the operand does not
 * have 64 bits (a shader cannot jump through TTMPs and M0). */
static bool read_pair(const struct bw_sim_regs *r, unsigned code, uint64_t *out)
{
	code &= ~1u;
	if (code <= BW_SRC_VCC_LO) {
		*out = bw_join32(r->s[code + 1], r->s[code]);
		return true;
	}
	if (code == BW_SRC_EXEC_LO) {
		*out = r->exec;
		return true;
	}
	return false;
}

static bool write_pair(struct bw_sim_regs *r, unsigned code, uint64_t value)
{
	if (code == BW_SRC_NULL)
		return true;
	code &= ~1u;
	if (code <= BW_SRC_VCC_LO) {
		r->s[code] = (uint32_t)value;
		r->s[code + 1] = bw_hi32(value);
		return true;
	}
	if (code == BW_SRC_EXEC_LO) {
		r->exec = value;
		return true;
	}
	return false;
}

static uint64_t of_wave(const struct bw_sim_regs *r, uint64_t mask)
{
	return r->lanes == 32 ? (uint32_t)mask : mask;
}

/* Whether a conditional branch is taken. False: the registers do not have the bit that it tests. */
static bool condition(const struct bw_sim_regs *r, unsigned op, bool *out_taken)
{
	bool vccz = of_wave(r, bw_join32(r->s[BW_SRC_VCC_HI], r->s[BW_SRC_VCC_LO])) == 0;
	bool execz = of_wave(r, r->exec) == 0;
	const struct {
		unsigned op;
		bool taken;
	} rows[] = {
		{BW_OP_S_CBRANCH_SCC0, !r->scc},
		{BW_OP_S_CBRANCH_SCC1, r->scc},
		{BW_OP_S_CBRANCH_VCCZ, vccz},
		{BW_OP_S_CBRANCH_VCCNZ, !vccz},
		{BW_OP_S_CBRANCH_EXECZ, execz},
		{BW_OP_S_CBRANCH_EXECNZ, !execz},
		{BW_OP_S_CBRANCH_CDBGSYS, r->cond_dbg_sys},
		{BW_OP_S_CBRANCH_CDBGUSER, r->cond_dbg_user},
		{BW_OP_S_CBRANCH_CDBGSYS_OR_USER, r->cond_dbg_sys || r->cond_dbg_user},
		{BW_OP_S_CBRANCH_CDBGSYS_AND_USER, r->cond_dbg_sys && r->cond_dbg_user},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (rows[i].op == op) {
			*out_taken = rows[i].taken;
			return true;
		}
	return false;
}

/* S_SUBVECTOR_LOOP_BEGIN, which runs a loop for the two halves of EXEC in turn (RDNA3 ISA manual,
 * S_SUBVECTOR_LOOP_BEGIN and _END). Nothing to do in wave32 (doc/rules.md 286). */
static bool subvector_begin(struct bw_sim_regs *r, unsigned sdst, uint64_t next, uint64_t target)
{
	uint32_t lo = (uint32_t)r->exec, hi = bw_hi32(r->exec);
	if (sdst > BW_SRC_VCC_HI)
		return false;
	r->pc = next;
	if (r->lanes == 32)
		return true;
	if (r->exec == 0) {
		r->pc = target;
	} else if (lo == 0) {
		r->s[sdst] = lo;
	} else {
		r->s[sdst] = hi;
		r->exec = lo;
	}
	return true;
}

static bool subvector_end(struct bw_sim_regs *r, unsigned sdst, uint64_t next, uint64_t target)
{
	uint32_t lo = (uint32_t)r->exec, hi = bw_hi32(r->exec);
	if (sdst > BW_SRC_VCC_HI)
		return false;
	r->pc = next;
	if (r->lanes == 32)
		return true;
	if (hi != 0) {
		r->exec = bw_join32(hi, r->s[sdst]);
	} else if (r->s[sdst] != 0) {
		r->exec = bw_join32(r->s[sdst], 0);
		r->s[sdst] = lo;
		r->pc = target;
	}
	return true;
}

static bool set_pc(struct bw_sim_regs *r, unsigned code)
{
	uint64_t target;
	if (!read_pair(r, code, &target))
		return false;
	/* instruction fetch uses 48 bits of the address, in whole dwords */
	r->pc = bw_canonical(target & ~3ull);
	return true;
}

static bool conditional(struct bw_sim_regs *r, const struct bw_inst *inst, uint64_t next,
			uint64_t target)
{
	bool taken;
	if (inst->op == BW_OP_S_SUBVECTOR_LOOP_BEGIN)
		return subvector_begin(r, inst->dst, next, target);
	if (inst->op == BW_OP_S_SUBVECTOR_LOOP_END)
		return subvector_end(r, inst->dst, next, target);
	if (!condition(r, inst->op, &taken))
		return false;
	r->pc = taken ? target : next;
	return true;
}

enum bw_sim_result bw_simulate(const struct bw_inst *inst, struct bw_sim_regs *regs)
{
	struct bw_sim_regs r = *regs;
	uint64_t next = r.pc + inst->size_b, target;
	const enum bw_flow flow = bw_isa_flow(inst, r.pc, &target);
	/* the PC that instructions see is 48 bits wide */
	const uint64_t link = next & 0xffffffffffffull;
	bool ok = false;

	target = bw_canonical(target);
	switch (flow) {
	case BW_FLOW_NEXT:
	case BW_FLOW_END:
		return BW_SIM_DISPLACE;
	case BW_FLOW_TRAP:
		return BW_SIM_TRAP;
	case BW_FLOW_BRANCH:
		r.pc = target;
		ok = true;
		break;
	case BW_FLOW_COND_BRANCH:
		ok = conditional(&r, inst, next, target);
		break;
	case BW_FLOW_GETPC:
		r.pc = next;
		ok = write_pair(&r, inst->dst, link);
		break;
	case BW_FLOW_CALL:
		r.pc = target;
		ok = write_pair(&r, inst->dst, link);
		break;
	case BW_FLOW_INDIRECT:
		/* s_rfe_b64 is the trap handler's, not a shader's. The target is read before the
		 * link is written. */
		if (inst->op == BW_OP_S_SETPC_B64)
			ok = set_pc(&r, inst->src[0]);
		else if (inst->op == BW_OP_S_SWAPPC_B64)
			ok = set_pc(&r, inst->src[0]) && write_pair(&r, inst->dst, link);
		break;
	case BW_FLOW_STACK: /* only the wave knows */
		break;
	}
	if (!ok)
		return BW_SIM_UNSUPPORTED;
	*regs = r;
	return BW_SIM_DONE;
}
