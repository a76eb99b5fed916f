/* SPDX-License-Identifier: MIT */
/* Queues of AQL packets as a program of ROCm uses them: ring, indices, signals and kernel
 * descriptors in memory of its VMID. Offsets and numbers are those of the HSA Platform System
 * Architecture Specification (2.9), of amd_hsa_queue.h and amd_hsa_signal.h of ROCR-Runtime, of
 * LLVM's AMDGPUUsage (kernel descriptors) and of kfd_ioctl.h (errors). */
#include "rig.h"

#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "pm4/aql.h"

#define QUEUE (RIG_DATA + 0x200000)	/* amd_queue_t */
#define RING (RIG_DATA + 0x201000)	/* 16 packets */
#define SIGNALS (RIG_DATA + 0x203000)	/* 64 bytes each */
#define MAILBOXES (RIG_DATA + 0x204000) /* 8 bytes each */
#define DESCRIPTORS (RIG_DATA + 0x205000)
#define KERNARG (RIG_DATA + 0x206000)
#define IB (RIG_DATA + 0x207000)
#define OUT (RIG_DATA + 0x210040)
#define SCRATCH (RIG_DATA + 0x300000)

enum {
	N_SLOTS = 16,
	DOORBELL = 0x1004, /* the third of a process whose page begins at 0x1000 */
	DOORBELL_ID = 2,
	WAIT_MS = 20000,
	DISPATCH = 2,
	BARRIER_AND = 3,
	BARRIER_OR = 5,
	BARRIER_BIT = 1 << 8,
	SRC_EOP = 181,
	SRC_BAD_OPCODE = 183,
	/* properties of a kernel descriptor */
	KERNARG_PTR = 1 << 3,
	PRIVATE_SIZE = 1 << 6,
	WAVE32 = 1 << 10,
};

static const struct bw_bank bank = {.use_srbm = true, .me = 1, .queue = 1};

static uint32_t *at(struct rig *r, uint64_t va)
{
	return rig_ptr(r, va);
}

static void put64(struct rig *r, uint64_t va, uint64_t value)
{
	__atomic_store_n((uint64_t *)rig_ptr(r, va), value, __ATOMIC_RELEASE);
}

static uint64_t get64(struct rig *r, uint64_t va)
{
	return __atomic_load_n((uint64_t *)rig_ptr(r, va), __ATOMIC_ACQUIRE);
}

static void hqd_write(struct rig *r, uint32_t addr_dw, uint32_t value)
{
	bw_device_reg_write(r->dev, &bank, addr_dw, value);
}

static void start_queue(struct rig *r, uint64_t queue_va, uint64_t ring_va)
{
	hqd_write(r, REG(CP_HQD_VMID), 1);
	hqd_write(r, REG(CP_HQD_PQ_BASE), (uint32_t)(ring_va >> 8));
	hqd_write(r, REG(CP_HQD_PQ_BASE_HI), (uint32_t)(ring_va >> 40));
	hqd_write(r, REG(CP_HQD_PQ_RPTR_REPORT_ADDR), (uint32_t)queue_va + 0x80);
	hqd_write(r, REG(CP_HQD_PQ_RPTR_REPORT_ADDR_HI), (uint32_t)(queue_va >> 32));
	hqd_write(r, REG(CP_HQD_PQ_WPTR_POLL_ADDR), (uint32_t)queue_va + 0x38);
	hqd_write(r, REG(CP_HQD_PQ_WPTR_POLL_ADDR_HI), (uint32_t)(queue_va >> 32));
	hqd_write(r, REG(CP_HQD_PQ_DOORBELL_CONTROL), 1u << 30 | DOORBELL << 2);
	hqd_write(r, REG(CP_HQD_PQ_CONTROL), 2 << 18 | 7); /* in packets; 2^(7 + 1) dwords */
	hqd_write(r, REG(CP_HQD_ACTIVE), 1);
}

static void start_with(struct rig *r, const struct bw_device_options *options)
{
	rig_start(r, options);
	memset(at(r, QUEUE), 0, 0x10000);
	at(r, QUEUE)[0x88 / 4] = 0x80; /* from the read index back to the queue */
	for (unsigned i = 0; i < N_SLOTS; i++)
		at(r, RING)[i * 16] = 1; /* invalid */
	start_queue(r, QUEUE, RING);
}

