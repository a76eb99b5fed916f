/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/util.h"
#include "base/words.h"
#include "vgpu/device/exec/check/check_priv.h"

const char *bw_check_relation_name(enum bw_check_relation relation)
{
	static const char *const names[] = {[BW_CHECK_LANES] = "lanes",
					    [BW_CHECK_WAVES] = "waves",
					    [BW_CHECK_GROUPS] = "groups"};
	return names[relation];
}

const char *bw_check_access_name(enum bw_check_access access)
{
	static const char *const names[] = {[BW_CHECK_LOAD] = "load",
					    [BW_CHECK_STORE] = "store",
					    [BW_CHECK_ATOMIC] = "atomic",
					    [BW_CHECK_BARRIER] = "barrier"};
	return names[access];
}

/* ---- where it is ---- */

/* The virtual address of a host address, which the wave has just looked up; 0: not known. */
static uint64_t va_of(const struct bw_wave *w, const uint8_t *host)
{
	const struct bw_tlb *tlb = w->tlb;
	for (unsigned i = 0; i < BW_TLB_RANGES; i++) {
		const struct bw_tlb_range *r = &tlb->range[i];
		if (r->size_b && host >= r->host && host < r->host + r->size_b)
			return r->va + (uint64_t)(host - r->host);
	}
	for (unsigned i = 0; i < BW_TLB_ENTRIES; i++) {
		const struct bw_tlb_entry *e = &tlb->entry[i];
		if (e->tag != UINT64_MAX && e->host && host >= e->host &&
		    host < e->host + BW_PAGE_B)
			return e->tag * BW_PAGE_B + (uint64_t)(host - e->host);
	}
	return 0;
}

/* Looks through a block of arguments for the pointer that is nearest below f->va. */
static void look_for_pointer(struct bw_wave *w, unsigned sgpr, uint64_t block,
			     struct bw_check_finding *f)
{
	enum { ARGUMENTS_B = 512 };
	for (uint32_t at = 0; at < ARGUMENTS_B; at += 8) {
		struct bw_vm_fault no_matter = {0};
		uint64_t va = block + at, pointer;
		const uint8_t *host = bw_tlb_lookup_unwatched(
			w->tlb, va, (enum bw_access)(BW_ACCESS_READ | BW_ACCESS_PROBE), &no_matter);
		if (!host)
			return;
		memcpy(&pointer, host, sizeof(pointer));
		if (!pointer || pointer > f->va || f->va - pointer > UINT32_MAX ||
		    (f->has_pointer && pointer <= f->pointer))
			continue;
		f->has_pointer = true;
		f->pointer_sgpr = (uint8_t)sgpr;
		f->pointer_offset = at;
		f->pointer = pointer;
	}
}

void bw_check_find_pointer(const struct bw_check_dispatch *d, struct bw_wave *w,
			   struct bw_check_finding *f)
{
	for (unsigned i = 0; f->va && i + 1 < BW_ARRAY_SIZE(d->user_data); i += 2) {
		uint64_t block = bw_join32(d->user_data[i + 1], d->user_data[i]);
		if (block && block % 8 == 0 && bw_canonical(block) == block)
			look_for_pointer(w, i, block, f);
	}
}

static struct bw_check_side side_of(const struct bw_check *c, unsigned place, uint32_t wave,
				    unsigned lane)
{
	const struct bw_check_place *p = &c->place[place];
	const struct bw_order_wave *w = c->step.dispatch->order.wave[wave];
	struct bw_check_side s = {.access = p->access,
				  .pc = place ? p->pc : 0,
				  .code_va = p->code_va,
				  .n_words = p->n_words,
				  .name = place ? p->name : "?",
				  .wave = w->index,
				  .lane = (uint8_t)lane};
	memcpy(s.word, p->word, sizeof(s.word));
	memcpy(s.group, w->group->id, sizeof(s.group));
	return s;
}

struct bw_check_side bw_check_side_of(const struct bw_check_dispatch *d, const struct bw_wave *w,
				      const struct bw_check_at *at, unsigned lane)
{
	struct bw_check_side s = {.access = at->access,
				  .pc = at->pc,
				  .code_va = d->code_va,
				  .n_words = (uint8_t)BW_MIN(at->n_words, 3u),
				  .name = at->name,
				  .wave = w->index_in_group,
				  .lane = (uint8_t)lane};
	memcpy(s.word, at->word, s.n_words * sizeof(s.word[0]));
	memcpy(s.group, w->wg->id, sizeof(s.group));
	return s;
}

