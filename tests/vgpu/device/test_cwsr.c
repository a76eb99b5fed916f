/* SPDX-License-Identifier: MIT */
/* Context save and restore: an AQL queue is taken away again and again while a kernel runs, and the
 * kernel's results are those of a run that nobody disturbed. The handler is one of the tests' own
 * (kernels/handler_cwsr.s), or that of Linux, as a file: BREAKWATER_CWSR_HANDLER. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "vgpu/device/cwsr_stack.h"

#define QUEUE (RIG_DATA + 0x200000) /* amd_queue_t */
#define RING (RIG_DATA + 0x201000)
#define SIGNALS (RIG_DATA + 0x202000)
#define DESCRIPTORS (RIG_DATA + 0x203000)
#define KERNARG (RIG_DATA + 0x204000)
#define HANDLER (RIG_DATA + 0x210000)
#define NO_SECOND (RIG_DATA + 0x214000) /* TMA of a handler that calls no other */
#define OUT (RIG_DATA + 0x220000)
#define SCRATCH (RIG_DATA + 0x300000)
#define AREA (RIG_DATA + 0x400000)

enum {
	STACK_B = 0x8000,
	AREA_B = 0x800000,
	SAVE_WAVES = 3,
	WAIT_MS = 60000,
	GROUP = 128,
	N_PACKETS = 3,
	VIA_SCRATCH = 1,
	TRAPS = 2,
};

static const struct bw_bank bank = {.use_srbm = true, .me = 1, .queue = 1};

static void hqd_write(struct rig *r, uint32_t addr_dw, uint32_t value)
{
	bw_device_reg_write(r->dev, &bank, addr_dw, value);
}

static uint32_t hqd_read(struct rig *r, uint32_t addr_dw)
{
	return bw_device_reg_read(r->dev, &bank, addr_dw);
}

static uint64_t get64(struct rig *r, uint64_t va)
{
	return __atomic_load_n((uint64_t *)rig_ptr(r, va), __ATOMIC_ACQUIRE);
}

static void put64(struct rig *r, uint64_t va, uint64_t value)
{
	__atomic_store_n((uint64_t *)rig_ptr(r, va), value, __ATOMIC_RELEASE);
}

/* --- the queue --- */

static void put_handler(struct rig *r, bool enabled)
{
	const struct bw_bank vmid = {.use_srbm = true, .vmid = 1};
	const char *path = getenv("BREAKWATER_CWSR_HANDLER");
	uint64_t va = HANDLER;
	if (path) {
		FILE *f = fopen(path, "rb");
		assert_non_null(f);
		assert_true(fread(rig_ptr(r, va), 1, 0x4000, f) > 0);
		fclose(f);
	} else {
		va = rig_code(r, "handler_cwsr");
	}
	bw_device_reg_write(r->dev, &vmid, REG(SQ_SHADER_TBA_LO), (uint32_t)(va >> 8));
	bw_device_reg_write(r->dev, &vmid, REG(SQ_SHADER_TBA_HI),
			    (uint32_t)(va >> 40) | (enabled ? 1u << 31 : 0u));
	/* no second handler */
	memset(rig_ptr(r, NO_SECOND), 0, 0x1000);
	bw_device_reg_write(r->dev, &vmid, REG(SQ_SHADER_TMA_LO), (uint32_t)(NO_SECOND >> 8));
	bw_device_reg_write(r->dev, &vmid, REG(SPI_GDBG_PER_VMID_CNTL), 1 << 3); /* TRAP_EN */
}

static void start_queue(struct rig *r)
{
	memset(rig_ptr(r, QUEUE), 0, 0x5000);
	((uint32_t *)rig_ptr(r, QUEUE))[0x88 / 4] = 0x80;
	for (unsigned i = 0; i < 16; i++)
		((uint32_t *)rig_ptr(r, RING))[i * 16] = 1; /* invalid */
	hqd_write(r, REG(CP_HQD_VMID), 1);
	hqd_write(r, REG(CP_HQD_PQ_BASE), (uint32_t)(RING >> 8));
	hqd_write(r, REG(CP_HQD_PQ_RPTR_REPORT_ADDR), (uint32_t)QUEUE + 0x80);
	hqd_write(r, REG(CP_HQD_PQ_WPTR_POLL_ADDR), (uint32_t)QUEUE + 0x38);
	hqd_write(r, REG(CP_HQD_PQ_DOORBELL_CONTROL), 1u << 30 | 0x1004 << 2);
	hqd_write(r, REG(CP_HQD_PQ_CONTROL), 2 << 18 | 7); /* in packets; 16 of them */
	hqd_write(r, REG(CP_HQD_CTX_SAVE_BASE_ADDR_LO), (uint32_t)AREA);
	hqd_write(r, REG(CP_HQD_CTX_SAVE_SIZE), AREA_B);
	hqd_write(r, REG(CP_HQD_CNTL_STACK_SIZE), STACK_B);
	hqd_write(r, REG(CP_HQD_CNTL_STACK_OFFSET), STACK_B);
	hqd_write(r, REG(CP_HQD_WG_STATE_OFFSET), STACK_B);
	hqd_write(r, REG(CP_HQD_ACTIVE), 1);
}

