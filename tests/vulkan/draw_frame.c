/* SPDX-License-Identifier: MIT */
/* A frame as programs draw it, on the first Vulkan device: boxes into a shadow map with depth bias;
 * the boxes with four samples and a comparison sampler, and sparks that a geometry shader makes of
 * points and alpha makes thin; a resolve; and outlines over it, as lines that are blended. The
 * picture is written as by draw_scenes, and test_draws.py compares it.
 *
 *     draw_frame FOLDER_OF_SPV OUT [PIXELS [FRAMES]]
 *
 * PIXELS: width and height, by default 96; FRAMES: how often it is drawn, for measurements. */
#include "draw_objects.h"
#include "draw_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

enum { BOXES = 6, SPARKS = 12, CORNERS = 24, INDICES = 36 };
#define COLOR VK_FORMAT_R8G8B8A8_UNORM
#define DEPTH VK_FORMAT_D32_SFLOAT

static const char *folder;
static uint32_t frame = 96; /* pixels */

static uint32_t shadow(void)
{
	return frame / 3 * 4;
}

struct push {
	float view[16], light[16];
};

/* ---- matrices, by columns ---- */

static void multiply(const float a[16], const float b[16], float out[16])
{
	for (int c = 0; c < 4; c++)
		for (int r = 0; r < 4; r++) {
			float sum = 0;
			for (int k = 0; k < 4; k++)
				sum += a[4 * k + r] * b[4 * c + k];
			out[4 * c + r] = sum;
		}
}

static void normalize(float v[3])
{
	float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	for (int i = 0; i < 3; i++)
		v[i] /= length;
}

