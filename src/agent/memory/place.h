/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_MEMORY_PLACE_H
#define BW_AGENT_MEMORY_PLACE_H

/* Memory of the agent's own in the address space of a DRM file: buffers in GTT, mapped for the GPU
 * and for us, at addresses that programs do not choose. */

#include <amdgpu_drm.h>

#include "agent/agent.h"

/* The default where the driver reports none: the lower half of a 48-bit space, less the reserved
 * part. */
#define BW_PLACE_TOP_DEFAULT 0x7fffffc00000ull
#define BW_PLACE_DATA (AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_MTYPE_UC)
/* Uncached too: what the debugger writes into code must be there at the next fetch. */
#define BW_PLACE_CODE (AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_EXECUTABLE | AMDGPU_VM_MTYPE_UC)

struct bw_placed {
	uint32_t handle;
	uint64_t va, size_b;
	uint8_t *cpu;
};

/* Below which buffers of this program are placed. */
uint64_t bw_place_top(struct bw_agent_file *f);
/* Makes a buffer and maps it below *top, which becomes its address. 0 or -errno; on failure *out
 * has what was made, for bw_unplace. */
int bw_place(struct bw_agent_file *f, uint64_t size_b, uint64_t gem_flags, uint32_t va_flags,
	     uint64_t *top, struct bw_placed *out);
/* Accepts what is zeroed, and leaves that. */
void bw_unplace(struct bw_agent_file *f, struct bw_placed *p);

#endif
