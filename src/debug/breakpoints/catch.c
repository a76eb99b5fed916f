// SPDX-License-Identifier: MIT
/* Breakpoints on dispatches: which dispatches match, and the s_trap at the first instruction of
 * their code while one of those runs. Such a breakpoint stops once for each matching dispatch: when
 * its first waves are about to execute their first instruction. */
#include "debug/breakpoints/catch_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/waves/waves_priv.h"

#include <fnmatch.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "sym/demangle.h"

/* ---- Which dispatches ---- */

/* Matches a glob. A name may itself contain a pattern's characters, as in "pass [2]", so it also
 * matches itself. */
static bool glob(const char *pattern, const char *text)
{
	return text && *text && (!strcmp(pattern, text) || fnmatch(pattern, text, 0) == 0);
}

bool bw_catch_object_fits(const char *pattern, const struct bw_target_object *p)
{
	enum { MIN_HASH_DIGITS = 4 };
	char hash[24];
	if (glob(pattern, p->name) || glob(pattern, p->entry) || glob(pattern, p->module))
		return true;
	if (!p->hash || strlen(pattern) < MIN_HASH_DIGITS)
		return false;
	snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)p->hash);
	const char *digits = bw_starts_with(pattern, "0x") ? pattern + 2 : pattern;
	/* sha1sum prints more digits than are stored here */
	size_t n = BW_MIN(strlen(digits), strlen(hash));
	return !strncasecmp(hash, digits, n);
}

/* Of C++, the name as stops show it: without what the function returns and its parameters. */
static bool base_fits(const char *pattern, const char *title)
{
	size_t n;
	const char *base = bw_name_base(title, &n);
	_cleanup_free_ char *name = strndup(base, n);
	return name && glob(pattern, name);
}

bool bw_catch_name_fits(const char *pattern, const struct bw_dispatch_record *x)
{
	return glob(pattern, x->info.kernel_name) || bw_name_is(x->info.kernel_title, pattern) ||
	       base_fits(pattern, x->info.kernel_title) ||
	       bw_catch_object_fits(pattern, &x->pipeline);
}

/* Matches one level of the label as the program gave it, or the whole path as it is shown. */
bool bw_catch_label_fits(const char *pattern, const struct bw_dispatch_record *x)
{
	static const char separator[] = {BW_LABEL_SEPARATOR, 0};
	if (glob(pattern, x->info.label))
		return true;
	for (const char *level = x->levels; *level;) {
		size_t n = strcspn(level, separator);
		_cleanup_free_ char *one = strndup(level, n);
		if (one && glob(pattern, one))
			return true;
		level += n + (level[n] != 0);
	}
	return false;
}

bool bw_catch_fits(const struct bw_dispatch_filter *f, const struct bw_dispatch_record *x)
{
	const struct bw_dispatch_info *i = &x->info;
	if (i->draw || (f->queue && f->queue != i->queue) || (f->frame && f->frame != i->frame) ||
	    (f->submission && f->submission != i->submission) ||
	    (f->number && f->number != i->number))
		return false;
	for (int k = 0; k < 3; k++) {
		if (f->groups[k] && f->groups[k] != i->desc.groups[k])
			return false;
		if (f->grid[k] && f->grid[k] != (uint64_t)i->desc.groups[k] * i->desc.group_size[k])
			return false;
	}
	return (!f->name || bw_catch_name_fits(f->name, x)) &&
	       (!f->label || bw_catch_label_fits(f->label, x));
}

/* ---- Their lives ---- */

static struct bw_catch *find_catch(struct bw_break *b, uint32_t dispatch)
{
	bw_vec_each(&b->catches, c)
		if (c->dispatch == dispatch)
			return c;
	return NULL;
}

static struct bw_error *add_place(struct bw_debug *d, struct bw_break *b, uint64_t va)
{
	bw_vec_each(&b->places, it)
		if (it->va == va && it->space == d->space)
			return NULL;
	BW_TRY(bw_vec_push(&b->places, ((struct bw_place_va){d->space, va})));
	struct bw_error *err = bw_debug_patch_ref(d, va);
	if (err)
		b->places.len--;
	b->info.pending = b->places.len == 0;
	return err;
}

/* Tells the user about the first dispatch that was not stopped, and counts the others, as a program
 * may submit hundreds in a second. Frees err, which may be NULL. */
static void say_not_stopped(struct bw_debug *d, struct bw_break *b,
			    const struct bw_dispatch_record *x, struct bw_error *err)
{
	if (err && !b->info.not_stopped++)
		bw_debug_note(d, BW_NOTICE_WARNING,
			      "breakpoint %u: dispatch %u will not be stopped: %s (more of them "
			      "are counted by \"info breakpoints\")",
			      b->info.number, x->info.number, err->message);
	bw_error_free(err);
}

