/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_NEWER_KFD_H
#define BW_BASE_NEWER_KFD_H

/* Declarations of linux/kfd_ioctl.h of Linux 6.12 (KFD 1.17) that the oldest one that we build with
 * (Linux 6.1, KFD 1.11) does not have: Linux's names with BW_ in front. */

#include <linux/kfd_ioctl.h>
#include <stdint.h>

enum { BW_KFD_MAJOR_VERSION = 1, BW_KFD_MINOR_VERSION = 17 };

/* Flags of ALLOC_MEMORY_OF_GPU. Linux's own macros shift a signed 1 into the sign bit. */
#define BW_KFD_ALLOC_VRAM (1u << 0)
#define BW_KFD_ALLOC_GTT (1u << 1)
#define BW_KFD_ALLOC_USERPTR (1u << 2)
#define BW_KFD_ALLOC_DOORBELL (1u << 3)
#define BW_KFD_ALLOC_MMIO_REMAP (1u << 4)
#define BW_KFD_ALLOC_UNCACHED (1u << 25)
#define BW_KFD_ALLOC_COHERENT (1u << 26)
#define BW_KFD_ALLOC_AQL_QUEUE_MEM (1u << 27)
#define BW_KFD_ALLOC_PUBLIC (1u << 29)
#define BW_KFD_ALLOC_EXECUTABLE (1u << 30)
#define BW_KFD_ALLOC_WRITABLE (1u << 31)

/* Before KFD 1.17 the struct ended before sdma_engine_id. */
struct bw_kfd_create_queue {
	struct kfd_ioctl_create_queue_args args;
	uint32_t sdma_engine_id; /* to KFD */
	uint32_t pad;
};
#define BW_KFD_IOC_CREATE_QUEUE AMDKFD_IOWR(0x02, struct bw_kfd_create_queue)
enum { BW_KFD_QUEUE_SDMA_BY_ENG_ID = 4 }; /* a type of queue */

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

struct bw_kfd_export_dmabuf {
	uint64_t handle; /* to KFD */
	uint32_t flags;	 /* to KFD: O_CLOEXEC, O_RDWR */
	uint32_t dmabuf_fd;
};
#define BW_KFD_IOC_EXPORT_DMABUF AMDKFD_IOWR(0x24, struct bw_kfd_export_dmabuf)

/* KFD's debug calls; those that we make. */
struct bw_kfd_runtime_info {
	uint64_t r_debug;
	uint32_t runtime_state, ttmp_setup;
};
struct bw_kfd_dbg_trap {
	uint32_t pid, op; /* BW_KFD_DBG_* */
	union {
		struct {
			uint64_t exception_mask;
			uint64_t rinfo_ptr; /* struct bw_kfd_runtime_info, from KFD */
			uint32_t rinfo_size;
			uint32_t dbg_fd; /* KFD writes a byte there for each event */
		} enable;
		/* QUERY_DEBUG_EVENT: what to clear, and from KFD what has come.
		 * SEND_RUNTIME_EVENT */
		struct {
			uint64_t exception_mask;
			uint32_t gpu_id, queue_id;
		} event;
		uint64_t room[3];
	};
};
enum {
	BW_KFD_DBG_ENABLE = 0,
	BW_KFD_DBG_DISABLE = 1,
	BW_KFD_DBG_SEND_RUNTIME_EVENT = 2,
	BW_KFD_DBG_QUERY_DEBUG_EVENT = 11,
};
/* Exceptions: each is a bit of the masks. */
enum { BW_KFD_EC_DEVICE_MEMORY_VIOLATION = 33, BW_KFD_EC_PROCESS_RUNTIME = 48 };
#define BW_KFD_EC_MASK(code) (1ull << ((code) - 1))
#define BW_KFD_IOC_DBG_TRAP AMDKFD_IOWR(0x26, struct bw_kfd_dbg_trap)

/* One more than the highest number: DBG_TRAP is the last. */
enum { BW_KFD_N_IOCTLS = 0x27 };

#endif
