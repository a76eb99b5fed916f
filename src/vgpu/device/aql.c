/* SPDX-License-Identifier: MIT */
/* AQL packets (doc/hardware/device.md 5.1; layouts: pm4/aql.h). */
#include "vgpu/device/aql.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "vgpu/device/cp_priv.h"
#include "vgpu/device/register_own.h"
#include "vgpu/device/cwsr.h"
#include "vgpu/device/exec/strict/strict.h"
#include "vgpu/device/spi.h"

/* Errors of a queue as its interrupt says them: enum kfd_dbg_trap_exception_code of kfd_ioctl.h,
 * EC_QUEUE_PACKET_*. */
enum packet_error {
	ERROR_NONE,
	ERROR_DIMENSIONS = 16,
	ERROR_GROUP_SEGMENT = 17,
	ERROR_CODE = 18,
	ERROR_UNSUPPORTED = 20,
	ERROR_GROUP_SIZE = 21,
	ERROR_REGISTERS = 22,
	ERROR_VENDOR = 23,
};

uint32_t bw_aql_error_data(const struct bw_queue *q)
{
	unsigned code = q->aql.error ? q->aql.error : q->depth ? ERROR_VENDOR : ERROR_NONE;
	return bw_aql_doorbell_id(q) | code << 10; /* KFD_DEBUG_DOORBELL_ID, _CP_BAD_OP_ECODE */
}

static unsigned vmid_of(const struct bw_queue *q)
{
	return BW_HQD_FIELD(q, HQD_VMID, VMID);
}

static bool is_idle(const struct bw_queue *q)
{
	return q->aql.first == q->aql.next;
}

/* Stops the queue at a packet that is wrong, after those before it have been completed. */
static enum bw_cp_result BW_PRINTF(3, 4)
	reject(struct bw_queue *q, enum packet_error code, const char *fmt, ...)
{
	char why[160];
	va_list args;
	if (!is_idle(q))
		return BW_CP_WAIT;
	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	q->aql.error = code;
	bw_cp_fail(q, code >= ERROR_GROUP_SIZE ? BW_QUEUE_BAD_DISPATCH : BW_QUEUE_BAD_PACKET,
		   "AQL packet %" PRIu64 ": %s", q->aql.next, why);
	return BW_CP_STOP;
}

/* --- memory --- */

/* Host address of an object that does not cross a page; NULL: the queue has been stopped. */
static void *locate(struct bw_queue *q, uint64_t va, unsigned size_b, unsigned access)
{
	struct bw_vm_fault fault = {0};
	uint8_t *host = NULL;
	if (!(va % size_b))
		host = bw_tlb_lookup(bw_cp_tlb(q->dev, vmid_of(q)), va, access, &fault);
	if (!host)
		bw_cp_fail(q, BW_QUEUE_FAULT, "its AQL packets need 0x%" PRIx64 " of VMID %u, %s",
			   va, vmid_of(q),
			   va % size_b ? "which is not aligned" : "which is not mapped for that");
	return host;
}

static bool load64(struct bw_queue *q, uint64_t va, uint64_t *out)
{
	const uint64_t *p = locate(q, va, 8, BW_ACCESS_READ);
	if (p)
		*out = __atomic_load_n(p, __ATOMIC_ACQUIRE);
	return p;
}

static bool store64(struct bw_queue *q, uint64_t va, uint64_t value)
{
	uint64_t *p = locate(q, va, 8, BW_ACCESS_WRITE);
	if (p)
		__atomic_store_n(p, value, __ATOMIC_RELEASE);
	return p;
}

static bool read_words(struct bw_queue *q, uint64_t va, void *out, size_t size_b)
{
	struct bw_vm_fault fault;
	if (bw_vm_read(bw_cp_tlb(q->dev, vmid_of(q)), va, out, size_b, &fault))
		return true;
	bw_cp_fail(q, BW_QUEUE_FAULT,
		   "its AQL packets need 0x%" PRIx64 " of VMID %u, which is not mapped for that",
		   va, vmid_of(q));
	return false;
}

static uint64_t read_index_va(const struct bw_queue *q)
{
	return bw_canonical(
		bw_join32(BW_HQD_FIELD(q, HQD_PQ_RPTR_REPORT_ADDR_HI, RPTR_REPORT_ADDR_HI),
			  BW_HQD(q, HQD_PQ_RPTR_REPORT_ADDR)));
}

