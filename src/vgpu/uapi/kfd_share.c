/* SPDX-License-Identifier: MIT */
/* Memory of KFD and dma-bufs (amdgpu_amdkfd_gpuvm.c and kfd_chardev.c of Linux 6.12): what one
 * exports the other, a DRM file or a KFD process, imports. */
#include <amdgpu_drm.h>
#include <errno.h>
#include <string.h>

#include "base/newer_kfd.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/kfd.h"

int bw_kfd_ioctl_export_dmabuf(struct bw_drm_call *c, void *arg)
{
	const struct bw_kfd_export_dmabuf *a = arg;
	pthread_mutex_lock(&c->u->lock);
	struct bw_kfd_buffer *b = bw_kfd_buffer(c->kfd, a->handle);
	int r = b ? bw_drm_bo_export(b->bo, c->kfd, &c->fd_out) : -EINVAL;
	pthread_mutex_unlock(&c->u->lock);
	c->fd_at = offsetof(struct bw_kfd_export_dmabuf, dmabuf_fd);
	return r;
}

static uint32_t memory_of(const struct bw_drm_bo *bo)
{
	return bo->asked_domains & AMDGPU_GEM_DOMAIN_VRAM ? BW_KFD_ALLOC_VRAM : BW_KFD_ALLOC_GTT;
}

/* The buffer of the dma-buf that was sent with a call; of memory that page tables can map. */
static int imported(struct bw_drm_call *c, struct bw_drm_bo **out)
{
	const uint32_t memory = AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT;
	int r = bw_drm_bo_of_fd(c->u, c->fd_in, out);
	return !r && !((*out)->asked_domains & memory) ? -EINVAL : r;
}

static int import(struct bw_drm_call *c, struct kfd_ioctl_import_dmabuf_args *a)
{
	struct bw_kfd *p = c->kfd;
	struct bw_drm_bo *bo;
	if (a->gpu_id != p->gpu_id)
		return -EINVAL;
	if (!p->vm)
		return -ESRCH;
	int r = imported(c, &bo);
	if (r)
		return r;
	struct bw_kfd_buffer *b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	*b = (struct bw_kfd_buffer){.bo = bo,
				    .va = a->va_addr,
				    .size_b = bo->size_b,
				    .n_copies = 1,
				    .flags = memory_of(bo) | BW_KFD_ALLOC_WRITABLE |
					     BW_KFD_ALLOC_EXECUTABLE,
				    .is_imported = true};
	r = bw_kfd_add_buffer(p, b, &a->handle);
	if (r)
		free(b);
	else
		bw_drm_bo_ref(bo);
	return r;
}

int bw_kfd_ioctl_import_dmabuf(struct bw_drm_call *c, void *arg)
{
	pthread_mutex_lock(&c->u->lock);
	int r = import(c, arg);
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

int bw_kfd_ioctl_get_dmabuf_info(struct bw_drm_call *c, void *arg)
{
	struct kfd_ioctl_get_dmabuf_info_args *a = arg;
	struct bw_drm_bo *bo;
	uint8_t metadata[sizeof(bo->metadata)];
	pthread_mutex_lock(&c->u->lock);
	int r = imported(c, &bo);
	/* amdgpu_bo_get_metadata() */
	if (!r && a->metadata_ptr && a->metadata_size < bo->metadata_b)
		r = -EINVAL;
	if (!r) {
		a->size = bo->size_b;
		a->gpu_id = c->kfd->gpu_id;
		a->flags = memory_of(bo);
		if (bo->flags & AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED)
			a->flags |= BW_KFD_ALLOC_PUBLIC;
		a->metadata_size = a->metadata_ptr ? bo->metadata_b : a->metadata_size;
		memcpy(metadata, bo->metadata, bo->metadata_b);
	}
	const uint32_t metadata_b = r || !a->metadata_ptr ? 0 : bo->metadata_b;
	pthread_mutex_unlock(&c->u->lock);
	return metadata_b ? bw_user_write(c, a->metadata_ptr, metadata, metadata_b) : r;
}
