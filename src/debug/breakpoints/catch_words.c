// SPDX-License-Identifier: MIT
/* Parses the words after "break on dispatch". */
#include "debug/breakpoints/catch_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "debug/breaks.h"

void bw_dispatch_filter_free(struct bw_dispatch_filter *f)
{
	if (!f)
		return;
	free(f->name);
	free(f->label);
	free(f);
}

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

const char *bw_debug_dispatch_property(size_t i)
{
	return i < BW_ARRAY_SIZE(words) ? words[i].word : NULL;
}

/* A word, or a "quoted text", that was read from the line. text is owned; NULL at the end. */
struct taken {
	const char *at; /* its position in what the user typed */
	char *text;
	bool quoted;
};

static struct bw_error *take_word(const char **text, struct taken *out)
{
	const char *p = bw_skip_blanks(*text);
	char quote = *p == '"' || *p == '\'' ? *p : 0;
	size_t n = 0;
	*out = (struct taken){.at = p, .quoted = quote != 0};
	if (!*p)
		return NULL;
	if (quote)
		p++;
	while (p[n] && (quote ? p[n] != quote : !isspace((unsigned char)p[n])))
		n++;
	if (quote && !p[n])
		return bw_errorf(BW_E_INVALID, "the closing %c of %s is missing", quote, p - 1);
	*text = p + n + (quote != 0);
	out->text = strndup(p, n);
	return out->text ? NULL : bw_error_nomem();
}

static const struct word *find_word(const struct taken *t)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(words) && !t->quoted; i++)
		if (!strcmp(words[i].word, t->text))
			return &words[i];
	return NULL;
}

/* Parses "16", "16,4" or "[16,4,1]". */
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
			return bw_errorf(BW_E_INVALID, "\"%s\" is not a number for \"%s\"", value,
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

/* The length of the text from here up to the next property, without blanks at its end. */
static int length_to_property(const char *from)
{
	const char *end = from, *p = from;
	for (;;) {
		struct taken t;
		struct bw_error *err = take_word(&p, &t);
		bool ends = err || !t.text || (end != from && find_word(&t));
		bw_error_free(err);
		free(t.text);
		if (ends)
			return (int)(end - from);
		end = p;
	}
}

/* The error for a word that is not a property, in a place where a number or name needs one. Mostly
 * it is the rest of a label or name with blanks. last: the property before it; NULL: a name was
 * given without a property, at `value`. */
static struct bw_error *not_a_property(const struct word *last, const struct taken *t,
				       const char *value)
{
	if (value)
		return bw_errorf(BW_E_INVALID,
				 "\"%s\" is not a property of dispatches; a text with blanks "
				 "needs quotes: %s \"%.*s\"",
				 t->text, last ? last->word : "name", length_to_property(value),
				 value);
	struct bw_str all = {0};
	for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++)
		bw_str_add_next(&all, words[i].word);
	struct bw_error *err = bw_errorf(BW_E_INVALID, "\"%s\" is not a property of dispatches: %s",
					 t->text, bw_str_text(&all));
	bw_str_free(&all);
	return err;
}

static struct bw_error *parse_words(const char *text, struct bw_dispatch_filter *f)
{
	const struct word *last = NULL;
	const char *value_at = NULL; /* position of the last name or label, if it had no quotes */
	uint32_t given = 0;	     /* a bit for each place in the filter */
	bool any = false;
	for (;;) {
		_cleanup_free_ char *word = NULL, *value = NULL;
		struct taken t, v;
		uint64_t number;
		BW_TRY(take_word(&text, &t));
		word = t.text;
		if (!word)
			return NULL;
		if (!*word)
			return bw_errorf(BW_E_INVALID, "an empty name matches no dispatch");
		if (!t.quoted && !strcmp(word, "every") && !any)
			continue;
		const struct word *w = find_word(&t);
		if (!w) {
			/* "break on dispatch 3", "break on dispatch 3 blur*" */
			bool is_number = !t.quoted && bw_parse_u64(word + (*word == '#'), &number);
			if (last || f->name || (is_number && any))
				return not_a_property(last, &t, value_at);
			value_at = is_number || t.quoted ? NULL : t.at;
			given |= is_number; /* words[0] */
			any = true;
			BW_TRY(take_value(f, is_number ? &words[0] : &words[2], word));
			continue;
		}
		BW_TRY(take_word(&text, &v));
		value = v.text;
		if (!value || !*value)
			return bw_errorf(BW_E_INVALID, "\"%s\" needs a value after it", word);
		bool is_text = w->kind == WORD_TEXT;
		bool twice = is_text ? *(char **)((char *)f + w->offset) != NULL
				     : given >> (w - words) & 1;
		if (twice)
			return bw_errorf(BW_E_INVALID,
					 "\"%s %s\": a dispatch is matched by one %s, and one was "
					 "given before",
					 word, value,
					 w->offset == offsetof(struct bw_dispatch_filter, name)
						 ? "name"
						 : word);
		given |= 1u << (w - words);
		last = w;
		any = true;
		value_at = is_text && !v.quoted ? v.at : NULL;
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
