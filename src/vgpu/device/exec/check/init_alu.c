/* SPDX-License-Identifier: MIT */
/* Operands and results of the ALU. */
#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/check/init_priv.h"
#include "vgpu/device/exec/core/build.h"

/* ---- operands ---- */

struct fetched {
	struct bw_bits x;
	bw_init_origin origin;
};

static struct fetched fetch_sgprs(const struct bw_init_step *t, const struct bw_init_operand *o)
{
	const struct bw_init_wave *iw = t->iw;
	struct fetched f = {.x = {t->w->s[o->reg], iw->s[o->reg]}};
	f.origin = iw->s[o->reg] ? iw->s_origin[o->reg] : 0;
	if (o->n_regs == 2) {
		f.x.v |= (uint64_t)t->w->s[o->reg + 1u] << 32;
		f.x.u |= (uint64_t)iw->s[o->reg + 1u] << 32;
		if (!f.origin)
			f.origin = iw->s_origin[o->reg + 1u];
	}
	return f;
}

static struct fetched fetch_vgprs(const struct bw_init_step *t, const struct bw_init_operand *o,
				  unsigned lane)
{
	struct bw_init_wave *iw = t->iw;
	struct fetched f = {.x = {bw_wave_vgpr(t->w, o->reg)[lane], bw_init_v(iw, o->reg)[lane]}};
	f.origin = f.x.u ? bw_init_v_origin(iw, o->reg)[lane] : 0;
	if (o->n_regs == 2) {
		f.x.v |= (uint64_t)bw_wave_vgpr(t->w, o->reg + 1u)[lane] << 32;
		f.x.u |= (uint64_t)bw_init_v(iw, o->reg + 1u)[lane] << 32;
		if (!f.origin)
			f.origin = bw_init_v_origin(iw, o->reg + 1u)[lane];
	}
	return f;
}

static uint64_t constant(const struct bw_init_step *t, const struct bw_init_operand *o)
{
	if (o->code == UINT16_MAX)
		return (uint64_t)(int64_t)t->op->inst.imm;
	return (uint64_t)(int64_t)(int32_t)bw_scalar_read32(t->w, &t->op->inst, o->code);
}

static struct fetched fetch(const struct bw_init_step *t, const struct bw_init_operand *o,
			    unsigned lane)
{
	struct fetched f = {0};
	switch ((enum bw_init_source)o->kind) {
	case BW_SOURCE_CONSTANT:
		f.x.v = constant(t, o);
		break;
	case BW_SOURCE_VGPR:
		f = fetch_vgprs(t, o, lane);
		break;
	case BW_SOURCE_SGPR:
		f = fetch_sgprs(t, o);
		break;
	case BW_SOURCE_SCC:
		f = (struct fetched){{t->w->scc, t->iw->scc}, t->iw->scc_origin};
		break;
	case BW_SOURCE_MASK:
		f.x.v = t->w->s[o->reg + lane / 32] >> lane % 32 & 1;
		f.x.u = t->iw->s[o->reg + lane / 32] >> lane % 32 & 1;
		f.origin = t->iw->s_origin[o->reg + lane / 32];
		break;
	}
	uint64_t part = o->bits >= 64 ? ~0ull : (1ull << o->bits) - 1;
	f.x.v = f.x.v >> o->shift & part;
	f.x.u = f.x.u >> o->shift & part;
	return f;
}

/* ---- vectors ---- */

/* Both halves of a packed operand, by OP_SEL and OP_SEL_HI. */
static uint64_t packed(const struct bw_inst *in, unsigned i, uint64_t u)
{
	uint64_t lo = in->op_sel >> i & 1 ? u >> 16 : u, hi = in->op_sel_hi >> i & 1 ? u >> 16 : u;
	return (lo & 0xffff) | (hi & 0xffff) << 16;
}

static uint64_t packed_wide(const struct bw_inst *in, unsigned i, uint64_t u)
{
	uint32_t lo = bw_lo32(u), hi = bw_hi32(u);
	return bw_join32(in->op_sel_hi >> i & 1 ? hi : lo, in->op_sel >> i & 1 ? hi : lo);
}

