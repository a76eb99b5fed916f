/* SPDX-License-Identifier: MIT */
#include "image/image.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* A field of the descriptor: none that this file reads has more than 32 bits, but the address. */
static uint32_t field(const uint32_t *words, unsigned lo, unsigned n_bits)
{
	return (uint32_t)bw_words_get(words, lo, n_bits);
}

/* ---- where levels lie ---- */

/* Memory has levels of ceil(size / 2^level) elements, a little more than the texture unit sees. */
static uint32_t level_elements(uint32_t elements, unsigned level)
{
	return (uint32_t)(((uint64_t)elements + (1ull << level) - 1) >> level);
}

static uint32_t elements_of(const struct bw_image *im, uint32_t texels)
{
	return im->is_block ? (texels + 3) / 4 : texels;
}

/* Rows begin at multiples of 256 bytes, levels follow each other from the smallest to level 0.
 * pitch: of a descriptor that gives one, in texels, 0 if not. */
static void layout_linear(struct bw_image *im, uint32_t pitch)
{
	uint32_t width = elements_of(im, im->width), height = elements_of(im, im->height);
	uint64_t at = 0;
	for (unsigned i = im->n_levels; i-- > 0;) {
		struct bw_image_level *l = &im->level[i];
		uint64_t row = pitch ? elements_of(im, pitch) : level_elements(width, i);
		l->pitch = bw_align_up(row * im->format->size_b, 256);
		l->offset_b = at;
		at += l->pitch * level_elements(height, i);
	}
	im->slice_b = at;
}

/* The largest number of levels in one block. Blocks of depth share their size with the slices. */
static unsigned max_levels_in_tail(const struct bw_swizzle *sw)
{
	unsigned log2 = sw->block_log2;
	if (log2 <= 8)
		return 0;
	if (sw->is_thick)
		log2 -= (log2 - 8) / 3;
	return log2 <= 11 ? 1 + (1u << (log2 - 9)) : log2 - 4;
}

struct tail {
	uint32_t w, h; /* the largest size of its first level */
	unsigned max, first;
};

static struct tail tail_of(const struct bw_image *im, unsigned elem_log2, uint32_t width,
			   uint32_t height)
{
	const struct bw_swizzle *sw = im->swizzle;
	struct tail t = {1u << sw->block.w, 1u << sw->block.h, max_levels_in_tail(sw),
			 im->n_levels};
	uint32_t fit_w, fit_h;
	/* Half a block: the upper half in a direction that goes round with the block's size. */
	if (!sw->is_thick || sw->block_log2 % 3 == 1)
		t.w /= 2;
	else if (sw->block_log2 % 3 == 0)
		t.h /= 2;
	fit_w = t.w;
	fit_h = t.h;
	/* Depth and stencil share HTILE: 8 and 16 bits enter the tail with the level where 32 bits
	 * do. */
	if (sw->is_z && elem_log2 <= 1) {
		fit_w /= 2;
		if (elem_log2 == 0)
			fit_h /= 2;
	}
	/* A single level is never a tail. */
	for (unsigned i = 0; im->n_levels > 1 && i < im->n_levels; i++) {
		if (level_elements(width, i) <= fit_w && level_elements(height, i) <= fit_h &&
		    im->n_levels - i <= t.max) {
			t.first = i;
			break;
		}
	}
	return t;
}

/* Levels in the tail lie at fixed places of their block, the largest at its far half; the offset's
 * bits above 8 are y and x in turn. */
static void place_in_tail(struct bw_image *im, const struct tail *t)
{
	const struct bw_swizzle *sw = im->swizzle;
	for (unsigned i = t->first; i < im->n_levels; i++) {
		unsigned m = t->max - 1 - (i - t->first);
		uint32_t offset = m > 6 ? 16u << m : m << 8, x = 0, y = 0;
		for (unsigned bit = 0; bit < 6; bit++) {
			y |= (offset >> (8 + 2 * bit) & 1) << bit;
			x |= (offset >> (9 + 2 * bit) & 1) << bit;
		}
		im->level[i].tail_x = (uint16_t)(x << sw->micro.w);
		im->level[i].tail_y = (uint16_t)(y << sw->micro.h);
		im->level[i].offset_b = 0;
		im->level[i].pitch = 1;
	}
}

static void layout_blocks(struct bw_image *im, unsigned elem_log2)
{
	const struct bw_swizzle *sw = im->swizzle;
	uint32_t width = elements_of(im, im->width), height = elements_of(im, im->height);
	struct tail t = tail_of(im, elem_log2, width, height);
	uint64_t at = 0;
	if (t.first < im->n_levels) {
		place_in_tail(im, &t);
		at = 1ull << sw->block_log2;
	}
	for (unsigned i = t.first; i-- > 0;) {
		uint64_t w =
			bw_align_up(level_elements(width, i), 1ull << sw->block.w) >> sw->block.w;
		uint64_t h =
			bw_align_up(level_elements(height, i), 1ull << sw->block.h) >> sw->block.h;
		im->level[i].pitch = w;
		im->level[i].offset_b = at;
		at += (w * h) << sw->block_log2;
	}
	im->slice_b = at;
}

