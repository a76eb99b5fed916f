/* SPDX-License-Identifier: MIT */
/* Draws beside other work: what queries count, depth bounds, and a draw that is not supported,
 * which is left out. Their pictures: test_draws.py. */
#include "kit.h"

enum { WIDTH = 64, HEIGHT = 32 };

struct target {
	VkImage image;
	VkImageView view;
	struct gpu_memory memory;
};

static struct target make_target(struct gpu *gpu, bool depth)
{
	const VkImageAspectFlags aspect =
		depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
	struct target t = {0};
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = depth ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {WIDTH, HEIGHT, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
			       : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
	};
	VK_OK(vkCreateImage(gpu->device, &info, NULL, &t.image));
	VkMemoryRequirements req;
	vkGetImageMemoryRequirements(gpu->device, t.image, &req);
	kit_check(gpu_allocate(gpu, req, false, &t.memory));
	VK_OK(vkBindImageMemory(gpu->device, t.image, t.memory.memory, 0));
	VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = t.image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = info.format,
		.subresourceRange = {aspect, 0, 1, 0, 1},
	};
	VK_OK(vkCreateImageView(gpu->device, &view, NULL, &t.view));
	return t;
}

static void free_target(struct gpu *gpu, struct target *t)
{
	vkDestroyImageView(gpu->device, t->view, NULL);
	vkDestroyImage(gpu->device, t->image, NULL);
	vkFreeMemory(gpu->device, t->memory.memory, NULL);
}

enum depth_use { NO_DEPTH, WRITES_DEPTH, TESTS_BOUNDS };

static VkPipeline make_pipeline(struct gpu *gpu, VkPipelineLayout layout,
				VkPrimitiveTopology topology, enum depth_use depth, bool doubled)
{
	static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
	VkPipelineRenderingCreateInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
		.colorAttachmentCount = 1,
		.pColorAttachmentFormats = &format,
		.depthAttachmentFormat = depth ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_UNDEFINED,
	};
	VkPipelineShaderStageCreateInfo stages[3] = {
		{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0,
		 VK_SHADER_STAGE_VERTEX_BIT, kit_load(gpu, depth ? "slope_vert" : "triangle_vert"),
		 "main", NULL},
		{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0,
		 VK_SHADER_STAGE_FRAGMENT_BIT, kit_load(gpu, "triangle_frag"), "main", NULL},
	};
	const uint32_t n_stages = doubled ? 3 : 2;
	if (doubled)
		stages[2] = (VkPipelineShaderStageCreateInfo){
			VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			NULL,
			0,
			VK_SHADER_STAGE_GEOMETRY_BIT,
			kit_load(gpu, "double_geom"),
			"main",
			NULL};
	VkPipelineVertexInputStateCreateInfo input = {
		VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
	VkPipelineInputAssemblyStateCreateInfo assembly = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
		.topology = topology};
	VkViewport viewport = {0, 0, WIDTH, HEIGHT, 0, 1};
	VkRect2D scissor = {{0, 0}, {WIDTH, HEIGHT}};
	VkPipelineViewportStateCreateInfo view = {
		VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
		NULL,
		0,
		1,
		&viewport,
		1,
		&scissor};
	VkPipelineRasterizationStateCreateInfo raster = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
		.lineWidth = 1};
	VkPipelineMultisampleStateCreateInfo samples = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
		.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
	VkPipelineDepthStencilStateCreateInfo depths = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
		/* the bounds are tested without it, too */
		.depthTestEnable = depth == WRITES_DEPTH,
		.depthWriteEnable = depth == WRITES_DEPTH,
		.depthCompareOp = VK_COMPARE_OP_ALWAYS,
		.depthBoundsTestEnable = depth == TESTS_BOUNDS,
		.minDepthBounds = 0.25f,
		.maxDepthBounds = 0.5f};
	VkPipelineColorBlendAttachmentState attachment = {.colorWriteMask = 0xf};
	VkPipelineColorBlendStateCreateInfo blend = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
		.attachmentCount = 1,
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
		.pDepthStencilState = &depths,
		.pColorBlendState = &blend,
		.layout = layout,
	};
	VkPipeline pipeline;
	VK_OK(vkCreateGraphicsPipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
	for (uint32_t i = 0; i < n_stages; i++)
		vkDestroyShaderModule(gpu->device, stages[i].module, NULL);
	return pipeline;
}

