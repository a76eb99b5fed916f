/* SPDX-License-Identifier: MIT */
#include "shader/vulkan_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "capture/pipeline.h"

enum { VENDOR_AMD = 0x1002, MAX_GPUS = 16 };

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

struct bw_error *bw_shader_check(VkResult r, const char *doing)
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
	BW_TRY(bw_shader_check(vkCreateInstance(&info, NULL, &v->instance), "opening Vulkan"));
	VkPhysicalDevice all[MAX_GPUS];
	uint32_t n = MAX_GPUS;
	VkResult r = vkEnumeratePhysicalDevices(v->instance, &n, all);
	BW_TRY(bw_shader_check(r == VK_INCOMPLETE ? VK_SUCCESS : r, "listing Vulkan's GPUs"));
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

/* Opens the device with all of its features, as the shader may use any. */
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
	/* slower code, where it is not wanted */
	features.features.robustBufferAccess = !!(v->robustness & BW_CAPTURE_ROBUST_BUFFERS);
	f13.robustImageAccess = !!(v->robustness & BW_CAPTURE_ROBUST_IMAGES);
	VkPhysicalDeviceRobustness2FeaturesEXT two = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
		.pNext = &features,
		.robustBufferAccess2 = !!(v->robustness & BW_CAPTURE_ROBUST_BUFFERS_2),
		.robustImageAccess2 = !!(v->robustness & BW_CAPTURE_ROBUST_IMAGES_2)};
	const char *const names[] = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
	bool has_two = two.robustBufferAccess2 || two.robustImageAccess2;
	if (!find_family(v))
		return bw_errorf(BW_E_NOT_FOUND, "the GPU has no queue for compute shaders");
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					       .queueFamilyIndex = v->family,
					       .queueCount = 1,
					       .pQueuePriorities = &priority};
	const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
					 .pNext = has_two ? (void *)&two : (void *)&features,
					 .enabledExtensionCount = has_two,
					 .ppEnabledExtensionNames = names,
					 .queueCreateInfoCount = 1,
					 .pQueueCreateInfos = &queue};
	BW_TRY(bw_shader_check(vkCreateDevice(v->gpu, &info, NULL, &v->device), "opening the GPU"));
	vkGetDeviceQueue(v->device, v->family, 0, &v->queue);
	return NULL;
}

void bw_shader_give_name(struct vk *v, VkObjectType type, uint64_t handle, const char *name)
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
	return bw_shader_check(vkCreatePipelineLayout(v->device, &info, NULL, &v->layout),
			       "describing the arguments");
}

static struct bw_error *make_pipeline(struct vk *v, const char *name)
{
	const struct bw_shader *s = v->plan->shader;
	const VkShaderModuleCreateInfo module = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = s->n_words * 4,
		.pCode = s->words};
	BW_TRY(bw_shader_check(vkCreateShaderModule(v->device, &module, NULL, &v->module),
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
	BW_TRY(bw_shader_check(
		vkCreateComputePipelines(v->device, VK_NULL_HANDLE, 1, &info, NULL, &v->pipeline),
		"compiling the shader"));
	bw_shader_give_name(v, VK_OBJECT_TYPE_PIPELINE, (uint64_t)(uintptr_t)v->pipeline, name);
	return NULL;
}

/* ---- The dispatch ---- */

static struct bw_error *begin(struct vk *v, VkCommandBuffer *out)
{
	const VkCommandBufferAllocateInfo alloc = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = v->commands,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1};
	const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
					       .flags =
						       VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
	VkCommandBuffer cb;
	BW_TRY(bw_shader_check(vkAllocateCommandBuffers(v->device, &alloc, &cb),
			       "recording the dispatch"));
	*out = cb;
	return bw_shader_check(vkBeginCommandBuffer(cb, &info), "recording the dispatch");
}

static struct bw_error *submit(struct vk *v, VkCommandBuffer cb)
{
	const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				   .commandBufferCount = 1,
				   .pCommandBuffers = &cb};
	BW_TRY(bw_shader_check(vkEndCommandBuffer(cb), "recording the dispatch"));
	return bw_shader_check(vkQueueSubmit(v->queue, 1, &info, VK_NULL_HANDLE),
			       "submitting the dispatch");
}

static struct bw_error *submit_copies(struct vk *v,
				      void (*record)(struct vk *v, VkCommandBuffer cb))
{
	VkCommandBuffer cb;
	if (!bw_shader_needs_copies(v))
		return NULL;
	BW_TRY(begin(v, &cb));
	record(v, cb);
	return submit(v, cb);
}

static struct bw_error *submit_dispatch(struct vk *v)
{
	const struct bw_shader_bytes *push = push_constants(v);
	const uint32_t *groups = v->plan->groups;
	VkCommandBuffer cb;
	BW_TRY(begin(v, &cb));
	bw_shader_record_mapped(v, cb);
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
	return submit(v, cb);
}

/* Copies of images are dispatches of the driver's own: in submissions of their own, so that the
 * shader's has nothing else in it. */
static struct bw_error *dispatch(struct vk *v)
{
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
					      .queueFamilyIndex = v->family};
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	BW_TRY(bw_shader_check(vkCreateCommandPool(v->device, &pool, NULL, &v->commands),
			       "recording the dispatch"));
	BW_TRY(bw_shader_check(vkCreateFence(v->device, &fence, NULL, &v->fence),
			       "submitting the dispatch"));
	BW_TRY(submit_copies(v, bw_shader_record_uploads));
	BW_TRY(submit_dispatch(v));
	BW_TRY(submit_copies(v, bw_shader_record_downloads));
	BW_TRY(bw_shader_check(vkQueueSubmit(v->queue, 0, NULL, v->fence),
			       "submitting the dispatch"));
	/* for as long as a debugger holds it */
	BW_TRY(bw_shader_check(vkWaitForFences(v->device, 1, &v->fence, VK_TRUE, UINT64_MAX),
			       "waiting for the shader"));
	const struct bw_shader *s = v->plan->shader;
	for (size_t i = 0; i < s->blocks.len; i++)
		if (s->blocks.data[i].kind == BW_SHADER_STORAGE)
			memcpy(v->plan->bytes[i].data, v->buffers[i].map, v->plan->bytes[i].size_b);
	bw_shader_take_texels(v);
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
		bw_shader_close_images(v);
		bw_shader_close_resources(v);
		vkDestroyDevice(v->device, NULL);
	}
	if (v->instance)
		vkDestroyInstance(v->instance, NULL);
	free(v->buffers);
	free(v->images);
}

struct bw_error *bw_shader_open(struct vk *v)
{
	BW_TRY(open_instance(v));
	return open_device(v);
}

static struct bw_error *run_shader(struct vk *v, const char *name)
{
	BW_TRY(bw_shader_open(v));
	BW_TRY(bw_shader_make_buffers(v));
	BW_TRY(bw_shader_make_images(v));
	BW_TRY(bw_shader_make_sets(v));
	BW_TRY(make_layout(v));
	BW_TRY(make_pipeline(v, name));
	return dispatch(v);
}

struct bw_error *bw_shader_run(struct bw_shader_plan *plan, const char *name)
{
	struct vk v = {.plan = plan};
	struct bw_error *err = run_shader(&v, name);
	close_all(&v);
	return err;
}
