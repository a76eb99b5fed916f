/* SPDX-License-Identifier: MIT */
#ifndef BW_LAUNCH_GPU_H
#define BW_LAUNCH_GPU_H

/* A launch on an amdgpu device. */

#include "launch/plan.h"

struct bw_launch_gpu;

/* node: "/dev/dri/renderD128" */
struct bw_error *bw_launch_gpu_open(const char *node, struct bw_launch_gpu **out) BW_MUST_CHECK;
void bw_launch_gpu_close(struct bw_launch_gpu *g);
/* "gfx1100"; "" when the kernel does not say. */
const char *bw_launch_gpu_name(const struct bw_launch_gpu *g);

/* Puts code and buffers into GPU memory, runs the kernel and waits until it has ended. What the GPU
 * did wrong is an error with code BW_E_FAULT (va: the address, 0 if it was something else) or, when
 * the device is lost, BW_E_GONE. */
struct bw_error *bw_launch_gpu_run(struct bw_launch_gpu *g,
				   const struct bw_launch_plan *plan) BW_MUST_CHECK;
/* Its two halves, for running it more than once: buffers keep their content. */
struct bw_error *bw_launch_gpu_place(struct bw_launch_gpu *g,
				     const struct bw_launch_plan *plan) BW_MUST_CHECK;
struct bw_error *bw_launch_gpu_once(struct bw_launch_gpu *g,
				    const struct bw_launch_plan *plan) BW_MUST_CHECK;
/* After a run: the bytes of buffer argument `arg` in GPU memory, borrowed until close. */
const uint8_t *bw_launch_gpu_buffer(const struct bw_launch_gpu *g, size_t arg);

/* The buffer of printf (launch/printf.h), borrowed until close; NULL: the kernel has none. */
const uint8_t *bw_launch_gpu_printf_buffer(const struct bw_launch_gpu *g);

#endif
