/* SPDX-License-Identifier: MIT */
/* Sampling, from the instructions' encodings (llvm-mc-19), against the formulas of texture
 * filtering as the Vulkan specification has them, with positions and levels in 1/256; numbers in
 * comments are rules of doc/rules.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "sample_env.h"

/* The texel that a coordinate means, or -1 for the border (Vulkan 16.6.2, and the modes that only
 * AMD has). */
static int wrapped(int i, int n, unsigned mode)
{
	int m;
	switch (mode) {
	case WRAP:
		return ((i % n) + n) % n;
	case MIRROR:
		m = ((i % (2 * n)) + 2 * n) % (2 * n);
		return m < n ? m : 2 * n - 1 - m;
	case EDGE:
		return i < 0 ? 0 : i >= n ? n - 1 : i;
	case MIRROR_EDGE:
		m = i < 0 ? -1 - i : i;
		return m >= n ? n - 1 : m;
	case MIRROR_BORDER:
		m = i < 0 ? -1 - i : i;
		return m >= n ? -1 : m;
	default:
		return i < 0 || i >= n ? -1 : i;
	}
}

static double fetch(int x, int y, unsigned mode, double border)
{
	x = wrapped(x, 13, mode);
	y = wrapped(y, 9, mode);
	return x < 0 || y < 0 ? border : value_at(x, y);
}

static double reference(double s, double t, bool linear, unsigned mode, double border)
{
	double u = floor(s * 13 * 256 + 0.5) / 256, v = floor(t * 9 * 256 + 0.5) / 256;
	if (!linear)
		return fetch((int)floor(u), (int)floor(v), mode, border);
	u -= 0.5;
	v -= 0.5;
	int x = (int)floor(u), y = (int)floor(v);
	double fx = u - x, fy = v - y;
	return (1 - fy) *
		       ((1 - fx) * fetch(x, y, mode, border) + fx * fetch(x + 1, y, mode, border)) +
	       fy * ((1 - fx) * fetch(x, y + 1, mode, border) +
		     fx * fetch(x + 1, y + 1, mode, border));
}

static void filters_and_wraps(void **state)
{
	static const unsigned modes[] = {WRAP, MIRROR, EDGE, MIRROR_EDGE, BORDER, MIRROR_BORDER};
	fill(&floats);
	for (size_t m = 0; m < BW_ARRAY_SIZE(modes); m++) {
		for (unsigned f = POINT; f <= LINEAR; f++) {
			sampler((struct smp){.clamp = modes[m], .mag = f, .min = f, .border = 2});
			for (unsigned i = 0; i < e.w.lanes; i++) {
				set(1, i, (float)(env_random(&e) % 4000) / 1000 - 1.5f);
				set(2, i, (float)(env_random(&e) % 4000) / 1000 - 1.5f);
			}
			/* image_sample_lz v[4:7], v[1:2], ... dim:2D */
			ok(IMG_RUN(&e, 0xf07c0f04, 0x10020401));
			for (unsigned i = 0; i < e.w.lanes; i++) {
				near(get(4, i), reference(get(1, i), get(2, i), f, modes[m], 1));
				assert_true(get(5, i) == 0 || modes[m] >= BORDER);
			}
		}
	}
}

static void truncation(void **state)
{
	fill(&floats);
	/* 1/1024 before texel 5: rounded it is 5, truncated 4 */
	for (unsigned i = 0; i < e.w.lanes; i++) {
		set(1, i, (5 - 1 / 1024.0f) / 13);
		set(2, i, 0.5f / 9);
	}
	sampler((struct smp){0});
	ok(IMG_RUN(&e, 0xf07c0f04, 0x10020401));
	near(get(4, 0), value_at(5, 0));
	sampler((struct smp){.w0 = 1 << 27});
	ok(IMG_RUN(&e, 0xf07c0f04, 0x10020401));
	near(get(4, 0), value_at(4, 0));
}

