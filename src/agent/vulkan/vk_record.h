/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_VULKAN_VK_RECORD_H
#define BW_AGENT_VULKAN_VK_RECORD_H

/* A capture's record of a pipeline (capture/pipeline.h). Layouts are noted when they are made: a
 * program may destroy them before it uses its pipelines. Any thread may call. */

#include "agent/vulkan/vk_layer.h"
#include "capture/pipeline.h"

void bw_vk_record_set_layout(VkDescriptorSetLayout layout,
			     const VkDescriptorSetLayoutCreateInfo *info);
void bw_vk_record_layout(VkPipelineLayout layout, const VkPipelineLayoutCreateInfo *info);
void bw_vk_record_drop_layout(VkPipelineLayout layout);
/* The BW_CAPTURE_ROBUST_* that a device is made with. */
uint32_t bw_vk_record_robustness(const VkDeviceCreateInfo *info);
/* A shader of a pipeline. */
struct bw_vk_recorded {
	const void *next; /* of the pipeline */
	VkPipelineCreateFlags flags;
	VkPipelineLayout layout;
	const VkPipelineShaderStageCreateInfo *shader;
	enum bw_capture_stage stage;
};
/* Its record without its SPIR-V, as bytes for bw_shaders_keep_record; empty where it cannot be
 * made: its layout is not known, or it is too large. entry: of its SPIR-V, which may have taken the
 * place of the program's. */
void bw_vk_record_pipeline(VkDevice device, const struct bw_vk_recorded *info, const char *entry,
			   struct bw_capture_bytes *out);

#endif
