/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_CP_PRIV_H
#define BW_VGPU_DEVICE_CP_PRIV_H

/* The inside of the command processor: what its files share. */

#include "vgpu/device/cp.h"
#include "vgpu/device/hws.h"
#include "vgpu/device/mes.h"

struct bw_cp {
	pthread_mutex_t lock;
	struct bw_queue queue[BW_N_QUEUES];
	struct bw_tlb tlb[BW_N_VMIDS];

	pthread_mutex_t turns;	   /* of the thread that takes its turns; before all others */
	pthread_mutex_t kick_lock; /* leaf */
	pthread_cond_t kick_cond;
	bool kicked, stop;
	pthread_t thread;
	bool has_thread;
	_Atomic bool polling;
	unsigned idle_polls;
	struct bw_mes *mes; /* the same */
	struct bw_hws *hws;
	struct bw_draw_threads *draw_threads; /* owned; NULL: not needed yet (draw_parts.c) */
};

/* NULL: there is none. */
struct bw_queue *bw_cp_queue(struct bw_device *dev, uint32_t me, uint32_t pipe, uint32_t queue);
uint32_t bw_cp_ring_dw(const struct bw_queue *q);

#endif
