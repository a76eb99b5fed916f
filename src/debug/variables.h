/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_VARIABLES_H
#define BW_DEBUG_VARIABLES_H

/* Variables and types of the program, as its debug information has them, at the focus lane in the
 * selected frame. Expressions can name them (expressions.h). */

#include "debug/debug.h"
#include "sym/variables.h"

struct bw_stack_frame;

/* Values longer than this are not read ("max-value-size" of gdb). */
enum { BW_VALUE_MAX_B = 65536 };

/* The visible variables, in the order of bw_lines_variables; *out_n is 0 without debug information.
 * Borrowed until the next call of this header, or of bw_debug_eval. */
struct bw_error *bw_debug_variables(struct bw_debug *d, const struct bw_variable **out,
				    size_t *out_n) BW_MUST_CHECK;
/* The variables of the functions at a place (in the syntax of `break`, loaded or not), and where
 * they are. The caller owns *out (free). */
struct bw_scoped {
	struct bw_variable variable;
	struct bw_location place;
};
struct bw_error *bw_debug_scope(struct bw_debug *d, const char *where, struct bw_scoped **out,
				size_t *out_n) BW_MUST_CHECK;
/* The place of a variable at that address; start and end are addresses in the GPU's space. False:
 * not in code with debug information. */
bool bw_debug_variable_place(struct bw_debug *d, uint64_t pc, const struct bw_variable *v,
			     struct bw_location *out);
/* The value of one of bw_debug_variables. If it does not exist, out has no value (is_missing); that
 * is not an error. The caller owns out. */
struct bw_error *bw_debug_variable_value(struct bw_debug *d, const struct bw_variable *v,
					 struct bw_value *out) BW_MUST_CHECK;
/* The value with which a parameter was called, "NAME@entry" in expressions. An error if it is not
 * known. The caller owns out. */
struct bw_error *bw_debug_variable_entry_value(struct bw_debug *d, const struct bw_variable *v,
					       struct bw_value *out) BW_MUST_CHECK;
/* Reads an aggregate that is in memory, so that v->bytes is set. Other values stay unchanged. */
struct bw_error *bw_debug_fetch(struct bw_debug *d, struct bw_value *v) BW_MUST_CHECK;
/* The value that a call returns. */
struct bw_returned {
	const struct bw_ctype *type; /* NULL: it returns nothing, or a type that is not known */
	struct bw_location location; /* BW_LOC_OPTIMIZED_OUT: not known */
	bool is_optimized;
	/* the compiler has changed the function's parameters or result; name: its name in the
	 * source */
	bool is_nocall;
	const char *function;
	uint64_t pc; /* the address to which it returns */
	bool has_s32;
	uint32_t s32; /* s32 of the caller */
};
/* Notes what the call of frame f returns, while it runs. f and the frame of its caller are read. */
void bw_debug_returned_begin(struct bw_debug *d, const struct bw_stack_frame *f,
			     const struct bw_stack_frame *caller, struct bw_returned *out);
/* Whether the focus wave is right after that call. */
bool bw_debug_returned_is_there(struct bw_debug *d, const struct bw_returned *r);
/* The returned value, read right after the call. False: not known. The caller owns out. */
bool bw_debug_returned_value(struct bw_debug *d, const struct bw_returned *r, struct bw_value *out);
/* A type by its name: of the code at the selected frame, otherwise of any code. NULL: no type has
 * this name. */
const struct bw_ctype *bw_debug_type_named(struct bw_debug *d, const char *name);
/* The type of the function that the value names. NULL: the value is not a function, or its type is
 * not known. */
const struct bw_ctype *bw_debug_function_type(struct bw_debug *d, const struct bw_value *v);
/* The type of a pointer to that type in global memory; lives as long as the session. NULL: out of
 * memory. */
const struct bw_ctype *bw_debug_pointer_to(struct bw_debug *d, const struct bw_ctype *elem);
/* Converts a generic address to the address space to which it leads, and its offset there. */
void bw_debug_flat_space(enum bw_space *space, uint64_t *addr);

/* Where the value of a register comes from that the focus wave has at its PC. */
enum bw_source_kind {
	BW_SOURCE_LOAD,	  /* the load at pc */
	BW_SOURCE_LAUNCH, /* register reg, unchanged since the function's entry */
	BW_SOURCE_CALL,	  /* the call at pc, which may have left it there */
	BW_SOURCE_OTHER,  /* the instruction at pc: other lanes, a clock, a message */
};
struct bw_value_source {
	enum bw_source_kind kind;
	uint64_t pc;
	bool is_vgpr;
	unsigned reg; /* that the instruction has written */
	uint32_t offset_b;
	/* LOAD: where the focus lane has loaded it from, if the registers of the address are as
	 * they were */
	bool has_address;
	enum bw_space space;
	uint64_t va;
	uint32_t size_b;
};
enum { BW_VALUE_SOURCES = 16 };
struct bw_value_sources {
	struct bw_value_source source[BW_VALUE_SOURCES];
	size_t n;
	bool is_partial; /* there are more, or something that is not followed is on the way */
};
/* Looks for the loads over all paths of the innermost function's code, through what computes with
 * their values; conditions and EXEC are not followed, so that another lane's path may be among
 * them. */
struct bw_error *bw_debug_value_sources(struct bw_debug *d, bool is_vgpr, unsigned reg,
					struct bw_value_sources *out) BW_MUST_CHECK;

#endif
