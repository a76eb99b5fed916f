/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_EVAL_H
#define BW_DEBUG_EVAL_H

/* Expressions for the other parts of the core: breakpoint conditions, and what is watched. */

#include "debug/debug_priv.h"
#include "debug/expressions.h"

struct bw_variables_frame;
struct bw_wave_record;

/* A convenience variable, $NAME. */
struct bw_var {
	char *name; /* owned */
	struct bw_value value;
};
struct bw_vars {
	struct BW_VEC(struct bw_var) all;
	unsigned n_values; /* number of values of print: $1, $2 ... */
};
void bw_vars_fini(struct bw_vars *vars);

/* expr.c */
struct bw_error *bw_debug_eval_for(struct bw_debug *d, const char *text, struct bw_wave_record *w,
				   unsigned lane, struct bw_value *out,
				   struct bw_expr_error *out_where) BW_MUST_CHECK;

/* Checks grammar and names only; nothing is read or written. at: the frame in which variables are
 * looked up; NULL: the selected frame. */
struct bw_error *bw_debug_eval_check(struct bw_debug *d, const char *text,
				     const struct bw_variables_frame *at,
				     struct bw_expr_error *out_where) BW_MUST_CHECK;

/* Finds type and place of a variable of that frame, or of a part of one, without a wave. reads:
 * also reads a value that is the same for all waves, such as a constant; a value in registers is
 * missing then, and memory is an error. */
struct bw_error *bw_debug_eval_place(struct bw_debug *d, const char *text,
				     const struct bw_variables_frame *at, bool reads,
				     struct bw_value *out) BW_MUST_CHECK;
#endif