uint64_t bw_aql_write_index_va(const struct bw_queue *q)
{
	return bw_canonical(bw_join32(BW_HQD(q, HQD_PQ_WPTR_POLL_ADDR_HI) & 0xffff,
				      BW_HQD(q, HQD_PQ_WPTR_POLL_ADDR)));
}

static uint32_t n_slots(const struct bw_queue *q)
{
	return BW_MAX(bw_cp_ring_dw(q) / BW_AQL_PACKET_DW, 1u);
}

uint64_t bw_aql_slot_va(const struct bw_queue *q, uint64_t index)
{
	return bw_canonical(bw_join_256b(BW_HQD(q, HQD_PQ_BASE_HI), BW_HQD(q, HQD_PQ_BASE)) +
			    index % n_slots(q) * BW_AQL_PACKET_B);
}

/* The queue's object, which begins before its read index. */
static bool read_object(struct bw_queue *q, uint64_t *out_va, struct bw_aql_queue_object *out)
{
	uint64_t va = read_index_va(q);
	uint32_t offset, dw[BW_AQL_QUEUE_DW];
	if (!read_words(q, va + BW_AQL_READ_ID_TO_OFFSET_B, &offset, 4) ||
	    !read_words(q, va - offset, dw, sizeof(dw)))
		return false;
	*out_va = va - offset;
	bw_aql_read_queue(dw, out);
	return true;
}

/* --- signals --- */

/* Tells who waits for the signal: its event's number into the mailbox, and the interrupt. */
static bool wake_waiters(struct bw_queue *q, uint64_t signal)
{
	uint64_t mailbox, event;
	if (!load64(q, signal + BW_AQL_SIGNAL_MAILBOX, &mailbox) ||
	    !load64(q, signal + BW_AQL_SIGNAL_EVENT, &event))
		return false;
	if (!mailbox) /* one that is only polled */
		return true;
	if (!store64(q, mailbox, bw_lo32(event)))
		return false;
	struct bw_ih_vector v = {
		.client = BW_IH_CLIENT_GRBM_CP,
		.source = BW_IH_SRC_CP_EOP,
		.ring = bw_ih_ring(bw_own_me(q->dev, q->me), q->pipe, q->queue),
		.vmid = (uint8_t)vmid_of(q),
		.data = {bw_lo32(event)},
	};
	bw_ih_raise(q->dev, &v);
	return true;
}

static bool decrement_signal(struct bw_queue *q, const struct bw_aql_running *r)
{
	const uint64_t signal = r->completion;
	uint64_t *value =
		locate(q, signal + BW_AQL_SIGNAL_VALUE, 8, BW_ACCESS_WRITE | BW_ACCESS_ATOMIC);
	if (!value)
		return false;
	bw_check_signalled(q->dev->check, r->job, value,
			   r->is_sole && __atomic_load_n(value, __ATOMIC_RELAXED) == 1);
	__atomic_fetch_sub(value, 1, __ATOMIC_SEQ_CST);
	return wake_waiters(q, signal);
}

/* --- completion --- */

/* The order of the packet processor: the slot is free, the read index names the next packet, then
 * the completion signal. */
static bool finish_packet(struct bw_queue *q, const struct bw_aql_running *r)
{
	uint16_t *header = locate(q, bw_aql_slot_va(q, q->aql.first), 4, BW_ACCESS_WRITE);
	if (!header)
		return false;
	__atomic_store_n(header, BW_AQL_INVALID, __ATOMIC_RELEASE);
	if (!store64(q, read_index_va(q), q->aql.first + 1))
		return false;
	q->aql.first++;
	if (!r->completion)
		return true;
	/* The program can know of it, and of those before it. */
	bw_aql_check_submitted(q->dev);
	bw_check_packets_ended(q->dev->check, q->check.line, q->aql.first);
	if (r->profiled &&
	    (!store64(q, r->completion + BW_AQL_SIGNAL_START, r->start) ||
	     !store64(q, r->completion + BW_AQL_SIGNAL_END, bw_device_realtime(q->dev))))
		return false;
	return decrement_signal(q, r);
}

static bool finish_packets(struct bw_queue *q)
{
	while (!is_idle(q)) {
		const struct bw_aql_running *r = &q->aql.running[q->aql.first % BW_AQL_WINDOW];
		if (!atomic_load(&r->done))
			break;
		if (!finish_packet(q, r))
			return false;
	}
	return true;
}

