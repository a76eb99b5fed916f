/* SPDX-License-Identifier: MIT */
/* Pairs of instructions that want others between them on gfx942, which does not check itself
 * whether certain results are ready. Distances are in wait states: each instruction is one, s_nop N
 * is N + 1. They are those of LLVM 19 (GCNHazardRecognizer; the passes of matrix instructions are
 * in its scheduling model) and of AMD's ISA manual of CDNA3, 4.5. What only one of the two has is
 * left out: EXEC of vector memory, the old value of a DPP instruction's destination. So is what
 * XNACK would need, because no page fault is retried here. */
#include <stdio.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/core/hwreg9.h"
#include "vgpu/device/exec/strict/strict_priv.h"

/* Wait states between the first instruction and the second. */
enum {
	SGPR_VMEM = 5,	   /* written by the VALU, read by vector memory */
	SGPR_VALU = 2,	   /* the same, read by the VALU */
	SGPR_LANE = 4,	   /* the same, the lane of v_readlane and v_writelane */
	VCC_DIV_FMAS = 4,  /* the same, VCC and v_div_fmas */
	EXEC_LANE = 4,	   /* written by v_cmpx, then v_readlane and its like */
	EXEC_MATRIX = 4,   /* the same, a matrix instruction */
	EXEC_DPP = 5,	   /* the same, DPP */
	VGPR_READLANE = 1, /* written by the VALU, read by v_readlane or v_readfirstlane */
	VGPR_DPP = 2,	   /* the same, by DPP */
	VGPR_MATRIX = 2,   /* the same, by a matrix instruction */
	VGPR_TRANS = 1,	   /* written by a transcendental instruction, read by the VALU */
	VGPR_PART = 1,	   /* a part of it is written, read by the VALU */
	VGPR_DOT = 3,	   /* written by a dot product, used by another instruction */
	STORE_DATA = 2,	   /* more than 64 bits of a lane are stored, the VALU overwrites them */
	SETREG = 2,	   /* s_setreg, then s_setreg or s_getreg of the same register */
	TRAPSTS_RFE = 1,   /* s_setreg of TRAPSTS, then s_rfe */
	M0_USE = 1,	   /* written by the SALU, used by LDS, a message or s_movrel */
	F64_FMA = 2,	   /* a matrix product of f64, then v_fma_f64 */
};

/* ---- matrix instructions ---- */

enum { OF_F32, OF_F64, OF_OTHERS };
struct matrix {
	uint16_t op;
	uint8_t kind, passes;
};

/* Those that are not as the number of their results lets expect. */
static const struct matrix special[] = {
	{BW_OP_V_MFMA_F32_32X32X1_2B_F32, OF_F32, 16},
	{BW_OP_V_MFMA_F32_16X16X1_4B_F32, OF_F32, 8},
	{BW_OP_V_MFMA_F32_4X4X1_16B_F32, OF_F32, 2},
	{BW_OP_V_MFMA_F32_32X32X2_F32, OF_F32, 16},
	{BW_OP_V_MFMA_F32_16X16X4_F32, OF_F32, 8},
	{BW_OP_V_MFMA_F64_16X16X4_F64, OF_F64, 8},
	{BW_OP_V_MFMA_F64_4X4X4_4B_F64, OF_F64, 4},
	{BW_OP_V_MFMA_F32_4X4X4_16B_F16, OF_OTHERS, 2},
	{BW_OP_V_MFMA_F32_4X4X4_16B_BF16, OF_OTHERS, 2},
	{BW_OP_V_MFMA_I32_4X4X4_16B_I8, OF_OTHERS, 2},
};

static struct matrix matrix_of(unsigned op)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(special); i++)
		if (special[i].op == op)
			return special[i];
	unsigned n = bw_isa_op_info(op)->dst[0].n;
	return (struct matrix){(uint16_t)op, OF_OTHERS, (uint8_t)(n > 4 ? n / 2 : n)};
}

static bool is_matrix(const struct bw_strict_op *op)
{
	return op->inst.fmt == BW_FMT_MAI && op->info->n_src >= 3; /* not v_accvgpr_read, _write */
}

/* Result of a matrix instruction -> anything but a matrix instruction. */
static unsigned matrix_to_other(struct matrix m, bool is_memory, bool writes)
{
	if (m.kind != OF_F64)
		return m.passes + (m.kind == OF_F32 ? 2u : 3u);
	bool is_long = m.op == BW_OP_V_MFMA_F64_16X16X4_F64;
	if (is_memory && !writes)
		return is_long ? 18 : 9;
	return is_long ? 11 : 6;
}

