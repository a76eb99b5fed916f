/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/check/init_priv.h"
#include "vgpu/device/exec/core/build.h"
#include "vgpu/device/exec/core/indexed.h"
#include "wire/checks.h"

/* ---- groups and waves ---- */

bool bw_check_is_everywhere(const struct bw_check *c)
{
	return bw_init_is_on(c);
}

bool bw_init_is_on(const struct bw_check *c)
{
	return c->what & BW_CHECK_INIT;
}

static bool make_memory(struct bw_own_memory *m, uint32_t size_b)
{
	m->defined = calloc(1, size_b);
	m->origin = calloc(size_b / 4 + 1, sizeof(*m->origin));
	m->size_b = m->defined && m->origin ? size_b : 0;
	return m->size_b;
}

static void free_memory(struct bw_own_memory *m)
{
	free(m->defined);
	free(m->origin);
	*m = (struct bw_own_memory){0};
}

void bw_init_group_begin(struct bw_check *c, struct bw_workgroup *wg, uint64_t code_va)
{
	struct bw_init_group *g = calloc(1, sizeof(*g));
	wg->init = g;
	if (!g)
		return;
	g->check = c;
	bw_init_add_group(g);
	g->code_va = code_va;
	if (wg->lds_size_b && !make_memory(&g->lds, wg->lds_size_b))
		bw_init_group_end(wg);
}

void bw_init_wave_begin(struct bw_wave *w, const struct bw_init_launch *launch)
{
	struct bw_init_group *g = w->wg->init;
	size_t n = (size_t)w->n_vgprs * w->lanes;
	if (!g || w->index_in_group >= BW_ARRAY_SIZE(g->wave))
		return;
	struct bw_init_wave *iw = calloc(1, sizeof(*iw) + n * sizeof(iw->v[0]));
	bw_init_origin *origin = calloc(n + 1, sizeof(*origin));
	if (!iw || !origin) {
		free(iw);
		free(origin);
		return;
	}
	iw->v_origin = origin;
	iw->n_vgprs = w->n_vgprs;
	iw->lanes = w->lanes;
	iw->code_va = launch->code_va;
	iw->lane_scratch_b = w->scratch_size_b / w->lanes;
	for (unsigned r = launch->n_vgprs; r < w->n_vgprs && r < BW_STRICT_VGPRS; r++)
		for (unsigned l = 0; l < w->lanes; l++)
			bw_init_set_lane(iw, r, l, UINT32_MAX, UINT32_MAX,
					 (bw_init_origin)(BW_ORIGIN_VGPR0 + r));
	/* Up to VCC; TTMPs, M0 and EXEC are the launch's own, and so is gfx942's FLAT_SCRATCH. */
	for (unsigned i = launch->n_sgprs; i < BW_SRC_TTMP0; i++)
		if (i / 2 != BW_SRC_FLAT_SCRATCH_LO / 2 || !launch->has_flat_scratch)
			bw_init_set_sgpr(iw, i, UINT32_MAX, (bw_init_origin)(BW_ORIGIN_SGPR0 + i));
	iw->scc = true;
	iw->scc_origin = BW_ORIGIN_SCC;
	g->wave[w->index_in_group] = iw;
}

static void free_wave(struct bw_init_wave *iw)
{
	free_memory(&iw->scratch);
	free(iw->v_origin);
	free(iw);
}

void bw_init_wave_end(struct bw_wave *w)
{
	struct bw_init_group *g = w->wg ? w->wg->init : NULL;
	if (!g || w->index_in_group >= BW_ARRAY_SIZE(g->wave))
		return;
	if (g->wave[w->index_in_group])
		free_wave(g->wave[w->index_in_group]);
	g->wave[w->index_in_group] = NULL;
	for (unsigned i = 0; i < BW_ARRAY_SIZE(g->wave); i++)
		if (g->wave[i])
			return;
	bw_init_group_end(w->wg);
}

void bw_init_free_group(struct bw_init_group *g)
{
	for (unsigned i = 0; i < BW_ARRAY_SIZE(g->wave); i++)
		if (g->wave[i])
			free_wave(g->wave[i]);
	free_memory(&g->lds);
	free(g);
}

