/* SPDX-License-Identifier: MIT */
/* Image memory without a sampler: loads, stores, atomics, sizes. Rules 430 to 445; chapter 10 of
 * the RDNA3 manual. */
#include "vgpu/device/exec/memory/img.h"

#include "base/float_bits.h"
#include "base/util.h"
#include "image/format_bc.h"
#include "vgpu/device/exec/memory/atomic.h"
#include "vgpu/device/exec/memory/checked.h"

/* ---- decoding ---- */

enum {
	DIM_1D,
	DIM_2D,
	DIM_3D,
	DIM_CUBE,
	DIM_1D_ARRAY,
	DIM_2D_ARRAY,
	DIM_2D_MSAA,
	DIM_2D_MSAA_ARRAY
};

unsigned bw_img_n_coords(unsigned dim)
{
	static const uint8_t n[8] = {1, 2, 3, 3, 2, 3, 3, 4};
	return n[dim & 7];
}

/* Derivatives of one direction. */
static unsigned n_slopes(unsigned dim)
{
	return dim == DIM_3D ? 3 : dim == DIM_1D || dim == DIM_1D_ARRAY ? 1 : 2;
}

/* The register of each address dword: a run, or with NSA four by name and a run from the fifth
 * on. */
static void prepare_addresses(struct bw_img_prep *p, const struct bw_inst *in,
			      const struct bw_rec_ctx *ctx)
{
	for (unsigned i = 0; i < BW_IMG_MAX_ADDR; i++) {
		unsigned reg = in->vaddr + i;
		if (in->n_nsa && i)
			reg = i < 4 ? in->nsa[i - 1] : in->nsa[3] + (i - 4);
		p->addr[i] = (uint8_t)(reg < ctx->n_vgprs ? reg : 0);
	}
}

bool bw_img_prepare(struct bw_rec *rec, const struct bw_rec_ctx *ctx, unsigned flags,
		    unsigned n_load, unsigned n_store)
{
	const struct bw_inst *in = rec->inst;
	struct bw_img_prep *p = (struct bw_img_prep *)(void *)rec->prep;
	unsigned slopes = n_slopes(in->dim), at = 0;

	memset(p, 0, sizeof(*p));
	prepare_addresses(p, in, ctx);
	at += flags & BW_IMG_O ? 1 : 0;
	p->bias = (uint8_t)at;
	at += flags & BW_IMG_B ? 1 : 0;
	p->compare = (uint8_t)at;
	at += flags & BW_IMG_C ? 1 : 0;
	p->grad = (uint8_t)at;
	if (flags & BW_IMG_D)
		at += 2 * (flags & BW_IMG_G16 ? (slopes + 1) / 2 : slopes);
	p->body = (uint8_t)at;
	bw_mem_prep_src(p->data, in->vdata, BW_MIN(n_store, 4u), ctx);
	p->dst = in->vdata;
	/* LWE works for opcodes with a sampler only (manual 10.1). */
	p->has_status = in->tfe || (in->lwe && flags & BW_IMG_SAMPLE);
	p->is_nop = ctx->n_vgprs == 0 || (n_load && p->dst + n_load + p->has_status > ctx->n_vgprs);
	return true;
}

/* ---- one instruction ---- */

static uint32_t descriptor_word(const struct bw_wave *w, unsigned code)
{
	return code < BW_SRC_NULL ? bw_mem_sgpr(w, code) : 0;
}

enum bw_mem_result bw_img_begin(struct bw_img *i, struct bw_exec *x, struct bw_wave *w,
				const struct bw_rec *rec)
{
	const struct bw_inst *in = rec->inst;
	uint32_t words[BW_IMAGE_DESC_DW] = {0};
	i->w = w;
	i->in = in;
	i->p = bw_img_prep(rec);
	i->ap = bw_apertures_of(x);
	i->exec = bw_wave_exec(w);
	i->not_resident = false;
	for (unsigned k = 0; k < BW_IMG_BLOCKS; k++)
		i->block[k].va = UINT64_MAX;
	for (unsigned k = 0; k < (in->r128 ? 4u : 8u); k++)
		words[k] = descriptor_word(w, (in->srsrc & ~3u) + k);
	x->refused = bw_image_cached(&x->images, words, &i->im);
	bw_span_begin(&i->span, 1);
	memset(i->status, 0, sizeof(i->status));
	return x->refused ? BW_MEM_REFUSED : BW_MEM_OK;
}

