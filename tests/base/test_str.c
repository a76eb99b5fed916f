/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"

static void numbers(void **state)
{
	uint64_t u;
	int64_t i;
	double f;
	assert_true(bw_parse_u64("4k", &u) && u == 4096);
	assert_true(bw_parse_u64("0x10", &u) && u == 16);
	assert_true(bw_parse_u64("0b101", &u) && u == 5);
	assert_true(bw_parse_u64("18446744073709551615", &u) && u == UINT64_MAX);
	assert_false(bw_parse_u64("18446744073709551616", &u));
	assert_false(bw_parse_u64("", &u));
	assert_false(bw_parse_u64("-1", &u));
	assert_false(bw_parse_u64("12x", &u));
	assert_false(bw_parse_u64("99999999999G", &u));
	assert_true(bw_parse_i64("-9223372036854775808", &i) && i == INT64_MIN);
	assert_false(bw_parse_i64("9223372036854775808", &i));
	assert_true(bw_parse_f64("2.5f", &f) && f == 2.5);
	assert_false(bw_parse_f64("2.5x", &f));
}

static void skipping_blanks(void **state)
{
	assert_string_equal(bw_skip_blanks(" \t\r\n x y"), "x y");
	assert_string_equal(bw_skip_blanks("x "), "x ");
	assert_string_equal(bw_skip_blanks("  "), "");
	assert_string_equal(bw_base_name("/usr/share/a.hip"), "a.hip");
	assert_string_equal(bw_base_name("a.hip"), "a.hip");
	assert_string_equal(bw_base_name("folder/"), "");
	assert_string_equal(bw_base_name("memory://12#offset=0x10&size=8"),
			    "memory://12#offset=0x10&size=8");
	/* a byte of UTF-8 (NEL is U+0085 alone in Latin-1), which must not be taken as negative */
	assert_string_equal(bw_skip_blanks("\xc3\x85"), "\xc3\x85");
}

static void nearest_names(void **state)
{
	const char *const names[] = {"saxpy", "reduce", "saxpby", "scan"};
	size_t found[2];
	assert_int_equal(bw_edit_distance("saxyp", "saxpy"), 1);
	assert_int_equal(bw_edit_distance("kitten", "sitting"), 3);
	assert_int_equal(bw_edit_distance("", "abc"), 3);
	assert_int_equal(bw_nearest("saxpi", names, 4, found, 2), 2);
	assert_int_equal(found[0], 0);
	assert_int_equal(bw_nearest("zzzzz", names, 4, found, 2), 0);
	/* one letter of three or four, two of up to seven */
	const char *const commands[] = {"cd", "dump", "if", "print", "x", "step"};
	assert_int_equal(bw_nearest("up", commands, 6, found, 2), 0);
	assert_int_equal(bw_nearest("fi", commands, 6, found, 2), 0);
	assert_int_equal(bw_nearest("dupm", commands, 6, found, 2), 1);
	assert_int_equal(bw_nearest("sped", commands, 6, found, 2), 0);
	assert_int_equal(bw_nearest("pirnt", commands, 6, found, 2), 1);
}

static void building(void **state)
{
	struct bw_str s = {0};
	assert_string_equal(bw_str_text(&s), "");
	bw_str_add(&s, "pc");
	bw_str_pad(&s, 5);
	bw_str_addf(&s, "%#x", 0x40);
	assert_string_equal(bw_str_text(&s), "pc   0x40");
	char *text = bw_str_take(&s);
	assert_string_equal(text, "pc   0x40");
	free(text);
	assert_int_equal(s.len, 0);
}

static void lists(void **state)
{
	struct bw_str s = {0};
	bw_str_add_next(&s, "a");
	bw_str_add_next(&s, "b");
	assert_string_equal(bw_str_text(&s), "a, b");
	bw_str_clear(&s);
	for (size_t i = 0; i < 3; i++) {
		bw_str_add_mark(&s, i, 3, " or ");
		bw_str_addf(&s, "%zu", i);
	}
	assert_string_equal(bw_str_text(&s), "0, 1 or 2");
	bw_str_clear(&s);
	bw_str_add_mark(&s, 0, 1, " or ");
	assert_int_equal(s.len, 0);
	bw_str_free(&s);
}

/* As gdb shows such bytes: three octal digits each. */
static void printable_text(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text, *kept, *shown;
	} rows[] = {
		{"plain text", "", "plain text"},
		{"\033[31mred\007", "\n\t", "\\033[31mred\\007"},
		{"a\nb\tc\r", "\n\t", "a\nb\tc\\015"},
		{"a\nb", "", "a\\012b"},
		{"\177", "", "\\177"},
		{"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80", "", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"},
		{"\xc2\x9b" "31m", "", "\\302\\23331m"}, /* U+009B, the other CSI */
		/* right to left, a separator of lines, a blank without a width; emoji joined by U+200D stay */
		{"a\xe2\x80\xae" "b", "", "a\\342\\200\\256b"},
		{"\xe2\x80\xa8\xe2\x80\x8b", "\n\t", "\\342\\200\\250\\342\\200\\213"},
		{"\xf3\xa0\x81\x81", "", "\\363\\240\\201\\201"},
		{"\xe2\x80\x8d\xef\xb8\x8f", "", "\xe2\x80\x8d\xef\xb8\x8f"},
		{"\x9b\xff\xc3", "", "\\233\\377\\303"},
		/* a surrogate, an overlong slash */
		{"\xed\xa0\x80\xc0\xaf", "", "\\355\\240\\200\\300\\257"},
	};
	/* clang-format on */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bw_str s = {0};
		bw_str_add_printable(&s, rows[i].text, rows[i].kept);
		assert_string_equal(bw_str_text(&s), rows[i].shown);
		bw_str_free(&s);
	}
}

/* A shell takes each as the word that it was. */
static void words_for_shells(void **state)
{
	static const char *const words[] = {"a.out", "",     "two words", "it's", "'",
					    "$HOME", "a\\b", "--x=1,2",	  "*",	  "~"};
	struct bw_str command = {0};
	bw_str_add(&command, "printf '%s\\n'");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		bw_str_add(&command, " ");
		bw_str_add_word(&command, words[i]);
	}
	FILE *shell = popen(bw_str_text(&command), "r");
	assert_non_null(shell);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char line[64], want[64];
		snprintf(want, sizeof(want), "%s\n", words[i]);
		assert_non_null(fgets(line, sizeof(line), shell));
		assert_string_equal(line, want);
	}
	pclose(shell);
	bw_str_clear(&command);
	bw_str_add_word(&command, "./a.out");
	assert_string_equal(bw_str_text(&command), "./a.out");
	bw_str_free(&command);
}

TESTS(words_for_shells, printable_text, numbers, skipping_blanks, nearest_names, building, lists);
