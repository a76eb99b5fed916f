/* SPDX-License-Identifier: MIT */
#include "vgpu/device/mes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "vgpu/device/aql.h"
#include "vgpu/device/cp_packets.h"
#include "vgpu/device/cp_priv.h"
#include "vgpu/device/sdma_engine.h"

enum {
	MAX_MAPPED = 64,
	N_COMPUTE_PIPES = 4,
	FIRST_VMID = 1,
	MAX_DEBUGGED = 16,
};

/* Queues that a frame has mapped. */
struct mapped {
	bool used, suspended;
	uint32_t doorbell_dw;
	uint64_t gang, mqd_va;
	unsigned vmid;		/* 0: a queue of the driver's own */
	struct bw_queue *queue; /* or: */
	struct bw_sdma_engine *sdma;
};

struct process {
	uint64_t context, page_table;
	unsigned n_queues; /* 0: the VMID is free */
};

/* What KFD has said of a process's waves, whether it has a VMID at the moment or not. */
struct debugged {
	bool used, trap_en;
	uint64_t context;
	uint32_t gdbg, watch[BW_N_WATCHES];
};

struct bw_mes {
	struct debugged debugged[MAX_DEBUGGED];
	uint32_t vmid_mask, compute_mask[N_COMPUTE_PIPES], gfx_mask, sdma_mask[BW_N_SDMA];
	struct mapped mapped[MAX_MAPPED];
	struct process process[BW_N_VMIDS];
};

struct bw_mes *bw_mes_create(void)
{
	return calloc(1, sizeof(struct bw_mes));
}

void bw_mes_destroy(struct bw_mes *m)
{
	free(m);
}

void bw_mes_forget(struct bw_mes *m)
{
	for (unsigned i = 0; i < MAX_MAPPED; i++)
		if (m->mapped[i].used && m->mapped[i].sdma)
			bw_sdma_end(m->mapped[i].sdma);
	memset(m, 0, sizeof(*m));
}

/* --- frames --- */

/* The outcome of a frame. A refused one gets no fence, and the frames after it are carried out:
 * mes_v11_0_submit_pkt_and_poll_completion of Linux 6.12 then finds the fence of its query written
 * and that of the frame not, says "MES failed to respond to msg=...", and continues. */
enum outcome { DONE, REFUSED, AGAIN, STOPPED };
typedef enum outcome frame_fn(struct bw_mes *m, struct bw_queue *q, const uint32_t *f);

static enum outcome refuse(const char *frame, const char *why)
{
	BW_LOG(ERROR, "vgpu", "MES refuses %s: %s", frame, why);
	return REFUSED;
}

static enum outcome outcome_of(enum bw_cp_result r)
{
	return r == BW_CP_DONE ? DONE : r == BW_CP_STOP ? STOPPED : AGAIN;
}

static enum outcome do_nothing(struct bw_mes *m, struct bw_queue *q, const uint32_t *f)
{
	return DONE;
}

static enum outcome set_hw_rsrc(struct bw_mes *m, struct bw_queue *q, const uint32_t *w)
{
	const struct bw_mes_set_hw_rsrc f = bw_mes_set_hw_rsrc_at(w);
	m->vmid_mask = f.vmid_mask & ~1u;
	memcpy(m->compute_mask, f.compute_masks, sizeof(m->compute_mask));
	m->gfx_mask = f.gfx_mask;
	memcpy(m->sdma_mask, f.sdma_masks, sizeof(m->sdma_mask));
	return DONE;
}

/* --- which VMID --- */

/* Whether the process has one, or got a free one. */
static bool find_vmid(struct bw_mes *m, uint64_t context, uint64_t page_table, unsigned *out)
{
	unsigned best = 0;
	for (unsigned v = FIRST_VMID; v < BW_N_VMIDS; v++) {
		if (!bw_bit_is_set(m->vmid_mask, v))
			continue;
		struct process *p = &m->process[v];
		if (p->n_queues && p->context == context && p->page_table == page_table) {
			*out = v;
			return true;
		}
		if (!p->n_queues && !best)
			best = v;
	}
	*out = best;
	return best != 0;
}

static struct debugged *debugged_of(struct bw_mes *m, uint64_t context)
{
	for (unsigned i = 0; i < MAX_DEBUGGED; i++)
		if (m->debugged[i].used && m->debugged[i].context == context)
			return &m->debugged[i];
	return NULL;
}

