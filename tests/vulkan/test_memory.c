/* SPDX-License-Identifier: MIT */
/* Copies, fills and memory that comes from elsewhere, on both queues. */
#include "kit.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static uint32_t number(uint32_t i)
{
	return (i + 1) * 2654435761u;
}

static void fill(struct kit_buffer *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		b->map[i] = number(i);
}

/* Offsets and sizes that are no multiples of anything. */
static void copies_on(struct gpu *gpu, enum gpu_family family)
{
	enum { N = 20000 };
	struct kit_buffer a = kit_buffer(gpu, N), b = kit_buffer(gpu, N), c = kit_buffer(gpu, N);
	uint8_t *want = calloc(N, 4);
	assert_non_null(want);
	fill(&a);
	static const VkBufferCopy regions[] = {
		{0, 70000, 1}, {1, 3, 5}, {100, 200, 4096}, {4097, 8191, 33333}, {12, 60000, 4}};
	VkCommandBuffer cmd = kit_begin(gpu, family);
	vkCmdCopyBuffer(cmd, a.buffer, b.buffer, BW_ARRAY_SIZE(regions), regions);
	gpu_barrier(cmd);
	vkCmdFillBuffer(cmd, b.buffer, 50000, 8, 0x11223344);
	static const uint32_t words[3] = {1, 2, 3};
	vkCmdUpdateBuffer(cmd, b.buffer, 76000, sizeof(words), words);
	gpu_barrier(cmd);
	VkBufferCopy whole = {0, 0, N * 4};
	vkCmdCopyBuffer(cmd, b.buffer, c.buffer, 1, &whole);
	gpu_barrier(cmd);
	kit_finish(gpu, family, cmd);
	for (size_t i = 0; i < BW_ARRAY_SIZE(regions); i++)
		memcpy(want + regions[i].dstOffset, (uint8_t *)a.map + regions[i].srcOffset,
		       regions[i].size);
	memcpy(want + 50000, (uint32_t[]){0x11223344, 0x11223344}, 8);
	memcpy(want + 76000, words, sizeof(words));
	assert_memory_equal(b.map, want, N * 4);
	assert_memory_equal(c.map, want, N * 4);
	free(want);
	kit_buffer_free(gpu, &a);
	kit_buffer_free(gpu, &b);
	kit_buffer_free(gpu, &c);
}

static void copies(void **state)
{
	copies_on(*state, GPU_COMPUTE);
	copies_on(*state, GPU_UNIVERSAL);
	if (((struct gpu *)*state)->has_transfer)
		copies_on(*state, GPU_TRANSFER);
}

