// SPDX-License-Identifier: MIT
/* Resuming waves and waiting for events: continue, wait. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/programs_priv.h"
#include "debug/faults.h"
#include "debug/stepping/stepping_priv.h"
#include "debug/waves/waves_priv.h"

#include <string.h>

#include "base/cleanup.h"

enum {
	/* longest wait of a submission for an earlier one with the same code */
	DEFER_MOST_MS = 3000,
	DEFER_POLL_MS = 20,
};

/* ---- Resuming ---- */

/* While an earlier submission runs the same code, a wave at the breakpoint could belong to either.
 * So a submission that is to be stopped is released after the earlier one has ended. This wait has
 * a limit: the earlier one may itself wait for something that the program does later. */
static bool must_wait(struct bw_debug *d, uint32_t submission)
{
	if (!bw_catch_is_ambiguous(d, submission)) {
		d->stepping->deferred_since_ms = 0;
		return false;
	}
	uint64_t now = bw_debug_now_ms();
	if (!d->stepping->deferred_since_ms)
		d->stepping->deferred_since_ms = now;
	return now - d->stepping->deferred_since_ms < DEFER_MOST_MS;
}

/* Releases held submissions; their dispatches run from here on. */
struct bw_error *bw_debug_release_held(struct bw_debug *d)
{
	if (!bw_target_can(d->target, BW_CAP_RUN))
		return NULL;
	BW_TRY(bw_filters_update(d));
	BW_TRY(bw_draw_breaks_update(d));
	if (d->stepping->waits_at_error)
		BW_TRY(bw_target_release(d->target, 0));
	d->stepping->waits_at_error = false;
	while (d->dispatches->held.len && !must_wait(d, d->dispatches->held.data[0])) {
		uint32_t submission = d->dispatches->held.data[0];
		d->stepping->deferred_since_ms = 0;
		bw_vec_remove(&d->dispatches->held, 0);
		BW_TRY(bw_target_release(d->target, submission));
		bw_vec_each(&d->dispatches->all, x) {
			if (x->info.submission != submission || x->info.state != BW_DISPATCH_HELD)
				continue;
			x->info.state = BW_DISPATCH_RUNNING;
			char words[48];
			bw_dispatch_words(&x->info, words);
			bw_debug_note(d, BW_NOTICE_DISPATCH, "%s: %s", words, x->info.kernel_title);
		}
	}
	return NULL;
}

static struct bw_error *prepare_to_run(struct bw_debug *d, struct bw_wave_record *w)
{
	bool simulated;
	if (!w->untested || w->hw.pc != w->stop_pc)
		return bw_debug_prepare(d, w, &simulated);
	/* the wave hits the breakpoint again, and the condition is tested then */
	w->untested = false;
	w->displaced_va = 0;
	BW_IN_SPACE(d, w->info.space);
	return bw_excp_sync(d, w);
}

/* Resumes the waves in these slots, each from where it stopped. */
struct bw_error *bw_debug_run_on(struct bw_debug *d, uint32_t *slots, size_t n)
{
	BW_TRY(bw_filters_update(d));
	BW_TRY(bw_draw_breaks_update(d));
	for (size_t i = 0; i < n; i++)
		BW_TRY(prepare_to_run(d, &d->waves->slots[slots[i]]));
	if (n)
		BW_TRY(bw_target_resume(d->target, slots, n));
	for (size_t i = 0; i < n; i++)
		d->waves->slots[slots[i]].stopped = false;
	bw_debug_waves_changed(d);
	return NULL;
}

static struct bw_error *resume_all(struct bw_debug *d)
{
	struct bw_wave_record *focus = bw_debug_focus_priv(d);
	if (d->state != BW_DEBUG_STOPPED)
		return bw_debug_release_held(d);
	d->stepping->alone_slot = UINT32_MAX;
	BW_TRY(bw_debug_watch_begin(d));
	if (d->stepping->watched.len)
		return NULL;
	if (d->settings.scheduler_locking == BW_LOCKING_ON && focus) {
		uint32_t slot = focus->info.slot;
		BW_TRY(bw_debug_run_on(d, &slot, 1));
		d->stepping->alone_slot = slot;
		return NULL;
	}
	BW_TRY(bw_debug_run_on(d, d->waves->stopped.data, d->waves->stopped.len));
	return bw_debug_release_held(d);
}

