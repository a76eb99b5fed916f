// SPDX-License-Identifier: MIT
/* Stepping: stepi, nexti, runs to a place, and the steps of software watchpoints. One wave runs;
 * others run only if it needs them at a barrier, or if the user has set scheduler-locking so. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/code.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/stepping/stepping_priv.h"
#include "debug/waves/waves_priv.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "isa/ops.h"

enum {
	ALONG_POLL_MS = 2,
	/* how long a wave runs to a place before a barrier is looked for that blocks it */
	PATIENCE_MS = 200,
};

/* ---- Stepping ---- */

enum step_result { STEP_DONE, STEP_ENDED, STEP_STOP };

/* An event that happened during the wait for one wave. STOP: out has the stop. */
struct bw_error *bw_step_poll(struct bw_debug *d, struct bw_stop *out)
{
	struct bw_target_event ev;
	do {
		ev = (struct bw_target_event){.kind = BW_EVENT_NONE};
		BW_TRY(bw_target_wait(d->target, 0, &ev));
		/* the caller looks for stops of other waves */
		if (ev.kind == BW_EVENT_STOP)
			break;
		if (ev.kind == BW_EVENT_INTERRUPT)
			out->kind = BW_STOP_INTERRUPTED;
		else
			BW_TRY(bw_debug_handle(d, &ev, out));
	} while (ev.kind != BW_EVENT_NONE && out->kind == BW_STOP_NONE);
	if (out->kind == BW_STOP_NONE && d->target && bw_hang_is_over(d))
		out->kind = BW_STOP_INTERRUPTED;
	return NULL;
}

struct bw_error *bw_step_await(struct bw_debug *d, const struct bw_step_wait *w, bool *out_ended,
			       bool *out_late, struct bw_stop *out)
{
	const uint32_t slot = w->slot;
	const bool along = w->along;
	const int patience_ms = w->patience_ms;
	*out_late = false;
	for (int waited_ms = 0;;) {
		bool stopped, is_over, other = false;
		int piece_ms = bw_hang_limit(d, along ? ALONG_POLL_MS : patience_ms);
		BW_TRY(bw_target_wait_wave(d->target, slot, piece_ms, &stopped, &is_over));
		waited_ms += BW_MAX(piece_ms, 0);
		*out_ended = is_over;
		if (stopped || is_over)
			return NULL;
		BW_TRY(bw_step_poll(d, out));
		if (out->kind != BW_STOP_NONE)
			return NULL;
		if (patience_ms >= 0 && waited_ms >= patience_ms) {
			*out_late = true;
			return NULL;
		}
		if (!along)
			continue;
		d->state = BW_DEBUG_RUNNING;
		BW_TRY(bw_debug_resume_time(d));
		BW_TRY(bw_debug_sort_stops(d, &other));
		/* the wave waited for may be the one that was found */
		if (other && !d->waves->slots[slot].stopped)
			out->kind = BW_STOP_WAVES;
		if (other)
			return NULL;
	}
}

/* ---- Barriers ---- */

/* The stopped waves that w's workgroup still needs at the barrier that w is at, or reaches next.
 * Those that had arrived there pass it even while they are stopped. */
static struct bw_error *missing_at_barrier(struct bw_debug *d, const struct bw_wave_record *w,
					   struct bw_u32_vec *out)
{
	for (size_t i = 0; i < d->waves->stopped.len; i++) {
		struct bw_wave_record *o = bw_stopped_wave(d, i);
		if (o == w || !o->stopped || o->info.dispatch != w->info.dispatch ||
		    memcmp(o->info.workgroup, w->info.workgroup, sizeof(w->info.workgroup)) != 0)
			continue;
		/* it may have passed an earlier barrier since it stopped there */
		if (o->info.in_barrier)
			BW_TRY(bw_debug_examine(d, o->info.slot));
		if (!o->info.in_barrier)
			BW_TRY(bw_vec_push(out, o->info.slot));
	}
	return NULL;
}

