/* SPDX-License-Identifier: MIT */
/* Execution of each packet. A packet that is not in the table is refused by its name. */
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "vgpu/device/cp_packets.h"
#include "vgpu/device/exec/check/writers.h"
#include "vgpu/device/exec/strict/strict.h"
#include "vgpu/device/register_own.h"
#include "vgpu/device/spi.h"
#include "vgpu/device/hws.h"
#include "vgpu/device/mes.h"

/* Packets of the kernel: all of VMID 0, and those in a ring that the driver has made privileged,
 * whichever VMID it has. */
static bool privileged(const struct bw_queue *q)
{
	if (bw_cp_vmid(q) == 0)
		return true;
	/* CP_GFX_HQD_CNTL.RB_NON_PRIV is where CP_HQD_PQ_CONTROL has another field */
	uint32_t control = BW_HQD(q, HQD_PQ_CONTROL);
	return !q->depth && (q->me ? BW_FIELD_GET(CP_HQD_PQ_CONTROL, PRIV_STATE, control)
				   : !BW_FIELD_GET(CP_GFX_HQD_CNTL, RB_NON_PRIV, control));
}

enum bw_cp_result bw_cp_malformed(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	char buf[16];
	bw_cp_fail(q, BW_QUEUE_BAD_PACKET, "%s packet of %u dwords is too short",
		   bw_pm4_name(p->op, buf), p->size_dw);
	return BW_CP_STOP;
}

enum bw_cp_result bw_cp_refuse(struct bw_queue *q, const struct bw_pm4_packet *p, const char *what,
			       unsigned value)
{
	char buf[16];
	bw_cp_fail(q, BW_QUEUE_BAD_PACKET, "%s with %s %u is not supported",
		   bw_pm4_name(p->op, buf), what, value);
	return BW_CP_STOP;
}

/* --- memory and registers as packets reach them --- */

bool bw_cp_mem_read(struct bw_queue *q, uint64_t va, void *out, size_t n)
{
	struct bw_vm_fault fault;
	unsigned vmid = bw_cp_vmid(q);
	if (bw_vm_read(bw_cp_tlb(q->dev, vmid), bw_canonical(va), out, n, &fault))
		return true;
	bw_cp_fail(q, BW_QUEUE_FAULT,
		   "a packet of VMID %u reads 0x%" PRIx64 ", which is not mapped for that", vmid,
		   fault.va);
	return false;
}

bool bw_cp_mem_write(struct bw_queue *q, uint64_t va, const void *data, size_t n)
{
	const struct bw_writers_packet p = {.transfer = BW_TRANSFER_WRITE,
					    .to = va,
					    .size_b = n,
					    .vmid = (uint8_t)bw_cp_vmid(q)};
	if (!bw_cp_mem_put(q, va, data, n))
		return false;
	bw_writers_note(q->dev->check, bw_cp_tlb(q->dev, p.vmid), &p);
	return true;
}

bool bw_cp_mem_put(struct bw_queue *q, uint64_t va, const void *data, size_t n)
{
	struct bw_vm_fault fault;
	unsigned vmid = bw_cp_vmid(q);
	if (bw_vm_write(bw_cp_tlb(q->dev, vmid), bw_canonical(va), data, n, &fault))
		return true;
	bw_cp_fail(q, BW_QUEUE_FAULT,
		   "a packet of VMID %u writes 0x%" PRIx64 ", which is not mapped for that", vmid,
		   fault.va);
	return false;
}

/* A user's indirect buffer reaches its own SH registers, context and uconfig registers. */
static bool user_may(uint32_t addr_dw)
{
	return bw_cp_is_sh(addr_dw) ||
	       (addr_dw >= BW_PM4_CONTEXT_BEGIN_DW &&
		addr_dw < BW_PM4_CONTEXT_BEGIN_DW + BW_PM4_N_CONTEXT) ||
	       (addr_dw >= BW_PM4_UCONFIG_BEGIN_DW &&
		addr_dw < BW_PM4_UCONFIG_BEGIN_DW + BW_PM4_N_UCONFIG);
}

