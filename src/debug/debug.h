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
 * detach), unless it says otherwise. One thread at a time, except bw_debug_interrupt. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "debug/expressions/value.h"
#include "sym/code_object.h"
#include "sym/lines.h"
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
	bool stop_on_dispatch; /* each dispatch is a stop before its first wave */
	uint64_t hang_ms;      /* a dispatch that runs longer stops; 0: none does */
	bool hold_time;	       /* bw_debug_hold_time does something */
};
struct bw_debug_settings *bw_debug_settings(struct bw_debug *d);
/* While waves are stopped, stops the program's clocks until it is resumed, so that none of its
 * watchdogs expires meanwhile. No effect where they stand still already, or nothing is stopped. */
struct bw_error *bw_debug_hold_time(struct bw_debug *d);
/* Takes that back. */
struct bw_error *bw_debug_resume_time(struct bw_debug *d);

/* ---- Why a wave has stopped ---- */

/* Several may be set at once. */
enum bw_reason {
	BW_REASON_BREAKPOINT = 1 << 0,
	BW_REASON_SINGLE_STEP = 1 << 1,
	BW_REASON_MEMORY_VIOLATION = 1 << 2,
	BW_REASON_ADDRESS_ERROR = 1 << 3, /* not canonical, wrong aperture, misaligned */
	BW_REASON_ILLEGAL_INSTRUCTION = 1 << 4,
	BW_REASON_ASSERT_TRAP = 1 << 5, /* s_trap 2 */
	BW_REASON_DEBUG_TRAP = 1 << 6,	/* s_trap 3 */
	BW_REASON_TRAP = 1 << 7,	/* another s_trap, trap_id says which */
	BW_REASON_WAVE_START = 1 << 9,
	BW_REASON_WAVE_END = 1 << 10,
	BW_REASON_INTERRUPT = 1 << 11, /* was asked to stop: by Ctrl-C, or because another wave
				        * stopped */
	BW_REASON_WATCHPOINT = 1 << 12,
	/* enabled exceptions of the ALU, in the order of enum bw_excp */
	BW_REASON_FP_SHIFT = 13,
	BW_REASON_FP_EXCEPTION = 0x7f << BW_REASON_FP_SHIFT,
};
/* "BREAKPOINT|SINGLE_STEP"; "" for 0. INTERRUPT alone is written "INTERRUPT". */
void bw_reason_text(uint32_t reasons, char *out, size_t out_b);
/* What gdb users read: "SIGSEGV, Segmentation fault"; NULL when it is no signal. */
const char *bw_reason_signal(uint32_t reasons);

/* ---- Waves ---- */

/* A wave that is stopped now. number: from 1, in the order they were first seen, never used again
 * while the program lives. It is the thread number, too. */
struct bw_wave_info {
	uint32_t number;
	uint32_t agent, queue, dispatch; /* agent is 1; dispatch is that of bw_dispatch_info */
	uint32_t inferior, space;	 /* the inferior it belongs to, and the address space that
					  * its PC is in */
	uint32_t workgroup[3];
	uint32_t wave_in_group;
	struct bw_place place;
	uint32_t slot;
	uint64_t pc, exec;
	uint8_t lanes;		   /* 32 or 64 */
	uint32_t n_vgprs;	   /* 0: given back, not readable */
	uint32_t reasons;	   /* enum bw_reason, of its last stop */
	uint32_t trap_id;	   /* TRAP, ASSERT_TRAP, DEBUG_TRAP */
	uint32_t breakpoint;	   /* number of the one it is at, 0 if none */
	uint64_t breakpoint_lanes; /* active lanes whose condition held */
	bool in_barrier;
	bool builtin_trap; /* at the head of clang's __builtin_trap sequence */
	bool pc_imprecise; /* memory violation or watch reported late: see bw_target.is_precise */
	uint64_t cause_pc; /* watchpoints and float exceptions: the instruction that did it, which
			    * is complete; 0 when it is not known */
};

/* All stopped waves, by number. */
const struct bw_wave_info *bw_debug_waves(struct bw_debug *d, size_t *out_n);
/* NULL when no stopped wave has this number. */
const struct bw_wave_info *bw_debug_wave(struct bw_debug *d, uint32_t number);
/* The wave of that workgroup position in that dispatch, or NULL. */
const struct bw_wave_info *bw_debug_wave_at(struct bw_debug *d, uint32_t dispatch,
					    const uint32_t workgroup[3], uint32_t wave_in_group);

