/* SPDX-License-Identifier: MIT */
/* Every vector memory opcode against a model that moves one byte at a time, written from the rules
 * of doc/rules.md: random registers, access patterns, partial EXEC, overlapping operands,
 * faults. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "isa/ops.h"
#include "mem_env.h"
#include "opcode_model.h"

enum space { GLOBAL, LDS, PRIVATE, NOWHERE };

/* ---- where bytes are ---- */

struct place {
	enum space space;
	uint64_t at;
	unsigned n_in; /* bytes that exist, for NOWHERE's sake in buffers; else size_b */
};

enum found { THERE, EMPTY, FAULT };

static enum found byte_at(struct env *e, const struct place *p, unsigned lane, unsigned i,
			  unsigned size_b, bool write, uint8_t **out)
{
	switch (p->space) {
	case GLOBAL:
		if (i >= p->n_in)
			return EMPTY;
		*out = env_byte(e, p->at + i, write);
		if (*out)
			return THERE;
		return (p->at + i) / BW_PAGE_B == ENV_PRT_VA / BW_PAGE_B ? EMPTY : FAULT;
	case LDS:
		if (p->at + size_b > ENV_LDS_B)
			return EMPTY;
		*out = &e->lds[p->at + i];
		return THERE;
	case PRIVATE: {
		uint64_t o = p->at + i;
		if (p->at > ENV_SCRATCH_LANE_B || p->at + size_b > ENV_SCRATCH_LANE_B)
			return FAULT;
		*out = env_byte(e, e->w.flat_scratch + o / 4 * 4 * e->w.lanes + 4 * lane + o % 4,
				write);
		return *out ? THERE : FAULT;
	}
	case NOWHERE:
		break;
	}
	return EMPTY;
}

/* ---- one run ---- */

struct expected {
	uint32_t v[256 * 64];
	uint8_t host[ENV_PAGES * BW_PAGE_B];
	uint8_t lds[ENV_LDS_B];
	uint64_t fault_lanes;
	uint64_t fault_va; /* of the first, if it is in global memory */
	bool page_fault;
};

static uint8_t *mirror(struct env *e, struct expected *x, uint8_t *p)
{
	if (p >= e->lds && p < e->lds + ENV_LDS_B)
		return x->lds + (p - e->lds);
	return x->host + (p - e->host);
}

static uint64_t model_reg(const struct env *e, unsigned reg, unsigned lane)
{
	return e->v[(reg < e->w.n_vgprs ? reg : 0) * e->w.lanes + lane];
}

static void note_fault(struct expected *x, unsigned lane, uint64_t va, bool page)
{
	if (!x->fault_lanes) {
		x->fault_va = va;
		x->page_fault = page;
	}
	x->fault_lanes |= 1ull << lane;
}

/* Faults of one lane's element, as the model sees them. */
static void model_faults(struct env *e, const struct shape *s, const struct place *p, unsigned lane,
			 struct expected *x)
{
	uint8_t *byte;
	if (s->kind == ATOMIC && p->space != NOWHERE && p->at % s->size_b &&
	    strcmp(s->rmw, "condxchg32")) {
		note_fault(x, lane, p->space == GLOBAL ? p->at : 0, false);
		return;
	}
	for (unsigned i = 0; i < s->size_b; i++) {
		if (byte_at(e, p, lane, i, s->size_b, s->kind != LOAD, &byte) == FAULT) {
			bool canonical = bw_canonical(p->at + i) == p->at + i;
			note_fault(x, lane, p->space == GLOBAL ? p->at + i : 0,
				   p->space == GLOBAL && canonical);
			return;
		}
	}
}

static void model_get(struct env *e, struct expected *x, const struct place *p, unsigned lane,
		      unsigned size_b, uint8_t *out)
{
	for (unsigned i = 0; i < size_b; i++) {
		uint8_t *byte;
		out[i] = byte_at(e, p, lane, i, size_b, false, &byte) == THERE ? *mirror(e, x, byte)
									       : 0;
	}
}

