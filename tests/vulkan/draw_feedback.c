/* SPDX-License-Identifier: MIT */
/* Transform feedback on the first Vulkan device. Writes what was captured, byte for byte with what
 * lies around it, the counters, the results of queries, and pictures that are drawn meanwhile or of
 * what was captured, as draw_scenes writes its pictures: test_draws.py compares them.
 *
 *     draw_feedback FOLDER_OF_SPV OUT [FEED...] */
#include "draw_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

enum { WIDTH = 64, HEIGHT = 48, N_BUFFERS = 4, MAX_STREAMS = 3, BUFFER_B = 40960, INDICES = 64 };

struct feed {
	const char *name, *geom;
	bool tessellates;
	VkPrimitiveTopology topology;
	uint32_t count, instances;  /* instances 0: one */
	bool restarts;		    /* with 16-bit indices, of which each 8th restarts */
	uint32_t size_b[N_BUFFERS]; /* that may be written; 0: all of BUFFER_B */
	/* What the implementation chooses, so that the test does not compare it: the order of
	 * vertices of 16 bytes in buffer 0; the vertex that triangles of a strip begin with; and
	 * the counters where not all primitives had room. */
	bool is_sorted, is_turned, overflows;
	unsigned streams; /* of queries; 0: one */
	bool discards, provoking_last;
	bool pauses; /* after half of the vertices */
	bool redraws;
	bool is_off; /* only queries */
};

#define AS(name) .topology = VK_PRIMITIVE_TOPOLOGY_##name
#define STRIPS "feed_strips", .is_turned = true
static const struct feed feeds[] = {
	{"list", AS(TRIANGLE_LIST), .count = 60},
	{"discarded", AS(TRIANGLE_LIST), .count = 60, .discards = true},
	{"strip", AS(TRIANGLE_STRIP), .count = 21},
	{"strip_last", AS(TRIANGLE_STRIP), .count = 21, .provoking_last = true},
	{"fan", AS(TRIANGLE_FAN), .count = 12},
	{"points", AS(POINT_LIST), .count = 33},
	{"lines", AS(LINE_LIST), .count = 30, .discards = true},
	{"line_strip", AS(LINE_STRIP), .count = 17, .discards = true},
	{"adjacency", AS(TRIANGLE_LIST_WITH_ADJACENCY), .count = 36},
	{"line_adjacency", AS(LINE_LIST_WITH_ADJACENCY), .count = 24, .discards = true},
	{"restart", AS(TRIANGLE_STRIP), .count = 60, .restarts = true},
	{"instances", AS(TRIANGLE_LIST), .count = 27, .instances = 7},
	{"many", AS(TRIANGLE_LIST), .count = 1200},
	{"small", AS(TRIANGLE_LIST), .count = 60, .overflows = true, .size_b = {0, 200, 0}},
	{"small_many", AS(TRIANGLE_STRIP), .count = 1000, .overflows = true,
	 .size_b = {30000, 0, 15000}},
	{"none_fits", AS(TRIANGLE_LIST), .count = 60, .overflows = true, .size_b = {92, 0, 0},
	 .discards = true},
	{"paused", AS(TRIANGLE_LIST), .count = 60, .pauses = true},
	{"redrawn", AS(TRIANGLE_LIST), .count = 24, .redraws = true},
	{"redrawn_paused", AS(TRIANGLE_LIST), .count = 60, .redraws = true, .pauses = true},
	{"streams", "feed_streams", AS(TRIANGLE_LIST), .count = 60, .instances = 2, .streams = 3,
	 .discards = true},
	{"streams_small", "feed_streams", AS(TRIANGLE_LIST), .count = 60, .overflows = true,
	 .streams = 3, .size_b = {0, 0, 0, 100}, .discards = true},
	{"strips", STRIPS, AS(TRIANGLE_LIST), .count = 90, .discards = true},
	{"strips_small", STRIPS, AS(TRIANGLE_LIST), .count = 90, .overflows = true,
	 .size_b = {1000}, .discards = true, .pauses = true},
	{"tessellated", .tessellates = true, .count = 90, .is_sorted = true, .discards = true},
	{"tessellated_strips", STRIPS, .tessellates = true, .count = 9, .is_sorted = true,
	 .discards = true},
	{"counted", STRIPS, AS(TRIANGLE_LIST), .count = 90, .discards = true, .is_off = true},
	{"counted_list", AS(TRIANGLE_LIST), .count = 90, .is_off = true},
};

