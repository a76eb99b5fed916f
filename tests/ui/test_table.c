/* SPDX-License-Identifier: MIT */
#include "ui/out.h"

#include <stdlib.h>
#include <string.h>

#include "../suite.h"

struct thing {
	uint32_t number;
	const char *what;
	bool hidden, has_address;
	uint64_t address;
	int32_t change;
};

static void twice(struct bw_table *t, const void *of)
{
	const struct thing *x = of;
	if (x->has_address)
		bw_table_both(t, json_integer(2 * x->number), "%u times", 2 * x->number);
}

static const char *const words[] = {"shown", "not shown"};

static const struct bw_fact rows[] = {
	{"", NULL, "bool", BW_OF(struct thing, hidden), .yes = "*"},
	{"Num", "number", "number", BW_OF(struct thing, number)},
	{"  What", "what", "text", BW_OF(struct thing, what)},
	{NULL, "hidden", "bool", BW_OF(struct thing, hidden)},
	{NULL, "state", "", BW_OF(struct thing, hidden), BW_NAMES(words)},
	{"Address", "address", "hex?", BW_OF(struct thing, address),
	 BW_IF(struct thing, has_address), .digits = 8},
	{"Change", "change", "integer?", BW_OF(struct thing, change)},
	{"Twice", "twice", "count?", BW_GET(twice), .align = BW_ALIGN_LEFT},
};
static const struct bw_fact_table things = {"things", "things", rows, 8};

static const struct thing all[] = {{1, "first", true, true, 0, -3},
				   {10, "\xc2\xb5s", false, false, 0x40, 0}};

static void fill(struct bw_table *t)
{
	bw_table_begin(t, &things);
	bw_table_row(t, &all[0]);
	bw_table_row(t, &all[1]);
}

static void text_is_aligned(void **state)
{
	struct bw_table t;
	fill(&t);
	struct bw_str s = {0};
	bw_table_render(&t, &s);
	assert_string_equal(bw_str_text(&s), "   Num    What   Address     Change  Twice\n"
					     "*    1    first  0x00000000      -3  2 times\n"
					     "    10    \xc2\xb5s\n");
	bw_str_free(&s);
	bw_table_fini(&t);
}

static void column_is_left_out(void **state)
{
	struct bw_table t;
	struct bw_str s = {0};
	bw_table_begin(&t, &things);
	bw_table_hide(&t, "change");
	bw_table_hide(&t, "what");
	bw_table_row(&t, &all[0]);
	bw_table_render(&t, &s);
	assert_string_equal(bw_str_text(&s), "   Num  Address     Twice\n"
					     "*    1  0x00000000  2 times\n");
	json_t *json = bw_table_json(&t);
	assert_null(json_object_get(json_array_get(json, 0), "change"));
	json_decref(json);
	bw_str_free(&s);
	bw_table_fini(&t);
}

/* What one command writes in the given mode. */
static char *command_output(bool json)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct bw_out *o;
	assert_null(bw_out_create(f, json, &o));
	bw_out_begin(o, "command", "info things");
	bw_out_line(o, "Things:");
	bw_out_int(o, "count", 2);
	bw_out_facts(o, &things, all, 2, "None.");
	bw_out_end(o);
	bw_out_destroy(o);
	fclose(f);
	return text;
}

static void one_source_two_forms(void **state)
{
	char *text = command_output(false);
	assert_true(strncmp(text, "Things:\n   Num", 14) == 0);
	free(text);
	text = command_output(true);
	assert_string_equal(
		text,
		"{\"type\":\"answer\",\"command\":\"info things\",\"count\":2,\"things\":["
		"{\"number\":1,\"what\":\"first\",\"hidden\":true,\"state\":\"not shown\","
		"\"address\":\"0x00000000\",\"change\":-3,\"twice\":2},"
		"{\"number\":10,\"what\":\"\xc2\xb5s\",\"hidden\":false,\"state\":\"shown\"}]}\n");
	free(text);
}

TESTS(text_is_aligned, column_is_left_out, one_source_two_forms);
