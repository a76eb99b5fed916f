/* SPDX-License-Identifier: MIT */
/* Finds lanes of registers that were never written, and follows these values.
 *
 * Each VGPR has two bits a lane, for its halves; each SGPR has one. A result counts as unwritten
 * only when that is certain: an operand counts when it is unwritten as a whole, logic and packing
 * need that of all operands, lane permutations and what comes from memory count as written. So a
 * compiler that computes with half a register, or merges a value that is never read, gives no
 * finding. Only what reaches memory counts: an address, or stored data of which not one dword of a
 * lane has been written (a float3 is stored as four). Compilers spill to scratch, so a store there
 * is no use; the poison is stored as well and recognised when it is loaded. The trap handler, which
 * saves all registers, gives no findings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/strict/strict_priv.h"

struct bw_trap_shadow {
	uint64_t undef[2][BW_STRICT_VGPRS];
	struct bw_sregs s_undef;
	uint32_t s[BW_SRC_TTMP0];
	uint32_t v[];
};

void bw_defined_written(struct bw_strict_wave *sw, unsigned reg, enum bw_half half, uint64_t lanes,
			uint64_t undef)
{
	for (unsigned h = 0; h < 2; h++)
		if (half == BW_HALF_BOTH || half == (h ? BW_HALF_HI : BW_HALF_LO))
			sw->undef[h][reg] = (sw->undef[h][reg] & ~lanes) | (undef & lanes);
}

/* Lanes in which a run of registers is unwritten as a whole. */
static uint64_t run_undef(const struct bw_strict_wave *sw, const struct bw_vregs *r)
{
	uint64_t u = ~0ull;
	for (unsigned i = r->first; i < r->first + r->n; i++) {
		if (r->half != BW_HALF_HI)
			u &= sw->undef[0][i];
		if (r->half != BW_HALF_LO)
			u &= sw->undef[1][i];
	}
	return u;
}

/* ---- what reaches memory ---- */

static bool is_scratch(const struct bw_strict_step *t)
{
	return t->op->inst.fmt == BW_FMT_SCRATCH;
}

/* Lanes of a FLAT instruction that mean scratch. */
static uint64_t private_lanes(const struct bw_strict_step *t)
{
	const struct bw_inst *in = &t->op->inst;
	if (is_scratch(t))
		return ~0ull;
	if (in->fmt != BW_FMT_FLAT || !t->op->e.n_reads || t->op->e.read[0].role != BW_ROLE_ADDR)
		return 0;
	uint32_t hi = bw_apertures_of(t->x).private_hi;
	const uint32_t *v = bw_wave_vgpr(t->w, t->op->e.read[0].first + 1u);
	uint64_t lanes = 0;
	for (unsigned l = 0; hi && l < t->w->lanes; l++)
		lanes |= (uint64_t)(v[l] == hi) << l;
	return lanes;
}

static unsigned first_lane(uint64_t lanes)
{
	return (unsigned)__builtin_ctzll(lanes);
}

/* "lane 3", or "32 lanes from 0 on". */
static const char *lanes_text(uint64_t lanes, char out[32])
{
	unsigned n = (unsigned)__builtin_popcountll(lanes);
	if (n == 1)
		snprintf(out, 32, "lane %u", first_lane(lanes));
	else
		snprintf(out, 32, "%u lanes from %u on", n, first_lane(lanes));
	return out;
}

static void check_read(struct bw_strict_step *t, const struct bw_vregs *r)
{
	const struct bw_strict_wave *sw = t->sw;
	char lanes[32], name[16];
	if (r->role == BW_ROLE_ADDR) {
		for (unsigned i = r->first; i < r->first + r->n; i++) {
			uint64_t u = sw->undef[0][i] & sw->undef[1][i] & t->exec;
			if (u) {
				bw_strict_report(
					t, BW_STRICT_UNINIT,
					"its address is in %s, which nobody has written in %s; write it before, in every "
					"lane of EXEC",
					bw_vreg_name(t->w, i, name), lanes_text(u, lanes));
				return;
			}
		}
	} else if (r->role == BW_ROLE_DATA) {
		uint64_t u = run_undef(sw, r) & t->exec & ~private_lanes(t);
		if (u)
			bw_strict_report(
				t, BW_STRICT_UNINIT,
				"it stores %s, which nobody has written in %s; write it before, in every lane of EXEC",
				bw_vreg_name(t->w, r->first, name), lanes_text(u, lanes));
	}
}

