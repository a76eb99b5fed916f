/* SPDX-License-Identifier: MIT */
/* Image memory with a sampler: sample, gather4, get_lod. Rules 430 to 445; RDNA3 manual 10.3 to
 * 10.6. The hardware's filter arithmetic is not documented: here products are added up in double
 * precision and rounded once. */
#include <math.h>

#include "base/float_bits.h"
#include "base/util.h"
#include "vgpu/device/exec/image/sample.h"
#include "vgpu/device/exec/memory/img.h"
#include "vgpu/device/exec/memory/rmw.h"

enum { N_GATHER = 4 };

struct sample {
	struct bw_img i;
	struct bw_sampler s;
	const struct bw_format *f; /* with the sampler's word on degamma */
	unsigned flags;
	bool unnormalized;
	bool has_border; /* border[] is filled */
	uint32_t border[4];
	uint64_t border_table; /* 0: unknown */
	const char *refused;
};

/* The request of one lane. */
struct request {
	struct bw_position at;
	struct bw_detail detail;
	float lod; /* clamped */
	float raw_lod;
	float reference;
};

static uint32_t sampler_word(const struct bw_wave *w, unsigned code)
{
	return code < BW_SRC_NULL ? bw_mem_sgpr(w, code) : 0;
}

/* ---- the address ---- */

/* Position without slice: how many of the coordinates are filtered. */
static unsigned n_position(const struct bw_inst *in)
{
	static const uint8_t n[8] = {1, 2, 3, 2, 1, 2, 2, 2};
	return n[in->dim & 7];
}

static float derivative(const struct sample *t, unsigned lane, unsigned direction, unsigned k)
{
	const struct bw_img *i = &t->i;
	unsigned n = n_position(i->in);
	if (!(t->flags & BW_IMG_G16))
		return bits_f32(bw_img_addr(i, i->p->grad + direction * n + k, lane));
	uint32_t pair = bw_img_addr(i, i->p->grad + direction * ((n + 1) / 2) + k / 2, lane);
	return bits_f32(bw_f16_to_f32((uint16_t)(pair >> (16 * (k % 2)))));
}

/* Without derivatives in the address they are differences inside the lane's quad: its second and
 * third lane against the first, for the whole quad, whether those lanes are active or not [I]. */
static struct bw_gradient gradient_of(const struct sample *t, unsigned lane)
{
	struct bw_gradient g = {{0}, {0}};
	unsigned quad = lane & ~3u, n = n_position(t->i.in);
	for (unsigned k = 0; k < n; k++) {
		if (t->flags & BW_IMG_D) {
			g.h[k] = derivative(t, lane, 0, k);
			g.v[k] = derivative(t, lane, 1, k);
		} else {
			float first = bw_img_body_f32(&t->i, k, quad);
			g.h[k] = bw_img_body_f32(&t->i, k, quad + 1) - first;
			g.v[k] = bw_img_body_f32(&t->i, k, quad + 2) - first;
		}
	}
	return g;
}

/* A bias under A16 is a half in a dword of its own. */
static float bias_of(const struct sample *t, unsigned lane)
{
	uint32_t v = bw_img_addr(&t->i, t->i.p->bias, lane);
	return bits_f32(t->i.in->a16 ? bw_f16_to_f32((uint16_t)v) : v);
}

static void position_of(const struct sample *t, unsigned lane, struct bw_position *out)
{
	const struct bw_inst *in = t->i.in;
	unsigned n = n_position(in);
	*out = (struct bw_position){.unnormalized = t->unnormalized};
	for (unsigned k = 0; k < n; k++)
		out->pos[k] = bw_img_body_f32(&t->i, k, lane);
	if (n < bw_img_n_coords(in->dim))
		out->slice = bw_sample_slice(t->i.im, bw_img_body_f32(&t->i, n, lane));
	if (t->flags & BW_IMG_O) {
		uint32_t packed = bw_img_addr(&t->i, 0, lane); /* rule 436 */
		for (unsigned k = 0; k < 3; k++)
			out->offset[k] = (int)bw_sign_extend(packed >> (8 * k) & 63, 6);
	}
}

static void detail_of(const struct sample *t, unsigned lane, struct request *r)
{
	unsigned last = bw_img_n_coords(t->i.in->dim);
	float bias = (float)t->s.lod_bias / 256, least = NAN;
	r->detail = (struct bw_detail){.n_aniso = 1};
	/* LZ and unnormalised positions know level 0 only; the sampler's clamps hold for them, too
	 * [I]. */
	if (t->flags & BW_IMG_LZ || t->unnormalized) {
		bias = 0;
	} else if (t->flags & BW_IMG_L) {
		r->detail.lod = bw_img_body_f32(&t->i, last, lane);
	} else {
		struct bw_gradient g = gradient_of(t, lane);
		r->detail = bw_sample_detail(t->i.im, &t->s, &g, t->unnormalized);
	}
	if (t->flags & BW_IMG_B)
		bias += bias_of(t, lane);
	if (t->flags & BW_IMG_CL)
		least = bw_img_body_f32(&t->i, last, lane);
	r->raw_lod = r->detail.lod + bias;
	r->lod = bw_sample_clamp(t->i.im, &t->s, r->raw_lod, least);
}

