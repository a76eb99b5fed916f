/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_VULKAN_VK_PLAN_H
#define BW_AGENT_VULKAN_VK_PLAN_H

/* A shader that is about to be made, in a pipeline or alone: what it is, and the SPIR-V that takes
 * the place of its own. Shared by vk_shaders.c (compute) and vk_graphics.c. */

#include "agent/shaders/shaders.h"
#include "agent/vulkan/vk_layer.h"
#include "wire/agent_proto.h"

/* The facts about a module that its pipelines need later, when it may be destroyed. */
struct bw_vk_module {
	uint64_t hash;
	uint32_t local_size[3];
	struct bw_spirv_copy *spirv; /* a reference, in the table and in what it returns */
	char file[64];		     /* of its source, without folders; "": not known */
};
struct bw_vk_layout {
	uint32_t push_b;
	uint16_t sets[8]; /* descriptors in each */
	uint64_t hashes[8];
	const struct bw_vk_places *places[8];
	const struct bw_bindings *bindings[8];
};
/* A shader that the program has made, by whichever call. */
struct bw_vk_made {
	uint64_t handle, module; /* module 0: it had none of its own */
	const char *entry, *name;
	const VkSpecializationInfo *constants;
	enum bw_agent_stage stage;
};

/* A shader that is about to be made, and the SPIR-V that takes the place of its own: a rule's, or
 * its own with notes. */
struct bw_vk_plan {
	struct bw_vk_made made;
	struct bw_vk_module m; /* as the program gave it; with a reference of its own */
	struct bw_vk_layout l;
	int rule;	       /* -1: none */
	const uint32_t *other; /* NULL: its own stays */
	size_t other_b;
	struct bw_spirv_words noted;  /* owned: other, where it is not a rule's */
	const char *refusal;	      /* why that cannot take the place; NULL: it can */
	VkShaderModule module;	      /* of the other, until the pipeline is made */
	VkShaderModuleCreateInfo own; /* where the program has its SPIR-V in line */
};

/* The shader of a pipeline's stage. To be freed. */
void bw_vk_plan_stage(const VkPipelineShaderStageCreateInfo *info, VkPipelineLayout layout,
		      const char *name, enum bw_agent_stage stage, struct bw_vk_plan *out);
/* Gives the stage the other SPIR-V. False: the driver does not take it. */
bool bw_vk_plan_replace(VkDevice device, struct bw_vk_plan *plan,
			VkPipelineShaderStageCreateInfo *stage);
/* The shader has been made. Notes what it is, with what takes its place; returns its id. */
uint32_t bw_vk_plan_add(const struct bw_vk_plan *plan, uint64_t handle);
void bw_vk_plan_free(VkDevice device, struct bw_vk_plan *plan);
/* Adds the flag with which the driver keeps what it knows of a shader's code. next, flags: of the
 * pipeline's create info; room: for a structure that takes the place of one of its chain. */
void bw_vk_plan_flags(const void **next, VkPipelineCreateFlags *flags,
		      BwPipelineCreateFlags2CreateInfo *room);
/* The name that a chain gives the object; NULL: none. */
const char *bw_vk_inline_name(const void *next);

#endif
