// SPDX-License-Identifier: MIT
/* Examines stopped waves: which waves are in the slots, and why each of them stopped. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/programs_priv.h"
#include "debug/stepping/stepping_priv.h"
#include "debug/waves/waves_priv.h"
#include "isa/ops.h"

#include <stdlib.h>
#include <string.h>

#include "trap/trap.h"

/* ---- Why it stopped ---- */

/* The reasons that the registers show, without breakpoints. */
static uint32_t reasons_of(const struct bw_wave_state *s, uint32_t trap_id)
{
	static const struct {
		enum bw_wave_field field;
		enum bw_reason reason;
	} rows[] = {
		{BW_WF_ILLEGAL_INST, BW_REASON_ILLEGAL_INSTRUCTION},
		{BW_WF_WAVE_START, BW_REASON_WAVE_START},
		{BW_WF_WAVE_END, BW_REASON_WAVE_END},
		{BW_WF_STEPPED, BW_REASON_SINGLE_STEP},
		{BW_WF_HOST_TRAP, BW_REASON_INTERRUPT},
		{BW_WF_HOST_TRAP_TTMP, BW_REASON_INTERRUPT},
	};
	uint32_t reasons = 0;

	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (bw_wave_get(s, rows[i].field))
			reasons |= rows[i].reason;
	if (bw_wave_get(s, BW_WF_MEMORY_VIOLATION))
		reasons |= bw_wave_get(s, BW_WF_PAGE_FAULT) ? BW_REASON_MEMORY_VIOLATION
							    : BW_REASON_ADDRESS_ERROR;
	reasons |= (bw_wave_get(s, BW_WF_ALU_EXCEPTIONS) & bw_wave_get(s, BW_WF_EXCP_EN))
		   << BW_REASON_FP_SHIFT;
	switch (trap_id) {
	case 0:
	case BW_TRAP_ID_BREAKPOINT:
	case BW_TRAP_ID_DISPLACED:
		break;
	case BW_TRAP_ID_FINDING:
	case BW_TRAP_ID_FINDING_HERE:
		reasons |= BW_REASON_FINDING;
		break;
	case 1:
		reasons |= BW_REASON_BREAKPOINT;
		break;
	case 2:
		reasons |= BW_REASON_ASSERT_TRAP;
		break;
	case 3:
		reasons |= BW_REASON_DEBUG_TRAP;
		break;
	default:
		reasons |= BW_REASON_TRAP;
		break;
	}
	return reasons;
}

/* clang's __builtin_trap() continues after its s_trap 2 with s_sendmsg_rtn_b32 GET_DOORBELL and
 * ends in s_sethalt (doc/hardware/code-objects.md 5): one event, with nothing to resume. */
static bool is_builtin_trap(struct bw_debug *d, uint64_t pc)
{
	struct bw_inst inst;
	struct bw_error *err = bw_debug_read_inst(d, pc + 4, &inst, NULL);
	if (err) {
		bw_error_free(err);
		return false;
	}
	return inst.op == BW_OP_S_SENDMSG_RTN_B32 &&
	       inst.src[0] == bw_debug_arch(d)->msg_rtn_get_doorbell;
}

/* Whether the program itself has an s_trap there. */
static bool is_s_trap(struct bw_debug *d, uint64_t pc)
{
	struct bw_inst inst = {0};
	struct bw_error *err = bw_debug_read_inst(d, pc, &inst, NULL);
	bool yes = !err && inst.op == BW_OP_S_TRAP;
	bw_error_free(err);
	return yes;
}

/* Whether the step that waits for this place ends here: s32 has the value that it requires. */
static bool at_place(struct bw_debug *d, const struct bw_wave_record *w,
		     const struct bw_internal_place *p)
{
	uint32_t s32;
	if (!p->va || w->info.pc != p->va || w->info.number != d->breaks->internal_wave)
		return false;
	if (!p->has_s32)
		return true;
	struct bw_error *err = bw_target_read_sgprs(d->target, w->info.slot, 32, 1, &s32);
	bool same = !err && s32 == p->s32;
	bw_error_free(err);
	return same;
}