static void model_put(struct env *e, struct expected *x, const struct place *p, unsigned lane,
		      unsigned size_b, const uint8_t *data)
{
	for (unsigned i = 0; i < size_b; i++) {
		uint8_t *byte;
		if (byte_at(e, p, lane, i, size_b, true, &byte) == THERE)
			*mirror(e, x, byte) = data[i];
	}
}

static void model_load(struct env *e, const struct shape *s, const struct place *p, unsigned lane,
		       unsigned dst, struct expected *x)
{
	uint8_t bytes[16] = {0};
	model_get(e, x, p, lane, s->size_b, bytes);
	uint32_t *out = &x->v[dst * e->w.lanes + lane];
	if (s->size_b >= 4) {
		for (unsigned k = 0; k < s->size_b / 4; k++)
			memcpy(&out[k * e->w.lanes], bytes + 4 * k, 4);
		return;
	}
	uint32_t value = s->size_b == 1 ? bytes[0] : bytes[0] | bytes[1] << 8;
	if (s->sign)
		value = (uint32_t)bw_sign_extend(value, 8 * s->size_b);
	if (s->half == 1)
		value = (*out & 0xffff0000) | (value & 0xffff);
	if (s->half == 2)
		value = (*out & 0xffff) | value << 16;
	*out = value;
}

static void model_store(struct env *e, const struct shape *s, const struct place *p, unsigned lane,
			unsigned data, struct expected *x)
{
	uint8_t bytes[16];
	for (unsigned k = 0; k < (s->size_b + 3) / 4; k++) {
		uint32_t value = (uint32_t)model_reg(e, data + k, lane) >> (s->half == 2 ? 16 : 0);
		memcpy(bytes + 4 * k, &value, 4);
	}
	model_put(e, x, p, lane, s->size_b, bytes);
}

static uint64_t model_operand(const struct env *e, unsigned reg, unsigned lane, unsigned size_b)
{
	return model_reg(e, reg, lane) | (size_b == 8 ? model_reg(e, reg + 1, lane) << 32 : 0);
}

static void model_atomic(struct env *e, const struct shape *s, const struct place *p, unsigned lane,
			 uint64_t d, uint64_t c, bool returns, unsigned dst, struct expected *x)
{
	uint64_t old = 0, new;
	uint8_t bytes[8];
	model_get(e, x, p, lane, s->size_b, bytes);
	memcpy(&old, bytes, s->size_b);
	new = model_rmw(s, old, d, c, p->space == LDS, e->w.mode);
	memcpy(bytes, &new, 8);
	model_put(e, x, p, lane, s->size_b, bytes);
	for (unsigned k = 0; returns && k < s->size_b / 4; k++)
		x->v[(dst + k) * e->w.lanes + lane] = (uint32_t)(old >> 32 * k);
}

