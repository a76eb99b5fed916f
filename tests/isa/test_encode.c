/* SPDX-License-Identifier: MIT */
/* Words from instructions: what has been decoded becomes the same words again; what is built by
 * hand is what LLVM's disassembler reads; what no encoding can say is refused. */
#include "isa/inst.h"
#include "isa/ops.h"

#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "isa/text.h"
#include "vec.h"

static FILE *open_vectors(void)
{
	FILE *f = vec_open("tests/golden/isa/decode.vec");
	assert_non_null(f);
	return f;
}

/* inst's words decode to it again. They are w, apart from unused bits. Returns
 * whether they are w to the last bit. */
static bool comes_back(const uint32_t *w, const struct bw_inst *inst)
{
	uint32_t out[3] = {0};
	struct bw_inst again;
	size_t n = bw_isa_encode(BW_ISA_GFX11, inst, out);
	if (n * 4 != inst->size_b)
		fail_msg("%08x %08x %08x: %zu dwords of %u bytes", w[0], w[1], w[2], n,
			 inst->size_b);
	assert_true(bw_isa_decode(BW_ISA_GFX11, out, n, &again));
	assert_false(again.padded);
	again.padded = inst->padded;
	if (memcmp(&again, inst, sizeof(again)))
		fail_msg("%08x %08x %08x became %08x %08x %08x", w[0], w[1], w[2], out[0], out[1],
			 out[2]);
	return !memcmp(out, w, n * 4);
}

static void every_vector(void **state)
{
	FILE *f = open_vectors();
	struct vec v;
	unsigned n = 0, n_other = 0;
	while (vec_next(f, &v) == 1) {
		struct bw_inst inst;
		assert_true(bw_isa_decode(BW_ISA_GFX11, v.w, 3, &inst));
		assert_int_equal(inst.size_b, v.n_dw * 4);
		n++;
		n_other += !comes_back(v.w, &inst);
	}
	fclose(f);
	assert_true(n > 1500);
	/* one row's DPP dword has the bit between DPP_CTRL and FI */
	assert_int_equal(n_other, 1);
}

static uint64_t seed;

static uint32_t next_random(void)
{
	/* xorshift64* */
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)(seed * 0x2545f4914f6cdd1dull >> 32);
}

/* Every bit flipped, some at once, of every vector; and words that are nothing but random. */
static void other_words(void **state)
{
	seed = 0x656e636f64652121ull;
	FILE *f = open_vectors();
	struct vec v;
	unsigned n_legal = 0, n_same = 0;
	while (vec_next(f, &v) == 1) {
		for (unsigned k = 0; k < 300; k++) {
			uint32_t w[3] = {v.w[0], v.n_dw > 1 ? v.w[1] : next_random(),
					 v.n_dw > 2 ? v.w[2] : next_random()};
			if (k < 32 * v.n_dw)
				w[k / 32] ^= 1u << k % 32;
			else
				for (uint32_t r = next_random(), i = 0; i <= r >> 30;
				     i++, r = r >> 7 | r << 25)
					w[r % v.n_dw] ^= 1u << (r >> 2) % 32;
			struct bw_inst inst;
			if (!bw_isa_decode(BW_ISA_GFX11, w, 3, &inst))
				continue;
			n_legal++;
			n_same += comes_back(w, &inst);
		}
	}
	fclose(f);
	for (unsigned i = 0; i < 300000; i++) {
		uint32_t w[3] = {next_random(), next_random(), next_random()};
		struct bw_inst inst;
		if (bw_isa_decode(BW_ISA_GFX11, w, 3, &inst))
			comes_back(w, &inst);
	}
	print_message("%u instructions, %u the same to the last bit\n", n_legal, n_same);
	assert_true(n_legal > 200000 && n_same > n_legal / 2);
}

