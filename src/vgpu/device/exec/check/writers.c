/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/check/writers.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/exec/check/check_priv.h"
#include "wire/checks.h"

/* A writer in 48 bits of a cell, which has the value in the rest: in the words `store` and `load`
 * of struct bw_shadow_cell. */
enum {
	NUMBER_BITS = 24,
	PLACE_BITS = 13,
	LANE_BITS = 6,
	MASK_BITS = 4,
	NUMBERS = 1 << NUMBER_BITS,
	PLACES = (1 << PLACE_BITS) - 1,
	PLACE_SLOTS = 1 << 15,
	RUNS = 1 << 19,
	FIRST_RUNS = 256,
};

/* The only dispatch of the shadow's pages: they are never emptied for another. */
enum { ALWAYS = 1 };

/* Writers whose numbers follow each other: the waves of a workgroup, or a packet. */
struct bw_writers_run {
	uint32_t first, n;
	enum bw_transfer transfer;
	uint8_t vmid, lanes; /* lanes: of a wave */
	uint64_t number;     /* of the dispatch */
	uint64_t stretch;    /* bw_check_launch */
	uint64_t code_va;    /* of waves; of a packet: source less address */
	uint32_t group[3];
};

/* An instruction that stores, numbered from 1. */
struct bw_writers_place {
	uint64_t pc;
	uint32_t word[3];
	uint8_t n_words, access;
	uint16_t op;
};

struct writer {
	uint32_t number;
	uint16_t place;
	uint8_t lane, mask;
	/* of two or more bytes, the next lanes in order have stored the further ones */
	bool has_many;
};

static uint64_t pack(const struct writer *w)
{
	return (uint64_t)w->number | (uint64_t)w->place << NUMBER_BITS |
	       (uint64_t)w->lane << (NUMBER_BITS + PLACE_BITS) |
	       (uint64_t)w->mask << (NUMBER_BITS + PLACE_BITS + LANE_BITS) |
	       (uint64_t)w->has_many << (NUMBER_BITS + PLACE_BITS + LANE_BITS + MASK_BITS);
}

static struct writer unpack(uint64_t word)
{
	return (struct writer){
		.number = word & (NUMBERS - 1),
		.place = word >> NUMBER_BITS & PLACES,
		.lane = word >> (NUMBER_BITS + PLACE_BITS) & ((1 << LANE_BITS) - 1),
		.mask = word >> (NUMBER_BITS + PLACE_BITS + LANE_BITS) & ((1 << MASK_BITS) - 1),
		.has_many = word >> (NUMBER_BITS + PLACE_BITS + LANE_BITS + MASK_BITS) & 1};
}

static uint64_t last_of(const struct bw_shadow_cell *c)
{
	return c->store & 0xffffffffffff;
}

static uint64_t before_of(const struct bw_shadow_cell *c)
{
	return c->store >> 48 | (c->load & 0xffffffff) << 16;
}

static void put(struct bw_shadow_cell *c, uint64_t last, uint64_t before, uint32_t value)
{
	c->store = last | before << 48;
	c->load = (before >> 16 & 0xffffffff) | (uint64_t)value << 32;
}

/* Races between dispatches need them, too. */
bool bw_writers_are_noted(const struct bw_check *c)
{
	return c->what & (BW_CHECK_WRITERS | BW_CHECK_RACES);
}

bool bw_writers_init(struct bw_writers *x)
{
	x->place = calloc(PLACES + 1, sizeof(*x->place));
	x->place_index = calloc(PLACE_SLOTS, sizeof(*x->place_index));
	return x->place && x->place_index;
}

void bw_writers_fini(struct bw_writers *x)
{
	bw_shadow_fini(&x->shadow);
	free(x->place);
	free(x->place_index);
	free(x->run);
}

/* ---- numbers and places ---- */

static bool grow(struct bw_writers *x)
{
	size_t max = BW_MAX(2 * x->max_runs, (size_t)FIRST_RUNS);
	struct bw_writers_run *run = realloc(x->run, max * sizeof(*run));
	if (!run)
		return false;
	x->run = run;
	x->max_runs = max;
	return true;
}

