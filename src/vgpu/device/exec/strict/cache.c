/* SPDX-License-Identifier: MIT */
/* Caches that go stale: the scalar cache of a WGP, the vector L0 of each CU (GL0) and the L1 of
 * each shader array (GL1), which fills GL0. L2 and beyond are memory. On gfx942 "GL0" is the vector
 * L1 of a CU, which memory fills; s_dcache_inv, buffer_inv with SC1 and buffer_wbinvl1 invalidate,
 * and SC1 is what GLC is here (SC0 alone is the scope of a workgroup, which is on one CU).
 *
 * A line, once read, stays what it was until it is invalidated (s_dcache_inv, buffer_gl0_inv,
 * buffer_gl1_inv, s_gl1_inv, ACQUIRE_MEM, RELEASE_MEM), evicted by a load with GLC=1, which goes
 * past GL0 and GL1 [I: DLC and SLC alone do not], or by a store or atomic of the CU itself, which
 * are written through. Hardware's are smaller and forget earlier. Cached are plain loads of global
 * memory and buffers; images and scratch are read from memory each time.
 *
 * Lines lie in copies of their pages, so that an instruction reads through a TLB that has the
 * copies in place of the pages. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/memory/memory.h"
#include "vgpu/device/exec/strict/caches.h"

enum {
	SCALAR_LINE_B = 64,
	VECTOR_LINE_B = 128,
	SCALAR_PAGES = 32,
	GL0_PAGES = 64,
	GL1_PAGES = 256,
	SPINS = 64, /* after so many equal stale answers to the same load there is a finding */
};

static void cache_init(struct bw_page_cache *c, unsigned n_pages, unsigned line_b)
{
	*c = (struct bw_page_cache){.n_pages = n_pages, .line_b = line_b};
	c->page = calloc(n_pages, sizeof(*c->page));
}

static void cache_clear(struct bw_page_cache *c)
{
	for (unsigned i = 0; i < c->n_pages; i++)
		if (c->page[i])
			c->page[i]->lines = 0;
}

static void cache_fini(struct bw_page_cache *c)
{
	for (unsigned i = 0; c->page && i < c->n_pages; i++)
		free(c->page[i]);
	free(c->page);
}

bool bw_caches_init(struct bw_strict_caches *c)
{
	cache_init(&c->scalar, SCALAR_PAGES, SCALAR_LINE_B);
	cache_init(&c->gl0[0], GL0_PAGES, VECTOR_LINE_B);
	cache_init(&c->gl0[1], GL0_PAGES, VECTOR_LINE_B);
	return c->scalar.page && c->gl0[0].page && c->gl0[1].page;
}

void bw_caches_fini(struct bw_strict_caches *c)
{
	cache_fini(&c->scalar);
	cache_fini(&c->gl0[0]);
	cache_fini(&c->gl0[1]);
}

bool bw_gl1_init(struct bw_gl1 *g)
{
	pthread_mutex_init(&g->lock, NULL);
	cache_init(&g->cache, GL1_PAGES, VECTOR_LINE_B);
	return g->cache.page;
}

void bw_gl1_fini(struct bw_gl1 *g)
{
	cache_fini(&g->cache);
	pthread_mutex_destroy(&g->lock);
}

/* Invalidations from elsewhere are numbers that went up. */
static void cache_sync(struct bw_page_cache *c, uint64_t generation)
{
	if (c->generation == generation)
		return;
	c->generation = generation;
	cache_clear(c);
}

static unsigned slot_of(const struct bw_page_cache *c, uint64_t page, unsigned vmid)
{
	return (unsigned)((page ^ page >> 8 ^ vmid * 37u) % c->n_pages);
}

static struct bw_cached_page *find_page(const struct bw_page_cache *c, uint64_t page, unsigned vmid)
{
	struct bw_cached_page *p = c->page[slot_of(c, page, vmid)];
	return p && p->page == page && p->vmid == vmid ? p : NULL;
}

