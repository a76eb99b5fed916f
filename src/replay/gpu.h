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

/* Makes buffers and mappings of an address space those of s. New buffers are zero. */
struct bw_error *bw_replay_gpu_shape(struct bw_replay_gpu *g,
				     const struct bw_capture_space *s) BW_MUST_CHECK;
/* Its memory, which the GPU uses, too; NULL: the CPU may not see it. */
uint8_t *bw_replay_gpu_memory(struct bw_replay_gpu *g, uint32_t space, uint64_t buffer);

/* Puts a command stream of size_b bytes at an address that nothing of the space uses. */
struct bw_error *bw_replay_gpu_add_ib(struct bw_replay_gpu *g, const struct bw_capture_space *s,
				      const void *bytes, size_t size_b,
				      uint64_t *out_va) BW_MUST_CHECK;

/* Submits and waits, for timeout_s at most. out: without number, pages and time. */
struct bw_error *bw_replay_gpu_submit(struct bw_replay_gpu *g,
				      const struct bw_capture_submission *s, uint64_t timeout_s,
				      struct bw_capture_result *out) BW_MUST_CHECK;

#endif
