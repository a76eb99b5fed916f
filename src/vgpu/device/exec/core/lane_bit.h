/* SPDX-License-Identifier: MIT */
#ifndef BW_EXEC_CORE_LANE_BIT_H
#define BW_EXEC_CORE_LANE_BIT_H

/* One bit a lane, from memory: shifts by the lane's number are slow where a host's vectors cannot
 * shift each lane by another count. */

#include <stdint.h>

#include "vgpu/device/exec/core/exec_priv.h"

/* clang-format off */
static const uint32_t bw_lane_bit[BW_LANES] __attribute__((aligned(64))) = {
	1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
	1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
	1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
	1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};
/* clang-format on */

#endif
