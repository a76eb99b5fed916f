// SPDX-License-Identifier: MIT
/* src/live and src/debug together, on the virtual GPU: stops, edits and steps. */
#include "session.h"
#include "debug/breaks.h"
#include "debug/code.h"
#include "debug/faults.h"
#include "debug/registers.h"
#include "debug/stop.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const saxpy_256[] = {"--grid",  "256",	   "--group", "64",
					"--arg",   "a=2.0",	   "--arg",   "x=iota:256",
					"--arg",   "y=fill:256:1", "--arg",   "out=zeros:256",
					"--print", "out:8",	   NULL};

static void test_runs_undisturbed(void **state)
{
	struct session s;
	char text[256];
	session_start(&s, "saxpy", saxpy_256);
	struct bw_stop stop = session_wait(&s);
	assert_int_equal(stop.kind, BW_STOP_EXITED);
	assert_int_equal(stop.exit_status, 0);
	assert_string_equal(session_output(&s, text, sizeof(text)), "1 3 5 7 9 11 13 15\n");
	session_end(&s);
}

/* All eight waves of the grid stop; registers have what the kernel computed; edits arrive. */
static void test_breakpoint_edit_continue(void **state)
{
	struct session s;
	struct bw_wave_count count;
	char text[256];
	size_t n;

	/* On a busy machine a stop may come before the last wave does: then again. */
	struct bw_stop stop = {0};
	uint32_t number = 0;
	for (int i = 0; i < 50 && stop.n_waves < 8; i++) {
		if (i)
			session_end(&s);
		session_start(&s, "saxpy", saxpy_256);
		number = session_break(&s, "compute");
		stop = session_wait(&s);
		assert_int_equal(stop.kind, BW_STOP_WAVES);
		assert_int_equal(stop.reasons & BW_REASON_BREAKPOINT, BW_REASON_BREAKPOINT);
		assert_int_equal(stop.breakpoint, number);
	}
	assert_int_equal(stop.n_waves, 8);
	assert_int_equal(stop.n_same, 8);
	assert_true(stop.breakpoint_lanes == 0xffffffff);
	const struct bw_wave_info *w = bw_debug_waves(s.debug, &n);
	assert_int_equal(n, 8);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(w[i].number, i + 1);
		assert_int_equal(w[i].workgroup[0], i / 2);
		assert_int_equal(w[i].wave_in_group, i % 2);
	}
	bw_wave_name(&w[5], text, sizeof(text));
	assert_string_equal(text, "AMDGPU Wave 1:1:1:6 (2,0,0)/1");
	OK(bw_debug_count_waves(s.debug, 1, &count));
	assert_int_equal(count.total, 8);
	assert_int_equal(count.stopped, 8);
	assert_int_equal(count.running + count.waiting + count.finished, 0);
	assert_int_equal(bw_debug_breakpoint(s.debug, number)->hits, 8);

	struct bw_where where;
	bw_debug_where(s.debug, w[0].pc, &where);
	assert_string_equal(where.function, "saxpy");
	assert_int_equal(where.offset_b, 60);
	assert_true(where.has_line);
	assert_non_null(strstr(where.line_text, "v_fmac_f32_e32 v3, s4, v2"));

	/* wave 4 is the second of group 1: its lane 5 has element 64 + 32 + 5 */
	OK(bw_debug_set_focus(s.debug, 4));
	OK(bw_debug_set_lane(s.debug, 5));
	assert_int_equal(session_int(&s, "$v0"), 37);
	assert_true(session_float(&s, "as_float($v2)") == 101.0);
	assert_true(session_float(&s, "as_float($s4)") == 2.0);
	assert_true(session_float(&s, "a") == 2.0);
	assert_true(session_float(&s, "x[101]") == 101.0);
	assert_true(session_float(&s, "y[3]") == 1.0);

	OK(bw_debug_set_focus(s.debug, 1));
	session_int(&s, "$v2[3] = 100.0f");
	session_int(&s, "$s4 = 3.0f");
	assert_int_equal(session_finish(&s), 0);
	assert_string_equal(session_output(&s, text, sizeof(text)), "1 4 7 301 13 16 19 22\n");
	session_end(&s);
}

