/* SPDX-License-Identifier: MIT */
/* Interrupts, and the handling of those that report errors. */
#include <errno.h>
#include <string.h>

#include "arch/arch.h"
#include "base/log.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/kfd.h"
#include "vgpu/uapi/klog.h"
#include "vgpu/uapi/uapi_priv.h"

enum { IH_RING_B = 256 << 10 };

struct vector {
	uint8_t client, source, ring, vmid;
	uint16_t pasid;
	bool mmhub;
	uint32_t data[BW_IH_DATA_DW];
};

/* gfxhub clients of gfx11 (doc/hardware/page-tables.md 6.4) */
static const char *client_name(unsigned cid)
{
	/* clang-format off */
	static const char *const names[] = {
		"CB/DB", "Reserved", "GE1", "GE2", "CPF", "CPC", "CPG", "RLC", "TCP", "SQC (inst)", "SQC (data)",
		"SQG", "Reserved", "SDMA0", "SDMA1", "GCR", "SDMA2", "SDMA3",
	};
	/* clang-format on */
	return cid < BW_ARRAY_SIZE(names) ? names[cid] : "unknown";
}

static void log_process(struct bw_uapi *u, const struct bw_drm_vm *vm)
{
	if (vm)
		bw_klog(u, " in process %s pid %d thread %s pid %d)", vm->comm, vm->pid, vm->comm,
			vm->pid);
}

static uint32_t sq_ind(struct bw_uapi *u, const struct bw_bank *bank, unsigned wave, uint32_t index)
{
	bw_wreg_bank(u, bank, BW_REG_SQ_IND_INDEX,
		     BW_FIELD(SQ_IND_INDEX, INDEX, index) | BW_FIELD(SQ_IND_INDEX, WAVE_ID, wave));
	return bw_rreg_bank(u, bank, BW_REG_SQ_IND_DATA);
}

/* Whether a wave of this VMID has halted for good: an exception that no trap handler took. */
static bool has_fatal_wave(struct bw_uapi *u, unsigned vmid)
{
	const struct bw_profile *p = u->profile;
	bool found = false;
	pthread_mutex_lock(&u->grbm_lock);
	for (unsigned i = 0; i < p->n_se * p->sa_per_se * p->wgp_per_sa * p->simd_per_wgp && !found;
	     i++) {
		unsigned simd = i % p->simd_per_wgp, wgp = i / p->simd_per_wgp % p->wgp_per_sa;
		unsigned sa = i / (p->simd_per_wgp * p->wgp_per_sa) % p->sa_per_se;
		struct bw_bank bank = {.use_grbm = true,
				       .sa = sa,
				       .instance = bw_arch_instance(wgp, simd),
				       .se = i / (p->simd_per_wgp * p->wgp_per_sa * p->sa_per_se)};
		uint32_t active = sq_ind(u, &bank, 0, BW_REG_INDEX(SQ_WAVE_ACTIVE));
		for (unsigned wave = 0; wave < p->waves_per_simd && !found; wave++) {
			if (!(active >> wave & 1))
				continue;
			uint32_t status = sq_ind(u, &bank, wave, BW_REG_INDEX(SQ_WAVE_STATUS));
			uint32_t hw_id2 = sq_ind(u, &bank, wave, BW_REG_INDEX(SQ_WAVE_HW_ID2));
			found = BW_FIELD_GET(SQ_WAVE_STATUS, VALID, status) &&
				BW_FIELD_GET(SQ_WAVE_STATUS, FATAL_HALT, status) &&
				BW_FIELD_GET(SQ_WAVE_HW_ID2, VM_ID, hw_id2) == vmid;
		}
	}
	pthread_mutex_unlock(&u->grbm_lock);
	return found;
}

static void log_hint(struct bw_uapi *u, const struct bw_drm_vm *vm)
{
	bw_klog(u,
		"%s pid %d: its work on the GPU was ended; run it under `breakwater run` to stop "
		"at the instruction",
		vm->comm, vm->pid);
}

