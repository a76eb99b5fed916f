/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_VULKAN_KIT_H
#define BW_TESTS_VULKAN_KIT_H

/* What the tests of the API share: buffers, one shader with one buffer, submissions. A step that
 * fails fails the test, so nothing here returns an error. */

#include <stdint.h>

#include "../suite.h"
#include "gpu.h"

#define VK_OK(call) assert_int_equal(call, VK_SUCCESS)

/* The entry point of an extension, declared as a variable of its name. */
#define KIT_ENTRY(gpu, name) PFN_##name name = (PFN_##name)vkGetDeviceProcAddr((gpu)->device, #name)

struct kit_buffer {
	VkBuffer buffer;
	struct gpu_memory memory;
	uint32_t *map;
	uint32_t n; /* dwords */
};

/* A compute shader with a storage buffer at binding 0 and push constants. */
struct kit_shader {
	VkDescriptorSetLayout set_layout;
	VkDescriptorPool pool;
	VkPipelineLayout layout;
	VkShaderModule module;
	VkPipeline pipeline;
	uint32_t push_b;
};

struct gpu *kit_open(void);
void kit_check(struct bw_error *err); /* fails the test with its message */

/* n dwords of zeros that the host sees. */
struct kit_buffer kit_buffer(struct gpu *gpu, uint32_t n);
void kit_buffer_free(struct gpu *gpu, struct kit_buffer *b);

VkShaderModule kit_load(struct gpu *gpu, const char *name); /* NAME.spv of the build */
struct kit_shader kit_shader(struct gpu *gpu, const char *name, uint32_t push_b);
/* Its buffer is pushed (VK_KHR_push_descriptor): kit_dispatch takes no set. */
struct kit_shader kit_shader_pushed(struct gpu *gpu, const char *name, uint32_t push_b);
void kit_shader_free(struct gpu *gpu, struct kit_shader *s);
VkDescriptorSet kit_set(struct gpu *gpu, const struct kit_shader *s, VkBuffer buffer);
/* Binds (but for no set) and dispatches. */
void kit_dispatch(VkCommandBuffer cmd, const struct kit_shader *s, VkDescriptorSet set,
		  const void *push, uint32_t groups);

VkCommandBuffer kit_begin(struct gpu *gpu, enum gpu_family family);
void kit_finish(struct gpu *gpu, enum gpu_family family, VkCommandBuffer cmd);
/* As vkQueueSubmit2 with one command buffer (or none); `wait` and `signal` may be NULL. */
VkResult kit_submit(struct gpu *gpu, enum gpu_family family, VkCommandBuffer cmd,
		    const VkSemaphoreSubmitInfo *wait, const VkSemaphoreSubmitInfo *signal,
		    VkFence fence);
VkSemaphore kit_timeline(struct gpu *gpu, uint64_t value);
VkSemaphoreSubmitInfo kit_at(VkSemaphore semaphore, uint64_t value);
VkResult kit_wait(struct gpu *gpu, VkSemaphore semaphore, uint64_t value, uint64_t timeout_ns);
VkFence kit_fence(struct gpu *gpu);

#endif
