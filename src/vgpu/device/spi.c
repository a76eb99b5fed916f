/* SPDX-License-Identifier: MIT */
/* The workgroup dispatcher: which group goes to which WGP, by what is free there. A group starts
 * with all its waves or not at all. */
#include "vgpu/device/spi.h"
#include "vgpu/device/cwsr.h"
#include "vgpu/device/draw.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"

struct bw_spi {
	pthread_mutex_t lock;
	/* WGPs in the order of placing: neighbours in other engines */
	unsigned order[BW_MAX_SES * BW_MAX_SAS * BW_MAX_WGPS];
	unsigned next; /* in order */
	unsigned next_queue;
	struct bw_group *groups;	      /* BW_MAX_GROUPS of each WGP */
	struct bw_queue *queues[BW_N_QUEUES]; /* that ever dispatched */
	unsigned n_queues;
	uint64_t n_dispatches, n_waves;
};

/* --- bit maps of allocation granules --- */

/* First run of n free bits below `limit` at or above `from`, or -1. */
static int find_run(const uint64_t *free_bits, unsigned from, unsigned limit, unsigned n)
{
	unsigned run = 0;
	for (unsigned i = from; i < limit; i++) {
		run = free_bits[i / 64] >> i % 64 & 1 ? run + 1 : 0;
		if (run == n)
			return (int)(i - n + 1);
	}
	return -1;
}

static void set_run(uint64_t *free_bits, unsigned first, unsigned n, bool is_free)
{
	for (unsigned i = first; i < first + n; i++) {
		if (is_free)
			free_bits[i / 64] |= 1ull << i % 64;
		else
			free_bits[i / 64] &= ~(1ull << i % 64);
	}
}

/* First run of n bits in one word: the VGPR file of a SIMD is at most 64 granules. */
static int find_vgprs(uint64_t free_bits, unsigned n)
{
	uint64_t starts = free_bits;
	for (unsigned i = 1; i < n && starts; i++)
		starts &= free_bits >> i;
	return starts ? __builtin_ctzll(starts) : -1;
}

/* --- placing --- */

/* The queue waits for room no longer. With spi.lock. */
static void is_fed(struct bw_queue *q)
{
	if (q->starved_since_ns)
		q->starved_ns += bw_host_ns() - q->starved_since_ns;
	q->starved_since_ns = 0;
}

/* Reserves slots and registers on SIMDs first..first+n-1 for every wave of the group. */
static bool place_waves(struct bw_dispatch *d, struct bw_wgp *wgp, struct bw_group *g,
			unsigned n_waves, unsigned first_simd, unsigned n_simds)
{
	uint64_t vgprs[BW_MAX_SIMDS];
	uint32_t slots[BW_MAX_SIMDS];
	memcpy(vgprs, wgp->free_vgprs, sizeof(vgprs));
	memcpy(slots, wgp->free_slots, sizeof(slots));
	for (unsigned i = 0; i < n_waves; i++) {
		int best = -1, best_first = 0;
		for (unsigned k = 0; k < n_simds; k++) {
			unsigned simd = first_simd + (i + k) % n_simds;
			int first = slots[simd] ? find_vgprs(vgprs[simd], d->granules) : -1;
			if (first < 0)
				continue;
			if (best < 0 ||
			    __builtin_popcount(slots[simd]) > __builtin_popcount(slots[best])) {
				best = (int)simd;
				best_first = first;
			}
		}
		if (best < 0)
			return false;
		g->place[i].simd = (uint8_t)best;
		g->place[i].slot = (uint8_t)__builtin_ctz(slots[best]);
		g->place[i].first_granule = (uint8_t)best_first;
		slots[best] &= slots[best] - 1;
		set_run(&vgprs[best], (unsigned)best_first, d->granules, false);
	}
	memcpy(wgp->free_vgprs, vgprs, sizeof(vgprs));
	memcpy(wgp->free_slots, slots, sizeof(slots));
	return true;
}

