/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "shader/vulkan_priv.h"

static bool is_written(const struct bw_shader_image *image)
{
	return image->kind == BW_SHADER_STORAGE_IMAGE || image->kind == BW_SHADER_STORAGE_TEXELS;
}

static bool is_3d(const struct bw_shader_image *image)
{
	return image->dim == BW_SHADER_3D;
}

static uint32_t layers_of(const struct bw_shader_image *image, const struct bw_shader_texels *t)
{
	return is_3d(image) ? 1 : t->depth;
}

static VkImageType type_of(enum bw_shader_dim dim)
{
	return dim == BW_SHADER_1D   ? VK_IMAGE_TYPE_1D
	       : dim == BW_SHADER_3D ? VK_IMAGE_TYPE_3D
				     : VK_IMAGE_TYPE_2D;
}

static VkImageViewType view_type_of(const struct bw_shader_image *image)
{
	static const VkImageViewType types[][2] = {
		[BW_SHADER_1D] = {VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY},
		[BW_SHADER_2D] = {VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY},
		[BW_SHADER_3D] = {VK_IMAGE_VIEW_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D},
		[BW_SHADER_CUBE] = {VK_IMAGE_VIEW_TYPE_CUBE, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY},
	};
	return types[image->dim][image->is_array];
}

/* ---- Making them ---- */

static struct bw_error *make_sampler(struct vk *v, const struct bw_shader_texels *t, VkSampler *out)
{
	static const VkSamplerAddressMode modes[] = {
		[BW_SHADER_CLAMP] = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		[BW_SHADER_REPEAT] = VK_SAMPLER_ADDRESS_MODE_REPEAT,
		[BW_SHADER_MIRROR] = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT};
	const VkFilter filter = t->is_linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
	const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
					  .magFilter = filter,
					  .minFilter = filter,
					  .addressModeU = modes[t->wrap],
					  .addressModeV = modes[t->wrap],
					  .addressModeW = modes[t->wrap]};
	return bw_shader_check(vkCreateSampler(v->device, &info, NULL, out), "making a sampler");
}

static struct bw_error *make_texel_buffer(struct vk *v, const struct bw_shader_image *image,
					  const struct bw_shader_texels *t,
					  struct bw_shader_vk_image *out)
{
	bool written = is_written(image);
	VkFormatProperties p;
	VkFormatFeatureFlags needed = written ? VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT
					      : VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT;
	vkGetPhysicalDeviceFormatProperties(v->gpu, (VkFormat)t->format->vk, &p);
	if (!(p.bufferFeatures & needed))
		return bw_errorf(BW_E_UNSUPPORTED, "the GPU has no texel buffers of %s",
				 t->format->name);
	BW_TRY(bw_shader_make_buffer(v, t->data, t->size_b,
				     written ? VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT
					     : VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT,
				     &out->texels));
	bw_shader_give_name(v, VK_OBJECT_TYPE_BUFFER, (uint64_t)(uintptr_t)out->texels.buffer,
			    image->name);
	const VkBufferViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
					     .buffer = out->texels.buffer,
					     .format = (VkFormat)t->format->vk,
					     .range = VK_WHOLE_SIZE};
	return bw_shader_check(vkCreateBufferView(v->device, &view, NULL, &out->buffer_view),
			       "making a texel buffer");
}

/* Why the GPU has no such images. */
static struct bw_error *check_info(struct vk *v, const struct bw_shader_texels *t,
				   const VkImageCreateInfo *info)
{
	VkFormatProperties p;
	VkImageFormatProperties most;
	VkResult r = vkGetPhysicalDeviceImageFormatProperties(v->gpu, info->format, info->imageType,
							      info->tiling, info->usage,
							      info->flags, &most);
	if (r)
		return bw_errorf(BW_E_UNSUPPORTED, "the GPU has no %s images of %s",
				 info->usage & VK_IMAGE_USAGE_STORAGE_BIT ? "storage" : "sampled",
				 t->format->name);
	if (info->extent.width > most.maxExtent.width ||
	    info->extent.height > most.maxExtent.height ||
	    info->extent.depth > most.maxExtent.depth || info->arrayLayers > most.maxArrayLayers)
		return bw_errorf(BW_E_INVALID,
				 "the GPU has images of at most %ux%ux%u texels and %u layers",
				 most.maxExtent.width, most.maxExtent.height, most.maxExtent.depth,
				 most.maxArrayLayers);
	vkGetPhysicalDeviceFormatProperties(v->gpu, info->format, &p);
	VkFormatFeatureFlags features = info->tiling == VK_IMAGE_TILING_LINEAR
						? p.linearTilingFeatures
						: p.optimalTilingFeatures;
	if (t->is_linear && !(features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT))
		return bw_errorf(BW_E_INVALID, "the GPU has no linear filter for %s: use nearest",
				 t->format->name);
	return NULL;
}

