/* SPDX-License-Identifier: MIT */
/* Rings: their hardware queues, and what is put on them around each job (gfx_v11_0.c of 6.12). */
#include <amdgpu_drm.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "pm4/sdma_build.h"
#include "vgpu/device/exec/check/jobs.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/klog.h"
#include "vgpu/uapi/uapi_priv.h"

enum { RING_EOP_B = BW_DRM_PAGE_B - BW_DRM_EOP_AT_B /* GFX11_MEC_HPD_SIZE */ };
enum { RING_DW = BW_DRM_RING_DW, DEQUEUE_RESET_WAVES = 2 };
/* Alignment of submissions, from gfx_v11_0_ring_funcs_* and sdma_v6_0_ring_funcs. */
enum { CP_ALIGN_DW = 256, SDMA_ALIGN_DW = 16 };
/* Doorbell assignments of the kernel, in 64-bit units: AMDGPU_NAVI10_DOORBELL_MEC_RING0, GFX_RING0.
 */
enum { DOORBELL_MEC = 3, DOORBELL_GFX = 0x8b, DOORBELL_SDMA = 0x100, DOORBELL_SDMA_STRIDE = 10 };

/* clang-format off */
static const struct { const char *name; uint8_t me, pipe; } places[BW_DRM_N_RINGS] = {
	{"gfx_0.0.0", 0, 0}, {"comp_1.0.0", 1, 0}, {"comp_1.1.0", 1, 1}, {"comp_1.2.0", 1, 2}, {"comp_1.3.0", 1, 3},
	{"sdma0", 0, 0}, {"sdma1", 0, 1},
};
/* clang-format on */

static void hqd_write(struct bw_uapi *u, const struct bw_drm_ring *ring, enum bw_register reg,
		      uint32_t value)
{
	struct bw_bank bank = {.use_srbm = true, .me = ring->me, .pipe = ring->pipe};
	bw_wreg_bank(u, &bank, reg, value);
}

static uint32_t hqd_read(struct bw_uapi *u, const struct bw_drm_ring *ring, enum bw_register reg)
{
	struct bw_bank bank = {.use_srbm = true, .me = ring->me, .pipe = ring->pipe};
	return bw_rreg_bank(u, &bank, reg);
}

/* The fields other than registers in the kernel's descriptor of a queue
 * (gfx_v11_0_compute_mqd_init), by dword: header, COMPUTE_PIPELINESTAT_ENABLE,
 * COMPUTE_STATIC_THREAD_MGMT_SE0 to 3, COMPUTE_MISC_RESERVED. The registers of the queue follow
 * from MQD_HQD on, by their addresses. */
enum { MQD_HQD = 128, MQD_N_HQD = 64 };
static const struct {
	uint16_t at;
	uint32_t value;
} compute_mqd[] = {{0, 0xc0310800}, {11, 1}, {23, ~0u}, {24, ~0u}, {26, ~0u}, {27, ~0u}, {32, 7}};

/* The registers of a graphics queue have another order (v11_gfx_mqd). */
static const struct {
	uint8_t at;
	enum bw_register reg;
} graphics_mqd[] = {
	{128, BW_REG_CP_GFX_MQD_BASE_ADDR},    {129, BW_REG_CP_GFX_MQD_BASE_ADDR_HI},
	{130, BW_REG_CP_GFX_HQD_ACTIVE},       {131, BW_REG_CP_GFX_HQD_VMID},
	{136, BW_REG_CP_GFX_HQD_BASE},	       {137, BW_REG_CP_GFX_HQD_BASE_HI},
	{138, BW_REG_CP_GFX_HQD_RPTR},	       {139, BW_REG_CP_GFX_HQD_RPTR_ADDR},
	{140, BW_REG_CP_GFX_HQD_RPTR_ADDR_HI}, {145, BW_REG_CP_GFX_HQD_CNTL},
	{149, BW_REG_CP_GFX_HQD_WPTR},	       {150, BW_REG_CP_GFX_HQD_WPTR_HI},
};

