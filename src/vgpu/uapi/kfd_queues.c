/* SPDX-License-Identifier: MIT */
/* KFD's queues. A process has one of the VMIDs 8 to 15 as long as it has a queue. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/newer_kfd.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/kfd_queues.h"
#include "vgpu/uapi/klog.h"

enum {
	FIRST_VMID = 8,
	N_VMIDS = 8,
	MAX_QUEUES_OF_PROCESS = 32,
};

/* ---- VMIDs ---- */

void bw_kfd_flush_tlb(struct bw_kfd *p)
{
	if (p->vmid)
		bw_wreg(p->u, BW_REG_GCVM_INVALIDATE_ENG17_REQ, bw_drm_invalidate_req(p->vmid));
}

static int take_vmid(struct bw_kfd *p)
{
	struct bw_uapi *u = p->u;
	unsigned vmid = FIRST_VMID;
	if (p->vmid)
		return 0;
	while (vmid < FIRST_VMID + N_VMIDS && u->kfd.by_vmid[vmid])
		vmid++;
	if (vmid == FIRST_VMID + N_VMIDS)
		return -ENOMEM;
	uint64_t root = bw_drm_pt_root_entry(p->vm);
	p->vmid = vmid;
	u->kfd.by_vmid[vmid] = p;
	u->vmids[vmid].vm = p->vm;
	bw_wreg(u, BW_REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 + vmid, bw_lo32(root));
	bw_wreg(u, BW_REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32 + vmid, bw_hi32(root));
	bw_wreg(u, BW_REG_IH_VMID_0_LUT + vmid, p->vm->pasid);
	bw_kfd_flush_tlb(p);
	bw_kfd_debug_apply(p);
	return 0;
}

static void release_vmid(struct bw_kfd *p)
{
	if (!p->vmid || p->queues.n)
		return;
	bw_kfd_debug_withdraw(p);
	p->u->kfd.by_vmid[p->vmid] = NULL;
	p->u->vmids[p->vmid].vm = NULL;
	p->vmid = 0;
}

/* ---- calls ---- */

bool bw_kfd_is_buffer(const struct bw_kfd *p, uint64_t va, uint64_t size_b)
{
	bw_ids_each(&p->buffers, i) {
		const struct bw_kfd_buffer *b = p->buffers.slot[i];
		if (b->is_mapped && b->va == va && (!size_b || b->size_b * b->n_copies == size_b))
			return true;
	}
	return false;
}

/* set_queue_properties_from_user() and kfd_queue_acquire_buffers(), in their order. */
static int check_queue(const struct bw_kfd *p, struct kfd_ioctl_create_queue_args *a)
{
	const uint64_t in_page = BW_DRM_PAGE_B - 1;
	if ((a->queue_percentage & 0xff) > KFD_MAX_QUEUE_PERCENTAGE ||
	    a->queue_priority > KFD_MAX_QUEUE_PRIORITY || a->ring_size & (a->ring_size - 1))
		return -EINVAL;
	a->ring_size = BW_MAX(a->ring_size, (uint32_t)BW_KFD_MIN_RING_B);
	if (a->queue_type > BW_KFD_QUEUE_SDMA_BY_ENG_ID)
		return -EOPNOTSUPP;
	if (a->gpu_id != p->gpu_id)
		return -EINVAL;
	if (!p->vm)
		return -ESRCH;
	if (!bw_kfd_is_buffer(p, a->write_pointer_address & ~in_page, 0) ||
	    !bw_kfd_is_buffer(p, a->read_pointer_address & ~in_page, 0) ||
	    !bw_kfd_is_buffer(p, a->ring_base_address, bw_align_up(a->ring_size, BW_DRM_PAGE_B)))
		return -EINVAL;
	return a->ring_base_address % 256 ? -EINVAL : 0;
}

static int free_doorbell(const struct bw_kfd *p, uint32_t *out)
{
	for (*out = 0; *out < MAX_QUEUES_OF_PROCESS; ++*out) {
		bool taken = false;
		bw_ids_each(&p->queues, i)
			taken |= ((const struct bw_kfd_queue *)p->queues.slot[i])->doorbell == *out;
		if (!taken)
			return 0;
	}
	return -ENOMEM;
}

