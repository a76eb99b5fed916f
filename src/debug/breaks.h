/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_BREAKS_H
#define BW_DEBUG_BREAKS_H

/* Breakpoints, watchpoints and catchpoints. */

#include "debug/debug.h"

/* Watchpoints and catchpoints share their numbers, and are deleted, enabled, ignored and made
 * conditional by the same functions. */
enum bw_break_kind {
	BW_BREAK_CODE,
	BW_BREAK_WATCH, /* a value changes */
	BW_BREAK_RWATCH,
	BW_BREAK_AWATCH,
	BW_BREAK_EXCEPTION, /* waves trap for exceptions */
	BW_BREAK_DRAW,	    /* a pixel, a vertex or a draw (debug/draws.h) */
};
struct bw_break_info {
	enum bw_break_kind kind;
	bool watch_group;   /* it watches LDS: all waves that share the LDS are stepped */
	int watch_register; /* watchpoints: the watch register 0 to 3; -1: software */
	uint32_t excp;	    /* EXCEPTION: enum bw_excp */
	uint32_t number;    /* from 1, never used again */
	bool enabled, temporary, pending;
	bool passes;	  /* hits are reported without a stop (bw_debug_break_pass) */
	bool decides;	  /* a function decides whether it stops (bw_debug_break_decide) */
	const char *spec; /* as typed, without the condition: "saxpy", "saxpy.s:12", "*0x1000" */
	const char *condition;	/* NULL if none */
	uint32_t wave;		/* only for this wave; 0: for all waves */
	uint64_t hits;		/* waves stopped by it */
	uint64_t not_stopped;	/* dispatches in this run that it matches but could not stop */
	uint64_t ignore;	/* number of hits still to be ignored */
	uint64_t disable_after; /* number of stops after which it is disabled; 0: never */
	const uint64_t *addr;	/* its addresses in GPU memory; none while pending */
	size_t n_addr;
};
/* The place of a breakpoint in the code: a function or label [+OFFSET], FILE:LINE, LINE (in the
 * file of the focus or of the default kernel), or *EXPR; "" or NULL: the focus wave's PC. With line
 * tables, a breakpoint on a function is after its prologue. */
struct bw_break_at {
	const char *place;
	const char *condition; /* NULL: none */
	uint32_t wave;	       /* only for this wave; 0: for all waves */
	bool temporary;
};
/* Sets a breakpoint. Fails with BW_E_NOT_FOUND, naming the nearest names, if code is known and none
 * of it has the place. The breakpoint is pending if no code is known. */
struct bw_error *bw_debug_break_at(struct bw_debug *d, const struct bw_break_at *at,
				   uint32_t *out_number) BW_MUST_CHECK;
/* Like bw_debug_break_at, from the text that a user types: "PLACE [if EXPR] [wave N | thread
 * N]". */
struct bw_error *bw_debug_break(struct bw_debug *d, const char *text, bool temporary,
				uint32_t *out_number) BW_MUST_CHECK;
/* Stops dispatches at the first instruction of their first waves, once each. text: "[every | N]
 * [nth N] [pipeline | shader | kernel | object | hash NAME] [label TEXT] [groups X,Y,Z] [grid
 * X,Y,Z] [queue N] [submission N] [frame N] [number N] [if EXPR]", in which names may contain * and
 * ?. */
struct bw_error *bw_debug_break_dispatch(struct bw_debug *d, const char *text, bool temporary,
					 uint32_t *out_number) BW_MUST_CHECK;
/* What the user types after "break": "on dispatch ..." (bw_debug_break_dispatch), a place in draws
 * (bw_debug_break_draw), or else a place in the code (bw_debug_break). */
struct bw_error *bw_debug_break_typed(struct bw_debug *d, const char *text, bool temporary,
				      uint32_t *out_number) BW_MUST_CHECK;
/* The i-th word of that text that names a property ("nth", "label" ...); NULL after the last
 * one. */
const char *bw_debug_dispatch_property(size_t i);
/* text: "[-l | -location] EXPR [if EXPR]". A value in global memory is watched by one of the four
 * watch registers, for all waves; registers, LDS, scratch, expressions that are not an lvalue, and
 * a fifth value are watched by stepping the focus wave from instruction to instruction. kind:
 * WATCH, RWATCH or AWATCH; the last two need a watch register. */
struct bw_error *bw_debug_watch(struct bw_debug *d, const char *text, enum bw_break_kind kind,
				uint32_t *out_number) BW_MUST_CHECK;