/* Writes the descriptor as it is when the queue starts; the hardware does not read it here. */
static void mqd_fill(struct bw_uapi *u, const struct bw_drm_ring *ring)
{
	uint32_t *mqd = bw_drm_vram_cpu(u, ring->mqd_offset);
	for (size_t i = 0; !ring->me && i < BW_ARRAY_SIZE(graphics_mqd); i++)
		mqd[graphics_mqd[i].at] = hqd_read(u, ring, graphics_mqd[i].reg);
	if (!ring->me)
		return;
	for (size_t i = 0; i < BW_ARRAY_SIZE(compute_mqd); i++)
		mqd[compute_mqd[i].at] = compute_mqd[i].value;
	uint32_t first = bw_drm_reg(u, BW_REG_CP_MQD_BASE_ADDR);
	for (unsigned r = BW_REG_CP_MQD_BASE_ADDR; r <= BW_REG_CP_HQD_DEQUEUE_STATUS; r++) {
		uint32_t at = bw_drm_reg(u, r) - first;
		if (at < MQD_N_HQD)
			mqd[MQD_HQD + at] = hqd_read(u, ring, r);
	}
}

/* Reset values that the kernel's own settings are made in (reg*_DEFAULT in gfx_v11_0.c); those of
 * the preloaded size and of the smallest indirect buffer are what it sets. */
enum {
	GFX_HQD_CNTL = 0x00a00000,
	PQ_CONTROL = 0x00308509,
	PERSISTENT_STATE = 0x0be05501,
	IB_CONTROL = 0x00300000,
	MQD_CONTROL = 0x00000100,
};

/* Sets the report addresses and the control register of a queue (gfx_v11_0_compute_mqd_init,
 * _gfx_mqd_init). */
static void hqd_start_common(struct bw_uapi *u, const struct bw_drm_ring *ring)
{
	enum { EOP_DW = RING_EOP_B / 4 };
	uint64_t mqd = bw_drm_mc(u, ring->mqd_offset),
		 rptr = bw_drm_mc(u, ring->fence_offset + BW_DRM_RPTR_AT_B),
		 eop = bw_drm_mc(u, ring->fence_offset + BW_DRM_EOP_AT_B);
	hqd_write(u, ring, BW_REG_CP_MQD_BASE_ADDR, bw_lo32(mqd));
	hqd_write(u, ring, BW_REG_CP_MQD_BASE_ADDR_HI, bw_hi32(mqd));
	hqd_write(u, ring, BW_REG_CP_HQD_PQ_RPTR_REPORT_ADDR, bw_lo32(rptr));
	hqd_write(u, ring, BW_REG_CP_HQD_PQ_RPTR_REPORT_ADDR_HI, bw_hi32(rptr));
	if (!ring->me)
		return;
	hqd_write(u, ring, BW_REG_CP_HQD_EOP_BASE_ADDR, bw_lo_256b(eop));
	hqd_write(u, ring, BW_REG_CP_HQD_EOP_BASE_ADDR_HI, bw_hi_256b(eop));
	hqd_write(u, ring, BW_REG_CP_HQD_EOP_CONTROL,
		  BW_FIELD(CP_HQD_EOP_CONTROL, EOP_SIZE, __builtin_ctz(EOP_DW) - 1));
	hqd_write(u, ring, BW_REG_CP_HQD_PERSISTENT_STATE, PERSISTENT_STATE);
	hqd_write(u, ring, BW_REG_CP_HQD_IB_CONTROL, IB_CONTROL);
	hqd_write(u, ring, BW_REG_CP_MQD_CONTROL, MQD_CONTROL);
}

/* CP_GFX_HQD_CNTL of a graphics queue, whose block size and options have other places. */
static uint32_t pq_control(const struct bw_drm_ring *ring)
{
	/* 2^(n+1) dwords */
	const unsigned size = __builtin_ctz(RING_DW) - 1;
	if (!ring->me)
		return GFX_HQD_CNTL | BW_FIELD(CP_GFX_HQD_CNTL, RB_BUFSZ, size) |
		       BW_FIELD(CP_GFX_HQD_CNTL, RB_BLKSZ, size - 2);
	uint32_t v = BW_FIELD_SET(CP_HQD_PQ_CONTROL, QUEUE_SIZE, PQ_CONTROL, size);
	v = BW_FIELD_SET(CP_HQD_PQ_CONTROL, RPTR_BLOCK_SIZE, v, 9);
	return v | BW_FIELD_MASK(CP_HQD_PQ_CONTROL, UNORD_DISPATCH) |
	       BW_FIELD_MASK(CP_HQD_PQ_CONTROL, PRIV_STATE) |
	       BW_FIELD_MASK(CP_HQD_PQ_CONTROL, KMD_QUEUE);
}

