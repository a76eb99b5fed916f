/* SPDX-License-Identifier: MIT */
/* Addresses and data of memory instructions; and the undefined bytes of LDS and scratch. Global
 * memory counts as defined. */
#include <string.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/check/init_priv.h"
#include "vgpu/device/exec/core/apertures.h"
#include "vgpu/device/exec/memory/memory.h"

/* ---- addresses ---- */

static void check_registers(struct bw_init_step *t, unsigned first, unsigned n)
{
	for (unsigned r = first; r < first + n; r++) {
		const uint32_t *u = bw_init_v(t->iw, r);
		if (!t->iw->v_any[r])
			continue;
		for (uint64_t rest = t->exec; rest; rest &= rest - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(rest);
			if (!u[lane])
				continue;
			bw_init_report(t, BW_INIT_ADDRESS, lane, bw_init_v_origin(t->iw, r)[lane]);
			return;
		}
	}
}

static void check_address(struct bw_init_step *t)
{
	const struct bw_effects *e = &t->op->e;
	if (!t->exec && e->unit != BW_UNIT_SMEM)
		return;
	for (unsigned k = 0; k < 2; k++) {
		for (uint64_t rest = e->saddr.bit[k]; rest; rest &= rest - 1) {
			unsigned code = k * 64 + (unsigned)__builtin_ctzll(rest);
			if (!t->iw->s[code])
				continue;
			bw_init_report(t, BW_INIT_ADDRESS, 0, t->iw->s_origin[code]);
			return;
		}
	}
	for (unsigned i = 0; i < e->n_reads; i++)
		if (e->read[i].role == BW_ROLE_ADDR)
			check_registers(t, e->read[i].first, e->read[i].n);
}

/* ---- where a lane's element is ---- */

enum segment { GLOBAL, LDS, SCRATCH, NOWHERE };

struct place {
	enum segment segment;
	uint64_t offset_b; /* in LDS, or in the lane's scratch */
};

static struct place place_in_flat(const struct bw_init_step *t, unsigned lane)
{
	const struct bw_mem_prep *p = bw_mem_prep(t->rec);
	struct bw_apertures ap = bw_apertures_of(t->x);
	uint32_t hi = bw_wave_vgpr(t->w, p->addr[1])[lane];
	uint64_t at = (uint64_t)bw_wave_vgpr(t->w, p->addr[0])[lane] + ((uint32_t)p->imm & 0xfff);
	if (hi && hi == ap.shared_hi)
		return (struct place){LDS, at};
	return (struct place){hi && hi == ap.private_hi ? SCRATCH : GLOBAL, at};
}

static struct place place_of(const struct bw_init_step *t, unsigned lane, unsigned element)
{
	const struct bw_mem_prep *p = bw_mem_prep(t->rec);
	uint32_t flags = t->op->info->flags;
	if (t->op->kind == BW_INIT_FLAT)
		return place_in_flat(t, lane);
	if (t->op->kind == BW_INIT_SCRATCH) {
		uint64_t at = (uint64_t)(int64_t)p->imm;
		if (p->saddr != BW_SRC_NULL)
			at += bw_mem_sgpr(t->w, p->saddr);
		if (p->sve)
			at += bw_wave_vgpr(t->w, p->addr[0])[lane];
		return (struct place){SCRATCH, at};
	}
	if (flags & BW_OPF_ADDTID)
		return (struct place){LDS,
				      (t->w->s[BW_SRC_M0] & 0xffff) + 4 * lane + (uint32_t)p->imm};
	uint32_t offset = flags & BW_OPF_TWO_ADDRESSES ? p->step[element] : (uint32_t)p->imm;
	return (struct place){LDS, bw_wave_vgpr(t->w, p->addr[0])[lane] + offset};
}

/* The memory, and the offset of the element's first byte there; NULL: it is in none that is
 * followed, or outside. */
static struct bw_own_memory *memory_of(struct bw_init_step *t, unsigned lane, unsigned element,
				       unsigned size_b, uint32_t *out_at)
{
	struct place at = place_of(t, lane, element);
	if (at.segment == LDS && at.offset_b + size_b <= t->g->lds.size_b) {
		*out_at = (uint32_t)at.offset_b;
		return &t->g->lds;
	}
	if (at.segment != SCRATCH || at.offset_b > t->iw->lane_scratch_b ||
	    size_b > t->iw->lane_scratch_b - at.offset_b || !bw_init_make_scratch(t->iw))
		return NULL;
	*out_at = (uint32_t)(lane * t->iw->lane_scratch_b + at.offset_b);
	return &t->iw->scratch;
}

