/* SPDX-License-Identifier: MIT */
/* KFD's queues, on hardware queues of ME 1 that the driver's own rings leave free: mapped by their
 * registers, as Linux does it without a scheduler (kfd_device_queue_manager.c, DQM without HWS). A
 * process has one of the VMIDs 8 to 15 as long as it has a queue.
 *
 * Doorbells are memory that the program and this process share, so a store to them is seen by
 * looking: a thread looks often while there is work, and rarely when there is none. */
#include <errno.h>
#include <linux/kfd_ioctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/newer_kfd.h"
#include "vgpu/device/ih.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/kfd.h"
#include "vgpu/uapi/klog.h"

enum {
	FIRST_VMID = 8,
	N_VMIDS = 8,
	N_PIPES = 4,
	FIRST_QUEUE = 1, /* queue 0 of each pipe is a ring of the driver (ring.c) */
	N_QUEUES = 8,
	DOORBELLS_PER_PROCESS = BW_KFD_DOORBELLS_B / 8,
	MAX_QUEUES_OF_PROCESS = 32,
	AQL_MIN_RING_B = 1024,
};

/* A queue. */
struct bw_kfd_queue {
	struct bw_kfd *process;
	uint32_t id;
	uint8_t pipe, queue; /* of ME 1 */
	uint32_t doorbell;   /* number in the process's page */
	uint64_t save_area;  /* address of its header; 0: none */
	bool ends;	     /* a call destroys it */
	bool stopped;	     /* by an error, or with its process's others by a page fault */
};

/* ---- doorbells ---- */

/* No program writes it: the indices of packets are counted from 0. */
static const uint64_t NOT_RUNG = UINT64_MAX;

static uint32_t doorbell_dw(const struct bw_kfd *p, uint32_t doorbell)
{
	/* after the driver's own, in a range for each VMID */
	return 2 * (DOORBELLS_PER_PROCESS * p->vmid + doorbell);
}

