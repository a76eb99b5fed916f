/* SPDX-License-Identifier: MIT */
/* The registers that an instruction reads and writes, from the operand types of data/isa. */
#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/memory/img.h"
#include "vgpu/device/exec/strict/strict_priv.h"

struct build {
	const struct bw_inst *in;
	const struct bw_rec_ctx *ctx;
	struct bw_effects *e;
	bool clears_high; /* a result of 16 bits has zeros above it */
};

/* A run that goes beyond what the wave has, or there is, is none: such instructions take v0, or do
 * nothing (rules 39 to 45). */
static bool run_exists(const struct build *b, unsigned first, unsigned n)
{
	return n && first + n <= BW_MIN((unsigned)b->ctx->n_vgprs, (unsigned)BW_STRICT_VGPRS);
}

static void add_read(struct build *b, unsigned first, unsigned n, enum bw_half half,
		     enum bw_role role, unsigned src)
{
	struct bw_effects *e = b->e;
	if (run_exists(b, first, n) && e->n_reads < BW_EFFECTS_READS)
		e->read[e->n_reads++] =
			(struct bw_vregs){(uint16_t)first, (uint8_t)n, half, role, (uint8_t)src};
}

static void add_write(struct build *b, unsigned first, unsigned n, enum bw_half half)
{
	struct bw_effects *e = b->e;
	if (run_exists(b, first, n) && e->n_writes < BW_EFFECTS_WRITES)
		e->write[e->n_writes++] =
			(struct bw_vregs){.first = (uint16_t)first, .n = (uint8_t)n, .half = half};
}

static void add_sread(struct build *b, unsigned code, unsigned n, bool is_address, bool is_number)
{
	if (code >= BW_STRICT_SGPRS || code == BW_SRC_NULL)
		return;
	if (n > 1)
		code &= ~1u;
	bw_sregs_add(&b->e->sread, code, n);
	if (is_address)
		bw_sregs_add(&b->e->saddr, code, n);
	if (is_number)
		bw_sregs_add(&b->e->data, code, n);
}

static bool is_hidden(const struct build *b, unsigned code)
{
	return code >= BW_SRC_TTMP0 && code < BW_SRC_NULL && !b->ctx->priv; /* rule 30 */
}

static void add_swrite(struct build *b, unsigned code, unsigned n)
{
	if (code >= BW_STRICT_SGPRS || code == BW_SRC_NULL || is_hidden(b, code))
		return;
	if (n > 1)
		code &= ~1u;
	bw_sregs_add(&b->e->swrite, code, n);
	b->e->writes_exec |= code == BW_SRC_EXEC_LO || code == BW_SRC_EXEC_HI;
}

/* SGPRs without a field of their own. The other implicit registers change when they are written. */
static void add_implicit(struct build *b)
{
	unsigned reads = b->in->reads, writes = b->in->writes, n = b->ctx->lanes / 32;
	if (b->in->fmt == BW_FMT_EXP && !b->in->exp_row)
		reads &= ~(unsigned)BW_IMPLICIT_M0;
	if (reads & BW_IMPLICIT_VCC)
		add_sread(b, BW_SRC_VCC_LO, n, false, false);
	if (reads & BW_IMPLICIT_EXEC)
		add_sread(b, BW_SRC_EXEC_LO, n, false, false);
	if (reads & BW_IMPLICIT_M0)
		add_sread(b, BW_SRC_M0, 1, false, false);
	if (writes & BW_IMPLICIT_VCC)
		add_swrite(b, BW_SRC_VCC_LO, n);
	if (writes & BW_IMPLICIT_EXEC)
		add_swrite(b, BW_SRC_EXEC_LO, n);
}

/* ---- ALU ---- */

static enum bw_half half_of(const struct bw_operand *o, bool is_high)
{
	if (o->is_high)
		return BW_HALF_HI;
	return o->bits != 16 || o->is_packed ? BW_HALF_BOTH : is_high ? BW_HALF_HI : BW_HALF_LO;
}

