/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/image/sample.h"

#include <math.h>
#include <string.h>

#include "base/util.h"
#include "isa/descriptor.h"

/* clang-format off */
enum clamp_mode {
	CLAMP_WRAP, CLAMP_MIRROR, CLAMP_LAST_TEXEL, CLAMP_MIRROR_ONCE_LAST_TEXEL, CLAMP_HALF_BORDER,
	CLAMP_MIRROR_ONCE_HALF_BORDER, CLAMP_BORDER, CLAMP_MIRROR_ONCE_BORDER,
};
/* clang-format on */

enum { FRACTION = 256, CUBE_FACES = 6 };

void bw_sampler_read(const uint32_t words[4], struct bw_sampler *out)
{
#define FIELD(name) ((unsigned)bw_words_get(words, BW_SAMPLER_##name))
	/* both with 8 bits after the point, LOD_BIAS_SEC has 4 */
	int bias = (int)bw_sign_extend(FIELD(LOD_BIAS), 14) +
		   16 * (int)bw_sign_extend(FIELD(LOD_BIAS_SEC), 6);
	*out = (struct bw_sampler){
		.clamp = {FIELD(CLAMP_X), FIELD(CLAMP_Y), FIELD(CLAMP_Z)},
		.max_aniso = (uint8_t)(1u << BW_MIN(FIELD(MAX_ANISO_RATIO), 4u)),
		.compare = FIELD(COMPARE),
		.is_unnormalized = FIELD(UNNORMALIZED),
		.forces_degamma = FIELD(FORCE_DEGAMMA),
		.truncates = FIELD(TRUNC_COORD),
		.is_face_bound = FIELD(NO_CUBE_WRAP),
		.reduction = FIELD(FILTER_MODE),
		.skips_degamma = FIELD(SKIP_DEGAMMA),
		.min_lod = (int)FIELD(MIN_LOD),
		.max_lod = (int)FIELD(MAX_LOD),
		.lod_bias = bias,
		.mag = FIELD(XY_MAG),
		.min = FIELD(XY_MIN),
		.z = FIELD(Z_FILTER),
		.mip = FIELD(MIP_FILTER),
		.border_index = FIELD(BORDER_PTR),
		.border = (uint8_t)FIELD(BORDER_TYPE),
	};
#undef FIELD
}

const struct bw_format *bw_sampler_format(const struct bw_sampler *s, const struct bw_format *f)
{
	/* Each sRGB format and what it is without the curve. */
	static const uint8_t pairs[][2] = {{64, 1},    {65, 14},   {66, 42},  {110, 109},
					   {112, 111}, {114, 113}, {122, 121}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(pairs); i++) {
		if (s->skips_degamma && f->number == pairs[i][0])
			return bw_format_image(pairs[i][1]);
		if (!s->skips_degamma && s->forces_degamma && f->number == pairs[i][1])
			return bw_format_image(pairs[i][0]);
	}
	return f;
}

/* Limits v so that nothing later overflows; NaN becomes 0. */
static double tame(double v)
{
	const double limit = 1 << 30;
	return v != v ? 0 : v < -limit ? -limit : v > limit ? limit : v;
}

/* floor() of a tame value, without a call. */
static int64_t floor_of(double v)
{
	int64_t i = (int64_t)v;
	return i - ((double)i > v);
}

/* ---- level of detail ---- */

static void base_size(const struct bw_image *im, unsigned level, float size[3])
{
	size[0] = (float)bw_image_mip(im->width, level);
	size[1] = (float)bw_image_mip(im->height, level);
	size[2] = im->is_3d ? (float)bw_image_slices(im, level) : 0;
}

static float length_of(const float d[3], const float scale[3])
{
	double sum = 0;
	for (unsigned i = 0; i < 3; i++)
		sum += (double)d[i] * scale[i] * ((double)d[i] * scale[i]);
	return (float)sqrt(sum);
}

