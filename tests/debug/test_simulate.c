// SPDX-License-Identifier: MIT
/* src/debug/stepping/simulate.c. Instruction words as LLVM 19 assembles them; effects as the RDNA3
 * ISA manual describes them. */
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "debug/stepping/simulate.h"
#include "isa/ops.h"

#define PC 0x7f0000001000ull

static struct bw_sim_regs regs(unsigned lanes)
{
	return (struct bw_sim_regs){.pc = PC, .exec = 0xf, .lanes = (uint8_t)lanes};
}

static enum bw_sim_result run(uint32_t word, struct bw_sim_regs *r)
{
	struct bw_inst inst;
	assert_true(bw_isa_decode(BW_ISA_GFX11, &word, 1, &inst));
	return bw_simulate(&inst, r);
}

enum { SCC = 1, CDBG_USER = 2, CDBG_SYS = 4 };

static void test_conditional_branches(void **state)
{
	static const struct {
		uint32_t word, status;
		uint64_t exec, vcc;
		uint8_t lanes;
		bool taken;
	} rows[] = {
		{0xbfa00000, 0, 1, 1, 32, true}, /* s_branch */
		{0xbfa10000, 0, 1, 1, 32, true},
		{0xbfa10000, SCC, 1, 1, 32, false},
		{0xbfa20000, SCC, 1, 1, 32, true},
		{0xbfa20000, 0, 1, 1, 32, false},
		{0xbfa30000, 0, 1, 0, 32, true},
		{0xbfa30000, 0, 1, 8, 32, false},
		/* VCC_HI does not count in wave32 */
		{0xbfa30000, 0, 1, 1ull << 40, 32, true},
		{0xbfa30000, 0, 1, 1ull << 40, 64, false},
		{0xbfa40000, 0, 1, 4, 32, true},
		{0xbfa40000, 0, 1, 0, 64, false},
		{0xbfa40000, 0, 1, 1ull << 63, 64, true},
		{0xbfa50000, 0, 0, 1, 32, true},
		{0xbfa50000, 0, 1, 1, 32, false},
		{0xbfa50000, 0, 1ull << 32, 1, 32, true},
		{0xbfa50000, 0, 1ull << 32, 1, 64, false},
		{0xbfa60000, 0, 1, 1, 32, true},
		{0xbfa60000, 0, 0, 1, 64, false},
		{0xbfa70000, CDBG_SYS, 1, 1, 32, true},
		{0xbfa70000, CDBG_USER, 1, 1, 32, false},
		{0xbfa80000, CDBG_USER, 1, 1, 32, true},
		{0xbfa80000, CDBG_SYS, 1, 1, 32, false},
		{0xbfa90000, CDBG_USER, 1, 1, 32, true},
		{0xbfa90000, 0, 1, 1, 32, false},
		{0xbfaa0000, CDBG_USER | CDBG_SYS, 1, 1, 32, true},
		{0xbfaa0000, CDBG_SYS, 1, 1, 32, false},
	};
	static const int16_t offsets[] = {0, 1, 100, -1, -100, 32767, -32768};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		for (size_t k = 0; k < BW_ARRAY_SIZE(offsets); k++) {
			struct bw_sim_regs r = regs(rows[i].lanes), before;
			r.scc = rows[i].status & SCC;
			r.cond_dbg_user = rows[i].status & CDBG_USER;
			r.cond_dbg_sys = rows[i].status & CDBG_SYS;
			r.exec = rows[i].exec;
			r.s[106] = (uint32_t)rows[i].vcc;
			r.s[107] = (uint32_t)(rows[i].vcc >> 32);
			before = r;
			assert_int_equal(run(rows[i].word | (uint16_t)offsets[k], &r), BW_SIM_DONE);
			before.pc = rows[i].taken ? PC + 4 + (uint64_t)(offsets[k] * 4ll) : PC + 4;
			assert_memory_equal(&r, &before, sizeof(r));
		}
	}
}

