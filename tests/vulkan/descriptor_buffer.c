/* SPDX-License-Identifier: MIT */
/* A program without descriptor sets: the descriptors of its buffers are in a buffer of its own
 * (VK_EXT_descriptor_buffer), set 1 behind set 0. Runs scaled.comp, whose SPIR-V the first argument
 * names, and prints the last two results. With "2" behind it the sets are placed by the call of
 * VK_KHR_maintenance6. Exit status 77: no driver has the extension, or that call. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

#include "agent/vulkan/vk_newer.h"

#define SET_OFFSETS_INFO ((VkStructureType)1000545007)

#define N_ITEMS 256
#define SECOND_SET_B 4096
#define CHECK(call)                                                                                \
	do {                                                                                       \
		VkResult check_ = (call);                                                          \
		if (check_ != VK_SUCCESS) {                                                        \
			fprintf(stderr, "%s: %d\n", #call, check_);                                \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)
#define ENTRY(name) PFN_##name name = (PFN_##name)vkGetDeviceProcAddr(device, #name)

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;

struct buffer {
	VkBuffer buffer;
	VkDeviceMemory memory;
	void *map;
	VkDeviceAddress va;
};

static void open_device(bool newer)
{
	static const char *const extensions[] = {VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME,
						 "VK_KHR_maintenance6"};
	const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
				       .apiVersion = VK_API_VERSION_1_3};
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					   .pApplicationInfo = &app};
	uint32_t n = 1;
	CHECK(vkCreateInstance(&info, NULL, &instance));
	vkEnumeratePhysicalDevices(instance, &n, &physical);
	if (!n)
		exit(77);
	VkPhysicalDeviceDescriptorBufferFeaturesEXT has = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT,
		.descriptorBuffer = VK_TRUE};
	VkPhysicalDeviceBufferDeviceAddressFeatures address = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
		.pNext = &has,
		.bufferDeviceAddress = VK_TRUE};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					       .queueCount = 1,
					       .pQueuePriorities = &priority};
	const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
						.pNext = &address,
						.queueCreateInfoCount = 1,
						.pQueueCreateInfos = &queue,
						.enabledExtensionCount = newer ? 2 : 1,
						.ppEnabledExtensionNames = extensions};
	VkResult r = vkCreateDevice(physical, &device_info, NULL, &device);
	if (r == VK_ERROR_EXTENSION_NOT_PRESENT || r == VK_ERROR_FEATURE_NOT_PRESENT)
		exit(77);
	CHECK(r);
}

static struct buffer make_buffer(VkDeviceSize size_b, VkBufferUsageFlags usage)
{
	struct buffer b;
	VkMemoryRequirements need;
	VkPhysicalDeviceMemoryProperties has;
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
					 .size = size_b,
					 .usage =
						 usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
	const VkMemoryPropertyFlags wanted =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	CHECK(vkCreateBuffer(device, &info, NULL, &b.buffer));
	vkGetBufferMemoryRequirements(device, b.buffer, &need);
	vkGetPhysicalDeviceMemoryProperties(physical, &has);
	uint32_t type = 0;
	while (!(need.memoryTypeBits >> type & 1) ||
	       (has.memoryTypes[type].propertyFlags & wanted) != wanted)
		type++;
	const VkMemoryAllocateFlagsInfo flags = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
	const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
					       .pNext = &flags,
					       .allocationSize = need.size,
					       .memoryTypeIndex = type};
	CHECK(vkAllocateMemory(device, &allocate, NULL, &b.memory));
	CHECK(vkBindBufferMemory(device, b.buffer, b.memory, 0));
	CHECK(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.map));
	const VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
					      .buffer = b.buffer};
	b.va = vkGetBufferDeviceAddress(device, &of);
	return b;
}

static VkDescriptorSetLayout make_layout(const VkDescriptorSetLayoutBinding *bindings, uint32_t n)
{
	VkDescriptorSetLayout layout;
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
		.bindingCount = n,
		.pBindings = bindings};
	CHECK(vkCreateDescriptorSetLayout(device, &info, NULL, &layout));
	return layout;
}

static VkPipeline make_pipeline(const char *path, VkPipelineLayout layout)
{
	static uint32_t code[1 << 14];
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(code, 1, sizeof(code), f) : 0;
	VkShaderModule module;
	VkPipeline pipeline;
	const VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = n, .pCode = code};
	CHECK(vkCreateShaderModule(device, &info, NULL, &module));
	const VkComputePipelineCreateInfo create = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .module = module,
			  .pName = "main"},
		.layout = layout};
	CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &create, NULL, &pipeline));
	fclose(f);
	return pipeline;
}

/* Writes the descriptor of a buffer, of a binding in the set that begins at `set`. */
static void put(char *set, VkDescriptorSetLayout layout, const VkDescriptorSetLayoutBinding *b,
		const VkDescriptorAddressInfoEXT *what)
{
	ENTRY(vkGetDescriptorEXT);
	ENTRY(vkGetDescriptorSetLayoutBindingOffsetEXT);
	VkPhysicalDeviceDescriptorBufferPropertiesEXT sizes = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};
	VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
					   .pNext = &sizes};
	bool is_uniform = b->descriptorType == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
	VkDeviceSize offset;
	vkGetPhysicalDeviceProperties2(physical, &all);
	vkGetDescriptorSetLayoutBindingOffsetEXT(device, layout, b->binding, &offset);
	const VkDescriptorGetInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
					     .type = b->descriptorType,
					     .data = {.pStorageBuffer = what}};
	vkGetDescriptorEXT(device, &info,
			   is_uniform ? sizes.uniformBufferDescriptorSize
				      : sizes.storageBufferDescriptorSize,
			   set + offset);
}

