/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_VULKAN_VK_LAYER_H
#define BW_AGENT_VULKAN_VK_LAYER_H

/* The agent as a Vulkan layer, VK_LAYER_BREAKWATER_agent: it changes nothing, and notes what
 * objects and commands are called (names_priv.h). `breakwater run -- PROGRAM` asks the loader for
 * it by VK_INSTANCE_LAYERS; a loader that does not know the variable, or a program that talks to a
 * driver directly, goes without names. */

#include <vulkan/vulkan.h>

#include "agent/vulkan/vk_newer.h"

/* Device functions looked at here, each with the way on to the next layer or the driver. Those that
 * became core later are found under either name. */
#define BW_VK_FUNCTIONS(X)                                                                         \
	X(AllocateMemory, NULL)                                                                    \
	X(FreeMemory, NULL)                                                                        \
	X(CreateBuffer, NULL)                                                                      \
	X(DestroyBuffer, NULL)                                                                     \
	X(BindBufferMemory, NULL)                                                                  \
	X(GetBufferMemoryRequirements, NULL)                                                       \
	X(GetBufferMemoryRequirements2, "vkGetBufferMemoryRequirements2KHR")                       \
	X(GetDeviceBufferMemoryRequirements, "vkGetDeviceBufferMemoryRequirementsKHR")             \
	X(BindBufferMemory2, "vkBindBufferMemory2KHR")                                             \
	X(CreateImage, NULL)                                                                       \
	X(DestroyImage, NULL)                                                                      \
	X(BindImageMemory, NULL)                                                                   \
	X(BindImageMemory2, "vkBindImageMemory2KHR")                                               \
	X(CreateShaderModule, NULL)                                                                \
	X(DestroyShaderModule, NULL)                                                               \
	X(CreateDescriptorSetLayout, NULL)                                                         \
	X(AllocateDescriptorSets, NULL)                                                            \
	X(FreeDescriptorSets, NULL)                                                                \
	X(UpdateDescriptorSets, NULL)                                                              \
	X(CreateDescriptorUpdateTemplate, "vkCreateDescriptorUpdateTemplateKHR")                   \
	X(DestroyDescriptorUpdateTemplate, "vkDestroyDescriptorUpdateTemplateKHR")                 \
	X(UpdateDescriptorSetWithTemplate, "vkUpdateDescriptorSetWithTemplateKHR")                 \
	X(CmdBindDescriptorSets, NULL)                                                             \
	X(CmdBindDescriptorSets2, "vkCmdBindDescriptorSets2KHR")                                   \
	X(CmdPushDescriptorSetKHR, "vkCmdPushDescriptorSet")                                       \
	X(CmdPushDescriptorSet2, "vkCmdPushDescriptorSet2KHR")                                     \
	X(CmdPushDescriptorSetWithTemplateKHR, "vkCmdPushDescriptorSetWithTemplate")               \
	X(CmdPushDescriptorSetWithTemplate2, "vkCmdPushDescriptorSetWithTemplate2KHR")             \
	X(CmdBindDescriptorBuffersEXT, NULL)                                                       \
	X(CmdSetDescriptorBufferOffsetsEXT, NULL)                                                  \
	X(CmdSetDescriptorBufferOffsets2EXT, NULL)                                                 \
	X(CreatePipelineLayout, NULL)                                                              \
	X(DestroyPipelineLayout, NULL)                                                             \
	X(CreateComputePipelines, NULL)                                                            \
	X(CreateGraphicsPipelines, NULL)                                                           \
	X(DestroyPipeline, NULL)                                                                   \
	X(CreateShadersEXT, NULL)                                                                  \
	X(DestroyShaderEXT, NULL)                                                                  \
	X(BeginCommandBuffer, NULL)                                                                \
	X(FreeCommandBuffers, NULL)                                                                \
	X(CmdBindPipeline, NULL)                                                                   \
	X(CmdBindShadersEXT, NULL)                                                                 \
	X(CmdDispatch, NULL)                                                                       \
	X(CmdDispatchBase, "vkCmdDispatchBaseKHR")                                                 \
	X(CmdDispatchIndirect, NULL)                                                               \
	X(CmdDraw, NULL)                                                                           \
	X(CmdDrawIndexed, NULL)                                                                    \
	X(CmdDrawIndirect, NULL)                                                                   \
	X(CmdDrawIndexedIndirect, NULL)                                                            \
	X(CmdDrawIndirectCount, "vkCmdDrawIndirectCountKHR")                                       \
	X(CmdDrawIndexedIndirectCount, "vkCmdDrawIndexedIndirectCountKHR")                         \
	X(CmdDrawIndirectByteCountEXT, NULL)                                                       \
	X(CmdDrawMeshTasksEXT, NULL)                                                               \
	X(CmdDrawMeshTasksIndirectEXT, NULL)                                                       \
	X(CmdDrawMeshTasksIndirectCountEXT, NULL)                                                  \
	X(CmdPushConstants, NULL)                                                                  \
	X(CmdPushConstants2, "vkCmdPushConstants2KHR")                                             \
	X(CmdExecuteCommands, NULL)                                                                \
	X(CmdBeginDebugUtilsLabelEXT, NULL)                                                        \
	X(CmdEndDebugUtilsLabelEXT, NULL)                                                          \
	X(CmdInsertDebugUtilsLabelEXT, NULL)                                                       \
	X(QueueBeginDebugUtilsLabelEXT, NULL)                                                      \
	X(QueueEndDebugUtilsLabelEXT, NULL)                                                        \
	X(SetDebugUtilsObjectNameEXT, NULL)                                                        \
	X(QueueSubmit, NULL)                                                                       \
	X(QueueSubmit2, "vkQueueSubmit2KHR")                                                       \
	X(QueuePresentKHR, NULL)

