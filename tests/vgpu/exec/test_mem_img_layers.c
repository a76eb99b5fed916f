/* SPDX-License-Identifier: MIT */
/* Sampling of more than one picture: layers, volumes, cubes; and the border around each. Words are
 * what llvm-mc-19 gives for the text beside them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "sample_env.h"

static void layers(void **state)
{
	struct img_desc d = {.format = 22,
			     .type = BW_IMAGE_2D_ARRAY,
			     .mode = 0,
			     .width = 4,
			     .height = 4,
			     .depth = 5,
			     .first = 1};
	img_descriptor(&e, &d);
	for (unsigned z = 0; z < 4; z++)
		for (unsigned k = 0; k < 16; k++)
			put(0, k % 4, k / 4, z, (float)z);
	sampler((struct smp){.mag = LINEAR});
	static const float layer[8] = {-3, 0.4f, 0.5f, 1.5f, 2.5f, 2.6f, 9, NAN},
			   want[8] = {0, 0, 0, 2, 2, 3, 3, 0};
	for (unsigned i = 0; i < e.w.lanes; i++) {
		set(1, i, 0.4f);
		set(2, i, 0.7f);
		set(3, i, layer[i % 8]);
	}
	/* image_sample_lz v[4:7], v[1:3], ... dim:2D_ARRAY */
	ok(IMG_RUN(&e, 0xf07c0f14, 0x10020401));
	for (unsigned i = 0; i < 8; i++)
		near(get(4, i), want[i]);
}

static void volumes(void **state)
{
	struct img_desc d = {
		.format = 22, .type = BW_IMAGE_3D, .mode = 25, .width = 8, .height = 8, .depth = 8};
	img_descriptor(&e, &d);
	for (unsigned z = 0; z < 8; z++)
		for (unsigned y = 0; y < 8; y++)
			for (unsigned x = 0; x < 8; x++)
				put(0, x, y, z, (float)(x + 16 * y + 256 * z));
	for (unsigned i = 0; i < e.w.lanes; i++) {
		/* at texel positions 2.25, 3.5, 4.75 between centres: a linear function is met
		 * exactly */
		set(1, i, 2.75f / 8);
		set(2, i, 4.0f / 8);
		set(3, i, 5.25f / 8);
		set(4, i, 0);
	}
	sampler((struct smp){.clamp = EDGE, .mag = LINEAR});
	ok(IMG_RUN(&e, 0xf0740f08, 0x10020401)); /* image_sample_l v[4:7], v[1:4], ... dim:3D */
	near(get(4, 0), 2.25 + 16 * 3.5 + 256 * 4.75);
	for (unsigned i = 0; i < e.w.lanes; i++)
		set(4, i, 0);
	sampler((struct smp){.clamp = EDGE, .mag = LINEAR, .z = 1});
	ok(IMG_RUN(&e, 0xf0740f08, 0x10020401));
	near(get(4, 0), 2.25 + 16 * 3.5 + 256 * 5);
}

/* Where a direction goes, as the shader computes it (v_cubesc, v_cubetc, v_cubema, v_cubeid). */
static void cube_coords(const float v[3], float *s, float *t, float *face)
{
	float ax = fabsf(v[0]), ay = fabsf(v[1]), az = fabsf(v[2]), sc, tc, ma;
	if (az >= ax && az >= ay) {
		ma = az, *face = v[2] < 0 ? 5 : 4, sc = v[2] < 0 ? -v[0] : v[0], tc = -v[1];
	} else if (ay >= ax) {
		ma = ay, *face = v[1] < 0 ? 3 : 2, sc = v[0], tc = v[1] < 0 ? -v[2] : v[2];
	} else {
		ma = ax, *face = v[0] < 0 ? 1 : 0, sc = v[0] < 0 ? v[2] : -v[2], tc = -v[1];
	}
	*s = sc / (2 * ma) + 1.5f;
	*t = tc / (2 * ma) + 1.5f;
}

