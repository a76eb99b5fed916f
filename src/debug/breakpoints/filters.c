// SPDX-License-Identifier: MIT
/* Decides which breakpoints have their condition tested by the trap handler (compile.c), and where
 * that code is: in the upper half of the code buffer, one cell for each filter. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/breakpoints/entered.h"
#include "debug/breakpoints/filter_facts.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "trap/trap.h"

enum {
	RESUME_DW = BW_FILTER_RESUME_DW,
	CELL_DW = 256,
	CODE_DW = CELL_DW - RESUME_DW - 64, /* the instruction fetcher reads ahead of the PC */
};

void bw_filter_dirty(struct bw_debug *d)
{
	d->breaks->filters_dirty = true;
}

static uint64_t cell_va(struct bw_debug *d, unsigned index)
{
	uint64_t buffer;
	uint32_t size_b;
	bw_target_code_buffer(d->target, &buffer, &size_b);
	uint64_t half = size_b / 2;
	return (index + 1ull) * CELL_DW * 4 <= half ? buffer + half + index * CELL_DW * 4ull : 0;
}

/* ---- The condition ---- */

/* Joins the conditions of all breakpoints at va by ||. False: every wave has to stop there, for
 * example for a breakpoint without a condition, or for a step. */
static bool condition_at(struct bw_debug *d, uint64_t va, struct bw_str *out)
{
	for (size_t i = 0; i < BW_INTERNAL_PLACES; i++)
		if (d->breaks->internal[i].va == va)
			return false;
	bw_vec_each(&d->breaks->all, it) {
		const struct bw_break *b = *it;
		if (!bw_break_is_at(b, d->space, va) || !b->info.enabled)
			continue;
		if ((!b->condition && !b->info.wave) || b->filter || b->info.kind != BW_BREAK_CODE)
			return false;
		bw_str_addf(out, "%s(", out->len ? " || " : "");
		if (b->info.wave)
			bw_str_addf(out, "$_wave == %u%s", b->info.wave,
				    b->condition ? " && " : "");
		if (b->condition)
			bw_str_addf(out, "(%s)", b->condition);
		bw_str_add(out, ")");
	}
	return out->len;
}

/* ---- Inserting filters ---- */

static struct bw_error *patch_word(struct bw_debug *d, const struct bw_patch *p, unsigned id)
{
	return bw_target_patch(d->target, p->va, bw_patch_word(d, p, id));
}

/* Removes the filter of p: every wave stops there from now on. */
static struct bw_error *take_out(struct bw_debug *d, struct bw_patch *p)
{
	if (!p->filter)
		return NULL;
	BW_TRY(patch_word(d, p, BW_TRAP_ID_BREAKPOINT));
	BW_TRY(bw_target_set_filter(d->target, p->filter - 1u, 0, NULL));
	d->breaks->filters_retired |= 1ull << (p->filter - 1);
	p->filter = 0;
	free(p->filter_code);
	p->filter_code = NULL;
	p->filter_dw = 0;
	return NULL;
}

static struct bw_error *put_in(struct bw_debug *d, struct bw_patch *p, const uint32_t *code,
			       size_t n, unsigned n_vgprs)
{
	const struct bw_arch *arch = bw_debug_arch(d);
	uint32_t cell[CELL_DW], words[3];
	struct bw_inst inst;
	uint64_t next = p->va + p->inst.size_b, va;
	/* never over code that a wave may be in */
	unsigned index = (unsigned)__builtin_ctzll(~d->breaks->filters_used);

	if (index >= BW_TRAP_N_FILTERS || !(va = cell_va(d, index)))
		return take_out(d, p);
	if (p->filter)
		d->breaks->filters_retired |= 1ull << (p->filter - 1);
	BW_TRY(bw_debug_read_inst(d, p->va, &inst, words));
	uint32_t *copy = malloc(n * sizeof(*copy));
	if (!copy)
		return bw_error_nomem();
	memcpy(copy, code, n * sizeof(*copy));
	for (size_t i = 0; i < CELL_DW; i++)
		cell[i] = arch->s_code_end;
	size_t at = inst.size_b / 4;
	memcpy(cell, words, inst.size_b);
	/* as in displaced.c: the exceptions of this s_trap are read elsewhere */
	cell[at++] = bw_arch_s_trap(arch, BW_TRAP_ID_CELL_END) | arch->s_trap_reads_exceptions;
	cell[at++] = (uint32_t)next;
	cell[at] = bw_hi32(next);
	memcpy(cell + RESUME_DW, code, n * sizeof(*code));
	free(p->filter_code);
	p->filter_code = copy;
	p->filter_dw = n;
	p->filter = (uint8_t)(index + 1);
	p->filter_va = va;
	d->breaks->filters_used |= 1ull << index;
	BW_TRY(bw_target_write(d->target, va, cell, sizeof(cell)));
	const struct bw_target_filter filter = {va + RESUME_DW * 4, va, n_vgprs};
	BW_TRY(bw_target_set_filter(d->target, index, p->va, &filter));
	return patch_word(d, p, BW_TRAP_ID_FILTER + index);
}

/* Whether the patch's instruction can run from a copy: one that reads or writes the PC cannot. */
static bool can_pass(const struct bw_patch *p)
{
	uint64_t target;
	enum bw_flow flow = bw_isa_flow(&p->inst, p->va, &target);
	return flow == BW_FLOW_NEXT || flow == BW_FLOW_END;
}

