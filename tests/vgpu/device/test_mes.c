/* SPDX-License-Identifier: MIT */
/* The kernel's queue and the scheduler as gfx_v11_0.c and mes_v11_0.c of Linux 6.12 use them.
 * Places in frames are offsetof() of mes_v11_api_def.h divided by 4, those in descriptors are of
 * v11_structs.h, words of packets of nvd.h.
 *
 * Long file: all tests of frames use the same small driver. */
#include "rig.h"

#include <string.h>

#include "../../suite.h"
#include "base/cleanup.h"
#include "base/util.h"

/* in VRAM */
enum {
	KIQ_RING = RIG_RINGS + 0x40000,
	MES_RING = RIG_RINGS + 0x48000,
	USER_RING = (int)(RIG_DATA + 0x100000), /* the same address for VMIDs of the rig's tables */
	MQDS = RIG_FENCES + 0x10000,		/* one in 4 KiB */
	WPTRS = RIG_FENCES + 0x1000,
	FENCE = RIG_FENCES + 0x2000,
	RING_DW = 1024,
	SIZE_FIELD = 9, /* 2^(9 + 1) dwords */
	KIQ_DOORBELL = 0x18,
	MES_DOORBELL = 0x16,
	USER_DOORBELL = 0x80a,
	WAIT_MS = 5000,
};

struct sched {
	struct rig r;
	uint64_t kiq_wptr, mes_wptr, user_wptr, n_fences;
};

static uint32_t *vram(struct sched *s, uint64_t offset)
{
	return rig_ptr(&s->r, offset);
}

static const struct bw_bank kiq = {.use_srbm = true, .me = 3, .pipe = 1};

static void kiq_write(struct sched *s, uint32_t addr_dw, uint32_t value)
{
	bw_device_reg_write(s->r.dev, &kiq, addr_dw, value);
}

/* A descriptor with what both kinds of queue have: ring, doorbell, size. */
static uint64_t make_mqd(struct sched *s, unsigned index, uint64_t ring_va, uint32_t doorbell_dw)
{
	uint32_t *mqd = vram(s, MQDS + index * 0x1000);
	memset(mqd, 0, 0x1000);
	mqd[23] = mqd[24] = 0xffffffff; /* compute_static_thread_mgmt_se0, 1 */
	mqd[136] = (uint32_t)(ring_va >> 8);
	mqd[137] = (uint32_t)(ring_va >> 40);
	mqd[143] = 1u << 30 | doorbell_dw << 2;
	mqd[145] = 1u << 30 | SIZE_FIELD; /* PRIV_STATE */
	return rig_mc(&s->r, MQDS + index * 0x1000);
}

static void start(struct sched *s)
{
	memset(s, 0, sizeof(*s));
	rig_start(&s->r, NULL);
	/* The driver says for all VMIDs where address spaces end. */
	rig_write(&s->r, REG(GCVM_CONTEXT8_PAGE_TABLE_END_ADDR_LO32), 0xffffffff);
	rig_write(&s->r, REG(GCVM_CONTEXT8_PAGE_TABLE_END_ADDR_HI32), 0xf);
	uint64_t base = rig_mc(&s->r, KIQ_RING) >> 8;
	kiq_write(s, REG(CP_HQD_PQ_BASE), (uint32_t)base);
	kiq_write(s, REG(CP_HQD_PQ_BASE_HI), (uint32_t)(base >> 32));
	kiq_write(s, REG(CP_HQD_PQ_CONTROL), SIZE_FIELD);
	kiq_write(s, REG(CP_HQD_PQ_DOORBELL_CONTROL), 1u << 30 | KIQ_DOORBELL << 2);
	kiq_write(s, REG(CP_HQD_ACTIVE), 1);
}

/* Packets on the KIQ, and a fence behind them. */
static void kiq_submit(struct sched *s, const uint32_t *dw, size_t n)
{
	uint32_t *ring = vram(s, KIQ_RING);
	uint64_t fence = rig_mc(&s->r, FENCE), value = ++s->n_fences;
	/* WRITE_DATA to memory */
	const uint32_t end[] = {0xc0033700, 5u << 8, (uint32_t)fence, (uint32_t)(fence >> 32),
				(uint32_t)value};
	for (size_t i = 0; i < n; i++)
		ring[s->kiq_wptr++ % RING_DW] = dw[i];
	for (size_t i = 0; i < BW_ARRAY_SIZE(end); i++)
		ring[s->kiq_wptr++ % RING_DW] = end[i];
	bw_device_doorbell(s->r.dev, KIQ_DOORBELL, s->kiq_wptr);
}

static bool comes(struct sched *s, uint64_t offset, uint32_t value)
{
	for (unsigned ms = 0; ms < WAIT_MS; ms++) {
		if (__atomic_load_n(vram(s, offset), __ATOMIC_ACQUIRE) == value)
			return true;
		rig_sleep_ms(1);
	}
	return false;
}

static void kiq_run(struct sched *s, const uint32_t *dw, size_t n)
{
	kiq_submit(s, dw, n);
	assert_true(comes(s, FENCE, (uint32_t)s->n_fences));
}

