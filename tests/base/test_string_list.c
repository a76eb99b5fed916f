/* SPDX-License-Identifier: MIT */
#include "../suite.h"
#include "base/string_list.h"

static void test_argv(void **state)
{
	static const char *const more[] = {"b", "", NULL};
	struct bw_strings s = {0};
	char text[] = "a";
	assert_null(bw_strings_add(&s, text));
	text[0] = 'x'; /* it was copied */
	assert_null(bw_strings_add_all(&s, more));
	assert_null(bw_strings_addf(&s, "%d,%s", 7, "c"));
	assert_null(bw_strings_take(&s, strdup("own")));
	assert_null(bw_strings_add(&s, NULL));
	static const char *const expected[] = {"a", "b", "", "7,c", "own"};
	assert_int_equal(s.len, 6);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(s.data[i], expected[i]);
	assert_null(s.data[5]);
	bw_strings_free(&s);
	assert_null(s.data);
	assert_int_equal(s.len, 0);
}

static void test_no_memory(void **state)
{
	struct bw_strings s = {0};
	struct bw_error *err = bw_strings_take(&s, NULL);
	assert_non_null(err);
	assert_int_equal(s.len, 0);
	bw_error_free(err);
	bw_strings_free(&s);
}

TESTS(test_argv, test_no_memory);