static void cross(const float a[3], const float b[3], float out[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* From a place towards the middle; then in perspective, or (0) in parallel. */
static void look(const float eye[3], float perspective, float out[16])
{
	static const float up[3] = {0, 1, 0};
	float ahead[3] = {-eye[0], -eye[1], -eye[2]}, right[3], down[3], at[16] = {0};
	normalize(ahead);
	cross(ahead, up, right);
	normalize(right);
	cross(ahead, right, down);
	const float *rows[3] = {right, down, ahead};
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 3; c++) {
			at[4 * c + r] = rows[r][c];
			at[12 + r] -= rows[r][c] * eye[c];
		}
	at[15] = 1;
	const float near = 1, far = 16;
	const float in_perspective[16] = {perspective,
					  0,
					  0,
					  0,
					  0,
					  perspective,
					  0,
					  0,
					  0,
					  0,
					  far / (far - near),
					  1,
					  0,
					  0,
					  -far * near / (far - near),
					  0};
	const float parallel[16] = {0.2f, 0, 0, 0, 0, 0.2f, 0, 0, 0, 0, 1 / far, 0, 0, 0, 0, 1};
	multiply(perspective > 0 ? in_perspective : parallel, at, out);
}

/* ---- pipelines ---- */

struct look_of {
	const char *vert, *geom, *frag;
	VkSampleCountFlagBits samples;
	bool is_ground, has_color, tests_depth, bias, is_thin, is_outline, has_vertices;
};

static uint32_t make_stages(struct gpu *gpu, const struct look_of *l,
			    const VkSpecializationInfo *constants,
			    VkPipelineShaderStageCreateInfo out[3])
{
	const struct {
		VkShaderStageFlagBits stage;
		const char *name;
	} all[3] = {{VK_SHADER_STAGE_VERTEX_BIT, l->vert},
		    {VK_SHADER_STAGE_GEOMETRY_BIT, l->geom},
		    {VK_SHADER_STAGE_FRAGMENT_BIT, l->frag}};
	uint32_t n = 0;
	for (int i = 0; i < 3; i++)
		if (all[i].name)
			out[n++] = (VkPipelineShaderStageCreateInfo){
				.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
				.stage = all[i].stage,
				.module = load_shader(gpu, folder, all[i].name),
				.pName = "main",
				.pSpecializationInfo = i ? NULL : constants};
	return n;
}

static VkPipeline make_pipeline(struct gpu *gpu, VkPipelineLayout layout, const struct look_of *l)
{
	static const VkFormat format = COLOR;
	VkPipelineRenderingCreateInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
		.colorAttachmentCount = l->has_color,
		.pColorAttachmentFormats = &format,
		.depthAttachmentFormat = l->tests_depth ? DEPTH : VK_FORMAT_UNDEFINED};
	const VkBool32 is_ground = l->is_ground;
	VkSpecializationMapEntry entry = {0, 0, sizeof(is_ground)};
	VkSpecializationInfo constants = {1, &entry, sizeof(is_ground), &is_ground};
	VkPipelineShaderStageCreateInfo stages[3];
	const uint32_t n_stages = make_stages(gpu, l, &constants, stages);
	VkVertexInputBindingDescription binding = {0, 24, VK_VERTEX_INPUT_RATE_VERTEX};
	VkVertexInputAttributeDescription attributes[2] = {{0, 0, VK_FORMAT_R32G32B32_SFLOAT, 0},
							   {1, 0, VK_FORMAT_R32G32B32_SFLOAT, 12}};
	VkPipelineVertexInputStateCreateInfo input = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
		.vertexBindingDescriptionCount = l->has_vertices,
		.pVertexBindingDescriptions = &binding,
		.vertexAttributeDescriptionCount = l->has_vertices ? 2 : 0,
		.pVertexAttributeDescriptions = attributes};
	VkPipelineInputAssemblyStateCreateInfo assembly = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
		.topology = l->geom ? VK_PRIMITIVE_TOPOLOGY_POINT_LIST
				    : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
	const float size = (float)(l->has_color ? frame : shadow());
	VkViewport viewport = {0, 0, size, size, 0, 1};
	VkRect2D scissor = {{0, 0}, {(uint32_t)size, (uint32_t)size}};
	VkPipelineViewportStateCreateInfo view = {
		VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
		NULL,
		0,
		1,
		&viewport,
		1,
		&scissor};
	VkPipelineRasterizationLineStateCreateInfoEXT lines = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
		.lineRasterizationMode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT};
	VkPipelineRasterizationStateCreateInfo raster = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
		.pNext = l->is_outline ? &lines : NULL,
		.polygonMode = l->is_outline ? VK_POLYGON_MODE_LINE : VK_POLYGON_MODE_FILL,
		.depthBiasEnable = l->bias,
		.depthBiasConstantFactor = 4,
		.depthBiasSlopeFactor = 1.5f,
		.lineWidth = 1};
	VkPipelineMultisampleStateCreateInfo samples = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
		.rasterizationSamples = l->samples,
		.alphaToCoverageEnable = l->is_thin};
	VkPipelineDepthStencilStateCreateInfo depth = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
		.depthTestEnable = l->tests_depth,
		.depthWriteEnable = l->tests_depth,
		.depthCompareOp = VK_COMPARE_OP_LESS};
	VkPipelineColorBlendAttachmentState attachment = {
		.blendEnable = l->is_outline,
		.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
		.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
		.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
		.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
		.colorWriteMask = 0xf};
	VkPipelineColorBlendStateCreateInfo blend = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
		.attachmentCount = l->has_color,
		.pAttachments = &attachment};
	VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.pNext = &rendering,
		.stageCount = n_stages,
		.pStages = stages,
		.pVertexInputState = &input,
		.pInputAssemblyState = &assembly,
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

/* ---- the frame ---- */

/* A cube's corners with the normals of its sides, and two triangles for each side. */
static void fill_cube(float *vertices, uint16_t *indices)
{
	for (int side = 0; side < 6; side++) {
		int axis = side / 2;
		float toward = side % 2 ? 1 : -1;
		for (int k = 0; k < 4; k++) {
			float *v = &vertices[(side * 4 + k) * 6];
			memset(v, 0, 24);
			v[axis] = v[3 + axis] = toward;
			v[(axis + 1) % 3] = k & 1 ? 1 : -1;
			v[(axis + 2) % 3] = k & 2 ? 1 : -1;
		}
		for (int k = 0; k < 6; k++)
			indices[side * 6 + k] =
				(uint16_t)(side * 4 + (const int[]){0, 1, 2, 2, 1, 3}[k]);
	}
}

