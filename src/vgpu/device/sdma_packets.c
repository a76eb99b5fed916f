/* SPDX-License-Identifier: MIT */
/* Execution of each SDMA packet. A packet that is not in the table is refused by its name. */
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "vgpu/device/scheduler.h"
#include "vgpu/device/sdma_engine.h"

/* Bytes of a copy or a fill in one turn. */
enum { TURN_B = 1 << 20, CHUNK_B = 16384 };

typedef enum bw_sdma_result packet_fn(struct bw_sdma_engine *e, const struct bw_sdma_packet *p);

static bool privileged(const struct bw_sdma_engine *e)
{
	return bw_sdma_vmid(e) == 0;
}

static enum bw_sdma_result refuse(struct bw_sdma_engine *e, const struct bw_sdma_packet *p,
				  const char *what)
{
	char buf[32];
	bw_sdma_fail(e, "SDMA packet %s: %s", bw_sdma_name(p->header, buf), what);
	return BW_SDMA_STOP;
}

/* ---- order ---- */

static enum bw_sdma_result do_nothing(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	return BW_SDMA_DONE;
}

static enum bw_sdma_result do_gcr_req(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	bw_sched_flush_code(e->dev); /* GLI_INV may be among them */
	return BW_SDMA_DONE;
}

static enum bw_sdma_result do_indirect(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	struct bw_sdma_indirect ib;
	if (e->in_ib)
		return refuse(e, p, "an indirect buffer calls no other one");
	bw_sdma_indirect(p, &ib);
	atomic_fetch_add(&e->rptr, p->size_dw);
	e->ib_va = ib.address;
	e->ib_pos_dw = 0;
	e->ib_size_dw = ib.n_dw;
	e->ib_vmid = e->ring_vmid ? e->ring_vmid : ib.vmid; /* a program's queue stays in its own */
	e->in_ib = true;
	return BW_SDMA_JUMPED;
}

static enum bw_sdma_result skip(struct bw_sdma_engine *e, const struct bw_sdma_packet *p,
				uint32_t n)
{
	uint64_t by = (uint64_t)p->size_dw + n;
	if (e->in_ib)
		e->ib_pos_dw = (uint32_t)BW_MIN(e->ib_pos_dw + by, (uint64_t)e->ib_size_dw);
	else
		atomic_fetch_add(&e->rptr, by);
	return BW_SDMA_JUMPED;
}

/* [I] that memory above the reference counts as well; drivers use 0 and 1 with reference 1. */
static enum bw_sdma_result do_cond_exe(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	struct bw_sdma_cond_exe c;
	uint32_t value;
	bw_sdma_cond_exe(p, &c);
	if (!bw_sdma_read(e, c.address, &value, 4))
		return BW_SDMA_STOP;
	return skip(e, p, value >= c.reference ? 0 : c.n_dw);
}

static enum bw_sdma_result do_pre_exe(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	struct bw_sdma_pre_exe x;
	bw_sdma_pre_exe(p, &x);
	return skip(e, p, x.devices & 1 ? 0 : x.n_dw);
}

static enum bw_sdma_result do_fence(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	struct bw_sdma_fence f;
	bw_sdma_fence(p, &f);
	bw_sdma_signals(e, f.address);
	return bw_sdma_write_mem(e, f.address & ~3ull, &f.value, 4) ? BW_SDMA_DONE : BW_SDMA_STOP;
}

static enum bw_sdma_result do_trap(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	struct bw_sdma_trap t;
	bw_sdma_trap(p, &t);
	struct bw_ih_vector v = {
		.client = BW_IH_CLIENT_GFX,
		.source = BW_IH_SRC_SDMA_TRAP,
		.ring = bw_ih_ring_sdma(e->index, e->queue),
		.vmid = (uint8_t)bw_sdma_vmid(e),
		.data = {t.int_context},
	};
	if (BW_FIELD_GET(SDMA0_CNTL, TRAP_ENABLE, bw_reg_get(e->dev, BW_REG_SDMA0_CNTL + e->index)))
		bw_ih_raise(e->dev, &v);
	return BW_SDMA_DONE;
}