static void cubes(void **state)
{
	/* Each texel holds a smooth function of its direction: across edges it must stay smooth,
	 * which it does only if each neighbour is the right texel of the right face. */
	enum { N = 16 };
	static const struct {
		int8_t major, sign, s, ss, t, ts;
	} f[6] = {{0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1},
		  {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1},  {2, -1, 0, -1, 1, -1}};
	struct img_desc d = {.format = 22,
			     .type = BW_IMAGE_CUBE,
			     .mode = 22,
			     .width = N,
			     .height = N,
			     .depth = 6};
	img_descriptor(&e, &d);
	for (unsigned k = 0; k < 6; k++) {
		for (unsigned y = 0; y < N; y++) {
			for (unsigned x = 0; x < N; x++) {
				double v[3], length;
				v[f[k].major] = f[k].sign;
				v[f[k].s] = f[k].ss * ((2 * x + 1.0) / N - 1);
				v[f[k].t] = f[k].ts * ((2 * y + 1.0) / N - 1);
				length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
				put(0, x, y, k, (float)((v[0] + 2 * v[1] + 4 * v[2]) / length));
			}
		}
	}
	sampler((struct smp){.clamp = EDGE, .mag = LINEAR});
	for (unsigned n = 0; n < 300; n++) {
		float dir[64][3];
		for (unsigned i = 0; i < e.w.lanes; i++) {
			for (unsigned a = 0; a < 3; a++)
				dir[i][a] = (float)(env_random(&e) % 2001) / 1000 - 1;
			if (n % 3 == 0) /* near an edge */
				dir[i][i % 3] = dir[i][(i + 1) % 3] * (i % 2 ? 1.001f : -1.001f);
			if (n % 3 == 1) /* near a corner */
				for (unsigned a = 0; a < 3; a++)
					dir[i][a] = (i >> a & 1 ? 1 : -1) *
						    (1 + (float)(env_random(&e) % 100) / 1000);
			dir[i][0] += 1e-4f;
			float s, t, face;
			cube_coords(dir[i], &s, &t, &face);
			set(1, i, s);
			set(2, i, t);
			set(3, i, face);
		}
		/* image_sample_lz v[4:7], v[1:3], ... dim:CUBE */
		ok(IMG_RUN(&e, 0xf07c0f0c, 0x10020401));
		for (unsigned i = 0; i < e.w.lanes; i++) {
			const float *v = dir[i];
			double want = (v[0] + 2 * v[1] + 4 * v[2]) /
				      sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
			if (fabs(get(4, i) - want) > 0.08)
				fail_msg("direction %g %g %g: %g, not %g", v[0], v[1], v[2],
					 get(4, i), want);
		}
	}
}

static void borders(void **state)
{
	struct img_desc d = floats;
	d.format = 42;
	d.dst_sel = 6 | 5 << 3 | 4 << 6 | 7 << 9; /* BGRA */
	img_descriptor(&e, &d);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		set(1, i, 2);
		set(2, i, 0.5f);
	}
	static const float want[3][4] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 1}};
	for (unsigned b = 0; b < 3; b++) {
		sampler((struct smp){.clamp = BORDER, .border = b});
		ok(IMG_RUN(&e, 0xf07c0f04, 0x10020401));
		for (unsigned c = 0; c < 4; c++)
			near(get(4 + c, 0), want[b][c]);
	}
}

static uint64_t table_va(void *cookie)
{
	return ENV_VA + 0x9000;
}

static void border_table(void **state)
{
	struct img_desc d = floats;
	d.format = 42;
	d.dst_sel = 6 | 5 << 3 | 4 << 6 | 7 << 9;
	img_descriptor(&e, &d);
	e.w.s[IMG_T + 3] |= 4 << 25; /* ZYXW, as for BGRA */
	static const float color[4] = {0.125f, 0.25f, 0.5f, 0.75f};
	img_poke(&e, ENV_VA + 0x9000 + 16 * 37, color, 16);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		set(1, i, 2);
		set(2, i, 0.5f);
	}
	img_sampler(&e, BORDER * 0111, 15 << 20, 0, 3u << 30 | 37 << 18);
	assert_int_equal(IMG_RUN(&e, 0xf07c0f04, 0x10020401), BW_MEM_REFUSED);
	assert_string_equal(e.x->refused,
			    "sampler with a border colour of its own, but no table of them");
	e.x->host.border_colors = table_va;
	ok(IMG_RUN(&e, 0xf07c0f04, 0x10020401));
	for (unsigned c = 0; c < 4; c++)
		near(get(4 + c, 0), color[c]);
}

TESTS_EACH(setup, teardown, layers, volumes, cubes, borders, border_table);
TESTS_EACH(setup64, teardown, cubes);
