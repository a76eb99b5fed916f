/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_STEPPING_PRIV_H
#define BW_DEBUG_STEPPING_PRIV_H

/* Resuming waves, steps, and stops. */

#include "debug/debug_priv.h"
#include "debug/stop.h"

struct bw_internal_place;
struct bw_wave_record;

struct bw_stepping {
	/* after Ctrl-C: conditions are tested only when waves run on (stopped.c) */
	bool defers_tests;
	bool waits_at_error; /* a queue error was reported, and since then the program waits */
	bool report_pending; /* the next wait reports a stop that has happened already */
	/* the stop that the next wait reports, since it came while nothing waited; kind NONE:
	 * none */
	struct bw_stop pending;
	uint64_t deferred_since_ms; /* since when the first held submission has waited for an
				     * earlier one (run.c); 0: it does not */
	/* slot of the wave that continues alone; UINT32_MAX: none */
	uint32_t alone_slot;
	/* slots of the waves that are stepped for software watchpoints, in turn (step_watch.c) */
	struct bw_u32_vec watched;
	size_t watched_turn;
	bw_finding_fn *asks_finding; /* NULL: each finding stops */
	void *asks_finding_cookie;
};
void bw_stepping_fini(struct bw_stepping *s);
void bw_stepping_forget(struct bw_stepping *s);

/* stopped.c: whether Ctrl-C has come while waves were being examined. Conditions are then not
 * tested before the waves run on. */
bool bw_tests_are_ended(struct bw_debug *d);

/* run.c */
struct bw_error *bw_debug_release_held(struct bw_debug *d) BW_MUST_CHECK;
/* Resumes the waves in these slots, each from where it stopped. */
struct bw_error *bw_debug_run_on(struct bw_debug *d, uint32_t *slots, size_t n) BW_MUST_CHECK;
bool bw_wave_is_event(const struct bw_wave_record *w);
unsigned bw_wave_stop_lane(struct bw_debug *d, const struct bw_wave_record *w);
struct bw_error *bw_debug_stop_and_report(struct bw_debug *d, struct bw_stop *out) BW_MUST_CHECK;
struct bw_error *bw_debug_sort_stops(struct bw_debug *d, bool *out_stop) BW_MUST_CHECK;
/* Handles one event. out->kind stays NONE if there is nothing to report. */
struct bw_error *bw_debug_handle(struct bw_debug *d, const struct bw_target_event *ev,
				 struct bw_stop *out) BW_MUST_CHECK;

/* step.c: the focus wave executes `count` instructions, or fewer when something else stops it. */
struct bw_error *bw_step_count(struct bw_debug *d, struct bw_wave_record *w, uint64_t count,
			       bool over_calls, struct bw_stop *out) BW_MUST_CHECK;
/* Runs the wave to va, or to a stop of its own before that. s32: va counts only if s32 has this
 * value there; NULL: always. out_there: the wave has got to va. */
struct bw_error *bw_step_to(struct bw_debug *d, struct bw_wave_record *w, uint64_t va,
			    const uint32_t *s32, struct bw_stop *out,
			    bool *out_there) BW_MUST_CHECK;
/* Like bw_step_to, but to the first of several places, at most BW_INTERNAL_PLACES. */
struct bw_error *bw_step_to_any(struct bw_debug *d, struct bw_wave_record *w,
				const struct bw_internal_place *places, size_t n,
				struct bw_stop *out, bool *out_there) BW_MUST_CHECK;
/* A wait for the wave in `slot`, which has been resumed. along: other waves run as well, and may
 * stop for reasons of their own. patience_ms: how long to wait; negative: without end. */
struct bw_step_wait {
	uint32_t slot;
	bool along;
	int patience_ms;
};
/* out_late: the time has passed, and the wave has not stopped. */
struct bw_error *bw_step_await(struct bw_debug *d, const struct bw_step_wait *w, bool *out_ended,
			       bool *out_late, struct bw_stop *out) BW_MUST_CHECK;
/* Which other waves run while w executes its next instruction; an error if it needs waves that are
 * not allowed to run. */
struct bw_error *bw_step_companions(struct bw_debug *d, const struct bw_wave_record *w,
				    const struct bw_inst *inst,
				    struct bw_u32_vec *out) BW_MUST_CHECK;