static struct bw_error *resume(struct bw_debug *d)
{
	BW_TRY(bw_debug_resume_time(d));
	return resume_all(d);
}

/* ---- Stops ---- */

/* Whether the wave's stop is to be reported. Stops of waves that were only asked to stop, and steps
 * that have only reached a barrier, are not. */
bool bw_wave_is_event(const struct bw_wave_record *w)
{
	uint32_t nothing = BW_REASON_INTERRUPT | (w->info.in_barrier ? BW_REASON_SINGLE_STEP : 0u);
	return w->info.reasons & ~nothing;
}

/* The importance of reasons to the user: exceptions first, then traps, then the rest. */
static int rank(uint32_t reasons)
{
	if (reasons & (BW_REASON_MEMORY_VIOLATION | BW_REASON_ADDRESS_ERROR |
		       BW_REASON_ILLEGAL_INSTRUCTION | BW_REASON_FP_EXCEPTION))
		return 3;
	if (reasons & (BW_REASON_ASSERT_TRAP | BW_REASON_DEBUG_TRAP | BW_REASON_TRAP))
		return 2;
	return reasons & ~(uint32_t)BW_REASON_INTERRUPT ? 1 : 0;
}

static int rank_of(const struct bw_wave_record *w)
{
	return bw_wave_is_event(w) ? rank(w->info.reasons) : 0;
}

/* A stop that has not been reported yet, of a wave that stopped together with another one. A
 * breakpoint's hit is dropped when the breakpoint has been deleted. */
static bool is_pending(struct bw_debug *d, const struct bw_wave_record *w)
{
	const uint32_t by_number =
		BW_REASON_BREAKPOINT | BW_REASON_WATCHPOINT | BW_REASON_FP_EXCEPTION;
	uint32_t reasons =
		w->info.reasons & ~(uint32_t)(BW_REASON_INTERRUPT | BW_REASON_SINGLE_STEP);
	if (w->reported || !reasons)
		return false;
	if (reasons & ~by_number || !w->info.breakpoint)
		return true;
	const struct bw_break *b = bw_debug_break_priv(d, w->info.breakpoint);
	return b && b->info.enabled;
}

static bool any_pending(struct bw_debug *d)
{
	if (d->state != BW_DEBUG_STOPPED)
		return false;
	for (size_t i = 0; i < d->waves->stopped.len; i++)
		if (is_pending(d, bw_stopped_wave(d, i)))
			return true;
	return false;
}

/* The lane to show for a stop: the first whose access fails, or that hit the breakpoint, or is
 * active. */
unsigned bw_wave_stop_lane(struct bw_debug *d, const struct bw_wave_record *w)
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

/* Everything has stopped: chooses the wave to show, and fills in the stop. Waves that stopped at an
 * earlier time and were not resumed (stepping) do not report again. */
static void report(struct bw_debug *d, uint32_t old_focus, struct bw_stop *out)
{
	struct bw_wave_record *best = NULL;

	for (size_t i = 0; i < d->waves->stopped.len; i++) {
		struct bw_wave_record *w = bw_stopped_wave(d, i);
		if (w->reported)
			continue;
		/* among equal stops the focus stays where it is */
		if (!best || rank_of(w) > rank_of(best) ||
		    (rank_of(w) == rank_of(best) && w->info.number == old_focus))
			best = w;
	}
	struct bw_wave_record *focus = bw_debug_focus_priv(d);
	if (!best || (!bw_wave_is_event(best) && focus))
		best = focus;
	*out = (struct bw_stop){.kind = BW_STOP_WAVES,
				.n_waves = d->waves->stopped.len,
				.n_unstoppable = d->waves->unstoppable};
	if (!best) {
		out->kind = BW_STOP_INTERRUPTED;
		return;
	}
	bool moved = best->info.number != old_focus;
	if (moved || !(best->info.exec >> d->waves->focus_lane & 1) ||
	    (best->info.breakpoint_lanes &&
	     !(best->info.breakpoint_lanes >> d->waves->focus_lane & 1)))
		d->waves->focus_lane = bw_wave_stop_lane(d, best);
	d->waves->focus_number = best->info.number;
	bw_debug_focus_on(d, best);
	out->wave = best->info.number;
	out->lane = d->waves->focus_lane;
	out->focus_changed = moved;
	out->reasons = best->info.reasons;
	out->breakpoint = best->info.breakpoint;
	out->breakpoint_lanes = best->info.breakpoint_lanes;
	out->dispatch = best->info.dispatch;
	struct bw_break *b = bw_debug_break_priv(d, out->breakpoint);
	out->breakpoint_temporary = b && b->info.temporary;
	for (size_t i = 0; i < d->waves->stopped.len; i++) {
		struct bw_wave_record *w = bw_stopped_wave(d, i);
		if (w->reported)
			continue;
		bool same = w->info.pc == best->info.pc &&
			    w->info.breakpoint == best->info.breakpoint &&
			    rank_of(w) == rank_of(best);
		out->n_same += same;
		w->reported = same || !is_pending(d, w);
		out->n_other += !w->reported;
	}
	if (out->breakpoint)
		bw_debug_drop_temporaries(d, out->breakpoint);
}