/* "waves 2, 3 and 4" */
static void name_waves(struct bw_debug *d, const struct bw_u32_vec *slots, struct bw_str *out)
{
	enum { MOST = 8 };
	bw_str_add(out, slots->len == 1 ? "wave " : "waves ");
	for (size_t i = 0; i < BW_MIN(slots->len, (size_t)MOST); i++) {
		bw_str_add_mark(out, i, slots->len, " and ");
		bw_str_addf(out, "%u", d->waves->slots[slots->data[i]].info.number);
	}
	if (slots->len > MOST)
		bw_str_addf(out, " and %zu more", slots->len - MOST);
}

static bool contains(const struct bw_u32_vec *v, uint32_t slot)
{
	bw_vec_each(v, it)
		if (*it == slot)
			return true;
	return false;
}

/* Other waves must arrive at the barrier, or w would wait there for ever. They are resumed as well,
 * and a notice says so; where they may not run, it is an error. known: those that run already
 * (NULL: none). */
static struct bw_error *bring_group(struct bw_debug *d, const struct bw_wave_record *w,
				    const struct bw_u32_vec *known, struct bw_u32_vec *out)
{
	struct bw_str names = {0};
	struct bw_error *err = missing_at_barrier(d, w, out);
	if (known)
		bw_vec_drop(out, slot, contains(known, *slot));
	if (err || !out->len)
		return err;
	name_waves(d, out, &names);
	if (d->settings.scheduler_locking == BW_LOCKING_ON)
		err = bw_errorf(
			BW_E_STATE,
			"wave %u waits at s_barrier for %s of its workgroup, which may not run: "
			"\"set scheduler-locking step\" lets them run",
			w->info.number, bw_str_text(&names));
	else
		bw_debug_note(d, BW_NOTICE_SAID,
			      "[wave %u waits at s_barrier: %s of its workgroup run%s, too]",
			      w->info.number, bw_str_text(&names), out->len == 1 ? "s" : "");
	bw_str_free(&names);
	return err;
}

/* Which other waves run while w executes its next instruction. */
struct bw_error *bw_step_companions(struct bw_debug *d, const struct bw_wave_record *w,
				    const struct bw_inst *inst, struct bw_u32_vec *out)
{
	if (d->settings.scheduler_locking == BW_LOCKING_OFF) {
		for (size_t i = 0; i < d->waves->stopped.len; i++)
			if (d->waves->stopped.data[i] != w->info.slot)
				BW_TRY(bw_vec_push(out, d->waves->stopped.data[i]));
		return NULL;
	}
	if (inst->op == BW_OP_S_BARRIER || w->info.in_barrier)
		return bring_group(d, w, NULL, out);
	return NULL;
}

struct bw_error *bw_step_resume_others(struct bw_debug *d, const struct bw_u32_vec *others)
{
	bw_filter_dirty(d); /* variables of the user may have changed */
	for (size_t i = 0; i < others->len; i++)
		d->waves->slots[others->data[i]].reported = false;
	return bw_debug_run_on(d, others->data, others->len);
}

/* ---- One instruction ---- */

static void say_ended(struct bw_debug *d, const struct bw_wave_record *w)
{
	char name[96];
	bw_wave_name(&w->info, name, sizeof(name));
	bw_debug_note(d, BW_NOTICE_WAVE_EXIT, "[%s exited]", name);
}

/* The instruction has been simulated in the slot: the wave did not run, but otherwise this is a new
 * stop. */
void bw_step_simulated(struct bw_debug *d, struct bw_wave_record *w)
{
	w->stop_pc = w->hw.pc;
	w->skip_b = 0;
	w->info.reasons = BW_REASON_SINGLE_STEP;
	w->info.cause_pc = 0;
	w->info.breakpoint = bw_debug_break_hit(d, w, &w->info.breakpoint_lanes);
	if (w->info.breakpoint)
		w->info.reasons |= BW_REASON_BREAKPOINT;
	w->reported = false;
	bw_debug_waves_changed(d);
}

