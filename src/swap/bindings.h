/* SPDX-License-Identifier: MIT */
#ifndef BW_SWAP_BINDINGS_H
#define BW_SWAP_BINDINGS_H

/* The descriptors that SPIR-V uses. Pure. */

#include "base/error.h"
#include "base/vec.h"

/* A descriptor that a variable is. types: which it can be, a bit for each VkDescriptorType up to
 * 10, and BW_SWAP_INLINE_BLOCK; 0: nothing uses the variable, or its kind is not known. */
struct bw_swap_binding {
	uint32_t set, binding, types;
};
struct bw_swap_bindings BW_VEC(struct bw_swap_binding);

#define BW_SWAP_INLINE_BLOCK (1u << 31) /* VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK */

/* Each set of values once. Bytes that are not SPIR-V have none. */
struct bw_error *bw_swap_bindings(const uint32_t *code, size_t size_b,
				  struct bw_swap_bindings *out) BW_MUST_CHECK;
/* The bit of a VkDescriptorType; 0: it has none. */
uint32_t bw_swap_type_bit(uint32_t vk_type);
/* "a storage buffer"; what the lowest bit is. */
const char *bw_swap_types_name(uint32_t types);

#endif
