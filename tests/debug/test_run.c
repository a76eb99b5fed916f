// SPDX-License-Identifier: MIT
/* src/debug/run.c, breakpoints.c, displaced.c, waves.c: sessions played through on the fake target.
 */
#include "fake_session.h"
#include "debug/breaks.h"
#include "debug/dispatches.h"
#include "debug/registers.h"
#include "debug/stop.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

static const uint32_t straight[] = {MOV, ADD1, NOP, BRANCH1, TRAP3, ADD2, END};

static uint32_t s4(struct fake_session *s, unsigned slot)
{
	return s->fake->wave[slot].s[4];
}

/* Over a read of TRAPSTS the s_trap says so, for the virtual GPU; nowhere else, since that costs.
 * Not over a read of another register (STATUS, 2). */
static void test_mark_over_trapsts(void **state)
{
	const uint32_t code[] = {NOP, 0xb8820003 | 6 << 11, 0xb8820002 | 6 << 11, END};
	const uint32_t expected[] = {0xbf90007f, 0xbf90017f, 0xbf90007f, END};
	struct fake_session s;

	fake_session_create(&s, code, BW_ARRAY_SIZE(code));
	set_break(&s, "demo");
	set_break(&s, "demo+4");
	set_break(&s, "demo+8");
	fake_session_start(&s, 1);
	assert_int_equal(wait_stop(&s).kind, BW_STOP_WAVES);
	assert_memory_equal(fake_at(s.fake, FAKE_BASE), expected, sizeof(expected));
	fake_session_end(&s);
}

static void test_all_waves_at_a_breakpoint(void **state)
{
	struct fake_session s;
	char name[64];
	size_t n;

	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	uint32_t number = set_break(&s, "demo+8");
	assert_int_equal(number, 1);
	assert_true(bw_debug_breakpoint(s.debug, 1)->pending);
	fake_session_start(&s, 2);
	struct bw_stop stop = wait_stop(&s);
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	assert_int_equal(stop.n_waves, 4);
	assert_int_equal(stop.n_same, 4);
	assert_int_equal(stop.wave, 1);
	assert_int_equal(stop.reasons, BW_REASON_BREAKPOINT);
	assert_int_equal(stop.breakpoint, 1);
	assert_true(stop.breakpoint_lanes == 0xffffffff);
	assert_true(stop.focus_changed);
	assert_int_equal(bw_debug_program_pid(s.debug), 42);
	assert_string_equal(bw_debug_program_name(s.debug), "fake");
	assert_int_equal(bw_debug_breakpoint(s.debug, 1)->hits, 4);
	assert_false(bw_debug_breakpoint(s.debug, 1)->pending);
	assert_true(bw_debug_breakpoint(s.debug, 1)->addr[0] == FAKE_BASE + 8);

	const struct bw_wave_info *w = bw_debug_waves(s.debug, &n);
	assert_int_equal(n, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(w[i].number, i + 1);
		assert_true(w[i].pc == FAKE_BASE + 8);
		assert_int_equal(w[i].breakpoint, 1);
	}
	bw_wave_name(&w[3], name, sizeof(name));
	assert_string_equal(name, "AMDGPU Wave 1:2:1:4 (1,0,0)/1");
	bw_lane_name(s.debug, &w[3], 7, name, sizeof(name));
	assert_string_equal(name, "AMDGPU Lane 1:2:1:4/7 (1,0,0)[39,0,0]");
	bw_place_text(w[3].place, name);
	assert_string_equal(name, "se0.sa0.wgp0.simd1.w1");
	assert_int_equal(s.fake->n_patches, 1);

	/* memory shows the original */
	uint32_t word;
	OK(bw_debug_read(s.debug, BW_SPACE_GLOBAL, FAKE_BASE + 8, &word, 4));
	assert_int_equal(word, NOP);

	/* all are resumed and end, each over the breakpoint */
	OK(bw_debug_continue(s.debug));
	fake_run(s.fake);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(s4(&s, i), 8);
	assert_int_equal(bw_debug_breakpoint(s.debug, 1)->hits, 4);
	fake_session_end(&s);
}