/* Result of a matrix instruction -> A or B of another. */
static unsigned matrix_to_ab(struct matrix m)
{
	return matrix_to_other(m, false, false);
}

/* Result of a matrix instruction -> C of another, which is the same registers or only overlaps. */
static unsigned matrix_to_c(struct matrix from, struct matrix to, bool is_same)
{
	if (is_same) {
		if (from.op == BW_OP_V_MFMA_F64_4X4X4_4B_F64 && to.op == from.op)
			return 4;
		return from.passes == 2 ? 2 : 0;
	}
	if (from.kind == OF_F64)
		return to.kind == OF_OTHERS ? 0 : from.op == BW_OP_V_MFMA_F64_16X16X4_F64 ? 9 : 4;
	if (from.kind == OF_F32)
		return to.kind == OF_OTHERS ? 0 : from.passes;
	return from.passes + 1u;
}

/* ---- other classes ---- */

static bool is_valu(const struct bw_strict_op *op)
{
	enum bw_fmt f = op->inst.fmt;
	return f == BW_FMT_VOP1 || f == BW_FMT_VOP2 || f == BW_FMT_VOPC || f == BW_FMT_VOP3 ||
	       f == BW_FMT_VOP3SD || f == BW_FMT_VOP3P || f == BW_FMT_MAI;
}

static bool is_memory(const struct bw_strict_op *op)
{
	return op->e.unit == BW_UNIT_VMEM || op->e.unit == BW_UNIT_FLAT || op->e.unit == BW_UNIT_DS;
}

static bool is_dot(unsigned op)
{
	return op >= BW_OP_V_DOT2_BF16_BF16 && op <= BW_OP_V_DOT8C_I32_I4; /* sorted by name */
}

static bool is_readlane(unsigned op)
{
	return op == BW_OP_V_READLANE_B32 || op == BW_OP_V_READFIRSTLANE_B32;
}

/* The result takes a part of its register: SDWA, and the upper half. */
static bool writes_part(const struct bw_inst *in)
{
	if (in->sdwa)
		return in->fmt != BW_FMT_VOPC && in->dst_sel != BW_SDWA_DWORD;
	return in->fmt != BW_FMT_VOP3P && in->fmt != BW_FMT_MAI && in->op_sel & BW_OP_SEL_DST;
}

static bool is_fma64(unsigned op)
{
	return op == BW_OP_V_FMA_F64 || op == BW_OP_V_FMAC_F64;
}

/* M0 of instructions that do not wait for it. */
static bool uses_m0(const struct bw_strict_op *op)
{
	if (op->inst.fmt == BW_FMT_DS)
		return op->info->flags & BW_OPF_ADDTID || op->inst.gds;
	if (op->info->flags & BW_OPF_TO_LDS)
		return true;
	return op->inst.op == BW_OP_S_SENDMSG || op->inst.op == BW_OP_S_SENDMSGHALT ||
	       op->inst.op == BW_OP_S_TTRACEDATA || op->inst.op == BW_OP_S_MOVRELS_B32 ||
	       op->inst.op == BW_OP_S_MOVRELS_B64 || op->inst.op == BW_OP_S_MOVRELD_B32 ||
	       op->inst.op == BW_OP_S_MOVRELD_B64;
}

static bool is_setreg(unsigned op)
{
	return op == BW_OP_S_SETREG_B32 || op == BW_OP_S_SETREG_IMM32_B32;
}

static unsigned hwreg_of(const struct bw_inst *in)
{
	return (unsigned)in->imm & 63;
}

/* ---- looking back ---- */

/* "reads v3, which v_exp_f32 wrote" */
struct words {
	const char *verb, *by, *did;
};

/* The pair that wants the most. */
struct look {
	struct bw_strict_step *t;
	const struct bw_hazards9 *h;
	unsigned missing, wanted;
	struct words words;
	char what[32];
};

/* at: when the first instruction was complete, 0: never. Whether the pair is the worst so far: what
 * is to be filled in then. */