/* The focus: the wave that registers, lanes and expressions refer to. NULL when nothing is
 * stopped. */
const struct bw_wave_info *bw_debug_focus(struct bw_debug *d);
unsigned bw_debug_focus_lane(struct bw_debug *d);
struct bw_error *bw_debug_set_focus(struct bw_debug *d, uint32_t wave_number) BW_MUST_CHECK;
/* An inactive lane may be chosen; the caller warns. */
struct bw_error *bw_debug_set_lane(struct bw_debug *d, unsigned lane) BW_MUST_CHECK;

/* "AMDGPU Wave 1:2:1:5 (2,0,0)/1" */
void bw_wave_name(const struct bw_wave_info *w, char *out, size_t out_b);
/* "AMDGPU Lane 1:2:1:5/3 (2,0,0)[35,0,0]" */
void bw_lane_name(struct bw_debug *d, const struct bw_wave_info *w, unsigned lane, char *out,
		  size_t out_b);
/* Work item of a lane in its group, from the dispatch's group size: lanes are numbered x first.
 * False when the group size is not known or the lane lies beyond the group. */
bool bw_lane_item(struct bw_debug *d, const struct bw_wave_info *w, unsigned lane,
		  uint32_t out_item[3]);

/* What became of the waves of a dispatch. stopped + running + waiting + finished == total, where
 * total is known (indirect dispatches: total 0 and known false). waiting: not launched yet; told
 * from finished by the order of launch and by whether another group would have had room. */
struct bw_wave_count {
	uint32_t dispatch;
	bool known;
	uint64_t total, stopped, running, waiting, finished;
};
struct bw_error *bw_debug_count_waves(struct bw_debug *d, uint32_t dispatch,
				      struct bw_wave_count *out) BW_MUST_CHECK;

/* ---- Dispatches and code ---- */

enum bw_dispatch_state {
	BW_DISPATCH_HELD,
	BW_DISPATCH_RUNNING,
	BW_DISPATCH_DONE,
	BW_DISPATCH_FAILED
};
struct bw_dispatch_info {
	uint32_t number; /* from 1, never used again */
	uint32_t submission, queue;
	uint32_t inferior, space; /* the inferior it belongs to, and the address space of its
				   * addresses */
	enum bw_dispatch_state state;
	int result; /* FAILED: -errno */
	const struct bw_kernel
		*kernel; /* NULL: code that was not given to the session; borrowed from the code
			  * object */
	const char *kernel_name; /* "?" when unknown */
	const char *code_object; /* path or "" */
	uint64_t load_base;	 /* of the code object's image; 0 when unknown */
	uint64_t kernarg_va;	 /* 0 when unknown */
	uint32_t waves_per_group;
	uint32_t frame; /* of the program's presents, from 1; 0: not known */
	struct bw_target_dispatch desc;
	const char *label;			 /* "pass/blur", "" for none */
	const struct bw_target_object *pipeline; /* NULL: not known */
};
/* In order; dispatches that have ended stay listed. */
const struct bw_dispatch_info *bw_debug_dispatches(struct bw_debug *d, size_t *out_n);
const struct bw_dispatch_info *bw_debug_dispatch(struct bw_debug *d, uint32_t number);
/* The first dispatch that is held now: none of its waves has begun. NULL: none is held. */
const struct bw_dispatch_info *bw_debug_held(struct bw_debug *d);
/* Pipelines, buffers and images that the program's API knows by name, as they are now. Borrowed
 * until the next call of this function. */
struct bw_error *bw_debug_objects(struct bw_debug *d, const struct bw_target_object **out,
				  size_t *out_n) BW_MUST_CHECK;

/* Symbol and source line of an address. Names are borrowed from the session. */
struct bw_where {
	uint64_t pc;
	const char *function;	 /* NULL: no symbol */
	uint64_t offset_b;	 /* from the function's start */
	const char *code_object; /* path, NULL when in none */
	bool has_line;
	struct bw_line line;   /* start and end are addresses in the GPU's space here */
	const char *line_text; /* of the source file; NULL when it cannot be read */
};
void bw_debug_where(struct bw_debug *d, uint64_t pc, struct bw_where *out);
/* An instruction that was executed earlier: its program may have ended, and its address may hold
 * other code now. */
