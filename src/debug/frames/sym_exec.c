// SPDX-License-Identifier: MIT
/* Executes one instruction on the known values of registers. */
#include "debug/frames/flow.h"

#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "isa/written.h"

enum { STACK = 32, FIRST_SGPR_OF_NONE = 106 };

static bool same(struct bw_sym a, struct bw_sym b)
{
	return a.kind == b.kind && a.reg == b.reg && a.value == b.value;
}

static const struct bw_sym unknown = {BW_SYM_UNKNOWN, 0, 0};

void bw_sym_start(struct bw_sym_state *s)
{
	memset(s, 0, sizeof(*s));
	for (unsigned i = 0; i < FIRST_SGPR_OF_NONE; i++)
		s->sgpr[i] = (struct bw_sym){BW_SYM_ENTRY, (uint8_t)i, 0};
	s->sgpr[STACK] = (struct bw_sym){BW_SYM_BASE, 0, 0};
	for (unsigned i = 0; i < 2; i++)
		s->sgpr[BW_SRC_EXEC_LO + i] = (struct bw_sym){BW_SYM_EXEC, (uint8_t)i, 0};
	memset(s->vgpr, BW_LANES_ALL, sizeof(s->vgpr));
}

/* ---- EXEC ---- */

static bool exec_is(const struct bw_sym_state *s, unsigned lanes, enum bw_sym_kind kind)
{
	for (unsigned i = 0; i < lanes / 32; i++) {
		struct bw_sym e = s->sgpr[BW_SRC_EXEC_LO + i];
		if (e.kind != kind || (kind == BW_SYM_CONST && e.value != UINT32_MAX) ||
		    (kind != BW_SYM_CONST && e.reg != i))
			return false;
	}
	return true;
}

/* Lanes that an instruction writes for certain, and those that it may write. An unknown EXEC has at
 * most the lanes of the entry, because code only removes lanes, except when it writes -1. */
static uint8_t lanes_written(const struct bw_sym_state *s, unsigned lanes)
{
	return exec_is(s, lanes, BW_SYM_EXEC)	    ? BW_LANES_ACTIVE
	       : exec_is(s, lanes, BW_SYM_NOT_EXEC) ? BW_LANES_INACTIVE
	       : exec_is(s, lanes, BW_SYM_CONST)    ? BW_LANES_ALL
						    : 0;
}

static uint8_t lanes_touched(const struct bw_sym_state *s, unsigned lanes)
{
	uint8_t certain = lanes_written(s, lanes);
	for (unsigned i = 0; i < lanes / 32; i++) {
		enum bw_sym_kind k = s->sgpr[BW_SRC_EXEC_LO + i].kind;
		if (k != BW_SYM_EXEC && k != BW_SYM_UNKNOWN && !certain)
			return BW_LANES_ALL;
	}
	return certain ? certain : BW_LANES_ACTIVE;
}

/* ---- Registers ---- */

static void set_sgpr(struct bw_sym_state *s, unsigned code, struct bw_sym value)
{
	if (code < BW_SYM_SGPRS && code != BW_SRC_NULL)
		s->sgpr[code] = value;
}

static void forget_sgprs(struct bw_sym_state *s, unsigned code, unsigned n)
{
	if (n > 1)
		code &= ~1u;
	for (unsigned i = 0; i < n; i++)
		set_sgpr(s, code + i, unknown);
}

static void drop_lanes_of(struct bw_sym_state *s, unsigned vgpr)
{
	unsigned n = 0;
	for (unsigned i = 0; i < s->n_lanes; i++)
		if (s->lane[i].in_scratch || s->lane[i].vgpr != vgpr)
			s->lane[n++] = s->lane[i];
	s->n_lanes = (uint16_t)n;
}

static void forget_vgprs(struct bw_sym_state *s, unsigned vgpr, unsigned n, unsigned lanes)
{
	for (unsigned i = 0; i < n && vgpr + i < BW_SYM_ALL_VGPRS; i++) {
		s->vgpr[vgpr + i] &= (uint8_t)~lanes_touched(s, lanes);
		drop_lanes_of(s, vgpr + i);
	}
}