static void test_numbers_stay(void **state)
{
	struct fake_session s;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	set_break(&s, "demo+4");
	set_break(&s, "*demo+20");
	fake_session_start(&s, 1);
	struct bw_stop stop = wait_stop(&s);
	assert_int_equal(stop.breakpoint, 1);
	OK(bw_debug_set_focus(s.debug, 2));
	stop = go(&s);
	assert_int_equal(stop.breakpoint, 2);
	assert_int_equal(stop.wave, 2);
	assert_false(stop.focus_changed);
	/* another wave in the slot of one that has ended gets a new number */
	OK(bw_debug_continue(s.debug));
	fake_run(s.fake);
	fake_launch(s.fake, 1, FAKE_BASE, 5, 0);
	stop = wait_stop(&s);
	assert_int_equal(stop.n_waves, 1);
	assert_int_equal(stop.wave, 3);
	assert_null(bw_debug_wave(s.debug, 2));
	fake_fails(bw_debug_set_focus(s.debug, 2), BW_E_NOT_FOUND, "Wave 2 is not stopped");
	fake_fails(bw_debug_set_focus(s.debug, 9), BW_E_NOT_FOUND, "Unknown wave 9");
	fake_session_end(&s);
}

/* A breakpoint on every instruction: copies, the simulated branch, the end. */
static void test_breakpoint_on_everything(void **state)
{
	struct fake_session s;
	char where[32];
	uint64_t want[] = {0, 4, 8, 12, 20, 24};

	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	for (unsigned i = 0; i < BW_ARRAY_SIZE(straight); i++) {
		snprintf(where, sizeof(where), "*demo+%u", i * 4);
		set_break(&s, where);
	}
	fake_session_start(&s, 1);
	s.fake->wave[1].state = FAKE_ABSENT;
	struct bw_stop stop = wait_stop(&s);
	for (size_t i = 0; i < BW_ARRAY_SIZE(want); i++) {
		assert_int_equal(stop.kind, BW_STOP_WAVES);
		assert_true(bw_debug_focus(s.debug)->pc == FAKE_BASE + want[i]);
		assert_int_equal(stop.breakpoint, want[i] / 4 + 1);
		stop = go(&s);
	}
	assert_int_equal(stop.kind, BW_STOP_NONE);
	assert_int_equal(s.fake->wave[0].state, FAKE_ABSENT);
	assert_int_equal(s4(&s, 0), 8);
	fake_session_end(&s);
}

static void test_loop_to_itself_hits_again(void **state)
{
	static const uint32_t code[] = {SELF};
	struct fake_session s;
	fake_session_create(&s, code, 1);
	uint32_t n = set_break(&s, "demo");
	fake_session_start(&s, 1);
	struct bw_stop stop = wait_stop(&s);
	for (unsigned i = 1; i < 5; i++) {
		assert_int_equal(stop.breakpoint, n);
		assert_int_equal(bw_debug_breakpoint(s.debug, n)->hits, 2 * i);
		stop = go(&s);
	}
	fake_session_end(&s);
}

static void test_steps(void **state)
{
	struct fake_session s;
	struct bw_stop stop;
	static const uint64_t want[] = {4, 8, 12, 20, 24};

	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	set_break(&s, "demo");
	fake_session_start(&s, 1);
	stop = wait_stop(&s);
	for (size_t i = 0; i < BW_ARRAY_SIZE(want); i++) {
		OK(bw_debug_stepi(s.debug, 1, false, &stop));
		assert_int_equal(stop.kind, BW_STOP_WAVES);
		assert_int_equal(stop.reasons, BW_REASON_SINGLE_STEP);
		assert_true(bw_debug_focus(s.debug)->pc == FAKE_BASE + want[i]);
		assert_int_equal(stop.n_waves, 2);
		/* the other one has not moved */
		assert_true(s.fake->wave[1].hw.pc == FAKE_BASE);
	}
	assert_int_equal(s4(&s, 0), 8);
	OK(bw_debug_stepi(s.debug, 1, false, &stop));
	assert_non_null(strstr(s.notices, "[AMDGPU Wave 1:2:1:1 (0,0,0)/0 exited]"));
	assert_int_equal(stop.wave, 2);
	assert_int_equal(stop.n_waves, 1);
	/* many at once stop at a breakpoint on the way, which counts a hit */
	uint32_t n = set_break(&s, "*demo+12");
	OK(bw_debug_stepi(s.debug, 100, false, &stop));
	assert_int_equal(stop.breakpoint, n);
	assert_true(bw_debug_focus(s.debug)->pc == FAKE_BASE + 12);
	/* the simulated branch counts as a step */
	OK(bw_debug_stepi(s.debug, 1, false, &stop));
	assert_true(bw_debug_focus(s.debug)->pc == FAKE_BASE + 20);
	assert_int_equal(stop.reasons, BW_REASON_SINGLE_STEP);
	fake_session_end(&s);
}

