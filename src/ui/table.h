/* SPDX-License-Identifier: MIT */
#ifndef BW_UI_TABLE_H
#define BW_UI_TABLE_H

/* Tables of facts: filled once, shown as aligned text or as a JSON array of objects. Out of memory
 * shows as missing cells, never as a crash. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error.h"
#include "base/str.h"

struct bw_column {
	const char *title; /* NULL: the column is for JSON only */
	const char *key;   /* NULL: the column is for text only */
	bool right;	   /* aligned right */
};

struct bw_cell {
	char *text;
	json_t *json;
};

struct bw_table_note {
	size_t row;
	char *text;
};

struct bw_table {
	const char *key; /* of the array in JSON */
	const struct bw_column *columns;
	size_t n_columns;
	struct bw_cell *cells;
	size_t n_cells, cap;
	struct bw_table_note *notes; /* in the order of their rows */
	size_t n_notes;
};

/* columns: borrowed, usually static. */
void bw_table_init(struct bw_table *t, const char *key, const struct bw_column *columns,
		   size_t n_columns);
void bw_table_fini(struct bw_table *t);
size_t bw_table_rows(const struct bw_table *t);

/* The next cell, row by row. */
void bw_table_text(struct bw_table *t, const char *fmt, ...) BW_PRINTF(2, 3);
void bw_table_int(struct bw_table *t, int64_t value);
/* 0x, at least `digits` digits */
void bw_table_hex(struct bw_table *t, uint64_t value, int digits);
void bw_table_bool(struct bw_table *t, bool value, const char *yes, const char *no);
void bw_table_empty(struct bw_table *t); /* nothing, null */
/* for a column without a title; takes it */
void bw_table_json_cell(struct bw_table *t, json_t *value);
/* A line of its own below the last row, in text alone. */
void bw_table_note(struct bw_table *t, const char *fmt, ...) BW_PRINTF(2, 3);

/* Title line and rows, two blanks between columns, no trailing blanks. */
void bw_table_render(const struct bw_table *t, struct bw_str *out);
/* A new reference. Cells without a value are left out of their row. */
json_t *bw_table_json(const struct bw_table *t);

/* A JSON string of any bytes: what is not UTF-8 becomes U+FFFD. A new reference. */
json_t *bw_json_text(const char *text);

#endif
