/* SPDX-License-Identifier: MIT */
/* Where a driver has put the arguments of an OpenCL kernel. Blocks are structures that a C compiler
 * has laid out, as an OpenCL compiler does. */
#include <stdint.h>
#include <string.h>

#include "../../suite.h"
#include "agent/opencl/launch_layout.h"

static const uint64_t out_va = 0xffff800100400400, x_va = 0xffff800100400000;
static const float a = 2.5f;
static const int32_t n = 200;
static const uint8_t flag = 3;
static const struct pair {
	int32_t i;
	float f;
} p = {7, 1.5f};

#define KNOWN(kind_, value_)                                                                       \
	{.kind = (kind_),                                                                          \
	 .is_known = true,                                                                         \
	 .size_b = sizeof(value_),                                                                 \
	 .value = (const uint8_t *)&(value_)}

static void test_all(void **state)
{
	const struct bw_launch_arg args[] = {
		KNOWN(BW_LAUNCH_BUFFER, out_va), KNOWN(BW_LAUNCH_VALUE, flag),
		KNOWN(BW_LAUNCH_BUFFER, x_va),	 KNOWN(BW_LAUNCH_VALUE, a),
		KNOWN(BW_LAUNCH_VALUE, n),	 KNOWN(BW_LAUNCH_VALUE, p)};
	const struct {
		uint64_t out;
		uint8_t flag;
		uint64_t x;
		float a;
		int32_t n;
		struct pair p;
		uint64_t drivers[4];
	} block = {out_va, flag, x_va, a, n, p, {1, 2, 3, 4}};
	uint32_t at[6];
	assert_true(bw_launch_layout(args, 6, (const uint8_t *)&block, sizeof(block), at));
	assert_int_equal(at[0], offsetof(__typeof__(block), out));
	assert_int_equal(at[1], offsetof(__typeof__(block), flag));
	assert_int_equal(at[2], offsetof(__typeof__(block), x));
	assert_int_equal(at[3], offsetof(__typeof__(block), a));
	assert_int_equal(at[4], offsetof(__typeof__(block), n));
	assert_int_equal(at[5], offsetof(__typeof__(block), p));
	/* a block that is cut has not all of it, and what is there is still right */
	assert_true(bw_launch_layout(args, 6, (const uint8_t *)&block, 30, at));
	assert_int_equal(at[3], offsetof(__typeof__(block), a));
	assert_int_equal(at[5], BW_LAUNCH_NOWHERE);
}

/* The kernel uses neither x nor n, and images have no value. */
static void test_unused(void **state)
{
	const struct bw_launch_arg args[] = {KNOWN(BW_LAUNCH_BUFFER, x_va),
					     {.kind = BW_LAUNCH_OPAQUE},
					     KNOWN(BW_LAUNCH_BUFFER, out_va),
					     KNOWN(BW_LAUNCH_VALUE, n),
					     KNOWN(BW_LAUNCH_VALUE, a)};
	const struct {
		uint64_t out;
		float a;
	} block = {out_va, a};
	uint32_t at[5];
	assert_true(bw_launch_layout(args, 5, (const uint8_t *)&block, sizeof(block), at));
	assert_int_equal(at[0], BW_LAUNCH_NOWHERE);
	assert_int_equal(at[1], BW_LAUNCH_NOWHERE);
	assert_int_equal(at[2], 0);
	assert_int_equal(at[3], BW_LAUNCH_NOWHERE);
	assert_int_equal(at[4], 8);
}

/* Local memory and buffers of unknown address take their place, which is not told. */
static void test_unknown(void **state)
{
	const struct bw_launch_arg args[] = {{.kind = BW_LAUNCH_BUFFER, .size_b = 8},
					     {.kind = BW_LAUNCH_LOCAL, .size_b = 8},
					     KNOWN(BW_LAUNCH_VALUE, n)};
	const struct {
		uint64_t buffer, local;
		int32_t n;
	} block = {x_va, 512, n}, other = {x_va, 512, n + 1};
	uint32_t at[3];
	assert_true(bw_launch_layout(args, 3, (const uint8_t *)&block, sizeof(block), at));
	assert_int_equal(at[0], BW_LAUNCH_NOWHERE);
	assert_int_equal(at[1], BW_LAUNCH_NOWHERE);
	assert_int_equal(at[2], 16);
	assert_false(bw_launch_layout(args, 3, (const uint8_t *)&other, sizeof(other), at));
}

/* Nothing but zeros proves nothing: any memory has them. */
static void test_zeros(void **state)
{
	static const int32_t zero;
	static const uint8_t zeros[64];
	const struct bw_launch_arg args[] = {KNOWN(BW_LAUNCH_VALUE, zero),
					     {.kind = BW_LAUNCH_LOCAL, .size_b = 8}};
	uint32_t at[2];
	assert_false(bw_launch_layout(args, 2, zeros, sizeof(zeros), at));
	assert_false(bw_launch_layout(args, 0, zeros, sizeof(zeros), at));
	assert_false(bw_launch_layout(args, BW_LAUNCH_ARGS_MAX + 1, zeros, sizeof(zeros), at));
}

/* Many arguments of the same value can lie in many ways: the search ends. */
static void test_many(void **state)
{
	static const int32_t one = 1;
	struct bw_launch_arg args[BW_LAUNCH_ARGS_MAX];
	int32_t block[BW_LAUNCH_ARGS_MAX / 2];
	uint32_t at[BW_LAUNCH_ARGS_MAX];
	for (unsigned i = 0; i < BW_LAUNCH_ARGS_MAX; i++)
		args[i] = (struct bw_launch_arg)KNOWN(BW_LAUNCH_VALUE, one);
	for (unsigned i = 0; i < BW_LAUNCH_ARGS_MAX / 2; i++)
		block[i] = one;
	assert_true(bw_launch_layout(args, BW_LAUNCH_ARGS_MAX, (const uint8_t *)block,
				     sizeof(block), at));
	for (unsigned i = 0; i < BW_LAUNCH_ARGS_MAX; i++)
		assert_true(at[i] == BW_LAUNCH_NOWHERE || at[i] + 4 <= sizeof(block));
}

TESTS(test_all, test_unused, test_unknown, test_zeros, test_many);