/* Built by hand, without a format: the shortest that can say it. */
static void by_hand(void **state)
{
	enum { V0 = BW_SRC_VGPR0, LIT = BW_SRC_LITERAL, TTMP = BW_SRC_TTMP0 };
	static const struct {
		struct bw_inst in;
		const char *text;
		unsigned n_dw;
	} rows[] = {
		{{.op = BW_OP_S_MOV_B32,
		  .dst = 4,
		  .src = {LIT},
		  .has_literal = true,
		  .literal = 0x12345678},
		 "s_mov_b32 s4, 0x12345678",
		 2},
		{{.op = BW_OP_S_MOV_B64, .dst = TTMP + 2, .src = {BW_SRC_EXEC_LO}},
		 "s_mov_b64 ttmp[2:3], exec",
		 1},
		{{.op = BW_OP_S_SETPC_B64, .src = {TTMP + 4}}, "s_setpc_b64 ttmp[4:5]", 1},
		{{.op = BW_OP_S_CMP_LT_I32, .src = {7, BW_SRC_INT_0}}, "s_cmp_lt_i32 s7, 0", 1},
		{{.op = BW_OP_S_TRAP, .imm = 0x7f}, "s_trap 0x7f", 1},
		{{.op = BW_OP_S_CODE_END}, "s_code_end", 1},
		{{.op = BW_OP_S_BRANCH, .imm = -3}, "s_branch 0xfffffffffffffff8", 1},
		{{.op = BW_OP_S_GETREG_B32, .dst = TTMP + 14, .imm = 28 | 11 << 6},
		 "s_getreg_b32 ttmp14, hwreg(28, 11, 1)",
		 1},
		{{.op = BW_OP_S_LOAD_B128,
		  .dst = 8,
		  .saddr = 2,
		  .soffset = BW_SRC_NULL,
		  .imm = -16},
		 "s_load_b128 s[8:11], s[2:3], -0x10",
		 2},
		{{.op = BW_OP_V_ADD_F32, .dst = 1, .src = {V0 + 2, V0 + 3}},
		 "v_add_f32_e32 v1, v2, v3",
		 1},
		{{.op = BW_OP_V_ADD_F32, .dst = 1, .src = {V0 + 2, 3}},
		 "v_add_f32_e64 v1, v2, s3",
		 2},
		{{.op = BW_OP_V_ADD_F32, .dst = 1, .src = {V0 + 2, V0 + 3}, .clamp = true},
		 "v_add_f32_e64 v1, v2, v3 clamp",
		 2},
		{{.op = BW_OP_V_CMP_EQ_U32, .dst = BW_SRC_VCC_LO, .src = {4, V0 + 1}},
		 "v_cmp_eq_u32_e32 vcc_lo, s4, v1",
		 1},
		{{.op = BW_OP_V_CMP_EQ_U32,
		  .dst = TTMP + 14,
		  .src = {V0 + 3, LIT},
		  .has_literal = true,
		  .literal = 77777},
		 "v_cmp_eq_u32_e64 ttmp14, v3, 0x12fd1",
		 3},
		{{.op = BW_OP_V_READLANE_B32, .dst = TTMP + 13, .src = {V0 + 1, TTMP + 7}},
		 "v_readlane_b32 ttmp13, v1, ttmp7",
		 2},
		{{.op = BW_OP_V_MOV_B32,
		  .dst = 1,
		  .src = {V0 + 2},
		  .dpp = BW_DPP_8,
		  .dpp8_sel = 0xfac688},
		 "v_mov_b32_dpp v1, v2 dpp8:[0,1,2,3,4,5,6,7]",
		 2},
		{{.op = BW_OP_V_FMAMK_F32,
		  .dst = 1,
		  .src = {V0 + 2, LIT, V0 + 3},
		  .has_literal = true,
		  .literal = 0x42f60000},
		 "v_fmamk_f32 v1, v2, 0x42f60000, v3",
		 2},
		{{.op = BW_OP_V_DUAL_MOV_B32,
		  .dst = 2,
		  .src = {V0 + 2},
		  .op_y = BW_OP_V_DUAL_ADD_F32,
		  .dst_y = 5,
		  .src_y = {V0 + 1, V0 + 7}},
		 "v_dual_mov_b32 v2, v2 :: v_dual_add_f32 v5, v1, v7",
		 2},
		{{.op = BW_OP_GLOBAL_STORE_B64, .vaddr = 1, .vdata = 2, .saddr = 4, .imm = -8},
		 "global_store_b64 v1, v[2:3], s[4:5] offset:-8",
		 2},
		{{.op = BW_OP_FLAT_LOAD_B32, .dst = 1, .vaddr = 2, .saddr = BW_SRC_NULL, .imm = 16},
		 "flat_load_b32 v1, v[2:3] offset:16",
		 2},
		{{.op = BW_OP_DS_LOAD_2ADDR_B32,
		  .dst = 1,
		  .vaddr = 3,
		  .offset0 = 4,
		  .offset1 = 5,
		  .imm = 0x504},
		 "ds_load_2addr_b32 v[1:2], v3 offset0:4 offset1:5",
		 2},
		{{.op = BW_OP_BUFFER_LOAD_B32,
		  .dst = 1,
		  .vdata = 1,
		  .vaddr = 2,
		  .srsrc = 8,
		  .saddr = BW_SRC_INT_0,
		  .offen = true,
		  .imm = 4095},
		 "buffer_load_b32 v1, v2, s[8:11], 0 offen offset:4095",
		 2},
		{{.op = BW_OP_IMAGE_SAMPLE,
		  .dst = 1,
		  .vdata = 1,
		  .vaddr = 4,
		  .srsrc = 8,
		  .ssamp = 16,
		  .dmask = 1,
		  .dim = 1,
		  .n_nsa = 4,
		  .nsa = {9}},
		 "image_sample v1, [v4, v9], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D",
		 3},
	};
	struct bw_isa_text *t;
	struct bw_error *err = bw_isa_text_create("gfx1100", &t);
	assert_null(err);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		uint32_t w[3] = {0};
		char line[200];
		size_t n = bw_isa_encode(BW_ISA_GFX11, &rows[i].in, w);
		if (n != rows[i].n_dw)
			fail_msg("%s: %zu dwords", rows[i].text, n);
		assert_int_equal(bw_isa_text_line(t, w, n * 4, 0, line, sizeof(line)), n * 4);
		assert_string_equal(line, rows[i].text);
	}
	bw_isa_text_destroy(t);
}

