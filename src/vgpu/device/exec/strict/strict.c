/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/strict/strict_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/core/indexed.h"

/* ---- findings ---- */

void bw_strict_report(struct bw_strict_step *t, enum bw_strict_kind kind, const char *fmt, ...)
{
	/* One of a kind for each time an instruction is executed. */
	if (t->sw->reported[kind])
		return;
	t->sw->reported[kind] = true;
	struct bw_strict_finding f = {
		.kind = kind,
		.pc = t->pc,
		.code_va = t->sw->code_va,
		.n_words = t->op->n_words,
		.vmid = t->w->vmid,
		.name = t->op->info->name,
	};
	memcpy(f.word, t->op->word, sizeof(f.word));
	va_list args;
	va_start(args, fmt);
	vsnprintf(f.text, sizeof(f.text), fmt, args);
	va_end(args);
	bw_strict_add(t->sw->s, &f);
}

/* ---- decoding ---- */

static BW_HANDLER(strict);

void bw_strict_wrap(struct bw_exec *x, struct bw_code_page *page, struct bw_rec *rec,
		    const struct bw_inst *inst)
{
	unsigned index = (unsigned)(rec - page->rec);
	if (!page->strict)
		page->strict =
			bw_code_alloc(page, BW_ARRAY_SIZE(page->rec) * sizeof(*page->strict));
	struct bw_strict_op *op = bw_code_alloc(page, sizeof(*op));
	*op = (struct bw_strict_op){
		.fn = rec->fn,
		.inst = *inst,
		.info = bw_isa_op_info(inst->op),
		.n_words = rec->size_dw,
		.flows = {(uint8_t)bw_flows_of(inst, false),
			  inst->fmt == BW_FMT_VOPD ? (uint8_t)bw_flows_of(inst, true) : 0},
	};
	memcpy(op->word, &page->word[index], BW_MIN(rec->size_dw, 3u) * sizeof(op->word[0]));
	/* An instruction that will not be executed has no effects. */
	bool runs = inst->op != BW_OP_ILLEGAL && rec->fn != bw_h_illegal &&
		    rec->fn != bw_h_absent && rec->fn != bw_h_no_vgprs &&
		    !(rec->fn == bw_h_nop && inst->fmt != BW_FMT_SOPP && inst->fmt != BW_FMT_SOPK);
	if (runs)
		bw_effects_of(inst, rec, &page->ctx, &op->e);
	else
		op->e.unit = BW_UNIT_OTHER;
	op->indexed = runs && bw_effects_are_indexed(inst->op);
	page->strict[index] = op;
	rec->fn = strict;
}

/* ---- code that has changed ---- */

static void check_code(struct bw_strict_step *t)
{
	struct bw_vm_fault no_matter = {0};
	const struct bw_tlb_entry *e = &t->w->tlb->entry[bw_tlb_slot(t->pc)];
	const uint8_t *page =
		e->tag == bw_tlb_tag(t->pc) && e->access & BW_ACCESS_EXECUTE
			? e->host + t->pc % BW_PAGE_B
			: bw_tlb_lookup(t->w->tlb, t->pc, BW_ACCESS_EXECUTE | BW_ACCESS_PROBE,
					&no_matter);
	unsigned n =
		BW_MIN((unsigned)t->op->n_words * 4, (unsigned)(BW_PAGE_B - t->pc % BW_PAGE_B));
	if (!page || !memcmp(page, t->op->word, n))
		return;
	uint32_t now[3] = {0};
	memcpy(now, page, n);
	for (unsigned i = 0; i < n / 4; i++) {
		if (now[i] == t->op->word[i])
			continue;
		bw_strict_report(
			t, BW_STRICT_CODE,
			"is what the instruction cache has; memory has changed (dword %u is 0x%08x, was 0x%08x): s_icache_inv or "
			"ACQUIRE_MEM must come before it is executed",
			i, now[i], t->op->word[i]);
		return;
	}
}

/* ---- the trace ---- */

static void trace_before(struct bw_strict_step *t)
{
	const struct bw_wave *w = t->w;
	const uint64_t words[] = {bw_join32(w->hw_id2, w->hw_id1), t->pc,
				  bw_join32(t->op->word[1], t->op->word[0]), t->exec};
	bw_strict_trace_add(t->sw->s, words, BW_ARRAY_SIZE(words), false);
}

static void trace_vgprs(struct bw_strict_step *t, const struct bw_vregs *r)
{
	for (unsigned i = r->first; i < r->first + r->n; i++) {
		uint64_t words[64];
		const uint32_t *v = bw_wave_vgpr(t->w, i);
		for (unsigned l = 0; l < t->w->lanes; l++)
			words[l] = t->exec >> l & 1 ? bw_join32(1, v[l]) : 0;
		bw_strict_trace_add(t->sw->s, words, t->w->lanes, true);
	}
}