static const char *folder;
static struct gpu *gpu;
static VkPipelineLayout layout;
static PFN_vkCmdBindTransformFeedbackBuffersEXT bind_buffers;
static PFN_vkCmdBeginTransformFeedbackEXT begin_feedback;
static PFN_vkCmdEndTransformFeedbackEXT end_feedback;
static PFN_vkCmdDrawIndirectByteCountEXT draw_bytes;
static PFN_vkCmdBeginQueryIndexedEXT begin_query;
static PFN_vkCmdEndQueryIndexedEXT end_query;

/* ---- pipelines ---- */

static VkPipeline make_pipeline(const struct feed *f, bool is_again)
{
	const bool is_plain = f->geom || f->tessellates;
	const struct {
		VkShaderStageFlagBits stage;
		const char *name;
	} all[] = {
		{VK_SHADER_STAGE_VERTEX_BIT, is_again	? "feed_again"
					     : is_plain ? "feed_plain"
							: "feed"},
		{VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, f->tessellates ? "feed_control" : NULL},
		{VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
		 f->tessellates ? "feed_points" : NULL},
		{VK_SHADER_STAGE_GEOMETRY_BIT, is_again ? NULL : f->geom},
		{VK_SHADER_STAGE_FRAGMENT_BIT, f->discards ? NULL : "feed_color"},
	};
	VkPipelineShaderStageCreateInfo stages[BW_ARRAY_SIZE(all)];
	uint32_t n_stages = 0;
	for (size_t i = 0; i < BW_ARRAY_SIZE(all); i++)
		if (all[i].name)
			stages[n_stages++] = (VkPipelineShaderStageCreateInfo){
				.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
				.stage = all[i].stage,
				.module = load_shader(gpu, folder, all[i].name),
				.pName = "main"};
	VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
	VkPipelineRenderingCreateInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
		.colorAttachmentCount = 1,
		.pColorAttachmentFormats = &format};
	VkVertexInputBindingDescription binding = {0, 16, VK_VERTEX_INPUT_RATE_VERTEX};
	VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};
	VkPipelineVertexInputStateCreateInfo input = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
		.vertexBindingDescriptionCount = is_again,
		.pVertexBindingDescriptions = &binding,
		.vertexAttributeDescriptionCount = is_again,
		.pVertexAttributeDescriptions = &attribute};
	VkPipelineInputAssemblyStateCreateInfo assembly = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
		.topology = f->tessellates ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : f->topology,
		.primitiveRestartEnable = f->restarts};
	VkPipelineTessellationStateCreateInfo patches = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
		.patchControlPoints = 3};
	VkViewport viewport = {0, 0, WIDTH, HEIGHT, 0, 1};
	VkRect2D scissor = {{0, 0}, {WIDTH, HEIGHT}};
	VkPipelineViewportStateCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
		.viewportCount = 1,
		.pViewports = &viewport,
		.scissorCount = 1,
		.pScissors = &scissor};
	VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking = {
		/* clang-format off */
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
		/* clang-format on */
		.provokingVertexMode = VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT};
	VkPipelineRasterizationStateCreateInfo raster = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
		.pNext = f->provoking_last ? &provoking : NULL,
		.rasterizerDiscardEnable = f->discards,
		.lineWidth = 1};
	VkPipelineMultisampleStateCreateInfo samples = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
		.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
	VkPipelineColorBlendAttachmentState write = {.colorWriteMask = 0xf};
	VkPipelineColorBlendStateCreateInfo blend = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &write};
	VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.pNext = &rendering,
		.stageCount = n_stages,
		.pStages = stages,
		.pVertexInputState = &input,
		.pInputAssemblyState = &assembly,
		.pTessellationState = &patches,
		.pViewportState = &view,
		.pRasterizationState = &raster,
		.pMultisampleState = &samples,
		.pColorBlendState = &blend,
		.layout = layout};
	VkPipeline pipeline;
	MUST(vkCreateGraphicsPipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
	for (uint32_t i = 0; i < n_stages; i++)
		vkDestroyShaderModule(gpu->device, stages[i].module, NULL);
	return pipeline;
}

