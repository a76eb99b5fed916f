/* SPDX-License-Identifier: MIT */
/* SQ_CMD, traps and exceptions as the driver and the debugger meet them. */
#include "rig.h"

#include <string.h>

#include "../../suite.h"
#include "base/util.h"

enum { WAIT_MS = 20000, KILL = 3, TRAP = 5, SETHALT = 1, BROADCAST = 1 << 4, CHECK_VMID = 1 << 7 };
#define LO(va) ((uint32_t)(va))
#define HI(va) ((uint32_t)((va) >> 32))
#define VMID(n) ((uint32_t)(n) << 28)

static uint32_t *data(struct rig *r)
{
	return rig_ptr(r, RIG_DATA);
}

/* TBA, TMA and SPI TRAP_EN of a VMID, as a debugger writes them. */
static void set_handler(struct rig *r, const char *kernel, uint64_t tma, uint32_t gdbg)
{
	struct bw_bank b = {.use_srbm = true, .vmid = r->vmid};
	uint64_t tba = kernel ? rig_code(r, kernel) : 0;
	bw_device_reg_write(r->dev, &b, REG(SQ_SHADER_TBA_LO), (uint32_t)(tba >> 8));
	bw_device_reg_write(r->dev, &b, REG(SQ_SHADER_TBA_HI),
			    (uint32_t)(tba >> 40) | (kernel ? 1u << 31 : 0));
	bw_device_reg_write(r->dev, &b, REG(SQ_SHADER_TMA_LO), (uint32_t)(tma >> 8));
	bw_device_reg_write(r->dev, &b, REG(SQ_SHADER_TMA_HI), (uint32_t)(tma >> 40));
	bw_device_reg_write(r->dev, &b, REG(SPI_GDBG_PER_VMID_CNTL), 1 << 3 | gdbg);
}

/* A grid that fills the device with endless loops; killed by VMID, as soft recovery does it. */
static void test_kill(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "loop", .groups = {10000}, .threads = {128}};
	uint64_t fence = rig_launch(&r, &l);
	assert_true(rig_wait_resident(&r, 3072, WAIT_MS));
	rig_sq_cmd(&r, KILL | BROADCAST | CHECK_VMID | VMID(2)); /* somebody else's */
	rig_sleep_ms(5);
	assert_true(rig_wait_resident(&r, 3072, 1));
	assert_false(rig_done(&r, 1, fence));
	rig_sq_cmd(&r, KILL | BROADCAST | CHECK_VMID | VMID(1));
	assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	assert_true(rig_wait_resident(&r, 0, WAIT_MS));
	/* The slots are free again. */
	struct rig_launch ids = {.kernel = "ids",
				 .groups = {100},
				 .threads = {64},
				 .n_user = 3,
				 .user = {LO(RIG_DATA), HI(RIG_DATA), 64}};
	assert_true(rig_wait(&r, 1, rig_launch(&r, &ids), WAIT_MS));
	assert_int_equal(data(&r)[99 * 64], 3 * 99 * 64 + 7);
	rig_stop(&r);
}

/* One wave only: SINGLE mode with the SIMD selected. */
static void test_kill_one(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "loop", .groups = {1}, .threads = {96}};
	uint64_t fence = rig_launch(&r, &l);
	assert_true(rig_wait_resident(&r, 3, WAIT_MS));
	unsigned killed = 0;
	for (unsigned left = 3; left; left--) {
		for (unsigned place = 0; place < 192; place++) {
			unsigned simd = place % 4, wgp = place / 4 % 4, sa = place / 16 % 2,
				 se = place / 32;
			uint32_t active = rig_sq_ind(&r, se, sa, wgp, simd, 0, 0, 0xa);
			if (!active)
				continue;
			struct bw_bank b = {
				.use_grbm = true, .se = se, .sa = sa, .instance = wgp << 2 | simd};
			bw_device_reg_write(r.dev, &b, REG(SQ_CMD),
					    KILL | (uint32_t)__builtin_ctz(active) << 16);
			killed++;
			break;
		}
		assert_true(rig_wait_resident(&r, left - 1, WAIT_MS));
	}
	assert_int_equal(killed, 3);
	assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	rig_stop(&r);
}

