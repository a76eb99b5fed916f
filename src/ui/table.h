/* SPDX-License-Identifier: MIT */
#ifndef BW_UI_TABLE_H
#define BW_UI_TABLE_H

/* Tables of facts, shown as aligned text or as a JSON array of objects. A fact is a row: its column
 * in text, its member in JSON, its place in the schema (tools/gen-schema.py makes that of the
 * rows), and how it is got from an element, such as a wave. Out of memory shows as missing cells,
 * never as a crash. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error.h"
#include "base/str.h"

struct bw_table;

/* Writes the cell of an element by one of the functions below; nothing where it is not known. */
typedef void bw_fact_get_fn(struct bw_table *t, const void *of);

enum bw_fact_field {
	BW_FIELD_NUMBER,
	BW_FIELD_SIGNED,
	BW_FIELD_BOOL,
	BW_FIELD_TEXT,	/* a char * */
	BW_FIELD_CHARS, /* an array of char */
	BW_FIELD_STR,	/* a struct bw_str */
};

struct bw_fact {
	const char *title; /* NULL: for JSON only. With blanks in front, its cells are indented */
	const char *key;   /* NULL: for text only */
	/* "text", "bool", "integer", or a definition in doc/json.schema.in, such as "number" or
	 * "hex"; "a|b" is one of these words. Then "[]" for an array of it, "?" where it may be
	 * missing, as a field is that is 0 or empty. */
	const char *type;
	const char *says;    /* beyond its key; NULL: nothing */
	bw_fact_get_fn *get; /* NULL: the field of the element */
	enum bw_fact_field field;
	unsigned digits;	  /* of a number in hex, at least */
	size_t offset, size_b;	  /* of the field */
	size_t has, has_b;	  /* of a field that is 0 where the fact is not known */
	const char *yes, *no;	  /* a bool as text; NULL: empty */
	const char *const *names; /* of a field's values, which are all that it can be */
	size_t n_names;
	enum { BW_ALIGN_BY_TYPE, BW_ALIGN_LEFT, BW_ALIGN_RIGHT } align; /* numbers: right */
};

/* How to get it: the field of a struct, or a function. */
#define BW_OF(type, member)                                                                        \
	.field = BW_FACT_FIELD(((type *)0)->member), .offset = offsetof(type, member),             \
	.size_b = sizeof(((type *)0)->member)
#define BW_GET(function) .get = (function)
/* A member (bool, number, pointer) that is 0 where the fact is not known. */
#define BW_IF(type, member) .has = offsetof(type, member), .has_b = sizeof(((type *)0)->member)
#define BW_NAMES(array) .names = (array), .n_names = sizeof(array) / sizeof((array)[0])
#define BW_FACT_FIELD(member)                                                                      \
	_Generic(&(member),                                                                        \
		bool *: BW_FIELD_BOOL,                                                             \
		uint8_t *: BW_FIELD_NUMBER,                                                        \
		uint32_t *: BW_FIELD_NUMBER,                                                       \
		int32_t *: BW_FIELD_SIGNED,                                                        \
		uint64_t *: BW_FIELD_NUMBER,                                                       \
		const char **: BW_FIELD_TEXT,                                                      \
		char **: BW_FIELD_TEXT,                                                            \
		struct bw_str *: BW_FIELD_STR,                                                     \
		char(*)[sizeof(member)]: BW_FIELD_CHARS)

struct bw_fact_table {
	const char *name; /* which answer tells them, for doc/json.schema.in: "info waves" */
	const char *key;  /* of the array in JSON */
	const struct bw_fact *rows;
	size_t n;
};
/* A table of the program, which the schema has. */
#define BW_FACTS(id, its_name, its_key, its_rows)                                                  \
	static const struct bw_fact_table id = {its_name, its_key, its_rows,                       \
						sizeof(its_rows) / sizeof((its_rows)[0])};         \
	static const struct bw_fact_table *const id##_listed                                       \
		__attribute__((used, section("bw_facts"))) = &id
/* The linker's list of the tables in the program or the library that the including file is in. */
extern const struct bw_fact_table *const __start_bw_facts[]
	__attribute__((weak, visibility("hidden")));
extern const struct bw_fact_table *const __stop_bw_facts[]
	__attribute__((weak, visibility("hidden")));
/* Prints all of them for tools/gen-schema.py, as bw_print_row does: "facts NAME", then
 * "fact KEY TYPE SAYS" each. Those of the library, and from begin to end those of its caller, the
 * program. */
void bw_facts_print(const struct bw_fact_table *const *begin,
		    const struct bw_fact_table *const *end);

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
	const struct bw_fact *columns;
	size_t n_columns;
	uint64_t hidden; /* columns, by bit */
	struct bw_cell *cells;
	size_t n_cells, cap;
	struct bw_table_note *notes; /* in the order of their rows */
	size_t n_notes;
};

/* facts: borrowed. */
void bw_table_begin(struct bw_table *t, const struct bw_fact_table *facts);
void bw_table_fini(struct bw_table *t);
/* Leaves the column out, in JSON as well: before the first row. */
void bw_table_hide(struct bw_table *t, const char *key);
/* A row: the facts of an element. */
void bw_table_row(struct bw_table *t, const void *of);
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
/* Text that is not what JSON has; takes json. */
void bw_table_both(struct bw_table *t, json_t *json, const char *fmt, ...) BW_PRINTF(3, 4);
/* A line of its own below the last row, in text alone. */
void bw_table_note(struct bw_table *t, const char *fmt, ...) BW_PRINTF(2, 3);

/* Title line and rows, two blanks between columns, no trailing blanks. */
void bw_table_render(const struct bw_table *t, struct bw_str *out);
/* A new reference. Cells without a value are left out of their row. */
json_t *bw_table_json(const struct bw_table *t);

/* A JSON string of any bytes: what is not UTF-8 becomes U+FFFD. A new reference. */
json_t *bw_json_text(const char *text);

#endif
