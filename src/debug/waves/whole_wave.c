/* SPDX-License-Identifier: MIT */
/* Whole-wave code: compilers set EXEC to all lanes, or to the inactive ones, for some instructions
 * that belong to no lane of the program: at -O0 each spill of SGPRs into lanes of a VGPR, in
 * prologues and epilogues the VGPRs that hold such lanes, and operations across lanes. EXEC is
 * saved in SGPRs before and restored from there afterwards (doc/hardware/code-objects.md 10), so
 * the program's lanes are known within that code as well. */
#include "debug/code/code_priv.h"
#include "debug/waves/waves_priv.h"

#include "base/util.h"
#include "isa/ops.h"
#include "isa/written.h"

enum {
	WINDOW_DW = 96, /* how far before an instruction the beginning of such code is looked for */
	N_SGPRS = 108
};

/* ---- Finding it ---- */

static bool is_minus_1(const struct bw_inst *i)
{
	return i->src[0] == BW_SRC_INT_64 + 1 ||
	       (i->src[0] == BW_SRC_LITERAL && i->literal == UINT32_MAX);
}

/* Whether the instruction is s_mov exec, -1. */
static bool sets_all(const struct bw_inst *i)
{
	return (i->op == BW_OP_S_MOV_B32 || i->op == BW_OP_S_MOV_B64) && i->dst == BW_SRC_EXEC_LO &&
	       is_minus_1(i);
}

/* Whether the instruction keeps EXEC in an SGPR: with -1 as s_or_saveexec or s_xor_saveexec, or as
 * s_mov, to which an s_mov exec, -1 belongs. */
static bool saves(const struct bw_inst *i, struct bw_whole_wave *out)
{
	bool takes_all = i->op == BW_OP_S_OR_SAVEEXEC_B32 || i->op == BW_OP_S_OR_SAVEEXEC_B64;
	bool takes_others = i->op == BW_OP_S_XOR_SAVEEXEC_B32 || i->op == BW_OP_S_XOR_SAVEEXEC_B64;
	bool moves = (i->op == BW_OP_S_MOV_B32 || i->op == BW_OP_S_MOV_B64) &&
		     i->src[0] == BW_SRC_EXEC_LO;
	if (!moves && !((takes_all || takes_others) && is_minus_1(i)))
		return false;
	out->sgpr = i->dst;
	out->is_pair = i->op == BW_OP_S_OR_SAVEEXEC_B64 || i->op == BW_OP_S_XOR_SAVEEXEC_B64 ||
		       i->op == BW_OP_S_MOV_B64;
	out->found = !moves;
	out->others = takes_others;
	return out->sgpr + out->is_pair < N_SGPRS;
}

/* The code before an instruction: it begins at dword n of the array. */
struct window {
	enum bw_isa_gen gen;
	uint32_t dw[WINDOW_DW];
	size_t n;
};

static void read_window(struct bw_debug *d, uint64_t pc, struct window *out)
{
	enum { PAGE_B = 4096 };
	size_t in_page = pc % PAGE_B / 4;
	out->gen = bw_debug_isa(d);
	for (out->n = WINDOW_DW; out->n; out->n = in_page < out->n ? in_page : 0) {
		if (pc < out->n * 4)
			continue;
		struct bw_error *err =
			bw_target_read(d->target, pc - out->n * 4, out->dw, out->n * 4);
		if (!err)
			return;
		bw_error_free(err);
	}
}

/* Follows the code from an instruction that saves EXEC to the end. False: the code does not lead
 * there without jumps and with the lanes saved. */
static bool leads_on(const struct window *c, size_t at, struct bw_whole_wave *w)
{
	struct bw_inst i;
	for (; at < c->n; at += i.size_b / 4) {
		uint64_t target;
		struct bw_written written;
		bw_isa_decode(c->gen, c->dw + at, c->n - at, &i);
		if (i.op == BW_OP_ILLEGAL || bw_isa_flow(&i, at * 4, &target) != BW_FLOW_NEXT)
			return false;
		bw_written_by(&i, 64, &written);
		bool writes_exec = bw_written_has(&written, false, BW_SRC_EXEC_LO) ||
				   bw_written_has(&written, false, BW_SRC_EXEC_HI);
		if (writes_exec && !sets_all(&i))
			return false;
		if (writes_exec) {
			w->found = true;
			w->others = false;
		}
		for (unsigned k = 0; k <= w->is_pair; k++)
			if (bw_written_has(&written, false, w->sgpr + k))
				return false;
	}
	return at == c->n && w->found;
}

static struct bw_whole_wave look_for(struct bw_debug *d, uint64_t pc)
{
	struct window c;
	read_window(d, pc, &c);
	for (size_t at = c.n; at-- > 0;) {
		struct bw_inst i;
		struct bw_whole_wave w = {0};
		bw_isa_decode(c.gen, c.dw + at, c.n - at, &i);
		if (saves(&i, &w) && leads_on(&c, at + i.size_b / 4, &w))
			return w;
	}
	return (struct bw_whole_wave){0};
}

static const struct bw_whole_wave *code_at(struct bw_debug *d, uint32_t space, uint64_t pc)
{
	struct bw_whole_wave *w =
		&d->code->whole_waves[pc / 4 % BW_ARRAY_SIZE(d->code->whole_waves)];
	if (w->pc == pc && w->space == space)
		return w;
	*w = look_for(d, pc);
	w->pc = pc;
	w->space = space;
	return w;
}

/* ---- Lanes ---- */

void bw_wave_find_lanes(struct bw_debug *d, struct bw_wave_record *w)
{
	uint64_t all = w->hw.lanes == 32 ? UINT32_MAX : UINT64_MAX, exec = w->hw.exec & all;
	uint32_t saved[2] = {0};
	w->info.exec = exec;
	w->info.whole_wave = false;
	BW_IN_SPACE(d, w->info.space);
	const struct bw_whole_wave *code = code_at(d, w->info.space, w->info.pc);
	if (!code->found || (w->hw.lanes == 64) != code->is_pair)
		return;
	struct bw_error *err = bw_target_read_sgprs(d->target, w->info.slot, code->sgpr,
						    1u + code->is_pair, saved);
	bw_error_free(err);
	uint64_t lanes = bw_join32(saved[1], saved[0]) & all;
	if (err || lanes == exec || exec != (code->others ? ~lanes & all : all))
		return;
	w->info.exec = lanes;
	w->info.whole_wave = true;
}
