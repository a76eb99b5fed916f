/* SPDX-License-Identifier: MIT */
#include "isa/inst.h"

#include <string.h>

#include "base/util.h"
#include "isa/fields.h"
#include "isa/tables.h"

/* Special codes of a SRC0 field: doc/hardware/encodings.md 4. */
enum { SRC_DPP8 = 233, SRC_DPP8_FI = 234, SRC_DPP16 = 250, SRC_VGPR_HIGH_HALF = 128 };

enum { MAX_DW = 3 };

/* Address VGPRs of a ray instruction after the node pointer. */
enum { RAY_ADDRESSES = 10 };

enum {
	CODE_REG = 1,
	CODE_CONST = 2,
	CODE_SPECIAL = 4,
	CODE_LDS = 8,
	CODE_LITERAL = 16,
	CODE_VGPR = 32
};

/* What the codes below 256 are; zero is reserved. 239, 251, 252 and 254 are reserved by the manual
 * and decoded by LLVM 19: they pass here. */
/* clang-format off */
static const uint8_t code_kind[256] = {
	[0 ... 127] = CODE_REG,
	[128 ... 208] = CODE_CONST,
	[235 ... 239] = CODE_SPECIAL,
	[240 ... 248] = CODE_CONST,
	[251 ... 253] = CODE_SPECIAL,
	[254] = CODE_LDS,
	[255] = CODE_LITERAL,
};
/* clang-format on */

/* clang-format off */
static const uint8_t operand_takes[] = {
	[BW_OPD_SSRC] = CODE_REG | CODE_CONST | CODE_SPECIAL | CODE_LITERAL,
	[BW_OPD_SREG] = CODE_REG,
	[BW_OPD_VSRC] = CODE_REG | CODE_CONST | CODE_SPECIAL | CODE_LDS | CODE_LITERAL | CODE_VGPR,
	[BW_OPD_VGPR] = CODE_VGPR,
	[BW_OPD_MASK] = CODE_REG,
	[BW_OPD_MATC] = CODE_CONST | CODE_VGPR,
	/* LLVM has VGPRs only; the example of rule 152 has its S1 in an SGPR and ran on hardware. */
	[BW_OPD_INTERP] = CODE_REG | CODE_CONST | CODE_VGPR,
	[BW_OPD_IMPLIED_EXEC] = 0,
};
/* clang-format on */

/* An instruction being decoded. */
struct decoding {
	uint32_t w[MAX_DW]; /* a copy; what the instruction does not use is 0 */
	size_t n_dw;
	unsigned size_dw; /* used so far; the literal or DPP dword comes last */
	const struct bw_isa_row *row;
	struct bw_inst *in;
};

/* Clears the low bits of an SGPR code that names n registers; false when the run does not exist.
 * VCC lies behind s105 and ends a run that starts before it: ACO allocates s[104:107] (aco_ir.cpp,
 * sgpr_limit), although LLVM does not know it. */
static bool align_sgprs(uint16_t *code, unsigned n)
{
	if (n <= 1 || *code == BW_SRC_NULL)
		return true;
	unsigned align = n == 2 ? 2 : 4;
	unsigned c = *code;
	if (c < BW_SRC_VCC_LO) {
		c -= c % align;
		if (c + n > BW_SRC_VCC_HI + 1)
			return false;
	} else if (c >= BW_SRC_TTMP0 && c < BW_SRC_NULL) {
		c -= (c - BW_SRC_TTMP0) % align;
		if (c + n > BW_SRC_NULL)
			return false;
	} else if (n != 2 || (c != BW_SRC_VCC_LO && c != BW_SRC_EXEC_LO)) {
		return false;
	}
	*code = (uint16_t)c;
	return true;
}

static bool vgprs_exist(unsigned first, unsigned n)
{
	return first + n <= 256;
}

static bool take_literal(struct decoding *d)
{
	if (d->in->has_literal)
		return true;
	if (d->in->dpp != BW_DPP_NONE || d->size_dw >= d->n_dw)
		return false;
	d->in->has_literal = true;
	d->in->literal = d->w[d->size_dw++];
	return true;
}

