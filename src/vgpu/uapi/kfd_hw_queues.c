/* SPDX-License-Identifier: MIT */
/* Queues of the hardware that the driver's own rings leave free, mapped by their registers as Linux
 * does it without a scheduler (amdgpu_amdkfd_gfx_v11.c): of ME 1 for packets PM4 and AQL, of the
 * SDMA engines for theirs. */
#include <errno.h>

#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/kfd_queues.h"

enum {
	FIRST_QUEUE = 1, /* queue 0 of each pipe and engine is a ring of the driver (ring.c) */
	N_PIPES = 4,
	N_QUEUES = 8,
	N_SDMA_QUEUES = 4,
};

/* ---- of ME 1 ---- */

static struct bw_bank bank_of(const struct bw_kfd_queue *q)
{
	return (struct bw_bank){.use_srbm = true, .me = 1, .pipe = q->pipe, .queue = q->queue};
}

static void hqd_write(const struct bw_kfd_queue *q, enum bw_register reg, uint32_t value)
{
	const struct bw_bank bank = bank_of(q);
	bw_wreg_bank(q->process->u, &bank, reg, value);
}

static bool hqd_is_active(const struct bw_kfd_queue *q)
{
	const struct bw_bank bank = bank_of(q);
	return bw_rreg_bank(q->process->u, &bank, BW_REG_CP_HQD_ACTIVE);
}

static void hqd_set_cus(const struct bw_kfd_queue *q)
{
	for (unsigned se = 0; se < q->process->u->profile->n_se; se++)
		hqd_write(q, BW_REG_COMPUTE_STATIC_THREAD_MGMT_SE0 + se, q->se_mask[se]);
}

/* As kfd_mqd_manager_v11.c fills the descriptor of a queue. */
static void hqd_map(const struct bw_kfd_queue *q)
{
	enum { IN_PACKETS = 2 };
	unsigned log_dw = (unsigned)__builtin_ctz(q->ring_b / 4);
	uint32_t control = BW_FIELD(CP_HQD_PQ_CONTROL, QUEUE_SIZE, log_dw - 1) |
			   BW_FIELD(CP_HQD_PQ_CONTROL, RPTR_BLOCK_SIZE, 5) |
			   BW_FIELD(CP_HQD_PQ_CONTROL, UNORD_DISPATCH, 1);
	if (q->kind == BW_KFD_AQL)
		control |= BW_FIELD(CP_HQD_PQ_CONTROL, SLOT_BASED_WPTR, IN_PACKETS) |
			   BW_FIELD(CP_HQD_PQ_CONTROL, NO_UPDATE_RPTR, 1);
	hqd_write(q, BW_REG_CP_HQD_ACTIVE, 0);
	hqd_write(q, BW_REG_CP_HQD_DEQUEUE_REQUEST, 0);
	hqd_write(q, BW_REG_CP_HQD_VMID, BW_FIELD(CP_HQD_VMID, VMID, q->process->vmid));
	hqd_write(q, BW_REG_CP_HQD_PQ_BASE, bw_lo_256b(q->ring_va));
	hqd_write(q, BW_REG_CP_HQD_PQ_BASE_HI, bw_hi_256b(q->ring_va));
	if (!q->was_mapped) {
		hqd_write(q, BW_REG_CP_HQD_CTX_SAVE_SIZE, 0); /* not that of the queue before */
		hqd_write(q, BW_REG_CP_HQD_CNTL_STACK_SIZE, 0);
		hqd_write(q, BW_REG_CP_HQD_PQ_RPTR, 0);
		hqd_write(q, BW_REG_CP_HQD_PQ_WPTR_LO, 0);
		hqd_write(q, BW_REG_CP_HQD_PQ_WPTR_HI, 0);
	}
	hqd_write(q, BW_REG_CP_HQD_PQ_RPTR_REPORT_ADDR, bw_lo32(q->rptr_va));
	hqd_write(q, BW_REG_CP_HQD_PQ_RPTR_REPORT_ADDR_HI, bw_hi32(q->rptr_va));
	hqd_write(q, BW_REG_CP_HQD_PQ_WPTR_POLL_ADDR, bw_lo32(q->wptr_va));
	hqd_write(q, BW_REG_CP_HQD_PQ_WPTR_POLL_ADDR_HI, bw_hi32(q->wptr_va));
	hqd_write(q, BW_REG_CP_HQD_PQ_CONTROL, control);
	hqd_write(q, BW_REG_CP_HQD_PQ_DOORBELL_CONTROL,
		  BW_FIELD(CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_OFFSET, bw_kfd_doorbell_dw(q)) |
			  BW_FIELD_MASK(CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_EN));
	hqd_set_cus(q); /* not the mask that the queue before has left */
	hqd_write(q, BW_REG_CP_HQD_ACTIVE, 1);
}