/* ---- descriptors ---- */

static bool is_zero(const uint32_t *words)
{
	uint32_t any = 0;
	for (unsigned i = 0; i < BW_IMAGE_DESC_DW; i++)
		any |= words[i];
	return !any;
}

enum { N_FACES = 6 }; /* of a cube */

static const char *read_slices(const uint32_t *words, struct bw_image *im, uint32_t *out_pitch)
{
	uint32_t depth = field(words, BW_IMAGE_DEPTH), first = field(words, BW_IMAGE_BASE_ARRAY);
	bool uav = field(words, BW_IMAGE_UAV3D);
	im->depth = 1;
	im->first_slice = 0;
	im->n_slices = 1;
	*out_pitch = 0;
	switch (im->type) {
	case BW_IMAGE_3D:
		im->depth = depth + 1;
		im->is_uav_3d = uav;
		/* UAVs have the first and last slice of the bound level, others the depth of level
		 * 0. */
		im->first_slice = uav ? first : 0;
		im->n_slices = uav ? (depth >= first ? depth - first + 1 : 0) : depth + 1;
		break;
	case BW_IMAGE_CUBE:
		/* DEPTH counts cubes: any of the last one's faces will do. radeonsi names the first
		 * one, RADV the last one. */
		im->first_slice = first;
		im->n_slices = depth >= first ? (depth - first) / N_FACES * N_FACES + N_FACES : 0;
		break;
	case BW_IMAGE_1D_ARRAY:
	case BW_IMAGE_2D_ARRAY:
	case BW_IMAGE_2D_MSAA_ARRAY:
		im->first_slice = first;
		im->n_slices = depth >= first ? depth - first + 1 : 0;
		break;
	case BW_IMAGE_1D:
	case BW_IMAGE_2D:
	case BW_IMAGE_2D_MSAA:
		im->first_slice = first;
		*out_pitch = field(words, BW_IMAGE_PITCH) + 1;
		break;
	default:
		return "image descriptor of a reserved type";
	}
	return NULL;
}

static const char *read_format(const uint32_t *words, struct bw_image *im)
{
	unsigned number = field(words, BW_IMAGE_FORMAT);
	im->format = bw_format_image(number);
	if (im->format)
		return NULL;
	if (!number) /* unbound */
		return NULL;
	return bw_format_absent_name(number) ? "image format for video or with texels below a byte"
					     : "reserved image format";
}

static const char *read_layout(const uint32_t *words, struct bw_image *im, uint32_t pitch)
{
	unsigned mode = field(words, BW_IMAGE_SW_MODE), elem_log2;
	if (mode == BW_SW_LINEAR) {
		if (im->samples_log2)
			return "linear image with several samples";
		layout_linear(im, pitch > im->width ? pitch : 0);
		return NULL;
	}
	if (im->format->size_b == 12)
		return "image of 96 bits a texel that is not linear";
	elem_log2 = (unsigned)__builtin_ctz(im->format->size_b);
	im->swizzle = bw_swizzle_get(mode, im->is_3d, elem_log2, im->samples_log2);
	if (!im->swizzle)
		return "image layout (SW_MODE) that does not exist for this type";
	layout_blocks(im, elem_log2);
	return NULL;
}

const char *bw_image_read(const uint32_t words[BW_IMAGE_DESC_DW], struct bw_image *out)
{
	struct bw_image *im = out;
	const char *why;
	uint32_t pitch;
	bool is_msaa;

	memset(im, 0, sizeof(*im));
	if (is_zero(words))
		return NULL;
	if ((why = read_format(words, im)) || !im->format)
		return why;
	im->base = bw_desc_256b(words, BW_IMAGE_BASE_256B);
	im->width = field(words, BW_IMAGE_WIDTH) + 1;
	im->height = field(words, BW_IMAGE_HEIGHT) + 1;
	im->dst_sel = field(words, BW_IMAGE_DST_SEL);
	im->type = (uint8_t)field(words, BW_IMAGE_TYPE);
	im->bc_swizzle = (uint8_t)field(words, BW_IMAGE_BC_SWIZZLE);
	im->min_lod_warn = field(words, BW_IMAGE_MIN_LOD_WARN);
	im->min_lod = field(words, BW_IMAGE_MIN_LOD);
	im->is_3d = im->type == BW_IMAGE_3D;
	im->is_block = im->format->layout == BW_LAYOUT_BC;
	if ((why = read_slices(words, im, &pitch)))
		return why;
	if (!im->n_slices)
		return "image view without slices";
	is_msaa = im->type == BW_IMAGE_2D_MSAA || im->type == BW_IMAGE_2D_MSAA_ARRAY;
	if (im->type == BW_IMAGE_1D || im->type == BW_IMAGE_1D_ARRAY)
		im->height = 1;
	im->n_levels = (uint8_t)(is_msaa ? 1 : field(words, BW_IMAGE_MAX_MIP) + 1);
	im->samples_log2 = (uint8_t)(is_msaa ? field(words, BW_IMAGE_LAST_LEVEL) : 0);
	im->base_level = (uint8_t)(is_msaa ? 0 : field(words, BW_IMAGE_BASE_LEVEL));
	im->last_level = (uint8_t)(is_msaa ? 0 : field(words, BW_IMAGE_LAST_LEVEL));
	if (im->samples_log2 > 3)
		return "image with more than 8 samples";
	if (im->base_level >= im->n_levels || im->last_level >= im->n_levels ||
	    im->last_level < im->base_level)
		return "image view of levels that the image does not have";
	return read_layout(words, im, pitch);
}

