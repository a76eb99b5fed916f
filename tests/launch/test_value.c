/* SPDX-License-Identifier: MIT */
#include "launch/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../suite.h"
#include "base/util.h"

static struct bw_arg_value parsed(const char *text, int default_type)
{
	struct bw_arg_value v = {0};
	enum bw_scalar type = (enum bw_scalar)default_type;
	struct bw_error *err = bw_arg_value_parse(text, default_type < 0 ? NULL : &type, &v);
	if (err)
		fail_msg("%s: %s", text, err->message);
	return v;
}

static void refused(const char *text, int default_type, const char *message)
{
	struct bw_arg_value v = {0};
	enum bw_scalar type = (enum bw_scalar)default_type;
	struct bw_error *err = bw_arg_value_parse(text, default_type < 0 ? NULL : &type, &v);
	if (!err)
		fail_msg("%s was taken", text);
	assert_int_equal(err->code, BW_E_INVALID);
	if (!strstr(err->message, message))
		fail_msg("%s: '%s' does not say '%s'", text, err->message, message);
	assert_null(v.data);
	bw_error_free(err);
}

static void bytes(const char *text, int default_type, const void *want, size_t size_b)
{
	struct bw_arg_value v = parsed(text, default_type);
	assert_int_equal(v.size_b, size_b);
	assert_memory_equal(v.data, want, size_b);
	bw_arg_value_fini(&v);
}

#define BYTES(text, default_type, T, ...)                                                          \
	bytes(text, default_type, (const T[]){__VA_ARGS__}, sizeof((const T[]){__VA_ARGS__}))

static void numbers(void **state)
{
	BYTES("2.0", -1, float, 2.0f);
	BYTES("2", -1, int32_t, 2);
	BYTES("1e3", -1, float, 1000.0f);
	BYTES("-7", -1, int32_t, -7);
	BYTES("0x10", -1, int32_t, 16);
	BYTES("inf", -1, float, INFINITY);
	BYTES("2", BW_SCALAR_F32, float, 2.0f);
	BYTES("1,-2,3,4", -1, int32_t, 1, -2, 3, 4);
	BYTES("1,2.5,0", BW_SCALAR_F32, float, 1, 2.5f, 0);
	BYTES("1,2:u16", -1, uint16_t, 1, 2);
	refused("1,,2", -1, "not a number");
	refused("1,2,", BW_SCALAR_F32, "not a number");
	BYTES("0.1", BW_SCALAR_F64, double, 0.1);
	BYTES("2.5:f16", -1, uint16_t, 0x4100);
	BYTES("65504:f16", -1, uint16_t, 0x7bff);
	BYTES("-1:i64", -1, int64_t, -1);
	BYTES("18446744073709551615:u64", -1, uint64_t, UINT64_MAX);
	BYTES("0xffffffff", BW_SCALAR_I32, int32_t, -1);
	BYTES("0xff", BW_SCALAR_I8, int8_t, -1);
	BYTES("-128:i8", -1, int8_t, -128);
	/* One rounding to f32, not two: just above the middle of 1 and its successor. */
	BYTES("1.00000005960464484", BW_SCALAR_F32, float, 1.0f + 0x1p-23f);

	refused("256:u8", -1, "256 does not fit u8");
	refused("128:i8", -1, "does not fit i8");
	refused("-129:i8", -1, "does not fit i8");
	refused("-1:u32", -1, "does not fit u32");
	refused("4294967296", BW_SCALAR_I32, "does not fit i32");
	refused("2.5", BW_SCALAR_I32, "not a whole number");
	refused("70000:f16", -1, "does not fit f16");
	refused("1e39:f32", -1, "does not fit f32");
	refused("two", -1, "'two' is not a number");
	refused("", -1, "not a number");
	refused("2:f31", -1, "'f31' is not a type");
	refused("ones:4", -1, "'ones:4' is not a value");
}