static void run(VkPipeline pipeline, VkPipelineLayout layout, VkDeviceAddress descriptors,
		bool newer)
{
	ENTRY(vkCmdBindDescriptorBuffersEXT);
	ENTRY(vkCmdSetDescriptorBufferOffsetsEXT);
	ENTRY(vkCmdSetDescriptorBufferOffsets2EXT);
	const VkCommandPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandPool pool;
	VkCommandBuffer cmd;
	VkQueue queue;
	CHECK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
	const VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = pool,
		.commandBufferCount = 1};
	CHECK(vkAllocateCommandBuffers(device, &allocate, &cmd));
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	CHECK(vkBeginCommandBuffer(cmd, &begin));
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	const VkDescriptorBufferBindingInfoEXT binding = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
		.address = descriptors,
		.usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT};
	vkCmdBindDescriptorBuffersEXT(cmd, 1, &binding);
	const uint32_t indices[2] = {0, 0};
	const VkDeviceSize offsets[2] = {0, SECOND_SET_B};
	const VkSetDescriptorBufferOffsetsInfoEXT set = {.sType = SET_OFFSETS_INFO,
							 .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
							 .layout = layout,
							 .setCount = 2,
							 .pBufferIndices = indices,
							 .pOffsets = offsets};
	if (newer)
		vkCmdSetDescriptorBufferOffsets2EXT(cmd, &set);
	else
		vkCmdSetDescriptorBufferOffsetsEXT(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0,
						   2, indices, offsets);
	vkCmdDispatch(cmd, N_ITEMS / 64, 1, 1);
	CHECK(vkEndCommandBuffer(cmd));
	vkGetDeviceQueue(device, 0, 0, &queue);
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				     .commandBufferCount = 1,
				     .pCommandBuffers = &cmd};
	CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
	CHECK(vkQueueWaitIdle(queue));
}

int main(int argc, char **argv)
{
	static const VkDescriptorSetLayoutBinding first[] = {
		{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
		{2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
	static const VkDescriptorSetLayoutBinding second[] = {
		{1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
	bool newer = argc == 3 && argv[2][0] == '2';
	if (argc != 2 && !newer)
		return 2;
	open_device(newer);
	const VkDescriptorSetLayout sets[] = {make_layout(first, 2), make_layout(second, 1)};
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 2,
		.pSetLayouts = sets};
	VkPipelineLayout layout;
	CHECK(vkCreatePipelineLayout(device, &info, NULL, &layout));
	VkPipeline pipeline = make_pipeline(argv[1], layout);
	struct buffer source = make_buffer(4 * N_ITEMS, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT),
		      target = make_buffer(4 * N_ITEMS, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT),
		      params = make_buffer(64, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT),
		      all = make_buffer(2 * SECOND_SET_B,
					VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT);
	for (int i = 0; i < N_ITEMS; i++)
		((float *)source.map)[i] = (float)i;
	((float *)params.map)[0] = 3;
	((int *)params.map)[1] = 200;
	const VkStructureType type = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT;
	put(all.map, sets[0], &first[0],
	    &(VkDescriptorAddressInfoEXT){type, NULL, source.va, 4 * N_ITEMS, VK_FORMAT_UNDEFINED});
	put(all.map, sets[0], &first[1],
	    &(VkDescriptorAddressInfoEXT){type, NULL, target.va, 4 * N_ITEMS, VK_FORMAT_UNDEFINED});
	put((char *)all.map + SECOND_SET_B, sets[1], &second[0],
	    &(VkDescriptorAddressInfoEXT){type, NULL, params.va, 16, VK_FORMAT_UNDEFINED});
	run(pipeline, layout, all.va, newer);
	printf("%g %g\n", ((float *)target.map)[199], ((float *)target.map)[200]);
	return 0;
}
