/* SPDX-License-Identifier: MIT */
/* Formatted buffer memory: MTBUF, and the format opcodes of MUBUF. Addresses are those of plain
 * buffer instructions, of elements of the format's size; a texel is in range with all of its bytes
 * or not at all (rules 345, 346). */
#include "base/util.h"
#include "vgpu/device/exec/memory/buf.h"
#include "vgpu/device/exec/memory/comp.h"
#include "vgpu/device/exec/memory/move.h"
#include "vgpu/device/exec/memory/rmw.h"

/* One instruction's access. format is NULL for FORMAT 0, or for one past the table (rule 371). */
struct access {
	const struct bw_format *format;
	uint32_t dst_sel;
	unsigned n;
	enum bw_comp kind;
};

/* "X000, XY00, XYZ0 or XYZW, depending on the number of components": RDNA3 manual 9.3. */
static uint32_t identity_sel(unsigned n)
{
	return BW_SEL_XYZW & ((1u << BW_SEL_SHIFT(n)) - 1);
}

static struct access access_of(const struct bw_exec *x, const struct bw_wave *w,
			       const struct bw_inst *in, unsigned n, enum bw_comp kind)
{
	struct access a = {.n = n, .kind = kind};
	a.format = bw_buf_format(x, w, in, &a.dst_sel);
	return a;
}

/* Register values are the memory's dwords: one 32-bit component after the other, all of them
 * moved. */
static bool is_plain(const struct access *a)
{
	const struct bw_format *f = a->format;
	return f->bits[0] == 32 && f->n == a->n && a->kind == BW_COMP_FULL &&
	       a->dst_sel == identity_sel(f->n);
}

static enum bw_elem plain_elem(unsigned n)
{
	static const enum bw_elem elem[] = {ELEM_B32, ELEM_B64, ELEM_B96, ELEM_B128};
	return elem[n - 1];
}

static void put_texel(const struct bw_span *s, unsigned lane, unsigned size_b, const uint8_t *texel)
{
	const struct bw_span_half *half = &s->half[lane / BW_LANES];
	if (half->kind == BW_SPAN_SAME)
		memcpy(half->at[0], texel, size_b);
	else if (half->kind == BW_SPAN_RUN || half->kind == BW_SPAN_PART)
		memcpy(half->at[0] + lane % BW_LANES * size_b, texel, size_b);
	else
		bw_span_put(s, lane, texel, size_b);
}

static void load_nothing(const struct bw_wave *w, unsigned dst, const struct access *a)
{
	static const struct bw_format none = {.num = BW_NUM_UINT, .is_int = true};
	const uint32_t zero[4] = {0};
	unsigned lane;
	BW_EACH_LANE(bw_wave_exec(w), lane)
		bw_comp_write(w, dst, lane, (struct bw_comps){a->kind, a->n, &none}, zero);
}

static void load_lanes(const struct bw_span *s, const struct bw_wave *w, unsigned dst,
		       const struct access *a)
{
	const struct bw_format *f = a->format;
	uint32_t fp = bw_fp_plain_begin();
	unsigned lane;
	BW_EACH_LANE(bw_wave_exec(w), lane) {
		uint8_t buffer[BW_MEM_MAX_B];
		uint32_t rgba[4], out[4];
		bw_format_unpack(f, bw_span_element(s, lane, f->size_b, buffer), rgba);
		bw_format_select(f, a->dst_sel, rgba, out);
		bw_comp_write(w, dst, lane, (struct bw_comps){a->kind, a->n, f}, out);
	}
	bw_fp_plain_end(fp);
}

static enum bw_mem_result tbuf_load(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec,
				    unsigned n, enum bw_comp kind)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct access a = access_of(x, w, rec->inst, n, kind);
	struct bw_span s;
	if (p->is_nop)
		return BW_MEM_OK;
	if (a.format) {
		bw_buf_locate(&s, x, w, rec,
			      (struct bw_buf_request){a.format->size_b, 1, .whole = true,
						      BW_ACCESS_READ});
		if (s.fault_lanes)
			return bw_span_check(&s, w);
		if (is_plain(&a))
			bw_span_load(&s, w, p->dst, plain_elem(n));
		else
			load_lanes(&s, w, p->dst, &a);
	} else {
		load_nothing(w, p->dst, &a);
	}
	bw_buf_clear_tfe(w, rec, bw_comp_n_dw(kind, n));
	return BW_MEM_OK;
}

static enum bw_mem_result tbuf_store(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec,
				     unsigned n, enum bw_comp kind)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct access a = access_of(x, w, rec->inst, n, kind);
	const struct bw_format *f = a.format;
	struct bw_span s;
	unsigned lane;
	if (p->is_nop || !f)
		return BW_MEM_OK;
	bw_buf_locate(&s, x, w, rec,
		      (struct bw_buf_request){f->size_b, 1, .whole = true, BW_ACCESS_WRITE});
	if (s.fault_lanes)
		return bw_span_check(&s, w);
	if (is_plain(&a)) {
		bw_span_store(&s, w, p->data, plain_elem(n));
		return BW_MEM_OK;
	}
	uint32_t fp = bw_fp_plain_begin();
	BW_EACH_LANE(bw_wave_exec(w), lane) {
		uint32_t in[4], rgba[4];
		uint8_t texel[BW_MEM_MAX_B];
		bw_comp_read(w, p->data, lane, (struct bw_comps){kind, n, f}, in);
		bw_format_unselect(a.dst_sel, in, rgba);
		bw_format_pack(f, rgba, texel);
		put_texel(&s, lane, f->size_b, texel);
	}
	bw_fp_plain_end(fp);
	return BW_MEM_OK;
}

static bool prepare(struct bw_rec *rec, const struct bw_rec_ctx *ctx, unsigned n_load,
		    unsigned n_store)
{
	const struct bw_inst *in = rec->inst;
	struct bw_mem_prep *p = bw_mem_prep_begin(rec, ctx);
	p->dst = in->vdata;
	bw_mem_prep_src(p->addr, in->vaddr, 2, ctx);
	bw_mem_prep_src(p->data, in->vdata, n_store, ctx);
	if (n_load)
		bw_mem_prep_dst(p, n_load + in->tfe, ctx); /* rule 44 */
	return true;
}

#define ROW(name, function, n, kind, n_load, n_store)                                              \
	static enum bw_mem_result do_##name(struct bw_exec *x, struct bw_wave *w,                  \
					    const struct bw_rec *rec)                              \
	{                                                                                          \
		return function(x, w, rec, n, BW_COMP_##kind);                                     \
	}                                                                                          \
	static bool prepare_##name(struct bw_rec *rec, const struct bw_rec_ctx *ctx)               \
	{                                                                                          \
		return prepare(rec, ctx, n_load, n_store);                                         \
	}
#define LOAD(name, n, kind) ROW(name, tbuf_load, n, kind, bw_comp_n_dw(BW_COMP_##kind, n), 0)
#define STORE(name, n, kind) ROW(name, tbuf_store, n, kind, 0, bw_comp_n_dw(BW_COMP_##kind, n))
#include "vgpu/device/exec/sem/tbuf.def"
#undef LOAD
#undef STORE

#define LOAD(name, ...) {#name, do_##name, prepare_##name},
#define STORE LOAD
static const struct bw_mem_row rows[] = {
#include "vgpu/device/exec/sem/tbuf.def"
};

const struct bw_mem_table bw_mem_tbuf = {rows, BW_ARRAY_SIZE(rows)};
