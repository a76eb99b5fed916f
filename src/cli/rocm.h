/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_ROCM_H
#define BW_CLI_ROCM_H

/* --rocm of the subcommands that start a program. */

#include "base/error.h"
#include "base/vec.h"

/* The program's words after the word rocm-run; borrowed, but for the vector. */
struct bw_rocm_words BW_VEC(char *);

/* Gives a program the ROCm tree, which is fetched if it is not there: the environment that we pass
 * on says where it is, and *program (ends with NULL) becomes the words of `words`. */
struct bw_error *bw_cli_add_rocm(struct bw_rocm_words *words, char ***program) BW_MUST_CHECK;

#endif
