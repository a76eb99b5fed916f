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
	BW_TOPOLOGY_LINES_ADJACENCY = 0xa,
	BW_TOPOLOGY_LINE_STRIP_ADJACENCY = 0xb,
	BW_TOPOLOGY_TRIANGLES_ADJACENCY = 0xc,
	BW_TOPOLOGY_STRIP_ADJACENCY = 0xd,
	BW_TOPOLOGY_RECTS = 0x11,
	BW_TOPOLOGY_LINE_LOOP = 0x12,
	BW_TOPOLOGY_QUADS = 0x13,
	BW_TOPOLOGY_QUAD_STRIP = 0x14,
	BW_TOPOLOGY_POLYGON = 0x15,
};

enum { BW_RASTER_CORNERS = 32 }; /* of a patch; others have at most 6 */

struct bw_assembler {
	enum bw_topology topology;
	bool provoking_last;
	unsigned patch_corners;
	uint32_t held[BW_RASTER_CORNERS]; /* vertices of the primitive that has begun */
	unsigned n_held;
	/* the next triangle of a strip has the other order; a loop or polygon has begun */
	bool odd;
	bool follows;	  /* held begins with two vertices of the strip's triangle before */
	uint32_t first;	  /* vertex of a line loop */
	uint32_t rest[3]; /* the second triangle of a quad */
	uint8_t rest_edges;
	bool has_rest;
	/* of the primitive that came last: bit 0 is from its first corner to the second */
	uint8_t edges;
};

/* NULL, or the reason why primitives of this type are not drawn. */
const char *bw_raster_topology_refused(unsigned topology);
/* Vertices of a primitive: with adjacency, those of the neighbours are among them. */
unsigned bw_raster_corners(const struct bw_assembler *a);
/* Leaves only the corners of a primitive with adjacency, and returns their number. */
unsigned bw_raster_drop_neighbours(enum bw_topology topology, uint32_t v[BW_RASTER_CORNERS]);
/* Takes a vertex. True: it completes the primitive in out. The first vertex, or with provoking_last
 * the last one, is the one that gives flat attributes (Vulkan 1.3, 21.1). */
bool bw_raster_assemble(struct bw_assembler *a, uint32_t vertex, uint32_t out[BW_RASTER_CORNERS]);
/* The second triangle of a quad, which belongs to the same primitive. False: there is none. */
bool bw_raster_rest(struct bw_assembler *a, uint32_t out[BW_RASTER_CORNERS]);
/* No vertex follows: the line that closes a loop, or the last triangle of a polygon or of a strip
 * with adjacency. False: there is none. The next vertex begins a new primitive. */
bool bw_raster_close(struct bw_assembler *a, uint32_t out[BW_RASTER_CORNERS]);

#endif