/* Checks one source operand against its kind and takes the literal it may ask for. */
static bool take_source(struct decoding *d, unsigned kind, unsigned n_reg, uint16_t *code)
{
	if (kind == BW_OPD_IMM || kind == BW_OPD_IMPLIED_VCC)
		return true;
	if (kind == BW_OPD_LIT)
		return take_literal(d);
	unsigned is = *code >= BW_SRC_VGPR0 ? CODE_VGPR : code_kind[*code];
	if (!(is & operand_takes[kind]))
		return false;
	switch (is) {
	case CODE_VGPR:
		return vgprs_exist(*code - BW_SRC_VGPR0, n_reg);
	case CODE_REG:
		/* LLVM's register class for lane masks leaves EXEC out. */
		if (kind == BW_OPD_MASK)
			return *code < BW_SRC_EXEC_LO;
		return align_sgprs(code, n_reg);
	case CODE_LDS:
		return n_reg == 1;
	case CODE_LITERAL:
		return take_literal(d);
	default:
		return true;
	}
}

/* DPP16 controls that exist: doc/hardware/encodings.md 5. */
static bool dpp_ctrl_exists(unsigned ctrl)
{
	if (ctrl <= 0xff || ctrl == 0x140 || ctrl == 0x141)
		return true;
	if (ctrl >= 0x150 && ctrl <= 0x16f)
		return true;
	return ctrl > 0x100 && ctrl < 0x130 && (ctrl & 0xf) != 0;
}

static bool take_dpp(struct decoding *d, unsigned marker, bool compact)
{
	struct bw_inst *in = d->in;
	if (!(d->row->flags & BW_ROW_DPP) || d->size_dw >= d->n_dw)
		return false;
	uint32_t w = d->w[d->size_dw++];
	in->src[0] = BW_SRC_VGPR0 + (w & 0xff);
	if (marker != SRC_DPP16) {
		in->dpp = BW_DPP_8;
		in->dpp8_sel = w >> 8;
		in->fi = marker == SRC_DPP8_FI;
		return true;
	}
	in->dpp = BW_DPP_16;
	in->dpp_ctrl = (w >> 8) & 0x1ff;
	in->fi = w >> 18 & 1;
	in->bound_ctrl = w >> 19 & 1;
	in->bank_mask = w >> 24 & 0xf;
	in->row_mask = w >> 28;
	if (compact) { /* the 64-bit forms have their own */
		in->neg = (w >> 20 & 1) | (w >> 22 & 1) << 1;
		in->abs = (w >> 21 & 1) | (w >> 23 & 1) << 1;
		in->padded |= ((in->neg | in->abs) & ~d->row->neg) != 0;
		in->neg &= d->row->neg;
		in->abs &= d->row->neg;
	}
	return dpp_ctrl_exists(in->dpp_ctrl);
}

/* Compact encodings of 16-bit operands have 7 bits of VGPR number and the half in the eighth. */
static void fold_half(struct decoding *d, unsigned slot)
{
	struct bw_inst *in = d->in;
	uint16_t *reg = slot == 3 ? &in->dst : &in->src[slot];
	unsigned base = slot == 3 ? 0 : BW_SRC_VGPR0;
	if ((d->row->half >> slot & 1) && *reg >= base + SRC_VGPR_HIGH_HALF) {
		*reg -= SRC_VGPR_HIGH_HALF;
		in->op_sel |= (uint8_t)(1u << slot);
	}
}

/* Sources and destination of a vector ALU instruction. raw: the source fields in order, VSRC1
 * already as an operand code; operands without a field are put between them. */
static bool take_vector_operands(struct decoding *d, const uint16_t *raw, bool compact)
{
	const struct bw_isa_row *row = d->row;
	struct bw_inst *in = d->in;
	in->n_src = row->n_src;
	for (unsigned i = 0; i < row->n_src; i++) {
		if (row->kind[i] == BW_OPD_IMPLIED_VCC)
			in->src[i] = BW_SRC_VCC_LO;
		else if (row->kind[i] == BW_OPD_LIT)
			in->src[i] = BW_SRC_LITERAL;
		else
			in->src[i] = *raw++;
	}
	unsigned marker = in->src[0];
	if (row->n_src && (marker == SRC_DPP8 || marker == SRC_DPP8_FI || marker == SRC_DPP16) &&
	    !take_dpp(d, marker, compact))
		return false;
	if ((row->flags & BW_ROW_DPP_VGPR1) && in->dpp != BW_DPP_NONE && in->src[1] < BW_SRC_VGPR0)
		return false;
	for (unsigned i = 0; i < row->n_src; i++) {
		fold_half(d, i);
		if (!take_source(d, row->kind[i], row->n_reg[i], &in->src[i]))
			return false;
	}
	switch (row->dst_kind) {
	case BW_OPD_IMPLIED_VCC:
		in->dst = BW_SRC_VCC_LO;
		return true;
	case BW_OPD_IMPLIED_EXEC:
		in->dst = BW_SRC_EXEC_LO;
		return true;
	case BW_OPD_SDST:
		return in->dst <= BW_SRC_EXEC_HI;
	case BW_OPD_VGPR:
		fold_half(d, 3);
		return vgprs_exist(in->dst, row->dst_n_reg);
	default:
		return true;
	}
}

