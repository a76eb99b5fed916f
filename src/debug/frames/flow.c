// SPDX-License-Identifier: MIT
/* The paths through a function, followed until nothing new is found. */
#include "debug/frames/flow.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "isa/ops.h"

enum {
	MAX_PLACES = 2048,   /* where paths meet, in one function */
	MAX_VISITS = 400000, /* instructions executed for one function */
	MAX_NESTING = 24,    /* of calls, while the effect of functions is looked for */
	MAX_FUNCTION_B = 1 << 22,
	DEFAULT_LINK = 30,
};

/* The start of a run of instructions. */
struct place {
	uint64_t addr;
	bool is_waiting;
	struct bw_sym_state state;
};

enum seen { IS_CODE = 1, IS_TARGET = 2 /* of a branch */, IS_REACHED = 4 };

struct walk {
	const struct bw_flow_code *code;
	struct bw_flow_effects *cache;
	unsigned nesting;
	struct bw_walk *flow;
	uint64_t at;
	uint64_t visits;
	bool gave_up;
	bool is_lost;	    /* a path ends with a jump to a place that is not known */
	uint16_t *place_of; /* by dword from the entry: its place + 1 */
	uint8_t *seen;	    /* by dword: enum seen */
	size_t n_dwords;
	struct BW_VEC(struct place *) places;
	bool final; /* the states are complete, so the results are collected now */
};

void bw_flow_effects_free(struct bw_flow_effects *e)
{
	bw_vec_each(e, it)
		free(*it);
	bw_vec_free(e);
}

void bw_walk_fini(struct bw_walk *f)
{
	bw_vec_free(&f->targets);
	free(f->reached.bits);
	f->reached = (struct bw_flow_reached){0};
}

bool bw_flow_reaches(const struct bw_flow_reached *r, uint64_t entry, uint64_t at)
{
	uint64_t i = (at - entry) / 4;
	return at >= entry && at % 4 == 0 && i < r->n_dwords && r->bits[i / 8] >> i % 8 & 1;
}

static bool inst_at(const struct walk *w, uint64_t addr, struct bw_inst *out)
{
	return addr < w->flow->end &&
	       bw_isa_decode_at(w->code->gen, w->code->image, w->code->image_b, addr, out);
}

static struct place *place_at(const struct walk *w, uint64_t addr)
{
	uint64_t i = (addr - w->flow->entry) / 4;
	return addr >= w->flow->entry && i < w->n_dwords && w->place_of[i]
		       ? w->places.data[w->place_of[i] - 1]
		       : NULL;
}

static bool is_target(const struct walk *w, uint64_t addr)
{
	uint64_t i = (addr - w->flow->entry) / 4;
	return i < w->n_dwords && w->seen[i] & IS_TARGET;
}

/* ---- Where branches lead ---- */

struct addresses BW_VEC(uint64_t);

/* A branch to where s_branch does not reach: s_getpc_b64, s_add_u32, s_addc_u32, s_setpc_b64 (LLVM,
 * SIInstrInfo::insertIndirectBranch). A tail call has the same instructions. */
struct far_branch {
	unsigned pair;
	uint32_t target;
};

static bool is_far_branch(struct far_branch *b, const struct bw_inst *inst, uint64_t addr)
{
	unsigned by = inst->src[1];
	if (inst->op == BW_OP_S_GETPC_B64)
		*b = (struct far_branch){inst->dst, (uint32_t)addr + inst->size_b};
	else if (inst->op == BW_OP_S_ADD_U32 && inst->dst == b->pair && inst->src[0] == b->pair)
		b->target += by == BW_SRC_LITERAL ? inst->literal : by - BW_SRC_INT_0;
	return inst->op == BW_OP_S_SETPC_B64 && inst->src[0] == b->pair;
}

static struct bw_error *scan_target(struct walk *w, uint64_t target, struct addresses *waiting)
{
	uint64_t t = (target - w->flow->entry) / 4;
	if (target < w->flow->entry || t >= w->n_dwords)
		return NULL;
	w->seen[t] |= IS_TARGET;
	return bw_vec_push(waiting, target);
}

