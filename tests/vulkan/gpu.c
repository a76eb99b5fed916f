/* SPDX-License-Identifier: MIT */
#include "gpu.h"

#include "base/cleanup.h"
#include "base/util.h"

#include <stdio.h>
#include <string.h>

/* How long one submission may take: the virtual GPU under sanitizers on a busy machine is slow. */
enum { PATIENCE_S = 240 };

/* Not in bookworm's headers: VK_KHR_cooperative_matrix. */
#ifndef VK_KHR_cooperative_matrix
#define VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME "VK_KHR_cooperative_matrix"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR                          \
	((VkStructureType)1000506000)
typedef struct {
	VkStructureType sType;
	void *pNext;
	VkBool32 cooperativeMatrix;
	VkBool32 cooperativeMatrixRobustBufferAccess;
} VkPhysicalDeviceCooperativeMatrixFeaturesKHR;
#endif

/* Extensions that are switched on where the device has them, and their feature structs. */
struct extra {
	VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
	VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2;
	VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT image_int64;
	VkPhysicalDeviceRobustness2FeaturesEXT robust2;
	VkPhysicalDeviceShaderClockFeaturesKHR clock;
	VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR layout;
	VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional;
	VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix;
	VkPhysicalDeviceProvokingVertexFeaturesEXT provoking_vertex;
	VkPhysicalDeviceIndexTypeUint8FeaturesEXT index_uint8;
	VkPhysicalDeviceLineRasterizationFeaturesEXT lines;
	VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback;
	VkPhysicalDeviceMeshShaderFeaturesEXT mesh;
	VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT generated;
};

#define NO_FEATURES SIZE_MAX

struct features {
	VkPhysicalDeviceFeatures2 core;
	VkPhysicalDeviceVulkan11Features v11;
	VkPhysicalDeviceVulkan12Features v12;
	VkPhysicalDeviceVulkan13Features v13;
	struct extra extra;
};

static const struct {
	const char *name;
	VkStructureType type;
	size_t offset;
} extensions[] = {
	{VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
	 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
	 offsetof(struct extra, atomic_float)},
	{VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME,
	 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
	 offsetof(struct extra, atomic_float2)},
	{VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME,
	 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT,
	 offsetof(struct extra, image_int64)},
	{VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
	 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
	 offsetof(struct extra, robust2)},
	{VK_KHR_SHADER_CLOCK_EXTENSION_NAME,
	 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR,
	 offsetof(struct extra, clock)},
	{VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME,
	 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
	 offsetof(struct extra, layout)},
	{VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
	 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
	 offsetof(struct extra, conditional)},
	{VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
	 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
	 offsetof(struct extra, matrix)},
	{VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME,
	 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT,
	 offsetof(struct extra, provoking_vertex)},
	{VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME,
	 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT,
	 offsetof(struct extra, index_uint8)},
	{VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME,
	 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT,
	 offsetof(struct extra, lines)},
	{VK_EXT_MESH_SHADER_EXTENSION_NAME,
	 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT, offsetof(struct extra, mesh)},
	{VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
	 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
	 offsetof(struct extra, feedback)},
	{VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME,
	 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT,
	 offsetof(struct extra, generated)},
	{VK_EXT_SHADER_STENCIL_EXPORT_EXTENSION_NAME, 0, NO_FEATURES},
	{VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, 0, NO_FEATURES},
	{VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME, 0, NO_FEATURES},
	{VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME, 0, NO_FEATURES},
	{VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, 0, NO_FEATURES},
	{VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, 0, NO_FEATURES},
	{VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, 0, NO_FEATURES},
	{VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME, 0, NO_FEATURES},
	{VK_AMD_BUFFER_MARKER_EXTENSION_NAME, 0, NO_FEATURES},
};

