/* SPDX-License-Identifier: MIT */
/* amdgpu_fence_info as amdgpu_debugfs_fence_info_show of Linux 6.12 writes it. */
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "kmd/kmd_priv.h"

static void test_fences(void **state)
{
	static const char text[] = "--- ring 0 (gfx_0.0.0) ---\n"
				   "Last signaled fence          0x0000002a\n"
				   "Last emitted                 0x0000002c\n"
				   "Last signaled trailing fence 0x00000007\n"
				   "Last emitted                 0x00000009\n"
				   "Last preempted               0x00000000\n"
				   "--- ring 1 (comp_1.0.0) ---\n"
				   "Last signaled fence          0xfffffffe\n"
				   "Last emitted                 0x00000001\n"
				   "--- ring 2 (cut";
	struct bw_kmd_ring_fences *f = NULL;
	size_t n = 0;
	assert_null(bw_kmd_parse_fences(text, &f, &n));
	assert_int_equal(n, 2);
	assert_string_equal(f[0].ring, "gfx_0.0.0");
	assert_int_equal(f[0].signaled, 0x2a);
	assert_int_equal(f[0].emitted, 0x2c);
	assert_string_equal(f[1].ring, "comp_1.0.0");
	assert_int_equal(f[1].signaled, 0xfffffffe);
	assert_int_equal(f[1].emitted, 1);
	free(f);
	f = NULL;
	assert_null(bw_kmd_parse_fences("Last emitted 1\n--- ring 0 () ---\n", &f, &n));
	assert_int_equal(n, 0);
	assert_null(f);
}

static bool is_wanted(void *cookie, pid_t pid)
{
	return pid != 9;
}

/* As the virtual GPU writes it: who waits, ms, who holds the GPU, waves, state, name. */
static void test_waits(void **state)
{
	struct bw_kmd_wait w;
	bw_kmd_parse_waits("9 90000 1 5 r not wanted\n"
			   "7 100 2 5 r shorter\n"
			   "8 3000 3 100 r a few\n"
			   "8 4000 4 1436 s two words\n"
			   "8 4000 4 1436 s two words\n"
			   "8 1 5 0 r queue\n",
			   is_wanted, NULL, &w);
	assert_int_equal(w.waiter, 8);
	assert_int_equal(w.holder, 4);
	assert_int_equal(w.waited_ms, 4000);
	assert_int_equal(w.n_waves, 1436);
	assert_true(w.is_stopped);
	assert_string_equal(w.holder_comm, "two words");
	assert_int_equal(w.n_others, 2);
	bw_kmd_parse_waits("9 1 1 1 r x\n8 1\n-1 5 5 5 r x\n\n8 1 -3 1 r x", is_wanted, NULL, &w);
	assert_int_equal(w.waiter, 0);
	bw_kmd_parse_waits("8 2000 3 0 r", is_wanted, NULL, &w);
	assert_int_equal(w.holder, 3);
	assert_string_equal(w.holder_comm, "");
}

TESTS(test_fences, test_waits);
