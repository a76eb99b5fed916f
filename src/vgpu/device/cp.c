/* SPDX-License-Identifier: MIT */
#include "vgpu/device/aql.h"
#include "vgpu/device/cp_priv.h"
#include "vgpu/device/cwsr.h"
#include "vgpu/device/draw.h"
#include "vgpu/device/register_own.h"
#include "vgpu/device/sdma_engine.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/util.h"

struct bw_tlb *bw_cp_tlb(struct bw_device *dev, unsigned vmid)
{
	struct bw_tlb *tlb = &dev->cp->tlb[vmid];
	bw_tlb_sync(tlb);
	return tlb;
}

unsigned bw_cp_vmid(const struct bw_queue *q)
{
	return q->depth ? q->level[q->depth].vmid : BW_HQD_FIELD(q, HQD_VMID, VMID);
}

void bw_cp_fail(struct bw_queue *q, enum bw_queue_error error, const char *fmt, ...)
{
	struct bw_device *dev = q->dev;
	va_list args;
	va_start(args, fmt);
	pthread_mutex_lock(&dev->cp->lock);
	int n = vsnprintf(q->why, sizeof(q->why), fmt, args);
	const struct bw_cp_level *l = &q->level[q->depth];
	if (q->depth && n >= 0 && (size_t)n < sizeof(q->why))
		snprintf(q->why + n, sizeof(q->why) - (size_t)n,
			 ", at dword %" PRIu64 " of the IB at 0x%" PRIx64, (uint64_t)l->pos_dw,
			 l->va);
	atomic_store(&q->error, error);
	pthread_mutex_unlock(&dev->cp->lock);
	va_end(args);
	bw_device_log_stop(dev, "ME %u pipe %u queue %u stopped: %s", q->me, q->pipe, q->queue,
			   q->why);

	struct bw_ih_vector v = {
		.client = BW_IH_CLIENT_GRBM_CP,
		.source = error == BW_QUEUE_PRIV_REG ? BW_IH_SRC_CP_PRIV_REG
						     : BW_IH_SRC_CP_BAD_OPCODE,
		.ring = bw_ih_ring(bw_own_me(dev, q->me), q->pipe, q->queue),
		.vmid = (uint8_t)bw_cp_vmid(q),
		.data = {bw_is_aql(q) ? bw_aql_error_data(q) : 0},
	};
	bw_ih_raise(dev, &v);
}

bool bw_device_queue_error(struct bw_device *dev, uint32_t me, uint32_t pipe, uint32_t queue,
			   char *out_text, size_t size)
{
	struct bw_queue *q = bw_cp_queue(dev, me, pipe, queue);
	if (!q)
		return false;
	pthread_mutex_lock(&dev->cp->lock);
	bool stopped = atomic_load(&q->error) != BW_QUEUE_OK;
	if (stopped)
		snprintf(out_text, size, "%s", q->why);
	pthread_mutex_unlock(&dev->cp->lock);
	return stopped;
}

/* --- reading packets --- */

/* n dwords of the ring at position pos (never wrapped). */
static bool read_ring(struct bw_queue *q, uint64_t pos, uint32_t *out, uint32_t n)
{
	uint64_t base = bw_join_256b(BW_HQD(q, HQD_PQ_BASE_HI), BW_HQD(q, HQD_PQ_BASE));
	uint32_t size = bw_cp_ring_dw(q);
	struct bw_tlb *tlb = bw_cp_tlb(q->dev, BW_HQD_FIELD(q, HQD_VMID, VMID));
	while (n) {
		struct bw_vm_fault fault;
		uint32_t at = (uint32_t)pos & (size - 1);
		uint32_t run = BW_MIN(n, size - at);
		if (!bw_vm_read(tlb, bw_canonical(base + at * 4ull), out, run * 4ull, &fault))
			return false;
		pos += run, out += run, n -= run;
	}
	return true;
}

static bool read_level(struct bw_queue *q, uint32_t *out, uint32_t offset_dw, uint32_t n)
{
	struct bw_cp_level *l = &q->level[q->depth];
	struct bw_vm_fault fault;
	if (!q->depth)
		return read_ring(q, atomic_load(&q->rptr) + offset_dw, out, n);
	return bw_vm_read(bw_cp_tlb(q->dev, l->vmid), l->va + (l->pos_dw + offset_dw) * 4ull, out,
			  n * 4ull, &fault);
}

