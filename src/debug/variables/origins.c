// SPDX-License-Identifier: MIT
/* The code is decoded once; then paths are followed backwards from the address. */
#include "debug/variables/origins.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "isa/ops.h"
#include "isa/written.h"

enum { MAX_DWORDS = 1 << 18, MAX_COPIES = 6, N_RESULTS = 8 };

/* An instruction at a dword of the function. */
struct place {
	uint8_t size_dw;	      /* 0: none is there */
	bool falls, is_call, is_seen; /* falls: the next instruction may be executed after it */
	uint32_t jump;		      /* dword that it can jump to + 1; 0: nowhere */
	uint32_t jumps_here;	      /* the first instruction that jumps here + 1 */
	uint32_t next_jump;	      /* the next instruction that jumps to the same place + 1 */
	uint32_t before;	      /* dword of the instruction before it + 1 */
};

struct search {
	const struct bw_origin_code *code;
	struct place *places;
	uint32_t n;
	uint32_t *waiting;
	bool (*accept)(void *ctx, const struct bw_origin *origin);
	void *ctx;
};

static bool decode(const struct bw_origin_code *c, uint64_t at, struct bw_inst *out)
{
	return bw_isa_decode_at(c->gen, c->image, c->image_b, at, out);
}

static uint64_t address(const struct search *s, uint32_t i)
{
	return s->code->entry + 4ull * i;
}

static void read_places(struct search *s)
{
	uint32_t before = 0;
	for (uint32_t i = 0; i < s->n;) {
		struct place *p = &s->places[i];
		struct bw_inst inst;
		uint64_t target;
		p->size_dw = 1;
		p->before = before;
		before = i + 1;
		if (decode(s->code, address(s, i), &inst)) {
			enum bw_flow flow = bw_isa_flow(&inst, address(s, i), &target);
			p->size_dw = inst.size_b / 4;
			p->is_call = inst.op == BW_OP_S_SWAPPC_B64 || flow == BW_FLOW_CALL;
			p->falls = p->is_call || (flow != BW_FLOW_BRANCH && flow != BW_FLOW_END &&
						  flow != BW_FLOW_INDIRECT);
			if ((flow == BW_FLOW_BRANCH || flow == BW_FLOW_COND_BRANCH) &&
			    target >= s->code->entry && target < address(s, s->n))
				p->jump = (uint32_t)((target - s->code->entry) / 4) + 1;
		}
		i += p->size_dw;
	}
	for (uint32_t i = 0; i < s->n; i++) {
		struct place *p = &s->places[i];
		if (!p->jump)
			continue;
		p->next_jump = s->places[p->jump - 1].jumps_here;
		s->places[p->jump - 1].jumps_here = i + 1;
	}
}

/* ---- One instruction ---- */

static bool is_copy(const struct bw_inst *inst, unsigned dst, bool is_vgpr, unsigned *out_code)
{
	bool is_move = inst->op == BW_OP_V_MOV_B32 || inst->op == BW_OP_S_MOV_B32;
	if (is_move && inst->dpp == BW_DPP_NONE && inst->dst == dst) {
		*out_code = inst->src[0];
		return true;
	}
	if (inst->op == BW_OP_S_MOV_B64 && !is_vgpr) {
		*out_code = inst->src[0] + (dst - inst->dst);
		return inst->src[0] < BW_SRC_VCC_LO;
	}
	if (inst->fmt != BW_FMT_VOPD)
		return false;
	if (inst->op == BW_OP_V_DUAL_MOV_B32 && inst->dst == dst) {
		*out_code = inst->src[0];
		return true;
	}
	*out_code = inst->src_y[0];
	return inst->op_y == BW_OP_V_DUAL_MOV_B32 && inst->dst_y == dst;
}

static bool is_wait(const struct bw_inst *inst)
{
	return inst->fmt == BW_FMT_SOPP && !(inst->writes & BW_IMPLICIT_PC) &&
	       (inst->op == BW_OP_S_WAITCNT || inst->op == BW_OP_S_DELAY_ALU ||
		inst->op == BW_OP_S_CLAUSE || inst->op == BW_OP_S_NOP);
}

/* Whether compilers make the instruction of two operations: the halves of a VOPD, v_add3_u32 and
 * the like. */
