/* SPDX-License-Identifier: MIT */
/* What each packet does. A packet that is not in the table is refused by its name. */
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "vgpu/device/cp.h"
#include "vgpu/device/draw.h"

typedef enum bw_cp_result packet_fn(struct bw_queue *q, const struct bw_pm4_packet *p);

static bool privileged(const struct bw_queue *q)
{
	return bw_cp_vmid(q) == 0;
}

static enum bw_cp_result malformed(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	char buf[16];
	bw_cp_fail(q, BW_QUEUE_BAD_PACKET, "%s packet of %u dwords is too short",
		   bw_pm4_name(p->op, buf), p->size_dw);
	return BW_CP_STOP;
}

static enum bw_cp_result refuse(struct bw_queue *q, const struct bw_pm4_packet *p, const char *what,
				unsigned value)
{
	char buf[16];
	bw_cp_fail(q, BW_QUEUE_BAD_PACKET, "%s with %s %u is not supported",
		   bw_pm4_name(p->op, buf), what, value);
	return BW_CP_STOP;
}

/* --- memory and registers as packets reach them --- */

static bool mem_read(struct bw_queue *q, uint64_t va, void *out, size_t n)
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

static bool mem_write(struct bw_queue *q, uint64_t va, const void *data, size_t n)
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
	return (addr_dw >= BW_REG_SH_BEGIN && addr_dw < BW_REG_SH_END) ||
	       (addr_dw >= BW_REG_CONTEXT_BEGIN && addr_dw < BW_REG_CONTEXT_END) ||
	       (addr_dw >= BW_REG_UCONFIG_BEGIN && addr_dw < BW_REG_UCONFIG_END);
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

static bool reg_write(struct bw_queue *q, uint32_t addr_dw, uint32_t value)
{
	if (!check_reg(q, addr_dw))
		return false;
	if (addr_dw >= BW_REG_SH_BEGIN && addr_dw < BW_REG_SH_END)
		q->sh[addr_dw - BW_REG_SH_BEGIN] = value;
	else if (addr_dw == BW_REG_GRBM_GFX_INDEX)
		q->grbm_gfx_index = value;
	else
		bw_device_reg_write(q->dev, NULL, addr_dw, value);
	return true;
}

