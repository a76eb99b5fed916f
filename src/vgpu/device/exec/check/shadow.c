/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/check/shadow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/util.h"

enum { FIRST_PAGES = 256 };

/* ---- planes ---- */

enum {
	PLANE_B = BW_SHADOW_CELLS * sizeof(uint64_t),
	/* Large ones lie so that the host can have them in huge pages: most of the cost of shadow
	 * memory is that it is there. */
	SLAB_B = 2 << 20,
	SMALL_SLAB_B = 256 << 10,
	SMALL_SLABS = 4, /* the first ones */
};

const uint64_t bw_shadow_nothing[BW_SHADOW_CELLS];

struct bw_shadow_slab {
	struct bw_shadow_slab *next;
	uint8_t *memory;
	size_t size_b, used_b;
};

static uint8_t *map(size_t size_b)
{
	void *at = mmap(NULL, size_b, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

static uint8_t *map_slab(size_t size_b)
{
	if (size_b != SLAB_B)
		return map(size_b);
	uint8_t *all = map(2 * (size_t)SLAB_B);
	if (!all)
		return NULL;
	const size_t before_b = -(uintptr_t)all % SLAB_B;
	uint8_t *memory = all + before_b;
	if (before_b)
		munmap(all, before_b);
	munmap(memory + SLAB_B, SLAB_B - before_b);
	madvise(memory, SLAB_B, MADV_HUGEPAGE);
	return memory;
}

static bool add_slab(struct bw_shadow *s)
{
	struct bw_shadow_slab *slab = calloc(1, sizeof(*slab));
	if (!slab)
		return false;
	slab->size_b = s->n_slabs < SMALL_SLABS ? SMALL_SLAB_B : SLAB_B;
	slab->memory = map_slab(slab->size_b);
	if (!slab->memory) {
		free(slab);
		return false;
	}
	slab->next = s->slabs;
	s->slabs = slab;
	s->n_slabs++;
	return true;
}

bool bw_shadow_add_plane(struct bw_shadow *s, uint64_t **plane)
{
	if ((!s->slabs || s->slabs->used_b == s->slabs->size_b) && !add_slab(s))
		return false;
	*plane = (uint64_t *)(void *)(s->slabs->memory + s->slabs->used_b);
	s->slabs->used_b += PLANE_B;
	return true;
}

static void drop_slabs(struct bw_shadow *s)
{
	while (s->slabs) {
		struct bw_shadow_slab *slab = s->slabs;
		s->slabs = slab->next;
		munmap(slab->memory, slab->size_b);
		free(slab);
	}
	s->n_slabs = 0;
}

/* ---- pages ---- */

void bw_shadow_empty(struct bw_shadow_page *page)
{
	if (page->store != bw_shadow_nothing)
		memset(page->store, 0, PLANE_B);
	if (page->load != bw_shadow_nothing)
		memset(page->load, 0, PLANE_B);
}

void bw_shadow_clear(struct bw_shadow *s)
{
	for (size_t i = 0; i < s->max; i++)
		while (s->slot[i].page) {
			struct bw_shadow_page *page = s->slot[i].page;
			s->slot[i].page = page->next;
			free(page);
		}
	if (s->slot)
		memset(s->slot, 0, s->max * sizeof(*s->slot));
	s->n = 0;
	drop_slabs(s);
}

void bw_shadow_fini(struct bw_shadow *s)
{
	bw_shadow_clear(s);
	free(s->slot);
	*s = (struct bw_shadow){0};
}

static struct bw_shadow_slot *find(const struct bw_shadow *s, uint64_t number)
{
	size_t i = (size_t)((number * 0x9e3779b97f4a7c15) >> 24) & (s->max - 1);
	while (s->slot[i].page && s->slot[i].number != number)
		i = (i + 1) & (s->max - 1);
	return &s->slot[i];
}

static bool grow(struct bw_shadow *s)
{
	struct bw_shadow old = *s;
	size_t max = BW_MAX(2 * old.max, (size_t)FIRST_PAGES);
	struct bw_shadow_slot *slot = calloc(max, sizeof(*slot));
	if (!slot)
		return false;
	s->slot = slot;
	s->max = max;
	for (size_t i = 0; i < old.max; i++)
		if (old.slot[i].page)
			*find(s, old.slot[i].number) = old.slot[i];
	free(old.slot);
	return true;
}

struct bw_shadow_page *bw_shadow_find(const struct bw_shadow *s, uintptr_t host)
{
	return s->max ? find(s, host / BW_SHADOW_PAGE_B)->page : NULL;
}

struct bw_shadow_page *bw_shadow_of(const struct bw_shadow *s, uintptr_t host, uint64_t dispatch)
{
	struct bw_shadow_page *page = bw_shadow_find(s, host);
	while (page && page->dispatch != dispatch)
		page = page->next;
	return page;
}

struct bw_shadow_page *bw_shadow_add(struct bw_shadow *s, uintptr_t host, uint64_t dispatch,
				     struct bw_shadow_page *instead_of)
{
	struct bw_shadow_page *page = instead_of;
	if (page) {
		bw_shadow_empty(page);
		page->dispatch = dispatch;
		return page;
	}
	if (2 * s->n >= s->max && !grow(s))
		return NULL;
	page = calloc(1, sizeof(*page));
	if (!page)
		return NULL;
	struct bw_shadow_slot *slot = find(s, host / BW_SHADOW_PAGE_B);
	s->n += !slot->page;
	slot->number = host / BW_SHADOW_PAGE_B;
	page->store = page->load = (uint64_t *)(uintptr_t)bw_shadow_nothing;
	page->dispatch = dispatch;
	page->next = slot->page;
	slot->page = page;
	return page;
}

struct bw_shadow_page *bw_shadow_page(struct bw_shadow *s, uintptr_t host)
{
	struct bw_shadow_page *page = bw_shadow_find(s, host);
	return page ? page : bw_shadow_add(s, host, 0, NULL);
}

/* ---- cells ---- */

bool bw_shadow_is_atomic(const struct bw_shadow_cell *cell)
{
	return bw_shadow_unpack(cell->load).flag;
}

static void set_atomic(struct bw_shadow_cell *cell)
{
	struct bw_shadow_past p = bw_shadow_unpack(cell->load);
	p.flag = true;
	cell->load = bw_shadow_pack(&p);
}

/* The same LDS may have been another group's before. */
static void forget_other_group(struct bw_shadow_cell *cell, const struct bw_shadow_access *a)
{
	const struct bw_order *o = a->order;
	struct bw_shadow_past store = bw_shadow_unpack(cell->store),
			      load = bw_shadow_unpack(cell->load);
	if ((store.mask && store.wave < o->n_waves &&
	     o->wave[store.wave]->group != a->wave->group) ||
	    (load.mask && load.wave < o->n_waves && o->wave[load.wave]->group != a->wave->group))
		*cell = (struct bw_shadow_cell){0};
}

/* Whether a past access touches the same bytes, and nothing orders it before this one. */
static bool is_unordered(const struct bw_shadow_past *p, const struct bw_shadow_access *a)
{
	return p->mask & a->mask && p->wave != a->wave->serial &&
	       !bw_order_is_before(a->order, p->wave, p->clock, a->wave);
}

enum bw_shadow_before bw_shadow_look(struct bw_shadow_row *r, unsigned which, uint64_t epoch)
{
	const uint32_t wave = (uint32_t)(epoch >> (BW_SHADOW_WAVE - BW_SHADOW_CLOCK)),
		       clock = epoch & ((1u << (BW_SHADOW_WAVE - BW_SHADOW_CLOCK)) - 1);
	/* The same LDS may have been another group's before. */
	if (r->is_lds && wave < r->order->n_waves && r->order->wave[wave]->group != r->wave->group)
		return BW_SHADOW_OTHER_GROUP;
	if (!bw_order_is_before(r->order, wave, clock, r->wave)) {
		r->unordered = epoch;
		return BW_SHADOW_UNORDERED;
	}
	r->ordered[which] = epoch;
	return BW_SHADOW_BEFORE;
}

static struct bw_shadow_past present(const struct bw_shadow_access *a)
{
	return (struct bw_shadow_past){.wave = a->wave->serial,
				       .clock = a->wave->clock,
				       .place = a->place,
				       .lane = a->lane,
				       .mask = a->mask};
}

/* The bytes of an earlier access of the same wave are kept. */
static uint8_t joined_mask(const struct bw_shadow_past *old, const struct bw_shadow_past *new)
{
	bool same = old->wave == new->wave && old->clock == new->clock;
	return same ? old->mask | new->mask : new->mask;
}

static bool enter_load(struct bw_shadow_cell *cell, const struct bw_shadow_access *a,
		       struct bw_shadow_past *out)
{
	struct bw_shadow_past store = bw_shadow_unpack(cell->store),
			      load = bw_shadow_unpack(cell->load), now = present(a);
	bool conflict = !store.flag && is_unordered(&store, a);
	*out = store;
	/* Of two loads that nothing orders, the first stays: a store of the other's wave will be
	 * in conflict with it. */
	if (load.mask && is_unordered(&load, a))
		return conflict;
	now.flag = load.flag;
	now.mask = joined_mask(&load, &now);
	cell->load = bw_shadow_pack(&now);
	return conflict;
}

static void was_release(const struct bw_shadow_past *store, const struct bw_shadow_access *a)
{
	const struct bw_order_store s = {store->wave, store->clock, store->place};
	bw_order_was_release(a->order, &s, a->location);
}

/* It may be the load of an atomic object, whose store looks like any other. So it is not a
 * conflict, and takes what it reads for released. */
static void enter_atomic_load(struct bw_shadow_cell *cell, const struct bw_shadow_access *a)
{
	struct bw_shadow_past store = bw_shadow_unpack(cell->store);
	if (is_unordered(&store, a))
		was_release(&store, a);
	set_atomic(cell);
	bw_order_acquire(a->order, a->wave, a->location);
}

static void put_store(struct bw_shadow_cell *cell, const struct bw_shadow_access *a)
{
	struct bw_shadow_past store = bw_shadow_unpack(cell->store),
			      load = bw_shadow_unpack(cell->load), now = present(a);
	if (a->is_silent && store.mask && store.wave != now.wave) {
		store.flag = true;
		cell->store = bw_shadow_pack(&store);
		return;
	}
	/* Memory that had the value before the dispatch is the same in any order. */
	now.flag = a->is_silent && (store.mask ? store.flag : !a->is_lds);
	now.mask = joined_mask(&store, &now);
	cell->store = bw_shadow_pack(&now);
	cell->load = bw_shadow_pack(&(struct bw_shadow_past){.flag = load.flag});
}

static bool enter_store(struct bw_shadow_cell *cell, const struct bw_shadow_access *a,
			struct bw_shadow_past *out, bool *out_is_load)
{
	struct bw_shadow_past store = bw_shadow_unpack(cell->store),
			      load = bw_shadow_unpack(cell->load);
	bool conflict = false;
	if (load.flag) { /* as likely an atomic store */
		bw_order_release(a->order, a->wave, a->location);
	} else if (!a->is_silent) {
		*out_is_load = is_unordered(&load, a);
		conflict = *out_is_load || is_unordered(&store, a);
		*out = *out_is_load ? load : store;
	}
	put_store(cell, a);
	return conflict;
}

/* A store before the first atomic operation may have been an atomic store of another workgroup. In
 * LDS, and within the workgroup, it is the initialisation that a barrier should follow. */
static bool enter_rmw(struct bw_shadow_cell *cell, const struct bw_shadow_access *a,
		      struct bw_shadow_past *out, bool *out_is_load)
{
	struct bw_shadow_past store = bw_shadow_unpack(cell->store),
			      load = bw_shadow_unpack(cell->load), now = present(a);
	bool conflict = is_unordered(&load, a);
	*out_is_load = conflict;
	*out = load;
	if (!conflict && !load.flag && !store.flag && is_unordered(&store, a)) {
		*out = store;
		conflict = a->is_lds || a->order->wave[store.wave]->group == a->wave->group;
		if (!conflict)
			was_release(&store, a);
	}
	cell->store = bw_shadow_pack(&now);
	cell->load = bw_shadow_pack(&(struct bw_shadow_past){.flag = true});
	bw_order_release(a->order, a->wave, a->location);
	bw_order_acquire(a->order, a->wave, a->location);
	return conflict;
}

bool bw_shadow_enter(struct bw_shadow_cell *cell, const struct bw_shadow_access *a,
		     struct bw_shadow_past *out, bool *out_is_load)
{
	*out_is_load = false;
	if (a->is_lds)
		forget_other_group(cell, a);
	switch (a->kind) {
	case BW_SHADOW_LOAD:
		return enter_load(cell, a, out);
	case BW_SHADOW_ATOMIC_LOAD:
		enter_atomic_load(cell, a);
		return false;
	case BW_SHADOW_STORE:
		return enter_store(cell, a, out, out_is_load);
	case BW_SHADOW_RMW:
		return enter_rmw(cell, a, out, out_is_load);
	}
	return false;
}