static bool check_reg(struct bw_queue *q, uint32_t addr_dw)
{
	if ((privileged(q) || user_may(addr_dw)) && addr_dw < BW_REG_SPACE_DW)
		return true;
	bw_cp_fail(q, BW_QUEUE_PRIV_REG,
		   "illegal register access in command stream: 0x%05x by VMID %u", addr_dw,
		   bw_cp_vmid(q));
	return false;
}

bool bw_cp_reg_write(struct bw_queue *q, uint32_t addr_dw, uint32_t value)
{
	if (!check_reg(q, addr_dw))
		return false;
	if (bw_cp_is_sh(addr_dw))
		q->sh[addr_dw - BW_PM4_SH_BEGIN_DW] = value;
	else if (q->dev->own)
		bw_own_write(q->dev, bw_own_packet_address(q->dev, addr_dw), value);
	else if (q->dev->regs.map.number[addr_dw] == BW_REG_GRBM_GFX_INDEX)
		q->grbm_gfx_index = value;
	else
		bw_device_reg_write(q->dev, NULL, addr_dw, value);
	return true;
}

bool bw_cp_reg_read(struct bw_queue *q, uint32_t addr_dw, uint32_t *out)
{
	if (!check_reg(q, addr_dw))
		return false;
	if (bw_cp_is_sh(addr_dw))
		*out = q->sh[addr_dw - BW_PM4_SH_BEGIN_DW];
	else if (q->dev->own)
		*out = bw_own_read(q->dev, bw_own_packet_address(q->dev, addr_dw));
	else if (q->dev->regs.map.number[addr_dw] == BW_REG_GRBM_GFX_INDEX)
		*out = q->grbm_gfx_index;
	else
		*out = bw_device_reg_read(q->dev, NULL, addr_dw);
	return true;
}

/* --- packets without an effect here: ordering, state of the graphics pipe --- */

static enum bw_cp_result do_nothing(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	return BW_CP_DONE;
}

static enum bw_cp_result do_nop(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	if (bw_cp_vmid(q) == 0)
		bw_stomp_take_packet(q, p);
	return BW_CP_DONE;
}

/* --- registers --- */

static enum bw_cp_result do_set_reg(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_set_reg s;
	uint32_t addr_dw, value;
	if (!bw_pm4_set_reg_begin(p, &s))
		return bw_cp_malformed(q, p);
	while (bw_pm4_set_reg_next(&s, &addr_dw, &value))
		if (!bw_cp_reg_write(q, addr_dw, value))
			return BW_CP_STOP;
	return BW_CP_DONE;
}

static enum bw_cp_result do_load_reg(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_load_reg l;
	if (!bw_pm4_load_reg(p, &l))
		return bw_cp_malformed(q, p);
	for (uint32_t i = 0; i < l.n; i++) {
		uint32_t value;
		if (!bw_cp_mem_read(q, l.address + i * 4ull, &value, 4) ||
		    !bw_cp_reg_write(q, l.addr_dw + i, value))
			return BW_CP_STOP;
	}
	return BW_CP_DONE;
}

static enum bw_cp_result do_set_base(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_set_base b;
	if (!bw_pm4_set_base(p, &b))
		return bw_cp_malformed(q, p);
	if (b.index >= BW_ARRAY_SIZE(q->base))
		return bw_cp_refuse(q, p, "index", b.index);
	q->base[b.index] = b.address;
	return BW_CP_DONE;
}

/* --- dispatches --- */

static enum bw_cp_result dispatch(struct bw_queue *q, const uint32_t dim[3], uint32_t initiator)
{
	enum { MAX_INFLIGHT = 256 };
	const char *why = NULL;
	if (!(initiator & BW_PM4_INIT_ENABLE))
		return BW_CP_DONE;
	if (atomic_load(&q->n_inflight) >= MAX_INFLIGHT)
		return BW_CP_WAIT;
	if (bw_spi_dispatch(q, bw_cp_vmid(q), dim, initiator, NULL, &why))
		return BW_CP_DONE;
	bw_cp_fail(q, BW_QUEUE_BAD_DISPATCH, "dispatch of %u x %u x %u: %s", dim[0], dim[1], dim[2],
		   why);
	return BW_CP_STOP;
}

