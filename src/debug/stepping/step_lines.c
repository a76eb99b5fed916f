// SPDX-License-Identifier: MIT
/* Steps by source lines: until, advance, step, next, finish. They consist of steps by instructions
 * (step.c). */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/code/code_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/frames/frames_priv.h"
#include "debug/stepping/stepping_priv.h"
#include "debug/waves/waves_priv.h"
#include "isa/ops.h"

#include <stdlib.h>
#include <string.h>

#include "sym/frames.h"

/* Looks for an event other than the step itself. True: it ends the step, and out describes it. */
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
	*out_ends = out->kind != BW_STOP_WAVES || out->wave != w->info.number || !w->stopped ||
		    out->reasons & ~(uint32_t)BW_REASON_SINGLE_STEP;
	return *out_ends ? NULL : other_event(d, out, out_ends);
}

/* Where a step began: the function whose lines count, and the line that is to be left. */
struct origin {
	bool has_line;
	const char *file;
	unsigned line;
	uint64_t die; /* 0: no debug information */
	bool is_inlined;
};

static struct bw_error *origin_of(struct bw_debug *d, struct origin *out)
{
	struct bw_stack_frame f;
	BW_TRY(bw_debug_stack_frame(d, 0, &f));
	*out = (struct origin){f.has_line, f.file, f.line, f.die, f.is_inlined};
	return NULL;
}

static bool other_line(const struct origin *from, const char *file, unsigned line)
{
	return !file || line != from->line || strcmp(file, from->file) != 0;
}

/* Whether another line begins here. If no other line follows in the function, every address
 * counts. */
static bool begins_line(struct bw_debug *d, const struct origin *from, uint64_t pc)
{
	struct bw_where now;
	struct bw_line ahead;
	struct bw_load *l = from->has_line ? NULL : bw_debug_load_at(d, pc);
	if (!from->has_line && !(l && bw_module_line_from(l->module, pc - l->base, &ahead)))
		return true;
	bw_debug_where(d, pc, &now);
	return now.has_line && !now.line.approximate && now.line.start == pc && now.line.is_stmt &&
	       (!from->has_line || other_line(from, now.line.file, now.line.line));
}

/* Counts the functions around pc that are inside of the function of that DIE. False: pc is not in
 * that function. */
static bool depth_within(struct bw_debug *d, uint64_t pc, uint64_t die, unsigned *out)
{
	struct bw_frame_info f;
	for (unsigned i = 0; die && bw_code_function(d, pc, i, &f); i++) {
		if (f.die != die)
			continue;
		*out = i;
		return true;
	}
	return false;
}

/* Whether a step ends at pc. out_hidden: how many inlined functions that begin there have not been
 * entered yet. As in gdb, a step that comes to the call of an inlined function stops before it,
 * unless it began in the line of that call. */
static bool ends_at(struct bw_debug *d, const struct origin *from, uint64_t pc, bool over_calls,
		    unsigned *out_hidden)
{
	struct bw_frame_info callee;
	unsigned within = 0, begin = bw_code_beginning(d, pc);
	bool inside = depth_within(d, pc, from->die, &within) && within;
	*out_hidden = 0;
	if (inside && over_calls)
		return false;
	if (!inside) {
		*out_hidden = begin;
		return begins_line(d, from, pc);
	}
	if (begin < within)
		return begins_line(d, from, pc);
	bw_code_function(d, pc, within - 1, &callee);
	*out_hidden = other_line(from, callee.call_file, callee.call_line) ? within : within - 1;
	return true;
}

/* Whether the step has left the inlined function in which it began, and is in the middle of the
 * line with its call. As after a return, the step then goes on until it leaves that line. */
static bool has_left_inlined(struct bw_debug *d, const struct origin *from, uint64_t pc)
{
	struct bw_where where;
	unsigned within;
	if (!from->is_inlined || depth_within(d, pc, from->die, &within))
		return false;
	bw_debug_where(d, pc, &where);
	return where.has_line && (where.line.start != pc || !where.line.is_stmt);
}

