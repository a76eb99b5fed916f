/* SPDX-License-Identifier: MIT */
#include "vgpu/device/cwsr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "vgpu/device/aql.h"
#include "vgpu/device/cp_priv.h"

/* A save that takes longer is given up: the driver waits about two seconds for its frame. */
static const uint64_t limit_ns = 1500000000;

/* One wave of the area, from its beginning upwards. */
struct bw_cwsr_record {
	_Atomic bool saved;
	bool is_first, is_last; /* of its group; the first one has the group's LDS */
	uint32_t at_b, size_b;
	uint64_t area_va;
	struct bw_cwsr_group g; /* without waves but its own */
	uint64_t packet;
	uint8_t *data; /* of a wave that has not been launched again since the last save */
};

struct bw_cwsr {
	uint64_t since_ns;
	bool has_asked_waves, is_late;
	uint32_t end_b;
	unsigned n_records, max_records;
	struct bw_cwsr_record record[];
};

static uint64_t area_va(const struct bw_queue *q)
{
	return bw_canonical(bw_join32(BW_HQD_FIELD(q, HQD_CTX_SAVE_BASE_ADDR_HI, ADDR_HI),
				      BW_HQD(q, HQD_CTX_SAVE_BASE_ADDR_LO) & ~0xfffu));
}

static struct bw_tlb *tlb_of(const struct bw_queue *q)
{
	return bw_cp_tlb(q->dev, BW_HQD_FIELD(q, HQD_VMID, VMID));
}

/* Byte offsets in the area. The stack is below its end, the waves are above that. */
static uint32_t stack_end_b(const struct bw_queue *q)
{
	return BW_HQD(q, HQD_CNTL_STACK_SIZE) & ~3u;
}

static uint32_t stack_begin_b(const struct bw_queue *q)
{
	return BW_HQD(q, HQD_CNTL_STACK_OFFSET) & ~3u;
}

static uint32_t waves_end_b(const struct bw_queue *q)
{
	return BW_HQD(q, HQD_WG_STATE_OFFSET) & ~3u;
}

bool bw_cwsr_has_area(const struct bw_queue *q)
{
	enum { MAX_STACK_B = 1 << 20 };
	uint32_t stack_b = stack_end_b(q);
	return bw_is_aql(q) && stack_b && stack_b <= MAX_STACK_B &&
	       BW_HQD(q, HQD_CTX_SAVE_SIZE) > stack_b;
}

bool bw_cwsr_has_waves(const struct bw_queue *q)
{
	return bw_cwsr_has_area(q) && stack_begin_b(q) < stack_end_b(q);
}

static void set_offsets(struct bw_queue *q, uint32_t stack_b, uint32_t waves_b)
{
	pthread_mutex_lock(&q->dev->cp->lock);
	BW_HQD(q, HQD_CNTL_STACK_OFFSET) = stack_b;
	BW_HQD(q, HQD_WG_STATE_OFFSET) = waves_b;
	pthread_mutex_unlock(&q->dev->cp->lock);
}

/* --- waves --- */

uint64_t bw_cwsr_wave_asks(struct bw_slot *s)
{
	if (!s->save)
		return 0;
	atomic_store(&s->save->saved, true);
	return bw_cwsr_exec(s->save->area_va + s->save->at_b, s->save->is_first);
}

void bw_cwsr_wave_is_killed(struct bw_slot *s)
{
	if (s->save)
		atomic_store(&s->save->saved, false);
}

bool bw_cwsr_wave_is_saved(const struct bw_slot *s)
{
	return s->save && atomic_load(&s->save->saved);
}

/* --- asking the waves --- */

