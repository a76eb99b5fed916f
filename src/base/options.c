/* SPDX-License-Identifier: MIT */
#include "base/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"

/* ---- Finding and taking ---- */

enum { NAMES_MAX = 256, WIDTH = 110, COLUMN_MAX = 28 };

/* The next of the names between blanks and commas, and its length; NULL: there is none. */
static const char *next_name(const char **io_names, size_t *out_n)
{
	const char *at = *io_names ? *io_names + strspn(*io_names, " ,") : "";
	*out_n = strcspn(at, " ,");
	*io_names = at + *out_n;
	return *out_n ? at : NULL;
}

static bool is_optional(const struct bw_option *row)
{
	return row->value && bw_starts_with(row->value, "[=");
}

/* Whether the word is that option; out_value: what follows in the word itself, or NULL. */
static bool is_name(const struct bw_option *row, const char *name, size_t n, const char *word,
		    const char **out_value)
{
	if (strncmp(word, name, n) != 0)
		return false;
	*out_value = !word[n] ? NULL : word + n + (word[n] == '=' && !row->is_joined);
	return !word[n] || (row->value && (word[n] == '=' || row->is_joined));
}

static bool is_option(const struct bw_option *row, const char *word, const char **out_value)
{
	const char *lists[] = {row->names, row->also};
	size_t n;
	for (size_t i = 0; i < BW_ARRAY_SIZE(lists); i++)
		for (const char *name; (name = next_name(&lists[i], &n));)
			if (is_name(row, name, n, word, out_value))
				return true;
	return false;
}

static struct bw_error *take_number(const struct bw_option *row, const char *option,
				    const char *value, uint64_t *out)
{
	char range[64] = "a number";
	uint64_t v;
	if (bw_parse_u64(value, &v) && v >= row->min && v <= row->max) {
		*out = v;
		return NULL;
	}
	if (row->max < UINT32_MAX)
		snprintf(range, sizeof(range), "a number from %" PRIu64 " to %" PRIu64, row->min,
			 row->max);
	else if (row->min)
		snprintf(range, sizeof(range), "a number from %" PRIu64 " on", row->min);
	return bw_errorf(BW_E_INVALID, "%s wants %s, not \"%s\"", option,
			 row->wants ? row->wants : range, value);
}

static struct bw_error *set_field(const struct bw_option *row, void *options, const char *option,
				  const char *value)
{
	char *at = (char *)options + row->offset;
	uint64_t v;
	if (row->has)
		*(bool *)((char *)options + row->has) = true;
	switch (row->kind) {
	case BW_OPTION_FLAG:
		*(bool *)at = true;
		return NULL;
	case BW_OPTION_TEXT:
		*(const char **)at = value;
		return NULL;
	case BW_OPTION_U32:
		BW_TRY(take_number(row, option, value, &v));
		*(uint32_t *)at = (uint32_t)v;
		return NULL;
	case BW_OPTION_U64:
		return take_number(row, option, value, (uint64_t *)at);
	case BW_OPTION_CALL:
		return row->take(options, option, value);
	case BW_OPTION_SHOWN:
		break;
	}
	return NULL;
}

static const struct bw_option *find_row(const struct bw_command_line *l, const char *word,
					const struct bw_option_group **out_group,
					const char **out_value)
{
	for (const struct bw_option_group *g = l->groups;
	     g < l->groups + BW_OPTION_GROUPS && g->rows; g++)
		for (const struct bw_option *row = g->rows; row->names; row++)
			if (row->kind != BW_OPTION_SHOWN && is_option(row, word, out_value)) {
				*out_group = g;
				return row;
			}
	return NULL;
}

struct bw_error *bw_command_line_take(const struct bw_command_line *l, void *options, int argc,
				      char *const *argv, int *io_index, bool *out_taken)
{
	const char *word = argv[*io_index], *value = NULL;
	const struct bw_option_group *g = NULL;
	const struct bw_option *row = word[0] == '-' ? find_row(l, word, &g, &value) : NULL;
	int used = 1;
	*out_taken = row;
	if (!row)
		return NULL;
	char option[64];
	snprintf(option, sizeof(option), "%.*s", value ? (int)(value - word) : 63, word);
	if (value && value[-1] == '=' && !row->is_joined)
		option[BW_MIN((size_t)(value - word), sizeof(option)) - 1] = '\0';
	if (row->value && !is_optional(row) && !value) {
		if (*io_index + 1 >= argc)
			return bw_errorf(BW_E_INVALID, "%s needs a value", option);
		value = argv[*io_index + 1];
		used = 2;
	}
	void *own = (char *)options + g->offset;
	BW_TRY(set_field(row, own, option, value));
	if (g->taken)
		BW_TRY(g->taken(own, argv + *io_index, (size_t)used));
	*io_index += used;
	return NULL;
}

struct bw_error *bw_command_line_unknown(const struct bw_command_line *l, const char *word)
{
	char words[NAMES_MAX][32];
	const char *names[NAMES_MAX];
	size_t n = 0, near, len;
	for (const struct bw_option_group *g = l->groups;
	     g < l->groups + BW_OPTION_GROUPS && g->rows; g++)
		for (const struct bw_option *row = g->rows; row->names; row++)
			for (const char *at = row->is_hidden ? NULL : row->names, *name;
			     n < NAMES_MAX && (name = next_name(&at, &len)); n++) {
				snprintf(words[n], sizeof(words[n]), "%.*s", (int)len, name);
				names[n] = words[n];
			}
	char name[64]; /* "--chek=races": without the value */
	snprintf(name, sizeof(name), "%.*s", (int)BW_MIN(strcspn(word, "="), sizeof(name) - 1),
		 word);
	bool is_near = bw_starts_with(name, "--") && bw_nearest(name, names, n, &near, 1);
	return bw_errorf(BW_E_INVALID, "\"%s\" has no option %s%s%s%s (see --help)", l->name, word,
			 is_near ? "; did you mean " : "", is_near ? names[near] : "",
			 is_near ? "?" : "");
}

