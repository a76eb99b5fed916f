/* SPDX-License-Identifier: MIT */
/* The tessellator: numbers of points and triangles that Vulkan 1.3, 22, gives; and whatever the
 * levels are, the triangles cover the patch, once. */
#include "../../suite.h"

#include <math.h>
#include <stdlib.h>

#include "vgpu/device/raster/tessellate.h"

static struct bw_tess out;

static void tessellate(enum bw_tess_domain domain, enum bw_tess_spacing spacing,
		       enum bw_tess_topology topology, const float outer[4], const float inner[2])
{
	bw_tessellate(&(struct bw_tess_mode){domain, spacing, topology}, outer, inner, &out);
}

static void test_numbers(void **state)
{
	const float one[4] = {1, 1, 1, 1}, three[4] = {3, 3, 3, 3}, mixed[4] = {2, 3.5f, 4, 1};
	const float none[4] = {1, 0, 1, 1}, nan4[4] = {1, 1, NAN, 1};
	tessellate(BW_TESS_TRIANGLES, BW_TESS_INTEGER, BW_TESS_CW, one, one);
	assert_true(out.n_points == 3 && out.n_primitives == 1);
	tessellate(BW_TESS_QUADS, BW_TESS_ODD, BW_TESS_CCW, one, one);
	assert_true(out.n_points == 4 && out.n_primitives == 2);
	/* three segments each: 9 triangles; 16 points and 9 quads */
	tessellate(BW_TESS_TRIANGLES, BW_TESS_INTEGER, BW_TESS_CW, three, three);
	assert_true(out.n_points == 12 && out.n_primitives == 13);
	tessellate(BW_TESS_QUADS, BW_TESS_INTEGER, BW_TESS_CW, three, three);
	assert_true(out.n_points == 16 && out.n_primitives == 18);
	/* two lines of four segments (3.5 rounded up) */
	tessellate(BW_TESS_ISOLINES, BW_TESS_INTEGER, BW_TESS_LINES, mixed, one);
	assert_true(out.n_points == 10 && out.n_primitives == 8 && out.n_corners == 2);
	tessellate(BW_TESS_QUADS, BW_TESS_INTEGER, BW_TESS_POINTS, three, three);
	assert_true(out.n_primitives == 16 && out.n_corners == 1);
	/* an edge that is 0 or no number: nothing */
	tessellate(BW_TESS_TRIANGLES, BW_TESS_EVEN, BW_TESS_CW, none, one);
	assert_int_equal(out.n_primitives, 0);
	tessellate(BW_TESS_TRIANGLES, BW_TESS_EVEN, BW_TESS_CW, nan4, one);
	assert_int_equal(out.n_primitives, 0);
}

/* A level of an equal spacing divides an edge into that many equal parts (to the fixed point). */
static void test_places(void **state)
{
	for (unsigned n = 2; n <= BW_TESS_MAX_LEVEL; n++) {
		const float outer[4] = {1, (float)n}, inner[2] = {0};
		tessellate(BW_TESS_ISOLINES, BW_TESS_INTEGER, BW_TESS_LINES, outer, inner);
		assert_int_equal(out.n_points, n + 1);
		for (unsigned i = 0; i <= n; i++)
			assert_true(fabs((double)out.u[i] - (double)i / n) < (n + 1) / 65536.0);
	}
}

static float random_level(void)
{
	static const float special[] = {0.5f, 1, 1.00001f, 2, 3, 63, 64, INFINITY, 1e-30f, 65};
	if (rand() % 3 == 0)
		return special[rand() % 10];
	return (float)(rand() % 6600) / 100;
}

/* Twice the area, as they turn. */
static double turn(const uint16_t *t)
{
	double ux = (double)out.u[t[1]] - (double)out.u[t[0]];
	double uy = (double)out.v[t[1]] - (double)out.v[t[0]];
	double vx = (double)out.u[t[2]] - (double)out.u[t[0]];
	double vy = (double)out.v[t[2]] - (double)out.v[t[0]];
	return ux * vy - uy * vx;
}

static void test_cover(void **state)
{
	srand(5);
	for (unsigned i = 0; i < 3000; i++) {
		enum bw_tess_domain domain = rand() % 2 ? BW_TESS_TRIANGLES : BW_TESS_QUADS;
		enum bw_tess_topology topology = rand() % 2 ? BW_TESS_CW : BW_TESS_CCW;
		float outer[4], inner[2];
		double sum = 0, sign = topology == BW_TESS_CW ? 1 : -1;
		for (unsigned k = 0; k < 4; k++)
			outer[k] = random_level();
		for (unsigned k = 0; k < 2; k++)
			inner[k] = rand() % 20 ? random_level() : NAN;
		tessellate(domain, (enum bw_tess_spacing)(rand() % 4), topology, outer, inner);
		assert_true(out.n_primitives > 0);
		for (unsigned k = 0; k < out.n_primitives; k++) {
			double area = sign * turn(out.primitive[k]);
			assert_true(area > -1e-5); /* a row's points may be a unit off the line */
			sum += area;
		}
		assert_true(fabs(sum - (domain == BW_TESS_QUADS ? 2 : 1)) < 1e-6);
	}
}

TESTS(test_numbers, test_places, test_cover);