static bool at_internal(struct bw_debug *d, const struct bw_wave_record *w)
{
	for (size_t i = 0; i < BW_INTERNAL_PLACES; i++)
		if (at_place(d, w, &d->breaks->internal[i]))
			return true;
	return false;
}

bool bw_tests_are_ended(struct bw_debug *d)
{
	return d->stepping->defers_tests |= bw_target_is_interrupted(d->target);
}

static void at_breakpoint(struct bw_debug *d, struct bw_wave_record *w)
{
	const struct bw_patch *p = bw_debug_patch_at(d, w->info.pc);
	if (!p)
		return;
	/* a wave that was stopped before the s_trap is left untested: when it is resumed, the GPU
	 * tests the condition, which is faster */
	bool before = p->filter && w->info.reasons == BW_REASON_INTERRUPT;
	w->untested = (d->stepping->defers_tests || before) && bw_break_is_conditional(d, w);
	if (!w->untested)
		w->info.breakpoint = bw_debug_break_hit(d, w, &w->info.breakpoint_lanes);
	if (w->info.breakpoint)
		w->info.reasons |= BW_REASON_BREAKPOINT;
	if (at_internal(d, w))
		w->info.reasons |= BW_REASON_SINGLE_STEP;
}

bool bw_test_deferred(struct bw_debug *d, struct bw_wave_record *w)
{
	if (!w->untested || w->hw.pc != w->stop_pc)
		return false;
	w->untested = false;
	w->info.breakpoint = bw_debug_break_hit(d, w, &w->info.breakpoint_lanes);
	if (!w->info.breakpoint)
		return false;
	w->info.reasons = (w->info.reasons & ~(uint32_t)BW_REASON_INTERRUPT) | BW_REASON_BREAKPOINT;
	return true;
}

static void at_exception(struct bw_debug *d, struct bw_wave_record *w)
{
	uint32_t excp = (w->info.reasons & BW_REASON_FP_EXCEPTION) >> BW_REASON_FP_SHIFT;
	bool resume;
	if (!excp)
		return;
	uint32_t number = bw_excp_hit(d, w, excp, &resume);
	if (resume)
		w->info.reasons &= ~(uint32_t)BW_REASON_FP_EXCEPTION;
	else
		w->info.cause_pc = bw_inst_before(d, w->info.pc);
	if (!w->info.breakpoint)
		w->info.breakpoint = number;
}

/* Whether the virtual GPU's checker has stopped the wave, and not an s_trap of the program. */
static bool is_finding(struct bw_debug *d, uint32_t trap_id, uint64_t pc)
{
	return (trap_id == BW_TRAP_ID_FINDING || trap_id == BW_TRAP_ID_FINDING_HERE) &&
	       !is_s_trap(d, pc);
}

void bw_debug_on_finding(struct bw_debug *d, bw_finding_fn *fn, void *cookie)
{
	d->stepping->asks_finding = fn;
	d->stepping->asks_finding_cookie = cookie;
}

/* A finding that is not wanted stops nothing. */
static void at_finding(struct bw_debug *d, struct bw_wave_record *w, uint32_t trap_id, uint64_t pc)
{
	const struct bw_stepping *s = d->stepping;
	w->info.cause_pc = trap_id == BW_TRAP_ID_FINDING_HERE ? pc : bw_inst_before(d, pc);
	if (s->asks_finding && !s->asks_finding(s->asks_finding_cookie, &w->info)) {
		w->info.reasons &= ~(uint32_t)BW_REASON_FINDING;
		w->info.cause_pc = 0;
	}
}

/* Finds out which wave is in this slot. A wave keeps its slot and its place in the grid until it
 * ends. */
