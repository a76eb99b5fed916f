/* SPDX-License-Identifier: MIT */
/* The thread that looks at the markers of submissions under way. */
#include <errno.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <time.h>

#include "agent/breadcrumbs/crumbs_priv.h"
#include "agent/clocks/clock.h"
#include "agent/clocks/thread.h"

enum {
	LOOK_NS = 50 * 1000,	   /* between two looks at memory */
	ASK_NS = 20 * 1000 * 1000, /* between two questions for a fence that is not due */
	INFO_GPUVM_FAULT = 0x23,
};
/* A driver that ends what hangs reports the failure within this time. */
#define WENT_ON_NS (3 * 1000000000ll)
/* The longest time that the program waits for the kernel to report ended submissions. */
#define SETTLE_NS 1000000000ll

static struct {
	pthread_mutex_t lock;
	pthread_cond_t has_more;
	struct bw_crumbs_job *incoming;
	bool is_started, is_waiting; /* waiting: nothing is under way */
	/* of the last round of looks: how many submissions have come to their end, but for the
	 * kernel's word on them */
	uint64_t n_rounds;
	size_t n_due;
	unsigned n_settling; /* who waits for the kernel's word on all that is under way */
} g = {.lock = PTHREAD_MUTEX_INITIALIZER, .has_more = PTHREAD_COND_INITIALIZER};

static uint32_t load(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static void store(uint32_t *p, uint32_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

static void blame(struct bw_crumbs_slot *s, uint32_t marker, enum bw_crumbs_how how)
{
	store(&s->how, how);
	store(&s->culprit, marker);
}

/* A page fault that was not on record before; the space has one place for it. */
static bool has_new_fault(struct bw_agent_file *f, struct bw_crumbs_slot *s)
{
	struct {
		uint64_t addr;
		uint32_t status, vmhub;
	} fault = {0};
	struct drm_amdgpu_info info = {.return_pointer = (uintptr_t)&fault,
				       .return_size = sizeof(fault),
				       .query = INFO_GPUVM_FAULT};
	struct bw_agent_crumbs *c = f->crumbs;
	if (bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_INFO, &info) ||
	    (fault.addr == c->fault_va && fault.status == c->fault_status))
		return false;
	c->fault_va = s->fault_va = fault.addr;
	c->fault_status = s->fault_status = fault.status;
	return true;
}

/* The first marker whose packet has not ended, when nothing changes any more. */
static uint32_t first_open(const struct bw_crumbs_part *p)
{
	uint32_t begun = p->begun, work = p->last_work[begun];
	if (work > p->ended)
		return work;
	/* its waves have ended, and the next marker was not reached */
	return work == begun && begun < p->n_marks ? begun + 1 : begun;
}

/* The GPU stands at a marker, and the work before it has ended: it may go on. */
static void let_go(struct bw_crumbs_job *job, struct bw_crumbs_part *p)
{
	struct bw_crumbs_slot *s = p->slot;
	if (p->ended < p->last_work[p->begun - 1] || load(&s->go) >= p->begun)
		return;
	if (load(&s->seen) != p->ended || (p->has_end && p->begun == p->n_marks)) {
		if (has_new_fault(job->file, s) && load(&s->how) != BW_CRUMBS_FAULT)
			blame(s, p->last_work[p->begun - 1] ? p->last_work[p->begun - 1] : p->begun,
			      BW_CRUMBS_FAULT);
		store(&s->seen, p->ended);
	}
	if (p->asks && load(&s->allowed) < p->begun) {
		p->changed_ns = bw_clock_real_ns(); /* it waits for the listener */
		return;
	}
	store(&s->go, p->begun);
}

static bool is_complete(const struct bw_crumbs_part *p)
{
	return p->has_end && p->ended == p->n_marks;
}

static void look_at(struct bw_crumbs_job *job, struct bw_crumbs_part *p, uint32_t hang_ms)
{
	struct bw_crumbs_slot *s = p->slot;
	/* the later one first: what it says is then never ahead of the other */
	uint32_t ended = load(&s->ended), begun = load(&s->begun);
	int64_t now_ns = bw_clock_real_ns();
	if (begun > p->n_marks || ended > p->n_marks)
		return; /* the program has written over it */
	if (begun != p->begun || ended != p->ended) {
		if (p->is_stuck)
			p->went_on_ns = now_ns;
		p->is_stuck = false;
		p->begun = begun;
		p->ended = ended;
		p->changed_ns = now_ns;
	}
	if (!begun)
		return;
	let_go(job, p);
	int64_t still_ms = (now_ns - p->changed_ns) / 1000000;
	if (is_complete(p) || still_ms < hang_ms)
		return;
	p->is_stuck = true;
	store(&s->stuck_ms, (uint32_t)still_ms);
	if (load(&s->how) != BW_CRUMBS_FAULT)
		blame(s, first_open(p), BW_CRUMBS_STUCK);
}

static bool is_due(const struct bw_crumbs_job *job)
{
	for (size_t i = 0; i < job->n_parts; i++) {
		const struct bw_crumbs_part *p = &job->parts[i];
		if (p->has_end && p->ended != p->n_marks)
			return false;
	}
	return true;
}

/* True: it has ended. EINVAL: the program has freed the context, so it knows that it has. */
static bool has_ended(struct bw_crumbs_job *job, int *out_result)
{
	int64_t now_ns = bw_clock_real_ns();
	if (now_ns - job->asked_ns < (is_due(job) ? LOOK_NS : ASK_NS) &&
	    !__atomic_load_n(&g.n_settling, __ATOMIC_RELAXED))
		return false;
	job->asked_ns = now_ns;
	union drm_amdgpu_wait_cs a = {.in = job->wait}; /* timeout 0: only asks */
	int r = bw_agent_ioctl(job->file, DRM_IOCTL_AMDGPU_WAIT_CS, &a);
	if (r == -EINTR || r == -EAGAIN || (!r && a.out.status))
		return false;
	*out_result = r == -EINVAL ? 0 : r;
	return true;
}

/* Judges a part of a submission that has failed. */
static void judge(struct bw_crumbs_job *job, struct bw_crumbs_part *p)
{
	struct bw_crumbs_slot *s = p->slot;
	if (load(&s->how) == BW_CRUMBS_STUCK && !p->is_stuck &&
	    bw_clock_real_ns() - p->went_on_ns > WENT_ON_NS)
		blame(s, 0, BW_CRUMBS_UNKNOWN); /* that was work that takes its time */
	if (load(&s->culprit))
		return;
	if (p->begun && has_new_fault(job->file, s))
		blame(s, first_open(p), BW_CRUMBS_FAULT);
	else if (!is_complete(p))
		blame(s, p->begun ? first_open(p) : 1, BW_CRUMBS_UNKNOWN);
}

static void judge_all(struct bw_crumbs_job *job)
{
	bool has_culprit = false;
	for (size_t i = 0; i < job->n_parts; i++) {
		judge(job, &job->parts[i]);
		has_culprit |= load(&job->parts[i].slot->culprit) != 0;
	}
	for (size_t i = 0; i < job->n_parts; i++)
		job->parts[i].is_innocent = has_culprit && is_complete(&job->parts[i]) &&
					    !load(&job->parts[i].slot->culprit);
}

static void look_at_all(struct bw_crumbs_job **jobs, uint32_t hang_ms)
{
	for (struct bw_crumbs_job **at = jobs; *at;) {
		struct bw_crumbs_job *job = *at;
		int result = 0;
		for (size_t i = 0; i < job->n_parts; i++)
			look_at(job, &job->parts[i], hang_ms);
		if (!has_ended(job, &result)) {
			at = &job->next;
			continue;
		}
		*at = job->next;
		if (result)
			judge_all(job);
		bw_crumbs_give_back(job, result);
	}
}

static void note_round(const struct bw_crumbs_job *jobs)
{
	size_t n_due = 0;
	for (const struct bw_crumbs_job *job = jobs; job; job = job->next)
		n_due += is_due(job);
	pthread_mutex_lock(&g.lock);
	g.n_due = n_due;
	g.n_rounds++;
	pthread_mutex_unlock(&g.lock);
}

static void *watch_thread(void *cookie)
{
	const struct bw_crumbs_go *go = bw_crumbs_link();
	uint32_t hang_ms = go ? go->hang_ms : 1000;
	struct bw_crumbs_job *jobs = NULL;
	(void)cookie;
	for (;;) {
		pthread_mutex_lock(&g.lock);
		while (!jobs && !g.incoming) {
			g.is_waiting = true;
			pthread_cond_wait(&g.has_more, &g.lock);
		}
		struct bw_crumbs_job **end = &jobs;
		while (*end)
			end = &(*end)->next;
		*end = g.incoming;
		g.incoming = NULL;
		pthread_mutex_unlock(&g.lock);
		look_at_all(&jobs, hang_ms);
		note_round(jobs);
		REAL(clock_nanosleep)(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = LOOK_NS},
				      NULL);
	}
	return NULL;
}

