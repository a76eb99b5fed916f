/* SPDX-License-Identifier: MIT */
/* Packets that move data between memory and registers, some with an operation on the data or under
 * a condition. */
#include <string.h>

#include "base/util.h"
#include "vgpu/device/cp_packets.h"

enum bw_cp_result bw_cp_write_data(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_write_data w;
	if (!bw_pm4_write_data(p, &w))
		return bw_cp_malformed(q, p);
	switch (w.dst_sel) {
	case BW_PM4_WRITE_REG:
		for (uint32_t i = 0; i < w.n; i++)
			if (!bw_cp_reg_write(q, (uint32_t)w.address + (w.one_address ? 0 : i),
					     w.data[i]))
				return BW_CP_STOP;
		return BW_CP_DONE;
	case BW_PM4_WRITE_MEM:
	case BW_PM4_WRITE_MEM_GRBM:
	case BW_PM4_WRITE_L2:
		if (!w.one_address)
			return bw_cp_mem_write(q, w.address, w.data, w.n * 4ull) ? BW_CP_DONE
										 : BW_CP_STOP;
		for (uint32_t i = 0; i < w.n; i++)
			if (!bw_cp_mem_write(q, w.address, &w.data[i], 4))
				return BW_CP_STOP;
		return BW_CP_DONE;
	default:
		return bw_cp_refuse(q, p, "DST_SEL", w.dst_sel);
	}
}

enum bw_cp_result bw_cp_copy_data(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_copy_data c;
	uint64_t value = 0;
	uint32_t half[2] = {0, 0};
	if (!bw_pm4_copy_data(p, &c))
		return bw_cp_malformed(q, p);
	unsigned n = c.is_64 ? 2 : 1;

	switch (c.src_sel) {
	case BW_PM4_COPY_REG:
	case BW_PM4_COPY_PERF: /* a performance counter is a register too */
		for (unsigned i = 0; i < n; i++)
			if (!bw_cp_reg_read(q, bw_pm4_reg_of(c.src) + i, &half[i]))
				return BW_CP_STOP;
		value = bw_join32(half[1], half[0]);
		break;
	case BW_PM4_COPY_SRC_MEM:
	case BW_PM4_COPY_L2:
		if (!bw_cp_mem_read(q, c.src & ~3ull, &value, n * 4))
			return BW_CP_STOP;
		break;
	case BW_PM4_COPY_SRC_IMM:
		value = c.src;
		break;
	case BW_PM4_COPY_SRC_ATOMIC:
		value = q->atomic_return;
		break;
	case BW_PM4_COPY_SRC_CLOCK:
	case BW_PM4_COPY_SRC_SYS_CLOCK:
		value = bw_device_realtime(q->dev);
		break;
	default:
		return bw_cp_refuse(q, p, "SRC_SEL", c.src_sel);
	}
	switch (c.dst_sel) {
	case BW_PM4_COPY_REG:
	case BW_PM4_COPY_PERF:
		for (unsigned i = 0; i < n; i++)
			if (!bw_cp_reg_write(q, bw_pm4_reg_of(c.dst) + i,
					     i ? bw_hi32(value) : bw_lo32(value)))
				return BW_CP_STOP;
		return BW_CP_DONE;
	case BW_PM4_COPY_DST_MEM:
	case BW_PM4_COPY_DST_MEM_GRBM:
	case BW_PM4_COPY_L2:
		return bw_cp_mem_write(q, c.dst & ~3ull, &value, n * 4) ? BW_CP_DONE : BW_CP_STOP;
	default:
		return bw_cp_refuse(q, p, "DST_SEL", c.dst_sel);
	}
}

enum bw_cp_result bw_cp_dma_data(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_dma_data d;
	if (!bw_pm4_dma_data(p, &d))
		return bw_cp_malformed(q, p);
	if (d.src_sel == BW_PM4_DMA_GDS || d.src_is_reg || d.src_fixed)
		return bw_cp_refuse(q, p, "SRC_SEL", d.src_sel);
	if (d.dst_sel == BW_PM4_DMA_GDS || d.dst_is_reg || d.dst_fixed)
		return bw_cp_refuse(q, p, "DST_SEL", d.dst_sel);
	if (d.dst_sel == BW_PM4_DMA_DST_NOWHERE || d.size_b == 0)
		return BW_CP_DONE; /* a prefetch, or synchronisation only */

	uint8_t chunk[16384];
	bool fill = d.src_sel == BW_PM4_DMA_SRC_DATA;
	if (fill)
		for (size_t i = 0; i < sizeof(chunk); i += 4)
			memcpy(chunk + i, &d.src, 4);
	for (uint32_t done = 0; done < d.size_b;) {
		uint32_t n = BW_MIN(d.size_b - done, (uint32_t)sizeof(chunk));
		if ((!fill && !bw_cp_mem_read(q, d.src + done, chunk, n)) ||
		    !bw_cp_mem_write(q, d.dst + done, chunk, n))
			return BW_CP_STOP;
		done += n;
	}
	return BW_CP_DONE;
}

