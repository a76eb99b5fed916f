/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/core/tally.h"

#include <stdlib.h>

#include "arch/arch.h"
#include "isa/ops.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/core/hwreg.h"

void bw_tally_fini(struct bw_tally *t)
{
	struct bw_tally_cell *c = atomic_load(&t->first);
	while (c) {
		struct bw_tally_cell *next = atomic_load(&c->next);
		free(c);
		c = next;
	}
	atomic_store(&t->first, NULL);
}

static void add_count(struct bw_tally_cell *c, uint64_t by)
{
	/* One writer: no locked addition is needed. */
	uint64_t n = atomic_load_explicit(&c->n, memory_order_relaxed);
	atomic_store_explicit(&c->n, n + by, memory_order_relaxed);
}

static struct bw_tally_cell *cell(struct bw_tally *t, unsigned op, struct bw_op_fidelity f,
				  bool is_second)
{
	_Atomic(struct bw_tally_cell *) *at = &t->first;
	struct bw_tally_cell *c;
	for (; (c = atomic_load_explicit(at, memory_order_relaxed)); at = &c->next)
		if (c->op == op && c->kind == f.kind && c->why == f.why &&
		    c->is_second == is_second)
			return c;
	c = calloc(1, sizeof(*c));
	if (!c)
		abort(); /* as everywhere where memory for the simulation itself runs out */
	c->op = op;
	c->kind = f.kind;
	c->why = f.why;
	c->is_second = is_second;
	atomic_store_explicit(at, c, memory_order_release);
	return c;
}

/* ---- uses that are unusual ---- */

static bool is_out(unsigned first, unsigned n, const struct bw_rec_ctx *ctx)
{
	return first + n > ctx->n_vgprs;
}

static bool is_scalar(const struct bw_inst *in)
{
	return in->fmt >= BW_FMT_SOP1 && in->fmt <= BW_FMT_SMEM;
}

/* VGPRs that the wave does not have: doc/rules.md 39 to 45. Ranges of memory instructions depend on
 * more than the number of the first; that one has to be there. */
static bool names_absent_vgpr(const struct bw_inst *in, const struct bw_rec_ctx *ctx)
{
	const struct bw_op_info *info = bw_isa_op_info(in->op);
	if (!ctx->n_vgprs || is_scalar(in))
		return false;
	for (unsigned i = 0; i < in->n_src; i++)
		if (in->src[i] >= BW_SRC_VGPR0 && is_out(in->src[i] - BW_SRC_VGPR0, 1, ctx))
			return true;
	for (unsigned i = 0; in->fmt == BW_FMT_VOPD && i < in->n_src_y; i++)
		if (in->src_y[i] >= BW_SRC_VGPR0 && is_out(in->src_y[i] - BW_SRC_VGPR0, 1, ctx))
			return true;
	if (info->class == BW_CLASS_MEM)
		return is_out(in->vaddr, 1, ctx) || is_out(in->vdata, 1, ctx) ||
		       is_out(in->vdata2, 1, ctx);
	return info->class == BW_CLASS_MAP && is_out(in->dst, 1, ctx);
}

static bool is_ttmp(unsigned code)
{
	return code >= BW_SRC_TTMP0 && code < BW_SRC_NULL;
}

/* Rules 30 and 31. */
static bool names_ttmp(const struct bw_inst *in)
{
	for (unsigned i = 0; i < in->n_src; i++)
		if (is_ttmp(in->src[i]) && in->op != BW_OP_S_SENDMSG_RTN_B32 &&
		    in->op != BW_OP_S_SENDMSG_RTN_B64)
			return true;
	return is_scalar(in) && in->fmt != BW_FMT_SOPP && in->fmt != BW_FMT_SOPC &&
	       is_ttmp(in->dst);
}

static const char *hwreg_remark(const struct bw_inst *in)
{
	const uint32_t imm = (uint16_t)in->imm;
	switch (bw_words_get(&imm, BW_GETREG_ID)) {
	case BW_HWREG_SHADER_CYCLES:
		return "clocks are the virtual GPU's own";
	case BW_HWREG_MODE:
	case BW_HWREG_STATUS:
	case BW_HWREG_TRAPSTS:
	case BW_HWREG_GPR_ALLOC:
	case BW_HWREG_LDS_ALLOC:
	case BW_HWREG_IB_STS:
	case BW_HWREG_PC_LO:
	case BW_HWREG_PC_HI:
	case BW_HWREG_SH_MEM_BASES:
	case BW_HWREG_FLAT_SCRATCH_LO:
	case BW_HWREG_FLAT_SCRATCH_HI:
	case BW_HWREG_HW_ID1:
	case BW_HWREG_HW_ID2:
	case BW_HWREG_IB_STS2:
		return NULL;
	default:
		return "a hardware register that is not modelled: reads 0";
	}
}