/* w has been stopped while it waits at a barrier: reports which waves have not arrived. */
static void say_missing(struct bw_debug *d, const struct bw_wave_record *w)
{
	struct bw_str names = {0};
	struct bw_u32_vec missing = {0};
	struct bw_error *err = NULL;
	if (w->stopped && w->info.in_barrier)
		err = missing_at_barrier(d, w, &missing);
	if (!err && missing.len) {
		name_waves(d, &missing, &names);
		bw_debug_note(d, BW_NOTICE_SAID,
			      "[wave %u still waits at s_barrier: %s of its workgroup %s not come]",
			      w->info.number, bw_str_text(&names),
			      missing.len == 1 ? "has" : "have");
	}
	bw_error_free(err);
	bw_str_free(&names);
	bw_vec_free(&missing);
}

/* Stops everything because of an event during the wait for w. The event is reported even if w has
 * ended its step meanwhile; otherwise a command of many steps would continue, and wait again. */
static struct bw_error *stop_for(struct bw_debug *d, struct bw_stop *out)
{
	bool asked = out->kind == BW_STOP_INTERRUPTED;
	BW_TRY(bw_debug_stop_and_report(d, out));
	if (asked && out->kind == BW_STOP_WAVES)
		out->reasons |= BW_REASON_INTERRUPT;
	return NULL;
}

static struct bw_error *step_with(struct bw_debug *d, struct bw_wave_record *w,
				  struct bw_u32_vec *others, enum step_result *out_result,
				  struct bw_stop *out)
{
	struct bw_target *t = d->target;
	bool simulated, late, is_over = false;
	uint32_t slot = w->info.slot;

	BW_TRY(bw_debug_prepare(d, w, &simulated));
	*out_result = STEP_DONE;
	if (simulated && !others->len) {
		bw_step_simulated(d, w);
		return NULL;
	}
	if (simulated) {
		/* other waves run as long as the simulation takes */
		bw_step_simulated(d, w);
		BW_TRY(bw_step_resume_others(d, others));
	} else {
		w->stopped = w->reported = false;
		bw_debug_waves_changed(d);
		BW_TRY(bw_target_step(t, slot));
		BW_TRY(bw_step_resume_others(d, others));
		BW_TRY(bw_step_await(d, &(struct bw_step_wait){slot, others->len, -1}, &is_over,
				     &late, out));
	}
	if (out->kind == BW_STOP_EXITED || out->kind == BW_STOP_GPU_GONE) {
		*out_result = STEP_STOP;
		return NULL;
	}
	if (out->kind != BW_STOP_NONE) {
		*out_result = STEP_STOP;
		d->state = BW_DEBUG_STOPPED;
		BW_TRY(stop_for(d, out));
		say_missing(d, w);
		return NULL;
	}
	d->state = BW_DEBUG_STOPPED;
	if (!others->len && !is_over)
		return bw_debug_examine(d, slot);
	/* stops of waves that ran along, or that replaced the wave that ended */
	struct bw_stop at = {0};
	if (is_over)
		say_ended(d, w);
	BW_TRY(bw_debug_stop_and_report(d, &at));
	if (is_over || at.wave != w->info.number) {
		*out = at;
		out->focus_ended = is_over;
		*out_result = is_over ? STEP_ENDED : STEP_STOP;
	}
	return NULL;
}

/* Lets w execute one instruction. */
static struct bw_error *step_once(struct bw_debug *d, struct bw_wave_record *w,
				  enum step_result *out_result, struct bw_stop *out)
{
	struct bw_inst inst = {0};
	struct bw_u32_vec others = {0};
	struct bw_patch *p = bw_debug_patch_at(d, w->hw.pc);
	if (w->info.in_barrier) /* the wave may have passed the barrier since */
		BW_TRY(bw_debug_examine(d, w->info.slot));
	if (p)
		inst = p->inst;
	else if (w->info.wave_in_group || d->waves->stopped.len > 1)
		BW_TRY(bw_debug_read_inst(d, w->hw.pc, &inst, NULL));
	struct bw_error *err = bw_step_companions(d, w, &inst, &others);
	if (!err)
		err = step_with(d, w, &others, out_result, out);
	bw_vec_free(&others);
	return err;
}

