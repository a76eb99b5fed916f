/* SPDX-License-Identifier: MIT */
/* Memory, command buffers and queues. Each function calls the next layer's function, and tells
 * names.c what the call said. */
#include <stdlib.h>
#include <string.h>

#include "agent/memory/largest_map.h"
#include "agent/names/handles.h"
#include "agent/names/names_priv.h"
#include "agent/vulkan/vk_bounds.h"
#include "agent/vulkan/vk_layer.h"
#include "agent/vulkan/vk_swap.h"
#include "base/util.h"
#include "wire/checks.h"
#include "wire/vgpu_proto.h"

#define HANDLE(h) BW_VK_HANDLE(h)
#define CALL VKAPI_ATTR void VKAPI_CALL
#define RESULT VKAPI_ATTR VkResult VKAPI_CALL

/* ---- Memory, buffers, images ---- */

/* The address of a memory object is the range that the driver maps during its allocation. */
static struct bw_handles memories = BW_HANDLES_INIT(uint64_t);

/* What --check may take for granted of a program's order of things depends on its API. */
static void tell_api(struct bw_agent_file *file)
{
	struct bw_vgpu_api api = {.api = BW_VGPU_API_VULKAN};
	if (file && bw_checks_wanted() & (BW_CHECK_RACES | BW_CHECK_SYNC))
		bw_agent_own_ioctl(file, BW_VGPU_IOCTL_API, &api);
}

RESULT bw_AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
			 const VkAllocationCallbacks *alloc, VkDeviceMemory *out)
{
	const struct bw_vk_device *d = bw_vk_device_of(device);
	struct bw_agent_file *file;
	bw_largest_map_begin();
	VkResult r = d->AllocateMemory(device, info, alloc, out);
	if (r == VK_ERROR_OUT_OF_DEVICE_MEMORY || r == VK_ERROR_OUT_OF_HOST_MEMORY) {
		bw_vk_bounds_flush(d);
		r = d->AllocateMemory(device, info, alloc, out);
	}
	uint64_t va = bw_largest_map_end(&file);
	if (r == VK_SUCCESS && va)
		bw_handles_put(&memories, HANDLE(*out), &va);
	if (r == VK_SUCCESS)
		tell_api(file);
	if (r == VK_SUCCESS)
		bw_vk_bounds_memory(d, *out, info, file);
	return r;
}

CALL bw_FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *alloc)
{
	bw_handles_drop(&memories, HANDLE(memory));
	if (!bw_vk_bounds_keep(memory, alloc))
		bw_vk_device_of(device)->FreeMemory(device, memory, alloc);
}

static void place(uint32_t kind, uint64_t object, VkDeviceMemory memory, VkDeviceSize offset,
		  uint64_t size_b)
{
	uint64_t va;
	bool known = bw_handles_get(&memories, HANDLE(memory), &va);
	bw_names_place(kind, object, known ? va + offset : 0, size_b);
}

RESULT bw_CreateBuffer(VkDevice device, const VkBufferCreateInfo *info,
		       const VkAllocationCallbacks *alloc, VkBuffer *out)
{
	VkResult r = bw_vk_device_of(device)->CreateBuffer(device, info, alloc, out);
	if (r == VK_SUCCESS) {
		struct bw_agent_object o = {.kind = BW_AGENT_OBJECT_BUFFER,
					    .handle = HANDLE(*out),
					    .size_b = info->size,
					    .flags = info->usage};
		bw_names_add(&o);
		bw_vk_bounds_create(*out, info);
	}
	return r;
}

CALL bw_GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements *out)
{
	bw_vk_device_of(device)->GetBufferMemoryRequirements(device, buffer, out);
	bw_vk_bounds_need(buffer, out);
}

CALL bw_GetBufferMemoryRequirements2(VkDevice device, const VkBufferMemoryRequirementsInfo2 *info,
				     VkMemoryRequirements2 *out)
{
	bw_vk_device_of(device)->GetBufferMemoryRequirements2(device, info, out);
	bw_vk_bounds_need(info->buffer, &out->memoryRequirements);
}

