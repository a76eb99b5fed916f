/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_NEWER_DRM_H
#define BW_BASE_NEWER_DRM_H

/* What amdgpu_drm.h of Linux 6.12 has, and the oldest one that we build with (libdrm 2.4.114) has
 * not: Linux's names with BW_ in the place of AMDGPU_. Numbers only; nothing is included. */

#include <stdint.h>

enum {
	/* queries of DRM_IOCTL_AMDGPU_INFO */
	BW_INFO_MAX_IBS = 0x22,
	BW_INFO_GPUVM_FAULT = 0x23,
	/* byte of ip_discovery_version in struct drm_amdgpu_info_hw_ip, a padding word in older
	 * headers: 0x000b0000 is GC 11.0.0, gfx1100; kernels before DRM 3.48 answer 0 */
	BW_HW_IP_DISCOVERY_VERSION_AT = 28,
	/* flags of DRM_IOCTL_AMDGPU_GEM_CREATE */
	BW_GEM_CREATE_DISCARDABLE = 1 << 12,
	BW_GEM_CREATE_GFX12_DCC = 1 << 16,
	/* of DRM_IOCTL_AMDGPU_GEM_VA */
	BW_VM_PAGE_NOALLOC = 1 << 9,
};

/* The answer to INFO_GPUVM_FAULT (struct drm_amdgpu_info_gpuvm_fault): the last page fault of the
 * file's address space. status 0: there was none. */
struct bw_info_gpuvm_fault {
	uint64_t addr;
	uint32_t status, vmhub;
};

#endif
