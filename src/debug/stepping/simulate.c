// SPDX-License-Identifier: MIT
#include "debug/stepping/simulate.h"

#include "base/util.h"

enum {
	STATUS_SCC = 1u << 0,
	STATUS_CDBG_USER =
		1u << 20, /* COND_DBG_USER and COND_DBG_SYS of the RDNA3 ISA manual, STATUS */
	STATUS_CDBG_SYS = 1u << 21,
};

/* 64 bits at a scalar operand code. False: a code that is no place of 64 bits (TTMPs and M0 are
 * not a shader's to jump through). */
static bool read_pair(const struct bw_sim_regs *r, unsigned code, uint64_t *out)
{
	if (code <= BW_SRC_VCC_LO && code % 2 == 0) {
		*out = r->s[code] | (uint64_t)r->s[code + 1] << 32;
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
	if (code <= BW_SRC_VCC_LO && code % 2 == 0) {
		r->s[code] = (uint32_t)value;
		r->s[code + 1] = (uint32_t)(value >> 32);
		return true;
	}
	if (code == BW_SRC_EXEC_LO) {
		r->exec = value;
		return true;
	}
	return code == BW_SRC_NULL;
}

static uint64_t of_wave(const struct bw_sim_regs *r, uint64_t mask)
{
	return r->lanes == 32 ? (uint32_t)mask : mask;
}

/* Whether a conditional branch is taken; false in out_known for an opcode that is none. */
static bool taken(const struct bw_sim_regs *r, enum bw_op op, bool *out_known)
{
	bool scc = r->status & STATUS_SCC;
	bool user = r->status & STATUS_CDBG_USER, sys = r->status & STATUS_CDBG_SYS;
	bool vccz = of_wave(r, r->s[106] | (uint64_t)r->s[107] << 32) == 0;
	bool execz = of_wave(r, r->exec) == 0;
	*out_known = true;
	switch ((int)op) {
	case BW_OP_S_CBRANCH_SCC0:
		return !scc;
	case BW_OP_S_CBRANCH_SCC1:
		return scc;
	case BW_OP_S_CBRANCH_VCCZ:
		return vccz;
	case BW_OP_S_CBRANCH_VCCNZ:
		return !vccz;
	case BW_OP_S_CBRANCH_EXECZ:
		return execz;
	case BW_OP_S_CBRANCH_EXECNZ:
		return !execz;
	case BW_OP_S_CBRANCH_CDBGSYS:
		return sys;
	case BW_OP_S_CBRANCH_CDBGUSER:
		return user;
	case BW_OP_S_CBRANCH_CDBGSYS_OR_USER:
		return sys || user;
	case BW_OP_S_CBRANCH_CDBGSYS_AND_USER:
		return sys && user;
	default:
		*out_known = false;
		return false;
	}
}

/* The two halves of EXEC one after the other (RDNA3 ISA manual, S_SUBVECTOR_LOOP_BEGIN and _END).
 * Nothing to do in wave32 (doc/rules.md 286). */
static bool subvector_begin(struct bw_sim_regs *r, unsigned sdst, uint64_t next, uint64_t target)
{
	uint32_t lo = (uint32_t)r->exec, hi = (uint32_t)(r->exec >> 32);
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
	uint32_t lo = (uint32_t)r->exec, hi = (uint32_t)(r->exec >> 32);
	if (sdst > BW_SRC_VCC_HI)
		return false;
	r->pc = next;
	if (r->lanes == 32)
		return true;
	if (hi != 0) {
		r->exec = (uint64_t)hi << 32 | r->s[sdst];
	} else if (r->s[sdst] != 0) {
		r->exec = (uint64_t)r->s[sdst] << 32;
		r->s[sdst] = lo;
		r->pc = target;
	}
	return true;
}

/* s_getpc, s_setpc, s_swappc, s_call. */
static bool jump(const struct bw_inst *inst, struct bw_sim_regs *r, uint64_t next, uint64_t target)
{
	/* the PC that instructions see is 48 bits wide */
	const uint64_t link = next & 0xffffffffffffull;
	switch ((int)inst->op) {
	case BW_OP_S_GETPC_B64:
		r->pc = next;
		return write_pair(r, inst->dst, link);
	case BW_OP_S_CALL_B64:
		r->pc = target;
		return write_pair(r, inst->dst, link);
	case BW_OP_S_SETPC_B64:
		if (!read_pair(r, inst->src[0], &target))
			return false;
		break;
	case BW_OP_S_SWAPPC_B64:
		if (!read_pair(r, inst->src[0], &target) || !write_pair(r, inst->dst, link))
			return false;
		break;
	default:
		return false;
	}
	/* the fetcher takes 48 bits of a dword address */
	r->pc = bw_canonical(target & ~3ull);
	return true;
}

enum bw_sim_result bw_simulate(const struct bw_inst *inst, struct bw_sim_regs *regs)
{
	struct bw_sim_regs r = *regs;
	uint64_t next = r.pc + inst->size_b;
	uint64_t target = bw_canonical(r.pc + 4 + (uint64_t)((int64_t)inst->imm * 4));
	bool ok = true, known;

	switch (bw_isa_flow(inst, r.pc, &(uint64_t){0})) {
	case BW_FLOW_NEXT:
	case BW_FLOW_END:
		return BW_SIM_DISPLACE;
	case BW_FLOW_TRAP:
		return BW_SIM_TRAP;
	case BW_FLOW_BRANCH:
		r.pc = target;
		break;
	case BW_FLOW_COND_BRANCH:
		if (inst->op == BW_OP_S_SUBVECTOR_LOOP_BEGIN) {
			ok = subvector_begin(&r, inst->dst, next, target);
		} else if (inst->op == BW_OP_S_SUBVECTOR_LOOP_END) {
			ok = subvector_end(&r, inst->dst, next, target);
		} else {
			r.pc = taken(&r, inst->op, &known) ? target : next;
			ok = known;
		}
		break;
	case BW_FLOW_CALL:
	case BW_FLOW_INDIRECT:
	case BW_FLOW_GETPC:
		ok = jump(inst, &r, next, target);
		break;
	}
	if (!ok)
		return BW_SIM_UNSUPPORTED;
	*regs = r;
	return BW_SIM_DONE;
}
