/* SPDX-License-Identifier: MIT */
/* From vertices and indices to subgroups of the primitive shader, and from what it exports to
 * triangles. */
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

/* Vertices that the search for one that the subgroup has already looks at. */
enum { REUSE_DEPTH = 30 };
/* Vertices of a round that are looked at: other queues have their turns, too. */
enum { BUDGET = 1 << 16 };
enum { SLOPE_UNIT = 16 }; /* PA_SU_POLY_OFFSET_*_SCALE is in sixteenths */
/* Fields of a primitive's export, and of the third component of the misc vector. */
#define PRIM_VERTEX(i) 10 * (i), 9
enum { PRIM_NULL = 1u << 31 };
#define MISC_LAYER 0, 11
#define MISC_VIEWPORT 16, 4

/* ---- vertices to subgroups ---- */

/* The next vertex of the instance. False: it cannot be read. */
static bool fetch(struct bw_draw *d, uint32_t *out_id, bool *out_restart)
{
	const struct bw_draw_state *s = &d->state;
	uint32_t index = 0;
	*out_restart = false;
	if (!d->call.indexed) {
		*out_id = d->at + s->index_offset;
		return true;
	}
	uint64_t at = (uint64_t)d->call.first_index + d->at;
	struct bw_vm_fault fault;
	if (at < d->call.max_indices &&
	    !bw_vm_read(bw_draw_tlb(d), bw_canonical(d->call.index_va + at * s->index_b), &index,
			s->index_b, &fault)) {
		snprintf(d->why, sizeof(d->why), "its indices at 0x%" PRIx64 " are not mapped",
			 fault.va);
		return false;
	}
	*out_restart = s->restarts && index == s->restart_index;
	*out_id = index + s->index_offset;
	return true;
}

/* The number of the vertex in the subgroup; -1: there is no room. */
static int add_vertex(const struct bw_draw_state *s, struct bw_draw_subgroup *g,
		      const struct bw_draw_vertex *v)
{
	unsigned n = g->n_vertices;
	for (unsigned i = n; i > 0 && n - i < REUSE_DEPTH; i--)
		if (g->vertex[i - 1].id == v->id && g->vertex[i - 1].instance == v->instance)
			return (int)i - 1;
	if (n >= s->max_vertices)
		return -1;
	g->vertex[g->n_vertices++] = *v;
	return (int)n;
}

/* False: there is no room. */
static bool add_primitive(const struct bw_draw_state *s, struct bw_draw_subgroup *g,
			  const struct bw_draw_vertex v[3], uint32_t id)
{
	unsigned n_before = g->n_vertices;
	if (g->n_primitives >= s->max_primitives)
		return false;
	for (unsigned i = 0; i < 3; i++) {
		int number = add_vertex(s, g, &v[i]);
		if (number < 0) {
			g->n_vertices = n_before;
			return false;
		}
		g->primitive[g->n_primitives][i] = (uint8_t)number;
	}
	g->primitive_id[g->n_primitives++] = id;
	return true;
}

/* The next primitive of the draw. False: there is none, (d->why) it cannot be read, or (d->budget)
 * the search took long. */
static bool next_primitive(struct bw_draw *d, struct bw_draw_vertex out[3], uint32_t *out_id)
{
	while (d->instance < d->call.n_instances) {
		while (d->at < d->call.n) {
			uint32_t id, corners[3];
			bool restart;
			if (!d->budget || !fetch(d, &id, &restart))
				return false;
			d->budget--;
			d->at++;
			if (restart) {
				bw_raster_restart(&d->assembler);
				continue;
			}
			if (!bw_raster_assemble(&d->assembler, id, corners))
				continue;
			for (unsigned i = 0; i < 3; i++)
				out[i] = (struct bw_draw_vertex){corners[i], d->instance};
			*out_id = d->primitive_id++;
			return true;
		}
		d->instance++;
		d->at = d->primitive_id = 0;
		bw_raster_restart(&d->assembler);
		/* Many instances of nothing */
		if (d->call.n < 3)
			d->instance = d->call.n_instances;
	}
	return false;
}

static uint32_t ring_units(const struct bw_draw_state *s, unsigned n_vertices,
			   unsigned n_primitives)
{
	return (BW_MAX(n_vertices, n_primitives) + 31) / 32 * s->n_params;
}

bool bw_draw_make_subgroups(struct bw_draw *d)
{
	const struct bw_draw_state *s = &d->state;
	uint32_t unit = 0;
	d->n_subgroups = 0;
	d->why[0] = '\0';
	d->budget = BUDGET;
	while (d->n_subgroups < BW_DRAW_SUBGROUPS) {
		struct bw_draw_subgroup *g = &d->subgroups[d->n_subgroups];
		if (d->n_subgroups &&
		    unit + ring_units(s, s->max_vertices, s->max_primitives) > s->ring_units)
			break;
		memset(g, 0, offsetof(struct bw_draw_subgroup, vertex));
		for (;;) {
			if (!d->has_begun && !next_primitive(d, d->begun, &d->begun_id))
				break;
			d->has_begun = !add_primitive(s, g, d->begun, d->begun_id);
			if (d->has_begun)
				break;
		}
		if (d->why[0])
			return false;
		if (!g->n_primitives)
			break;
		memset(g->has_position, 0, sizeof(g->has_position));
		memset(g->has_primitive, 0, sizeof(g->has_primitive));
		memset(g->position, 0, sizeof(g->position));
		g->ring_unit = unit;
		unit += ring_units(s, g->n_vertices, g->n_primitives);
		d->n_subgroups++;
	}
	return true;
}

/* ---- exports to triangles ---- */

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

