/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/core/code.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/exec/alu/excp.h"
#include "vgpu/device/exec/compile/compile.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/core/hwreg.h"
#include "vgpu/device/exec/core/tally.h"

/* Raised by every s_icache_inv and flush. One for the process: executors of another device then
 * compare their pages once more than needed, which costs little. */
static _Atomic uint64_t generation = 1;

void bw_code_invalidate(void)
{
	atomic_fetch_add_explicit(&generation, 1, memory_order_acq_rel);
}

uint64_t bw_code_generation(void)
{
	return atomic_load_explicit(&generation, memory_order_acquire);
}

enum { ARENA_B = 16 * 1024 };

void *bw_code_alloc(struct bw_code_page *p, size_t size_b)
{
	size_b = bw_align_up(size_b, 64);
	struct bw_code_arena *a = p->arena;
	if (!a || a->size_b - a->used_b < size_b) {
		size_t room_b = BW_MAX((size_t)ARENA_B, size_b);
		a = aligned_alloc(64, sizeof(*a) + room_b);
		if (!a)
			abort(); /* as everywhere where memory for the simulation itself runs out */
		*a = (struct bw_code_arena){.next = p->arena, .size_b = room_b};
		p->arena = a;
	}
	void *out = a->data + a->used_b;
	a->used_b += size_b;
	return memset(out, 0, size_b);
}

static void page_destroy(struct bw_code_page *p)
{
	while (p->arena) {
		struct bw_code_arena *a = p->arena;
		p->arena = a->next;
		free(a);
	}
	free(p->slot);
	free(p);
}

static void forget_all(struct bw_code *c)
{
	for (unsigned i = 0; i < BW_CODE_BUCKETS; i++) {
		while (c->bucket[i]) {
			struct bw_code_page *p = c->bucket[i];
			c->bucket[i] = p->next;
			page_destroy(p);
		}
	}
	c->page = NULL;
	c->n_pages = 0;
	bw_compile_empty(c->compile);
}

void bw_code_init(struct bw_code *c)
{
	*c = (struct bw_code){0};
}

void bw_code_fini(struct bw_code *c)
{
	forget_all(c);
	bw_compile_destroy(c->compile);
	c->compile = NULL;
}

static void forget_record(struct bw_code_page *p, unsigned i)
{
	p->rec[i] = (struct bw_rec){.fn = bw_h_decode};
}

/* An instruction has up to three words, so a changed word spoils the records of the two before it.
 */
static void word_changed(struct bw_code_page *p, unsigned i)
{
	for (unsigned back = 0; back < 3 && back <= i; back++)
		if (i - back < BW_CODE_DW)
			forget_record(p, i - back);
	bw_compile_changed(p, i);
}

/* Code that reads TRAPSTS needs the float exceptions of the instructions before it, in this page or
 * in the ones that lead to it. When a page is first executed or has changed, such code is looked
 * for in up to this many pages. The trap handler reads TRAPSTS for other reasons. */
enum { EXCP_AHEAD_PAGES = 16 };

static bool is_watched(struct bw_wave *w, uint64_t va, const struct bw_rec_ctx *ctx)
{
	if (ctx->excp)
		return true;
	for (unsigned i = 0; i < EXCP_AHEAD_PAGES && !ctx->priv; i++) {
		struct bw_vm_fault no_matter;
		const uint8_t *host =
			bw_tlb_lookup(w->tlb, va + (uint64_t)i * BW_PAGE_B,
				      BW_ACCESS_EXECUTE | BW_ACCESS_PROBE, &no_matter);
		for (unsigned k = 0; host && k < BW_CODE_DW; k++) {
			uint32_t word;
			memcpy(&word, host + k * 4, 4);
			if (bw_excp_is_reader(word))
				return true;
		}
		if (!host)
			break;
	}
	return false;
}

/* True: something changed. */
static bool compare(struct bw_code_page *p, unsigned first, unsigned n, const uint8_t *host)
{
	if (memcmp(&p->word[first], host, n * 4) == 0)
		return false;
	for (unsigned i = 0; i < n; i++) {
		uint32_t now;
		memcpy(&now, host + i * 4, 4);
		if (now != p->word[first + i]) {
			p->word[first + i] = now;
			word_changed(p, first + i);
		}
	}
	return true;
}

/* A look that is no fetch yet: a wave that only runs in this page has no fault (fetch_fault of
 * build.c has it if an instruction lies in both). */
static const uint8_t *next_page(const struct bw_code_page *p, struct bw_wave *w)
{
	struct bw_vm_fault no_matter;
	return bw_tlb_lookup(w->tlb, p->va + BW_PAGE_B, BW_ACCESS_EXECUTE | BW_ACCESS_PROBE,
			     &no_matter);
}

