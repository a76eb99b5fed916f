/* SPDX-License-Identifier: MIT */
/* The instructions of gfx942, and of gfx902, against LLVM's disassembler: which words are
 * instructions, how long they are, what they are called; and the encoder makes of each what decodes
 * to the same. Words: each opcode number of each format with operands and fields at their edges,
 * and random ones. Where the decoder differs on purpose, a row of `explained` says why. */
#include "isa/inst.h"

#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/str.h"
#include "base/util.h"
#include "isa/llvm.h"
#include "isa/ops.h"

static const struct bw_llvm *calls;
static LLVMDisasmContextRef llvm;
static enum bw_isa_gen gen = BW_ISA_GFX942;

struct verdict {
	unsigned size_b; /* 0: no instruction */
	char name[100], text[300];
};

static void cut_suffixes(char *name)
{
	static const char *const suffixes[] = {"_e32", "_e64", "_dpp", "_sdwa"};
	for (unsigned i = 0; i < BW_ARRAY_SIZE(suffixes); i++) {
		size_t len = strlen(name), n = strlen(suffixes[i]);
		if (len > n && strcmp(name + len - n, suffixes[i]) == 0) {
			name[len - n] = '\0';
			i = -1u;
		}
	}
}

static struct verdict ask(const uint32_t *w)
{
	struct verdict v = {0};
	uint32_t copy[3] = {w[0], w[1], w[2]};
	v.size_b = (unsigned)calls->instruction(llvm, (uint8_t *)copy, sizeof(copy), 0, v.text,
						sizeof(v.text));
	if (strstr(v.text, "/*")) /* Invalid ..., DP ALU dpp only supports ... */
		v.size_b = 0;
	const char *at = v.text + strspn(v.text, " \t");
	snprintf(v.name, sizeof(v.name), "%.*s", (int)strcspn(at, " \t\n"), at);
	cut_suffixes(v.name);
	return v;
}

/* The bit LDS of a buffer load makes another opcode of it, which LLVM gives no other name. */
static bool is_to_lds(unsigned op)
{
	return bw_starts_with(bw_isa_op_info(op)->name, "buffer_load_lds_");
}

static bool is_to_lds_in(const struct verdict *v)
{
	return bw_starts_with(v->name, "buffer_load_") && strstr(v->text, " lds");
}

struct difference {
	const uint32_t *w;
	const struct bw_inst *in; /* ours */
	bool legal;		  /* ours */
	const struct verdict *llvm;
};

static bool no_register(const struct difference *d)
{
	return !d->legal && strstr(d->llvm->text, "null");
}

static bool special_in_register_operand(const struct difference *d)
{
	return !d->legal && strstr(d->llvm->text, "src_");
}

static bool is_special_pair(unsigned code)
{
	return code == BW_SRC_FLAT_SCRATCH_LO || code == BW_SRC_XNACK_MASK_LO;
}

/* The second half of FLAT_SCRATCH or XNACK_MASK as a pair, or a run of four that begins there. */
static bool odd_pair(const struct difference *d)
{
	const struct bw_inst *in = d->in;
	if (!d->legal || d->llvm->size_b)
		return false;
	if (in->fmt == BW_FMT_GLOBAL || in->fmt == BW_FMT_SMEM)
		return is_special_pair(in->saddr) || (in->fmt == BW_FMT_SMEM && in->saddr == 100) ||
		       (in->fmt == BW_FMT_SMEM && in->dst >= 88);
	if (in->fmt == BW_FMT_MUBUF || in->fmt == BW_FMT_MTBUF)
		return in->srsrc == 104;
	bool has_sgprs = in->fmt < BW_FMT_SMEM || bw_isa_op_info(in->op)->class == BW_CLASS_CMP;
	return (has_sgprs && is_special_pair(in->dst)) || is_special_pair(in->sdst) ||
	       is_special_pair(in->src[0]) || is_special_pair(in->src[1]) ||
	       is_special_pair(in->src[2]);
}