static void map_queue(struct sched *s, uint32_t what, uint32_t doorbell_dw, uint64_t mqd)
{
	uint64_t wptr = rig_mc(&s->r, WPTRS);
	const uint32_t p[] = {0xc005a200,
			      what | 1u << 29,
			      doorbell_dw << 2,
			      (uint32_t)mqd,
			      (uint32_t)(mqd >> 32),
			      (uint32_t)wptr,
			      (uint32_t)(wptr >> 32)};
	kiq_run(s, p, BW_ARRAY_SIZE(p));
}

static void map_mes(struct sched *s)
{
	uint64_t mqd = make_mqd(s, 0, rig_mc(&s->r, MES_RING), MES_DOORBELL);
	map_queue(s, 2u << 18 | 5u << 26, MES_DOORBELL, mqd);
}

/* A frame with its fence; false: the fence does not come, as a later frame's does. */
static bool mes_frame(struct sched *s, uint32_t opcode, uint32_t *frame, unsigned fence_dw)
{
	uint64_t fence = rig_mc(&s->r, FENCE + 64);
	uint32_t query[64] = {1 | 11u << 4 | 64u << 12};
	uint64_t value = ++s->n_fences;
	uint32_t *ring = vram(s, MES_RING);
	frame[0] = 1 | opcode << 4 | 64u << 12;
	memcpy(frame + fence_dw, &fence, 8);
	memcpy(frame + fence_dw + 2, &value, 8);
	fence += 64;
	memcpy(query + 2, &fence, 8);
	memcpy(query + 4, &value, 8);
	for (unsigned i = 0; i < 128; i++)
		ring[s->mes_wptr++ % RING_DW] = i < 64 ? frame[i] : query[i - 64];
	bw_device_doorbell(s->r.dev, MES_DOORBELL, s->mes_wptr);
	assert_true(comes(s, FENCE + 128, (uint32_t)value));
	return *vram(s, FENCE + 64) == (uint32_t)value;
}

static void set_resources(struct sched *s)
{
	uint32_t f[64] = {0};
	f[2] = 0xff00;	   /* VMIDs 8 to 15 */
	f[5] = f[6] = 0xc; /* queues 2 and 3 of two pipes */
	f[13] = 2;
	f[15] = f[16] = 0xc;
	assert_true(mes_frame(s, 0, f, 50));
}

static bool add_queue(struct sched *s, uint32_t type, uint64_t mqd, uint32_t flags)
{
	uint32_t f[64] = {0};
	f[1] = 0x8001;
	f[2] = RIG_TABLES;
	f[10] = 0x1000;
	f[14] = 0x2000;
	f[18] = USER_DOORBELL;
	memcpy(f + 19, &mqd, 8);
	f[27] = type;
	f[35] = 1 | 3 << 1;
	f[36] = flags;
	return mes_frame(s, 2, f, 37);
}

/* WRITE_DATA of a user's queue, into the address space of its page tables. */
static void user_write(struct sched *s, uint64_t va, uint32_t value)
{
	uint32_t *ring = vram(s, USER_RING);
	const uint32_t p[] = {0xc0033700, 5u << 8, (uint32_t)va, (uint32_t)(va >> 32), value};
	for (size_t i = 0; i < BW_ARRAY_SIZE(p); i++)
		ring[s->user_wptr++ % RING_DW] = p[i];
	bw_device_doorbell(s->r.dev, USER_DOORBELL, s->user_wptr);
}

static void test_kiq_maps_a_queue(void **state)
{
	struct sched s;
	start(&s);
	const struct bw_bank bank = {.use_srbm = true, .me = 1, .pipe = 2, .queue = 1};
	uint64_t mqd = make_mqd(&s, 1, rig_mc(&s.r, USER_RING), USER_DOORBELL);
	vram(&s, WPTRS)[0] = 5; /* what is in the ring already */
	uint64_t va = rig_mc(&s.r, RIG_DATA);
	const uint32_t p[] = {0xc0033700, 5u << 8, (uint32_t)va, (uint32_t)(va >> 32), 77};
	memcpy(vram(&s, USER_RING), p, sizeof(p));
	map_queue(&s, 1u << 13 | 2u << 16, USER_DOORBELL, mqd);
	assert_true(comes(&s, RIG_DATA, 77));
	assert_int_equal(bw_device_reg_read(s.r.dev, &bank, REG(CP_HQD_ACTIVE)), 1);
	/* UNMAP_QUEUES by the doorbell; the read pointer is in the descriptor then */
	const uint32_t unmap[] = {0xc004a300, 1u << 29, USER_DOORBELL << 2, 0, 0, 0};
	kiq_run(&s, unmap, BW_ARRAY_SIZE(unmap));
	assert_int_equal(bw_device_reg_read(s.r.dev, &bank, REG(CP_HQD_ACTIVE)), 0);
	assert_int_equal(vram(&s, MQDS + 0x1000)[138], 5);
	rig_stop(&s.r);
}

