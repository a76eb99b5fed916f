/* SPDX-License-Identifier: MIT */
/* From what the primitive shader exports to shapes on the screen: points, lines, and triangles, or
 * the lines and points of triangles. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/small_float.h"
#include "base/util.h"
#include "base/words.h"
#include "vgpu/device/draw_priv.h"

enum { SLOPE_UNIT = 16 };      /* PA_SU_POLY_OFFSET_*_SCALE is in sixteenths */
enum { PRIM_NULL = 1u << 31 }; /* in a primitive's export */
/* Fields of the third component of the misc vector. */
#define MISC_LAYER 0, 11
#define MISC_VIEWPORT 16, 4

/* Fields of the second component of a primitive's export (ac_nir_lower_ngg_mesh.c of Mesa 25). */
#define PLACE_LAYER 0, 13
#define PLACE_VIEWPORT 20, 4

/* ---- values ---- */

static void read_position(const struct bw_draw_state *s, const struct bw_draw_subgroup *g,
			  unsigned n, struct bw_raster_vertex *out)
{
	memset(out, 0, sizeof(*out));
	out->x = bits_f32(g->position[0][0][n]);
	out->y = bits_f32(g->position[0][1][n]);
	out->z = bits_f32(g->position[0][2][n]);
	out->w = bits_f32(g->position[0][3][n]);
	for (unsigned i = 0; i < BW_RASTER_MAX_CLIP; i++) {
		int from = s->distances[i / 4];
		if (from >= 0)
			out->clip[i] = bits_f32(g->position[from][i % 4][n]);
	}
}

static uint32_t difference(const struct bw_draw_input *in, uint32_t a, uint32_t b)
{
	if (!in->halves)
		return f32_bits(bits_f32(a) - bits_f32(b));
	uint32_t out = 0;
	for (unsigned i = 0; i < 2; i++) {
		float x = bits_f32(bw_f16_to_f32((uint16_t)(a >> 16 * i)));
		float y = bits_f32(bw_f16_to_f32((uint16_t)(b >> 16 * i)));
		out |= (uint32_t)bw_f32_to_f16(f32_bits(x - y), false) << 16 * i;
	}
	return out;
}

/* One vertex's (or the primitive's) values of an input. The attribute ring is a swizzled buffer of
 * 16-byte elements in groups of 32 vertices (ac_build_attr_ring_descriptor of Mesa). */
static bool read_param(struct bw_draw *d, const struct bw_draw_subgroup *g, unsigned vertex,
		       const struct bw_draw_input *in, uint32_t out[4])
{
	struct bw_vm_fault fault;
	if (in->is_default) {
		memcpy(out, in->by_default, 16);
		return true;
	}
	uint64_t unit = g->ring_unit + (uint64_t)(vertex / 32) * d->state.n_params + in->param;
	uint64_t va = d->state.ring_va + unit * BW_DRAW_RING_UNIT_B + vertex % 32 * 16;
	if (bw_vm_read(bw_draw_tlb(d), bw_canonical(va), out, 16, &fault))
		return true;
	snprintf(d->why, sizeof(d->why), "its attributes at 0x%" PRIx64 " are not mapped",
		 fault.va);
	return false;
}

/* The place in a point instead of an attribute: its components by SPI_INTERP_CONTROL_0. */
static void make_sprite(const struct bw_draw_state *s, struct bw_draw_plane out[4])
{
	enum { ZERO, ONE, ACROSS, DOWN };
	for (unsigned c = 0; c < 4; c++) {
		float p[3] = {0, 0, 0};
		switch (s->sprite[c]) {
		case ONE:
			p[0] = 1;
			break;
		case ACROSS:
			p[1] = 1;
			break;
		case DOWN:
			p[0] = s->sprite_is_up ? 1 : 0;
			p[2] = s->sprite_is_up ? -1 : 1;
			break;
		case ZERO:
			break;
		default: /* stays the attribute */
			continue;
		}
		memcpy(out[c].p, p, sizeof(p));
	}
}

