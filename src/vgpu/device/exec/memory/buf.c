/* SPDX-License-Identifier: MIT */
/* Buffer memory (MUBUF): descriptor, index and offset to an address for each lane, with the range
 * check of rules 340 to 347. */
#include "base/util.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/memory/atomic.h"
#include "vgpu/device/exec/memory/buf.h"
#include "vgpu/device/exec/memory/checked.h"
#include "vgpu/device/exec/memory/move.h"

struct buffer {
	struct bw_buffer_desc d;
	uint32_t soffset; /* of the instruction */
};

static struct buffer read_descriptor(const struct bw_exec *x, const struct bw_wave *w,
				     const struct bw_inst *in)
{
	uint32_t v[BW_BUFFER_DESC_DW];
	bw_mem_descriptor4(w, in, v);
	return (struct buffer){
		.d = bw_isa_is_gfx9(x->gen) ? bw_buffer_desc_read9(v, in->idxen)
					    : bw_buffer_desc_read(v),
		.soffset = in->saddr == BW_SRC_NULL ? 0 : bw_scalar_read32(w, in, in->saddr),
	};
}

/* The place of a lane's element in a buffer. */
struct element {
	uint64_t index, offset;
	uint64_t linear; /* the offset with the index worked in */
};

/* The number of the size_b bytes of an element that are in range: all, none, or for plain
 * multi-dword accesses the leading dwords (rules 344 to 346). SOFFSET takes part in the raw check
 * [I: documents differ; drivers put the offsets of bounded buffers there]. */
static unsigned in_range_b(const struct buffer *b, struct element e, unsigned size_b, bool whole)
{
	uint64_t at = e.offset, limit = b->d.stride_b;
	bool swizzled = b->d.element_b && b->d.stride_b;
	if (b->d.oob_select == BW_OOB_INDEX)
		return e.index < b->d.n_records ? size_b : 0;
	if (b->d.oob_select == BW_OOB_NONE)
		return b->d.n_records ? size_b : 0;
	if (b->d.oob_select == BW_OOB_BYTES || (b->d.oob_select == BW_OOB_RAW && !swizzled)) {
		at = e.linear + b->soffset;
		limit = b->d.n_records;
	} else if (e.index >= b->d.n_records) {
		return 0;
	}
	if (at + size_b <= limit)
		return size_b;
	if (whole || size_b <= 4 || at >= limit)
		return 0;
	return (unsigned)(limit - at) & ~3u;
}

/* A load of four aligned dwords whose last one alone is outside: compilers load three dwords so. */
static bool is_wide_load(uint64_t at, unsigned size_b, unsigned n_in)
{
	return size_b == 16 && n_in == 12 && at % 16 == 0;
}

/* What of the element is not in range, for the checker. */
static void tell_outside(const struct bw_mem_request *q, const struct buffer *b, unsigned lane,
			 struct element e, unsigned n_in)
{
	bool swizzled = b->d.element_b && b->d.stride_b;
	bool is_raw = b->d.oob_select == BW_OOB_NONE || b->d.oob_select == BW_OOB_BYTES ||
		      (b->d.oob_select == BW_OOB_RAW && !swizzled);
	struct bw_outside o = {.of = BW_OUTSIDE_BUFFER,
			       .lane = (uint8_t)lane,
			       .size_b = q->size_b,
			       .base = bw_canonical(b->d.base),
			       .limit = b->d.n_records,
			       .at = (int64_t)(e.linear + b->soffset)};
	if (q->access == BW_ACCESS_READ && is_wide_load(e.linear + b->soffset, q->size_b, n_in))
		return;
	if (!is_raw && e.index >= b->d.n_records) {
		o.of = BW_OUTSIDE_ELEMENTS;
		o.at = (int64_t)e.index;
	} else if (!is_raw) {
		o.of = BW_OUTSIDE_ELEMENT;
		o.at = (int64_t)e.offset;
		o.limit = b->d.stride_b;
	}
	bw_mem_outside(q->w, &o);
}