static void test_only_the_kiq_maps(void **state)
{
	struct sched s;
	char why[160];
	start(&s);
	_cleanup_(bw_pm4_stream_free) struct bw_pm4_stream st = {0};
	bw_pm4_put_header(&st, 0xa2, 6);
	for (unsigned i = 0; i < 6; i++)
		bw_pm4_put(&st, 1u << 29);
	rig_submit_ring(&s.r, 1, &st);
	struct rig_vector v;
	assert_true(rig_next_vector(&s.r, &v, WAIT_MS));
	assert_int_equal(v.source, 183);
	assert_true(bw_device_queue_error(s.r.dev, 1, 0, 0, why, sizeof(why)));
	assert_non_null(strstr(why, "MAP_QUEUES"));
	rig_stop(&s.r);
}

static void test_a_users_queue_has_a_vmid(void **state)
{
	struct sched s;
	start(&s);
	map_mes(&s);
	set_resources(&s);
	assert_true(add_queue(&s, 1, make_mqd(&s, 1, USER_RING, USER_DOORBELL), 0));
	/* the first free VMID and the first hardware queue of the masks */
	const struct bw_bank bank = {.use_srbm = true, .me = 1, .pipe = 0, .queue = 2};
	assert_int_equal(bw_device_reg_read(s.r.dev, &bank, REG(CP_HQD_ACTIVE)), 1);
	assert_int_equal(bw_device_reg_read(s.r.dev, &bank, REG(CP_HQD_VMID)) & 0xf, 8);
	assert_int_equal(rig_read(&s.r, REG(IH_VMID_0_LUT) + 8), 0x8001);
	user_write(&s, RIG_DATA, 4711);
	assert_true(comes(&s, RIG_DATA, 4711));
	uint32_t f[64] = {0};
	f[1] = USER_DOORBELL;
	assert_true(mes_frame(&s, 3, f, 5));
	assert_int_equal(bw_device_reg_read(s.r.dev, &bank, REG(CP_HQD_ACTIVE)), 0);
	rig_stop(&s.r);
}

static void test_a_legacy_queue_has_its_place(void **state)
{
	struct sched s;
	start(&s);
	map_mes(&s);
	set_resources(&s);
	uint64_t mqd = make_mqd(&s, 1, rig_mc(&s.r, USER_RING), USER_DOORBELL);
	uint32_t f[64] = {0};
	f[18] = USER_DOORBELL;
	memcpy(f + 19, &mqd, 8);
	f[27] = 1;
	f[36] = 1u << 13;
	f[48] = 3;
	f[49] = 1;
	assert_true(mes_frame(&s, 2, f, 37));
	const struct bw_bank bank = {.use_srbm = true, .me = 1, .pipe = 3, .queue = 1};
	assert_int_equal(bw_device_reg_read(s.r.dev, &bank, REG(CP_HQD_ACTIVE)), 1);
	assert_int_equal(bw_device_reg_read(s.r.dev, &bank, REG(CP_HQD_VMID)) & 0xf, 0);
	user_write(&s, rig_mc(&s.r, RIG_DATA), 12);
	assert_true(comes(&s, RIG_DATA, 12));
	rig_stop(&s.r);
}

static void test_an_sdma_queue(void **state)
{
	struct sched s;
	start(&s);
	map_mes(&s);
	set_resources(&s);
	uint64_t at = MQDS + 0x1000;
	uint32_t *mqd = vram(&s, at), *ring = vram(&s, USER_RING);
	memset(mqd, 0, 0x1000);
	mqd[0] = 10 << 1;
	mqd[1] = USER_RING >> 8;
	assert_true(add_queue(&s, 2, rig_mc(&s.r, at), 0));
	/* FENCE and TRAP */
	const uint32_t p[] = {5, (uint32_t)RIG_DATA, 0, 99, 6, 31};
	memcpy(ring, p, sizeof(p));
	bw_device_doorbell(s.r.dev, USER_DOORBELL, sizeof(p));
	assert_true(comes(&s, RIG_DATA, 99));
	struct rig_vector v;
	assert_true(rig_next_vector(&s.r, &v, WAIT_MS));
	assert_int_equal(v.source, 49);
	assert_int_equal(v.ring, 2); /* queue 3:0, engine 7:4 */
	assert_int_equal(v.vmid, 8);
	assert_int_equal(v.data[0], 31);
	uint32_t f[64] = {0};
	f[1] = USER_DOORBELL;
	assert_true(mes_frame(&s, 3, f, 5));
	rig_stop(&s.r);
}

static void test_a_flush_by_the_scheduler_flushes(void **state)
{
	struct sched s;
	start(&s);
	map_mes(&s);
	set_resources(&s);
	uint32_t *small = vram(&s, RIG_TABLES + 0x3000);
	const uint64_t pte = RIG_DATA | 0x71, other = (RIG_DATA + 0x1000) | 0x71;
	memcpy(small, &pte, 8);
	assert_true(add_queue(&s, 1, make_mqd(&s, 1, USER_RING, USER_DOORBELL), 0));
	user_write(&s, RIG_SMALL_VA, 1);
	assert_true(comes(&s, RIG_DATA, 1));
	/* Nothing tells the device of the new entry but this. */
	memcpy(small, &other, 8);
	uint32_t f[64] = {0};
	f[1] = 4;
	f[6] = 1;
	f[7] = 0xf80000 | 1u << 8;
	f[8] = 1u << 8;
	f[9] = REG(GCVM_INVALIDATE_ENG17_REQ);
	f[10] = REG(GCVM_INVALIDATE_ENG17_ACK);
	assert_true(mes_frame(&s, 14, f, 2));
	user_write(&s, RIG_SMALL_VA, 2);
	assert_true(comes(&s, RIG_DATA + 0x1000, 2));
	assert_int_equal(*vram(&s, RIG_DATA), 1);
	rig_stop(&s.r);
}