static bool decode_scalar(struct decoding *d)
{
	const struct bw_isa_row *row = d->row;
	struct bw_inst *in = d->in;
	const uint32_t *w = d->w;
	if (in->fmt == BW_FMT_SOP1) {
		in->src[0] = (uint16_t)bw_sop1_ssrc0(w);
		in->dst = (uint16_t)bw_sop1_sdst(w);
	} else {
		in->src[0] = (uint16_t)bw_sop2_ssrc0(w);
		in->src[1] = (uint16_t)bw_sop2_ssrc1(w);
		if (in->fmt == BW_FMT_SOP2)
			in->dst = (uint16_t)bw_sop2_sdst(w);
	}
	in->n_src = row->n_src;
	for (unsigned i = 0; i < in->n_src; i++)
		if (!take_source(d, row->kind[i], row->n_reg[i], &in->src[i]))
			return false;
	return row->dst_kind == BW_OPD_NONE || align_sgprs(&in->dst, row->dst_n_reg);
}

static bool decode_sopk(struct decoding *d)
{
	const struct bw_isa_row *row = d->row;
	d->in->dst = (uint16_t)bw_sopk_sdst(d->w);
	d->in->imm = (int16_t)bw_sopk_simm16(d->w);
	if ((row->flags & BW_ROW_LITERAL) && !take_literal(d))
		return false;
	return row->dst_kind == BW_OPD_NONE || align_sgprs(&d->in->dst, row->dst_n_reg);
}

static bool decode_sopp(struct decoding *d)
{
	d->in->imm = (int16_t)bw_sopp_simm16(d->w);
	return true;
}

static bool decode_smem(struct decoding *d)
{
	const struct bw_isa_row *row = d->row;
	struct bw_inst *in = d->in;
	const uint32_t *w = d->w;
	uint16_t base = (uint16_t)(bw_smem_sbase(w) * 2);
	if (row->rsrc_n_reg && !align_sgprs(&base, row->rsrc_n_reg))
		return false;
	in->saddr = (uint8_t)base;
	in->dst = (uint16_t)bw_smem_sdata(w);
	in->soffset = (uint8_t)bw_smem_soffset(w);
	in->imm = (int32_t)bw_sign_extend(bw_smem_offset(w), 21);
	in->glc = bw_smem_glc(w);
	in->dlc = bw_smem_dlc(w);
	if (row->dst_kind != BW_OPD_SDATA)
		return true;
	return align_sgprs(&in->dst, row->dst_n_reg) && in->dst != BW_SRC_M0 &&
	       in->dst < BW_SRC_EXEC_LO;
}

static bool decode_compact(struct decoding *d)
{
	struct bw_inst *in = d->in;
	const uint32_t *w = d->w;
	uint16_t raw[3] = {(uint16_t)bw_vop2_src0(w), (uint16_t)(BW_SRC_VGPR0 + bw_vop2_vsrc1(w)),
			   0};
	if (in->fmt == BW_FMT_VOP1)
		in->dst = (uint16_t)bw_vop1_vdst(w);
	else if (in->fmt == BW_FMT_VOP2)
		in->dst = (uint16_t)bw_vop2_vdst(w);
	if (d->row->flags & BW_ROW_SDST)
		in->sdst = BW_SRC_VCC_LO;
	return take_vector_operands(d, raw, true);
}