void bw_init_group_end(struct bw_workgroup *wg)
{
	if (!wg->init)
		return;
	bw_init_remove_group(wg->init);
	bw_init_free_group(wg->init);
	wg->init = NULL;
}

bool bw_init_make_scratch(struct bw_init_wave *iw)
{
	uint64_t size_b = (uint64_t)iw->lane_scratch_b * iw->lanes;
	return iw->scratch.size_b ||
	       (size_b && size_b <= UINT32_MAX && make_memory(&iw->scratch, (uint32_t)size_b));
}

/* ---- registers ---- */

void bw_init_set_lane(struct bw_init_wave *iw, unsigned reg, unsigned lane, uint32_t part,
		      uint32_t undef, bw_init_origin origin)
{
	uint32_t *u = &bw_init_v(iw, reg)[lane];
	*u = (*u & ~part) | (undef & part);
	if (undef & part)
		bw_init_v_origin(iw, reg)[lane] = origin;
	iw->v_any[reg] |= *u != 0;
}

void bw_init_define(struct bw_init_wave *iw, unsigned reg, uint32_t part, uint64_t lanes)
{
	uint32_t *u = bw_init_v(iw, reg), any = 0;
	if (!iw->v_any[reg])
		return;
	for (unsigned l = 0; l < iw->lanes; l++) {
		u[l] &= lanes >> l & 1 ? ~part : UINT32_MAX;
		any |= u[l];
	}
	iw->v_any[reg] = any != 0;
}

void bw_init_set_sgpr(struct bw_init_wave *iw, unsigned code, uint32_t undef, bw_init_origin origin)
{
	if (code >= BW_STRICT_SGPRS || code == BW_SRC_NULL || code == BW_SRC_EXEC_LO ||
	    code == BW_SRC_EXEC_HI)
		return;
	iw->s[code] = undef;
	iw->s_origin[code] = origin;
}

/* ---- decoding ---- */

static enum bw_init_kind kind_of(const struct bw_inst *in, const struct bw_effects *e)
{
	switch ((int)in->op) {
	case BW_OP_V_READLANE_B32:
	case BW_OP_V_READFIRSTLANE_B32:
	case BW_OP_V_WRITELANE_B32:
		return BW_INIT_LANE;
	case BW_OP_V_SWAP_B32:
		return BW_INIT_SWAP;
	}
	switch ((int)in->fmt) {
	case BW_FMT_DS:
		return in->gds ? BW_INIT_OTHER : BW_INIT_LDS;
	case BW_FMT_SCRATCH:
		return BW_INIT_SCRATCH;
	case BW_FMT_FLAT:
		return BW_INIT_FLAT;
	}
	return e->unit == BW_UNIT_VALU	 ? BW_INIT_VALU
	       : e->unit == BW_UNIT_SALU ? BW_INIT_SALU
					 : BW_INIT_OTHER;
}

static BW_HANDLER(follow);

void bw_init_wrap(struct bw_exec *x, struct bw_code_page *page, struct bw_rec *rec,
		  const struct bw_inst *inst)
{
	unsigned index = (unsigned)(rec - page->rec);
	/* An instruction that will not be executed has no effects. */
	if (inst->op == BW_OP_ILLEGAL || rec->fn == bw_h_illegal || rec->fn == bw_h_absent ||
	    rec->fn == bw_h_no_vgprs ||
	    (rec->fn == bw_h_nop && inst->fmt != BW_FMT_SOPP && inst->fmt != BW_FMT_SOPK))
		return;
	if (!page->init)
		page->init = bw_code_alloc(page, BW_ARRAY_SIZE(page->rec) * sizeof(*page->init));
	struct bw_init_op *op = bw_code_alloc(page, sizeof(*op));
	op->fn = rec->fn;
	op->inst = *inst;
	op->info = bw_isa_op_info(inst->op);
	op->n_words = (uint8_t)BW_MIN(rec->size_dw, 3u);
	memcpy(op->word, &page->word[index], op->n_words * sizeof(op->word[0]));
	bw_effects_of(inst, rec, &page->ctx, &op->e);
	op->kind = (uint8_t)kind_of(inst, &op->e);
	op->indexed = bw_effects_are_indexed(inst->op);
	bw_init_prepare_alu(op, &page->ctx);
	page->init[index] = op;
	rec->fn = follow;
	(void)x;
}

