/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_EVAL_H
#define BW_DEBUG_EVAL_H

/* Expressions for the other parts of the core: breakpoint conditions, and what is watched. */

#include "debug/debug_priv.h"
#include "debug/expressions.h"

struct bw_wave_record;

/* expr.c */
struct bw_error *bw_debug_eval_for(struct bw_debug *d, const char *text, struct bw_wave_record *w,
				   unsigned lane, struct bw_value *out,
				   struct bw_expr_error *out_where) BW_MUST_CHECK;

/* Grammar and names only: nothing is read or written. */
struct bw_error *bw_debug_eval_check(struct bw_debug *d, const char *text,
				     struct bw_expr_error *out_where) BW_MUST_CHECK;

#endif
