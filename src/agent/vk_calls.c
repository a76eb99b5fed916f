/* SPDX-License-Identifier: MIT */
/* Each function calls the next layer's function, and tells names.c what the call said. */
#include <stdlib.h>
#include <string.h>

#include "agent/handles.h"
#include "agent/names_priv.h"
#include "agent/sha1.h"
#include "agent/vk_layer.h"
#include "base/util.h"

/* A handle that is no pointer is a number on every platform. */
#define HANDLE(h) ((uint64_t)(uintptr_t)(h))
#define CALL VKAPI_ATTR void VKAPI_CALL
#define RESULT VKAPI_ATTR VkResult VKAPI_CALL

/* ---- Memory, buffers, images ---- */

/* Where a piece of memory lies is what the driver maps while it is allocated. */
static struct bw_handles memories = BW_HANDLES_INIT(uint64_t);

static RESULT bw_AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
				const VkAllocationCallbacks *alloc, VkDeviceMemory *out)
{
	bw_names_map_begin();
	VkResult r = bw_vk_device_of(device)->AllocateMemory(device, info, alloc, out);
	uint64_t va = bw_names_map_end();
	if (r == VK_SUCCESS && va)
		bw_handles_put(&memories, HANDLE(*out), &va);
	return r;
}

static CALL bw_FreeMemory(VkDevice device, VkDeviceMemory memory,
			  const VkAllocationCallbacks *alloc)
{
	bw_handles_drop(&memories, HANDLE(memory));
	bw_vk_device_of(device)->FreeMemory(device, memory, alloc);
}

static void place(uint32_t kind, uint64_t object, VkDeviceMemory memory, VkDeviceSize offset,
		  uint64_t size_b)
{
	uint64_t va;
	bool known = bw_handles_get(&memories, HANDLE(memory), &va);
	bw_names_place(kind, object, known ? va + offset : 0, size_b);
}

static RESULT bw_CreateBuffer(VkDevice device, const VkBufferCreateInfo *info,
			      const VkAllocationCallbacks *alloc, VkBuffer *out)
{
	VkResult r = bw_vk_device_of(device)->CreateBuffer(device, info, alloc, out);
	if (r == VK_SUCCESS) {
		struct bw_agent_object o = {.kind = BW_AGENT_OBJECT_BUFFER,
					    .handle = HANDLE(*out),
					    .size_b = info->size,
					    .flags = info->usage};
		bw_names_add(&o);
	}
	return r;
}

static CALL bw_DestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks *alloc)
{
	bw_names_remove(BW_AGENT_OBJECT_BUFFER, HANDLE(buffer));
	bw_vk_device_of(device)->DestroyBuffer(device, buffer, alloc);
}

static RESULT bw_BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
				  VkDeviceSize offset)
{
	place(BW_AGENT_OBJECT_BUFFER, HANDLE(buffer), memory, offset, 0);
	return bw_vk_device_of(device)->BindBufferMemory(device, buffer, memory, offset);
}

static RESULT bw_BindBufferMemory2(VkDevice device, uint32_t n, const VkBindBufferMemoryInfo *infos)
{
	for (uint32_t i = 0; i < n; i++)
		place(BW_AGENT_OBJECT_BUFFER, HANDLE(infos[i].buffer), infos[i].memory,
		      infos[i].memoryOffset, 0);
	return bw_vk_device_of(device)->BindBufferMemory2(device, n, infos);
}

static RESULT bw_CreateImage(VkDevice device, const VkImageCreateInfo *info,
			     const VkAllocationCallbacks *alloc, VkImage *out)
{
	VkResult r = bw_vk_device_of(device)->CreateImage(device, info, alloc, out);
	if (r == VK_SUCCESS) {
		const VkExtent3D *e = &info->extent;
		struct bw_agent_object o = {
			.kind = BW_AGENT_OBJECT_IMAGE,
			.handle = HANDLE(*out),
			.dim = {e->width, e->height, BW_MAX(e->depth, info->arrayLayers)},
			.format = info->format,
			.flags = info->usage};
		bw_names_add(&o);
	}
	return r;
}

