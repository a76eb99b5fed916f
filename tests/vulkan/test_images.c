/* SPDX-License-Identifier: MIT */
/* Images written and read by commands, on every queue that the device has. RADV does them by
 * dispatches on the compute queue, by drawing rectangles on the universal one, and with the SDMA
 * engines on the transfer queue (RADV_PERFTEST=transfer_queue, of Mesa 23.3 and later). */
#include "kit.h"

#include "base/util.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int setup(void **state)
{
	*state = kit_open();
	return 0;
}

static int teardown(void **state)
{
	gpu_close(*state);
	return 0;
}

struct image {
	VkImage image;
	struct gpu_memory memory;
	VkImageAspectFlags aspect;
};

struct shape {
	VkFormat format;
	uint32_t texel_b;
	VkImageType type;
	VkExtent3D extent;
	uint32_t layers, mips;
	VkImageTiling tiling;
	VkImageUsageFlags usage;       /* beside transfers */
	VkSampleCountFlagBits samples; /* 0: one */
};

enum {
	ATTACHMENT =
		VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
};
#define TILED VK_IMAGE_TILING_OPTIMAL
#define LINEAR VK_IMAGE_TILING_LINEAR

static struct image make_image(struct gpu *gpu, const struct shape *s)
{
	bool is_depth = s->format == VK_FORMAT_D32_SFLOAT || s->format == VK_FORMAT_D16_UNORM ||
			s->format == VK_FORMAT_D32_SFLOAT_S8_UINT;
	struct image i = {.aspect =
				  is_depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT};
	if (s->format == VK_FORMAT_S8_UINT)
		i.aspect = VK_IMAGE_ASPECT_STENCIL_BIT;
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = s->type,
		.format = s->format,
		.extent = s->extent,
		.mipLevels = s->mips,
		.arrayLayers = s->layers,
		.samples = s->samples ? s->samples : VK_SAMPLE_COUNT_1_BIT,
		.tiling = s->tiling,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			 s->usage,
		/* Of one queue: what a driver may compress. */
		.sharingMode = s->usage & ATTACHMENT ? VK_SHARING_MODE_EXCLUSIVE
						     : VK_SHARING_MODE_CONCURRENT,
		.queueFamilyIndexCount = GPU_N_FAMILIES + gpu->has_transfer,
		.pQueueFamilyIndices = gpu->family,
	};
	VK_OK(vkCreateImage(gpu->device, &info, NULL, &i.image));
	VkMemoryRequirements req;
	vkGetImageMemoryRequirements(gpu->device, i.image, &req);
	kit_check(gpu_allocate(gpu, req, false, &i.memory));
	VK_OK(vkBindImageMemory(gpu->device, i.image, i.memory.memory, 0));
	return i;
}

static void free_image(struct gpu *gpu, struct image *i)
{
	vkDestroyImage(gpu->device, i->image, NULL);
	vkFreeMemory(gpu->device, i->memory.memory, NULL);
}

static void to_general(VkCommandBuffer cmd, const struct image *i)
{
	VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = i->image,
		.subresourceRange = {i->aspect, 0, VK_REMAINING_MIP_LEVELS, 0,
				     VK_REMAINING_ARRAY_LAYERS},
	};
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static void fill(struct kit_buffer *b, uint32_t mask)
{
	for (uint32_t i = 0; i < b->n; i++)
		b->map[i] = (i + 1) * 2654435761u & mask;
}

static void each_queue(void **state, void (*test)(struct gpu *gpu, enum gpu_family family))
{
	struct gpu *gpu = *state;
	for (int family = 0; family < GPU_N_FAMILIES + gpu->has_transfer; family++)
		test(gpu, family);
}

/* ---- copies ---- */