static void test_halt(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "poll",
			       .groups = {64},
			       .threads = {32},
			       .n_user = 2,
			       .user = {LO(RIG_DATA), HI(RIG_DATA)}};
	uint64_t fence = rig_launch(&r, &l);
	assert_true(rig_wait_resident(&r, 64, WAIT_MS));
	rig_sq_cmd(&r, SETHALT | BROADCAST | CHECK_VMID | VMID(1) | 1 << 8);
	rig_sleep_ms(20);
	bool held;
	bw_device_held_ns(r.dev, 1, &held);
	assert_true(held);
	/* Halted: they do not run on when the word that they wait for is written. */
	data(&r)[0] = 1;
	rig_sleep_ms(20);
	assert_int_equal(data(&r)[16], 0);
	assert_true(rig_wait_resident(&r, 64, 1));
	for (unsigned place = 0; place < 192; place++) {
		unsigned simd = place % 4, wgp = place / 4 % 4, sa = place / 16 % 2,
			 se = place / 32;
		assert_int_equal(rig_sq_ind(&r, se, sa, wgp, simd, 0, 0, 0xa),
				 rig_sq_ind(&r, se, sa, wgp, simd, 0, 0, 0xb));
	}
	rig_sq_cmd(&r, SETHALT | BROADCAST | CHECK_VMID | VMID(1));
	assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	assert_int_equal(data(&r)[16], 64);
	uint64_t ns = bw_device_held_ns(r.dev, 1, &held);
	assert_false(held);
	assert_in_range(ns, 20000000, 60000000000);
	assert_int_equal(bw_device_held_ns(r.dev, 2, &held), 0);
	rig_stop(&r);
}

/* A store to nowhere without a trap handler: the wave stops for good, the driver hears of it twice
 * (VM fault, SQ), KILL completes the job. */
/* The number of waves whose STATUS has HALT. */
static unsigned count_halted(struct rig *r)
{
	enum { STATUS = 0x102, HALT = 0x2000, ACTIVE = 0xa };
	unsigned n = 0;
	for (unsigned place = 0; place < 192; place++) {
		unsigned simd = place % 4, wgp = place / 4 % 4, sa = place / 16 % 2,
			 se = place / 32;
		for (uint32_t left = rig_sq_ind(r, se, sa, wgp, simd, 0, 0, ACTIVE); left;
		     left &= left - 1)
			n += (rig_sq_ind(r, se, sa, wgp, simd, (unsigned)__builtin_ctz(left), 0,
					 STATUS) &
			      HALT) != 0;
	}
	return n;
}

/* A command at any moment behind a wave's placement reaches it, also while its WGP launches it. */
static void test_halt_while_launching(void **state)
{
	enum { ROUNDS = 300, DELAYS = 97 };
	struct rig r;
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "loop", .groups = {1}, .threads = {32}};
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct bw_device_stats before, now;
		bool held = false;
		bw_device_stats(r.dev, &before);
		uint64_t fence = rig_launch(&r, &l);
		do
			bw_device_stats(r.dev, &now);
		while (now.waves_launched == before.waves_launched);
		for (volatile unsigned i = 0; i < round % DELAYS * 100; i++)
			;
		rig_sq_cmd(&r, SETHALT | BROADCAST | CHECK_VMID | VMID(1) | 1 << 8);
		for (unsigned ms = 0; ms < 2000 && !held; ms++) {
			bw_device_held_ns(r.dev, 1, &held);
			if (!held)
				rig_sleep_ms(1);
		}
		assert_true(held);
		rig_sq_cmd(&r, KILL | BROADCAST | CHECK_VMID | VMID(1));
		assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	}
	rig_stop(&r);
}

