/* SPDX-License-Identifier: MIT */
/* The scalar instructions of gfx12 against LLVM's disassembler for gfx1200: which words are
 * instructions, what they are called, how long they are; and the encoder makes the same words of
 * them. */
#include "isa/inst.h"

#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/str.h"
#include "base/util.h"
#include "isa/asm.h"
#include "isa/llvm.h"
#include "isa/ops.h"

static const struct bw_llvm *calls;
static LLVMDisasmContextRef llvm;

/* Names that are new for what gfx11 had. */
static const struct {
	const char *gfx12, *gfx11;
} renamed[] = {
	{"s_add_co_u32", "s_add_u32"},	   {"s_sub_co_u32", "s_sub_u32"},
	{"s_add_co_i32", "s_add_i32"},	   {"s_sub_co_i32", "s_sub_i32"},
	{"s_add_co_ci_u32", "s_addc_u32"}, {"s_sub_co_ci_u32", "s_subb_u32"},
	{"s_addk_co_i32", "s_addk_i32"},   {"s_wait_alu", "s_waitcnt_depctr"},
};

/* The size in bytes, 0: no instruction. */
static size_t ask(const uint32_t *w, char *name, size_t name_b)
{
	char text[300];
	uint32_t copy[2] = {w[0], w[1]};
	size_t n = calls->instruction(llvm, (uint8_t *)copy, sizeof(copy), 0, text, sizeof(text));
	if (!n || strstr(text, "/*Invalid"))
		return 0;
	const char *at = text + strspn(text, " \t");
	snprintf(name, name_b, "%.*s", (int)strcspn(at, " \t\n"), at);
	for (size_t i = 0; i < BW_ARRAY_SIZE(renamed); i++)
		if (!strcmp(name, renamed[i].gfx12))
			snprintf(name, name_b, "%s", renamed[i].gfx11);
	return n;
}

/* Arithmetic of floats and 64 bits, which data/isa leaves out. */
static bool is_left_out(const char *name)
{
	size_t n = strlen(name);
	bool arithmetic = bw_starts_with(name, "s_") && n > 4 &&
			  (!strcmp(name + n - 4, "_f32") || !strcmp(name + n - 4, "_f16") ||
			   bw_starts_with(name, "s_cvt_") || strstr(name, "_nc_u64") ||
			   strstr(name, "s_mul_u64"));
	return arithmetic && bw_isa_op_by_name(name) == BW_OP_ILLEGAL;
}

static unsigned n_same, n_left_out, n_failed;

static void compare(uint32_t first)
{
	uint32_t w[2] = {first, 0x12345678}, again[3];
	struct bw_inst in;
	char name[80] = "";
	size_t llvm_b = ask(w, name, sizeof(name));
	bool legal = bw_isa_decode(BW_ISA_GFX12, w, 2, &in);
	if (!legal && llvm_b && is_left_out(name)) {
		n_left_out++;
		return;
	}
	/* LLVM wants 0 in fields that the hardware does not look at. */
	if (legal && in.padded && !llvm_b)
		return;
	bool same = legal == (llvm_b != 0) &&
		    (!legal || (in.size_b == llvm_b && !strcmp(bw_isa_op_info(in.op)->name, name)));
	if (same && legal) {
		size_t n = bw_isa_encode(BW_ISA_GFX12, &in, again);
		/* Runs of registers begin where their size lets them, whatever the low bits say. */
		struct bw_inst back;
		same = n * 4 == in.size_b && bw_isa_decode(BW_ISA_GFX12, again, n, &back) &&
		       back.op == in.op && back.dst == in.dst && back.src[0] == in.src[0] &&
		       back.imm == in.imm;
	}
	n_same += same;
	if (!same && n_failed++ < 40)
		print_error("%08x: ours %s %u, LLVM %s %zu\n", first,
			    legal ? bw_isa_op_info(in.op)->name : "none", in.size_b, name, llvm_b);
}

static void scalar_words(void **state)
{
	static const struct {
		uint32_t first;
		unsigned shift, n_ops;
	} formats[] = {
		{0xbf800000, 16, 128}, /* SOPP */
		{0xbe800000, 8, 256},  /* SOP1 */
		{0xbf000000, 16, 128}, /* SOPC */
		{0xb0000000, 23, 28},  /* SOPK */
		{0x80000000, 23, 96},  /* SOP2 */
	};
	/* operands: SGPRs, VCC, TTMPs, NULL, M0, EXEC, constants, a literal */
	static const uint8_t codes[] = {0,   2,	  4,   104, 106, 108, 122,
					124, 125, 126, 128, 193, 240, 255};
	for (size_t f = 0; f < BW_ARRAY_SIZE(formats); f++) {
		for (unsigned op = 0; op < formats[f].n_ops; op++) {
			uint32_t w = formats[f].first | op << formats[f].shift;
			for (size_t i = 0; i < BW_ARRAY_SIZE(codes); i++) {
				unsigned dst = codes[(i * 5 + op) % BW_ARRAY_SIZE(codes)] & 0x7f;
				uint32_t src = codes[i],
					 src1 = codes[(i + op) % BW_ARRAY_SIZE(codes)];
				switch (f) {
				case 0:
					compare(w | (src << 8 | src1));
					break;
				case 1:
					compare(w | dst << 16 | src);
					break;
				case 2:
					compare(w | src1 << 8 | src);
					break;
				case 3:
					compare(w | dst << 16 | src1 << 8 | src);
					break;
				default:
					compare(w | dst << 16 | src1 << 8 | src);
				}
			}
		}
	}
	print_message("%u the same, %u left out\n", n_same, n_left_out);
	assert_int_equal(n_failed, 0);
	assert_true(n_same > 3000);
}

/* What a debugger puts into code. */
static void words(void **state)
{
	char name[80];
	static const struct {
		enum bw_op op;
		int32_t imm;
	} rows[] = {
		{BW_OP_S_TRAP, 0x7f},	   {BW_OP_S_CODE_END, 0},      {BW_OP_S_BRANCH, -1},
		{BW_OP_S_WAIT_LOADCNT, 0}, {BW_OP_S_WAIT_KMCNT, 0},    {BW_OP_S_WAIT_DSCNT, 0},
		{BW_OP_S_WAIT_IDLE, 0},	   {BW_OP_S_ENDPGM, 0},	       {BW_OP_S_CBRANCH_SCC1, 2},
		{BW_OP_S_NOP, 0},	   {BW_OP_S_BARRIER_WAIT, -1},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		uint32_t w[2] = {bw_asm_word(BW_ISA_GFX12, rows[i].op, rows[i].imm), 0};
		assert_int_equal(ask(w, name, sizeof(name)), 4);
		assert_string_equal(name, bw_isa_op_info(rows[i].op)->name);
		assert_int_equal((int16_t)w[0], rows[i].imm);
	}
	/* gone, and not yet there */
	const struct bw_inst barrier = {.op = BW_OP_S_BARRIER}, wait = {.op = BW_OP_S_WAIT_KMCNT};
	uint32_t w[3];
	assert_int_equal(bw_isa_encode(BW_ISA_GFX12, &barrier, w), 0);
	assert_int_equal(bw_isa_encode(BW_ISA_GFX11, &wait, w), 0);
}

static int setup(void **state)
{
	assert_null(bw_llvm_load(&calls));
	llvm = calls->create("amdgcn-amd-amdhsa", "gfx1200", "", NULL, 0, NULL, NULL);
	return llvm ? 0 : -1;
}

static int teardown(void **state)
{
	calls->dispose(llvm);
	return 0;
}

TESTS_AROUND(setup, teardown, scalar_words, words);