struct bw_executed {
	uint64_t pc, start; /* start: where its wave began, a kernel's first instruction */
	const void *code;   /* the instruction's bytes */
	size_t code_b;
};
/* Symbol and line of such an instruction: in code of this session that had these bytes at the
 * address. Without such code, in the only kernel of a code object that has them at that distance
 * from its start. False: not known, or several kernels match. */
bool bw_debug_where_executed(struct bw_debug *d, const struct bw_executed *x, struct bw_where *out);
/* Addresses of a place as `break` takes it, "" for the focus wave's PC: in the code that is loaded.
 * Owned (free). */
struct bw_error *bw_debug_places(struct bw_debug *d, const char *where, uint64_t **out,
				 size_t *out_n) BW_MUST_CHECK;
/* The source line of a place, loaded or not. out_file is owned. */
struct bw_error *bw_debug_source_of(struct bw_debug *d, const char *where, char **out_file,
				    unsigned *out_line) BW_MUST_CHECK;
/* Code objects and raw code in the GPU's memory, in the order in which they were found, including
 * code that was found in dispatches. False after the last one. */
struct bw_load_info {
	const char *name; /* path, or what a piece of raw code is called; borrowed */
	uint64_t va, size_b;
	bool has_symbols, has_lines;
};
bool bw_debug_load(struct bw_debug *d, size_t i, struct bw_load_info *out);
/* In the address space of that dispatch; 0: in the current one. */
void bw_debug_where_in(struct bw_debug *d, uint32_t dispatch, uint64_t pc, struct bw_where *out);
/* Of a wave's PC, in whatever address space it runs. */
void bw_debug_wave_where(struct bw_debug *d, const struct bw_wave_info *w, struct bw_where *out);
/* Any line of a source file that a code object names; NULL when it cannot be read. */
const char *bw_debug_source_line(struct bw_debug *d, const char *file, unsigned line);

/* ---- Running ---- */

enum bw_stop_kind {
	BW_STOP_NONE,	     /* wait: the timeout has passed; the program runs */
	BW_STOP_WAVES,	     /* waves have stopped: reasons, focus */
	BW_STOP_DISPATCH,    /* settings.stop_on_dispatch: `dispatch` is held; no wave of it runs */
	BW_STOP_INTERRUPTED, /* Ctrl-C, and there was no wave to stop */
	BW_STOP_EXITED,	     /* the program has ended: exit_status as from waitpid */
	BW_STOP_GPU_GONE,
};
struct bw_stop {
	enum bw_stop_kind kind;
	/* WAVES: the focus after the stop (also in bw_debug_focus), and the reason */
	uint32_t wave; /* number */
	unsigned lane;
	bool focus_changed; /* another wave than before */
	/* WAVES, INTERRUPTED: the wave that was stepped has ended; no stop was asked for */
	bool focus_ended;
	uint32_t reasons;    /* of that wave */
	uint32_t breakpoint; /* of that wave; a temporary one has been deleted already */
	bool breakpoint_temporary;
	uint64_t breakpoint_lanes;
	size_t n_waves;		/* stopped in all */
	size_t n_same;		/* stopped for the same reason at the same PC, this one counted */
	size_t n_other;		/* events of other waves at other places */
	uint32_t n_unstoppable; /* still running although asked to stop */
	uint32_t dispatch;	/* WAVES, DISPATCH */
	bool exit_known;
	int exit_status; /* EXITED, as from waitpid */
};

/* Resumes the waves; wait reports the next stop. Waves that stopped at a trap (s_trap 1, 2, 3...)
 * resume behind it. */
struct bw_error *bw_debug_continue(struct bw_debug *d) BW_MUST_CHECK;
/* Waits for the next stop. timeout_ms < 0: for ever. */
struct bw_error *bw_debug_wait(struct bw_debug *d, int timeout_ms,
			       struct bw_stop *out) BW_MUST_CHECK;
/* The focus wave alone executes `count` instructions, or fewer when something else stops it.
 * over_calls: a call (s_swappc_b64, s_call_b64) counts as one. At s_barrier the other waves of its
 * group run, too, since none would pass otherwise. */
struct bw_error *bw_debug_stepi(struct bw_debug *d, uint64_t count, bool over_calls,
				struct bw_stop *out) BW_MUST_CHECK;