static void half_borders(void **state)
{
	/* The position stops at the edge: half texel, half border */
	fill(&floats);
	sampler((struct smp){.clamp = HALF, .mag = LINEAR, .border = 2});
	for (unsigned i = 0; i < e.w.lanes; i++) {
		set(1, i, i % 2 ? 7 : -7);
		set(2, i, 4.5f / 9);
	}
	ok(IMG_RUN(&e, 0xf07c0f04, 0x10020401));
	near(get(4, 0), (1 + value_at(0, 4)) / 2);
	near(get(4, 1), (1 + value_at(12, 4)) / 2);
}

static void offsets(void **state)
{
	fill(&floats);
	sampler((struct smp){.clamp = EDGE});
	for (unsigned i = 0; i < e.w.lanes; i++) {
		*env_v(&e, 1, i) = 0x3d | 3 << 8; /* -3, 3: rule 436 */
		set(2, i, 6.5f / 13);
		set(3, i, 2.5f / 9);
	}
	ok(IMG_RUN(&e, 0xf0a40f04, 0x10020401)); /* image_sample_lz_o v[4:7], v[1:3], ... */
	near(get(4, 3), value_at(3, 5));
}

/* Every texel of level k is k. */
static void fill_levels(const struct img_desc *d)
{
	img_descriptor(&e, d);
	for (unsigned l = 0; l < d->levels; l++)
		for (unsigned z = 0; z < BW_MAX(d->depth, 1u); z++)
			for (unsigned y = 0; y < BW_MAX(d->height >> l, 1u); y++)
				for (unsigned x = 0; x < BW_MAX(d->width >> l, 1u); x++)
					put(l, x, y, z, (float)l);
}

static const struct img_desc pyramid = {.format = 22,
					.type = BW_IMAGE_2D,
					.mode = 27,
					.width = 64,
					.height = 32,
					.levels = 7,
					.last_level = 6};

static void explicit_levels(void **state)
{
	static const struct {
		struct smp s;
		unsigned base;
		float lod[4], want[4];
	} rows[] = {
		/* linear between levels */
		{{.mip = 2}, 0, {-1, 0.25f, 2.5f, 9}, {0, 0.25f, 2.5f, 6}},
		/* the nearest one */
		{{.mip = 1}, 0, {0.25f, 0.75f, 2.25f, 9}, {0, 1, 2, 6}},
		/* none: the view's base */
		{{.mip = 0}, 0, {0, 1, 5, 9}, {0, 0, 0, 0}},
		/* bias and clamps of the sampler */
		{{.mip = 2, .bias = 384}, 0, {0, 1, 2, 3}, {1.5f, 2.5f, 3.5f, 4.5f}},
		{{.mip = 2, .min_lod = 512, .max_lod = 1024}, 0, {0, 3, 4, 9}, {2, 3, 4, 4}},
		/* relative to the base level of the view */
		{{.mip = 2}, 2, {0, 1.5f, 4, 9}, {2, 3.5f, 6, 6}},
	};
	for (size_t r = 0; r < BW_ARRAY_SIZE(rows); r++) {
		struct img_desc d = pyramid;
		fill_levels(&pyramid);
		d.base_level = rows[r].base;
		img_descriptor(&e, &d);
		sampler(rows[r].s);
		for (unsigned i = 0; i < e.w.lanes; i++) {
			set(1, i, 0.3f);
			set(2, i, 0.6f);
			set(3, i, rows[r].lod[i % 4]);
			set(9, i, 0.3f);
		}
		/* image_sample_l v[4:7], v[1:3], ... dim:2D */
		ok(IMG_RUN(&e, 0xf0740f04, 0x10020401));
		for (unsigned i = 0; i < e.w.lanes; i++)
			near(get(4, i), rows[r].want[i % 4]);
	}
}