/* place[element][lane]: where the instruction's elements are. */
static void check(struct env *e, const char *name, const struct shape *s, struct place (*place)[64])
{
	static struct expected x;
	const struct bw_inst *in = &e->inst;
	unsigned n_dw = (s->size_b + 3) / 4;
	bool is_buffer = in->fmt == BW_FMT_MUBUF, is_ds = in->fmt == BW_FMT_DS;
	bool returns = s->kind == LOAD || (s->kind == ATOMIC && (is_ds ? s->returns : in->glc));
	unsigned dst = is_buffer ? in->vdata : in->dst;
	unsigned n_dst = n_dw * s->n_elements;
	uint64_t exec = e->w.s[BW_SRC_EXEC_LO] | (uint64_t)e->w.s[BW_SRC_EXEC_HI] << 32;

	if (e->w.lanes == 32)
		exec &= UINT32_MAX;
	if (returns && dst + n_dst > e->w.n_vgprs)
		exec = 0;
	memcpy(x.v, e->v, sizeof(x.v));
	memcpy(x.host, e->host, sizeof(x.host));
	memcpy(x.lds, e->lds, sizeof(x.lds));
	x.fault_lanes = 0;
	for (unsigned n = 0; n < s->n_elements; n++)
		for (unsigned lane = 0; lane < e->w.lanes; lane++)
			if (exec >> lane & 1)
				model_faults(e, s, &place[n][lane], lane, &x);
	for (unsigned lane = 0; !x.fault_lanes && lane < e->w.lanes; lane++) {
		for (unsigned n = 0; n < s->n_elements && exec >> lane & 1; n++) {
			const struct place *p = &place[n][lane];
			unsigned data = n && is_ds ? in->vdata2 : in->vdata;
			unsigned data2 = is_ds ? in->vdata2 : in->vdata + n_dw;
			if (s->kind == LOAD)
				model_load(e, s, p, lane, dst + n * n_dw, &x);
			else if (s->kind == ATOMIC)
				model_atomic(e, s, p, lane, model_operand(e, data, lane, s->size_b),
					     model_operand(e, data2, lane, s->size_b), returns,
					     dst + n * n_dw, &x);
		}
	}
	/* Stores of two elements are in order of elements, then lanes. */
	for (unsigned n = 0; s->kind == STORE && !x.fault_lanes && n < s->n_elements; n++)
		for (unsigned lane = 0; lane < e->w.lanes; lane++)
			if (exec >> lane & 1)
				model_store(e, s, &place[n][lane], lane, n ? in->vdata2 : in->vdata,
					    &x);

	bool illegal;
	enum bw_mem_result result = env_run(e, &illegal);
	assert_false(illegal);
	if (x.fault_lanes) {
		if (result != (x.page_fault ? BW_MEM_FAULT_PAGE : BW_MEM_FAULT_APERTURE))
			fail_msg("%s: result %d, model expects %s fault in lanes %lx", name, result,
				 x.page_fault ? "a page" : "an aperture", x.fault_lanes);
		if (s->n_elements == 1 && e->w.fault_lanes != x.fault_lanes)
			fail_msg("%s: fault in lanes %lx, model %lx", name, e->w.fault_lanes,
				 x.fault_lanes);
		if (x.fault_va && e->w.fault.va != x.fault_va)
			fail_msg("%s: fault at %lx, model %lx", name, e->w.fault.va, x.fault_va);
	} else if (result != BW_MEM_OK) {
		fail_msg("%s: result %d at %lx lanes %lx, model expects none", name, result,
			 e->w.fault.va, e->w.fault_lanes);
	}
	for (unsigned i = 0; i < ENV_VGPRS * e->w.lanes; i++)
		if (e->v[i] != x.v[i])
			fail_msg("%s: v%u lane %u is %08x, model %08x", name, i / e->w.lanes,
				 i % e->w.lanes, e->v[i], x.v[i]);
	if (memcmp(e->host, x.host, sizeof(x.host)))
		fail_msg("%s: memory differs from the model", name);
	if (memcmp(e->lds, x.lds, sizeof(x.lds)))
		fail_msg("%s: LDS differs from the model", name);
}

/* ---- patterns ---- */

static uint32_t pick_exec(struct env *e)
{
	switch (env_random(e) % 6) {
	case 0:
		return 1u << env_random(e) % 32;
	case 1:
		return env_random(e);
	case 2:
		return 0xffffffffu >> env_random(e) % 32;
	case 3:
		return env_random(e) % 4 ? 0x55555555 : 0;
	default:
		return UINT32_MAX;
	}
}

/* Lane offsets into [0, size): contiguous, equal, strided, backwards, anywhere. align: natural, for
 * atomics, mostly. */
