// SPDX-License-Identifier: MIT
/* Steps by source lines: until, step, next. Made of steps by instructions (step.c). */
#include "debug/code.h"
#include "debug/stepping/stepping_priv.h"
#include "debug/waves/waves_priv.h"

#include <string.h>

/* An event other than the step itself. True: it ends the step, and out describes it. */
static struct bw_error *other_event(struct bw_debug *d, struct bw_stop *out, bool *out_ends)
{
	struct bw_stop other = {.kind = BW_STOP_NONE};
	BW_TRY(bw_step_poll(d, &other));
	*out_ends = other.kind != BW_STOP_NONE;
	if (other.kind == BW_STOP_INTERRUPTED)
		out->reasons |= BW_REASON_INTERRUPT;
	else if (*out_ends)
		*out = other;
	return NULL;
}

/* Steps one instruction. out_ends: something other than the step has stopped the wave, or it has
 * ended. */
static struct bw_error *one_instruction(struct bw_debug *d, struct bw_wave_record *w,
					bool over_calls, struct bw_stop *out, bool *out_ends)
{
	BW_TRY(bw_step_count(d, w, 1, over_calls, out));
	*out_ends = out->kind != BW_STOP_WAVES || out->wave != w->info.number ||
		    out->reasons & ~(uint32_t)BW_REASON_SINGLE_STEP;
	return *out_ends ? NULL : other_event(d, out, out_ends);
}

/* Whether another line begins here: from is the line that was left. Without lines, everywhere. */
static bool begins_line(struct bw_debug *d, const struct bw_where *from, uint64_t pc)
{
	struct bw_where now;
	bw_debug_where(d, pc, &now);
	if (!from->has_line)
		return true;
	if (!now.has_line || now.line.approximate)
		return false;
	bool other =
		now.line.line != from->line.line || strcmp(now.line.file, from->line.file) != 0;
	return now.line.start == pc && other;
}

static struct bw_error *step_until(struct bw_debug *d, struct bw_wave_record *w,
				   struct bw_stop *out)
{
	uint64_t start = w->info.pc;
	struct bw_where from;
	bool ends;
	bw_debug_where(d, start, &from);
	/* behind the line, and never back to it: out of a loop */
	do
		BW_TRY(one_instruction(d, w, true, out, &ends));
	while (!ends && !(w->info.pc > start && begins_line(d, &from, w->info.pc)));
	return NULL;
}

static struct bw_error *step_lines(struct bw_debug *d, struct bw_wave_record *w, uint64_t count,
				   bool over_calls, struct bw_stop *out)
{
	bool ends = false;
	if (!count)
		return bw_step_count(d, w, 0, over_calls, out);
	for (uint64_t i = 0; i < count && !ends; i++) {
		struct bw_where from;
		bw_debug_where(d, w->info.pc, &from);
		do
			BW_TRY(one_instruction(d, w, over_calls, out, &ends));
		while (!ends && !begins_line(d, &from, w->info.pc));
	}
	return NULL;
}

struct bw_error *bw_debug_until(struct bw_debug *d, struct bw_stop *out)
{
	struct bw_wave_record *w;
	BW_TRY(bw_debug_need_focus(d, &w));
	BW_TRY(bw_target_need(d->target, BW_CAP_RUN));
	return bw_step_unless_gone(d, step_until(d, w, out), out);
}

struct bw_error *bw_debug_step_lines(struct bw_debug *d, uint64_t count, bool over_calls,
				     struct bw_stop *out)
{
	struct bw_wave_record *w;
	BW_TRY(bw_debug_need_focus(d, &w));
	BW_TRY(bw_target_need(d->target, BW_CAP_RUN));
	return bw_step_unless_gone(d, step_lines(d, w, count, over_calls, out), out);
}