static bool fetch_packet(struct bw_queue *q, uint64_t wptr, uint32_t *out_size_dw)
{
	while (q->depth && q->level[q->depth].pos_dw >= q->level[q->depth].size_dw)
		q->depth--;
	uint64_t left;
	if (q->depth) {
		left = q->level[q->depth].size_dw - q->level[q->depth].pos_dw;
	} else {
		uint64_t rptr = atomic_load(&q->rptr);
		if (wptr <= rptr)
			return false;
		left = wptr - rptr;
		if (left > bw_cp_ring_dw(q)) {
			bw_cp_fail(q, BW_QUEUE_BAD_PACKET,
				   "the write pointer is %" PRIu64
				   " dwords ahead, more than the ring holds",
				   left);
			return false;
		}
	}
	if (!read_level(q, q->packet, 0, 1))
		goto fault;
	uint32_t size = bw_pm4_size_dw(q->packet[0]);
	if (size > left) {
		char buf[16];
		bw_cp_fail(q, BW_QUEUE_BAD_PACKET,
			   "packet %s of %u dwords, but only %" PRIu64 " are left",
			   bw_pm4_name(bw_pm4_opcode(q->packet[0]), buf), size, left);
		return false;
	}
	if (size > 1 && !read_level(q, q->packet + 1, 1, size - 1))
		goto fault;
	*out_size_dw = size;
	return true;
fault:
	bw_cp_fail(q, BW_QUEUE_FAULT, "commands at 0x%" PRIx64 " of VMID %u cannot be read",
		   q->depth ? q->level[q->depth].va + (uint64_t)q->level[q->depth].pos_dw * 4
			    : (uint64_t)atomic_load(&q->rptr) * 4,
		   bw_cp_vmid(q));
	return false;
}

static enum bw_cp_result run_packet(struct bw_queue *q, uint32_t size_dw)
{
	struct bw_pm4_packet p;
	bool is_whole = bw_pm4_at(q->packet, size_dw, 0, &p);
	assert(is_whole); /* its size is that of its header */
	return bw_cp_packet(q, &p);
}

static bool fetch_frame(struct bw_queue *q, uint64_t wptr, uint32_t *out_size_dw)
{
	uint64_t rptr = atomic_load(&q->rptr);
	if (wptr <= rptr)
		return false;
	if (wptr - rptr > bw_cp_ring_dw(q) || wptr - rptr < BW_MES_FRAME_DW) {
		bw_cp_fail(q, BW_QUEUE_BAD_PACKET,
			   "%" PRIu64 " dwords are less than a frame or more than the ring",
			   wptr - rptr);
		return false;
	}
	*out_size_dw = BW_MES_FRAME_DW;
	if (read_ring(q, rptr, q->packet, BW_MES_FRAME_DW))
		return true;
	bw_cp_fail(q, BW_QUEUE_FAULT, "the scheduler's ring cannot be read");
	return false;
}

static enum bw_cp_result run_frame(struct bw_queue *q, uint32_t size_dw)
{
	return bw_mes_frame(q->dev->cp->mes, q);
}

static void forget_frames(struct bw_queue *q)
{
	bw_mes_forget(q->dev->cp->mes);
}

/* Of the queue's own ring, or, while one of its packets has called an indirect buffer, of that. */
static bool fetch_aql(struct bw_queue *q, uint64_t wptr, uint32_t *out_size_dw)
{
	while (q->depth && q->level[q->depth].pos_dw >= q->level[q->depth].size_dw)
		q->depth--;
	return q->depth ? fetch_packet(q, wptr, out_size_dw) : bw_aql_fetch(q, out_size_dw);
}

static enum bw_cp_result run_aql(struct bw_queue *q, uint32_t size_dw)
{
	return q->depth ? run_packet(q, size_dw) : bw_aql_run(q);
}

/* The kind of packets in a queue's ring. */
struct queue_format {
	/* Reads the next command, which ends at wptr at the latest, into q->packet. False: there
	 * is none, or the queue has been stopped. */
	bool (*fetch)(struct bw_queue *q, uint64_t wptr, uint32_t *out_size_dw);
	/* Carries it out; called again for the same one after BW_CP_WAIT, POLL and AGAIN. */
	enum bw_cp_result (*run)(struct bw_queue *q, uint32_t size_dw);
	void (*ended)(struct bw_queue *q); /* the queue; or NULL */
	bool counts_packets;		   /* its pointers: it keeps those in memory itself */
};

