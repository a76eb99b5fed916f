/* SPDX-License-Identifier: MIT */
/* Buffer objects. Each is one sealed memfd whose pages are placed in VRAM or system memory of the
 * device and are mapped by the programs that may access it, and only by those. */
#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/memfd.h"
#include "base/newer_drm.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/files.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/uapi_priv.h"

/* Domains that 6.12 knows and older headers do not (doc/hardware/kernel-interface.md 2.1). */
enum { DOMAIN_DOORBELL = 0x40, DOMAIN_KNOWN = 0x7f };
enum { LEAF_B = 2 << 20 };

struct bw_drm_bo *bw_drm_bo_get(struct bw_drm_file *f, uint32_t handle)
{
	return bw_ids_get(&f->bos, handle);
}

struct bw_drm_bo *bw_drm_bo_ref(struct bw_drm_bo *bo)
{
	if (bo)
		bo->refs++;
	return bo;
}

/* Takes its pages out of the GPU's memory; false: that is not possible now. */
static bool bo_unplace(struct bw_drm_bo *bo)
{
	struct bw_uapi *u = bo->u;
	if (bo->asked_domains & BW_DRM_DOMAINS_ON_CHIP)
		return true;
	if (bo->in_vram ? !bw_device_vram_detach(u->dev, bo->address, bo->size_b)
			: !bw_device_sysmem_detach(u->dev, bo->address, bo->size_b))
		return false;
	bw_ranges_add(bo->in_vram ? &u->vram : &u->gtt, bo->address, bo->size_b);
	return true;
}

/* Freed buffers whose pages programs may still have mapped: their places are not used again until
 * the pages have been taken out. */
static void unplace_stuck(struct bw_uapi *u)
{
	while (u->stuck && bo_unplace(u->stuck)) {
		struct bw_drm_bo *bo = u->stuck;
		u->stuck = bo->next_stuck;
		free(bo);
	}
}

void bw_drm_bos_fini(struct bw_uapi *u)
{
	while (u->stuck) {
		struct bw_drm_bo *bo = u->stuck;
		u->stuck = bo->next_stuck;
		free(bo);
	}
	bw_vec_free(&u->bos);
}

void bw_drm_bo_unref(struct bw_drm_bo *bo)
{
	if (!bo || --bo->refs)
		return;
	struct bw_uapi *u = bo->u;
	bw_ranges_add(&u->fake, bo->fake_offset, bo->size_b);
	bw_vec_remove_fast(&u->bos, bo->at);
	u->bos.data[bo->at]->at = bo->at;
	if (!(bo->asked_domains & BW_DRM_DOMAINS_ON_CHIP))
		bw_drm_count_placed(u, bo->account, bo->in_vram, -(int64_t)bo->size_b);
	bw_drm_release(u, bo->account);
	u->n_bos--;
	u->bo_bytes -= bo->size_b;
	close(bo->fd);
	bw_drm_fences_fini(&bo->busy);
	if (bo_unplace(bo)) {
		free(bo);
		unplace_stuck(u);
	} else {
		BW_LOG(WARN, "uapi",
		       "no mapping to take a buffer's pages away: their place stays unused");
		bo->next_stuck = u->stuck;
		u->stuck = bo;
	}
}

struct bw_drm_fences *bw_drm_bo_busy(struct bw_drm_bo *bo)
{
	return bo->vm ? &bo->vm->busy : &bo->busy;
}

uint8_t *bw_drm_bo_cpu(struct bw_drm_bo *bo, uint64_t offset_b, uint64_t size_b)
{
	if (offset_b > bo->size_b || size_b > bo->size_b - offset_b ||
	    bo->asked_domains & BW_DRM_DOMAINS_ON_CHIP)
		return NULL;
	return bo->in_vram ? bw_device_vram(bo->u->dev) + bo->address + offset_b
			   : bw_device_sysmem(bo->u->dev, bo->address + offset_b, size_b);
}