static void pick_offsets(struct env *e, uint64_t size, unsigned size_b, bool align, uint64_t *out)
{
	unsigned pattern = env_random(e) % 5, n = e->w.lanes;
	uint64_t stride = pattern == 2 ? size_b + env_random(e) % 40 : size_b;
	if (align)
		stride = bw_align_up(stride, size_b);
	uint64_t room = size > n * stride ? size - n * stride : size > 16 ? size - 16 : 0;
	uint64_t base = room ? env_random(e) % room : 0;
	if (align || env_random(e) % 2)
		base = bw_align_down(base, size_b == 12 ? 4 : size_b);
	for (unsigned i = 0; i < n; i++) {
		uint64_t o = pattern == 1   ? base
			     : pattern == 3 ? base + (n - 1 - i) * stride
					    : base + i * stride;
		if (pattern == 4)
			o = align ? bw_align_down(env_random(e) % size, size_b)
				  : env_random(e) % size;
		out[i] = o;
	}
}

static unsigned pick_reg(struct env *e)
{
	return env_random(e) % 40 == 0 ? ENV_VGPRS - 1 + env_random(e) % 4
				       : env_random(e) % (ENV_VGPRS - 4);
}

static void pick_common(struct env *e, enum bw_op op)
{
	e->inst.op = op;
	e->inst.fmt = bw_isa_op_info(op)->fmt;
	e->inst.dst = (uint16_t)pick_reg(e);
	e->inst.vdata = (uint8_t)pick_reg(e);
	e->inst.vdata2 = (uint8_t)pick_reg(e);
	e->inst.vaddr = (uint8_t)(env_random(e) % (ENV_VGPRS - 2));
	e->inst.glc = env_random(e) % 2;
	e->inst.sve = false;
	e->inst.saddr = BW_SRC_NULL;
	e->inst.offset0 = e->inst.offset1 = 0;
	e->w.s[BW_SRC_EXEC_LO] = pick_exec(e);
	e->w.s[BW_SRC_EXEC_HI] = pick_exec(e);
	e->w.mode = env_random(e) & 0xff;
	if (env_random(e) % 8 == 0)
		env_scramble(e);
	/* Floats near zero and special ones are rare among random bits. */
	for (unsigned i = 0; i < 64; i++) {
		static const uint32_t special[] = {0,	       0x80000000, 1,	       0x80000001,
						   0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
						   0x3f800000, 0x007fffff, 0x00800000, 0x00900000,
						   0xffffffff};
		uint32_t *p =
			(uint32_t *)(void *)(env_random(e) % 2
						     ? e->host + env_random(e) % 0xfff0 / 4 * 4
						     : e->lds + env_random(e) % 0xff0 / 4 * 4);
		*p = special[env_random(e) % BW_ARRAY_SIZE(special)];
		e->v[env_random(e) % (ENV_VGPRS * e->w.lanes)] =
			special[env_random(e) % BW_ARRAY_SIZE(special)];
	}
}

static void set_address(struct env *e, unsigned lane, uint64_t va)
{
	*env_v(e, e->inst.vaddr, lane) = (uint32_t)va;
	*env_v(e, e->inst.vaddr + 1u, lane) = (uint32_t)(va >> 32);
}

