/* SPDX-License-Identifier: MIT */
#include "inject/code_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"
#include "base/vec.h"
#include "isa/inst.h"
#include "isa/ops.h"
#include "isa/text.h"

enum {
	CONSTANTS_B = 4096, /* taken along after the last place that code refers to */
	LONGEST_DW = 3,	    /* an instruction */
	ADD_WITHIN = 4,	    /* instructions from s_getpc to the s_add of the distance */
};

/* The facts about a dword of the code. */
enum {
	STARTS = 1 << 0,    /* an instruction that can be reached */
	TARGET = 1 << 1,    /* of a branch */
	BEHIND_PC = 1 << 2, /* where the value of an s_getpc is */
	CONSTANT = 1 << 3,  /* an address is made of it */
	RAW = 1 << 4,	    /* the assembler makes other words of its text */
	LABELS = TARGET | BEHIND_PC | CONSTANT,
};

struct bw_code_text {
	uint32_t *dw;
	size_t n, n_code, n_all; /* dwords: there are; of instructions; with constants */
	uint8_t *marks;
	uint32_t *pc_of; /* of an s_add of a distance: dword whose address it begins at, plus 1 */
	struct BW_VEC(size_t) open;
	struct BW_VEC(size_t) slots; /* dwords of the instructions of bw_code_text_slots */
	bool is_cut;
	struct bw_isa_text *llvm;
};

static bool decode(const struct bw_code_text *c, size_t at, struct bw_inst *out)
{
	return bw_isa_decode(BW_ISA_GFX11, c->dw + at, c->n - at, out);
}

static struct bw_error *reach(struct bw_code_text *c, uint64_t target_b, uint8_t mark)
{
	size_t at = target_b / 4;
	if (target_b % 4 || at >= c->n) {
		c->is_cut = true;
		return NULL;
	}
	bool is_new = !(c->marks[at] & STARTS);
	c->marks[at] |= STARTS | mark;
	return is_new ? bw_vec_push(&c->open, at) : NULL;
}

/* s_getpc_b64 sN; soon s_add_u32 sM, sN, DISTANCE: the address of constants after the code. */
static void find_distance(struct bw_code_text *c, size_t at, const struct bw_inst *getpc)
{
	size_t pc = at + getpc->size_b / 4, next = pc;
	struct bw_inst i;
	for (unsigned n = 0; n < ADD_WITHIN && next < c->n && decode(c, next, &i); n++) {
		bool is_add = i.op == BW_OP_S_ADD_U32 && i.src[0] == getpc->dst && i.has_literal &&
			      i.src[1] == BW_SRC_LITERAL;
		int64_t to = (int64_t)pc * 4 + (int32_t)i.literal;
		if (is_add && to >= 0 && to % 4 == 0 && (size_t)to / 4 < c->n) {
			c->marks[pc] |= BEHIND_PC;
			c->marks[to / 4] |= CONSTANT;
			c->pc_of[next] = (uint32_t)pc + 1;
			return;
		}
		/* an instruction without a scalar destination has 0, or the number of a VGPR */
		bool is_scalar = i.fmt == BW_FMT_SOP1 || i.fmt == BW_FMT_SOP2 ||
				 i.fmt == BW_FMT_SOPK || i.fmt == BW_FMT_SMEM;
		if (is_add || (is_scalar && i.dst == getpc->dst))
			return;
		next += i.size_b / 4;
	}
}

/* Follows the code from one place until control goes elsewhere. */
static struct bw_error *follow(struct bw_code_text *c, size_t at)
{
	for (;;) {
		struct bw_inst i;
		uint64_t target = 0;
		if (at >= c->n || !decode(c, at, &i)) {
			c->is_cut |= at + LONGEST_DW > c->n;
			return NULL;
		}
		c->marks[at] |= STARTS;
		size_t next = at + i.size_b / 4;
		c->n_code = BW_MAX(c->n_code, next);
		enum bw_flow flow = bw_isa_flow(&i, at * 4, &target);
		if (flow == BW_FLOW_GETPC)
			find_distance(c, at, &i);
		if (flow == BW_FLOW_BRANCH || flow == BW_FLOW_COND_BRANCH || flow == BW_FLOW_CALL)
			BW_TRY(reach(c, target, TARGET));
		if (flow == BW_FLOW_BRANCH || flow == BW_FLOW_INDIRECT || flow == BW_FLOW_END)
			return NULL;
		if (next < c->n && c->marks[next] & STARTS)
			return NULL;
		at = next;
	}
}