static struct bw_cwsr *begin_save(struct bw_queue *q)
{
	const struct bw_profile *p = q->dev->profile;
	/* As many waves as the GPU has slots for, and as many that wait for one. */
	unsigned max = 2 * bw_sched_n_wgps(q->dev) * p->simd_per_wgp * p->waves_per_simd;
	struct bw_cwsr *c = calloc(1, sizeof(*c) + max * sizeof(c->record[0]));
	if (!c)
		abort(); /* as everywhere where memory for the simulation itself runs out */
	c->max_records = max;
	c->since_ns = bw_host_ns();
	c->end_b = stack_end_b(q);
	bw_spi_hold(q, true);
	return c;
}

static bool is_late(const struct bw_cwsr *c)
{
	return bw_host_ns() - c->since_ns > limit_ns;
}

/* A place for one wave more; NULL: the area has none. */
static struct bw_cwsr_record *add_record(struct bw_queue *q, const struct bw_cwsr_group *g,
					 uint64_t packet, bool is_first, bool is_last)
{
	struct bw_cwsr *c = q->cwsr;
	uint32_t size_b = bw_cwsr_wave_b(g, is_first);
	if (c->n_records == c->max_records || c->end_b > BW_HQD(q, HQD_CTX_SAVE_SIZE) ||
	    size_b > BW_HQD(q, HQD_CTX_SAVE_SIZE) - c->end_b) {
		BW_LOG(ERROR, "vgpu", "the save area of a queue is too small for its waves");
		return NULL;
	}
	struct bw_cwsr_record *r = &c->record[c->n_records++];
	r->is_first = is_first;
	r->is_last = is_last;
	r->area_va = area_va(q);
	r->g = *g;
	r->packet = packet;
	r->at_b = c->end_b;
	r->size_b = size_b;
	c->end_b += size_b;
	return r;
}

/* Groups that are still in the area from the last save: their bytes are taken out before others
 * are written there. */
static void keep_unrestored(struct bw_queue *q)
{
	struct bw_vm_fault fault;
	for (struct bw_restored *r = bw_spi_take_restored(q), *next; r; r = next) {
		next = r->next;
		for (unsigned i = r->g.n_waves; i-- > 0;) {
			struct bw_cwsr_group one = r->g;
			one.wave[0] = r->g.wave[i];
			struct bw_cwsr_record *to = add_record(q, &one, r->dispatch->packet, i == 0,
							       i + 1 == r->g.n_waves);
			to = to && (to->data = malloc(to->size_b)) ? to : NULL;
			if (to && bw_vm_read(tlb_of(q), r->area_va + r->g.wave[i].at_b, to->data,
					     to->size_b, &fault))
				atomic_store(&to->saved, true);
		}
		free(r);
	}
}

static struct bw_slot *slot_of(struct bw_wgp *wgp, const struct bw_group *g, unsigned i)
{
	struct bw_slot *s = &wgp->slot[g->place[i].simd][g->place[i].slot];
	return s->group == g && s->state != BW_SLOT_FREE ? s : NULL;
}

/* A wave that waits at a barrier executes s_barrier again when it comes back: none of its group has
 * passed it. All of them leave at one moment, so that nobody who comes to a barrier of the handler
 * meets one who still waits at that of the program [I]. */
static void leave_barrier(struct bw_slot *s)
{
	enum { S_BARRIER_B = 4 };
	struct bw_wave *w = &s->w;
	bool in_handler = w->status & BW_STATUS_PRIV && w->status & BW_STATUS_TRAP_EN;
	if (!(w->status & BW_STATUS_IN_BARRIER) || in_handler)
		return;
	w->status &= ~(uint32_t)BW_STATUS_IN_BARRIER;
	w->wg->n_arrived--;
	w->pc -= S_BARRIER_B;
	s->at_barrier = false;
}

/* Has every wave of the group enter the handler, at one moment: none of them can pass a barrier
 * that another one has left for that. */
