/* SPDX-License-Identifier: MIT */
/* Draws scenes on the first Vulkan device, each with another part of the pipeline, and writes their
 * pictures into one file: for each a line "NAME WIDTH HEIGHT", then RGBA with 8 bits a component.
 * The comparing is test_draws.py's.
 *
 *     draw_scenes FOLDER_OF_SPV OUT [SCENE...] */
#include "draw_objects.h"
#include "draw_scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static const char *folder;

/* ---- the pipeline ---- */

static unsigned n_targets(const struct scene *s)
{
	unsigned n = 1;
	while (n < MAX_TARGETS && s->formats[n])
		n++;
	return n;
}

static VkFormat format_of(const struct scene *s, unsigned i)
{
	return s->formats[i] ? s->formats[i] : VK_FORMAT_R8G8B8A8_UNORM;
}

static VkSampleCountFlagBits samples_of(const struct scene *s)
{
	return s->samples ? s->samples : VK_SAMPLE_COUNT_1_BIT;
}

static VkPipelineColorBlendAttachmentState blend_of(const struct scene *s)
{
	static const struct {
		VkBlendFactor src, dst;
		VkBlendOp op;
	} all[] = {
		[NO_BLEND] = {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD},
		[BLEND_OVER] = {VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
				VK_BLEND_OP_ADD},
		[BLEND_ADD] = {VK_BLEND_FACTOR_DST_COLOR, VK_BLEND_FACTOR_ONE,
			       VK_BLEND_OP_REVERSE_SUBTRACT},
		[BLEND_CONSTANT] = {VK_BLEND_FACTOR_CONSTANT_COLOR,
				    VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA, VK_BLEND_OP_ADD},
		[BLEND_MAX] = {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_MAX},
		[BLEND_DUAL] = {VK_BLEND_FACTOR_SRC1_COLOR, VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA,
				VK_BLEND_OP_ADD},
		[LOGIC_XOR] = {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD},
	};
	return (VkPipelineColorBlendAttachmentState){
		.blendEnable = s->blend != NO_BLEND && s->blend != LOGIC_XOR,
		.srcColorBlendFactor = all[s->blend].src,
		.dstColorBlendFactor = all[s->blend].dst,
		.colorBlendOp = all[s->blend].op,
		.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
		.dstAlphaBlendFactor = VK_BLEND_FACTOR_ZERO,
		.alphaBlendOp = s->blend == BLEND_MAX ? VK_BLEND_OP_MIN : VK_BLEND_OP_ADD,
		.colorWriteMask = s->mask ? s->mask : 0xf};
}

static uint32_t make_stages(struct gpu *gpu, const struct scene *s,
			    const VkSpecializationInfo *constants,
			    VkPipelineShaderStageCreateInfo out[6])
{
	struct stage {
		VkShaderStageFlagBits stage;
		const char *name;
	} all[6] = {{VK_SHADER_STAGE_VERTEX_BIT, s->vert ? s->vert : "scene"},
		    {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, s->tesc},
		    {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, s->tese},
		    {VK_SHADER_STAGE_GEOMETRY_BIT, s->geom},
		    {VK_SHADER_STAGE_FRAGMENT_BIT, s->frag},
		    {VK_SHADER_STAGE_TASK_BIT_EXT, s->task}};
	if (s->mesh)
		all[0] = (struct stage){VK_SHADER_STAGE_MESH_BIT_EXT, s->mesh};
	uint32_t n = 0;
	for (int i = 0; i < 6; i++)
		if (all[i].name)
			out[n++] = (VkPipelineShaderStageCreateInfo){
				.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
				.stage = all[i].stage,
				.module = load_shader(gpu, folder, all[i].name),
				.pName = "main",
				.pSpecializationInfo = i || s->mesh ? NULL : constants};
	return n;
}

