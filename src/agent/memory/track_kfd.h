/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_MEMORY_TRACK_KFD_H
#define BW_AGENT_MEMORY_TRACK_KFD_H

/* Memory that a program gets from KFD, in the address space of a DRM file: noted as the file's own
 * buffers and mappings are (track.h), so that everything that reads or patches memory finds it.
 * Handles are KFD's, of 64 bits. */

#include "agent/agent.h"

/* In a bw_agent_map's bo_handle: the buffer is one of KFD's, not of the DRM file. */
#define BW_TRACK_KFD_HANDLE (1u << 31)

struct bw_track_kfd {
	uint64_t handle;
	uint64_t va, size_b;  /* where MAP_MEMORY_TO_GPU will map it */
	uint32_t flags;	      /* BW_KFD_ALLOC_* */
	uint8_t *user;	      /* the program's own memory; NULL: it is KFD's */
	uint64_t mmap_offset; /* for the CPU, of the DRM file */
};
void bw_track_kfd_alloc(struct bw_agent_file *f, const struct bw_track_kfd *b);
/* It has been mapped for the GPU; it is about to be unmapped; it has been freed. What is not known
 * is ignored. */
void bw_track_kfd_map(struct bw_agent_file *f, uint64_t handle);
void bw_track_kfd_unmap(struct bw_agent_file *f, uint64_t handle);
void bw_track_kfd_free(struct bw_agent_file *f, uint64_t handle);

#endif
