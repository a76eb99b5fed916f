/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_VULKAN_DRAW_OBJECTS_H
#define BW_TESTS_VULKAN_DRAW_OBJECTS_H

/* Buffers, images and a texture for draw_scenes. What fails ends the program. */

#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>

#define MUST(call)                                                                                 \
	do {                                                                                       \
		VkResult must_ = (call);                                                           \
		if (must_ != VK_SUCCESS) {                                                         \
			fprintf(stderr, "draw_scenes: %s: %d\n", #call, must_);                    \
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

struct texture {
	struct image image;
	VkSampler sampler;
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkDescriptorPool pool;
	VkDescriptorSet set;
};

/* With TEXTURE x TEXTURE texels, of which neighbours differ. */
void make_texture(struct gpu *gpu, struct texture *t);
void free_texture(struct gpu *gpu, struct texture *t);

#endif