/* Where a call returns to. */
struct call {
	uint64_t next;
	const uint32_t *s32; /* s32 of the caller; NULL: its code has no stack */
};

/* The wave is at the first instruction of a function that it has called: runs it to the end of the
 * prologue or, if the function has no lines, to its return. out_stays: the step ends there. */
static struct bw_error *enter(struct bw_debug *d, struct bw_wave_record *w, const struct call *call,
			      struct bw_stop *out, bool *out_stays, bool *out_ends)
{
	uint64_t pc = w->info.pc, start, end;
	struct bw_where where;
	struct bw_load *l = bw_debug_load_at(d, pc);
	bool there = true;
	bw_debug_where(d, pc, &where);
	*out_stays = where.has_line;
	if (!where.has_line) {
		BW_TRY(bw_step_to(d, w, call->next, call->s32, out, &there));
	} else if (l && l->module->lines) {
		struct bw_error *err = bw_debug_function_range(d, pc, &start, &end);
		if (bw_error_catch(&err, BW_E_NOT_FOUND))
			return NULL;
		BW_TRY(err);
		uint64_t to = l->base + bw_lines_after_prologue(l->module->lines, pc - l->base,
								end - l->base);
		if (to != pc)
			BW_TRY(bw_step_to(d, w, to, NULL, out, &there));
	}
	*out_ends = !there;
	return NULL;
}

/* Makes one step from `from`. If the function returns, `from` becomes the line of the caller. */
static struct bw_error *step_line(struct bw_debug *d, struct bw_wave_record *w, struct origin from,
				  bool over_calls, struct bw_stop *out, bool *out_ends)
{
	unsigned hidden = 0;
	do {
		struct bw_inst inst;
		uint64_t target, before = w->info.pc;
		uint32_t s32;
		bool compiled, stays = false;
		BW_TRY(bw_debug_read_inst(d, before, &inst, NULL));
		enum bw_flow flow = bw_isa_flow(&inst, before, &target);
		bool calls = flow == BW_FLOW_CALL || inst.op == BW_OP_S_SWAPPC_B64;
		struct bw_frame code;
		bw_debug_frame(d, w->info.dispatch, before, &code);
		compiled = code.language == BW_LANGUAGE_COMPILED;
		if (calls)
			BW_TRY(bw_target_read_sgprs(d->target, w->info.slot, 32, 1, &s32));
		BW_TRY(one_instruction(d, w, over_calls, out, out_ends));
		if (*out_ends)
			return NULL;
		if (calls && !over_calls && w->info.pc != before + inst.size_b)
			BW_TRY(enter(d, w,
				     &(struct call){before + inst.size_b, compiled ? &s32 : NULL},
				     out, &stays, out_ends));
		if (*out_ends || stays)
			return NULL;
		if (flow == BW_FLOW_INDIRECT && !calls) {
			/* The wave is in the middle of the line with the call. The step now has to
			 * leave this line, and the lines of its function count. */
			struct bw_where where;
			bw_debug_where(d, w->info.pc, &where);
			if (from.has_line && where.has_line && where.line.start != w->info.pc)
				BW_TRY(origin_of(d, &from));
			else
				from.die = 0;
		} else if (has_left_inlined(d, &from, w->info.pc)) {
			BW_TRY(origin_of(d, &from));
		}
	} while (!ends_at(d, &from, w->info.pc, over_calls, &hidden));
	return bw_stack_hide(d, hidden);
}

/* A step into an inlined function: the wave stays where it is. */
static struct bw_error *step_inline(struct bw_debug *d, struct bw_wave_record *w,
				    struct bw_stop *out)
{
	unsigned hidden = bw_stack_hidden(d) - 1;
	w->info.reasons = BW_REASON_SINGLE_STEP;
	w->info.breakpoint = 0;
	BW_TRY(bw_step_count(d, w, 0, false, out));
	return bw_stack_hide(d, hidden);
}

