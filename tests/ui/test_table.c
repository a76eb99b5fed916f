/* SPDX-License-Identifier: MIT */
#include "ui/out.h"

#include <stdlib.h>
#include <string.h>

#include "../suite.h"

static const struct bw_column columns[] = {{"Num", "number", true},
					   {"What", "what", false},
					   {NULL, "hidden", false},
					   {"Address", "address", false}};

static void fill(struct bw_table *t)
{
	bw_table_init(t, "things", columns, 4);
	bw_table_int(t, 1);
	bw_table_text(t, "first");
	bw_table_bool(t, true, "y", "n");
	bw_table_hex(t, 0x40, 8);
	bw_table_int(t, 10);
	bw_table_text(t, "\xc2\xb5s");
	bw_table_bool(t, false, "y", "n");
	bw_table_empty(t);
}

static void text_is_aligned(void **state)
{
	struct bw_table t;
	fill(&t);
	struct bw_str s = {0};
	bw_table_render(&t, &s);
	assert_string_equal(bw_str_text(&s), "Num  What   Address\n"
					     "  1  first  0x00000040\n"
					     " 10  \xc2\xb5s\n");
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
	struct bw_table t;
	fill(&t);
	bw_out_table(o, &t, "None.");
	bw_table_fini(&t);
	bw_out_end(o);
	bw_out_destroy(o);
	fclose(f);
	return text;
}

static void one_source_two_forms(void **state)
{
	char *text = command_output(false);
	assert_true(strncmp(text, "Things:\nNum", 11) == 0);
	free(text);
	text = command_output(true);
	assert_string_equal(
		text,
		"{\"type\":\"answer\",\"command\":\"info things\",\"count\":2,\"things\":["
		"{\"number\":1,\"what\":\"first\",\"hidden\":true,\"address\":\"0x00000040\"},"
		"{\"number\":10,\"what\":\"\xc2\xb5s\",\"hidden\":false}]}\n");
	free(text);
}

TESTS(text_is_aligned, one_source_two_forms);
