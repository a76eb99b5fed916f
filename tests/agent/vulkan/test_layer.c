/* SPDX-License-Identifier: MIT */
/* The layer between a program and a driver, both played here: what the program calls its compute
 * shaders is known when the driver's packets are looked at. Shaders without pipelines
 * (VK_EXT_shader_object), descriptors that are pushed; pipelines are seen in tests/vulkan. */
#include "agent/vulkan/vk_layer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>

#include "../../suite.h"
#include "agent/agent.h"
#include "agent/memory/largest_map.h"
#include "agent/names/names.h"
#include "agent/names/names_priv.h"
#include "agent/program.h"
#include "agent/shaders/shaders.h"
#include "base/util.h"

#define CODE_VA 0xffff800000012300ull
#define DRIVERS_VA 0xffff800000000100ull
#define MEMORY_VA 0xffff800100000000ull

/* main of GLCompute, LocalSize 8 4 1 (SPIR-V 1.0), and the beginning of what sha1sum says of it. */
static const uint32_t spirv[] = {0x07230203, 0x10000, 0,       10, 0,  0x5000f, 5, 1,
				 0x6e69616d, 0,	      0x60010, 1,  17, 8,	4, 1};
#define SPIRV_SHA1 0xf94830c9babcb932ull

void bw_agent_say(const char *text)
{
	fail_msg("it says \"%s\"", text);
}

/* No bounds are checked here, so nothing is declared. */
int bw_agent_own_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	fail_msg("it makes the call 0x%x", cmd);
	return -1;
}

void bw_agent_file_ref(struct bw_agent_file *f)
{
	fail_msg("it keeps a file");
}

void bw_agent_file_unref(struct bw_agent_file *f)
{
	fail_msg("it gives a file back");
}

void bw_agent_program(char out[BW_VGPU_PROGRAM_B])
{
	out[0] = 0;
}

/* ---- The driver ---- */