/* Ends what the VMID's jobs are doing. */
static void kill_vmid(struct bw_uapi *u, unsigned vmid, const char *why)
{
	bool any = false;
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++) {
		struct bw_drm_job *job = u->rings[i].head;
		if (!job || job->vmid != vmid || job->killing)
			continue;
		if (!any && !job->vm->dying)
			log_hint(u, job->vm);
		any = true;
		bw_drm_job_end(u, &u->rings[i], why);
	}
}

static void log_fault(struct bw_uapi *u, const struct vector *v, const struct bw_drm_vm *vm,
		      uint64_t addr, uint32_t status)
{
	if (!bw_klog_allowed(u))
		return;
	bw_klog(u, "[%s] page fault (src_id:%u ring:%u vmid:%u pasid:%u)",
		v->mmhub ? "mmhub" : "gfxhub", v->source, v->ring, v->vmid, v->pasid);
	log_process(u, vm);
	bw_klog(u, "  in page starting at address 0x%016llx from client %d",
		(unsigned long long)addr, v->client);
	/* 6.12 prints the fields of a zero status too, which have no meaning; here they are left
	 * out. */
	if (!status)
		return;
	bw_klog(u, "GCVM_L2_PROTECTION_FAULT_STATUS:0x%08X", status);
#define FAULT(field) BW_FIELD_GET(GCVM_L2_PROTECTION_FAULT_STATUS, field, status)
	bw_klog(u, "\t Faulty UTCL2 client ID: %s (0x%x)", client_name(FAULT(CID)), FAULT(CID));
	bw_klog(u, "\t MORE_FAULTS: 0x%x", FAULT(MORE_FAULTS));
	bw_klog(u, "\t WALKER_ERROR: 0x%x", FAULT(WALKER_ERROR));
	bw_klog(u, "\t PERMISSION_FAULTS: 0x%x", FAULT(PERMISSION_FAULTS));
	bw_klog(u, "\t MAPPING_ERROR: 0x%x", FAULT(MAPPING_ERROR));
	bw_klog(u, "\t RW: 0x%x", FAULT(RW));
#undef FAULT
}

static struct bw_drm_vm *vm_of(struct bw_uapi *u, const struct vector *v)
{
	if (v->vmid < BW_DRM_N_VMIDS && u->vmids[v->vmid].vm)
		return u->vmids[v->vmid].vm;
	bw_vec_each(&u->vms, vm)
		if ((*vm)->pasid == v->pasid)
			return *vm;
	return NULL;
}

static bool is_being_killed(struct bw_uapi *u, unsigned vmid)
{
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++)
		if (u->rings[i].head && u->rings[i].head->vmid == vmid && u->rings[i].head->killing)
			return true;
	return false;
}

static unsigned ring_field(const struct vector *v, unsigned lo, unsigned n_bits)
{
	uint32_t ring = v->ring;
	return (unsigned)bw_words_get(&ring, lo, n_bits);
}

/* Whether a debugger has given the VMID's waves a trap handler. */
static bool has_handler(struct bw_uapi *u, unsigned vmid)
{
	const struct bw_bank bank = {.use_srbm = true, .vmid = vmid};
	return BW_FIELD_GET(SQ_SHADER_TBA_HI, TRAP_EN,
			    bw_rreg_bank(u, &bank, BW_REG_SQ_SHADER_TBA_HI));
}

/* The number of the job that the VMID runs; 0: none, as of queues of user space. */
static uint64_t job_of(struct bw_uapi *u, unsigned vmid)
{
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++)
		if (u->rings[i].head && u->rings[i].head->vmid == vmid)
			return u->rings[i].head->number;
	return 0;
}

/* The driver keeps the last fault whose status it was in time to read, as Linux's does: which of
 * many that is depends on the speed of threads. A deterministic device has the first one of a job
 * instead, or of a dispatch where there are no jobs. A ring that overflows has lost its vector. */
