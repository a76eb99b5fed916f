/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/check/extents.h"

#include <string.h>

#include "../../suite.h"

enum { SPACE = 7, OTHER = 8 };

static struct bw_extent extent(uint64_t va, uint64_t size_b)
{
	return (struct bw_extent){
		.space = SPACE, .va = va, .size_b = size_b, .before_b = 16, .after_b = 64};
}

static void add(struct bw_extents *x, uint64_t va, uint64_t size_b)
{
	struct bw_extent e = extent(va, size_b);
	assert_true(bw_extents_add(x, &e));
}

/* The address of the extent that the access is outside of; 0: of none. */
static uint64_t outside(const struct bw_extents *x, uint64_t va, unsigned size_b)
{
	struct bw_extents_answer a = bw_extents_look(x, SPACE, va, size_b);
	return a.outside_of ? a.outside_of->va : 0;
}

static void the_last_byte_is_inside_and_the_next_is_not(void **state)
{
	struct bw_extents x = {0};
	add(&x, 0x1000, 100);
	assert_int_equal(outside(&x, 0x1000, 4), 0);
	assert_int_equal(outside(&x, 0x1000 + 96, 4), 0);
	assert_int_equal(outside(&x, 0x1000 + 97, 4), 0x1000);
	assert_int_equal(outside(&x, 0x1000 + 100, 1), 0x1000);
	assert_int_equal(outside(&x, 0x1000 + 163, 1), 0x1000);
	assert_int_equal(outside(&x, 0x1000 + 164, 1), 0);
	assert_int_equal(outside(&x, 0x1000 - 1, 1), 0x1000);
	assert_int_equal(outside(&x, 0x1000 - 16, 4), 0x1000);
	assert_int_equal(outside(&x, 0x1000 - 17, 1), 0);
	bw_extents_fini(&x);
}

static void nothing_of_freed_memory_is_inside(void **state)
{
	struct bw_extents x = {0};
	struct bw_extent e = extent(0x1000, 100);
	e.is_freed = true;
	assert_true(bw_extents_add(&x, &e));
	assert_int_equal(outside(&x, 0x1000, 4), 0x1000);
	assert_int_equal(outside(&x, 0x1000 + 96, 4), 0x1000);
	assert_int_equal(outside(&x, 0x1000 + 100, 4), 0x1000);
	assert_int_equal(outside(&x, 0x1000 + 164, 4), 0);
	add(&x, 0x1000, 100); /* something new is there */
	assert_int_equal(outside(&x, 0x1000, 4), 0);
	assert_int_equal(x.n, 1);
	bw_extents_fini(&x);
}

static void an_access_over_the_start_is_outside(void **state)
{
	struct bw_extents x = {0};
	struct bw_extent e = extent(0x1000, 100);
	e.before_b = 0;
	assert_true(bw_extents_add(&x, &e));
	assert_int_equal(outside(&x, 0x1000 - 2, 4), 0x1000);
	assert_int_equal(outside(&x, 0x1000 - 4, 4), 0);
	bw_extents_fini(&x);
}

static void between_two_the_nearer_one_counts(void **state)
{
	struct bw_extents x = {0};
	add(&x, 0x1000, 0x100);
	add(&x, 0x1110, 0x100);
	assert_int_equal(outside(&x, 0x1100, 4), 0x1000);
	assert_int_equal(outside(&x, 0x110c, 4), 0x1110);
	assert_int_equal(outside(&x, 0x1110, 4), 0);
	bw_extents_fini(&x);
}

static void the_answer_holds_for_its_range(void **state)
{
	struct bw_extents x = {0};
	add(&x, 0x1000, 100);
	add(&x, 0x3000, 100);
	static const uint64_t places[] = {0, 0x800, 0x1000, 0x1020, 0x2000, 0x3000, 0x9000};
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct bw_extents_answer a = bw_extents_look(&x, SPACE, places[i], 4);
		assert_null(a.outside_of);
		assert_true(a.from <= places[i] && places[i] + 4 <= a.to);
		for (uint64_t va = 0; va < 0x4000; va++)
			if (va >= a.from && va + 4 <= a.to)
				assert_int_equal(outside(&x, va, 4), 0);
	}
	bw_extents_fini(&x);
}

static void spaces_are_apart(void **state)
{
	struct bw_extents x = {0};
	struct bw_extent e = extent(0x1000, 8);
	add(&x, 0x1000, 100);
	e.space = OTHER;
	assert_true(bw_extents_add(&x, &e));
	assert_int_equal(outside(&x, 0x1008, 4), 0);
	assert_non_null(bw_extents_look(&x, OTHER, 0x1008, 4).outside_of);
	bw_extents_forget(&x, OTHER);
	assert_null(bw_extents_look(&x, OTHER, 0x1008, 4).outside_of);
	assert_int_equal(outside(&x, 0x1064, 4), 0x1000);
	bw_extents_fini(&x);
}

static void a_new_one_replaces_what_it_overlaps(void **state)
{
	struct bw_extents x = {0};
	for (unsigned i = 0; i < 100; i++)
		add(&x, 0x1000 + i * 0x100, 0x80);
	add(&x, 0x1040, 0x5000);
	assert_int_equal(x.n, 100 - 81 + 1);
	assert_int_equal(x.e[0].va, 0x1040);
	assert_int_equal(outside(&x, 0x1040 + 0x5000 - 4, 4), 0);
	bw_extents_remove(&x, SPACE, 0x1044);
	assert_int_equal(x.n, 20);
	bw_extents_remove(&x, SPACE, 0x1040);
	assert_int_equal(x.n, 19);
	bw_extents_fini(&x);
}

static void ends_of_the_address_space(void **state)
{
	struct bw_extents x = {0};
	struct bw_extent e = extent(UINT64_MAX - 100, 100);
	assert_true(bw_extents_add(&x, &e));
	assert_int_equal(outside(&x, UINT64_MAX - 4, 4), 0);
	assert_int_equal(outside(&x, UINT64_MAX - 3, 4), UINT64_MAX - 100);
	e = extent(4, 8);
	assert_true(bw_extents_add(&x, &e));
	assert_int_equal(outside(&x, 0, 4), 4);
	e.size_b = 0;
	assert_false(bw_extents_add(&x, &e));
	e.size_b = UINT64_MAX;
	assert_false(bw_extents_add(&x, &e));
	bw_extents_fini(&x);
}

TESTS(the_last_byte_is_inside_and_the_next_is_not, nothing_of_freed_memory_is_inside,
      an_access_over_the_start_is_outside, between_two_the_nearer_one_counts,
      the_answer_holds_for_its_range, spaces_are_apart, a_new_one_replaces_what_it_overlaps,
      ends_of_the_address_space);
