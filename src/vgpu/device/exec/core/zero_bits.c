/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/core/zero_bits.h"

enum { VCCZ = 251, EXECZ = 252 };

/* bw_rec.inst of such an instruction. */
struct wrapped {
	struct bw_inst inst;
	bw_handler *fn;
	enum bw_zero_bit bit;
};

enum bw_zero_bit bw_zero_bit_take(enum bw_isa_gen gen, struct bw_inst *inst)
{
	bool has[3] = {false};
	for (unsigned i = 0; i < inst->n_src; i++) {
		has[BW_ZERO_VCC] |= inst->src[i] == VCCZ;
		has[BW_ZERO_EXEC] |= inst->src[i] == EXECZ;
		has[BW_ZERO_NONE] |= inst->src[i] == BW_SRC_SCC;
	}
	if (!bw_isa_is_gfx9(gen) || has[BW_ZERO_VCC] == has[BW_ZERO_EXEC] || has[BW_ZERO_NONE] ||
	    inst->reads & BW_IMPLICIT_SCC)
		return BW_ZERO_NONE;
	for (unsigned i = 0; i < inst->n_src; i++)
		if (inst->src[i] == VCCZ || inst->src[i] == EXECZ)
			inst->src[i] = BW_SRC_SCC;
	return has[BW_ZERO_VCC] ? BW_ZERO_VCC : BW_ZERO_EXEC;
}

static BW_HANDLER(with_zero_bit)
{
	/* A copy: the instruction may make the executor forget its page. */
	const struct wrapped z = *(const struct wrapped *)(const void *)rec->inst;
	const uint32_t scc = w->scc;
	w->scc = bw_wave_s64(w, z.bit == BW_ZERO_VCC ? BW_SRC_VCC_LO : BW_SRC_EXEC_LO) == 0;
	const struct bw_rec *next = z.fn(rec, w, x, 1, vgpr);
	if (!(z.inst.writes & BW_IMPLICIT_SCC))
		w->scc = scc;
	x->left = left - 1;
	return next;
}

bw_handler *bw_zero_bit_wrap(struct bw_code_page *page, struct bw_rec *rec, enum bw_zero_bit bit)
{
	if (bit == BW_ZERO_NONE)
		return rec->fn;
	struct wrapped *z = bw_code_alloc(page, sizeof(*z));
	*z = (struct wrapped){.inst = *rec->inst, .fn = rec->fn, .bit = bit};
	rec->inst = &z->inst;
	return with_zero_bit;
}
