/* SPDX-License-Identifier: MIT */
/* Buffers that other files get: by a dma-buf (PRIME), or by a number (GEM_FLINK). */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/check_output.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/syncobj.h"
#include "vgpu/uapi/uapi_priv.h"
#include "wire/vgpu_proto.h"

/* ---- PRIME: the dma-buf is the memfd itself (exports.c), recognised by its inode. Only a buffer
 * that was exported has one: a program also gets the memfd of what it maps ---- */

int bw_drm_bo_of_fd(struct bw_uapi *u, int fd, struct bw_drm_bo **out)
{
	struct stat st;
	*out = NULL;
	if (fd < 0 || fstat(fd, &st) < 0)
		return -EBADF;
	bw_vec_each(&u->bos, it)
		if ((*it)->exported && (*it)->ino == st.st_ino && (*it)->dev == st.st_dev)
			*out = *it;
	return *out ? 0 : -EINVAL;
}

int bw_ioctl_prime_to_fd(struct bw_drm_call *c, void *arg)
{
	struct drm_prime_handle *a = arg;
	if (a->flags & ~(uint32_t)(DRM_CLOEXEC | DRM_RDWR))
		return -EINVAL;
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_bo *bo = bw_drm_bo_get(c->file, a->handle);
	int r = bo ? bw_drm_bo_export(bo, c->file, &c->fd_out) : -ENOENT;
	pthread_mutex_unlock(&c->u->lock);
	c->fd_at = offsetof(struct drm_prime_handle, fd);
	return r;
}

int bw_ioctl_prime_from_fd(struct bw_drm_call *c, void *arg)
{
	struct drm_prime_handle *a = arg;
	struct bw_drm_bo *bo;
	pthread_mutex_lock(&c->u->lock);
	int r = bw_drm_bo_of_fd(c->u, c->fd_in, &bo);
	bool has_one = false;
	if (bo) {
		bw_ids_each(&c->file->bos, i) {
			if (c->file->bos.slot[i] == bo && !has_one) {
				a->handle = c->file->bos.first + i;
				has_one = true;
			}
		}
	}
	if (bo && !has_one)
		r = bw_drm_bo_add_handle(c->file, bw_drm_bo_ref(bo), &a->handle);
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

/* ---- GEM_FLINK: a number that any authenticated file can open ---- */

int bw_ioctl_gem_flink(struct bw_drm_call *c, void *arg)
{
	struct drm_gem_flink *a = arg;
	int r = 0;
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_bo *bo = bw_drm_bo_get(c->file, a->handle);
	if (!bo)
		r = -ENOENT;
	else if (!bo->name)
		r = bw_ids_add(&c->u->names, bo, &bo->name);
	if (!r)
		a->name = bo->name;
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

int bw_ioctl_gem_open(struct bw_drm_call *c, void *arg)
{
	struct drm_gem_open *a = arg;
	int r = 0;
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_bo *bo = bw_ids_get(&c->u->names, a->name);
	if (!bo)
		r = -ENOENT;
	/* amdgpu_gem_object_open: a program's own pages stay its own, and what is always valid in
	 * one address space stays in it. */
	else if ((bo->user && bo->account != c->file->account) || (bo->vm && bo->vm != c->file->vm))
		r = -EPERM;
	else
		r = bw_drm_bo_add_handle(c->file, bw_drm_bo_ref(bo), &a->handle);
	if (!r)
		a->size = bo->size_b;
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

/* ---- ioctls of our own: what those of dma-bufs and sync_files need ---- */

/* Puts all work on a buffer, as one fence, into a sync object. */
static int bo_fences(struct bw_uapi *u, struct bw_drm_bo *bo, struct bw_drm_syncobj *s)
{
	struct bw_drm_fence *f = bw_drm_fence_new();
	if (!f)
		return -ENOMEM;
	struct bw_drm_fences *busy = bw_drm_bo_busy(bo);
	struct bw_drm_gathering g = bw_drm_gather(&f->parts);
	int r = 0;
	for (size_t i = 0; i < busy->len && !r; i++)
		r = bw_drm_gather_fence(&g, busy->data[i]);
	if (!f->parts.len)
		bw_drm_fence_is_signaled(f);
	if (!r)
		bw_drm_syncobj_replace(u, s, f);
	bw_drm_fence_unref(f);
	return r;
}

static int of_buffer(struct bw_drm_call *c, uint32_t cmd, void *data)
{
	struct bw_vgpu_fences a;
	struct bw_drm_fence *f = NULL;
	memcpy(&a, data, sizeof(a));
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_bo *bo = bw_drm_bo_get(c->file, a.bo);
	struct bw_drm_syncobj *s = bw_drm_syncobj_get(c->file, a.syncobj);
	int r = !s || !bo ? -ENOENT : 0;
	if (!r && cmd == BW_VGPU_IOCTL_BO_FENCES) {
		r = bo_fences(c->u, bo, s);
	} else if (!r) {
		r = bw_drm_syncobj_fence(s, 0, &f);
		if (!r)
			r = bw_drm_fences_add(bw_drm_bo_busy(bo), f);
		bw_drm_fence_unref(f);
	}
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

int bw_drm_own_ioctl(struct bw_drm_call *c, uint32_t cmd, void *data)
{
	switch (cmd) {
	case BW_VGPU_IOCTL_BO_FENCES:
	case BW_VGPU_IOCTL_BO_ADD_FENCE:
		return of_buffer(c, cmd, data);
	case BW_VGPU_IOCTL_EXTENT:
		return bw_drm_extent(c->u, c->file->vm, data);
	case BW_VGPU_IOCTL_KERNEL:
		return bw_drm_kernel(c->u, c->file->vm, data);
	case BW_VGPU_IOCTL_API:
		return bw_drm_api(c->u, c->file->vm, data);
	case BW_VGPU_IOCTL_SYNC_MERGE:
		return bw_ioctl_sync_merge(c, data);
	case BW_VGPU_IOCTL_SYNC_INFO:
		return bw_ioctl_sync_info(c, data);
	case BW_VGPU_IOCTL_SYNC_DEADLINE:
		return bw_ioctl_sync_deadline(c, data);
	default:
		return -ENOTTY;
	}
}