static void try_global(struct env *e, const char *name, enum bw_op op, const struct shape *s)
{
	static struct place place[2][64];
	uint64_t offset[64];
	pick_common(e, op);
	/* Mostly inside of what may be written, now and then over the edges. */
	bool wild = env_random(e) % 8 == 0;
	pick_offsets(e, (wild ? ENV_PAGES + 1 : ENV_RO_PAGE) * BW_PAGE_B, s->size_b,
		     s->kind == ATOMIC && env_random(e) % 16, offset);
	e->inst.imm = (int32_t)(env_random(e) % 8192) - 4096;
	bool saddr = s->addtid || env_random(e) % 2;
	if (saddr) {
		e->inst.saddr = 20;
		uint64_t base = ENV_VA - 5000 - env_random(e) % 100000;
		if (s->addtid)
			base = ENV_VA + 4096 + env_random(e) % 16384;
		e->w.s[20] = (uint32_t)base;
		e->w.s[21] = (uint32_t)(base >> 32);
		for (unsigned i = 0; i < e->w.lanes; i++) {
			uint64_t v = ENV_VA + offset[i] - base - (uint64_t)(int64_t)e->inst.imm;
			if (!s->addtid)
				*env_v(e, e->inst.vaddr, i) = (uint32_t)v;
			place[0][i] = (struct place){GLOBAL, ENV_VA + offset[i], s->size_b};
			if (s->addtid)
				place[0][i].at = base + (uint64_t)(int64_t)e->inst.imm + 4 * i;
		}
	} else {
		for (unsigned i = 0; i < e->w.lanes; i++) {
			uint64_t va = ENV_VA + offset[i];
			if (wild && env_random(e) % 64 == 0)
				va = env_random(e) % 2 ? ENV_PRT_VA + offset[i] % 4000
						       : 0xffff7f0000000000 | va;
			if (wild && env_random(e) % 200 == 0)
				va = (uint64_t)ENV_SHARED_HI << 32 | 64;
			set_address(e, i, va - (uint64_t)(int64_t)e->inst.imm);
			place[0][i] = (struct place){GLOBAL, va, s->size_b};
		}
	}
	check(e, name, s, place);
}

static void try_flat(struct env *e, const char *name, enum bw_op op, const struct shape *s)
{
	static struct place place[2][64];
	uint64_t global[64], local[64], private[64];
	pick_common(e, op);
	bool align = s->kind == ATOMIC && env_random(e) % 16;
	unsigned mix = env_random(e) % 5;
	pick_offsets(e, ENV_RO_PAGE * BW_PAGE_B, s->size_b, align, global);
	pick_offsets(e, ENV_LDS_B + 64, s->size_b, align, local);
	pick_offsets(e, env_random(e) % 8 ? ENV_SCRATCH_LANE_B - 15 : ENV_SCRATCH_LANE_B + 2,
		     s->size_b, align, private);
	e->inst.imm = (int32_t)(env_random(e) % 8192) - 4096; /* bit 12 is ignored */
	uint32_t imm = (uint32_t)e->inst.imm & 0xfff;
	for (unsigned i = 0; i < e->w.lanes; i++) {
		unsigned where = mix > 3 ? env_random(e) % 3 : mix;
		uint64_t va;
		if (where == 1 && local[i] >= imm) {
			place[0][i] = (struct place){LDS, local[i], s->size_b};
			va = ((uint64_t)ENV_SHARED_HI << 32) + local[i] - imm;
		} else if (where == 2) {
			/* An aperture is missed or hit before the offset is added. */
			e->inst.imm &= mix == 2 ? 0xf : ~0;
			imm = (uint32_t)e->inst.imm & 0xfff;
			uint64_t o = private[i] >= imm ? private[i] - imm : 0;
			place[0][i] = (struct place){PRIVATE, o + imm, s->size_b};
			va = ((uint64_t)ENV_PRIVATE_HI << 32) + o;
		} else {
			place[0][i] = (struct place){GLOBAL, ENV_VA + global[i], s->size_b};
			va = ENV_VA + global[i] - imm;
		}
		set_address(e, i, va);
	}
	check(e, name, s, place);
}