struct bw_image_seen {
	uint32_t words[BW_IMAGE_DESC_DW];
	const char *why;
	struct bw_image im;
};

const char *bw_image_cached(struct bw_image_cache *c, const uint32_t words[BW_IMAGE_DESC_DW],
			    const struct bw_image **out)
{
	/* Descriptors in one table differ in their address, and in size. */
	static_assert(BW_IMAGE_CACHE == 16, "four bits of the hash");
	uint32_t hash = (words[0] ^ words[0] >> 8 ^ words[2] ^ words[3] >> 12) * 0x9e3779b1u;
	struct bw_image_seen **slot = &c->slot[hash >> 28];
	struct bw_image_seen *seen = *slot;
	bool is_new = !seen;
	if (is_new) {
		seen = *slot = malloc(sizeof(*seen));
		if (!seen)
			abort(); /* as everywhere where memory for the simulation itself runs out */
	}
	if (is_new || memcmp(seen->words, words, sizeof(seen->words)) != 0) {
		memcpy(seen->words, words, sizeof(seen->words));
		seen->why = bw_image_read(words, &seen->im);
	}
	*out = &seen->im;
	return seen->why;
}

void bw_image_cache_fini(struct bw_image_cache *c)
{
	for (unsigned i = 0; i < BW_IMAGE_CACHE; i++)
		free(c->slot[i]);
	*c = (struct bw_image_cache){0};
}

uint32_t bw_image_slices(const struct bw_image *im, unsigned level)
{
	return im->is_3d && !im->is_uav_3d ? bw_image_mip(im->depth, level) : im->n_slices;
}

/* Where the block of an element begins, and the offset of its first sample there; linear: where the
 * element is. */
static inline uint64_t locate(const struct bw_image *im, unsigned level, uint32_t x, uint32_t y,
			      uint32_t z, uint32_t *out_in_block)
{
	const struct bw_swizzle *sw = im->swizzle;
	const struct bw_image_level *l = &im->level[level];
	uint64_t at = l->offset_b, base = im->base;
	uint32_t mask, in_block;

	z += im->first_slice;
	if (im->is_block) {
		x /= 4;
		y /= 4;
	}
	*out_in_block = 0;
	if (!sw)
		return base + at + z * im->slice_b + y * l->pitch +
		       (uint64_t)x * im->format->size_b;
	at += (((uint64_t)(y >> sw->block.h) * l->pitch + (x >> sw->block.w)) << sw->block_log2) +
	      (uint64_t)(z >> sw->block.d) * im->slice_b;
	in_block = bw_swizzle_offset(sw, x + l->tail_x, y + l->tail_y, z, 0);
	/* The bits of the base below a block's size choose pipe and bank. */
	mask = (1u << sw->block_log2) - 1;
	if (sw->is_xor) {
		in_block ^= (uint32_t)base & mask;
		base &= ~(uint64_t)mask;
	}
	*out_in_block = in_block;
	return base + at;
}

uint64_t bw_image_va(const struct bw_image *im, unsigned level, uint32_t x, uint32_t y, uint32_t z,
		     uint32_t sample)
{
	uint32_t in_block;
	uint64_t block = locate(im, level, x, y, z, &in_block);
	if (im->swizzle)
		in_block ^= bw_swizzle_of_sample(im->swizzle, sample);
	return bw_canonical(block + in_block);
}

void bw_image_sample_vas(const struct bw_image *im, unsigned level, uint32_t x, uint32_t y,
			 uint32_t z, uint64_t out[BW_IMAGE_SAMPLES])
{
	uint32_t in_block;
	uint64_t block = locate(im, level, x, y, z, &in_block);
	for (unsigned i = 0; i < 1u << im->samples_log2; i++)
		out[i] = bw_canonical(
			block +
			(im->swizzle ? in_block ^ bw_swizzle_of_sample(im->swizzle, i) : in_block));
}
