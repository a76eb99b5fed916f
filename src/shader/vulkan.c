/* SPDX-License-Identifier: MIT */
#include "shader/vulkan.h"

#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "base/cleanup.h"
#include "base/util.h"

enum { VENDOR_AMD = 0x1002, MAX_SETS = 32, MAX_GPUS = 16 };

struct buffer {
	VkBuffer buffer;
	VkDeviceMemory memory;
	void *map;
};

struct vk {
	struct bw_shader_plan *plan;
	VkInstance instance;
	VkPhysicalDevice gpu;
	VkDevice device;
	uint32_t family;
	VkQueue queue;
	bool can_name;
	struct buffer *buffers; /* one for each block; none for push constants */
	VkDescriptorSetLayout layouts[MAX_SETS];
	VkDescriptorSet sets[MAX_SETS];
	uint32_t n_sets;
	VkDescriptorPool pool;
	VkPipelineLayout layout;
	VkShaderModule module;
	VkPipeline pipeline;
	VkCommandPool commands;
	VkFence fence;
};

static const char *result_name(VkResult r)
{
	static const struct {
		VkResult r;
		const char *name;
	} rows[] = {
		{VK_ERROR_OUT_OF_HOST_MEMORY, "out of memory"},
		{VK_ERROR_OUT_OF_DEVICE_MEMORY, "out of the GPU's memory"},
		{VK_ERROR_INITIALIZATION_FAILED, "initialization failed"},
		{VK_ERROR_DEVICE_LOST, "the device was lost"},
		{VK_ERROR_LAYER_NOT_PRESENT, "a layer is missing"},
		{VK_ERROR_EXTENSION_NOT_PRESENT, "an extension is missing"},
		{VK_ERROR_FEATURE_NOT_PRESENT, "a feature is missing"},
		{VK_ERROR_INCOMPATIBLE_DRIVER, "no Vulkan driver is installed"},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (rows[i].r == r)
			return rows[i].name;
	return NULL;
}

static struct bw_error *check(VkResult r, const char *doing)
{
	const char *name = result_name(r);
	enum bw_error_code code = r == VK_ERROR_DEVICE_LOST	      ? BW_E_GONE
				  : r == VK_ERROR_INCOMPATIBLE_DRIVER ? BW_E_NOT_FOUND
								      : BW_E_SYSTEM;
	if (r == VK_SUCCESS)
		return NULL;
	return name ? bw_errorf(code, "%s: %s", doing, name)
		    : bw_errorf(code, "%s: VkResult %d", doing, (int)r);
}

/* ---- The device ---- */

static bool has_instance_extension(const char *name)
{
	uint32_t n = 0;
	if (vkEnumerateInstanceExtensionProperties(NULL, &n, NULL) || !n)
		return false;
	_cleanup_free_ VkExtensionProperties *all = calloc(n, sizeof(*all));
	if (!all || vkEnumerateInstanceExtensionProperties(NULL, &n, all) < 0)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(all[i].extensionName, name))
			return true;
	return false;
}

static struct bw_error *open_instance(struct vk *v)
{
	const char *names[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
	v->can_name = has_instance_extension(names[0]);
	const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
				       .pApplicationName = "breakwater-launch-shader",
				       .apiVersion = VK_API_VERSION_1_3};
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					   .pApplicationInfo = &app,
					   .enabledExtensionCount = v->can_name,
					   .ppEnabledExtensionNames = names};
	BW_TRY(check(vkCreateInstance(&info, NULL, &v->instance), "opening Vulkan"));
	VkPhysicalDevice all[MAX_GPUS];
	uint32_t n = MAX_GPUS;
	VkResult r = vkEnumeratePhysicalDevices(v->instance, &n, all);
	BW_TRY(check(r == VK_INCOMPLETE ? VK_SUCCESS : r, "listing Vulkan's GPUs"));
	for (uint32_t i = 0; i < n && !v->gpu; i++) {
		VkPhysicalDeviceProperties p;
		vkGetPhysicalDeviceProperties(all[i], &p);
		if (p.vendorID == VENDOR_AMD && p.apiVersion >= VK_API_VERSION_1_2)
			v->gpu = all[i];
	}
	if (!v->gpu)
		return bw_errorf(BW_E_NOT_FOUND,
				 "Vulkan knows no AMD GPU: its driver is RADV (Debian package "
				 "mesa-vulkan-drivers)");
	return NULL;
}

