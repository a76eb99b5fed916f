/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "isa/inst.h"
#include "isa/ops.h"
#include "isa/text.h"
#include "record/decompile.h"
#include "swap/code.h"

/* ---- Where code ends ---- */

static bool gen_of(const char *gpu, enum bw_isa_gen *out)
{
	if (!bw_starts_with(gpu, "gfx110"))
		return false;
	*out = BW_ISA_GFX11;
	return true;
}

/* Whether control can go to a target that the words of the instruction name. */
static bool has_target(enum bw_flow flow)
{
	return flow == BW_FLOW_BRANCH || flow == BW_FLOW_COND_BRANCH || flow == BW_FLOW_CALL;
}

uint32_t bw_decompile_code_b(const char *gpu, uint64_t va, const uint32_t *dw, size_t n,
			     bool *out_more, bool *out_reads_pc)
{
	enum { LONGEST_DW = 3 };
	uint64_t last_target = va;
	enum bw_isa_gen gen;
	size_t at = 0;
	*out_more = *out_reads_pc = false;
	if (!gen_of(gpu, &gen))
		return 0;
	while (at < n) {
		struct bw_inst inst;
		uint64_t pc = va + at * 4, target;
		if (!bw_isa_decode(gen, dw + at, n - at, &inst)) {
			*out_more = n - at < LONGEST_DW;
			break;
		}
		enum bw_flow flow = bw_isa_flow(&inst, pc, &target);
		if (inst.op == BW_OP_S_CODE_END)
			break;
		*out_reads_pc |= flow == BW_FLOW_GETPC;
		if (has_target(flow) && target < va)
			*out_reads_pc = true;
		else if (has_target(flow))
			last_target = BW_MAX(last_target, target);
		at += inst.size_b / 4;
		if (flow == BW_FLOW_END && va + at * 4 > last_target)
			return (uint32_t)at * 4;
	}
	*out_more |= at == n;
	/* a target after the end is code that is not here */
	*out_reads_pc |= last_target > va + at * 4;
	return (uint32_t)at * 4;
}

/* ---- Lines ---- */

/* FNV-1a of the text, as bw_check() of the header has it. */
static uint32_t check_of(const char *text)
{
	uint32_t h = 2166136261u;
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h;
}

static void add_line(struct bw_decompile *d, const char *text, const uint32_t *dw, unsigned n)
{
	bw_str_add(&d->code, "\tI(\"");
	for (const char *p = text; *p; p++)
		bw_str_addf(&d->code, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
	bw_str_addf(&d->code, "\", 0x%08x", check_of(text));
	for (unsigned i = 0; i < n; i++)
		bw_str_addf(&d->code, ", 0x%08x", dw[i]);
	bw_str_add(&d->code, "),\n");
}

/* The last word of a branch is its target. */
static void put_label(char *text, size_t room, uint64_t offset_b)
{
	char *blank = strrchr(text, ' ');
	if (blank)
		snprintf(blank, room - (size_t)(blank - text), " L_%04" PRIx64, offset_b);
}

struct places {
	bool *begins, *is_target; /* by dword; one more than the code has */
};

static void find_places(const struct bw_decompile_piece *p, enum bw_isa_gen gen, struct places *out)
{
	struct bw_inst inst;
	uint64_t target;
	size_t n = p->size_b / 4;
	for (size_t at = 0; at < n; at += inst.size_b / 4) {
		out->begins[at] = true;
		if (!bw_isa_decode(gen, p->dw + at, n - at, &inst))
			continue;
		if (has_target(bw_isa_flow(&inst, p->va + at * 4, &target)) && target >= p->va &&
		    target <= p->va + p->size_b && !((target - p->va) % 4))
			out->is_target[(target - p->va) / 4] = true;
	}
	out->begins[n] = true;
}

static void add_label(struct bw_decompile *d, const struct places *places, size_t at)
{
	if (places->is_target[at] && places->begins[at])
		bw_str_addf(&d->code, "\tLABEL(\"L_%04zx\"),\n", at * 4);
}

static void add_lines(struct bw_decompile *d, const struct bw_decompile_piece *p,
		      enum bw_isa_gen gen, const struct places *places, struct bw_isa_text *t)
{
	size_t n = p->size_b / 4, at = 0;
	while (at < n) {
		struct bw_inst inst;
		char text[256];
		uint64_t pc = p->va + at * 4, target;
		bool known = bw_isa_decode(gen, p->dw + at, n - at, &inst);
		add_label(d, places, at);
		bw_isa_text_line(t, p->dw + at, (n - at) * 4, pc, text, sizeof(text));
		char *comment = strstr(text, " //");
		if (comment)
			*comment = '\0';
		if (known && has_target(bw_isa_flow(&inst, pc, &target)) && target >= p->va &&
		    target <= p->va + p->size_b && places->begins[(target - p->va) / 4])
			put_label(text, sizeof(text), target - p->va);
		add_line(d, text, p->dw + at, inst.size_b / 4u);
		at += inst.size_b / 4;
	}
	add_label(d, places, n);
}

struct bw_error *bw_decompile_shader(struct bw_decompile *d, size_t piece)
{
	const struct bw_decompile_piece *p = &d->pieces.data[piece];
	size_t n = p->size_b / 4;
	_cleanup_free_ bool *both = calloc(2 * (n + 1), sizeof(*both));
	struct places places = {both, both + n + 1};
	struct bw_isa_text *t;
	enum bw_isa_gen gen;
	uint64_t target_va;
	char jump[80] = "";
	if (!both)
		return bw_error_nomem();
	if (!gen_of(d->gpu, &gen))
		return bw_errorf(BW_E_UNSUPPORTED, "no disassembler for %s", d->gpu);
	BW_TRY(bw_isa_text_create(d->gpu, &t));
	bw_isa_text_set_lanes(t, p->lanes);
	find_places(p, gen, &places);
	if (n >= BW_SWAP_JUMP_DW && bw_swap_is_jump(p->dw, &target_va))
		snprintf(jump, sizeof(jump),
			 " --shader has replaced it: it jumps to 0x%" PRIx64 ".", target_va);
	bw_str_addf(&d->code,
		    "\n// Code: %u bytes at 0x%" PRIx64 ", wave%u.%s%s\n"
		    "static const struct bw_edit_line %s[] = {\n",
		    p->size_b, p->va, p->lanes,
		    p->reads_pc ? " It finds data by its own address: its length must not change."
				: "",
		    jump, p->name);
	add_lines(d, p, gen, &places, t);
	bw_str_add(&d->code, "};\n");
	bw_isa_text_destroy(t);
	return NULL;
}