/* Steps the focus wave, over calls, until it is past the current source line (or instruction, where
 * there are no lines): out of a loop, not back into it. */
struct bw_error *bw_debug_until(struct bw_debug *d, struct bw_stop *out) BW_MUST_CHECK;
/* Steps the focus wave until another source line begins, `count` times; by instructions where there
 * are no lines. over_calls: lines of a called function do not count. */
struct bw_error *bw_debug_step_lines(struct bw_debug *d, uint64_t count, bool over_calls,
				     struct bw_stop *out) BW_MUST_CHECK;
/* Runs the focus wave to a place, given as for `break`. */
struct bw_error *bw_debug_advance(struct bw_debug *d, const char *where,
				  struct bw_stop *out) BW_MUST_CHECK;
/* Stops everything now; INTERRUPTED where there is no wave to stop. */
struct bw_error *bw_debug_stop(struct bw_debug *d, struct bw_stop *out) BW_MUST_CHECK;
/* Async-signal-safe: wait and stepi stop everything and return. */
void bw_debug_interrupt(struct bw_debug *d);

/* ---- Breakpoints ---- */

/* Watchpoints and catchpoints share their numbers, and are deleted, enabled, ignored and made
 * conditional by the same functions. */
enum bw_break_kind {
	BW_BREAK_CODE,
	BW_BREAK_WATCH, /* a value changes */
	BW_BREAK_RWATCH,
	BW_BREAK_AWATCH,
	BW_BREAK_EXCEPTION, /* waves trap for exceptions */
};
struct bw_break_info {
	enum bw_break_kind kind;
	bool watch_group;   /* LDS: the waves that share it are stepped */
	int watch_register; /* watchpoints: 0 to 3, -1: software */
	uint32_t excp;	    /* EXCEPTION: enum bw_excp */
	uint32_t number;    /* from 1, never used again */
	bool enabled, temporary, pending;
	bool passes;	  /* hits are reported without a stop: bw_debug_break_pass */
	const char *spec; /* as typed, without the condition: "saxpy", "saxpy.s:12", "*0x1000" */
	const char *condition;	/* NULL if none */
	uint32_t wave;		/* only for this wave; 0: for all */
	uint64_t hits;		/* waves stopped by it */
	uint64_t ignore;	/* number of hits still to be ignored */
	uint64_t disable_after; /* number of stops after which it is disabled; 0: never */
	const uint64_t *addr;	/* its addresses in GPU memory; none while pending */
	size_t n_addr;
};
/* text: "WHERE [if EXPR] [wave N | thread N]", WHERE being a function or label [+OFFSET],
 * FILE:LINE, LINE (in the file of the focus or of the default kernel), or *EXPR. Without WHERE: the
 * focus wave's PC. A function breakpoint lies behind the prologue where there are line tables.
 * Fails with BW_E_NOT_FOUND, naming the nearest names, when the code is known and has no such
 * place; is pending when no code is known. */
struct bw_error *bw_debug_break(struct bw_debug *d, const char *text, bool temporary,
				uint32_t *out_number) BW_MUST_CHECK;
/* Stops dispatches at the first instruction of their first waves, once each. text: "[every | N]
 * [nth N] [pipeline | shader | kernel | object | hash NAME] [label TEXT] [groups X,Y,Z] [grid
 * X,Y,Z] [queue N] [submission N] [frame N] [number N] [if EXPR]", where names may hold * and ?. */
struct bw_error *bw_debug_break_dispatch(struct bw_debug *d, const char *text, bool temporary,
					 uint32_t *out_number) BW_MUST_CHECK;
/* text: "[-l | -location] EXPR [if EXPR]". A value in global memory is watched by one of the four
 * watch registers, for all waves; registers, LDS, scratch, expressions that are no lvalue, and a
 * fifth value are watched by stepping the focus wave from instruction to instruction. kind: WATCH,
 * RWATCH or AWATCH; the latter two need a register. */
struct bw_error *bw_debug_watch(struct bw_debug *d, const char *text, enum bw_break_kind kind,
				uint32_t *out_number) BW_MUST_CHECK;
/* Exceptions (enum bw_excp) become stops. */
struct bw_error *bw_debug_catch_exceptions(struct bw_debug *d, uint32_t mask, bool temporary,
					   uint32_t *out_number) BW_MUST_CHECK;
