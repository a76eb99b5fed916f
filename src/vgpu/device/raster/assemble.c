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
	case BW_TOPOLOGY_TRIANGLES:
	case BW_TOPOLOGY_FAN:
	case BW_TOPOLOGY_STRIP:
	case BW_TOPOLOGY_RECTS:
		return NULL;
	case BW_TOPOLOGY_STRIP_ADJACENCY:
		return "strips of triangles with adjacency are not drawn";
	case BW_TOPOLOGY_PATCHES:
		return "patches are not tessellated";
	default:
		return "primitives of this type are not drawn";
	}
}

void bw_raster_restart(struct bw_assembler *a)
{
	a->n_held = 0;
	a->odd = false;
}

unsigned bw_raster_corners(const struct bw_assembler *a)
{
	switch ((unsigned)a->topology) {
	case BW_TOPOLOGY_POINTS:
		return 1;
	case BW_TOPOLOGY_LINES:
	case BW_TOPOLOGY_LINE_STRIP:
		return 2;
	case BW_TOPOLOGY_LINES_ADJACENCY:
	case BW_TOPOLOGY_LINE_STRIP_ADJACENCY:
		return 4;
	case BW_TOPOLOGY_TRIANGLES_ADJACENCY:
		return 6;
	case BW_TOPOLOGY_PATCHES:
		return a->patch_corners;
	default:
		return 3;
	}
}

/* Puts the completed primitive into out, and keeps what the next one shares with it. */
static void give(struct bw_assembler *a, uint32_t out[BW_RASTER_CORNERS])
{
	const uint32_t v[3] = {a->held[0], a->held[1], a->held[2]};
	unsigned n = a->n_held;
	memcpy(out, a->held, n * sizeof(*out));
	a->n_held = 0;
	switch ((unsigned)a->topology) {
	case BW_TOPOLOGY_LINE_STRIP:
		a->held[0] = v[1];
		a->n_held = 1;
		return;
	case BW_TOPOLOGY_LINE_STRIP_ADJACENCY:
		memmove(a->held, &a->held[1], (n - 1) * sizeof(*a->held));
		a->n_held = n - 1;
		return;
	case BW_TOPOLOGY_STRIP:
		/* Every other triangle is turned round, so that all face the same way. */
		if (a->odd) {
			out[0] = a->provoking_last ? v[1] : v[0];
			out[1] = a->provoking_last ? v[0] : v[2];
			out[2] = a->provoking_last ? v[2] : v[1];
		}
		a->held[0] = v[1];
		a->held[1] = v[2];
		a->n_held = 2;
		a->odd = !a->odd;
		return;
	case BW_TOPOLOGY_FAN: /* held[0] is the hub */
		if (!a->provoking_last) {
			out[0] = v[1];
			out[1] = v[2];
			out[2] = v[0];
		}
		a->held[1] = v[2];
		a->n_held = 2;
		return;
	default:
		return;
	}
}

bool bw_raster_assemble(struct bw_assembler *a, uint32_t vertex, uint32_t out[BW_RASTER_CORNERS])
{
	a->held[a->n_held++] = vertex;
	if (a->n_held < bw_raster_corners(a))
		return false;
	give(a, out);
	return true;
}

unsigned bw_raster_drop_neighbours(enum bw_topology topology, uint32_t v[BW_RASTER_CORNERS])
{
	if (topology == BW_TOPOLOGY_TRIANGLES_ADJACENCY) {
		v[1] = v[2];
		v[2] = v[4];
		return 3;
	}
	v[0] = v[1];
	v[1] = v[2];
	return 2;
}
