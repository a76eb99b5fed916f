/* SPDX-License-Identifier: MIT */
#include "vgpu/device/sdma_engine.h"
#include "vgpu/device/cp_packets.h"
#include "vgpu/device/mes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"

struct bw_sdma {
	pthread_mutex_t lock;
	struct bw_sdma_engine engine[BW_N_SDMA_ENGINES]; /* the queues 0 first */
};

/* Fault clients of the graphics hub (doc/hardware/page-tables.md 6.4) */

/* Numbers of all queues' registers of one name lie side by side, in the order of engine[]. */
static uint32_t *reg_of(struct bw_sdma_engine *e, enum bw_register reg0)
{
	return &e->regs[(reg0 - BW_REG_SDMA0_QUEUE0_RB_CNTL) / BW_N_SDMA_ENGINES];
}

static uint32_t read_queue(struct bw_sdma_engine *e, enum bw_register reg0)
{
	return __atomic_load_n(reg_of(e, reg0), __ATOMIC_SEQ_CST);
}

static void write_queue(struct bw_sdma_engine *e, enum bw_register reg0, uint32_t value)
{
	__atomic_store_n(reg_of(e, reg0), value, __ATOMIC_SEQ_CST);
}

#define REG(e, name) read_queue((e), BW_REG_SDMA0_QUEUE0_##name)
#define FIELD(e, name, field) BW_FIELD_GET(SDMA0_QUEUE0_##name, field, REG(e, name))

unsigned bw_sdma_vmid(const struct bw_sdma_engine *e)
{
	return e->in_ib ? e->ib_vmid : e->ring_vmid;
}

static struct bw_tlb *tlb_of(struct bw_sdma_engine *e, unsigned vmid)
{
	bw_tlb_sync(&e->tlb[vmid]);
	return &e->tlb[vmid];
}

void bw_sdma_fail(struct bw_sdma_engine *e, const char *fmt, ...)
{
	struct bw_device *dev = e->dev;
	va_list args;
	va_start(args, fmt);
	pthread_mutex_lock(&dev->sdma->lock);
	int n = vsnprintf(e->why, sizeof(e->why), fmt, args);
	if (e->in_ib && n >= 0 && (size_t)n < sizeof(e->why))
		snprintf(e->why + n, sizeof(e->why) - (size_t)n,
			 ", at dword %" PRIu64 " of the IB at 0x%" PRIx64, (uint64_t)e->ib_pos_dw,
			 e->ib_va);
	e->stopped = true;
	pthread_mutex_unlock(&dev->sdma->lock);
	va_end(args);
	bw_device_log_stop(dev, "SDMA %u stopped: %s", e->index, e->why);
	struct bw_ih_vector v = {
		.client = BW_IH_CLIENT_GFX,
		.source = BW_IH_SRC_SDMA_QUEUE_HANG,
		.ring = bw_ih_ring_sdma(e->index, e->queue),
		.vmid = (uint8_t)bw_sdma_vmid(e),
	};
	bw_ih_raise(dev, &v);
}

bool bw_device_sdma_error(struct bw_device *dev, unsigned index, unsigned queue, char *out_text,
			  size_t size)
{
	struct bw_sdma_engine *e =
		&dev->sdma->engine[(queue * BW_N_SDMA + index) % BW_N_SDMA_ENGINES];
	pthread_mutex_lock(&dev->sdma->lock);
	bool stopped = e->stopped;
	if (stopped && size)
		snprintf(out_text, size, "%s", e->why);
	pthread_mutex_unlock(&dev->sdma->lock);
	return stopped;
}

bool bw_sdma_read(struct bw_sdma_engine *e, uint64_t va, void *out, size_t n)
{
	struct bw_vm_fault fault;
	unsigned vmid = bw_sdma_vmid(e);
	if (bw_vm_read(tlb_of(e, vmid), bw_canonical(va), out, n, &fault))
		return true;
	bw_sdma_fail(e, "a packet of VMID %u reads 0x%" PRIx64 ", which is not mapped for that",
		     vmid, fault.va);
	return false;
}

/* The current packet, as the checker knows it. */
static struct bw_check_job job_of(struct bw_sdma_engine *e)
{
	return bw_check_packet_begin(e->dev->check, e->line, atomic_load(&e->rptr));
}

