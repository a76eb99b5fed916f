// SPDX-License-Identifier: MIT
/* Finds the branch at which lanes became inactive. Compilers save the lanes that have to wait in
 * SGPRs, narrow EXEC, often jump over the code that follows with s_cbranch_execz, and give the
 * lanes back to EXEC after it, from the same SGPRs. So between the last instruction that writes
 * such an SGPR and the one that restores EXEC from it, it holds the lanes that wait there; lanes
 * that have left a loop are collected in one that is restored after its s_cbranch_execnz. Lanes
 * that are not needed any more (an early return) are in no SGPR: the branch jumps to s_endpgm. */
#include "debug/code.h"
#include "debug/code/code_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "base/vec.h"
#include "isa/ops.h"

enum { MAX_INSTS = 65536, LOOK_AHEAD = 8, NOT_KNOWN = -1 };

struct code_inst {
	uint64_t at;
	struct bw_inst inst;
};

struct code {
	struct BW_VEC(struct code_inst) insts;
	unsigned lanes;
};

/* The code that a branch or loop controls. */
struct region {
	uint64_t branch, end; /* end: where the waiting lanes become active again */
	int mask;	      /* SGPR with the lanes that wait */
	bool is_loop;
};
struct regions BW_VEC(struct region);

static struct bw_error *read_function(struct bw_debug *d, uint64_t pc, struct code *out)
{
	uint64_t at, end;
	BW_TRY(bw_debug_function_range(d, pc, &at, &end));
	while (at < end && out->insts.len < MAX_INSTS) {
		struct code_inst i = {.at = at};
		BW_TRY(bw_debug_read_inst(d, at, &i.inst, NULL));
		BW_TRY(bw_vec_push(&out->insts, i));
		at += i.inst.size_b;
	}
	return NULL;
}

