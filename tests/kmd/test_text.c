/* SPDX-License-Identifier: MIT */
/* amdgpu_fence_info as amdgpu_debugfs_fence_info_show of Linux 6.12 writes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_fences)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
