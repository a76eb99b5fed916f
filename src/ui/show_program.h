/* SPDX-License-Identifier: MIT */
#ifndef BW_UI_SHOW_PROGRAM_H
#define BW_UI_SHOW_PROGRAM_H

/* Values, types and variables of the program, in gdb's forms. */

#include <regex.h>

#include "debug/source.h"
#include "debug/variables.h"
#include "ui/show.h"

/* ---- show_typed.c ---- */
/* Appends a value whose type is the program's (type.ctype). letter: as for bw_show_value. nested:
 * it is a part of another value, so that pointers are shown without their types. */
void bw_show_typed(struct bw_debug *d, const struct bw_value *v, char letter, bool nested,
		   struct bw_str *out);
/* Like bw_show_typed, for values of any type in a list of variables: "print elements" limits how
 * many numbers and characters are shown of a value in all, not of each array in it. */
void bw_show_row_value(struct bw_debug *d, const struct bw_value *v, char letter,
		       struct bw_str *out);
/* A value as JSON; null if it is not known. A new reference. */
json_t *bw_show_typed_json(struct bw_debug *d, const struct bw_value *v);
/* Appends the name of enumerator i, as the source writes it outside of its scope:
 * "zoo::color::green". */
void bw_show_enumerator(const struct bw_ctype *t, size_t i, struct bw_str *out);

/* ---- show_type.c ---- */
/* Appends the output of ptype: a struct with its members. offsets: as for ptype/o. */
void bw_show_type(const struct bw_ctype *t, bool offsets, struct bw_str *out);
/* Appends a declaration: "int x[4]", "float *p", "void (*f)(int)". */
void bw_show_declared(const struct bw_ctype *t, const char *name, struct bw_str *out);
/* A type as JSON: {"name", "size", "members": [...]}; a new reference. */
json_t *bw_show_type_json(const struct bw_ctype *t);

/* ---- show_listed.c ---- */
/* "info functions", "info variables", "info types": shows all whose name matches the POSIX extended
 * regular expression; "": all. */
struct bw_error *bw_show_listed(struct bw_out *o, struct bw_debug *d, enum bw_listed_kind kind,
				const char *regex) BW_MUST_CHECK;

/* Compiles a POSIX extended regular expression that a user typed. The caller frees it (regfree). */
struct bw_error *bw_show_regex(const char *text, regex_t *out) BW_MUST_CHECK;

/* ---- show_variables.c ---- */
enum bw_show_which { BW_SHOW_LOCALS, BW_SHOW_PARAMS, BW_SHOW_INPUTS, BW_SHOW_OUTPUTS };
/* Whether a variable of the selected frame is one of these. */
bool bw_show_is_among(const struct bw_variable *v, enum bw_show_which which);
/* Selects variables by regular expressions for name and type; NULL: any. none: the text to show if
 * there are none; NULL: no text. */
struct bw_show_filter {
	const char *name, *type;
	const char *none;
};
/* Shows variables as "info locals" and "info args" do: "n = 3", a line each. */
struct bw_error *bw_show_variables(struct bw_out *o, struct bw_debug *d, enum bw_show_which which,
				   const struct bw_show_filter *filter) BW_MUST_CHECK;
/* Whether the selected frame has parameters, or other variables, that debug information names. */
bool bw_show_has_variables(struct bw_debug *d, enum bw_show_which which);
/* Appends the arguments of the selected frame: "n=100, k=3". False: the debug information has no
 * parameters for it. */
bool bw_show_frame_args(struct bw_debug *d, struct bw_str *out);
/* Appends a location: "in $v3", "at private_lane#$s33+4", "constant 7", "optimized out". size_b:
 * size of the variable. */
void bw_show_location(const struct bw_location *l, uint64_t size_b, struct bw_str *out);
/* Shows the variables of a place, as "info scope" does. */
struct bw_error *bw_show_scope(struct bw_out *o, struct bw_debug *d,
			       const char *where) BW_MUST_CHECK;
/* ---- show_lanes.c ---- */
/* The expression of "x @lanes", owned by the caller: "x". NULL: the text does not end in @lanes. */
char *bw_show_take_lanes(const char *text);
/* Appends an expression's values in the active lanes of the focus wave, in one line: "0-15: 1;
 * 16-31: 2". */
struct bw_error *bw_show_lanes_text(struct bw_debug *d, const char *expr, char letter,
				    struct bw_str *out) BW_MUST_CHECK;
/* Appends a value like bw_show_value does; of a register across lanes, only the value in that
 * lane. */
void bw_show_value_in_lane(struct bw_debug *d, const struct bw_value *v, unsigned lane, char letter,
			   struct bw_str *out);
/* Shows an expression in all lanes: a row for lanes with equal values, active lanes first. */
struct bw_error *bw_show_in_lanes(struct bw_out *o, struct bw_debug *d, const char *expr,
				  char letter, uint64_t lanes) BW_MUST_CHECK;

#endif