static bool is_fused(const struct bw_inst *inst)
{
	return inst->fmt == BW_FMT_VOPD || (inst->n_src == 3 && inst->op != BW_OP_V_CNDMASK_B32);
}

static bool is_load(const struct bw_inst *inst)
{
	return bw_isa_op_info(inst->op)->flags & BW_OPF_LOAD;
}

/* Whether only waits lie in [next, from). */
static bool is_last(const struct search *s, uint64_t next, uint64_t from)
{
	while (next < from) {
		struct bw_inst inst;
		if (next >= address(s, s->n) || !decode(s->code, next, &inst) || !is_wait(&inst))
			return false;
		next += inst.size_b;
	}
	return next == from;
}

/* Whether a call can have left its result in the register. LLVM knows of every function what it
 * writes, so a register that is named across a call keeps its value. */
static bool is_result(const struct bw_origin_reg *reg, uint64_t call)
{
	return reg->reg < N_RESULTS && !(reg->from <= call && call < reg->to);
}

enum verdict { GO_ON, ACCEPTED, REFUSED };

static bool search(struct search *s, uint64_t at, const struct bw_origin_reg *reg, unsigned depth);

static enum verdict look(struct search *s, uint32_t i, const struct bw_origin_reg *reg,
			 unsigned depth)
{
	const struct place *p = &s->places[i];
	struct bw_inst inst;
	struct bw_written written;
	unsigned code = 0;
	uint64_t at = address(s, i);
	if (!decode(s->code, at, &inst))
		return REFUSED;
	bw_written_by(&inst, s->code->lanes, &written);
	if (!bw_written_has(&written, reg->is_vgpr, reg->reg) &&
	    !(p->is_call && is_result(reg, at)))
		return GO_ON;
	bool copies = !p->is_call && is_copy(&inst, reg->reg, reg->is_vgpr, &code) &&
		      (code < BW_SRC_VCC_LO || code >= BW_SRC_VGPR0);
	struct bw_origin origin = {.is_vgpr = reg->is_vgpr,
				   .reg = reg->reg,
				   .at = at,
				   .next = at + inst.size_b,
				   .is_fused = is_fused(&inst),
				   .is_load = is_load(&inst),
				   .is_copy = copies,
				   .is_last = is_last(s, at + inst.size_b, reg->from)};
	if (s->accept(s->ctx, &origin))
		return ACCEPTED;
	if (!copies || depth == MAX_COPIES)
		return REFUSED;
	struct bw_origin_reg source = {.is_vgpr = code >= BW_SRC_VGPR0,
				       .reg = code >= BW_SRC_VGPR0 ? code - BW_SRC_VGPR0 : code,
				       .from = at};
	return search(s, at, &source, depth + 1) ? ACCEPTED : REFUSED;
}

/* ---- Ways ---- */

static void wait_for(struct search *s, uint32_t i, uint32_t *n)
{
	if (s->places[i].is_seen)
		return;
	s->places[i].is_seen = true;
	s->waiting[(*n)++] = i;
}

static bool arrives(struct search *s, uint32_t from, const struct bw_origin_reg *reg,
		    unsigned depth, uint32_t *n)
{
	switch (look(s, from, reg, depth)) {
	case GO_ON:
		wait_for(s, from, n);
		return true;
	case ACCEPTED:
		return true;
	case REFUSED:
		break;
	}
	return false;
}

static bool search_from(struct search *s, uint32_t at, const struct bw_origin_reg *reg,
			unsigned depth)
{
	uint32_t n = 0;
	wait_for(s, at, &n);
	while (n) {
		uint32_t i = s->waiting[--n];
		const struct place *p = &s->places[i];
		const struct bw_origin entry = {
			.is_entry = true, .is_vgpr = reg->is_vgpr, .reg = reg->reg};
		if (!i && !s->accept(s->ctx, &entry))
			return false;
		if (p->before && s->places[p->before - 1].falls &&
		    !arrives(s, p->before - 1, reg, depth, &n))
			return false;
		for (uint32_t j = p->jumps_here; j; j = s->places[j - 1].next_jump)
			if (!arrives(s, j - 1, reg, depth, &n))
				return false;
	}
	return true;
}

