/* SPDX-License-Identifier: MIT */
#include "vgpu/device/raster/assemble.h"

#include <string.h>

const char *bw_raster_topology_refused(unsigned topology)
{
	switch (topology) {
	case BW_TOPOLOGY_POINTS:
	case BW_TOPOLOGY_TRIANGLES:
	case BW_TOPOLOGY_FAN:
	case BW_TOPOLOGY_STRIP:
	case BW_TOPOLOGY_RECTS:
		return NULL;
	case BW_TOPOLOGY_LINES:
	case BW_TOPOLOGY_LINE_STRIP:
		return "lines are not drawn";
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

static void give(uint32_t out[3], uint32_t a, uint32_t b, uint32_t c)
{
	out[0] = a;
	out[1] = b;
	out[2] = c;
}

bool bw_raster_assemble(struct bw_assembler *a, uint32_t vertex, uint32_t out[3])
{
	if (a->topology == BW_TOPOLOGY_POINTS) {
		give(out, vertex, vertex, vertex);
		return true;
	}
	if (a->n_held < 2) {
		a->held[a->n_held++] = vertex;
		return false;
	}
	switch ((unsigned)a->topology) {
	case BW_TOPOLOGY_STRIP:
		/* Every other triangle is turned round, so that all face the same way. */
		if (!a->odd)
			give(out, a->held[0], a->held[1], vertex);
		else if (a->provoking_last)
			give(out, a->held[1], a->held[0], vertex);
		else
			give(out, a->held[0], vertex, a->held[1]);
		a->held[0] = a->held[1];
		a->held[1] = vertex;
		a->odd = !a->odd;
		return true;
	case BW_TOPOLOGY_FAN: /* held[0] is the hub */
		if (a->provoking_last)
			give(out, a->held[0], a->held[1], vertex);
		else
			give(out, a->held[1], vertex, a->held[0]);
		a->held[1] = vertex;
		return true;
	default:
		give(out, a->held[0], a->held[1], vertex);
		a->n_held = 0;
		return true;
	}
}