/* The signal that has the dword of an address. */
static const void *signal_at(struct bw_sdma_engine *e, uint64_t va)
{
	struct bw_vm_fault no_matter = {0};
	return bw_tlb_lookup_unwatched(tlb_of(e, bw_sdma_vmid(e)), bw_canonical(va) & ~7ull,
				       (enum bw_access)(BW_ACCESS_READ | BW_ACCESS_PROBE),
				       &no_matter);
}

void bw_sdma_signals(struct bw_sdma_engine *e, uint64_t va)
{
	const void *signal = e->line ? signal_at(e, va) : NULL;
	if (!signal)
		return;
	bw_aql_check_submitted(e->dev);
	/* Packets of an indirect buffer have the number of the ring's next one. */
	bw_check_packets_ended(e->dev->check, e->line, atomic_load(&e->rptr) + e->in_ib);
	bw_check_signalled(e->dev->check, job_of(e), signal, false);
}

void bw_sdma_submitted(struct bw_device *dev)
{
	for (unsigned i = 0; i < BW_N_SDMA_ENGINES; i++) {
		struct bw_sdma_engine *e = &dev->sdma->engine[i];
		pthread_mutex_lock(&dev->sdma->lock);
		const uint64_t wptr = e->active ? e->wptr : 0;
		pthread_mutex_unlock(&dev->sdma->lock);
		if (wptr)
			bw_check_line_submitted(dev->check, e->line, wptr);
		const uint32_t *value = wptr && e->waits_for ? signal_at(e, e->waits_for) : NULL;
		if (value && !__atomic_load_n(value + (e->waits_for >> 2 & 1), __ATOMIC_ACQUIRE))
			bw_check_wait_holds(dev->check, &e->wait);
	}
}

void bw_sdma_waits(struct bw_sdma_engine *e, uint64_t va, bool holds)
{
	const void *signal = e->line ? signal_at(e, va) : NULL;
	if (signal)
		bw_check_waits(e->dev->check, e->line, &e->wait, signal, holds);
}

void bw_sdma_note(struct bw_sdma_engine *e, enum bw_transfer what, uint64_t to, uint64_t from,
		  uint64_t size_b)
{
	const unsigned vmid = bw_sdma_vmid(e);
	/* Writes are fences and the like. */
	const struct bw_writers_packet p = {
		.transfer = what,
		.to = to,
		.from = from,
		.size_b = size_b,
		.vmid = (uint8_t)vmid,
		.is_compared = what != BW_TRANSFER_WRITE,
		.space = e->dev->check ? bw_device_space(e->dev, vmid) : 0,
		.engine = {.pipe = (uint8_t)e->index, .is_sdma = true, .is_ring = !e->queue},
		.job = what == BW_TRANSFER_WRITE ? (struct bw_check_job){0} : job_of(e)};
	bw_writers_note(e->dev->check, tlb_of(e, p.vmid), &p);
}

bool bw_sdma_write_mem(struct bw_sdma_engine *e, uint64_t va, const void *data, size_t n)
{
	if (!bw_sdma_put(e, va, data, n))
		return false;
	bw_sdma_note(e, BW_TRANSFER_WRITE, va, 0, n);
	return true;
}

bool bw_sdma_put(struct bw_sdma_engine *e, uint64_t va, const void *data, size_t n)
{
	struct bw_vm_fault fault;
	unsigned vmid = bw_sdma_vmid(e);
	if (bw_vm_write(tlb_of(e, vmid), bw_canonical(va), data, n, &fault))
		return true;
	bw_sdma_fail(e, "a packet of VMID %u writes 0x%" PRIx64 ", which is not mapped for that",
		     vmid, fault.va);
	return false;
}

/* ---- registers ---- */

/* out_reg: the same of queue 0 of engine 0. */
static struct bw_sdma_engine *engine_of(struct bw_device *dev, enum bw_register reg,
					enum bw_register *out_reg)
{
	unsigned i = (reg - BW_REG_SDMA0_QUEUE0_RB_CNTL) % BW_N_SDMA_ENGINES;
	*out_reg = reg - i;
	return &dev->sdma->engine[i];
}