/* Finds a place and puts the memfd there, from fd_at_b on. */
static int bo_place(struct bw_drm_bo *bo, bool vram, uint64_t align_b, uint64_t fd_at_b)
{
	struct bw_uapi *u = bo->u;
	struct bw_ranges *ranges = vram ? &u->vram : &u->gtt;
	uint64_t address;
	/* gfx11 has no such memory: the buffer is a number and a size, as to Linux's driver. */
	if (bo->asked_domains & BW_DRM_DOMAINS_ON_CHIP)
		return 0;
	if (!bw_drm_may_place(u, bo->account, vram, bo->size_b) ||
	    !bw_ranges_alloc(ranges, bo->size_b, align_b, &address))
		return -ENOMEM;
	struct bw_error *err =
		vram ? bw_device_vram_attach(u->dev, address, bo->size_b, bo->fd, fd_at_b)
		     : bw_device_sysmem_attach(u->dev, address, bo->size_b, bo->fd, fd_at_b);
	if (err) {
		BW_LOG(WARN, "uapi", "placing a buffer: %s", err->message);
		bw_error_free(err);
		bw_ranges_add(ranges, address, bo->size_b);
		return -ENOMEM;
	}
	bo->in_vram = vram;
	bo->address = address;
	bw_drm_count_placed(u, bo->account, vram, (int64_t)bo->size_b);
	return 0;
}

static int bo_memory(uint64_t size_b, uint64_t *out_dev, uint64_t *out_ino)
{
	_cleanup_close_ int fd = bw_memfd_sealed("breakwater-bo", size_b);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0)
		return -ENOMEM;
	*out_dev = st.st_dev;
	*out_ino = st.st_ino;
	return bw_take_fd(fd);
}

int bw_drm_bo_create(struct bw_uapi *u, struct bw_drm_account *account,
		     const struct bw_drm_bo_request *a, struct bw_drm_bo **out)
{
	uint64_t usable_vram, total_gtt, usable_gtt;
	bw_drm_memory_sizes(u, &usable_vram, &total_gtt, &usable_gtt);
	bool vram = a->domains & AMDGPU_GEM_DOMAIN_VRAM;
	/* Nothing and all pages of 64 bits have no place among offsets for mmap. */
	uint64_t size_b = bw_align_up(a->size_b, BW_DRM_PAGE_B);
	if (!size_b)
		return -ENOSPC;
	/* amdgpu_bo_validate_size */
	if (!(a->domains & BW_DRM_DOMAINS_ON_CHIP) && a->memory < 0 &&
	    size_b > BW_MAX(usable_vram, total_gtt))
		return -ENOMEM;
	_cleanup_free_ struct bw_drm_bo *bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	*bo = (struct bw_drm_bo){.refs = 1,
				 .u = u,
				 .size_b = size_b,
				 .asked_alignment_b = a->align_b,
				 .asked_domains = a->domains,
				 .flags = a->flags};
	unplace_stuck(u);
	struct bw_error *err = bw_vec_reserve(&u->bos, u->bos.len + 1);
	if (err) {
		bw_error_free(err);
		return -ENOMEM;
	}
	/* Aligned so that a mapping with an aligned address gets a 2 MiB leaf. */
	uint64_t place = BW_MAX(bw_align_up(a->align_b, BW_DRM_PAGE_B), (uint64_t)BW_DRM_PAGE_B);
	if (bo->size_b >= LEAF_B)
		place = bw_align_up(place, LEAF_B);
	bo->account = bw_drm_hold(u, account);
	if (!bo->account)
		return -ENOMEM;
	if (!bw_ranges_alloc(&u->fake, bo->size_b, BW_DRM_PAGE_B, &bo->fake_offset)) {
		bw_drm_release(u, bo->account);
		return -ENOSPC;
	}
	bo->fd = a->memory >= 0 ? a->memory : bo_memory(bo->size_b, &bo->dev, &bo->ino);
	const bool may_be_gtt = vram && (a->domains & AMDGPU_GEM_DOMAIN_GTT);
	int r = bo->fd;
	if (r >= 0) {
		do {
			r = bo_place(bo, vram, place, a->memory_at_b);
			if (r && may_be_gtt)
				r = bo_place(bo, false, place, a->memory_at_b);
		} while (r && bw_drm_exports_look(u));
	}
	if (r) {
		bw_ranges_add(&u->fake, bo->fake_offset, bo->size_b);
		bw_drm_release(u, bo->account);
		if (bo->fd >= 0 && a->memory < 0)
			close(bo->fd);
		return r;
	}
	bo->at = u->bos.len;
	u->n_bos++;
	u->bo_bytes += bo->size_b;
	u->bos.data[u->bos.len++] = bo;
	*out = bw_take(bo);
	return 0;
}

