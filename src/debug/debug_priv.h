/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_DEBUG_PRIV_H
#define BW_DEBUG_DEBUG_PRIV_H

/* The session itself, for the folders below. The interface of each folder to the others, and its
 * part of the session, is in a header of its own: waves/waves_priv.h,
 * breakpoints/breakpoints_priv.h ... */

#include "arch/arch.h"
#include "base/util.h"
#include "base/vec.h"
#include "debug/debug.h"
#include "isa/inst.h"
#include "target/call.h"

struct bw_u32_vec BW_VEC(uint32_t);

struct bw_breaks;
struct bw_debug_code;
struct bw_dispatches;
struct bw_isa_text;
struct bw_programs;
struct bw_stack;
struct bw_stepping;
struct bw_variables;
struct bw_vars;
struct bw_wave_record;
struct bw_waves;

struct bw_debug {
	struct bw_target *target;
	enum bw_debug_state state;
	struct bw_debug_settings settings;
	bool time_held;
	bw_notice_fn *notice;
	void *notice_cookie;
	/* The current address space, to which all addresses refer: that of the focus, or else that
	 * of the last event. BW_IN_SPACE selects another one until the end of its block. */
	uint32_t space;
	uint64_t continues;	  /* number of calls of bw_debug_continue */
	struct bw_isa_text *text; /* session/disasm.c; NULL: not asked for yet */

	/* The parts, each in the header of its folder. */
	struct bw_programs *programs;
	struct bw_debug_code *code;
	struct bw_waves *waves;
	struct bw_dispatches *dispatches;
	struct bw_stack *stack;
	struct bw_variables *variables;
	struct bw_vars *vars;
	struct bw_breaks *breaks;
	struct bw_stepping *stepping;
};

/* The generation of the instructions that the target's GPU executes, by the name of
 * bw_debug_arch(). */
enum bw_isa_gen bw_debug_isa(const struct bw_debug *d);

/* Milliseconds of a clock that is never set (hang.c). */
uint64_t bw_debug_now_ms(void);

/* inferiors.c */
void bw_debug_use_space(struct bw_debug *d, uint32_t space);
struct bw_in_space {
	struct bw_debug *d;
	uint32_t before;
};
struct bw_in_space bw_space_enter(struct bw_debug *d, uint32_t space);
void bw_space_leave(struct bw_in_space *s);
#define BW_IN_SPACE(d, space)                                                                      \
	__attribute__((cleanup(bw_space_leave), unused)) struct bw_in_space in_space_ =            \
		bw_space_enter(d, space)
/* Sets the focus, and with it the current address space. NULL: no wave has the focus. */
void bw_debug_focus_on(struct bw_debug *d, const struct bw_wave_record *w);

/* frames/frames.c */
/* Called when registers or memory of a stopped wave have changed: its frames are out of date. */
void bw_stack_changed(struct bw_debug *d);
/* Called when waves are or have been resumed: selects frame 0. */
void bw_stack_resumed(struct bw_debug *d);

/* session.c */
void bw_debug_note(struct bw_debug *d, enum bw_notice_kind kind, const char *fmt, ...)
	BW_PRINTF(3, 4);
/* What a target must be able to do for a breakpoint in code, and to resume a wave after it
 * (displaced.c). */
enum {
	BW_BREAK_NEEDS = BW_CAP_RUN | BW_CAP_WRITE_REGS | BW_CAP_WRITE_MEMORY | BW_CAP_PATCH,
	/* to make waves trap for an exception; MODE is written for waves that have been launched */
	BW_EXCP_NEEDS = BW_CAP_RUN | BW_CAP_WRITE_REGS | BW_CAP_EXCEPTIONS,
	/* to watch an address: the hit is reported by an exception */
	BW_WATCH_NEEDS = BW_EXCP_NEEDS | BW_CAP_WATCH,
};
struct bw_error *bw_debug_need_target(struct bw_debug *d) BW_MUST_CHECK;
/* Ends the target, and drops everything that belongs to it. */
void bw_debug_close_target(struct bw_debug *d);
void bw_debug_prepare_detach(struct bw_debug *d, uint32_t inferior);
/* Drops everything that belongs to one run of the program; breakpoints become pending. */
void bw_debug_forget_program(struct bw_debug *d);

/* waves/memory.c */
/* Turns a fault into gdb's words ("Cannot access memory ..."); other errors stay as they are. */
struct bw_error *bw_debug_gdb_error(struct bw_error *err) BW_MUST_CHECK;

#endif
