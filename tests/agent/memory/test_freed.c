/* SPDX-License-Identifier: MIT */
#include "agent/memory/freed.h"

#include "../../suite.h"

static struct bw_freed_list list;

static void the_last_one_counts(void **state)
{
	struct bw_freed f;
	list = (struct bw_freed_list){0};
	assert_false(bw_freed_find(&list, 0x1000, &f));
	bw_freed_note(&list, 0x1000, 0x2000, 7);
	bw_freed_note(&list, 0x2000, 0x2000, 8);
	bw_freed_note(&list, 0x2000, 0, 9);
	assert_false(bw_freed_find(&list, 0xfff, &f));
	assert_true(bw_freed_find(&list, 0x1fff, &f));
	assert_int_equal(f.by, 7);
	assert_true(bw_freed_find(&list, 0x2000, &f));
	assert_int_equal(f.by, 8);
	assert_true(bw_freed_find(&list, 0x3fff, &f));
	assert_false(bw_freed_find(&list, 0x4000, &f));
}

static void old_ones_go(void **state)
{
	struct bw_freed f;
	list = (struct bw_freed_list){0};
	for (uint64_t i = 0; i < BW_FREED_MAX + 3; i++)
		bw_freed_note(&list, i << 12, 0x1000, i);
	for (uint64_t i = 0; i < BW_FREED_MAX + 3; i++) {
		assert_int_equal(bw_freed_find(&list, i << 12, &f), i >= 3);
		assert_true(i < 3 || f.by == i);
	}
}

/* A range to the end of the address space does not wrap around. */
static void the_end_of_all(void **state)
{
	struct bw_freed f;
	list = (struct bw_freed_list){0};
	bw_freed_note(&list, UINT64_MAX - 0xfff, 0x1000, 1);
	assert_true(bw_freed_find(&list, UINT64_MAX, &f));
	assert_false(bw_freed_find(&list, 0, &f));
}

static void knows_its_caller(void **state)
{
	/* the test is the program itself */
	assert_int_not_equal(bw_freed_by(), 0);
}

TESTS(the_last_one_counts, old_ones_go, the_end_of_all, knows_its_caller);