static void try_scratch(struct env *e, const char *name, enum bw_op op, const struct shape *s)
{
	static struct place place[2][64];
	uint64_t offset[64];
	pick_common(e, op);
	pick_offsets(e, env_random(e) % 8 ? ENV_SCRATCH_LANE_B - 15 : ENV_SCRATCH_LANE_B + 4,
		     s->size_b, false, offset);
	unsigned form = env_random(e) % 4; /* ST, SS, SV, SVS */
	e->inst.sve = form >= 2;
	if (form % 2)
		e->inst.saddr = 30;
	e->w.s[30] = form % 2 ? env_random(e) % 5000 : env_random(e);
	if (form == 3 && env_random(e) % 2)
		e->w.s[30] = 0;
	e->inst.imm = (int32_t)(env_random(e) % 64);
	if (form % 2)
		e->inst.imm = (int32_t)offset[0] - (int32_t)e->w.s[30];
	if (form == 0)
		e->inst.imm = (int32_t)offset[0];
	if (form == 2)
		e->inst.imm = -(int32_t)(env_random(e) % 4096);
	for (unsigned i = 0; i < e->w.lanes; i++) {
		int64_t sum = e->inst.imm + (form % 2 ? (int64_t)e->w.s[30] : 0);
		uint32_t v = (uint32_t)((int64_t)offset[i] - sum);
		if (form >= 2) {
			*env_v(e, e->inst.vaddr, i) = v;
			sum += v;
		}
		place[0][i] = (struct place){PRIVATE, (uint64_t)sum, s->size_b};
	}
	check(e, name, s, place);
}

static void try_ds(struct env *e, const char *name, enum bw_op op, const struct shape *s)
{
	static struct place place[2][64];
	uint64_t offset[64];
	pick_common(e, op);
	pick_offsets(e, ENV_LDS_B + (env_random(e) % 4 ? 0 : 64), s->size_b,
		     s->kind == ATOMIC && env_random(e) % 16, offset);
	e->inst.offset0 = (uint8_t)(env_random(e) % 2 ? 0 : env_random(e));
	e->inst.offset1 = (uint8_t)env_random(e);
	e->inst.imm = e->inst.offset1 << 8 | e->inst.offset0;
	e->w.s[BW_SRC_M0] = (env_random(e) << 16) | env_random(e) % 256;
	for (unsigned i = 0; i < e->w.lanes; i++) {
		uint32_t first = s->n_elements == 2 ? e->inst.offset0 * s->step * s->size_b
						    : (uint32_t)e->inst.imm;
		*env_v(e, e->inst.vaddr, i) = (uint32_t)offset[i] - first;
		for (unsigned n = 0; n < s->n_elements; n++) {
			uint32_t add = s->n_elements == 1
					       ? (uint32_t)e->inst.imm
					       : (n ? e->inst.offset1 : e->inst.offset0) * s->step *
							 s->size_b;
			place[n][i] =
				(struct place){LDS, *env_v(e, e->inst.vaddr, i) + add, s->size_b};
			if (s->addtid)
				place[n][i].at = (uint32_t)e->inst.imm +
						 (e->w.s[BW_SRC_M0] & 0xffff) + 4 * i;
			if (!strcmp(s->rmw, "condxchg32"))
				place[n][i].at &= 0xfff8;
			place[n][i].at &= UINT32_MAX;
		}
	}
	check(e, name, s, place);
}

