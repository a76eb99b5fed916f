/* SPDX-License-Identifier: MIT */
#include "kit.h"

#include "base/cleanup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kit_check(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

struct gpu *kit_open(void)
{
	struct gpu *gpu = NULL;
	kit_check(gpu_open(&(struct gpu_options){.name = "RADV"}, &gpu));
	return gpu;
}

struct kit_buffer kit_buffer(struct gpu *gpu, uint32_t n)
{
	struct kit_buffer b = {.n = n};
	kit_check(gpu_buffer(
		gpu, n * 4ull,
		VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
			VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
			VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT,
		true, &b.buffer, &b.memory));
	b.map = b.memory.map;
	memset(b.map, 0, n * 4ull);
	return b;
}

void kit_buffer_free(struct gpu *gpu, struct kit_buffer *b)
{
	vkDestroyBuffer(gpu->device, b->buffer, NULL);
	vkFreeMemory(gpu->device, b->memory.memory, NULL);
	*b = (struct kit_buffer){0};
}

VkShaderModule kit_load(struct gpu *gpu, const char *name)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/tests/vulkan/%s.spv", getenv("BREAKWATER_BUILD"), name);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	if (!f)
		fail_msg("cannot open %s", path);
	static uint32_t code[16384];
	size_t n = fread(code, 1, sizeof(code), f);
	assert_true(n > 20 && n < sizeof(code));
	VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0, n,
					 code};
	VkShaderModule module;
	VK_OK(vkCreateShaderModule(gpu->device, &info, NULL, &module));
	return module;
}

static struct kit_shader make_shader(struct gpu *gpu, const char *name, uint32_t push_b,
				     VkDescriptorSetLayoutCreateFlags flags)
{
	struct kit_shader s = {.push_b = push_b};
	VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
						VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	VkDescriptorSetLayoutCreateInfo set = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
					       NULL, flags, 1, &binding};
	VK_OK(vkCreateDescriptorSetLayout(gpu->device, &set, NULL, &s.set_layout));
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 32};
	VkDescriptorPoolCreateInfo pool = {
		VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, NULL, 0, 32, 1, &size};
	VK_OK(vkCreateDescriptorPool(gpu->device, &pool, NULL, &s.pool));
	VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_b};
	VkPipelineLayoutCreateInfo layout = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
					     NULL,
					     0,
					     1,
					     &s.set_layout,
					     push_b ? 1 : 0,
					     &range};
	VK_OK(vkCreatePipelineLayout(gpu->device, &layout, NULL, &s.layout));
	s.module = kit_load(gpu, name);
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0,
			  VK_SHADER_STAGE_COMPUTE_BIT, s.module, "main", NULL},
		.layout = s.layout,
	};
	VK_OK(vkCreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &s.pipeline));
	return s;
}

struct kit_shader kit_shader(struct gpu *gpu, const char *name, uint32_t push_b)
{
	return make_shader(gpu, name, push_b, 0);
}

struct kit_shader kit_shader_pushed(struct gpu *gpu, const char *name, uint32_t push_b)
{
	return make_shader(gpu, name, push_b,
			   VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
}

void kit_shader_free(struct gpu *gpu, struct kit_shader *s)
{
	vkDestroyPipeline(gpu->device, s->pipeline, NULL);
	vkDestroyShaderModule(gpu->device, s->module, NULL);
	vkDestroyPipelineLayout(gpu->device, s->layout, NULL);
	vkDestroyDescriptorPool(gpu->device, s->pool, NULL);
	vkDestroyDescriptorSetLayout(gpu->device, s->set_layout, NULL);
}

VkDescriptorSet kit_set(struct gpu *gpu, const struct kit_shader *s, VkBuffer buffer)
{
	VkDescriptorSetAllocateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL,
					    s->pool, 1, &s->set_layout};
	VkDescriptorSet set;
	VK_OK(vkAllocateDescriptorSets(gpu->device, &info, &set));
	VkDescriptorBufferInfo whole = {buffer, 0, VK_WHOLE_SIZE};
	VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = set,
		.descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.pBufferInfo = &whole,
	};
	vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
	return set;
}

void kit_dispatch(VkCommandBuffer cmd, const struct kit_shader *s, VkDescriptorSet set,
		  const void *push, uint32_t groups)
{
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, s->pipeline);
	if (set)
		vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, s->layout, 0, 1, &set,
					0, NULL);
	if (s->push_b)
		vkCmdPushConstants(cmd, s->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, s->push_b, push);
	if (groups)
		vkCmdDispatch(cmd, groups, 1, 1);
}

VkCommandBuffer kit_begin(struct gpu *gpu, enum gpu_family family)
{
	VkCommandBuffer cmd = VK_NULL_HANDLE;
	kit_check(gpu_begin(gpu, family, &cmd));
	return cmd;
}

void kit_finish(struct gpu *gpu, enum gpu_family family, VkCommandBuffer cmd)
{
	kit_check(gpu_finish(gpu, family, cmd));
}

VkResult kit_submit(struct gpu *gpu, enum gpu_family family, VkCommandBuffer cmd,
		    const VkSemaphoreSubmitInfo *wait, const VkSemaphoreSubmitInfo *signal,
		    VkFence fence)
{
	VkCommandBufferSubmitInfo buffer = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, NULL, cmd,
					    0};
	VkSubmitInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
		.waitSemaphoreInfoCount = wait != NULL,
		.pWaitSemaphoreInfos = wait,
		.commandBufferInfoCount = cmd != VK_NULL_HANDLE,
		.pCommandBufferInfos = &buffer,
		.signalSemaphoreInfoCount = signal != NULL,
		.pSignalSemaphoreInfos = signal,
	};
	return vkQueueSubmit2(gpu->queue[family], 1, &info, fence);
}

VkSemaphore kit_timeline(struct gpu *gpu, uint64_t value)
{
	VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, NULL,
					  VK_SEMAPHORE_TYPE_TIMELINE, value};
	VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
	VkSemaphore semaphore;
	VK_OK(vkCreateSemaphore(gpu->device, &info, NULL, &semaphore));
	return semaphore;
}

VkSemaphoreSubmitInfo kit_at(VkSemaphore semaphore, uint64_t value)
{
	return (VkSemaphoreSubmitInfo){
		VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, NULL, semaphore, value,
		VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,	 0};
}

VkResult kit_wait(struct gpu *gpu, VkSemaphore semaphore, uint64_t value, uint64_t timeout_ns)
{
	VkSemaphoreWaitInfo info = {
		VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, 1, &semaphore, &value};
	return vkWaitSemaphores(gpu->device, &info, timeout_ns);
}

VkFence kit_fence(struct gpu *gpu)
{
	VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, NULL, 0};
	VkFence fence;
	VK_OK(vkCreateFence(gpu->device, &info, NULL, &fence));
	return fence;
}
