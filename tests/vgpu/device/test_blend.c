/* SPDX-License-Identifier: MIT */
/* Equations of Vulkan 1.3, 28.1 (blending), 28.2 (logic operations), 27.13 and 27.14. */
#include "../../suite.h"

#include "vgpu/device/raster/blend.h"

static const float src[4] = {0.5f, 0.25f, 1.5f, 0.75f}, src1[4] = {0.1f, 0.2f, 0.3f, 0.4f},
		   dst[4] = {0.2f, 0.4f, 0.6f, 0.5f};

#define EXPECT(b, r, g, blue, a)                                                                   \
	do {                                                                                       \
		float out_[4];                                                                     \
		bw_blend(&(b), src, src1, dst, out_);                                              \
		assert_float_equal(out_[0], r, 1e-6);                                              \
		assert_float_equal(out_[1], g, 1e-6);                                              \
		assert_float_equal(out_[2], blue, 1e-6);                                           \
		assert_float_equal(out_[3], a, 1e-6);                                              \
	} while (0)

static void test_factors(void **state)
{
	struct bw_blend b = {
		.enabled = true, .color = {4, 5, 0}, .alpha = {1, 0, 0}, .clamps = true};
	/* over: the source is clamped to 1 first */
	EXPECT(b, 0.5f * 0.75f + 0.2f * 0.25f, 0.25f * 0.75f + 0.4f * 0.25f,
	       1.0f * 0.75f + 0.6f * 0.25f, 0.75f);
	b.clamps = false;
	EXPECT(b, 0.5f * 0.75f + 0.2f * 0.25f, 0.25f * 0.75f + 0.4f * 0.25f,
	       1.5f * 0.75f + 0.6f * 0.25f, 0.75f);
	/* DST_COLOR, ONE; DST_MINUS_SRC */
	b = (struct bw_blend){.enabled = true, .color = {8, 1, 4}, .alpha = {6, 7, 1}};
	EXPECT(b, 0.2f - 0.1f, 0.4f - 0.1f, 0.6f - 0.9f, 0.375f - 0.25f);
	/* SRC_ALPHA_SATURATE is 1 - 0.5, and 1 for alpha */
	b = (struct bw_blend){.enabled = true, .color = {10, 0, 0}, .alpha = {10, 0, 0}};
	EXPECT(b, 0.25f, 0.125f, 0.75f, 0.75f);
	/* constants */
	b = (struct bw_blend){.enabled = true,
			      .color = {11, 18, 0},
			      .alpha = {17, 12, 0},
			      .constant = {0.5f, 1, 0, 0.25f}};
	EXPECT(b, 0.25f + 0.15f, 0.25f + 0.3f, 0.45f, 0.1875f + 0.375f);
	/* the second source */
	b = (struct bw_blend){.enabled = true, .color = {13, 16, 0}, .alpha = {15, 14, 0}};
	assert_true(bw_blend_is_dual(&b));
	EXPECT(b, 0.05f + 0.12f, 0.05f + 0.24f, 0.45f + 0.36f, 0.3f + 0.3f);
}

static void test_min_max(void **state)
{
	struct bw_blend b = {.enabled = true, .color = {0, 0, 2}, .alpha = {0, 0, 3}};
	EXPECT(b, 0.2f, 0.25f, 0.6f, 0.75f);
	assert_false(bw_blend_is_dual(&b));
}

/* All 16 logic operations, whose codes are their truth tables. */
static void test_rop(void **state)
{
	const uint8_t s = 0xcc, d = 0xaa;
	const struct {
		uint8_t rop3, expected;
	} rows[] = {
		{0x00, 0x00},
		{0x88, s & d},
		{0x44, s & ~d},
		{0xcc, s},
		{0x22, (uint8_t)(~s & d)},
		{0xaa, d},
		{0x66, s ^ d},
		{0xee, s | d},
		{0x11, (uint8_t)~(s | d)},
		{0x99, (uint8_t)~(s ^ d)},
		{0x55, (uint8_t)~d},
		{0xdd, (uint8_t)(s | ~d)},
		{0x33, (uint8_t)~s},
		{0xbb, (uint8_t)(~s | d)},
		{0x77, (uint8_t)~(s & d)},
		{0xff, 0xff},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(bw_blend_rop(rows[i].rop3, s, d), rows[i].expected);
}

static void test_compare(void **state)
{
	/* never, less, equal, less or equal, greater, not equal, greater or equal, always */
	const uint8_t less = 0xaa, equal = 0xcc, greater = 0xf0;
	for (unsigned f = 0; f < 8; f++) {
		assert_int_equal(bw_compare_depth(f, 0.25f, 0.5f), less >> f & 1);
		assert_int_equal(bw_compare_depth(f, 0.5f, 0.5f), equal >> f & 1);
		assert_int_equal(bw_compare_depth(f, 0.75f, 0.5f), greater >> f & 1);
		assert_int_equal(bw_compare_stencil(f, 1, 2), less >> f & 1);
		assert_int_equal(bw_compare_stencil(f, 2, 2), equal >> f & 1);
		assert_int_equal(bw_compare_stencil(f, 3, 2), greater >> f & 1);
	}
}

static void test_stencil(void **state)
{
	assert_int_equal(bw_stencil_op(0, 5, 9, 1), 5);
	assert_int_equal(bw_stencil_op(1, 5, 9, 1), 0);
	assert_int_equal(bw_stencil_op(3, 5, 9, 1), 9);
	assert_int_equal(bw_stencil_op(5, 255, 9, 1), 255);
	assert_int_equal(bw_stencil_op(5, 5, 9, 1), 6);
	assert_int_equal(bw_stencil_op(6, 0, 9, 1), 0);
	assert_int_equal(bw_stencil_op(7, 0x0f, 9, 1), 0xf0);
	assert_int_equal(bw_stencil_op(8, 255, 9, 1), 0);
	assert_int_equal(bw_stencil_op(9, 0, 9, 1), 255);
}

TESTS(test_factors, test_min_max, test_rop, test_compare, test_stencil);
