/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_SIMULATE_H
#define BW_DEBUG_SIMULATE_H

/* Instructions that read or write the PC cannot run from a scratch copy (doc/hardware/traps.md
 * 7.3): their effect is computed here, on a copy of the wave's registers. Pure. */

#include "isa/inst.h"

struct bw_sim_regs {
	uint64_t pc;
	uint64_t exec;	 /* both halves in wave32, too */
	uint32_t s[108]; /* s0..s105, VCC */
	bool scc, cond_dbg_user, cond_dbg_sys;
	uint8_t lanes;
};

enum bw_sim_result {
	BW_SIM_DONE,	    /* regs are as after the instruction */
	BW_SIM_DISPLACE,    /* not relative to the PC: run it from a copy */
	BW_SIM_TRAP,	    /* s_trap: to be reported, not executed */
	BW_SIM_UNSUPPORTED, /* relative to the PC, and not a form a shader may use */
};

/* Which instructions have a flow of their own comes from data/isa; one that this does not know is
 * BW_SIM_UNSUPPORTED, not run elsewhere. regs change only on BW_SIM_DONE. */
enum bw_sim_result bw_simulate(const struct bw_inst *inst, struct bw_sim_regs *regs);

#endif
