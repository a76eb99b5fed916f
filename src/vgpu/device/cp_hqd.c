/* SPDX-License-Identifier: MIT */
/* Queues as registers, doorbells and queue descriptors (MQDs) set them up. */
#include "vgpu/device/aql.h"
#include "vgpu/device/cp_packets.h"
#include "vgpu/device/cp_priv.h"
#include "vgpu/device/draw.h"
#include "vgpu/device/cwsr.h"
#include "vgpu/device/register_own.h"

#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/util.h"

/* --- which queue --- */

struct bw_queue *bw_cp_queue(struct bw_device *dev, uint32_t me, uint32_t pipe, uint32_t queue)
{
	for (unsigned i = 0; i < BW_N_QUEUES; i++) {
		struct bw_queue *q = &dev->cp->queue[i];
		if (q->me == me && q->pipe == pipe && q->queue == queue)
			return q;
	}
	return NULL;
}

uint32_t bw_cp_sh_read(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw)
{
	struct bw_queue *q = bw_cp_queue(dev, b->me, b->pipe, b->queue);
	return q ? __atomic_load_n(&q->sh[addr_dw - BW_PM4_SH_BEGIN_DW], __ATOMIC_RELAXED) : 0;
}

uint32_t bw_cp_ring_dw(const struct bw_queue *q)
{
	/* QUEUE_SIZE has six bits, and rings of more than 2^32 dwords do not exist. */
	return 2u << (BW_HQD_FIELD(q, HQD_PQ_CONTROL, QUEUE_SIZE) % 32);
}

uint32_t bw_cp_hqd_read(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg)
{
	struct bw_queue *q = bw_cp_queue(dev, b->me, b->pipe, b->queue);
	if (!q)
		return 0;
	pthread_mutex_lock(&dev->cp->lock);
	uint64_t rptr = atomic_load(&q->rptr);
	uint32_t v;
	switch ((int)reg) {
	case BW_REG_CP_HQD_ACTIVE:
		v = q->active;
		break;
	case BW_REG_CP_HQD_PQ_RPTR:
		v = q->active ? (uint32_t)rptr & (bw_cp_ring_dw(q) - 1) : BW_HQD(q, HQD_PQ_RPTR);
		break;
	case BW_REG_CP_HQD_PQ_WPTR_LO:
		v = (uint32_t)q->wptr;
		break;
	case BW_REG_CP_HQD_PQ_WPTR_HI:
		v = bw_hi32(q->wptr);
		break;
	case BW_REG_CP_HQD_ERROR:
		v = atomic_load(&q->error);
		break;
	case BW_REG_CP_HQD_DEQUEUE_REQUEST:
		v = q->dequeue;
		break;
	default:
		v = q->hqd[reg - BW_REG_CP_MQD_BASE_ADDR];
		break;
	}
	pthread_mutex_unlock(&dev->cp->lock);
	return v;
}

/* CP_HQD_ACTIVE = 1: the queue exists from here on. */
static void activate(struct bw_queue *q)
{
	uint64_t wptr = bw_join32(BW_HQD(q, HQD_PQ_WPTR_HI), BW_HQD(q, HQD_PQ_WPTR_LO));
	uint32_t size = bw_cp_ring_dw(q);
	/* The read pointer register counts inside the ring, the write pointer does not: take the
	 * latest position that is not after the write pointer. */
	uint64_t rptr = (wptr & ~(uint64_t)(size - 1)) | (BW_HQD(q, HQD_PQ_RPTR) & (size - 1));
	if (rptr > wptr && rptr >= size)
		rptr -= size;
	atomic_store(&q->rptr, rptr);
	q->wptr = BW_MAX(wptr, rptr);
	q->depth = q->kept_depth;
	q->kept_depth = 0;
	q->polling = q->started = q->predicated = false;
	bw_draw_end(q);
	q->left_out = NULL;
	q->n_drawn = 0;
	memset(&q->task, 0, sizeof(q->task));
	memset(&q->aql, 0, sizeof(q->aql));
	memset(&q->stomp, 0, sizeof(q->stomp));
	atomic_store(&q->error, BW_QUEUE_OK);
	q->why[0] = '\0';
	q->grbm_gfx_index = BW_GRBM_BROADCAST;
	atomic_store(&q->suspended, false);
	q->active = true;
}