/* Everything that a queue needs, or nothing. */
static int take_parts(struct bw_kfd_queue *q, int engine)
{
	struct bw_kfd *p = q->process;
	int r = free_doorbell(p, &q->doorbell);
	if (!r)
		r = bw_kfd_own_pages(p, &p->doorbells, BW_KFD_DOORBELLS_B);
	if (!r)
		r = take_vmid(p);
	if (!r)
		r = bw_kfd_hw_take(q, engine);
	if (r) {
		release_vmid(p);
		return r;
	}
	r = bw_kfd_bell_hang(q);
	if (!r && bw_ids_add(&p->queues, q, &q->id)) {
		bw_kfd_bell_forget(q);
		r = -ENOMEM;
	}
	if (r) {
		bw_kfd_hw_release(q);
		release_vmid(p);
	}
	return r;
}

static int create(struct bw_kfd *p, enum bw_kfd_kind kind, int engine,
		  struct kfd_ioctl_create_queue_args *a)
{
	_cleanup_free_ struct bw_kfd_queue *q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	*q = (struct bw_kfd_queue){.process = p,
				   .kind = kind,
				   .ring_va = a->ring_base_address,
				   .ring_b = a->ring_size,
				   .rptr_va = a->read_pointer_address,
				   .wptr_va = a->write_pointer_address,
				   .save_area = a->ctx_save_restore_address,
				   .control_stack_b = a->ctl_stack_size,
				   .save_area_b = a->ctx_save_restore_size,
				   .is_paused = !(a->queue_percentage & 0xff)};
	memset(q->se_mask, 0xff, sizeof(q->se_mask)); /* all CUs */
	int r = take_parts(q, engine);
	if (r)
		return r;
	if (bw_kfd_is_on_gpu(q))
		bw_kfd_hw_map(q);
	a->queue_id = q->id;
	a->doorbell_offset = BW_KFD_MMAP_OFFSET(BW_KFD_MMAP_DOORBELL, p->gpu_id) | q->doorbell * 8;
	bw_kfd_debug_raise(p, BW_KFD_EC_MASK(BW_KFD_EC_QUEUE_NEW), bw_take(q));
	return 0;
}

