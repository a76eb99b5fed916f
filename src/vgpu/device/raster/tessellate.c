/* SPDX-License-Identifier: MIT */
/* Points lie in rings. The points of a ring's edge are a row, which begins in one corner and ends
 * in the next; between a row and the one inside of it lies a strip of triangles. */
#include "vgpu/device/raster/tessellate.h"

#include <math.h>
#include <stddef.h>

#include "base/util.h"

/* Fixed point with 16 bits after the point. */
enum { ONE = 1 << 16, HALF = ONE / 2, THIRD = ONE / 3, TWO_THIRDS = 2 * THIRD };
enum { MAX_ROW = BW_TESS_MAX_LEVEL + 2, MAX_EDGES = 4 };

/* ---- one dimension ---- */

/* A line that is divided, symmetrically. Between two whole levels, points move apart from one that
 * the lower level has. */
struct division {
	bool odd;
	unsigned n_points, half; /* of the points; without one in the middle */
	unsigned split;		 /* after this one lies the point that moves */
	uint32_t fraction, lower_step, upper_step;
};

static uint32_t whole_above(uint32_t v)
{
	return (v + ONE - 1) & ~(uint32_t)(ONE - 1);
}

static unsigned without_top_bit(unsigned v)
{
	return v ? v & ~(1u << (31 - __builtin_clz(v))) : 0;
}

static struct division divide(float level, bool odd)
{
	uint32_t fixed = (uint32_t)llrint((double)level * ONE);
	uint32_t half = (fixed + 1) / 2;
	struct division d = {.odd = odd};
	d.n_points = odd ? whole_above(half + HALF) * 2 / ONE : whole_above(half) * 2 / ONE + 1;
	if (odd || half == HALF)
		half += HALF;
	uint32_t lower = half / ONE, upper = whole_above(half) / ONE;
	d.fraction = half % ONE;
	d.half = upper;
	if (lower == upper)
		d.split = upper + 1;
	else if (odd)
		d.split = lower == 1 ? 0 : without_top_bit(lower - 1) * 2 + 1;
	else
		d.split = without_top_bit(lower) * 2 + 1;
	unsigned n_lower = lower * 2 - odd, n_upper = upper * 2 - odd;
	d.lower_step = n_lower ? (ONE + n_lower / 2) / n_lower : 0;
	d.upper_step = n_upper ? (ONE + n_upper / 2) / n_upper : 0;
	return d;
}

static uint32_t place(const struct division *d, unsigned point)
{
	bool mirrored = point >= d->half;
	if (mirrored)
		point = d->half * 2 - point - d->odd;
	if (point == d->half)
		return HALF;
	uint64_t lower = (uint64_t)(point > d->split ? point - 1 : point) * d->lower_step;
	uint64_t upper = (uint64_t)point * d->upper_step;
	uint32_t at = (uint32_t)((lower * (ONE - d->fraction) + upper * d->fraction + HALF) / ONE);
	return mirrored ? ONE - at : at;
}

/* ---- points and triangles ---- */

struct ring {
	unsigned n[MAX_EDGES]; /* points of a row: both corners */
	uint16_t row[MAX_EDGES][MAX_ROW];
};

struct patch {
	const struct bw_tess_mode *mode;
	struct bw_tess *out;
	struct division outer[MAX_EDGES], inner[2];
};

static uint16_t add_point(struct patch *p, uint32_t u, uint32_t v)
{
	unsigned n = p->out->n_points;
	if (n >= BW_TESS_MAX_POINTS)
		return 0;
	p->out->u[n] = (float)u / ONE;
	p->out->v[n] = (float)v / ONE;
	p->out->n_points++;
	return (uint16_t)n;
}