static void test_steps(void **state)
{
	struct session s;
	struct bw_stop stop;
	char text[256];

	session_start(&s, "saxpy", saxpy_256);
	session_break(&s, "saxpy");
	stop = session_wait(&s);
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	uint64_t pc = bw_debug_focus(s.debug)->pc;
	/* s_load_b32, twice s_load: 8 bytes each; s_lshl: 4 */
	static const unsigned sizes[] = {8, 8, 8, 4, 4, 4, 4, 8, 8, 4, 4, 8};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		OK(bw_debug_stepi(s.debug, 1, false, &stop));
		assert_int_equal(stop.kind, BW_STOP_WAVES);
		assert_int_equal(stop.reasons, BW_REASON_SINGLE_STEP);
		pc += sizes[i];
		assert_true(bw_debug_focus(s.debug)->pc == pc);
		assert_int_equal(stop.n_waves, 8);
	}
	/* s_endpgm */
	OK(bw_debug_stepi(s.debug, 1, false, &stop));
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	assert_int_equal(stop.n_waves, 7);
	assert_int_equal(stop.wave, 2);
	assert_non_null(strstr(s.notices, "[AMDGPU Wave 1:1:1:1 (0,0,0)/0 exited]"));
	OK(bw_debug_break_delete(s.debug, 0));
	assert_int_equal(session_finish(&s), 0);
	assert_string_equal(session_output(&s, text, sizeof(text)), "1 3 5 7 9 11 13 15\n");
	session_end(&s);
}

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A loop with branches, a call and s_getpc: stepped through with a breakpoint on each instruction,
 * so that every one is displaced or simulated, and the sum is right at the end. */
static void test_loop_with_breakpoints_everywhere(void **state)
{
	static const char *const args[] = {"--grid",	       "64",	  "--group", "64", "--arg",
					   "out=zeros:64:u32", "--print", "out:4",   NULL};
	struct session s;
	char text[256], where[64];

	session_start(&s, "loop", args);
	for (int offset = 0; offset < 100; offset += 4) {
		snprintf(where, sizeof(where), "*sum+%d", offset);
		session_break(&s, where);
	}
	unsigned stops = 0;
	struct bw_stop stop = session_wait(&s);
	while (stop.kind == BW_STOP_WAVES) {
		stops++;
		assert_true(stops < 1000);
		stop = session_continue(&s);
	}
	assert_int_equal(stop.kind, BW_STOP_EXITED);
	assert_true(stops > 40);
	assert_string_equal(session_output(&s, text, sizeof(text)), "55 56 57 58\n");
	session_end(&s);
}

static void test_step_speed(void **state)
{
	static const char *const args[] = {"--grid",	       "32", "--group", "32", "--arg",
					   "out=zeros:64:u32", NULL};
	struct session s;
	struct bw_stop stop;

	session_start(&s, "loop", args);
	session_break(&s, "forever");
	stop = session_wait(&s);
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	OK(bw_debug_break_delete(s.debug, 0));
	session_int(&s, "$s20 = 1");
	double start = now_s();
	for (int i = 0; i < 2000; i++) {
		OK(bw_debug_stepi(s.debug, 1, false, &stop));
		assert_int_equal(stop.reasons, BW_REASON_SINGLE_STEP);
	}
	print_message("%.0f steps a second\n", 2000 / (now_s() - start));
	OK(bw_debug_kill(s.debug));
	session_end(&s);
}

static void *interrupt_later(void *cookie)
{
	nanosleep(&(struct timespec){0, 100000000}, NULL);
	bw_debug_interrupt(cookie);
	return NULL;
}

/* All 128 waves are at the two instructions of the loop, and none on the way to it. */
static bool all_spin(struct bw_debug *d)
{
	size_t n;
	const struct bw_wave_info *w = bw_debug_waves(d, &n);
	for (size_t i = 0; i < n; i++) {
		struct bw_where where;
		bw_debug_where(d, w[i].pc, &where);
		if (!where.has_line || (where.line.line != 17 && where.line.line != 18))
			return false;
	}
	return n == 128;
}

static void test_interrupt_a_loop(void **state)
{
	static const char *const args[] = {"--grid",  "4096",  "--group",
					   "64",      "--arg", "out=zeros:4096:u32",
					   "--print", "out:2", NULL};
	struct session s;
	struct bw_stop stop;
	struct bw_where where;
	pthread_t thread;
	char text[256];

	session_start(&s, "spin", args);
	/* on a busy machine the first ones come before all waves have been launched, or any */
	int whole = 0;
	for (int i = 0; i < 100 && whole < 3; i++) {
		pthread_create(&thread, NULL, interrupt_later, s.debug);
		stop = i ? session_continue(&s) : session_wait(&s);
		pthread_join(thread, NULL);
		assert_int_equal(stop.n_unstoppable, 0);
		assert_true(stop.kind == BW_STOP_WAVES || stop.kind == BW_STOP_INTERRUPTED);
		if (stop.kind == BW_STOP_WAVES)
			assert_int_equal(stop.reasons, BW_REASON_INTERRUPT);
		whole += all_spin(s.debug);
	}
	assert_int_equal(whole, 3);
	bw_debug_where(s.debug, bw_debug_focus(s.debug)->pc, &where);
	assert_string_equal(where.function, "spin");
	assert_true(where.has_line && where.line.line >= 17 && where.line.line <= 18);
	/* let all of them out */
	size_t n;
	const struct bw_wave_info *w = bw_debug_waves(s.debug, &n);
	for (size_t i = 0; i < n; i++)
		OK(bw_debug_reg_write(s.debug, w[i].number,
				      (struct bw_wave_reg){BW_REG_SGPR, 20, 1}, 1));
	assert_int_equal(session_finish(&s), 0);
	assert_string_equal(session_output(&s, text, sizeof(text)), "7 7\n");
	session_end(&s);
}

