/* SPDX-License-Identifier: MIT */
/* What becomes of a sample: depth and stencil tests, blending, and the stores. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/small_float.h"
#include "base/util.h"
#include "vgpu/device/draw_priv.h"

enum { MUCH_WAVES = 16 }; /* less takes no longer than to wake other threads */

/* ---- texels ---- */

/* The address of a sample; 0: it lies outside of the surface. */
static uint64_t texel_va(const struct bw_draw_surface *s, const struct bw_draw_sample *at)
{
	if (at->x >= s->width || at->y >= s->height || at->layer >= s->slices ||
	    at->sample >> s->im.samples_log2)
		return 0;
	return bw_image_va(&s->im, s->level, at->x, at->y, at->layer, at->sample);
}

static bool fault_at(struct bw_draw_part *p, const struct bw_vm_fault *fault)
{
	snprintf(p->why, sizeof(p->why), "its target at 0x%" PRIx64 " is not mapped", fault->va);
	return false;
}

static void copy_texel(uint8_t *to, const uint8_t *from, unsigned size_b)
{
	if (size_b == 4) /* most are; the compiler makes two instructions of it */
		memcpy(to, from, 4);
	else
		memcpy(to, from, size_b);
}

/* Only texels of 12 bytes can cross a page. */
static bool read_texel(struct bw_draw_part *p, const struct bw_draw_surface *s, uint64_t va,
		       uint8_t texel[16])
{
	struct bw_vm_fault fault;
	struct bw_tlb *tlb = bw_draw_part_tlb(p);
	unsigned size_b = s->im.format->size_b;
	bool is_in_page = va % BW_PAGE_B + size_b <= BW_PAGE_B;
	uint8_t *host = is_in_page ? bw_tlb_lookup(tlb, va, BW_ACCESS_READ, &fault) : NULL;
	if (host) {
		copy_texel(texel, host, size_b);
		return true;
	}
	if (is_in_page && !fault.prt)
		return fault_at(p, &fault);
	return bw_vm_read(tlb, va, texel, size_b, &fault) || fault_at(p, &fault);
}

static bool write_texel(struct bw_draw_part *p, const struct bw_draw_surface *s, uint64_t va,
			const uint8_t texel[16])
{
	struct bw_vm_fault fault;
	struct bw_tlb *tlb = bw_draw_part_tlb(p);
	unsigned size_b = s->im.format->size_b;
	bool is_in_page = va % BW_PAGE_B + size_b <= BW_PAGE_B;
	uint8_t *host = is_in_page ? bw_tlb_lookup(tlb, va, BW_ACCESS_WRITE, &fault) : NULL;
	if (host) {
		copy_texel(host, texel, size_b);
		return true;
	}
	if (is_in_page && !fault.prt)
		return fault_at(p, &fault);
	return bw_vm_write(tlb, va, texel, size_b, &fault) || fault_at(p, &fault);
}

/* ---- depth and stencil ---- */

/* The depth that the buffer has at va becomes p->depth_before. */
static bool read_depth(struct bw_draw_part *p, uint64_t va)
{
	const struct bw_draw_surface *s = &p->d->targets.depth;
	uint8_t texel[16];
	uint32_t old[4];
	if (!read_texel(p, s, va, texel))
		return false;
	bw_format_unpack(s->im.format, texel, old);
	p->depth_before = bits_f32(old[0]);
	return true;
}

/* A depth as the buffer holds it, for comparisons with what it holds. */
static float stored_depth(const struct bw_format *f, float z)
{
	uint8_t texel[16];
	uint32_t v[4] = {f32_bits(z)};
	if (f->is_raw32)
		return z;
	bw_format_pack(f, v, texel);
	bw_format_unpack(f, texel, v);
	return bits_f32(v[0]);
}

static bool write_depth(struct bw_draw_part *p, uint64_t va, float z)
{
	const struct bw_draw_targets *t = &p->d->targets;
	uint8_t texel[16];
	const uint32_t v[4] = {f32_bits(t->clear_depth ? t->depth_clear : z)};
	bw_format_pack(t->depth.im.format, v, texel);
	return write_texel(p, &t->depth, va, texel);
}

