/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include "vgpu/uapi/uapi_priv.h"

static void ranges_split_and_merge(void **state)
{
	struct bw_ranges r = {0};
	uint64_t a, b, c;
	assert_int_equal(bw_ranges_add(&r, 0x1000, 0x10000), 0);
	assert_true(bw_ranges_alloc(&r, 0x1000, 0x1000, &a));
	assert_int_equal(a, 0x1000);
	assert_true(bw_ranges_alloc(&r, 0x2000, 0x8000, &b)); /* leaves a hole before it */
	assert_int_equal(b, 0x8000);
	assert_true(bw_ranges_alloc(&r, 0x6000, 0x1000, &c)); /* which this fills */
	assert_int_equal(c, 0x2000);
	assert_false(bw_ranges_alloc(&r, 0x8000, 0x1000, &a));
	bw_ranges_add(&r, b, 0x2000);
	bw_ranges_add(&r, 0x1000, 0x1000);
	bw_ranges_add(&r, c, 0x6000);
	assert_int_equal(r.len, 1);
	assert_int_equal(r.data[0].start, 0x1000);
	assert_int_equal(r.data[0].end, 0x11000);
	bw_vec_free(&r);
}

static void ranges_never_overlap(void **state)
{
	enum { N = 200, SPAN = 1 << 20 };
	static uint8_t owner[SPAN / 4096];
	struct {
		uint64_t start, size;
	} live[N] = {{0}};
	struct bw_ranges r = {0};
	bw_ranges_add(&r, 0, SPAN);
	unsigned seed = 1;
	for (unsigned step = 0; step < 20000; step++) {
		unsigned i = (seed = seed * 1103515245 + 12345) >> 8 & 0xff;
		if (i >= N)
			continue;
		if (live[i].size) {
			memset(owner + live[i].start / 4096, 0, live[i].size / 4096);
			bw_ranges_add(&r, live[i].start, live[i].size);
			live[i].size = 0;
			continue;
		}
		uint64_t size = 4096 * (1 + (seed >> 16 & 7)), align = 4096ull << (seed >> 20 & 3);
		if (!bw_ranges_alloc(&r, size, align, &live[i].start))
			continue;
		live[i].size = size;
		assert_int_equal(live[i].start % align, 0);
		for (uint64_t p = live[i].start / 4096; p < (live[i].start + size) / 4096; p++) {
			assert_int_equal(owner[p], 0);
			owner[p] = 1;
		}
	}
	for (unsigned i = 0; i < N; i++)
		if (live[i].size)
			bw_ranges_add(&r, live[i].start, live[i].size);
	assert_int_equal(r.len, 1);
	bw_vec_free(&r);
}

static void ids_are_the_lowest_free(void **state)
{
	struct bw_ids ids;
	uint32_t id;
	int object;
	bw_ids_init(&ids, 1);
	for (uint32_t i = 1; i <= 100; i++) {
		assert_int_equal(bw_ids_add(&ids, &object, &id), 0);
		assert_int_equal(id, i);
	}
	assert_ptr_equal(bw_ids_remove(&ids, 7), &object);
	assert_null(bw_ids_get(&ids, 7));
	assert_null(bw_ids_remove(&ids, 7));
	assert_null(bw_ids_get(&ids, 0));
	assert_null(bw_ids_get(&ids, UINT32_MAX));
	bw_ids_add(&ids, &object, &id);
	assert_int_equal(id, 7);
	bw_ids_fini(&ids);
}

TESTS(ranges_split_and_merge, ranges_never_overlap, ids_are_the_lowest_free);