static struct bw_error *bind_memory(struct vk *v, VkMemoryPropertyFlags wanted,
				    struct bw_shader_vk_image *x)
{
	VkMemoryRequirements needs;
	vkGetImageMemoryRequirements(v->device, x->image, &needs);
	VkMemoryAllocateInfo alloc = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				      .allocationSize = needs.size};
	BW_TRY(bw_shader_memory_type(v, needs.memoryTypeBits, wanted, &alloc.memoryTypeIndex));
	BW_TRY(bw_shader_check(vkAllocateMemory(v->device, &alloc, NULL, &x->memory),
			       "making an image"));
	return bw_shader_check(vkBindImageMemory(v->device, x->image, x->memory, 0),
			       "making an image");
}

static void copy_rows(struct bw_shader_vk_image *x, const struct bw_shader_texels *t, bool to_gpu)
{
	size_t row_b = (size_t)t->width * t->layout->size_b;
	for (uint32_t y = 0; y < t->height; y++) {
		uint8_t *gpu = x->map + y * x->pitch_b, *host = t->data + y * row_b;
		memcpy(to_gpu ? gpu : host, to_gpu ? host : gpu, row_b);
	}
}

/* One slice, in rows. */
static struct bw_error *fill_mapped(struct vk *v, const struct bw_shader_texels *t,
				    struct bw_shader_vk_image *x)
{
	const VkImageSubresource all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
	VkSubresourceLayout where;
	void *map;
	BW_TRY(bind_memory(
		v, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, x));
	vkGetImageSubresourceLayout(v->device, x->image, &all, &where);
	BW_TRY(bw_shader_check(vkMapMemory(v->device, x->memory, 0, VK_WHOLE_SIZE, 0, &map),
			       "reaching an image"));
	x->map = (uint8_t *)map + where.offset;
	x->pitch_b = where.rowPitch;
	copy_rows(x, t, true);
	return NULL;
}

static struct bw_error *fill_by_copy(struct vk *v, const struct bw_shader_texels *t,
				     struct bw_shader_vk_image *x)
{
	BW_TRY(bw_shader_make_buffer(
		v, t->data, t->size_b,
		VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, &x->texels));
	return bind_memory(v, 0, x);
}

static struct bw_error *make_image(struct vk *v, const struct bw_shader_image *image,
				   const struct bw_shader_texels *t, struct bw_shader_vk_image *out)
{
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = image->dim == BW_SHADER_CUBE ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
		.imageType = type_of(image->dim),
		.format = (VkFormat)t->format->vk,
		.extent = {t->width, t->height, is_3d(image) ? t->depth : 1},
		.mipLevels = 1,
		.arrayLayers = layers_of(image, t),
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_LINEAR,
		.usage =
			is_written(image) ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT,
		.initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED};
	_cleanup_error_ struct bw_error *not_in_rows =
		t->depth > 1 ? bw_errorf(BW_E_UNSUPPORTED, "several slices")
			     : check_info(v, t, &info);
	if (not_in_rows) {
		info.tiling = VK_IMAGE_TILING_OPTIMAL;
		info.usage |= VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
		info.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
		BW_TRY(check_info(v, t, &info));
	}
	BW_TRY(bw_shader_check(vkCreateImage(v->device, &info, NULL, &out->image),
			       "making an image"));
	BW_TRY(not_in_rows ? fill_by_copy(v, t, out) : fill_mapped(v, t, out));
	bw_shader_give_name(v, VK_OBJECT_TYPE_IMAGE, (uint64_t)(uintptr_t)out->image, image->name);
	const VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = out->image,
		.viewType = view_type_of(image),
		.format = info.format,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, info.arrayLayers}};
	return bw_shader_check(vkCreateImageView(v->device, &view, NULL, &out->view),
			       "making an image");
}

static struct bw_error *make_one(struct vk *v, size_t i)
{
	const struct bw_shader_image *image = &v->plan->shader->images.data[i];
	const struct bw_shader_texels *t = &v->plan->texels[i];
	struct bw_shader_vk_image *out = &v->images[i];
	if (image->kind == BW_SHADER_SAMPLER || image->kind == BW_SHADER_SAMPLED_IMAGE)
		BW_TRY(make_sampler(v, t, &out->sampler));
	if (image->kind == BW_SHADER_SAMPLER)
		return NULL;
	if (image->kind == BW_SHADER_STORAGE_TEXELS || image->kind == BW_SHADER_UNIFORM_TEXELS)
		return make_texel_buffer(v, image, t, out);
	return make_image(v, image, t, out);
}

