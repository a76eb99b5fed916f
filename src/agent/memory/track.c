/* SPDX-License-Identifier: MIT */
#include "agent/memory/track.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "agent/memory/cpu_writes.h"
#include "agent/memory/largest_map.h"
#include "agent/memory/memory.h"
#include "agent/memory/track_kfd.h"
#include "agent/memory/track_priv.h"
#include "base/util.h"

#define AMDGPU_NR(cmd) (_IOC_NR(cmd) - DRM_COMMAND_BASE)

struct bw_track *bw_track_new(void)
{
	struct bw_track *t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	pthread_mutex_init(&t->patch_lock, NULL);
	return t;
}

void bw_track_free(struct bw_track *t)
{
	if (!t)
		return;
	bw_vec_each(&t->bos, bo) {
		bw_track_unmap_cpu(bo->cpu, bo->size_b);
		bw_cpu_writes_forget(bo->serial);
	}
	bw_table_free(&t->bos);
	bw_vec_free(&t->maps);
	bw_vec_free(&t->patches);
	free(t);
}

void bw_track_fork_child(struct bw_track *t)
{
	if (!t)
		return;
	pthread_mutex_init(&t->lock, NULL);
	pthread_mutex_init(&t->patch_lock, NULL);
}

/* Buffers */

void bw_track_add(struct bw_track *t, struct bw_track_bo bo)
{
	static _Atomic uint64_t last_serial;
	pthread_mutex_lock(&t->lock);
	bo.serial = ++last_serial;
	if (bo.handle && !bw_table_find(&t->bos, bo.handle))
		bw_error_free(bw_table_add(&t->bos,
					   bo)); /* out of memory: its contents stay out of reach */
	pthread_mutex_unlock(&t->lock);
}

/* Removes a buffer and its mappings, which the kernel removes, too (amdgpu_gem_object_close of
 * Linux 6.12). */
void bw_track_remove(struct bw_track *t, uint32_t handle)
{
	const uint64_t by = bw_freed_by();
	pthread_mutex_lock(&t->lock);
	bw_vec_each(&t->maps, m)
		if (m->bo_handle == handle)
			bw_freed_note(&t->freed, m->va, m->size_b, by);
	bw_vec_drop(&t->maps, m, m->bo_handle == handle);
	struct bw_track_bo *bo = bw_table_find(&t->bos, handle);
	if (bo) {
		bw_track_unmap_cpu(bo->cpu, bo->size_b);
		bw_cpu_writes_forget(bo->serial);
		bw_table_remove(&t->bos, handle);
	}
	pthread_mutex_unlock(&t->lock);
}

/* Address ranges */

