/* SPDX-License-Identifier: MIT */
/* Worker threads, the queue of runnable WGPs, sleeping. The execution of waves is in wave_run.c. */
#include "vgpu/device/scheduler_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "vgpu/device/exec/strict/strict.h"

unsigned bw_sched_n_wgps(const struct bw_device *dev)
{
	return dev->sched ? dev->sched->n_wgps : 0;
}

unsigned bw_sched_n_threads(const struct bw_device *dev)
{
	return dev->sched->n_threads;
}

struct bw_wgp *bw_sched_wgp(struct bw_device *dev, unsigned index)
{
	return &dev->sched->wgp[index];
}

/* --- handing a WGP over --- */

void bw_wgp_acquire(struct bw_wgp *wgp)
{
	pthread_mutex_lock(&wgp->gate);
	atomic_store(&wgp->yield_wanted, true);
	struct bw_slot *s = atomic_load(&wgp->current);
	if (s)
		atomic_fetch_or(&s->w.request, BW_REQ_YIELD);
	pthread_mutex_lock(&wgp->lock);
	atomic_store(&wgp->yield_wanted, false);
	bw_sq_carry_out(wgp);
}

void bw_wgp_release(struct bw_wgp *wgp)
{
	pthread_mutex_unlock(&wgp->lock);
	pthread_mutex_unlock(&wgp->gate);
}

void bw_wgp_post(struct bw_wgp *wgp, uint32_t sq_cmd, uint8_t simds)
{
	pthread_mutex_lock(&wgp->cmd_lock);
	unsigned n = atomic_load(&wgp->n_cmds);
	bool posted = n < BW_ARRAY_SIZE(wgp->cmd);
	if (posted) {
		wgp->cmd[n].value = sq_cmd;
		wgp->cmd[n].simds = simds;
		atomic_store(&wgp->n_cmds, n + 1);
	}
	pthread_mutex_unlock(&wgp->cmd_lock);
	if (!posted) {
		/* Full: taking the WGP empties it. */
		bw_wgp_acquire(wgp);
		bw_wgp_release(wgp);
		bw_wgp_post(wgp, sq_cmd, simds);
		return;
	}
	struct bw_slot *s = atomic_load(&wgp->current);
	if (s)
		atomic_fetch_or(&s->w.request, BW_REQ_YIELD);
	bw_sched_kick(wgp);
}

/* --- the run queue; all with sched->lock --- */

static void enqueue(struct bw_sched *sched, struct bw_wgp *wgp)
{
	wgp->run = BW_WGP_QUEUED;
	wgp->next = NULL;
	*sched->tail = wgp;
	sched->tail = &wgp->next;
}

static struct bw_wgp *dequeue(struct bw_sched *sched)
{
	struct bw_wgp *wgp = sched->head;
	if (!wgp)
		return NULL;
	sched->head = wgp->next;
	if (!sched->head)
		sched->tail = &sched->head;
	wgp->run = BW_WGP_RUNNING;
	wgp->again = false;
	wgp->wake_ns = ~0ull;
	return wgp;
}

void bw_sched_kick(struct bw_wgp *wgp)
{
	struct bw_sched *sched = wgp->dev->sched;
	bool helps = sched->n_workers > sched->n_threads && bw_device_is_cp_thread(wgp->dev);
	pthread_mutex_lock(&sched->lock);
	if (wgp->run == BW_WGP_IDLE) {
		enqueue(sched, wgp);
		if (helps)
			sched->owes_wakeup = true;
		else
			pthread_cond_signal(&sched->cond);
	} else if (wgp->run == BW_WGP_RUNNING) {
		wgp->again = true;
	}
	pthread_mutex_unlock(&sched->lock);
}

void bw_slot_request(struct bw_wgp *wgp, struct bw_slot *s, uint32_t request)
{
	atomic_fetch_or(&s->w.request, request);
	bw_sched_kick(wgp);
}