void bw_aql_drained(struct bw_queue *q)
{
	if (q->aql.is_loaded && atomic_load(&q->error) == BW_QUEUE_OK)
		finish_packets(q);
}

/* The packet has begun; `done`: and it is complete. Such packets have time stamps, too: HIP's
 * events are barriers. */
static enum bw_cp_result begun(struct bw_queue *q, const struct bw_aql_packet *p, bool done)
{
	struct bw_aql_running *r = &q->aql.running[q->aql.next % BW_AQL_WINDOW];
	struct bw_aql_queue_object o;
	uint64_t object_va;
	r->completion = p->completion;
	r->job = q->check.job;
	if (r->job.seq && p->completion) {
		uint64_t value;
		if (!load64(q, p->completion + BW_AQL_SIGNAL_VALUE, &value))
			return BW_CP_STOP;
		r->is_sole = value == 1;
	}
	if (done && p->completion) {
		if (!read_object(q, &object_va, &o))
			return BW_CP_STOP;
		r->profiled = o.properties & BW_AQL_QUEUE_PROFILES;
		r->start = bw_device_realtime(q->dev);
	}
	q->aql.next++;
	q->check.job.seq = 0;
	memset(q->check.wait, 0, sizeof(q->check.wait));
	memset(q->check.waits_for, 0, sizeof(q->check.waits_for));
	atomic_store(&q->rptr, q->aql.next * BW_AQL_PACKET_DW);
	if (done)
		atomic_store(&r->done, true);
	return BW_CP_JUMPED;
}

/* --- reading packets --- */

bool bw_aql_fetch(struct bw_queue *q, uint32_t *out_size_dw)
{
	struct bw_aql *a = &q->aql;
	uint64_t written;
	if (!a->is_loaded) {
		if (!load64(q, read_index_va(q), &a->first))
			return false;
		a->next = a->first;
		a->is_loaded = true;
		bw_aql_check_start(q);
		if (bw_cwsr_has_waves(q) && !bw_cwsr_restore(q))
			return false;
	}
	if (!finish_packets(q) || !load64(q, bw_aql_write_index_va(q), &written))
		return false;
	pthread_mutex_lock(&q->dev->cp->lock);
	q->wptr = written * BW_AQL_PACKET_DW;
	pthread_mutex_unlock(&q->dev->cp->lock);
	atomic_store(&q->rptr, a->next * BW_AQL_PACKET_DW);
	*out_size_dw = BW_AQL_PACKET_DW;
	bw_aql_check_submitted(q->dev);
	/* Producers may have reserved slots beyond the ring's end, and wait for room. */
	if (a->next >= written || a->next - a->first >= BW_MIN(n_slots(q), (uint32_t)BW_AQL_WINDOW))
		return false;
	const uint32_t *slot =
		locate(q, bw_aql_slot_va(q, a->next), BW_AQL_PACKET_B, BW_ACCESS_READ);
	if (!slot)
		return false;
	/* A producer fills the packet, and writes the header at the end. */
	q->packet[0] = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	memcpy(q->packet + 1, slot + 1, BW_AQL_PACKET_B - 4);
	return (q->packet[0] & 0xff) != BW_AQL_INVALID; /* its doorbell is still to come */
}

/* --- dispatches --- */

/* Asks the program for scratch, with the queue empty up to this packet, and waits for its answer: a
 * 0 in the signal. */
static enum bw_cp_result ask_for_scratch(struct bw_queue *q, const struct bw_aql_queue_object *o,
					 unsigned wanted)
{
	uint64_t value;
	if (!is_idle(q))
		return BW_CP_WAIT;
	if (!o->inactive_signal) {
		bw_cp_fail(q, BW_QUEUE_BAD_DISPATCH,
			   "a kernel needs scratch, and the queue has no signal to ask for it");
		return BW_CP_STOP;
	}
	if (!q->aql.has_asked) {
		q->aql.has_asked = true;
		return store64(q, o->inactive_signal + BW_AQL_SIGNAL_VALUE, wanted) &&
				       wake_waiters(q, o->inactive_signal)
			       ? BW_CP_POLL
			       : BW_CP_STOP;
	}
	if (!load64(q, o->inactive_signal + BW_AQL_SIGNAL_VALUE, &value))
		return BW_CP_STOP;
	q->aql.has_asked = value != 0; /* answered: the fields are read again */
	/* The program may have taken the memory from a queue that is idle. */
	bw_check_line_learns(q->dev->check, q->check.line, false);
	return BW_CP_POLL;
}

