/* SPDX-License-Identifier: MIT */
#ifndef BW_TEST_OPCODE_MODEL_H
#define BW_TEST_OPCODE_MODEL_H

/* What vector memory opcodes are, from their names alone, and the arithmetic of atomics, written
 * from the rules of doc/rules.md. */

#include <stdbool.h>
#include <stdint.h>

enum kind { LOAD, STORE, ATOMIC };

/* What an opcode is, from its name alone. */
struct shape {
	enum kind kind;
	unsigned size_b; /* of one element */
	bool sign;
	int half;	     /* d16: 1 low, 2 high */
	unsigned n_elements; /* 2: two-address forms */
	unsigned step;	     /* elements a step of their offsets */
	char rmw[32];
	unsigned n_operands;
	bool returns;
	bool addtid;
};

struct shape shape_of(const char *name);
/* What an atomic leaves in memory where o was. d is its first operand, c the second; mode: MODE. */
uint64_t model_rmw(const struct shape *s, uint64_t o, uint64_t d, uint64_t c, bool in_lds,
		   uint32_t mode);

#endif
