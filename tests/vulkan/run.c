/* SPDX-License-Identifier: MIT */
#include "run.h"

#include "base/cleanup.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum { N_SETS = 4 };

/* What one item of the case became. */
struct resource {
	const struct case_item *item;
	size_t size_b;
	VkBuffer buffer;
	VkBufferView buffer_view;
	VkImage image;
	VkImageView image_view;
	VkSampler sampler;
	struct gpu_memory memory;
	VkBuffer staging; /* images, and buffers with --staged */
	struct gpu_memory staging_memory;
};

struct run {
	struct gpu *gpu;
	const struct run_options *options;
	const struct test_case *c;
	struct resource resources[CASE_MAX_ITEMS];
	VkBuffer indirect;
	struct gpu_memory indirect_memory;
	VkDescriptorSetLayout set_layouts[N_SETS];
	VkDescriptorPool descriptors;
	VkDescriptorSet sets[N_SETS];
	unsigned n_sets;
	VkPipelineLayout layout;
	VkShaderModule module;
	VkPipeline pipeline;
};

static bool is_image(const struct case_item *item)
{
	return item->kind == CASE_STORAGE_IMAGE || item->kind == CASE_SAMPLED_IMAGE;
}

static VkDescriptorType descriptor_type(enum case_kind kind)
{
	static const VkDescriptorType types[] = {
		[CASE_STORAGE_BUFFER] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		[CASE_UNIFORM_BUFFER] = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
		[CASE_STORAGE_TEXEL] = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
		[CASE_UNIFORM_TEXEL] = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
		[CASE_STORAGE_IMAGE] = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
		[CASE_SAMPLED_IMAGE] = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
	};
	return types[kind];
}

static struct bw_error *make_buffer(struct run *run, struct resource *r)
{
	const VkBufferUsageFlags usage =
		VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
		(r->item->kind == CASE_STORAGE_TEXEL ? VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT
						     : 0) |
		(r->item->kind == CASE_UNIFORM_TEXEL ? VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT
						     : 0);
	BW_TRY(gpu_buffer(run->gpu, r->size_b, usage, !run->options->staged, &r->buffer,
			  &r->memory));
	if (!r->item->format)
		return NULL;
	VkBufferViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
		.buffer = r->buffer,
		.format = (VkFormat)r->item->format->vk,
		.range = r->item->bound_b ? r->item->bound_b : VK_WHOLE_SIZE,
	};
	GPU_TRY(vkCreateBufferView(run->gpu->device, &view, NULL, &r->buffer_view));
	return NULL;
}

static VkImageAspectFlags aspect(const struct case_item *item)
{
	return item->format->vk == VK_FORMAT_D32_SFLOAT ? VK_IMAGE_ASPECT_DEPTH_BIT
							: VK_IMAGE_ASPECT_COLOR_BIT;
}

static uint32_t n_layers(const struct case_item *item)
{
	return item->view == VK_IMAGE_VIEW_TYPE_3D ? 1 : item->depth;
}

static struct bw_error *make_sampler(struct run *run, struct resource *r)
{
	const struct case_item *item = r->item;
	VkSamplerCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
		.magFilter = item->filter_linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
		.minFilter = item->filter_linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
		.mipmapMode = item->mip_linear ? VK_SAMPLER_MIPMAP_MODE_LINEAR
					       : VK_SAMPLER_MIPMAP_MODE_NEAREST,
		.addressModeU = (VkSamplerAddressMode)item->address_mode,
		.addressModeV = (VkSamplerAddressMode)item->address_mode,
		.addressModeW = (VkSamplerAddressMode)item->address_mode,
		.anisotropyEnable = item->aniso,
		.maxAnisotropy = item->aniso ? 4 : 1,
		.compareEnable = item->compare,
		.compareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
		.maxLod = item->unnormalized ? 0 : VK_LOD_CLAMP_NONE,
		.borderColor = item->type.kind == 'f' || strstr(item->format->name, "NORM")
				       ? VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE
				       : VK_BORDER_COLOR_INT_OPAQUE_WHITE,
		.unnormalizedCoordinates = item->unnormalized,
	};
	GPU_TRY(vkCreateSampler(run->gpu->device, &info, NULL, &r->sampler));
	return NULL;
}

