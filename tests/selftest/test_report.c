/* SPDX-License-Identifier: MIT */
/* The report of a self-test, and the tables of its steps and inferences. */
#include "../suite.h"

#include <string.h>

#include "base/util.h"
#include "selftest/selftest_priv.h"

static struct bw_error *nothing(void *step)
{
	return NULL;
}

static void says_what_each_step_found(void **state)
{
	static const struct bw_selftest_step steps[] = {{"look", "Looks.", "Nothing.", nothing},
							{"trap", "Traps.", "Much.", nothing},
							{"ask", "Asks.", "Little.", NULL},
							{"kill", "Kills.", "More.", nothing}};
	static const struct bw_selftest_inference inferences[] = {
		{"first", "It holds.", "rule 1", nothing},
		{"second", "It does not.", "rule 2", nothing},
		{"third", "Who knows?", "rule 3", nothing}};
	static struct bw_selftest_result results[BW_ARRAY_SIZE(steps)],
		answers[BW_ARRAY_SIZE(inferences)];
	struct bw_selftest t = {steps,	    results, BW_ARRAY_SIZE(steps),
				inferences, answers, BW_ARRAY_SIZE(inferences)};
	static const struct bw_private hide;
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
	results[2].verdict = BW_SELFTEST_PASSED;
	answers[0].holds = BW_SELFTEST_YES;
	answers[1] = (struct bw_selftest_result){.holds = BW_SELFTEST_NO,
						 .why = "memory: 1, not 2",
						 .n_values = 1,
						 .values = {{"PC", "0x10"}}};
	bw_selftest_report(&t, "1.2.3", &hide, &text);
	assert_string_equal(bw_str_text(&text),
			    "Breakwater self-test, version 1.2.3\n"
			    "A step that is \"running\" is one that this machine did not survive.\n"
			    "\nlook: passed, 1.50 s\n"
			    "  GC: 11.0.0\n"
			    "\ntrap: hung, and the GPU does not answer, 120.00 s\n"
			    "  reason: It did\\033 not end.\n"
			    "  last: waiting\n"
			    "  (3 more values)\n"
			    "\nask: passed\n"
			    "  first: yes\n"
			    "  second: no: memory: 1, not 2\n"
			    "    PC: 0x10\n"
			    "  third: unknown\n"
			    "\nkill: not run\n");
	bw_str_clear(&text);
	t.is_model = true;
	bw_selftest_report(&t, "1.2.3", &hide, &text);
	assert_non_null(strstr(bw_str_text(&text),
			       "\nask: passed\n  " BW_SELFTEST_OF_MODEL "\n  first: yes\n"));
	bw_str_free(&text);
}

/* Names that are planted where text from outside comes into the report. */
static void hides_names(void **state)
{
	static const struct bw_selftest_step steps[] = {{"look", "Looks.", "Nothing.", nothing}};
	static struct bw_selftest_result results[1];
	struct bw_selftest t = {.steps = steps, .results = results, .n = 1};
	struct bw_private hide = {0};
	struct bw_str text = {0};
	bw_private_add(&hide, "erika", "USER");
	bw_private_add(&hide, "/srv/people/erika/", "~");
	bw_private_add(&hide, "box7.example.org", "HOST");
	bw_private_add(&hide, "box7", "HOST");
	bw_private_add(&hide, "e", "SHORT");
	bw_private_add(&hide, NULL, "NONE");
	assert_int_equal(hide.n, 4);
	results[0] = (struct bw_selftest_result){
		.verdict = BW_SELFTEST_FAILED,
		.why = "cannot open /srv/people/erika/a.bin and /home/max/b, says erika@box7",
		.doing = "asking box7.example.org, not box77, erika2 or merika",
		.n_values = 1,
		.values = {{"file", "\"/home/max\", /srv/people/erika, /srv/people/erika-old"}}};
	bw_selftest_report(&t, "1", &hide, &text);
	assert_non_null(strstr(bw_str_text(&text),
			       "  reason: cannot open ~/a.bin and /home/USER/b, says USER@HOST.\n"
			       "  last: asking HOST, not box77, erika2 or merika\n"
			       "  file: \"/home/USER\", ~, /srv/people/erika-old\n"));
	bw_str_free(&text);
}

