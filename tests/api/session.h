/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_API_SESSION_H
#define BW_TESTS_API_SESSION_H

/* Sessions of kernels whose values are known, for tests of the library. */

#include <breakwater/breakwater.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../suite.h"

static inline void ok(struct breakwater_error *err)
{
	if (err)
		fail_msg("%s", breakwater_error_message(err));
}

/* The call has failed with this code, and the sentence has these words. */
static inline void fails(struct breakwater_error *err, int code, const char *words)
{
	assert_non_null(err);
	if (!strstr(breakwater_error_message(err), words))
		fail_msg("\"%s\" has not \"%s\"", breakwater_error_message(err), words);
	assert_int_equal(breakwater_error_code(err), code);
	breakwater_error_free(err);
}

static inline struct breakwater_session *open_saxpy(void)
{
	static const char *const words[] = {"run",     "examples/saxpy.s",
					    "--grid",  "128",
					    "--group", "64",
					    "--arg",   "a=2.0",
					    "--arg",   "x=iota:128",
					    "--arg",   "y=fill:128:1",
					    "--arg",   "out=zeros:128",
					    NULL};
	struct breakwater_session *s = NULL;
	ok(breakwater_open(words, &s));
	return s;
}

static inline struct breakwater_session *open_loop(void)
{
	static const char *const words[] = {"run",     "tests/e2e/kernels/loop.s",
					    "--grid",  "64",
					    "--group", "64",
					    "--arg",   "out=zeros:4",
					    NULL};
	struct breakwater_session *s = NULL;
	ok(breakwater_open(words, &s));
	return s;
}

/* Waits, frees the event, and returns its kind. */
static inline enum breakwater_event_kind wait_kind(struct breakwater_session *s)
{
	struct breakwater_event *e = NULL;
	ok(breakwater_wait(s, -1, &e));
	assert_non_null(e);
	enum breakwater_event_kind kind = breakwater_event_kind(e);
	breakwater_event_free(e);
	return kind;
}

static inline struct breakwater_session *stopped_saxpy(void)
{
	uint32_t number;
	struct breakwater_session *s = open_saxpy();
	ok(breakwater_break(s, "tbreak compute", &number));
	ok(breakwater_start(s));
	assert_int_equal(wait_kind(s), BREAKWATER_EVENT_STOPPED);
	return s;
}

/* Its waves loop for ever. */
static inline struct breakwater_session *running_loop(void)
{
	uint32_t number;
	struct breakwater_session *s = open_loop();
	ok(breakwater_break(s, "tbreak loop", &number));
	ok(breakwater_start(s));
	assert_int_equal(wait_kind(s), BREAKWATER_EVENT_STOPPED);
	ok(breakwater_continue(s));
	return s;
}

/* Kernels are named from there. */
static inline int enter_source(void **state)
{
	const char *source = getenv("BREAKWATER_SOURCE");
	return source && chdir(source);
}

#endif