static bool reg_read(struct bw_queue *q, uint32_t addr_dw, uint32_t *out)
{
	if (!check_reg(q, addr_dw))
		return false;
	if (addr_dw >= BW_REG_SH_BEGIN && addr_dw < BW_REG_SH_END)
		*out = q->sh[addr_dw - BW_REG_SH_BEGIN];
	else if (addr_dw == BW_REG_GRBM_GFX_INDEX)
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

/* --- registers --- */

static enum bw_cp_result do_set_reg(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_set_reg s;
	uint32_t addr_dw, value;
	if (!bw_pm4_set_reg_begin(p, &s))
		return malformed(q, p);
	while (bw_pm4_set_reg_next(&s, &addr_dw, &value))
		if (!reg_write(q, addr_dw, value))
			return BW_CP_STOP;
	return BW_CP_DONE;
}

static enum bw_cp_result do_load_sh_reg(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_load_reg l;
	if (!bw_pm4_load_sh_reg(p, &l))
		return malformed(q, p);
	for (uint32_t i = 0; i < l.n; i++) {
		uint32_t value;
		if (!mem_read(q, l.address + i * 4ull, &value, 4) ||
		    !reg_write(q, l.addr_dw + i, value))
			return BW_CP_STOP;
	}
	return BW_CP_DONE;
}

static enum bw_cp_result do_set_base(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_set_base b;
	if (!bw_pm4_set_base(p, &b))
		return malformed(q, p);
	if (b.index >= BW_ARRAY_SIZE(q->base))
		return refuse(q, p, "index", b.index);
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
	if (bw_spi_dispatch(q, bw_cp_vmid(q), dim, initiator, &why))
		return BW_CP_DONE;
	bw_cp_fail(q, BW_QUEUE_BAD_DISPATCH, "dispatch of %u x %u x %u: %s", dim[0], dim[1], dim[2],
		   why);
	return BW_CP_STOP;
}

static enum bw_cp_result do_dispatch_direct(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_dispatch d;
	if (!bw_pm4_dispatch_direct(p, &d))
		return malformed(q, p);
	return dispatch(q, d.dim, d.initiator);
}

static enum bw_cp_result do_dispatch_indirect(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_dispatch_indirect d;
	uint32_t dim[3];
	if (!bw_pm4_dispatch_indirect(p, &d))
		return malformed(q, p);
	if (!mem_read(q, d.va_or_offset + (d.has_va ? 0 : q->base[1]), dim, sizeof(dim)))
		return BW_CP_STOP;
	return dispatch(q, dim, d.initiator);
}

static enum bw_cp_result do_indirect_buffer(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_indirect_buffer ib;
	if (!bw_pm4_indirect_buffer(p, &ib))
		return malformed(q, p);
	/* Only the ring says for whom: an IB calls and chains in its own address space. */
	if (q->depth)
		ib.vmid = q->level[q->depth].vmid;
	bool chain = ib.chain && q->depth;
	if (!chain) {
		if (q->depth + 1 >= BW_CP_MAX_DEPTH)
			return refuse(q, p, "nesting depth", q->depth + 1);
		if (q->depth)
			q->level[q->depth].pos_dw += p->size_dw;
		else
			atomic_fetch_add(&q->rptr, p->size_dw);
		q->depth++;
	}
	q->level[q->depth] = (struct bw_cp_level){bw_canonical(ib.va), ib.size_dw, 0, ib.vmid};
	return BW_CP_JUMPED;
}

static enum bw_cp_result do_cond_exec(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_cond_exec c;
	uint32_t value;
	if (!bw_pm4_cond_exec(p, &c))
		return malformed(q, p);
	if (!mem_read(q, c.address, &value, 4))
		return BW_CP_STOP;
	uint64_t skip = p->size_dw + (value ? 0 : (uint64_t)c.skip_dw);
	if (q->depth) {
		struct bw_cp_level *l = &q->level[q->depth];
		l->pos_dw = (uint32_t)BW_MIN(l->pos_dw + skip, (uint64_t)l->size_dw);
	} else {
		atomic_fetch_add(&q->rptr, skip);
	}
	return BW_CP_JUMPED;
}

static enum bw_cp_result do_set_predication(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_set_predication s;
	uint64_t value = 0;
	if (!bw_pm4_set_predication(p, &s))
		return malformed(q, p);
	switch (s.op) {
	case BW_PM4_PRED_CLEAR:
		q->predicated = false;
		return BW_CP_DONE;
	case BW_PM4_PRED_BOOL32:
	case BW_PM4_PRED_BOOL64:
		if (!mem_read(q, s.address, &value, s.op == BW_PM4_PRED_BOOL32 ? 4 : 8))
			return BW_CP_STOP;
		q->predicated = (value != 0) != s.if_set;
		return BW_CP_DONE;
	default: /* counters of what is drawn */
		return refuse(q, p, "PRED_OP", s.op);
	}
}

/* --- synchronisation --- */

static enum bw_cp_result do_event_write(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	/* Events that write counters of units this device does not have (soc21_enum.h). */
	static const uint8_t writes_counters[] = {0x15 /* ZPASS_DONE */,
						  0x1e /* SAMPLE_PIPELINESTAT */,
						  0x20,
						  0x1,
						  0x2,
						  0x3 /* SAMPLE_STREAMOUTSTATS */,
						  0x39 /* PIXEL_PIPE_STAT_DUMP */};
	struct bw_pm4_event e;
	if (!bw_pm4_event_write(p, &e))
		return malformed(q, p);
	for (size_t i = 0; i < BW_ARRAY_SIZE(writes_counters); i++)
		if (e.type == writes_counters[i])
			return refuse(q, p, "event", e.type);
	if (e.type == BW_PM4_EVENT_CS_PARTIAL_FLUSH && atomic_load(&q->n_inflight))
		return BW_CP_WAIT;
	return BW_CP_DONE;
}

static enum bw_cp_result do_acquire_mem(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_acquire_mem a;
	if (!bw_pm4_acquire_mem(p, &a))
		return malformed(q, p);
	if (a.gcr & BW_PM4_GCR_GLI_INV)
		bw_sched_flush_code(q->dev);
	return BW_CP_DONE;
}

static enum bw_cp_result do_release_mem(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_release_mem r;
	if (!bw_pm4_release_mem(p, &r))
		return malformed(q, p);
	if (r.data_sel > BW_PM4_DATA_SYS_CLOCK)
		return refuse(q, p, "DATA_SEL", r.data_sel);
	/* End of pipe: everything before it has finished. */
	if (atomic_load(&q->n_inflight))
		return BW_CP_WAIT;
	uint64_t data = r.data_sel >= BW_PM4_DATA_CLOCK ? bw_device_realtime(q->dev) : r.data;
	if (r.data_sel != BW_PM4_DATA_NONE &&
	    !mem_write(q, r.address, &data, r.data_sel == BW_PM4_DATA_32 ? 4 : 8))
		return BW_CP_STOP;
	if (r.int_sel == BW_PM4_INT_ONLY || r.int_sel == BW_PM4_INT_AFTER_WRITE) {
		struct bw_ih_vector v = {
			.client = BW_IH_CLIENT_GRBM_CP,
			.source = BW_IH_SRC_CP_EOP,
			.ring = (uint8_t)(q->pipe | q->me << 2 | q->queue << 4),
			.vmid = (uint8_t)bw_cp_vmid(q),
			.data = {r.int_ctxid},
		};
		bw_ih_raise(q->dev, &v);
	}
	return BW_CP_DONE;
}

static enum bw_cp_result do_wait(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_wait w;
	uint64_t value = 0;
	if (!bw_pm4_wait(p, &w))
		return malformed(q, p);
	if (w.is_memory) {
		if (!mem_read(q, w.address, &value, w.is_64 ? 8 : 4))
			return BW_CP_STOP;
	} else {
		if (w.write_first && !q->started &&
		    !reg_write(q, (uint32_t)w.address, (uint32_t)w.ref))
			return BW_CP_STOP;
		q->started = true;
		uint32_t reg, from = (uint32_t)(w.write_first ? w.address2 : w.address);
		if (!reg_read(q, from, &reg))
			return BW_CP_STOP;
		value = reg;
		/* The written value is the request; what is waited for is that its masked bits are
		 * seen. */
		if (w.write_first)
			w.ref &= w.mask;
	}
	return bw_pm4_wait_true(&w, value) ? BW_CP_DONE : BW_CP_POLL;
}

static enum bw_cp_result do_invalidate_tlbs(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	bw_vm_invalidate(q->dev, 0xffff);
	return BW_CP_DONE;
}

/* --- data --- */

static enum bw_cp_result do_write_data(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_write_data w;
	if (!bw_pm4_write_data(p, &w))
		return malformed(q, p);
	switch (w.dst_sel) {
	case BW_PM4_WRITE_REG:
		for (uint32_t i = 0; i < w.n; i++)
			if (!reg_write(q, (uint32_t)w.address + (w.one_address ? 0 : i), w.data[i]))
				return BW_CP_STOP;
		return BW_CP_DONE;
	case BW_PM4_WRITE_MEM:
	case BW_PM4_WRITE_MEM_GRBM:
	case BW_PM4_WRITE_L2:
		if (!w.one_address)
			return mem_write(q, w.address, w.data, w.n * 4ull) ? BW_CP_DONE
									   : BW_CP_STOP;
		for (uint32_t i = 0; i < w.n; i++)
			if (!mem_write(q, w.address, &w.data[i], 4))
				return BW_CP_STOP;
		return BW_CP_DONE;
	default:
		return refuse(q, p, "DST_SEL", w.dst_sel);
	}
}

static enum bw_cp_result do_copy_data(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_copy_data c;
	uint64_t value = 0;
	uint32_t half[2] = {0, 0};
	if (!bw_pm4_copy_data(p, &c))
		return malformed(q, p);
	unsigned n = c.is_64 ? 2 : 1;

	switch (c.src_sel) {
	case BW_PM4_COPY_REG:
		for (unsigned i = 0; i < n; i++)
			if (!reg_read(q, (uint32_t)(c.src & 0x3ffff) + i, &half[i]))
				return BW_CP_STOP;
		value = half[0] | (uint64_t)half[1] << 32;
		break;
	case BW_PM4_COPY_SRC_MEM:
	case BW_PM4_COPY_L2:
		if (!mem_read(q, c.src & ~3ull, &value, n * 4))
			return BW_CP_STOP;
		break;
	case BW_PM4_COPY_SRC_IMM:
		value = c.src;
		break;
	case BW_PM4_COPY_SRC_CLOCK:
		value = bw_device_realtime(q->dev);
		break;
	default:
		return refuse(q, p, "SRC_SEL", c.src_sel);
	}
	switch (c.dst_sel) {
	case BW_PM4_COPY_REG:
		for (unsigned i = 0; i < n; i++)
			if (!reg_write(q, (uint32_t)(c.dst & 0x3ffff) + i,
				       (uint32_t)(value >> 32 * i)))
				return BW_CP_STOP;
		return BW_CP_DONE;
	case BW_PM4_COPY_DST_MEM:
	case BW_PM4_COPY_DST_MEM_GRBM:
	case BW_PM4_COPY_L2:
		return mem_write(q, c.dst & ~3ull, &value, n * 4) ? BW_CP_DONE : BW_CP_STOP;
	default:
		return refuse(q, p, "DST_SEL", c.dst_sel);
	}
}

static enum bw_cp_result do_dma_data(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_dma_data d;
	if (!bw_pm4_dma_data(p, &d))
		return malformed(q, p);
	if (d.src_sel == BW_PM4_DMA_GDS || d.src_is_reg || d.src_fixed)
		return refuse(q, p, "SRC_SEL", d.src_sel);
	if (d.dst_sel == BW_PM4_DMA_GDS || d.dst_is_reg || d.dst_fixed)
		return refuse(q, p, "DST_SEL", d.dst_sel);
	if (d.dst_sel == BW_PM4_DMA_DST_NOWHERE || d.size_b == 0)
		return BW_CP_DONE; /* a prefetch, or synchronisation only */

	uint8_t chunk[16384];
	bool fill = d.src_sel == BW_PM4_DMA_SRC_DATA;
	if (fill)
		for (size_t i = 0; i < sizeof(chunk); i += 4)
			memcpy(chunk + i, &d.src, 4);
	for (uint32_t done = 0; done < d.size_b;) {
		uint32_t n = BW_MIN(d.size_b - done, (uint32_t)sizeof(chunk));
		if ((!fill && !mem_read(q, d.src + done, chunk, n)) ||
		    !mem_write(q, d.dst + done, chunk, n))
			return BW_CP_STOP;
		done += n;
	}
	return BW_CP_DONE;
}

/* --- rectangles that drivers draw for themselves (draw.h) --- */

static enum bw_cp_result do_clear_state(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	bw_draw_clear_state(q->dev);
	return BW_CP_DONE;
}

static enum bw_cp_result do_num_instances(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	bw_reg_set(q->dev, BW_REG_VGT_NUM_INSTANCES, p->n_body ? p->body[0] : 0);
	return BW_CP_DONE;
}

static enum bw_cp_result do_draw_index_auto(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	char buf[16];
	if (p->n_body < 2)
		return malformed(q, p);
	const char *why = bw_draw_rects(q, p->body[0], bw_reg_get(q->dev, BW_REG_VGT_NUM_INSTANCES));
	if (!why)
		return BW_CP_DONE;
	bw_cp_fail(q, BW_QUEUE_BAD_PACKET, "packet %s: %s", bw_pm4_name(p->op, buf), why);
	return BW_CP_STOP;
}

/* --- the table ---
 *
 * To add a packet: a row in data/pm4/packets.txt if it has none, a struct and a decoder in src/pm4,
 * a function and a row here, a case in tests/vgpu/device/test_cp.c. */

static const struct {
	uint8_t op;
	bool kernel_only;
	packet_fn *fn;
} packets[] = {
	{BW_PM4_NOP, false, do_nothing},
	{BW_PM4_SET_BASE, false, do_set_base},
	{BW_PM4_CLEAR_STATE, false, do_clear_state},
	{BW_PM4_DISPATCH_DIRECT, false, do_dispatch_direct},
	{BW_PM4_DISPATCH_INDIRECT, false, do_dispatch_indirect},
	{BW_PM4_SET_PREDICATION, false, do_set_predication},
	{BW_PM4_COND_EXEC, false, do_cond_exec},
	{BW_PM4_CONTEXT_CONTROL, false, do_nothing},
	{BW_PM4_INDEX_TYPE, false, do_nothing}, /* draws with indices are refused */
	{BW_PM4_DRAW_INDEX_AUTO, false, do_draw_index_auto},
	{BW_PM4_NUM_INSTANCES, false, do_num_instances},
	{BW_PM4_INDIRECT_BUFFER_CNST, true, do_indirect_buffer},
	{BW_PM4_WRITE_DATA, false, do_write_data},
	{BW_PM4_WAIT_REG_MEM, false, do_wait},
	{BW_PM4_WAIT_REG_MEM64, false, do_wait},
	{BW_PM4_INDIRECT_BUFFER, false, do_indirect_buffer},
	{BW_PM4_COPY_DATA, false, do_copy_data},
	{BW_PM4_PFP_SYNC_ME, false, do_nothing},
	{BW_PM4_EVENT_WRITE, false, do_event_write},
	{BW_PM4_RELEASE_MEM, false, do_release_mem},
	{BW_PM4_PREAMBLE_CNTL, true, do_nothing},
	{BW_PM4_DMA_DATA, false, do_dma_data},
	{BW_PM4_ACQUIRE_MEM, false, do_acquire_mem},
	{BW_PM4_PRIME_UTCL2, false, do_nothing},
	{BW_PM4_LOAD_SH_REG_INDEX, false, do_load_sh_reg},
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
	{BW_PM4_SWITCH_BUFFER, true, do_nothing},
	{BW_PM4_FRAME_CONTROL, true, do_nothing},
	{BW_PM4_HDP_FLUSH, true, do_nothing},
	{BW_PM4_INVALIDATE_TLBS, true, do_invalidate_tlbs},
	{BW_PM4_SET_Q_PREEMPTION_MODE, true, do_nothing},
};

/* A draw, or what tells one what to draw. */
static bool is_drawing(const struct bw_pm4_info *info)
{
	static const char *const words[] = {
		"DRAW", "INDEX_BASE", "INDEX_BUFFER_SIZE", "MESH"};
	for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++)
		if (strstr(info->name, words[i]))
			return true;
	return false;
}

enum bw_cp_result bw_cp_packet(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	char buf[16];
	if (p->kind == BW_PM4_TYPE2_PAD)
		return BW_CP_DONE;
	if (p->kind != BW_PM4_TYPE3) {
		bw_cp_fail(q, BW_QUEUE_BAD_PACKET, "0x%08x is no packet (type %u)", p->header,
			   p->header >> 30);
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
	bw_cp_fail(q, BW_QUEUE_BAD_PACKET,
		   !info	      ? "%s is no PM4 packet"
		   : is_drawing(info) ? "packet %s: the virtual GPU computes, it does not draw"
				      : "packet %s is not supported",
		   bw_pm4_name(p->op, buf));
	return BW_CP_STOP;
}