/* Index of the instruction at an address; the number of instructions if there is none. */
static size_t index_of(const struct code *c, uint64_t at)
{
	size_t low = 0, high = c->insts.len;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (c->insts.data[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->insts.len && c->insts.data[low].at == at ? low : c->insts.len;
}

static bool is_exec(uint16_t code)
{
	return code == BW_SRC_EXEC_LO;
}

/* The SGPR from which an instruction restores lanes to EXEC. */
static int restored_from(const struct bw_inst *i)
{
	if (i->op == BW_OP_S_OR_B32 || i->op == BW_OP_S_OR_B64) {
		if (!is_exec(i->dst))
			return NOT_KNOWN;
		return is_exec(i->src[0]) ? i->src[1] : is_exec(i->src[1]) ? i->src[0] : NOT_KNOWN;
	}
	return i->op == BW_OP_S_AND_NOT1_SAVEEXEC_B32 || i->op == BW_OP_S_AND_NOT1_SAVEEXEC_B64 ||
			       i->op == BW_OP_S_OR_SAVEEXEC_B32 || i->op == BW_OP_S_OR_SAVEEXEC_B64
		       ? i->src[0]
		       : NOT_KNOWN;
}

/* Like restored_from, for the code from `from` on. Other instructions may come first, if they
 * change neither EXEC nor the control flow. */
static int restored_at(const struct code *c, size_t from)
{
	for (size_t i = from; i < c->insts.len && i < from + LOOK_AHEAD; i++) {
		const struct bw_inst *inst = &c->insts.data[i].inst;
		int mask = restored_from(inst);
		if (mask >= 0 && mask < BW_SRC_TTMP0)
			return mask;
		if (mask != NOT_KNOWN || is_exec(inst->dst) ||
		    (inst->writes & (BW_IMPLICIT_EXEC | BW_IMPLICIT_PC)))
			break;
	}
	return NOT_KNOWN;
}

static bool writes_sgpr(const struct bw_inst *i, unsigned sgpr, unsigned n, unsigned lanes)
{
	const struct bw_op_info *info = bw_isa_op_info(i->op);
	bool scalar = i->fmt == BW_FMT_SOP1 || i->fmt == BW_FMT_SOP2 || i->fmt == BW_FMT_SOPK ||
		      i->fmt == BW_FMT_SMEM || info->class == BW_CLASS_CMP ||
		      i->op == BW_OP_V_READLANE_B32 || i->op == BW_OP_V_READFIRSTLANE_B32;
	if (scalar && info->n_dst) {
		unsigned k = bw_operand_n_regs(&info->dst[0], lanes, false);
		if (i->dst < sgpr + n && sgpr < i->dst + k)
			return true;
	}
	return i->fmt == BW_FMT_VOP3SD && i->sdst < sgpr + n && sgpr < i->sdst + lanes / 32u;
}

/* Whether the code only adds lanes to a mask, as in a loop. */
static bool only_grows(const struct code *c, size_t from, size_t to, unsigned mask)
{
	for (size_t i = from; i < to; i++) {
		const struct bw_inst *inst = &c->insts.data[i].inst;
		bool adds = (inst->op == BW_OP_S_OR_B32 || inst->op == BW_OP_S_OR_B64) &&
			    inst->dst == mask && (inst->src[0] == mask || inst->src[1] == mask);
		if (!adds && writes_sgpr(inst, mask, c->lanes / 32, c->lanes))
			return false;
	}
	return true;
}

static bool is_saveexec(unsigned op)
{
	return op == BW_OP_S_AND_SAVEEXEC_B32 || op == BW_OP_S_AND_SAVEEXEC_B64 ||
	       op == BW_OP_S_AND_NOT1_SAVEEXEC_B32 || op == BW_OP_S_AND_NOT1_SAVEEXEC_B64 ||
	       op == BW_OP_S_OR_SAVEEXEC_B32 || op == BW_OP_S_OR_SAVEEXEC_B64;
}

/* Whether the instruction makes a mask of EXEC: a saveexec, s_mov sD, exec; s_xor sD, exec, sD. */
static bool saves_exec(const struct bw_inst *i)
{
	if (is_saveexec(i->op))
		return true;
	if (i->op == BW_OP_S_MOV_B32 || i->op == BW_OP_S_MOV_B64)
		return is_exec(i->src[0]);
	return (i->op == BW_OP_S_XOR_B32 || i->op == BW_OP_S_XOR_B64) && !is_exec(i->dst) &&
	       (is_exec(i->src[0]) || is_exec(i->src[1]));
}

/* The branch that belongs to a mask saved at instruction i: after it, or, of an else, the one that
 * jumps to it. */
static uint64_t branch_of(const struct code *c, size_t i)
{
	uint64_t target, at = c->insts.data[i].at;
	for (size_t k = 0; k < i; k++) {
		const struct code_inst *b = &c->insts.data[k];
		if (b->inst.op != BW_OP_S_CBRANCH_EXECZ)
			continue;
		bw_isa_flow(&b->inst, b->at, &target);
		size_t to = index_of(c, target);
		if (to <= i && i - to < LOOK_AHEAD && restored_at(c, to) != NOT_KNOWN)
			return b->at;
	}
	for (size_t k = i; k < c->insts.len && k < i + LOOK_AHEAD; k++)
		if (c->insts.data[k].inst.op == BW_OP_S_CBRANCH_EXECZ)
			return c->insts.data[k].at;
	return at;
}

/* Finds the region whose lanes wait for the restoring instruction r, which is after pc. */
static struct bw_error *find_waiting(const struct code *c, uint64_t pc, size_t r,
				     struct regions *out)
{
	int mask = restored_from(&c->insts.data[r].inst);
	size_t i = r;
	if (mask < 0 || mask >= BW_SRC_TTMP0)
		return NULL;
	do {
		if (!i--)
			return NULL;
	} while (!writes_sgpr(&c->insts.data[i].inst, (unsigned)mask, c->lanes / 32, c->lanes));
	if (c->insts.data[i].at >= pc || !saves_exec(&c->insts.data[i].inst))
		return NULL;
	struct region found = {branch_of(c, i), c->insts.data[r].at, mask, false};
	return bw_vec_push(out, found);
}

static struct bw_error *find_loop(const struct code *c, uint64_t pc, size_t i, struct regions *out)
{
	uint64_t target;
	const struct code_inst *b = &c->insts.data[i];
	int mask = restored_at(c, i + 1);
	bw_isa_flow(&b->inst, b->at, &target);
	if (target > pc || pc > b->at || mask < 0 ||
	    !only_grows(c, index_of(c, target), i, (unsigned)mask))
		return NULL;
	struct region found = {b->at, b->at, mask, true};
	return bw_vec_push(out, found);
}

static struct bw_error *find_regions(const struct code *c, uint64_t pc, struct regions *out)
{
	for (size_t i = 0; i < c->insts.len; i++) {
		const struct code_inst *b = &c->insts.data[i];
		if (b->inst.op == BW_OP_S_CBRANCH_EXECNZ)
			BW_TRY(find_loop(c, pc, i, out));
		else if (b->at >= pc)
			BW_TRY(find_waiting(c, pc, i, out));
	}
	return NULL;
}

/* Whether a mask saved at instruction i is restored after it, before its SGPR gets another use. */
static bool is_restored(const struct code *c, size_t i)
{
	unsigned mask = c->insts.data[i].inst.dst;
	for (size_t k = i + 1; k < c->insts.len; k++) {
		const struct bw_inst *inst = &c->insts.data[k].inst;
		if (restored_from(inst) == (int)mask)
			return true;
		bool is_xor = inst->op == BW_OP_S_XOR_B32 || inst->op == BW_OP_S_XOR_B64;
		if (!is_xor && writes_sgpr(inst, mask, c->lanes / 32, c->lanes))
			return false;
	}
	return false;
}

/* The only branch before pc after which lanes end. 0: there are several, or the code changes EXEC
 * in a way that is not understood. */
static uint64_t early_return(const struct code *c, uint64_t pc)
{
	uint64_t found = 0, target;
	for (size_t i = 0; i < c->insts.len && c->insts.data[i].at < pc; i++) {
		const struct code_inst *b = &c->insts.data[i];
		bool moves = b->inst.op == BW_OP_S_MOV_B32 || b->inst.op == BW_OP_S_MOV_B64;
		if (moves && is_exec(b->inst.dst))
			return 0; /* masks are not kept in SGPRs, as in code without optimization */
		if (!is_saveexec(b->inst.op) || is_restored(c, i))
			continue;
		uint64_t branch = branch_of(c, i);
		size_t at = index_of(c, branch);
		if (found || c->insts.data[at].inst.op != BW_OP_S_CBRANCH_EXECZ)
			return 0;
		bw_isa_flow(&c->insts.data[at].inst, branch, &target);
		at = index_of(c, target);
		if (at == c->insts.len || c->insts.data[at].inst.op != BW_OP_S_ENDPGM)
			return 0;
		found = branch;
	}
	return found;
}

/* Sorts regions by their end, so that the innermost ones are first. */
static int by_end(const void *a, const void *b)
{
	const struct region *x = a, *y = b;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->branch > y->branch ? -1 : x->branch < y->branch;
}

static struct bw_error *read_mask(struct bw_debug *d, struct bw_wave_record *w, int sgpr,
				  uint64_t *out)
{
	uint32_t word[2] = {0};
	BW_TRY(bw_target_read_sgprs(d->target, w->info.slot, (unsigned)sgpr, w->info.lanes / 32u,
				    word));
	*out = bw_join32(word[1], word[0]);
	return NULL;
}

static struct bw_error *attribute(struct bw_debug *d, struct bw_wave_record *w,
				  const struct regions *regions, uint64_t early,
				  struct bw_lane_branch *out, size_t *out_n)
{
	uint64_t left = ~w->info.exec & (w->info.lanes == 64 ? ~0ull : 0xffffffffu), mask;
	size_t n = 0;
	for (unsigned lane = 0; lane < w->info.lanes; lane++) {
		if (!bw_lane_is_used(d, &w->info, lane))
			left &= ~(1ull << lane); /* there is no such work-item */
	}
	bw_vec_each(regions, r) {
		BW_TRY(read_mask(d, w, r->mask, &mask));
		mask &= left;
		if (!mask || n + 1 >= BW_LANE_BRANCHES)
			continue;
		out[n++] = (struct bw_lane_branch){mask, r->branch, r->is_loop};
		left &= ~mask;
	}
	if (left && early)
		out[n++] = (struct bw_lane_branch){left, early, false};
	*out_n = n;
	return NULL;
}

struct bw_error *bw_debug_lane_branches(struct bw_debug *d,
					struct bw_lane_branch out[BW_LANE_BRANCHES], size_t *out_n)
{
	struct bw_wave_record *w;
	struct code c = {0};
	struct regions regions = {0};
	BW_TRY(bw_debug_need_focus(d, &w));
	*out_n = 0;
	c.lanes = w->info.lanes;
	struct bw_error *err = read_function(d, w->info.pc, &c);
	if (!err)
		err = find_regions(&c, w->info.pc, &regions);
	if (!err && regions.len)
		qsort(regions.data, regions.len, sizeof(*regions.data), by_end);
	if (!err)
		err = attribute(d, w, &regions, early_return(&c, w->info.pc), out, out_n);
	bw_vec_free(&c.insts);
	bw_vec_free(&regions);
	if (bw_error_catch(&err, BW_E_NOT_FOUND)) /* code without symbols */
		return NULL;
	return err;
}