static CALL bw_DestroyImage(VkDevice device, VkImage image, const VkAllocationCallbacks *alloc)
{
	bw_names_remove(BW_AGENT_OBJECT_IMAGE, HANDLE(image));
	bw_vk_device_of(device)->DestroyImage(device, image, alloc);
}

static void place_image(VkDevice device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset)
{
	VkMemoryRequirements need = {0};
	bw_vk_device_of(device)->GetImageMemoryRequirements(device, image, &need);
	place(BW_AGENT_OBJECT_IMAGE, HANDLE(image), memory, offset, need.size);
}

static RESULT bw_BindImageMemory(VkDevice device, VkImage image, VkDeviceMemory memory,
				 VkDeviceSize offset)
{
	VkResult r = bw_vk_device_of(device)->BindImageMemory(device, image, memory, offset);
	if (r == VK_SUCCESS)
		place_image(device, image, memory, offset);
	return r;
}

static RESULT bw_BindImageMemory2(VkDevice device, uint32_t n, const VkBindImageMemoryInfo *infos)
{
	VkResult r = bw_vk_device_of(device)->BindImageMemory2(device, n, infos);
	/* an image of several planes or of a swapchain has no one place */
	for (uint32_t i = 0; r == VK_SUCCESS && i < n; i++)
		if (infos[i].memory && !infos[i].pNext)
			place_image(device, infos[i].image, infos[i].memory, infos[i].memoryOffset);
	return r;
}

/* ---- Shaders and pipelines ---- */

/* The facts about a module that its pipelines need later, when it may be destroyed. */
struct module {
	uint64_t hash;
	uint32_t local_size[3];
};
struct layout {
	uint32_t push_b;
	uint16_t sets[8]; /* descriptors in each */
};
static struct bw_handles modules = BW_HANDLES_INIT(struct module);
static struct bw_handles layouts = BW_HANDLES_INIT(struct layout);
static struct bw_handles set_layouts = BW_HANDLES_INIT(uint16_t);

/* LocalSize of the entry point, where it is a plain number (SPIR-V 1.6, 3.42.6: OpEntryPoint 15,
 * OpExecutionMode 16, mode LocalSize 17; model GLCompute 5). A size that specialisation may change
 * stays 0: a constant decorated as WorkgroupSize (OpDecorate 71, BuiltIn 11, WorkgroupSize 25) in a
 * module with specialisation constants (48 to 52). */
static void find_local_size(const uint32_t *code, size_t n, const char *entry, uint32_t out[3])
{
	enum {
		OP_ENTRY = 15,
		OP_MODE = 16,
		OP_SPEC_FIRST = 48,
		OP_SPEC_LAST = 52,
		OP_FUNCTION = 54,
		OP_CONSTANT = 43,
		OP_DECORATE = 71,
		OP_MODE_ID = 331, /* LocalSizeId 38: as SPIR-V 1.6 says it */
		HEADER = 5
	};
	uint32_t id = 0, size_ids[3] = {0};
	bool decorated = false;
	memset(out, 0, 3 * sizeof(*out));
	for (size_t at = HEADER; at < n;) {
		uint32_t words = code[at] >> 16, op = code[at] & 0xffff;
		const uint32_t *w = &code[at];
		if (!words || words > n - at || op == OP_FUNCTION)
			return;
		if (op == OP_ENTRY && words > 3 && w[1] == 5 &&
		    (!entry || !strncmp((const char *)&w[3], entry, (words - 3) * 4)))
			id = w[2];
		else if (op == OP_MODE && words >= 6 && w[1] == id && w[2] == 17)
			memcpy(out, &w[3], 3 * sizeof(*out));
		else if (op == OP_MODE_ID && words >= 6 && w[1] == id && w[2] == 38)
			memcpy(size_ids, &w[3], sizeof(size_ids));
		else if (op == OP_CONSTANT && words == 4)
			for (int i = 0; i < 3; i++)
				out[i] = size_ids[i] && size_ids[i] == w[2] ? w[3] : out[i];
		else if (op == OP_DECORATE && words >= 4 && w[2] == 11 && w[3] == 25)
			decorated = true;
		else if (op >= OP_SPEC_FIRST && op <= OP_SPEC_LAST && decorated)
			memset(out, 0, 3 * sizeof(*out));
		at += words;
	}
}

