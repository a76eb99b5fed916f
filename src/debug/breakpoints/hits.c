/* SPDX-License-Identifier: MIT */
/* Whether a wave at a breakpoint stops there: conditions, counts, and what only prints. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/expressions/eval.h"
#include "debug/waves/waves_priv.h"

/* Active lanes for which the condition holds. A condition that cannot be evaluated stops the wave,
 * and the reason is reported once for each of its stops. */
static uint64_t lanes_that_hold(struct bw_debug *d, struct bw_break *b, struct bw_wave_record *w)
{
	uint64_t held = 0;
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
			bw_debug_note(d, BW_NOTICE_WARNING,
				      "Error in testing condition for breakpoint %u: %s",
				      b->info.number, err->message);
			bw_error_free(err);
			return w->info.exec;
		}
		held |= (uint64_t)yes << lane;
	}
	return held;
}

/* Waves are still being examined: this wave is the focus meanwhile. */
struct looked_at {
	uint32_t slot;
	unsigned lane;
	enum bw_debug_state state;
};

static struct looked_at look_at(struct bw_debug *d, struct bw_wave_record *w, uint64_t lanes)
{
	struct looked_at before = {d->focus_slot, d->focus_lane, d->state};
	d->focus_slot = w->info.slot;
	d->focus_lane = lanes ? (unsigned)__builtin_ctzll(lanes) : 0;
	d->state = BW_DEBUG_STOPPED;
	bw_stack_changed(d);
	return before;
}

static void look_back(struct bw_debug *d, struct looked_at before)
{
	d->state = before.state;
	d->focus_slot = before.slot;
	d->focus_lane = before.lane;
	bw_stack_changed(d);
}

static void tell_passing(struct bw_debug *d, const struct bw_break *b, struct bw_wave_record *w,
			 uint64_t lanes)
{
	if (!d->passing)
		return;
	struct looked_at before = look_at(d, w, lanes);
	d->passing(d->passing_cookie, b->info.number, bw_debug_wave_number(d, w));
	look_back(d, before);
}

static bool decides_to_stop(struct bw_debug *d, const struct bw_break *b, struct bw_wave_record *w,
			    uint64_t lanes)
{
	if (!b->info.decides || !d->deciding)
		return true;
	struct looked_at before = look_at(d, w, lanes);
	bool stops = d->deciding(d->deciding_cookie, b->info.number, bw_debug_wave_number(d, w));
	look_back(d, before);
	return stops;
}

bool bw_break_counts(struct bw_debug *d, struct bw_break *b, struct bw_wave_record *w,
		     uint64_t *lanes)
{
	if (b->info.wave && b->info.wave != bw_debug_wave_number(d, w))
		return false;
	if (b->condition)
		*lanes &= lanes_that_hold(d, b, w);
	if (b->condition && !*lanes)
		return false;
	if (!decides_to_stop(d, b, w, *lanes))
		return false;
	b->info.hits++;
	if (!b->info.ignore)
		return true;
	b->info.ignore--;
	return false;
}

uint32_t bw_debug_break_hit(struct bw_debug *d, struct bw_wave_record *w, uint64_t *out_lanes)
{
	uint32_t hit = 0;
	bw_vec_each(&d->breaks, it) {
		struct bw_break *b = *it;
		bool here = false;
		bw_vec_each(&b->places, p)
			here |= p->va == w->info.pc && p->space == w->info.space;
		if (!b->info.enabled || !here)
			continue;
		if (b->info.wave && b->info.wave != bw_debug_wave_number(d, w))
			continue;
		uint64_t lanes = b->condition ? lanes_that_hold(d, b, w) : w->info.exec;
		if (b->condition && !lanes)
			continue;
		if (!decides_to_stop(d, b, w, lanes))
			continue;
		if (b->filter) {
			/* hits and those to be ignored are counted in dispatches */
			if (bw_catch_hit(d, b, w) && !hit) {
				hit = b->info.number;
				*out_lanes = lanes;
			}
			continue;
		}
		b->info.hits++;
		if (b->info.ignore) {
			b->info.ignore--;
			continue;
		}
		if (b->info.passes) {
			tell_passing(d, b, w, lanes);
			continue;
		}
		if (!hit) {
			hit = b->info.number;
			*out_lanes = lanes;
		}
	}
	return hit;
}
