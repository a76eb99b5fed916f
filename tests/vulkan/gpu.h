/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_VULKAN_GPU_H
#define BW_TESTS_VULKAN_GPU_H

/* A Vulkan device for the corpus: chosen by a part of its name, with every feature on that it has,
 * and a queue of each family that can compute. */

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

enum gpu_family {
	GPU_UNIVERSAL,
	GPU_COMPUTE,
	GPU_N_FAMILIES,
	GPU_TRANSFER = GPU_N_FAMILIES,
	GPU_N_QUEUES
};

struct gpu_options {
	const char *name; /* part of the device's name; NULL: the first device */
	bool validate;
	bool robust;
	unsigned patience_s; /* how long one submission may take; 0: as on a slow GPU */
};

struct gpu {
	VkInstance instance;
	VkDebugUtilsMessengerEXT messenger;
	uint64_t patience_ns;
	VkPhysicalDevice physical;
	VkDevice device;
	VkPhysicalDeviceProperties properties;
	VkPhysicalDeviceMemoryProperties memory;
	VkPhysicalDeviceSubgroupSizeControlProperties subgroup_sizes;
	/* The same family twice where the device has no compute-only one. GPU_TRANSFER: only where
	 * has_transfer. */
	uint32_t family[GPU_N_QUEUES];
	VkQueue queue[GPU_N_QUEUES];
	VkCommandPool pool[GPU_N_QUEUES];
	bool has_transfer;     /* a family that only transfers */
	uint64_t features;     /* bits: index in case_feature_names */
	bool has_address;      /* bufferDeviceAddress */
	unsigned n_validation; /* messages of the validation layer */
};

struct bw_error *gpu_open(const struct gpu_options *options, struct gpu **out_gpu);
void gpu_close(struct gpu *gpu); /* accepts NULL */

struct bw_error *gpu_error(VkResult result, const char *what);
/* Returns from the calling function when a Vulkan call fails. */
#define GPU_TRY(call)                                                                              \
	do {                                                                                       \
		VkResult gpu_try_ = (call);                                                        \
		if (gpu_try_ != VK_SUCCESS)                                                        \
			return gpu_error(gpu_try_, #call);                                         \
	} while (0)

struct gpu_memory {
	VkDeviceMemory memory;
	void *map; /* NULL where it is not for the host */
};

struct bw_error *gpu_allocate(struct gpu *gpu, VkMemoryRequirements req, bool for_host,
			      struct gpu_memory *out_memory);
/* A buffer of this size with memory bound to it. */
struct bw_error *gpu_buffer(struct gpu *gpu, VkDeviceSize size_b, VkBufferUsageFlags usage,
			    bool for_host, VkBuffer *out_buffer, struct gpu_memory *out_memory);

struct bw_error *gpu_begin(struct gpu *gpu, enum gpu_family family, VkCommandBuffer *out_cmd);
/* Ends, submits, waits until it is done, and frees it. */
struct bw_error *gpu_finish(struct gpu *gpu, enum gpu_family family, VkCommandBuffer cmd);
/* Everything before is done and visible for everything after. */
void gpu_barrier(VkCommandBuffer cmd);

#endif