static bool find_family(struct vk *v)
{
	VkQueueFamilyProperties all[16];
	uint32_t n = BW_ARRAY_SIZE(all);
	int best = -1;
	vkGetPhysicalDeviceQueueFamilyProperties(v->gpu, &n, all);
	for (uint32_t i = 0; i < n; i++) {
		bool compute = all[i].queueFlags & VK_QUEUE_COMPUTE_BIT;
		bool graphics = all[i].queueFlags & VK_QUEUE_GRAPHICS_BIT;
		if (compute && (best < 0 || !graphics))
			best = (int)i;
	}
	v->family = (uint32_t)BW_MAX(best, 0);
	return best >= 0;
}

/* With all that the GPU can do, as the shader may use any of it. */
static struct bw_error *open_device(struct vk *v)
{
	VkPhysicalDeviceVulkan13Features f13 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
	VkPhysicalDeviceVulkan12Features f12 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
	VkPhysicalDeviceVulkan11Features f11 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &f12};
	VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					      .pNext = &f11};
	VkPhysicalDeviceProperties p;
	vkGetPhysicalDeviceProperties(v->gpu, &p);
	if (p.apiVersion >= VK_API_VERSION_1_3)
		f12.pNext = &f13;
	vkGetPhysicalDeviceFeatures2(v->gpu, &features);
	/* no debugger of ours, and slower code */
	features.features.robustBufferAccess = VK_FALSE;
	f13.robustImageAccess = VK_FALSE;
	if (!find_family(v))
		return bw_errorf(BW_E_NOT_FOUND, "the GPU has no queue for compute shaders");
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					       .queueFamilyIndex = v->family,
					       .queueCount = 1,
					       .pQueuePriorities = &priority};
	const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
					 .pNext = &features,
					 .queueCreateInfoCount = 1,
					 .pQueueCreateInfos = &queue};
	BW_TRY(check(vkCreateDevice(v->gpu, &info, NULL, &v->device), "opening the GPU"));
	vkGetDeviceQueue(v->device, v->family, 0, &v->queue);
	return NULL;
}

static void give_name(struct vk *v, VkObjectType type, uint64_t handle, const char *name)
{
	if (!v->can_name)
		return;
	PFN_vkSetDebugUtilsObjectNameEXT set =
		(PFN_vkSetDebugUtilsObjectNameEXT)(uintptr_t)vkGetDeviceProcAddr(
			v->device, "vkSetDebugUtilsObjectNameEXT");
	const VkDebugUtilsObjectNameInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = type,
		.objectHandle = handle,
		.pObjectName = name};
	if (set)
		set(v->device, &info);
}

/* ---- Buffers ---- */

static struct bw_error *memory_type(struct vk *v, uint32_t allowed, uint32_t *out)
{
	const VkMemoryPropertyFlags wanted =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	VkPhysicalDeviceMemoryProperties p;
	vkGetPhysicalDeviceMemoryProperties(v->gpu, &p);
	for (uint32_t i = 0; i < p.memoryTypeCount; i++) {
		if (allowed >> i & 1 && (p.memoryTypes[i].propertyFlags & wanted) == wanted) {
			*out = i;
			return NULL;
		}
	}
	return bw_errorf(BW_E_SYSTEM, "the GPU has no memory that the CPU can read");
}