static struct bw_error *make_image(struct run *run, struct resource *r)
{
	static const VkImageType types[] = {
		[VK_IMAGE_VIEW_TYPE_1D] = VK_IMAGE_TYPE_1D,
		[VK_IMAGE_VIEW_TYPE_2D] = VK_IMAGE_TYPE_2D,
		[VK_IMAGE_VIEW_TYPE_3D] = VK_IMAGE_TYPE_3D,
		[VK_IMAGE_VIEW_TYPE_CUBE] = VK_IMAGE_TYPE_2D,
		[VK_IMAGE_VIEW_TYPE_1D_ARRAY] = VK_IMAGE_TYPE_1D,
		[VK_IMAGE_VIEW_TYPE_2D_ARRAY] = VK_IMAGE_TYPE_2D,
		[VK_IMAGE_VIEW_TYPE_CUBE_ARRAY] = VK_IMAGE_TYPE_2D,
	};
	const struct case_item *item = r->item;
	struct gpu *gpu = run->gpu;
	bool is_cube = item->view == VK_IMAGE_VIEW_TYPE_CUBE ||
		       item->view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = is_cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
		.imageType = types[item->view],
		.format = (VkFormat)item->format->vk,
		.extent = {item->width, item->height,
			   item->view == VK_IMAGE_VIEW_TYPE_3D ? item->depth : 1},
		.mipLevels = item->mips,
		.arrayLayers = n_layers(item),
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			 (item->kind == CASE_STORAGE_IMAGE ? VK_IMAGE_USAGE_STORAGE_BIT
							   : VK_IMAGE_USAGE_SAMPLED_BIT),
		.sharingMode = gpu->family[0] == gpu->family[1] ? VK_SHARING_MODE_EXCLUSIVE
								: VK_SHARING_MODE_CONCURRENT,
		.queueFamilyIndexCount = GPU_N_FAMILIES,
		.pQueueFamilyIndices = gpu->family,
	};
	GPU_TRY(vkCreateImage(gpu->device, &info, NULL, &r->image));
	VkMemoryRequirements req;
	vkGetImageMemoryRequirements(gpu->device, r->image, &req);
	BW_TRY(gpu_allocate(gpu, req, false, &r->memory));
	GPU_TRY(vkBindImageMemory(gpu->device, r->image, r->memory.memory, 0));
	VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = r->image,
		.viewType = (VkImageViewType)item->view,
		.format = info.format,
		.subresourceRange = {aspect(item), 0,
				     item->kind == CASE_STORAGE_IMAGE ? 1 : item->mips, 0,
				     n_layers(item)},
	};
	GPU_TRY(vkCreateImageView(gpu->device, &view, NULL, &r->image_view));
	return item->kind == CASE_SAMPLED_IMAGE ? make_sampler(run, r) : NULL;
}

static struct bw_error *make_resources(struct run *run)
{
	for (unsigned i = 0; i < run->c->n_items; i++) {
		struct resource *r = &run->resources[i];
		r->item = &run->c->items[i];
		r->size_b = case_item_bytes(r->item);
		BW_TRY(is_image(r->item) ? make_image(run, r) : make_buffer(run, r));
		if (is_image(r->item) || run->options->staged)
			BW_TRY(gpu_buffer(run->gpu, r->size_b, 0, true, &r->staging,
					  &r->staging_memory));
		case_item_fill(r->item, r->staging ? r->staging_memory.map : r->memory.map);
	}
	size_t size_b = CASE_MAX_DISPATCHES * sizeof(VkDispatchIndirectCommand);
	BW_TRY(gpu_buffer(run->gpu, size_b, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, true,
			  &run->indirect, &run->indirect_memory));
	VkDispatchIndirectCommand *sizes = run->indirect_memory.map;
	for (unsigned i = 0; i < run->c->n_dispatches; i++)
		memcpy(&sizes[i], run->c->dispatches[i].size, sizeof(*sizes));
	return NULL;
}

