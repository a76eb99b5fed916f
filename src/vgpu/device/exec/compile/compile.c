/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/compile/compile.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/compile/emit.h"
#include "vgpu/device/exec/compile/memory.h"
#include "vgpu/device/exec/compile/rows.h"
#include "vgpu/device/exec/core/build.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/core/touch.h"

enum {
	MEMORY_B = 16 << 20, /* of an executor; what is not used is not there */
	/* A block ends before an instruction that starts so many words after its first one. */
	BLOCK_DW = BW_BLOCK_INSTRUCTIONS * 3,
	/* The records of so many words before one that has changed are forgotten, too (code.c). */
	FORGOTTEN_DW = 2,
};

struct bw_compile {
	struct bw_code_memory memory;
	size_t data_b;	/* at its start: the constants of stencils */
	unsigned least; /* instructions of a block */
	bool is_full;
	size_t live_b; /* of blocks that are in use */
	struct bw_emit emit;
};

/* Beside the records of a page. */
struct bw_blocks {
	struct bw_compile *owner;
	bw_handler *original[BW_CODE_DW]; /* of first records; NULL: no block starts here */
	uint16_t end[BW_CODE_DW];	  /* the word after the last one of the block */
	uint32_t size_b[BW_CODE_DW];
	uint8_t tried[BW_CODE_DW]; /* there is a block, or there can be none */
};

enum bw_compile_wish bw_compile_wish(void)
{
	const char *wish = getenv("BREAKWATER_COMPILE");
	if (wish && strcmp(wish, "off") == 0)
		return BW_COMPILE_OFF;
	return wish && strcmp(wish, "always") == 0 ? BW_COMPILE_ALWAYS : BW_COMPILE_ON;
}

struct bw_compile *bw_compile_create(enum bw_compile_wish wish)
{
	if (wish == BW_COMPILE_OFF || !bw_stencils_usable())
		return NULL;
	struct bw_compile *c = calloc(1, sizeof(*c));
	if (!c)
		abort();
	if (!bw_code_memory_init(&c->memory, MEMORY_B)) {
		free(c);
		return NULL;
	}
	const void *data = bw_stencil_data(&c->data_b);
	memcpy(c->memory.write, data, c->data_b);
	c->memory.used_b = c->data_b;
	c->least = wish == BW_COMPILE_ALWAYS ? 1 : 2;
	return c;
}

void bw_compile_destroy(struct bw_compile *c)
{
	if (!c)
		return;
	bw_code_memory_fini(&c->memory);
	free(c);
}

/* Where most of it is in use, it stays full: code that is too large for it is interpreted in part,
 * and not compiled again and again. */
bool bw_compile_is_full(const struct bw_compile *c)
{
	return c && c->is_full && c->live_b < MEMORY_B / 2;
}

void bw_compile_empty(struct bw_compile *c)
{
	if (!c)
		return;
	c->memory.used_b = c->data_b;
	c->is_full = false;
	c->live_b = 0;
}

void bw_compile_changed(struct bw_code_page *page, unsigned index)
{
	struct bw_blocks *b = page->blocks;
	if (!b)
		return;
	unsigned farthest = BLOCK_DW + FORGOTTEN_DW,
		 first = index < farthest ? 0 : index - farthest;
	for (unsigned i = first; i <= index && i < BW_CODE_DW; i++) {
		/* Also a block that ends just before it may have one of those records. */
		unsigned end = b->end[i];
		bool has_word = end + FORGOTTEN_DW > index || i + FORGOTTEN_DW >= index;
		if (b->original[i] && !has_word)
			continue;
		if (b->original[i]) {
			page->rec[i] = (struct bw_rec){.fn = bw_h_decode};
			b->owner->live_b -= b->size_b[i];
		}
		b->original[i] = NULL;
		b->tried[i] = false; /* where no block could start, one can now */
	}
}

void bw_compile_drop(struct bw_code_page *page)
{
	struct bw_blocks *b = page->blocks;
	for (unsigned i = 0; b && i < BW_CODE_DW; i++)
		b->owner->live_b -= b->original[i] ? b->size_b[i] : 0;
	page->blocks = NULL; /* its memory is the page's */
}

/* ---- what a block has ---- */

/* A record as the interpreter has it. */
static bw_handler *handler_of(const struct bw_code_page *page, unsigned index)
{
	const struct bw_blocks *b = page->blocks;
	return b->original[index] ? b->original[index] : page->rec[index].fn;
}