uint32_t bw_img_body_u32(const struct bw_img *i, unsigned k, unsigned lane)
{
	if (i->in->a16)
		return bw_img_addr(i, i->p->body + k / 2, lane) >> (16 * (k % 2)) & 0xffff;
	return bw_img_addr(i, i->p->body + k, lane);
}

float bw_img_body_f32(const struct bw_img *i, unsigned k, unsigned lane)
{
	uint32_t v = bw_img_body_u32(i, k, lane);
	return bits_f32(i->in->a16 ? bw_f16_to_f32((uint16_t)v) : v);
}

bool bw_img_fetch(struct bw_img *i, unsigned lane, uint64_t va, unsigned size_b, uint8_t *out)
{
	struct bw_vm_fault fault;
	struct bw_span *s = &i->span;
	uint32_t hi = bw_hi32(va);
	bool odd = va % BW_PAGE_B + size_b > BW_PAGE_B || hi == i->ap.shared_hi ||
		   hi == i->ap.private_hi;
	const uint8_t *host = odd ? NULL : bw_tlb_lookup(i->w->tlb, va, BW_ACCESS_READ, &fault);
	if (__builtin_expect(host != NULL, 1)) {
		memcpy(out, host, size_b);
		return true;
	}
	s->split &= ~(1ull << lane);
	s->lane[lane] = NULL;
	struct bw_mem_request q = {i->w, i->ap, size_b, BW_ACCESS_READ};
	bw_span_locate_global(s, &q, lane, va);
	if (s->fault_lanes >> lane & 1)
		return false;
	i->not_resident |= s->lane[lane] == s->sink[lane];
	bw_span_get(s, lane, out, size_b);
	return true;
}

/* k: which of the 16 texels of the block at va. */
static bool block_texel(struct bw_img *i, unsigned lane, const struct bw_format *f, uint64_t va,
			unsigned k, uint32_t rgba[4])
{
	struct bw_img_block *b = &i->block[(va >> 3 ^ va >> 6) % BW_IMG_BLOCKS];
	if (va != b->va) {
		uint8_t bytes[BW_MEM_MAX_B];
		bool before = i->not_resident;
		i->not_resident = false;
		if (!bw_img_fetch(i, lane, va, f->size_b, bytes))
			return false;
		bw_bc_decode(f, bytes, b->texel);
		/* One that is not resident is looked for again, for the status of each lane. */
		b->va = i->not_resident ? UINT64_MAX : va;
		i->not_resident |= before;
	}
	memcpy(rgba, b->texel[k], 16);
	return true;
}

bool bw_img_texel(struct bw_img *i, unsigned lane, const struct bw_format *f,
		  const struct bw_texel_place *at, uint32_t rgba[4])
{
	uint64_t va = bw_image_va(i->im, at->level, at->x, at->y, at->z, at->sample);
	uint8_t bytes[BW_MEM_MAX_B];
	if (i->im->is_block)
		return block_texel(i, lane, f, va, at->y % 4 * 4 + at->x % 4, rgba);
	if (!bw_img_fetch(i, lane, va, f->size_b, bytes))
		return false;
	bw_format_unpack(f, bytes, rgba);
	return true;
}

void bw_img_nothing(const struct bw_format *f, uint32_t rgba[4])
{
	rgba[0] = rgba[1] = rgba[2] = 0;
	rgba[3] = f->n < 4 ? bw_format_one(f) : 0; /* rule 434 */
}