static void test_interrupted_in_a_copy(void **state)
{
	struct fake_session s;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	uint32_t n = set_break(&s, "demo+4");
	fake_session_start(&s, 1);
	wait_stop(&s);
	assert_int_equal(bw_debug_breakpoint(s.debug, n)->hits, 2);
	/* both are on their way into the copy; one has not made the instruction, one has */
	OK(bw_debug_continue(s.debug));
	assert_true(s.fake->wave[0].hw.pc >= FAKE_CODE_BUFFER);
	s.fake->wave[1].s[4]++;
	s.fake->wave[1].hw.pc += 4;
	s.fake->interrupted = true;
	struct bw_stop stop = wait_stop(&s);
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	assert_int_equal(stop.reasons, BW_REASON_INTERRUPT);
	assert_true(bw_debug_wave(s.debug, 1)->pc == FAKE_BASE + 4);
	assert_true(bw_debug_wave(s.debug, 2)->pc == FAKE_BASE + 8);
	assert_int_equal(bw_debug_breakpoint(s.debug, n)->hits, 2);
	OK(bw_debug_continue(s.debug));
	fake_run(s.fake);
	assert_int_equal(s4(&s, 0), 8);
	assert_int_equal(s4(&s, 1), 8);
	assert_int_equal(bw_debug_breakpoint(s.debug, n)->hits, 2);
	fake_session_end(&s);
}

/* A wave that was asked to stop just in front of a breakpoint is at it. */
static void test_interrupted_before_a_breakpoint(void **state)
{
	struct fake_session s;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	uint32_t n = set_break(&s, "demo+8");
	fake_session_start(&s, 1);
	s.fake->wave[1].hw.pc = FAKE_BASE + 8;
	s.fake->interrupted = true;
	struct bw_stop stop = wait_stop(&s);
	assert_int_equal(stop.n_waves, 2);
	assert_int_equal(stop.breakpoint, n);
	assert_int_equal(stop.wave, 2);
	assert_int_equal(bw_debug_wave(s.debug, 1)->reasons, BW_REASON_INTERRUPT);
	assert_int_equal(bw_debug_breakpoint(s.debug, n)->hits, 1);
	/* it does not hit it again when it is resumed; the other one does */
	stop = go(&s);
	assert_int_equal(stop.n_waves, 1);
	assert_int_equal(stop.wave, 1);
	assert_int_equal(bw_debug_breakpoint(s.debug, n)->hits, 2);
	fake_session_end(&s);
}

/* One with a condition is tested on the GPU when the wave runs on. A step does not run it there,
 * and does not pass it untested either. */
