// SPDX-License-Identifier: MIT
/* src/debug/stepping: programs, dispatches and waves that end beside a stop, under a step, or while
 * they are stopped. */
#include "fake_session.h"
#include "debug/breaks.h"
#include "debug/registers.h"
#include "debug/stop.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

static const uint32_t straight[] = {MOV, ADD1, NOP, BRANCH1, TRAP3, ADD2, END};

static void test_exit_and_again(void **state)
{
	struct fake_session s;
	struct bw_stop stop;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	uint32_t n = set_break(&s, "demo+8");
	fake_session_start(&s, 1);
	wait_stop(&s);
	fake_push(s.fake, &(struct bw_target_event){.kind = BW_EVENT_EXIT,
						    .exit_known = true,
						    .exit_status = 3 << 8});
	stop = go(&s);
	while (stop.kind == BW_STOP_NONE)
		stop = wait_stop(&s);
	assert_int_equal(stop.kind, BW_STOP_EXITED);
	assert_int_equal(stop.exit_status, 3 << 8);
	assert_true(s.closed);
	assert_int_equal(bw_debug_state(s.debug), BW_DEBUG_NO_PROGRAM);
	assert_null(bw_debug_focus(s.debug));
	assert_true(bw_debug_breakpoint(s.debug, n)->pending);
	fake_fails(bw_debug_continue(s.debug), BW_E_STATE, "not being run");
	fake_fails(bw_debug_stepi(s.debug, 1, false, &stop), BW_E_STATE, "not being run");
	/* the next run finds the breakpoint in its place and counts on */
	s.closed = false;
	fake_session_start(&s, 1);
	stop = wait_stop(&s);
	assert_int_equal(stop.breakpoint, n);
	assert_int_equal(stop.wave, 1);
	assert_int_equal(bw_debug_breakpoint(s.debug, n)->hits, 4);
	OK(bw_debug_kill(s.debug));
	assert_true(s.closed);
	bw_debug_destroy(s.debug);
}

/* The wave that is stepped was the program's last: the program ends before its wave is missed. */
static void test_exit_under_a_step(void **state)
{
	struct fake_session s;
	struct bw_stop stop;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	set_break(&s, "demo+8");
	fake_session_start(&s, 1);
	wait_stop(&s);
	s.fake->lost = true;
	fake_push(s.fake, &(struct bw_target_event){.kind = BW_EVENT_EXIT, .exit_known = true});
	OK(bw_debug_stepi(s.debug, 1, false, &stop));
	assert_int_equal(stop.kind, BW_STOP_EXITED);
	assert_true(s.closed);
	assert_int_equal(bw_debug_state(s.debug), BW_DEBUG_NO_PROGRAM);
	bw_debug_destroy(s.debug);
}

/* The wave turns out to be of another dispatch than it was taken for: that one ends while it is
 * stepped. */
static void test_dispatch_ends_under_a_step(void **state)
{
	struct fake_session s;
	struct bw_stop stop;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	set_break(&s, "demo");
	fake_session_start(&s, 1);
	wait_stop(&s);
	fake_push(s.fake, &(struct bw_target_event){.kind = BW_EVENT_DONE, .submission = 1});
	OK(bw_debug_stepi(s.debug, 2, false, &stop));
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	assert_non_null(bw_debug_focus(s.debug));
	assert_int_not_equal(stop.wave, 0);
	assert_int_equal(bw_debug_focus(s.debug)->number, stop.wave);
	/* its number is a new one, by which it is found among the others */
	assert_ptr_equal(bw_debug_wave(s.debug, stop.wave), bw_debug_focus(s.debug));
	OK(bw_debug_set_focus(s.debug, 2));
	OK(bw_debug_set_focus(s.debug, stop.wave));
	fake_session_end(&s);
}

/* A wave that is stepped for a watchpoint ends; another one has stopped meanwhile, and the event
 * that said so has come while the first was waited for. */
static void test_stop_beside_a_watched_wave(void **state)
{
	struct fake_session s;
	uint32_t first, watch, n;

	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	first = set_break(&s, "demo");
	fake_session_start(&s, 1);
	assert_int_equal(wait_stop(&s).n_waves, 2);
	OK(bw_debug_break_delete(s.debug, first));
	OK(bw_debug_watch(s.debug, "$s9", BW_BREAK_WATCH, &watch));
	n = set_break(&s, "*demo+20 if $_wave == 2");
	struct bw_stop stop = go(&s);
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	assert_int_equal(stop.breakpoint, n);
	assert_int_equal(stop.wave, 2);
	assert_non_null(strstr(s.notices, "[Watchpoint 2 deleted: wave 1 has ended]"));
	fake_session_end(&s);
}