/* Values of the last hit of a watchpoint; NULL before the first one. Borrowed until the next
 * stop. */
struct bw_watch_hit {
	bool changed; /* else only read or written again: old is that same value */
	struct bw_value old, now;
};
const struct bw_watch_hit *bw_debug_watch_hit(struct bw_debug *d, uint32_t number);
/* Precise mode: memory faults and watches are reported at the instruction that makes the access, as
 * the GPU then waits for each access to complete; for everything that runs on the GPU, until the
 * session ends. */
struct bw_error *bw_debug_set_precise(struct bw_debug *d, bool on) BW_MUST_CHECK;
bool bw_debug_is_precise(const struct bw_debug *d);
struct bw_error *bw_debug_break_delete(struct bw_debug *d,
				       uint32_t number) BW_MUST_CHECK; /* 0: all */
struct bw_error *bw_debug_break_enable(struct bw_debug *d, uint32_t number,
				       bool enable) BW_MUST_CHECK; /* 0: all */
/* What becomes of a breakpoint after it has stopped the program: enable once, delete, count. */
enum bw_break_after { BW_BREAK_STAYS, BW_BREAK_DISABLED, BW_BREAK_DELETED };
struct bw_error *bw_debug_break_after(struct bw_debug *d, uint32_t number,
				      enum bw_break_after after, uint64_t stops) BW_MUST_CHECK;
/* fn is called for each wave that hits a breakpoint in the code, and the wave is resumed. During
 * the call the focus is on the wave, and on the first of its lanes for which the condition holds:
 * fn may evaluate expressions, and nothing else. */
typedef void bw_passing_fn(void *cookie, uint32_t breakpoint, uint32_t wave);
void bw_debug_on_passing(struct bw_debug *d, bw_passing_fn *fn, void *cookie);
struct bw_error *bw_debug_break_pass(struct bw_debug *d, uint32_t number) BW_MUST_CHECK;
struct bw_error *bw_debug_break_condition(struct bw_debug *d, uint32_t number,
					  const char *expr) BW_MUST_CHECK; /* NULL or "": none */
struct bw_error *bw_debug_break_ignore(struct bw_debug *d, uint32_t number,
				       uint64_t hits) BW_MUST_CHECK;
const struct bw_break_info *bw_debug_breakpoints(struct bw_debug *d, size_t *out_n);
const struct bw_break_info *bw_debug_breakpoint(struct bw_debug *d, uint32_t number);

/* ---- Registers ---- */

enum bw_reg_class { BW_REG_SPECIAL, BW_REG_SGPR, BW_REG_VGPR, BW_REG_TTMP, BW_REG_STATE };
enum bw_reg_special {
	BW_REG_PC,
	BW_REG_EXEC,
	BW_REG_VCC,
	BW_REG_SCC,
	BW_REG_M0,
	BW_REG_FLAT_SCRATCH,
	BW_REG_EXEC_LO,
	BW_REG_EXEC_HI,
	BW_REG_VCC_LO,
	BW_REG_VCC_HI,
	BW_REG_SPECIAL_COUNT,
};
struct bw_wave_reg {
	enum bw_reg_class cls;
	uint16_t index; /* SPECIAL: enum bw_reg_special; STATE: enum bw_wreg */
	uint16_t count; /* consecutive ones: s[2:3] is 2; 1 otherwise */
};
enum { BW_SGPR_SHOWN = 106 }; /* s0..s105; VCC is a register of its own */
/* The generation of what is debugged; gfx11 before there is a target. */
const struct bw_arch *bw_debug_arch(const struct bw_debug *d);
/* Without '$' or with: "pc", "s4", "v3", "s[2:3]", "ttmp8", "status". False: no such register.
 * arch NULL: registers of the wave's state ("status") are left out. */
bool bw_wave_reg_parse(const struct bw_arch *arch, const char *name, struct bw_wave_reg *out);
void bw_wave_reg_name(const struct bw_arch *arch, struct bw_wave_reg r, char out[24]);
/* In dwords (2 for PC, FLAT_SCRATCH, and for EXEC and VCC of wave64). */
unsigned bw_wave_reg_size_dw(struct bw_wave_reg r, const struct bw_wave_info *w);
/* Not VGPR. Up to 64 bits; pairs low dword first. */
struct bw_error *bw_debug_reg_read(struct bw_debug *d, uint32_t wave, struct bw_wave_reg r,
				   uint64_t *out) BW_MUST_CHECK;