/* Memory of one device, exported and imported by another of this process: the same bytes. */
static void shared_memory(void **state)
{
	struct gpu *a = *state, *b = kit_open();
	KIT_ENTRY(a, vkGetMemoryFdKHR);
	assert_non_null(vkGetMemoryFdKHR);
	enum { SIZE = 1 << 20 };
	VkExternalMemoryBufferCreateInfo external = {
		VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, NULL,
		VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
				   &external,
				   0,
				   SIZE,
				   VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
					   VK_BUFFER_USAGE_TRANSFER_DST_BIT,
				   VK_SHARING_MODE_EXCLUSIVE,
				   0,
				   NULL};
	VkBuffer buffer[2];
	VkDeviceMemory memory[2];
	VK_OK(vkCreateBuffer(a->device, &info, NULL, &buffer[0]));
	VK_OK(vkCreateBuffer(b->device, &info, NULL, &buffer[1]));
	VkMemoryRequirements req;
	vkGetBufferMemoryRequirements(a->device, buffer[0], &req);
	uint32_t type = (uint32_t)__builtin_ctz(req.memoryTypeBits);
	VkExportMemoryAllocateInfo export = {VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, NULL,
					     VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	VkMemoryAllocateInfo alloc = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &export, req.size,
				      type};
	VK_OK(vkAllocateMemory(a->device, &alloc, NULL, &memory[0]));
	VkMemoryGetFdInfoKHR get = {VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, NULL, memory[0],
				    VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	int fd = -1;
	VK_OK(vkGetMemoryFdKHR(a->device, &get, &fd));
	VkImportMemoryFdInfoKHR import = {VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, NULL,
					  VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, fd};
	alloc.pNext = &import;
	VK_OK(vkAllocateMemory(b->device, &alloc, NULL, &memory[1]));
	VK_OK(vkBindBufferMemory(a->device, buffer[0], memory[0], 0));
	VK_OK(vkBindBufferMemory(b->device, buffer[1], memory[1], 0));
	VkCommandBuffer cmd = kit_begin(a, GPU_COMPUTE);
	vkCmdFillBuffer(cmd, buffer[0], 0, SIZE, 0xfeedf00d);
	gpu_barrier(cmd);
	kit_finish(a, GPU_COMPUTE, cmd);
	/* The memory outlives the device that made it. */
	vkDestroyBuffer(a->device, buffer[0], NULL);
	vkFreeMemory(a->device, memory[0], NULL);
	struct kit_buffer to = kit_buffer(b, SIZE / 4);
	cmd = kit_begin(b, GPU_UNIVERSAL);
	vkCmdCopyBuffer(cmd, buffer[1], to.buffer, 1, &(VkBufferCopy){0, 0, SIZE});
	gpu_barrier(cmd);
	kit_finish(b, GPU_UNIVERSAL, cmd);
	for (uint32_t k = 0; k < to.n; k++)
		assert_int_equal(to.map[k], 0xfeedf00d);
	kit_buffer_free(b, &to);
	vkDestroyBuffer(b->device, buffer[1], NULL);
	vkFreeMemory(b->device, memory[1], NULL);
	gpu_close(b);
}

/* Pages of the program itself, written by the GPU. */
static void host_memory(void **state)
{
	struct gpu *gpu = *state;
	KIT_ENTRY(gpu, vkGetMemoryHostPointerPropertiesEXT);
	assert_non_null(vkGetMemoryHostPointerPropertiesEXT);
	enum { SIZE = 1 << 16 };
	uint32_t *pages = aligned_alloc(1 << 16, SIZE);
	assert_non_null(pages);
	memset(pages, 0, SIZE);
	VkMemoryHostPointerPropertiesEXT types = {
		VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT, NULL, 0};
	VK_OK(vkGetMemoryHostPointerPropertiesEXT(
		gpu->device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, pages,
		&types));
	assert_int_not_equal(types.memoryTypeBits, 0);
	VkExternalMemoryBufferCreateInfo external = {
		VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, NULL,
		VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
	VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
				   &external,
				   0,
				   SIZE,
				   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
					   VK_BUFFER_USAGE_TRANSFER_DST_BIT,
				   VK_SHARING_MODE_EXCLUSIVE,
				   0,
				   NULL};
	VkBuffer buffer;
	VK_OK(vkCreateBuffer(gpu->device, &info, NULL, &buffer));
	VkImportMemoryHostPointerInfoEXT import = {
		VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, NULL,
		VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, pages};
	VkMemoryAllocateInfo alloc = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import, SIZE,
				      (uint32_t)__builtin_ctz(types.memoryTypeBits)};
	VkDeviceMemory memory;
	VK_OK(vkAllocateMemory(gpu->device, &alloc, NULL, &memory));
	VK_OK(vkBindBufferMemory(gpu->device, buffer, memory, 0));
	struct kit_shader step = kit_shader(gpu, "step", 12);
	for (uint32_t i = 0; i < SIZE / 4; i++)
		pages[i] = i;
	VkCommandBuffer cmd = kit_begin(gpu, GPU_COMPUTE);
	kit_dispatch(cmd, &step, kit_set(gpu, &step, buffer), (uint32_t[]){3, 5, SIZE / 4},
		     SIZE / 256);
	gpu_barrier(cmd);
	kit_finish(gpu, GPU_COMPUTE, cmd);
	for (uint32_t i = 0; i < SIZE / 4; i++)
		assert_int_equal(pages[i], i * 3 + 5);
	kit_shader_free(gpu, &step);
	vkDestroyBuffer(gpu->device, buffer, NULL);
	vkFreeMemory(gpu->device, memory, NULL);
	free(pages);
}

