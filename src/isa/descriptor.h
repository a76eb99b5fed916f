/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_DESCRIPTOR_H
#define BW_ISA_DESCRIPTOR_H

/* The fields of the descriptors that memory instructions take from SGPRs, of gfx11
 * (doc/hardware/encodings.md 6; those of image_bvh*: the RDNA3 ISA guide), for base/words.h. Of
 * gfx9 (gfx942, AMD's ISA guide of CDNA3): what its buffers have otherwise.
 * Nothing here checks what values mean. */

#include <stdbool.h>
#include <stdint.h>

#include "base/words.h"

enum { BW_BUFFER_DESC_DW = 4, BW_IMAGE_DESC_DW = 8, BW_SAMPLER_DESC_DW = 4, BW_BVH_DESC_DW = 4 };

/* clang-format off */
#define BW_BUFFER_BASE               0, 48
#define BW_BUFFER_STRIDE            48, 14
#define BW_BUFFER_SWIZZLE           62,  2  /* n: elements of 2 << n bytes; 0: not swizzled */
#define BW_BUFFER_NUM_RECORDS       64, 32
#define BW_BUFFER_DST_SEL           96, 12  /* 3 bits each for X, Y, Z, W */
#define BW_BUFFER_FORMAT           108,  6
#define BW_BUFFER_INDEX_STRIDE     117,  2  /* n: groups of 8 << n elements */
#define BW_BUFFER_ADD_TID          119,  1
#define BW_BUFFER_OOB_SELECT       124,  2  /* enum bw_oob_select */
#define BW_BUFFER_TYPE             126,  2  /* 0 */

#define BW_BUFFER9_SWIZZLE          63,  1  /* elements of 4 bytes */
#define BW_BUFFER9_NUM_FORMAT      108,  3
#define BW_BUFFER9_DATA_FORMAT     111,  4  /* with ADD_TID: STRIDE 17:14 */
#define BW_BUFFER9_STRIDE_SHIFT     14

#define BW_IMAGE_BASE_256B           0, 40
#define BW_IMAGE_MAX_MIP            48,  4
#define BW_IMAGE_FORMAT             52,  8
#define BW_IMAGE_WIDTH              62, 14  /* - 1, as height and depth */
#define BW_IMAGE_HEIGHT             78, 14
#define BW_IMAGE_DST_SEL            96, 12
#define BW_IMAGE_BASE_LEVEL        108,  4
#define BW_IMAGE_LAST_LEVEL        112,  4  /* with samples: log2 of their number */
#define BW_IMAGE_SW_MODE           116,  5
#define BW_IMAGE_BC_SWIZZLE        121,  3
#define BW_IMAGE_TYPE              124,  4  /* enum bw_image_type */
#define BW_IMAGE_DEPTH             128, 13  /* of arrays: the last slice */
#define BW_IMAGE_PITCH             128, 14  /* - 1, of 1D and 2D in the place of DEPTH */
#define BW_IMAGE_BASE_ARRAY        144, 13
#define BW_IMAGE_UAV3D             160,  1  /* of ARRAY_PITCH: 3D by slices of the level */
#define BW_IMAGE_MIN_LOD_WARN      168, 12
#define BW_IMAGE_MIN_LOD           187, 12

#define BW_SAMPLER_CLAMP_X           0,  3
#define BW_SAMPLER_CLAMP_Y           3,  3
#define BW_SAMPLER_CLAMP_Z           6,  3
#define BW_SAMPLER_MAX_ANISO_RATIO   9,  3
#define BW_SAMPLER_COMPARE          12,  3
#define BW_SAMPLER_UNNORMALIZED     15,  1
#define BW_SAMPLER_FORCE_DEGAMMA    20,  1
#define BW_SAMPLER_TRUNC_COORD      27,  1
#define BW_SAMPLER_NO_CUBE_WRAP     28,  1
#define BW_SAMPLER_FILTER_MODE      29,  2
#define BW_SAMPLER_SKIP_DEGAMMA     31,  1
#define BW_SAMPLER_MIN_LOD          32, 12  /* 4.8 */
#define BW_SAMPLER_MAX_LOD          44, 12  /* 4.8 */
#define BW_SAMPLER_LOD_BIAS         64, 14  /* signed 6.8 */
#define BW_SAMPLER_LOD_BIAS_SEC     78,  6  /* signed 2.4 */
#define BW_SAMPLER_XY_MAG           84,  2
#define BW_SAMPLER_XY_MIN           86,  2
#define BW_SAMPLER_Z_FILTER         88,  2
#define BW_SAMPLER_MIP_FILTER       90,  2
#define BW_SAMPLER_BORDER_PTR      114, 12
#define BW_SAMPLER_BORDER_TYPE     126,  2