static void test_condition_and_lds(void **state)
{
	struct session s;
	struct bw_stop stop;
	char text[256];
	uint32_t lds[4] = {0};

	static const char *const args[] = {"--grid",  "256",   "--group",
					   "64",      "--arg", "out=zeros:256:u32",
					   "--print", "out:4", NULL};
	session_start(&s, "lds", args);
	session_break(&s, "written if $v0 == 37 && blockIdx.x == 2");
	stop = session_wait(&s);
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	assert_true(stop.breakpoint_lanes == 1u << 5);
	assert_int_equal(stop.lane, 5);
	const struct bw_wave_info *w = bw_debug_focus(s.debug);
	assert_int_equal(w->workgroup[0], 2);
	assert_int_equal(w->wave_in_group, 1);
	/* lds[i] = 64 * 2 + i + 1000 */
	OK(bw_debug_read(s.debug, BW_SPACE_LDS, 40 * 4, lds, sizeof(lds)));
	assert_int_equal(lds[0], 1000 + 128 + 40);
	assert_int_equal(session_int(&s, "*(unsigned *)lds#4"), 1000 + 128 + 1);
	session_int(&s, "*(unsigned *)lds#4 = 5");
	assert_int_equal(session_int(&s, "*(unsigned *)lds#4"), 5);
	assert_int_equal(session_finish(&s), 0);
	assert_string_equal(session_output(&s, text, sizeof(text)), "1001 1002 1003 1004\n");
	session_end(&s);
}

static void test_scratch(void **state)
{
	struct session s;
	static const char *const args[] = {"--grid",	       "64",	  "--group", "64", "--arg",
					   "out=zeros:64:u32", "--print", "out:3",   NULL};
	char text[256];

	session_start(&s, "scratch", args);
	session_break(&s, "saved");
	struct bw_stop stop = session_wait(&s);
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	OK(bw_debug_set_focus(s.debug, 2));
	OK(bw_debug_set_lane(s.debug, 7));
	/* private word at 8 holds 500 + item */
	assert_int_equal(session_int(&s, "*(int *)private_lane#8"), 500 + 39);
	OK(bw_debug_set_focus(s.debug, 1));
	OK(bw_debug_set_lane(s.debug, 1));
	session_int(&s, "*(int *)private_lane#8 = 42");
	assert_int_equal(session_finish(&s), 0);
	assert_string_equal(session_output(&s, text, sizeof(text)), "500 42 502\n");
	session_end(&s);
}

static void test_memory_violation(void **state)
{
	struct session s;
	struct bw_fault_info f;
	static const char *const args[] = {"--grid",	       "64", "--group", "64", "--arg",
					   "out=zeros:64:u32", NULL};

	session_start(&s, "fault", args);
	struct bw_stop stop = session_wait(&s);
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	assert_int_equal(stop.reasons & BW_REASON_MEMORY_VIOLATION, BW_REASON_MEMORY_VIOLATION);
	OK(bw_debug_fault(s.debug, stop.wave, &f));
	assert_true(f.has_instruction);
	assert_true(f.is_write);
	assert_int_equal(f.access_size_b, 4);
	/* lanes from 8 on write to 0x1000 + 4 * lane */
	assert_int_equal(f.first_lane, 8);
	assert_true(f.fault_lanes == 0xffffff00);
	assert_true(f.addr == 0x1000 + 32);
	assert_int_equal(f.verdict.kind, BW_VERDICT_UNMAPPED);
	assert_true(strlen(f.verdict.text) > 0);
	struct bw_where where;
	bw_debug_where(s.debug, bw_debug_focus(s.debug)->pc, &where);
	assert_string_equal(where.function, "fault");
	assert_true(where.line_text && strstr(where.line_text, "global_store_b32"));
	OK(bw_debug_kill(s.debug));
	session_end(&s);
}