static bool decode_vop3(struct decoding *d)
{
	struct bw_inst *in = d->in;
	const uint32_t *w = d->w;
	uint16_t raw[3] = {(uint16_t)bw_vop3_src0(w), (uint16_t)bw_vop3_src1(w),
			   (uint16_t)bw_vop3_src2(w)};
	in->dst = (uint16_t)bw_vop3_vdst(w);
	in->clamp = bw_vop3_clamp(w);
	in->neg = (uint8_t)bw_vop3_neg(w);
	if (in->fmt == BW_FMT_VOP3) {
		in->abs = (uint8_t)bw_vop3_abs(w);
		in->op_sel = (uint8_t)bw_vop3_op_sel(w);
		in->omod = (uint8_t)bw_vop3_omod(w);
	} else if (in->fmt == BW_FMT_VOP3SD) {
		in->sdst = (uint16_t)bw_vop3sd_sdst(w);
		in->omod = (uint8_t)bw_vop3sd_omod(w);
	} else if (in->fmt == BW_FMT_VOP3P) {
		in->neg_hi = (uint8_t)bw_vop3p_neg_hi(w);
		in->op_sel = (uint8_t)bw_vop3p_op_sel(w);
		in->op_sel_hi = (uint8_t)(bw_vop3p_op_sel_hi(w) | bw_vop3p_op_sel_hi2(w) << 2);
	} else {
		in->wait = (uint8_t)bw_vinterp_wait_exp(w);
		in->op_sel = (uint8_t)bw_vinterp_op_sel(w);
	}
	return take_vector_operands(d, raw, false);
}

/* One half of a VOPD: operands go to where in's X fields are. */
static bool take_vopd_half(struct decoding *d, const struct bw_isa_row *row, const uint16_t *raw,
			   uint16_t *src, uint8_t *n_src)
{
	*n_src = row->n_src;
	for (unsigned i = 0; i < row->n_src; i++) {
		if (row->kind[i] == BW_OPD_IMPLIED_VCC)
			src[i] = BW_SRC_VCC_LO;
		else if (row->kind[i] == BW_OPD_LIT)
			src[i] = BW_SRC_LITERAL;
		else
			src[i] = *raw++;
		if (!take_source(d, row->kind[i], row->n_reg[i], &src[i]))
			return false;
	}
	return true;
}

static bool fixed_bits_hold(const struct bw_isa_row *row, const uint32_t *w, unsigned base_dw)
{
	const struct bw_isa_fixed *f = &bw_isa_fixed[row->fixed];
	uint64_t bits = w[0] | (base_dw > 1 ? (uint64_t)w[1] << 32 : 0);
	return (bits & f->mask) == f->value;
}

/* Fields that a row does not use become 0. */
static void drop_unused(struct decoding *d, const struct bw_isa_row *row)
{
	uint64_t unused = bw_isa_fixed[row->fixed].unused;
	uint32_t lo = (uint32_t)unused, hi = (uint32_t)(unused >> 32);
	d->in->padded |= ((d->w[0] & lo) | (d->w[1] & hi)) != 0;
	d->w[0] &= ~lo;
	d->w[1] &= ~hi;
}

static const struct bw_isa_row *row_of(const struct bw_isa_space *space, unsigned opcode)
{
	unsigned row = opcode < space->n ? space->rows[opcode] : 0;
	return row ? &bw_isa_rows[row] : NULL;
}

static bool decode_vopd(struct decoding *d)
{
	struct bw_inst *in = d->in;
	const uint32_t *w = d->w;
	in->opcode_y = (uint16_t)bw_vopd_y_op(w);
	const struct bw_isa_row *y = row_of(&bw_isa_space_vopd_y, in->opcode_y);
	if (!y || !fixed_bits_hold(y, w, 2))
		return false;
	drop_unused(d, y);
	in->op_y = y->op;
	in->reads |= y->reads;
	in->writes |= y->writes;
	in->dst = (uint16_t)bw_vopd_x_vdst(w);
	in->dst_y = (uint16_t)(bw_vopd_y_vdst(w) << 1 | (~in->dst & 1));
	uint16_t x_raw[2] = {(uint16_t)bw_vopd_x_src0(w),
			     (uint16_t)(BW_SRC_VGPR0 + bw_vopd_x_vsrc1(w))};
	uint16_t y_raw[2] = {(uint16_t)bw_vopd_y_src0(w),
			     (uint16_t)(BW_SRC_VGPR0 + bw_vopd_y_vsrc1(w))};
	return take_vopd_half(d, d->row, x_raw, in->src, &in->n_src) &&
	       take_vopd_half(d, y, y_raw, in->src_y, &in->n_src_y);
}

