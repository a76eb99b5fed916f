/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_RASTER_ASSEMBLE_H
#define BW_VGPU_DEVICE_RASTER_ASSEMBLE_H

/* Primitives from a stream of vertices. Pure. */

#include <stdbool.h>
#include <stdint.h>

/* VGT_PRIMITIVE_TYPE (soc21_enum.h) */
enum bw_topology {
	BW_TOPOLOGY_NONE = 0,
	BW_TOPOLOGY_POINTS = 1,
	BW_TOPOLOGY_LINES = 2,
	BW_TOPOLOGY_LINE_STRIP = 3,
	BW_TOPOLOGY_TRIANGLES = 4,
	BW_TOPOLOGY_FAN = 5,
	BW_TOPOLOGY_STRIP = 6,
	BW_TOPOLOGY_PATCHES = 9,
	BW_TOPOLOGY_RECTS = 0x11,
};

struct bw_assembler {
	enum bw_topology topology;
	bool provoking_last;
	uint32_t held[2]; /* vertices of the primitive that has begun */
	unsigned n_held;
	bool odd; /* the next triangle of a strip has the other order */
};

/* NULL, or the reason why primitives of this type are not drawn. */
const char *bw_raster_topology_refused(unsigned topology);
/* Takes a vertex. True: it completes the primitive in out, a point with its vertex three times. The
 * first vertex, or with provoking_last the last one, is the one that gives flat attributes (Vulkan
 * 1.3, 21.1). */
bool bw_raster_assemble(struct bw_assembler *a, uint32_t vertex, uint32_t out[3]);
/* The next vertex begins a new primitive, strip or fan. */
void bw_raster_restart(struct bw_assembler *a);

#endif