static const char *message_remark(const struct bw_inst *in)
{
	unsigned msg = in->fmt == BW_FMT_SOPP ? (unsigned)in->imm & 0xff : in->src[0];
	switch (msg) {
	case 1:
	case 3:
	case 128:
	case 129:
	case 130:
	case 132:
	case 133:
	case 134:
		/* interrupt, DEALLOC_VGPRS; doorbell, dispatch, TMA, SAVE_WAVE, TBA, TBA_TO_PC */
		return NULL;
	case 131:
		return "time is the virtual GPU's own";
	default:
		return "a message without effect in a compute wave here";
	}
}

static const char *remark(const struct bw_inst *in, const struct bw_rec_ctx *ctx)
{
	if (names_absent_vgpr(in, ctx))
		return "names VGPRs that the wave does not have";
	if (!ctx->priv && names_ttmp(in))
		return "TTMPs outside of the trap handler: read 0, keep nothing";
	switch ((unsigned)in->op) {
	case BW_OP_S_GETREG_B32:
	case BW_OP_S_SETREG_B32:
	case BW_OP_S_SETREG_IMM32_B32:
		return hwreg_remark(in);
	case BW_OP_S_SENDMSG:
	case BW_OP_S_SENDMSGHALT:
	case BW_OP_S_SENDMSG_RTN_B32:
	case BW_OP_S_SENDMSG_RTN_B64:
		return message_remark(in);
	case BW_OP_S_TTRACEDATA:
	case BW_OP_S_TTRACEDATA_IMM:
	case BW_OP_S_INCPERFLEVEL:
	case BW_OP_S_DECPERFLEVEL:
		return "there is no trace and no counter to write to";
	default:
		return NULL;
	}
}

/* The remark about this use of an instruction. */
static struct bw_op_fidelity fidelity_of(const struct bw_rec *rec, unsigned op,
					 const struct bw_rec_ctx *ctx)
{
	struct bw_op_fidelity f = bw_exec_fidelity(BW_ISA_GFX11, op);
	if (f.kind == BW_FIDELITY_ABSENT)
		return f;
	if (rec->fn == bw_h_illegal)
		return (struct bw_op_fidelity){BW_FIDELITY_ABSENT,
					       "operands or fields that mean nothing"};
	const char *why = remark(rec->inst, ctx);
	return why ? (struct bw_op_fidelity){BW_FIDELITY_UNUSUAL, why} : f;
}

/* ---- counting ---- */

static BW_HANDLER(h_tally)
{
	const struct bw_tally_slot *slot = &x->code.page->slot[rec - x->code.page->rec];
	add_count(slot->cell, 1);
	if (slot->cell_y)
		add_count(slot->cell_y, 1);
	return slot->fn(rec, w, x, left, vgpr);
}

void bw_tally_wrap(struct bw_tally *t, struct bw_code_page *page, struct bw_rec *rec)
{
	struct bw_tally_slot *slot = &page->slot[rec - page->rec];
	const struct bw_inst *in = rec->inst;
	*slot = (struct bw_tally_slot){
		.fn = rec->fn,
		.cell = cell(t, in->op, fidelity_of(rec, in->op, &page->ctx), false),
	};
	if (in->fmt == BW_FMT_VOPD && in->op != BW_OP_ILLEGAL)
		slot->cell_y = cell(t, in->op_y, fidelity_of(rec, in->op_y, &page->ctx), true);
	rec->fn = h_tally;
}

void bw_tally_refused(struct bw_tally *t, const struct bw_code_page *page, const struct bw_rec *rec,
		      const char *why)
{
	struct bw_tally_slot *slot = &page->slot[rec - page->rec];
	add_count(slot->cell, UINT64_MAX); /* subtracts 1 */
	add_count(cell(t, rec->inst->op, (struct bw_op_fidelity){BW_FIDELITY_ABSENT, why}, false),
		  1);
}

void bw_exec_tally(const struct bw_exec *x, bw_tally_fn *fn, void *cookie)
{
	struct bw_tally_cell *c = atomic_load_explicit(&x->tally.first, memory_order_acquire);
	for (; c; c = atomic_load_explicit(&c->next, memory_order_acquire)) {
		const struct bw_tally_row row = {
			.op = c->op,
			.fidelity = {c->kind, c->why},
			.is_second = c->is_second,
			.n = atomic_load_explicit(&c->n, memory_order_relaxed),
		};
		if (row.n)
			fn(cookie, &row);
	}
}