/* Clockwise. */
static void add_triangle(struct patch *p, uint16_t a, uint16_t b, uint16_t c)
{
	bool turned = p->mode->topology == BW_TESS_CCW;
	if (p->mode->topology < BW_TESS_CW || p->out->n_primitives >= BW_TESS_MAX_PRIMITIVES)
		return;
	uint16_t *t = p->out->primitive[p->out->n_primitives++];
	t[0] = a;
	t[1] = turned ? c : b;
	t[2] = turned ? b : c;
}

/* A row ends where the next one begins. */
static void close_ring(struct ring *r, unsigned n_edges)
{
	for (unsigned e = 0; e < n_edges; e++)
		r->row[e][r->n[e] - 1] = r->row[(e + 1) % n_edges][0];
}

/* ---- strips between two rows ---- */

/* When the point at this place of half of an edge appears, as the level grows: in the middle of the
 * largest gap, as the nodes of a binary tree in their order from left to right. */
static unsigned rank(unsigned place)
{
	if (place < 2)
		return place ? 32 : 0;
	unsigned n = place - 1, level = (unsigned)__builtin_ctz(n);
	return (16u >> level) + (n >> (level + 1));
}

struct strip {
	struct patch *p;
	const uint16_t *in, *out;
};

static void step_out(struct strip *s)
{
	add_triangle(s->p, s->out[0], s->out[1], s->in[0]);
	s->out++;
}

static void step_in(struct strip *s)
{
	add_triangle(s->p, s->in[0], s->out[0], s->in[1]);
	s->in++;
}

/* Rows with any numbers of points: a point of a row is connected when the other row has had those
 * that appear before it. */
static void stitch_any(struct patch *p, const uint16_t *in, const struct division *inner,
		       const uint16_t *out, const struct division *outer)
{
	unsigned half_in = inner->half - inner->odd, half_out = outer->half - outer->odd;
	struct strip s = {p, in, out};
	if (half_out > 0)
		step_out(&s);
	for (unsigned i = 1; i <= 32; i++) {
		if (rank(i) < half_in)
			step_in(&s);
		if (rank(i) < half_out)
			step_out(&s);
	}
	if (inner->odd && outer->odd) {
		step_in(&s);
		add_triangle(p, s.in[0], s.out[0], s.out[1]);
		s.out++;
	} else if (inner->odd) {
		step_in(&s);
	} else if (outer->odd) {
		add_triangle(p, s.in[0], s.out[0], s.out[1]);
		s.out++;
	}
	for (unsigned i = 32; i >= 1; i--) {
		if (rank(i) < half_out)
			step_out(&s);
		if (rank(i) < half_in)
			step_in(&s);
	}
	if (half_out > 0)
		step_out(&s);
}

/* Two triangles; the diagonal begins at the inside's first point, or at the outside's. */
static void add_quad(struct patch *p, const uint16_t *in, const uint16_t *out, bool from_inside)
{
	if (from_inside) {
		add_triangle(p, in[0], out[0], out[1]);
		add_triangle(p, in[0], out[1], in[1]);
	} else {
		add_triangle(p, out[0], in[1], in[0]);
		add_triangle(p, out[0], out[1], in[1]);
	}
}

/* The outer row has a point more at each end; diagonals are mirrored. */
static void stitch_rings(struct patch *p, const uint16_t *in, unsigned n_in, const uint16_t *out)
{
	add_triangle(p, out[0], out[1], in[0]);
	for (unsigned i = 0; i + 1 < n_in; i++)
		add_quad(p, &in[i], &out[i + 1], i >= n_in / 2);
	add_triangle(p, out[n_in], out[n_in + 1], in[n_in - 1]);
}

/* Rows with the same number of points; the inner one runs in the other direction. */
static void stitch_middle(struct patch *p, const uint16_t *in, unsigned n, const uint16_t *out,
			  bool except_middle)
{
	uint16_t turned[MAX_ROW];
	for (unsigned i = 0; i < n; i++)
		turned[i] = in[n - 1 - i];
	for (unsigned i = 0; i + 1 < n; i++) {
		if (!except_middle || i == n / 2 - 1) {
			add_quad(p, &turned[i], &out[i], !except_middle);
			continue;
		}
		/* The same diagonal, but another first corner. */
		add_triangle(p, out[i], out[i + 1], turned[i]);
		add_triangle(p, turned[i], out[i + 1], turned[i + 1]);
	}
}