static void test_stepped_from_a_breakpoint_not_tested(void **state)
{
	for (unsigned how = 0; how < 6; how++) {
		bool holds = how % 2;
		struct fake_session s;
		struct bw_stop stop;
		fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
		uint32_t n = set_break(&s, "demo+8 if $s9 == 7");
		fake_session_start(&s, 1);
		s.fake->wave[1].state = FAKE_ABSENT;
		s.fake->wave[0].hw.pc = FAKE_BASE + 8;
		s.fake->wave[0].s[9] = holds ? 7 : 8;
		s.fake->interrupted = true;
		stop = wait_stop(&s);
		assert_int_equal(stop.breakpoint, 0);
		assert_int_equal(bw_debug_breakpoint(s.debug, n)->hits, 0);
		if (how < 2)
			OK(bw_debug_stepi(s.debug, 1, false, &stop));
		else if (how < 4)
			OK(bw_debug_stepi(s.debug, 1, true, &stop));
		else
			OK(bw_debug_advance(s.debug, "*0x70000000000c", false, &stop));
		assert_int_equal(bw_debug_breakpoint(s.debug, n)->hits, holds);
		assert_int_equal(stop.breakpoint, holds ? n : 0);
		assert_true(bw_debug_focus(s.debug)->pc == FAKE_BASE + (holds ? 8 : 12));
		/* it has been told, and is passed now */
		if (holds) {
			OK(bw_debug_stepi(s.debug, 1, false, &stop));
			assert_true(bw_debug_focus(s.debug)->pc == FAKE_BASE + 12);
			assert_int_equal(bw_debug_breakpoint(s.debug, n)->hits, 1);
		}
		fake_session_end(&s);
	}
}

static void test_traps(void **state)
{
	static const uint32_t code[] = {0xbf900002, ADD1, 0xbf900009, ADD1, 0x00000000, ADD1, END};
	struct fake_session s;
	struct bw_stop stop;

	fake_session_create(&s, code, BW_ARRAY_SIZE(code));
	fake_session_start(&s, 1);
	s.fake->wave[1].state = FAKE_ABSENT;
	stop = wait_stop(&s);
	assert_int_equal(stop.reasons, BW_REASON_ASSERT_TRAP);
	assert_true(bw_debug_focus(s.debug)->pc == FAKE_BASE);
	/* a breakpoint on the trap itself: the trap comes out of the copy */
	stop = go(&s);
	assert_int_equal(stop.reasons, BW_REASON_TRAP);
	assert_int_equal(bw_debug_focus(s.debug)->trap_id, 9);
	assert_true(bw_debug_focus(s.debug)->pc == FAKE_BASE + 8);
	OK(bw_debug_stepi(s.debug, 1, false, &stop));
	assert_true(bw_debug_focus(s.debug)->pc == FAKE_BASE + 12);
	assert_int_equal(stop.reasons, BW_REASON_SINGLE_STEP);
	stop = go(&s);
	assert_int_equal(stop.reasons, BW_REASON_ILLEGAL_INSTRUCTION);
	/* it stays there until the PC is moved */
	stop = go(&s);
	assert_int_equal(stop.reasons, BW_REASON_ILLEGAL_INSTRUCTION);
	OK(bw_debug_reg_write(s.debug, 1, (struct bw_wave_reg){BW_REG_SPECIAL, BW_REG_PC, 1},
			      FAKE_BASE + 20));
	assert_true(bw_debug_focus(s.debug)->pc == FAKE_BASE + 20);
	OK(bw_debug_continue(s.debug));
	fake_run(s.fake);
	assert_int_equal(s4(&s, 0), 3);
	fake_session_end(&s);
}

static void test_breakpoint_on_a_trap(void **state)
{
	struct fake_session s;
	static const uint32_t code[] = {TRAP3, ADD1, END};
	fake_session_create(&s, code, BW_ARRAY_SIZE(code));
	set_break(&s, "demo");
	fake_session_start(&s, 1);
	struct bw_stop stop = wait_stop(&s);
	assert_int_equal(stop.reasons, BW_REASON_BREAKPOINT);
	stop = go(&s);
	assert_int_equal(stop.reasons & BW_REASON_DEBUG_TRAP, BW_REASON_DEBUG_TRAP);
	assert_true(bw_debug_focus(s.debug)->pc == FAKE_BASE);
	OK(bw_debug_continue(s.debug));
	fake_run(s.fake);
	assert_int_equal(s4(&s, 0), 1);
	fake_session_end(&s);
}