static void catch_one(struct bw_debug *d, struct bw_break *b, const struct bw_dispatch_record *x)
{
	struct bw_dispatch_filter *f = b->filter;
	if (!f || !b->info.enabled)
		return;
	f->last = x->info.number;
	if (!bw_catch_fits(f, x))
		return;
	f->seen++;
	if (f->nth && f->nth != f->seen)
		return;
	if (b->info.ignore) {
		b->info.ignore--;
		b->info.hits++;
		return;
	}
	struct bw_catch c = {.dispatch = x->info.number,
			     .space = x->info.space,
			     .va = x->info.desc.code_va,
			     .late = x->info.state == BW_DISPATCH_RUNNING};
	struct bw_error *err = bw_vec_push(&b->catches, c);
	if (!err)
		err = add_place(d, b, c.va);
	say_not_stopped(d, b, x, err);
}

void bw_catch_again(struct bw_debug *d, struct bw_break *b)
{
	bw_vec_each(&d->dispatches->all, x) {
		const struct bw_catch *c = find_catch(b, x->info.number);
		BW_IN_SPACE(d, x->info.space);
		if (x->info.state >= BW_DISPATCH_DONE || bw_debug_has_begun(d, x) == BW_BEGUN_YES)
			continue;
		if (c && !c->caught)
			say_not_stopped(d, b, x, add_place(d, b, c->va));
		else if (x->info.number > b->filter->last)
			catch_one(d, b, x);
	}
	bw_catch_tell_new(d, b);
}

void bw_catch_on_done(struct bw_debug *d, const struct bw_dispatch_record *x)
{
	bw_vec_each(&d->breaks->all, b) {
		const struct bw_catch *c = find_catch(*b, x->info.number);
		if (c && c->late && !c->caught)
			bw_catch_tell_passed(d, *b, x->info.number);
	}
}

void bw_catch_forget(struct bw_break *b)
{
	b->catches.len = 0;
	b->info.not_stopped = 0;
	if (b->filter)
		b->filter->last = b->filter->seen = 0;
}

void bw_catch_new_dispatch(struct bw_debug *d, const struct bw_dispatch_record *x)
{
	bw_vec_each(&d->breaks->all, b)
		catch_one(d, *b, x);
}

bool bw_catch_hit(struct bw_debug *d, struct bw_break *b, const struct bw_wave_record *w)
{
	struct bw_catch *c = find_catch(b, w->info.dispatch);
	if (!c || c->va != w->info.pc)
		return false;
	/* All dispatches that reach it before the user continues are one event. */
	if (c->caught && c->continues != d->continues)
		return false;
	if (!c->caught)
		b->info.hits++;
	c->caught = true;
	c->continues = d->continues;
	return true;
}

void bw_catch_sweep(struct bw_debug *d)
{
	bw_vec_each(&d->breaks->all, it) {
		struct bw_break *b = *it;
		if (!b->filter)
			continue;
		for (size_t i = b->catches.len; i-- > 0;) {
			const struct bw_dispatch_record *x =
				bw_debug_dispatch_priv(d, b->catches.data[i].dispatch);
			bool is_over = !x || x->info.state == BW_DISPATCH_DONE ||
				       x->info.state == BW_DISPATCH_FAILED;
			if (is_over || b->catches.data[i].caught)
				bw_vec_remove(&b->catches, i);
		}
		for (size_t i = b->places.len; i-- > 0;) {
			const struct bw_place_va p = b->places.data[i];
			bool needed = false;
			bw_vec_each(&b->catches, c)
				needed |= c->va == p.va && c->space == p.space;
			if (needed)
				continue;
			BW_IN_SPACE(d, p.space);
			if (b->info.enabled)
				bw_debug_patch_unref(d, p.va);
			bw_vec_remove(&b->places, i);
		}
		b->info.pending = b->places.len == 0;
	}
}

static bool runs_earlier(struct bw_debug *d, uint32_t submission, const struct bw_catch *c)
{
	bw_vec_each(&d->dispatches->all, x)
		if (x->info.submission < submission && x->info.state == BW_DISPATCH_RUNNING &&
		    x->info.desc.code_va == c->va && x->info.space == c->space)
			return true;
	return false;
}

bool bw_catch_is_ambiguous(struct bw_debug *d, uint32_t submission)
{
	bw_vec_each(&d->breaks->all, b) {
		if (!(*b)->info.enabled)
			continue;
		bw_vec_each(&(*b)->catches, c) {
			const struct bw_dispatch_record *x = bw_debug_dispatch_priv(d, c->dispatch);
			if (x && x->info.submission == submission && runs_earlier(d, submission, c))
				return true;
		}
	}
	return false;
}