static void forget_processes(struct bw_queue *q)
{
	bw_hws_forget(q->dev->cp->hws);
}

static const struct queue_format hiq_format = {fetch_packet, run_packet, forget_processes, false};
static const struct queue_format pm4_format = {fetch_packet, run_packet, NULL, false};
static const struct queue_format mes_format = {fetch_frame, run_frame, forget_frames, false};
static const struct queue_format aql_format = {fetch_aql, run_aql, NULL, true};

static const struct queue_format *format_of(const struct bw_queue *q)
{
	return bw_is_mes(q)   ? &mes_format
	       : bw_is_hiq(q) ? &hiq_format
	       : bw_is_aql(q) ? &aql_format
			      : &pm4_format;
}

static void advance(struct bw_queue *q, uint32_t size_dw)
{
	if (q->depth)
		q->level[q->depth].pos_dw += size_dw;
	else
		atomic_fetch_add(&q->rptr, size_dw);
}

static void report_rptr(struct bw_queue *q)
{
	uint64_t address =
		bw_join32(BW_HQD_FIELD(q, HQD_PQ_RPTR_REPORT_ADDR_HI, RPTR_REPORT_ADDR_HI),
			  BW_HQD(q, HQD_PQ_RPTR_REPORT_ADDR));
	uint32_t mask = bw_cp_ring_dw(q) - 1;
	uint32_t rptr = (uint32_t)atomic_load(&q->rptr) & mask;
	struct bw_vm_fault fault;
	if (address && !bw_vm_write(bw_cp_tlb(q->dev, BW_HQD_FIELD(q, HQD_VMID, VMID)),
				    bw_canonical(address), &rptr, 4, &fault))
		BW_LOG(WARN, "vgpu", "the read pointer cannot be reported to 0x%" PRIx64, address);
}

/* DEQUEUE_REQUEST. A queue without an area for its waves loses them. */
static bool dequeue(struct bw_queue *q, uint32_t request)
{
	if (request == BW_DEQUEUE_SAVE && bw_cwsr_has_area(q)) {
		if (!bw_cwsr_save(q)) {
			q->polling = true;
			return false;
		}
	} else if (request >= BW_DEQUEUE_RESET) {
		bw_spi_cancel(q->dev, q, 0);
		bw_sq_kill_queue(q->dev, q);
		bw_cwsr_abandon(q);
	}
	if (atomic_load(&q->n_inflight))
		return false;
	if (bw_is_aql(q) && request == BW_DEQUEUE_DRAIN)
		bw_aql_drained(q);
	if (format_of(q)->ended)
		format_of(q)->ended(q);
	/* Once it is not active, the driver may give it another queue's registers. */
	pthread_mutex_lock(&q->dev->cp->lock);
	q->active = false;
	q->dequeue = 0;
	bool goes_on = request == BW_DEQUEUE_DRAIN && !bw_is_aql(q) &&
		       atomic_load(&q->error) == BW_QUEUE_OK;
	q->kept_depth = goes_on ? q->depth : 0;
	q->depth = 0;
	q->polling = false;
	bw_draw_end(q);
	BW_HQD(q, HQD_PQ_RPTR) = (uint32_t)atomic_load(&q->rptr);
	pthread_mutex_unlock(&q->dev->cp->lock);
	return true;
}

static bool run_queue(struct bw_queue *q)
{
	enum { TURN = 256 }; /* packets, so that queues share the command processor */
	pthread_mutex_lock(&q->dev->cp->lock);
	bool active = q->active;
	uint32_t request = q->dequeue;
	uint64_t wptr = q->wptr;
	pthread_mutex_unlock(&q->dev->cp->lock);

	if (!active)
		return false;
	if (request)
		return dequeue(q, request);
	if (atomic_load(&q->error) != BW_QUEUE_OK || atomic_load(&q->suspended))
		return false;
	if (!q->packet && !(q->packet = malloc(BW_CP_PACKET_DW * 4))) {
		bw_cp_fail(q, BW_QUEUE_BAD_PACKET, "out of memory");
		return false;
	}
	q->polling = false;
	const struct queue_format *format = format_of(q);
	bool progress = false;
	uint32_t size_dw;
	for (unsigned n = 0; n < TURN && format->fetch(q, wptr, &size_dw); n++) {
		enum bw_cp_result result = format->run(q, size_dw);
		if (result == BW_CP_WAIT || result == BW_CP_POLL) {
			q->polling = result == BW_CP_POLL;
			break;
		}
		progress = true;
		if (result == BW_CP_STOP || result == BW_CP_AGAIN)
			break;
		q->started = false;
		if (result == BW_CP_DONE)
			advance(q, size_dw);
	}
	if (progress && !format->counts_packets)
		report_rptr(q);
	return progress;
}

