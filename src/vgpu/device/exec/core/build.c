/* SPDX-License-Identifier: MIT */

/* Makes a record from a decoded instruction: its handler, and the places of its operands
 * (doc/hardware/encodings.md 4, doc/rules.md 25 to 74). */

#include <string.h>

#include "base/util.h"
#include "regs/field.h"
#include "vgpu/device/exec/core/apertures.h"
#include "vgpu/device/exec/core/build.h"
#include "vgpu/device/exec/alu/excp.h"
#include "vgpu/device/exec/compile/compile.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/core/zero_bits.h"
#include "vgpu/device/exec/check/check.h"
#include "vgpu/device/exec/check/init.h"
#include "vgpu/device/exec/strict/strict_priv.h"

/* Codes 240 to 248 by operand type. */
static const uint16_t float16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
				   0xc000, 0x4400, 0xc400, 0x3118};
static const uint32_t float32[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
				   0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
static const uint64_t float64[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
				   0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
				   0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

unsigned bw_type_bits(enum bw_row_type t)
{
	switch (t) {
	case BW_T_NONE:
		return 0;
	case BW_T_B16:
	case BW_T_U16:
	case BW_T_I16:
	case BW_T_F16:
	case BW_T_BF16:
	case BW_T_F16H:
		return 16;
	case BW_T_B32:
	case BW_T_U32:
	case BW_T_I32:
	case BW_T_F32:
	case BW_T_N32:
	case BW_T_X32:
	case BW_T_PKH:
	case BW_T_PKB:
	case BW_T_MIX:
		return 32;
	case BW_T_B64:
	case BW_T_U64:
	case BW_T_I64:
	case BW_T_F64:
	case BW_T_N64:
	case BW_T_PKF:
		return 64;
	}
	return 0;
}

static uint64_t literal(uint32_t v, enum bw_row_type t)
{
	if (t == BW_T_F64 || t == BW_T_N64)
		return bw_join32(v, 0); /* rule 60 */
	if (t == BW_T_I64)
		return (uint64_t)(int64_t)(int32_t)v; /* rule 59 */
	return v;
}

bool bw_constant(const struct bw_exec *x, const struct bw_inst *inst, unsigned code,
		 enum bw_row_type t, const struct bw_rec_ctx *ctx, uint64_t *out)
{
	unsigned bits = bw_type_bits(t);
	if (code == BW_SRC_LITERAL) {
		*out = literal(inst->literal, t);
	} else if (code == BW_SRC_NULL) {
		*out = 0;
	} else if (code >= BW_SRC_TTMP0 && code < BW_SRC_NULL) {
		if (ctx->priv)
			return false;
		*out = 0; /* rule 30 */
	} else if (bits == 64 && code == BW_SRC_M0) {
		*out = 0; /* low bit ignored: NULL */
	} else if (code >= BW_SRC_INT_0 && code <= BW_SRC_INT_64) {
		*out = code - BW_SRC_INT_0;
	} else if (code > BW_SRC_INT_64 && code <= BW_SRC_INT_NEG_16) {
		*out = (uint64_t)-(int64_t)(code - BW_SRC_INT_64);
	} else if (code >= BW_SRC_SHARED_BASE && code <= BW_SRC_PRIVATE_LIMIT) {
		bool shared = code == BW_SRC_SHARED_BASE || code == BW_SRC_SHARED_LIMIT;
		bool limit = code == BW_SRC_SHARED_LIMIT || code == BW_SRC_PRIVATE_LIMIT;
		struct bw_apertures ap = bw_apertures_of(x);
		*out = bits == 64 ? bw_join32(shared ? ap.shared_hi : ap.private_hi,
					      limit ? UINT32_MAX : 0)
				  : 0; /* rule 51 */
	} else if (code >= BW_SRC_HALF && code <= BW_SRC_INV_2PI) {
		unsigned i = code - BW_SRC_HALF;
		if (t == BW_T_BF16 || t == BW_T_PKB)
			*out = bw_half16(float32[i], 1); /* rule 57 */
		else if (bits == 16 || t == BW_T_PKH)
			*out = float16[i]; /* a pair: the low half, rule 55 */
		else if (t == BW_T_PKF)
			*out = float32[i]; /* the low one, which compilers take for both */
		else
			*out = bits == 64 ? float64[i] : float32[i];
	} else {
		return false;
	}
	return true;
}

static bool is_register(unsigned code)
{
	return code < 128 || code == BW_SRC_SCC;
}

uint32_t bw_scalar_read32(const struct bw_wave *w, const struct bw_inst *inst, unsigned code)
{
	if (code == BW_SRC_SCC)
		return w->scc;
	if (code >= BW_SRC_TTMP0 && code < BW_SRC_NULL)
		return w->status & BW_STATUS_PRIV ? w->s[code] : 0;
	if (code == BW_SRC_NULL)
		return 0;
	if (code < 128)
		return w->s[code];
	if (code == BW_SRC_LITERAL)
		return inst->literal;
	if (code >= BW_SRC_INT_0 && code <= BW_SRC_INT_64)
		return code - 128;
	if (code > BW_SRC_INT_64 && code <= BW_SRC_INT_NEG_16)
		return (uint32_t)-(int32_t)(code - BW_SRC_INT_64);
	if (code >= BW_SRC_HALF && code <= BW_SRC_INV_2PI)
		return float32[code - BW_SRC_HALF];
	return 0;
}

static void at_wave(struct bw_rec *rec, unsigned slot, size_t offset_b)
{
	rec->base[slot] = BW_BASE_WAVE;
	rec->off[slot] = offset_b;
}

static void at_host(struct bw_rec *rec, unsigned slot, const void *p)
{
	rec->base[slot] = BW_BASE_ABS;
	rec->off[slot] = (uint64_t)(uintptr_t)p;
}

bool bw_build_scalar_src(struct bw_build *b, unsigned slot, unsigned code, enum bw_row_type t)
{
	uint64_t value;
	bool wide = bw_type_bits(t) == 64;
	if (wide && code < 128)
		code &= ~1u;
	if (bw_constant(b->x, b->inst, code, t, &b->page->ctx, &value)) {
		uint64_t *p = bw_code_alloc(b->page, sizeof(*p));
		*p = value;
		at_host(b->rec, slot, p);
	} else if (!is_register(code)) {
		return false;
	} else if (code == BW_SRC_SCC) {
		if (wide) {
			b->rec->flags |= BW_REC_SCC64;
			at_wave(b->rec, slot, offsetof(struct bw_wave, scc64));
		} else {
			at_wave(b->rec, slot, offsetof(struct bw_wave, scc));
		}
	} else {
		at_wave(b->rec, slot, offsetof(struct bw_wave, s) + 4 * (size_t)code);
	}
	return true;
}

bool bw_build_scalar_dst(struct bw_build *b, unsigned code, enum bw_row_type t)
{
	if (bw_type_bits(t) == 64)
		code &= ~1u;
	if (code == BW_SRC_NULL)
		at_wave(b->rec, 0, offsetof(struct bw_wave, null_dst));
	else if (code >= BW_SRC_TTMP0 && code < BW_SRC_NULL && !b->page->ctx.priv)
		return false; /* the write is dropped */
	else
		at_wave(b->rec, 0, offsetof(struct bw_wave, s) + 4 * (size_t)code);
	return true;
}

/* The handler for instructions that read SCC as a 64-bit value; rare. */
static BW_HANDLER(with_scc64)
{
	w->scc64 = w->scc;
	return rec->scalar->fn[rec->form](rec, w, x, left, vgpr);
}

/* Scalar rows have handlers for each mix of registers and constants: a register's offset in the
 * wave, or the value itself, stands in rec->off. */
static bool scalar_src(struct bw_build *b, unsigned i, unsigned code, enum bw_row_type t)
{
	uint64_t value;
	if (bw_constant(b->x, b->inst, code, t, &b->page->ctx, &value)) {
		b->rec->off[1 + i] = value;
		b->rec->form |= (uint8_t)(1u << i);
		return true;
	}
	return bw_build_scalar_src(b, 1 + i, code, t);
}

static bool build_scalar(struct bw_build *b, const struct bw_scalar_row *row)
{
	struct bw_rec *rec = b->rec;
	const struct bw_inst *inst = b->inst;
	bool has_imm = row->form == BW_SCALAR_K || row->form == BW_SCALAR_KU;
	unsigned code[2] = {inst->src[0], inst->src[1]};
	rec->scalar = row;
	if (row->form == BW_SCALAR_DST)
		code[1] = inst->dst;
	if (has_imm) {
		code[0] = inst->dst;
		rec->off[2] = row->form == BW_SCALAR_K ? (uint64_t)(int64_t)inst->imm
						       : (uint16_t)inst->imm;
		rec->form |= 2;
	}
	for (unsigned i = 0; i < (has_imm ? 1u : 2u); i++)
		if (row->src[i] != BW_T_NONE && !scalar_src(b, i, code[i], row->src[i]))
			return false;
	if (row->dst != BW_T_NONE && !bw_build_scalar_dst(b, inst->dst, row->dst))
		rec->fn = bw_h_nop; /* a dropped TTMP write leaves SCC alone too: rule 31 */
	else if (rec->flags & BW_REC_SCC64)
		rec->fn = with_scc64;
	else
		rec->fn = row->fn[rec->form];
	return true;
}

static bool build_wave(struct bw_build *b, const struct bw_wave_row *row)
{
	struct bw_rec *rec = b->rec;
	const struct bw_inst *inst = b->inst;
	rec->fn = bw_check_handler(b->x, inst, row->fn);
	switch ((enum bw_wave_form)row->form) {
	case BW_WAVE_RAW:
		break;
	case BW_WAVE_SCALAR:
		if (row->src != BW_T_NONE && !bw_build_scalar_src(b, 1, inst->src[0], row->src))
			return false;
		/* The handlers of this form have effects beyond the destination; that one is
		 * dropped. */
		if (row->dst != BW_T_NONE && !bw_build_scalar_dst(b, inst->dst, row->dst))
			at_wave(rec, 0, offsetof(struct bw_wave, null_dst));
		break;
	case BW_WAVE_BRANCH: {
		uint64_t pc = b->page->va + (uint64_t)(rec - b->page->rec) * 4;
		uint64_t target = bw_canonical(pc + 4 + (uint64_t)((int64_t)inst->imm * 4));
		rec->off[1] = target;
		if (target - b->page->va < BW_PAGE_B)
			rec->target = &b->page->rec[(target - b->page->va) / 4];
		else
			rec->target = NULL;
		break;
	}
	case BW_WAVE_VECTOR:
		if (b->page->ctx.n_vgprs == 0)
			rec->fn = bw_h_no_vgprs;
		if (inst->dpp != BW_DPP_NONE)
			bw_dpp_prepare(b->page, inst, rec);
		break;
	}
	return true;
}

static void fill(void *out, uint64_t value, unsigned bits)
{
	for (unsigned l = 0; l < BW_LANES; l++) {
		if (bits == 16)
			((uint16_t *)out)[l] = (uint16_t)value;
		else if (bits == 32)
			((uint32_t *)out)[l] = (uint32_t)value;
		else
			((uint64_t *)out)[l] = value;
	}
}

static bool vector_src(struct bw_build *b, unsigned i, unsigned code, enum bw_row_type t)
{
	if (t == BW_T_MIX) /* says which constants: rule 53 */
		t = b->inst->op_sel_hi >> i & 1 ? BW_T_PKH : BW_T_F32;
	const struct bw_rec_ctx *ctx = &b->page->ctx;
	struct bw_rec *rec = b->rec;
	unsigned bits = bw_type_bits(t);
	uint64_t value;
	if (code >= BW_SRC_VGPR0) {
		unsigned n = code - BW_SRC_VGPR0, last = n + (bits == 64);
		if (last >= ctx->n_vgprs)
			n = b->inst->fmt == BW_FMT_VOPD ? n % 4 : 0; /* rules 41, 40 */
		rec->base[1 + i] = BW_BASE_VGPR;
		rec->off[1 + i] = (uint64_t)n * ctx->lanes * 4;
		return true;
	}
	if (bits == 64 && code < 128)
		code &= ~1u;
	if (bw_constant(b->x, b->inst, code, t, ctx, &value)) {
		/* OPSEL takes the upper half of a literal too: ACO of Mesa 26 puts two constants
		 * into one. */
		if (bits == 16 && code == BW_SRC_LITERAL && b->inst->op_sel >> i & 1)
			value = bw_half16(b->inst->literal, 1);
		void *p = bw_code_alloc(b->page, BW_LANES * bits / 8);
		fill(p, value, bits);
		at_host(rec, 1 + i, p);
		return true;
	}
	if (!is_register(code))
		return false;
	rec->base[1 + i] = BW_BASE_BCAST;
	rec->off[1 + i] = i * sizeof(b->x->bcast[0]);
	rec->bcast |= (uint8_t)(1u << i);
	return true;
}

static void mask_src(struct bw_build *b, unsigned slot, unsigned code)
{
	static const uint64_t zero;
	const struct bw_rec_ctx *ctx = &b->page->ctx;
	if (ctx->lanes == 64)
		code &= ~1u;
	if (code >= 128 || code == BW_SRC_NULL ||
	    (code >= BW_SRC_TTMP0 && code < BW_SRC_NULL && !ctx->priv))
		at_host(b->rec, slot, &zero);
	else
		at_wave(b->rec, slot, offsetof(struct bw_wave, s) + 4 * (size_t)code);
}

static bool is_pair(enum bw_row_type t)
{
	return t == BW_T_PKH || t == BW_T_PKB || t == BW_T_PKF;
}

static bool has_modifiers(const struct bw_inst *inst, const struct bw_map_row *row)
{
	bool has_pairs = row->shape == BW_SHAPE_PACKED || is_pair((enum bw_row_type)row->src[0]);
	if (row->src[0] == BW_T_MIX)
		return true;
	if (inst->fmt == BW_FMT_VOP3P && has_pairs && (~inst->op_sel_hi & ((1u << row->n_src) - 1)))
		return true;
	return inst->abs || inst->neg || inst->neg_hi || inst->omod || inst->op_sel ||
	       inst->dpp != BW_DPP_NONE || inst->sdwa ||
	       (inst->clamp && row->shape != BW_SHAPE_CMP && row->shape != BW_SHAPE_CMPX);
}

static bool all_32bit(const struct bw_map_row *row)
{
	bool is_cmp = row->shape == BW_SHAPE_CMP || row->shape == BW_SHAPE_CMPX;
	if (!is_cmp && bw_type_bits(row->dst) != 32)
		return false;
	for (unsigned i = 0; i < row->n_src; i++)
		if (bw_type_bits(row->src[i]) != 32)
			return false;
	return true;
}

/* gfx942: whether the upper half of the result's register becomes 0. It is kept by what the
 * destination is a source of (v_mac_f16), by v_madak_f16 and its kind, which have three sources in
 * VOP2, by v_fma_mixlo_f16 (as LLVM has it: GCNSubtarget, zeroesHigh16BitsOfDest), and by
 * v_cvt_pk_fp8_f32. */
static bool clears_high(const struct bw_inst *inst, const struct bw_map_row *row)
{
	bool keeps = row->reads_dst || row->src[0] == BW_T_MIX ||
		     (inst->fmt == BW_FMT_VOP2 && row->n_src == 3) ||
		     bw_isa_op_info(inst->op)->flags & BW_OPF_KEEPS_DST;
	return bw_type_bits((enum bw_row_type)row->dst) == 16 && row->dst != BW_T_F16H && !keeps &&
	       !(inst->op_sel & BW_OP_SEL_DST);
}

/* Operands of one lane-wise row from the codes given; dst is a VGPR number or, for compares, an
 * SGPR code. False: illegal operand. *out_nop: the destination is out of range, nothing happens. */
static bool build_operands(struct bw_build *b, const struct bw_map_row *row, unsigned dst,
			   const uint16_t *src, bool *out_nop)
{
	const struct bw_rec_ctx *ctx = &b->page->ctx;
	struct bw_rec *rec = b->rec;
	*out_nop = false;
	rec->map = row;
	if (row->shape == BW_SHAPE_CMP || row->shape == BW_SHAPE_CMPX) {
		if (row->shape == BW_SHAPE_CMPX && bw_isa_is_gfx9(ctx->gen))
			rec->flags |= BW_REC_EXEC_TOO;
		else if (row->shape == BW_SHAPE_CMPX)
			dst = BW_SRC_EXEC_LO; /* VOP3: whatever VDST says, rule 7 */
		if (!bw_build_scalar_dst(b, dst, ctx->lanes == 64 ? BW_T_B64 : BW_T_B32))
			at_wave(rec, 0, offsetof(struct bw_wave, null_dst));
	} else {
		unsigned n = bw_type_bits(row->dst) == 64 ? 2 : 1;
		if (dst + n > ctx->n_vgprs) {
			*out_nop = true; /* rule 39 */
			return true;
		}
		rec->base[0] = BW_BASE_VGPR;
		rec->off[0] = (uint64_t)dst * ctx->lanes * 4;
		if (bw_isa_is_gfx9(ctx->gen) && clears_high(b->inst, row))
			rec->flags |= BW_REC_ZERO_HIGH;
	}
	for (unsigned i = 0; i < row->n_src; i++) {
		unsigned code =
			row->reads_dst && i == row->n_src - 1u ? BW_SRC_VGPR0 + dst : src[i];
		if (!vector_src(b, i, code, row->src[i]))
			return false;
	}
	if (row->takes_mask && !row->vcc_mask)
		mask_src(b, 1 + row->n_src, src[row->n_src]);
	return true;
}

/* Nothing but |x| and -x: plain.c. */
static bool is_plain(const struct bw_inst *inst, const struct bw_map_row *row)
{
	bool is_cmp = row->shape == BW_SHAPE_CMP || row->shape == BW_SHAPE_CMPX;
	for (unsigned i = 0; i < row->n_src; i++)
		if (is_pair((enum bw_row_type)row->src[i]) || row->src[i] == BW_T_MIX)
			return false;
	return row->shape != BW_SHAPE_PACKED && inst->fmt != BW_FMT_VOP3P &&
	       !is_pair((enum bw_row_type)row->dst) && inst->dpp == BW_DPP_NONE && !inst->sdwa &&
	       !inst->omod && !inst->op_sel && (is_cmp || !inst->clamp);
}

/* The fastest handler for where the sources lie. */
static bw_handler *fast_handler(const struct bw_rec *rec, const struct bw_map_row *row)
{
	unsigned in_vgprs = 0, all = (1u << row->n_src) - 1;
	for (unsigned i = 0; i < row->n_src && i < 3; i++)
		in_vgprs |= (unsigned)(rec->base[1 + i] == BW_BASE_VGPR) << i;
	if (row->fast_v && in_vgprs == all)
		return row->fast_v;
	if (row->fast_s && in_vgprs == (all & ~1u))
		return row->fast_s;
	return row->fast;
}

static bool build_map(struct bw_build *b, const struct bw_map_row *row)
{
	struct bw_rec *rec = b->rec;
	bool nop;
	if (b->page->ctx.n_vgprs == 0) {
		rec->fn = bw_h_no_vgprs;
		return true;
	}
	if (!build_operands(b, row, b->inst->dst, b->inst->src, &nop))
		return false;
	if (nop)
		rec->fn = bw_h_nop;
	else if ((b->page->excp && bw_excp_possible(b->inst)) || rec->flags & BW_REC_EXEC_TOO)
		rec->fn = bw_h_map;
	else if (has_modifiers(b->inst, row) || !all_32bit(row))
		rec->fn = is_plain(b->inst, row) ? b->x->rows->plain : bw_h_map;
	else if (row->shape == BW_SHAPE_PACKED)
		rec->fn = bw_h_packed;
	else if (b->page->ctx.lanes == 64)
		rec->fn = bw_h_map64;
	else
		rec->fn = row->fast ? fast_handler(rec, row) : b->x->rows->plain;
	if (b->inst->dpp != BW_DPP_NONE)
		bw_dpp_prepare(b->page, b->inst, rec);
	return true;
}

/* VOPD: the Y half gets a record of its own after the instruction. */
static bool build_dual(struct bw_build *b, const struct bw_map_row *row_x)
{
	const struct bw_inst *inst = b->inst;
	struct bw_dual *dual = bw_code_alloc(b->page, sizeof(*dual));
	const struct bw_sem *sem_y = bw_exec_sem(inst->op_y);
	if (sem_y->kind != BW_SEM_DUAL || b->page->ctx.lanes != 32)
		return false; /* rule 225 */
	if (b->page->ctx.n_vgprs == 0) {
		b->rec->fn = bw_h_no_vgprs;
		return true;
	}
	dual->inst = *inst;
	dual->inst_y = *inst;
	dual->inst_y.dst = inst->dst_y;
	memcpy(dual->inst_y.src, inst->src_y, sizeof(inst->src_y));
	struct bw_rec *rec = b->rec;
	rec->inst = b->inst = &dual->inst;
	dual->y = (struct bw_rec){.size_dw = rec->size_dw, .inst = &dual->inst_y};
	struct bw_build y = *b;
	y.rec = &dual->y;
	y.inst = &dual->inst_y;
	bool nop_x, nop_y;
	if (!build_operands(b, row_x, dual->inst.dst, dual->inst.src, &nop_x) ||
	    !build_operands(&y, sem_y->map, dual->inst_y.dst, dual->inst_y.src, &nop_y))
		return false;
	/* X may write before Y reads when Y reads nothing of it. */
	for (unsigned i = 1; i < 4; i++)
		if (dual->y.base[i] == BW_BASE_VGPR && dual->y.off[i] == rec->off[0])
			rec->flags |= BW_REC_DEPENDS;
	rec->fn = nop_x || nop_y			    ? bw_h_nop
		  : b->page->excp && bw_excp_possible(inst) ? bw_h_dual_excp
							    : bw_h_dual;
	return true;
}

static bool build_mem(struct bw_build *b, const struct bw_mem_row *row)
{
	if (b->x->host.check)
		row = bw_check_row(row, b->inst->op);
	b->rec->fn = bw_h_mem;
	b->rec->mem = row;
	return !row->prepare || row->prepare(b->rec, &b->page->ctx);
}

/* The words at a record do not decode: finds out whether they are illegal, or the rest of the
 * instruction lies in a page that cannot be executed. */
static bool is_cut(const struct bw_exec *x, const uint32_t *word, unsigned n)
{
	uint32_t padded[3] = {0};
	struct bw_inst inst;
	memcpy(padded, word, n * 4);
	return n < 3 && bw_isa_decode(x->gen, padded, 3, &inst) && inst.size_b > n * 4;
}

static BW_HANDLER(fetch_fault)
{
	struct bw_vm_fault fault = {0};
	bw_tlb_lookup(w->tlb, x->code.page->va + BW_PAGE_B, BW_ACCESS_EXECUTE, &fault);
	w->fault = fault;
	w->fault_lanes = 0;
	x->fault_page = true;
	/* Another thread may have mapped the page meanwhile: decode again the next time. */
	((struct bw_rec *)rec)->fn = bw_h_decode;
	BW_EXIT(BW_EXIT_FAULT, bw_code_pc(&x->code, rec));
}

void bw_build_acc(struct bw_inst *inst, unsigned accum_offset)
{
	for (unsigned i = 0; i < inst->n_src; i++)
		if (inst->src[i] >= BW_SRC_ACC0)
			inst->src[i] = (uint16_t)(inst->src[i] - BW_SRC_ACC0 + BW_SRC_VGPR0 +
						  accum_offset);
	if (!inst->acc)
		return;
	inst->dst = (uint16_t)(inst->dst + accum_offset);
	inst->vdata = (uint16_t)(inst->vdata + accum_offset);
	inst->vdata2 = (uint16_t)(inst->vdata2 + accum_offset);
	inst->acc = false;
}

static bool build(struct bw_build *b)
{
	const struct bw_sem *sem = bw_exec_sem(b->inst->op);
	switch (sem->kind) {
	case BW_SEM_NONE:
		return false;
	case BW_SEM_ABSENT:
		b->rec->fn = bw_h_absent;
		b->rec->why = sem->absent->why;
		return true;
	case BW_SEM_MAP:
		return build_map(b, sem->map);
	case BW_SEM_SCALAR:
		return build_scalar(b, sem->scalar);
	case BW_SEM_WAVE:
		return build_wave(b, sem->wave);
	case BW_SEM_MEM:
		return build_mem(b, sem->mem);
	case BW_SEM_DUAL:
		return build_dual(b, sem->map);
	}
	return false;
}

void bw_decode(struct bw_rec *out, struct bw_wave *w, struct bw_exec *x)
{
	struct bw_code_page *page = x->code.page;
	unsigned index = (unsigned)(out - page->rec);
	const uint32_t *word;
	unsigned n = bw_code_words(page, w, index, &word);
	struct bw_inst *inst = bw_code_alloc(page, sizeof(*inst));
	*out = (struct bw_rec){.inst = inst, .size_dw = 1};
	struct bw_build b = {.x = x, .page = page, .rec = out, .inst = inst};
	if (!bw_isa_decode(x->gen, word, n, inst)) {
		out->fn = is_cut(x, word, n) ? fetch_fault : bw_h_illegal;
	} else {
		if (bw_isa_is_gfx9(x->gen))
			bw_build_acc(inst, page->ctx.accum_offset);
		enum bw_zero_bit zero = bw_zero_bit_take(x->gen, inst);
		out->size_dw = inst->size_b / 4;
		out->fn = build(&b) ? bw_zero_bit_wrap(page, out, zero) : bw_h_illegal;
	}
	if (x->host.check && bw_init_is_on(x->host.check))
		bw_init_wrap(x, page, out, inst);
	if (x->host.strict)
		bw_strict_wrap(x, page, out, inst);
	if (page->slot && out->fn != fetch_fault)
		bw_tally_wrap(&x->tally, page, out);
}

BW_HANDLER(bw_h_decode)
{
	struct bw_rec *out = &x->code.page->rec[rec - x->code.page->rec];
	bw_decode(out, w, x);
	bw_compile_at(x, w, (unsigned)(rec - x->code.page->rec));
	return out->fn(out, w, x, left, vgpr);
}
