// SPDX-License-Identifier: MIT
/* VGPRs that hold arguments of calls: addresses in scratch that code passes to functions. */
#include "debug/frames/flow.h"
#include "isa/ops.h"

#include <string.h>

#include "isa/written.h"

static const struct bw_sym unknown = {BW_SYM_UNKNOWN, 0, 0};

static bool is_move(unsigned op)
{
	return op == BW_OP_V_MOV_B32 || bw_isa_op_info(op)->same == BW_OP_V_MOV_B32;
}

/* Whether the instruction may activate lanes that were not active when a VGPR was written. Code
 * that saves registers of all lanes, and then restores EXEC, does not count. */
static bool lanes_come_back(const struct bw_inst *inst, const struct bw_written *w)
{
	switch ((int)inst->op) {
	case BW_OP_S_MOV_B32:
	case BW_OP_S_MOV_B64:
	case BW_OP_S_AND_SAVEEXEC_B32:
	case BW_OP_S_AND_SAVEEXEC_B64:
	case BW_OP_S_AND_NOT1_SAVEEXEC_B32:
	case BW_OP_S_AND_NOT1_SAVEEXEC_B64:
		return false;
	case BW_OP_S_OR_SAVEEXEC_B32:
	case BW_OP_S_OR_SAVEEXEC_B64:
	case BW_OP_S_XOR_SAVEEXEC_B32:
	case BW_OP_S_XOR_SAVEEXEC_B64:
		return inst->src[0] != BW_SRC_INT_64 + 1 /* -1 */;
	default:
		return bw_written_has(w, false, BW_SRC_EXEC_LO) ||
		       bw_written_has(w, false, BW_SRC_EXEC_HI);
	}
}

static struct bw_sym moved(const struct bw_sym_state *s, const struct bw_inst *inst, unsigned src)
{
	struct bw_inst one = *inst;
	one.src[0] = (uint16_t)src;
	unsigned vgpr = src - BW_SRC_VGPR0;
	struct bw_sym v = src < BW_SRC_VGPR0	? bw_sym_source(s, &one, 0, 0)
			  : vgpr < BW_SYM_VGPRS ? s->first_vgpr[vgpr]
						: unknown;
	return v.kind == BW_SYM_BASE || v.kind == BW_SYM_CONST || v.kind == BW_SYM_SLOT ? v
											: unknown;
}

/* The slot of "scratch_load_b64 v[3:4], off, s33 offset:144", or of such a store. */
static struct bw_sym slot_of(const struct bw_sym_state *s, const struct bw_inst *inst)
{
	if (inst->fmt != BW_FMT_SCRATCH || inst->sve || inst->saddr >= BW_SYM_SGPRS)
		return unknown;
	struct bw_sym a = inst->saddr == BW_SRC_NULL ? (struct bw_sym){BW_SYM_CONST, 0, 0}
						     : s->sgpr[inst->saddr];
	if (a.kind != BW_SYM_BASE && a.kind != BW_SYM_CONST)
		return unknown;
	return (struct bw_sym){BW_SYM_SLOT, a.kind == BW_SYM_BASE ? BW_SLOT_BASE : 0,
			       a.value + (uint32_t)inst->imm};
}

/* Forgets a slot after a store: a value that was loaded before may differ from it now. */
static void forget_slot(struct bw_sym_state *s, struct bw_sym slot, unsigned n_dwords)
{
	for (unsigned i = 0; i < BW_SYM_VGPRS; i++) {
		struct bw_sym *v = &s->first_vgpr[i];
		uint32_t d = v->value - slot.value + 7;
		if (v->kind == BW_SYM_SLOT && (v->reg & BW_SLOT_BASE) == slot.reg &&
		    d < 7 + 4 * n_dwords)
			*v = unknown;
	}
}

void bw_sym_first_vgprs(struct bw_sym_state *s, const struct bw_inst *inst, unsigned lanes)
{
	struct bw_sym x = unknown, y = unknown, slot = slot_of(s, inst);
	struct bw_written w;
	bool is_store = false;
	unsigned n = bw_sym_moved_dwords(inst->op, &is_store);
	if ((inst->fmt == BW_FMT_VOP1 || inst->fmt == BW_FMT_VOPD) && inst->dpp == BW_DPP_NONE &&
	    !inst->op_sel && !inst->clamp) {
		x = is_move(inst->op) ? moved(s, inst, inst->src[0]) : unknown;
		if (inst->fmt == BW_FMT_VOPD && is_move(inst->op_y))
			y = moved(s, inst, inst->src_y[0]);
	} else if (n && slot.kind == BW_SYM_SLOT && is_store) {
		forget_slot(s, slot, n);
	} else if ((n == 1 || n == 2) && slot.kind == BW_SYM_SLOT) {
		x = slot;
		x.reg |= n == 2 ? BW_SLOT_WIDE : 0;
	}
	bw_written_by(inst, lanes, &w);
	if (lanes_come_back(inst, &w))
		memset(s->first_vgpr, 0, sizeof(s->first_vgpr));
	for (unsigned i = 0; i < w.n; i++)
		for (unsigned k = 0; w.run[i].is_vgpr && k < w.run[i].n; k++)
			if (w.run[i].first + k < BW_SYM_VGPRS)
				s->first_vgpr[w.run[i].first + k] = unknown;
	if (x.kind != BW_SYM_UNKNOWN && inst->dst < BW_SYM_VGPRS)
		s->first_vgpr[inst->dst] = x;
	if (y.kind != BW_SYM_UNKNOWN && inst->dst_y < BW_SYM_VGPRS)
		s->first_vgpr[inst->dst_y] = y;
}
