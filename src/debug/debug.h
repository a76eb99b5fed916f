/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_DEBUG_H
#define BW_DEBUG_DEBUG_H

/* The debugger's core: one session with one program. It owns the target (target/target.h), the code
 * objects the user knows about, breakpoints, the waves and their numbers, the focus, stepping and
 * expressions. It prints nothing: commands (src/cli) call it, src/ui turns what it returns into
 * text and JSON.
 *
 * A session goes create -> add_code_object... -> break... -> start(target) -> wait -> [stopped:
 * look, edit, continue or step] ... -> wait says EXITED -> (start again, breakpoints stay) ->
 * destroy.
 *
 * All-stop: when wait or step return with a stop, every wave of the program has stopped. What they
 * return by pointer is borrowed until the next call that resumes waves (continue, step, wait, kill,
 * detach), unless it says otherwise. One thread at a time, except bw_debug_interrupt.
 *
 * Here are the session, its programs and their memory. The rest is by subject: stop.h waves.h
 * registers.h dispatches.h bound.h code.h breaks.h expressions.h faults.h. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "debug/value.h"
#include "sym/code_object.h"
#include "target/target.h"

struct bw_debug;

/* ---- Session ---- */

struct bw_error *bw_debug_create(struct bw_debug **out) BW_MUST_CHECK;
/* Ends the session as detach does; accepts NULL. */
void bw_debug_destroy(struct bw_debug *d);

/* Notices for the user that are no stop: a pending breakpoint that was resolved, a submission that
 * failed, a warning. Called from inside other calls of this header; text is one sentence. */
enum bw_notice_kind {
	BW_NOTICE_INFO,
	BW_NOTICE_SAID, /* like INFO, but shown even in quiet modes; the text includes its
			 * brackets */
	BW_NOTICE_WARNING,
	BW_NOTICE_PROGRAM,	   /* the program has opened the GPU */
	BW_NOTICE_DISPATCH,	   /* a held dispatch has been released */
	BW_NOTICE_DISPATCH_FAILED, /* its fence carries an error */
	BW_NOTICE_BREAKPOINT,	   /* a pending breakpoint has been resolved */
	BW_NOTICE_WAVE_EXIT,	   /* the focus wave has ended */
};
typedef void bw_notice_fn(void *cookie, enum bw_notice_kind kind, const char *text);
void bw_debug_on_notice(struct bw_debug *d, bw_notice_fn *fn, void *cookie);

/* Code the user knows: a code object (taken, also on failure), or raw machine code (copied) whose
 * kernel is called `name`. Kernels are recognised when they are dispatched, by their bytes. */
struct bw_error *bw_debug_add_code_object(struct bw_debug *d,
					  struct bw_code_object *co) BW_MUST_CHECK;
struct bw_error *bw_debug_add_raw(struct bw_debug *d, const char *name, const void *code,
				  size_t size_b) BW_MUST_CHECK;
/* The kernel that will run, for breakpoints before its dispatch and argument names; NULL if there
 * are several and none was chosen. */
void bw_debug_set_default_kernel(struct bw_debug *d, const char *name);
/* The shader that is to run, as SPIR-V: its source files can be listed before it is dispatched, and
 * lines without a file are of it. Without debug information, or damaged: nothing is known. */
struct bw_error *bw_debug_set_shader(struct bw_debug *d, const uint32_t *words,
				     size_t n) BW_MUST_CHECK;

/* Takes ownership of the target, whose program has been started. */
struct bw_error *bw_debug_start(struct bw_debug *d, struct bw_target *t) BW_MUST_CHECK;
/* Detaches: breakpoints are removed from the code, registers restored, and all waves resumed. The
 * session keeps its list of breakpoints. */
void bw_debug_detach(struct bw_debug *d);
/* Ends the program. */
struct bw_error *bw_debug_kill(struct bw_debug *d) BW_MUST_CHECK;

enum bw_debug_state { BW_DEBUG_NO_PROGRAM, BW_DEBUG_RUNNING, BW_DEBUG_STOPPED };
enum bw_debug_state bw_debug_state(const struct bw_debug *d);
/* NULL without a program. For facts, maps, fault, walk; the core keeps control of waves. */
struct bw_target *bw_debug_target(struct bw_debug *d);
/* ---- Programs ---- */

/* One for each process that uses the GPU and is debugged here: the program, those that it starts,
 * those that were attached to. Waves of all of them stop together; breakpoints are for all. The
 * current one is that of the focus: addresses are its. */
struct bw_inferior_info {
	uint32_t number; /* from 1, never used again */
	pid_t pid;
	char comm[17];
	bool is_current;
	uint32_t n_spaces;
	size_t n_waves; /* that are stopped */
};
const struct bw_inferior_info *bw_debug_inferiors(struct bw_debug *d, size_t *out_n);
/* NULL: there is none of this process. */
const struct bw_inferior_info *bw_debug_inferior_of(struct bw_debug *d, pid_t pid);
/* Selects an inferior. The focus moves to its first stopped wave, if it has one. */
struct bw_error *bw_debug_set_inferior(struct bw_debug *d, uint32_t number) BW_MUST_CHECK;
/* Detaches from, or kills, one of several inferiors; for the last one use bw_debug_detach and
 * bw_debug_kill. */
struct bw_error *bw_debug_detach_inferior(struct bw_debug *d, uint32_t number) BW_MUST_CHECK;
struct bw_error *bw_debug_kill_inferior(struct bw_debug *d, uint32_t number) BW_MUST_CHECK;

/* Pid and name of the current inferior, after its end of the last one; 0 and "" until it has opened
 * the GPU. */
pid_t bw_debug_program_pid(const struct bw_debug *d);
const char *bw_debug_program_name(const struct bw_debug *d);

/* Settings by gdb's names, with defaults that suit thousands of threads. */
enum bw_locking {
	BW_LOCKING_STEP, /* a step resumes the focus wave alone, continue all waves */
	BW_LOCKING_ON,	 /* only the focus wave is ever resumed */
	BW_LOCKING_OFF,	 /* while one wave is stepped the others run, too */
};
struct bw_debug_settings {
	enum bw_locking scheduler_locking;
	bool stop_on_dispatch;	 /* each dispatch is a stop before its first wave */
	uint64_t hang_ms;	 /* a dispatch that runs longer stops; 0: none does */
	unsigned print_elements; /* of arrays and texts at most; UINT_MAX: all */
	unsigned print_repeats;	 /* more equal neighbours are shown as one; UINT_MAX: never */
	bool print_pretty;	 /* each member of a struct on a line of its own */
	bool hold_time;		 /* bw_debug_hold_time does something */
};
struct bw_debug_settings *bw_debug_settings(struct bw_debug *d);
/* While waves are stopped, stops the program's clocks until it is resumed, so that none of its
 * watchdogs expires meanwhile. No effect where they stand still already, or nothing is stopped. */
struct bw_error *bw_debug_hold_time(struct bw_debug *d);
/* Takes that back. */
struct bw_error *bw_debug_resume_time(struct bw_debug *d);

/* ---- Memory ---- */

/* LDS and private space are those of the focus wave (and lane). */
struct bw_error *bw_debug_read(struct bw_debug *d, enum bw_space space, uint64_t addr, void *out,
			       size_t size_b) BW_MUST_CHECK;
struct bw_error *bw_debug_write(struct bw_debug *d, enum bw_space space, uint64_t addr,
				const void *data, size_t size_b) BW_MUST_CHECK;
const char *bw_space_name(enum bw_space space); /* "global", "local", "private_lane" */
#endif