/* Lanes that are read from elsewhere: DPP and the lane instructions. */
static bool crosses_lanes(const struct bw_inst *in, const struct bw_op_info *info, unsigned i)
{
	return (i == 0 && in->dpp != BW_DPP_NONE) || info->class == BW_CLASS_WAVE ||
	       in->fmt == BW_FMT_VINTERP;
}

static void valu_operands(struct build *b, const struct bw_op_info *info, const uint16_t *src,
			  unsigned dst)
{
	const struct bw_inst *in = b->in;
	unsigned i = 0, lanes = b->ctx->lanes;
	for (const struct bw_operand *o = info->src; o < info->src + info->n_src; o++) {
		if (o->is_dst) {
			if (!(info->flags & BW_OPF_KEEPS_DST))
				add_read(b, dst, bw_operand_n_regs(o, lanes, true),
					 half_of(o, in->op_sel & BW_OP_SEL_DST), BW_ROLE_VALUE, 2);
			continue;
		}
		if (i >= 3)
			break;
		unsigned code = src[i], n = bw_operand_n_regs(o, lanes, i == 2);
		if (o->type == BW_OPERAND_MASK) {
			b->e->reads_mask = code < BW_STRICT_SGPRS;
			b->e->mask_reg = (uint8_t)code;
			add_sread(b, code, n, false, false);
		} else if (code >= BW_SRC_VGPR0) {
			add_read(b, code - BW_SRC_VGPR0, n, half_of(o, in->op_sel >> i & 1),
				 crosses_lanes(in, info, i) ? BW_ROLE_ALL : BW_ROLE_VALUE, i);
		} else if (code < BW_STRICT_SGPRS) {
			add_sread(b, code, n, false, true);
		}
		b->e->literal |= code == BW_SRC_LITERAL;
		i++;
	}
}

static void valu_results(struct build *b, const struct bw_op_info *info, unsigned dst)
{
	const struct bw_inst *in = b->in;
	unsigned lanes = b->ctx->lanes;
	for (unsigned i = 0; i < info->n_dst; i++) {
		const struct bw_operand *o = &info->dst[i];
		if (o->type == BW_OPERAND_MASK)
			add_swrite(b,
				   in->fmt == BW_FMT_VOPC || info->class == BW_CLASS_CMP ? in->dst
											 : in->sdst,
				   lanes / 32);
		else if (o->use == BW_USE_SGPR)
			add_swrite(b, in->dst, 1);
		else if (i == 1) /* v_swap */
			add_write(b, in->src[0] - BW_SRC_VGPR0, 1, BW_HALF_BOTH);
		else
			add_write(b, dst, bw_operand_n_regs(o, lanes, true),
				  b->clears_high ? BW_HALF_BOTH
						 : half_of(o, in->op_sel & BW_OP_SEL_DST));
	}
}

static void valu(struct build *b, const struct bw_op_info *info)
{
	const struct bw_inst *in = b->in;
	b->e->unit = info->class == BW_CLASS_CTRL ? BW_UNIT_OTHER : BW_UNIT_VALU;
	b->e->trans = info->flags & BW_OPF_TRANS;
	if (in->reads & BW_IMPLICIT_VCC) { /* v_div_fmas, which has no operand for it */
		b->e->reads_mask = true;
		b->e->mask_reg = BW_SRC_VCC_LO;
	}
	valu_operands(b, info, in->src, in->dst);
	valu_results(b, info, in->dst);
	b->e->x_reads = b->e->n_reads;
	if (in->fmt == BW_FMT_VOPD) {
		const struct bw_op_info *y = bw_isa_op_info(in->op_y);
		valu_operands(b, y, in->src_y, in->dst_y);
		valu_results(b, y, in->dst_y);
	}
	b->e->scalar_operand = b->e->literal || b->e->sread.bit[0] || b->e->sread.bit[1] ||
			       in->reads & BW_IMPLICIT_VCC;
}

