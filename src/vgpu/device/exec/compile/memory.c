/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/compile/memory.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/memory/memory.h"

static uint32_t scalar_at(unsigned code)
{
	return (uint32_t)(offsetof(struct bw_wave, s) + sizeof(uint32_t) * code);
}

static bool is_scalar(const struct bw_rec *rec)
{
	return rec->inst->fmt == BW_FMT_SMEM;
}

/* An SGPR or VCC, which a wave sees with and without privilege. */
static bool is_visible(unsigned code)
{
	return code < BW_SRC_TTMP0;
}

/* By its name, the dwords of an element: "global_load_b64" has two. 0: no dwords. */
static unsigned dwords_of(const struct bw_rec *rec)
{
	const char *b = strrchr(rec->mem->name, 'b');
	return b ? (unsigned)strtoul(b + 1, NULL, 10) / 32 : 0;
}

static bool follow(const uint16_t *reg, unsigned n)
{
	for (unsigned k = 1; k < n; k++)
		if (reg[k] != reg[0] + k)
			return false;
	return true;
}

static bool is_store(const struct bw_rec *rec)
{
	return strstr(rec->mem->name, "_store_");
}

/* What a stencil needs. */
struct plan {
	enum bw_memory_form form;
	uint32_t value[BW_HOLE_VALUES];
};

static bool plan_scalar(const struct bw_rec *rec, struct plan *out)
{
	const struct bw_smem_prep *p = bw_smem_prep(rec);
	bool has_soffset = p->soffset != BW_SRC_NULL;
	/* A descriptor is four SGPRs from a multiple of four on: visible all, or none. */
	if (p->n_write != dwords_of(rec) || !is_visible(p->sbase) ||
	    (has_soffset && !is_visible(p->soffset)))
		return false;
	out->form = has_soffset ? BW_MEMORY_FORM_S : BW_MEMORY_FORM_V;
	out->value[BW_HOLE_M] = scalar_at(p->sbase);
	out->value[BW_HOLE_N] = scalar_at(p->soffset);
	out->value[BW_HOLE_D] = scalar_at(p->dst);
	out->value[BW_HOLE_KEEP] = (uint32_t)p->imm;
	return true;
}

static bool plan_vector(const struct bw_rec *rec, unsigned lanes, struct plan *out)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	uint32_t reg_b = lanes * (uint32_t)sizeof(uint32_t);
	bool has_saddr = rec->inst->fmt == BW_FMT_GLOBAL && p->saddr != BW_SRC_NULL;
	bool has_pair = rec->inst->fmt == BW_FMT_GLOBAL && !has_saddr;
	if (p->is_nop || (is_store(rec) && !follow(p->data, dwords_of(rec))) ||
	    (has_pair && !follow(p->addr, 2)) || (has_saddr && !is_visible(p->saddr)))
		return false;
	out->form = has_saddr ? BW_MEMORY_FORM_S : BW_MEMORY_FORM_V;
	out->value[BW_HOLE_A] = p->addr[0] * reg_b;
	out->value[BW_HOLE_B] = p->data[0] * reg_b;
	out->value[BW_HOLE_D] = p->dst * reg_b;
	out->value[BW_HOLE_M] = scalar_at(p->saddr & ~1u);
	out->value[BW_HOLE_KEEP] = p->step[0]; /* imm, in the same place */
	out->value[BW_HOLE_FLIP] = p->step[1];
	return true;
}

static bool plan_buffer(const struct bw_rec *rec, unsigned lanes, struct plan *out)
{
	const struct bw_inst *in = rec->inst;
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	uint32_t reg_b = lanes * (uint32_t)sizeof(uint32_t);
	unsigned code = in->saddr, first = in->srsrc & ~3u;
	if (p->is_nop || in->tfe || in->idxen == in->offen || !is_visible(first) ||
	    (is_store(rec) && !follow(p->data, dwords_of(rec))))
		return false;
	if (is_visible(code))
		out->value[BW_HOLE_C] = UINT32_MAX;
	else if (code >= BW_SRC_INT_0 && code <= BW_SRC_INT_64)
		out->value[BW_HOLE_CH] = code - BW_SRC_INT_0;
	else if (code != BW_SRC_NULL)
		return false;
	out->form = in->idxen ? BW_MEMORY_FORM_S : BW_MEMORY_FORM_V;
	out->value[BW_HOLE_A] = p->addr[0] * reg_b;
	out->value[BW_HOLE_B] = p->data[0] * reg_b;
	out->value[BW_HOLE_D] = p->dst * reg_b;
	out->value[BW_HOLE_M] = scalar_at(first);
	out->value[BW_HOLE_N] = scalar_at(is_visible(code) ? code : 0);
	out->value[BW_HOLE_KEEP] = (uint32_t)p->imm;
	return true;
}

static bool plan_form(const struct bw_rec *rec, unsigned lanes, struct plan *out)
{
	if (is_scalar(rec))
		return plan_scalar(rec, out);
	return rec->inst->fmt == BW_FMT_MUBUF ? plan_buffer(rec, lanes, out)
					      : plan_vector(rec, lanes, out);
}

static bool plan_it(const struct bw_rec *rec, const struct bw_rec_ctx *ctx, bool masked,
		    struct plan *out, struct bw_stencil *stencil)
{
	unsigned lanes = is_scalar(rec) ? 32 : ctx->lanes;
	memset(out->value, 0, sizeof(out->value));
	out->form = BW_MEMORY_FORM_V;
	bool is_checked = rec->mem != bw_exec_mem_row(rec->inst->op); /* it tells what it touches */
	return !is_checked && bw_stencil_has_memory(rec->inst->op) && plan_form(rec, lanes, out) &&
	       bw_stencil_memory(rec->inst->op, out->form, lanes, masked && !is_scalar(rec),
				 stencil);
}

bool bw_memory_can(const struct bw_rec *rec, const struct bw_rec_ctx *ctx)
{
	const struct bw_smem_prep *p = bw_smem_prep(rec);
	bool writes_exec = is_scalar(rec) && p->dst + p->n_write > BW_SRC_EXEC_LO;
	return ctx->n_vgprs && !writes_exec;
}

bool bw_memory_has_stencil(const struct bw_rec *rec, const struct bw_rec_ctx *ctx)
{
	struct plan plan;
	struct bw_stencil no_matter;
	return plan_it(rec, ctx, false, &plan, &no_matter) ||
	       plan_it(rec, ctx, true, &plan, &no_matter);
}

void bw_memory_emit(struct bw_emit *e, const struct bw_rec *rec, const struct bw_rec_ctx *ctx,
		    bool masked)
{
	struct plan plan;
	struct bw_stencil stencil;
	if (plan_it(rec, ctx, masked, &plan, &stencil)) {
		memcpy(e->value, plan.value, sizeof(e->value));
		bw_emit_over_call(e, &stencil);
	}
	bw_emit_call(e, rec, bw_h_mem);
}
