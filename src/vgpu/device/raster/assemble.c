/* SPDX-License-Identifier: MIT */
#include "vgpu/device/raster/assemble.h"

#include <string.h>

const char *bw_raster_topology_refused(unsigned topology)
{
	switch (topology) {
	case BW_TOPOLOGY_POINTS:
	case BW_TOPOLOGY_LINES:
	case BW_TOPOLOGY_LINE_STRIP:
	case BW_TOPOLOGY_LINES_ADJACENCY:
	case BW_TOPOLOGY_LINE_STRIP_ADJACENCY:
	case BW_TOPOLOGY_TRIANGLES_ADJACENCY:
	case BW_TOPOLOGY_STRIP_ADJACENCY:
	case BW_TOPOLOGY_TRIANGLES:
	case BW_TOPOLOGY_FAN:
	case BW_TOPOLOGY_STRIP:
	case BW_TOPOLOGY_RECTS:
	case BW_TOPOLOGY_PATCHES:
	case BW_TOPOLOGY_LINE_LOOP:
	case BW_TOPOLOGY_QUADS:
	case BW_TOPOLOGY_QUAD_STRIP:
	case BW_TOPOLOGY_POLYGON:
		return NULL;
	default:
		return "primitives of this type are not drawn";
	}
}

unsigned bw_raster_corners(const struct bw_assembler *a)
{
	switch ((unsigned)a->topology) {
	case BW_TOPOLOGY_POINTS:
		return 1;
	case BW_TOPOLOGY_LINES:
	case BW_TOPOLOGY_LINE_STRIP:
	case BW_TOPOLOGY_LINE_LOOP:
		return 2;
	case BW_TOPOLOGY_LINES_ADJACENCY:
	case BW_TOPOLOGY_LINE_STRIP_ADJACENCY:
		return 4;
	case BW_TOPOLOGY_TRIANGLES_ADJACENCY:
	case BW_TOPOLOGY_STRIP_ADJACENCY:
		return 6;
	case BW_TOPOLOGY_PATCHES:
		return a->patch_corners;
	default:
		return 3;
	}
}

/* Vertices to hold before there is a primitive. A polygon's triangle waits for a further vertex,
 * as its last one has another edge. */
static unsigned needed(const struct bw_assembler *a)
{
	switch ((unsigned)a->topology) {
	case BW_TOPOLOGY_QUADS:
	case BW_TOPOLOGY_QUAD_STRIP:
	case BW_TOPOLOGY_POLYGON:
		return 4;
	case BW_TOPOLOGY_STRIP_ADJACENCY: /* a further triangle is complete */
		return a->follows ? 10 : 8;
	default:
		return bw_raster_corners(a);
	}
}

static void give_triangle(uint32_t out[3], uint32_t a, uint32_t b, uint32_t c)
{
	out[0] = a;
	out[1] = b;
	out[2] = c;
}

enum { EDGE_01 = 1, EDGE_12 = 2, EDGE_20 = 4, ALL_EDGES = 7 };

/* Two triangles that have the provoking vertex in common; the diagonal is not an edge. Which
 * diagonal it is, is the choice of llvmpipe [I]. */
static void give_quad(struct bw_assembler *a, const uint32_t v[4], uint32_t out[3])
{
	a->has_rest = true;
	if (a->provoking_last) {
		give_triangle(out, v[0], v[1], v[3]);
		give_triangle(a->rest, v[1], v[2], v[3]);
		a->edges = EDGE_01 | EDGE_20;
		a->rest_edges = EDGE_01 | EDGE_12;
	} else {
		give_triangle(out, v[0], v[1], v[2]);
		give_triangle(a->rest, v[0], v[2], v[3]);
		a->edges = EDGE_01 | EDGE_12;
		a->rest_edges = EDGE_12 | EDGE_20;
	}
}

/* The first vertex of a polygon gives flat attributes in both conventions (OpenGL 4.6
 * compatibility, table 13.2). */
static void give_polygon(struct bw_assembler *a, const uint32_t v[3], bool is_last, uint32_t out[3])
{
	bool is_first = !a->odd;
	if (a->provoking_last) {
		give_triangle(out, v[1], v[2], v[0]);
		a->edges = (uint8_t)(EDGE_01 | (is_last ? EDGE_12 : 0) | (is_first ? EDGE_20 : 0));
	} else {
		give_triangle(out, v[0], v[1], v[2]);
		a->edges = (uint8_t)(EDGE_12 | (is_last ? EDGE_20 : 0) | (is_first ? EDGE_01 : 0));
	}
	a->odd = true;
}

/* A triangle of a strip with adjacency, and the vertices across its edges: v[0], v[2] and v[4], of
 * which every other one is the neighbour of the strip's next triangle, or at its end v[5] (OpenGL
 * 4.6, table 10.1; with the first vertex provoking, Vulkan 1.3, 20.1.11). */
