/* SPDX-License-Identifier: MIT */
#include "agent/memory/chunk.h"

#include <string.h>

#include "agent/agent.h"

bool bw_chunk_read(const struct drm_amdgpu_cs_chunk *c, bool is_copied, void *out, size_t size_b)
{
	if (!is_copied)
		return bw_agent_copy_in(out, c->chunk_data, size_b);
	if (size_b)
		memcpy(out, (const void *)(uintptr_t)c->chunk_data, size_b);
	return true;
}