static enum bw_cp_result do_dispatch_direct(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_dispatch_direct d;
	if (!bw_pm4_dispatch_direct(p, &d))
		return bw_cp_malformed(q, p);
	return dispatch(q, (const uint32_t[3]){d.x, d.y, d.z}, d.initiator);
}

static enum bw_cp_result do_dispatch_indirect(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_dispatch_indirect d;
	struct bw_pm4_dispatch_indirect_at at;
	uint32_t dim[3];
	if (!bw_pm4_dispatch_indirect(p, &d))
		return bw_cp_malformed(q, p);
	bool has_va = bw_pm4_dispatch_indirect_at(p, &at);
	if (!bw_cp_mem_read(q, has_va ? at.address : d.offset + q->base[1], dim, sizeof(dim)))
		return BW_CP_STOP;
	return dispatch(q, dim, has_va ? at.initiator : d.initiator);
}

/* Strict mode has caches that go stale; else there are none. */
static void invalidate_caches(struct bw_queue *q, bool scalar, bool gl0, bool gl1)
{
	if (q->dev->strict)
		bw_strict_invalidate(q->dev->strict, (scalar ? BW_STRICT_SCALAR : 0u) |
							     (gl0 ? BW_STRICT_GL0 : 0u) |
							     (gl1 ? BW_STRICT_GL1 : 0u));
}

static enum bw_cp_result do_indirect_buffer(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_flow ib = bw_pm4_flow(p);
	if (!ib.calls)
		return bw_cp_malformed(q, p);
	/* Only packets of the ring set the VMID: an IB calls and chains in its own address
	 * space. */
	if (q->depth)
		ib.vmid = q->level[q->depth].vmid;
	else if (BW_HQD_FIELD(q, HQD_VMID, VMID)) /* a queue of a program stays in its own */
		ib.vmid = (uint8_t)BW_HQD_FIELD(q, HQD_VMID, VMID);
	bool chain = ib.chain && q->depth;
	if (!chain) {
		if (q->depth + 1 >= BW_CP_MAX_DEPTH)
			return bw_cp_refuse(q, p, "nesting depth", q->depth + 1);
		if (q->depth) {
			q->level[q->depth].pos_dw += p->size_dw;
		} else {
			atomic_fetch_add(&q->rptr, p->size_dw);
			/* GFX10 and later invalidate I$, K$, GL0 and GL1 by themselves at the
			 * beginning of an IB (si_gfx_cs.c of Mesa 25): radeonsi says nothing of
			 * code it has written. */
			bw_sched_flush_code(q->dev);
			/* whether submissions wait for one another is not known */
			bw_queue_new_stretch(q);
			invalidate_caches(q, true, true, true);
		}
		q->depth++;
	}
	q->level[q->depth] = (struct bw_cp_level){bw_canonical(ib.va), ib.size_dw, 0, ib.vmid};
	return BW_CP_JUMPED;
}

/* Skips n dwords after the packet. */
static enum bw_cp_result go_on_behind(struct bw_queue *q, const struct bw_pm4_packet *p, uint32_t n)
{
	uint64_t skip = (uint64_t)p->size_dw + n;
	if (q->depth) {
		struct bw_cp_level *l = &q->level[q->depth];
		l->pos_dw = (uint32_t)BW_MIN(l->pos_dw + skip, (uint64_t)l->size_dw);
	} else {
		atomic_fetch_add(&q->rptr, skip);
	}
	return BW_CP_JUMPED;
}

static enum bw_cp_result do_cond_exec(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_cond_exec c;
	uint32_t value;
	if (!bw_pm4_cond_exec(p, &c))
		return bw_cp_malformed(q, p);
	if (!bw_cp_mem_read(q, c.address, &value, 4))
		return BW_CP_STOP;
	return go_on_behind(q, p, value ? 0 : c.n_dw);
}

