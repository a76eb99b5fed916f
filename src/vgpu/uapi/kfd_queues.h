/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_KFD_QUEUES_H
#define BW_VGPU_UAPI_KFD_QUEUES_H

/* A queue of KFD's, and what it is made of: a doorbell of the process's (kfd_doorbells.c) and a
 * queue of the hardware (kfd_hw_queues.c). The driver's lock guards everything here. */
#include "vgpu/uapi/kfd.h"

/* KFD_MAX_NUM_SE of Linux; no model has more shader engines. */
enum { BW_KFD_MAX_SES = 8 };

/* Of which packets a queue is. */
enum bw_kfd_kind { BW_KFD_PM4, BW_KFD_AQL, BW_KFD_SDMA };

struct bw_kfd_queue {
	struct bw_kfd *process;
	enum bw_kfd_kind kind;
	uint32_t id;
	uint8_t pipe, queue; /* of ME 1; of SDMA packets: the engine and its queue */
	uint32_t doorbell;   /* number in the process's page */
	uint64_t ring_va;
	uint32_t ring_b;
	uint64_t save_area; /* address of its header; 0: none */
	bool ends;	    /* a call destroys it */
	bool has_gws;	    /* at most one of the process's queues */
	bool stopped;	    /* by an error, or with its process's others by a page fault */
};

/* Has the queue's doorbell be looked at; -ENOMEM. */
int bw_kfd_bell_hang(const struct bw_kfd_queue *q);
void bw_kfd_bell_forget(const struct bw_kfd_queue *q);
/* Its place among the device's doorbells, in dwords. */
uint32_t bw_kfd_doorbell_dw(const struct bw_kfd_queue *q);

/* Takes a free queue of the hardware for its kind; engine: of SDMA, -1: any. -ENOMEM: there is
 * none. */
int bw_kfd_hw_take(struct bw_kfd_queue *q, int engine);
void bw_kfd_hw_release(const struct bw_kfd_queue *q);
/* Begins to execute the packets of the ring. The process has its VMID. */
void bw_kfd_hw_map(const struct bw_kfd_queue *q, const struct kfd_ioctl_create_queue_args *a);
/* The CUs on which its dispatches may run: COMPUTE_STATIC_THREAD_MGMT_SEn of each engine. */
void bw_kfd_hw_set_cus(const struct bw_kfd_queue *q, const uint32_t se_mask[BW_KFD_MAX_SES]);
/* Has the queue end, with its waves; it is over when bw_kfd_hw_is_active() is false. */
void bw_kfd_hw_begin_to_unmap(const struct bw_kfd_queue *q);
bool bw_kfd_hw_is_active(const struct bw_kfd_queue *q);
/* What has stopped the queue, as one clause. False: nothing has. */
bool bw_kfd_hw_error(const struct bw_kfd_queue *q, char *out_text, size_t size);

#endif
