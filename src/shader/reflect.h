/* SPDX-License-Identifier: MIT */
#ifndef BW_SHADER_REFLECT_H
#define BW_SHADER_REFLECT_H

/* The interface of a compute shader in SPIR-V to its host: buffers, push constants, specialization
 * constants, images and samplers, the size of its workgroups, each with its name in the source.
 * Read by SPIRV-Cross. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "launch/value.h"

/* Numbers in a block: a scalar, vector or matrix, or an array of one of these. */
struct bw_shader_member {
	char *name;	 /* owned */
	bool is_plain;	 /* else a struct, or an array of arrays: given by its bytes */
	bool is_runtime; /* an array whose length is that of its buffer */
	enum bw_scalar type;
	unsigned rows, columns; /* of a matrix; a vector has 1 column, a scalar 1 row as well */
	bool row_major;
	uint64_t count; /* elements of the array; 1: no array, 0: is_runtime */
	uint32_t offset_b, array_stride_b, matrix_stride_b;
};

enum bw_shader_block_kind {
	BW_SHADER_STORAGE,
	BW_SHADER_UNIFORM,
	BW_SHADER_PUSH, /* has no set and no binding */
};
struct bw_shader_block {
	enum bw_shader_block_kind kind;
	char *name;	   /* owned: of the variable; of the block where that has none */
	char *type_name;   /* owned: of the block, "" if it has none */
	bool is_anonymous; /* the source names its members without the block's name */
	unsigned set, binding;
	unsigned element,
		elements; /* of an array of buffers: "bufs[1]", one of so many; else 0, 1 */
	uint32_t fixed_b; /* without a runtime array */
	struct BW_VEC(struct bw_shader_member) members;
};

enum bw_shader_image_kind {
	BW_SHADER_STORAGE_IMAGE,
	BW_SHADER_SAMPLED_IMAGE,  /* with its sampler, or for texelFetch alone */
	BW_SHADER_SEPARATE_IMAGE, /* its sampler is another variable */
	BW_SHADER_SAMPLER,	  /* has no texels */
	BW_SHADER_STORAGE_TEXELS, /* a buffer of texels: imageBuffer */
	BW_SHADER_UNIFORM_TEXELS, /* samplerBuffer, textureBuffer */
};
enum bw_shader_dim { BW_SHADER_1D, BW_SHADER_2D, BW_SHADER_3D, BW_SHADER_CUBE };
struct bw_shader_image {
	enum bw_shader_image_kind kind;
	char *name; /* owned */
	unsigned set, binding;
	unsigned element, elements; /* as in a block */
	enum bw_shader_dim dim;	    /* texel buffers: BW_SHADER_1D */
	bool is_array;		    /* of layers; of cubes */
	uint32_t format;	    /* SpvImageFormat; 0: the source does not say */
	enum bw_scalar type;	    /* of a component as the shader sees it: F32, I32, U32 */
};

struct bw_shader_constant {
	char *name; /* owned, "" if it has none */
	uint32_t id;
	bool is_bool; /* 32 bits for the host */
	enum bw_scalar type;
};

struct bw_shader {
	uint32_t *words; /* owned */
	size_t n_words;
	char *entry;	       /* owned: the entry point's name */
	uint32_t group[3];     /* work-items of a workgroup */
	int group_constant[3]; /* index of the constant that sets it instead; -1: none */
	struct BW_VEC(struct bw_shader_block) blocks;
	struct BW_VEC(struct bw_shader_image) images;
	struct BW_VEC(struct bw_shader_constant) constants;
};

/* entry: NULL for the only compute shader of the module. Fails where the shader uses what
 * cannot be given to it here: acceleration structures, images with several samples.
 * The message does not name the file. */
struct bw_error *bw_shader_load(const char *path, const char *entry,
				struct bw_shader **out) BW_MUST_CHECK;
/* Like bw_shader_load, for a module in memory, which is copied. */
struct bw_error *bw_shader_read(const uint32_t *words, size_t n_words, const char *entry,
				struct bw_shader **out) BW_MUST_CHECK;
void bw_shader_free(struct bw_shader *s);

#endif
