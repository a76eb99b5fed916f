/* SPDX-License-Identifier: MIT */
#ifndef BW_SHADER_RESULTS_H
#define BW_SHADER_RESULTS_H

/* The results of a shader, in the forms of --print and --dump. */

#include "shader/plan.h"

/* --print: a line for each, on standard output. */
void bw_shader_print_views(const struct bw_shader_plan *p);
/* --dump: bytes; of an image a PNG file where the path ends in .png, else its texels in rows. Says
 * on standard error where a picture cannot hold a value. */
struct bw_error *bw_shader_write_views(const struct bw_shader_plan *p) BW_MUST_CHECK;

#endif