size_t bw_track_find_range(const struct bw_track *t, uint64_t va)
{
	size_t lo = 0, hi = t->maps.len;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct bw_agent_map *m = &t->maps.data[mid];
		if (m->va + m->size_b <= va)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void insert_range(struct bw_track *t, struct bw_agent_map map)
{
	/* without memory it is as if it were not mapped */
	bw_error_free(bw_vec_insert(&t->maps, bw_track_find_range(t, map.va), map));
}

void bw_track_clear_range(struct bw_track *t, uint64_t va, uint64_t size_b, uint64_t by)
{
	uint64_t end = va + size_b;
	for (size_t i = bw_track_find_range(t, va); i < t->maps.len && t->maps.data[i].va < end;) {
		struct bw_agent_map old = t->maps.data[i];
		uint64_t old_end = old.va + old.size_b, from = BW_MAX(old.va, va);
		bw_vec_remove(&t->maps, i);
		bw_freed_note(&t->freed, from, BW_MIN(old_end, end) - from, by);
		if (old.va < va) {
			struct bw_agent_map left = old;
			left.size_b = va - old.va;
			insert_range(t, left);
			i++;
		}
		if (old_end > end) {
			struct bw_agent_map right = old;
			right.va = end;
			right.size_b = old_end - end;
			right.bo_offset_b += end - old.va;
			insert_range(t, right);
			i++;
		}
	}
}

void bw_track_map_range(struct bw_track *t, struct bw_agent_map map)
{
	bw_track_clear_range(t, map.va, map.size_b, 0);
	insert_range(t, map);
}

static void note_va(struct bw_track *t, const struct drm_amdgpu_gem_va *a)
{
	struct bw_agent_map map = {
		.va = a->va_address & BW_VA_MASK,
		.size_b = a->map_size,
		.bo_offset_b = a->offset_in_bo,
		.flags = a->flags,
		.bo_handle = a->handle,
	};
	const bool unmaps = a->operation != AMDGPU_VA_OP_MAP;
	const uint64_t by = unmaps ? bw_freed_by() : 0;
	pthread_mutex_lock(&t->lock);
	size_t at;
	switch (a->operation) {
	case AMDGPU_VA_OP_UNMAP:
		/* Unmaps the whole mapping at this address, whatever size was given
		 * (amdgpu_vm_bo_unmap). */
		at = bw_track_find_range(t, map.va);
		if (at < t->maps.len && t->maps.data[at].va == map.va) {
			bw_freed_note(&t->freed, map.va, t->maps.data[at].size_b, by);
			bw_vec_remove(&t->maps, at);
		}
		break;
	case AMDGPU_VA_OP_CLEAR:
		bw_track_clear_range(t, map.va, map.size_b, by);
		break;
	case AMDGPU_VA_OP_MAP:
	case AMDGPU_VA_OP_REPLACE:
		bw_track_map_range(t, map);
		break;
	default:
		break;
	}
	pthread_mutex_unlock(&t->lock);
}

/* ioctls */

static int gem_create(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	union drm_amdgpu_gem_create a;
	if (_IOC_SIZE(cmd) != sizeof(a) || !bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a)))
		return bw_agent_ioctl(f, cmd, arg);
	struct bw_track_bo bo = {.size_b = a.in.bo_size, .domains = (uint32_t)a.in.domains};
	/* Buffers that only the GPU uses (scratch) are what a debugger wants to look into. */
	a.in.domain_flags &= ~(uint64_t)AMDGPU_GEM_CREATE_NO_CPU_ACCESS;
	int r = bw_agent_ioctl(f, cmd, &a);
	if (r)
		return r;
	memcpy(arg, &a, sizeof(a));
	bo.handle = a.out.handle;
	bw_track_add(f->track, bo);
	return 0;
}

static int gem_va(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	struct drm_amdgpu_gem_va a = {0};
	if (_IOC_SIZE(cmd) < sizeof(a) || !bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a)))
		return bw_agent_ioctl(f, cmd, arg);
	if (a.operation != AMDGPU_VA_OP_MAP)
		bw_memory_unpatch_range(f, a.va_address & BW_VA_MASK, a.map_size);
	int r = bw_agent_ioctl(f, cmd, arg);
	if (!r) {
		note_va(f->track, &a);
		if (a.operation == AMDGPU_VA_OP_MAP)
			bw_largest_map_note(f, a.va_address, a.map_size);
	}
	return r;
}

static int gem_close(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	uint32_t handle; /* the first member, of DESTROY_DUMB too */
	bool known = bw_agent_copy_in(&handle, (uintptr_t)arg, sizeof(handle));
	int r = bw_agent_ioctl(f, cmd, arg);
	if (!r && known)
		bw_track_remove(f->track, handle);
	return r;
}

static int create_dumb(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	struct drm_mode_create_dumb a;
	int r = bw_agent_ioctl(f, cmd, arg);
	if (!r && _IOC_SIZE(cmd) == sizeof(a) && bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a)))
		bw_track_add(f->track, (struct bw_track_bo){.handle = a.handle,
							    .size_b = a.size,
							    .domains = AMDGPU_GEM_DOMAIN_VRAM});
	return r;
}

static int gem_userptr(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	struct drm_amdgpu_gem_userptr a;
	int r = bw_agent_ioctl(f, cmd, arg);
	if (!r && bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a)))
		bw_track_add(f->track, (struct bw_track_bo){.handle = a.handle,
							    .size_b = a.size,
							    .domains = AMDGPU_GEM_DOMAIN_GTT,
							    .user = (uint8_t *)(uintptr_t)a.addr,
							    .is_shared = true});
	return r;
}

static void note_shared(struct bw_track *t, uint32_t handle)
{
	pthread_mutex_lock(&t->lock);
	struct bw_track_bo *bo = bw_table_find(&t->bos, handle);
	if (bo) {
		bo->is_shared = true;
		bw_cpu_writes_unknown(bo->serial);
	}
	pthread_mutex_unlock(&t->lock);
}

