/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_VULKAN_VK_BOUNDS_H
#define BW_AGENT_VULKAN_VK_BOUNDS_H

/* Buffers that shaders access by address (vkGetBufferDeviceAddress), for --check=bounds of the
 * virtual GPU. Each is declared to it with its own size when it is bound. The memory that such a
 * buffer is said to need is larger by bytes that nothing else uses. A buffer that is destroyed
 * stays declared as freed until something else is bound to its memory; freed memory with such
 * buffers stays for a while. Buffers that overlap are not declared. Any thread may call; all of it
 * does nothing where bounds are not checked. */

#include <stdbool.h>

#include "agent/vulkan/vk_layer.h"

struct bw_agent_file;

/* A buffer is made; it is destroyed; it has a name. */
void bw_vk_bounds_create(VkBuffer buffer, const VkBufferCreateInfo *info);
void bw_vk_bounds_destroy(VkBuffer buffer);
void bw_vk_bounds_name(uint64_t buffer, const char *name);
/* Adds the free bytes to what the driver says. */
void bw_vk_bounds_need(VkBuffer buffer, VkMemoryRequirements *need);
void bw_vk_bounds_need_of(const VkBufferCreateInfo *info, VkMemoryRequirements *need);
/* Memory is allocated; file: the DRM file that it is mapped in, or NULL. */
void bw_vk_bounds_memory(const struct bw_vk_device *d, VkDeviceMemory memory,
			 const VkMemoryAllocateInfo *info, struct bw_agent_file *file);
/* A buffer, or something else (buffer 0), is bound there. */
void bw_vk_bounds_bind(const struct bw_vk_device *d, VkBuffer buffer, VkDeviceMemory memory,
		       VkDeviceSize offset);
/* The program frees memory. True: it stays for now, and is freed here later. */
bool bw_vk_bounds_keep(VkDeviceMemory memory, const VkAllocationCallbacks *alloc);
/* Frees all that has stayed, of a device; the device is about to be destroyed. */
void bw_vk_bounds_flush(const struct bw_vk_device *d);
void bw_vk_bounds_end(const struct bw_vk_device *d);

#endif