int bw_drm_bo_add_handle(struct bw_drm_file *f, struct bw_drm_bo *bo, uint32_t *out_handle)
{
	int r = bw_ids_add(&f->bos, bo, out_handle);
	if (r)
		bw_drm_bo_unref(bo);
	else
		bo->n_handles++;
	return r;
}

/* One of domains 0x7, or exactly one on-chip one (amdgpu_gem_are_domains_valid). */
static bool domains_valid(uint32_t domains)
{
	uint32_t memory = AMDGPU_GEM_DOMAIN_CPU | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_VRAM;
	uint32_t on_chip = domains & BW_DRM_DOMAINS_ON_CHIP;
	return !on_chip || (!(domains & memory) && !(on_chip & (on_chip - 1)));
}

/* Bytes there are pages here (amdgpu_bo_create). */
static void on_chip_size(bool is_gds, uint64_t *size, uint32_t *align)
{
	enum { GDS_UNIT = 4, PAGE_SHIFT = 12 };
	if (is_gds) {
		*size = bw_align_up(*size, GDS_UNIT);
		*align = (uint32_t)bw_align_up(*align, GDS_UNIT);
	}
	*size <<= PAGE_SHIFT;
	*align <<= PAGE_SHIFT;
}

int bw_ioctl_gem_create(struct bw_drm_call *c, void *arg)
{
	union drm_amdgpu_gem_create *a = arg;
	uint64_t flags = a->in.domain_flags, domains = a->in.domains;
	const uint64_t allowed =
		AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED | AMDGPU_GEM_CREATE_NO_CPU_ACCESS |
		AMDGPU_GEM_CREATE_CPU_GTT_USWC | AMDGPU_GEM_CREATE_VRAM_CLEARED |
		AMDGPU_GEM_CREATE_VM_ALWAYS_VALID | AMDGPU_GEM_CREATE_EXPLICIT_SYNC |
		AMDGPU_GEM_CREATE_ENCRYPTED | BW_GEM_CREATE_GFX12_DCC | BW_GEM_CREATE_DISCARDABLE;
	if (domains & DOMAIN_DOORBELL || flags & ~allowed || domains & ~(uint64_t)DOMAIN_KNOWN ||
	    !domains_valid((uint32_t)domains) || flags & AMDGPU_GEM_CREATE_ENCRYPTED)
		return -EINVAL;
	uint64_t size_b = a->in.bo_size;
	uint32_t align_b = (uint32_t)a->in.alignment; /* an int there */
	if (domains & BW_DRM_DOMAINS_ON_CHIP) {
		if (flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID)
			return -EINVAL;
		flags |= AMDGPU_GEM_CREATE_NO_CPU_ACCESS;
		on_chip_size(domains & AMDGPU_GEM_DOMAIN_GDS, &size_b, &align_b);
	} else {
		align_b = (uint32_t)bw_align_up(align_b, BW_DRM_PAGE_B);
	}
	/* The flags that amdgpu_gem_object_create adds; CPU_ACCESS_REQUIRED is dropped, as the CPU
	 * can access all of VRAM. */
	flags |= AMDGPU_GEM_CREATE_VRAM_CLEARED | AMDGPU_GEM_CREATE_VRAM_WIPE_ON_RELEASE;
	flags &= ~(uint64_t)AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED;

	struct bw_drm_bo *bo;
	uint32_t handle;
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_bo_request request = {.size_b = size_b,
					    .align_b = align_b,
					    .flags = flags,
					    .domains = (uint32_t)domains,
					    .memory = -1};
	int r = bw_drm_bo_create(c->u, c->file->account, &request, &bo);
	/* A buffer that VRAM has no room for goes to system memory. */
	if (r && domains == AMDGPU_GEM_DOMAIN_VRAM) {
		request.domains |= AMDGPU_GEM_DOMAIN_GTT;
		r = bw_drm_bo_create(c->u, c->file->account, &request, &bo);
	}
	if (!r) {
		if (flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID)
			bo->vm = c->file->vm;
		r = bw_drm_bo_add_handle(c->file, bo, &handle);
	}
	pthread_mutex_unlock(&c->u->lock);
	if (r)
		return r;
	memset(a, 0, sizeof(*a));
	a->out.handle = handle;
	return 0;
}

