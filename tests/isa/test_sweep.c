/* SPDX-License-Identifier: MIT */
/* Compares bw_isa_decode with LLVM's disassembler: is it an instruction, how long is it, what is
 * its name. Words come from every row of decode.vec by changing one field at a time, from every bit
 * flipped, from DPP and VOPD forms, and from a random generator. LLVM decodes in three settings
 * (wave32, wave64, real 16-bit registers): an instruction is legal when one of them takes it.
 * Where the decoder differs on purpose, a row of `explained` says why. */
#include "isa/inst.h"

#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "isa/llvm.h"
#include "isa/ops.h"
#include "vec.h"

static const struct bw_llvm *calls;
static LLVMDisasmContextRef oracle[3];
static const char *const settings[3] = {"+wavefrontsize32", "+wavefrontsize64,-wavefrontsize32",
					"+real-true16"};

struct verdict {
	unsigned size_b;  /* 0: not an instruction */
	bool bad_operand; /* it decodes, and LLVM prints "invalid register" or the like */
	char name[160];	  /* mnemonics, without _e32 and the like */
	char text[300];
};

static void cut_suffixes(char *name)
{
	static const char *const suffixes[] = {"_e32", "_e64", "_dpp"};
	for (unsigned i = 0; i < BW_ARRAY_SIZE(suffixes); i++) {
		size_t len = strlen(name);
		if (len > 4 && strcmp(name + len - 4, suffixes[i]) == 0) {
			name[len - 4] = '\0';
			i = -1u;
		}
	}
}

static void mnemonic(const char *text, char *out, size_t out_b)
{
	text += strspn(text, " \t");
	snprintf(out, out_b, "%.*s", (int)strcspn(text, " \t\n"), text);
	cut_suffixes(out);
}

static struct verdict ask_one(LLVMDisasmContextRef llvm, const uint32_t *w)
{
	struct verdict v = {0};
	v.size_b = (unsigned)calls->instruction(llvm, (uint8_t *)(uintptr_t)w, 12, 0, v.text,
						sizeof(v.text));
	if (!v.size_b)
		return v;
	v.bad_operand = strstr(v.text, "/*Invalid") || strstr(v.text, "dpp_ctrl value */") ||
			strstr(v.text, "is not supported starting from");
	char first[70], second[70];
	mnemonic(v.text, first, sizeof(first));
	const char *y = strstr(v.text, " :: ");
	if (y)
		mnemonic(y + 4, second, sizeof(second));
	snprintf(v.name, sizeof(v.name), "%s%s%s", first, y ? " :: " : "", y ? second : "");
	return v;
}

/* LLVM 19 decodes ray instructions whose NSA runs of three go past v255 and crashes printing them.
 */
static bool crashes_llvm(const uint32_t *w)
{
	unsigned op = w[0] >> 18;
	if (!(op == (0xf0000000 >> 18 | 25) || op == (0xf0000000 >> 18 | 26)) || !(w[0] & 1))
		return false;
	return (w[2] >> 8 & 0xff) > 253 || (w[2] >> 16 & 0xff) > 253 ||
	       (!(w[0] & 1 << 16) && w[2] >> 24 > 253);
}

static struct verdict ask(const uint32_t *w)
{
	struct verdict best = {0};
	if (crashes_llvm(w))
		return best;
	for (unsigned i = 0; i < 3; i++) {
		struct verdict v = ask_one(oracle[i], w);
		if (v.size_b && !v.bad_operand)
			return v;
		if (v.size_b && !best.size_b)
			best = v;
	}
	return best;
}

/* The differences that are meant. */
struct difference {
	const uint32_t *w;
	const struct bw_inst *in; /* ours */
	bool legal;		  /* ours */
	const struct verdict *llvm;
};

#include "explained.h"

static unsigned long n_compared, n_legal, n_explained, n_failed, n_padded;

