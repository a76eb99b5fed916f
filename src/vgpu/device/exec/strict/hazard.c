/* SPDX-License-Identifier: MIT */
/* Pairs of instructions that want a wait or another instruction between them, as gfx1100 has them:
 * rules 223 and 251, and the VALU hazards that LLVM 19 (GCNHazardRecognizer) and ACO 25.0 work
 * around on gfx11. The positions of LLVM are taken. Hazards of LDSDIR and exports are not here,
 * because the executor has neither. */
#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/strict/strict_priv.h"

/* s_waitcnt_depctr: fields that are 0 are waited for (doc/hardware/encodings.md 8; LLVM's
 * AMDGPUBaseInfo). */
enum { DEPCTR_VA_VDST = 0xf000, DEPCTR_SA_SDST = 1 };

enum { TRANS_MAX_VALU = 5, TRANS_MAX_TRANS = 1, FORWARD_MAX_AFTER = 4, FORWARD_MAX_AROUND = 2 };

static bool is_valu(const struct bw_strict_op *op)
{
	enum bw_fmt f = op->inst.fmt;
	return f == BW_FMT_VOP1 || f == BW_FMT_VOP2 || f == BW_FMT_VOPC || f == BW_FMT_VOP3 ||
	       f == BW_FMT_VOP3SD || f == BW_FMT_VOP3P || f == BW_FMT_VOPD || f == BW_FMT_VINTERP;
}

static bool is_wmma(const struct bw_strict_op *op)
{
	return op->info->n_dst && op->info->dst[0].is_matrix;
}

static bool is_nop(const struct bw_strict_op *op)
{
	return op->inst.op == BW_OP_V_NOP;
}

/* ---- checks ---- */

static void check_trans(struct bw_strict_step *t)
{
	const struct bw_effects *e = &t->op->e;
	const struct bw_hazards *h = &t->sw->hazards;
	for (unsigned i = 0; i < e->n_reads; i++) {
		for (unsigned r = e->read[i].first; r < e->read[i].first + e->read[i].n; r++) {
			uint64_t at = h->trans_at[r];
			if (!at || at <= h->fence || h->n_valu - at > TRANS_MAX_VALU ||
			    h->n_trans - h->trans_n[r] > TRANS_MAX_TRANS)
				continue;
			bw_strict_report(
				t, BW_STRICT_HAZARD,
				"reads v%u, which a transcendental instruction wrote %u VALU instructions before; wait with "
				"s_waitcnt_depctr va_vdst(0)",
				r, (unsigned)(h->n_valu - at) + 1);
			return;
		}
	}
}

/* The last write of a source; a source of several registers is written with any of them. */
static uint64_t source_write(const struct bw_hazards *h, const struct bw_vregs *src,
			     unsigned *out_reg)
{
	uint64_t last = 0;
	for (unsigned r = src->first; r < (unsigned)src->first + src->n; r++) {
		if (h->valu_at[r] <= last)
			continue;
		last = h->valu_at[r];
		*out_reg = r;
	}
	return last;
}

/* The last write of any source, at most limit. 0: there is none that counts. */
static uint64_t last_write(const struct bw_strict_step *t, uint64_t limit, unsigned *out_reg)
{
	const struct bw_effects *e = &t->op->e;
	const struct bw_hazards *h = &t->sw->hazards;
	uint64_t last = 0;
	for (unsigned i = 0; i < e->n_reads; i++) {
		unsigned r = 0;
		uint64_t at = source_write(h, &e->read[i], &r);
		if (at > limit || at <= BW_MAX(h->fence, last))
			continue;
		last = at;
		*out_reg = r;
	}
	return last;
}

/* wave64: a result from before a change of EXEC and one from after it are forwarded together. To
 * LLVM that takes two sources: a pair of registers that were written on both sides is one. ACO
 * waits there too. */
static void check_forwarding(struct bw_strict_step *t)
{
	const struct bw_hazards *h = &t->sw->hazards;
	unsigned pre = 0, post = 0;
	uint64_t behind = last_write(t, UINT64_MAX, &post);
	if (!behind || h->n_valu - behind > FORWARD_MAX_AFTER)
		return;
	for (uint64_t k = h->n_exec; k && h->n_exec - k < BW_EXEC_WRITES; k--) {
		uint64_t exec = h->exec_at[(k - 1) % BW_EXEC_WRITES];
		if (exec >= behind)
			continue;
		uint64_t before = last_write(t, exec, &pre);
		if (before && (exec - before) + (behind - 1 - exec) <= FORWARD_MAX_AROUND)
			bw_strict_report(
				t, BW_STRICT_HAZARD,
				"reads v%u and v%u, which the VALU has written on both sides of a change of EXEC; wait "
				"before with s_waitcnt_depctr va_vdst(0)",
				pre, post);
		return;
	}
}

static void check_wmma(struct bw_strict_step *t)
{
	const struct bw_effects *e = &t->op->e;
	const struct bw_hazards *h = &t->sw->hazards;
	for (unsigned i = 0; i < e->n_reads && h->wmma_n; i++) {
		const struct bw_vregs *r = &e->read[i];
		if (r->src > 1 || r->first >= h->wmma_first + h->wmma_n ||
		    h->wmma_first >= r->first + r->n)
			continue;
		bw_strict_report(
			t, BW_STRICT_HAZARD,
			"reads v%u as matrix %c right after the WMMA that wrote it; put a v_nop between",
			r->first, r->src ? 'B' : 'A');
		return;
	}
}

