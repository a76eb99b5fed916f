/* SPDX-License-Identifier: MIT */
/* What becomes of a sample: depth and stencil tests, blending, and the stores. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/small_float.h"
#include "base/util.h"
#include "vgpu/device/draw_priv.h"

enum { ROP3_COPY = 0xcc };

/* ---- texels ---- */

/* The address of a sample; 0: it lies outside of the surface. */
static uint64_t texel_va(const struct bw_draw_surface *s, const struct bw_draw_sample *at)
{
	const struct bw_image *im = &s->im;
	if (at->x >= bw_image_mip(im->width, s->level) ||
	    at->y >= bw_image_mip(im->height, s->level) ||
	    at->layer >= bw_image_slices(im, s->level) || at->sample >> im->samples_log2)
		return 0;
	return bw_image_va(im, s->level, at->x, at->y, at->layer, at->sample);
}

static bool fault_at(struct bw_draw *d, const struct bw_vm_fault *fault)
{
	snprintf(d->why, sizeof(d->why), "its target at 0x%" PRIx64 " is not mapped", fault->va);
	return false;
}

static bool read_texel(struct bw_draw *d, const struct bw_draw_surface *s, uint64_t va,
		       uint8_t texel[16])
{
	struct bw_vm_fault fault;
	return bw_vm_read(bw_draw_tlb(d), va, texel, s->im.format->size_b, &fault) ||
	       fault_at(d, &fault);
}

static bool write_texel(struct bw_draw *d, const struct bw_draw_surface *s, uint64_t va,
			const uint8_t texel[16])
{
	struct bw_vm_fault fault;
	return bw_vm_write(bw_draw_tlb(d), va, texel, s->im.format->size_b, &fault) ||
	       fault_at(d, &fault);
}

/* ---- depth and stencil ---- */

/* The depth that the buffer has becomes d->depth_before, if it has the sample. */
static bool read_depth(struct bw_draw *d, const struct bw_draw_sample *at, bool *out_has)
{
	const struct bw_draw_targets *t = &d->targets;
	uint8_t texel[16];
	uint32_t old[4];
	uint64_t va = t->depth.used ? texel_va(&t->depth, at) : 0;
	*out_has = va != 0;
	if (!va)
		return true;
	if (!read_texel(d, &t->depth, va, texel))
		return false;
	bw_format_unpack(t->depth.im.format, texel, old);
	d->depth_before = bits_f32(old[0]);
	return true;
}

/* Whether that depth lies between the bounds. */
static bool test_bounds(struct bw_draw *d, const struct bw_draw_sample *at, bool *out_passes)
{
	const struct bw_draw_targets *t = &d->targets;
	bool has = false;
	if (t->has_bounds && !read_depth(d, at, &has))
		return false;
	*out_passes = !has || (d->depth_before >= t->bounds[0] && d->depth_before <= t->bounds[1]);
	return true;
}

/* A depth as the buffer holds it, for comparisons with what it holds. */
static float stored_depth(const struct bw_format *f, float z)
{
	uint8_t texel[16];
	uint32_t v[4] = {f32_bits(z)};
	bw_format_pack(f, v, texel);
	bw_format_unpack(f, texel, v);
	return bits_f32(v[0]);
}

static bool test_depth(struct bw_draw *d, const struct bw_draw_sample *at, bool *out_passes)
{
	const struct bw_draw_targets *t = &d->targets;
	bool has;
	if (!read_depth(d, at, &has))
		return false;
	*out_passes =
		!has || bw_compare_depth(t->z_function, stored_depth(t->depth.im.format, at->z),
					 d->depth_before);
	return true;
}

static bool write_depth(struct bw_draw *d, const struct bw_draw_sample *at)
{
	const struct bw_draw_targets *t = &d->targets;
	uint8_t texel[16];
	uint32_t z[4] = {f32_bits(t->clear_depth ? t->depth_clear : at->z)};
	uint64_t va = t->depth.used && t->writes_depth ? texel_va(&t->depth, at) : 0;
	if (!va)
		return true;
	bw_format_pack(t->depth.im.format, z, texel);
	return write_texel(d, &t->depth, va, texel);
}

