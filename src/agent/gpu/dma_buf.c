/* SPDX-License-Identifier: MIT */
#include "agent/gpu/dma_buf.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/gpu/sync_file.h"
#include "wire/vgpu_proto.h"

/* Newer than some headers (Linux 6.0) */
struct sync_file_arg {
	uint32_t flags;
	int32_t fd;
};
#define EXPORT_SYNC_FILE _IOWR(DMA_BUF_BASE, 2, struct sync_file_arg)
#define IMPORT_SYNC_FILE _IOW(DMA_BUF_BASE, 3, struct sync_file_arg)

/* A buffer in a file that was opened for the call. */
struct buffer {
	uint32_t file, handle;
};

static int call(uint32_t file, uint32_t cmd, void *arg)
{
	return bw_vgpu_ioctl(bw_agent_client(), file, cmd, arg);
}

/* dma_buf_ioctl: the beginning of an access waits for the GPU's, its end has nothing to do. */
static int begin_or_end(const struct buffer *b, const void *arg)
{
	struct dma_buf_sync s;
	if (!bw_agent_copy_in(&s, (uintptr_t)arg, sizeof(s)))
		return -EFAULT;
	if (s.flags & ~(uint64_t)DMA_BUF_SYNC_VALID_FLAGS_MASK || !(s.flags & DMA_BUF_SYNC_RW))
		return -EINVAL;
	if (s.flags & DMA_BUF_SYNC_END)
		return 0;
	union drm_amdgpu_gem_wait_idle wait = {.in = {.handle = b->handle, .timeout = INT64_MAX}};
	return call(b->file, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &wait);
}

/* The name is for people who read debugfs. */
static int set_name(uint64_t text)
{
	char c = 1;
	for (unsigned i = 0; i < DMA_BUF_NAME_LEN && c; i++)
		if (!bw_agent_copy_in(&c, text + i, 1))
			return -EFAULT;
	return c ? -EINVAL : 0;
}

static int export_fences(const struct buffer *b, void *arg)
{
	struct sync_file_arg a;
	if (!bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a)))
		return -EFAULT;
	if (a.flags & ~(uint32_t)DMA_BUF_SYNC_RW || !a.flags)
		return -EINVAL;
	struct drm_syncobj_create create = {0};
	int r = call(b->file, DRM_IOCTL_SYNCOBJ_CREATE, &create);
	struct bw_vgpu_fences fences = {.bo = b->handle, .syncobj = create.handle};
	if (!r)
		r = call(b->file, BW_VGPU_IOCTL_BO_FENCES, &fences);
	if (!r)
		r = bw_agent_sync_export(b->file, create.handle, &a.fd);
	if (r)
		return r;
	if (bw_agent_copy_out(arg, &a, sizeof(a)))
		return 0;
	REAL(close)(a.fd);
	return -EFAULT;
}

static int import_fence(const struct buffer *b, const void *arg)
{
	struct sync_file_arg a;
	struct bw_vgpu_fences fences = {.bo = b->handle};
	if (!bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a)))
		return -EFAULT;
	if (a.flags & ~(uint32_t)DMA_BUF_SYNC_RW || !a.flags)
		return -EINVAL;
	/* EINVAL if it is not a sync_file, or not a descriptor */
	if (bw_agent_sync_import(b->file, a.fd, &fences.syncobj))
		return -EINVAL;
	return call(b->file, BW_VGPU_IOCTL_BO_ADD_FENCE, &fences);
}

bool bw_agent_dma_buf_ioctl(int fd, unsigned long request, void *arg, int *out_result)
{
	struct bw_vgpu_client *c = bw_agent_client();
	struct buffer b;
	struct drm_prime_handle prime = {.fd = fd};
	if (!c || fd < 0 || bw_vgpu_drm_open(c, 128, O_RDWR, &b.file))
		return false;
	bool is_ours = !call(b.file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
	b.handle = prime.handle;
	if (is_ours && request == DMA_BUF_IOCTL_SYNC)
		*out_result = begin_or_end(&b, arg);
	else if (is_ours && (request == DMA_BUF_SET_NAME_A || request == DMA_BUF_SET_NAME_B))
		*out_result = set_name((uintptr_t)arg);
	else if (is_ours && request == EXPORT_SYNC_FILE)
		*out_result = export_fences(&b, arg);
	else if (is_ours && request == IMPORT_SYNC_FILE)
		*out_result = import_fence(&b, arg);
	else
		*out_result = -ENOTTY;
	bw_vgpu_close(c, b.file);
	return is_ours;
}