/* The number of the first of n new writers. */
static uint32_t add_run(struct bw_writers *x, struct bw_writers_run r)
{
	if (x->next + r.n > NUMBERS) { /* all numbers begin anew */
		bw_shadow_clear(&x->shadow);
		x->n_runs = 0;
		x->next = 0;
		x->first_kept = 0;
		x->page = NULL;
		x->era++;
	}
	if (x->n_runs == x->max_runs && x->max_runs < RUNS && !grow(x) && !x->max_runs)
		return 0;
	r.first = x->next;
	x->run[x->n_runs++ % x->max_runs] = r;
	x->first_kept = x->n_runs > x->max_runs ? x->n_runs - x->max_runs : 0;
	x->next += r.n;
	return r.first;
}

static const struct bw_writers_run *run_of(const struct bw_writers *x, uint32_t number)
{
	size_t from = x->first_kept, to = x->n_runs;
	while (from < to) {
		size_t k = (from + to) / 2;
		const struct bw_writers_run *r = &x->run[k % x->max_runs];
		if (number < r->first)
			to = k;
		else if (number - r->first >= r->n)
			from = k + 1;
		else
			return r;
	}
	return NULL;
}

static uint16_t place_of(struct bw_writers *x, const struct bw_check_at *at)
{
	size_t i = (size_t)((at->pc * 0x9e3779b97f4a7c15) >> 32) % PLACE_SLOTS;
	for (; x->place_index[i]; i = (i + 1) % PLACE_SLOTS) {
		const struct bw_writers_place *p = &x->place[x->place_index[i]];
		if (p->pc == at->pc && p->word[0] == at->word[0] && p->op == at->op)
			return x->place_index[i];
	}
	if (x->n_places == PLACES)
		return 0;
	uint16_t n = (uint16_t)++x->n_places;
	struct bw_writers_place *p = &x->place[n];
	x->place_index[i] = n;
	*p = (struct bw_writers_place){.pc = at->pc,
				       .n_words = (uint8_t)BW_MIN(at->n_words, 3u),
				       .access = (uint8_t)at->access,
				       .op = (uint16_t)at->op};
	memcpy(p->word, at->word, p->n_words * sizeof(uint32_t));
	return n;
}

/* ---- what is written ---- */

static struct bw_shadow_cell *cell_of(struct bw_writers *x, const uint8_t *host)
{
	uintptr_t number = (uintptr_t)host / BW_SHADOW_PAGE_B;
	if (!x->page || x->page_number != number) {
		x->page = bw_shadow_page(&x->shadow, (uintptr_t)host, ALWAYS);
		x->page_number = number;
	}
	return x->page ? &x->page->cell[(uintptr_t)host % BW_SHADOW_PAGE_B / 4] : NULL;
}

/* Whether the bytes are the next lane's of the same instruction: they are noted together. */
static bool continues(const struct writer *last, const struct writer *w)
{
	unsigned n = (unsigned)__builtin_popcount(last->mask);
	bool is_next = last->number == w->number && last->place == w->place &&
		       !(last->mask & w->mask) && last->mask < w->mask;
	return is_next && w->lane == last->lane + (last->has_many || n == 1 ? n : 1);
}

static void enter(struct bw_writers *x, const uint8_t *host, struct writer w)
{
	struct bw_shadow_cell *c = cell_of(x, host);
	const uint8_t *dword = host - (uintptr_t)host % 4;
	uint32_t value;
	if (!c)
		return;
	memcpy(&value, dword, sizeof(value));
	struct writer last = unpack(last_of(c));
	bool is_again = last.mask && last.number == w.number && last.place == w.place;
	if (is_again && __builtin_popcount(w.mask) == 1 && continues(&last, &w)) {
		last.mask |= w.mask;
		last.has_many = true;
		put(c, pack(&last), before_of(c), value);
		return;
	}
	put(c, pack(&w), last.mask ? last_of(c) : before_of(c), value);
}