static void begin(VkCommandBuffer cmd, const struct image *color, const struct image *resolved,
		  const struct image *depth, bool clears, uint32_t size)
{
	const VkAttachmentLoadOp load =
		clears ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
	VkRenderingAttachmentInfo first = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = color ? color->view : VK_NULL_HANDLE,
		.imageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.resolveMode = resolved ? VK_RESOLVE_MODE_AVERAGE_BIT : VK_RESOLVE_MODE_NONE,
		.resolveImageView = resolved ? resolved->view : VK_NULL_HANDLE,
		.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.loadOp = load,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue.color.float32 = {0.4f, 0.6f, 0.8f, 1},
	};
	VkRenderingAttachmentInfo second = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = depth ? depth->view : VK_NULL_HANDLE,
		.imageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.loadOp = load,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue.depthStencil.depth = 1,
	};
	VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = {{0, 0}, {size, size}},
		.layerCount = 1,
		.colorAttachmentCount = color ? 1 : 0,
		.pColorAttachments = &first,
		.pDepthAttachment = depth ? &second : NULL,
	};
	vkCmdBeginRendering(cmd, &info);
}

static struct image make_target(struct gpu *gpu, VkFormat format, VkSampleCountFlagBits samples,
				uint32_t size, VkImageUsageFlags usage)
{
	bool depth = format == DEPTH;
	return make_image(
		gpu,
		&(struct image_kind){
			.format = format,
			.samples = samples,
			.usage = usage | (depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
						: VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT),
			.aspect = depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT,
			.width = size,
			.height = size});
}

static void make_shadows(struct gpu *gpu, const struct image *map, struct sampled *s)
{
	VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
				       .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
				       .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
				       .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE,
				       .compareEnable = true,
				       .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL};
	make_sampled(gpu, &sampler, map->view, sizeof(struct push), s);
}

static void draw_boxes(VkCommandBuffer cmd, VkPipeline ground, VkPipeline boxes)
{
	if (ground) {
		vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, ground);
		vkCmdDrawIndexed(cmd, INDICES, 1, 0, 0, 0);
	}
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, boxes);
	vkCmdDrawIndexed(cmd, INDICES, BOXES, 0, 0, 0);
}

enum { MAP_GROUND, MAP, GROUND, BOX, SPARK, OUTLINE, PIPELINES };
static const struct look_of looks[PIPELINES] = {
	{"yard", .samples = 1, .is_ground = true, .tests_depth = true, .bias = true,
	 .has_vertices = true},
	{"yard", .samples = 1, .tests_depth = true, .bias = true, .has_vertices = true},
	{"yard", NULL, "yard_lit", .samples = 4, .is_ground = true, .has_color = true,
	 .tests_depth = true, .has_vertices = true},
	{"yard", NULL, "yard_lit", .samples = 4, .has_color = true, .tests_depth = true,
	 .has_vertices = true},
	{"spark_points", "spark", "spark_round", .samples = 4, .has_color = true,
	 .tests_depth = true, .is_thin = true},
	{"yard", NULL, "outline", .samples = 1, .has_color = true, .is_outline = true,
	 .has_vertices = true},
};

struct yard {
	struct image map, color, depth, picture;
	struct buffer cube, back;
	struct sampled shadows;
	VkPipeline pipelines[PIPELINES];
};

