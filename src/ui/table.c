/* SPDX-License-Identifier: MIT */
#include "ui/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bw_table_init(struct bw_table *t, const char *key, const struct bw_column *columns,
		   size_t n_columns)
{
	*t = (struct bw_table){.key = key, .columns = columns, .n_columns = n_columns};
}

void bw_table_fini(struct bw_table *t)
{
	for (size_t i = 0; i < t->n_cells; i++) {
		free(t->cells[i].text);
		json_decref(t->cells[i].json);
	}
	for (size_t i = 0; i < t->n_notes; i++)
		free(t->notes[i].text);
	free(t->notes);
	free(t->cells);
	*t = (struct bw_table){0};
}

size_t bw_table_rows(const struct bw_table *t)
{
	return t->n_cells / t->n_columns;
}

/* Takes both. */
static void add_cell(struct bw_table *t, char *text, json_t *json)
{
	if (t->n_cells == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 64;
		struct bw_cell *cells = reallocarray(t->cells, cap, sizeof(*cells));
		if (!cells) {
			free(text);
			json_decref(json);
			return;
		}
		t->cells = cells;
		t->cap = cap;
	}
	t->cells[t->n_cells++] = (struct bw_cell){text, json};
}

void bw_table_text(struct bw_table *t, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	char *text = NULL;
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	/* A row stays a row, whatever a program calls its things. */
	struct bw_str shown = {0};
	bw_str_add_printable(&shown, text ? text : "", "");
	add_cell(t, bw_str_take(&shown), text ? bw_json_text(text) : NULL);
	free(text);
}

void bw_table_int(struct bw_table *t, int64_t value)
{
	char *text = NULL;
	if (asprintf(&text, "%lld", (long long)value) < 0)
		text = NULL;
	add_cell(t, text, json_integer(value));
}

void bw_table_hex(struct bw_table *t, uint64_t value, int digits)
{
	char *text = NULL;
	if (asprintf(&text, "0x%0*llx", digits, (unsigned long long)value) < 0)
		text = NULL;
	add_cell(t, text, text ? json_string(text) : NULL);
}

void bw_table_bool(struct bw_table *t, bool value, const char *yes, const char *no)
{
	add_cell(t, strdup(value ? yes : no), json_boolean(value));
}

void bw_table_empty(struct bw_table *t)
{
	add_cell(t, NULL, json_null());
}

void bw_table_json_cell(struct bw_table *t, json_t *value)
{
	add_cell(t, NULL, value);
}

void bw_table_note(struct bw_table *t, const char *fmt, ...)
{
	va_list args;
	struct bw_table_note *grown = reallocarray(t->notes, t->n_notes + 1, sizeof(*grown));
	if (!grown)
		return;
	t->notes = grown;
	va_start(args, fmt);
	char *text = NULL;
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	grown[t->n_notes++] = (struct bw_table_note){.row = bw_table_rows(t), .text = text};
}

/* Columns on a terminal, counting UTF-8 sequences as one. */
static size_t text_width(const char *text)
{
	size_t n = 0;
	for (; text && *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void add_aligned(struct bw_str *line, const char *text, size_t width, bool right,
			size_t *pending)
{
	size_t len = text_width(text);
	size_t before = right ? width - len : 0;
	/* Blanks are owed, not written, so that no line ends in them. */
	*pending += before;
	if (len) {
		bw_str_addf(line, "%*s", (int)*pending, "");
		bw_str_add(line, text);
		*pending = 0;
	}
	*pending += width - len - before + 2;
}

void bw_table_render(const struct bw_table *t, struct bw_str *out)
{
	size_t rows = bw_table_rows(t);
	size_t *width = calloc(t->n_columns, sizeof(*width));
	if (!width) {
		out->failed = true;
		return;
	}
	for (size_t c = 0; c < t->n_columns; c++) {
		width[c] = text_width(t->columns[c].title);
		for (size_t r = 0; r < rows; r++) {
			size_t len = text_width(t->cells[r * t->n_columns + c].text);
			width[c] = len > width[c] ? len : width[c];
		}
	}
	size_t note = 0;
	for (size_t r = 0; r <= rows; r++) {
		size_t pending = 0;
		for (size_t c = 0; c < t->n_columns; c++) {
			if (!t->columns[c].title)
				continue;
			const char *text = r == 0 ? t->columns[c].title
						  : t->cells[(r - 1) * t->n_columns + c].text;
			add_aligned(out, text, width[c], t->columns[c].right, &pending);
		}
		bw_str_add(out, "\n");
		for (; note < t->n_notes && t->notes[note].row <= r; note++)
			if (t->notes[note].text)
				bw_str_addf(out, "%s\n", t->notes[note].text);
	}
	free(width);
}

json_t *bw_json_text(const char *text)
{
	json_t *json = json_string(text);
	if (json)
		return json;
	struct bw_str s = {0};
	while (*text) {
		size_t n = bw_utf8_length(text);
		if (n)
			bw_str_addn(&s, text, n);
		else
			bw_str_add(&s, "\xef\xbf\xbd");
		text += n ? n : 1;
	}
	json = json_string(bw_str_text(&s));
	bw_str_free(&s);
	return json;
}

json_t *bw_table_json(const struct bw_table *t)
{
	json_t *array = json_array();
	for (size_t r = 0; r < bw_table_rows(t); r++) {
		json_t *row = json_object();
		for (size_t c = 0; c < t->n_columns; c++) {
			json_t *cell = t->cells[r * t->n_columns + c].json;
			if (t->columns[c].key && cell && !json_is_null(cell))
				json_object_set(row, t->columns[c].key, cell);
		}
		json_array_append_new(array, row);
	}
	return array;
}