struct bw_error *bw_step_resume_others(struct bw_debug *d,
				       const struct bw_u32_vec *others) BW_MUST_CHECK;
/* Called when the instruction has been simulated in the slot (bw_debug_prepare). */
void bw_step_simulated(struct bw_debug *d, struct bw_wave_record *w);
/* Called when the only wave that was allowed to run has ended: reports another stopped wave, or
 * resumes all others. */
struct bw_error *bw_step_alone_ended(struct bw_debug *d, const struct bw_wave_record *w,
				     struct bw_stop *out) BW_MUST_CHECK;
/* Events that happened while one wave was being stepped; out->kind stays NONE when there were none.
 * A dispatch that counts as hung meanwhile is reported as INTERRUPTED. */
struct bw_error *bw_step_poll(struct bw_debug *d, struct bw_stop *out) BW_MUST_CHECK;
/* Begins a stepping command: finds the focus wave and checks that the target can run. The time of a
 * hang is counted from now, and watchpoints do not report changes that the user has made. If Ctrl-C
 * has left the condition of a breakpoint at the PC untested, it is tested: out_over says that it
 * holds, and that `out` reports it. */
struct bw_error *bw_step_begin(struct bw_debug *d, struct bw_wave_record **out_w,
			       struct bw_stop *out, bool *out_over) BW_MUST_CHECK;
/* Tests such a condition. True: it holds, and is among the reasons of the wave's stop. */
bool bw_test_deferred(struct bw_debug *d, struct bw_wave_record *w);
/* If the program or the GPU is gone, and the wave with it, waits for the event that says so;
 * otherwise returns err. */
struct bw_error *bw_step_unless_gone(struct bw_debug *d, struct bw_error *err,
				     struct bw_stop *out) BW_MUST_CHECK;
/* step_watch.c: a wave with a software watchpoint is stepped, the others run. */
/* Sorts the stopped waves: those that have to be stepped for a software watchpoint go to `watched`;
 * the others are resumed at once. If `watched` is empty afterwards, none has been resumed. */
struct bw_error *bw_debug_watch_begin(struct bw_debug *d) BW_MUST_CHECK;
/* Waits for the wave in alone_slot, as bw_debug_wait does. alone_slot is UINT32_MAX if that wave
 * has ended; if there is no stop then, all waves have been resumed. */
struct bw_error *bw_debug_wait_alone(struct bw_debug *d, int timeout_ms,
				     struct bw_stop *out) BW_MUST_CHECK;
/* Steps the watched waves until there is a stop, or until they have ended (`watched` is empty
 * then). With a timeout, it returns after a short time. */
struct bw_error *bw_debug_step_watched(struct bw_debug *d, int timeout_ms,
				       struct bw_stop *out) BW_MUST_CHECK;

/* Called before and after a step that the user asked for: finds out what the next instruction
 * accesses, and then whether it has changed a watched value (w's reasons say so). Without software
 * watchpoints, both do nothing. */
struct bw_wave_access;
void bw_step_foresee(struct bw_debug *d, struct bw_wave_record *w, struct bw_wave_access *out);
void bw_step_compare(struct bw_debug *d, struct bw_wave_record *w, uint64_t pc,
		     const struct bw_wave_access *a);

/* displaced.c */
/* Prepares a stopped wave for resuming: after a reported trap, over a breakpoint. out_simulated:
 * its next instruction has been simulated here. */
struct bw_error *bw_debug_prepare(struct bw_debug *d, struct bw_wave_record *w,
				  bool *out_simulated) BW_MUST_CHECK;
/* If pc is in a displaced copy, the PC to show for it; otherwise pc. */
uint64_t bw_displaced_pc(const struct bw_wave_record *w, uint64_t pc);

/* stopped.c */
/* Reads a stopped wave's registers, and finds out why it stopped. */
struct bw_error *bw_debug_examine(struct bw_debug *d, uint32_t slot) BW_MUST_CHECK;
/* Stops every wave, and collects them. On a target that cannot run waves, all waves are stopped
 * already. */
struct bw_error *bw_debug_stop_all(struct bw_debug *d) BW_MUST_CHECK;
/* Lists all stopped waves, examining those that are new; numbers them; keeps or moves the focus. */
struct bw_error *bw_debug_collect(struct bw_debug *d) BW_MUST_CHECK;

#endif