/* Whoever reads right after the command sees its effect, and of two commands the last one holds. */
static void test_halt_at_once(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "poll",
			       .groups = {64},
			       .threads = {32},
			       .n_user = 2,
			       .user = {LO(RIG_DATA), HI(RIG_DATA)}};
	uint64_t fence = rig_launch(&r, &l);
	assert_true(rig_wait_resident(&r, 64, WAIT_MS));
	for (unsigned i = 0; i < 20; i++) {
		rig_sq_cmd(&r, SETHALT | BROADCAST | 1 << 8);
		assert_int_equal(count_halted(&r), 64);
		rig_sq_cmd(&r, SETHALT | BROADCAST);
		assert_int_equal(count_halted(&r), 0);
		rig_sq_cmd(&r, SETHALT | BROADCAST | 1 << 8);
		rig_sq_cmd(&r, SETHALT | BROADCAST);
	}
	data(&r)[0] = 1;
	assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	rig_stop(&r);
}

static void test_fatal_fault(void **state)
{
	struct rig r;
	struct rig_vector v;
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "store",
			       .threads = {32},
			       .n_user = 4,
			       .user = {LO(RIG_SMALL_VA + 0x3000), 0, LO(RIG_DATA), HI(RIG_DATA)}};
	uint64_t fence = rig_launch(&r, &l);
	assert_true(rig_next_vector(&r, &v, WAIT_MS));
	assert_int_equal(v.client, 0x0a);
	assert_int_equal(v.data[0], (RIG_SMALL_VA + 0x3000) >> 12);
	assert_int_equal(rig_read(&r, REG(GCVM_L2_PROTECTION_FAULT_STATUS)),
			 1 << 20 | 1 << 18 | 8 << 9 | 5 << 4);
	assert_true(rig_next_vector(&r, &v, WAIT_MS));
	assert_int_equal(v.source, 239);
	assert_int_equal(v.data[0] >> 21 & 0xf, 2); /* memory violation */
	assert_int_equal(v.data[1] >> 6 & 3, 2);    /* error */
	assert_true(rig_wait_resident(&r, 1, WAIT_MS));
	assert_false(rig_done(&r, 1, fence));
	assert_int_equal(data(&r)[0], 0);
	bool held;
	bw_device_held_ns(r.dev, 1, &held);
	assert_false(held);
	rig_sq_cmd(&r, KILL | BROADCAST | CHECK_VMID | VMID(1));
	assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	rig_stop(&r);
}

static void test_fatal_illegal(void **state)
{
	struct rig r;
	struct rig_vector v;
	rig_start(&r, NULL);
	uint64_t fence = rig_launch(&r, &(struct rig_launch){.kernel = "illegal", .threads = {32}});
	assert_true(rig_next_vector(&r, &v, WAIT_MS));
	assert_int_equal(v.source, 239);
	assert_int_equal(v.data[0] >> 21 & 0xf, 1);
	assert_true(rig_next_vector(&r, &v, WAIT_MS));
	assert_int_equal(v.source, 185);
	assert_int_equal(v.client, 0x14);
	assert_int_equal(v.ring, 1 << 2);
	unsigned found = 0;
	for (unsigned place = 0; place < 192; place++) {
		unsigned simd = place % 4, wgp = place / 4 % 4, sa = place / 16 % 2,
			 se = place / 32;
		uint32_t active = rig_sq_ind(&r, se, sa, wgp, simd, 0, 0, 0xa);
		if (!active)
			continue;
		unsigned w = (unsigned)__builtin_ctz(active);
		found++;
		/* FATAL_HALT; TRAPSTS.ILLEGAL_INST; the PC of the instruction itself */
		assert_int_equal(rig_sq_ind(&r, se, sa, wgp, simd, w, 0, 0x102) >> 23 & 1, 1);
		assert_int_equal(rig_sq_ind(&r, se, sa, wgp, simd, w, 0, 0x103) >> 11 & 1, 1);
		assert_int_equal(rig_sq_ind(&r, se, sa, wgp, simd, w, 0, 0x108),
				 LO(rig_code(&r, "illegal") + 4));
	}
	assert_int_equal(found, 1);
	rig_sq_cmd(&r, KILL | BROADCAST | CHECK_VMID | VMID(1));
	assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	rig_stop(&r);
}

