/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_RASTER_LINE_H
#define BW_VGPU_DEVICE_RASTER_LINE_H

/* A line on the screen, in the form of a triangle: its corners are the two ends, and the second end
 * again. Pure.
 *
 * Lines are clipped, unlike triangles: to the view volume, to the program's distances, and to a
 * square around the screen. Values are interpolated between the ends as the shader gave them. */

#include "vgpu/device/raster/triangle.h"

struct bw_raster_line {
	float width; /* pixels */
	/* A rectangle, whose short sides are square to the line (Vulkan 1.3, 28.7.1). Else a
	 * Bresenham line (28.7.2): a column of pixels for each step along the longer axis. The
	 * hardware knows only lines with and without square ends [I]. */
	bool is_rectangular;
};

/* False: it covers nothing. */
bool bw_triangle_setup_line(struct bw_triangle *t, const struct bw_raster_vertex v[2],
			    const struct bw_raster_viewport *view,
			    const struct bw_raster_rules *rules,
			    const struct bw_raster_area *scissor,
			    const struct bw_raster_line *line);

#endif