static void copy_image(VkCommandBuffer cmd, struct resource *r, bool to_image)
{
	const struct case_item *item = r->item;
	VkDeviceSize at = 0;
	for (unsigned level = 0; level < item->mips; level++) {
		bool is_3d = item->view == VK_IMAGE_VIEW_TYPE_3D;
		VkExtent3D extent = {case_level(item->width, level),
				     case_level(item->height, level),
				     is_3d ? case_level(item->depth, level) : 1};
		VkBufferImageCopy copy = {
			at, 0, 0, {aspect(item), level, 0, n_layers(item)}, {0, 0, 0}, extent};
		if (to_image)
			vkCmdCopyBufferToImage(cmd, r->staging, r->image, VK_IMAGE_LAYOUT_GENERAL,
					       1, &copy);
		else
			vkCmdCopyImageToBuffer(cmd, r->image, VK_IMAGE_LAYOUT_GENERAL, r->staging,
					       1, &copy);
		at += (VkDeviceSize)extent.width * extent.height * extent.depth * n_layers(item) *
		      item->format->size_b;
	}
}

static void enter_general_layout(VkCommandBuffer cmd, struct resource *r)
{
	VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = r->image,
		.subresourceRange = {aspect(r->item), 0, r->item->mips, 0, n_layers(r->item)},
	};
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

/* Through the queue that the case runs on: on the universal one RADV copies to images by
 * drawing. */
static struct bw_error *transfer(struct run *run, bool to_gpu)
{
	bool any = false;
	for (unsigned i = 0; i < run->c->n_items; i++)
		any |= run->resources[i].staging != VK_NULL_HANDLE;
	if (!any)
		return NULL;
	VkCommandBuffer cmd;
	BW_TRY(gpu_begin(run->gpu, run->options->family, &cmd));
	for (unsigned i = 0; i < run->c->n_items; i++) {
		struct resource *r = &run->resources[i];
		VkBufferCopy whole = {0, 0, r->size_b};
		if (r->image && to_gpu)
			enter_general_layout(cmd, r);
		if (r->image)
			copy_image(cmd, r, to_gpu);
		else if (r->staging)
			vkCmdCopyBuffer(cmd, to_gpu ? r->staging : r->buffer,
					to_gpu ? r->buffer : r->staging, 1, &whole);
	}
	gpu_barrier(cmd);
	return gpu_finish(run->gpu, run->options->family, cmd);
}

static struct bw_error *make_set_layouts(struct run *run)
{
	for (unsigned i = 0; i < run->c->n_items; i++)
		run->n_sets = BW_MAX(run->n_sets, run->c->items[i].set + 1);
	for (unsigned set = 0; set < run->n_sets; set++) {
		VkDescriptorSetLayoutBinding bindings[CASE_MAX_ITEMS];
		uint32_t n = 0;
		for (unsigned i = 0; i < run->c->n_items; i++) {
			const struct case_item *item = &run->c->items[i];
			if (item->set != set)
				continue;
			uint32_t k = 0;
			while (k < n && bindings[k].binding != item->binding)
				k++;
			if (k == n)
				bindings[n++] = (VkDescriptorSetLayoutBinding){
					item->binding, descriptor_type(item->kind), 0,
					VK_SHADER_STAGE_COMPUTE_BIT, NULL};
			bindings[k].descriptorCount =
				BW_MAX(bindings[k].descriptorCount, item->element + 1);
		}
		VkDescriptorSetLayoutCreateInfo info = {
			VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, NULL, 0, n, bindings};
		GPU_TRY(vkCreateDescriptorSetLayout(run->gpu->device, &info, NULL,
						    &run->set_layouts[set]));
	}
	return NULL;
}

