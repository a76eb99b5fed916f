/* SPDX-License-Identifier: MIT */
/* The report of a self-test, and the table of its steps. */
#include "../suite.h"

#include <string.h>

#include "base/util.h"
#include "selftest/selftest.h"

static struct bw_error *nothing(void *step)
{
	return NULL;
}

static void says_what_each_step_found(void **state)
{
	static const struct bw_selftest_step steps[] = {{"look", "Looks.", "Nothing.", nothing},
							{"trap", "Traps.", "Much.", nothing},
							{"kill", "Kills.", "More.", nothing}};
	static struct bw_selftest_result results[BW_ARRAY_SIZE(steps)];
	struct bw_selftest t = {steps, results, BW_ARRAY_SIZE(steps)};
	struct bw_str text = {0};
	results[0] = (struct bw_selftest_result){.verdict = BW_SELFTEST_PASSED,
						 .seconds = 1.5,
						 .doing = "reading",
						 .n_values = 1,
						 .values = {{"GC", "11.0.0"}}};
	results[1] = (struct bw_selftest_result){.verdict = BW_SELFTEST_GPU_HUNG,
						 .seconds = 120,
						 .why = "It did\033 not end",
						 .doing = "waiting",
						 .n_left_out = 3};
	bw_selftest_report(&t, "1.2.3", &text);
	assert_string_equal(bw_str_text(&text),
			    "Breakwater self-test, version 1.2.3\n"
			    "A step that is \"running\" is one that this machine did not survive.\n"
			    "\nlook: passed, 1.50 s\n"
			    "  GC: 11.0.0\n"
			    "\ntrap: hung, and the GPU does not answer, 120.00 s\n"
			    "  reason: It did\\033 not end.\n"
			    "  last: waiting\n"
			    "  (3 more values)\n"
			    "\nkill: not run\n");
	bw_str_free(&text);
}

static void has_a_row_for_each_step(void **state)
{
	size_t n;
	const struct bw_selftest_step *steps = bw_selftest_steps(&n);
	assert_true(n > 10);
	for (size_t i = 0; i < n; i++) {
		const char *texts[] = {steps[i].does, steps[i].risk};
		assert_non_null(steps[i].run);
		for (size_t k = 0; k < BW_ARRAY_SIZE(texts); k++)
			assert_int_equal(texts[k][strlen(texts[k]) - 1], '.');
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(steps[k].name, steps[i].name);
	}
	assert_string_equal(steps[0].name, "access");
	assert_string_equal(steps[n - 1].name, "kill");
}

TESTS(says_what_each_step_found, has_a_row_for_each_step);