/* Whether a dispatch with other scratch is running: slots of both would overlap. */
static bool scratch_is_taken(const struct bw_queue *q, const struct bw_aql_queue_object *o)
{
	for (uint64_t i = q->aql.first; i != q->aql.next; i++) {
		const struct bw_aql_running *r = &q->aql.running[i % BW_AQL_WINDOW];
		if (r->has_scratch && !atomic_load(&r->done) &&
		    (r->tmpring != o->tmpring || r->scratch != o->scratch))
			return true;
	}
	return false;
}

#define SH(q, name) (*bw_queue_sh(q, BW_REG_COMPUTE_##name))

static void put_registers(struct bw_queue *q, const struct bw_aql_launch *l)
{
	const struct bw_aql_packet *p = l->packet;
	uint64_t pc = p->dispatch.kernel_object + (uint64_t)l->descriptor->entry_b;
	uint32_t data[BW_AQL_USER_SGPRS];
	SH(q, PGM_LO) = bw_lo_256b(pc);
	SH(q, PGM_HI) = bw_hi_256b(pc);
	SH(q, PGM_RSRC1) = l->descriptor->rsrc1;
	SH(q, PGM_RSRC2) = bw_aql_rsrc2(l);
	SH(q, PGM_RSRC3) = l->descriptor->rsrc3;
	for (unsigned i = 0; i < 3; i++) {
		*bw_queue_sh(q, BW_REG_COMPUTE_NUM_THREAD_X + i) = p->dispatch.group[i];
		*bw_queue_sh(q, BW_REG_COMPUTE_START_X + i) = 0;
	}
	bw_aql_user_data(l, data);
	for (unsigned i = 0; i < BW_ARRAY_SIZE(data); i++)
		*bw_queue_sh(q, BW_REG_COMPUTE_USER_DATA_0 + i) = data[i];
	SH(q, TMPRING_SIZE) = l->queue->tmpring;
	SH(q, DISPATCH_SCRATCH_BASE_LO) = bw_lo_256b(l->queue->scratch);
	SH(q, DISPATCH_SCRATCH_BASE_HI) = bw_hi_256b(l->queue->scratch);
}

/* The kernel descriptor. If there is none, that is an error of the packet, not a page fault [I]. */
static bool read_descriptor(struct bw_queue *q, uint64_t va, struct bw_aql_descriptor *out)
{
	struct bw_vm_fault fault;
	uint32_t dw[BW_AQL_DESCRIPTOR_DW];
	if (!va || va % BW_AQL_DESCRIPTOR_B)
		return false;
	const uint8_t *host = bw_tlb_lookup(bw_cp_tlb(q->dev, vmid_of(q)), va,
					    BW_ACCESS_READ | BW_ACCESS_PROBE, &fault);
	if (!host)
		return false;
	memcpy(dw, host, sizeof(dw));
	bw_aql_read_descriptor(dw, out);
	return out->is_reserved_zero && !((va + (uint64_t)out->entry_b) % 256);
}

static enum bw_cp_result check_sizes(struct bw_queue *q, const struct bw_aql_packet *p)
{
	const uint32_t *group = p->dispatch.group, *grid = p->dispatch.grid;
	uint64_t threads = (uint64_t)group[0] * group[1] * group[2];
	bool is_empty = !p->dispatch.dimensions || !threads || !grid[0] || !grid[1] || !grid[2];
	if (is_empty)
		return reject(q, ERROR_DIMENSIONS,
			      "%u dimensions, a grid of %u x %u x %u in groups of %u x %u x %u",
			      p->dispatch.dimensions, grid[0], grid[1], grid[2], group[0], group[1],
			      group[2]);
	if (threads > 1024)
		return reject(q, ERROR_GROUP_SIZE, "a workgroup of %" PRIu64 " work-items",
			      threads);
	if (p->dispatch.group_b > q->dev->profile->lds_max_group_b)
		return reject(q, ERROR_GROUP_SEGMENT, "%u bytes of LDS for a workgroup",
			      p->dispatch.group_b);
	return BW_CP_DONE;
}

