/* SPDX-License-Identifier: MIT */
#include "base/options.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"

struct inner {
	const char *shader;
	unsigned n_words; /* that `taken` was told of */
};

struct command {
	bool all, help;
	const char *output, *mode, *define, *word;
	uint64_t seconds;
	uint32_t count;
	struct inner inner;
	unsigned n_words;
};

static struct bw_error *take_mode(void *options, const char *option, const char *value)
{
	struct command *c = options;
	c->mode = value ? value : "none";
	return strcmp(c->mode, "bad") ? NULL : bw_errorf(BW_E_INVALID, "%s is bad", option);
}

static struct bw_error *take_define(void *options, const char *option, const char *value)
{
	((struct command *)options)->define = value;
	return NULL;
}

static struct bw_error *take_word(void *options, const char *word)
{
	struct command *c = options;
	c->word = word;
	c->n_words++;
	return NULL;
}

static struct bw_error *count_words(void *options, char *const *words, size_t n)
{
	((struct inner *)options)->n_words += (unsigned)n;
	return NULL;
}

static const struct bw_option rows[] = {
	{"-o, --output", "FILE", "the file", BW_TEXT(struct command, output), .also = "--out"},
	{"--all", NULL, "everything", BW_FLAG(struct command, all)},
	{"--wait", "SECONDS", "how long", BW_U64(struct command, seconds, 1, 100),
	 .wants = "seconds"},
	{"--count", "N", NULL, BW_U32(struct command, count, 1, UINT32_MAX)},
	{"--small", "N", NULL, BW_U32(struct command, count, 2, 9)},
	{"--mode", "[=a|b]", "optional", BW_CALL(take_mode)},
	{"-D", "NAME", "joined", BW_CALL(take_define), .is_joined = true},
	{"-b", "SE SA", "not parsed here", BW_SHOWN},
	BW_ROW_HELP(struct command, help),
	{0},
};
static const struct bw_option inner_rows[] = {
	{"--shader", "WHICH=FILE", "in the inner struct", BW_TEXT(struct inner, shader)},
	{0},
};
static const struct bw_command_line line = {
	.name = "breakwater try",
	.usage = "Usage: breakwater try\n",
	.groups = {{"Options:", rows},
		   {"More:", inner_rows, offsetof(struct command, inner), count_words}},
	.after = "The end.\n",
};

/* Parses the words between blanks; what is left is `rest`. */
static struct bw_error *parse(const struct bw_command_line *l, const char *text, struct command *c,
			      int *out_rest)
{
	static char copy[256];
	static char *argv[32];
	int argc = 1;
	*c = (struct command){0};
	snprintf(copy, sizeof(copy), "%s", text);
	argv[0] = NULL;
	for (char *save = NULL, *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	return bw_command_line_parse(l, c, argc, argv, out_rest);
}

static void values(void **state)
{
	struct command c;
	int rest;
	assert_null(parse(&line, "-o a.out --all --wait=7 --count 0x10 program --all", &c, &rest));
	assert_string_equal(c.output, "a.out");
	assert_true(c.all);
	assert_int_equal(c.seconds, 7);
	assert_int_equal(c.count, 16);
	assert_int_equal(rest, 7); /* "program" ends the options */
	assert_null(parse(&line, "--out=b --mode -DX=1 -D Y -- --all", &c, &rest));
	assert_string_equal(c.output, "b");
	assert_string_equal(c.mode, "none");
	assert_string_equal(c.define, "Y");
	assert_int_equal(rest, 7);
	assert_false(c.all);
	assert_null(parse(&line, "-DX=1 --mode=b", &c, &rest));
	assert_string_equal(c.define, "X=1");
	assert_string_equal(c.mode, "b");
	assert_null(parse(&line, "--shader x=y --shader=z=w", &c, &rest));
	assert_string_equal(c.inner.shader, "z=w");
	assert_int_equal(c.inner.n_words, 3);
	assert_int_equal(rest, 4);
}

static void words(void **state)
{
	struct bw_command_line l = line;
	struct command c;
	int rest;
	l.word = take_word;
	l.has_numbers = true;
	assert_null(parse(&l, "one - -5 --all -2.5 -- -x", &c, &rest));
	assert_int_equal(c.n_words, 4);
	assert_string_equal(c.word, "-2.5");
	assert_true(c.all);
	assert_int_equal(rest, 7);
}

static void errors(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"--wait 0", "--wait wants seconds, not \"0\""},
		{"--wait=101", "--wait wants seconds, not \"101\""},
		{"--count 0", "--count wants a number from 1 on, not \"0\""},
		{"--count 4294967296", "--count wants a number from 1 on, not \"4294967296\""},
		{"--small x", "--small wants a number from 2 to 9, not \"x\""},
		{"-o", "-o needs a value"},
		{"--out", "--out needs a value"},
		{"--mode=bad", "--mode is bad"},
		{"--al", "\"breakwater try\" has no option --al; did you mean --all? (see --help)"},
		{"--all=1",
		 "\"breakwater try\" has no option --all=1; did you mean --all? (see --help)"},
		{"-b", "\"breakwater try\" has no option -b (see --help)"},
		{"-xyz", "\"breakwater try\" has no option -xyz (see --help)"},
		{"--frobnicate", "\"breakwater try\" has no option --frobnicate (see --help)"},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct command c;
		int rest;
		struct bw_error *err = parse(&line, cases[i].text, &c, &rest);
		assert_non_null(err);
		assert_string_equal(err->message, cases[i].says);
		assert_int_equal(err->code, BW_E_INVALID);
		bw_error_free(err);
	}
}

static void help(void **state)
{
	static const struct bw_option long_rows[] = {
		{"--a-very-long-name-of-an-option", "VALUE", "on its own line", BW_SHOWN},
		{"--short", NULL,
		 "words that go on and on until the line is full and the next one begins below the first word "
		 "of them, as it does here",
		 BW_SHOWN},
		{0},
	};
	static const struct bw_command_line l = {
		.name = "x", .usage = "Usage: x\n", .groups = {{"Options:", long_rows}}};
	struct bw_str text = {0};
	bw_command_line_help(&line, &text);
	assert_string_equal(bw_str_text(&text), "Usage: breakwater try\n"
						"\n"
						"Options:\n"
						"  -o, --output FILE    the file\n"
						"  --all                everything\n"
						"  --wait SECONDS       how long\n"
						"  --count N\n"
						"  --small N\n"
						"  --mode[=a|b]         optional\n"
						"  -D NAME              joined\n"
						"  -b SE SA             not parsed here\n"
						"  -h, --help\n"
						"\n"
						"More:\n"
						"  --shader WHICH=FILE  in the inner struct\n"
						"\n"
						"The end.\n");
	bw_str_clear(&text);
	bw_command_line_help(&l, &text);
	assert_string_equal(
		bw_str_text(&text),
		"Usage: x\n"
		"\n"
		"Options:\n"
		"  --a-very-long-name-of-an-option VALUE\n"
		"           on its own line\n"
		"  --short  words that go on and on until the line is full and the next one begins below the first word of\n"
		"           them, as it does here\n");
	bw_str_free(&text);
}

TESTS(values, words, errors, help);
