// SPDX-License-Identifier: MIT
/* Software watchpoints: the waves that they concern are stepped from instruction to instruction,
 * one wave after the other, and the value is compared after each step, while the other waves run.
 * All waves that share watched LDS are stepped, so that it is known which one has written it. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/stepping/stepping_priv.h"
#include "debug/waves/waves_priv.h"
#include "isa/ops.h"

#include <string.h>

enum { EVENTS_EVERY = 64, BARRIER_POLL_MS = 2, FINISH_MS = 1000 };

void bw_stepping_fini(struct bw_stepping *s)
{
	bw_vec_free(&s->watched);
}

void bw_stepping_forget(struct bw_stepping *s)
{
	s->pending.kind = BW_STOP_NONE;
	s->alone_slot = UINT32_MAX;
	s->watched.len = 0;
}

static bool may_move(struct bw_debug *d, const struct bw_wave_record *w)
{
	return d->settings.scheduler_locking != BW_LOCKING_ON || w == bw_debug_focus_priv(d);
}

struct bw_error *bw_debug_watch_begin(struct bw_debug *d)
{
	struct bw_u32_vec others = {0};
	struct bw_error *err = NULL;
	d->stepping->watched.len = 0;
	d->stepping->watched_turn = 0;
	for (size_t i = 0; !err && i < d->waves->stopped.len; i++) {
		const struct bw_wave_record *w = bw_stopped_wave(d, i);
		bool wanted = w->stopped && may_move(d, w) && bw_watch_wants(d, w);
		err = bw_vec_push(wanted ? &d->stepping->watched : &others, w->info.slot);
	}
	if (!err && d->stepping->watched.len && d->settings.scheduler_locking != BW_LOCKING_ON) {
		err = bw_step_resume_others(d, &others);
		if (!err)
			err = bw_debug_release_held(d);
	}
	bw_vec_free(&others);
	return err;
}

/* The wave has ended, and with it the watchpoints for which it was stepped, unless other waves
 * share them. */
static void watched_ended(struct bw_debug *d, const struct bw_wave_record *w)
{
	bw_vec_drop(&d->stepping->watched, slot, *slot == w->info.slot);
	for (size_t i = d->breaks->all.len; i-- > 0;) {
		struct bw_break *b = d->breaks->all.data[i];
		bool shared = false;
		if (!bw_watch_is_for(b, w))
			continue;
		bw_vec_each(&d->stepping->watched, slot)
			shared |= bw_watch_is_for(b, &d->waves->slots[*slot]);
		if (shared)
			continue;
		bw_debug_note(d, BW_NOTICE_SAID, "[Watchpoint %u deleted: wave %u has ended]",
			      b->info.number, w->info.number);
		struct bw_error *err = bw_debug_break_delete(d, b->info.number);
		bw_error_free(err);
	}
}

/* Where no other wave may run, a barrier that others must reach is an error, rather than an endless
 * wait. */
static struct bw_error *check_barrier(struct bw_debug *d, struct bw_wave_record *w,
				      const struct bw_inst *inst)
{
	struct bw_u32_vec others = {0};
	struct bw_error *err = bw_step_companions(d, w, inst, &others);
	bw_vec_free(&others);
	if (err)
		d->stepping->watched.len = 0;
	return err;
}

/* The wave has stopped after the instruction at pc, which has accessed a. out_stop: report it. */
static struct bw_error *look(struct bw_debug *d, struct bw_wave_record *w, uint64_t pc,
			     const struct bw_wave_access *a, bool *out_stop)
{
	bool own = true;
	w->reported = false;
	uint32_t hit = bw_watch_software_hit(d, w, a, &own);
	if (hit) {
		w->info.reasons |= BW_REASON_WATCHPOINT;
		w->info.breakpoint = hit;
		w->info.cause_pc = own ? pc : 0;
	}
	if (hit && !own)
		bw_debug_note(
			d, BW_NOTICE_SAID,
			"[Watchpoint %u: another wave has changed it, not wave %u, which is stepped]",
			hit, w->info.number);
	*out_stop = w->info.reasons & ~(uint32_t)(BW_REASON_SINGLE_STEP | BW_REASON_INTERRUPT);
	if (bw_watch_end_scopes(d, w) && !*out_stop) {
		w->info.reasons = BW_REASON_SINGLE_STEP;
		*out_stop = true;
		return NULL;
	}
	/* the user does not see that the wave was stepped */
	if (!*out_stop)
		w->info.reasons = BW_REASON_INTERRUPT;
	return NULL;
}