bool bw_cp_turn(struct bw_device *dev)
{
	bool progress = false, polling = false;
	for (unsigned i = 0; i < BW_N_QUEUES; i++) {
		progress |= run_queue(&dev->cp->queue[i]);
		polling |= dev->cp->queue[i].polling;
	}
	progress |= bw_sdma_turn(dev);
	polling |= bw_sdma_polling(dev);
	atomic_store(&dev->cp->polling, polling);
	return progress;
}

bool bw_cp_polling(struct bw_device *dev)
{
	return atomic_load(&dev->cp->polling);
}

bool bw_cp_busy(struct bw_device *dev)
{
	bool busy = false;
	pthread_mutex_lock(&dev->cp->lock);
	for (unsigned i = 0; i < BW_N_QUEUES; i++) {
		const struct bw_queue *q = &dev->cp->queue[i];
		busy |= q->active &&
			(q->wptr > atomic_load(&q->rptr) || atomic_load(&q->n_inflight));
	}
	pthread_mutex_unlock(&dev->cp->lock);
	return busy;
}

/* --- the thread --- */

/* The thread that takes the command processor's turns: at any time one. */
static __thread struct {
	const struct bw_device *of;  /* NULL: this thread does not */
	bool runs_waves, was_kicked; /* meanwhile, by itself */
} turns;

bool bw_device_is_cp_thread(const struct bw_device *dev)
{
	return dev && turns.of == dev && !turns.runs_waves;
}

void bw_cp_kick(struct bw_device *dev)
{
	struct bw_cp *cp = dev->cp;
	if (!cp)
		return;
	if (turns.of == dev) {
		turns.was_kicked = true;
		return;
	}
	pthread_mutex_lock(&cp->kick_lock);
	cp->kicked = true;
	pthread_mutex_unlock(&cp->kick_lock);
	pthread_cond_signal(&cp->kick_cond);
	if (dev->options.deterministic)
		bw_sched_poke(dev);
}

/* A polling queue is checked every 20 us at first, and every 1 ms later. */
static void wait_for_kick(struct bw_cp *cp)
{
	if (!atomic_load(&cp->polling)) {
		pthread_cond_wait(&cp->kick_cond, &cp->kick_lock);
		return;
	}
	unsigned doublings = BW_MIN(cp->idle_polls / 16, 10u);
	uint64_t ns = BW_MIN(20000ull << doublings, 1000000ull);
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	ns += (uint64_t)ts.tv_nsec;
	ts.tv_sec += (time_t)(ns / 1000000000u);
	ts.tv_nsec = (long)(ns % 1000000000u);
	if (pthread_cond_timedwait(&cp->kick_cond, &cp->kick_lock, &ts))
		cp->idle_polls++;
}

/* Turns until nothing can be done, with cp->turns. Little work that a turn gives to the waves is
 * done here as well, for which no other thread needs to be woken. */
static bool take_turns(struct bw_device *dev)
{
	bool progress = false, again;
	do {
		turns.was_kicked = false;
		again = bw_cp_turn(dev);
		progress |= again;
		turns.runs_waves = true;
		bw_sched_help(dev);
		turns.runs_waves = false;
	} while (again || turns.was_kicked);
	return progress;
}

bool bw_device_ring(struct bw_device *dev, bool (*ring)(void *arg), void *arg)
{
	struct bw_cp *cp = dev->cp;
	if (!cp->has_thread || pthread_mutex_trylock(&cp->turns))
		return ring(arg);
	turns.of = dev;
	turns.was_kicked = false;
	bool any = ring(arg), is_kicked = turns.was_kicked;
	if (is_kicked)
		take_turns(dev);
	turns.of = NULL;
	pthread_mutex_unlock(&cp->turns);
	if (is_kicked && atomic_load(&cp->polling))
		bw_cp_kick(dev); /* its thread goes on looking */
	return any;
}

