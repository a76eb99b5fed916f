/* SPDX-License-Identifier: MIT */
#include "vgpu/device/raster/triangle.h"

#include <math.h>
#include <string.h>

#include "base/util.h"

/* ---- set up ---- */

static bool is_culled_by_distance(const struct bw_raster_vertex v[3], uint8_t mask)
{
	for (unsigned i = 0; i < BW_RASTER_MAX_CLIP; i++)
		if (mask >> i & 1 && v[0].clip[i] < 0 && v[1].clip[i] < 0 && v[2].clip[i] < 0)
			return true;
	return false;
}

static double near_distance(const struct bw_raster_vertex *v, const struct bw_raster_rules *r)
{
	return r->z_from_minus_w ? (double)v->z + v->w : v->z;
}

/* All corners are outside of one plane of the view volume; or a number is none. */
static bool is_outside(const struct bw_raster_vertex v[3], const struct bw_raster_rules *r)
{
	unsigned near = 0, far = 0, behind = 0;
	for (unsigned i = 0; i < 3; i++) {
		if (!isfinite(v[i].x) || !isfinite(v[i].y) || !isfinite(v[i].z) ||
		    !isfinite(v[i].w))
			return true;
		near += near_distance(&v[i], r) < 0;
		far += v[i].z > v[i].w;
		behind += v[i].w <= 0;
	}
	return behind == 3 || (r->clips_near && near == 3) || (r->clips_far && far == 3) ||
	       is_culled_by_distance(v, r->clip_mask | r->cull_mask);
}

static bool needs_planes(const struct bw_raster_vertex *v, const struct bw_raster_rules *r)
{
	if ((r->clips_near && near_distance(v, r) < 0) || (r->clips_far && v->z > v->w))
		return true;
	for (unsigned i = 0; i < BW_RASTER_MAX_CLIP; i++)
		if (r->clip_mask >> i & 1 && !(v->clip[i] >= 0))
			return true;
	return false;
}

/* e[k] is the cross product of the other two corners, in homogeneous coordinates of the screen. */
static void make_planes(struct bw_triangle *t, const double p[3][3])
{
	for (unsigned k = 0; k < 3; k++) {
		const double *a = p[(k + 1) % 3], *b = p[(k + 2) % 3];
		t->e[k][0] = a[1] * b[2] - a[2] * b[1];
		t->e[k][1] = a[2] * b[0] - a[0] * b[2];
		t->e[k][2] = a[0] * b[1] - a[1] * b[0];
	}
	t->det = 0;
	for (unsigned i = 0; i < 3; i++)
		t->det += t->e[0][i] * p[0][i];
}

/* Corners as pixels, when all are in front of the eye and near the screen: with floats, which the
 * rounding to fixed point then meets as it does in other implementations [I]. */
static bool to_fixed(const struct bw_raster_vertex v[3], const struct bw_raster_viewport *view,
		     int64_t x[3], int64_t y[3])
{
	for (unsigned i = 0; i < 3; i++) {
		float inverse = 1 / v[i].w;
		float sx = v[i].x * inverse * view->x_scale + view->x_offset;
		float sy = v[i].y * inverse * view->y_scale + view->y_offset;
		if (!(v[i].w > 0) || !(fabsf(sx) <= BW_RASTER_GUARD) ||
		    !(fabsf(sy) <= BW_RASTER_GUARD))
			return false;
		x[i] = (int64_t)nearbyintf(sx * BW_RASTER_SUBPIXELS);
		y[i] = (int64_t)nearbyintf(sy * BW_RASTER_SUBPIXELS);
	}
	return true;
}

static int64_t smallest(unsigned n, const int64_t *v)
{
	int64_t least = v[0];
	for (unsigned i = 1; i < n; i++)
		least = BW_MIN(least, v[i]);
	return least;
}

static int64_t largest(unsigned n, const int64_t *v)
{
	int64_t most = v[0];
	for (unsigned i = 1; i < n; i++)
		most = BW_MAX(most, v[i]);
	return most;
}

static int32_t floor_pixel(int64_t v)
{
	return (int32_t)(v >= 0 ? v / BW_RASTER_SUBPIXELS
				: -((-v + BW_RASTER_SUBPIXELS - 1) / BW_RASTER_SUBPIXELS));
}

