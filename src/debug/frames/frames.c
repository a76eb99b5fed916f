// SPDX-License-Identifier: MIT
/* The frames of the focus wave, and which one is selected. */
#include "debug/frames/frames_priv.h"
#include "debug/waves/waves_priv.h"
#include "sym/frames.h"

void bw_stack_fini(struct bw_stack *s)
{
	bw_vec_free(&s->activations);
	bw_facts_free(s->facts);
}

void bw_stack_changed(struct bw_debug *d)
{
	d->stack->is_valid = false;
}

void bw_stack_resumed(struct bw_debug *d)
{
	bw_stack_changed(d);
	d->stack->level = d->stack->hidden = 0;
	d->stack->level_wave = 0;
}

struct bw_error *bw_stack_hide(struct bw_debug *d, unsigned n)
{
	struct bw_wave_record *w;
	struct bw_stack *s;
	BW_TRY(bw_stack_of(d, &w, &s));
	s->level = 0;
	s->hidden = n;
	s->level_wave = d->waves->focus_number;
	return NULL;
}

static unsigned hidden_at_break(const struct bw_wave_record *w)
{
	return w->info.breakpoint && w->info.reasons & BW_REASON_BREAKPOINT ? w->not_entered : 0;
}

unsigned bw_stack_hidden(struct bw_debug *d)
{
	const struct bw_stack *s = d->stack;
	const struct bw_wave_record *w = bw_debug_focus_priv(d);
	if (w && w == d->waves->tested)
		return d->waves->tested_level;
	if (s->level_wave == d->waves->focus_number)
		return s->hidden;
	return w ? hidden_at_break(w) : 0;
}

bool bw_debug_at_call(struct bw_debug *d, uint32_t wave, struct bw_call_place *out)
{
	struct bw_frame_info f, inside;
	const struct bw_wave_record *w = bw_debug_wave_priv(d, wave);
	if (!w)
		return false;
	unsigned n = w == bw_debug_focus_priv(d) ? bw_stack_hidden(d) : hidden_at_break(w);
	BW_IN_SPACE(d, w->info.space);
	if (!n || !bw_code_function(d, w->info.pc, n, &f) ||
	    !bw_code_function(d, w->info.pc, n - 1, &inside))
		return false;
	*out = (struct bw_call_place){f.name, inside.call_file, inside.call_line};
	return true;
}

struct bw_error *bw_stack_of(struct bw_debug *d, struct bw_wave_record **out_wave,
			     struct bw_stack **out)
{
	struct bw_stack *s = d->stack;
	struct bw_wave_record *w;
	BW_TRY(bw_debug_need_focus(d, &w));
	if (!s->is_valid || s->wave != w->info.number) {
		s->activations.len = 0;
		s->is_complete = false;
		s->end[0] = 0;
		s->wave = w->info.number;
		s->is_valid = true;
	}
	if (!s->activations.len) {
		s->is_valid = false;
		BW_TRY(bw_unwind(d, w, s));
		s->is_valid = true;
	}
	*out_wave = w;
	*out = s;
	return NULL;
}

/* How many frames the activation has: inlined functions around its address, and its own. */
static unsigned n_inlined(struct bw_debug *d, const struct bw_activation *a)
{
	struct bw_frame_info info;
	struct bw_load *l = bw_debug_load_at(d, a->at);
	unsigned n = 0;
	while (l && l->module->lines &&
	       bw_lines_frame(l->module->lines, a->at - l->base, n, &info) && info.is_inlined)
		n++;
	return n;
}

static void fill_place(struct bw_debug *d, const struct bw_frame_info *inside,
		       struct bw_stack_frame *out)
{
	struct bw_where where;
	if (inside && inside->call_file && inside->call_line) {
		out->has_line = out->is_call_site = true;
		out->file = inside->call_file;
		out->line = inside->call_line;
		out->column = inside->call_column;
		return;
	}
	if (inside)
		return;
	bw_debug_where(d, out->at, &where);
	out->has_line = where.has_line;
	out->line_is_approximate = where.has_line && where.line.approximate;
	out->file = where.line.file;
	out->line = where.line.line;
	out->column = where.line.column;
}

static void fill_frame(struct bw_debug *d, const struct bw_wave_record *w,
		       const struct bw_activation *a, struct bw_stack_frame *out)
{
	struct bw_frame_info info = {0}, inside = {0};
	struct bw_frame code;
	struct bw_load *l = bw_debug_load_at(d, a->at);
	const struct bw_lines *lines = l ? l->module->lines : NULL;
	unsigned i = out->inline_level;
	bool found = lines && bw_lines_frame(lines, a->at - l->base, i, &info);
	bool has_inside = i && lines && bw_lines_frame(lines, a->at - l->base, i - 1, &inside);
	bw_debug_frame(d, w->info.dispatch, a->at, &code);
	out->pc = a->pc;
	out->at = a->at;
	out->is_inlined = found && info.is_inlined;
	out->is_kernel = !out->is_inlined && a->is_kernel;
	out->function = found && info.name ? info.name : code.function;
	out->has_params = found ? info.has_params : code.has_params;
	out->entry = a->entry;
	out->die = found ? info.die : 0;
	out->has_s32 = a->has_s32;
	out->has_s33 = a->has_s33;
	out->has_base = a->has_base;
	out->has_exec = a->has_exec;
	out->s32 = a->s32;
	out->s33 = a->s33;
	out->base = a->base;
	out->exec = a->exec;
	fill_place(d, has_inside ? &inside : NULL, out);
}

struct bw_error *bw_debug_stack_frame(struct bw_debug *d, unsigned level,
				      struct bw_stack_frame *out)
{
	struct bw_wave_record *w;
	struct bw_stack *s;
	unsigned first = 0;
	BW_TRY(bw_stack_of(d, &w, &s));
	BW_IN_SPACE(d, w->info.space);
	for (unsigned depth = 0;; depth++) {
		while (depth >= s->activations.len && !s->is_complete)
			BW_TRY(bw_unwind(d, w, s));
		if (depth >= s->activations.len)
			return bw_errorf(BW_E_NOT_FOUND, "No frame at level %u", level);
		const struct bw_activation *a = &s->activations.data[depth];
		unsigned inlined = n_inlined(d, a), hidden = depth ? 0 : bw_stack_hidden(d);
		hidden = BW_MIN(hidden, inlined);
		inlined -= hidden;
		if (level - first > inlined) {
			first += inlined + 1;
			continue;
		}
		struct bw_stack_frame frame = {
			.level = level, .depth = depth, .inline_level = level - first + hidden};
		fill_frame(d, w, a, &frame);
		*out = frame;
		return NULL;
	}
}

const char *bw_debug_stack_end(struct bw_debug *d)
{
	return d->stack && d->stack->is_valid ? d->stack->end : "";
}

unsigned bw_debug_frame_level(struct bw_debug *d)
{
	const struct bw_stack *s = d->stack;
	return s && s->level_wave == d->waves->focus_number ? s->level : 0;
}

struct bw_error *bw_debug_select_frame(struct bw_debug *d, unsigned level)
{
	struct bw_stack_frame frame;
	BW_TRY(bw_debug_stack_frame(d, level, &frame));
	d->stack->hidden = bw_stack_hidden(d);
	d->stack->level = level;
	d->stack->level_wave = d->waves->focus_number;
	return NULL;
}

struct bw_error *bw_debug_selected_frame(struct bw_debug *d, struct bw_stack_frame *out)
{
	return bw_debug_stack_frame(d, bw_debug_frame_level(d), out);
}
