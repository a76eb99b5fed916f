// SPDX-License-Identifier: MIT
#include "isa/written.h"

static void add_written(struct bw_written *w, bool is_vgpr, unsigned first, unsigned n)
{
	if (!is_vgpr && n > 1)
		first &= ~1u;
	if (n && w->n < BW_WRITTEN_RUNS)
		w->run[w->n++] = (struct bw_written_run){is_vgpr, (uint16_t)first, (uint16_t)n};
}

static void add_alu(struct bw_written *w, const struct bw_inst *inst, unsigned op, unsigned dst,
		    unsigned lanes)
{
	const struct bw_op_info *info = bw_isa_op_info(op);
	dst += inst->acc ? BW_WRITTEN_ACC : 0;
	for (unsigned i = 0; i < info->n_dst; i++) {
		const struct bw_operand *o = &info->dst[i];
		bool is_compare = inst->fmt == BW_FMT_VOPC || info->class == BW_CLASS_CMP;
		if (o->type == BW_OPERAND_MASK)
			add_written(w, false, is_compare ? inst->dst : inst->sdst, lanes / 32);
		else if (o->use == BW_USE_SGPR)
			add_written(w, false, inst->dst, 1);
		else if (i == 1) /* v_swap */
			add_written(w, true, inst->src[0] & 255u, 1);
		else
			add_written(w, true, dst, bw_operand_n_regs(o, lanes, true));
	}
}

void bw_written_by(const struct bw_inst *inst, unsigned lanes, struct bw_written *out)
{
	const struct bw_op_info *info = bw_isa_op_info(inst->op);
	unsigned n = info->n_dst ? bw_operand_n_regs(&info->dst[0], lanes, false) : 0;
	const unsigned acc = inst->acc ? BW_WRITTEN_ACC : 0;
	out->n = 0;
	switch ((int)inst->fmt) {
	case BW_FMT_SOP1:
	case BW_FMT_SOP2:
	case BW_FMT_SOPC:
	case BW_FMT_SOPK:
	case BW_FMT_SOPP:
	case BW_FMT_SMEM:
		add_written(out, false, inst->dst, n);
		break;
	case BW_FMT_DS:
	case BW_FMT_FLAT:
	case BW_FMT_GLOBAL:
	case BW_FMT_SCRATCH:
	case BW_FMT_LDSDIR:
		add_written(out, true, acc + inst->dst, n);
		break;
	case BW_FMT_MUBUF:
	case BW_FMT_MTBUF:
		add_written(out, true, acc + inst->vdata, n + (n && inst->tfe));
		break;
	case BW_FMT_MIMG: /* four components and the status at the most; also of atomics */
		add_written(out, true, inst->vdata, info->n_dst ? 5 : 0);
		break;
	case BW_FMT_EXP:
	case BW_FMT_ILLEGAL:
	case BW_FMT_COUNT:
		break;
	default:
		add_alu(out, inst, inst->op, inst->dst, lanes);
		if (inst->fmt == BW_FMT_VOPD)
			add_alu(out, inst, inst->op_y, inst->dst_y, lanes);
		break;
	}
	if (inst->writes & BW_IMPLICIT_VCC)
		add_written(out, false, BW_SRC_VCC_LO, lanes / 32);
	if (inst->writes & BW_IMPLICIT_EXEC)
		add_written(out, false, BW_SRC_EXEC_LO, lanes / 32);
}

bool bw_written_has(const struct bw_written *w, bool is_vgpr, unsigned reg)
{
	for (unsigned i = 0; i < w->n; i++)
		if (w->run[i].is_vgpr == is_vgpr && reg >= w->run[i].first &&
		    reg < w->run[i].first + (unsigned)w->run[i].n)
			return true;
	return false;
}