static void write_vmid_reg(struct bw_device *dev, unsigned vmid, enum bw_register reg,
			   uint32_t value)
{
	const struct bw_bank bank = {.use_srbm = true, .vmid = vmid};
	bw_device_reg_write(dev, &bank, bw_reg_addr(dev, reg), value);
}

/* Gives the VMID what KFD has said of its process. */
static void apply_debugger(struct bw_device *dev, unsigned vmid, const struct debugged *d)
{
	uint32_t hi = bw_reg_get_vmid(dev, BW_REG_SQ_SHADER_TBA_HI, vmid);
	hi &= ~BW_FIELD_MASK(SQ_SHADER_TBA_HI, TRAP_EN);
	write_vmid_reg(dev, vmid, BW_REG_SQ_SHADER_TBA_HI,
		       hi | BW_FIELD(SQ_SHADER_TBA_HI, TRAP_EN, d->trap_en));
	write_vmid_reg(dev, vmid, BW_REG_SPI_GDBG_PER_VMID_CNTL, d->gdbg);
	for (unsigned i = 0; i < BW_N_WATCHES; i++) {
		uint32_t old = bw_reg_get(dev, BW_REG_TCP_WATCH0_CNTL + i);
		bool was_its = BW_FIELD_GET(TCP_WATCH0_CNTL, VALID, old) &&
			       BW_FIELD_GET(TCP_WATCH0_CNTL, VMID, old) == vmid;
		uint32_t value = d->watch[i] & ~BW_FIELD_MASK(TCP_WATCH0_CNTL, VMID);
		if (BW_FIELD_GET(TCP_WATCH0_CNTL, VALID, value) || was_its)
			bw_device_reg_write(dev, NULL, bw_reg_addr(dev, BW_REG_TCP_WATCH0_CNTL + i),
					    value | BW_FIELD(TCP_WATCH0_CNTL, VMID, vmid));
	}
	bw_vm_invalidate(dev, 1u << vmid);
}

/* The page tables of the process become the VMID's. */
static void set_vmid(struct bw_mes *m, struct bw_device *dev, unsigned vmid,
		     const struct bw_mes_add_queue *f)
{
	enum { VALID = 1 };
	uint64_t root = f->page_table | VALID;
	struct process *p = &m->process[vmid];
	struct debugged *d = debugged_of(m, f->process_context);
	if (d && !f->keeps_context) {
		*d = (struct debugged){0};
		d = NULL;
	}
	if (p->n_queues)
		return;
	p->context = f->process_context;
	p->page_table = f->page_table;
	bw_reg_set(dev, BW_REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 + vmid, bw_lo32(root));
	bw_reg_set(dev, BW_REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32 + vmid, bw_hi32(root));
	bw_reg_set(dev, BW_REG_GCVM_CONTEXT0_CNTL + vmid, f->context_cntl);
	bw_reg_set(dev, BW_REG_IH_VMID_0_LUT + vmid, f->process);
	if (f->trap_handler) {
		const struct bw_bank bank = {.use_srbm = true, .vmid = vmid};
		const uint32_t values[] = {bw_lo_256b(f->trap_handler),
					   bw_hi_256b(f->trap_handler) |
						   BW_FIELD(SQ_SHADER_TBA_HI, TRAP_EN, f->trap_en),
					   bw_lo_256b(f->tma), bw_hi_256b(f->tma)};
		for (unsigned i = 0; i < BW_ARRAY_SIZE(values); i++)
			bw_device_reg_write(dev, &bank,
					    bw_reg_addr(dev, BW_REG_SQ_SHADER_TBA_LO + i),
					    values[i]);
	}
	if (d)
		apply_debugger(dev, vmid, d);
	bw_vm_invalidate(dev, 1u << vmid);
}

/* --- adding and removing queues --- */

