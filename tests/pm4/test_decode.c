/* SPDX-License-Identifier: MIT */
/* Packets as drivers send them: words of doc/hardware/dispatch.md and of the kernel's ring code. */
#include <stdint.h>

#include "../suite.h"
#include "base/util.h"
#include "pm4/pm4.h"

#define PACKET(...)                                                                                \
	({                                                                                         \
		static const uint32_t words_[] = {__VA_ARGS__};                                    \
		static struct bw_pm4_packet p_;                                                    \
		assert_true(bw_pm4_at(words_, BW_ARRAY_SIZE(words_), 0, &p_));                     \
		assert_int_equal(p_.size_dw, BW_ARRAY_SIZE(words_));                               \
		&p_;                                                                               \
	})

static void test_headers(void **state)
{
	static const uint32_t stream[] = {0xffff1000, 0xc0021000, 1, 2, 3,     0x80000000,
					  0xc0031502, 4,	  1, 1, 0x2045};
	struct bw_pm4_packet p;
	size_t pos = 0;
	assert_true(bw_pm4_at(stream, BW_ARRAY_SIZE(stream), pos, &p));
	assert_int_equal(p.size_dw, 1); /* NOP with the largest count */
	pos += p.size_dw;
	assert_true(bw_pm4_at(stream, BW_ARRAY_SIZE(stream), pos, &p));
	assert_int_equal(p.size_dw, 4);
	assert_int_equal(p.op, BW_PM4_NOP);
	assert_false(p.compute);
	pos += p.size_dw;
	assert_true(bw_pm4_at(stream, BW_ARRAY_SIZE(stream), pos, &p));
	assert_int_equal(p.kind, BW_PM4_TYPE2_PAD);
	pos += p.size_dw;
	assert_true(bw_pm4_at(stream, BW_ARRAY_SIZE(stream), pos, &p));
	assert_int_equal(p.op, BW_PM4_DISPATCH_DIRECT);
	assert_true(p.compute);
	/* One dword short, and the end. */
	assert_false(bw_pm4_at(stream, BW_ARRAY_SIZE(stream) - 1, pos, &p));
	assert_int_equal(p.size_dw, 5);
	assert_false(bw_pm4_at(stream, BW_ARRAY_SIZE(stream), BW_ARRAY_SIZE(stream), &p));
	/* c00ea100 = MAP_PROCESS with 15 body dwords, c005a200 = MAP_QUEUES
	 * (doc/hardware/kernel-interface.md 5.2)
	 */
	assert_int_equal(bw_pm4_size_dw(0xc00ea100), 16);
	assert_int_equal(bw_pm4_size_dw(0xc005a200), 7);
}

static void test_names(void **state)
{
	char buf[16];
	assert_string_equal(bw_pm4_name(0xa1, buf), "MAP_PROCESS");
	assert_string_equal(bw_pm4_name(0x58, buf), "ACQUIRE_MEM");
	assert_string_equal(bw_pm4_name(0xff, buf), "opcode 0xff");
	assert_null(bw_pm4_info(0));
	assert_int_equal(bw_pm4_info(0x2d)->senders, BW_PM4_BY_GFX);
	for (unsigned op = 0; op < 256; op++)
		if (bw_pm4_info(op))
			assert_int_equal(bw_pm4_info(op)->op, op);
}

static void test_dispatch(void **state)
{
	struct bw_pm4_dispatch_direct d;
	assert_true(bw_pm4_dispatch_direct(PACKET(0xc0031502, 4, 2, 1, 0x2045), &d));
	assert_int_equal(d.x, 4);
	assert_int_equal(d.y, 2);
	assert_int_equal(d.z, 1);
	assert_int_equal(d.initiator, 0x2045);
	assert_false(bw_pm4_dispatch_direct(PACKET(0xc0021502, 4, 2, 1), &d));

	struct bw_pm4_dispatch_indirect i;
	struct bw_pm4_dispatch_indirect_at at;
	assert_true(bw_pm4_dispatch_indirect_at(PACKET(0xc0021602, 0x1000, 0x80, 5), &at));
	assert_int_equal(at.address, 0x8000001000);
	assert_int_equal(at.initiator, 5);
	assert_true(bw_pm4_dispatch_indirect(PACKET(0xc0011602, 0x40, 5), &i));
	assert_int_equal(i.offset, 0x40);
	assert_int_equal(i.initiator, 5);
	/* too short for it: zeros */
	assert_false(bw_pm4_dispatch_indirect_at(PACKET(0xc0011602, 0x40, 5), &at));
	assert_int_equal(at.address, 0);
}

static void test_made_headers(void **state)
{
	/* as the packets of test_dispatch begin; the compute bit is not the encoder's */
	assert_int_equal(bw_pm4_header(BW_PM4_DISPATCH_DIRECT, 4), 0xc0031500);
	assert_int_equal(bw_pm4_as_nop(0xc0031503), 0xc0031000);
	assert_int_equal(bw_pm4_as_nop(BW_PM4_NOP_1DW), BW_PM4_NOP_1DW);
	assert_int_equal(bw_pm4_size_dw(BW_PM4_NOP_1DW), 1);
}

