/* SPDX-License-Identifier: MIT */
#include "vgpu/device/hws.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "vgpu/device/aql.h"
#include "vgpu/device/cp_packets.h"
#include "vgpu/device/cp_priv.h"
#include "vgpu/device/register_own.h"
#include "vgpu/device/sdma_engine.h"

enum { MAX_MAPPED = 64, N_PIPES = 4, QUEUES_OF_PIPE = 8 };

struct mapped {
	bool used;
	uint32_t doorbell_dw;
	unsigned vmid;
	uint64_t mqd_va;
	struct bw_queue *queue; /* or: */
	struct bw_sdma_engine *sdma;
};

struct process {
	bool used;
	uint16_t pasid;
	unsigned n_queues; /* mapped */
};

struct bw_hws {
	uint32_t vmid_mask;
	uint64_t queue_mask; /* bit 8 * pipe + queue, of ME 1 */
	unsigned vmid;	     /* of the run list's current process; 0: it has none */
	struct process process[BW_N_VMIDS];
	struct mapped mapped[MAX_MAPPED];
};

struct bw_hws *bw_hws_create(void)
{
	return calloc(1, sizeof(struct bw_hws));
}

void bw_hws_destroy(struct bw_hws *h)
{
	free(h);
}

void bw_hws_forget(struct bw_hws *h)
{
	for (unsigned i = 0; i < MAX_MAPPED; i++)
		if (h->mapped[i].used && h->mapped[i].sdma)
			bw_sdma_end(h->mapped[i].sdma);
	memset(h, 0, sizeof(*h));
}

static struct bw_hws *hws_of(const struct bw_queue *q)
{
	return q->dev->cp->hws;
}

enum bw_cp_result bw_hws_set_resources(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_set_resources r;
	if (!bw_pm4_set_resources(p, &r))
		return bw_cp_malformed(q, p);
	if (bw_is_hiq(q)) { /* the KIQ schedules nothing by itself */
		hws_of(q)->vmid_mask = r.vmids & ~1u;
		hws_of(q)->queue_mask = r.queues;
	}
	return BW_CP_DONE;
}

/* A list is run as an indirect buffer of VMID 0. One that is chained to itself, because it has
 * more than fits, would go round: its queues are all there or refused after the first time. */
enum bw_cp_result bw_hws_run_list(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_run_list l;
	if (!bw_pm4_run_list(p, &l))
		return bw_cp_malformed(q, p);
	if (!bw_is_hiq(q))
		return bw_cp_refuse(q, p, "queue of ME", bw_own_me(q->dev, q->me));
	if (!l.valid || l.chain || !l.n_dw)
		return BW_CP_DONE;
	if (q->depth)
		return bw_cp_refuse(q, p, "nesting depth", q->depth + 1);
	atomic_fetch_add(&q->rptr, p->size_dw);
	q->depth = 1;
	q->level[1] = (struct bw_cp_level){bw_canonical(l.address), l.n_dw, 0, 0};
	hws_of(q)->vmid = 0;
	return BW_CP_JUMPED;
}

/* ---- processes ---- */

/* The VMID that the process has or had, or one that has no queues; 0: there is none. */
static unsigned find_vmid(const struct bw_hws *h, uint16_t pasid)
{
	unsigned unused = 0, idle = 0;
	for (unsigned v = 1; v < BW_N_VMIDS; v++) {
		const struct process *s = &h->process[v];
		if (!bw_bit_is_set(h->vmid_mask, v))
			continue;
		if (s->used && s->pasid == pasid)
			return v;
		if (!s->used && !unused)
			unused = v;
		if (!s->n_queues && !idle)
			idle = v;
	}
	return unused ? unused : idle;
}

