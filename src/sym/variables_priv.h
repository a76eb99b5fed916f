/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_VARIABLES_PRIV_H
#define BW_SYM_VARIABLES_PRIV_H

/* Internals of reading variables: variables.c finds those of a scope, locations.c the expression
 * that holds at an address, location_expr.c says what it means (location_ops.c has the operators);
 * location_compute.c has values that are computed from registers. */

#include <elfutils/libdw.h>

#include "base/cursor.h"
#include "base/vec.h"
#include "sym/variables.h"

/* A lexical block, or a function itself (block 0). */
struct scope_block {
	uint32_t parent; /* index; of block 0: itself */
	unsigned depth;
	size_t first_range,
		n_ranges; /* of the function's ranges; block 0 has none: the function's */
	size_t first_variable, n_variables;
};

struct scope_range {
	uint64_t start, end;
};

struct scope_variable {
	Dwarf_Die die;
	const char *name;
	unsigned decl_line;
	bool is_param;
};

/* The variables of a function and of the blocks in it. */
struct function_scope {
	bool is_read;
	struct BW_VEC(struct scope_block) blocks;
	struct BW_VEC(struct scope_range) ranges;
	struct BW_VEC(struct scope_variable) variables;
};

/* A variable of a file. */
struct file_variable {
	struct scope_variable variable;
	const void *unit; /* where its unit's entry is */
};

struct bw_section {
	const uint8_t *data;
	size_t size_b;
};

struct bw_scopes {
	struct function_scope *functions; /* one for each of bw_lines; NULL: none was asked for */
	size_t n_functions;
	bool has_files;
	struct BW_VEC(struct file_variable) files;
	size_t dies_left; /* how many more entries may be looked at for variables */
	bool has_sections;
	struct bw_section loclists, loc, addr;
};

void bw_scopes_free(struct bw_scopes *s);

/* The inputs to an expression's evaluation. */
struct bw_expr_context {
	struct bw_section addr; /* .debug_addr */
	uint64_t addr_base;	/* of the unit in it */
	uint64_t size_b;	/* of the variable; 0: not known */
	uint64_t image_b;
	const char *no_frame; /* why the frame base is not known, NULL: it is */
	enum bw_frame_base frame;
	Dwarf_Die *unit;    /* whose types conversions name; NULL: none is known */
	int64_t lds_offset; /* of the variable if it lies in the LDS; < 0: not known */
	bool may_be_in_lds; /* it is a struct or an array: a register may have its address there */
};

/* Fills in all of *out but the addresses. */
void bw_location_evaluate(const struct bw_expr_context *c, const uint8_t *expr, size_t n,
			  struct bw_location *out);
/* Makes an expression that computes a value from registers a BW_LOC_COMPUTED. False, and *out as
 * it was: it is none, or one of its operators is not supported. */
bool bw_location_compile(const struct bw_expr_context *c, const uint8_t *expr, size_t n,
			 struct bw_location *out);
/* Reads the operand of an operator that puts a number on the stack; false: it is another one. */
bool bw_location_number(struct bw_cursor *c, unsigned op, int64_t *out);
/* A register by DWARF's number; false: none that holds values of the source. */
bool bw_location_register(uint64_t number, bool *out_is_vgpr, uint16_t *out_reg);
/* The bytes of a constant. */
void bw_location_constant(const uint8_t *bytes, size_t n, struct bw_location *out);
/* The frame base that an expression of DW_AT_frame_base names. */
const char *bw_location_frame_base(const uint8_t *expr, size_t n, enum bw_frame_base *out);
/* An address of .debug_addr. */
bool bw_location_addrx(struct bw_section addr, uint64_t base, uint64_t index, uint64_t *out);

void bw_location_unknown(struct bw_location *out, const char *fmt, ...) BW_PRINTF(2, 3);

#endif
