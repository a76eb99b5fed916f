/* SPDX-License-Identifier: MIT */
/* Dispatches through a ring, as a driver does it: grids, groups, LDS, barriers, scratch, and the
 * state that waves start with. */
#include "rig.h"

#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"

enum { WAIT_MS = 20000 };
#define LO(va) ((uint32_t)(va))
#define HI(va) ((uint32_t)((va) >> 32))

static uint32_t *data(struct rig *r)
{
	return rig_ptr(r, RIG_DATA);
}

static void check_ids(const struct bw_device_options *options, unsigned groups, unsigned threads,
		      bool wave64)
{
	struct rig r;
	rig_start(&r, options);
	struct rig_launch l = {.kernel = "ids",
			       .groups = {groups},
			       .threads = {threads},
			       .n_user = 3,
			       .user = {LO(RIG_DATA), HI(RIG_DATA), threads},
			       .wave64 = wave64};
	uint64_t fence = rig_launch(&r, &l);
	assert_true(rig_wait(&r, 1, fence, WAIT_MS));
	uint32_t n = groups * threads;
	for (uint32_t i = 0; i < n; i++)
		if (data(&r)[i] != 3 * i + 7)
			fail_msg("%u x %u: item %u has %u", groups, threads, i, data(&r)[i]);
	assert_int_equal(data(&r)[n], 0);
	struct bw_device_stats s;
	bw_device_stats(r.dev, &s);
	unsigned lanes = wave64 ? 64 : 32, waves = (threads + lanes - 1) / lanes * groups;
	assert_int_equal(s.dispatches, 1);
	assert_int_equal(s.waves_launched, waves);
	assert_int_equal(s.instructions, 7ull * waves);
	assert_int_equal(s.waves_resident, 0);
	rig_stop(&r);
}

/* Runs an IB as a driver does that has changed no page tables. */
static void run_ib(struct rig *r, uint64_t ib, uint32_t size_dw)
{
	struct bw_pm4_stream k = {0};
	bw_pm4_put_indirect_buffer(&k, ib, size_dw, r->vmid, false);
	bw_pm4_put_fence(&k, rig_mc(r, RIG_FENCES + 64), ++r->ring[1].fence, true);
	rig_submit_ring(r, 1, &k);
	bw_pm4_stream_free(&k);
	assert_true(rig_wait(r, 1, r->ring[1].fence, WAIT_MS));
}

/* Code written between two IBs is executed by the second one, also without a packet that
 * invalidates caches. */
static void test_new_code(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "ids",
			       .groups = {8},
			       .threads = {64},
			       .n_user = 3,
			       .user = {LO(RIG_DATA), HI(RIG_DATA), 64}};
	struct bw_pm4_stream s = {0};
	rig_put_launch(&r, &s, &l);
	assert_false(s.failed);
	memcpy(rig_ptr(&r, RIG_IB), s.data, s.len * 4);
	run_ib(&r, RIG_IB, (uint32_t)s.len);
	assert_int_equal(data(&r)[100], 307);
	data(&r)[100] = 0;
	*(uint32_t *)rig_ptr(&r, rig_code(&r, "ids")) = 0xbfb00000; /* s_endpgm */
	run_ib(&r, RIG_IB, (uint32_t)s.len);
	assert_int_equal(data(&r)[100], 0);
	bw_pm4_stream_free(&s);
	rig_stop(&r);
}

static void test_grids(void **state)
{
	check_ids(NULL, 1, 1, false);
	check_ids(NULL, 1, 64, false);
	check_ids(NULL, 7, 33, false);
	check_ids(NULL, 7, 100, true);
	check_ids(NULL, 3, 1024, false);
	check_ids(NULL, 5, 1024, true);
	check_ids(NULL, 4096, 32, false); /* more waves than the device holds */
	check_ids(NULL, 20000, 64, false);
	check_ids(&(struct bw_device_options){.deterministic = true}, 500, 96, false);
	check_ids(&(struct bw_device_options){.threads = 1}, 500, 96, false);
}