static bool make_planes(struct bw_draw *d, const struct bw_draw_subgroup *g, unsigned number,
			const unsigned corner[3], struct bw_draw_plane (*planes)[4])
{
	for (unsigned i = 0; i < d->state.n_inputs; i++) {
		const struct bw_draw_input *in = &d->state.input[i];
		uint32_t v[3][4];
		for (unsigned k = 0; k < 3; k++)
			if (!read_param(d, g, in->of_primitive ? number : corner[k], in, v[k]))
				return false;
		const uint32_t *flat = v[d->state.provoking_last ? 2 : 0];
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

/* Depth bias (Vulkan 1.3, 28.11.3). */
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

static bool setup(const struct bw_draw_state *s, const struct bw_draw_subgroup *g,
		  const unsigned corner[3], unsigned viewport, struct bw_triangle *t)
{
	const struct bw_raster_viewport *view = &s->viewport[viewport];
	const struct bw_raster_area *scissor = &s->scissor[viewport];
	struct bw_raster_vertex v[3];
	for (unsigned i = 0; i < 3; i++)
		read_position(s, g, corner[i], &v[i]);
	if (s->topology != BW_TOPOLOGY_POINTS)
		return bw_triangle_setup(t, v, view, &s->rules, scissor);
	float size[2];
	for (unsigned i = 0; i < 2; i++) {
		size[i] = s->has_point_size ? bits_f32(g->position[s->misc][0][corner[0]])
					    : s->point_size[i];
		size[i] = fminf(fmaxf(size[i], s->point_least), s->point_most);
	}
	return bw_triangle_setup_point(t, &v[0], view, &s->rules, scissor, size);
}

/* Why the triangle does not cover the watched pixel although it lies over it: it is culled, or the
 * scissor leaves the pixel out. What clipping removes is not looked for. */
static void note_missing(struct bw_draw *d, const struct bw_draw_subgroup *g,
			 const unsigned corner[3], unsigned viewport, uint32_t layer)
{
	static const struct bw_raster_area all = {0, 0, BW_RASTER_MAX_SIZE, BW_RASTER_MAX_SIZE};
	struct bw_draw_state s = d->state;
	const struct bw_raster_area *scissor = &d->state.scissor[viewport];
	const int32_t x = d->watched.x, y = d->watched.y;
	struct bw_triangle t;
	s.rules.culls_front = s.rules.culls_back = false;
	s.scissor[viewport] = all;
	if (!setup(&s, g, corner, viewport, &t) ||
	    !bw_triangle_covers(&t, x * BW_RASTER_SUBPIXELS + BW_RASTER_SUBPIXELS / 2,
				y * BW_RASTER_SUBPIXELS + BW_RASTER_SUBPIXELS / 2))
		return;
	bool culled = t.is_front ? d->state.rules.culls_front : d->state.rules.culls_back;
	bool outside = x < scissor->x0 || y < scissor->y0 || x >= scissor->x1 || y >= scissor->y1;
	if (!culled && !outside)
		return;
	const struct bw_draw_sample at = {
		.x = (uint32_t)x, .y = (uint32_t)y, .layer = layer, .is_front = t.is_front};
	struct bw_draws_event e = bw_draw_look_event(d, d->n_primitives, &at,
						     culled ? BW_DRAWS_CULLED : BW_DRAWS_SCISSORED);
	e.has_depth = false;
	bw_draw_look_note(d, &e);
}

static bool make_primitive(struct bw_draw *d, const struct bw_draw_subgroup *g, unsigned number)
{
	uint32_t exported = g->out_primitive[number];
	const struct bw_draw_state *s = &d->state;
	struct bw_draw_primitive *p = &d->primitives[d->n_primitives];
	unsigned corner[3];
	for (unsigned i = 0; i < 3; i++) {
		unsigned from = s->topology == BW_TOPOLOGY_POINTS ? 0 : i;
		corner[i] = (unsigned)bw_words_get(&exported, PRIM_VERTEX(from));
		if (corner[i] >= BW_DRAW_VERTICES || !g->has_position[corner[i]])
			return true; /* it has no such vertex: nothing is drawn [I] */
	}
	uint32_t misc = 0;
	if (s->misc >= 0)
		misc = g->position[s->misc][2][corner[s->provoking_last ? 2 : 0]];
	unsigned viewport = s->has_viewport ? bw_words_get(&misc, MISC_VIEWPORT) : 0;
	p->layer = s->has_layer ? bw_words_get(&misc, MISC_LAYER) : 0;
	if (d->watched.on)
		note_missing(d, g, corner, viewport, p->layer);
	if (!setup(s, g, corner, viewport, &p->t))
		return true;
	set_bias(s, &p->t);
	p->planes = &d->planes[(size_t)d->n_primitives * s->n_inputs];
	if (!make_planes(d, g, number, corner, p->planes))
		return false;
	d->n_primitives++;
	return true;
}

static bool make_room(struct bw_draw *d)
{
	unsigned n = 0;
	for (unsigned i = 0; i < d->n_subgroups; i++)
		for (unsigned k = 0; k < BW_DRAW_VERTICES; k++)
			n += d->subgroups[i].has_primitive[k];
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

bool bw_draw_make_primitives(struct bw_draw *d)
{
	d->n_primitives = 0;
	if (!make_room(d))
		return false;
	for (unsigned i = 0; i < d->n_subgroups; i++) {
		const struct bw_draw_subgroup *g = &d->subgroups[i];
		for (unsigned k = 0; k < BW_DRAW_VERTICES; k++)
			if (g->has_primitive[k] && !(g->out_primitive[k] & PRIM_NULL) &&
			    !make_primitive(d, g, k))
				return false;
	}
	return true;
}