static void start(struct rig *r)
{
	start_with(r, NULL);
}

static uint64_t signal_va(unsigned i)
{
	return SIGNALS + i * 64;
}

/* A signal with the value 1; with an event, it has a mailbox. */
static uint64_t make_signal(struct rig *r, unsigned i, uint32_t event)
{
	memset(at(r, signal_va(i)), 0, 64);
	put64(r, signal_va(i), 1);
	put64(r, signal_va(i) + 8, 1);
	put64(r, signal_va(i) + 16, event ? MAILBOXES + i * 8 : 0);
	at(r, signal_va(i))[6] = event;
	return signal_va(i);
}

static bool becomes(struct rig *r, uint64_t va, uint64_t value)
{
	for (unsigned i = 0; i < WAIT_MS && get64(r, va) != value; i++)
		rig_sleep_ms(1);
	return get64(r, va) == value;
}

static bool signalled(struct rig *r, unsigned i)
{
	return becomes(r, signal_va(i) + 8, 0);
}

static uint64_t make_descriptor(struct rig *r, unsigned i, const char *kernel, unsigned n_user,
				uint32_t properties, uint32_t rsrc2)
{
	uint64_t va = DESCRIPTORS + i * 64;
	memset(at(r, va), 0, 64);
	put64(r, va + 0x10, rig_code(r, kernel) - va);
	/* 64 VGPRs, FP modes; user SGPRs, the group's x */
	at(r, va)[0x30 / 4] = (properties & WAVE32 ? 7 : 15) | 0xc0 << 12 | 1u << 29 | 1u << 30;
	at(r, va)[0x34 / 4] = n_user << 1 | 1 << 7 | rsrc2;
	at(r, va)[0x38 / 4] = properties;
	return va;
}

struct packet {
	uint16_t header, setup, group[3], reserved0;
	uint32_t grid[3], private_b, group_b;
	uint64_t kernel_object, kernarg, reserved2, completion;
};

static uint64_t slot_va(uint64_t index)
{
	return RING + index % N_SLOTS * 64;
}

/* Fills a slot as a producer does: the header at the end. */
static void fill_slot(struct rig *r, uint64_t index, const void *packet)
{
	uint32_t *slot = at(r, slot_va(index)), header;
	memcpy(&header, packet, 4);
	memcpy(slot + 1, (const char *)packet + 4, 60);
	__atomic_store_n(slot, header, __ATOMIC_RELEASE);
}

static uint64_t put(struct rig *r, const void *packet)
{
	uint64_t index = get64(r, QUEUE + 0x38);
	put64(r, QUEUE + 0x38, index + 1);
	fill_slot(r, index, packet);
	return index;
}

static void ring_doorbell(struct rig *r, uint64_t index)
{
	bw_device_doorbell(r->dev, DOORBELL, index);
}

static uint64_t submit(struct rig *r, const void *packet)
{
	uint64_t index = put(r, packet);
	ring_doorbell(r, index);
	return index;
}

static struct packet dispatch(uint64_t descriptor, uint64_t kernarg, uint64_t completion)
{
	return (struct packet){.header = DISPATCH | 2 << 9 | 2 << 11,
			       .setup = 1,
			       .group = {64, 1, 1},
			       .grid = {64, 1, 1},
			       .kernel_object = descriptor,
			       .kernarg = kernarg,
			       .completion = completion};
}

static struct packet poll_dispatch(struct rig *r, unsigned descriptor, uint64_t flag,
				   uint64_t signal)
{
	return dispatch(make_descriptor(r, descriptor, "poll", 2, KERNARG_PTR | WAVE32, 0), flag,
			signal);
}

static void check_numbers(struct rig *r, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(at(r, OUT)[i], 3 * i + 7);
	assert_int_equal(at(r, OUT)[n], 0);
}