/* Traces the data that goes to memory, and the addresses. */
static void trace_access(struct bw_strict_step *t)
{
	const struct bw_effects *e = &t->op->e;
	uint64_t words[BW_STRICT_SGPRS];
	size_t n = 0;
	for (unsigned i = 0; i < BW_STRICT_SGPRS; i++)
		if (bw_sregs_has(&e->sread, i))
			words[n++] = bw_join32(i, t->w->s[i]);
	bw_strict_trace_add(t->sw->s, words, n, true);
	for (unsigned i = 0; i < e->n_reads; i++)
		trace_vgprs(t, &e->read[i]);
}

/* Traces the data that came from memory. */
static void trace_result(struct bw_strict_step *t)
{
	const struct bw_effects *e = &t->op->e;
	uint64_t words[BW_STRICT_SGPRS];
	size_t n = 0;
	for (unsigned i = 0; e->unit == BW_UNIT_SMEM && i < BW_STRICT_SGPRS; i++)
		if (bw_sregs_has(&e->swrite, i))
			words[n++] = t->w->s[i];
	bw_strict_trace_add(t->sw->s, words, n, true);
	for (unsigned i = 0; i < e->n_writes; i++)
		trace_vgprs(t, &e->write[i]);
}

/* ---- one instruction ---- */

/* Scratch is the wave's only when it is there: poisoned by the first instruction. */
static void poison_scratch(struct bw_wave *w)
{
	bw_vm_fill(w->tlb, bw_canonical(w->flat_scratch), w->scratch_size_b, BW_POISON_SCRATCH);
}

static void follow_trap(struct bw_strict_step *t)
{
	bool in_trap = t->w->status & BW_STATUS_PRIV;
	if (in_trap == t->sw->in_trap)
		return;
	t->sw->in_trap = in_trap;
	if (in_trap)
		bw_defined_enter_trap(t->sw, t->w);
	else
		bw_defined_leave_trap(t->sw, t->w);
}

static void before(struct bw_strict_step *t, struct bw_spill *spill,
		   struct bw_pending **out_pending)
{
	if (t->sw->fresh) {
		t->sw->fresh = false;
		poison_scratch(t->w);
	}
	memset(t->sw->reported, 0, sizeof(t->sw->reported));
	follow_trap(t);
	check_code(t);
	bw_wait_before(t);
	bw_defined_check(t);
	bw_strict_gen(t->sw->s)->hazard_check(t);
	bw_defined_spill(t, spill);
	*out_pending = bw_wait_hold(t);
}

static void after(struct bw_strict_step *t, const struct bw_spill *spill,
		  struct bw_pending *pending, bool executed)
{
	bw_defined_unspill(t, spill);
	bw_wait_issue(t, pending, executed);
	if (!executed)
		return;
	bw_defined_after(t);
	bw_strict_gen(t->sw->s)->hazard_after(t);
	bw_cache_after(t);
}

static const struct bw_rec *checked(struct bw_strict_step *t, const struct bw_rec *rec,
				    uint8_t *vgpr)
{
	struct bw_spill spill;
	struct bw_pending *pending;
	struct bw_tlb *own = t->w->tlb;
	before(t, &spill, &pending);
	struct bw_tlb *cached = bw_cache_before(t);
	if (cached)
		t->w->tlb = cached;
	const struct bw_rec *next = t->op->fn(rec, t->w, t->x, 1, vgpr);
	t->w->tlb = own;
	t->goes_back = next && bw_code_pc(&t->x->code, next) <= t->pc;
	bool executed = next || (t->x->exit != BW_EXIT_FAULT && t->x->exit != BW_EXIT_ILLEGAL);
	after(t, &spill, pending, executed);
	return next;
}

/* Runs in place of the instruction's own handler, and calls that for one instruction. */
static BW_HANDLER(strict)
{
	/* A copy: the instruction may make the executor forget its page. */
	struct bw_strict_op op = *x->code.page->strict[rec - x->code.page->rec];
	if (op.indexed)
		bw_effects_index(&op.inst, &op.e, w);
	else if (op.e.unit == BW_UNIT_VALU && bw_is_indexed(x, w))
		bw_effects_index9(op.info, &op.e, w);
	struct bw_strict *s = x->host.strict;
	struct bw_strict_step t = {.x = x,
				   .w = w,
				   .op = &op,
				   .pc = bw_code_pc(&x->code, rec),
				   .exec = bw_wave_exec(w)};
	t.sw = bw_strict_wave_of(s, w);
	if (!t.sw)
		abort();
	bool accesses = op.e.access != BW_KIND_NONE && bw_strict_traces(s);
	if (bw_strict_traces(s))
		trace_before(&t);
	if (accesses)
		trace_access(&t);
	const struct bw_rec *next;
	if (bw_strict_checks(s)) {
		next = checked(&t, rec, vgpr);
	} else {
		next = op.fn(rec, w, x, 1, vgpr);
		if (accesses)
			trace_result(&t);
	}
	x->left = left - 1;
	return next;
}