/* ---- commands ---- */

struct objects {
	struct buffer captured[N_BUFFERS], counters, indices, back;
	struct image target;
	VkPipeline pipeline, again;
	VkQueryPool stored, generated;
};

static struct buffer make_captured(VkDeviceSize size_b, int fill)
{
	struct buffer b;
	must(gpu_buffer(gpu, size_b,
			VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
				VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT |
				VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
				VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
			true, &b.buffer, &b.memory));
	memset(b.memory.map, fill, size_b);
	return b;
}

static VkQueryPool make_queries(VkQueryType type)
{
	VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
				      .queryType = type,
				      .queryCount = MAX_STREAMS};
	VkQueryPool pool;
	MUST(vkCreateQueryPool(gpu->device, &info, NULL, &pool));
	return pool;
}

static void begin_rendering(VkCommandBuffer cmd, const struct objects *o, bool clears)
{
	VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
					   .imageView = o->target.view,
					   .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
					   .loadOp = clears ? VK_ATTACHMENT_LOAD_OP_CLEAR
							    : VK_ATTACHMENT_LOAD_OP_LOAD,
					   .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
					   .clearValue.color.float32 = {0.2f, 0.4f, 0.6f, 0.8f}};
	VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
				.renderArea = {{0, 0}, {WIDTH, HEIGHT}},
				.layerCount = 1,
				.colorAttachmentCount = 1,
				.pColorAttachments = &color};
	vkCmdBeginRendering(cmd, &info);
}

/* A part of the vertices, captured after those of the parts before. */
static void draw_part(VkCommandBuffer cmd, const struct feed *f, const struct objects *o,
		      unsigned part, unsigned n_parts)
{
	const VkBuffer counters[N_BUFFERS] = {o->counters.buffer, o->counters.buffer,
					      o->counters.buffer, o->counters.buffer};
	const VkDeviceSize at[N_BUFFERS] = {0, 4, 8, 12};
	const uint32_t instances = f->instances ? f->instances : 1, count = f->count / n_parts;
	begin_rendering(cmd, o, part == 0);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, o->pipeline);
	if (!f->is_off)
		begin_feedback(cmd, 0, part ? N_BUFFERS : 0, part ? counters : NULL,
			       part ? at : NULL);
	if (f->restarts)
		vkCmdDrawIndexed(cmd, count, instances, part * count, 0, 0);
	else
		vkCmdDraw(cmd, count, instances, part * count, 0);
	if (!f->is_off)
		end_feedback(cmd, 0, N_BUFFERS, counters, at);
	vkCmdEndRendering(cmd);
	gpu_barrier(cmd);
}

/* The positions that were captured, as triangles; but not those of the first one. */
static void redraw(VkCommandBuffer cmd, const struct objects *o)
{
	const VkDeviceSize at = 0;
	begin_rendering(cmd, o, true);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, o->again);
	vkCmdBindVertexBuffers(cmd, 0, 1, &o->captured[2].buffer, &at);
	draw_bytes(cmd, 2, 0, o->counters.buffer, 8, 48, 16);
	vkCmdEndRendering(cmd);
	gpu_barrier(cmd);
}

