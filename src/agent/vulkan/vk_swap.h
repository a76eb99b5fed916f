/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_VULKAN_VK_SWAP_H
#define BW_AGENT_VULKAN_VK_SWAP_H

/* SPIR-V in the place of a Vulkan program's (breakwater exec --shader). A pipeline is replaced when
 * it is created where its hash, module, file or name is known by then; one that gets its name later
 * gets a second pipeline then, which is bound in its place. */

#include <stdbool.h>

#include "agent/vulkan/vk_layer.h"
#include "wire/agent_proto.h"

/* The rule with SPIR-V for a pipeline of which this much is known; -1: none. */
int bw_vk_swap_rule(const struct bw_agent_object *o);
/* The rule's SPIR-V, borrowed. */
const uint32_t *bw_vk_swap_code(int rule, size_t *out_size_b);
/* The rule's entry point in the place of `wanted`. */
const char *bw_vk_swap_entry(int rule, const char *wanted);
/* A module of SPIR-V; VK_NULL_HANDLE: the driver does not take it. */
VkShaderModule bw_vk_swap_module(VkDevice device, const uint32_t *code, size_t size_b);

/* Writes the program's SPIR-V into the folder, if it is wanted. */
void bw_vk_swap_save(uint64_t hash, const void *code, size_t size_b);

/* ---- Names that come later ---- */

/* Keeps what a pipeline was made of, where a rule may be for the name that it gets. */
void bw_vk_swap_keep(VkPipeline pipeline, const VkComputePipelineCreateInfo *info,
		     const struct bw_agent_object *o);
/* The program has given it this name. layout_lives: whether a layout has not been destroyed. */
void bw_vk_swap_named(VkDevice device, VkPipeline pipeline, const char *name,
		      bool (*layout_lives)(VkPipelineLayout layout));
/* The pipeline to bind in place of this one. */
VkPipeline bw_vk_swap_of(VkPipeline pipeline);
/* The pipeline is destroyed. */
void bw_vk_swap_drop(VkDevice device, VkPipeline pipeline);

#endif