/* A hardware queue that nothing has, of those that the driver has left to the scheduler. */
static struct bw_queue *free_queue(struct bw_mes *m, struct bw_device *dev, uint32_t type)
{
	unsigned pipes = type == BW_MES_QUEUE_GFX ? 1 : N_COMPUTE_PIPES;
	for (unsigned queue = 0; queue < 8; queue++) {
		for (unsigned pipe = 0; pipe < pipes; pipe++) {
			uint32_t mask =
				type == BW_MES_QUEUE_GFX ? m->gfx_mask : m->compute_mask[pipe];
			if (!bw_bit_is_set(mask, queue))
				continue;
			struct bw_queue *q =
				bw_cp_queue(dev, type != BW_MES_QUEUE_GFX, pipe, queue);
			bool taken = !q;
			pthread_mutex_lock(&dev->cp->lock);
			taken |= q && q->active;
			pthread_mutex_unlock(&dev->cp->lock);
			for (unsigned i = 0; i < MAX_MAPPED; i++)
				taken |= m->mapped[i].used && m->mapped[i].queue == q;
			if (!taken)
				return q;
		}
	}
	return NULL;
}

static struct mapped *free_slot(struct bw_mes *m)
{
	for (unsigned i = 0; i < MAX_MAPPED; i++)
		if (!m->mapped[i].used)
			return &m->mapped[i];
	return NULL;
}

/* The queue has ended without a frame, by its registers: gfx_v11_0_reset_kcq does that, and adds it
 * again. */
static void forget_ended(struct bw_mes *m, uint32_t doorbell_dw)
{
	for (unsigned i = 0; i < MAX_MAPPED; i++) {
		struct mapped *w = &m->mapped[i];
		if (w->used && w->doorbell_dw == doorbell_dw && w->queue && !w->vmid &&
		    !bw_cp_queue_is_active(w->queue))
			w->used = false;
	}
}

static struct mapped *of_doorbell(struct bw_mes *m, uint32_t doorbell_dw)
{
	for (unsigned i = 0; i < MAX_MAPPED; i++)
		if (m->mapped[i].used && m->mapped[i].doorbell_dw == doorbell_dw)
			return &m->mapped[i];
	return NULL;
}

static enum outcome map_sdma(struct bw_mes *m, struct bw_queue *q, struct mapped *to,
			     const struct bw_queue_map *map)
{
	uint32_t mqd[BW_SDMA_MQD_DW];
	if (!bw_cp_mem_read(q, map->mqd_va, mqd, sizeof(mqd)))
		return STOPPED;
	to->sdma = bw_sdma_map(q->dev, m->sdma_mask, mqd, map);
	return to->sdma ? DONE : refuse("ADD_QUEUE", "all SDMA queues are taken");
}

static enum outcome add_queue(struct bw_mes *m, struct bw_queue *q, const uint32_t *w)
{
	const struct bw_mes_add_queue f = bw_mes_add_queue_at(w);
	unsigned vmid = 0;
	forget_ended(m, f.doorbell);
	struct mapped *to = free_slot(m);
	if (f.aql && f.queue_type != BW_MES_QUEUE_COMPUTE)
		return refuse("ADD_QUEUE", "AQL packets are for compute queues");
	if (f.queue_type > BW_MES_QUEUE_SDMA || (f.legacy && f.queue_type == BW_MES_QUEUE_SDMA))
		return refuse("ADD_QUEUE", "there is no such type of queue");
	if (!to)
		return refuse("ADD_QUEUE", "there are too many queues");
	if (of_doorbell(m, f.doorbell))
		return refuse("ADD_QUEUE", "its doorbell belongs to another queue");
	if (!f.legacy && !find_vmid(m, f.process_context, f.page_table, &vmid))
		return refuse("ADD_QUEUE", "all VMIDs are taken");
	*to = (struct mapped){
		.doorbell_dw = f.doorbell, .gang = f.gang_context, .vmid = vmid, .mqd_va = f.mqd};
	const struct bw_queue_map map = {
		.mqd_va = f.mqd,
		.wptr_va = f.write_pointer_at,
		.vmid = vmid,
		.wptr_vmid = 0, /* as drivers give it to a scheduler of API 2 and later */
		.doorbell_dw = f.doorbell,
	};
	if (!f.legacy)
		set_vmid(m, q->dev, vmid, &f);
	enum outcome o = DONE;
	if (f.queue_type == BW_MES_QUEUE_SDMA) {
		o = map_sdma(m, q, to, &map);
	} else {
		to->queue = f.legacy ? bw_cp_queue(q->dev, f.queue_type != BW_MES_QUEUE_GFX, f.pipe,
						   f.queue)
				     : free_queue(m, q->dev, f.queue_type);
		if (!to->queue)
			return refuse("ADD_QUEUE", "there is no hardware queue for it");
		o = outcome_of(bw_cp_map_queue(q, to->queue, &map));
	}
	to->used = o == DONE;
	if (o == DONE)
		m->process[vmid].n_queues++;
	return o;
}