static bool is_number(const char *word)
{
	int64_t number;
	double real;
	return bw_parse_i64(word, &number) || bw_parse_f64(word, &real);
}

struct bw_error *bw_command_line_parse(const struct bw_command_line *l, void *options, int argc,
				       char *const *argv, int *out_rest)
{
	int i = 1;
	while (i < argc) {
		const char *word = argv[i];
		bool is_word = word[0] != '-' || !word[1], taken = false;
		if (!strcmp(word, "--")) {
			i++;
			break;
		}
		if (is_word && !l->word)
			break;
		if (!is_word)
			BW_TRY(bw_command_line_take(l, options, argc, argv, &i, &taken));
		if (taken)
			continue;
		if (!is_word && !(l->has_numbers && is_number(word)))
			return bw_command_line_unknown(l, word);
		BW_TRY(l->word(options, word));
		i++;
	}
	if (!out_rest && i < argc)
		return bw_errorf(BW_E_INVALID, "\"%s\" takes no \"%s\" (see --help)", l->name,
				 argv[i]);
	if (out_rest)
		*out_rest = i;
	return NULL;
}

/* ---- Showing ---- */

/* "-o, --output FILE" */
static void add_left(const struct bw_option *row, struct bw_str *out)
{
	bw_str_addf(out, "  %s%s%s", row->names, row->value && !is_optional(row) ? " " : "",
		    row->value ? row->value : "");
}

static size_t left_width(const struct bw_option *row)
{
	struct bw_str s = {0};
	add_left(row, &s);
	size_t n = s.len;
	bw_str_free(&s);
	return n;
}

/* Where the texts begin: after the longest option, of those that are not too long for that. */
static size_t column_of(const struct bw_command_line *l)
{
	size_t column = 0;
	for (const struct bw_option_group *g = l->groups;
	     g < l->groups + BW_OPTION_GROUPS && g->rows; g++)
		for (const struct bw_option *row = g->rows; row->names; row++) {
			size_t n = left_width(row) + 2;
			if (n > column && n <= COLUMN_MAX && !row->is_hidden)
				column = n;
		}
	return column;
}

/* An option that is too long has its text on the next line. */
static void add_row(const struct bw_option *row, size_t column, struct bw_str *out)
{
	size_t start = out->len, width = 0;
	add_left(row, out);
	for (const char *at = row->help; at && *at;) {
		size_t n = strcspn(at, " ");
		bool is_full = width ? width + 1 + n > WIDTH : out->len - start + 2 > column;
		if (is_full)
			bw_str_add(out, "\n");
		if (is_full || !width) {
			bw_str_pad(out, (is_full ? out->len : start) + column);
			width = column;
		} else {
			bw_str_add(out, " ");
			width++;
		}
		bw_str_addn(out, at, n);
		width += n;
		at += n + (at[n] == ' ');
	}
	bw_str_add(out, "\n");
}

void bw_command_line_help(const struct bw_command_line *l, struct bw_str *out)
{
	size_t column = column_of(l);
	bw_str_add(out, l->usage ? l->usage : "");
	for (const struct bw_option_group *g = l->groups;
	     g < l->groups + BW_OPTION_GROUPS && g->rows; g++) {
		if (g->title)
			bw_str_addf(out, "%s%s\n", out->len ? "\n" : "", g->title);
		for (const struct bw_option *row = g->rows; row->names; row++)
			if (!row->is_hidden)
				add_row(row, column, out);
	}
	if (l->after)
		bw_str_addf(out, "\n%s", l->after);
}

void bw_command_line_print_help(const struct bw_command_line *l)
{
	struct bw_str text = {0};
	bw_command_line_help(l, &text);
	fputs(bw_str_text(&text), stdout);
	bw_str_free(&text);
}

void bw_print_row(const char *kind, const char *const *fields, size_t n)
{
	fputs(kind, stdout);
	for (size_t i = 0; i < n; i++) {
		putchar('\t');
		for (const char *p = fields[i] ? fields[i] : ""; *p; p++) {
			if (*p == '\n' || *p == '\\')
				putchar('\\');
			putchar(*p == '\n' ? 'n' : *p);
		}
	}
	putchar('\n');
}

void bw_command_line_rows(const struct bw_command_line *l)
{
	const char *const line[] = {l->name, l->usage, l->after};
	bw_print_row("line", line, BW_ARRAY_SIZE(line));
	for (const struct bw_option_group *g = l->groups;
	     g < l->groups + BW_OPTION_GROUPS && g->rows; g++)
		for (const struct bw_option *row = g->rows; row->names; row++) {
			if (row->is_hidden)
				continue;
			const char *const fields[] = {row->names, row->value,
						      row == g->rows ? g->title : NULL, row->help,
						      row->also};
			bw_print_row("option", fields, BW_ARRAY_SIZE(fields));
		}
	if (l->next)
		bw_command_line_rows(l->next);
}