/* Scratch slots are counted by queue and shader engine (rule 323). */
static bool place_scratch(struct bw_dispatch *d, struct bw_wgp *wgp, struct bw_group *g,
			  unsigned n_waves)
{
	uint64_t *used = bw_scratch_used(d, wgp);
	unsigned found = 0;
	for (unsigned i = 0; i < d->scratch_waves && found < n_waves; i++)
		if (!(used[i / 64] >> i % 64 & 1))
			g->place[found++].scratch_slot = (int)i;
	if (found < n_waves)
		return false;
	for (unsigned i = 0; i < n_waves; i++)
		used[g->place[i].scratch_slot / 64] |= 1ull << g->place[i].scratch_slot % 64;
	return true;
}

/* A group that comes back has its scratch where it had it, so in the same engine. */
static bool place_restored_scratch(struct bw_dispatch *d, struct bw_wgp *wgp, struct bw_group *g,
				   const struct bw_restored *r)
{
	uint64_t *used = bw_scratch_used(d, wgp);
	if (wgp->se != r->g.se)
		return false;
	for (unsigned i = 0; i < r->g.n_waves; i++) {
		int slot = r->g.wave[i].scratch_slot;
		if (slot < 0 || (unsigned)slot >= d->scratch_waves ||
		    used[slot / 64] >> slot % 64 & 1)
			return false;
	}
	for (unsigned i = 0; i < r->g.n_waves; i++) {
		g->place[i].scratch_slot = r->g.wave[i].scratch_slot;
		used[g->place[i].scratch_slot / 64] |= 1ull << g->place[i].scratch_slot % 64;
	}
	return true;
}

static void free_waves(struct bw_wgp *wgp, const struct bw_group *g, unsigned i)
{
	const struct bw_dispatch *d = g->dispatch;
	set_run(&wgp->free_vgprs[g->place[i].simd], g->place[i].first_granule, d->granules, true);
	wgp->free_slots[g->place[i].simd] |= 1u << g->place[i].slot;
	if (g->place[i].scratch_slot >= 0)
		bw_scratch_used(d, wgp)[g->place[i].scratch_slot / 64] &=
			~(1ull << g->place[i].scratch_slot % 64);
}

/* Tries to put the next group of d on this WGP, or one that comes back. With spi.lock. */
static bool try_place(struct bw_dispatch *d, struct bw_restored *r, struct bw_wgp *wgp)
{
	struct bw_spi *spi = d->dev->spi;
	unsigned cus = bw_enabled_cus(d, wgp);
	if (!wgp->free_groups || !cus)
		return false;
	unsigned id = (unsigned)__builtin_ctz(wgp->free_groups);
	struct bw_group *g = &spi->groups[wgp->index * BW_MAX_GROUPS + id];
	uint32_t threads[3];
	bw_dispatch_group_threads(d, threads);
	unsigned n_waves =
		r ? r->g.n_waves : (threads[0] * threads[1] * threads[2] + d->lanes - 1) / d->lanes;
	unsigned lds_total = d->dev->profile->lds_per_wgp_b / d->dev->profile->lds_granule_b;

	/* WGP mode: all SIMDs and all LDS; CU mode: one half of each (rule 326). */
	unsigned n_sides = d->wgp_mode ? 1 : 2;
	int lds_first = 0;
	bool placed = false;
	for (unsigned side = 0; side < n_sides && !placed; side++) {
		if (!d->wgp_mode && !(cus >> side & 1))
			continue;
		unsigned part = lds_total / n_sides,
			 simds = d->dev->profile->simd_per_wgp / n_sides;
		lds_first = d->lds_granules ? find_run(wgp->free_lds, side * part,
						       side * part + part, d->lds_granules)
					    : 0;
		if (lds_first >= 0)
			placed = place_waves(d, wgp, g, n_waves, side * simds, simds);
	}
	if (!placed)
		return false;
	g->dispatch = d;
	for (unsigned i = 0; i < n_waves; i++)
		g->place[i].scratch_slot = -1;
	bool scratch_placed = !d->scratch_wave_b ? true
			      : r		 ? place_restored_scratch(d, wgp, g, r)
						 : place_scratch(d, wgp, g, n_waves);
	if (!scratch_placed) {
		for (unsigned i = 0; i < n_waves; i++)
			free_waves(wgp, g, i);
		return false;
	}
	set_run(wgp->free_lds, (unsigned)lds_first, d->lds_granules, false);
	wgp->free_groups &= ~(1u << id);

	g->wgp = wgp;
	g->n_alive = n_waves;
	g->n_saved = 0;
	g->is_saving = false;
	g->restored = r;
	g->lds_first = (unsigned)lds_first;
	g->lds_granules = d->lds_granules;
	memcpy(g->threads, threads, sizeof(threads));
	g->wg = (struct bw_workgroup){
		.n_waves = (uint16_t)n_waves,
		.wg_id = (uint8_t)id,
		.id = {d->id[0], d->id[1], d->id[2]},
		.lds_base_b = (uint32_t)lds_first * d->dev->profile->lds_granule_b,
		.lds_size_b = d->lds_granules * d->dev->profile->lds_granule_b,
		.owner = g,
	};
	g->wg.lds = wgp->lds + g->wg.lds_base_b;
	g->next = NULL;
	*wgp->inbox_tail = g;
	wgp->inbox_tail = &g->next;
	atomic_store_explicit(&wgp->has_inbox, true, memory_order_release);
	d->n_alive++;
	d->queue->n_alive++;
	is_fed(d->queue);
	spi->n_waves += n_waves;
	return true;
}