struct bw_detail bw_sample_detail(const struct bw_image *im, const struct bw_sampler *s,
				  const struct bw_gradient *g, bool unnormalized)
{
	float scale[3] = {1, 1, im->is_3d};
	struct bw_detail d = {.n_aniso = 1};
	if (!unnormalized)
		base_size(im, im->base_level, scale);
	float h = length_of(g->h, scale), v = length_of(g->v, scale);
	float longer = h > v ? h : v, shorter = h > v ? v : h;
	bool aniso = s->min >= BW_FILTER_ANISO_POINT || s->mag >= BW_FILTER_ANISO_POINT;
	if (aniso && s->max_aniso > 1 && longer > shorter && !isinf(longer)) {
		/* The number of positions is the ratio of the footprint's length to its width, up
		 * to the limit [I: how the hardware places them is not documented]. */
		float ratio = shorter * s->max_aniso < longer ? s->max_aniso : longer / shorter;
		d.n_aniso = (unsigned)ceilf(ratio);
		memcpy(d.axis, h > v ? g->h : g->v, sizeof(d.axis));
		longer /= ratio;
	}
	d.lod = log2f(longer); /* -infinity where nothing changes */
	return d;
}

float bw_sample_clamp(const struct bw_image *im, const struct bw_sampler *s, float lod, float least)
{
	float low = (float)s->min_lod / FRACTION, high = (float)s->max_lod / FRACTION;
	float view = (float)im->min_lod / FRACTION - im->base_level;
	float last = (float)(im->last_level - im->base_level);
	low = view > low ? view : low;
	/* "No larger" than the clamp means no larger image: it is a lower bound, as MinLod of
	 * SPIR-V. */
	low = least > low ? least : low; /* NaN: no such bound */
	lod = lod > low ? lod : low;	 /* NaN becomes the lower bound */
	lod = lod < high ? lod : high;
	return lod < last ? lod : last;
}

struct bw_levels bw_sample_levels(const struct bw_image *im, const struct bw_sampler *s, float lod)
{
	int fixed = (int)floor_of((double)lod * FRACTION + 0.5), whole = 0, fraction = 0;
	int last = im->last_level - im->base_level;
	unsigned filter = fixed <= 0 ? s->mag : s->min;
	struct bw_levels l = {.n = 1, .weight = {1, 0}};

	l.linear_xy = filter == BW_FILTER_LINEAR || filter == BW_FILTER_ANISO_LINEAR;
	l.linear_z = s->z ? s->z == 2 : l.linear_xy;
	l.is_warned = lod + im->base_level < (float)im->min_lod_warn / FRACTION;
	fixed = BW_MAX(fixed, 0);
	if (s->mip == BW_MIP_LINEAR) {
		whole = fixed / FRACTION;
		fraction = fixed % FRACTION;
	} else if (s->mip != BW_MIP_NONE) {
		whole = (fixed + FRACTION / 2) / FRACTION;
	}
	whole = BW_MIN(whole, last);
	l.level[0] = (uint8_t)(im->base_level + whole);
	if (fraction && whole < last) {
		l.n = 2;
		l.level[1] = (uint8_t)(l.level[0] + 1);
		l.weight[1] = (float)fraction / FRACTION;
		l.weight[0] = 1 - l.weight[1];
	}
	return l;
}

/* ---- texels ---- */

/* One axis of a position: the first texel, and how much of the second there is, in 1/256. */
struct axis {
	int64_t first;
	unsigned fraction;
};

static struct axis place(const struct bw_sampler *s, double texels, bool linear, int offset,
			 unsigned clamp, uint32_t size)
{
	if (clamp == CLAMP_HALF_BORDER || clamp == CLAMP_MIRROR_ONCE_HALF_BORDER) {
		/* The position stays on the image, so that half of the border is seen at most. */
		double low = clamp == CLAMP_HALF_BORDER ? 0 : -(double)size;
		texels = texels < low ? low : texels > size ? size : texels;
	}
	texels = tame(texels);
	int64_t fixed = floor_of(texels * FRACTION + 0.5);
	if (linear) {
		fixed += (int64_t)offset * FRACTION - FRACTION / 2;
		return (struct axis){fixed >> 8, (unsigned)(fixed & (FRACTION - 1))};
	}
	int64_t whole = s->truncates ? floor_of(texels) : fixed >> 8;
	return (struct axis){whole + offset, 0};
}