static void write_status(const struct bw_img *i, unsigned n_dw)
{
	unsigned lane;
	if (i->p->has_status)
		BW_EACH_LANE(i->exec, lane)
			bw_wave_vgpr(i->w, i->p->dst + n_dw)[lane] = i->status[lane];
}

void bw_img_write_n(const struct bw_img *i, const struct bw_format *f, unsigned n)
{
	enum bw_comp kind = i->in->d16 ? BW_COMP_D16 : BW_COMP_FULL;
	struct bw_comps comps = {kind, n, f};
	unsigned lane;
	BW_EACH_LANE(i->exec, lane)
		bw_comp_write(i->w, i->p->dst, lane, comps, i->out[lane]);
	write_status(i, bw_comp_n_dw(kind, n));
}

void bw_img_write(const struct bw_img *i, const struct bw_format *f)
{
	enum bw_comp kind = i->in->d16 ? BW_COMP_D16 : BW_COMP_FULL;
	unsigned lane, n = 0, dmask = i->in->dmask;
	BW_EACH_LANE(i->exec, lane) {
		uint32_t v[4] = {0};
		n = 0;
		for (unsigned c = 0; c < 4; c++)
			if (dmask >> c & 1)
				v[n++] = i->out[lane][c];
		/* DMASK 0 puts a zero into one register (manual 10.1; rule 431 knows of none). */
		n = BW_MAX(n, 1u);
		bw_comp_write(i->w, i->p->dst, lane, (struct bw_comps){kind, n, f}, v);
	}
	write_status(i, bw_comp_n_dw(kind, n));
}

/* ---- where ---- */

/* A texel that is not in the image's level. */
static void tell_outside(const struct bw_img *i, unsigned lane, const struct bw_texel_place *p)
{
	const struct bw_image *im = i->im;
	bw_mem_outside(i->w,
		       &(struct bw_outside){
			       .of = BW_OUTSIDE_IMAGE,
			       .lane = (uint8_t)lane,
			       .size_b = im->format->size_b,
			       .texel = {p->x, p->y, p->z, p->sample},
			       .extent = {bw_image_mip(im->width, p->level),
					  bw_image_mip(im->height, p->level),
					  bw_image_slices(im, p->level), 1u << im->samples_log2},
		       });
}

static struct bw_texel_place place_of(const struct bw_img *i, unsigned lane, unsigned flags)
{
	const struct bw_image *im = i->im;
	unsigned dim = i->in->dim, n = bw_img_n_coords(dim);
	uint32_t c[4] = {0}, mip = flags & BW_IMG_MIP ? bw_img_body_u32(i, n, lane) : 0;
	struct bw_texel_place p = {0};

	for (unsigned k = 0; k < n; k++)
		c[k] = bw_img_body_u32(i, k, lane);
	p.x = c[0];
	p.y = dim == DIM_1D || dim == DIM_1D_ARRAY ? 0 : c[1];
	if (dim == DIM_1D_ARRAY)
		p.z = c[1];
	else if (dim == DIM_2D_MSAA)
		p.sample = c[2];
	else
		p.z = c[2];
	if (dim == DIM_2D_MSAA_ARRAY)
		p.sample = c[3];
	if (!im->format || mip > (unsigned)(im->last_level - im->base_level))
		return p;
	p.level = im->base_level + mip;
	p.inside = p.x < bw_image_mip(im->width, p.level) &&
		   p.y < bw_image_mip(im->height, p.level) && p.z < bw_image_slices(im, p.level) &&
		   p.sample < 1u << im->samples_log2;
	if (BW_MEM_IS_CHECKED && !p.inside)
		tell_outside(i, lane, &p);
	return p;
}

/* ---- loads ---- */

/* The texel as it lies in memory, in dwords (RDNA3 manual: "without format conversion") [I: that
 * all of a texel's components come together]. */
