// SPDX-License-Identifier: MIT
/* src/debug/breakpoints.c: conditions, counts, temporary and disabled breakpoints, and what becomes
 * of breakpoints when programs end and begin again. */
#include "fake_session.h"
#include "debug/breaks.h"
#include "debug/stop.h"
#include "debug/waves.h"

#include <string.h>

#include "base/util.h"

static const uint32_t straight[] = {MOV, ADD1, NOP, ADD1, ADD1, END};

static const uint32_t with_branch[] = {MOV, ADD1, NOP, BRANCH1, TRAP3, ADD2, END};

static uint32_t s4(struct fake_session *s, unsigned slot)
{
	return s->fake->wave[slot].s[4];
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

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;
	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* Where no s_trap can be inserted, breakpoints say so once, and count. */
static void test_waves_that_cannot_be_stopped(void **state)
{
	enum { N = 5 };
	static struct bw_target_dispatch dispatch[N];
	struct fake_session s;
	uint32_t by_dispatch, by_code;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	OK(bw_debug_break_dispatch(s.debug, "", false, &by_dispatch));
	OK(bw_debug_break(s.debug, "demo+4", false, &by_code));
	fake_session_start(&s, 1);
	s.fake->n_patches = BW_ARRAY_SIZE(s.fake->patch);
	for (uint32_t i = 0; i < N; i++) {
		dispatch[i] = (struct bw_target_dispatch){
			.code_va = FAKE_BASE, .groups = {1, 1, 1}, .group_size = {64, 1, 1}};
		fake_push(s.fake, &(struct bw_target_event){.kind = BW_EVENT_SUBMIT,
							    .submission = 2 + i,
							    .queue = 2,
							    .dispatches = &dispatch[i],
							    .n_dispatches = 1});
	}
	for (int i = 0; i < 3 * N; i++)
		wait_stop(&s);
	assert_int_equal(bw_debug_breakpoint(s.debug, by_dispatch)->not_stopped, N + 1);
	assert_int_equal(count(s.notices, "will not be stopped: too many patches"), 1);
	assert_int_equal(count(s.notices, "Cannot insert breakpoint 2"), 1);
	fake_push(s.fake, &(struct bw_target_event){.kind = BW_EVENT_EXIT, .exit_known = true});
	assert_int_equal(wait_stop(&s).kind, BW_STOP_EXITED);
	assert_int_equal(count(s.notices, "breakpoint 1: 6 dispatches were not stopped"), 1);
	assert_int_equal(bw_debug_breakpoint(s.debug, by_dispatch)->not_stopped, 0);
	fake_session_end(&s);
}

static void test_conditions(void **state)
{
	struct fake_session s;
	fake_session_create(&s, with_branch, BW_ARRAY_SIZE(with_branch));
	uint32_t n = set_break(&s, "demo+8 if $v3 == 7 && blockIdx.x == 1");
	fake_session_start(&s, 3);
	for (unsigned i = 0; i < 6; i++)
		s.fake->wave[i].v[3][9] = s.fake->wave[i].v[3][20] = 7;
	s.fake->wave[2].hw.exec = 0xffff;
	struct bw_stop stop = wait_stop(&s);
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	assert_int_equal(stop.breakpoint, n);
	const struct bw_wave_info *w = bw_debug_focus(s.debug);
	assert_int_equal(w->workgroup[0], 1);
	assert_int_equal(w->wave_in_group, 0);
	/* lane 20 is not active there */
	assert_true(stop.breakpoint_lanes == 1u << 9);
	assert_int_equal(stop.lane, 9);
	assert_int_equal(bw_debug_breakpoint(s.debug, n)->hits, 2);
	assert_string_equal(bw_debug_breakpoint(s.debug, n)->condition,
			    "$v3 == 7 && blockIdx.x == 1");
	assert_string_equal(bw_debug_breakpoint(s.debug, n)->spec, "demo+8");
	/* those whose condition failed have been resumed in the meantime, and end right */
	OK(bw_debug_continue(s.debug));
	fake_run(s.fake);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(s4(&s, i), 8);
	fake_session_end(&s);
}

static void test_condition_never_true(void **state)
{
	struct fake_session s;
	fake_session_create(&s, with_branch, BW_ARRAY_SIZE(with_branch));
	uint32_t n = set_break(&s, "demo+8 if 1 == 2");
	fake_session_start(&s, 2);
	struct bw_stop stop = wait_stop(&s);
	assert_int_equal(stop.kind, BW_STOP_NONE);
	assert_int_equal(bw_debug_breakpoint(s.debug, n)->hits, 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(s4(&s, i), 8);
	fake_session_end(&s);
}

static void test_ignore_temporary_disable(void **state)
{
	struct fake_session s;
	uint32_t n, t;

	fake_session_create(&s, with_branch, BW_ARRAY_SIZE(with_branch));
	n = set_break(&s, "demo+8");
	OK(bw_debug_break_ignore(s.debug, n, 2));
	OK(bw_debug_break(s.debug, "demo+20", true, &t));
	fake_session_start(&s, 1);
	/* both waves are passed over at the first one and stop at the temporary one */
	struct bw_stop stop = wait_stop(&s);
	assert_int_equal(stop.breakpoint, t);
	assert_true(stop.breakpoint_temporary);
	assert_int_equal(bw_debug_breakpoint(s.debug, n)->hits, 2);
	assert_int_equal(bw_debug_breakpoint(s.debug, n)->ignore, 0);
	assert_null(bw_debug_breakpoint(s.debug, t));
	assert_int_equal(s.fake->n_patches, 1);
	OK(bw_debug_break_enable(s.debug, n, false));
	assert_int_equal(s.fake->n_patches, 0);
	OK(bw_debug_break_enable(s.debug, n, true));
	assert_int_equal(s.fake->n_patches, 1);
	/* two at one place share the patch */
	uint32_t twin = set_break(&s, "demo+8");
	assert_int_equal(s.fake->n_patches, 1);
	OK(bw_debug_break_delete(s.debug, n));
	assert_int_equal(s.fake->n_patches, 1);
	OK(bw_debug_break_delete(s.debug, twin));
	assert_int_equal(s.fake->n_patches, 0);
	fake_fails(bw_debug_break_delete(s.debug, twin), BW_E_NOT_FOUND, "No breakpoint number");
	fake_session_end(&s);
}

/* Words end at every kind of white space, and an empty one does not make the reader stand still. */
static void test_dispatch_words(void **state)
{
	struct fake_session s;
	uint32_t n;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	fake_session_start(&s, 1);
	OK(bw_debug_break_dispatch(s.debug, "name\vde*\f\rnth\n2\v", false, &n));
	fake_fails(bw_debug_break_dispatch(s.debug, "name\vde*\fnth\rtwo", false, &n), BW_E_INVALID,
		   "\"two\" is not a number for \"nth\"");
	fake_fails(bw_debug_break_dispatch(s.debug, "\v\"\"", false, &n), BW_E_INVALID,
		   "an empty name");
	fake_fails(bw_debug_break_dispatch(s.debug, "name ''", false, &n), BW_E_INVALID,
		   "needs a value");
	/* what is left of a text without quotes is not taken for other properties */
	fake_fails(bw_debug_break_dispatch(s.debug, "label pass 2 (x) queue 1", false, &n),
		   BW_E_INVALID, "needs quotes: label \"pass 2 (x)\"");
	fake_fails(bw_debug_break_dispatch(s.debug, "second step", false, &n), BW_E_INVALID,
		   "needs quotes: name \"second step\"");
	fake_fails(bw_debug_break_dispatch(s.debug, "queue 1 2", false, &n), BW_E_INVALID,
		   "\"2\" is not a property of dispatches: nth,");
	fake_fails(bw_debug_break_dispatch(s.debug, "2 3", false, &n), BW_E_INVALID,
		   "\"3\" is not a property");
	fake_fails(bw_debug_break_dispatch(s.debug, "label \"a", false, &n), BW_E_INVALID,
		   "the closing \" of \"a is missing");
	fake_fails(bw_debug_break_dispatch(s.debug, "name a hash b", false, &n), BW_E_INVALID,
		   "by one name");
	fake_fails(bw_debug_break_dispatch(s.debug, "2 nth 3", false, &n), BW_E_INVALID,
		   "by one nth");
	OK(bw_debug_break_dispatch(s.debug, "every 2 \"label\" label 'what if' wave 1", false, &n));
	assert_string_equal(bw_debug_breakpoint(s.debug, n)->spec,
			    "on dispatch every 2 \"label\" label 'what if'");
	assert_null(bw_debug_breakpoint(s.debug, n)->condition);
	assert_int_equal(bw_debug_breakpoint(s.debug, n)->wave, 1);
	fake_session_end(&s);
}

TESTS(test_conditions, test_condition_never_true, test_ignore_temporary_disable,
      test_enable_without_a_program, test_enable_where_code_has_gone,
      test_delete_where_the_program_has_gone, test_enable_on_dispatch,
      test_waves_that_cannot_be_stopped, test_dispatch_words);
