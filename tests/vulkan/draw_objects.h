/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_VULKAN_DRAW_OBJECTS_H
#define BW_TESTS_VULKAN_DRAW_OBJECTS_H

/* Shaders, buffers, images and a texture for programs that draw. What fails ends the program. */

#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>

#define MUST(call)                                                                                 \
	do {                                                                                       \
		VkResult must_ = (call);                                                           \
		if (must_ != VK_SUCCESS) {                                                         \
			fprintf(stderr, "%s: %d\n", #call, must_);                                 \
			exit(2);                                                                   \
		}                                                                                  \
	} while (0)

void must(struct bw_error *err);

struct buffer {
	VkBuffer buffer;
	struct gpu_memory memory;
};
struct image {
	VkImage image;
	VkImageView view;
	struct gpu_memory memory;
	VkFormat format;
};

struct buffer make_buffer(struct gpu *gpu, VkDeviceSize size_b);
void free_buffer(struct gpu *gpu, struct buffer *b);

struct image_kind {
	VkFormat format;
	VkSampleCountFlagBits samples;
	bool linear;
	VkImageUsageFlags usage;
	VkImageAspectFlags aspect;
	uint32_t width, height, layers; /* layers 0: no array */
};
struct image make_image(struct gpu *gpu, const struct image_kind *kind);
void free_image(struct gpu *gpu, struct image *i);
void change_layout(VkCommandBuffer cmd, VkImage image, VkImageAspectFlags aspect,
		   VkImageLayout from, VkImageLayout to);

/* FOLDER/draws_NAME.spv */
VkShaderModule load_shader(struct gpu *gpu, const char *folder, const char *name);

/* An image at binding 0 of the fragment shader, and push_b bytes of constants of the vertex
 * shader. */
struct sampled {
	VkSampler sampler;
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkDescriptorPool pool;
	VkDescriptorSet set;
};
void make_sampled(struct gpu *gpu, const VkSamplerCreateInfo *sampler, VkImageView view,
		  uint32_t push_b, struct sampled *s);
void free_sampled(struct gpu *gpu, struct sampled *s);

struct texture {
	struct image image;
	struct sampled sampled;
};

/* With TEXTURE x TEXTURE texels, of which neighbours differ. */
void make_texture(struct gpu *gpu, struct texture *t);
void free_texture(struct gpu *gpu, struct texture *t);

#endif
