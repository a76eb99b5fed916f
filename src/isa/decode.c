/* SPDX-License-Identifier: MIT */
#include "isa/inst.h"

#include <string.h>

#include "base/util.h"
#include "isa/decoding.h"
#include "isa/extra_words.h"
#include "isa/opcode_tables.h"
#include "isa/ops.h"

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

/* The kind of each code below 256; zero is reserved. 239, 251, 252 and 254 are reserved by the
 * manual and decoded by LLVM 19: they pass here. */
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
	[BW_OPD_ACC] = CODE_VGPR,
	[BW_OPD_MASK] = CODE_REG,
	[BW_OPD_MATC] = CODE_CONST | CODE_VGPR,
	[BW_OPD_ACC_AB] = CODE_VGPR,
	[BW_OPD_ACC_C] = CODE_CONST | CODE_VGPR,
	/* LLVM has VGPRs only; the example of rule 152 has its S1 in an SGPR and ran on hardware. */
	[BW_OPD_INTERP] = CODE_REG | CODE_CONST | CODE_VGPR,
	[BW_OPD_IMPLIED_EXEC] = 0,
};
/* clang-format on */

static bool vgprs_exist(unsigned first, unsigned n)
{
	return first + n <= 256;
}

static bool take_literal(struct decoding *d)
{
	if (d->in->has_literal)
		return true;
	if (d->in->dpp != BW_DPP_NONE || d->in->sdwa || (d->row->flags & BW_ROW_NO_LITERAL) ||
	    d->size_dw >= d->n_dw)
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
		if (!vgprs_exist(*code % 256, n_reg))
			return false;
		if (kind == BW_OPD_ACC || (kind == BW_OPD_ACC_C && d->in->acc))
			*code += BW_SRC_ACC0 - BW_SRC_VGPR0;
		return true;
	case CODE_REG:
		/* LLVM's register class for lane masks leaves EXEC out. */
		if (kind == BW_OPD_MASK)
			return *code < BW_SRC_EXEC_LO && (n_reg == 1 || align_sgprs(code, n_reg));
		return align_sgprs(code, n_reg);
	case CODE_LDS:
		return n_reg == 1;
	case CODE_LITERAL:
		return take_literal(d);
	default:
		return true;
	}
}

/* Compact encodings of 16-bit operands have 7 bits of VGPR number and the half in the eighth. */
static void fold_half(struct decoding *d, unsigned slot)
{
	struct bw_inst *in = d->in;
	uint16_t *reg = slot == 3 ? &in->dst : &in->src[slot];
	unsigned base = slot == 3 ? 0 : BW_SRC_VGPR0;
	if ((d->row->half >> slot & 1) && *reg >= base + BW_VGPR_HIGH_HALF) {
		*reg -= BW_VGPR_HIGH_HALF;
		in->op_sel |= (uint8_t)(1u << slot);
	}
}

/* The source fields in order become operands: those without a field are put between them. */
static void spread_sources(const struct bw_isa_row *row, uint16_t src[3])
{
	const uint16_t raw[3] = {src[0], src[1], src[2]};
	unsigned n = 0;
	src[0] = src[1] = src[2] = 0;
	for (unsigned i = 0; i < row->n_src; i++) {
		if (row->kind[i] == BW_OPD_IMPLIED_VCC)
			src[i] = BW_SRC_VCC_LO;
		else if (row->kind[i] == BW_OPD_LIT)
			src[i] = BW_SRC_LITERAL;
		else
			src[i] = raw[n++];
	}
}

/* Sources and destination of a vector ALU instruction. */
static bool take_vector_operands(struct decoding *d, bool compact)
{
	const struct bw_isa_row *row = d->row;
	struct bw_inst *in = d->in;
	in->n_src = row->n_src;
	spread_sources(row, in->src);
	unsigned marker = in->src[0];
	if (row->n_src &&
	    (marker == BW_SRC_DPP8 || marker == BW_SRC_DPP8_FI || marker == BW_SRC_DPP16) &&
	    !bw_decoding_take_dpp(d, marker, compact))
		return false;
	if (marker == BW_SRC_SDWA && (row->flags & BW_ROW_SDWA) && !bw_decoding_take_sdwa(d))
		return false;
	if ((row->flags & BW_ROW_DPP_VGPR1) && in->dpp != BW_DPP_NONE && in->src[1] < BW_SRC_VGPR0)
		return false;
	for (unsigned i = 0; i < row->n_src; i++) {
		fold_half(d, i);
		unsigned kind = row->kind[i];
		if (in->sdwa && kind == BW_OPD_VGPR)
			kind = BW_OPD_VSRC;
		if (!take_source(d, kind, row->n_reg[i], &in->src[i]))
			return false;
	}
	switch (row->dst_kind) {
	case BW_OPD_IMPLIED_VCC:
		if (!in->sdwa)
			in->dst = BW_SRC_VCC_LO;
		return true;
	case BW_OPD_IMPLIED_EXEC:
		in->dst = BW_SRC_EXEC_LO;
		return true;
	case BW_OPD_SDST:
		if (in->dst <= BW_SRC_EXEC_HI)
			in->dst = d->tables->codes[in->dst];
		return in->dst <= BW_SRC_EXEC_HI &&
		       (row->dst_n_reg == 1 || align_sgprs(&in->dst, row->dst_n_reg));
	case BW_OPD_ACC:
		in->acc = true;
		return vgprs_exist(in->dst, row->dst_n_reg);
	case BW_OPD_VGPR:
		fold_half(d, 3);
		return vgprs_exist(in->dst, row->dst_n_reg);
	default:
		return true;
	}
}

