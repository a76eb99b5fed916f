/* SPDX-License-Identifier: MIT */
/* Which submissions a trigger takes. */
#include <stdint.h>
#include <string.h>

#include "../suite.h"
#include "record/trigger.h"

/* A character for each submission: its frame, "1" to "9" of process 1, "a" to "i" of process 2.
 * What is taken stays, what is not becomes ".". */
static void run(struct bw_capture_trigger *t, const char *frames, char *out)
{
	for (; *frames; frames++) {
		bool second = *frames >= 'a';
		const struct bw_capture_candidate c = {
			.pid = second ? 2 : 1,
			.frame = (uint32_t)(second ? *frames - 'a' + 1 : *frames - '0'),
			.names = "",
		};
		*out++ = bw_capture_trigger_take(t, &c) ? *frames : '.';
	}
	*out = '\0';
}

static void takes_all_without_one(void **state)
{
	struct bw_capture_trigger t = {0};
	char out[32];
	assert_false(bw_capture_trigger_asks(&t));
	bw_capture_trigger_begin(&t);
	run(&t, "0012", out);
	assert_string_equal(out, "0012");
}

static void takes_the_next(void **state)
{
	struct bw_capture_trigger t = {.waits = true};
	char out[32];
	assert_true(bw_capture_trigger_asks(&t));
	bw_capture_trigger_begin(&t);
	run(&t, "111", out);
	assert_string_equal(out, "...");
	bw_capture_trigger_next(&t, 2);
	run(&t, "1112", out);
	assert_string_equal(out, "11..");
	bw_capture_trigger_next(&t, -1);
	run(&t, "2222", out);
	assert_string_equal(out, "2222");
	bw_capture_trigger_next(&t, 0);
	run(&t, "2222", out);
	assert_string_equal(out, "....");
	assert_false(t.is_over);
}

static void takes_a_frame(void **state)
{
	struct bw_capture_trigger t = {.waits = true};
	char out[32];
	bw_capture_trigger_begin(&t);
	bw_capture_trigger_next_frame(&t);
	/* the second one is the first whose start is seen; 0: the program has not presented */
	run(&t, "0033a4b4c5d5", out);
	assert_string_equal(out, ".....4.4....");
	run(&t, "5566", out);
	assert_string_equal(out, "....");
	bw_capture_trigger_next_frame(&t);
	run(&t, "678", out);
	assert_string_equal(out, ".7.");
	/* by its number, of every process */
	t = (struct bw_capture_trigger){.frame = 2};
	bw_capture_trigger_begin(&t);
	run(&t, "11a2b2", out);
	assert_string_equal(out, "...2b2");
	assert_false(t.is_over);
	run(&t, "32", out);
	assert_string_equal(out, "..");
	assert_true(t.is_over);
}

static bool takes(struct bw_capture_trigger *t, const char *names, size_t names_b)
{
	const struct bw_capture_candidate c = {.pid = 1, .names = names, .names_b = names_b};
	return bw_capture_trigger_take(t, &c);
}

static void takes_from_label_to_label(void **state)
{
	/* levels, a pipeline; none of them ended */
	static const char first[] = "frame\x1fshadow\0blur",
			  second[] = "\0\0frame\x1f"
				     "light*\0",
			  third[] = "li";
	struct bw_capture_trigger t = {.from_label = "shad?w", .to_label = "light\\*"};
	bw_capture_trigger_begin(&t);
	assert_false(takes(&t, "", 0));
	assert_false(takes(&t, second, sizeof(second)));
	assert_false(takes(&t, first, 9));
	assert_true(takes(&t, first, sizeof(first) - 1));
	assert_true(takes(&t, third, 2));
	assert_true(takes(&t, second, sizeof(second)));
	assert_true(t.is_over);
	assert_false(takes(&t, first, sizeof(first)));
	/* a pipeline, of which the last byte is not zero */
	t = (struct bw_capture_trigger){.from_label = "blur"};
	bw_capture_trigger_begin(&t);
	assert_true(takes(&t, first, sizeof(first) - 1));
}

TESTS(takes_all_without_one, takes_the_next, takes_a_frame, takes_from_label_to_label);
