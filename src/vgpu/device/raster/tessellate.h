/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_RASTER_TESSELLATE_H
#define BW_VGPU_DEVICE_RASTER_TESSELLATE_H

/* The tessellator: where a patch is divided, and the primitives between these points. As Direct3D
 * 11 describes it, in fixed point, so that the points are the same wherever this is done [I]. Pure.
 */

#include <stdbool.h>
#include <stdint.h>

/* VGT_TF_PARAM (soc21_enum.h): TYPE, PARTITIONING, TOPOLOGY */
enum bw_tess_domain { BW_TESS_ISOLINES, BW_TESS_TRIANGLES, BW_TESS_QUADS };
enum bw_tess_spacing { BW_TESS_INTEGER, BW_TESS_POW2, BW_TESS_ODD, BW_TESS_EVEN };
enum bw_tess_topology { BW_TESS_POINTS, BW_TESS_LINES, BW_TESS_CW, BW_TESS_CCW };

enum {
	BW_TESS_MAX_LEVEL = 64,
	BW_TESS_MAX_POINTS = (BW_TESS_MAX_LEVEL + 1) * (BW_TESS_MAX_LEVEL + 1),
	BW_TESS_MAX_PRIMITIVES = BW_TESS_MAX_LEVEL * BW_TESS_MAX_LEVEL * 2,
};

struct bw_tess_mode {
	enum bw_tess_domain domain;
	enum bw_tess_spacing spacing;
	enum bw_tess_topology topology;
};

struct bw_tess {
	unsigned n_points, n_primitives, n_corners;
	float u[BW_TESS_MAX_POINTS], v[BW_TESS_MAX_POINTS];
	uint16_t primitive[BW_TESS_MAX_PRIMITIVES][3]; /* numbers of points */
};

/* Levels of the edges and of the inside, as many as the domain has. Isolines: outer[0] is the
 * number of lines, outer[1] that of their segments. Nothing comes of a patch with a level of an
 * edge that is not above 0. */
void bw_tessellate(const struct bw_tess_mode *mode, const float outer[4], const float inner[2],
		   struct bw_tess *out);

#endif