struct bw_sym bw_sym_source(const struct bw_sym_state *s, const struct bw_inst *inst, unsigned i,
			    unsigned dword)
{
	unsigned code = inst->src[i];
	if (code < BW_SYM_SGPRS && code != BW_SRC_NULL)
		return s->sgpr[BW_MIN((dword ? code | 1u : code), BW_SYM_SGPRS - 1u)];
	if (code == BW_SRC_NULL)
		return (struct bw_sym){BW_SYM_CONST, 0, 0};
	if (code >= BW_SRC_INT_0 && code <= BW_SRC_INT_0 + 64)
		return (struct bw_sym){BW_SYM_CONST, 0, dword ? 0 : code - BW_SRC_INT_0};
	if (code > BW_SRC_INT_0 + 64 && code <= BW_SRC_INT_0 + 80)
		return (struct bw_sym){BW_SYM_CONST, 0,
				       dword ? UINT32_MAX : BW_SRC_INT_0 + 64u - code};
	if (code == BW_SRC_LITERAL)
		return (struct bw_sym){BW_SYM_CONST, 0, dword ? 0 : inst->literal};
	return unknown;
}

static struct bw_sym add_syms(struct bw_sym a, struct bw_sym b)
{
	if (a.kind == BW_SYM_CONST && b.kind != BW_SYM_CONST)
		return add_syms(b, a);
	if (b.kind != BW_SYM_CONST ||
	    (a.kind != BW_SYM_BASE && a.kind != BW_SYM_CODE && a.kind != BW_SYM_CONST))
		return unknown;
	a.value += b.value;
	return a;
}

static struct bw_sym negated(struct bw_sym a)
{
	if (a.kind != BW_SYM_CONST)
		return unknown;
	a.value = 0u - a.value;
	return a;
}

/* ---- Lanes and scratch ---- */

static struct bw_sym_lane *find_lane(struct bw_sym_state *s, struct bw_sym_lane like)
{
	for (unsigned i = 0; i < s->n_lanes; i++) {
		struct bw_sym_lane *l = &s->lane[i];
		if (l->in_scratch == like.in_scratch && l->lane == like.lane &&
		    (like.in_scratch ? l->offset == like.offset : l->vgpr == like.vgpr))
			return l;
	}
	return NULL;
}

static void set_lane(struct bw_sym_state *s, struct bw_sym_lane lane)
{
	struct bw_sym_lane *l = find_lane(s, lane);
	if (!l && lane.sym.kind == BW_SYM_UNKNOWN)
		return;
	if (l)
		*l = lane;
	else if (s->n_lanes < BW_SYM_LANES)
		s->lane[s->n_lanes++] = lane;
}

static void write_lane(struct bw_sym_state *s, const struct bw_inst *inst)
{
	struct bw_sym value = bw_sym_source(s, inst, 0, 0), lane = bw_sym_source(s, inst, 1, 0);
	unsigned vgpr = inst->dst & 255u;
	s->vgpr[vgpr] = 0;
	if (lane.kind != BW_SYM_CONST) {
		drop_lanes_of(s, vgpr);
		return;
	}
	set_lane(s, (struct bw_sym_lane){
			    .lane = lane.value & 63, .vgpr = (uint16_t)vgpr, .sym = value});
}

static void read_lane(struct bw_sym_state *s, const struct bw_inst *inst)
{
	struct bw_sym lane = bw_sym_source(s, inst, 1, 0);
	struct bw_sym_lane *l = NULL;
	if (inst->src[0] >= BW_SRC_VGPR0 && lane.kind == BW_SYM_CONST)
		l = find_lane(s, (struct bw_sym_lane){.lane = lane.value & 63,
						      .vgpr = inst->src[0] - BW_SRC_VGPR0});
	set_sgpr(s, inst->dst, l ? l->sym : unknown);
}

/* Drops what is known of these bytes, which were overwritten at least in some lanes. */
static void drop_scratch(struct bw_sym_state *s, int64_t offset)
{
	unsigned n = 0;
	for (unsigned i = 0; i < s->n_lanes; i++) {
		int64_t d = (int64_t)s->lane[i].offset - offset;
		if (!s->lane[i].in_scratch || d <= -4 || d >= 4)
			s->lane[n++] = s->lane[i];
	}
	s->n_lanes = (uint16_t)n;
}