static bool nothing_to_select(const struct difference *d)
{
	uint32_t src0 = d->w[0] & 0x1ff;
	return d->legal && d->in->op == BW_OP_V_NOP && d->in->fmt == BW_FMT_VOP1 &&
	       (src0 == 0xf9 || src0 == 0xfa);
}

static bool load_to_lds(const struct difference *d)
{
	return gen == BW_ISA_GFX902 && !d->legal && !bw_starts_with(d->llvm->name, "buffer_") &&
	       strstr(d->llvm->text, " lds");
}

static bool tfe_of_typed(const struct difference *d)
{
	return d->legal && d->in->fmt == BW_FMT_MTBUF && d->in->tfe && !d->llvm->size_b;
}

static bool interpolation(const struct difference *d)
{
	return gen == BW_ISA_GFX902 && !d->legal && bw_starts_with(d->llvm->name, "v_interp_");
}

static struct {
	bool (*is)(const struct difference *d);
	const char *why;
	unsigned long n;
} explained[] = {
	{no_register, "125 is M0 on gfx11 and no register on gfx9; LLVM prints null"},
	{odd_pair,
	 "the low bits of a run's number are cleared, also at s102 to s105; LLVM has no such "
	 "run"},
	{nothing_to_select, "v_nop has no operands; LLVM has SDWA and DPP forms of it"},
	{special_in_register_operand,
	 "LLVM prints special scalar sources in operands that are registers only"},
	{tfe_of_typed,
	 "LLVM 19 has no TFE for typed buffers of gfx9 (AMD's ISA manual of Vega: bit 55)"},
	{interpolation, "pixel shaders of gfx902 are not known here"},
	{load_to_lds, "global and scratch loads into LDS, by a bit of gfx902, are not known here"},
};

static unsigned long n_compared, n_legal, n_explained, n_failed, n_padded;
static bool seen[BW_OP_COUNT][BW_FMT_COUNT];

/* An instruction that the encoder makes words of decodes to the same fields. */
static bool comes_back(const struct bw_inst *in)
{
	uint32_t out[3] = {0};
	struct bw_inst again;
	size_t n = bw_isa_encode(gen, in, out);
	if (n * 4 != in->size_b || !bw_isa_decode(gen, out, n, &again) || again.padded)
		return false;
	again.padded = in->padded;
	return !memcmp(&again, in, sizeof(again));
}

/* SDWA with selects that do not exist, which crash LLVM. */
static bool crashes_llvm(const uint32_t *w)
{
	bool is_vopc = w[0] >> 25 == 0x3e, is_vop1 = w[0] >> 25 == 0x3f;
	if (w[0] >> 31 || (w[0] & 0x1ff) != 0xf9)
		return false;
	return (!is_vopc && ((w[1] >> 8 & 7) == 7 || (w[1] >> 11 & 3) == 3)) ||
	       (w[1] >> 16 & 7) == 7 || (!is_vop1 && (w[1] >> 24 & 7) == 7);
}

static void compare(const uint32_t *w)
{
	struct bw_inst in;
	if (crashes_llvm(w)) {
		bw_isa_decode(gen, w, 3, &in);
		assert_false(in.sdwa);
		return;
	}
	bool legal = bw_isa_decode(gen, w, 3, &in);
	struct verdict v = ask(w);
	n_compared++;
	n_legal += legal;
	if (legal && in.padded && !v.size_b) {
		n_padded++;
		return;
	}
	const char *name = legal ? bw_isa_op_name(gen, in.op) : "";
	bool same = legal == (v.size_b != 0) &&
		    (!legal || (in.size_b == v.size_b && !strcmp(name, v.name) &&
				is_to_lds(in.op) == is_to_lds_in(&v)));
	if (same && (!legal || comes_back(&in))) {
		if (legal)
			seen[in.op][in.fmt] = true;
		return;
	}
	struct difference d = {w, &in, legal, &v};
	for (unsigned i = 0; !same && i < BW_ARRAY_SIZE(explained); i++) {
		if (explained[i].is(&d)) {
			n_explained++;
			explained[i].n++;
			return;
		}
	}
	if (n_failed++ < 60)
		print_error("%08x %08x %08x: ours %s %u (%s %u)%s, LLVM %u %s %s\n", w[0], w[1],
			    w[2], legal ? name : "illegal", in.size_b, bw_isa_fmt_name(in.fmt),
			    in.opcode, same ? ", does not come back" : "", v.size_b, v.name,
			    v.text);
}

