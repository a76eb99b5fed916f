/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

/* The tests of a folder are one program, whose main is suite.c:
 *
 *   test_FOLDER NAME [TEST]   runs the tests of test_NAME.c, or that one of them
 *   test_FOLDER               runs the tests of each file, in a process of its own
 *   test_FOLDER --list        prints the names of the files
 *
 * A file lists its tests at its end, in one of the ways below or in several: TESTS alone,
 * TESTS_EACH with functions that run before and after each of them, TESTS_AROUND with functions
 * that run before the first and after the last one. NULL stands for no function. Lists run in any
 * order, the tests of one in its order. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define TESTS(...) SUITE(#__VA_ARGS__, .tests = {__VA_ARGS__})
#define TESTS_EACH(before, after, ...)                                                             \
	SUITE(#__VA_ARGS__, .setup = before, .teardown = after, .tests = {__VA_ARGS__})
#define TESTS_AROUND(before, after, ...)                                                           \
	SUITE(#__VA_ARGS__, .group_setup = before, .group_teardown = after, .tests = {__VA_ARGS__})
/* What is no list of tests: `fn` runs them, and returns how many have failed. */
#define TESTS_RUN_BY(fn) SUITE("", .run = fn)

enum { SUITE_MAX_TESTS = 64 };

struct suite {
	const char *file, *names; /* of the tests: "first, second" */
	CMFixtureFunction setup, teardown, group_setup, group_teardown;
	CMUnitTestFunction tests[SUITE_MAX_TESTS];
	int (*run)(void);
};

/* The linker collects the pointers of a program's files in the section. */
#define SUITE(names, ...)                                                                          \
	static const struct suite *const SUITE_AT(__LINE__)                                        \
		__attribute__((used, section("suites"))) = &(const struct suite)                   \
	{                                                                                          \
		__FILE__, names, __VA_ARGS__                                                       \
	}
#define SUITE_AT(line) SUITE_JOIN(suite_, line)
#define SUITE_JOIN(a, b) a##b

#endif
