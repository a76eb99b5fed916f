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
	TYPE_SCHEDULER = 1,
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

static uint64_t pair(const uint32_t *frame, unsigned at)
{
	return bw_join32(frame[at + 1], frame[at]);
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

static enum outcome set_hw_rsrc(struct bw_mes *m, struct bw_queue *q, const uint32_t *f)
{
	m->vmid_mask = f[2] & 0xffff & ~1u;
	memcpy(m->compute_mask, f + 5, sizeof(m->compute_mask));
	m->gfx_mask = f[13];
	memcpy(m->sdma_mask, f + 15, sizeof(m->sdma_mask));
	return DONE;
}

/* Flags of ADD_QUEUE */
enum {
	ADD_TRAP_EN = 1 << 10,
	ADD_AQL = 1 << 11,
	ADD_KEEPS_CONTEXT = 1 << 12, /* skip_process_ctx_clear */
	ADD_LEGACY = 1 << 13,
};

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
static void set_vmid(struct bw_mes *m, struct bw_device *dev, unsigned vmid, const uint32_t *f)
{
	enum { VALID = 1 };
	uint64_t root = pair(f, 2) | VALID, trap = pair(f, 33), tma = pair(f, 41);
	struct process *p = &m->process[vmid];
	struct debugged *d = debugged_of(m, pair(f, 10));
	if (d && !(f[36] & ADD_KEEPS_CONTEXT)) {
		*d = (struct debugged){0};
		d = NULL;
	}
	if (p->n_queues)
		return;
	p->context = pair(f, 10);
	p->page_table = pair(f, 2);
	bw_reg_set(dev, BW_REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 + vmid, bw_lo32(root));
	bw_reg_set(dev, BW_REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32 + vmid, bw_hi32(root));
	bw_reg_set(dev, BW_REG_GCVM_CONTEXT0_CNTL + vmid, f[35]);
	bw_reg_set(dev, BW_REG_IH_VMID_0_LUT + vmid, f[1]);
	if (trap) {
		const struct bw_bank bank = {.use_srbm = true, .vmid = vmid};
		const uint32_t values[] = {bw_lo_256b(trap),
					   bw_hi_256b(trap) | BW_FIELD(SQ_SHADER_TBA_HI, TRAP_EN,
								       f[36] & ADD_TRAP_EN ? 1 : 0),
					   bw_lo_256b(tma), bw_hi_256b(tma)};
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

enum { QUEUE_GFX, QUEUE_COMPUTE, QUEUE_SDMA };
enum {
	REMOVE_UTILITY = 1 << 1,
	REMOVE_PREEMPT = 1 << 2,
};

/* A hardware queue that nothing has, of those that the driver has left to the scheduler. */
static struct bw_queue *free_queue(struct bw_mes *m, struct bw_device *dev, uint32_t type)
{
	unsigned pipes = type == QUEUE_GFX ? 1 : N_COMPUTE_PIPES;
	for (unsigned queue = 0; queue < 8; queue++) {
		for (unsigned pipe = 0; pipe < pipes; pipe++) {
			uint32_t mask = type == QUEUE_GFX ? m->gfx_mask : m->compute_mask[pipe];
			if (!bw_bit_is_set(mask, queue))
				continue;
			struct bw_queue *q = bw_cp_queue(dev, type != QUEUE_GFX, pipe, queue);
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

static enum outcome add_queue(struct bw_mes *m, struct bw_queue *q, const uint32_t *f)
{
	uint32_t type = f[27], flags = f[36];
	bool legacy = flags & ADD_LEGACY;
	unsigned vmid = 0;
	forget_ended(m, f[18]);
	struct mapped *to = free_slot(m);
	if (flags & ADD_AQL && type != QUEUE_COMPUTE)
		return refuse("ADD_QUEUE", "AQL packets are for compute queues");
	if (type > QUEUE_SDMA || (legacy && type == QUEUE_SDMA))
		return refuse("ADD_QUEUE", "there is no such type of queue");
	if (!to)
		return refuse("ADD_QUEUE", "there are too many queues");
	if (of_doorbell(m, f[18]))
		return refuse("ADD_QUEUE", "its doorbell belongs to another queue");
	if (!legacy && !find_vmid(m, pair(f, 10), pair(f, 2), &vmid))
		return refuse("ADD_QUEUE", "all VMIDs are taken");
	*to = (struct mapped){
		.doorbell_dw = f[18], .gang = pair(f, 14), .vmid = vmid, .mqd_va = pair(f, 19)};
	const struct bw_queue_map map = {
		.mqd_va = pair(f, 19),
		.wptr_va = pair(f, 21),
		.vmid = vmid,
		.wptr_vmid = 0, /* as drivers give it to a scheduler of API 2 and later */
		.doorbell_dw = f[18],
	};
	if (!legacy)
		set_vmid(m, q->dev, vmid, f);
	enum outcome o = DONE;
	if (type == QUEUE_SDMA) {
		o = map_sdma(m, q, to, &map);
	} else {
		to->queue = legacy ? bw_cp_queue(q->dev, type != QUEUE_GFX, f[48], f[49])
				   : free_queue(m, q->dev, type);
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
	/* Waves of KFD's queues would be saved by their trap handler. They are ended instead: a
	 * dispatch that has not been completed begins again when its queue is mapped again. */
	enum bw_cp_result r =
		w->sdma ? bw_sdma_unmap(q, w->sdma, w->mqd_va)
			: bw_cp_unmap_queue(q, w->queue, w->vmid && bw_is_aql(w->queue));
	if (r != BW_CP_DONE)
		return outcome_of(r);
	w->used = false;
	if (w->vmid)
		m->process[w->vmid].n_queues--;
	return DONE;
}

static enum outcome remove_queue(struct bw_mes *m, struct bw_queue *q, const uint32_t *f)
{
	if (f[4] & REMOVE_PREEMPT)
		return refuse("REMOVE_QUEUE", "preempting without unmapping is not supported");
	if (f[4] & REMOVE_UTILITY)
		return DONE; /* the KIQ ends by its registers */
	struct mapped *w = of_doorbell(m, f[1]);
	if (!q->started) {
		/* A queue that the KIQ has mapped. */
		q->unmapping = w ? w->queue : bw_cp_queue_of_doorbell(q->dev, f[1]);
		q->started = true;
	}
	if (w)
		return end_queue(m, q, w);
	if (!q->unmapping || q->unmapping == q)
		return DONE; /* it is not there */
	return outcome_of(bw_cp_unmap_queue(q, q->unmapping, false));
}

/* --- resets --- */

enum {
	RESET_QUEUE_ONLY = 1 << 0,
	RESET_LEGACY_GFX = 1 << 3,
};

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
	enum outcome o = outcome_of(bw_cp_unmap_queue(q, q->unmapping, true));
	if (o != DONE || !w)
		return o;
	w->used = false;
	if (w->vmid)
		m->process[w->vmid].n_queues--;
	return DONE;
}

/* The driver tests the ring at once, with its write pointer where it was: what the ring had before
 * is not executed again [I]. */
static enum outcome reset_legacy_gfx(struct bw_mes *m, struct bw_queue *q, const uint32_t *f)
{
	struct bw_queue *gfx = bw_cp_queue(q->dev, 0, f[8], f[9]);
	if (!gfx)
		return refuse("RESET", "there is no such graphics queue");
	if (pair(f, 19))
		return refuse("RESET", "there is one graphics pipe");
	q->started = true;
	enum outcome o = outcome_of(bw_cp_unmap_queue(q, gfx, true));
	if (o != DONE)
		return o;
	const struct bw_queue_map map = {
		.mqd_va = pair(f, 11),
		.wptr_va = pair(f, 14),
		.doorbell_dw = f[13],
		.skips = true,
	};
	return outcome_of(bw_cp_map_queue(q, gfx, &map));
}

static enum outcome reset(struct bw_mes *m, struct bw_queue *q, const uint32_t *f)
{
	switch (f[1]) {
	case RESET_QUEUE_ONLY:
		return reset_queue(m, q, f[4]);
	case RESET_LEGACY_GFX:
		return reset_legacy_gfx(m, q, f);
	default:
		return refuse("RESET",
			      "resets of gangs, and finding what hangs, are not supported");
	}
}

/* --- gangs --- */

static enum outcome suspend(struct bw_mes *m, struct bw_queue *q, const uint32_t *f)
{
	uint64_t fence = pair(f, 4), value = f[6];
	for (unsigned i = 0; i < MAX_MAPPED; i++) {
		struct mapped *w = &m->mapped[i];
		if (!w->used || !w->vmid || (!(f[1] & 1) && w->gang != pair(f, 2)))
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
	return !fence || bw_cp_mem_write(q, fence, &value, 8) ? DONE : STOPPED;
}

static enum outcome resume(struct bw_mes *m, struct bw_queue *q, const uint32_t *f)
{
	for (unsigned i = 0; i < MAX_MAPPED; i++) {
		struct mapped *w = &m->mapped[i];
		if (!w->used || (!(f[1] & 1) && w->gang != pair(f, 2)))
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

enum {
	MISC_WRITE_REG,
	MISC_INV_GART,
	MISC_QUERY_STATUS,
	MISC_READ_REG,
	MISC_WAIT_REG_MEM,
	MISC_SET_SHADER_DEBUGGER,
};

/* KFD names a process by its context: its VMID may change, or it may have none. */
static enum outcome set_shader_debugger(struct bw_mes *m, struct bw_device *dev, const uint32_t *f)
{
	const uint32_t flushes = 1u << 31;
	uint64_t context = pair(f, 6);
	struct debugged *d = debugged_of(m, context);
	for (unsigned i = 0; i < MAX_DEBUGGED && !d; i++)
		if (!m->debugged[i].used)
			d = &m->debugged[i];
	if (!d)
		return refuse("MISC", "there are too many processes with a debugger");
	*d = (struct debugged){
		.used = true,
		.context = context,
		.gdbg = f[8] & flushes ? BW_FIELD_MASK(SPI_GDBG_PER_VMID_CNTL, TRAP_EN) : f[9],
		.trap_en = !(f[8] & flushes) && f[14],
	};
	if (!(f[8] & flushes))
		memcpy(d->watch, f + 10, sizeof(d->watch));
	for (unsigned v = FIRST_VMID; v < BW_N_VMIDS; v++)
		if (m->process[v].n_queues && m->process[v].context == context)
			apply_debugger(dev, v, d);
	if (f[8] & flushes)
		*d = (struct debugged){0};
	return DONE;
}

static enum outcome misc(struct bw_mes *m, struct bw_queue *q, const uint32_t *f)
{
	uint32_t value;
	switch (f[1]) {
	case MISC_WRITE_REG:
		return bw_cp_reg_write(q, f[6], f[7]) ? DONE : STOPPED;
	case MISC_INV_GART:
		bw_vm_invalidate(q->dev, 1);
		return DONE;
	case MISC_QUERY_STATUS:
		return DONE;
	case MISC_READ_REG:
		return bw_cp_reg_read(q, f[6], &value) && bw_cp_mem_write(q, pair(f, 7), &value, 4)
			       ? DONE
			       : STOPPED;
	case MISC_WAIT_REG_MEM: {
		bool writes = f[6] == 1;
		if (f[6] > 1)
			return refuse("MISC", "this way of waiting does not exist");
		if (writes && !q->started && !bw_cp_reg_write(q, f[9], f[7]))
			return STOPPED;
		q->started = true;
		if (!bw_cp_reg_read(q, writes ? f[10] : f[9], &value))
			return STOPPED;
		return (value & f[8]) == (f[7] & f[8]) ? DONE : AGAIN;
	}
	case MISC_SET_SHADER_DEBUGGER:
		return set_shader_debugger(m, q->dev, f);
	default:
		return refuse("MISC", "its sub-operation is not known");
	}
}

/* --- the table --- */

static const struct {
	const char *name;
	uint8_t opcode, fence_dw; /* where address and value of the fence are */
	frame_fn *fn;		  /* NULL: not supported */
} frames[] = {
	{"SET_HW_RSRC", 0, 50, set_hw_rsrc},
	{"SET_SCHEDULING_CONFIG", 1, 32, do_nothing}, /* queues are never switched */
	{"ADD_QUEUE", 2, 37, add_queue},
	{"REMOVE_QUEUE", 3, 5, remove_queue},
	{"PERFORM_YIELD", 4, 2, do_nothing},
	{"SET_GANG_PRIORITY_LEVEL", 5, 7, do_nothing},
	{"SUSPEND", 6, 7, suspend},
	{"RESUME", 7, 4, resume},
	{"RESET", 8, 24, reset},
	{"SET_LOG_BUFFER", 9, 6, do_nothing}, /* nothing is logged */
	{"CHANGE_GANG_PRIORITY", 10, 7, do_nothing},
	{"QUERY_SCHEDULER_STATUS", 11, 2, do_nothing},
	{"PROGRAM_GDS", 12, 8, NULL},
	{"SET_DEBUG_VMID", 13, 1, NULL},
	{"MISC", 14, 2, misc},
	{"UPDATE_ROOT_PAGE_TABLE", 15, 5, NULL},
	{"AMD_LOG", 16, 4, NULL},
	{"SET_HW_RSRC_1", 19, 1, do_nothing},
};

/* Whether the words can be a frame: where they cannot, nothing says where the next one begins. */
static bool is_frame(struct bw_queue *q, uint32_t header)
{
	unsigned type = (unsigned)bw_bits(header, 3, 0),
		 size_dw = (unsigned)bw_bits(header, 19, 12);
	if (type != TYPE_SCHEDULER)
		bw_cp_fail(q, BW_QUEUE_BAD_PACKET, "0x%08x begins no frame of the scheduler",
			   header);
	else if (size_dw != BW_MES_FRAME_DW)
		bw_cp_fail(q, BW_QUEUE_BAD_PACKET,
			   "the scheduler's frame 0x%08x has %u dwords, and frames have %u", header,
			   size_dw, BW_MES_FRAME_DW);
	return type == TYPE_SCHEDULER && size_dw == BW_MES_FRAME_DW;
}

enum bw_cp_result bw_mes_frame(struct bw_mes *m, struct bw_queue *q)
{
	const uint32_t *f = q->packet;
	unsigned opcode = (unsigned)bw_bits(f[0], 11, 4);
	if (!is_frame(q, f[0]))
		return BW_CP_STOP;
	for (size_t i = 0; i < BW_ARRAY_SIZE(frames); i++) {
		if (frames[i].opcode != opcode)
			continue;
		BW_LOG(TRACE, "vgpu", "MES: %s", frames[i].name);
		enum outcome o = frames[i].fn ? frames[i].fn(m, q, f)
					      : refuse(frames[i].name, "it is not supported");
		uint64_t fence = pair(f, frames[i].fence_dw);
		uint64_t value = pair(f, frames[i].fence_dw + 2u);
		if (o == AGAIN)
			return BW_CP_POLL;
		if (o == STOPPED ||
		    (o == DONE && fence && !bw_cp_mem_write(q, fence, &value, sizeof(value))))
			return BW_CP_STOP;
		return BW_CP_DONE;
	}
	BW_LOG(ERROR, "vgpu", "MES refuses a frame: it has none of opcode %u", opcode);
	return BW_CP_DONE;
}
