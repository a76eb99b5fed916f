/* SPDX-License-Identifier: MIT */
#ifndef BW_SHADER_VULKAN_H
#define BW_SHADER_VULKAN_H

/* One dispatch of a compute shader through Vulkan. */

#include "shader/plan.h"

/* Runs the plan on the first AMD GPU that Vulkan knows, waits for its end, and puts what the
 * storage buffers hold then into plan->bytes. name: of the pipeline, which debuggers and tools see.
 * BW_E_NOT_FOUND: no such GPU; BW_E_GONE: the device was lost. */
struct bw_error *bw_shader_run(struct bw_shader_plan *plan, const char *name) BW_MUST_CHECK;

#endif