/* Searches with marks of its own, because a copy is searched in the middle of another search. */
static bool search(struct search *s, uint64_t at, const struct bw_origin_reg *reg, unsigned depth)
{
	uint64_t i = (at - s->code->entry) / 4;
	struct search own = *s;
	if (at < s->code->entry || at % 4 || i >= s->n || !s->places[i].size_dw)
		return false;
	_cleanup_free_ struct place *places = malloc(s->n * sizeof(*places));
	_cleanup_free_ uint32_t *waiting = malloc(s->n * sizeof(*waiting));
	if (!places || !waiting)
		return false;
	memcpy(places, s->places, s->n * sizeof(*places));
	for (uint32_t k = 0; k < s->n; k++)
		places[k].is_seen = false;
	own.places = places;
	own.waiting = waiting;
	return search_from(&own, (uint32_t)i, reg, depth);
}

bool bw_origins_all(const struct bw_origin_code *code, uint64_t at, const struct bw_origin_reg *reg,
		    bool (*accept)(void *ctx, const struct bw_origin *origin), void *ctx)
{
	struct search s = {.code = code, .accept = accept, .ctx = ctx};
	uint64_t end = BW_MIN(code->end, (uint64_t)code->image_b);
	if (code->entry % 4 || code->entry >= end || (end - code->entry) / 4 > MAX_DWORDS)
		return false;
	s.n = (uint32_t)((end - code->entry) / 4);
	_cleanup_free_ struct place *places = s.n ? calloc(s.n, sizeof(*places)) : NULL;
	if (!places)
		return false;
	s.places = places;
	read_places(&s);
	return search(&s, at, reg, 0);
}

bool bw_origin_in_front(const struct bw_origin_code *code, uint64_t end,
			const struct bw_origin_reg *reg, struct bw_origin *out)
{
	uint64_t last = BW_MIN(code->end, (uint64_t)code->image_b);
	struct bw_inst inst;
	struct bw_written written;
	for (uint64_t at = code->entry; at % 4 == 0 && at < last && at < end; at += inst.size_b) {
		if (!decode(code, at, &inst)) {
			inst.size_b = 4;
			continue;
		}
		if (at + inst.size_b != end)
			continue;
		bw_written_by(&inst, code->lanes, &written);
		if (!bw_written_has(&written, reg->is_vgpr, reg->reg))
			return false;
		*out = (struct bw_origin){.is_vgpr = reg->is_vgpr,
					  .reg = reg->reg,
					  .at = at,
					  .next = end,
					  .is_fused = is_fused(&inst),
					  .is_load = is_load(&inst)};
		return true;
	}
	return false;
}

void bw_stores_before(const struct bw_origin_code *code, uint64_t at,
		      const struct bw_stored *stored, bool *covered)
{
	uint64_t end = BW_MIN(code->end, (uint64_t)code->image_b);
	struct bw_inst inst;
	end = BW_MIN(end, at);
	for (uint64_t i = code->entry; i % 4 == 0 && i < end; i += inst.size_b) {
		if (!decode(code, i, &inst) || inst.fmt != BW_FMT_SCRATCH || inst.sve ||
		    inst.saddr != stored->base)
			continue;
		const struct bw_op_info *info = bw_isa_op_info(inst.op);
		int64_t first = inst.imm - stored->offset;
		bool is_own = info->flags & BW_OPF_STORE && stored->is_own(stored->ctx, i);
		for (unsigned b = 0; info->flags & BW_OPF_STORE && b < info->mem.bits / 8u; b++)
			if (first + b >= 0 && (uint64_t)(first + b) < stored->size_b)
				covered[first + b] = is_own;
	}
}

void bw_stores_each(const struct bw_origin_code *code,
		    void (*each)(void *ctx, uint64_t at, unsigned size_b), void *ctx)
{
	uint64_t end = BW_MIN(code->end, (uint64_t)code->image_b), target;
	struct bw_inst inst;
	for (uint64_t i = code->entry; i % 4 == 0 && i < end; i += inst.size_b) {
		if (!decode(code, i, &inst))
			continue;
		const struct bw_op_info *info = bw_isa_op_info(inst.op);
		bool is_scratch = inst.fmt == BW_FMT_SCRATCH || inst.fmt == BW_FMT_FLAT;
		if (is_scratch && info->flags & BW_OPF_STORE)
			each(ctx, i, info->mem.bits / 8u);
		else if (inst.op == BW_OP_S_SWAPPC_B64 ||
			 bw_isa_flow(&inst, i, &target) == BW_FLOW_CALL)
			each(ctx, i, 0);
	}
}