static struct module describe(const uint32_t *code, size_t size_b)
{
	struct module m = {.hash = bw_sha1_64(code, size_b)};
	find_local_size(code, size_b / 4, NULL, m.local_size);
	return m;
}

static RESULT bw_CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo *info,
				    const VkAllocationCallbacks *alloc, VkShaderModule *out)
{
	VkResult r = bw_vk_device_of(device)->CreateShaderModule(device, info, alloc, out);
	if (r != VK_SUCCESS)
		return r;
	struct module m = describe(info->pCode, info->codeSize);
	bw_names_set_name(0, HANDLE(*out), "");
	bw_handles_put(&modules, HANDLE(*out), &m);
	return r;
}

static CALL bw_DestroyShaderModule(VkDevice device, VkShaderModule module,
				   const VkAllocationCallbacks *alloc)
{
	bw_handles_drop(&modules, HANDLE(module));
	bw_vk_device_of(device)->DestroyShaderModule(device, module, alloc);
}

/* Dynamic buffers lie elsewhere: they are not counted. */
static RESULT bw_CreateDescriptorSetLayout(VkDevice device,
					   const VkDescriptorSetLayoutCreateInfo *info,
					   const VkAllocationCallbacks *alloc,
					   VkDescriptorSetLayout *out)
{
	VkResult r = bw_vk_device_of(device)->CreateDescriptorSetLayout(device, info, alloc, out);
	if (r != VK_SUCCESS)
		return r;
	uint32_t n = 0;
	for (uint32_t i = 0; i < info->bindingCount; i++) {
		const VkDescriptorSetLayoutBinding *b = &info->pBindings[i];
		if (b->descriptorType != VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC &&
		    b->descriptorType != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC &&
		    b->descriptorType != VK_DESCRIPTOR_TYPE_SAMPLER)
			n += b->descriptorCount;
	}
	uint16_t known = (uint16_t)BW_MIN(n, (uint32_t)UINT16_MAX);
	bw_handles_put(&set_layouts, HANDLE(*out), &known);
	return r;
}

static struct layout layout_of(uint32_t n_sets, const VkDescriptorSetLayout *sets,
			       uint32_t n_ranges, const VkPushConstantRange *ranges)
{
	struct layout l = {0};
	for (uint32_t i = 0; i < n_ranges; i++)
		l.push_b = BW_MAX(l.push_b, ranges[i].offset + ranges[i].size);
	for (uint32_t i = 0; i < n_sets && i < BW_ARRAY_SIZE(l.sets); i++)
		bw_handles_get(&set_layouts, HANDLE(sets[i]), &l.sets[i]);
	return l;
}

static RESULT bw_CreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo *info,
				      const VkAllocationCallbacks *alloc, VkPipelineLayout *out)
{
	VkResult r = bw_vk_device_of(device)->CreatePipelineLayout(device, info, alloc, out);
	if (r != VK_SUCCESS)
		return r;
	struct layout l = layout_of(info->setLayoutCount, info->pSetLayouts,
				    info->pushConstantRangeCount, info->pPushConstantRanges);
	bw_handles_put(&layouts, HANDLE(*out), &l);
	return r;
}

static const VkShaderModuleCreateInfo *inline_module(const void *next)
{
	const VkBaseInStructure *s = next;
	while (s && s->sType != VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)
		s = s->pNext;
	return (const VkShaderModuleCreateInfo *)s;
}

static const char *inline_name(const void *next)
{
	const VkBaseInStructure *s = next;
	while (s && s->sType != VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT)
		s = s->pNext;
	return s ? ((const VkDebugUtilsObjectNameInfoEXT *)s)->pObjectName : NULL;
}