/* Makes these exceptions (bits of enum bw_excp) stops. */
struct bw_error *bw_debug_catch_exceptions(struct bw_debug *d, uint32_t mask, bool temporary,
					   uint32_t *out_number) BW_MUST_CHECK;
/* Values at the last hit of a watchpoint. bw_debug_watch_hit: NULL before the first hit; borrowed
 * until the next stop. */
struct bw_watch_hit {
	bool changed; /* false: only read or written again, and old is the same value */
	struct bw_value old, now;
};
const struct bw_watch_hit *bw_debug_watch_hit(struct bw_debug *d, uint32_t number);
/* Turns precise mode on or off: memory faults and watches are then reported at the instruction that
 * made the access, because the GPU waits for each access to complete. It applies to everything that
 * runs on the GPU, until the session ends. */
struct bw_error *bw_debug_set_precise(struct bw_debug *d, bool on) BW_MUST_CHECK;
bool bw_debug_is_precise(const struct bw_debug *d);
struct bw_error *bw_debug_break_delete(struct bw_debug *d,
				       uint32_t number) BW_MUST_CHECK; /* 0: all breakpoints */
struct bw_error *bw_debug_break_enable(struct bw_debug *d, uint32_t number,
				       bool enable) BW_MUST_CHECK; /* 0: all breakpoints */
/* What happens to a breakpoint after it has stopped the program (after `stops` of them): it stays,
 * or is disabled ("enable once", "enable count"), or is deleted ("enable delete"). */
enum bw_break_after { BW_BREAK_STAYS, BW_BREAK_DISABLED, BW_BREAK_DELETED };
struct bw_error *bw_debug_break_after(struct bw_debug *d, uint32_t number,
				      enum bw_break_after after, uint64_t stops) BW_MUST_CHECK;
/* fn is called for each wave that hits a breakpoint in the code, and the wave is resumed. During
 * the call the focus is on the wave, and on the first of its lanes for which the condition holds:
 * fn may evaluate expressions, and nothing else. */
typedef void bw_passing_fn(void *cookie, uint32_t breakpoint, uint32_t wave);
void bw_debug_on_passing(struct bw_debug *d, bw_passing_fn *fn, void *cookie);
struct bw_error *bw_debug_break_pass(struct bw_debug *d, uint32_t number) BW_MUST_CHECK;
/* fn is asked about each wave that hits the breakpoint, after its condition held for a lane; false:
 * the wave resumes as if the condition had not held, and the hit does not count. During the call
 * the focus is as above; fn may read registers and memory of the wave and evaluate expressions, and
 * nothing else. One fn for the session; bw_debug_break_decide says which breakpoints it is asked
 * about. */
typedef bool bw_deciding_fn(void *cookie, uint32_t breakpoint, uint32_t wave);
void bw_debug_on_deciding(struct bw_debug *d, bw_deciding_fn *fn, void *cookie);
struct bw_error *bw_debug_break_decide(struct bw_debug *d, uint32_t number, bool on) BW_MUST_CHECK;
struct bw_error *bw_debug_break_condition(struct bw_debug *d, uint32_t number,
					  const char *expr) BW_MUST_CHECK; /* NULL or "": none */
struct bw_error *bw_debug_break_ignore(struct bw_debug *d, uint32_t number,
				       uint64_t hits) BW_MUST_CHECK;
/* Who tests the condition of a breakpoint in code that is loaded: a condition that only the
 * debugger can test costs a stop of each wave that gets there. */
enum bw_break_tester {
	BW_TESTED_UNKNOWN, /* not loaded, no condition, or another kind of breakpoint */
	BW_TESTED_BY_GPU,
	BW_TESTED_BY_BOTH, /* the debugger looks at the waves that the GPU cannot rule out */
	BW_TESTED_BY_DEBUGGER,
};
struct bw_break_tested {
	enum bw_break_tester by;
	char part[48];	 /* what the GPU cannot test; empty: no single part */
	const char *why; /* a clause about the part, "is read from memory"; NULL: none */
};
void bw_debug_break_tested(struct bw_debug *d, uint32_t number, struct bw_break_tested *out);
struct bw_where;
/* A place of the breakpoint, as a wave that stops there for it has it: in the function that the
 * breakpoint names, where another one that is inlined there begins. *out_function: its name in the
 * source; NULL: not known. */
void bw_debug_break_where(struct bw_debug *d, uint32_t number, uint64_t addr, struct bw_where *out,
			  const char **out_function);
const struct bw_break_info *bw_debug_breakpoints(struct bw_debug *d, size_t *out_n);
const struct bw_break_info *bw_debug_breakpoint(struct bw_debug *d, uint32_t number);

#endif
