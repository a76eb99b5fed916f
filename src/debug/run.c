// SPDX-License-Identifier: MIT
/* Letting waves run, and what comes back: continue, wait, stepi. */
#include "debug/debug_priv.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"

enum { BARRIER_POLL_MS = 2 };

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- Going on ---- */

/* Lets held submissions through; their dispatches run from here on. */
static struct bw_error *release_held(struct bw_debug *d)
{
	while (d->held.len) {
		uint32_t submission = d->held.data[0];
		bw_vec_remove(&d->held, 0);
		BW_TRY(d->target->ops->go(d->target, submission));
		bw_vec_each(&d->dispatches, x) {
			if (x->info.submission != submission || x->info.state != BW_DISPATCH_HELD)
				continue;
			x->info.state = BW_DISPATCH_RUNNING;
			bw_debug_note(d, BW_NOTICE_DISPATCH, "dispatch %u: %s", x->info.number,
				      x->info.kernel_name);
		}
	}
	return NULL;
}

/* The slots given run on, each from where it stopped. */
static struct bw_error *run_on(struct bw_debug *d, uint32_t *slots, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool simulated;
		BW_TRY(bw_debug_prepare(d, &d->slots[slots[i]], &simulated));
	}
	for (size_t i = 0; i < n; i++)
		d->slots[slots[i]].stopped = false;
	bw_debug_waves_changed(d);
	return n ? d->target->ops->resume(d->target, slots, n) : NULL;
}

static struct bw_error *go_on(struct bw_debug *d)
{
	if (d->state == BW_DEBUG_STOPPED)
		BW_TRY(run_on(d, d->stopped.data, d->stopped.len));
	return release_held(d);
}

struct bw_error *bw_debug_continue(struct bw_debug *d)
{
	BW_TRY(bw_debug_need_target(d));
	bw_debug_forget_insts(d);
	d->continues++;
	bw_catch_sweep(d);
	struct bw_error *err = go_on(d);
	/* the program or the GPU has died while we were stopped: wait will say so */
	if (err && !bw_error_catch(&err, BW_E_GONE))
		return err;
	d->stopped.len = 0;
	d->focus_slot = UINT32_MAX;
	d->state = BW_DEBUG_RUNNING;
	return NULL;
}

/* ---- Stops ---- */

/* A wave that only was asked to stop is no reason to say anything; nor is one whose step has come no
 * further than into a barrier. */
static bool is_event(const struct bw_wave *w)
{
	uint32_t nothing = BW_REASON_INTERRUPT | (w->info.in_barrier ? BW_REASON_SINGLE_STEP : 0u);
	return w->info.reasons & ~nothing;
}

/* Exceptions first, then traps, then the rest: what the user must see most. */
static int rank(uint32_t reasons)
{
	if (reasons & (BW_REASON_MEMORY_VIOLATION | BW_REASON_ADDRESS_ERROR |
		       BW_REASON_ILLEGAL_INSTRUCTION | BW_REASON_FP_EXCEPTION))
		return 3;
	if (reasons & (BW_REASON_ASSERT_TRAP | BW_REASON_DEBUG_TRAP | BW_REASON_TRAP))
		return 2;
	return reasons & ~(uint32_t)BW_REASON_INTERRUPT ? 1 : 0;
}

static int rank_of(const struct bw_wave *w)
{
	return is_event(w) ? rank(w->info.reasons) : 0;
}

/* The lane a stop is about: the first whose access fails, or that hit the breakpoint, or is active.
 */
static unsigned stop_lane(struct bw_debug *d, const struct bw_wave *w)
{
	if (w->info.reasons & (BW_REASON_MEMORY_VIOLATION | BW_REASON_ADDRESS_ERROR)) {
		struct bw_fault_info f;
		struct bw_error *err = bw_debug_fault(d, w->info.number, &f);
		if (!err && f.first_lane >= 0)
			return (unsigned)f.first_lane;
		bw_error_free(err);
	}
	uint64_t lanes = w->info.breakpoint_lanes ? w->info.breakpoint_lanes : w->info.exec;
	return lanes ? (unsigned)__builtin_ctzll(lanes) : 0;
}

/* Everything has stopped: which wave is shown, and what the stop looks like. Waves that stopped at
 * an earlier time and were not resumed (stepping) do not report again. */
