/* SPDX-License-Identifier: MIT */
/* The words of `breakwater run` and `breakwater attach`, as its manual has them. */
#include "session/run_options.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/str.h"
#include "base/util.h"

/* Parses "WORD WORD..." after the subcommand; text is where the words lie. */
static struct bw_error *parse(struct bw_run_options *o, char *text, bool attach)
{
	char *argv[32] = {text}; /* the subcommand, which nobody reads */
	int argc = 1;
	for (char *word; (word = strsep(&text, " "));)
		argv[argc++] = word;
	assert_true(argc < (int)BW_ARRAY_SIZE(argv));
	*o = (struct bw_run_options){.attach = attach};
	return bw_run_options_parse(o, argc, argv);
}

static void a_kernel_has_its_options(void **state)
{
	struct bw_run_options o;
	char words[] =
		"--gpu virtual -ex run -x file --timeout=1.5 --strict k.s --grid 64 --batch --json";
	assert_null(parse(&o, words, false));
	assert_string_equal(o.kernel, "k.s");
	assert_string_equal(o.gpu, "virtual");
	assert_int_equal(o.script.len, 2);
	assert_int_equal(o.script.data[0].kind, BW_SCRIPT_COMMAND);
	assert_string_equal(o.script.data[0].text, "run");
	assert_int_equal(o.script.data[1].kind, BW_SCRIPT_FILE);
	assert_true(o.limit_s == 1.5);
	assert_true(o.vgpu.strict && o.batch && o.json);
	assert_null(o.program);
	bw_run_options_fini(&o);
}

/* What comes after -- is the program's. */
static void a_program_has_its_words(void **state)
{
	struct bw_run_options o;
	char words[] = "-i --shader-lines -- prog --batch -x";
	assert_null(parse(&o, words, false));
	assert_null(o.kernel);
	assert_true(o.interactive);
	assert_int_equal(o.shader_lines, BW_LINES_WANTED);
	assert_false(o.batch);
	assert_string_equal(o.program[0], "prog");
	assert_string_equal(o.program[2], "-x");
	bw_run_options_fini(&o);
}

static void a_process_is_a_number(void **state)
{
	struct bw_run_options o;
	char words[] = "-i 123";
	assert_null(parse(&o, words, true));
	assert_int_equal(o.pid, 123);
	assert_true(o.interactive);
	bw_run_options_fini(&o);
}

static void what_cannot_be_is_said(void **state)
{
	static const struct {
		const char *words, *part;
		bool attach;
	} cases[] = {
		{"a.s b.s", "One kernel at a time: \"b.s\" comes after \"a.s\""},
		{"a.s -- prog", "Either a kernel (\"a.s\") or a program after --, not both"},
		{"--batch", "needs a kernel"},
		{"--", "needs a kernel"},
		{"--gpu", "--gpu needs a value"},
		{"--timeout 0 a.s", "--timeout takes seconds, not \"0\""},
		{"--timeout nan a.s", "--timeout takes seconds, not \"nan\""},
		{"--grid 64 -- prog", "--grid is for kernels"},
		{"0", "takes the number of a process", true},
		{"99999999999", "takes the number of a process", true},
		{"abc", "takes the number of a process", true},
		{"-- prog", "takes the number of a process", true},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_run_options o;
		char *words = strdup(cases[i].words);
		struct bw_error *err = parse(&o, words, cases[i].attach);
		if (!err || !strstr(err->message, cases[i].part))
			fail_msg("%s: %s", cases[i].words, err ? err->message : "no error");
		bw_error_free(err);
		bw_run_options_fini(&o);
		free(words);
	}
}

TESTS(a_kernel_has_its_options, a_program_has_its_words, a_process_is_a_number,
      what_cannot_be_is_said);