static void test_set_reg(void **state)
{
	struct bw_pm4_set_reg s;
	uint32_t addr, value;
	/* COMPUTE_PGM_RSRC1 is byte 0xb848: dword 0x2e12, 0x212 from the base */
	assert_true(bw_pm4_set_reg_begin(PACKET(0xc0027600, 0x212, 0x602c0002, 0x86), &s));
	assert_true(bw_pm4_set_reg_next(&s, &addr, &value));
	assert_int_equal(addr, 0xb848 / 4);
	assert_int_equal(value, 0x602c0002);
	assert_true(bw_pm4_set_reg_next(&s, &addr, &value));
	assert_int_equal(addr, 0xb84c / 4);
	assert_int_equal(value, 0x86);
	assert_false(bw_pm4_set_reg_next(&s, &addr, &value));
	/* SET_UCONFIG_REG of byte 0x30e00; the index form with an index in 31:28 */
	assert_true(bw_pm4_set_reg_begin(PACKET(0xc0017900, 0x380, 7), &s));
	assert_true(bw_pm4_set_reg_next(&s, &addr, &value));
	assert_int_equal(addr, 0x30e00 / 4);
	assert_true(bw_pm4_set_reg_begin(PACKET(0xc0019b00, 0x30000216, ~0u), &s));
	assert_true(bw_pm4_set_reg_next(&s, &addr, &value));
	assert_int_equal(addr, 0xb858 / 4);
	/* Pairs, and packed pairs: count, two offsets, two values */
	assert_true(bw_pm4_set_reg_begin(PACKET(0xc003ba00, 0x212, 1, 0x240, 2), &s));
	assert_true(bw_pm4_set_reg_next(&s, &addr, &value) &&
		    bw_pm4_set_reg_next(&s, &addr, &value));
	assert_int_equal(addr, 0x2c00 + 0x240);
	assert_int_equal(value, 2);
	assert_true(bw_pm4_set_reg_begin(PACKET(0xc003bb00, 2, 0x02400212, 10, 20), &s));
	assert_true(bw_pm4_set_reg_next(&s, &addr, &value));
	assert_int_equal(addr, 0x2c00 + 0x212);
	assert_int_equal(value, 10);
	assert_true(bw_pm4_set_reg_next(&s, &addr, &value));
	assert_int_equal(addr, 0x2c00 + 0x240);
	assert_int_equal(value, 20);
	assert_false(bw_pm4_set_reg_next(&s, &addr, &value));
	/* A count that is larger than the packet */
	assert_true(bw_pm4_set_reg_begin(PACKET(0xc003bb00, 0xffff, 0x02400212, 10, 20), &s));
	assert_int_equal(s.n, 2);
}

static void test_dma_data(void **state)
{
	struct bw_pm4_dma_data d;
	/* RADV's prefetch of 96 bytes of code: to nowhere */
	assert_true(bw_pm4_dma_data(PACKET(0xc0055000, 0x60200000, 0, 0x8000, 0, 0x8000, 96), &d));
	assert_int_equal(d.source_is, BW_PM4_DMA_L2);
	assert_int_equal(d.destination_is, BW_PM4_DMA_DST_NOWHERE);
	assert_int_equal(d.source, 0x800000000000);
	assert_int_equal(d.bytes, 96);
	/* fill 0x40300000, copy 0x60300000, synchronisation 0x80000000 */
	assert_true(
		bw_pm4_dma_data(PACKET(0xc0055000, 0x40300000, 0x1234, 0, 0x100, 1, 0x2000), &d));
	assert_int_equal(d.source_is, BW_PM4_DMA_SRC_DATA);
	assert_int_equal(d.destination_is, BW_PM4_DMA_L2);
	assert_int_equal(d.destination, 0x100000100);
	assert_true(bw_pm4_dma_data(PACKET(0xc0055000, 0x80000000, 0, 0, 0, 0, 0), &d));
	assert_true(d.sync);
	assert_int_equal(d.bytes, 0);
}