bool bw_kfd_has_save_area(const struct bw_kfd_queue *q)
{
	return q->kind == BW_KFD_AQL && q->save_area && q->save_area % BW_DRM_PAGE_B == 0 &&
	       q->control_stack_b && q->save_area_b > q->control_stack_b;
}

/* As update_mqd() of kfd_mqd_manager_v11.c has it in the descriptor. */
static void hqd_set_save_area(const struct bw_kfd_queue *q)
{
	hqd_write(q, BW_REG_CP_HQD_CTX_SAVE_BASE_ADDR_LO, bw_lo32(q->save_area));
	hqd_write(q, BW_REG_CP_HQD_CTX_SAVE_BASE_ADDR_HI, bw_hi32(q->save_area));
	hqd_write(q, BW_REG_CP_HQD_CNTL_STACK_SIZE, q->control_stack_b);
	hqd_write(q, BW_REG_CP_HQD_CNTL_STACK_OFFSET, q->control_stack_b);
	hqd_write(q, BW_REG_CP_HQD_WG_STATE_OFFSET, q->control_stack_b);
	hqd_write(q, BW_REG_CP_HQD_CTX_SAVE_SIZE, q->save_area_b);
}

/* DEQUEUE_REQ as hqd_destroy() of amdgpu_amdkfd_gfx_v11.c has it. */
static void hqd_begin_to_unmap(const struct bw_kfd_queue *q, enum bw_kfd_unmap how)
{
	static const uint32_t requests[] = {
		[BW_KFD_AFTER_WAVES] = 1, [BW_KFD_WITH_WAVES] = 2, [BW_KFD_SAVE_WAVES] = 3};
	if (how == BW_KFD_SAVE_WAVES)
		hqd_set_save_area(q);
	hqd_write(q, BW_REG_CP_HQD_DEQUEUE_REQUEST,
		  BW_FIELD(CP_HQD_DEQUEUE_REQUEST, DEQUEUE_REQ, requests[how]));
}

static bool hqd_error(const struct bw_kfd_queue *q, char *out_text, size_t size)
{
	return bw_device_queue_error(q->process->u->dev, 1, q->pipe, q->queue, out_text, size);
}

/* ---- of SDMA engines ---- */