static bool check_scalar(struct decoding *d)
{
	const struct bw_isa_row *row = d->row;
	struct bw_inst *in = d->in;
	in->n_src = row->n_src;
	for (unsigned i = 0; i < in->n_src; i++)
		if (!take_source(d, row->kind[i], row->n_reg[i], &in->src[i]))
			return false;
	/* s_set_gpr_idx_on: not an operand code */
	if (in->fmt == BW_FMT_SOPC && row->kind[1] == BW_OPD_IMM)
		in->src[1] = (uint16_t)(d->w[0] >> 8 & 0xff);
	if (row->dst_kind != BW_OPD_NONE)
		return align_sgprs(&in->dst, row->dst_n_reg);
	if (in->dst > BW_SRC_EXEC_HI) /* not used; a number that names nothing */
		in->dst = 0;
	return true;
}

static bool check_sopk(struct decoding *d)
{
	const struct bw_isa_row *row = d->row;
	if (row->flags & BW_ROW_LITERAL) { /* SDST is not used */
		if (d->in->dst > BW_SRC_EXEC_HI)
			d->in->dst = 0;
		return take_literal(d);
	}
	if (d->in->dst > BW_SRC_EXEC_HI)
		return false;
	return row->dst_kind == BW_OPD_NONE || align_sgprs(&d->in->dst, row->dst_n_reg);
}

static bool check_nothing(struct decoding *d)
{
	return true;
}

static bool check_smem(struct decoding *d)
{
	const struct bw_isa_row *row = d->row;
	struct bw_inst *in = d->in;
	uint16_t base = in->saddr;
	if (row->rsrc_n_reg && !align_sgprs(&base, row->rsrc_n_reg))
		return false;
	in->saddr = (uint8_t)base;
	if (in->soffset > BW_SRC_EXEC_HI)
		return false;
	if (row->dst_kind != BW_OPD_SDATA)
		return true;
	return align_sgprs(&in->dst, row->dst_n_reg) && in->dst != BW_SRC_M0 &&
	       in->dst < BW_SRC_EXEC_LO;
}

static bool check_compact(struct decoding *d)
{
	if (d->row->flags & BW_ROW_SDST)
		d->in->sdst = BW_SRC_VCC_LO;
	return take_vector_operands(d, true);
}

static bool check_vop3(struct decoding *d)
{
	if ((d->row->flags & BW_ROW_SDST_PAIR) && !align_sgprs(&d->in->sdst, 2))
		return false;
	return take_vector_operands(d, false);
}

static bool check_vopd_half(struct decoding *d, const struct bw_isa_row *row, uint16_t *src,
			    uint8_t *n_src)
{
	*n_src = row->n_src;
	spread_sources(row, src);
	for (unsigned i = 0; i < row->n_src; i++)
		if (!take_source(d, row->kind[i], row->n_reg[i], &src[i]))
			return false;
	return true;
}

/* Whether the bits that a row wants fixed are so. Those that it does not use become 0. */
static bool take_fixed(struct decoding *d, const struct bw_isa_row *row)
{
	const struct bw_isa_fixed *f = &bw_isa_fixed[row->fixed];
	/* Formats of one dword have nothing in the upper half. */
	uint64_t bits = bw_join32(d->w[1], d->w[0]);
	if ((bits & f->mask) != f->value)
		return false;
	d->in->padded |= (bits & f->unused) != 0;
	d->w[0] &= ~(uint32_t)f->unused;
	d->w[1] &= ~bw_hi32(f->unused);
	return true;
}

