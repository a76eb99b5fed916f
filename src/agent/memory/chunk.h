/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_MEMORY_CHUNK_H
#define BW_AGENT_MEMORY_CHUNK_H

/* The memory that a chunk of a submission points to. Any thread may call. */

#include <amdgpu_drm.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes from its start; false for a bad pointer. is_copied: it points to the agent's memory, which
 * has so many. */
bool bw_chunk_read(const struct drm_amdgpu_cs_chunk *c, bool is_copied, void *out, size_t size_b);

#endif