/* The leading n_in bytes of the element are in range, the rest reads 0 and is not written. */
static void locate_part(struct bw_span *s, const struct bw_mem_request *q, unsigned lane,
			uint64_t va, unsigned n_in)
{
	unsigned to_page_end = BW_PAGE_B - va % BW_PAGE_B;
	bw_span_locate_sink(s, lane);
	s->split |= 1ull << lane;
	s->piece[lane][0] = (struct bw_span_piece){s->sink[lane] + n_in, (uint8_t)n_in,
						   (uint8_t)(q->size_b - n_in)};
	s->n_pieces[lane] = 1;
	bw_span_add_piece(s, q, lane, va, 0, BW_MIN(n_in, to_page_end));
	if (to_page_end < n_in)
		bw_span_add_piece(s, q, lane, va + to_page_end, to_page_end, n_in - to_page_end);
}

/* All lanes of a half at once. False: check each lane separately. */
static bool locate_plain(struct bw_span *s, const struct bw_mem_request *q, unsigned h,
			 const struct bw_rec *rec, const struct buffer *b)
{
	const struct bw_inst *in = rec->inst;
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	static const uint32_t zeros[BW_LANES];
	const uint32_t *v =
		in->offen || in->idxen ? bw_wave_vgpr(q->w, p->addr[0]) + h * BW_LANES : zeros;
	const struct bw_buf_use use = {.has_index = in->idxen,
				       .fixed_b = (uint32_t)p->imm,
				       .soffset = b->soffset,
				       .size_b = q->size_b};
	uint32_t scaled[BW_LANES];
	uint64_t base;

	if ((in->offen && in->idxen) ||
	    !bw_buf_is_plain(&b->d, &use, bw_lanes_max(v, s->half[h].exec), &base))
		return false;
	if (in->idxen) {
		for (unsigned i = 0; i < BW_LANES; i++)
			scaled[i] = v[i] * b->d.stride_b;
		v = scaled;
	}
	bw_span_locate_half(s, q, h, v, NULL, base);
	return true;
}

/* Offsets are sums of 32 bits: of -4 and 16 comes 12. Compilers fold constants into the
 * instruction's offset without a look at the sign of the rest (Mesa's aco_optimizer.cpp, for GFX9
 * and later); so with SOFFSET too, where nothing is multiplied or swizzled [I]. */
static uint64_t buffer_offset(const struct buffer *b, const struct bw_inst *in, uint32_t imm,
			      uint32_t voffset, uint32_t soffset)
{
	uint32_t offset = imm + voffset;
	bool plain = !in->idxen && !b->d.add_tid && !b->d.element_b;
	return plain ? (uint64_t)(uint32_t)(offset + soffset) - soffset : offset;
}

static void locate_half(struct bw_span *s, const struct bw_mem_request *q, unsigned h,
			const struct bw_rec *rec, const struct buffer *b, bool whole)
{
	const struct bw_inst *in = rec->inst;
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_wave *w = q->w;
	uint32_t soffset = b->soffset;
	unsigned size_b = q->size_b;
	const uint32_t *v0 = bw_wave_vgpr(w, p->addr[0]) + h * BW_LANES;
	const uint32_t *v1 = bw_wave_vgpr(w, p->addr[1]) + h * BW_LANES;
	uint32_t exec = s->half[h].exec = bw_wave_half_exec(w, h);
	uint64_t linear[BW_LANES], base = b->d.base + soffset;
	uint32_t low[BW_LANES] = {0};
	uint8_t n_in[BW_LANES];
	bool all = true;
	unsigned i;

	if (!exec || locate_plain(s, q, h, rec, b))
		return;
	BW_EACH_LANE(exec, i) {
		uint64_t index = in->idxen ? v0[i] : 0;
		uint64_t offset = buffer_offset(b, in, (uint32_t)p->imm,
						in->offen ? (in->idxen ? v1 : v0)[i] : 0, soffset);
		if (b->d.add_tid)
			index += h * BW_LANES + i;
		linear[i] = b->d.element_b ? bw_buffer_desc_swizzle(&b->d, index, offset)
					   : index * b->d.stride_b + offset;
		struct element e = {index, offset, linear[i]};
		n_in[i] = (uint8_t)in_range_b(b, e, size_b, whole);
		low[i] = (uint32_t)linear[i];
		all = all && n_in[i] == size_b && linear[i] == low[i];
		if (BW_MEM_IS_CHECKED && n_in[i] != size_b)
			tell_outside(q, b, h * BW_LANES + i, e, n_in[i]);
	}
	/* A base beyond bit 47 of the 48 is in the upper half of the address space. */
	if (all && bw_canonical(base) == base) {
		bw_span_locate_half(s, q, h, low, NULL, base);
		return;
	}
	s->half[h].kind = BW_SPAN_SCATTER;
	BW_EACH_LANE(exec, i) {
		unsigned lane = h * BW_LANES + i;
		uint64_t va = bw_canonical(base + linear[i]);
		if (n_in[i] == size_b)
			bw_span_locate_global(s, q, lane, va);
		else if (n_in[i])
			locate_part(s, q, lane, va, n_in[i]);
		else
			bw_span_locate_sink(s, lane);
	}
}