static enum outcome end_queue(struct bw_mes *m, struct bw_queue *q, struct mapped *w)
{
	/* Waves of KFD's queues save themselves. Without an area for them they are ended: a
	 * dispatch that has not been completed begins again when its queue is mapped again. */
	enum bw_cp_result r =
		w->sdma ? bw_sdma_unmap(q, w->sdma, w->mqd_va)
			: bw_cp_unmap_queue(q, w->queue,
					    w->vmid && bw_is_aql(w->queue) ? BW_DEQUEUE_SAVE
									   : BW_DEQUEUE_DRAIN);
	if (r != BW_CP_DONE)
		return outcome_of(r);
	w->used = false;
	if (w->vmid)
		m->process[w->vmid].n_queues--;
	return DONE;
}

static enum outcome remove_queue(struct bw_mes *m, struct bw_queue *q, const uint32_t *frame)
{
	const struct bw_mes_remove_queue f = bw_mes_remove_queue_at(frame);
	if (f.preempt)
		return refuse("REMOVE_QUEUE", "preempting without unmapping is not supported");
	if (f.utility)
		return DONE; /* the KIQ ends by its registers */
	struct mapped *w = of_doorbell(m, f.doorbell);
	if (!q->started) {
		/* A queue that the KIQ has mapped. */
		q->unmapping = w ? w->queue : bw_cp_queue_of_doorbell(q->dev, f.doorbell);
		q->started = true;
	}
	if (w)
		return end_queue(m, q, w);
	if (!q->unmapping || q->unmapping == q)
		return DONE; /* it is not there */
	return outcome_of(bw_cp_unmap_queue(q, q->unmapping, BW_DEQUEUE_DRAIN));
}

/* --- resets --- */

/* Ends a queue with its waves. */
static enum outcome reset_queue(struct bw_mes *m, struct bw_queue *q, uint32_t doorbell_dw)
{
	struct mapped *w = of_doorbell(m, doorbell_dw);
	if (w && w->sdma)
		return refuse("RESET", "an SDMA queue cannot be reset alone");
	if (!q->started)
		q->unmapping = w ? w->queue : bw_cp_queue_of_doorbell(q->dev, doorbell_dw);
	q->started = true;
	if (!q->unmapping || q->unmapping == q)
		return refuse("RESET", "there is no queue of this doorbell");
	enum outcome o = outcome_of(bw_cp_unmap_queue(q, q->unmapping, BW_DEQUEUE_RESET));
	if (o != DONE || !w)
		return o;
	w->used = false;
	if (w->vmid)
		m->process[w->vmid].n_queues--;
	return DONE;
}

/* The driver tests the ring at once, with its write pointer where it was: what the ring had before
 * is not executed again [I]. */
static enum outcome reset_legacy_gfx(struct bw_queue *q, const struct bw_mes_reset *f)
{
	struct bw_queue *gfx = bw_cp_queue(q->dev, 0, f->pipe, f->queue);
	if (!gfx)
		return refuse("RESET", "there is no such graphics queue");
	if (f->second_mqd)
		return refuse("RESET", "there is one graphics pipe");
	q->started = true;
	enum outcome o = outcome_of(bw_cp_unmap_queue(q, gfx, BW_DEQUEUE_RESET));
	if (o != DONE)
		return o;
	const struct bw_queue_map map = {
		.mqd_va = f->mqd,
		.wptr_va = f->write_pointer_at,
		.doorbell_dw = f->gfx_doorbell,
		.skips = true,
	};
	return outcome_of(bw_cp_map_queue(q, gfx, &map));
}

static enum outcome reset(struct bw_mes *m, struct bw_queue *q, const uint32_t *w)
{
	const struct bw_mes_reset f = bw_mes_reset_at(w);
	switch (f.what) {
	case BW_MES_RESET_QUEUE_ONLY:
		return reset_queue(m, q, f.doorbell);
	case BW_MES_RESET_LEGACY_GFX:
		return reset_legacy_gfx(q, &f);
	default:
		return refuse("RESET",
			      "resets of gangs, and finding what hangs, are not supported");
	}
}