/* Lanes of a quad a power of two of texels apart: their distance is the level (Vulkan 16.5.6). */
static void implicit_levels(void **state)
{
	fill_levels(&pyramid);
	sampler((struct smp){.mip = 2});
	for (unsigned i = 0; i < e.w.lanes; i++) {
		float step = exp2f((float)(i / 4 % 6));
		set(1, i, 0.1f + (float)(i & 1) * step / 64);
		set(2, i, 0.1f + (float)(i >> 1 & 1) * step / 2 / 32);
	}
	ok(IMG_RUN(&e, 0xf06c0f04, 0x10020401)); /* image_sample v[4:7], v[1:2], ... dim:2D */
	for (unsigned i = 0; i < e.w.lanes; i++)
		near(get(4, i), i / 4 % 6);
	ok(IMG_RUN(&e, 0xf07c0f04, 0x10020401)); /* image_sample_lz */
	near(get(4, 20), 0);
	/* image_get_lod v[4:5], v[1:2], ... dmask:0x3 440 */
	ok(IMG_RUN(&e, 0xf0e00304, 0x10020401));
	near(get(4, 16), 4);
	near(get(5, 16), 4);
	sampler((struct smp){.mip = 2, .max_lod = 640, .bias = -128});
	ok(IMG_RUN(&e, 0xf0e00304, 0x10020401));
	near(get(4, 16), 2.5);
	near(get(5, 16), 3.5);
	/* inactive lanes of a quad count too */
	e.w.s[BW_SRC_EXEC_LO] = 1 << 16;
	set(4, 0, 55);
	ok(IMG_RUN(&e, 0xf06c0f04, 0x10020401));
	near(get(4, 16), 2.5);
	near(get(4, 0), 55);
}

static void prefixes(void **state)
{
	fill_levels(&pyramid);
	sampler((struct smp){.mip = 2});
	for (unsigned i = 0; i < e.w.lanes; i++) {
		/* bias, s, t: no derivative is level -infinity, so let there be one of 4 texels:
		 * level 2 */
		set(1, i, (float)(i % 5) / 2 - 1);
		set(2, i, 0.1f + (float)(i & 1) / 16);
		set(3, i, 0.5f);
	}
	ok(IMG_RUN(&e, 0xf0780f04, 0x10020401)); /* image_sample_b v[4:7], v[1:3], ... */
	for (unsigned i = 0; i < e.w.lanes; i++)
		near(get(4, i), 1 + (i % 5) / 2.0);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		set(1, i, get(2, i));
		set(2, i, 0.5f);
		set(3, i, (float)i / 8); /* the clamp is a lower bound */
	}
	ok(IMG_RUN(&e, 0xf1000f04, 0x10020401)); /* image_sample_cl v[4:7], v[1:3], ... */
	for (unsigned i = 0; i < 32; i++)
		near(get(4, i), fmax(2, i / 8.0));
	for (unsigned i = 0; i < e.w.lanes; i++) {
		set(10, i, 0);	       /* ds/dh */
		set(11, i, 0.5f / 32); /* dt/dh: half a texel */
		set(12, i, 3.0f / 64); /* ds/dv: 3 texels */
		set(13, i, 4.0f / 32); /* dt/dv: 4 */
		set(14, i, 0.5f);
		set(15, i, 0.5f);
	}
	ok(IMG_RUN(&e, 0xf0700f04, 0x1002040a)); /* image_sample_d v[4:7], v[10:15], ... */
	near(get(4, 7), floor(log2(5) * 256 + 0.5) / 256);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		*env_v(&e, 10, i) = 0x24000000; /* 0, 1/64 */
		*env_v(&e, 11, i) = 0x30002c00; /* 1/16, 1/8: 4 and 4 texels */
		set(12, i, 0.5f);
		set(13, i, 0.5f);
	}
	ok(IMG_RUN(&e, 0xf0e40f04, 0x1002040a)); /* image_sample_d_g16 v[4:7], v[10:13], ... */
	near(get(4, 7), floor(2.5 * 256 + 0.5) / 256);
}

