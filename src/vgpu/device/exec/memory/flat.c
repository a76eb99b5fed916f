/* SPDX-License-Identifier: MIT */
/* FLAT, GLOBAL and SCRATCH instructions: where each lane's element is, then the move. */
#include "base/util.h"
#include "vgpu/device/exec/memory/move.h"
#include "vgpu/device/exec/memory/atomic.h"

enum segment { FLAT, GLOBAL, SCRATCH, ADDTID };

static uint64_t global_base(const struct bw_wave *w, const struct bw_mem_prep *p)
{
	uint64_t base = (uint64_t)(int64_t)p->imm;
	if (p->saddr == BW_SRC_NULL)
		return base;
	base += bw_mem_sgpr64(w, p->saddr);
	return base >> BW_VA_BITS ? base : bw_canonical(base); /* as in smem.c, read_dwords() */
}

static void locate_global(struct bw_span *s, const struct bw_mem_request *q,
			  const struct bw_rec *rec)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_wave *w = q->w;
	uint64_t base = global_base(w, p);

	for (unsigned h = 0; h < w->lanes / BW_LANES; h++) {
		const uint32_t *lo = bw_wave_vgpr(w, p->addr[0]) + h * BW_LANES;
		const uint32_t *hi =
			p->saddr == BW_SRC_NULL ? bw_wave_vgpr(w, p->addr[1]) + h * BW_LANES : NULL;
		s->half[h].exec = bw_wave_half_exec(w, h);
		if (s->half[h].exec)
			bw_span_locate_half(s, q, h, lo, hi, base);
	}
}

/* SGPR base + offset + 4 x lane (rule 385). */
static void locate_addtid(struct bw_span *s, const struct bw_mem_request *q,
			  const struct bw_rec *rec)
{
	struct bw_wave *w = q->w;
	uint64_t base = global_base(w, bw_mem_prep(rec));
	uint32_t offset[BW_LANES];

	for (unsigned h = 0; h < w->lanes / BW_LANES; h++) {
		for (unsigned i = 0; i < BW_LANES; i++)
			offset[i] = 4 * (h * BW_LANES + i);
		s->half[h].exec = bw_wave_half_exec(w, h);
		if (s->half[h].exec)
			bw_span_locate_half(s, q, h, offset, NULL, base);
	}
}

static bool any_in_aperture(const uint32_t *hi, uint32_t exec, struct bw_apertures ap)
{
	unsigned lane;
	BW_EACH_LANE(exec, lane)
		if (hi[lane] && (hi[lane] == ap.shared_hi || hi[lane] == ap.private_hi))
			return true;
	return false;
}

/* A lane whose neighbours access other kinds of memory. */
static void locate_one(struct bw_span *s, const struct bw_mem_request *q, unsigned h, unsigned i,
		       struct bw_addresses a)
{
	a.h = h;
	a.exec = 1u << i;
	a.size_b = q->size_b;
	if (BW_MEM_IS_CHECKED)
		bw_check_addresses(q->w, &a);
	bw_span_locate_global(s, q, h * BW_LANES + i, a.base + bw_join32(a.hi[i], a.lo[i]));
}

/* The address decides for each lane, before the offset is added, which memory it means (rules 372
 * to 378). */
static void locate_flat(struct bw_span *s, const struct bw_mem_request *q, const struct bw_rec *rec)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_wave *w = q->w;
	struct bw_apertures ap = q->ap;
	uint32_t offset = (uint32_t)p->imm & 0xfff; /* bit 12 is ignored (rule 373) */
	unsigned i;

	for (unsigned h = 0; h < w->lanes / BW_LANES; h++) {
		const uint32_t *lo = bw_wave_vgpr(w, p->addr[0]) + h * BW_LANES;
		const uint32_t *hi = bw_wave_vgpr(w, p->addr[1]) + h * BW_LANES;
		uint32_t exec = s->half[h].exec = bw_wave_half_exec(w, h);
		if (!exec)
			continue;
		if (!any_in_aperture(hi, exec, ap)) {
			bw_span_locate_half(s, q, h, lo, hi, offset);
			continue;
		}
		s->half[h].kind = BW_SPAN_SCATTER;
		BW_EACH_LANE(exec, i) {
			unsigned lane = h * BW_LANES + i;
			uint64_t in_aperture_b = (uint64_t)lo[i] + offset;
			if (hi[i] && hi[i] == ap.shared_hi)
				bw_span_locate_lds(s, w, lane, in_aperture_b, q->size_b);
			else if (hi[i] && hi[i] == ap.private_hi)
				bw_span_locate_private(s, q, lane, in_aperture_b);
			else
				locate_one(
					s, q, h, i,
					(struct bw_addresses){.lo = lo, .hi = hi, .base = offset});
		}
	}
}