static unsigned element_b(const struct bw_op_info *info)
{
	unsigned bits = info->mem.bits / (info->flags & BW_OPF_TWO_ADDRESSES ? 2 : 1);
	return BW_MIN(bits / 8, 16u);
}

/* ---- loads ---- */

struct element {
	uint32_t u[4];
	bw_init_origin origin;
};

static bw_init_origin origin_of(struct bw_init_step *t, const struct bw_own_memory *m, uint32_t at)
{
	bw_init_origin stored = m->origin[at / 4];
	bool is_lds = m == &t->g->lds;
	return stored	? stored
	       : is_lds ? bw_init_origin_of_load(t, BW_INIT_IN_LDS, at)
			: bw_init_origin_of_load(t, BW_INIT_IN_SCRATCH, at % t->iw->lane_scratch_b);
}

static struct element read_element(struct bw_init_step *t, const struct bw_own_memory *m,
				   uint32_t at, unsigned size_b)
{
	struct element e = {0};
	for (unsigned i = 0; i < size_b; i++) {
		uint32_t u = (uint8_t)~m->defined[at + i];
		e.u[i / 4] |= u << 8 * (i % 4);
		if (u && !e.origin)
			e.origin = origin_of(t, m, at + i);
	}
	return e;
}

/* To the registers from reg on. */
static void load_lane(struct bw_init_step *t, unsigned reg, unsigned lane, struct element *e,
		      unsigned size_b)
{
	const struct bw_op_info *info = t->op->info;
	const struct bw_operand *dst = &info->dst[0];
	if (size_b < 4 && info->mem.type == BW_OPERAND_INT && e->u[0] >> (8 * size_b - 1) & 1)
		e->u[0] |= UINT32_MAX << 8 * size_b;
	if (dst->is_low || dst->is_high) {
		bw_init_set_lane(t->iw, reg, lane, dst->is_high ? 0xffff0000 : 0xffff,
				 dst->is_high ? e->u[0] << 16 : e->u[0], e->origin);
		return;
	}
	for (unsigned k = 0; k < (size_b + 3) / 4; k++)
		bw_init_set_lane(t->iw, reg + k, lane, UINT32_MAX, e->u[k], e->origin);
}

static void load(struct bw_init_step *t)
{
	const struct bw_op_info *info = t->op->info;
	const struct bw_effects *e = &t->op->e;
	unsigned n = info->flags & BW_OPF_TWO_ADDRESSES ? 2 : 1, size_b = element_b(info);
	unsigned n_dw = (size_b + 3) / 4;
	struct {
		struct element e[2];
	} lanes[64];
	uint64_t undefined = 0;
	if (!e->n_writes || e->write[0].n < n * n_dw) {
		bw_init_define_results(t);
		return;
	}
	/* The address may be in a destination: all are read before anything is set. */
	for (uint64_t rest = t->exec; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		for (unsigned i = 0; i < n; i++) {
			uint32_t at;
			struct bw_own_memory *m = memory_of(t, lane, i, size_b, &at);
			lanes[lane].e[i] = m ? read_element(t, m, at, size_b) : (struct element){0};
			if (lanes[lane].e[i].origin)
				undefined |= 1ull << lane;
		}
	}
	bw_init_define_results(t);
	for (; undefined; undefined &= undefined - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(undefined);
		for (unsigned i = 0; i < n; i++)
			load_lane(t, e->write[0].first + i * n_dw, lane, &lanes[lane].e[i], size_b);
	}
}

/* ---- stores ---- */

static void store_byte(struct bw_own_memory *m, uint32_t at, uint32_t u, bw_init_origin origin)
{
	m->defined[at] = (uint8_t)~u;
	if (u)
		m->origin[at / 4] = origin;
}

