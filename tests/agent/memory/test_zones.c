/* SPDX-License-Identifier: MIT */
#include "agent/memory/zones.h"

#include "../../suite.h"

enum { ZONE_B = 0x1000 };

static struct bw_zone zone(uint64_t va, uint64_t size_b)
{
	return (struct bw_zone){.va = va,
				.size_b = size_b,
				.real = va - ZONE_B,
				.real_b = size_b + 2 * (uint64_t)ZONE_B};
}

static void add(struct bw_zones *x, uint64_t va, uint64_t size_b)
{
	struct bw_zone z = zone(va, size_b);
	assert_true(bw_zones_add(x, &z));
}

static void memory_is_found_by_its_start_and_around(void **state)
{
	struct bw_zones x = {0};
	add(&x, 0x20000, 100);
	add(&x, 0x10000, 100);
	assert_int_equal(bw_zones_at(&x, 0x10000)->va, 0x10000);
	assert_int_equal(bw_zones_at(&x, 0x20000)->va, 0x20000);
	assert_null(bw_zones_at(&x, 0x10001));
	assert_null(bw_zones_around(&x, 0x10000 - ZONE_B - 1));
	assert_int_equal(bw_zones_around(&x, 0x10000 - ZONE_B)->va, 0x10000);
	assert_int_equal(bw_zones_around(&x, 0x10000 + 100 + ZONE_B - 1)->va, 0x10000);
	assert_null(bw_zones_around(&x, 0x10000 + 100 + ZONE_B));
	bw_zones_remove(&x, bw_zones_at(&x, 0x10000));
	assert_null(bw_zones_around(&x, 0x10000));
	assert_non_null(bw_zones_at(&x, 0x20000));
	bw_zones_fini(&x);
}

static void memory_that_makes_no_sense_is_refused(void **state)
{
	struct bw_zones x = {0};
	add(&x, 0x10000, 100);
	struct bw_zone z = zone(0x10000 + 2 * ZONE_B, 100);
	assert_false(bw_zones_add(&x, &z)); /* over the end of the other */
	z = zone(0x10000 - 2 * ZONE_B, 100);
	assert_false(bw_zones_add(&x, &z)); /* over its start */
	z = zone(0x30000, 0);
	assert_false(bw_zones_add(&x, &z));
	z = zone(0x30000, 100);
	z.size_b = z.real_b;
	assert_false(bw_zones_add(&x, &z));
	z = zone(UINT64_MAX - 16, 100);
	assert_false(bw_zones_add(&x, &z));
	assert_int_equal(x.n, 1);
	bw_zones_fini(&x);
}

static void what_is_freed_stays_until_there_is_too_much(void **state)
{
	struct bw_zones x = {0};
	for (uint64_t i = 1; i <= 4; i++)
		add(&x, i << 20, 100);
	bw_zones_keep(&x, bw_zones_at(&x, 3 << 20));
	bw_zones_keep(&x, bw_zones_at(&x, 1 << 20));
	assert_true(bw_zones_is_kept(&x, 3 << 20));
	assert_false(bw_zones_is_kept(&x, 2 << 20));
	assert_null(bw_zones_at(&x, 3 << 20)); /* a second free does not find it */
	struct bw_zone z = zone(3 << 20, 100);
	assert_false(bw_zones_add(&x, &z)); /* its memory is still there */
	assert_null(bw_zones_oldest(&x, 2, UINT64_MAX));
	assert_int_equal(bw_zones_oldest(&x, 1, UINT64_MAX)->va, 3 << 20);
	assert_int_equal(bw_zones_oldest(&x, 2, 100)->va, 3 << 20);
	bw_zones_remove(&x, bw_zones_oldest(&x, 1, UINT64_MAX));
	assert_int_equal(bw_zones_oldest(&x, 0, UINT64_MAX)->va, 1 << 20);
	bw_zones_remove(&x, bw_zones_oldest(&x, 0, UINT64_MAX));
	assert_null(bw_zones_oldest(&x, 0, 0));
	assert_int_equal(x.gone_b, 0);
	assert_int_equal(x.n, 2);
	bw_zones_fini(&x);
}

TESTS(memory_is_found_by_its_start_and_around, memory_that_makes_no_sense_is_refused,
      what_is_freed_stays_until_there_is_too_much);