static struct bw_error *scan_run(struct walk *w, uint64_t addr, struct addresses *waiting)
{
	struct far_branch far = {.pair = BW_SRC_NULL};
	for (;;) {
		struct bw_inst inst;
		uint64_t target, i = (addr - w->flow->entry) / 4;
		if (addr < w->flow->entry || i >= w->n_dwords || w->seen[i] & IS_CODE ||
		    !inst_at(w, addr, &inst))
			return NULL;
		w->seen[i] |= IS_CODE;
		enum bw_flow flow = bw_isa_flow(&inst, addr, &target);
		if (flow == BW_FLOW_BRANCH || flow == BW_FLOW_COND_BRANCH) {
			BW_TRY(scan_target(w, target, waiting));
			if (flow == BW_FLOW_BRANCH)
				return NULL;
		}
		if (is_far_branch(&far, &inst, addr))
			return scan_target(w, far.target, waiting);
		if (flow == BW_FLOW_END ||
		    (flow == BW_FLOW_INDIRECT && inst.op != BW_OP_S_SWAPPC_B64))
			return NULL;
		addr += inst.size_b;
	}
}

static struct bw_error *scan(struct walk *w)
{
	struct addresses waiting = {0};
	struct bw_error *err = bw_vec_push(&waiting, w->flow->entry);
	while (!err && waiting.len)
		err = scan_run(w, waiting.data[--waiting.len], &waiting);
	bw_vec_free(&waiting);
	return err;
}

/* ---- States ---- */

/* Notes that a path leads to addr with this state. */
static struct bw_error *arrive(struct walk *w, uint64_t addr, const struct bw_sym_state *s)
{
	struct place *p = place_at(w, addr);
	uint64_t i = (addr - w->flow->entry) / 4;
	if (addr < w->flow->entry || addr % 4 || i >= w->n_dwords)
		return NULL; /* out of the function */
	if (p) {
		p->is_waiting |= bw_sym_join(&p->state, s);
		return NULL;
	}
	if (w->places.len >= MAX_PLACES) {
		w->gave_up = true;
		return NULL;
	}
	_cleanup_free_ struct place *fresh = malloc(sizeof(*fresh));
	if (!fresh)
		return bw_error_nomem();
	fresh->addr = addr;
	fresh->is_waiting = true;
	fresh->state = *s;
	BW_TRY(bw_vec_push(&w->places, fresh));
	fresh = NULL;
	w->place_of[i] = (uint16_t)w->places.len;
	return NULL;
}

/* ---- What a function does to the registers of its caller ---- */

static void effect_of_return(struct bw_sym_effect *e, const struct bw_sym_state *s, unsigned link)
{
	struct bw_sym_effect one = {.returns = true, .link = link};
	for (unsigned i = 0; i < 128; i++)
		if (s->sgpr[i].kind == BW_SYM_ENTRY && s->sgpr[i].reg == i)
			one.keeps_sgpr[i / 64] |= 1ull << i % 64;
	one.keeps_s32 = s->sgpr[32].kind == BW_SYM_BASE && !s->sgpr[32].value;
	one.keeps_exec = s->sgpr[BW_SRC_EXEC_LO].kind == BW_SYM_EXEC;
	memcpy(one.vgpr, s->vgpr, sizeof(one.vgpr));
	if (!e->returns) {
		*e = one;
		return;
	}
	for (unsigned i = 0; i < 2; i++)
		e->keeps_sgpr[i] &= one.keeps_sgpr[i];
	for (unsigned i = 0; i < BW_SYM_ALL_VGPRS; i++)
		e->vgpr[i] &= one.vgpr[i];
	e->keeps_s32 &= one.keeps_s32;
	e->keeps_exec &= one.keeps_exec;
}

static struct bw_error *run_code(const struct bw_flow_code *code, struct bw_flow_effects *cache,
				 unsigned nesting, uint64_t at, struct bw_walk *out);

static struct bw_flow_entry *find_effect(struct bw_flow_effects *cache, uint64_t entry)
{
	bw_vec_each(cache, it)
		if ((*it)->entry == entry)
			return *it;
	return NULL;
}

