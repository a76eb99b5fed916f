/* SPDX-License-Identifier: MIT */
/* Doorbells of KFD's queues are memory that the program and this process share, so a store to them
 * is seen by looking: a thread looks often while there is work, and rarely when there is none. */
#include <errno.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/util.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/kfd_queues.h"

enum { DOORBELLS_PER_PROCESS = BW_KFD_DOORBELLS_B / 8 };

/* No program writes it: the indices of packets are counted from 0. */
static const uint64_t NOT_RUNG = UINT64_MAX;

uint32_t bw_kfd_doorbell_dw(const struct bw_kfd_queue *q)
{
	/* after the driver's own, in a range for each VMID */
	return 2 * (DOORBELLS_PER_PROCESS * q->process->vmid + q->doorbell);
}

static bool look_at_all(void *arg)
{
	struct bw_uapi *u = arg;
	bool any = false;
	pthread_mutex_lock(&u->kfd.lock);
	bw_vec_each(&u->kfd.bells, b) {
		uint64_t value = atomic_load(b->value);
		if (value == b->last)
			continue;
		b->last = value;
		any = true;
		bw_device_doorbell(u->dev, b->index_dw, value);
	}
	pthread_mutex_unlock(&u->kfd.lock);
	return any;
}

/* The pause until the next look, by the time for which no doorbell was rung. A program that polls
 * for the end of its work rings again before a thread could sleep and wake. */
static long pause_ns(int64_t idle_ns)
{
	static const struct {
		int64_t idle_ns;
		long pause_ns;
	} rows[] = {{20000, 0}, {5000000, 5000}, {200000000, 100000}, {INT64_MAX, 1000000}};
	size_t i = 0;
	while (idle_ns > rows[i].idle_ns)
		i++;
	return rows[i].pause_ns;
}

static void *look_at_bells(void *arg)
{
	struct bw_uapi *u = arg;
	int64_t last_ns = bw_now_ns();
	prctl(PR_SET_NAME, "kfd doorbells");
	prctl(PR_SET_TIMERSLACK, 1000ul);
	while (!atomic_load(&u->kfd.is_stopping)) {
		if (bw_device_ring(u->dev, look_at_all, u))
			last_ns = bw_now_ns();
		const struct timespec t = {0, pause_ns(bw_now_ns() - last_ns)};
		if (t.tv_nsec)
			nanosleep(&t, NULL);
	}
	return NULL;
}

static int start_looking(struct bw_uapi *u)
{
	if (!u->kfd.looks && pthread_create(&u->kfd.thread, NULL, look_at_bells, u))
		return -ENOMEM;
	u->kfd.looks = true;
	return 0;
}

void bw_kfd_stop(struct bw_uapi *u)
{
	atomic_store(&u->kfd.is_stopping, true);
	if (u->kfd.looks)
		pthread_join(u->kfd.thread, NULL);
	bw_vec_free(&u->kfd.bells);
}

void bw_kfd_bell_forget(const struct bw_kfd_queue *q)
{
	struct bw_uapi *u = q->process->u;
	pthread_mutex_lock(&u->kfd.lock);
	for (size_t i = u->kfd.bells.len; i-- > 0;)
		if (u->kfd.bells.data[i].queue == q)
			bw_vec_remove(&u->kfd.bells, i);
	pthread_mutex_unlock(&u->kfd.lock);
}

void bw_kfd_bell_again(const struct bw_kfd_queue *q)
{
	struct bw_uapi *u = q->process->u;
	pthread_mutex_lock(&u->kfd.lock);
	bw_vec_each(&u->kfd.bells, b)
		if (b->queue == q)
			b->last = NOT_RUNG;
	pthread_mutex_unlock(&u->kfd.lock);
}

int bw_kfd_bell_hang(const struct bw_kfd_queue *q)
{
	struct bw_kfd *p = q->process;
	_Atomic uint64_t *value =
		(_Atomic uint64_t *)(void *)bw_drm_bo_cpu(p->doorbells, q->doorbell * 8, 8);
	const struct bw_kfd_bell bell = {q, value, NOT_RUNG, bw_kfd_doorbell_dw(q)};
	int r = start_looking(p->u);
	if (r)
		return r;
	atomic_store(value, NOT_RUNG);
	pthread_mutex_lock(&p->u->kfd.lock);
	struct bw_error *err = bw_vec_push(&p->u->kfd.bells, bell);
	pthread_mutex_unlock(&p->u->kfd.lock);
	bool failed = err != NULL;
	bw_error_free(err);
	return failed ? -ENOMEM : 0;
}
