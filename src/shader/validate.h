/* SPDX-License-Identifier: MIT */
#ifndef BW_SHADER_VALIDATE_H
#define BW_SHADER_VALIDATE_H

/* SPIRV-Cross, like drivers, takes for granted that a module keeps SPIR-V's rules, and reads beyond
 * its memory where one does not. So nothing reads a file's words before SPIRV-Tools has found them
 * valid. */

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* An error that says what is wrong, and where. */
struct bw_error *bw_shader_validate(const uint32_t *words, size_t n_words) BW_MUST_CHECK;

#endif
