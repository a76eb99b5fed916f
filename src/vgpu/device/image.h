/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_IMAGE_H
#define BW_VGPU_DEVICE_IMAGE_H

/* Little-endian numbers in an image that is made of fixed offsets. The caller has seen to the
 * room. */

#include <stddef.h>
#include <stdint.h>

static inline void bw_image_put16(uint8_t *image, size_t at, uint32_t v)
{
	image[at] = (uint8_t)v;
	image[at + 1] = (uint8_t)(v >> 8);
}

static inline void bw_image_put32(uint8_t *image, size_t at, uint32_t v)
{
	bw_image_put16(image, at, v & 0xffff);
	bw_image_put16(image, at + 2, v >> 16);
}

#endif
