/* SPDX-License-Identifier: MIT */
#ifndef BW_UI_SHOW_PROGRAM_H
#define BW_UI_SHOW_PROGRAM_H

/* Values, types and variables of the program, in gdb's forms. */

#include <regex.h>

#include "debug/source.h"
#include "debug/variables.h"
#include "ui/show.h"

/* ---- show_typed.c ---- */
/* A value whose type is the program's (type.ctype). letter: as for bw_show_value. nested: a part of
 * another value, so that pointers go without their types. */
void bw_show_typed(struct bw_debug *d, const struct bw_value *v, char letter, bool nested,
		   struct bw_str *out);
/* Like bw_show_typed, in a list of variables, of any type: "print elements" limits how many numbers
 * and characters are shown of a value in all, not of each array in it. */
void bw_show_row_value(struct bw_debug *d, const struct bw_value *v, char letter,
		       struct bw_str *out);
/* "value" as JSON: null where it is not known. A new reference. */
json_t *bw_show_typed_json(struct bw_debug *d, const struct bw_value *v);
/* Enumerator i of an enumeration, as its source names it from outside: "zoo::color::green". */
void bw_show_enumerator(const struct bw_ctype *t, size_t i, struct bw_str *out);

/* ---- show_type.c ---- */
/* What ptype prints: a struct with its members; offsets: as ptype/o. */
void bw_show_type(const struct bw_ctype *t, bool offsets, struct bw_str *out);
/* "int x[4]", "float *p", "void (*f)(int)" */
void bw_show_declared(const struct bw_ctype *t, const char *name, struct bw_str *out);
/* {"name", "size", "members": [...]}; a new reference. */
json_t *bw_show_type_json(const struct bw_ctype *t);

/* ---- show_listed.c ---- */
/* "info functions", "info variables", "info types": all whose name the POSIX extended regular
 * expression finds; "": all. */
struct bw_error *bw_show_listed(struct bw_out *o, struct bw_debug *d, enum bw_listed_kind kind,
				const char *regex) BW_MUST_CHECK;

/* A POSIX extended regular expression as users type it; the caller gives it back (regfree). */
struct bw_error *bw_show_regex(const char *text, regex_t *out) BW_MUST_CHECK;

/* ---- show_variables.c ---- */
enum bw_show_which { BW_SHOW_LOCALS, BW_SHOW_PARAMS };
/* Selects the variables whose name, and whose type, the expressions find; NULL: any. none: what is
 * said where there is none; NULL: nothing. */
struct bw_show_filter {
	const char *name, *type;
	const char *none;
};
/* "n = 3", a line each, as "info locals" and "info args". */
struct bw_error *bw_show_variables(struct bw_out *o, struct bw_debug *d, enum bw_show_which which,
				   const struct bw_show_filter *filter) BW_MUST_CHECK;
/* Whether the selected frame has parameters, or other variables, that debug information names. */
bool bw_show_has_variables(struct bw_debug *d, enum bw_show_which which);
/* "n=100, k=3" of the selected frame. False: its debug information has no parameters. */
bool bw_show_frame_args(struct bw_debug *d, struct bw_str *out);
/* "in $v3", "at private_lane#$s33+4", "constant 7", "optimized out"; size_b: of the variable. */
void bw_show_location(const struct bw_location *l, uint64_t size_b, struct bw_str *out);
/* "info scope" */
struct bw_error *bw_show_scope(struct bw_out *o, struct bw_debug *d,
			       const char *where) BW_MUST_CHECK;
/* ---- show_lanes.c ---- */
/* "x" of "x @lanes", owned; NULL: it does not end so. */
char *bw_show_take_lanes(const char *text);
/* "0-15: 1; 16-31: 2": an expression in the active lanes of the focus wave, in a line. */
struct bw_error *bw_show_lanes_text(struct bw_debug *d, const char *expr, char letter,
				    struct bw_str *out) BW_MUST_CHECK;
/* A value as bw_show_value shows it; of a register across lanes, what that lane has. */
void bw_show_value_in_lane(struct bw_debug *d, const struct bw_value *v, unsigned lane, char letter,
			   struct bw_str *out);
/* An expression in all lanes: rows of lanes with equal values, active ones first. */
struct bw_error *bw_show_in_lanes(struct bw_out *o, struct bw_debug *d, const char *expr,
				  char letter, uint64_t lanes) BW_MUST_CHECK;

#endif