/* Where the fields of the formats are. */
/* clang-format off */
static const struct format {
	uint32_t head;
	uint8_t op_lo, n_dw;
	uint16_t n_ops;
	struct {
		uint8_t lo, bits;
	} f[12];
	uint32_t second; /* dword, to start from */
} formats[] = {
	{0xbe800000, 8, 1, 256, {{0, 8}, {16, 7}}},          /* SOP1 */
	{0xbf000000, 16, 1, 128, {{0, 8}, {8, 8}}},          /* SOPC */
	{0xbf800000, 16, 1, 128, {{0, 16}}},                 /* SOPP */
	{0xb0000000, 23, 1, 29, {{0, 16}, {16, 7}}},         /* SOPK */
	{0x80000000, 23, 1, 96, {{0, 8}, {8, 8}, {16, 7}}},  /* SOP2 */
	{0xd8000000, 17, 2, 256, {{0, 8}, {8, 8}, {16, 1}, {25, 1}, {32, 8}, {40, 8}, {48, 8}, {56, 8}}}, /* DS */
	{0xdc000000, 18, 2, 128, {{0, 13}, {13, 1}, {16, 2}, {25, 1}, {32, 8}, {40, 8}, {48, 7}, {55, 1}, {56, 8}}}, /* FLAT */
	{0xdc004000, 18, 2, 128, {{0, 13}, {13, 1}, {16, 2}, {25, 1}, {32, 8}, {40, 8}, {48, 7}, {55, 1}, {56, 8}}}, /* SCRATCH */
	{0xdc008000, 18, 2, 128, {{0, 13}, {13, 1}, {16, 2}, {25, 1}, {32, 8}, {40, 8}, {48, 7}, {55, 1}, {56, 8}}}, /* GLOBAL */
	{0xe0000000, 18, 2, 128, {{0, 12}, {12, 4}, {16, 2}, {25, 1}, {32, 8}, {40, 8}, {48, 5}, {53, 3}, {56, 8}}}, /* MUBUF */
	{0xe8000000, 15, 2, 16, {{0, 12}, {12, 3}, {19, 7}, {32, 8}, {40, 8}, {48, 5}, {53, 3}, {56, 8}}}, /* MTBUF */
	{0xc0000000, 18, 2, 256, {{0, 6}, {6, 7}, {13, 5}, {57, 7}, {32, 21}, {53, 4}}}, /* SMEM */
	{0x7e000000, 9, 1, 256, {{0, 9}, {17, 8}}},          /* VOP1 */
	{0x7e0000f9, 9, 2, 256, {{17, 8}, {32, 8}, {40, 3}, {43, 3}, {46, 2}, {48, 3}, {51, 3}, {54, 2}, {56, 8}}}, /* VOP1 SDWA */
	{0x7e0000fa, 9, 2, 256, {{17, 8}, {32, 8}, {40, 9}, {49, 3}, {52, 4}, {56, 8}}}, /* VOP1 DPP */
	{0x00000000, 25, 1, 62, {{0, 9}, {9, 8}, {17, 8}}},  /* VOP2 */
	{0x000000f9, 25, 2, 62, {{9, 8}, {17, 8}, {32, 8}, {40, 3}, {43, 3}, {46, 2}, {48, 3}, {51, 3}, {54, 2}, {56, 3}, {59, 3}, {62, 2}}}, /* VOP2 SDWA */
	{0x000000fa, 25, 2, 62, {{9, 8}, {17, 8}, {32, 8}, {40, 9}, {49, 3}, {52, 4}, {56, 8}}}, /* VOP2 DPP */
	{0x7c000000, 17, 1, 256, {{0, 9}, {9, 8}}},          /* VOPC */
	{0x7c0000f9, 17, 2, 256, {{9, 8}, {32, 8}, {40, 8}, {48, 3}, {51, 3}, {54, 2}, {56, 3}, {59, 3}, {62, 2}}}, /* VOPC SDWA */
	{0xd0000000, 16, 2, 896, {{0, 8}, {8, 3}, {11, 5}, {32, 9}, {41, 9}, {50, 9}, {59, 2}, {61, 3}}}, /* VOP3 */
	{0xd3800000, 16, 2, 128, {{0, 8}, {8, 3}, {11, 4}, {15, 1}, {32, 9}, {41, 9}, {50, 9}, {59, 2}, {61, 3}}}, /* VOP3P, MAI */
	{0xd3c00000, 16, 2, 64, {{0, 8}, {8, 3}, {11, 4}, {15, 1}, {32, 8}, {41, 8}, {50, 9}, {59, 2}, {61, 3}}, 0x04020100}, /* MAI: VGPRs */
};

