/* SPDX-License-Identifier: MIT */
/* What a program changes of a queue of KFD's: its ring, its share of the GPU, its CUs; and what it
 * reads of one that pauses. */
#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/kfd_queues.h"

/* ---- ring and share ---- */

/* kfd_ioctl_update_queue(), and kfd_queue_buffer_get() for another ring. */
static int check_update(const struct bw_kfd *p, const struct kfd_ioctl_update_queue_args *a)
{
	if ((a->queue_percentage & 0xff) > KFD_MAX_QUEUE_PERCENTAGE ||
	    a->queue_priority > KFD_MAX_QUEUE_PRIORITY || a->ring_size & (a->ring_size - 1))
		return -EINVAL;
	const struct bw_kfd_queue *q = bw_ids_get(&p->queues, a->queue_id);
	if (!q || q->ends)
		return -EFAULT;
	const uint32_t ring_b = BW_MAX(a->ring_size, (uint32_t)BW_KFD_MIN_RING_B);
	bool same = a->ring_base_address == q->ring_va && ring_b == q->ring_b;
	if (same || !a->ring_base_address)
		return 0;
	if (!bw_kfd_is_buffer(p, a->ring_base_address, bw_align_up(ring_b, BW_DRM_PAGE_B)))
		return -EFAULT;
	return a->ring_base_address % 256 ? -EINVAL : 0;
}

/* Takes the queue off the GPU when its waves have ended, as Linux without a trap handler that saves
 * them (KFD_PREEMPT_TYPE_WAVEFRONT_DRAIN). The lock is held, and given up while this waits.
 * -EINTR: the program has gone, or another call destroys the queue. */
static int pause_queue(struct bw_drm_call *c, struct bw_kfd_queue *q)
{
	struct bw_uapi *u = c->u;
	if (!bw_kfd_hw_is_active(q))
		return 0;
	bw_kfd_hw_begin_to_unmap(q, BW_KFD_AFTER_WAVES);
	while (bw_kfd_hw_is_active(q) && !q->ends && !u->stopping && !bw_conn_gone(c->conn))
		bw_kfd_wait_unlocked(u);
	return bw_kfd_hw_is_active(q) || q->ends ? -EINTR : 0;
}

static int update(struct bw_drm_call *c, struct bw_kfd_queue *q,
		  const struct kfd_ioctl_update_queue_args *a)
{
	const uint32_t ring_b = BW_MAX(a->ring_size, (uint32_t)BW_KFD_MIN_RING_B);
	bool is_paused = !(a->queue_percentage & 0xff);
	/* A priority and another share change nothing: queues take turns. */
	if (is_paused == q->is_paused && a->ring_base_address == q->ring_va && ring_b == q->ring_b)
		return 0;
	int r = pause_queue(c, q);
	if (r)
		return r;
	q->is_paused = is_paused;
	q->ring_va = a->ring_base_address;
	q->ring_b = ring_b;
	if (bw_kfd_is_on_gpu(q)) {
		bw_kfd_hw_map(q);
		bw_kfd_bell_again(q);
	}
	return 0;
}