static bool is_stalled(struct bw_device *dev, unsigned vmid)
{
	return BW_FIELD_GET(SPI_GDBG_PER_VMID_CNTL, STALL_VMID,
			    bw_reg_get_vmid(dev, BW_REG_SPI_GDBG_PER_VMID_CNTL, vmid));
}

/* The next group of d; false: that was the last one. */
static bool step(struct bw_dispatch *d)
{
	if (d->n_left && !--d->n_left)
		return false;
	for (unsigned i = 0; i < 3; i++) {
		if (++d->id[i] < d->end[i])
			return true;
		d->id[i] = d->begin[i];
	}
	return false;
}

static void complete(struct bw_dispatch *d)
{
	if (d->n_alive || !d->all_placed || d->n_saved || d->n_pending)
		return;
	if (d->done)
		atomic_store(d->done, true);
	if (d->draw)
		bw_draw_round_done(d->draw);
	atomic_fetch_sub(&d->queue->n_inflight, 1);
	bw_cp_kick(d->dev);
	bw_dispatch_free(d);
}

/* Takes the queue's first dispatch out of the way: it has nothing left to place. */
static void all_placed(struct bw_dispatch *d)
{
	struct bw_queue *q = d->queue;
	is_fed(q);
	q->head = d->next;
	if (!q->head)
		q->tail = &q->head;
	d->all_placed = true;
	complete(d);
}

static struct bw_restored *take_restored(struct bw_queue *q)
{
	struct bw_restored *r = q->restore;
	q->restore = r->next;
	if (!q->restore)
		q->restore_tail = &q->restore;
	return r;
}

/* Places what fits; on one WGP when given. With spi.lock. */
static void place(struct bw_device *dev, struct bw_wgp *only)
{
	struct bw_spi *spi = dev->spi;
	unsigned n = bw_sched_n_wgps(dev);
	for (unsigned i = 0; i < spi->n_queues; i++) {
		struct bw_queue *q = spi->queues[(spi->next_queue + i) % spi->n_queues];
		while ((q->head || q->restore) && !q->held) {
			struct bw_restored *r = q->restore;
			struct bw_dispatch *d = r ? r->dispatch : q->head;
			if (is_stalled(dev, d->vmid))
				break;
			struct bw_wgp *found = NULL;
			for (unsigned k = 0; k < (only ? 1 : n) && !found; k++) {
				struct bw_wgp *wgp =
					only ? only
					     : bw_sched_wgp(dev, spi->order[(spi->next + k) % n]);
				if (try_place(d, r, wgp)) {
					found = wgp;
					spi->next = only ? spi->next : (spi->next + k + 1) % n;
				}
			}
			if (!found) {
				if (!q->n_alive && !q->starved_since_ns)
					q->starved_since_ns = bw_host_ns();
				break;
			}
			bw_sched_kick(found);
			if (r) {
				take_restored(q);
				d->n_pending--;
			} else if (!step(d)) {
				all_placed(d);
			}
		}
	}
	if (spi->n_queues)
		spi->next_queue = (spi->next_queue + 1) % spi->n_queues;
}

