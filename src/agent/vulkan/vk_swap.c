/* SPDX-License-Identifier: MIT */
#include "agent/vulkan/vk_swap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/names/handles.h"
#include "agent/names/names_priv.h"
#include "agent/shaders/shader_rules.h"
#include "agent/shaders/shaders.h"
#include "base/util.h"

#define HANDLE(h) BW_VK_HANDLE(h)

/* The inputs that a pipeline was made from; owned by the table that has it. */
struct kept {
	VkComputePipelineCreateInfo info; /* its pointers point into this struct */
	VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup;
	VkSpecializationInfo constants;
	char *entry;
	struct bw_agent_object object;
	VkPipeline other; /* that is bound instead; VK_NULL_HANDLE: none */
};
static struct bw_handles kept = BW_HANDLES_INIT(struct kept *);

int bw_vk_swap_rule(const struct bw_agent_object *o)
{
	return bw_agent_shader_rule(BW_SWAP_SPIRV, o);
}

const uint32_t *bw_vk_swap_code(int rule, size_t *out_size_b)
{
	const struct bw_swap_rules *r = bw_agent_shader_rules();
	struct bw_swap_bytes b = r->rules.data[rule].spirv;
	*out_size_b = b.size_b;
	return bw_swap_rules_at(r, b);
}

const char *bw_vk_swap_entry(int rule, const char *wanted)
{
	size_t size_b;
	const uint32_t *code = bw_vk_swap_code(rule, &size_b);
	const char *entry = bw_swap_entry(code, size_b, wanted);
	return entry ? entry : wanted;
}

VkShaderModule bw_vk_swap_module(VkDevice device, const uint32_t *code, size_t size_b)
{
	const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
					       .codeSize = size_b,
					       .pCode = code};
	VkShaderModule module = VK_NULL_HANDLE;
	if (bw_vk_device_of(device)->CreateShaderModule(device, &info, NULL, &module) != VK_SUCCESS)
		return VK_NULL_HANDLE;
	return module;
}

void bw_vk_swap_save(uint64_t hash, const void *code, size_t size_b)
{
	const struct bw_swap_rules *r = bw_agent_shader_rules();
	char name[32];
	if (!r || !r->saves || !hash || size_b > BW_SWAP_FILE_MAX_B)
		return;
	snprintf(name, sizeof(name), "%016" PRIx64 ".spv", hash);
	bw_agent_shader_save(name, code, size_b);
}

/* ---- Names that come later ---- */

static void *copy_of(const void *bytes, size_t size_b)
{
	void *copy = malloc(size_b ? size_b : 1);
	if (copy && size_b)
		memcpy(copy, bytes, size_b);
	return copy;
}

static void free_kept(struct kept *k)
{
	if (!k)
		return;
	free((void *)(uintptr_t)k->constants.pMapEntries);
	free((void *)(uintptr_t)k->constants.pData);
	free(k->entry);
	free(k);
}

static bool copy_constants(struct kept *k, const VkSpecializationInfo *s)
{
	if (!s)
		return true;
	k->constants = *s;
	k->constants.pMapEntries =
		copy_of(s->pMapEntries, s->mapEntryCount * sizeof(*s->pMapEntries));
	k->constants.pData = copy_of(s->pData, s->dataSize);
	k->info.stage.pSpecializationInfo = &k->constants;
	return k->constants.pMapEntries && k->constants.pData;
}

static void copy_subgroup(struct kept *k, const void *next)
{
	const VkBaseInStructure *s = next;
	while (s &&
	       s->sType !=
		       VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO)
		s = s->pNext;
	if (!s)
		return;
	memcpy(&k->subgroup, s, sizeof(k->subgroup));
	k->subgroup.pNext = NULL;
	k->info.stage.pNext = &k->subgroup;
}

void bw_vk_swap_keep(VkPipeline pipeline, const VkComputePipelineCreateInfo *info,
		     const struct bw_agent_object *o)
{
	struct kept *k = bw_agent_shader_rules() ? calloc(1, sizeof(*k)) : NULL;
	if (!k)
		return;
	k->info = (VkComputePipelineCreateInfo){
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		/* no derivatives: the base may be gone */
		.flags = info->flags & ~(VkPipelineCreateFlags)VK_PIPELINE_CREATE_DERIVATIVE_BIT,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .flags = info->stage.flags,
			  .stage = info->stage.stage},
		.layout = info->layout};
	k->object = *o;
	k->entry = strdup(info->stage.pName);
	k->info.stage.pName = k->entry;
	copy_subgroup(k, info->stage.pNext);
	if (!k->entry || !copy_constants(k, info->stage.pSpecializationInfo)) {
		free_kept(k);
		return;
	}
	bw_handles_put(&kept, HANDLE(pipeline), &k);
}

/* The second pipeline, of the rule's SPIR-V. */
static VkResult make_other(VkDevice device, struct kept *k, int rule)
{
	const struct bw_vk_device *d = bw_vk_device_of(device);
	VkComputePipelineCreateInfo info = k->info;
	size_t size_b;
	const uint32_t *code = bw_vk_swap_code(rule, &size_b);
	info.stage.module = bw_vk_swap_module(device, code, size_b);
	info.stage.pName = bw_vk_swap_entry(rule, k->entry);
	if (!info.stage.module)
		return VK_ERROR_INITIALIZATION_FAILED;
	VkResult r = d->CreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &k->other);
	d->DestroyShaderModule(device, info.stage.module, NULL);
	return r;
}

void bw_vk_swap_named(VkDevice device, VkPipeline pipeline, const char *name,
		      bool (*layout_lives)(VkPipelineLayout layout))
{
	struct kept *k = NULL;
	if (!bw_agent_shader_rules() || !name || !*name ||
	    !bw_handles_get(&kept, HANDLE(pipeline), &k))
		return;
	memset(k->object.name, 0, sizeof(k->object.name));
	memcpy(k->object.name, name, strnlen(name, sizeof(k->object.name) - 1));
	bw_agent_shader_say(BW_SWAP_CREATED, -1, &k->object, NULL);
	int rule = k->other ? -1 : bw_vk_swap_rule(&k->object);
	if (rule < 0)
		return;
	if (!layout_lives(k->info.layout)) {
		bw_agent_shader_say(BW_SWAP_REFUSED, rule, &k->object,
				    "its layout was gone when it got its name: use its hash");
		return;
	}
	if (make_other(device, k, rule) < 0 || !k->other) {
		bw_agent_shader_say(BW_SWAP_REFUSED, rule, &k->object,
				    "the driver makes no pipeline of it");
		return;
	}
	/* the debugger's source information does not hold any more */
	bw_shaders_remove(HANDLE(pipeline));
	bw_agent_shader_say(BW_SWAP_REPLACED, rule, &k->object, NULL);
}

VkPipeline bw_vk_swap_of(VkPipeline pipeline)
{
	struct kept *k = NULL;
	if (!bw_agent_shader_rules() || !bw_handles_get(&kept, HANDLE(pipeline), &k) || !k->other)
		return pipeline;
	return k->other;
}

void bw_vk_swap_drop(VkDevice device, VkPipeline pipeline)
{
	struct kept *k = NULL;
	if (!bw_agent_shader_rules() || !bw_handles_get(&kept, HANDLE(pipeline), &k))
		return;
	bw_handles_drop(&kept, HANDLE(pipeline));
	if (k->other)
		bw_vk_device_of(device)->DestroyPipeline(device, k->other, NULL);
	free_kept(k);
}