static void store_dword(struct bw_sym_state *s, int32_t offset, unsigned vgpr, unsigned lanes)
{
	uint8_t certain = lanes_written(s, lanes), touched = lanes_touched(s, lanes);
	uint8_t there = s->vgpr[vgpr] & certain;
	struct bw_sym_slot *found = NULL;
	unsigned n = 0;
	for (unsigned i = 0; i < s->n_slots; i++) {
		struct bw_sym_slot slot = s->slot[i];
		int64_t d = (int64_t)slot.offset - offset;
		bool again = d == 0 && slot.vgpr == vgpr;
		/* an unchanged value is stored there again */
		if (d > -4 && d < 4)
			slot.lanes &= (uint8_t)~(again ? touched & ~s->vgpr[vgpr] : touched);
		if (again)
			slot.lanes |= there;
		if (!slot.lanes)
			continue;
		s->slot[n] = slot;
		if (again)
			found = &s->slot[n];
		n++;
	}
	s->n_slots = (uint16_t)n;
	if (!found && there && n < BW_SYM_SLOTS)
		s->slot[s->n_slots++] = (struct bw_sym_slot){
			.offset = offset, .vgpr = (uint16_t)vgpr, .lanes = there};
	drop_scratch(s, offset);
	if (certain != BW_LANES_ALL)
		return;
	for (unsigned i = 0, end = s->n_lanes; i < end; i++) {
		struct bw_sym_lane l = s->lane[i];
		if (l.in_scratch || l.vgpr != vgpr)
			continue;
		l.in_scratch = true;
		l.vgpr = 0;
		l.offset = offset;
		set_lane(s, l);
	}
}

static void load_dword(struct bw_sym_state *s, int32_t offset, unsigned vgpr, unsigned lanes)
{
	uint8_t certain = lanes_written(s, lanes), touched = lanes_touched(s, lanes), back = 0;
	for (unsigned i = 0; i < s->n_slots; i++)
		if (s->slot[i].offset == offset && s->slot[i].vgpr == vgpr)
			back = s->slot[i].lanes;
	s->vgpr[vgpr] = (uint8_t)((s->vgpr[vgpr] & (~touched | back)) | (certain & back));
	drop_lanes_of(s, vgpr);
	if (certain != BW_LANES_ALL)
		return;
	for (unsigned i = 0, end = s->n_lanes; i < end; i++) {
		struct bw_sym_lane l = s->lane[i];
		if (!l.in_scratch || l.offset != offset)
			continue;
		l.in_scratch = false;
		l.offset = 0;
		l.vgpr = (uint16_t)vgpr;
		set_lane(s, l);
	}
}

/* The offset of "scratch_store_b32 off, v3, s33 offset:16" from the base. False: not known. */
static bool scratch_offset(const struct bw_sym_state *s, const struct bw_inst *inst, int32_t *out)
{
	if (inst->sve || inst->saddr >= BW_SYM_SGPRS || inst->saddr == BW_SRC_NULL)
		return false;
	struct bw_sym a = s->sgpr[inst->saddr];
	if (a.kind != BW_SYM_BASE)
		return false;
	*out = (int32_t)(a.value + (uint32_t)inst->imm);
	return true;
}

unsigned bw_sym_moved_dwords(unsigned op, bool *out_store)
{
	static const struct {
		unsigned load, store;
		unsigned n;
	} rows[] = {
		{BW_OP_SCRATCH_LOAD_B32, BW_OP_SCRATCH_STORE_B32, 1},
		{BW_OP_SCRATCH_LOAD_B64, BW_OP_SCRATCH_STORE_B64, 2},
		{BW_OP_SCRATCH_LOAD_B96, BW_OP_SCRATCH_STORE_B96, 3},
		{BW_OP_SCRATCH_LOAD_B128, BW_OP_SCRATCH_STORE_B128, 4},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		*out_store = op == rows[i].store;
		if (*out_store || op == rows[i].load)
			return rows[i].n;
	}
	return 0;
}

static bool scratch(struct bw_sym_state *s, const struct bw_inst *inst, unsigned lanes)
{
	bool store;
	int32_t offset;
	unsigned n = bw_sym_moved_dwords(inst->op, &store);
	if (!n || !scratch_offset(s, inst, &offset))
		return false;
	for (unsigned i = 0; i < n; i++) {
		unsigned vgpr = (store ? inst->vdata : inst->dst) + i;
		vgpr += inst->acc ? BW_WRITTEN_ACC : 0;
		if (vgpr >= BW_SYM_ALL_VGPRS)
			break;
		if (store)
			store_dword(s, offset + 4 * (int32_t)i, vgpr, lanes);
		else
			load_dword(s, offset + 4 * (int32_t)i, vgpr, lanes);
	}
	return true;
}