bool bw_draw_test(struct bw_draw *d, const struct bw_draw_sample *at, bool *out_passes)
{
	struct bw_draw_targets *t = &d->targets;
	const struct bw_draw_stencil *face = &t->face[at->is_front ? 0 : 1];
	uint8_t texel[16], old = 0;
	bool stencil_passes = true, depth_passes = false;
	d->stencil_failed = false;
	if (!test_bounds(d, at, out_passes))
		return false;
	if (!*out_passes)
		return true;
	uint64_t va = t->stencil.used ? texel_va(&t->stencil, at) : 0;
	if (va) {
		if (!read_texel(d, &t->stencil, va, texel))
			return false;
		old = texel[0];
		stencil_passes = bw_compare_stencil(face->function, at->stencil & face->mask,
						    old & face->mask);
	}
	if (stencil_passes && !test_depth(d, at, &depth_passes))
		return false;
	*out_passes = stencil_passes && depth_passes;
	d->stencil_failed = !stencil_passes;
	if (va && t->writes_stencil) {
		unsigned op = !stencil_passes ? face->fail
			      : depth_passes  ? face->pass
					      : face->depth_fail;
		uint8_t value = bw_stencil_op(op, old, at->stencil, face->op_value);
		texel[0] = (uint8_t)((value & face->write_mask) | (old & ~face->write_mask));
		if (texel[0] != old && !write_texel(d, &t->stencil, va, texel))
			return false;
	}
	if (*out_passes && t->counts)
		d->q->n_samples_passed++;
	return !*out_passes || write_depth(d, at);
}

/* ---- colours ---- */

static uint32_t half(const uint32_t *v, unsigned c, unsigned lane)
{
	return bw_half16(v[c / 2 * BW_DRAW_LANES + lane], c % 2);
}

void bw_draw_unpack_export(const uint32_t *v, unsigned format, unsigned lane, uint32_t rgba[4])
{
	for (unsigned c = 0; c < 4; c++) {
		switch (format) {
		case BW_EX_32_R:
		case BW_EX_32_GR:
			rgba[c] = c < format ? v[c * BW_DRAW_LANES + lane] : 0;
			break;
		case BW_EX_32_AR: /* alpha comes second on gfx10 and later */
			rgba[c] = c == 0 ? v[lane] : c == 3 ? v[BW_DRAW_LANES + lane] : 0;
			break;
		case BW_EX_FP16_ABGR:
			rgba[c] = bw_f16_to_f32((uint16_t)half(v, c, lane));
			break;
		case BW_EX_UNORM16_ABGR:
			rgba[c] = f32_bits((float)half(v, c, lane) / 65535.0f);
			break;
		case BW_EX_SNORM16_ABGR:
			rgba[c] = f32_bits(
				BW_MAX((float)(int16_t)half(v, c, lane) / 32767.0f, -1.0f));
			break;
		case BW_EX_UINT16_ABGR:
			rgba[c] = half(v, c, lane);
			break;
		case BW_EX_SINT16_ABGR:
			rgba[c] = (uint32_t)(int32_t)(int16_t)half(v, c, lane);
			break;
		default:
			rgba[c] = v[c * BW_DRAW_LANES + lane];
			break;
		}
	}
}

static void to_floats(const uint32_t bits[4], float out[4])
{
	memcpy(out, bits, 4 * sizeof(*out));
}

/* The colours of a lane; src1 is the second one of dual sources. */
struct colors {
	uint32_t src[4], src1[4];
};

static void combine(const struct bw_draw_surface *s, const struct colors *in, const uint8_t *texel,
		    uint32_t out[4])
{
	uint32_t memory[4], old[4] = {0, 0, 0, f32_bits(1)};
	float src[4], src1[4], dst[4], result[4];
	bw_format_unpack(s->im.format, texel, memory);
	for (unsigned c = 0; c < s->im.format->n; c++)
		old[s->from[c]] = memory[c];
	to_floats(in->src, src);
	to_floats(in->src1, src1);
	to_floats(old, dst);
	bw_blend(&s->blend, src, src1, dst, result);
	memcpy(out, result, sizeof(result));
}