/* Decodes the instruction that w executes next, and computes its accesses in advance, because it
 * may overwrite the registers with the address. */
static struct bw_error *foresee(struct bw_debug *d, struct bw_wave_record *w,
				struct bw_inst *out_inst, struct bw_wave_access *out)
{
	BW_IN_SPACE(d, w->info.space);
	BW_TRY(bw_debug_read_inst(d, w->info.pc, out_inst, NULL));
	bw_error_free(bw_access_of(d, w, w->info.pc, out));
	return NULL;
}

void bw_step_foresee(struct bw_debug *d, struct bw_wave_record *w, struct bw_wave_access *out)
{
	struct bw_inst inst;
	memset(out, 0, sizeof(*out));
	if (bw_watch_wants(d, w))
		bw_error_free(foresee(d, w, &inst, out));
}

void bw_step_compare(struct bw_debug *d, struct bw_wave_record *w, uint64_t pc,
		     const struct bw_wave_access *a)
{
	bool stop;
	uint32_t reasons = w->info.reasons;
	if (!w->stopped || !bw_watch_wants(d, w))
		return;
	bw_error_free(look(d, w, pc, a, &stop));
	w->info.reasons |= reasons;
}

/* Steps a watched wave by one instruction. A wave that reaches a barrier is left waiting there (it
 * is not stopped then) while others run. out_stop: report it. */
static struct bw_error *watched_step(struct bw_debug *d, struct bw_wave_record *w, bool *out_over,
				     bool *out_stop, struct bw_stop *out)
{
	bool simulated, late;
	uint64_t pc = w->info.pc;
	uint32_t slot = w->info.slot;
	bool along = d->settings.scheduler_locking != BW_LOCKING_ON;
	struct bw_inst inst;
	struct bw_wave_access a = {0};

	BW_TRY(foresee(d, w, &inst, &a));
	bool waits = inst.op == BW_OP_S_BARRIER || w->info.in_barrier;
	if (waits && !along)
		BW_TRY(check_barrier(d, w, &inst));
	BW_TRY(bw_debug_prepare(d, w, &simulated));
	if (simulated) {
		bw_step_simulated(d, w);
		return look(d, w, pc, &a, out_stop);
	}
	w->stopped = w->reported = false;
	BW_TRY(bw_target_step(d->target, slot));
	if (waits)
		return NULL;
	BW_TRY(bw_step_await(d, &(struct bw_step_wait){slot, along, -1}, out_over, &late, out));
	if (*out_over || out->kind == BW_STOP_EXITED || out->kind == BW_STOP_GPU_GONE)
		return NULL;
	bool stopped = bw_target_is_stopped(d->target, slot);
	if (!stopped) /* another wave has stopped; this one is in the middle of its instruction */
		BW_TRY(bw_target_wait_wave(d->target, slot, FINISH_MS, &stopped, out_over));
	if (!stopped)
		return NULL;
	BW_TRY(bw_debug_examine(d, slot));
	return look(d, w, pc, &a, out_stop);
}

/* Looks at a wave that was left at a barrier. out_moved: it has passed the barrier. */
static struct bw_error *look_at_barrier(struct bw_debug *d, struct bw_wave_record *w,
					bool *out_moved, bool *out_stop)
{
	const struct bw_wave_access none = {0};
	*out_moved = bw_target_is_stopped(d->target, w->info.slot);
	if (!*out_moved)
		return NULL;
	BW_TRY(bw_debug_examine(d, w->info.slot));
	return look(d, w, w->info.pc, &none, out_stop);
}