static VkPipeline make_pipeline(struct gpu *gpu, const struct scene *s, VkPipelineLayout layout)
{
	VkFormat formats[MAX_TARGETS];
	VkPipelineColorBlendAttachmentState blends[MAX_TARGETS];
	for (unsigned i = 0; i < n_targets(s); i++) {
		formats[i] = format_of(s, i);
		blends[i] = blend_of(s);
	}
	VkPipelineRenderingCreateInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
		.colorAttachmentCount = n_targets(s),
		.pColorAttachmentFormats = formats,
		.depthAttachmentFormat = s->depth,
		.stencilAttachmentFormat = s->stencil ? s->depth : VK_FORMAT_UNDEFINED};
	float clip = s->has_clip ? s->clip : -1000;
	VkSpecializationMapEntry entry = {0, 0, sizeof(clip)};
	VkSpecializationInfo constants = {1, &entry, sizeof(clip), &clip};
	VkPipelineShaderStageCreateInfo stages[6];
	const uint32_t n_stages = make_stages(gpu, s, &constants, stages);
	VkVertexInputBindingDescription binding = {0, 32, VK_VERTEX_INPUT_RATE_VERTEX};
	VkVertexInputAttributeDescription attributes[2] = {
		{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
		{1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
	VkPipelineVertexInputStateCreateInfo input = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
		.vertexBindingDescriptionCount = 1,
		.pVertexBindingDescriptions = &binding,
		.vertexAttributeDescriptionCount = 2,
		.pVertexAttributeDescriptions = attributes};
	VkPipelineInputAssemblyStateCreateInfo assembly = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
		.topology = s->topology,
		.primitiveRestartEnable = s->restart};
	VkViewport viewports[3] = {{0, 0, WIDTH, HEIGHT, 0, 1},
				   {50, 2, 44, 60, 0.25f, 1},
				   {5.25f, 70.5f, 80.5f, -60, 0.1f, 0.9f}};
	VkRect2D scissors[3] = {
		{{0, 0}, {WIDTH, HEIGHT}}, {{55, 3}, {40, 70}}, {{13, 9}, {50, 41}}};
	if (s->flipped)
		viewports[0] = viewports[2];
	if (s->scissored)
		scissors[0] = scissors[2];
	VkPipelineViewportStateCreateInfo view = {
		VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
		NULL,
		0,
		s->viewports ? 3 : 1,
		viewports,
		s->viewports ? 3 : 1,
		scissors};
	VkPipelineRasterizationLineStateCreateInfoEXT lines = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
		.lineRasterizationMode = s->lines};
	VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking = {
		/* clang-format off */
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
		/* clang-format on */
		.pNext = s->lines ? &lines : NULL,
		.provokingVertexMode = VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT};
	VkPipelineTessellationStateCreateInfo patches = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
		.patchControlPoints = s->patch};
	VkPipelineRasterizationStateCreateInfo raster = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
		.pNext = s->provoking_last ? &provoking : provoking.pNext,
		.depthClampEnable = s->depth_clamp,
		.polygonMode = s->polygon,
		.cullMode = s->cull,
		.frontFace = s->front,
		.depthBiasEnable = s->bias,
		.depthBiasConstantFactor = s->bias ? 1000 : 0,
		.depthBiasSlopeFactor = s->bias ? 1.5f : 0,
		.lineWidth = s->width > 0 ? s->width : 1};
	VkPipelineMultisampleStateCreateInfo samples = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
		.rasterizationSamples = samples_of(s),
		.sampleShadingEnable = s->sample_shading,
		.minSampleShading = 1,
		.alphaToCoverageEnable = s->alpha_to_coverage};
	VkStencilOpState stencil = {VK_STENCIL_OP_INVERT,
				    VK_STENCIL_OP_INCREMENT_AND_WRAP,
				    VK_STENCIL_OP_DECREMENT_AND_CLAMP,
				    VK_COMPARE_OP_LESS_OR_EQUAL,
				    0x7,
				    0xf,
				    1};
	VkPipelineDepthStencilStateCreateInfo depth = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
		.depthTestEnable = s->depth != VK_FORMAT_UNDEFINED,
		.depthWriteEnable = s->depth != VK_FORMAT_UNDEFINED,
		.depthCompareOp = s->compare,
		.stencilTestEnable = s->stencil,
		.front = stencil,
		.back = stencil};
	VkPipelineColorBlendStateCreateInfo blend = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
		.logicOpEnable = s->blend == LOGIC_XOR,
		.logicOp = VK_LOGIC_OP_XOR,
		.attachmentCount = n_targets(s),
		.pAttachments = blends,
		.blendConstants = {0.2f, 0.4f, 0.6f, 0.8f}};
	VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.pNext = &rendering,
		.stageCount = n_stages,
		.pStages = stages,
		.pVertexInputState = &input,
		.pInputAssemblyState = &assembly,
		.pTessellationState = s->patch ? &patches : NULL,
		.pViewportState = &view,
		.pRasterizationState = &raster,
		.pMultisampleState = &samples,
		.pDepthStencilState = &depth,
		.pColorBlendState = &blend,
		.layout = layout};
	VkPipeline pipeline;
	MUST(vkCreateGraphicsPipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
	for (uint32_t i = 0; i < n_stages; i++)
		vkDestroyShaderModule(gpu->device, stages[i].module, NULL);
	return pipeline;
}

