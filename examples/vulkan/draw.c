/* SPDX-License-Identifier: MIT */
/* A Vulkan program for the tutorials (doc/tutorials): it draws one picture, without a window.
 *
 *     cc draw.c -lvulkan -o draw
 *     ./draw VERTEX.spv PIXEL.spv PICTURE.ppm
 *
 * The picture has 64 x 48 pixels, and a depth buffer. Some of its pixels are printed, too. Three
 * draws with one pipeline: "wall", a rectangle in the back, "sail", one in front of it, and "sun",
 * one that lies behind the wall. Each vertex has a position (location 0, vec3) and a normal
 * (location 1, vec3); the color of the draw is a push constant (vec4). It knows nothing of
 * Breakwater; it gives names, as many programs do. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { WIDTH = 64, HEIGHT = 48, CORNERS = 6, N_DRAWS = 3 };
enum { PRINTED_ROW = 20, PRINTED_FIRST = 22, PRINTED_LAST = 28 };

static const struct {
	const char *name;
	float x0, y0, x1, y1, z; /* in pixels */
	float left[3], right[3]; /* normals */
	float color[4];
} things[N_DRAWS] = {
	{"wall", 4, 4, 60, 44, 0.8f, {0, 0, 1}, {0, 0, 1}, {0.6f, 0.6f, 0.7f, 1}},
	{"sail", 10, 10, 41, 36, 0.4f, {0.8f, 0, 0.6f}, {-0.8f, 0, -0.6f}, {1, 0.5f, 0.25f, 1}},
	{"sun", 45, 8, 57, 20, 0.9f, {0, 0, 1}, {0, 0, 1}, {1, 1, 0, 1}},
};

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandBuffer commands;

static void need(VkResult result, const char *what)
{
	if (result == VK_SUCCESS)
		return;
	fprintf(stderr, "draw: %s: VkResult %d\n", what, result);
	_Exit(1);
}
#define NEED(call) need(call, #call)

static void name(VkObjectType type, uint64_t handle, const char *text)
{
	PFN_vkSetDebugUtilsObjectNameEXT set_name =
		(PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(
			instance, "vkSetDebugUtilsObjectNameEXT");
	VkDebugUtilsObjectNameInfoEXT info = {VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
					      NULL, type, handle, text};
	if (set_name)
		NEED(set_name(device, &info));
}

static void label(const char *text)
{
	PFN_vkCmdBeginDebugUtilsLabelEXT begin =
		(PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetInstanceProcAddr(
			instance, "vkCmdBeginDebugUtilsLabelEXT");
	PFN_vkCmdEndDebugUtilsLabelEXT end = (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetInstanceProcAddr(
		instance, "vkCmdEndDebugUtilsLabelEXT");
	VkDebugUtilsLabelEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
				     .pLabelName = text};
	if (text && begin)
		begin(commands, &info);
	else if (!text && end)
		end(commands);
}

static void open_device(void)
{
	const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
				 .pApplicationName = "draw",
				 .apiVersion = VK_API_VERSION_1_3};
	VkInstanceCreateInfo with = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
				     .pApplicationInfo = &app,
				     .enabledExtensionCount = 1,
				     .ppEnabledExtensionNames = &extension};
	NEED(vkCreateInstance(&with, NULL, &instance));
	uint32_t n = 1;
	VkResult result = vkEnumeratePhysicalDevices(instance, &n, &physical);
	need(result == VK_INCOMPLETE ? VK_SUCCESS : result, "vkEnumeratePhysicalDevices");
	if (n == 0) {
		fprintf(stderr, "draw: there is no Vulkan device\n");
		exit(1);
	}
	float priority = 1;
	VkPhysicalDeviceVulkan13Features features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
		.dynamicRendering = VK_TRUE};
	VkDeviceQueueCreateInfo family = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					  .queueCount = 1,
					  .pQueuePriorities = &priority};
	VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
				   .pNext = &features,
				   .queueCreateInfoCount = 1,
				   .pQueueCreateInfos = &family};
	NEED(vkCreateDevice(physical, &info, NULL, &device));
	vkGetDeviceQueue(device, 0, 0, &queue);
	VkCommandPool pool;
	VkCommandPoolCreateInfo of_pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	NEED(vkCreateCommandPool(device, &of_pool, NULL, &pool));
	VkCommandBufferAllocateInfo one = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL,
					   pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
	NEED(vkAllocateCommandBuffers(device, &one, &commands));
}

static VkDeviceMemory allocate(VkMemoryRequirements needs, VkMemoryPropertyFlags wanted)
{
	VkPhysicalDeviceMemoryProperties has;
	VkDeviceMemory memory;
	uint32_t type = 0;
	vkGetPhysicalDeviceMemoryProperties(physical, &has);
	while (!(needs.memoryTypeBits & 1u << type) ||
	       (has.memoryTypes[type].propertyFlags & wanted) != wanted)
		type++; /* Vulkan guarantees one */
	VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, needs.size,
				     type};
	NEED(vkAllocateMemory(device, &info, NULL, &memory));
	return memory;
}

