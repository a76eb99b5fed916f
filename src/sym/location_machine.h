/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_LOCATION_MACHINE_H
#define BW_SYM_LOCATION_MACHINE_H

/* The machine that evaluates the expressions of variables: location_ops.c has its stack and its
 * operators, location_expr.c makes places and values of what they leave on the stack. The values
 * are symbols, since no register is read here. */

#include "sym/variables_priv.h"

/* Room for the 16 values that LLVM 19 takes together at most, and what is computed on top of them.
 * */
enum { BW_EXPR_STACK = 32 };

/* The address spaces of DW_OP_xderef. */
enum { BW_EXPR_SPACE_NONE = 0, BW_EXPR_SPACE_PRIVATE = 1, BW_EXPR_SPACE_LDS = 2 };

struct bw_expr_value {
	enum { BW_EXPR_NUMBER, BW_EXPR_ADDRESS, BW_EXPR_VGPR, BW_EXPR_SGPR, BW_EXPR_FRAME } kind;
	unsigned reg;
	enum bw_frame_base base;
	int64_t offset; /* added to it; the number or address itself */
	uint64_t space;
};

struct bw_expr_machine {
	const struct bw_expr_context *c;
	struct bw_cursor code;
	struct bw_expr_value stack[BW_EXPR_STACK];
	unsigned n;
	bool is_register; /* regx: the place is the register on the stack */
	bool is_value;	  /* DW_OP_stack_value */
	struct bw_location *out;
	bool failed;
};

/* Ends the evaluation, with the reason as the location's; the first one counts. */
#define BW_EXPR_FAIL(m, ...)                                                                       \
	do {                                                                                       \
		if (!(m)->failed)                                                                  \
			bw_location_unknown((m)->out, __VA_ARGS__);                                \
		(m)->failed = true;                                                                \
	} while (0)

/* One operator with its operands, which are read from m->code. */
void bw_expr_execute(struct bw_expr_machine *m, unsigned op);
void bw_expr_push_number(struct bw_expr_machine *m, int64_t number);
/* The value on top of the stack; fails where there is none. */
struct bw_expr_value bw_expr_pop(struct bw_expr_machine *m);

#endif
