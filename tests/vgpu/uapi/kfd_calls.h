/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_VGPU_UAPI_KFD_CALLS_H
#define BW_TESTS_VGPU_UAPI_KFD_CALLS_H

/* Calls of /dev/kfd for tests of the driver: results as the ioctls have them. */

#include "harness.h"

#include <linux/kfd_ioctl.h>

#include "base/newer_kfd.h"
#include "vgpu/uapi/kfd.h"

#define FLAG(name) BW_KFD_ALLOC_##name
#define PAGE 4096ull

uint32_t kfd_gpu_id(void);
uint32_t kfd_open(struct client *c);
int kfd_acquire(struct client *c, uint32_t kfd, uint32_t drm);
/* A client with both files and an address space. */
uint32_t kfd_open_both(struct client *c);
int kfd_alloc(struct client *c, uint32_t kfd, uint64_t va, uint64_t size_b, uint32_t flags,
	      struct kfd_ioctl_alloc_memory_of_gpu_args *out);
int kfd_map_or_unmap(struct client *c, uint32_t kfd, uint32_t cmd, uint64_t handle);
int kfd_free(struct client *c, uint32_t kfd, uint64_t handle);
void *kfd_cpu_map(struct client *c, uint32_t file, uint64_t offset, uint64_t size_b);
#define kfd_map(c, kfd, handle) kfd_map_or_unmap(c, kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, handle)
#define kfd_unmap(c, kfd, handle) kfd_map_or_unmap(c, kfd, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, handle)

#endif
