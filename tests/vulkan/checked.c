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

static void run(void **state)
{
	gpu = kit_open();
	if (is("filled"))
		filled();
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