static bool check_vopd(struct decoding *d)
{
	struct bw_inst *in = d->in;
	const struct bw_isa_layout *layout = d->tables->layout_y;
	in->opcode_y = (uint16_t)(d->w[0] >> layout->op_shift & layout->op_mask);
	const struct bw_isa_row *y = bw_isa_row(&d->tables->spaces[BW_FMT_COUNT], in->opcode_y);
	if (!y || !take_fixed(d, y))
		return false;
	layout->get(d->w, in);
	in->op_y = y->op;
	in->reads |= y->reads;
	in->writes |= y->writes;
	return check_vopd_half(d, d->row, in->src, &in->n_src) &&
	       check_vopd_half(d, y, in->src_y, &in->n_src_y);
}

static bool check_ds(struct decoding *d)
{
	const struct bw_isa_row *row = d->row;
	struct bw_inst *in = d->in;
	in->imm = in->offset1 << 8 | in->offset0;
	return vgprs_exist(in->vdata, row->data_n_reg) &&
	       vgprs_exist(in->vdata2, row->data1_n_reg) && vgprs_exist(in->dst, row->dst_n_reg);
}

static bool check_flat(struct decoding *d)
{
	const struct bw_isa_row *row = d->row;
	struct bw_inst *in = d->in;
	uint16_t saddr = in->fmt == BW_FMT_FLAT ? (uint16_t)BW_SRC_NULL : in->saddr;
	unsigned n_addr = row->addr_n_reg;
	/* This also means none, by the ISA manual (doc/rules.md 380). */
	if (saddr == BW_SRC_EXEC_HI)
		saddr = BW_SRC_NULL;
	if (in->fmt == BW_FMT_FLAT) {
		/* Bit 12 is ignored by the hardware (ISA manual). */
		in->imm &= 0xfff;
	} else if (in->fmt == BW_FMT_GLOBAL) {
		if (!align_sgprs(&saddr, 2))
			return false;
		if (saddr != BW_SRC_NULL)
			n_addr = 1;
	}
	if (saddr > BW_SRC_EXEC_HI)
		return false;
	in->saddr = (uint8_t)saddr;
	unsigned n_dst = (row->flags & BW_ROW_DST_IF_GLC) && !in->glc ? 1 : row->dst_n_reg;
	return vgprs_exist(in->vaddr, n_addr) && vgprs_exist(in->vdata, row->data_n_reg) &&
	       vgprs_exist(in->dst, n_dst);
}

static bool check_buffer(struct decoding *d)
{
	const struct bw_isa_row *row = d->row;
	struct bw_inst *in = d->in;
	uint16_t rsrc = in->srsrc;
	in->dst = in->vdata;
	if (!row->rsrc_n_reg)
		return true;
	if (!align_sgprs(&rsrc, row->rsrc_n_reg) ||
	    !(code_kind[in->saddr] & (CODE_REG | CODE_CONST | CODE_SPECIAL)))
		return false;
	return vgprs_exist(in->vaddr, in->offen && in->idxen ? 2 : 1) &&
	       vgprs_exist(in->vdata, row->data_n_reg + in->tfe);
}

/* The number of addresses of a sample or load depends on the image, and the hardware does not check
 * it: only those that every form of the opcode needs are checked. Ray instructions have a fixed
 * number. With NSA theirs come in groups: node (2 VGPRs when 64 bits wide), extent, and runs of 3
 * for origin, direction and inverse direction (A16: both directions in one run). */
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

static bool check_image(struct decoding *d)
{
	const struct bw_isa_row *row = d->row;
	struct bw_inst *in = d->in;
	uint16_t rsrc = in->srsrc, samp = in->ssamp;
	in->dst = in->vdata;
	if (d->w[0] >> d->tables->layouts[BW_FMT_MIMG].nsa_bit & 1) {
		if (d->size_dw >= d->n_dw)
			return false;
		uint32_t more = d->w[d->size_dw++];
		in->n_nsa = 4;
		for (unsigned i = 0; i < 4; i++)
			in->nsa[i] = (uint8_t)bw_words_get(&more, BW_NSA_VADDR(i));
	}
	return align_sgprs(&rsrc, row->rsrc_n_reg) &&
	       (!(row->flags & BW_ROW_SAMPLER) || align_sgprs(&samp, 4)) &&
	       vgprs_exist(in->vdata, row->data_n_reg) && image_addresses_exist(row, in);
}

