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
/* Ends the session like bw_debug_detach. d may be NULL. */
void bw_debug_destroy(struct bw_debug *d);

/* Notices for the user that are not stops: a pending breakpoint that was resolved, a submission
 * that failed, a warning. Called from inside other calls of this header; text is one sentence. */
enum bw_notice_kind {
	BW_NOTICE_INFO,
	BW_NOTICE_SAID, /* like INFO, but shown even in quiet modes; the text includes its
			 * brackets */
	BW_NOTICE_WARNING,
	BW_NOTICE_PROGRAM,	   /* the program has opened the GPU */
	BW_NOTICE_DISPATCH,	   /* a held dispatch has been released */
	BW_NOTICE_DISPATCH_FAILED, /* the fence of a dispatch carries an error */
	BW_NOTICE_BREAKPOINT,	   /* a pending breakpoint has been resolved */
	BW_NOTICE_WAVE_EXIT,	   /* the focus wave has ended */
};
typedef void bw_notice_fn(void *cookie, enum bw_notice_kind kind, const char *text);
void bw_debug_on_notice(struct bw_debug *d, bw_notice_fn *fn, void *cookie);

/* Code that the user gives: a code object (the session owns it, also on failure), or raw machine
 * code (copied) whose kernel is called `name`. Kernels are recognised when they are dispatched, by
 * their bytes. */
struct bw_error *bw_debug_add_code_object(struct bw_debug *d,
					  struct bw_code_object *co) BW_MUST_CHECK;
struct bw_error *bw_debug_add_raw(struct bw_debug *d, const char *name, const void *code,
				  size_t size_b) BW_MUST_CHECK;
/* Says which kernel will run, for breakpoints that are set before its dispatch and for names of its
 * arguments. NULL: there are several and none was chosen. */
void bw_debug_set_default_kernel(struct bw_debug *d, const char *name);
/* Says which shader will run, as SPIR-V: its source files can be listed before it is dispatched,
 * and line numbers without a file refer to it. Damaged SPIR-V, and SPIR-V without debug
 * information, is ignored. */
struct bw_error *bw_debug_set_shader(struct bw_debug *d, const uint32_t *words,
				     size_t n) BW_MUST_CHECK;

/* Begins to debug a target whose program has been started. The session owns t from here on. */
struct bw_error *bw_debug_start(struct bw_debug *d, struct bw_target *t) BW_MUST_CHECK;
/* Detaches: breakpoints are removed from the code, registers restored, and all waves resumed. The
 * session keeps its list of breakpoints. */
void bw_debug_detach(struct bw_debug *d);
/* Ends the program, and with it the target. */
struct bw_error *bw_debug_kill(struct bw_debug *d) BW_MUST_CHECK;

enum bw_debug_state { BW_DEBUG_NO_PROGRAM, BW_DEBUG_RUNNING, BW_DEBUG_STOPPED };
enum bw_debug_state bw_debug_state(const struct bw_debug *d);
/* The target; NULL without a program. For facts, maps, faults and walks of page tables; only the
 * core may control its waves. */
struct bw_target *bw_debug_target(struct bw_debug *d);
/* ---- Programs ---- */

/* An inferior is a process that uses the GPU and is debugged here: the program, the processes that
 * it starts, and those to which the debugger has attached. Waves of all inferiors stop together,
 * and breakpoints are for all. The current inferior is that of the focus; addresses are in its
 * address space. */
struct bw_inferior_info {
	uint32_t number; /* from 1, never used again */
	pid_t pid;
	char comm[17];
	bool is_current;
	uint32_t n_spaces;
	size_t n_waves; /* number of its stopped waves */
};
const struct bw_inferior_info *bw_debug_inferiors(struct bw_debug *d, size_t *out_n);
/* The inferior of a process; NULL: it is not one. */
const struct bw_inferior_info *bw_debug_inferior_of(struct bw_debug *d, pid_t pid);
/* Selects an inferior. The focus moves to its first stopped wave, if it has one. */
struct bw_error *bw_debug_set_inferior(struct bw_debug *d, uint32_t number) BW_MUST_CHECK;
/* Detaches from, or kills, one of several inferiors; for the last one use bw_debug_detach and
 * bw_debug_kill. */
struct bw_error *bw_debug_detach_inferior(struct bw_debug *d, uint32_t number) BW_MUST_CHECK;
struct bw_error *bw_debug_kill_inferior(struct bw_debug *d, uint32_t number) BW_MUST_CHECK;

/* Pid and name of the current inferior; after the last one has ended, still those of it. 0 and ""
 * until the program has opened the GPU. */
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
	bool stop_on_dispatch; /* each dispatch is a stop before its first wave */
	uint64_t hang_ms;      /* a dispatch that runs longer stops; 0: none does */
	/* of arrays and texts, at most so many elements are printed; UINT_MAX: all */
	unsigned print_elements;
	/* bw_debug_hold_time has an effect */
	unsigned print_repeats;
	bool print_pretty; /* each member of a struct on a line of its own */
	bool hold_time;	   /* bw_debug_hold_time does something */
};
struct bw_debug_settings *bw_debug_settings(struct bw_debug *d);
/* While waves are stopped, stops the program's clocks until it is resumed, so that none of its
 * watchdogs expires. Has no effect if the clocks are stopped already, or if no wave is stopped. */
struct bw_error *bw_debug_hold_time(struct bw_debug *d);
/* Undoes bw_debug_hold_time: the program's clocks run again. */
struct bw_error *bw_debug_resume_time(struct bw_debug *d);

/* ---- Memory ---- */

/* Reads and writes memory by the bytes. LDS and private space are those of the focus wave (and
 * lane). */
struct bw_error *bw_debug_read(struct bw_debug *d, enum bw_space space, uint64_t addr, void *out,
			       size_t size_b) BW_MUST_CHECK;
struct bw_error *bw_debug_write(struct bw_debug *d, enum bw_space space, uint64_t addr,
				const void *data, size_t size_b) BW_MUST_CHECK;
/* The name of an address space: "global", "local", "private_lane". Static. */
const char *bw_space_name(enum bw_space space);
#endif
