/* SPDX-License-Identifier: MIT */
#ifndef BW_UI_TABLE_H
#define BW_UI_TABLE_H

/* Tables of facts, shown as aligned text or as a JSON array of objects. A fact is a row: its column
 * in text, its member in JSON, its place in the schema (tools/gen-schema.py makes that of the
 * rows), and the function or field that gets it from an element, such as a wave. When memory runs
 * out, cells are missing. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

struct bw_table;

/* Writes the cell of an element by one of the functions below; writes nothing if the fact is not
 * known. */
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
	/* NULL: for JSON only. If it begins with blanks, its cells are indented */
	const char *title;
	const char *key; /* NULL: for text only */
	/* "text", "bool", "integer", or a definition in doc/json.schema.in, such as "number" or
	 * "hex"; "a|b" is one of these words. Then "[]" for an array of it, "?" if it may be
	 * missing, as a field that is 0 or empty is. */
	const char *type;
	const char *says;    /* a description for the schema; NULL: the key says enough */
	bw_fact_get_fn *get; /* NULL: the field of the element */
	enum bw_fact_field field;
	unsigned digits;       /* hex numbers: least number of digits */
	size_t offset, size_b; /* place of the field */
	/* place of a member that is 0 if the fact is not known; has_b 0: there is none */
	size_t has, has_b;
	const char *yes, *no;	  /* bool: the text for true and false; NULL: empty */
	const char *const *names; /* names of all values that the field can have */
	size_t n_names;
	/* BY_TYPE: numbers are right-aligned */
	enum { BW_ALIGN_BY_TYPE, BW_ALIGN_LEFT, BW_ALIGN_RIGHT } align;
};

/* How to get a fact: from the field of a struct, or by a function. */
#define BW_OF(type, member)                                                                        \
	.field = BW_FACT_FIELD(((type *)0)->member), .offset = offsetof(type, member),             \
	.size_b = sizeof(((type *)0)->member)
#define BW_GET(function) .get = (function)
/* A member (bool, number, pointer) that is 0 if the fact is not known. */
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
	/* the answer in which the facts are, for doc/json.schema.in: "info waves" */
	const char *name;
	const char *key; /* key of the array in JSON */
	const struct bw_fact *rows;
	size_t n;
};
/* Defines a table of the program, which the schema includes. */
#define BW_FACTS(id, its_name, its_key, its_rows)                                                  \
	static const struct bw_fact_table id = {its_name, its_key, its_rows,                       \
						sizeof(its_rows) / sizeof((its_rows)[0])};         \
	static const struct bw_fact_table *const id##_listed                                       \
		__attribute__((used, section("bw_facts"))) = &id
/* The linker's list of the tables in the program or library that includes this file. */
extern const struct bw_fact_table *const __start_bw_facts[]
	__attribute__((weak, visibility("hidden")));
extern const struct bw_fact_table *const __stop_bw_facts[]
	__attribute__((weak, visibility("hidden")));
/* Prints all of them for tools/gen-schema.py, as bw_print_row does: "facts NAME", then "fact KEY
 * TYPE SAYS" each. First the tables of the library, then, from begin to end, those of its caller,
 * the program. */
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
	const char *key; /* key of the array in JSON */
	const struct bw_fact *columns;
	size_t n_columns;
	uint64_t hidden; /* hidden columns, a bit for each */
	struct BW_VEC(struct bw_cell) cells;
	struct BW_VEC(struct bw_table_note) notes; /* in the order of their rows */
};

/* facts: borrowed. */
void bw_table_begin(struct bw_table *t, const struct bw_fact_table *facts);
void bw_table_fini(struct bw_table *t);
/* Hides a column, also in JSON. Called before the first row. */
void bw_table_hide(struct bw_table *t, const char *key);
/* Adds a row with the facts of an element. */
void bw_table_row(struct bw_table *t, const void *of);
size_t bw_table_rows(const struct bw_table *t);

/* Adds the next cell; rows follow from the number of columns. */
void bw_table_text(struct bw_table *t, const char *fmt, ...) BW_PRINTF(2, 3);
void bw_table_int(struct bw_table *t, int64_t value);
/* 0x, at least `digits` digits */
void bw_table_hex(struct bw_table *t, uint64_t value, int digits);
void bw_table_bool(struct bw_table *t, bool value, const char *yes, const char *no);
void bw_table_empty(struct bw_table *t); /* nothing, null */
/* for a column without a title; frees value */
void bw_table_json_cell(struct bw_table *t, json_t *value);
/* Adds a cell whose text differs from its JSON; frees json. */
void bw_table_both(struct bw_table *t, json_t *json, const char *fmt, ...) BW_PRINTF(3, 4);
/* Adds a line of its own below the last row, in text only. */
void bw_table_note(struct bw_table *t, const char *fmt, ...) BW_PRINTF(2, 3);

/* Appends titles and rows, with two blanks between columns and no blanks at the end of lines. */
void bw_table_render(const struct bw_table *t, struct bw_str *out);
/* The table as JSON, a new reference. Cells without a value are left out of their row. */
json_t *bw_table_json(const struct bw_table *t);

/* A JSON string of any bytes: bytes that are not UTF-8 become U+FFFD. A new reference. */
json_t *bw_json_text(const char *text);

#endif
