/* SPDX-License-Identifier: MIT */
/* A Vulkan program for the tutorials (doc/tutorials): a simulation that computes on the GPU.
 *
 *     cc simulate.c -lvulkan -o simulate
 *     ./simulate STEPS SHADER.spv...
 *
 * Each step is one submission, and has one dispatch for each shader, in their order. All shaders
 * have the same buffers, of 256 floats each: "values" (binding 0; the program fills it with 0, 1,
 * 2 ...) and "results" (binding 1); and the number of the step, from 1, as a push constant. A
 * workgroup is to have 64 invocations. After each step the program prints some results. It knows
 * nothing of Breakwater; it gives names to pipelines and buffers, as many programs do. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { N_VALUES = 256, N_SHADERS_MAX = 8, GROUP = 64, PATIENCE_S = 5 };

static const char *const buffer_names[] = {"values", "results"};
enum { VALUES, RESULTS, N_BUFFERS };

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandBuffer commands;
static VkFence fence;
static VkBuffer buffers[N_BUFFERS];
static float *contents[N_BUFFERS];
static VkDescriptorSet set;
static VkDescriptorSetLayout set_layout;
static VkPipelineLayout layout;
static VkPipeline pipelines[N_SHADERS_MAX];

static void need(VkResult result, const char *what)
{
	if (result == VK_SUCCESS)
		return;
	if (result == VK_TIMEOUT)
		fprintf(stderr, "simulate: the GPU has not finished after %d s\n", PATIENCE_S);
	else if (result == VK_ERROR_DEVICE_LOST)
		fprintf(stderr, "simulate: the GPU is lost (VK_ERROR_DEVICE_LOST)\n");
	else
		fprintf(stderr, "simulate: %s: VkResult %d\n", what, result);
	_Exit(1);
}
#define NEED(call) need(call, #call)

static void name(VkObjectType type, uint64_t handle, const char *text)
{
	PFN_vkSetDebugUtilsObjectNameEXT set_name =
		(PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(
			instance, "vkSetDebugUtilsObjectNameEXT");
	VkDebugUtilsObjectNameInfoEXT info = {VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
					      NULL, type, handle, text};
	if (set_name)
		NEED(set_name(device, &info));
}

static void open_device(void)
{
	const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
				 .pApplicationName = "simulate",
				 .apiVersion = VK_API_VERSION_1_3};
	VkInstanceCreateInfo with = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
				     .pApplicationInfo = &app,
				     .enabledExtensionCount = 1,
				     .ppEnabledExtensionNames = &extension};
	NEED(vkCreateInstance(&with, NULL, &instance));
	uint32_t n = 1;
	VkResult result = vkEnumeratePhysicalDevices(instance, &n, &physical);
	need(result == VK_INCOMPLETE ? VK_SUCCESS : result, "vkEnumeratePhysicalDevices");
	if (n == 0) {
		fprintf(stderr, "simulate: there is no Vulkan device\n");
		exit(1);
	}
	/* All drivers of AMD GPUs have one family first that can do everything. */
	float priority = 1;
	VkDeviceQueueCreateInfo family = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					  .queueCount = 1,
					  .pQueuePriorities = &priority};
	VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
				   .queueCreateInfoCount = 1,
				   .pQueueCreateInfos = &family};
	NEED(vkCreateDevice(physical, &info, NULL, &device));
	vkGetDeviceQueue(device, 0, 0, &queue);
	VkCommandPool pool;
	VkCommandPoolCreateInfo of_pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
					   .flags =
						   VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
	NEED(vkCreateCommandPool(device, &of_pool, NULL, &pool));
	VkCommandBufferAllocateInfo one = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL,
					   pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
	NEED(vkAllocateCommandBuffers(device, &one, &commands));
	VkFenceCreateInfo of_fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	NEED(vkCreateFence(device, &of_fence, NULL, &fence));
}

static void make_buffer(int i)
{
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
				   .size = N_VALUES * sizeof(float),
				   .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
	NEED(vkCreateBuffer(device, &info, NULL, &buffers[i]));
	name(VK_OBJECT_TYPE_BUFFER, (uint64_t)(uintptr_t)buffers[i], buffer_names[i]);
	VkMemoryRequirements needs;
	VkPhysicalDeviceMemoryProperties has;
	vkGetBufferMemoryRequirements(device, buffers[i], &needs);
	vkGetPhysicalDeviceMemoryProperties(physical, &has);
	VkMemoryPropertyFlags wanted =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	uint32_t type = 0;
	while (!(needs.memoryTypeBits & 1u << type) ||
	       (has.memoryTypes[type].propertyFlags & wanted) != wanted)
		type++; /* Vulkan guarantees one */
	VkMemoryAllocateInfo allocate = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, needs.size,
					 type};
	VkDeviceMemory memory;
	NEED(vkAllocateMemory(device, &allocate, NULL, &memory));
	NEED(vkBindBufferMemory(device, buffers[i], memory, 0));
	void *map;
	NEED(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &map));
	contents[i] = map;
	for (int at = 0; at < N_VALUES; at++)
		contents[i][at] = i == VALUES ? (float)at : 0;
}

