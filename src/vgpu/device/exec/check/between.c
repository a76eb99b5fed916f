/* SPDX-License-Identifier: MIT */
/* Races between dispatches, packets that move data, and both: of a stretch, in which nothing makes
 * the queue wait, and of two queues that no semaphore and no fence orders (jobs.c). What was
 * written before is in the cells of writers; what was only read is in reads.c. */
#include <string.h>

#include "base/util.h"
#include "vgpu/device/exec/check/jobs.h"
#include "vgpu/device/exec/check/reads.h"
#include "vgpu/device/exec/check/writers_priv.h"
#include "wire/checks.h"

static struct bw_check_now now_of(const struct bw_check_dispatch *d)
{
	return (struct bw_check_now){{d->stretch, d->number, d->job}, d->is_explicit, d->after};
}

static struct bw_check_act act_of(const struct bw_writers_run *r)
{
	return (struct bw_check_act){r->stretch, r->transfer ? 0 : r->number, r->job};
}

/* Whether nothing orders a past writer before `n`. */
static bool is_unordered(const struct bw_check_now *n, const struct bw_writers_run *r,
			 enum bw_check_relation *out)
{
	const struct bw_check_act then = act_of(r);
	return bw_jobs_are_unordered(n, &then, out);
}

/* ---- dispatches ---- */

static struct bw_writers_stretch *stretch_of(struct bw_writers *x, uint64_t number)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(x->stretch); i++)
		if (x->stretch[i].number == number)
			return &x->stretch[i];
	struct bw_writers_stretch *s = &x->stretch[x->next_stretch++ % BW_ARRAY_SIZE(x->stretch)];
	*s = (struct bw_writers_stretch){.number = number, .first = x->next, .era = x->era};
	return s;
}

/* A job has begun that other lines' dispatches may meet: those of before look out for it, too. */
static bool meets_others(struct bw_check *c, const struct bw_check_job *job, const uint64_t *after)
{
	if (!job->seq || !after || !bw_jobs_begin(c, job, after))
		return false;
	for (struct bw_check_dispatch *o = c->dispatches; o; o = o->next)
		o->has_sibling |= o->job.seq && o->job.line != job->line;
	return true;
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
	if (d->is_explicit || bw_jobs_is_of_program(&d->job))
		d->has_sibling |= meets_others(c, &d->job, d->after);
}

/* The writer of bytes of a dword, if nothing orders it before the dispatch. */
static const struct bw_writers_run *other(const struct bw_writers *x,
					  const struct bw_check_dispatch *d,
					  const struct bw_writer_word *last, uint8_t mask,
					  enum bw_check_relation *out)
{
	const struct bw_check_now n = now_of(d);
	if (!(last->mask & mask) || (!d->job.seq && d->era == x->era && last->number < d->first))
		return NULL;
	const struct bw_writers_run *r = bw_writers_run_of(x, last->number);
	return r && is_unordered(&n, r, out) ? r : NULL;
}

/* What the language allows: atomic operations of both; a load of coherent memory, which may be
 * that of an atomic object; a store that changes nothing. */
static bool is_allowed(const struct bw_check *c, const struct bw_writer_word *last,
		       enum bw_touch_kind kind, bool is_silent)
{
	bool was_atomic = last->place && c->writers.place[last->place].access == BW_CHECK_ATOMIC;
	return c->step.is_coherent || is_silent || (kind == BW_TOUCH_ATOMIC && was_atomic) ||
	       (kind == BW_TOUCH_LOAD && bw_check_may_not_need(c, c->step.place, last->mask));
}

/* It reads what another dispatch has written, by atomic operations or from coherent memory. The
 * other one may have released by that, or only have counted something: so it counts when a fence
 * follows. */
static void note_meeting(struct bw_check_dispatch *d, const struct bw_writers_run *r)
{
	struct bw_check_meetings *m = &d->met;
	m->any = true;
	if (r->job.seq && r->job.line != d->job.line)
		m->of[r->job.line] = BW_MAX(m->of[r->job.line], r->job.seq);
	else
		m->of_stretch = true;
	/* The next packet of the queue begins with a fence. */
	bw_jobs_learn(d->check, &d->job, m->of);
}

