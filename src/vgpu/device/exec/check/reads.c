/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/check/reads.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/exec/check/writers_priv.h"

enum {
	WAVES_MAX = 1 << 19, /* of all dispatches that have ended and are kept */
};

/* A cell of c->reads.shadow: `store` is the access, as packed for races; `load` the number of its
 * dispatch, or that of a packet as a writer. */
static const uint64_t by_packet = 1ull << 63;

/* ---- dispatches that have ended ---- */

static void drop_oldest(struct bw_reads *r)
{
	struct bw_check_dispatch *d = r->ended[0];
	r->n_waves -= d->order.n_waves;
	memmove(&r->ended[0], &r->ended[1], --r->n_ended * sizeof(r->ended[0]));
	bw_order_fini(&d->order);
	free(d);
}

void bw_reads_clear(struct bw_check *c)
{
	while (c->reads.n_ended)
		drop_oldest(&c->reads);
	bw_shadow_clear(&c->reads.shadow);
}

void bw_reads_fini(struct bw_check *c)
{
	bw_reads_clear(c);
	bw_shadow_fini(&c->reads.shadow);
}

static struct bw_check_act act_of(const struct bw_check_dispatch *d)
{
	return (struct bw_check_act){d->stretch, d->number, d->job};
}

bool bw_reads_retire(struct bw_check *c, struct bw_check_dispatch *d)
{
	struct bw_reads *r = &c->reads;
	const struct bw_check_now as = {act_of(d), d->is_explicit, NULL};
	if (d->draw.number || !bw_reads_are_noted(&as) || !d->order.n_waves ||
	    d->order.n_waves > WAVES_MAX)
		return false;
	while (r->n_ended == BW_ARRAY_SIZE(r->ended) ||
	       (r->n_ended && r->n_waves + d->order.n_waves > WAVES_MAX))
		drop_oldest(r);
	bw_order_end(&d->order);
	r->ended[r->n_ended++] = d;
	r->n_waves += d->order.n_waves;
	return true;
}

static const struct bw_check_dispatch *dispatch_of(const struct bw_check *c, uint64_t number)
{
	for (const struct bw_check_dispatch *d = c->dispatches; d; d = d->next)
		if (d->number == number)
			return d;
	for (unsigned i = 0; i < c->reads.n_ended; i++)
		if (c->reads.ended[i]->number == number)
			return c->reads.ended[i];
	return NULL;
}

unsigned bw_reads_lanes(struct bw_check *c, const struct bw_check_side *s)
{
	const struct bw_check_dispatch *d = dispatch_of(c, s->dispatch);
	return d ? d->lanes : 0;
}

/* ---- reads ---- */

static void keep(struct bw_check *c, const struct bw_shadow_page *page, uintptr_t host)
{
	const struct bw_check_dispatch *d = dispatch_of(c, page->dispatch);
	struct bw_shadow_page *kept = d ? bw_shadow_page(&c->reads.shadow, host) : NULL;
	for (unsigned i = 0; kept && i < BW_SHADOW_CELLS; i++) {
		const struct bw_shadow_past load = bw_shadow_unpack(page->load[i]);
		if (load.mask && !load.flag)
			bw_shadow_put(&c->reads.shadow, kept, i,
				      &(struct bw_shadow_cell){page->load[i], d->number});
	}
}

static bool is_running(const struct bw_check *c, uint64_t dispatch)
{
	const struct bw_check_dispatch *d = c->dispatches;
	while (d && d->number != dispatch)
		d = d->next;
	return d;
}

struct bw_shadow_page *bw_reads_new_page(struct bw_check *c, uintptr_t host, bool is_lds)
{
	enum { PAGES_MAX = 64 }; /* of the same memory: of dispatches that run at the same time */
	const struct bw_check_dispatch *d = c->step.dispatch;
	struct bw_shadow_page *page = bw_shadow_find(&c->shadow, host);
	unsigned n = 0;
	for (; page && is_running(c, page->dispatch) && ++n < PAGES_MAX; page = page->next)
		;
	if (page && d->has_sibling && !is_lds)
		keep(c, page, host);
	return bw_shadow_add(&c->shadow, host, d->number, page);
}

void bw_reads_note(struct bw_check *c, const uint8_t *host, uint8_t mask, uint32_t number)
{
	struct bw_shadow_page *page = bw_shadow_page(&c->reads.shadow, (uintptr_t)host);
	if (page)
		bw_shadow_put(&c->reads.shadow, page, bw_shadow_index(host),
			      &(struct bw_shadow_cell){
				      bw_shadow_pack(&(struct bw_shadow_past){.mask = mask}),
				      by_packet | number});
}

/* The side of a load, if it is one of these bytes that counts. */
static bool is_reader(const struct bw_check *c, uint64_t word, uint64_t dispatch, uint8_t mask,
		      const struct bw_check_now *now, struct bw_reader *out)
{
	const struct bw_shadow_past p = bw_shadow_unpack(word);
	if (!(p.mask & mask) || p.flag || !p.place || c->place[p.place].is_for_swap ||
	    bw_check_may_not_need(c, p.place, mask) || dispatch == now->act.dispatch)
		return false;
	const struct bw_check_dispatch *d = dispatch_of(c, dispatch);
	const struct bw_check_act then = d ? act_of(d) : (struct bw_check_act){0};
	if (!d || d->draw.number || p.wave >= d->order.n_waves ||
	    !bw_jobs_are_unordered(now, &then, &out->relation))
		return false;
	out->at = bw_check_side_of_past(c, d, p.place, p.wave, p.lane);
	return true;
}

static bool is_reading_packet(const struct bw_check *c, const struct bw_shadow_cell *cell,
			      uint8_t mask, const struct bw_check_now *now, struct bw_reader *out)
{
	if (!(bw_shadow_unpack(cell->store).mask & mask))
		return false;
	const struct bw_writers_run *r =
		bw_writers_run_of(&c->writers, (uint32_t)(cell->load & ~by_packet));
	if (!r || !r->transfer)
		return false;
	const struct bw_check_act then = {r->stretch, 0, r->job};
	out->at = bw_check_side_of_transfer(r->transfer);
	return bw_jobs_are_unordered(now, &then, &out->relation);
}

bool bw_reads_find(struct bw_check *c, const uint8_t *host, uint8_t mask,
		   const struct bw_check_now *now, struct bw_reader *out)
{
	const unsigned at = bw_shadow_index(host);
	if (!bw_reads_are_noted(now))
		return false;
	for (const struct bw_shadow_page *p = bw_shadow_find(&c->shadow, (uintptr_t)host); p;
	     p = p->next)
		if (is_reader(c, p->load[at], p->dispatch, mask, now, out))
			return true;
	const struct bw_shadow_page *kept = bw_shadow_find(&c->reads.shadow, (uintptr_t)host);
	if (!kept)
		return false;
	const struct bw_shadow_cell cell = bw_shadow_get(kept, at);
	return cell.load & by_packet ? is_reading_packet(c, &cell, mask, now, out)
				     : is_reader(c, cell.store, cell.load, mask, now, out);
}
