/* SPDX-License-Identifier: MIT */
#include "session/suppress.h"

#include <stdbool.h>
#include <string.h>

#include "../suite.h"

static const char *const known[] = {"race", "bounds", NULL};

static struct bw_error *add(struct bw_suppressions *s, const char *text)
{
	return bw_suppressions_add(s, text, strlen(text), 7, known);
}

static void a_line_has_a_kind_a_place_and_a_reason(void **state)
{
	struct bw_suppressions s = {0};
	assert_null(add(&s, "  race\thist.cl:3   counts may be off, see issue 12  \r"));
	assert_int_equal(s.rows.len, 1);
	assert_string_equal(s.rows.data[0].kind, "race");
	assert_string_equal(s.rows.data[0].place, "hist.cl:3");
	assert_string_equal(s.rows.data[0].reason, "counts may be off, see issue 12");
	assert_int_equal(s.rows.data[0].line, 7);
	bw_suppressions_fini(&s);
}

static void comments_and_empty_lines_are_none(void **state)
{
	static const char *const lines[] = {"", "  \t", "# race a b c", "   # x"};
	struct bw_suppressions s = {0};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_null(add(&s, lines[i]));
	assert_int_equal(s.rows.len, 0);
	bw_suppressions_fini(&s);
}

static void others_are_refused_with_their_line(void **state)
{
	static const char *const lines[] = {"race", "race hist.cl", "race hist.cl  ",
					    "races hist.cl:3 known", "rac* hist.cl:3 known"};
	struct bw_suppressions s = {0};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct bw_error *err = add(&s, lines[i]);
		assert_non_null(err);
		assert_int_equal(err->code, BW_E_INVALID);
		assert_non_null(strstr(err->message, "line 7: "));
		bw_error_free(err);
	}
	struct bw_error *err = bw_suppressions_add(&s, "race a\0b c", 10, 7, known);
	assert_non_null(err);
	bw_error_free(err);
	assert_int_equal(s.rows.len, 0);
	bw_suppressions_fini(&s);
}

static bool matches(const char *line, const char *kind, const struct bw_suppressed_place *p)
{
	struct bw_suppressions s = {0};
	assert_null(add(&s, line));
	bool found = bw_suppressions_find(&s, kind, p, 2) != NULL;
	bw_suppressions_fini(&s);
	return found;
}

static void places_are_patterns_of_functions_and_files(void **state)
{
	const struct bw_suppressed_place p[2] = {{"fill(int*, int)", "hist.cl", 3},
						 {NULL, NULL, 0}};
	assert_true(matches("race hist.cl:3 x", "race", p));
	assert_true(matches("race hist.cl x", "race", p));
	assert_true(matches("race hist.* x", "race", p));
	assert_true(matches("race fill x", "race", p));
	assert_true(matches("* fi?l x", "bounds", p));
	assert_false(matches("race hist.cl:33 x", "race", p));
	assert_false(matches("race hist.cl:? x", "bounds", p));
	assert_false(matches("race fil x", "race", p));
	assert_false(matches("race int* x", "race", p));
}

static void the_first_row_counts(void **state)
{
	struct bw_suppressions s = {0};
	const struct bw_suppressed_place p[2] = {{"a", NULL, 0}, {"b", "x.cl", 1}};
	assert_null(add(&s, "race c no"));
	assert_null(add(&s, "race b yes"));
	assert_null(add(&s, "race a later"));
	assert_string_equal(bw_suppressions_find(&s, "race", p, 2)->reason, "yes");
	bw_suppressions_fini(&s);
}

TESTS(a_line_has_a_kind_a_place_and_a_reason, comments_and_empty_lines_are_none,
      others_are_refused_with_their_line, places_are_patterns_of_functions_and_files,
      the_first_row_counts);
