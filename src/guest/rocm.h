/* SPDX-License-Identifier: MIT */
#ifndef BW_GUEST_ROCM_H
#define BW_GUEST_ROCM_H

/* The ROCm tree: libraries and programs of Debian 13's ROCm, fetched into the user's cache beside
 * QEMU and the kernel, and installed nowhere. The scripts of tools/rocm start programs
 * with them, and compile HIP programs for them; the variable BW_ROCM_VARIABLE tells them where the
 * tree is. It serves the guest, and programs on this machine. */

#include "base/error.h"

#define BW_ROCM_VARIABLE "BREAKWATER_ROCM"
/* In front of a program's words: it gets the tree's libraries. In the folder of tools. */
#define BW_ROCM_RUN "rocm-run"

/* Fetches the tree if it is not there, and says so on standard error. cache: a folder, or NULL for
 * the user's. out_tree, and out_tools, the folder of the scripts: owned. */
struct bw_error *bw_rocm_find(const char *cache, char **out_tree, char **out_tools) BW_MUST_CHECK;

#endif
