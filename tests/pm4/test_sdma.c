/* SPDX-License-Identifier: MIT */
/* SDMA packets as drivers send them: words of sdma_v6_0.c of Linux and radv_sdma.c of Mesa. */
#include <stdint.h>

#include "../suite.h"
#include "base/util.h"
#include "pm4/sdma.h"

static void sizes(void **state)
{
	static const uint32_t stream[] = {
		0 | 2 << 16, 1,	     2,			  /* NOP over two dwords */
		0,					  /* NOP */
		2,	     0x1000, 0, 2, 7, 8, 9,	  /* WRITE of three */
		1 | 1 << 27, 0,	     0, 0, 0, 0, 0, 0, 0, /* COPY with two destinations */
		0x03,					  /* unknown */
		6,	     0,				  /* TRAP */
	};
	static const struct {
		const char *name;
		uint32_t size_dw;
	} rows[] = {{"NOP", 3},		{"NOP", 1}, {"WRITE_LINEAR", 7},
		    {"COPY_LINEAR", 9}, {NULL, 1},  {"TRAP", 2}};
	struct bw_sdma_packet p;
	size_t pos = 0;
	char buf[32];
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++, pos += p.size_dw) {
		assert_true(bw_sdma_at(stream, BW_ARRAY_SIZE(stream), pos, &p));
		assert_int_equal(p.size_dw, rows[i].size_dw);
		if (rows[i].name)
			assert_string_equal(p.info->name, rows[i].name);
		else
			assert_null(p.info);
	}
	assert_int_equal(pos, BW_ARRAY_SIZE(stream));
	assert_false(bw_sdma_at(stream, pos, pos, &p));
	/* One dword short: it says how much it wants. */
	assert_false(bw_sdma_at(stream, 10, 4, &p));
	assert_int_equal(p.size_dw, 7);
	assert_false(bw_sdma_at(stream, 6, 4, &p));
	assert_int_equal(p.size_dw, 5);
	assert_string_equal(bw_sdma_name(0x0203, buf), "opcode 0x03 sub-opcode 0x02");
	assert_string_equal(bw_sdma_name(1 | 6 << 8 | 1u << 31, buf), "COPY_T2T_SUB_WINDOW");
	/* With metadata, three more. */
	uint32_t tiled[17] = {1 | 5 << 8 | 1 << 19};
	assert_true(bw_sdma_at(tiled, 17, 0, &p));
	assert_int_equal(p.size_dw, 17);
	assert_false(bw_sdma_at(tiled, 16, 0, &p));
}

static struct bw_sdma_packet whole(const uint32_t *dw, size_t n)
{
	struct bw_sdma_packet p;
	assert_true(bw_sdma_at(dw, n, 0, &p));
	assert_int_equal(p.size_dw, n);
	return p;
}
#define WHOLE(...)                                                                                 \
	({                                                                                         \
		static const uint32_t words_[] = {__VA_ARGS__};                                    \
		whole(words_, BW_ARRAY_SIZE(words_));                                              \
	})

