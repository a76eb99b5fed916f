/* SPDX-License-Identifier: MIT */
/* Packets laid out as structs, as the HSA Platform System Architecture Specification (2.9) and the
 * headers of ROCR-Runtime have them, and read by offsets. */
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "pm4/aql_stream.h"
#include "pm4/scan.h"
#include "regs/field.h"

/* hsa_kernel_dispatch_packet_t */
struct dispatch {
	uint16_t header, setup, group[3], reserved0;
	uint32_t grid[3], private_b, group_b;
	uint64_t kernel_object, kernarg, reserved2, completion;
};
/* hsa_barrier_and_packet_t, hsa_barrier_or_packet_t */
struct barrier {
	uint16_t header, reserved0;
	uint32_t reserved1;
	uint64_t signal[5], reserved2, completion;
};
/* hsa_amd_barrier_value_packet_t */
struct value {
	uint16_t header;
	uint8_t format, rsvd;
	uint32_t reserved0;
	uint64_t signal;
	int64_t value, mask;
	uint32_t cond, reserved1;
	uint64_t reserved2, reserved3, completion;
};
_Static_assert(sizeof(struct dispatch) == BW_AQL_PACKET_B && sizeof(struct barrier) == 64 &&
		       sizeof(struct value) == 64,
	       "packets have 64 bytes");

static struct bw_aql_packet read_packet(const void *packet)
{
	uint32_t dw[BW_AQL_PACKET_DW];
	struct bw_aql_packet p;
	memcpy(dw, packet, sizeof(dw));
	bw_aql_read(dw, &p);
	return p;
}

static void test_dispatch(void **state)
{
	/* type 2, barrier, acquire system, release agent; two dimensions */
	const struct dispatch d = {.header = 2 | 1 << 8 | 2 << 9 | 1 << 11,
				   .setup = 2,
				   .group = {64, 3, 99},
				   .grid = {1000, 7, 99},
				   .private_b = 272,
				   .group_b = 1024,
				   .kernel_object = 0x7fff12345640,
				   .kernarg = 0x7fff00001000,
				   .completion = 0x7fff00002000};
	struct bw_aql_packet p = read_packet(&d);
	assert_int_equal(p.type, BW_AQL_DISPATCH);
	assert_true(p.barrier);
	assert_int_equal(p.acquire, BW_AQL_SCOPE_SYSTEM);
	assert_int_equal(p.release, BW_AQL_SCOPE_AGENT);
	assert_int_equal(p.dispatch.dimensions, 2);
	assert_int_equal(p.dispatch.group[0], 64);
	assert_int_equal(p.dispatch.group[1], 3);
	assert_int_equal(p.dispatch.group[2], 1); /* unused */
	assert_int_equal(p.dispatch.grid[0], 1000);
	assert_int_equal(p.dispatch.grid[1], 7);
	assert_int_equal(p.dispatch.grid[2], 1);
	assert_int_equal(p.dispatch.private_b, 272);
	assert_int_equal(p.dispatch.group_b, 1024);
	assert_true(p.dispatch.kernel_object == 0x7fff12345640);
	assert_true(p.dispatch.kernarg == 0x7fff00001000);
	assert_true(p.completion == 0x7fff00002000);
}

static void test_barriers(void **state)
{
	struct barrier b = {.header = 3, .signal = {1, 2, 3, 4, 5}, .completion = 6};
	struct bw_aql_packet p = read_packet(&b);
	assert_int_equal(p.type, BW_AQL_BARRIER_AND);
	assert_false(p.barrier);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(p.barriers.signal[i], i + 1);
	assert_int_equal(p.completion, 6);
	b.header = 5;
	assert_int_equal(read_packet(&b).type, BW_AQL_BARRIER_OR);

	const struct value v = {
		.format = 2, .signal = 0x1000, .value = -3, .mask = 0xff, .cond = 3};
	p = read_packet(&v);
	assert_int_equal(p.type, BW_AQL_VENDOR);
	assert_int_equal(p.vendor, BW_AQL_VENDOR_BARRIER_VALUE);
	assert_int_equal(p.value.signal, 0x1000);
	assert_true(p.value.value == -3);
	assert_int_equal(p.value.mask, 0xff);
	assert_int_equal(p.value.condition, 3);
	/* hsa_signal_condition32_t: EQ, NE, LT, GTE */
	assert_true(bw_aql_holds(0, -1, -1) && !bw_aql_holds(0, 0, 1));
	assert_true(bw_aql_holds(1, 0, 1) && !bw_aql_holds(1, 1, 1));
	assert_true(bw_aql_holds(2, -1, 0) && !bw_aql_holds(2, 0, -1));
	assert_true(bw_aql_holds(3, 0, 0) && !bw_aql_holds(3, -1, 0));
	assert_false(bw_aql_holds(4, 0, 0));
}

static void test_names(void **state)
{
	assert_string_equal(bw_aql_name(2), "kernel dispatch");
	assert_string_equal(bw_aql_name(5), "barrier-OR");
	assert_string_equal(bw_aql_name(6), "unknown");
	assert_string_equal(bw_aql_name(255), "unknown");
}

/* "Initial Kernel Execution State" of AMDGPUUsage: what is asked for stands in the order of the bits,
 * without gaps. */
