/* SPDX-License-Identifier: MIT */
#include "agent/gpu/aql_page.h"

#include <errno.h>
#include <linux/kfd_ioctl.h>
#include <sys/mman.h>

#include "base/newer_kfd.h"

enum { PAGE_B = 4096 };

int bw_aql_page_make(struct bw_agent_file *kfd, struct bw_agent_file *vm, uint32_t gpu_id,
		     struct bw_aql_page *out)
{
	*out = (struct bw_aql_page){.gpu_id = gpu_id};
	void *at = mmap(NULL, PAGE_B, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return -errno;
	struct kfd_ioctl_alloc_memory_of_gpu_args a = {
		.va_addr = (uintptr_t)at,
		.size = PAGE_B,
		.gpu_id = gpu_id,
		.flags = BW_KFD_ALLOC_GTT | BW_KFD_ALLOC_WRITABLE | BW_KFD_ALLOC_COHERENT};
	int r = bw_agent_ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a);
	if (r) {
		munmap(at, PAGE_B);
		return r;
	}
	out->handle = a.handle;
	out->at = at;
	struct kfd_ioctl_map_memory_to_gpu_args map = {
		.handle = a.handle, .device_ids_array_ptr = (uintptr_t)&gpu_id, .n_devices = 1};
	r = bw_agent_ioctl(kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map);
	if (!r && bw_agent_mmap(vm, at, PAGE_B, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
				a.mmap_offset) == MAP_FAILED)
		r = -errno;
	return r;
}

void bw_aql_page_free(struct bw_agent_file *kfd, struct bw_aql_page *p)
{
	struct kfd_ioctl_unmap_memory_from_gpu_args unmap = {
		.handle = p->handle, .device_ids_array_ptr = (uintptr_t)&p->gpu_id, .n_devices = 1};
	struct kfd_ioctl_free_memory_of_gpu_args gone = {.handle = p->handle};
	if (!p->handle)
		return;
	bw_agent_ioctl(kfd, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &unmap);
	bw_agent_ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &gone);
	if (p->at)
		munmap(p->at, PAGE_B);
}
