/* SPDX-License-Identifier: MIT */
/* Draws one triangle that covers all of an image, with a storage buffer and a storage image for the
 * shaders, and prints the buffer's words that are not zero: what --check says of such shaders
 * (test_draw_checked.py).
 *
 *     draw_checked FOLDER
 *
 * FOLDER has draws_vertex.spv and draws_pixel.spv. */
#include "draw_objects.h"

#include <string.h>

enum { SIDE = 32, TEXELS = 8, WORDS = SIDE * SIDE };

struct sets {
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkDescriptorPool pool;
	VkDescriptorSet set;
};

static void make_sets(struct gpu *gpu, VkBuffer buffer, VkImageView view, struct sets *s)
{
	const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
					  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};
	const VkDescriptorBufferInfo of_buffer = {buffer, 0, WORDS * 4};
	const VkDescriptorImageInfo of_image = {VK_NULL_HANDLE, view, VK_IMAGE_LAYOUT_GENERAL};
	VkDescriptorSetLayoutBinding bindings[2];
	VkDescriptorPoolSize sizes[2];
	VkWriteDescriptorSet writes[2];
	for (uint32_t i = 0; i < 2; i++) {
		bindings[i] = (VkDescriptorSetLayoutBinding){i, types[i], 1,
							     VK_SHADER_STAGE_ALL_GRAPHICS, NULL};
		sizes[i] = (VkDescriptorPoolSize){types[i], 1};
	}
	MUST(vkCreateDescriptorSetLayout(
		gpu->device,
		&(VkDescriptorSetLayoutCreateInfo){
			.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
			.bindingCount = 2,
			.pBindings = bindings},
		NULL, &s->set_layout));
	MUST(vkCreatePipelineLayout(gpu->device,
				    &(VkPipelineLayoutCreateInfo){
					    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
					    .setLayoutCount = 1,
					    .pSetLayouts = &s->set_layout},
				    NULL, &s->layout));
	MUST(vkCreateDescriptorPool(gpu->device,
				    &(VkDescriptorPoolCreateInfo){
					    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
					    .maxSets = 1,
					    .poolSizeCount = 2,
					    .pPoolSizes = sizes},
				    NULL, &s->pool));
	MUST(vkAllocateDescriptorSets(
		gpu->device,
		&(VkDescriptorSetAllocateInfo){
			.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
			.descriptorPool = s->pool,
			.descriptorSetCount = 1,
			.pSetLayouts = &s->set_layout},
		&s->set));
	for (uint32_t i = 0; i < 2; i++)
		writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
						   .dstSet = s->set,
						   .dstBinding = i,
						   .descriptorCount = 1,
						   .descriptorType = types[i],
						   .pBufferInfo = &of_buffer,
						   .pImageInfo = &of_image};
	vkUpdateDescriptorSets(gpu->device, 2, writes, 0, NULL);
}

static VkPipeline make_pipeline(struct gpu *gpu, const char *folder, VkPipelineLayout layout)
{
	const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
	VkPipelineShaderStageCreateInfo stages[2] = {
		{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		 .stage = VK_SHADER_STAGE_VERTEX_BIT,
		 .module = load_shader(gpu, folder, "vertex"),
		 .pName = "main"},
		{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		 .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
		 .module = load_shader(gpu, folder, "pixel"),
		 .pName = "main"}};
	const VkViewport viewport = {0, 0, SIDE, SIDE, 0, 1};
	const VkRect2D scissor = {{0, 0}, {SIDE, SIDE}};
	const VkPipelineColorBlendAttachmentState written = {.colorWriteMask = 15};
	VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.pNext =
			&(VkPipelineRenderingCreateInfo){
				.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
				.colorAttachmentCount = 1,
				.pColorAttachmentFormats = &format},
		.stageCount = 2,
		.pStages = stages,
		.pVertexInputState =
			&(VkPipelineVertexInputStateCreateInfo){
				.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO},
		.pInputAssemblyState =
			&(VkPipelineInputAssemblyStateCreateInfo){
				.sType =
					VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
				.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST},
		.pViewportState =
			&(VkPipelineViewportStateCreateInfo){
				.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
				.viewportCount = 1,
				.pViewports = &viewport,
				.scissorCount = 1,
				.pScissors = &scissor},
		.pRasterizationState =
			&(VkPipelineRasterizationStateCreateInfo){
				.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
				.lineWidth = 1},
		.pMultisampleState =
			&(VkPipelineMultisampleStateCreateInfo){
				.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
				.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT},
		.pColorBlendState =
			&(VkPipelineColorBlendStateCreateInfo){
				.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
				.attachmentCount = 1,
				.pAttachments = &written},
		.layout = layout};
	VkPipeline pipeline;
	MUST(vkCreateGraphicsPipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
	for (unsigned i = 0; i < 2; i++)
		vkDestroyShaderModule(gpu->device, stages[i].module, NULL);
	return pipeline;
}

static void draw(struct gpu *gpu, const struct image *target, const struct image *storage,
		 const struct sets *s, VkPipeline pipeline)
{
	VkCommandBuffer cmd;
	must(gpu_begin(gpu, GPU_UNIVERSAL, &cmd));
	change_layout(cmd, target->image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
		      VK_IMAGE_LAYOUT_GENERAL);
	change_layout(cmd, storage->image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
		      VK_IMAGE_LAYOUT_GENERAL);
	VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
					   .imageView = target->view,
					   .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
					   .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
					   .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
	vkCmdBeginRendering(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
						    .renderArea = {{0, 0}, {SIDE, SIDE}},
						    .layerCount = 1,
						    .colorAttachmentCount = 1,
						    .pColorAttachments = &color});
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->layout, 0, 1, &s->set, 0,
				NULL);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	vkCmdEndRendering(cmd);
	gpu_barrier(cmd);
	must(gpu_finish(gpu, GPU_UNIVERSAL, cmd));
}

int main(int argc, char **argv)
{
	struct gpu_options options = {0};
	struct gpu *gpu;
	struct sets sets;
	if (argc != 2)
		return 2;
	must(gpu_open(&options, &gpu));
	struct image_kind kind = {.format = VK_FORMAT_R8G8B8A8_UNORM,
				  .samples = VK_SAMPLE_COUNT_1_BIT,
				  .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
				  .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
				  .width = SIDE,
				  .height = SIDE};
	struct image target = make_image(gpu, &kind);
	kind.format = VK_FORMAT_R32_UINT;
	kind.usage = VK_IMAGE_USAGE_STORAGE_BIT;
	kind.width = kind.height = TEXELS;
	struct image storage = make_image(gpu, &kind);
	struct buffer words = make_buffer(gpu, WORDS * 4);
	memset(words.memory.map, 0, WORDS * 4);
	make_sets(gpu, words.buffer, storage.view, &sets);
	VkPipeline pipeline = make_pipeline(gpu, argv[1], sets.layout);
	draw(gpu, &target, &storage, &sets, pipeline);
	const uint32_t *map = (const uint32_t *)words.memory.map;
	unsigned n = 0;
	for (unsigned i = 0; i < WORDS; i++)
		n += map[i] != 0;
	printf("%u words\n", n);
	vkDestroyPipeline(gpu->device, pipeline, NULL);
	vkDestroyDescriptorPool(gpu->device, sets.pool, NULL);
	vkDestroyPipelineLayout(gpu->device, sets.layout, NULL);
	vkDestroyDescriptorSetLayout(gpu->device, sets.set_layout, NULL);
	free_buffer(gpu, &words);
	free_image(gpu, &storage);
	free_image(gpu, &target);
	gpu_close(gpu);
	return 0;
}