static void test_registers_by_the_scheduler(void **state)
{
	struct sched s;
	start(&s);
	map_mes(&s);
	uint32_t write[64] = {0}, read[64] = {0};
	uint64_t to = rig_mc(&s.r, RIG_DATA);
	write[1] = 0;
	write[6] = REG(SCRATCH_REG0);
	write[7] = 0xdeadbeef;
	assert_true(mes_frame(&s, 14, write, 2));
	assert_int_equal(rig_read(&s.r, REG(SCRATCH_REG0)), 0xdeadbeef);
	read[1] = 3;
	read[6] = REG(SCRATCH_REG0);
	memcpy(read + 7, &to, 8);
	assert_true(mes_frame(&s, 14, read, 2));
	assert_int_equal(*vram(&s, RIG_DATA), 0xdeadbeef);
	rig_stop(&s.r);
}

/* --- KFD's queues: flags 9 (of a KFD process), 11 (AQL) and 12 (keep the process's context), as
 * tried with Linux 6.12 (doc/hardware/device.md 6) --- */

enum {
	AQL_QUEUE = (int)(RIG_DATA + 0x200000), /* amd_queue_t; the same address for VMIDs */
	AQL_DESCRIPTOR = (int)(RIG_DATA + 0x201000),
	AQL_KERNARG = (int)(RIG_DATA + 0x202000),
	AQL_SIGNAL = (int)(RIG_DATA + 0x203000),
	KFD_FLAGS = 1 << 9 | 1 << 11 | 1 << 12,
	TRAP_EN = 1 << 10,
};

static uint64_t make_aql_mqd(struct sched *s)
{
	uint64_t mc = make_mqd(s, 1, USER_RING, USER_DOORBELL);
	uint32_t *mqd = vram(s, MQDS + 0x1000);
	mqd[139] = AQL_QUEUE + 0x80; /* where the read and the write index are */
	mqd[141] = AQL_QUEUE + 0x38;
	mqd[145] = 2 << 18 | SIZE_FIELD; /* SLOT_BASED_WPTR */
	return mc;
}

/* A dispatch of kernel "poll", which waits for a word in the kernel arguments and then counts its
 * waves: two. */
static void put_poll_dispatch(struct sched *s)
{
	uint32_t *kd = vram(s, AQL_DESCRIPTOR);
	uint64_t entry = rig_code(&s->r, "poll") - AQL_DESCRIPTOR;
	memset(kd, 0, 64);
	memset(vram(s, AQL_QUEUE), 0, 0x1000);
	memset(vram(s, AQL_SIGNAL), 0, 64);
	memset(vram(s, AQL_KERNARG), 0, 128);
	memcpy(kd + 4, &entry, 8);
	kd[12] = 7 | 0xc0 << 12 | 1u << 29 | 1u << 30;
	kd[13] = 2 << 1 | 1 << 7;
	kd[14] = 1 << 3 | 1 << 10; /* kernel arguments, wave32 */
	vram(s, AQL_QUEUE)[0x88 / 4] = 0x80;
	vram(s, AQL_QUEUE)[0x38 / 4] = 1;
	vram(s, AQL_SIGNAL)[2] = 1;
	const uint32_t packet[16] = {
		2 | 1 << 16, 64 | 1 << 16, 1, 64, 1, 1,		 0, 0, AQL_DESCRIPTOR,
		0,	     AQL_KERNARG,  0, 0,  0, AQL_SIGNAL, 0};
	memcpy(vram(s, USER_RING), packet, sizeof(packet));
}

static bool remove_queue(struct sched *s)
{
	uint32_t f[64] = {0};
	f[1] = USER_DOORBELL;
	return mes_frame(s, 3, f, 5);
}

/* KFD takes a queue away while its kernel runs, and puts it back: MES answers both, and the kernel
 * comes to its end. */
static void test_an_aql_queue_comes_back(void **state)
{
	struct sched s;
	start(&s);
	map_mes(&s);
	set_resources(&s);
	put_poll_dispatch(&s);
	uint64_t mqd = make_aql_mqd(&s);
	assert_true(add_queue(&s, 1, mqd, KFD_FLAGS));
	assert_true(rig_wait_resident(&s.r, 2, WAIT_MS));
	assert_true(remove_queue(&s));
	assert_int_equal(vram(&s, AQL_SIGNAL)[2], 1);
	assert_int_equal(vram(&s, AQL_QUEUE)[0x80 / 4], 0);
	assert_true(add_queue(&s, 1, mqd, KFD_FLAGS));
	vram(&s, AQL_KERNARG)[0] = 1;
	assert_true(comes(&s, AQL_SIGNAL + 8, 0));
	assert_int_equal(vram(&s, AQL_KERNARG + 64)[0], 2);
	assert_int_equal(vram(&s, AQL_QUEUE)[0x80 / 4], 1);
	assert_true(remove_queue(&s));
	rig_stop(&s.r);
}

