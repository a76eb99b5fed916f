/* SPDX-License-Identifier: MIT */
/* Queues that a debugger takes off the GPU, with their waves in their save areas, and puts back
 * (suspend_queues() and resume_queues() of kfd_device_queue_manager.c). */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/kfd_queues.h"

/* As long as Linux waits for its scheduler. A save ends before (cwsr.c). */
enum { LIMIT_MS = 2100 };

/* Until the queue is off the GPU. */
static int await_off(struct bw_uapi *u, struct bw_kfd_queue *q)
{
	const int64_t end = bw_now_ns() + LIMIT_MS * 1000000ll;
	q->n_updates++; /* it stays */
	while (bw_kfd_hw_is_active(q) && !u->stopping && bw_now_ns() < end)
		bw_kfd_wait_unlocked(u);
	q->n_updates--;
	return bw_kfd_hw_is_active(q) ? -ETIME : 0;
}

/* Has the header of the save area say what is in it (struct kfd_context_save_area_header). */
static void write_header(const struct bw_kfd_queue *q)
{
	uint32_t words[4];
	uint8_t *header = bw_drm_vm_cpu(q->process->vm, q->save_area, sizeof(words));
	bw_kfd_hw_saved(q, words);
	if (header)
		memcpy(header, words, sizeof(words));
}

static int take_off(struct bw_uapi *u, struct bw_kfd_queue *q)
{
	if (!bw_kfd_hw_is_active(q))
		return 0;
	bool saves = bw_kfd_debug_saves(q->process) && bw_kfd_has_save_area(q);
	bw_kfd_hw_begin_to_unmap(q, saves ? BW_KFD_SAVE_WAVES : BW_KFD_AFTER_WAVES);
	int r = await_off(u, q);
	if (!r && bw_kfd_has_save_area(q))
		write_header(q);
	return r;
}

static void put_back(struct bw_kfd_queue *q)
{
	if (!bw_kfd_is_on_gpu(q) || q->ends)
		return;
	bw_kfd_hw_map(q);
	bw_kfd_bell_again(q);
}

/* Other calls that are about the queue end first. The queue; NULL: it is being destroyed, or such a
 * call waits for its waves. */
static struct bw_kfd_queue *await_turn(struct bw_uapi *u, struct bw_kfd *t, uint32_t id)
{
	const int64_t end = bw_now_ns() + LIMIT_MS * 1000000ll;
	struct bw_kfd_queue *q;
	while ((q = bw_ids_get(&t->queues, id)) && q->n_updates && !q->ends && !u->stopping &&
	       bw_now_ns() < end)
		bw_kfd_wait_unlocked(u);
	return q && !q->ends && !q->n_updates ? q : NULL;
}

static int suspend_one(struct bw_uapi *u, struct bw_kfd *t, uint32_t id)
{
	struct bw_kfd_queue *q = await_turn(u, t, id);
	if (!q)
		return -EBUSY;
	if (q->is_suspended)
		return 0;
	if (q->exceptions & BW_KFD_EC_MASK(BW_KFD_EC_QUEUE_NEW))
		return -EBUSY; /* its debugger does not know it yet */
	q->is_suspended = true;
	return take_off(u, q);
}

static int resume_one(struct bw_uapi *u, struct bw_kfd *t, uint32_t id)
{
	struct bw_kfd_queue *q = await_turn(u, t, id);
	if (!q)
		return -EBUSY;
	if (!q->is_suspended)
		return 0;
	int r = await_off(u, q);
	if (!r)
		q = await_turn(u, t, id); /* it may be another one by now */
	if (r || !q)
		return r ? r : -EBUSY;
	q->is_suspended = false;
	put_back(q);
	pthread_cond_broadcast(&u->changed);
	return 0;
}

/* The queue's place in a list of ids, or n. */
static uint32_t index_of(uint32_t id, const uint32_t *ids, uint32_t n)
{
	const uint32_t marks = BW_KFD_QUEUE_ERROR | BW_KFD_QUEUE_INVALID;
	uint32_t i = 0;
	while (i < n && (ids[i] & ~marks) != id)
		i++;
	return i;
}

int bw_kfd_debug_suspend(struct bw_drm_call *c, struct bw_kfd *t, uint32_t *ids, uint32_t n,
			 uint64_t clear)
{
	int done = 0, r = 0;
	for (uint32_t i = 0; i < n; i++)
		ids[i] |= BW_KFD_QUEUE_INVALID;
	for (uint32_t i = 0; i < t->queues.cap && (!r || r == -EBUSY); i++) {
		const struct bw_kfd_queue *q = t->queues.slot[i];
		uint32_t id = q ? q->id : 0, at = q ? index_of(id, ids, n) : n;
		if (at == n)
			continue;
		r = suspend_one(c->u, t, id);
		if (!r) {
			ids[at] &= ~BW_KFD_QUEUE_INVALID;
			struct bw_kfd_queue *same = bw_ids_get(&t->queues, id);
			if (same)
				same->exceptions &= ~clear;
			done++;
		} else if (r != -EBUSY) {
			ids[at] |= BW_KFD_QUEUE_ERROR;
		}
	}
	return done;
}

int bw_kfd_debug_resume(struct bw_kfd *t, uint32_t *ids, uint32_t n)
{
	int done = 0, r = 0;
	for (uint32_t i = 0; ids && i < n; i++)
		ids[i] |= BW_KFD_QUEUE_INVALID;
	for (uint32_t i = 0; i < t->queues.cap && !r; i++) {
		const struct bw_kfd_queue *q = t->queues.slot[i];
		uint32_t id = q ? q->id : 0, at = q && ids ? index_of(id, ids, n) : n;
		if (!q || (ids && at == n))
			continue;
		r = resume_one(t->u, t, id);
		done += !r;
		if (ids && !r)
			ids[at] &= ~BW_KFD_QUEUE_INVALID;
		else if (ids)
			ids[at] |= BW_KFD_QUEUE_ERROR;
	}
	return done;
}

void bw_kfd_debug_launch_again(struct bw_drm_call *c, struct bw_kfd *t)
{
	for (uint32_t i = 0; i < t->queues.cap; i++) {
		struct bw_kfd_queue *q = t->queues.slot[i];
		if (!q || q->kind != BW_KFD_AQL || !await_turn(c->u, t, q->id) ||
		    !bw_kfd_hw_is_active(q) || !bw_kfd_has_save_area(q))
			continue;
		if (!take_off(c->u, q)) {
			put_back(q);
			continue;
		}
		BW_LOG(WARN, "uapi", "KFD: queue %u of pid %d does not save its waves", q->id,
		       t->pid);
		q->is_suspended = true; /* whoever resumes it puts it back when they have ended */
	}
}
