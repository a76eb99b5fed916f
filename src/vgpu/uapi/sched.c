/* SPDX-License-Identifier: MIT */
/* The worker: one thread that reacts to interrupts and to what calls have queued. It completes
 * jobs, applies page-table changes whose time has come, and puts jobs on rings when what they
 * depend on is done, a VMID is free and the ring has room. */
#include <amdgpu_drm.h>
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "vgpu/device/exec/check/jobs.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/klog.h"
#include "vgpu/uapi/syncobj.h"
#include "vgpu/uapi/uapi_priv.h"

void bw_drm_kick(struct bw_uapi *u)
{
	pthread_mutex_lock(&u->kick_lock);
	u->kick = true;
	pthread_mutex_unlock(&u->kick_lock);
	pthread_cond_signal(&u->kicked);
}

void bw_drm_job_free(struct bw_drm_job *job)
{
	if (!job)
		return;
	if (job->gang && !--job->gang->refs)
		free(job->gang);
	if (job->ctx)
		bw_drm_ctx_unref(job->ctx);
	bw_drm_fence_unref(job->done);
	bw_drm_fence_unref(job->scheduled);
	bw_drm_fences_fini(&job->deps);
	bw_drm_fences_fini(&job->all_deps);
	bw_drm_bo_unref(job->uf_bo);
	bw_drm_vm_unref(job->vm);
	free(job->ibs);
	free(job);
}

void bw_drm_job_finish(struct bw_uapi *u, struct bw_drm_job *job, int error)
{
	if (job->uf_bo && !error) {
		uint8_t *p = bw_drm_bo_cpu(job->uf_bo, job->uf_offset, sizeof(uint64_t));
		if (p)
			memcpy(p, &job->uf_value, sizeof(uint64_t));
	}
	job->vm->n_unfinished--;
	*job->vm_prev = job->vm_next;
	if (job->vm_next)
		job->vm_next->vm_prev = job->vm_prev;
	bw_drm_fence_signal(u, job->scheduled, error);
	bw_drm_fence_signal(u, job->done, error);
	/* Before a wait for it can end: whoever has waited finds its sync_files readable. */
	bw_drm_sync_files_tell(u);
	bw_drm_job_free(job);
}

static void link_to_vm(struct bw_drm_job *job)
{
	struct bw_drm_job **at = &job->vm->jobs;
	while (*at)
		at = &(*at)->vm_next;
	*at = job;
	job->vm_prev = at;
	job->vm->n_unfinished++;
}

/* The order in which the kernel's scheduler looks: the highest run queue first, and in each of them
 * the job that has waited longest (drm_sched_select_entity; FIFO is 6.12's policy). */
static bool comes_before(const struct bw_drm_entity *a, const struct bw_drm_entity *b)
{
	return a->level != b->level ? a->level < b->level : a->head->number < b->head->number;
}

/* Into the list, which has room: the CS call has made it, or the entity has just left. */
static void add_waiting(struct bw_uapi *u, struct bw_drm_entity *e)
{
	size_t at = u->waiting.len++;
	for (; at && comes_before(e, u->waiting.data[at - 1]); at--)
		u->waiting.data[at] = u->waiting.data[at - 1];
	u->waiting.data[at] = e;
}

static void remove_waiting(struct bw_uapi *u, const struct bw_drm_entity *e)
{
	for (size_t i = 0; i < u->waiting.len; i++) {
		if (u->waiting.data[i] == e) {
			bw_vec_remove(&u->waiting, i);
			break;
		}
	}
}

void bw_drm_job_push(struct bw_uapi *u, struct bw_drm_job *job)
{
	struct bw_drm_entity *e = job->entity;
	link_to_vm(job);
	job->number = ++u->n_jobs;
	for (unsigned i = 0; bw_device_check(u->dev) && i < BW_DRM_N_RINGS; i++)
		job->after[i] = bw_drm_ring_signaled(u, &u->rings[i]);
	if (e->tail) {
		e->tail->next = job;
	} else {
		e->head = job;
		/* An entity changes its run queue only while it has no jobs
		 * (drm_sched_entity_select_rq). */
		if (!e->on_ring)
			e->level = bw_drm_ctx_level(job->ctx);
		add_waiting(u, e);
	}
	e->tail = job;
}