static struct bw_error *make_sets(struct run *run)
{
	VkDevice device = run->gpu->device;
	BW_TRY(make_set_layouts(run));
	VkDescriptorPoolSize sizes[CASE_SAMPLED_IMAGE + 1];
	for (unsigned k = 0; k < BW_ARRAY_SIZE(sizes); k++)
		sizes[k] = (VkDescriptorPoolSize){descriptor_type(k), CASE_MAX_ITEMS};
	VkDescriptorPoolCreateInfo pool = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
					   NULL,
					   0,
					   N_SETS,
					   BW_ARRAY_SIZE(sizes),
					   sizes};
	GPU_TRY(vkCreateDescriptorPool(device, &pool, NULL, &run->descriptors));
	VkDescriptorSetAllocateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL,
					    run->descriptors, run->n_sets, run->set_layouts};
	GPU_TRY(vkAllocateDescriptorSets(device, &info, run->sets));
	for (unsigned i = 0; i < run->c->n_items; i++) {
		struct resource *r = &run->resources[i];
		VkDescriptorBufferInfo buffer = {
			r->buffer, 0, r->item->bound_b ? r->item->bound_b : VK_WHOLE_SIZE};
		VkDescriptorImageInfo image = {r->sampler, r->image_view, VK_IMAGE_LAYOUT_GENERAL};
		VkWriteDescriptorSet write = {
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = run->sets[r->item->set],
			.dstBinding = r->item->binding,
			.dstArrayElement = r->item->element,
			.descriptorCount = 1,
			.descriptorType = descriptor_type(r->item->kind),
			.pImageInfo = &image,
			.pBufferInfo = &buffer,
			.pTexelBufferView = &r->buffer_view,
		};
		vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
	}
	return NULL;
}

static struct bw_error *make_pipeline(struct run *run, const uint32_t *code, size_t code_b)
{
	const struct test_case *c = run->c;
	VkDevice device = run->gpu->device;
	VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, (c->n_push_b + 3) & ~3u};
	VkPipelineLayoutCreateInfo layout = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
					     NULL,
					     0,
					     run->n_sets,
					     run->set_layouts,
					     c->n_push_b ? 1 : 0,
					     &range};
	GPU_TRY(vkCreatePipelineLayout(device, &layout, NULL, &run->layout));
	VkShaderModuleCreateInfo module = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0,
					   code_b, code};
	GPU_TRY(vkCreateShaderModule(device, &module, NULL, &run->module));
	VkSpecializationMapEntry entries[CASE_MAX_SPECS];
	uint64_t values[CASE_MAX_SPECS];
	for (unsigned i = 0; i < c->n_specs; i++) {
		entries[i] = (VkSpecializationMapEntry){c->specs[i].id, i * 8, c->specs[i].size_b};
		values[i] = c->specs[i].value;
	}
	VkSpecializationInfo spec = {c->n_specs, entries, c->n_specs * sizeof(values[0]), values};
	VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
		VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, NULL,
		run->options->wave};
	bool choose = c->subgroup &&
		      run->options->wave >= run->gpu->subgroup_sizes.minSubgroupSize &&
		      run->options->wave <= run->gpu->subgroup_sizes.maxSubgroupSize;
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  choose ? &subgroup : NULL, 0, VK_SHADER_STAGE_COMPUTE_BIT, run->module,
			  "main", &spec},
		.layout = run->layout,
	};
	GPU_TRY(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &run->pipeline));
	return NULL;
}

