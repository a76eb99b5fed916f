/* SPDX-License-Identifier: MIT */
/* Several generations in one file of encodings (imaginary.enc): decoder, encoder and lists keep
 * them apart. isa/ops.h and the tables are those made of that file. */
#include "isa/inst.h"

#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "isa/asm.h"
#include "isa/ops.h"

static const struct {
	enum bw_isa_gen gen;
	uint32_t w[2];
	unsigned n_dw;
	struct bw_inst in;
} rows[] = {
	/* what stays */
	{BW_ISA_GFX11,
	 {0xbe840005},
	 1,
	 {.op = BW_OP_S_MOV_B32, .fmt = BW_FMT_SOP1, .dst = 4, .src = {5}}},
	{BW_ISA_GFX99,
	 {0xbe840005},
	 1,
	 {.op = BW_OP_S_MOV_B32, .fmt = BW_FMT_SOP1, .dst = 4, .src = {5}}},
	{BW_ISA_GFX99, {0xbfa0fffe}, 1, {.op = BW_OP_S_BRANCH, .fmt = BW_FMT_SOPP, .imm = -2}},
	/* what moves, and what was there before */
	{BW_ISA_GFX11, {0xbf900007}, 1, {.op = BW_OP_S_TRAP, .fmt = BW_FMT_SOPP, .imm = 7}},
	{BW_ISA_GFX99, {0xbfa80007}, 1, {.op = BW_OP_S_TRAP, .fmt = BW_FMT_SOPP, .imm = 7}},
	{BW_ISA_GFX11, {0xbfa80007}, 1, {.op = BW_OP_S_BARRIER, .fmt = BW_FMT_SOPP, .imm = 7}},
	{BW_ISA_GFX99, {0xbe805004}, 1, {.op = BW_OP_S_SETPC_B64, .fmt = BW_FMT_SOP1, .src = {4}}},
	/* fields elsewhere */
	{BW_ISA_GFX11,
	 {0xf4046101, 0xf80ffff8},
	 2,
	 {.op = BW_OP_S_LOAD_B64,
	  .fmt = BW_FMT_SMEM,
	  .dst = 4,
	  .saddr = 2,
	  .soffset = 124,
	  .imm = 0xffff8,
	  .dlc = true,
	  .glc = true}},
	{BW_ISA_GFX99,
	 {0xf4002101, 0xf8fffff8},
	 2,
	 {.op = BW_OP_S_LOAD_B64,
	  .fmt = BW_FMT_SMEM,
	  .dst = 4,
	  .saddr = 2,
	  .soffset = 124,
	  .imm = -8}},
	/* a format that only one has */
	{BW_ISA_GFX99,
	 {0xc4700009, 0xfff00000},
	 2,
	 {.op = BW_OP_S_ADD_U32, .fmt = BW_FMT_SOPK, .dst = 9, .imm = -16}},
};

static bool same(const struct bw_inst *a, const struct bw_inst *b)
{
	return a->op == b->op && a->fmt == b->fmt && a->dst == b->dst &&
	       !memcmp(a->src, b->src, sizeof(a->src)) && a->imm == b->imm &&
	       a->saddr == b->saddr && a->soffset == b->soffset && a->glc == b->glc &&
	       a->dlc == b->dlc;
}

static void there_and_back(void **state)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		struct bw_inst in;
		uint32_t w[3];
		if (!bw_isa_decode(rows[i].gen, rows[i].w, 2, &in) || !same(&in, &rows[i].in) ||
		    in.size_b != 4 * rows[i].n_dw)
			fail_msg("row %zu: %s, imm %d", i, bw_isa_op_info(in.op)->name, in.imm);
		assert_int_equal(bw_isa_encode(rows[i].gen, &rows[i].in, w), rows[i].n_dw);
		assert_memory_equal(w, rows[i].w, rows[i].n_dw * 4);
	}
}

