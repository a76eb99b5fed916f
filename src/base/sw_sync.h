/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_SW_SYNC_H
#define BW_BASE_SW_SYNC_H

/* What /sys/kernel/debug/sync/sw_sync is asked. No header of Linux has it: it is in
 * drivers/dma-buf/sw_sync.c (6.12). */

#include <stdint.h>
#include <sys/ioctl.h>

struct bw_sw_sync_create_fence {
	uint32_t value;
	char name[32];
	int32_t fence; /* out: descriptor of a sync_file */
};

struct bw_sw_sync_get_deadline {
	uint64_t deadline_ns; /* out; 0 before */
	uint32_t pad;
	int32_t fence; /* descriptor of a sync_file */
};

#define BW_SW_SYNC_CREATE_FENCE _IOWR('W', 0, struct bw_sw_sync_create_fence)
#define BW_SW_SYNC_INC _IOW('W', 1, uint32_t)
#define BW_SW_SYNC_GET_DEADLINE _IOWR('W', 2, struct bw_sw_sync_get_deadline)

#endif