struct bw_error *bw_debug_reg_write(struct bw_debug *d, uint32_t wave, struct bw_wave_reg r,
				    uint64_t value) BW_MUST_CHECK;
/* One VGPR of all lanes; out has room for 64. */
struct bw_error *bw_debug_vgpr_read(struct bw_debug *d, uint32_t wave, unsigned n,
				    uint32_t *out) BW_MUST_CHECK;
struct bw_error *bw_debug_vgpr_write(struct bw_debug *d, uint32_t wave, unsigned n, unsigned lane,
				     uint32_t value) BW_MUST_CHECK;
/* n SGPRs from first, in one call: for tables. */
struct bw_error *bw_debug_sgprs_read(struct bw_debug *d, uint32_t wave, unsigned first, unsigned n,
				     uint32_t *out) BW_MUST_CHECK;

/* ---- Memory ---- */

/* LDS and private space are those of the focus wave (and lane). */
struct bw_error *bw_debug_read(struct bw_debug *d, enum bw_space space, uint64_t addr, void *out,
			       size_t size_b) BW_MUST_CHECK;
struct bw_error *bw_debug_write(struct bw_debug *d, enum bw_space space, uint64_t addr,
				const void *data, size_t size_b) BW_MUST_CHECK;
const char *bw_space_name(enum bw_space space); /* "global", "local", "private_lane" */
/* "<saxpy+24>" for a code address, "" for others. */
void bw_debug_symbolize(struct bw_debug *d, uint64_t addr, char *out, size_t out_b);

/* ---- Expressions ---- */

/* Position of an error: 0-based column in the text, for the caret below it. */
struct bw_expr_error {
	size_t column;
};

/* C expressions over the focus wave and lane. Names: registers ($pc $exec $vcc $scc $m0 $s4 $v3
 * $v3[5] $s[2:3] s[2:3] ...), $_lane $_wave $_thread $_dispatch $_queue $_agent $_dispatch_pos
 * $_lane_workgroup_pos $_thread_workgroup_pos $_exitcode $_, $blockIdx.x $threadIdx.x blockDim.x,
 * launch values of the kernel's arguments ($_launch.out; a buffer is a pointer to its elements; in
 * assembly the name alone is enough), symbols of the code
 * object (their address), numbers, casts, ops of C, *(float *)ADDR, out[4], lds#0x10, A@8. An
 * assignment
 * (=, +=, ...) writes: to a register the bits of a float, where the right side is one ($v2[3]
 * = 1.5); to $v2 without a lane, that of the focus. A VGPR alone is the value of all its lanes, in
 * an operation that of the focus lane. as_float(x), as_int(x), as_uint(x), as_double(x) look at the
 * same bits in another way. $name = 3 for another name makes a convenience variable. out is the
 * caller's (bw_value_fini). A wave is needed only where the expression asks for one. */
struct bw_error *bw_debug_eval(struct bw_debug *d, const char *text, struct bw_value *out,
			       struct bw_expr_error *out_where) BW_MUST_CHECK;
/* The same for another lane of the focus wave. */
struct bw_error *bw_debug_eval_lane(struct bw_debug *d, const char *text, unsigned lane,
				    struct bw_value *out,
				    struct bw_expr_error *out_where) BW_MUST_CHECK;
/* Convenience variables: name without '$'. Copies the value ($1, $2 of print; $_ and $__ of x). */
struct bw_error *bw_debug_set_var(struct bw_debug *d, const char *name,
				  const struct bw_value *v) BW_MUST_CHECK;
/* The i-th variable, values of print among them ("1", "2" ...); NULL behind the last. */
const struct bw_value *bw_debug_var(struct bw_debug *d, size_t i, const char **out_name);
/* Puts a value into the history: $N, which is also $ until the next one, and $$ then. Returns N. */
unsigned bw_debug_record(struct bw_debug *d, const struct bw_value *v);
/* Words that could stand where `prefix` stands (registers, symbols, arguments), for completion;
 * owned array of owned strings, NULL-terminated; NULL when out of memory. */
char **bw_debug_complete_expr(struct bw_debug *d, const char *prefix);
/* Functions, labels and files:, for break. */
char **bw_debug_complete_where(struct bw_debug *d, const char *prefix);
void bw_debug_free_words(char **words);