static void refused(void **state)
{
	enum { V0 = BW_SRC_VGPR0, LIT = BW_SRC_LITERAL };
	static const struct bw_inst rows[] = {
		{.op = BW_OP_ILLEGAL},
		{.op = BW_OP_S_MOV_B32, .dst = 4, .src = {V0 + 1}}, /* no VGPR there */
		{.op = BW_OP_S_MOV_B32, .dst = 128, .src = {1}},    /* no such register */
		{.op = BW_OP_S_MOV_B32, .dst = 4, .src = {LIT}},    /* which literal? */
		{.op = BW_OP_S_MOV_B32,
		 .dst = 4,
		 .src = {5},
		 .has_literal = true,
		 .literal = 1},						      /* not asked for */
		{.op = BW_OP_S_MOV_B32, .dst = 4, .src = {5}, .clamp = true}, /* has no clamp */
		{.op = BW_OP_S_MOV_B32,
		 .fmt = BW_FMT_SOP2,
		 .dst = 4,
		 .src = {5}},				       /* not in that format */
		{.op = BW_OP_S_MOV_B64, .dst = 5, .src = {2}}, /* pairs begin at even numbers */
		{.op = BW_OP_S_ADD_U32, .dst = 4, .src = {1, 2, 3}}, /* three sources */
		{.op = BW_OP_S_BRANCH, .imm = 0x8000},		     /* too far */
		{.op = BW_OP_V_ADD_F32, .dst = 256, .src = {V0, V0}},
		{.op = BW_OP_V_ADD_F32, .fmt = BW_FMT_VOP2, .dst = 1, .src = {V0, 3}},
		{.op = BW_OP_V_ADD_F64, .dst = 255, .src = {V0, V0}}, /* half of it lies outside */
		{.op = BW_OP_V_MOV_B32, .dst = 1, .src = {V0}, .dpp = BW_DPP_16, .dpp_ctrl = 0x142},
		{.op = BW_OP_V_CMP_EQ_U32,
		 .fmt = BW_FMT_VOPC,
		 .dst = 4,
		 .src = {V0, V0}},						 /* VCC it is */
		{.op = BW_OP_GLOBAL_LOAD_B32, .dst = 1, .vaddr = 2, .saddr = 5}, /* an odd pair */
		{.op = BW_OP_GLOBAL_LOAD_B32,
		 .dst = 1,
		 .vaddr = 2,
		 .saddr = BW_SRC_NULL,
		 .imm = 4096},
		{.op = BW_OP_BUFFER_LOAD_B32,
		 .dst = 1,
		 .vdata = 1,
		 .srsrc = 6}, /* descriptors begin at multiples of 4 */
		{.op = BW_OP_BUFFER_LOAD_B32,
		 .dst = 1,
		 .vdata = 2,
		 .srsrc = 8}, /* DST and DATA are one field */
		{.op = BW_OP_V_DUAL_MOV_B32,
		 .dst = 2,
		 .src = {V0},
		 .op_y = BW_OP_V_DUAL_MOV_B32,
		 .dst_y = 4,
		 .src_y = {V0}},
		{.op = BW_OP_V_DUAL_MOV_B32, .dst = 2, .src = {V0}}, /* a half */
		{.op = BW_OP_EXP, .exp_target = 64},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		uint32_t w[3];
		if (bw_isa_encode(BW_ISA_GFX11, &rows[i], w))
			fail_msg("row %zu: %08x %08x", i, w[0], w[1]);
	}
}

/* What follows from the rest is not asked for, and cannot harm. */
static void derived_members_do_not_count(void **state)
{
	const struct bw_inst inst = {.op = BW_OP_S_NOP,
				     .imm = 3,
				     .opcode = 99,
				     .size_b = 12,
				     .n_src = 9,
				     .n_src_y = 3,
				     .opcode_y = 7,
				     .reads = 0xffff,
				     .writes = 0xffff,
				     .padded = true};
	uint32_t w[3];
	assert_int_equal(bw_isa_encode(BW_ISA_GFX11, &inst, w), 1);
	assert_int_equal(w[0], 0xbf800003);
}

TESTS(every_vector, other_words, by_hand, refused, derived_members_do_not_count);