static void not_in_the_other(void **state)
{
	static const struct {
		enum bw_isa_gen gen;
		uint32_t w[2];
	} none[] = {
		{BW_ISA_GFX99, {0xbf900007}}, /* s_trap was there */
		{BW_ISA_GFX99, {0xbe804804}}, /* s_setpc */
		{BW_ISA_GFX11, {0xbe805004}},
		{BW_ISA_GFX11, {0xc4700009, 0xfff00000}}, /* no such format */
		{
			BW_ISA_GFX11,
			{0xf4002101, 0xf8fffff8},
		}, /* decodes, as another load */
	};
	struct bw_inst in;
	uint32_t w[3];
	for (size_t i = 0; i + 1 < BW_ARRAY_SIZE(none); i++)
		assert_false(bw_isa_decode(none[i].gen, none[i].w, 2, &in));
	assert_true(bw_isa_decode(BW_ISA_GFX11, none[4].w, 2, &in));
	assert_int_equal(in.op, BW_OP_S_LOAD_B32);
	in = (struct bw_inst){.op = BW_OP_S_BARRIER};
	assert_int_equal(bw_isa_encode(BW_ISA_GFX99, &in, w), 0);
	/* flags that the format has no bits for */
	in = rows[7].in;
	assert_int_equal(bw_isa_encode(BW_ISA_GFX99, &in, w), 0);
}

static void lists(void **state)
{
	struct bw_op_encoding e[4];
	assert_int_equal(bw_isa_op_encodings(BW_ISA_GFX11, BW_OP_S_ADD_U32, e, 4), 1);
	assert_int_equal(bw_isa_op_encodings(BW_ISA_GFX99, BW_OP_S_ADD_U32, e, 4), 2);
	assert_int_equal(e[0].fmt, BW_FMT_SOP2);
	assert_int_equal(e[1].fmt, BW_FMT_SOPK);
	assert_int_equal(e[1].opcode, 7);
	assert_int_equal(bw_isa_op_encodings(BW_ISA_GFX99, BW_OP_S_BARRIER, e, 4), 0);
	assert_int_equal(bw_isa_op_encodings(BW_ISA_GFX99, BW_OP_S_TRAP, e, 4), 1);
	assert_int_equal(e[0].opcode, 40);
	assert_string_equal(bw_isa_gen_name(BW_ISA_GFX99), "gfx99");
	enum bw_isa_gen gen;
	assert_true(bw_isa_gen_by_name("gfx99", &gen));
	assert_int_equal(gen, BW_ISA_GFX99);
	assert_false(bw_isa_gen_by_name("gfx12", &gen));
	assert_int_equal(bw_isa_op_by_name("s_barrier"), BW_OP_S_BARRIER);
}

/* The same lines of code make code of either. */
static void code(void **state)
{
	static const uint32_t want[2][4] = {
		{0x800402ff, 100, 0xbf90007f, 0xbfa0fffc},
		{0x800402ff, 100, 0xbfa8007f, 0xbfa0fffc},
	};
	for (unsigned gen = 0; gen < BW_ISA_GEN_COUNT; gen++) {
		uint32_t dw[4];
		struct bw_asm a = {.gen = gen, .dw = dw, .max = 4};
		bw_asm_2(&a, BW_OP_S_ADD_U32, 4, bw_asm_literal(100), bw_asm_code(2));
		bw_asm_imm(&a, BW_OP_S_TRAP, 0, 0x7f);
		bw_asm_imm(&a, BW_OP_S_BRANCH, 0, 0);
		bw_asm_branch_to(&a, 3, 0);
		assert_false(a.bad);
		assert_memory_equal(dw, want[gen], sizeof(dw));
		assert_int_equal(bw_asm_word(gen, BW_OP_S_TRAP, 0x7f), want[gen][2]);
		bw_asm_1(&a, BW_OP_S_MOV_B32, 1, bw_asm_code(2));
		assert_true(a.bad); /* no room */
		a = (struct bw_asm){.gen = gen, .dw = dw, .max = 4};
		bw_asm_2(&a, BW_OP_S_ADD_U32, 4, bw_asm_literal(1), bw_asm_literal(2));
		assert_true(a.bad); /* one literal for both */
	}
}

TESTS(there_and_back, not_in_the_other, lists, code);