static void report(struct bw_debug *d, uint32_t old_focus, struct bw_stop *out)
{
	struct bw_wave *best = NULL;

	for (size_t i = 0; i < d->stopped.len; i++) {
		struct bw_wave *w = &d->slots[d->stopped.data[i]];
		if (w->reported)
			continue;
		/* the focus stays where it is among equals */
		if (!best || rank_of(w) > rank_of(best) ||
		    (rank_of(w) == rank_of(best) &&
		     w->info.number == old_focus))
			best = w;
	}
	struct bw_wave *focus = bw_debug_focus_priv(d);
	if (!best || (!is_event(best) && focus))
		best = focus;
	*out = (struct bw_stop){
		.kind = BW_STOP_WAVES, .n_waves = d->stopped.len, .n_unstoppable = d->unstoppable};
	if (!best) {
		out->kind = BW_STOP_INTERRUPTED;
		return;
	}
	bool moved = best->info.number != old_focus;
	if (moved || !(best->info.exec >> d->focus_lane & 1) ||
	    (best->info.breakpoint_lanes && !(best->info.breakpoint_lanes >> d->focus_lane & 1)))
		d->focus_lane = stop_lane(d, best);
	d->focus_number = best->info.number;
	d->focus_slot = best->info.slot;
	out->wave = best->info.number;
	out->lane = d->focus_lane;
	out->focus_changed = moved;
	out->reasons = best->info.reasons;
	out->breakpoint = best->info.breakpoint;
	out->breakpoint_lanes = best->info.breakpoint_lanes;
	out->dispatch = best->info.dispatch;
	for (size_t i = 0; i < d->stopped.len; i++) {
		struct bw_wave *w = &d->slots[d->stopped.data[i]];
		if (!w->reported && w->info.pc == best->info.pc &&
		    rank_of(w) == rank_of(best))
			out->n_same++;
	}
	struct bw_break *b = bw_debug_break_priv(d, out->breakpoint);
	out->breakpoint_temporary = b && b->info.temporary;
	for (size_t i = 0; i < d->stopped.len; i++) {
		struct bw_wave *w = &d->slots[d->stopped.data[i]];
		if (!w->reported && w->info.breakpoint)
			bw_debug_drop_temporaries(d, w->info.breakpoint);
		w->reported = true;
	}
}

/* Stops everything and reports. */
static struct bw_error *stop_and_report(struct bw_debug *d, struct bw_stop *out)
{
	uint32_t old_focus = d->focus_number;
	struct bw_error *err = d->target->ops->stop_all(d->target, &d->unstoppable);
	if (err)
		return err;
	BW_TRY(bw_debug_collect(d));
	report(d, old_focus, out);
	return NULL;
}

/* Waves have stopped. Those that need not have (a condition that does not hold, a breakpoint that
 * is gone) go on at once; out_stop: there is one for the user. */
static struct bw_error *sift(struct bw_debug *d, bool *out_stop)
{
	uint32_t n_slots = d->target->facts.n_slots;
	struct bw_u32_vec go = {0};

	*out_stop = false;
	BW_TRY(bw_vec_reserve(&d->stopped, n_slots));
	size_t n = BW_MIN(d->target->ops->stopped(d->target, d->stopped.data, n_slots),
			  (size_t)n_slots);
	d->stopped.len = 0;
	bw_debug_order_stops(d, d->stopped.data, n);
	for (size_t i = 0; i < n; i++) {
		struct bw_wave *w = &d->slots[d->stopped.data[i]];
		if (w->stopped) /* held since an earlier stop */
			continue;
		struct bw_error *err = bw_debug_examine(d, d->stopped.data[i]);
		if (!err && is_event(w))
			*out_stop = true;
		else if (!err)
			err = bw_vec_push(&go, d->stopped.data[i]);
		if (err) {
			bw_vec_free(&go);
			return err;
		}
	}
	struct bw_error *err = *out_stop ? NULL : run_on(d, go.data, go.len);
	bw_vec_free(&go);
	return err;
}

static void ended(struct bw_debug *d, const struct bw_target_event *ev, struct bw_stop *out)
{
	*out = (struct bw_stop){.kind = ev->kind == BW_EVENT_EXIT ? BW_STOP_EXITED
								  : BW_STOP_GPU_GONE,
				.exit_known = ev->exit_known,
				.exit_status = ev->exit_status};
	d->exit_known = ev->exit_known;
	d->exit_status = ev->exit_status;
	bw_debug_close_target(d);
}

/* One event. out->kind stays NONE when it is nothing for the user. */
static struct bw_error *handle(struct bw_debug *d, const struct bw_target_event *ev,
			       struct bw_stop *out)
{
	bool stop;