/* The effect of a call of `target`; the calling convention if the target is not known. */
static struct bw_error *effect_of(struct walk *w, struct bw_sym target, struct bw_sym_effect *out)
{
	bw_sym_convention(out);
	if (target.kind != BW_SYM_CODE || target.value >= w->code->image_b || target.value % 4)
		return NULL;
	struct bw_flow_entry *e = find_effect(w->cache, target.value);
	if (!e) {
		if (w->nesting >= MAX_NESTING)
			return NULL;
		_cleanup_free_ struct bw_flow_entry *fresh = calloc(1, sizeof(*fresh));
		if (!fresh)
			return bw_error_nomem();
		fresh->entry = target.value;
		fresh->busy = true;
		bw_sym_convention(&fresh->effect);
		BW_TRY(bw_vec_push(w->cache, fresh));
		e = fresh;
		fresh = NULL;
		struct bw_walk callee = {.entry = target.value, .end = w->code->image_b};
		struct bw_error *err =
			run_code(w->code, w->cache, w->nesting + 1, UINT64_MAX, &callee);
		if (!err && callee.effect.returns)
			e->effect = callee.effect;
		e->busy = false;
		bw_walk_fini(&callee);
		BW_TRY(err);
	}
	if (e->effect.returns)
		*out = e->effect;
	return NULL;
}

/* ---- Paths ---- */

static struct bw_error *note_target(struct walk *w, struct bw_sym target)
{
	if (!w->final || target.kind != BW_SYM_CODE)
		return NULL;
	bw_vec_each(&w->flow->targets, t)
		if (*t == target.value)
			return NULL;
	return bw_vec_push(&w->flow->targets, (uint64_t)target.value);
}

static bool is_callers_pair(const struct bw_sym_state *s, unsigned code)
{
	struct bw_sym lo = s->sgpr[code], hi = s->sgpr[code + 1];
	return lo.kind == BW_SYM_ENTRY && hi.kind == BW_SYM_ENTRY && hi.reg == lo.reg + 1;
}

/* The function has given back its frame, and jumps to another one, which returns to its caller. */
static struct bw_error *tail_call(struct walk *w, struct bw_sym target,
				  const struct bw_sym_state *s)
{
	struct bw_sym_effect effect;
	struct bw_sym_state after = *s;
	if (!w->final)
		return NULL;
	BW_TRY(note_target(w, target));
	BW_TRY(effect_of(w, target, &effect));
	if (!is_callers_pair(s, effect.link) || s->sgpr[effect.link].reg != effect.link) {
		w->is_lost = true;
		return NULL;
	}
	bw_sym_callee(&after, &effect, w->code->lanes);
	effect_of_return(&w->flow->effect, &after, effect.link);
	return NULL;
}

/* Follows s_setpc_b64. It is a return if the pair still has the caller's value. If it is an
 * address, it is a tail call if the function has restored everything, and otherwise a branch. */
static struct bw_error *follow_jump(struct walk *w, const struct bw_inst *inst,
				    const struct bw_sym_state *s)
{
	unsigned code = inst->src[0] & ~1u;
	bool known = code + 1 < BW_SYM_SGPRS;
	struct bw_sym to = known ? s->sgpr[code] : (struct bw_sym){0};
	struct bw_sym end = s->sgpr[32];
	if (known && is_callers_pair(s, code)) {
		if (w->final)
			effect_of_return(&w->flow->effect, s, to.reg);
		return NULL;
	}
	if (is_callers_pair(s, DEFAULT_LINK) && end.kind == BW_SYM_BASE && !end.value)
		return tail_call(w, to, s);
	if (to.kind == BW_SYM_CODE && is_target(w, to.value))
		return w->final ? NULL : arrive(w, to.value, s);
	w->is_lost = true;
	return NULL;
}

/* Executes the instruction at addr. out_on: the path continues with the next instruction. */
static struct bw_error *follow(struct walk *w, const struct bw_inst *inst, uint64_t addr,
			       struct bw_sym_state *s, bool *out_on)
{
	struct bw_sym_effect effect;
	uint64_t target, next = addr + inst->size_b;
	enum bw_flow flow = bw_isa_flow(inst, addr, &target);
	bool swap = inst->op == BW_OP_S_SWAPPC_B64;
	*out_on = true;
	if (swap || flow == BW_FLOW_CALL) {
		struct bw_sym to = {BW_SYM_CODE, 0, (uint32_t)target};
		if (swap)
			to = inst->src[0] < BW_SYM_SGPRS ? s->sgpr[inst->src[0] & ~1u]
							 : (struct bw_sym){0};
		BW_TRY(note_target(w, to));
		BW_TRY(effect_of(w, to, &effect));
		bw_sym_call(s, &effect, inst->dst & ~1u, next, w->code->lanes);
		return NULL;
	}
	switch ((int)flow) {
	case BW_FLOW_BRANCH:
		*out_on = false;
		return w->final ? NULL : arrive(w, target, s);
	case BW_FLOW_COND_BRANCH:
		return w->final ? NULL : arrive(w, target, s);
	case BW_FLOW_INDIRECT:
		*out_on = false;
		return follow_jump(w, inst, s);
	case BW_FLOW_END:
		*out_on = false;
		return NULL;
	default:
		bw_sym_execute(s, inst, addr, w->code->lanes);
		return NULL;
	}
}

