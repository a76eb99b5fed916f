/* SPDX-License-Identifier: MIT */
/* KFD's memory (amdgpu_amdkfd_gpuvm.c of Linux 6.12): buffers in an acquired address space, at
 * addresses that the program chooses; the program's own pages among them. */
#include <amdgpu_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/newer_kfd.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/kfd.h"

#define FLAG(name) BW_KFD_ALLOC_##name

struct bw_kfd_buffer *bw_kfd_buffer(struct bw_kfd *p, uint64_t handle)
{
	return handle >> 32 == p->gpu_id ? bw_ids_get(&p->buffers, (uint32_t)handle) : NULL;
}

int bw_kfd_own_pages(struct bw_kfd *p, struct bw_drm_bo **bo, uint64_t size_b)
{
	const struct bw_drm_bo_request request = {
		.size_b = size_b, .domains = AMDGPU_GEM_DOMAIN_GTT, .memory = -1};
	if (*bo)
		return 0;
	int r = bw_drm_bo_create(p->u, p->account, &request, bo);
	if (!r)
		(*bo)->kfd_vm = p->vm;
	return r;
}

/* ---- making and freeing ---- */

/* Where the memory comes from: checked in the kernel's order. */
static int check_alloc(const struct bw_kfd *p, const struct kfd_ioctl_alloc_memory_of_gpu_args *a)
{
	if (!a->size || a->gpu_id != p->gpu_id)
		return -EINVAL;
	if (!p->vm)
		return -ENODEV;
	if (a->flags & FLAG(DOORBELL))
		return a->size == BW_KFD_DOORBELLS_B ? 0 : -EINVAL;
	if (a->flags & FLAG(MMIO_REMAP))
		return a->size == BW_DRM_PAGE_B ? 0 : -EINVAL;
	if (a->flags & (FLAG(VRAM) | FLAG(GTT)))
		return 0;
	return a->flags & FLAG(USERPTR) && a->mmap_offset ? 0 : -EINVAL;
}

/* The buffer object, with a reference for the caller. *fd: of the program's pages, or -1; -1 once
 * it is the buffer's. */
static int make_bo(struct bw_kfd *p, const struct kfd_ioctl_alloc_memory_of_gpu_args *a,
		   uint64_t size_b, int *fd, struct bw_drm_bo **out)
{
	struct bw_drm_bo **own = a->flags & FLAG(DOORBELL)     ? &p->doorbells
				 : a->flags & FLAG(MMIO_REMAP) ? &p->mmio
							       : NULL;
	if (own) {
		int r = bw_kfd_own_pages(p, own, a->size);
		if (!r)
			*out = bw_drm_bo_ref(*own);
		return r;
	}
	struct bw_drm_bo_request request = {
		.size_b = size_b,
		.domains = a->flags & FLAG(VRAM) ? AMDGPU_GEM_DOMAIN_VRAM : AMDGPU_GEM_DOMAIN_GTT,
		.flags = AMDGPU_GEM_CREATE_VRAM_CLEARED,
		.memory = *fd,
		.memory_at_b = a->mmap_offset};
	int r = bw_drm_bo_create(p->u, p->account, &request, out);
	if (r)
		return r;
	(*out)->user = *fd >= 0;
	(*out)->kfd_vm = p->vm;
	*fd = -1;
	return 0;
}

int bw_kfd_add_buffer(struct bw_kfd *p, struct bw_kfd_buffer *b, __u64 *out_handle)
{
	uint32_t id;
	if (bw_ids_add(&p->buffers, b, &id))
		return -EFAULT; /* as there */
	*out_handle = BW_KFD_HANDLE(p->gpu_id, id);
	return 0;
}

static int add_buffer(struct bw_kfd *p, struct kfd_ioctl_alloc_memory_of_gpu_args *a, int *fd)
{
	uint8_t n_copies = a->flags & FLAG(AQL_QUEUE_MEM) ? 2 : 1;
	uint64_t size_b = bw_align_up(a->size / n_copies, BW_DRM_PAGE_B);
	if (!size_b)
		return -EINVAL;
	_cleanup_free_ struct bw_kfd_buffer *b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	*b = (struct bw_kfd_buffer){
		.va = a->va_addr, .size_b = size_b, .n_copies = n_copies, .flags = a->flags};
	int r = make_bo(p, a, size_b, fd, &b->bo);
	if (r)
		return r;
	r = bw_kfd_add_buffer(p, b, &a->handle);
	if (r) {
		bw_drm_bo_unref(b->bo);
		return r;
	}
	a->mmap_offset = a->flags & FLAG(MMIO_REMAP)
				 ? BW_KFD_MMAP_OFFSET(BW_KFD_MMAP_MMIO, p->gpu_id)
				 : b->bo->fake_offset;
	bw_take(b);
	return 0;
}

