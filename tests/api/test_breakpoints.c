/* SPDX-License-Identifier: MIT */
/* Breakpoints of libbreakwater: by words, by a struct, and functions that decide about hits. */
#include <breakwater/breakwater.h>

#include <string.h>

#include "../suite.h"
#include "session.h"

struct asked {
	unsigned n;
	bool stops;
};

static bool decide(void *cookie, struct breakwater_session *s, uint32_t number, uint32_t wave)
{
	struct asked *a = cookie;
	struct breakwater_value *v;
	float lanes[32];
	char *text;
	size_t n;
	ok(breakwater_register_read(s, wave, "v2", lanes, sizeof(lanes)));
	ok(breakwater_evaluate(s, wave, 4, "as_float($v2[4])", &v));
	assert_true(breakwater_value_float(v, 0) == lanes[4]);
	breakwater_value_free(v);
	fails(breakwater_continue(s), BREAKWATER_E_STATE, "breakpoint's function");
	fails(breakwater_command(s, "info waves", false, &text), BREAKWATER_E_STATE,
	      "breakpoint's function");
	fails(breakwater_waves(s, NULL, 0, &n), BREAKWATER_E_STATE, "breakpoint's function");
	fails(breakwater_register_read(s, wave + 1, "v2", lanes, sizeof(lanes)), BREAKWATER_E_STATE,
	      "its own wave");
	a->n++;
	return a->stops;
}

static void functions_decide_about_hits(void **state)
{
	struct breakwater_break b = {.size_b = sizeof(b)};
	struct asked a = {0};
	uint32_t number;
	struct breakwater_session *s = open_saxpy();
	ok(breakwater_break(s, "compute if $_workgroup == 1,0,0", &number));
	ok(breakwater_break_function(s, number, decide, &a));
	ok(breakwater_start(s));
	assert_int_equal(wait_kind(s), BREAKWATER_EVENT_EXITED);
	assert_int_equal(a.n, 2); /* waves of that workgroup */
	ok(breakwater_break_get(s, number, &b));
	assert_int_equal(b.hits, 0);
	a = (struct asked){.stops = true};
	ok(breakwater_start(s));
	assert_int_equal(wait_kind(s), BREAKWATER_EVENT_STOPPED);
	assert_true(a.n >= 1);
	ok(breakwater_break_function(s, number, NULL, NULL));
	ok(breakwater_break_delete(s, number));
	ok(breakwater_continue(s));
	assert_int_equal(wait_kind(s), BREAKWATER_EVENT_EXITED);
	breakwater_close(s);
}

