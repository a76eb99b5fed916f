// SPDX-License-Identifier: MIT
/* Breakpoints on dispatches: which dispatches match, and the s_trap at the first instruction of
 * their code while one of those runs. Such a breakpoint stops once for each matching dispatch: when
 * its first waves are about to execute their first instruction. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/waves/waves_priv.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "sym/demangle.h"

/* The properties that a dispatch must have. 0 and NULL: any value. */
struct bw_dispatch_filter {
	uint64_t nth; /* the nth of those that match, counted from when the breakpoint was set */
	uint64_t seen;
	uint32_t last; /* number of the last one looked at */
	/* glob: kernel, pipeline, entry point, shader module, or the hash's beginning */
	char *name;
	char *label; /* glob: a level of the label path, or all of it */
	uint32_t queue, frame, submission, number;
	uint32_t groups[3]; /* workgroups; 0: any */
	uint64_t grid[3];   /* work-items; 0: any */
};

void bw_dispatch_filter_free(struct bw_dispatch_filter *f)
{
	if (!f)
		return;
	free(f->name);
	free(f->label);
	free(f);
}

/* ---- Parsing the words after "break on dispatch" ---- */

enum word_kind { WORD_NUMBER, WORD_NUMBER_64, WORD_TEXT, WORD_GROUPS, WORD_GRID };
static const struct word {
	const char *word;
	enum word_kind kind;
	size_t offset;
} words[] = {
	{"nth", WORD_NUMBER_64, offsetof(struct bw_dispatch_filter, nth)},
	{"number", WORD_NUMBER, offsetof(struct bw_dispatch_filter, number)},
	{"name", WORD_TEXT, offsetof(struct bw_dispatch_filter, name)},
	{"pipeline", WORD_TEXT, offsetof(struct bw_dispatch_filter, name)},
	{"shader", WORD_TEXT, offsetof(struct bw_dispatch_filter, name)},
	{"kernel", WORD_TEXT, offsetof(struct bw_dispatch_filter, name)},
	{"object", WORD_TEXT, offsetof(struct bw_dispatch_filter, name)},
	{"hash", WORD_TEXT, offsetof(struct bw_dispatch_filter, name)},
	{"label", WORD_TEXT, offsetof(struct bw_dispatch_filter, label)},
	{"queue", WORD_NUMBER, offsetof(struct bw_dispatch_filter, queue)},
	{"frame", WORD_NUMBER, offsetof(struct bw_dispatch_filter, frame)},
	{"submission", WORD_NUMBER, offsetof(struct bw_dispatch_filter, submission)},
	{"groups", WORD_GROUPS, 0},
	{"grid", WORD_GRID, 0},
};

/* A word, or a "quoted text"; owned, NULL at the end. */
static char *take_word(const char **text)
{
	const char *p = bw_skip_blanks(*text);
	char quote = *p == '"' || *p == '\'' ? *p : 0;
	size_t n = 0;
	if (!*p)
		return NULL;
	if (quote)
		p++;
	while (p[n] && (quote ? p[n] != quote : !isspace((unsigned char)p[n])))
		n++;
	*text = p + n + (quote && p[n] == quote);
	return strndup(p, n);
}

/* "16", "16,4", "[16,4,1]" */
static bool parse_dims(const char *text, uint64_t out[3])
{
	int used = 0;
	unsigned long long v[3] = {0, 1, 1};
	const char *p = text + (*text == '[');
	int n = sscanf(p, "%llu%n,%llu%n,%llu%n", &v[0], &used, &v[1], &used, &v[2], &used);
	if (n < 1 || (p[used] && !(p[used] == ']' && p != text && !p[used + 1])))
		return false;
	for (int i = 0; i < 3; i++)
		out[i] = v[i];
	return v[0] && v[1] && v[2];
}

static struct bw_error *take_value(struct bw_dispatch_filter *f, const struct word *w,
				   const char *value)
{
	uint64_t number, dims[3];
	void *at = (char *)f + w->offset;

	switch (w->kind) {
	case WORD_TEXT:
		free(*(char **)at);
		*(char **)at = strdup(value);
		return *(char **)at ? NULL : bw_error_nomem();
	case WORD_NUMBER:
	case WORD_NUMBER_64:
		if (!bw_parse_u64(value + (*value == '#'), &number) || !number ||
		    (w->kind == WORD_NUMBER && number > UINT32_MAX))
			return bw_errorf(BW_E_INVALID, "\"%s\" is no number for \"%s\"", value,
					 w->word);
		if (w->kind == WORD_NUMBER)
			*(uint32_t *)at = (uint32_t)number;
		else
			*(uint64_t *)at = number;
		return NULL;
	case WORD_GROUPS:
	case WORD_GRID:
		if (!parse_dims(value, dims))
			return bw_errorf(BW_E_INVALID, "\"%s\" takes X[,Y[,Z]], not \"%s\"",
					 w->word, value);
		for (int i = 0; i < 3; i++) {
			if (w->kind == WORD_GRID)
				f->grid[i] = dims[i];
			else
				f->groups[i] = (uint32_t)BW_MIN(dims[i], (uint64_t)UINT32_MAX);
		}
		return NULL;
	}
	return NULL;
}