/* Steps until the wave is after the line, never back to it, so out of a loop. A return ends the
 * step as well. */
static struct bw_error *step_until(struct bw_debug *d, struct bw_wave_record *w,
				   struct bw_stop *out)
{
	uint64_t start = w->info.pc;
	struct origin first, from;
	unsigned within;
	bool ends, inside;
	BW_TRY(origin_of(d, &first));
	from = first;
	do {
		BW_TRY(step_line(d, w, from, true, out, &ends));
		if (ends)
			return NULL;
		inside = !first.die || depth_within(d, w->info.pc, first.die, &within);
		BW_TRY(origin_of(d, &from));
	} while (inside && w->info.pc <= start);
	return NULL;
}

static struct bw_error *step_lines(struct bw_debug *d, struct bw_wave_record *w, uint64_t count,
				   bool over_calls, struct bw_stop *out)
{
	bool ends = false;
	if (!count)
		return bw_step_count(d, w, 0, over_calls, out);
	for (uint64_t i = 0; i < count && !ends; i++) {
		struct origin from;
		if (!over_calls && bw_stack_hidden(d)) {
			BW_TRY(step_inline(d, w, out));
			continue;
		}
		BW_TRY(origin_of(d, &from));
		BW_TRY(step_line(d, w, from, over_calls, out, &ends));
	}
	return NULL;
}

/* ---- finish ---- */

/* Runs the wave until the activation of a frame is the innermost one again. */
static struct bw_error *return_to(struct bw_debug *d, struct bw_wave_record *w,
				  const struct bw_stack_frame *f, struct bw_stop *out,
				  bool *out_there)
{
	*out_there = true;
	return f->depth ? bw_step_to(d, w, f->pc, f->has_s32 ? &f->s32 : NULL, out, out_there)
			: NULL;
}

static struct bw_error *finish(struct bw_debug *d, struct bw_wave_record *w, struct bw_stop *out)
{
	struct bw_stack_frame f, caller;
	unsigned within;
	bool there, ends = false;
	BW_TRY(bw_debug_selected_frame(d, &f));
	struct bw_error *err = bw_debug_stack_frame(d, f.level + 1, &caller);
	if (bw_error_catch(&err, BW_E_NOT_FOUND))
		return bw_debug_stack_end(d)[0]
			       ? bw_errorf(BW_E_NOT_FOUND, "%s", bw_debug_stack_end(d))
			       : bw_errorf(BW_E_STATE,
					   "\"finish\" not meaningful in the outermost frame");
	BW_TRY(err);
	if (!f.is_inlined)
		return return_to(d, w, &caller, out, &there);
	BW_TRY(return_to(d, w, &f, out, &there));
	/* calls go back to the inlined function; a branch may leave it, and a return must */
	while (there && !ends && depth_within(d, w->info.pc, f.die, &within))
		BW_TRY(one_instruction(d, w, true, out, &ends));
	return NULL;
}

struct bw_error *bw_debug_finish(struct bw_debug *d, struct bw_stop *out)
{
	struct bw_wave_record *w;
	bool over;
	BW_TRY(bw_step_begin(d, &w, out, &over));
	return over ? NULL : bw_step_unless_gone(d, finish(d, w, out), out);
}

/* ---- until WHERE, advance ---- */

/* Finds all places of that name in the code that the wave runs (templates and inlined functions
 * have several), or the first one elsewhere. As in gdb, the wave stops at the first place that it
 * reaches. */
static struct bw_error *find_places(struct bw_debug *d, const struct bw_wave_record *w,
				    const char *text, struct bw_internal_place *out, size_t max,
				    size_t *out_n)
{
	uint64_t *found;
	size_t n, n_here = 0;
	BW_TRY(bw_debug_places(d, text, &found, &n));
	const struct bw_load *here = bw_debug_load_at(d, w->info.pc);
	for (size_t i = 0; i < n; i++) {
		if (bw_debug_load_at(d, found[i]) != here)
			continue;
		if (n_here < max)
			out[n_here].va = found[i];
		n_here++;
	}
	if (!n_here)
		out[n_here++].va = found[0];
	free(found);
	*out_n = n_here;
	return n_here <= max
		       ? NULL
		       : bw_errorf(BW_E_UNSUPPORTED,
				   "\"%s\" is in %zu places: more than the %zu that one command "
				   "can wait for",
				   text, n_here, max);
}