static void *cp_main(void *arg)
{
	struct bw_device *dev = arg;
	struct bw_cp *cp = dev->cp;
	pthread_mutex_lock(&cp->kick_lock);
	while (!cp->stop) {
		if (!cp->kicked) {
			wait_for_kick(cp);
			if (cp->stop)
				break;
		}
		cp->kicked = false;
		pthread_mutex_unlock(&cp->kick_lock);
		pthread_mutex_lock(&cp->turns);
		turns.of = dev;
		bool progress = take_turns(dev);
		turns.of = NULL;
		pthread_mutex_unlock(&cp->turns);
		pthread_mutex_lock(&cp->kick_lock);
		if (progress)
			cp->idle_polls = 0;
	}
	pthread_mutex_unlock(&cp->kick_lock);
	return NULL;
}

struct bw_error *bw_cp_create(struct bw_device *dev)
{
	struct bw_cp *cp = calloc(1, sizeof(*cp));
	if (!cp)
		return bw_error_nomem();
	pthread_mutex_init(&cp->lock, NULL);
	pthread_mutex_init(&cp->kick_lock, NULL);
	pthread_mutex_init(&cp->turns, NULL);
	pthread_condattr_t attr;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&cp->kick_cond, &attr);
	pthread_condattr_destroy(&attr);
	for (unsigned i = 0; i < BW_N_QUEUES; i++) {
		struct bw_queue *q = &cp->queue[i];
		q->dev = dev;
		q->index = i;
		/* ME 0: graphics, one pipe; ME 1: four pipes of eight queues; ME 3: the scheduler's
		 * queue and the KIQ. */
		bool of_mes = i >= BW_N_QUEUES - 2;
		q->me = of_mes ? 3 : i >= 8;
		q->pipe = of_mes   ? (uint8_t)(i - (BW_N_QUEUES - 2))
			  : i >= 8 ? (uint8_t)((i - 8) / 8)
				   : 0;
		q->queue = of_mes ? 0 : i % 8;
		q->tail = &q->head;
		q->restore_tail = &q->restore;
		/* Compute units are all enabled until a driver changes that
		 * (gfx_v11_0_compute_mqd_init). */
		for (unsigned se = 0; se < BW_MAX_SES; se++)
			*bw_queue_sh(q, BW_REG_COMPUTE_STATIC_THREAD_MGMT_SE0 + se) = 0xffffffff;
	}
	for (unsigned v = 0; v < BW_N_VMIDS; v++)
		bw_tlb_init(&cp->tlb[v], dev, v, BW_CLIENT_CPC);
	dev->cp = cp;
	cp->mes = bw_mes_create();
	cp->hws = bw_hws_create();
	return cp->mes && cp->hws ? NULL : bw_error_nomem();
}

struct bw_error *bw_cp_start(struct bw_device *dev)
{
	if (dev->options.deterministic)
		return NULL;
	int e = pthread_create(&dev->cp->thread, NULL, cp_main, dev);
	if (e)
		return bw_error_errno(e, "starting the command processor");
	dev->cp->has_thread = true;
	return NULL;
}

void bw_cp_stop(struct bw_device *dev)
{
	struct bw_cp *cp = dev->cp;
	if (!cp || !cp->has_thread)
		return;
	pthread_mutex_lock(&cp->kick_lock);
	cp->stop = true;
	pthread_cond_signal(&cp->kick_cond);
	pthread_mutex_unlock(&cp->kick_lock);
	pthread_join(cp->thread, NULL);
	cp->has_thread = false;
}

void bw_cp_destroy(struct bw_device *dev)
{
	struct bw_cp *cp = dev->cp;
	if (!cp)
		return;
	for (unsigned i = 0; i < BW_N_QUEUES; i++) {
		free(cp->queue[i].packet);
		bw_cwsr_free(&cp->queue[i]);
		bw_draw_end(&cp->queue[i]);
	}
	bw_draw_threads_destroy(cp->draw_threads);
	bw_mes_destroy(cp->mes);
	bw_hws_destroy(cp->hws);
	pthread_mutex_destroy(&cp->lock);
	pthread_mutex_destroy(&cp->kick_lock);
	pthread_mutex_destroy(&cp->turns);
	pthread_cond_destroy(&cp->kick_cond);
	free(cp);
	dev->cp = NULL;
}
