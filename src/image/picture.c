/* SPDX-License-Identifier: MIT */
#include "image/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/float_bits.h"
#include "base/util.h"

const struct bw_format *bw_format_by_name(const char *name)
{
	/* layout qualifiers of GLSL for images, and what else such formats are often called */
	static const struct {
		const char *name, *hardware;
	} names[] = {
		{"r8", "8_UNORM"},
		{"r8_snorm", "8_SNORM"},
		{"r8ui", "8_UINT"},
		{"r8i", "8_SINT"},
		{"r16", "16_UNORM"},
		{"r16_snorm", "16_SNORM"},
		{"r16ui", "16_UINT"},
		{"r16i", "16_SINT"},
		{"r16f", "16_FLOAT"},
		{"rg8", "8_8_UNORM"},
		{"rg8_snorm", "8_8_SNORM"},
		{"rg8ui", "8_8_UINT"},
		{"rg8i", "8_8_SINT"},
		{"r32ui", "32_UINT"},
		{"r32i", "32_SINT"},
		{"r32f", "32_FLOAT"},
		{"rg16", "16_16_UNORM"},
		{"rg16_snorm", "16_16_SNORM"},
		{"rg16ui", "16_16_UINT"},
		{"rg16i", "16_16_SINT"},
		{"rg16f", "16_16_FLOAT"},
		{"r11f_g11f_b10f", "10_11_11_FLOAT"},
		{"rgb10_a2", "2_10_10_10_UNORM"},
		{"rgb10_a2ui", "2_10_10_10_UINT"},
		{"rgba8", "8_8_8_8_UNORM"},
		{"rgba8_snorm", "8_8_8_8_SNORM"},
		{"rgba8ui", "8_8_8_8_UINT"},
		{"rgba8i", "8_8_8_8_SINT"},
		{"srgb8_a8", "8_8_8_8_SRGB"},
		{"rg32ui", "32_32_UINT"},
		{"rg32i", "32_32_SINT"},
		{"rg32f", "32_32_FLOAT"},
		{"rgba16", "16_16_16_16_UNORM"},
		{"rgba16_snorm", "16_16_16_16_SNORM"},
		{"rgba16ui", "16_16_16_16_UINT"},
		{"rgba16i", "16_16_16_16_SINT"},
		{"rgba16f", "16_16_16_16_FLOAT"},
		{"rgb32f", "32_32_32_FLOAT"},
		{"rgb32ui", "32_32_32_UINT"},
		{"rgb32i", "32_32_32_SINT"},
		{"rgba32f", "32_32_32_32_FLOAT"},
		{"rgba32ui", "32_32_32_32_UINT"},
		{"rgba32i", "32_32_32_32_SINT"},
		{"rgb565", "5_6_5_UNORM"},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++)
		if (!strcasecmp(name, names[i].name))
			name = names[i].hardware;
	for (unsigned i = 1; i < 256; i++) {
		const struct bw_format *f = bw_format_image(i);
		if (f && !strcasecmp(name, f->name))
			return f->layout == BW_LAYOUT_BC ? NULL : f;
	}
	return NULL;
}

static unsigned widest(const struct bw_format *f)
{
	unsigned most = 0;
	for (unsigned i = 0; i < f->n; i++)
		most = BW_MAX(most, (unsigned)f->bits[i]);
	return most;
}

bool bw_picture_init(struct bw_picture *p, const struct bw_format *f, uint32_t width,
		     uint32_t height)
{
	enum { MOST = 1 << 30 };
	unsigned n = f->layout == BW_LAYOUT_FIELDS ? f->n : f->n ? f->n : 4;
	*p = (struct bw_picture){.width = width,
				 .height = height,
				 .channels = n == 2 ? 3
					     : n    ? n
						    : 4,
				 .bits = f->layout == BW_LAYOUT_FIELDS && widest(f) <= 8 ? 8 : 16};
	uint64_t size_b = (uint64_t)width * height * p->channels * (p->bits / 8);
	if (!width || !height || width > MOST / height || size_b > MOST)
		return false;
	p->samples = calloc(1, size_b);
	return p->samples;
}

void bw_picture_fini(struct bw_picture *p)
{
	free(p->samples);
	*p = (struct bw_picture){0};
}

/* A component as a sample; *out_clamped where it does not fit. */
static unsigned sample_of(const struct bw_format *f, unsigned c, uint32_t v, unsigned most,
			  bool *out_clamped)
{
	if (f->is_int) {
		bool negative = f->num == BW_NUM_SINT && v >> 31;
		*out_clamped |= negative || v > most;
		return negative ? 0 : BW_MIN(v, most);
	}
	double x = bits_f32(v);
	bool fits = x >= 0 && x <= 1;
	*out_clamped |= !fits;
	if (!fits)
		x = x > 1 ? 1 : 0; /* also NaN */
	if (f->num == BW_NUM_SRGB && c < 3)
		return bw_linear_to_srgb((float)x);
	return (unsigned)(x * most + 0.5);
}

void bw_picture_put(struct bw_picture *p, const struct bw_format *f, uint32_t x, uint32_t y,
		    const uint32_t rgba[4])
{
	unsigned most = p->bits == 8 ? 0xff : 0xffff, size_b = p->bits / 8;
	uint8_t *at = p->samples + ((size_t)y * p->width + x) * p->channels * size_b;
	bool clamped = false;
	for (unsigned c = 0; c < p->channels; c++) {
		bool absent = f->layout == BW_LAYOUT_FIELDS && c >= f->n;
		unsigned v = absent ? 0 : sample_of(f, c, rgba[c], most, &clamped);
		if (size_b == 2)
			*at++ = (uint8_t)(v >> 8);
		*at++ = (uint8_t)v;
	}
	p->n_clamped += clamped;
}