struct bw_error *bw_shader_make_images(struct vk *v)
{
	const struct bw_shader *s = v->plan->shader;
	v->images = calloc(s->images.len + 1, sizeof(*v->images));
	if (!v->images)
		return bw_error_nomem();
	for (size_t i = 0; i < s->images.len; i++)
		BW_TRY(bw_error_wrap(make_one(v, i), "%s", s->images.data[i].name));
	return NULL;
}

/* ---- Copies ---- */

struct moment {
	VkPipelineStageFlags stage;
	VkAccessFlags access;
	VkImageLayout layout;
};
static const struct moment START = {VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0,
				    VK_IMAGE_LAYOUT_UNDEFINED};
static const struct moment MAPPED = {VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_WRITE_BIT,
				     VK_IMAGE_LAYOUT_PREINITIALIZED};
static const struct moment FILLED = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
				     VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL};
static const struct moment USED = {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				   VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
				   VK_IMAGE_LAYOUT_GENERAL};
static const struct moment READ = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT,
				   VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};

static void change(VkCommandBuffer cb, VkImage image, const struct moment *from,
		   const struct moment *to)
{
	const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
					      .srcAccessMask = from->access,
					      .dstAccessMask = to->access,
					      .oldLayout = from->layout,
					      .newLayout = to->layout,
					      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
					      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
					      .image = image,
					      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1,
								   0, VK_REMAINING_ARRAY_LAYERS}};
	vkCmdPipelineBarrier(cb, from->stage, to->stage, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static VkBufferImageCopy all_of(const struct vk *v, size_t i)
{
	const struct bw_shader_image *image = &v->plan->shader->images.data[i];
	const struct bw_shader_texels *t = &v->plan->texels[i];
	return (VkBufferImageCopy){
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layers_of(image, t)},
		.imageExtent = {t->width, t->height, is_3d(image) ? t->depth : 1}};
}

static bool is_copied(const struct bw_shader_vk_image *x)
{
	return x->image && !x->map;
}

bool bw_shader_needs_copies(const struct vk *v)
{
	for (size_t i = 0; i < v->plan->shader->images.len; i++)
		if (is_copied(&v->images[i]))
			return true;
	return false;
}

void bw_shader_record_mapped(struct vk *v, VkCommandBuffer cb)
{
	for (size_t i = 0; i < v->plan->shader->images.len; i++)
		if (v->images[i].map)
			change(cb, v->images[i].image, &MAPPED, &USED);
}

void bw_shader_record_uploads(struct vk *v, VkCommandBuffer cb)
{
	for (size_t i = 0; i < v->plan->shader->images.len; i++) {
		struct bw_shader_vk_image *x = &v->images[i];
		const VkBufferImageCopy copy = all_of(v, i);
		if (!is_copied(x))
			continue;
		change(cb, x->image, &START, &FILLED);
		vkCmdCopyBufferToImage(cb, x->texels.buffer, x->image, FILLED.layout, 1, &copy);
		change(cb, x->image, &FILLED, &USED);
	}
}

void bw_shader_record_downloads(struct vk *v, VkCommandBuffer cb)
{
	bool any = false;
	for (size_t i = 0; i < v->plan->shader->images.len; i++) {
		struct bw_shader_vk_image *x = &v->images[i];
		const VkBufferImageCopy copy = all_of(v, i);
		if (!is_copied(x) || !is_written(&v->plan->shader->images.data[i]))
			continue;
		change(cb, x->image, &USED, &READ);
		vkCmdCopyImageToBuffer(cb, x->image, READ.layout, x->texels.buffer, 1, &copy);
		any = true;
	}
	const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					 .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
					 .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
	if (any)
		vkCmdPipelineBarrier(cb, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
				     0, 1, &barrier, 0, NULL, 0, NULL);
}

void bw_shader_take_texels(struct vk *v)
{
	for (size_t i = 0; i < v->plan->shader->images.len; i++) {
		struct bw_shader_texels *t = &v->plan->texels[i];
		struct bw_shader_vk_image *x = &v->images[i];
		if (!is_written(&v->plan->shader->images.data[i]))
			continue;
		if (x->map)
			copy_rows(x, t, false);
		else
			memcpy(t->data, x->texels.map, t->size_b);
	}
}

void bw_shader_close_images(struct vk *v)
{
	for (size_t i = 0; v->images && i < v->plan->shader->images.len; i++) {
		struct bw_shader_vk_image *x = &v->images[i];
		vkDestroySampler(v->device, x->sampler, NULL);
		vkDestroyBufferView(v->device, x->buffer_view, NULL);
		vkDestroyImageView(v->device, x->view, NULL);
		vkDestroyImage(v->device, x->image, NULL);
		vkFreeMemory(v->device, x->memory, NULL);
		bw_shader_close_buffer(v, &x->texels);
	}
}