/* Between a VGPR and an AccVGPR, where compilers keep SGPRs that they have put into lanes. */
static bool accumulator(struct bw_sym_state *s, const struct bw_inst *inst, unsigned lanes)
{
	const unsigned from = inst->src[0] - BW_SRC_VGPR0;
	const unsigned to = inst->dst + (inst->acc ? BW_WRITTEN_ACC : 0);
	if (inst->op != BW_OP_V_ACCVGPR_READ_B32 && inst->op != BW_OP_V_ACCVGPR_WRITE_B32 &&
	    inst->op != BW_OP_V_ACCVGPR_MOV_B32)
		return false;
	if (inst->src[0] < BW_SRC_VGPR0 || from >= BW_SYM_ALL_VGPRS || to >= BW_SYM_ALL_VGPRS)
		return false;
	forget_vgprs(s, to, 1, lanes);
	if (lanes_written(s, lanes) != BW_LANES_ALL)
		return true;
	for (unsigned i = 0, end = s->n_lanes; i < end; i++) {
		struct bw_sym_lane l = s->lane[i];
		if (l.in_scratch || l.vgpr != from)
			continue;
		l.vgpr = (uint16_t)to;
		set_lane(s, l);
	}
	return true;
}

/* ---- Scalar instructions that are followed ---- */

static struct bw_sym inverted(struct bw_sym a)
{
	switch (a.kind) {
	case BW_SYM_EXEC:
		a.kind = BW_SYM_NOT_EXEC;
		return a;
	case BW_SYM_NOT_EXEC:
		a.kind = BW_SYM_EXEC;
		return a;
	case BW_SYM_CONST:
		a.value = ~a.value;
		return a;
	default:
		return unknown;
	}
}

static bool is_ones(struct bw_sym a)
{
	return a.kind == BW_SYM_CONST && a.value == UINT32_MAX;
}

static struct bw_sym or_of(struct bw_sym a, struct bw_sym b)
{
	if (is_ones(a) || is_ones(b))
		return (struct bw_sym){BW_SYM_CONST, 0, UINT32_MAX};
	/* lanes that were removed come back: the mask that is or'ed is a part of the entry's
	 * EXEC */
	if (a.kind == BW_SYM_EXEC && (b.kind == BW_SYM_UNKNOWN || same(a, b)))
		return a;
	return b.kind == BW_SYM_EXEC && a.kind == BW_SYM_UNKNOWN ? b : unknown;
}

/* dst = EXEC; EXEC = src OP EXEC */
static bool saveexec(struct bw_sym_state *s, const struct bw_inst *inst)
{
	unsigned n;
	bool or = false, xor = false;
	switch ((int)inst->op) {
	case BW_OP_S_OR_SAVEEXEC_B32:
	case BW_OP_S_OR_SAVEEXEC_B64:
		n = inst->op == BW_OP_S_OR_SAVEEXEC_B64 ? 2 : 1;
		or = true;
		break;
	case BW_OP_S_XOR_SAVEEXEC_B32:
	case BW_OP_S_XOR_SAVEEXEC_B64:
		n = inst->op == BW_OP_S_XOR_SAVEEXEC_B64 ? 2 : 1;
		xor = true;
		break;
	case BW_OP_S_AND_SAVEEXEC_B32:
	case BW_OP_S_AND_NOT1_SAVEEXEC_B32:
	case BW_OP_S_AND_NOT0_SAVEEXEC_B32:
		n = 1;
		break;
	case BW_OP_S_AND_SAVEEXEC_B64:
	case BW_OP_S_AND_NOT1_SAVEEXEC_B64:
	case BW_OP_S_AND_NOT0_SAVEEXEC_B64:
		n = 2;
		break;
	default:
		return false;
	}
	for (unsigned i = 0; i < n; i++) {
		struct bw_sym before = s->sgpr[BW_SRC_EXEC_LO + i],
			      src = bw_sym_source(s, inst, 0, i);
		struct bw_sym after = unknown;
		if (or)
			after = or_of(src, before);
		else if (xor&&is_ones(src)) {
			after = inverted(before);
			/* the inverse of a part may have any lane */
			if (after.kind == BW_SYM_UNKNOWN)
				after = (struct bw_sym){BW_SYM_NOT_EXEC, 2, 0};
		}
		set_sgpr(s, inst->dst + i, before);
		s->sgpr[BW_SRC_EXEC_LO + i] = after;
	}
	return true;
}

