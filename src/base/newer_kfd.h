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

/* KFD's debug calls. */
struct bw_kfd_runtime_info {
	uint64_t r_debug;
	uint32_t runtime_state, ttmp_setup;
};
enum { BW_KFD_RUNTIME_OFF, BW_KFD_RUNTIME_ON, BW_KFD_RUNTIME_BUSY }; /* runtime_state */
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
		 * SEND_RUNTIME_EVENT, SET_EXCEPTIONS_ENABLED (the mask alone) */
		struct {
			uint64_t exception_mask;
			uint32_t gpu_id, queue_id;
		} event;
		/* from KFD: what was enabled before, and what can be */
		struct {
			uint32_t mode, enable_mask, support_request_mask, pad;
		} launch_override;
		struct {
			uint32_t launch_mode, pad;
		} launch_mode;
		struct {
			uint64_t exception_mask, ids_ptr;
			uint32_t n_ids, grace_period;
		} suspend;
		struct {
			uint64_t ids_ptr;
			uint32_t n_ids, pad;
		} resume;
		struct {
			uint64_t address;
			uint32_t mode, mask, gpu_id, id; /* id: from KFD */
		} set_watch;
		struct {
			uint32_t gpu_id, id;
		} clear_watch;
		struct {
			uint32_t flags, pad; /* from KFD: those before */
		} flags;
		struct {
			uint64_t info_ptr;
			uint32_t info_size, source_id, exception_code, clear;
		} exception_info;
		/* of queues, of devices: from KFD how many there are, and bytes of an entry */
		struct {
			uint64_t exception_mask, buffer_ptr;
			uint32_t n, entry_b;
		} snapshot;
		uint64_t room[3];
	};
};
enum {
	BW_KFD_DBG_ENABLE,
	BW_KFD_DBG_DISABLE,
	BW_KFD_DBG_SEND_RUNTIME_EVENT,
	BW_KFD_DBG_SET_EXCEPTIONS_ENABLED,
	BW_KFD_DBG_SET_WAVE_LAUNCH_OVERRIDE,
	BW_KFD_DBG_SET_WAVE_LAUNCH_MODE,
	BW_KFD_DBG_SUSPEND_QUEUES,
	BW_KFD_DBG_RESUME_QUEUES,
	BW_KFD_DBG_SET_NODE_ADDRESS_WATCH,
	BW_KFD_DBG_CLEAR_NODE_ADDRESS_WATCH,
	BW_KFD_DBG_SET_FLAGS,
	BW_KFD_DBG_QUERY_DEBUG_EVENT,
	BW_KFD_DBG_QUERY_EXCEPTION_INFO,
	BW_KFD_DBG_GET_QUEUE_SNAPSHOT,
	BW_KFD_DBG_GET_DEVICE_SNAPSHOT,
	BW_KFD_N_DBG,
};
/* In the ids of queues that SUSPEND_QUEUES and RESUME_QUEUES give back. */
#define BW_KFD_QUEUE_ERROR (1u << 30)
#define BW_KFD_QUEUE_INVALID (1u << 31)
struct bw_kfd_queue_entry {
	uint64_t exception_status, ring_base, write_pointer, read_pointer, save_area;
	uint32_t queue_id, gpu_id, ring_b, queue_type, save_area_b, reserved;
};
struct bw_kfd_device_entry {
	uint64_t exception_status, lds_base, lds_limit, scratch_base, scratch_limit, gpuvm_base,
		gpuvm_limit;
	uint32_t gpu_id, location_id, vendor_id, device_id, revision_id, subsystem_vendor_id,
		subsystem_device_id, fw_version, gfx_target_version, simd_count, max_waves_per_simd,
		array_count, simd_arrays_per_engine, num_xcc, capability, debug_prop;
};
/* Exceptions: each is a bit of the masks. */
enum {
	BW_KFD_EC_QUEUE_NEW = 31,
	BW_KFD_EC_DEVICE_MEMORY_VIOLATION = 33,
	BW_KFD_EC_PROCESS_RUNTIME = 48,
};
#define BW_KFD_EC_QUEUES 0x607f803full	 /* of a queue: 1 to 6, 16 to 23, 30, 31 */
#define BW_KFD_EC_DEVICES 0xf80000000ull /* 32 to 36 */
#define BW_KFD_EC_PROCESSES (3ull << 47) /* 48, 49 */
#define BW_KFD_EC_MASK(code) (1ull << ((code) - 1))
#define BW_KFD_IOC_DBG_TRAP AMDKFD_IOWR(0x26, struct bw_kfd_dbg_trap)

/* One more than the highest number: DBG_TRAP is the last. */
enum { BW_KFD_N_IOCTLS = 0x27 };

#endif