static void identify(struct bw_debug *d, struct bw_wave_record *w)
{
	struct bw_wave_info *i = &w->info;
	const struct bw_target_wave *hw = &w->hw;
	struct bw_dispatch_record *x = bw_debug_dispatch_priv(d, i->dispatch);
	bool same = w->known && i->space == hw->space && i->wave_in_group == hw->wave_in_group &&
		    i->lanes == hw->lanes &&
		    memcmp(i->workgroup, hw->workgroup, sizeof(i->workgroup)) == 0 && x &&
		    x->info.state == BW_DISPATCH_RUNNING &&
		    (!x->packet_known || x->packet == hw->dispatch_packet);

	if (same)
		return;
	w->hidden_excp = 0;
	*i = (struct bw_wave_info){.agent = 1,
				   .slot = hw->slot,
				   .space = hw->space,
				   .inferior = bw_debug_inferior_of_space(d, hw->space),
				   .lanes = hw->lanes,
				   .wave_in_group = hw->wave_in_group};
	memcpy(i->workgroup, hw->workgroup, sizeof(i->workgroup));
	i->place = bw_target_place(&d->target->facts, hw->slot);
	x = bw_debug_dispatch_of(d, hw);
	if (x) {
		i->dispatch = x->info.number;
		i->queue = x->info.queue;
		i->stage = x->info.desc.stage;
		i->draw = x->info.draw;
	}
	if (x && !i->draw && hw->wave_in_group != BW_GROUP_UNKNOWN) {
		const uint32_t *g = x->info.desc.groups;
		uint64_t linear = ((uint64_t)hw->workgroup[2] * g[1] + hw->workgroup[1]) * g[0] +
				  hw->workgroup[0];
		x->launched_groups = BW_MAX(x->launched_groups, linear + 1);
	}
	w->known = true;
}

struct bw_error *bw_debug_examine(struct bw_debug *d, uint32_t slot)
{
	struct bw_wave_record *w = &d->waves->slots[slot];
	struct bw_target_wave hw;

	BW_TRY(bw_target_read_wave(d->target, slot, &hw));
	BW_IN_SPACE(d, hw.space);
	if (w->stopped && w->hw.seq == hw.seq && w->hw.space == hw.space) {
		w->info.in_barrier = bw_wave_get(&hw.state, BW_WF_IN_BARRIER);
		return NULL;
	}
	w->reported = false;
	/* For a PC in a displaced copy, the address of the original is shown. */
	uint64_t pc = w->displaced_va ? bw_displaced_pc(w, hw.pc) : bw_filter_pc(d, hw.pc);
	bool not_run = pc != hw.pc && bw_debug_patch_at(d, pc) &&
		       (!w->displaced_va || pc == w->displaced_va);
	if (pc != hw.pc)
		BW_TRY(bw_target_write_reg(d->target, slot, BW_TREG_PC, pc));
	hw.pc = pc;
	w->hw = hw;
	w->displaced_va = 0;
	/* on a target that cannot run, no dispatch has told about the code of waves */
	if (!bw_target_can(d->target, BW_CAP_RUN))
		BW_TRY(bw_debug_match_pc(d, pc));
	identify(d, w);