static bool raw_texel(struct bw_img *i, unsigned lane, const struct bw_texel_place *p, bool sign,
		      uint32_t v[4])
{
	unsigned size_b = i->im->format->size_b;
	uint8_t bytes[BW_MEM_MAX_B] = {0};
	uint64_t va = bw_image_va(i->im, p->level, p->x, p->y, p->z, p->sample);
	if (!bw_img_fetch(i, lane, va, size_b, bytes))
		return false;
	memcpy(v, bytes, 16);
	if (sign && size_b < 4)
		v[0] = (uint32_t)bw_sign_extend(v[0], 8 * size_b);
	return true;
}

static bool load_lane(struct bw_img *i, unsigned lane, unsigned flags)
{
	const struct bw_format *f = i->im->format;
	struct bw_texel_place p = place_of(i, lane, flags);
	uint32_t rgba[4] = {0}, *out = i->out[lane];

	i->not_resident = false;
	if (flags & BW_IMG_RAW) {
		memset(out, 0, 16);
		if (p.inside && !raw_texel(i, lane, &p, flags & BW_IMG_SIGN, out))
			return false;
	} else {
		bw_img_nothing(f, rgba);
		if (p.inside && !bw_img_texel(i, lane, f, &p, rgba))
			return false;
		bw_format_select(f, i->im->dst_sel, rgba, out);
	}
	i->status[lane] = i->not_resident ? bw_img_texel_fail(p.level) : 0;
	return true;
}

/* One component of four samples, from the one in the address on (rule 442; DST_SEL takes no part)
 * [I: that they follow each other]. */
static bool load_samples(struct bw_img *i, unsigned lane)
{
	const struct bw_format *f = i->im->format;
	struct bw_texel_place p = place_of(i, lane, 0);
	unsigned component = i->in->dmask ? (unsigned)__builtin_ctz(i->in->dmask) : 0;
	for (unsigned k = 0; k < 4; k++, p.sample++) {
		uint32_t rgba[4];
		bw_img_nothing(f, rgba);
		if (p.inside && p.sample < 1u << i->im->samples_log2 &&
		    !bw_img_texel(i, lane, f, &p, rgba))
			return false;
		i->out[lane][k] = rgba[component];
	}
	return true;
}

static const struct bw_format unbound = {
	.name = "INVALID", .num = BW_NUM_UINT, .is_int = true, .n = 4};

static enum bw_mem_result img_load(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec,
				   unsigned flags)
{
	struct bw_img i;
	unsigned lane;
	bool ok = true;
	enum bw_mem_result r = bw_img_begin(&i, x, w, rec);
	if (r != BW_MEM_OK || i.p->is_nop)
		return i.p->is_nop ? BW_MEM_OK : r;
	uint32_t fp = bw_fp_plain_begin();
	BW_EACH_LANE(i.exec, lane) {
		memset(i.out[lane], 0, sizeof(i.out[lane]));
		if (i.im->format)
			ok &= flags & BW_IMG_MSAA ? load_samples(&i, lane)
						  : load_lane(&i, lane, flags);
	}
	bw_fp_plain_end(fp);
	if (!ok)
		return bw_span_check(&i.span, w);
	const struct bw_format *f = i.im->format && !(flags & BW_IMG_RAW) ? i.im->format : &unbound;
	if (flags & BW_IMG_MSAA)
		bw_img_write_n(&i, f, 4);
	else
		bw_img_write(&i, f);
	return BW_MEM_OK;
}

/* ---- stores and atomics ---- */