static void store_lane(struct bw_init_step *t, unsigned lane, unsigned element, unsigned size_b)
{
	const struct bw_mem_prep *p = bw_mem_prep(t->rec);
	const uint16_t *reg = element ? p->data2 : p->data;
	const struct bw_op_info *info = t->op->info;
	unsigned shift = 0;
	uint32_t at;
	struct bw_own_memory *m = memory_of(t, lane, element, size_b, &at);
	for (unsigned i = 0; i < info->n_src; i++)
		shift |= info->src[i].is_high ? 16 : 0;
	for (unsigned i = 0; m && i < size_b; i++) {
		uint32_t u = bw_init_v(t->iw, reg[i / 4])[lane] >> (shift + 8 * (i % 4));
		store_byte(m, at + i, u & 0xff, bw_init_v_origin(t->iw, reg[i / 4])[lane]);
	}
}

static void store(struct bw_init_step *t)
{
	unsigned n = t->op->info->flags & BW_OPF_TWO_ADDRESSES ? 2 : 1,
		 size_b = element_b(t->op->info);
	for (uint64_t rest = t->exec; rest; rest &= rest - 1)
		for (unsigned i = 0; i < n; i++)
			store_lane(t, (unsigned)__builtin_ctzll(rest), i, size_b);
}

/* ---- atomics ---- */

/* What they leave is undefined if what was there is, or their operand; an exchange leaves its
 * operand. */
static void atomic_lane(struct bw_init_step *t, unsigned lane, unsigned size_b, struct element *old)
{
	const struct bw_mem_prep *p = bw_mem_prep(t->rec);
	bool exchanges = strstr(t->op->info->name, "xchg") || strstr(t->op->info->name, "_swap");
	bool is_undefined = false;
	bw_init_origin origin = 0;
	uint32_t at;
	struct bw_own_memory *m = memory_of(t, lane, 0, size_b, &at);
	*old = m ? read_element(t, m, at, size_b) : (struct element){0};
	if (!m)
		return;
	for (unsigned k = 0; k < size_b / 4; k++) {
		unsigned reg = p->data[k];
		if (bw_init_v(t->iw, reg)[lane]) {
			is_undefined = true;
			origin = bw_init_v_origin(t->iw, reg)[lane];
		}
	}
	if (old->origin && !exchanges) {
		is_undefined = true;
		origin = old->origin;
	}
	for (unsigned i = 0; i < size_b; i++)
		store_byte(m, at + i, is_undefined ? 0xff : 0, origin);
}

static void atomic(struct bw_init_step *t)
{
	const struct bw_effects *e = &t->op->e;
	unsigned size_b = element_b(t->op->info);
	struct element old[64];
	if (t->op->info->flags & BW_OPF_TWO_ADDRESSES) { /* two exchanges */
		store(t);
		bw_init_define_results(t);
		return;
	}
	for (uint64_t rest = t->exec; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		atomic_lane(t, lane, size_b, &old[lane]);
	}
	bw_init_define_results(t);
	if (!e->n_writes || e->write[0].n < size_b / 4)
		return;
	for (uint64_t rest = t->exec; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		if (old[lane].origin)
			load_lane(t, e->write[0].first, lane, &old[lane], size_b);
	}
}

/* ---- data that leave the kernel ---- */

static bool is_data(const struct bw_init_step *t, const struct bw_vregs *r)
{
	if (t->op->inst.fmt == BW_FMT_MIMG)
		return t->op->info->flags & BW_OPF_STORE && r->src == 1;
	return r->role == BW_ROLE_DATA;
}

/* The bytes of a register that are stored: a bit each. */
static uint32_t stored_bytes(const struct bw_init_step *t, const struct bw_vregs *r)
{
	unsigned bits = t->op->info->mem.bits;
	uint32_t bytes = bits == 8 ? 0xff : r->half == BW_HALF_BOTH ? UINT32_MAX : 0xffff;
	return r->half == BW_HALF_HI ? bytes << 16 : bytes;
}

/* Whether no byte of what a lane stores is defined; bytes are if all their bits are. Half-written
 * vectors and the padding of structures are stored as well. */