/* resume: the packet had begun when the queue's waves were saved; or NULL. */
static enum bw_cp_result run_dispatch(struct bw_queue *q, const struct bw_aql_packet *p,
				      const struct bw_cwsr_resume *resume)
{
	struct bw_aql_descriptor d;
	struct bw_aql_queue_object o;
	uint64_t object_va;
	enum bw_cp_result r = check_sizes(q, p);
	if (r != BW_CP_DONE)
		return r;
	if (!read_descriptor(q, p->dispatch.kernel_object, &d))
		return reject(q, ERROR_CODE, "there is no kernel descriptor at 0x%" PRIx64,
			      p->dispatch.kernel_object);
	if (!read_object(q, &object_va, &o))
		return BW_CP_STOP;
	const struct bw_aql_launch l = {.packet = p,
					.descriptor = &d,
					.queue = &o,
					.packet_va = bw_aql_slot_va(q, q->aql.next),
					.queue_va = object_va,
					.index = q->aql.next};
	bool wave32 = d.properties & BW_AQL_WAVE32;
	unsigned wanted = bw_aql_wants_scratch(&l);
	if (!resume && (q->aql.has_asked || wanted))
		return ask_for_scratch(q, &o, wanted);
	if (p->dispatch.private_b && scratch_is_taken(q, &o))
		return BW_CP_WAIT;

	put_registers(q, &l);
	struct bw_aql_running *running = &q->aql.running[q->aql.next % BW_AQL_WINDOW];
	running->job = q->check.job;
	running->start = resume ? resume->packet->start : bw_device_realtime(q->dev);
	running->profiled = o.properties & BW_AQL_QUEUE_PROFILES;
	running->has_scratch = p->dispatch.private_b;
	running->tmpring = o.tmpring;
	running->scratch = o.scratch;
	atomic_store(&running->done, false);
	const struct bw_dispatch_origin origin = {
		.slot = (uint32_t)(q->aql.next % n_slots(q)),
		.index = q->aql.next,
		.lds_b = p->dispatch.group_b,
		.running = running,
		.resume = resume,
	};
	uint32_t initiator = BW_PM4_INIT_ENABLE | BW_PM4_INIT_FORCE_START_AT_000 |
			     BW_PM4_INIT_USE_THREAD_DIMENSIONS |
			     (wave32 ? BW_PM4_INIT_CS_W32_EN : 0u);
	const char *why;
	if (!bw_spi_dispatch(q, vmid_of(q), p->dispatch.grid, initiator, &origin, &why))
		return reject(q, ERROR_REGISTERS, "%s", why);
	return begun(q, p, false);
}

bool bw_aql_resume(struct bw_queue *q, const struct bw_cwsr_resume *resume)
{
	struct bw_aql_packet p;
	struct bw_aql_running *running = &q->aql.running[q->aql.next % BW_AQL_WINDOW];
	uint32_t dw[BW_AQL_PACKET_DW];
	if (!read_words(q, bw_aql_slot_va(q, q->aql.next), dw, sizeof(dw)))
		return false;
	bw_aql_read(dw, &p);
	memset(running, 0, sizeof(*running));
	if (resume->packet->done)
		return begun(q, &p, true) == BW_CP_JUMPED;
	if (p.type == BW_AQL_DISPATCH && run_dispatch(q, &p, resume) == BW_CP_JUMPED)
		return true;
	if (atomic_load(&q->error) == BW_QUEUE_OK)
		bw_cp_fail(q, BW_QUEUE_BAD_PACKET,
			   "AQL packet %" PRIu64 " is not the one whose waves were saved",
			   q->aql.next);
	return false;
}

/* --- barriers and vendor packets --- */

static bool barriers_hold(struct bw_queue *q, const struct bw_aql_packet *p, bool *out_holds)
{
	bool all = true, any = false, has_some = false;
	for (unsigned i = 0; i < BW_AQL_N_BARRIER_SIGNALS; i++) {
		uint64_t value, signal = p->barriers.signal[i];
		if (!signal)
			continue;
		if (!load64(q, signal + BW_AQL_SIGNAL_VALUE, &value))
			return false;
		bw_aql_check_waits(q, i, signal, !value);
		has_some = true;
		all &= !value;
		any |= !value;
	}
	*out_holds = p->type == BW_AQL_BARRIER_AND ? all : any || !has_some;
	return true;
}

static enum bw_cp_result run_barrier(struct bw_queue *q, const struct bw_aql_packet *p)
{
	bool holds;
	if (!barriers_hold(q, p, &holds))
		return BW_CP_STOP;
	if (holds)
		bw_aql_check_begin(q);
	return holds ? begun(q, p, true) : BW_CP_POLL;
}