/* RB_ENABLE: the queue continues at RB_RPTR. */
static void activate(struct bw_sdma_engine *e)
{
	e->base = bw_join_256b(FIELD(e, RB_BASE_HI, ADDR), REG(e, RB_BASE));
	e->size_dw = 1u << BW_MIN(FIELD(e, RB_CNTL, RB_SIZE), 24u);
	e->ring_vmid = (uint8_t)FIELD(e, RB_CNTL, RB_VMID);
	uint64_t rptr = bw_join32(REG(e, RB_RPTR_HI), REG(e, RB_RPTR)) / 4;
	e->wptr = bw_join32(REG(e, RB_WPTR_HI), REG(e, RB_WPTR)) / 4;
	atomic_store(&e->rptr, rptr);
	e->in_ib = e->stopped_in_ib;
	e->stopped_in_ib = e->polling = e->started = e->stopped = false;
	e->progress = 0;
	e->why[0] = '\0';
	e->active = e->is_fresh = true;
	e->waits_for = 0;
}

uint32_t bw_sdma_reg_read(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg)
{
	uint32_t v;
	enum bw_register reg0;
	struct bw_sdma_engine *e = engine_of(dev, reg, &reg0);
	pthread_mutex_lock(&dev->sdma->lock);
	uint64_t rptr_b = atomic_load(&e->rptr) * 4;
	switch ((int)reg0) {
	case BW_REG_SDMA0_QUEUE0_RB_RPTR:
		v = e->active ? (uint32_t)rptr_b : read_queue(e, reg0);
		break;
	case BW_REG_SDMA0_QUEUE0_RB_RPTR_HI:
		v = e->active ? bw_hi32(rptr_b) : read_queue(e, reg0);
		break;
	case BW_REG_SDMA0_QUEUE0_CONTEXT_STATUS:
		v = BW_FIELD(SDMA0_QUEUE0_CONTEXT_STATUS, SELECTED, e->active) |
		    BW_FIELD(SDMA0_QUEUE0_CONTEXT_STATUS, USE_IB, e->active && e->in_ib) |
		    BW_FIELD(SDMA0_QUEUE0_CONTEXT_STATUS, IDLE,
			     !e->active || rptr_b / 4 == e->wptr);
		break;
	default:
		v = read_queue(e, reg0);
		break;
	}
	pthread_mutex_unlock(&dev->sdma->lock);
	return v;
}

void bw_sdma_reg_write(struct bw_device *dev, const struct bw_bank_sel *b, enum bw_register reg,
		       uint32_t value)
{
	enum bw_register reg0;
	struct bw_sdma_engine *e = engine_of(dev, reg, &reg0);
	bool enable = BW_FIELD_GET(SDMA0_QUEUE0_RB_CNTL, RB_ENABLE, value);
	pthread_mutex_lock(&dev->sdma->lock);
	if (reg0 != BW_REG_SDMA0_QUEUE0_CONTEXT_STATUS)
		write_queue(e, reg0, value);
	switch ((int)reg0) {
	case BW_REG_SDMA0_QUEUE0_RB_CNTL:
		if (enable && !e->active)
			activate(e);
		else if (!enable && e->active)
			e->stop_request = true;
		break;
	case BW_REG_SDMA0_QUEUE0_RB_RPTR: /* the driver says where it begins */
		e->stopped_in_ib = false;
		break;
	case BW_REG_SDMA0_QUEUE0_RB_WPTR:
	case BW_REG_SDMA0_QUEUE0_RB_WPTR_HI:
		e->wptr = bw_join32(REG(e, RB_WPTR_HI), REG(e, RB_WPTR)) / 4;
		break;
	}
	pthread_mutex_unlock(&dev->sdma->lock);
	bw_cp_kick(dev);
}

bool bw_sdma_doorbell(struct bw_device *dev, uint32_t index_dw, uint64_t value)
{
	bool found = false;
	pthread_mutex_lock(&dev->sdma->lock);
	for (unsigned i = 0; i < BW_N_SDMA_ENGINES && !found; i++) {
		struct bw_sdma_engine *e = &dev->sdma->engine[i];
		if (!e->active || !FIELD(e, DOORBELL, ENABLE) ||
		    FIELD(e, DOORBELL_OFFSET, OFFSET) != index_dw)
			continue;
		e->wptr = value / 4;
		write_queue(e, BW_REG_SDMA0_QUEUE0_RB_WPTR, bw_lo32(value));
		write_queue(e, BW_REG_SDMA0_QUEUE0_RB_WPTR_HI, bw_hi32(value));
		found = true;
	}
	pthread_mutex_unlock(&dev->sdma->lock);
	if (found)
		bw_cp_kick(dev);
	return found;
}

