/* SPDX-License-Identifier: MIT */
/* The rings of the SDMA engines: how they are set up, and what is put on them around each job
 * (sdma_v6_0.c of 6.12). */
#include <amdgpu_drm.h>
#include <time.h>

#include "base/util.h"
#include "pm4/sdma_build.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/uapi_priv.h"

/* The caches that AMDGPU_IB_FLAG_EMIT_MEM_SYNC writes back and invalidates. */
enum {
	MEM_SYNC_GCR = BW_PM4_GCR_GLI_INV_ALL | BW_PM4_GCR_GLM_INV | BW_PM4_GCR_GLK_INV |
		       BW_PM4_GCR_GLV_INV | BW_PM4_GCR_GL1_INV | BW_PM4_GCR_GL2_INV |
		       BW_PM4_GCR_GL2_WB
};

/* Numbers of the engines' registers lie side by side. */
#define WRITE(name, value) bw_wreg(u, BW_REG_SDMA0_QUEUE0_##name + ring->pipe, value)
#define READ(name) bw_rreg(u, BW_REG_SDMA0_QUEUE0_##name + ring->pipe)

void bw_drm_sdma_start(struct bw_uapi *u, struct bw_drm_ring *ring)
{
	uint64_t base = bw_drm_mc(u, ring->offset);
	ring->wptr = 0;
	bw_wreg(u, BW_REG_SDMA0_CNTL + ring->pipe, BW_FIELD_MASK(SDMA0_CNTL, TRAP_ENABLE));
	WRITE(RB_RPTR, 0);
	WRITE(RB_RPTR_HI, 0);
	WRITE(RB_WPTR, 0);
	WRITE(RB_WPTR_HI, 0);
	WRITE(RB_BASE, bw_lo_256b(base));
	WRITE(RB_BASE_HI, bw_hi_256b(base));
	WRITE(DOORBELL_OFFSET, BW_FIELD(SDMA0_QUEUE0_DOORBELL_OFFSET, OFFSET, ring->doorbell_dw));
	WRITE(DOORBELL, BW_FIELD_MASK(SDMA0_QUEUE0_DOORBELL, ENABLE));
	uint64_t rptr = bw_drm_mc(u, ring->fence_offset + BW_DRM_RPTR_AT_B);
	WRITE(RB_RPTR_ADDR_LO, bw_lo32(rptr));
	WRITE(RB_RPTR_ADDR_HI, bw_hi32(rptr));
	WRITE(RB_CNTL,
	      BW_FIELD_MASK(SDMA0_QUEUE0_RB_CNTL, RB_ENABLE) |
		      BW_FIELD_MASK(SDMA0_QUEUE0_RB_CNTL, RPTR_WRITEBACK_ENABLE) |
		      BW_FIELD_MASK(SDMA0_QUEUE0_RB_CNTL, F32_WPTR_POLL_ENABLE) |
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

void bw_drm_sdma_put_job(struct bw_uapi *u, struct bw_drm_ring *ring, struct bw_drm_job *job,
			 bool flush)
{
	struct bw_pm4_stream *s = &ring->stream;
	if (flush)
		bw_drm_put_vm_flush(
			u, ring, job->vm,
			&(struct bw_drm_reg_packets){bw_sdma_put_write_reg, bw_sdma_put_wait_reg});
	for (unsigned i = 0; i < job->n_ibs; i++) {
		const struct bw_drm_ib *ib = &job->ibs[i];
		uint64_t va = ib->va & BW_VA_MASK;
		if (ib->flags & AMDGPU_IB_FLAG_EMIT_MEM_SYNC)
			bw_sdma_put_gcr(s, MEM_SYNC_GCR);
		if (!ib->dw)
			continue;
		/* The packet ends at a multiple of 8 dwords of the ring. */
		bw_sdma_put_nops(s, -(uint32_t)(ring->wptr + s->len + BW_SDMA_INDIRECT_DW) % 8);
		bw_sdma_put_indirect(s, va, ib->dw, job->vm->vmid);
	}
	/* The high half last: between the two the fence is never ahead of what is done. */
	uint64_t mc = bw_drm_mc(u, ring->fence_offset);
	bw_sdma_put_fence(s, mc, bw_lo32(job->ring_seq));
	bw_sdma_put_fence(s, mc + 4, bw_hi32(job->ring_seq));
	bw_sdma_put_trap(s);
}
