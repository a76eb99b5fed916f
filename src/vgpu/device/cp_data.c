/* SPDX-License-Identifier: MIT */
/* Packets that move data between memory and registers, some with an operation on the data or under
 * a condition. */
#include <string.h>

#include "base/util.h"
#include "vgpu/device/cp_packets.h"
#include "vgpu/device/exec/check/writers.h"

/* Tells the checker of a packet that is done, which it compares with dispatches and others. */
static void note(struct bw_queue *q, enum bw_transfer transfer, uint64_t to, uint64_t from,
		 uint64_t size_b)
{
	const unsigned vmid = bw_cp_vmid(q);
	const struct bw_writers_packet w = {.transfer = transfer,
					    .to = to,
					    .from = from,
					    .size_b = size_b,
					    .vmid = (uint8_t)vmid,
					    .is_compared = true,
					    .stretch = q->stretch,
					    .space = q->dev->check ? bw_device_space(q->dev, vmid)
								   : 0,
					    .engine = bw_queue_engine(q)};
	bw_writers_note(q->dev->check, bw_cp_tlb(q->dev, vmid), &w);
}

/* Of Vulkan it is vkCmdUpdateBuffer, which has to be ordered like a copy. */
static enum bw_cp_result update(struct bw_queue *q, const struct bw_pm4_write_data *w)
{
	if (atomic_load(&q->n_inflight))
		return BW_CP_WAIT;
	if (!bw_cp_mem_put(q, w->address, w->data, w->n_data * 4ull))
		return BW_CP_STOP;
	note(q, BW_TRANSFER_WRITE, w->address, 0, w->n_data * 4ull);
	return BW_CP_DONE;
}

/* RADV writes this into the upper half of a query's values before the GPU counts. The API orders
 * it with the reset of the query, which is a fill. */
static bool is_of_query(const struct bw_pm4_write_data *w)
{
	return w->n_data == 1 && w->data[0] == 0x80000000u;
}

