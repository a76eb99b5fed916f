/* SPDX-License-Identifier: MIT */
#ifndef BW_REPLAY_GPU_H
#define BW_REPLAY_GPU_H

/* Address spaces on a GPU that are like those of a capture: a DRM file for each, buffers at their
 * captured addresses, contexts by their captured numbers. By the kernel's interface alone. */

#include "capture/state.h"

struct bw_replay_gpu;

/* node: "/dev/dri/renderD128"; borrowed. */
struct bw_error *bw_replay_gpu_open(const char *node, struct bw_replay_gpu **out) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_replay_gpu_close(struct bw_replay_gpu *g);
/* Of its graphics block, as 0x0b0000; 0: the kernel does not say. */
uint32_t bw_replay_gpu_version(const struct bw_replay_gpu *g);

/* Shader engines, each of which has its part of scratch memory; 1 where the kernel does not say. */
unsigned bw_replay_gpu_engines(const struct bw_replay_gpu *g);

/* Makes buffers and mappings of an address space those of s. New buffers are zero. */
struct bw_error *bw_replay_gpu_shape(struct bw_replay_gpu *g,
				     const struct bw_capture_space *s) BW_MUST_CHECK;
/* Its memory, which the GPU uses, too; NULL: the CPU may not see it. */
uint8_t *bw_replay_gpu_memory(struct bw_replay_gpu *g, uint32_t space, uint64_t buffer);

/* Memory at an address that is mapped, also of what was added below; NULL: none that the CPU may
 * see. out_left_b: bytes from there to the end of what is one piece. */
uint8_t *bw_replay_gpu_at(struct bw_replay_gpu *g, uint32_t space, uint64_t va,
			  uint64_t *out_left_b);
/* The bytes there, across mappings; false: not all of them can be read. */
bool bw_replay_gpu_read(struct bw_replay_gpu *g, uint32_t space, uint64_t va, void *out,
			size_t size_b);

/* Memory that the capture does not have: size_b bytes that are copied, at the address va, a
 * multiple of 4096, or with 0 at one that nothing of the space uses. */
struct bw_replay_new {
	uint64_t va;
	const void *bytes; /* borrowed */
	size_t size_b;
};
/* Makes it, for the GPU to read, write and execute. BW_E_INVALID: something is mapped there. */
struct bw_error *bw_replay_gpu_add(struct bw_replay_gpu *g, const struct bw_capture_space *s,
				   const struct bw_replay_new *new, uint64_t *out_va) BW_MUST_CHECK;
/* Unmaps and frees all of that in a space, after the submission that it was for. */
void bw_replay_gpu_drop_added(struct bw_replay_gpu *g, uint32_t space);

/* Submits and waits, for timeout_s at most. out: without number, pages and time. */
struct bw_error *bw_replay_gpu_submit(struct bw_replay_gpu *g,
				      const struct bw_capture_submission *s, uint64_t timeout_s,
				      struct bw_capture_result *out) BW_MUST_CHECK;

#endif