/* ---- one instruction ---- */

static uint32_t written_part(const struct bw_inst *in, const struct bw_vregs *r)
{
	return in->sdwa		       ? ~bw_sdwa_put(in, UINT32_MAX, 0)
	       : r->half == BW_HALF_LO ? 0xffff
	       : r->half == BW_HALF_HI ? 0xffff0000
				       : UINT32_MAX;
}

/* All that it writes is defined from now on. */
void bw_init_define_results(struct bw_init_step *t)
{
	const struct bw_effects *e = &t->op->e;
	uint64_t lanes = t->op->info->class == BW_CLASS_WAVE ? ~0ull : t->exec;
	for (unsigned i = 0; i < e->n_writes; i++)
		for (unsigned r = e->write[i].first; r < e->write[i].first + e->write[i].n; r++)
			bw_init_define(t->iw, r, written_part(&t->op->inst, &e->write[i]), lanes);
	for (unsigned h = 0; h < 2; h++)
		for (uint64_t rest = e->swrite.bit[h]; rest; rest &= rest - 1)
			bw_init_set_sgpr(t->iw, h * 64 + (unsigned)__builtin_ctzll(rest), 0, 0);
	if (t->op->inst.writes & BW_IMPLICIT_SCC)
		t->iw->scc = false;
}

static void before(struct bw_init_step *t)
{
	if (t->op->e.access != BW_KIND_NONE || t->op->kind >= BW_INIT_LDS) {
		bw_init_memory(t);
		return;
	}
	switch ((enum bw_init_kind)t->op->kind) {
	case BW_INIT_VALU:
		bw_init_valu(t);
		break;
	case BW_INIT_SALU:
		bw_init_salu(t);
		break;
	case BW_INIT_LANE:
		bw_init_lane(t);
		break;
	case BW_INIT_SWAP:
		bw_init_swap(t);
		break;
	case BW_INIT_OTHER:
	case BW_INIT_LDS:
	case BW_INIT_SCRATCH:
	case BW_INIT_FLAT:
		bw_init_define_results(t);
		break;
	}
}

/* Whether the wave has stopped before this instruction for a finding: all is done then. */
static bool has_stopped_at(struct bw_wave *w, uint64_t pc)
{
	bool is_here = w->finding_pc == pc;
	w->finding_pc = 0;
	return is_here;
}

/* Runs before the instruction's own handler. The trap handler is not followed. */
static BW_HANDLER(follow)
{
	struct bw_init_op *op = x->code.page->init[rec - x->code.page->rec], indexed;
	bw_handler *fn = op->fn;
	struct bw_init_group *g = w->wg ? w->wg->init : NULL;
	struct bw_init_wave *iw =
		g && w->index_in_group < BW_ARRAY_SIZE(g->wave) ? g->wave[w->index_in_group] : NULL;
	if (iw && !(w->status & BW_STATUS_PRIV) && !has_stopped_at(w, bw_code_pc(&x->code, rec))) {
		if (op->indexed) {
			indexed = *op;
			op = &indexed;
			bw_effects_index(&op->inst, &op->e, w);
			bw_init_prepare_alu(op, &x->code.page->ctx);
		} else if (op->kind == BW_INIT_VALU && bw_is_indexed(x, w)) {
			indexed = *op;
			op = &indexed;
			bw_init_index_gfx9(op, w);
		}
		struct bw_init_step t = {.x = x,
					 .w = w,
					 .g = g,
					 .iw = iw,
					 .op = op,
					 .rec = rec,
					 .pc = bw_code_pc(&x->code, rec),
					 .exec = bw_wave_exec(w)};
		before(&t);
		/* It stops before the instruction, and comes here again. */
		if (atomic_load_explicit(&w->request, memory_order_relaxed) & BW_REQ_FINDING) {
			w->finding_is_here = true;
			w->finding_pc = t.pc;
			x->left = left;
			return rec;
		}
	}
	return fn(rec, w, x, left, vgpr);
}