static void draw(struct gpu *gpu, VkCommandBuffer cmd, const struct target *t,
		 const struct target *depth, VkPipeline pipeline)
{
	VkRenderingAttachmentInfo second = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = depth ? depth->view : VK_NULL_HANDLE,
		.imageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
	};
	VkRenderingAttachmentInfo color = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = t->view,
		.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
		.loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
	};
	VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = {{0, 0}, {WIDTH, HEIGHT}},
		.layerCount = 1,
		.colorAttachmentCount = 1,
		.pColorAttachments = &color,
		.pDepthAttachment = depth ? &second : NULL,
	};
	VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = t->image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
			     VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0, 0, NULL, 0, NULL, 1,
			     &barrier);
	vkCmdBeginRendering(cmd, &info);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdDraw(cmd, 3, 1, 0, 0);
	vkCmdEndRendering(cmd);
}

struct fixture {
	struct gpu *gpu;
	struct target target;
	VkPipelineLayout layout;
	VkPipeline pipeline;
};

static struct fixture begin(VkPrimitiveTopology topology)
{
	struct fixture f = {.gpu = kit_open()};
	VkPipelineLayoutCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
	VK_OK(vkCreatePipelineLayout(f.gpu->device, &info, NULL, &f.layout));
	f.target = make_target(f.gpu, false);
	f.pipeline = make_pipeline(f.gpu, f.layout, topology, NO_DEPTH, false);
	return f;
}

static void end(struct fixture *f)
{
	vkDestroyPipeline(f->gpu->device, f->pipeline, NULL);
	vkDestroyPipelineLayout(f->gpu->device, f->layout, NULL);
	free_target(f->gpu, &f->target);
	gpu_close(f->gpu);
}

