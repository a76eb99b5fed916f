/* SPDX-License-Identifier: MIT */
#include "gpuvm/gpuvm.h"

#include <string.h>

#include "base/util.h"

/* The last byte of the unit that a register names. */
static uint64_t end_of(uint64_t reg, uint64_t unit_b)
{
	return reg * unit_b + unit_b - 1;
}

void bw_gpuvm_context_init(struct bw_gpuvm_context *c, enum bw_gpuvm_gen gen, unsigned vmid,
			   const struct bw_gpuvm_regs *regs)
{
	/* Field positions of CNTL: doc/hardware/page-tables.md 3.1. */
	unsigned depth_hi = gen == BW_GPUVM_GFX12_1 ? 3 : 2;
	unsigned block_lo = gen >= BW_GPUVM_GFX12 ? 4 : 3;
	uint64_t va_mask = bw_bits(~0ull, bw_gpuvm_va_bits(gen) - 1, 0);

	*c = (struct bw_gpuvm_context){
		.gen = gen,
		.vmid = vmid,
		.enabled = regs->cntl & 1,
		.depth = (unsigned)bw_bits(regs->cntl, depth_hi, 1),
		.block = (unsigned)bw_bits(regs->cntl, block_lo + 3, block_lo),
		.base = regs->base,
		.start = regs->start * BW_GPUVM_PAGE_B & va_mask,
		.end = end_of(regs->end, BW_GPUVM_PAGE_B) & va_mask,
		.fb_offset = regs->fb_offset * BW_GPUVM_FB_UNIT_B,
		.fb_base = regs->fb_base * BW_GPUVM_FB_UNIT_B,
		.fb_end = end_of(regs->fb_top, BW_GPUVM_FB_UNIT_B),
		.agp_base = regs->agp_base * BW_GPUVM_FB_UNIT_B,
		.agp_bot = regs->agp_bot * BW_GPUVM_FB_UNIT_B,
		.agp_end = end_of(regs->agp_top, BW_GPUVM_FB_UNIT_B),
		.sys_low = regs->sys_low * BW_GPUVM_APERTURE_UNIT_B,
		.sys_end = end_of(regs->sys_high, BW_GPUVM_APERTURE_UNIT_B),
		.access_mode = (unsigned)bw_bits(regs->mx_l1_tlb_cntl, 4, 3),
	};
	/* "Disabled" is written as base above top (doc/hardware/page-tables.md 5); the low bits
	 * filled in must not undo it. */
	if (regs->fb_top < regs->fb_base)
		c->fb_base = ~0ull, c->fb_end = 0;
	if (regs->agp_top < regs->agp_bot)
		c->agp_bot = ~0ull, c->agp_end = 0;
	if (regs->sys_high < regs->sys_low)
		c->sys_low = ~0ull, c->sys_end = 0;
}

/* The place of table memory or data with this address and S bit (doc/hardware/page-tables.md 4). */
struct place {
	bool system;
	uint64_t address;
};

static struct place place_of(const struct bw_gpuvm_context *c, bool system, uint64_t address)
{
	if (system)
		return (struct place){true, address};
	bool zfb = c->fb_end < c->fb_base;
	if (zfb && address >= c->agp_bot && address <= c->agp_end)
		return (struct place){true, address - c->agp_bot + c->agp_base};
	return (struct place){false, address - c->fb_offset};
}

/* [first, last] where that is not all there is, which has no size. */
static uint64_t size_of(uint64_t first, uint64_t last)
{
	uint64_t size_b = last - first + 1;
	return size_b ? size_b : ~0ull;
}

/* The apertures of VMID 0 (doc/hardware/page-tables.md 5). True: the walk ends here. */
static bool apertures(const struct bw_gpuvm_context *c, uint64_t va, struct bw_gpuvm_range *r)
{
	bool inside = va >= c->sys_low && va <= c->sys_end;
	bool untranslated = c->access_mode == 0 || (c->access_mode == 2 && !inside) ||
			    (c->access_mode == 3 && inside);
	if (!untranslated)
		return false;
	if (va >= c->fb_base && va <= c->fb_end) {
		r->verdict = BW_GPUVM_UNTRANSLATED;
		r->va = c->fb_base;
		r->size_b = size_of(c->fb_base, c->fb_end);
		r->address = 0;
		r->system = false;
	} else if (va >= c->agp_bot && va <= c->agp_end) {
		r->verdict = BW_GPUVM_UNTRANSLATED;
		r->va = c->agp_bot;
		r->size_b = size_of(c->agp_bot, c->agp_end);
		r->address = c->agp_base;
		r->system = true;
	} else {
		r->verdict = BW_GPUVM_DEFAULT_PAGE;
	}
	return true;
}