static struct bw_error *parse_words(const char *text, struct bw_dispatch_filter *f)
{
	for (;;) {
		_cleanup_free_ char *word = take_word(&text);
		const struct word *w = NULL;
		uint64_t number;
		if (!word)
			return NULL;
		if (!*word)
			return bw_errorf(BW_E_INVALID, "an empty name fits no dispatch");
		if (!strcmp(word, "every"))
			continue;
		for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++)
			if (!strcmp(words[i].word, word))
				w = &words[i];
		if (!w) {
			/* "break on dispatch 3", "break on dispatch blur*" */
			bool is_number = bw_parse_u64(word + (*word == '#'), &number);
			BW_TRY(take_value(f, is_number ? &words[0] : &words[2], word));
			continue;
		}
		_cleanup_free_ char *value = take_word(&text);
		if (!value || !*value)
			return bw_errorf(BW_E_INVALID, "\"%s\" needs a value behind it", word);
		BW_TRY(take_value(f, w, value));
	}
}

struct bw_error *bw_dispatch_filter_parse(const char *text, struct bw_dispatch_filter **out)
{
	struct bw_dispatch_filter *f = calloc(1, sizeof(*f));
	if (!f)
		return bw_error_nomem();
	struct bw_error *err = parse_words(text, f);
	if (err) {
		bw_dispatch_filter_free(f);
		return err;
	}
	*out = f;
	return NULL;
}

/* ---- Which dispatches ---- */

static bool glob(const char *pattern, const char *text)
{
	return text && *text && fnmatch(pattern, text, 0) == 0;
}

static bool name_fits(const char *pattern, const struct bw_dispatch_record *x)
{
	enum { MIN_HASH_DIGITS = 4 };
	const struct bw_target_object *p = &x->pipeline;
	char hash[24];
	if (glob(pattern, x->info.kernel_name) || bw_name_is(x->info.kernel_title, pattern) ||
	    glob(pattern, p->name) || glob(pattern, p->entry) || glob(pattern, p->module))
		return true;
	if (!p->hash || strlen(pattern) < MIN_HASH_DIGITS)
		return false;
	snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)p->hash);
	const char *digits = bw_starts_with(pattern, "0x") ? pattern + 2 : pattern;
	/* sha1sum prints more digits than are stored here */
	size_t n = BW_MIN(strlen(digits), strlen(hash));
	return !strncasecmp(hash, digits, n);
}

/* One level as the program gave it, or the whole path as it is shown. */
static bool label_fits(const char *pattern, const struct bw_dispatch_record *x)
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

static bool fits(const struct bw_dispatch_filter *f, const struct bw_dispatch_record *x)
{
	const struct bw_dispatch_info *i = &x->info;
	if ((f->queue && f->queue != i->queue) || (f->frame && f->frame != i->frame) ||
	    (f->submission && f->submission != i->submission) ||
	    (f->number && f->number != i->number))
		return false;
	for (int k = 0; k < 3; k++) {
		if (f->groups[k] && f->groups[k] != i->desc.groups[k])
			return false;
		if (f->grid[k] && f->grid[k] != (uint64_t)i->desc.groups[k] * i->desc.group_size[k])
			return false;
	}
	return (!f->name || name_fits(f->name, x)) && (!f->label || label_fits(f->label, x));
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

/* Takes err; NULL is none. */
static void say_not_stopped(struct bw_debug *d, const struct bw_break *b,
			    const struct bw_dispatch_record *x, struct bw_error *err)
{
	if (err)
		bw_debug_note(d, BW_NOTICE_WARNING,
			      "breakpoint %u: dispatch %u will not be stopped: %s", b->info.number,
			      x->info.number, err->message);
	bw_error_free(err);
}

static void catch_one(struct bw_debug *d, struct bw_break *b, const struct bw_dispatch_record *x)
{
	struct bw_dispatch_filter *f = b->filter;
	if (!f || !b->info.enabled)
		return;
	f->last = x->info.number;
	if (!fits(f, x))
		return;
	f->seen++;
	if (f->nth && f->nth != f->seen)
		return;
	if (b->info.ignore) {
		b->info.ignore--;
		b->info.hits++;
		return;
	}
	struct bw_catch c = {
		.dispatch = x->info.number, .space = x->info.space, .va = x->info.desc.code_va};
	struct bw_error *err = bw_vec_push(&b->catches, c);
	if (!err)
		err = add_place(d, b, c.va);
	say_not_stopped(d, b, x, err);
}

void bw_catch_again(struct bw_debug *d, struct bw_break *b)
{
	bw_vec_each(&d->dispatches, x) {
		const struct bw_catch *c = find_catch(b, x->info.number);
		BW_IN_SPACE(d, x->info.space);
		if (x->info.state != BW_DISPATCH_HELD)
			continue;
		if (c && !c->caught)
			say_not_stopped(d, b, x, add_place(d, b, c->va));
		else if (x->info.number > b->filter->last)
			catch_one(d, b, x);
	}
}

void bw_catch_forget(struct bw_break *b)
{
	b->catches.len = 0;
	if (b->filter)
		b->filter->last = 0;
}

void bw_catch_new_dispatch(struct bw_debug *d, const struct bw_dispatch_record *x)
{
	bw_vec_each(&d->breaks, b)
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
	bw_vec_each(&d->breaks, it) {
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
	bw_vec_each(&d->dispatches, x)
		if (x->info.submission < submission && x->info.state == BW_DISPATCH_RUNNING &&
		    x->info.desc.code_va == c->va && x->info.space == c->space)
			return true;
	return false;
}

bool bw_catch_is_ambiguous(struct bw_debug *d, uint32_t submission)
{
	bw_vec_each(&d->breaks, b) {
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