/* Fields of image_bvh*_intersect_ray descriptors. */
#define BW_BVH_BASE_256B             0, 40
#define BW_BVH_SORT_HEURISTIC       53,  2
#define BW_BVH_GROW                 55,  8
#define BW_BVH_SORT_EN              63,  1
#define BW_BVH_SIZE                 64, 42  /* number of the last node of 64 bytes */
#define BW_BVH_POINTER_FLAGS       119,  1
#define BW_BVH_TRIANGLE_RETURN     120,  1
#define BW_BVH_TYPE                124,  4  /* enum bw_image_type */
/* clang-format on */

enum bw_image_type {
	BW_IMAGE_1D = 8, /* less: no image */
	BW_IMAGE_2D,
	BW_IMAGE_3D,
	BW_IMAGE_CUBE,
	BW_IMAGE_1D_ARRAY,
	BW_IMAGE_2D_ARRAY,
	BW_IMAGE_2D_MSAA,
	BW_IMAGE_2D_MSAA_ARRAY,
	BW_IMAGE_BVH = 8, /* the only type of image_bvh* descriptors */
};

/* An address whose field has it in units of 256 bytes. */
static inline uint64_t bw_desc_256b(const uint32_t *words, unsigned lo, unsigned n_bits)
{
	return bw_canonical(bw_words_get(words, lo, n_bits) * 256);
}

/* A buffer descriptor, read. */
struct bw_buffer_desc {
	uint64_t base;
	uint32_t stride_b, n_records;
	unsigned element_b;    /* 0: not swizzled */
	unsigned index_stride; /* elements in a group of a swizzled buffer */
	unsigned oob_select;   /* enum bw_oob_select */
	bool add_tid;
};

/* The kind of range check (rules 344 to 346). BYTES: that of gfx9, NUM_RECORDS counts bytes. */
enum bw_oob_select { BW_OOB_STRUCTURED, BW_OOB_INDEX, BW_OOB_NONE, BW_OOB_RAW, BW_OOB_BYTES };

static inline struct bw_buffer_desc bw_buffer_desc_read(const uint32_t words[BW_BUFFER_DESC_DW])
{
	unsigned swizzle = (unsigned)bw_words_get(words, BW_BUFFER_SWIZZLE);
	return (struct bw_buffer_desc){
		.base = bw_words_get(words, BW_BUFFER_BASE),
		.stride_b = (uint32_t)bw_words_get(words, BW_BUFFER_STRIDE),
		.n_records = (uint32_t)bw_words_get(words, BW_BUFFER_NUM_RECORDS),
		.element_b = swizzle ? 2u << swizzle : 0,
		.index_stride = 8u << bw_words_get(words, BW_BUFFER_INDEX_STRIDE),
		.oob_select = (unsigned)bw_words_get(words, BW_BUFFER_OOB_SELECT),
		.add_tid = bw_words_get(words, BW_BUFFER_ADD_TID),
	};
}

/* A descriptor of gfx9, for an instruction with or without an index. With one, and a stride,
 * NUM_RECORDS counts elements (Mesa's si_descriptors.c, on NUM_RECORDS). */
static inline struct bw_buffer_desc bw_buffer_desc_read9(const uint32_t words[BW_BUFFER_DESC_DW],
							 bool has_index)
{
	struct bw_buffer_desc b = bw_buffer_desc_read(words);
	if (b.add_tid)
		b.stride_b |= (uint32_t)bw_words_get(words, BW_BUFFER9_DATA_FORMAT)
			      << BW_BUFFER9_STRIDE_SHIFT;
	b.element_b = bw_words_get(words, BW_BUFFER9_SWIZZLE) ? 4 : 0;
	b.oob_select = has_index && b.stride_b ? BW_OOB_INDEX : BW_OOB_BYTES;
	return b;
}

/* The offset of an element from the base of a swizzled buffer (element_b is not 0; rule 343). */
static inline uint64_t bw_buffer_desc_swizzle(const struct bw_buffer_desc *b, uint64_t index,
					      uint64_t offset)
{
	uint64_t group = index / b->index_stride, in_group = index % b->index_stride;
	uint64_t element = offset / b->element_b, in_element = offset % b->element_b;
	return (group * b->stride_b + element * b->element_b) * b->index_stride +
	       in_group * b->element_b + in_element;
}

#endif