static bool is_active(struct rig *r)
{
	return hqd_read(r, REG(CP_HQD_ACTIVE)) & 1;
}

static void save(struct rig *r)
{
	hqd_write(r, REG(CP_HQD_DEQUEUE_REQUEST), SAVE_WAVES);
	for (unsigned i = 0; i < WAIT_MS && is_active(r); i++)
		rig_sleep_ms(1);
	assert_false(is_active(r));
}

/* One WGP alone, so that most groups have to wait for others. */
static void use_one_wgp(struct rig *r)
{
	const uint32_t engines[] = {
		REG(COMPUTE_STATIC_THREAD_MGMT_SE0), REG(COMPUTE_STATIC_THREAD_MGMT_SE1),
		REG(COMPUTE_STATIC_THREAD_MGMT_SE2), REG(COMPUTE_STATIC_THREAD_MGMT_SE3),
		REG(COMPUTE_STATIC_THREAD_MGMT_SE4), REG(COMPUTE_STATIC_THREAD_MGMT_SE5)};
	for (unsigned se = 0; se < BW_ARRAY_SIZE(engines); se++)
		hqd_write(r, engines[se], se ? 0 : 3);
}

/* --- the kernel --- */

struct kernel {
	bool wave32, traps_enabled, one_wgp;
	uint32_t n_groups, n, flags;
};

static void submit(struct rig *r, const struct kernel *k, unsigned i)
{
	uint64_t kd_va = DESCRIPTORS, args = KERNARG + i * 64, signal = SIGNALS + i * 64;
	uint32_t *kd = rig_ptr(r, kd_va);
	uint64_t entry = rig_code(r, "switched") - kd_va;
	memset(kd, 0, 64);
	memcpy(kd + 4, &entry, 8);
	kd[12] = (k->wave32 ? 5 : 11) | 0xc0 << 12 | 1u << 29 | 1u << 30; /* 48 VGPRs */
	kd[13] = (k->flags & VIA_SCRATCH ? 1 : 0) | 2 << 1 | 1 << 7;
	kd[14] = 1 << 3 | (k->wave32 ? 1 << 10 : 0);
	put64(r, args, OUT + i * 0x20000);
	put64(r, args + 8, k->n | (uint64_t)k->flags << 32);
	memset(rig_ptr(r, signal), 0, 64);
	put64(r, signal + 8, 1);
	uint32_t packet[16] = {2 | 1 << 16, GROUP | 1 << 16, 1, GROUP * k->n_groups, 1, 1};
	packet[6] = k->flags & VIA_SCRATCH ? 64 : 0;
	packet[7] = GROUP * 4;
	memcpy(packet + 8, &kd_va, 8);
	memcpy(packet + 10, &args, 8);
	memcpy(packet + 14, &signal, 8);
	uint32_t *slot = rig_ptr(r, RING + i * 64);
	memcpy(slot + 1, packet + 1, 60);
	__atomic_store_n(slot, packet[0], __ATOMIC_RELEASE);
	put64(r, QUEUE + 0x38, i + 1);
	bw_device_doorbell(r->dev, 0x1004, i);
}

/* kernels/switched.s for one group. */
static void values_of_group(const struct kernel *k, uint32_t group, uint32_t out[GROUP])
{
	uint32_t v[GROUP], sum = 0;
	for (unsigned i = 0; i < GROUP; i++)
		v[i] = group * GROUP + i;
	for (uint32_t n = 1; n <= k->n; n++) {
		for (unsigned i = 0; i < GROUP; i++)
			v[i] = v[i] * 3 + sum;
		for (unsigned i = 0; i < GROUP; i++)
			out[i] = v[i] + v[(i + 1) % GROUP];
		memcpy(v, out, sizeof(v));
		sum += n;
	}
}

