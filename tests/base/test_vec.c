/* SPDX-License-Identifier: MIT */
#include "base/vec.h"

#include "../suite.h"

struct ints BW_VEC(int);

static void check(const struct ints *v, const char *is)
{
	char text[32] = "";
	for (size_t i = 0; i < v->len; i++)
		text[i] = (char)('0' + v->data[i]);
	assert_string_equal(text, is);
}

static void inserting(void **state)
{
	struct ints v = {0};
	assert_null(bw_vec_insert(&v, 0, 3));
	assert_null(bw_vec_insert(&v, 0, 1));
	assert_null(bw_vec_insert(&v, 1, 2));
	assert_null(bw_vec_insert(&v, v.len, 4));
	check(&v, "1234");
	bw_vec_free(&v);
}

static void removing(void **state)
{
	struct ints v = {0};
	bw_vec_remove_n(&v, 0, 0); /* there is nothing yet */
	for (int i = 0; i < 9; i++)
		assert_null(bw_vec_push(&v, i));
	bw_vec_remove(&v, 1);
	check(&v, "02345678");
	bw_vec_remove_n(&v, 0, 2);
	check(&v, "345678");
	bw_vec_remove_n(&v, 4, 2);
	check(&v, "3456");
	bw_vec_remove_fast(&v, 0);
	check(&v, "645");
	bw_vec_remove_fast(&v, 2);
	check(&v, "64");
	bw_vec_remove(&v, 1);
	check(&v, "6");
	bw_vec_free(&v);
}

static void dropping(void **state)
{
	struct ints v = {0};
	for (int i = 0; i < 9; i++)
		assert_null(bw_vec_push(&v, i));
	bw_vec_drop(&v, it, *it % 3 != 1);
	check(&v, "147");
	bw_vec_drop(&v, it, *it > 0);
	check(&v, "");
	bw_vec_free(&v);
}

TESTS(inserting, removing, dropping);
