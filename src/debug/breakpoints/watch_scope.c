// SPDX-License-Identifier: MIT
/* Watchpoints on local variables hold as long as their function is active. As in gdb, that is until
 * the wave is where the function's caller continues; what is watched in a kernel holds as long as
 * the wave lives. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/code.h"
#include "debug/frames.h"
#include "debug/variables/variables_priv.h"
#include "debug/waves/waves_priv.h"

#include <ctype.h>
#include <string.h>

enum { MOST_FRAMES = 256, MOST_NAME_B = 256, STACK_POINTER = 32 };

/* Whether a local variable of the frame has this name. */
static bool is_local(struct bw_debug *d, const struct bw_variables_frame *f, const char *name,
		     size_t len)
{
	char copy[MOST_NAME_B];
	if (len >= sizeof(copy))
		return false;
	memcpy(copy, name, len);
	copy[len] = 0;
	const struct bw_variable *v = bw_variables_find(d, f, copy);
	return v && !v->is_static;
}

static bool names_local(struct bw_debug *d, const struct bw_variables_frame *f, const char *expr)
{
	for (const char *p = expr; *p;) {
		size_t n = 0;
		while (isalnum((unsigned char)p[n]) || p[n] == '_')
			n++;
		bool named = n && !isdigit((unsigned char)p[0]);
		/* no register, no member, and in no namespace */
		if (named && (p == expr || !strchr("$.>:", p[-1])) && is_local(d, f, p, n))
			return true;
		p += n ? n : 1;
	}
	return false;
}

/* Finds where the caller of the selected frame's function continues. False: no caller is known. */
static bool caller_of(struct bw_debug *d, const struct bw_stack_frame *f,
		      struct bw_stack_frame *out)
{
	for (unsigned level = f->level + 1; level < MOST_FRAMES; level++) {
		struct bw_error *err = bw_debug_stack_frame(d, level, out);
		bool found = !err;
		bw_error_free(err);
		if (!found)
			return false;
		if (out->depth > f->depth)
			return true;
	}
	return false;
}

void bw_watch_find_scope(struct bw_debug *d, struct bw_watchpoint *p, const char *expr)
{
	struct bw_stack_frame f, caller;
	struct bw_variables_frame names;
	struct bw_error *err = bw_debug_selected_frame(d, &f);
	if (!err && bw_variables_frame(d, bw_debug_focus_priv(d), &names) &&
	    names_local(d, &names, expr)) {
		err = bw_debug_function_range(d, f.at, &p->scope_start, &p->scope_end);
		p->has_scope = !err;
	}
	bw_error_free(err); /* without a scope it is watched as long as the wave lives */
	if (!p->has_scope || !caller_of(d, &f, &caller))
		return;
	p->caller_pc = caller.pc;
	p->caller_has_s32 = caller.has_s32;
	p->caller_s32 = caller.s32;
}

bool bw_watch_is_outside(const struct bw_watchpoint *p, const struct bw_wave_record *w)
{
	return p->has_scope && (w->info.pc < p->scope_start || w->info.pc >= p->scope_end);
}

/* Whether w, which is stepped for the watchpoint, has returned to the caller. */
static bool has_ended(struct bw_debug *d, const struct bw_watchpoint *p,
		      const struct bw_wave_record *w)
{
	uint32_t s32;
	if (!p->has_scope || !p->caller_pc || w->info.pc != p->caller_pc)
		return false;
	if (!p->caller_has_s32)
		return true;
	struct bw_error *err =
		bw_target_read_sgprs(d->target, w->info.slot, STACK_POINTER, 1, &s32);
	bool known = !err;
	bw_error_free(err);
	/* a call that the function itself has made may return there, too, with a higher stack */
	return !known || s32 == p->caller_s32;
}

bool bw_watch_end_scopes(struct bw_debug *d, struct bw_wave_record *w)
{
	bool any = false;
	for (size_t i = d->breaks->all.len; i-- > 0;) {
		struct bw_break *b = d->breaks->all.data[i];
		if (!b->watch || !bw_watch_is_for(b, w) || !has_ended(d, b->watch, w))
			continue;
		bw_debug_note(d, BW_NOTICE_SAID,
			      "Watchpoint %u deleted because the program has left the block in\n"
			      "which its expression is valid.",
			      b->info.number);
		bw_error_free(bw_debug_break_delete(d, b->info.number));
		any = true;
	}
	return any;
}
