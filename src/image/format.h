/* SPDX-License-Identifier: MIT */
#ifndef BW_IMAGE_FORMAT_H
#define BW_IMAGE_FORMAT_H

/* Texel formats: conversion between memory and the values that a shader sees. Buffers and images
 * share one numbering; 1 to 63 are the buffers' (doc/hardware/encodings.md 6), the rest exists for
 * images only. Pure. The float arithmetic wants round to nearest even with denormals kept, which
 * callers inside the executor have to set (bw_fp_plain_begin). */

#include <stdbool.h>
#include <stdint.h>

#include "base/small_float.h"

/* clang-format off */
enum bw_num {
	BW_NUM_UNORM, BW_NUM_SNORM, BW_NUM_USCALED, BW_NUM_SSCALED, BW_NUM_UINT, BW_NUM_SINT,
	BW_NUM_FLOAT, BW_NUM_SRGB, /* SRGB: X, Y and Z; W is UNORM */
};
/* clang-format on */

enum bw_layout {
	BW_LAYOUT_FIELDS,	   /* bit fields from the least significant bit up */
	BW_LAYOUT_SHARED_EXPONENT, /* 5_9_9_9 */
	BW_LAYOUT_BC,		   /* a block of 4 x 4 texels: format_bc.h */
};

struct bw_format {
	const char *name; /* "8_8_8_8_UNORM" */
	uint8_t number;
	uint8_t size_b;	 /* of one element: a texel, or a block */
	uint8_t n;	 /* components */
	uint8_t num;	 /* enum bw_num */
	uint8_t layout;	 /* enum bw_layout */
	uint8_t bits[4]; /* width of each component, X first */
	uint8_t shift[4];
	bool is_int;	     /* a shader sees integers */
	bool clamps_compare; /* the reference value of a depth comparison is clamped to 0..1 */
	/* The two most common kinds, which have short ways: one component whose bits are those of
	 * the register, and components of 8 bits that are all UNORM. */
	bool is_raw32, is_unorm8;
};

/* NULL: no such format. Strings and structs are static. */
const struct bw_format *bw_format_buffer(unsigned number);
const struct bw_format *bw_format_image(unsigned number);
/* That of a buffer of gfx9, which has DATA_FORMAT and NUM_FORMAT. */
const struct bw_format *bw_format_buffer9(unsigned data, unsigned num);
/* The name of a number that exists on the hardware but not here; NULL when reserved there too. */
const char *bw_format_absent_name(unsigned number);

/* One texel to four components as 32-bit register values; what the format lacks reads 0, 0, 0, 1.
 * Not for block formats. */
void bw_format_unpack(const struct bw_format *f, const uint8_t *texel, uint32_t out_rgba[4]);
/* Packs a texel again, converted as the texture unit does for stores. Writes size_b bytes. */
void bw_format_pack(const struct bw_format *f, const uint32_t rgba[4], uint8_t *out_texel);
/* 1 as this format's shader sees it. */
uint32_t bw_format_one(const struct bw_format *f);

/* The DST_SEL codes of a descriptor, which select among four components. */
enum { BW_SEL_0, BW_SEL_1, BW_SEL_X = 4, BW_SEL_Y, BW_SEL_Z, BW_SEL_W };
/* DST_SEL with the code of X in its lowest three bits: each component is itself. */
#define BW_SEL_SHIFT(c) (3 * (c))
enum {
	BW_SEL_XYZW = BW_SEL_X << BW_SEL_SHIFT(0) | BW_SEL_Y << BW_SEL_SHIFT(1) |
		      BW_SEL_Z << BW_SEL_SHIFT(2) | BW_SEL_W << BW_SEL_SHIFT(3)
};
void bw_format_select(const struct bw_format *f, uint32_t dst_sel, const uint32_t in[4],
		      uint32_t out[4]);
/* The inverse, for stores: memory component c comes from the first register component whose
 * selector names it, and is 0 if none does [I]. */
void bw_format_unselect(uint32_t dst_sel, const uint32_t in[4], uint32_t out[4]);

/* Between 16- and 32-bit register values (D16). To 16 bits: 32-bit floats in memory are truncated,
 * all else is rounded to nearest even (RDNA3.5 manual, 9.3.1); integers keep their low half [I]. */
uint16_t bw_format_to_d16(const struct bw_format *f, uint32_t value);
uint32_t bw_format_from_d16(const struct bw_format *f, uint16_t value);

/* Unsigned floats with 5 exponent bits and mantissa_bits (6 for 11_FLOAT, 5 for 10_FLOAT). */
uint32_t bw_ufloat_to_f32(uint32_t v, unsigned mantissa_bits);
uint32_t bw_f32_to_ufloat(uint32_t f, unsigned mantissa_bits);
/* sRGB to linear (IEC 61966-2-1). */
double bw_srgb_curve(double v);
float bw_srgb_to_linear(uint8_t v);
uint8_t bw_linear_to_srgb(float v);

#endif
