/* SPDX-License-Identifier: MIT */
/* Coverage and interpolation. Expected values: rules of Vulkan 1.3 (27.9, lines, and 27.10,
 * polygons), and sums done by hand. */
#include "../../suite.h"

#include <math.h>

#include "vgpu/device/raster/line.h"

enum { SIZE = 32, CENTRE = BW_RASTER_SUBPIXELS / 2 };

/* A screen of 32 x 32 pixels with (0, 0) at the upper left. */
static const struct bw_raster_viewport view = {SIZE / 2, SIZE / 2, SIZE / 2, SIZE / 2, 1, 0, 0, 1};
static const struct bw_raster_area all = {0, 0, SIZE, SIZE};

/* The vertex at a pixel position. */
static struct bw_raster_vertex at(float x, float y, float z, float w)
{
	return (struct bw_raster_vertex){
		.x = (x / (SIZE / 2) - 1) * w, .y = (y / (SIZE / 2) - 1) * w, .z = z * w, .w = w};
}

static bool covers(const struct bw_triangle *t, int x, int y)
{
	return x >= t->box.x0 && x < t->box.x1 && y >= t->box.y0 && y < t->box.y1 &&
	       bw_triangle_covers(t, x * BW_RASTER_SUBPIXELS + CENTRE,
				  y * BW_RASTER_SUBPIXELS + CENTRE);
}

static unsigned count(const struct bw_triangle *t)
{
	unsigned n = 0;
	for (int y = -2; y < SIZE + 2; y++)
		for (int x = -2; x < SIZE + 2; x++)
			n += covers(t, x, y);
	return n;
}

/* A square of two triangles with corners on pixel centres: each pixel is covered once, and of the
 * border only the left and the upper one. */
static void test_shared_edges(void **state)
{
	const struct bw_raster_rules rules = {0};
	const struct bw_raster_vertex a = at(4.5f, 4.5f, 0, 1), b = at(12.5f, 4.5f, 0, 1),
				      c = at(4.5f, 12.5f, 0, 1), d = at(12.5f, 12.5f, 0, 1);
	struct bw_triangle t[2];
	/* of both windings */
	assert_true(bw_triangle_setup(&t[0], (struct bw_raster_vertex[]){a, b, c}, &view, &rules,
				      &all));
	assert_true(bw_triangle_setup(&t[1], (struct bw_raster_vertex[]){b, c, d}, &view, &rules,
				      &all));
	assert_true(t[0].is_exact && t[1].is_exact);
	assert_true(t[0].is_front != t[1].is_front);
	for (int y = 0; y < SIZE; y++)
		for (int x = 0; x < SIZE; x++) {
			bool inside = x >= 4 && x < 12 && y >= 4 && y < 12;
			assert_int_equal(covers(&t[0], x, y) + covers(&t[1], x, y), inside);
		}
}

/* A fan round a point with random corners covers each pixel of its hull exactly once. */
static void test_fan_has_no_gaps(void **state)
{
	const struct bw_raster_rules rules = {0};
	unsigned covered[SIZE][SIZE] = {0};
	uint32_t seed = 1;
	enum { N = 13 };
	float x[N], y[N];
	for (unsigned i = 0; i < N; i++) {
		seed = seed * 1664525 + 1013904223;
		float r = 8 + (float)(seed >> 8) / 16777216.0f * 6;
		x[i] = 16.1f + r * cosf((float)i * 6.2831853f / N);
		y[i] = 15.7f + r * sinf((float)i * 6.2831853f / N);
	}
	for (unsigned i = 0; i < N; i++) {
		struct bw_triangle t;
		const struct bw_raster_vertex v[3] = {at(16.1f, 15.7f, 0, 1), at(x[i], y[i], 0, 1),
						      at(x[(i + 1) % N], y[(i + 1) % N], 0, 1)};
		assert_true(bw_triangle_setup(&t, v, &view, &rules, &all));
		for (int py = 0; py < SIZE; py++)
			for (int px = 0; px < SIZE; px++)
				covered[py][px] += covers(&t, px, py);
	}
	for (int py = 0; py < SIZE; py++)
		for (int px = 0; px < SIZE; px++) {
			assert_true(covered[py][px] <= 1);
			if (hypot(px + 0.5 - 16.1, py + 0.5 - 15.7) < 7)
				assert_int_equal(covered[py][px], 1);
		}
}