/* Checks to make after reading the fields. */
/* clang-format off */
static bool (*const checks[BW_FMT_COUNT])(struct decoding *d) = {
	[BW_FMT_SOP1] = check_scalar,
	[BW_FMT_SOP2] = check_scalar,
	[BW_FMT_SOPC] = check_scalar,
	[BW_FMT_SOPK] = check_sopk,
	[BW_FMT_SOPP] = check_nothing,
	[BW_FMT_SMEM] = check_smem,
	[BW_FMT_VOP1] = check_compact,
	[BW_FMT_VOP2] = check_compact,
	[BW_FMT_VOPC] = check_compact,
	[BW_FMT_VOP3] = check_vop3,
	[BW_FMT_VOP3SD] = check_vop3,
	[BW_FMT_VOP3P] = check_vop3,
	[BW_FMT_MAI] = check_vop3,
	[BW_FMT_VOPD] = check_vopd,
	[BW_FMT_VINTERP] = check_vop3,
	[BW_FMT_LDSDIR] = check_nothing,
	[BW_FMT_DS] = check_ds,
	[BW_FMT_FLAT] = check_flat,
	[BW_FMT_GLOBAL] = check_flat,
	[BW_FMT_SCRATCH] = check_flat,
	[BW_FMT_MUBUF] = check_buffer,
	[BW_FMT_MTBUF] = check_buffer,
	[BW_FMT_MIMG] = check_image,
	[BW_FMT_EXP] = check_nothing,
};
/* clang-format on */

static enum bw_fmt format_of(const struct bw_isa_tables *t, uint32_t w)
{
	unsigned i = t->first_head[w >> BW_ISA_HEAD_LO];
	while (i && (w & t->heads[i].mask) != t->heads[i].value)
		i = t->heads[i].next;
	return i ? t->heads[i].fmt : BW_FMT_ILLEGAL;
}

bool bw_isa_decode(enum bw_isa_gen gen, const uint32_t *words, size_t n_dw,
		   struct bw_inst *out_inst)
{
	const struct bw_isa_tables *t = &bw_isa_tables[gen];
	struct decoding d = {.n_dw = BW_MIN(n_dw, (size_t)MAX_DW), .tables = t, .in = out_inst};
	for (size_t i = 0; i < d.n_dw; i++)
		d.w[i] = words[i];
	memset(out_inst, 0, sizeof(*out_inst));
	enum bw_fmt fmt = n_dw ? format_of(t, words[0]) : BW_FMT_ILLEGAL;
	const struct bw_isa_layout *layout = &t->layouts[fmt];
	unsigned opcode = fmt != BW_FMT_ILLEGAL ? d.w[0] >> layout->op_shift & layout->op_mask : 0;
	if (fmt != BW_FMT_ILLEGAL && layout->n_dw <= n_dw)
		d.row = bw_isa_row(&t->spaces[fmt], opcode);
	if (d.row) {
		bool fixed = !d.row->fixed || take_fixed(&d, d.row);
		if (!fixed && d.row->other) {
			d.row = &bw_isa_rows[d.row->other];
			fixed = take_fixed(&d, d.row);
		}
		out_inst->fmt = fmt = d.row->fmt;
		out_inst->opcode = (uint16_t)opcode;
		out_inst->op = d.row->op;
		out_inst->reads = d.row->reads;
		out_inst->writes = d.row->writes;
		d.size_dw = layout->n_dw;
		t->layouts[fmt].get(d.w, out_inst);
		if (fixed && checks[fmt](&d)) {
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

bool bw_isa_decode_at(enum bw_isa_gen gen, const void *code, uint64_t size_b, uint64_t at,
		      struct bw_inst *out_inst)
{
	uint32_t words[MAX_DW];
	uint64_t left = at % 4 || at > size_b ? 0 : (size_b - at) / 4;
	size_t n = BW_MIN(left, (uint64_t)MAX_DW);
	if (n)
		memcpy(words, (const uint8_t *)code + at, 4 * n);
	return bw_isa_decode(gen, words, n, out_inst);
}

void bw_isa_drop_unused(enum bw_isa_gen gen, const struct bw_inst *inst, uint32_t *words)
{
	const struct bw_isa_tables *t = &bw_isa_tables[gen];
	const struct bw_isa_row *row = bw_isa_row(&t->spaces[format_of(t, words[0])], inst->opcode);
	if (row && row->op != inst->op && row->other)
		row = &bw_isa_rows[row->other];
	uint64_t unused = row ? bw_isa_fixed[row->fixed].unused : 0;
	if (inst->fmt == BW_FMT_VOPD)
		unused |= bw_isa_fixed[bw_isa_row(&t->spaces[BW_FMT_COUNT], inst->opcode_y)->fixed]
				  .unused;
	words[0] &= ~(uint32_t)unused;
	if (inst->size_b > 4)
		words[1] &= ~bw_hi32(unused);
}