struct bw_error *gpu_error(VkResult result, const char *what)
{
	static const struct {
		VkResult result;
		const char *name;
	} names[] = {
		{VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST"},
		{VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY"},
		{VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY"},
		{VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED"},
		{VK_TIMEOUT, "VK_TIMEOUT"},
	};
	int n = (int)strcspn(what, "(");
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++)
		if (names[i].result == result)
			return bw_errorf(result == VK_TIMEOUT ? BW_E_TIMEOUT : BW_E_SYSTEM,
					 "%.*s: %s", n, what, names[i].name);
	return bw_errorf(BW_E_SYSTEM, "%.*s: VkResult %d", n, what, result);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
						 VkDebugUtilsMessageTypeFlagsEXT types,
						 const VkDebugUtilsMessengerCallbackDataEXT *data,
						 void *user)
{
	struct gpu *gpu = user;
	gpu->n_validation++;
	fprintf(stderr, "validation: %s\n", data->pMessage);
	return VK_FALSE;
}

static struct bw_error *open_instance(struct gpu *gpu, bool validate)
{
	static const char *const layers[] = {"VK_LAYER_KHRONOS_validation"};
	static const char *const exts[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
	VkDebugUtilsMessengerCreateInfoEXT messenger = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
				   VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
		.pfnUserCallback = on_message,
		.pUserData = gpu,
	};
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
				 .pApplicationName = "vkrun",
				 .apiVersion = VK_API_VERSION_1_3};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pNext = validate ? &messenger : NULL,
		.pApplicationInfo = &app,
		.enabledLayerCount = validate,
		.ppEnabledLayerNames = layers,
		.enabledExtensionCount = 1, /* the loader has it */
		.ppEnabledExtensionNames = exts,
	};
	GPU_TRY(vkCreateInstance(&info, NULL, &gpu->instance));
	if (!validate)
		return NULL;
	PFN_vkCreateDebugUtilsMessengerEXT create =
		(PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
			gpu->instance, "vkCreateDebugUtilsMessengerEXT");
	GPU_TRY(create(gpu->instance, &messenger, NULL, &gpu->messenger));
	return NULL;
}

static struct bw_error *find_device(struct gpu *gpu, const char *name)
{
	VkPhysicalDevice all[16];
	uint32_t n = BW_ARRAY_SIZE(all);
	VkResult result = vkEnumeratePhysicalDevices(gpu->instance, &n, all);
	if (result != VK_INCOMPLETE)
		GPU_TRY(result);
	for (uint32_t i = 0; i < n; i++) {
		vkGetPhysicalDeviceProperties(all[i], &gpu->properties);
		if (!name || strstr(gpu->properties.deviceName, name)) {
			gpu->physical = all[i];
			vkGetPhysicalDeviceMemoryProperties(gpu->physical, &gpu->memory);
			return NULL;
		}
	}
	return bw_errorf(BW_E_NOT_FOUND, "no Vulkan device has \"%s\" in its name",
			 name ? name : "");
}

static void find_families(struct gpu *gpu)
{
	VkQueueFamilyProperties all[16];
	uint32_t n = BW_ARRAY_SIZE(all);
	vkGetPhysicalDeviceQueueFamilyProperties(gpu->physical, &n, all);
	bool has[GPU_N_FAMILIES] = {false};
	for (uint32_t i = 0; i < n; i++) {
		if ((all[i].queueFlags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT |
					  VK_QUEUE_GRAPHICS_BIT)) == VK_QUEUE_TRANSFER_BIT) {
			gpu->family[GPU_TRANSFER] = i;
			gpu->has_transfer = true;
		}
		if (!(all[i].queueFlags & VK_QUEUE_COMPUTE_BIT))
			continue;
		enum gpu_family f =
			all[i].queueFlags & VK_QUEUE_GRAPHICS_BIT ? GPU_UNIVERSAL : GPU_COMPUTE;
		if (!has[f])
			gpu->family[f] = i;
		has[f] = true;
	}
	if (!has[GPU_COMPUTE])
		gpu->family[GPU_COMPUTE] = gpu->family[GPU_UNIVERSAL];
	if (!has[GPU_UNIVERSAL])
		gpu->family[GPU_UNIVERSAL] = gpu->family[GPU_COMPUTE];
}

/* The extensions that the device has, their structs chained behind `out`. */
static struct bw_error *find_features(struct gpu *gpu, struct features *out, const char **out_names,
				      uint32_t *out_n)
{
	uint32_t n = 0;
	GPU_TRY(vkEnumerateDeviceExtensionProperties(gpu->physical, NULL, &n, NULL));
	_cleanup_free_ VkExtensionProperties *all = calloc(n, sizeof(*all));
	if (!all)
		return bw_error_nomem();
	GPU_TRY(vkEnumerateDeviceExtensionProperties(gpu->physical, NULL, &n, all));
	out->core = (VkPhysicalDeviceFeatures2){
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &out->v11, {0}};
	out->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
	out->v11.pNext = &out->v12;
	out->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
	out->v12.pNext = &out->v13;
	out->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
	VkBaseOutStructure *last = (void *)&out->v13;
	*out_n = 0;
	for (size_t e = 0; e < BW_ARRAY_SIZE(extensions); e++) {
		uint32_t i = 0;
		while (i < n && strcmp(all[i].extensionName, extensions[e].name))
			i++;
		if (i == n)
			continue;
		out_names[(*out_n)++] = extensions[e].name;
		if (extensions[e].offset == NO_FEATURES)
			continue;
		VkBaseOutStructure *mine = (void *)((char *)&out->extra + extensions[e].offset);
		mine->sType = extensions[e].type;
		last = last->pNext = mine;
	}
	vkGetPhysicalDeviceFeatures2(gpu->physical, &out->core);
	return NULL;
}