static VkBuffer make_buffer(VkDeviceSize size_b, VkBufferUsageFlags usage, void **contents)
{
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size_b, .usage = usage};
	VkMemoryRequirements needs;
	VkBuffer buffer;
	NEED(vkCreateBuffer(device, &info, NULL, &buffer));
	vkGetBufferMemoryRequirements(device, buffer, &needs);
	VkDeviceMemory memory = allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
							VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
	NEED(vkBindBufferMemory(device, buffer, memory, 0));
	NEED(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, contents));
	return buffer;
}

static VkImage make_image(VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect,
			  const char *called, VkImageView *view)
{
	VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
				  .imageType = VK_IMAGE_TYPE_2D,
				  .format = format,
				  .extent = {WIDTH, HEIGHT, 1},
				  .mipLevels = 1,
				  .arrayLayers = 1,
				  .samples = VK_SAMPLE_COUNT_1_BIT,
				  .usage = usage};
	VkMemoryRequirements needs;
	VkImage image;
	NEED(vkCreateImage(device, &info, NULL, &image));
	name(VK_OBJECT_TYPE_IMAGE, (uint64_t)(uintptr_t)image, called);
	vkGetImageMemoryRequirements(device, image, &needs);
	NEED(vkBindImageMemory(device, image, allocate(needs, 0), 0));
	VkImageViewCreateInfo of_view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
					 .image = image,
					 .viewType = VK_IMAGE_VIEW_TYPE_2D,
					 .format = format,
					 .subresourceRange = {aspect, 0, 1, 0, 1}};
	NEED(vkCreateImageView(device, &of_view, NULL, view));
	VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
					.dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
					.newLayout = VK_IMAGE_LAYOUT_GENERAL,
					.image = image,
					.subresourceRange = {aspect, 0, 1, 0, 1}};
	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
	return image;
}

static VkShaderModule load(const char *path)
{
	static uint32_t code[65536];
	FILE *f = fopen(path, "rb");
	size_t size_b = f ? fread(code, 1, sizeof(code), f) : 0;
	if (!size_b) {
		fprintf(stderr, "draw: cannot read %s\n", path);
		exit(1);
	}
	fclose(f);
	VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
					 .codeSize = size_b,
					 .pCode = code};
	VkShaderModule module;
	NEED(vkCreateShaderModule(device, &info, NULL, &module));
	return module;
}

static VkPipeline make_pipeline(const char *vertex, const char *pixel, VkFormat color,
				VkFormat depth, VkPipelineLayout *layout)
{
	VkPushConstantRange range = {VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16};
	VkPipelineLayoutCreateInfo of_layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range};
	NEED(vkCreatePipelineLayout(device, &of_layout, NULL, layout));
	VkPipelineShaderStageCreateInfo stages[2] = {
		{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		 .stage = VK_SHADER_STAGE_VERTEX_BIT,
		 .module = load(vertex),
		 .pName = "main"},
		{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		 .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
		 .module = load(pixel),
		 .pName = "main"},
	};
	VkVertexInputBindingDescription binding = {0, 24, VK_VERTEX_INPUT_RATE_VERTEX};
	VkVertexInputAttributeDescription attributes[2] = {{0, 0, VK_FORMAT_R32G32B32_SFLOAT, 0},
							   {1, 0, VK_FORMAT_R32G32B32_SFLOAT, 12}};
	VkPipelineVertexInputStateCreateInfo input = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
		.vertexBindingDescriptionCount = 1,
		.pVertexBindingDescriptions = &binding,
		.vertexAttributeDescriptionCount = 2,
		.pVertexAttributeDescriptions = attributes};
	VkPipelineInputAssemblyStateCreateInfo assembly = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
		.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
	VkViewport viewport = {0, 0, WIDTH, HEIGHT, 0, 1};
	VkRect2D scissor = {{0, 0}, {WIDTH, HEIGHT}};
	VkPipelineViewportStateCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
		.viewportCount = 1,
		.pViewports = &viewport,
		.scissorCount = 1,
		.pScissors = &scissor};
	VkPipelineRasterizationStateCreateInfo raster = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
		.lineWidth = 1};
	VkPipelineMultisampleStateCreateInfo samples = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
		.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
	VkPipelineDepthStencilStateCreateInfo test = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
		.depthTestEnable = VK_TRUE,
		.depthWriteEnable = VK_TRUE,
		.depthCompareOp = VK_COMPARE_OP_LESS};
	VkPipelineColorBlendAttachmentState all = {.colorWriteMask = 0xf};
	VkPipelineColorBlendStateCreateInfo blend = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &all};
	VkPipelineRenderingCreateInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
		.colorAttachmentCount = 1,
		.pColorAttachmentFormats = &color,
		.depthAttachmentFormat = depth};
	VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.pNext = &rendering,
		.stageCount = 2,
		.pStages = stages,
		.pVertexInputState = &input,
		.pInputAssemblyState = &assembly,
		.pViewportState = &view,
		.pRasterizationState = &raster,
		.pMultisampleState = &samples,
		.pDepthStencilState = &test,
		.pColorBlendState = &blend,
		.layout = *layout};
	VkPipeline pipeline;
	NEED(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
	return pipeline;
}