static bool decode_ds(struct decoding *d)
{
	const struct bw_isa_row *row = d->row;
	struct bw_inst *in = d->in;
	const uint32_t *w = d->w;
	in->offset0 = (uint8_t)bw_ds_offset0(w);
	in->offset1 = (uint8_t)bw_ds_offset1(w);
	in->imm = in->offset1 << 8 | in->offset0;
	in->gds = bw_ds_gds(w);
	in->vaddr = (uint8_t)bw_ds_addr(w);
	in->vdata = (uint8_t)bw_ds_data0(w);
	in->vdata2 = (uint8_t)bw_ds_data1(w);
	in->dst = (uint16_t)bw_ds_vdst(w);
	return vgprs_exist(in->vdata, row->data_n_reg) &&
	       vgprs_exist(in->vdata2, row->data1_n_reg) && vgprs_exist(in->dst, row->dst_n_reg);
}

static bool decode_flat(struct decoding *d)
{
	const struct bw_isa_row *row = d->row;
	struct bw_inst *in = d->in;
	const uint32_t *w = d->w;
	uint16_t saddr = BW_SRC_NULL;
	unsigned n_addr = row->addr_n_reg;
	in->imm = (int32_t)bw_sign_extend(bw_global_offset(w), 13);
	if (in->fmt == BW_FMT_FLAT) {
		/* Bit 12 is ignored by the hardware (ISA manual). */
		in->imm &= 0xfff;
	} else if (in->fmt == BW_FMT_GLOBAL) {
		saddr = (uint16_t)bw_global_saddr(w);
		if (saddr == BW_SRC_EXEC_HI)
			saddr = BW_SRC_NULL; /* none too, says the ISA manual (doc/rules.md 380) */
		if (!align_sgprs(&saddr, 2))
			return false;
		if (saddr != BW_SRC_NULL)
			n_addr = 1;
	} else {
		saddr = (uint16_t)bw_scratch_saddr(w);
		in->sve = bw_scratch_sve(w);
		if (saddr == BW_SRC_EXEC_HI)
			saddr = BW_SRC_NULL;
	}
	in->saddr = (uint8_t)saddr;
	in->glc = bw_global_glc(w);
	in->slc = bw_global_slc(w);
	in->dlc = bw_global_dlc(w);
	in->vaddr = (uint8_t)bw_global_addr(w);
	in->vdata = (uint8_t)bw_global_data(w);
	in->dst = (uint16_t)bw_global_vdst(w);
	unsigned n_dst = (row->flags & BW_ROW_DST_IF_GLC) && !in->glc ? 1 : row->dst_n_reg;
	return vgprs_exist(in->vaddr, n_addr) && vgprs_exist(in->vdata, row->data_n_reg) &&
	       vgprs_exist(in->dst, n_dst);
}

static bool decode_buffer(struct decoding *d)
{
	const struct bw_isa_row *row = d->row;
	struct bw_inst *in = d->in;
	const uint32_t *w = d->w;
	uint16_t rsrc = (uint16_t)(bw_mubuf_srsrc(w) * 4);
	in->imm = (int32_t)bw_mubuf_offset(w);
	in->slc = bw_mubuf_slc(w);
	in->dlc = bw_mubuf_dlc(w);
	in->glc = bw_mubuf_glc(w);
	in->vaddr = (uint8_t)bw_mubuf_vaddr(w);
	in->vdata = (uint8_t)bw_mubuf_vdata(w);
	in->dst = in->vdata;
	in->srsrc = (uint8_t)rsrc;
	in->tfe = bw_mubuf_tfe(w);
	in->offen = bw_mubuf_offen(w);
	in->idxen = bw_mubuf_idxen(w);
	in->saddr = (uint8_t)bw_mubuf_soffset(w);
	if (in->fmt == BW_FMT_MTBUF)
		in->tbuf_format = (uint8_t)bw_mtbuf_format(w);
	if (!row->rsrc_n_reg)
		return true;
	if (!align_sgprs(&rsrc, row->rsrc_n_reg) ||
	    !(code_kind[in->saddr] & (CODE_REG | CODE_CONST | CODE_SPECIAL)))
		return false;
	return vgprs_exist(in->vaddr, in->offen && in->idxen ? 2 : 1) &&
	       vgprs_exist(in->vdata, row->data_n_reg + in->tfe);
}

/* How many addresses a sample or load takes depends on the image, and the hardware does not check:
 * only what every form of the opcode needs is looked at. Ray instructions have a fixed number. With
 * NSA theirs come in groups: node (2 VGPRs when 64 bits wide), extent, and runs of 3 for origin,
 * direction and inverse direction (A16: both directions in one run). */