static void test_a_kernel(void **state)
{
	for (unsigned wave32 = 0; wave32 < 2; wave32++) {
		struct rig r;
		struct rig_vector v;
		start(&r);
		/* packet, queue, kernel arguments, dispatch id */
		uint32_t properties = 2 | 4 | 8 | 16 | (wave32 ? WAVE32 : 0u);
		uint64_t kd = make_descriptor(&r, 0, "aql", 8, properties, 0);
		struct packet p = dispatch(kd, KERNARG, make_signal(&r, 0, 77));
		p.grid[0] = 1000; /* the last group has 40 */
		put64(&r, KERNARG, OUT);
		submit(&r, &p);
		assert_true(signalled(&r, 0));
		check_numbers(&r, 1000);
		assert_int_equal(at(&r, OUT - 16)[0], 0);
		assert_int_equal(at(&r, OUT - 16)[1], (uint32_t)QUEUE);
		assert_true(becomes(&r, MAILBOXES, 77));
		assert_true(rig_next_vector(&r, &v, WAIT_MS));
		assert_int_equal(v.client, 0x14);
		assert_int_equal(v.source, SRC_EOP);
		assert_int_equal(v.vmid, 1);
		assert_int_equal(v.pasid, 0x8001);
		assert_int_equal(v.data[0], 77);
		assert_int_equal(get64(&r, QUEUE + 0x80), 1);
		assert_int_equal(at(&r, slot_va(0))[0] & 0xff, 1);
		/* without PROFILING no time stamps */
		assert_int_equal(get64(&r, signal_va(0) + 0x20), 0);
		at(&r, QUEUE)[0xb4 / 4] = 1 << 3;
		p.completion = make_signal(&r, 1, 0);
		submit(&r, &p);
		assert_true(signalled(&r, 1));
		assert_int_equal(at(&r, OUT - 16)[0], 1);
		uint64_t begin = get64(&r, signal_va(1) + 0x20),
			 end = get64(&r, signal_va(1) + 0x28);
		assert_true(begin && end >= begin);
		assert_false(rig_next_vector(&r, &v, 20)); /* there is no mailbox */
		rig_stop(&r);
	}
}

/* More packets than slots: indices go on where the ring begins anew. */
static void test_many_packets(void **state)
{
	enum { N = 100 };
	struct rig r;
	start(&r);
	struct packet p = poll_dispatch(&r, 0, KERNARG, 0);
	put64(&r, KERNARG, 1); /* polled: do not wait */
	for (unsigned i = 0; i < N; i++) {
		for (unsigned k = 0; k < WAIT_MS && i >= get64(&r, QUEUE + 0x80) + N_SLOTS; k++)
			rig_sleep_ms(1);
		if (i + 1 == N)
			p.completion = make_signal(&r, 0, 0);
		submit(&r, &p);
	}
	assert_true(signalled(&r, 0));
	assert_int_equal(at(&r, KERNARG + 64)[0], N * 2); /* two waves each */
	assert_int_equal(get64(&r, QUEUE + 0x80), N);
	rig_stop(&r);
}

/* Two producers: the one that reserved the first slot is slower. */
static void test_a_slot_that_is_not_filled(void **state)
{
	struct rig r;
	start(&r);
	struct packet p = poll_dispatch(&r, 0, KERNARG, make_signal(&r, 0, 0));
	put64(&r, KERNARG, 1);
	put64(&r, QUEUE + 0x38, 2);
	fill_slot(&r, 1, &p);
	ring_doorbell(&r, 1);
	rig_sleep_ms(20);
	assert_int_equal(get64(&r, signal_va(0) + 8), 1);
	assert_int_equal(get64(&r, QUEUE + 0x80), 0);
	p.completion = make_signal(&r, 1, 0);
	fill_slot(&r, 0, &p);
	ring_doorbell(&r, 0);
	assert_true(signalled(&r, 0) && signalled(&r, 1));
	rig_stop(&r);
}

