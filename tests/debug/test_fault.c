// SPDX-License-Identifier: MIT
/* src/debug/fault.c. Instruction words from llvm-mc-19, addresses by hand. */
#include "fake_session.h"
#include "debug/faults.h"
#include "debug/registers.h"
#include "debug/stop.h"

#include <string.h>

#include "base/util.h"

struct row {
	uint32_t words[2];
	bool write, scalar, atomic;
	unsigned size_b;
	uint64_t addr[2]; /* of lanes 0 and 1; lane 1 is the one that fails */
	enum bw_space space;
};

/* s[2:3] = s[4:5] = s[6:7] = FAKE_BASE + 0xfff0; v2 = lane * 16; v[2:3] for the 64-bit forms
 * likewise */
static const struct row rows[] = {
	/* global_load_b64 v[4:5], v2, s[4:5] offset:-16 */
	{{0xdc561ff0, 0x04040002},
	 false,
	 false,
	 false,
	 8,
	 {FAKE_BASE + 0xffe0, FAKE_BASE + 0xfff0},
	 BW_SPACE_GLOBAL},
	/* global_atomic_add_u32 v1, v2, s[6:7] */
	{{0xdcd60000, 0x00060201}, true, false, true, 4, {0}, BW_SPACE_GLOBAL},
	/* s_load_b64 s[4:5], s[2:3], 0x10 */
	{{0xf4040101, 0xf8000010},
	 false,
	 true,
	 false,
	 8,
	 {FAKE_BASE + 0x10000, 0},
	 BW_SPACE_GLOBAL},
	/* scratch_store_b32 off, v2, off offset:8 */
	{{0xdc690008, 0x007c0200}, true, false, false, 4, {8, 8}, BW_SPACE_PRIVATE},
};

static void start(struct fake_session *s, const struct row *r)
{
	uint32_t code[] = {r->words[0], r->words[1], 0xbfb00000};
	struct bw_stop stop;
	fake_session_create(s, code, 3);
	fake_session_start(s, 1);
	struct fake_wave *w = &s->fake->wave[0];
	uint64_t base = FAKE_BASE + 0xfff0;
	for (unsigned i = 2; i < 8; i += 2) {
		w->s[i] = (uint32_t)base;
		w->s[i + 1] = (uint32_t)(base >> 32);
	}
	for (unsigned lane = 0; lane < 32; lane++)
		w->v[2][lane] = lane * 16;
	/* the fake's executor knows none of them: an illegal instruction there, with PC on it */
	OK(bw_debug_wait(s->debug, 10, &stop));
	assert_int_equal(stop.kind, BW_STOP_WAVES);
}

static void test_decoding(void **state)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		struct fake_session s;
		struct bw_fault_info f;
		start(&s, &rows[i]);
		OK(bw_debug_fault(s.debug, 1, &f));
		assert_true(f.has_instruction);
		assert_int_equal(f.is_write, rows[i].write);
		assert_int_equal(f.is_scalar, rows[i].scalar);
		assert_int_equal(f.is_atomic, rows[i].atomic);
		assert_int_equal(f.access_size_b, rows[i].size_b);
		fake_session_end(&s);
	}
}

static void test_global_lanes(void **state)
{
	struct fake_session s;
	struct bw_fault_info f;
	/* lane 0 at +0xffe0, lane 1 at +0xfff0: 8 bytes each, both inside; lane 2 at +0x10000:
	 * outside */
	start(&s, &rows[0]);
	OK(bw_debug_fault(s.debug, 1, &f));
	assert_int_equal(f.first_lane, 2);
	assert_true(f.addr == FAKE_BASE + 0x10000);
	assert_true(f.fault_lanes == 0xfffffffc);
	assert_int_equal(f.verdict.kind, BW_VERDICT_UNMAPPED);
	/* inactive lanes do not fault */
	OK(bw_debug_reg_write(s.debug, 1, (struct bw_wave_reg){BW_REG_SPECIAL, BW_REG_EXEC, 1},
			      0x13));
	OK(bw_debug_fault(s.debug, 1, &f));
	assert_int_equal(f.first_lane, 4);
	assert_true(f.fault_lanes == 0x10);
	assert_true(f.addr == FAKE_BASE + 0x10020);
	fake_session_end(&s);
}

/* What the program has freed is told, and then nothing is near. */
static void test_freed(void **state)
{
	struct fake_session s;
	struct bw_fault_info f;
	start(&s, &rows[0]);
	/* lane 2 is the first outside of the memory: right after the range, then inside of it */
	s.fake->freed = (struct bw_target_freed){.va = FAKE_BASE + 0xf000, .size_b = 0x1000};
	OK(bw_debug_fault(s.debug, 1, &f));
	assert_int_equal(f.freed.size_b, 0);
	s.fake->freed = (struct bw_target_freed){.va = FAKE_BASE + 0xf001, .size_b = 0x1000};
	OK(bw_debug_fault(s.debug, 1, &f));
	assert_int_equal(f.freed.size_b, 0x1000);
	assert_int_equal(f.near_buffer, 0);
	assert_string_equal(f.freed_in.function, "");
	fake_session_end(&s);
}

static void test_permissions(void **state)
{
	struct fake_session s;
	struct bw_fault_info f;
	/* an atomic needs to write; the upper half of the fake's memory is read-only */
	start(&s, &rows[1]);
	OK(bw_debug_fault(s.debug, 1, &f));
	assert_int_equal(f.first_lane, 0);
	assert_int_equal(f.verdict.kind, BW_VERDICT_MAPPED);
	assert_false(f.verdict.writable);
	fake_session_end(&s);
}

static void test_scalar_and_scratch(void **state)
{
	struct fake_session s;
	struct bw_fault_info f;
	start(&s, &rows[2]);
	OK(bw_debug_fault(s.debug, 1, &f));
	assert_true(f.addr == FAKE_BASE + 0x10000);
	assert_true(f.has_addr);
	fake_session_end(&s);
	/* no scratch was asked for: any offset is beyond it */
	start(&s, &rows[3]);
	OK(bw_debug_fault(s.debug, 1, &f));
	assert_int_equal(f.space, BW_SPACE_PRIVATE);
	assert_int_equal(f.first_lane, 0);
	assert_int_equal(f.addr, 8);
	fake_session_end(&s);
}

static void test_fetch(void **state)
{
	static const uint32_t code[] = {0xbfa07fff}; /* s_branch far away */
	struct fake_session s;
	struct bw_fault_info f;
	struct bw_stop stop;
	fake_session_create(&s, code, 1);
	fake_session_start(&s, 1);
	OK(bw_debug_wait(s.debug, 10, &stop));
	assert_int_equal(stop.reasons, BW_REASON_MEMORY_VIOLATION);
	OK(bw_debug_fault(s.debug, 1, &f));
	assert_true(f.is_fetch);
	assert_true(f.addr == FAKE_BASE + 4 + 0x7fff * 4);
	assert_int_equal(f.verdict.kind, BW_VERDICT_UNMAPPED);
	fake_fails(bw_debug_fault(s.debug, 77, &f), BW_E_NOT_FOUND, "Wave 77");
	fake_session_end(&s);
}

TESTS(test_decoding, test_global_lanes, test_freed, test_permissions, test_scalar_and_scratch,
      test_fetch);