static bool is_undefined(const struct bw_init_step *t, unsigned lane, bw_init_origin *out_origin)
{
	const struct bw_effects *e = &t->op->e;
	bool has_data = false;
	for (unsigned i = 0; i < e->n_reads; i++) {
		const struct bw_vregs *r = &e->read[i];
		if (!is_data(t, r))
			continue;
		uint32_t bytes = stored_bytes(t, r);
		for (unsigned reg = r->first; reg < r->first + r->n; reg++) {
			uint32_t u = bw_init_v(t->iw, reg)[lane];
			for (unsigned at = 0; at < 32; at += 8)
				if (bytes >> at & 0xff && !(u >> at & 0xff))
					return false;
			*out_origin = bw_init_v_origin(t->iw, reg)[lane];
			has_data = true;
		}
	}
	return has_data;
}

static bool may_be_undefined(const struct bw_init_step *t)
{
	const struct bw_effects *e = &t->op->e;
	for (unsigned i = 0; i < e->n_reads; i++)
		if (is_data(t, &e->read[i]) && t->iw->v_any[e->read[i].first])
			return true;
	return false;
}

static void check_data(struct bw_init_step *t)
{
	if (!may_be_undefined(t))
		return;
	for (uint64_t rest = t->exec; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		bw_init_origin origin = 0;
		if (t->op->kind == BW_INIT_FLAT && place_of(t, lane, 0).segment != GLOBAL)
			continue;
		if (!is_undefined(t, lane, &origin))
			continue;
		bw_init_report(t, BW_INIT_STORE, lane, origin);
		return;
	}
}

/* ---- shuffles ---- */

/* ds_bpermute_b32: within 32 lanes, on gfx942 across the whole wave. A lane that is not active
 * gives 0; the languages say that it gives no value. */
static bool pulls(unsigned op)
{
	return op == BW_OP_DS_BPERMUTE_B32 || op == BW_OP_DS_BPERMUTE_B32_GFX9;
}

static void pull(struct bw_init_step *t)
{
	const struct bw_mem_prep *p = bw_mem_prep(t->rec);
	struct bw_init_wave *iw = t->iw;
	unsigned reach = t->op->inst.op == BW_OP_DS_BPERMUTE_B32_GFX9 ? t->w->lanes : BW_LANES;
	uint32_t u[64];
	bw_init_origin origin[64];
	for (uint64_t rest = t->exec; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		uint32_t at = bw_wave_vgpr(t->w, p->addr[0])[lane] + (uint32_t)p->imm;
		unsigned from = lane / reach * reach + at / 4 % reach;
		bool is_active = t->exec >> from & 1;
		u[lane] = is_active ? bw_init_v(iw, p->data[0])[from] : UINT32_MAX;
		origin[lane] = is_active ? bw_init_v_origin(iw, p->data[0])[from]
					 : bw_init_origin_of_load(t, BW_INIT_IN_LANE, from);
	}
	bw_init_define_results(t);
	for (uint64_t rest = t->exec; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		if (u[lane])
			bw_init_set_lane(iw, p->dst, lane, UINT32_MAX, u[lane], origin[lane]);
	}
}

/* ---- an instruction ---- */

/* ds_append and its like have their address in M0; they are not followed. */
static bool has_address(const struct bw_init_step *t)
{
	const struct bw_op_info *info = t->op->info;
	return t->op->kind != BW_INIT_LDS || info->flags & BW_OPF_ADDTID ||
	       (info->n_src && info->src[0].type == BW_OPERAND_ADDRESS);
}

static bool is_own_memory(const struct bw_init_step *t)
{
	const struct bw_op_info *info = t->op->info;
	return has_address(t) && t->op->kind >= BW_INIT_LDS && !bw_mem_prep(t->rec)->is_nop &&
	       element_b(info) && info->class == BW_CLASS_MEM;
}

void bw_init_memory(struct bw_init_step *t)
{
	uint32_t flags = t->op->info->flags;
	check_address(t);
	if (t->op->kind != BW_INIT_LDS && t->op->kind != BW_INIT_SCRATCH)
		check_data(t);
	if (pulls(t->op->inst.op) && !bw_mem_prep(t->rec)->is_nop)
		pull(t);
	else if (!is_own_memory(t))
		bw_init_define_results(t);
	else if (flags & BW_OPF_ATOMIC)
		atomic(t);
	else if (flags & BW_OPF_LOAD && !(flags & BW_OPF_STORE))
		load(t);
	else if (flags & BW_OPF_STORE && !(flags & BW_OPF_LOAD))
		store(t);
	else
		bw_init_define_results(t);
}