static bool decode(struct bw_exec *x, struct bw_wave *w, unsigned index)
{
	struct bw_rec *rec = &x->code.page->rec[index];
	if (index >= BW_CODE_DW)
		return false;
	if (rec->fn == bw_h_decode)
		bw_decode(rec, w, x);
	return true;
}

static const struct {
	unsigned op;
	enum bw_block_part part[2]; /* wave32, wave64 */
} branches[] = {
	{BW_OP_S_CBRANCH_SCC0, {BW_PART_BRANCH_SCC0_32, BW_PART_BRANCH_SCC0_32}},
	{BW_OP_S_CBRANCH_SCC1, {BW_PART_BRANCH_SCC1_32, BW_PART_BRANCH_SCC1_32}},
	{BW_OP_S_CBRANCH_VCCZ, {BW_PART_BRANCH_VCCZ_32, BW_PART_BRANCH_VCCZ_64}},
	{BW_OP_S_CBRANCH_VCCNZ, {BW_PART_BRANCH_VCCNZ_32, BW_PART_BRANCH_VCCNZ_64}},
	{BW_OP_S_CBRANCH_EXECZ, {BW_PART_BRANCH_EXECZ_32, BW_PART_BRANCH_EXECZ_64}},
	{BW_OP_S_CBRANCH_EXECNZ, {BW_PART_BRANCH_EXECNZ_32, BW_PART_BRANCH_EXECNZ_64}},
	{BW_OP_S_BRANCH, {BW_PART_LEAVE, BW_PART_LEAVE}},
};

static bool find_branch(unsigned op, unsigned lanes, enum bw_block_part *out)
{
	for (unsigned i = 0; i < BW_ARRAY_SIZE(branches); i++) {
		if (branches[i].op != op)
			continue;
		*out = branches[i].part[lanes == 64];
		return true;
	}
	return false;
}

/* One instruction of a block. */
struct item {
	const struct bw_rec *rec;
	enum bw_row_kind kind; /* rows.h */
};

struct block {
	struct item item[BW_BLOCK_INSTRUCTIONS];
	unsigned n;
	unsigned first, end;	     /* words in the page */
	const struct bw_rec *branch; /* the last item, NULL: the record at `end` follows */
	enum bw_block_part part;     /* of the branch */
};

static void collect(struct bw_exec *x, struct bw_wave *w, unsigned index, struct block *out)
{
	struct bw_code_page *page = x->code.page;
	*out = (struct block){.first = index, .end = index};
	while (out->n < BW_BLOCK_INSTRUCTIONS && decode(x, w, out->end)) {
		const struct bw_rec *rec = &page->rec[out->end];
		struct item item = {.rec = rec};
		bool is_branch =
			rec->target && find_branch(rec->inst->op, page->ctx.lanes, &out->part);
		if (!is_branch) {
			item.kind = bw_rows_kind(x, rec, handler_of(page, out->end));
			if (item.kind == BW_ROW_NONE)
				return;
		}
		out->item[out->n++] = item;
		out->end += rec->size_dw;
		if (is_branch)
			out->branch = rec;
		/* The next block looks at EXEC anew. */
		if (is_branch || bw_rows_exec_write(rec, item.kind) == BW_EXEC_SET)
			return;
	}
}

/* ---- making it ---- */

static uint32_t from_first(const struct block *b, const struct bw_code_page *page,
			   const struct bw_rec *to)
{
	return (uint32_t)((const uint8_t *)to - (const uint8_t *)&page->rec[b->first]);
}

/* masked: at its start; after an instruction that writes EXEC it is in any case. */
static void put_body(struct bw_emit *e, struct bw_exec *x, const struct block *b, bool masked)
{
	const struct bw_code_page *page = x->code.page;
	unsigned n = b->n - (b->branch != NULL);
	e->result = BW_NO_RESULT;
	e->half = BW_NO_HALF;
	for (unsigned i = 0; i < n; i++) {
		const struct item *item = &b->item[i];
		e->n_after = b->n - i - 1;
		bw_rows_emit(e, x, item->rec, item->kind, masked);
		masked |= bw_rows_exec_write(item->rec, item->kind) != BW_EXEC_KEPT;
	}
	const struct bw_rec *after = &page->rec[b->end];
	if (b->branch) {
		e->value[BW_HOLE_T] = from_first(b, page, b->branch->target);
		e->value[BW_HOLE_F] = from_first(b, page, after);
		bw_emit_part(e, b->part);
	} else {
		e->value[BW_HOLE_T] = from_first(b, page, after);
		bw_emit_part(e, BW_PART_LEAVE);
	}
}