void bw_sched_poke(struct bw_device *dev)
{
	struct bw_sched *sched = dev->sched;
	pthread_mutex_lock(&sched->lock);
	sched->poked = true;
	pthread_cond_signal(&sched->cond);
	pthread_mutex_unlock(&sched->lock);
}

/* Queues the WGPs whose sleepers are due. Returns when the next one is: ~0 never. */
static uint64_t wake_sleepers(struct bw_sched *sched, uint64_t now_ns)
{
	uint64_t next_ns = ~0ull;
	for (unsigned i = 0; i < sched->n_wgps; i++) {
		struct bw_wgp *wgp = &sched->wgp[i];
		if (wgp->run != BW_WGP_IDLE || wgp->wake_ns == ~0ull)
			continue;
		if (wgp->wake_ns <= now_ns)
			enqueue(sched, wgp);
		else
			next_ns = BW_MIN(next_ns, wgp->wake_ns);
	}
	return next_ns;
}

static void finish_turn(struct bw_sched *sched, struct bw_wgp *wgp, bool ready, uint64_t wake_ns)
{
	pthread_mutex_lock(&sched->lock);
	wgp->wake_ns = wake_ns;
	if (ready || wgp->again) {
		enqueue(sched, wgp);
		if (sched->n_waiting)
			pthread_cond_signal(&sched->cond);
	} else {
		wgp->run = BW_WGP_IDLE;
	}
	pthread_mutex_unlock(&sched->lock);
}

static void run_wgp(struct bw_worker *worker, struct bw_wgp *wgp)
{
	uint64_t wake_ns;
	/* A thread that waits for the WGP holds the gate, and is served first. */
	pthread_mutex_lock(&wgp->gate);
	pthread_mutex_lock(&wgp->lock);
	pthread_mutex_unlock(&wgp->gate);
	bool ready = bw_wgp_turn(worker, wgp, &wake_ns);
	pthread_mutex_unlock(&wgp->lock);
	finish_turn(worker->dev->sched, wgp, ready, wake_ns);
}

/* --- parallel workers --- */

/* The caller holds sched->lock. Sleeps until something is queued, at most ns. */
static void wait_for_work(struct bw_sched *sched, uint64_t ns)
{
	sched->n_waiting++;
	if (ns == ~0ull) {
		pthread_cond_wait(&sched->cond, &sched->lock);
	} else {
		struct timespec ts;
		clock_gettime(CLOCK_MONOTONIC, &ts);
		uint64_t at = (uint64_t)ts.tv_nsec + ns;
		ts.tv_sec += (time_t)(at / 1000000000u);
		ts.tv_nsec = (long)(at % 1000000000u);
		pthread_cond_timedwait(&sched->cond, &sched->lock, &ts);
	}
	sched->n_waiting--;
}

/* With sched->lock. Wakes a worker if there is more to run, or a time that nobody waits for. */
static void wake_another(struct bw_sched *sched, uint64_t next_ns)
{
	if (sched->n_waiting && (sched->head || next_ns < bw_sched_next_wakeup_ns(sched)))
		pthread_cond_signal(&sched->cond);
}

uint64_t bw_sched_next_wakeup_ns(const struct bw_sched *sched)
{
	uint64_t ns = ~0ull;
	for (unsigned i = 0; i < sched->n_workers; i++)
		ns = BW_MIN(ns, sched->worker[i].waits_until_ns);
	return ns;
}

static void *worker_main(void *arg)
{
	struct bw_worker *worker = arg;
	struct bw_device *dev = worker->dev;
	struct bw_sched *sched = dev->sched;
	/* Sleeps of 20 us are meant as such; the kernel's default is 50 us more. */
	prctl(PR_SET_TIMERSLACK, 1000ul);
	pthread_mutex_lock(&sched->lock);
	while (!atomic_load(&sched->stop)) {
		uint64_t now = bw_device_now_ns(dev);
		uint64_t next = wake_sleepers(sched, now);
		struct bw_wgp *wgp = dequeue(sched);
		if (!wgp) {
			/* Waits for the time of the next wave, unless another thread wakes by
			 * then; else until it is woken. */
			bool keeper = next < bw_sched_next_wakeup_ns(sched);
			worker->waits_until_ns = keeper ? next : ~0ull;
			wait_for_work(sched, keeper ? next - now : ~0ull);
			worker->waits_until_ns = ~0ull;
			continue;
		}
		wake_another(sched, next);
		pthread_mutex_unlock(&sched->lock);
		run_wgp(worker, wgp);
		pthread_mutex_lock(&sched->lock);
	}
	pthread_mutex_unlock(&sched->lock);
	return NULL;
}

