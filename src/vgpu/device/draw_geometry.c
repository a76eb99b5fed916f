/* SPDX-License-Identifier: MIT */
/* From vertices and indices to subgroups of the primitive shader. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/draw_priv.h"

/* Vertices that the search for one that the subgroup has already looks at. */
enum { REUSE_DEPTH = 30 };
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
		if (g->vertex[i - 1].id == v->id && g->vertex[i - 1].instance == v->instance &&
		    g->vertex[i - 1].u == v->u && g->vertex[i - 1].v == v->v)
			return (int)i - 1;
	if (n >= s->max_vertices)
		return -1;
	g->vertex[g->n_vertices++] = *v;
	return (int)n;
}

/* False: there is no room. */
static bool add_primitive(struct bw_draw *d, struct bw_draw_subgroup *g, unsigned n_corners)
{
	const struct bw_draw_state *s = &d->state;
	unsigned n_before = g->n_vertices;
	if (g->n_primitives >= s->max_primitives)
		return false;
	/* Waves get the numbers of all corners that a primitive may have. */
	memset(g->primitive[g->n_primitives], 0, sizeof(*g->primitive));
	for (unsigned i = 0; i < n_corners; i++) {
		int number = add_vertex(s, g, &d->begun[i]);
		if (number < 0) {
			g->n_vertices = n_before;
			return false;
		}
		g->primitive[g->n_primitives][i] = (uint8_t)number;
	}
	g->gs_instance[g->n_primitives] = (uint8_t)d->begun_instance;
	g->edges[g->n_primitives] = d->begun_edges;
	g->primitive_id[g->n_primitives++] = d->begun_id;
	return true;
}

/* Takes vertices until they complete a primitive. False: there is none, (d->why) it cannot be read,
 * or (d->budget) the search took long. */
static bool assemble(struct bw_draw *d, uint32_t corners[BW_RASTER_CORNERS])
{
	struct bw_assembler *a = &d->assembler;
	while (d->at < d->call.n) {
		uint32_t id;
		bool restart;
		if (!d->budget || !fetch(d, &id, &restart))
			return false;
		d->budget--;
		d->at++;
		bw_draw_count(d, BW_COUNT_VERTICES, !restart);
		if (restart ? bw_raster_close(a, corners) : bw_raster_assemble(a, id, corners))
			return true;
	}
	return bw_raster_close(a, corners);
}

bool bw_draw_next_primitive(struct bw_draw *d)
{
	const unsigned n_corners = bw_raster_corners(&d->assembler);
	while (d->instance < d->call.n_instances) {
		uint32_t corners[BW_RASTER_CORNERS];
		bool is_rest = bw_raster_rest(&d->assembler, corners);
		if (is_rest || assemble(d, corners)) {
			if (d->state.drops_neighbours)
				bw_raster_drop_neighbours(d->state.topology, corners);
			for (unsigned i = 0; i < n_corners; i++)
				d->begun[i] =
					(struct bw_draw_vertex){corners[i], d->instance, 0, 0};
			d->begun_id = is_rest ? d->begun_id : d->primitive_id++;
			d->begun_edges = d->assembler.edges;
			bw_draw_count(d, BW_COUNT_PRIMITIVES, 1);
			return true;
		}
		if (d->at < d->call.n)
			return false;
		d->instance++;
		d->at = d->primitive_id = 0;
		/* Many instances of nothing */
		if (d->call.n < n_corners)
			d->instance = d->call.n_instances;
	}
	return false;
}

bool bw_draw_add_begun(struct bw_draw *d, struct bw_draw_subgroup *g, unsigned n_corners)
{
	const struct bw_draw_state *s = &d->state;
	for (; d->begun_instance < s->gs_instances; d->begun_instance++)
		if (!add_primitive(d, g, n_corners))
			return false;
	d->begun_instance = 0;
	return true;
}

unsigned bw_draw_max_subgroups(const struct bw_draw *d)
{
	return d->state.is_ordered ? 1 : BW_DRAW_SUBGROUPS;
}