static void fill_step_stop(struct bw_debug *d, struct bw_wave_record *w, struct bw_stop *out)
{
	struct bw_break *b = bw_debug_break_priv(d, w->info.breakpoint);
	if (!(w->info.exec >> d->waves->focus_lane & 1) && w->info.breakpoint_lanes)
		d->waves->focus_lane = bw_wave_stop_lane(d, w);
	/* The wave gets a new number if its dispatch was mistaken for another one, which has ended
	 * meanwhile. */
	if (bw_debug_wave_number(d, w) != d->waves->focus_number) {
		d->waves->focus_number = w->info.number;
		bw_debug_sort_stopped(d);
	}
	*out = (struct bw_stop){
		.kind = BW_STOP_WAVES,
		.wave = w->info.number,
		.lane = d->waves->focus_lane,
		.reasons = w->info.reasons,
		.breakpoint = w->info.breakpoint,
		.breakpoint_lanes = w->info.breakpoint_lanes,
		.breakpoint_temporary = b && b->info.temporary,
		.n_waves = d->waves->stopped.len,
		.n_same = 1,
		.n_unstoppable = d->waves->unstoppable,
		.dispatch = w->info.dispatch,
	};
	w->reported = true;
	bw_watch_at_stop(d);
	bw_debug_drop_temporaries(d, w->info.breakpoint);
}

/* ---- To a place ---- */

/* The focus has run for long: it may wait at a barrier for waves that are stopped. along: the waves
 * that run as well from now on. */
static struct bw_error *look_after(struct bw_debug *d, struct bw_wave_record *w,
				   struct bw_u32_vec *along)
{
	uint32_t slot = w->info.slot;
	struct bw_u32_vec group = {0};
	BW_TRY(bw_debug_stop_all(d));
	if (!w->stopped || bw_wave_is_event(w))
		return NULL;
	struct bw_error *err = w->info.in_barrier ? bring_group(d, w, along, &group) : NULL;
	for (size_t i = 0; !err && i < group.len; i++)
		err = bw_vec_push(along, group.data[i]);
	/* all waves that ran are resumed, with the new ones */
	if (!err)
		err = bw_step_resume_others(d, along);
	if (!err)
		err = bw_debug_run_on(d, &slot, 1);
	bw_vec_free(&group);
	return err;
}

/* Waits for a wave that has been resumed until it stops for a reason of its own, or until the time
 * is over (timeout_ms < 0: never). */
static struct bw_error *until_stop(struct bw_debug *d, struct bw_wave_record *w,
				   struct bw_u32_vec *along, int timeout_ms, bool *out_over,
				   struct bw_stop *out)
{
	uint32_t slot = w->info.slot;
	int patience_ms = PATIENCE_MS;
	for (;;) {
		bool late, last = timeout_ms >= 0 && timeout_ms <= patience_ms;
		const struct bw_step_wait wait = {slot, along->len,
						  last ? timeout_ms : patience_ms};
		BW_TRY(bw_step_await(d, &wait, out_over, &late, out));
		if (*out_over || out->kind != BW_STOP_NONE || (late && last))
			return NULL;
		if (timeout_ms >= 0)
			timeout_ms -= patience_ms;
		if (late) {
			BW_TRY(look_after(d, w, along));
			if (w->stopped)
				return NULL;
			patience_ms = BW_MIN(patience_ms * 2, 60000);
			continue;
		}
		if (!w->stopped)
			BW_TRY(bw_debug_examine(d, slot));
		/* on the way there may be breakpoints of other waves, or whose condition does not
		 * hold */
		if (bw_wave_is_event(w))
			return NULL;
		BW_TRY(bw_debug_run_on(d, &slot, 1));
	}
}