	switch (ev->kind) {
	case BW_EVENT_NONE:
		break;
	case BW_EVENT_PROGRAM:
		d->pid = ev->pid;
		memcpy(d->comm, ev->comm, sizeof(ev->comm));
		d->comm[sizeof(ev->comm)] = 0;
		bw_debug_note(d, BW_NOTICE_PROGRAM, "%s (process %d) uses the GPU", d->comm,
			      (int)d->pid);
		break;
	case BW_EVENT_SUBMIT: {
		size_t before = d->dispatches.len;
		BW_TRY(bw_debug_on_submit(d, ev));
		if (!d->settings.stop_on_dispatch || d->dispatches.len == before)
			return d->state == BW_DEBUG_RUNNING ? release_held(d) : NULL;
		*out = (struct bw_stop){.kind = BW_STOP_DISPATCH, .dispatch = (uint32_t)before + 1};
		if (d->state == BW_DEBUG_RUNNING) {
			BW_TRY(d->target->ops->stop_all(d->target, &d->unstoppable));
			BW_TRY(bw_debug_collect(d));
			out->n_waves = d->stopped.len;
		}
		break;
	}
	case BW_EVENT_DONE:
		bw_debug_on_done(d, ev);
		break;
	case BW_EVENT_STOP:
		if (d->state != BW_DEBUG_RUNNING)
			break;
		BW_TRY(sift(d, &stop));
		if (stop)
			return stop_and_report(d, out);
		break;
	case BW_EVENT_INTERRUPT:
		if (d->state == BW_DEBUG_RUNNING)
			return stop_and_report(d, out);
		break;
	case BW_EVENT_EXIT:
	case BW_EVENT_GPU_GONE:
		ended(d, ev, out);
		break;
	case BW_EVENT_NOTE:
		bw_debug_note(d, ev->is_warning ? BW_NOTICE_WARNING : BW_NOTICE_INFO, "%s",
			      ev->text);
		break;
	}
	return NULL;
}

struct bw_error *bw_debug_wait(struct bw_debug *d, int timeout_ms, struct bw_stop *out)
{
	uint64_t end = timeout_ms > 0 ? now_ms() + (uint64_t)timeout_ms : 0;
	struct bw_stop stop = {.kind = BW_STOP_NONE};

	BW_TRY(bw_debug_need_target(d));
	for (;;) {
		struct bw_target_event ev = {.kind = BW_EVENT_NONE};
		int left = timeout_ms;
		if (timeout_ms > 0) {
			uint64_t now = now_ms();
			left = now < end ? (int)(end - now) : 0;
		}
		BW_TRY(d->target->ops->wait(d->target, left, &ev));
		struct bw_error *err = handle(d, &ev, &stop);
		/* somebody has died in the middle of it: an event will say who */
		if (err && !bw_error_catch(&err, BW_E_GONE))
			return err;
		if (stop.kind != BW_STOP_NONE ||
		    (ev.kind == BW_EVENT_NONE && timeout_ms >= 0 && left == 0))
			break;
	}
	*out = stop;
	return NULL;
}

/* ---- Stepping ---- */

enum step_result { STEP_DONE, STEP_ENDED, STEP_STOP };

/* Others of the group must come to the barrier, or the focus would wait there for ever: before it, or
 * already in it (stopped there while it waited). */
static bool needs_group(const struct bw_wave *w, const struct bw_inst *inst)
{
	return inst->op == BW_OP_S_BARRIER || w->info.in_barrier;
}

/* Things that happened while one wave was being waited for. STOP: out says what. */
static struct bw_error *poll_events(struct bw_debug *d, struct bw_stop *out)
{
	struct bw_target_event ev;
	do {
		ev = (struct bw_target_event){.kind = BW_EVENT_NONE};
		BW_TRY(d->target->ops->wait(d->target, 0, &ev));
		/* a stop of another wave is looked for by the caller */
		if (ev.kind == BW_EVENT_STOP)
			return NULL;
		if (ev.kind == BW_EVENT_INTERRUPT) {
			out->kind = BW_STOP_INTERRUPTED;
			return NULL;
		}
		BW_TRY(handle(d, &ev, out));
	} while (ev.kind != BW_EVENT_NONE && out->kind == BW_STOP_NONE);
	return NULL;
}

/* Waits for the wave in `slot`, which has been let run. group: other waves run, too, and may stop
 * for reasons of their own. */