/* Finds where the function of the frame returns. False: it is the outermost one, or its caller is
 * not known. */
static bool return_place(struct bw_debug *d, const struct bw_stack_frame *f,
			 struct bw_internal_place *out)
{
	struct bw_stack_frame caller = *f;
	struct bw_error *err = NULL;
	while (!err && caller.depth == f->depth)
		err = bw_debug_stack_frame(d, caller.level + 1, &caller);
	if (!err)
		*out = (struct bw_internal_place){caller.pc, caller.has_s32, caller.s32};
	bw_error_free(err);
	return out->va != 0;
}

/* Whether pc is after its function's prologue, so that s32 tells frames apart: "until" means the
 * place in the selected frame, not in recursive calls, and the stack differs in the prologue. */
static bool in_body(struct bw_debug *d, uint64_t pc, uint64_t entry)
{
	uint64_t start, end;
	struct bw_load *l = bw_debug_load_at(d, pc);
	struct bw_error *err = bw_debug_function_range(d, pc, &start, &end);
	bool known = !err && l && l->module->lines && start == entry;
	bw_error_free(err);
	return known && pc >= l->base + bw_lines_after_prologue(l->module->lines, start - l->base,
								end - l->base);
}

static struct bw_error *advance(struct bw_debug *d, struct bw_wave_record *w, const char *where,
				bool in_frame, struct bw_stop *out)
{
	struct bw_stack_frame f;
	struct bw_internal_place places[BW_INTERNAL_PLACES] = {0};
	bool there;
	size_t n;
	BW_TRY(find_places(d, w, where, places, BW_INTERNAL_PLACES - 1, &n));
	BW_TRY(bw_debug_selected_frame(d, &f));
	uint64_t entry = f.entry;
	bool has_frame = in_frame && f.has_s32 && in_body(d, f.at, entry);
	for (size_t i = 0; has_frame && i < n; i++) {
		places[i].has_s32 = in_body(d, places[i].va, entry);
		places[i].s32 = f.s32;
	}
	n += return_place(d, &f, &places[n]);
	return bw_step_to_any(d, w, places, n, out, &there);
}

struct bw_error *bw_debug_advance(struct bw_debug *d, const char *where, bool in_frame,
				  struct bw_stop *out)
{
	struct bw_wave_record *w;
	bool over;
	BW_TRY(bw_step_begin(d, &w, out, &over));
	return over ? NULL : bw_step_unless_gone(d, advance(d, w, where, in_frame, out), out);
}

struct bw_error *bw_debug_until(struct bw_debug *d, struct bw_stop *out)
{
	struct bw_wave_record *w;
	bool over;
	BW_TRY(bw_step_begin(d, &w, out, &over));
	return over ? NULL : bw_step_unless_gone(d, step_until(d, w, out), out);
}

struct bw_error *bw_debug_step_lines(struct bw_debug *d, uint64_t count, bool over_calls,
				     struct bw_stop *out)
{
	struct bw_wave_record *w;
	bool over;
	BW_TRY(bw_step_begin(d, &w, out, &over));
	return over ? NULL : bw_step_unless_gone(d, step_lines(d, w, count, over_calls, out), out);
}

struct bw_error *bw_debug_stepi(struct bw_debug *d, uint64_t count, bool over_calls,
				struct bw_stop *out)
{
	struct bw_wave_record *w;
	bool over;
	BW_TRY(bw_step_begin(d, &w, out, &over));
	return over ? NULL
		    : bw_step_unless_gone(d, bw_step_count(d, w, count, over_calls, out), out);
}