/* Buffer to image, image to image with its halves changed over, image to buffer; by level. */
static void copy_shape(struct gpu *gpu, enum gpu_family family, const struct shape *s,
		       uint32_t mask)
{
	struct image i[2] = {make_image(gpu, s), make_image(gpu, s)};
	for (uint32_t level = 0; level < s->mips; level++) {
		VkExtent3D e = {BW_MAX(s->extent.width >> level, 1u),
				BW_MAX(s->extent.height >> level, 1u),
				BW_MAX(s->extent.depth >> level, 1u)};
		uint32_t size_b = e.width * e.height * e.depth * s->layers * s->texel_b;
		struct kit_buffer from = kit_buffer(gpu, (size_b + 3) / 4),
				  to = kit_buffer(gpu, (size_b + 3) / 4);
		fill(&from, mask);
		VkImageSubresourceLayers all = {i[0].aspect, level, 0, s->layers};
		VkBufferImageCopy whole = {0, 0, 0, all, {0, 0, 0}, e};
		uint32_t half = e.width / 2, rest = e.width - half;
		VkImageCopy halves[2] = {
			{all, {(int32_t)half, 0, 0}, all, {0, 0, 0}, {rest, e.height, e.depth}},
			{all, {0, 0, 0}, all, {(int32_t)rest, 0, 0}, {half, e.height, e.depth}}};
		VkCommandBuffer cmd = kit_begin(gpu, family);
		for (int k = 0; k < 2 && !level; k++)
			to_general(cmd, &i[k]);
		vkCmdCopyBufferToImage(cmd, from.buffer, i[0].image, VK_IMAGE_LAYOUT_GENERAL, 1,
				       &whole);
		gpu_barrier(cmd);
		vkCmdCopyImage(cmd, i[0].image, VK_IMAGE_LAYOUT_GENERAL, i[1].image,
			       VK_IMAGE_LAYOUT_GENERAL, half ? 2 : 1, halves);
		gpu_barrier(cmd);
		/* Read back by another queue: the same layout in memory for all of them. */
		enum gpu_family other = family == GPU_COMPUTE && gpu->has_transfer ? GPU_TRANSFER
					: i[0].aspect == VK_IMAGE_ASPECT_COLOR_BIT ? GPU_COMPUTE
										   : family;
		kit_finish(gpu, family, cmd);
		cmd = kit_begin(gpu, other);
		vkCmdCopyImageToBuffer(cmd, i[1].image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1,
				       &whole);
		gpu_barrier(cmd);
		kit_finish(gpu, other, cmd);
		const uint8_t *a = (uint8_t *)from.map, *b = (uint8_t *)to.map;
		size_t row_b = e.width * s->texel_b, half_b = half * s->texel_b;
		for (size_t at = 0; at < size_b; at += row_b) {
			assert_memory_equal(b + at + row_b - half_b, a + at, half_b);
			assert_memory_equal(b + at, a + at + half_b, row_b - half_b);
		}
		kit_buffer_free(gpu, &from);
		kit_buffer_free(gpu, &to);
	}
	for (int k = 0; k < 2; k++)
		free_image(gpu, &i[k]);
}

static void copies_on(struct gpu *gpu, enum gpu_family family)
{
	/* clang-format off */
	static const struct shape shapes[] = {
		{VK_FORMAT_R8_UINT, 1, VK_IMAGE_TYPE_2D, {131, 67, 1}, 1, 1, TILED, 0},
		{VK_FORMAT_R16_UINT, 2, VK_IMAGE_TYPE_2D, {300, 40, 1}, 1, 1, TILED, 0},
		{VK_FORMAT_R8G8B8A8_UNORM, 4, VK_IMAGE_TYPE_2D, {257, 129, 1}, 1, 5, TILED,
		 VK_IMAGE_USAGE_STORAGE_BIT},
		{VK_FORMAT_R8G8B8A8_UNORM, 4, VK_IMAGE_TYPE_2D, {257, 129, 1}, 1, 1, LINEAR, 0},
		{VK_FORMAT_B8G8R8A8_UNORM, 4, VK_IMAGE_TYPE_2D, {64, 64, 1}, 1, 1, TILED,
		 VK_IMAGE_USAGE_SAMPLED_BIT},
		{VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, VK_IMAGE_TYPE_2D, {64, 60, 1}, 1, 1, TILED,
		 VK_IMAGE_USAGE_SAMPLED_BIT},
		{VK_FORMAT_R32G32_UINT, 8, VK_IMAGE_TYPE_2D, {64, 64, 1}, 5, 1, TILED, 0},
		{VK_FORMAT_R32G32B32A32_UINT, 16, VK_IMAGE_TYPE_2D, {90, 33, 1}, 1, 1, TILED, 0},
		{VK_FORMAT_R32_UINT, 4, VK_IMAGE_TYPE_3D, {33, 17, 19}, 1, 3, TILED, 0},
		{VK_FORMAT_R32_UINT, 4, VK_IMAGE_TYPE_1D, {700, 1, 1}, 3, 1, TILED, 0},
	};
	/* clang-format on */
	for (size_t r = 0; r < BW_ARRAY_SIZE(shapes); r++)
		copy_shape(gpu, family, &shapes[r], ~0u);
}