void bw_spi_unstalled(struct bw_device *dev)
{
	if (!dev->spi)
		return;
	pthread_mutex_lock(&dev->spi->lock);
	place(dev, NULL);
	pthread_mutex_unlock(&dev->spi->lock);
}

void bw_spi_submit(struct bw_dispatch *d)
{
	struct bw_spi *spi = d->dev->spi;
	struct bw_queue *q = d->queue;
	pthread_mutex_lock(&spi->lock);
	bool known = false;
	for (unsigned i = 0; i < spi->n_queues; i++)
		known |= spi->queues[i] == q;
	if (!known)
		spi->queues[spi->n_queues++] = q;
	atomic_fetch_add(&q->n_inflight, 1);
	spi->n_dispatches++;
	for (struct bw_restored *r = d->restored; r; r = r->next) {
		*q->restore_tail = r;
		q->restore_tail = &r->next;
		d->n_pending++;
	}
	if (d->all_placed) {
		complete(d);
	} else {
		*q->tail = d;
		q->tail = &d->next;
	}
	place(q->dev, NULL);
	pthread_mutex_unlock(&spi->lock);
}

void bw_spi_cancel(struct bw_device *dev, struct bw_queue *q, unsigned vmid)
{
	struct bw_spi *spi = dev->spi;
	pthread_mutex_lock(&spi->lock);
	for (unsigned i = 0; i < spi->n_queues; i++) {
		struct bw_queue *each = spi->queues[i];
		if (q && each != q)
			continue;
		while (each->restore && (q || each->restore->dispatch->vmid == vmid)) {
			struct bw_restored *r = take_restored(each);
			r->dispatch->n_pending--;
			complete(r->dispatch);
			free(r);
		}
		/* A queue's list is in order and of few VMIDs: what comes after a foreign dispatch
		 * waits for it anyhow. */
		while (each->head && (q || each->head->vmid == vmid))
			all_placed(each->head);
	}
	pthread_mutex_unlock(&spi->lock);
}

/* --- context saves --- */

void bw_spi_hold(struct bw_queue *q, bool held)
{
	pthread_mutex_lock(&q->dev->spi->lock);
	q->held = held;
	if (!held)
		place(q->dev, NULL);
	pthread_mutex_unlock(&q->dev->spi->lock);
}

uint64_t bw_spi_n_groups(struct bw_queue *q)
{
	pthread_mutex_lock(&q->dev->spi->lock);
	uint64_t n = q->n_alive;
	pthread_mutex_unlock(&q->dev->spi->lock);
	return n;
}

struct bw_restored *bw_spi_take_restored(struct bw_queue *q)
{
	pthread_mutex_lock(&q->dev->spi->lock);
	struct bw_restored *all = q->restore;
	for (struct bw_restored *r = all; r; r = r->next) {
		r->dispatch->n_pending--;
		r->dispatch->n_saved++;
	}
	q->restore = NULL;
	q->restore_tail = &q->restore;
	pthread_mutex_unlock(&q->dev->spi->lock);
	return all;
}

void bw_spi_progress(struct bw_queue *q, const struct bw_aql_running *r, struct bw_cwsr_packet *out)
{
	pthread_mutex_lock(&q->dev->spi->lock);
	out->done = atomic_load(&r->done);
	if (!out->done && r->dispatch) {
		out->all_placed = r->dispatch->all_placed;
		memcpy(out->next, r->dispatch->id, sizeof(out->next));
	}
	out->start = r->start;
	pthread_mutex_unlock(&q->dev->spi->lock);
}