static void test_facing_and_culling(void **state)
{
	struct bw_raster_rules rules = {0};
	struct bw_triangle t;
	/* clockwise as it is seen, y grows downwards */
	const struct bw_raster_vertex clockwise[3] = {at(4, 4, 0, 1), at(20, 4, 0, 1),
						      at(4, 20, 0, 1)};
	assert_true(bw_triangle_setup(&t, clockwise, &view, &rules, &all));
	assert_false(t.is_front);
	rules.front_is_clockwise = true;
	assert_true(bw_triangle_setup(&t, clockwise, &view, &rules, &all));
	assert_true(t.is_front);
	rules.culls_back = true;
	assert_true(bw_triangle_setup(&t, clockwise, &view, &rules, &all));
	rules.culls_front = true;
	assert_false(bw_triangle_setup(&t, clockwise, &view, &rules, &all));
}

static void test_interpolation(void **state)
{
	const struct bw_raster_rules rules = {0};
	const struct bw_raster_vertex v[3] = {at(0, 0, 0.25f, 1), at(16, 0, 0.5f, 2),
					      at(0, 16, 0.75f, 4)};
	struct bw_triangle t;
	struct bw_weights k;
	assert_true(bw_triangle_setup(&t, v, &view, &rules, &all));
	bw_triangle_weigh(&t, 4, 8, &k);
	/* 1/4 of the first, 1/4 of the second, 1/2 of the third corner */
	assert_float_equal(k.linear[0], 0.25, 1e-6);
	assert_float_equal(k.linear[1], 0.25, 1e-6);
	assert_float_equal(k.linear[2], 0.5, 1e-6);
	assert_float_equal(bw_triangle_depth(&t, 4, 8), 0.25 * 0.25 + 0.25 * 0.5 + 0.5 * 0.75,
			   1e-6);
	/* 1/w is linear: 1/4 + 1/8 + 1/8 */
	assert_float_equal(k.w, 2, 1e-6);
	assert_float_equal(k.persp[0], 0.5, 1e-6);
	assert_float_equal(k.persp[1], 0.25, 1e-6);
	assert_float_equal(k.persp[2], 0.25, 1e-6);
	/* dz/dx = 1/64, dz/dy = 1/32 */
	assert_float_equal(t.slope, 1.0 / 32, 1e-6);
}

/* Half of a triangle lies before the near plane: the other half is drawn. */
static void test_near_plane(void **state)
{
	const struct bw_raster_rules rules = {.clips_near = true, .clips_far = true};
	const struct bw_raster_vertex v[3] = {at(0, 0, -1, 1), at(32, 0, 1, 1), at(0, 32, -1, 1)};
	struct bw_triangle t;
	assert_true(bw_triangle_setup(&t, v, &view, &rules, &all));
	for (int y = 0; y < SIZE; y++)
		for (int x = 0; x < SIZE; x++)
			assert_int_equal(covers(&t, x, y), x >= 16 && x + y < 31);
	/* all of it */
	const struct bw_raster_vertex out[3] = {at(0, 0, -1, 1), at(32, 0, -1, 1),
						at(0, 32, -1, 1)};
	assert_false(bw_triangle_setup(&t, out, &view, &rules, &all));
}

/* A corner behind the eye: only points in front of it are covered, and they reach far. */
static void test_behind_the_eye(void **state)
{
	const struct bw_raster_rules rules = {0};
	const struct bw_raster_vertex v[3] = {
		{.x = -1, .y = -1, .w = 1}, {.x = 3, .y = 1, .w = -1}, {.x = -1, .y = 1, .w = 1}};
	struct bw_triangle t;
	assert_true(bw_triangle_setup(&t, v, &view, &rules, &all));
	assert_false(t.is_exact);
	assert_true(count(&t) > 0);
	struct bw_weights k;
	for (int y = 0; y < SIZE; y++)
		for (int x = 0; x < SIZE; x++)
			if (covers(&t, x, y)) {
				bw_triangle_weigh(&t, x + 0.5, y + 0.5, &k);
				assert_true(k.w > 0 && k.persp[0] >= 0 && k.persp[1] >= 0);
			}
}