/* s_trap 5 into a handler that reports and returns. */
static void test_trap(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	set_handler(&r, "handler", RIG_DATA + 0x1000, 0);
	struct rig_launch l = {.kernel = "trap",
			       .groups = {100, 1, 1},
			       .threads = {64},
			       .n_user = 2,
			       .user = {LO(RIG_DATA), HI(RIG_DATA)}};
	uint64_t fence = rig_launch(&r, &l);
	assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	const uint32_t *t = data(&r) + 0x1000 / 4;
	assert_int_equal(data(&r)[0], 0x77);
	assert_int_equal(t[8], 200);			  /* entries */
	assert_int_equal(t[0], LO(rig_code(&r, "trap"))); /* the s_trap itself */
	assert_int_equal(t[1], 5 << 16);
	assert_int_equal(t[2] & 0x1f0900, 0);			     /* no flag of TRAPSTS */
	assert_int_equal(t[3] & (1 << 5 | 1 << 6), 1 << 5 | 1 << 6); /* PRIV, TRAP_EN */
	assert_true(t[4] < 100);				     /* TTMP8: workgroup X */
	rig_stop(&r);
}

/* TRAP_ON_START by SPI and by the shader's own resource word; WAVE_START is TRAPSTS 17. */
static void test_trap_on_start(void **state)
{
	for (unsigned by_rsrc3 = 0; by_rsrc3 < 2; by_rsrc3++) {
		struct rig r;
		rig_start(&r, NULL);
		set_handler(&r, "handler", RIG_DATA + 0x100000, by_rsrc3 ? 0 : 1 << 14);
		struct rig_launch l = {.kernel = "ids",
				       .groups = {50},
				       .threads = {64},
				       .n_user = 3,
				       .user = {LO(RIG_DATA), HI(RIG_DATA), 64},
				       .rsrc3 = by_rsrc3 ? 1 << 10 : 0};
		assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
		const uint32_t *t = data(&r) + 0x100000 / 4;
		assert_int_equal(t[8], 100);
		assert_int_equal(t[0], LO(rig_code(&r, "ids")));
		assert_int_equal(t[1] >> 16, 0);
		assert_int_equal(t[2] >> 17 & 1, 1);
		for (unsigned i = 0; i < 50 * 64; i++)
			assert_int_equal(data(&r)[i], 3 * i + 7);
		rig_stop(&r);
	}
}

/* The handler is entered where TBA.TRAP_EN and SPI_GDBG or RSRC2.TRAP_PRESENT are set. */
static void test_trap_enable(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct bw_bank b = {.use_srbm = true, .vmid = 1};
	struct rig_launch l = {.kernel = "trap",
			       .threads = {64},
			       .n_user = 2,
			       .user = {LO(RIG_DATA), HI(RIG_DATA)}};
	set_handler(&r, "handler", RIG_DATA + 0x1000, 0);
	bw_device_reg_write(r.dev, &b, REG(SPI_GDBG_PER_VMID_CNTL), 0);
	assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
	assert_int_equal(data(&r)[0x1020 / 4], 0);
	assert_int_equal(data(&r)[0], 0x77);
	l.rsrc2 = 1 << 6; /* TRAP_PRESENT */
	assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
	assert_int_equal(data(&r)[0x1020 / 4], 2);
	set_handler(&r, NULL, RIG_DATA + 0x1000, 0);
	assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
	assert_int_equal(data(&r)[0x1020 / 4], 2);
	rig_stop(&r);
}