static bool want(struct look *l, uint64_t at, unsigned wanted, struct words words)
{
	uint64_t since = l->h->now - at;
	if (at <= l->h->fence || since >= wanted || wanted - since <= l->missing)
		return false;
	l->missing = wanted - (unsigned)since;
	l->wanted = wanted;
	l->words = words;
	return true;
}

static void want_vgpr(struct look *l, unsigned reg, uint64_t at, unsigned wanted,
		      struct words words)
{
	if (want(l, at, wanted, words))
		bw_vreg_name(l->t->w, reg, l->what);
}

static void want_sgpr(struct look *l, unsigned code, unsigned wanted, const char *verb)
{
	char name[16];
	const struct bw_hazard9_sgpr *s = &l->h->s[code];
	if (want(l, s->at, wanted, (struct words){verb, bw_isa_op_info(s->op)->name, "wrote"}))
		snprintf(l->what, sizeof(l->what), "%s", bw_sreg_name(code, name));
}

static void want_sgprs(struct look *l, const struct bw_sregs *all, unsigned wanted,
		       const char *verb)
{
	for (unsigned i = 0; i < 2; i++) {
		for (uint64_t left = all->bit[i]; left; left &= left - 1) {
			unsigned code = i * 64 + (unsigned)__builtin_ctzll(left);
			if (code < BW_SRC_EXEC_LO)
				want_sgpr(l, code, wanted, verb);
		}
	}
}

/* C has as many registers as D; the index of a sparse product is not C. */
static bool is_c(const struct bw_effects *e, const struct bw_vregs *r)
{
	return r->src == 2 && e->n_writes && r->n == e->write[0].n;
}

static unsigned wanted_by_read(const struct bw_strict_op *op, const struct bw_vregs *r,
			       const struct bw_hazard9_vgpr *v)
{
	const unsigned to = op->inst.op;
	if (v->kind == BW_HAZARD9_MATRIX) {
		struct matrix m = matrix_of(v->op);
		if (!is_matrix(op))
			return matrix_to_other(m, is_memory(op), false);
		return is_c(&op->e, r)
			       ? matrix_to_c(m, matrix_of(to), v->first == r->first && v->n == r->n)
			       : matrix_to_ab(m);
	}
	unsigned wanted = 0;
	if (is_dot(v->op) && !is_matrix(op) && !(v->op == to && r->src == 2))
		wanted = VGPR_DOT;
	if (!is_valu(op))
		return wanted;
	if (is_matrix(op) && !is_dot(v->op))
		wanted = VGPR_MATRIX;
	if (op->inst.dpp != BW_DPP_NONE)
		wanted = BW_MAX(wanted, (unsigned)VGPR_DPP);
	if (is_readlane(to))
		wanted = BW_MAX(wanted, (unsigned)VGPR_READLANE);
	if (v->kind == BW_HAZARD9_TRANS && !op->e.trans)
		wanted = BW_MAX(wanted, (unsigned)VGPR_TRANS);
	if (v->kind == BW_HAZARD9_PART)
		wanted = BW_MAX(wanted, (unsigned)VGPR_PART);
	return wanted;
}

static void look_at_reads(struct look *l)
{
	const struct bw_strict_op *op = l->t->op;
	for (unsigned i = 0; i < op->e.n_reads; i++) {
		const struct bw_vregs *r = &op->e.read[i];
		for (unsigned reg = r->first; reg < (unsigned)r->first + r->n; reg++) {
			const struct bw_hazard9_vgpr *v = &l->h->v[reg];
			if (v->at)
				want_vgpr(l, reg, v->at, wanted_by_read(op, r, v),
					  (struct words){"reads", bw_isa_op_info(v->op)->name,
							 "wrote"});
		}
	}
}

static unsigned wanted_by_write(const struct bw_strict_op *op, const struct bw_hazard9_vgpr *v)
{
	if (v->kind == BW_HAZARD9_MATRIX)
		return matrix_to_other(matrix_of(v->op), is_memory(op), true);
	return is_dot(v->op) && v->op != op->inst.op ? VGPR_DOT : 0;
}

