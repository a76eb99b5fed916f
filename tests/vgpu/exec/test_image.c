/* SPDX-License-Identifier: MIT */
/* Image descriptors, layouts and compressed blocks: against the address library and another
 * decoder, by what must hold for any layout, and by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "image/format_bc.h"
#include "image/image.h"

#define BASE 0x123400000000ull

static uint64_t seed = 0x853c49e6748fea9b;

static uint32_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 16);
}

/* Fields at their places (doc/hardware/encodings.md 6). */
struct desc {
	unsigned format, type, mode, width, height, depth, first, levels, base_level, last_level,
		samples_log2;
};

static void make(const struct desc *d, uint32_t words[8])
{
	memset(words, 0, 32);
	words[0] = (uint32_t)(BASE >> 8);
	words[1] = (uint32_t)(BASE >> 40) | (d->levels - 1) << 16 | d->format << 20 |
		   ((d->width - 1) & 3) << 30;
	words[2] = (d->width - 1) >> 2 | (d->height - 1) << 14;
	words[3] =
		07654 | d->base_level << 12 | d->last_level << 16 | d->mode << 20 | d->type << 28;
	words[4] = (d->depth - 1) | d->first << 16;
	if (d->samples_log2) {
		words[1] |= d->samples_log2 << 16;
		words[3] |= d->samples_log2 << 16;
	}
}

static const unsigned uint_format[5] = {5, 11, 20, 48, 61};

static const struct address {
	unsigned type, mode, elem, samples, w, h, d, levels, level, x, y, z, s;
	uint64_t offset;
} addresses[] = {
#include "image_addresses.inc"
};

static void library_addresses(void **state)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(addresses); i++) {
		const struct address *a = &addresses[i];
		unsigned type = a->type == 0   ? BW_IMAGE_1D_ARRAY
				: a->type == 2 ? BW_IMAGE_3D
				: a->samples   ? BW_IMAGE_2D_MSAA_ARRAY
					       : BW_IMAGE_2D_ARRAY;
		struct desc d = {.format = uint_format[a->elem],
				 .type = type,
				 .mode = a->mode,
				 .width = a->w,
				 .height = a->h,
				 .depth = a->d,
				 .levels = a->levels,
				 .last_level = a->levels - 1,
				 .samples_log2 = a->samples};
		uint32_t words[8];
		struct bw_image im;
		make(&d, words);
		const char *why = bw_image_read(words, &im);
		if (why)
			fail_msg("row %zu: %s", i, why);
		uint64_t va = bw_image_va(&im, a->level, a->x, a->y, a->z, a->s);
		if (va - BASE != a->offset)
			fail_msg("row %zu (mode %u): 0x%lx, not 0x%lx", i, a->mode,
				 (long)(va - BASE), (long)a->offset);
	}
}

/* No two elements of an image lie in the same place, whatever its layout. */
static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static size_t every_place(const struct bw_image *im, uint64_t *out)
{
	size_t n = 0;
	for (unsigned l = 0; l < im->n_levels; l++)
		for (unsigned z = 0; z < bw_image_slices(im, l); z++)
			for (unsigned y = 0; y < bw_image_mip(im->height, l);
			     y += im->is_block ? 4 : 1)
				for (unsigned x = 0; x < bw_image_mip(im->width, l);
				     x += im->is_block ? 4 : 1)
					for (unsigned s = 0; s < 1u << im->samples_log2; s++)
						out[n++] = bw_image_va(im, l, x, y, z, s);
	return n;
}

