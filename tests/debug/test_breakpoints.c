// SPDX-License-Identifier: MIT
/* src/debug/breakpoints.c: what becomes of breakpoints when programs end and begin again. */
#include "fake_session.h"
#include "debug/breaks.h"
#include "debug/stop.h"

#include <string.h>

#include "base/util.h"

/* gfx11 words, as in test_run.c */
enum { MOV = 0xbe840085, ADD1 = 0x80048104, NOP = 0xbf800000, END = 0xbfb00000 };
static const uint32_t straight[] = {MOV, ADD1, NOP, ADD1, ADD1, END};

static struct bw_stop wait_stop(struct fake_session *s)
{
	struct bw_stop stop;
	OK(bw_debug_wait(s->debug, 100, &stop));
	return stop;
}

/* How the program goes. */
static void end_by_exit(struct fake_session *s)
{
	struct bw_target_event ev = {.kind = BW_EVENT_EXIT, .exit_known = true};
	OK(bw_debug_continue(s->debug));
	fake_push(s->fake, &ev);
	assert_int_equal(wait_stop(s).kind, BW_STOP_EXITED);
}

static void end_by_kill(struct fake_session *s)
{
	OK(bw_debug_kill(s->debug));
}

static void end_by_detach(struct fake_session *s)
{
	bw_debug_detach(s->debug);
}

static void (*const ends[])(struct fake_session *) = {end_by_exit, end_by_kill, end_by_detach};

/* "break demo", "run", "disable", the end of the program, "enable", "run". listed: somebody has
 * asked where it is meanwhile. */
static void play_enable(unsigned how, bool listed)
{
	struct fake_session s;
	uint32_t n, twin;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	OK(bw_debug_break(s.debug, "demo+4", false, &n));
	OK(bw_debug_break(s.debug, "demo+12", false, &twin));
	fake_session_start(&s, 1);
	assert_int_equal(wait_stop(&s).breakpoint, n);
	if (listed)
		assert_int_equal(bw_debug_breakpoint(s.debug, n)->n_addr, 1);
	OK(bw_debug_break_enable(s.debug, 0, false));
	assert_int_equal(s.fake->n_patches, 0);
	ends[how](&s);
	OK(bw_debug_break_enable(s.debug, 0, true));
	assert_true(bw_debug_breakpoint(s.debug, n)->pending);
	assert_int_equal(bw_debug_breakpoint(s.debug, n)->n_addr, 0);
	fake_session_start(&s, 1);
	assert_int_equal(wait_stop(&s).breakpoint, n);
	assert_int_equal(s.fake->n_patches, 2);
	fake_session_end(&s);
}

static void test_enable_without_a_program(void **state)
{
	for (unsigned how = 0; how < BW_ARRAY_SIZE(ends); how++) {
		play_enable(how, false);
		play_enable(how, true);
	}
}

/* An s_trap that cannot be put back any more: its place is given up, and nothing else. */
static void test_enable_where_code_has_gone(void **state)
{
	struct fake_session s;
	uint32_t n;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	OK(bw_debug_break(s.debug, "demo+4", false, &n));
	fake_session_start(&s, 1);
	assert_int_equal(wait_stop(&s).breakpoint, n);
	OK(bw_debug_break_enable(s.debug, n, false));
	memset(s.fake->patch, 0, sizeof(s.fake->patch));
	s.fake->n_patches = BW_ARRAY_SIZE(s.fake->patch);
	OK(bw_debug_break_enable(s.debug, n, true));
	assert_non_null(strstr(s.notices,
			       "Cannot insert breakpoint 1 at 0x700000000004: too many patches"));
	s.fake->n_patches = 0;
	assert_int_equal(bw_debug_breakpoint(s.debug, n)->n_addr, 0);
	OK(bw_debug_break_delete(s.debug, n));
	fake_session_end(&s);
}

/* The program goes while everything is stopped: that its code cannot be put back is no news. */
static void test_delete_where_the_program_has_gone(void **state)
{
	struct fake_session s;
	uint32_t n;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	OK(bw_debug_break(s.debug, "demo+4", false, &n));
	fake_session_start(&s, 1);
	assert_int_equal(wait_stop(&s).breakpoint, n);
	s.fake->lost = true;
	OK(bw_debug_break_delete(s.debug, n));
	assert_null(strstr(s.notices, "Cannot remove"));
	fake_session_end(&s);
}

/* A breakpoint on dispatches, disabled and enabled while one that it means is held. */
static void test_enable_on_dispatch(void **state)
{
	struct fake_session s;
	uint32_t n;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	bw_debug_settings(s.debug)->stop_on_dispatch = true;
	OK(bw_debug_break_dispatch(s.debug, "nth 1", false, &n));
	fake_session_start(&s, 1);
	s.fake->wave[0].state = s.fake->wave[1].state = FAKE_ABSENT; /* until it is released */
	assert_int_equal(wait_stop(&s).kind, BW_STOP_DISPATCH);
	OK(bw_debug_break_enable(s.debug, n, false));
	assert_int_equal(s.fake->n_patches, 0);
	OK(bw_debug_break_enable(s.debug, n, true));
	assert_int_equal(s.fake->n_patches, 1);
	OK(bw_debug_continue(s.debug));
	fake_launch(s.fake, 0, FAKE_BASE, 0, 0);
	assert_int_equal(wait_stop(&s).breakpoint, n);
	fake_session_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_enable_without_a_program),
		cmocka_unit_test(test_enable_where_code_has_gone),
		cmocka_unit_test(test_delete_where_the_program_has_gone),
		cmocka_unit_test(test_enable_on_dispatch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
