/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_BUNDLE_H
#define BW_SYM_BUNDLE_H

/* clang's offload bundles: one file with code objects for several GPUs
 * (https://clang.llvm.org/docs/ClangOffloadBundler.html). Input is hostile: every offset is
 * checked. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

bool bw_bundle_is(const void *data, size_t size_b);
/* Finds the code object for a GPU ("gfx1100") in a bundle. *out_data is borrowed from data. If
 * there is none, the error names those of other GPUs. path: for messages. */
struct bw_error *bw_bundle_find(const void *data, size_t size_b, const char *path, const char *gpu,
				const uint8_t **out_data, size_t *out_size_b) BW_MUST_CHECK;
/* data: the file of a program. An error if it carries HIP kernels, and all of them are for other
 * GPUs. NULL: it has some for this GPU, or has none, or this is not known (compressed, damaged). */
struct bw_error *bw_bundle_check_program(const void *data, size_t size_b, const char *path,
					 const char *gpu) BW_MUST_CHECK;

/* The next code object for the GPU in the file of a program; *at is 0 for the first one. *out_data
 * is borrowed from data. False: there is no further one. */
bool bw_bundle_next_of_program(const void *data, size_t size_b, const char *gpu, size_t *at,
			       const uint8_t **out_data, size_t *out_size_b);

#endif
