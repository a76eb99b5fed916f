/* SPDX-License-Identifier: MIT */
#include "agent/names/handles.h"

#include <stdlib.h>
#include <string.h>

#include "../../suite.h"

enum { N = 500, STEPS = 20000 };

struct record {
	uint32_t a;
	uint16_t b;
};

/* Against an array indexed by the handle, over random operations. */
static void test_random(void **state)
{
	struct bw_handles h = BW_HANDLES_INIT(struct record);
	struct record model[N] = {0}, got;
	bool known[N] = {0};
	unsigned seed = 1;

	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t handle = (uint32_t)rand_r(&seed) % N;
		struct record r = {i + 1, (uint16_t)i};
		switch (rand_r(&seed) % 3) {
		case 0:
			bw_handles_put(&h, (uint64_t)handle << 33, &r);
			model[handle] = r;
			known[handle] = true;
			break;
		case 1:
			bw_handles_drop(&h, (uint64_t)handle << 33);
			known[handle] = false;
			break;
		default:
			got = r;
			assert_int_equal(bw_handles_get(&h, (uint64_t)handle << 33, &got),
					 known[handle]);
			assert_int_equal(got.a, known[handle] ? model[handle].a : r.a);
			assert_int_equal(got.b, known[handle] ? model[handle].b : r.b);
		}
	}
	size_t n = 0;
	for (uint32_t i = 0; i < N; i++)
		n += known[i];
	assert_int_equal(h.n, n);
	free(h.handles);
	free(h.records);
}

TESTS(test_random);
