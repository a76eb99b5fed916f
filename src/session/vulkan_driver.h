/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_VULKAN_DRIVER_H
#define BW_SESSION_VULKAN_DRIVER_H

/* Whether programs that use Vulkan find the driver of the GPU. */

#include "base/error.h"

/* root: "" or another system's folder, whose environment is not known. out: the driver's file,
 * owned; an error says why there is none, and what to do. */
struct bw_error *bw_vulkan_driver_find(const char *root, char **out) BW_MUST_CHECK;

#endif