unsigned bw_draw_out_vertices(const struct bw_draw_state *s, const struct bw_draw_subgroup *g)
{
	return s->has_gs ? g->n_primitives * s->gs_vertices : g->n_vertices;
}

static uint32_t ring_units(const struct bw_draw_state *s, unsigned n_vertices,
			   unsigned n_primitives)
{
	return (BW_MAX(n_vertices, n_primitives) + 31) / 32 * s->n_params;
}

bool bw_draw_has_room(const struct bw_draw *d, uint32_t unit)
{
	const struct bw_draw_state *s = &d->state;
	return unit + ring_units(s, BW_DRAW_VERTICES, BW_DRAW_VERTICES) <= s->ring_units;
}

void bw_draw_begin_subgroup(struct bw_draw_subgroup *g)
{
	memset(g, 0, offsetof(struct bw_draw_subgroup, vertex));
}

void bw_draw_end_subgroup(struct bw_draw *d, struct bw_draw_subgroup *g, uint32_t *unit)
{
	const struct bw_draw_state *s = &d->state;
	memset(g->has_position, 0, sizeof(g->has_position));
	memset(g->has_primitive, 0, sizeof(g->has_primitive));
	memset(g->has_place, 0, sizeof(g->has_place));
	memset(g->position, 0, sizeof(g->position));
	bw_draw_count(d, BW_COUNT_GS_INVOCATIONS, s->has_gs ? g->n_primitives : 0);
	g->order = d->n_ordered++;
	g->ring_unit = *unit;
	*unit += ring_units(s, bw_draw_out_vertices(s, g), g->n_primitives);
}

bool bw_draw_make_subgroups(struct bw_draw *d)
{
	const struct bw_draw_state *s = &d->state;
	const unsigned n_corners =
		s->drops_neighbours ? s->out_corners : bw_raster_corners(&d->assembler);
	uint32_t unit = 0;
	d->n_subgroups = 0;
	d->why[0] = '\0';
	d->budget = BW_DRAW_BUDGET;
	while (d->n_subgroups < bw_draw_max_subgroups(d)) {
		struct bw_draw_subgroup *g = &d->subgroups[d->n_subgroups];
		if (d->n_subgroups && !bw_draw_has_room(d, unit))
			break;
		bw_draw_begin_subgroup(g);
		for (;;) {
			if (!d->has_begun && !bw_draw_next_primitive(d))
				break;
			d->has_begun = !bw_draw_add_begun(d, g, n_corners);
			if (d->has_begun)
				break;
		}
		if (d->why[0])
			return false;
		if (!g->n_primitives)
			break;
		bw_draw_count(d, BW_COUNT_VS_INVOCATIONS, g->n_vertices);
		bw_draw_end_subgroup(d, g, &unit);
		d->n_subgroups++;
	}
	return true;
}

void bw_draw_begin_mesh_group(const struct bw_draw *d, struct bw_draw_subgroup *g,
			      const uint32_t size[3], uint32_t number)
{
	bw_draw_begin_subgroup(g);
	g->n_vertices = d->state.mesh_vertices;
	g->n_primitives = d->state.mesh_primitives;
	g->mesh[0] = number % size[0];
	g->mesh[1] = number / size[0] % size[1];
	g->mesh[2] = number / size[0] / size[1];
}

bool bw_draw_make_mesh_groups(struct bw_draw *d)
{
	uint32_t unit = 0;
	d->n_subgroups = 0;
	d->why[0] = '\0';
	while (d->n_subgroups < bw_draw_max_subgroups(d) && d->at < d->call.n) {
		struct bw_draw_subgroup *g = &d->subgroups[d->n_subgroups];
		if (d->n_subgroups && !bw_draw_has_room(d, unit))
			break;
		bw_draw_begin_mesh_group(d, g, d->call.groups, d->at);
		bw_draw_end_subgroup(d, g, &unit);
		d->n_subgroups++;
		d->at++;
	}
	if (!d->n_subgroups)
		d->instance = d->call.n_instances; /* that was all */
	return true;
}
