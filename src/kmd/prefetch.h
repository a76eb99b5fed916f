/* SPDX-License-Identifier: MIT */
#ifndef BW_KMD_PREFETCH_H
#define BW_KMD_PREFETCH_H

/* Prefetch for the ioctls that programs make most, submissions and waits: the parts of the
 * program's memory that the driver will read are sent along, which saves a round trip for each. It
 * is only a guess: the server asks for what is missing, and reports what cannot be read. */

#include <stddef.h>
#include <stdint.h>

/* struct bw_vgpu_user and its bytes, padded to 8, for each piece; the bytes written to out. */
size_t bw_vgpu_prefetch(uint32_t cmd, const void *arg, uint8_t *out, size_t cap_b);
/* bw_vgpu_prefetch for bw_vgpu_own_ioctl. */
size_t bw_vgpu_own_prefetch(uint32_t cmd, const void *arg, uint8_t *out, size_t cap_b);

#endif
