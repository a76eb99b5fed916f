/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_BUFFERS_H
#define BW_VGPU_UAPI_BUFFERS_H

/* Buffer objects (gem.c, gem_share.c) and lists of them (bo_list.c). */

#include "vgpu/uapi/uapi_priv.h"

/* A request for a buffer, from a program or for it. */
struct bw_drm_bo_request {
	uint64_t size_b, align_b, flags;
	uint32_t domains; /* AMDGPU_GEM_DOMAIN_* */
	int memory; /* a memfd of the caller that becomes the buffer's (taken on success), or -1 */
	uint64_t memory_at_b; /* where it begins in that file */
};
/* A buffer without a handle, with one reference, on the account of a client. */
int bw_drm_bo_create(struct bw_uapi *u, struct bw_drm_account *account,
		     const struct bw_drm_bo_request *a, struct bw_drm_bo **out);
/* A duplicate of the memfd in which pages of the program are, as its client passed it with the
 * call: for bw_drm_bo_request.memory, with the pages' address as memory_at_b. -EFAULT: none, or
 * not one that can be used. Without the lock. */
int bw_drm_user_pages(struct bw_drm_call *c, uint64_t va, uint64_t size_b);

struct bw_drm_bo *bw_drm_bo_get(struct bw_drm_file *f, uint32_t handle); /* borrowed */
/* Takes the reference, on failure too. */
int bw_drm_bo_add_handle(struct bw_drm_file *f, struct bw_drm_bo *bo, uint32_t *out_handle);
struct bw_drm_bo *bw_drm_bo_ref(struct bw_drm_bo *bo);
void bw_drm_bo_unref(struct bw_drm_bo *bo);
struct bw_drm_fences *bw_drm_bo_busy(struct bw_drm_bo *bo);
/* The memory at an offset, as the driver's CPU sees it. */
uint8_t *bw_drm_bo_cpu(struct bw_drm_bo *bo, uint64_t offset_b, uint64_t size_b);
void bw_drm_file_close_bos(struct bw_drm_file *f);
void bw_drm_bos_fini(struct bw_uapi *u);
int bw_drm_mmap(struct bw_drm_file *f, uint64_t offset, uint64_t size_b, int *out_fd,
		uint64_t *out_fd_offset);
int bw_ioctl_gem_create(struct bw_drm_call *c, void *arg);
int bw_ioctl_gem_mmap(struct bw_drm_call *c, void *arg);
int bw_ioctl_create_dumb(struct bw_drm_call *c, void *arg);
int bw_ioctl_map_dumb(struct bw_drm_call *c, void *arg);
int bw_ioctl_destroy_dumb(struct bw_drm_call *c, void *arg);
int bw_ioctl_gem_metadata(struct bw_drm_call *c, void *arg);
int bw_ioctl_gem_wait_idle(struct bw_drm_call *c, void *arg);
int bw_ioctl_gem_op(struct bw_drm_call *c, void *arg);
int bw_ioctl_gem_userptr(struct bw_drm_call *c, void *arg);
int bw_ioctl_gem_close(struct bw_drm_call *c, void *arg);
/* exports.c: a dma-buf of a buffer, whose fd is the caller's. The buffer is kept as long as the
 * dma-buf may be open, at most until bw_drm_exports_end for `by`. -EPERM: it belongs to one address
 * space. */
int bw_drm_bo_export(struct bw_drm_bo *bo, const void *by, int *out_fd);
/* Frees buffers that only a closed dma-buf has kept. False: there is none. */
bool bw_drm_exports_look(struct bw_uapi *u);
void bw_drm_exports_end(struct bw_uapi *u, const void *by);
/* The buffer (borrowed) of a dma-buf. -EBADF: not a descriptor; -EINVAL: not of a buffer of this
 * GPU. */
int bw_drm_bo_of_fd(struct bw_uapi *u, int fd, struct bw_drm_bo **out);
int bw_ioctl_prime_to_fd(struct bw_drm_call *c, void *arg);
int bw_ioctl_prime_from_fd(struct bw_drm_call *c, void *arg);
int bw_ioctl_gem_flink(struct bw_drm_call *c, void *arg);
int bw_ioctl_gem_open(struct bw_drm_call *c, void *arg);

/* BW_VGPU_IOCTL_* (wire/vgpu_proto.h) */
int bw_drm_own_ioctl(struct bw_drm_call *c, uint32_t cmd, void *data);

struct drm_amdgpu_bo_list_in;
int bw_drm_bo_list_make(struct bw_drm_call *c, const struct drm_amdgpu_bo_list_in *in,
			struct bw_drm_bo_list **out);
void bw_drm_bo_list_unref(struct bw_drm_bo_list *l);
int bw_ioctl_bo_list(struct bw_drm_call *c, void *arg);

#endif