void bw_defined_check(struct bw_strict_step *t)
{
	const struct bw_effects *e = &t->op->e;
	if (e->access == BW_KIND_NONE || t->w->status & BW_STATUS_PRIV)
		return;
	char name[16];
	if (bw_sregs_overlap(&e->saddr, &t->sw->s_undef))
		bw_strict_report(t, BW_STRICT_UNINIT,
				 "its address is in %s, which nobody has written; write it before",
				 bw_sreg_name(bw_sregs_first(&e->saddr, &t->sw->s_undef), name));
	for (unsigned i = 0; i < e->n_reads; i++)
		check_read(t, &e->read[i]);
}

/* ---- spilled registers ---- */

void bw_defined_spill(struct bw_strict_step *t, struct bw_spill *s)
{
	const struct bw_effects *e = &t->op->e;
	s->n = 0;
	if (e->access != BW_KIND_STORE || (t->w->status & BW_STATUS_PRIV))
		return;
	if (!is_scratch(t) && t->op->inst.fmt != BW_FMT_FLAT)
		return;
	uint64_t lanes = t->exec & private_lanes(t);
	for (unsigned i = 0; i < e->n_reads; i++) {
		const struct bw_vregs *r = &e->read[i];
		for (unsigned k = r->first;
		     r->role == BW_ROLE_DATA && r->half == BW_HALF_BOTH && k < r->first + r->n;
		     k++) {
			uint64_t u = t->sw->undef[0][k] & t->sw->undef[1][k] & lanes;
			for (; u && s->n < BW_ARRAY_SIZE(s->kept); u &= u - 1) {
				uint32_t *v = &bw_wave_vgpr(t->w, k)[first_lane(u)];
				s->kept[s->n++] =
					(struct bw_spilled){(uint8_t)k, (uint8_t)first_lane(u), *v};
				*v = (uint32_t)BW_POISON_VGPR | k;
			}
		}
	}
}

void bw_defined_unspill(struct bw_strict_step *t, const struct bw_spill *s)
{
	for (unsigned i = 0; i < s->n; i++)
		bw_wave_vgpr(t->w, s->kept[i].reg)[s->kept[i].lane] = s->kept[i].value;
}

/* ---- results ---- */

static uint64_t scalar_undef(const struct bw_strict_wave *sw, unsigned code)
{
	return code < BW_STRICT_SGPRS && bw_sregs_has(&sw->s_undef, code) ? ~0ull : 0;
}

static bool has_read(const struct bw_strict_step *t, bool of_y, unsigned i)
{
	const struct bw_effects *e = &t->op->e;
	for (unsigned k = of_y ? e->x_reads : 0; k < (of_y ? e->n_reads : e->x_reads); k++)
		if (e->read[k].src == i)
			return true;
	return false;
}

/* The unwritten bits of source i: of its VGPRs, or an SGPR; a constant is always written. */
static uint64_t source_undef(const struct bw_strict_step *t, bool of_y, unsigned i)
{
	const struct bw_effects *e = &t->op->e;
	const struct bw_inst *in = &t->op->inst;
	unsigned from = of_y ? e->x_reads : 0, to = of_y ? e->n_reads : e->x_reads;
	for (unsigned k = from; k < to; k++)
		if (e->read[k].src == i)
			return run_undef(t->sw, &e->read[k]);
	return scalar_undef(t->sw, of_y ? in->src_y[i] : in->src[i]);
}

static uint64_t valu_undef(const struct bw_strict_step *t, bool of_y, enum bw_flows flows)
{
	const struct bw_inst *in = &t->op->inst;
	unsigned n = of_y ? in->n_src_y : in->n_src;
	uint64_t any = 0, all = n ? ~0ull : 0;
	for (unsigned i = 0; i < 3; i++) {
		/* The accumulator of v_fmac has no source field. */
		if (i >= n && !has_read(t, of_y, i))
			continue;
		uint16_t code = of_y ? in->src_y[i] : in->src[i];
		if (t->op->e.reads_mask && i == 2 && code == t->op->e.mask_reg)
			continue;
		uint64_t u = source_undef(t, of_y, i);
		any |= u;
		all &= u;
	}
	if (flows == BW_FLOWS_ALL)
		return all;
	return flows == BW_FLOWS_ANY ? any : 0;
}