static void keep_fault(struct bw_uapi *u, struct bw_drm_vm *vm, const struct vector *v,
		       uint64_t addr, uint32_t status)
{
	if (!status && vm->fault.status)
		return;
	uint64_t job = 0, dispatches = 0;
	if (u->options.device.deterministic) {
		struct bw_device_stats stats;
		bw_device_stats(u->dev, &stats);
		job = job_of(u, v->vmid);
		dispatches = job ? 0 : stats.dispatches;
		bool is_of_it = job ? vm->fault.job == job
				    : vm->fault.job || vm->fault.dispatches == dispatches;
		if (vm->fault.status && is_of_it)
			return;
	}
	vm->fault.addr = addr;
	vm->fault.status = status;
	vm->fault.hub = v->mmhub;
	vm->fault.job = job;
	vm->fault.dispatches = dispatches;
}

/* gmc_v11_0_process_interrupt */
static void vm_fault(struct bw_uapi *u, const struct vector *v)
{
	uint64_t addr = bw_words_get(v->data, BW_IH_FAULT_PAGE) * BW_DRM_PAGE_B;
	uint64_t latched = bw_join32(bw_rreg(u, BW_REG_GCVM_L2_PROTECTION_FAULT_ADDR_HI32),
				     bw_rreg(u, BW_REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO32)) *
			   BW_DRM_PAGE_B;
	uint32_t status = bw_rreg(u, BW_REG_GCVM_L2_PROTECTION_FAULT_STATUS);
	uint32_t cntl = bw_rreg(u, BW_REG_GCVM_L2_PROTECTION_FAULT_CNTL);
	bw_wreg(u, BW_REG_GCVM_L2_PROTECTION_FAULT_CNTL,
		BW_FIELD_SET(GCVM_L2_PROTECTION_FAULT_CNTL, CLEAR_PROTECTION_FAULT_STATUS_ADDR,
			     cntl, 1));
	/* Only the first fault is logged; more follow while the VMID's waves are being ended. */
	if (is_being_killed(u, v->vmid))
		return;
	struct bw_drm_vm *vm = vm_of(u, v);
	if (vm)
		keep_fault(u, vm, v, u->options.device.deterministic && status ? latched : addr,
			   status);
	log_fault(u, v, vm, addr, status);
	/* A fault of a wave without a trap handler: its halting comes as an SQ interrupt, too. A
	 * fault of the command processor or SDMA stops that queue alone, with an interrupt of its
	 * own: the other jobs of the program are innocent. */
	if (v->vmid && has_fatal_wave(u, v->vmid))
		kill_vmid(u, v->vmid, "page fault");
	bw_kfd_page_fault(u, v->vmid, addr, status, has_handler(u, v->vmid));
}

/* CP_BAD_OPCODE, CP_PRIV_REG and _INSTR: the queue (or a wave, on its account) did what it may not.
 * The vector is memory that others can write: only a queue that has really stopped is ended. */
static void cp_error(struct bw_uapi *u, const struct vector *v)
{
	/* by CP_HQD_ERROR, as this device uses it */
	static const char *const what[] = {
		"Error in command stream", "Illegal opcode in command stream",
		"Illegal register access in command stream", "Page fault in command stream",
		"Impossible dispatch in command stream"};
	unsigned me = ring_field(v, BW_IH_RING_ME), pipe = ring_field(v, BW_IH_RING_PIPE);
	/* A wave's illegal instruction comes as an SQ interrupt as well, which says more. */
	if (v->source == BW_IH_SRC_CP_PRIV_INSTR)
		return;
	if (ring_field(v, BW_IH_RING_QUEUE)) { /* KFD_DEBUG_DOORBELL_ID, _CP_BAD_OP_ECODE */
		bw_kfd_queue_error(u, v->vmid, v->data[0] & 0x3ff, v->data[0] >> 10 & 0xffff);
		return;
	}
	struct bw_bank bank = {.use_srbm = true, .me = me, .pipe = pipe};
	uint32_t error = bw_rreg_bank(u, &bank, BW_REG_CP_HQD_ERROR);
	const char *text = what[error < BW_ARRAY_SIZE(what) ? error : 0];
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++) {
		struct bw_drm_ring *ring = &u->rings[i];
		if (ring->is_sdma || ring->me != me || ring->pipe != pipe || !ring->head ||
		    ring->head->killing || !bw_drm_ring_stopped(u, ring))
			continue;
		if (bw_klog_allowed(u)) {
			char why[320] = "";
			bw_klog(u, "%s (ring %s vmid:%u pasid:%u)", text, ring->name,
				ring->head->vmid, ring->head->vm->pasid);
			log_process(u, ring->head->vm);
			if (bw_device_queue_error(u->dev, me, pipe, 0, why, sizeof(why)))
				bw_klog(u, "  %s", why);
			log_hint(u, ring->head->vm);
		}
		bw_drm_job_end(u, ring, text);
	}
}

