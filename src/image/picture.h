/* SPDX-License-Identifier: MIT */
#ifndef BW_IMAGE_PICTURE_H
#define BW_IMAGE_PICTURE_H

/* Texels of a format as samples that files of pictures have: 8 or 16 bits of grey, RGB or RGBA, as
 * sRGB formats keep them (UNORM texels are taken as they are). Pure. */

#include <stddef.h>

#include "image/format.h"

struct bw_picture {
	uint32_t width, height;
	unsigned channels;  /* 1, 3, 4 */
	unsigned bits;	    /* 8, 16: of a sample */
	uint8_t *samples;   /* owned; rows from the top, samples of 16 bits big-endian as in PNG */
	uint64_t n_clamped; /* texels with a component that has no place in a sample: below 0, above
			     * the largest, or no number */
};

/* "8_8_8_8_UNORM" as the hardware's formats are called, or "rgba8", "r32f" as GLSL calls them;
 * capitals do not matter. NULL: none, or one of blocks. */
const struct bw_format *bw_format_by_name(const char *name);
/* False: out of memory, or larger than a GiB. */
bool bw_picture_init(struct bw_picture *p, const struct bw_format *f, uint32_t width,
		     uint32_t height);
void bw_picture_fini(struct bw_picture *p);
/* rgba: as bw_format_unpack gives it. */
void bw_picture_put(struct bw_picture *p, const struct bw_format *f, uint32_t x, uint32_t y,
		    const uint32_t rgba[4]);

#endif