static void copies(void **state)
{
	each_queue(state, copies_on);
}

/* Blocks of 4 by 4 texels, at sizes that are none of these. */
static void blocks_on(struct gpu *gpu, enum gpu_family family)
{
	const struct shape s = {
		VK_FORMAT_BC3_UNORM_BLOCK, 16, VK_IMAGE_TYPE_2D, {70, 38, 1}, 1, 3, TILED,
		VK_IMAGE_USAGE_SAMPLED_BIT};
	struct image i = make_image(gpu, &s);
	VkCommandBuffer cmd = kit_begin(gpu, family);
	to_general(cmd, &i);
	kit_finish(gpu, family, cmd);
	for (uint32_t level = 0; level < s.mips; level++) {
		VkExtent3D e = {s.extent.width >> level, s.extent.height >> level, 1};
		uint32_t n_dw = (e.width + 3) / 4 * ((e.height + 3) / 4) * 4;
		struct kit_buffer from = kit_buffer(gpu, n_dw), to = kit_buffer(gpu, n_dw);
		VkBufferImageCopy whole = {
			0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1}, {0, 0, 0}, e};
		fill(&from, ~0u);
		cmd = kit_begin(gpu, family);
		vkCmdCopyBufferToImage(cmd, from.buffer, i.image, VK_IMAGE_LAYOUT_GENERAL, 1,
				       &whole);
		gpu_barrier(cmd);
		vkCmdCopyImageToBuffer(cmd, i.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &whole);
		gpu_barrier(cmd);
		kit_finish(gpu, family, cmd);
		assert_memory_equal(from.map, to.map, n_dw * 4);
		kit_buffer_free(gpu, &from);
		kit_buffer_free(gpu, &to);
	}
	free_image(gpu, &i);
}

static void blocks(void **state)
{
	each_queue(state, blocks_on);
}

/* Depth and stencil, where RADV writes a fragment's depth or its stencil value. */
static void depth(void **state)
{
	/* clang-format off */
	static const struct shape shapes[] = {
		{VK_FORMAT_D32_SFLOAT, 4, VK_IMAGE_TYPE_2D, {130, 70, 1}, 2, 1, TILED,
		 VK_IMAGE_USAGE_SAMPLED_BIT},
		{VK_FORMAT_D16_UNORM, 2, VK_IMAGE_TYPE_2D, {100, 64, 1}, 1, 1, TILED,
		 VK_IMAGE_USAGE_SAMPLED_BIT},
		{VK_FORMAT_S8_UINT, 1, VK_IMAGE_TYPE_2D, {100, 64, 1}, 1, 1, TILED,
		 VK_IMAGE_USAGE_SAMPLED_BIT},
	};
	/* clang-format on */
	/* Numbers between 0 and 1 as floats; whatever they are as integers. */
	static const uint32_t masks[] = {0x3f7fffff, ~0u, ~0u};
	for (size_t r = 0; r < BW_ARRAY_SIZE(shapes); r++)
		copy_shape(*state, GPU_UNIVERSAL, &shapes[r], masks[r]);
}

/* ---- clears ---- */

struct clear {
	struct shape shape;
	VkClearColorValue color;
	uint8_t texel[16];
};

