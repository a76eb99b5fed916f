/* SPDX-License-Identifier: MIT */
#include "vgpu/device/raster/line.h"

#include <math.h>
#include <string.h>

#include "base/util.h"

/* ---- clipping ---- */

/* The part of the line that is left: from a to b of it. */
struct part {
	double a, b;
};

/* Removes what has a negative distance, which is this at the ends. */
static void cut(struct part *p, double first, double last)
{
	if (first < 0 && last < 0)
		p->b = -1;
	else if (first < 0)
		p->a = fmax(p->a, first / (first - last));
	else if (last < 0)
		p->b = fmin(p->b, first / (first - last));
}

/* Coordinates of an end on the screen, times w. */
struct end {
	double x, y, w;
};

static bool clip(const struct bw_raster_vertex v[2], const struct end end[2],
		 const struct bw_raster_rules *r, struct part *out)
{
	const double guard = BW_RASTER_GUARD;
	*out = (struct part){0, 1};
	for (unsigned i = 0; i < 2; i++)
		if (!isfinite(v[i].x) || !isfinite(v[i].y) || !isfinite(v[i].z) ||
		    !isfinite(v[i].w) || !isfinite(end[i].x) || !isfinite(end[i].y))
			return false;
	if (r->clips_near)
		cut(out, (double)v[0].z + (r->z_from_minus_w ? (double)v[0].w : 0),
		    (double)v[1].z + (r->z_from_minus_w ? (double)v[1].w : 0));
	if (r->clips_far)
		cut(out, (double)v[0].w - v[0].z, (double)v[1].w - v[1].z);
	for (unsigned i = 0; i < BW_RASTER_MAX_CLIP; i++) {
		if (r->cull_mask >> i & 1 && v[0].clip[i] < 0 && v[1].clip[i] < 0)
			return false;
		if (r->clip_mask >> i & 1)
			cut(out, v[0].clip[i], v[1].clip[i]);
	}
	/* These four leave only what is in front of the eye. */
	cut(out, end[0].x + guard * end[0].w, end[1].x + guard * end[1].w);
	cut(out, guard * end[0].w - end[0].x, guard * end[1].w - end[1].x);
	cut(out, end[0].y + guard * end[0].w, end[1].y + guard * end[1].w);
	cut(out, guard * end[0].w - end[0].y, guard * end[1].w - end[1].y);
	return out->a < out->b;
}

/* ---- the shape ---- */

/* A point of the screen, as the axis along which the line is longer and the other one. */
struct place {
	float along, across;
};

static int64_t to_fixed(float v)
{
	return (int64_t)nearbyintf(v * BW_RASTER_SUBPIXELS);
}

/* In which half of its pixel a point lies, and whether inside of the diamond in it. */
static bool is_in_diamond(const struct place *p)
{
	return fabsf(p->along - floorf(p->along) - 0.5f) +
		       fabsf(p->across - floorf(p->across) - 0.5f) <
	       0.5f;
}

/* Whether the column of the point's pixel lies in front of it on the line: its middle is among the
 * columns if the line begins here. */
static bool is_before_middle(const struct place *p, bool forward)
{
	int64_t middle = to_fixed(floorf(p->along) + 0.5f), at = to_fixed(p->along);
	return forward ? at <= middle : at > middle;
}

/* Moves an end along the line to the side of its pixel where the line comes in. */
static void move_back(struct place *p, float slope, bool forward)
{
	float side = floorf(p->along) + (forward ? 0 : 1);
	p->across += (side - p->along) * slope;
	p->along = side;
}

/* A pixel belongs to a Bresenham line if the line leaves the diamond in it. So the column of the
 * first pixel belongs to it, too, where it begins in the diamond, and that of the last one does not
 * where it ends there. All columns between are crossed in the middle. */
static void exit_diamonds(struct place p[2])
{
	float slope = (p[1].across - p[0].across) / (p[1].along - p[0].along);
	bool forward = p[1].along > p[0].along;
	struct place first = p[0], last = p[1];
	if (is_in_diamond(&first) && !is_before_middle(&first, forward))
		move_back(&p[0], slope, forward);
	if (is_in_diamond(&last) && !is_before_middle(&last, forward))
		move_back(&p[1], slope, forward);
}

static bool make_bresenham(struct bw_triangle *t, const float x[2], const float y[2], float width)
{
	bool steep = fabsf(x[1] - x[0]) < fabsf(y[1] - y[0]);
	struct place p[2];
	int64_t along[4], across[4];
	const int64_t half = (int64_t)fmaxf(roundf(width), 1) * BW_RASTER_SUBPIXELS / 2;
	for (unsigned i = 0; i < 2; i++)
		p[i] = steep ? (struct place){y[i], x[i]} : (struct place){x[i], y[i]};
	bool forward = p[1].along > p[0].along;
	exit_diamonds(p);
	if (forward ? p[1].along <= p[0].along : p[1].along >= p[0].along)
		return false;
	for (unsigned i = 0; i < 4; i++) {
		const struct place *from = &p[i == 1 || i == 2];
		along[i] = to_fixed(from->along);
		across[i] = to_fixed(from->across) + (i < 2 ? -half : half);
	}
	return bw_triangle_make_edges(t, 4, steep ? across : along, steep ? along : across);
}

