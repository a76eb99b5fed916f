/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "compile/compile.h"

static void ok(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

/* Takes all that it can of argv, up to NULL; the number of words that are left. */
static const struct bw_command_line line = {.name = "try", .groups = {BW_COMPILE_GROUP(0)}};

static int take_all(struct bw_compile_options *o, const char *const *argv)
{
	int argc = 0, i = 0;
	bool taken = true;
	while (argv[argc])
		argc++;
	while (i < argc && taken)
		ok(bw_command_line_take(&line, o, argc, (char *const *)(uintptr_t)argv, &i,
					&taken));
	return argc - i;
}

static void words(void **state)
{
	const char *const argv[] = {"-O0",
				    "-D",
				    "A=1",
				    "-DB",
				    "-I",
				    "inc",
				    "-Uc",
				    "--wave64",
				    "--cl-options=-w",
				    "--cl-options",
				    "-x -y",
				    "-Os",
				    NULL};
	static const char *const expected[] = {"-O0", "-DA=1", "-DB", "-Iinc",
					       "-Uc", "-w",    "-x",  "-y"};
	struct bw_compile_options o = {0};
	assert_int_equal(take_all(&o, argv), 1); /* -Os is not one of them */
	assert_int_equal(o.words.len, sizeof(expected) / sizeof(*expected));
	for (size_t i = 0; i < o.words.len; i++)
		assert_string_equal(o.words.data[i], expected[i]);
	assert_true(o.wave64);
	assert_string_equal(o.first, "-O0");
	bw_compile_options_fini(&o);
}

static void not_taken(void **state)
{
	const char *const argv[] = {"kernel.cl", "-O0", NULL};
	struct bw_compile_options o = {0};
	assert_int_equal(take_all(&o, argv), 2);
	assert_null(o.first);
	assert_int_equal(o.words.len, 0);
	bw_compile_options_fini(&o);
}

/* What a shell makes of the words, each in a line. */
static void shell_splits(const char *text, char *out, size_t out_b)
{
	char command[512];
	snprintf(command, sizeof(command), "printf '%%s\\n' %s", text);
	FILE *f = popen(command, "r");
	assert_non_null(f);
	size_t n = fread(out, 1, out_b - 1, f);
	out[n] = '\0';
	assert_int_equal(pclose(f), 0);
}

static void splits_as_a_shell_does(void **state)
{
	static const char *const texts[] = {"-DA='1 2' -I \"x y\"",    "  -a\t-b  ",
					    "-DS=\\\"text\\\"",	       "'-D Q=\"' \"it's\"",
					    "a\\ b 'c\\d' \"e\\\"f\"", "-x''y \"\"z"};
	for (size_t t = 0; t < sizeof(texts) / sizeof(*texts); t++) {
		char expected[512], got[512] = "";
		const char *const argv[] = {"--cl-options", texts[t], NULL};
		struct bw_compile_options o = {0};
		assert_int_equal(take_all(&o, argv), 0);
		bw_vec_each(&o.words, w)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s\n", *w);
		shell_splits(texts[t], expected, sizeof(expected));
		assert_string_equal(got, expected);
		bw_compile_options_fini(&o);
	}
}

static void says_what_is_wrong(void **state)
{
	static const char *const wrong[][3] = {
		{"--cl-options", "-DA='1", NULL}, {"--cl-options", NULL}, {"-D", NULL}};
	static const char *const said[] = {"the ' has no end", "--cl-options needs a value",
					   "-D needs a value"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct bw_compile_options o = {0};
		int index = 0, argc = wrong[i][1] ? 2 : 1;
		bool taken;
		struct bw_error *err = bw_command_line_take(
			&line, &o, argc, (char *const *)(uintptr_t)wrong[i], &index, &taken);
		assert_non_null(err);
		assert_non_null(strstr(err->message, said[i]));
		bw_error_free(err);
		bw_compile_options_fini(&o);
	}
}

static void names_of_files(void **state)
{
	static const char *const kernels[] = {"a.s",	 "dir.d/a.cl", "a.hip", "a.cpp",
					      "a.c",	 "a.ll",       "a.bc",	"a.co",
					      "a.hsaco", "a.bin",      "a.cu"};
	static const char *const shaders[] = {"a.comp", "a.glsl", "a.hlsl", "a.spv", "a.spvasm"};
	static const char *const neither[] = {"a", ".cl", "cl", "a.cl.txt", "a.bwc", ""};
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		assert_true(bw_is_kernel(kernels[i]) && !bw_is_shader(kernels[i]));
	for (size_t i = 0; i < sizeof(shaders) / sizeof(*shaders); i++)
		assert_true(bw_is_shader(shaders[i]) && !bw_is_kernel(shaders[i]));
	for (size_t i = 0; i < sizeof(neither) / sizeof(*neither); i++)
		assert_false(bw_is_shader(neither[i]) || bw_is_kernel(neither[i]));
}

TESTS(words, not_taken, splits_as_a_shell_does, says_what_is_wrong, names_of_files);
