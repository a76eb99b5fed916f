/* SPDX-License-Identifier: MIT */
#include "isa/asm.h"

#include <assert.h>

void bw_asm_dword(struct bw_asm *a, uint32_t dw)
{
	if (a->n < a->max)
		a->dw[a->n++] = dw;
	else
		a->bad = true;
}

void bw_asm_put(struct bw_asm *a, const struct bw_inst *inst)
{
	uint32_t w[3];
	size_t n = bw_isa_encode(a->gen, inst, w);
	a->bad |= !n;
	for (size_t i = 0; i < n; i++)
		bw_asm_dword(a, w[i]);
}

void bw_asm_1(struct bw_asm *a, unsigned op, unsigned dst, struct bw_asm_src src)
{
	const struct bw_inst inst = {
		.op = op,
		.dst = (uint16_t)dst,
		.src = {src.code},
		.has_literal = src.code == BW_SRC_LITERAL,
		.literal = src.literal,
	};
	bw_asm_put(a, &inst);
}

void bw_asm_2(struct bw_asm *a, unsigned op, unsigned dst, struct bw_asm_src src0,
	      struct bw_asm_src src1)
{
	bool first = src0.code == BW_SRC_LITERAL, second = src1.code == BW_SRC_LITERAL;
	const struct bw_inst inst = {
		.op = op,
		.dst = (uint16_t)dst,
		.src = {src0.code, src1.code},
		.has_literal = first || second,
		.literal = first ? src0.literal : src1.literal,
	};
	a->bad |= first && second && src0.literal != src1.literal;
	bw_asm_put(a, &inst);
}

void bw_asm_imm(struct bw_asm *a, unsigned op, unsigned dst, int32_t imm)
{
	const struct bw_inst inst = {.op = op, .dst = (uint16_t)dst, .imm = imm};
	bw_asm_put(a, &inst);
}

void bw_asm_branch_to(struct bw_asm *a, size_t at, size_t to)
{
	struct bw_inst inst;
	uint32_t w[3];
	if (at >= a->n || !bw_isa_decode(a->gen, &a->dw[at], 1, &inst)) {
		a->bad = true;
		return;
	}
	inst.imm = (int32_t)((int64_t)to - (int64_t)at - 1);
	a->bad |= bw_isa_encode(a->gen, &inst, w) != 1;
	if (!a->bad)
		a->dw[at] = w[0];
}

uint32_t bw_asm_word(enum bw_isa_gen gen, unsigned op, int32_t imm)
{
	const struct bw_inst inst = {.op = op, .imm = imm};
	uint32_t w[3];
	size_t n = bw_isa_encode(gen, &inst, w);
	assert(n == 1);
	return n == 1 ? w[0] : 0;
}