/* The copy of a page, perhaps in place of another one's. */
static struct bw_cached_page *find_or_make(struct bw_page_cache *c, uint64_t page, unsigned vmid)
{
	struct bw_cached_page **at = &c->page[slot_of(c, page, vmid)];
	if (!*at) {
		*at = aligned_alloc(64, bw_align_up(sizeof(**at), 64));
		if (!*at)
			abort();
		(*at)->page = ~page;
	}
	if ((*at)->page != page || (*at)->vmid != vmid) {
		(*at)->page = page;
		(*at)->vmid = (uint8_t)vmid;
		(*at)->lines = 0;
	}
	return *at;
}

static void evict(struct bw_page_cache *c, uint64_t va, unsigned size_b, unsigned vmid)
{
	for (uint64_t line = va / c->line_b; line <= (va + size_b - 1) / c->line_b; line++) {
		uint64_t at = line * c->line_b;
		struct bw_cached_page *p = find_page(c, at / BW_PAGE_B, vmid);
		if (p)
			p->lines &= ~(1ull << at % BW_PAGE_B / c->line_b);
	}
}

/* The host address of a page; NULL: it is absent, watched, or not cached. */
static const uint8_t *real_page(struct bw_wave *w, uint64_t page)
{
	const struct bw_tlb_entry *e = &w->tlb->entry[page % BW_TLB_ENTRIES];
	if (e->tag == page)
		return e->access & BW_ACCESS_READ ? e->host : NULL;
	struct bw_vm_fault fault = {0};
	uint64_t va = bw_canonical(page * BW_PAGE_B);
	return bw_tlb_lookup(w->tlb, va, BW_ACCESS_READ | BW_ACCESS_PROBE, &fault);
}

/* ---- one load ---- */

struct load {
	struct bw_strict_step *t;
	struct bw_page_cache *cache;
	struct bw_gl1 *gl1; /* NULL: the cache is filled from memory */
	struct bw_tlb *tlb;
	uint64_t stale_va;
	bool stale;
};

static void fill_line(struct load *l, struct bw_cached_page *p, uint64_t va, const uint8_t *real)
{
	unsigned line_b = l->cache->line_b;
	unsigned offset = (unsigned)(va % BW_PAGE_B) & ~(line_b - 1);
	uint64_t bit = 1ull << offset / line_b;
	if (p->lines & bit)
		return;
	p->lines |= bit;
	const uint8_t *from = real;
	if (l->gl1) {
		struct bw_cached_page *g =
			find_or_make(&l->gl1->cache, va / BW_PAGE_B, l->t->w->vmid);
		if (!(g->lines & bit))
			memcpy(g->data + offset, real + offset, line_b);
		g->lines |= bit;
		from = g->data;
	}
	memcpy(p->data + offset, from + offset, line_b);
}

/* Lines that are not in the cache are as memory is: what an instruction reads of a page beside the
 * places that are known here (scratch by way of FLAT) must be right. */
static void refresh(struct load *l, struct bw_cached_page *p, const uint8_t *real)
{
	unsigned line_b = l->cache->line_b;
	for (unsigned i = 0; i < BW_PAGE_B / line_b; i++)
		if (!(p->lines >> i & 1))
			memcpy(p->data + i * line_b, real + i * line_b, line_b);
}

/* Another page is about to take the place of this one, which an earlier lane may want: it reads
 * memory. */
static void forget_copy(struct load *l, const struct bw_cached_page *p)
{
	for (unsigned i = 0; p && i < BW_TLB_ENTRIES; i++)
		if (l->tlb->entry[i].host == p->data)
			l->tlb->entry[i] = (struct bw_tlb_entry){.tag = ~0ull};
}

