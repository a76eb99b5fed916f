/* SPDX-License-Identifier: MIT */
#include "draw_objects.h"
#include "draw_scenes.h"

#include "base/cleanup.h"

void must(struct bw_error *err)
{
	if (!err)
		return;
	fprintf(stderr, "draw_scenes: %s\n", err->message);
	exit(2);
}

struct buffer make_buffer(struct gpu *gpu, VkDeviceSize size_b)
{
	struct buffer b;
	must(gpu_buffer(gpu, size_b,
			VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
				VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
				VK_BUFFER_USAGE_TRANSFER_DST_BIT |
				VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
			true, &b.buffer, &b.memory));
	return b;
}

void free_buffer(struct gpu *gpu, struct buffer *b)
{
	vkDestroyBuffer(gpu->device, b->buffer, NULL);
	vkFreeMemory(gpu->device, b->memory.memory, NULL);
}

struct image make_image(struct gpu *gpu, const struct image_kind *kind)
{
	const uint32_t layers = kind->layers ? kind->layers : 1;
	struct image i = {.format = kind->format};
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = kind->format,
		.extent = {kind->width, kind->height, 1},
		.mipLevels = 1,
		.arrayLayers = layers,
		.samples = kind->samples,
		.tiling = kind->linear ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL,
		.usage = kind->usage,
	};
	VkMemoryRequirements req;
	MUST(vkCreateImage(gpu->device, &info, NULL, &i.image));
	vkGetImageMemoryRequirements(gpu->device, i.image, &req);
	must(gpu_allocate(gpu, req, false, &i.memory));
	MUST(vkBindImageMemory(gpu->device, i.image, i.memory.memory, 0));
	VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = i.image,
		.viewType = kind->layers ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
		.format = kind->format,
		.subresourceRange = {kind->aspect, 0, 1, 0, layers},
	};
	MUST(vkCreateImageView(gpu->device, &view, NULL, &i.view));
	return i;
}

void free_image(struct gpu *gpu, struct image *i)
{
	vkDestroyImageView(gpu->device, i->view, NULL);
	vkDestroyImage(gpu->device, i->image, NULL);
	vkFreeMemory(gpu->device, i->memory.memory, NULL);
}

void change_layout(VkCommandBuffer cmd, VkImage image, VkImageAspectFlags aspect,
		   VkImageLayout from, VkImageLayout to)
{
	VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.oldLayout = from,
		.newLayout = to,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = {aspect, 0, 1, 0, VK_REMAINING_ARRAY_LAYERS},
	};
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

/* ---- shaders ---- */

VkShaderModule load_shader(struct gpu *gpu, const char *folder, const char *name)
{
	char path[4096];
	static uint32_t code[16384];
	snprintf(path, sizeof(path), "%s/draws_%s.spv", folder, name);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	size_t size_b = f ? fread(code, 1, sizeof(code), f) : 0;
	if (!size_b || size_b == sizeof(code)) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(2);
	}
	VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = size_b,
		.pCode = code,
	};
	VkShaderModule module;
	MUST(vkCreateShaderModule(gpu->device, &info, NULL, &module));
	return module;
}

/* ---- the texture ---- */

void make_sampled(struct gpu *gpu, const VkSamplerCreateInfo *sampler, VkImageView view,
		  uint32_t push_b, struct sampled *s)
{
	MUST(vkCreateSampler(gpu->device, sampler, NULL, &s->sampler));
	VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
						VK_SHADER_STAGE_FRAGMENT_BIT, NULL};
	VkDescriptorSetLayoutCreateInfo set_layout = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 1,
		.pBindings = &binding};
	MUST(vkCreateDescriptorSetLayout(gpu->device, &set_layout, NULL, &s->set_layout));
	VkPushConstantRange push = {VK_SHADER_STAGE_VERTEX_BIT, 0, push_b};
	VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
					     .setLayoutCount = 1,
					     .pSetLayouts = &s->set_layout,
					     .pushConstantRangeCount = 1,
					     .pPushConstantRanges = &push};
	MUST(vkCreatePipelineLayout(gpu->device, &layout, NULL, &s->layout));
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
	VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
					   .maxSets = 1,
					   .poolSizeCount = 1,
					   .pPoolSizes = &size};
	MUST(vkCreateDescriptorPool(gpu->device, &pool, NULL, &s->pool));
	VkDescriptorSetAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = s->pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &s->set_layout};
	MUST(vkAllocateDescriptorSets(gpu->device, &allocate, &s->set));
	VkDescriptorImageInfo info = {s->sampler, view, VK_IMAGE_LAYOUT_GENERAL};
	VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
				      .dstSet = s->set,
				      .descriptorCount = 1,
				      .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
				      .pImageInfo = &info};
	vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
}

void free_sampled(struct gpu *gpu, struct sampled *s)
{
	vkDestroyDescriptorPool(gpu->device, s->pool, NULL);
	vkDestroyPipelineLayout(gpu->device, s->layout, NULL);
	vkDestroyDescriptorSetLayout(gpu->device, s->set_layout, NULL);
	vkDestroySampler(gpu->device, s->sampler, NULL);
}

void make_texture(struct gpu *gpu, struct texture *t)
{
	t->image = make_image(gpu, &(struct image_kind){.format = VK_FORMAT_R8G8B8A8_UNORM,
							.samples = VK_SAMPLE_COUNT_1_BIT,
							.usage = VK_IMAGE_USAGE_SAMPLED_BIT |
								 VK_IMAGE_USAGE_TRANSFER_DST_BIT,
							.aspect = VK_IMAGE_ASPECT_COLOR_BIT,
							.width = TEXTURE,
							.height = TEXTURE});
	struct buffer texels = make_buffer(gpu, TEXTURE * TEXTURE * 4);
	uint8_t *at = texels.memory.map;
	for (int i = 0; i < TEXTURE * TEXTURE; i++, at += 4) {
		at[0] = (uint8_t)(i % TEXTURE * 16);
		at[1] = (uint8_t)(i / TEXTURE * 16);
		at[2] = (i + i / TEXTURE) % 2 ? 255 : 0;
		at[3] = 255;
	}
	VkCommandBuffer cmd;
	VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
				  .imageExtent = {TEXTURE, TEXTURE, 1}};
	must(gpu_begin(gpu, GPU_UNIVERSAL, &cmd));
	change_layout(cmd, t->image.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
		      VK_IMAGE_LAYOUT_GENERAL);
	vkCmdCopyBufferToImage(cmd, texels.buffer, t->image.image, VK_IMAGE_LAYOUT_GENERAL, 1,
			       &copy);
	must(gpu_finish(gpu, GPU_UNIVERSAL, cmd));
	free_buffer(gpu, &texels);

	VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
				       .magFilter = VK_FILTER_LINEAR,
				       .minFilter = VK_FILTER_LINEAR,
				       .addressModeU = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
				       .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
				       .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE};
	make_sampled(gpu, &sampler, t->image.view, 16, &t->sampled);
}

void free_texture(struct gpu *gpu, struct texture *t)
{
	free_sampled(gpu, &t->sampled);
	free_image(gpu, &t->image);
}