/* A shader object of RADV points to its shader, which knows where its code lies. */
static const uint64_t shader_in_driver[4] = {1, 2, CODE_VA, 3};
static uintptr_t object_in_driver[4];
static void *dispatch_table;
static struct {
	void *key;
} handles[4]; /* instance, device, command buffer, queue */
static unsigned n_binds, n_pushes, n_made;
static struct bw_agent_dispatches packets;
static struct bw_names_blob blob;

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
						      const VkAllocationCallbacks *alloc,
						      VkInstance *out)
{
	*out = (VkInstance)&handles[0];
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
						    const VkDeviceCreateInfo *info,
						    const VkAllocationCallbacks *alloc,
						    VkDevice *out)
{
	*out = (VkDevice)&handles[1];
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy(void *handle, const VkAllocationCallbacks *alloc)
{
}

static VKAPI_ATTR VkResult VKAPI_CALL create_shaders(VkDevice device, uint32_t n,
						     const VkShaderCreateInfoEXT *infos,
						     const VkAllocationCallbacks *alloc,
						     VkShaderEXT *out)
{
	object_in_driver[3] = (uintptr_t)shader_in_driver;
	for (uint32_t i = 0; i < n; i++)
		out[i] = (VkShaderEXT)(infos[i].stage == VK_SHADER_STAGE_COMPUTE_BIT
					       ? object_in_driver
					       : object_in_driver + 1);
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_shader(VkDevice device, VkShaderEXT shader,
						 const VkAllocationCallbacks *alloc)
{
}

static VKAPI_ATTR VkResult VKAPI_CALL begin(VkCommandBuffer cmd,
					    const VkCommandBufferBeginInfo *info)
{
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL bind(VkCommandBuffer cmd, uint32_t n,
				       const VkShaderStageFlagBits *stages,
				       const VkShaderEXT *shaders)
{
	n_binds++;
}

static VKAPI_ATTR void VKAPI_CALL push(VkCommandBuffer cmd, const VkPushConstantsInfo *info)
{
	n_pushes++;
}

static VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer cmd, uint32_t x, uint32_t y, uint32_t z)
{
}

static VKAPI_ATTR VkResult VKAPI_CALL make_set_layout(VkDevice device,
						      const VkDescriptorSetLayoutCreateInfo *info,
						      const VkAllocationCallbacks *alloc,
						      VkDescriptorSetLayout *out)
{
	*out = (VkDescriptorSetLayout)(uintptr_t)++n_made;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL make_layout(VkDevice device,
						  const VkPipelineLayoutCreateInfo *info,
						  const VkAllocationCallbacks *alloc,
						  VkPipelineLayout *out)
{
	*out = (VkPipelineLayout)(uintptr_t)++n_made;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
make_template(VkDevice device, const VkDescriptorUpdateTemplateCreateInfo *info,
	      const VkAllocationCallbacks *alloc, VkDescriptorUpdateTemplate *out)
{
	*out = (VkDescriptorUpdateTemplate)(uintptr_t)++n_made;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL free_commands(VkDevice device, VkCommandPool pool, uint32_t n,
						const VkCommandBuffer *cmds)
{
}

static VKAPI_ATTR void VKAPI_CALL drop_template(VkDevice device, VkDescriptorUpdateTemplate t,
						const VkAllocationCallbacks *alloc)
{
}

static VKAPI_ATTR VkResult VKAPI_CALL make_buffer(VkDevice device, const VkBufferCreateInfo *info,
						  const VkAllocationCallbacks *alloc, VkBuffer *out)
{
	*out = (VkBuffer)(uintptr_t)++n_made;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL make_memory(VkDevice device, const VkMemoryAllocateInfo *info,
						  const VkAllocationCallbacks *alloc,
						  VkDeviceMemory *out)
{
	*out = (VkDeviceMemory)(uintptr_t)++n_made;
	bw_largest_map_note(NULL, MEMORY_VA, 4096);
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_memory(VkDevice device, VkBuffer buffer,
						  VkDeviceMemory memory, VkDeviceSize offset)
{
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL push_set(VkCommandBuffer cmd, VkPipelineBindPoint point,
					   VkPipelineLayout layout, uint32_t set, uint32_t n,
					   const VkWriteDescriptorSet *writes)
{
	n_pushes++;
}

static VKAPI_ATTR void VKAPI_CALL push_set2(VkCommandBuffer cmd,
					    const VkPushDescriptorSetInfo *info)
{
	n_pushes++;
}

static VKAPI_ATTR void VKAPI_CALL push_template(VkCommandBuffer cmd, VkDescriptorUpdateTemplate t,
						VkPipelineLayout layout, uint32_t set,
						const void *data)
{
	n_pushes++;
}

static VKAPI_ATTR void VKAPI_CALL push_template2(VkCommandBuffer cmd,
						 const VkPushDescriptorSetWithTemplateInfo *info)
{
	n_pushes++;
}

/* What the submit ioctl in the middle of this call asks for: one packet of the driver's own, one of
 * the program's. */
static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t n, const VkSubmitInfo *infos,
					     VkFence fence)
{
	const struct bw_agent_dispatch own = {
		.code_va = DRIVERS_VA, .groups = {1, 1, 1}, .group_size = {64, 1, 1}};
	const struct bw_agent_dispatch programs = {
		.code_va = CODE_VA, .groups = {3, 2, 1}, .group_size = {8, 4, 1}};
	bw_error_free(bw_vec_push(&packets, own));
	bw_error_free(bw_vec_push(&packets, programs));
	struct bw_agent_dispatches draws = {0};
	bw_names_match(&packets, &draws, &blob);
	return VK_SUCCESS;
}

#define FN(f) (PFN_vkVoidFunction)(f)
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL next_proc(void *handle, const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction fn;
	} all[] = {
		{"vkCreateInstance", FN(create_instance)},
		{"vkDestroyInstance", FN(destroy)},
		{"vkCreateDevice", FN(create_device)},
		{"vkDestroyDevice", FN(destroy)},
		{"vkCreateShadersEXT", FN(create_shaders)},
		{"vkDestroyShaderEXT", FN(destroy_shader)},
		{"vkBeginCommandBuffer", FN(begin)},
		{"vkCmdBindShadersEXT", FN(bind)},
		{"vkCmdPushConstants2KHR", FN(push)},
		{"vkCreateDescriptorSetLayout", FN(make_set_layout)},
		{"vkCreatePipelineLayout", FN(make_layout)},
		{"vkCreateDescriptorUpdateTemplate", FN(make_template)},
		{"vkDestroyDescriptorUpdateTemplate", FN(drop_template)},
		{"vkCreateBuffer", FN(make_buffer)},
		{"vkAllocateMemory", FN(make_memory)},
		{"vkBindBufferMemory", FN(bind_memory)},
		{"vkCmdPushDescriptorSetKHR", FN(push_set)},
		{"vkCmdPushDescriptorSet2KHR", FN(push_set2)},
		{"vkCmdPushDescriptorSetWithTemplateKHR", FN(push_template)},
		{"vkCmdPushDescriptorSetWithTemplate2", FN(push_template2)},
		{"vkFreeCommandBuffers", FN(free_commands)},
		{"vkCmdDispatch", FN(dispatch)},
		{"vkQueueSubmit", FN(submit)},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(all); i++)
		if (!strcmp(all[i].name, name))
			return all[i].fn;
	return NULL;
}

/* ---- The program ---- */

static VkInstance instance;
static VkDevice device;
static VkNegotiateLayerInterface layer = {.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT,
					  .loaderLayerInterfaceVersion = 2};

VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *v);

static int set_up(void **state)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(handles); i++)
		handles[i].key = &dispatch_table;
	if (vkNegotiateLoaderLayerInterfaceVersion(&layer) != VK_SUCCESS)
		return -1;
	VkLayerInstanceLink instance_next = {.pfnNextGetInstanceProcAddr =
						     (PFN_vkGetInstanceProcAddr)next_proc};
	VkLayerInstanceCreateInfo instance_link = {
		.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
		.function = VK_LAYER_LINK_INFO,
		.u.pLayerInfo = &instance_next};
	const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
						    .pNext = &instance_link};
	PFN_vkCreateInstance make_instance =
		(PFN_vkCreateInstance)layer.pfnGetInstanceProcAddr(NULL, "vkCreateInstance");
	if (make_instance(&instance_info, NULL, &instance) != VK_SUCCESS)
		return -1;
	VkLayerDeviceLink device_next = {
		.pfnNextGetInstanceProcAddr = (PFN_vkGetInstanceProcAddr)next_proc,
		.pfnNextGetDeviceProcAddr = (PFN_vkGetDeviceProcAddr)next_proc};
	VkLayerDeviceCreateInfo device_link = {.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
					       .function = VK_LAYER_LINK_INFO,
					       .u.pLayerInfo = &device_next};
	const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
						.pNext = &device_link};
	PFN_vkCreateDevice make_device =
		(PFN_vkCreateDevice)layer.pfnGetInstanceProcAddr(instance, "vkCreateDevice");
	return make_device((VkPhysicalDevice)&handles[0], &device_info, NULL, &device) == VK_SUCCESS
		       ? 0
		       : -1;
}

static int tear_down(void **state)
{
	((PFN_vkDestroyDevice)layer.pfnGetDeviceProcAddr(device, "vkDestroyDevice"))(device, NULL);
	((PFN_vkDestroyInstance)layer.pfnGetInstanceProcAddr(instance, "vkDestroyInstance"))(
		instance, NULL);
	return 0;
}

#define CALL(name) ((PFN_##name)layer.pfnGetDeviceProcAddr(device, #name))

static void shader_objects(void **state)
{
	const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 24};
	const VkShaderCreateInfoEXT infos[2] = {
		{.stage = VK_SHADER_STAGE_FRAGMENT_BIT, .pName = "main"},
		{.stage = VK_SHADER_STAGE_COMPUTE_BIT,
		 .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
		 .codeSize = sizeof(spirv),
		 .pCode = spirv,
		 .pName = "main",
		 .pushConstantRangeCount = 1,
		 .pPushConstantRanges = &range}};
	VkShaderEXT shaders[2];
	assert_int_equal(CALL(vkCreateShadersEXT)(device, 2, infos, NULL, shaders), VK_SUCCESS);

	struct bw_agent_objects known = {0};
	assert_null(bw_names_objects(&known));
	assert_int_equal(known.len, 1);
	assert_int_equal(known.data[0].kind, BW_AGENT_OBJECT_PIPELINE);
	assert_int_equal(known.data[0].hash, SPIRV_SHA1);
	assert_int_equal(known.data[0].push_b, 24);
	assert_int_equal(known.data[0].dim[0], 8);
	assert_int_equal(known.data[0].dim[1], 4);
	assert_string_equal(known.data[0].entry, "main");
	uint32_t id = known.data[0].id;
	bw_vec_free(&known);

	VkCommandBuffer cmd = (VkCommandBuffer)&handles[2];
	const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
	const uint32_t values[3] = {7, 8, 9};
	const VkPushConstantsInfo pushed = {
		.stageFlags = stage, .offset = 12, .size = sizeof(values), .pValues = values};
	CALL(vkBeginCommandBuffer)(cmd, &(VkCommandBufferBeginInfo){0});
	CALL(vkCmdBindShadersEXT)(cmd, 1, &stage, &shaders[1]);
	((PFN_vkCmdPushConstants2)layer.pfnGetDeviceProcAddr(device, "vkCmdPushConstants2KHR"))(
		cmd, &pushed);
	CALL(vkCmdDispatch)(cmd, 3, 2, 1);
	assert_int_equal(n_binds, 1);
	assert_int_equal(n_pushes, 1);
	const VkSubmitInfo info = {.commandBufferCount = 1, .pCommandBuffers = &cmd};
	assert_int_equal(CALL(vkQueueSubmit)((VkQueue)&handles[3], 1, &info, VK_NULL_HANDLE),
			 VK_SUCCESS);

	assert_int_equal(packets.len, 2);
	assert_int_equal(packets.data[0].pipeline, 0);
	assert_int_equal(packets.data[1].pipeline, id);
	assert_int_equal(packets.data[1].push_b, 24);
	assert_memory_equal(blob.data + packets.data[1].push_at + 12, values, sizeof(values));
	bw_vec_free(&packets);
	bw_vec_free(&blob);

	CALL(vkDestroyShaderEXT)(device, shaders[1], NULL);
	assert_null(bw_names_objects(&known));
	assert_int_equal(known.len, 0);
	bw_vec_free(&known);
	/* What the driver does not have is not made to appear. */
	assert_null(layer.pfnGetDeviceProcAddr(device, "vkCreateComputePipelines"));
}