static void check_results(struct rig *r, const struct kernel *k)
{
	uint32_t want[GROUP];
	for (uint32_t g = 0; g < k->n_groups; g++) {
		values_of_group(k, g, want);
		for (unsigned p = 0; p < N_PACKETS; p++)
			assert_memory_equal((uint32_t *)rig_ptr(r, OUT + p * 0x20000) + g * GROUP,
					    want, sizeof(want));
	}
}

/* Takes the queue away and gives it back until the kernels are done. Returns how often there were
 * waves to save. */
static unsigned run_with_switches(struct rig *r, const struct kernel *k, unsigned *out_seed)
{
	unsigned n_saved = 0;
	uint64_t last = SIGNALS + (N_PACKETS - 1) * 64 + 8;
	for (unsigned i = 0; get64(r, last); i++) {
		if (i >= 2000)
			fail_msg("the kernels do not end");
		save(r);
		n_saved += hqd_read(r, REG(CP_HQD_WG_STATE_OFFSET)) > STACK_B;
		hqd_write(r, REG(CP_HQD_ACTIVE), 1);
		rig_sleep_ms(1 + rand_r(out_seed) % 8);
	}
	return n_saved;
}

/* Returns how often there were waves to save. */
static unsigned run_once(const struct kernel *k, unsigned seed)
{
	struct rig r;
	rig_start(&r, NULL);
	put_handler(&r, k->traps_enabled);
	start_queue(&r);
	if (k->one_wgp)
		use_one_wgp(&r);
	/* 32 waves an engine with 64 bytes for a lane */
	((uint32_t *)rig_ptr(&r, QUEUE))[0x8c / 4] = 32 | 64 * (k->wave32 ? 32 : 64) / 256 << 12;
	put64(&r, QUEUE + 0xa0, SCRATCH);
	((uint32_t *)rig_ptr(&r, QUEUE))[0xb0 / 4] = k->wave32 ? 32 : 64;
	for (unsigned i = 0; i < N_PACKETS; i++)
		submit(&r, k, i);
	unsigned n_saved = run_with_switches(&r, k, &seed);
	for (unsigned i = 0; i < N_PACKETS; i++)
		assert_int_equal(get64(&r, SIGNALS + i * 64 + 8), 0);
	assert_int_equal(get64(&r, QUEUE + 0x80), N_PACKETS);
	check_results(&r, k);
	rig_stop(&r);
	return n_saved;
}

/* On a busy machine all kernels can end between two saves. */
static void run(const struct kernel *k)
{
	enum { TRIES = 20 };
	unsigned n_saved = 0;
	for (unsigned i = 0; i < TRIES && !n_saved; i++)
		n_saved = run_once(k, k->n_groups + i);
	assert_true(n_saved > 0);
}

static void test_wave32(void **state)
{
	const struct kernel k = {.wave32 = true, .n_groups = 6, .n = 2000};
	run(&k);
}

static void test_wave64(void **state)
{
	const struct kernel k = {.n_groups = 6, .n = 2000};
	run(&k);
}

/* Most groups have not begun when the queue is taken away, and are placed after those that had. */
static void test_more_groups_than_fit(void **state)
{
	const struct kernel k = {.wave32 = true, .one_wgp = true, .n_groups = 80, .n = 200};
	run(&k);
}

/* Groups have their scratch where they had it. */
static void test_scratch(void **state)
{
	struct kernel k = {.n_groups = 12, .n = 500, .flags = VIA_SCRATCH};
	run(&k);
	k.wave32 = true;
	run(&k);
}

static void test_traps(void **state)
{
	struct kernel k = {
		.wave32 = true, .traps_enabled = true, .n_groups = 4, .n = 4000, .flags = TRAPS};
	run(&k);
}

/* --- the control stack --- */

static struct bw_cwsr_group group_of(unsigned packet, unsigned n_waves, unsigned lanes)
{
	struct bw_cwsr_group g = {.packet = (uint8_t)packet,
				  .n_waves = (uint8_t)n_waves,
				  .lanes = (uint8_t)lanes,
				  .se = 5,
				  .n_vgprs = 24,
				  .lds_b = 1024};
	for (unsigned i = 0; i < n_waves; i++)
		g.wave[i].scratch_slot = i % 2 ? (int16_t)(1000 + i) : -1;
	return g;
}

