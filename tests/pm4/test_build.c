/* SPDX-License-Identifier: MIT */
/* The builder's words are those of the kernel's ring code (gfx_v11_0.c of Linux 6.12, by hand). */
#include <stdint.h>

#include "../suite.h"
#include "base/util.h"
#include "pm4/build.h"

static void expect(struct bw_pm4_stream *s, const uint32_t *want, size_t n)
{
	assert_false(s->failed);
	assert_int_equal(s->len, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(s->data[i], want[i]);
	bw_pm4_stream_free(s);
	assert_null(s->data);
}
#define EXPECT(s, ...)                                                                             \
	expect(s, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void test_words(void **state)
{
	struct bw_pm4_stream s = {0};
	const uint32_t pair[] = {7, 8}, dim[] = {1, 2, 3};
	bw_pm4_put_nop(&s, 1);
	bw_pm4_put_nop(&s, 3);
	EXPECT(&s, 0xffff1000, 0xc0011000, 0, 0);
	bw_pm4_put_sh(&s, 0xb848 / 4, pair, 2);
	EXPECT(&s, 0xc0027600, 0x212, 7, 8);
	bw_pm4_put_uconfig(&s, 0xc040, 0xdeadbeef);
	EXPECT(&s, 0xc0017900, 0x40, 0xdeadbeef);
	bw_pm4_put_dispatch(&s, dim, 0x8005);
	EXPECT(&s, 0xc0031502, 1, 2, 3, 0x8005);
	bw_pm4_put_event(&s, 7, 4);
	EXPECT(&s, 0xc0004600, 0x407);
	bw_pm4_put_write_reg(&s, 0x2953, 5);
	EXPECT(&s, 0xc0033700, 0x100000, 0x2953, 0, 5);
	bw_pm4_put_write_mem(&s, 0x123456789000, pair, 2);
	EXPECT(&s, 0xc0043700, 0x100500, 0x56789000, 0x1234, 7, 8);
	bw_pm4_put_write_wait_reg(&s, 0x290b, 0x291d, 0xf80002, 2);
	EXPECT(&s, 0xc0053c00, 0x43, 0x290b, 0x291d, 0xf80002, 2, 0x20);
	bw_pm4_put_wait_reg(&s, 0x291d, 2, 2);
	EXPECT(&s, 0xc0053c00, 3, 0x291d, 0, 2, 2, 0x20);
	bw_pm4_put_wait_mem(&s, 0x8000001000, 5, 1, ~0u);
	EXPECT(&s, 0xc0053c00, 0x15, 0x1000, 0x80, 1, ~0u, 0x20);
	bw_pm4_put_indirect_buffer(&s, 0x800000010000, 56, 3, false);
	EXPECT(&s, 0xc0023f00, 0x10000, 0x8000, 0x03800038);
	bw_pm4_put_fence(&s, 0xf400001000, 0x100000007, true);
	EXPECT(&s, 0xc0064900, 0x06603514, 0x42000000, 0x1000, 0xf4, 7, 1, 0);
	bw_pm4_put_acquire(&s, 0xc3b1);
	EXPECT(&s, 0xc0065800, 0, ~0u, 0xff, 0, 0, 0xa, 0xc3b1);
}

TESTS(test_words);