/* ---- findings ---- */

static bool is_same(const struct bw_check_finding *a, const struct bw_check_finding *b)
{
	bool straight = a->first.pc == b->first.pc && a->second.pc == b->second.pc;
	bool crossed = a->first.pc == b->second.pc && a->second.pc == b->first.pc;
	return a->vmid == b->vmid && a->relation == b->relation && a->is_lds == b->is_lds &&
	       (straight || crossed);
}

static struct bw_check_finding *find(struct bw_check *c, const struct bw_check_finding *f)
{
	for (size_t i = 0; i < c->n_findings; i++)
		if (is_same(&c->finding[i], f))
			return &c->finding[i];
	return NULL;
}

static void tell(struct bw_check *c, size_t i)
{
	c->untold[i].load = 0;
	if (c->listener)
		c->listener(c->listener_cookie, i + 1, &c->finding[i]);
}

void bw_check_tell(struct bw_check *c, uint64_t dispatch)
{
	for (size_t i = 0; i < c->n_findings; i++)
		if (c->untold[i].load && c->untold[i].dispatch == dispatch)
			tell(c, i);
}

void bw_check_withdraw(struct bw_check *c, uint16_t load)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->n_findings; i++) {
		if (c->untold[i].load == load)
			continue;
		c->finding[kept] = c->finding[i];
		c->untold[kept++] = c->untold[i];
	}
	c->n_findings = kept;
}

/* The place of the plain load, if the race is one of a load with an atomic operation; else 0. */
static uint16_t load_beside_atomic(const struct bw_check *c, const struct bw_check_race *r)
{
	uint16_t then = r->past->place, now = c->step.place;
	if (r->past_is_load && r->access == BW_CHECK_ATOMIC)
		return then;
	return r->access == BW_CHECK_LOAD && then && c->place[then].access == BW_CHECK_ATOMIC ? now
											      : 0;
}

void bw_check_report(struct bw_check *c, struct bw_wave *w, const struct bw_check_race *r)
{
	uint16_t load = load_beside_atomic(c, r);
	if (load && c->place[load].is_for_swap)
		return;

	const struct bw_check_dispatch *d = c->step.dispatch;
	const struct bw_order_wave *now = c->step.wave, *then = d->order.wave[r->past->wave];
	const uint8_t *host = r->touch->host + r->offset_b;
	struct bw_check_finding f = {
		.relation = then == now			? BW_CHECK_LANES
			    : then->group == now->group ? BW_CHECK_WAVES
							: BW_CHECK_GROUPS,
		.is_lds = w->wg->lds && host >= w->wg->lds && host < w->wg->lds + w->wg->lds_size_b,
		.vmid = d->vmid,
		.lanes = d->lanes,
		.count = 1,
		.size_b = r->size_b,
		.first = side_of(c, r->past->place, r->past->wave, r->past->lane),
		.second = side_of(c, c->step.place, now->serial, r->touch->lane),
	};
	struct bw_check_finding *known = find(c, &f);
	if (known) {
		known->count++;
		return;
	}
	if (c->n_findings == BW_CHECK_FINDINGS)
		return;
	f.va = f.is_lds ? (uint64_t)(host - w->wg->lds) : va_of(w, host);
	c->finding[c->n_findings] = f;
	c->untold[c->n_findings++] = (struct bw_check_untold){d->number, load, true};
	c->step.has_new = true;
}

/* Not before the instruction is complete: to look into memory may empty the TLB, in which va_of
 * finds what its other lanes have looked up. */
void bw_check_finish_new(struct bw_check *c, struct bw_wave *w)
{
	for (size_t i = 0; i < c->n_findings; i++) {
		if (!c->untold[i].is_new)
			continue;
		c->untold[i].is_new = false;
		if (!c->finding[i].is_lds)
			bw_check_find_pointer(c->step.dispatch, w, &c->finding[i]);
		if (!c->untold[i].load)
			tell(c, i);
	}
}

void bw_check_listen(struct bw_check *c, bw_check_listener *fn, void *cookie)
{
	pthread_mutex_lock(&c->lock);
	c->listener = fn;
	c->listener_cookie = cookie;
	pthread_mutex_unlock(&c->lock);
}

size_t bw_check_findings(struct bw_check *c, struct bw_check_finding *out, size_t max)
{
	pthread_mutex_lock(&c->lock);
	size_t n = c->n_findings;
	memcpy(out, c->finding, BW_MIN(n, max) * sizeof(*out));
	pthread_mutex_unlock(&c->lock);
	return n;
}