int bw_kfd_ioctl_alloc_memory(struct bw_drm_call *c, void *arg)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args *a = arg;
	struct bw_kfd *p = c->kfd;
	const uint32_t other = FLAG(VRAM) | FLAG(GTT) | FLAG(DOORBELL) | FLAG(MMIO_REMAP);
	_cleanup_close_ int fd = -1;
	int r = check_alloc(p, a);
	if (r)
		return r;
	if (!(a->flags & other)) {
		/* The client has made the pages shared (agent/memory/pages.c). */
		if ((a->mmap_offset | a->size) % BW_DRM_PAGE_B || c->fd_in < 0) {
			BW_LOG(INFO, "uapi",
			       "KFD: %llu bytes of the program at %#llx cannot become the virtual GPU's",
			       (unsigned long long)a->size, (unsigned long long)a->mmap_offset);
			return -EFAULT;
		}
		fd = bw_drm_user_pages(c, a->mmap_offset, a->size);
		if (fd < 0)
			return fd;
	}
	pthread_mutex_lock(&c->u->lock);
	r = add_buffer(p, a, &fd);
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

static void free_buffer(struct bw_kfd *p, struct bw_kfd_buffer *b)
{
	if (b->bo->kfd_vm == p->vm && !b->is_imported && b->bo != p->doorbells &&
	    b->bo != p->mmio && b->bo != p->event_page)
		b->bo->kfd_vm = NULL;
	bw_drm_bo_unref(b->bo);
	free(b);
}

