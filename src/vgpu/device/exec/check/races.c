/* SPDX-License-Identifier: MIT */
/* Races: what is told of them, and when. */
#include <string.h>

#include "base/util.h"
#include "base/words.h"
#include "vgpu/device/exec/check/check_priv.h"
#include "vgpu/device/exec/check/reads.h"

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

/* Looks through a block of arguments for the pointer that is nearest below target. */
static void look_for_pointer(struct bw_wave *w, unsigned sgpr, uint64_t block, uint64_t target,
			     struct bw_check_pointer *out)
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
		if (!pointer || pointer > target || target - pointer > UINT32_MAX ||
		    (out->is_known && pointer <= out->value))
			continue;
		*out = (struct bw_check_pointer){true, (uint8_t)sgpr, at, pointer};
	}
}

void bw_check_find_pointer(const struct bw_check_dispatch *d, struct bw_wave *w, uint64_t target,
			   struct bw_check_pointer *out)
{
	for (unsigned i = 0; target && i + 1 < BW_ARRAY_SIZE(d->user_data); i += 2) {
		uint64_t block = bw_join32(d->user_data[i + 1], d->user_data[i]);
		if (block && block % 8 == 0 && bw_canonical(block) == block)
			look_for_pointer(w, i, block, target, out);
	}
}

struct bw_check_side bw_check_side_of_past(const struct bw_check *c,
					   const struct bw_check_dispatch *d, unsigned place,
					   uint32_t wave, unsigned lane)
{
	const struct bw_check_place *p = &c->place[place];
	const struct bw_order_wave *w = d->order.wave[wave];
	struct bw_check_side s = {.access = p->access,
				  .pc = place ? p->pc : 0,
				  .code_va = p->code_va,
				  .n_words = p->n_words,
				  .name = place ? p->name : "?",
				  .wave = w->index,
				  .lane = (uint8_t)lane,
				  .dispatch = d->draw.number ? 0 : (uint32_t)d->number,
				  .draw = d->draw.number};
	memcpy(s.word, p->word, sizeof(s.word));
	memcpy(s.group, w->group->id, sizeof(s.group));
	return s;
}

struct bw_check_side bw_check_side_of_transfer(enum bw_transfer transfer)
{
	enum bw_check_access access = transfer == BW_TRANSFER_FILL   ? BW_CHECK_FILL
				      : transfer == BW_TRANSFER_COPY ? BW_CHECK_COPY
								     : BW_CHECK_WRITE;
	return (struct bw_check_side){.access = access, .name = bw_check_access_name(access)};
}

struct bw_check_side bw_check_side_of(const struct bw_check_dispatch *d, const struct bw_wave *w,
				      const struct bw_check_at *at, unsigned lane)
{
	struct bw_check_side s = {.access = at->access,
				  .pc = at->pc,
				  .code_va = d->code_va,
				  .n_words = (uint8_t)BW_MIN(at->n_words, 3u),
				  .name = bw_isa_op_name(d->check->gen, at->op),
				  .wave = w->index_in_group,
				  .lane = (uint8_t)lane,
				  .dispatch = d->draw.number ? 0 : (uint32_t)d->number,
				  .draw = d->draw.number};
	memcpy(s.word, at->word, s.n_words * sizeof(s.word[0]));
	memcpy(s.group, w->wg->check ? w->wg->check->id : w->wg->id, sizeof(s.group));
	if (d->draw.number)
		d->draw.lane(w, lane, s.lane_is);
	return s;
}

/* ---- findings ---- */

void bw_check_tell(struct bw_check *c, uint64_t dispatch)
{
	struct bw_findings *l = &c->found;
	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < l->n; i++) {
		struct bw_check_finding *f = &l->e[i];
		if (f->kind != BW_FOUND_RACE || !f->race.untold_load ||
		    f->race.dispatch != dispatch)
			continue;
		f->race.untold_load = 0;
		bw_findings_tell(l, f, NULL);
	}
	pthread_mutex_unlock(&l->lock);
}