/* Edges of everything in the table of operand codes, and numbers inside. */
static const uint16_t codes[] = {
	0,   1,   2,   3,   51,  52,  53,  63,  91,  92,  99,  100, 101, 102, 103, 104, 105, 106, 107, 108, 109,
	111, 112, 115, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 160, 192, 193, 208, 209, 220,
	232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 247, 248, 249, 250, 251, 252, 253, 254, 255, 256,
	257, 300, 383, 384, 400, 500, 504, 505, 506, 507, 508, 509, 510, 511,
};
/* clang-format on */

static void put(uint32_t *w, unsigned lo, unsigned bits, uint32_t value)
{
	uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
	w[lo / 32] = (w[lo / 32] & ~(mask << lo % 32)) | (value & mask) << lo % 32;
}

static uint64_t seed = 0x6766783934322e2eull;

static uint32_t next_random(void)
{
	/* xorshift64* */
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)(seed * 0x2545f4914f6cdd1dull >> 32);
}

/* One field at a time. */
static void sweep_fields(const struct format *f, uint32_t first)
{
	for (unsigned i = 0; i < BW_ARRAY_SIZE(f->f) && f->f[i].bits; i++) {
		unsigned bits = f->f[i].bits, n = bits <= 4 ? 1u << bits : BW_ARRAY_SIZE(codes);
		for (unsigned k = 0; k < n; k++) {
			uint32_t w[3] = {first, f->n_dw > 1 ? f->second : 0x12345678, 0x9abcdef0};
			uint32_t value = bits <= 4 ? k : codes[k];
			if (bits < 9 && value >> bits)
				continue;
			if (bits > 9)
				value = value * 0x9e3779b1u >> (32 - bits);
			put(w, f->f[i].lo, bits, value);
			compare(w);
		}
	}
}

static void random_fields(const struct format *f, uint32_t first, unsigned n)
{
	while (n--) {
		uint32_t w[3] = {first, f->n_dw > 1 ? f->second : next_random(), next_random()};
		for (unsigned i = 0; i < BW_ARRAY_SIZE(f->f) && f->f[i].bits; i++) {
			uint32_t r = next_random();
			put(w, f->f[i].lo, f->f[i].bits,
			    r & 1 ? codes[r / 2 % BW_ARRAY_SIZE(codes)] : r / 2);
		}
		compare(w);
	}
}