/* Two triangles for each thing: six corners of position and normal. */
static void fill_vertices(float *to)
{
	static const int at_right[CORNERS] = {0, 1, 0, 0, 1, 1},
			 at_bottom[CORNERS] = {0, 0, 1, 1, 0, 1};
	for (int i = 0; i < N_DRAWS; i++) {
		for (int k = 0; k < CORNERS; k++, to += 6) {
			to[0] = (at_right[k] ? things[i].x1 : things[i].x0) / WIDTH * 2 - 1;
			to[1] = (at_bottom[k] ? things[i].y1 : things[i].y0) / HEIGHT * 2 - 1;
			to[2] = things[i].z;
			memcpy(to + 3, at_right[k] ? things[i].right : things[i].left, 12);
		}
	}
}

static void write_picture(const char *path, const uint8_t *texels)
{
	FILE *f = fopen(path, "wb");
	if (!f) {
		fprintf(stderr, "draw: cannot write %s\n", path);
		exit(1);
	}
	fprintf(f, "P6 %d %d 255\n", WIDTH, HEIGHT);
	for (int i = 0; i < WIDTH * HEIGHT; i++)
		fwrite(texels + (size_t)i * 4, 1, 3, f);
	fclose(f);
	printf("row %d, pixels %d to %d:", PRINTED_ROW, PRINTED_FIRST, PRINTED_LAST);
	for (int x = PRINTED_FIRST; x <= PRINTED_LAST; x++) {
		const uint8_t *t = texels + (size_t)(PRINTED_ROW * WIDTH + x) * 4;
		printf(" %02x%02x%02x", t[0], t[1], t[2]);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: draw VERTEX.spv PIXEL.spv PICTURE.ppm\n");
		return 2;
	}
	void *vertices, *texels;
	VkImageView color_view, depth_view;
	VkPipelineLayout layout;
	open_device();
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	NEED(vkBeginCommandBuffer(commands, &begin));
	VkBuffer mesh =
		make_buffer(N_DRAWS * CORNERS * 24, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, &vertices);
	VkBuffer result =
		make_buffer(WIDTH * HEIGHT * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT, &texels);
	fill_vertices(vertices);
	VkImage color =
		make_image(VK_FORMAT_R8G8B8A8_UNORM,
			   VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
			   VK_IMAGE_ASPECT_COLOR_BIT, "picture", &color_view);
	make_image(VK_FORMAT_D32_SFLOAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
		   VK_IMAGE_ASPECT_DEPTH_BIT, "depths", &depth_view);
	VkPipeline pipeline = make_pipeline(argv[1], argv[2], VK_FORMAT_R8G8B8A8_UNORM,
					    VK_FORMAT_D32_SFLOAT, &layout);
	name(VK_OBJECT_TYPE_PIPELINE, (uint64_t)(uintptr_t)pipeline, "lit");

	VkRenderingAttachmentInfo to_color = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = color_view,
		.imageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue = {.color = {.float32 = {0.125f, 0.25f, 0.5f, 1}}}};
	VkRenderingAttachmentInfo to_depth = to_color;
	to_depth.imageView = depth_view;
	to_depth.clearValue = (VkClearValue){.depthStencil = {1, 0}};
	VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
				     .renderArea = {{0, 0}, {WIDTH, HEIGHT}},
				     .layerCount = 1,
				     .colorAttachmentCount = 1,
				     .pColorAttachments = &to_color,
				     .pDepthAttachment = &to_depth};
	VkDeviceSize zero = 0;
	vkCmdBeginRendering(commands, &rendering);
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdBindVertexBuffers(commands, 0, 1, &mesh, &zero);
	for (int i = 0; i < N_DRAWS; i++) {
		label(things[i].name);
		vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16,
				   things[i].color);
		vkCmdDraw(commands, CORNERS, 1, (uint32_t)(i * CORNERS), 0);
		label(NULL);
	}
	vkCmdEndRendering(commands);
	VkMemoryBarrier drawn = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_MEMORY_WRITE_BIT,
				 VK_ACCESS_MEMORY_READ_BIT};
	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &drawn, 0, NULL, 0, NULL);
	VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
				  .imageExtent = {WIDTH, HEIGHT, 1}};
	vkCmdCopyImageToBuffer(commands, color, VK_IMAGE_LAYOUT_GENERAL, result, 1, &copy);
	NEED(vkEndCommandBuffer(commands));
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			       .commandBufferCount = 1,
			       .pCommandBuffers = &commands};
	NEED(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
	NEED(vkQueueWaitIdle(queue));
	write_picture(argv[3], texels);
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	return 0;
}
