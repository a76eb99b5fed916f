/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_VULKAN_SHA1_H
#define BW_AGENT_VULKAN_SHA1_H

/* SHA-1 (FIPS 180-4): what sha1sum says of a shader's file is what names it here. */

#include <stddef.h>
#include <stdint.h>

/* The first 8 of the 20 bytes, as the number that its hexadecimal text is. */
uint64_t bw_sha1_64(const void *data, size_t size_b);

#endif