static int prime_import(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	struct drm_prime_handle a;
	int r = bw_agent_ioctl(f, cmd, arg);
	if (r || !bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a)))
		return r;
	struct drm_amdgpu_gem_create_in info = {0};
	struct drm_amdgpu_gem_op op = {.handle = a.handle,
				       .op = AMDGPU_GEM_OP_GET_GEM_CREATE_INFO,
				       .value = (uintptr_t)&info};
	if (!bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_GEM_OP, &op))
		bw_track_add(f->track, (struct bw_track_bo){.handle = a.handle,
							    .size_b = info.bo_size,
							    .domains = (uint32_t)info.domains,
							    .is_shared = true});
	note_shared(f->track, a.handle); /* it may have been there */
	return r;
}

/* The program can write it by other means than the GPU from now on. handle: the first member of
 * what the ioctl takes, in all of them. */
static int share(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	uint32_t handle;
	if (bw_agent_copy_in(&handle, (uintptr_t)arg, sizeof(handle)))
		note_shared(f->track, handle);
	return bw_agent_ioctl(f, cmd, arg);
}

/* The program can write it from when it has mapped it. */
static int gem_mmap(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	union drm_amdgpu_gem_mmap in, out;
	bool known = bw_agent_copy_in(&in, (uintptr_t)arg, sizeof(in));
	int r = bw_agent_ioctl(f, cmd, arg);
	if (r || !known || !bw_agent_copy_in(&out, (uintptr_t)arg, sizeof(out)))
		return r;
	pthread_mutex_lock(&f->track->lock);
	struct bw_track_bo *bo = bw_table_find(&f->track->bos, in.in.handle);
	if (bo) {
		bo->is_shared = true;
		bo->mmap_offset = out.out.addr_ptr;
	}
	pthread_mutex_unlock(&f->track->lock);
	return 0;
}

void bw_track_mapped(struct bw_agent_file *f, uint64_t offset, void *at, size_t size_b,
		     bool watches)
{
	struct bw_track *t = f->track;
	pthread_mutex_lock(&t->lock);
	bw_vec_each(&t->bos, bo) {
		if (!bo->mmap_offset || offset < bo->mmap_offset ||
		    offset - bo->mmap_offset >= bo->size_b)
			continue;
		if (watches && f->own_fd < 0)
			bw_cpu_writes_mapped(bo->serial, at, size_b, offset - bo->mmap_offset);
		else
			bw_cpu_writes_unknown(bo->serial);
		break;
	}
	pthread_mutex_unlock(&t->lock);
}

int bw_track_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
	case _IOC_NR(DRM_IOCTL_MODE_DESTROY_DUMB):
		return gem_close(f, cmd, arg);
	case _IOC_NR(DRM_IOCTL_MODE_CREATE_DUMB):
		return create_dumb(f, cmd, arg);
	case _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE):
		return prime_import(f, cmd, arg);
	case _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD):
	case _IOC_NR(DRM_IOCTL_GEM_FLINK):
	case _IOC_NR(DRM_IOCTL_MODE_MAP_DUMB):
		return share(f, cmd, arg);
	case DRM_COMMAND_BASE + DRM_AMDGPU_GEM_MMAP:
		return gem_mmap(f, cmd, arg);
	case DRM_COMMAND_BASE + DRM_AMDGPU_GEM_CREATE:
		return gem_create(f, cmd, arg);
	case DRM_COMMAND_BASE + DRM_AMDGPU_GEM_VA:
		return gem_va(f, cmd, arg);
	case DRM_COMMAND_BASE + DRM_AMDGPU_GEM_USERPTR:
		return gem_userptr(f, cmd, arg);
	default:
		return bw_agent_ioctl(f, cmd, arg);
	}
}

struct bw_error *bw_track_maps(struct bw_agent_file *f, struct bw_agent_maps *out)
{
	struct bw_track *t = f->track;
	pthread_mutex_lock(&t->lock);
	struct bw_error *err = bw_vec_reserve(out, t->maps.len);
	if (!err) {
		if (t->maps.len)
			memcpy(out->data, t->maps.data, t->maps.len * sizeof(*out->data));
		out->len = t->maps.len;
		bw_vec_each(out, m) {
			const struct bw_track_bo *bo = bw_table_find(&t->bos, m->bo_handle);
			m->va = bw_canonical(m->va);
			m->bo_size_b = bo ? bo->size_b : 0;
			m->domains = bo ? bo->domains : 0;
		}
	}
	pthread_mutex_unlock(&t->lock);
	return err;
}