/* ---- a scene ---- */

struct targets {
	struct image color[MAX_TARGETS], resolved[MAX_TARGETS], depth;
};

static VkImageAspectFlags depth_aspect(const struct scene *s)
{
	return VK_IMAGE_ASPECT_DEPTH_BIT | (s->stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0u);
}

static void make_targets(struct gpu *gpu, const struct scene *s, struct targets *t)
{
	memset(t, 0, sizeof(*t));
	struct image_kind kind = {.samples = samples_of(s),
				  .linear = s->linear,
				  .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
					   VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
				  .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
				  .width = WIDTH,
				  .height = HEIGHT,
				  .layers = s->layers};
	for (unsigned i = 0; i < n_targets(s); i++) {
		kind.format = format_of(s, i);
		t->color[i] = make_image(gpu, &kind);
		struct image_kind one = kind;
		one.samples = VK_SAMPLE_COUNT_1_BIT;
		if (samples_of(s) != VK_SAMPLE_COUNT_1_BIT)
			t->resolved[i] = make_image(gpu, &one);
	}
	kind.format = s->depth;
	kind.linear = false;
	kind.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
	kind.aspect = depth_aspect(s);
	if (s->depth)
		t->depth = make_image(gpu, &kind);
}

static void begin_rendering(VkCommandBuffer cmd, const struct scene *s, const struct targets *t)
{
	VkRenderingAttachmentInfo color[MAX_TARGETS];
	for (unsigned i = 0; i < n_targets(s); i++) {
		color[i] = (VkRenderingAttachmentInfo){
			.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
			.imageView = t->color[i].view,
			.imageLayout = VK_IMAGE_LAYOUT_GENERAL,
			.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
			.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
			.clearValue.color.float32 = {0.2f, 0.2f, 0.4f, 1},
		};
		if (format_of(s, i) == VK_FORMAT_R8G8B8A8_UINT ||
		    format_of(s, i) == VK_FORMAT_R8G8B8A8_SINT)
			color[i].clearValue.color = (VkClearColorValue){.uint32 = {1, 2, 3, 4}};
		if (t->resolved[i].view) {
			color[i].resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
			color[i].resolveImageView = t->resolved[i].view;
			color[i].resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
		}
		change_layout(cmd, t->color[i].image, VK_IMAGE_ASPECT_COLOR_BIT,
			      VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
		if (t->resolved[i].view)
			change_layout(cmd, t->resolved[i].image, VK_IMAGE_ASPECT_COLOR_BIT,
				      VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	}
	bool least = s->compare == VK_COMPARE_OP_GREATER_OR_EQUAL;
	VkRenderingAttachmentInfo depth = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = t->depth.view,
		.imageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue.depthStencil = {least ? 0.25f : 0.75f, 3},
	};
	if (s->depth)
		change_layout(cmd, t->depth.image, depth_aspect(s), VK_IMAGE_LAYOUT_UNDEFINED,
			      VK_IMAGE_LAYOUT_GENERAL);
	VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = {{0, 0}, {WIDTH, HEIGHT}},
		.layerCount = s->layers ? s->layers : 1,
		.colorAttachmentCount = n_targets(s),
		.pColorAttachments = color,
		.pDepthAttachment = s->depth ? &depth : NULL,
		.pStencilAttachment = s->stencil ? &depth : NULL,
	};
	vkCmdBeginRendering(cmd, &info);
}