void bw_crumbs_watch(struct bw_crumbs_job *job)
{
	for (size_t i = 0; i < job->n_parts; i++)
		job->parts[i].changed_ns = bw_clock_real_ns();
	pthread_mutex_lock(&g.lock);
	struct bw_crumbs_job **end = &g.incoming;
	while (*end)
		end = &(*end)->next;
	*end = job;
	g.is_waiting = false;
	if (!g.is_started)
		g.is_started = !bw_thread_start(watch_thread, NULL);
	pthread_cond_signal(&g.has_more);
	pthread_mutex_unlock(&g.lock);
}

static bool may_settle(uint64_t round, bool wants_due)
{
	pthread_mutex_lock(&g.lock);
	bool may =
		!g.is_waiting && (g.n_rounds < round + 2 || (wants_due && g.n_due) || g.incoming);
	pthread_mutex_unlock(&g.lock);
	return may;
}

/* The program knows of submissions that have ended sooner than we do. Waits until the kernel was
 * asked for each of them; wants_due: and until those have ended whose markers are all there. */
static void settle(bool wants_due)
{
	pthread_mutex_lock(&g.lock);
	uint64_t round = g.n_rounds;
	__atomic_fetch_add(&g.n_settling, 1, __ATOMIC_RELAXED);
	bool is_idle = !g.is_started || g.is_waiting;
	pthread_mutex_unlock(&g.lock);
	int64_t until_ns = bw_clock_real_ns() + SETTLE_NS;
	while (!is_idle && may_settle(round, wants_due) && bw_clock_real_ns() < until_ns)
		REAL(clock_nanosleep)(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = LOOK_NS},
				      NULL);
	__atomic_fetch_sub(&g.n_settling, 1, __ATOMIC_RELAXED);
}

/* The program exits, and its threads end wherever they are. */
static __attribute__((destructor)) void settle_at_exit(void)
{
	settle(true);
}

void bw_crumbs_context_ioctl(const void *arg)
{
	union drm_amdgpu_ctx a;
	if (bw_crumbs_are_on() && bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a)) &&
	    a.in.op == AMDGPU_CTX_OP_FREE_CTX)
		settle(false);
}

void bw_crumbs_watch_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
	pthread_cond_init(&g.has_more, NULL);
	g.incoming = NULL;
	g.is_started = g.is_waiting = false;
	g.n_rounds = g.n_due = 0;
	g.n_settling = 0;
}
