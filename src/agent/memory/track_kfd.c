/* SPDX-License-Identifier: MIT */
#include "agent/memory/track_kfd.h"

#include <amdgpu_drm.h>

#include "agent/memory/track_priv.h"
#include "base/newer_kfd.h"

/* A number of the buffer that no buffer of the DRM file has. A process has one GPU here, so the
 * lower half of KFD's handle says which buffer it is. */
static uint32_t handle_of(uint64_t kfd_handle)
{
	return (uint32_t)kfd_handle | BW_TRACK_KFD_HANDLE;
}

static uint32_t page_flags(uint32_t flags)
{
	return AMDGPU_VM_PAGE_READABLE |
	       (flags & BW_KFD_ALLOC_WRITABLE ? AMDGPU_VM_PAGE_WRITEABLE : 0u) |
	       (flags & BW_KFD_ALLOC_EXECUTABLE ? AMDGPU_VM_PAGE_EXECUTABLE : 0u);
}

void bw_track_kfd_alloc(struct bw_agent_file *f, const struct bw_track_kfd *b)
{
	const uint32_t pages_of_others = BW_KFD_ALLOC_DOORBELL | BW_KFD_ALLOC_MMIO_REMAP;
	if (b->flags & pages_of_others)
		return;
	/* The ring of a queue can be mapped twice, one half after the other. */
	unsigned n_copies = b->flags & BW_KFD_ALLOC_AQL_QUEUE_MEM ? 2 : 1;
	bw_track_add(f->track, (struct bw_track_bo){.handle = handle_of(b->handle),
						    .size_b = b->size_b / n_copies,
						    .n_copies = (uint8_t)n_copies,
						    .domains = b->flags & BW_KFD_ALLOC_VRAM
								       ? AMDGPU_GEM_DOMAIN_VRAM
								       : AMDGPU_GEM_DOMAIN_GTT,
						    .user = b->user,
						    .kfd_va = b->va,
						    .kfd_pages = page_flags(b->flags),
						    .mmap_offset = b->mmap_offset,
						    .is_shared = true});
}

void bw_track_kfd_map(struct bw_agent_file *f, uint64_t handle)
{
	struct bw_track *t = f->track;
	pthread_mutex_lock(&t->lock);
	const struct bw_track_bo *bo = bw_table_find(&t->bos, handle_of(handle));
	for (unsigned i = 0; bo && i < bo->n_copies; i++)
		bw_track_map_range(
			t, (struct bw_agent_map){.va = (bo->kfd_va + i * bo->size_b) & BW_VA_MASK,
						 .size_b = bw_align_up(bo->size_b, BW_TRACK_PAGE_B),
						 .flags = bo->kfd_pages,
						 .bo_handle = (uint32_t)bo->handle});
	pthread_mutex_unlock(&t->lock);
}

void bw_track_kfd_unmap(struct bw_agent_file *f, uint64_t handle)
{
	struct bw_track *t = f->track;
	pthread_mutex_lock(&t->lock);
	const struct bw_track_bo *bo = bw_table_find(&t->bos, handle_of(handle));
	const struct bw_track_bo gone = bo ? *bo : (struct bw_track_bo){0};
	pthread_mutex_unlock(&t->lock);
	if (!bo)
		return;
	uint64_t va = gone.kfd_va & BW_VA_MASK, size_b = gone.n_copies * gone.size_b;
	bw_memory_unpatch_range(f, va, size_b);
	const uint64_t by = bw_freed_by();
	pthread_mutex_lock(&t->lock);
	bw_track_clear_range(t, va, size_b, by);
	pthread_mutex_unlock(&t->lock);
}

void bw_track_kfd_free(struct bw_agent_file *f, uint64_t handle)
{
	bw_track_remove(f->track, handle_of(handle));
}