static enum bw_sdma_result do_timestamp_get(struct bw_sdma_engine *e,
					    const struct bw_sdma_packet *p)
{
	struct bw_sdma_timestamp_get get;
	struct bw_sdma_timestamp_get_global global;
	uint64_t now = bw_device_realtime(e->dev);
	if (bw_sdma_timestamp_get_global(p, &global))
		get.address = global.address;
	else
		bw_sdma_timestamp_get(p, &get);
	return bw_sdma_write_mem(e, get.address, &now, 8) ? BW_SDMA_DONE : BW_SDMA_STOP;
}

/* ---- registers ---- */

static enum bw_sdma_result illegal_register(struct bw_sdma_engine *e, uint32_t addr_dw)
{
	bw_sdma_fail(e, "illegal register access in command stream: 0x%05x by VMID %u", addr_dw,
		     bw_sdma_vmid(e));
	return BW_SDMA_STOP;
}

static enum bw_sdma_result do_srbm_write(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	struct bw_sdma_srbm_write w;
	uint32_t mask = 0, old = 0;
	bw_sdma_srbm_write(p, &w);
	if (!privileged(e))
		return illegal_register(e, w.register_);
	for (unsigned i = 0; i < 4; i++)
		if (w.byte_enable >> i & 1)
			mask |= 0xffu << 8 * i;
	if (mask != ~0u)
		old = bw_device_driver_read(e->dev, w.register_);
	bw_device_driver_write(e->dev, w.register_, (old & ~mask) | (w.value & mask));
	return BW_SDMA_DONE;
}

static enum bw_sdma_result do_poll(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	struct bw_sdma_poll_regmem poll;
	uint32_t value;
	bw_sdma_poll_regmem(p, &poll);
	if (poll.in_memory) {
		if (!bw_sdma_read(e, poll.address, &value, 4))
			return BW_SDMA_STOP;
	} else if (poll.function == BW_PM4_ALWAYS && !poll.register_ && !poll.mask) {
		/* ROCr's flush of what the host writes (hdp_flush_cmd_ of amd_blit_sdma.cpp): it
		 * names no register, and the host's writes are seen at once here. */
		return BW_SDMA_DONE;
	} else {
		/* Everybody may flush what the host writes. */
		bool flushes =
			poll.hdp_flush &&
			poll.register_ == bw_reg_addr(e->dev, BW_REG_GPU_HDP_FLUSH_DONE) &&
			poll.second_register == bw_reg_addr(e->dev, BW_REG_GPU_HDP_FLUSH_REQ);
		if (!privileged(e) && !flushes)
			return illegal_register(e, poll.register_);
		if (poll.hdp_flush && !e->started)
			bw_device_driver_write(e->dev, poll.second_register, poll.reference);
		e->started = true;
		value = bw_device_driver_read(e->dev, poll.register_);
	}
	const bool holds = bw_pm4_compare(poll.function, value & poll.mask, poll.reference);
	if (poll.in_memory)
		bw_sdma_waits(e, poll.address, holds);
	const bool is_for_zero =
		poll.in_memory && poll.function == BW_PM4_EQUAL && !poll.reference && !~poll.mask;
	e->waits_for = is_for_zero && !holds ? poll.address : 0;
	return holds ? BW_SDMA_DONE : BW_SDMA_POLL;
}

