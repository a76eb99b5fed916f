// SPDX-License-Identifier: MIT
#include "debug/stepping/simulate.h"

#include "base/util.h"
#include "isa/inst.h"

/* 64 bits at a scalar operand code; a pair begins at an even SGPR. False: a code that is no place
 * of 64 bits (TTMPs and M0 are not a shader's to jump through). */
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

/* Whether a conditional branch is taken. */
static bool taken(const struct bw_sim_regs *r, enum bw_pc_kind kind)
{
	bool vccz = of_wave(r, bw_join32(r->s[107], r->s[106])) == 0;
	bool execz = of_wave(r, r->exec) == 0;
	switch ((int)kind) {
	case BW_PC_IF_SCC0:
		return !r->scc;
	case BW_PC_IF_SCC1:
		return r->scc;
	case BW_PC_IF_VCCZ:
		return vccz;
	case BW_PC_IF_VCCNZ:
		return !vccz;
	case BW_PC_IF_EXECZ:
		return execz;
	case BW_PC_IF_EXECNZ:
		return !execz;
	case BW_PC_IF_CDBG_SYS:
		return r->cond_dbg_sys;
	case BW_PC_IF_CDBG_USER:
		return r->cond_dbg_user;
	case BW_PC_IF_CDBG_SYS_OR_USER:
		return r->cond_dbg_sys || r->cond_dbg_user;
	case BW_PC_IF_CDBG_SYS_AND_USER:
		return r->cond_dbg_sys && r->cond_dbg_user;
	default:
		return true; /* BRANCH */
	}
}

/* The two halves of EXEC one after the other (RDNA3 ISA manual, S_SUBVECTOR_LOOP_BEGIN and _END).
 * Nothing to do in wave32 (doc/rules.md 286). */
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
		r->exec = (uint64_t)hi << 32 | r->s[sdst];
	} else if (r->s[sdst] != 0) {
		r->exec = (uint64_t)r->s[sdst] << 32;
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
	/* the fetcher takes 48 bits of a dword address */
	r->pc = bw_canonical(target & ~3ull);
	return true;
}

enum bw_sim_result bw_simulate(const struct bw_arch *arch, uint32_t word, struct bw_sim_regs *regs)
{
	enum { INST_B = 4 };
	const enum bw_pc_kind kind = bw_arch_pc_kind(arch, word);
	const unsigned dst = word >> 16 & 0x7f, src = word & 0xff;
	struct bw_sim_regs r = *regs;
	uint64_t next = r.pc + INST_B;
	uint64_t target = bw_canonical(next + (uint64_t)((int64_t)(int16_t)word * 4));
	/* the PC that instructions see is 48 bits wide */
	const uint64_t link = next & 0xffffffffffffull;
	bool ok = true;

	switch (kind) {
	case BW_PC_NEXT:
	case BW_PC_END:
		return BW_SIM_DISPLACE;
	case BW_PC_TRAP:
		return BW_SIM_TRAP;
	case BW_PC_BRANCH:
	case BW_PC_IF_SCC0:
	case BW_PC_IF_SCC1:
	case BW_PC_IF_VCCZ:
	case BW_PC_IF_VCCNZ:
	case BW_PC_IF_EXECZ:
	case BW_PC_IF_EXECNZ:
	case BW_PC_IF_CDBG_SYS:
	case BW_PC_IF_CDBG_USER:
	case BW_PC_IF_CDBG_SYS_OR_USER:
	case BW_PC_IF_CDBG_SYS_AND_USER:
		r.pc = taken(&r, kind) ? target : next;
		break;
	case BW_PC_SUBVECTOR_BEGIN:
		ok = subvector_begin(&r, dst, next, target);
		break;
	case BW_PC_SUBVECTOR_END:
		ok = subvector_end(&r, dst, next, target);
		break;
	case BW_PC_GETPC:
		r.pc = next;
		ok = write_pair(&r, dst, link);
		break;
	case BW_PC_CALL:
		r.pc = target;
		ok = write_pair(&r, dst, link);
		break;
	case BW_PC_SETPC:
		ok = set_pc(&r, src);
		break;
	case BW_PC_SWAPPC:
		/* the target is read before the link is written */
		ok = set_pc(&r, src) && write_pair(&r, dst, link);
		break;
	case BW_PC_RFE:
		ok = false; /* the trap handler's, not a shader's */
		break;
	}
	if (!ok)
		return BW_SIM_UNSUPPORTED;
	*regs = r;
	return BW_SIM_DONE;
}
