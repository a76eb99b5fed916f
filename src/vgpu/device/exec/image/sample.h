/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_IMAGE_SAMPLE_H
#define BW_VGPU_EXEC_IMAGE_SAMPLE_H

/* Samplers: which texels of which levels a sample takes, with what weights. Pure; fetching and
 * adding up is the caller's. Positions have 8 fractional bits after they are scaled to texels, and
 * so have levels of detail: the precision that drivers announce for this hardware. */

#include "image/image.h"

enum bw_filter { BW_FILTER_POINT, BW_FILTER_LINEAR, BW_FILTER_ANISO_POINT, BW_FILTER_ANISO_LINEAR };
enum bw_mip_filter { BW_MIP_NONE, BW_MIP_POINT, BW_MIP_LINEAR, BW_MIP_POINT_ANISO };
enum bw_reduction { BW_REDUCE_BLEND, BW_REDUCE_MIN, BW_REDUCE_MAX };
enum bw_border { BW_BORDER_TRANSPARENT, BW_BORDER_BLACK, BW_BORDER_WHITE, BW_BORDER_TABLE };

struct bw_sampler {
	uint8_t clamp[3];		/* CLAMP_X, Y, Z */
	uint8_t compare;		/* DEPTH_COMPARE_FUNC */
	uint8_t mag, min, z, mip;	/* filters; z: 0 as mag and min, 1 point, 2 linear */
	uint8_t reduction;		/* enum bw_reduction; 3 is reserved and blends */
	uint8_t border;			/* enum bw_border */
	uint8_t max_aniso;		/* 1, 2, 4, 8, 16 */
	uint16_t border_index;		/* into the table */
	int min_lod, max_lod, lod_bias; /* 1/256 */
	/* the last: filtering stays inside a cube face */
	bool is_unnormalized, truncates, is_face_bound;
	bool skips_degamma, forces_degamma;
};

void bw_sampler_read(const uint32_t words[4], struct bw_sampler *out);
/* The format that texels are read with, given the sampler's degamma bits. */
const struct bw_format *bw_sampler_format(const struct bw_sampler *s, const struct bw_format *f);

/* Derivatives of the position in horizontal and vertical direction, in the units of the
 * position. */
struct bw_gradient {
	float h[3], v[3];
};

struct bw_detail {
	float lod;	  /* before bias and clamps */
	unsigned n_aniso; /* positions along the longer axis, 1 without anisotropy */
	float axis[3];	  /* from one end of the footprint to the other */
};

/* Level of detail 0 is the base level of the view. */
struct bw_detail bw_sample_detail(const struct bw_image *im, const struct bw_sampler *s,
				  const struct bw_gradient *g, bool unnormalized);
/* lod with the clamps of sampler, view and (if not NaN) instruction applied. */
float bw_sample_clamp(const struct bw_image *im, const struct bw_sampler *s, float lod,
		      float least);

struct bw_levels {
	unsigned n;	  /* 1 or 2 */
	uint8_t level[2]; /* absolute */
	float weight[2];
	bool linear_xy, linear_z;
	bool is_warned; /* below MIN_LOD_WARN */
};
/* lod: clamped. */
struct bw_levels bw_sample_levels(const struct bw_image *im, const struct bw_sampler *s, float lod);

struct bw_tap {
	uint32_t x, y, z; /* z: slice of the view */
	float weight;
	bool is_border;
	bool is_corner; /* a cube's corner, where three faces meet: there is no fourth texel */
};

enum { BW_TAPS = 8 };

/* A position in one level, in the order x, y, z: bit 0 of a tap's index is the second texel in x,
 * bit 1 in y, bit 2 in z. pos: what the shader gives, with cube faces and array layers as slice (of
 * the view). n is 1 where both filters are off, 2 for linear 1D, 4 for 2D, 8 for 3D. */
struct bw_position {
	float pos[3];
	uint32_t slice;
	int offset[3];
	bool unnormalized;
};
struct bw_filters {
	bool linear_xy, linear_z;
};
unsigned bw_sample_taps(const struct bw_image *im, const struct bw_sampler *s, unsigned level,
			const struct bw_position *p, struct bw_filters filters,
			struct bw_tap out[BW_TAPS]);

/* A float array layer or cube face number (8 * layer + face) to a slice of the view. */
uint32_t bw_sample_slice(const struct bw_image *im, float slice);

bool bw_sample_compare(unsigned func, float reference, float texel);

/* Border colour in the order of memory components, before DST_SEL. table: the entry that
 * border_index names, for BW_BORDER_TABLE. */
void bw_sample_border(const struct bw_image *im, const struct bw_sampler *s,
		      const uint32_t table[4], uint32_t out[4]);

#endif
