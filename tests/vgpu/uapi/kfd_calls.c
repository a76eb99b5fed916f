/* SPDX-License-Identifier: MIT */
#include "kfd_calls.h"

uint32_t kfd_gpu_id(void)
{
	return bw_kfd_gpu_id(&bw_profile_navi31);
}

uint32_t kfd_open(struct client *c)
{
	struct bw_msg m = BW_MSG_INIT;
	struct bw_vgpu_open_reply r;
	request(c, BW_VGPU_KFD_OPEN, NULL, 0, -1, &m);
	assert_int_equal(m.body_b, sizeof(r));
	memcpy(&r, m.body, sizeof(r));
	bw_msg_fini(&m);
	assert_int_equal(r.result, 0);
	return r.file;
}

int kfd_acquire(struct client *c, uint32_t kfd, uint32_t drm)
{
	struct kfd_ioctl_acquire_vm_args a = {drm, kfd_gpu_id()};
	return file_ioctl(c, kfd, AMDKFD_IOC_ACQUIRE_VM, &a);
}

/* A client with both files and an address space. */
uint32_t kfd_open_both(struct client *c)
{
	open_client(c);
	uint32_t kfd = kfd_open(c);
	assert_int_equal(kfd_acquire(c, kfd, c->drm), 0);
	return kfd;
}

int kfd_alloc(struct client *c, uint32_t kfd, uint64_t va, uint64_t size_b, uint32_t flags,
	      struct kfd_ioctl_alloc_memory_of_gpu_args *out)
{
	*out = (struct kfd_ioctl_alloc_memory_of_gpu_args){
		.va_addr = va, .size = size_b, .gpu_id = kfd_gpu_id(), .flags = flags};
	return file_ioctl(c, kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, out);
}

int kfd_map_or_unmap(struct client *c, uint32_t kfd, uint32_t cmd, uint64_t handle)
{
	uint32_t ids[] = {kfd_gpu_id()};
	struct kfd_ioctl_map_memory_to_gpu_args a = {
		.handle = handle, .device_ids_array_ptr = (uintptr_t)ids, .n_devices = 1};
	int r = file_ioctl(c, kfd, cmd, &a);
	assert_int_equal(a.n_success, !r);
	return r;
}

int kfd_free(struct client *c, uint32_t kfd, uint64_t handle)
{
	struct kfd_ioctl_free_memory_of_gpu_args a = {handle};
	return file_ioctl(c, kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &a);
}

void *kfd_cpu_map(struct client *c, uint32_t file, uint64_t offset, uint64_t size_b)
{
	int fd;
	uint64_t at;
	assert_int_equal(drm_mmap(c, file, offset, size_b, &fd, &at), 0);
	void *p = mmap(NULL, size_b, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
	assert_true(p != MAP_FAILED);
	close(fd);
	return p;
}