void bw_sched_help(struct bw_device *dev)
{
	enum { MOST_NS = 50000 }; /* about as long as a worker needs to wake */
	struct bw_sched *sched = dev->sched;
	if (sched->n_workers == sched->n_threads)
		return;
	struct bw_worker *worker = &sched->worker[sched->n_threads];
	struct bw_wgp *wgp;
	pthread_mutex_lock(&sched->lock);
	bool owes = sched->owes_wakeup;
	sched->owes_wakeup = false;
	uint64_t until = owes ? bw_host_ns() + MOST_NS : 0;
	while (owes && !atomic_load(&sched->stop) && (wgp = dequeue(sched))) {
		wake_another(sched, ~0ull);
		pthread_mutex_unlock(&sched->lock);
		run_wgp(worker, wgp);
		pthread_mutex_lock(&sched->lock);
		if (bw_host_ns() >= until)
			break;
	}
	if (owes)
		wake_another(sched, wake_sleepers(sched, bw_device_now_ns(dev)));
	pthread_mutex_unlock(&sched->lock);
}

/* --- deterministic: one thread, a fixed order, its own clock --- */

/* Whether all sleepers wait for something from outside, which takes real time to come. */
static bool everything_polls(const struct bw_sched *sched)
{
	for (unsigned i = 0; i < sched->n_wgps; i++)
		if (sched->wgp[i].wake_ns != ~0ull && !sched->wgp[i].polling)
			return false;
	return true;
}

static void *deterministic_main(void *arg)
{
	struct bw_worker *worker = arg;
	struct bw_device *dev = worker->dev;
	struct bw_sched *sched = dev->sched;
	pthread_mutex_lock(&sched->lock);
	while (!atomic_load(&sched->stop)) {
		sched->poked = false;
		pthread_mutex_unlock(&sched->lock);
		bool progress = bw_cp_turn(dev);
		pthread_mutex_lock(&sched->lock);

		/* Every WGP that can run gets one turn, in the order they became ready. */
		uint64_t next = wake_sleepers(sched, bw_device_now_ns(dev));
		struct bw_wgp *wgp = dequeue(sched);
		if (wgp) {
			pthread_mutex_unlock(&sched->lock);
			run_wgp(worker, wgp);
			atomic_fetch_add(&dev->virtual_ns, 1000);
			pthread_mutex_lock(&sched->lock);
			continue;
		}
		if (progress || sched->poked)
			continue;
		if (next != ~0ull) {
			/* Only sleepers: their time comes now. */
			if (everything_polls(sched))
				wait_for_work(sched, 500000);
			atomic_store(&dev->virtual_ns, next);
			continue;
		}
		wait_for_work(sched, bw_cp_polling(dev) ? 100000 : ~0ull);
	}
	pthread_mutex_unlock(&sched->lock);
	return NULL;
}

/* --- invalidations, statistics --- */

void bw_sched_flush_code(struct bw_device *dev)
{
	for (unsigned i = 0; i < dev->sched->n_workers; i++)
		bw_exec_flush_code(dev->sched->worker[i].exec);
}

void bw_sched_vm_invalidated(struct bw_device *dev, uint32_t vmid_mask)
{
	bw_sched_flush_code(dev);
	if (dev->strict) /* the caches' lines have virtual addresses */
		bw_strict_invalidate(dev->strict, BW_STRICT_ALL);
	for (unsigned i = 0; i < dev->sched->n_workers; i++) {
		struct bw_worker *worker = &dev->sched->worker[i];
		int vmid = atomic_load(&worker->running_vmid);
		struct bw_slot *s = atomic_load(&worker->current);
		if (vmid >= 0 && vmid_mask >> vmid & 1 && s)
			atomic_fetch_or(&s->w.request, BW_REQ_YIELD);
	}
}