static void has_a_row_for_each_step(void **state)
{
	size_t n;
	const struct bw_selftest_step *steps = bw_selftest_steps(&n);
	assert_true(n > 10);
	for (size_t i = 0; i < n; i++) {
		const char *texts[] = {steps[i].does, steps[i].risk};
		assert_true(steps[i].run || i == n - 1);
		for (size_t k = 0; k < BW_ARRAY_SIZE(texts); k++)
			assert_int_equal(texts[k][strlen(texts[k]) - 1], '.');
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(steps[k].name, steps[i].name);
	}
	assert_string_equal(steps[0].name, "access");
	assert_string_equal(steps[n - 1].name, "inferences");
}

static void has_a_kernel_for_each_inference(void **state)
{
	size_t n;
	const struct bw_selftest_inference *all = bw_selftest_inferences(&n);
	assert_true(n > 15);
	for (size_t i = 0; i < n; i++) {
		struct bw_selftest_kernel k = bw_selftest_kernel(all[i].name);
		size_t words = 0;
		assert_int_equal(all[i].sentence[strlen(all[i].sentence) - 1], '.');
		assert_true(k.size_b > 64 * 4 && !(k.size_b % 4) && !(k.mark_b % 4));
		while (all[i].words[words].what)
			words++;
		assert_true(words < BW_SELFTEST_WORDS);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(all[j].name, all[i].name);
	}
}

/* The lines are those of Linux 6.12: amdgpu_vm_print_task_info, amdgpu_job_timedout. */
static void has_lines_of_the_driver(void **state)
{
	static const struct {
		const char *line, *expected; /* NULL: not of the driver */
	} cases[] = {
		{"<6>[   12.000001] usb 1-1: new device", NULL},
		{"<3>[   12.000001] amdgpu 0000:03:00.0: ring timeout",
		 "[   12.000001] amdgpu 0000:03:00.0: ring timeout"},
		{"[drm] gone", "[drm] gone"},
		{"amdgpu:  in process exec_zero.bin pid 222 thread exec_zero.bin pid 222)",
		 "amdgpu:  in process exec_zero.bin pid 222 thread exec_zero.bin pid 222)"},
		{"amdgpu: Process silent_exceptio pid 3 thread silent_exceptio pid 3",
		 "amdgpu: Process silent_exceptio pid 3 thread silent_exceptio pid 3"},
		{"amdgpu: Process Web pid 1 pid 2 thread a b:cs0 pid 3",
		 "amdgpu: Process PROGRAM pid 1 pid 2 thread PROGRAM pid 3"},
		{"amdgpu: Process empty.bin.old pid 2 thread  pid 3",
		 "amdgpu: Process PROGRAM pid 2 thread PROGRAM pid 3"},
		{"amdgpu: process without end", "amdgpu: process without end"},
		{"amdgpu: rocess ", "amdgpu: rocess "},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_str text = {0};
		bool is_of_driver =
			bw_selftest_log_line(cases[i].line, strlen(cases[i].line), &text);
		assert_int_equal(is_of_driver, cases[i].expected != NULL);
		assert_string_equal(bw_str_text(&text), is_of_driver ? cases[i].expected : "");
		bw_str_free(&text);
	}
}

static void finds_new_lines(void **state)
{
	static const struct {
		const char *before, *now, *expected;
	} cases[] = {
		{"", "a\nb\n", "a\nb\n"},
		{"a\nb\n", "a\nb\n", ""},
		{"a\nb\n", "a\nb\nc\n", "c\n"},
		{"a\nb\n", "b\nc\nd\n", "c\nd\n"},	/* the oldest is gone */
		{"a\nb\n", "b\nb\nc\n", "c\n"},		/* the last of equal ones */
		{"a\nb\n", "x\nbb\nc\n", "x\nbb\nc\n"}, /* all that was seen is gone */
		{"a\nb", "b", ""},
		{"a\nb\n", "", ""},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++)
		assert_string_equal(bw_selftest_log_after(cases[i].before, cases[i].now),
				    cases[i].expected);
}

TESTS(says_what_each_step_found, has_lines_of_the_driver, finds_new_lines, hides_names,
      has_a_row_for_each_step, has_a_kernel_for_each_inference);
