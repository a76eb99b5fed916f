/* SPDX-License-Identifier: MIT */
/* The rings of the SDMA engines: how they are set up, and what is put on them around each job
 * (sdma_v6_0.c of 6.12). */
#include <time.h>

#include "pm4/sdma.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/uapi_priv.h"

enum { IB_FLAG_EMIT_MEM_SYNC = 1 << 6 };

/* Numbers of the engines' registers lie side by side. */
#define WRITE(name, value) bw_wreg(u, BW_REG_SDMA0_QUEUE0_##name + ring->pipe, value)
#define READ(name) bw_rreg(u, BW_REG_SDMA0_QUEUE0_##name + ring->pipe)

void bw_drm_sdma_start(struct bw_uapi *u, struct bw_drm_ring *ring)
{
	uint64_t base = bw_drm_mc(u, ring->offset) >> 8;
	ring->wptr = 0;
	bw_wreg(u, BW_REG_SDMA0_CNTL + ring->pipe, BW_FIELD_MASK(SDMA0_CNTL, TRAP_ENABLE));
	WRITE(RB_RPTR, 0);
	WRITE(RB_RPTR_HI, 0);
	WRITE(RB_WPTR, 0);
	WRITE(RB_WPTR_HI, 0);
	WRITE(RB_BASE, (uint32_t)base);
	WRITE(RB_BASE_HI, (uint32_t)(base >> 32));
	WRITE(DOORBELL_OFFSET, BW_FIELD(SDMA0_QUEUE0_DOORBELL_OFFSET, OFFSET, ring->doorbell_dw));
	WRITE(DOORBELL, BW_FIELD_MASK(SDMA0_QUEUE0_DOORBELL, ENABLE));
	WRITE(RB_CNTL,
	      BW_FIELD_MASK(SDMA0_QUEUE0_RB_CNTL, RB_ENABLE) |
		      BW_FIELD(SDMA0_QUEUE0_RB_CNTL, RB_SIZE, __builtin_ctz(BW_DRM_RING_DW)) |
		      BW_FIELD_MASK(SDMA0_QUEUE0_RB_CNTL, RB_PRIV));
	WRITE(IB_CNTL, BW_FIELD_MASK(SDMA0_QUEUE0_IB_CNTL, IB_ENABLE));
}

/* The registers count bytes. */
void bw_drm_sdma_pointers(struct bw_uapi *u, const struct bw_drm_ring *ring, uint64_t *out_rptr,
			  uint64_t *out_wptr)
{
	*out_rptr = READ(RB_RPTR) / 4;
	*out_wptr = READ(RB_WPTR) / 4;
}

bool bw_drm_sdma_stop(struct bw_uapi *u, struct bw_drm_ring *ring)
{
	int64_t until = bw_now_ns() + 200 * 1000000;
	WRITE(RB_CNTL, 0);
	const uint32_t idle = BW_FIELD_MASK(SDMA0_QUEUE0_CONTEXT_STATUS, IDLE),
		       selected = BW_FIELD_MASK(SDMA0_QUEUE0_CONTEXT_STATUS, SELECTED);
	while ((READ(CONTEXT_STATUS) & (idle | selected)) != idle) {
		if (bw_now_ns() > until)
			return false;
		struct timespec nap = {0, 500000};
		nanosleep(&nap, NULL);
	}
	return true;
}

/* ---- packets ---- */

static void put(struct bw_drm_ring *ring, uint32_t dw)
{
	bw_pm4_put(&ring->stream, dw);
}

static void put_write_reg(struct bw_drm_ring *ring, uint32_t addr_dw, uint32_t value)
{
	put(ring, BW_SDMA_SRBM_WRITE | 0xfu << 28); /* all bytes */
	put(ring, addr_dw);
	put(ring, value);
}