static void nothing_overlaps(void **state)
{
	static const uint8_t modes[2][11] = {{2, 6, 10, 18, 22, 24, 26, 27, 28, 30, 31},
					     {5, 9, 17, 21, 24, 25, 26, 27, 28, 29, 31}};
	uint64_t *at = malloc(4000000 * sizeof(*at));
	assert_non_null(at);
	for (unsigned i = 0; i < 120; i++) {
		bool is_3d = rnd() & 1, bc = rnd() % 4 == 0;
		unsigned w = 1 + rnd() % 200, h = 1 + rnd() % 120, levels = 1 + rnd() % 7;
		struct desc d = {.format = bc ? 113 : uint_format[rnd() % 5],
				 .type = is_3d ? BW_IMAGE_3D : BW_IMAGE_2D_ARRAY,
				 .mode = i % 12 ? modes[is_3d][i % 12 - 1] : 0,
				 .width = w,
				 .height = h,
				 .depth = 1 + rnd() % 12,
				 .levels = levels,
				 .last_level = levels - 1};
		uint32_t words[8];
		struct bw_image im;
		make(&d, words);
		assert_null(bw_image_read(words, &im));
		size_t n = every_place(&im, at);
		assert_in_range(n, 1, 4000000);
		qsort(at, n, sizeof(*at), compare_u64);
		for (size_t k = 1; k < n; k++)
			if (at[k] - at[k - 1] < im.format->size_b)
				fail_msg("mode %u, %ux%ux%u: elements at 0x%lx and 0x%lx", d.mode,
					 w, h, d.depth, (long)at[k - 1], (long)at[k]);
	}
	free(at);
}

static void fields(void **state)
{
	struct desc d = {.format = 42,
			 .type = BW_IMAGE_2D_ARRAY,
			 .mode = 27,
			 .width = 1235,
			 .height = 777,
			 .depth = 10,
			 .first = 4,
			 .levels = 11,
			 .base_level = 2,
			 .last_level = 5};
	uint32_t words[8];
	struct bw_image im;
	make(&d, words);
	words[3] = (words[3] & ~07777u) | 01456 | 4 << 25;
	words[5] = 0x123 << 8 | (0x345u & 31) << 27;
	words[6] = 0x345 >> 5;
	assert_null(bw_image_read(words, &im));
	assert_string_equal(im.format->name, "8_8_8_8_UNORM");
	assert_int_equal(im.base, BASE);
	assert_int_equal(im.width, 1235);
	assert_int_equal(im.height, 777);
	assert_int_equal(im.first_slice, 4);
	assert_int_equal(im.n_slices, 6); /* the last one is 9 */
	assert_int_equal(im.base_level, 2);
	assert_int_equal(im.last_level, 5);
	assert_int_equal(im.n_levels, 11);
	assert_int_equal(im.dst_sel, 01456);
	assert_int_equal(im.bc_swizzle, 4);
	assert_int_equal(im.min_lod, 0x345);
	assert_int_equal(im.min_lod_warn, 0x123);
}

static void linear_images(void **state)
{
	/* A row of 100 texels of 4 bytes takes 512, of 12 bytes 1280. */
	struct desc d = {.format = 22,
			 .type = BW_IMAGE_2D,
			 .width = 100,
			 .height = 10,
			 .depth = 1,
			 .levels = 1};
	uint32_t words[8];
	struct bw_image im;
	make(&d, words);
	assert_null(bw_image_read(words, &im));
	assert_int_equal(bw_image_va(&im, 0, 7, 3, 0, 0), BASE + 3 * 512 + 28);
	words[4] = 256 - 1; /* a pitch of its own: 256 texels */
	assert_null(bw_image_read(words, &im));
	assert_int_equal(bw_image_va(&im, 0, 7, 3, 0, 0), BASE + 3 * 1024 + 28);
	d.format = 60;
	make(&d, words);
	assert_null(bw_image_read(words, &im));
	assert_int_equal(bw_image_va(&im, 0, 7, 3, 0, 0), BASE + 3 * 1280 + 84);
	/* Blocks: 25 in a row, 8 bytes each, 256 a row */
	d.format = 109;
	make(&d, words);
	assert_null(bw_image_read(words, &im));
	assert_int_equal(bw_image_va(&im, 0, 7, 5, 0, 0), BASE + 256 + 8);
}

static void pipe_xor(void **state)
{
	/* The base's bits below the block's size are XORed in. */
	struct desc d = {.format = 20,
			 .type = BW_IMAGE_2D,
			 .mode = 27,
			 .width = 100,
			 .height = 100,
			 .depth = 1,
			 .levels = 1};
	uint32_t words[8];
	struct bw_image im;
	make(&d, words);
	assert_null(bw_image_read(words, &im));
	uint64_t plain = bw_image_va(&im, 0, 37, 61, 0, 0);
	words[0] |= 0x15;
	assert_null(bw_image_read(words, &im));
	assert_int_equal(bw_image_va(&im, 0, 37, 61, 0, 0), plain ^ 0x1500);
}

