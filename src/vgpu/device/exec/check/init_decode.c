/* SPDX-License-Identifier: MIT */
/* Operands and results of an instruction of the ALU, found out once when it is decoded. */
#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/check/init_priv.h"

static bool is_mix(unsigned op)
{
	return op == BW_OP_V_FMA_MIX_F32 || op == BW_OP_V_FMA_MIXHI_F16 ||
	       op == BW_OP_V_FMA_MIXLO_F16;
}

static struct bw_init_operand operand(const struct bw_init_op *op, const struct bw_operand *o,
				      unsigned code, unsigned i, unsigned lanes)
{
	const struct bw_inst *in = &op->inst;
	bool is_high = in->op_sel >> (o->is_dst ? 3 : i) & 1, is_half = o->bits == 16;
	unsigned n = bw_operand_n_regs(o, lanes, i == 2);
	struct bw_init_operand out = {.code = (uint16_t)code, .n_regs = (uint8_t)n, .bits = 32};
	if (o->type == BW_OPERAND_MASK) {
		out.kind = code < BW_STRICT_SGPRS ? BW_SOURCE_MASK : BW_SOURCE_CONSTANT;
		out.reg = (uint16_t)(lanes == 64 ? code & ~1u : code);
		out.bits = 1;
		return out;
	}
	if (is_mix(in->op)) {
		is_half = in->op_sel_hi >> i & 1;
		is_high = in->op_sel >> i & 1;
	}
	if (in->sdwa && i < 2 && !o->is_dst) {
		; /* the part is taken from all of the register */
	} else if (is_half && !o->is_packed) {
		out.bits = 16;
		out.shift = is_high || o->is_high ? 16 : 0;
	} else if (n == 2) {
		out.bits = 64;
	}
	if (code >= BW_SRC_VGPR0) {
		out.kind = BW_SOURCE_VGPR;
		out.reg = (uint16_t)(code - BW_SRC_VGPR0);
	} else if (code == BW_SRC_SCC) {
		out.kind = BW_SOURCE_SCC;
	} else if (code < BW_STRICT_SGPRS && code != BW_SRC_NULL) {
		out.kind = BW_SOURCE_SGPR;
		out.reg = (uint16_t)(n == 2 ? code & ~1u : code);
	}
	return out;
}

static bool is_in_range(const struct bw_init_operand *o, const struct bw_rec_ctx *ctx)
{
	return o->kind != BW_SOURCE_VGPR || o->reg + o->n_regs <= ctx->n_vgprs;
}

static void add_source(struct bw_init_half *h, struct bw_init_operand o,
		       const struct bw_rec_ctx *ctx)
{
	if (!is_in_range(&o, ctx)) /* v0 is in its place (rule 40) */
		o.reg = 0;
	if (o.n_regs > 2 || h->n_src == BW_ARRAY_SIZE(h->src))
		h->rule = BW_UNDEF_NONE;
	else
		h->src[h->n_src++] = o;
}

static void prepare_vector(struct bw_init_op *op, struct bw_init_half *h,
			   const struct bw_rec_ctx *ctx, bool of_y)
{
	const struct bw_inst *in = &op->inst;
	const struct bw_op_info *info = bw_isa_op_info(of_y ? in->op_y : in->op);
	const uint16_t *src = of_y ? in->src_y : in->src;
	unsigned dst = of_y ? in->dst_y : in->dst, i = 0;
	*h = (struct bw_init_half){
		.rule = (uint8_t)bw_undef_rule_of(of_y ? in->op_y : in->op), .dst = -1, .mask = -1};
	h->cancels = bw_undef_cancels(of_y ? in->op_y : in->op) && src[0] == src[1] &&
		     in->dpp == BW_DPP_NONE && !(in->op_sel & 3);
	for (const struct bw_operand *o = info->src; o < info->src + info->n_src; o++) {
		if (o->is_dst && info->flags & BW_OPF_KEEPS_DST)
			continue;
		if (!o->is_dst && i >= 3)
			break;
		add_source(h,
			   operand(op, o, o->is_dst ? BW_SRC_VGPR0 + dst : src[i], i, ctx->lanes),
			   ctx);
		i += !o->is_dst;
	}
	for (unsigned k = 0; k < info->n_dst; k++) {
		const struct bw_operand *o = &info->dst[k];
		unsigned n = bw_operand_n_regs(o, ctx->lanes, true);
		if (o->type == BW_OPERAND_MASK) {
			h->mask_is_condition = info->class == BW_CLASS_CMP;
			unsigned code = h->mask_is_condition ? in->dst : in->sdst;
			h->mask = (int16_t)(ctx->lanes == 64 ? code & ~1u : code);
			if (h->mask_is_condition)
				h->bits = h->n_src ? h->src[0].bits : 32;
		} else if (o->use != BW_USE_SGPR && n <= 2 && dst + n <= ctx->n_vgprs) {
			bool is_half = o->is_high || o->is_low || (o->bits == 16 && !o->is_packed);
			h->dst = (int16_t)dst;
			h->n_dst = (uint8_t)n;
			h->dst_shift =
				is_half && (o->is_high || in->op_sel & BW_OP_SEL_DST) ? 16 : 0;
			h->bits = h->dst_bits = is_half ? 16 : (uint8_t)(32 * n);
			if (is_half && op->e.n_writes && op->e.write[0].half == BW_HALF_BOTH)
				h->dst_bits = 32; /* with zeros above it */
		} else {
			h->rule = BW_UNDEF_NONE;
		}
	}
	if (in->writes & BW_IMPLICIT_EXEC) {
		h->mask = BW_SRC_EXEC_LO;
		h->mask_is_condition = true;
		h->bits = h->n_src ? h->src[0].bits : 32;
	}
}