/* amdgpu_ring_clear_ring, with gfx_v11_0_ring_funcs_*.nop */
static void clear(struct bw_uapi *u, const struct bw_drm_ring *ring)
{
	uint32_t *packets = bw_drm_vram_cpu(u, ring->offset);
	for (size_t i = 0; i < RING_DW; i++)
		__atomic_store_n(&packets[i], BW_PM4_NOP_1DW, __ATOMIC_RELAXED);
}

static void hqd_start(struct bw_uapi *u, struct bw_drm_ring *ring)
{
	uint64_t base = bw_drm_mc(u, ring->offset);
	clear(u, ring);
	ring->wptr = 0;
	hqd_write(u, ring, BW_REG_CP_HQD_ACTIVE, 0);
	hqd_write(u, ring, BW_REG_CP_HQD_DEQUEUE_REQUEST, 0);
	hqd_write(u, ring, BW_REG_CP_HQD_VMID, 0);
	hqd_write(u, ring, BW_REG_CP_HQD_PQ_BASE, bw_lo_256b(base));
	hqd_write(u, ring, BW_REG_CP_HQD_PQ_BASE_HI, bw_hi_256b(base));
	hqd_write(u, ring, BW_REG_CP_HQD_PQ_RPTR, 0);
	hqd_write(u, ring, BW_REG_CP_HQD_PQ_WPTR_LO, 0);
	hqd_write(u, ring, BW_REG_CP_HQD_PQ_WPTR_HI, 0);
	hqd_start_common(u, ring);
	hqd_write(u, ring, BW_REG_CP_HQD_PQ_CONTROL, pq_control(ring));
	hqd_write(u, ring, BW_REG_CP_HQD_PQ_DOORBELL_CONTROL,
		  BW_FIELD(CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_OFFSET, ring->doorbell_dw) |
			  BW_FIELD_MASK(CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_EN));
	hqd_write(u, ring, BW_REG_CP_HQD_ACTIVE, 1);
	mqd_fill(u, ring);
}

/* Throws away what the queue is doing; false: it does not come to an end. */
static bool hqd_stop(struct bw_uapi *u, struct bw_drm_ring *ring)
{
	hqd_write(u, ring, BW_REG_CP_HQD_DEQUEUE_REQUEST, DEQUEUE_RESET_WAVES);
	int64_t until = bw_now_ns() + 200 * 1000000;
	while (hqd_read(u, ring, BW_REG_CP_HQD_ACTIVE) & 1) {
		if (bw_now_ns() > until)
			return false;
		struct timespec nap = {0, 500000};
		nanosleep(&nap, NULL);
	}
	return true;
}

static void start(struct bw_uapi *u, struct bw_drm_ring *ring)
{
	if (ring->is_sdma)
		bw_drm_sdma_start(u, ring);
	else
		hqd_start(u, ring);
}

int bw_drm_ring_init(struct bw_uapi *u, unsigned index)
{
	struct bw_drm_ring *ring = &u->rings[index];
	ring->name = places[index].name;
	ring->me = places[index].me;
	ring->pipe = places[index].pipe;
	ring->is_sdma = index >= BW_DRM_FIRST_SDMA;
	if (ring->is_sdma)
		ring->doorbell_dw = 2 * (DOORBELL_SDMA + ring->pipe * DOORBELL_SDMA_STRIDE);
	else
		ring->doorbell_dw = 2 * (index ? DOORBELL_MEC + index - 1 : DOORBELL_GFX);
	int r = bw_drm_vram_alloc(u, RING_DW * 4, BW_DRM_PAGE_B, &ring->offset);
	if (!r)
		r = bw_drm_vram_alloc(u, BW_DRM_PAGE_B, BW_DRM_PAGE_B, &ring->fence_offset);
	if (!r && !ring->is_sdma)
		r = bw_drm_vram_alloc(u, BW_DRM_PAGE_B, BW_DRM_PAGE_B, &ring->mqd_offset);
	if (r)
		return r;
	const struct bw_check_engine engine = {(uint8_t)ring->me, (uint8_t)ring->pipe,
					       ring->is_sdma, true};
	bw_check_ring(bw_device_check(u->dev), index, engine,
		      bw_drm_vram_cpu(u, ring->fence_offset));
	start(u, ring);
	return 0;
}