static uint64_t select_mask(const struct bw_strict_step *t, bool of_y)
{
	unsigned code = of_y ? BW_SRC_VCC_LO : t->op->e.mask_reg;
	return code >= BW_STRICT_SGPRS ? 0
	       : t->w->lanes == 64     ? bw_wave_s64(t->w, code & ~1u)
				       : t->w->s[code];
}

static void copy_halves(struct bw_strict_step *t, bool of_y, const struct bw_vregs *to)
{
	const struct bw_effects *e = &t->op->e;
	struct bw_strict_wave *sw = t->sw;
	unsigned from = of_y ? e->x_reads : 0, end = of_y ? e->n_reads : e->x_reads;
	if (from == end || e->read[from].half != to->half) {
		bw_defined_written(sw, to->first, (enum bw_half)to->half, t->exec,
				   source_undef(t, of_y, 0));
		return;
	}
	uint64_t lo = sw->undef[0][e->read[from].first], hi = sw->undef[1][e->read[from].first];
	if (to->half != BW_HALF_HI)
		bw_defined_written(sw, to->first, BW_HALF_LO, t->exec, lo);
	if (to->half != BW_HALF_LO)
		bw_defined_written(sw, to->first, BW_HALF_HI, t->exec, hi);
}

static void vector_result(struct bw_strict_step *t, bool of_y, enum bw_flows flows,
			  const struct bw_vregs *to)
{
	uint64_t lanes = t->op->info->class == BW_CLASS_WAVE && flows == BW_FLOWS_DEFINED ? ~0ull
											  : t->exec,
		 u = 0;
	if (flows == BW_FLOWS_COPY) {
		copy_halves(t, of_y, to);
		return;
	}
	if (flows == BW_FLOWS_SELECT) {
		uint64_t m = select_mask(t, of_y);
		u = (m & source_undef(t, of_y, 1)) | (~m & source_undef(t, of_y, 0));
	} else {
		u = valu_undef(t, of_y, flows);
	}
	for (unsigned i = 0; i < to->n; i++)
		bw_defined_written(t->sw, to->first + i, (enum bw_half)to->half, lanes, u);
}

static void swap_result(struct bw_strict_step *t)
{
	const struct bw_vregs *a = &t->op->e.write[0], *b = &t->op->e.write[1];
	for (unsigned h = 0; t->op->e.n_writes == 2 && h < 2; h++) {
		uint64_t *ua = &t->sw->undef[h][a->first], *ub = &t->sw->undef[h][b->first];
		uint64_t differ = (*ua ^ *ub) & t->exec;
		*ua ^= differ;
		*ub ^= differ;
	}
}

static unsigned selected_lane(const struct bw_strict_step *t)
{
	const struct bw_inst *in = &t->op->inst;
	if (in->op == BW_OP_V_READFIRSTLANE_B32)
		return t->exec ? first_lane(t->exec) : 0;
	return bw_scalar_read32(t->w, in, in->src[1]) & (t->w->lanes - 1u);
}

static void set_scalar(struct bw_strict_wave *sw, const struct bw_sregs *what, bool undef)
{
	bw_sregs_remove(&sw->s_undef, what);
	for (unsigned i = 0; undef && i < 2; i++)
		sw->s_undef.bit[i] |= what->bit[i];
}

static void valu_after(struct bw_strict_step *t)
{
	const struct bw_strict_op *op = t->op;
	const struct bw_effects *e = &op->e;
	struct bw_strict_wave *sw = t->sw;
	bool scalar = false;
	switch ((enum bw_flows)op->flows[0]) {
	case BW_FLOWS_SWAP:
		swap_result(t);
		return;
	case BW_FLOWS_READLANE:
		scalar = e->n_reads && sw->undef[0][e->read[0].first] &
					       sw->undef[1][e->read[0].first] &
					       1ull << selected_lane(t);
		break;
	case BW_FLOWS_WRITELANE:
		if (e->n_writes)
			bw_defined_written(sw, e->write[0].first, BW_HALF_BOTH,
					   1ull << selected_lane(t),
					   scalar_undef(sw, op->inst.src[0]));
		break;
	case BW_FLOWS_ANY:
	case BW_FLOWS_ALL:
	case BW_FLOWS_COPY:
	case BW_FLOWS_SELECT:
	case BW_FLOWS_DEFINED:
		if (e->n_writes)
			vector_result(t, false, (enum bw_flows)op->flows[0], &e->write[0]);
		if (e->n_writes > 1)
			vector_result(t, true, (enum bw_flows)op->flows[1], &e->write[1]);
		break;
	}
	set_scalar(sw, &e->swrite, scalar);
}