/* Where TBA.TRAP_EN is not set, as Linux 6.12 leaves it for a process of gfx11.0 without a
 * debugger, waves still get the TTMPs of their launch: ROCdbgapi reads them of waves that are
 * older than it. */
static void test_ttmps_without_handler(void **state)
{
	enum { TTMP0 = 0x26c, N_GROUPS = 3, N_WAVES = 2 };
	struct rig r;
	rig_start(&r, NULL);
	set_handler(&r, NULL, 0, 0);
	struct rig_launch l = {.kernel = "loop", .groups = {N_GROUPS}, .threads = {N_WAVES * 32}};
	uint64_t fence = rig_launch(&r, &l);
	assert_true(rig_wait_resident(&r, N_GROUPS * N_WAVES, WAIT_MS));
	unsigned seen[N_GROUPS][N_WAVES] = {{0}};
	for (unsigned place = 0; place < 192; place++) {
		unsigned simd = place % 4, wgp = place / 4 % 4, sa = place / 16 % 2,
			 se = place / 32;
#define SGPR(wave, n) rig_sq_ind(&r, se, sa, wgp, simd, wave, 0, n)
		for (uint32_t left = rig_sq_ind(&r, se, sa, wgp, simd, 0, 0, 0xa); left;
		     left &= left - 1) {
			unsigned w = (unsigned)__builtin_ctz(left);
			uint32_t group = SGPR(w, TTMP0 + 8), in_group = SGPR(w, TTMP0 + 11);
			assert_true(group < N_GROUPS && in_group < N_WAVES);
			assert_int_equal(SGPR(w, TTMP0 + 9) | SGPR(w, TTMP0 + 10), 0);
			assert_int_equal(SGPR(w, 0x102) >> 6 & 1, 0); /* TRAP_EN */
			seen[group][in_group]++;
		}
#undef SGPR
	}
	for (unsigned g = 0; g < N_GROUPS; g++)
		for (unsigned w = 0; w < N_WAVES; w++)
			assert_int_equal(seen[g][w], 1);
	rig_sq_cmd(&r, KILL | BROADCAST | CHECK_VMID | VMID(1));
	assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	rig_stop(&r);
}

/* A full device that loops: every wave enters the handler on request, waits there, and then
 * resumes. A second request while they are in it does nothing. */
static void test_host_trap_all(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	set_handler(&r, "handler_poll", RIG_DATA + 0x1000, 0);
	struct rig_launch l = {.kernel = "loop", .groups = {1536}, .threads = {64}};
	uint64_t fence = rig_launch(&r, &l);
	assert_true(rig_wait_resident(&r, 3072, WAIT_MS));
	rig_sq_cmd(&r, TRAP | BROADCAST | CHECK_VMID | VMID(1));
	unsigned inside = 0;
	for (unsigned tries = 0; tries < 1000 && inside != 3072; tries++) {
		inside = 0;
		for (unsigned place = 0; place < 192; place++) {
			unsigned simd = place % 4, wgp = place / 4 % 4, sa = place / 16 % 2,
				 se = place / 32;
			for (unsigned w = 0; w < 16; w++) /* STATUS.PRIV */
				inside += rig_sq_ind(&r, se, sa, wgp, simd, w, 0, 0x102) >> 5 & 1;
		}
	}
	assert_int_equal(inside, 3072);
	bool held;
	bw_device_held_ns(r.dev, 1, &held);
	assert_true(held);
	rig_sq_cmd(&r, TRAP | BROADCAST | CHECK_VMID | VMID(1));
	rig_sleep_ms(10);
	__atomic_store_n(data(&r) + (0x1000 + 64) / 4, 1, __ATOMIC_SEQ_CST);
	unsigned outside = 0;
	for (unsigned tries = 0; tries < 1000 && outside != 3072; tries++) {
		outside = 0;
		for (unsigned place = 0; place < 192; place++) {
			unsigned simd = place % 4, wgp = place / 4 % 4, sa = place / 16 % 2,
				 se = place / 32;
			for (unsigned w = 0; w < 16; w++)
				outside +=
					!(rig_sq_ind(&r, se, sa, wgp, simd, w, 0, 0x102) >> 5 & 1);
		}
	}
	assert_int_equal(outside, 3072);
	bw_device_held_ns(r.dev, 1, &held);
	assert_false(held);
	rig_sq_cmd(&r, KILL | BROADCAST | CHECK_VMID | VMID(1));
	assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	rig_stop(&r);
}