static struct bw_error *make_buffer(struct vk *v, size_t block)
{
	const struct bw_shader_block *b = &v->plan->shader->blocks.data[block];
	const struct bw_shader_bytes *bytes = &v->plan->bytes[block];
	struct buffer *out = &v->buffers[block];
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
					 .size = bytes->size_b,
					 .usage = b->kind == BW_SHADER_STORAGE
							  ? VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
							  : VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT};
	BW_TRY(check(vkCreateBuffer(v->device, &info, NULL, &out->buffer), "making a buffer"));
	VkMemoryRequirements needs;
	vkGetBufferMemoryRequirements(v->device, out->buffer, &needs);
	VkMemoryAllocateInfo alloc = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				      .allocationSize = needs.size};
	BW_TRY(memory_type(v, needs.memoryTypeBits, &alloc.memoryTypeIndex));
	BW_TRY(check(vkAllocateMemory(v->device, &alloc, NULL, &out->memory), "making a buffer"));
	BW_TRY(check(vkBindBufferMemory(v->device, out->buffer, out->memory, 0),
		     "making a buffer"));
	BW_TRY(check(vkMapMemory(v->device, out->memory, 0, VK_WHOLE_SIZE, 0, &out->map),
		     "reaching a buffer"));
	memcpy(out->map, bytes->data, bytes->size_b);
	give_name(v, VK_OBJECT_TYPE_BUFFER, (uint64_t)(uintptr_t)out->buffer, b->name);
	return NULL;
}

static struct bw_error *make_buffers(struct vk *v)
{
	const struct bw_shader *s = v->plan->shader;
	v->buffers = calloc(s->blocks.len + 1, sizeof(*v->buffers));
	if (!v->buffers)
		return bw_error_nomem();
	for (size_t i = 0; i < s->blocks.len; i++)
		if (s->blocks.data[i].kind != BW_SHADER_PUSH)
			BW_TRY(bw_error_wrap(make_buffer(v, i), "%s", s->blocks.data[i].name));
	return NULL;
}

/* ---- Descriptors ---- */

static VkDescriptorType descriptor_type(const struct bw_shader_block *b)
{
	return b->kind == BW_SHADER_STORAGE ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
					    : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
}

static struct bw_error *make_set_layout(struct vk *v, uint32_t set)
{
	const struct bw_shader *s = v->plan->shader;
	_cleanup_free_ VkDescriptorSetLayoutBinding *bindings =
		calloc(s->blocks.len + 1, sizeof(*bindings));
	uint32_t n = 0;
	if (!bindings)
		return bw_error_nomem();
	bw_vec_each(&s->blocks, b)
		if (b->kind != BW_SHADER_PUSH && b->set == set && !b->element)
			bindings[n++] = (VkDescriptorSetLayoutBinding){
				.binding = b->binding,
				.descriptorType = descriptor_type(b),
				.descriptorCount = b->elements,
				.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = n,
		.pBindings = bindings};
	return check(vkCreateDescriptorSetLayout(v->device, &info, NULL, &v->layouts[set]),
		     "describing the buffers");
}