/* Bytes that lie in one page. */
static void touch_in_page(struct load *l, uint64_t va, unsigned size_b)
{
	uint64_t page = (va & BW_VA_MASK) / BW_PAGE_B, tag = bw_tlb_tag(va);
	const uint8_t *real = real_page(l->t->w, tag);
	if (!real)
		return;
	if (!find_page(l->cache, page, l->t->w->vmid))
		forget_copy(l, l->cache->page[slot_of(l->cache, page, l->t->w->vmid)]);
	struct bw_cached_page *p = find_or_make(l->cache, page, l->t->w->vmid);
	if (l->tlb->entry[tag % BW_TLB_ENTRIES].host != p->data)
		refresh(l, p, real);
	for (uint64_t at = va; at < va + size_b; at = (at | (l->cache->line_b - 1)) + 1)
		fill_line(l, p, at & BW_VA_MASK, real);
	l->tlb->entry[tag % BW_TLB_ENTRIES] =
		(struct bw_tlb_entry){.tag = tag, .host = p->data, .access = BW_ACCESS_READ};
	if (memcmp(p->data + va % BW_PAGE_B, real + va % BW_PAGE_B, size_b)) {
		l->stale = true;
		l->stale_va = va;
	}
}

static void touch(void *cookie, uint64_t va, unsigned size_b)
{
	unsigned here = BW_MIN(size_b, (unsigned)(BW_PAGE_B - va % BW_PAGE_B));
	touch_in_page(cookie, va, here);
	if (here < size_b)
		touch_in_page(cookie, va + here, size_b - here);
}

/* ---- where an instruction's lanes look ---- */

typedef void place_fn(void *cookie, uint64_t va, unsigned size_b);

static unsigned access_size_b(const struct bw_strict_op *op)
{
	return op->e.size_b;
}

static void each_global(struct bw_strict_step *t, place_fn *fn, void *cookie)
{
	const struct bw_inst *in = &t->op->inst;
	struct bw_wave *w = t->w;
	bool has_saddr = in->saddr != BW_SRC_NULL && in->saddr != 127,
	     has_vaddr = t->op->e.n_reads && t->op->e.read[0].role == BW_ROLE_ADDR;
	uint64_t base =
		in->fmt == BW_FMT_FLAT ? (uint64_t)(in->imm & 0xfff) : (uint64_t)(int64_t)in->imm;
	struct bw_apertures ap = bw_apertures_of(t->x);
	if (has_saddr)
		base += bw_mem_sgpr64(w, in->saddr);
	for (uint64_t left = t->exec; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(left);
		uint64_t va = base + (has_vaddr ? bw_wave_vgpr(w, in->vaddr)[lane] : 4 * lane);
		if (has_vaddr && !has_saddr) {
			uint32_t hi = bw_wave_vgpr(w, in->vaddr + 1u)[lane];
			if (in->fmt == BW_FMT_FLAT && hi &&
			    (hi == ap.shared_hi || hi == ap.private_hi))
				continue;
			va += bw_join32(hi, 0);
		}
		fn(cookie, va, access_size_b(t->op));
	}
}

/* MUBUF and MTBUF: rules 340 to 343. Lanes that are out of range look at what they do not read; it
 * does no harm. */
static void each_buffer(struct bw_strict_step *t, place_fn *fn, void *cookie)
{
	const struct bw_inst *in = &t->op->inst;
	struct bw_wave *w = t->w;
	uint32_t v[BW_BUFFER_DESC_DW];
	bw_mem_descriptor4(w, in, v);
	struct bw_buffer_desc b = bw_isa_is_gfx9(t->x->gen) ? bw_buffer_desc_read9(v, in->idxen)
							    : bw_buffer_desc_read(v);
	b.base += in->saddr == BW_SRC_NULL ? 0 : bw_scalar_read32(w, in, in->saddr);
	for (uint64_t left = t->exec; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(left);
		uint64_t index = in->idxen ? bw_wave_vgpr(w, in->vaddr)[lane] : 0;
		uint64_t offset =
			(uint64_t)(uint32_t)in->imm +
			(in->offen ? bw_wave_vgpr(w, in->vaddr + (in->idxen ? 1u : 0u))[lane] : 0);
		index += b.add_tid ? lane : 0;
		uint64_t at = b.element_b ? bw_buffer_desc_swizzle(&b, index, offset)
					  : index * b.stride_b + offset;
		fn(cookie, bw_canonical(b.base + at), access_size_b(t->op));
	}
}

