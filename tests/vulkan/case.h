/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_VULKAN_CASE_H
#define BW_TESTS_VULKAN_CASE_H

/* clang-format off */
/* Arguments of a shader of the corpus. They are in the shader's source, in lines that start
 * with "//!", one statement a line:
 *
 *     buffer [SET.]BINDING[.ELEMENT] TYPE COUNT INIT [WORD...]
 *         TYPE   u8 u16 u32 u64 i8 i16 i32 i64 f16 f32 f64
 *         INIT   zeros | iota | fill V | random SEED | range LOW HIGH SEED
 *         WORD   uniform              a uniform buffer (else a storage buffer)
 *                texel FORMAT         a storage texel buffer
 *                sampledtexel FORMAT  a uniform texel buffer
 *                bytes N              bind only the first N bytes
 *                ulp N                floats may be N units in the last place apart
 *                abs X                ... or X apart in value
 *                sorted               compare the elements sorted (their order is not determined)
 *                input                not compared
 *     image [SET.]BINDING[.ELEMENT] VIEW FORMAT W H D INIT [WORD...]
 *         VIEW   1d 2d 3d 1darray 2darray cube cubearray; D is the depth or the number of layers
 *         WORD   sampled              with a sampler (else a storage image)
 *                mips N               N levels; each is filled in turn
 *                linear nearest mipnearest miplinear repeat mirror clamp border compare
 *                unnormalized aniso
 *                ulp N, abs X, input as above
 *     push TYPE VALUE...              appended to the push constants
 *     address BINDING                 the 64-bit address of a buffer, appended to the push constants
 *     spec ID TYPE VALUE              a specialization constant
 *     dispatch X Y Z                  may stand several times; a full barrier between
 *     indirect X Y Z                  the same, sizes read from a buffer
 *     subgroup                        ask for the subgroup size of this run (vkrun --wave)
 *     robust                          robustBufferAccess
 *     needs WORD...                   features without which the case is skipped (case.c has the words)
 *     wants WORD...                   the same, but the REFERENCE form of the shader does without */
/* clang-format on */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CASE_MAX_ITEMS = 32, CASE_MAX_DISPATCHES = 8, CASE_MAX_SPECS = 16, CASE_PUSH_BYTES = 128 };

enum case_init { CASE_ZEROS, CASE_IOTA, CASE_FILL, CASE_RANDOM, CASE_RANGE };

enum case_kind {
	CASE_STORAGE_BUFFER,
	CASE_UNIFORM_BUFFER,
	CASE_STORAGE_TEXEL,
	CASE_UNIFORM_TEXEL,
	CASE_STORAGE_IMAGE,
	CASE_SAMPLED_IMAGE,
};

/* One letter for the kind of number and its bytes: {'f', 4} is f32. */
struct case_type {
	char kind; /* u i f */
	unsigned size_b;
};

struct case_format {
	const char *name;
	int vk; /* VkFormat */
	unsigned n_components;
	struct case_type type;
	unsigned size_b; /* of a texel: packed formats have fewer bytes than their components say */
};

struct case_item {
	enum case_kind kind;
	unsigned set, binding, element;
	struct case_type type;
	uint32_t count; /* elements of a buffer */
	uint32_t bound_b;
	enum case_init init;
	double low, high; /* low: also the value of CASE_FILL */
	uint64_t seed;
	const struct case_format *format; /* texel buffers and images */
	/* images */
	int view; /* VkImageViewType */
	uint32_t width, height, depth, mips;
	bool filter_linear, mip_linear, compare, unnormalized, aniso;
	int address_mode; /* VkSamplerAddressMode */
	/* comparison */
	bool input, sorted;
	unsigned ulp;
	double abs;
};

struct case_dispatch {
	uint32_t size[3];
	bool indirect;
};

struct case_spec {
	uint32_t id, size_b;
	uint64_t value;
};

struct test_case {
	char name[64]; /* the file's name without folder and suffix */
	struct case_item items[CASE_MAX_ITEMS];
	unsigned n_items;
	struct case_dispatch dispatches[CASE_MAX_DISPATCHES];
	unsigned n_dispatches;
	struct case_spec specs[CASE_MAX_SPECS];
	unsigned n_specs;
	uint8_t push[CASE_PUSH_BYTES];
	unsigned n_push_b;
	/* push constants that are addresses of buffers: offset and item's binding in set 0 */
	struct {
		unsigned offset_b, binding;
	} addresses[8];
	unsigned n_addresses;
	bool subgroup; /* ask for the run's subgroup size */
	bool robust;
	uint64_t needs, wants; /* bits: index in case_feature_names */
};

extern const char *const case_feature_names[];
extern const unsigned case_n_features;

struct bw_error *case_read(const char *path, struct test_case *out_case);
/* Bytes of a buffer, or of all levels and layers of an image, level by level. */
size_t case_item_bytes(const struct case_item *item);
void case_item_fill(const struct case_item *item, void *data);
uint32_t case_level(uint32_t size, unsigned level);

#endif
