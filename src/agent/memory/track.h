/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_MEMORY_TRACK_H
#define BW_AGENT_MEMORY_TRACK_H

/* The GPU address space of a DRM file as the program's ioctls made it: buffers, and where they are
 * mapped. Kept only when there is a debugger, or the program is captured. The bytes of its memory
 * are in memory.h. */

#include "agent/agent.h"
#include "base/vec.h"
#include "wire/agent_proto.h"

struct bw_track *bw_track_new(void);
void bw_track_free(struct bw_track *t);
void bw_track_fork_child(struct bw_track *t);

/* An ioctl of the program or of the agent: makes the call, and notes what it did. */
int bw_track_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg);

struct bw_agent_maps BW_VEC(struct bw_agent_map);
/* All mappings by address; the caller frees the vector. */
struct bw_error *bw_track_maps(struct bw_agent_file *f, struct bw_agent_maps *out) BW_MUST_CHECK;

/* What the program has unmapped there last (in the lower half); false: nothing that is known. */
struct bw_freed;
bool bw_track_freed(struct bw_agent_file *f, uint64_t va, struct bw_freed *out);

/* The address of the first mapping that touches the range (in the lower half); false: none does. */
bool bw_track_is_taken(struct bw_agent_file *f, uint64_t va, uint64_t size_b, uint64_t *out_va);

/* Whether all of the range is mapped so that the GPU cannot write it (in the lower half). */
bool bw_track_is_readonly(struct bw_agent_file *f, uint64_t va, uint64_t size_b);

struct bw_track_buffer {
	uint64_t serial; /* of all files, and never used again, unlike handles */
	uint64_t size_b;
	uint32_t handle, domains;
	bool is_user;	/* GEM_USERPTR */
	bool is_mapped; /* for the GPU: an address of it is in bw_track_maps */
	/* Others than the GPU may write it: the program has asked for its place in a mapping, has
	 * exported or imported it, or it is the program's own memory. */
	bool is_shared;
};
struct bw_track_buffers BW_VEC(struct bw_track_buffer);
/* All buffers, mapped or not; the caller frees the vector. */
struct bw_error *bw_track_buffers(struct bw_agent_file *f,
				  struct bw_track_buffers *out) BW_MUST_CHECK;

/* The program has mapped memory of the file, at an offset that GEM_MMAP has told. watches: what it
 * writes there is to be known (cpu_writes.h). */
void bw_track_mapped(struct bw_agent_file *f, uint64_t offset, void *at, size_t size_b,
		     bool watches);

/* The agent's own mapping of a buffer of that size. 0 or -errno: EPERM, the CPU may not see it. */
int bw_track_map_cpu(struct bw_agent_file *f, uint32_t handle, uint64_t size_b, uint8_t **out);
void bw_track_unmap_cpu(uint8_t *cpu, uint64_t size_b); /* NULL: does nothing */

#endif
