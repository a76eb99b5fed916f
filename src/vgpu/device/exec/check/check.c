/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/check/cells.h"
#include "vgpu/device/exec/check/check_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/exec/check/init.h"
#include "vgpu/device/exec/check/reads.h"
#include "wire/checks.h"

struct bw_check *bw_check_create(unsigned what, enum bw_isa_gen gen)
{
	struct bw_check *c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	pthread_mutex_init(&c->lock, NULL);
	pthread_mutex_init(&c->bounds.lock, NULL);
	bool has_list = bw_findings_init(&c->found);
	c->what = what;
	c->gen = gen;
	if (bw_init_is_on(c))
		c->init = bw_init_create();
	bool has_writers = !bw_writers_are_noted(c) || bw_writers_init(&c->writers);
	c->place = calloc(BW_SHADOW_PLACES + 1, sizeof(*c->place));
	c->place_index = calloc(BW_CHECK_PLACE_SLOTS, sizeof(*c->place_index));
	if (c->place && c->place_index && has_list && has_writers && (c->init || !bw_init_is_on(c)))
		return c;
	bw_check_destroy(c);
	return NULL;
}

static void free_groups(struct bw_check_dispatch *d)
{
	while (d->groups) {
		struct bw_check_group *g = d->groups;
		d->groups = g->next;
		free(g);
	}
}

static void free_dispatch(struct bw_check_dispatch *d)
{
	free_groups(d);
	bw_order_fini(&d->order);
	free(d);
}

