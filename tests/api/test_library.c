/* SPDX-License-Identifier: MIT */
/* The functions of libbreakwater on the virtual GPU, through the shared library: what they say of a
 * kernel whose values are known, and their errors. */
#include <breakwater/breakwater.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../suite.h"
#include "session.h"

/* ---- Opening ---- */

static void bad_words_are_refused(void **state)
{
	static const char *const none[] = {NULL}, *const other[] = {"doctor", NULL};
	static const char *const missing[] = {"run", "no/such/kernel.s", NULL};
	static const char *const bare[] = {"run", "examples/saxpy.s", "--grid", "64", NULL};
	static const char *const screen[] = {"run", "-ex", "run", "examples/saxpy.s", NULL};
	static const char *const nobody[] = {"attach", "2147483646", NULL};
	struct breakwater_session *s = NULL;
	fails(breakwater_open(NULL, &s), BREAKWATER_E_INVALID, "needs words");
	fails(breakwater_open(none, &s), BREAKWATER_E_INVALID, "needs words");
	fails(breakwater_open(other, &s), BREAKWATER_E_INVALID, "not by \"doctor\"");
	fails(breakwater_open(missing, &s), BREAKWATER_E_SYSTEM, "no/such/kernel.s");
	fails(breakwater_open(bare, &s), BREAKWATER_E_INVALID, "--arg");
	fails(breakwater_open(screen, &s), BREAKWATER_E_UNSUPPORTED, "a library's session");
	struct breakwater_error *err = breakwater_open(nobody, &s);
	assert_non_null(err);
	breakwater_error_free(err);
	assert_null(s);
	fails(breakwater_current(&s), BREAKWATER_E_STATE, "no session of a command line");
}

static void closed_and_missing_handles_are_told(void **state)
{
	size_t n;
	struct breakwater_session *s = open_saxpy();
	assert_true(breakwater_is_open(s));
	breakwater_close(s);
	assert_false(breakwater_is_open(s));
	fails(breakwater_start(s), BREAKWATER_E_STATE, "has been closed");
	fails(breakwater_waves(s, NULL, 0, &n), BREAKWATER_E_STATE, "has been closed");
	breakwater_close(s);
	breakwater_interrupt(s);
	fails(breakwater_start(NULL), BREAKWATER_E_INVALID, "no session");
	breakwater_close(NULL);
	breakwater_interrupt(NULL);
}

/* ---- What is stopped ---- */

static void waves_are_those_of_the_kernel(void **state)
{
	struct breakwater_wave w = {.size_b = sizeof(w)};
	struct breakwater_dispatch d = {.size_b = sizeof(d)};
	uint32_t numbers[8], item[3], wave, lane;
	size_t n;
	char *text;
	struct breakwater_session *s = stopped_saxpy();
	ok(breakwater_waves(s, numbers, 8, &n));
	assert_int_equal(n, 4); /* 128 work-items in wave32 */
	ok(breakwater_waves(s, NULL, 0, &n));
	assert_int_equal(n, 4);
	ok(breakwater_wave(s, numbers[3], &w));
	assert_int_equal(w.number, numbers[3]);
	assert_int_equal(w.workgroup[0], 1);
	assert_int_equal(w.wave_in_group, 1);
	assert_int_equal(w.lanes, 32);
	assert_int_equal(w.exec, 0xffffffff);
	ok(breakwater_work_item(s, numbers[3], 5, item));
	assert_int_equal(item[0], 37);
	fails(breakwater_work_item(s, numbers[3], 32, item), BREAKWATER_E_NOT_FOUND, "lane 32");
	ok(breakwater_wave_text(s, numbers[3], BREAKWATER_WAVE_NAME, &text));
	assert_string_equal(text, "AMDGPU Wave 1:1:1:4 (1,0,0)/1");
	breakwater_free(text);
	ok(breakwater_focus(s, &wave, &lane));
	ok(breakwater_wave_text(s, wave, BREAKWATER_WAVE_REASONS, &text));
	assert_string_equal(text, "BREAKPOINT");
	breakwater_free(text);
	ok(breakwater_wave_text(s, wave, BREAKWATER_WAVE_WHERE, &text));
	assert_string_equal(text, "saxpy () at saxpy.s:26");
	breakwater_free(text);
	ok(breakwater_set_focus(s, numbers[2], 7));
	ok(breakwater_focus(s, &wave, &lane));
	assert_int_equal(wave, numbers[2]);
	assert_int_equal(lane, 7);
	ok(breakwater_dispatches(s, numbers, 8, &n));
	assert_int_equal(n, 1);
	ok(breakwater_dispatch(s, numbers[0], &d));
	assert_int_equal(d.groups[0], 2);
	assert_int_equal(d.group[0], 64);
	ok(breakwater_dispatch_kernel(s, numbers[0], &text));
	assert_string_equal(text, "saxpy");
	breakwater_free(text);
	fails(breakwater_wave(s, 999, &w), BREAKWATER_E_NOT_FOUND, "Wave 999");
	fails(breakwater_dispatch(s, 999, &d), BREAKWATER_E_NOT_FOUND, "dispatch 999");
	fails(breakwater_set_focus(s, 999, -1), BREAKWATER_E_NOT_FOUND, "Wave 999");
	breakwater_close(s);
}