static bool make_rectangle(struct bw_triangle *t, const float x[2], const float y[2], float width)
{
	float dx = x[0] - x[1], dy = y[0] - y[1];
	float scale = width * 0.5f / sqrtf(dx * dx + dy * dy);
	int64_t side[2] = {to_fixed(-dy * scale), to_fixed(dx * scale)}, px[4], py[4];
	for (unsigned i = 0; i < 4; i++) {
		unsigned from = i == 1 || i == 2;
		px[i] = to_fixed(x[from]) + (i < 2 ? -side[0] : side[0]);
		py[i] = to_fixed(y[from]) + (i < 2 ? -side[1] : side[1]);
	}
	return bw_triangle_make_edges(t, 4, px, py);
}

/* ---- values ---- */

/* Homogeneous edge functions: how far a point of the screen is along the line, divided by w. For a
 * Bresenham line only the longer axis counts. */
static void make_functions(struct bw_triangle *t, const float x[2], const float y[2],
			   const double w[2], const struct part *part, bool is_rectangular)
{
	double dx = (double)x[1] - x[0], dy = (double)y[1] - y[0];
	double along[3], one[3], left[2][3];
	if (!is_rectangular && fabs(dx) >= fabs(dy))
		dy = 0;
	else if (!is_rectangular)
		dx = 0;
	double length = dx * dx + dy * dy;
	along[0] = dx / length;
	along[1] = dy / length;
	along[2] = -(along[0] * x[0] + along[1] * y[0]);
	for (unsigned i = 0; i < 3; i++) {
		one[i] = i == 2;
		left[0][i] = (one[i] - along[i]) / w[0]; /* weights of the clipped ends */
		left[1][i] = along[i] / w[1];
		t->e[0][i] = left[0][i] * (1 - part->a) + left[1][i] * (1 - part->b);
		t->e[1][i] = left[0][i] * part->a + left[1][i] * part->b;
		t->e[2][i] = 0;
	}
	t->det = 1;
}

bool bw_triangle_setup_line(struct bw_triangle *t, const struct bw_raster_vertex v[2],
			    const struct bw_raster_viewport *view,
			    const struct bw_raster_rules *rules,
			    const struct bw_raster_area *scissor, const struct bw_raster_line *line)
{
	struct end end[2];
	struct part part;
	float x[2], y[2];
	double w[2];
	for (unsigned i = 0; i < 2; i++)
		end[i] = (struct end){
			(double)v[i].x * view->x_scale + (double)v[i].w * view->x_offset,
			(double)v[i].y * view->y_scale + (double)v[i].w * view->y_offset, v[i].w};
	if (!clip(v, end, rules, &part))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		double at = i ? part.b : part.a;
		w[i] = end[0].w + (end[1].w - end[0].w) * at;
		x[i] = (float)((end[0].x + (end[1].x - end[0].x) * at) / w[i]);
		y[i] = (float)((end[0].y + (end[1].y - end[0].y) * at) / w[i]);
		if (at != 0 && at != 1) /* it is not an end as the shader gave it */
			continue;
		float inverse = 1 / v[i].w;
		x[i] = v[i].x * inverse * view->x_scale + view->x_offset;
		y[i] = v[i].y * inverse * view->y_scale + view->y_offset;
	}
	/* At the rim of the square a rounding may be outside. */
	for (unsigned i = 0; i < 2; i++)
		if (!(w[i] > 0) || !(fabsf(x[i]) < 2 * BW_RASTER_GUARD) ||
		    !(fabsf(y[i]) < 2 * BW_RASTER_GUARD))
			return false;
	if (!(line->width > 0) || !(line->width <= BW_RASTER_GUARD) ||
	    (x[0] == x[1] && y[0] == y[1]))
		return false;
	memset(t, 0, sizeof(*t));
	t->rules = *rules;
	t->is_exact = t->is_front = true;
	t->box = *scissor;
	t->z_min = fminf(view->z_min, view->z_max);
	t->z_max = fmaxf(view->z_min, view->z_max);
	make_functions(t, x, y, w, &part, line->is_rectangular);
	for (unsigned i = 0; i < 3; i++) {
		const struct bw_raster_vertex *from = &v[BW_MIN(i, 1u)];
		t->w[i] = from->w;
		t->z[i] = (double)from->z * view->z_scale + (double)from->w * view->z_offset;
	}
	return line->is_rectangular ? make_rectangle(t, x, y, line->width)
				    : make_bresenham(t, x, y, line->width);
}