/* The first kernel waits for what another packet behind it does. */
static void test_dispatches_overlap(void **state)
{
	struct rig r;
	start(&r);
	struct packet first = poll_dispatch(&r, 0, KERNARG, make_signal(&r, 0, 0));
	struct packet second = poll_dispatch(&r, 1, KERNARG + 0x100, make_signal(&r, 1, 0));
	struct packet third = second;
	put64(&r, KERNARG + 0x100, 1);
	third.header |= BARRIER_BIT;
	third.completion = make_signal(&r, 2, 0);
	submit(&r, &first);
	submit(&r, &second);
	submit(&r, &third);
	/* the second runs beside the first, the third waits for both */
	assert_true(becomes(&r, KERNARG + 0x140, 2));
	rig_sleep_ms(20);
	assert_int_equal(at(&r, KERNARG + 0x140)[0], 2);
	assert_int_equal(get64(&r, QUEUE + 0x80), 0); /* the oldest that is not complete */
	put64(&r, KERNARG, 1);
	assert_true(signalled(&r, 0) && signalled(&r, 1) && signalled(&r, 2));
	assert_int_equal(at(&r, KERNARG + 0x140)[0], 4);
	assert_int_equal(get64(&r, QUEUE + 0x80), 3);
	rig_stop(&r);
}

static void test_barriers(void **state)
{
	struct rig r;
	start(&r);
	uint64_t a = make_signal(&r, 0, 0), b = make_signal(&r, 1, 0);
	uint64_t packet[8] = {BARRIER_AND, a, 0, b, 0, 0, 0, make_signal(&r, 2, 5)};
	submit(&r, packet);
	put64(&r, a + 8, 0);
	rig_sleep_ms(20);
	assert_int_equal(get64(&r, signal_va(2) + 8), 1);
	put64(&r, b + 8, 0);
	assert_true(signalled(&r, 2));
	/* OR: one of them; of a signal that is not there nobody waits */
	put64(&r, a + 8, 1);
	put64(&r, b + 8, (uint64_t)-1);
	packet[0] = BARRIER_OR;
	packet[7] = make_signal(&r, 3, 0);
	submit(&r, packet);
	rig_sleep_ms(20);
	assert_int_equal(get64(&r, signal_va(3) + 8), 1);
	put64(&r, b + 8, 0);
	assert_true(signalled(&r, 3));
	/* no dependencies: how HIP gets a signal for what was before, and its time */
	enum { PROPERTIES = 0xb4, PROFILES = 1 << 3, START = 0x20, END = 0x28 };
	at(&r, QUEUE)[PROPERTIES / 4] |= PROFILES;
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t none[8] = {i ? BARRIER_OR : BARRIER_AND, 0, 0, 0, 0, 0, 0,
					  make_signal(&r, 4, 0)};
		submit(&r, none);
		assert_true(signalled(&r, 4));
		uint64_t start = get64(&r, signal_va(4) + START);
		assert_true(start && get64(&r, signal_va(4) + END) >= start);
	}
	rig_stop(&r);
}

static void test_vendor_packets(void **state)
{
	struct rig r;
	start(&r);
	/* a barrier on a value: (signal & 0xff) >= 3 */
	uint64_t a = make_signal(&r, 0, 0);
	const uint64_t value[8] = {2 << 16, a, 3, 0xff, 3, 0, 0, make_signal(&r, 1, 0)};
	put64(&r, a + 8, 0x102);
	submit(&r, value);
	rig_sleep_ms(20);
	assert_int_equal(get64(&r, signal_va(1) + 8), 1);
	put64(&r, a + 8, 0x203);
	assert_true(signalled(&r, 1));
	/* PM4: WRITE_DATA to memory in an indirect buffer */
	const uint32_t ib[] = {0xc0033700, 5u << 8, (uint32_t)OUT, (uint32_t)(OUT >> 32), 4711};
	uint32_t pm4[16] = {1 << 16,	 0xc0023f00, (uint32_t)IB, (uint32_t)(IB >> 32),
			    5 | 1 << 23, 10};
	uint64_t done = make_signal(&r, 2, 0);
	memcpy(at(&r, IB), ib, sizeof(ib));
	memcpy(pm4 + 14, &done, 8);
	submit(&r, pm4);
	assert_true(signalled(&r, 2));
	assert_int_equal(at(&r, OUT)[0], 4711);
	rig_stop(&r);
}

