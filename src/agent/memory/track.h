/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_MEMORY_TRACK_H
#define BW_AGENT_MEMORY_TRACK_H

/* The GPU address space of a DRM file as the program's ioctls made it, and its memory by address.
 * Kept only when there is a debugger, or the program is captured. Memory is reached through
 * mappings of the buffers that the agent makes for itself on first use. */

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

/* The address of the first mapping that touches the range (in the lower half); false: none does. */
bool bw_track_is_taken(struct bw_agent_file *f, uint64_t va, uint64_t size_b, uint64_t *out_va);

/* All of the range is mapped so that the GPU cannot write it (in the lower half). */
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

/* GPU memory as it is. 0, or -errno with the first address that could not be reached: EFAULT
 * nothing mapped there, EPERM a buffer that the CPU may not see. What lies before it has been
 * copied. */
int bw_track_read(struct bw_agent_file *f, uint64_t va, void *out, size_t size_b, uint64_t *out_va);
int bw_track_write(struct bw_agent_file *f, uint64_t va, const void *data, size_t size_b,
		   uint64_t *out_va);

/* Shows memory where it lies, in pieces by address, without copying it (GEM_USERPTR: a copy). see
 * is called with a lock held: it must not call this header. What cannot be reached ends it; the
 * result is as of bw_track_read, without the address. */
typedef void (*bw_track_see_fn)(void *ctx, const void *bytes, size_t size_b);
int bw_track_look(struct bw_agent_file *f, uint64_t va, size_t size_b, bw_track_see_fn see,
		  void *ctx);

/* Memory as the program wrote it: patches do not show, and a write under a patch takes effect when
 * the patch is removed. */
int bw_patch_read(struct bw_agent_file *f, uint64_t va, void *out, size_t size_b, uint64_t *out_va);
int bw_patch_write(struct bw_agent_file *f, uint64_t va, const void *data, size_t size_b,
		   uint64_t *out_va);
/* EINVAL: longer than BW_PATCH_MAX_B. EEXIST: overlaps another patch without being at its place. */
enum { BW_PATCH_MAX_B = 32 };
int bw_patch_set(struct bw_agent_file *f, uint64_t va, const void *data, size_t size_b,
		 uint64_t *out_va);
int bw_patch_clear(struct bw_agent_file *f, uint64_t va);
/* Patches that touch the range, put back and forgotten; (0, UINT64_MAX) is all. */
void bw_patch_clear_range(struct bw_agent_file *f, uint64_t va, uint64_t size_b);

#endif