/* A queue with an area for its waves: they are there when it is away, the descriptor says where,
 * and they go on when it comes back. */
static void test_waves_are_saved(void **state)
{
	enum {
		AREA = (int)(RIG_DATA + 0x400000),
		STACK_B = 0x8000,
		AREA_B = 0x100000,
		/* the descriptor's dwords: cp_hqd_ctx_save_base_addr_lo and others */
		CTX_SAVE_BASE = 171,
		CNTL_STACK_OFFSET = 174,
		CNTL_STACK_SIZE = 175,
		WG_STATE_OFFSET = 176,
		CTX_SAVE_SIZE = 177,
		WAVE_B = 72 * 32 * 4 + 512 + 128,
	};
	struct sched s;
	start(&s);
	map_mes(&s);
	set_resources(&s);
	put_poll_dispatch(&s);
	uint64_t va = make_aql_mqd(&s), tba = rig_code(&s.r, "handler_cwsr") >> 8 << 8;
	uint32_t *mqd = vram(&s, MQDS + 0x1000), add[64] = {0};
	mqd[CTX_SAVE_BASE] = AREA;
	mqd[CNTL_STACK_OFFSET] = mqd[CNTL_STACK_SIZE] = mqd[WG_STATE_OFFSET] = STACK_B;
	mqd[CTX_SAVE_SIZE] = AREA_B;
	add[2] = RIG_TABLES;
	add[10] = 0x1000;
	add[18] = USER_DOORBELL;
	memcpy(add + 19, &va, 8);
	add[27] = 1;
	memcpy(add + 33, &tba, 8);
	add[35] = 1 | 3 << 1;
	add[36] = KFD_FLAGS;
	assert_true(mes_frame(&s, 2, add, 37));
	for (unsigned round = 0; round < 3; round++) {
		assert_true(rig_wait_resident(&s.r, 2, WAIT_MS));
		assert_true(remove_queue(&s));
		assert_true(rig_wait_resident(&s.r, 0, WAIT_MS));
		assert_int_equal(mqd[WG_STATE_OFFSET], STACK_B + 2 * WAVE_B);
		assert_in_range(mqd[CNTL_STACK_OFFSET], STACK_B - 64 * 4, STACK_B - 4);
		/* at the end of the stack two waves of one group */
		const uint32_t *end = vram(&s, AREA + STACK_B);
		assert_int_equal(end[-2] & 1u << 12, 1u << 12);
		assert_int_equal(end[-1] & 1u << 29, 1u << 29);
		assert_int_equal(vram(&s, AQL_QUEUE)[0x80 / 4], 0);
		assert_true(mes_frame(&s, 2, add, 37));
	}
	vram(&s, AQL_KERNARG)[0] = 1;
	assert_true(comes(&s, AQL_SIGNAL + 8, 0));
	assert_int_equal(vram(&s, AQL_KERNARG + 64)[0], 2);
	assert_true(remove_queue(&s));
	assert_int_equal(mqd[CNTL_STACK_OFFSET], STACK_B);
	assert_int_equal(mqd[WG_STATE_OFFSET], STACK_B);
	rig_stop(&s.r);
}

/* What a program has written over its save area stops its queue, and nothing else. */
static void test_a_save_area_that_is_damaged(void **state)
{
	struct sched s;
	char why[288];
	start(&s);
	map_mes(&s);
	set_resources(&s);
	put_poll_dispatch(&s);
	uint64_t va = make_aql_mqd(&s);
	uint32_t *mqd = vram(&s, MQDS + 0x1000);
	mqd[171] = (uint32_t)(RIG_DATA + 0x400000);
	mqd[174] = 0x7f00;
	mqd[175] = 0x8000;
	mqd[176] = 0x9000;
	mqd[177] = 0x100000;
	memset(vram(&s, RIG_DATA + 0x400000), 0x5a, 0x10000);
	assert_true(add_queue(&s, 1, va, KFD_FLAGS));
	bool stopped = false;
	for (unsigned i = 0; i < WAIT_MS && !stopped; i++) {
		stopped = bw_device_queue_error(s.r.dev, 1, 0, 2, why, sizeof(why));
		rig_sleep_ms(1);
	}
	assert_true(stopped);
	assert_non_null(strstr(why, "the control stack of its saved waves: "));
	assert_true(remove_queue(&s));
	rig_stop(&s.r);
}

static uint32_t vmid_reg(struct sched *s, unsigned vmid, uint32_t addr_dw)
{
	const struct bw_bank bank = {.use_srbm = true, .vmid = vmid};
	return bw_device_reg_read(s->r.dev, &bank, addr_dw);
}

/* SET_SHADER_DEBUGGER names a process by its context, whose VMID has these settings from then on,
 * and when its queue comes back. */
