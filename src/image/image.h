/* SPDX-License-Identifier: MIT */
#ifndef BW_IMAGE_IMAGE_H
#define BW_IMAGE_IMAGE_H

/* Image descriptors: their fields, and the address of a texel. Pure. Descriptors are hostile: any
 * bits give an image, or a reason why there is none. */

#include <stdbool.h>
#include <stdint.h>

#include "image/format.h"
#include "image/swizzle.h"
#include "isa/descriptor.h"

enum { BW_IMAGE_LEVELS = 16 };

struct bw_image_level {
	uint64_t offset_b;
	uint64_t pitch;		 /* linear: bytes of one row; else: blocks in one row */
	uint16_t tail_x, tail_y; /* elements, when the level lies in a block together with others */
};

struct bw_image {
	const struct bw_format *format; /* NULL: unbound; reads 0, writes nothing */
	uint64_t base;			/* canonical, 256-byte aligned */
	uint32_t width, height, depth;	/* of level 0, texels; depth is 1 for all but 3D */
	uint32_t first_slice, n_slices; /* of the view: array layers, or slices of a 3D view */
	uint32_t min_lod, min_lod_warn; /* u4.8 */
	uint16_t dst_sel;
	uint8_t type;			/* enum bw_image_type */
	uint8_t base_level, last_level; /* of the view */
	uint8_t n_levels;		/* in memory */
	uint8_t samples_log2;
	uint8_t bc_swizzle; /* BC_SWIZZLE */
	bool is_3d;
	/* slices are those of the bound level and do not shrink with it */
	bool is_uav_3d;
	bool is_block;			  /* elements are blocks of 4 x 4 texels */
	const struct bw_swizzle *swizzle; /* NULL: linear */
	uint64_t slice_b; /* from one slice to the next; thick: one layer of blocks */
	struct bw_image_level level[BW_IMAGE_LEVELS];
};

/* words: 8, of which the last 4 are 0 for R128. Returns NULL, or the reason (static) why such an
 * image cannot be used here. */
const char *bw_image_read(const uint32_t words[BW_IMAGE_DESC_DW], struct bw_image *out);

/* A cache of decoded descriptors, as most instructions use those of the previous one. One for each
 * thread. */
enum { BW_IMAGE_CACHE = 16 };
struct bw_image_cache {
	struct bw_image_seen *slot[BW_IMAGE_CACHE]; /* owned */
};
/* Like bw_image_read, with a cache; *out is valid until the next call. */
const char *bw_image_cached(struct bw_image_cache *c, const uint32_t words[BW_IMAGE_DESC_DW],
			    const struct bw_image **out);
void bw_image_cache_fini(struct bw_image_cache *c);

/* Size of a level (absolute number) in texels. */
static inline uint32_t bw_image_mip(uint32_t size, unsigned level)
{
	uint32_t s = size >> level;
	return s ? s : 1;
}

/* Slices of a level that a view has: 3D depth, or layers. */
uint32_t bw_image_slices(const struct bw_image *im, unsigned level);

/* The address of an element. level is absolute; x and y are texels; z is a slice of the view. All
 * are in range. */
uint64_t bw_image_va(const struct bw_image *im, unsigned level, uint32_t x, uint32_t y, uint32_t z,
		     uint32_t sample);
/* The same for each sample of an element, of which there are 1 << samples_log2. */
enum { BW_IMAGE_SAMPLES = 8 };
void bw_image_sample_vas(const struct bw_image *im, unsigned level, uint32_t x, uint32_t y,
			 uint32_t z, uint64_t out[BW_IMAGE_SAMPLES]);

#endif