static void buffers(void **state)
{
	BYTES("zeros:3", BW_SCALAR_F32, float, 0, 0, 0);
	BYTES("iota:4", BW_SCALAR_F32, float, 0, 1, 2, 3);
	BYTES("iota:4", -1, int32_t, 0, 1, 2, 3);
	BYTES("iota:4:u8", BW_SCALAR_F32, uint8_t, 0, 1, 2, 3);
	BYTES("iota:3:f64", -1, double, 0, 1, 2);
	BYTES("iota:3:f16", -1, uint16_t, 0, 0x3c00, 0x4000);
	BYTES("fill:2:1.5", -1, float, 1.5f, 1.5f);
	BYTES("fill:2:7", -1, int32_t, 7, 7);
	BYTES("fill:2:7", BW_SCALAR_F32, float, 7, 7);
	BYTES("fill:2:-1:i16", -1, int16_t, -1, -1);
	struct bw_arg_value v = parsed("zeros:4k", BW_SCALAR_U8);
	assert_int_equal(v.count, 4096);
	assert_true(v.is_buffer);
	bw_arg_value_fini(&v);
	v = parsed("3", -1);
	assert_false(v.is_buffer);
	bw_arg_value_fini(&v);

	refused("zeros:0", -1, "at least one element");
	refused("zeros:", -1, "'' is not a number of elements");
	refused("zeros:x", -1, "'x' is not a number of elements");
	refused("zeros:-1", -1, "'-1' is not a number of elements");
	refused("fill:4", -1, "fill:N:V");
	refused("fill:4:x", -1, "'x' is not a number");
	refused("zeros:2G:f64", -1, "more than 4 GiB");
	refused("zeros:18446744073709551615", -1, "more than 4 GiB");
	refused("random:4:x", -1, "'x' is neither a seed nor a type");
}

static void random_values(void **state)
{
	struct bw_arg_value a = parsed("random:1000", BW_SCALAR_F32),
			    b = parsed("random:1000:1", BW_SCALAR_F32);
	struct bw_arg_value c = parsed("random:1000:2:f32", -1),
			    d = parsed("random:4:0", BW_SCALAR_U64);
	assert_memory_equal(a.data, b.data, a.size_b);
	assert_memory_not_equal(a.data, c.data, a.size_b);
	double sum = 0;
	for (int i = 0; i < 1000; i++) {
		float f;
		memcpy(&f, a.data + i * 4, 4);
		assert_true(f >= 0 && f < 1);
		sum += (double)f;
	}
	assert_true(sum > 450 && sum < 550);
	/* splitmix64 with seed 0, as published with the algorithm. */
	const uint64_t known[] = {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f,
				  0xf88bb8a8724c81ec};
	assert_memory_equal(d.data, known, sizeof(known));
	bw_arg_value_fini(&a);
	bw_arg_value_fini(&b);
	bw_arg_value_fini(&c);
	bw_arg_value_fini(&d);
}

static void files(void **state)
{
	char path[] = "/tmp/bw-test-value-XXXXXX", text[128];
	int fd = mkstemp(path);
	assert_int_equal(write(fd, "\1\2\3\4\5\6", 6), 6);
	snprintf(text, sizeof(text), "file:%s", path);
	struct bw_arg_value v = parsed(text, BW_SCALAR_U32);
	assert_int_equal(v.count, 1); /* and the two bytes behind it are there too */
	assert_int_equal(v.size_b, 6);
	assert_memory_equal(v.data, "\1\2\3\4\5\6", 6);
	bw_arg_value_fini(&v);
	snprintf(text, sizeof(text), "file:%s:u16", path);
	v = parsed(text, BW_SCALAR_U32);
	assert_int_equal(v.count, 3);
	bw_arg_value_fini(&v);
	snprintf(text, sizeof(text), "file:%s:f64", path);
	refused(text, -1, "too short: it has 6 bytes, one element of f64 takes 8");
	assert_int_equal(ftruncate(fd, 0), 0);
	snprintf(text, sizeof(text), "file:%s", path);
	refused(text, BW_SCALAR_U8, "too short: it has 0 bytes");
	refused("file:/tmp", BW_SCALAR_U8, "not a file");
	close(fd);
	unlink(path);
	enum bw_scalar type = BW_SCALAR_U8;
	struct bw_error *err = bw_arg_value_parse(text, &type, &v);
	assert_int_equal(err->code, BW_E_SYSTEM);
	bw_error_free(err);
}