/* Everything of a VMID, as gmc_v11_0_get_invalidate_req says it. */
uint32_t bw_drm_invalidate_req(unsigned vmid)
{
	return BW_FIELD(GCVM_INVALIDATE_ENG0_REQ, PER_VMID_INVALIDATE_REQ, 1u << vmid) |
	       BW_FIELD_MASK(GCVM_INVALIDATE_ENG0_REQ, INVALIDATE_L2_PTES) |
	       BW_FIELD_MASK(GCVM_INVALIDATE_ENG0_REQ, INVALIDATE_L2_PDE0) |
	       BW_FIELD_MASK(GCVM_INVALIDATE_ENG0_REQ, INVALIDATE_L2_PDE1) |
	       BW_FIELD_MASK(GCVM_INVALIDATE_ENG0_REQ, INVALIDATE_L2_PDE2) |
	       BW_FIELD_MASK(GCVM_INVALIDATE_ENG0_REQ, INVALIDATE_L1_PTES);
}

/* Page-table base, PASID, invalidation and its acknowledgement (gmc_v11_0_emit_flush_gpu_tlb and
 * _emit_pasid_mapping). Each ring has an invalidation engine to itself. */
void bw_drm_put_vm_flush(struct bw_uapi *u, struct bw_drm_ring *ring, const struct bw_drm_vm *vm,
			 const struct bw_drm_reg_packets *put)
{
	struct bw_pm4_stream *s = &ring->stream;
	uint64_t root = bw_drm_pt_root_entry(vm);
	unsigned vmid = vm->vmid, engine = (unsigned)(ring - u->rings);
	put->write(s, bw_drm_reg(u, BW_REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 + vmid),
		   bw_lo32(root));
	put->write(s, bw_drm_reg(u, BW_REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32 + vmid),
		   bw_hi32(root));
	put->write(s, bw_drm_reg(u, BW_REG_IH_VMID_0_LUT + vmid), vm->pasid);
	put->write(s, bw_drm_reg(u, BW_REG_GCVM_INVALIDATE_ENG0_REQ + engine),
		   bw_drm_invalidate_req(vmid));
	put->wait(s, bw_drm_reg(u, BW_REG_GCVM_INVALIDATE_ENG0_ACK + engine), 1u << vmid,
		  1u << vmid);
}

static void put_vm_flush(struct bw_uapi *u, struct bw_drm_ring *ring, const struct bw_drm_vm *vm)
{
	static const struct bw_drm_reg_packets pm4 = {bw_pm4_put_write_reg, bw_pm4_put_wait_reg};
	struct bw_pm4_stream *s = &ring->stream;
	bw_drm_put_vm_flush(u, ring, vm, &pm4);
	if (!ring->me) {
		bw_pm4_put_header(s, BW_PM4_PFP_SYNC_ME, 1);
		bw_pm4_put(s, 0);
	}
}

/* GCR_CNTL of gfx_v11_0_emit_mem_sync: what a job before this one may have left in caches. */
enum {
	GCR_ALL = BW_PM4_GCR_GLI_INV_ALL | BW_PM4_GCR_GLM_WB | BW_PM4_GCR_GLM_INV |
		  BW_PM4_GCR_GLK_INV | BW_PM4_GCR_GLV_INV | BW_PM4_GCR_GL1_INV |
		  BW_PM4_GCR_GL2_INV | BW_PM4_GCR_GL2_WB
};

