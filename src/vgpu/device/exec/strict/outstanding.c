/* SPDX-License-Identifier: MIT */
/* Counters and outstanding results (doc/rules.md 276 to 284).
 *
 * A load reads memory when it is issued; its registers change when the wave has waited so that the
 * load is known to be complete under every order in which the hardware may return results. Of one
 * counter that is: VMEM operations return in order; LDS operations too; FLAT operations count with
 * both and keep the order of both (as LLVM has it since gfx10; before, on gfx942, the order of
 * neither); scalar loads and messages return in any order, so that only a wait for 0 says something
 * about them. Stores of gfx942 are VMEM operations as the loads are; gfx11 counts them apart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/strict/strict_priv.h"

enum { VS_MAX = 63 };

static const struct bw_strict_gen *gen_of(const struct bw_strict_wave *sw)
{
	return bw_strict_gen(sw->s);
}

static void show_counters(struct bw_wave *w, const struct bw_strict_wave *sw)
{
	w->ib_sts = gen_of(sw)->ib_sts(sw);
}

static bool is_scalar(const struct bw_pending *p)
{
	return p->n_sdst != 0;
}

static void mark_pending(struct bw_strict_wave *sw)
{
	memset(sw->v_pending, 0, sizeof(sw->v_pending));
	sw->s_pending = (struct bw_sregs){0};
	for (const struct bw_pending *p = sw->first; p; p = p->next) {
		for (unsigned i = 0; p->n_dst && i < p->dst->n; i++)
			sw->v_pending[p->dst->first + i] |= p->lanes;
		bw_sregs_add(&sw->s_pending, p->sdst, p->n_sdst);
	}
}

static uint32_t merge(uint32_t old, uint32_t value, unsigned half)
{
	if (half == BW_HALF_LO)
		return (old & 0xffff0000) | (value & 0xffff);
	return half == BW_HALF_HI ? (old & 0xffff) | (value & 0xffff0000) : value;
}

static void deliver(struct bw_wave *w, struct bw_strict_wave *sw, const struct bw_pending *p)
{
	for (unsigned i = 0; i < p->n_sdst; i++) {
		w->s[p->sdst + i] = p->value[i];
		if (p->sdst + i < BW_STRICT_SGPRS)
			sw->s_undef.bit[(p->sdst + i) >> 6] &= ~(1ull << ((p->sdst + i) & 63));
	}
	for (unsigned i = 0; p->n_dst && i < p->dst->n; i++) {
		uint32_t *reg = bw_wave_vgpr(w, p->dst->first + i);
		const uint32_t *value = p->value + (size_t)i * w->lanes;
		for (uint64_t left = p->lanes; left; left &= left - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(left);
			reg[lane] = merge(reg[lane], value[lane], p->dst->half);
		}
		bw_defined_written(sw, p->dst->first + i, (enum bw_half)p->dst->half, p->lanes,
				   p->undef);
	}
}

/* Delivers what is complete, in the order of issue. */
static void settle(struct bw_wave *w, struct bw_strict_wave *sw)
{
	bool any = false;
	for (struct bw_pending **at = &sw->first; *at;) {
		struct bw_pending *p = *at;
		if (p->in_vm || p->in_lgkm) {
			at = &p->next;
			continue;
		}
		deliver(w, sw, p);
		*at = p->next;
		free(p);
		any = true;
	}
	sw->last = &sw->first;
	while (*sw->last)
		sw->last = &(*sw->last)->next;
	if (any)
		mark_pending(sw);
}

static bool in_order(const struct bw_strict_wave *sw, const struct bw_pending *p, bool vm)
{
	if (p->unit == BW_UNIT_FLAT)
		return gen_of(sw)->orders_flat;
	return p->unit == (vm ? BW_UNIT_VMEM : BW_UNIT_DS);
}

/* The number of operations in that order that are outstanding from p on. */
static unsigned n_from(const struct bw_strict_wave *sw, const struct bw_pending *p, bool vm)
{
	unsigned n = 0;
	for (; p; p = p->next)
		n += (vm ? p->in_vm : p->in_lgkm) && in_order(sw, p, vm);
	return n;
}