/* The queue that a write selects; NULL: there is none, which is logged. */
static struct bw_queue *written_queue(struct bw_device *dev, const struct bw_bank_sel *b)
{
	struct bw_queue *q = bw_cp_queue(dev, b->me, b->pipe, b->queue);
	if (!q)
		BW_LOG(WARN, "vgpu",
		       "write to a register of ME %u pipe %u queue %u, which does not exist", b->me,
		       b->pipe, b->queue);
	return q;
}

void bw_cp_sh_write(struct bw_device *dev, const struct bw_bank_sel *b, uint32_t addr_dw,
		    uint32_t value)
{
	struct bw_queue *q = written_queue(dev, b);
	if (q)
		__atomic_store_n(&q->sh[addr_dw - BW_PM4_SH_BEGIN_DW], value, __ATOMIC_RELAXED);
}

void bw_cp_hqd_write(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg,
		     uint32_t value)
{
	struct bw_queue *q = written_queue(dev, b);
	if (!q)
		return;
	bool kick = false;
	pthread_mutex_lock(&dev->cp->lock);
	switch ((int)reg) {
	case BW_REG_CP_HQD_ACTIVE:
		if (BW_FIELD_GET(CP_HQD_ACTIVE, ACTIVE, value) && !q->active)
			activate(q), kick = true;
		else if (!BW_FIELD_GET(CP_HQD_ACTIVE, ACTIVE, value) && q->active)
			q->dequeue = BW_DEQUEUE_DRAIN, kick = true;
		break;
	case BW_REG_CP_HQD_DEQUEUE_REQUEST:
		if (q->active && BW_FIELD_GET(CP_HQD_DEQUEUE_REQUEST, DEQUEUE_REQ, value)) {
			q->dequeue = BW_FIELD_GET(CP_HQD_DEQUEUE_REQUEST, DEQUEUE_REQ, value);
			kick = true;
		}
		break;
	case BW_REG_CP_HQD_PQ_WPTR_LO:
	case BW_REG_CP_HQD_PQ_WPTR_HI:
		q->hqd[reg - BW_REG_CP_MQD_BASE_ADDR] = value;
		q->wptr = bw_join32(BW_HQD(q, HQD_PQ_WPTR_HI), BW_HQD(q, HQD_PQ_WPTR_LO));
		kick = true;
		break;
	case BW_REG_CP_HQD_ERROR:
		break;
	case BW_REG_CP_HQD_PQ_RPTR: /* the driver says where it begins */
		q->kept_depth = 0;
		/* fallthrough */
	default:
		q->hqd[reg - BW_REG_CP_MQD_BASE_ADDR] = value;
		break;
	}
	pthread_mutex_unlock(&dev->cp->lock);
	if (kick)
		bw_cp_kick(dev);
}

static bool hears(const struct bw_queue *q, uint32_t index_dw)
{
	uint32_t db = BW_HQD(q, HQD_PQ_DOORBELL_CONTROL);
	return BW_FIELD_GET(CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_EN, db) &&
	       BW_FIELD_GET(CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_OFFSET, db) == index_dw;
}

bool bw_cp_doorbell(struct bw_device *dev, uint32_t index_dw, uint64_t value)
{
	bool found = false;
	pthread_mutex_lock(&dev->cp->lock);
	for (unsigned i = 0; i < BW_N_QUEUES && !found; i++) {
		struct bw_queue *q = &dev->cp->queue[i];
		if (!q->active || !hears(q, index_dw))
			continue;
		found = true;
		if (bw_is_aql(q)) /* its write index is in memory */
			continue;
		q->wptr = value;
		BW_HQD(q, HQD_PQ_WPTR_LO) = (uint32_t)value;
		BW_HQD(q, HQD_PQ_WPTR_HI) = bw_hi32(value);
	}
	pthread_mutex_unlock(&dev->cp->lock);
	if (found)
		bw_cp_kick(dev);
	return found;
}