/* An entity without jobs leaves the list at once: only its jobs keep its context, and so itself. */
static struct bw_drm_job *pop_waiting(struct bw_uapi *u, struct bw_drm_entity *e)
{
	struct bw_drm_job *job = e->head;
	remove_waiting(u, e);
	e->head = job->next;
	job->next = NULL;
	bw_drm_fence_unref(e->last);
	e->last = bw_drm_fence_ref(job->done);
	if (e->head)
		add_waiting(u, e);
	else
		e->tail = NULL;
	return job;
}

/* The ring for an entity's next job: the one its jobs are on, so that they stay in order, else the
 * least loaded. NULL: no room now. */
static struct bw_drm_ring *pick_ring(struct bw_uapi *u, const struct bw_drm_job *job)
{
	const struct bw_drm_entity *e = job->entity;
	struct bw_drm_ring *best = NULL;
	bool is_sdma = job->ip == AMDGPU_HW_IP_DMA;
	unsigned first = is_sdma ? BW_DRM_FIRST_SDMA : BW_DRM_FIRST_COMPUTE;
	unsigned n = is_sdma ? BW_DRM_N_SDMA : BW_DRM_N_COMPUTE;
	if (job->ip == AMDGPU_HW_IP_GFX)
		best = &u->rings[0];
	else if (e->on_ring)
		best = &u->rings[e->ring];
	for (unsigned i = 0; !best && i < n; i++) {
		struct bw_drm_ring *ring = &u->rings[first + (e->ring - first + i) % n];
		bool least = true;
		for (unsigned k = first; k < first + n; k++)
			least &= u->rings[k].n >= ring->n;
		if (least)
			best = ring;
	}
	return best->n < BW_DRM_HW_JOBS ? best : NULL;
}

static bool is_ready(struct bw_drm_job *job)
{
	return job == job->entity->head && bw_drm_fences_signaled(&job->deps) &&
	       job->vm->updates_applied >= job->updates_before;
}

static void became_head(struct bw_uapi *u, struct bw_drm_ring *ring)
{
	bool held_now;
	uint64_t starved_now_ns;
	if (!ring->head)
		return;
	ring->head->started_ns = bw_now_ns();
	ring->head->held_at_start_ns = bw_drm_vm_held_ns(ring->head->vm, &held_now);
	ring->head->starved_at_start_ns = bw_drm_ring_starved_ns(u, ring, &starved_now_ns);
}

static void raise(uint64_t to[BW_DRM_N_RINGS], const uint64_t from[BW_DRM_N_RINGS])
{
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++)
		to[i] = BW_MAX(to[i], from[i]);
}

/* Tells the checker which jobs come before this one: those that had ended when it was submitted, so
 * that the program can know of it, those whose fences it waits for, and what these and the jobs of
 * its own queue came after. */
static void tell_order(struct bw_uapi *u, const struct bw_drm_ring *ring, struct bw_drm_job *job)
{
	static_assert((int)BW_DRM_N_RINGS <= (int)BW_CHECK_RINGS,
		      "the checker has a number for each ring");
	struct bw_check *check = bw_device_check(u->dev);
	const struct bw_check_job name = {(uint32_t)(ring - u->rings), job->ring_seq};
	uint64_t after[BW_CHECK_RINGS] = {0};
	if (!check)
		return;
	raise(job->entity->after, job->after);
	bw_vec_each(&job->all_deps, f)
		raise(job->entity->after, (*f)->after);
	memcpy(after, job->entity->after, sizeof(job->entity->after));
	after[name.line] = BW_MAX(after[name.line], job->ring_seq - 1);
	memcpy(job->done->after, after, sizeof(job->done->after));
	job->done->after[name.line] = job->ring_seq;
	bw_check_job(check, name, after);
}

