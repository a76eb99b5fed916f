/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_PRIV_H
#define BW_VGPU_UAPI_PRIV_H

/* The driver's inside. One lock (bw_uapi.lock) guards every struct here, in objects.h and in the
 * headers by subject (fence.h, buffers.h, jobs.h, ...), except where a comment says otherwise; user
 * memory is copied without it, because a client may take its time. Functions return 0 or -errno as
 * the kernel's do, since what they return is what the program sees.
 *
 * Life times: a file owns handles; handles, mappings, jobs and lists own references to buffers; a
 * job owns references to its VM and context. So when a client goes, its files go, and what its
 * running jobs still need stays until the jobs have been killed. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/eventfd.h"
#include "base/util.h"
#include "base/str.h"
#include "base/vec.h"
#include "pm4/pm4.h"
#include "regs/field.h"
#include "vgpu/device/device.h"
#include "vgpu/device/ih.h"
#include "vgpu/device/register_map.h"
#include "vgpu/uapi/alloc.h"
#include "vgpu/uapi/client_limits.h"
#include "vgpu/uapi/objects.h"
#include "vgpu/uapi/sensors.h"
#include "vgpu/uapi/uapi.h"

struct bw_drm_call; /* call.h */

/* The driver's end of a monitor's file (kfd_smi.c). */
struct bw_kfd_smi {
	int fd;
	uint64_t events; /* those that the program wants, as bits */
	struct bw_drm_account *account;
};
/* A doorbell of a program that is looked at (kfd_doorbells.c). */
struct bw_kfd_queue;
struct bw_kfd_bell {
	const struct bw_kfd_queue *queue;
	const _Atomic uint64_t *value;
	uint64_t last;
	uint32_t index_dw;
};

/* A buffer that a dma-buf keeps until that is seen to be closed, or until `by`, the DRM file or the
 * KFD process that has exported it, ends. */
struct bw_drm_export {
	struct bw_drm_bo *bo; /* with a reference */
	const void *by;
	bool is_dup; /* whether it is open cannot be known */
};

struct bw_uapi {
	const struct bw_profile *profile;
	struct bw_uapi_options options;
	struct bw_device *dev;
	const struct bw_register_map *registers; /* where they are in this GPU */
	struct bw_register_window *window;	 /* all that debugfs shows of them, or NULL */
	uint64_t fb_base, fb_offset; /* MC address of VRAM offset 0; what page tables add */
	uint64_t boot_ns;

	_Atomic uint32_t gfxoff_holds; /* amdgpu_gfxoff: number of requests for the graphics block
				        * to stay on */

	pthread_mutex_t lock;
	pthread_cond_t changed; /* a fence or syncobj has changed, a client has gone */
	bool stopping;
	/* (unplug.c) */
	bool is_unplugged;
	_Atomic uint32_t n_unplugged;	   /* how often */
	_Atomic unsigned node;		   /* number of the card */
	bool has_kfd_tree;		   /* its folders are in the tree */
	uint32_t n_open[BW_DRM_MAX_NODES]; /* files of a card of that number and its render node */

	struct bw_ranges vram, gtt, fake;
	uint64_t vram_used_b, gtt_used_b, n_bos, bo_bytes;
	struct bw_drm_bos bos; /* all of them, borrowed */
	struct BW_VEC(struct bw_drm_export) exports;
	size_t exports_look_at;	 /* how many of them have the closed ones looked for */
	struct bw_drm_bo *stuck; /* freed, but their pages could not be taken away yet (gem.c) */
	struct bw_drm_ring rings[BW_DRM_N_RINGS];
	struct bw_drm_vmid vmids[BW_DRM_N_VMIDS];
	unsigned reserved_vmid, n_reserved;
	uint64_t vmid_clock;
	struct bw_drm_vms BW_VEC(struct bw_drm_vm *) vms; /* borrowed */
	struct bw_drm_entities
	BW_VEC(struct bw_drm_entity *) waiting; /* with jobs not yet on a ring, as they come next */
	uint64_t n_jobs;			/* number of the last one submitted */
	struct bw_drm_file *master;		/* the card node's, borrowed; NULL: none */
	uint64_t n_masters;			/* that there have been; the last is the current */
	bool has_bus_id;			/* the current one has asked for a version */
	struct bw_ids magics;			/* files that have asked for one, borrowed */
	struct bw_ids names;			/* buffers by GEM_FLINK's name, borrowed */
	struct bw_drm_ctx *pstate_ctx;		/* that has chosen a stable power state, borrowed */
	uint32_t pstate;			/* AMDGPU_CTX_STABLE_PSTATE_* */
	struct bw_drm_sensors sensors;
	struct bw_drm_sync_fds sync_fds;
	struct bw_sw_timeline *timelines; /* (sw_sync.c) */
	struct bw_drm_events events;
	struct bw_eventfd_raiser raiser; /* made for the first of them */
	uint64_t ih_offset;
	uint32_t ih_rptr;
	unsigned n_held, max_held;		/* (client_limits.c) */
	uint32_t max_charged[BW_DRM_N_CHARGES]; /* of a client */
	int64_t sync_fds_checked_ns;
	uint64_t n_resets;
	uint32_t next_pasid;
	uint64_t next_client_id;

	/* kfd_queues.h */
	struct {
		struct bw_kfd *processes;		/* borrowed, in a list */
		struct bw_kfd *by_vmid[BW_DRM_N_VMIDS]; /* borrowed; those that have queues */
		uint8_t watches;		   /* of TCP_WATCH0 to 3 those taken, as bits */
		uint8_t taken[4];		   /* queues of each pipe of ME 1, as bits */
		uint8_t taken_sdma[BW_DRM_N_SDMA]; /* of each engine */
		/* doorbells that are looked at, by a thread that does not take the lock above */
		pthread_mutex_t lock;
		struct bw_kfd_bells BW_VEC(struct bw_kfd_bell) bells;
		struct bw_kfd_smis BW_VEC(struct bw_kfd_smi) smi;
		pthread_t thread;
		bool looks;
		_Atomic bool is_stopping;
	} kfd;

	/* the worker: interrupts, completed jobs, scheduling (sched.c) */
	pthread_t worker;
	bool worker_runs;
	pthread_mutex_t kick_lock;
	pthread_cond_t kicked;
	bool kick;

	/* the kernel log (klog.c) */
	pthread_mutex_t log_lock;
	struct bw_str log;
	int64_t log_window_ns;
	unsigned log_in_window;

	/* register accesses through debugfs that take several steps (SQ_IND): as grbm_idx_mutex */
	pthread_mutex_t grbm_lock;

	/* server.c */
	struct bw_clients BW_VEC(struct bw_client *) clients;
	uint64_t clients_ever;
	unsigned n_connections;
	struct bw_socks BW_VEC(int) socks;
	void (*on_clients)(void *cookie);
	void *on_clients_cookie;
	unsigned ioctl_said[8]; /* bits: absent ioctls named already */
};

#endif