bool bw_track_freed(struct bw_agent_file *f, uint64_t va, struct bw_freed *out)
{
	struct bw_track *t = f->track;
	pthread_mutex_lock(&t->lock);
	bool found = bw_freed_find(&t->freed, va & BW_VA_MASK, out);
	pthread_mutex_unlock(&t->lock);
	return found;
}

bool bw_track_is_taken(struct bw_agent_file *f, uint64_t va, uint64_t size_b, uint64_t *out_va)
{
	struct bw_track *t = f->track;
	pthread_mutex_lock(&t->lock);
	size_t i = bw_track_find_range(t, va);
	bool taken = i < t->maps.len && t->maps.data[i].va < va + size_b;
	if (taken)
		*out_va = t->maps.data[i].va;
	pthread_mutex_unlock(&t->lock);
	return taken;
}

bool bw_track_is_readonly(struct bw_agent_file *f, uint64_t va, uint64_t size_b)
{
	struct bw_track *t = f->track;
	uint64_t end = va + size_b, at = va;
	pthread_mutex_lock(&t->lock);
	for (size_t i = bw_track_find_range(t, va); at < end && i < t->maps.len; i++) {
		const struct bw_agent_map *m = &t->maps.data[i];
		if (m->va > at || m->flags & AMDGPU_VM_PAGE_WRITEABLE)
			break;
		at = m->va + m->size_b;
	}
	pthread_mutex_unlock(&t->lock);
	return size_b && at >= end;
}

struct bw_error *bw_track_buffers(struct bw_agent_file *f, struct bw_track_buffers *out)
{
	struct bw_track *t = f->track;
	pthread_mutex_lock(&t->lock);
	struct bw_error *err = bw_vec_reserve(out, t->bos.len);
	for (size_t i = 0; !err && i < t->bos.len; i++) {
		const struct bw_track_bo *bo = &t->bos.data[i];
		out->data[out->len++] = (struct bw_track_buffer){.serial = bo->serial,
								 .size_b = bo->size_b,
								 .handle = (uint32_t)bo->handle,
								 .domains = bo->domains,
								 .is_user = bo->user != NULL,
								 .is_shared = bo->is_shared};
	}
	for (size_t i = 0; !err && i < t->maps.len; i++) {
		const struct bw_track_bo *bo = bw_table_find(&t->bos, t->maps.data[i].bo_handle);
		if (bo)
			out->data[bo - t->bos.data].is_mapped = true;
	}
	pthread_mutex_unlock(&t->lock);
	return err;
}

/* The offset for mmap that KFD has told of a buffer of its own. */
static int kfd_offset(struct bw_track *t, uint32_t handle, uint64_t *out)
{
	pthread_mutex_lock(&t->lock);
	const struct bw_track_bo *bo = bw_table_find(&t->bos, handle);
	*out = bo ? bo->mmap_offset : 0;
	pthread_mutex_unlock(&t->lock);
	return bo ? 0 : -ENOENT;
}

static int ask_offset(struct bw_agent_file *f, uint32_t handle, uint64_t *out)
{
	union drm_amdgpu_gem_mmap a = {.in = {.handle = handle}};
	if (handle & BW_TRACK_KFD_HANDLE)
		return kfd_offset(f->track, handle, out);
	int r = bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_GEM_MMAP, &a);
	*out = r ? 0 : a.out.addr_ptr;
	return r;
}

int bw_track_map_cpu(struct bw_agent_file *f, uint32_t handle, uint64_t size_b, uint8_t **out)
{
	uint64_t offset;
	int r = ask_offset(f, handle, &offset);
	if (r)
		return r;
	void *p = bw_agent_mmap(f, NULL, bw_align_up(size_b, BW_TRACK_PAGE_B),
				PROT_READ | PROT_WRITE, MAP_SHARED, offset);
	if (p == MAP_FAILED)
		return -errno;
	*out = p;
	return 0;
}

void bw_track_unmap_cpu(uint8_t *cpu, uint64_t size_b)
{
	if (cpu)
		munmap(cpu, bw_align_up(size_b, BW_TRACK_PAGE_B));
}