bool bw_sdma_busy(struct bw_device *dev, unsigned index)
{
	bool busy = false;
	pthread_mutex_lock(&dev->sdma->lock);
	for (unsigned i = index; i < BW_N_SDMA_ENGINES; i += BW_N_SDMA) {
		const struct bw_sdma_engine *e = &dev->sdma->engine[i];
		busy |= e->active && !e->stopped && e->wptr > atomic_load(&e->rptr);
	}
	pthread_mutex_unlock(&dev->sdma->lock);
	return busy;
}

/* ---- reading packets ---- */

static bool read_ring(struct bw_sdma_engine *e, uint64_t pos, uint32_t *out, uint64_t n)
{
	struct bw_tlb *tlb = tlb_of(e, e->ring_vmid);
	while (n) {
		struct bw_vm_fault fault;
		uint32_t at = (uint32_t)pos & (e->size_dw - 1);
		uint64_t run = BW_MIN(n, (uint64_t)(e->size_dw - at));
		if (!bw_vm_read(tlb, bw_canonical(e->base + at * 4ull), out, run * 4, &fault))
			return false;
		pos += run, out += run, n -= run;
	}
	return true;
}

static bool read_dw(struct bw_sdma_engine *e, uint64_t offset_dw, uint32_t *out, uint64_t n)
{
	struct bw_vm_fault fault;
	if (!e->in_ib)
		return read_ring(e, atomic_load(&e->rptr) + offset_dw, out, n);
	return bw_vm_read(tlb_of(e, e->ib_vmid),
			  bw_canonical(e->ib_va + (e->ib_pos_dw + offset_dw) * 4), out, n * 4,
			  &fault);
}

static bool have_room(struct bw_sdma_engine *e, size_t n_dw)
{
	if (n_dw <= e->packet_cap_dw)
		return true;
	uint32_t *grown = realloc(e->packet, n_dw * 4);
	if (!grown)
		return false;
	e->packet = grown;
	e->packet_cap_dw = n_dw;
	return true;
}

/* The next packet into e->packet. False: none, or the engine has been stopped. */
static bool fetch(struct bw_sdma_engine *e, uint64_t wptr, struct bw_sdma_packet *out)
{
	if (e->in_ib && e->ib_pos_dw >= e->ib_size_dw)
		e->in_ib = false;
	uint64_t rptr = atomic_load(&e->rptr);
	uint64_t left = e->in_ib ? e->ib_size_dw - e->ib_pos_dw : wptr > rptr ? wptr - rptr : 0;
	if (!left)
		return false;
	if (!e->in_ib && left > e->size_dw) {
		bw_sdma_fail(e,
			     "the write pointer is %" PRIu64
			     " dwords ahead, more than the ring holds",
			     left);
		return false;
	}
	/* Read the size that its header needs, then the size that its count gives. */
	uint64_t have = 0, want = 1;
	while (have < want) {
		if (want > left) {
			char buf[32];
			bw_sdma_fail(
				e, "packet %s of %" PRIu64 " dwords, but only %" PRIu64 " are left",
				bw_sdma_name(e->packet[0], buf), want, left);
			return false;
		}
		if (!have_room(e, want)) {
			bw_sdma_fail(e, "out of memory");
			return false;
		}
		if (!read_dw(e, have, e->packet + have, want - have)) {
			bw_sdma_fail(e, "commands of VMID %u cannot be read", bw_sdma_vmid(e));
			return false;
		}
		have = want;
		if (bw_sdma_at(e->packet, have, 0, out))
			break;
		want = out->size_dw;
	}
	return true;
}

static void advance(struct bw_sdma_engine *e, uint32_t n_dw)
{
	if (e->in_ib)
		e->ib_pos_dw += n_dw;
	else
		atomic_fetch_add(&e->rptr, n_dw);
}

/* ---- turns ---- */