/* Writes the request of an invalidation engine and waits for its acknowledgement. */
static enum bw_sdma_result do_vm_invalidation(struct bw_sdma_engine *e,
					      const struct bw_sdma_packet *p)
{
	struct bw_sdma_vm_invalidation v;
	bw_sdma_vm_invalidation(p, &v);
	if (!privileged(e))
		return illegal_register(e, bw_reg_addr(e->dev, BW_REG_GCVM_INVALIDATE_ENG0_REQ));
	if (v.engine > BW_REG_GCVM_INVALIDATE_ENG17_REQ - BW_REG_GCVM_INVALIDATE_ENG0_REQ)
		return refuse(e, p, "there is no such invalidation engine");
	uint32_t req = bw_reg_addr(e->dev, BW_REG_GCVM_INVALIDATE_ENG0_REQ + v.engine);
	uint32_t acked = bw_reg_addr(e->dev, BW_REG_GCVM_INVALIDATE_ENG0_ACK + v.engine);
	if (!e->started)
		bw_device_reg_write(e->dev, NULL, req, v.request);
	e->started = true;
	uint32_t value = bw_device_reg_read(e->dev, NULL, acked);
	return (value & v.ack) == v.ack ? BW_SDMA_DONE : BW_SDMA_POLL;
}

/* ---- data ---- */

static enum bw_sdma_result do_copy_linear(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	struct bw_sdma_copy_linear c;
	struct bw_sdma_copy_broadcast two;
	uint8_t chunk[CHUNK_B];
	bw_sdma_copy_linear(p, &c);
	bw_sdma_copy_broadcast(p, &two);
	const uint64_t size_b = c.bytes_less_1 + 1ull, end = BW_MIN(size_b, e->progress + TURN_B),
		       start = e->progress;
	while (e->progress < end) {
		size_t n = (size_t)BW_MIN(end - e->progress, (uint64_t)sizeof(chunk));
		if (!bw_sdma_read(e, c.source + e->progress, chunk, n) ||
		    !bw_sdma_put(e, c.destination + e->progress, chunk, n) ||
		    (two.destination_2 &&
		     !bw_sdma_put(e, two.destination_2 + e->progress, chunk, n)))
			return BW_SDMA_STOP;
		e->progress += n;
	}
	bw_sdma_note(e, BW_TRANSFER_COPY, c.destination + start, c.source + start, end - start);
	if (two.destination_2)
		bw_sdma_note(e, BW_TRANSFER_COPY, two.destination_2 + start, c.source + start,
			     end - start);
	return e->progress < size_b ? BW_SDMA_AGAIN : BW_SDMA_DONE;
}

static enum bw_sdma_result do_fill(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	struct bw_sdma_constant_fill f;
	uint8_t chunk[CHUNK_B];
	bw_sdma_constant_fill(p, &f);
	const size_t unit_b = BW_MIN(1u << f.unit_log2, 4u); /* how much of the value is repeated */
	for (size_t i = 0; i < sizeof(chunk); i += unit_b)
		memcpy(chunk + i, &f.value, unit_b);
	const uint64_t size_b = f.bytes_less_1 + 1ull, end = BW_MIN(size_b, e->progress + TURN_B),
		       start = e->progress;
	while (e->progress < end) {
		size_t n = (size_t)BW_MIN(end - e->progress, (uint64_t)sizeof(chunk));
		if (!bw_sdma_put(e, f.destination + e->progress, chunk, n))
			return BW_SDMA_STOP;
		e->progress += n;
	}
	bw_sdma_note(e, BW_TRANSFER_FILL, f.destination + start, 0, end - start);
	return e->progress < size_b ? BW_SDMA_AGAIN : BW_SDMA_DONE;
}

static enum bw_sdma_result do_write(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	struct bw_sdma_write_linear w;
	bw_sdma_write_linear(p, &w);
	return bw_sdma_write_mem(e, w.destination & ~3ull, w.data, w.n_data * 4ull) ? BW_SDMA_DONE
										    : BW_SDMA_STOP;
}

static enum bw_sdma_result do_ptepde(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	struct bw_sdma_ptepde t;
	uint64_t entries[512];
	bw_sdma_ptepde(p, &t);
	const uint32_t n = t.entries_less_1 + 1;
	for (uint32_t i = 0; i < n;) {
		uint32_t k = 0;
		for (; k < BW_ARRAY_SIZE(entries) && i + k < n; k++)
			entries[k] = t.entry_flags | (t.value + (i + k) * t.increment);
		if (!bw_sdma_write_mem(e, (t.destination & ~7ull) + i * 8ull, entries, k * 8ull))
			return BW_SDMA_STOP;
		i += k;
	}
	return BW_SDMA_DONE;
}