static void test_barrier(void **state)
{
	static const unsigned sizes[] = {64, 256, 1000, 1024};
	for (unsigned k = 0; k < 2 * BW_ARRAY_SIZE(sizes); k++) {
		struct rig r;
		unsigned n = sizes[k / 2], groups = 300;
		rig_start(&r, NULL);
		struct rig_launch l = {.kernel = "barrier",
				       .groups = {groups},
				       .threads = {n},
				       .n_user = 3,
				       .user = {LO(RIG_DATA), HI(RIG_DATA), n},
				       .lds_b = n * 4,
				       .wave64 = k % 2};
		assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
		for (unsigned g = 0; g < groups; g++)
			for (unsigned i = 0; i < n; i++)
				assert_int_equal(data(&r)[g * n + i], (g * n + n - 1 - i) * 5);
		rig_stop(&r);
	}
}

/* Compute-unit mode: a group on one half of the WGP, LDS of one side. */
static void test_cu_mode(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "barrier",
			       .groups = {200},
			       .threads = {512},
			       .n_user = 3,
			       .user = {LO(RIG_DATA), HI(RIG_DATA), 512},
			       .lds_b = 40 << 10};
	struct bw_pm4_stream s = {0};
	rig_put_launch(&r, &s, &l);
	/* the same registers without WGP_MODE (RSRC1 bit 29): the launch's second SET_SH_REG */
	for (size_t i = 0; i + 3 < s.len; i++)
		if (s.data[i + 1] == REG(COMPUTE_PGM_RSRC1) - BW_PM4_SH_BEGIN_DW &&
		    s.data[i] == 0xc0027600)
			s.data[i + 2] &= ~(1u << 29);
	assert_true(rig_wait(&r, 1, rig_submit(&r, 1, &s), WAIT_MS));
	for (unsigned i = 0; i < 200 * 512; i++)
		assert_int_equal(data(&r)[i], (i / 512 * 512 + 511 - i % 512) * 5);
	rig_stop(&r);
}

/* Partial groups (doc/hardware/dispatch.md 2.3): 8 x 4 x 2 threads, the last group of x has 5, of y
 * 4 (aligned: the full size is given), of z 1. Each item adds 1 at its place. */
static void test_partial(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "ids3",
			       .groups = {4, 4, 2},
			       .n_user = 3,
			       .user = {LO(RIG_DATA), HI(RIG_DATA), 256},
			       .threads = {8 | 5 << 16, 4 | 4 << 16, 2 | 1 << 16},
			       .rsrc2 = 1 << 8 | 1 << 9 | 2 << 11,
			       .initiator = BW_PM4_INIT_PARTIAL_TG_EN};
	assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
	for (unsigned g = 0; g < 32; g++) {
		unsigned gx = g % 4, gz = g / 16;
		unsigned nx = gx == 3 ? 5 : 8, nz = gz == 1 ? 1 : 2;
		for (unsigned i = 0; i < 256; i++) {
			unsigned x = i % 8, y = i / 8 % 8, z = i / 64;
			uint32_t want = x < nx && y < 4 && z < nz;
			assert_int_equal(data(&r)[g * 256 + i], want);
		}
	}
	rig_stop(&r);
}

/* A dword at an address that ends in 2: as addressed, or with SH_MEM_CONFIG.ALIGNMENT_MODE 0 below
 * it. */
static void test_alignment_mode(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct rig_launch l = {
		.kernel = "load",
		.threads = {1, 1, 1},
		.n_user = 4,
		.user = {LO(RIG_DATA) + 2, HI(RIG_DATA), LO(RIG_DATA) + 16, HI(RIG_DATA)}};
	struct bw_bank bank = {.use_srbm = true, .vmid = r.vmid};
	data(&r)[0] = 0x11112222;
	data(&r)[1] = 0x33334444;
	assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
	assert_int_equal(data(&r)[4], 0x44441112);
	bw_device_reg_write(r.dev, &bank, REG(SH_MEM_CONFIG), 0);
	assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
	assert_int_equal(data(&r)[4], 0x11112223);
	rig_stop(&r);
}

/* s_sendmsg_rtn: the doorbell of compute ring 1 is dword 10; dispatches count; nothing is to be
 * saved. */
static void test_messages(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "messages",
			       .threads = {1, 1, 1},
			       .n_user = 2,
			       .user = {LO(RIG_DATA), HI(RIG_DATA)}};
	for (unsigned i = 0; i < 3; i++) {
		data(&r)[2] = 1;
		assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
		assert_int_equal(data(&r)[0], 10);
		assert_int_equal(data(&r)[1], i);
		assert_int_equal(data(&r)[2], 0);
	}
	rig_stop(&r);
}