/* False: not now. */
static bool launch(struct bw_uapi *u, struct bw_drm_job *job)
{
	struct bw_drm_ring *ring = pick_ring(u, job);
	unsigned vmid = ring ? bw_drm_vmid_grab(job->vm) : 0;
	if (!vmid)
		return false;
	pop_waiting(u, job->entity);
	job->ring_seq = ring->emitted + 1;
	bool flush = u->vmids[vmid].flushed != job->vm->tlb_seq;
	job->flushes = flush ? job->vm->tlb_seq : 0;
	tell_order(u, ring, job);
	/* Before the doorbell, as the ring may complete the job at once. */
	if (ring->tail)
		ring->tail->next = job;
	else
		ring->head = job;
	struct bw_drm_job *before = ring->tail;
	ring->tail = job;
	ring->n++;
	if (!bw_drm_ring_emit(u, ring, job, flush)) {
		ring->tail = before;
		if (before)
			before->next = NULL;
		else
			ring->head = NULL;
		ring->n--;
		bw_drm_job_finish(u, job, -ENOMEM);
		return true;
	}
	ring->emitted++;
	job->vmid = vmid;
	u->vmids[vmid].busy++;
	job->entity->on_ring++;
	job->entity->ring = (unsigned)(ring - u->rings);
	job->done->timeline = ring->name;
	if (ring->head == job) {
		became_head(u, ring);
		bw_drm_sensors_ring(u, true);
	}
	bw_drm_fence_signal(u, job->scheduled, 0);
	BW_LOG(DEBUG, "uapi", "job %llu of %s on %s, VMID %u%s", (unsigned long long)job->vm_number,
	       job->vm->comm, ring->name, vmid, flush ? ", flush" : "");
	return true;
}

/* Launches all members of a gang or none; the launched ones stay in `members`. */
static bool launch_gang(struct bw_uapi *u, struct bw_drm_gang *gang)
{
	unsigned n_free = 0;
	for (unsigned i = 0; i < gang->n; i++) {
		if (!is_ready(gang->job[i]))
			return false;
		if (!gang->job[i]->waits_since_ns)
			gang->job[i]->waits_since_ns = bw_now_ns();
		n_free += pick_ring(u, gang->job[i]) != NULL;
	}
	for (unsigned i = 1; i < BW_DRM_N_RINGS && gang->n > 1; i++)
		if (u->rings[i].n) /* so that no member can wait in a ring for another */
			n_free = 0;
	if (n_free < gang->n || !bw_drm_vmid_grab(gang->job[0]->vm))
		return false;
	gang->refs++;
	for (unsigned i = 0; i < gang->n; i++)
		launch(u, gang->job[i]);
	if (!--gang->refs)
		free(gang);
	return true;
}

/* amdgpu_ib_schedule finds it when the job's turn has come, so the program sees it at its fence,
 * and at what it submits to that queue afterwards. */
static bool is_refused(const struct bw_drm_job *job)
{
	for (unsigned i = 0; i < job->n_ibs && job->ip == AMDGPU_HW_IP_COMPUTE && !job->gang; i++)
		if (job->ibs[i].flags & AMDGPU_IB_FLAGS_SECURE)
			return true;
	return false;
}

