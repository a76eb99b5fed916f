/* SPDX-License-Identifier: MIT */
#include "isa/inst.h"
#include "isa/ops.h"

#include <string.h>

#include "../suite.h"
#include "base/util.h"

/* Targets: the address of the next instruction + 4 x SIMM16 (doc/hardware/encodings.md 2). */
static void rows(void **state)
{
	static const struct {
		const char *name;
		uint32_t w[2];
		enum bw_flow flow;
		uint64_t pc, target;
	} rows[] = {
		{"s_branch", {0xbfa00000}, BW_FLOW_BRANCH, 0x1000, 0x1004},
		{"s_branch", {0xbfa0ffff}, BW_FLOW_BRANCH, 0x1000, 0x1000},
		{"s_branch", {0xbfa08000}, BW_FLOW_BRANCH, 0x7f0000020000, 0x7f0000000004},
		{"s_branch", {0xbfa07fff}, BW_FLOW_BRANCH, 0x1000, 0x21000},
		{"s_branch", {0xbfa0fffe}, BW_FLOW_BRANCH, 0, UINT64_MAX - 3},
		{"s_cbranch_scc0", {0xbfa10002}, BW_FLOW_COND_BRANCH, 0x1000, 0x100c},
		{"s_cbranch_scc1", {0xbfa20002}, BW_FLOW_COND_BRANCH, 0x1000, 0x100c},
		{"s_cbranch_vccz", {0xbfa3fffe}, BW_FLOW_COND_BRANCH, 0x1000, 0xffc},
		{"s_cbranch_vccnz", {0xbfa40001}, BW_FLOW_COND_BRANCH, 0x1000, 0x1008},
		{"s_cbranch_execz", {0xbfa50001}, BW_FLOW_COND_BRANCH, 0x1000, 0x1008},
		{"s_cbranch_execnz", {0xbfa60001}, BW_FLOW_COND_BRANCH, 0x1000, 0x1008},
		{"s_cbranch_cdbgsys", {0xbfa70001}, BW_FLOW_COND_BRANCH, 0x1000, 0x1008},
		{"s_cbranch_cdbguser", {0xbfa80001}, BW_FLOW_COND_BRANCH, 0x1000, 0x1008},
		{"s_cbranch_cdbgsys_or_user", {0xbfa90001}, BW_FLOW_COND_BRANCH, 0x1000, 0x1008},
		{"s_cbranch_cdbgsys_and_user", {0xbfaa0001}, BW_FLOW_COND_BRANCH, 0x1000, 0x1008},
		{"s_subvector_loop_begin", {0xbb040004}, BW_FLOW_COND_BRANCH, 0x1000, 0x1014},
		{"s_subvector_loop_end", {0xbb84fffc}, BW_FLOW_COND_BRANCH, 0x1000, 0xff4},
		{"s_call_b64", {0xba040010}, BW_FLOW_CALL, 0x1000, 0x1044},
		{"s_setpc_b64", {0xbe804802}, BW_FLOW_INDIRECT, 0x1000, 0x1004},
		{"s_swappc_b64", {0xbe844902}, BW_FLOW_INDIRECT, 0x1000, 0x1004},
		{"s_rfe_b64", {0xbe804a02}, BW_FLOW_INDIRECT, 0x1000, 0x1004},
		{"s_getpc_b64", {0xbe844700}, BW_FLOW_GETPC, 0x1000, 0x1004},
		{"s_endpgm", {0xbfb00000}, BW_FLOW_END, 0x1000, 0x1004},
		{"s_endpgm_saved", {0xbfb10000}, BW_FLOW_END, 0x1000, 0x1004},
		{"s_endpgm_ordered_ps_done", {0xbfb20000}, BW_FLOW_END, 0x1000, 0x1004},
		{"s_trap", {0xbf90007f}, BW_FLOW_TRAP, 0x1000, 0x1004},
		{"s_nop", {0xbf800000}, BW_FLOW_NEXT, 0x1000, 0x1004},
		{"s_mov_b32", {0xbe8000ff, 1}, BW_FLOW_NEXT, 0x1000, 0x1008},
		{"s_barrier", {0xbfbd0000}, BW_FLOW_NEXT, 0x1000, 0x1004},
	};
	for (unsigned i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		struct bw_inst in;
		assert_true(bw_isa_decode(BW_ISA_GFX11, rows[i].w, 2, &in));
		assert_string_equal(bw_isa_op_info(in.op)->name, rows[i].name);
		uint64_t target = 0;
		assert_int_equal(bw_isa_flow(&in, rows[i].pc, &target), rows[i].flow);
		if (target != rows[i].target)
			fail_msg("%s: %#llx", rows[i].name, (unsigned long long)target);
	}
}

/* What the tables say writes the PC, and nothing else, has a flow of its own. */
static void flow_agrees_with_the_tables(void **state)
{
	for (unsigned op = 1; op < BW_OP_COUNT; op++) {
		struct bw_inst in = {.op = op, .size_b = 4};
		const struct bw_op_info *info = bw_isa_op_info(op);
		uint64_t target;
		enum bw_flow flow = bw_isa_flow(&in, 0, &target);
		bool goes = flow != BW_FLOW_NEXT && flow != BW_FLOW_END && flow != BW_FLOW_GETPC;
		struct bw_op_encoding e;
		enum bw_isa_gen gen = BW_ISA_GFX11;
		while (!bw_isa_has_op(gen, op) && gen + 1 < BW_ISA_GEN_COUNT)
			gen++;
		assert_true(bw_isa_op_encodings(gen, op, &e, 1) >= 1);
		if (goes != !!(e.writes & BW_IMPLICIT_PC))
			fail_msg("%s writes %#x", info->name, e.writes);
	}
}

TESTS(rows, flow_agrees_with_the_tables);
