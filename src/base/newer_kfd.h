/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_NEWER_KFD_H
#define BW_BASE_NEWER_KFD_H

/* Declarations of linux/kfd_ioctl.h of Linux 6.12 (KFD 1.17) that the oldest one that we build with
 * (Linux 6.1, KFD 1.11) does not have: Linux's names with BW_ in front. */

#include <linux/kfd_ioctl.h>
#include <stdint.h>

enum { BW_KFD_MAJOR_VERSION = 1, BW_KFD_MINOR_VERSION = 17 };

/* Before KFD 1.17 the struct ended before sdma_engine_id. */
struct bw_kfd_create_queue {
	struct kfd_ioctl_create_queue_args args;
	uint32_t sdma_engine_id; /* to KFD */
	uint32_t pad;
};
#define BW_KFD_IOC_CREATE_QUEUE AMDKFD_IOWR(0x02, struct bw_kfd_create_queue)

/* Of the union's members, last_event_age is newer. */
struct bw_kfd_event_data {
	union {
		struct kfd_hsa_memory_exception_data memory_exception_data; /* from KFD */
		struct kfd_hsa_hw_exception_data hw_exception_data;	    /* from KFD */
		uint64_t last_event_age; /* of a signal; to and from KFD, 0: not asked for */
	};
	uint64_t ext;
	uint32_t event_id; /* to KFD */
	uint32_t pad;
};

struct bw_kfd_runtime_enable {
	uint64_t r_debug; /* address of the program's _amdgpu_r_debug */
	uint32_t mode_mask;
	uint32_t capabilities_mask;
};
enum { BW_KFD_RUNTIME_ENABLE = 1, BW_KFD_RUNTIME_TTMP_SAVE = 2 }; /* in mode_mask */
#define BW_KFD_IOC_RUNTIME_ENABLE AMDKFD_IOWR(0x25, struct bw_kfd_runtime_enable)

/* One more than the highest number: after RUNTIME_ENABLE there is DBG_TRAP. */
enum { BW_KFD_N_IOCTLS = 0x27 };

#endif
