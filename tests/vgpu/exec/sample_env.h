/* SPDX-License-Identifier: MIT */
#ifndef BW_TEST_SAMPLE_ENV_H
#define BW_TEST_SAMPLE_ENV_H

/* For tests of sampling: a wave, a sampler by the names of its fields, coordinates in VGPRs and
 * texels of one float. Included by one file of a program. */

#include <math.h>

#include "../../suite.h"
#include "img_env.h"

enum {
	POINT,
	LINEAR,
	WRAP = 0,
	MIRROR,
	EDGE,
	MIRROR_EDGE,
	HALF,
	MIRROR_HALF,
	BORDER,
	MIRROR_BORDER
};

static struct env e;

static inline int setup(void **state)
{
	env_init(&e, 32);
	return 0;
}

static inline int setup64(void **state)
{
	env_init(&e, 64);
	return 0;
}

static inline int teardown(void **state)
{
	env_fini(&e);
	return 0;
}

static inline void ok(enum bw_mem_result r)
{
	if (r == BW_MEM_REFUSED)
		fail_msg("refused: %s", e.x->refused);
	assert_int_equal(r, BW_MEM_OK);
}

static inline void set(unsigned reg, unsigned lane, float v)
{
	*env_v(&e, reg, lane) = img_bits(v);
}

static inline float get(unsigned reg, unsigned lane)
{
	return img_float(*env_v(&e, reg, lane));
}

static inline void near(float got, double want)
{
	if (!(fabs(got - want) <= 2e-7 * fmax(1, fabs(want))))
		fail_msg("%.9g, not %.9g", got, want);
}

/* Fields of the sampler by name. */
struct smp {
	unsigned clamp, mag, min, mip, z, compare, reduction, border;
	int bias;		   /* 1/256 */
	unsigned min_lod, max_lod; /* 0: 15 */
	uint32_t w0;
};

static inline void sampler(struct smp s)
{
	img_sampler(&e, s.clamp * 0111 | s.compare << 12 | s.reduction << 29 | s.w0,
		    s.min_lod | (s.max_lod ? s.max_lod : 15 * 256) << 12,
		    ((unsigned)s.bias & 0x3fff) | s.mag << 20 | s.min << 22 | s.z << 24 |
			    s.mip << 26,
		    s.border << 30);
}

/* A float texel of one component. */
static inline void put(unsigned level, unsigned x, unsigned y, unsigned z, float v)
{
	uint32_t b = img_bits(v);
	img_poke(&e, img_va(&e, level, x, y, z, 0), &b, 4);
}

__attribute__((unused)) static const struct img_desc floats = {
	.format = 22, .type = BW_IMAGE_2D, .mode = 27, .width = 13, .height = 9};

static inline float value_at(int x, int y)
{
	return (float)(x * x * 3 + y * 7) / 16;
}

static inline void fill(const struct img_desc *d)
{
	img_descriptor(&e, d);
	for (unsigned y = 0; y < d->height; y++)
		for (unsigned x = 0; x < d->width; x++)
			put(0, x, y, 0, value_at((int)x, (int)y));
}

#endif