/* Bits that are not looked at: without them our fields are the same, and LLVM has no objection. */
static void check_padding(const uint32_t *w, const struct bw_inst *in)
{
	uint32_t clean[3] = {w[0], w[1], w[2]};
	struct bw_inst same = *in, got;
	same.padded = false;
	n_padded++;
	for (unsigned bit = 0; bit < 8u * in->size_b; bit++) {
		clean[bit / 32] &= ~(1u << bit % 32);
		if (bw_isa_decode(BW_ISA_GFX11, clean, 3, &got) && got.size_b == in->size_b) {
			got.padded = false;
			if (memcmp(&got, &same, sizeof(got)) == 0)
				continue;
		}
		clean[bit / 32] |= w[bit / 32] & 1u << bit % 32;
	}
	bool still = !bw_isa_decode(BW_ISA_GFX11, clean, 3, &got) || got.padded;
	if (still && n_failed++ < 60)
		print_error("%08x %08x %08x: padded, and remains so as %08x %08x %08x\n", w[0],
			    w[1], w[2], clean[0], clean[1], clean[2]);
}

static void compare(const uint32_t *w)
{
	struct bw_inst in;
	bool legal = bw_isa_decode(BW_ISA_GFX11, w, 3, &in);
	struct verdict llvm = ask(w);
	n_compared++;
	n_legal += legal;
	if (legal && in.padded) {
		if (!llvm.size_b || llvm.bad_operand) {
			check_padding(w, &in);
			return;
		}
	}
	if (!legal && (in.op != BW_OP_ILLEGAL || in.size_b != 4)) {
		print_error("%08x %08x %08x: illegal, but op %d size %u\n", w[0], w[1], w[2], in.op,
			    in.size_b);
		n_failed++;
		return;
	}
	bool llvm_legal = llvm.size_b && !llvm.bad_operand;
	char name[160] = "";
	if (legal) {
		const char *y = in.op_y ? bw_isa_op_info(in.op_y)->name : "";
		snprintf(name, sizeof(name), "%s%s%s", bw_isa_op_info(in.op)->name,
			 in.op_y ? " :: " : "", y);
	}
	if (legal == llvm_legal &&
	    (!legal || (in.size_b == llvm.size_b && strcmp(name, llvm.name) == 0)))
		return;
	struct difference d = {w, &in, legal, &llvm};
	for (unsigned i = 0; i < BW_ARRAY_SIZE(explained); i++) {
		if (explained[i].is(&d)) {
			n_explained++;
			explained[i].n++;
			return;
		}
	}
	if (n_failed++ < 60)
		print_error("%08x %08x %08x: ours %s %u (%s %u), LLVM %u %s\n", w[0], w[1], w[2],
			    legal ? name : "illegal", in.size_b, bw_isa_fmt_name(in.fmt), in.opcode,
			    llvm.size_b, llvm.text);
}

/* Fields of the formats, from the ISA manual; register and operand fields get all the codes that
 * mean something, others all their values. */
struct field {
	const char *head; /* leading bits of the first dword */
	struct {
		uint8_t lo, bits;
	} f[12];
};

/* clang-format off */
static const struct field fields[] = {
	{"101111101", {{0, 8}, {16, 7}, {8, 8}}},
	{"101111110", {{0, 8}, {8, 8}, {16, 7}}},
	{"101111111", {{0, 16}, {16, 7}}},
	{"1011", {{0, 16}, {16, 7}, {23, 5}}},
	{"10", {{0, 8}, {8, 8}, {16, 7}, {23, 7}}},
	{"111101", {{0, 6}, {6, 7}, {57, 7}, {32, 21}, {18, 8}}},
	{"0111111", {{0, 9}, {17, 8}, {9, 8}}},
	{"0111110", {{0, 9}, {9, 8}, {17, 8}}},
	{"0", {{0, 9}, {9, 8}, {17, 8}, {25, 6}}},
	{"110010", {{0, 9}, {9, 8}, {32, 9}, {41, 8}, {49, 7}, {56, 8}, {17, 5}, {22, 4}}},
	{"11001100", {{0, 8}, {8, 3}, {11, 5}, {32, 9}, {41, 9}, {50, 9}, {59, 5}, {16, 7}}},
	{"11001101", {{0, 8}, {8, 3}, {11, 5}, {32, 9}, {41, 9}, {50, 9}, {59, 5}, {16, 7}}},
	{"11001110", {{0, 8}, {8, 8}, {16, 4}, {20, 2}}},
	{"110101", {{0, 8}, {8, 3}, {11, 5}, {32, 9}, {41, 9}, {50, 9}, {59, 2}, {61, 3}, {8, 7}}},
	{"110110", {{0, 8}, {8, 8}, {17, 1}, {32, 8}, {40, 8}, {48, 8}, {56, 8}, {18, 8}}},
	{"110111", {{0, 13}, {13, 3}, {16, 2}, {32, 8}, {40, 8}, {48, 7}, {48, 8}, {56, 8}, {18, 7}}},
	{"111000", {{0, 12}, {12, 3}, {32, 8}, {40, 8}, {48, 5}, {53, 3}, {56, 8}, {18, 8}}},
	{"111010", {{0, 12}, {12, 3}, {19, 7}, {32, 8}, {40, 8}, {48, 5}, {53, 3}, {56, 8}, {15, 4}}},
	{"111100", {{0, 1}, {2, 3}, {8, 4}, {12, 6}, {32, 8}, {40, 8}, {48, 5}, {53, 2}, {58, 5}, {7, 1}, {18, 8}}},
	{"111110", {{0, 4}, {4, 6}, {10, 4}, {32, 8}, {40, 8}}},
};
/* clang-format on */