static void comparisons(void **state)
{
	/* reference op texel (Vulkan 16.4.4) for texels 1/4, 1/2, 3/4 against 1/2 */
	static const uint8_t passes[8] = {0, 4, 2, 6, 1, 5, 3, 7}; /* bit k: texel k */
	struct img_desc d = floats;
	d.width = 3;
	d.height = 1;
	img_descriptor(&e, &d);
	for (unsigned x = 0; x < 3; x++)
		put(0, x, 0, 0, (float)(x + 1) / 4);
	for (unsigned func = 0; func < 8; func++) {
		sampler((struct smp){.compare = func});
		for (unsigned i = 0; i < e.w.lanes; i++) {
			set(1, i, 0.5f);
			set(2, i, ((float)(i % 3) + 0.5f) / 3);
			set(3, i, 0.5f);
		}
		/* image_sample_c_lz v4, v[1:3], ... dmask:0x1 */
		ok(IMG_RUN(&e, 0xf0900104, 0x10020401));
		for (unsigned i = 0; i < 3; i++)
			near(get(4, i), passes[func] >> i & 1);
	}
	/* filtered after the comparison: a quarter of the way from texel 1 to texel 2 */
	sampler((struct smp){.compare = 1, .mag = LINEAR});
	for (unsigned i = 0; i < e.w.lanes; i++)
		set(2, i, 1.75f / 3);
	ok(IMG_RUN(&e, 0xf0900104, 0x10020401));
	near(get(4, 0), 0.25);
}

static void gathers(void **state)
{
	struct img_desc d = floats;
	d.format = 46; /* 8_8_8_8_UINT */
	img_descriptor(&e, &d);
	for (unsigned y = 0; y < 9; y++)
		for (unsigned x = 0; x < 13; x++)
			img_poke(&e, img_va(&e, 0, x, y, 0, 0),
				 (const uint8_t[4]){1, (uint8_t)(16 * y + x), 3, 4}, 4);
	sampler((struct smp){.clamp = EDGE});
	for (unsigned i = 0; i < e.w.lanes; i++) {
		set(1, i, 4.0f / 13); /* between texels 3 and 4 */
		set(2, i, 7.2f / 9);  /* between 6 and 7 */
	}
	/* image_gather4_lz v[4:7], v[1:2], ... dmask:0x2 439 */
	ok(IMG_RUN(&e, 0xf0c80204, 0x10020401));
	assert_int_equal(*env_v(&e, 4, 1), 0x73);
	assert_int_equal(*env_v(&e, 5, 1), 0x74);
	assert_int_equal(*env_v(&e, 6, 1), 0x64);
	assert_int_equal(*env_v(&e, 7, 1), 0x63);
	ok(IMG_RUN(&e, 0xf2400204,
		   0x10020401)); /* image_gather4h v[4:7], v[1:2], ... dmask:0x2: "4x1 texels" */
	for (unsigned k = 0; k < 4; k++)
		assert_int_equal(*env_v(&e, 4 + k, 1), 0x63 + k);
	fill(&floats);
	sampler((struct smp){.clamp = EDGE, .compare = 6}); /* reference >= texel */
	for (unsigned i = 0; i < e.w.lanes; i++) {
		*env_v(&e, 0, i) = 1; /* one to the right */
		set(1, i, value_at(5, 6));
		set(2, i, 4.0f / 13);
		set(3, i, 7.2f / 9);
	}
	ok(IMG_RUN(&e, 0xf0dc0104, 0x10020400)); /* image_gather4_c_lz_o v[4:7], v[0:3], ... */
	near(get(4, 0), 1);			 /* (4, 7) */
	near(get(5, 0), 0);			 /* (5, 7) */
	near(get(6, 0), 1);
	near(get(7, 0), 1);
}