/* In the order of case_feature_names. */
static uint64_t feature_bits(const struct features *f)
{
	const VkBool32 have[] = {
		f->v12.shaderInt8,
		f->core.features.shaderInt16,
		f->core.features.shaderInt64,
		f->v12.shaderFloat16,
		f->core.features.shaderFloat64,
		f->v12.storageBuffer8BitAccess,
		f->v11.storageBuffer16BitAccess,
		f->v12.shaderBufferInt64Atomics,
		f->v12.shaderSharedInt64Atomics,
		f->extra.atomic_float.shaderBufferFloat32AtomicAdd,
		f->extra.atomic_float.shaderSharedFloat32AtomicAdd,
		f->extra.atomic_float2.shaderBufferFloat32AtomicMinMax,
		f->extra.atomic_float.shaderImageFloat32AtomicAdd,
		f->v12.bufferDeviceAddress,
		f->v13.subgroupSizeControl,
		f->extra.robust2.robustBufferAccess2,
		f->extra.image_int64.shaderImageInt64Atomics,
		f->extra.clock.shaderSubgroupClock,
		f->extra.layout.workgroupMemoryExplicitLayout,
		f->v13.shaderIntegerDotProduct,
		f->v11.storagePushConstant16,
		f->extra.matrix.cooperativeMatrix,
	};
	uint64_t bits = 0;
	for (size_t i = 0; i < BW_ARRAY_SIZE(have); i++)
		bits |= (uint64_t)(have[i] != 0) << i;
	return bits;
}

static struct bw_error *open_device(struct gpu *gpu, bool robust)
{
	struct features f = {0};
	const char *names[BW_ARRAY_SIZE(extensions)];
	uint32_t n_names = 0;
	BW_TRY(find_features(gpu, &f, names, &n_names));
	gpu->features = feature_bits(&f);
	gpu->has_address = f.v12.bufferDeviceAddress;
	if (!robust) {
		f.core.features.robustBufferAccess = VK_FALSE;
		f.v13.robustImageAccess = VK_FALSE;
		f.extra.robust2.robustBufferAccess2 = f.extra.robust2.robustImageAccess2 = VK_FALSE;
	}
	/* Off: what the corpus does not use and what needs more than a feature bit. */
	f.v11.protectedMemory = VK_FALSE;
	f.v12.bufferDeviceAddressCaptureReplay = f.v12.bufferDeviceAddressMultiDevice = VK_FALSE;
	float priority = 1;
	VkDeviceQueueCreateInfo queues[GPU_N_QUEUES];
	uint32_t n_queues = 0;
	for (int i = 0; i < GPU_N_QUEUES; i++) {
		bool again = i == GPU_COMPUTE && gpu->family[0] == gpu->family[1];
		if (again || (i == GPU_TRANSFER && !gpu->has_transfer))
			continue;
		queues[n_queues++] =
			(VkDeviceQueueCreateInfo){VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
						  NULL,
						  0,
						  gpu->family[i],
						  1,
						  &priority};
	}
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = &f.core,
		.queueCreateInfoCount = n_queues,
		.pQueueCreateInfos = queues,
		.enabledExtensionCount = n_names,
		.ppEnabledExtensionNames = names,
	};
	GPU_TRY(vkCreateDevice(gpu->physical, &info, NULL, &gpu->device));
	for (int i = 0; i < GPU_N_FAMILIES + gpu->has_transfer; i++) {
		vkGetDeviceQueue(gpu->device, gpu->family[i], 0, &gpu->queue[i]);
		VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, NULL, 0,
						gpu->family[i]};
		GPU_TRY(vkCreateCommandPool(gpu->device, &pool, NULL, &gpu->pool[i]));
	}
	return NULL;
}

struct bw_error *gpu_open(const struct gpu_options *options, struct gpu **out_gpu)
{
	struct gpu *gpu = calloc(1, sizeof(*gpu));
	if (!gpu)
		return bw_error_nomem();
	gpu->patience_ns = (options->patience_s ? options->patience_s : PATIENCE_S) * 1000000000ull;
	struct bw_error *err = open_instance(gpu, options->validate);
	if (!err)
		err = find_device(gpu, options->name);
	if (!err) {
		gpu->subgroup_sizes.sType =
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
		VkPhysicalDeviceProperties2 properties = {
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &gpu->subgroup_sizes, {0}};
		vkGetPhysicalDeviceProperties2(gpu->physical, &properties);
		find_families(gpu);
		err = open_device(gpu, options->robust);
	}
	if (err) {
		gpu_close(gpu);
		return err;
	}
	*out_gpu = gpu;
	return NULL;
}