static VkPhysicalDeviceMemoryBudgetPropertiesEXT budget(struct gpu *gpu)
{
	VkPhysicalDeviceMemoryBudgetPropertiesEXT b = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
	VkPhysicalDeviceMemoryProperties2 p = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &b, {0}};
	vkGetPhysicalDeviceMemoryProperties2(gpu->physical, &p);
	return b;
}

/* What is used follows what is allocated. */
static void memory_budget(void **state)
{
	struct gpu *gpu = *state;
	uint32_t type = 0;
	while (!(gpu->memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT))
		type++;
	uint32_t heap = gpu->memory.memoryTypes[type].heapIndex;
	VkPhysicalDeviceMemoryBudgetPropertiesEXT before = budget(gpu);
	const VkDeviceSize size = 256 << 20;
	VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, size, type};
	VkDeviceMemory memory;
	VK_OK(vkAllocateMemory(gpu->device, &info, NULL, &memory));
	VkPhysicalDeviceMemoryBudgetPropertiesEXT during = budget(gpu);
	vkFreeMemory(gpu->device, memory, NULL);
	VkPhysicalDeviceMemoryBudgetPropertiesEXT after = budget(gpu);
	assert_true(before.heapBudget[heap] > 0 &&
		    before.heapBudget[heap] <= gpu->memory.memoryHeaps[heap].size);
	assert_true(during.heapUsage[heap] >= before.heapUsage[heap] + size);
	assert_true(after.heapUsage[heap] < before.heapUsage[heap] + size);
}

static void sparse_bind(struct gpu *gpu, VkBuffer buffer, VkDeviceSize at, VkDeviceSize size,
			VkDeviceMemory memory, VkDeviceSize from)
{
	VkSparseMemoryBind bind = {at, size, memory, from, 0};
	VkSparseBufferMemoryBindInfo binds = {buffer, 1, &bind};
	VkBindSparseInfo info = {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
				 .bufferBindCount = 1,
				 .pBufferBinds = &binds};
	VkFence fence = kit_fence(gpu);
	VK_OK(vkQueueBindSparse(gpu->queue[GPU_COMPUTE], 1, &info, fence));
	VK_OK(vkWaitForFences(gpu->device, 1, &fence, VK_TRUE, 60000000000ull));
	vkDestroyFence(gpu->device, fence, NULL);
}

/* A buffer with holes: what is not bound reads zero and swallows writes; pages come, go and move.
 */
static void sparse_buffers(void **state)
{
	struct gpu *gpu = *state;
	VkPhysicalDeviceFeatures features;
	vkGetPhysicalDeviceFeatures(gpu->physical, &features);
	VkQueueFamilyProperties families[8];
	uint32_t n = BW_ARRAY_SIZE(families);
	vkGetPhysicalDeviceQueueFamilyProperties(gpu->physical, &n, families);
	if (!features.sparseResidencyBuffer ||
	    !(families[gpu->family[GPU_COMPUTE]].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT))
		skip();
	enum { PAGE = 1 << 16, N = 4 };
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.flags =
			VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT,
		.size = N * PAGE,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkBuffer sparse;
	VK_OK(vkCreateBuffer(gpu->device, &info, NULL, &sparse));
	VkMemoryRequirements req;
	vkGetBufferMemoryRequirements(gpu->device, sparse, &req);
	req.size = 2 * PAGE;
	struct gpu_memory memory;
	kit_check(gpu_allocate(gpu, req, true, &memory));
	memset(memory.map, 0, 2 * PAGE);
	struct kit_buffer to = kit_buffer(gpu, N * PAGE / 4);
	sparse_bind(gpu, sparse, 0, PAGE, memory.memory, PAGE);
	sparse_bind(gpu, sparse, 2 * PAGE, PAGE, memory.memory, 0);
	VkCommandBuffer cmd = kit_begin(gpu, GPU_COMPUTE);
	for (uint32_t i = 0; i < N; i++)
		vkCmdFillBuffer(cmd, sparse, i * PAGE, PAGE, i + 1);
	gpu_barrier(cmd);
	vkCmdCopyBuffer(cmd, sparse, to.buffer, 1, &(VkBufferCopy){0, 0, N * PAGE});
	gpu_barrier(cmd);
	kit_finish(gpu, GPU_COMPUTE, cmd);
	static const uint32_t want[N] = {1, 0, 3, 0};
	for (uint32_t i = 0; i < to.n; i++)
		assert_int_equal(to.map[i], want[i / (PAGE / 4)]);
	assert_int_equal(((uint32_t *)memory.map)[5], 3);
	assert_int_equal(((uint32_t *)memory.map)[PAGE / 4 + 5], 1);
	/* The first page goes, its memory comes back as the last. */
	sparse_bind(gpu, sparse, 0, PAGE, VK_NULL_HANDLE, 0);
	sparse_bind(gpu, sparse, 3 * PAGE, PAGE, memory.memory, PAGE);
	cmd = kit_begin(gpu, GPU_COMPUTE);
	vkCmdCopyBuffer(cmd, sparse, to.buffer, 1, &(VkBufferCopy){0, 0, N * PAGE});
	gpu_barrier(cmd);
	kit_finish(gpu, GPU_COMPUTE, cmd);
	static const uint32_t moved[N] = {0, 0, 3, 1};
	for (uint32_t i = 0; i < to.n; i++)
		assert_int_equal(to.map[i], moved[i / (PAGE / 4)]);
	vkDestroyBuffer(gpu->device, sparse, NULL);
	vkFreeMemory(gpu->device, memory.memory, NULL);
	kit_buffer_free(gpu, &to);
}