static void clears_on(struct gpu *gpu, enum gpu_family family)
{
	/* clang-format off */
	static const struct clear rows[] = {
		{{VK_FORMAT_R8G8B8A8_UNORM, 4, VK_IMAGE_TYPE_2D, {100, 60, 1}, 3, 2, TILED, 0},
		 {.float32 = {1.0f, 0.0f, 0.2f, 0.4f}},
		 {0xff, 0x00, 0x33, 0x66}},
		{{VK_FORMAT_B8G8R8A8_UNORM, 4, VK_IMAGE_TYPE_2D, {20, 60, 1}, 1, 1, TILED,
		  VK_IMAGE_USAGE_SAMPLED_BIT},
		 {.float32 = {1.0f, 0.0f, 0.2f, 0.4f}},
		 {0x33, 0x00, 0xff, 0x66}},
		/* large, and to be drawn to: what a driver compresses and clears by metadata
		 * alone */
		{{VK_FORMAT_R8G8B8A8_UNORM, 4, VK_IMAGE_TYPE_2D, {1024, 640, 1}, 1, 1, TILED,
		  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT},
		 {.float32 = {0.4f, 0.2f, 0.0f, 1.0f}},
		 {0x66, 0x33, 0x00, 0xff}},
		{{VK_FORMAT_R16G16_SINT, 4, VK_IMAGE_TYPE_2D, {37, 41, 1}, 1, 1, TILED, 0},
		 {.int32 = {-2, 1000}},
		 {0xfe, 0xff, 0xe8, 0x03}},
		{{VK_FORMAT_R32G32B32A32_SFLOAT, 16, VK_IMAGE_TYPE_3D, {9, 10, 11}, 1, 1, TILED, 0},
		 {.float32 = {1.0f, -2.0f, 0.5f, 0.0f}},
		 {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f, 0, 0, 0, 0}},
		{{VK_FORMAT_R16_SFLOAT, 2, VK_IMAGE_TYPE_1D, {1000, 1, 1}, 1, 1, TILED, 0},
		 {.float32 = {1.5f}},
		 {0x00, 0x3e}},
	};
	/* clang-format on */
	for (size_t r = 0; r < BW_ARRAY_SIZE(rows); r++) {
		const struct shape *s = &rows[r].shape;
		struct image i = make_image(gpu, s);
		VkExtent3D e = s->extent;
		uint32_t n = e.width * e.height * e.depth * s->layers;
		struct kit_buffer to = kit_buffer(gpu, (n * s->texel_b + 3) / 4);
		VkImageSubresourceRange range = {i.aspect, 0, s->mips, 0, s->layers};
		VkBufferImageCopy whole = {0, 0, 0, {i.aspect, 0, 0, s->layers}, {0, 0, 0}, e};
		VkCommandBuffer cmd = kit_begin(gpu, family);
		to_general(cmd, &i);
		vkCmdClearColorImage(cmd, i.image, VK_IMAGE_LAYOUT_GENERAL, &rows[r].color, 1,
				     &range);
		gpu_barrier(cmd);
		vkCmdCopyImageToBuffer(cmd, i.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &whole);
		gpu_barrier(cmd);
		kit_finish(gpu, family, cmd);
		for (uint32_t k = 0; k < n; k++)
			assert_memory_equal((uint8_t *)to.map + k * s->texel_b, rows[r].texel,
					    s->texel_b);
		free_image(gpu, &i);
		kit_buffer_free(gpu, &to);
	}
}

static void clears(void **state)
{
	clears_on(*state, GPU_COMPUTE);
	clears_on(*state, GPU_UNIVERSAL);
}

static void depth_clears(void **state)
{
	struct gpu *gpu = *state;
	const struct shape s = {VK_FORMAT_D32_SFLOAT,
				4,
				VK_IMAGE_TYPE_2D,
				{600, 520, 1},
				1,
				1,
				TILED,
				VK_IMAGE_USAGE_SAMPLED_BIT |
					VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT};
	struct image i = make_image(gpu, &s);
	struct kit_buffer to = kit_buffer(gpu, 600 * 520);
	VkImageSubresourceRange range = {i.aspect, 0, 1, 0, 1};
	VkBufferImageCopy whole = {0, 0, 0, {i.aspect, 0, 0, 1}, {0, 0, 0}, s.extent};
	VkClearDepthStencilValue value = {0.375f, 0};
	VkCommandBuffer cmd = kit_begin(gpu, GPU_UNIVERSAL);
	to_general(cmd, &i);
	vkCmdClearDepthStencilImage(cmd, i.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &range);
	gpu_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, i.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &whole);
	gpu_barrier(cmd);
	kit_finish(gpu, GPU_UNIVERSAL, cmd);
	for (uint32_t k = 0; k < to.n; k++)
		assert_int_equal(to.map[k], 0x3ec00000);
	free_image(gpu, &i);
	kit_buffer_free(gpu, &to);
}

/* ---- blits ---- */