static bool narrow_box(struct bw_raster_area *a, unsigned n, const int64_t *x, const int64_t *y)
{
	a->x0 = BW_MAX(a->x0, floor_pixel(smallest(n, x)));
	a->y0 = BW_MAX(a->y0, floor_pixel(smallest(n, y)));
	a->x1 = BW_MIN(a->x1, floor_pixel(largest(n, x)) + 1);
	a->y1 = BW_MIN(a->y1, floor_pixel(largest(n, y)) + 1);
	return a->x0 < a->x1 && a->y0 < a->y1;
}

bool bw_triangle_make_edges(struct bw_triangle *t, unsigned n, const int64_t *x, const int64_t *y)
{
	int64_t area = 0;
	for (unsigned i = 2; i < n; i++)
		area += (x[i - 1] - x[0]) * (y[i] - y[0]) - (y[i - 1] - y[0]) * (x[i] - x[0]);
	if (!area)
		return false;
	int64_t sign = area > 0 ? 1 : -1;
	t->n_edges = n;
	for (unsigned k = 0; k < n; k++) {
		unsigned i = k, j = (k + 1) % n;
		int64_t dx = (x[j] - x[i]) * sign, dy = (y[j] - y[i]) * sign;
		t->edge[k].a = -dy;
		t->edge[k].b = dx;
		t->edge[k].c = dy * x[i] - dx * y[i];
		/* Left edges, and horizontal ones at the top (y grows downwards). */
		t->edge[k].owns = dy < 0 || (dy == 0 && dx > 0);
	}
	return narrow_box(&t->box, n, x, y);
}

static bool setup_rect(struct bw_triangle *t, const int64_t x[3], const int64_t y[3])
{
	/* Edge functions 0 to 2 are not used: the box in 1/256 pixel is enough. */
	t->edge[0].a = smallest(3, x);
	t->edge[0].b = smallest(3, y);
	t->edge[1].a = largest(3, x);
	t->edge[1].b = largest(3, y);
	bool along_x = y[1] == y[0] && x[2] == x[0], along_y = x[1] == x[0] && y[2] == y[0];
	bool at_last = (x[0] == x[1] && y[1] == y[2]) || (y[0] == y[1] && x[1] == x[2]);
	return along_x || along_y || at_last;
}

static void find_slope(struct bw_triangle *t)
{
	double dx = 0, dy = 0;
	t->max_z = -HUGE_VAL;
	for (unsigned k = 0; k < 3; k++) {
		dx += t->e[k][0] * t->z[k];
		dy += t->e[k][1] * t->z[k];
		t->max_z = fmax(t->max_z, t->z[k] / t->w[k]);
	}
	t->slope = fmax(fabs(dx / t->det), fabs(dy / t->det));
}

bool bw_triangle_setup(struct bw_triangle *t, const struct bw_raster_vertex v[3],
		       const struct bw_raster_viewport *view, const struct bw_raster_rules *rules,
		       const struct bw_raster_area *scissor)
{
	double p[3][3];
	int64_t x[3], y[3];
	bool planes = false;
	if (is_outside(v, rules))
		return false;
	memset(t, 0, sizeof(*t));
	t->rules = *rules;
	t->is_rect = rules->is_rect;
	t->box = *scissor;
	t->z_min = fminf(view->z_min, view->z_max);
	t->z_max = fmaxf(view->z_min, view->z_max);
	for (unsigned i = 0; i < 3; i++) {
		p[i][0] = (double)v[i].x * view->x_scale + (double)v[i].w * view->x_offset;
		p[i][1] = (double)v[i].y * view->y_scale + (double)v[i].w * view->y_offset;
		p[i][2] = v[i].w;
		if (!isfinite(p[i][0]) || !isfinite(p[i][1]))
			return false;
		t->z[i] = (double)v[i].z * view->z_scale + (double)v[i].w * view->z_offset;
		t->w[i] = v[i].w;
		t->clip_z[i] = v[i].z;
		memcpy(t->clip[i], v[i].clip, sizeof(t->clip[i]));
		planes |= needs_planes(&v[i], rules);
	}
	make_planes(t, p);
	if (!(t->det != 0) || !isfinite(t->det))
		return false;
	/* Seen with y downwards, a positive determinant is clockwise. */
	t->is_front = (t->det > 0) == rules->front_is_clockwise;
	bool culled = t->is_front ? rules->culls_front : rules->culls_back;
	if (culled && !rules->is_rect)
		return false;
	find_slope(t);
	if (rules->is_outline)
		return true;
	t->is_exact = to_fixed(v, view, x, y);
	t->has_planes = planes;
	if (rules->is_rect)
		return t->is_exact && setup_rect(t, x, y) && narrow_box(&t->box, 3, x, y);
	if (!t->is_exact)
		return t->box.x0 < t->box.x1 && t->box.y0 < t->box.y1;
	return bw_triangle_make_edges(t, 3, x, y);
}

