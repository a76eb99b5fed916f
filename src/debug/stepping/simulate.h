/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_SIMULATE_H
#define BW_DEBUG_SIMULATE_H

/* Instructions that read or write the PC cannot run from a scratch copy (doc/hardware/traps.md
 * 7.3): their effect is computed here, on a copy of the wave's registers. Pure. */

#include "isa/inst.h"

struct bw_sim_regs {
	uint64_t pc;
	uint64_t exec;	 /* both halves, also in wave32 */
	uint32_t s[108]; /* s0..s105, VCC */
	bool scc, cond_dbg_user, cond_dbg_sys;
	uint8_t lanes;
};

enum bw_sim_result {
	BW_SIM_DONE,	    /* regs have been changed as by the instruction */
	BW_SIM_DISPLACE,    /* not relative to the PC: it can run from a copy */
	BW_SIM_TRAP,	    /* s_trap: to be reported, not executed */
	BW_SIM_UNSUPPORTED, /* relative to the PC, in a form that a shader may not use */
};

/* Simulates an instruction. data/isa says which instructions jump or read the PC; one that this
 * function does not know is BW_SIM_UNSUPPORTED, and must not be run from a copy either. regs change
 * only on BW_SIM_DONE. */
enum bw_sim_result bw_simulate(const struct bw_inst *inst, struct bw_sim_regs *regs);

#endif
