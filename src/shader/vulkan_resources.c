/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "base/vec.h"
#include "shader/vulkan_priv.h"

/* ---- Buffers ---- */

struct bw_error *bw_shader_memory_type(struct vk *v, uint32_t allowed, VkMemoryPropertyFlags wanted,
				       uint32_t *out)
{
	VkPhysicalDeviceMemoryProperties p;
	vkGetPhysicalDeviceMemoryProperties(v->gpu, &p);
	for (uint32_t i = 0; i < p.memoryTypeCount; i++) {
		if (allowed >> i & 1 && (p.memoryTypes[i].propertyFlags & wanted) == wanted) {
			*out = i;
			return NULL;
		}
	}
	return bw_errorf(BW_E_SYSTEM, "the GPU has no memory%s",
			 wanted & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT ? " that the CPU can read"
								      : " for images");
}

struct bw_error *bw_shader_make_buffer(struct vk *v, const void *bytes, size_t size_b,
				       VkBufferUsageFlags usage, struct bw_shader_buffer *out)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size_b, .usage = usage};
	BW_TRY(bw_shader_check(vkCreateBuffer(v->device, &info, NULL, &out->buffer),
			       "making a buffer"));
	VkMemoryRequirements needs;
	vkGetBufferMemoryRequirements(v->device, out->buffer, &needs);
	VkMemoryAllocateInfo alloc = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				      .allocationSize = needs.size};
	BW_TRY(bw_shader_memory_type(v, needs.memoryTypeBits,
				     VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
					     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
				     &alloc.memoryTypeIndex));
	BW_TRY(bw_shader_check(vkAllocateMemory(v->device, &alloc, NULL, &out->memory),
			       "making a buffer"));
	BW_TRY(bw_shader_check(vkBindBufferMemory(v->device, out->buffer, out->memory, 0),
			       "making a buffer"));
	BW_TRY(bw_shader_check(vkMapMemory(v->device, out->memory, 0, VK_WHOLE_SIZE, 0, &out->map),
			       "reaching a buffer"));
	memcpy(out->map, bytes, size_b);
	return NULL;
}

void bw_shader_close_buffer(struct vk *v, struct bw_shader_buffer *b)
{
	vkDestroyBuffer(v->device, b->buffer, NULL);
	vkFreeMemory(v->device, b->memory, NULL);
}

struct bw_error *bw_shader_make_buffers(struct vk *v)
{
	const struct bw_shader *s = v->plan->shader;
	v->buffers = calloc(s->blocks.len + 1, sizeof(*v->buffers));
	if (!v->buffers)
		return bw_error_nomem();
	for (size_t i = 0; i < s->blocks.len; i++) {
		const struct bw_shader_block *b = &s->blocks.data[i];
		const struct bw_shader_bytes *bytes = &v->plan->bytes[i];
		if (b->kind == BW_SHADER_PUSH)
			continue;
		VkBufferUsageFlags usage = b->kind == BW_SHADER_STORAGE
						   ? VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
						   : VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
		BW_TRY(bw_error_wrap(
			bw_shader_make_buffer(v, bytes->data, bytes->size_b, usage, &v->buffers[i]),
			"%s", b->name));
		bw_shader_give_name(v, VK_OBJECT_TYPE_BUFFER,
				    (uint64_t)(uintptr_t)v->buffers[i].buffer, b->name);
	}
	return NULL;
}

/* ---- Descriptors ---- */

/* One descriptor, and what is in it. */
struct descriptor {
	const char *name;
	unsigned set, binding, element, elements;
	VkDescriptorType type;
	VkDescriptorBufferInfo buffer;
	VkDescriptorImageInfo image;
	VkBufferView texels;
};
struct descriptors BW_VEC(struct descriptor);

static struct bw_error *list_blocks(const struct vk *v, struct descriptors *out)
{
	const struct bw_shader *s = v->plan->shader;
	for (size_t i = 0; i < s->blocks.len; i++) {
		const struct bw_shader_block *b = &s->blocks.data[i];
		struct descriptor d = {.name = b->name,
				       .set = b->set,
				       .binding = b->binding,
				       .element = b->element,
				       .elements = b->elements,
				       .type = b->kind == BW_SHADER_STORAGE
						       ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
						       : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
				       .buffer = {v->buffers[i].buffer, 0, VK_WHOLE_SIZE}};
		if (b->kind != BW_SHADER_PUSH)
			BW_TRY(bw_vec_push(out, d));
	}
	return NULL;
}

