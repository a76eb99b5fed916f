/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_KFD_QUEUES_H
#define BW_VGPU_UAPI_KFD_QUEUES_H

/* A queue of KFD's, and what it is made of: a doorbell of the process's (kfd_doorbells.c) and a
 * queue of the hardware (kfd_hw_queues.c). The driver's lock guards everything here. */
#include "vgpu/uapi/kfd.h"

/* KFD_MAX_NUM_SE of Linux; no model has more shader engines. */
enum { BW_KFD_MAX_SES = 8 };

/* A smaller ring is taken for one of this size. */
enum { BW_KFD_MIN_RING_B = 1024 };

/* Of which packets a queue is. */
enum bw_kfd_kind { BW_KFD_PM4, BW_KFD_AQL, BW_KFD_SDMA };

struct bw_kfd_queue {
	struct bw_kfd *process;
	enum bw_kfd_kind kind;
	uint32_t id;
	uint8_t pipe, queue; /* of ME 1; of SDMA packets: the engine and its queue */
	uint32_t doorbell;   /* number in the process's page */
	uint64_t ring_va;    /* 0: it pauses, as with a share of 0 */
	uint32_t ring_b;
	uint64_t rptr_va,
		wptr_va;    /* where its read pointer is reported; where its write pointer is */
	uint64_t save_area; /* address of its header; 0: none */
	uint32_t control_stack_b;	  /* the first part of that area */
	uint32_t save_area_b;		  /* with the waves */
	uint64_t exceptions;		  /* for a debugger, as bits */
	uint32_t se_mask[BW_KFD_MAX_SES]; /* its CUs, as COMPUTE_STATIC_THREAD_MGMT_SEn */
	bool has_cu_mask;		  /* of the program */
	bool is_paused;			  /* by a share of 0 */
	bool is_suspended;		  /* by a debugger */
	bool was_mapped;    /* since it was made: the hardware has its place in the ring */
	unsigned n_updates; /* calls that wait until it is off the GPU */
	bool ends;	    /* a call destroys it */
	bool has_gws;	    /* at most one of the process's queues */
	bool stopped;	    /* by an error, or with its process's others by a page fault */
};

/* Has it a ring, and a share of the GPU, and no error, and no debugger that has taken it away? */
static inline bool bw_kfd_is_on_gpu(const struct bw_kfd_queue *q)
{
	return q->ring_va && !q->is_paused && !q->is_suspended && !q->stopped;
}

/* Ends all queues of the process that have not stopped, with their waves; they stay stopped. */
void bw_kfd_stop_queues(struct bw_kfd *p);
/* Tells the program's runtime of exceptions of a queue, as bits (kfd_send_exception_to_runtime). */
void bw_kfd_tell_runtime(const struct bw_kfd_queue *q, uint64_t exceptions);

/* Is a buffer of the process mapped at an address? size_b 0: whatever its size, which then is at
 * least a page. */
bool bw_kfd_is_buffer(const struct bw_kfd *p, uint64_t va, uint64_t size_b);

/* Gives up the driver's lock for a fifth of a millisecond. */
void bw_kfd_wait_unlocked(struct bw_uapi *u);

/* Has the queue's doorbell be looked at; -ENOMEM. */
int bw_kfd_bell_hang(const struct bw_kfd_queue *q);
void bw_kfd_bell_forget(const struct bw_kfd_queue *q);
/* Tells the queue once more what the program has last written there. It does not hear it while it
 * is not mapped. */
void bw_kfd_bell_again(const struct bw_kfd_queue *q);
/* Its place among the device's doorbells, in dwords. */
uint32_t bw_kfd_doorbell_dw(const struct bw_kfd_queue *q);

/* Takes a free queue of the hardware for its kind; engine: of SDMA, -1: any. -ENOMEM: there is
 * none. */
int bw_kfd_hw_take(struct bw_kfd_queue *q, int engine);
void bw_kfd_hw_release(const struct bw_kfd_queue *q);
/* Begins to execute the packets of the ring: from its begin, or where the queue was when it was
 * unmapped. The process has its VMID. */
void bw_kfd_hw_map(struct bw_kfd_queue *q);
/* Has the hardware know se_mask. */
void bw_kfd_hw_set_cus(const struct bw_kfd_queue *q);
/* Has the queue end: with its waves, after them, or when they are in its save area. It is over when
 * bw_kfd_hw_is_active() is false. */
enum bw_kfd_unmap { BW_KFD_AFTER_WAVES, BW_KFD_WITH_WAVES, BW_KFD_SAVE_WAVES };
void bw_kfd_hw_begin_to_unmap(const struct bw_kfd_queue *q, enum bw_kfd_unmap how);
bool bw_kfd_hw_is_active(const struct bw_kfd_queue *q);
/* Whether its waves have a place to be saved at. */
bool bw_kfd_has_save_area(const struct bw_kfd_queue *q);
/* What the area's header says of a queue that is not active: where the control stack begins, its
 * size, where the waves end, and their size. */
void bw_kfd_hw_saved(const struct bw_kfd_queue *q, uint32_t out[4]);
/* What has stopped the queue, as one clause. False: nothing has. */
bool bw_kfd_hw_error(const struct bw_kfd_queue *q, char *out_text, size_t size);

#endif
