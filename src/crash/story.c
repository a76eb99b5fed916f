/* SPDX-License-Identifier: MIT */
#include "crash/story.h"

bool bw_crash_is_telling(const struct bw_crash_fault *f)
{
	enum bw_gpuvm_gen gen = f->has_gen ? f->gen : BW_GPUVM_GFX11;
	if (f->reporter != BW_GPUVM_HUB)
		return true;
	return f->has_status && f->status &&
	       (!f->has_first || (int)f->vmid == bw_gpuvm_status_decode(gen, f->status).vmid);
}

const struct bw_crash_event *bw_crash_turn_of(const struct bw_crash_story *s)
{
	return s->hang			      ? s->hang
	       : s->first[BW_CRASH_NO_ANSWER] ? s->first[BW_CRASH_NO_ANSWER]
					      : s->first[BW_CRASH_RESET_BEGIN];
}

static void take_faults(struct bw_crash_story *s)
{
	const struct bw_crash_event *turn = bw_crash_turn_of(s);
	for (size_t i = 0; i < s->n_items; i++) {
		const struct bw_crash_fault *f = bw_crash_fault_of(s->log, &s->items[i]);
		if (!f)
			continue;
		bool is_late = turn && f->when.order > turn->when.order;
		s->n_early += !is_late;
		if (is_late) {
			if (!s->late)
				s->late = f;
		} else if (!s->fault ||
			   (!bw_crash_is_telling(s->fault) && bw_crash_is_telling(f))) {
			s->fault = f;
		}
	}
}

struct bw_crash_story bw_crash_story_of(const struct bw_crash *c, const struct bw_gpuvm_part *part,
					const struct bw_crash_incidents *in,
					const struct bw_crash_incident *incident)
{
	struct bw_crash_story s = {.crash = c,
				   .part = part,
				   .log = &c->log,
				   .items = in->items.data + incident->first,
				   .n_items = incident->n};
	for (size_t i = 0; i < s.n_items; i++) {
		const struct bw_crash_event *e = bw_crash_event_of(s.log, &s.items[i]);
		if (!e)
			continue;
		if (!s.n[e->kind]++)
			s.first[e->kind] = e;
		s.last[e->kind] = e;
		if (e->kind == BW_CRASH_SUPPRESSED)
			s.n_suppressed += e->number;
		if (!s.hang && (e->kind == BW_CRASH_TIMEOUT || e->kind == BW_CRASH_SOFT_RECOVERED))
			s.hang = e;
	}
	take_faults(&s);
	return s;
}
