/* SPDX-License-Identifier: MIT */
/* The steps that stop one wave: trap, breakpoint, single steps. */
#include "selftest/selftest_priv.h"

#include <inttypes.h>

#include "debug/breaks.h"
#include "debug/registers.h"

enum { ROUNDS = 400, ROUND_INSTRUCTIONS = 4, MANY_STEPS = 1000 };

static const struct bw_selftest_launch count = {
	.kernel = "count", .vgprs = 8, .sgprs = 16, .groups = 1, .buffer = "zeros:32:u32"};

/* ---- trap ---- */

static struct bw_error *trap_once(struct bw_selftest_program *p)
{
	struct bw_stop stop;
	BW_TRY(bw_selftest_await(
		p, BW_REASON_DEBUG_TRAP,
		"The wave has passed s_trap 3 without entering the trap handler (TRAP_EN of STATUS or TBA has no effect)",
		&stop));
	const struct bw_wave_info *w = bw_debug_focus(p->session.debug);
	if (!w)
		return bw_errorf(BW_E_STATE, "No wave is stopped after a stop");
	bw_selftest_value(p->w, "PC of s_trap", "0x%" PRIx64, w->pc);
	bw_selftest_value(p->w, "stopped waves", "%zu", stop.n_waves);
	BW_TRY(bw_selftest_finish(p));
	return bw_selftest_check_words(p, 32, 0x600d0001);
}

struct bw_error *bw_selftest_step_trap(void *work)
{
	const struct bw_selftest_launch launch = {
		.kernel = "trap", .vgprs = 8, .sgprs = 16, .groups = 1, .buffer = "zeros:32:u32"};
	return bw_selftest_with(work, &launch, trap_once);
}

/* ---- breakpoint ---- */

/* Runs a new program to the mark of "count". */
static struct bw_error *stop_at_mark(struct bw_selftest_program *p, uint32_t *out_wave)
{
	struct bw_stop stop;
	BW_TRY(bw_selftest_to_mark(p, &stop));
	bw_selftest_value(p->w, "PC of breakpoint", "0x%" PRIx64,
			  bw_debug_wave(p->session.debug, stop.wave)->pc);
	*out_wave = stop.wave;
	return NULL;
}

static struct bw_error *finish_count(struct bw_selftest_program *p)
{
	BW_TRY(bw_selftest_finish(p));
	return bw_selftest_check_row(p, 32, ROUNDS, 1);
}

static struct bw_error *check_mark(struct bw_selftest_program *p)
{
	uint32_t wave, round;
	BW_TRY(stop_at_mark(p, &wave));
	BW_TRY(bw_selftest_sgpr(p, wave, 10, &round));
	return round == 0 ? finish_count(p)
			  : bw_errorf(BW_E_STATE, "s10 at the breakpoint is %u, not 0", round);
}

struct bw_error *bw_selftest_step_breakpoint(void *work)
{
	return bw_selftest_with(work, &count, check_mark);
}

/* ---- steps ---- */

/* Steps n instructions; the PC has to be `offset` bytes after the mark then. */
static struct bw_error *step(struct bw_selftest_program *p, uint32_t wave, uint64_t n,
			     uint32_t offset)
{
	struct bw_debug *d = p->session.debug;
	struct bw_stop stop;
	uint64_t begin = bw_debug_wave(d, wave)->pc;
	bw_selftest_doing(p->w, "executing %" PRIu64 " instructions one by one", n);
	BW_TRY(bw_debug_stepi(d, n, false, &stop));
	if (stop.kind != BW_STOP_WAVES || stop.wave != wave)
		return bw_errorf(BW_E_STATE, "The wave did not stop after %" PRIu64 " steps", n);
	uint64_t pc = bw_debug_wave(d, wave)->pc;
	bw_selftest_value(p->w, "PC after steps", "0x%" PRIx64, pc);
	return pc == begin + offset ? NULL
				    : bw_errorf(BW_E_STATE,
						"The PC after %" PRIu64 " steps is 0x%" PRIx64
						", not 0x%" PRIx64,
						n, pc, begin + offset);
}

static struct bw_error *one_step(struct bw_selftest_program *p)
{
	uint32_t wave;
	BW_TRY(stop_at_mark(p, &wave));
	BW_TRY(step(p, wave, 1, 4));
	return finish_count(p);
}

struct bw_error *bw_selftest_step_step(void *work)
{
	return bw_selftest_with(work, &count, one_step);
}

static struct bw_error *many_steps(struct bw_selftest_program *p)
{
	enum { IN_LOOP = MANY_STEPS / ROUND_INSTRUCTIONS };
	uint32_t wave, round, lanes[64];
	BW_TRY(stop_at_mark(p, &wave));
	/* s_nop at the mark; then as many rounds as there are groups of four steps */
	BW_TRY(step(p, wave, 1 + MANY_STEPS, 4));
	BW_TRY(bw_selftest_sgpr(p, wave, 10, &round));
	if (round != IN_LOOP)
		return bw_errorf(BW_E_STATE, "s10 after %d steps is %u, not %d", MANY_STEPS, round,
				 IN_LOOP);
	BW_TRY(bw_debug_vgpr_read(p->session.debug, wave, 1, lanes));
	for (int i = 0; i < 32; i++)
		if (lanes[i] != IN_LOOP)
			return bw_errorf(BW_E_STATE, "v1 of lane %d after %d steps is %u, not %d",
					 i, MANY_STEPS, lanes[i], IN_LOOP);
	return finish_count(p);
}

struct bw_error *bw_selftest_step_steps(void *work)
{
	return bw_selftest_with(work, &count, many_steps);
}