/* The triangle covers all pixels. */
static void samples_are_counted(void **state)
{
	struct fixture f = begin(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
				      .queryType = VK_QUERY_TYPE_OCCLUSION,
				      .queryCount = 2};
	VkQueryPool pool;
	uint64_t n[2] = {0};
	VK_OK(vkCreateQueryPool(f.gpu->device, &info, NULL, &pool));
	VkCommandBuffer cmd = kit_begin(f.gpu, GPU_UNIVERSAL);
	vkCmdResetQueryPool(cmd, pool, 0, 2);
	for (uint32_t i = 0; i < 2; i++) {
		vkCmdBeginQuery(cmd, pool, i, VK_QUERY_CONTROL_PRECISE_BIT);
		for (uint32_t k = 0; k < i + 1; k++)
			draw(f.gpu, cmd, &f.target, NULL, f.pipeline);
		vkCmdEndQuery(cmd, pool, i);
	}
	kit_finish(f.gpu, GPU_UNIVERSAL, cmd);
	VK_OK(vkGetQueryPoolResults(f.gpu->device, pool, 0, 2, sizeof(n), n, sizeof(*n),
				    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	assert_int_equal(n[0], WIDTH * HEIGHT);
	assert_int_equal(n[1], 2 * WIDTH * HEIGHT);
	vkDestroyQueryPool(f.gpu->device, pool, NULL);
	end(&f);
}

/* The depth at the middle of column x is (x + 1/2) / WIDTH: a quarter of the columns lies within
 * the bounds. lavapipe has no such test. */
static void depth_bounds(void **state)
{
	struct fixture f = begin(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	struct target depth = make_target(f.gpu, true);
	VkPipeline pipelines[2];
	VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
				      .queryType = VK_QUERY_TYPE_OCCLUSION,
				      .queryCount = 1};
	VkQueryPool pool;
	uint64_t n = 0;
	VK_OK(vkCreateQueryPool(f.gpu->device, &info, NULL, &pool));
	VkCommandBuffer cmd = kit_begin(f.gpu, GPU_UNIVERSAL);
	vkCmdResetQueryPool(cmd, pool, 0, 1);
	for (int i = 0; i < 2; i++) {
		pipelines[i] = make_pipeline(f.gpu, f.layout, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
					     i ? TESTS_BOUNDS : WRITES_DEPTH, false);
		if (i)
			vkCmdBeginQuery(cmd, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
		draw(f.gpu, cmd, &f.target, &depth, pipelines[i]);
		gpu_barrier(cmd);
	}
	vkCmdEndQuery(cmd, pool, 0);
	kit_finish(f.gpu, GPU_UNIVERSAL, cmd);
	VK_OK(vkGetQueryPoolResults(f.gpu->device, pool, 0, 1, sizeof(n), &n, sizeof(n),
				    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	assert_int_equal(n, WIDTH / 4 * HEIGHT);
	for (int i = 0; i < 2; i++)
		vkDestroyPipeline(f.gpu->device, pipelines[i], NULL);
	vkDestroyQueryPool(f.gpu->device, pool, NULL);
	free_target(f.gpu, &depth);
	end(&f);
}

/* One triangle that covers all pixels; and the same with two invocations of a geometry shader, each
 * of which emits two of it. */
static void statistics_are_counted(void **state)
{
	enum { N = 8 };
	static const uint64_t expected[2][N] = {
		{3, 1, 3, 0, 0, 1, 1, WIDTH * HEIGHT},
		{3, 1, 3, 2, 4, 4, 4, 4 * WIDTH * HEIGHT},
	};
	struct fixture f = begin(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	VkPipeline doubled =
		make_pipeline(f.gpu, f.layout, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, NO_DEPTH, true);
	VkQueryPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS,
		.queryCount = 2,
		.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
				      VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT |
				      VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT |
				      VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_INVOCATIONS_BIT |
				      VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_PRIMITIVES_BIT |
				      VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT |
				      VK_QUERY_PIPELINE_STATISTIC_CLIPPING_PRIMITIVES_BIT |
				      VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT};
	VkQueryPool pool;
	uint64_t got[2][N] = {{0}};
	VK_OK(vkCreateQueryPool(f.gpu->device, &info, NULL, &pool));
	VkCommandBuffer cmd = kit_begin(f.gpu, GPU_UNIVERSAL);
	vkCmdResetQueryPool(cmd, pool, 0, 2);
	for (uint32_t i = 0; i < 2; i++) {
		vkCmdBeginQuery(cmd, pool, i, 0);
		draw(f.gpu, cmd, &f.target, NULL, i ? doubled : f.pipeline);
		vkCmdEndQuery(cmd, pool, i);
	}
	kit_finish(f.gpu, GPU_UNIVERSAL, cmd);
	VK_OK(vkGetQueryPoolResults(f.gpu->device, pool, 0, 2, sizeof(got), got, sizeof(*got),
				    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = 0; k < N; k++)
			assert_int_equal(got[i][k], expected[i][k]);
	vkDestroyPipeline(f.gpu->device, doubled, NULL);
	vkDestroyQueryPool(f.gpu->device, pool, NULL);
	end(&f);
}

/* Such strips are not drawn; what comes after them is done. */
static void a_refused_draw_is_left_out(void **state)
{
	struct fixture f = begin(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY);
	struct kit_buffer b = kit_buffer(f.gpu, 16);
	VkCommandBuffer cmd = kit_begin(f.gpu, GPU_UNIVERSAL);
	draw(f.gpu, cmd, &f.target, NULL, f.pipeline);
	vkCmdFillBuffer(cmd, b.buffer, 0, VK_WHOLE_SIZE, 77);
	gpu_barrier(cmd);
	kit_finish(f.gpu, GPU_UNIVERSAL, cmd);
	assert_int_equal(b.map[15], 77);
	kit_buffer_free(f.gpu, &b);
	end(&f);
}

TESTS(samples_are_counted, depth_bounds, statistics_are_counted, a_refused_draw_is_left_out);