/* Twice as large, mirrored in x, the nearest texel; and the mean of four, as for mip levels. */
static void blits(void **state)
{
	enum { W = 24, H = 10 };
	struct gpu *gpu = *state;
	struct shape s = {VK_FORMAT_R8G8B8A8_UNORM,  4, VK_IMAGE_TYPE_2D, {W, H, 1}, 1, 2, TILED,
			  VK_IMAGE_USAGE_SAMPLED_BIT};
	struct image small = make_image(gpu, &s);
	s.extent = (VkExtent3D){2 * W, 2 * H, 1};
	s.mips = 1;
	struct image large = make_image(gpu, &s);
	struct kit_buffer from = kit_buffer(gpu, W * H), to = kit_buffer(gpu, 4 * W * H),
			  mean = kit_buffer(gpu, W * H / 4);
	for (uint32_t k = 0; k < from.n; k++)
		from.map[k] = (k * 37 & 0xff) | (k * 11 & 0xff) << 8 | 0x80ff0000;
	VkImageSubresourceLayers level[2] = {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
					     {VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 1}};
	VkBufferImageCopy copies[3] = {{0, 0, 0, level[0], {0, 0, 0}, {W, H, 1}},
				       {0, 0, 0, level[0], {0, 0, 0}, {2 * W, 2 * H, 1}},
				       {0, 0, 0, level[1], {0, 0, 0}, {W / 2, H / 2, 1}}};
	VkImageBlit mirror = {
		level[0], {{W, 0, 0}, {0, H, 1}}, level[0], {{0, 0, 0}, {2 * W, 2 * H, 1}}};
	VkImageBlit half = {
		level[0], {{0, 0, 0}, {W, H, 1}}, level[1], {{0, 0, 0}, {W / 2, H / 2, 1}}};
	VkCommandBuffer cmd = kit_begin(gpu, GPU_UNIVERSAL);
	to_general(cmd, &small);
	to_general(cmd, &large);
	vkCmdCopyBufferToImage(cmd, from.buffer, small.image, VK_IMAGE_LAYOUT_GENERAL, 1,
			       &copies[0]);
	gpu_barrier(cmd);
	vkCmdBlitImage(cmd, small.image, VK_IMAGE_LAYOUT_GENERAL, large.image,
		       VK_IMAGE_LAYOUT_GENERAL, 1, &mirror, VK_FILTER_NEAREST);
	vkCmdBlitImage(cmd, small.image, VK_IMAGE_LAYOUT_GENERAL, small.image,
		       VK_IMAGE_LAYOUT_GENERAL, 1, &half, VK_FILTER_LINEAR);
	gpu_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, large.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &copies[1]);
	vkCmdCopyImageToBuffer(cmd, small.image, VK_IMAGE_LAYOUT_GENERAL, mean.buffer, 1,
			       &copies[2]);
	gpu_barrier(cmd);
	kit_finish(gpu, GPU_UNIVERSAL, cmd);
	for (uint32_t y = 0; y < 2 * H; y++)
		for (uint32_t x = 0; x < 2 * W; x++)
			assert_int_equal(to.map[y * 2 * W + x],
					 from.map[y / 2 * W + W - 1 - x / 2]);
	const uint8_t *in = (uint8_t *)from.map, *out = (uint8_t *)mean.map;
	for (uint32_t k = 0; k < mean.n * 4; k++) {
		uint32_t x = k / 4 % (W / 2) * 2, y = k / 4 / (W / 2) * 2, c = k % 4;
		double sum = 0;
		for (uint32_t j = 0; j < 4; j++)
			sum += in[((y + j / 2) * W + x + j % 2) * 4 + c];
		assert_true(fabs(out[k] - sum / 4) <= 1);
	}
	free_image(gpu, &small);
	free_image(gpu, &large);
	kit_buffer_free(gpu, &from);
	kit_buffer_free(gpu, &to);
	kit_buffer_free(gpu, &mean);
}