bool bw_draw_test(struct bw_draw_part *p, const struct bw_draw_sample *at, bool *out_passes)
{
	struct bw_draw_targets *t = &p->d->targets;
	const struct bw_draw_stencil *face = &t->face[at->is_front ? 0 : 1];
	uint8_t texel[16], old = 0;
	bool stencil_passes = true, depth_passes = true;
	const uint64_t depth_va = t->depth.used ? texel_va(&t->depth, at) : 0;
	p->stencil_failed = false;
	*out_passes = false;
	if (depth_va && !read_depth(p, depth_va))
		return false;
	if (depth_va && t->has_bounds &&
	    !(p->depth_before >= t->bounds[0] && p->depth_before <= t->bounds[1]))
		return true;
	uint64_t va = t->stencil.used ? texel_va(&t->stencil, at) : 0;
	if (va) {
		if (!read_texel(p, &t->stencil, va, texel))
			return false;
		old = texel[0];
		stencil_passes = bw_compare_stencil(face->function, at->stencil & face->mask,
						    old & face->mask);
	}
	if (depth_va)
		depth_passes = bw_compare_depth(
			t->z_function, stored_depth(t->depth.im.format, at->z), p->depth_before);
	*out_passes = stencil_passes && depth_passes;
	p->stencil_failed = !stencil_passes;
	if (va && t->writes_stencil) {
		unsigned op = !stencil_passes ? face->fail
			      : depth_passes  ? face->pass
					      : face->depth_fail;
		uint8_t value = bw_stencil_op(op, old, at->stencil, face->op_value);
		texel[0] = (uint8_t)((value & face->write_mask) | (old & ~face->write_mask));
		if (texel[0] != old && !write_texel(p, &t->stencil, va, texel))
			return false;
	}
	if (*out_passes && t->counts)
		p->n_passed++;
	return !*out_passes || !depth_va || !t->writes_depth || write_depth(p, depth_va, at->z);
}

/* The addresses of all samples of a pixel. False: it lies outside of the surface. */
static bool sample_vas(const struct bw_draw_surface *s, const struct bw_draw_sample *at,
		       uint64_t out[BW_IMAGE_SAMPLES])
{
	if (at->x >= s->width || at->y >= s->height || at->layer >= s->slices)
		return false;
	bw_image_sample_vas(&s->im, s->level, at->x, at->y, at->layer, out);
	return true;
}

