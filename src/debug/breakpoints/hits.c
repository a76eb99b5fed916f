/* SPDX-License-Identifier: MIT */
/* Decides whether a wave at a breakpoint stops there: conditions, counts, and breakpoints that only
 * print. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/breakpoints/entered.h"
#include "debug/expressions/eval.h"
#include "debug/waves/waves_priv.h"

enum {
	TELL_AFTER_MS = 2000, /* the user is told after this time, and again after ten times it */
	PAUSE_MS = 1000,      /* after so long without a test, tests are counted anew */
};

/* Tells the user how often the condition was tested, before this looks like a hang: each test costs
 * a stop of a wave, and the user sees nothing of waves for which the condition does not hold. */
static void tell_tests(struct bw_debug *d, struct bw_break *b)
{
	struct bw_break_tests *t = &b->tests;
	struct bw_break_tested tested;
	uint64_t now = bw_debug_now_ms();
	if (!t->n || now - t->last_ms > PAUSE_MS)
		*t = (struct bw_break_tests){
			.since_ms = now, .told_ms = TELL_AFTER_MS, .error_at = t->error_at};
	t->n++;
	t->last_ms = now;
	if (now - t->since_ms < t->told_ms)
		return;
	t->told_ms *= 10;
	bw_debug_break_tested(d, b->info.number, &tested);
	/* the GPU tests the condition, so these are waves for which it holds */
	if (tested.by == BW_TESTED_BY_GPU)
		return;
	bool named = tested.part[0];
	bw_debug_note(d, BW_NOTICE_SAID,
		      "[The debugger has tested the condition of breakpoint %u %llu times in %llu "
		      "seconds%s%s%s%s%s; Ctrl-C, or pause in an editor, ends it]",
		      b->info.number, (unsigned long long)t->n,
		      (unsigned long long)(now - t->since_ms) / 1000, named ? " (`" : "",
		      named ? tested.part : "", named ? "` " : "", named ? tested.why : "",
		      named ? ")" : "");
}

/* Active lanes for which the condition holds. A condition that cannot be evaluated stops the wave,
 * and the reason is reported once for each time that waves run. */
static uint64_t lanes_that_hold(struct bw_debug *d, struct bw_break *b, struct bw_wave_record *w)
{
	uint64_t held = 0;
	tell_tests(d, b);
	for (unsigned lane = 0; lane < w->info.lanes; lane++) {
		struct bw_value v;
		struct bw_expr_error where;
		if (!(w->info.exec >> lane & 1))
			continue;
		bool yes = false;
		struct bw_error *err = bw_debug_eval_for(d, b->condition, w, lane, &v, &where);
		if (!err) {
			err = bw_value_truth(&v, lane, &yes);
			bw_value_fini(&v);
		}
		if (err) {
			if (b->tests.error_at != d->continues + 1)
				bw_debug_note(d, BW_NOTICE_WARNING,
					      "Error in testing condition for breakpoint %u: %s",
					      b->info.number, err->message);
			b->tests.error_at = d->continues + 1;
			bw_error_free(err);
			return w->info.exec;
		}
		held |= (uint64_t)yes << lane;
	}
	return held;
}

/* The focus of the session, saved while a wave is examined that is the focus in the meantime. */
struct looked_at {
	uint32_t slot;
	unsigned lane;
	enum bw_debug_state state;
};

static struct looked_at look_at(struct bw_debug *d, struct bw_wave_record *w, uint64_t lanes)
{
	struct looked_at before = {d->waves->focus_slot, d->waves->focus_lane, d->state};
	d->waves->focus_slot = w->info.slot;
	d->waves->focus_lane = lanes ? (unsigned)__builtin_ctzll(lanes) : 0;
	d->state = BW_DEBUG_STOPPED;
	bw_stack_changed(d);
	return before;
}

static void look_back(struct bw_debug *d, struct looked_at before)
{
	d->state = before.state;
	d->waves->focus_slot = before.slot;
	d->waves->focus_lane = before.lane;
	bw_stack_changed(d);
}

static void tell_passing(struct bw_debug *d, const struct bw_break *b, struct bw_wave_record *w,
			 uint64_t lanes)
{
	if (!d->breaks->passing)
		return;
	struct looked_at before = look_at(d, w, lanes);
	d->breaks->passing(d->breaks->passing_cookie, b->info.number, bw_debug_wave_number(d, w));
	look_back(d, before);
}

static bool decides_to_stop(struct bw_debug *d, const struct bw_break *b, struct bw_wave_record *w,
			    uint64_t lanes)
{
	if (!b->info.decides || !d->breaks->deciding)
		return true;
	struct looked_at before = look_at(d, w, lanes);
	bool stops = d->breaks->deciding(d->breaks->deciding_cookie, b->info.number,
					 bw_debug_wave_number(d, w));
	look_back(d, before);
	return stops;
}

/* Whether b, which is at this wave's PC, applies to the wave. Removes from `lanes` those for which
 * the condition does not hold. */
static bool concerns(struct bw_debug *d, struct bw_break *b, struct bw_wave_record *w,
		     uint64_t *lanes)
{
	if (b->info.wave && b->info.wave != bw_debug_wave_number(d, w))
		return false;
	if (b->condition)
		*lanes &= lanes_that_hold(d, b, w);
	return (!b->condition || *lanes) && decides_to_stop(d, b, w, *lanes);
}

/* Whether this hit is not one of those to be ignored. */
static bool count_hit(struct bw_break *b)
{
	b->info.hits++;
	return !b->info.ignore || !b->info.ignore--;
}

bool bw_break_counts(struct bw_debug *d, struct bw_break *b, struct bw_wave_record *w,
		     uint64_t *lanes)
{
	return concerns(d, b, w, lanes) && count_hit(b);
}

bool bw_break_is_conditional(struct bw_debug *d, const struct bw_wave_record *w)
{
	bool any = false;
	bw_vec_each(&d->breaks->all, it) {
		const struct bw_break *b = *it;
		if (!bw_break_is_at(b, w->info.space, w->info.pc) || !b->info.enabled)
			continue;
		if (!b->condition && !b->info.decides)
			return false;
		any = true;
	}
	return any;
}

uint32_t bw_debug_break_hit(struct bw_debug *d, struct bw_wave_record *w, uint64_t *out_lanes)
{
	uint32_t hit = 0;
	bw_vec_each(&d->breaks->all, it) {
		struct bw_break *b = *it;
		if (!b->info.enabled || !bw_break_is_at(b, w->info.space, w->info.pc))
			continue;
		uint64_t lanes = w->info.exec;
		/* names in conditions are those of the function that the breakpoint names */
		d->waves->tested = w;
		d->waves->tested_level = bw_break_not_entered(d, b, w->info.pc);
		bool does = concerns(d, b, w, &lanes);
		d->waves->tested = NULL;
		if (!does)
			continue;
		/* with a filter, hits and those to be ignored are counted in dispatches */
		bool stops = b->filter ? bw_catch_hit(d, b, w) : count_hit(b);
		if (stops && b->info.passes && !b->filter) {
			tell_passing(d, b, w, lanes);
		} else if (stops && !hit) {
			hit = b->info.number;
			*out_lanes = lanes;
			w->not_entered = bw_break_not_entered(d, b, w->info.pc);
		}
	}
	return hit;
}