static void type_names(void **state)
{
	static const struct {
		const char *name;
		int want;
	} rows[] = {
		{"float*", BW_SCALAR_F32},
		{"float", BW_SCALAR_F32},
		{"const float *", BW_SCALAR_F32},
		{"float4*", BW_SCALAR_F32},
		{"uchar16", BW_SCALAR_U8},
		{"unsigned char", BW_SCALAR_U8},
		{"int", BW_SCALAR_I32},
		{"uint*", BW_SCALAR_U32},
		{"ulong", BW_SCALAR_U64},
		{"long2*", BW_SCALAR_I64},
		{"half*", BW_SCALAR_F16},
		{"double", BW_SCALAR_F64},
		{"int8_t*", BW_SCALAR_I8},
		{"size_t", BW_SCALAR_U64},
		{"unsigned int *restrict", BW_SCALAR_U32},
		{"__global int*", BW_SCALAR_I32},
		{"bool", BW_SCALAR_U8},
		{"void*", -1},
		{"struct item*", -1},
		{"float5", -1},
		{"", -1},
		{"item_t*", -1},
		{"float4x4", -1},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		enum bw_scalar got;
		int r = bw_scalar_of_type_name(rows[i].name, &got) ? (int)got : -1;
		if (r != rows[i].want)
			fail_msg("'%s' is %d, not %d", rows[i].name, r, rows[i].want);
	}
}

static void shown(enum bw_scalar type, const void *element, const char *want)
{
	struct bw_str s = {0};
	bw_arg_value_print(&s, type, element);
	assert_string_equal(bw_str_text(&s), want);
	bw_str_free(&s);
}

#define SHOWN(type, T, value, want) shown(type, &(const T){value}, want)

static void printing(void **state)
{
	SHOWN(BW_SCALAR_F32, float, 1, "1");
	SHOWN(BW_SCALAR_F32, float, 0.1f, "0.1");
	SHOWN(BW_SCALAR_F32, float, 1.0f / 3, "0.33333334");
	SHOWN(BW_SCALAR_F32, float, 100, "100");
	SHOWN(BW_SCALAR_F32, float, 1000000, "1000000");
	SHOWN(BW_SCALAR_F32, float, 16777216, "16777216");
	SHOWN(BW_SCALAR_F32, float, 1e20f, "1e+20");
	SHOWN(BW_SCALAR_F32, float, -0.0f, "-0");
	SHOWN(BW_SCALAR_F32, float, 99.5f, "99.5");
	SHOWN(BW_SCALAR_F32, float, 1e-45f, "1e-45");
	SHOWN(BW_SCALAR_F32, float, -NAN, "nan");
	SHOWN(BW_SCALAR_F32, float, -INFINITY, "-inf");
	SHOWN(BW_SCALAR_F64, double, 0.1, "0.1");
	SHOWN(BW_SCALAR_F64, double, 1.0 / 3, "0.3333333333333333");
	SHOWN(BW_SCALAR_F16, uint16_t, 0x2e66, "0.1"); /* 0.0999755859375 */
	SHOWN(BW_SCALAR_F16, uint16_t, 0x7bff, "65504");
	SHOWN(BW_SCALAR_I8, int8_t, -1, "-1");
	SHOWN(BW_SCALAR_U8, uint8_t, 255, "255");
	SHOWN(BW_SCALAR_I16, int16_t, -32768, "-32768");
	SHOWN(BW_SCALAR_I64, int64_t, INT64_MIN, "-9223372036854775808");
	SHOWN(BW_SCALAR_U64, uint64_t, UINT64_MAX, "18446744073709551615");
}

/* Every float prints as a text that reads back as itself. */
static void printing_reads_back(void **state)
{
	uint32_t bits = 12345;
	for (int i = 0; i < 20000; i++) {
		float f, back;
		bits = bits * 1664525 + 1013904223;
		memcpy(&f, &bits, 4);
		if (isnan(f))
			continue;
		struct bw_str s = {0};
		bw_arg_value_print(&s, BW_SCALAR_F32, &f);
		back = strtof(bw_str_text(&s), NULL);
		assert_memory_equal(&back, &f, 4);
		bw_str_free(&s);
	}
}

TESTS(numbers, buffers, random_values, files, type_names, printing, printing_reads_back);