uint32_t bw_sched_vm_settled(struct bw_device *dev)
{
	uint32_t settled = 0xffff;
	for (unsigned i = 0; i < dev->sched->n_workers; i++) {
		struct bw_worker *worker = &dev->sched->worker[i];
		int vmid = atomic_load(&worker->running_vmid);
		if (vmid >= 0 && atomic_load(&worker->running_generation) !=
					 atomic_load(&dev->vm.generation[vmid]))
			settled &= ~(1u << vmid);
	}
	return settled;
}

uint64_t bw_sched_held_ns(struct bw_device *dev, unsigned vmid, bool *out_held_now)
{
	struct bw_sched *sched = dev->sched;
	pthread_mutex_lock(&sched->held_lock);
	const struct bw_held *h = &sched->held[vmid];
	uint64_t ns = h->total_ns + (h->n ? bw_host_ns() - h->since_ns : 0);
	if (out_held_now)
		*out_held_now = h->n != 0;
	pthread_mutex_unlock(&sched->held_lock);
	return ns;
}

void bw_sched_stats(struct bw_device *dev, struct bw_device_stats *out)
{
	*out = (struct bw_device_stats){0};
	for (unsigned i = 0; i < dev->sched->n_workers; i++)
		out->instructions += atomic_load(&dev->sched->worker[i].instructions);
	for (unsigned i = 0; i < dev->sched->n_wgps; i++)
		out->waves_resident +=
			__atomic_load_n(&dev->sched->wgp[i].n_resident, __ATOMIC_RELAXED);
	bw_spi_counts(dev, &out->dispatches, &out->waves_launched);
}

/* --- life --- */

/* The WGPs and their register files. Only pages in use cost memory and time, so each can have all
 * of its slots and registers. */
static struct bw_error *map_wgps(struct bw_sched *sched, const struct bw_profile *p)
{
	unsigned n = p->n_se * p->sa_per_se * p->wgp_per_sa;
	size_t vgprs_b = (size_t)p->simd_per_wgp * p->vgprs_per_simd * 128;
	size_t slots_b = bw_align_up(n * sizeof(*sched->wgp), BW_PAGE_B);
	sched->mapped_b = slots_b + n * (vgprs_b + p->lds_per_wgp_b);
	void *mapped = mmap(NULL, sched->mapped_b, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mapped == MAP_FAILED)
		return bw_error_nomem();
	sched->wgp = mapped;
	sched->n_wgps = n;
	uint8_t *vgprs = (uint8_t *)mapped + slots_b, *lds = vgprs + n * vgprs_b;
	for (unsigned i = 0; i < n; i++) {
		sched->wgp[i].vgprs = vgprs + i * vgprs_b;
		sched->wgp[i].lds = lds + i * (size_t)p->lds_per_wgp_b;
	}
	return NULL;
}

struct bw_error *bw_sched_create(struct bw_device *dev)
{
	const struct bw_profile *p = dev->profile;
	struct bw_sched *sched = calloc(1, sizeof(*sched));
	if (!sched)
		return bw_error_nomem();
	dev->sched = sched;
	sched->tail = &sched->head;
	pthread_mutex_init(&sched->lock, NULL);
	pthread_mutex_init(&sched->held_lock, NULL);
	pthread_condattr_t attr;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&sched->cond, &attr);
	pthread_condattr_destroy(&attr);

	BW_TRY(map_wgps(sched, p));
	for (unsigned i = 0; i < sched->n_wgps; i++) {
		struct bw_wgp *wgp = &sched->wgp[i];
		wgp->dev = dev;
		wgp->index = i;
		wgp->id = (uint8_t)(i % p->wgp_per_sa);
		wgp->sa = (uint8_t)(i / p->wgp_per_sa % p->sa_per_se);
		wgp->se = (uint8_t)(i / p->wgp_per_sa / p->sa_per_se);
		wgp->wake_ns = ~0ull;
		pthread_mutex_init(&wgp->gate, NULL);
		pthread_mutex_init(&wgp->lock, NULL);
		pthread_mutex_init(&wgp->cmd_lock, NULL);
		wgp->caches = dev->options.strict ? bw_strict_caches_create(dev->strict) : NULL;
		if (dev->options.strict && !wgp->caches)
			return bw_error_nomem();
	}
	return NULL;
}