void bw_spi_forget(struct bw_queue *q)
{
	pthread_mutex_lock(&q->dev->spi->lock);
	is_fed(q);
	while (q->restore)
		free(take_restored(q));
	for (struct bw_dispatch *d = q->head, *next; d; d = next) {
		next = d->next;
		if (!d->done) /* of a PM4 packet, which is not saved */
			bw_dispatch_free(d);
	}
	for (uint64_t i = q->aql.first; i != q->aql.next; i++) {
		struct bw_aql_running *r = &q->aql.running[i % BW_AQL_WINDOW];
		if (atomic_load(&r->done))
			continue;
		bw_dispatch_free(r->dispatch);
		r->dispatch = NULL;
	}
	q->head = NULL;
	q->tail = &q->head;
	atomic_store(&q->n_inflight, 0);
	pthread_mutex_unlock(&q->dev->spi->lock);
}

/* --- on a WGP --- */

bool bw_spi_launch(struct bw_wgp *wgp)
{
	struct bw_spi *spi = wgp->dev->spi;
	if (!atomic_load(&wgp->has_inbox))
		return false;
	pthread_mutex_lock(&spi->lock);
	struct bw_group *g = wgp->inbox;
	unsigned n_resident = wgp->n_resident;
	for (const struct bw_group *i = g; i; i = i->next)
		n_resident += i->wg.n_waves;
	/* This order is needed: bw_sq_cmd looks without the locks, and must find the waves in one
	 * of both. */
	__atomic_store_n(&wgp->n_resident, n_resident, __ATOMIC_SEQ_CST);
	wgp->inbox = NULL;
	wgp->inbox_tail = &wgp->inbox;
	atomic_store(&wgp->has_inbox, false);
	pthread_mutex_unlock(&spi->lock);
	while (g) {
		struct bw_group *next = g->next;
		bw_group_launch(g);
		g = next;
	}
	return true;
}

void bw_spi_wave_ended(struct bw_wgp *wgp, struct bw_slot *s)
{
	struct bw_spi *spi = wgp->dev->spi;
	struct bw_group *g = s->group;
	pthread_mutex_lock(&spi->lock);
	free_waves(wgp, g, s->w.index_in_group);
	g->n_saved += bw_cwsr_wave_is_saved(s);
	if (--g->n_alive == 0) {
		struct bw_dispatch *d = g->dispatch;
		set_run(wgp->free_lds, g->lds_first, g->lds_granules, true);
		wgp->free_groups |= 1u << g->wg.wg_id;
		d->queue->n_alive--;
		d->n_alive--;
		d->n_saved += g->n_saved != 0;
		complete(d);
	}
	place(wgp->dev, wgp);
	pthread_mutex_unlock(&spi->lock);
}

void bw_spi_counts(struct bw_device *dev, uint64_t *out_dispatches, uint64_t *out_waves)
{
	pthread_mutex_lock(&dev->spi->lock);
	*out_dispatches = dev->spi->n_dispatches;
	*out_waves = dev->spi->n_waves;
	pthread_mutex_unlock(&dev->spi->lock);
}

uint64_t bw_spi_starved_ns(struct bw_device *dev, unsigned me, unsigned pipe, unsigned queue,
			   uint64_t *out_now_ns)
{
	struct bw_spi *spi = dev->spi;
	uint64_t ns = 0;
	*out_now_ns = 0;
	pthread_mutex_lock(&spi->lock);
	for (unsigned i = 0; i < spi->n_queues; i++) {
		const struct bw_queue *q = spi->queues[i];
		if (q->me != me || q->pipe != pipe || q->queue != queue)
			continue;
		if (q->starved_since_ns)
			*out_now_ns = bw_host_ns() - q->starved_since_ns;
		ns = q->starved_ns + *out_now_ns;
	}
	pthread_mutex_unlock(&spi->lock);
	return ns;
}