/* Raw buffers (OOB_SELECT 3, per dword) and structured ones (0), rules 340 to 347. */
static void try_buffer(struct env *e, const char *name, enum bw_op op, const struct shape *s)
{
	static struct place place[2][64];
	uint64_t offset[64];
	pick_common(e, op);
	bool raw = env_random(e) % 2;
	uint32_t stride = raw ? 0 : 16 + 4 * (env_random(e) % 8),
		 records = 64 + env_random(e) % 900;
	uint64_t base = ENV_VA + env_random(e) % 64 * 64 + 128;
	uint32_t soffset = env_random(e) % 2 ? 16 * (env_random(e) % 4) : 0;
	e->inst.srsrc = 40;
	e->inst.saddr = soffset ? 50 : 128;
	e->w.s[50] = soffset;
	e->w.s[40] = (uint32_t)base;
	e->w.s[41] = (uint32_t)(base >> 32) | stride << 16;
	e->w.s[42] = raw ? records * 8 : records;
	e->w.s[43] = (raw ? 3u : 0u) << 28;
	e->inst.offen = true;
	e->inst.idxen = !raw;
	e->inst.tfe = false;
	e->inst.imm = raw ? (int32_t)(env_random(e) % 4 * 16) : (int32_t)(env_random(e) % 8);
	pick_offsets(e, raw ? records * 8 + 32 : stride, s->size_b, s->kind == ATOMIC, offset);
	if (s->kind == ATOMIC)
		e->inst.imm &= ~7;
	for (unsigned i = 0; i < e->w.lanes; i++) {
		uint32_t index = raw ? 0 : env_random(e) % (records + records / 16 + 1),
			 v = (uint32_t)offset[i];
		if (!raw && s->kind == ATOMIC)
			index &= ~1u;
		if (!raw)
			*env_v(e, e->inst.vaddr, i) = index;
		*env_v(e, e->inst.vaddr + !raw, i) = v;
		uint64_t o = (uint64_t)v + (uint64_t)e->inst.imm;
		struct place *p = &place[0][i];
		*p = (struct place){GLOBAL, base + soffset + (uint64_t)index * stride + o,
				    s->size_b};
		uint64_t at = raw ? o + soffset : o, limit = raw ? records * 8 : stride;
		if (!raw && index >= records)
			p->space = NOWHERE;
		else if (at + s->size_b > limit &&
			 (s->kind == ATOMIC || s->size_b <= 4 || at + 4 > limit))
			p->space = NOWHERE;
		else if (at + s->size_b > limit)
			p->n_in = (unsigned)(limit - at) / 4 * 4;
	}
	check(e, name, s, place);
}

typedef void try_fn(struct env *e, const char *name, enum bw_op op, const struct shape *s);

static void run_format(enum bw_fmt fmt, try_fn *attempt, unsigned n_rounds, unsigned n_rows)
{
	static const char *const others[] = {
		"ds_permute_b32", "ds_bpermute_b32", "ds_swizzle_b32",	     "ds_append",
		"ds_consume",	  "ds_nop",	     "ds_bvh_stack_rtn_b32", "buffer_gl0_inv",
		"buffer_gl1_inv"};
	static struct env e;
	unsigned seen = 0;
	for (unsigned op = 1; op < BW_OP_COUNT; op++) {
		const char *name = bw_isa_op_info(op)->name;
		/* Formatted buffers, loads into the LDS and rays have tests of their own. */
		bool other = bw_isa_op_info(op)->fmt != fmt || !bw_exec_mem_row(op) ||
			     !bw_isa_has_op(BW_ISA_GFX11, op) || strstr(name, "_format_") ||
			     strstr(name, "_lds_");
		for (size_t i = 0; i < BW_ARRAY_SIZE(others); i++)
			other = other || !strcmp(name, others[i]);
		if (other)
			continue;
		struct shape s = shape_of(name);
		for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
			env_init(&e, lanes);
			e.random += op * 977u;
			for (unsigned round = 0; round < n_rounds; round++)
				attempt(&e, name, op, &s);
			env_fini(&e);
		}
		seen++;
	}
	assert_int_equal(seen, n_rows);
}

static unsigned rounds(void)
{
	const char *text = getenv("BW_TEST_ROUNDS");
	return text ? (unsigned)atoi(text) : 60;
}

static void global(void **state)
{
	run_format(BW_FMT_GLOBAL, try_global, rounds(), 55);
}
static void flat(void **state)
{
	run_format(BW_FMT_FLAT, try_flat, rounds(), 52);
}
static void scratch(void **state)
{
	run_format(BW_FMT_SCRATCH, try_scratch, rounds(), 22);
}
static void ds(void **state)
{
	run_format(BW_FMT_DS, try_ds, rounds(), 110);
}
static void buffer(void **state)
{
	run_format(BW_FMT_MUBUF, try_buffer, rounds(), 53);
}

TESTS(global, flat, scratch, ds, buffer);