/* --- resets --- */

/* Whether some queue of the pipes is still there; those that are not have pointers of 0. */
static bool reset_queues(struct bw_cp *cp, unsigned me, uint32_t pipes)
{
	bool left = false;
	pthread_mutex_lock(&cp->lock);
	for (unsigned i = 0; i < BW_N_QUEUES; i++) {
		struct bw_queue *q = &cp->queue[i];
		if (q->me != me || !bw_bit_is_set(pipes, q->pipe))
			continue;
		left |= q->active;
		if (q->active)
			q->dequeue = BW_DEQUEUE_RESET;
		else
			BW_HQD(q, HQD_PQ_RPTR) = BW_HQD(q, HQD_PQ_WPTR_LO) =
				BW_HQD(q, HQD_PQ_WPTR_HI) = 0;
	}
	pthread_mutex_unlock(&cp->lock);
	return left;
}

void bw_cp_reset_pipes(struct bw_device *dev, unsigned me, uint32_t pipes)
{
	enum { TRIES = 500 };
	const struct timespec nap = {0, 200000};
	for (unsigned i = 0; i < TRIES && reset_queues(dev->cp, me, pipes); i++) {
		bw_cp_kick(dev);
		if (bw_device_is_cp_thread(dev))
			return; /* which ends them in its next turns */
		nanosleep(&nap, NULL);
	}
}

/* --- queue descriptors --- */

enum {
	/* v11_compute_mqd, in dwords: the registers of programs and those of the queue, each in the
	 * order of their addresses. v11_gfx_mqd has the queue's main registers at the same
	 * places. */
	MQD_COMPUTE = 1,
	MQD_N_COMPUTE = 80,
	MQD_HQD = 128,
	MQD_N_HQD = 64,
	MQD_DW = MQD_HQD + MQD_N_HQD,
};

static uint32_t hqd_offset(const struct bw_device *dev, enum bw_register reg)
{
	return bw_reg_addr(dev, reg) - bw_reg_addr(dev, BW_REG_CP_MQD_BASE_ADDR);
}

/* Registers that both kinds of descriptors have. */
static bool in_every_mqd(enum bw_register reg)
{
	return (reg >= BW_REG_CP_MQD_BASE_ADDR && reg <= BW_REG_CP_MQD_BASE_ADDR_HI) ||
	       (reg >= BW_REG_CP_HQD_PQ_BASE && reg <= BW_REG_CP_HQD_PQ_CONTROL);
}

static void load(struct bw_queue *q, const uint32_t mqd[MQD_DW], const struct bw_queue_map *m)
{
	struct bw_device *dev = q->dev;
	bool compute = q->me != 0;
	q->kept_depth = 0;
	for (unsigned r = BW_REG_CP_MQD_BASE_ADDR; r <= BW_REG_CP_HQD_DEQUEUE_STATUS; r++) {
		uint32_t at = hqd_offset(dev, r);
		q->hqd[r - BW_REG_CP_MQD_BASE_ADDR] =
			at < MQD_N_HQD && (compute || in_every_mqd(r))
				? bw_own_queue_word(dev, r, mqd[MQD_HQD + at])
				: 0;
	}
	BW_HQD(q, HQD_VMID) = BW_FIELD(CP_HQD_VMID, VMID, m->vmid);
	BW_HQD(q, HQD_PQ_DOORBELL_CONTROL) =
		BW_FIELD(CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_OFFSET, m->doorbell_dw) |
		BW_FIELD_MASK(CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_EN);
	if (!compute)
		return;
	uint32_t first = bw_reg_addr(dev, BW_REG_COMPUTE_DISPATCH_INITIATOR) - BW_PM4_SH_BEGIN_DW;
	for (unsigned i = 0; i < MQD_N_COMPUTE; i++)
		if (first + i < BW_PM4_N_SH)
			q->sh[first + i] = mqd[MQD_COMPUTE + i];
}