static void test_stop_on_dispatch_and_counts(void **state)
{
	struct fake_session s;
	struct bw_wave_count c;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	bw_debug_settings(s.debug)->stop_on_dispatch = true;
	fake_session_start(&s, 2);
	for (unsigned i = 0; i < 4; i++)
		s.fake->wave[i].state = FAKE_ABSENT;
	struct bw_stop stop = wait_stop(&s);
	assert_int_equal(stop.kind, BW_STOP_DISPATCH);
	assert_int_equal(stop.dispatch, 1);
	assert_int_equal(s.fake->n_gone, 0);
	OK(bw_debug_count_waves(s.debug, 1, &c));
	assert_int_equal(c.total, 4);
	assert_int_equal(c.waiting, 4);
	set_break(&s, "demo+8");
	for (unsigned i = 0; i < 3; i++)
		fake_launch(s.fake, i, FAKE_BASE, i / 2, i % 2);
	stop = go(&s);
	assert_int_equal(s.fake->n_gone, 1);
	assert_int_equal(stop.n_waves, 3);
	OK(bw_debug_count_waves(s.debug, 1, &c));
	assert_int_equal(c.stopped, 3);
	assert_int_equal(c.total, c.stopped + c.running + c.waiting + c.finished);
	assert_int_equal(c.finished, 1);
	fake_push(s.fake,
		  &(struct bw_target_event){.kind = BW_EVENT_DONE, .submission = 1, .result = -62});
	stop = go(&s);
	assert_int_equal(bw_debug_dispatch(s.debug, 1)->state, BW_DISPATCH_FAILED);
	assert_non_null(strstr(s.notices, "dispatch 1 (demo) failed"));
	fake_fails(bw_debug_count_waves(s.debug, 2, &c), BW_E_NOT_FOUND, "no dispatch 2");
	fake_session_end(&s);
}

static void test_bad_places(void **state)
{
	struct fake_session s;
	uint32_t n;
	fake_session_create(&s, straight, BW_ARRAY_SIZE(straight));
	fake_fails(bw_debug_break(s.debug, "dmeo", false, &n), BW_E_NOT_FOUND,
		   "Function \"dmeo\" not defined (did you mean demo?)");
	fake_fails(bw_debug_break(s.debug, "demo+2", false, &n), BW_E_INVALID,
		   "not a multiple of 4");
	fake_fails(bw_debug_break(s.debug, "demo+x", false, &n), BW_E_INVALID, "not an offset");
	fake_fails(bw_debug_break(s.debug, "*0x1001", false, &n), BW_E_INVALID,
		   "not a multiple of 4");
	fake_fails(bw_debug_break(s.debug, "demo if", false, &n), BW_E_INVALID,
		   "condition after \"if\" is missing");
	fake_fails(bw_debug_break(s.debug, "demo if $v0 == nosuch", false, &n), BW_E_NOT_FOUND,
		   "No symbol \"nosuch\"");
	fake_fails(bw_debug_break(s.debug, "demo if 1 +", false, &n), BW_E_INVALID,
		   "ends too early");
	fake_fails(bw_debug_break(s.debug, "file.s:12", false, &n), BW_E_NOT_FOUND,
		   "No source file named file.s");
	fake_fails(bw_debug_break(s.debug, "file.s:0", false, &n), BW_E_INVALID,
		   "not a line number");
	fake_fails(bw_debug_break(s.debug, "", false, &n), BW_E_STATE,
		   "No default breakpoint address now");
	fake_fails(bw_debug_break(s.debug, "12", false, &n), BW_E_NOT_FOUND, "No symbol table");
	size_t count;
	bw_debug_breakpoints(s.debug, &count);
	assert_int_equal(count, 0);
	/* an address that does not exist is reported when it is inserted, and all else works */
	n = set_break(&s, "*0x1000");
	fake_session_start(&s, 1);
	wait_stop(&s);
	assert_non_null(strstr(s.notices, "Cannot insert breakpoint 1 at 0x1000"));
	assert_true(bw_debug_breakpoint(s.debug, n)->pending);
	fake_session_end(&s);
}

TESTS(test_all_waves_at_a_breakpoint, test_mark_over_trapsts, test_numbers_stay,
      test_breakpoint_on_everything, test_loop_to_itself_hits_again, test_steps,
      test_interrupted_in_a_copy, test_interrupted_before_a_breakpoint,
      test_stepped_from_a_breakpoint_not_tested, test_traps, test_breakpoint_on_a_trap,
      test_stop_on_dispatch_and_counts, test_bad_places);