static bool put_color(struct bw_draw *d, const struct bw_draw_surface *s, const struct colors *in,
		      const struct bw_draw_sample *at)
{
	const struct bw_format *f = s->im.format;
	uint8_t texel[16], old[16] = {0}, write_mask = 0;
	uint32_t rgba[4], v[4] = {0}, before[4];
	uint64_t va = texel_va(s, at);
	uint8_t all = (uint8_t)((1u << f->n) - 1);
	bool is_rop =
		d->targets.rop3 != ROP3_COPY && f->num != BW_NUM_FLOAT && f->num != BW_NUM_SRGB;
	if (!va)
		return true;
	for (unsigned c = 0; c < f->n; c++)
		write_mask |= (uint8_t)((s->mask >> s->from[c] & 1) << c);
	if ((write_mask != all || s->blend.enabled || is_rop) && !read_texel(d, s, va, old))
		return false;
	memcpy(rgba, in->src, sizeof(rgba));
	if (s->blend.enabled && !is_rop)
		combine(s, in, old, rgba);
	for (unsigned c = 0; c < f->n; c++)
		v[c] = rgba[s->from[c]];
	bw_format_pack(f, v, texel);
	for (unsigned i = 0; i < f->size_b && is_rop; i++)
		texel[i] = bw_blend_rop(d->targets.rop3, texel[i], old[i]);
	if (write_mask != all) {
		bw_format_unpack(f, texel, v);
		bw_format_unpack(f, old, before);
		for (unsigned c = 0; c < f->n; c++)
			if (!(write_mask >> c & 1))
				v[c] = before[c];
		bw_format_pack(f, v, texel);
	}
	return write_texel(d, s, va, texel);
}

/* ---- lanes ---- */

struct lane {
	const struct bw_draw_pixel_wave *w;
	const struct bw_draw_quad *quad;
	const struct bw_draw_primitive *primitive;
	unsigned lane;
	struct bw_draw_sample at;
	bool is_masked; /* the shader's sample mask leaves the sample out */
};

static const uint32_t *output(const struct lane *l, unsigned which)
{
	return &l->w->output[(size_t)which * 4 * BW_DRAW_LANES];
}

/* Whether the shader has put anything into the output beside the colours, and what. */
static const uint32_t *depth_output(const struct bw_draw *d, const struct lane *l)
{
	return l->w->written[BW_DRAW_COLORS] >> l->lane & 1 ? output(l, d->targets.n_exports)
							    : NULL;
}

/* The late test: with the depth and the stencil value that the shader exported. */
static bool test_late(struct bw_draw *d, struct lane *l, bool *out_passes)
{
	const struct bw_draw_targets *t = &d->targets;
	const struct bw_draw_state *s = &d->state;
	unsigned lane = l->lane;
	const uint32_t *z = depth_output(d, l);
	bool is_small = t->z_export_format == BW_EX_UINT16_ABGR;
	struct bw_weights weights;
	int sample = (int)l->at.sample;
	bw_triangle_weigh(&l->primitive->t,
			  l->at.x + (double)bw_draw_sample_x(s, sample) / BW_RASTER_SUBPIXELS,
			  l->at.y + (double)bw_draw_sample_y(s, sample) / BW_RASTER_SUBPIXELS,
			  &weights);
	l->at.z = (float)weights.z;
	l->at.stencil = t->face[l->at.is_front ? 0 : 1].reference;
	if (t->export_depth && z) {
		float exported = bits_f32(z[lane]);
		l->at.z = BW_MIN(BW_MAX(exported, l->primitive->t.z_min), l->primitive->t.z_max);
	}
	/* Without depth they are 16 bits: stencil in X[23:16], the mask in Y[15:0]
	 * (ac_get_spi_shader_z_format of Mesa). */
	if (t->export_stencil && z)
		l->at.stencil =
			(uint8_t)(is_small ? bw_half16(z[lane], 1) : z[BW_DRAW_LANES + lane]);
	return bw_draw_test(d, &l->at, out_passes);
}