static void record(VkCommandBuffer cmd, const struct feed *f, const struct objects *o)
{
	const unsigned n_parts = f->pauses ? 2 : 1, n_streams = f->streams ? f->streams : 1;
	VkBuffer buffers[N_BUFFERS];
	VkDeviceSize offsets[N_BUFFERS] = {0}, sizes[N_BUFFERS];
	for (unsigned i = 0; i < N_BUFFERS; i++) {
		buffers[i] = o->captured[i].buffer;
		sizes[i] = f->size_b[i] ? f->size_b[i] : BUFFER_B;
	}
	change_layout(cmd, o->target.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
		      VK_IMAGE_LAYOUT_GENERAL);
	vkCmdResetQueryPool(cmd, o->stored, 0, MAX_STREAMS);
	vkCmdResetQueryPool(cmd, o->generated, 0, MAX_STREAMS);
	vkCmdBindIndexBuffer(cmd, o->indices.buffer, 0, VK_INDEX_TYPE_UINT16);
	bind_buffers(cmd, 0, N_BUFFERS, buffers, offsets, sizes);
	for (unsigned i = 0; i < n_streams; i++) {
		begin_query(cmd, o->stored, i, 0, i);
		begin_query(cmd, o->generated, i, 0, i);
	}
	for (unsigned part = 0; part < n_parts; part++)
		draw_part(cmd, f, o, part, n_parts);
	for (unsigned i = 0; i < n_streams; i++) {
		end_query(cmd, o->stored, i, i);
		end_query(cmd, o->generated, i, i);
	}
	if (f->redraws)
		redraw(cmd, o);
	VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
				  .imageExtent = {WIDTH, HEIGHT, 1}};
	vkCmdCopyImageToBuffer(cmd, o->target.image, VK_IMAGE_LAYOUT_GENERAL, o->back.buffer, 1,
			       &copy);
	gpu_barrier(cmd);
}

/* ---- results ---- */