static void salu(struct build *b, const struct bw_op_info *info)
{
	const struct bw_inst *in = b->in;
	bool is_k = in->fmt == BW_FMT_SOPK;
	unsigned i = 0;
	b->e->unit = BW_UNIT_SALU;
	for (const struct bw_operand *o = info->src; o < info->src + info->n_src; o++) {
		if (o->type == BW_OPERAND_IMM || o->type == BW_OPERAND_LITERAL ||
		    o->use == BW_USE_IMM)
			continue;
		unsigned code = o->is_dst || is_k ? in->dst : i < 3 ? in->src[i] : BW_SRC_NULL;
		unsigned n = bw_operand_n_regs(o, b->ctx->lanes, false);
		add_sread(b, code, n, false, true);
		if (i < 3)
			b->e->sdw[i] = (uint8_t)n;
		i += !o->is_dst || is_k;
	}
	if (info->n_dst)
		add_swrite(b, in->dst, bw_operand_n_regs(&info->dst[0], b->ctx->lanes, false));
	if (info->n_dst && info->src[0].use == BW_USE_MSG)
		b->e->lgkm = 2; /* rule 280 */
}

/* ---- memory ---- */

static void smem(struct build *b, const struct bw_op_info *info)
{
	const struct bw_inst *in = b->in;
	b->e->unit = BW_UNIT_SMEM;
	if (info->flags & BW_OPF_INVALIDATE) {
		b->e->lgkm = 1;
		return;
	}
	if (!(info->flags & BW_OPF_LOAD)) { /* gfx942: s_memtime, stores, atomics */
		b->e->lgkm = 1;
		if (info->n_dst && (!info->dst[0].is_optional || in->glc))
			add_swrite(b, in->dst,
				   bw_operand_n_regs(&info->dst[0], b->ctx->lanes, false));
		return;
	}
	add_sread(b, in->saddr, info->src[0].type == BW_OPERAND_BUFFER ? 4 : 2, true, false);
	add_sread(b, in->soffset, 1, true, false);
	unsigned n = bw_operand_n_regs(&info->dst[0], b->ctx->lanes, false);
	b->e->access = BW_KIND_LOAD;
	b->e->lgkm = n == 1 ? 1 : 2; /* rule 279 */
	unsigned code = in->dst & ~(n >= 4 ? 3u : n - 1);
	/* A destination does not run over into the next region (rules 33, 35). */
	unsigned end = code < BW_SRC_TTMP0  ? BW_SRC_TTMP0
		       : code < BW_SRC_NULL ? BW_SRC_NULL
		       : code == BW_SRC_M0  ? BW_SRC_M0 + 1
					    : BW_STRICT_SGPRS;
	if (in->dst != BW_SRC_NULL && code < BW_STRICT_SGPRS && !is_hidden(b, code))
		bw_sregs_add(&b->e->swrite, code, BW_MIN(n, end - code));
}

static enum bw_half memory_half(const struct bw_operand *o)
{
	return o->is_high ? BW_HALF_HI : o->is_low ? BW_HALF_LO : BW_HALF_BOTH;
}

/* dst of vector memory; dst_reg is where results go. */
static void memory_result(struct build *b, const struct bw_op_info *info, unsigned dst_reg,
			  unsigned more)
{
	const struct bw_operand *o = &info->dst[0];
	if (!info->n_dst || (o->is_optional && !b->in->glc))
		return;
	add_write(b, dst_reg, bw_operand_n_regs(o, b->ctx->lanes, false) + more, memory_half(o));
}

static void memory_data(struct build *b, const struct bw_operand *o, unsigned reg, unsigned src)
{
	enum bw_half half = o->bits && o->bits < 32 && !o->is_high ? BW_HALF_LO : memory_half(o);
	if (!o->is_dst)
		add_read(b, reg, bw_operand_n_regs(o, b->ctx->lanes, false), half, BW_ROLE_DATA,
			 src);
}

static void set_access(struct build *b, const struct bw_op_info *info)
{
	bool has_data = false;
	for (unsigned i = 0; i < b->e->n_reads; i++)
		has_data |= b->e->read[i].role == BW_ROLE_DATA;
	if (info->flags & BW_OPF_TO_LDS)
		b->e->access = BW_KIND_LOAD; /* no register waits for it */
	else if (!b->e->n_writes)
		b->e->access = BW_KIND_STORE;
	else
		b->e->access =
			has_data && info->class == BW_CLASS_MEM ? BW_KIND_ATOMIC_RTN : BW_KIND_LOAD;
}

