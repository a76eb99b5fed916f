/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/check/writers.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/exec/check/writers_priv.h"
#include "wire/checks.h"

enum {
	NUMBERS = 1 << BW_WRITER_NUMBER_BITS,
	PLACES = BW_WRITER_PLACES,
	PLACE_SLOTS = 1 << 15,
	RUNS = 1 << 19,
	FIRST_RUNS = 256,
};

static uint64_t pack(const struct bw_writer_word *w)
{
	enum {
		PLACE = BW_WRITER_NUMBER_BITS,
		LANE = PLACE + BW_WRITER_PLACE_BITS,
		MASK = LANE + BW_WRITER_LANE_BITS,
		MANY = MASK + BW_WRITER_MASK_BITS,
	};
	return (uint64_t)w->number | (uint64_t)w->place << PLACE | (uint64_t)w->lane << LANE |
	       (uint64_t)w->mask << MASK | (uint64_t)w->has_many << MANY;
}

static struct bw_shadow_cell cell_with(uint64_t last, uint64_t before, uint32_t value)
{
	return (struct bw_shadow_cell){last | before << 48,
				       (before >> 16 & 0xffffffff) | (uint64_t)value << 32};
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
	for (size_t i = 0; i < BW_ARRAY_SIZE(x->lanes); i++)
		free(x->lanes[i]);
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

uint32_t bw_writers_add_run(struct bw_writers *x, struct bw_writers_run r)
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

const struct bw_writers_run *bw_writers_run_of(const struct bw_writers *x, uint32_t number)
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

static struct bw_shadow_page *page_of(struct bw_writers *x, const uint8_t *host)
{
	uintptr_t number = (uintptr_t)host / BW_SHADOW_PAGE_B;
	if (!x->page || x->page_number != number) {
		x->page = bw_shadow_page(&x->shadow, (uintptr_t)host);
		x->page_number = number;
	}
	return x->page;
}

/* Whether the bytes are the next lane's of the same instruction: they are noted together. */
static bool continues(const struct bw_writer_word *last, const struct bw_writer_word *w)
{
	unsigned n = (unsigned)__builtin_popcount(last->mask);
	bool is_next = last->number == w->number && last->place == w->place &&
		       !(last->mask & w->mask) && last->mask < w->mask;
	return is_next && w->lane == last->lane + (last->has_many || n == 1 ? n : 1);
}

/* The cell after that: the writer that is the last one stays as the one before, if it is one. */
static struct bw_shadow_cell entered(const struct bw_shadow_cell *c, struct bw_writer_word w,
				     uint32_t value)
{
	struct bw_writer_word last = bw_writer_unpack(bw_writers_last(c));
	bool is_again = last.mask && last.number == w.number && last.place == w.place;
	if (is_again && __builtin_popcount(w.mask) == 1 && continues(&last, &w)) {
		last.mask |= w.mask;
		last.has_many = true;
		return cell_with(pack(&last), bw_writers_before(c), value);
	}
	return cell_with(pack(&w), last.mask ? bw_writers_last(c) : bw_writers_before(c), value);
}

void bw_writers_enter(struct bw_writers *x, const uint8_t *host, struct bw_writer_word w)
{
	struct bw_shadow_page *page = page_of(x, host);
	const uint8_t *dword = host - (uintptr_t)host % 4;
	uint32_t value;
	if (!page)
		return;
	memcpy(&value, dword, sizeof(value));
	struct bw_shadow_cell c = bw_shadow_get(page, bw_shadow_index(host));
	c = entered(&c, w, value);
	bw_shadow_put(&x->shadow, page, bw_shadow_index(host), &c);
}

void bw_writers_group(struct bw_check *c, struct bw_check_group *g)
{
	/* A draw is compared with nothing else: it has no stretch, and no job. */
	struct bw_writers_run r = {.n = g->n_waves,
				   .vmid = g->dispatch->vmid,
				   .lanes = g->dispatch->lanes,
				   .number = g->dispatch->number,
				   .stretch = g->dispatch->stretch,
				   .job = g->dispatch->job,
				   .code_va = g->dispatch->code_va,
				   .draw = g->dispatch->draw.number};
	memcpy(r.group, g->id, sizeof(r.group));
	g->writer = bw_writers_add_run(&c->writers, r);
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

/* A wave of a draw writes: what its lanes run for is not known any more when it has ended. */
static void note_lanes(struct bw_writers *x, const struct bw_check_draw *draw,
		       const struct bw_wave *w, uint32_t number)
{
	struct bw_writers_lanes **at = &x->lanes[number % BW_ARRAY_SIZE(x->lanes)], *l = *at;
	if (l && l->number == number && l->era == x->era)
		return;
	if (!l)
		l = *at = calloc(1, sizeof(*l));
	if (!l)
		return;
	l->number = number;
	l->era = x->era;
	for (unsigned lane = 0; lane < w->lanes; lane++)
		draw->lane(w, lane, l->is[lane]);
}

void bw_writers_flush(struct bw_check *c, struct bw_check_group *g, const struct bw_wave *w,
		      const struct bw_check_at *at)
{
	struct bw_writers *x = &c->writers;
	if (x->n_pending && g->writers_era != x->era)
		bw_writers_group(c, g);
	if (x->n_pending && g->dispatch->draw.number)
		note_lanes(x, &g->dispatch->draw, w, g->writer + w->index_in_group);
	uint16_t place = x->n_pending ? place_of(x, at) : 0;
	for (unsigned i = 0; i < x->n_pending; i++) {
		const struct bw_touch *t = &x->pending[i];
		for (unsigned at_b = 0, n; at_b < t->size_b; at_b += n) {
			struct bw_writer_word by = {.number = g->writer + w->index_in_group,
						    .place = place,
						    .lane = t->lane};
			n = bw_check_in_dword(t, at_b, &by.mask);
			bw_writers_enter(x, t->host + at_b, by);
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
			bw_shadow_empty(s->slot[i].page);
	pthread_mutex_unlock(&c->lock);
}

/* ---- answers ---- */

struct bw_writer bw_writers_answer_of(const struct bw_check *c, uint64_t word)
{
	const struct bw_writers *x = &c->writers;
	const struct bw_writer_word w = bw_writer_unpack(word);
	const struct bw_writers_run *r = bw_writers_run_of(x, w.number);
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
				       .dispatch = r->draw ? 0 : (uint32_t)r->number,
				       .draw = r->draw};
	const struct bw_writers_lanes *l = x->lanes[w.number % BW_ARRAY_SIZE(x->lanes)];
	if (r->draw && l && l->number == w.number && l->era == x->era)
		memcpy(by.at.lane_is, l->is[w.lane], sizeof(by.at.lane_is));
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
		const struct bw_shadow_cell cell = bw_shadow_get(page, bw_shadow_index(host));
		const uint64_t words[BW_WRITERS_KEPT] = {bw_writers_last(&cell),
							 bw_writers_before(&cell)};
		out->value = bw_writers_value(&cell);
		while (out->n < BW_WRITERS_KEPT && bw_writer_unpack(words[out->n]).mask) {
			out->by[out->n] = bw_writers_answer_of(c, words[out->n]);
			out->n++;
		}
	}
	pthread_mutex_unlock(&c->lock);
	return true;
}

/* The memory may have been another wave's before. */
bool bw_writers_look_of(struct bw_check *c, const struct bw_wave *w, bool is_lds,
			const uint8_t *host, struct bw_writers_answer *out)
{
	const struct bw_check_group *g = w->wg->check;
	struct bw_writers_answer all;
	*out = (struct bw_writers_answer){0};
	if (!(c->what & BW_CHECK_WRITERS) || !bw_writers_look(c, host, &all))
		return false;
	out->value = all.value;
	for (unsigned i = 0; g && i < all.n; i++) {
		const struct bw_writer *by = &all.by[i];
		if (by->is_forgotten || by->transfer || by->number != g->dispatch->number ||
		    memcmp(by->at.group, g->id, sizeof(by->at.group)) != 0 ||
		    (!is_lds && by->at.wave != w->index_in_group))
			break;
		out->by[out->n++] = *by;
	}
	return true;
}