static void put_job(struct bw_uapi *u, struct bw_drm_ring *ring, struct bw_drm_job *job, bool flush)
{
	struct bw_pm4_stream *s = &ring->stream;
	if (flush)
		put_vm_flush(u, ring, job->vm);
	if (job->stomp.what)
		bw_device_put_stomp(s, &job->stomp);
	for (unsigned i = 0; i < job->n_ibs; i++) {
		const struct bw_drm_ib *ib = &job->ibs[i];
		if (ib->flags & AMDGPU_IB_FLAG_EMIT_MEM_SYNC)
			bw_pm4_put_acquire(s, GCR_ALL);
		if (ib->dw)
			bw_pm4_put_indirect_buffer(s, ib->va & BW_VA_MASK & ~3ull, ib->dw,
						   job->vm->vmid, false);
	}
	if (job->stomp.what)
		bw_device_put_stomp(s, NULL);
	bw_pm4_put_fence(s, bw_drm_mc(u, ring->fence_offset), job->ring_seq, true);
}

/* Pads up to the beginning of the next submission: amdgpu_ring_commit with gfx_v11_ring_insert_nop,
 * which makes the words after the first header one packet with it, and
 * sdma_v6_0_ring_insert_nop. */
static void put_padding(struct bw_drm_ring *ring)
{
	struct bw_pm4_stream *s = &ring->stream;
	uint32_t align = ring->is_sdma ? SDMA_ALIGN_DW : CP_ALIGN_DW;
	uint32_t n = -(uint32_t)(ring->wptr + s->len) & (align - 1);
	if (ring->is_sdma) {
		bw_sdma_put_nops(s, n);
	} else if (n) {
		if (n > 1)
			bw_pm4_put_header(s, BW_PM4_NOP, n - 1);
		bw_pm4_put_copies(s, BW_PM4_NOP_1DW, n > 1 ? n - 1 : 1);
	}
}

bool bw_drm_ring_emit(struct bw_uapi *u, struct bw_drm_ring *ring, struct bw_drm_job *job,
		      bool flush)
{
	struct bw_pm4_stream *s = &ring->stream;
	s->len = 0;
	s->failed = false;
	if (ring->is_sdma)
		bw_drm_sdma_put_job(u, ring, job, flush);
	else
		put_job(u, ring, job, flush);
	put_padding(ring);
	if (s->failed)
		return false;
	uint32_t *packets = bw_drm_vram_cpu(u, ring->offset);
	const uint64_t wptr = ring->wptr;
	const size_t n = s->len;
	for (size_t i = 0; i < n; i++)
		__atomic_store_n(&packets[(wptr + i) % RING_DW], s->data[i], __ATOMIC_RELAXED);
	ring->wptr += n;
	/* The pointers of SDMA count bytes. */
	bw_device_doorbell(u->dev, ring->doorbell_dw, ring->wptr * (ring->is_sdma ? 4 : 1));
	return true;
}

uint64_t bw_drm_ring_signaled(struct bw_uapi *u, const struct bw_drm_ring *ring)
{
	/* Others may write there. A fence that was never put on the ring has not ended. */
	uint64_t fence = __atomic_load_n((uint64_t *)bw_drm_vram_cpu(u, ring->fence_offset),
					 __ATOMIC_ACQUIRE);
	return fence <= ring->emitted ? fence : ring->signaled;
}

bool bw_drm_ring_stopped(struct bw_uapi *u, const struct bw_drm_ring *ring)
{
	if (ring->is_sdma)
		return bw_device_sdma_error(u->dev, ring->pipe, 0, NULL, 0);
	return hqd_read(u, ring, BW_REG_CP_HQD_ERROR) != 0;
}

void bw_drm_ring_pointers(struct bw_uapi *u, const struct bw_drm_ring *ring, uint64_t *out_rptr,
			  uint64_t *out_wptr)
{
	if (ring->is_sdma) {
		bw_drm_sdma_pointers(u, ring, out_rptr, out_wptr);
		return;
	}
	*out_rptr = hqd_read(u, ring, BW_REG_CP_HQD_PQ_RPTR);
	*out_wptr = hqd_read(u, ring, BW_REG_CP_HQD_PQ_WPTR_LO);
}

bool bw_drm_ring_restart(struct bw_uapi *u, struct bw_drm_ring *ring, uint64_t ended)
{
	if (ring->is_sdma ? !bw_drm_sdma_stop(u, ring) : !hqd_stop(u, ring))
		return false;
	__atomic_store_n((uint64_t *)bw_drm_vram_cpu(u, ring->fence_offset), ended,
			 __ATOMIC_RELEASE);
	start(u, ring);
	return true;
}
