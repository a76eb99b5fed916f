/* SPDX-License-Identifier: MIT */
#ifndef BW_SHADER_VULKAN_PRIV_H
#define BW_SHADER_VULKAN_PRIV_H

/* One dispatch through Vulkan: what its parts share. vulkan.c owns and closes it all. */

#include <vulkan/vulkan.h>

#include "shader/vulkan.h"

enum { BW_SHADER_SETS = 32 };

struct bw_shader_buffer {
	VkBuffer buffer;
	VkDeviceMemory memory;
	void *map; /* of all of it */
};

/* An image, a texel buffer or a sampler; members that it does not need are null. */
struct bw_shader_vk_image {
	struct bw_shader_buffer texels; /* a texel buffer's memory, or the copy of an image's */
	VkBufferView buffer_view;
	uint8_t *map; /* of an image in rows that needs no copies; else NULL */
	uint64_t pitch_b;
	VkImage image;
	VkDeviceMemory memory;
	VkImageView view;
	VkSampler sampler;
};

struct vk {
	struct bw_shader_plan *plan;
	VkInstance instance;
	VkPhysicalDevice gpu;
	VkDevice device;
	uint32_t family;
	VkQueue queue;
	bool can_name;
	uint32_t robustness;		   /* BW_CAPTURE_ROBUST_* that the device is made with */
	struct bw_shader_buffer *buffers;  /* one for each block; none for push constants */
	struct bw_shader_vk_image *images; /* one for each image of the shader */
	VkDescriptorSetLayout layouts[BW_SHADER_SETS];
	VkDescriptorSet sets[BW_SHADER_SETS];
	uint32_t n_sets;
	VkDescriptorPool pool;
	VkPipelineLayout layout;
	VkShaderModule module;
	VkPipeline pipeline;
	VkCommandPool commands;
	VkFence fence;
};

/* The instance, the first AMD GPU, its device, family and queue. */
struct bw_error *bw_shader_open(struct vk *v) BW_MUST_CHECK;
/* NULL for VK_SUCCESS, else "DOING: " and the reason. */
struct bw_error *bw_shader_check(VkResult r, const char *doing) BW_MUST_CHECK;
/* Names an object for debuggers and tools. */
void bw_shader_give_name(struct vk *v, VkObjectType type, uint64_t handle, const char *name);

/* vulkan_resources.c: buffers and descriptor sets. A buffer that is half made is closed with the
 * rest. */
struct bw_error *bw_shader_memory_type(struct vk *v, uint32_t allowed, VkMemoryPropertyFlags wanted,
				       uint32_t *out) BW_MUST_CHECK;
struct bw_error *bw_shader_make_buffer(struct vk *v, const void *bytes, size_t size_b,
				       VkBufferUsageFlags usage,
				       struct bw_shader_buffer *out) BW_MUST_CHECK;
void bw_shader_close_buffer(struct vk *v, struct bw_shader_buffer *b);
struct bw_error *bw_shader_make_buffers(struct vk *v) BW_MUST_CHECK;
struct bw_error *bw_shader_make_sets(struct vk *v) BW_MUST_CHECK;
void bw_shader_close_resources(struct vk *v);

/* vulkan_images.c. Where the driver has them in rows, images are mapped. Others are filled by
 * copies in front of the dispatch, and those that the shader can write are copied back after it.
 */
struct bw_error *bw_shader_make_images(struct vk *v) BW_MUST_CHECK;
bool bw_shader_needs_copies(const struct vk *v);
void bw_shader_record_uploads(struct vk *v, VkCommandBuffer cb);
void bw_shader_record_downloads(struct vk *v, VkCommandBuffer cb);
/* Mapped images, in front of the dispatch. */
void bw_shader_record_mapped(struct vk *v, VkCommandBuffer cb);
/* Copies the texels that the shader can write to the plan, after the GPU has finished. */
void bw_shader_take_texels(struct vk *v);
void bw_shader_close_images(struct vk *v);

#endif