/* The same shape by USE_THREAD_DIMENSIONS: 29 x 16 x 3 threads. */
static void test_thread_dimensions(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "ids3",
			       .groups = {29, 16, 3},
			       .threads = {8, 4, 2},
			       .n_user = 3,
			       .user = {LO(RIG_DATA), HI(RIG_DATA), 256},
			       .rsrc2 = 1 << 8 | 1 << 9 | 2 << 11,
			       .initiator = BW_PM4_INIT_USE_THREAD_DIMENSIONS};
	assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
	unsigned total = 0;
	for (unsigned i = 0; i < 32 * 256; i++)
		total += data(&r)[i];
	assert_int_equal(total, 29 * 16 * 3);
	rig_stop(&r);
}

/* START gives the first group, and the packet's dimensions are then ends. */
static void test_start(void **state)
{
	struct rig r;
	struct bw_pm4_stream s = {0};
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "ids",
			       .groups = {10},
			       .threads = {32},
			       .n_user = 3,
			       .user = {LO(RIG_DATA), HI(RIG_DATA), 32}};
	rig_put_launch(&r, &s, &l);
	uint32_t start = 4;
	struct bw_pm4_stream t = {0};
	/* before the dispatch packet, which is the last five dwords */
	for (size_t i = 0; i < s.len - 5; i++)
		bw_pm4_put(&t, s.data[i]);
	bw_pm4_put_sh(&t, REG(COMPUTE_START_X), &start, 1);
	for (size_t i = s.len - 5; i < s.len; i++)
		bw_pm4_put(&t, s.data[i]);
	assert_true(rig_wait(&r, 1, rig_submit(&r, 1, &t), WAIT_MS));
	for (unsigned i = 0; i < 10 * 32; i++)
		assert_int_equal(data(&r)[i], i < 4 * 32 ? 0 : 3 * i + 7);
	bw_pm4_stream_free(&s);
	rig_stop(&r);
}

static void test_indirect(void **state)
{
	struct rig r;
	struct bw_pm4_stream s = {0};
	rig_start(&r, NULL);
	struct rig_launch l = {.kernel = "ids",
			       .threads = {64},
			       .n_user = 3,
			       .user = {LO(RIG_DATA), HI(RIG_DATA), 64}};
	rig_put_launch(&r, &s, &l);
	s.len -= 5;
	const uint32_t dim[3] = {9, 1, 1};
	memcpy(rig_ptr(&r, RIG_DATA + 0x100000), dim, sizeof(dim));
	BW_PM4_BUILD(&s, dispatch_indirect_at, .address = RIG_DATA + 0x100000,
		     .initiator = BW_PM4_INIT_ENABLE | BW_PM4_INIT_CS_W32_EN);
	assert_true(rig_wait(&r, 1, rig_submit(&r, 1, &s), WAIT_MS));
	for (unsigned i = 0; i < 9 * 64 + 1; i++)
		assert_int_equal(data(&r)[i], i < 9 * 64 ? 3 * i + 7 : 0);
	rig_stop(&r);
}

/* Scratch: 6 engines of 64 slots, 1 KiB a wave; more waves than slots, none may see another's. */
static void test_scratch(void **state)
{
	for (unsigned wave64 = 0; wave64 < 2; wave64++) {
		struct rig r;
		rig_start(&r, NULL);
		struct rig_launch l = {.kernel = "scratch",
				       .groups = {2000},
				       .threads = {128},
				       .n_user = 3,
				       .user = {LO(RIG_DATA), HI(RIG_DATA), 128},
				       .tmpring = 64 | 4 << 12,
				       .scratch = RIG_DATA + 0x1000000,
				       .wave64 = wave64};
		assert_true(rig_wait(&r, 1, rig_launch(&r, &l), WAIT_MS));
		for (unsigned i = 0; i < 2000 * 128; i++)
			assert_int_equal(data(&r)[i], i);
		/* nothing behind the ring's end */
		const uint8_t *end = rig_ptr(&r, RIG_DATA + 0x1000000 + 6 * 64 * 1024);
		for (unsigned i = 0; i < 65536; i++)
			assert_int_equal(end[i], 0);
		rig_stop(&r);
	}
}

