/* SPDX-License-Identifier: MIT */
/* What --check is to find in a Vulkan program, and what not: test_checked.py. The scenario is the
 * argument; each says "sum N" of what came out. */
#include "kit.h"

#include <stdio.h>
#include <string.h>

enum { N = 256 };
struct push {
	uint32_t mul, add, n;
};

static struct gpu *gpu;
static const char *what;

static bool is(const char *name)
{
	return !strcmp(what, name);
}

static uint64_t sum_of(const struct kit_buffer *b)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < b->n; i++)
		sum += b->map[i];
	return sum;
}

static void event(VkCommandBuffer cmd)
{
	VkEventCreateInfo info = {VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
	VkEvent event; /* lives as long as the device */
	const VkMemoryBarrier all = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL,
				     VK_ACCESS_SHADER_WRITE_BIT,
				     VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
	VK_OK(vkCreateEvent(gpu->device, &info, NULL, &event));
	vkCmdSetEvent(cmd, event, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
	vkCmdWaitEvents(cmd, 1, &event, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
			VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 1, &all, 0, NULL, 0, NULL);
}

/* Two dispatches, the second of which reads and writes what the first one has written. */
static void chain(void)
{
	struct kit_buffer b = kit_buffer(gpu, N), other = kit_buffer(gpu, N);
	struct kit_shader s = kit_shader(gpu, "step", sizeof(struct push));
	VkDescriptorSet set = kit_set(gpu, &s, b.buffer), apart = kit_set(gpu, &s, other.buffer);
	const struct push first = {3, 1, N}, second = {5, 2, N};
	for (uint32_t i = 0; i < N; i++)
		b.map[i] = other.map[i] = i;
	VkCommandBuffer cmd = kit_begin(gpu, GPU_COMPUTE);
	kit_dispatch(cmd, &s, set, &first, N / 64);
	if (is("chain_right"))
		gpu_barrier(cmd);
	if (is("event_right"))
		event(cmd);
	if (is("submits_right")) {
		kit_finish(gpu, GPU_COMPUTE, cmd);
		cmd = kit_begin(gpu, GPU_COMPUTE);
	}
	kit_dispatch(cmd, &s, is("apart_right") ? apart : set, &second, N / 64);
	kit_finish(gpu, GPU_COMPUTE, cmd);
	printf("sum %llu\n", (unsigned long long)sum_of(&b));
	kit_shader_free(gpu, &s);
	kit_buffer_free(gpu, &b);
	kit_buffer_free(gpu, &other);
}

/* A fill and a copy, and a dispatch that stops where they can be asked about. */
static void filled(void)
{
	struct kit_buffer b = kit_buffer(gpu, N), from = kit_buffer(gpu, 16);
	struct kit_shader s = kit_shader(gpu, "step", sizeof(struct push));
	VkDescriptorSet set = kit_set(gpu, &s, b.buffer);
	const struct push first = {3, 1, 64};
	const VkBufferCopy copy = {.dstOffset = 512, .size = 64};
	for (uint32_t i = 0; i < from.n; i++)
		from.map[i] = 100 + i;
	VkCommandBuffer cmd = kit_begin(gpu, GPU_COMPUTE);
	vkCmdFillBuffer(cmd, b.buffer, 0, 512, 7);
	vkCmdCopyBuffer(cmd, from.buffer, b.buffer, 1, &copy);
	gpu_barrier(cmd);
	kit_dispatch(cmd, &s, set, &first, 1);
	gpu_barrier(cmd);
	kit_dispatch(cmd, &s, set, &first, 1);
	kit_finish(gpu, GPU_COMPUTE, cmd);
	printf("sum %llu\n", (unsigned long long)sum_of(&b));
	kit_shader_free(gpu, &s);
	kit_buffer_free(gpu, &b);
	kit_buffer_free(gpu, &from);
}

/* A fill before a dispatch that changes the same memory, or after it; a copy of what a dispatch has
 * stored; and the same with barriers. */
static void transfers(void)
{
	struct kit_buffer b = kit_buffer(gpu, N), other = kit_buffer(gpu, N);
	struct kit_shader s = kit_shader(gpu, "step", sizeof(struct push));
	VkDescriptorSet set = kit_set(gpu, &s, b.buffer);
	const struct push first = {3, 1, N};
	const VkBufferCopy copy = {.size = 64};
	bool is_right = strstr(what, "right");
	VkCommandBuffer cmd = kit_begin(gpu, GPU_COMPUTE);
	if (strstr(what, "filled_first"))
		vkCmdFillBuffer(cmd, b.buffer, 0, 512, 7);
	if (is_right)
		gpu_barrier(cmd);
	kit_dispatch(cmd, &s, set, &first, N / 64);
	if (is_right)
		gpu_barrier(cmd);
	if (strstr(what, "filled_later"))
		vkCmdFillBuffer(cmd, b.buffer, 0, 512, 9);
	if (strstr(what, "copied"))
		vkCmdCopyBuffer(cmd, b.buffer, other.buffer, 1, &copy);
	kit_finish(gpu, GPU_COMPUTE, cmd);
	printf("sum %llu\n", (unsigned long long)sum_of(&b));
	kit_shader_free(gpu, &s);
	kit_buffer_free(gpu, &b);
	kit_buffer_free(gpu, &other);
}

/* ---- what is only read, and transfers among themselves ---- */

struct move {
	uint32_t from, to, n;
};

/* The two commands of a scenario, without what has to be between them. b: 256 dwords. */
struct pair_of {
	VkCommandBuffer cmd;
	const struct kit_buffer *b, *other;
	const struct kit_shader *step, *move;
	VkDescriptorSet step_set, move_set;
};
static const VkBufferCopy whole = {.size = 512};

static void steps(const struct pair_of *p)
{
	const struct push push = {3, 1, 128};
	kit_dispatch(p->cmd, p->step, p->step_set, &push, 2);
}

static void moves(const struct pair_of *p, uint32_t from, uint32_t to)
{
	const struct move push = {from, to, 64};
	kit_dispatch(p->cmd, p->move, p->move_set, &push, 1);
}

static void reads(const struct pair_of *p)
{
	moves(p, 0, 192);
}

static void changes(const struct pair_of *p)
{
	moves(p, 128, 0);
}

static void updates(const struct pair_of *p)
{
	uint32_t data[64];
	for (uint32_t i = 0; i < 64; i++)
		data[i] = 1000 + i;
	vkCmdUpdateBuffer(p->cmd, p->b->buffer, 0, sizeof(data), data);
}

static void fills(const struct pair_of *p)
{
	vkCmdFillBuffer(p->cmd, p->b->buffer, 0, 512, 7);
}

static void copies_from(const struct pair_of *p)
{
	vkCmdCopyBuffer(p->cmd, p->b->buffer, p->other->buffer, 1, &whole);
}

static void copies_to(const struct pair_of *p)
{
	vkCmdCopyBuffer(p->cmd, p->other->buffer, p->b->buffer, 1, &whole);
}

static const struct {
	const char *name; /* and _wrong or _right */
	void (*first)(const struct pair_of *p), (*second)(const struct pair_of *p);
} pairs[] = {
	{"reads_then_changes", reads, changes},
	{"reads_then_fills", reads, fills},
	{"copies_then_steps", copies_from, steps},
	{"copies_then_fills", copies_from, fills},
	{"updates_then_steps", updates, steps},
	{"steps_then_updates", steps, updates},
	{"fills_then_copies", fills, copies_from},
	{"fills_then_is_copied_to", fills, copies_to},
	{"updates_then_copies", updates, copies_from},
};

static bool is_pair(unsigned i)
{
	size_t n = strlen(pairs[i].name);
	return !strncmp(what, pairs[i].name, n) &&
	       (!strcmp(what + n, "_wrong") || !strcmp(what + n, "_right"));
}

static void pair(unsigned i)
{
	struct kit_buffer b = kit_buffer(gpu, N), other = kit_buffer(gpu, N);
	struct kit_shader step = kit_shader(gpu, "step", sizeof(struct push)),
			  move = kit_shader(gpu, "move", sizeof(struct move));
	for (uint32_t k = 0; k < N; k++) {
		b.map[k] = k + 1;
		other.map[k] = 5000 + k;
	}
	const struct pair_of p = {.cmd = kit_begin(gpu, GPU_COMPUTE),
				  .b = &b,
				  .other = &other,
				  .step = &step,
				  .move = &move,
				  .step_set = kit_set(gpu, &step, b.buffer),
				  .move_set = kit_set(gpu, &move, b.buffer)};
	pairs[i].first(&p);
	if (strstr(what, "_right"))
		gpu_barrier(p.cmd);
	pairs[i].second(&p);
	kit_finish(gpu, GPU_COMPUTE, p.cmd);
	printf("sum %llu\n", (unsigned long long)sum_of(&b));
	kit_shader_free(gpu, &step);
	kit_shader_free(gpu, &move);
	kit_buffer_free(gpu, &b);
	kit_buffer_free(gpu, &other);
}

/* ---- two queues ---- */

static VkSemaphore binary(void)
{
	VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkSemaphore semaphore;
	VK_OK(vkCreateSemaphore(gpu->device, &info, NULL, &semaphore));
	return semaphore;
}

/* The first submission cannot end before the host has made the second one, unless it waits for
 * that. */
static void queues(void)
{
	struct kit_buffer flag = kit_buffer(gpu, 2), b = kit_buffer(gpu, N);
	struct kit_shader spin = kit_shader(gpu, "spin", 0),
			  step = kit_shader(gpu, "step", sizeof(struct push));
	const bool fenced = is("queues_fence_right"), timed = is("queues_timeline_right"),
		   signals = timed || is("queues_binary_right");
	VkSemaphore semaphore = timed ? kit_timeline(gpu, 0) : binary();
	VkSemaphoreSubmitInfo at = kit_at(semaphore, timed ? 1 : 0);
	VkFence fence = kit_fence(gpu), last = kit_fence(gpu);
	const struct push push = {3, 1, N};
	VkCommandBuffer first = kit_begin(gpu, GPU_COMPUTE), second = kit_begin(gpu, GPU_UNIVERSAL);
	kit_dispatch(first, &spin, kit_set(gpu, &spin, flag.buffer), NULL, 1);
	gpu_barrier(first);
	kit_dispatch(first, &step, kit_set(gpu, &step, b.buffer), &push, N / 64);
	kit_dispatch(second, &step, kit_set(gpu, &step, b.buffer), &push, N / 64);
	VK_OK(vkEndCommandBuffer(first));
	VK_OK(vkEndCommandBuffer(second));
	VK_OK(kit_submit(gpu, GPU_COMPUTE, first, NULL, signals ? &at : NULL, fence));
	if (fenced) {
		flag.map[0] = 1;
		VK_OK(vkWaitForFences(gpu->device, 1, &fence, VK_TRUE, gpu->patience_ns));
	}
	VK_OK(kit_submit(gpu, GPU_UNIVERSAL, second, signals ? &at : NULL, NULL, last));
	flag.map[0] = 1;
	VK_OK(vkWaitForFences(gpu->device, 1, &fence, VK_TRUE, gpu->patience_ns));
	VK_OK(vkWaitForFences(gpu->device, 1, &last, VK_TRUE, gpu->patience_ns));
	printf("sum %llu\n", (unsigned long long)sum_of(&b));
}

/* ---- by address ---- */

enum { TO = 250 }; /* dwords that the second buffer has */
struct places {
	VkDeviceAddress from, to;
	uint32_t n;
};

static VkBuffer buffer(uint64_t size_b)
{
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
					 .size = size_b,
					 .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
						  VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
	VkBuffer b;
	VK_OK(vkCreateBuffer(gpu->device, &info, NULL, &b));
	return b;
}

static uint64_t place_after(VkBuffer b, uint64_t offset, VkMemoryRequirements *out_need)
{
	vkGetBufferMemoryRequirements(gpu->device, b, out_need);
	return (offset + out_need->alignment - 1) / out_need->alignment * out_need->alignment;
}

static VkDeviceAddress address(VkBuffer b)
{
	const VkBufferDeviceAddressInfo info = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, NULL,
						b};
	return vkGetBufferDeviceAddress(gpu->device, &info);
}

static VkDeviceMemory memory(uint64_t size_b, uint32_t types)
{
	const VkMemoryAllocateFlagsInfo flags = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
	VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, size_b, 0};
	while (!(types >> info.memoryTypeIndex & 1) ||
	       !(gpu->memory.memoryTypes[info.memoryTypeIndex].propertyFlags &
		 VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
		info.memoryTypeIndex++;
	VkDeviceMemory m;
	VK_OK(vkAllocateMemory(gpu->device, &info, NULL, &m));
	return m;
}

static void set_name(VkBuffer b, const char *text)
{
	PFN_vkSetDebugUtilsObjectNameEXT set =
		(PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(
			gpu->instance, "vkSetDebugUtilsObjectNameEXT");
	const VkDebugUtilsObjectNameInfoEXT info = {
		VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, NULL, VK_OBJECT_TYPE_BUFFER,
		(uint64_t)(uintptr_t)b, text};
	VK_OK(set(gpu->device, &info));
}

static VkPipeline pipeline(VkPipelineLayout *out_layout)
{
	const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct places)};
	const VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range};
	VK_OK(vkCreatePipelineLayout(gpu->device, &layout, NULL, out_layout));
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0,
			  VK_SHADER_STAGE_COMPUTE_BIT, kit_load(gpu, "address"), "main", NULL},
		.layout = *out_layout,
	};
	VkPipeline p;
	VK_OK(vkCreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &p));
	return p;
}