static void refusals(void **state)
{
	/* clang-format off */
	static const struct {
		struct desc d;
		const char *why;
	} rows[] = {
		{{.format = 20, .type = 3, .width = 4, .height = 4, .depth = 1, .levels = 1}, "image descriptor of a reserved type"},
		{{.format = 82, .type = 9, .width = 4, .height = 4, .depth = 1, .levels = 1},
		 "image format for video or with texels below a byte"},
		{{.format = 255, .type = 9, .width = 4, .height = 4, .depth = 1, .levels = 1}, "reserved image format"},
		{{.format = 20, .type = 9, .mode = 1, .width = 4, .height = 4, .depth = 1, .levels = 1},
		 "image layout (SW_MODE) that does not exist for this type"},
		{{.format = 20, .type = 9, .mode = 9, .width = 4, .height = 4, .depth = 1, .levels = 1},
		 "image layout (SW_MODE) that does not exist for this type"},
		{{.format = 60, .type = 9, .mode = 27, .width = 4, .height = 4, .depth = 1, .levels = 1},
		 "image of 96 bits a texel that is not linear"},
		{{.format = 20, .type = 14, .width = 4, .height = 4, .depth = 1, .levels = 1, .samples_log2 = 2},
		 "linear image with several samples"},
		{{.format = 20, .type = 14, .mode = 27, .width = 4, .height = 4, .depth = 1, .levels = 1, .samples_log2 = 4},
		 "image with more than 8 samples"},
		{{.format = 20, .type = 9, .width = 4, .height = 4, .depth = 1, .levels = 2, .last_level = 2},
		 "image view of levels that the image does not have"},
		{{.format = 20, .type = 13, .width = 4, .height = 4, .depth = 1, .first = 1, .levels = 1}, "image view without slices"},
	};
	/* clang-format on */
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		uint32_t words[8];
		struct bw_image im;
		make(&rows[i].d, words);
		const char *why = bw_image_read(words, &im);
		assert_non_null(why);
		assert_string_equal(why, rows[i].why);
	}
	uint32_t words[8] = {0};
	struct bw_image im;
	assert_null(bw_image_read(words, &im)); /* all zero: unbound */
	assert_null(im.format);
}

static void hostile(void **state)
{
	unsigned n_usable = 0;
	for (unsigned i = 0; i < 300000; i++) {
		uint32_t words[8];
		struct bw_image im;
		for (unsigned k = 0; k < 8; k++)
			words[k] = rnd() & (i % 3 ? 0xffffffff : rnd());
		if (i % 2) /* likelier ones */
			words[3] = (words[3] & 0x01f00fff) | (8 + rnd() % 8) << 28;
		if (bw_image_read(words, &im) || !im.format)
			continue;
		n_usable++;
		unsigned l = im.base_level + rnd() % (im.last_level - im.base_level + 1u);
		uint32_t z = bw_image_slices(&im, l);
		assert_in_range(z, 1, 1 << 13);
		uint64_t va = bw_image_va(&im, l, bw_image_mip(im.width, l) - 1,
					  bw_image_mip(im.height, l) - 1, z - 1,
					  (1u << im.samples_log2) - 1);
		assert_int_equal(va, bw_canonical(va));
	}
	assert_in_range(n_usable, 1000, 300000);
}

/* ---- compressed blocks ---- */

static float as_float(uint32_t bits)
{
	float v;
	memcpy(&v, &bits, 4);
	return v;
}

static const uint8_t shown[4] = {0, 6, 9, 15};

static void bc7(void **state)
{
	static const struct {
		unsigned number;
		uint8_t block[16];
		uint32_t rgba[4];
	} rows[] = {
#include "bc7_blocks.inc"
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		uint32_t out[16][4];
		bw_bc_decode(bw_format_image(rows[i].number), rows[i].block, out);
		for (unsigned t = 0; t < 4; t++)
			for (unsigned c = 0; c < 4; c++)
				assert_true(as_float(out[shown[t]][c]) ==
					    (float)(rows[i].rgba[t] >> (8 * c) & 255) / 255);
	}
}