#define BW_VK_MEMBER(name, other) PFN_vk##name name;
struct bw_vk_device {
	void *key; /* the loader's dispatch table: the same for all handles of a device */
	VkDevice handle;
	uint32_t robustness; /* BW_CAPTURE_ROBUST_* */
	PFN_vkGetDeviceProcAddr get;
	PFN_vkDestroyDevice DestroyDevice;
	PFN_vkGetImageMemoryRequirements GetImageMemoryRequirements;
	PFN_vkGetBufferDeviceAddress GetBufferDeviceAddress;
	PFN_vkGetDescriptorSetLayoutBindingOffsetEXT GetDescriptorSetLayoutBindingOffsetEXT;
	BW_VK_FUNCTIONS(BW_VK_MEMBER)
};
#undef BW_VK_MEMBER

/* Ours of each, by the same name: in vk_calls.c, vk_descriptors.c, vk_shaders.c. */
#define BW_VK_OURS(name, other) __typeof__(*(PFN_vk##name)NULL) bw_##name;
BW_VK_FUNCTIONS(BW_VK_OURS)
#undef BW_VK_OURS

/* vk_descriptors.c: a layout was made. */
void bw_vk_note_set_layout(VkDevice device, VkDescriptorSetLayout layout,
			   const VkDescriptorSetLayoutCreateInfo *info);
/* The places of a set's buffers in a descriptor buffer; kept for ever, equal ones once. NULL: the
 * layout is for descriptor sets, or not known. */
struct bw_vk_places;
const struct bw_vk_places *bw_vk_set_layout_places(VkDescriptorSetLayout layout);
/* NULL: not known. */
struct bw_bindings;
const struct bw_bindings *bw_vk_set_layout_bindings(VkDescriptorSetLayout layout);
/* Equal for layouts that are the same; 0: not known. */
uint64_t bw_vk_set_layout_hash(VkDescriptorSetLayout layout);

/* vk_shaders.c: bw_vk_set_layout_hash of that set of a pipeline layout. */
uint64_t bw_vk_layout_set(VkPipelineLayout layout, uint32_t set);
/* bw_vk_set_layout_places of that set of a pipeline layout. */
const struct bw_vk_places *bw_vk_layout_places(VkPipelineLayout layout, uint32_t set);
/* bw_vk_set_layout_bindings of that set of a pipeline layout. */
const struct bw_bindings *bw_vk_layout_bindings(VkPipelineLayout layout, uint32_t set);

/* vk_shaders.c: the program has named a pipeline. */
void bw_vk_name_pipeline(VkDevice device, uint64_t handle, const char *name);

/* A handle that is not a pointer is a number on every platform. */
#define BW_VK_HANDLE(h) ((uint64_t)(uintptr_t)(h))

/* The device of a handle that the loader dispatches (device, queue, command buffer). Never NULL for
 * handles of a program that uses the API as it must. */
const struct bw_vk_device *bw_vk_device_of(const void *handle);
/* Ours of a device function, NULL for others. */
PFN_vkVoidFunction bw_vk_hook(const char *name);

#endif