static bool schedule_entity(struct bw_uapi *u, struct bw_drm_entity *e)
{
	struct bw_drm_job *job = e->head;
	if (job->gang && (job->vm->dying || job->ctx->guilty))
		job->gang->cancelled = true; /* its other members end when their turn comes */
	if (job->vm->dying || job->ctx->guilty || (job->gang && job->gang->cancelled)) {
		bw_drm_job_finish(u, pop_waiting(u, e), -ECANCELED);
		return true;
	}
	int error = bw_drm_entity_error(e);
	if (error) {
		if (job->gang)
			job->gang->cancelled = true;
		bw_drm_job_finish(u, pop_waiting(u, e), error);
		return true;
	}
	if (is_refused(job) && is_ready(job)) {
		const char *ring = u->rings[e->ring].name;
		bw_klog(u, "secure submissions not supported on ring <%s>", ring);
		bw_klog(u, "Error scheduling IBs (%d) in ring(%s)", -EINVAL, ring);
		bw_drm_job_finish(u, pop_waiting(u, e), -EINVAL);
		return true;
	}
	if (job->gang)
		return launch_gang(u, job->gang);
	if (!is_ready(job))
		return false;
	if (!job->waits_since_ns)
		job->waits_since_ns = bw_now_ns();
	return launch(u, job);
}

/* One pass over the entities; true if something moved. */
static bool schedule(struct bw_uapi *u)
{
	bool moved = false;
	for (size_t i = 0; i < u->waiting.len;) {
		if (schedule_entity(u, u->waiting.data[i]))
			moved = true; /* the entity has left its place, or its next job is
				       * examined */
		else
			i++;
	}
	return moved;
}

void bw_drm_schedule(struct bw_uapi *u)
{
	schedule(u);
	/* The worker waits for the rest, and checks the time limits of jobs. */
	if (u->waiting.len || u->options.lockup_timeout_ms)
		bw_drm_kick(u);
}

static bool complete(struct bw_uapi *u)
{
	bool moved = false;
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++) {
		struct bw_drm_ring *ring = &u->rings[i];
		ring->signaled = bw_drm_ring_signaled(u, ring);
		while (ring->head && ring->head->ring_seq <= ring->signaled) {
			struct bw_drm_job *job = ring->head;
			ring->head = job->next;
			if (!ring->head)
				ring->tail = NULL;
			ring->n--;
			job->next = NULL;
			job->entity->on_ring--;
			job->vm->engine_ns[job->ip] += (uint64_t)(bw_now_ns() - job->started_ns);
			u->vmids[job->vmid].busy--;
			/* A job that a reset has dropped may not have flushed. */
			if (job->flushes && !job->was_reset && u->vmids[job->vmid].vm == job->vm)
				u->vmids[job->vmid].flushed = job->flushes;
			if (job->killing && !job->was_reset)
				bw_drm_job_recovered(u, ring, job);
			bw_drm_job_finish(u, job, job->error);
			became_head(u, ring);
			moved = true;
			if (!ring->head)
				bw_drm_sensors_ring(u, false);
		}
	}
	return moved;
}

/* Time that a ring's first job has had, without what a debugger held it, and without what it waited
 * for waves of others to end: those hang, where one of the two does. */
static int64_t ran_ns(struct bw_uapi *u, const struct bw_drm_ring *ring, bool *out_held_now)
{
	const struct bw_drm_job *job = ring->head;
	uint64_t now_ns;
	uint64_t held = bw_drm_vm_held_ns(job->vm, out_held_now) - job->held_at_start_ns;
	uint64_t starved = bw_drm_ring_starved_ns(u, ring, &now_ns) - job->starved_at_start_ns;
	return bw_now_ns() - job->started_ns - (int64_t)held - (int64_t)starved;
}

/* Jobs that have run too long, and jobs whose program has gone. True while one of these is watched.
 */
static bool watch(struct bw_uapi *u)
{
	/* The last submissions of a program that ends may complete. */
	const int64_t grace_ns = 100 * 1000000;
	bool watching = false;
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++) {
		struct bw_drm_ring *ring = &u->rings[i];
		struct bw_drm_job *job = ring->head;
		bool held_now;
		if (!job || job->killing)
			continue;
		int64_t ran = ran_ns(u, ring, &held_now);
		if (job->vm->dying) {
			watching = true;
			if (held_now || bw_now_ns() - job->vm->dying_since_ns > grace_ns ||
			    u->stopping)
				bw_drm_job_abandon(ring);
		} else if (u->options.lockup_timeout_ms) {
			watching = true;
			if (!held_now && ran > (int64_t)u->options.lockup_timeout_ms * 1000000) {
				bw_klog(u,
					"%s pid %d: its work on the GPU has run for %u ms and is "
					"ended; run it under "
					"`breakwater run` to see where it is",
					job->vm->comm, job->vm->pid, u->options.lockup_timeout_ms);
				bw_drm_job_end(u, ring, "timeout");
			}
		}
	}
	return watching;
}

