/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_RASTER_TRIANGLE_H
#define BW_VGPU_DEVICE_RASTER_TRIANGLE_H

/* A triangle (or an upright rectangle) on the screen: which samples it covers, and what lies there.
 * Pure; the numbers come from programs, and may be anything.
 *
 * Nothing is clipped geometrically. A triangle that lies in front of the eye and near the screen
 * has its corners rounded to 1/256 pixel, and covers by exact edge functions and the top-left rule.
 * Any other one has its edges in homogeneous coordinates. Where a corner lies outside of the view
 * volume, each sample is compared with its planes. [I] Values are interpolated by the homogeneous
 * edge functions, with the corners as the shader gave them. */

#include <stdbool.h>
#include <stdint.h>

enum { BW_RASTER_SUBPIXELS = 256, BW_RASTER_MAX_CLIP = 8, BW_RASTER_MAX_SIZE = 16384 };
/* Corners farther from the screen than this (pixels) are not rounded to fixed point. */
enum { BW_RASTER_GUARD = 32768 };

/* From clip coordinates to the screen. */
struct bw_raster_viewport {
	float x_scale, x_offset, y_scale, y_offset, z_scale, z_offset;
	float z_min, z_max; /* depth is clamped to it */
};

struct bw_raster_area {
	int32_t x0, y0, x1, y1; /* the last two are outside */
};

struct bw_raster_vertex {
	float x, y, z, w;		/* clip coordinates */
	float clip[BW_RASTER_MAX_CLIP]; /* distances */
};

struct bw_raster_rules {
	bool is_rect;
	bool is_outline;     /* only its face and its slope count: other shapes draw its edges */
	bool z_from_minus_w; /* the near plane is z = -w, else z = 0 */
	bool clips_near, clips_far;
	uint8_t clip_mask; /* distances that clip */
	uint8_t cull_mask; /* distances that cull the whole primitive */
	bool front_is_clockwise, culls_front, culls_back;
};

struct bw_triangle {
	struct bw_raster_area box; /* pixels with a sample that may be covered */
	bool is_front, is_exact;   /* edges of fixed-point numbers */
	bool has_planes;	   /* a part may lie outside of the view volume */
	bool is_rect;
	/* Edge functions: a x + b y + c of 1/256 pixel; positive inside. */
	struct {
		int64_t a, b, c;
		bool owns; /* samples on the edge are inside */
	} edge[4];
	unsigned n_edges; /* a line has four */
	/* Homogeneous ones: e[k] = e[k][0] x + e[k][1] y + e[k][2] of pixels. Their sum has the
	 * sign of det where w > 0. */
	double e[3][3], det;
	double z[3], w[3], clip_z[3]; /* of the corners; z: on the screen, times w */
	float clip[3][BW_RASTER_MAX_CLIP];
	float z_min, z_max;
	double slope; /* largest |dz/dx|, |dz/dy| */
	double max_z; /* of the corners, on the screen */
	double bias;  /* added to every depth */
	struct bw_raster_rules rules;
};

/* A point of the screen relative to a triangle. */
struct bw_weights {
	double persp[3];  /* of the corners; their sum is 1 */
	double linear[3]; /* not corrected by w */
	double w;
};

/* False: it covers nothing, or is culled. */
bool bw_triangle_setup(struct bw_triangle *t, const struct bw_raster_vertex v[3],
		       const struct bw_raster_viewport *view, const struct bw_raster_rules *rules,
		       const struct bw_raster_area *scissor);
/* The square of a point, of this size in pixels. The second and third weight are the place in it
 * from the left and from the top, and all its corners are the vertex. */
bool bw_triangle_setup_point(struct bw_triangle *t, const struct bw_raster_vertex *v,
			     const struct bw_raster_viewport *view,
			     const struct bw_raster_rules *rules,
			     const struct bw_raster_area *scissor, const float size[2]);
/* Sets the edges of a convex shape with these corners (1/256 pixel), and narrows the box. False: it
 * covers nothing. */
bool bw_triangle_make_edges(struct bw_triangle *t, unsigned n, const int64_t *x, const int64_t *y);
/* x and y in 1/256 pixel. */
bool bw_triangle_covers(const struct bw_triangle *t, int32_t x, int32_t y);
/* No sample of the pixels from x0, y0 up to x1, y1 can be covered. May say no although none is. */
bool bw_triangle_misses(const struct bw_triangle *t, const struct bw_raster_area *pixels);
/* Every sample of these pixels is covered. May say no although it is so. */
bool bw_triangle_fills(const struct bw_triangle *t, const struct bw_raster_area *pixels);
void bw_triangle_weigh(const struct bw_triangle *t, double x, double y, struct bw_weights *out);
/* The depth there, biased and clamped. */
double bw_triangle_depth(const struct bw_triangle *t, double x, double y);

#endif