void gpu_close(struct gpu *gpu)
{
	if (!gpu)
		return;
	if (gpu->device) {
		for (int i = 0; i < GPU_N_FAMILIES + gpu->has_transfer; i++)
			vkDestroyCommandPool(gpu->device, gpu->pool[i], NULL);
		vkDestroyDevice(gpu->device, NULL);
	}
	if (gpu->messenger) {
		PFN_vkDestroyDebugUtilsMessengerEXT destroy =
			(PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
				gpu->instance, "vkDestroyDebugUtilsMessengerEXT");
		destroy(gpu->instance, gpu->messenger, NULL);
	}
	if (gpu->instance)
		vkDestroyInstance(gpu->instance, NULL);
	free(gpu);
}

struct bw_error *gpu_allocate(struct gpu *gpu, VkMemoryRequirements req, bool for_host,
			      struct gpu_memory *out_memory)
{
	const VkMemoryPropertyFlags host =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	VkMemoryPropertyFlags wanted = for_host ? host : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
	uint32_t type = 0;
	while (type < gpu->memory.memoryTypeCount &&
	       (!(req.memoryTypeBits & 1u << type) ||
		(gpu->memory.memoryTypes[type].propertyFlags & wanted) != wanted))
		type++;
	if (type == gpu->memory.memoryTypeCount)
		return bw_errorf(BW_E_NOT_FOUND, "no memory type of the device fits");
	VkMemoryAllocateFlagsInfo flags = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, NULL,
					   VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
	VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				     gpu->has_address ? &flags : NULL, req.size, type};
	struct gpu_memory m = {0};
	GPU_TRY(vkAllocateMemory(gpu->device, &info, NULL, &m.memory));
	if (for_host) {
		VkResult result = vkMapMemory(gpu->device, m.memory, 0, VK_WHOLE_SIZE, 0, &m.map);
		if (result != VK_SUCCESS) {
			vkFreeMemory(gpu->device, m.memory, NULL);
			return gpu_error(result, "vkMapMemory");
		}
	}
	*out_memory = m;
	return NULL;
}

struct bw_error *gpu_buffer(struct gpu *gpu, VkDeviceSize size_b, VkBufferUsageFlags usage,
			    bool for_host, VkBuffer *out_buffer, struct gpu_memory *out_memory)
{
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = size_b,
		.usage = usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
			 VK_BUFFER_USAGE_TRANSFER_DST_BIT |
			 (gpu->has_address ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0),
		.sharingMode = gpu->family[0] == gpu->family[1] ? VK_SHARING_MODE_EXCLUSIVE
								: VK_SHARING_MODE_CONCURRENT,
		.queueFamilyIndexCount = GPU_N_FAMILIES + gpu->has_transfer,
		.pQueueFamilyIndices = gpu->family,
	};
	GPU_TRY(vkCreateBuffer(gpu->device, &info, NULL, out_buffer));
	VkMemoryRequirements req;
	vkGetBufferMemoryRequirements(gpu->device, *out_buffer, &req);
	BW_TRY(gpu_allocate(gpu, req, for_host, out_memory));
	GPU_TRY(vkBindBufferMemory(gpu->device, *out_buffer, out_memory->memory, 0));
	return NULL;
}

struct bw_error *gpu_begin(struct gpu *gpu, enum gpu_family family, VkCommandBuffer *out_cmd)
{
	VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL,
					    gpu->pool[family], VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
	GPU_TRY(vkAllocateCommandBuffers(gpu->device, &info, out_cmd));
	VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, NULL,
					  VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, NULL};
	GPU_TRY(vkBeginCommandBuffer(*out_cmd, &begin));
	return NULL;
}

struct bw_error *gpu_finish(struct gpu *gpu, enum gpu_family family, VkCommandBuffer cmd)
{
	GPU_TRY(vkEndCommandBuffer(cmd));
	VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, NULL, 0};
	VkFence fence;
	GPU_TRY(vkCreateFence(gpu->device, &info, NULL, &fence));
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			       .commandBufferCount = 1,
			       .pCommandBuffers = &cmd};
	VkResult result = vkQueueSubmit(gpu->queue[family], 1, &submit, fence);
	if (result == VK_SUCCESS)
		result = vkWaitForFences(gpu->device, 1, &fence, VK_TRUE, gpu->patience_ns);
	if (result == VK_TIMEOUT)
		return gpu_error(result, "vkWaitForFences");
	vkDestroyFence(gpu->device, fence, NULL);
	vkFreeCommandBuffers(gpu->device, gpu->pool[family], 1, &cmd);
	return result == VK_SUCCESS ? NULL : gpu_error(result, "the submission");
}

void gpu_barrier(VkCommandBuffer cmd)
{
	VkMemoryBarrier all = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL,
			       VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
			       VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0, NULL, 0, NULL);
}