static bool image_addresses_exist(const struct bw_isa_row *row, const struct bw_inst *in)
{
	bool ray = row->addr_n_reg > RAY_ADDRESSES;
	if (!in->n_nsa)
		return vgprs_exist(in->vaddr, row->addr_n_reg - (ray && in->a16 ? 3 : 0));
	if (!ray)
		return true;
	return vgprs_exist(in->vaddr, row->addr_n_reg - RAY_ADDRESSES) &&
	       vgprs_exist(in->nsa[1], 3) && vgprs_exist(in->nsa[2], 3) &&
	       (in->a16 || vgprs_exist(in->nsa[3], 3));
}

static bool decode_image(struct decoding *d)
{
	const struct bw_isa_row *row = d->row;
	struct bw_inst *in = d->in;
	const uint32_t *w = d->w;
	uint16_t rsrc = (uint16_t)(bw_mimg_srsrc(w) * 4), samp = (uint16_t)(bw_mimg_ssamp(w) * 4);
	in->dim = (uint8_t)bw_mimg_dim(w);
	in->unrm = bw_mimg_unrm(w);
	in->dmask = (uint8_t)bw_mimg_dmask(w);
	in->slc = bw_mimg_slc(w);
	in->dlc = bw_mimg_dlc(w);
	in->glc = bw_mimg_glc(w);
	in->r128 = bw_mimg_r128(w);
	in->a16 = bw_mimg_a16(w);
	in->d16 = bw_mimg_d16(w);
	in->vaddr = (uint8_t)bw_mimg_vaddr(w);
	in->vdata = (uint8_t)bw_mimg_vdata(w);
	in->dst = in->vdata;
	in->tfe = bw_mimg_tfe(w);
	in->lwe = bw_mimg_lwe(w);
	in->srsrc = (uint8_t)rsrc;
	in->ssamp = (uint8_t)samp;
	if (bw_mimg_nsa(w)) {
		if (d->size_dw >= d->n_dw)
			return false;
		uint32_t more = d->w[d->size_dw++];
		in->n_nsa = 4;
		for (unsigned i = 0; i < 4; i++)
			in->nsa[i] = (uint8_t)(more >> 8 * i);
	}
	return align_sgprs(&rsrc, row->rsrc_n_reg) &&
	       (!(row->flags & BW_ROW_SAMPLER) || align_sgprs(&samp, 4)) &&
	       vgprs_exist(in->vdata, row->data_n_reg) && image_addresses_exist(row, in);
}

static bool decode_export(struct decoding *d)
{
	struct bw_inst *in = d->in;
	const uint32_t *w = d->w;
	if (in->fmt == BW_FMT_LDSDIR) {
		in->dst = (uint16_t)bw_ldsdir_vdst(w);
		in->attr = (uint8_t)bw_ldsdir_attr(w);
		in->attr_chan = (uint8_t)bw_ldsdir_attr_chan(w);
		in->wait = (uint8_t)bw_ldsdir_wait_vdst(w);
		return true;
	}
	in->exp_en = (uint8_t)bw_exp_en(w);
	in->exp_target = (uint8_t)bw_exp_target(w);
	in->exp_done = bw_exp_done(w);
	in->exp_row = bw_exp_row_en(w);
	in->exp_src[0] = (uint8_t)bw_exp_vsrc0(w);
	in->exp_src[1] = (uint8_t)bw_exp_vsrc1(w);
	in->exp_src[2] = (uint8_t)bw_exp_vsrc2(w);
	in->exp_src[3] = (uint8_t)bw_exp_vsrc3(w);
	return true;
}