static void sdma_error(struct bw_uapi *u, const struct vector *v)
{
	unsigned queue = ring_field(v, BW_IH_RING_SDMA_QUEUE);
	if (queue) {
		bw_kfd_sdma_error(u, v->vmid, ring_field(v, BW_IH_RING_SDMA), queue);
		return;
	}
	struct bw_drm_ring *ring =
		&u->rings[BW_DRM_FIRST_SDMA + ring_field(v, BW_IH_RING_SDMA) % BW_DRM_N_SDMA];
	if (!ring->head || ring->head->killing || !bw_drm_ring_stopped(u, ring))
		return;
	if (bw_klog_allowed(u)) {
		char why[320] = "";
		bw_klog(u, "SDMA queue hang (ring %s vmid:%u pasid:%u)", ring->name,
			ring->head->vmid, ring->head->vm->pasid);
		log_process(u, ring->head->vm);
		if (bw_device_sdma_error(u->dev, ring->pipe, 0, why, sizeof(why)))
			bw_klog(u, "  %s", why);
	}
	bw_drm_job_end(u, ring, "SDMA queue hang");
}

static void sq_interrupt(struct bw_uapi *u, const struct vector *v)
{
	/* Messages (s_sendmsg MSG_INTERRUPT) are nothing to the graphics driver; to KFD those of
	 * trap handlers are exceptions (KFD_CTXID0_DOORBELL_ID and _TRAP_CODE). */
	if (bw_words_get(v->data, BW_IH_SQ_ENCODING) == BW_IH_SQ_MESSAGE &&
	    bw_words_get(v->data, BW_IH_SQ_PRIV)) {
		uint32_t data = (uint32_t)bw_words_get(v->data, BW_IH_SQ_DATA);
		bw_kfd_wave_exceptions(u, v->vmid, data & 0x3ff, data >> 10 & 0x3fff);
	}
	if (bw_words_get(v->data, BW_IH_SQ_ENCODING) != BW_IH_SQ_ERROR || !v->vmid ||
	    !u->vmids[v->vmid].busy || is_being_killed(u, v->vmid) || !has_fatal_wave(u, v->vmid))
		return;
	struct bw_drm_vm *vm = vm_of(u, v);
	if (bw_klog_allowed(u)) {
		uint64_t type = bw_words_get(v->data, BW_IH_SQ_ERROR_TYPE);
		bw_klog(u, "%s in a wave (vmid:%u pasid:%u)",
			type == BW_IH_SQ_ILLEGAL_INST ? "Illegal instruction" : "Memory violation",
			v->vmid, v->pasid);
		log_process(u, vm);
	}
	kill_vmid(u, v->vmid, "wave exception");
}

/* The end of a job, which is found by looking at its fence, or a signal of KFD's. False: it is
 * another interrupt. */
static bool take_end(struct bw_uapi *u, const struct vector *v)
{
	enum { SDMA_EVENT = 0xfffffff }; /* event_interrupt_wq_v11 */
	if (v->client == BW_IH_CLIENT_GRBM_CP && v->source == BW_IH_SRC_CP_EOP)
		bw_kfd_interrupt(u, v->vmid, v->data[0]);
	else if (v->client == BW_IH_CLIENT_GFX && v->source == BW_IH_SRC_SDMA_TRAP)
		bw_kfd_interrupt(u, v->vmid, v->data[0] & SDMA_EVENT);
	else
		return false;
	return true;
}