static void ds(struct build *b, const struct bw_op_info *info)
{
	const struct bw_inst *in = b->in;
	const unsigned data[] = {in->vdata, in->vdata2};
	unsigned n_data = 0;
	b->e->unit = BW_UNIT_DS;
	if (info->class == BW_CLASS_CTRL)
		return;
	for (const struct bw_operand *o = info->src; o < info->src + info->n_src; o++) {
		if (o->type == BW_OPERAND_ADDRESS || o->use == BW_USE_ADDR ||
		    o->use == BW_USE_LANE_X4)
			add_read(b, in->vaddr, 1, BW_HALF_BOTH, BW_ROLE_ADDR, 0);
		else if (o->type != BW_OPERAND_IMM && n_data < 2)
			memory_data(b, o, data[n_data++], 1);
	}
	memory_result(b, info, in->dst, 0);
	set_access(b, info);
	b->e->lgkm = 1;
	/* Lanes exchange: nothing goes to memory. */
	if (info->class == BW_CLASS_WAVE)
		for (unsigned i = 0; i < b->e->n_reads; i++)
			b->e->read[i].role = BW_ROLE_VALUE;
}

static void flat(struct build *b, const struct bw_op_info *info)
{
	const struct bw_inst *in = b->in;
	bool has_saddr = in->saddr != BW_SRC_NULL && in->saddr != 127;
	bool addtid = info->flags & BW_OPF_ADDTID;
	unsigned data_at = 2;
	b->e->unit = in->fmt == BW_FMT_FLAT ? BW_UNIT_FLAT : BW_UNIT_VMEM;
	if (in->fmt == BW_FMT_SCRATCH) {
		if (in->sve)
			add_read(b, in->vaddr, 1, BW_HALF_BOTH, BW_ROLE_ADDR, 0);
		if (has_saddr)
			add_sread(b, in->saddr, 1, true, false);
	} else {
		if (!addtid)
			add_read(b, in->vaddr, has_saddr ? 1 : 2, BW_HALF_BOTH, BW_ROLE_ADDR, 0);
		if (has_saddr)
			add_sread(b, in->saddr, 2, true, false);
		data_at = addtid || in->fmt == BW_FMT_FLAT ? 1 : 2;
	}
	if (data_at < info->n_src)
		memory_data(b, &info->src[data_at], in->vdata, 1);
	memory_result(b, info, in->dst, 0);
	set_access(b, info);
	b->e->lgkm = in->fmt == BW_FMT_FLAT;
}

static void buffer(struct build *b, const struct bw_op_info *info)
{
	const struct bw_inst *in = b->in;
	if (!info->n_src) { /* invalidations and write-backs: counted nowhere [I] */
		b->e->unit = BW_UNIT_OTHER;
		return;
	}
	b->e->unit = BW_UNIT_VMEM;
	add_sread(b, in->srsrc & ~3u, 4, false, false);
	if (in->saddr < BW_STRICT_SGPRS)
		add_sread(b, in->saddr, 1, true, false);
	add_read(b, in->vaddr, (in->idxen ? 1u : 0u) + (in->offen ? 1u : 0u), BW_HALF_BOTH,
		 BW_ROLE_ADDR, 0);
	if (info->n_src > 3)
		memory_data(b, &info->src[3], in->vdata, 1);
	memory_result(b, info, in->vdata, in->tfe);
	set_access(b, info);
}

/* Coordinates of DIM without level: 1D to 2D MSAA array. */
static const uint8_t n_coords_of[8] = {1, 2, 3, 3, 2, 3, 3, 4};