/* The values of a shape with these corners; provoking is the vertex of flat ones. */
static bool make_planes(struct bw_draw *d, const struct bw_draw_subgroup *g, unsigned number,
			const unsigned corner[3], unsigned provoking,
			struct bw_draw_plane (*planes)[4])
{
	for (unsigned i = 0; i < d->state.n_inputs; i++) {
		const struct bw_draw_input *in = &d->state.input[i];
		uint32_t v[3][4], flat[4];
		for (unsigned k = 0; k < 3; k++)
			if (!read_param(d, g, in->of_primitive ? number : corner[k], in, v[k]))
				return false;
		if (!read_param(d, g, in->of_primitive ? number : provoking, in, flat))
			return false;
		for (unsigned c = 0; c < 4; c++) {
			uint32_t *p = planes[i][c].p;
			/* Bits, not numbers: an integer must not pass through a float operation. */
			p[0] = in->flat && !in->raw ? flat[c] : v[0][c];
			for (unsigned k = 1; k < 3; k++)
				p[k] = in->raw	  ? v[k][c]
				       : in->flat ? 0
						  : difference(in, v[k][c], v[0][c]);
		}
		if (in->is_sprite)
			make_sprite(&d->state, planes[i]);
	}
	return true;
}

/* Depth bias (Vulkan 1.3, 28.11.3). Lines and points that are not a triangle's have none [I]. */
static void set_bias(const struct bw_draw_state *s, struct bw_triangle *t)
{
	unsigned face = t->is_front ? 0 : 1;
	int exponent = 0;
	if (!s->bias[face].on || !isfinite(t->slope) || !isfinite(t->max_z))
		return;
	if (s->bias_is_float)
		frexp(t->max_z, &exponent);
	double unit = ldexp(1, s->bias_bits + (s->bias_is_float ? exponent - 1 : 0));
	double bias = t->slope * (double)s->bias[face].scale / SLOPE_UNIT +
		      unit * (double)s->bias[face].offset;
	if (s->bias_clamp > 0)
		bias = fmin(bias, s->bias_clamp);
	else if (s->bias_clamp < 0)
		bias = fmax(bias, s->bias_clamp);
	t->bias = bias;
}

/* ---- shapes ---- */

/* A primitive that the shader exported. */
struct exported {
	const struct bw_draw_subgroup *g;
	unsigned number; /* in the subgroup */
	unsigned corner[3], n_corners, provoking;
	unsigned viewport;
	uint32_t layer;
	bool is_edge[3]; /* from this corner to the next one */
};

static bool setup_point(const struct bw_draw_state *s, const struct exported *e, unsigned corner,
			struct bw_triangle *t)
{
	struct bw_raster_vertex v;
	float size[2];
	read_position(s, e->g, corner, &v);
	for (unsigned i = 0; i < 2; i++) {
		size[i] = s->has_point_size ? bits_f32(e->g->position[s->misc][0][corner])
					    : s->point_size[i];
		size[i] = fminf(fmaxf(size[i], s->point_least), s->point_most);
	}
	return bw_triangle_setup_point(t, &v, &s->viewport[e->viewport], &s->rules,
				       &s->scissor[e->viewport], size);
}

static bool setup_line(const struct bw_draw_state *s, const struct exported *e,
		       const unsigned corner[2], struct bw_triangle *t)
{
	struct bw_raster_vertex v[2];
	for (unsigned i = 0; i < 2; i++)
		read_position(s, e->g, corner[i], &v[i]);
	return bw_triangle_setup_line(t, v, &s->viewport[e->viewport], &s->rules,
				      &s->scissor[e->viewport], &s->line);
}

static bool setup_triangle(const struct bw_draw_state *s, const struct exported *e,
			   struct bw_triangle *t)
{
	struct bw_raster_vertex v[3];
	for (unsigned i = 0; i < 3; i++)
		read_position(s, e->g, e->corner[i], &v[i]);
	return bw_triangle_setup(t, v, &s->viewport[e->viewport], &s->rules,
				 &s->scissor[e->viewport]);
}

/* Why the shape does not cover the watched pixel although it lies over it: it is culled, or the
 * scissor leaves the pixel out. What clipping removes is not looked for, nor the lines and points
 * of triangles. */