static void wait_counter(struct bw_wave *w, struct bw_strict_wave *sw, bool vm, unsigned n)
{
	uint8_t *counter = vm ? &sw->vm : &sw->lgkm;
	if (*counter <= n && n)
		return;
	unsigned left = n_from(sw, sw->first, vm);
	for (struct bw_pending *p = sw->first; p; p = p->next) {
		bool *in = vm ? &p->in_vm : &p->in_lgkm;
		if (!*in)
			continue;
		if (in_order(sw, p, vm)) {
			*in = left <= n;
			left--;
		} else {
			*in = n != 0;
		}
	}
	*counter = (uint8_t)BW_MIN((unsigned)*counter, n);
	settle(w, sw);
}

/* Which of the operations without an order are complete then is not known; but no more are under
 * way than the counter can count, and the list must not grow. */
static void make_room(struct bw_wave *w, struct bw_strict_wave *sw, bool vm, unsigned max,
		      unsigned wanted)
{
	unsigned n = 0;
	for (const struct bw_pending *p = sw->first; p; p = p->next)
		n += (vm ? p->in_vm : p->in_lgkm) && !in_order(sw, p, vm);
	wait_counter(w, sw, vm, n < max ? max - wanted : 0);
}

static void wait_all(struct bw_wave *w, struct bw_strict_wave *sw)
{
	wait_counter(w, sw, true, 0);
	wait_counter(w, sw, false, 0);
	sw->vs = 0;
	show_counters(w, sw);
}

/* ---- waits ---- */

static void carry_out_waits(struct bw_strict_step *t)
{
	const struct bw_inst *in = &t->op->inst;
	struct bw_wave *w = t->w;
	const uint32_t imm = (uint16_t)in->imm;
	if (in->op == BW_OP_S_WAITCNT) { /* rule 276 */
		struct bw_waitcnt n = gen_of(t->sw)->waitcnt(imm);
		wait_counter(w, t->sw, true, n.vm);
		wait_counter(w, t->sw, false, n.lgkm);
	} else if (in->op == BW_OP_S_WAITCNT_VMCNT || in->op == BW_OP_S_WAITCNT_LGKMCNT ||
		   in->op == BW_OP_S_WAITCNT_VSCNT) { /* rule 277 */
		unsigned n = (bw_scalar_read32(w, in, in->dst) + imm) & 63;
		if (in->op == BW_OP_S_WAITCNT_VSCNT)
			t->sw->vs = (uint8_t)BW_MIN((unsigned)t->sw->vs, n);
		else
			wait_counter(w, t->sw, in->op == BW_OP_S_WAITCNT_VMCNT, n);
	} else if (in->op == BW_OP_S_WAIT_IDLE || in->op == BW_OP_S_TRAP) { /* rules 275, 289 */
		wait_all(w, t->sw);
	} else {
		return;
	}
	show_counters(w, t->sw);
}

/* ---- checks ---- */

static bool halves_meet(unsigned a, unsigned b)
{
	return a == BW_HALF_BOTH || b == BW_HALF_BOTH || a == b;
}

/* The wait that would have been enough. */
static void remedy(const struct bw_strict_wave *sw, const struct bw_pending *p, char *out,
		   size_t size)
{
	unsigned vm = p->in_vm && in_order(sw, p, true) ? n_from(sw, p, true) - 1 : 0;
	unsigned lgkm = p->in_lgkm && in_order(sw, p, false) ? n_from(sw, p, false) - 1 : 0;
	if (p->in_vm && p->in_lgkm)
		snprintf(out, size, "s_waitcnt vmcnt(%u) lgkmcnt(%u)", vm, lgkm);
	else if (p->in_vm)
		snprintf(out, size, "s_waitcnt vmcnt(%u)", vm);
	else
		snprintf(out, size, "s_waitcnt lgkmcnt(%u)", lgkm);
}

const char *bw_sreg_name(unsigned code, char out[16])
{
	static const char *const named[BW_STRICT_SGPRS] = {
		[BW_SRC_VCC_LO] = "vcc_lo",   [BW_SRC_VCC_HI] = "vcc_hi",
		[BW_SRC_NULL] = "null",	      [BW_SRC_M0] = "m0",
		[BW_SRC_EXEC_LO] = "exec_lo", [BW_SRC_EXEC_HI] = "exec_hi"};
	if (code >= BW_SRC_TTMP0 && code < BW_SRC_NULL)
		snprintf(out, 16, "ttmp%u", code - BW_SRC_TTMP0);
	else if (code < BW_STRICT_SGPRS && named[code])
		snprintf(out, 16, "%s", named[code]);
	else
		snprintf(out, 16, "s%u", code);
	return out;
}