void bw_spi_waves(struct bw_device *dev, uint32_t out[BW_N_VMIDS])
{
	struct bw_spi *spi = dev->spi;
	memset(out, 0, BW_N_VMIDS * sizeof(*out));
	pthread_mutex_lock(&spi->lock);
	for (unsigned i = 0; i < bw_sched_n_wgps(dev); i++)
		for (unsigned k = 0; k < dev->profile->max_groups_per_wgp; k++) {
			const struct bw_group *g = &spi->groups[i * BW_MAX_GROUPS + k];
			if (!(bw_sched_wgp(dev, i)->free_groups >> k & 1))
				out[g->dispatch->vmid] += g->n_alive;
		}
	pthread_mutex_unlock(&spi->lock);
}

struct bw_error *bw_spi_create(struct bw_device *dev)
{
	const struct bw_profile *p = dev->profile;
	unsigned n = bw_sched_n_wgps(dev), n_sas = p->sa_per_se, at = 0;
	struct bw_spi *spi = calloc(1, sizeof(*spi));
	if (!spi)
		return bw_error_nomem();
	dev->spi = spi;
	pthread_mutex_init(&spi->lock, NULL);
	spi->groups = calloc((size_t)n * BW_MAX_GROUPS, sizeof(*spi->groups));
	if (!spi->groups)
		return bw_error_nomem();
	for (unsigned id = 0; id < p->wgp_per_sa; id++)
		for (unsigned sa = 0; sa < n_sas; sa++)
			for (unsigned se = 0; se < p->n_se; se++)
				spi->order[at++] = (se * n_sas + sa) * p->wgp_per_sa + id;
	for (unsigned i = 0; i < n; i++) {
		struct bw_wgp *wgp = bw_sched_wgp(dev, i);
		for (unsigned s = 0; s < p->simd_per_wgp; s++) {
			set_run(&wgp->free_vgprs[s], 0,
				BW_MIN(p->vgprs_per_simd / p->vgpr_granule_w32, 64u), true);
			wgp->free_slots[s] = (1u << p->waves_per_simd) - 1;
		}
		set_run(wgp->free_lds, 0, BW_MIN(p->lds_per_wgp_b / p->lds_granule_b, 128u), true);
		wgp->free_groups = ~0u >> (32 - p->max_groups_per_wgp);
		wgp->inbox_tail = &wgp->inbox;
	}
	return NULL;
}

void bw_spi_destroy(struct bw_device *dev)
{
	struct bw_spi *spi = dev->spi;
	if (!spi)
		return;
	/* The threads have ended, so what is in flight can be freed here. */
	for (unsigned i = 0; i < spi->n_queues; i++) {
		while (spi->queues[i]->restore) {
			struct bw_restored *r = take_restored(spi->queues[i]);
			struct bw_dispatch *d = r->dispatch;
			if (!--d->n_pending && d->all_placed && !d->n_alive)
				bw_dispatch_free(d);
			free(r);
		}
		for (struct bw_dispatch *d = spi->queues[i]->head, *next; d; d = next) {
			next = d->next;
			if (!d->n_alive)
				bw_dispatch_free(d);
		}
	}
	for (unsigned i = 0; i < bw_sched_n_wgps(dev) * BW_MAX_GROUPS; i++) {
		struct bw_group *g = &spi->groups[i];
		struct bw_wgp *wgp = bw_sched_wgp(dev, i / BW_MAX_GROUPS);
		bool in_use = !(wgp->free_groups >> (i % BW_MAX_GROUPS) & 1);
		if (in_use && i % BW_MAX_GROUPS < dev->profile->max_groups_per_wgp &&
		    --g->dispatch->n_alive == 0)
			bw_dispatch_free(g->dispatch);
	}
	free(spi->groups);
	pthread_mutex_destroy(&spi->lock);
	free(spi);
	dev->spi = NULL;
}