static void look_at_writes(struct look *l)
{
	const struct bw_strict_op *op = l->t->op;
	for (unsigned i = 0; i < op->e.n_writes; i++) {
		const struct bw_vregs *w = &op->e.write[i];
		for (unsigned reg = w->first; reg < (unsigned)w->first + w->n; reg++) {
			const struct bw_hazard9_vgpr *v = &l->h->v[reg];
			if (is_valu(op))
				want_vgpr(l, reg, v->stored_at, STORE_DATA,
					  (struct words){"overwrites",
							 "a store of more than 64 bits",
							 "has read"});
			if (is_matrix(op))
				continue;
			if (v->at)
				want_vgpr(l, reg, v->at, wanted_by_write(op, v),
					  (struct words){"overwrites", bw_isa_op_info(v->op)->name,
							 "wrote"});
			if (v->c_at)
				want_vgpr(l, reg, v->c_at, v->c_passes - 1u,
					  (struct words){"overwrites", "a matrix instruction",
							 "has read as C"});
		}
	}
}

static void look_at_scalars(struct look *l)
{
	const struct bw_strict_op *op = l->t->op;
	const struct bw_inst *in = &op->inst;
	const uint64_t exec_at = BW_MAX(l->h->s[BW_SRC_EXEC_LO].at, l->h->s[BW_SRC_EXEC_HI].at);
	unsigned of_exec = 0;
	if (op->e.unit == BW_UNIT_VMEM || op->e.unit == BW_UNIT_FLAT)
		want_sgprs(l, &op->e.sread, SGPR_VMEM, "reads");
	if (!is_valu(op))
		return;
	want_sgprs(l, &op->e.sread, SGPR_VALU, "reads");
	if (in->op == BW_OP_V_DIV_FMAS_F32 || in->op == BW_OP_V_DIV_FMAS_F64) {
		want_sgpr(l, BW_SRC_VCC_LO, VCC_DIV_FMAS, "reads");
		want_sgpr(l, BW_SRC_VCC_HI, VCC_DIV_FMAS, "reads");
	}
	bool is_lane = is_readlane(in->op) || in->op == BW_OP_V_WRITELANE_B32;
	if (is_lane && in->op != BW_OP_V_READFIRSTLANE_B32 && in->src[1] < BW_SRC_EXEC_LO)
		want_sgpr(l, in->src[1], SGPR_LANE, "takes its lane from");
	if (in->dpp != BW_DPP_NONE)
		of_exec = EXEC_DPP;
	else if (is_lane)
		of_exec = EXEC_LANE;
	else if (is_matrix(op))
		of_exec = EXEC_MATRIX;
	if (exec_at && want(l, exec_at, of_exec, (struct words){"depends on", "a v_cmpx", "wrote"}))
		snprintf(l->what, sizeof(l->what), "EXEC");
}

static void look_at_others(struct look *l)
{
	const struct bw_strict_op *op = l->t->op;
	const struct bw_inst *in = &op->inst;
	if (is_setreg(in->op) || in->op == BW_OP_S_GETREG_B32) {
		if (want(l, l->h->setreg_at[hwreg_of(in)], SETREG,
			 (struct words){is_setreg(in->op) ? "sets" : "reads", "an s_setreg",
					"set"}))
			snprintf(l->what, sizeof(l->what), "a hardware register");
	} else if (in->op == BW_OP_S_RFE_B64) {
		if (want(l, l->h->setreg_at[BW_HWREG9_TRAPSTS], TRAPSTS_RFE,
			 (struct words){"depends on", "an s_setreg", "set"}))
			snprintf(l->what, sizeof(l->what), "TRAPSTS");
	} else if (uses_m0(op)) {
		if (want(l, l->h->m0_at, M0_USE,
			 (struct words){"uses", "a scalar instruction", "wrote"}))
			snprintf(l->what, sizeof(l->what), "m0");
	} else if (is_fma64(in->op)) {
		if (want(l, l->h->f64_at, F64_FMA, (struct words){"follows", "", "began"}))
			snprintf(l->what, sizeof(l->what), "a matrix product of f64");
	}
}

void bw_hazard9_check(struct bw_strict_step *t)
{
	struct bw_hazards9 *h = &t->sw->hazards9;
	struct look l = {.t = t, .h = h};
	if (h->in_trap != t->sw->in_trap) { /* a trap, or the return from it, takes long */
		h->in_trap = t->sw->in_trap;
		h->fence = h->now;
	}
	look_at_reads(&l);
	look_at_writes(&l);
	look_at_scalars(&l);
	look_at_others(&l);
	if (!l.missing)
		return;
	unsigned since = l.wanted - l.missing;
	bw_strict_report(
		t, BW_STRICT_HAZARD,
		"%s %s, which %s%s%s %u wait state%s before; %u must lie between: put %u more there (s_nop)",
		l.words.verb, l.what, l.words.by, *l.words.by ? " " : "", l.words.did, since,
		since == 1 ? "" : "s", l.wanted, l.missing);
}