static void old_structs_get_what_fits(void **state)
{
	struct breakwater_wave w;
	memset(&w, 0xee, sizeof(w));
	w.size_b = offsetof(struct breakwater_wave, lanes);
	uint32_t number, beyond = w.lanes;
	size_t n;
	struct breakwater_session *s = stopped_saxpy();
	ok(breakwater_waves(s, &number, 1, &n));
	ok(breakwater_wave(s, number, &w));
	assert_int_equal(w.number, number);
	assert_int_equal(w.lanes, beyond);
	w.size_b = 0;
	fails(breakwater_wave(s, number, &w), BREAKWATER_E_INVALID, "size_b is 0");
	breakwater_close(s);
}

static void registers_are_rows_of_dwords(void **state)
{
	float v2[32];
	uint32_t scalar[2], pair[4], exec;
	uint64_t pc;
	uint32_t wave, lane;
	size_t size_b;
	struct breakwater_wave w = {.size_b = sizeof(w)};
	struct breakwater_session *s = stopped_saxpy();
	ok(breakwater_focus(s, &wave, &lane));
	ok(breakwater_wave(s, wave, &w));
	ok(breakwater_register_size(s, wave, "v[2:3]", &size_b));
	assert_int_equal(size_b, 2 * 32 * 4);
	ok(breakwater_register_read(s, wave, "v2", v2, sizeof(v2)));
	float first = 64.0f * (float)w.workgroup[0] + 32.0f * (float)w.wave_in_group;
	for (int i = 0; i < 32; i++)
		assert_true(v2[i] == first + (float)i);
	ok(breakwater_register_read(s, wave, "pc", &pc, sizeof(pc)));
	assert_true(pc == w.pc);
	ok(breakwater_register_read(s, wave, "exec", &exec, sizeof(exec)));
	assert_int_equal(exec, 0xffffffff);
	ok(breakwater_register_read(s, wave, "s4", scalar, 4));
	assert_int_equal(scalar[0], 0x40000000); /* a = 2.0 */
	ok(breakwater_register_read(s, wave, "s[8:11]", pair, sizeof(pair)));
	fails(breakwater_register_read(s, wave, "s4", scalar, 8), BREAKWATER_E_INVALID,
	      "s4 has 4 bytes, not 8");
	fails(breakwater_register_read(s, wave, "q4", scalar, 4), BREAKWATER_E_NOT_FOUND,
	      "no register \"q4\"");
	fails(breakwater_register_read(s, wave, "v200", v2, sizeof(v2)), BREAKWATER_E_NOT_FOUND,
	      "v200");
	for (int i = 0; i < 32; i++)
		v2[i] = 0.5f;
	ok(breakwater_register_write(s, wave, "v2", v2, sizeof(v2)));
	ok(breakwater_lane_write(s, wave, "v2", 3, 0x42280000)); /* 42.0 */
	ok(breakwater_register_read(s, wave, "v2", v2, sizeof(v2)));
	assert_true(v2[2] == 0.5f && v2[3] == 42.0f);
	fails(breakwater_lane_write(s, wave, "v2", 32, 0), BREAKWATER_E_NOT_FOUND, "lane");
	fails(breakwater_lane_write(s, wave, "s4", 0, 0), BREAKWATER_E_INVALID, "vector");
	scalar[0] = 7;
	ok(breakwater_register_write(s, wave, "s4", scalar, 4));
	scalar[0] = 0;
	ok(breakwater_register_read(s, wave, "s4", scalar, 4));
	assert_int_equal(scalar[0], 7);
	breakwater_close(s);
}

