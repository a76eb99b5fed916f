/* SPDX-License-Identifier: MIT */
/* What a debugger reads by KFD's debug calls: an exception's data, queues, the GPU. */
#include <errno.h>
#include <string.h>

#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/kfd_queues.h"

/* Copies to the caller's memory. The lock is given up, and held again. */
static int give(struct bw_drm_call *c, uint64_t va, const void *data, size_t size_b)
{
	pthread_mutex_unlock(&c->u->lock);
	int r = bw_user_write(c, va, data, size_b);
	pthread_mutex_lock(&c->u->lock);
	return r;
}

/* ---- exceptions ---- */

struct info {
	const void *data; /* what the exception has */
	uint32_t size_b;
	uint64_t *status;
};

static int find_info(struct bw_kfd *t, const struct bw_kfd_dbg_trap *a, struct info *out)
{
	struct bw_kfd_debug *d = &t->debug;
	uint32_t code = a->exception_info.exception_code, source = a->exception_info.source_id;
	uint64_t bit = code && code <= 64 ? BW_KFD_EC_MASK(code) : 0;
	*out = (struct info){0};
	if (bit & BW_KFD_EC_QUEUES) {
		struct bw_kfd_queue *q = bw_ids_get(&t->queues, source);
		out->status = q ? &q->exceptions : NULL;
	} else if (bit & BW_KFD_EC_DEVICES) {
		out->status = source == t->gpu_id ? &d->of_device : NULL;
		if (code == BW_KFD_EC_DEVICE_MEMORY_VIOLATION && d->has_fault) {
			out->data = &d->fault;
			out->size_b = sizeof(d->fault);
		}
	} else if (bit & BW_KFD_EC_PROCESSES) {
		out->status = &d->of_process;
		if (code == BW_KFD_EC_PROCESS_RUNTIME) {
			out->data = &d->runtime;
			out->size_b = sizeof(d->runtime);
		}
	}
	return !out->status ? -EINVAL : *out->status & bit ? 0 : -ENODATA;
}

int bw_kfd_debug_info(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	struct info info;
	uint8_t data[sizeof(t->debug.fault) + sizeof(t->debug.runtime)];
	if (!a->exception_info.info_ptr)
		return -EINVAL;
	int r = find_info(t, a, &info);
	if (r)
		return r;
	uint32_t n = BW_MIN(a->exception_info.info_size, info.size_b);
	if (n)
		memcpy(data, info.data, n);
	r = give(c, a->exception_info.info_ptr, data, n);
	/* the queue may have gone meanwhile */
	if (!r)
		r = find_info(t, a, &info);
	if (r)
		return r;
	a->exception_info.info_size = info.size_b;
	if (a->exception_info.clear) {
		*info.status &= ~BW_KFD_EC_MASK(a->exception_info.exception_code);
		if (info.data == &t->debug.fault)
			t->debug.has_fault = false;
	}
	return 0;
}

/* ---- queues ---- */

static struct bw_kfd_queue_entry entry_of(const struct bw_kfd_queue *q)
{
	static const uint32_t types[] = {[BW_KFD_PM4] = KFD_IOC_QUEUE_TYPE_COMPUTE,
					 [BW_KFD_AQL] = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
					 [BW_KFD_SDMA] = KFD_IOC_QUEUE_TYPE_SDMA};
	return (struct bw_kfd_queue_entry){.exception_status = q->exceptions,
					   .ring_base = q->ring_va,
					   .write_pointer = q->wptr_va,
					   .read_pointer = q->rptr_va,
					   .save_area = q->save_area,
					   .queue_id = q->id,
					   .gpu_id = q->process->gpu_id,
					   .ring_b = q->ring_b,
					   .queue_type = types[q->kind],
					   .save_area_b = q->save_area_b};
}

/* pqm_get_queue_snapshot: the newest first. */
int bw_kfd_debug_queues(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	const uint32_t room = a->snapshot.n, step_b = a->snapshot.entry_b;
	uint32_t size_b = BW_MIN(step_b, (uint32_t)sizeof(struct bw_kfd_queue_entry)), n = 0;
	int r = 0;
	a->snapshot.entry_b = size_b;
	for (uint32_t i = t->queues.cap; i-- > 0 && !r;) {
		struct bw_kfd_queue *q = i < t->queues.cap ? t->queues.slot[i] : NULL;
		if (!q || n++ >= room)
			continue;
		const struct bw_kfd_queue_entry e = entry_of(q);
		q->exceptions &= ~a->snapshot.exception_mask;
		r = give(c, a->snapshot.buffer_ptr + (uint64_t)(n - 1) * step_b, &e, size_b);
	}
	a->snapshot.n = n;
	return r;
}

/* ---- the GPU ---- */

/* kfd_dbg_trap_device_snapshot: there is one. */
int bw_kfd_debug_devices(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	struct bw_kfd_device_entry e = {.gpu_id = t->gpu_id,
					.exception_status = t->debug.of_device};
	if (!a->snapshot.buffer_ptr)
		return -EINVAL;
	bool wants = a->snapshot.n;
	a->snapshot.n = 1;
	a->snapshot.entry_b = BW_MIN(a->snapshot.entry_b, (uint32_t)sizeof(e));
	if (!wants)
		return 0;
	const struct kfd_process_device_apertures where = bw_kfd_apertures(t);
	e.lds_base = where.lds_base;
	e.lds_limit = where.lds_limit;
	e.scratch_base = where.scratch_base;
	e.scratch_limit = where.scratch_limit;
	e.gpuvm_base = where.gpuvm_base;
	e.gpuvm_limit = where.gpuvm_limit;
	bw_kfd_describe(t->u->profile, &e);
	t->debug.of_device &= ~a->snapshot.exception_mask;
	return give(c, a->snapshot.buffer_ptr, &e, a->snapshot.entry_b);
}