/* Dispatches that can never run are errors, not hangs. */
static void test_impossible(void **state)
{
	static const struct {
		const char *text;
		struct rig_launch l;
		/* clang-format off */
	} cases[] = {
		{"more than 1024", {.kernel = "ids", .threads = {1025}}},
		{"more than 1024", {.kernel = "ids", .threads = {0xffff, 0xffff, 0xffff}}},
		{"LDS_SIZE", {.kernel = "ids", .lds_b = 65 << 10}},
		{"registers", {.kernel = "ids", .threads = {1024}, .vgprs = 256}},
		{"TMPRING", {.kernel = "ids", .threads = {1024}, .tmpring = 16 | 1 << 12}},
		{"partial", {.kernel = "ids", .threads = {8 | 9 << 16}, .initiator = BW_PM4_INIT_PARTIAL_TG_EN}},
	};
	/* clang-format on */
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct rig r;
		struct rig_vector v;
		char why[160];
		rig_start(&r, NULL);
		rig_launch(&r, &cases[i].l);
		assert_true(rig_next_vector(&r, &v, WAIT_MS));
		assert_int_equal(v.source, 183);
		assert_true(bw_device_queue_error(r.dev, 1, 0, 0, why, sizeof(why)));
		if (!strstr(why, cases[i].text))
			fail_msg("\"%s\" does not say \"%s\"", why, cases[i].text);
		rig_stop(&r);
	}
	/* Zero groups are nothing to do. */
	struct rig r;
	struct bw_pm4_stream s = {0};
	rig_start(&r, NULL);
	rig_put_launch(&r, &s, &(struct rig_launch){.kernel = "ids"});
	s.data[s.len - 3] = 0;
	assert_true(rig_wait(&r, 1, rig_submit(&r, 1, &s), WAIT_MS));
	rig_stop(&r);
}

/* Waves launched halted (SPI_GDBG LAUNCH_MODE 1) show the state they start with. Values worked out
 * by hand from doc/hardware/dispatch.md 3 and doc/rules.md 314 to 330. */