/* Four samples of one colour become one, in a part of the image. */
static void resolves_on(struct gpu *gpu, enum gpu_family family)
{
	enum { W = 50, H = 34 };
	struct shape s = {VK_FORMAT_R8G8B8A8_UNORM,
			  4,
			  VK_IMAGE_TYPE_2D,
			  {W, H, 1},
			  1,
			  1,
			  TILED,
			  VK_IMAGE_USAGE_SAMPLED_BIT,
			  VK_SAMPLE_COUNT_4_BIT};
	struct image many = make_image(gpu, &s);
	s.samples = VK_SAMPLE_COUNT_1_BIT;
	struct image one = make_image(gpu, &s);
	struct kit_buffer to = kit_buffer(gpu, W * H);
	VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	VkImageSubresourceLayers all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
	VkClearColorValue color = {.float32 = {0.2f, 0.4f, 0.6f, 1.0f}}, other = {.float32 = {0}};
	VkImageResolve part = {all, {3, 2, 0}, all, {5, 1, 0}, {W - 10, H - 6, 1}};
	VkBufferImageCopy whole = {0, 0, 0, all, {0, 0, 0}, {W, H, 1}};
	VkCommandBuffer cmd = kit_begin(gpu, family);
	to_general(cmd, &many);
	to_general(cmd, &one);
	vkCmdClearColorImage(cmd, many.image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range);
	vkCmdClearColorImage(cmd, one.image, VK_IMAGE_LAYOUT_GENERAL, &other, 1, &range);
	gpu_barrier(cmd);
	vkCmdResolveImage(cmd, many.image, VK_IMAGE_LAYOUT_GENERAL, one.image,
			  VK_IMAGE_LAYOUT_GENERAL, 1, &part);
	gpu_barrier(cmd);
	vkCmdCopyImageToBuffer(cmd, one.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &whole);
	gpu_barrier(cmd);
	kit_finish(gpu, family, cmd);
	for (uint32_t y = 0; y < H; y++)
		for (uint32_t x = 0; x < W; x++) {
			bool inside = x >= 5 && x < W - 5 && y >= 1 && y < H - 5;
			assert_int_equal(to.map[y * W + x], inside ? 0xff996633 : 0);
		}
	free_image(gpu, &many);
	free_image(gpu, &one);
	kit_buffer_free(gpu, &to);
}

static void resolves(void **state)
{
	resolves_on(*state, GPU_UNIVERSAL);
}

/* Where the test must be seen to use the transfer queue: VULKAN_IMAGES_NEED_TRANSFER=1. */
static void transfer_queue(void **state)
{
	struct gpu *gpu = *state;
	if (!gpu->has_transfer && !getenv("VULKAN_IMAGES_NEED_TRANSFER"))
		skip();
	assert_true(gpu->has_transfer);
	struct kit_buffer a = kit_buffer(gpu, 5000), b = kit_buffer(gpu, 5000);
	VkSemaphore timeline = kit_timeline(gpu, 0);
	fill(&a, ~0u);
	/* In turn with another queue: a fill there, a copy here. */
	VkCommandBuffer first = kit_begin(gpu, GPU_COMPUTE), second = kit_begin(gpu, GPU_TRANSFER);
	vkCmdFillBuffer(first, a.buffer, 400, 4000, 0xabcdabcd);
	gpu_barrier(first);
	vkCmdCopyBuffer(second, a.buffer, b.buffer, 1, &(VkBufferCopy){0, 0, 20000});
	vkCmdUpdateBuffer(second, b.buffer, 8, 12, (uint32_t[]){7, 8, 9});
	gpu_barrier(second);
	VK_OK(vkEndCommandBuffer(first));
	VK_OK(vkEndCommandBuffer(second));
	VkSemaphoreSubmitInfo one = kit_at(timeline, 1), two = kit_at(timeline, 2);
	VK_OK(kit_submit(gpu, GPU_COMPUTE, first, NULL, &one, VK_NULL_HANDLE));
	VK_OK(kit_submit(gpu, GPU_TRANSFER, second, &one, &two, VK_NULL_HANDLE));
	VK_OK(kit_wait(gpu, timeline, 2, 60000000000ull));
	assert_int_equal(b.map[1], a.map[1]);
	assert_int_equal(b.map[2], 7);
	assert_int_equal(b.map[4], 9);
	for (uint32_t k = 100; k < 1100; k++)
		assert_int_equal(b.map[k], 0xabcdabcd);
	assert_memory_equal(b.map + 1100, a.map + 1100, 4 * 3900);
	vkDestroySemaphore(gpu->device, timeline, NULL);
	kit_buffer_free(gpu, &a);
	kit_buffer_free(gpu, &b);
}

TESTS_EACH(setup, teardown, copies, blocks, depth, clears, depth_clears, blits, resolves,
	   transfer_queue);