/* --- gangs --- */

static enum outcome suspend(struct bw_mes *m, struct bw_queue *q, const uint32_t *frame)
{
	const struct bw_mes_suspend f = bw_mes_suspend_at(frame);
	uint64_t value = f.suspended_value;
	for (unsigned i = 0; i < MAX_MAPPED; i++) {
		struct mapped *w = &m->mapped[i];
		if (!w->used || !w->vmid || (!f.all_gangs && w->gang != f.gang_context))
			continue;
		/* Waves would have to be saved by their trap handler. Those of AQL queues run on,
		 * and nothing is completed before RESUME. */
		if (w->queue && !bw_is_aql(w->queue) && atomic_load(&w->queue->n_inflight))
			return refuse("SUSPEND", "a queue has waves, which cannot be saved");
		if (w->queue)
			atomic_store(&w->queue->suspended, true);
		else
			atomic_store(&w->sdma->suspended, true);
	}
	return !f.suspended_at || bw_cp_mem_write(q, f.suspended_at, &value, 8) ? DONE : STOPPED;
}

static enum outcome resume(struct bw_mes *m, struct bw_queue *q, const uint32_t *frame)
{
	const struct bw_mes_resume f = bw_mes_resume_at(frame);
	for (unsigned i = 0; i < MAX_MAPPED; i++) {
		struct mapped *w = &m->mapped[i];
		if (!w->used || (!f.all_gangs && w->gang != f.gang_context))
			continue;
		if (w->queue)
			atomic_store(&w->queue->suspended, false);
		else
			atomic_store(&w->sdma->suspended, false);
	}
	bw_cp_kick(q->dev);
	return DONE;
}

/* --- MISC --- */

/* KFD names a process by its context: its VMID may change, or it may have none. */
static enum outcome set_shader_debugger(struct bw_mes *m, struct bw_device *dev, const uint32_t *w)
{
	const struct bw_mes_misc_set_shader_debugger f = bw_mes_misc_set_shader_debugger_at(w);
	struct debugged *d = debugged_of(m, f.process_context);
	for (unsigned i = 0; i < MAX_DEBUGGED && !d; i++)
		if (!m->debugged[i].used)
			d = &m->debugged[i];
	if (!d)
		return refuse("MISC", "there are too many processes with a debugger");
	*d = (struct debugged){
		.used = true,
		.context = f.process_context,
		.gdbg = f.flushes ? BW_FIELD_MASK(SPI_GDBG_PER_VMID_CNTL, TRAP_EN) : f.gdbg,
		.trap_en = !f.flushes && f.trap_en,
	};
	if (!f.flushes)
		memcpy(d->watch, f.watches, sizeof(d->watch));
	for (unsigned v = FIRST_VMID; v < BW_N_VMIDS; v++)
		if (m->process[v].n_queues && m->process[v].context == f.process_context)
			apply_debugger(dev, v, d);
	if (f.flushes)
		*d = (struct debugged){0};
	return DONE;
}

static enum outcome write_reg(struct bw_queue *q, const uint32_t *w)
{
	const struct bw_mes_misc_write_reg f = bw_mes_misc_write_reg_at(w);
	return bw_cp_reg_write(q, f.register_, f.value) ? DONE : STOPPED;
}

static enum outcome read_reg(struct bw_queue *q, const uint32_t *w)
{
	const struct bw_mes_misc_read_reg f = bw_mes_misc_read_reg_at(w);
	uint32_t value;
	bool done = bw_cp_reg_read(q, f.register_, &value) && bw_cp_mem_write(q, f.to, &value, 4);
	return done ? DONE : STOPPED;
}

static enum outcome wait_reg_mem(struct bw_queue *q, const uint32_t *w)
{
	const struct bw_mes_misc_wait_reg_mem f = bw_mes_misc_wait_reg_mem_at(w);
	bool writes = f.way == 1;
	uint32_t value;
	if (f.way > 1)
		return refuse("MISC", "this way of waiting does not exist");
	if (writes && !q->started && !bw_cp_reg_write(q, f.register_, f.reference))
		return STOPPED;
	q->started = true;
	if (!bw_cp_reg_read(q, writes ? f.second_register : f.register_, &value))
		return STOPPED;
	return (value & f.mask) == (f.reference & f.mask) ? DONE : AGAIN;
}