static struct bw_bits take_part(const struct bw_inst *in, unsigned i, struct bw_bits x)
{
	return (struct bw_bits){bw_sdwa_part(in, i, bw_lo32(x.v)),
				bw_sdwa_part(in, i, bw_lo32(x.u))};
}

static struct fetched vector_result(const struct bw_init_step *t, const struct bw_init_half *h,
				    unsigned lane, int src0_lane)
{
	const struct bw_inst *in = &t->op->inst;
	struct bw_bits s[4] = {{0, 0}};
	struct fetched out = {0};
	for (unsigned i = 0; i < h->n_src; i++) {
		struct fetched f = {0};
		if (i || src0_lane >= 0)
			f = fetch(t, &h->src[i], i ? lane : (unsigned)src0_lane);
		if (h->rule == BW_UNDEF_PACKED)
			f.x.u = packed(in, i, f.x.u);
		else if (h->rule == BW_UNDEF_PACKED_WIDE || h->rule == BW_UNDEF_PACK_WIDE)
			f.x.u = packed_wide(in, i, f.x.u);
		else if (in->sdwa && i < 2)
			f.x = take_part(in, i, f.x);
		s[i] = f.x;
		if (f.x.u && !out.origin)
			out.origin = f.origin;
	}
	if (!h->cancels)
		out.x = bw_undef_result((enum bw_undef_rule)h->rule, s, h->n_src, h->bits);
	return out;
}

/* A carry is the sum's upper end. */
static bool is_mask_undefined(const struct bw_init_half *h, uint64_t u)
{
	return h->mask_is_condition ? u & 1 || (h->rule == BW_UNDEF_ANY && u)
				    : u >> (h->bits - 1) & 1;
}

static bool reads_undefined(const struct bw_init_step *t)
{
	const struct bw_effects *e = &t->op->e;
	const struct bw_init_wave *iw = t->iw;
	for (unsigned i = 0; i < e->n_reads; i++)
		for (unsigned r = e->read[i].first; r < e->read[i].first + e->read[i].n; r++)
			if (iw->v_any[r])
				return true;
	for (unsigned k = 0; k < 2; k++)
		for (uint64_t rest = e->sread.bit[k]; rest; rest &= rest - 1)
			if (iw->s[k * 64 + (unsigned)__builtin_ctzll(rest)])
				return true;
	return iw->scc;
}

struct results {
	uint64_t u[64];
	bw_init_origin origin[64];
	uint64_t lanes; /* that are written */
	uint64_t mask;
	bw_init_origin mask_origin;
};

static void compute(const struct bw_init_step *t, const struct bw_init_half *h, struct results *r)
{
	const struct bw_inst *in = &t->op->inst;
	const struct bw_dpp_lanes *dpp =
		in->dpp == BW_DPP_NONE ? NULL
				       : (const struct bw_dpp_lanes *)(const void *)t->rec->inst;
	r->mask = 0;
	r->mask_origin = 0;
	r->lanes = 0;
	for (unsigned half = 0; half < t->w->lanes / BW_LANES; half++) {
		uint32_t exec = (uint32_t)(t->exec >> 32 * half), valid = UINT32_MAX;
		uint32_t write = !dpp	       ? exec
				 : dpp->is_far ? bw_dpp_far_masks(dpp, half, t->exec, &valid)
					       : bw_dpp_masks(dpp, half, exec, &valid);
		r->lanes |= (uint64_t)write << 32 * half;
		for (; write; write &= write - 1) {
			unsigned l = (unsigned)__builtin_ctz(write), lane = 32 * half + l;
			int from = !dpp		       ? (int)lane
				   : !(valid >> l & 1) ? -1
				   : dpp->is_far       ? dpp->far_from[lane]
						       : (int)(32 * half + dpp->from[l]);
			struct fetched f = vector_result(t, h, lane, from);
			r->u[lane] = f.x.u;
			r->origin[lane] = f.origin;
			if (h->mask >= 0 && f.x.u && is_mask_undefined(h, f.x.u)) {
				r->mask |= 1ull << lane;
				if (!r->mask_origin)
					r->mask_origin = f.origin;
			}
		}
	}
}

