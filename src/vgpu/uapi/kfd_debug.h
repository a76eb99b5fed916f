/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_KFD_DEBUG_H
#define BW_VGPU_UAPI_KFD_DEBUG_H

/* KFD's debug calls (AMDKFD_IOC_DBG_TRAP; kfd_debug.c of Linux 6.12): a process, or the one that
 * traces it, is told of exceptions, and takes queues off the GPU and puts them back.
 *
 *     kfd_debug.c           the calls: who may make them, begin and end, events
 *     kfd_debug_look.c      exceptions in detail, snapshots of queues and of the GPU
 *     kfd_debug_queues.c    queues: taken off the GPU with their waves, and put back
 *     kfd_debug_hw.c        what the VMID of a debugged process gets: the trap handler
 *                           (kfd_handler.S), launch mode, watchpoints
 *
 * The driver's lock guards everything here. */

#include <linux/kfd_ioctl.h>

#include "base/newer_kfd.h"
#include "vgpu/uapi/uapi_priv.h"

struct bw_kfd_queue;

enum { BW_KFD_N_WATCHES = 4 }; /* TCP_WATCH0 to 3 */

/* The debugging of a process. */
struct bw_kfd_debug {
	struct bw_kfd *debugger;	/* borrowed: a process other than this one; NULL: none */
	bool is_enabled;		/* somebody debugs it */
	bool is_active;			/* and its runtime is on: waves may stop */
	bool runtime_may_go_on;		/* RUNTIME_ENABLE was answered */
	int fd;				/* to write a byte for each event; -1: none */
	uint64_t subscribed;		/* exceptions, as bits */
	uint64_t of_process, of_device; /* those that have come */
	struct bw_kfd_runtime_info runtime; /* of the program's runtime */
	bool has_fault;
	struct kfd_hsa_memory_exception_data fault; /* the first that nobody has cleared */
	uint32_t launch_override, launch_mode;	    /* SPI_GDBG_PER_VMID_CNTL */
	uint32_t flags;
	uint8_t watches; /* its own, as bits */
	struct {
		uint64_t va;
		uint32_t cntl;
	} watch[BW_KFD_N_WATCHES];
	struct bw_drm_bo *handler; /* NULL: not made yet */
};

/* ---- kfd_debug.c ---- */

int bw_kfd_ioctl_dbg_trap(struct bw_drm_call *c, void *arg);
int bw_kfd_ioctl_runtime_enable(struct bw_drm_call *c, void *arg);
/* Notes exceptions of a queue, or of the GPU or the process if it is NULL. False: no debugger has
 * asked for them. */
bool bw_kfd_debug_raise(struct bw_kfd *p, uint64_t exceptions, struct bw_kfd_queue *q);
/* The process ends: it is debugged no more, nor does it debug. */
void bw_kfd_debug_leave(struct bw_kfd *p);
/* A process by its number; NULL. */
struct bw_kfd *bw_kfd_process(struct bw_uapi *u, int pid);

/* ---- kfd_debug_look.c: the lock is not held, and the target has a user (bw_kfd.n_users) ---- */

int bw_kfd_debug_info(struct bw_drm_call *c, struct bw_kfd *target, struct bw_kfd_dbg_trap *a);
int bw_kfd_debug_queues(struct bw_drm_call *c, struct bw_kfd *target, struct bw_kfd_dbg_trap *a);
int bw_kfd_debug_devices(struct bw_drm_call *c, struct bw_kfd *target, struct bw_kfd_dbg_trap *a);

/* ---- kfd_debug_queues.c; the lock is held, and given up meanwhile ---- */

/* n ids in memory of their own, changed. The number of queues. */
int bw_kfd_debug_suspend(struct bw_drm_call *c, struct bw_kfd *target, uint32_t *ids, uint32_t n,
			 uint64_t clear);
/* ids NULL: all. */
int bw_kfd_debug_resume(struct bw_kfd *target, uint32_t *ids, uint32_t n);
/* Has the waves that run already get what the VMID has got. */
void bw_kfd_debug_launch_again(struct bw_drm_call *c, struct bw_kfd *target);

/* ---- kfd_debug_hw.c ---- */

/* Whether the GPU's waves can save themselves: there is a handler for it. */
bool bw_kfd_debug_can(const struct bw_uapi *u);
/* Gives the VMID of the process what it is to have. -EBUSY: somebody else's trap handler is there,
 * a debugger's that writes registers. */
int bw_kfd_debug_apply(struct bw_kfd *p);
/* The process has another second-level handler. */
void bw_kfd_debug_apply_second(struct bw_kfd *p);
/* Whether its waves save themselves when a queue is taken off the GPU. */
bool bw_kfd_debug_saves(const struct bw_kfd *p);
/* The process gives up its VMID, or its address space. */
void bw_kfd_debug_withdraw(struct bw_kfd *p);
void bw_kfd_debug_free_handler(struct bw_kfd *p);
/* The lowest free watchpoint; -ENOMEM. */
int bw_kfd_debug_take_watch(struct bw_kfd *p);
void bw_kfd_debug_release_watch(struct bw_kfd *p, unsigned id);

#endif