static void test_clip_distance(void **state)
{
	struct bw_raster_rules rules = {.clip_mask = 1};
	struct bw_raster_vertex v[3] = {at(0, 0, 0, 1), at(32, 0, 0, 1), at(0, 32, 0, 1)};
	struct bw_triangle t;
	v[0].clip[0] = v[1].clip[0] = 1;
	v[2].clip[0] = -1; /* zero at y = 16 */
	assert_true(bw_triangle_setup(&t, v, &view, &rules, &all));
	for (int y = 0; y < SIZE; y++)
		for (int x = 0; x < SIZE; x++)
			assert_int_equal(covers(&t, x, y), y < 16 && x + y < 31);
	rules = (struct bw_raster_rules){.cull_mask = 1};
	assert_true(bw_triangle_setup(&t, v, &view, &rules, &all));
	v[0].clip[0] = v[1].clip[0] = -1;
	assert_false(bw_triangle_setup(&t, v, &view, &rules, &all));
}

static void test_rectangle(void **state)
{
	const struct bw_raster_rules rules = {.is_rect = true};
	const struct bw_raster_area scissor = {0, 0, 10, SIZE};
	const struct bw_raster_vertex v[3] = {at(3, 5, 0, 1), at(3, 9, 0, 1), at(20, 5, 0, 1)};
	const struct bw_raster_vertex askew[3] = {at(3, 5, 0, 1), at(4, 9, 0, 1), at(20, 5, 0, 1)};
	struct bw_triangle t;
	assert_true(bw_triangle_setup(&t, v, &view, &rules, &scissor));
	assert_int_equal(count(&t), 7 * 4);
	assert_false(bw_triangle_setup(&t, askew, &view, &rules, &scissor));
}

/* A point of 4 pixels: a square, with the place in it as weights; scissored, and without a size. */
static void test_point(void **state)
{
	const struct bw_raster_rules rules = {.clips_near = true};
	const struct bw_raster_area scissor = {0, 0, 10, SIZE};
	struct bw_raster_vertex v = at(9, 12, 0.5f, 2);
	struct bw_triangle t;
	struct bw_weights k;
	const float size[2] = {4, 4}, none[2] = {0, 4};
	assert_true(bw_triangle_setup_point(&t, &v, &view, &rules, &all, size));
	for (int y = 0; y < SIZE; y++)
		for (int x = 0; x < SIZE; x++)
			assert_int_equal(covers(&t, x, y), x >= 7 && x < 11 && y >= 10 && y < 14);
	bw_triangle_weigh(&t, 8, 13, &k);
	assert_float_equal(k.persp[1], 0.25, 1e-6);
	assert_float_equal(k.persp[2], 0.75, 1e-6);
	assert_float_equal(bw_triangle_depth(&t, 8, 13), 0.5, 1e-6);
	assert_float_equal(k.w, 2, 1e-6);
	assert_true(bw_triangle_setup_point(&t, &v, &view, &rules, &scissor, size));
	assert_int_equal(count(&t), 3 * 4);
	assert_false(bw_triangle_setup_point(&t, &v, &view, &rules, &all, none));
	v.z = -1;
	assert_false(bw_triangle_setup_point(&t, &v, &view, &rules, &all, size));
}