uint64_t bw_cp_stored_wptr(struct bw_device *dev, const struct bw_queue_map *m)
{
	struct bw_vm_fault fault;
	uint64_t va = bw_canonical(m->wptr_va) & ~7ull;
	const uint64_t *host =
		!va ? NULL
		    : (const void *)bw_tlb_lookup(bw_cp_tlb(dev, m->wptr_vmid), va,
						  BW_ACCESS_READ | BW_ACCESS_PROBE, &fault);
	return host ? __atomic_load_n(host, __ATOMIC_ACQUIRE) : 0;
}

enum bw_cp_result bw_cp_map_queue(struct bw_queue *by, struct bw_queue *q,
				  const struct bw_queue_map *m)
{
	struct bw_cp *cp = by->dev->cp;
	uint32_t mqd[MQD_DW];
	if (q == by || atomic_load(&q->n_inflight))
		return BW_CP_POLL;
	if (!bw_cp_mem_read(by, m->mqd_va, mqd, sizeof(mqd)))
		return BW_CP_STOP;
	uint64_t wptr = bw_cp_stored_wptr(by->dev, m);
	pthread_mutex_lock(&cp->lock);
	load(q, mqd, m);
	BW_HQD(q, HQD_PQ_WPTR_LO) = bw_lo32(wptr);
	BW_HQD(q, HQD_PQ_WPTR_HI) = bw_hi32(wptr);
	q->mqd_va = m->mqd_va;
	q->dequeue = 0;
	activate(q);
	if (m->skips)
		atomic_store(&q->rptr, q->wptr);
	pthread_mutex_unlock(&cp->lock);
	bw_cp_kick(by->dev);
	return BW_CP_DONE;
}

/* Writes a queue's register into the descriptor that it was mapped from. */
static bool write_mqd(struct bw_queue *by, uint64_t mqd_va, enum bw_register reg, uint32_t value)
{
	uint64_t at = MQD_HQD + hqd_offset(by->dev, reg);
	return bw_cp_mem_write(by, mqd_va + at * 4, &value, 4);
}

enum bw_cp_result bw_cp_unmap_queue(struct bw_queue *by, struct bw_queue *q,
				    enum bw_dequeue request)
{
	struct bw_cp *cp = by->dev->cp;
	pthread_mutex_lock(&cp->lock);
	bool active = q->active;
	uint64_t mqd_va = q->mqd_va;
	if (active)
		q->dequeue = q->dequeue == BW_DEQUEUE_RESET ? q->dequeue : request;
	else
		q->mqd_va = 0;
	uint32_t rptr = BW_HQD(q, HQD_PQ_RPTR) & (bw_cp_ring_dw(q) - 1);
	pthread_mutex_unlock(&cp->lock);
	if (active)
		return BW_CP_POLL;
	if (mqd_va && !write_mqd(by, mqd_va, BW_REG_CP_HQD_PQ_RPTR, rptr))
		return BW_CP_STOP;
	if (mqd_va && bw_cwsr_has_area(q) &&
	    (!write_mqd(by, mqd_va, BW_REG_CP_HQD_CNTL_STACK_OFFSET,
			BW_HQD(q, HQD_CNTL_STACK_OFFSET)) ||
	     !write_mqd(by, mqd_va, BW_REG_CP_HQD_WG_STATE_OFFSET, BW_HQD(q, HQD_WG_STATE_OFFSET))))
		return BW_CP_STOP;
	return BW_CP_DONE;
}

bool bw_cp_queue_is_active(struct bw_queue *q)
{
	pthread_mutex_lock(&q->dev->cp->lock);
	bool active = q->active;
	pthread_mutex_unlock(&q->dev->cp->lock);
	return active;
}

struct bw_queue *bw_cp_queue_of_doorbell(struct bw_device *dev, uint32_t index_dw)
{
	struct bw_queue *found = NULL;
	pthread_mutex_lock(&dev->cp->lock);
	for (unsigned i = 0; i < BW_N_QUEUES && !found; i++) {
		struct bw_queue *q = &dev->cp->queue[i];
		if (q->active && hears(q, index_dw))
			found = q;
	}
	pthread_mutex_unlock(&dev->cp->lock);
	return found;
}