/* A part of the destination, and what becomes of the rest. */
static void put_part(struct bw_init_step *t, unsigned reg, const struct results *r)
{
	for (uint64_t rest = r->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		uint32_t u = (uint32_t)r->u[lane], old = bw_init_v(t->iw, reg)[lane];
		bw_init_set_lane(t->iw, reg, lane, UINT32_MAX, bw_sdwa_put(&t->op->inst, old, u),
				 u ? r->origin[lane] : bw_init_v_origin(t->iw, reg)[lane]);
	}
}

static void put(struct bw_init_step *t, const struct bw_init_half *h, const struct results *r)
{
	uint32_t part = h->dst_bits == 16 ? 0xffffu << h->dst_shift : UINT32_MAX;
	if (h->dst >= 0 && t->op->inst.sdwa) {
		put_part(t, (unsigned)h->dst, r);
	} else if (h->dst >= 0) {
		for (unsigned k = 0; k < h->n_dst; k++) {
			unsigned reg = (unsigned)h->dst + k, lane;
			bw_init_define(t->iw, reg, part, r->lanes);
			for (uint64_t rest = r->lanes; rest; rest &= rest - 1) {
				lane = (unsigned)__builtin_ctzll(rest);
				uint32_t u = (uint32_t)(r->u[lane] >> 32 * k) << h->dst_shift;
				if (u & part)
					bw_init_set_lane(t->iw, reg, lane, part, u,
							 r->origin[lane]);
			}
		}
	}
	if (h->mask == BW_SRC_EXEC_LO) {
		if (r->mask)
			bw_init_report(t, BW_INIT_BRANCH, (unsigned)__builtin_ctzll(r->mask),
				       r->mask_origin);
	} else if (h->mask >= 0 && bw_sregs_has(&t->op->e.swrite, (unsigned)h->mask)) {
		for (unsigned k = 0; k < t->w->lanes / 32; k++)
			bw_init_set_sgpr(t->iw, (unsigned)h->mask + k,
					 (uint32_t)(r->mask >> 32 * k), r->mask_origin);
	}
}

/* A matrix product: each element of the result is as undefined as the addend's; factors are not
 * followed, of which a kernel may leave rows unused. EXEC does not matter. */
static void put_product(struct bw_init_step *t)
{
	const struct bw_effects *e = &t->op->e;
	const struct bw_vregs *to = &e->write[0], *from = NULL;
	struct bw_init_wave *iw = t->iw;
	for (unsigned i = 0; i < e->n_reads; i++)
		if (e->read[i].src == 2)
			from = &e->read[i];
	if (!e->n_writes || !from || from->n != to->n) {
		bw_init_define_results(t);
		return;
	}
	for (unsigned r = 0; r < to->n; r++) {
		const uint32_t *u = bw_init_v(iw, from->first + r);
		const bw_init_origin *origin = bw_init_v_origin(iw, from->first + r);
		if (!iw->v_any[from->first + r])
			bw_init_define(iw, to->first + r, UINT32_MAX, ~0ull);
		else
			for (unsigned l = 0; l < iw->lanes; l++)
				bw_init_set_lane(iw, to->first + r, l, UINT32_MAX, u[l], origin[l]);
	}
}

void bw_init_valu(struct bw_init_step *t)
{
	struct results r[2];
	const struct bw_init_op *op = t->op;
	bool is_followed = op->half[0].rule != BW_UNDEF_NONE || op->n_halves > 1;
	if (op->inst.fmt == BW_FMT_MAI) {
		put_product(t);
		return;
	}
	if (!is_followed || !reads_undefined(t)) {
		bw_init_define_results(t);
		return;
	}
	for (unsigned i = 0; i < op->n_halves; i++)
		compute(t, &op->half[i], &r[i]);
	for (unsigned i = 0; i < op->n_halves; i++)
		put(t, &op->half[i], &r[i]);
}

/* ---- lanes as scalars ---- */

