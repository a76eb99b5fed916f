/* SPDX-License-Identifier: MIT */
/* A table against an array that says of each number whether it is in it. */
#include "base/table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"

enum { IDS = 3000, STEPS = 200000 };

struct thing {
	uint64_t id;
	uint32_t value;
};
struct things BW_TABLE(struct thing);

static void check(const struct things *t, const uint64_t *ids, const uint32_t *values, unsigned n)
{
	size_t expected = 0;
	for (unsigned i = 0; i < n; i++) {
		const struct thing *x = bw_table_find(t, ids[i]);
		expected += values[i] != 0;
		assert_int_equal(x != NULL, values[i] != 0);
		assert_true(!x || (x->id == ids[i] && x->value == values[i]));
	}
	assert_int_equal(t->len, expected);
}

/* Numbers are put in, looked for and removed in a random order. 0 as a value: not in it. */
static void play(const uint64_t *ids, unsigned n)
{
	struct things t = {0};
	uint32_t *values = calloc(n, sizeof(*values));
	uint64_t random = 88172645463325252ull; /* xorshift */
	assert_non_null(values);
	for (unsigned step = 0; step < STEPS; step++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		/* mostly full, then mostly empty */
		bool adds = random % 8 < (step < STEPS / 2 ? 5 : 2);
		unsigned i = (unsigned)(random >> 32) % n;
		struct thing *x = bw_table_find(&t, ids[i]);
		assert_int_equal(x != NULL, values[i] != 0);
		if (adds && !x) {
			values[i] = step + 1;
			assert_null(bw_table_add(&t, ((struct thing){ids[i], values[i]})));
		} else if (!adds) {
			values[i] = 0;
			bw_table_remove(&t, ids[i]);
		}
		if (step % (STEPS / 16) == 0)
			check(&t, ids, values, n);
	}
	check(&t, ids, values, n);
	bw_table_free(&t);
	assert_int_equal(t.len, 0);
	assert_null(bw_table_find(&t, ids[0]));
	free(values);
}

static void numbers_that_follow_each_other(void **state)
{
	(void)state;
	uint64_t ids[IDS];
	for (unsigned i = 0; i < IDS; i++)
		ids[i] = i; /* 0, too */
	play(ids, IDS);
}

/* All of them begin their search at one place: bits 32 to 55 of the products are 0. */
static void numbers_with_one_hash(void **state)
{
	(void)state;
	uint64_t ids[] = {0, 1ull << 63};
	play(ids, 2);
	uint64_t many[64];
	for (unsigned i = 0; i < 64; i++)
		many[i] = (uint64_t)i << 56;
	play(many, 64);
}

static void elements_stay_in_order_until_one_is_removed(void **state)
{
	(void)state;
	struct things t = {0};
	uint32_t at = 0;
	for (uint64_t id = 100; id < 120; id++)
		assert_null(bw_table_add(&t, ((struct thing){id * id, (uint32_t)id})));
	bw_vec_each(&t, x)
		assert_int_equal(x->value, 100 + at++);
	bw_table_remove(&t, 103 * 103);
	assert_int_equal(t.len, 19);
	assert_int_equal(t.data[3].value, 119);
	bw_table_remove(&t, 5); /* not in it */
	assert_int_equal(t.len, 19);
	bw_table_free(&t);
}

TESTS(numbers_that_follow_each_other, numbers_with_one_hash,
      elements_stay_in_order_until_one_is_removed);