static bool look_at_all(struct bw_uapi *u)
{
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

/* The pause until the next look, by the time for which no doorbell was rung. */
static long pause_ns(int64_t idle_ns)
{
	static const struct {
		int64_t idle_ns;
		long pause_ns;
	} rows[] = {{5000000, 5000}, {200000000, 100000}, {INT64_MAX, 1000000}};
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
		if (look_at_all(u))
			last_ns = bw_now_ns();
		const struct timespec t = {0, pause_ns(bw_now_ns() - last_ns)};
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

static void forget_bell(struct bw_uapi *u, const struct bw_kfd_queue *q)
{
	pthread_mutex_lock(&u->kfd.lock);
	for (size_t i = u->kfd.bells.len; i-- > 0;)
		if (u->kfd.bells.data[i].queue == q)
			bw_vec_remove(&u->kfd.bells, i);
	pthread_mutex_unlock(&u->kfd.lock);
}

static int hang_bell(struct bw_kfd_queue *q)
{
	struct bw_kfd *p = q->process;
	_Atomic uint64_t *value =
		(_Atomic uint64_t *)(void *)bw_drm_bo_cpu(p->doorbells, q->doorbell * 8, 8);
	atomic_store(value, NOT_RUNG);
	const struct bw_kfd_bell bell = {q, value, NOT_RUNG, doorbell_dw(p, q->doorbell)};
	pthread_mutex_lock(&p->u->kfd.lock);
	struct bw_error *err = bw_vec_push(&p->u->kfd.bells, bell);
	pthread_mutex_unlock(&p->u->kfd.lock);
	bool failed = err != NULL;
	bw_error_free(err);
	return failed ? -ENOMEM : 0;
}

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
	return 0;
}

static void release_vmid(struct bw_kfd *p)
{
	if (!p->vmid || p->queues.n)
		return;
	p->u->kfd.by_vmid[p->vmid] = NULL;
	p->u->vmids[p->vmid].vm = NULL;
	p->vmid = 0;
}

/* ---- hardware queues ---- */

static void hqd_write(const struct bw_kfd_queue *q, enum bw_register reg, uint32_t value)
{
	const struct bw_bank bank = {.use_srbm = true, .me = 1, .pipe = q->pipe, .queue = q->queue};
	bw_wreg_bank(q->process->u, &bank, reg, value);
}

static bool is_active(const struct bw_kfd_queue *q)
{
	const struct bw_bank bank = {.use_srbm = true, .me = 1, .pipe = q->pipe, .queue = q->queue};
	return bw_rreg_bank(q->process->u, &bank, BW_REG_CP_HQD_ACTIVE);
}

static int take_queue(struct bw_kfd_queue *q)
{
	struct bw_uapi *u = q->process->u;
	for (uint8_t queue = FIRST_QUEUE; queue < N_QUEUES; queue++) {
		for (uint8_t pipe = 0; pipe < N_PIPES; pipe++) {
			if (u->kfd.taken[pipe] >> queue & 1)
				continue;
			u->kfd.taken[pipe] |= (uint8_t)(1 << queue);
			q->pipe = pipe;
			q->queue = queue;
			return 0;
		}
	}
	return -ENOMEM;
}

static void release_queue(const struct bw_kfd_queue *q)
{
	q->process->u->kfd.taken[q->pipe] &= (uint8_t)~(1 << q->queue);
}

/* As kfd_mqd_manager_v11.c fills the descriptor of an AQL queue. */
static void map_queue(const struct bw_kfd_queue *q, const struct kfd_ioctl_create_queue_args *a)
{
	enum { IN_PACKETS = 2 };
	const struct bw_kfd *p = q->process;
	unsigned log_dw = (unsigned)__builtin_ctz(a->ring_size / 4);
	hqd_write(q, BW_REG_CP_HQD_ACTIVE, 0);
	hqd_write(q, BW_REG_CP_HQD_DEQUEUE_REQUEST, 0);
	hqd_write(q, BW_REG_CP_HQD_VMID, BW_FIELD(CP_HQD_VMID, VMID, p->vmid));
	hqd_write(q, BW_REG_CP_HQD_PQ_BASE, bw_lo_256b(a->ring_base_address));
	hqd_write(q, BW_REG_CP_HQD_PQ_BASE_HI, bw_hi_256b(a->ring_base_address));
	hqd_write(q, BW_REG_CP_HQD_PQ_RPTR, 0);
	hqd_write(q, BW_REG_CP_HQD_PQ_WPTR_LO, 0);
	hqd_write(q, BW_REG_CP_HQD_PQ_WPTR_HI, 0);
	hqd_write(q, BW_REG_CP_HQD_PQ_RPTR_REPORT_ADDR, bw_lo32(a->read_pointer_address));
	hqd_write(q, BW_REG_CP_HQD_PQ_RPTR_REPORT_ADDR_HI, bw_hi32(a->read_pointer_address));
	hqd_write(q, BW_REG_CP_HQD_PQ_WPTR_POLL_ADDR, bw_lo32(a->write_pointer_address));
	hqd_write(q, BW_REG_CP_HQD_PQ_WPTR_POLL_ADDR_HI, bw_hi32(a->write_pointer_address));
	hqd_write(q, BW_REG_CP_HQD_PQ_CONTROL,
		  BW_FIELD(CP_HQD_PQ_CONTROL, QUEUE_SIZE, log_dw - 1) |
			  BW_FIELD(CP_HQD_PQ_CONTROL, RPTR_BLOCK_SIZE, 5) |
			  BW_FIELD(CP_HQD_PQ_CONTROL, SLOT_BASED_WPTR, IN_PACKETS) |
			  BW_FIELD(CP_HQD_PQ_CONTROL, NO_UPDATE_RPTR, 1) |
			  BW_FIELD(CP_HQD_PQ_CONTROL, UNORD_DISPATCH, 1));
	hqd_write(
		q, BW_REG_CP_HQD_PQ_DOORBELL_CONTROL,
		BW_FIELD(CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_OFFSET, doorbell_dw(p, q->doorbell)) |
			BW_FIELD_MASK(CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_EN));
	hqd_write(q, BW_REG_CP_HQD_ACTIVE, 1);
}

/* Has the queue end, with its waves. */
static void begin_to_unmap(const struct bw_kfd_queue *q)
{
	enum { WITH_WAVES = 2 };
	hqd_write(q, BW_REG_CP_HQD_DEQUEUE_REQUEST,
		  BW_FIELD(CP_HQD_DEQUEUE_REQUEST, DEQUEUE_REQ, WITH_WAVES));
}

/* Waits without the lock. */
static void wait_until_unmapped(const struct bw_kfd_queue *q)
{
	struct bw_uapi *u = q->process->u;
	const struct timespec pause = {0, 200000};
	while (is_active(q) && !u->stopping) {
		pthread_mutex_unlock(&u->lock);
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&u->lock);
	}
}

/* ---- calls ---- */

/* A buffer of the process that is mapped at an address; size_b 0: whatever its size, which then is
 * at least a page. */
static bool is_buffer(const struct bw_kfd *p, uint64_t va, uint64_t size_b)
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
	a->ring_size = BW_MAX(a->ring_size, (uint32_t)AQL_MIN_RING_B);
	if (a->queue_type > KFD_IOC_QUEUE_TYPE_SDMA_XGMI)
		return -EOPNOTSUPP;
	if (a->gpu_id != p->gpu_id)
		return -EINVAL;
	if (!p->vm)
		return -ESRCH;
	if (!is_buffer(p, a->write_pointer_address & ~in_page, 0) ||
	    !is_buffer(p, a->read_pointer_address & ~in_page, 0) ||
	    !is_buffer(p, a->ring_base_address, bw_align_up(a->ring_size, BW_DRM_PAGE_B)))
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

