/* SPDX-License-Identifier: MIT */
/* Inferences that show where a wave stops: their kernels run with a debugger. */
#include "selftest/selftest_priv.h"

#include <inttypes.h>

#include "arch/wave.h"
#include "base/util.h"
#include "debug/breaks.h"
#include "debug/registers.h"
#include "debug/waves.h"
#include "selftest/kernels/inferred.h"

static struct bw_error *debug(struct bw_selftest_work *w,
			      struct bw_error *(*body)(struct bw_selftest_program *p))
{
	const struct bw_selftest_launch launch = bw_selftest_infer_launch(w);
	return bw_selftest_with(w, &launch, body);
}

/* The bytes from the kernel's mark, whose address is in s[6:7], to the wave's PC. */
static struct bw_error *from_mark(struct bw_selftest_program *p, uint32_t wave, int64_t *out_b)
{
	uint32_t s[2];
	uint64_t pc = bw_debug_wave(p->session.debug, wave)->pc;
	BW_TRY(bw_debug_sgprs_read(p->session.debug, wave, 6, 2, s));
	*out_b = (int64_t)(pc - bw_join32(s[1], s[0]));
	bw_selftest_value(p->w, "bytes from the mark to the PC", "%" PRId64, *out_b);
	return NULL;
}

/* Waits for a stop, whose PC is to be that far after the mark. */
static struct bw_error *compare_pc(struct bw_selftest_program *p, uint32_t reason, int64_t expected)
{
	struct bw_stop stop;
	int64_t offset_b;
	BW_TRY(bw_selftest_await(p, reason, "The wave has not stopped", &stop));
	BW_TRY(from_mark(p, stop.wave, &offset_b));
	if (offset_b != expected)
		bw_selftest_answer(p->w, BW_SELFTEST_NO,
				   "The wave has stopped %" PRId64
				   " bytes after the place that was expected",
				   offset_b - expected);
	else
		bw_selftest_answer(p->w, BW_SELFTEST_YES, "%s", "");
	return NULL;
}

/* ---- Exceptions ---- */

static struct bw_error *stop_at_illegal(struct bw_selftest_program *p)
{
	return compare_pc(p, BW_REASON_ILLEGAL_INSTRUCTION, 0);
}

struct bw_error *bw_selftest_ask_illegal(void *work)
{
	return debug(work, stop_at_illegal);
}

static struct bw_error *stop_after_exception(struct bw_selftest_program *p)
{
	uint32_t number;
	BW_TRY(bw_debug_catch_exceptions(p->session.debug, BW_EXCP_DIV0, false, &number));
	BW_TRY(compare_pc(p, BW_REASON_FP_EXCEPTION, 4));
	BW_TRY(bw_debug_break_delete(p->session.debug, number));
	BW_TRY(bw_selftest_finish(p));
	return bw_selftest_infer_words(p);
}

struct bw_error *bw_selftest_ask_exception(void *work)
{
	return debug(work, stop_after_exception);
}

/* ---- Breakpoints and watchpoints ---- */

/* The breakpoint stays: what it replaces runs from a copy. */
static struct bw_error *pass_breakpoint(struct bw_selftest_program *p)
{
	struct bw_stop stop;
	uint32_t number;
	BW_TRY(bw_selftest_break(p, &number));
	BW_TRY(bw_selftest_await(p, BW_REASON_BREAKPOINT, "The breakpoint was not hit", &stop));
	BW_TRY(bw_selftest_finish(p));
	return bw_selftest_infer_words(p);
}

struct bw_error *bw_selftest_ask_breakpoint(void *work)
{
	return debug(work, pass_breakpoint);
}

/* Stops at the mark, watches the word DATA, and resumes. */
static struct bw_error *watch_data(struct bw_selftest_program *p, enum bw_break_kind kind,
				   uint32_t *out_number)
{
	struct bw_stop stop;
	uint64_t va;
	char text[80];
	BW_TRY(bw_selftest_to_mark(p, &stop));
	BW_TRY(bw_selftest_buffer_va(p, stop.wave, &va));
	snprintf(text, sizeof(text), "*(unsigned int *)0x%" PRIx64, va + DATA);
	BW_TRY(bw_debug_watch(p->session.debug, text, kind, out_number));
	return bw_debug_continue(p->session.debug);
}

/* The load of the kernel's vector part is the first that hits. */
static struct bw_error *hit_by_vector(struct bw_selftest_program *p)
{
	struct bw_stop stop;
	uint32_t number;
	int64_t offset_b;
	BW_TRY(watch_data(p, BW_BREAK_AWATCH, &number));
	BW_TRY(bw_selftest_await(p, BW_REASON_WATCHPOINT, "No load has hit the watchpoint", &stop));
	BW_TRY(from_mark(p, stop.wave, &offset_b));
	if (offset_b <= SCALAR_PART_B)
		bw_selftest_answer(p->w, BW_SELFTEST_NO,
				   "A wave has stopped before the vector load, %" PRId64
				   " bytes after the mark",
				   offset_b);
	BW_TRY(bw_debug_break_delete(p->session.debug, number));
	BW_TRY(bw_selftest_finish(p));
	return bw_selftest_infer_words(p);
}

struct bw_error *bw_selftest_ask_watch_scalar(void *work)
{
	return debug(work, hit_by_vector);
}

static struct bw_error *hit_right_after(struct bw_selftest_program *p)
{
	uint32_t number;
	BW_TRY(bw_debug_set_precise(p->session.debug, true));
	BW_TRY(watch_data(p, BW_BREAK_WATCH, &number));
	BW_TRY(compare_pc(p, BW_REASON_WATCHPOINT, STORED_B));
	BW_TRY(bw_debug_break_delete(p->session.debug, number));
	BW_TRY(bw_selftest_finish(p));
	return bw_selftest_infer_words(p);
}

struct bw_error *bw_selftest_ask_watch_precise(void *work)
{
	return debug(work, hit_right_after);
}
