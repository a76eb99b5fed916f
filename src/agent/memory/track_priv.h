/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_MEMORY_TRACK_PRIV_H
#define BW_AGENT_MEMORY_TRACK_PRIV_H

#include <pthread.h>

#include "agent/memory/freed.h"
#include "agent/memory/memory.h"
#include "agent/memory/track.h"
#include "base/table.h"
#include "base/util.h"

struct bw_track_bo {
	uint64_t handle; /* 32 bits */
	uint64_t serial; /* bw_track_buffer */
	uint64_t size_b;
	uint32_t domains;
	uint8_t *user;	      /* GEM_USERPTR: the program's own memory */
	uint8_t *cpu;	      /* our mapping of it, NULL until needed */
	bool no_cpu;	      /* the kernel does not map it */
	bool is_shared;	      /* bw_track_buffer */
	uint64_t mmap_offset; /* the answer of GEM_MMAP, or KFD's; 0: none */
	/* of a buffer of KFD (track_kfd.c): where it will be mapped, one copy after the other, and
	 * with which AMDGPU_VM_PAGE_* */
	uint64_t kfd_va;
	uint32_t kfd_pages;
	uint8_t n_copies;
};
enum { BW_TRACK_PAGE_B = 4096 };

struct bw_track_patch {
	uint64_t va;
	uint32_t size_b;
	uint8_t original[BW_PATCH_MAX_B];
};

struct bw_track {
	pthread_mutex_t lock; /* bos, maps, freed */
	struct BW_TABLE(struct bw_track_bo) bos;
	struct bw_agent_maps maps; /* by address & BW_VA_MASK, without overlap */
	struct bw_freed_list freed;
	/* Taken before the other; unmapping takes it before its call. */
	pthread_mutex_t patch_lock;
	struct BW_VEC(struct bw_track_patch) patches;
};

/* A new buffer; one that is gone, with its mappings. */
void bw_track_add(struct bw_track *t, struct bw_track_bo bo);
void bw_track_remove(struct bw_track *t, uint32_t handle);

/* Under the lock: */

/* The first range of maps that ends after va. */
size_t bw_track_find_range(const struct bw_track *t, uint64_t va);
/* A mapping takes the place of what was there. */
void bw_track_map_range(struct bw_track *t, struct bw_agent_map map);
/* Cuts through what is there, as CLEAR and REPLACE do. by: of bw_freed_by. */
void bw_track_clear_range(struct bw_track *t, uint64_t va, uint64_t size_b, uint64_t by);

#endif