static void make_yard(struct gpu *gpu, struct yard *y)
{
	y->map = make_target(gpu, DEPTH, 1, shadow(), VK_IMAGE_USAGE_SAMPLED_BIT);
	y->color = make_target(gpu, COLOR, 4, frame, 0);
	y->depth = make_target(gpu, DEPTH, 4, frame, 0);
	y->picture = make_target(gpu, COLOR, 1, frame, VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
	y->cube = make_buffer(gpu, CORNERS * 24 + INDICES * 2);
	y->back = make_buffer(gpu, (VkDeviceSize)frame * frame * 4);
	fill_cube(y->cube.memory.map,
		  (uint16_t *)(void *)((uint8_t *)y->cube.memory.map + CORNERS * 24));
	make_shadows(gpu, &y->map, &y->shadows);
	for (int i = 0; i < PIPELINES; i++)
		y->pipelines[i] = make_pipeline(gpu, y->shadows.layout, &looks[i]);
}

static void free_yard(struct gpu *gpu, struct yard *y)
{
	for (int i = 0; i < PIPELINES; i++)
		vkDestroyPipeline(gpu->device, y->pipelines[i], NULL);
	free_sampled(gpu, &y->shadows);
	free_image(gpu, &y->map);
	free_image(gpu, &y->color);
	free_image(gpu, &y->depth);
	free_image(gpu, &y->picture);
	free_buffer(gpu, &y->cube);
	free_buffer(gpu, &y->back);
}

static void begin_layouts(VkCommandBuffer cmd, const struct yard *y)
{
	const struct image *all[] = {&y->map, &y->color, &y->depth, &y->picture};
	for (size_t i = 0; i < BW_ARRAY_SIZE(all); i++)
		change_layout(cmd, all[i]->image,
			      all[i]->format == DEPTH ? VK_IMAGE_ASPECT_DEPTH_BIT
						      : VK_IMAGE_ASPECT_COLOR_BIT,
			      VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
}

static void record(VkCommandBuffer cmd, const struct yard *y)
{
	static const float eye[3] = {3.5f, 4, -5}, sun[3] = {4, 6.4f, 2.4f};
	const VkPipeline *pipelines = y->pipelines;
	const VkPipelineLayout layout = y->shadows.layout;
	struct push push;
	VkDeviceSize at = 0;
	begin_layouts(cmd, y);
	vkCmdBindVertexBuffers(cmd, 0, 1, &y->cube.buffer, &at);
	vkCmdBindIndexBuffer(cmd, y->cube.buffer, CORNERS * 24, VK_INDEX_TYPE_UINT16);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &y->shadows.set,
				0, NULL);
	look(sun, 0, push.view);
	memcpy(push.light, push.view, sizeof(push.light));
	vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(push), &push);
	begin(cmd, NULL, NULL, &y->map, true, shadow());
	draw_boxes(cmd, pipelines[MAP_GROUND], pipelines[MAP]);
	vkCmdEndRendering(cmd);
	gpu_barrier(cmd);
	look(eye, 1.4f, push.view);
	vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(push), &push);
	begin(cmd, &y->color, &y->picture, &y->depth, true, frame);
	draw_boxes(cmd, pipelines[GROUND], pipelines[BOX]);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[SPARK]);
	vkCmdDraw(cmd, SPARKS, 1, 0, 0);
	vkCmdEndRendering(cmd);
	gpu_barrier(cmd);
	begin(cmd, &y->picture, NULL, NULL, false, frame);
	draw_boxes(cmd, VK_NULL_HANDLE, pipelines[OUTLINE]);
	vkCmdEndRendering(cmd);
	gpu_barrier(cmd);
	VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
				  .imageExtent = {frame, frame, 1}};
	vkCmdCopyImageToBuffer(cmd, y->picture.image, VK_IMAGE_LAYOUT_GENERAL, y->back.buffer, 1,
			       &copy);
	gpu_barrier(cmd);
}

int main(int argc, char **argv)
{
	struct gpu_options options = {0};
	struct gpu *gpu;
	struct yard y;
	int n_frames = argc > 4 ? atoi(argv[4]) : 1;
	if (argc > 3)
		frame = (uint32_t)atoi(argv[3]);
	if (argc < 3 || argc > 5 || n_frames < 1 || frame < 3 || frame > 4096)
		return 2;
	folder = argv[1];
	FILE *out = fopen(argv[2], "wbe");
	if (!out)
		return 2;
	must(gpu_open(&options, &gpu));
	make_yard(gpu, &y);
	for (int i = 0; i < n_frames; i++) {
		VkCommandBuffer cmd;
		must(gpu_begin(gpu, GPU_UNIVERSAL, &cmd));
		record(cmd, &y);
		must(gpu_finish(gpu, GPU_UNIVERSAL, cmd));
	}
	fprintf(out, "yard %u %u\n", frame, frame);
	fwrite(y.back.memory.map, 4, (size_t)frame * frame, out);
	free_yard(gpu, &y);
	gpu_close(gpu);
	return fclose(out) ? 2 : 0;
}