/* ---- levels ---- */

enum { LEAST, MOST };
static void bounds(enum bw_tess_spacing spacing, float out[2])
{
	out[LEAST] = spacing == BW_TESS_EVEN ? 2 : 1;
	out[MOST] = spacing == BW_TESS_ODD ? BW_TESS_MAX_LEVEL - 1 : BW_TESS_MAX_LEVEL;
}

static bool is_whole(enum bw_tess_spacing spacing)
{
	return spacing == BW_TESS_INTEGER || spacing == BW_TESS_POW2;
}

/* NaN becomes the least level. */
static float clamp_level(enum bw_tess_spacing spacing, float level, const float bound[2])
{
	level = fminf(bound[MOST], fmaxf(bound[LEAST], level));
	return is_whole(spacing) ? ceilf(level) : level;
}

static bool is_odd(enum bw_tess_spacing spacing, float level)
{
	return is_whole(spacing) ? (unsigned)level % 2 : spacing == BW_TESS_ODD;
}

/* Divides the edges and the inside. False: the patch is not divided at all. */
static bool divide_patch(struct patch *p, unsigned n_edges, const float outer[4],
			 const float inner[2])
{
	enum bw_tess_spacing spacing = p->mode->spacing;
	unsigned n_inner = n_edges == 4 ? 2 : 1;
	const float epsilon = 1.0f / ONE;
	float bound[2];
	bool any = false, all_one = true;
	bounds(spacing, bound);
	for (unsigned e = 0; e < n_edges; e++) {
		float level = clamp_level(spacing, outer[e], bound);
		p->outer[e] = divide(level, is_odd(spacing, level));
		any |= level > 1 + epsilon / 2;
		all_one &= llrint((double)level * ONE) == ONE;
	}
	for (unsigned i = 0; i < n_inner && n_edges == 4; i++)
		any |= inner[i] > 1 + epsilon / 2;
	/* An odd inside between 1 and 3 has points of its own where an edge has. */
	if (spacing == BW_TESS_ODD && any)
		bound[LEAST] = 1 + epsilon;
	for (unsigned i = 0; i < n_inner; i++) {
		float level = clamp_level(spacing, inner[i], bound);
		bool odd = is_odd(spacing, level) && !(is_whole(spacing) && level == 1);
		p->inner[i] = divide(level, odd);
		p->inner[i].n_points = BW_MAX(p->inner[i].n_points, odd ? 4u : 3u);
		all_one &= llrint((double)level * ONE) == ONE;
	}
	return spacing == BW_TESS_EVEN || !all_one;
}

/* ---- triangles ---- */

/* The ring that lies `inside` points from the edges; across: its distance from them. */
static void add_triangle_ring(struct patch *p, struct division *const along[3],
			      const unsigned n_points[3], unsigned inside, uint32_t across,
			      struct ring *r)
{
	for (unsigned e = 0; e < 3; e++) {
		unsigned last = n_points[e] - 1 - inside;
		r->n[e] = last - inside + 1;
		for (unsigned i = 0; i + 1 < r->n[e]; i++) {
			uint32_t t = place(along[e], e == 1 ? inside + i : last - i);
			t -= (across + 1) / 2;
			r->row[e][i] = e == 0	? add_point(p, across, t)
				       : e == 1 ? add_point(p, t, across)
						: add_point(p, t, ONE - t - across);
		}
	}
	close_ring(r, 3);
}