void bw_writers_group(struct bw_check *c, struct bw_check_group *g, const uint32_t id[3])
{
	struct bw_writers_run r = {.n = g->n_waves,
				   .vmid = g->dispatch->vmid,
				   .lanes = g->dispatch->lanes,
				   .number = g->dispatch->number,
				   .stretch = g->dispatch->stretch,
				   .code_va = g->dispatch->code_va};
	memcpy(r.group, id, sizeof(r.group));
	g->writer = add_run(&c->writers, r);
	g->writers_era = c->writers.era;
}

void bw_writers_pend(struct bw_check *c, const struct bw_touch *touches, unsigned n)
{
	struct bw_writers *x = &c->writers;
	for (unsigned i = 0; i < n && x->n_pending < BW_ARRAY_SIZE(x->pending); i++)
		x->pending[x->n_pending++] = (struct bw_touch){.host = touches[i].host,
							       .lane = touches[i].lane,
							       .size_b = touches[i].size_b};
}

void bw_writers_flush(struct bw_check *c, struct bw_check_group *g, const struct bw_wave *w,
		      const struct bw_check_at *at)
{
	struct bw_writers *x = &c->writers;
	if (x->n_pending && g->writers_era != x->era)
		bw_writers_group(c, g, w->wg->id);
	uint16_t place = x->n_pending ? place_of(x, at) : 0;
	for (unsigned i = 0; i < x->n_pending; i++) {
		const struct bw_touch *t = &x->pending[i];
		for (unsigned at_b = 0, n; at_b < t->size_b; at_b += n) {
			struct writer by = {.number = g->writer + w->index_in_group,
					    .place = place,
					    .lane = t->lane};
			n = bw_check_in_dword(t, at_b, &by.mask);
			enter(x, t->host + at_b, by);
		}
	}
	x->n_pending = 0;
}

void bw_writers_forget(struct bw_check *c, const uint8_t *host, uint64_t size_b)
{
	if (!c || !bw_writers_are_noted(c) || !size_b)
		return;
	uint64_t first = (uintptr_t)host / BW_SHADOW_PAGE_B,
		 last = ((uintptr_t)host + size_b - 1) / BW_SHADOW_PAGE_B;
	pthread_mutex_lock(&c->lock);
	const struct bw_shadow *s = &c->writers.shadow;
	for (size_t i = 0; i < s->max; i++)
		if (s->slot[i].page && s->slot[i].number >= first && s->slot[i].number <= last)
			memset(s->slot[i].page->cell, 0, sizeof(s->slot[i].page->cell));
	pthread_mutex_unlock(&c->lock);
}

/* ---- answers ---- */

static struct bw_writer answer(const struct bw_check *c, uint64_t word)
{
	const struct bw_writers *x = &c->writers;
	const struct writer w = unpack(word);
	const struct bw_writers_run *r = run_of(x, w.number);
	struct bw_writer by = {.mask = w.mask,
			       .n_lanes = w.has_many ? (uint8_t)__builtin_popcount(w.mask) : 1,
			       .is_forgotten = !r,
			       .at = {.lane = w.lane}};
	if (!r)
		return by;
	by.transfer = r->transfer;
	by.vmid = r->vmid;
	by.number = r->number;
	by.source = r->transfer ? r->code_va : 0;
	if (r->transfer) {
		by.at = bw_check_side_of_transfer(r->transfer);
		return by;
	}
	const struct bw_writers_place *p = &x->place[w.place];
	by.at = (struct bw_check_side){.access = (enum bw_check_access)p->access,
				       .pc = w.place ? p->pc : 0,
				       .code_va = r->code_va,
				       .n_words = p->n_words,
				       .name = bw_isa_op_name(c->gen, p->op),
				       .wave = (uint16_t)(w.number - r->first),
				       .lane = w.lane,
				       .dispatch = (uint32_t)r->number};
	memcpy(by.at.word, p->word, sizeof(by.at.word));
	memcpy(by.at.group, r->group, sizeof(by.at.group));
	return by;
}

