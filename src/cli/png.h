/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_PNG_H
#define BW_CLI_PNG_H

/* Pictures as PNG files, by libpng. */

#include "base/error.h"
#include "image/picture.h"

/* A file that cannot be written to its end is removed. */
struct bw_error *bw_png_write(const char *path, const struct bw_picture *p) BW_MUST_CHECK;

#endif
