/* SPDX-License-Identifier: MIT */
#include "isa/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "isa/gfx9.h"
#include "isa/llvm.h"

/* The text depends on the wave size (vcc_lo or vcc), and 16-bit halves exist only in the last
 * setting: each is tried until one knows the words. */
enum { WAVE32, WAVE64, HALVES, N_SETTINGS };

static const char *const settings[N_SETTINGS] = {
	[WAVE32] = "+wavefrontsize32,-wavefrontsize64",
	[WAVE64] = "-wavefrontsize32,+wavefrontsize64",
	[HALVES] = "+real-true16",
};

struct bw_isa_text {
	const struct bw_llvm *calls;
	LLVMDisasmContextRef llvm[N_SETTINGS];
	enum bw_isa_gen gen;
	unsigned lanes;
};

struct bw_error *bw_isa_text_create(const char *gpu, struct bw_isa_text **out)
{
	/* One encoding for all of a generation; LLVM would take any name and print a warning. */
	static const struct {
		const char *gpu;
		enum bw_isa_gen gen;
	} known[] = {{"gfx1100", BW_ISA_GFX11}, {"gfx1101", BW_ISA_GFX11},
		     {"gfx1102", BW_ISA_GFX11}, {"gfx1103", BW_ISA_GFX11},
		     {"gfx1200", BW_ISA_GFX12}, {"gfx1201", BW_ISA_GFX12},
		     {"gfx942", BW_ISA_GFX942}, {"gfx902", BW_ISA_GFX902}};
	size_t k = 0;
	while (k < BW_ARRAY_SIZE(known) && strcmp(gpu, known[k].gpu) != 0)
		k++;
	if (k == BW_ARRAY_SIZE(known))
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"no disassembler for %s: gfx902, gfx942, gfx1100 to gfx1103, gfx1200 and gfx1201 are supported",
			gpu);

	const struct bw_llvm *calls;
	BW_TRY(bw_llvm_load(&calls));
	struct bw_isa_text *t = calloc(1, sizeof(*t));
	if (!t)
		return bw_error_nomem();
	t->calls = calls;
	t->gen = known[k].gen;
	t->lanes = 32;
	/* gfx9 has one wave size and no such setting. */
	bool is_gfx9 = bw_isa_is_gfx9(t->gen);
	for (unsigned i = 0; i < (is_gfx9 ? 1 : N_SETTINGS); i++) {
		t->llvm[i] = calls->create("amdgcn-amd-amdhsa", gpu, is_gfx9 ? "" : settings[i],
					   NULL, 0, NULL, NULL);
		if (!t->llvm[i]) {
			bw_isa_text_destroy(t);
			return bw_errorf(BW_E_UNSUPPORTED,
					 "this LLVM has no disassembler for %s (%s)", gpu,
					 settings[i]);
		}
	}
	*out = t;
	return NULL;
}

void bw_isa_text_destroy(struct bw_isa_text *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < N_SETTINGS; i++)
		if (t->llvm[i])
			t->calls->dispose(t->llvm[i]);
	free(t);
}

void bw_isa_text_set_lanes(struct bw_isa_text *t, unsigned lanes)
{
	t->lanes = lanes;
}

/* One blank for any run of blanks, none at the ends. */
static void squeeze(char *text)
{
	char *to = text;
	for (const char *p = text; *p; p++) {
		bool blank = *p == ' ' || *p == '\t' || *p == '\n';
		if (!blank)
			*to++ = *p;
		else if (to != text && to[-1] != ' ')
			*to++ = ' ';
	}
	while (to != text && to[-1] == ' ')
		to--;
	*to = '\0';
}

/* LLVM's text of the instruction, false when no setting knows it. */
static bool ask_llvm(struct bw_isa_text *t, const uint32_t *words, size_t size_b, char *text,
		     size_t text_b)
{
	const unsigned order[N_SETTINGS] = {t->lanes == 64 ? WAVE64 : WAVE32, HALVES,
					    t->lanes == 64 ? WAVE32 : WAVE64};
	for (unsigned i = 0; i < N_SETTINGS; i++) {
		uint32_t copy[3] = {words[0], words[1], words[2]};
		if (!t->llvm[order[i]])
			continue;
		size_t n = t->calls->instruction(t->llvm[order[i]], (uint8_t *)copy, size_b, 0,
						 text, text_b);
		if (n == size_b && !strstr(text, "/*Invalid")) {
			squeeze(text);
			return true;
		}
	}
	return false;
}

static void raw_words(const uint32_t *words, size_t size_b, const char *name, char *out,
		      size_t out_b)
{
	size_t at = 0;
	for (size_t i = 0; i < size_b / 4 && at < out_b; i++)
		at += (size_t)snprintf(out + at, out_b - at, "%s0x%08x", i ? ", " : ".long ",
				       words[i]);
	if (name && at < out_b)
		snprintf(out + at, out_b - at, " // %s", name);
}

size_t bw_isa_text_line(struct bw_isa_text *t, const void *code, size_t size_b, uint64_t pc,
			char *out, size_t out_b)
{
	if (out_b)
		*out = '\0';
	uint32_t words[3] = {0};
	memcpy(words, code, BW_MIN(size_b, sizeof(words)));
	if (size_b < 4) {
		const uint8_t *byte = code;
		size_t at = 0;
		for (size_t i = 0; i < size_b && at < out_b; i++)
			at += (size_t)snprintf(out + at, out_b - at, "%s0x%02x",
					       i ? ", " : ".byte ", byte[i]);
		return size_b;
	}
	/* The decoder goes first: LLVM 19 can crash printing words that are not an instruction (ray
	 * instructions whose address registers run past v255), and the decoder decides what is an
	 * instruction, except for those that LLVM does not know. */
	struct bw_inst inst;
	if (!bw_isa_decode(t->gen, words, BW_MIN(size_b / 4, (size_t)3), &inst)) {
		raw_words(words, 4, NULL, out, out_b);
		return 4;
	}
	char text[400];
	uint32_t plain[3] = {words[0], words[1], words[2]};
	/* LLVM wants zeros where the hardware does not look; compilers differ (ACO of Mesa 26 has
	 * the code of 0 as the third source of v_mul_lo_u32). */
	if (inst.padded)
		bw_isa_drop_unused(t->gen, &inst, plain);
	if (!ask_llvm(t, plain, inst.size_b, text, sizeof(text))) {
		raw_words(words, inst.size_b, bw_isa_op_info(inst.op)->name, out, out_b);
		return inst.size_b;
	}
	uint64_t target;
	enum bw_flow flow = bw_isa_flow(&inst, pc, &target);
	if (flow == BW_FLOW_BRANCH || flow == BW_FLOW_COND_BRANCH || flow == BW_FLOW_CALL) {
		/* The distance is the last operand. */
		char *last = strrchr(text, ' ');
		if (last)
			snprintf(last + 1, sizeof(text) - (size_t)(last + 1 - text), "0x%llx",
				 (unsigned long long)target);
	}
	snprintf(out, out_b, "%s", text);
	return inst.size_b;
}