/* Stops everything and reports. */
struct bw_error *bw_debug_stop_and_report(struct bw_debug *d, struct bw_stop *out)
{
	uint32_t old_focus = d->waves->focus_number;
	BW_TRY(bw_debug_stop_all(d));
	report(d, old_focus, out);
	return NULL;
}

/* Whether the wave is stepped for a watchpoint; it is then examined in its turn. */
static bool is_watched(const struct bw_debug *d, uint32_t slot)
{
	bw_vec_each(&d->stepping->watched, it)
		if (*it == slot)
			return true;
	return false;
}

/* Examines the n slots whose waves have stopped. out_stop: one of them is to be reported; slots of
 * waves that need not stop are added to `go`. */
static struct bw_error *examine_all(struct bw_debug *d, size_t n, struct bw_u32_vec *go,
				    bool *out_stop)
{
	for (size_t i = 0; i < n; i++) {
		/* thousands of waves may have a condition that is to be tested */
		*out_stop |= bw_tests_are_ended(d);
		if (d->stepping->defers_tests)
			return NULL;
		struct bw_wave_record *w = bw_stopped_wave(d, i);
		/* held since an earlier stop */
		if (w->stopped || is_watched(d, d->waves->stopped.data[i]))
			continue;
		BW_TRY(bw_debug_examine(d, d->waves->stopped.data[i]));
		if (bw_wave_is_event(w))
			*out_stop = true;
		else
			BW_TRY(bw_vec_push(go, d->waves->stopped.data[i]));
	}
	return NULL;
}

/* Waves have stopped. Those without a reason (a condition that does not hold, a breakpoint that was
 * deleted) are resumed at once; out_stop: there is a stop to report. */
struct bw_error *bw_debug_sort_stops(struct bw_debug *d, bool *out_stop)
{
	uint32_t n_slots = d->target->facts.n_slots;
	struct bw_u32_vec go = {0};

	*out_stop = d->stepping->defers_tests = false;
	BW_TRY(bw_vec_reserve(&d->waves->stopped, n_slots));
	size_t n = BW_MIN(bw_target_stopped(d->target, d->waves->stopped.data, n_slots),
			  (size_t)n_slots);
	d->waves->stopped.len = 0;
	bw_debug_order_stops(d, d->waves->stopped.data, n);
	bw_mem_lines_begin(d);
	struct bw_error *err = examine_all(d, n, &go, out_stop);
	bw_mem_lines_end(d);
	if (!err && !*out_stop)
		err = bw_debug_run_on(d, go.data, go.len);
	bw_vec_free(&go);
	return err;
}

static void ended(struct bw_debug *d, const struct bw_target_event *ev, struct bw_stop *out)
{
	*out = (struct bw_stop){.kind = ev->kind == BW_EVENT_EXIT ? BW_STOP_EXITED
								  : BW_STOP_GPU_GONE,
				.exit_known = ev->exit_known,
				.exit_status = ev->exit_status};
	bw_breaks_tell_unmatched(d);
	bw_draws_end(d);
	d->programs->exit_known = ev->exit_known;
	d->programs->exit_status = ev->exit_status;
	bw_debug_close_target(d);
}