/* Numbers of all queues' registers of one name lie side by side, the engine's first. */
#define SDMA_REG(q, name)                                                                          \
	((enum bw_register)(BW_REG_SDMA0_QUEUE0_##name + (q)->queue * BW_DRM_N_SDMA + (q)->pipe))
#define SDMA_WRITE(q, name, value) bw_wreg((q)->process->u, SDMA_REG(q, name), value)

static bool sdma_is_active(const struct bw_kfd_queue *q)
{
	return BW_FIELD_GET(SDMA0_QUEUE0_CONTEXT_STATUS, SELECTED,
			    bw_rreg(q->process->u, SDMA_REG(q, CONTEXT_STATUS)));
}

/* As update_mqd_sdma() of kfd_mqd_manager_v11.c and hqd_sdma_load_v11(). */
static void sdma_map(const struct bw_kfd_queue *q)
{
	SDMA_WRITE(q, RB_CNTL, 0);
	if (!q->was_mapped) {
		SDMA_WRITE(q, RB_RPTR, 0);
		SDMA_WRITE(q, RB_RPTR_HI, 0);
		SDMA_WRITE(q, RB_WPTR, 0);
		SDMA_WRITE(q, RB_WPTR_HI, 0);
	}
	SDMA_WRITE(q, RB_BASE, bw_lo_256b(q->ring_va));
	SDMA_WRITE(q, RB_BASE_HI, bw_hi_256b(q->ring_va));
	SDMA_WRITE(q, RB_RPTR_ADDR_LO, bw_lo32(q->rptr_va));
	SDMA_WRITE(q, RB_RPTR_ADDR_HI, bw_hi32(q->rptr_va));
	SDMA_WRITE(q, DOORBELL_OFFSET,
		   BW_FIELD(SDMA0_QUEUE0_DOORBELL_OFFSET, OFFSET, bw_kfd_doorbell_dw(q)));
	SDMA_WRITE(q, DOORBELL, BW_FIELD_MASK(SDMA0_QUEUE0_DOORBELL, ENABLE));
	SDMA_WRITE(q, IB_CNTL, BW_FIELD_MASK(SDMA0_QUEUE0_IB_CNTL, IB_ENABLE));
	SDMA_WRITE(q, RB_CNTL,
		   BW_FIELD_MASK(SDMA0_QUEUE0_RB_CNTL, RB_ENABLE) |
			   BW_FIELD_MASK(SDMA0_QUEUE0_RB_CNTL, RPTR_WRITEBACK_ENABLE) |
			   BW_FIELD_MASK(SDMA0_QUEUE0_RB_CNTL, F32_WPTR_POLL_ENABLE) |
			   BW_FIELD(SDMA0_QUEUE0_RB_CNTL, RB_SIZE, __builtin_ctz(q->ring_b / 4)) |
			   BW_FIELD(SDMA0_QUEUE0_RB_CNTL, RB_VMID, q->process->vmid));
}

/* It ends with the packet at which it is. */
static void sdma_begin_to_unmap(const struct bw_kfd_queue *q, enum bw_kfd_unmap how)
{
	(void)how;
	SDMA_WRITE(q, RB_CNTL, 0);
}

static bool sdma_error(const struct bw_kfd_queue *q, char *out_text, size_t size)
{
	return bw_device_sdma_error(q->process->u->dev, q->pipe, q->queue, out_text, size);
}

/* ---- by kind ---- */

struct hardware {
	unsigned n_pipes, n_queues;
	void (*map)(const struct bw_kfd_queue *q);
	void (*begin_to_unmap)(const struct bw_kfd_queue *q, enum bw_kfd_unmap how);
	bool (*is_active)(const struct bw_kfd_queue *q);
	bool (*error)(const struct bw_kfd_queue *q, char *out_text, size_t size);
};

static const struct hardware *hardware_of(const struct bw_kfd_queue *q)
{
	static const struct hardware compute = {N_PIPES,       N_QUEUES,
						hqd_map,       hqd_begin_to_unmap,
						hqd_is_active, hqd_error},
				     sdma = {BW_DRM_N_SDMA,	  N_SDMA_QUEUES,  sdma_map,
					     sdma_begin_to_unmap, sdma_is_active, sdma_error};
	return q->kind == BW_KFD_SDMA ? &sdma : &compute;
}

/* The queues of a pipe or engine that are taken, as bits. */
static uint8_t *taken_of(const struct bw_kfd_queue *q, unsigned pipe)
{
	struct bw_uapi *u = q->process->u;
	return q->kind == BW_KFD_SDMA ? &u->kfd.taken_sdma[pipe] : &u->kfd.taken[pipe];
}

int bw_kfd_hw_take(struct bw_kfd_queue *q, int engine)
{
	const struct hardware *h = hardware_of(q);
	for (unsigned queue = FIRST_QUEUE; queue < h->n_queues; queue++) {
		for (unsigned pipe = 0; pipe < h->n_pipes; pipe++) {
			uint8_t *taken = taken_of(q, pipe);
			if (*taken >> queue & 1 || (engine >= 0 && (unsigned)engine != pipe))
				continue;
			*taken |= (uint8_t)(1 << queue);
			q->pipe = (uint8_t)pipe;
			q->queue = (uint8_t)queue;
			return 0;
		}
	}
	return -ENOMEM;
}

void bw_kfd_hw_release(const struct bw_kfd_queue *q)
{
	*taken_of(q, q->pipe) &= (uint8_t)~(1 << q->queue);
}

void bw_kfd_hw_map(struct bw_kfd_queue *q)
{
	hardware_of(q)->map(q);
	q->was_mapped = true;
}

void bw_kfd_hw_set_cus(const struct bw_kfd_queue *q)
{
	if (q->kind != BW_KFD_SDMA) /* has no waves: nothing, as in update_mqd_sdma() */
		hqd_set_cus(q);
}

void bw_kfd_hw_begin_to_unmap(const struct bw_kfd_queue *q, enum bw_kfd_unmap how)
{
	hardware_of(q)->begin_to_unmap(q, how);
}

bool bw_kfd_hw_is_active(const struct bw_kfd_queue *q)
{
	return hardware_of(q)->is_active(q);
}

bool bw_kfd_hw_error(const struct bw_kfd_queue *q, char *out_text, size_t size)
{
	return hardware_of(q)->error(q, out_text, size);
}

/* get_wave_state() of kfd_mqd_manager_v11.c: both parts are filled from their common end. */
void bw_kfd_hw_saved(const struct bw_kfd_queue *q, uint32_t out[4])
{
	const struct bw_bank bank = bank_of(q);
	uint32_t end_b = q->control_stack_b, stack_b = end_b, waves_b = end_b;
	if (q->kind != BW_KFD_SDMA &&
	    bw_rreg_bank(q->process->u, &bank, BW_REG_CP_HQD_CNTL_STACK_SIZE)) {
		stack_b = bw_rreg_bank(q->process->u, &bank, BW_REG_CP_HQD_CNTL_STACK_OFFSET);
		waves_b = bw_rreg_bank(q->process->u, &bank, BW_REG_CP_HQD_WG_STATE_OFFSET);
	}
	out[0] = stack_b;
	out[1] = end_b - BW_MIN(stack_b, end_b);
	out[2] = waves_b; /* where they end */
	out[3] = BW_MAX(waves_b, end_b) - end_b;
}
