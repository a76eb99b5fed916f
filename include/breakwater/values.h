/* SPDX-License-Identifier: MIT */
#ifndef BREAKWATER_VALUES_H
#define BREAKWATER_VALUES_H

/* Expressions, as "print" takes them, and their values. */

#include <breakwater/session.h>

#ifdef __cplusplus
extern "C" {
#endif

struct breakwater_value;

/* Evaluates for a wave and lane. wave 0: the focus (an expression that needs no wave works without
 * one, too); lane < 0: that of the focus, or the first active one of another wave. An assignment
 * writes. out: the caller's; it needs no session any more. */
struct breakwater_error *breakwater_evaluate(struct breakwater_session *s, uint32_t wave, int lane,
					     const char *expr,
					     struct breakwater_value **out) BREAKWATER_MUST_CHECK;
/* Accepts NULL. */
void breakwater_value_free(struct breakwater_value *v);

enum breakwater_value_kind {
	BREAKWATER_VALUE_VOID,
	BREAKWATER_VALUE_INT, /* signed */
	BREAKWATER_VALUE_UINT,
	BREAKWATER_VALUE_FLOAT,
	BREAKWATER_VALUE_POINTER,
	BREAKWATER_VALUE_TEXT,
	BREAKWATER_VALUE_AGGREGATE, /* a struct, union, array or vector of the program */
	BREAKWATER_VALUE_MISSING,   /* a variable that has no value here: the text says why */
};
enum breakwater_value_kind breakwater_value_kind(const struct breakwater_value *v);
/* "float", "unsigned int", "struct node *"; borrowed from v. */
const char *breakwater_value_type(const struct breakwater_value *v);
/* As "print" shows it; borrowed from v. */
const char *breakwater_value_text(const struct breakwater_value *v);
/* Numbers: 1; of a register with a value for each lane, and of an array made by @, as many as it
 * has; of other kinds 0. */
size_t breakwater_value_count(const struct breakwater_value *v);
/* Element i as a number; 0 for i that is not below the count. */
int64_t breakwater_value_int(const struct breakwater_value *v, size_t i);
double breakwater_value_float(const struct breakwater_value *v, size_t i);

#ifdef __cplusplus
}
#endif
#endif