bool bw_triangle_setup_point(struct bw_triangle *t, const struct bw_raster_vertex *v,
			     const struct bw_raster_viewport *view,
			     const struct bw_raster_rules *rules,
			     const struct bw_raster_area *scissor, const float size[2])
{
	const struct bw_raster_vertex corners[3] = {*v, *v, *v};
	const float at[2] = {v->x / v->w * view->x_scale + view->x_offset,
			     v->y / v->w * view->y_scale + view->y_offset};
	int64_t first[2], last[2];
	if (is_outside(corners, rules))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		if (!(size[i] > 0) || !(size[i] <= BW_RASTER_GUARD) ||
		    !(fabsf(at[i]) <= BW_RASTER_GUARD))
			return false;
		first[i] = (int64_t)nearbyintf((at[i] - size[i] / 2) * BW_RASTER_SUBPIXELS);
		last[i] = (int64_t)nearbyintf((at[i] + size[i] / 2) * BW_RASTER_SUBPIXELS);
	}
	memset(t, 0, sizeof(*t));
	t->rules = *rules;
	t->is_rect = t->is_exact = t->is_front = true;
	t->box = *scissor;
	t->z_min = fminf(view->z_min, view->z_max);
	t->z_max = fmaxf(view->z_min, view->z_max);
	t->edge[0].a = first[0];
	t->edge[0].b = first[1];
	t->edge[1].a = last[0];
	t->edge[1].b = last[1];
	for (unsigned k = 0; k < 3; k++) {
		t->w[k] = v->w;
		t->z[k] = (double)v->z * view->z_scale + (double)v->w * view->z_offset;
	}
	t->det = v->w;
	for (unsigned i = 0; i < 2; i++) {
		t->e[1 + i][i] = 1 / (double)size[i];
		t->e[1 + i][2] = -((double)at[i] - (double)size[i] / 2) / (double)size[i];
	}
	for (unsigned i = 0; i < 3; i++)
		t->e[0][i] = (i == 2) - t->e[1][i] - t->e[2][i];
	t->max_z = t->z[0] / t->w[0];
	return narrow_box(&t->box, 3, (int64_t[]){first[0], last[0], last[0]},
			  (int64_t[]){first[1], last[1], last[1]});
}

/* ---- samples ---- */

/* In front of the eye, between the planes of the view volume and those of the program, and (with
 * edges) inside of the triangle. */
static bool is_between_planes(const struct bw_triangle *t, double x, double y, bool edges)
{
	double b[3], sum = 0, z = 0, w = 0;
	for (unsigned k = 0; k < 3; k++) {
		b[k] = t->e[k][0] * x + t->e[k][1] * y + t->e[k][2];
		sum += b[k];
	}
	if (!(sum * t->det > 0)) /* w <= 0: behind the eye */
		return false;
	for (unsigned k = 0; k < 3; k++) {
		b[k] /= sum;
		if (edges && !(b[k] >= 0))
			return false;
		z += b[k] * t->clip_z[k];
		w += b[k] * t->w[k];
	}
	if (t->rules.clips_near && z < (t->rules.z_from_minus_w ? -w : 0))
		return false;
	if (t->rules.clips_far && z > w)
		return false;
	for (unsigned i = 0; i < BW_RASTER_MAX_CLIP; i++)
		if (t->rules.clip_mask >> i & 1 &&
		    !(b[0] * t->clip[0][i] + b[1] * t->clip[1][i] + b[2] * t->clip[2][i] >= 0))
			return false;
	return true;
}