static bool refresh(struct bw_code_page *p, struct bw_wave *w, uint64_t now)
{
	const uint8_t *host = bw_tlb_lookup(w->tlb, p->va, BW_ACCESS_EXECUTE, &w->fault);
	if (!host)
		return false;
	if (compare(p, 0, BW_CODE_DW, host) && is_watched(w, p->va, &p->ctx) != p->excp) {
		p->excp = !p->excp;
		for (unsigned i = 0; i < BW_CODE_DW; i++)
			forget_record(p, i);
		bw_compile_drop(p);
	}
	if (p->n_words > BW_CODE_DW) {
		host = next_page(p, w);
		if (host) {
			compare(p, BW_CODE_DW, BW_CODE_TAIL_DW, host);
		} else {
			p->n_words = BW_CODE_DW;
			word_changed(p, BW_CODE_DW);
		}
	}
	p->generation = now;
	p->tlb_generation = w->tlb->generation;
	return true;
}

static struct bw_code_page *page_create(struct bw_wave *w, uint64_t va,
					const struct bw_rec_ctx *ctx, bool counts)
{
	struct bw_vm_fault fault = {0};
	const uint8_t *host = bw_tlb_lookup(w->tlb, va, BW_ACCESS_EXECUTE, &fault);
	if (!host) {
		w->fault = fault;
		return NULL;
	}
	struct bw_code_page *p = aligned_alloc(64, bw_align_up(sizeof(*p), 64));
	if (!p)
		abort();
	memset(p, 0, sizeof(*p));
	p->va = va;
	p->ctx = *ctx;
	p->excp = is_watched(w, va, ctx);
	memcpy(p->word, host, BW_PAGE_B);
	p->n_words = BW_CODE_DW;
	if (counts && !ctx->priv) { /* not in the trap handler, which reads TRAPSTS for the
				     * debugger */
		p->slot = calloc(BW_CODE_DW, sizeof(*p->slot));
		if (!p->slot)
			abort();
	}
	for (unsigned i = 0; i < BW_CODE_DW; i++)
		forget_record(p, i);
	for (unsigned i = BW_CODE_DW; i < BW_ARRAY_SIZE(p->rec); i++)
		p->rec[i] = (struct bw_rec){.fn = bw_h_next_page};
	return p;
}

unsigned bw_code_words(struct bw_code_page *p, struct bw_wave *w, unsigned index,
		       const uint32_t **out_words)
{
	*out_words = &p->word[index];
	if (index + 3 > BW_CODE_DW && p->n_words == BW_CODE_DW) {
		const uint8_t *host = next_page(p, w);
		if (host) {
			memcpy(&p->word[BW_CODE_DW], host, BW_CODE_TAIL_DW * 4);
			p->n_words = BW_CODE_DW + BW_CODE_TAIL_DW;
		}
	}
	return BW_MIN(3u, p->n_words - index);
}

static bool same_ctx(const struct bw_rec_ctx *a, const struct bw_rec_ctx *b)
{
	return a->n_vgprs == b->n_vgprs && a->accum_offset == b->accum_offset &&
	       a->lanes == b->lanes && a->vmid == b->vmid && a->priv == b->priv &&
	       a->excp == b->excp;
}

bool bw_code_enter(struct bw_code *c, struct bw_wave *w, uint64_t pc)
{
	bool priv = w->status & BW_STATUS_PRIV;
	uint64_t va = pc & ~(uint64_t)(BW_PAGE_B - 1);
	const struct bw_rec_ctx ctx = {
		.n_vgprs = w->status & BW_STATUS_NO_VGPRS ? 0 : w->n_vgprs,
		.accum_offset = w->accum_offset,
		.gen = c->gen,
		.lanes = w->lanes,
		.vmid = w->vmid,
		.priv = priv,
		.excp = !priv && (c->float_exceptions || (w->mode & BW_MODE_EXCP_EN_FLOAT)),
	};
	uint64_t now = bw_code_generation();
	if (bw_compile_is_full(c->compile))
		forget_all(c);
	struct bw_code_page *p = c->page;
	if (!p || p->va != va || !same_ctx(&p->ctx, &ctx)) {
		uint64_t key = va / BW_PAGE_B ^ ctx.vmid * 16ull ^ ctx.priv ^ ctx.n_vgprs;
		struct bw_code_page **bucket = &c->bucket[key % BW_CODE_BUCKETS];
		for (p = *bucket; p; p = p->next)
			if (p->va == va && same_ctx(&p->ctx, &ctx))
				break;
		if (!p) {
			if (c->n_pages >= BW_CODE_PAGES_MAX)
				forget_all(c);
			p = page_create(w, va, &ctx, c->counts);
			if (!p)
				return false;
			p->generation = now;
			p->tlb_generation = w->tlb->generation;
			p->next = *bucket;
			*bucket = p;
			c->n_pages++;
		}
	}
	if ((p->generation != now || p->tlb_generation != w->tlb->generation) &&
	    !refresh(p, w, now))
		return false;
	c->page = p;
	return true;
}