static void test_user_data(void **state)
{
	const struct bw_aql_packet p = {
		.dispatch = {.private_b = 48, .group_b = 513, .kernarg = 0x1122334455667788}};
	const struct bw_aql_queue_object o = {.descriptor = {1, 2, 3, 4},
					      .scratch = 0xaabb0000cc00};
	struct bw_aql_descriptor d = {.properties = BW_AQL_SGPR_KERNARG_PTR,
				      .rsrc2 = 0xff8001 /* LDS_SIZE 23:15, SCRATCH_EN 0 */};
	const struct bw_aql_launch l = {.packet = &p,
					.descriptor = &d,
					.queue = &o,
					.packet_va = 0x700000001040,
					.queue_va = 0x700000002000,
					.index = 0x500000003};
	uint32_t out[BW_AQL_USER_SGPRS];
	bw_aql_user_data(&l, out);
	const uint32_t one[BW_AQL_USER_SGPRS] = {0x55667788, 0x11223344};
	assert_memory_equal(out, one, sizeof(one));
	d.properties = 0x7f;
	bw_aql_user_data(&l, out);
	const uint32_t all[BW_AQL_USER_SGPRS] = {
		1,	    2,		3, 4, 0x00001040, 0x7000, 0x00002000, 0x7000,
		0x55667788, 0x11223344, 3, 5, 0x0000cc00, 0xaabb, 48,	      0};
	assert_memory_equal(out, all, sizeof(all));
	assert_int_equal(bw_aql_rsrc2(&l), 2 << 15 | 1);
}

struct found {
	unsigned n;
	size_t at;
	struct bw_pm4_dispatch dispatch;
	struct bw_pm4_scan state;
};

static bool on_find(void *cookie, const struct bw_pm4_find *f)
{
	struct found *out = cookie;
	assert_int_equal(f->what, BW_PM4_FOUND_DISPATCH);
	out->n++;
	out->at = f->pos_dw;
	out->dispatch = f->dispatch;
	out->state = *f->state;
	return true;
}

#define SH(f, name, n) ((f).state.sh[BW_REG_GC_DW(COMPUTE_##name) - BW_PM4_SH_BEGIN_DW + (n)])

/* As PM4: registers by their names, and the fields of RADV's dispatches (doc/hardware/dispatch.md
 * 2.3). */
static void test_stream(void **state)
{
	const struct bw_aql_packet p = {.dispatch = {.dimensions = 2,
						     .group = {64, 2, 1},
						     .grid = {200, 8, 1},
						     .kernel_object = 0x7f0000004000,
						     .kernarg = 0x7f0000008000,
						     .private_b = 16}};
	const struct bw_aql_queue_object o = {.tmpring = 0x12345, .scratch = 0xaabb0000cc00};
	struct bw_aql_descriptor d = {.properties = BW_AQL_SGPR_KERNARG_PTR | BW_AQL_WAVE32,
				      .entry_b = 0x100,
				      .rsrc1 = 0x60af0001,
				      .rsrc2 = 0x91,
				      .rsrc3 = 7};
	const struct bw_aql_launch l = {.packet = &p, .descriptor = &d, .queue = &o};
	struct bw_pm4_stream s = {0};
	struct found f = {0};
	struct bw_pm4_scan *scan = calloc(1, sizeof(*scan));
	size_t at = bw_aql_stream(&l, &s);
	assert_false(s.failed);
	assert_int_equal(s.len % BW_PM4_IB_ALIGN_DW, 0);
	bw_pm4_find_dispatches(scan, s.data, s.len, on_find, &f);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.at, at);
	/* 200 work-items are three whole groups of 64, and one of 8 */
	assert_int_equal(f.dispatch.dim[0], 4);
	assert_int_equal(f.dispatch.dim[1], 4);
	assert_int_equal(f.dispatch.dim[2], 1);
	/* COMPUTE_SHADER_EN, PARTIAL_TG_EN, FORCE_START_AT_000, ORDER_MODE, CS_W32_EN */
	assert_int_equal(f.dispatch.initiator, 1 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 15);
	assert_int_equal(SH(f, NUM_THREAD_X, 0), 64 | 8 << 16);
	assert_int_equal(SH(f, NUM_THREAD_X, 1), 2 | 2 << 16);
	assert_int_equal(SH(f, PGM_LO, 0), 0x41);
	assert_int_equal(SH(f, PGM_HI, 0), 0x7f);
	assert_int_equal(SH(f, PGM_RSRC1, 0), 0x60af0001);
	assert_int_equal(SH(f, PGM_RSRC2, 0), 0x91);
	assert_int_equal(SH(f, PGM_RSRC3, 0), 7);
	assert_int_equal(SH(f, TMPRING_SIZE, 0), 0x12345);
	assert_int_equal(SH(f, DISPATCH_SCRATCH_BASE_LO, 0), 0xbb0000cc);
	assert_int_equal(SH(f, DISPATCH_SCRATCH_BASE_HI, 0), 0xaa);
	assert_int_equal(SH(f, USER_DATA_0, 0), 0x8000);
	assert_int_equal(SH(f, USER_DATA_0, 1), 0x7f00);
	free(scan);
	bw_pm4_stream_free(&s);
}

/* amd_queue.h: scratch_wave64_lane_byte_size; a wave32 has half of the lanes. */
static void test_scratch(void **state)
{
	struct bw_aql_packet p = {.dispatch.private_b = 64};
	const struct bw_aql_queue_object o = {.wave64_lane_b = 32};
	struct bw_aql_descriptor d = {.properties = BW_AQL_WAVE32};
	const struct bw_aql_launch l = {.packet = &p, .descriptor = &d, .queue = &o};
	assert_int_equal(bw_aql_wants_scratch(&l), 0);
	p.dispatch.private_b = 65;
	assert_int_equal(bw_aql_wants_scratch(&l), BW_AQL_WANTS_SCRATCH32);
	d.properties = 0;
	assert_int_equal(bw_aql_wants_scratch(&l), BW_AQL_WANTS_SCRATCH64);
	p.dispatch.private_b = 32;
	assert_int_equal(bw_aql_wants_scratch(&l), 0);
}

TESTS(test_stream, test_scratch, test_user_data, test_dispatch, test_barriers, test_names);