/* Numbers that are none, of no area, and far away. */
static void test_odd_numbers(void **state)
{
	const struct bw_raster_rules rules = {.clips_near = true, .clips_far = true};
	const float odd[] = {0,	     -0.0f, 1,	      -1,	 1e-38f, 1e38f,
			     -1e38f, NAN,   INFINITY, -INFINITY, 4e4f};
	uint32_t seed = 7;
	for (unsigned n = 0; n < 20000; n++) {
		struct bw_raster_vertex v[3];
		float *f = (float *)(void *)v;
		for (unsigned i = 0; i < sizeof(v) / 4; i++) {
			seed = seed * 1664525 + 1013904223;
			f[i] = seed >> 28 ? (float)(seed >> 8) / 8388608.0f - 1
					  : odd[(seed >> 8) % (sizeof(odd) / 4)];
		}
		struct bw_triangle t;
		struct bw_weights k;
		const struct bw_raster_line line = {.width = v[2].x, .is_rectangular = n % 2};
		if (bw_triangle_setup_line(&t, v, &view, &rules, &all, &line)) {
			assert_true(t.box.x0 >= 0 && t.box.x1 <= SIZE && t.box.y0 >= 0 &&
				    t.box.y1 <= SIZE);
			assert_false(bw_triangle_misses(&t, &all) && count(&t));
		}
		if (!bw_triangle_setup(&t, v, &view, &rules, &all))
			continue;
		assert_true(t.box.x0 >= 0 && t.box.x1 <= SIZE && t.box.y0 >= 0 && t.box.y1 <= SIZE);
		bool missed = bw_triangle_misses(&t, &all);
		assert_false(missed && count(&t));
		bw_triangle_weigh(&t, 1, 1, &k);
		if (bw_triangle_setup_point(&t, &v[0], &view, &rules, &all,
					    (const float[2]){v[1].x, v[1].y}))
			assert_true(count(&t) <= SIZE * SIZE);
	}
}

/* A block that is said to be filled has no sample that is not covered: of triangles near the
 * screen, of others, of those that planes cut, and of points. */
static void test_filled(void **state)
{
	enum { BLOCK = 4, STEP = BW_RASTER_SUBPIXELS / 4 };
	uint32_t seed = 11;
	unsigned n_filled[4] = {0};
	for (unsigned n = 0; n < 400; n++) {
		const unsigned kind = n % 4;
		const struct bw_raster_rules rules = {
			.clips_near = kind == 2, .clips_far = kind == 2, .clip_mask = kind == 2};
		const float reach = kind == 1 ? 40000 : 30;
		struct bw_raster_vertex v[3];
		struct bw_triangle t;
		for (unsigned i = 0; i < 3; i++) {
			float r[4];
			for (unsigned k = 0; k < 4; k++) {
				seed = seed * 1664525 + 1013904223;
				r[k] = (float)(seed >> 8) / 16777216.0f;
			}
			v[i] = at(16 + (r[0] - 0.5f) * 2 * reach, 16 + (r[1] - 0.5f) * 2 * reach,
				  kind == 2 ? r[2] * 1.5f - 0.25f : r[2], 0.5f + r[3]);
			v[i].clip[0] = r[2] - 0.2f;
		}
		bool is_shape = kind == 3 ? bw_triangle_setup_point(&t, &v[0], &view, &rules, &all,
								    (const float[2]){13, 21})
					  : bw_triangle_setup(&t, v, &view, &rules, &all);
		for (int y = 0; y < SIZE && is_shape; y += BLOCK)
			for (int x = 0; x < SIZE; x += BLOCK) {
				const struct bw_raster_area block = {x, y, x + BLOCK, y + BLOCK};
				if (!bw_triangle_fills(&t, &block))
					continue;
				n_filled[kind]++;
				for (int k = 0; k < BLOCK * BW_RASTER_SUBPIXELS; k += STEP)
					for (int i = 0; i < BLOCK * BW_RASTER_SUBPIXELS; i += STEP)
						assert_true(bw_triangle_covers(
							&t, x * BW_RASTER_SUBPIXELS + i,
							y * BW_RASTER_SUBPIXELS + k));
			}
	}
	for (unsigned i = 0; i < 4; i++)
		assert_true(n_filled[i] > 50);
}

static bool set_line(struct bw_triangle *t, struct bw_raster_vertex a, struct bw_raster_vertex b,
		     const struct bw_raster_line *line)
{
	const struct bw_raster_rules rules = {.clips_near = true, .clips_far = true};
	return bw_triangle_setup_line(t, (struct bw_raster_vertex[]){a, b}, &view, &rules, &all,
				      line);
}

/* A line begins before the middle of column 3, and ends inside of the diamond of column 27, which
 * it does not leave: columns 3 to 26. Its pieces cover the same, and no pixel twice. */