static struct bw_error *update(struct bw_debug *d, struct bw_patch *p,
			       const struct bw_filter_facts *facts)
{
	uint32_t code[CODE_DW];
	struct bw_str text = {0};
	struct bw_filter_result result = {0};
	size_t n = 0;
	if (can_pass(p) && condition_at(d, p->va, &text))
		n = bw_filter_compile(bw_str_text(&text), facts, code, CODE_DW, &result);
	bw_str_free(&text);
	if (!n)
		return take_out(d, p);
	/* the code is the same, so it needs the same VGPRs */
	if (p->filter && p->filter_dw == n && !memcmp(p->filter_code, code, n * sizeof(*code)))
		return NULL;
	return put_in(d, p, code, n, result.n_vgprs);
}

/* Whether all breakpoints there look up names in the same of the functions inlined there. */
static bool has_one_level(struct bw_debug *d, uint64_t va, unsigned *out)
{
	bool any = false;
	bw_vec_each(&d->breaks->all, it) {
		const struct bw_break *b = *it;
		if (!b->info.enabled || !b->condition || !bw_break_is_at(b, d->space, va))
			continue;
		const unsigned level = bw_break_not_entered(d, b, va);
		if (any && level != *out)
			return false;
		*out = level;
		any = true;
	}
	return true;
}

struct bw_error *bw_filters_update(struct bw_debug *d)
{
	if (!d->breaks->filters_dirty || !d->target || !bw_target_can(d->target, BW_CAP_FILTER))
		return NULL;
	d->breaks->filters_dirty = false;
	if (d->state == BW_DEBUG_STOPPED) { /* no wave can be in a cell that was freed */
		d->breaks->filters_used &= ~d->breaks->filters_retired;
		d->breaks->filters_retired = 0;
	}
	struct bw_filter_at at = {.d = d};
	struct bw_filter_facts facts = bw_filter_facts_of(&at);
	bw_vec_each(&d->breaks->patches, p) {
		BW_IN_SPACE(d, p->space);
		at.va = p->va;
		struct bw_error *err =
			has_one_level(d, p->va, &at.level) ? update(d, p, &facts) : take_out(d, p);
		/* the program has freed this code: no wave will reach it */
		if (err && !bw_error_catch(&err, BW_E_FAULT))
			return err;
	}
	return NULL;
}

void bw_filter_drop(struct bw_debug *d, struct bw_patch *p)
{
	if (p->filter && d->target)
		bw_error_free(bw_target_set_filter(d->target, p->filter - 1u, 0, NULL));
	if (p->filter)
		d->breaks->filters_retired |= 1ull << (p->filter - 1u);
	free(p->filter_code);
	p->filter_code = NULL;
	p->filter = 0;
}

/* ---- Who tests a condition ---- */

/* Finds who tests the condition at one place of the breakpoint. */
static void tested_at(struct bw_debug *d, const struct bw_break *b, uint64_t va,
		      struct bw_break_tested *out)
{
	uint32_t code[CODE_DW];
	struct bw_filter_at at = {d, va, bw_break_not_entered(d, b, va)};
	struct bw_filter_facts facts = bw_filter_facts_of(&at);
	struct bw_filter_result result = {0};
	const struct bw_patch *p = bw_debug_patch_at(d, va);
	if (!bw_target_can(d->target, BW_CAP_FILTER))
		*out = (struct bw_break_tested){
			.by = BW_TESTED_BY_DEBUGGER,
			.why = "the trap handler of this GPU tests no conditions"};
	else if (p && !can_pass(p))
		*out = (struct bw_break_tested){
			.by = BW_TESTED_BY_DEBUGGER,
			.why = "the instruction there reads or writes the PC"};
	else {
		size_t n = bw_filter_compile(b->condition, &facts, code, CODE_DW, &result);
		out->by = !n		    ? BW_TESTED_BY_DEBUGGER
			  : result.is_whole ? BW_TESTED_BY_GPU
					    : BW_TESTED_BY_BOTH;
		out->why = result.why;
		memcpy(out->part, result.part, sizeof(out->part));
	}
}

void bw_debug_break_tested(struct bw_debug *d, uint32_t number, struct bw_break_tested *out)
{
	const struct bw_break *b = bw_debug_break_priv(d, number);
	*out = (struct bw_break_tested){.by = BW_TESTED_UNKNOWN};
	if (!b || !b->condition || !d->target || b->filter || b->info.kind != BW_BREAK_CODE)
		return;
	bw_vec_each(&b->places, place) {
		struct bw_break_tested one = {.by = BW_TESTED_UNKNOWN};
		BW_IN_SPACE(d, place->space);
		tested_at(d, b, place->va, &one);
		if (one.by > out->by)
			*out = one;
	}
}

/* ---- Waves inside of the filters' copies ---- */

uint64_t bw_filter_pc(struct bw_debug *d, uint64_t pc)
{
	bw_vec_each(&d->breaks->patches, p) {
		if (!p->filter || p->space != d->space || pc < p->filter_va ||
		    pc >= p->filter_va + RESUME_DW * 4)
			continue;
		return pc == p->filter_va ? p->va : p->va + p->inst.size_b;
	}
	return pc;
}

bool bw_filter_is_trap(unsigned trap_id)
{
	return trap_id >= BW_TRAP_ID_FILTER && trap_id < BW_TRAP_ID_FILTER + BW_TRAP_N_FILTERS;
}