static struct bw_error *list_images(const struct vk *v, struct descriptors *out)
{
	static const VkDescriptorType types[] = {
		[BW_SHADER_STORAGE_IMAGE] = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
		[BW_SHADER_SAMPLED_IMAGE] = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		[BW_SHADER_SEPARATE_IMAGE] = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
		[BW_SHADER_SAMPLER] = VK_DESCRIPTOR_TYPE_SAMPLER,
		[BW_SHADER_STORAGE_TEXELS] = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
		[BW_SHADER_UNIFORM_TEXELS] = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
	};
	const struct bw_shader *s = v->plan->shader;
	for (size_t i = 0; i < s->images.len; i++) {
		const struct bw_shader_image *image = &s->images.data[i];
		const struct bw_shader_vk_image *x = &v->images[i];
		struct descriptor d = {.name = image->name,
				       .set = image->set,
				       .binding = image->binding,
				       .element = image->element,
				       .elements = image->elements,
				       .type = types[image->kind],
				       .image = {x->sampler, x->view, VK_IMAGE_LAYOUT_GENERAL},
				       .texels = x->buffer_view};
		BW_TRY(bw_vec_push(out, d));
	}
	return NULL;
}

static struct bw_error *make_set_layout(struct vk *v, const struct descriptors *all, uint32_t set)
{
	_cleanup_free_ VkDescriptorSetLayoutBinding *bindings =
		calloc(all->len + 1, sizeof(*bindings));
	uint32_t n = 0;
	if (!bindings)
		return bw_error_nomem();
	bw_vec_each(all, d)
		if (d->set == set && !d->element)
			bindings[n++] = (VkDescriptorSetLayoutBinding){
				.binding = d->binding,
				.descriptorType = d->type,
				.descriptorCount = d->elements,
				.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = n,
		.pBindings = bindings};
	return bw_shader_check(
		vkCreateDescriptorSetLayout(v->device, &info, NULL, &v->layouts[set]),
		"describing the arguments");
}

static struct bw_error *make_pool(struct vk *v, const struct descriptors *all)
{
	/* by enum: 0 to 7 are all types that are used here */
	VkDescriptorPoolSize sizes[VK_DESCRIPTOR_TYPE_STORAGE_BUFFER + 1];
	for (unsigned i = 0; i < BW_ARRAY_SIZE(sizes); i++)
		sizes[i] = (VkDescriptorPoolSize){(VkDescriptorType)i, (uint32_t)all->len};
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = v->n_sets,
		.poolSizeCount = BW_ARRAY_SIZE(sizes),
		.pPoolSizes = sizes};
	BW_TRY(bw_shader_check(vkCreateDescriptorPool(v->device, &pool, NULL, &v->pool),
			       "describing the arguments"));
	const VkDescriptorSetAllocateInfo alloc = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = v->pool,
		.descriptorSetCount = v->n_sets,
		.pSetLayouts = v->layouts};
	return bw_shader_check(vkAllocateDescriptorSets(v->device, &alloc, v->sets),
			       "describing the arguments");
}

static struct bw_error *fill_sets(struct vk *v, const struct descriptors *all)
{
	bw_vec_each(all, d) {
		if (d->set >= BW_SHADER_SETS)
			return bw_errorf(BW_E_UNSUPPORTED,
					 "%s is in descriptor set %u, of %d at most", d->name,
					 d->set, BW_SHADER_SETS);
		v->n_sets = BW_MAX(v->n_sets, d->set + 1);
	}
	if (!v->n_sets)
		return NULL;
	for (uint32_t i = 0; i < v->n_sets; i++)
		BW_TRY(make_set_layout(v, all, i));
	BW_TRY(make_pool(v, all));
	bw_vec_each(all, d) {
		const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
						    .dstSet = v->sets[d->set],
						    .dstBinding = d->binding,
						    .dstArrayElement = d->element,
						    .descriptorCount = 1,
						    .descriptorType = d->type,
						    .pBufferInfo = &d->buffer,
						    .pImageInfo = &d->image,
						    .pTexelBufferView = &d->texels};
		vkUpdateDescriptorSets(v->device, 1, &write, 0, NULL);
	}
	return NULL;
}

struct bw_error *bw_shader_make_sets(struct vk *v)
{
	struct descriptors all = {0};
	struct bw_error *err = list_blocks(v, &all);
	if (!err)
		err = list_images(v, &all);
	if (!err)
		err = fill_sets(v, &all);
	bw_vec_free(&all);
	return err;
}

void bw_shader_close_resources(struct vk *v)
{
	vkDestroyDescriptorPool(v->device, v->pool, NULL);
	for (uint32_t i = 0; i < v->n_sets; i++)
		vkDestroyDescriptorSetLayout(v->device, v->layouts[i], NULL);
	for (size_t i = 0; v->buffers && i < v->plan->shader->blocks.len; i++)
		bw_shader_close_buffer(v, &v->buffers[i]);
}