void bw_init_lane(struct bw_init_step *t)
{
	const struct bw_inst *in = &t->op->inst;
	const struct bw_effects *e = &t->op->e;
	struct bw_init_wave *iw = t->iw;
	unsigned lane = in->op == BW_OP_V_READFIRSTLANE_B32
				? (t->exec ? (unsigned)__builtin_ctzll(t->exec) : 0)
				: bw_scalar_read32(t->w, in, in->src[1]) & (t->w->lanes - 1u);
	if (in->op == BW_OP_V_WRITELANE_B32) {
		unsigned code = in->src[0];
		uint32_t u = code < BW_STRICT_SGPRS ? iw->s[code] : 0;
		if (e->n_writes)
			bw_init_set_lane(iw, e->write[0].first, lane, UINT32_MAX, u,
					 u ? iw->s_origin[code] : 0);
		return;
	}
	if (in->dst >= BW_STRICT_SGPRS || !bw_sregs_has(&e->swrite, in->dst))
		return;
	if (e->n_reads)
		bw_init_set_sgpr(iw, in->dst, bw_init_v(iw, e->read[0].first)[lane],
				 bw_init_v_origin(iw, e->read[0].first)[lane]);
	else
		bw_init_set_sgpr(iw, in->dst, 0, 0);
}

void bw_init_swap(struct bw_init_step *t)
{
	const struct bw_effects *e = &t->op->e;
	if (e->n_writes != 2)
		return;
	unsigned a = e->write[0].first, b = e->write[1].first;
	for (uint64_t rest = t->exec; rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctzll(rest);
		uint32_t ua = bw_init_v(t->iw, a)[l], ub = bw_init_v(t->iw, b)[l];
		bw_init_origin oa = bw_init_v_origin(t->iw, a)[l],
			       ob = bw_init_v_origin(t->iw, b)[l];
		bw_init_set_lane(t->iw, a, l, UINT32_MAX, ub, ob);
		bw_init_set_lane(t->iw, b, l, UINT32_MAX, ua, oa);
	}
}

/* ---- scalars ---- */

static void branch_on_vcc(struct bw_init_step *t)
{
	struct bw_bits vcc = {0, 0};
	bw_init_origin origin = 0;
	for (unsigned k = 0; k < t->w->lanes / 32; k++) {
		vcc.v |= (uint64_t)t->w->s[BW_SRC_VCC_LO + k] << 32 * k;
		vcc.u |= (uint64_t)t->iw->s[BW_SRC_VCC_LO + k] << 32 * k;
		if (t->iw->s[BW_SRC_VCC_LO + k] && !origin)
			origin = t->iw->s_origin[BW_SRC_VCC_LO + k];
	}
	if (bw_undef_nonzero(vcc))
		bw_init_report(t, BW_INIT_BRANCH, (unsigned)__builtin_ctzll(vcc.u), origin);
}

static void branch_on_scc(struct bw_init_step *t)
{
	if (!t->iw->scc)
		return;
	bw_init_report(t, BW_INIT_BRANCH, 0, t->iw->scc_origin);
	t->iw->scc = false;
}

static void jump(struct bw_init_step *t)
{
	const struct bw_init_half *h = &t->op->half[0];
	struct fetched f = h->n_src ? fetch(t, &h->src[0], 0) : (struct fetched){0};
	if (f.x.u)
		bw_init_report(t, BW_INIT_BRANCH, 0, f.origin);
}

/* Whether it is a branch; then nothing else is to be done. */
static bool is_branch(struct bw_init_step *t)
{
	switch ((int)t->op->inst.op) {
	case BW_OP_S_CBRANCH_SCC0:
	case BW_OP_S_CBRANCH_SCC1:
		branch_on_scc(t);
		return true;
	case BW_OP_S_CBRANCH_VCCZ:
	case BW_OP_S_CBRANCH_VCCNZ:
		branch_on_vcc(t);
		return true;
	case BW_OP_S_SETPC_B64:
	case BW_OP_S_SWAPPC_B64:
		jump(t);
		return false;
	}
	return false;
}