static struct bw_error *insert_places(struct bw_debug *d, const struct bw_wave_record *w,
				      const struct bw_internal_place *places, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		BW_TRY(bw_debug_patch_ref(d, places[i].va));
		d->breaks->internal[i] = places[i];
	}
	d->breaks->internal_wave = w->info.number;
	return NULL;
}

static void remove_places(struct bw_debug *d, uint32_t space)
{
	for (size_t i = 0; i < BW_INTERNAL_PLACES; i++) {
		uint64_t va = d->breaks->internal[i].va;
		d->breaks->internal[i].va = 0;
		if (!va || !d->target) /* the program has ended meanwhile */
			continue;
		BW_IN_SPACE(d, space);
		bw_debug_patch_unref(d, va);
	}
}

/* The focus runs to one of the places, or to a stop of its own. */
static struct bw_error *run_to(struct bw_debug *d, struct bw_wave_record *w,
			       const struct bw_internal_place *places, size_t n,
			       enum step_result *out_result, struct bw_stop *out)
{
	bool simulated, is_over = false;
	uint32_t slot = w->info.slot, space = w->info.space;
	struct bw_u32_vec along = {0};
	struct bw_inst none = {0};

	bw_filter_dirty(d);	/* variables of the user may have changed */
	if (w->info.in_barrier) /* the wave may have passed the barrier since */
		BW_TRY(bw_debug_examine(d, slot));
	struct bw_error *err = insert_places(d, w, places, n);
	if (err) {
		remove_places(d, space);
		return err;
	}
	err = w->info.in_barrier || d->settings.scheduler_locking == BW_LOCKING_OFF
		      ? bw_step_companions(d, w, &none, &along)
		      : NULL;
	if (!err)
		err = bw_filters_update(d);
	if (!err)
		err = bw_debug_prepare(d, w, &simulated);
	if (!err) {
		w->stopped = w->reported = false;
		bw_debug_waves_changed(d);
		err = bw_target_resume(d->target, &slot, 1);
	}
	if (!err)
		err = bw_step_resume_others(d, &along);
	if (!err)
		err = until_stop(d, w, &along, -1, &is_over, out);
	bool ran_along = along.len;
	bw_vec_free(&along);
	*out_result = STEP_STOP;
	remove_places(d, space);
	if (err || !d->target)
		return err;
	d->state = BW_DEBUG_STOPPED;
	if (is_over)
		say_ended(d, w);
	if (out->kind != BW_STOP_NONE || is_over || ran_along) {
		BW_TRY(stop_for(d, out));
		out->focus_ended = is_over;
		say_missing(d, w);
		return NULL;
	}
	*out_result = STEP_DONE;
	return NULL;
}

/* The only wave that was allowed to run has ended: another one is reported, or all others are
 * resumed. */
struct bw_error *bw_step_alone_ended(struct bw_debug *d, const struct bw_wave_record *w,
				     struct bw_stop *out)
{
	say_ended(d, w);
	if (bw_target_stopped(d->target, NULL, 0)) {
		BW_TRY(bw_debug_stop_and_report(d, out));
		out->focus_ended = true;
		return NULL;
	}
	d->state = BW_DEBUG_RUNNING;
	return bw_debug_release_held(d);
}

struct bw_error *bw_debug_wait_alone(struct bw_debug *d, int timeout_ms, struct bw_stop *out)
{
	struct bw_wave_record *w = &d->waves->slots[d->stepping->alone_slot];
	struct bw_u32_vec none = {0};
	bool is_over = false;
	struct bw_error *err = until_stop(d, w, &none, timeout_ms, &is_over, out);
	bw_vec_free(&none);
	if (!err && d->target && out->kind == BW_STOP_NONE && !is_over && !w->stopped)
		return NULL; /* the timeout has passed */
	d->stepping->alone_slot = UINT32_MAX;
	if (err || !d->target) /* the program may have ended meanwhile */
		return err;
	if (is_over && out->kind == BW_STOP_NONE)
		return bw_step_alone_ended(d, w, out);
	return bw_debug_stop_and_report(d, out);
}