static void each_opcode(void **state)
{
	for (unsigned k = 0; k < BW_ARRAY_SIZE(formats); k++) {
		const struct format *f = &formats[k];
		for (unsigned op = 0; op < f->n_ops; op++) {
			uint32_t first = f->head | op << f->op_lo;
			sweep_fields(f, first);
			random_fields(f, first, 60);
		}
	}
	print_message("%lu words compared (%lu are instructions), %lu with bits set that nobody "
		      "looks at, %lu differences explained\n",
		      n_compared, n_legal, n_padded, n_explained);
	assert_int_equal(n_failed, 0);
}

/* What LLVM does not know is marked so in data/isa; nothing else remains unseen. */
static void no_encoding_is_missing(void **state)
{
	unsigned n = 0, n_unseen = 0;
	for (unsigned op = 1; op < BW_OP_COUNT; op++) {
		struct bw_op_encoding e[8];
		size_t n_e = bw_isa_op_encodings(gen, op, e, BW_ARRAY_SIZE(e));
		n += n_e > 0;
		for (size_t i = 0; i < n_e; i++) {
			if (seen[op][e[i].fmt])
				continue;
			print_error("not seen: %s %s\n", bw_isa_fmt_name(e[i].fmt),
				    bw_isa_op_info(op)->name);
			n_unseen++;
		}
	}
	print_message("%u opcodes\n", n);
	assert_int_equal(n_unseen, 0);
}

/* Fields that have another place or number than on gfx11. */
static void fields(void **state)
{
	struct bw_inst in;
	/* clang-format off */
	static const struct {
		const char *text;
		uint32_t w[2];
		enum bw_op op;
		unsigned dst, src0, saddr, soffset, vdata;
		int32_t imm;
		bool acc, glc, slc, dlc;
	} rows[] = {
		{"s_mov_b32 m0, s1", {0xbefc0001}, BW_OP_S_MOV_B32, 125, 1, 0, 0, 0, 0, 0, 0, 0, 0},
		{"s_mov_b32 s4, m0", {0xbe84007c}, BW_OP_S_MOV_B32, 4, 125, 0, 0, 0, 0, 0, 0, 0, 0},
		{"s_mov_b64 s[4:5], flat_scratch", {0xbe840166}, BW_OP_S_MOV_B64, 4, 102, 0, 0, 0, 0, 0, 0, 0, 0},
		{"s_load_dword s5, s[2:3], 0x10", {0xc0020141, 0x10}, BW_OP_S_LOAD_B32, 5, 0, 2, 124, 0, 16, 0, 0, 0, 0},
		{"s_load_dword s5, s[2:3], s7", {0xc0000141, 7}, BW_OP_S_LOAD_B32, 5, 0, 2, 7, 0, 0, 0, 0, 0, 0},
		{"s_load_dword s5, s[2:3], m0", {0xc0004141, 0xf8000000}, BW_OP_S_LOAD_B32, 5, 0, 2, 125, 0, 0, 0, 0, 0, 0},
		{"s_store_dword s5, s[2:3], 0x10 glc", {0xc0430141, 0x10}, BW_OP_S_STORE_DWORD, 5, 0, 2, 124, 0, 16, 0, 1, 0, 0},
		{"global_load_dword a5, v[2:3], off sc0 nt", {0xdc538000, 0x05ff0002}, BW_OP_GLOBAL_LOAD_B32, 5, 0, 124, 0, 0, 0, 1, 1, 1, 0},
		{"global_store_dword v2, v9, s[4:5] sc1", {0xde708000, 0x00040902}, BW_OP_GLOBAL_STORE_B32, 0, 0, 4, 0, 9, 0, 0, 0, 0, 1},
		{"ds_read_b32 a5, v2", {0xda6c0000, 0x05000002}, BW_OP_DS_LOAD_B32, 5, 0, 0, 0, 0, 0, 1, 0, 0, 0},
		{"buffer_load_dword a5, off, s[8:11], m0", {0xe0500000, 0x7c820500}, BW_OP_BUFFER_LOAD_B32, 5, 0, 125, 0, 5, 0, 1, 0, 0, 0},
		{"buffer_load_dword off, s[8:11], 0 lds", {0xe0510000, 0x80020000}, BW_OP_BUFFER_LOAD_LDS_B32, 0, 0, 128, 0, 0, 0, 0, 0, 0, 0},
	};
	/* clang-format on */
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		const uint32_t w[3] = {rows[i].w[0], rows[i].w[1], 0};
		const struct verdict v = ask(w);
		const char *text = v.text;
		if (strcmp(text + strspn(text, "\t"), rows[i].text) != 0)
			fail_msg("LLVM says %s, not %s", text, rows[i].text);
		assert_true(bw_isa_decode(BW_ISA_GFX942, w, 2, &in));
		if (in.op != rows[i].op || in.dst != rows[i].dst || in.src[0] != rows[i].src0 ||
		    in.saddr != rows[i].saddr || in.soffset != rows[i].soffset ||
		    in.vdata != rows[i].vdata || in.imm != rows[i].imm || in.acc != rows[i].acc ||
		    in.glc != rows[i].glc || in.slc != rows[i].slc || in.dlc != rows[i].dlc)
			fail_msg("%s: %s dst %u src %u saddr %u soffset %u vdata %u imm %d",
				 rows[i].text, bw_isa_op_info(in.op)->name, in.dst, in.src[0],
				 in.saddr, in.soffset, in.vdata, in.imm);
	}
}