/* What is written is read again, and lies where ROCdbgapi looks for it: from the end of the waves
 * down, the LDS in the block of the first wave of a group. */
static void test_the_control_stack(void **state)
{
	enum { WAVE32_B = 24 * 32 * 4 + 640, WAVE64_B = 24 * 64 * 4 + 640, LDS_B = 1024 };
	struct bw_cwsr_group groups[] = {group_of(0, 3, 32), group_of(2, 1, 64)};
	const struct bw_cwsr_stack s = {
		.has_asked = true,
		.n_packets = 3,
		.n_groups = 2,
		.packet = {{.all_placed = true, .start = 0x123456789abcdef0},
			   {.done = true},
			   {.next = {0xffff0001, 7, 0x80000000}}},
		.group = groups,
	};
	struct bw_cwsr_stack back;
	uint32_t dw[128];
	size_t n;
	const uint32_t end_b = STACK_B + 3 * WAVE32_B + WAVE64_B + 2 * LDS_B;
	assert_true(bw_cwsr_stack_write(&s, dw, BW_ARRAY_SIZE(dw), &n));
	assert_null(bw_cwsr_stack_read(dw, n, STACK_B, end_b, &back));
	assert_true(back.has_asked);
	assert_int_equal(back.n_packets, 3);
	assert_memory_equal(back.packet, s.packet, sizeof(s.packet));
	assert_int_equal(back.n_groups, 2);
	assert_int_equal(back.group[0].wave[0].at_b, end_b - WAVE32_B - LDS_B);
	assert_int_equal(back.group[0].wave[2].at_b, end_b - 3 * WAVE32_B - LDS_B);
	assert_int_equal(back.group[1].wave[0].at_b, STACK_B);
	assert_int_equal(back.group[0].wave[0].scratch_slot, -1);
	assert_int_equal(back.group[0].wave[1].scratch_slot, 1001);
	assert_int_equal(back.group[1].packet, 2);
	assert_int_equal(back.group[1].lanes, 64);
	assert_int_equal(back.group[1].se, 5);
	free(back.group);
	/* a state, a wave: bits as ROCdbgapi names them */
	assert_int_equal(dw[n - 3], 1u << 31 | 2 << 10 | (24 / 4 - 1));
	assert_int_equal(dw[n - 1], 1 << 12 | 1 << 29 | 5 << 24);
	assert_false(bw_cwsr_stack_write(&s, dw, n - 1, &n));
}

static void test_damaged_control_stacks(void **state)
{
	struct bw_cwsr_group group = group_of(0, 2, 32);
	const struct bw_cwsr_stack s = {.n_packets = 1, .n_groups = 1, .group = &group};
	const uint32_t end_b = STACK_B + 2 * (24 * 32 * 4 + 640) + 1024;
	uint32_t good[64], dw[64];
	size_t n;
	assert_true(bw_cwsr_stack_write(&s, good, BW_ARRAY_SIZE(good), &n));
	for (size_t at = 2; at < n; at++) {
		struct bw_cwsr_stack back;
		/* a word that is missing; an event of no kind; a wave of a group that has begun */
		memcpy(dw, good, sizeof(dw));
		memmove(dw + at, dw + at + 1, (n - at - 1) * 4);
		bool is_start = at == 2; /* the queue's event says little */
		assert_int_equal(bw_cwsr_stack_read(dw, n - 1, STACK_B, end_b, &back) == NULL,
				 is_start);
		free(back.group);
		memcpy(dw, good, sizeof(dw));
		dw[at] = 1u << 30 | 99 << 16;
		assert_non_null(bw_cwsr_stack_read(dw, n, STACK_B, end_b, &back));
		free(back.group);
	}
	struct bw_cwsr_stack back;
	assert_non_null(bw_cwsr_stack_read(good, n, STACK_B, end_b - 4, &back));
	free(back.group);
	assert_non_null(bw_cwsr_stack_read(good, n, STACK_B, end_b + 4, &back));
	free(back.group);
	assert_non_null(bw_cwsr_stack_read(good, n, STACK_B, STACK_B - 4, &back));
	free(back.group);
}

TESTS(test_wave32, test_wave64, test_more_groups_than_fit, test_scratch, test_traps,
      test_the_control_stack, test_damaged_control_stacks);