static void add_shader(uint64_t handle, const struct module *m, const struct layout *l,
		       const char *entry, const char *name, uint64_t module)
{
	struct bw_agent_object o = {.kind = BW_AGENT_OBJECT_PIPELINE,
				    .handle = handle,
				    .push_b = l->push_b,
				    .hash = m->hash};
	memcpy(o.sets, l->sets, sizeof(o.sets));
	memcpy(o.dim, m->local_size, sizeof(o.dim));
	/* the bytes of text that fit; the rest is zero already */
	memcpy(o.entry, entry, strnlen(entry, sizeof(o.entry) - 1));
	if (name)
		memcpy(o.name, name, strnlen(name, sizeof(o.name) - 1));
	if (module)
		bw_names_other_name(module, o.module);
	bw_names_add(&o);
}

static void add_pipeline(const VkComputePipelineCreateInfo *info, VkPipeline pipeline)
{
	const VkShaderModuleCreateInfo *own = inline_module(info->stage.pNext);
	struct module m = {0};
	struct layout l = {0};
	if (own)
		m = describe(own->pCode, own->codeSize);
	else
		bw_handles_get(&modules, HANDLE(info->stage.module), &m);
	bw_handles_get(&layouts, HANDLE(info->layout), &l);
	add_shader(HANDLE(pipeline), &m, &l, info->stage.pName, inline_name(info->pNext),
		   HANDLE(info->stage.module));
}

static RESULT bw_CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t n,
					const VkComputePipelineCreateInfo *infos,
					const VkAllocationCallbacks *alloc, VkPipeline *out)
{
	VkResult r = bw_vk_device_of(device)->CreateComputePipelines(device, cache, n, infos, alloc,
								     out);
	for (uint32_t i = 0; r >= 0 && i < n; i++)
		if (out[i])
			add_pipeline(&infos[i], out[i]);
	return r;
}

static CALL bw_DestroyPipeline(VkDevice device, VkPipeline pipeline,
			       const VkAllocationCallbacks *alloc)
{
	bw_names_remove(BW_AGENT_OBJECT_PIPELINE, HANDLE(pipeline));
	bw_vk_device_of(device)->DestroyPipeline(device, pipeline, alloc);
}

/* Compute shaders without a pipeline (VK_EXT_shader_object) are listed among the pipelines. One
 * that is made from the driver's own binary has no SPIR-V to be known by. */
static RESULT bw_CreateShadersEXT(VkDevice device, uint32_t n, const VkShaderCreateInfoEXT *infos,
				  const VkAllocationCallbacks *alloc, VkShaderEXT *out)
{
	VkResult r = bw_vk_device_of(device)->CreateShadersEXT(device, n, infos, alloc, out);
	for (uint32_t i = 0; r >= 0 && i < n; i++) {
		const VkShaderCreateInfoEXT *info = &infos[i];
		struct module m = {0};
		if (!out[i] || info->stage != VK_SHADER_STAGE_COMPUTE_BIT)
			continue;
		if (info->codeType == VK_SHADER_CODE_TYPE_SPIRV_EXT)
			m = describe(info->pCode, info->codeSize);
		struct layout l =
			layout_of(info->setLayoutCount, info->pSetLayouts,
				  info->pushConstantRangeCount, info->pPushConstantRanges);
		add_shader(HANDLE(out[i]), &m, &l, info->pName ? info->pName : "main",
			   inline_name(info->pNext), 0);
	}
	return r;
}

static CALL bw_DestroyShaderEXT(VkDevice device, VkShaderEXT shader,
				const VkAllocationCallbacks *alloc)
{
	bw_names_remove(BW_AGENT_OBJECT_PIPELINE, HANDLE(shader));
	bw_vk_device_of(device)->DestroyShaderEXT(device, shader, alloc);
}

static RESULT bw_SetDebugUtilsObjectNameEXT(VkDevice device,
					    const VkDebugUtilsObjectNameInfoEXT *info)
{
	static const struct {
		VkObjectType type;
		uint32_t kind;
	} kinds[] = {
		{VK_OBJECT_TYPE_PIPELINE, BW_AGENT_OBJECT_PIPELINE},
		{VK_OBJECT_TYPE_SHADER_EXT, BW_AGENT_OBJECT_PIPELINE},
		{VK_OBJECT_TYPE_BUFFER, BW_AGENT_OBJECT_BUFFER},
		{VK_OBJECT_TYPE_IMAGE, BW_AGENT_OBJECT_IMAGE},
		{VK_OBJECT_TYPE_SHADER_MODULE, 0},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(kinds); i++)
		if (kinds[i].type == info->objectType)
			bw_names_set_name(kinds[i].kind, info->objectHandle, info->pObjectName);
	const struct bw_vk_device *d = bw_vk_device_of(device);
	return d->SetDebugUtilsObjectNameEXT ? d->SetDebugUtilsObjectNameEXT(device, info)
					     : VK_SUCCESS;
}

