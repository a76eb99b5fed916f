/* SPDX-License-Identifier: MIT */
/* The step with thousands of waves. */
#include "selftest/selftest_priv.h"

#include <inttypes.h>

#include "debug/breaks.h"
#include "debug/waves.h"

enum { GROUPS = 4096, LANES = 32, ROUNDS = 400 };

/* Resumes all waves at each stop, until the program has ended. */
static struct bw_error *stop_each(struct bw_selftest_program *p)
{
	struct bw_debug *d = p->session.debug;
	uint32_t number, n_stops = 0;
	size_t most = 0;
	struct bw_stop stop;
	BW_TRY(bw_selftest_break(p, &number));
	BW_TRY(bw_selftest_await(p, BW_REASON_BREAKPOINT, "The breakpoint was not hit", &stop));
	while (stop.kind == BW_STOP_WAVES) {
		n_stops++;
		most = stop.n_waves > most ? stop.n_waves : most;
		if (!(stop.reasons & BW_REASON_BREAKPOINT))
			return bw_errorf(BW_E_STATE,
					 "A wave has stopped, and not for the breakpoint");
		if (stop.n_unstoppable)
			return bw_errorf(BW_E_STATE, "%u waves could not be stopped",
					 stop.n_unstoppable);
		BW_TRY(bw_debug_continue(d));
		bw_selftest_doing(p->w, "waiting for stop %u of many waves", n_stops + 1);
		BW_TRY(bw_debug_wait(d, -1, &stop));
	}
	uint64_t hits = bw_debug_breakpoint(d, number)->hits;
	bw_selftest_value(p->w, "stops", "%u, with up to %zu waves at once", n_stops, most);
	bw_selftest_value(p->w, "hits", "%" PRIu64, hits);
	if (stop.kind != BW_STOP_EXITED)
		return bw_errorf(BW_E_STATE, "The program did not end by itself");
	if (hits != GROUPS)
		return bw_errorf(BW_E_STATE, "%" PRIu64 " of %d waves hit the breakpoint", hits,
				 GROUPS);
	return bw_selftest_check_row(p, (size_t)GROUPS * LANES, ROUNDS, 1);
}

struct bw_error *bw_selftest_step_many(void *work)
{
	char buffer[32];
	snprintf(buffer, sizeof(buffer), "zeros:%d:u32", GROUPS * LANES);
	const struct bw_selftest_launch launch = {
		.kernel = "count", .vgprs = 8, .sgprs = 16, .groups = GROUPS, .buffer = buffer};
	return bw_selftest_with(work, &launch, stop_each);
}