static bool has_fields(const struct bw_inst *in, const struct bw_inst *want)
{
	return in->op == want->op && in->dst == want->dst && in->sdst == want->sdst &&
	       !memcmp(in->src, want->src, sizeof(in->src)) && in->acc == want->acc &&
	       in->neg == want->neg && in->abs == want->abs && in->omod == want->omod &&
	       in->clamp == want->clamp && in->dpp == want->dpp && in->dpp_ctrl == want->dpp_ctrl &&
	       in->row_mask == want->row_mask && in->bank_mask == want->bank_mask &&
	       in->bound_ctrl == want->bound_ctrl && in->sdwa == want->sdwa &&
	       !memcmp(in->src_sel, want->src_sel, 2) && in->dst_sel == want->dst_sel &&
	       in->sext == want->sext && in->dst_unused == want->dst_unused &&
	       in->cbsz == want->cbsz && in->abid == want->abid && in->blgp == want->blgp &&
	       in->writes == want->writes;
}

enum {
	V = BW_SRC_VGPR0,
	A = BW_SRC_ACC0,
	VCC = BW_SRC_VCC_LO,
	W_VCC = BW_IMPLICIT_VCC,
	W_EXEC = BW_IMPLICIT_EXEC,
	BYTE_1 = BW_SDWA_BYTE_1,
	WORD_0 = BW_SDWA_WORD_0,
	WORD_1 = BW_SDWA_WORD_1,
	DWORD = BW_SDWA_DWORD
};