static void test_initial_state(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	struct bw_bank vmid1 = {.use_srbm = true, .vmid = 1};
	bw_device_reg_write(r.dev, &vmid1, REG(SPI_GDBG_PER_VMID_CNTL), 1 << 1);
	/* 3 groups of 10 x 7 = 70 threads: waves of 32, 32 and 6; ids X and Y, TG_SIZE, two
	 * components */
	struct rig_launch l = {.kernel = "loop",
			       .groups = {1, 3},
			       .threads = {10, 7},
			       .n_user = 5,
			       .user = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5},
			       .vgprs = 96,
			       .rsrc1 = 1 << 21 | 1 << 23,
			       .rsrc2 = 1 << 8 | 1 << 10 | 1 << 11 | 2 << 24 | 1 << 13,
			       .lds_b = 3000,
			       .tmpring = 100 | 3 << 12,
			       .scratch = 0x10000000000};
	rig_launch(&r, &l);
	assert_true(rig_wait_resident(&r, 9, WAIT_MS));
	unsigned seen = 0, busy = 0;
	for (unsigned place = 0; place < 6 * 2 * 4 * 4; place++) {
		unsigned simd = place % 4, wgp = place / 4 % 4, sa = place / 16 % 2,
			 se = place / 32;
#define IND(wave, lane, index) rig_sq_ind(&r, se, sa, wgp, simd, wave, lane, index)
		uint32_t active = IND(0, 0, 0xa);
		assert_int_equal(IND(0, 0, 8) & 1, active != 0);
		assert_int_equal(IND(0, 0, 0xb), active); /* all idle */
		busy += active != 0;
		for (unsigned w = 0; w < 16; w++) {
			if (!(active >> w & 1)) {
				assert_int_equal(IND(w, 0, 0x102) >> 16 & 1, 0);
				continue;
			}
			seen++;
			for (unsigned i = 0; i < 5; i++)
				assert_int_equal(IND(w, 0, 0x200 + i), 0xa0 + i);
			uint32_t x = IND(w, 0, 0x205), y = IND(w, 0, 0x206), tg = IND(w, 0, 0x207);
			assert_int_equal(x, 0);
			assert_true(y < 3);
			uint32_t in_group = tg >> 20 & 0x1f;
			assert_int_equal(tg, (in_group == 0 ? 1u << 31 : 0) | in_group << 20 |
						     in_group << 6 | 3);
			assert_int_equal(IND(w, 0, 0x27e),
					 in_group == 2 ? 0x3f : ~0u); /* EXEC_LO */
			assert_int_equal(IND(w, 0, 0x27f), 0);
			for (unsigned lane = 0; lane < 32; lane++) {
				uint32_t t = in_group * 32 + lane, want = t % 10 | t / 10 << 10;
				assert_int_equal(IND(w, lane, 0x400), t < 70 ? want : 0);
			}
			uint64_t pc = IND(w, 0, 0x108) | (uint64_t)IND(w, 0, 0x109) << 32;
			assert_int_equal(pc, rig_code(&r, "loop"));
			/* FLOAT_MODE 0xc0, DX10_CLAMP, IEEE; EXCP_EN: divide by zero (1), watch (7)
			 */
			assert_int_equal(IND(w, 0, 0x101),
					 0xc0 | 1 << 8 | 1 << 9 | (2 | 1 << 7) << 12);
			/* VALID, IN_TG, HALT, SCRATCH_EN; no handler: TRAP_EN 0 */
			uint32_t status = IND(w, 0, 0x102);
			assert_int_equal(
				status & (1 << 16 | 1 << 11 | 1 << 13 | 1 << 29 | 1 << 6 | 1 << 5),
				1 << 16 | 1 << 11 | 1 << 13 | 1 << 29);
			assert_int_equal(IND(w, 0, 0x117),
					 w | simd << 8 | wgp << 10 | sa << 16 | se << 18);
			uint32_t id2 = IND(w, 0, 0x118);
			assert_int_equal(id2 >> 24, 1);	   /* VM_ID */
			assert_int_equal(id2 >> 8 & 3, 1); /* ME 1 */
			assert_int_equal(id2 & 0x3f, 0);   /* pipe 0, queue 0 */
			assert_int_equal(IND(w, 0, 0x105) >> 12 & 0xff, 96 / 4 - 1);
			assert_int_equal(IND(w, 0, 0x106) >> 12 & 0x1ff, 3072 / 256);
			uint64_t flat = IND(w, 0, 0x114) | (uint64_t)IND(w, 0, 0x115) << 32;
			uint64_t slot = (flat - 0x10000000000) / 768;
			assert_int_equal((flat - 0x10000000000) % 768, 0);
			assert_int_equal(slot / 100, se);
		}
	}
	assert_int_equal(seen, 9);
	assert_true(busy >= 9 / 4);
	rig_sq_cmd(&r, 3 | 1 << 4 | 1 << 7 | 1u << 28);
	assert_true(rig_wait(&r, 1, 1, WAIT_MS));
	rig_stop(&r);
}

/* Dispatches of different queues, at the same time. */
static void test_queues_together(void **state)
{
	struct rig r;
	rig_start(&r, NULL);
	uint64_t fence[5];
	for (unsigned q = 0; q < 5; q++) {
		struct bw_pm4_stream s = {0};
		uint64_t out = RIG_DATA + q * 0x100000;
		for (unsigned k = 0; k < 3; k++) {
			struct rig_launch l = {.kernel = "ids",
					       .groups = {500},
					       .threads = {64},
					       .n_user = 3,
					       .user = {LO(out + k * 0x40000), HI(out), 64}};
			rig_put_launch(&r, &s, &l);
			if (k == 1)
				bw_pm4_put_event(&s, BW_PM4_EVENT_CS_PARTIAL_FLUSH, 4);
		}
		fence[q] = rig_submit(&r, q, &s);
	}
	for (unsigned q = 0; q < 5; q++)
		assert_true(rig_wait(&r, q, fence[q], WAIT_MS));
	for (unsigned q = 0; q < 15; q++)
		for (unsigned i = 0; i < 500 * 64; i++)
			assert_int_equal(data(&r)[q / 3 * 0x40000 + q % 3 * 0x10000 + i],
					 3 * i + 7);
	rig_stop(&r);
}

TESTS(test_grids, test_new_code, test_barrier, test_cu_mode, test_partial, test_alignment_mode,
      test_messages, test_thread_dimensions, test_start, test_indirect, test_scratch,
      test_impossible, test_initial_state, test_queues_together);
