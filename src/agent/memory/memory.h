/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_MEMORY_MEMORY_H
#define BW_AGENT_MEMORY_MEMORY_H

/* The program's GPU memory by address. All parts of the agent read and write it here: the debugger,
 * captures, replacement of shaders, and readers of command streams.
 *
 * Readers see what the program wrote, without the patches of a debugger, and a write under a patch
 * takes effect when the patch is removed. Each write is noted for captures (cpu_writes.h). Buffers
 * are reached through mappings that the agent makes for itself on first use. Any thread may call.
 *
 * A result is 0, or -errno with the first address that could not be reached: EFAULT: nothing is
 * mapped there; EPERM: a buffer that the CPU cannot access. The bytes before it have been
 * copied. */

#include "agent/agent.h"

int bw_memory_read(struct bw_agent_file *f, uint64_t va, void *out, size_t size_b,
		   uint64_t *out_va);
int bw_memory_write(struct bw_agent_file *f, uint64_t va, const void *data, size_t size_b,
		    uint64_t *out_va);

/* Shows memory in place, in pieces by address (GEM_USERPTR and pages with patches: a copy). A piece
 * ends where a page does, or the range. see is called with a lock held: it must not call functions
 * of this header. The first address that cannot be reached ends the call. */
typedef void (*bw_memory_see_fn)(void *ctx, const void *bytes, size_t size_b);
int bw_memory_look(struct bw_agent_file *f, uint64_t va, size_t size_b, bw_memory_see_fn see,
		   void *ctx);

/* EINVAL: longer than BW_PATCH_MAX_B. EEXIST: overlaps another patch without being at its place. */
enum { BW_PATCH_MAX_B = 32 };
int bw_memory_patch(struct bw_agent_file *f, uint64_t va, const void *data, size_t size_b,
		    uint64_t *out_va);
/* ENOENT: there is no patch. */
int bw_memory_unpatch(struct bw_agent_file *f, uint64_t va);
/* Removes the patches that touch the range, restoring the memory; (0, UINT64_MAX) is all. */
void bw_memory_unpatch_range(struct bw_agent_file *f, uint64_t va, uint64_t size_b);

#endif