static bool apply_updates(struct bw_uapi *u)
{
	bool moved = false;
	for (size_t i = 0; i < u->vms.len; i++)
		moved |= bw_drm_vm_apply_updates(u->vms.data[i]);
	return moved;
}

/* Waits until it is kicked, or the time has passed. */
static void sleep_until_kicked(struct bw_uapi *u, int64_t ns)
{
	int64_t until = bw_now_ns() + ns;
	struct timespec t = {until / 1000000000, until % 1000000000};
	pthread_mutex_lock(&u->kick_lock);
	while (!u->kick)
		if (pthread_cond_timedwait(&u->kicked, &u->kick_lock, &t))
			break;
	u->kick = false;
	pthread_mutex_unlock(&u->kick_lock);
}

/* Whether an interrupt of finished work leaves something for the worker to do. */
static bool worker_is_needed(const struct bw_uapi *u)
{
	bool needed =
		u->waiting.len || u->sync_fds.len || u->events.len || u->options.lockup_timeout_ms;
	for (size_t i = 0; i < u->vms.len && !needed; i++)
		needed = u->vms.data[i]->dying || u->vms.data[i]->updates.len;
	return needed;
}

/* The most frequent interrupt, the end of a job, is handled by the thread that raises it, as the
 * program then waits for one thread less. Other threads of the device may hold its locks. */
void bw_drm_irq(void *cookie)
{
	struct bw_uapi *u = cookie;
	bool needed = true;
	if (bw_device_is_cp_thread(u->dev) && !pthread_mutex_trylock(&u->lock)) {
		if (bw_drm_ih_ends_only(u)) {
			while (complete(u) && schedule(u))
				;
			needed = worker_is_needed(u);
		}
		pthread_mutex_unlock(&u->lock);
	}
	if (needed)
		bw_drm_kick(u);
}

static void *work(void *arg)
{
	struct bw_uapi *u = arg;
	for (;;) {
		pthread_mutex_lock(&u->lock);
		bool moved;
		do {
			bw_drm_ih_process(u);
			moved = complete(u);
			moved |= apply_updates(u);
			moved |= schedule(u);
		} while (moved);
		bool killing = bw_drm_recover(u), watching = watch(u);
		bw_drm_sync_fds_check(u);
		bw_drm_events_check(u);
		bw_drm_sensors_tick(u);
		bool stop = !u->worker_runs, sync_fds = u->sync_fds.len;
		pthread_mutex_unlock(&u->lock);
		if (stop)
			return NULL;
		sleep_until_kicked(u, killing	 ? 1000000
				      : watching ? 20 * 1000000
				      : sync_fds ? 200 * 1000000
						 : 1000000000);
	}
}

struct bw_error *bw_drm_sched_start(struct bw_uapi *u)
{
	u->worker_runs = true;
	int r = pthread_create(&u->worker, NULL, work, u);
	if (r) {
		u->worker_runs = false;
		return bw_error_errno(r, "cannot start the driver's thread");
	}
	return NULL;
}

void bw_drm_sched_stop(struct bw_uapi *u)
{
	pthread_mutex_lock(&u->lock);
	bool runs = u->worker_runs;
	u->worker_runs = false;
	pthread_mutex_unlock(&u->lock);
	if (!runs)
		return;
	bw_drm_kick(u);
	pthread_join(u->worker, NULL);
}