/* The GPU writes the sizes of a dispatch, and whether another one happens at all. */
static void decided_on_gpu(void **state)
{
	struct gpu *gpu = *state;
	KIT_ENTRY(gpu, vkCmdBeginConditionalRenderingEXT);
	KIT_ENTRY(gpu, vkCmdEndConditionalRenderingEXT);
	for (int family = 0; family < GPU_N_FAMILIES; family++) {
		struct kit_shader step = kit_shader(gpu, "step", 12);
		struct kit_buffer b = kit_buffer(gpu, 640), args = kit_buffer(gpu, 16);
		VkDescriptorSet set = kit_set(gpu, &step, b.buffer),
				set_args = kit_set(gpu, &step, args.buffer);
		VkCommandBuffer cmd = kit_begin(gpu, family);
		kit_dispatch(cmd, &step, set_args, (uint32_t[]){1, 1, 3}, 1); /* 1 1 1 */
		gpu_barrier(cmd);
		kit_dispatch(cmd, &step, set_args, (uint32_t[]){1, 6, 1}, 1); /* 7 1 1 */
		gpu_barrier(cmd);
		kit_dispatch(cmd, &step, set, (uint32_t[]){1, 1, 640}, 0);
		vkCmdDispatchIndirect(cmd, args.buffer, 0);
		gpu_barrier(cmd);
		/* args[8] is 0, args[0] is 7 */
		static const struct {
			VkDeviceSize at;
			bool inverted;
		} conditions[] = {{32, false}, {0, false}, {32, true}, {0, true}};
		for (size_t i = 0;
		     vkCmdBeginConditionalRenderingEXT && i < BW_ARRAY_SIZE(conditions); i++) {
			VkConditionalRenderingBeginInfoEXT info = {
				VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, NULL,
				args.buffer, conditions[i].at,
				conditions[i].inverted ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT
						       : 0};
			vkCmdBeginConditionalRenderingEXT(cmd, &info);
			kit_dispatch(cmd, &step, set, (uint32_t[]){1, 10u << 4 * i, 640}, 10);
			vkCmdEndConditionalRenderingEXT(cmd);
			gpu_barrier(cmd);
		}
		kit_finish(gpu, family, cmd);
		uint32_t done = vkCmdBeginConditionalRenderingEXT ? (10u << 4) + (10u << 8) : 0;
		for (uint32_t i = 0; i < b.n; i++)
			assert_int_equal(b.map[i], done + (i < 448));
		kit_buffer_free(gpu, &b);
		kit_buffer_free(gpu, &args);
		kit_shader_free(gpu, &step);
	}
}