static void read_request(const struct sample *t, unsigned lane, struct request *r)
{
	position_of(t, lane, &r->at);
	detail_of(t, lane, r);
	if (t->flags & BW_IMG_C) {
		r->reference = bits_f32(bw_img_addr(&t->i, t->i.p->compare, lane));
		if (t->i.im->format->clamps_compare)
			r->reference = fminf(fmaxf(r->reference, 0), 1);
	}
}

/* ---- texels ---- */

static bool border_of(struct sample *t, unsigned lane, uint32_t rgba[4])
{
	uint32_t table[4] = {0};
	if (!t->has_border) {
		if (t->s.border == BW_BORDER_TABLE) {
			if (!t->border_table) {
				t->refused =
					"sampler with a border colour of its own, but no table of them";
				return false;
			}
			if (!bw_img_fetch(&t->i, lane,
					  bw_canonical(t->border_table + 16 * t->s.border_index),
					  16, (uint8_t *)table))
				return false;
		}
		bw_sample_border(t->i.im, &t->s, table, t->border);
		t->has_border = true;
	}
	memcpy(rgba, t->border, 16);
	return true;
}

/* A texel as it takes part in filtering: after DST_SEL, and compared if that is asked for. */
static bool tap_value(struct sample *t, unsigned lane, unsigned level, const struct bw_tap *tap,
		      const struct request *r, uint32_t out[4])
{
	uint32_t rgba[4];
	struct bw_texel_place at = {tap->x, tap->y, tap->z, .level = level};
	bool ok = tap->is_border ? border_of(t, lane, rgba)
				 : bw_img_texel(&t->i, lane, t->f, &at, rgba);
	if (!ok)
		return false;
	if (t->flags & BW_IMG_C) {
		bool pass = bw_sample_compare(t->s.compare, r->reference, bits_f32(rgba[0]));
		rgba[0] = pass ? 0x3f800000 : 0;
		rgba[1] = rgba[2] = 0;
		rgba[3] = 0x3f800000;
	}
	bw_format_select(t->f, t->i.im->dst_sel, rgba, out);
	return true;
}

/* The taps of a position, in the order of bw_sample_taps. */
struct taps {
	unsigned level, n;
	bool all; /* texels without weight count, too */
	struct bw_tap tap[BW_TAPS];
};

static bool tap_values(struct sample *t, unsigned lane, const struct taps *taps,
		       const struct request *r, uint32_t out[BW_TAPS][4])
{
	const struct bw_tap *tap = taps->tap;
	unsigned level = taps->level, n = taps->n;
	bool all = taps->all;
	for (unsigned k = 0; k < n; k++)
		if ((all || tap[k].weight > 0) && !tap[k].is_corner &&
		    !tap_value(t, lane, level, &tap[k], r, out[k]))
			return false;
	/* The missing texel of a cube's corner is the mean of the other three; which they are, all
	 * of them have to be read for. */
	for (unsigned k = 0; k < n; k++) {
		if (!tap[k].is_corner || !(all || tap[k].weight > 0))
			continue;
		float sum[4] = {0};
		unsigned n_others = 0;
		for (unsigned o = 0; o < n; o++) {
			if (tap[o].is_corner)
				continue;
			if (!(all || tap[o].weight > 0) &&
			    !tap_value(t, lane, level, &tap[o], r, out[o]))
				return false;
			for (unsigned c = 0; c < 4; c++)
				sum[c] += bits_f32(out[o][c]);
			n_others++;
		}
		for (unsigned c = 0; c < 4; c++)
			out[k][c] = f32_bits(n_others ? sum[c] / (float)n_others : 0);
	}
	return true;
}

/* ---- filtering ---- */

struct sum {
	double v[4];
	float extreme[4];
	bool is_first;
};

static void add_texel(struct sum *sum, unsigned reduction, const uint32_t rgba[4], double weight)
{
	for (unsigned c = 0; c < 4; c++) {
		float v = bits_f32(rgba[c]);
		sum->v[c] += weight * v;
		if (sum->is_first ||
		    (reduction == BW_REDUCE_MIN ? v < sum->extreme[c] : v > sum->extreme[c]))
			sum->extreme[c] = v;
	}
	sum->is_first = false;
}