/* amdgpu_mode_dumb_mmap; the offset is untouched on failure. */
static int offset_of(struct bw_drm_call *c, uint32_t handle, uint64_t *out_offset)
{
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_bo *bo = bw_drm_bo_get(c->file, handle);
	int r = !bo							  ? -ENOENT
		: bo->user || bo->flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS ? -EPERM
									  : 0;
	if (!r)
		*out_offset = bo->fake_offset;
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

int bw_ioctl_gem_mmap(struct bw_drm_call *c, void *arg)
{
	union drm_amdgpu_gem_mmap *a = arg;
	uint64_t offset = 0;
	int r = offset_of(c, a->in.handle, &offset);
	a->out.addr_ptr = offset;
	return r;
}

int bw_ioctl_map_dumb(struct bw_drm_call *c, void *arg)
{
	struct drm_mode_map_dumb *a = arg;
	uint64_t offset = a->offset;
	int r = offset_of(c, a->handle, &offset);
	a->offset = offset;
	return r;
}

/* Bytes from one line to the next (amdgpu_gem_align_pitch); 0: more than 32 bits. */
static uint32_t dumb_pitch(uint32_t width, uint32_t pixel_b)
{
	uint32_t mask = pixel_b == 1 ? 255 : pixel_b == 2 ? 127 : pixel_b <= 4 ? 63 : 0, pitch;
	if (__builtin_add_overflow(width, mask, &width) ||
	    __builtin_mul_overflow(width & ~mask, pixel_b, &pitch))
		return 0;
	return pitch;
}

/* drm_mode_create_dumb, then amdgpu_mode_dumb_create */
int bw_ioctl_create_dumb(struct bw_drm_call *c, void *arg)
{
	struct drm_mode_create_dumb *a = arg;
	uint32_t size, line;
	if (!a->width || !a->height || !a->bpp || a->bpp > UINT32_MAX - 8)
		return -EINVAL;
	uint32_t pixel_b = (a->bpp + 7) / 8;
	if (__builtin_mul_overflow(pixel_b, a->width, &line) ||
	    __builtin_mul_overflow(line, a->height, &size) ||
	    size > UINT32_MAX - (BW_DRM_PAGE_B - 1))
		return -EINVAL;
	a->handle = 0;
	a->pitch = dumb_pitch(a->width, pixel_b);
	a->size = 0;
	if (!a->pitch)
		return -EINVAL;
	a->size = bw_align_up((uint64_t)a->pitch * a->height, BW_DRM_PAGE_B);
	struct bw_drm_bo_request request = {
		.size_b = a->size,
		.domains = AMDGPU_GEM_DOMAIN_VRAM,
		.flags = AMDGPU_GEM_CREATE_CPU_GTT_USWC | AMDGPU_GEM_CREATE_VRAM_CONTIGUOUS |
			 AMDGPU_GEM_CREATE_VRAM_CLEARED | AMDGPU_GEM_CREATE_VRAM_WIPE_ON_RELEASE,
		.memory = -1};
	struct bw_drm_bo *bo;
	pthread_mutex_lock(&c->u->lock);
	int r = bw_drm_bo_create(c->u, c->file->account, &request, &bo) ? -ENOMEM : 0;
	if (!r)
		r = bw_drm_bo_add_handle(c->file, bo, &a->handle);
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

int bw_drm_mmap(struct bw_drm_file *f, uint64_t offset, uint64_t size_b, int *out_fd,
		uint64_t *out_fd_offset)
{
	struct bw_uapi *u = f->u;
	struct bw_drm_bo *bo = NULL;
	if (bw_drm_file_gone(f))
		return -ENODEV;
	pthread_mutex_lock(&u->lock);
	bw_vec_each(&u->bos, it)
		if ((*it)->fake_offset == offset)
			bo = *it;
	/* drm_gem_mmap: the start must be that of a buffer, and the file must have a handle to it.
	 */
	int r = !bo || size_b > bo->size_b || !size_b ? -EINVAL : -EACCES;
	if (r == -EACCES && bo->kfd_vm == f->vm)
		r = 0;
	if (r == -EACCES) {
		bw_ids_each(&f->bos, i)
			if (f->bos.slot[i] == bo)
				r = 0;
	}
	if (!r && (bo->user || bo->flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS))
		r = -EPERM;
	if (!r) {
		*out_fd = fcntl(bo->fd, F_DUPFD_CLOEXEC, 3);
		*out_fd_offset = 0;
		r = *out_fd < 0 ? -errno : 0;
	}
	pthread_mutex_unlock(&u->lock);
	return r;
}

int bw_ioctl_gem_metadata(struct bw_drm_call *c, void *arg)
{
	struct drm_amdgpu_gem_metadata *a = arg;
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_bo *bo = bw_drm_bo_get(c->file, a->handle);
	int r = bo ? 0 : -ENOENT;
	if (r) {
	} else if (a->op == AMDGPU_GEM_METADATA_OP_GET_METADATA) {
		a->data.flags = bo->meta_flags;
		a->data.tiling_info = bo->tiling;
		a->data.data_size_bytes = bo->metadata_b;
		memcpy(a->data.data, bo->metadata, bo->metadata_b);
	} else if (a->op == AMDGPU_GEM_METADATA_OP_SET_METADATA) {
		if (a->data.data_size_bytes > sizeof(a->data.data)) {
			r = -EINVAL;
		} else {
			bo->tiling = a->data.tiling_info;
			/* amdgpu_bo_set_metadata has nothing to do without data. */
			if (a->data.data_size_bytes)
				bo->meta_flags = a->data.flags;
			bo->metadata_b = a->data.data_size_bytes;
			memcpy(bo->metadata, a->data.data, bo->metadata_b);
		}
	}
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

static bool bo_idle(void *arg)
{
	return bw_drm_fences_signaled(bw_drm_bo_busy(arg));
}

int bw_ioctl_gem_wait_idle(struct bw_drm_call *c, void *arg)
{
	union drm_amdgpu_gem_wait_idle *a = arg;
	int64_t deadline = bw_drm_deadline(a->in.timeout);
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_bo *bo = bw_drm_bo_ref(bw_drm_bo_get(c->file, a->in.handle));
	int r = bo ? bw_drm_wait(c, deadline, bo_idle, bo) : -ENOENT;
	bw_drm_bo_unref(bo);
	pthread_mutex_unlock(&c->u->lock);
	if (r && r != -ETIME)
		return r;
	memset(a, 0, sizeof(*a));
	a->out.status = r == -ETIME;
	return 0;
}

int bw_ioctl_gem_op(struct bw_drm_call *c, void *arg)
{
	struct drm_amdgpu_gem_op *a = arg;
	struct drm_amdgpu_gem_create_in info = {0};
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_bo *bo = bw_drm_bo_get(c->file, a->handle);
	int r = bo ? 0 : -ENOENT;
	if (r) {
	} else if (a->op == AMDGPU_GEM_OP_GET_GEM_CREATE_INFO) {
		info = (struct drm_amdgpu_gem_create_in){
			bo->size_b, bw_align_up(bo->asked_alignment_b, BW_DRM_PAGE_B),
			bo->asked_domains, bo->flags};
	} else if (a->op == AMDGPU_GEM_OP_SET_PLACEMENT) {
		/* The placement is only a hint; buffers here stay where they are. */
		r = bo->user ? -EPERM : 0;
		if (!r && !(bo->asked_domains & BW_DRM_DOMAINS_ON_CHIP))
			bo->asked_domains =
				a->value & (AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT |
					    AMDGPU_GEM_DOMAIN_CPU);
	} else {
		r = -EINVAL;
	}
	pthread_mutex_unlock(&c->u->lock);
	if (!r && a->op == AMDGPU_GEM_OP_GET_GEM_CREATE_INFO)
		r = bw_user_write(c, a->value, &info, sizeof(info));
	return r;
}

/* Only memory that no process can shrink, or reading it here would end the GPU for all clients. */
int bw_drm_user_pages(struct bw_drm_call *c, uint64_t va, uint64_t size_b)
{
	const int wanted = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	struct stat st;
	uint64_t end;
	/* F_SEAL_EXEC comes with vm.memfd_noexec, and with our own files */
	if ((fcntl(c->fd_in, F_GET_SEALS) & ~F_SEAL_EXEC) != wanted || fstat(c->fd_in, &st) < 0 ||
	    __builtin_add_overflow(va, size_b, &end) || (uint64_t)st.st_size < end)
		return -EFAULT;
	int fd = fcntl(c->fd_in, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? -errno : fd;
}

int bw_ioctl_gem_userptr(struct bw_drm_call *c, void *arg)
{
	struct drm_amdgpu_gem_userptr *a = arg;
	const uint32_t known = AMDGPU_GEM_USERPTR_READONLY | AMDGPU_GEM_USERPTR_ANONONLY |
			       AMDGPU_GEM_USERPTR_VALIDATE | AMDGPU_GEM_USERPTR_REGISTER;
	if ((a->addr | a->size) & (BW_DRM_PAGE_B - 1) || a->flags & ~known)
		return -EINVAL;
	if (!(a->flags & AMDGPU_GEM_USERPTR_READONLY) && !(a->flags & AMDGPU_GEM_USERPTR_REGISTER))
		return -EACCES;
	if (!a->size || a->size > BW_DRM_MAX_OFFSETS_B)
		return -ENOSPC;
	/* The client has made the pages shared and passes them (agent/memory/pages.c). Without
	 * that, what a kernel without MMU notifiers says. */
	if (c->fd_in < 0) {
		BW_LOG(INFO, "uapi",
		       "GEM_USERPTR: these pages of the program cannot become the virtual GPU's");
		return -ENODEV;
	}
	int fd = bw_drm_user_pages(c, a->addr, a->size);
	if (fd < 0)
		return fd;
	struct bw_drm_bo *bo;
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_bo_request request = {.size_b = a->size,
					    .domains = AMDGPU_GEM_DOMAIN_GTT,
					    .memory = fd,
					    .memory_at_b = a->addr};
	int r = bw_drm_bo_create(c->u, c->file->account, &request, &bo);
	if (!r) {
		bo->user = true;
		bo->user_read_only = a->flags & AMDGPU_GEM_USERPTR_READONLY;
		r = bw_drm_bo_add_handle(c->file, bo, &a->handle);
	} else {
		close(fd);
	}
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

/* A handle of a file is gone from its table. */
static void drop_handle(struct bw_drm_file *f, struct bw_drm_bo *bo)
{
	struct bw_uapi *u = f->u;
	/* The name ends with the last handle, whatever else keeps the buffer. */
	if (!--bo->n_handles && bo->name) {
		bw_ids_remove(&u->names, bo->name);
		bo->name = 0;
	}
	/* The buffer may outlive the VM, held by a mapping of a job that has not ended yet. */
	if (bo->vm == f->vm && !bo->n_handles)
		bo->vm = NULL;
	bw_drm_bo_unref(bo);
}

/* drm_gem_handle_delete */
static int close_handle(struct bw_drm_call *c, uint32_t handle)
{
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_bo *bo = bw_ids_remove(&c->file->bos, handle);
	if (bo) {
		bool has_more = false; /* GEM_OPEN gives a file a second handle */
		if (bo->n_handles > 1)
			bw_ids_each(&c->file->bos, i)
				has_more |= c->file->bos.slot[i] == bo;
		/* Mappings go with the file's last handle (amdgpu_gem_object_close). */
		if (!has_more)
			bw_drm_vm_forget_bo(c->file->vm, bo);
		drop_handle(c->file, bo);
	}
	pthread_mutex_unlock(&c->u->lock);
	return bo ? 0 : -EINVAL;
}

int bw_ioctl_gem_close(struct bw_drm_call *c, void *arg)
{
	return close_handle(c, ((const struct drm_gem_close *)arg)->handle);
}

int bw_ioctl_destroy_dumb(struct bw_drm_call *c, void *arg)
{
	return close_handle(c, ((const struct drm_mode_destroy_dumb *)arg)->handle);
}

/* Mapped buffers stay mapped for jobs that have not ended yet; the VM's end frees them. */
void bw_drm_file_close_bos(struct bw_drm_file *f)
{
	bw_ids_each(&f->bos, i) {
		struct bw_drm_bo *bo = f->bos.slot[i];
		f->bos.slot[i] = NULL;
		drop_handle(f, bo);
	}
	bw_ids_fini(&f->bos);
	bw_drm_exports_end(f->u, f);
}