/* Whether the code for all lanes differs from that for some. */
static bool has_vectors(const struct block *b, const struct bw_rec_ctx *ctx)
{
	for (unsigned i = 0; i < b->n; i++) {
		const struct item *item = &b->item[i];
		if (item->kind == BW_ROW_MAP || item->kind == BW_ROW_DUAL ||
		    (item->kind == BW_ROW_MEMORY && item->rec->inst->fmt != BW_FMT_SMEM &&
		     bw_memory_has_stencil(item->rec, ctx)))
			return true;
	}
	return false;
}

static const void *make(struct bw_compile *c, struct bw_exec *x, const struct block *b)
{
	struct bw_code_page *page = x->code.page;
	struct bw_emit *e = &c->emit;
	bw_emit_begin(e, &c->memory);
	e->value[BW_HOLE_COUNT] = b->n;
	e->first = &page->rec[b->first];
	e->original = (uint64_t)(uintptr_t)handler_of(page, b->first);
	bw_emit_part(e, page->ctx.lanes == 64 ? BW_PART_ENTER_64 : BW_PART_ENTER_32);
	bool differ = has_vectors(b, &page->ctx);
	if (!differ)
		bw_emit_masked(e);
	put_body(e, x, b, false);
	if (differ) {
		bw_emit_masked(e);
		put_body(e, x, b, true);
	}
	return bw_emit_end(e);
}

/* ---- where blocks start ---- */

/* Places of a page that a block leads to and that may start one. */
struct places {
	uint16_t index[BW_CODE_DW];
	unsigned n;
};

/* A record that is not decoded compiles itself when it is. */
static void add_place(struct places *p, struct bw_code_page *page, const struct bw_rec *rec)
{
	size_t index = (size_t)(rec - page->rec);
	if (index >= BW_CODE_DW || rec->fn == bw_h_decode || page->blocks->tried[index])
		return;
	page->blocks->tried[index] = true;
	p->index[p->n++] = (uint16_t)index; /* each once: it cannot overflow */
}

static void compile_block(struct bw_compile *c, struct bw_exec *x, struct bw_wave *w,
			  unsigned index, struct places *next)
{
	struct bw_code_page *page = x->code.page;
	struct block b;
	collect(x, w, index, &b);
	if (b.n == 0) {
		/* interpreted, and what comes after it may be a block */
		const struct bw_rec *rec = &page->rec[index];
		add_place(next, page, rec + rec->size_dw);
		return;
	}
	if (b.branch)
		add_place(next, page, b.branch->target);
	add_place(next, page, &page->rec[b.end]);
	if (b.n < c->least)
		return;
	const void *code = make(c, x, &b);
	c->is_full = c->emit.is_full;
	if (!code)
		return;
	page->blocks->original[index] = page->rec[index].fn;
	page->blocks->end[index] = (uint16_t)b.end;
	page->blocks->size_b[index] = (uint32_t)(c->memory.used_b - c->emit.start_b);
	c->live_b += page->blocks->size_b[index];
	/* a function from a place that the mapping made executable */
	memcpy(&page->rec[index].fn, &code, sizeof(code));
}

void bw_compile_at(struct bw_exec *x, struct bw_wave *w, unsigned index)
{
	struct bw_compile *c = x->code.compile;
	struct bw_code_page *page = x->code.page;
	/* Those who look at each instruction have it interpreted. */
	if (!c || c->is_full || x->gen != BW_ISA_GFX11 || page->excp || page->slot ||
	    x->host.strict || (x->host.check && bw_check_is_everywhere(x->host.check)))
		return;
	if (!page->blocks) {
		page->blocks = bw_code_alloc(page, sizeof(*page->blocks));
		page->blocks->owner = c;
	}
	struct places places = {.n = 0};
	add_place(&places, page, &page->rec[index]);
	for (unsigned i = 0; i < places.n && !c->is_full; i++)
		compile_block(c, x, w, places.index[i], &places);
}