void bw_check_destroy(struct bw_check *c)
{
	if (!c)
		return;
	while (c->dispatches) {
		struct bw_check_dispatch *d = c->dispatches;
		c->dispatches = d->next;
		free_dispatch(d);
	}
	bw_shadow_fini(&c->shadow);
	bw_writers_fini(&c->writers);
	bw_reads_fini(c);
	free(c->place);
	free(c->place_index);
	bw_findings_fini(&c->found);
	bw_extents_fini(&c->bounds.extents);
	for (size_t i = 0; i < BW_ARRAY_SIZE(c->bounds.program); i++)
		free(c->bounds.program[i]);
	pthread_mutex_destroy(&c->bounds.lock);
	bw_init_destroy(c->init);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* ---- places ---- */

/* Numbers are in cells, so they can be given anew only while no dispatch runs. */
static void renew_places(struct bw_check *c)
{
	if (c->n_places < BW_SHADOW_PLACES * 3 / 4 || c->dispatches)
		return;
	c->n_places = 0;
	memset(c->place_index, 0, BW_CHECK_PLACE_SLOTS * sizeof(*c->place_index));
	bw_shadow_clear(&c->shadow);
	bw_reads_clear(c);
}

static bool is_place(const struct bw_check_place *p, const struct bw_check_dispatch *d,
		     const struct bw_check_at *at)
{
	return p->pc == at->pc && p->vmid == d->vmid && p->code_va == d->code_va &&
	       p->word[0] == at->word[0];
}

static uint16_t place_of(struct bw_check *c, const struct bw_check_dispatch *d,
			 const struct bw_check_at *at)
{
	size_t i = (size_t)(((at->pc ^ d->code_va << 7) * 0x9e3779b97f4a7c15) >> 32);
	for (i %= BW_CHECK_PLACE_SLOTS; c->place_index[i]; i = (i + 1) % BW_CHECK_PLACE_SLOTS)
		if (is_place(&c->place[c->place_index[i]], d, at))
			return c->place_index[i];
	if (c->n_places == BW_SHADOW_PLACES)
		return 0;
	uint16_t n = (uint16_t)++c->n_places;
	const char *name = bw_isa_op_info(at->op)->name;
	c->place_index[i] = n;
	c->place[n] = (struct bw_check_place){
		.pc = at->pc,
		.code_va = d->code_va,
		.n_words = (uint8_t)BW_MIN(at->n_words, 3u),
		.vmid = d->vmid,
		.access = at->access,
		.name = bw_isa_op_name(c->gen, at->op),
		.is_scalar = bw_isa_op_info(at->op)->fmt == BW_FMT_SMEM,
		.is_swap = strstr(name, "_cmpswap") || strstr(name, "_cmpstore")};
	memcpy(c->place[n].word, at->word, c->place[n].n_words * sizeof(uint32_t));
	return n;
}

/* ---- dispatches and groups ---- */

void bw_check_is_explicit(struct bw_check *c, uint64_t space)
{
	bool is_known = false;
	pthread_mutex_lock(&c->lock);
	for (unsigned i = 0; i < BW_CHECK_SPACES; i++)
		is_known |= c->explicit_space[i] == space;
	if (!is_known)
		c->explicit_space[c->next_explicit++ % BW_CHECK_SPACES] = space;
	pthread_mutex_unlock(&c->lock);
}

bool bw_check_is_explicit_space(const struct bw_check *c, uint64_t space)
{
	for (unsigned i = 0; space && i < BW_CHECK_SPACES; i++)
		if (c->explicit_space[i] == space)
			return true;
	return false;
}

static struct bw_check_dispatch *new_dispatch(struct bw_check *c,
					      const struct bw_check_launch *launch)
{
	struct bw_check_dispatch *d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	renew_places(c);
	d->check = c;
	d->draw = launch->draw;
	d->number = d->draw.number ? BW_CHECK_ROUNDS | ++c->n_rounds : ++c->n_dispatches;
	d->code_va = launch->code_va;
	d->space = launch->space;
	memcpy(d->user_data, launch->user_data, sizeof(d->user_data));
	d->vmid = launch->vmid;
	d->lanes = (uint8_t)launch->lanes;
	d->stretch = launch->stretch;
	if (c->what & BW_CHECK_BOUNDS)
		d->lds_b = launch->lds_b ? launch->lds_b
					 : bw_bounds_lds(&c->bounds, d->space, d->code_va);
	d->is_explicit = bw_check_is_explicit_space(c, d->space);
	if (!d->draw.number) {
		d->job = launch->job.seq ? launch->job : bw_jobs_now(c, &launch->engine);
		d->after = bw_jobs_after(c, &d->job);
		bw_writers_dispatch(c, d);
	}
	d->next = c->dispatches;
	c->dispatches = d;
	return d;
}

static struct bw_check_group *new_group(struct bw_check_dispatch *d,
					const struct bw_check_launch *launch,
					const struct bw_workgroup *wg)
{
	const bool is_draw = launch->draw.number;
	struct bw_check_group *g = calloc(1, sizeof(*g) + wg->n_waves * sizeof(g->wave[0]));
	if (!g)
		return NULL;
	g->dispatch = d;
	g->n_waves = wg->n_waves;
	memcpy(g->id, is_draw ? launch->draw.place : wg->id, sizeof(g->id));
	bool is_ordered = d->check->what & BW_CHECK_RACES;
	if (is_ordered)
		g->order = bw_order_begin(&d->order, g->id, wg->n_waves);
	if (is_ordered && !g->order) {
		free(g);
		return NULL;
	}
	if (bw_writers_are_noted(d->check))
		bw_writers_group(d->check, g);
	g->next = d->groups;
	d->groups = g;
	return g;
}

void bw_check_group_begin(struct bw_check *c, struct bw_check_dispatch **dispatch,
			  const struct bw_check_launch *launch, struct bw_workgroup *wg)
{
	pthread_mutex_lock(&c->lock);
	if (!*dispatch)
		*dispatch = new_dispatch(c, launch);
	wg->check = *dispatch && !launch->is_restored ? new_group(*dispatch, launch, wg) : NULL;
	wg->is_touch_checked =
		wg->check && (c->what & (BW_CHECK_RACES | BW_CHECK_SYNC | BW_CHECK_WRITERS) ||
			      (*dispatch)->lds_b);
	/* What a group that is not followed does could order others. */
	if (*dispatch && !wg->check)
		(*dispatch)->order.is_blind = true;
	pthread_mutex_unlock(&c->lock);
}

void bw_check_hide_lanes(struct bw_workgroup *wg, unsigned wave, uint64_t lanes)
{
	if (wg->check && wave < wg->check->n_waves)
		wg->check->wave[wave].hidden = lanes;
}

void bw_check_barrier(struct bw_workgroup *wg)
{
	bw_sync_meet(wg);
	if (!wg->check || !wg->check->order)
		return;
	struct bw_check *c = wg->check->dispatch->check;
	pthread_mutex_lock(&c->lock);
	bw_order_barrier(&wg->check->dispatch->order, wg->check->order);
	pthread_mutex_unlock(&c->lock);
}

void bw_check_dispatch_end(struct bw_check_dispatch *d)
{
	if (!d)
		return;
	struct bw_check *c = d->check;
	pthread_mutex_lock(&c->lock);
	struct bw_check_dispatch **at = &c->dispatches;
	while (*at != d)
		at = &(*at)->next;
	*at = d->next;
	bw_check_tell(c, d->number);
	free_groups(d);
	bool is_kept = c->what & BW_CHECK_RACES && bw_reads_retire(c, d);
	pthread_mutex_unlock(&c->lock);
	if (!is_kept)
		free_dispatch(d);
}

/* ---- instructions ---- */

struct bw_check_group *bw_check_followed(const struct bw_wave *w)
{
	struct bw_check_group *g = w->wg ? w->wg->check : NULL;
	return g && !(w->status & BW_STATUS_PRIV) && w->index_in_group < g->n_waves ? g : NULL;
}

bool bw_check_begin(struct bw_check *c, struct bw_wave *w, const struct bw_check_at *at)
{
	struct bw_check_group *g = bw_check_followed(w);
	if (!g || !(g->order || bw_writers_are_noted(c)))
		return false;
	pthread_mutex_lock(&c->lock);
	c->step = (struct bw_check_step){
		.dispatch = g->dispatch,
		.wave = g->order ? &g->order->wave[w->index_in_group] : NULL,
		.loads = &g->wave[w->index_in_group],
		.place = g->order ? place_of(c, g->dispatch, at) : 0,
		.is_coherent = at->is_coherent && at->access == BW_CHECK_LOAD,
		.lds = w->wg->lds,
		.lds_b = w->wg->lds_size_b,
	};
	return true;
}

void bw_check_end(struct bw_check *c, struct bw_wave *w, const struct bw_check_at *at, bool is_done)
{
	if (c->step.has_new)
		bw_check_finish_new(c, w);
	if (c->step.has_stored && c->step.place)
		bw_order_stored(c->step.wave, c->step.place);
	if (c->step.wave)
		bw_order_step(&c->step.dispatch->order, c->step.wave);
	if (is_done)
		bw_writers_flush(c, w->wg->check, w, at);
	c->writers.n_pending = 0;
	c->step = (struct bw_check_step){0};
	pthread_mutex_unlock(&c->lock);
}

void bw_check_fence(struct bw_check *c)
{
	if (c->step.wave)
		bw_order_fence(&c->step.dispatch->order, c->step.wave);
	bw_writers_fence(c->step.dispatch);
}

void bw_check_waited(struct bw_check *c, struct bw_wave *w)
{
	struct bw_check_group *g = bw_check_followed(w);
	if (!g || !g->order || !g->order->wave[w->index_in_group].unwaited)
		return;
	pthread_mutex_lock(&c->lock);
	bw_order_waited(&g->dispatch->order, &g->order->wave[w->index_in_group]);
	pthread_mutex_unlock(&c->lock);
}

/* No location in memory has that bit. */
static const uint64_t of_gws = 1ull << 63;

static struct bw_order_wave *ordered(const struct bw_wave *w, struct bw_check_group **out_group)
{
	struct bw_check_group *g = bw_check_followed(w);
	*out_group = g;
	return g && g->order ? &g->order->wave[w->index_in_group] : NULL;
}

void bw_check_gws_arrive(struct bw_check *c, struct bw_wave *w, unsigned resource)
{
	struct bw_check_group *g;
	struct bw_order_wave *o = ordered(w, &g);
	if (!o)
		return;
	pthread_mutex_lock(&c->lock);
	bw_order_release(&g->dispatch->order, o, of_gws | resource);
	bw_order_step(&g->dispatch->order, o);
	pthread_mutex_unlock(&c->lock);
}

/* The other waves of its group learn of it at the barrier that follows, and empty their caches only
 * after that: so this counts as done here. */
void bw_check_gws_leave(struct bw_check *c, struct bw_wave *w, unsigned resource)
{
	struct bw_check_group *g;
	struct bw_order_wave *o = ordered(w, &g);
	if (!o)
		return;
	pthread_mutex_lock(&c->lock);
	bw_order_acquire(&g->dispatch->order, o, of_gws | resource);
	bw_order_fence(&g->dispatch->order, o);
	pthread_mutex_unlock(&c->lock);
}

void bw_check_give_up(struct bw_check *c)
{
	c->step.dispatch->order.is_blind = true;
}

static bool is_lds(const struct bw_wave *w, const uint8_t *host)
{
	return w->wg->lds && host >= w->wg->lds && host < w->wg->lds + w->wg->lds_size_b;
}

static enum bw_shadow_kind shadow_kind(const struct bw_check_step *s, enum bw_touch_kind kind)
{
	return kind == BW_TOUCH_STORE	 ? BW_SHADOW_STORE
	       : kind == BW_TOUCH_ATOMIC ? BW_SHADOW_RMW
	       : s->is_coherent		 ? BW_SHADOW_ATOMIC_LOAD
					 : BW_SHADOW_LOAD;
}

static bool is_lds_of(const struct bw_check_step *s, const uint8_t *host)
{
	return s->lds && host >= s->lds && host < s->lds + s->lds_b;
}

void bw_check_turn_to_page(struct bw_check *c, const uint8_t *host)
{
	struct bw_check_step *s = &c->step;
	s->page = bw_shadow_of(&c->shadow, (uintptr_t)host, s->dispatch->number);
	if (!s->page)
		s->page = bw_reads_new_page(c, (uintptr_t)host, is_lds_of(s, host));
	s->page_number = (uintptr_t)host / BW_SHADOW_PAGE_B;
}

/* Lanes that are far apart: their cells come into the processor's cache side by side. */
static void fetch_cells(struct bw_check *c, const struct bw_touch *t, unsigned n)
{
	uintptr_t first = (uintptr_t)t[0].host / BW_SHADOW_PAGE_B;
	if (first == (uintptr_t)t[n - 1].host / BW_SHADOW_PAGE_B)
		return;
	for (unsigned i = 0; i < n; i++) {
		const struct bw_shadow_page *page = bw_check_page(c, t[i].host);
		if (!page)
			continue;
		__builtin_prefetch(&page->store[bw_shadow_index(t[i].host)], 1);
		__builtin_prefetch(&page->load[bw_shadow_index(t[i].host)], 1);
	}
}

static void enter_slowly(struct bw_check *c, struct bw_wave *w, enum bw_touch_kind kind,
			 const struct bw_touch *t, unsigned from_b)
{
	struct bw_check_step *s = &c->step;
	struct bw_shadow_access a = {.order = &s->dispatch->order,
				     .wave = s->wave,
				     .kind = shadow_kind(s, kind),
				     .is_lds = is_lds(w, t->host),
				     .place = s->place,
				     .lane = t->lane};
	for (unsigned at_b = from_b, n; at_b < t->size_b; at_b += n) {
		uint8_t *host = t->host + at_b;
		struct bw_shadow_past past;
		bool past_is_load;
		n = bw_check_in_dword(t, at_b, &a.mask);
		struct bw_shadow_page *page = bw_check_page(c, host);
		if (!page)
			continue;
		struct bw_shadow_cell cell = bw_shadow_get(page, bw_shadow_index(host));
		a.is_silent = t->value && !memcmp(host, t->value + at_b, n);
		a.location = (uint64_t)(uintptr_t)host / 4;
		if (a.is_lds) /* another group may have it later */
			a.location ^= (uint64_t)(s->wave->group->serial + 1) << 46;
		bool is_race = bw_shadow_enter(&cell, &a, &past, &past_is_load);
		bw_shadow_put(&c->shadow, page, bw_shadow_index(host), &cell);
		if (is_race)
			bw_check_report(c, w,
					&(struct bw_check_race){&past, past_is_load, t,
								(enum bw_check_access)kind, at_b,
								n});
	}
}

/* Plain loads and stores of whole dwords, as far as they are nothing special: how many bytes. */
static unsigned enter_whole(struct bw_check *c, struct bw_shadow_row *row, bool is_store,
			    const struct bw_touch *t)
{
	unsigned at_b = 0;
	for (; at_b + 4 <= t->size_b; at_b += 4) {
		const uint8_t *host = t->host + at_b;
		bool is_entered = is_store ? bw_check_store_whole(c, host, row, t->lane,
								  !memcmp(host, t->value + at_b, 4))
					   : bw_check_load_whole(c, host, row, t->lane);
		if (!is_entered)
			break;
	}
	return at_b;
}

static void enter_all(struct bw_check *c, struct bw_wave *w, enum bw_touch_kind kind,
		      const struct bw_touch *t, unsigned n)
{
	const struct bw_check_step *s = &c->step;
	const bool is_store = kind == BW_TOUCH_STORE,
		   is_plain =
			   (is_store && t[0].value) || (kind == BW_TOUCH_LOAD && !s->is_coherent);
	struct bw_shadow_row row =
		bw_shadow_row(&s->dispatch->order, s->wave, s->place, is_lds_of(s, t[0].host));
	const uint8_t *last = NULL; /* loaded by the lane before */
	for (unsigned i = 0; i < n; i++) {
		unsigned done_b = 0;
		if ((!is_store && t[i].host == last) || s->loads->hidden >> t[i].lane & 1)
			continue;
		last = NULL;
		if (is_plain && !((uintptr_t)t[i].host % 4) &&
		    is_lds_of(s, t[i].host) == row.is_lds)
			done_b = enter_whole(c, &row, is_store, &t[i]);
		if (done_b < t[i].size_b)
			enter_slowly(c, w, kind, &t[i], done_b);
		else
			last = t[i].host;
	}
}

/* ---- lanes of one store ---- */

enum { LANE_SLOTS = 512 };

/* Whether two lanes store different bytes to the same address. */
static bool differ(const struct bw_touch *a, const struct bw_touch *b)
{
	const uint8_t *from = BW_MAX(a->host, b->host);
	const uint8_t *to = BW_MIN(a->host + a->size_b, b->host + b->size_b);
	return from < to && memcmp(a->value + (from - a->host), b->value + (from - b->host),
				   (size_t)(to - from)) != 0;
}

static void report_lanes(struct bw_check *c, struct bw_wave *w, const struct bw_touch *a,
			 const struct bw_touch *b)
{
	const struct bw_shadow_page *page = bw_check_page(c, b->host);
	const struct bw_shadow_past past = {
		.wave = c->step.wave->serial, .place = c->step.place, .lane = a->lane, .mask = 15};
	if (!page)
		return;
	const struct bw_shadow_cell cell = bw_shadow_get(page, bw_shadow_index(b->host));
	if (!bw_shadow_is_atomic(&cell))
		bw_check_report(
			c, w,
			&(struct bw_check_race){&past, false, b, BW_CHECK_STORE, 0, b->size_b});
}

static bool is_ascending(const struct bw_touch *t, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		if (t[i].host < t[i - 1].host + t[i - 1].size_b)
			return false;
	return true;
}

/* Elements of one instruction have one size, and are seldom at odd distances: it is enough to
 * compare those that begin in the same dword. */
static void compare_lanes(struct bw_check *c, struct bw_wave *w, const struct bw_touch *t,
			  unsigned n)
{
	uint16_t slot[LANE_SLOTS] = {0};
	if (is_ascending(t, n))
		return;
	for (unsigned i = 0; i < n && i < LANE_SLOTS / 2; i++) {
		uintptr_t dword = (uintptr_t)t[i].host / 4;
		size_t k = (size_t)((dword * 0x9e3779b97f4a7c15) >> 40) % LANE_SLOTS;
		while (slot[k] && (uintptr_t)t[slot[k] - 1].host / 4 != dword)
			k = (k + 1) % LANE_SLOTS;
		if (!slot[k]) {
			slot[k] = (uint16_t)(i + 1);
			continue;
		}
		const struct bw_touch *first = &t[slot[k] - 1];
		if (first->lane != t[i].lane && differ(first, &t[i])) {
			report_lanes(c, w, first, &t[i]);
			return;
		}
	}
}

/* ---- loops of compare-and-swap ---- */

/* Notes a plain load, and recognises the one that a compare-and-swap of the same location follows.
 * The first lane's location stands for those of all. */
static void note_swap_loop(struct bw_check *c, enum bw_shadow_kind kind, const struct bw_touch *t)
{
	const struct bw_check_step *s = &c->step;
	struct bw_check_wave *w = s->loads;
	uint64_t location = (uint64_t)(uintptr_t)t->host / 4;
	if (kind == BW_SHADOW_LOAD)
		bw_check_note_load(s, t->host);
	if (kind != BW_SHADOW_RMW || !c->place[s->place].is_swap)
		return;
	for (unsigned i = 0; i < BW_CHECK_LOADS; i++) {
		struct bw_check_place *load = &c->place[w->load[i].place];
		if (!w->load[i].place || w->load[i].location != location || load->is_for_swap)
			continue;
		load->is_for_swap = true;
		bw_check_withdraw(c, w->load[i].place);
	}
}

void bw_check_touch_private(struct bw_wave *w, const struct bw_touch *touches, unsigned n)
{
	struct bw_check_group *g = bw_check_followed(w);
	if (g && g->dispatch->check->what & BW_CHECK_WRITERS)
		bw_writers_pend(g->dispatch->check, touches, n);
}

void bw_check_touch(struct bw_wave *w, enum bw_touch_kind kind, const struct bw_touch *touches,
		    unsigned n)
{
	struct bw_check_group *g = bw_check_followed(w);
	if (!g)
		return;
	struct bw_check *c = g->dispatch->check;
	bool is_memory = n && !is_lds(w, touches[0].host);
	bw_sync_touch(g, w, kind, touches, n);
	if (g->dispatch->lds_b && n && !is_memory)
		bw_bounds_touch_lds(g, w, kind, touches, n);
	if (kind != BW_TOUCH_LOAD &&
	    (is_memory ? bw_writers_are_noted(c) : (c->what & BW_CHECK_WRITERS) != 0))
		bw_writers_pend(c, touches, n);
	if (g->dispatch->has_sibling && is_memory)
		bw_writers_compare(c, g, w, kind, touches, n);
	if (!g->order)
		return;
	c->step.has_stored |= kind == BW_TOUCH_STORE && is_memory;
	if (kind == BW_TOUCH_STORE)
		compare_lanes(c, w, touches, n);
	else if (n)
		note_swap_loop(c, shadow_kind(&c->step, kind), touches);
	if (n)
		fetch_cells(c, touches, n);
	if (n)
		enter_all(c, w, kind, touches, n);
}
