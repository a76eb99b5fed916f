/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_AQL_H
#define BW_VGPU_DEVICE_AQL_H

/* Queues of AQL packets, by which ROCm's programs start kernels: a format of compute queues beside
 * PM4 (cp.c has the table). The ring, both indices and everything that packets refer to are in
 * memory of the queue's VMID; the doorbell only says that there is something new.
 *
 * Packets begin in the order of the ring and run side by side; they are completed in the order of
 * the ring, so that the read index always names the oldest one that is not complete. */

#include "pm4/aql.h"
#include "vgpu/device/cp.h"

static inline bool bw_is_aql(const struct bw_queue *q)
{
	enum { IN_PACKETS = 2 }; /* what Linux's kfd_mqd_manager_v11.c gives AQL queues */
	return q->me == 1 && BW_HQD_FIELD(q, HQD_PQ_CONTROL, SLOT_BASED_WPTR) == IN_PACKETS;
}

/* The number by which KFD knows the queue: that of its doorbell of 8 bytes in its process's page
 * (doc/hardware/device.md 5.1). */
static inline uint32_t bw_aql_doorbell_id(const struct bw_queue *q)
{
	return BW_HQD_FIELD(q, HQD_PQ_DOORBELL_CONTROL, DOORBELL_OFFSET) >> 1 & 0x3ff;
}

/* The data of the interrupt of a stopped queue. */
uint32_t bw_aql_error_data(const struct bw_queue *q);
/* Where its write index is, and the slot of a packet. */
uint64_t bw_aql_write_index_va(const struct bw_queue *q);
uint64_t bw_aql_slot_va(const struct bw_queue *q, uint64_t index);
/* As in struct queue_format of cp.c. */
bool bw_aql_fetch(struct bw_queue *q, uint32_t *out_size_dw);
enum bw_cp_result bw_aql_run(struct bw_queue *q);

struct bw_cwsr_resume;
/* Takes packet `next` up again, which had begun when the queue was saved. False: the queue has been
 * stopped. */
bool bw_aql_resume(struct bw_queue *q, const struct bw_cwsr_resume *resume);

/* The waves of all packets that have begun have ended, and the queue is about to leave the GPU:
 * completes these packets, which would begin once more when it is back. */
void bw_aql_drained(struct bw_queue *q);

#endif