void bw_buf_locate(struct bw_span *s, struct bw_exec *x, struct bw_wave *w,
		   const struct bw_rec *rec, struct bw_buf_request request)
{
	struct buffer b = read_descriptor(x, w, rec->inst);
	struct bw_mem_request q = bw_mem_request_of(x, w, request.size_b, request.access);

	bw_span_begin(s, request.align_b);
	s->may_index = !request.whole;
	bw_span_align(s, w, request.size_b);
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++)
		locate_half(s, &q, h, rec, &b, request.whole);
}

/* "X000, XY00, XYZ0 or XYZW, depending on the number of components": RDNA3 manual 9.3. */
static uint32_t identity_sel(const struct bw_format *f)
{
	return f ? BW_SEL_XYZW & ((1u << BW_SEL_SHIFT(f->n)) - 1) : 0;
}

const struct bw_format *bw_buf_format(const struct bw_exec *x, const struct bw_wave *w,
				      const struct bw_inst *in, uint32_t *out_dst_sel)
{
	bool is_gfx9 = bw_isa_is_gfx9(x->gen);
	uint32_t v[BW_BUFFER_DESC_DW];
	bw_mem_descriptor4(w, in, v);
	*out_dst_sel = (uint16_t)bw_words_get(v, BW_BUFFER_DST_SEL);
	if (in->fmt == BW_FMT_MTBUF) {
		const struct bw_format *f =
			is_gfx9 ? bw_format_buffer9(in->tbuf_format & 15, in->tbuf_format >> 4)
				: bw_format_buffer(in->tbuf_format);
		*out_dst_sel = identity_sel(f);
		return f;
	}
	return is_gfx9 ? bw_format_buffer9((unsigned)bw_words_get(v, BW_BUFFER9_DATA_FORMAT),
					   (unsigned)bw_words_get(v, BW_BUFFER9_NUM_FORMAT))
		       : bw_format_buffer((unsigned)bw_words_get(v, BW_BUFFER_FORMAT));
}

void bw_buf_clear_tfe(struct bw_wave *w, const struct bw_rec *rec, unsigned n_dw)
{
	unsigned lane;
	if (rec->inst->tfe)
		BW_EACH_LANE(bw_wave_exec(w), lane)
			bw_wave_vgpr(w, bw_mem_prep(rec)->dst + n_dw)[lane] = 0;
}

BW_ALWAYS_INLINE enum bw_mem_result buf_load(struct bw_exec *x, struct bw_wave *w,
					     const struct bw_rec *rec, enum bw_elem e)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_span s;
	if (p->is_nop)
		return BW_MEM_OK;
	bw_buf_locate(&s, x, w, rec,
		      (struct bw_buf_request){bw_elem_size_b(e), 1, .access = BW_ACCESS_READ});
	if (s.fault_lanes)
		return bw_span_check(&s, w);
	bw_span_load(&s, w, p->dst, e);
	bw_buf_clear_tfe(w, rec, bw_elem_n_dw(e));
	return BW_MEM_OK;
}