static void integers(void **state)
{
	/* Never filtered */
	struct img_desc d = floats;
	d.format = 21;
	fill(&floats);
	img_descriptor(&e, &d);
	sampler((struct smp){.mag = LINEAR, .min = LINEAR});
	for (unsigned i = 0; i < e.w.lanes; i++) {
		set(1, i, 4.9f / 13);
		set(2, i, 6.9f / 9);
	}
	ok(IMG_RUN(&e, 0xf07c0f04, 0x10020401));
	assert_int_equal(*env_v(&e, 4, 0), img_bits(value_at(4, 6)));
	assert_int_equal(*env_v(&e, 7, 0), 1);
}

static void unnormalized(void **state)
{
	fill(&floats);
	sampler((struct smp){.clamp = EDGE, .w0 = 1 << 15});
	for (unsigned i = 0; i < e.w.lanes; i++) {
		set(1, i, 7.3f);
		set(2, i, 2.9f);
	}
	ok(IMG_RUN(&e, 0xf07c0f04, 0x10020401));
	near(get(4, 0), value_at(7, 2));
	sampler((struct smp){.clamp = EDGE});
	ok(IMG_RUN(&e, 0xf07c0f84, 0x10020401)); /* the same with unorm */
	near(get(4, 0), value_at(7, 2));
}

static void halves(void **state)
{
	struct img_desc d = floats;
	d.format = 42;
	img_descriptor(&e, &d);
	img_poke(&e, img_va(&e, 0, 6, 4, 0, 0), (const uint8_t[4]){255, 0, 51, 255}, 4);
	sampler((struct smp){0});
	for (unsigned i = 0; i < e.w.lanes; i++)
		*env_v(&e, 1, i) = 0x38003800;	 /* 0.5, 0.5 */
	ok(IMG_RUN(&e, 0xf07f0f04, 0x10020401)); /* image_sample_lz v[4:5], v1, ... a16 d16 */
	assert_int_equal(*env_v(&e, 4, 0), 0x00003c00);
	assert_int_equal(*env_v(&e, 5, 0), 0x3c003266);
	/* A bias under A16 is half of a dword of its own */
	fill_levels(&pyramid);
	sampler((struct smp){.mip = 2});
	for (unsigned i = 0; i < e.w.lanes; i++) {
		*env_v(&e, 1, i) = 0xffff4000;			      /* 2 */
		*env_v(&e, 2, i) = 0x38000000 | (i & 1 ? 0x2400 : 0); /* a texel apart */
	}
	ok(IMG_RUN(&e, 0xf0790f04, 0x10020401)); /* image_sample_b v[4:7], v[1:2], ... a16 */
	near(get(4, 9), 2);
}

static void reductions(void **state)
{
	fill(&floats);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		set(1, i, 4.2f / 13);
		set(2, i, 3.3f / 9);
	}
	sampler((struct smp){.mag = LINEAR, .reduction = 1});
	ok(IMG_RUN(&e, 0xf07c0f04, 0x10020401));
	near(get(4, 0), value_at(3, 2));
	sampler((struct smp){.mag = LINEAR, .reduction = 2});
	ok(IMG_RUN(&e, 0xf07c0f04, 0x10020401));
	near(get(4, 0), value_at(4, 3));
}

static void degamma(void **state)
{
	struct img_desc d = floats;
	d.format = 66;
	img_descriptor(&e, &d);
	img_poke(&e, img_va(&e, 0, 6, 4, 0, 0), (const uint8_t[4]){188, 188, 188, 188}, 4);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		set(1, i, 0.5f);
		set(2, i, 0.5f);
	}
	sampler((struct smp){0});
	ok(IMG_RUN(&e, 0xf07c0f04, 0x10020401));
	assert_true(fabsf(get(4, 0) - 0.50288653f) < 1e-6f);
	near(get(7, 0), 188 / 255.0);
	sampler((struct smp){.w0 = 1u << 31});
	ok(IMG_RUN(&e, 0xf07c0f04, 0x10020401));
	near(get(4, 0), 188 / 255.0);
}