/* The texel that coordinate i of an axis means; -1: the border. */
static int64_t wrap(int64_t i, int64_t size, unsigned clamp)
{
	if (__builtin_expect(i >= 0 && i < size, 1))
		return i;
	switch ((enum clamp_mode)clamp) {
	case CLAMP_WRAP:
		i %= size;
		return i < 0 ? i + size : i;
	case CLAMP_MIRROR:
		i %= 2 * size;
		i = i < 0 ? i + 2 * size : i;
		return i < size ? i : 2 * size - 1 - i;
	case CLAMP_MIRROR_ONCE_LAST_TEXEL:
		i = i < 0 ? -1 - i : i;
		return i < size ? i : size - 1;
	case CLAMP_LAST_TEXEL:
		return i < 0 ? 0 : i < size ? i : size - 1;
	case CLAMP_MIRROR_ONCE_BORDER:
	case CLAMP_MIRROR_ONCE_HALF_BORDER:
		i = i < 0 ? -1 - i : i;
		return i < size ? i : -1;
	case CLAMP_BORDER:
	case CLAMP_HALF_BORDER:
		return i >= 0 && i < size ? i : -1;
	}
	return -1;
}

/* Faces are +X, -X, +Y, -Y, +Z, -Z; for each the axis, its sign, and which axes s and t run along
 * (rules of v_cubesc and v_cubetc). */
static const struct {
	int8_t major, major_sign, s, s_sign, t, t_sign;
} faces[CUBE_FACES] = {
	{0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1},
	{1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1},  {2, -1, 0, -1, 1, -1},
};

/* A texel one step outside of its face is one of the neighbour: by way of the direction of its
 * centre. */
static void cross_edge(int64_t x, int64_t y, unsigned face, uint32_t size, struct bw_tap *tap)
{
	double dir[3], sc = (2 * (double)x + 1) / size - 1, tc = (2 * (double)y + 1) / size - 1;
	unsigned axis = 0, to;
	dir[faces[face].major] = faces[face].major_sign;
	dir[faces[face].s] = sc * faces[face].s_sign;
	dir[faces[face].t] = tc * faces[face].t_sign;
	for (unsigned i = 1; i < 3; i++)
		if (fabs(dir[i]) > fabs(dir[axis]))
			axis = i;
	to = 2 * axis + (dir[axis] < 0);
	sc = dir[faces[to].s] * faces[to].s_sign / fabs(dir[axis]);
	tc = dir[faces[to].t] * faces[to].t_sign / fabs(dir[axis]);
	int64_t u = (int64_t)floor((sc + 1) / 2 * size), v = (int64_t)floor((tc + 1) / 2 * size);
	tap->x = (uint32_t)(u < 0 ? 0 : u >= size ? size - 1 : u);
	tap->y = (uint32_t)(v < 0 ? 0 : v >= size ? size - 1 : v);
	tap->z = tap->z - face + to;
}

static void cube_texel(const struct bw_image *im, int64_t x, int64_t y, uint32_t size,
		       struct bw_tap *tap)
{
	/* A view may begin in the middle of a cube; its own faces count. Fewer than 6 do not make a
	 * cube. */
	unsigned face = tap->z % CUBE_FACES;
	bool out_x = x < 0 || x >= size, out_y = y < 0 || y >= size;
	/* Filtering reaches no further than one texel; what lies beyond was outside of the face
	 * before. */
	x = x < -1 ? -1 : x > size ? size : x;
	y = y < -1 ? -1 : y > size ? size : y;
	tap->x = (uint32_t)x;
	tap->y = (uint32_t)y;
	if (out_x && out_y) {
		tap->is_corner = true;
		tap->x = x < 0 ? 0 : size - 1;
		tap->y = y < 0 ? 0 : size - 1;
	} else if (out_x || out_y) {
		cross_edge(x, y, face, size, tap);
	}
	tap->z = BW_MIN(tap->z, im->n_slices - 1);
}

/* ---- footprints ---- */

static void locate_tap(const struct bw_image *im, const struct bw_sampler *s,
		       const uint32_t size[3], const int64_t at[3], struct bw_tap *tap)
{
	if (im->type == BW_IMAGE_CUBE && !s->is_face_bound) {
		cube_texel(im, at[0], at[1], size[0], tap);
		return;
	}
	int64_t x = wrap(at[0], size[0], s->clamp[0]), y = wrap(at[1], size[1], s->clamp[1]);
	int64_t z = im->is_3d ? wrap(at[2], size[2], s->clamp[2]) : tap->z;
	tap->is_border = x < 0 || y < 0 || z < 0;
	if (!tap->is_border) {
		tap->x = (uint32_t)x;
		tap->y = (uint32_t)y;
		tap->z = (uint32_t)z;
	}
}