static enum bw_cp_result do_pred_exec(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_pred_exec e;
	if (!bw_pm4_pred_exec(p, &e))
		return bw_cp_malformed(q, p);
	return go_on_behind(q, p, e.devices & 1 ? 0 : e.n_dw);
}

/* Waits until VALID has been set in the packet in memory: it is read again each time. */
static enum bw_cp_result do_rewind(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_rewind r;
	if (!bw_pm4_rewind(p, &r))
		return bw_cp_malformed(q, p);
	return r.valid ? BW_CP_DONE : BW_CP_POLL;
}

/* The packets of a predicate with several results say that each but the first one continues: what
 * any of them sees is visible. */
static enum bw_cp_result set_predicate(struct bw_queue *q, const struct bw_pm4_set_predication *s,
				       bool visible)
{
	q->predicate = visible || (s->continues && q->predicate);
	q->predicated = q->predicate != s->draw_visible;
	return BW_CP_DONE;
}

static enum bw_cp_result do_set_predication(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_set_predication s;
	uint64_t value = 0;
	if (!bw_pm4_set_predication(p, &s))
		return bw_cp_malformed(q, p);
	switch (s.operation) {
	case BW_PM4_PRED_CLEAR:
		q->predicated = false;
		return BW_CP_DONE;
	case BW_PM4_PRED_BOOL32:
	case BW_PM4_PRED_BOOL64:
		if (!bw_cp_mem_read(q, s.address, &value,
				    s.operation == BW_PM4_PRED_BOOL32 ? 4 : 8))
			return BW_CP_STOP;
		return set_predicate(q, &s, value != 0);
	case BW_PM4_PRED_ZPASS: {
		bool passed;
		if (!bw_cp_zpass_any(q, s.address, &passed))
			return BW_CP_STOP;
		return set_predicate(q, &s, passed);
	}
	case BW_PM4_PRED_PRIMCOUNT: {
		bool missing;
		if (!bw_cp_primitives_missing(q, s.address, &missing))
			return BW_CP_STOP;
		/* visible: nothing is missing in any of the results */
		q->predicate = !missing && (!s.continues || q->predicate);
		q->predicated = q->predicate != s.draw_visible;
		return BW_CP_DONE;
	}
	default:
		return bw_cp_refuse(q, p, "PRED_OP", s.operation);
	}
}

/* --- synchronisation --- */

/* As programs for gfx9 send it, whose caches have other names. The form of gfx11, which is longer,
 * is that of this project's own command streams. */
static enum bw_cp_result do_acquire_mem9(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_acquire_mem9 old;
	struct bw_pm4_acquire_mem new;
	bool is_new = bw_pm4_acquire_mem(p, &new);
	if (!bw_pm4_acquire_mem9(p, &old))
		return bw_cp_malformed(q, p);
	if (is_new ? new.gcr &BW_PM4_GCR_GLI_INV : old.coher & BW_PM4_COHER_ICACHE)
		bw_sched_flush_code(q->dev);
	if (is_new)
		invalidate_caches(q, new.gcr &BW_PM4_GCR_GLK_INV, new.gcr &BW_PM4_GCR_GLV_INV,
				  false);
	else
		invalidate_caches(q, old.coher & BW_PM4_COHER_KCACHE, old.coher & BW_PM4_COHER_TCL1,
				  false);
	return BW_CP_DONE;
}

static enum bw_cp_result do_acquire_mem(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_acquire_mem a;
	if (bw_isa_is_gfx9(q->dev->profile->gen))
		return do_acquire_mem9(q, p);
	if (!bw_pm4_acquire_mem(p, &a))
		return bw_cp_malformed(q, p);
	if (a.gcr & BW_PM4_GCR_GLI_INV)
		bw_sched_flush_code(q->dev);
	invalidate_caches(q, a.gcr & BW_PM4_GCR_GLK_INV, a.gcr & BW_PM4_GCR_GLV_INV,
			  a.gcr & BW_PM4_GCR_GL1_INV);
	return BW_CP_DONE;
}