static void ask_group(struct bw_queue *q, struct bw_wgp *wgp, struct bw_group *g)
{
	const struct bw_dispatch *d = g->dispatch;
	int first = -1, last = -1;
	g->is_saving = true;
	for (unsigned i = 0; i < g->wg.n_waves; i++) {
		struct bw_slot *s = slot_of(wgp, g, i);
		/* What halted for an exception without a handler executes nothing any more, and
		 * dispatches of PM4 packets begin again. */
		if (s && (s->state == BW_SLOT_FATAL || !d->done))
			bw_slot_request(wgp, s, BW_REQ_KILL);
		else if (s && !(s->w.status & BW_STATUS_NO_VGPRS))
			first = first < 0 ? (int)i : first, last = (int)i;
	}
	struct bw_cwsr_group one = {
		.n_waves = 1,
		.se = wgp->se,
		.lanes = (uint8_t)d->lanes,
		.n_vgprs = (uint16_t)d->n_vgprs,
		.lds_b = g->wg.lds_size_b,
	};
	for (unsigned i = g->wg.n_waves; i-- > 0;) {
		struct bw_slot *s = slot_of(wgp, g, i);
		if (!s || s->state == BW_SLOT_FATAL || !d->done)
			continue;
		leave_barrier(s);
		one.wave[0].scratch_slot = (int16_t)g->place[i].scratch_slot;
		if (!(s->w.status & BW_STATUS_NO_VGPRS))
			s->save = add_record(q, &one, d->packet, (int)i == first, (int)i == last);
		bw_slot_request(wgp, s,
				s->save || s->w.status & BW_STATUS_NO_VGPRS ? BW_REQ_SAVE
									    : BW_REQ_KILL);
	}
}

static void each_slot(struct bw_queue *q, struct bw_wgp *wgp, bool asks, bool *out_restores)
{
	for (unsigned simd = 0; simd < q->dev->profile->simd_per_wgp; simd++) {
		for (uint32_t left = wgp->resident[simd]; left; left &= left - 1) {
			struct bw_slot *s = &wgp->slot[simd][__builtin_ctz(left)];
			if (s->group->dispatch->queue != q)
				continue;
			*out_restores |= s->w.switching == BW_WAVE_RESTORES;
			if (asks && !s->group->is_saving)
				ask_group(q, wgp, s->group);
		}
	}
}

/* Whether a wave is still loading its state: the area cannot be overwritten yet. asks: has all
 * waves save themselves. */
static bool visit_waves(struct bw_queue *q, bool asks)
{
	bool restores = false;
	for (unsigned i = 0; i < bw_sched_n_wgps(q->dev); i++) {
		struct bw_wgp *wgp = bw_sched_wgp(q->dev, i);
		bw_wgp_acquire(wgp);
		bw_spi_launch(wgp);
		each_slot(q, wgp, asks, &restores);
		bw_wgp_release(wgp);
	}
	return restores;
}

/* --- what is in the area then --- */

/* Puts the waves next to each other: one that ended without a save leaves none of its place. */
static bool move_waves(struct bw_queue *q)
{
	struct bw_cwsr *c = q->cwsr;
	struct bw_vm_fault fault;
	uint32_t at_b = stack_end_b(q);
	bool ok = true;
	for (unsigned i = 0; i < c->n_records && ok; i++) {
		struct bw_cwsr_record *r = &c->record[i];
		if (!atomic_load(&r->saved))
			continue;
		if (!r->data && at_b != r->at_b) {
			r->data = malloc(r->size_b);
			ok = r->data && bw_vm_read(tlb_of(q), r->area_va + r->at_b, r->data,
						   r->size_b, &fault);
		}
		if (ok && r->data)
			ok = bw_vm_write(tlb_of(q), r->area_va + at_b, r->data, r->size_b, &fault);
		r->at_b = at_b;
		at_b += r->size_b;
	}
	c->end_b = at_b;
	return ok;
}

