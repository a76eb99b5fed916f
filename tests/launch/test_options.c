/* SPDX-License-Identifier: MIT */
#include "launch/options.h"

#include <string.h>

#include "../suite.h"
#include "base/util.h"

/* Words up to NULL; returns how many were taken as kernel options. */
static struct bw_error *take_all(struct bw_launch_options *o, const char *const *words,
				 int *out_used)
{
	int argc = 0, i = 0;
	bool taken = true;
	while (words[argc])
		argc++;
	while (taken && i < argc)
		BW_TRY(bw_launch_options_take(o, argc, (char *const *)(uintptr_t)words, &i,
					      &taken));
	*out_used = i;
	return NULL;
}

static void take_them(void **state)
{
	const char *words[] = {
		"--kernel", "saxpy",	      "--grid",	  "256,2", "--group=64", "--arg",
		"a=2.0",    "--arg=x=iota:4", "--print",  "out:8", "--print",	 "x",
		"--dump",   "out=/tmp/o=1",   "--groups", "1,2,3", "file.co",	 NULL};
	struct bw_launch_options o = {0};
	int used;
	assert_null(take_all(&o, words, &used));
	assert_int_equal(used, 16);
	assert_string_equal(o.kernel, "saxpy");
	assert_true(o.has_grid && o.has_group && o.has_groups && !o.has_raw);
	assert_int_equal(o.grid[0], 256);
	assert_int_equal(o.grid[1], 2);
	assert_int_equal(o.grid[2], 1);
	assert_int_equal(o.group[0], 64);
	assert_int_equal(o.groups[2], 3);
	assert_int_equal(o.args.len, 2);
	assert_string_equal(o.args.data[0].name, "a");
	assert_string_equal(o.args.data[0].value, "2.0");
	assert_string_equal(o.args.data[1].name, "x");
	assert_string_equal(o.args.data[1].value, "iota:4");
	assert_int_equal(o.prints.len, 2);
	assert_string_equal(o.prints.data[0].name, "out");
	assert_int_equal(o.prints.data[0].count, 8);
	assert_int_equal(o.prints.data[1].count, 0);
	assert_string_equal(o.dumps.data[0].value, "/tmp/o=1");
	assert_int_equal(o.words.len, 16);
	assert_ptr_equal(o.words.data[4], words[4]);
	bw_launch_options_fini(&o);
}

static void raw_options(void **state)
{
	const char *words[] = {
		"--vgprs",	     "32",	  "--sgprs", "100", "--lds",	   "1k",
		"--scratch",	     "256",	  "--wave",  "64",  "--user-sgpr", "2=0x10",
		"--user-sgpr=15=-1", "--code-in", "gtt",     NULL};
	struct bw_launch_options o = {0};
	int used;
	assert_null(take_all(&o, words, &used));
	assert_int_equal(used, 15);
	assert_true(o.has_raw);
	assert_true(o.code_in_gtt);
	assert_int_equal(o.vgprs, 32);
	assert_int_equal(o.sgprs, 100);
	assert_int_equal(o.lds_b, 1024);
	assert_int_equal(o.scratch_b, 256);
	assert_int_equal(o.wave, 64);
	assert_int_equal(o.user_sgpr_mask, 0x8004);
	assert_int_equal(o.user_sgpr[2], 0x10);
	assert_int_equal(o.user_sgpr[15], 0xffffffff);
	bw_launch_options_fini(&o);
}

static void refuse_them(void **state)
{
	static const struct {
		const char *word, *value, *message;
	} rows[] = {
		{"--grid", "0", "needs at least 1"},
		{"--grid", "64,0", "needs at least 1"},
		{"--grid", "", "not a size"},
		{"--grid", "1,2,3,4", "not a size"},
		{"--grid", "x", "not a size"},
		{"--grid", "1,", "not a size"},
		{"--grid", "4294967296", "32 bits"},
		{"--groups", "-1", "not a size"},
		{"--grid", NULL, "needs a value"},
		{"--arg", "a", "--arg NAME=VALUE"},
		{"--arg", "=2", "--arg NAME=VALUE"},
		{"--arg", "a=", "--arg NAME=VALUE"},
		{"--print", ":8", "NAME[:COUNT]"},
		{"--print", "out:0", "'0' is not a number of elements"},
		{"--print", "out:x", "'x' is not a number"},
		{"--dump", "out", "NAME=FILE"},
		{"--wave", "48", "32 or 64"},
		{"--code-in", "doorbell", "gtt"},
		{"--wave", "320", "32 or 64"},
		{"--vgprs", "257", "at most 256"},
		{"--vgprs", "many", "not a number"},
		{"--lds", "65537", "at most 65536"},
		{"--user-sgpr", "16=0", "0 to 15"},
		{"--user-sgpr", "1", "I=VALUE"},
		{"--user-sgpr", "0=x", "'x' is not a number"},
		{"--user-sgpr", "0=4294967296", "32 bits"},
		{"--kernel", "", "needs a name"},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		const char *argv[] = {rows[i].word, rows[i].value, NULL};
		struct bw_launch_options o = {0};
		int used;
		struct bw_error *err = take_all(&o, argv, &used);
		if (!err)
			fail_msg("%s %s was taken", rows[i].word, rows[i].value);
		assert_int_equal(err->code, BW_E_INVALID);
		if (!strstr(err->message, rows[i].message) || !strstr(err->message, rows[i].word))
			fail_msg("%s %s: '%s' does not say '%s'", rows[i].word, rows[i].value,
				 err->message, rows[i].message);
		bw_error_free(err);
		bw_launch_options_fini(&o);
	}
}

static void leave_others(void **state)
{
	char word[] = "--gridlock", *argv[] = {word, word, NULL};
	struct bw_launch_options o = {0};
	int i = 0;
	bool taken = true;
	assert_null(bw_launch_options_take(&o, 2, argv, &i, &taken));
	assert_false(taken);
	assert_int_equal(i, 0);
	assert_int_equal(o.words.len, 0);
}

TESTS(take_them, raw_options, refuse_them, leave_others);