/* Locates each lane's texel; outside of the image nothing is written. */
static void locate_lanes(struct bw_img *i, unsigned flags, enum bw_access access)
{
	struct bw_mem_request q = {i->w, i->ap, i->im->format ? i->im->format->size_b : 0, access};
	unsigned lane;
	for (unsigned h = 0; h < 2; h++) {
		i->span.half[h].exec = (uint32_t)(i->exec >> (32 * h));
		i->span.half[h].kind = i->span.half[h].exec ? BW_SPAN_SCATTER : BW_SPAN_NONE;
	}
	BW_EACH_LANE(i->exec, lane) {
		struct bw_texel_place p = place_of(i, lane, flags);
		if (!p.inside) {
			bw_span_locate_sink(&i->span, lane);
			continue;
		}
		uint64_t va = bw_image_va(i->im, p.level, p.x, p.y, p.z, p.sample);
		bw_span_locate_global(&i->span, &q, lane, va);
		i->status[lane] =
			i->span.lane[lane] == i->span.sink[lane] ? bw_img_texel_fail(p.level) : 0;
	}
}

static void store_lane(struct bw_img *i, unsigned lane, unsigned flags)
{
	const struct bw_format *f = i->im->format;
	unsigned n = (unsigned)__builtin_popcount(i->in->dmask), k = 0;
	uint32_t v[4], in[4] = {0}, rgba[4];
	uint8_t texel[BW_MEM_MAX_B];

	if (flags & BW_IMG_RAW) {
		bw_comp_read(i->w, i->p->data, lane, (struct bw_comps){BW_COMP_FULL, n, f}, v);
		memcpy(texel, v, sizeof(texel));
	} else {
		enum bw_comp kind = i->in->d16 ? BW_COMP_D16 : BW_COMP_FULL;
		bw_comp_read(i->w, i->p->data, lane, (struct bw_comps){kind, n, f}, v);
		for (unsigned c = 0; c < 4; c++)
			if (i->in->dmask >> c & 1)
				in[c] = v[k++];
		bw_format_unselect(i->im->dst_sel, in, rgba);
		bw_format_pack(f, rgba, texel);
	}
	bw_span_put(&i->span, lane, texel, f->size_b);
}

static enum bw_mem_result img_store(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec,
				    unsigned flags)
{
	struct bw_img i;
	unsigned lane;
	enum bw_mem_result r = bw_img_begin(&i, x, w, rec);
	if (r != BW_MEM_OK || i.p->is_nop || !i.im->format)
		return i.p->is_nop ? BW_MEM_OK : r;
	if (i.im->is_block && !(flags & BW_IMG_RAW)) {
		x->refused = "image store to a compressed format";
		return BW_MEM_REFUSED;
	}
	locate_lanes(&i, flags, BW_ACCESS_WRITE);
	if (i.span.fault_lanes)
		return bw_span_check(&i.span, w);
	uint32_t fp = bw_fp_plain_begin();
	BW_EACH_LANE(i.exec, lane)
		store_lane(&i, lane, flags);
	bw_fp_plain_end(fp);
	return BW_MEM_OK;
}

static enum bw_mem_result img_atomic(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec,
				     const struct bw_rmw *op32, const struct bw_rmw *op64,
				     unsigned n_operands)
{
	/* Registers of data: 1 or 2 for each operand tell the width (rule 441). */
	unsigned n = (unsigned)__builtin_popcount(rec->inst->dmask);
	const struct bw_rmw *op = n >= 2 * n_operands ? op64 : op32;
	struct bw_img i;
	enum bw_mem_result r = bw_img_begin(&i, x, w, rec);
	if (r != BW_MEM_OK || i.p->is_nop)
		return i.p->is_nop ? BW_MEM_OK : r;
	if (i.im->format && i.im->format->size_b != op->size_b) {
		x->refused = "image atomic of another width than its format";
		return BW_MEM_REFUSED;
	}
	i.span.align_b = op->size_b;
	locate_lanes(&i, 0, BW_ACCESS_WRITE | BW_ACCESS_ATOMIC);
	if (i.span.fault_lanes)
		return bw_span_check(&i.span, w);
	struct bw_mem_prep p = {.dst = i.p->dst, .has_return = rec->inst->glc};
	unsigned n_dw = op->size_b / 4;
	memcpy(p.data, i.p->data, n_dw * sizeof(p.data[0]));
	memcpy(p.data2, i.p->data + (n_operands == 2 ? n_dw : 0), n_dw * sizeof(p.data2[0]));
	bw_span_atomic(&i.span, w, &p, op);
	if (p.has_return)
		write_status(&i, n_dw);
	return BW_MEM_OK;
}

