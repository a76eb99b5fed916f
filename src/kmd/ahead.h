/* SPDX-License-Identifier: MIT */
#ifndef BW_KMD_AHEAD_H
#define BW_KMD_AHEAD_H

/* What a driver will read of the program's memory for the ioctls that programs make all the time:
 * submissions and waits. Sent along, it saves the server a question for each piece. Only a guess:
 * what is missing the server asks for, and what cannot be read is its business too. */

#include <stddef.h>
#include <stdint.h>

/* struct bw_vgpu_user and its bytes, padded to 8, for each piece; the bytes written to out. */
size_t bw_vgpu_ahead(uint32_t cmd, const void *arg, uint8_t *out, size_t cap_b);

#endif