/* ---- Arguments ---- */

/* Only launch values of a kernel's arguments are known: the content of its block of arguments.
 * Variables of compiled code begin with those values and may change later; they are not known here.
 * $_launch.NAME names the launch value at any place; a bare NAME does where the kernel and the
 * place are written in assembly, which has no variables. */

/* The code around a PC. */
struct bw_frame {
	enum bw_language language;
	/* in the dispatch's kernel itself, not in a function that it calls, or that was inlined
	 * into it */
	bool is_kernel;
	bool has_params; /* the function around it has parameters */
	/* the innermost one of the source, else the symbol; NULL: not known */
	const char *function;
};
void bw_debug_frame(struct bw_debug *d, uint32_t dispatch, uint64_t pc, struct bw_frame *out);

struct bw_arg_info {
	const struct bw_kernel_arg *arg;
	struct bw_value value; /* pointer for buffers */
	bool has_value;	       /* false: could not be read */
};
/* Launch values of the arguments of a dispatch's kernel, hidden ones left out. Owned
 * (bw_debug_free_args). */
struct bw_error *bw_debug_args(struct bw_debug *d, uint32_t dispatch, struct bw_arg_info **out,
			       size_t *out_n) BW_MUST_CHECK;
void bw_debug_free_args(struct bw_arg_info *args, size_t n);

/* ---- Disassembly ---- */

struct bw_dis_line {
	uint64_t addr;
	uint32_t words[3];
	uint8_t size_b;	      /* 4, 8, 12 */
	bool is_pc;	      /* of the focus wave */
	uint32_t breakpoint;  /* number, 0 if none */
	uint32_t waves_here;  /* stopped waves with this PC */
	const char *function; /* NULL: none */
	uint64_t offset_b;
	bool first_of_line; /* a new source line starts here (line.line != 0) */
	struct bw_line line;
	const char *line_text;
	char text[128];
};
/* Instructions from start: `count` of them, or up to `end` when count is 0. Stops early at memory
 * that cannot be read, and fails only when the first cannot. Owned by the caller (free). */
struct bw_error *bw_debug_disassemble(struct bw_debug *d, uint64_t start, uint64_t end,
				      size_t count, struct bw_dis_line **out,
				      size_t *out_n) BW_MUST_CHECK;
/* The function around addr: its bounds, in the GPU's space. */
struct bw_error *bw_debug_function_range(struct bw_debug *d, uint64_t addr, uint64_t *out_start,
					 uint64_t *out_end) BW_MUST_CHECK;

/* ---- Faults ---- */

/* Explains a memory violation: the instruction at the PC is decoded, the address of each active
 * lane computed from the saved registers, and the page tables are walked. */
struct bw_fault_info {
	bool has_instruction; /* false: the PC does not name a memory instruction */
	bool is_write, is_atomic, is_scalar, is_fetch;
	enum bw_space space;
	uint32_t access_size_b; /* bytes of one lane */
	int first_lane;		/* first lane whose access fails, -1 when none was found */
	uint64_t fault_lanes;	/* all of them */
	uint64_t addr; /* of the first failing lane; without one the fault register's page */
	bool has_addr;
	struct bw_verdict verdict;
	bool has_status; /* the GPU's own record (GPUVM_FAULT) */
	struct bw_target_fault record;
	/* The buffer of the program that lies nearest (number 0: none is near): addr is near_b
	 * bytes into it, past its last byte, or before its first. */
	enum bw_near { BW_NEAR_INSIDE, BW_NEAR_PAST, BW_NEAR_BEFORE } near;
	uint32_t near_buffer;
	uint64_t near_b, near_va, near_size_b;
	char near_name[64]; /* "" for none */
	bool near_is_image;
	/* Image instructions. Where addresses are known, texel is that of first_lane: at addr, or
	 * (block_b) somewhere in the block of the layout at block_va, of which addr is not
	 * there. */
	bool is_image;
	uint64_t image_va, block_va;
	const char *image_type; /* "2D" */
	uint32_t image_dim[3], texel[3], block_b;
	char image_name[64]; /* "" for none */
};
struct bw_error *bw_debug_fault(struct bw_debug *d, uint32_t wave,
				struct bw_fault_info *out) BW_MUST_CHECK;

#endif