BW_ALWAYS_INLINE enum bw_mem_result buf_store(struct bw_exec *x, struct bw_wave *w,
					      const struct bw_rec *rec, enum bw_elem e)
{
	struct bw_span s;
	if (bw_mem_prep(rec)->is_nop)
		return BW_MEM_OK;
	bw_buf_locate(&s, x, w, rec,
		      (struct bw_buf_request){bw_elem_size_b(e), 1, .access = BW_ACCESS_WRITE});
	if (s.fault_lanes)
		return bw_span_check(&s, w);
	bw_span_store(&s, w, bw_mem_prep(rec)->data, e);
	return BW_MEM_OK;
}

static enum bw_mem_result buf_atomic(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec,
				     const struct bw_rmw *op)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_span s;
	if (p->is_nop)
		return BW_MEM_OK;
	bw_buf_locate(&s, x, w, rec,
		      (struct bw_buf_request){op->size_b, op->size_b, .whole = true,
					      BW_ACCESS_WRITE | BW_ACCESS_ATOMIC});
	if (s.fault_lanes)
		return bw_span_check(&s, w);
	bw_span_atomic(&s, w, p, op);
	if (p->has_return)
		bw_buf_clear_tfe(w, rec, op->size_b / 4);
	return BW_MEM_OK;
}

/* VDATA is source, destination or, for atomics that return, both. */
static bool prepare(struct bw_rec *rec, const struct bw_rec_ctx *ctx, unsigned n_load,
		    unsigned n_store, unsigned n_operands)
{
	const struct bw_inst *in = rec->inst;
	struct bw_mem_prep *p = bw_mem_prep_begin(rec, ctx);
	p->dst = in->vdata;
	p->has_return = n_load && n_store && in->glc;
	bw_mem_prep_src(p->addr, in->vaddr, 2, ctx);
	bw_mem_prep_src(p->data, in->vdata, n_store, ctx);
	if (n_operands == 2)
		bw_mem_prep_src(p->data2, in->vdata + n_store, n_store, ctx);
	if (n_load && (!n_store || p->has_return))
		bw_mem_prep_dst(p, n_load + in->tfe, ctx); /* rule 44 */
	return true;
}

#define ROW(name, call, ...)                                                                       \
	static enum bw_mem_result do_##name(struct bw_exec *x, struct bw_wave *w,                  \
					    const struct bw_rec *rec)                              \
	{                                                                                          \
		return call;                                                                       \
	}                                                                                          \
	static bool prepare_##name(struct bw_rec *rec, const struct bw_rec_ctx *ctx)               \
	{                                                                                          \
		return prepare(rec, ctx, __VA_ARGS__);                                             \
	}
#define LOAD(name, elem)                                                                           \
	ROW(name, buf_load(x, w, rec, ELEM_##elem), bw_elem_n_dw(ELEM_##elem), 0, 0)
#define STORE(name, elem)                                                                          \
	ROW(name, buf_store(x, w, rec, ELEM_##elem), 0, bw_elem_n_dw(ELEM_##elem), 1)
#define ATOMIC(name, rmw, n_operands)                                                              \
	ROW(name, buf_atomic(x, w, rec, &bw_rmw_##rmw), bw_rmw_##rmw.size_b / 4,                   \
	    bw_rmw_##rmw.size_b / 4, n_operands)
#define HINT(name)
#include "vgpu/device/exec/sem/buf.def"
#undef LOAD
#undef STORE
#undef ATOMIC
#undef HINT

#define LOAD(name, ...) {#name, do_##name, prepare_##name},
#define STORE LOAD
#define ATOMIC LOAD
#define HINT(name) {#name, bw_mem_nothing, NULL},
static const struct bw_mem_row rows[] = {
#include "vgpu/device/exec/sem/buf.def"
};

const struct bw_mem_table bw_mem_buf = {rows, BW_ARRAY_SIZE(rows)};