enum {
	INDICES_AT = N_VERTICES * 32,
	ARGUMENTS_AT = INDICES_AT + N_VERTICES * 4,
	STRIDE = 32, /* of 5 draws at most */
	COUNT_AT = ARGUMENTS_AT + 5 * STRIDE,
	INPUT_B = COUNT_AT + 4
};

static void fill_input(const struct scene *s, uint8_t *map)
{
	float vertices[N_VERTICES][8];
	scene_vertices(s->behind, vertices);
	memcpy(map, vertices, sizeof(vertices));
	for (uint32_t i = 0; i < s->count && s->index_b; i++) {
		uint32_t index = scene_index(s, i);
		memcpy(map + INDICES_AT + i * s->index_b, &index, s->index_b);
	}
	const uint32_t instances = s->instances ? s->instances : 1;
	const uint32_t n_draws = s->n_draws ? s->n_draws : 1, count = n_draws - 1;
	memcpy(map + COUNT_AT, &count, sizeof(count));
	for (uint32_t i = 0; i < n_draws; i++) {
		const uint32_t first = i * s->count;
		const uint32_t plain[] = {s->count, instances, s->first + first, s->first_instance};
		const uint32_t indexed[] = {s->count, instances, 0,
					    (uint32_t)s->vertex_offset + first, s->first_instance};
		const uint32_t groups[] = {s->groups[0] + i, s->groups[1], s->groups[2]};
		const void *arguments = s->mesh ? groups : s->index_b ? indexed : plain;
		memcpy(map + ARGUMENTS_AT + i * STRIDE, arguments,
		       s->mesh	    ? sizeof(groups)
		       : s->index_b ? sizeof(indexed)
				    : sizeof(plain));
	}
}

#define FIND(name) ((PFN_##name)vkGetDeviceProcAddr(gpu->device, #name))

static void draw_mesh(struct gpu *gpu, VkCommandBuffer cmd, const struct scene *s, VkBuffer input)
{
	if (s->counted)
		FIND(vkCmdDrawMeshTasksIndirectCountEXT)
	(cmd, input, ARGUMENTS_AT, input, COUNT_AT, s->n_draws, STRIDE);
	else if (s->indirect)
		FIND(vkCmdDrawMeshTasksIndirectEXT)(cmd, input, ARGUMENTS_AT, s->n_draws, STRIDE);
	else FIND(vkCmdDrawMeshTasksEXT)(cmd, s->groups[0], s->groups[1], s->groups[2]);
}

static void draw(VkCommandBuffer cmd, const struct scene *s, VkBuffer input)
{
	VkDeviceSize at = 0;
	const uint32_t instances = s->instances ? s->instances : 1;
	vkCmdBindVertexBuffers(cmd, 0, 1, &input, &at);
	if (s->index_b)
		vkCmdBindIndexBuffer(cmd, input, INDICES_AT,
				     s->index_b == 1   ? VK_INDEX_TYPE_UINT8_EXT
				     : s->index_b == 2 ? VK_INDEX_TYPE_UINT16
						       : VK_INDEX_TYPE_UINT32);
	const uint32_t n_draws = s->n_draws ? s->n_draws : 1;
	if (s->counted)
		vkCmdDrawIndexedIndirectCount(cmd, input, ARGUMENTS_AT, input, COUNT_AT, n_draws,
					      STRIDE);
	else if (s->indirect && s->index_b)
		vkCmdDrawIndexedIndirect(cmd, input, ARGUMENTS_AT, n_draws, STRIDE);
	else if (s->indirect)
		vkCmdDrawIndirect(cmd, input, ARGUMENTS_AT, n_draws, STRIDE);
	else if (s->index_b)
		vkCmdDrawIndexed(cmd, s->count, instances, 0, s->vertex_offset, s->first_instance);
	else
		vkCmdDraw(cmd, s->count, instances, s->first, s->first_instance);
}