bool bw_triangle_covers(const struct bw_triangle *t, int32_t x, int32_t y)
{
	if (t->is_rect)
		return x >= t->edge[0].a && y >= t->edge[0].b && x < t->edge[1].a &&
		       y < t->edge[1].b;
	if (!t->is_exact)
		return is_between_planes(t, (double)x / BW_RASTER_SUBPIXELS,
					 (double)y / BW_RASTER_SUBPIXELS, true);
	for (unsigned k = 0; k < t->n_edges; k++) {
		int64_t e = t->edge[k].a * x + t->edge[k].b * y + t->edge[k].c;
		if (e < 0 || (e == 0 && !t->edge[k].owns))
			return false;
	}
	return !t->has_planes || is_between_planes(t, (double)x / BW_RASTER_SUBPIXELS,
						   (double)y / BW_RASTER_SUBPIXELS, false);
}

bool bw_triangle_misses(const struct bw_triangle *t, const struct bw_raster_area *pixels)
{
	const int32_t x[2] = {pixels->x0, pixels->x1}, y[2] = {pixels->y0, pixels->y1};
	double sign = t->det > 0 ? 1 : -1;
	if (t->is_rect)
		return false;
	for (unsigned k = 0; k < (t->is_exact ? t->n_edges : 3); k++) {
		bool all = true;
		for (unsigned i = 0; i < 4 && all; i++) {
			int64_t px = x[i % 2], py = y[i / 2];
			if (t->is_exact)
				all = (t->edge[k].a * px + t->edge[k].b * py) *
						      BW_RASTER_SUBPIXELS +
					      t->edge[k].c <
				      0;
			else
				all = sign * (t->e[k][0] * (double)px + t->e[k][1] * (double)py +
					      t->e[k][2]) <
				      0;
		}
		if (all)
			return true;
	}
	return false;
}

/* Both shapes are convex, so their corners are enough. */
bool bw_triangle_fills(const struct bw_triangle *t, const struct bw_raster_area *pixels)
{
	const int32_t x[2] = {pixels->x0, pixels->x1}, y[2] = {pixels->y0, pixels->y1};
	for (unsigned i = 0; i < 4; i++) {
		int64_t px = (int64_t)x[i % 2] * BW_RASTER_SUBPIXELS,
			py = (int64_t)y[i / 2] * BW_RASTER_SUBPIXELS;
		if (t->is_rect && (px < t->edge[0].a || py < t->edge[0].b || px > t->edge[1].a ||
				   py > t->edge[1].b))
			return false;
		for (unsigned k = 0; k < t->n_edges && t->is_exact && !t->is_rect; k++)
			if (t->edge[k].a * px + t->edge[k].b * py + t->edge[k].c <= 0)
				return false;
		if (!t->is_rect && (t->has_planes || !t->is_exact) &&
		    !is_between_planes(t, x[i % 2], y[i / 2], !t->is_exact))
			return false;
	}
	return true;
}

void bw_triangle_weigh(const struct bw_triangle *t, double x, double y, struct bw_weights *out)
{
	double e[3], sum = 0;
	for (unsigned k = 0; k < 3; k++) {
		e[k] = t->e[k][0] * x + t->e[k][1] * y + t->e[k][2];
		sum += e[k];
	}
	for (unsigned k = 0; k < 3; k++) {
		out->persp[k] = e[k] / sum;
		out->linear[k] = e[k] * t->w[k] / t->det;
	}
	out->w = t->det / sum;
}

double bw_triangle_depth(const struct bw_triangle *t, double x, double y)
{
	double z = 0;
	for (unsigned k = 0; k < 3; k++)
		z += (t->e[k][0] * x + t->e[k][1] * y + t->e[k][2]) * t->z[k];
	z = z / t->det + t->bias;
	z = z > t->z_min ? z : t->z_min; /* NaN: the least */
	return z < t->z_max ? z : t->z_max;
}
