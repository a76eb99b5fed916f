/* SPDX-License-Identifier: MIT */
#ifndef BW_SHADER_COMPILE_H
#define BW_SHADER_COMPILE_H

/* Compute pipelines as a capture's record says (capture/pipeline.h), of its own SPIR-V and of other
 * SPIR-V: breakwater-launch-shader --compile FOLDER ENTRY. Each is bound and dispatched once, with
 * no workgroup in x, so that no wave starts: a capture of this program has the code that the driver
 * makes, and what it programs for a dispatch. */

#include "base/error.h"

/* folder: holds the files `record` and `spirv`; gets `why`, a sentence without its end, where this
 * fails. entry: of the other SPIR-V. The pipelines are called "own" and "other", their dispatches
 * have the arguments of swap/variant.h, and each is in a submission of its own. */
struct bw_error *bw_shader_compile(const char *folder, const char *entry) BW_MUST_CHECK;

#endif
