/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_ASM_H
#define BW_ISA_ASM_H

/* Code, instruction by instruction, over bw_isa_encode. Pure. */

#include "isa/inst.h"

struct bw_asm {
	enum bw_isa_gen gen;
	uint32_t *dw; /* the code; not owned */
	size_t n, max;
	bool bad; /* it did not fit, or something has no encoding: the code is of no use */
};

/* A source operand: an operand code (BW_SRC_*), or a literal. */
struct bw_asm_src {
	uint16_t code;
	uint32_t literal;
};

static inline struct bw_asm_src bw_asm_code(unsigned code)
{
	return (struct bw_asm_src){.code = (uint16_t)code};
}

static inline struct bw_asm_src bw_asm_vgpr(unsigned n)
{
	return bw_asm_code(BW_SRC_VGPR0 + n);
}

/* Always with a dword of its own, however small. */
static inline struct bw_asm_src bw_asm_literal(uint32_t value)
{
	return (struct bw_asm_src){.code = BW_SRC_LITERAL, .literal = value};
}

void bw_asm_put(struct bw_asm *a, const struct bw_inst *inst);
void bw_asm_dword(struct bw_asm *a, uint32_t dw);
/* dst is what bw_inst.dst is: an SGPR code, for vector instructions the number of a VGPR; 0 where
 * there is none. Of two literals there is one dword: they must be the same. */
void bw_asm_1(struct bw_asm *a, unsigned op, unsigned dst, struct bw_asm_src src);
void bw_asm_2(struct bw_asm *a, unsigned op, unsigned dst, struct bw_asm_src src0,
	      struct bw_asm_src src1);
/* SOPP and SOPK: SIMM16 and, where there is one, SDST. */
void bw_asm_imm(struct bw_asm *a, unsigned op, unsigned dst, int32_t imm);
/* Makes the branch at dword `at` lead to dword `to`. */
void bw_asm_branch_to(struct bw_asm *a, size_t at, size_t to);

/* The word of an instruction of SIMM16 alone, of one dword: s_trap, s_code_end. It must exist. */
uint32_t bw_asm_word(enum bw_isa_gen gen, unsigned op, int32_t imm);

#endif