static void tessellate_triangle(struct patch *p, const float outer[4], const float inner[2])
{
	struct ring out, in;
	if (!divide_patch(p, 3, outer, inner)) {
		uint16_t a = add_point(p, 0, ONE), b = add_point(p, 0, 0), c = add_point(p, ONE, 0);
		add_triangle(p, a, b, c);
		return;
	}
	struct division *inside = &p->inner[0];
	struct division *const edges[3] = {&p->outer[0], &p->outer[1], &p->outer[2]};
	struct division *const insides[3] = {inside, inside, inside};
	const unsigned n = inside->n_points, n_in[3] = {n, n, n};
	const unsigned n_out[3] = {edges[0]->n_points, edges[1]->n_points, edges[2]->n_points};
	add_triangle_ring(p, edges, n_out, 0, 0, &out);
	for (unsigned k = 1; k < (n + 1) / 2; k++) {
		if (2 * k + 1 == n) { /* the middle */
			uint16_t middle = add_point(p, THIRD, THIRD);
			for (unsigned e = 0; e < 3; e++) {
				in.n[e] = 1;
				in.row[e][0] = middle;
			}
		} else {
			uint64_t across = (uint64_t)place(inside, k) * TWO_THIRDS + HALF;
			add_triangle_ring(p, insides, n_in, k, (uint32_t)(across / ONE), &in);
		}
		for (unsigned e = 0; e < 3; e++)
			if (k == 1)
				stitch_any(p, in.row[e], inside, out.row[e], edges[e]);
			else
				stitch_rings(p, in.row[e], in.n[e], out.row[e]);
		out = in;
	}
	if (inside->odd)
		add_triangle(p, out.row[0][0], out.row[1][0], out.row[2][0]);
}

/* ---- quads ---- */

enum { U, V };

/* The edges are U = 0, V = 0, U = 1, V = 1, one after the other around the quad. */
static void add_quad_ring(struct patch *p, struct division *const along[4],
			  const unsigned n_points[4], unsigned inside, const uint32_t across[4],
			  struct ring *r)
{
	for (unsigned e = 0; e < 4; e++) {
		unsigned last = n_points[e] - 1 - inside;
		r->n[e] = last - inside + 1;
		for (unsigned i = 0; i + 1 < r->n[e]; i++) {
			uint32_t t = place(along[e], e == 1 || e == 2 ? inside + i : last - i);
			r->row[e][i] =
				e % 2 ? add_point(p, t, across[e]) : add_point(p, across[e], t);
		}
	}
	close_ring(r, 4);
}

/* The innermost ring of an even level is a line in the middle, along the axis. */
static void add_quad_line(struct patch *p, unsigned inside, unsigned axis, struct ring *r)
{
	const struct division *along = &p->inner[axis];
	unsigned first = inside, n = along->n_points - 2 * inside;
	unsigned forth = axis == U ? 1 : 0; /* the edge in whose direction it goes */
	for (unsigned i = 0; i < n; i++) {
		uint16_t *to = &r->row[forth][i];
		*to = axis == U ? add_point(p, place(along, first + i), HALF)
				: add_point(p, HALF, place(along, first + n - 1 - i));
		r->row[forth + 2][n - 1 - i] = *to;
	}
	r->n[forth] = r->n[forth + 2] = n;
	unsigned before = (forth + 3) % 4, after = forth + 1;
	r->n[before] = r->n[after] = 1;
	r->row[before][0] = r->row[forth][0];
	r->row[after][0] = r->row[forth][n - 1];
}