/* ---- Command buffers ---- */

static RESULT bw_BeginCommandBuffer(VkCommandBuffer cmd, const VkCommandBufferBeginInfo *info)
{
	bw_names_cmd_begin(HANDLE(cmd));
	return bw_vk_device_of(cmd)->BeginCommandBuffer(cmd, info);
}

static CALL bw_FreeCommandBuffers(VkDevice device, VkCommandPool pool, uint32_t n,
				  const VkCommandBuffer *cmds)
{
	for (uint32_t i = 0; i < n; i++)
		bw_names_cmd_free(HANDLE(cmds[i]));
	bw_vk_device_of(device)->FreeCommandBuffers(device, pool, n, cmds);
}

static CALL bw_CmdBindPipeline(VkCommandBuffer cmd, VkPipelineBindPoint point, VkPipeline pipeline)
{
	if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
		bw_names_cmd_pipeline(HANDLE(cmd), HANDLE(pipeline));
	bw_vk_device_of(cmd)->CmdBindPipeline(cmd, point, pipeline);
}

static CALL bw_CmdBindShadersEXT(VkCommandBuffer cmd, uint32_t n,
				 const VkShaderStageFlagBits *stages, const VkShaderEXT *shaders)
{
	for (uint32_t i = 0; i < n; i++)
		if (stages[i] == VK_SHADER_STAGE_COMPUTE_BIT)
			bw_names_cmd_pipeline(HANDLE(cmd), shaders ? HANDLE(shaders[i]) : 0);
	bw_vk_device_of(cmd)->CmdBindShadersEXT(cmd, n, stages, shaders);
}

static CALL bw_CmdDispatch(VkCommandBuffer cmd, uint32_t x, uint32_t y, uint32_t z)
{
	bw_names_cmd_dispatch(HANDLE(cmd), NULL, (const uint32_t[]){x, y, z});
	bw_vk_device_of(cmd)->CmdDispatch(cmd, x, y, z);
}

static CALL bw_CmdDispatchBase(VkCommandBuffer cmd, uint32_t bx, uint32_t by, uint32_t bz,
			       uint32_t x, uint32_t y, uint32_t z)
{
	bw_names_cmd_dispatch(HANDLE(cmd), (const uint32_t[]){bx, by, bz},
			      (const uint32_t[]){x, y, z});
	bw_vk_device_of(cmd)->CmdDispatchBase(cmd, bx, by, bz, x, y, z);
}

static CALL bw_CmdDispatchIndirect(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset)
{
	bw_names_cmd_dispatch(HANDLE(cmd), NULL, NULL);
	bw_vk_device_of(cmd)->CmdDispatchIndirect(cmd, buffer, offset);
}

static CALL bw_CmdPushConstants(VkCommandBuffer cmd, VkPipelineLayout layout,
				VkShaderStageFlags stages, uint32_t offset, uint32_t size,
				const void *values)
{
	if (stages & VK_SHADER_STAGE_COMPUTE_BIT)
		bw_names_cmd_push(HANDLE(cmd), offset, size, values);
	bw_vk_device_of(cmd)->CmdPushConstants(cmd, layout, stages, offset, size, values);
}

