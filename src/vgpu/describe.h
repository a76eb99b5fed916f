/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DESCRIBE_H
#define BW_VGPU_DESCRIBE_H

/* Lists about the virtual GPU that need no running server: `breakwater vgpu isa` and `breakwater
 * vgpu profiles`. argv[0] is the word; exit statuses as everywhere. */

#include "base/options.h"

extern const struct bw_command_line bw_line_vgpu_isa, bw_line_vgpu_profiles;
int bw_vgpu_main_isa(int argc, char **argv);
int bw_vgpu_main_profiles(int argc, char **argv);

#endif