static bool has_y(const struct bw_image *im)
{
	return im->type != BW_IMAGE_1D && im->type != BW_IMAGE_1D_ARRAY;
}

unsigned bw_sample_taps(const struct bw_image *im, const struct bw_sampler *s, unsigned level,
			const struct bw_position *p, struct bw_filters filters,
			struct bw_tap out[BW_TAPS])
{
	uint32_t size[3] = {bw_image_mip(im->width, level), bw_image_mip(im->height, level),
			    im->is_3d ? bw_image_slices(im, level) : 1};
	bool linear[3] = {filters.linear_xy, filters.linear_xy && has_y(im),
			  filters.linear_z && im->is_3d};
	unsigned n_axes = im->is_3d ? 3 : has_y(im) ? 2 : 1, n = 1;
	struct axis axis[3] = {{0, 0}, {0, 0}, {0, 0}};

	for (unsigned a = 0; a < n_axes; a++) {
		/* Cube coordinates are 1 to 2 over a face (v_cubema and what shaders make of
		 * it). */
		double v = p->pos[a] - (im->type == BW_IMAGE_CUBE ? 1.0 : 0.0);
		axis[a] = place(s, p->unnormalized ? v : v * size[a], linear[a], p->offset[a],
				s->clamp[a], size[a]);
		/* Point sampling at the far end of a half border is on the image still. */
		if (!linear[a] && axis[a].first == size[a] && s->clamp[a] == CLAMP_HALF_BORDER)
			axis[a].first--;
	}
	for (unsigned a = 0; a < 3; a++)
		n = linear[a] ? 2u << a : n;
	for (unsigned i = 0; i < n; i++) {
		unsigned second[3] = {i & 1, i >> 1 & 1, i >> 2};
		float weight = 1;
		int64_t at[3];
		for (unsigned a = 0; a < 3; a++) {
			at[a] = axis[a].first + second[a];
			weight *= (float)(second[a] ? axis[a].fraction
						    : FRACTION - axis[a].fraction) /
				  FRACTION;
		}
		out[i] = (struct bw_tap){.z = p->slice, .weight = weight};
		locate_tap(im, s, size, at, &out[i]);
	}
	return n;
}

uint32_t bw_sample_slice(const struct bw_image *im, float slice)
{
	/* Rounds to nearest, halves to even; NaN and negative numbers select the first slice. */
	double v = rint(slice);
	uint32_t n = !(v > 0) ? 0 : v > 65535 ? 65535 : (uint32_t)v;
	if (im->type == BW_IMAGE_CUBE) {
		uint32_t cubes = BW_MAX(im->n_slices / CUBE_FACES, 1u);
		n = BW_MIN(n / 8, cubes - 1) * CUBE_FACES + BW_MIN(n % 8, CUBE_FACES - 1u);
	}
	return im->n_slices ? BW_MIN(n, im->n_slices - 1) : 0;
}

bool bw_sample_compare(unsigned func, float reference, float texel)
{
	switch (func & 7) {
	case 0:
		return false;
	case 1:
		return reference < texel;
	case 2:
		return reference == texel;
	case 3:
		return reference <= texel;
	case 4:
		return reference > texel;
	case 5:
		return reference != texel;
	case 6:
		return reference >= texel;
	default:
		return true;
	}
}

void bw_sample_border(const struct bw_image *im, const struct bw_sampler *s,
		      const uint32_t table[4], uint32_t out[4])
{
	/* The channel of the colour that each memory component gets: xyzw, xwyz, wzyx, wxyz, zyxw,
	 * yxwz. */
	static const uint8_t order[8][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {3, 2, 1, 0}, {3, 0, 1, 2},
					    {2, 1, 0, 3}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}};
	uint32_t one = bw_format_one(im->format), color[4] = {0};
	if (s->border == BW_BORDER_TABLE)
		memcpy(color, table, sizeof(color));
	else if (s->border == BW_BORDER_WHITE)
		color[0] = color[1] = color[2] = color[3] = one;
	else if (s->border == BW_BORDER_BLACK)
		color[3] = one;
	for (unsigned c = 0; c < 4; c++)
		out[c] = color[order[im->bc_swizzle & 7][c]];
}
