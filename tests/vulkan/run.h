/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_VULKAN_RUN_H
#define BW_TESTS_VULKAN_RUN_H

/* One case on one device, from its first buffer to its outputs. */

#include "case.h"
#include "gpu.h"

struct run_options {
	enum gpu_family family;
	unsigned wave; /* subgroup size for the cases that ask for one */
	bool staged;   /* buffers out of the host's reach, filled and read by copies */
};

struct run_output {
	void *data[CASE_MAX_ITEMS]; /* owned; NULL for inputs */
};

struct bw_error *run_case(struct gpu *gpu, const struct run_options *options,
			  const struct test_case *c, const uint32_t *code, size_t code_b,
			  struct run_output *out_output);
void run_output_free(struct run_output *output);

#endif