/* Follows one path from a place, up to the next place or its end. */
static struct bw_error *follow_path(struct walk *w, const struct place *from)
{
	struct bw_sym_state s = from->state;
	bool on = true;
	for (uint64_t addr = from->addr; on && !w->gave_up;) {
		struct bw_inst inst;
		if (addr != from->addr && is_target(w, addr))
			return w->final ? NULL : arrive(w, addr, &s);
		uint64_t i = (addr - w->flow->entry) / 4;
		if (w->final && i < w->n_dwords)
			w->seen[i] |= IS_REACHED;
		if (w->final && addr == w->at) {
			w->flow->has_state = true;
			w->flow->state = s;
		}
		if (!inst_at(w, addr, &inst))
			return NULL;
		w->gave_up |= ++w->visits > MAX_VISITS;
		BW_TRY(follow(w, &inst, addr, &s, &on));
		addr += inst.size_b;
	}
	return NULL;
}

static struct bw_error *note_reached(struct walk *w)
{
	struct bw_flow_reached r = {0};
	for (size_t i = 0; i < w->n_dwords; i++)
		if (w->seen[i] & IS_REACHED)
			r.n_dwords = i + 1;
	r.bits = calloc(r.n_dwords / 8 + 1, 1);
	if (!r.bits)
		return bw_error_nomem();
	for (size_t i = 0; i < r.n_dwords; i++)
		if (w->seen[i] & IS_REACHED)
			r.bits[i / 8] |= (uint8_t)(1u << i % 8);
	w->flow->reached = r;
	return NULL;
}

static struct bw_error *follow_all(struct walk *w)
{
	bool any = true;
	while (any && !w->gave_up) {
		any = false;
		for (size_t i = 0; i < w->places.len && !w->gave_up; i++) {
			if (!w->places.data[i]->is_waiting)
				continue;
			w->places.data[i]->is_waiting = false;
			any = true;
			BW_TRY(follow_path(w, w->places.data[i]));
		}
	}
	w->final = !w->gave_up;
	w->visits = 0;
	for (size_t i = 0; w->final && i < w->places.len; i++)
		BW_TRY(follow_path(w, w->places.data[i]));
	if (w->gave_up)
		w->flow->has_state = false;
	/* if one path is not known, the function is not known */
	if (w->gave_up || w->is_lost)
		w->flow->effect.returns = false;
	return w->gave_up ? NULL : note_reached(w);
}

static struct bw_error *run_code(const struct bw_flow_code *code, struct bw_flow_effects *cache,
				 unsigned nesting, uint64_t at, struct bw_walk *out)
{
	struct walk w = {.code = code, .cache = cache, .nesting = nesting, .flow = out, .at = at};
	out->effect = (struct bw_sym_effect){.link = DEFAULT_LINK};
	out->end = BW_MIN(out->end, (uint64_t)code->image_b);
	if (out->entry % 4 || out->entry >= out->end)
		return NULL;
	w.n_dwords = BW_MIN(out->end - out->entry, (uint64_t)MAX_FUNCTION_B) / 4;
	_cleanup_free_ struct place *first = malloc(sizeof(*first));
	w.place_of = calloc(w.n_dwords ? w.n_dwords : 1, sizeof(*w.place_of));
	w.seen = calloc(w.n_dwords ? w.n_dwords : 1, 1);
	struct bw_error *err = first && w.place_of && w.seen ? scan(&w) : bw_error_nomem();
	if (!err) {
		bw_sym_start(&first->state);
		err = arrive(&w, out->entry, &first->state);
	}
	if (!err)
		err = follow_all(&w);
	bw_vec_each(&w.places, p)
		free(*p);
	bw_vec_free(&w.places);
	free(w.place_of);
	free(w.seen);
	return err;
}

struct bw_error *bw_walk_run(const struct bw_flow_code *code, struct bw_flow_effects *cache,
			     uint64_t at, struct bw_walk *out)
{
	return run_code(code, cache, 0, at, out);
}