bool bw_writers_look(struct bw_check *c, const uint8_t *host, struct bw_writers_answer *out)
{
	struct bw_writers *x = &c->writers;
	*out = (struct bw_writers_answer){0};
	if (!bw_writers_are_noted(c))
		return false;
	pthread_mutex_lock(&c->lock);
	const struct bw_shadow_page *page = bw_shadow_find(&x->shadow, (uintptr_t)host);
	if (page) {
		const struct bw_shadow_cell *cell =
			&page->cell[(uintptr_t)host % BW_SHADOW_PAGE_B / 4];
		const uint64_t words[BW_WRITERS_KEPT] = {last_of(cell), before_of(cell)};
		out->value = (uint32_t)(cell->load >> 32);
		while (out->n < BW_WRITERS_KEPT && unpack(words[out->n]).mask) {
			out->by[out->n] = answer(c, words[out->n]);
			out->n++;
		}
	}
	pthread_mutex_unlock(&c->lock);
	return true;
}

/* ---- races between dispatches ---- */

static struct bw_writers_stretch *stretch_of(struct bw_writers *x, uint64_t number)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(x->stretch); i++)
		if (x->stretch[i].number == number)
			return &x->stretch[i];
	struct bw_writers_stretch *s = &x->stretch[x->next_stretch++ % BW_ARRAY_SIZE(x->stretch)];
	*s = (struct bw_writers_stretch){.number = number, .first = x->next, .era = x->era};
	return s;
}

void bw_writers_dispatch(struct bw_check *c, struct bw_check_dispatch *d)
{
	struct bw_writers *x = &c->writers;
	if (!(c->what & BW_CHECK_RACES) || !d->stretch)
		return;
	struct bw_writers_stretch *s = stretch_of(x, d->stretch);
	d->first = s->first;
	d->era = s->era;
	d->has_sibling = s->n++ != 0;
	for (struct bw_check_dispatch *o = c->dispatches; d->has_sibling && o; o = o->next)
		o->has_sibling |= o->stretch == d->stretch;
}

/* The writer of bytes of a dword, if it belongs to another dispatch that nothing orders, or to a
 * packet of which that is certain. */
static const struct bw_writers_run *other_dispatch(const struct bw_writers *x,
						   const struct bw_check_dispatch *d,
						   const struct writer *last, uint8_t mask)
{
	if (!(last->mask & mask) || (d->era == x->era && last->number < d->first))
		return NULL;
	const struct bw_writers_run *r = run_of(x, last->number);
	if (!r || r->stretch != d->stretch)
		return NULL;
	bool is_other = r->transfer ? d->is_explicit : r->number != d->number;
	return is_other ? r : NULL;
}

/* What the language allows: atomic operations of both; a load of coherent memory, which may be
 * that of an atomic object; a store that changes nothing. */
static bool is_allowed(const struct bw_check *c, const struct writer *last, enum bw_touch_kind kind,
		       bool is_silent)
{
	bool was_atomic = last->place && c->writers.place[last->place].access == BW_CHECK_ATOMIC;
	return c->step.is_coherent || is_silent || (kind == BW_TOUCH_ATOMIC && was_atomic);
}

void bw_writers_compare(struct bw_check *c, struct bw_check_group *g, struct bw_wave *w,
			enum bw_touch_kind kind, const struct bw_touch *touches, unsigned n)
{
	struct bw_writers *x = &c->writers;
	const struct bw_check_at *at = g->wave[w->index_in_group].at;
	const struct bw_check_dispatch *d = g->dispatch;
	for (unsigned i = 0; at && i < n; i++) {
		const struct bw_touch *t = &touches[i];
		const struct bw_shadow_page *page = NULL;
		for (unsigned at_b = 0, k; at_b < t->size_b; at_b += k) {
			uint8_t mask;
			uint8_t *host = t->host + at_b;
			k = bw_check_in_dword(t, at_b, &mask);
			if (!page || (uintptr_t)host % BW_SHADOW_PAGE_B < 4)
				page = bw_shadow_find(&x->shadow, (uintptr_t)host);
			if (!page)
				break;
			uint64_t word =
				last_of(&page->cell[(uintptr_t)host % BW_SHADOW_PAGE_B / 4]);
			const struct writer last = unpack(word);
			bool is_silent = t->value && !memcmp(host, t->value + at_b, k);
			if (!other_dispatch(x, d, &last, mask) ||
			    is_allowed(c, &last, kind, is_silent))
				continue;
			const struct bw_writer then = answer(c, word);
			const struct bw_touch part = {
				.host = host, .lane = t->lane, .size_b = (uint8_t)k};
			bw_check_dispatches_race(c, w, at, &then, &part);
		}
	}
}