static struct bw_error *make_sets(struct vk *v)
{
	const struct bw_shader *s = v->plan->shader;
	bw_vec_each(&s->blocks, b) {
		if (b->kind == BW_SHADER_PUSH)
			continue;
		if (b->set >= MAX_SETS)
			return bw_errorf(BW_E_UNSUPPORTED,
					 "%s is in descriptor set %u, of %d at most", b->name,
					 b->set, MAX_SETS);
		v->n_sets = BW_MAX(v->n_sets, b->set + 1);
	}
	if (!v->n_sets)
		return NULL;
	for (uint32_t i = 0; i < v->n_sets; i++)
		BW_TRY(make_set_layout(v, i));
	const uint32_t n = (uint32_t)s->blocks.len;
	const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, n},
					      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, n}};
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = v->n_sets,
		.poolSizeCount = BW_ARRAY_SIZE(sizes),
		.pPoolSizes = sizes};
	BW_TRY(check(vkCreateDescriptorPool(v->device, &pool, NULL, &v->pool),
		     "describing the buffers"));
	const VkDescriptorSetAllocateInfo alloc = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = v->pool,
		.descriptorSetCount = v->n_sets,
		.pSetLayouts = v->layouts};
	BW_TRY(check(vkAllocateDescriptorSets(v->device, &alloc, v->sets),
		     "describing the buffers"));
	for (size_t i = 0; i < s->blocks.len; i++) {
		const struct bw_shader_block *b = &s->blocks.data[i];
		if (b->kind == BW_SHADER_PUSH)
			continue;
		const VkDescriptorBufferInfo buffer = {v->buffers[i].buffer, 0, VK_WHOLE_SIZE};
		const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
						    .dstSet = v->sets[b->set],
						    .dstBinding = b->binding,
						    .dstArrayElement = b->element,
						    .descriptorCount = 1,
						    .descriptorType = descriptor_type(b),
						    .pBufferInfo = &buffer};
		vkUpdateDescriptorSets(v->device, 1, &write, 0, NULL);
	}
	return NULL;
}

/* ---- The pipeline ---- */

static const struct bw_shader_bytes *push_constants(const struct vk *v)
{
	const struct bw_shader *s = v->plan->shader;
	for (size_t i = 0; i < s->blocks.len; i++)
		if (s->blocks.data[i].kind == BW_SHADER_PUSH)
			return &v->plan->bytes[i];
	return NULL;
}

static uint32_t push_size(const struct vk *v)
{
	const struct bw_shader_bytes *push = push_constants(v);
	return push ? (uint32_t)bw_align_up(push->size_b, 4) : 0;
}

static struct bw_error *make_layout(struct vk *v)
{
	const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size(v)};
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = v->n_sets,
		.pSetLayouts = v->layouts,
		.pushConstantRangeCount = range.size != 0,
		.pPushConstantRanges = &range};
	return check(vkCreatePipelineLayout(v->device, &info, NULL, &v->layout),
		     "describing the arguments");
}

static struct bw_error *make_pipeline(struct vk *v, const char *name)
{
	const struct bw_shader *s = v->plan->shader;
	const VkShaderModuleCreateInfo module = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = s->n_words * 4,
		.pCode = s->words};
	BW_TRY(check(vkCreateShaderModule(v->device, &module, NULL, &v->module),
		     "handing the shader to the driver"));
	_cleanup_free_ VkSpecializationMapEntry *entries =
		calloc(s->constants.len + 1, sizeof(*entries));
	_cleanup_free_ uint64_t *values = calloc(s->constants.len + 1, sizeof(*values));
	uint32_t n = 0;
	if (!entries || !values)
		return bw_error_nomem();
	for (size_t i = 0; i < s->constants.len; i++) {
		const struct bw_arg_value *value = &v->plan->constants[i];
		if (!value->data)
			continue;
		memcpy(&values[n], value->data, value->size_b);
		entries[n] = (VkSpecializationMapEntry){
			s->constants.data[i].id, (uint32_t)(n * sizeof(*values)), value->size_b};
		n++;
	}
	const VkSpecializationInfo special = {n, entries, n * sizeof(*values), values};
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .module = v->module,
			  .pName = s->entry,
			  .pSpecializationInfo = &special},
		.layout = v->layout};
	BW_TRY(check(
		vkCreateComputePipelines(v->device, VK_NULL_HANDLE, 1, &info, NULL, &v->pipeline),
		"compiling the shader"));
	give_name(v, VK_OBJECT_TYPE_PIPELINE, (uint64_t)(uintptr_t)v->pipeline, name);
	return NULL;
}

/* ---- The dispatch ---- */