static enum outcome misc(struct bw_mes *m, struct bw_queue *q, const uint32_t *w)
{
	switch (bw_mes_misc_at(w).operation) {
	case BW_MES_MISC_WRITE_REG:
		return write_reg(q, w);
	case BW_MES_MISC_INV_GART:
		bw_vm_invalidate(q->dev, 1);
		return DONE;
	case BW_MES_MISC_QUERY_STATUS:
		return DONE;
	case BW_MES_MISC_READ_REG:
		return read_reg(q, w);
	case BW_MES_MISC_WAIT_REG_MEM:
		return wait_reg_mem(q, w);
	case BW_MES_MISC_SET_SHADER_DEBUGGER:
		return set_shader_debugger(m, q->dev, w);
	default:
		return refuse("MISC", "its sub-operation is not known");
	}
}

/* --- the table --- */

static frame_fn *const functions[] = {
	[BW_MES_SET_HW_RSRC] = set_hw_rsrc,
	[BW_MES_SET_SCHEDULING_CONFIG] = do_nothing, /* queues are never switched */
	[BW_MES_ADD_QUEUE] = add_queue,
	[BW_MES_REMOVE_QUEUE] = remove_queue,
	[BW_MES_PERFORM_YIELD] = do_nothing,
	[BW_MES_SET_GANG_PRIORITY_LEVEL] = do_nothing,
	[BW_MES_SUSPEND] = suspend,
	[BW_MES_RESUME] = resume,
	[BW_MES_RESET] = reset,
	[BW_MES_SET_LOG_BUFFER] = do_nothing, /* nothing is logged */
	[BW_MES_CHANGE_GANG_PRIORITY] = do_nothing,
	[BW_MES_QUERY_SCHEDULER_STATUS] = do_nothing,
	[BW_MES_MISC] = misc,
	[BW_MES_SET_HW_RSRC_1] = do_nothing,
};

/* Whether the words can be a frame: where they cannot, nothing says where the next one begins. */
static bool is_frame(struct bw_queue *q, uint32_t header)
{
	uint64_t type = bw_words_get(&header, BW_MES_HEADER_TYPE);
	uint64_t size_dw = bw_words_get(&header, BW_MES_HEADER_SIZE_DW);
	if (type != BW_MES_SCHEDULER)
		bw_cp_fail(q, BW_QUEUE_BAD_PACKET, "0x%08x begins no frame of the scheduler",
			   header);
	else if (size_dw != BW_MES_FRAME_DW)
		bw_cp_fail(q, BW_QUEUE_BAD_PACKET,
			   "the scheduler's frame 0x%08x has %u dwords, and frames have %u", header,
			   (unsigned)size_dw, BW_MES_FRAME_DW);
	return type == BW_MES_SCHEDULER && size_dw == BW_MES_FRAME_DW;
}

enum bw_cp_result bw_mes_frame(struct bw_mes *m, struct bw_queue *q)
{
	const uint32_t *w = q->packet;
	unsigned opcode = (unsigned)bw_words_get(w, BW_MES_HEADER_OPCODE);
	struct bw_mes_info info;
	if (!is_frame(q, w[0]))
		return BW_CP_STOP;
	if (!bw_mes_info(w[0], &info)) {
		BW_LOG(ERROR, "vgpu", "MES refuses a frame: it has none of opcode %u", opcode);
		return BW_CP_DONE;
	}
	BW_LOG(TRACE, "vgpu", "MES: %s", info.name);
	frame_fn *fn = opcode < BW_ARRAY_SIZE(functions) ? functions[opcode] : NULL;
	enum outcome o = fn ? fn(m, q, w) : refuse(info.name, "it is not supported");
	const uint32_t *fence = w + info.fence_dw;
	uint64_t va = bw_join32(fence[1], fence[0]), value = bw_join32(fence[3], fence[2]);
	if (o == AGAIN)
		return BW_CP_POLL;
	if (o == STOPPED || (o == DONE && va && !bw_cp_mem_write(q, va, &value, sizeof(value))))
		return BW_CP_STOP;
	return BW_CP_DONE;
}