CALL bw_GetDeviceBufferMemoryRequirements(VkDevice device,
					  const VkDeviceBufferMemoryRequirements *info,
					  VkMemoryRequirements2 *out)
{
	bw_vk_device_of(device)->GetDeviceBufferMemoryRequirements(device, info, out);
	bw_vk_bounds_need_of(info->pCreateInfo, &out->memoryRequirements);
}

CALL bw_DestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks *alloc)
{
	bw_vk_bounds_destroy(buffer);
	bw_names_remove(BW_AGENT_OBJECT_BUFFER, HANDLE(buffer));
	bw_vk_device_of(device)->DestroyBuffer(device, buffer, alloc);
}

RESULT bw_BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
			   VkDeviceSize offset)
{
	const struct bw_vk_device *d = bw_vk_device_of(device);
	place(BW_AGENT_OBJECT_BUFFER, HANDLE(buffer), memory, offset, 0);
	VkResult r = d->BindBufferMemory(device, buffer, memory, offset);
	if (r == VK_SUCCESS)
		bw_vk_bounds_bind(d, buffer, memory, offset);
	return r;
}

RESULT bw_BindBufferMemory2(VkDevice device, uint32_t n, const VkBindBufferMemoryInfo *infos)
{
	for (uint32_t i = 0; i < n; i++)
		place(BW_AGENT_OBJECT_BUFFER, HANDLE(infos[i].buffer), infos[i].memory,
		      infos[i].memoryOffset, 0);
	const struct bw_vk_device *d = bw_vk_device_of(device);
	VkResult r = d->BindBufferMemory2(device, n, infos);
	for (uint32_t i = 0; r == VK_SUCCESS && i < n; i++)
		bw_vk_bounds_bind(d, infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
	return r;
}

RESULT bw_CreateImage(VkDevice device, const VkImageCreateInfo *info,
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

CALL bw_DestroyImage(VkDevice device, VkImage image, const VkAllocationCallbacks *alloc)
{
	bw_names_remove(BW_AGENT_OBJECT_IMAGE, HANDLE(image));
	bw_vk_device_of(device)->DestroyImage(device, image, alloc);
}

static void place_image(VkDevice device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset)
{
	VkMemoryRequirements need = {0};
	bw_vk_bounds_bind(bw_vk_device_of(device), VK_NULL_HANDLE, memory, offset);
	bw_vk_device_of(device)->GetImageMemoryRequirements(device, image, &need);
	place(BW_AGENT_OBJECT_IMAGE, HANDLE(image), memory, offset, need.size);
}

RESULT bw_BindImageMemory(VkDevice device, VkImage image, VkDeviceMemory memory,
			  VkDeviceSize offset)
{
	VkResult r = bw_vk_device_of(device)->BindImageMemory(device, image, memory, offset);
	if (r == VK_SUCCESS)
		place_image(device, image, memory, offset);
	return r;
}

RESULT bw_BindImageMemory2(VkDevice device, uint32_t n, const VkBindImageMemoryInfo *infos)
{
	VkResult r = bw_vk_device_of(device)->BindImageMemory2(device, n, infos);
	/* an image of several planes or of a swapchain has no one place */
	for (uint32_t i = 0; r == VK_SUCCESS && i < n; i++)
		if (infos[i].memory && !infos[i].pNext)
			place_image(device, infos[i].image, infos[i].memory, infos[i].memoryOffset);
	return r;
}

RESULT bw_SetDebugUtilsObjectNameEXT(VkDevice device, const VkDebugUtilsObjectNameInfoEXT *info)
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
	if (info->objectType == VK_OBJECT_TYPE_BUFFER)
		bw_vk_bounds_name(info->objectHandle, info->pObjectName);
	/* the shaders of a graphics pipeline are objects of their own */
	for (uint32_t stage = BW_AGENT_VERTEX; stage < BW_AGENT_STAGES; stage++)
		if (info->objectType == VK_OBJECT_TYPE_PIPELINE)
			bw_names_set_name(BW_AGENT_OBJECT_PIPELINE,
					  BW_NAMES_STAGE(info->objectHandle, stage),
					  info->pObjectName);
	if (info->objectType == VK_OBJECT_TYPE_PIPELINE)
		bw_vk_name_pipeline(device, info->objectHandle, info->pObjectName);
	const struct bw_vk_device *d = bw_vk_device_of(device);
	return d->SetDebugUtilsObjectNameEXT ? d->SetDebugUtilsObjectNameEXT(device, info)
					     : VK_SUCCESS;
}

/* ---- Command buffers ---- */

RESULT bw_BeginCommandBuffer(VkCommandBuffer cmd, const VkCommandBufferBeginInfo *info)
{
	bw_names_cmd_begin(HANDLE(cmd));
	return bw_vk_device_of(cmd)->BeginCommandBuffer(cmd, info);
}

CALL bw_FreeCommandBuffers(VkDevice device, VkCommandPool pool, uint32_t n,
			   const VkCommandBuffer *cmds)
{
	for (uint32_t i = 0; i < n; i++)
		bw_names_cmd_free(HANDLE(cmds[i]));
	bw_vk_device_of(device)->FreeCommandBuffers(device, pool, n, cmds);
}

CALL bw_CmdBindPipeline(VkCommandBuffer cmd, VkPipelineBindPoint point, VkPipeline pipeline)
{
	if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
		bw_names_cmd_pipeline(HANDLE(cmd), HANDLE(pipeline));
	else if (point == VK_PIPELINE_BIND_POINT_GRAPHICS)
		bw_names_cmd_pipeline(BW_NAMES_DRAWS(HANDLE(cmd)), HANDLE(pipeline));
	bw_vk_device_of(cmd)->CmdBindPipeline(cmd, point, bw_vk_swap_of(pipeline));
}

CALL bw_CmdBindShadersEXT(VkCommandBuffer cmd, uint32_t n, const VkShaderStageFlagBits *stages,
			  const VkShaderEXT *shaders)
{
	for (uint32_t i = 0; i < n; i++)
		if (stages[i] == VK_SHADER_STAGE_COMPUTE_BIT)
			bw_names_cmd_pipeline(HANDLE(cmd), shaders ? HANDLE(shaders[i]) : 0);
	bw_vk_device_of(cmd)->CmdBindShadersEXT(cmd, n, stages, shaders);
}

CALL bw_CmdDispatch(VkCommandBuffer cmd, uint32_t x, uint32_t y, uint32_t z)
{
	bw_names_cmd_dispatch(HANDLE(cmd), NULL, (const uint32_t[]){x, y, z});
	bw_vk_device_of(cmd)->CmdDispatch(cmd, x, y, z);
}

CALL bw_CmdDispatchBase(VkCommandBuffer cmd, uint32_t bx, uint32_t by, uint32_t bz, uint32_t x,
			uint32_t y, uint32_t z)
{
	bw_names_cmd_dispatch(HANDLE(cmd), (const uint32_t[]){bx, by, bz},
			      (const uint32_t[]){x, y, z});
	bw_vk_device_of(cmd)->CmdDispatchBase(cmd, bx, by, bz, x, y, z);
}

CALL bw_CmdDispatchIndirect(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset)
{
	bw_names_cmd_dispatch(HANDLE(cmd), NULL, NULL);
	bw_vk_device_of(cmd)->CmdDispatchIndirect(cmd, buffer, offset);
}

CALL bw_CmdDraw(VkCommandBuffer cmd, uint32_t n, uint32_t n_instances, uint32_t first,
		uint32_t first_instance)
{
	bw_names_cmd_draw(HANDLE(cmd), n, n_instances);
	bw_vk_device_of(cmd)->CmdDraw(cmd, n, n_instances, first, first_instance);
}

CALL bw_CmdDrawIndexed(VkCommandBuffer cmd, uint32_t n, uint32_t n_instances, uint32_t first,
		       int32_t base, uint32_t first_instance)
{
	bw_names_cmd_draw(HANDLE(cmd), n, n_instances);
	bw_vk_device_of(cmd)->CmdDrawIndexed(cmd, n, n_instances, first, base, first_instance);
}

CALL bw_CmdDrawIndirect(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset, uint32_t n,
			uint32_t stride)
{
	bw_names_cmd_draw(HANDLE(cmd), UINT32_MAX, 0);
	bw_vk_device_of(cmd)->CmdDrawIndirect(cmd, buffer, offset, n, stride);
}

CALL bw_CmdDrawIndexedIndirect(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset,
			       uint32_t n, uint32_t stride)
{
	bw_names_cmd_draw(HANDLE(cmd), UINT32_MAX, 0);
	bw_vk_device_of(cmd)->CmdDrawIndexedIndirect(cmd, buffer, offset, n, stride);
}

CALL bw_CmdDrawIndirectCount(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset,
			     VkBuffer count, VkDeviceSize count_offset, uint32_t most,
			     uint32_t stride)
{
	bw_names_cmd_draw(HANDLE(cmd), UINT32_MAX, 0);
	bw_vk_device_of(cmd)->CmdDrawIndirectCount(cmd, buffer, offset, count, count_offset, most,
						   stride);
}

CALL bw_CmdDrawIndexedIndirectCount(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset,
				    VkBuffer count, VkDeviceSize count_offset, uint32_t most,
				    uint32_t stride)
{
	bw_names_cmd_draw(HANDLE(cmd), UINT32_MAX, 0);
	bw_vk_device_of(cmd)->CmdDrawIndexedIndirectCount(cmd, buffer, offset, count, count_offset,
							  most, stride);
}

CALL bw_CmdDrawIndirectByteCountEXT(VkCommandBuffer cmd, uint32_t n_instances,
				    uint32_t first_instance, VkBuffer counter,
				    VkDeviceSize counter_offset, uint32_t offset, uint32_t stride)
{
	bw_names_cmd_draw(HANDLE(cmd), UINT32_MAX, 0);
	bw_vk_device_of(cmd)->CmdDrawIndirectByteCountEXT(cmd, n_instances, first_instance, counter,
							  counter_offset, offset, stride);
}

CALL bw_CmdDrawMeshTasksEXT(VkCommandBuffer cmd, uint32_t x, uint32_t y, uint32_t z)
{
	bw_names_cmd_draw(HANDLE(cmd), x * y * z, 1);
	bw_vk_device_of(cmd)->CmdDrawMeshTasksEXT(cmd, x, y, z);
}

CALL bw_CmdDrawMeshTasksIndirectEXT(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset,
				    uint32_t n, uint32_t stride)
{
	bw_names_cmd_draw(HANDLE(cmd), UINT32_MAX, 0);
	bw_vk_device_of(cmd)->CmdDrawMeshTasksIndirectEXT(cmd, buffer, offset, n, stride);
}

CALL bw_CmdDrawMeshTasksIndirectCountEXT(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset,
					 VkBuffer count, VkDeviceSize count_offset, uint32_t most,
					 uint32_t stride)
{
	bw_names_cmd_draw(HANDLE(cmd), UINT32_MAX, 0);
	bw_vk_device_of(cmd)->CmdDrawMeshTasksIndirectCountEXT(cmd, buffer, offset, count,
							       count_offset, most, stride);
}

CALL bw_CmdPushConstants(VkCommandBuffer cmd, VkPipelineLayout layout, VkShaderStageFlags stages,
			 uint32_t offset, uint32_t size, const void *values)
{
	if (stages & VK_SHADER_STAGE_COMPUTE_BIT)
		bw_names_cmd_push(HANDLE(cmd), offset, size, values);
	if (stages & VK_SHADER_STAGE_ALL_GRAPHICS)
		bw_names_cmd_push(BW_NAMES_DRAWS(HANDLE(cmd)), offset, size, values);
	bw_vk_device_of(cmd)->CmdPushConstants(cmd, layout, stages, offset, size, values);
}

CALL bw_CmdPushConstants2(VkCommandBuffer cmd, const VkPushConstantsInfo *info)
{
	if (info->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
		bw_names_cmd_push(HANDLE(cmd), info->offset, info->size, info->pValues);
	if (info->stageFlags & VK_SHADER_STAGE_ALL_GRAPHICS)
		bw_names_cmd_push(BW_NAMES_DRAWS(HANDLE(cmd)), info->offset, info->size,
				  info->pValues);
	bw_vk_device_of(cmd)->CmdPushConstants2(cmd, info);
}

CALL bw_CmdExecuteCommands(VkCommandBuffer cmd, uint32_t n, const VkCommandBuffer *others)
{
	for (uint32_t i = 0; i < n; i++)
		bw_names_cmd_execute(HANDLE(cmd), HANDLE(others[i]));
	bw_vk_device_of(cmd)->CmdExecuteCommands(cmd, n, others);
}

CALL bw_CmdBeginDebugUtilsLabelEXT(VkCommandBuffer cmd, const VkDebugUtilsLabelEXT *label)
{
	bw_names_cmd_label_begin(HANDLE(cmd), label->pLabelName);
	const struct bw_vk_device *d = bw_vk_device_of(cmd);
	if (d->CmdBeginDebugUtilsLabelEXT)
		d->CmdBeginDebugUtilsLabelEXT(cmd, label);
}

CALL bw_CmdEndDebugUtilsLabelEXT(VkCommandBuffer cmd)
{
	bw_names_cmd_label_end(HANDLE(cmd));
	const struct bw_vk_device *d = bw_vk_device_of(cmd);
	if (d->CmdEndDebugUtilsLabelEXT)
		d->CmdEndDebugUtilsLabelEXT(cmd);
}

CALL bw_CmdInsertDebugUtilsLabelEXT(VkCommandBuffer cmd, const VkDebugUtilsLabelEXT *label)
{
	bw_names_cmd_label_insert(HANDLE(cmd), label->pLabelName);
	const struct bw_vk_device *d = bw_vk_device_of(cmd);
	if (d->CmdInsertDebugUtilsLabelEXT)
		d->CmdInsertDebugUtilsLabelEXT(cmd, label);
}

/* ---- Queues ---- */

CALL bw_QueueBeginDebugUtilsLabelEXT(VkQueue queue, const VkDebugUtilsLabelEXT *label)
{
	bw_names_queue_label_begin(HANDLE(queue), label->pLabelName);
	const struct bw_vk_device *d = bw_vk_device_of(queue);
	if (d->QueueBeginDebugUtilsLabelEXT)
		d->QueueBeginDebugUtilsLabelEXT(queue, label);
}

CALL bw_QueueEndDebugUtilsLabelEXT(VkQueue queue)
{
	bw_names_queue_label_end(HANDLE(queue));
	const struct bw_vk_device *d = bw_vk_device_of(queue);
	if (d->QueueEndDebugUtilsLabelEXT)
		d->QueueEndDebugUtilsLabelEXT(queue);
}

RESULT bw_QueueSubmit(VkQueue queue, uint32_t n, const VkSubmitInfo *infos, VkFence fence)
{
	bw_names_submit_begin(HANDLE(queue));
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < infos[i].commandBufferCount; k++)
			bw_names_submit_add(HANDLE(infos[i].pCommandBuffers[k]));
	VkResult r = bw_vk_device_of(queue)->QueueSubmit(queue, n, infos, fence);
	bw_names_submit_end();
	return r;
}

RESULT bw_QueueSubmit2(VkQueue queue, uint32_t n, const VkSubmitInfo2 *infos, VkFence fence)
{
	bw_names_submit_begin(HANDLE(queue));
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < infos[i].commandBufferInfoCount; k++)
			bw_names_submit_add(HANDLE(infos[i].pCommandBufferInfos[k].commandBuffer));
	VkResult r = bw_vk_device_of(queue)->QueueSubmit2(queue, n, infos, fence);
	bw_names_submit_end();
	return r;
}

RESULT bw_QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *info)
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