/* Edges of everything in the table of operand codes, and numbers inside. */
/* clang-format off */
static const uint16_t codes[] = {
	0,   1,   2,   3,   51,  52,  53,  63,  91,  92,  99,  100, 102, 103, 104, 105, 106, 107, 108, 109,
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

static const struct field *fields_of(uint32_t w)
{
	const struct field *best = NULL;
	for (unsigned i = 0; i < BW_ARRAY_SIZE(fields); i++) {
		const char *head = fields[i].head;
		unsigned bits = (unsigned)strlen(head);
		if (w >> (32 - bits) == strtoul(head, NULL, 2) &&
		    (!best || bits > strlen(best->head)))
			best = &fields[i];
	}
	return best;
}

static void sweep_fields(const struct vec *v)
{
	const struct field *format = fields_of(v->w[0]);
	assert_non_null(format);
	for (unsigned i = 0; i < BW_ARRAY_SIZE(format->f) && format->f[i].bits; i++) {
		unsigned lo = format->f[i].lo, bits = format->f[i].bits;
		unsigned n = bits <= 4 ? 1u << bits : BW_ARRAY_SIZE(codes);
		for (unsigned k = 0; k < n; k++) {
			/* The last dword serves as literal, DPP or NSA dword. */
			uint32_t w[3] = {v->w[0], v->n_dw > 1 ? v->w[1] : 0xff000102, 0xff000102};
			uint32_t value = bits <= 4 ? k : codes[k];
			if (bits < 9 && value >> bits)
				continue;
			if (bits > 9)
				value = value * 0x9e3779b1u >> (32 - bits);
			put(w, lo, bits, value);
			compare(w);
		}
	}
	for (unsigned bit = 0; bit < 32 * v->n_dw; bit++) {
		uint32_t w[3] = {v->w[0], v->n_dw > 1 ? v->w[1] : 0,
				 v->n_dw > 2 ? v->w[2] : 0xff000102};
		w[bit / 32] ^= 1u << bit % 32;
		compare(w);
	}
}

static void finish(const char *what)
{
	print_message(
		"%s: %lu words compared (%lu are instructions, %lu of them with bits set that nobody "
		"looks at), %lu differences explained\n",
		what, n_compared, n_legal, n_padded, n_explained);
	unsigned long failed = n_failed;
	n_compared = n_legal = n_explained = n_failed = n_padded = 0;
	assert_int_equal(failed, 0);
}

static FILE *open_vectors(void)
{
	FILE *f = vec_open("tests/golden/isa/decode.vec");
	assert_non_null(f);
	return f;
}

static void each_field_of_each_row(void **state)
{
	FILE *f = open_vectors();
	struct vec v;
	int got;
	while ((got = vec_next(f, &v)) == 1)
		sweep_fields(&v);
	fclose(f);
	assert_int_equal(got, 0);
	finish("fields");
}

static void dpp_of_each_row(void **state)
{
	static const uint32_t dwords[] = {
		0xff00e401, 0xe4010101, 0x00080f02, 0xff0101ff, 0xff05007f, 0xff0d0080, 0xfff00100,
		0xff010f03, 0xff011003, 0xff011103, 0xff012003, 0xff012103, 0xff013003, 0xff014003,
		0xff014103, 0xff014203, 0xff015003, 0xff016f03, 0xff017003, 0xff01ff03, 0xff020003,
		0x00000000, 0xfac68801, 0xff100003, 0xff200003, 0xff400003, 0xff800003,
	};
	static const uint16_t markers[] = {233, 234, 250};
	FILE *f = open_vectors();
	struct vec v;
	while (vec_next(f, &v) == 1) {
		bool compact = v.w[0] >> 31 == 0,
		     wide = v.w[0] >> 26 == 0x35 || v.w[0] >> 25 == 0x66;
		if (!compact && !wide)
			continue;
		for (unsigned m = 0; m < BW_ARRAY_SIZE(markers); m++) {
			for (unsigned k = 0; k < BW_ARRAY_SIZE(dwords); k++) {
				uint32_t w[3] = {v.w[0], wide ? v.w[1] : dwords[k], dwords[k]};
				put(w, wide ? 32 : 0, 9, markers[m]);
				compare(w);
				/* SRC1 an SGPR, a constant, a literal */
				for (unsigned s = 0; wide && k < 2 && s < BW_ARRAY_SIZE(codes);
				     s++) {
					put(w, 41, 9, codes[s]);
					compare(w);
				}
			}
		}
	}
	fclose(f);
	for (unsigned ctrl = 0; ctrl < 512; ctrl++) {
		uint32_t w[3] = {0x060602fa, 0xff000001 | ctrl << 8, 0};
		compare(w);
	}
	finish("DPP");
}

static void vopd_pairs(void **state)
{
	static const uint16_t src[] = {0,   105, 106, 124, 125, 126, 128, 208, 209,
				       232, 235, 239, 240, 249, 254, 255, 256, 511};
	for (unsigned x = 0; x < 16; x++) {
		for (unsigned y = 0; y < 32; y++) {
			for (unsigned s = 0; s < BW_ARRAY_SIZE(src) * 2; s++) {
				unsigned a = src[s / 2],
					 b = s & 1 ? 255 : src[(s * 7) % BW_ARRAY_SIZE(src)];
				uint32_t w[3] = {0xc8000000 | x << 22 | y << 17 | a, 0x06060000 | b,
						 0x40490fdb};
				put(w, 9, 8, x == 8 ? s >> 5 : 2);
				put(w, 41, 8, y == 8 ? s >> 5 : 5);
				compare(w);
			}
		}
	}
	finish("VOPD");
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

static void random_words(void **state)
{
	seed = 0x6272656b77617472ull;
	print_message("seed %#llx\n", (unsigned long long)seed);
	for (unsigned i = 0; i < 100000; i++) {
		uint32_t w[3] = {next_random(), next_random(), next_random()};
		compare(w);
	}
	finish("random");
}

/* Random operands of instructions that exist, so that most words get past the opcode. */
static void random_operands(void **state)
{
	seed = 0x676678313130302aull;
	print_message("seed %#llx\n", (unsigned long long)seed);
	FILE *f = open_vectors();
	struct vec v;
	while (vec_next(f, &v) == 1) {
		const struct field *format = fields_of(v.w[0]);
		for (unsigned n = 0; n < 100; n++) {
			uint32_t w[3] = {v.w[0], v.n_dw > 1 ? v.w[1] : next_random(),
					 next_random()};
			for (unsigned i = 0; i < BW_ARRAY_SIZE(format->f) && format->f[i].bits;
			     i++) {
				uint32_t r = next_random();
				if (r & 1)
					put(w, format->f[i].lo, format->f[i].bits,
					    r & 2 ? codes[r / 4 % BW_ARRAY_SIZE(codes)] : r / 4);
			}
			compare(w);
		}
	}
	fclose(f);
	finish("random operands");
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
	for (unsigned i = 0; i < 3; i++) {
		oracle[i] = calls->create("amdgcn-amd-amdhsa", "gfx1100", settings[i], NULL, 0,
					  NULL, NULL);
		if (!oracle[i])
			return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	for (unsigned i = 0; i < 3; i++)
		calls->dispose(oracle[i]);
	return 0;
}

TESTS_AROUND(setup, teardown, each_field_of_each_row, dpp_of_each_row, vopd_pairs, random_words,
	     random_operands, every_explanation_is_needed);