static void test_illegal_and_traps(void **state)
{
	struct session s;
	static const char *const args[] = {"--grid",	       "32",	  "--group", "32", "--arg",
					   "out=zeros:64:u32", "--print", "out:1",   NULL};
	char text[256];

	session_start(&s, "traps", args);
	struct bw_stop stop = session_wait(&s);
	assert_int_equal(stop.reasons, BW_REASON_DEBUG_TRAP);
	stop = session_continue(&s);
	assert_int_equal(stop.reasons, BW_REASON_TRAP);
	assert_int_equal(bw_debug_focus(s.debug)->trap_id, 9);
	/* stepping from a trap goes behind it */
	uint64_t pc = bw_debug_focus(s.debug)->pc;
	OK(bw_debug_stepi(s.debug, 1, false, &stop));
	assert_true(bw_debug_focus(s.debug)->pc == pc + 4);
	stop = session_continue(&s);
	assert_int_equal(stop.reasons, BW_REASON_ILLEGAL_INSTRUCTION);
	session_int(&s, "$pc = $pc + 4");
	assert_int_equal(session_finish(&s), 0);
	assert_string_equal(session_output(&s, text, sizeof(text)), "3\n");
	session_end(&s);
}

/* 4096 waves: more than the device holds. */
static void many(const char *kernel, const char *group, unsigned lanes)
{
	char grid[16];
	snprintf(grid, sizeof(grid), "%u", 4096 * lanes);
	const char *args[] = {"--grid",	 grid,	  "--group", group, "--arg", "out=zeros:262144:u32",
			      "--print", "out:3", NULL};
	struct session s;
	struct bw_wave_count c;
	char text[256];
	uint64_t stopped = 0;

	session_start(&s, kernel, args);
	uint32_t number = session_break(&s, "here");
	struct bw_stop stop = session_wait(&s);
	double start = now_s();
	unsigned rounds = 0;
	while (stop.kind == BW_STOP_WAVES) {
		OK(bw_debug_count_waves(s.debug, 1, &c));
		assert_int_equal(c.total, 4096);
		assert_int_equal(c.stopped + c.running + c.waiting + c.finished, 4096);
		assert_int_equal(c.running, 0);
		/* no wave gets past the breakpoint before the first stop */
		if (rounds == 0)
			assert_int_equal(c.finished, 0);
		assert_int_equal(stop.n_unstoppable, 0);
		stopped = bw_debug_breakpoint(s.debug, number)->hits;
		rounds++;
		stop = session_continue(&s);
	}
	assert_int_equal(stop.kind, BW_STOP_EXITED);
	assert_int_equal(stop.exit_status, 0);
	assert_int_equal(stopped, 4096);
	print_message("%u stops, %.3f s\n", rounds, now_s() - start);
	assert_string_equal(session_output(&s, text, sizeof(text)), "11 11 11\n");
	session_end(&s);
}

static void test_4096_waves(void **state)
{
	many("many", "64", 32);
}

static void test_4096_waves_of_64(void **state)
{
	many("many64", "128", 64);
}

static void test_step_over_barrier(void **state)
{
	struct session s;
	struct bw_stop stop;
	char text[256];
	static const char *const args[] = {"--grid",  "256",   "--group",
					   "64",      "--arg", "out=zeros:256:u32",
					   "--print", "out:4", NULL};

	session_start(&s, "lds", args);
	session_break(&s, "written");
	stop = session_wait(&s);
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	/* s_waitcnt, s_barrier, and one more */
	uint32_t wave = stop.wave;
	OK(bw_debug_stepi(s.debug, 3, false, &stop));
	assert_int_equal(stop.kind, BW_STOP_WAVES);
	assert_int_equal(stop.wave, wave);
	assert_int_equal(stop.reasons & BW_REASON_SINGLE_STEP, BW_REASON_SINGLE_STEP);
	OK(bw_debug_break_delete(s.debug, 0));
	assert_int_equal(session_finish(&s), 0);
	assert_string_equal(session_output(&s, text, sizeof(text)), "1001 1002 1003 1004\n");
	session_end(&s);
}

TESTS(test_runs_undisturbed, test_breakpoint_edit_continue, test_steps,
      test_loop_with_breakpoints_everywhere, test_step_speed, test_interrupt_a_loop,
      test_condition_and_lds, test_step_over_barrier, test_scratch, test_memory_violation,
      test_illegal_and_traps, test_4096_waves, test_4096_waves_of_64);