/* ---- what was issued ---- */

static enum bw_hazard9_kind kind_of(const struct bw_strict_op *op)
{
	if (is_matrix(op))
		return BW_HAZARD9_MATRIX;
	if (op->e.trans)
		return BW_HAZARD9_TRANS;
	return writes_part(&op->inst) ? BW_HAZARD9_PART : BW_HAZARD9_VALU;
}

static void after_valu(struct bw_hazards9 *h, const struct bw_strict_op *op)
{
	const struct bw_effects *e = &op->e;
	const enum bw_hazard9_kind kind = kind_of(op);
	for (unsigned i = 0; i < e->n_writes; i++) {
		const struct bw_vregs *w = &e->write[i];
		for (unsigned r = w->first; r < (unsigned)w->first + w->n; r++) {
			struct bw_hazard9_vgpr *v = &h->v[r];
			v->at = h->now;
			v->kind = (uint8_t)kind;
			v->op = op->inst.op;
			v->first = w->first;
			v->n = w->n;
		}
	}
	if (kind != BW_HAZARD9_MATRIX)
		return;
	const struct matrix m = matrix_of(op->inst.op);
	if (m.kind == OF_F64)
		h->f64_at = h->now;
	for (unsigned i = 0; m.kind == OF_OTHERS && i < e->n_reads; i++) {
		const struct bw_vregs *r = &e->read[i];
		for (unsigned k = r->first; is_c(e, r) && k < (unsigned)r->first + r->n; k++) {
			h->v[k].c_at = h->now;
			h->v[k].c_passes = m.passes;
		}
	}
}

static void after_memory(struct bw_hazards9 *h, const struct bw_strict_op *op)
{
	const struct bw_effects *e = &op->e;
	const struct bw_inst *in = &op->inst;
	for (unsigned i = 0; i < e->n_writes; i++)
		for (unsigned r = e->write[i].first; r < e->write[i].first + e->write[i].n; r++)
			h->v[r].at = 0;
	bool is_buffer = in->fmt == BW_FMT_MUBUF || in->fmt == BW_FMT_MTBUF;
	/* An offset in an SGPR takes the time. */
	if (e->unit == BW_UNIT_DS ||
	    (is_buffer && in->saddr < BW_STRICT_SGPRS && in->saddr != BW_SRC_NULL))
		return;
	for (unsigned i = 0; i < e->n_reads; i++) {
		const struct bw_vregs *r = &e->read[i];
		if (r->role == BW_ROLE_DATA && r->n > 2)
			for (unsigned k = r->first; k < (unsigned)r->first + r->n; k++)
				h->v[k].stored_at = h->now;
	}
}

static void after_sgprs(struct bw_hazards9 *h, const struct bw_strict_op *op)
{
	for (unsigned i = 0; i < 2; i++) {
		for (uint64_t left = op->e.swrite.bit[i]; left; left &= left - 1) {
			struct bw_hazard9_sgpr *s = &h->s[i * 64 + (unsigned)__builtin_ctzll(left)];
			s->at = is_valu(op) ? h->now : 0;
			s->op = op->inst.op;
		}
	}
	if (op->e.unit == BW_UNIT_SALU && bw_sregs_has(&op->e.swrite, BW_SRC_M0))
		h->m0_at = h->now;
}

void bw_hazard9_after(struct bw_strict_step *t)
{
	struct bw_hazards9 *h = &t->sw->hazards9;
	const struct bw_strict_op *op = t->op;
	const unsigned code = op->inst.op;
	h->now += code == BW_OP_S_NOP ? ((unsigned)op->inst.imm & 15) + 1u : 1u;
	after_sgprs(h, op);
	if (is_valu(op))
		after_valu(h, op);
	else if (is_memory(op))
		after_memory(h, op);
	else if (is_setreg(code))
		h->setreg_at[hwreg_of(&op->inst)] = h->now;
	/* As on gfx11: compilers look within functions, and at each block once. */
	if (t->goes_back || code == BW_OP_S_SETPC_B64 || code == BW_OP_S_SWAPPC_B64 ||
	    code == BW_OP_S_CALL_B64)
		h->fence = h->now;
}
