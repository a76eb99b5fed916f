/* SPDX-License-Identifier: MIT */
#ifndef BW_IMAGE_FORMAT_BC_H
#define BW_IMAGE_FORMAT_BC_H

/* Block compressed formats, BC1 to BC7, as the Khronos data format specification and Direct3D
 * define them. Pure; any bits decode to something. */

#include "image/format.h"

/* The 16 texels of a block in rows of 4, as 32-bit floats like those of bw_format_unpack. */
void bw_bc_decode(const struct bw_format *f, const uint8_t *block, uint32_t out[16][4]);

#endif