/* Each pipe has a register that enables its interrupts. */
static bool reports_end_of_pipe(const struct bw_queue *q)
{
	enum bw_register cntl =
		q->me ? BW_REG_CP_ME1_PIPE0_INT_CNTL + q->pipe % 4 : BW_REG_CP_INT_CNTL_RING0;
	return q->me > 1 ||
	       BW_FIELD_GET(CP_INT_CNTL_RING0, TIME_STAMP_INT_ENABLE, bw_reg_get(q->dev, cntl));
}

static enum bw_cp_result do_release_mem(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_release_mem r;
	if (!bw_pm4_release_mem(p, &r))
		return bw_cp_malformed(q, p);
	if (r.data_is > BW_PM4_DATA_SYS_CLOCK)
		return bw_cp_refuse(q, p, "DATA_SEL", r.data_is);
	/* End of pipe: everything before it has finished. */
	if (atomic_load(&q->n_inflight))
		return BW_CP_WAIT;
	bw_queue_new_stretch(q);
	invalidate_caches(q, false, r.gcr & BW_PM4_RELEASE_GLV_INV, r.gcr & BW_PM4_RELEASE_GL1_INV);
	uint64_t data = r.data_is >= BW_PM4_DATA_CLOCK ? bw_device_realtime(q->dev) : r.value;
	if (r.data_is != BW_PM4_DATA_NONE &&
	    !bw_cp_mem_write(q, r.address, &data, r.data_is == BW_PM4_DATA_32 ? 4 : 8))
		return BW_CP_STOP;
	if ((r.interrupt == BW_PM4_INT_ONLY || r.interrupt == BW_PM4_INT_AFTER_WRITE) &&
	    reports_end_of_pipe(q)) {
		struct bw_ih_vector v = {
			.client = BW_IH_CLIENT_GRBM_CP,
			.source = BW_IH_SRC_CP_EOP,
			.ring = bw_ih_ring(bw_own_me(q->dev, q->me), q->pipe, q->queue),
			.vmid = (uint8_t)bw_cp_vmid(q),
			.data = {r.int_ctxid},
		};
		bw_ih_raise(q->dev, &v);
	}
	return BW_CP_DONE;
}

static enum bw_cp_result do_wait(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_wait_reg_mem64 w;
	uint64_t value = 0;
	if (!bw_pm4_wait(p, &w))
		return bw_cp_malformed(q, p);
	bool write_first = w.operation == 1;
	if (w.in_memory) {
		if (!bw_cp_mem_read(q, w.address, &value, p->op == BW_PM4_WAIT_REG_MEM64 ? 8 : 4))
			return BW_CP_STOP;
	} else {
		if (write_first && !q->started &&
		    !bw_cp_reg_write(q, w.register_, (uint32_t)w.reference))
			return BW_CP_STOP;
		q->started = true;
		uint32_t reg;
		if (!bw_cp_reg_read(q, write_first ? w.second_register : w.register_, &reg))
			return BW_CP_STOP;
		value = reg;
		/* The written value is the request; the wait is for its masked bits to be read
		 * back. */
		if (write_first)
			w.reference &= w.mask;
	}
	if (!bw_pm4_compare(w.function, value & w.mask, w.reference))
		return BW_CP_POLL;
	bw_queue_new_stretch(q);
	return BW_CP_DONE;
}

static enum bw_cp_result do_invalidate_tlbs(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	bw_vm_invalidate(q->dev, 0xffff);
	return BW_CP_DONE;
}

/* --- the table ---
 *
 * To add a packet: a row in data/pm4/packets.txt if it has none, a function and a row here, a case
 * in tests/vgpu/device/test_cp.c. */