enum bw_cp_result bw_cp_write_data(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_write_data w;
	if (!bw_pm4_write_data(p, &w))
		return bw_cp_malformed(q, p);
	switch (w.destination) {
	case BW_PM4_WRITE_REG:
		for (uint32_t i = 0; i < w.n_data; i++)
			if (!bw_cp_reg_write(q, w.register_ + (w.one_address ? 0 : i), w.data[i]))
				return BW_CP_STOP;
		return BW_CP_DONE;
	case BW_PM4_WRITE_MEM:
	case BW_PM4_WRITE_MEM_GRBM:
	case BW_PM4_WRITE_L2:
		if (!w.one_address && q->depth && q->dev->check && !is_of_query(&w) &&
		    bw_writers_compare_explicit(q->dev->check,
						bw_device_space(q->dev, bw_cp_vmid(q))))
			return update(q, &w);
		if (!w.one_address)
			return bw_cp_mem_write(q, w.address, w.data, w.n_data * 4ull) ? BW_CP_DONE
										      : BW_CP_STOP;
		for (uint32_t i = 0; i < w.n_data; i++)
			if (!bw_cp_mem_write(q, w.address, &w.data[i], 4))
				return BW_CP_STOP;
		return BW_CP_DONE;
	default:
		return bw_cp_refuse(q, p, "DST_SEL", w.destination);
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

	switch (c.source_is) {
	case BW_PM4_COPY_REG:
	case BW_PM4_COPY_PERF: /* a performance counter is a register too */
		for (unsigned i = 0; i < n; i++)
			if (!bw_cp_reg_read(q, c.source_register + i, &half[i]))
				return BW_CP_STOP;
		value = bw_join32(half[1], half[0]);
		break;
	case BW_PM4_COPY_SRC_MEM:
	case BW_PM4_COPY_L2:
		if (!bw_cp_mem_read(q, c.source & ~3ull, &value, n * 4))
			return BW_CP_STOP;
		break;
	case BW_PM4_COPY_GDS:
		for (unsigned i = 0; i < n; i++)
			half[i] = bw_gds_read(q->dev, c.source + i * 4ull);
		value = bw_join32(half[1], half[0]);
		break;
	case BW_PM4_COPY_SRC_IMM:
		value = c.source;
		break;
	case BW_PM4_COPY_SRC_ATOMIC:
		value = q->atomic_return;
		break;
	case BW_PM4_COPY_SRC_CLOCK:
	case BW_PM4_COPY_SRC_SYS_CLOCK:
		value = bw_device_realtime(q->dev);
		break;
	default:
		return bw_cp_refuse(q, p, "SRC_SEL", c.source_is);
	}
	switch (c.destination_is) {
	case BW_PM4_COPY_REG:
	case BW_PM4_COPY_PERF:
		for (unsigned i = 0; i < n; i++)
			if (!bw_cp_reg_write(q, c.destination_register + i,
					     i ? bw_hi32(value) : bw_lo32(value)))
				return BW_CP_STOP;
		return BW_CP_DONE;
	case BW_PM4_COPY_DST_MEM:
	case BW_PM4_COPY_DST_MEM_GRBM:
	case BW_PM4_COPY_L2:
		return bw_cp_mem_write(q, c.destination & ~3ull, &value, n * 4) ? BW_CP_DONE
										: BW_CP_STOP;
	default:
		return bw_cp_refuse(q, p, "DST_SEL", c.destination_is);
	}
}

enum bw_cp_result bw_cp_dma_data(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_dma_data d;
	if (!bw_pm4_dma_data(p, &d))
		return bw_cp_malformed(q, p);
	if (d.source_is == BW_PM4_DMA_GDS || d.source_is_register || d.source_fixed)
		return bw_cp_refuse(q, p, "SRC_SEL", d.source_is);
	if (d.destination_is == BW_PM4_DMA_GDS || d.destination_is_register || d.destination_fixed)
		return bw_cp_refuse(q, p, "DST_SEL", d.destination_is);
	if (d.destination_is == BW_PM4_DMA_DST_NOWHERE || d.bytes == 0)
		return BW_CP_DONE; /* a prefetch, or synchronisation only */

	/* Nothing says that earlier dispatches have ended; a checker sees by what they have done
	 * whether they had to. */
	if (bw_writers_compare_packets(q->dev->check) && atomic_load(&q->n_inflight))
		return BW_CP_WAIT;
	uint8_t chunk[16384];
	bool fill = d.source_is == BW_PM4_DMA_SRC_DATA;
	if (fill)
		for (size_t i = 0; i < sizeof(chunk); i += 4)
			memcpy(chunk + i, &d.source, 4);
	for (uint32_t done = 0; done < d.bytes;) {
		uint32_t n = BW_MIN(d.bytes - done, (uint32_t)sizeof(chunk));
		if ((!fill && !bw_cp_mem_read(q, d.source + done, chunk, n)) ||
		    !bw_cp_mem_put(q, d.destination + done, chunk, n))
			return BW_CP_STOP;
		done += n;
	}
	note(q, fill ? BW_TRANSFER_FILL : BW_TRANSFER_COPY, d.destination, fill ? 0 : d.source,
	     d.bytes);
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
	if (!bw_tc_atomic(host, a.operation, a.is_64, a.source, a.compare, &q->atomic_return))
		return bw_cp_refuse(q, p, "ATOMIC", a.operation);
	uint64_t want = a.is_64 ? a.compare : (uint32_t)a.compare;
	return a.command == BW_PM4_ATOMIC_LOOP && q->atomic_return != want ? BW_CP_POLL
									   : BW_CP_DONE;
}

/* --- conditions and changes --- */

enum bw_cp_result bw_cp_cond_write(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_cond_write c;
	uint32_t value;
	if (!bw_pm4_cond_write(p, &c))
		return bw_cp_malformed(q, p);
	if (c.in_memory ? !bw_cp_mem_read(q, c.address, &value, 4)
			: !bw_cp_reg_read(q, c.register_, &value))
		return BW_CP_STOP;
	if (!bw_pm4_compare(c.function, value & c.mask, c.reference))
		return BW_CP_DONE;
	switch (c.write_space) {
	case 0:
		return bw_cp_reg_write(q, c.write_register, c.value) ? BW_CP_DONE : BW_CP_STOP;
	case 1:
		return bw_cp_mem_write(q, c.write_address, &c.value, 4) ? BW_CP_DONE : BW_CP_STOP;
	default:
		return bw_cp_refuse(q, p, "WRITE_SPACE", c.write_space);
	}
}

/* register = (register & and) | or */
static enum bw_cp_result change(struct bw_queue *q, uint32_t reg, uint32_t and, uint32_t or)
{
	uint32_t value;
	return bw_cp_reg_read(q, reg, &value) && bw_cp_reg_write(q, reg, (value & and) | or)
		       ? BW_CP_DONE
		       : BW_CP_STOP;
}

enum bw_cp_result bw_cp_context_reg_rmw(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_context_reg_rmw r;
	if (!bw_pm4_context_reg_rmw(p, &r))
		return bw_cp_malformed(q, p);
	return change(q, r.register_, ~r.mask, r.value & r.mask);
}

enum bw_cp_result bw_cp_reg_rmw(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_reg_rmw r;
	if (!bw_pm4_reg_rmw(p, &r))
		return bw_cp_malformed(q, p);
	if ((r.and_mask_is_register && !bw_cp_reg_read(q, r.and_register, &r.and_mask)) ||
	    (r.or_mask_is_register && !bw_cp_reg_read(q, r.or_register, &r.or_mask)))
		return BW_CP_STOP;
	return change(q, r.register_, r.and_mask, r.or_mask);
}