static void note_missing(struct bw_draw *d, const struct exported *e)
{
	static const struct bw_raster_area all = {0, 0, BW_RASTER_MAX_SIZE, BW_RASTER_MAX_SIZE};
	struct bw_draw_state s = d->state;
	const struct bw_raster_area *scissor = &d->state.scissor[e->viewport];
	const int32_t x = d->watched.x, y = d->watched.y;
	struct bw_triangle t;
	s.rules.culls_front = s.rules.culls_back = s.rules.is_outline = false;
	s.scissor[e->viewport] = all;
	bool is_shape = e->n_corners == 1   ? setup_point(&s, e, e->corner[0], &t)
			: e->n_corners == 2 ? setup_line(&s, e, e->corner, &t)
					    : setup_triangle(&s, e, &t);
	if (!is_shape || !bw_triangle_covers(&t, x * BW_RASTER_SUBPIXELS + BW_RASTER_SUBPIXELS / 2,
					     y * BW_RASTER_SUBPIXELS + BW_RASTER_SUBPIXELS / 2))
		return;
	bool culled = t.is_front ? d->state.rules.culls_front : d->state.rules.culls_back;
	bool outside = x < scissor->x0 || y < scissor->y0 || x >= scissor->x1 || y >= scissor->y1;
	if (e->n_corners < 3)
		culled = false;
	if (!culled && !outside)
		return;
	const struct bw_draw_sample at = {
		.x = (uint32_t)x, .y = (uint32_t)y, .layer = e->layer, .is_front = t.is_front};
	struct bw_draws_event event = bw_draw_look_event(
		d, d->n_primitives, &at, culled ? BW_DRAWS_CULLED : BW_DRAWS_SCISSORED);
	event.has_depth = false;
	bw_draw_look_note(d, &event);
}

/* Adds the shape that has been set up in the next place of d->primitives, with these corners. */
static bool add_shape(struct bw_draw *d, const struct exported *e, const unsigned corner[3])
{
	struct bw_draw_primitive *p = &d->primitives[d->n_primitives];
	p->layer = e->layer;
	p->planes = &d->planes[(size_t)d->n_primitives * d->state.n_inputs];
	if (!make_planes(d, e->g, e->number, corner, e->provoking, p->planes))
		return false;
	d->n_primitives++;
	return true;
}

static bool add_point(struct bw_draw *d, const struct exported *e, unsigned corner)
{
	const unsigned corners[3] = {corner, corner, corner};
	return !setup_point(&d->state, e, corner, &d->primitives[d->n_primitives].t) ||
	       add_shape(d, e, corners);
}

/* The lines or points of a triangle, which has their face and bias. */
static bool add_outline(struct bw_draw *d, const struct exported *e, enum bw_draw_shape shape)
{
	const struct bw_triangle of = d->primitives[d->n_primitives].t;
	for (unsigned i = 0; i < 3; i++) {
		/* In the order of lavapipe: the edge that ends at the first corner comes first. */
		unsigned k = (i + 2) % 3;
		const unsigned corner[3] = {e->corner[k], e->corner[(k + 1) % 3],
					    e->corner[(k + 1) % 3]};
		const unsigned points[3] = {e->corner[i], e->corner[i], e->corner[i]};
		struct bw_triangle *t = &d->primitives[d->n_primitives].t;
		if (shape == BW_DRAW_LINES ? !e->is_edge[k] || !setup_line(&d->state, e, corner, t)
					   : !setup_point(&d->state, e, e->corner[i], t))
			continue;
		t->is_front = of.is_front;
		t->bias = of.bias;
		if (!add_shape(d, e, shape == BW_DRAW_LINES ? corner : points))
			return false;
	}
	return true;
}

static bool add_triangle(struct bw_draw *d, const struct exported *e)
{
	struct bw_triangle *t = &d->primitives[d->n_primitives].t;
	const struct bw_draw_state *s = &d->state;
	if (!setup_triangle(s, e, t))
		return true;
	set_bias(s, t);
	enum bw_draw_shape shape = s->polygon[t->is_front ? 0 : 1];
	if (shape != BW_DRAW_TRIANGLES)
		return add_outline(d, e, shape);
	/* The other face is drawn as lines or points, and so is_outline was set. */
	if (s->rules.is_outline) {
		struct bw_draw_state filled = *s;
		filled.rules.is_outline = false;
		if (!setup_triangle(&filled, e, t))
			return true;
		set_bias(s, t);
	}
	return add_shape(d, e, e->corner);
}

