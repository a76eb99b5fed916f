/* SPDX-License-Identifier: MIT */
#include "isa/inst.h"

/* Opcodes that do more to the PC than to move it on. */
static enum bw_flow flow_of(enum bw_op op)
{
	static const struct {
		enum bw_op op;
		enum bw_flow flow;
	} rows[] = {
		{BW_OP_S_BRANCH, BW_FLOW_BRANCH},
		{BW_OP_S_CBRANCH_SCC0, BW_FLOW_COND_BRANCH},
		{BW_OP_S_CBRANCH_SCC1, BW_FLOW_COND_BRANCH},
		{BW_OP_S_CBRANCH_VCCZ, BW_FLOW_COND_BRANCH},
		{BW_OP_S_CBRANCH_VCCNZ, BW_FLOW_COND_BRANCH},
		{BW_OP_S_CBRANCH_EXECZ, BW_FLOW_COND_BRANCH},
		{BW_OP_S_CBRANCH_EXECNZ, BW_FLOW_COND_BRANCH},
		{BW_OP_S_CBRANCH_CDBGSYS, BW_FLOW_COND_BRANCH},
		{BW_OP_S_CBRANCH_CDBGUSER, BW_FLOW_COND_BRANCH},
		{BW_OP_S_CBRANCH_CDBGSYS_OR_USER, BW_FLOW_COND_BRANCH},
		{BW_OP_S_CBRANCH_CDBGSYS_AND_USER, BW_FLOW_COND_BRANCH},
		{BW_OP_S_SUBVECTOR_LOOP_BEGIN, BW_FLOW_COND_BRANCH},
		{BW_OP_S_SUBVECTOR_LOOP_END, BW_FLOW_COND_BRANCH},
		{BW_OP_S_CALL_B64, BW_FLOW_CALL},
		{BW_OP_S_SETPC_B64, BW_FLOW_INDIRECT},
		{BW_OP_S_SWAPPC_B64, BW_FLOW_INDIRECT},
		{BW_OP_S_RFE_B64, BW_FLOW_INDIRECT},
		{BW_OP_S_GETPC_B64, BW_FLOW_GETPC},
		{BW_OP_S_ENDPGM, BW_FLOW_END},
		{BW_OP_S_ENDPGM_SAVED, BW_FLOW_END},
		{BW_OP_S_ENDPGM_ORDERED_PS_DONE, BW_FLOW_END},
		{BW_OP_S_TRAP, BW_FLOW_TRAP},
	};
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].op == op)
			return rows[i].flow;
	return BW_FLOW_NEXT;
}

enum bw_flow bw_isa_flow(const struct bw_inst *inst, uint64_t pc, uint64_t *out_target)
{
	enum bw_flow flow = flow_of(inst->op);
	uint64_t next = pc + inst->size_b;
	bool relative =
		flow == BW_FLOW_BRANCH || flow == BW_FLOW_COND_BRANCH || flow == BW_FLOW_CALL;
	*out_target = relative ? next + (uint64_t)((int64_t)inst->imm * 4) : next;
	return flow;
}