static bool scalar(struct bw_sym_state *s, const struct bw_inst *inst, uint64_t pc)
{
	struct bw_sym a, b;
	struct bw_sym imm = {BW_SYM_CONST, 0, (uint32_t)inst->imm};
	switch ((int)inst->op) {
	case BW_OP_S_MOV_B32:
		set_sgpr(s, inst->dst, bw_sym_source(s, inst, 0, 0));
		return true;
	case BW_OP_S_MOV_B64:
		a = bw_sym_source(s, inst, 0, 0);
		b = bw_sym_source(s, inst, 0, 1);
		set_sgpr(s, inst->dst, a);
		set_sgpr(s, inst->dst + 1u, b);
		return true;
	case BW_OP_S_MOVK_I32:
		set_sgpr(s, inst->dst, imm);
		return true;
	case BW_OP_S_ADDK_I32:
		set_sgpr(s, inst->dst,
			 inst->dst < BW_SYM_SGPRS ? add_syms(s->sgpr[inst->dst], imm) : unknown);
		return true;
	case BW_OP_S_ADD_I32:
	case BW_OP_S_ADD_U32:
		set_sgpr(s, inst->dst,
			 add_syms(bw_sym_source(s, inst, 0, 0), bw_sym_source(s, inst, 1, 0)));
		return true;
	case BW_OP_S_SUB_I32:
	case BW_OP_S_SUB_U32:
		set_sgpr(s, inst->dst,
			 add_syms(bw_sym_source(s, inst, 0, 0),
				  negated(bw_sym_source(s, inst, 1, 0))));
		return true;
	case BW_OP_S_OR_B32:
	case BW_OP_S_OR_B64:
		a = or_of(bw_sym_source(s, inst, 0, 0), bw_sym_source(s, inst, 1, 0));
		b = or_of(bw_sym_source(s, inst, 0, 1), bw_sym_source(s, inst, 1, 1));
		set_sgpr(s, inst->dst, a);
		if (inst->op == BW_OP_S_OR_B64)
			set_sgpr(s, inst->dst + 1u, b);
		return true;
	case BW_OP_S_GETPC_B64:
		set_sgpr(s, inst->dst, (struct bw_sym){BW_SYM_CODE, 0, (uint32_t)pc + 4});
		set_sgpr(s, inst->dst + 1u, unknown);
		return true;
	default:
		return saveexec(s, inst);
	}
}

/* ---- All others: what they write is unknown then ---- */

static void forget_results(struct bw_sym_state *s, const struct bw_inst *inst, unsigned lanes)
{
	struct bw_written w;
	bw_written_by(inst, lanes, &w);
	for (unsigned i = 0; i < w.n; i++) {
		if (w.run[i].is_vgpr)
			forget_vgprs(s, w.run[i].first, w.run[i].n, lanes);
		else
			forget_sgprs(s, w.run[i].first, w.run[i].n);
	}
}

void bw_sym_execute(struct bw_sym_state *s, const struct bw_inst *inst, uint64_t pc, unsigned lanes)
{
	bw_sym_first_vgprs(s, inst, lanes);
	if (inst->op == BW_OP_V_WRITELANE_B32)
		write_lane(s, inst);
	else if (inst->op == BW_OP_V_READLANE_B32)
		read_lane(s, inst);
	else if (!scratch(s, inst, lanes) && !accumulator(s, inst, lanes) && !scalar(s, inst, pc))
		forget_results(s, inst, lanes);
}

/* ---- Calls ---- */

void bw_sym_convention(struct bw_sym_effect *out)
{
	/* LLVM, AMDGPUCallingConv.td: CSR_AMDGPU_SGPRs are s30 to s105, CSR_AMDGPU_VGPRs eight of
	 * each sixteen from v40 on, CSR_AMDGPU_GFX90AInsts a32 and those after it */
	*out = (struct bw_sym_effect){
		.keeps_sgpr = {~0ull << 30, (1ull << (FIRST_SGPR_OF_NONE - 64)) - 1},
		.keeps_exec = true,
		.keeps_s32 = true,
		.link = 30};
	for (unsigned i = 0; i < BW_SYM_ALL_VGPRS; i++)
		out->vgpr[i] =
			i >= BW_WRITTEN_ACC + 32 || (i < BW_WRITTEN_ACC && i >= 40 && i % 16 >= 8)
				? BW_LANES_ALL
				: BW_LANES_INACTIVE;
}