/* Scalars: a source of two registers counts when neither has been written. */
static void salu_after(struct bw_strict_step *t)
{
	const struct bw_strict_op *op = t->op;
	const struct bw_inst *in = &op->inst;
	struct bw_sregs *u = &t->sw->s_undef;
	if (in->op == BW_OP_S_MOV_B64 && in->src[0] < BW_SRC_TTMP0 && in->dst < BW_SRC_TTMP0) {
		bool lo = bw_sregs_has(u, in->src[0] & ~1u), hi = bw_sregs_has(u, in->src[0] | 1u);
		struct bw_sregs none = {0};
		set_scalar(t->sw, &op->e.swrite, false);
		bw_sregs_add(lo ? u : &none, in->dst & ~1u, 1);
		bw_sregs_add(hi ? u : &none, in->dst | 1u, 1);
		return;
	}
	bool any = false, all = in->n_src != 0;
	for (unsigned i = 0; i < in->n_src && i < 2; i++) {
		unsigned code = in->src[i];
		bool is = code < BW_STRICT_SGPRS && bw_sregs_has(u, code) &&
			  (op->e.sdw[i] < 2 || bw_sregs_has(u, code | 1u));
		any |= is;
		all &= is;
	}
	set_scalar(t->sw, &op->e.swrite,
		   op->flows[0] == BW_FLOWS_ANY ? any : op->flows[0] == BW_FLOWS_ALL && all);
}

void bw_defined_after(struct bw_strict_step *t)
{
	if (t->op->e.unit == BW_UNIT_VALU)
		valu_after(t);
	else if (t->op->e.unit == BW_UNIT_SALU && !t->op->e.lgkm)
		salu_after(t);
}

/* ---- the trap handler ----
 *
 * The handler restores the registers that it saved, with the debugger's changes. A register with
 * the same value as before keeps its state; one with another value has been written. */

void bw_defined_enter_trap(struct bw_strict_wave *sw, const struct bw_wave *w)
{
	size_t n = (size_t)w->n_vgprs * w->lanes;
	free(sw->trap);
	struct bw_trap_shadow *s = sw->trap = malloc(sizeof(*s) + n * sizeof(s->v[0]));
	if (!s)
		abort();
	memcpy(s->undef, sw->undef, sizeof(s->undef));
	s->s_undef = sw->s_undef;
	memcpy(s->s, w->s, sizeof(s->s));
	memcpy(s->v, w->v, n * sizeof(s->v[0]));
}

void bw_defined_leave_trap(struct bw_strict_wave *sw, const struct bw_wave *w)
{
	const struct bw_trap_shadow *s = sw->trap;
	if (!s)
		return;
	for (unsigned r = 0; r < w->n_vgprs && r < BW_STRICT_VGPRS; r++) {
		const uint32_t *was = s->v + (size_t)r * w->lanes, *is = bw_wave_vgpr(w, r);
		uint64_t same = 0;
		for (unsigned l = 0; l < w->lanes; l++)
			same |= (uint64_t)(was[l] == is[l]) << l;
		for (unsigned h = 0; h < 2; h++)
			sw->undef[h][r] = s->undef[h][r] & same;
	}
	for (unsigned i = 0; i < BW_SRC_TTMP0; i++) {
		uint64_t bit = 1ull << (i & 63);
		bool undef = bw_sregs_has(&s->s_undef, i) && s->s[i] == w->s[i];
		sw->s_undef.bit[i >> 6] = (sw->s_undef.bit[i >> 6] & ~bit) | (undef ? bit : 0);
	}
	free(sw->trap);
	sw->trap = NULL;
}