static void make_layout(void)
{
	VkDescriptorSetLayoutBinding bindings[N_BUFFERS];
	for (int i = 0; i < N_BUFFERS; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){(uint32_t)i,
							     VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
							     VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	VkDescriptorSetLayoutCreateInfo of_set = {
		VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, NULL, 0, N_BUFFERS, bindings};
	NEED(vkCreateDescriptorSetLayout(device, &of_set, NULL, &set_layout));
	VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)};
	VkPipelineLayoutCreateInfo info = {
		VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, NULL, 0, 1, &set_layout, 1, &range};
	NEED(vkCreatePipelineLayout(device, &info, NULL, &layout));
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, N_BUFFERS};
	VkDescriptorPoolCreateInfo of_pool = {
		VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, NULL, 0, 1, 1, &size};
	VkDescriptorPool pool;
	NEED(vkCreateDescriptorPool(device, &of_pool, NULL, &pool));
	VkDescriptorSetAllocateInfo allocate = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
						NULL, pool, 1, &set_layout};
	NEED(vkAllocateDescriptorSets(device, &allocate, &set));
	for (int i = 0; i < N_BUFFERS; i++) {
		VkDescriptorBufferInfo whole = {buffers[i], 0, VK_WHOLE_SIZE};
		VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
					      .dstSet = set,
					      .dstBinding = (uint32_t)i,
					      .descriptorCount = 1,
					      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
					      .pBufferInfo = &whole};
		vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
	}
}

static VkPipeline make_pipeline(const char *path)
{
	static uint32_t code[1 << 16];
	FILE *f = fopen(path, "rb");
	if (!f) {
		perror(path);
		exit(1);
	}
	size_t size = fread(code, 1, sizeof(code), f);
	fclose(f);
	VkShaderModuleCreateInfo of_module = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0,
					      size, code};
	VkShaderModule module;
	NEED(vkCreateShaderModule(device, &of_module, NULL, &module));
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0,
			  VK_SHADER_STAGE_COMPUTE_BIT, module, "main", NULL},
		.layout = layout,
	};
	VkPipeline pipeline;
	NEED(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
	char title[64];
	const char *file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	snprintf(title, sizeof(title), "%.*s", (int)strcspn(file, "."), file);
	name(VK_OBJECT_TYPE_PIPELINE, (uint64_t)(uintptr_t)pipeline, title);
	return pipeline;
}

static void run_step(uint32_t step, int n_shaders)
{
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	NEED(vkBeginCommandBuffer(commands, &begin));
	vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0,
				NULL);
	vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(step), &step);
	for (int i = 0; i < n_shaders; i++) {
		VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
				       .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
				       .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT |
							VK_ACCESS_MEMORY_WRITE_BIT};
		vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[i]);
		vkCmdDispatch(commands, N_VALUES / GROUP, 1, 1);
		vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
				     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0, NULL, 0,
				     NULL);
	}
	NEED(vkEndCommandBuffer(commands));
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			       .commandBufferCount = 1,
			       .pCommandBuffers = &commands};
	NEED(vkQueueSubmit(queue, 1, &submit, fence));
	NEED(vkWaitForFences(device, 1, &fence, VK_TRUE, PATIENCE_S * 1000000000ull));
	NEED(vkResetFences(device, 1, &fence));
}

int main(int argc, char **argv)
{
	int n_shaders = argc - 2;
	if (n_shaders < 1 || n_shaders > N_SHADERS_MAX) {
		fprintf(stderr, "usage: simulate STEPS SHADER.spv... (at most %d)\n",
			N_SHADERS_MAX);
		return 1;
	}
	open_device();
	for (int i = 0; i < N_BUFFERS; i++)
		make_buffer(i);
	make_layout();
	for (int i = 0; i < n_shaders; i++)
		pipelines[i] = make_pipeline(argv[2 + i]);
	for (uint32_t step = 1; step <= (uint32_t)atoi(argv[1]); step++) {
		run_step(step, n_shaders);
		printf("step %u:", step);
		for (int at = 60; at < 68; at++)
			printf(" %g", (double)contents[RESULTS][at]);
		printf("\n");
		fflush(stdout);
	}
	return 0;
}