static void bc6(void **state)
{
	static const struct {
		unsigned number;
		uint8_t block[16];
		uint16_t rgb[12];
	} rows[] = {
#include "bc6_blocks.inc"
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		uint32_t out[16][4];
		bw_bc_decode(bw_format_image(rows[i].number), rows[i].block, out);
		for (unsigned t = 0; t < 4; t++) {
			for (unsigned c = 0; c < 3; c++) {
				_Float16 h;
				memcpy(&h, &rows[i].rgb[3 * t + c], 2);
				assert_true(as_float(out[shown[t]][c]) == (float)h);
			}
			assert_true(as_float(out[shown[t]][3]) == 1);
		}
	}
}

static void expect(unsigned number, const uint8_t *block, unsigned texel, float r, float g, float b,
		   float a)
{
	float want[4] = {r, g, b, a};
	uint32_t out[16][4];
	bw_bc_decode(bw_format_image(number), block, out);
	for (unsigned c = 0; c < 4; c++)
		if (fabsf(as_float(out[texel][c]) - want[c]) > 1e-7f)
			fail_msg("%s texel %u component %u: %g, not %g",
				 bw_format_image(number)->name, texel, c, as_float(out[texel][c]),
				 want[c]);
}

static void bc1_to_5(void **state)
{
	/* red 31 and blue 31, indices 0 1 2 3 in the first row; 0xf800 > 0x001f: four colours */
	static const uint8_t four[8] = {0x00, 0xf8, 0x1f, 0x00, 0xe4},
			     three[8] = {0x1f, 0x00, 0x00, 0xf8, 0xe4};
	expect(109, four, 0, 1, 0, 0, 1);
	expect(109, four, 1, 0, 0, 1, 1);
	expect(109, four, 2, 2 / 3.0f, 0, 1 / 3.0f, 1);
	expect(109, four, 3, 1 / 3.0f, 0, 2 / 3.0f, 1);
	expect(109, three, 2, 0.5f, 0, 0.5f, 1);
	expect(109, three, 3, 0, 0, 0, 0);
	/* BC2: alpha nibbles 0, 5, 15; always four colours */
	static const uint8_t bc2[16] = {0x50, 0x0f, [8] = 0x1f, 0x00, 0x00, 0xf8, 0xe4};
	expect(111, bc2, 1, 1, 0, 0, 1 / 3.0f);
	expect(111, bc2, 3, 2 / 3.0f, 0, 1 / 3.0f, 0);
	/* sRGB: the mean of the curve's arguments, then the curve: 2/3 is 0.40198, 1/3 is
	 * 0.09084 */
	uint32_t out[16][4];
	bw_bc_decode(bw_format_image(110), four, out);
	assert_true(fabsf(as_float(out[2][0]) - 0.4019778f) < 1e-6f);
	assert_true(fabsf(as_float(out[2][2]) - 0.0908417f) < 1e-6f);
	/* BC4: 255 and 15, indices 0, 1, 2 (6/7) and 7 (1/7) ... bits 000 001 010 111 */
	static const uint8_t eight[8] = {255, 15, 0x88, 0x0e}, six[8] = {15, 255, 0x88, 0x0e};
	expect(115, eight, 0, 1, 0, 0, 1);
	expect(115, eight, 1, 15 / 255.0f, 0, 0, 1);
	expect(115, eight, 2, (float)((6 * 255 + 15) / 7.0 / 255), 0, 0, 1);
	expect(115, eight, 3, (float)((255 + 6 * 15) / 7.0 / 255), 0, 0, 1);
	expect(115, six, 2, (float)((4 * 15 + 255) / 5.0 / 255), 0, 0, 1);
	expect(115, six, 3, 1, 0, 0, 1);
	/* signed: -128 is -127; index 6 of six is -1 */
	static const uint8_t bc5[16] = {0x80, 0x7f, 0x06, [8] = 0x40, 0xc0, 0x02};
	expect(118, bc5, 0, -1, (float)((6 * 64 - 64) / 7.0 / 127), 0, 1);
	expect(118, bc5, 1, -1, 64 / 127.0f, 0, 1);
}

TESTS(library_addresses, nothing_overlaps, fields, linear_images, pipe_xor, refusals, hostile, bc7,
      bc6, bc1_to_5);