static int compare_16(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

/* Triangles begin with their least vertex. */
static void turn(uint8_t *triangles, size_t n)
{
	for (uint8_t *t = triangles; t < triangles + n * 48; t += 48) {
		uint8_t twice[96];
		unsigned least = 0;
		memcpy(twice, t, 48);
		memcpy(twice + 48, t, 48);
		for (unsigned i = 1; i < 3; i++)
			if (memcmp(t + i * 16, t + least * 16, 16) < 0)
				least = i;
		memcpy(t, twice + least * 16, 48);
	}
}

static void write_bytes(FILE *out, const struct feed *f, const char *what, const void *bytes,
			size_t size_b)
{
	fprintf(out, "%s.%s.bytes %zu 1\n", f->name, what, size_b / 4);
	fwrite(bytes, 1, size_b, out);
}

static void write_results(FILE *out, const struct feed *f, const struct objects *o)
{
	const unsigned n_streams = f->streams ? f->streams : 1;
	uint64_t stored[MAX_STREAMS][2], generated[MAX_STREAMS];
	for (unsigned i = 0; i < N_BUFFERS && !f->is_off; i++) {
		char what[32];
		snprintf(what, sizeof(what), "buffer%u", i);
		if (i == 0 && f->is_turned)
			turn(o->captured[0].memory.map, BUFFER_B / 48);
		if (i == 0 && f->is_sorted)
			qsort(o->captured[0].memory.map, BUFFER_B / 16, 16, compare_16);
		write_bytes(out, f, what, o->captured[i].memory.map, BUFFER_B);
	}
	const VkQueryResultFlags flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT;
	MUST(vkGetQueryPoolResults(gpu->device, o->stored, 0, n_streams, sizeof(stored), stored,
				   sizeof(*stored), flags));
	MUST(vkGetQueryPoolResults(gpu->device, o->generated, 0, n_streams, sizeof(generated),
				   generated, sizeof(*generated), flags));
	if (!f->overflows)
		write_bytes(out, f, "counters", o->counters.memory.map, N_BUFFERS * 4);
	write_bytes(out, f, "stored", stored, n_streams * sizeof(*stored));
	write_bytes(out, f, "generated", generated, n_streams * sizeof(*generated));
	if (f->discards)
		return;
	fprintf(out, "%s %d %d\n", f->name, WIDTH, HEIGHT);
	fwrite(o->back.memory.map, 4, WIDTH * HEIGHT, out);
}

static void run(FILE *out, const struct feed *f)
{
	struct objects o = {
		.counters = make_captured(N_BUFFERS * 4, 0),
		.indices = make_buffer(gpu, INDICES * 2),
		.back = make_buffer(gpu, WIDTH * HEIGHT * 4),
		.target = make_image(
			gpu, &(struct image_kind){.format = VK_FORMAT_R8G8B8A8_UNORM,
						  .samples = VK_SAMPLE_COUNT_1_BIT,
						  .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
							   VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
						  .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
						  .width = WIDTH,
						  .height = HEIGHT}),
		.pipeline = make_pipeline(f, false),
		.again = f->redraws ? make_pipeline(f, true) : VK_NULL_HANDLE,
		.stored = make_queries(VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT),
		.generated = make_queries(VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT),
	};
	VkCommandBuffer cmd;
	for (unsigned i = 0; i < N_BUFFERS; i++)
		o.captured[i] = make_captured(BUFFER_B, 0xa5);
	uint16_t *index = o.indices.memory.map;
	for (uint16_t i = 0; i < INDICES; i++)
		index[i] = i % 8 == 7 ? UINT16_MAX : (uint16_t)(INDICES - i);
	must(gpu_begin(gpu, GPU_UNIVERSAL, &cmd));
	record(cmd, f, &o);
	must(gpu_finish(gpu, GPU_UNIVERSAL, cmd));
	write_results(out, f, &o);
	for (unsigned i = 0; i < N_BUFFERS; i++)
		free_buffer(gpu, &o.captured[i]);
	free_buffer(gpu, &o.counters);
	free_buffer(gpu, &o.indices);
	free_buffer(gpu, &o.back);
	free_image(gpu, &o.target);
	vkDestroyPipeline(gpu->device, o.pipeline, NULL);
	vkDestroyPipeline(gpu->device, o.again, NULL);
	vkDestroyQueryPool(gpu->device, o.stored, NULL);
	vkDestroyQueryPool(gpu->device, o.generated, NULL);
}

#define FIND(name) ((PFN_##name)vkGetDeviceProcAddr(gpu->device, #name))

int main(int argc, char **argv)
{
	struct gpu_options options = {0};
	VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
	if (argc < 3)
		return 2;
	folder = argv[1];
	FILE *out = fopen(argv[2], "wbe");
	if (!out)
		return 2;
	must(gpu_open(&options, &gpu));
	MUST(vkCreatePipelineLayout(gpu->device, &info, NULL, &layout));
	bind_buffers = FIND(vkCmdBindTransformFeedbackBuffersEXT);
	begin_feedback = FIND(vkCmdBeginTransformFeedbackEXT);
	end_feedback = FIND(vkCmdEndTransformFeedbackEXT);
	draw_bytes = FIND(vkCmdDrawIndirectByteCountEXT);
	begin_query = FIND(vkCmdBeginQueryIndexedEXT);
	end_query = FIND(vkCmdEndQueryIndexedEXT);
	for (size_t i = 0; i < BW_ARRAY_SIZE(feeds); i++) {
		bool is_wanted = argc == 3;
		for (int k = 3; k < argc; k++)
			is_wanted |= !strcmp(argv[k], feeds[i].name);
		if (is_wanted)
			run(out, &feeds[i]);
	}
	vkDestroyPipelineLayout(gpu->device, layout, NULL);
	gpu_close(gpu);
	return fclose(out) ? 2 : 0;
}