static void image(struct build *b, const struct bw_op_info *info, const struct bw_rec *rec)
{
	const struct bw_inst *in = b->in;
	const struct bw_img_prep *p = bw_img_prep(rec);
	bool has_sampler = info->n_src > 2 && info->src[2].type == BW_OPERAND_SAMPLER;
	unsigned n_coords = n_coords_of[in->dim & 7];
	unsigned n_addr = p->body + (in->a16 ? (n_coords + 1) / 2 : n_coords);
	unsigned n = (unsigned)__builtin_popcount(in->dmask);
	b->e->unit = BW_UNIT_VMEM;
	b->e->vm_type = has_sampler;
	if (info->src[1].type == BW_OPERAND_BVH) {
		b->e->vm_type = 2;
		b->e->access = BW_KIND_LOAD;
		add_sread(b, in->srsrc & ~3u, 4, false, false);
		add_read(b, in->vaddr, 1, BW_HALF_BOTH, BW_ROLE_VALUE, 0);
		add_write(b, in->vdata, 4, BW_HALF_BOTH);
		return;
	}
	add_sread(b, in->srsrc & ~3u, in->r128 ? 4 : 8, false, false);
	if (has_sampler)
		add_sread(b, in->ssamp & ~3u, 4, false, false);
	/* Coordinates may lie apart; runs of them are one entry. */
	for (unsigned i = 0; i < n_addr && i < BW_IMG_MAX_ADDR;) {
		unsigned run = 1;
		while (i + run < n_addr && p->addr[i + run] == p->addr[i] + run)
			run++;
		add_read(b, p->addr[i], run, BW_HALF_BOTH, BW_ROLE_VALUE, 0);
		i += run;
	}
	if (info->n_dst &&
	    info->dst[0].bits == 128) /* of gather4 and msaa_load DMASK chooses a component */
		n = 4;
	bool is_atomic = info->flags & BW_OPF_ATOMIC, is_store = info->flags & BW_OPF_STORE;
	if (in->d16 && !is_atomic)
		n = (n + 1) / 2;
	if (is_store || is_atomic)
		add_read(b, in->vdata, n, BW_HALF_BOTH, BW_ROLE_VALUE, 1);
	if (!is_store && (!is_atomic || in->glc))
		add_write(b, in->vdata, BW_MAX(n, 1u) + p->has_status, BW_HALF_BOTH);
	b->e->access = !b->e->n_writes ? BW_KIND_STORE
		       : is_atomic     ? BW_KIND_ATOMIC_RTN
				       : BW_KIND_LOAD;
}

/* Bytes of one lane's element; formats: as many as there can be. */
static uint8_t element_b(const struct bw_op_info *info)
{
	unsigned bits = info->mem.type == BW_OPERAND_FORMAT ? 128 : info->mem.bits;
	return (uint8_t)BW_MIN(BW_MAX(bits / 8, 1u), 64u);
}

void bw_effects_of(const struct bw_inst *inst, const struct bw_rec *rec,
		   const struct bw_rec_ctx *ctx, struct bw_effects *out)
{
	const struct bw_op_info *info = bw_isa_op_info(inst->op);
	struct build b = {inst, ctx, out, rec->flags & BW_REC_ZERO_HIGH};
	memset(out, 0, sizeof(*out));
	out->unit = BW_UNIT_OTHER;
	out->size_b = element_b(info);
	switch (inst->fmt) {
	case BW_FMT_SOP1:
	case BW_FMT_SOP2:
	case BW_FMT_SOPC:
	case BW_FMT_SOPK:
	case BW_FMT_SOPP:
		salu(&b, info);
		break;
	case BW_FMT_SMEM:
		smem(&b, info);
		break;
	case BW_FMT_VOP1:
	case BW_FMT_VOP2:
	case BW_FMT_VOPC:
	case BW_FMT_VOP3:
	case BW_FMT_VOP3SD:
	case BW_FMT_VOP3P:
	case BW_FMT_VOPD:
	case BW_FMT_VINTERP:
	case BW_FMT_MAI:
		valu(&b, info);
		break;
	case BW_FMT_DS:
		ds(&b, info);
		break;
	case BW_FMT_FLAT:
	case BW_FMT_GLOBAL:
	case BW_FMT_SCRATCH:
		flat(&b, info);
		break;
	case BW_FMT_MUBUF:
	case BW_FMT_MTBUF:
		buffer(&b, info);
		break;
	case BW_FMT_MIMG:
		image(&b, info, rec);
		break;
	case BW_FMT_ILLEGAL:
	case BW_FMT_LDSDIR:
	case BW_FMT_EXP:
	case BW_FMT_COUNT:
		break;
	}
	add_implicit(&b);
}