/* Other waves run along, and may have stopped: the event that said so can have been taken while the
 * watched wave was waited for. */
static struct bw_error *look_at_others(struct bw_debug *d, struct bw_stop *out)
{
	bool other = false;
	if (d->settings.scheduler_locking != BW_LOCKING_ON)
		BW_TRY(bw_debug_sort_stops(d, &other));
	if (other)
		out->kind = BW_STOP_WAVES;
	return NULL;
}

/* All watched waves wait at barriers: waits until one of them has passed its barrier. */
static struct bw_error *wait_at_barriers(struct bw_debug *d, struct bw_stop *out)
{
	bool stopped, is_over;
	uint32_t slot = d->stepping->watched.data[0];
	BW_TRY(bw_target_wait_wave(d->target, slot, bw_hang_limit(d, BARRIER_POLL_MS), &stopped,
				   &is_over));
	if (stopped || is_over)
		return NULL;
	if (bw_hang_is_over(d))
		out->kind = BW_STOP_WAVES;
	return NULL;
}

/* The next wave in turn executes an instruction. out_moved is false if it waits at a barrier. */
static struct bw_error *next_step(struct bw_debug *d, struct bw_wave_record **out_wave,
				  bool *out_moved, bool *out_over, bool *out_stop,
				  struct bw_stop *out)
{
	d->stepping->watched_turn = (d->stepping->watched_turn + 1) % d->stepping->watched.len;
	struct bw_wave_record *w = *out_wave =
		&d->waves->slots[d->stepping->watched.data[d->stepping->watched_turn]];
	*out_over = *out_stop = false;
	*out_moved = true;
	if (!w->stopped)
		return look_at_barrier(d, w, out_moved, out_stop);
	return watched_step(d, w, out_over, out_stop, out);
}

static struct bw_error *after_end(struct bw_debug *d, const struct bw_wave_record *w,
				  struct bw_stop *out)
{
	bool alone = d->state == BW_DEBUG_STOPPED;
	watched_ended(d, w);
	if (alone && out->kind == BW_STOP_NONE)
		return bw_step_alone_ended(d, w, out);
	if (out->kind == BW_STOP_NONE)
		BW_TRY(look_at_others(d, out));
	return NULL;
}

struct bw_error *bw_debug_step_watched(struct bw_debug *d, int timeout_ms, struct bw_stop *out)
{
	size_t idle = 0;
	for (unsigned i = 1;; i++) {
		struct bw_wave_record *w;
		bool moved, over, stop;
		BW_TRY(next_step(d, &w, &moved, &over, &stop, out));
		idle = moved ? 0 : idle + 1;
		bool alone = over && d->state == BW_DEBUG_STOPPED;
		if (over) {
			BW_TRY(after_end(d, w, out));
			if (alone)
				return NULL;
		}
		if (idle && d->stepping->watched.len && idle >= d->stepping->watched.len) {
			BW_TRY(wait_at_barriers(d, out));
			idle = 0;
			i = EVENTS_EVERY;
		}
		if (out->kind == BW_STOP_NONE && !stop && i % EVENTS_EVERY == 0) {
			BW_TRY(bw_step_poll(d, out));
			if (out->kind == BW_STOP_NONE)
				BW_TRY(look_at_others(d, out));
		}
		if (out->kind == BW_STOP_EXITED || out->kind == BW_STOP_GPU_GONE)
			return NULL;
		if (out->kind != BW_STOP_NONE || stop) {
			d->stepping->watched.len = 0;
			return bw_debug_stop_and_report(d, out);
		}
		if (!d->stepping->watched.len || (timeout_ms >= 0 && i % EVENTS_EVERY == 0))
			return NULL;
	}
}