static void test_calls_and_jumps(void **state)
{
	/* s_call_b64 s[4:5], 16 */
	struct bw_sim_regs r = regs(32);
	assert_int_equal(run(0xba040010, &r), BW_SIM_DONE);
	assert_true(r.pc == PC + 4 + 64);
	assert_true((r.s[4] | (uint64_t)r.s[5] << 32) == PC + 4);

	/* s_getpc_b64 s[4:5] */
	r = regs(64);
	assert_int_equal(run(0xbe844700, &r), BW_SIM_DONE);
	assert_true(r.pc == PC + 4);
	assert_true((r.s[4] | (uint64_t)r.s[5] << 32) == PC + 4);

	/* the same in the upper half of the address space: 48 bits */
	r = regs(64);
	r.pc = 0xffff800100000000ull;
	assert_int_equal(run(0xbe844700, &r), BW_SIM_DONE);
	assert_true(r.pc == 0xffff800100000004ull);
	assert_int_equal(r.s[4], 4);
	assert_int_equal(r.s[5], 0x8001);

	/* s_setpc_b64 s[2:3] */
	r = regs(32);
	r.s[2] = 0x00002000;
	r.s[3] = 0x7f00;
	assert_int_equal(run(0xbe804802, &r), BW_SIM_DONE);
	assert_true(r.pc == 0x7f0000002000ull);

	/* s_swappc_b64 s[4:5], s[2:3] */
	r = regs(32);
	r.s[2] = 0x00002000;
	r.s[3] = 0x7f00;
	assert_int_equal(run(0xbe844902, &r), BW_SIM_DONE);
	assert_true(r.pc == 0x7f0000002000ull);
	assert_true((r.s[4] | (uint64_t)r.s[5] << 32) == PC + 4);

	/* s_swappc_b64 s[2:3], s[2:3]: the target is read before the link is written */
	r = regs(32);
	r.s[2] = 0x00002000;
	r.s[3] = 0x7f00;
	assert_int_equal(run(0xbe824902, &r), BW_SIM_DONE);
	assert_true(r.pc == 0x7f0000002000ull);
	assert_true((r.s[2] | (uint64_t)r.s[3] << 32) == PC + 4);

	/* s_setpc_b64 vcc; the low two bits are no part of an address */
	r = regs(32);
	r.s[106] = 0x4003;
	assert_int_equal(run(0xbe80486a, &r), BW_SIM_DONE);
	assert_true(r.pc == 0x4000);
}

static void test_not_simulated(void **state)
{
	struct bw_sim_regs r = regs(32), before = r;
	assert_int_equal(run(0xbf800000, &r), BW_SIM_DISPLACE); /* s_nop */
	assert_int_equal(run(0xbfb00000, &r), BW_SIM_DISPLACE); /* s_endpgm */
	assert_int_equal(run(0xbfbd0000, &r), BW_SIM_DISPLACE); /* s_barrier */
	assert_int_equal(run(0xbf900003, &r), BW_SIM_TRAP);
	assert_int_equal(run(0xbe804a02, &r), BW_SIM_UNSUPPORTED); /* s_rfe_b64 s[2:3] */
	assert_memory_equal(&r, &before, sizeof(r));
}

/* Every instruction with a flow of its own is simulated or refused: none runs from a copy. */
static void test_all_flows(void **state)
{
	for (unsigned op = 1; op < BW_OP_COUNT; op++) {
		enum bw_flow flow = bw_isa_op_info(op)->flow;
		struct bw_inst inst = {.op = op, .size_b = 4};
		struct bw_sim_regs r = regs(64);
		enum bw_sim_result is = bw_simulate(&inst, &r);
		if (flow == BW_FLOW_NEXT || flow == BW_FLOW_END)
			assert_int_equal(is, BW_SIM_DISPLACE);
		else if (flow == BW_FLOW_TRAP)
			assert_int_equal(is, BW_SIM_TRAP);
		else if (flow == BW_FLOW_STACK ||
			 strncmp(bw_isa_op_info(op)->name, "s_rfe_", 6) == 0)
			assert_int_equal(is, BW_SIM_UNSUPPORTED);
		else if (is != BW_SIM_DONE)
			fail_msg("%s is not simulated", bw_isa_op_info(op)->name);
	}
}

/* A loop that counts how often each half of EXEC was seen alone. */
static void test_subvector_loop(void **state)
{
	static const struct {
		uint64_t exec;
		unsigned low, high;
	} rows[] = {{0xff000000ffull, 1, 1}, {0xffull, 1, 0}, {0xff00000000ull, 0, 1}, {0, 0, 0}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		/* PC: begin s4, +1 (to PC + 8); PC + 4: end s4, -1 (back to PC + 4) */
		struct bw_sim_regs r = regs(64);
		unsigned low = 0, high = 0;
		r.exec = rows[i].exec;
		assert_int_equal(run(0xbb040001, &r), BW_SIM_DONE);
		while (r.pc == PC + 4) {
			assert_true((uint32_t)r.exec == 0 || r.exec >> 32 == 0);
			low += (uint32_t)r.exec != 0;
			high += r.exec >> 32 != 0;
			assert_true(low + high <= 2);
			assert_int_equal(run(0xbb84ffff, &r), BW_SIM_DONE);
		}
		assert_true(r.pc == PC + 8);
		assert_int_equal(low, rows[i].low);
		assert_int_equal(high, rows[i].high);
		assert_true(r.exec == rows[i].exec);
	}
	struct bw_sim_regs r = regs(32), before = r;
	assert_int_equal(run(0xbb040001, &r), BW_SIM_DONE);
	before.pc = PC + 4;
	assert_memory_equal(&r, &before, sizeof(r));
}

TESTS(test_conditional_branches, test_calls_and_jumps, test_not_simulated, test_all_flows,
      test_subvector_loop);