static void report_rptr(struct bw_sdma_engine *e)
{
	uint64_t address = bw_join32(REG(e, RB_RPTR_ADDR_HI), REG(e, RB_RPTR_ADDR_LO) & ~3u);
	uint64_t rptr_b = atomic_load(&e->rptr) * 4;
	struct bw_vm_fault fault;
	if (!FIELD(e, RB_CNTL, RPTR_WRITEBACK_ENABLE) || !address)
		return;
	if (!bw_vm_write(tlb_of(e, e->ring_vmid), bw_canonical(address), &rptr_b, 8, &fault))
		BW_LOG(WARN, "vgpu", "the read pointer of SDMA %u cannot be reported to 0x%" PRIx64,
		       e->index, address);
}

static void stop(struct bw_sdma_engine *e)
{
	uint64_t rptr_b = atomic_load(&e->rptr) * 4;
	pthread_mutex_lock(&e->dev->sdma->lock);
	write_queue(e, BW_REG_SDMA0_QUEUE0_RB_RPTR, (uint32_t)rptr_b);
	write_queue(e, BW_REG_SDMA0_QUEUE0_RB_RPTR_HI, bw_hi32(rptr_b));
	e->stopped_in_ib = e->in_ib && !e->stopped && !e->mapped;
	e->active = e->stop_request = e->in_ib = e->polling = e->stopped = false;
	if (e->mapped)
		e->mapped = false;
	else if (FIELD(e, RB_CNTL, RB_ENABLE)) /* enabled again meanwhile */
		activate(e);
	pthread_mutex_unlock(&e->dev->sdma->lock);
}

/* The checker's queues are held up after a pause. */
static bool is_held(struct bw_sdma_engine *e, uint64_t wptr)
{
	if (wptr > e->submitted && e->submitted <= atomic_load(&e->rptr) && !e->in_ib)
		bw_aql_hold_begin(e->dev, &e->hold);
	e->submitted = wptr;
	return bw_aql_hold_is_on(&e->hold);
}

static bool run_engine(struct bw_sdma_engine *e)
{
	enum { TURN = 64 };
	pthread_mutex_lock(&e->dev->sdma->lock);
	bool active = e->active, stopped = e->stopped, stop_request = e->stop_request,
	     is_fresh = e->is_fresh && e->queue;
	uint64_t wptr = e->wptr;
	e->is_fresh = false;
	pthread_mutex_unlock(&e->dev->sdma->lock);
	if (is_fresh) {
		e->submitted = atomic_load(&e->rptr);
		e->line = bw_check_line_start(e->dev->check, e->line, e->submitted);
	}
	if (stop_request) {
		stop(e);
		return true;
	}
	e->polling = false;
	if (!active || stopped || atomic_load(&e->suspended))
		return false;
	bool progress = false, held = e->line != BW_CHECK_NO_LINE && is_held(e, wptr);
	if (e->line != BW_CHECK_NO_LINE)
		bw_aql_check_submitted(e->dev);
	for (unsigned n = 0; n < TURN; n++) {
		struct bw_sdma_packet p;
		if (!fetch(e, wptr, &p))
			break;
		/* What the queue waits for is looked at in any case. */
		enum bw_sdma_result r = held && !(p.info && p.info->code == BW_SDMA_POLL_REGMEM)
						? BW_SDMA_POLL
						: bw_sdma_execute(e, &p);
		e->polling = r == BW_SDMA_POLL;
		if (e->polling)
			break;
		progress = true;
		if (r == BW_SDMA_STOP || r == BW_SDMA_AGAIN)
			break;
		e->started = false;
		e->progress = 0;
		e->wait.has_begun = false;
		if (r == BW_SDMA_DONE)
			advance(e, p.size_dw);
	}
	if (progress)
		report_rptr(e);
	return progress;
}

bool bw_sdma_turn(struct bw_device *dev)
{
	bool progress = false;
	for (unsigned i = 0; i < BW_N_SDMA_ENGINES; i++)
		progress |= run_engine(&dev->sdma->engine[i]);
	return progress;
}

/* ---- queues of the scheduler ---- */

