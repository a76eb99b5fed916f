/* SPDX-License-Identifier: MIT */
/* The packets of a submission in the order of execution: calls, chains, loops of them, padding,
 * words that are no packet, SDMA; and what making one a NOP leaves (nvd.h of Linux 6.12, PACKET3;
 * sdma_v6_0_0_pkt_open.h). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "pm4/build.h"
#include "pm4/sdma_build.h"
#include "pm4/walk.h"

struct memory {
	struct {
		uint64_t va;
		struct bw_pm4_stream s;
	} at[4];
};

static bool read_words(void *cookie, uint64_t va, uint32_t *out, size_t n)
{
	const struct memory *m = cookie;
	for (size_t i = 0; i < BW_ARRAY_SIZE(m->at); i++) {
		if (m->at[i].va != va || n > m->at[i].s.len)
			continue;
		memcpy(out, m->at[i].s.data, n * 4);
		return true;
	}
	return false;
}

static void free_memory(struct memory *m)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(m->at); i++)
		bw_pm4_stream_free(&m->at[i].s);
}

static uint32_t walk(struct memory *m, bool is_sdma, struct bw_pm4_steps *out)
{
	const struct bw_pm4_walk_stream first = {m->at[0].va, m->at[0].s.len, is_sdma};
	const struct bw_pm4_walk w = {&first, 1, read_words, m};
	uint32_t n_unseen = 99;
	struct bw_error *err = bw_pm4_walk(&w, out, &n_unseen);
	assert_null(err);
	return n_unseen;
}

static void check_step(const struct bw_pm4_step *s, uint64_t va, const char *name, unsigned depth)
{
	char buf[32];
	assert_string_equal(bw_pm4_step_name(s, buf), name);
	assert_int_equal(s->va, va);
	assert_int_equal(s->depth, depth);
}

static const uint32_t one[3] = {1, 1, 1}, value = 7;

static void test_order(void **state)
{
	struct memory m = {{{0x1000, {0}}, {0x2000, {0}}, {0x3000, {0}}}};
	struct bw_pm4_steps steps = {0};
	(void)state;
	bw_pm4_put_nop(&m.at[0].s, 3);
	bw_pm4_put_write_mem(&m.at[0].s, 0x9000, &value, 1);	     /* 3: 5 dwords */
	bw_pm4_put_indirect_buffer(&m.at[0].s, 0x2000, 9, 0, false); /* 8 */
	bw_pm4_put_indirect_buffer(&m.at[0].s, 0x2000, 9, 0, false); /* 12: called again */
	bw_pm4_put_dispatch(&m.at[0].s, one, 1);		     /* 16 */
	bw_pm4_put_indirect_buffer(&m.at[0].s, 0x3000, 5, 0, true);  /* 21 */
	bw_pm4_put_write_mem(&m.at[1].s, 0x9000, &value, 1);
	bw_pm4_put_indirect_buffer(&m.at[1].s, 0x2000, 9, 0, false); /* itself */
	bw_pm4_put_wait_mem(&m.at[2].s, 0x9000, 3, 7, ~0u);	     /* 7 dwords, of which 5 */
	assert_int_equal(walk(&m, false, &steps), 0);
	assert_int_equal(steps.len, 8);
	check_step(&steps.data[0], 0x100c, "WRITE_DATA", 0);
	check_step(&steps.data[1], 0x1020, "INDIRECT_BUFFER", 0);
	check_step(&steps.data[2], 0x2000, "WRITE_DATA", 1);
	check_step(&steps.data[3], 0x2014, "INDIRECT_BUFFER", 1);
	check_step(&steps.data[4], 0x1030, "INDIRECT_BUFFER", 0);
	check_step(&steps.data[5], 0x1040, "DISPATCH_DIRECT", 0);
	assert_true(steps.data[5].is_work);
	assert_false(steps.data[4].is_work);
	check_step(&steps.data[6], 0x1054, "INDIRECT_BUFFER", 0);
	/* the chained stream is cut: that is no packet, to its end */
	check_step(&steps.data[7], 0x3000, "no packet", 0);
	assert_true(steps.data[7].is_bad);
	assert_int_equal(steps.data[7].size_dw, 5);
	assert_int_equal(steps.data[7].stream_va, 0x3000);
	bw_vec_free(&steps);
	free_memory(&m);
}

/* A stream that chains itself for ever, one that is not there, and a word of 0xdeadbeef. */
static void test_hostile(void **state)
{
	struct memory m = {{{0x1000, {0}}}};
	struct bw_pm4_steps steps = {0};
	(void)state;
	bw_pm4_put_indirect_buffer(&m.at[0].s, 0x7000, 4, 0, false);
	bw_pm4_put(&m.at[0].s, 0xdeadbeef);
	assert_int_equal(walk(&m, false, &steps), 1);
	assert_int_equal(steps.len, 2);
	check_step(&steps.data[1], 0x1010, "no packet", 0);
	bw_vec_free(&steps);
	bw_pm4_stream_free(&m.at[0].s);
	bw_pm4_put_indirect_buffer(&m.at[0].s, 0x1000, 4, 0, true);
	assert_int_equal(walk(&m, false, &steps), 0);
	assert_int_equal(steps.len, 1);
	bw_vec_free(&steps);
	free_memory(&m);
}

static void test_sdma(void **state)
{
	struct memory m = {{{0x1000, {0}}, {0x2000, {0}}}};
	struct bw_pm4_steps steps = {0};
	(void)state;
	bw_sdma_put_nops(&m.at[0].s, 2);
	bw_sdma_put_indirect(&m.at[0].s, 0x2000, 4, 0);
	bw_sdma_put_trap(&m.at[0].s);
	bw_sdma_put_fence(&m.at[1].s, 0x9000, 5);
	assert_int_equal(walk(&m, true, &steps), 0);
	assert_int_equal(steps.len, 3);
	check_step(&steps.data[0], 0x1008, "INDIRECT", 0);
	check_step(&steps.data[1], 0x2000, "FENCE", 1);
	check_step(&steps.data[2], 0x1020, "TRAP", 0);
	/* zero is SDMA's NOP */
	for (uint32_t i = 0; i < steps.data[1].size_dw; i++)
		assert_int_equal(bw_pm4_step_nop(&steps.data[1], i, 0x1234), 0);
	bw_vec_free(&steps);
	free_memory(&m);
}

static void test_nop(void **state)
{
	const struct bw_pm4_step write = {.header = 0xc0033700, .size_dw = 5},
				 bad = {.header = 0xdeadbeef, .size_dw = 3, .is_bad = true};
	(void)state;
	assert_int_equal(bw_pm4_step_changed(&write), 1);
	assert_int_equal(bw_pm4_step_changed(&bad), 3);
	assert_int_equal(bw_pm4_step_nop(&write, 0, 0xc0033700), 0xc0031000);
	assert_int_equal(bw_pm4_step_nop(&write, 1, 0x1234), 0x1234);
	assert_int_equal(bw_pm4_step_nop(&bad, 0, 0xdeadbeef), 0xffff1000);
	assert_int_equal(bw_pm4_step_nop(&bad, 2, 5), 0xffff1000);
}

TESTS(test_order, test_hostile, test_sdma, test_nop);
