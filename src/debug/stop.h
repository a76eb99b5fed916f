/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_STOP_H
#define BW_DEBUG_STOP_H

/* Running, stepping, and the stops that end a run or step. */

#include "debug/debug.h"

struct bw_wave_info;

enum bw_stop_kind {
	BW_STOP_NONE,	     /* wait: the timeout has passed; the program runs */
	BW_STOP_WAVES,	     /* waves have stopped: reasons, focus */
	BW_STOP_DISPATCH,    /* settings.stop_on_dispatch: `dispatch` is held; no wave of it runs */
	BW_STOP_INTERRUPTED, /* Ctrl-C, and there was no wave to stop */
	BW_STOP_EXITED,	     /* the program has ended: exit_status as from waitpid */
	BW_STOP_GPU_GONE,
	/* a queue met commands that it cannot execute: queue_error; maybe no wave has stopped */
	BW_STOP_QUEUE_ERROR,
};
struct bw_stop {
	enum bw_stop_kind kind;
	/* WAVES: the focus after the stop (also in bw_debug_focus), and the reason */
	uint32_t wave; /* number */
	unsigned lane;
	bool focus_changed; /* another wave than before */
	/* WAVES, INTERRUPTED: the wave that was stepped has ended; no stop was asked for */
	bool focus_ended;
	uint32_t reasons;    /* reasons of that wave */
	uint32_t breakpoint; /* breakpoint of that wave; a temporary one has been deleted already */
	bool breakpoint_temporary;
	uint64_t breakpoint_lanes;
	size_t n_waves; /* all stopped waves */
	/* waves that stopped for the same reason at the same PC, this one included */
	size_t n_same;
	/* waves that stopped for reasons of their own at other places */
	size_t n_other;
	uint32_t n_unstoppable; /* waves that still run although they were asked to stop */
	uint32_t dispatch;	/* WAVES, DISPATCH */
	bool exit_known;
	int exit_status; /* EXITED, as from waitpid */
	pid_t pid;	 /* QUEUE_ERROR, and the result of the fence: -errno */
	int result;
	struct bw_target_queue_error queue_error;
};

/* fn is asked about each wave that the virtual GPU's checker has stopped; false: the wave resumes.
 * The wave's place and the instruction are known (workgroup, wave_in_group, cause_pc); fn changes
 * nothing. One fn for the session. */
typedef bool bw_finding_fn(void *cookie, const struct bw_wave_info *w);
void bw_debug_on_finding(struct bw_debug *d, bw_finding_fn *fn, void *cookie);
/* Resumes the waves; wait reports the next stop. Waves that stopped at a trap (s_trap 1, 2, 3...)
 * resume after it. */
struct bw_error *bw_debug_continue(struct bw_debug *d) BW_MUST_CHECK;
/* Waits for the next stop. timeout_ms < 0: for ever. */
struct bw_error *bw_debug_wait(struct bw_debug *d, int timeout_ms,
			       struct bw_stop *out) BW_MUST_CHECK;
/* Reports the end of a program that ended while nothing waited for it: EXITED or GPU_GONE;
 * otherwise NONE. If one of several programs has ended, a notice says so, and its waves are
 * dropped. Does not wait if all of them run. */
struct bw_error *bw_debug_look_for_end(struct bw_debug *d, struct bw_stop *out) BW_MUST_CHECK;
/* Like bw_debug_look_for_end, but only if another program is left: the end of the last program is
 * reported by the command that resumes it. */
struct bw_error *bw_debug_look_for_some_end(struct bw_debug *d) BW_MUST_CHECK;
/* The focus wave alone executes `count` instructions, or fewer when something else stops it.
 * over_calls: a call (s_swappc_b64, s_call_b64) counts as one. At s_barrier the other waves of its
 * group run as well; otherwise the barrier would never complete. */
struct bw_error *bw_debug_stepi(struct bw_debug *d, uint64_t count, bool over_calls,
				struct bw_stop *out) BW_MUST_CHECK;
/* Steps the focus wave, over calls, until it is after the current source line (or instruction,
 * where there are no lines): out of a loop, not back into it. */
struct bw_error *bw_debug_until(struct bw_debug *d, struct bw_stop *out) BW_MUST_CHECK;
/* Steps the focus wave until another source line begins, `count` times; by instructions where there
 * are no lines. over_calls: lines of a called function do not count. */
struct bw_error *bw_debug_step_lines(struct bw_debug *d, uint64_t count, bool over_calls,
				     struct bw_stop *out) BW_MUST_CHECK;
/* Runs the focus wave until the selected frame has returned to its caller. */
struct bw_error *bw_debug_finish(struct bw_debug *d, struct bw_stop *out) BW_MUST_CHECK;
/* Runs the focus wave to a place, given as for `break`, or until the selected frame has returned.
 * in_frame: the place counts only in that frame, not in calls of its function by itself. */
struct bw_error *bw_debug_advance(struct bw_debug *d, const char *where, bool in_frame,
				  struct bw_stop *out) BW_MUST_CHECK;
/* Stops everything now. The stop is INTERRUPTED if there is no wave to stop. */
struct bw_error *bw_debug_stop(struct bw_debug *d, struct bw_stop *out) BW_MUST_CHECK;
/* Makes wait and stepi stop everything and return. Async-signal-safe. */
void bw_debug_interrupt(struct bw_debug *d);

#endif