/* Commands recorded once, in a buffer of their own, and executed twice from another. */
static void secondary_buffers(void **state)
{
	struct gpu *gpu = *state;
	for (int family = 0; family < GPU_N_FAMILIES; family++) {
		struct kit_shader step = kit_shader(gpu, "step", 12);
		struct kit_buffer b = kit_buffer(gpu, 64);
		VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
						    NULL, gpu->pool[family],
						    VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
		VkCommandBuffer part;
		VK_OK(vkAllocateCommandBuffers(gpu->device, &info, &part));
		VkCommandBufferInheritanceInfo inherit = {
			.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
		VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, NULL,
						  VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
						  &inherit};
		VK_OK(vkBeginCommandBuffer(part, &begin));
		kit_dispatch(part, &step, kit_set(gpu, &step, b.buffer), (uint32_t[]){3, 1, 64}, 1);
		gpu_barrier(part);
		VK_OK(vkEndCommandBuffer(part));
		VkCommandBuffer cmd = kit_begin(gpu, family);
		vkCmdExecuteCommands(cmd, 1, &part);
		vkCmdExecuteCommands(cmd, 2, (VkCommandBuffer[]){part, part});
		kit_finish(gpu, family, cmd);
		for (uint32_t i = 0; i < b.n; i++)
			assert_int_equal(b.map[i], 13);
		vkFreeCommandBuffers(gpu->device, gpu->pool[family], 1, &part);
		kit_buffer_free(gpu, &b);
		kit_shader_free(gpu, &step);
	}
}

static void buffer_markers(void **state)
{
	struct gpu *gpu = *state;
	KIT_ENTRY(gpu, vkCmdWriteBufferMarkerAMD);
	assert_non_null(vkCmdWriteBufferMarkerAMD);
	for (int family = 0; family < GPU_N_FAMILIES; family++) {
		struct kit_buffer b = kit_buffer(gpu, 4);
		VkCommandBuffer cmd = kit_begin(gpu, family);
		vkCmdWriteBufferMarkerAMD(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, b.buffer, 0,
					  0x11);
		vkCmdWriteBufferMarkerAMD(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, b.buffer, 8,
					  0x22);
		gpu_barrier(cmd);
		kit_finish(gpu, family, cmd);
		assert_memory_equal(b.map, ((uint32_t[]){0x11, 0, 0x22, 0}), 16);
		kit_buffer_free(gpu, &b);
	}
}

/* Eight devices at once, each with its own memory at what may be the same addresses. */
static void many_devices(void **state)
{
	enum { N = 8 };
	struct gpu *gpu[N];
	struct kit_shader step[N];
	struct kit_buffer b[N];
	VkFence fence[N];
	for (uint32_t i = 0; i < N; i++) {
		gpu[i] = kit_open();
		step[i] = kit_shader(gpu[i], "step", 12);
		b[i] = kit_buffer(gpu[i], 4096);
		fence[i] = kit_fence(gpu[i]);
		VkCommandBuffer cmd = kit_begin(gpu[i], GPU_COMPUTE);
		VkDescriptorSet set = kit_set(gpu[i], &step[i], b[i].buffer);
		for (int k = 0; k < 20; k++) {
			kit_dispatch(cmd, &step[i], set, (uint32_t[]){1, i + 1, 4096}, 64);
			gpu_barrier(cmd);
		}
		VK_OK(vkEndCommandBuffer(cmd));
		VK_OK(kit_submit(gpu[i], GPU_COMPUTE, cmd, NULL, NULL, fence[i]));
	}
	for (uint32_t i = 0; i < N; i++) {
		VK_OK(vkWaitForFences(gpu[i]->device, 1, &fence[i], VK_TRUE, 240000000000ull));
		for (uint32_t k = 0; k < b[i].n; k++)
			assert_int_equal(b[i].map[k], 20 * (i + 1));
		vkDestroyFence(gpu[i]->device, fence[i], NULL);
		kit_buffer_free(gpu[i], &b[i]);
		kit_shader_free(gpu[i], &step[i]);
		gpu_close(gpu[i]);
	}
}

TESTS_EACH(setup, teardown, copies, shared_memory, host_memory, memory_budget, sparse_buffers,
	   decided_on_gpu, secondary_buffers, buffer_markers, many_devices);
