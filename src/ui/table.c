/* SPDX-License-Identifier: MIT */
#include "ui/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/options.h"
#include "base/util.h"

static void print_tables(const struct bw_fact_table *const *begin,
			 const struct bw_fact_table *const *end)
{
	for (const struct bw_fact_table *const *f = begin; f < end; f++) {
		bw_print_row("facts", &(*f)->name, 1);
		for (size_t i = 0; i < (*f)->n; i++) {
			const struct bw_fact *row = &(*f)->rows[i];
			struct bw_str type = {0};
			for (size_t k = 0; k < row->n_names; k++)
				if (row->names[k])
					bw_str_addf(&type, "%s%s", type.len ? "|" : "",
						    row->names[k]);
			bw_str_add(&type, row->type ? row->type : "");
			const char *const fields[] = {row->key, bw_str_text(&type), row->says};
			if (row->key)
				bw_print_row("fact", fields, BW_ARRAY_SIZE(fields));
			bw_str_free(&type);
		}
	}
}

void bw_facts_print(const struct bw_fact_table *const *begin,
		    const struct bw_fact_table *const *end)
{
	print_tables(__start_bw_facts, __stop_bw_facts);
	if (begin != __start_bw_facts)
		print_tables(begin, end);
}

void bw_table_begin(struct bw_table *t, const struct bw_fact_table *facts)
{
	*t = (struct bw_table){.key = facts->key, .columns = facts->rows, .n_columns = facts->n};
}

void bw_table_hide(struct bw_table *t, const char *key)
{
	for (size_t c = 0; c < t->n_columns; c++)
		if (t->columns[c].key && !strcmp(t->columns[c].key, key))
			t->hidden |= 1ull << c;
}

void bw_table_fini(struct bw_table *t)
{
	bw_vec_each(&t->cells, cell) {
		free(cell->text);
		json_decref(cell->json);
	}
	bw_vec_each(&t->notes, note)
		free(note->text);
	bw_vec_free(&t->notes);
	bw_vec_free(&t->cells);
	*t = (struct bw_table){0};
}

size_t bw_table_rows(const struct bw_table *t)
{
	return t->cells.len / t->n_columns;
}

/* As far as the column's title is indented; takes text. */
static char *indented(const struct bw_table *t, char *text)
{
	const char *title = t->columns[t->cells.len % t->n_columns].title;
	size_t blanks = title ? strspn(title, " ") : 0;
	char *out = NULL;
	if (!blanks || !text)
		return text;
	if (asprintf(&out, "%*s%s", (int)blanks, "", text) < 0)
		out = NULL;
	free(text);
	return out;
}

/* Takes both. */
static void add_cell(struct bw_table *t, char *text, json_t *json)
{
	struct bw_cell cell = {indented(t, text), json};
	struct bw_error *err = bw_vec_push(&t->cells, cell);
	if (err) {
		free(cell.text);
		json_decref(json);
	}
	bw_error_free(err);
}

/* A row stays a row, whatever a program calls its things. */
static char *printable(const char *text)
{
	struct bw_str shown = {0};
	bw_str_add_printable(&shown, text ? text : "", "");
	return bw_str_take(&shown);
}

/* NULL when out of memory. */
static char *formatted(const char *fmt, va_list args)
{
	char *text = NULL;
	return vasprintf(&text, fmt, args) < 0 ? NULL : text;
}

void bw_table_text(struct bw_table *t, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	_cleanup_free_ char *text = formatted(fmt, args);
	va_end(args);
	add_cell(t, printable(text), text ? bw_json_text(text) : NULL);
}

void bw_table_both(struct bw_table *t, json_t *json, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	_cleanup_free_ char *text = formatted(fmt, args);
	va_end(args);
	add_cell(t, printable(text), json);
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

static const char *text_at(const struct bw_fact *f, const void *at)
{
	const char *text = f->field == BW_FIELD_TEXT  ? *(const char *const *)at
			   : f->field == BW_FIELD_STR ? bw_str_text(at)
						      : at;
	return text ? text : "";
}

static void add_field(struct bw_table *t, const struct bw_fact *f, const void *at)
{
	uint64_t number = 0;
	const char *text = f->field >= BW_FIELD_TEXT ? text_at(f, at) : NULL;
	bool optional = f->type && strchr(f->type, '?');
	if (!text) /* the lowest byte comes first */
		memcpy(&number, at, f->size_b);
	if (optional && !f->has_b && (text ? !*text : !number))
		return;
	if (f->names)
		text = number < f->n_names ? f->names[number] : "?";
	if (text)
		bw_table_text(t, "%s", text);
	else if (f->field == BW_FIELD_BOOL)
		bw_table_bool(t, number, f->yes ? f->yes : "", f->no ? f->no : "");
	else if (f->type && bw_starts_with(f->type, "hex"))
		bw_table_hex(t, number, f->digits);
	else
		bw_table_int(t, f->field == BW_FIELD_SIGNED ? (int32_t)number : (int64_t)number);
}

static bool is_known(const struct bw_fact *f, const void *of)
{
	static const char zeros[8];
	return !f->has_b || memcmp((const char *)of + f->has, zeros, f->has_b) != 0;
}

void bw_table_row(struct bw_table *t, const void *of)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct bw_fact *f = &t->columns[c];
		size_t end = t->cells.len + 1;
		if (t->hidden >> c & 1 || !is_known(f, of))
			;
		else if (f->get)
			f->get(t, of);
		else
			add_field(t, f, (const char *)of + f->offset);
		assert(t->cells.len <= end);
		if (t->cells.len < end)
			bw_table_empty(t);
	}
}

void bw_table_note(struct bw_table *t, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	struct bw_table_note note = {bw_table_rows(t), formatted(fmt, args)};
	va_end(args);
	struct bw_error *err = bw_vec_push(&t->notes, note);
	if (err)
		free(note.text);
	bw_error_free(err);
}

/* Columns on a terminal, counting UTF-8 sequences as one. */
static size_t text_width(const char *text)
{
	size_t n = 0;
	for (; text && *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static bool is_right(const struct bw_fact *f)
{
	static const char *const numbers[] = {"number", "count", "integer"};
	if (f->align)
		return f->align == BW_ALIGN_RIGHT;
	for (size_t i = 0; f->type && i < BW_ARRAY_SIZE(numbers); i++)
		if (bw_starts_with(f->type, numbers[i]))
			return true;
	return false;
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
			size_t len = text_width(t->cells.data[r * t->n_columns + c].text);
			width[c] = len > width[c] ? len : width[c];
		}
	}
	size_t note = 0;
	for (size_t r = 0; r <= rows; r++) {
		size_t pending = 0;
		for (size_t c = 0; c < t->n_columns; c++) {
			if (!t->columns[c].title || t->hidden >> c & 1)
				continue;
			const char *text = r == 0 ? t->columns[c].title
						  : t->cells.data[(r - 1) * t->n_columns + c].text;
			add_aligned(out, text, width[c], is_right(&t->columns[c]), &pending);
		}
		bw_str_add(out, "\n");
		for (; note < t->notes.len && t->notes.data[note].row <= r; note++)
			if (t->notes.data[note].text)
				bw_str_addf(out, "%s\n", t->notes.data[note].text);
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
			json_t *cell = t->cells.data[r * t->n_columns + c].json;
			if (t->columns[c].key && cell && !json_is_null(cell))
				json_object_set(row, t->columns[c].key, cell);
		}
		json_array_append_new(array, row);
	}
	return array;
}