/* The program is asked for scratch, and the kernel starts when it has given some. */
static void test_scratch_on_demand(void **state)
{
	for (unsigned wave32 = 0; wave32 < 2; wave32++) {
		struct rig r;
		start(&r);
		uint64_t inactive = make_signal(&r, 0, 3);
		put64(&r, inactive + 8, 0);
		put64(&r, QUEUE + 0xc0, inactive);
		uint64_t kd =
			make_descriptor(&r, 0, "scratch", 3,
					KERNARG_PTR | PRIVATE_SIZE | (wave32 ? WAVE32 : 0u), 1);
		struct packet p = dispatch(kd, OUT, make_signal(&r, 1, 0));
		p.private_b = 64; /* which the kernel takes for its group size as well */
		p.grid[0] = 256;
		submit(&r, &p);
		assert_true(becomes(&r, inactive + 8, wave32 ? 0x400 : 1));
		assert_true(becomes(&r, MAILBOXES, 3));
		assert_int_equal(get64(&r, QUEUE + 0x80), 0);
		/* 32 waves an engine, of 64 bytes a lane */
		at(&r, QUEUE)[0x8c / 4] = 32 | 64 * (wave32 ? 32 : 64) / 256 << 12;
		put64(&r, QUEUE + 0xa0, SCRATCH);
		at(&r, QUEUE)[0xb0 / 4] = wave32 ? 32 : 64;
		put64(&r, inactive + 8, 0);
		assert_true(signalled(&r, 1));
		for (unsigned i = 0; i < 256; i++)
			assert_int_equal(at(&r, OUT)[i], i);
		rig_stop(&r);
	}
}

/* Each stops its queue with the error that KFD knows, after what was before has been completed; a
 * queue that is started anew works. */
static void test_errors(void **state)
{
	enum { GOOD = 0, UNALIGNED, NOT_MAPPED, ZERO, GARBAGE };
	static const struct {
		uint16_t header, setup;
		uint32_t group, grid, group_b;
		int object;
		unsigned code;
	} cases[] = {
		{DISPATCH, 0, 64, 64, 0, GOOD, 16},
		{DISPATCH, 1, 0, 64, 0, GOOD, 16},
		{DISPATCH, 1, 64, 64, 0xffffffff, GOOD, 17},
		{DISPATCH, 1, 64, 64, 0x10001, GOOD, 17},
		{DISPATCH, 1, 64, 64, 0, UNALIGNED, 18},
		{DISPATCH, 1, 64, 64, 0, NOT_MAPPED, 18},
		{DISPATCH, 1, 64, 64, 0, ZERO, 18},
		{DISPATCH, 1, 64, 64, 0, GARBAGE, 18},
		{4, 0, 0, 0, 0, GOOD, 20}, /* agent dispatch */
		{6, 0, 0, 0, 0, GOOD, 20},
		{255, 0, 0, 0, 0, GOOD, 20},
		{DISPATCH, 1, 1025, 1025, 0, GOOD, 21},
		{0, 77, 0, 0, 0, GOOD, 23}, /* a vendor packet of no format */
		{0, 1, 0, 0, 0, GOOD, 23},  /* PM4 that calls nothing */
	};
	struct rig r;
	start(&r);
	uint64_t kd = make_descriptor(&r, 0, "poll", 2, KERNARG_PTR | WAVE32, 0);
	const uint64_t objects[] = {kd, kd + 8, 0x123456789000, 0, KERNARG};
	memset(at(&r, KERNARG), 0x5a, 64);
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct packet good = poll_dispatch(&r, 0, OUT, make_signal(&r, 0, 0)), bad = good;
		struct rig_vector v;
		char why[160];
		put64(&r, OUT, 1);
		bad.header = cases[i].header;
		bad.setup = cases[i].setup;
		bad.group[0] = (uint16_t)cases[i].group;
		bad.grid[0] = cases[i].grid;
		bad.group_b = cases[i].group_b;
		bad.kernel_object = objects[cases[i].object];
		bad.completion = make_signal(&r, 1, 0);
		put(&r, &good);
		submit(&r, &bad);
		assert_true(signalled(&r, 0));
		assert_true(rig_next_vector(&r, &v, WAIT_MS));
		assert_int_equal(v.client, 0x14);
		assert_int_equal(v.source, SRC_BAD_OPCODE);
		assert_int_equal(v.data[0], DOORBELL_ID | cases[i].code << 10);
		assert_true(bw_device_queue_error(r.dev, 1, 0, 1, why, sizeof(why)));
		assert_int_equal(get64(&r, signal_va(1) + 8), 1);
		hqd_write(&r, REG(CP_HQD_DEQUEUE_REQUEST), 2);
		for (unsigned k = 0; k < WAIT_MS; k++) {
			if (!bw_device_reg_read(r.dev, &bank, REG(CP_HQD_ACTIVE)))
				break;
			rig_sleep_ms(1);
		}
		put64(&r, QUEUE + 0x38, 0);
		put64(&r, QUEUE + 0x80, 0);
		start_queue(&r, QUEUE, RING);
	}
	rig_stop(&r);
}