/* The vector ALU's, by the text that LLVM has for the words. */
static void vector_fields(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text;
		uint32_t w[2];
		struct bw_inst want;
	} rows[] = {
		{"v_mov_b32_e32 v1, m0", {0x7e02027c}, {.op = BW_OP_V_MOV_B32, .dst = 1, .src = {BW_SRC_M0}}},
		{"v_readfirstlane_b32 m0, v2", {0x7ef80502}, {.op = BW_OP_V_READFIRSTLANE_B32, .dst = BW_SRC_M0, .src = {V + 2}}},
		{"v_accvgpr_mov_b32 a1, a2", {0x7e02a502}, {.op = BW_OP_V_ACCVGPR_MOV_B32, .dst = 1, .src = {A + 2}, .acc = true}},
		{"v_accvgpr_read_b32 v1, a5", {0xd3d84001, 0x18000105}, {.op = BW_OP_V_ACCVGPR_READ_B32, .dst = 1, .src = {A + 5}}},
		{"v_accvgpr_write_b32 a5, 1.0", {0xd3d94005, 0x180000f2}, {.op = BW_OP_V_ACCVGPR_WRITE_B32, .dst = 5, .src = {242}, .acc = true}},
		{"v_cmp_lt_u32_e32 vcc, v0, v1", {0x7d920300}, {.op = BW_OP_V_CMP_LT_U32, .dst = VCC, .src = {V, V + 1}, .writes = W_VCC}},
		{"v_cmpx_lt_u32_e32 vcc, v0, v1", {0x7db20300}, {.op = BW_OP_V_CMPX_LT_U32, .dst = VCC, .src = {V, V + 1}, .writes = W_VCC | W_EXEC}},
		{"v_cmpx_lt_u32_e64 s[4:5], v0, v1", {0xd0d90004, 0x00020300}, {.op = BW_OP_V_CMPX_LT_U32, .dst = 4, .src = {V, V + 1}, .writes = W_EXEC}},
		{"v_cmpx_lt_u32_sdwa s[4:5], v0, v1 src0_sel:WORD_1 src1_sel:BYTE_1", {0x7db202f9, 0x01058400},
		 {.op = BW_OP_V_CMPX_LT_U32, .dst = 4, .src = {V, V + 1}, .sdwa = true, .src_sel = {WORD_1, BYTE_1}, .writes = W_EXEC}},
		{"v_add_u32_sdwa v1, sext(v2), s3 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:DWORD", {0x680206f9, 0x860d1102},
		 {.op = BW_OP_V_ADD_NC_U32, .dst = 1, .src = {V + 2, 3}, .sdwa = true, .src_sel = {WORD_1, DWORD}, .sext = 1, .dst_sel = BYTE_1, .dst_unused = BW_SDWA_PRESERVE}},
		{"v_mul_f32_sdwa v1, -v2, |m0| clamp mul:4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0", {0x0a02f8f9, 0xa416a602},
		 {.op = BW_OP_V_MUL_F32, .dst = 1, .src = {V + 2, BW_SRC_M0}, .sdwa = true, .src_sel = {DWORD, WORD_0}, .dst_sel = DWORD, .neg = 1, .abs = 2, .omod = 2, .clamp = true}},
		{"v_add_f32_dpp v1, -v2, |v3| wave_shr:1 row_mask:0xf bank_mask:0x3 bound_ctrl:1", {0x020206fa, 0xf3993802},
		 {.op = BW_OP_V_ADD_F32, .dst = 1, .src = {V + 2, V + 3}, .dpp = BW_DPP_16, .dpp_ctrl = 0x138, .row_mask = 15, .bank_mask = 3, .bound_ctrl = true, .neg = 1, .abs = 2}},
		{"v_mov_b64_dpp v[2:3], v[4:5] row_newbcast:7 row_mask:0xf bank_mask:0xf", {0x7e0470fa, 0xff015704},
		 {.op = BW_OP_V_MOV_B64, .dst = 2, .src = {V + 4}, .dpp = BW_DPP_16, .dpp_ctrl = 0x157, .row_mask = 15, .bank_mask = 15}},
		{"v_add_co_u32_e32 v1, vcc, v2, v3", {0x32020702}, {.op = BW_OP_V_ADD_CO_U32, .dst = 1, .sdst = VCC, .src = {V + 2, V + 3}, .writes = W_VCC}},
		{"v_mfma_f32_32x32x1_2b_f32 a[0:31], v1, a2, a[0:31] cbsz:1 abid:2 blgp:3", {0xd3c09100, 0x74020501},
		 {.op = BW_OP_V_MFMA_F32_32X32X1_2B_F32, .acc = true, .src = {V + 1, A + 2, A}, .cbsz = 1, .abid = 2, .blgp = 3}},
		{"v_mfma_f32_32x32x1_2b_f32 v[0:31], a1, v2, 1.0", {0xd3c00000, 0x0bca0501}, {.op = BW_OP_V_MFMA_F32_32X32X1_2B_F32, .src = {A + 1, V + 2, 242}}},
		{"v_smfmac_f32_16x16x32_f16 a[10:13], a[2:3], v[4:7], v11 cbsz:3 abid:1", {0xd3e28b0a, 0x0c2e0902},
		 {.op = BW_OP_V_SMFMAC_F32_16X16X32_F16, .dst = 10, .acc = true, .src = {A + 2, V + 4, V + 11}, .cbsz = 3, .abid = 1}},
	};
	/* clang-format on */
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		const uint32_t w[3] = {rows[i].w[0], rows[i].w[1], 0};
		const struct verdict v = ask(w);
		struct bw_inst in;
		if (strcmp(v.text + strspn(v.text, "\t"), rows[i].text) != 0)
			fail_msg("LLVM says %s, not %s", v.text, rows[i].text);
		assert_true(bw_isa_decode(BW_ISA_GFX942, w, 2, &in));
		if (!has_fields(&in, &rows[i].want))
			fail_msg("%s: %s dst %u src %u %u %u acc %u writes %#x", rows[i].text,
				 bw_isa_op_info(in.op)->name, in.dst, in.src[0], in.src[1],
				 in.src[2], in.acc, in.writes);
	}
}

