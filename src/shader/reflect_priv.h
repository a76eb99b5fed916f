/* SPDX-License-Identifier: MIT */
#ifndef BW_SHADER_REFLECT_PRIV_H
#define BW_SHADER_REFLECT_PRIV_H

/* Reading a module by SPIRV-Cross: what the parts of it share. */

#include <spirv_cross/spirv_cross_c.h>

#include "shader/reflect.h"

struct bw_shader_reader {
	struct bw_shader *s; /* borrowed */
	spvc_context context;
	spvc_compiler compiler;
};

/* "DOING: " and what the library says of its last failure. */
struct bw_error *bw_shader_library_error(const struct bw_shader_reader *r,
					 const char *doing) BW_MUST_CHECK;
/* The number of descriptors of a variable of this type; 0: the source does not say, or more than
 * 256. */
size_t bw_shader_count_elements(spvc_type whole);
/* Adds images, texel buffers and samplers to r->s->images. */
struct bw_error *bw_shader_read_images(struct bw_shader_reader *r,
				       spvc_resources resources) BW_MUST_CHECK;

#endif
