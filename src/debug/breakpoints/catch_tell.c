// SPDX-License-Identifier: MIT
/* Tells the user about breakpoints that stop nothing, or nothing yet. Silence would be understood
 * as "no such dispatch has come", or "this line was not reached". */
#include "debug/breakpoints/catch_priv.h"
#include "debug/dispatches/dispatches_priv.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

/* ---- Dispatches that have begun ---- */

/* Whether the filter has the number of a dispatch or submission, which comes only once in a run of
 * the program. */
static bool is_absolute(const struct bw_dispatch_filter *f)
{
	return f->number || f->submission;
}

static bool matches_all(const struct bw_dispatch_filter *f)
{
	return !f->nth && !f->name && !f->label && !f->queue && !f->frame && !f->groups[0] &&
	       !f->grid[0] && !is_absolute(f);
}

static void tell_begun(struct bw_debug *d, const struct bw_break *b)
{
	const struct bw_dispatch_filter *f = b->filter;
	uint32_t begun = 0;
	bool is_over = false;
	bw_vec_each(&d->dispatches->all, x) {
		bool over = x->info.state >= BW_DISPATCH_DONE;
		if ((over && !is_absolute(f)) || bw_debug_has_begun(d, x) != BW_BEGUN_YES ||
		    !bw_catch_fits(f, x))
			continue;
		begun = x->info.number;
		is_over = over;
	}
	if (!begun || matches_all(f))
		return;
	const char *what = is_over ? "has ended" : "has begun";
	if (b->catches.len)
		bw_debug_note(d, BW_NOTICE_SAID,
			      "[Dispatch %u %s: breakpoint %u stops from dispatch %u on]", begun,
			      what, b->info.number, b->catches.data[0].dispatch);
	else if (is_absolute(f))
		bw_debug_note(d, BW_NOTICE_WARNING,
			      "breakpoint %u: dispatch %u %s; the breakpoint holds when the "
			      "program is run again",
			      b->info.number, begun, what);
	else
		bw_debug_note(d, BW_NOTICE_SAID,
			      "[Dispatch %u %s: breakpoint %u holds from the next submission on]",
			      begun, what, b->info.number);
}

void bw_catch_tell_passed(struct bw_debug *d, const struct bw_break *b, uint32_t dispatch)
{
	/* the reason may be a condition, or another wave */
	if (b->condition || b->info.wave || !b->info.enabled)
		return;
	bw_debug_note(
		d, BW_NOTICE_WARNING,
		"breakpoint %u: dispatch %u has ended without a stop: all its waves had begun "
		"before the breakpoint was set",
		b->info.number, dispatch);
}

/* ---- Names that nothing has ---- */

enum { MOST_NAMES = 8 };

/* The first few of a list of names, without duplicates, and how many names there are. */
struct names {
	const char *first[MOST_NAMES];
	size_t n;
};

static void add_name(struct names *names, const char *name)
{
	if (!name || !*name || !strcmp(name, "?"))
		return;
	for (size_t i = 0; i < BW_MIN(names->n, (size_t)MOST_NAMES); i++)
		if (!strcmp(names->first[i], name))
			return;
	if (names->n < MOST_NAMES)
		names->first[names->n] = name;
	names->n++;
}

static void tell_unknown(struct bw_debug *d, const struct bw_break *b, const char *what,
			 const char *wanted, const struct names *names)
{
	struct bw_str list = {0};
	for (size_t i = 0; i < BW_MIN(names->n, (size_t)MOST_NAMES); i++)
		bw_str_addf(&list, "%s\"%s\"", i ? ", " : "", names->first[i]);
	if (names->n > MOST_NAMES)
		bw_str_add(&list, ", ...");
	bw_debug_note(d, BW_NOTICE_SAID,
		      "[No %s is called \"%s\" so far%s%s%s: breakpoint %u waits for one]", what,
		      wanted, names->n ? " (known: " : "", bw_str_text(&list), names->n ? ")" : "",
		      b->info.number);
	bw_str_free(&list);
}