int bw_kfd_ioctl_update_queue(struct bw_drm_call *c, void *arg)
{
	const struct kfd_ioctl_update_queue_args *a = arg;
	pthread_mutex_lock(&c->u->lock);
	int r = check_update(c->kfd, a);
	if (!r) {
		struct bw_kfd_queue *q = bw_ids_get(&c->kfd->queues, a->queue_id);
		/* One call after the other, as the kernel's lock of the process has it. */
		while (q && q->n_updates && !q->ends && !c->u->stopping && !bw_conn_gone(c->conn)) {
			bw_kfd_wait_unlocked(c->u);
			q = bw_ids_get(&c->kfd->queues, a->queue_id);
		}
		if (!q || q->ends || q->n_updates) {
			r = -EINTR;
		} else {
			q->n_updates = 1;
			r = update(c, q, a);
			q->n_updates = 0;
		}
	}
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

/* get_wave_state() of kfd_mqd_manager_v11.c, of a queue that pauses, without saved waves, or that a
 * debugger has taken away. */
int bw_kfd_ioctl_get_queue_wave_state(struct bw_drm_call *c, void *arg)
{
	struct kfd_ioctl_get_queue_wave_state_args *a = arg;
	uint32_t header[4] = {0};
	pthread_mutex_lock(&c->u->lock);
	const struct bw_kfd_queue *q = bw_ids_get(&c->kfd->queues, a->queue_id);
	int r = !q ? -EFAULT : q->kind == BW_KFD_SDMA || bw_kfd_hw_is_active(q) ? -EINVAL : 0;
	if (!r)
		bw_kfd_hw_saved(q, header);
	pthread_mutex_unlock(&c->u->lock);
	if (!r)
		r = bw_user_write(c, a->ctl_stack_address, header, sizeof(header));
	if (!r) {
		a->ctl_stack_used_size = header[1];
		a->save_area_used_size = header[3];
	}
	return r;
}

/* ---- CUs ---- */

/* mqd_symmetrically_map_cu_mask(): the bits go to the first CU of each engine, then to that of the
 * engines' second arrays, then to the second CUs; a WGP is two of them. */
static void map_cus(const struct bw_profile *p, const uint32_t *mask, unsigned n_bits,
		    uint32_t se_mask[BW_KFD_MAX_SES])
{
	const unsigned step = p->cus_per_wgp, n_cus = p->cus_per_wgp * p->wgp_per_sa;
	const unsigned n = BW_MIN(n_bits, bw_profile_n_cus(p));
	unsigned bit = 0;
	for (unsigned cu = 0; cu < n_cus; cu += step)
		for (unsigned sa = 0; sa < p->sa_per_se; sa++)
			for (unsigned se = 0; se < p->n_se && bit < n; se++, bit += step)
				if (mask[bit / 32] >> bit % 32 & 1)
					se_mask[se] |= ((1u << step) - 1) << (cu + 16 * sa);
}

/* The two CUs of a WGP are in or out together. */
static bool is_of_wgps(const struct bw_profile *p, const uint32_t *mask, unsigned n_bits)
{
	for (unsigned bit = 0; p->cus_per_wgp > 1 && bit < n_bits; bit += 2) {
		unsigned pair = mask[bit / 32] >> bit % 32 & 3;
		if (pair == 1 || pair == 2)
			return false;
	}
	return true;
}

/* kfd_ioctl_set_cu_mask() and pqm_update_mqd() of Linux 6.12. */
int bw_kfd_ioctl_set_cu_mask(struct bw_drm_call *c, void *arg)
{
	enum { MAX_BITS = 1024 };
	const struct kfd_ioctl_set_cu_mask_args *a = arg;
	const struct bw_profile *p = c->u->profile;
	uint32_t mask[MAX_BITS / 32];
	if (!a->num_cu_mask || a->num_cu_mask % 32)
		return -EINVAL;
	unsigned n_bits = BW_MIN(a->num_cu_mask, (uint32_t)MAX_BITS);
	int r = bw_user_read(c, a->cu_mask_ptr, mask, n_bits / 8);
	if (r)
		return r;
	pthread_mutex_lock(&c->u->lock);
	struct bw_kfd_queue *q = bw_ids_get(&c->kfd->queues, a->queue_id);
	if (!q)
		r = -EFAULT;
	else if (c->kfd->debug.is_active)
		r = -EBUSY; /* all CUs are for the debugger */
	else if (!is_of_wgps(p, mask, n_bits))
		r = -EINVAL;
	if (!r) {
		memset(q->se_mask, 0, sizeof(q->se_mask));
		map_cus(p, mask, n_bits, q->se_mask);
		q->has_cu_mask = true;
		bw_kfd_hw_set_cus(q);
	}
	pthread_mutex_unlock(&c->u->lock);
	return r;
}