static void give_strip_adjacency(struct bw_assembler *a, bool is_last, uint32_t out[6])
{
	const uint32_t *v = &a->held[a->follows ? 2 : 0];
	uint32_t before = a->follows ? a->held[0] : v[1], across = v[3], next = v[is_last ? 5 : 6];
	const uint32_t even[6] = {v[0], before, v[2], next, v[4], across};
	const uint32_t odd[6] = {v[2], before, v[0], across, v[4], next};
	for (unsigned i = 0; i < 6; i++)
		out[i] = !a->odd ? even[i] : odd[(i + (a->provoking_last ? 0 : 2)) % 6];
	a->edges = ALL_EDGES;
	a->odd = !a->odd;
}

/* Puts the completed primitive into out, and keeps what the next one shares with it. */
static void give(struct bw_assembler *a, uint32_t out[BW_RASTER_CORNERS])
{
	const uint32_t v[4] = {a->held[0], a->held[1], a->held[2], a->held[3]};
	unsigned n = a->n_held;
	memcpy(out, a->held, bw_raster_corners(a) * sizeof(*out));
	a->n_held = 0;
	a->edges = ALL_EDGES;
	switch ((unsigned)a->topology) {
	case BW_TOPOLOGY_LINE_LOOP:
		if (!a->odd)
			a->first = v[0];
		a->odd = true;
		a->held[0] = v[1];
		a->n_held = 1;
		return;
	case BW_TOPOLOGY_LINE_STRIP:
		a->held[0] = v[1];
		a->n_held = 1;
		return;
	case BW_TOPOLOGY_LINE_STRIP_ADJACENCY:
		memmove(a->held, &a->held[1], (n - 1) * sizeof(*a->held));
		a->n_held = n - 1;
		return;
	case BW_TOPOLOGY_STRIP_ADJACENCY:
		a->n_held = n;
		give_strip_adjacency(a, false, out);
		a->n_held = n - (a->follows ? 2 : 0);
		memmove(a->held, &a->held[n - a->n_held], a->n_held * sizeof(*a->held));
		a->follows = true;
		return;
	case BW_TOPOLOGY_STRIP:
		/* Every other triangle is turned round, so that all face the same way. */
		if (a->odd)
			give_triangle(out, a->provoking_last ? v[1] : v[0],
				      a->provoking_last ? v[0] : v[2],
				      a->provoking_last ? v[2] : v[1]);
		a->held[0] = v[1];
		a->held[1] = v[2];
		a->n_held = 2;
		a->odd = !a->odd;
		return;
	case BW_TOPOLOGY_FAN: /* held[0] is the hub */
		if (!a->provoking_last)
			give_triangle(out, v[1], v[2], v[0]);
		a->held[1] = v[2];
		a->n_held = 2;
		return;
	case BW_TOPOLOGY_QUADS:
		give_quad(a, v, out);
		return;
	case BW_TOPOLOGY_QUAD_STRIP: {
		const uint32_t first[4] = {v[0], v[1], v[3], v[2]},
			       last[4] = {v[2], v[0], v[1], v[3]};
		give_quad(a, a->provoking_last ? last : first, out);
		a->held[0] = v[2];
		a->held[1] = v[3];
		a->n_held = 2;
		return;
	}
	case BW_TOPOLOGY_POLYGON: /* held[0] is the hub */
		give_polygon(a, v, false, out);
		a->held[1] = v[2];
		a->held[2] = v[3];
		a->n_held = 3;
		return;
	default:
		return;
	}
}

bool bw_raster_assemble(struct bw_assembler *a, uint32_t vertex, uint32_t out[BW_RASTER_CORNERS])
{
	a->held[a->n_held++] = vertex;
	if (a->n_held < needed(a))
		return false;
	give(a, out);
	return true;
}

bool bw_raster_rest(struct bw_assembler *a, uint32_t out[BW_RASTER_CORNERS])
{
	if (!a->has_rest)
		return false;
	memcpy(out, a->rest, sizeof(a->rest));
	a->edges = a->rest_edges;
	a->has_rest = false;
	return true;
}

bool bw_raster_close(struct bw_assembler *a, uint32_t out[BW_RASTER_CORNERS])
{
	bool is_loop = a->topology == BW_TOPOLOGY_LINE_LOOP && a->odd;
	bool is_polygon = a->topology == BW_TOPOLOGY_POLYGON && a->n_held == 3;
	bool is_strip =
		a->topology == BW_TOPOLOGY_STRIP_ADJACENCY && a->n_held >= (a->follows ? 8 : 6);
	if (is_loop) {
		out[0] = a->held[0];
		out[1] = a->first;
		a->edges = ALL_EDGES;
	} else if (is_polygon) {
		give_polygon(a, a->held, true, out);
	} else if (is_strip) {
		give_strip_adjacency(a, true, out);
	}
	a->n_held = 0;
	a->odd = a->has_rest = a->follows = false;
	return is_loop || is_polygon || is_strip;
}

unsigned bw_raster_drop_neighbours(enum bw_topology topology, uint32_t v[BW_RASTER_CORNERS])
{
	if (topology == BW_TOPOLOGY_TRIANGLES_ADJACENCY ||
	    topology == BW_TOPOLOGY_STRIP_ADJACENCY) {
		v[1] = v[2];
		v[2] = v[4];
		return 3;
	}
	v[0] = v[1];
	v[1] = v[2];
	return 2;
}
