/* SPDX-License-Identifier: MIT */
/* A program with names for test_dispatch.py to see: six dispatches of two pipelines in two
 * submissions, in a labelled pass, over a buffer called "numbers". Says "sum N" of what came out.
 * ROUNDS=N in the environment: so many submissions, each when a line comes on standard input, and
 * "round I" said after it. LABEL: what the inner pass is called. SPIN: before all of that a
 * dispatch runs from "spinning" on until a line comes. PUSH: the buffer is bound by push
 * descriptors, "writes" or "template". */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 256 };
struct push {
	uint32_t mul, add, n;
};

static struct gpu *gpu;
static PFN_vkSetDebugUtilsObjectNameEXT set_name;
static PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
static PFN_vkCmdEndDebugUtilsLabelEXT end_label;

static void name(VkObjectType type, uint64_t handle, const char *text)
{
	VkDebugUtilsObjectNameInfoEXT info = {VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
					      NULL, type, handle, text};
	VK_OK(set_name(gpu->device, &info));
}

static void label(VkCommandBuffer cmd, const char *text)
{
	VkDebugUtilsLabelEXT info = {VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, NULL, text, {0}};
	begin_label(cmd, &info);
}

static void step(VkCommandBuffer cmd, const struct kit_shader *s, VkDescriptorSet set, uint32_t mul,
		 uint32_t add, uint32_t groups)
{
	struct push push = {mul, add, N};
	kit_dispatch(cmd, s, set, &push, groups);
	gpu_barrier(cmd);
}

static VkDescriptorUpdateTemplate template_of(const struct kit_shader *s)
{
	const VkDescriptorUpdateTemplateEntry entry = {
		.descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
	const VkDescriptorUpdateTemplateCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
		.descriptorUpdateEntryCount = 1,
		.pDescriptorUpdateEntries = &entry,
		.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
		.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
		.pipelineLayout = s->layout,
	};
	VkDescriptorUpdateTemplate template;
	VK_OK(vkCreateDescriptorUpdateTemplate(gpu->device, &info, NULL, &template));
	return template;
}

static void push_buffer(VkCommandBuffer cmd, const struct kit_shader *s,
			VkDescriptorUpdateTemplate template, VkBuffer buffer)
{
	KIT_ENTRY(gpu, vkCmdPushDescriptorSetKHR);
	KIT_ENTRY(gpu, vkCmdPushDescriptorSetWithTemplateKHR);
	const VkDescriptorBufferInfo whole = {buffer, 0, VK_WHOLE_SIZE};
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.pBufferInfo = &whole,
	};
	if (template)
		vkCmdPushDescriptorSetWithTemplateKHR(cmd, template, s->layout, 0, &whole);
	else
		vkCmdPushDescriptorSetKHR(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, s->layout, 0, 1,
					  &write);
}

static void spin(void)
{
	char line[16];
	struct kit_buffer b = kit_buffer(gpu, 2);
	struct kit_shader s = kit_shader(gpu, "spin", 0);
	name(VK_OBJECT_TYPE_PIPELINE, (uint64_t)(uintptr_t)s.pipeline, "endless loop");
	VkCommandBuffer cmd = kit_begin(gpu, GPU_COMPUTE);
	label(cmd, "waits/for ever");
	kit_dispatch(cmd, &s, kit_set(gpu, &s, b.buffer), NULL, 1);
	end_label(cmd);
	VK_OK(vkEndCommandBuffer(cmd));
	VK_OK(kit_submit(gpu, GPU_COMPUTE, cmd, NULL, NULL, VK_NULL_HANDLE));
	printf("spinning\n");
	fflush(stdout);
	assert_non_null(fgets(line, sizeof(line), stdin));
	*(volatile uint32_t *)b.map = 1;
	VK_OK(vkDeviceWaitIdle(gpu->device));
	kit_shader_free(gpu, &s);
	kit_buffer_free(gpu, &b);
}

static void run(void **state)
{
	gpu = kit_open();
	set_name = (PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(
		gpu->instance, "vkSetDebugUtilsObjectNameEXT");
	begin_label = (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetInstanceProcAddr(
		gpu->instance, "vkCmdBeginDebugUtilsLabelEXT");
	end_label = (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetInstanceProcAddr(
		gpu->instance, "vkCmdEndDebugUtilsLabelEXT");
	assert_true(set_name && begin_label && end_label);
	if (getenv("SPIN"))
		spin();
	struct kit_buffer b = kit_buffer(gpu, N);
	const char *pushed = getenv("PUSH");
	struct kit_shader (*make)(struct gpu *, const char *, uint32_t) =
		pushed ? kit_shader_pushed : kit_shader;
	struct kit_shader first = make(gpu, "step", sizeof(struct push));
	struct kit_shader second = make(gpu, "step", sizeof(struct push));
	VkDescriptorSet set = pushed ? VK_NULL_HANDLE : kit_set(gpu, &first, b.buffer);
	VkDescriptorUpdateTemplate template =
		pushed && !strcmp(pushed, "template") ? template_of(&first) : VK_NULL_HANDLE;
	struct kit_buffer other = kit_buffer(gpu, N);
	name(VK_OBJECT_TYPE_BUFFER, (uint64_t)(uintptr_t)b.buffer, "numbers");
	name(VK_OBJECT_TYPE_PIPELINE, (uint64_t)(uintptr_t)first.pipeline, "first step");
	name(VK_OBJECT_TYPE_PIPELINE, (uint64_t)(uintptr_t)second.pipeline, "second step");

	const char *given = getenv("ROUNDS");
	int rounds = given ? atoi(given) : 2;
	char line[16];
	for (int i = 0; i < rounds; i++) {
		if (given && !fgets(line, sizeof(line), stdin))
			break;
		VkCommandBuffer cmd = kit_begin(gpu, GPU_COMPUTE);
		label(cmd, i ? "later" : "sooner");
		if (pushed)
			push_buffer(cmd, &first, template, b.buffer);
		step(cmd, &first, set, 3, 1, N / 64);
		label(cmd, getenv("LABEL") ? getenv("LABEL") : "inner");
		step(cmd, &second, set, 5, 2, N / 64);
		end_label(cmd);
		step(cmd, &first, set, 7, 3, 1);
		end_label(cmd);
		if (pushed) /* for no dispatch */
			push_buffer(cmd, &first, template, other.buffer);
		kit_finish(gpu, GPU_COMPUTE, cmd);
		if (given)
			printf("round %d\n", i);
		fflush(stdout);
	}
	uint64_t sum = 0;
	for (uint32_t i = 0; i < N; i++)
		sum += b.map[i];
	printf("sum %llu\n", (unsigned long long)sum);
	vkDestroyDescriptorUpdateTemplate(gpu->device, template, NULL);
	kit_shader_free(gpu, &second);
	kit_shader_free(gpu, &first);
	kit_buffer_free(gpu, &other);
	kit_buffer_free(gpu, &b);
	gpu_close(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(run)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