static void set_vmid(struct bw_device *dev, unsigned vmid, const struct bw_pm4_map_process_debug *m)
{
	const uint32_t watches[] = {m->watch_0, m->watch_1, m->watch_2, m->watch_3};
	const struct {
		enum bw_register reg;
		uint32_t value;
	} values[] = {
		{BW_REG_SH_MEM_BASES, m->sh_mem_bases},
		{BW_REG_SQ_SHADER_TBA_LO, bw_lo32(m->trap_handler)},
		{BW_REG_SQ_SHADER_TBA_HI,
		 BW_FIELD(SQ_SHADER_TBA_HI, ADDR_HI, bw_hi32(m->trap_handler)) |
			 BW_FIELD(SQ_SHADER_TBA_HI, TRAP_EN, m->trap_handler != 0)},
		{BW_REG_SQ_SHADER_TMA_LO, bw_lo32(m->trap_memory)},
		{BW_REG_SQ_SHADER_TMA_HI, bw_hi32(m->trap_memory)},
		{BW_REG_SPI_GDBG_PER_VMID_CNTL, m->gdbg},
	};
	const struct bw_bank bank = {.use_srbm = true, .vmid = vmid};
	bw_reg_set(dev, BW_REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 + vmid,
		   bw_lo32(m->page_table));
	bw_reg_set(dev, BW_REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32 + vmid,
		   bw_hi32(m->page_table));
	bw_reg_set(dev, BW_REG_IH_VMID_0_LUT + vmid, BW_FIELD(IH_VMID_0_LUT, PASID, m->pasid));
	for (unsigned i = 0; i < BW_ARRAY_SIZE(values); i++)
		bw_device_reg_write(dev, &bank, bw_reg_addr(dev, values[i].reg), values[i].value);
	for (unsigned i = 0; i < BW_ARRAY_SIZE(watches); i++) {
		uint32_t old = bw_reg_get(dev, BW_REG_TCP_WATCH0_CNTL + i);
		bool was_its = BW_FIELD_GET(TCP_WATCH0_CNTL, VMID, old) == vmid;
		uint32_t value = watches[i] & ~BW_FIELD_MASK(TCP_WATCH0_CNTL, VMID);
		if (BW_FIELD_GET(TCP_WATCH0_CNTL, VALID, value) || was_its)
			bw_reg_set(dev, BW_REG_TCP_WATCH0_CNTL + i,
				   value | BW_FIELD(TCP_WATCH0_CNTL, VMID, vmid));
	}
	bw_vm_invalidate(dev, 1u << vmid);
}

enum bw_cp_result bw_hws_map_process(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_hws *h = hws_of(q);
	struct bw_pm4_map_process_debug m;
	if (!bw_pm4_map_process_debug(p, &m))
		return bw_cp_malformed(q, p);
	if (!bw_is_hiq(q))
		return bw_cp_refuse(q, p, "queue of ME", bw_own_me(q->dev, q->me));
	h->vmid = find_vmid(h, (uint16_t)m.pasid);
	if (!h->vmid) {
		BW_LOG(ERROR, "vgpu", "the scheduler has no VMID left for PASID %u", m.pasid);
		return BW_CP_DONE;
	}
	h->process[h->vmid].used = true;
	h->process[h->vmid].pasid = (uint16_t)m.pasid;
	set_vmid(q->dev, h->vmid, &m);
	return BW_CP_DONE;
}

/* ---- queues ---- */

static struct bw_queue *free_queue(struct bw_hws *h, struct bw_device *dev)
{
	for (unsigned queue = 0; queue < QUEUES_OF_PIPE; queue++)
		for (unsigned pipe = 0; pipe < N_PIPES; pipe++) {
			struct bw_queue *q = bw_cp_queue(dev, 1, pipe, queue);
			bool taken = !(h->queue_mask >> (pipe * QUEUES_OF_PIPE + queue) & 1) ||
				     !q || bw_cp_queue_is_active(q);
			for (unsigned i = 0; i < MAX_MAPPED; i++)
				taken |= h->mapped[i].used && h->mapped[i].queue == q;
			if (!taken)
				return q;
		}
	return NULL;
}

/* NULL: all are taken. */
static struct mapped *free_slot(struct bw_hws *h, uint32_t doorbell_dw, bool *out_is_mapped)
{
	struct mapped *found = NULL;
	*out_is_mapped = false;
	for (unsigned i = 0; i < MAX_MAPPED; i++) {
		*out_is_mapped |= h->mapped[i].used && h->mapped[i].doorbell_dw == doorbell_dw;
		if (!h->mapped[i].used && !found)
			found = &h->mapped[i];
	}
	return found;
}

/* The descriptor of gfx9 has WPTR_POLL_CNTL in front of RPTR_ADDR (v9_structs.h: v9_sdma_mqd). */
static enum bw_cp_result map_sdma(struct bw_queue *q, unsigned engine, struct mapped *to,
				  const struct bw_queue_map *map)
{
	enum { WPTR_POLL_CNTL = 7 };
	uint32_t mqd[BW_SDMA_MQD_DW + 1], mask[BW_N_SDMA] = {0};
	if (!bw_cp_mem_read(q, map->mqd_va, mqd, sizeof(mqd)))
		return BW_CP_STOP;
	memmove(mqd + WPTR_POLL_CNTL, mqd + WPTR_POLL_CNTL + 1,
		(BW_SDMA_MQD_DW - WPTR_POLL_CNTL) * sizeof(mqd[0]));
	mask[engine] = ~1u; /* the driver's own is the first */
	to->sdma = bw_sdma_map(q->dev, mask, mqd, map);
	return BW_CP_DONE;
}