struct walk {
	const struct bw_gpuvm_context *c;
	bw_gpuvm_read_fn *read;
	void *cookie;
	uint64_t a; /* address relative to START */
	struct bw_gpuvm_range *r;
};

/* The part of the address space that one entry spanning 2^shift bytes covers. */
static void span(struct walk *w, unsigned shift)
{
	uint64_t size = shift >= 63 ? 1ull << 63 : 1ull << shift;
	w->r->va = w->c->start + (w->a & ~(size - 1));
	w->r->size_b = size;
}

static uint64_t index_of(uint64_t a, unsigned shift, unsigned bits)
{
	if (shift >= 64 || bits == 0)
		return 0;
	return a >> shift & (bits >= 64 ? ~0ull : (1ull << bits) - 1);
}

/* Reads entry `index` of the table at base. */
static bool fetch(struct walk *w, unsigned level, bool system, uint64_t base, uint64_t index,
		  uint64_t *out_raw)
{
	struct place p = place_of(w->c, system, base + index * 8);
	struct bw_gpuvm_step *step = &w->r->step[BW_MIN(w->r->n_steps, BW_GPUVM_MAX_STEPS - 1u)];
	*step = (struct bw_gpuvm_step){(uint8_t)level, p.system, p.address, 0, index};
	w->r->n_steps = BW_MIN(w->r->n_steps + 1, (unsigned)BW_GPUVM_MAX_STEPS);
	w->r->level = (uint8_t)level;
	if (!w->read(w->cookie, p.system, p.address, out_raw)) {
		w->r->verdict = BW_GPUVM_UNREADABLE;
		return false;
	}
	step->value = *out_raw;
	return true;
}

/* Patterns the driver writes to silence fault storms: "invalid, final" although V or P is set
 * (doc/hardware/page-tables.md 2.2). */
static bool is_no_retry(const struct bw_gpuvm_entry *e)
{
	bool may_access = e->read || e->write;
	return (!e->valid && e->execute && e->leaf && e->further) ||
	       (e->valid && e->system && e->prt && !may_access && !e->execute);
}

/* As one of gfx9's GPUs was seen to do (doc/hardware/page-tables.md 4). */
static bool is_misplaced(const struct walk *w, const struct bw_gpuvm_entry *e, bool directory)
{
	return w->c->gen == BW_GPUVM_GFX9 && e->valid && (directory ? e->further : e->leaf) &&
	       !is_no_retry(e);
}

static bool leaf(struct walk *w, struct bw_gpuvm_entry e, unsigned page_shift)
{
	struct bw_gpuvm_range *r = w->r;
	bool directory = r->level != BW_GPUVM_LEVEL_PTB && r->level != BW_GPUVM_LEVEL_FURTHER;
	span(w, page_shift);
	r->entry = e;
	if (is_misplaced(w, &e, directory)) {
		r->verdict = BW_GPUVM_MISPLACED;
		return false;
	}
	if (is_no_retry(&e)) {
		r->verdict = BW_GPUVM_NO_RETRY;
		return false;
	}
	if (!e.valid) {
		r->verdict = e.prt ? BW_GPUVM_PRT : BW_GPUVM_NOT_VALID;
		return false;
	}
	/* Added, as a leaf larger than 4 KiB need not be aligned to its size in memory
	 * (doc/hardware/page-tables.md 4). */
	struct place p = place_of(w->c, e.system, e.base);
	r->address = p.address;
	r->system = p.system;
	r->verdict = BW_GPUVM_MAPPED;
	return true;
}