/* The samples that the shader leaves: by its sample mask, and by alpha, of which each pixel of a
 * quad has another part rounded up [I]. */
static uint32_t exported_mask(const struct bw_draw *d, const struct lane *l)
{
	enum { ALL = 0xffff, QUARTERS = 4 };
	const struct bw_draw_targets *t = &d->targets;
	const uint32_t *z = depth_output(d, l);
	uint32_t mask = ALL, color[4] = {0};
	if (t->export_mask && z)
		mask = z[(t->z_export_format == BW_EX_UINT16_ABGR ? 1 : 2) * BW_DRAW_LANES +
			 l->lane];
	if (!t->alpha_to_mask)
		return mask;
	if (z && t->z_export_format == BW_EX_32_AR)
		color[3] = z[BW_DRAW_LANES + l->lane];
	else if (z && t->z_export_format == BW_EX_32_ABGR)
		color[3] = z[3 * BW_DRAW_LANES + l->lane];
	else if (l->w->written[0] >> l->lane & 1)
		bw_draw_unpack_export(output(l, 0), t->export_format[0], l->lane, color);
	float alpha = bits_f32(color[3]);
	float most = (float)(1u << t->alpha_samples_log2);
	alpha = alpha > 0 ? BW_MIN(alpha, 1.0f) : 0; /* NaN: 0 */
	unsigned n = (unsigned)(alpha * most +
				(float)t->alpha_offset[l->at.y % 2 * 2 + l->at.x % 2] / QUARTERS);
	return mask & ((1u << n) - 1);
}

/* ---- what debuggers are told ---- */

/* A texel as RGBA. */
static bool read_rgba(struct bw_draw *d, const struct bw_draw_surface *s,
		      const struct bw_draw_sample *at, uint32_t out[4])
{
	uint8_t texel[16];
	uint32_t v[4];
	uint64_t va = texel_va(s, at);
	memset(out, 0, 4 * sizeof(*out));
	out[3] = s->im.format->is_int ? 1 : f32_bits(1);
	if (!va)
		return true;
	if (!read_texel(d, s, va, texel))
		return false;
	bw_format_unpack(s->im.format, texel, v);
	for (unsigned c = 0; c < s->im.format->n; c++)
		out[s->from[c]] = v[c];
	return true;
}

/* The colours at the watched pixel: before it is written, or after it. */
static bool note_colors(struct bw_draw *d, const struct lane *l, struct bw_draws_event *e,
			bool after)
{
	const struct bw_draw_targets *t = &d->targets;
	e->n_colors = 0;
	for (unsigned i = 0; i < t->n_colors; i++) {
		const struct bw_draw_surface *s = &t->color[i];
		struct bw_draws_color *c = &e->color[e->n_colors];
		if (!s->used)
			continue;
		e->n_colors++;
		if (!read_rgba(d, s, &l->at, after ? c->after : c->before))
			return false;
		if (after)
			continue;
		c->index = i;
		c->is_int = s->im.format->is_int;
		c->mask = s->mask;
		c->has_value = l->w->written[s->export] >> l->lane & 1;
		if (c->has_value)
			bw_draw_unpack_export(output(l, s->export), t->export_format[s->export],
					      l->lane, c->value);
	}
	return true;
}

