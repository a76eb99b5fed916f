/* SPDX-License-Identifier: MIT */
#ifndef BW_SHADER_PLAN_H
#define BW_SHADER_PLAN_H

/* A checked launch of a shader: its options, matched with the names of its source, before any GPU
 * is touched. Pure, but for file: values, which read a file.
 *
 * --arg NAME=VALUE, where NAME is a buffer or push-constant block (its bytes from the start on), a
 * member of one ("params.n"; the member alone where only one has that name; of a struct its
 * bytes), or a specialization constant. A block with one member is given by the block's name as
 * well. Images, texel buffers and samplers: shader/texels.h. */

#include "launch/options.h"
#include "shader/reflect.h"
#include "shader/texels.h"

/* The bytes of a block, as the shader lays them out. */
struct bw_shader_bytes {
	uint8_t *data; /* owned */
	size_t size_b;
};

/* Elements of a block to show or to write: of one member (NULL: its bytes as `type`); or the
 * texels of an image. */
struct bw_shader_view {
	bool is_image;
	size_t image; /* is_image; else block */
	size_t block;
	const struct bw_shader_member *member;
	enum bw_scalar type;
	uint64_t count;	  /* --print: how many numbers at most; 0: all */
	const char *name; /* as the user gave it; borrowed from the options */
	const char *path; /* --dump, else NULL; borrowed from the options */
};

struct bw_shader_plan {
	const struct bw_shader *shader; /* borrowed */
	uint32_t group[3], groups[3];
	struct bw_shader_bytes *bytes;	 /* one for each block; owned */
	struct bw_shader_texels *texels; /* one for each image; owned */
	bool *image_given;		 /* one for each image; owned */
	struct bw_arg_value *constants;	 /* one for each constant, data NULL: not given; owned */
	struct BW_VEC(struct bw_shader_view) prints, dumps;
};

/* shader and options must outlive the plan. */
struct bw_error *bw_shader_plan_make(const struct bw_shader *shader,
				     const struct bw_launch_options *options,
				     struct bw_shader_plan **out) BW_MUST_CHECK;
void bw_shader_plan_free(struct bw_shader_plan *plan);

/* For a block, not an image: the count of numbers that a view has in a block of size_b bytes, and
 * the offset of number i. */
uint64_t bw_shader_view_count(const struct bw_shader_view *v, size_t size_b);
uint64_t bw_shader_view_offset(const struct bw_shader_view *v, uint64_t i);

#endif