enum bw_cp_result bw_hws_map_queues(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_hws *h = hws_of(q);
	struct bw_pm4_map_queues m;
	bool is_mapped;
	if (!bw_pm4_map_queues(p, &m))
		return bw_cp_malformed(q, p);
	bool is_sdma = m.engine == BW_PM4_ENGINE_SDMA0 || m.engine == BW_PM4_ENGINE_SDMA1;
	if (m.select != BW_PM4_QUEUES_CHOSEN)
		return bw_cp_refuse(q, p, "QUEUE_SEL", m.select);
	if (m.n_queues != 1)
		return bw_cp_refuse(q, p, "NUM_QUEUES", m.n_queues);
	if (m.extended_engine || (!is_sdma && m.engine != BW_PM4_ENGINE_COMPUTE))
		return bw_cp_refuse(q, p, "ENGINE_SEL", m.engine);
	struct mapped *to = free_slot(h, m.doorbell, &is_mapped);
	if (is_mapped || !h->vmid) /* it runs, or its process has been refused */
		return BW_CP_DONE;
	const struct bw_queue_map map = {
		.mqd_va = m.mqd,
		.wptr_va = m.write_pointer,
		.vmid = h->vmid,
		.wptr_vmid = h->vmid,
		.doorbell_dw = m.doorbell,
	};
	struct mapped made = {
		.used = true, .doorbell_dw = m.doorbell, .vmid = h->vmid, .mqd_va = m.mqd};
	enum bw_cp_result r = BW_CP_DONE;
	if (to && is_sdma) {
		r = map_sdma(q, m.engine - BW_PM4_ENGINE_SDMA0, &made, &map);
	} else if (to) {
		made.queue = free_queue(h, q->dev);
		r = made.queue ? bw_cp_map_queue(q, made.queue, &map) : BW_CP_DONE;
	}
	if (r != BW_CP_DONE)
		return r;
	if (!made.queue && !made.sdma) {
		BW_LOG(ERROR, "vgpu", "the scheduler has no hardware queue left for doorbell 0x%x",
		       m.doorbell);
		return BW_CP_DONE;
	}
	*to = made;
	h->process[h->vmid].n_queues++;
	return BW_CP_DONE;
}

static bool is_meant(const struct bw_hws *h, const struct mapped *w,
		     const struct bw_pm4_unmap_queues *u)
{
	switch (u->select) {
	case BW_PM4_QUEUES_GIVEN:
		return w->doorbell_dw == u->doorbell;
	case BW_PM4_QUEUES_OF_PASID:
		return h->process[w->vmid].pasid == (uint16_t)u->doorbell_0;
	default:
		return true;
	}
}

/* A queue that is preempted ends the dispatches that it has begun [I]: firmware has their waves
 * saved by KFD's trap handler, whose area is not written here. */
enum bw_cp_result bw_hws_unmap_queues(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_hws *h = hws_of(q);
	struct bw_pm4_unmap_queues u;
	if (!bw_pm4_unmap_queues(p, &u))
		return bw_cp_malformed(q, p);
	if (u.action > BW_PM4_UNMAP_DISABLE)
		return bw_cp_refuse(q, p, "ACTION", u.action);
	bool waits = false;
	for (unsigned i = 0; i < MAX_MAPPED; i++) {
		struct mapped *w = &h->mapped[i];
		if (!w->used || !is_meant(h, w, &u))
			continue;
		enum bw_cp_result r = w->sdma ? bw_sdma_unmap(q, w->sdma, w->mqd_va)
					      : bw_cp_unmap_queue(q, w->queue,
								  u.action == BW_PM4_UNMAP_RESET
									  ? BW_DEQUEUE_RESET
									  : BW_DEQUEUE_DRAIN);
		if (r == BW_CP_STOP)
			return r;
		waits |= r != BW_CP_DONE;
		if (r != BW_CP_DONE)
			continue;
		w->used = false;
		h->process[w->vmid].n_queues--;
	}
	return waits ? BW_CP_POLL : BW_CP_DONE;
}