static enum bw_cp_result run_barrier_value(struct bw_queue *q, const struct bw_aql_packet *p)
{
	uint64_t value = 0;
	if (p->value.condition > 3)
		return reject(q, ERROR_VENDOR, "a barrier on a value has no condition %u",
			      p->value.condition);
	if (p->value.signal && !load64(q, p->value.signal + BW_AQL_SIGNAL_VALUE, &value))
		return BW_CP_STOP;
	bool holds =
		!p->value.signal ||
		bw_aql_holds(p->value.condition, (int64_t)(value & p->value.mask), p->value.value);
	if (p->value.signal)
		bw_aql_check_waits(q, 0, p->value.signal, holds);
	if (holds)
		bw_aql_check_begin(q);
	return holds ? begun(q, p, true) : BW_CP_POLL;
}

/* PM4 packets in an indirect buffer, which cp.c runs before it comes back here. */
static enum bw_cp_result run_pm4_ib(struct bw_queue *q, const struct bw_aql_packet *p)
{
	struct bw_pm4_packet packet;
	if (q->aql.has_called_ib) {
		q->aql.has_called_ib = false;
		/* What its packets have waited for is not followed. */
		bw_check_line_learns(q->dev->check, q->check.line, true);
		bw_aql_check_begin(q);
		return begun(q, p, true);
	}
	bool is_whole = bw_pm4_at(p->pm4_ib.packet, BW_ARRAY_SIZE(p->pm4_ib.packet), 0, &packet);
	struct bw_pm4_flow ib = is_whole ? bw_pm4_flow(&packet) : (struct bw_pm4_flow){0};
	if (!ib.calls)
		return reject(q, ERROR_VENDOR, "0x%08x calls no indirect buffer",
			      p->pm4_ib.packet[0]);
	q->aql.has_called_ib = true;
	q->depth = 1;
	q->level[1] = (struct bw_cp_level){bw_canonical(ib.va), ib.size_dw, 0, (uint8_t)vmid_of(q)};
	return BW_CP_JUMPED;
}

static enum bw_cp_result run_vendor(struct bw_queue *q, const struct bw_aql_packet *p)
{
	switch ((enum bw_aql_vendor)p->vendor) {
	case BW_AQL_VENDOR_PM4_IB:
		return run_pm4_ib(q, p);
	case BW_AQL_VENDOR_BARRIER_VALUE:
		return run_barrier_value(q, p);
	}
	return reject(q, ERROR_VENDOR, "there is no vendor packet of format %u", p->vendor);
}

/* --- packets --- */

/* Both scopes are the same here: the L2 is coherent with the host. A release has nothing to do, as
 * caches write through; what an acquire forgets to drop stays stale in strict mode. */
static void acquire(struct bw_queue *q, unsigned scope)
{
	if (scope != BW_AQL_SCOPE_NONE && q->dev->strict)
		bw_strict_invalidate(q->dev->strict, BW_STRICT_ALL);
}

enum bw_cp_result bw_aql_run(struct bw_queue *q)
{
	struct bw_aql_packet p;
	bw_aql_read(q->packet, &p);
	BW_LOG(TRACE, "vgpu", "ME %u pipe %u queue %u vmid %u: %s", q->me, q->pipe, q->queue,
	       vmid_of(q), bw_aql_name(p.type));
	if (p.barrier && !is_idle(q))
		return BW_CP_WAIT;
	if (p.barrier || p.type != BW_AQL_DISPATCH)
		bw_queue_new_stretch(q);
	struct bw_aql_running *running = &q->aql.running[q->aql.next % BW_AQL_WINDOW];
	memset(running, 0, sizeof(*running));
	acquire(q, p.acquire);
	if (p.type == BW_AQL_DISPATCH && bw_aql_hold_is_on(&q->check.hold))
		return BW_CP_POLL;
	if (p.type == BW_AQL_DISPATCH)
		bw_aql_check_begin(q);
	switch ((enum bw_aql_type)p.type) {
	case BW_AQL_DISPATCH:
		return run_dispatch(q, &p, NULL);
	case BW_AQL_BARRIER_AND:
	case BW_AQL_BARRIER_OR:
		return run_barrier(q, &p);
	case BW_AQL_VENDOR:
		return run_vendor(q, &p);
	case BW_AQL_INVALID:
	case BW_AQL_AGENT_DISPATCH:
		break;
	}
	return reject(q, ERROR_UNSUPPORTED, "type %u (%s) is none that a GPU executes", p.type,
		      bw_aql_name(p.type));
}