/* The program ends while its wave is stepped for a watchpoint: its end is the stop. */
static void test_end_beside_a_watched_wave(void **state)
{
	struct fake_session s;
	uint32_t watch;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	set_break(&s, "demo");
	fake_session_start(&s, 1);
	assert_int_equal(wait_stop(&s).n_waves, 2);
	OK(bw_debug_watch(s.debug, "$s9", BW_BREAK_WATCH, &watch));
	OK(bw_debug_continue(s.debug));
	s.fake->lost = true;
	fake_push(s.fake, &(struct bw_target_event){.kind = BW_EVENT_EXIT});
	struct bw_stop stop;
	OK(bw_debug_wait(s.debug, -1, &stop));
	assert_int_equal(stop.kind, BW_STOP_EXITED);
	fake_session_end(&s);
}

/* The prompt waits: the end is told without a command, and only then. */
static void test_end_while_stopped(void **state)
{
	struct fake_session s;
	struct bw_stop stop;
	static const uint32_t code[] = {TRAP3, ADD1, END};
	fake_session_create(&s, code, BW_ARRAY_SIZE(code));
	OK(bw_debug_look_for_end(s.debug, &stop));
	assert_int_equal(stop.kind, BW_STOP_NONE);
	fake_session_start(&s, 1);
	wait_stop(&s);
	OK(bw_debug_look_for_end(s.debug, &stop));
	assert_int_equal(stop.kind, BW_STOP_NONE);
	assert_int_equal(bw_debug_state(s.debug), BW_DEBUG_STOPPED);
	fake_push(s.fake, &(struct bw_target_event){
				  .kind = BW_EVENT_EXIT, .exit_known = true, .exit_status = 9});
	OK(bw_debug_look_for_end(s.debug, &stop));
	assert_int_equal(stop.kind, BW_STOP_EXITED);
	assert_true(stop.exit_known);
	assert_int_equal(stop.exit_status, 9);
	assert_int_equal(bw_debug_state(s.debug), BW_DEBUG_NO_PROGRAM);
	OK(bw_debug_look_for_end(s.debug, &stop));
	assert_int_equal(stop.kind, BW_STOP_NONE);
	fake_session_end(&s);
}

/* What comes while one of several programs is found to have ended is reported by the next wait. */
static void test_stop_beside_an_end(void **state)
{
	struct fake_session s;
	static const uint32_t code[] = {TRAP3, ADD1, END};
	fake_session_create(&s, code, BW_ARRAY_SIZE(code));
	fake_session_start(&s, 1);
	wait_stop(&s);
	fake_push(s.fake, &(struct bw_target_event){.kind = BW_EVENT_QUEUE_ERROR, .pid = 7});
	fake_push(s.fake, &(struct bw_target_event){.kind = BW_EVENT_PROGRAM_GONE, .pid = 8});
	OK(bw_debug_look_for_some_end(s.debug));
	OK(bw_debug_continue(s.debug));
	struct bw_stop stop = wait_stop(&s);
	assert_int_equal(stop.kind, BW_STOP_QUEUE_ERROR);
	assert_int_equal(stop.pid, 7);
	OK(bw_debug_continue(s.debug));
	assert_int_equal(wait_stop(&s).kind, BW_STOP_NONE);
	fake_session_end(&s);
}

static void test_destroy_while_stopped(void **state)
{
	struct fake_session s;
	static const uint32_t code[] = {TRAP3, ADD1, END};
	fake_session_create(&s, code, BW_ARRAY_SIZE(code));
	fake_session_start(&s, 2);
	assert_int_equal(wait_stop(&s).n_waves, 4);
	fake_session_end(&s);
}

TESTS(test_exit_and_again, test_exit_under_a_step, test_dispatch_ends_under_a_step,
      test_stop_beside_a_watched_wave, test_end_beside_a_watched_wave, test_end_while_stopped,
      test_stop_beside_an_end, test_destroy_while_stopped);