/* The sources in the order that the rule has; SCC, where it is one. */
static unsigned arrange(const struct bw_init_step *t, struct fetched s[4])
{
	const struct bw_init_half *h = &t->op->half[0];
	unsigned n = h->n_src;
	for (unsigned i = 0; i < n; i++)
		s[i] = fetch(t, &h->src[i], 0);
	if (!(t->op->inst.reads & BW_IMPLICIT_SCC) || n > 2)
		return n;
	s[n] = (struct fetched){{t->w->scc, t->iw->scc}, t->iw->scc_origin};
	if (n == 2 && h->rule == BW_UNDEF_SELECT) { /* SCC ? 0 : 1 */
		struct fetched f = s[0];
		s[0] = s[1];
		s[1] = f;
	}
	return n + 1;
}

/* s_cmov keeps its destination if SCC is 0. */
static bool is_conditional_move(unsigned op)
{
	return op == BW_OP_S_CMOV_B32 || op == BW_OP_S_CMOV_B64 || op == BW_OP_S_CMOVK_I32;
}

static struct fetched scalar_result(const struct bw_init_step *t, struct bw_bits s[4], unsigned n,
				    bw_init_origin origin)
{
	const struct bw_init_half *h = &t->op->half[0];
	struct fetched out = {.origin = origin};
	if (is_conditional_move(t->op->inst.op) && n == 3) {
		/* 0, the old value, SCC; SOPK has the old one first */
		bool is_k = t->op->inst.fmt == BW_FMT_SOPK;
		struct bw_bits in[3] = {s[!is_k], s[is_k], s[2]};
		out.x = bw_undef_result(BW_UNDEF_SELECT, in, 3, h->bits);
	} else if (!h->cancels) {
		out.x = bw_undef_result((enum bw_undef_rule)h->rule, s, n, h->bits);
	}
	return out;
}

static bool is_logic(unsigned rule)
{
	return rule != BW_UNDEF_ANY && !(rule >= BW_UNDEF_SUM && rule <= BW_UNDEF_MUL_FLOAT);
}

static void set_scc(struct bw_init_step *t, const struct fetched *f)
{
	const struct bw_init_half *h = &t->op->half[0];
	if (!(t->op->inst.writes & BW_IMPLICIT_SCC))
		return;
	t->iw->scc = h->dst < 0		 ? f->x.u != 0
		     : is_logic(h->rule) ? bw_undef_nonzero(f->x)
					 : f->x.u != 0;
	t->iw->scc_origin = f->origin;
}

/* A new EXEC, as far as this wave has lanes. True: a branch that depends on undefined bits. */
static void write_exec(struct bw_init_step *t, uint64_t u, bw_init_origin origin)
{
	if (t->w->lanes == 32)
		u &= UINT32_MAX;
	if (u)
		bw_init_report(t, BW_INIT_BRANCH, (unsigned)__builtin_ctzll(u), origin);
}

void bw_init_salu(struct bw_init_step *t)
{
	const struct bw_init_half *h = &t->op->half[0];
	const struct bw_inst *in = &t->op->inst;
	struct fetched s[4] = {0}, f;
	struct bw_bits x[4];
	bw_init_origin origin = 0;
	if (is_branch(t))
		return;
	if (h->rule == BW_UNDEF_NONE || (!reads_undefined(t) && !(in->reads & BW_IMPLICIT_SCC))) {
		bw_init_define_results(t);
		return;
	}
	unsigned n = arrange(t, s);
	for (unsigned i = 0; i < n; i++) {
		x[i] = s[i].x;
		if (x[i].u && !origin)
			origin = s[i].origin;
	}
	f = scalar_result(t, x, n, origin);
	set_scc(t, &f);
	if (bw_init_has_exec_source(
		    in)) { /* the destination gets the old one, or (WREXEC) the new one */
		bw_init_define_results(t);
		write_exec(t, f.x.u, f.origin);
		t->iw->scc = false;
		return;
	}
	for (unsigned k = 0; h->dst >= 0 && k < h->n_dst; k++)
		if (bw_sregs_has(&t->op->e.swrite, (unsigned)h->dst + k))
			bw_init_set_sgpr(t->iw, (unsigned)h->dst + k, (uint32_t)(f.x.u >> 32 * k),
					 f.origin);
	if (h->dst == BW_SRC_EXEC_LO)
		write_exec(t, f.x.u, f.origin);
	else if (h->dst == BW_SRC_EXEC_HI && t->w->lanes == 64)
		write_exec(t, f.x.u << 32, f.origin);
}