static void tessellate_quad(struct patch *p, const float outer[4], const float inner[2])
{
	struct ring out, in;
	if (!divide_patch(p, 4, outer, inner)) {
		uint16_t a = add_point(p, 0, 0), b = add_point(p, ONE, 0);
		uint16_t c = add_point(p, ONE, ONE), d = add_point(p, 0, ONE);
		add_triangle(p, a, b, d);
		add_triangle(p, b, c, d);
		return;
	}
	struct division *inside = p->inner;
	struct division *const edges[4] = {&p->outer[0], &p->outer[1], &p->outer[2], &p->outer[3]};
	struct division *const insides[4] = {&inside[V], &inside[U], &inside[V], &inside[U]};
	const unsigned n_u = inside[U].n_points, n_v = inside[V].n_points;
	const unsigned n_in[4] = {n_v, n_u, n_v, n_u};
	const unsigned n_out[4] = {edges[0]->n_points, edges[1]->n_points, edges[2]->n_points,
				   edges[3]->n_points};
	const unsigned shorter = n_u > n_v ? V : U;
	add_quad_ring(p, edges, n_out, 0, (const uint32_t[4]){0, 0, ONE, ONE}, &out);
	for (unsigned k = 1; k < (BW_MIN(n_u, n_v) + 1) / 2; k++) {
		const uint32_t across[4] = {place(&inside[U], k), place(&inside[V], k),
					    place(&inside[U], n_u - 1 - k),
					    place(&inside[V], n_v - 1 - k)};
		if (2 * k + 1 == BW_MIN(n_u, n_v))
			add_quad_line(p, k, 1 - shorter, &in);
		else
			add_quad_ring(p, insides, n_in, k, across, &in);
		for (unsigned e = 0; e < 4; e++)
			if (k == 1)
				stitch_any(p, in.row[e], insides[e], out.row[e], edges[e]);
			else
				stitch_rings(p, in.row[e], in.n[e], out.row[e]);
		out = in;
	}
	/* Of an odd level two rows are left. */
	if (inside[shorter].odd && shorter == V)
		stitch_middle(p, out.row[3], out.n[3], out.row[1], false);
	else if (inside[shorter].odd)
		stitch_middle(p, out.row[2], out.n[2], out.row[0], inside[V].odd);
}

/* ---- isolines ---- */

static void tessellate_lines(struct patch *p, const float outer[4])
{
	float bound[2], lines = ceilf(fminf(BW_TESS_MAX_LEVEL, fmaxf(1, outer[0])));
	bounds(p->mode->spacing, bound);
	float level = clamp_level(p->mode->spacing, outer[1], bound);
	struct division across = divide(lines, (unsigned)lines % 2);
	struct division along = divide(level, is_odd(p->mode->spacing, level));
	for (unsigned i = 0; i + 1 < across.n_points; i++)
		for (unsigned k = 0; k < along.n_points; k++) {
			uint16_t n = add_point(p, place(&along, k), place(&across, i));
			if (!k || p->mode->topology != BW_TESS_LINES)
				continue;
			uint16_t *line = p->out->primitive[p->out->n_primitives++];
			line[0] = (uint16_t)(n - 1);
			line[1] = line[2] = n;
		}
}

void bw_tessellate(const struct bw_tess_mode *mode, const float outer[4], const float inner[2],
		   struct bw_tess *out)
{
	static const uint8_t n_outer[] = {2, 3, 4};
	struct patch p = {.mode = mode, .out = out};
	out->n_points = out->n_primitives = 0;
	out->n_corners = mode->topology == BW_TESS_POINTS  ? 1
			 : mode->topology == BW_TESS_LINES ? 2
							   : 3;
	for (unsigned i = 0; i < n_outer[mode->domain]; i++)
		if (!(outer[i] > 0))
			return;
	if (mode->domain == BW_TESS_ISOLINES)
		tessellate_lines(&p, outer);
	else if (mode->domain == BW_TESS_TRIANGLES)
		tessellate_triangle(&p, outer, inner);
	else
		tessellate_quad(&p, outer, inner);
	if (mode->topology != BW_TESS_POINTS)
		return;
	for (unsigned i = 0; i < out->n_points; i++)
		for (unsigned k = 0; k < 3; k++)
			out->primitive[i][k] = (uint16_t)i;
	out->n_primitives = out->n_points;
}
