/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_SIMULATE_H
#define BW_DEBUG_SIMULATE_H

/* Instructions that read or write the PC cannot run from a scratch copy (doc/hardware/traps.md
 * 7.3): their effect is worked out here, on a copy of the wave's registers. Pure. */

#include "arch/arch.h"

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

/* word: of the instruction, the first one. regs change only on BW_SIM_DONE. */
enum bw_sim_result bw_simulate(const struct bw_arch *arch, uint32_t word, struct bw_sim_regs *regs);

#endif
