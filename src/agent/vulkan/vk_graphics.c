/* SPDX-License-Identifier: MIT */
/* Graphics pipelines: their shaders are objects of their own, with names, sources and, where the
 * debugger wants them, notes (-O0), like compute shaders. */
#include <stdlib.h>

#include "agent/names/names_priv.h"
#include "agent/vulkan/vk_plan.h"
#include "agent/vulkan/vk_record.h"
#include "base/cleanup.h"
#include "base/util.h"

#define HANDLE(h) BW_VK_HANDLE(h)
#define RESULT VKAPI_ATTR VkResult VKAPI_CALL

/* A pipeline that is to be made. All owned. */
struct with_stages {
	VkPipelineShaderStageCreateInfo *stages;
	struct bw_vk_plan *plans; /* of those whose waves the debugger knows */
};

struct with_changes {
	struct with_stages *of;
	VkGraphicsPipelineCreateInfo *infos;
	BwPipelineCreateFlags2CreateInfo *flags;
	bool has_other; /* SPIR-V in place of the program's */
};

static enum bw_agent_stage stage_of(VkShaderStageFlagBits bit)
{
	switch ((uint32_t)bit) {
	case VK_SHADER_STAGE_VERTEX_BIT:
		return BW_AGENT_VERTEX;
	case VK_SHADER_STAGE_FRAGMENT_BIT:
		return BW_AGENT_PIXEL;
	case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
		return BW_AGENT_CONTROL;
	case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
		return BW_AGENT_EVALUATION;
	case VK_SHADER_STAGE_GEOMETRY_BIT:
		return BW_AGENT_GEOMETRY;
	case VK_SHADER_STAGE_MESH_BIT_EXT:
		return BW_AGENT_MESH;
	case VK_SHADER_STAGE_TASK_BIT_EXT:
		return BW_AGENT_TASK;
	default:
		return BW_AGENT_COMPUTE;
	}
}

/* False: no memory. */
static bool plan_stages(VkDevice device, VkGraphicsPipelineCreateInfo *info,
			struct with_stages *out, bool *has_other)
{
	const uint32_t n = info->pStages ? info->stageCount : 0;
	const char *name = bw_vk_inline_name(info->pNext);
	out->stages = calloc(n ? n : 1, sizeof(*out->stages));
	out->plans = calloc(n ? n : 1, sizeof(*out->plans));
	if (!out->stages || !out->plans)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct bw_vk_plan *plan = &out->plans[i];
		enum bw_agent_stage stage = stage_of(info->pStages[i].stage);
		out->stages[i] = info->pStages[i];
		if (stage == BW_AGENT_COMPUTE) /* not known here */
			continue;
		bw_vk_plan_stage(&info->pStages[i], info->layout, name, stage, plan);
		if (plan->other && bw_vk_plan_replace(device, plan, &out->stages[i])) {
			*has_other = true;
		} else {
			out->stages[i] = info->pStages[i];
			plan->refusal = "the driver makes no shader module of it";
		}
	}
	info->pStages = n ? out->stages : info->pStages;
	return true;
}

static bool make_changes(VkDevice device, uint32_t n, const VkGraphicsPipelineCreateInfo *infos,
			 struct with_changes *out)
{
	out->of = calloc(n ? n : 1, sizeof(*out->of));
	out->infos = calloc(n ? n : 1, sizeof(*out->infos));
	out->flags = calloc(n ? n : 1, sizeof(*out->flags));
	if (!out->of || !out->infos || !out->flags)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		out->infos[i] = infos[i];
		if (bw_shaders_are_wanted())
			bw_vk_plan_flags(&out->infos[i].pNext, &out->infos[i].flags,
					 &out->flags[i]);
		if (!plan_stages(device, &out->infos[i], &out->of[i], &out->has_other))
			return false;
	}
	return true;
}

static void free_changes(VkDevice device, uint32_t n, const VkGraphicsPipelineCreateInfo *infos,
			 struct with_changes *c)
{
	for (uint32_t i = 0; c->of && i < n; i++) {
		for (uint32_t k = 0; c->of[i].plans && k < infos[i].stageCount; k++)
			bw_vk_plan_free(device, &c->of[i].plans[k]);
		free(c->of[i].plans);
		free(c->of[i].stages);
	}
	free(c->of);
	free(c->infos);
	free(c->flags);
}

_Static_assert((int)BW_CAPTURE_PIXEL == (int)BW_AGENT_PIXEL &&
		       (int)BW_CAPTURE_EVALUATION == (int)BW_AGENT_EVALUATION &&
		       (int)BW_CAPTURE_STAGES == (int)BW_AGENT_STAGES,
	       "stages are passed on unchanged");

static void add_stage(VkDevice device, VkPipeline pipeline,
		      const VkGraphicsPipelineCreateInfo *info, uint32_t i,
		      const struct bw_vk_plan *plan)
{
	struct bw_capture_bytes record = {0};
	uint32_t id = bw_vk_plan_add(plan, BW_NAMES_STAGE(HANDLE(pipeline), plan->made.stage));
	bw_vk_record_pipeline(
		device,
		&(struct bw_vk_recorded){.next = info->pNext,
					 .flags = info->flags,
					 .layout = info->layout,
					 .shader = &info->pStages[i],
					 .stage = (enum bw_capture_stage)plan->made.stage},
		info->pStages[i].pName, &record);
	bw_shaders_keep_record(id, &record);
}

static void add_pipeline(VkDevice device, VkPipeline pipeline,
			 const VkGraphicsPipelineCreateInfo *info, const struct with_stages *s)
{
	for (uint32_t i = 0; s->plans && info->pStages && i < info->stageCount; i++)
		if (s->plans[i].made.stage)
			add_stage(device, pipeline, info, i, &s->plans[i]);
}

RESULT bw_CreateGraphicsPipelines(VkDevice device, VkPipelineCache cache, uint32_t n,
				  const VkGraphicsPipelineCreateInfo *infos,
				  const VkAllocationCallbacks *alloc, VkPipeline *out)
{
	struct with_changes c = {0};
	const struct bw_vk_device *d = bw_vk_device_of(device);
	bool can = make_changes(device, n, infos, &c);
	VkResult r =
		d->CreateGraphicsPipelines(device, cache, n, can ? c.infos : infos, alloc, out);
	if (r < 0 && can && c.has_other) {
		for (uint32_t i = 0; i < n; i++) {
			if (out[i])
				d->DestroyPipeline(device, out[i], alloc);
			for (uint32_t k = 0; k < infos[i].stageCount; k++)
				c.of[i].plans[k].refusal = "the driver makes no pipeline of it";
		}
		r = d->CreateGraphicsPipelines(device, cache, n, infos, alloc, out);
	}
	for (uint32_t i = 0; r >= 0 && can && i < n; i++)
		if (out[i])
			add_pipeline(device, out[i], &infos[i], &c.of[i]);
	free_changes(device, n, infos, &c);
	return r;
}