void bw_writers_fence(struct bw_check_dispatch *d)
{
	if (!d->met.any)
		return;
	for (unsigned i = 0; d->after && i < BW_CHECK_LINES; i++)
		d->after[i] = BW_MAX(d->after[i], d->met.of[i]);
	if (d->met.of_stretch)
		d->stretch = 0;
	d->met = (struct bw_check_meetings){0};
}

/* A part of a touch, in a dword. */
static void compare_part(struct bw_check *c, const struct bw_check_group *g, struct bw_wave *w,
			 enum bw_touch_kind kind, const struct bw_touch *part, uint8_t mask)
{
	const struct bw_check_at *at = g->wave[w->index_in_group].at;
	const struct bw_check_dispatch *d = g->dispatch;
	const struct bw_shadow_page *page =
		bw_shadow_find(&c->writers.shadow, (uintptr_t)part->host);
	const bool is_silent = part->value && !memcmp(part->host, part->value, part->size_b);
	enum bw_check_relation relation;
	if (page) {
		const struct bw_shadow_cell cell = bw_shadow_get(page, bw_shadow_index(part->host));
		uint64_t word = bw_writers_last(&cell);
		const struct bw_writer_word last = bw_writer_unpack(word);
		const struct bw_writers_run *r = other(&c->writers, d, &last, mask, &relation);
		if (r && !r->transfer && (c->step.is_coherent || kind == BW_TOUCH_ATOMIC))
			note_meeting(g->dispatch, r);
		if (r && !is_allowed(c, &last, kind, is_silent)) {
			const struct bw_writer then = bw_writers_answer_of(c, word);
			bw_check_dispatches_race(c, w, at, relation, &then.at, part);
			return;
		}
	}
	struct bw_reader reader;
	const struct bw_check_now now = now_of(d);
	if (kind == BW_TOUCH_LOAD || is_silent ||
	    !bw_reads_find(c, part->host, mask, &now, &reader))
		return;
	bw_check_dispatches_race(c, w, at, reader.relation, &reader.at, part);
}

void bw_writers_compare(struct bw_check *c, struct bw_check_group *g, struct bw_wave *w,
			enum bw_touch_kind kind, const struct bw_touch *touches, unsigned n)
{
	for (unsigned i = 0; g->wave[w->index_in_group].at && i < n; i++) {
		const struct bw_touch *t = &touches[i];
		for (unsigned at_b = 0, k; at_b < t->size_b; at_b += k) {
			uint8_t mask;
			k = bw_check_in_dword(t, at_b, &mask);
			const struct bw_touch part = {.host = t->host + at_b,
						      .value = t->value ? t->value + at_b : NULL,
						      .lane = t->lane,
						      .size_b = (uint8_t)k};
			compare_part(c, g, w, kind, &part, mask);
		}
	}
}

/* ---- packets ---- */

bool bw_writers_compare_packets(const struct bw_check *c)
{
	return c && c->what & BW_CHECK_RACES;
}

bool bw_writers_compare_explicit(struct bw_check *c, uint64_t space)
{
	if (!bw_writers_compare_packets(c))
		return false;
	pthread_mutex_lock(&c->lock);
	bool is = bw_check_is_explicit_space(c, space);
	pthread_mutex_unlock(&c->lock);
	return is;
}

/* A dword of a packet's bytes, or a part of it. */
struct dword {
	uint64_t va;
	const uint8_t *host;
	unsigned n;
	uint8_t mask;
};

struct packet {
	const struct bw_writers_packet *of;
	struct bw_check_now now;
	uint32_t number; /* as a writer */
};