/* Locates the same dword-aligned place in every lane's private memory: consecutive dwords of lanes
 * lie side by side, in rows that never cross a page. */
static bool locate_rows(struct bw_span *s, const struct bw_mem_request *q, unsigned h,
			uint64_t offset_b)
{
	struct bw_wave *w = q->w;
	unsigned size_b = q->size_b;
	struct bw_span_half *half = &s->half[h];
	uint64_t lane_size_b = w->scratch_size_b / w->lanes, base = bw_wave_scratch(w);
	struct bw_vm_fault fault;

	if (offset_b % s->align_b || offset_b % 4 + BW_MIN(size_b, 4u) > 4 ||
	    (size_b > 4 && offset_b % 4) || offset_b > lane_size_b ||
	    size_b > lane_size_b - offset_b || base % BW_HALF_B)
		return false;
	for (unsigned k = 0; 4 * k < size_b; k++) {
		uint64_t va = base + (offset_b / 4 + k) * 4 * w->lanes + h * BW_HALF_B;
		if (bw_canonical(va) != va)
			return false;
		uint8_t *host = bw_tlb_lookup(w->tlb, va, q->access, &fault);
		if (!host && fault.watched)
			return false; /* each lane by itself */
		if (!host) {
			bw_span_refuse_half(s, w, h, &fault);
			return true;
		}
		half->at[k] = host + offset_b % 4;
	}
	half->kind = BW_SPAN_ROWS;
	return true;
}

/* ST, SS, SV and SVS; the registers are unsigned offsets (rules 381, 382), so that a sum below 0 is
 * as far outside as one beyond the end. */
static void locate_scratch(struct bw_span *s, const struct bw_mem_request *q,
			   const struct bw_rec *rec)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_wave *w = q->w;
	uint64_t base = (uint64_t)(int64_t)p->imm;
	unsigned i;

	if (p->saddr != BW_SRC_NULL)
		base += bw_mem_sgpr(w, p->saddr);
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++) {
		const uint32_t *v = bw_wave_vgpr(w, p->addr[0]) + h * BW_LANES;
		uint32_t exec = s->half[h].exec = bw_wave_half_exec(w, h);
		if (!exec)
			continue;
		uint32_t v_first = p->sve ? v[__builtin_ctz(exec)] : 0;
		if ((!p->sve || bw_lanes_are(v, v_first, 0, exec)) &&
		    locate_rows(s, q, h, base + v_first))
			continue;
		s->half[h].kind = BW_SPAN_SCATTER;
		BW_EACH_LANE(exec, i)
			bw_span_locate_private(s, q, h * BW_LANES + i, base + (p->sve ? v[i] : 0));
	}
}

BW_ALWAYS_INLINE void locate(struct bw_span *s, const struct bw_mem_request *q,
			     const struct bw_rec *rec, enum segment segment, unsigned align_b)
{
	bw_span_begin(s, align_b);
	s->may_index = !(q->access & BW_ACCESS_ATOMIC);
	bw_span_align(s, q->w, q->size_b);
	switch (segment) {
	case FLAT:
		locate_flat(s, q, rec);
		break;
	case GLOBAL:
		locate_global(s, q, rec);
		break;
	case SCRATCH:
		locate_scratch(s, q, rec);
		break;
	case ADDTID:
		locate_addtid(s, q, rec);
		break;
	}
}

BW_ALWAYS_INLINE enum bw_mem_result flat_load(struct bw_exec *x, struct bw_wave *w,
					      const struct bw_rec *rec, enum segment segment,
					      enum bw_elem e)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_span s;
	if (p->is_nop)
		return BW_MEM_OK;
	struct bw_mem_request q = bw_mem_request_of(x, w, bw_elem_size_b(e), BW_ACCESS_READ);
	locate(&s, &q, rec, segment, 1);
	if (__builtin_expect(s.fault_lanes != 0, 0))
		return bw_span_check(&s, w);
	bw_span_load(&s, w, p->dst, e);
	return BW_MEM_OK;
}