/* Reports a queue error. The program may be about to end; its own output about the error comes
 * first in any case. */
static struct bw_error *on_queue_error(struct bw_debug *d, const struct bw_target_event *ev,
				       struct bw_stop *out)
{
	struct bw_error *err = d->state == BW_DEBUG_RUNNING ? bw_debug_stop_all(d) : NULL;
	if (err && !bw_error_catch(&err, BW_E_GONE))
		return err;
	if (d->state == BW_DEBUG_RUNNING) { /* it has ended */
		bw_waves_run(d);
		d->state = BW_DEBUG_STOPPED;
	}
	d->stepping->waits_at_error = true;
	if (!d->waves->stopped.len && ev->space)
		bw_debug_use_space(d, ev->space);
	*out = (struct bw_stop){.kind = BW_STOP_QUEUE_ERROR,
				.pid = ev->pid,
				.result = ev->result,
				.n_waves = d->waves->stopped.len,
				.n_unstoppable = d->waves->unstoppable,
				.queue_error = ev->queue_error};
	return NULL;
}

/* The first dispatch of a submission; 0: there is none. */
static uint32_t first_of(const struct bw_debug *d, uint32_t submission)
{
	bw_vec_each(&d->dispatches->all, x)
		if (x->info.submission == submission && !x->info.draw)
			return x->info.number;
	return 0;
}

/* Handles one event. out->kind stays NONE when there is nothing to report. */
struct bw_error *bw_debug_handle(struct bw_debug *d, const struct bw_target_event *ev,
				 struct bw_stop *out)
{
	bool stop;

	switch (ev->kind) {
	case BW_EVENT_NONE:
		break;
	case BW_EVENT_PROGRAM:
		return bw_debug_on_program(d, ev);
	case BW_EVENT_SPACE_GONE:
		bw_debug_on_space_gone(d, ev->space);
		break;
	case BW_EVENT_PROGRAM_GONE:
		bw_debug_on_program_gone(d, ev);
		break;
	case BW_EVENT_SUBMIT: {
		BW_TRY(bw_debug_on_submit(d, ev));
		uint32_t first = d->settings.stop_on_dispatch ? first_of(d, ev->submission) : 0;
		if (!first || ev->is_running)
			return d->state == BW_DEBUG_RUNNING ? bw_debug_release_held(d) : NULL;
		*out = (struct bw_stop){.kind = BW_STOP_DISPATCH, .dispatch = first};
		if (d->state == BW_DEBUG_RUNNING) {
			BW_TRY(bw_debug_stop_all(d));
			out->n_waves = d->waves->stopped.len;
		}
		break;
	}
	case BW_EVENT_DONE:
		bw_debug_on_done(d, ev);
		if (d->state == BW_DEBUG_RUNNING)
			return bw_debug_release_held(d);
		break;
	case BW_EVENT_QUEUE_ERROR:
		return on_queue_error(d, ev, out);
	case BW_EVENT_STOP:
		if (d->state != BW_DEBUG_RUNNING)
			break;
		/* on a target that cannot run, every wave is of interest */
		if (!bw_target_can(d->target, BW_CAP_RUN))
			return bw_debug_stop_and_report(d, out);
		BW_TRY(bw_debug_sort_stops(d, &stop));
		if (!stop)
			break;
		bool interrupted = d->stepping->defers_tests;
		BW_TRY(bw_debug_stop_and_report(d, out));
		/* this is the answer to a Ctrl-C, unless there is another reason */
		if (interrupted && !(out->reasons & ~(uint32_t)BW_REASON_INTERRUPT))
			bw_target_forget_interrupt(d->target);
		break;
	case BW_EVENT_INTERRUPT:
		d->stepping->defers_tests = d->state == BW_DEBUG_RUNNING;
		if (d->stepping->defers_tests)
			return bw_debug_stop_and_report(d, out);
		break;
	case BW_EVENT_EXIT:
	case BW_EVENT_GPU_GONE:
		ended(d, ev, out);
		break;
	case BW_EVENT_NOTE:
		if (ev->is_said)
			bw_debug_note(d, BW_NOTICE_SAID, "[%s]", ev->text);
		else
			bw_debug_note(d, ev->is_warning ? BW_NOTICE_WARNING : BW_NOTICE_INFO, "%s",
				      ev->text);
		break;
	}
	return NULL;
}

