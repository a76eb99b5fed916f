/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_VARIABLES_H
#define BW_DEBUG_VARIABLES_H

/* Variables and types of the program, as its debug information has them, at the focus lane in the
 * selected frame. Expressions name them too (expressions.h). */

#include "debug/debug.h"
#include "sym/variables.h"

struct bw_stack_frame;

/* Values longer than this are not read ("max-value-size" of gdb). */
enum { BW_VALUE_MAX_B = 65536 };

/* The variables visible there, in the order of bw_lines_variables; *out_n is 0 without debug
 * information. Borrowed until the next call of this header, or of bw_debug_eval. */
struct bw_error *bw_debug_variables(struct bw_debug *d, const struct bw_variable **out,
				    size_t *out_n) BW_MUST_CHECK;
/* The variables of functions at a place as "break" takes it, whether its code is loaded or not, and
 * where they are. out is owned (free). */
struct bw_scoped {
	struct bw_variable variable;
	struct bw_location place;
};
struct bw_error *bw_debug_scope(struct bw_debug *d, const char *where, struct bw_scoped **out,
				size_t *out_n) BW_MUST_CHECK;
/* Where one of them is, at that address; start and end are addresses in the GPU's space. False: not
 * in code with debug information. */
bool bw_debug_variable_place(struct bw_debug *d, uint64_t pc, const struct bw_variable *v,
			     struct bw_location *out);
/* The value of one of bw_debug_variables. A value that does not exist is none (is_missing), not an
 * error. out is the caller's. */
struct bw_error *bw_debug_variable_value(struct bw_debug *d, const struct bw_variable *v,
					 struct bw_value *out) BW_MUST_CHECK;
/* What a parameter among them was called with, "NAME@entry" in expressions; an error where that is
 * not known. out is the caller's. */
struct bw_error *bw_debug_variable_entry_value(struct bw_debug *d, const struct bw_variable *v,
					       struct bw_value *out) BW_MUST_CHECK;
/* Reads an aggregate whose place is memory: v->bytes is there then. Others stay as they are. */
struct bw_error *bw_debug_fetch(struct bw_debug *d, struct bw_value *v) BW_MUST_CHECK;
/* What a call gives to its caller. */
struct bw_returned {
	const struct bw_ctype *type; /* NULL: it gives nothing, or what is not known */
	struct bw_location location; /* BW_LOC_OPTIMIZED_OUT: not known */
	bool is_optimized;
	/* the compiler has changed what the function takes or returns; its name in the source */
	bool is_nocall;
	const char *function;
	uint64_t pc; /* where it returns to */
	bool has_s32;
	uint32_t s32; /* of the caller */
};
/* Asked while the call runs, of its frame and its caller's. */
void bw_debug_returned_begin(struct bw_debug *d, const struct bw_stack_frame *f,
			     const struct bw_stack_frame *caller, struct bw_returned *out);
/* Whether the focus wave stands right after that call. */
bool bw_debug_returned_is_there(struct bw_debug *d, const struct bw_returned *r);
/* The value, read there. False: it is not known. out is the caller's. */
bool bw_debug_returned_value(struct bw_debug *d, const struct bw_returned *r, struct bw_value *out);
/* A type by its name, of the code at the selected frame, or else of any; NULL: none has it. */
const struct bw_ctype *bw_debug_type_named(struct bw_debug *d, const char *name);
/* The type of the function whose name the value is; NULL: it is none, or has none. */
const struct bw_ctype *bw_debug_function_type(struct bw_debug *d, const struct bw_value *v);
/* The type of a pointer to that type in global memory; lives as long as the session. NULL: out of
 * memory. */
const struct bw_ctype *bw_debug_pointer_to(struct bw_debug *d, const struct bw_ctype *elem);
/* The address space and the offset in it that a generic pointer leads to. */
void bw_debug_flat_space(enum bw_space *space, uint64_t *addr);

#endif
