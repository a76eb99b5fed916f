// SPDX-License-Identifier: MIT
/* What software watchpoints need: one wave is stepped from instruction to instruction, and looked at
 * after each, while the others run. */
#include "debug/debug_priv.h"

struct bw_error *bw_debug_watch_begin(struct bw_debug *d, struct bw_wave *w)
{
	struct bw_u32_vec others = {0};
	struct bw_error *err = NULL;
	for (size_t i = 0; !err && i < d->stopped.len; i++)
		if (d->stopped.data[i] != w->info.slot)
			err = bw_vec_push(&others, d->stopped.data[i]);
	if (!err && d->settings.scheduler_locking != BW_LOCKING_ON) {
		err = bw_step_run_along(d, &others);
		if (!err)
			err = bw_debug_release_held(d);
	}
	bw_vec_free(&others);
	d->watched_slot = w->info.slot;
	return err;
}

/* The wave is over, and with it what it was stepped for. */
static void watched_ended(struct bw_debug *d, const struct bw_wave *w)
{
	d->watched_slot = UINT32_MAX;
	for (size_t i = d->breaks.len; i-- > 0;) {
		struct bw_break *b = d->breaks.data[i];
		if (!b->watch || b->info.watch_register >= 0 || b->watch->wave != w->info.number)
			continue;
		bw_debug_note(d, BW_NOTICE_SAID, "[Watchpoint %u deleted: wave %u has ended]",
			      b->info.number, w->info.number);
		struct bw_error *err = bw_debug_break_delete(d, b->info.number);
		bw_error_free(err);
	}
}

/* With nobody else to move, a barrier that others must reach is an error, not a wait for ever. */
static struct bw_error *check_barrier(struct bw_debug *d, struct bw_wave *w)
{
	struct bw_inst inst;
	struct bw_u32_vec others = {0};
	BW_TRY(bw_debug_read_inst(d, w->hw.pc, &inst, NULL));
	struct bw_error *err = bw_step_companions(d, w, &inst, &others);
	bw_vec_free(&others);
	if (err)
		d->watched_slot = UINT32_MAX;
	return err;
}

/* One instruction of the watched wave. out_stop: it is one for the user. */
static struct bw_error *watched_step(struct bw_debug *d, struct bw_wave *w, bool *out_over,
				     bool *out_stop, struct bw_stop *out)
{
	bool simulated, late;
	uint64_t pc = w->info.pc;
	uint32_t slot = w->info.slot;
	bool along = d->settings.scheduler_locking != BW_LOCKING_ON;

	*out_over = *out_stop = false;
	if (!along)
		BW_TRY(check_barrier(d, w));
	BW_TRY(bw_debug_prepare(d, w, &simulated));
	if (simulated) {
		bw_step_simulated(d, w);
	} else {
		w->stopped = w->reported = false;
		BW_TRY(d->target->ops->step(d->target, slot));
		BW_TRY(bw_step_await(d, slot, along, -1, out_over, &late, out));
		if (*out_over || out->kind != BW_STOP_NONE)
			return NULL;
		BW_TRY(bw_debug_examine(d, slot));
	}
	w->reported = false;
	uint32_t hit = bw_watch_software_hit(d, w);
	if (hit) {
		w->info.reasons |= BW_REASON_WATCHPOINT;
		w->info.breakpoint = hit;
		w->info.cause_pc = pc;
	}
	*out_stop = w->info.reasons & ~(uint32_t)(BW_REASON_SINGLE_STEP | BW_REASON_INTERRUPT);
	return NULL;
}

/* Other waves run along, and may have stopped: the event that said so can have been taken while the
 * watched wave was waited for. */
static struct bw_error *look_at_others(struct bw_debug *d, struct bw_stop *out)
{
	bool other = false;
	if (d->settings.scheduler_locking != BW_LOCKING_ON)
		BW_TRY(bw_debug_sift(d, &other));
	if (other)
		out->kind = BW_STOP_WAVES;
	return NULL;
}

struct bw_error *bw_debug_step_watched(struct bw_debug *d, int timeout_ms, struct bw_stop *out)
{
	enum { EVENTS_EVERY = 64 };
	struct bw_wave *w = &d->slots[d->watched_slot];
	for (unsigned i = 1;; i++) {
		bool over, stop;
		BW_TRY(watched_step(d, w, &over, &stop, out));
		if (over) {
			bool alone = d->state == BW_DEBUG_STOPPED;
			watched_ended(d, w);
			if (alone && out->kind == BW_STOP_NONE)
				return bw_step_alone_ended(d, w, out);
			if (out->kind == BW_STOP_NONE)
				BW_TRY(look_at_others(d, out));
			return out->kind == BW_STOP_WAVES ? bw_debug_stop_and_report(d, out) : NULL;
		}
		if (out->kind == BW_STOP_NONE && !stop && i % EVENTS_EVERY == 0) {
			BW_TRY(bw_step_poll(d, out));
			if (out->kind == BW_STOP_NONE)
				BW_TRY(look_at_others(d, out));
		}
		if (out->kind == BW_STOP_EXITED || out->kind == BW_STOP_GPU_GONE)
			return NULL;
		if (out->kind != BW_STOP_NONE || stop) {
			d->watched_slot = UINT32_MAX;
			return bw_debug_stop_and_report(d, out);
		}
		if (timeout_ms >= 0 && i % EVENTS_EVERY == 0)
			return NULL;
	}
}