static bool merge_fragment(struct bw_draw *d, struct lane *l, bool *out_passes)
{
	const struct bw_draw_targets *t = &d->targets;
	struct colors in = {{0}, {0}};
	bool passes = true;
	l->is_masked = !(exported_mask(d, l) >> l->at.sample & 1);
	if (l->is_masked)
		passes = false;
	else if (!t->is_early && !test_late(d, l, &passes))
		return false;
	*out_passes = passes;
	for (unsigned i = 0; i < t->n_colors && passes; i++) {
		unsigned export = t->color[i].export;
		if (!t->color[i].used || !(l->w->written[export] >> l->lane & 1))
			continue;
		bw_draw_unpack_export(output(l, export), t->export_format[export], l->lane, in.src);
		if (t->dual_source)
			bw_draw_unpack_export(output(l, 1), t->export_format[1], l->lane, in.src1);
		if (!put_color(d, &t->color[i], &in, &l->at))
			return false;
		if (t->dual_source)
			break;
	}
	return true;
}

/* The same for the watched pixel, with an event. */
static bool merge_watched(struct bw_draw *d, struct lane *l)
{
	struct bw_draws_event colors = {0};
	bool passes = true;
	if (!note_colors(d, l, &colors, false) || !merge_fragment(d, l, &passes) ||
	    !note_colors(d, l, &colors, true))
		return false;
	struct bw_draws_event e = bw_draw_look_event(d, l->quad->primitive, &l->at,
						     passes		 ? BW_DRAWS_WRITTEN
						     : l->is_masked	 ? BW_DRAWS_MASKED
						     : d->stencil_failed ? BW_DRAWS_STENCIL_FAILED
									 : BW_DRAWS_DEPTH_FAILED);
	e.n_colors = colors.n_colors;
	memcpy(e.color, colors.color, sizeof(e.color));
	bw_draw_look_note(d, &e);
	return true;
}

static bool merge_sample(struct bw_draw *d, struct lane *l)
{
	bool passes;
	return merge_fragment(d, l, &passes);
}

/* A lane that exports nothing: the shader has discarded it. */
static void note_discarded(struct bw_draw *d, struct lane *l, unsigned k)
{
	struct bw_draws_event colors = {0};
	l->at = (struct bw_draw_sample){.x = (uint32_t)l->quad->x + k % 2,
					.y = (uint32_t)l->quad->y + k / 2,
					.layer = l->primitive->layer,
					.is_front = l->primitive->t.is_front};
	if (!l->quad->covered[k] || !bw_draw_is_watched(d, (int32_t)l->at.x, (int32_t)l->at.y))
		return;
	l->at.sample = (uint32_t)__builtin_ctz(l->quad->covered[k]);
	bool read = note_colors(d, l, &colors, false) && note_colors(d, l, &colors, true);
	struct bw_draws_event e =
		bw_draw_look_event(d, l->quad->primitive, &l->at, BW_DRAWS_DISCARDED);
	e.has_depth = false; /* it was not tested, or before */
	e.n_colors = read ? colors.n_colors : 0;
	memcpy(e.color, colors.color, sizeof(e.color));
	bw_draw_look_note(d, &e);
}

static bool merge_lane(struct bw_draw *d, struct lane *l, unsigned k)
{
	if (!(l->w->live >> l->lane & 1)) {
		note_discarded(d, l, k);
		return true;
	}
	for (uint32_t left = l->quad->covered[k]; left; left &= left - 1) {
		l->at = (struct bw_draw_sample){
			.x = (uint32_t)l->quad->x + k % 2,
			.y = (uint32_t)l->quad->y + k / 2,
			.layer = l->primitive->layer,
			.sample = (uint32_t)__builtin_ctz(left),
			.is_front = l->primitive->t.is_front,
		};
		if (bw_draw_is_watched(d, (int32_t)l->at.x, (int32_t)l->at.y) ? !merge_watched(d, l)
									      : !merge_sample(d, l))
			return false;
	}
	return true;
}

bool bw_draw_merge(struct bw_draw *d)
{
	for (unsigned i = 0; i < d->n_waves; i++) {
		struct lane l = {.w = &d->waves[i]};
		for (unsigned n = 0; n < l.w->n_quads * 4; n++) {
			l.lane = n;
			l.quad = &l.w->quad[n / 4];
			l.primitive = &d->primitives[l.quad->primitive];
			if (!merge_lane(d, &l, n % 4))
				return false;
		}
	}
	return true;
}