/* Most draws test nothing but depth of 32 bits, in pages that are in the cache. */
bool bw_draw_test_pixel(struct bw_draw_part *p, const struct bw_draw_sample *at, uint32_t mask,
			const float z[BW_IMAGE_SAMPLES], uint32_t *out_passes)
{
	const struct bw_draw_targets *t = &p->d->targets;
	const struct bw_draw_surface *s = &t->depth;
	const unsigned access = BW_ACCESS_READ | (t->writes_depth ? BW_ACCESS_WRITE : 0u);
	uint64_t va[BW_IMAGE_SAMPLES];
	const bool is_quick = s->used && !t->stencil.used && !t->has_bounds &&
			      s->im.format->is_raw32 && s->im.format->size_b == 4 &&
			      !(mask >> (1u << s->im.samples_log2)) && sample_vas(s, at, va);
	*out_passes = 0;
	for (uint32_t left = mask; left; left &= left - 1) {
		const unsigned i = (unsigned)__builtin_ctz(left);
		uint8_t *host = is_quick ? bw_tlb_hit(bw_draw_part_tlb(p), va[i], access) : NULL;
		bool passes;
		float old;
		if (!host) {
			struct bw_draw_sample one = *at;
			one.sample = i;
			one.z = z[i];
			if (!bw_draw_test(p, &one, &passes))
				return false;
			*out_passes |= (uint32_t)passes << i;
			continue;
		}
		memcpy(&old, host, sizeof(old));
		if (!bw_compare_depth(t->z_function, z[i], old))
			continue;
		*out_passes |= 1u << i;
		p->n_passed += t->counts;
		if (t->writes_depth)
			memcpy(host, t->clear_depth ? &t->depth_clear : &z[i], sizeof(old));
	}
	return true;
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

static void pack_color(const struct bw_draw_surface *s, const uint32_t rgba[4], uint8_t texel[16])
{
	uint32_t v[4] = {0};
	for (unsigned c = 0; c < s->im.format->n; c++)
		v[c] = rgba[s->from[c]];
	bw_format_pack(s->im.format, v, texel);
}

/* Stores what becomes of the texel that is there. */
static bool put_color(struct bw_draw_part *p, const struct bw_draw_surface *s,
		      const struct colors *in, const struct bw_draw_sample *at)
{
	const struct bw_format *f = s->im.format;
	uint8_t texel[16], old[16] = {0};
	uint32_t rgba[4], v[4], before[4];
	uint64_t va = texel_va(s, at);
	if (!va)
		return true;
	if (!read_texel(p, s, va, old))
		return false;
	memcpy(rgba, in->src, sizeof(rgba));
	if (s->blend.enabled && !s->is_rop)
		combine(s, in, old, rgba);
	pack_color(s, rgba, texel);
	for (unsigned i = 0; i < f->size_b && s->is_rop; i++)
		texel[i] = bw_blend_rop(p->d->targets.rop3, texel[i], old[i]);
	if (s->write_mask != (1u << f->n) - 1) {
		bw_format_unpack(f, texel, v);
		bw_format_unpack(f, old, before);
		for (unsigned c = 0; c < f->n; c++)
			if (!(s->write_mask >> c & 1))
				v[c] = before[c];
		bw_format_pack(f, v, texel);
	}
	return write_texel(p, s, va, texel);
}

/* ---- lanes ---- */

struct lane {
	const struct bw_draw_pixel_wave *w;
	const struct bw_draw_quad *quad;
	const struct bw_draw_primitive *primitive;
	unsigned lane;
	struct bw_draw_sample at;
	bool only_overwrites;
	bool is_masked; /* the shader's sample mask leaves the sample out */
	/* Colours (a bit each) that overwrite, and have been packed: they are the same in each
	 * sample. */
	uint8_t is_packed;
	uint8_t texel[BW_DRAW_COLORS][16];
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
static bool test_late(struct bw_draw_part *p, struct lane *l, bool *out_passes)
{
	const struct bw_draw_targets *t = &p->d->targets;
	const struct bw_draw_state *s = &p->d->state;
	unsigned lane = l->lane;
	const uint32_t *z = depth_output(p->d, l);
	bool is_small = t->z_export_format == BW_EX_UINT16_ABGR;
	int sample = (int)l->at.sample;
	l->at.z = (float)bw_triangle_depth(&l->primitive->t,
					   bw_draw_sample_at_x(s, (int32_t)l->at.x, sample),
					   bw_draw_sample_at_y(s, (int32_t)l->at.y, sample));
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
	return bw_draw_test(p, &l->at, out_passes);
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
static bool read_rgba(struct bw_draw_part *p, const struct bw_draw_surface *s,
		      const struct bw_draw_sample *at, uint32_t out[4])
{
	uint8_t texel[16];
	uint32_t v[4];
	uint64_t va = texel_va(s, at);
	memset(out, 0, 4 * sizeof(*out));
	out[3] = s->im.format->is_int ? 1 : f32_bits(1);
	if (!va)
		return true;
	if (!read_texel(p, s, va, texel))
		return false;
	bw_format_unpack(s->im.format, texel, v);
	for (unsigned c = 0; c < s->im.format->n; c++)
		out[s->from[c]] = v[c];
	return true;
}

/* The colours at the watched pixel: before it is written, or after it. */
static bool note_colors(struct bw_draw_part *p, const struct lane *l, struct bw_draws_event *e,
			bool after)
{
	const struct bw_draw_targets *t = &p->d->targets;
	e->n_colors = 0;
	for (unsigned i = 0; i < t->n_colors; i++) {
		const struct bw_draw_surface *s = &t->color[i];
		struct bw_draws_color *c = &e->color[e->n_colors];
		if (!s->used)
			continue;
		e->n_colors++;
		if (!read_rgba(p, s, &l->at, after ? c->after : c->before))
			return false;
		if (after)
			continue;
		c->index = i;
		c->number = bw_draw_look_number(s->im.format);
		c->mask = s->mask;
		c->has_value = l->w->written[s->export] >> l->lane & 1;
		if (c->has_value)
			bw_draw_unpack_export(output(l, s->export), t->export_format[s->export],
					      l->lane, c->value);
	}
	return true;
}

/* Stores a colour whatever is there. src: of the lane, unless it has been packed. */
static bool overwrite(struct bw_draw_part *p, unsigned i, struct lane *l, const uint32_t src[4])
{
	const struct bw_draw_surface *s = &p->d->targets.color[i];
	uint64_t va = texel_va(s, &l->at);
	if (!(l->is_packed >> i & 1))
		pack_color(s, src, l->texel[i]);
	l->is_packed |= (uint8_t)(1u << i);
	return !va || write_texel(p, s, va, l->texel[i]);
}

/* The same in these samples of the pixel. */
static bool overwrite_samples(struct bw_draw_part *p, unsigned i, struct lane *l, uint32_t mask)
{
	const struct bw_draw_targets *t = &p->d->targets;
	const struct bw_draw_surface *s = &t->color[i];
	uint64_t va[BW_IMAGE_SAMPLES];
	uint32_t src[4];
	bw_draw_unpack_export(output(l, s->export), t->export_format[s->export], l->lane, src);
	pack_color(s, src, l->texel[i]);
	if (!sample_vas(s, &l->at, va))
		return true;
	for (mask &= (1u << (1u << s->im.samples_log2)) - 1; mask; mask &= mask - 1)
		if (!write_texel(p, s, va[__builtin_ctz(mask)], l->texel[i]))
			return false;
	return true;
}

/* Whether all that the shader leaves of a lane are colours that are stored, whatever is there. */
static bool only_overwrites(const struct bw_draw_targets *t)
{
	bool all = t->is_early && !t->dual_source;
	for (unsigned i = 0; i < t->n_colors; i++)
		all &= !t->color[i].used || t->color[i].overwrites;
	return all;
}

static bool overwrite_lane(struct bw_draw_part *p, struct lane *l, uint32_t covered)
{
	const struct bw_draw_targets *t = &p->d->targets;
	const uint32_t mask = exported_mask(p->d, l) & covered;
	for (unsigned i = 0; i < t->n_colors; i++)
		if (t->color[i].used && l->w->written[t->color[i].export] >> l->lane & 1 &&
		    !overwrite_samples(p, i, l, mask))
			return false;
	return true;
}

static bool merge_fragment(struct bw_draw_part *p, struct lane *l, bool *out_passes)
{
	const struct bw_draw_targets *t = &p->d->targets;
	struct colors in = {{0}, {0}};
	bool passes = true;
	l->is_masked = !(exported_mask(p->d, l) >> l->at.sample & 1);
	if (l->is_masked)
		passes = false;
	else if (!t->is_early && !test_late(p, l, &passes))
		return false;
	*out_passes = passes;
	for (unsigned i = 0; i < t->n_colors && passes; i++) {
		unsigned export = t->color[i].export;
		if (!t->color[i].used || !(l->w->written[export] >> l->lane & 1))
			continue;
		if (!(l->is_packed >> i & 1))
			bw_draw_unpack_export(output(l, export), t->export_format[export], l->lane,
					      in.src);
		if (t->dual_source)
			bw_draw_unpack_export(output(l, 1), t->export_format[1], l->lane, in.src1);
		if (t->color[i].overwrites ? !overwrite(p, i, l, in.src)
					   : !put_color(p, &t->color[i], &in, &l->at))
			return false;
		if (t->dual_source)
			break;
	}
	return true;
}

/* The same for the watched pixel, with an event. */
static bool merge_watched(struct bw_draw_part *p, struct lane *l)
{
	struct bw_draws_event colors = {0};
	bool passes = true;
	if (!note_colors(p, l, &colors, false) || !merge_fragment(p, l, &passes) ||
	    !note_colors(p, l, &colors, true))
		return false;
	struct bw_draws_event e = bw_draw_look_event(p->d, l->quad->primitive, &l->at,
						     passes		 ? BW_DRAWS_WRITTEN
						     : l->is_masked	 ? BW_DRAWS_MASKED
						     : p->stencil_failed ? BW_DRAWS_STENCIL_FAILED
									 : BW_DRAWS_DEPTH_FAILED);
	e.depth_before = p->depth_before;
	e.n_colors = colors.n_colors;
	memcpy(e.color, colors.color, sizeof(e.color));
	bw_draw_look_note(p->d, &e);
	return true;
}

/* A lane that exports nothing: the shader has discarded it. */
static void note_discarded(struct bw_draw_part *p, struct lane *l, unsigned k)
{
	struct bw_draws_event colors = {0};
	l->at = (struct bw_draw_sample){.x = (uint32_t)l->quad->x + k % 2,
					.y = (uint32_t)l->quad->y + k / 2,
					.layer = l->primitive->layer,
					.is_front = l->primitive->t.is_front};
	if (!l->quad->covered[k] || !bw_draw_is_watched(p->d, (int32_t)l->at.x, (int32_t)l->at.y))
		return;
	l->at.sample = (uint32_t)__builtin_ctz(l->quad->covered[k]);
	bool read = note_colors(p, l, &colors, false) && note_colors(p, l, &colors, true);
	struct bw_draws_event e =
		bw_draw_look_event(p->d, l->quad->primitive, &l->at, BW_DRAWS_DISCARDED);
	e.depth_before = p->depth_before;
	e.has_depth = false; /* it was not tested, or before */
	e.n_colors = read ? colors.n_colors : 0;
	memcpy(e.color, colors.color, sizeof(e.color));
	bw_draw_look_note(p->d, &e);
}

static bool merge_lane(struct bw_draw_part *p, struct lane *l, unsigned k)
{
	bool passes;
	if (!(l->w->live >> l->lane & 1)) {
		note_discarded(p, l, k);
		return true;
	}
	l->at = (struct bw_draw_sample){.x = (uint32_t)l->quad->x + k % 2,
					.y = (uint32_t)l->quad->y + k / 2,
					.layer = l->primitive->layer,
					.is_front = l->primitive->t.is_front};
	if (l->only_overwrites && !bw_draw_is_watched(p->d, (int32_t)l->at.x, (int32_t)l->at.y))
		return overwrite_lane(p, l, l->quad->covered[k]);
	for (uint32_t left = l->quad->covered[k]; left; left &= left - 1) {
		l->at.sample = (uint32_t)__builtin_ctz(left);
		l->at.z = 0;
		l->at.stencil = 0;
		if (bw_draw_is_watched(p->d, (int32_t)l->at.x, (int32_t)l->at.y)
			    ? !merge_watched(p, l)
			    : !merge_fragment(p, l, &passes))
			return false;
	}
	return true;
}

static bool merge_tiles(struct bw_draw_part *p)
{
	const struct bw_draw *d = p->d;
	const bool only = only_overwrites(&d->targets);
	for (unsigned i = 0; i < d->n_waves; i++) {
		struct lane l = {.w = &d->waves[i], .only_overwrites = only};
		for (unsigned n = 0; n < l.w->n_quads; n++) {
			l.quad = &l.w->quad[n];
			l.primitive = &d->primitives[l.quad->primitive];
			if (!bw_draw_has_tile(p, l.quad->x, l.quad->y))
				continue;
			for (unsigned k = 0; k < 4; k++) {
				l.lane = n * 4 + k;
				l.is_packed = 0;
				if (!merge_lane(p, &l, k))
					return false;
			}
		}
	}
	return true;
}

bool bw_draw_merge(struct bw_draw *d)
{
	return bw_draw_in_parts(d, d->n_waves >= MUCH_WAVES, merge_tiles);
}
