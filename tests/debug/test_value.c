// SPDX-License-Identifier: MIT
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "debug/waves.h"

static void test_f16(void **state)
{
	/* IEEE 754 binary16, values by hand */
	static const struct {
		uint16_t h;
		float f;
	} rows[] = {
		{0x0000, 0.0f},	    {0x3c00, 1.0f},	   {0xc000, -2.0f},
		{0x7bff, 65504.0f}, {0x0400, 0x1p-14f},	   {0x03ff, 0x1.ff8p-15f},
		{0x0001, 0x1p-24f}, {0x3555, 0x1.554p-2f}, {0x8001, -0x1p-24f},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		assert_true(bw_float_of_half(rows[i].h) == rows[i].f);
		assert_int_equal(bw_half_of_float(rows[i].f), rows[i].h);
	}
	/* every half survives the way there and back */
	for (uint32_t h = 0; h < 0x10000; h++) {
		float f = bw_float_of_half((uint16_t)h);
		if (f == f)
			assert_int_equal(bw_half_of_float(f), h);
		else
			assert_true((bw_half_of_float(f) & 0x7c00) == 0x7c00 &&
				    (bw_half_of_float(f) & 0x3ff));
	}
	/* ties go to even, overflow to infinity, halves of the least denormal to 0 */
	assert_int_equal(bw_half_of_float(1.0f + 0x1p-11f), 0x3c00);
	assert_int_equal(bw_half_of_float(1.0f + 3 * 0x1p-11f), 0x3c02);
	assert_int_equal(bw_half_of_float(65519.0f), 0x7bff);
	assert_int_equal(bw_half_of_float(65520.0f), 0x7c00);
	assert_int_equal(bw_half_of_float(0x1p-25f), 0);
	assert_int_equal(bw_half_of_float(0x1.8p-25f), 1);
	assert_int_equal(bw_half_of_float(-1e30f), 0xfc00);
}

static void test_conversions(void **state)
{
	struct bw_value v = {.type = {.kind = BW_TYPE_FLOAT, .size_b = 8}};
	static const struct {
		double d;
		int64_t i;
	} rows[] = {
		{1.9, 1},     {-1.9, -1}, {1e300, -1}, {-1e300, INT64_MIN}, {0x1p63, INT64_MIN},
		{0.0 / 1, 0},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		memcpy(&v.bits, &rows[i].d, 8);
		assert_true(bw_value_i64(&v, 0) == rows[i].i);
		assert_true(bw_value_f64(&v, 0) == rows[i].d);
	}
	v = (struct bw_value){.type = {.kind = BW_TYPE_UINT, .size_b = 8}, .bits = ~0ull};
	assert_true(bw_value_f64(&v, 0) == 0x1p64);
	v.type.kind = BW_TYPE_INT;
	assert_true(bw_value_f64(&v, 0) == -1.0);
}

static void test_names(void **state)
{
	char out[48], reasons[64];
	struct bw_type t = {.kind = BW_TYPE_POINTER,
			    .size_b = 8,
			    .elem_kind = BW_TYPE_FLOAT,
			    .elem_size_b = 4,
			    .depth = 1};
	assert_string_equal(bw_type_name(&t, out), "float *");
	t.space = BW_SPACE_LDS;
	t.depth = 2;
	assert_string_equal(bw_type_name(&t, out), "__local float **");
	t = (struct bw_type){.kind = BW_TYPE_UINT, .size_b = 2};
	assert_string_equal(bw_type_name(&t, out), "unsigned short");

	bw_reason_text(BW_REASON_BREAKPOINT | BW_REASON_SINGLE_STEP | BW_REASON_INTERRUPT, reasons,
		       sizeof(reasons));
	assert_string_equal(reasons, "BREAKPOINT|SINGLE_STEP");
	bw_reason_text(BW_REASON_INTERRUPT, reasons, sizeof(reasons));
	assert_string_equal(reasons, "INTERRUPT");
	bw_reason_text(~0u, reasons, 20);
	assert_string_equal(reasons, "MEMORY_VIOLATION|AD"); /* cut, not overrun */
	bw_reason_text(0, reasons, sizeof(reasons));
	assert_string_equal(reasons, "");
	assert_string_equal(bw_reason_signal(BW_REASON_MEMORY_VIOLATION),
			    "SIGSEGV, Segmentation fault");
	assert_string_equal(bw_reason_signal(BW_REASON_ASSERT_TRAP), "SIGABRT, Aborted");
	assert_null(bw_reason_signal(BW_REASON_SINGLE_STEP));
}

TESTS(test_f16, test_conversions, test_names);