/* A wave that waits at a barrier takes a host trap, and waits on when it comes back. */
static void test_trap_at_barrier(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	set_handler(&r, "handler_poll", RIG_DATA + 0x1000, 1 << 1); /* launched halted */
	struct rig_launch l = {.kernel = "barrier",
			       .groups = {1},
			       .threads = {128},
			       .n_user = 3,
			       .user = {LO(RIG_DATA), HI(RIG_DATA), 128},
			       .lds_b = 512};
	uint64_t fence = rig_launch(&r, &l);
	assert_true(rig_wait_resident(&r, 4, WAIT_MS));
	/* Three of the four go and wait at the barrier. */
	struct {
		unsigned se, sa, wgp, simd, wave;
	} at[4];
	unsigned n = 0;
	for (unsigned place = 0; place < 192; place++) {
		unsigned simd = place % 4, wgp = place / 4 % 4, sa = place / 16 % 2,
			 se = place / 32;
		uint32_t active = rig_sq_ind(&r, se, sa, wgp, simd, 0, 0, 0xa);
		for (; active; active &= active - 1) {
			at[n].se = se, at[n].sa = sa, at[n].wgp = wgp, at[n].simd = simd;
			at[n++].wave = (unsigned)__builtin_ctz(active);
		}
	}
	assert_int_equal(n, 4);
#define STATUS(i) rig_sq_ind(&r, at[i].se, at[i].sa, at[i].wgp, at[i].simd, at[i].wave, 0, 0x102)
#define COMMAND(i, value)                                                                          \
	bw_device_reg_write(r.dev,                                                                 \
			    &(struct bw_bank){.use_grbm = true,                                    \
					      .se = at[i].se,                                      \
					      .sa = at[i].sa,                                      \
					      .instance = at[i].wgp << 2 | at[i].simd},            \
			    REG(SQ_CMD), (value) | at[i].wave << 16)
	for (unsigned i = 0; i < 3; i++)
		COMMAND(i, SETHALT);
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned k = 0; k < WAIT_MS && !(STATUS(i) >> 12 & 1); k++)
			rig_sleep_ms(1);
		assert_int_equal(STATUS(i) >> 12 & 1, 1); /* IN_BARRIER */
	}
	COMMAND(0, TRAP);
	for (unsigned k = 0; k < WAIT_MS && !(STATUS(0) >> 5 & 1); k++)
		rig_sleep_ms(1);
	assert_int_equal(STATUS(0) >> 5 & 1, 1);
	assert_int_equal(STATUS(0) >> 12 & 1, 1);
	__atomic_store_n(data(&r) + (0x1000 + 64) / 4, 1, __ATOMIC_SEQ_CST);
	for (unsigned k = 0; k < WAIT_MS && STATUS(0) >> 5 & 1; k++)
		rig_sleep_ms(1);
	assert_int_equal(STATUS(0) >> 5 & 1, 0);
	rig_sleep_ms(5);
	assert_int_equal(STATUS(0) >> 12 & 1, 1); /* still there: the fourth has not come */
	assert_false(rig_done(&r, 1, fence));
	COMMAND(3, SETHALT);
	assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	for (unsigned i = 0; i < 128; i++)
		assert_int_equal(data(&r)[i], (127 - i) * 5);
	rig_stop(&r);
}