static bool module_fits(struct bw_module *m, const char *pattern, struct names *names)
{
	size_t n;
	const struct bw_kernel *k = bw_module_kernels(m, &n);
	for (size_t i = 0; i < n; i++, k++) {
		struct bw_dispatch_record x = {0};
		const struct bw_symbol *s = m->co ? bw_module_symbol(m, k->name) : NULL;
		x.info.kernel_name = k->name;
		x.info.kernel_title = s ? bw_module_pretty(m, s) : k->name;
		if (bw_catch_name_fits(pattern, &x))
			return true;
		add_name(names, x.info.kernel_title);
	}
	return false;
}

static void tell_unknown_name(struct bw_debug *d, const struct bw_break *b)
{
	const char *pattern = b->filter->name;
	struct names names = {0};
	size_t n = 0;
	const struct bw_target_object *o = NULL;
	bw_vec_each(&d->code->modules, m)
		if (!(*m)->is_found && module_fits(*m, pattern, &names))
			return;
	bw_vec_each(&d->dispatches->all, x) {
		if (bw_catch_name_fits(pattern, x))
			return;
		add_name(&names, x->info.kernel_title);
	}
	if (d->target && bw_target_can(d->target, BW_CAP_OBJECTS))
		bw_error_free(bw_debug_objects(d, &o, &n)); /* of a program that is ending */
	for (size_t i = 0; o && i < n; i++) {
		if (o[i].kind != BW_OBJECT_PIPELINE)
			continue;
		if (bw_catch_object_fits(pattern, &o[i]))
			return;
		add_name(&names, o[i].name);
	}
	if (names.n)
		tell_unknown(d, b, "kernel, pipeline or shader", pattern, &names);
}

static void tell_unknown_label(struct bw_debug *d, const struct bw_break *b)
{
	struct names names = {0};
	if (!d->dispatches->all.len)
		return;
	bw_vec_each(&d->dispatches->all, x) {
		if (bw_catch_label_fits(b->filter->label, x))
			return;
		add_name(&names, x->info.label);
	}
	tell_unknown(d, b, "label", b->filter->label, &names);
}

void bw_catch_tell_new(struct bw_debug *d, const struct bw_break *b)
{
	if (b->filter->name)
		tell_unknown_name(d, b);
	if (b->filter->label)
		tell_unknown_label(d, b);
	tell_begun(d, b);
}

/* A breakpoint that waited for its code to the end. */
static void tell_unplaced(struct bw_debug *d, const struct bw_break *b)
{
	char why[256];
	if (b->info.kind != BW_BREAK_CODE || !b->info.enabled || b->was_placed || b->told_refused ||
	    b->told_no_lines || b->where.kind == BW_WHERE_ADDRESS)
		return;
	if (!d->code->modules.len)
		snprintf(why, sizeof(why), "the program had no code for the GPU");
	else if (!bw_where_why_not(d, &b->where, why, sizeof(why))) {
		_cleanup_error_ struct bw_error *err = bw_where_not_found(d, &b->where);
		snprintf(why, sizeof(why), "%s", err->message);
	}
	bw_debug_note(d, BW_NOTICE_WARNING, "Breakpoint %u (%s) was never placed: %s",
		      b->info.number, b->spec, why);
}

void bw_breaks_tell_unmatched(struct bw_debug *d)
{
	size_t n = d->dispatches->dropped + d->dispatches->all.len - 2 * d->dispatches->n_draws;
	bw_vec_each(&d->breaks->all, it) {
		const struct bw_break *b = *it;
		const struct bw_dispatch_filter *f = b->filter;
		if (!f)
			tell_unplaced(d, b);
		if (b->info.not_stopped > 1)
			bw_debug_note(d, BW_NOTICE_WARNING,
				      "breakpoint %u: %llu dispatches were not stopped",
				      b->info.number, (unsigned long long)b->info.not_stopped);
		if (!f || !b->info.enabled || !n || (f->seen && f->seen >= f->nth))
			continue;
		const char *what = n == 1 ? "dispatch" : "dispatches";
		if (!f->seen)
			bw_debug_note(d, BW_NOTICE_SAID,
				      "[Breakpoint %u (%s) matched none of %zu %s]", b->info.number,
				      b->spec, n, what);
		else
			bw_debug_note(d, BW_NOTICE_SAID,
				      "[Breakpoint %u (%s) matched %llu of %zu %s]", b->info.number,
				      b->spec, (unsigned long long)f->seen, n, what);
	}
}