static void each_place(struct bw_strict_step *t, place_fn *fn, void *cookie)
{
	if (t->op->inst.fmt == BW_FMT_MUBUF || t->op->inst.fmt == BW_FMT_MTBUF)
		each_buffer(t, fn, cookie);
	else
		each_global(t, fn, cookie);
}

static bool is_cached_kind(const struct bw_strict_op *op)
{
	enum bw_fmt f = op->inst.fmt;
	return f == BW_FMT_GLOBAL || f == BW_FMT_FLAT || f == BW_FMT_MUBUF || f == BW_FMT_MTBUF;
}

static void place_scalar(struct bw_strict_step *t, place_fn *fn, void *cookie)
{
	const struct bw_inst *in = &t->op->inst;
	struct bw_wave *w = t->w;
	uint64_t va = bw_mem_sgpr64(w, in->saddr) + (uint64_t)(int64_t)in->imm;
	if (t->op->info->src[0].type == BW_OPERAND_BUFFER)
		va = bw_canonical(va & BW_VA_MASK);
	if (in->soffset < BW_STRICT_SGPRS && in->soffset != BW_SRC_NULL)
		va += bw_mem_sgpr(w, in->soffset);
	fn(cookie, va & ~3ull, access_size_b(t->op));
}

/* ---- before and after an instruction ---- */

struct eviction {
	struct bw_strict_step *t;
	struct bw_page_cache *gl0, *gl1; /* gl1: NULL where there is none */
};

static void evict_place(void *cookie, uint64_t va, unsigned size_b)
{
	struct eviction *e = cookie;
	evict(e->gl0, va & BW_VA_MASK, size_b, e->t->w->vmid);
	if (e->gl1)
		evict(e->gl1, va & BW_VA_MASK, size_b, e->t->w->vmid);
}

/* Locked; NULL: the generation has none. */
static struct bw_gl1 *gl1_of(struct bw_strict_step *t)
{
	if (!bw_strict_gen(t->sw->s)->has_gl1)
		return NULL;
	struct bw_gl1 *g = bw_strict_gl1(t->sw->s, t->sw->sa);
	pthread_mutex_lock(&g->lock);
	cache_sync(&g->cache, bw_strict_generation(t->sw->s, BW_STRICT_GL1));
	return g;
}

static void leave_gl1(struct bw_gl1 *g)
{
	if (g)
		pthread_mutex_unlock(&g->lock);
}

static void evict_all_places(struct bw_strict_step *t)
{
	struct bw_gl1 *g = gl1_of(t);
	struct eviction e = {t, &t->sw->caches->gl0[t->sw->cu], g ? &g->cache : NULL};
	each_place(t, evict_place, &e);
	leave_gl1(g);
}

static struct bw_tlb *take_tlb(struct bw_strict_caches *c, const struct bw_tlb *real)
{
	struct bw_tlb *tlb = &c->tlb;
	for (unsigned i = 0; i < BW_TLB_ENTRIES; i++)
		tlb->entry[i] = (struct bw_tlb_entry){.tag = ~0ull};
	tlb->dev = real->dev;
	tlb->vmid = real->vmid;
	tlb->client = real->client;
	tlb->generation = real->generation;
	memcpy(tlb->watch, real->watch, sizeof(tlb->watch));
	return tlb;
}