/* It reads or changes a dword that another one has written. is_write: after it has done so. */
static void compare_writers(struct bw_check *c, const struct packet *p, const struct dword *d,
			    bool is_write)
{
	const struct bw_shadow_page *page = bw_shadow_find(&c->writers.shadow, (uintptr_t)d->host);
	if (!page)
		return;
	const struct bw_shadow_cell cell = bw_shadow_get(page, bw_shadow_index(d->host));
	enum bw_check_relation relation;
	uint32_t value;
	memcpy(&value, d->host - (uintptr_t)d->host % 4, sizeof(value));
	uint64_t word = bw_writers_last(&cell);
	const struct bw_writer_word last = bw_writer_unpack(word);
	const struct bw_writers_run *r =
		last.mask & d->mask ? bw_writers_run_of(&c->writers, last.number) : NULL;
	if (!r || !is_unordered(&p->now, r, &relation) ||
	    (is_write && value == bw_writers_value(&cell)))
		return;
	/* Small writes of the driver's own, such as to an event, which it orders. */
	if (r->transfer == BW_TRANSFER_WRITE && p->of->transfer == BW_TRANSFER_WRITE)
		return;
	const struct bw_writer then = bw_writers_answer_of(c, word);
	bw_check_packet_race(c, &(struct bw_packet_race){relation, then.at, p->of->transfer, d->va,
							 then.vmid, r->lanes});
}

/* It changes a dword that another one has only read. */
static void compare_readers(struct bw_check *c, const struct packet *p, const struct dword *d)
{
	struct bw_reader reader;
	if (!bw_reads_find(c, d->host, d->mask, &p->now, &reader))
		return;
	const struct bw_packet_race race = {
		.relation = reader.relation,
		.then = reader.at,
		.transfer = p->of->transfer,
		.va = d->va,
		.vmid = p->of->vmid,
		.lanes = (uint8_t)(reader.at.pc ? bw_reads_lanes(c, &reader.at) : 0)};
	bw_check_packet_race(c, &race);
}

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
	d->mask = (uint8_t)(((1u << d->n) - 1) << va % 4);
	return d->host;
}

static void note_reads(struct bw_check *c, struct bw_tlb *tlb, const struct packet *p)
{
	const struct bw_writers_packet *of = p->of;
	struct dword d = {0};
	for (uint64_t at = 0;
	     at < of->size_b && next_dword(tlb, &d, of->from + at, of->size_b - at); at += d.n) {
		compare_writers(c, p, &d, false);
		if (bw_reads_are_noted(&p->now))
			bw_reads_note(c, d.host, d.mask, p->number);
	}
}

void bw_writers_note(struct bw_check *c, struct bw_tlb *tlb, const struct bw_writers_packet *of)
{
	/* VMID 0 is the driver's */
	if (!c || !bw_writers_are_noted(c) || !of->size_b || !of->vmid)
		return;
	struct bw_writers *x = &c->writers;
	struct dword d = {0};
	pthread_mutex_lock(&c->lock);
	struct packet p = {.of = of,
			   .now = {.act = {.stretch = of->stretch},
				   .is_explicit = bw_check_is_explicit_space(c, of->space)}};
	bool is_compared = c->what & BW_CHECK_RACES && of->is_compared;
	struct bw_check_job *job = &p.now.act.job;
	if (is_compared)
		*job = of->job.seq ? of->job : bw_jobs_now(c, &of->engine);
	p.now.after = bw_jobs_after(c, job);
	if (is_compared && of->stretch)
		stretch_of(x, of->stretch)->n++;
	if (is_compared && (p.now.is_explicit || bw_jobs_is_of_program(job)))
		meets_others(c, job, p.now.after);
	p.number = bw_writers_add_run(
		x, (struct bw_writers_run){.n = 1,
					   .transfer = of->transfer,
					   .vmid = of->vmid,
					   .stretch = is_compared ? of->stretch : 0,
					   .job = *job,
					   .code_va = of->from ? of->from - of->to : 0});
	if (is_compared && of->from)
		note_reads(c, tlb, &p);
	for (uint64_t at = 0; at < of->size_b && next_dword(tlb, &d, of->to + at, of->size_b - at);
	     at += d.n) {
		if (is_compared) {
			compare_writers(c, &p, &d, true);
			compare_readers(c, &p, &d);
		}
		bw_writers_enter(x, d.host,
				 (struct bw_writer_word){.number = p.number, .mask = d.mask});
	}
	pthread_mutex_unlock(&c->lock);
}