static void test_the_debugger_of_a_process(void **state)
{
	struct sched s;
	start(&s);
	map_mes(&s);
	set_resources(&s);
	memset(vram(&s, AQL_QUEUE), 0, 0x1000);
	vram(&s, AQL_QUEUE)[0x88 / 4] = 0x80;
	uint64_t mqd = make_aql_mqd(&s);
	uint32_t add[64] = {0}, set[64] = {0};
	add[2] = RIG_TABLES;
	add[10] = 0x1000;
	add[18] = USER_DOORBELL;
	memcpy(add + 19, &mqd, 8);
	add[27] = 1;
	add[33] = 0x10000000; /* TBA */
	add[35] = 1 | 3 << 1;
	add[36] = KFD_FLAGS;
	assert_true(mes_frame(&s, 2, add, 37));
	assert_int_equal(vmid_reg(&s, 8, REG(SQ_SHADER_TBA_LO)), 0x100000);
	assert_int_equal(vmid_reg(&s, 8, REG(SQ_SHADER_TBA_HI)) >> 31, 0); /* trap_en */
	set[1] = 5;
	set[6] = 0x1000;
	set[9] = 0x808;
	set[10] = 1u << 31 | 3 << 24; /* TCP_WATCH0_CNTL: VALID, and a VMID that is replaced */
	set[14] = 1;
	assert_true(mes_frame(&s, 14, set, 2));
	assert_int_equal(vmid_reg(&s, 8, REG(SQ_SHADER_TBA_HI)) >> 31, 1);
	assert_int_equal(vmid_reg(&s, 8, REG(SPI_GDBG_PER_VMID_CNTL)), 0x808);
	assert_int_equal(rig_read(&s.r, REG(TCP_WATCH0_CNTL)), 1u << 31 | 8 << 24);
	assert_true(remove_queue(&s));
	assert_true(mes_frame(&s, 2, add, 37));
	assert_int_equal(vmid_reg(&s, 8, REG(SQ_SHADER_TBA_HI)) >> 31, 1);
	/* the end of the process */
	set[8] = 1u << 31;
	assert_true(mes_frame(&s, 14, set, 2));
	assert_int_equal(vmid_reg(&s, 8, REG(SQ_SHADER_TBA_HI)) >> 31, 0);
	assert_int_equal(vmid_reg(&s, 8, REG(SPI_GDBG_PER_VMID_CNTL)), 8);
	assert_int_equal(rig_read(&s.r, REG(TCP_WATCH0_CNTL)) >> 31, 0);
	/* trap_en of the queue itself */
	assert_true(remove_queue(&s));
	add[36] |= TRAP_EN;
	assert_true(mes_frame(&s, 2, add, 37));
	assert_int_equal(vmid_reg(&s, 8, REG(SQ_SHADER_TBA_HI)) >> 31, 1);
	rig_stop(&s.r);
}

/* An SDMA queue goes on where it was, and finds what was written meanwhile. */
static void test_an_sdma_queue_comes_back(void **state)
{
	struct sched s;
	start(&s);
	map_mes(&s);
	set_resources(&s);
	uint64_t at = MQDS + 0x1000, mqd = rig_mc(&s.r, at), wptr = rig_mc(&s.r, WPTRS);
	uint32_t *ring = vram(&s, USER_RING), add[64] = {0};
	memset(vram(&s, at), 0, 0x1000);
	memset(vram(&s, WPTRS), 0, 8);
	vram(&s, at)[0] = 10 << 1;
	vram(&s, at)[1] = USER_RING >> 8;
	add[2] = RIG_TABLES;
	add[10] = 0x1000;
	add[18] = USER_DOORBELL;
	memcpy(add + 19, &mqd, 8);
	memcpy(add + 21, &wptr, 8);
	add[27] = 2;
	add[35] = 1 | 3 << 1;
	assert_true(mes_frame(&s, 2, add, 37));
	const uint32_t first[] = {5, (uint32_t)RIG_DATA, 0, 1}; /* FENCE */
	/* before it the flush of the host's writes and the user's GCR, as ROCr sends them */
	const uint32_t second[] = {
		8, 0, 0x80000000, 0, 0, 0, 0x111, 0, 0x43810000, 0, 0, 5, (uint32_t)RIG_DATA + 4,
		0, 2};
	memcpy(ring, first, sizeof(first));
	bw_device_doorbell(s.r.dev, USER_DOORBELL, sizeof(first));
	assert_true(comes(&s, RIG_DATA, 1));
	assert_true(remove_queue(&s));
	assert_int_equal(vram(&s, at)[3], sizeof(first)); /* RB_RPTR */
	vram(&s, RIG_DATA)[0] = 0;
	memcpy(ring + 4, second, sizeof(second));
	vram(&s, WPTRS)[0] = sizeof(first) + sizeof(second);
	assert_true(mes_frame(&s, 2, add, 37));
	assert_true(comes(&s, RIG_DATA + 4, 2));
	assert_int_equal(vram(&s, RIG_DATA)[0], 0);
	rig_stop(&s.r);
}