int bw_kfd_ioctl_free_memory(struct bw_drm_call *c, void *arg)
{
	const struct kfd_ioctl_free_memory_of_gpu_args *a = arg;
	struct bw_kfd *p = c->kfd;
	pthread_mutex_lock(&c->u->lock);
	struct bw_kfd_buffer *b = bw_kfd_buffer(p, a->handle);
	int r = p->has_page_of_program && a->handle == p->event_page_handle ? -EPERM
		: !b							    ? -EINVAL
		: b->is_mapped						    ? -EBUSY
									    : 0;
	if (!r) {
		bw_ids_remove(&p->buffers, (uint32_t)a->handle);
		free_buffer(p, b);
	}
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

static void unmap_copies(struct bw_kfd *p, struct bw_kfd_buffer *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		bw_drm_vm_unmap(p->vm, b->bo, b->va + i * b->size_b);
}

void bw_kfd_free_memory(struct bw_kfd *p)
{
	bw_ids_each(&p->buffers, i) {
		struct bw_kfd_buffer *b = p->buffers.slot[i];
		if (b->is_mapped)
			unmap_copies(p, b, b->n_copies);
		free_buffer(p, b);
	}
	bw_ids_fini(&p->buffers);
	if (p->vm)
		bw_drm_vm_flush_updates(p->vm);
	bw_drm_exports_end(p->u, p);
	bw_drm_bo_unref(p->doorbells);
	bw_drm_bo_unref(p->mmio);
	bw_drm_bo_unref(p->event_page);
}

/* ---- mapping ---- */

/* get_pte_flags, and the memory type that gmc_v11_0_get_vm_pte gives coherent buffers */
static uint32_t page_flags(const struct bw_kfd_buffer *b)
{
	uint32_t flags = AMDGPU_VM_PAGE_READABLE;
	if (b->flags & FLAG(WRITABLE))
		flags |= AMDGPU_VM_PAGE_WRITEABLE;
	if (b->flags & FLAG(EXECUTABLE))
		flags |= AMDGPU_VM_PAGE_EXECUTABLE;
	if (b->flags & (FLAG(COHERENT) | FLAG(UNCACHED)))
		flags |= AMDGPU_VM_MTYPE_UC;
	return flags;
}

static int map_copies(struct bw_kfd *p, struct bw_kfd_buffer *b)
{
	for (unsigned i = 0; i < b->n_copies; i++) {
		const struct bw_drm_map m = {b->va + i * b->size_b, 0, b->size_b, page_flags(b)};
		int r = bw_drm_vm_map(p->vm, b->bo, &m);
		if (r) {
			unmap_copies(p, b, i);
			return r;
		}
	}
	return 0;
}

/* Both calls: the same struct, for each GPU in a list. */
static int for_each_gpu(struct bw_drm_call *c, struct kfd_ioctl_map_memory_to_gpu_args *a,
			int absent, int (*fn)(struct bw_kfd *p, struct bw_kfd_buffer *b))
{
	struct bw_kfd *p = c->kfd;
	_cleanup_free_ uint32_t *ids = NULL;
	if (!a->n_devices || a->n_success > a->n_devices)
		return -EINVAL;
	int r = bw_user_dup(c, a->device_ids_array_ptr, a->n_devices, sizeof(*ids), &ids);
	if (r)
		return r;
	pthread_mutex_lock(&c->u->lock);
	struct bw_kfd_buffer *b = bw_kfd_buffer(p, a->handle);
	r = a->handle >> 32 != p->gpu_id ? -EINVAL : !p->vm ? -ENODEV : b ? 0 : absent;
	for (uint32_t i = a->n_success; !r && i < a->n_devices; i++) {
		r = ids[i] == p->gpu_id ? fn(p, b) : -EINVAL;
		if (!r)
			a->n_success = i + 1;
	}
	if (p->vm)
		bw_drm_vm_flush_updates(p->vm);
	bw_kfd_flush_tlb(p);
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

static int map_buffer(struct bw_kfd *p, struct bw_kfd_buffer *b)
{
	int r = b->is_mapped ? 0 : map_copies(p, b);
	b->is_mapped |= !r;
	return r;
}

static int unmap_buffer(struct bw_kfd *p, struct bw_kfd_buffer *b)
{
	if (!b->is_mapped)
		return -EINVAL;
	unmap_copies(p, b, b->n_copies);
	b->is_mapped = false;
	return 0;
}

int bw_kfd_ioctl_map_memory(struct bw_drm_call *c, void *arg)
{
	return for_each_gpu(c, arg, -ENOMEM, map_buffer);
}

int bw_kfd_ioctl_unmap_memory(struct bw_drm_call *c, void *arg)
{
	_Static_assert(sizeof(struct kfd_ioctl_unmap_memory_from_gpu_args) ==
			       sizeof(struct kfd_ioctl_map_memory_to_gpu_args),
		       "the same members in both");
	return for_each_gpu(c, arg, -ENOMEM, unmap_buffer);
}

/* VRAM that is left, in pieces of 2 MiB (amdgpu_amdkfd_get_available_memory). */
int bw_kfd_ioctl_available_memory(struct bw_drm_call *c, void *arg)
{
	struct kfd_ioctl_get_available_memory_args *a = arg;
	const uint64_t piece_b = 2 << 20;
	uint64_t usable, total, gtt;
	if (a->gpu_id != c->kfd->gpu_id)
		return -EINVAL;
	pthread_mutex_lock(&c->u->lock);
	bw_drm_memory_sizes(c->u, &usable, &total, &gtt);
	a->available =
		usable > c->u->vram_used_b ? (usable - c->u->vram_used_b) / piece_b * piece_b : 0;
	pthread_mutex_unlock(&c->u->lock);
	return 0;
}

int bw_kfd_mmap(struct bw_kfd *p, uint64_t offset, uint64_t size_b, int *out_fd)
{
	static const uint64_t sizes[] = {
		[BW_KFD_MMAP_MMIO] = BW_DRM_PAGE_B, [BW_KFD_MMAP_DOORBELL] = BW_KFD_DOORBELLS_B};
	unsigned type = BW_KFD_MMAP_TYPE(offset);
	struct bw_drm_bo *bo = NULL;
	pthread_mutex_lock(&p->u->lock);
	int r = 0;
	if (type == BW_KFD_MMAP_EVENTS) {
		/* the program's own page, if it has given one, is mapped as what it is */
		bo = p->has_page_of_program ? NULL : p->event_page;
		r = bo && size_b <= bo->size_b ? 0 : -EINVAL;
	} else if (BW_KFD_MMAP_GPU(offset) != p->gpu_id) {
		r = -ENODEV;
	} else if (type == BW_KFD_MMAP_RESERVED) {
		r = -EINVAL; /* only APUs have it: their trap handler's pages */
	} else {
		struct bw_drm_bo **own = type == BW_KFD_MMAP_MMIO ? &p->mmio : &p->doorbells;
		r = size_b == sizes[type] ? bw_kfd_own_pages(p, own, size_b) : -EINVAL;
		bo = r ? NULL : *own;
	}
	if (!r) {
		*out_fd = fcntl(bo->fd, F_DUPFD_CLOEXEC, 3);
		r = *out_fd < 0 ? -errno : 0;
	}
	pthread_mutex_unlock(&p->u->lock);
	return r;
}