static struct bw_error *dispatch(struct run *run)
{
	const struct test_case *c = run->c;
	uint8_t push[CASE_PUSH_BYTES];
	memcpy(push, c->push, sizeof(push));
	for (unsigned i = 0; i < c->n_addresses; i++) {
		unsigned k = 0;
		while (k < c->n_items &&
		       (c->items[k].set || c->items[k].binding != c->addresses[i].binding))
			k++;
		if (k == c->n_items)
			return bw_errorf(BW_E_INVALID, "no buffer %u to take the address of",
					 c->addresses[i].binding);
		VkBufferDeviceAddressInfo info = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
						  NULL, run->resources[k].buffer};
		VkDeviceAddress va = vkGetBufferDeviceAddress(run->gpu->device, &info);
		memcpy(push + c->addresses[i].offset_b, &va, sizeof(va));
	}
	VkCommandBuffer cmd;
	BW_TRY(gpu_begin(run->gpu, run->options->family, &cmd));
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, run->pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, run->layout, 0, run->n_sets,
				run->sets, 0, NULL);
	if (c->n_push_b)
		vkCmdPushConstants(cmd, run->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
				   (c->n_push_b + 3) & ~3u, push);
	for (unsigned i = 0; i < c->n_dispatches; i++) {
		const struct case_dispatch *d = &c->dispatches[i];
		if (d->indirect)
			vkCmdDispatchIndirect(cmd, run->indirect,
					      i * sizeof(VkDispatchIndirectCommand));
		else
			vkCmdDispatch(cmd, d->size[0], d->size[1], d->size[2]);
		gpu_barrier(cmd);
	}
	return gpu_finish(run->gpu, run->options->family, cmd);
}

static struct bw_error *take_outputs(struct run *run, struct run_output *out_output)
{
	struct run_output output = {0};
	for (unsigned i = 0; i < run->c->n_items; i++) {
		struct resource *r = &run->resources[i];
		if (r->item->input)
			continue;
		output.data[i] = malloc(r->size_b);
		if (!output.data[i]) {
			run_output_free(&output);
			return bw_error_nomem();
		}
		memcpy(output.data[i], r->staging ? r->staging_memory.map : r->memory.map,
		       r->size_b);
	}
	*out_output = output;
	return NULL;
}

static void free_run(struct run *run)
{
	VkDevice device = run->gpu->device;
	for (unsigned i = 0; i < run->c->n_items; i++) {
		struct resource *r = &run->resources[i];
		vkDestroySampler(device, r->sampler, NULL);
		vkDestroyImageView(device, r->image_view, NULL);
		vkDestroyImage(device, r->image, NULL);
		vkDestroyBufferView(device, r->buffer_view, NULL);
		vkDestroyBuffer(device, r->buffer, NULL);
		vkDestroyBuffer(device, r->staging, NULL);
		vkFreeMemory(device, r->memory.memory, NULL);
		vkFreeMemory(device, r->staging_memory.memory, NULL);
	}
	vkDestroyBuffer(device, run->indirect, NULL);
	vkFreeMemory(device, run->indirect_memory.memory, NULL);
	vkDestroyPipeline(device, run->pipeline, NULL);
	vkDestroyShaderModule(device, run->module, NULL);
	vkDestroyPipelineLayout(device, run->layout, NULL);
	vkDestroyDescriptorPool(device, run->descriptors, NULL);
	for (unsigned i = 0; i < N_SETS; i++)
		vkDestroyDescriptorSetLayout(device, run->set_layouts[i], NULL);
}

struct bw_error *run_case(struct gpu *gpu, const struct run_options *options,
			  const struct test_case *c, const uint32_t *code, size_t code_b,
			  struct run_output *out_output)
{
	struct run run = {.gpu = gpu, .options = options, .c = c};
	struct bw_error *err = make_resources(&run);
	if (!err)
		err = make_sets(&run);
	if (!err)
		err = make_pipeline(&run, code, code_b);
	if (!err)
		err = bw_error_wrap(transfer(&run, true), "filling");
	if (!err)
		err = bw_error_wrap(dispatch(&run), "running");
	if (!err)
		err = bw_error_wrap(transfer(&run, false), "reading back");
	if (!err)
		err = take_outputs(&run, out_output);
	/* After a timeout the GPU still uses all this: it goes when the process ends. */
	if (!err || err->code != BW_E_TIMEOUT)
		free_run(&run);
	return err;
}

void run_output_free(struct run_output *output)
{
	for (unsigned i = 0; i < CASE_MAX_ITEMS; i++)
		free(output->data[i]);
	*output = (struct run_output){0};
}