/* clang-format off */
static const struct {
	bool (*decode)(struct decoding *d);
	uint32_t (*opcode)(const uint32_t *w);
	uint8_t base_dw;
} formats[BW_FMT_COUNT] = {
	[BW_FMT_SOP1] = {decode_scalar, bw_sop1_op, 1},
	[BW_FMT_SOP2] = {decode_scalar, bw_sop2_op, 1},
	[BW_FMT_SOPC] = {decode_scalar, bw_sopc_op, 1},
	[BW_FMT_SOPK] = {decode_sopk, bw_sopk_op, 1},
	[BW_FMT_SOPP] = {decode_sopp, bw_sopp_op, 1},
	[BW_FMT_SMEM] = {decode_smem, bw_smem_op, 2},
	[BW_FMT_VOP1] = {decode_compact, bw_vop1_op, 1},
	[BW_FMT_VOP2] = {decode_compact, bw_vop2_op, 1},
	[BW_FMT_VOPC] = {decode_compact, bw_vopc_op, 1},
	[BW_FMT_VOP3] = {decode_vop3, bw_vop3_op, 2},
	[BW_FMT_VOP3SD] = {decode_vop3, bw_vop3_op, 2},
	[BW_FMT_VOP3P] = {decode_vop3, bw_vop3p_op, 2},
	[BW_FMT_VOPD] = {decode_vopd, bw_vopd_x_op, 2},
	[BW_FMT_VINTERP] = {decode_vop3, bw_vinterp_op, 2},
	[BW_FMT_LDSDIR] = {decode_export, bw_ldsdir_op, 1},
	[BW_FMT_DS] = {decode_ds, bw_ds_op, 2},
	[BW_FMT_FLAT] = {decode_flat, bw_flat_op, 2},
	[BW_FMT_GLOBAL] = {decode_flat, bw_global_op, 2},
	[BW_FMT_SCRATCH] = {decode_flat, bw_scratch_op, 2},
	[BW_FMT_MUBUF] = {decode_buffer, bw_mubuf_op, 2},
	[BW_FMT_MTBUF] = {decode_buffer, bw_mtbuf_op, 2},
	[BW_FMT_MIMG] = {decode_image, bw_mimg_op, 2},
	[BW_FMT_EXP] = {decode_export, NULL, 2},
};
/* clang-format on */

static enum bw_fmt format_of(uint32_t w)
{
	unsigned i = bw_isa_first_head[w >> 23];
	while (i && (w & bw_isa_heads[i].mask) != bw_isa_heads[i].value)
		i = bw_isa_heads[i].next;
	return i ? bw_isa_heads[i].fmt : BW_FMT_ILLEGAL;
}

bool bw_isa_decode(const uint32_t *words, size_t n_dw, struct bw_inst *out_inst)
{
	struct decoding d = {.n_dw = BW_MIN(n_dw, (size_t)MAX_DW), .in = out_inst};
	memcpy(d.w, words, d.n_dw * sizeof(d.w[0]));
	memset(out_inst, 0, sizeof(*out_inst));
	enum bw_fmt fmt = n_dw ? format_of(words[0]) : BW_FMT_ILLEGAL;
	unsigned opcode = formats[fmt].opcode ? formats[fmt].opcode(words) : 0;
	if (fmt != BW_FMT_ILLEGAL && formats[fmt].base_dw <= n_dw)
		d.row = row_of(&bw_isa_spaces[fmt], opcode);
	if (d.row) {
		out_inst->fmt = fmt = d.row->fmt;
		out_inst->opcode = (uint16_t)opcode;
		out_inst->op = d.row->op;
		out_inst->reads = d.row->reads;
		out_inst->writes = d.row->writes;
		d.size_dw = formats[fmt].base_dw;
		bool fixed = fixed_bits_hold(d.row, words, d.size_dw);
		drop_unused(&d, d.row);
		if (fixed && formats[fmt].decode(&d)) {
			out_inst->size_b = (uint8_t)(4 * d.size_dw);
			return true;
		}
		memset(out_inst, 0, sizeof(*out_inst));
	}
	out_inst->op = BW_OP_ILLEGAL;
	out_inst->fmt = fmt;
	out_inst->opcode = (uint16_t)opcode;
	out_inst->size_b = 4;
	return false;
}

void bw_isa_drop_unused(const struct bw_inst *inst, uint32_t *words)
{
	enum bw_fmt fmt = format_of(words[0]);
	const struct bw_isa_row *row =
		formats[fmt].opcode ? row_of(&bw_isa_spaces[fmt], formats[fmt].opcode(words))
				    : NULL;
	uint64_t unused = row ? bw_isa_fixed[row->fixed].unused : 0;
	if (inst->fmt == BW_FMT_VOPD)
		unused |= bw_isa_fixed[row_of(&bw_isa_space_vopd_y, inst->opcode_y)->fixed].unused;
	words[0] &= ~(uint32_t)unused;
	if (inst->size_b > 4)
		words[1] &= ~(uint32_t)(unused >> 32);
}
