/* SPDX-License-Identifier: MIT */
#ifndef BW_IMAGE_PNG_FILE_H
#define BW_IMAGE_PNG_FILE_H

/* Pictures as PNG files, by libpng. */

#include "base/error.h"
#include "base/str.h"
#include "image/picture.h"

/* The bytes of a file, appended. */
struct bw_error *bw_png_encode(const struct bw_picture *p, struct bw_str *out) BW_MUST_CHECK;
/* A file that cannot be written to its end is removed. */
struct bw_error *bw_png_write(const char *path, const struct bw_picture *p) BW_MUST_CHECK;

/* Any PNG file as RGBA, 8 bits a sample, or 16 where the file has 16: grey and palettes become
 * colours, what has no alpha gets the largest. The samples are those of the file: no gamma is
 * applied. Refuses more than BW_PNG_SIDE pixels a side. *out is the caller's (bw_picture_fini). */
enum { BW_PNG_SIDE = 16384 };
struct bw_error *bw_png_read(const char *path, struct bw_picture *out) BW_MUST_CHECK;

#endif
