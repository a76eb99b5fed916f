/* SPDX-License-Identifier: MIT */
/* The MI300X as Linux's driver sees it: registers where asic_reg of Linux 6.12 has them for GC
 * 9.4.3, MMHUB 1.8, OSSSYS 4.4.2 and SDMA 4.4.2, in the segments of the discovery table; packets as
 * kfd_packet_manager_v9.c and gfx_v9_4_3.c send them; page tables as gmc_v9_0.c of a guest wrote
 * them. */
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "rig.h"

enum {
	MM_FB_LOCATION_BASE = 0x1ac9c,
	GRBM_GFX_CNTL = 0x2022,
	GB_ADDR_CONFIG = 0x263e,
	VM_L2_PROTECTION_FAULT_STATUS = 0x282b,
	VM_CONTEXT0_CNTL = 0x2860,
	VM_INVALIDATE_ENG17_SEM = 0x2882,
	VM_INVALIDATE_ENG17_REQ = 0x2894,
	VM_INVALIDATE_ENG17_ACK = 0x28a6,
	MM_INVALIDATE_ENG17_REQ = 0x1abd4,
	MM_INVALIDATE_ENG17_ACK = 0x1abe6,
	CP_HQD_ACTIVE = 0x3247,
	CP_HQD_PQ_BASE = 0x324d,
	CP_HQD_PQ_RPTR = 0x324f,
	CP_HQD_PQ_DOORBELL_CONTROL = 0x3254,
	CP_HQD_PQ_CONTROL = 0x3256,
	CP_MEC_CNTL = 0x208d,
	CP_ME1_PIPE0_INT_CNTL = 0x3085,
	SCRATCH_REG0 = 0xc040,
	RLC_SAFE_MODE = 0xec05,
	IH_RB_CNTL = 0x1120,
	IH_RB_BASE = 0x1121,
	IH_RB_WPTR = 0x1124,
	SDMA = 0x1e000, /* the second 0x800 behind */
	SDMA_CNTL = 0x6d,
	SDMA_GFX_RB_CNTL = 0x80,
	SDMA_GFX_RB_BASE = 0x81,
	SDMA_GFX_DOORBELL = 0x92,
	SDMA_GFX_DOORBELL_OFFSET = 0xab,
	RCC_CONFIG_MEMSIZE = 0xde3,
	STRAP0 = 0xd36,
};

/* in VRAM */
enum {
	KIQ_RING = 0x200000,
	HIQ_RING = 0x210000,
	LIST = 0x220000,
	MQDS = 0x230000, /* one in 4 KiB */
	IH_RING = 0x240000,
	SDMA_RING = 0x250000,
	WPTRS = 0x260000,
	FENCE = 0x261000,
	TABLES = 0x300000,
	USER_RING = 0x1000000, /* the same address for the process */
	USER_DATA = 0x1100000,
	RING_DW = 1024,
	SIZE_FIELD = 9, /* 2^(9 + 1) dwords */
	KIQ_DOORBELL = 0,
	HIQ_DOORBELL = 2,
	SDMA_DOORBELL = 0x200,
	USER_DOORBELL = 0x1004,
	PASID = 0x8003,
	WAIT_MS = 5000,
};
static const uint64_t fb = 0x8000ull << 24;

struct machine {
	struct bw_device *dev;
	struct bw_profile profile;
	uint64_t kiq_wptr, hiq_wptr, user_wptr, n_fences;
	unsigned ih_b;
};

static uint32_t *vram(struct machine *m, uint64_t offset)
{
	return (uint32_t *)(void *)(bw_device_vram(m->dev) + offset);
}

static uint32_t get(struct machine *m, uint32_t addr_dw)
{
	return bw_device_driver_read(m->dev, addr_dw);
}

static void set(struct machine *m, uint32_t addr_dw, uint32_t value)
{
	bw_device_driver_write(m->dev, addr_dw, value);
}

static void no_interrupt(void *cookie)
{
}