struct bw_error *bw_debug_stop(struct bw_debug *d, struct bw_stop *out)
{
	struct bw_target_event ev;
	BW_TRY(bw_debug_need_target(d));
	*out = (struct bw_stop){.kind = BW_STOP_NONE};
	do { /* what is known of the waves comes first */
		ev = (struct bw_target_event){.kind = BW_EVENT_NONE};
		BW_TRY(bw_target_wait(d->target, 0, &ev));
		BW_TRY(bw_debug_handle(d, &ev, out));
	} while (ev.kind != BW_EVENT_NONE && out->kind == BW_STOP_NONE);
	return out->kind == BW_STOP_NONE ? bw_debug_stop_and_report(d, out) : NULL;
}

struct bw_error *bw_debug_continue(struct bw_debug *d)
{
	BW_TRY(bw_debug_need_target(d));
	BW_TRY(bw_target_need(d->target, BW_CAP_RUN));
	/* stops of other waves at the same time are reported first, one after the other */
	d->stepping->report_pending = any_pending(d) || d->stepping->pending.kind != BW_STOP_NONE;
	if (d->stepping->report_pending)
		return NULL;
	bw_debug_forget_insts(d);
	bw_filter_dirty(d); /* variables of the user may have changed */
	d->continues++;
	d->stepping->deferred_since_ms = 0;
	bw_hang_restart(d);
	bw_watch_settle(d);
	bw_catch_sweep(d);
	struct bw_error *err = resume(d);
	if (err && d->target && bw_target_ends(d->target) == BW_END_SOME) {
		bw_error_free(err); /* of a program that has just ended; other programs are left */
		BW_TRY(bw_debug_look_for_some_end(d));
		err = resume(d);
	}
	/* the program or the GPU has died while we were stopped: wait will say so */
	if (err && !bw_error_catch(&err, BW_E_GONE))
		return err;
	bool alone = d->stepping->watched.len && d->settings.scheduler_locking == BW_LOCKING_ON;
	if (alone || d->stepping->alone_slot != UINT32_MAX)
		return NULL; /* the others stay as they are */
	bw_waves_run(d);
	return NULL;
}

/* If stepped waves have ended with their program or GPU, forgets them, so that the caller waits for
 * the event that says so. */
static struct bw_error *forget_gone(struct bw_debug *d, struct bw_error *err)
{
	if (!bw_error_catch(&err, BW_E_GONE))
		return err;
	d->stepping->watched.len = 0;
	d->stepping->alone_slot = UINT32_MAX;
	bw_waves_run(d);
	return NULL;
}

static struct bw_error *wait_for(struct bw_debug *d, int timeout_ms, struct bw_stop *out)
{
	uint64_t end = timeout_ms > 0 ? bw_debug_now_ms() + (uint64_t)timeout_ms : 0;
	struct bw_stop stop = {.kind = BW_STOP_NONE};