static struct bw_error *record(struct vk *v, VkCommandBuffer *out)
{
	const struct bw_shader_bytes *push = push_constants(v);
	const uint32_t *groups = v->plan->groups;
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
					      .queueFamilyIndex = v->family};
	BW_TRY(check(vkCreateCommandPool(v->device, &pool, NULL, &v->commands),
		     "recording the dispatch"));
	const VkCommandBufferAllocateInfo alloc = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = v->commands,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1};
	VkCommandBuffer cb;
	BW_TRY(check(vkAllocateCommandBuffers(v->device, &alloc, &cb), "recording the dispatch"));
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
	BW_TRY(check(vkBeginCommandBuffer(cb, &begin), "recording the dispatch"));
	vkCmdBindPipeline(cb, VK_PIPELINE_BIND_POINT_COMPUTE, v->pipeline);
	if (v->n_sets)
		vkCmdBindDescriptorSets(cb, VK_PIPELINE_BIND_POINT_COMPUTE, v->layout, 0, v->n_sets,
					v->sets, 0, NULL);
	if (push)
		vkCmdPushConstants(cb, v->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size(v),
				   push->data);
	vkCmdDispatch(cb, groups[0], groups[1], groups[2]);
	const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					 .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
					 .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
	vkCmdPipelineBarrier(cb, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
			     0, 1, &barrier, 0, NULL, 0, NULL);
	BW_TRY(check(vkEndCommandBuffer(cb), "recording the dispatch"));
	*out = cb;
	return NULL;
}

static struct bw_error *dispatch(struct vk *v)
{
	VkCommandBuffer cb;
	BW_TRY(record(v, &cb));
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	BW_TRY(check(vkCreateFence(v->device, &fence, NULL, &v->fence), "submitting the dispatch"));
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				     .commandBufferCount = 1,
				     .pCommandBuffers = &cb};
	BW_TRY(check(vkQueueSubmit(v->queue, 1, &submit, v->fence), "submitting the dispatch"));
	/* for as long as a debugger holds it */
	BW_TRY(check(vkWaitForFences(v->device, 1, &v->fence, VK_TRUE, UINT64_MAX),
		     "waiting for the shader"));
	const struct bw_shader *s = v->plan->shader;
	for (size_t i = 0; i < s->blocks.len; i++)
		if (s->blocks.data[i].kind == BW_SHADER_STORAGE)
			memcpy(v->plan->bytes[i].data, v->buffers[i].map, v->plan->bytes[i].size_b);
	return NULL;
}

static void close_all(struct vk *v)
{
	if (v->device) {
		vkDeviceWaitIdle(v->device);
		vkDestroyFence(v->device, v->fence, NULL);
		vkDestroyCommandPool(v->device, v->commands, NULL);
		vkDestroyPipeline(v->device, v->pipeline, NULL);
		vkDestroyShaderModule(v->device, v->module, NULL);
		vkDestroyPipelineLayout(v->device, v->layout, NULL);
		vkDestroyDescriptorPool(v->device, v->pool, NULL);
		for (uint32_t i = 0; i < v->n_sets; i++)
			vkDestroyDescriptorSetLayout(v->device, v->layouts[i], NULL);
		for (size_t i = 0; v->buffers && i < v->plan->shader->blocks.len; i++) {
			vkDestroyBuffer(v->device, v->buffers[i].buffer, NULL);
			vkFreeMemory(v->device, v->buffers[i].memory, NULL);
		}
		vkDestroyDevice(v->device, NULL);
	}
	if (v->instance)
		vkDestroyInstance(v->instance, NULL);
	free(v->buffers);
}

static struct bw_error *run(struct vk *v, const char *name)
{
	BW_TRY(open_instance(v));
	BW_TRY(open_device(v));
	BW_TRY(make_buffers(v));
	BW_TRY(make_sets(v));
	BW_TRY(make_layout(v));
	BW_TRY(make_pipeline(v, name));
	return dispatch(v);
}

struct bw_error *bw_shader_run(struct bw_shader_plan *plan, const char *name)
{
	struct vk v = {.plan = plan};
	struct bw_error *err = run(&v, name);
	close_all(&v);
	return err;
}
