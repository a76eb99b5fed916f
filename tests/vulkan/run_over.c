/* SPDX-License-Identifier: MIT */
/* A program whose descriptors are written by one write that runs over from binding 0 into all that
 * follow it ("consecutive binding updates" of the Vulkan specification, 14.2): run_over.comp over
 * four buffers, of which number k holds k + 1 in each element. How they are written is the
 * argument: "write", "copy", "template", "push", "push-template". Dispatched twice, one after the
 * other. Prints the last buffer's first and last number. */
#include "kit.h"

#include <stdio.h>
#include <string.h>

enum { N = 64, N_BUFFERS = 4 };

static struct gpu *gpu;
static VkDescriptorSetLayout set_layout;
static VkPipelineLayout layout;
static VkDescriptorBufferInfo whole[N_BUFFERS];
static const char *how;

static bool is(const char *word)
{
	return !strcmp(how, word);
}

/* Not in the order of their numbers, and one without descriptors. */
static const VkDescriptorSetLayoutBinding bindings[] = {
	{3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
	{1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
	{2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
	{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
};

static VkPipeline make_pipeline(bool pushes)
{
	const VkDescriptorSetLayoutCreateInfo set_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.flags = pushes ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0,
		.bindingCount = 4,
		.pBindings = bindings};
	VK_OK(vkCreateDescriptorSetLayout(gpu->device, &set_info, NULL, &set_layout));
	const VkPipelineLayoutCreateInfo layout_info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &set_layout};
	VK_OK(vkCreatePipelineLayout(gpu->device, &layout_info, NULL, &layout));
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .module = kit_load(gpu, "run_over"),
			  .pName = "main"},
		.layout = layout};
	VkPipeline pipeline;
	VK_OK(vkCreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
	return pipeline;
}

static VkWriteDescriptorSet one_write(VkDescriptorSet set)
{
	return (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
				      .dstSet = set,
				      .descriptorCount = N_BUFFERS,
				      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
				      .pBufferInfo = whole};
}

static VkDescriptorUpdateTemplate one_entry(bool pushes)
{
	const VkDescriptorUpdateTemplateEntry entry = {.descriptorCount = N_BUFFERS,
						       .descriptorType =
							       VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
						       .stride = sizeof(*whole)};
	const VkDescriptorUpdateTemplateCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
		.descriptorUpdateEntryCount = 1,
		.pDescriptorUpdateEntries = &entry,
		.templateType = pushes ? VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR
				       : VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
		.descriptorSetLayout = set_layout,
		.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
		.pipelineLayout = layout};
	VkDescriptorUpdateTemplate template;
	VK_OK(vkCreateDescriptorUpdateTemplate(gpu->device, &info, NULL, &template));
	return template;
}

static VkDescriptorSet make_set(VkDescriptorPool pool)
{
	const VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &set_layout};
	VkDescriptorSet set;
	VK_OK(vkAllocateDescriptorSets(gpu->device, &info, &set));
	return set;
}

static void bind_set(VkCommandBuffer cmd)
{
	const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 * N_BUFFERS};
	const VkDescriptorPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 2,
		.poolSizeCount = 1,
		.pPoolSizes = &size};
	VkDescriptorPool pool;
	VK_OK(vkCreateDescriptorPool(gpu->device, &info, NULL, &pool));
	VkDescriptorSet set = make_set(pool), source = is("copy") ? make_set(pool) : set;
	const VkWriteDescriptorSet write = one_write(source);
	const VkCopyDescriptorSet copy = {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
					  .srcSet = source,
					  .dstSet = set,
					  .descriptorCount = N_BUFFERS};
	if (is("template"))
		vkUpdateDescriptorSetWithTemplate(gpu->device, set, one_entry(false), whole);
	else
		vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
	if (is("copy"))
		vkUpdateDescriptorSets(gpu->device, 0, NULL, 1, &copy);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
}

static void push_set(VkCommandBuffer cmd)
{
	KIT_ENTRY(gpu, vkCmdPushDescriptorSetKHR);
	KIT_ENTRY(gpu, vkCmdPushDescriptorSetWithTemplateKHR);
	const VkWriteDescriptorSet write = one_write(VK_NULL_HANDLE);
	if (is("push"))
		vkCmdPushDescriptorSetKHR(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1,
					  &write);
	else
		vkCmdPushDescriptorSetWithTemplateKHR(cmd, one_entry(true), layout, 0, whole);
}

static void run(void **state)
{
	struct kit_buffer b[N_BUFFERS];
	bool pushes = is("push") || is("push-template");
	gpu = kit_open();
	for (int k = 0; k < N_BUFFERS; k++) {
		b[k] = kit_buffer(gpu, N);
		whole[k] = (VkDescriptorBufferInfo){b[k].buffer, 0, VK_WHOLE_SIZE};
		for (int i = 0; i < N; i++)
			((float *)b[k].map)[i] = (float)(k + 1);
	}
	VkPipeline pipeline = make_pipeline(pushes);
	VkCommandBuffer cmd = kit_begin(gpu, GPU_COMPUTE);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	if (pushes)
		push_set(cmd);
	else
		bind_set(cmd);
	vkCmdDispatch(cmd, 1, 1, 1);
	gpu_barrier(cmd);
	vkCmdDispatch(cmd, 1, 1, 1);
	kit_finish(gpu, GPU_COMPUTE, cmd);
	const float *last = (const float *)b[N_BUFFERS - 1].map;
	printf("last %g %g\n", last[0], last[N - 1]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(run)};
	if (argc != 2)
		return 2;
	how = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