static void check_mask(struct bw_strict_step *t)
{
	const struct bw_effects *e = &t->op->e;
	const struct bw_sregs *written = &t->sw->hazards.mask_written;
	char name[16];
	/* A branch looks at VCCZ, not at the register. [I] */
	if (t->op->inst.fmt == BW_FMT_SOPP || !bw_sregs_overlap(&e->sread, written))
		return;
	bw_strict_report(
		t, BW_STRICT_HAZARD,
		"reads %s, a lane mask of the VALU that the SALU has changed since; wait after the change with "
		"s_waitcnt_depctr sa_sdst(0)",
		bw_sreg_name(bw_sregs_first(&e->sread, written), name));
}

void bw_hazard_check(struct bw_strict_step *t)
{
	const struct bw_strict_op *op = t->op;
	if (t->w->lanes == 64 && op->e.unit == BW_UNIT_SALU)
		check_mask(t);
	if (!is_valu(op))
		return;
	check_trans(t);
	if (t->w->lanes == 64)
		check_forwarding(t);
	if (is_wmma(op))
		check_wmma(t);
	if (t->sw->hazards.after_cmpx && (op->info->flags & BW_OPF_PERMLANE))
		bw_strict_report(
			t, BW_STRICT_HAZARD,
			/* 251 */
			"follows a v_cmpx directly; put a VALU instruction other than v_nop between them");
}

/* ---- what was issued ---- */

static void after_valu(struct bw_hazards *h, const struct bw_strict_op *op)
{
	const struct bw_effects *e = &op->e;
	h->n_valu++;
	h->n_trans += e->trans;
	for (unsigned i = 0; i < e->n_writes; i++) {
		for (unsigned r = e->write[i].first; r < e->write[i].first + e->write[i].n; r++) {
			h->valu_at[r] = h->n_valu;
			h->trans_at[r] = e->trans ? h->n_valu : 0;
			h->trans_n[r] = h->n_trans;
		}
	}
	h->after_cmpx = e->writes_exec || (h->after_cmpx && is_nop(op));
	h->wmma_n = is_wmma(op) && e->n_writes ? e->write[0].n : 0;
	h->wmma_first = e->write[0].first;
	/* A scalar operand or a literal ends the danger to the masks read before. */
	if (e->scalar_operand)
		h->mask_read = (struct bw_sregs){0};
	if (e->reads_mask)
		bw_sregs_add(&h->mask_read, e->mask_reg & ~1u, 2);
	bw_sregs_remove(&h->mask_written, &e->swrite);
}

static void after_salu(struct bw_hazards *h, const struct bw_effects *e)
{
	if (e->writes_exec)
		h->exec_at[h->n_exec++ % BW_EXEC_WRITES] = h->n_valu;
	struct bw_sregs danger = e->swrite;
	struct bw_sregs never = {0};
	bw_sregs_add(&never, BW_SRC_TTMP0, BW_STRICT_SGPRS - BW_SRC_TTMP0); /* TTMPs, M0, EXEC */
	bw_sregs_remove(&danger, &never);
	/* Both registers of the mask must be in danger: compilers ignore a change of one. */
	for (unsigned i = 0; i < 2; i++) {
		uint64_t even = danger.bit[i] & danger.bit[i] >> 1 & 0x5555555555555555;
		danger.bit[i] = even | even << 1;
		h->mask_written.bit[i] |= danger.bit[i] & h->mask_read.bit[i];
		h->mask_read.bit[i] &= ~danger.bit[i];
	}
}

void bw_hazard_after(struct bw_strict_step *t)
{
	struct bw_hazards *h = &t->sw->hazards;
	const struct bw_strict_op *op = t->op;
	if (is_valu(op)) {
		after_valu(h, op);
		return;
	}
	/* LLVM looks at each block once: what comes round a loop may escape it. */
	if (t->goes_back)
		h->fence = h->n_valu;
	if (op->inst.op == BW_OP_S_SETPC_B64 || op->inst.op == BW_OP_S_SWAPPC_B64 ||
	    op->inst.op == BW_OP_S_CALL_B64) {
		/* LLVM looks for hazards inside of functions only. */
		h->fence = h->n_valu;
		h->mask_read = h->mask_written = (struct bw_sregs){0};
	} else if (op->inst.op == BW_OP_S_WAITCNT_DEPCTR) {
		unsigned imm = (uint16_t)op->inst.imm;
		if (!(imm & DEPCTR_VA_VDST))
			h->fence = h->n_valu;
		if (!(imm & DEPCTR_SA_SDST))
			h->mask_read = h->mask_written = (struct bw_sregs){0};
	} else if (op->inst.op == BW_OP_S_GETPC_B64) {
		/* LLVM 19 does not wait after it where it is in a bundle. [I] */
	} else if (op->e.unit == BW_UNIT_SALU) {
		after_salu(h, &op->e);
	} else if (op->e.unit == BW_UNIT_VMEM || op->e.unit == BW_UNIT_FLAT ||
		   op->e.unit == BW_UNIT_DS) {
		h->fence = h->n_valu; /* waits for VALU results by itself */
	}
}