/* A position in one level, and its part of the result. */
struct weighted {
	struct bw_position at;
	unsigned level;
	struct bw_filters filters;
	double weight;
};

static bool add_position(struct sample *t, unsigned lane, const struct weighted *p,
			 const struct request *r, struct sum *sum)
{
	struct taps taps = {.level = p->level};
	uint32_t value[BW_TAPS][4];
	taps.n = bw_sample_taps(t->i.im, &t->s, p->level, &p->at, p->filters, taps.tap);
	if (!tap_values(t, lane, &taps, r, value))
		return false;
	for (unsigned j = 0; j < taps.n; j++)
		if (taps.tap[j].weight > 0)
			add_texel(sum, t->s.reduction, value[j], p->weight * taps.tap[j].weight);
	return true;
}

/* Denormal results are flushed (RDNA3 manual 10.4). */
static uint32_t result_bits(double v)
{
	return bw_f32_flush(f32_bits((float)v), true);
}

/* Integers are not filtered: one texel of one level. */
static bool nearest(struct sample *t, unsigned lane, const struct request *r,
		    const struct bw_levels *l)
{
	struct bw_tap tap[BW_TAPS];
	bw_sample_taps(t->i.im, &t->s, l->level[0], &r->at, (struct bw_filters){false}, tap);
	return tap_value(t, lane, l->level[0], tap, r, t->i.out[lane]);
}

static bool filter(struct sample *t, unsigned lane, const struct request *r,
		   const struct bw_levels *l)
{
	unsigned n = r->detail.n_aniso;
	struct sum sum = {.is_first = true};
	for (unsigned k = 0; k < l->n; k++) {
		for (unsigned j = 0; j < n; j++) {
			struct weighted p = {r->at,
					     l->level[k],
					     {l->linear_xy, l->linear_z},
					     l->weight[k] / (double)n};
			float along = ((float)j + 0.5f) / (float)n - 0.5f;
			for (unsigned a = 0; n > 1 && a < 3; a++)
				p.at.pos[a] += r->detail.axis[a] * along;
			if (!add_position(t, lane, &p, r, &sum))
				return false;
		}
	}
	bool blend = t->s.reduction != BW_REDUCE_MIN && t->s.reduction != BW_REDUCE_MAX;
	for (unsigned c = 0; c < 4; c++)
		t->i.out[lane][c] = result_bits(blend ? sum.v[c] : sum.extreme[c]);
	return true;
}

/* gather4h takes four texels of one row [I: from the upper left one of those that gather4
 * takes]. */
static unsigned row_taps(struct sample *t, const struct request *r, const struct bw_levels *l,
			 struct bw_tap tap[BW_TAPS])
{
	struct bw_position at = r->at;
	for (unsigned k = 0; k < N_GATHER; k++, at.offset[0]++) {
		struct bw_tap around[BW_TAPS];
		bw_sample_taps(t->i.im, &t->s, l->level[0], &at, (struct bw_filters){true}, around);
		tap[k] = around[0];
	}
	return N_GATHER;
}

/* One component of the four texels around, counter-clockwise from the lower left (rule 439). */
static bool gather(struct sample *t, unsigned lane, const struct request *r,
		   const struct bw_levels *l)
{
	static const uint8_t square[N_GATHER] = {2, 3, 1, 0}, row[N_GATHER] = {0, 1, 2, 3};
	const uint8_t *order = t->flags & BW_IMG_H ? row : square;
	unsigned component = t->i.in->dmask ? (unsigned)__builtin_ctz(t->i.in->dmask) : 0;
	struct taps taps = {.level = l->level[0], .all = true};
	uint32_t value[BW_TAPS][4];
	taps.n = t->flags & BW_IMG_H
			 ? row_taps(t, r, l, taps.tap)
			 : bw_sample_taps(t->i.im, &t->s, l->level[0], &r->at,
					  (struct bw_filters){.linear_xy = true}, taps.tap);
	if (!tap_values(t, lane, &taps, r, value))
		return false;
	for (unsigned k = 0; k < N_GATHER; k++)
		t->i.out[lane][k] = value[order[k] % taps.n][component];
	return true;
}