/* ---- packets ---- */

bool bw_writers_compare_packets(const struct bw_check *c)
{
	return c && c->what & BW_CHECK_RACES;
}

/* A packet reads or changes a dword that a dispatch of the same stretch has written. */
static void compare_packet(struct bw_check *c, const struct bw_writers_packet *p, uint64_t va,
			   const uint8_t *host, bool is_silent)
{
	struct bw_writers *x = &c->writers;
	const struct bw_shadow_page *page = bw_shadow_find(&x->shadow, (uintptr_t)host);
	if (!p->stretch || !page)
		return;
	const struct bw_shadow_cell *cell = &page->cell[(uintptr_t)host % BW_SHADOW_PAGE_B / 4];
	uint32_t value;
	memcpy(&value, host - (uintptr_t)host % 4, sizeof(value));
	uint64_t word = last_of(cell);
	const struct writer last = unpack(word);
	const struct bw_writers_run *r = last.mask ? run_of(x, last.number) : NULL;
	if (!r || r->transfer || r->stretch != p->stretch ||
	    (is_silent && value == (uint32_t)(cell->load >> 32)))
		return;
	const struct bw_writer then = answer(c, word);
	bw_check_packet_race(c, &then, p->transfer, va, r->lanes);
}

/* A dword of a packet's bytes, or a part of it. */
struct dword {
	uint64_t va;
	const uint8_t *host;
	unsigned n;
};
static bool next_dword(struct bw_tlb *tlb, struct dword *d, uint64_t va, uint64_t left)
{
	struct bw_vm_fault no_matter = {0};
	if (!d->host || va % BW_PAGE_B == 0)
		d->host = bw_tlb_lookup_unwatched(
			tlb, bw_canonical(va), (enum bw_access)(BW_ACCESS_READ | BW_ACCESS_PROBE),
			&no_matter);
	else
		d->host += d->n;
	d->va = va;
	d->n = (unsigned)BW_MIN(4 - va % 4, left);
	return d->host;
}

static void note_reads(struct bw_check *c, struct bw_tlb *tlb, const struct bw_writers_packet *p)
{
	struct dword d = {0};
	for (uint64_t at = 0; at < p->size_b && next_dword(tlb, &d, p->from + at, p->size_b - at);
	     at += d.n)
		compare_packet(c, p, d.va, d.host, false);
}

void bw_writers_note(struct bw_check *c, struct bw_tlb *tlb, const struct bw_writers_packet *p)
{
	/* VMID 0 is the driver's */
	if (!c || !bw_writers_are_noted(c) || !p->size_b || !p->vmid)
		return;
	struct bw_writers *x = &c->writers;
	struct dword d = {0};
	pthread_mutex_lock(&c->lock);
	if (p->stretch && bw_writers_compare_packets(c))
		stretch_of(x, p->stretch)->n++;
	if (p->stretch && p->from)
		note_reads(c, tlb, p);
	struct writer by = {
		.number = add_run(
			x, (struct bw_writers_run){.n = 1,
						   .transfer = p->transfer,
						   .vmid = p->vmid,
						   .stretch = p->stretch,
						   .code_va = p->from ? p->from - p->to : 0})};
	for (uint64_t at = 0; at < p->size_b && next_dword(tlb, &d, p->to + at, p->size_b - at);
	     at += d.n) {
		compare_packet(c, p, d.va, d.host, true);
		by.mask = (uint8_t)(((1u << d.n) - 1) << d.va % 4);
		enter(x, d.host, by);
	}
	pthread_mutex_unlock(&c->lock);
}