static void test_line_pieces(void **state)
{
	const struct bw_raster_line bresenham = {.width = 1};
	struct bw_triangle t;
	for (unsigned turned = 0; turned < 4; turned++) {
		float from = 3.2f, end = 27.6f;
		unsigned covered[SIZE][SIZE] = {0}, n = 0;
		uint32_t seed = 7 + turned;
		bool steep = turned & 1, back = turned & 2;
		while (from < end) {
			seed = seed * 1664525 + 1013904223;
			float to = fminf(from + (float)(seed >> 8) / 16777216.0f * 3, end);
			float a = back ? SIZE - from : from, b = back ? SIZE - to : to;
			bool any = set_line(&t, steep ? at(5.25f, a, 0, 1) : at(a, 5.25f, 0, 1),
					    steep ? at(5.25f, b, 0, 1) : at(b, 5.25f, 0, 1),
					    &bresenham);
			for (int y = 0; y < SIZE && any; y++)
				for (int x = 0; x < SIZE; x++)
					covered[y][x] += covers(&t, x, y);
			from = to;
		}
		for (int i = 0; i < SIZE; i++) {
			int along = back ? SIZE - 1 - i : i;
			unsigned here = steep ? covered[along][5] : covered[5][along];
			assert_int_equal(here, i >= 3 && i < 27);
			for (int k = 0; k < SIZE; k++)
				n += covered[i][k];
		}
		assert_int_equal(n, 24);
	}
}

/* Two units wide on each side, and no longer than the line. */
static void test_rectangular_line(void **state)
{
	const struct bw_raster_line four = {.width = 4, .is_rectangular = true};
	struct bw_triangle t;
	assert_true(set_line(&t, at(4.5f, 8, 0, 1), at(12.5f, 8, 0, 1), &four));
	assert_int_equal(count(&t), 8 * 4);
	assert_true(covers(&t, 4, 6) && covers(&t, 11, 9));
	assert_false(covers(&t, 12, 8) || covers(&t, 3, 8) || covers(&t, 8, 10));
}

/* Half of the way on the screen is a third of the way to the corner with the larger w. */
static void test_line_values(void **state)
{
	const struct bw_raster_line bresenham = {.width = 1};
	struct bw_triangle t;
	struct bw_weights k;
	assert_true(set_line(&t, at(4, 8, 0.25f, 1), at(20, 8, 0.75f, 2), &bresenham));
	bw_triangle_weigh(&t, 12, 8, &k);
	assert_float_equal(k.persp[0], 2.0 / 3, 1e-6);
	assert_float_equal(k.persp[1], 1.0 / 3, 1e-6);
	assert_float_equal(k.persp[2], 0, 0);
	assert_float_equal(k.linear[1], 0.5, 1e-6);
	assert_float_equal(bw_triangle_depth(&t, 12, 8), 0.5, 1e-6);
	assert_float_equal(k.w, 4.0 / 3, 1e-6);
}

/* From z = -1/2 to z = 1/2: the half in front of the near plane is left, with the same values. */
static void test_clipped_line(void **state)
{
	const struct bw_raster_line bresenham = {.width = 1};
	struct bw_triangle t;
	struct bw_weights k;
	assert_true(set_line(&t, at(4, 8.25f, -0.5f, 1), at(20, 8.25f, 0.5f, 1), &bresenham));
	assert_int_equal(count(&t), 8);
	assert_true(covers(&t, 12, 8) && covers(&t, 19, 8));
	bw_triangle_weigh(&t, 16, 8, &k);
	assert_float_equal(k.persp[1], 0.75, 1e-6);
	assert_false(set_line(&t, at(4, 8, -1, 1), at(20, 8, -0.5f, 1), &bresenham));
}

TESTS(test_shared_edges, test_fan_has_no_gaps, test_facing_and_culling, test_interpolation,
      test_near_plane, test_behind_the_eye, test_clip_distance, test_rectangle, test_point,
      test_odd_numbers, test_filled, test_line_pieces, test_rectangular_line, test_line_values,
      test_clipped_line);
