/* SPDX-License-Identifier: MIT */
#ifndef BW_IMAGE_SWIZZLE_H
#define BW_IMAGE_SWIZZLE_H

/* The layout of image elements in blocks of 256 bytes to 256 KiB. Every address bit inside a block
 * is the XOR of some bits of the coordinates, so that the offset is the XOR of what each
 * coordinate, or each part of its bits, contributes by itself: table look-ups. Pure; the tables are
 * made once. */

#include <stdbool.h>
#include <stdint.h>

enum bw_sw_mode { /* SW_MODE of image descriptors; modes not listed do not exist on gfx11 */
		  BW_SW_LINEAR = 0,
		  BW_SW_256B_D = 2,
		  BW_SW_4KB_S = 5,
		  BW_SW_4KB_D = 6,
		  BW_SW_64KB_S = 9,
		  BW_SW_64KB_D = 10,
		  BW_SW_64KB_S_T = 17,
		  BW_SW_64KB_D_T = 18,
		  BW_SW_4KB_S_X = 21,
		  BW_SW_4KB_D_X = 22,
		  BW_SW_64KB_Z_X = 24,
		  BW_SW_64KB_S_X = 25,
		  BW_SW_64KB_D_X = 26,
		  BW_SW_64KB_R_X = 27,
		  BW_SW_256KB_Z_X = 28,
		  BW_SW_256KB_S_X = 29,
		  BW_SW_256KB_D_X = 30,
		  BW_SW_256KB_R_X = 31,
};

struct bw_extent_log2 {
	uint8_t w, h, d;
};

struct bw_swizzle {
	uint8_t block_log2; /* of bytes; 0: there is no such layout */
	bool is_thick;	    /* blocks have a depth, slices are interleaved */
	bool is_xor;	    /* low bits of the image's base are XORed in, not added */
	bool is_z;
	struct bw_extent_log2 block; /* in elements */
	struct bw_extent_log2 micro; /* of the 256 bytes */
	uint32_t x_low[32], x_high[32], y_low[32], y_high[32], z_low[16], z_high[16], s[8];
};

/* NULL when the hardware has no such layout. mode is not linear. */
const struct bw_swizzle *bw_swizzle_get(unsigned mode, bool is_3d, unsigned elem_log2,
					unsigned samples_log2);

/* Offset inside the block of the element at these coordinates of the surface (not of the block). */
static inline uint32_t bw_swizzle_offset(const struct bw_swizzle *sw, uint32_t x, uint32_t y,
					 uint32_t z, uint32_t sample)
{
	return sw->x_low[x & 31] ^ sw->x_high[x >> 5 & 31] ^ sw->y_low[y & 31] ^
	       sw->y_high[y >> 5 & 31] ^ sw->z_low[z & 15] ^ sw->z_high[z >> 4 & 15] ^
	       sw->s[sample & 7];
}

/* What a sample changes in the offset of the first one of its element. */
static inline uint32_t bw_swizzle_of_sample(const struct bw_swizzle *sw, uint32_t sample)
{
	return sw->s[sample & 7] ^ sw->s[0];
}

#endif