static struct bw_error *await(struct bw_debug *d, uint32_t slot, bool group, bool *out_ended,
			      struct bw_stop *out)
{
	for (;;) {
		bool stopped, is_over, other = false;
		BW_TRY(d->target->ops->wait_wave(d->target, slot, group ? BARRIER_POLL_MS : -1,
						 &stopped, &is_over));
		*out_ended = is_over;
		if (stopped || is_over)
			return NULL;
		BW_TRY(poll_events(d, out));
		if (out->kind != BW_STOP_NONE)
			return NULL;
		if (!group)
			continue;
		d->state = BW_DEBUG_RUNNING;
		BW_TRY(sift(d, &other));
		/* the wave waited for may be the one that was found */
		if (other && !d->slots[slot].stopped)
			out->kind = BW_STOP_WAVES;
		if (other)
			return NULL;
	}
}

/* The waves of w's group, w left out. */
static struct bw_error *group_of(struct bw_debug *d, const struct bw_wave *w,
				 struct bw_u32_vec *out)
{
	for (size_t i = 0; i < d->stopped.len; i++) {
		struct bw_wave *o = &d->slots[d->stopped.data[i]];
		if (o != w && o->info.dispatch == w->info.dispatch &&
		    memcmp(o->info.workgroup, w->info.workgroup, sizeof(w->info.workgroup)) == 0)
			BW_TRY(bw_vec_push(out, o->info.slot));
	}
	return NULL;
}

/* Lets w make one instruction. */
static struct bw_error *step_once(struct bw_debug *d, struct bw_wave *w,
				  enum step_result *out_result, struct bw_stop *out)
{
	struct bw_target *t = d->target;
	struct bw_inst inst = {0};
	bool simulated, group, is_over = false;
	uint32_t slot = w->info.slot;

	struct bw_patch *p = bw_debug_patch_at(d, w->hw.pc);
	if (p)
		inst = p->inst;
	else if (d->slots[slot].info.wave_in_group || d->stopped.len > 1)
		BW_TRY(bw_debug_read_inst(d, w->hw.pc, &inst, NULL));
	group = needs_group(w, &inst);
	BW_TRY(bw_debug_prepare(d, w, &simulated));
	*out_result = STEP_DONE;
	if (simulated) {
		/* stopped again without having run: a new stop in every other respect */
		w->stop_pc = w->hw.pc;
		w->skip_b = 0;
		w->info.reasons = BW_REASON_SINGLE_STEP;
		w->info.breakpoint = bw_debug_break_hit(d, w, &w->info.breakpoint_lanes);
		if (w->info.breakpoint)
			w->info.reasons |= BW_REASON_BREAKPOINT;
		w->reported = false;
		bw_debug_waves_changed(d);
		return NULL;
	}
	w->stopped = false;
	w->reported = false;
	bw_debug_waves_changed(d);
	BW_TRY(t->ops->step(t, slot));
	if (group) {
		struct bw_u32_vec others = {0};
		struct bw_error *err = group_of(d, w, &others);
		if (!err)
			err = run_on(d, others.data, others.len);
		for (size_t i = 0; i < others.len; i++)
			d->slots[others.data[i]].reported = false;
		bw_vec_free(&others);
		if (err)
			return err;
	}
	BW_TRY(await(d, slot, group, &is_over, out));
	if (out->kind == BW_STOP_EXITED || out->kind == BW_STOP_GPU_GONE) {
		*out_result = STEP_STOP;
		return NULL;
	}
	if (out->kind != BW_STOP_NONE) {
		*out_result = STEP_STOP;
		d->state = BW_DEBUG_STOPPED;
		return stop_and_report(d, out);
	}
	if (group || is_over) {
		/* what ran along, or took the place of the wave that ended */
		struct bw_stop at = {0};
		*out_result = is_over ? STEP_ENDED : STEP_DONE;
		if (is_over)
			bw_debug_note(d, BW_NOTICE_WAVE_EXIT,
				      "[AMDGPU Wave %u:%u:%u:%u (%u,%u,%u)/%u exited]",
				      w->info.agent, w->info.queue, w->info.dispatch,
				      w->info.number, w->info.workgroup[0], w->info.workgroup[1],
				      w->info.workgroup[2], w->info.wave_in_group);
		BW_TRY(stop_and_report(d, &at));
		if (is_over || at.wave != w->info.number) {
			*out = at;
			*out_result = STEP_STOP;
		}
		return NULL;
	}
	d->state = BW_DEBUG_STOPPED;
	return bw_debug_examine(d, slot);
}