static bool page_table(struct walk *w, struct bw_gpuvm_entry pde0)
{
	const struct bw_gpuvm_context *c = w->c;
	unsigned b = pde0.bfs, entries_log2 = 9 + c->block;
	uint64_t raw;
	span(w, 12 + b);
	if (!fetch(w, BW_GPUVM_LEVEL_PTB, pde0.system, pde0.base,
		   index_of(w->a, 12 + b, entries_log2 > b ? entries_log2 - b : 0), &raw))
		return false;
	struct bw_gpuvm_entry e = bw_gpuvm_pte(c->gen, raw);
	if (!e.valid || !e.further || is_no_retry(&e) || is_misplaced(w, &e, false))
		return leaf(w, e, 12 + b);

	/* There is one further step at most (doc/hardware/page-tables.md 4). */
	struct bw_gpuvm_entry q = bw_gpuvm_pde(c->gen, raw);
	span(w, 12 + q.bfs);
	if (!fetch(w, BW_GPUVM_LEVEL_FURTHER, pde0.tfs ? pde0.system : q.system,
		   pde0.tfs ? pde0.base + q.base : q.base,
		   index_of(w->a, 12 + q.bfs, b > q.bfs ? b - q.bfs : 0), &raw))
		return false;
	return leaf(w, bw_gpuvm_pte(c->gen, raw), 12 + q.bfs);
}

static bool directories(struct walk *w, unsigned bits)
{
	const struct bw_gpuvm_context *c = w->c;
	struct bw_gpuvm_entry p = bw_gpuvm_pde(c->gen, c->base);
	uint64_t raw;

	if (c->depth == 0) {
		unsigned shift = 12 + p.bfs;
		span(w, shift);
		if (!fetch(w, BW_GPUVM_LEVEL_PTB, p.system, p.base, index_of(w->a, shift, 64),
			   &raw))
			return false;
		return leaf(w, bw_gpuvm_pte(c->gen, raw), shift);
	}
	for (unsigned d = c->depth; d >= 1; d--) {
		unsigned shift = 21 + c->block + 9 * (d - 1);
		unsigned index_bits = d < c->depth ? 9 : bits > shift ? bits - shift : 0;
		span(w, shift);
		if (!fetch(w, d, p.system, p.base, index_of(w->a, shift, index_bits), &raw))
			return false;
		struct bw_gpuvm_entry e = bw_gpuvm_pde(c->gen, raw);
		if (e.leaf)
			return leaf(w, bw_gpuvm_pte(c->gen, raw), shift);
		if (!e.valid || is_misplaced(w, &e, true)) {
			w->r->entry = e;
			w->r->verdict = e.valid ? BW_GPUVM_MISPLACED : BW_GPUVM_NOT_VALID;
			return false;
		}
		p = e;
	}
	return page_table(w, p);
}

bool bw_gpuvm_walk(const struct bw_gpuvm_context *c, bw_gpuvm_read_fn *read, void *cookie,
		   uint64_t va, struct bw_gpuvm_range *out_range)
{
	struct bw_gpuvm_range *r = out_range;
	unsigned n_bits = bw_gpuvm_va_bits(c->gen);
	uint64_t upper = va >> n_bits;
	uint64_t masked = va & bw_bits(~0ull, n_bits - 1, 0);

	*r = (struct bw_gpuvm_range){.gen = c->gen, .va = va & ~0xfffull, .size_b = 0x1000};
	if (upper != 0 && upper != ~0ull >> n_bits) {
		r->verdict = BW_GPUVM_NOT_CANONICAL;
		return false;
	}
	if (c->vmid == 0 && apertures(c, masked, r)) {
		r->va |= upper << n_bits;
		return r->verdict == BW_GPUVM_UNTRANSLATED;
	}
	if (c->base == ~0ull) {
		r->verdict = BW_GPUVM_POWERED_OFF;
		return false;
	}
	if (!c->enabled) {
		r->verdict = BW_GPUVM_CONTEXT_DISABLED;
		return false;
	}
	if (c->end < c->start || masked < c->start || masked > c->end) {
		r->verdict = BW_GPUVM_OUT_OF_RANGE;
		return false;
	}
	/* UMR's rule; what hardware does below 1 GiB is unknown [I]. */
	unsigned bits = 30;
	while (bits < 64 && (c->end - c->start) >> bits)
		bits++;

	struct walk w = {c, read, cookie, masked - c->start, r};
	bool ok = directories(&w, bits);
	/* Ranges are returned in the form in which the address was given. */
	r->va |= upper << n_bits;
	return ok;
}