static struct bw_error *start_worker(struct bw_device *dev, struct bw_worker *worker)
{
	worker->dev = dev;
	worker->waits_until_ns = ~0ull;
	struct bw_exec_host host = bw_worker_exec_host(worker);
	atomic_store(&worker->running_vmid, -1);
	worker->exec = bw_exec_create(&host);
	if (!worker->exec)
		return bw_error_nomem();
	for (unsigned v = 0; v < BW_N_VMIDS; v++)
		bw_tlb_init(&worker->tlb[v], dev, v, BW_CLIENT_TCP);
	return NULL;
}

struct bw_error *bw_sched_start(struct bw_device *dev)
{
	struct bw_sched *sched = dev->sched;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned n = dev->options.deterministic ? 1
		     : dev->options.threads	? dev->options.threads
						: (unsigned)BW_MAX(cores, 1L);
	n = BW_MIN(n, sched->n_wgps);
	/* A number that is asked for is the number of threads that run waves. */
	bool helps = !dev->options.deterministic && !dev->options.threads;
	sched->worker = calloc(n + 1, sizeof(*sched->worker));
	if (!sched->worker)
		return bw_error_nomem();
	for (; sched->n_workers < n + helps; sched->n_workers++)
		BW_TRY(start_worker(dev, &sched->worker[sched->n_workers]));
	sched->worker[n].is_brief = true;
	for (; sched->n_threads < n; sched->n_threads++) {
		struct bw_worker *worker = &sched->worker[sched->n_threads];
		int e = pthread_create(
			&worker->thread, NULL,
			dev->options.deterministic ? deterministic_main : worker_main, worker);
		if (e)
			return bw_error_errno(e, "starting a worker thread");
	}
	return NULL;
}

void bw_sched_stop(struct bw_device *dev)
{
	struct bw_sched *sched = dev->sched;
	if (!sched)
		return;
	pthread_mutex_lock(&sched->lock);
	atomic_store(&sched->stop, true);
	sched->poked = true; /* a thread that has looked at `stop` already must not sleep */
	pthread_cond_broadcast(&sched->cond);
	pthread_mutex_unlock(&sched->lock);
	for (unsigned i = 0; i < sched->n_wgps; i++) {
		/* Its turn ends soon, and no thread starts another turn. */
		bw_wgp_acquire(&sched->wgp[i]);
		bw_wgp_release(&sched->wgp[i]);
	}
	for (unsigned i = 0; i < sched->n_threads; i++)
		pthread_join(sched->worker[i].thread, NULL);
	sched->n_threads = 0;
}

void bw_sched_destroy(struct bw_device *dev)
{
	struct bw_sched *sched = dev->sched;
	if (!sched)
		return;
	for (unsigned i = 0; i < sched->n_workers; i++)
		bw_exec_destroy(sched->worker[i].exec);
	free(sched->worker);
	for (unsigned i = 0; i < sched->n_wgps; i++) {
		pthread_mutex_destroy(&sched->wgp[i].gate);
		pthread_mutex_destroy(&sched->wgp[i].lock);
		pthread_mutex_destroy(&sched->wgp[i].cmd_lock);
	}
	if (sched->wgp)
		munmap(sched->wgp, sched->mapped_b);
	pthread_mutex_destroy(&sched->lock);
	pthread_mutex_destroy(&sched->held_lock);
	pthread_cond_destroy(&sched->cond);
	free(sched);
	dev->sched = NULL;
}