static bool sample_lane(struct sample *t, unsigned lane)
{
	struct bw_img *i = &t->i;
	struct request r;
	i->not_resident = false;
	memset(i->out[lane], 0, sizeof(i->out[lane]));
	if (!i->im->format)
		return true;
	read_request(t, lane, &r);
	if (t->flags & BW_IMG_LOD) {
		i->out[lane][0] = f32_bits(r.lod);
		i->out[lane][1] = f32_bits(r.raw_lod);
		return true;
	}
	struct bw_levels l = bw_sample_levels(i->im, &t->s, r.lod);
	bool ok = t->flags & BW_IMG_GATHER ? gather(t, lane, &r, &l)
		  : t->f->is_int	   ? nearest(t, lane, &r, &l)
					   : filter(t, lane, &r, &l);
	/* TEXEL_FAIL, else LOD_WARNING (manual 10.1.1). */
	if (i->in->tfe && i->not_resident)
		i->status[lane] = bw_img_texel_fail((uint32_t)(l.level[0] - i->im->base_level));
	else if (i->in->lwe && l.is_warned)
		i->status[lane] = 2;
	return ok;
}

static enum bw_mem_result sample_begin(struct sample *t, struct bw_exec *x, struct bw_wave *w,
				       const struct bw_rec *rec, unsigned flags)
{
	const struct bw_inst *in = rec->inst;
	const struct bw_exec_host *host = bw_exec_host(x);
	uint32_t words[4];
	enum bw_mem_result r = bw_img_begin(&t->i, x, w, rec);
	if (r != BW_MEM_OK)
		return r;
	for (unsigned k = 0; k < 4; k++)
		words[k] = sampler_word(w, (in->ssamp & ~3u) + k);
	bw_sampler_read(words, &t->s);
	t->flags = flags;
	t->f = t->i.im->format ? bw_sampler_format(&t->s, t->i.im->format) : NULL;
	t->unnormalized = in->unrm || t->s.is_unnormalized;
	t->has_border = false;
	t->border_table = host->border_colors ? host->border_colors(host->cookie) : 0;
	t->refused = NULL;
	if (t->i.im->samples_log2) {
		x->refused = "sampling an image with several samples";
		return BW_MEM_REFUSED;
	}
	return BW_MEM_OK;
}

static enum bw_mem_result img_sample(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec,
				     unsigned flags)
{
	static const struct bw_format plain = {.num = BW_NUM_FLOAT, .bits = {32}};
	struct sample t;
	unsigned lane;
	bool ok = true;
	if (bw_img_prep(rec)->is_nop)
		return BW_MEM_OK;
	enum bw_mem_result r = sample_begin(&t, x, w, rec, flags);
	if (r != BW_MEM_OK)
		return r;
	uint32_t fp = bw_fp_plain_begin();
	BW_EACH_LANE(t.i.exec, lane)
		ok &= sample_lane(&t, lane);
	bw_fp_plain_end(fp);
	if (t.refused) {
		x->refused = t.refused;
		return BW_MEM_REFUSED;
	}
	if (!ok)
		return bw_span_check(&t.i.span, w);
	const struct bw_format *f = t.f ? t.f : &plain;
	if (flags & BW_IMG_GATHER)
		bw_img_write_n(&t.i, f, N_GATHER);
	else
		bw_img_write(&t.i, flags & BW_IMG_LOD ? &plain : f);
	return BW_MEM_OK;
}

/* ---- rows ---- */

static unsigned n_load(const struct bw_inst *in, unsigned flags)
{
	unsigned n = (unsigned)__builtin_popcount(in->dmask & 15);
	n = flags & BW_IMG_GATHER ? N_GATHER : BW_MAX(n, 1u);
	return bw_comp_n_dw(in->d16 ? BW_COMP_D16 : BW_COMP_FULL, n);
}

/* clang-format off */
enum {
	O = BW_IMG_O, B = BW_IMG_B, C = BW_IMG_C, D = BW_IMG_D, G16 = BW_IMG_G16, L = BW_IMG_L, LZ = BW_IMG_LZ,
	CL = BW_IMG_CL, GATHER = BW_IMG_GATHER, LOD = BW_IMG_LOD, H = BW_IMG_H,
};
/* clang-format on */

#define SAMPLE(name, flags)                                                                        \
	static enum bw_mem_result do_##name(struct bw_exec *x, struct bw_wave *w,                  \
					    const struct bw_rec *rec)                              \
	{                                                                                          \
		return img_sample(x, w, rec, (flags) | BW_IMG_SAMPLE);                             \
	}                                                                                          \
	static bool prepare_##name(struct bw_rec *rec, const struct bw_rec_ctx *ctx)               \
	{                                                                                          \
		return bw_img_prepare(rec, ctx, (flags) | BW_IMG_SAMPLE, n_load(rec->inst, flags), \
				      0);                                                          \
	}
#include "vgpu/device/exec/sem/sample.def"
#undef SAMPLE

#define SAMPLE(name, flags) {#name, do_##name, prepare_##name},
static const struct bw_mem_row rows[] = {
#include "vgpu/device/exec/sem/sample.def"
};

const struct bw_mem_table bw_mem_sample = {rows, BW_ARRAY_SIZE(rows)};