static struct bw_error *find_extent(struct bw_code_text *c)
{
	struct bw_error *err = reach(c, 0, 0);
	while (!err && c->open.len) {
		size_t at = c->open.data[--c->open.len];
		err = follow(c, at);
	}
	BW_TRY(err);
	if (!c->n_code)
		return bw_errorf(BW_E_INVALID, "no instruction is there");
	if (c->is_cut)
		return bw_errorf(BW_E_INVALID, "it goes on after the first %zu KiB",
				 c->n * 4 >> 10);
	c->n_all = c->n_code;
	for (size_t i = c->n_code; i < c->n; i++)
		if (c->marks[i] & CONSTANT)
			c->n_all = BW_MIN(c->n, i + CONSTANTS_B / 4);
	const uint32_t s_code_end = 0xbf9f0000;
	while (c->n_all > c->n_code && c->dw[c->n_all - 1] == s_code_end)
		c->n_all--;
	return NULL;
}

/* ---- Text ---- */

static void add_words(const struct bw_code_text *c, size_t at, size_t n, const char *why,
		      struct bw_str *out)
{
	bw_str_add(out, "\t.long ");
	for (size_t i = 0; i < n; i++)
		bw_str_addf(out, "%s0x%08x", i ? ", " : "", c->dw[at + i]);
	bw_str_addf(out, "%s%s\n", why ? " // " : "", why ? why : "");
}

/* Text up to its last operand. */
static int before_last(const char *text)
{
	const char *blank = strrchr(text, ' ');
	return blank ? (int)(blank - text) : (int)strlen(text);
}

/* The content of a line of the text, at a dword. */
struct line {
	enum { WORD, BRANCH, DISTANCE, PLAIN } kind;
	size_t n_dw;
	uint64_t target; /* BRANCH */
	int32_t literal; /* DISTANCE */
	char text[400];
};

static struct line line_at(const struct bw_code_text *c, size_t at)
{
	struct line l = {.kind = WORD, .n_dw = 1};
	struct bw_inst i;
	if (!(c->marks[at] & STARTS) || !decode(c, at, &i))
		return l;
	for (size_t k = 1; k < i.size_b / 4; k++)
		if (c->marks[at + k]) /* a way leads into it */
			return l;
	l.n_dw = i.size_b / 4;
	bw_isa_text_line(c->llvm, c->dw + at, i.size_b, at * 4, l.text, sizeof(l.text));
	enum bw_flow flow = bw_isa_flow(&i, at * 4, &l.target);
	bool is_branch =
		flow == BW_FLOW_BRANCH || flow == BW_FLOW_COND_BRANCH || flow == BW_FLOW_CALL;
	l.literal = (int32_t)i.literal;
	if (bw_starts_with(l.text, ".long"))
		l.kind = WORD;
	else
		l.kind = is_branch ? BRANCH : c->pc_of[at] ? DISTANCE : PLAIN;
	return l;
}

static size_t add_line(const struct bw_code_text *c, size_t at, struct bw_str *out)
{
	struct line l = line_at(c, at);
	if (l.kind == WORD) {
		add_words(c, at, l.n_dw, NULL, out);
	} else if (l.kind == BRANCH) {
		bw_str_addf(out, "\t%.*s L%04" PRIx64 "\n", before_last(l.text), l.text, l.target);
	} else if (l.kind == DISTANCE) {
		size_t pc = (size_t)c->pc_of[at] - 1;
		bw_str_addf(out, "\t%.*s C%04zx-P%04zx\n", before_last(l.text), l.text,
			    (size_t)((int64_t)pc * 4 + l.literal), pc * 4);
	} else if (c->marks[at] & RAW) {
		add_words(c, at, l.n_dw, l.text, out);
	} else {
		bw_str_addf(out, "\t%s\n", l.text);
	}
	return l.n_dw;
}