/* ---- how undefinedness goes through ---- */

/* Opcodes are sorted by name: a row is for a family of them. The default is BW_FLOWS_ANY. */
/* clang-format off */
static const uint8_t flows_of[BW_OP_COUNT] = {
	[BW_OP_S_AND_B32 ... BW_OP_S_AND_SAVEEXEC_B64] = BW_FLOWS_ALL,
	[BW_OP_S_BITSET0_B32 ... BW_OP_S_BITSET1_B64] = BW_FLOWS_ALL,
	[BW_OP_S_CMOV_B32 ... BW_OP_S_CMOVK_I32] = BW_FLOWS_DEFINED,
	[BW_OP_S_CSELECT_B32 ... BW_OP_S_CSELECT_B64] = BW_FLOWS_ALL,
	[BW_OP_S_MUL_HI_I32 ... BW_OP_S_MULK_I32] = BW_FLOWS_ALL,
	[BW_OP_S_NAND_B32 ... BW_OP_S_NAND_SAVEEXEC_B64] = BW_FLOWS_ALL,
	[BW_OP_S_NOR_B32 ... BW_OP_S_NOR_SAVEEXEC_B64] = BW_FLOWS_ALL,
	[BW_OP_S_OR_B32 ... BW_OP_S_OR_SAVEEXEC_B64] = BW_FLOWS_ALL,
	[BW_OP_S_PACK_HH_B32_B16 ... BW_OP_S_PACK_LL_B32_B16] = BW_FLOWS_ALL,
	[BW_OP_S_XNOR_B32 ... BW_OP_S_XNOR_SAVEEXEC_B64] = BW_FLOWS_ALL,
	[BW_OP_S_XOR_B32 ... BW_OP_S_XOR_SAVEEXEC_B64] = BW_FLOWS_ALL,
	[BW_OP_V_ACCVGPR_MOV_B32 ... BW_OP_V_ACCVGPR_WRITE_B32] = BW_FLOWS_COPY,
	[BW_OP_V_ALIGNBIT_B32 ... BW_OP_V_ALIGNBYTE_B32] = BW_FLOWS_ALL,
	[BW_OP_V_AND_B16 ... BW_OP_V_AND_OR_B32] = BW_FLOWS_ALL,
	[BW_OP_V_BFI_B32] = BW_FLOWS_ALL,
	[BW_OP_V_CNDMASK_B16 ... BW_OP_V_CNDMASK_B32] = BW_FLOWS_SELECT,
	[BW_OP_V_CVT_PK_I16_F32 ... BW_OP_V_CVT_PK_U8_F32] = BW_FLOWS_ALL,
	[BW_OP_V_DOT2_BF16_BF16 ... BW_OP_V_DOT8_U32_U4] = BW_FLOWS_ALL,
	[BW_OP_V_DUAL_AND_B32] = BW_FLOWS_ALL,
	[BW_OP_V_DUAL_CNDMASK_B32] = BW_FLOWS_SELECT,
	[BW_OP_V_DUAL_MOV_B32] = BW_FLOWS_COPY,
	[BW_OP_V_DUAL_MUL_DX9_ZERO_F32 ... BW_OP_V_DUAL_MUL_F32] = BW_FLOWS_ALL,
	[BW_OP_V_INTERP_P10_F16_F32 ... BW_OP_V_INTERP_P2_RTZ_F16_F32] = BW_FLOWS_DEFINED,
	[BW_OP_V_LSHL_OR_B32] = BW_FLOWS_ALL,
	[BW_OP_V_MBCNT_HI_U32_B32 ... BW_OP_V_MBCNT_LO_U32_B32] = BW_FLOWS_ALL,
	[BW_OP_V_MFMA_F32_16X16X16_BF16 ... BW_OP_V_MFMA_I32_4X4X4_16B_I8] = BW_FLOWS_DEFINED,
	[BW_OP_V_MOV_B16] = BW_FLOWS_COPY,
	[BW_OP_V_MOV_B32] = BW_FLOWS_COPY,
	[BW_OP_V_MOVRELD_B32 ... BW_OP_V_MOVRELSD_B32] = BW_FLOWS_DEFINED,
	[BW_OP_V_MQSAD_PK_U16_U8 ... BW_OP_V_MQSAD_U32_U8] = BW_FLOWS_DEFINED,
	[BW_OP_V_MUL_DX9_ZERO_F32 ... BW_OP_V_MULLIT_F32] = BW_FLOWS_ALL,
	[BW_OP_V_OR3_B32 ... BW_OP_V_OR_B32] = BW_FLOWS_ALL,
	[BW_OP_V_PACK_B32_F16] = BW_FLOWS_ALL,
	[BW_OP_V_PERM_B32] = BW_FLOWS_ALL,
	[BW_OP_V_PERMLANE16_B32 ... BW_OP_V_PERMLANEX16_B32] = BW_FLOWS_DEFINED,
	[BW_OP_V_PK_ADD_F16 ... BW_OP_V_PK_SUB_U16] = BW_FLOWS_ALL,
	[BW_OP_V_READFIRSTLANE_B32] = BW_FLOWS_READLANE,
	[BW_OP_V_READLANE_B32] = BW_FLOWS_READLANE,
	[BW_OP_V_SMFMAC_F32_16X16X32_BF16 ... BW_OP_V_SMFMAC_I32_32X32X32_I8] = BW_FLOWS_DEFINED,
	[BW_OP_V_SWAP_B16] = BW_FLOWS_DEFINED,
	[BW_OP_V_SWAP_B32] = BW_FLOWS_SWAP,
	[BW_OP_V_SWAPREL_B32] = BW_FLOWS_DEFINED,
	[BW_OP_V_WMMA_BF16_16X16X16_BF16 ... BW_OP_V_WMMA_I32_16X16X16_IU8] = BW_FLOWS_DEFINED,
	[BW_OP_V_WRITELANE_B32] = BW_FLOWS_WRITELANE,
	[BW_OP_V_XAD_U32] = BW_FLOWS_ALL,
	[BW_OP_V_XNOR_B32] = BW_FLOWS_ALL,
	[BW_OP_V_XOR3_B32 ... BW_OP_V_XOR_B32] = BW_FLOWS_ALL,
};