bool bw_init_has_exec_source(const struct bw_inst *in)
{
	return in->fmt == BW_FMT_SOP1 && in->reads & BW_IMPLICIT_EXEC &&
	       in->writes & BW_IMPLICIT_EXEC;
}

static void prepare_scalar(struct bw_init_op *op, const struct bw_rec_ctx *ctx)
{
	const struct bw_inst *in = &op->inst;
	const struct bw_op_info *info = op->info;
	struct bw_init_half *h = &op->half[0];
	bool is_k = in->fmt == BW_FMT_SOPK;
	unsigned i = 0;
	*h = (struct bw_init_half){
		.rule = (uint8_t)bw_undef_rule_of(in->op), .dst = -1, .mask = -1, .bits = 32};
	h->cancels = bw_undef_cancels(in->op) && in->n_src > 1 && in->src[0] == in->src[1];
	for (const struct bw_operand *o = info->src; o < info->src + info->n_src; o++) {
		if (o->type == BW_OPERAND_IMM || o->type == BW_OPERAND_LITERAL ||
		    o->use == BW_USE_IMM)
			continue;
		unsigned code = o->is_dst || is_k ? in->dst : i < 3 ? in->src[i] : BW_SRC_NULL;
		add_source(h, operand(op, o, code, 0, ctx->lanes), ctx);
		i += !o->is_dst || is_k;
	}
	if (is_k && h->rule != BW_UNDEF_NONE)
		add_source(h, (struct bw_init_operand){.n_regs = 1, .bits = 32, .code = UINT16_MAX},
			   ctx);
	if (bw_init_has_exec_source(in))
		add_source(h,
			   (struct bw_init_operand){.kind = BW_SOURCE_SGPR,
						    .reg = BW_SRC_EXEC_LO,
						    .n_regs = (uint8_t)(ctx->lanes / 32),
						    .bits = ctx->lanes},
			   ctx);
	if (info->n_dst) {
		h->n_dst = (uint8_t)bw_operand_n_regs(&info->dst[0], ctx->lanes, false);
		h->dst = (int16_t)(h->n_dst > 1 ? in->dst & ~1u : in->dst);
		h->bits = (uint8_t)(32 * BW_MIN(h->n_dst, 2u));
	} else if (h->n_src) {
		h->bits = h->src[0].bits;
	}
}

/* v_movrel: the registers that M0 has chosen. */
static void index_vector(struct bw_init_op *op)
{
	struct bw_init_half *h = &op->half[0];
	h->dst = op->e.n_writes ? op->e.write[0].first : -1;
	if (op->e.n_reads && h->n_src)
		h->src[0].reg = op->e.read[0].first;
}

void bw_init_prepare_alu(struct bw_init_op *op, const struct bw_rec_ctx *ctx)
{
	if (op->kind == BW_INIT_VALU) {
		op->n_halves = op->inst.fmt == BW_FMT_VOPD ? 2 : 1;
		for (unsigned i = 0; i < op->n_halves; i++)
			prepare_vector(op, &op->half[i], ctx, i == 1);
		if (op->indexed)
			index_vector(op);
	} else if (op->kind == BW_INIT_SALU) {
		op->n_halves = 1;
		prepare_scalar(op, ctx);
	}
}

/* gfx942's indexed VGPRs (core/indexed.c). M0: the index, and to which operands it applies. */
void bw_init_index_gfx9(struct bw_init_op *op, const struct bw_wave *w)
{
	enum { OF_DST = 8 };
	const uint32_t m0 = w->s[BW_SRC_M0], index = m0 & 0xff, enable = m0 >> 12 & 15;
	struct bw_init_half *h = &op->half[0];
	struct bw_effects *e = &op->e;
	e->n_reads = 0;
	for (unsigned i = 0; i < h->n_src; i++) {
		struct bw_init_operand *o = &h->src[i];
		if (o->kind != BW_SOURCE_VGPR)
			continue;
		if (enable & (op->info->src[i].is_dst ? OF_DST : 1u << i))
			o->reg = (uint16_t)(o->reg + index);
		if (o->reg + o->n_regs > w->n_vgprs)
			o->reg = 0;
		e->read[e->n_reads++] = (struct bw_vregs){.first = o->reg, .n = o->n_regs};
	}
	if (h->dst < 0 || !(enable & OF_DST))
		return;
	h->dst = (int16_t)(h->dst + index);
	e->write[0].first = (uint16_t)h->dst;
	if (h->dst + h->n_dst > w->n_vgprs) { /* nothing happens */
		h->dst = -1;
		e->n_writes = 0;
	}
}