static void memory_is_that_of_the_wave(void **state)
{
	struct breakwater_value *v;
	struct breakwater_address at = {.size_b = sizeof(at)};
	float x[4], one = 9.0f;
	struct breakwater_session *s = stopped_saxpy();
	ok(breakwater_evaluate(s, 0, -1, "x", &v));
	assert_int_equal(breakwater_value_kind(v), BREAKWATER_VALUE_POINTER);
	at.va = (uint64_t)breakwater_value_int(v, 0);
	breakwater_value_free(v);
	ok(breakwater_memory_read(s, &at, x, sizeof(x)));
	assert_true(x[0] == 0 && x[3] == 3);
	at.va += 8;
	ok(breakwater_memory_write(s, &at, &one, sizeof(one)));
	ok(breakwater_evaluate(s, 0, -1, "x[2]", &v));
	assert_int_equal(breakwater_value_kind(v), BREAKWATER_VALUE_FLOAT);
	assert_true(breakwater_value_float(v, 0) == 9.0);
	assert_string_equal(breakwater_value_type(v), "float");
	assert_string_equal(breakwater_value_text(v), "9");
	assert_int_equal(breakwater_value_count(v), 1);
	assert_int_equal(breakwater_value_int(v, 1), 0);
	breakwater_value_free(v);
	at.va = 0x10;
	fails(breakwater_memory_read(s, &at, x, sizeof(x)), BREAKWATER_E_FAULT, "0x10");
	at.space = 77;
	fails(breakwater_memory_read(s, &at, x, sizeof(x)), BREAKWATER_E_INVALID, "77");
	fails(breakwater_evaluate(s, 0, -1, "1 +", &v), BREAKWATER_E_INVALID, "");
	fails(breakwater_evaluate(s, 0, 99, "1", &v), BREAKWATER_E_NOT_FOUND, "lane");
	breakwater_close(s);
}

/* ---- Running ---- */

static void states_and_ends_are_told(void **state)
{
	enum breakwater_state now;
	struct breakwater_event *e = NULL;
	uint32_t wave, lane, word;
	int status = -1;
	struct breakwater_session *s = open_saxpy();
	ok(breakwater_state(s, &now));
	assert_int_equal(now, BREAKWATER_NO_PROGRAM);
	fails(breakwater_continue(s), BREAKWATER_E_STATE, "not being run");
	fails(breakwater_wait(s, 0, &e), BREAKWATER_E_STATE, "not being run");
	fails(breakwater_register_read(s, 1, "s4", &word, 4), BREAKWATER_E_STATE, "not being run");
	ok(breakwater_start(s));
	ok(breakwater_wait(s, -1, &e));
	assert_int_equal(breakwater_event_kind(e), BREAKWATER_EVENT_EXITED);
	assert_true(breakwater_event_exit_status(e, &status));
	assert_int_equal(status, 0);
	assert_int_equal(breakwater_event_wave(e), 0);
	assert_non_null(strstr(breakwater_event_text(e), "exited normally"));
	breakwater_event_free(e);
	ok(breakwater_state(s, &now));
	assert_int_equal(now, BREAKWATER_NO_PROGRAM);
	fails(breakwater_wait(s, 0, &e), BREAKWATER_E_STATE, "not being run");
	fails(breakwater_register_read(s, 1, "s4", &word, 4), BREAKWATER_E_STATE, "not being run");
	fails(breakwater_kill(s), BREAKWATER_E_STATE, "not being run");
	ok(breakwater_focus(s, &wave, &lane));
	assert_int_equal(wave, 0);
	breakwater_close(s);
}