static void put_wait_reg(struct bw_drm_ring *ring, uint32_t addr_dw, uint32_t ref, uint32_t mask)
{
	put(ring, BW_SDMA_POLL_REGMEM | 3u << 28); /* equal */
	put(ring, addr_dw << 2);
	put(ring, 0);
	put(ring, ref);
	put(ring, mask);
	put(ring, 0xfffu << 16 | 10); /* as often as it takes, every 10 clocks */
}

/* gmc_v11_0_emit_flush_gpu_tlb and _emit_pasid_mapping */
static void put_vm_flush(struct bw_uapi *u, struct bw_drm_ring *ring, const struct bw_drm_vm *vm)
{
	uint64_t root = bw_drm_pt_root_entry(vm);
	unsigned vmid = vm->vmid, engine = (unsigned)(ring - u->rings);
	put_write_reg(ring, bw_drm_reg(u, BW_REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 + vmid),
		      (uint32_t)root);
	put_write_reg(ring, bw_drm_reg(u, BW_REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32 + vmid),
		      (uint32_t)(root >> 32));
	put_write_reg(ring, bw_drm_reg(u, BW_REG_IH_VMID_0_LUT + vmid), vm->pasid);
	put_write_reg(ring, bw_drm_reg(u, BW_REG_GCVM_INVALIDATE_ENG0_REQ + engine),
		      bw_drm_invalidate_req(vmid));
	put_wait_reg(ring, bw_drm_reg(u, BW_REG_GCVM_INVALIDATE_ENG0_ACK + engine), 1u << vmid,
		     1u << vmid);
}

static void put_mem_sync(struct bw_drm_ring *ring)
{
	const uint32_t gcr = BW_PM4_GCR_GLI_INV_ALL | BW_PM4_GCR_GLM_INV | BW_PM4_GCR_GLK_INV |
			     BW_PM4_GCR_GLV_INV | BW_PM4_GCR_GL1_INV | BW_PM4_GCR_GL2_INV |
			     BW_PM4_GCR_GL2_WB;
	put(ring, BW_SDMA_GCR_REQ);
	put(ring, 0);
	put(ring, (gcr & 0xffff) << 16);
	put(ring, gcr >> 16);
	put(ring, 0);
}

static void put_fence(struct bw_drm_ring *ring, uint64_t mc, uint32_t value)
{
	put(ring, BW_SDMA_FENCE | 3 << 16); /* MTYPE uncached */
	put(ring, (uint32_t)mc);
	put(ring, (uint32_t)(mc >> 32));
	put(ring, value);
}

void bw_drm_sdma_put_job(struct bw_uapi *u, struct bw_drm_ring *ring, struct bw_drm_job *job,
			 bool flush)
{
	if (flush)
		put_vm_flush(u, ring, job->vm);
	for (unsigned i = 0; i < job->n_ibs; i++) {
		const struct bw_drm_ib *ib = &job->ibs[i];
		uint64_t va = ib->va & BW_VA_MASK;
		if (ib->flags & IB_FLAG_EMIT_MEM_SYNC)
			put_mem_sync(ring);
		if (!ib->dw)
			continue;
		/* The packet ends at a multiple of 8 dwords of the ring. */
		while ((ring->wptr + ring->stream.len + 6) % 8 && !ring->stream.failed)
			put(ring, BW_SDMA_NOP);
		put(ring, BW_SDMA_INDIRECT | job->vm->vmid << 16);
		put(ring, (uint32_t)va & ~0x1fu);
		put(ring, (uint32_t)(va >> 32));
		put(ring, ib->dw);
		put(ring, 0);
		put(ring, 0);
	}
	/* The high half last: between the two the fence is never ahead of what is done. */
	uint64_t mc = bw_drm_mc(u, ring->fence_offset);
	put_fence(ring, mc, (uint32_t)job->ring_seq);
	put_fence(ring, mc + 4, (uint32_t)(job->ring_seq >> 32));
	put(ring, BW_SDMA_TRAP);
	put(ring, 0);
}