static const struct {
	uint8_t op;
	bool kernel_only;
	bw_cp_packet_fn *fn;
} packets[] = {
	{BW_PM4_NOP, false, do_nop},
	{BW_PM4_SET_BASE, false, do_set_base},
	{BW_PM4_CLEAR_STATE, false, bw_cp_clear_state},
	{BW_PM4_DISPATCH_TASK_STATE_INIT, false, bw_cp_dispatch_task_state_init},
	{BW_PM4_DISPATCH_DIRECT, false, do_dispatch_direct},
	{BW_PM4_DISPATCH_INDIRECT, false, do_dispatch_indirect},
	{BW_PM4_ATOMIC_MEM, false, bw_cp_atomic_mem},
	{BW_PM4_SET_PREDICATION, false, do_set_predication},
	{BW_PM4_REG_RMW, false, bw_cp_reg_rmw},
	{BW_PM4_COND_EXEC, false, do_cond_exec},
	{BW_PM4_PRED_EXEC, false, do_pred_exec},
	{BW_PM4_CONTEXT_CONTROL, false, do_nothing},
	{BW_PM4_INDEX_BUFFER_SIZE, false, bw_cp_index_buffer_size},
	{BW_PM4_DRAW_INDIRECT, false, bw_cp_draw_indirect},
	{BW_PM4_DRAW_INDEX_INDIRECT, false, bw_cp_draw_index_indirect},
	{BW_PM4_INDEX_BASE, false, bw_cp_index_base},
	{BW_PM4_DRAW_INDEX_2, false, bw_cp_draw_index_2},
	{BW_PM4_INDEX_TYPE, false, bw_cp_index_type},
	{BW_PM4_DRAW_INDIRECT_MULTI, false, bw_cp_draw_indirect_multi},
	{BW_PM4_DRAW_INDEX_AUTO, false, bw_cp_draw_index_auto},
	{BW_PM4_NUM_INSTANCES, false, bw_cp_num_instances},
	{BW_PM4_DRAW_INDEX_OFFSET_2, false, bw_cp_draw_index_offset_2},
	{BW_PM4_DRAW_INDEX_INDIRECT_MULTI, false, bw_cp_draw_index_indirect_multi},
	{BW_PM4_DISPATCH_MESH_DIRECT, false, bw_cp_dispatch_mesh_direct},
	{BW_PM4_DISPATCH_MESH_INDIRECT_MULTI, false, bw_cp_dispatch_mesh_indirect_multi},
	{BW_PM4_DISPATCH_TASKMESH_GFX, false, bw_cp_dispatch_taskmesh_gfx},
	{BW_PM4_DISPATCH_TASKMESH_DIRECT_ACE, false, bw_cp_dispatch_taskmesh_direct},
	{BW_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE, false, bw_cp_dispatch_taskmesh_indirect},
	{BW_PM4_INDIRECT_BUFFER_CNST, true, do_indirect_buffer},
	{BW_PM4_WRITE_DATA, false, bw_cp_write_data},
	{BW_PM4_WAIT_REG_MEM, false, do_wait},
	{BW_PM4_WAIT_REG_MEM64, false, do_wait},
	{BW_PM4_INDIRECT_BUFFER, false, do_indirect_buffer},
	{BW_PM4_COPY_DATA, false, bw_cp_copy_data},
	{BW_PM4_PFP_SYNC_ME, false, do_nothing},
	{BW_PM4_COND_WRITE, false, bw_cp_cond_write},
	{BW_PM4_EVENT_WRITE, false, bw_cp_event_write},
	{BW_PM4_RELEASE_MEM, false, do_release_mem},
	{BW_PM4_PREAMBLE_CNTL, true, do_nothing},
	{BW_PM4_DMA_DATA, false, bw_cp_dma_data},
	{BW_PM4_CONTEXT_REG_RMW, false, bw_cp_context_reg_rmw},
	{BW_PM4_ACQUIRE_MEM, false, do_acquire_mem},
	{BW_PM4_REWIND, false, do_rewind},
	{BW_PM4_PRIME_UTCL2, false, do_nothing},
	{BW_PM4_LOAD_SH_REG_INDEX, false, do_load_reg},
	{BW_PM4_LOAD_UCONFIG_REG_INDEX, false, do_load_reg},
	{BW_PM4_SET_CONFIG_REG, true, do_set_reg},
	{BW_PM4_SET_CONTEXT_REG, false, do_set_reg},
	{BW_PM4_SET_CONTEXT_REG_INDEX, false, do_set_reg},
	{BW_PM4_SET_CONTEXT_REG_PAIRS, false, do_set_reg},
	{BW_PM4_SET_CONTEXT_REG_PAIRS_PACKED, false, do_set_reg},
	{BW_PM4_SET_SH_REG, false, do_set_reg},
	{BW_PM4_SET_SH_REG_INDEX, false, do_set_reg},
	{BW_PM4_SET_SH_REG_PAIRS, false, do_set_reg},
	{BW_PM4_SET_SH_REG_PAIRS_PACKED, false, do_set_reg},
	{BW_PM4_SET_SH_REG_PAIRS_PACKED_N, false, do_set_reg},
	{BW_PM4_SET_UCONFIG_REG, false, do_set_reg},
	{BW_PM4_SET_UCONFIG_REG_INDEX, false, do_set_reg},
	{BW_PM4_LOAD_CONTEXT_REG_INDEX, false, do_load_reg},
	{BW_PM4_EVENT_WRITE_ZPASS, false, bw_cp_event_write_zpass},
	{BW_PM4_SWITCH_BUFFER, true, do_nothing},
	{BW_PM4_FRAME_CONTROL, true, do_nothing},
	{BW_PM4_HDP_FLUSH, true, do_nothing},
	{BW_PM4_INVALIDATE_TLBS, true, do_invalidate_tlbs},
	{BW_PM4_SET_RESOURCES, true, bw_hws_set_resources},
	{BW_PM4_MAP_PROCESS, true, bw_hws_map_process},
	{BW_PM4_RUN_LIST, true, bw_hws_run_list},
	{BW_PM4_MAP_QUEUES, true, bw_cp_map_queues},
	{BW_PM4_UNMAP_QUEUES, true, bw_cp_unmap_queues},
	{BW_PM4_QUERY_STATUS, true, bw_cp_query_status},
	{BW_PM4_SET_Q_PREEMPTION_MODE, true, do_nothing},
};

