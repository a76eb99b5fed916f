/* SPDX-License-Identifier: MIT */
#include "ui/print_format.h"

#include <string.h>

#include "../suite.h"

/* Expected texts are what gdb 13 prints for print/FMT of the same values. */
static void letters(void **state)
{
	static const struct {
		uint64_t bits;
		unsigned size_b;
		enum bw_value_kind kind;
		char letter;
		const char *expect;
	} rows[] = {
		{42, 4, BW_KIND_SIGNED, 0, "42"},
		{0xffffffff, 4, BW_KIND_SIGNED, 0, "-1"},
		{0xffffffff, 4, BW_KIND_UNSIGNED, 0, "4294967295"},
		{0xffffffff, 4, BW_KIND_SIGNED, 'u', "4294967295"},
		{255, 4, BW_KIND_SIGNED, 'x', "0xff"},
		{0, 4, BW_KIND_SIGNED, 'x', "0x0"},
		{255, 4, BW_KIND_SIGNED, 'z', "0x000000ff"},
		{8, 4, BW_KIND_SIGNED, 'o', "010"},
		{0, 4, BW_KIND_SIGNED, 'o', "0"},
		{10, 4, BW_KIND_SIGNED, 't', "1010"},
		{0, 4, BW_KIND_SIGNED, 't', "0"},
		{65, 1, BW_KIND_SIGNED, 'c', "65 'A'"},
		{10, 1, BW_KIND_SIGNED, 'c', "10 '\\n'"},
		{27, 1, BW_KIND_SIGNED, 'c', "27 '\\033'"},
		{39, 4, BW_KIND_SIGNED, 'c', "39 '\\''"},
		{200, 4, BW_KIND_SIGNED, 'c', "-56 '\\310'"},
		{200, 4, BW_KIND_UNSIGNED, 'c', "200 '\\310'"},
		{0x3fc00000, 4, BW_KIND_FLOAT, 0, "1.5"},
		{0x3dcccccd, 4, BW_KIND_FLOAT, 0, "0.100000001"},
		{0x3fc00000, 4, BW_KIND_UNSIGNED, 'f', "1.5"},
		{0x3fc00000, 4, BW_KIND_FLOAT, 'x', "0x3fc00000"},
		{0x7f800000, 4, BW_KIND_FLOAT, 0, "inf"},
		{0xff800000, 4, BW_KIND_FLOAT, 0, "-inf"},
		{0x7fc00000, 4, BW_KIND_FLOAT, 0, "nan(0x400000)"},
		{0xffc00000, 4, BW_KIND_FLOAT, 0, "-nan(0x400000)"},
		{0x80000000, 4, BW_KIND_FLOAT, 0, "-0"},
		{0x3fb999999999999aull, 8, BW_KIND_FLOAT, 0, "0.10000000000000001"},
		{0x3c00, 2, BW_KIND_FLOAT, 0, "1"},
		{0xc000, 2, BW_KIND_FLOAT, 0, "-2"},
		{0x0001, 2, BW_KIND_FLOAT, 0, "5.9605e-08"},
		{1, 1, BW_KIND_BOOL, 0, "true"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bw_str s = {0};
		bw_print_value(&s, rows[i].bits, rows[i].size_b, rows[i].kind, rows[i].letter);
		assert_string_equal(bw_str_text(&s), rows[i].expect);
		bw_str_free(&s);
	}
}

static void format_words(void **state)
{
	struct bw_print_format f;
	assert_null(bw_print_format_parse("8xw", true, &f));
	assert_int_equal(f.count, 8);
	assert_int_equal(f.letter, 'x');
	assert_int_equal(f.unit, 'w');
	assert_null(bw_print_format_parse("g", true, &f));
	assert_int_equal(f.count, 1);
	assert_int_equal(bw_print_format_unit_size(f.unit), 8);
	assert_null(bw_print_format_parse("f", false, &f));
	static const struct {
		const char *text;
		bool units;
	} bad[] = {{"q", true}, {"8x", false}, {"xw", false}, {"999999x", true}};
	for (size_t i = 0; i < 4; i++) {
		struct bw_error *err = bw_print_format_parse(bad[i].text, bad[i].units, &f);
		assert_non_null(err);
		bw_error_free(err);
	}
}

static void one(struct bw_str *out, size_t i, void *cookie)
{
	bw_str_addf(out, "%d", ((int *)cookie)[i]);
}

static bool same(size_t i, size_t j, void *cookie)
{
	return ((int *)cookie)[i] == ((int *)cookie)[j];
}

static const struct bw_print_limits gdb = {200, 10};

static void elements_are_limited(void **state)
{
	int v[32] = {1, 2, 3, 4, 5, 6};
	const struct bw_print_limits five = {5, 10}, three_folded = {3, 2};
	struct bw_str s = {0};
	bw_print_array(&s, 32, &five, one, same, v);
	assert_string_equal(bw_str_text(&s), "{1, 2, 3, 4, 5...}");
	bw_str_free(&s);
	s = (struct bw_str){0};
	bw_print_array(&s, 5, &five, one, same, v);
	assert_string_equal(bw_str_text(&s), "{1, 2, 3, 4, 5}");
	bw_str_free(&s);
	/* what is folded counts as the threshold: gdb 13, "set print elements 3", "repeats 2" */
	v[1] = v[2] = v[0];
	s = (struct bw_str){0};
	bw_print_array(&s, 32, &three_folded, one, same, v);
	assert_string_equal(bw_str_text(&s), "{1 <repeats 3 times>, 4...}");
	bw_str_free(&s);
}

static void repeats_are_folded(void **state)
{
	int v[32] = {1, 2, 2, 3};
	struct bw_str s = {0};
	bw_print_array(&s, 32, &gdb, one, same, v);
	assert_string_equal(bw_str_text(&s), "{1, 2, 2, 3, 0 <repeats 28 times>}");
	bw_str_free(&s);
	/* gdb: "exceeds the threshold" */
	s = (struct bw_str){0};
	bw_print_array(&s, 14, &gdb, one, same, v);
	assert_string_equal(bw_str_text(&s), "{1, 2, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}");
	bw_str_free(&s);
	s = (struct bw_str){0};
	bw_print_array(&s, 15, &gdb, one, same, v);
	assert_string_equal(bw_str_text(&s), "{1, 2, 2, 3, 0 <repeats 11 times>}");
	bw_str_free(&s);
}

static void lanes(void **state)
{
	static const struct {
		uint64_t mask;
		const char *expect;
	} rows[] = {{0, "none"},
		    {1, "0"},
		    {0xffffffff, "0-31"},
		    {~0ull, "0-63"},
		    {0x8000000000000001ull, "0,63"},
		    {0xf6, "1-2,4-7"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bw_str s = {0};
		bw_print_lanes(&s, rows[i].mask);
		assert_string_equal(bw_str_text(&s), rows[i].expect);
		bw_str_free(&s);
	}
}

TESTS(letters, format_words, elements_are_limited, repeats_are_folded, lanes);
