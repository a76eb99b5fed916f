/* SPDX-License-Identifier: MIT */
#include "session/suppress.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/str.h"
#include "base/util.h"

static const char blanks[] = " \t\r";

void bw_suppressions_fini(struct bw_suppressions *s)
{
	bw_vec_each(&s->rows, r) {
		free(r->kind);
		free(r->place);
		free(r->reason);
	}
	bw_vec_free(&s->rows);
}

/* ---- a line ---- */

/* The next word, up to a blank; *at moves after the blanks that follow. */
static char *take_word(const char **at)
{
	size_t n = strcspn(*at, blanks);
	char *word = strndup(*at, n);
	*at += n;
	*at += strspn(*at, blanks);
	return word;
}

static bool is_known(const char *kind, const char *const *known)
{
	for (; *known; known++)
		if (!strcmp(kind, *known))
			return true;
	return !strcmp(kind, "*");
}

static struct bw_error *unknown_kind(const char *kind, unsigned line, const char *const *known)
{
	struct bw_str list = {0};
	for (; *known; known++)
		bw_str_addf(&list, " %s", *known);
	struct bw_error *err =
		bw_errorf(BW_E_INVALID,
			  "line %u: there are no findings of kind \"%.64s\"; there are:%s, or *",
			  line, kind, bw_str_text(&list));
	bw_str_free(&list);
	return err;
}

struct bw_error *bw_suppressions_add(struct bw_suppressions *s, const char *text, size_t n,
				     unsigned line, const char *const *known)
{
	_cleanup_free_ char *copy = NULL, *kind = NULL, *place = NULL, *reason = NULL;
	if (memchr(text, '\0', n))
		return bw_errorf(BW_E_INVALID, "line %u: it is not text", line);
	copy = strndup(text, n);
	if (!copy)
		return bw_error_nomem();
	for (size_t len = strlen(copy); len && strchr(blanks, copy[len - 1]);)
		copy[--len] = '\0';
	const char *at = copy + strspn(copy, blanks);
	if (!*at || *at == '#')
		return NULL;
	kind = take_word(&at);
	place = take_word(&at);
	reason = strdup(at);
	if (!kind || !place || !reason)
		return bw_error_nomem();
	if (!*place || !*reason)
		return bw_errorf(BW_E_INVALID, "line %u: it needs a kind, a place and a reason",
				 line);
	if (!is_known(kind, known))
		return unknown_kind(kind, line, known);
	BW_TRY(bw_vec_push(&s->rows, ((struct bw_suppression){kind, place, reason, line, 0})));
	bw_take(kind);
	bw_take(place);
	bw_take(reason);
	return NULL;
}

/* ---- a file ---- */

struct reading {
	struct bw_suppressions *s;
	const char *const *known;
	struct bw_error *err;
};

static void read_line(void *cookie, const char *text, size_t n, unsigned number)
{
	struct reading *r = cookie;
	if (!r->err)
		r->err = bw_suppressions_add(r->s, text, n, number, r->known);
}

struct bw_error *bw_suppressions_read(struct bw_suppressions *s, const char *path,
				      const char *const *known)
{
	struct reading r = {.s = s, .known = known};
	struct bw_error *err = bw_read_lines(path, read_line, &r);
	if (!err)
		return bw_error_wrap(r.err, "%s", path);
	bw_error_free(r.err);
	return err;
}

/* ---- findings ---- */

static bool matches_place(const char *pattern, const struct bw_suppressed_place *p)
{
	char text[512];
	if (p->function) {
		size_t n = strcspn(p->function, "(");
		snprintf(text, sizeof(text), "%.*s", (int)BW_MIN(n, sizeof(text) - 1), p->function);
		if (!fnmatch(pattern, text, 0))
			return true;
	}
	if (!p->file)
		return false;
	snprintf(text, sizeof(text), "%s:%u", p->file, p->line);
	return !fnmatch(pattern, p->file, 0) || !fnmatch(pattern, text, 0);
}

struct bw_suppression *bw_suppressions_find(struct bw_suppressions *s, const char *kind,
					    const struct bw_suppressed_place *places, size_t n)
{
	bw_vec_each(&s->rows, r) {
		if (strcmp(r->kind, "*") != 0 && strcmp(r->kind, kind) != 0)
			continue;
		for (size_t i = 0; i < n; i++)
			if (matches_place(r->place, &places[i]))
				return r;
	}
	return NULL;
}