static void run_scene(struct gpu *gpu, const struct scene *s, const struct texture *texture,
		      FILE *out)
{
	const uint32_t n_layers = s->layers ? s->layers : 1;
	static const float offset[4] = {0.11f, -0.07f, 0.03f, 0};
	struct targets t;
	struct buffer input = make_buffer(gpu, INPUT_B), back[MAX_TARGETS];
	VkCommandBuffer cmd;
	fill_input(s, input.memory.map);
	make_targets(gpu, s, &t);
	VkPipeline pipeline = make_pipeline(gpu, s, texture->sampled.layout);
	must(gpu_begin(gpu, GPU_UNIVERSAL, &cmd));
	begin_rendering(cmd, s, &t);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, texture->sampled.layout, 0, 1,
				&texture->sampled.set, 0, NULL);
	vkCmdPushConstants(cmd, texture->sampled.layout, VK_SHADER_STAGE_VERTEX_BIT, 0,
			   sizeof(offset), offset);
	if (s->mesh)
		draw_mesh(gpu, cmd, s, input.buffer);
	else
		draw(cmd, s, input.buffer);
	vkCmdEndRendering(cmd);
	gpu_barrier(cmd);
	for (unsigned i = 0; i < n_targets(s); i++) {
		VkBufferImageCopy copy = {
			.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, n_layers},
			.imageExtent = {WIDTH, HEIGHT, 1}};
		back[i] = make_buffer(gpu, WIDTH * HEIGHT * 16);
		vkCmdCopyImageToBuffer(cmd,
				       t.resolved[i].image ? t.resolved[i].image : t.color[i].image,
				       VK_IMAGE_LAYOUT_GENERAL, back[i].buffer, 1, &copy);
	}
	gpu_barrier(cmd);
	must(gpu_finish(gpu, GPU_UNIVERSAL, cmd));
	for (unsigned i = 0; i < n_targets(s); i++) {
		for (uint32_t layer = 0; layer < n_layers; layer++)
			scene_write(out, s->name, i + layer, format_of(s, i),
				    (uint8_t *)back[i].memory.map +
					    (size_t)layer * WIDTH * HEIGHT *
						    scene_texel_b(format_of(s, i)));
		free_buffer(gpu, &back[i]);
		free_image(gpu, &t.color[i]);
		if (t.resolved[i].image)
			free_image(gpu, &t.resolved[i]);
	}
	if (t.depth.image)
		free_image(gpu, &t.depth);
	free_buffer(gpu, &input);
	vkDestroyPipeline(gpu->device, pipeline, NULL);
}

static bool is_wanted(const char *name, int argc, char **argv)
{
	for (int i = 3; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc <= 3;
}

int main(int argc, char **argv)
{
	struct gpu_options options = {0};
	struct gpu *gpu;
	struct texture texture;
	if (argc < 3)
		return 2;
	folder = argv[1];
	FILE *out = fopen(argv[2], "wb");
	if (!out)
		return 2;
	must(gpu_open(&options, &gpu));
	make_texture(gpu, &texture);
	for (size_t i = 0; i < n_scenes; i++)
		if (is_wanted(scenes[i].name, argc, argv))
			run_scene(gpu, &scenes[i], &texture, out);
	free_texture(gpu, &texture);
	gpu_close(gpu);
	return fclose(out) ? 2 : 0;
}