/* With a handler, a fault enters it: the wave resumes behind the access when the page is mapped. */
static void test_fault_in_handler(void **state)
{
	struct rig r;
	struct rig_vector v;
	rig_start(&r, NULL);
	set_handler(&r, "handler_poll", RIG_DATA + 0x1000, 0);
	struct rig_launch l = {.kernel = "store",
			       .threads = {32},
			       .n_user = 4,
			       .user = {LO(RIG_SMALL_VA + 0x3000), 0, LO(RIG_DATA), HI(RIG_DATA)}};
	uint64_t fence = rig_launch(&r, &l);
	assert_true(rig_next_vector(&r, &v, WAIT_MS));
	assert_int_equal(v.source, 0);
	rig_sleep_ms(5);
	assert_false(rig_next_vector(&r, &v, 0)); /* no SQ error: it was taken */
	rig_set_pte(&r, 3, RIG_PAGE | 0x71);
	rig_invalidate(&r);
	__atomic_store_n(data(&r) + (0x1000 + 64) / 4, 1, __ATOMIC_SEQ_CST);
	assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	/* Precise: the access is made when the wave comes back. */
	assert_int_equal(*(uint32_t *)rig_ptr(&r, RIG_PAGE), 0x1234);
	assert_int_equal(data(&r)[0], 0x5678);
	rig_stop(&r);
}

static void test_single_step(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct bw_bank b = {.use_srbm = true, .vmid = 1};
	bw_device_reg_write(r.dev, &b, REG(SPI_GDBG_PER_VMID_CNTL), 1 << 1);
	rig_launch(&r, &(struct rig_launch){.kernel = "loop", .threads = {32}});
	assert_true(rig_wait_resident(&r, 1, WAIT_MS));
	uint32_t pc = LO(rig_code(&r, "loop"));
	const uint32_t want[] = {pc, pc + 4, pc + 8, pc + 4, pc + 8};
	for (unsigned i = 0; i < BW_ARRAY_SIZE(want); i++) {
		uint32_t now = 0;
		for (unsigned k = 0; k < WAIT_MS && now != want[i]; k++) {
			for (unsigned place = 0; place < 192; place++) {
				unsigned simd = place % 4, wgp = place / 4 % 4, sa = place / 16 % 2,
					 se = place / 32;
				uint32_t active = rig_sq_ind(&r, se, sa, wgp, simd, 0, 0, 0xa);
				if (active)
					now = rig_sq_ind(&r, se, sa, wgp, simd,
							 (unsigned)__builtin_ctz(active), 0, 0x108);
			}
		}
		assert_int_equal(now, want[i]);
		rig_sq_cmd(&r, 8 | BROADCAST | CHECK_VMID | VMID(1));
	}
	rig_stop(&r);
}

/* A trap that stays in its handler while the queue is reset: DEQUEUE_REQUEST 2 ends it. */
static void test_reset_queue(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	set_handler(&r, "handler_poll", RIG_DATA + 0x1000, 0);
	rig_launch(&r, &(struct rig_launch){.kernel = "trap",
					    .groups = {5000},
					    .threads = {64},
					    .n_user = 2,
					    .user = {LO(RIG_DATA), HI(RIG_DATA)}});
	assert_true(rig_wait_resident(&r, 3072, WAIT_MS));
	rig_hqd_write(&r, 1, REG(CP_HQD_DEQUEUE_REQUEST), 2);
	for (unsigned i = 0; i < WAIT_MS && rig_hqd(&r, 1, REG(CP_HQD_ACTIVE)); i++)
		rig_sleep_ms(1);
	assert_int_equal(rig_hqd(&r, 1, REG(CP_HQD_ACTIVE)), 0);
	assert_true(rig_wait_resident(&r, 0, 1));
	rig_stop(&r);
}

TESTS(test_kill, test_kill_one, test_halt, test_halt_at_once, test_halt_while_launching,
      test_fatal_fault, test_fatal_illegal, test_trap, test_trap_on_start, test_trap_enable,
      test_ttmps_without_handler, test_host_trap_all, test_trap_at_barrier, test_fault_in_handler,
      test_single_step, test_reset_queue);
