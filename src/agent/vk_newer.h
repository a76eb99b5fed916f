/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_VK_NEWER_H
#define BW_AGENT_VK_NEWER_H

/* What the layer looks at and older Vulkan headers do not have yet; the values are the
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
#elif !defined(VK_VERSION_1_4)
typedef VkPushConstantsInfoKHR VkPushConstantsInfo;
typedef PFN_vkCmdPushConstants2KHR PFN_vkCmdPushConstants2;
#endif

#endif