/* --- atomics --- */

static uint64_t combine(unsigned op, uint64_t old, uint64_t src, uint64_t compare, bool is_64)
{
	int64_t sold = is_64 ? (int64_t)old : (int32_t)old,
		ssrc = is_64 ? (int64_t)src : (int32_t)src;
	switch (op) {
	case BW_TC_SWAP:
		return src;
	case BW_TC_CMPSWAP:
		return old == compare ? src : old;
	case BW_TC_ADD:
		return old + src;
	case BW_TC_SUB:
		return old - src;
	case BW_TC_SMIN:
		return sold < ssrc ? old : src;
	case BW_TC_UMIN:
		return BW_MIN(old, src);
	case BW_TC_SMAX:
		return sold > ssrc ? old : src;
	case BW_TC_UMAX:
		return BW_MAX(old, src);
	case BW_TC_AND:
		return old & src;
	case BW_TC_OR:
		return old | src;
	case BW_TC_XOR:
		return old ^ src;
	case BW_TC_INC:
		return old >= src ? 0 : old + 1;
	default: /* BW_TC_DEC */
		return old == 0 || old > src ? src : old - 1;
	}
}

bool bw_tc_atomic(void *host, unsigned op, bool is_64, uint64_t src, uint64_t compare,
		  uint64_t *out_old)
{
	if (op != BW_TC_SWAP && op != BW_TC_CMPSWAP && (op < BW_TC_ADD || op > BW_TC_DEC))
		return false;
	uint64_t found;
	if (is_64) {
		uint64_t old = __atomic_load_n((uint64_t *)host, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n((uint64_t *)host, &old,
						    combine(op, old, src, compare, true), false,
						    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			;
		found = old;
	} else {
		uint32_t old = __atomic_load_n((uint32_t *)host, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(
			(uint32_t *)host, &old,
			(uint32_t)combine(op, old, (uint32_t)src, (uint32_t)compare, false), false,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			;
		found = old;
	}
	if (out_old)
		*out_old = found;
	return true;
}

enum bw_cp_result bw_cp_atomic_mem(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_atomic_mem a;
	struct bw_vm_fault fault;
	unsigned vmid = bw_cp_vmid(q);
	if (!bw_pm4_atomic_mem(p, &a))
		return bw_cp_malformed(q, p);
	uint64_t va = bw_canonical(a.address) & ~(a.is_64 ? 7ull : 3ull);
	void *host = bw_tlb_lookup(bw_cp_tlb(q->dev, vmid), va, BW_ACCESS_WRITE | BW_ACCESS_ATOMIC,
				   &fault);
	if (!host && fault.prt)
		return BW_CP_DONE;
	if (!host) {
		bw_cp_fail(q, BW_QUEUE_FAULT,
			   "a packet of VMID %u changes 0x%llx, which is not mapped for that", vmid,
			   (unsigned long long)va);
		return BW_CP_STOP;
	}
	if (!bw_tc_atomic(host, a.op, a.is_64, a.src, a.compare, &q->atomic_return))
		return bw_cp_refuse(q, p, "ATOMIC", a.op);
	uint64_t want = a.is_64 ? a.compare : (uint32_t)a.compare;
	return a.loop && q->atomic_return != want ? BW_CP_POLL : BW_CP_DONE;
}

/* --- conditions and changes --- */

enum bw_cp_result bw_cp_cond_write(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_cond_write c;
	uint32_t value;
	if (!bw_pm4_cond_write(p, &c))
		return bw_cp_malformed(q, p);
	if (c.poll.is_memory ? !bw_cp_mem_read(q, c.poll.address, &value, 4)
			     : !bw_cp_reg_read(q, (uint32_t)c.poll.address, &value))
		return BW_CP_STOP;
	if (!bw_pm4_wait_true(&c.poll, value))
		return BW_CP_DONE;
	switch (c.write_space) {
	case 0:
		return bw_cp_reg_write(q, (uint32_t)c.write_address, c.data) ? BW_CP_DONE
									     : BW_CP_STOP;
	case 1:
		return bw_cp_mem_write(q, c.write_address, &c.data, 4) ? BW_CP_DONE : BW_CP_STOP;
	default:
		return bw_cp_refuse(q, p, "WRITE_SPACE", c.write_space);
	}
}

enum bw_cp_result bw_cp_reg_rmw(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_reg_rmw r;
	uint32_t value;
	if (!bw_pm4_reg_rmw(p, &r))
		return bw_cp_malformed(q, p);
	if ((r.and_is_reg && !bw_cp_reg_read(q, bw_pm4_reg_of(r.and_value), &r.and_value)) ||
	    (r.or_is_reg && !bw_cp_reg_read(q, bw_pm4_reg_of(r.or_value), &r.or_value)) ||
	    !bw_cp_reg_read(q, r.addr_dw, &value) ||
	    !bw_cp_reg_write(q, r.addr_dw, (value & r.and_value) | r.or_value))
		return BW_CP_STOP;
	return BW_CP_DONE;
}