static void *interrupt_soon(void *cookie)
{
	usleep(200000);
	breakwater_interrupt(cookie);
	return NULL;
}

static void *use_elsewhere(void *cookie)
{
	struct breakwater_session *s = cookie;
	enum breakwater_state now;
	fails(breakwater_state(s, &now), BREAKWATER_E_STATE, "Another thread");
	breakwater_interrupt(s);
	return NULL;
}

static void running_programs_are_interrupted(void **state)
{
	struct breakwater_event *e = NULL;
	uint32_t word, number;
	char *text;
	pthread_t thread;
	size_t n;
	struct breakwater_session *s = running_loop();
	ok(breakwater_wait(s, 100, &e));
	assert_null(e);
	fails(breakwater_register_read(s, 1, "s4", &word, 4), BREAKWATER_E_STATE, "is running");
	fails(breakwater_waves(s, &word, 1, &n), BREAKWATER_E_STATE, "is running");
	fails(breakwater_command(s, "info waves", false, &text), BREAKWATER_E_STATE, "is running");
	fails(breakwater_break(s, "loop.s:12", &number), BREAKWATER_E_STATE, "is running");
	pthread_create(&thread, NULL, interrupt_soon, s);
	ok(breakwater_wait(s, -1, &e));
	pthread_join(thread, NULL);
	assert_int_equal(breakwater_event_kind(e), BREAKWATER_EVENT_STOPPED);
	assert_true(breakwater_event_reasons(e) & BREAKWATER_REASON_INTERRUPT);
	breakwater_event_free(e);
	fails(breakwater_wait(s, 0, &e), BREAKWATER_E_STATE, "stopped already");
	ok(breakwater_step(s, BREAKWATER_STEP_INSTRUCTION, 2, &e));
	assert_true(breakwater_event_reasons(e) & BREAKWATER_REASON_SINGLE_STEP);
	breakwater_event_free(e);
	fails(breakwater_step(s, 99, 1, &e), BREAKWATER_E_INVALID, "99");
	fails(breakwater_step(s, BREAKWATER_STEP_LINE, 0, &e), BREAKWATER_E_INVALID, "count");
	ok(breakwater_continue(s));
	pthread_create(&thread, NULL, interrupt_soon, s);
	fails(breakwater_state(NULL, NULL), BREAKWATER_E_INVALID, "no session");
	assert_int_equal(wait_kind(s), BREAKWATER_EVENT_STOPPED);
	pthread_join(thread, NULL);
	ok(breakwater_kill(s));
	breakwater_close(s);
}

static void *use_soon(void *cookie)
{
	usleep(200000);
	return use_elsewhere(cookie);
}

static void a_second_thread_is_refused(void **state)
{
	pthread_t thread;
	struct breakwater_session *s = running_loop();
	pthread_create(&thread, NULL, use_soon, s);
	assert_int_equal(wait_kind(s), BREAKWATER_EVENT_STOPPED);
	pthread_join(thread, NULL);
	breakwater_close(s);
}

static volatile sig_atomic_t n_signals;