	uint32_t trap_id = bw_wave_get(&hw.state, BW_WF_TRAP_ID);
	if (bw_filter_is_trap(trap_id) && !is_s_trap(d, pc))
		trap_id = BW_TRAP_ID_BREAKPOINT;
	enum bw_wreg enables = bw_arch_reg_of(hw.state.arch, BW_WF_EXCP_EN);
	w->raw_enables = hw.state.reg[enables];
	w->hw.state.reg[enables] = bw_excp_own_enables(d, w, w->raw_enables);
	w->info.cause_pc = 0;
	w->stopped = true;
	w->stop_pc = pc;
	w->info.pc = pc;
	bw_wave_find_lanes(d, w);
	w->info.n_vgprs = hw.n_vgprs;
	w->info.accum_offset = bw_wave_accum_offset(&hw.state);
	bool found = is_finding(d, trap_id, pc);
	w->info.reasons = reasons_of(&hw.state, trap_id);
	if (w->info.reasons & BW_REASON_FINDING && !found)
		w->info.reasons ^= BW_REASON_FINDING | BW_REASON_TRAP;
	bool ours = found || trap_id == BW_TRAP_ID_BREAKPOINT || trap_id == BW_TRAP_ID_DISPLACED;
	w->info.trap_id = ours ? 0 : trap_id;
	w->info.breakpoint = 0;
	w->info.breakpoint_lanes = 0;
	w->untested = false;
	w->info.in_barrier = bw_wave_get(&hw.state, BW_WF_IN_BARRIER);
	w->info.builtin_trap = trap_id == 2 && is_builtin_trap(d, pc);
	w->info.pc_imprecise =
		!d->target->is_precise && bw_wave_get(&hw.state, BW_WF_MEMORY_VIOLATION);
	w->skip_b = trap_id && !ours ? 4 : 0;
	/* in a barrier, the instruction at the PC, which may be an s_trap, was not executed yet */
	if (!not_run && !w->info.in_barrier)
		at_breakpoint(d, w);
	if (found)
		at_finding(d, w, trap_id, pc);
	if (w->info.draw && w->info.reasons & BW_REASON_WAVE_START)
		bw_draw_break_hit(d, w);
	at_exception(d, w);
	BW_TRY(bw_excp_restore_flags(d, w));
	bw_watch_examine(d, w, bw_wave_get(&hw.state, BW_WF_WATCH_HITS));
	if (!w->info.reasons)
		w->info.reasons = BW_REASON_INTERRUPT;
	return NULL;
}

/* ---- All of them ---- */

static int by_position(const void *pa, const void *pb, void *cookie)
{
	const struct bw_debug *d = cookie;
	const struct bw_wave_info *a = &d->waves->slots[*(const uint32_t *)pa].info;
	const struct bw_wave_info *b = &d->waves->slots[*(const uint32_t *)pb].info;
	if (a->dispatch != b->dispatch)
		return a->dispatch < b->dispatch ? -1 : 1;
	for (int i = 2; i >= 0; i--)
		if (a->workgroup[i] != b->workgroup[i])
			return a->workgroup[i] < b->workgroup[i] ? -1 : 1;
	if (a->wave_in_group != b->wave_in_group)
		return a->wave_in_group < b->wave_in_group ? -1 : 1;
	return a->slot < b->slot ? -1 : a->slot > b->slot;
}

struct bw_error *bw_debug_collect(struct bw_debug *d)
{
	uint32_t n_slots = d->target->facts.n_slots;
	BW_TRY(bw_vec_reserve(&d->waves->stopped, n_slots));
	size_t n = BW_MIN(bw_target_stopped(d->target, d->waves->stopped.data, n_slots),
			  (size_t)n_slots);

	size_t next = 0;
	for (uint32_t slot = 0; slot < n_slots; slot++) {
		if (next < n && d->waves->stopped.data[next] == slot)
			next++;
		else
			d->waves->slots[slot].stopped = false;
	}
	d->waves->stopped.len = n;
	bw_debug_order_stops(d, d->waves->stopped.data, n);
	for (size_t i = 0; i < n; i++) {
		bw_tests_are_ended(d);
		BW_TRY(bw_debug_examine(d, d->waves->stopped.data[i]));
	}
	d->stepping->defers_tests = false;
	qsort_r(d->waves->stopped.data, n, sizeof(uint32_t), by_position, d);
	for (size_t i = 0; i < n; i++)
		bw_debug_wave_number(d, bw_stopped_wave(d, i));
	bw_debug_sort_stopped(d);
	d->state = BW_DEBUG_STOPPED;
	bw_debug_waves_changed(d);
	bw_watch_at_stop(d);

	struct bw_wave_record *w = bw_debug_wave_priv(d, d->waves->focus_number);
	if (w)
		bw_debug_focus_on(d, w);
	else
		bw_debug_focus_first(d);
	return NULL;
}

struct bw_error *bw_debug_stop_all(struct bw_debug *d)
{
	d->waves->unstoppable = 0;
	if (bw_target_can(d->target, BW_CAP_RUN))
		BW_TRY(bw_target_stop_all(d->target, &d->waves->unstoppable));
	return bw_debug_collect(d);
}
