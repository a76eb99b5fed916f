/* SPDX-License-Identifier: MIT */
#ifndef BW_SHADER_GROUP_H
#define BW_SHADER_GROUP_H

/* Sizes of workgroups that SPIRV-Cross cannot read: it takes each for a constant. Where one is
 * computed from specialization constants (OpSpecConstantOp), or is something else, which
 * SPIRV-Tools lets pass, an exception of its own ends the process. */

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The id of the compute shader of that name; 0: there is none. words: a valid module
 * (shader/validate.h). */
uint32_t bw_shader_entry_id(const uint32_t *words, size_t n_words, const char *name);
/* An error where the size of that entry point's workgroups is not made of constants. */
struct bw_error *bw_shader_check_group(const uint32_t *words, size_t n_words,
				       uint32_t entry) BW_MUST_CHECK;

#endif
