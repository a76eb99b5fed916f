// SPDX-License-Identifier: MIT
/* Resuming from a breakpoint without removing it (doc/hardware/traps.md 7.3): the instruction runs
 * from a copy that ends in s_trap BW_TRAP_ID_DISPLACED, or is simulated. */

#include <string.h>

#include "base/cleanup.h"
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/code/code_priv.h"
#include "debug/stepping/simulate.h"
#include "debug/stepping/stepping_priv.h"
#include "debug/waves/waves_priv.h"
#include "trap/trap.h"

enum {
	CELL_B = 32,	     /* 12 bytes of instruction, 4 of s_trap, the rest s_code_end */
	BUFFER_TAIL_B = 256, /* instruction fetch runs past the last cell */
};

uint64_t bw_displaced_pc(const struct bw_wave_record *w, uint64_t pc)
{
	if (!w->displaced_va || pc < w->displaced_copy || pc >= w->displaced_copy + CELL_B)
		return pc;
	/* The PC is at the instruction, or after it, never in between. */
	return pc == w->displaced_copy ? w->displaced_va : w->displaced_va + w->displaced_size_b;
}

/* Writes the copy on first use. */
static struct bw_error *make_copy(struct bw_debug *d, struct bw_patch *p)
{
	uint64_t buffer;
	const struct bw_arch *arch = bw_debug_arch(d);
	uint32_t size_b, cell, words[3], code[CELL_B / 4];
	struct bw_inst inst;

	if (p->copy_va)
		return NULL;
	bw_target_code_buffer(d->target, &buffer, &size_b);
	BW_TRY(bw_debug_read_inst(d, p->va, &inst, words));
	if (d->breaks->free_cells.len)
		cell = d->breaks->free_cells.data[--d->breaks->free_cells.len];
	else
		cell = d->breaks->n_cells++;
	if (size_b < BUFFER_TAIL_B || (cell + 1ull) * CELL_B > size_b / 2 - BUFFER_TAIL_B) {
		BW_TRY(bw_vec_push(&d->breaks->free_cells, cell));
		return bw_errorf(BW_E_UNSUPPORTED, "too many breakpoints to step over (%u)", cell);
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(code); i++)
		code[i] = arch->s_code_end;
	memcpy(code, words, inst.size_b);
	/* the code that reads the exceptions of this instruction is elsewhere */
	code[inst.size_b / 4] =
		bw_arch_s_trap(arch, BW_TRAP_ID_DISPLACED) | arch->s_trap_reads_exceptions;
	BW_TRY(bw_target_write(d->target, buffer + cell * CELL_B, code, sizeof(code)));
	p->copy_va = buffer + cell * CELL_B;
	p->cell = cell;
	return NULL;
}

static struct bw_error *simulate(struct bw_debug *d, struct bw_wave_record *w, uint64_t va,
				 bool *out_done)
{
	struct bw_target *t = d->target;
	uint32_t slot = w->info.slot;
	const struct bw_wave_state *state = &w->hw.state;
	struct bw_sim_regs before = {
		.pc = w->hw.pc,
		.exec = w->hw.exec,
		.scc = bw_wave_get(state, BW_WF_SCC),
		.cond_dbg_user = bw_wave_get(state, BW_WF_COND_DBG_USER),
		.cond_dbg_sys = bw_wave_get(state, BW_WF_COND_DBG_SYS),
		.lanes = w->hw.lanes,
	};
	struct bw_inst inst;
	uint32_t words[3];

	BW_TRY(bw_debug_read_inst(d, va, &inst, words));
	BW_TRY(bw_target_read_sgprs(t, slot, 0, 108, before.s));
	struct bw_sim_regs r = before;
	switch (bw_simulate(&inst, &r)) {
	case BW_SIM_DISPLACE:
	case BW_SIM_TRAP: /* the trap comes from the copy and is reported at the original's PC */
		*out_done = false;
		return NULL;
	case BW_SIM_UNSUPPORTED:
		return bw_errorf(BW_E_UNSUPPORTED, "cannot step over %s at 0x%llx",
				 bw_isa_op_info(inst.op)->name, (unsigned long long)w->hw.pc);
	case BW_SIM_DONE:
		break;
	}
	for (unsigned i = 0; i < BW_ARRAY_SIZE(r.s); i++)
		if (r.s[i] != before.s[i])
			BW_TRY(bw_target_write_sgpr(t, slot, i, r.s[i]));
	if (r.exec != before.exec)
		BW_TRY(bw_target_write_reg(t, slot, BW_TREG_EXEC, r.exec));
	BW_TRY(bw_target_write_reg(t, slot, BW_TREG_PC, r.pc));
	w->hw.pc = w->info.pc = r.pc;
	w->hw.exec = r.exec;
	bw_wave_find_lanes(d, w);
	*out_done = true;
	return NULL;
}

struct bw_error *bw_debug_prepare(struct bw_debug *d, struct bw_wave_record *w, bool *out_simulated)
{
	struct bw_target *t = d->target;
	uint32_t slot = w->info.slot;

	BW_IN_SPACE(d, w->info.space);
	*out_simulated = false;
	w->displaced_va = 0;
	BW_TRY(bw_excp_sync(d, w));
	/* The user has changed the PC: the wave simply resumes from there. */
	if (w->hw.pc != w->stop_pc)
		return NULL;
	if (w->skip_b) {
		BW_TRY(bw_target_write_reg(t, slot, BW_TREG_PC, w->hw.pc + w->skip_b));
		w->hw.pc = w->info.pc = w->hw.pc + w->skip_b;
		w->skip_b = 0;
		*out_simulated = true;
		return NULL;
	}
	struct bw_patch *p = bw_debug_patch_at(d, w->hw.pc);
	if (!p || w->info.in_barrier)
		return NULL;
	BW_TRY(simulate(d, w, p->va, out_simulated));
	if (*out_simulated)
		return NULL;
	BW_TRY(make_copy(d, p));
	BW_TRY(bw_target_write_reg(t, slot, BW_TREG_DISPLACED_RETURN, p->va + p->inst.size_b));
	BW_TRY(bw_target_write_reg(t, slot, BW_TREG_PC, p->copy_va));
	w->displaced_va = p->va;
	w->displaced_copy = p->copy_va;
	w->displaced_size_b = p->inst.size_b;
	w->hw.pc = p->copy_va;
	return NULL;
}