int bw_kfd_ioctl_create_queue(struct bw_drm_call *c, void *arg)
{
	struct bw_kfd_create_queue *a = arg;
	static const enum bw_kfd_kind kinds[] = {
		[KFD_IOC_QUEUE_TYPE_COMPUTE] = BW_KFD_PM4,
		[KFD_IOC_QUEUE_TYPE_SDMA] = BW_KFD_SDMA,
		[KFD_IOC_QUEUE_TYPE_COMPUTE_AQL] = BW_KFD_AQL,
		[BW_KFD_QUEUE_SDMA_BY_ENG_ID] = BW_KFD_SDMA,
	};
	pthread_mutex_lock(&c->u->lock);
	int r = check_queue(c->kfd, &a->args);
	uint32_t type = a->args.queue_type;
	bool by_engine = type == BW_KFD_QUEUE_SDMA_BY_ENG_ID;
	/* engines for other GPUs, which are not there */
	if (!r && (type == KFD_IOC_QUEUE_TYPE_SDMA_XGMI ||
		   (by_engine && a->sdma_engine_id >= BW_DRM_N_SDMA)))
		r = -ENOMEM;
	if (!r)
		r = create(c->kfd, kinds[type], by_engine ? (int)a->sdma_engine_id : -1, &a->args);
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

/* pqm_set_gws(): one queue of the process gets all of it, or gives it back; how much is asked for
 * does not count. Waves reach their VMID's resources in any case: the model has no GDS_GWS_VMID
 * registers. */
int bw_kfd_ioctl_alloc_queue_gws(struct bw_drm_call *c, void *arg)
{
	struct kfd_ioctl_alloc_queue_gws_args *a = arg;
	bool is_taken = false;
	pthread_mutex_lock(&c->u->lock);
	struct bw_kfd_queue *q = bw_ids_get(&c->kfd->queues, a->queue_id);
	bw_ids_each(&c->kfd->queues, i)
		is_taken |= ((const struct bw_kfd_queue *)c->kfd->queues.slot[i])->has_gws;
	int r = !q || is_taken == !a->num_gws ? 0 : -EBUSY;
	if (q && c->kfd->debug.is_enabled)
		r = -EBUSY; /* gfx11.0 has no debugging with it */
	if (!q || (!a->num_gws && !is_taken))
		r = -EINVAL;
	if (!r)
		q->has_gws = a->num_gws;
	pthread_mutex_unlock(&c->u->lock);
	a->first_gws = 0;
	return r;
}

void bw_kfd_wait_unlocked(struct bw_uapi *u)
{
	const struct timespec pause = {0, 200000};
	pthread_mutex_unlock(&u->lock);
	nanosleep(&pause, NULL);
	pthread_mutex_lock(&u->lock);
}

/* Ends with the queue gone. Lock held, and given up while the queue's waves end. */
static void destroy_queue(struct bw_kfd *p, struct bw_kfd_queue *q)
{
	q->ends = true;
	bw_kfd_bell_forget(q);
	bw_kfd_hw_begin_to_unmap(q, BW_KFD_WITH_WAVES);
	while (q->n_updates || (bw_kfd_hw_is_active(q) && !p->u->stopping))
		bw_kfd_wait_unlocked(p->u);
	bw_kfd_hw_release(q);
	bw_ids_remove(&p->queues, q->id);
	free(q);
	release_vmid(p);
}

int bw_kfd_ioctl_destroy_queue(struct bw_drm_call *c, void *arg)
{
	const struct kfd_ioctl_destroy_queue_args *a = arg;
	pthread_mutex_lock(&c->u->lock);
	struct bw_kfd_queue *q = bw_ids_get(&c->kfd->queues, a->queue_id);
	/* One that a debugger has taken away stays until it is put back (wait_on_destroy_queue). */
	while (q && q->is_suspended && !q->ends && !c->u->stopping && !bw_conn_gone(c->conn)) {
		bw_kfd_wait_unlocked(c->u);
		q = bw_ids_get(&c->kfd->queues, a->queue_id);
	}
	bool ends = q && q->ends;
	if (q && !ends)
		destroy_queue(c->kfd, q);
	pthread_mutex_unlock(&c->u->lock);
	return q && !ends ? 0 : -EINVAL;
}

void bw_kfd_end_queues(struct bw_kfd *p)
{
	bw_ids_each(&p->queues, i)
		destroy_queue(p, p->queues.slot[i]);
	bw_ids_fini(&p->queues);
}

/* ---- interrupts ---- */

static struct bw_kfd *process_of(struct bw_uapi *u, unsigned vmid)
{
	return vmid < BW_DRM_N_VMIDS ? u->kfd.by_vmid[vmid] : NULL;
}

bool bw_kfd_interrupt(struct bw_uapi *u, unsigned vmid, uint32_t event_id)
{
	struct bw_kfd *p = process_of(u, vmid);
	if (p)
		bw_kfd_signal(p, event_id);
	return p;
}

void bw_kfd_stop_queues(struct bw_kfd *p)
{
	bw_ids_each(&p->queues, i) {
		struct bw_kfd_queue *q = p->queues.slot[i];
		if (!q->stopped)
			bw_kfd_hw_begin_to_unmap(q, BW_KFD_WITH_WAVES);
		q->stopped = true;
	}
}

/* kfd_evict_process, then kfd_signal_vm_fault_event: ROCr prints it and aborts. */
void bw_kfd_page_fault(struct bw_uapi *u, unsigned vmid, uint64_t va, uint32_t status,
		       bool keeps_waves)
{
	struct bw_kfd *p = process_of(u, vmid);
	if (!p)
		return;
	bool is_write = BW_FIELD_GET(GCVM_L2_PROTECTION_FAULT_STATUS, RW, status);
	uint32_t refused = BW_FIELD_GET(GCVM_L2_PROTECTION_FAULT_STATUS, PERMISSION_FAULTS, status);
	enum { NOT_VALID = 1, NOT_WRITABLE = 4, NOT_EXECUTABLE = 8 };
	const struct kfd_hsa_memory_exception_data data = {
		.failure = {.NotPresent = refused & NOT_VALID ? 1 : 0,
			    .ReadOnly = is_write && refused & NOT_WRITABLE ? 1 : 0,
			    .NoExecute = refused & NOT_EXECUTABLE ? 1 : 0},
		.va = va,
		.gpu_id = p->gpu_id};
	char text[32]; /* KFD_EVENT_FMT_VMFAULT */
	snprintf(text, sizeof(text), "%x:%s", (unsigned)p->pid, p->comm);
	bw_kfd_smi_tell(u, KFD_SMI_EVENT_VMFAULT, text);
	if (p->debug.is_enabled && !p->debug.has_fault) {
		p->debug.fault = data;
		p->debug.has_fault = true;
	}
	if (bw_kfd_debug_raise(p, BW_KFD_EC_MASK(BW_KFD_EC_DEVICE_MEMORY_VIOLATION), NULL))
		return; /* the debugger passes it on */
	if (!keeps_waves || p->debug.is_active)
		bw_kfd_stop_queues(p);
	bw_kfd_signal_memory(p, &data);
}

/* The header of the area that user space gives for saved waves (kfd_context_save_area_header). */
enum { ERROR_PAYLOAD_AT = 24, ERROR_EVENT_AT = 32, SAVE_HEADER_B = 40 };

void bw_kfd_tell_runtime(const struct bw_kfd_queue *q, uint64_t exceptions)
{
	struct bw_kfd *p = q->process;
	uint64_t payload;
	uint32_t event;
	const uint8_t *header = bw_drm_vm_cpu(p->vm, q->save_area, SAVE_HEADER_B);
	if (!header)
		return;
	memcpy(&payload, header + ERROR_PAYLOAD_AT, sizeof(payload));
	memcpy(&event, header + ERROR_EVENT_AT, sizeof(event));
	_Atomic uint64_t *word = payload % 8 ? NULL : (void *)bw_drm_vm_cpu(p->vm, payload, 8);
	if (word)
		atomic_fetch_or(word, exceptions);
	bw_kfd_set_event(p, event);
}

/* Ends a queue that has stopped by itself. code: EC_QUEUE_PACKET_*, which the debugger or the
 * program is told; 0: none. */
static void end_stopped(struct bw_kfd_queue *q, unsigned code)
{
	struct bw_kfd *p = q->process;
	char why[320] = "";
	q->stopped = true;
	bw_kfd_hw_error(q, why, sizeof(why));
	if (bw_klog_allowed(p->u))
		bw_klog(p->u, "KFD: queue %u of %s pid %d stopped: %s", q->id, p->comm, p->pid,
			why);
	bw_kfd_hw_begin_to_unmap(q, BW_KFD_WITH_WAVES);
	uint64_t bit = code ? BW_KFD_EC_MASK(code) & BW_KFD_EC_QUEUES : 0;
	if (bit && !bw_kfd_debug_raise(p, bit, q))
		bw_kfd_tell_runtime(q, bit);
}

void bw_kfd_wave_exceptions(struct bw_uapi *u, unsigned vmid, uint32_t doorbell,
			    uint64_t exceptions)
{
	struct bw_kfd *p = process_of(u, vmid);
	exceptions &= BW_KFD_EC_QUEUES;
	if (!p || !exceptions)
		return;
	bw_ids_each(&p->queues, i) {
		struct bw_kfd_queue *q = p->queues.slot[i];
		if (q->kind != BW_KFD_SDMA && q->doorbell == doorbell &&
		    !bw_kfd_debug_raise(p, exceptions, q))
			bw_kfd_tell_runtime(q, exceptions);
	}
}

/* kfd_dbg_ev_raise() without a debugger. */
void bw_kfd_queue_error(struct bw_uapi *u, unsigned vmid, uint32_t doorbell, unsigned code)
{
	struct bw_kfd *p = process_of(u, vmid);
	if (!p)
		return;
	bw_ids_each(&p->queues, i) {
		struct bw_kfd_queue *q = p->queues.slot[i];
		if (q->kind != BW_KFD_SDMA && q->doorbell == doorbell && !q->stopped)
			end_stopped(q, code);
	}
}

void bw_kfd_sdma_error(struct bw_uapi *u, unsigned vmid, unsigned engine, unsigned queue)
{
	struct bw_kfd *p = process_of(u, vmid);
	if (!p)
		return;
	bw_ids_each(&p->queues, i) {
		struct bw_kfd_queue *q = p->queues.slot[i];
		if (q->kind == BW_KFD_SDMA && q->pipe == engine && q->queue == queue && !q->stopped)
			end_stopped(q, 0);
	}
}
