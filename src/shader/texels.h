/* SPDX-License-Identifier: MIT */
#ifndef BW_SHADER_TEXELS_H
#define BW_SHADER_TEXELS_H

/* The words that describe an image, a texel buffer or a sampler of a shader:
 *
 *     image:SIZE[:FORMAT][:SAMPLER...][:CONTENT]    an image, with its sampler where it has one
 *     image:FILE.png                                of the file's size
 *     sampler[:SAMPLER...]                          a sampler alone
 *
 * SIZE     WIDTH (1D, texel buffers), WIDTHxHEIGHT, WIDTHxHEIGHTxDEPTH (3D, or layers of an array)
 * FORMAT   rgba8, r32f and the like, as GLSL calls them; default: the one that the source declares,
 *          else rgba8, r32i or r32ui
 * SAMPLER  linear or nearest; clamp, repeat or mirror (default: nearest, clamp)
 * CONTENT  zeros (default), iota (components count from 0 as they lie in memory), fill:V[,V...] (as
 *          the shader sees a texel), random[:SEED], file:PATH (texels as they lie in memory), or
 *          FILE.png. It comes last.
 *
 * Pure, but for reading the files. */

#include "image/format.h"
#include "shader/reflect.h"

/* A format of GLSL's. */
struct bw_shader_format {
	const char *name;     /* rgba8 */
	uint32_t vk;	      /* VkFormat */
	const char *hardware; /* 8_8_8_8_UNORM, for bw_format_by_name */
};
/* spirv: SpvImageFormat. NULL: none that is known here. Static. */
const struct bw_shader_format *bw_shader_format_declared(uint32_t spirv);
/* The format of this GLSL name, in upper or lower case. NULL: none. */
const struct bw_shader_format *bw_shader_format_called(const char *name);

enum bw_shader_wrap { BW_SHADER_CLAMP, BW_SHADER_REPEAT, BW_SHADER_MIRROR };

struct bw_shader_texels {
	const struct bw_shader_format *format; /* NULL: a sampler, or not given yet */
	const struct bw_format *layout;	       /* of a texel in memory */
	uint32_t width, height;
	uint32_t depth; /* slices of a 3D image, layers of an array, 6 for each cube; else 1 */
	uint8_t *data;	/* owned; rows without gaps, slice by slice */
	size_t size_b;
	bool is_linear;
	enum bw_shader_wrap wrap;
};

/* The message does not name the image. *out is the caller's (bw_shader_texels_fini). */
struct bw_error *bw_shader_texels_parse(const char *text, const struct bw_shader_image *image,
					struct bw_shader_texels *out) BW_MUST_CHECK;
void bw_shader_texels_fini(struct bw_shader_texels *t);

/* "2D image, rgba8", "sampler": what is missing, in a message. Static. */
const char *bw_shader_image_shape(const struct bw_shader_image *image);
/* An example of what --arg takes for it. Static. */
const char *bw_shader_image_example(const struct bw_shader_image *image);

/* Components of all texels, as the shader sees them: how many, and the i-th, as 32 bits of
 * image->type. */
uint64_t bw_shader_texels_count(const struct bw_shader_texels *t);
uint32_t bw_shader_texels_number(const struct bw_shader_texels *t, uint64_t i);
/* A PNG file of it; the slices of an image with depth below each other. *out_clamped: texels with
 * values that a picture cannot hold. */
struct bw_error *bw_shader_texels_write_png(const struct bw_shader_texels *t, const char *path,
					    uint64_t *out_clamped) BW_MUST_CHECK;

#endif
