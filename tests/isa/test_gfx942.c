/* SPDX-License-Identifier: MIT */
/* The instructions of gfx942 against LLVM's disassembler: which words are instructions, how long
 * they are, what they are called; and the encoder makes of each what decodes to the same. Words:
 * each opcode number of each format with operands and fields at their edges, and random ones.
 * Where the decoder differs on purpose, a row of `explained` says why. */
#include "isa/inst.h"

#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "gfx9_names.h"
#include "isa/llvm.h"
#include "isa/ops.h"

static const struct bw_llvm *calls;
static LLVMDisasmContextRef llvm;

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
	if (strstr(v.text, "/*Invalid"))
		v.size_b = 0;
	const char *at = v.text + strspn(v.text, " \t");
	snprintf(v.name, sizeof(v.name), "%.*s", (int)strcspn(at, " \t\n"), at);
	cut_suffixes(v.name);
	gfx9_rename(v.name, sizeof(v.name));
	return v;
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

/* The second half of FLAT_SCRATCH or XNACK_MASK as a pair. */
static bool odd_pair(const struct difference *d)
{
	return d->legal && !d->llvm->size_b && (d->in->fmt <= BW_FMT_SMEM);
}

static struct {
	bool (*is)(const struct difference *d);
	const char *why;
	unsigned long n;
} explained[] = {
	{no_register, "125 is M0 on gfx11 and no register on gfx9; LLVM prints null"},
	{odd_pair,
	 "the low bit of a pair's number is cleared, also at s103 and s105; LLVM has no such "
	 "pair"},
	{special_in_register_operand,
	 "LLVM prints special scalar sources in operands that are registers only"},
};

static unsigned long n_compared, n_legal, n_explained, n_failed, n_padded;
static bool seen[BW_OP_COUNT][BW_FMT_COUNT];

/* An instruction that the encoder makes words of decodes to the same fields. */
static bool comes_back(const struct bw_inst *in)
{
	uint32_t out[3] = {0};
	struct bw_inst again;
	size_t n = bw_isa_encode(BW_ISA_GFX942, in, out);
	if (n * 4 != in->size_b || !bw_isa_decode(BW_ISA_GFX942, out, n, &again) || again.padded)
		return false;
	again.padded = in->padded;
	return !memcmp(&again, in, sizeof(again));
}

static void compare(const uint32_t *w)
{
	struct bw_inst in;
	bool legal = bw_isa_decode(BW_ISA_GFX942, w, 3, &in);
	struct verdict v = ask(w);
	n_compared++;
	n_legal += legal;
	if (legal && in.padded && !v.size_b) {
		n_padded++;
		return;
	}
	const char *name = legal ? bw_isa_op_info(in.op)->name : "";
	bool same = legal == (v.size_b != 0) &&
		    (!legal || (in.size_b == v.size_b && !strcmp(name, v.name)));
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
} formats[] = {
	{0xbe800000, 8, 1, 256, {{0, 8}, {16, 7}}},          /* SOP1 */
	{0xbf000000, 16, 1, 128, {{0, 8}, {8, 8}}},          /* SOPC */
	{0xbf800000, 16, 1, 128, {{0, 16}}},                 /* SOPP */
	{0xb0000000, 23, 1, 29, {{0, 16}, {16, 7}}},         /* SOPK */
	{0x80000000, 23, 1, 96, {{0, 8}, {8, 8}, {16, 7}}},  /* SOP2 */
	{0xc0000000, 18, 2, 256, {{0, 6}, {6, 7}, {13, 5}, {57, 7}, {32, 21}, {53, 4}}}, /* SMEM */
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
			uint32_t w[3] = {first, f->n_dw > 1 ? 0 : 0x12345678, 0x9abcdef0};
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
		uint32_t w[3] = {first, f->n_dw > 1 ? 0 : next_random(), next_random()};
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
		size_t n_e = bw_isa_op_encodings(BW_ISA_GFX942, op, e, BW_ARRAY_SIZE(e));
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

static void every_explanation_is_needed(void **state)
{
	for (unsigned i = 0; i < BW_ARRAY_SIZE(explained); i++) {
		print_message("%8lu  %s\n", explained[i].n, explained[i].why);
		assert_true(explained[i].n > 0);
	}
}

static int setup(void **state)
{
	assert_null(bw_llvm_load(&calls));
	llvm = calls->create("amdgcn-amd-amdhsa", "gfx942", "", NULL, 0, NULL, NULL);
	return llvm ? 0 : -1;
}

static int teardown(void **state)
{
	calls->dispose(llvm);
	return 0;
}

TESTS_AROUND(setup, teardown, each_opcode, no_encoding_is_missing, every_explanation_is_needed);