BW_ALWAYS_INLINE enum bw_mem_result flat_store(struct bw_exec *x, struct bw_wave *w,
					       const struct bw_rec *rec, enum segment segment,
					       enum bw_elem e)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_span s;
	if (p->is_nop)
		return BW_MEM_OK;
	struct bw_mem_request q = bw_mem_request_of(x, w, bw_elem_size_b(e), BW_ACCESS_WRITE);
	locate(&s, &q, rec, segment, 1);
	if (__builtin_expect(s.fault_lanes != 0, 0))
		return bw_span_check(&s, w);
	bw_span_store(&s, w, p->data, e);
	return BW_MEM_OK;
}

static enum bw_mem_result flat_atomic(struct bw_exec *x, struct bw_wave *w,
				      const struct bw_rec *rec, enum segment segment,
				      const struct bw_rmw *op)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_span s;
	if (p->is_nop)
		return BW_MEM_OK;
	struct bw_mem_request q =
		bw_mem_request_of(x, w, op->size_b, BW_ACCESS_WRITE | BW_ACCESS_ATOMIC);
	locate(&s, &q, rec, segment, op->size_b);
	if (s.fault_lanes)
		return bw_span_check(&s, w);

	bw_span_atomic(&s, w, p, op);
	return BW_MEM_OK;
}

/* Registers and modifiers, settled when the instruction is decoded. n_load: dwords loaded, n_store:
 * dwords of one data operand, n_operands: how many of those. */
static bool prepare(struct bw_rec *rec, const struct bw_rec_ctx *ctx, enum segment segment,
		    unsigned n_load, unsigned n_store, unsigned n_operands)
{
	const struct bw_inst *in = rec->inst;
	struct bw_mem_prep *p = bw_mem_prep_begin(rec, ctx);

	p->saddr = in->saddr == 127 ? BW_SRC_NULL : in->saddr; /* rule 380 */
	p->sve = in->sve;
	p->has_return = n_load && n_store && in->glc;
	if (segment == FLAT && p->saddr != BW_SRC_NULL)
		return false; /* rule 394 */
	bw_mem_prep_src(p->addr, in->vaddr, 2, ctx);
	bw_mem_prep_src(p->data, in->vdata, n_store, ctx);
	if (n_operands == 2)
		bw_mem_prep_src(p->data2, in->vdata + n_store, n_store, ctx);
	if (n_load && (!n_store || p->has_return))
		bw_mem_prep_dst(p, n_load, ctx);
	return true;
}

#define LOAD(segment, name, elem)                                                                  \
	static enum bw_mem_result do_##name(struct bw_exec *x, struct bw_wave *w,                  \
					    const struct bw_rec *rec)                              \
	{                                                                                          \
		return flat_load(x, w, rec, segment, ELEM_##elem);                                 \
	}                                                                                          \
	static bool prepare_##name(struct bw_rec *rec, const struct bw_rec_ctx *ctx)               \
	{                                                                                          \
		return prepare(rec, ctx, segment, bw_elem_n_dw(ELEM_##elem), 0, 0);                \
	}
#define STORE(segment, name, elem)                                                                 \
	static enum bw_mem_result do_##name(struct bw_exec *x, struct bw_wave *w,                  \
					    const struct bw_rec *rec)                              \
	{                                                                                          \
		return flat_store(x, w, rec, segment, ELEM_##elem);                                \
	}                                                                                          \
	static bool prepare_##name(struct bw_rec *rec, const struct bw_rec_ctx *ctx)               \
	{                                                                                          \
		return prepare(rec, ctx, segment, 0, bw_elem_n_dw(ELEM_##elem), 1);                \
	}
#define ATOMIC(segment, name, rmw, n_operands)                                                     \
	static enum bw_mem_result do_##name(struct bw_exec *x, struct bw_wave *w,                  \
					    const struct bw_rec *rec)                              \
	{                                                                                          \
		return flat_atomic(x, w, rec, segment, &bw_rmw_##rmw);                             \
	}                                                                                          \
	static bool prepare_##name(struct bw_rec *rec, const struct bw_rec_ctx *ctx)               \
	{                                                                                          \
		unsigned n_dw = bw_rmw_##rmw.size_b / 4;                                           \
		return prepare(rec, ctx, segment, n_dw, n_dw, n_operands);                         \
	}
#include "vgpu/device/exec/sem/flat.def"
#undef LOAD
#undef STORE
#undef ATOMIC

#define LOAD(segment, name, elem) {#name, do_##name, prepare_##name},
#define STORE LOAD
#define ATOMIC(segment, name, rmw, n_operands) {#name, do_##name, prepare_##name},
static const struct bw_mem_row rows[] = {
#include "vgpu/device/exec/sem/flat.def"
};

const struct bw_mem_table bw_mem_flat = {rows, BW_ARRAY_SIZE(rows)};