static void fill_step_stop(struct bw_debug *d, struct bw_wave *w, struct bw_stop *out)
{
	struct bw_break *b = bw_debug_break_priv(d, w->info.breakpoint);
	if (!(w->info.exec >> d->focus_lane & 1) && w->info.breakpoint_lanes)
		d->focus_lane = stop_lane(d, w);
	*out = (struct bw_stop){
		.kind = BW_STOP_WAVES,
		.wave = w->info.number,
		.lane = d->focus_lane,
		.reasons = w->info.reasons,
		.breakpoint = w->info.breakpoint,
		.breakpoint_lanes = w->info.breakpoint_lanes,
		.breakpoint_temporary = b && b->info.temporary,
		.n_waves = d->stopped.len,
		.n_same = 1,
		.n_unstoppable = d->unstoppable,
		.dispatch = w->info.dispatch,
	};
	w->reported = true;
	bw_debug_drop_temporaries(d, w->info.breakpoint);
}

/* A call counts as one instruction: the focus alone runs to the instruction behind it. */
static struct bw_error *step_call(struct bw_debug *d, struct bw_wave *w, uint64_t return_va,
				  enum step_result *out_result, struct bw_stop *out)
{
	bool simulated, is_over;
	uint32_t slot = w->info.slot, number = w->info.number;

	BW_TRY(bw_debug_patch_ref(d, return_va));
	d->internal_va = return_va;
	d->internal_wave = number;
	struct bw_error *err = bw_debug_prepare(d, w, &simulated);
	if (!err) {
		w->stopped = w->reported = false;
		bw_debug_waves_changed(d);
		err = d->target->ops->resume(d->target, &slot, 1);
	}
	/* a breakpoint of another wave's, or whose condition fails, on the way */
	*out_result = STEP_STOP;
	while (!err) {
		err = await(d, slot, false, &is_over, out);
		if (err || is_over || out->kind != BW_STOP_NONE)
			break;
		err = bw_debug_examine(d, slot);
		if (err || is_event(w))
			break;
		err = run_on(d, &slot, 1);
	}
	d->internal_va = 0;
	if (!d->target) /* the program has ended meanwhile */
		return err;
	bw_debug_patch_unref(d, return_va);
	if (err)
		return err;
	d->state = BW_DEBUG_STOPPED;
	if (out->kind != BW_STOP_NONE || is_over)
		return stop_and_report(d, out);
	*out_result = STEP_DONE;
	return NULL;
}

static struct bw_error *step(struct bw_debug *d, struct bw_wave *w, bool over_calls,
			     enum step_result *out_result, struct bw_stop *out)
{
	struct bw_inst inst;
	uint64_t target;

	if (!over_calls)
		return step_once(d, w, out_result, out);
	BW_TRY(bw_debug_read_inst(d, w->hw.pc, &inst, NULL));
	if (bw_isa_flow(&inst, w->hw.pc, &target) == BW_FLOW_CALL || inst.op == BW_OP_S_SWAPPC_B64)
		return step_call(d, w, w->hw.pc + inst.size_b, out_result, out);
	return step_once(d, w, out_result, out);
}

static struct bw_error *step_count(struct bw_debug *d, struct bw_wave *w, uint64_t count,
				   bool over_calls, struct bw_stop *out)
{
	for (uint64_t i = 0; i < count; i++) {
		enum step_result result;
		struct bw_stop stop = {.kind = BW_STOP_NONE};
		BW_TRY(step(d, w, over_calls, &result, &stop));
		if (result == STEP_STOP || result == STEP_ENDED) {
			*out = stop;
			return NULL;
		}
		/* anything but the step itself ends the count */
		if (w->info.reasons & ~(uint32_t)(BW_REASON_SINGLE_STEP | BW_REASON_INTERRUPT))
			break;
		if (i + 1 < count) {
			BW_TRY(poll_events(d, &stop));
			if (stop.kind == BW_STOP_INTERRUPTED) {
				w->info.reasons |= BW_REASON_INTERRUPT;
				break;
			}
			if (stop.kind != BW_STOP_NONE) {
				*out = stop;
				return NULL;
			}
		}
	}
	if (!w->stopped)
		return bw_errorf(BW_E_STATE, "the wave has ended");
	fill_step_stop(d, w, out);
	return NULL;
}

struct bw_error *bw_debug_stepi(struct bw_debug *d, uint64_t count, bool over_calls,
				struct bw_stop *out)
{
	struct bw_wave *w;
	BW_TRY(bw_debug_need_focus(d, &w));
	struct bw_error *err = step_count(d, w, count, over_calls, out);
	if (!err || err->code != BW_E_GONE || !d->target)
		return err;
	/* The program or the GPU is gone, or going, and the wave with it. What there is to say comes
	 * as an event: the end of the program as a rule, and Ctrl-C if it lives on without a GPU. */
	bw_error_free(err);
	d->stopped.len = 0;
	d->focus_slot = UINT32_MAX;
	d->state = BW_DEBUG_RUNNING;
	return bw_debug_wait(d, -1, out);
}