static void dispatch(struct bw_uapi *u, const struct vector *v)
{
	if (v->source == BW_IH_SRC_UTCL2_FAULT &&
	    (v->client == BW_IH_CLIENT_GFX || v->client == BW_IH_CLIENT_UTCL2 ||
	     v->client == BW_IH_CLIENT_VMC))
		vm_fault(u, v);
	else if (v->client == BW_IH_CLIENT_GRBM_CP && v->source >= BW_IH_SRC_CP_BAD_OPCODE &&
		 v->source <= BW_IH_SRC_CP_PRIV_INSTR)
		cp_error(u, v);
	else if (v->client == BW_IH_CLIENT_GFX && v->source == BW_IH_SRC_SDMA_QUEUE_HANG)
		sdma_error(u, v);
	else if (v->source == BW_IH_SRC_SQ)
		sq_interrupt(u, v);
	else if (!take_end(u, v))
		BW_LOG(WARN, "uapi", "interrupt of client %#x, source %u is not handled", v->client,
		       v->source);
}

/* The pointer's vector: the registers are open to others, and the ring is walked from one vector to
 * the next. */
static uint32_t vector_at(uint32_t pointer)
{
	return pointer & (IH_RING_B - 1) & ~(BW_IH_VECTOR_B - 1u);
}

static struct vector read_vector(struct bw_uapi *u, uint32_t rptr)
{
	uint32_t dw[BW_IH_VECTOR_DW];
	memcpy(dw, (uint8_t *)bw_drm_vram_cpu(u, u->ih_offset) + rptr, sizeof(dw));
	struct vector v = {.client = (uint8_t)bw_words_get(dw, BW_IH_CLIENT_ID),
			   .source = (uint8_t)bw_words_get(dw, BW_IH_SOURCE_ID),
			   .ring = (uint8_t)bw_words_get(dw, BW_IH_RING_ID),
			   .vmid = (uint8_t)bw_words_get(dw, BW_IH_VMID),
			   .mmhub = bw_words_get(dw, BW_IH_VMID_SRC),
			   .pasid = (uint16_t)bw_words_get(dw, BW_IH_PASID)};
	memcpy(v.data, dw + BW_IH_VECTOR_DW - BW_IH_DATA_DW, sizeof(v.data));
	return v;
}

bool bw_drm_ih_ends_only(struct bw_uapi *u)
{
	uint32_t wptr = bw_rreg(u, BW_REG_IH_RB_WPTR), rptr = u->ih_rptr;
	if (BW_FIELD_GET(IH_RB_WPTR, RB_OVERFLOW, wptr))
		return false;
	wptr = vector_at(wptr);
	for (; rptr != wptr; rptr = (rptr + BW_IH_VECTOR_B) & (IH_RING_B - 1)) {
		struct vector v = read_vector(u, rptr);
		/* if another one follows, they are taken a second time, which has no effect */
		if (!take_end(u, &v))
			return false;
	}
	u->ih_rptr = rptr;
	bw_wreg(u, BW_REG_IH_RB_RPTR, rptr);
	return true;
}

void bw_drm_ih_process(struct bw_uapi *u)
{
	uint32_t wptr = bw_rreg(u, BW_REG_IH_RB_WPTR);
	if (BW_FIELD_GET(IH_RB_WPTR, RB_OVERFLOW, wptr)) {
		/* Start at the oldest vector that is still there (ih_v6_0_get_wptr). */
		u->ih_rptr = vector_at(wptr + BW_IH_VECTOR_B);
		uint32_t cntl = bw_rreg(u, BW_REG_IH_RB_CNTL);
		bw_wreg(u, BW_REG_IH_RB_CNTL,
			BW_FIELD_SET(IH_RB_CNTL, WPTR_OVERFLOW_CLEAR, cntl, 1));
		bw_wreg(u, BW_REG_IH_RB_CNTL,
			BW_FIELD_SET(IH_RB_CNTL, WPTR_OVERFLOW_CLEAR, cntl, 0));
		BW_LOG(WARN, "uapi", "IH ring buffer overflow");
	}
	wptr = vector_at(wptr);
	if (u->ih_rptr == wptr)
		return;
	while (u->ih_rptr != wptr) {
		struct vector v = read_vector(u, u->ih_rptr);
		u->ih_rptr = (u->ih_rptr + BW_IH_VECTOR_B) & (IH_RING_B - 1);
		dispatch(u, &v);
	}
	bw_wreg(u, BW_REG_IH_RB_RPTR, u->ih_rptr);
}
