/* SPDX-License-Identifier: MIT */
#ifndef BREAKWATER_BREAKPOINTS_H
#define BREAKWATER_BREAKPOINTS_H

/* Breakpoints, watchpoints and catchpoints. They have one row of numbers, from 1, never used again
 * in a session. */

#include <breakwater/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets one by a command of the prompt: "break saxpy.s:20 if $_lane == 3", "tbreak saxpy", "break on
 * dispatch 2", "watch out[5]", "rwatch", "awatch", "catch fp div0", "dprintf". A place alone
 * ("saxpy.s:20") is taken as "break" takes it. This loads libbreakwater-commands.so.0, as
 * breakwater_command does; breakwater_break_set needs no words. */
struct breakwater_error *breakwater_break(struct breakwater_session *s, const char *text,
					  uint32_t *out_number) BREAKWATER_MUST_CHECK;
/* A breakpoint in the code, where nothing is to be taken for a command. */
struct breakwater_break_at {
	size_t size_b; /* of this struct; set by the caller */
	const char
		*place; /* "saxpy.s:20", "saxpy", "saxpy+16", "*0x1000"; NULL: where the focus is */
	const char *condition; /* an expression, tested for each active lane; NULL: none */
	uint32_t wave;	       /* for this wave alone; 0: for all */
	uint32_t temporary;    /* 0 or 1 */
};
struct breakwater_error *breakwater_break_set(struct breakwater_session *s,
					      const struct breakwater_break_at *at,
					      uint32_t *out_number) BREAKWATER_MUST_CHECK;
struct breakwater_error *breakwater_break_delete(struct breakwater_session *s,
						 uint32_t number) BREAKWATER_MUST_CHECK;
struct breakwater_error *breakwater_break_enable(struct breakwater_session *s, uint32_t number,
						 bool on) BREAKWATER_MUST_CHECK;
/* An expression, tested for each active lane; NULL: none. */
struct breakwater_error *breakwater_break_condition(struct breakwater_session *s, uint32_t number,
						    const char *expr) BREAKWATER_MUST_CHECK;
/* Passes over that many hits. */
struct breakwater_error *breakwater_break_ignore(struct breakwater_session *s, uint32_t number,
						 uint64_t hits) BREAKWATER_MUST_CHECK;

/* Called for each wave that hits the breakpoint, after its condition held for a lane, in the thread
 * and inside of the function that waits. True: the wave stops; false: it resumes, and the hit does
 * not count. During the call the wave has the focus, and functions of this session may read it
 * (breakwater_wave, its text, registers, memory, breakwater_evaluate); all others fail with
 * BREAKWATER_E_STATE. */
typedef bool breakwater_break_fn(void *cookie, struct breakwater_session *s, uint32_t number,
				 uint32_t wave);
/* fn NULL: none any more. It is forgotten with the breakpoint. */
struct breakwater_error *breakwater_break_function(struct breakwater_session *s, uint32_t number,
						   breakwater_break_fn *fn,
						   void *cookie) BREAKWATER_MUST_CHECK;

/* Numbers, ascending. Writes no more than max of them; out_n: how many there are. */
struct breakwater_error *breakwater_breaks(struct breakwater_session *s, uint32_t *out, size_t max,
					   size_t *out_n) BREAKWATER_MUST_CHECK;

enum breakwater_break_kind {
	BREAKWATER_BREAK_CODE,
	BREAKWATER_BREAK_WATCH,
	BREAKWATER_BREAK_RWATCH,
	BREAKWATER_BREAK_AWATCH,
	BREAKWATER_BREAK_EXCEPTION,
	BREAKWATER_BREAK_DRAW, /* a pixel, a vertex or a draw */
};
struct breakwater_break {
	size_t size_b; /* of this struct; set by the caller */
	uint32_t number;
	uint32_t kind;			      /* enum breakwater_break_kind */
	uint32_t enabled, temporary, pending; /* 0 or 1 */
	uint32_t n_addresses;		      /* of its places in GPU memory */
	uint64_t hits;			      /* waves that counted */
	uint64_t ignore;		      /* hits still to be passed over */
	uint64_t address;		      /* of the first place; 0: none */
};
struct breakwater_error *breakwater_break_get(struct breakwater_session *s, uint32_t number,
					      struct breakwater_break *out) BREAKWATER_MUST_CHECK;
enum breakwater_break_text {
	BREAKWATER_BREAK_PLACE,	    /* as it was set: "saxpy.s:20" */
	BREAKWATER_BREAK_CONDITION, /* "" for none */
};
/* out: the caller's. */
struct breakwater_error *breakwater_break_text(struct breakwater_session *s, uint32_t number,
					       enum breakwater_break_text what,
					       char **out) BREAKWATER_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