static void add_labels(const struct bw_code_text *c, size_t at, struct bw_str *out)
{
	static const struct {
		uint8_t mark;
		char letter;
	} kinds[] = {{TARGET, 'L'}, {BEHIND_PC, 'P'}, {CONSTANT, 'C'}};
	for (size_t k = 0; k < BW_ARRAY_SIZE(kinds); k++)
		if (c->marks[at] & kinds[k].mark)
			bw_str_addf(out, "%c%04zx:\n", kinds[k].letter, at * 4);
}

struct bw_error *bw_code_text_write(const struct bw_code_text *c, struct bw_str *out)
{
	enum { WORDS_A_LINE = 8 };
	for (size_t at = 0, n; at < c->n_all; at += n) {
		add_labels(c, at, out);
		if (at < c->n_code) {
			n = add_line(c, at, out);
			continue;
		}
		n = 1;
		while (n < WORDS_A_LINE && at + n < c->n_all && !(c->marks[at + n] & LABELS))
			n++;
		add_words(c, at, n, NULL, out);
	}
	return out->failed ? bw_error_nomem() : NULL;
}

size_t bw_code_text_size(const struct bw_code_text *c)
{
	return c->n_all * 4;
}

size_t bw_code_text_instructions(const struct bw_code_text *c)
{
	return c->n_code * 4;
}

/* ---- Whether it assembles to the same words ---- */

struct bw_error *bw_code_text_slots(struct bw_code_text *c, struct bw_str *out)
{
	c->slots.len = 0;
	for (size_t at = 0; at < c->n_code;) {
		struct line l = line_at(c, at);
		if (l.kind == PLAIN && !(c->marks[at] & RAW)) {
			bw_str_addf(out, "\t.balign %d, 0\n\t%s\n", BW_CODE_TEXT_SLOT_B, l.text);
			BW_TRY(bw_vec_push(&c->slots, at));
		}
		at += l.n_dw;
	}
	return out->failed ? bw_error_nomem() : NULL;
}

void bw_code_text_refuse(struct bw_code_text *c, size_t slot)
{
	if (slot < c->slots.len)
		c->marks[c->slots.data[slot]] |= RAW;
}

void bw_code_text_compare(struct bw_code_text *c, const void *bytes, size_t size_b)
{
	for (size_t i = 0; i < c->slots.len; i++) {
		size_t at = c->slots.data[i], offset_b = i * BW_CODE_TEXT_SLOT_B;
		struct bw_inst inst;
		bool is_same = decode(c, at, &inst) && offset_b + inst.size_b <= size_b &&
			       !memcmp((const uint8_t *)bytes + offset_b, c->dw + at, inst.size_b);
		if (!is_same)
			bw_code_text_refuse(c, i);
	}
}

/* ---- From start to end ---- */

struct bw_error *bw_code_text_create(const void *code, size_t size_b, unsigned lanes,
				     struct bw_code_text **out)
{
	struct bw_code_text *c = calloc(1, sizeof(*c));
	if (!c)
		return bw_error_nomem();
	c->n = size_b / 4;
	c->dw = calloc(c->n + 1, 4);
	c->marks = calloc(c->n + 1, 1);
	c->pc_of = calloc(c->n + 1, 4);
	struct bw_error *err = c->dw && c->marks && c->pc_of ? NULL : bw_error_nomem();
	if (!err) {
		memcpy(c->dw, code, c->n * 4);
		err = find_extent(c);
	}
	if (!err)
		err = bw_isa_text_create(bw_arch_default_gfx(), &c->llvm);
	if (err) {
		bw_code_text_free(c);
		return err;
	}
	bw_isa_text_set_lanes(c->llvm, lanes);
	*out = c;
	return NULL;
}

void bw_code_text_free(struct bw_code_text *c)
{
	if (!c)
		return;
	bw_isa_text_destroy(c->llvm);
	bw_vec_free(&c->open);
	bw_vec_free(&c->slots);
	free(c->dw);
	free(c->marks);
	free(c->pc_of);
	free(c);
}
