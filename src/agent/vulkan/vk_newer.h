/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_VULKAN_VK_NEWER_H
#define BW_AGENT_VULKAN_VK_NEWER_H

/* Declarations that the layer needs and older Vulkan headers do not have; the values are the
 * registry's. */

#include <vulkan/vulkan.h>

#ifndef VK_EXT_shader_object
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkShaderEXT)
#define VK_OBJECT_TYPE_SHADER_EXT ((VkObjectType)1000482000)
typedef enum VkShaderCodeTypeEXT {
	VK_SHADER_CODE_TYPE_BINARY_EXT = 0,
	VK_SHADER_CODE_TYPE_SPIRV_EXT = 1,
} VkShaderCodeTypeEXT;
typedef struct VkShaderCreateInfoEXT {
	VkStructureType sType;
	const void *pNext;
	VkFlags flags;
	VkShaderStageFlagBits stage;
	VkShaderStageFlags nextStage;
	VkShaderCodeTypeEXT codeType;
	size_t codeSize;
	const void *pCode;
	const char *pName;
	uint32_t setLayoutCount;
	const VkDescriptorSetLayout *pSetLayouts;
	uint32_t pushConstantRangeCount;
	const VkPushConstantRange *pPushConstantRanges;
	const VkSpecializationInfo *pSpecializationInfo;
} VkShaderCreateInfoEXT;
typedef VkResult(VKAPI_PTR *PFN_vkCreateShadersEXT)(VkDevice, uint32_t,
						    const VkShaderCreateInfoEXT *,
						    const VkAllocationCallbacks *, VkShaderEXT *);
typedef void(VKAPI_PTR *PFN_vkDestroyShaderEXT)(VkDevice, VkShaderEXT,
						const VkAllocationCallbacks *);
typedef void(VKAPI_PTR *PFN_vkCmdBindShadersEXT)(VkCommandBuffer, uint32_t,
						 const VkShaderStageFlagBits *,
						 const VkShaderEXT *);
#endif

/* VkPipelineCreateFlags2CreateInfo: core in 1.4, VK_KHR_maintenance5 before. */
#define BW_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO ((VkStructureType)1000470005)
typedef struct BwPipelineCreateFlags2CreateInfo {
	VkStructureType sType;
	const void *pNext;
	VkFlags64 flags;
} BwPipelineCreateFlags2CreateInfo;

/* Core in 1.4, VK_KHR_maintenance6 before. */
#ifndef VK_KHR_maintenance6
typedef struct VkPushConstantsInfo {
	VkStructureType sType;
	const void *pNext;
	VkPipelineLayout layout;
	VkShaderStageFlags stageFlags;
	uint32_t offset;
	uint32_t size;
	const void *pValues;
} VkPushConstantsInfo;
typedef void(VKAPI_PTR *PFN_vkCmdPushConstants2)(VkCommandBuffer, const VkPushConstantsInfo *);
typedef struct VkBindDescriptorSetsInfo {
	VkStructureType sType;
	const void *pNext;
	VkShaderStageFlags stageFlags;
	VkPipelineLayout layout;
	uint32_t firstSet;
	uint32_t descriptorSetCount;
	const VkDescriptorSet *pDescriptorSets;
	uint32_t dynamicOffsetCount;
	const uint32_t *pDynamicOffsets;
} VkBindDescriptorSetsInfo;
typedef void(VKAPI_PTR *PFN_vkCmdBindDescriptorSets2)(VkCommandBuffer,
						      const VkBindDescriptorSetsInfo *);
typedef struct VkPushDescriptorSetInfo {
	VkStructureType sType;
	const void *pNext;
	VkShaderStageFlags stageFlags;
	VkPipelineLayout layout;
	uint32_t set;
	uint32_t descriptorWriteCount;
	const VkWriteDescriptorSet *pDescriptorWrites;
} VkPushDescriptorSetInfo;
typedef void(VKAPI_PTR *PFN_vkCmdPushDescriptorSet2)(VkCommandBuffer,
						     const VkPushDescriptorSetInfo *);
typedef struct VkPushDescriptorSetWithTemplateInfo {
	VkStructureType sType;
	const void *pNext;
	VkDescriptorUpdateTemplate descriptorUpdateTemplate;
	VkPipelineLayout layout;
	uint32_t set;
	const void *pData;
} VkPushDescriptorSetWithTemplateInfo;
typedef void(VKAPI_PTR *PFN_vkCmdPushDescriptorSetWithTemplate2)(
	VkCommandBuffer, const VkPushDescriptorSetWithTemplateInfo *);
typedef struct VkSetDescriptorBufferOffsetsInfoEXT {
	VkStructureType sType;
	const void *pNext;
	VkShaderStageFlags stageFlags;
	VkPipelineLayout layout;
	uint32_t firstSet;
	uint32_t setCount;
	const uint32_t *pBufferIndices;
	const VkDeviceSize *pOffsets;
} VkSetDescriptorBufferOffsetsInfoEXT;
typedef void(VKAPI_PTR *PFN_vkCmdSetDescriptorBufferOffsets2EXT)(
	VkCommandBuffer, const VkSetDescriptorBufferOffsetsInfoEXT *);
#elif !defined(VK_VERSION_1_4)
typedef VkPushConstantsInfoKHR VkPushConstantsInfo;
typedef PFN_vkCmdPushConstants2KHR PFN_vkCmdPushConstants2;
typedef VkBindDescriptorSetsInfoKHR VkBindDescriptorSetsInfo;
typedef PFN_vkCmdBindDescriptorSets2KHR PFN_vkCmdBindDescriptorSets2;
typedef VkPushDescriptorSetInfoKHR VkPushDescriptorSetInfo;
typedef PFN_vkCmdPushDescriptorSet2KHR PFN_vkCmdPushDescriptorSet2;
typedef VkPushDescriptorSetWithTemplateInfoKHR VkPushDescriptorSetWithTemplateInfo;
typedef PFN_vkCmdPushDescriptorSetWithTemplate2KHR PFN_vkCmdPushDescriptorSetWithTemplate2;
#endif

#endif