/* Counts how often the same load reads the same stale value. */
static void count_spins(struct bw_strict_step *t, const struct load *l)
{
	struct bw_strict_wave *sw = t->sw;
	if (!l->stale || sw->spin_pc != t->pc || sw->spin_va != l->stale_va) {
		if (l->stale || sw->spin_pc == t->pc) {
			sw->spin_pc = t->pc;
			sw->spin_va = l->stale_va;
			sw->spins = l->stale;
		}
		return;
	}
	if (++sw->spins < SPINS)
		return;
	bool scalar = t->op->e.unit == BW_UNIT_SMEM;
	bw_strict_report(
		t, BW_STRICT_SPIN,
		"gets the same line of the %s cache each time, and never what memory has at 0x%llx; %s",
		scalar ? "scalar" : "vector", (unsigned long long)l->stale_va,
		scalar ? "load with glc, or after s_dcache_inv"
		       : bw_strict_gen(t->sw->s)->load_past);
}

static struct bw_tlb *cached_load(struct bw_strict_step *t)
{
	struct bw_strict_caches *c = t->sw->caches;
	bool scalar = t->op->e.unit == BW_UNIT_SMEM;
	struct load l = {.t = t,
			 .tlb = take_tlb(c, t->w->tlb),
			 .cache = scalar ? &c->scalar : &c->gl0[t->sw->cu]};
	cache_sync(l.cache,
		   bw_strict_generation(t->sw->s, scalar ? BW_STRICT_SCALAR : BW_STRICT_GL0));
	if (scalar) {
		place_scalar(t, touch, &l);
	} else {
		l.gl1 = gl1_of(t);
		each_place(t, touch, &l);
		leave_gl1(l.gl1);
	}
	count_spins(t, &l);
	return l.tlb;
}

struct bw_tlb *bw_cache_before(struct bw_strict_step *t)
{
	const struct bw_effects *e = &t->op->e;
	if (!t->sw->caches || e->access != BW_KIND_LOAD)
		return NULL;
	if (e->unit != BW_UNIT_SMEM && (!is_cached_kind(t->op) || !t->exec))
		return NULL;
	const struct bw_inst *in = &t->op->inst;
	if (e->unit == BW_UNIT_SMEM)
		return in->glc ? NULL : cached_load(t);
	if (!bw_strict_gen(t->sw->s)->is_uncached(in))
		return cached_load(t);
	/* Past the caches: the lines go. */
	evict_all_places(t);
	return NULL;
}

static void invalidate_gl1(struct bw_strict_step *t)
{
	struct bw_gl1 *g = gl1_of(t);
	if (g)
		cache_clear(&g->cache);
	leave_gl1(g);
}

void bw_cache_after(struct bw_strict_step *t)
{
	const struct bw_effects *e = &t->op->e;
	struct bw_strict_caches *c = t->sw->caches;
	if (!c)
		return;
	switch ((unsigned)t->op->inst.op) {
	case BW_OP_S_DCACHE_INV:
	case BW_OP_S_DCACHE_INV_VOL:
		cache_clear(&c->scalar);
		return;
	case BW_OP_BUFFER_INV:
		if (t->op->inst.dlc) /* a workgroup is on one CU */
			cache_clear(&c->gl0[t->sw->cu]);
		return;
	case BW_OP_BUFFER_WBINVL1:
	case BW_OP_BUFFER_WBINVL1_VOL:
	case BW_OP_BUFFER_GL0_INV:
		cache_clear(&c->gl0[t->sw->cu]);
		return;
	case BW_OP_BUFFER_GL1_INV:
	case BW_OP_S_GL1_INV:
		invalidate_gl1(t);
		return;
	default:
		break;
	}
	if (e->access != BW_KIND_STORE && e->access != BW_KIND_ATOMIC_RTN)
		return;
	if (is_cached_kind(t->op)) {
		evict_all_places(t);
	} else if (t->op->inst.fmt == BW_FMT_MIMG) {
		cache_clear(&c->gl0[t->sw->cu]);
		invalidate_gl1(t);
	}
}