struct bw_error *bw_step_to_any(struct bw_debug *d, struct bw_wave_record *w,
				const struct bw_internal_place *places, size_t n,
				struct bw_stop *out, bool *out_there)
{
	enum step_result result;
	struct bw_stop stop = {.kind = BW_STOP_NONE};
	BW_TRY(run_to(d, w, places, n, &result, &stop));
	*out_there = result == STEP_DONE && w->info.reasons & BW_REASON_SINGLE_STEP;
	if (result == STEP_DONE)
		fill_step_stop(d, w, &stop);
	*out = stop;
	return NULL;
}

struct bw_error *bw_step_to(struct bw_debug *d, struct bw_wave_record *w, uint64_t va,
			    const uint32_t *s32, struct bw_stop *out, bool *out_there)
{
	const struct bw_internal_place place = {va, s32, s32 ? *s32 : 0};
	BW_TRY(bw_step_to_any(d, w, &place, 1, out, out_there));
	*out_there &= w->info.pc == va;
	return NULL;
}

/* Runs the wave over a call, to the instruction after it. In compiled code s32 must be as before
 * the call, because a recursive call returns to the same place earlier. */
static struct bw_error *over_call(struct bw_debug *d, struct bw_wave_record *w, uint64_t va,
				  enum step_result *out_result, struct bw_stop *out)
{
	struct bw_frame code;
	bw_debug_frame(d, w->info.dispatch, w->hw.pc, &code);
	struct bw_internal_place place = {va, code.language == BW_LANGUAGE_COMPILED, 0};
	if (place.has_s32)
		BW_TRY(bw_target_read_sgprs(d->target, w->info.slot, 32, 1, &place.s32));
	return run_to(d, w, &place, 1, out_result, out);
}

static struct bw_error *step(struct bw_debug *d, struct bw_wave_record *w, bool over_calls,
			     enum step_result *out_result, struct bw_stop *out)
{
	struct bw_inst inst;
	uint64_t target;

	if (!over_calls)
		return step_once(d, w, out_result, out);
	BW_TRY(bw_debug_read_inst(d, w->hw.pc, &inst, NULL));
	if (bw_isa_flow(&inst, w->hw.pc, &target) == BW_FLOW_CALL || inst.op == BW_OP_S_SWAPPC_B64)
		return over_call(d, w, w->hw.pc + inst.size_b, out_result, out);
	return step_once(d, w, out_result, out);
}

struct bw_error *bw_step_count(struct bw_debug *d, struct bw_wave_record *w, uint64_t count,
			       bool over_calls, struct bw_stop *out)
{
	for (uint64_t i = 0; i < count; i++) {
		enum step_result result;
		struct bw_stop stop = {.kind = BW_STOP_NONE};
		struct bw_wave_access access;
		uint64_t pc = w->info.pc;
		bw_step_foresee(d, w, &access);
		BW_TRY(step(d, w, over_calls, &result, &stop));
		if (result == STEP_STOP || result == STEP_ENDED) {
			*out = stop;
			return NULL;
		}
		bw_step_compare(d, w, pc, &access);
		if (w->info.reasons & ~(uint32_t)(BW_REASON_SINGLE_STEP | BW_REASON_INTERRUPT))
			break;
		if (i + 1 < count) {
			BW_TRY(bw_step_poll(d, &stop));
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

struct bw_error *bw_step_begin(struct bw_debug *d, struct bw_wave_record **out_w,
			       struct bw_stop *out, bool *out_over)
{
	*out_over = false;
	BW_TRY(bw_debug_need_focus(d, out_w));
	BW_TRY(bw_target_need(d->target, BW_CAP_RUN));
	bw_hang_restart(d);
	bw_watch_settle(d);
	*out_over = bw_test_deferred(d, *out_w);
	if (*out_over)
		fill_step_stop(d, *out_w, out);
	return NULL;
}