static int create(struct bw_kfd *p, struct kfd_ioctl_create_queue_args *a)
{
	_cleanup_free_ struct bw_kfd_queue *q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	*q = (struct bw_kfd_queue){.process = p, .save_area = a->ctx_save_restore_address};
	int r = free_doorbell(p, &q->doorbell);
	if (!r)
		r = bw_kfd_own_pages(p, &p->doorbells, BW_KFD_DOORBELLS_B);
	if (!r)
		r = start_looking(p->u);
	if (!r)
		r = take_vmid(p);
	if (!r)
		r = take_queue(q);
	if (r) {
		release_vmid(p);
		return r;
	}
	r = hang_bell(q);
	if (!r && bw_ids_add(&p->queues, q, &q->id)) {
		forget_bell(p->u, q);
		r = -ENOMEM;
	}
	if (r) {
		release_queue(q);
		release_vmid(p);
		return r;
	}
	map_queue(q, a);
	a->queue_id = q->id;
	a->doorbell_offset = BW_KFD_MMAP_OFFSET(BW_KFD_MMAP_DOORBELL, p->gpu_id) | q->doorbell * 8;
	bw_take(q);
	return 0;
}

int bw_kfd_ioctl_create_queue(struct bw_drm_call *c, void *arg)
{
	struct kfd_ioctl_create_queue_args *a = arg;
	pthread_mutex_lock(&c->u->lock);
	int r = check_queue(c->kfd, a);
	bool is_aql = a->queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
	if (!r && is_aql)
		r = create(c->kfd, a);
	pthread_mutex_unlock(&c->u->lock);
	if (r || is_aql)
		return r;
	/* ROCr copies by kernels then. */
	BW_LOG(INFO, "uapi", "KFD: queues of PM4 and of SDMA packets are not supported here");
	return -ENOMEM;
}

/* Ends with the queue gone. Lock held, and given up while the queue's waves end. */
static void destroy_queue(struct bw_kfd *p, struct bw_kfd_queue *q)
{
	forget_bell(p->u, q);
	begin_to_unmap(q);
	wait_until_unmapped(q);
	release_queue(q);
	bw_ids_remove(&p->queues, q->id);
	free(q);
	release_vmid(p);
}

int bw_kfd_ioctl_destroy_queue(struct bw_drm_call *c, void *arg)
{
	const struct kfd_ioctl_destroy_queue_args *a = arg;
	pthread_mutex_lock(&c->u->lock);
	struct bw_kfd_queue *q = bw_ids_get(&c->kfd->queues, a->queue_id);
	bool ends = q && q->ends;
	if (q && !ends) {
		q->ends = true;
		destroy_queue(c->kfd, q);
	}
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

static void stop_queues(struct bw_kfd *p)
{
	bw_ids_each(&p->queues, i) {
		struct bw_kfd_queue *q = p->queues.slot[i];
		if (!q->stopped)
			begin_to_unmap(q);
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
	if (!keeps_waves)
		stop_queues(p);
	bw_kfd_signal_memory(p, &data);
}

/* The header of the area that user space gives for saved waves (kfd_context_save_area_header). */
enum { ERROR_PAYLOAD_AT = 24, ERROR_EVENT_AT = 32, SAVE_HEADER_B = 40 };

/* A queue met a packet that it cannot execute: kfd_dbg_ev_raise() without a debugger. */
void bw_kfd_queue_error(struct bw_uapi *u, unsigned vmid, uint32_t doorbell, unsigned code)
{
	struct bw_kfd *p = process_of(u, vmid);
	char why[320] = "";
	if (!p)
		return;
	bw_ids_each(&p->queues, i) {
		struct bw_kfd_queue *q = p->queues.slot[i];
		if (q->doorbell != doorbell || q->stopped)
			continue;
		q->stopped = true;
		bw_device_queue_error(u->dev, 1, q->pipe, q->queue, why, sizeof(why));
		if (bw_klog_allowed(u))
			bw_klog(u, "KFD: queue %u of %s pid %d stopped: %s", q->id, p->comm, p->pid,
				why);
		begin_to_unmap(q);
		uint64_t payload;
		uint32_t event;
		const uint8_t *header = bw_drm_vm_cpu(p->vm, q->save_area, SAVE_HEADER_B);
		if (!header || !code)
			continue;
		memcpy(&payload, header + ERROR_PAYLOAD_AT, sizeof(payload));
		memcpy(&event, header + ERROR_EVENT_AT, sizeof(event));
		_Atomic uint64_t *word =
			payload % 8 ? NULL : (void *)bw_drm_vm_cpu(p->vm, payload, 8);
		if (word)
			atomic_fetch_or(word, 1ull << (code - 1));
		bw_kfd_set_event(p, event);
	}
}
