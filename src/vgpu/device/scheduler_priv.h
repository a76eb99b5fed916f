/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_SCHEDULER_PRIV_H
#define BW_VGPU_DEVICE_SCHEDULER_PRIV_H

#include "vgpu/device/scheduler.h"
#include "vgpu/device/spi.h"

struct bw_worker {
	struct bw_device *dev;
	pthread_t thread;
	struct bw_exec *exec;
	struct bw_tlb tlb[BW_N_VMIDS];
	_Atomic int running_vmid;	     /* -1: none */
	_Atomic uint64_t running_generation; /* of that VMID's translations in use */
	_Atomic(struct bw_slot *) current;
	_Atomic uint64_t instructions;
	uint64_t waits_until_ns; /* for sleepers; ~0: not for a time. With sched->lock */
	bool is_brief;		 /* runs little of a WGP in a turn */
};

struct bw_held {
	unsigned n;
	uint64_t since_ns, total_ns; /* of the host's clock */
};

struct bw_sched {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	struct bw_wgp *head, **tail;
	unsigned n_waiting;
	bool poked;
	bool owes_wakeup; /* for a WGP that was queued in a turn of the command processor */
	_Atomic bool stop;

	struct bw_wgp *wgp; /* mapped, with their register files after them */
	unsigned n_wgps;
	size_t mapped_b;
	struct bw_worker *worker;
	unsigned n_workers, n_threads; /* the last worker has none, if there is one more */

	pthread_mutex_t held_lock; /* leaf */
	struct bw_held held[BW_N_VMIDS];
};

/* The earliest time at which a waiting worker wakes by itself; ~0: none does. With sched->lock: no
 * sleeper is due earlier when all workers wait and nothing is queued. */
uint64_t bw_sched_next_wakeup_ns(const struct bw_sched *sched);
/* Runs each wave of the WGP that can run, once. With the WGP held. True: some could continue at
 * once; out_wake_ns: when the first sleeper is due. */
bool bw_wgp_turn(struct bw_worker *worker, struct bw_wgp *wgp, uint64_t *out_wake_ns);
struct bw_exec_host bw_worker_exec_host(struct bw_worker *worker);

#endif
