/* SPDX-License-Identifier: MIT */
#ifndef BW_TEST_DIFF_GEN_H
#define BW_TEST_DIFF_GEN_H

/* Random C functions whose meaning is the same on every correct machine: unsigned or wrapping
 * arithmetic, bounded shifts, conversions and indices, NaNs that only come out in one form. */

#include <stdint.h>
#include <stdio.h>

enum {
	GEN_IN_DW = 16,	 /* inputs of one work-item */
	GEN_OUT_DW = 16, /* outputs of one work-item */
	GEN_GROUP = 128, /* work-items of a group: several waves */
};

struct gen {
	uint64_t state;
	FILE *f;
	unsigned depth;
	unsigned n_u, n_l, n_f, n_d; /* temporaries that exist so far */
};

uint32_t gen_random(struct gen *g);
/* What all functions of a file need, for both sides. */
void gen_prologue(FILE *f);
/* The kernel kN: each work-item computes a number, takes those of two others by way of LDS and a
 * barrier, and computes with them. On the host kN is a function that does the same for all n, at
 * most a group. */
void gen_case(FILE *f, uint64_t seed, unsigned number);
/* Interesting 32-bit inputs: small numbers, edges, floats of all sorts. */
uint32_t gen_input(struct gen *g);

#endif