/* Opcodes whose result is 0 if both sources are the same. */
static const bool cancels[BW_OP_COUNT] = {
	[BW_OP_S_SUB_I32] = true,
	[BW_OP_S_SUB_U32] = true,
	[BW_OP_S_XOR_B32] = true,
	[BW_OP_S_XOR_B64] = true,
	[BW_OP_V_DUAL_SUB_F32] = true,
	[BW_OP_V_PK_SUB_I16] = true,
	[BW_OP_V_PK_SUB_U16] = true,
	[BW_OP_V_SUB_CO_CI_U32] = true,
	[BW_OP_V_SUB_CO_U32] = true,
	[BW_OP_V_SUB_F16] = true,
	[BW_OP_V_SUB_F32] = true,
	[BW_OP_V_SUB_NC_I16] = true,
	[BW_OP_V_SUB_NC_I32] = true,
	[BW_OP_V_SUB_NC_U16] = true,
	[BW_OP_V_SUB_NC_U32] = true,
	[BW_OP_V_XOR_B16] = true,
	[BW_OP_V_XOR_B32] = true,
};
/* clang-format on */

enum bw_flows bw_flows_of(const struct bw_inst *inst, bool of_y)
{
	unsigned op = of_y ? inst->op_y : inst->op;
	const uint16_t *src = of_y ? inst->src_y : inst->src;
	if (inst->dpp != BW_DPP_NONE || (cancels[op] && src[0] == src[1]))
		return BW_FLOWS_DEFINED;
	return flows_of[op];
}