static void breakpoints_are_set_by_words(void **state)
{
	static const struct {
		const char *text, *place;
		enum breakwater_break_kind kind;
	} good[] = {{"saxpy.s:26", "saxpy.s:26", BREAKWATER_BREAK_CODE},
		    {"break store", "store", BREAKWATER_BREAK_CODE},
		    {"tbreak store", "store", BREAKWATER_BREAK_CODE},
		    {"catch fp div0", "catch fp div0", BREAKWATER_BREAK_EXCEPTION},
		    {"watch out[5]", "out[5]", BREAKWATER_BREAK_WATCH},
		    {"dprintf store,\"%d\\n\",$_lane", "store", BREAKWATER_BREAK_CODE}};
	struct breakwater_break b = {.size_b = sizeof(b)};
	uint32_t number, before = 0, all[16];
	size_t n;
	char *text;
	struct breakwater_session *s = stopped_saxpy();
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ok(breakwater_break(s, good[i].text, &number));
		assert_true(number > before);
		before = number;
		ok(breakwater_break_get(s, number, &b));
		assert_int_equal(b.kind, good[i].kind);
		ok(breakwater_break_text(s, number, BREAKWATER_BREAK_PLACE, &text));
		assert_string_equal(text, good[i].place);
		breakwater_free(text);
	}
	ok(breakwater_breaks(s, all, 16, &n));
	assert_int_equal(n, 6);
	ok(breakwater_break_condition(s, all[0], "$_lane == 3"));
	ok(breakwater_break_text(s, all[0], BREAKWATER_BREAK_CONDITION, &text));
	assert_string_equal(text, "$_lane == 3");
	breakwater_free(text);
	ok(breakwater_break_enable(s, all[0], false));
	ok(breakwater_break_ignore(s, all[0], 5));
	ok(breakwater_break_get(s, all[0], &b));
	assert_int_equal(b.enabled, 0);
	assert_int_equal(b.ignore, 5);
	ok(breakwater_break_delete(s, all[0]));
	fails(breakwater_break_get(s, all[0], &b), BREAKWATER_E_NOT_FOUND, "No breakpoint");
	fails(breakwater_break_delete(s, 0), BREAKWATER_E_NOT_FOUND, "No breakpoint");
	fails(breakwater_break(s, "no_such_place", &number), BREAKWATER_E_NOT_FOUND,
	      "no_such_place");
	fails(breakwater_break(s, "catch fault now", &number), BREAKWATER_E_INVALID,
	      "Nothing was set");
	fails(breakwater_break(s, "", &number), BREAKWATER_E_INVALID, "needs a place");
	fails(breakwater_break_condition(s, all[1], "1 +"), BREAKWATER_E_INVALID, "");
	breakwater_close(s);
}

/* As many waves as the words "compute if $_workgroup == 1,0,0" stop above. */
static void breakpoints_are_set_by_a_struct(void **state)
{
	struct breakwater_break_at at = {.size_b = sizeof(at),
					 .place = "saxpy.s:26",
					 .condition = "$_workgroup == 1,0,0",
					 .temporary = true};
	struct breakwater_break b = {.size_b = sizeof(b)};
	uint32_t number, waves[16];
	size_t n;
	char *text;
	struct breakwater_session *s = open_saxpy();
	ok(breakwater_break_set(s, &at, &number));
	ok(breakwater_break_text(s, number, BREAKWATER_BREAK_PLACE, &text));
	assert_string_equal(text, "saxpy.s:26");
	breakwater_free(text);
	ok(breakwater_break_text(s, number, BREAKWATER_BREAK_CONDITION, &text));
	assert_string_equal(text, "$_workgroup == 1,0,0");
	breakwater_free(text);
	ok(breakwater_start(s));
	assert_int_equal(wait_kind(s), BREAKWATER_EVENT_STOPPED);
	ok(breakwater_waves(s, waves, 16, &n));
	assert_true(n >= 1);
	fails(breakwater_break_get(s, number, &b), BREAKWATER_E_NOT_FOUND, "No breakpoint");
	/* nothing of a place is a command, a condition or a wave */
	at.place = "compute if 1";
	fails(breakwater_break_set(s, &at, &number), BREAKWATER_E_INVALID, "compute if 1");
	at.place = "catch fp";
	fails(breakwater_break_set(s, &at, &number), BREAKWATER_E_INVALID, "catch fp");
	at.place = "compute";
	at.condition = "1 +";
	fails(breakwater_break_set(s, &at, &number), BREAKWATER_E_INVALID, "");
	at.condition = NULL;
	at.size_b = 0;
	fails(breakwater_break_set(s, &at, &number), BREAKWATER_E_INVALID, "size_b is 0");
	/* a caller of an older version knows the place alone */
	at.size_b = offsetof(struct breakwater_break_at, condition);
	at.condition = "1 +";
	ok(breakwater_break_set(s, &at, &number));
	/* where the focus is */
	at = (struct breakwater_break_at){.size_b = sizeof(at)};
	ok(breakwater_break_set(s, &at, &number));
	breakwater_close(s);
}

TESTS_AROUND(enter_source, NULL, functions_decide_about_hits, breakpoints_are_set_by_words,
	     breakpoints_are_set_by_a_struct);