static void begin(struct machine *m)
{
	const struct bw_device_options options = {.threads = 1, .foreign_driver = true};
	*m = (struct machine){.profile = bw_profile_mi300x};
	m->profile.vram_size_b = 256 << 20;
	assert_null(bw_device_create(&m->profile, &options, no_interrupt, NULL, &m->dev));
	/* the kernel's own queue: MEID 2, PIPEID 1 */
	uint64_t base = (fb + KIQ_RING) >> 8;
	set(m, GRBM_GFX_CNTL, 1 | 2 << 2);
	set(m, CP_HQD_PQ_BASE, (uint32_t)base);
	set(m, CP_HQD_PQ_BASE + 1, (uint32_t)(base >> 32));
	set(m, CP_HQD_PQ_CONTROL, 1u << 30 | SIZE_FIELD);
	set(m, CP_HQD_PQ_DOORBELL_CONTROL, 1u << 30 | KIQ_DOORBELL << 2);
	set(m, CP_HQD_ACTIVE, 1);
	assert_int_equal(get(m, CP_HQD_ACTIVE), 1);
	set(m, GRBM_GFX_CNTL, 0);
	assert_int_equal(get(m, CP_HQD_ACTIVE), 0);
	/* enable, 2^14 dwords, GPU address; the four pipes tell of time stamps */
	set(m, IH_RB_BASE, (uint32_t)((fb + IH_RING) >> 8));
	set(m, IH_RB_BASE + 1, (uint32_t)((fb + IH_RING) >> 40));
	set(m, IH_RB_CNTL, 1 | 14 << 1 | 1 << 16 | 1 << 17 | 4 << 28);
	for (unsigned i = 0; i < 4; i++)
		set(m, CP_ME1_PIPE0_INT_CNTL + i, 1 << 26);
}

static void end(struct machine *m)
{
	bw_device_destroy(m->dev);
}

static bool comes(struct machine *m, uint64_t offset, uint32_t value)
{
	for (unsigned ms = 0; ms < WAIT_MS; ms++) {
		if (__atomic_load_n(vram(m, offset), __ATOMIC_ACQUIRE) == value)
			return true;
		rig_sleep_ms(1);
	}
	return false;
}

static void put(struct machine *m, uint64_t ring, uint64_t *wptr, const uint32_t *dw, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vram(m, ring)[(*wptr)++ % RING_DW] = dw[i];
}