struct bw_sdma_engine *bw_sdma_map(struct bw_device *dev, const uint32_t mask[BW_N_SDMA],
				   const uint32_t mqd[BW_SDMA_MQD_DW], const struct bw_queue_map *m)
{
	/* A descriptor begins with the registers from RB_CNTL to IB_CNTL, in our order. */
	enum {
		N_COPIED = (BW_REG_SDMA0_QUEUE0_IB_CNTL - BW_REG_SDMA0_QUEUE0_RB_CNTL) /
				   BW_N_SDMA_ENGINES +
			   1
	};
	uint64_t wptr_b = bw_cp_stored_wptr(dev, m);
	for (unsigned i = BW_N_SDMA; i < BW_N_SDMA_ENGINES; i++) {
		struct bw_sdma_engine *e = &dev->sdma->engine[i];
		if (e->mapped || e->active || !bw_bit_is_set(mask[e->index], e->queue))
			continue;
		pthread_mutex_lock(&dev->sdma->lock);
		memcpy(e->regs, mqd, N_COPIED * sizeof(mqd[0]));
		write_queue(e, BW_REG_SDMA0_QUEUE0_DOORBELL,
			    BW_FIELD_MASK(SDMA0_QUEUE0_DOORBELL, ENABLE));
		write_queue(e, BW_REG_SDMA0_QUEUE0_DOORBELL_OFFSET,
			    BW_FIELD(SDMA0_QUEUE0_DOORBELL_OFFSET, OFFSET, m->doorbell_dw));
		activate(e);
		/* What was written while the queue was not mapped, and rang no doorbell. */
		e->wptr = BW_MAX(e->wptr, wptr_b / 4);
		e->ring_vmid = (uint8_t)m->vmid;
		e->mapped = true;
		atomic_store(&e->suspended, false);
		pthread_mutex_unlock(&dev->sdma->lock);
		bw_cp_kick(dev);
		return e;
	}
	return NULL;
}

enum bw_cp_result bw_sdma_end(struct bw_sdma_engine *e)
{
	pthread_mutex_lock(&e->dev->sdma->lock);
	bool active = e->active;
	e->stop_request |= active;
	pthread_mutex_unlock(&e->dev->sdma->lock);
	return active ? BW_CP_POLL : BW_CP_DONE;
}

enum bw_cp_result bw_sdma_unmap(struct bw_queue *by, struct bw_sdma_engine *e, uint64_t mqd_va)
{
	enum {
		RPTR = (BW_REG_SDMA0_QUEUE0_RB_RPTR - BW_REG_SDMA0_QUEUE0_RB_CNTL) /
		       BW_N_SDMA_ENGINES
	};
	enum bw_cp_result r = bw_sdma_end(e);
	const uint32_t rptr[2] = {REG(e, RB_RPTR), REG(e, RB_RPTR_HI)};
	if (r == BW_CP_DONE && !bw_cp_mem_write(by, mqd_va + RPTR * 4, rptr, sizeof(rptr)))
		return BW_CP_STOP;
	return r;
}

bool bw_sdma_polling(struct bw_device *dev)
{
	bool polling = false;
	for (unsigned i = 0; i < BW_N_SDMA_ENGINES; i++)
		polling |= dev->sdma->engine[i].polling;
	return polling;
}

struct bw_error *bw_sdma_create(struct bw_device *dev)
{
	struct bw_sdma *s = calloc(1, sizeof(*s));
	if (!s)
		return bw_error_nomem();
	pthread_mutex_init(&s->lock, NULL);
	for (unsigned i = 0; i < BW_N_SDMA_ENGINES; i++) {
		struct bw_sdma_engine *e = &s->engine[i];
		e->dev = dev;
		e->index = i % BW_N_SDMA;
		e->queue = i / BW_N_SDMA;
		for (unsigned v = 0; v < BW_N_VMIDS; v++)
			bw_tlb_init(&e->tlb[v], dev, v, BW_CLIENT_SDMA0 + e->index);
	}
	dev->sdma = s;
	return NULL;
}

void bw_sdma_destroy(struct bw_device *dev)
{
	if (!dev->sdma)
		return;
	for (unsigned i = 0; i < BW_N_SDMA_ENGINES; i++)
		free(dev->sdma->engine[i].packet);
	pthread_mutex_destroy(&dev->sdma->lock);
	free(dev->sdma);
	dev->sdma = NULL;
}