static void test_synchronisation(void **state)
{
	struct bw_pm4_event_write e;
	assert_true(bw_pm4_event_write(PACKET(0xc0004600, 0x407), &e));
	assert_int_equal(e.type, BW_PM4_EVENT_CS_PARTIAL_FLUSH);
	assert_int_equal(e.index, 4);

	struct bw_pm4_acquire_mem a;
	assert_true(bw_pm4_acquire_mem(PACKET(0xc0065800, 0, ~0u, 0xff, 0, 0, 0xa, 0xc3b1), &a));
	assert_int_equal(a.gcr, 0xc3b1);
	assert_int_equal(a.gcr & BW_PM4_GCR_GLI_INV, 1);
	assert_false(a.pws);

	/* gfx_v11_0_ring_emit_fence, 64 bits with interrupt */
	struct bw_pm4_release_mem r;
	assert_true(bw_pm4_release_mem(
		PACKET(0xc0064900, 0x06603514, 0x42000000, 0x1000, 0xf4, 7, 0, 0), &r));
	assert_int_equal(r.event, 0x14);
	assert_int_equal(r.index, 5);
	assert_int_equal(r.data_is, BW_PM4_DATA_64);
	assert_int_equal(r.interrupt, BW_PM4_INT_AFTER_WRITE);
	assert_int_equal(r.address, 0xf400001000);
	assert_int_equal(r.value, 7);

	/* gfx_v11_0_wait_reg_mem with operation 1: request register, acknowledge register */
	struct bw_pm4_wait_reg_mem64 w;
	assert_true(bw_pm4_wait(PACKET(0xc0053c00, 0x43, 0x290b, 0x291d, 0xf80002, 2, 0x20), &w));
	assert_false(w.in_memory);
	assert_int_equal(w.operation, 1);
	assert_int_equal(w.function, 3);
	assert_int_equal(w.register_, 0x290b);
	assert_int_equal(w.second_register, 0x291d);
	assert_int_equal(w.mask, 2);
	assert_true(bw_pm4_wait(PACKET(0xc0053c00, 0x13, 0x1000, 0x80, 9, ~0u, 4), &w));
	assert_true(w.in_memory);
	assert_int_equal(w.address, 0x8000001000);
	assert_int_equal(w.reference, 9);
	assert_int_equal(w.mask, ~0u);
	/* WAIT_REG_MEM64 */
	assert_true(bw_pm4_wait(PACKET(0xc0079300, 0x15, 0x1000, 0x80, 9, 1, ~0u, 2, 4), &w));
	assert_int_equal(w.function, BW_PM4_GREATER_EQUAL);
	assert_int_equal(w.reference, 0x100000009);
	assert_int_equal(w.mask, 0x2ffffffff);
}

static void test_wait_functions(void **state)
{
	/* always, <, <=, ==, !=, >=, > of 4, 5, 6 against 5 */
	static const char *const want[] = {"111", "100", "110", "010", "101", "011", "001"};
	for (unsigned f = 0; f < 7; f++)
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(bw_pm4_compare(f, 4 + i, 5), want[f][i] == '1');
}

static void test_indirect_buffer(void **state)
{
	struct bw_pm4_flow flow;
	/* gfx_v11_0_ring_emit_ib_compute: VALID, length 56, VMID 3 */
	flow = bw_pm4_flow(PACKET(0xc0023f00, 0x10000, 0x8000, 0x03800038));
	assert_true(flow.calls);
	assert_int_equal(flow.va, 0x800000010000);
	assert_int_equal(flow.size_dw, 56);
	assert_int_equal(flow.vmid, 3);
	assert_false(flow.chain);
	flow = bw_pm4_flow(PACKET(0xc0023f00, 0x10000, 0x8000, 0x00900038));
	assert_true(flow.calls && flow.chain);
	/* COND_EXEC, PRED_EXEC; one that goes on, and one that is too short */
	assert_int_equal(bw_pm4_flow(PACKET(0xc0032200, 0x1000, 0, 0, 7)).skip_dw, 7);
	assert_int_equal(bw_pm4_flow(PACKET(0xc0002300, 0x1000010)).skip_dw, 16);
	flow = bw_pm4_flow(PACKET(0xc0004600, 0x407));
	assert_false(flow.calls || flow.skip_dw);
	assert_false(bw_pm4_flow(PACKET(0xc0013f00, 0x10000, 0x8000)).calls);
}

static void test_write_copy(void **state)
{
	struct bw_pm4_write_data w;
	/* the kernel's emit_wreg on a compute ring */
	assert_true(bw_pm4_write_data(PACKET(0xc0033700, 0x100000, 0x2953, 0, 0x1001), &w));
	assert_int_equal(w.destination, BW_PM4_WRITE_REG);
	assert_int_equal(w.register_, 0x2953);
	assert_int_equal(w.n_data, 1);
	assert_int_equal(w.data[0], 0x1001);
	assert_true(bw_pm4_write_data(PACKET(0xc0043700, 0x500, 0x1000, 1, 5, 6), &w));
	assert_int_equal(w.destination, BW_PM4_WRITE_MEM);
	assert_int_equal(w.address, 0x100001000);
	assert_int_equal(w.n_data, 2);

	struct bw_pm4_copy_data c;
	assert_true(bw_pm4_copy_data(PACKET(0xc0044000, 0x10501, 0x20, 0, 0x30, 1), &c));
	assert_int_equal(c.source_is, BW_PM4_COPY_SRC_MEM);
	assert_int_equal(c.destination_is, BW_PM4_COPY_DST_MEM);
	assert_true(c.is_64);
	assert_int_equal(c.destination, 0x100000030);
	assert_false(bw_pm4_copy_data(PACKET(0xc0034000, 0x10501, 0x20, 0, 0x30), &c));
}

TESTS(test_headers, test_names, test_dispatch, test_made_headers, test_set_reg, test_dma_data,
      test_synchronisation, test_wait_functions, test_indirect_buffer, test_write_copy);
