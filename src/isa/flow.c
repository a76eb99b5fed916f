/* SPDX-License-Identifier: MIT */
#include "isa/inst.h"

enum bw_flow bw_isa_flow(const struct bw_inst *inst, uint64_t pc, uint64_t *out_target)
{
	enum bw_flow flow = bw_isa_op_info(inst->op)->flow;
	uint64_t next = pc + inst->size_b;
	bool relative =
		flow == BW_FLOW_BRANCH || flow == BW_FLOW_COND_BRANCH || flow == BW_FLOW_CALL;
	*out_target = relative ? next + (uint64_t)((int64_t)inst->imm * 4) : next;
	return flow;
}