const char *bw_vreg_name(const struct bw_wave *w, unsigned reg, char out[16])
{
	bool is_acc = w->accum_offset && reg >= w->accum_offset;
	snprintf(out, 16, "%c%u", is_acc ? 'a' : 'v', is_acc ? reg - w->accum_offset : reg);
	return out;
}

static void report(struct bw_strict_step *t, const struct bw_pending *p, const char *verb,
		   char kind, unsigned reg)
{
	char wait[64], name[16];
	remedy(t->sw, p, wait, sizeof(wait));
	if (kind == 's')
		bw_sreg_name(reg, name);
	else
		bw_vreg_name(t->w, reg, name);
	bw_strict_report(
		t, BW_STRICT_WAIT,
		"%s %s, where the result of %s at 0x%llx may not have arrived; wait before with %s",
		verb, name, p->name, (unsigned long long)p->pc, wait);
}

static void check_vgprs(struct bw_strict_step *t, const struct bw_vregs *r, uint64_t lanes,
			bool writes)
{
	bool any = false;
	for (unsigned i = 0; i < r->n; i++)
		any |= (t->sw->v_pending[r->first + i] & lanes) != 0;
	if (!any)
		return;
	for (const struct bw_pending *p = t->sw->first; p; p = p->next) {
		if (!p->n_dst || !(p->lanes & lanes) || !halves_meet(p->dst->half, r->half))
			continue;
		unsigned first = BW_MAX(p->dst->first, r->first);
		if (first >= (unsigned)p->dst->first + p->dst->n ||
		    first >= (unsigned)r->first + r->n)
			continue;
		/* A later load of the same order comes after it. */
		const struct bw_effects *e = &t->op->e;
		if (writes && e->access != BW_KIND_NONE && e->unit == p->unit &&
		    e->vm_type == p->vm_type &&
		    (p->unit != BW_UNIT_FLAT || gen_of(t->sw)->orders_flat))
			continue;
		report(t, p, writes ? "writes" : "reads", 'v', first);
		return;
	}
}

static void check_sgprs(struct bw_strict_step *t, const struct bw_sregs *r, bool writes)
{
	if (!bw_sregs_overlap(r, &t->sw->s_pending))
		return;
	unsigned code = bw_sregs_first(r, &t->sw->s_pending);
	for (const struct bw_pending *p = t->sw->first; p; p = p->next)
		if (p->n_sdst && code >= p->sdst && code < p->sdst + p->n_sdst)
			report(t, p, writes ? "writes" : "reads", 's', code);
}

void bw_wait_before(struct bw_strict_step *t)
{
	const struct bw_effects *e = &t->op->e;
	check_sgprs(t, &e->sread, false);
	carry_out_waits(t);
	if (!t->sw->first || !bw_strict_checks(t->sw->s))
		return;
	for (unsigned i = 0; i < e->n_reads; i++)
		check_vgprs(t, &e->read[i], e->read[i].role == BW_ROLE_ALL ? ~0ull : t->exec,
			    false);
	for (unsigned i = 0; i < e->n_writes; i++)
		check_vgprs(t, &e->write[i],
			    e->unit == BW_UNIT_VALU && t->op->info->class == BW_CLASS_WAVE
				    ? ~0ull
				    : t->exec,
			    true);
	check_sgprs(t, &e->swrite, true);
}

/* ---- issue ---- */