/* Where control goes, and the words of a debugger. */
static void flow(void **state)
{
	static const struct {
		uint32_t w;
		enum bw_op op;
		enum bw_flow flow;
		uint64_t target;
	} rows[] = {
		{0xbf820002, BW_OP_S_BRANCH, BW_FLOW_BRANCH, 0x100c},
		{0xbf85ffff, BW_OP_S_CBRANCH_SCC1, BW_FLOW_COND_BRANCH, 0x1000},
		{0xba840010, BW_OP_S_CALL_B64, BW_FLOW_CALL, 0x1044},
		{0xbf920007, BW_OP_S_TRAP, BW_FLOW_TRAP, 0x1004},
		{0xbf810000, BW_OP_S_ENDPGM, BW_FLOW_END, 0x1004},
		{0xbe801f6c, BW_OP_S_RFE_B64, BW_FLOW_INDIRECT, 0x1004},
		{0xbe842e04, BW_OP_S_CBRANCH_JOIN, BW_FLOW_STACK, 0x1004},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		struct bw_inst in;
		uint64_t target;
		assert_true(bw_isa_decode(BW_ISA_GFX942, &rows[i].w, 1, &in));
		assert_int_equal(in.op, rows[i].op);
		assert_int_equal(bw_isa_flow(&in, 0x1000, &target), rows[i].flow);
		assert_int_equal(target, rows[i].target);
	}
}

static void every_explanation_is_needed(void **state)
{
	for (unsigned i = 0; i < BW_ARRAY_SIZE(explained); i++) {
		print_message("%8lu  %s\n", explained[i].n, explained[i].why);
		assert_true(explained[i].n > 0);
	}
}

static LLVMDisasmContextRef disassembler(const char *cpu)
{
	return calls->create("amdgcn-amd-amdhsa", cpu, "", NULL, 0, NULL, NULL);
}

/* Most of its rows are those of gfx942: data/isa, "column". */
static void each_opcode_of_gfx902(void **state)
{
	calls->dispose(llvm);
	llvm = disassembler("gfx902");
	assert_non_null(llvm);
	gen = BW_ISA_GFX902;
	memset(seen, 0, sizeof(seen));
	each_opcode(state);
	no_encoding_is_missing(state);
}

static int setup(void **state)
{
	assert_null(bw_llvm_load(&calls));
	llvm = disassembler("gfx942");
	return llvm ? 0 : -1;
}

static int teardown(void **state)
{
	calls->dispose(llvm);
	return 0;
}

TESTS_AROUND(setup, teardown, each_opcode, no_encoding_is_missing, fields, vector_fields, flow,
	     each_opcode_of_gfx902, every_explanation_is_needed);