enum bw_cp_result bw_cp_packet(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	char buf[16];
	if (p->kind == BW_PM4_TYPE2_PAD)
		return BW_CP_DONE;
	if (p->kind != BW_PM4_TYPE3) {
		bw_cp_fail(q, BW_QUEUE_BAD_PACKET, "0x%08x is not a packet (type %u)", p->header,
			   bw_pm4_type(p->header));
		return BW_CP_STOP;
	}
	BW_LOG(TRACE, "vgpu", "ME %u pipe %u vmid %u: %s, %u dwords", q->me, q->pipe, bw_cp_vmid(q),
	       bw_pm4_name(p->op, buf), p->size_dw);
	for (size_t i = 0; i < BW_ARRAY_SIZE(packets); i++) {
		if (packets[i].op != p->op)
			continue;
		if (packets[i].kernel_only && !privileged(q)) {
			bw_cp_fail(q, BW_QUEUE_BAD_PACKET,
				   "packet %s is for the kernel's rings only",
				   bw_pm4_name(p->op, buf));
			return BW_CP_STOP;
		}
		if (p->predicate && q->predicated)
			return BW_CP_DONE;
		return packets[i].fn(q, p);
	}
	const struct bw_pm4_info *info = bw_pm4_info(p->op);
	if (info && info->is_draw) {
		bw_cp_leave_out(q, p, "packets of this kind are not executed");
		return BW_CP_DONE;
	}
	bw_cp_fail(q, BW_QUEUE_BAD_PACKET,
		   info ? "packet %s is not supported" : "%s is not a PM4 packet",
		   bw_pm4_name(p->op, buf));
	return BW_CP_STOP;
}