/* Two buffers in one memory, the second right after the first as far as the driver allows. */
static void by_address(void)
{
	VkMemoryRequirements need, need_to;
	VkPipelineLayout layout;
	VkPipeline p = pipeline(&layout);
	VkBuffer from = buffer(N * 4), to = buffer(TO * 4), last = buffer(N * 4);
	uint64_t at = place_after(from, 0, &need);
	uint64_t at_to = place_after(to, at + need.size, &need_to);
	uint64_t at_last = place_after(last, at_to + need_to.size, &need);
	VkDeviceMemory m = memory(at_last + need.size, need.memoryTypeBits);
	uint32_t *map;
	VK_OK(vkBindBufferMemory(gpu->device, from, m, at));
	VK_OK(vkBindBufferMemory(gpu->device, to, m, at_to));
	VK_OK(vkBindBufferMemory(gpu->device, last, m, at_last));
	set_name(to, "results");
	VK_OK(vkMapMemory(gpu->device, m, 0, VK_WHOLE_SIZE, 0, (void **)&map));
	for (uint32_t i = 0; i < N; i++)
		map[at / 4 + i] = i;
	struct places places = {address(from), address(to), is("past_wrong") ? N : TO};
	uint64_t sum = 0;
	VkCommandBuffer cmd = kit_begin(gpu, GPU_COMPUTE);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, p);
	vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(places), &places);
	vkCmdDispatch(cmd, N / 64, 1, 1);
	if (is("freed_wrong") || is("reused_right"))
		vkDestroyBuffer(gpu->device, to, NULL);
	if (is("reused_right")) {
		VkBuffer other = buffer(TO * 4);
		VK_OK(vkBindBufferMemory(gpu->device, other, m, at_to));
		assert_true(address(other) == places.to);
	}
	if (is("gone_wrong"))
		vkFreeMemory(gpu->device, m, NULL);
	kit_finish(gpu, GPU_COMPUTE, cmd);
	for (uint32_t i = 0; !is("gone_wrong") && i < TO; i++)
		sum += map[at_to / 4 + i];
	printf("sum %llu\n", (unsigned long long)sum);
}

static void run(void **state)
{
	unsigned i = 0;
	gpu = kit_open();
	while (i < sizeof(pairs) / sizeof(pairs[0]) && !is_pair(i))
		i++;
	if (i < sizeof(pairs) / sizeof(pairs[0]))
		pair(i);
	else if (!strncmp(what, "queues_", strlen("queues_")))
		queues();
	else if (strstr("past_wrong past_right freed_wrong reused_right gone_wrong", what))
		by_address();
	else if (is("filled"))
		filled();
	else if (strstr(what, "filled_") || strstr(what, "copied_"))
		transfers();
	else
		chain();
	fflush(stdout);
	gpu_close(gpu);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(run)};
	what = argc > 1 ? argv[1] : "";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