/* The stack counts from the end of the area down, the first wave of a group first. */
static void collect_groups(const struct bw_queue *q, struct bw_cwsr_stack *s)
{
	const struct bw_cwsr *c = q->cwsr;
	for (unsigned i = c->n_records; i-- > 0;) {
		const struct bw_cwsr_record *r = &c->record[i];
		if (!atomic_load(&r->saved))
			continue;
		if (r->is_first) {
			s->group[s->n_groups++] = r->g;
			s->group[s->n_groups - 1].n_waves = 0;
			s->group[s->n_groups - 1].packet = (uint8_t)(r->packet - q->aql.first);
		}
		struct bw_cwsr_group *g = &s->group[s->n_groups - 1];
		g->wave[g->n_waves++] = r->g.wave[0];
	}
}

/* A group whose first wave has been lost has no LDS any more: all of it is lost. */
static void drop_beheaded(struct bw_cwsr *c)
{
	bool has_head = false;
	for (unsigned i = c->n_records; i-- > 0;) {
		struct bw_cwsr_record *r = &c->record[i];
		if (r->is_first)
			has_head = atomic_load(&r->saved);
		if (!has_head)
			atomic_store(&r->saved, false);
	}
}

static bool write_stack(struct bw_queue *q)
{
	struct bw_cwsr *c = q->cwsr;
	struct bw_vm_fault fault;
	size_t n = 0, max = stack_end_b(q) / 4;
	struct bw_cwsr_stack s = {.has_asked = q->aql.has_asked};
	uint32_t *dw = calloc(max, 4);
	s.group = calloc(c->n_records + 1, sizeof(*s.group));
	if (!dw || !s.group)
		abort();
	for (uint64_t i = q->aql.first; i != q->aql.next; i++)
		bw_spi_progress(q, &q->aql.running[i % BW_AQL_WINDOW], &s.packet[s.n_packets++]);
	collect_groups(q, &s);
	bool ok = bw_cwsr_stack_write(&s, dw, max, &n);
	uint32_t at_b = stack_end_b(q) - (uint32_t)n * 4;
	ok = ok && bw_vm_write(tlb_of(q), area_va(q) + at_b, dw, n * 4, &fault);
	if (ok)
		set_offsets(q, at_b, c->end_b);
	BW_LOG(DEBUG, "vgpu", "saved %u groups of %u packets", s.n_groups, s.n_packets);
	free(s.group);
	free(dw);
	return ok;
}

void bw_cwsr_free(struct bw_queue *q)
{
	struct bw_cwsr *c = q->cwsr;
	for (unsigned i = 0; c && i < c->n_records; i++)
		free(c->record[i].data);
	free(c);
	q->cwsr = NULL;
}

static void end_save(struct bw_queue *q)
{
	bw_spi_forget(q);
	bw_cwsr_free(q);
	bw_spi_hold(q, false);
}

void bw_cwsr_abandon(struct bw_queue *q)
{
	if (q->cwsr && !bw_spi_n_groups(q))
		end_save(q);
}

bool bw_cwsr_save(struct bw_queue *q)
{
	_Static_assert((int)BW_CWSR_PACKETS == (int)BW_AQL_WINDOW, "as many as the stack can have");
	if (!q->aql.is_loaded)
		return true; /* what the area has stays there */
	if (!q->cwsr)
		q->cwsr = begin_save(q);
	struct bw_cwsr *c = q->cwsr;
	if (!c->has_asked_waves) {
		if (visit_waves(q, false) && !is_late(c))
			return false;
		keep_unrestored(q);
		visit_waves(q, true);
		c->has_asked_waves = true;
	}
	if (bw_spi_n_groups(q)) {
		if (is_late(c) && !c->is_late) {
			BW_LOG(ERROR, "vgpu",
			       "waves of ME %u pipe %u queue %u do not save themselves, and are "
			       "ended",
			       q->me, q->pipe, q->queue);
			c->is_late = true;
		}
		if (c->is_late)
			bw_sq_kill_queue(q->dev, q);
		return false;
	}
	drop_beheaded(c);
	set_offsets(q, stack_end_b(q), stack_end_b(q));
	bool is_empty = q->aql.first == q->aql.next && !q->aql.has_asked;
	if (!is_empty && (!move_waves(q) || !write_stack(q)))
		BW_LOG(ERROR, "vgpu", "the save area of a queue cannot be written");
	end_save(q);
	return true;
}