void bw_check_withdraw(struct bw_check *c, uint16_t load)
{
	struct bw_findings *l = &c->found;
	pthread_mutex_lock(&l->lock);
	for (size_t i = l->n; i > 0; i--)
		if (l->e[i - 1].kind == BW_FOUND_RACE && l->e[i - 1].race.untold_load == load)
			bw_findings_drop(l, i - 1);
	pthread_mutex_unlock(&l->lock);
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

static bool add_new(struct bw_check *c, const struct bw_check_finding *f)
{
	pthread_mutex_lock(&c->found.lock);
	bool is_new = !bw_findings_again(&c->found, f) && bw_findings_add(&c->found, f);
	pthread_mutex_unlock(&c->found.lock);
	return is_new;
}

void bw_check_report(struct bw_check *c, struct bw_wave *w, const struct bw_check_race *r)
{
	uint16_t load = load_beside_atomic(c, r);
	if (load && c->place[load].is_for_swap)
		return;
	const uint8_t now_mask = r->size_b == 4 ? 15 : 0;
	if (r->past_is_load ? bw_check_may_not_need(c, r->past->place, now_mask)
			    : r->access == BW_CHECK_LOAD &&
				      bw_check_may_not_need(c, c->step.place, r->past->mask))
		return;

	const struct bw_check_dispatch *d = c->step.dispatch;
	const struct bw_order_wave *now = c->step.wave, *then = d->order.wave[r->past->wave];
	const uint8_t *host = r->touch->host + r->offset_b;
	struct bw_check_finding f = {
		.kind = BW_FOUND_RACE,
		.count = 1,
		.vmid = d->vmid,
		.lanes = d->lanes,
		.first = bw_check_side_of_past(c, d, r->past->place, r->past->wave, r->past->lane),
		.second = bw_check_side_of_past(c, d, c->step.place, now->serial, r->touch->lane),
		.race = {.relation = then == now		 ? BW_CHECK_LANES
				     : then->group == now->group ? BW_CHECK_WAVES
								 : BW_CHECK_GROUPS,
			 .is_lds = w->wg->lds && host >= w->wg->lds &&
				   host < w->wg->lds + w->wg->lds_size_b,
			 .size_b = r->size_b,
			 .untold_load = load,
			 .dispatch = d->number,
			 .is_new = true},
	};
	if (d->draw.number)
		d->draw.lane(w, r->touch->lane, f.second.lane_is);
	f.race.va = f.race.is_lds ? (uint64_t)(host - w->wg->lds) : va_of(w, host);
	c->step.has_new |= add_new(c, &f);
}

void bw_check_dispatches_race(struct bw_check *c, struct bw_wave *w, const struct bw_check_at *at,
			      enum bw_check_relation relation, const struct bw_check_side *then,
			      const struct bw_touch *part)
{
	const struct bw_check_dispatch *d = c->step.dispatch;
	const struct bw_check_finding f = {
		.kind = BW_FOUND_RACE,
		.count = 1,
		.vmid = d->vmid,
		.lanes = d->lanes,
		.first = *then,
		.second = bw_check_side_of(d, w, at, part->lane),
		.race = {.relation = relation,
			 .va = va_of(w, part->host),
			 .size_b = part->size_b,
			 .is_new = true},
	};
	c->step.has_new |= add_new(c, &f);
}

void bw_check_packet_race(struct bw_check *c, const struct bw_packet_race *r)
{
	const struct bw_check_finding f = {
		.kind = BW_FOUND_RACE,
		.count = 1,
		.vmid = r->vmid,
		.lanes = r->lanes,
		.first = r->then,
		.second = bw_check_side_of_transfer(r->transfer),
		.race = {.relation = r->relation, .va = r->va, .size_b = 4},
	};
	bw_check_found(c, NULL, &f);
}

/* Not before the instruction is complete: to look into memory may empty the TLB, in which va_of
 * finds what its other lanes have looked up. */
void bw_check_finish_new(struct bw_check *c, struct bw_wave *w)
{
	struct bw_findings *l = &c->found;
	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < l->n; i++) {
		struct bw_check_finding *f = &l->e[i];
		if (f->kind != BW_FOUND_RACE || !f->race.is_new)
			continue;
		f->race.is_new = false;
		if (!f->race.is_lds)
			bw_check_find_pointer(c->step.dispatch, w, f->race.va, &f->pointer);
		if (!f->race.untold_load)
			bw_findings_tell(l, f, w);
	}
	pthread_mutex_unlock(&l->lock);
}