/* An operation that has been issued: what it is about to overwrite is kept in value. */
struct bw_pending *bw_wait_hold(struct bw_strict_step *t)
{
	const struct bw_effects *e = &t->op->e;
	bool stores_in_vm = gen_of(t->sw)->stores_in_vm;
	/* Messages; of gfx942 the time as well. */
	bool is_answer = (e->unit == BW_UNIT_SALU || e->unit == BW_UNIT_SMEM) && e->lgkm &&
			 (e->swrite.bit[0] || e->swrite.bit[1]);
	if (e->access == BW_KIND_NONE && !is_answer)
		return NULL;
	if (e->access == BW_KIND_STORE && e->unit == BW_UNIT_VMEM && !stores_in_vm)
		return NULL;
	struct bw_wave *w = t->w;
	unsigned n_sdst = 0, sdst = 0;
	if ((e->unit == BW_UNIT_SMEM || is_answer) && (e->swrite.bit[0] || e->swrite.bit[1])) {
		sdst = bw_sregs_first(&e->swrite, &e->swrite);
		n_sdst = (unsigned)(__builtin_popcountll(e->swrite.bit[0]) +
				    __builtin_popcountll(e->swrite.bit[1]));
	}
	unsigned n_words = e->n_writes ? e->write[0].n * (unsigned)w->lanes : n_sdst;
	struct bw_pending *p = malloc(sizeof(*p) + n_words * sizeof(p->value[0]));
	if (!p)
		abort();
	*p = (struct bw_pending){
		.unit = e->unit,
		.in_vm = e->unit == BW_UNIT_VMEM ||
			 (e->unit == BW_UNIT_FLAT && (e->access != BW_KIND_STORE || stores_in_vm)),
		.in_lgkm = e->lgkm != 0,
		.vm_type = e->vm_type,
		.sdst = (uint8_t)sdst,
		.n_sdst = (uint8_t)n_sdst,
		.n_dst = e->n_writes != 0,
		.lanes = t->exec,
		.pc = t->pc,
		.name = t->op->info->name,
	};
	if (p->n_dst) {
		p->dst[0] = e->write[0];
		memcpy(p->value, bw_wave_vgpr(w, e->write[0].first), n_words * 4u);
	} else if (n_sdst) {
		memcpy(p->value, &w->s[sdst], n_sdst * 4u);
	}
	return p;
}

static void swap_words(uint32_t *a, uint32_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t v = a[i];
		a[i] = b[i];
		b[i] = v;
	}
}

/* Lanes whose dword came from a spilled register that was never written. */
static uint64_t spilled_poison(const struct bw_strict_step *t, const struct bw_pending *p)
{
	uint64_t lanes = 0;
	if (!p->n_dst || p->dst->half != BW_HALF_BOTH || p->dst->n != 1)
		return 0;
	for (unsigned l = 0; l < t->w->lanes; l++)
		if ((p->value[l] & ~(BW_STRICT_VGPRS - 1u)) == (uint32_t)BW_POISON_VGPR)
			lanes |= 1ull << l;
	return lanes & p->lanes;
}

void bw_wait_issue(struct bw_strict_step *t, struct bw_pending *p, bool executed)
{
	const struct bw_effects *e = &t->op->e;
	struct bw_strict_wave *sw = t->sw;
	struct bw_wave *w = t->w;
	if (!executed) {
		free(p);
		return;
	}
	const struct bw_strict_gen *g = gen_of(sw);
	bool counts_vs = !g->stores_in_vm && e->access == BW_KIND_STORE &&
			 (e->unit == BW_UNIT_VMEM || e->unit == BW_UNIT_FLAT);
	if (counts_vs)
		sw->vs = (uint8_t)BW_MIN(sw->vs + 1, VS_MAX);
	if (!p) {
		if (e->lgkm) /* cache invalidations */
			sw->lgkm = (uint8_t)BW_MIN(sw->lgkm + e->lgkm, g->lgkm_max);
		show_counters(w, sw);
		return;
	}
	/* The registers hold the results now: exchange. */
	if (p->n_dst)
		swap_words(bw_wave_vgpr(w, p->dst->first), p->value, (size_t)p->dst->n * w->lanes);
	else if (is_scalar(p))
		swap_words(&w->s[p->sdst], p->value, p->n_sdst);
	if (t->op->inst.fmt == BW_FMT_SCRATCH || t->op->inst.fmt == BW_FMT_FLAT)
		p->undef = spilled_poison(t, p);
	/* A full counter blocks the wave until there is room. */
	if (p->in_vm && sw->vm >= g->vm_max)
		make_room(w, sw, true, g->vm_max, 1);
	if (p->in_lgkm && sw->lgkm + e->lgkm > g->lgkm_max)
		make_room(w, sw, false, g->lgkm_max, e->lgkm);
	sw->vm = (uint8_t)(sw->vm + p->in_vm);
	sw->lgkm = (uint8_t)(sw->lgkm + e->lgkm);
	*sw->last = p;
	sw->last = &p->next;
	for (unsigned i = 0; p->n_dst && i < p->dst->n; i++)
		sw->v_pending[p->dst->first + i] |= p->lanes;
	bw_sregs_add(&sw->s_pending, p->sdst, p->n_sdst);
	show_counters(w, sw);
}