/* A frame that it cannot carry out gets no fence; the frames behind it are carried out. */
static void test_refusals(void **state)
{
	struct sched s;
	start(&s);
	map_mes(&s);
	uint64_t mqd = make_mqd(&s, 1, USER_RING, USER_DOORBELL);
	assert_false(add_queue(&s, 1, mqd, 0)); /* no VMIDs yet */
	set_resources(&s);
	assert_false(add_queue(&s, 2, mqd, 1u << 11)); /* AQL by SDMA */
	assert_false(add_queue(&s, 7, mqd, 0));
	assert_true(add_queue(&s, 0, mqd, 0));
	assert_false(add_queue(&s, 0, mqd, 0)); /* the doorbell is taken */
	uint32_t f[64] = {0};
	f[1] = 1 << 1;				/* hang_detect_then_reset */
	assert_false(mes_frame(&s, 8, f, 24));	/* RESET */
	assert_false(mes_frame(&s, 16, f, 4));	/* AMD_LOG */
	assert_false(mes_frame(&s, 17, f, 4));	/* no opcode of 6.12's */
	assert_false(mes_frame(&s, 254, f, 4)); /* the last that the driver sends */
	rig_stop(&s.r);
}

/* Words that are no frame end the queue: nothing says where the next one begins. */
static void test_damaged_frames(void **state)
{
	static const struct {
		uint32_t header;
		const char *why;
	} damaged[] = {
		{0, "0x00000000 begins no frame"},
		{2 | 11u << 4 | 64u << 12, "0x000400b2 begins no frame"},
		{1 | 11u << 4, "has 0 dwords"},
		{1 | 11u << 4 | 63u << 12, "has 63 dwords"},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(damaged); i++) {
		struct sched s;
		char why[160];
		start(&s);
		map_mes(&s);
		uint32_t *ring = vram(&s, MES_RING);
		memset(ring, 0, 64 * 4);
		ring[0] = damaged[i].header;
		bw_device_doorbell(s.r.dev, MES_DOORBELL, 64);
		for (unsigned ms = 0;
		     ms < WAIT_MS && !bw_device_queue_error(s.r.dev, 3, 0, 0, why, sizeof(why));
		     ms++)
			rig_sleep_ms(1);
		assert_true(bw_device_queue_error(s.r.dev, 3, 0, 0, why, sizeof(why)));
		assert_non_null(strstr(why, damaged[i].why));
		rig_stop(&s.r);
	}
}

static bool add_legacy(struct sched *s, uint32_t type, uint64_t mqd, uint32_t pipe, uint32_t queue)
{
	uint32_t f[64] = {0};
	uint64_t wptr = rig_mc(&s->r, WPTRS);
	f[18] = USER_DOORBELL;
	memcpy(f + 19, &mqd, 8);
	memcpy(f + 21, &wptr, 8);
	f[27] = type;
	f[36] = 1u << 13;
	f[48] = pipe;
	f[49] = queue;
	return mes_frame(s, 2, f, 37);
}

/* A packet that waits for ever: WAIT_REG_MEM for a word to be another value than it is. */
static void user_hang(struct sched *s)
{
	uint32_t *ring = vram(s, USER_RING);
	uint64_t va = rig_mc(&s->r, RIG_DATA + 128);
	const uint32_t p[] = {
		0xc0053c00, 3 | 1u << 4, (uint32_t)va, (uint32_t)(va >> 32), 0x77, ~0u, 4};
	for (size_t i = 0; i < BW_ARRAY_SIZE(p); i++)
		ring[s->user_wptr++ % RING_DW] = p[i];
}

/* gfx_v11_0_reset_kgq: the queue is there again when the frame has been carried out, and executes
 * what comes then alone. */
static void test_reset_of_the_graphics_queue(void **state)
{
	struct sched s;
	start(&s);
	map_mes(&s);
	set_resources(&s);
	uint64_t mqd = make_mqd(&s, 1, rig_mc(&s.r, USER_RING), USER_DOORBELL);
	uint64_t wptr = rig_mc(&s.r, WPTRS), data = rig_mc(&s.r, RIG_DATA);
	assert_true(add_legacy(&s, 0, mqd, 0, 0));
	user_hang(&s);
	user_write(&s, data, 1);
	memcpy(vram(&s, WPTRS), &s.user_wptr, 8);
	uint32_t f[64] = {0};
	f[1] = 1 << 3; /* reset_legacy_gfx */
	memcpy(f + 11, &mqd, 8);
	f[13] = USER_DOORBELL;
	memcpy(f + 14, &wptr, 8);
	assert_true(mes_frame(&s, 8, f, 24));
	user_write(&s, data + 4, 2);
	assert_true(comes(&s, RIG_DATA + 4, 2));
	assert_int_not_equal(*vram(&s, RIG_DATA), 1);
	f[8] = 7; /* a pipe that is not there */
	assert_false(mes_frame(&s, 8, f, 24));
	rig_stop(&s.r);
}

/* gfx_v11_0_reset_kcq ends the queue by its registers, clears the ring, and adds it by a frame;
 * mes_v11_0_reset_legacy_queue has a frame for the first. As often as the ring hangs. */