static bool make_primitive(struct bw_draw *d, const struct bw_draw_subgroup *g, unsigned number)
{
	uint32_t word = g->out_primitive[number], misc = 0;
	const struct bw_draw_state *s = &d->state;
	struct exported e = {.g = g, .number = number, .n_corners = s->out_corners};
	for (unsigned i = 0; i < 3; i++) {
		e.corner[i] = (unsigned)bw_words_get(
			&word, BW_DRAW_PRIM_VERTEX(BW_MIN(i, s->out_corners - 1)));
		e.is_edge[i] = !s->has_edge_flags || bw_words_get(&word, BW_DRAW_PRIM_IS_EDGE(i));
		if (e.corner[i] >= BW_DRAW_VERTICES || !g->has_position[e.corner[i]])
			return true; /* it has no such vertex: nothing is drawn [I] */
	}
	e.provoking = e.corner[s->provoking_last ? 2 : 0];
	if (s->misc >= 0)
		misc = g->position[s->misc][2][e.provoking];
	const uint32_t place = g->has_place[number] ? g->out_place[number] : 0;
	e.viewport = s->has_viewport ? bw_words_get(&misc, MISC_VIEWPORT)
				     : bw_words_get(&place, PLACE_VIEWPORT);
	e.layer =
		s->has_layer ? bw_words_get(&misc, MISC_LAYER) : bw_words_get(&place, PLACE_LAYER);
	if (d->watched.on)
		note_missing(d, &e);
	if (e.n_corners == 1)
		return add_point(d, &e, e.corner[0]);
	if (e.n_corners == 2)
		return !setup_line(s, &e, e.corner, &d->primitives[d->n_primitives].t) ||
		       add_shape(d, &e, e.corner);
	return add_triangle(d, &e);
}

static bool make_room(struct bw_draw *d)
{
	unsigned n = 0;
	for (unsigned i = 0; i < d->n_subgroups; i++)
		for (unsigned k = 0; k < BW_DRAW_VERTICES; k++)
			n += d->subgroups[i].has_primitive[k];
	n *= d->state.rules.is_outline ? 3 : 1;
	if (n <= d->primitives_size)
		return true;
	free(d->primitives);
	free(d->planes);
	d->primitives = malloc(n * sizeof(*d->primitives));
	d->planes = malloc(((size_t)n * d->state.n_inputs + 1) * sizeof(*d->planes));
	d->primitives_size = d->primitives && d->planes ? n : 0;
	if (!d->primitives_size)
		snprintf(d->why, sizeof(d->why), "out of memory");
	return d->primitives_size;
}

/* The same, for pipeline statistics: what is left of clipping and culling is a primitive [I]. */
static bool count_primitive(struct bw_draw *d, const struct bw_draw_subgroup *g, unsigned number)
{
	unsigned n_before = d->n_primitives;
	if (!make_primitive(d, g, number))
		return false;
	bw_draw_count(d, BW_COUNT_GS_PRIMITIVES, d->state.has_gs);
	bw_draw_count(d, BW_COUNT_CLIP_INVOCATIONS, 1);
	bw_draw_count(d, BW_COUNT_CLIP_PRIMITIVES, d->n_primitives > n_before);
	return true;
}

bool bw_draw_make_primitives(struct bw_draw *d)
{
	d->n_primitives = 0;
	if (!make_room(d))
		return false;
	for (unsigned i = 0; i < d->n_subgroups; i++) {
		const struct bw_draw_subgroup *g = &d->subgroups[i];
		for (unsigned k = 0; k < BW_DRAW_VERTICES; k++)
			if (g->has_primitive[k] && !(g->out_primitive[k] & PRIM_NULL) &&
			    !count_primitive(d, g, k))
				return false;
	}
	return true;
}