static void bodies(void **state)
{
	struct bw_sdma_packet p = WHOLE(1, 0x3ffffeff, 0, 0x1000, 0x80, 0x2000, 0x81);
	struct bw_sdma_copy_linear copy;
	struct bw_sdma_copy_broadcast two;
	assert_true(bw_sdma_copy_linear(&p, &copy));
	assert_true(copy.bytes_less_1 == 0x3ffffeff && copy.source == 0x8000001000 &&
		    copy.destination == 0x8100002000);
	assert_false(bw_sdma_copy_broadcast(&p, &two));
	assert_true(two.destination_2 == 0);

	struct bw_sdma_constant_fill fill;
	p = WHOLE(11 | 1u << 30, 0x1000, 0x80, 0xabcd, 0xff);
	assert_true(bw_sdma_constant_fill(&p, &fill));
	assert_true(fill.destination == 0x8000001000 && fill.bytes_less_1 == 255 &&
		    fill.value == 0xabcd);
	assert_int_equal(fill.unit_log2, 1);

	p = WHOLE(4 | 7 << 16, 0x10000020, 0x80, 64, 0, 0);
	struct bw_pm4_flow flow = bw_sdma_flow(&p);
	assert_true(flow.calls && !flow.chain && flow.va == 0x8010000020 && flow.size_dw == 64 &&
		    flow.vmid == 7);
	p = WHOLE(9, 0x1000, 0x80, 1, 9);
	assert_int_equal(bw_sdma_flow(&p).skip_dw, 9);

	/* sdma_v6_0_ring_emit_hdp_flush, _reg_wait; radv_cp_wait_mem on the transfer queue */
	struct bw_sdma_poll_regmem poll;
	p = WHOLE(8 | 1 << 26 | 3u << 28, 0xe27 << 2, 0xe26 << 2, 4, 4, 0xfff << 16 | 10);
	bw_sdma_poll_regmem(&p, &poll);
	assert_true(poll.hdp_flush && !poll.in_memory);
	assert_true(poll.register_ == 0xe27 && poll.second_register == 0xe26 &&
		    poll.reference == 4);
	p = WHOLE(8 | 5u << 28 | 1u << 31, 0x1004, 0x80, 9, ~0u, 0xfff << 16 | 10);
	bw_sdma_poll_regmem(&p, &poll);
	assert_true(poll.in_memory && poll.address == 0x8000001004);
	assert_true(poll.function == BW_PM4_GREATER_EQUAL && poll.mask == ~0u);

	struct bw_sdma_atomic a;
	p = WHOLE(10 | 47u << 25 | 1 << 16, 0x1000, 0x80, 1, 2, 3, 4, 10);
	bw_sdma_atomic(&p, &a);
	assert_true(a.operation == BW_TC_ADD && a.is_64 && a.loop && a.source == 0x200000001 &&
		    a.compare == 0x400000003);

	struct bw_sdma_srbm_write w;
	p = WHOLE(14 | 0x5u << 28, 0x1234, 0xffffffff);
	bw_sdma_srbm_write(&p, &w);
	assert_true(w.register_ == 0x1234 && w.byte_enable == 0x5);
}

static void windows(void **state)
{
	struct bw_sdma_window w;
	struct bw_sdma_packet p =
		WHOLE(1 | 4 << 8 | 2u << 29, 0x1000, 0x80, 3 | 4 << 16, 5 | 99 << 13, 9999, 0x2000,
		      0x80, 6 | 7 << 16, 8 | 49 << 13, 4999, 15 | 31 << 16, 1);
	bw_sdma_window(&p, &w);
	assert_true(!w.src_is_tiled && !w.dst_is_tiled && w.elem_log2 == 2);
	assert_true(w.src_linear.x == 3 && w.src_linear.y == 4 && w.src_linear.z == 5);
	assert_true(w.src_linear.pitch_less_1 == 99 && w.src_linear.slice_pitch_less_1 == 9999);
	assert_true(w.dst_linear.z == 8 && w.dst_linear.pitch_less_1 == 49 &&
		    w.dst_linear.address == 0x8000002000);
	assert_true(w.width == 16 && w.height == 32 && w.depth == 2);

	/* detile: 64 KiB R_X, 4 bytes, 2D, level 1 of 3 */
	p = WHOLE(1 | 5 << 8 | 1u << 31, 0x10000, 0x80, 1 | 2 << 16, 3 | 255 << 16, 127 | 4 << 16,
		  2 | 27 << 3 | 1 << 9 | 2 << 16 | 1 << 20, 0x2000, 0x80, 0, 63 << 16, 4095,
		  63 | 63 << 16, 0);
	bw_sdma_window(&p, &w);
	assert_true(w.src_is_tiled && !w.dst_is_tiled);
	assert_true(w.src_tiled.width_less_1 == 255 && w.src_tiled.height_less_1 == 127 &&
		    w.src_tiled.depth_less_1 == 4);
	assert_true(w.src_tiled.swizzle_mode == 27 && w.src_tiled.dimension == 1);
	assert_true(w.src_tiled.last_level == 2 && w.src_tiled.level == 1 && w.elem_log2 == 2);
	assert_true(w.dst_linear.pitch_less_1 == 63 && w.dst_linear.slice_pitch_less_1 == 4095);
	assert_true(w.width == 64 && w.height == 64 && w.depth == 1);
}

TESTS(sizes, bodies, windows);