static void warnings(void **state)
{
	fill_levels(&pyramid);
	e.w.s[IMG_T + 5] |= 384 << 8; /* MIN_LOD_WARN 1.5 */
	sampler((struct smp){.mip = 2});
	for (unsigned i = 0; i < e.w.lanes; i++) {
		set(1, i, 0.1f + (float)(i & 1) * exp2f((float)(i / 4 % 4)) / 64);
		set(2, i, 0.5f);
		*env_v(&e, 8, i) = 77;
	}
	ok(IMG_RUN(&e, 0xf06c0f04, 0x10420401)); /* image_sample v[4:8], v[1:2], ... lwe */
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(*env_v(&e, 8, i), i / 4 < 2 ? 2 : 0);
}

static void anisotropy(void **state)
{
	/* 8 texels long, 1 wide: with 8 positions level 0 is sampled, without level 3 */
	fill_levels(&pyramid);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		set(10, i, 8.0f / 64);
		set(11, i, 0);
		set(12, i, 0);
		set(13, i, 1.0f / 32);
		set(14, i, 0.5f);
		set(15, i, 0.5f);
	}
	sampler((struct smp){.mip = 2, .mag = 3, .min = 3, .w0 = 4 << 9});
	ok(IMG_RUN(&e, 0xf0700f04, 0x1002040a)); /* image_sample_d v[4:7], v[10:15], ... */
	near(get(4, 0), 0);
	sampler((struct smp){.mip = 2, .mag = 3, .min = 3, .w0 = 1 << 9}); /* at most 2 */
	ok(IMG_RUN(&e, 0xf0700f04, 0x1002040a));
	near(get(4, 0), 2);
	sampler((struct smp){.mip = 2, .mag = 1, .min = 1, .w0 = 4 << 9});
	ok(IMG_RUN(&e, 0xf0700f04, 0x1002040a));
	near(get(4, 0), 3);
}

static void hostile(void **state)
{
	for (unsigned n = 0; n < 60000; n++) {
		uint32_t r = env_random(&e);
		uint32_t words[3] = {0xf0000000 | (env_random(&e) & 0x03fe7f9d), env_random(&e),
				     env_random(&e)};
		words[0] = (words[0] & ~0x03fc0000u) | (27 + r % 75) << 18;
		words[1] = (words[1] & 0x00600000) | 0x10020401;
		if (!bw_isa_decode(BW_ISA_GFX11, words, 3, &e.inst) || !bw_exec_mem_row(e.inst.op))
			continue;
		for (unsigned i = 0; i < 12; i++)
			e.w.s[IMG_T + i] = env_random(&e);
		if (r & 256) {
			static const uint8_t modes[] = {0, 2, 5, 6, 10, 22, 25, 26, 27, 31};
			struct img_desc d = {.format = (r >> 9) % 123,
					     .type = 8 + (r >> 12) % 8,
					     .mode = modes[(r >> 16) % 10],
					     .width = 1 + env_random(&e) % 60,
					     .height = 1 + env_random(&e) % 40,
					     .depth = 1 + env_random(&e) % 8,
					     .levels = 1 + env_random(&e) % 4};
			d.last_level = d.levels - 1;
			img_descriptor(&e, &d);
		}
		for (unsigned k = 0; k < ENV_VGPRS; k++)
			for (unsigned i = 0; i < e.w.lanes; i++)
				*env_v(&e, k, i) =
					r & 512 ? env_random(&e)
						: img_bits((float)(env_random(&e) % 4096) / 1024 -
							   1);
		bool illegal;
		enum bw_mem_result got = env_run(&e, &illegal);
		assert_false(illegal);
		assert_in_range(got, BW_MEM_OK, BW_MEM_REFUSED);
	}
}

TESTS_EACH(setup, teardown, filters_and_wraps, truncation, half_borders, offsets, explicit_levels,
	   implicit_levels, prefixes, comparisons, gathers, integers, unnormalized, halves,
	   reductions, degamma, warnings, anisotropy, hostile);
TESTS_EACH(setup64, teardown, filters_and_wraps, explicit_levels, hostile);