	BW_TRY(bw_debug_need_target(d));
	if (d->stepping->report_pending && d->state == BW_DEBUG_STOPPED) {
		d->stepping->report_pending = false;
		if (d->stepping->pending.kind == BW_STOP_NONE)
			report(d, d->waves->focus_number, out);
		else
			*out = d->stepping->pending;
		d->stepping->pending.kind = BW_STOP_NONE;
		return NULL;
	}
	if (d->stepping->watched.len) {
		BW_TRY(forget_gone(d, bw_debug_step_watched(d, timeout_ms, &stop)));
		if (stop.kind != BW_STOP_NONE || d->stepping->watched.len) {
			*out = stop;
			return NULL;
		}
	}
	if (d->stepping->alone_slot != UINT32_MAX) {
		BW_TRY(forget_gone(d, bw_debug_wait_alone(d, timeout_ms, &stop)));
		if (stop.kind != BW_STOP_NONE || d->stepping->alone_slot != UINT32_MAX) {
			*out = stop;
			return NULL;
		}
	}
	for (;;) {
		struct bw_target_event ev = {.kind = BW_EVENT_NONE};
		int left = timeout_ms;
		if (timeout_ms > 0) {
			uint64_t now = bw_debug_now_ms();
			left = now < end ? (int)(end - now) : 0;
		}
		bool deferred = d->stepping->deferred_since_ms && d->state == BW_DEBUG_RUNNING;
		int most = d->state == BW_DEBUG_RUNNING ? bw_hang_limit(d, left) : left;
		if (deferred && (most < 0 || most > DEFER_POLL_MS))
			most = DEFER_POLL_MS;
		BW_TRY(bw_target_wait(d->target, most, &ev));
		struct bw_error *err = bw_debug_handle(d, &ev, &stop);
		if (!err && deferred && stop.kind == BW_STOP_NONE)
			err = bw_debug_release_held(d);
		if (!err && stop.kind == BW_STOP_NONE && d->state == BW_DEBUG_RUNNING &&
		    bw_hang_is_over(d))
			err = bw_debug_stop_and_report(d, &stop);
		/* the program or the GPU has ended meanwhile: an event will say which */
		if (err && !bw_error_catch(&err, BW_E_GONE))
			return err;
		if (stop.kind != BW_STOP_NONE ||
		    (ev.kind == BW_EVENT_NONE && timeout_ms >= 0 && left == 0))
			break;
	}
	*out = stop;
	return NULL;
}

struct bw_error *bw_debug_wait(struct bw_debug *d, int timeout_ms, struct bw_stop *out)
{
	BW_TRY(wait_for(d, timeout_ms, out));
	if (out->kind != BW_STOP_NONE)
		bw_debug_tell_lines(d);
	return NULL;
}

/* The program or the GPU has ended or is ending, and the wave with it. An event will say so: as a
 * rule the end of the program, or Ctrl-C if the program continues without a GPU. */
struct bw_error *bw_step_unless_gone(struct bw_debug *d, struct bw_error *err, struct bw_stop *out)
{
	if (!err || err->code != BW_E_GONE || !d->target)
		return err;
	bw_error_free(err);
	bw_waves_run(d);
	return bw_debug_wait(d, -1, out);
}

static bool is_end(const struct bw_stop *s)
{
	return s->kind == BW_STOP_EXITED || s->kind == BW_STOP_GPU_GONE;
}

/* Handles what comes for as long as something that has ended was not reported. Waves that stop
 * meanwhile belong to this stop; the first of other stops is kept for the next wait. */
static struct bw_error *handle_ends(struct bw_debug *d, enum bw_target_end until,
				    struct bw_stop *out)
{
	enum { MOMENT_MS = 1000 }; /* between the end of a process and the last of its messages */
	struct bw_target_event ev = {.kind = BW_EVENT_NOTE};
	struct bw_stop stop = {.kind = BW_STOP_NONE};
	bool any_stops = false;
	while (ev.kind != BW_EVENT_NONE && d->target) {
		enum bw_target_end end = bw_target_ends(d->target);
		if (end == BW_END_NONE || end > until)
			break;
		stop = (struct bw_stop){.kind = BW_STOP_NONE};
		ev.kind = BW_EVENT_NONE;
		BW_TRY(bw_target_wait(d->target, MOMENT_MS, &ev));
		any_stops |= ev.kind == BW_EVENT_STOP;
		struct bw_error *err = bw_debug_handle(d, &ev, &stop);
		if (err && !bw_error_catch(&err, BW_E_GONE))
			return err;
		if (stop.kind != BW_STOP_NONE && !is_end(&stop) &&
		    d->stepping->pending.kind == BW_STOP_NONE)
			d->stepping->pending = stop;
	}
	if (any_stops && d->target && d->state == BW_DEBUG_STOPPED)
		BW_TRY(bw_debug_collect(d));
	if (!is_end(&stop))
		stop.kind = BW_STOP_NONE;
	*out = stop;
	return NULL;
}

struct bw_error *bw_debug_look_for_end(struct bw_debug *d, struct bw_stop *out)
{
	return handle_ends(d, BW_END_ALL, out);
}

struct bw_error *bw_debug_look_for_some_end(struct bw_debug *d)
{
	struct bw_stop stop;
	return handle_ends(d, BW_END_SOME, &stop);
}