/* A layout of one set with so many storage buffers. */
static VkPipelineLayout layout_of(uint32_t n)
{
	VkDescriptorSetLayoutBinding bindings[4] = {0};
	for (uint32_t i = 0; i < n; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){
			.binding = n - 1 - i,
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.descriptorCount = 1};
	const VkDescriptorSetLayoutCreateInfo set_info = {.bindingCount = n, .pBindings = bindings};
	VkDescriptorSetLayout set;
	VkPipelineLayout layout;
	assert_int_equal(CALL(vkCreateDescriptorSetLayout)(device, &set_info, NULL, &set),
			 VK_SUCCESS);
	const VkPipelineLayoutCreateInfo info = {.setLayoutCount = 1, .pSetLayouts = &set};
	assert_int_equal(CALL(vkCreatePipelineLayout)(device, &info, NULL, &layout), VK_SUCCESS);
	return layout;
}

/* What the program's packet was given, as "SET.BINDING OFFSET+SIZE ...". */
static const char *bound_to_packet(VkCommandBuffer cmd, char *out, size_t room)
{
	CALL(vkCmdDispatch)(cmd, 3, 2, 1);
	const VkSubmitInfo info = {.commandBufferCount = 1, .pCommandBuffers = &cmd};
	assert_int_equal(CALL(vkQueueSubmit)((VkQueue)&handles[3], 1, &info, VK_NULL_HANDLE),
			 VK_SUCCESS);
	const struct bw_agent_dispatch *d = &packets.data[packets.len - 1];
	size_t at = 0;
	out[0] = 0;
	for (uint32_t i = 0; i < d->n_bindings; i++) {
		struct bw_agent_binding b;
		memcpy(&b, blob.data + d->bindings_at + i * sizeof(b), sizeof(b));
		assert_int_equal(b.type, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
		at += (size_t)snprintf(out + at, room - at, "%s%u.%u %u+%u", i ? ", " : "", b.set,
				       b.binding, (unsigned)(b.va - MEMORY_VA), (unsigned)b.size_b);
	}
	bw_vec_free(&packets);
	bw_vec_free(&blob);
	return out;
}

static VkShaderEXT make_shader(void)
{
	const VkShaderCreateInfoEXT info = {.stage = VK_SHADER_STAGE_COMPUTE_BIT,
					    .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
					    .codeSize = sizeof(spirv),
					    .pCode = spirv,
					    .pName = "main"};
	VkShaderEXT shader;
	assert_int_equal(CALL(vkCreateShadersEXT)(device, 1, &info, NULL, &shader), VK_SUCCESS);
	return shader;
}

static void begin_anew(VkCommandBuffer cmd, VkShaderEXT shader)
{
	const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
	CALL(vkBeginCommandBuffer)(cmd, &(VkCommandBufferBeginInfo){0});
	CALL(vkCmdBindShadersEXT)(cmd, 1, &stage, &shader);
}

static void pushed_descriptors(void **state)
{
	static const VkBufferCreateInfo buffer_info = {.size = 1024};
	VkBuffer buffer;
	VkDeviceMemory memory;
	assert_int_equal(CALL(vkCreateBuffer)(device, &buffer_info, NULL, &buffer), VK_SUCCESS);
	assert_int_equal(CALL(vkAllocateMemory)(device, &(VkMemoryAllocateInfo){0}, NULL, &memory),
			 VK_SUCCESS);
	CALL(vkBindBufferMemory)(device, buffer, memory, 256);
	VkPipelineLayout two = layout_of(2), same = layout_of(2), three = layout_of(3);
	const VkDescriptorUpdateTemplateEntry entry = {.dstBinding = 1,
						       .descriptorCount = 1,
						       .descriptorType =
							       VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
						       .offset = sizeof(uint64_t)};
	const VkDescriptorUpdateTemplateCreateInfo template_info = {
		.descriptorUpdateEntryCount = 1,
		.pDescriptorUpdateEntries = &entry,
		.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE};
	VkDescriptorUpdateTemplate template;
	assert_int_equal(
		CALL(vkCreateDescriptorUpdateTemplate)(device, &template_info, NULL, &template),
		VK_SUCCESS);
	const VkDescriptorBufferInfo whole = {buffer, 0, VK_WHOLE_SIZE};
	const struct {
		uint64_t before;
		VkDescriptorBufferInfo part;
	} data = {1, {buffer, 128, 64}}, others = {1, {buffer, 192, 4}};
	VkWriteDescriptorSet write = {.descriptorCount = 1,
				      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
				      .pBufferInfo = &whole};
	VkCommandBuffer cmd = (VkCommandBuffer)&handles[2];
	char text[256];
	n_pushes = 0;
	VkShaderEXT shader = make_shader();

	begin_anew(cmd, shader);
	CALL(vkCmdPushDescriptorSetKHR)(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, two, 0, 1, &write);
	CALL(vkCmdPushDescriptorSetKHR)(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, two, 1, 1, &write);
	assert_string_equal(bound_to_packet(cmd, text, sizeof(text)), "0.0 256+1024");

	/* What was pushed before stays, for a layout that is the same. */
	begin_anew(cmd, shader);
	CALL(vkCmdPushDescriptorSetKHR)(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, two, 0, 1, &write);
	CALL(vkCmdPushDescriptorSetWithTemplateKHR)(cmd, template, same, 0, &data);
	assert_string_equal(bound_to_packet(cmd, text, sizeof(text)), "0.0 256+1024, 0.1 384+64");

	/* A new recording starts with nothing; with another layout, too. */
	begin_anew(cmd, shader);
	assert_string_equal(bound_to_packet(cmd, text, sizeof(text)), "");
	begin_anew(cmd, shader);
	CALL(vkCmdPushDescriptorSetKHR)(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, two, 0, 1, &write);
	const VkPushDescriptorSetWithTemplateInfo by_template = {
		.descriptorUpdateTemplate = template, .layout = three, .pData = &others};
	CALL(vkCmdPushDescriptorSetWithTemplate2)(cmd, &by_template);
	assert_string_equal(bound_to_packet(cmd, text, sizeof(text)), "0.1 448+4");

	begin_anew(cmd, shader);
	write.dstBinding = 2;
	VkPushDescriptorSetInfo info = {.stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT,
					.layout = three,
					.descriptorWriteCount = 1,
					.pDescriptorWrites = &write};
	PFN_vkCmdPushDescriptorSet2 push2 = (PFN_vkCmdPushDescriptorSet2)layer.pfnGetDeviceProcAddr(
		device, "vkCmdPushDescriptorSet2KHR");
	push2(cmd, &info);
	info.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
	info.set = 3;
	push2(cmd, &info);
	assert_string_equal(bound_to_packet(cmd, text, sizeof(text)), "3.2 256+1024");
	assert_int_equal(n_pushes, 8);

	CALL(vkDestroyDescriptorUpdateTemplate)(device, template, NULL);
	CALL(vkDestroyShaderEXT)(device, shader, NULL);
	CALL(vkFreeCommandBuffers)(device, VK_NULL_HANDLE, 1, &cmd);
}

/* ---- Tables of lines in the driver's memory ---- */

/* As the driver lays it out (doc/hardware/mesa.md 5). */
struct driver_record {
	uint64_t kind;
	const void *file;
	uint32_t line, column, spirv_offset, pad, offset, pad2;
};

/* What is known of a pipeline that points to the driver's two objects: "line@offset file, ...". */
static const char *lines_of(const void *pipeline, uint64_t code_va, char *out, size_t room)
{
	static uint64_t number = 0x9000;
	const struct bw_agent_object o = {.kind = BW_AGENT_OBJECT_PIPELINE, .handle = ++number};
	struct bw_names_blob answer = {0};
	struct bw_agent_shader_info head;
	size_t n = 0;
	uint32_t id = bw_names_add(&o);
	bw_names_place(o.kind, o.handle, code_va, 0);
	bw_shaders_add(id, (uint64_t)(uintptr_t)pipeline, NULL, NULL, 0);
	assert_int_equal(bw_shaders_describe(id, &answer), 0);
	memcpy(&head, answer.data, sizeof(head));
	const uint8_t *at = answer.data + sizeof(head);
	const char *files = (const char *)at + head.n_lines * sizeof(struct bw_agent_line);
	out[0] = 0;
	for (uint32_t i = 0; i < head.n_lines; i++) {
		struct bw_agent_line l;
		memcpy(&l, at + i * sizeof(l), sizeof(l));
		n += (size_t)snprintf(out + n, room - n, "%s%u@%u %s", i ? ", " : "", l.line,
				      l.offset_b,
				      l.file_at < head.files_b ? files + l.file_at : "-");
	}
	bw_vec_free(&answer);
	bw_shaders_remove((uint64_t)(uintptr_t)pipeline);
	bw_names_remove(o.kind, o.handle);
	return out;
}

static void tables_of_lines(void **state)
{
	/* pointers among zeros, with a count in front of them: a list of the driver's */
	static const uint64_t pointer[2] = {0x563e2f50b7f0, 0};
	static const struct driver_record no_table[1] = {
		{.file = pointer, .line = 0x2f669e38, .column = 0x563e}};
	static const struct driver_record name_is_pointer[1] = {{.file = pointer, .line = 12}};
	static const char name[] = "s\303\251.comp", latin[] = "s\351.comp";
	static const struct driver_record table[2] = {{.file = name, .line = 7},
						      {.file = name, .line = 9, .offset = 16}};
	static const struct driver_record is_latin[1] = {{.file = latin, .line = 7}};
	/* its name has been freed since */
	static const struct driver_record older[2] = {
		{.file = pointer, .line = 30, .offset = 0xfffffffc},
		{.file = pointer, .line = 31, .offset = 4}};
	char text[256];
	struct object {
		const void *table;
		uint64_t n, code_va, rest[1024];
	};
	static struct object other = {table, 2, DRIVERS_VA, {0}}, shader = {table, 2, CODE_VA, {0}};
	static const void *pipeline[256] = {NULL, &other, &shader};

	assert_string_equal(lines_of(pipeline, CODE_VA, text, sizeof(text)),
			    "7@0 s\303\251.comp, 9@16 s\303\251.comp");
	shader.table = older;
	assert_string_equal(lines_of(pipeline, CODE_VA, text, sizeof(text)),
			    "30@4294967292 , 31@4 ");
	/* from a cache: the shader has no table, and what else there is is none */
	shader.n = 0;
	assert_string_equal(lines_of(pipeline, CODE_VA, text, sizeof(text)), "");
	assert_string_equal(lines_of(pipeline, 0, text, sizeof(text)), "");
	shader.n = 1;
	shader.table = no_table;
	assert_string_equal(lines_of(pipeline, CODE_VA, text, sizeof(text)), "");
	shader.table = name_is_pointer;
	assert_string_equal(lines_of(pipeline, CODE_VA, text, sizeof(text)), "");
	shader.table = is_latin;
	assert_string_equal(lines_of(pipeline, CODE_VA, text, sizeof(text)), "");
}

TESTS(tables_of_lines);
TESTS_EACH(set_up, tear_down, shader_objects, pushed_descriptors);