/* Packets on a ring of the kernel, and a WRITE_DATA after them. True: it has been executed. */
static bool run(struct machine *m, bool hiq, const uint32_t *dw, size_t n)
{
	uint64_t *wptr = hiq ? &m->hiq_wptr : &m->kiq_wptr, at = fb + FENCE;
	const uint32_t value = (uint32_t)++m->n_fences;
	const uint32_t fence[] = {0xc0033700, 5u << 8, (uint32_t)at, (uint32_t)(at >> 32), value};
	put(m, hiq ? HIQ_RING : KIQ_RING, wptr, dw, n);
	put(m, hiq ? HIQ_RING : KIQ_RING, wptr, fence, BW_ARRAY_SIZE(fence));
	bw_device_doorbell(m->dev, hiq ? HIQ_DOORBELL : KIQ_DOORBELL, *wptr);
	return comes(m, FENCE, value);
}
#define RUN(m, hiq, ...)                                                                           \
	run(m, hiq, (const uint32_t[]){__VA_ARGS__},                                               \
	    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* A descriptor (v9_structs.h): ring, doorbell, size. */
static uint64_t make_mqd(struct machine *m, unsigned index, uint64_t ring_va, uint32_t control)
{
	uint32_t *mqd = vram(m, MQDS + index * 0x1000);
	memset(mqd, 0, 0x1000);
	mqd[136] = (uint32_t)(ring_va >> 8);
	mqd[137] = (uint32_t)(ring_va >> 40);
	mqd[145] = control | SIZE_FIELD;
	return fb + MQDS + index * 0x1000;
}

/* ---- registers ---- */

static void registers_are_where_the_gpu_has_them(void **state)
{
	struct machine m;
	begin(&m);
	assert_int_equal(get(&m, RCC_CONFIG_MEMSIZE), 256);
	assert_int_equal(get(&m, MM_FB_LOCATION_BASE), 0x8000);
	assert_int_equal(get(&m, GB_ADDR_CONFIG), 0x2a114042);
	assert_int_equal(get(&m, STRAP0) >> 24 & 15, 1); /* 0 is a gfx941 */
	assert_int_equal(get(&m, VM_INVALIDATE_ENG17_SEM), 1);
	set(&m, VM_INVALIDATE_ENG17_REQ, 0xf80008);
	assert_int_equal(get(&m, VM_INVALIDATE_ENG17_ACK) & 8, 8);
	set(&m, MM_INVALIDATE_ENG17_REQ, 0xf80010);
	assert_int_equal(get(&m, MM_INVALIDATE_ENG17_ACK), 0x10);
	/* the command is done, the rest stays */
	set(&m, RLC_SAFE_MODE, 3);
	assert_int_equal(get(&m, RLC_SAFE_MODE), 2);
	/* a register without a part in the device: SQ_TIMEOUT_CONFIG */
	set(&m, 0x230b, 0x1234);
	assert_int_equal(get(&m, 0x230b), 0x1234);
	assert_int_equal(get(&m, ~0u), 0);
	set(&m, ~0u, 1);
	/* VRAM by MM_INDEX; a register by it; itself */
	*vram(&m, 0x1000) = 77;
	set(&m, 0, 0x80001000);
	assert_int_equal(get(&m, 1), 77);
	set(&m, 0, STRAP0 * 4);
	assert_int_equal(get(&m, 1), get(&m, STRAP0));
	set(&m, 0, 4);
	get(&m, 1);
	end(&m);
}

/* Registers of the memory hub arrive as 16 bits (NORMALIZE_XCC_REG_OFFSET). */
static void packets_reach_registers(void **state)
{
	struct machine m;
	begin(&m);
	assert_true(RUN(&m, false, 0xc0017900, 0x40, 0xdeadbeef)); /* SET_UCONFIG_REG */
	assert_int_equal(get(&m, SCRATCH_REG0), 0xdeadbeef);
	assert_true(RUN(&m, false, 0xc0033700, 1 << 16, 0xabd4, 0, 0xf80020, /* WRITE_DATA */
			0xc0053c00, 3, 0xabe6, 0, 0x20, 0x20, 4)); /* WAIT_REG_MEM: equal */
	assert_int_equal(get(&m, MM_INVALIDATE_ENG17_REQ), 0xf80020);
	end(&m);
}

/* What gfx_v9_4_3.c does when it is unloaded: a queue that is off keeps what is written, and a pipe
 * in reset has none. */
static void a_queue_can_be_taken_back(void **state)
{
	struct machine m;
	begin(&m);
	assert_true(RUN(&m, false, 0x80000000, 0x80000000));
	set(&m, GRBM_GFX_CNTL, 1 | 2 << 2);
	assert_int_equal(get(&m, CP_HQD_PQ_RPTR), 7);
	set(&m, CP_MEC_CNTL, 1 << 21);
	assert_int_equal(get(&m, CP_HQD_ACTIVE), 0);
	assert_int_equal(get(&m, CP_HQD_PQ_RPTR), 0);
	set(&m, CP_HQD_PQ_RPTR, 5);
	assert_int_equal(get(&m, CP_HQD_PQ_RPTR), 5);
	end(&m);
}

/* ---- the scheduler ---- */

static void map_hiq(struct machine *m)
{
	uint64_t mqd = make_mqd(m, 0, fb + HIQ_RING, 1u << 30);
	uint64_t wptr = fb + WPTRS;
	/* as hiq_load_mqd_kiq_v9_sdma: ENGINE_SEL 1, one queue, ME 2 */
	assert_true(RUN(m, false, 0xc005a200, 0x24040000, HIQ_DOORBELL << 2, (uint32_t)mqd,
			(uint32_t)(mqd >> 32), (uint32_t)wptr, (uint32_t)(wptr >> 32)));
	/* VMIDs 3 to 15, all queues of ME 1 but the first two of each pipe */
	assert_true(RUN(m, true, 0xc006a000, 0xfff8, 0xfcfcfcfc, 0, 0, 0, 0, 0));
}

/* Four levels with translate_further: two entries as in a guest, then pages of 2 MiB. */
static void make_tables(struct machine *m)
{
	uint64_t *t = (uint64_t *)(void *)vram(m, TABLES);
	t[0] = (TABLES + 0x1000) | 1;
	t[512] = 0x4800000000000000 | (TABLES + 0x2000) | 1;
	for (unsigned i = 0; i < 16; i++)
		t[1024 + i] = 0x0600000000000000 | (uint64_t)i << 21 | 0x4f1;
	for (unsigned v = 1; v < 16; v++) {
		set(m, VM_CONTEXT0_CNTL + v, 0x007ffecd);
		set(m, 0x290b + 2 * v, 0xffffffff); /* PAGE_TABLE_END_ADDR */
		set(m, 0x290c + 2 * v, 0xf);
	}
}

/* MAP_PROCESS and one MAP_QUEUES, in a list of its own. */
static bool run_list(struct machine *m, uint32_t pasid, uint64_t mqd, uint32_t doorbell_dw)
{
	const uint64_t wptr = USER_DATA + 0x8000, list = fb + LIST;
	const uint32_t dw[] = {0xc013a100,
			       pasid,
			       TABLES | 1,
			       0,
			       0x00010002,
			       0x1118,
			       0xffffbf00,
			       0xff,
			       0xffffbf18,
			       0xff,
			       0,
			       0,
			       0,
			       1 << 22,
			       8,
			       0,
			       0,
			       0,
			       0,
			       0,
			       0,
			       0xc005a200,
			       0x20000010,
			       doorbell_dw << 2,
			       (uint32_t)mqd,
			       (uint32_t)(mqd >> 32),
			       (uint32_t)wptr,
			       0};
	memcpy(vram(m, LIST), dw, sizeof(dw));
	return RUN(m, true, 0xc002a500, (uint32_t)list, (uint32_t)(list >> 32),
		   1u << 23 | 1u << 24 | (uint32_t)BW_ARRAY_SIZE(dw));
}

static void user_put(struct machine *m, const uint32_t *dw, size_t n)
{
	put(m, USER_RING, &m->user_wptr, dw, n);
	bw_device_doorbell(m->dev, USER_DOORBELL, m->user_wptr);
}

static void a_process_runs_and_ends(void **state)
{
	struct machine m;
	begin(&m);
	make_tables(&m);
	map_hiq(&m);
	uint64_t mqd = make_mqd(&m, 1, USER_RING, 0);
	assert_true(run_list(&m, PASID, mqd, USER_DOORBELL));
	user_put(&m, (const uint32_t[]){0xc0033700, 5 << 8, USER_DATA, 0, 77}, 5);
	assert_true(comes(&m, USER_DATA, 77));
	/* RELEASE_MEM with a 64-bit value and an interrupt: the vector has the process, the source
	 * and the die */
	user_put(&m,
		 (const uint32_t[]){0xc0064900, 0x514, 2u << 29 | 2u << 24, USER_DATA + 8, 0, 5, 0,
				    0x123},
		 8);
	assert_true(comes(&m, USER_DATA + 8, 5));
	for (unsigned ms = 0; get(&m, IH_RB_WPTR) != 32; ms++) {
		assert_true(ms < WAIT_MS);
		rig_sleep_ms(1);
	}
	const uint32_t *v = vram(&m, IH_RING);
	assert_int_equal(v[0] & 0xffff, 181 << 8 | 0x14);
	assert_int_equal(v[0] >> 24 & 15, 3); /* the first VMID of KFD */
	assert_int_equal(v[3], 1 << 16 | PASID);
	assert_int_equal(v[4], 0x123);
	/* the same list again changes nothing; then all is taken off, and QUERY_STATUS writes */
	assert_true(run_list(&m, PASID, mqd, USER_DOORBELL));
	const uint64_t at = fb + FENCE + 64;
	assert_true(RUN(&m, true, 0xc004a300, 3 << 4, 0, 0, 0, 0, 0xc005a400, 0x80000000, 0,
			(uint32_t)at, (uint32_t)(at >> 32), 0x55, 0));
	assert_int_equal(*vram(&m, FENCE + 64), 0x55);
	assert_int_equal(vram(&m, MQDS + 0x1000)[138], 13); /* the read pointer */
	user_put(&m, (const uint32_t[]){0xc0033700, 5 << 8, USER_DATA, 0, 78}, 5);
	assert_int_equal(*vram(&m, USER_DATA), 77);
	/* It comes back, with the same VMID, and does what was left. */
	*(uint64_t *)(void *)vram(&m, USER_DATA + 0x8000) = m.user_wptr;
	assert_true(run_list(&m, PASID, mqd, USER_DOORBELL));
	assert_true(comes(&m, USER_DATA, 78));
	end(&m);
}

static void a_fault_has_the_clients_of_gfx9(void **state)
{
	struct machine m;
	begin(&m);
	make_tables(&m);
	map_hiq(&m);
	assert_true(run_list(&m, PASID, make_mqd(&m, 1, USER_RING, 0), USER_DOORBELL));
	user_put(&m, (const uint32_t[]){0xc0033700, 5 << 8, 0x7890000, 0, 77}, 5);
	/* UTCL2's vector of the fault, then that of the queue, which has stopped */
	for (unsigned ms = 0; get(&m, IH_RB_WPTR) != 64; ms++) {
		assert_true(ms < WAIT_MS);
		rig_sleep_ms(1);
	}
	const uint32_t *v = vram(&m, IH_RING);
	assert_int_equal(v[0] & 0xffff, 0x1b);
	assert_int_equal(v[3], 1 << 16 | PASID);
	assert_int_equal(v[4], 0x7890);
	assert_int_equal(v[8] & 0xffff, 183 << 8 | 0x14);
	uint32_t status = get(&m, VM_L2_PROTECTION_FAULT_STATUS);
	assert_int_equal(status >> 20 & 15, 3); /* VMID */
	assert_int_equal(status >> 18 & 1, 1);	/* it writes */
	assert_int_equal(get(&m, VM_L2_PROTECTION_FAULT_STATUS + 1), 0x7890);
	end(&m);
}

/* What a driver should not send is refused by name, and the queue stops. */
static void lists_are_checked(void **state)
{
	static const struct {
		uint32_t dw[8];
		unsigned n;
		const char *why;
	} bad[] = {
		{{0xc000a100, 0}, 2, "MAP_PROCESS packet of 2 dwords is too short"},
		{{0xc005a200, 0x20000000, 0, 0, 0, 0, 0},
		 7,
		 "MAP_QUEUES with QUEUE_SEL 0 is not supported"},
		{{0xc005a200, 0x40000010, 0, 0, 0, 0, 0},
		 7,
		 "MAP_QUEUES with NUM_QUEUES 2 is not supported"},
		{{0xc005a200, 0x20000014, 0, 0, 0, 0, 0},
		 7,
		 "MAP_QUEUES with ENGINE_SEL 0 is not supported"},
		{{0xc004a300, 3, 0, 0, 0, 0}, 6, "UNMAP_QUEUES with ACTION 3 is not supported"},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(bad); i++) {
		struct machine m;
		char text[300];
		begin(&m);
		map_hiq(&m);
		put(&m, HIQ_RING, &m.hiq_wptr, bad[i].dw, bad[i].n);
		bw_device_doorbell(m.dev, HIQ_DOORBELL, m.hiq_wptr);
		for (unsigned ms = 0; !bw_device_queue_error(m.dev, 3, 0, 0, text, sizeof(text));
		     ms++) {
			assert_true(ms < WAIT_MS);
			rig_sleep_ms(1);
		}
		assert_string_equal(text, bad[i].why);
		end(&m);
	}
}

/* More queues than there are hardware queues: those that fit run, and the list goes on. */
static void more_queues_than_fit(void **state)
{
	struct machine m;
	begin(&m);
	make_tables(&m);
	map_hiq(&m);
	uint64_t mqd = make_mqd(&m, 1, USER_RING, 0);
	for (unsigned i = 0; i < 40; i++)
		assert_true(run_list(&m, PASID + i % 20, mqd, USER_DOORBELL + 2 * i));
	assert_true(RUN(&m, true, 0xc004a300, 2 << 4, 0, 0, 0, 0));
	end(&m);
}

/* ---- SDMA ---- */

static void each_engine_has_its_own_client(void **state)
{
	struct machine m;
	begin(&m);
	for (unsigned i = 0; i < 2; i++) {
		const uint32_t at = SDMA + i * 0x800;
		const uint64_t ring = fb + SDMA_RING + i * 0x1000, to = fb + FENCE + 128 + i * 8;
		set(&m, at + SDMA_CNTL, 1);
		set(&m, at + SDMA_GFX_RB_BASE, (uint32_t)(ring >> 8));
		set(&m, at + SDMA_GFX_RB_BASE + 1, (uint32_t)(ring >> 40));
		set(&m, at + SDMA_GFX_DOORBELL, 1u << 28);
		set(&m, at + SDMA_GFX_DOORBELL_OFFSET, (SDMA_DOORBELL + 0x14 * i) << 2);
		set(&m, at + SDMA_GFX_RB_CNTL, 1 | 10 << 1);
		/* FENCE, TRAP */
		const uint32_t dw[] = {5, (uint32_t)to, (uint32_t)(to >> 32), 0x99, 6, 0};
		memcpy(vram(&m, SDMA_RING + i * 0x1000), dw, sizeof(dw));
		bw_device_doorbell(m.dev, SDMA_DOORBELL + 0x14 * i, sizeof(dw));
		assert_true(comes(&m, FENCE + 128 + i * 8, 0x99));
		for (unsigned ms = 0; get(&m, IH_RB_WPTR) != 32 * (i + 1); ms++) {
			assert_true(ms < WAIT_MS);
			rig_sleep_ms(1);
		}
		const uint32_t *v = vram(&m, IH_RING + 32 * i);
		assert_int_equal(v[0] & 0xffffff, 224 << 8 | (8 + i)); /* ring 0 */
	}
	end(&m);
}

TESTS(registers_are_where_the_gpu_has_them, packets_reach_registers, a_queue_can_be_taken_back,
      a_process_runs_and_ends, a_fault_has_the_clients_of_gfx9, lists_are_checked,
      more_queues_than_fit, each_engine_has_its_own_client);