static void count_signal(int sig)
{
	n_signals++;
}

static void *signal_soon(void *cookie)
{
	usleep(200000);
	kill(getpid(), SIGINT);
	return NULL;
}

static void sigint_ends_a_wait_and_calls_the_handler(void **state)
{
	struct sigaction ours = {.sa_handler = count_signal}, after;
	pthread_t thread;
	struct breakwater_session *s = running_loop();
	sigaction(SIGINT, &ours, NULL);
	ok(breakwater_catch_sigint(s, true));
	pthread_create(&thread, NULL, signal_soon, NULL);
	assert_int_equal(wait_kind(s), BREAKWATER_EVENT_STOPPED);
	pthread_join(thread, NULL);
	assert_int_equal(n_signals, 1);
	sigaction(SIGINT, NULL, &after);
	assert_ptr_equal(after.sa_handler, count_signal);
	breakwater_close(s);
	signal(SIGINT, SIG_DFL);
}

/* ---- Commands, and several sessions ---- */

static void commands_give_text_and_json(void **state)
{
	char *text = NULL;
	enum breakwater_state now;
	struct breakwater_session *s = open_saxpy();
	ok(breakwater_command(s, "break compute\nrun", false, &text));
	assert_non_null(strstr(text, "hit Breakpoint 1"));
	breakwater_free(text);
	ok(breakwater_command(s, "print/f $v2[3]", true, &text));
	assert_non_null(strstr(text, "\"command\":\"print\""));
	assert_int_equal(text[strlen(text) - 1], '\n');
	breakwater_free(text);
	ok(breakwater_command(s, "define twice\nprint $arg0 * 2\nend\ntwice 21", false, &text));
	assert_non_null(strstr(text, "$2 = 42"));
	breakwater_free(text);
	text = NULL;
	fails(breakwater_command(s, "no-such-command", false, &text), BREAKWATER_E_INVALID,
	      "no-such-command");
	fails(breakwater_command(s, "define half", false, &text), BREAKWATER_E_INVALID, "end");
	assert_null(text);
	ok(breakwater_command(s, "delete\ncontinue", false, &text));
	assert_non_null(strstr(text, "exited normally"));
	breakwater_free(text);
	ok(breakwater_state(s, &now));
	assert_int_equal(now, BREAKWATER_NO_PROGRAM);
	ok(breakwater_command(s, "quit", false, &text));
	breakwater_free(text);
	assert_false(breakwater_is_open(s));
}

static void sessions_stand_side_by_side(void **state)
{
	static const char *const crash[] = {"run", "tests/e2e/look/radv", NULL};
	struct breakwater_session *saxpy = stopped_saxpy(), *dump = NULL;
	struct breakwater_wave w = {.size_b = sizeof(w)};
	uint32_t number;
	size_t n;
	ok(breakwater_open(crash, &dump));
	ok(breakwater_waves(dump, &number, 1, &n));
	assert_int_equal(n, 3);
	ok(breakwater_waves(saxpy, &number, 1, &n));
	assert_int_equal(n, 4);
	ok(breakwater_wave(dump, 3, &w));
	fails(breakwater_continue(dump), BREAKWATER_E_UNSUPPORTED, "");
	breakwater_close(dump);
	ok(breakwater_continue(saxpy));
	assert_int_equal(wait_kind(saxpy), BREAKWATER_EVENT_EXITED);
	breakwater_close(saxpy);
}

TESTS_AROUND(enter_source, NULL, bad_words_are_refused, closed_and_missing_handles_are_told,
	     waves_are_those_of_the_kernel, old_structs_get_what_fits, registers_are_rows_of_dwords,
	     memory_is_that_of_the_wave, states_and_ends_are_told, running_programs_are_interrupted,
	     a_second_thread_is_refused, sigint_ends_a_wait_and_calls_the_handler,
	     commands_give_text_and_json, sessions_stand_side_by_side);