/* ---- sizes ---- */

static enum bw_mem_result img_query(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec,
				    unsigned flags)
{
	struct bw_img i;
	unsigned lane;
	enum bw_mem_result r = bw_img_begin(&i, x, w, rec);
	if (r != BW_MEM_OK || i.p->is_nop)
		return i.p->is_nop ? BW_MEM_OK : r;
	BW_EACH_LANE(i.exec, lane) {
		const struct bw_image *im = i.im;
		uint32_t mip = bw_img_addr(&i, 0, lane), *out = i.out[lane];
		memset(out, 0, 16);
		if (!im->format)
			continue;
		/* Cubes count faces. A level that is not there has no size [I]. */
		unsigned level = im->base_level + mip;
		out[3] = im->last_level - im->base_level + 1u;
		if (level < mip || level > im->last_level)
			continue;
		out[0] = bw_image_mip(im->width, level);
		out[1] = bw_image_mip(im->height, level);
		out[2] = bw_image_slices(im, level);
	}
	bw_img_write(&i, &unbound);
	return BW_MEM_OK;
}

/* ---- rows ---- */

static unsigned n_components(const struct bw_inst *in)
{
	return (unsigned)__builtin_popcount(in->dmask & 15);
}

static unsigned n_load(const struct bw_inst *in, unsigned flags)
{
	unsigned n = flags & BW_IMG_MSAA ? 4 : BW_MAX(n_components(in), 1u);
	return bw_comp_n_dw(in->d16 ? BW_COMP_D16 : BW_COMP_FULL, n);
}

static unsigned n_store(const struct bw_inst *in)
{
	return bw_comp_n_dw(in->d16 ? BW_COMP_D16 : BW_COMP_FULL, n_components(in));
}

enum {
	MIP = BW_IMG_MIP,
	RAW = BW_IMG_RAW,
	SIGN = BW_IMG_SIGN,
	MSAA = BW_IMG_MSAA,
	RESINFO = BW_IMG_RESINFO,
};

#define ROW(name, call, flags, loads, stores)                                                      \
	static enum bw_mem_result do_##name(struct bw_exec *x, struct bw_wave *w,                  \
					    const struct bw_rec *rec)                              \
	{                                                                                          \
		return call;                                                                       \
	}                                                                                          \
	static bool prepare_##name(struct bw_rec *rec, const struct bw_rec_ctx *ctx)               \
	{                                                                                          \
		const struct bw_inst *in = rec->inst;                                              \
		return bw_img_prepare(rec, ctx, flags, loads, stores);                             \
	}
#define LOAD(name, flags) ROW(name, img_load(x, w, rec, flags), flags, n_load(in, flags), 0)
#define STORE(name, flags) ROW(name, img_store(x, w, rec, flags), flags, 0, n_store(in))
#define QUERY(name, flags) ROW(name, img_query(x, w, rec, flags), flags, n_load(in, flags), 0)
#define ATOMIC(name, rmw32, rmw64, n)                                                              \
	ROW(name, img_atomic(x, w, rec, &bw_rmw_##rmw32, &bw_rmw_##rmw64, n), 0,                   \
	    in->glc ? (n_components(in) >= 2 * n ? 2 : 1) : 0, n_components(in))
#include "vgpu/device/exec/sem/img.def"
#undef LOAD
#undef STORE
#undef QUERY
#undef ATOMIC

#define LOAD(name, ...) {#name, do_##name, prepare_##name},
#define STORE LOAD
#define QUERY LOAD
#define ATOMIC LOAD
static const struct bw_mem_row rows[] = {
#include "vgpu/device/exec/sem/img.def"
};

const struct bw_mem_table bw_mem_img = {rows, BW_ARRAY_SIZE(rows)};