static void test_reset_of_a_compute_queue(void **state)
{
	struct sched s;
	start(&s);
	map_mes(&s);
	set_resources(&s);
	const struct bw_bank bank = {.use_srbm = true, .me = 1, .pipe = 3, .queue = 1};
	uint64_t data = rig_mc(&s.r, RIG_DATA);
	for (uint32_t round = 1; round <= 4; round++) {
		uint64_t mqd = make_mqd(&s, 1, rig_mc(&s.r, USER_RING), USER_DOORBELL);
		s.user_wptr = 0;
		memset(vram(&s, WPTRS), 0, 8);
		assert_true(add_legacy(&s, 1, mqd, 3, 1));
		user_write(&s, data, round);
		assert_true(comes(&s, RIG_DATA, round));
		user_hang(&s);
		user_write(&s, data, 99);
		if (round % 2) {
			bw_device_reg_write(s.r.dev, &bank, REG(CP_HQD_DEQUEUE_REQUEST), 2);
		} else {
			uint32_t f[64] = {0};
			f[1] = 1; /* reset_queue_only */
			f[4] = USER_DOORBELL;
			assert_true(mes_frame(&s, 8, f, 24));
			assert_false(mes_frame(&s, 8, f, 24)); /* it is gone */
		}
		for (unsigned ms = 0;
		     ms < WAIT_MS && bw_device_reg_read(s.r.dev, &bank, REG(CP_HQD_ACTIVE)); ms++)
			rig_sleep_ms(1);
		assert_int_equal(*vram(&s, RIG_DATA), round);
	}
	rig_stop(&s.r);
}

static void test_suspended_queues_read_nothing(void **state)
{
	struct sched s;
	start(&s);
	map_mes(&s);
	set_resources(&s);
	assert_true(add_queue(&s, 1, make_mqd(&s, 1, USER_RING, USER_DOORBELL), 0));
	uint64_t fence = rig_mc(&s.r, RIG_DATA + 64);
	uint32_t f[64] = {0}, g[64] = {0};
	f[1] = 1;
	memcpy(f + 4, &fence, 8);
	f[6] = 55;
	assert_true(mes_frame(&s, 6, f, 7));
	assert_int_equal(*vram(&s, RIG_DATA + 64), 55);
	user_write(&s, RIG_DATA, 3);
	uint32_t query[64] = {0};
	assert_true(mes_frame(&s, 11, query, 2)); /* a turn of the command processor has passed */
	assert_int_not_equal(*vram(&s, RIG_DATA), 3);
	g[1] = 1;
	assert_true(mes_frame(&s, 7, g, 4));
	assert_true(comes(&s, RIG_DATA, 3));
	rig_stop(&s.r);
}

/* The version that CP_MES_GP3_LO gives for each pipe, and index and data pairs. */
static void test_registers_of_the_bus(void **state)
{
	struct sched s;
	start(&s);
	const struct bw_bank mes = {.use_srbm = true, .me = 3, .pipe = 0};
	assert_int_equal(bw_device_reg_read(s.r.dev, &mes, REG(CP_MES_GP3_LO)), 14 << 12 | 0x50);
	assert_int_equal(bw_device_reg_read(s.r.dev, &kiq, REG(CP_MES_GP3_LO)), 6 << 12 | 0x6c);
	*vram(&s, RIG_DATA) = 0x12345678;
	rig_write(&s.r, 0x6, 0);
	rig_write(&s.r, 0x0, 1u << 31 | RIG_DATA);
	assert_int_equal(rig_read(&s.r, 0x1), 0x12345678);
	rig_write(&s.r, 0x6, 0x7fffffff); /* behind the end */
	assert_int_equal(rig_read(&s.r, 0x1), 0xffffffff);
	/* RSMU keeps each address for itself */
	rig_write(&s.r, 0x14, 0x10134408);
	rig_write(&s.r, 0x15, 1);
	rig_write(&s.r, 0x14, 0x0141e900);
	assert_int_equal(rig_read(&s.r, 0x15), 0);
	rig_write(&s.r, 0x15, 2);
	rig_write(&s.r, 0x14, 0x10134408);
	assert_int_equal(rig_read(&s.r, 0x15), 1);
	/* the pairs do not reach each other */
	rig_write(&s.r, 0x14, 1 * 4);
	rig_write(&s.r, 0x0, 0x15 * 4);
	assert_int_equal(rig_read(&s.r, 0x1), 0);
	rig_stop(&s.r);
}

TESTS(test_kiq_maps_a_queue, test_only_the_kiq_maps, test_a_users_queue_has_a_vmid,
      test_a_legacy_queue_has_its_place, test_an_sdma_queue, test_a_flush_by_the_scheduler_flushes,
      test_registers_by_the_scheduler, test_an_aql_queue_comes_back, test_waves_are_saved,
      test_a_save_area_that_is_damaged, test_the_debugger_of_a_process,
      test_an_sdma_queue_comes_back, test_refusals, test_damaged_frames,
      test_reset_of_the_graphics_queue, test_reset_of_a_compute_queue,
      test_suspended_queues_read_nothing, test_registers_of_the_bus);