static enum bw_sdma_result do_atomic(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	struct bw_sdma_atomic a;
	struct bw_vm_fault fault;
	uint64_t old;
	unsigned vmid = bw_sdma_vmid(e);
	bw_sdma_atomic(p, &a);
	uint64_t va = bw_canonical(a.address) & ~(a.is_64 ? 7ull : 3ull);
	bw_tlb_sync(&e->tlb[vmid]);
	void *host = bw_tlb_lookup(&e->tlb[vmid], va, BW_ACCESS_WRITE | BW_ACCESS_ATOMIC, &fault);
	if (!host && fault.prt)
		return BW_SDMA_DONE;
	if (!host) {
		bw_sdma_fail(e,
			     "a packet of VMID %u changes 0x%" PRIx64
			     ", which is not mapped for that",
			     vmid, va);
		return BW_SDMA_STOP;
	}
	bw_sdma_signals(e, va);
	if (!bw_tc_atomic(host, a.operation, a.is_64, a.source, a.compare, &old))
		return refuse(e, p, "this operation is not supported");
	uint64_t want = a.is_64 ? a.compare : (uint32_t)a.compare;
	return a.loop && old != want ? BW_SDMA_POLL : BW_SDMA_DONE;
}

/* ---- the table ---- */

static const struct {
	uint16_t code;
	packet_fn *fn;
} packets[] = {
	{BW_SDMA_NOP, do_nothing},
	{BW_SDMA_COPY_LINEAR, do_copy_linear},
	{BW_SDMA_COPY_LINEAR_SUB_WINDOW, bw_sdma_copy_window},
	{BW_SDMA_COPY_TILED_SUB_WINDOW, bw_sdma_copy_window},
	{BW_SDMA_COPY_T2T_SUB_WINDOW, bw_sdma_copy_window},
	{BW_SDMA_WRITE_LINEAR, do_write},
	{BW_SDMA_INDIRECT, do_indirect},
	{BW_SDMA_FENCE, do_fence},
	{BW_SDMA_TRAP, do_trap},
	{BW_SDMA_POLL_REGMEM, do_poll},
	{BW_SDMA_VM_INVALIDATION, do_vm_invalidation},
	{BW_SDMA_COND_EXE, do_cond_exe},
	{BW_SDMA_ATOMIC, do_atomic},
	{BW_SDMA_CONSTANT_FILL, do_fill},
	{BW_SDMA_PTEPDE, do_ptepde},
	{BW_SDMA_TIMESTAMP_SET, do_nothing}, /* the engine's own clock is the GPU's here */
	{BW_SDMA_TIMESTAMP_GET, do_timestamp_get},
	{BW_SDMA_TIMESTAMP_GET_GLOBAL, do_timestamp_get},
	{BW_SDMA_SRBM_WRITE, do_srbm_write},
	{BW_SDMA_PRE_EXE, do_pre_exe},
	{BW_SDMA_GCR_REQ, do_gcr_req},
	{BW_SDMA_USER_GCR_REQ, do_gcr_req},
	{BW_SDMA_DUMMY_TRAP, do_nothing},
};

enum bw_sdma_result bw_sdma_execute(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	char buf[32];
	BW_LOG(TRACE, "vgpu", "SDMA %u vmid %u: %s, %u dwords", e->index, bw_sdma_vmid(e),
	       bw_sdma_name(p->header, buf), p->size_dw);
	for (size_t i = 0; i < BW_ARRAY_SIZE(packets); i++)
		if (p->info && packets[i].code == p->info->code)
			return packets[i].fn(e, p);
	return refuse(e, p, p->info ? "not supported" : "there is no such packet");
}