/* Memory that is not there stops the queue with a fault, and the others go on. */
static void test_memory_that_is_lost(void **state)
{
	static const struct {
		uint64_t queue, ring, completion;
	} cases[] = {
		{RIG_SMALL_VA, RING, 0},
		{QUEUE, RIG_SMALL_VA, 0},
		{QUEUE, RING, RIG_SMALL_VA},
		{QUEUE, RING, SIGNALS + 4}, /* not aligned */
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct rig r;
		char why[160];
		start(&r);
		hqd_write(&r, REG(CP_HQD_DEQUEUE_REQUEST), 2);
		for (unsigned k = 0; k < WAIT_MS; k++) {
			if (!bw_device_reg_read(r.dev, &bank, REG(CP_HQD_ACTIVE)))
				break;
			rig_sleep_ms(1);
		}
		const uint64_t packet[8] = {BARRIER_AND, [7] = cases[i].completion};
		put(&r, packet);
		start_queue(&r, cases[i].queue, cases[i].ring);
		bool stopped = false;
		for (unsigned k = 0; k < WAIT_MS && !stopped; k++) {
			stopped = bw_device_queue_error(r.dev, 1, 0, 1, why, sizeof(why));
			rig_sleep_ms(1);
		}
		assert_true(stopped);
		assert_non_null(strstr(why, "of VMID 1, which is not"));
		struct bw_pm4_stream s = {0};
		bw_pm4_put_nop(&s, 1);
		assert_true(rig_wait(&r, 1, rig_submit(&r, 1, &s), WAIT_MS));
		rig_stop(&r);
	}
}

/* Strict mode: a kernel sees what has been written since only if its packet acquires. */
static void test_acquire_drops_stale_lines(void **state)
{
	struct rig r;
	const struct bw_device_options strict = {.threads = 2, .strict = true};
	start_with(&r, &strict);
	/* on one WGP, whose cache it is */
	const uint32_t engines[] = {
		REG(COMPUTE_STATIC_THREAD_MGMT_SE0), REG(COMPUTE_STATIC_THREAD_MGMT_SE1),
		REG(COMPUTE_STATIC_THREAD_MGMT_SE2), REG(COMPUTE_STATIC_THREAD_MGMT_SE3),
		REG(COMPUTE_STATIC_THREAD_MGMT_SE4), REG(COMPUTE_STATIC_THREAD_MGMT_SE5)};
	for (unsigned se = 0; se < BW_ARRAY_SIZE(engines); se++)
		hqd_write(&r, engines[se], se ? 0 : 3);
	uint64_t kd = make_descriptor(&r, 0, "stale", 2, KERNARG_PTR | WAVE32, 0);
	static const struct {
		unsigned acquire, written, seen;
	} steps[] = {{0, 5, 5}, {0, 6, 5}, {1, 7, 7}, {0, 8, 7}, {2, 9, 9}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(steps); i++) {
		struct packet p = dispatch(kd, KERNARG, make_signal(&r, 0, 0));
		p.header = (uint16_t)(DISPATCH | steps[i].acquire << 9);
		put64(&r, KERNARG, steps[i].written);
		submit(&r, &p);
		assert_true(signalled(&r, 0));
		assert_int_equal(at(&r, KERNARG + 64)[0], steps[i].seen);
	}
	rig_stop(&r);
}

TESTS(test_a_kernel, test_many_packets, test_a_slot_that_is_not_filled, test_dispatches_overlap,
      test_barriers, test_vendor_packets, test_scratch_on_demand, test_errors,
      test_memory_that_is_lost, test_acquire_drops_stale_lines);