static bool keeps_vgpr(const struct bw_sym_effect *e, unsigned vgpr)
{
	return e->vgpr[vgpr] == BW_LANES_ALL;
}

void bw_sym_callee(struct bw_sym_state *s, const struct bw_sym_effect *e, unsigned lanes)
{
	bool partial = !exec_is(s, lanes, BW_SYM_EXEC);
	unsigned n = 0;
	memset(s->first_vgpr, 0, sizeof(s->first_vgpr));
	for (unsigned i = 0; i < BW_SRC_EXEC_LO; i++)
		if (i != STACK && !(i < 128 && e->keeps_sgpr[i / 64] >> i % 64 & 1))
			set_sgpr(s, i, unknown);
	if (!e->keeps_s32)
		set_sgpr(s, STACK, unknown);
	if (!e->keeps_exec)
		forget_sgprs(s, BW_SRC_EXEC_LO, 2);
	for (unsigned i = 0; i < BW_SYM_ALL_VGPRS; i++) {
		/* "inactive" means inactive at the call; some of these may be lanes of the
		 * caller */
		uint8_t lost = (uint8_t)~e->vgpr[i] & BW_LANES_ALL;
		if (partial && lost & BW_LANES_INACTIVE)
			lost = BW_LANES_ALL;
		s->vgpr[i] &= (uint8_t)~lost;
	}
	for (unsigned i = 0; i < s->n_lanes; i++)
		if (s->lane[i].in_scratch || keeps_vgpr(e, s->lane[i].vgpr))
			s->lane[n++] = s->lane[i];
	s->n_lanes = (uint16_t)n;
}

void bw_sym_call(struct bw_sym_state *s, const struct bw_sym_effect *e, unsigned link, uint64_t pc,
		 unsigned lanes)
{
	bw_sym_callee(s, e, lanes);
	set_sgpr(s, link, (struct bw_sym){BW_SYM_CODE, 0, (uint32_t)pc});
	set_sgpr(s, link + 1, unknown);
}

/* ---- Where paths meet ---- */

bool bw_sym_join(struct bw_sym_state *s, const struct bw_sym_state *other)
{
	bool changed = false;
	unsigned n = 0;
	for (unsigned i = 0; i < BW_SYM_SGPRS; i++) {
		if (s->sgpr[i].kind == BW_SYM_UNKNOWN || same(s->sgpr[i], other->sgpr[i]))
			continue;
		s->sgpr[i] = unknown;
		changed = true;
	}
	for (unsigned i = 0; i < BW_SYM_VGPRS; i++) {
		struct bw_sym *v = &s->first_vgpr[i];
		if (v->kind == BW_SYM_UNKNOWN || same(*v, other->first_vgpr[i]))
			continue;
		*v = unknown;
		changed = true;
	}
	for (unsigned i = 0; i < BW_SYM_ALL_VGPRS; i++) {
		uint8_t both = s->vgpr[i] & other->vgpr[i];
		changed |= both != s->vgpr[i];
		s->vgpr[i] = both;
	}
	for (unsigned i = 0; i < s->n_lanes; i++) {
		const struct bw_sym_lane *l = find_lane((struct bw_sym_state *)other, s->lane[i]);
		if (l && same(l->sym, s->lane[i].sym))
			s->lane[n++] = s->lane[i];
	}
	changed |= n != s->n_lanes;
	s->n_lanes = (uint16_t)n;
	n = 0;
	for (unsigned i = 0; i < s->n_slots; i++) {
		struct bw_sym_slot slot = s->slot[i];
		uint8_t lanes = 0;
		for (unsigned k = 0; k < other->n_slots; k++)
			if (other->slot[k].offset == slot.offset &&
			    other->slot[k].vgpr == slot.vgpr)
				lanes = other->slot[k].lanes;
		changed |= (slot.lanes & lanes) != slot.lanes;
		slot.lanes &= lanes;
		if (slot.lanes)
			s->slot[n++] = slot;
	}
	s->n_slots = (uint16_t)n;
	return changed;
}