static CALL bw_CmdPushConstants2(VkCommandBuffer cmd, const VkPushConstantsInfo *info)
{
	if (info->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
		bw_names_cmd_push(HANDLE(cmd), info->offset, info->size, info->pValues);
	bw_vk_device_of(cmd)->CmdPushConstants2(cmd, info);
}

static CALL bw_CmdExecuteCommands(VkCommandBuffer cmd, uint32_t n, const VkCommandBuffer *others)
{
	for (uint32_t i = 0; i < n; i++)
		bw_names_cmd_execute(HANDLE(cmd), HANDLE(others[i]));
	bw_vk_device_of(cmd)->CmdExecuteCommands(cmd, n, others);
}

static CALL bw_CmdBeginDebugUtilsLabelEXT(VkCommandBuffer cmd, const VkDebugUtilsLabelEXT *label)
{
	bw_names_cmd_label_begin(HANDLE(cmd), label->pLabelName);
	const struct bw_vk_device *d = bw_vk_device_of(cmd);
	if (d->CmdBeginDebugUtilsLabelEXT)
		d->CmdBeginDebugUtilsLabelEXT(cmd, label);
}

static CALL bw_CmdEndDebugUtilsLabelEXT(VkCommandBuffer cmd)
{
	bw_names_cmd_label_end(HANDLE(cmd));
	const struct bw_vk_device *d = bw_vk_device_of(cmd);
	if (d->CmdEndDebugUtilsLabelEXT)
		d->CmdEndDebugUtilsLabelEXT(cmd);
}

static CALL bw_CmdInsertDebugUtilsLabelEXT(VkCommandBuffer cmd, const VkDebugUtilsLabelEXT *label)
{
	bw_names_cmd_label_insert(HANDLE(cmd), label->pLabelName);
	const struct bw_vk_device *d = bw_vk_device_of(cmd);
	if (d->CmdInsertDebugUtilsLabelEXT)
		d->CmdInsertDebugUtilsLabelEXT(cmd, label);
}

/* ---- Queues ---- */

static CALL bw_QueueBeginDebugUtilsLabelEXT(VkQueue queue, const VkDebugUtilsLabelEXT *label)
{
	bw_names_queue_label_begin(HANDLE(queue), label->pLabelName);
	const struct bw_vk_device *d = bw_vk_device_of(queue);
	if (d->QueueBeginDebugUtilsLabelEXT)
		d->QueueBeginDebugUtilsLabelEXT(queue, label);
}

static CALL bw_QueueEndDebugUtilsLabelEXT(VkQueue queue)
{
	bw_names_queue_label_end(HANDLE(queue));
	const struct bw_vk_device *d = bw_vk_device_of(queue);
	if (d->QueueEndDebugUtilsLabelEXT)
		d->QueueEndDebugUtilsLabelEXT(queue);
}

static RESULT bw_QueueSubmit(VkQueue queue, uint32_t n, const VkSubmitInfo *infos, VkFence fence)
{
	bw_names_submit_begin(HANDLE(queue));
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < infos[i].commandBufferCount; k++)
			bw_names_submit_add(HANDLE(infos[i].pCommandBuffers[k]));
	VkResult r = bw_vk_device_of(queue)->QueueSubmit(queue, n, infos, fence);
	bw_names_submit_end();
	return r;
}

static RESULT bw_QueueSubmit2(VkQueue queue, uint32_t n, const VkSubmitInfo2 *infos, VkFence fence)
{
	bw_names_submit_begin(HANDLE(queue));
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < infos[i].commandBufferInfoCount; k++)
			bw_names_submit_add(HANDLE(infos[i].pCommandBufferInfos[k].commandBuffer));
	VkResult r = bw_vk_device_of(queue)->QueueSubmit2(queue, n, infos, fence);
	bw_names_submit_end();
	return r;
}

static RESULT bw_QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *info)
{
	VkResult r = bw_vk_device_of(queue)->QueuePresentKHR(queue, info);
	bw_names_present();
	return r;
}

PFN_vkVoidFunction bw_vk_hook(const char *name)
{
#define ROW(fn, other) {"vk" #fn, other, (PFN_vkVoidFunction)bw_##fn},
	static const struct {
		const char *name, *other;
		PFN_vkVoidFunction fn;
	} hooks[] = {BW_VK_FUNCTIONS(ROW)};
#undef ROW
	for (size_t i = 0; i < BW_ARRAY_SIZE(hooks); i++)
		if (!strcmp(hooks[i].name, name) ||
		    (hooks[i].other && !strcmp(hooks[i].other, name)))
			return hooks[i].fn;
	return NULL;
}