/* --- restore --- */

bool bw_cwsr_resume(struct bw_dispatch *d, const struct bw_cwsr_resume *resume,
		    const char **out_why)
{
	if (!resume)
		return true;
	struct bw_restored **tail = &d->restored;
	bool fits = true;
	d->all_placed = resume->packet->all_placed;
	for (unsigned i = 0; i < 3 && !d->all_placed; i++) {
		fits &= resume->packet->next[i] >= d->begin[i] &&
			resume->packet->next[i] < d->end[i];
		d->id[i] = resume->packet->next[i];
	}
	for (unsigned i = 0; i < resume->n_groups && fits; i++) {
		const struct bw_cwsr_group *g = &resume->group[i];
		struct bw_restored *r = malloc(sizeof(*r));
		if (!r)
			abort();
		*r = (struct bw_restored){.dispatch = d, .area_va = resume->area_va, .g = *g};
		*tail = r;
		tail = &r->next;
		fits = g->lanes == d->lanes && g->n_vgprs == d->n_vgprs &&
		       g->lds_b == d->lds_granules * d->dev->profile->lds_granule_b;
		for (unsigned k = 0; k < g->n_waves; k++)
			fits &= (g->wave[k].scratch_slot >= 0) == (d->scratch_wave_b != 0);
	}
	if (fits)
		return true;
	while (d->restored) {
		struct bw_restored *r = d->restored;
		d->restored = r->next;
		free(r);
	}
	*out_why = "the waves of its save area are not those of the packet";
	return false;
}

static bool resume_packets(struct bw_queue *q, const struct bw_cwsr_stack *s)
{
	struct bw_cwsr_group *sorted = calloc(s->n_groups + 1, sizeof(*sorted));
	bool ok = true;
	if (!sorted)
		abort();
	for (unsigned i = 0; i < s->n_packets && ok; i++) {
		struct bw_cwsr_resume resume = {
			.packet = &s->packet[i], .group = sorted, .area_va = area_va(q)};
		for (unsigned k = 0; k < s->n_groups; k++)
			if (s->group[k].packet == i)
				sorted[resume.n_groups++] = s->group[k];
		ok = bw_aql_resume(q, &resume);
	}
	free(sorted);
	return ok;
}

bool bw_cwsr_restore(struct bw_queue *q)
{
	uint32_t begin_b = stack_begin_b(q), end_b = stack_end_b(q), waves_b = waves_end_b(q);
	size_t n = (end_b - begin_b) / 4;
	struct bw_cwsr_stack s = {0};
	struct bw_vm_fault fault;
	const char *why = "it cannot be read";
	uint32_t *dw = calloc(n, 4);
	if (!dw)
		abort();
	if (bw_vm_read(tlb_of(q), area_va(q) + begin_b, dw, n * 4, &fault))
		why = waves_b > BW_HQD(q, HQD_CTX_SAVE_SIZE)
			      ? "its waves are more than the area has"
			      : bw_cwsr_stack_read(dw, n, end_b, waves_b, &s);
	free(dw);
	set_offsets(q, end_b, end_b);
	q->aql.has_asked = s.has_asked;
	BW_LOG(DEBUG, "vgpu", "restores %u groups of %u packets", s.n_groups, s.n_packets);
	bool ok = !why && resume_packets(q, &s);
	if (why)
		bw_cp_fail(q, BW_QUEUE_BAD_PACKET, "the control stack of its saved waves: %s", why);
	free(s.group);
	return ok;
}
