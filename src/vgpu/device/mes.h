/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_MES_H
#define BW_VGPU_DEVICE_MES_H

/* The scheduler firmware (MES) of gfx11: it takes frames of 64 dwords from the queue of ME 3 pipe
 * 0, and puts queues of drivers and programs on hardware queues, with a VMID for each process.
 * Frames: mes_v11_api_def.h of Linux 6.12 (doc/hardware/device.md 6).
 *
 * Used by the command processor's thread alone. */

#include "pm4/mes.h"
#include "vgpu/device/cp.h"

struct bw_mes;
struct bw_mes *bw_mes_create(void);
void bw_mes_destroy(struct bw_mes *m);
/* Forgets the mapped queues: the scheduler's own queue has ended. */
void bw_mes_forget(struct bw_mes *m);
/* Carries out the frame in q->packet. Like bw_cp_packet, it may be called again for the same
 * one. */
enum bw_cp_result bw_mes_frame(struct bw_mes *m, struct bw_queue *q);

static inline bool bw_is_mes(const struct bw_queue *q)
{
	return q->me == 3 && q->pipe == 0 && !q->dev->own;
}

/* The kernel's own queue, which maps others (ME 3 pipe 1 where there is a MES). */
static inline bool bw_is_kiq(const struct bw_queue *q)
{
	return q->me == 3 && q->pipe == 1;
}

/* The queue by which KFD runs its queues where there is no MES (hws.h). */
static inline bool bw_is_hiq(const struct bw_queue *q)
{
	return q->me == 3 && q->pipe == 0 && q->dev->own;
}

/* --- cp_hqd.c --- */

/* The properties of a queue that the request to map it has besides its descriptor (MQD). */
struct bw_queue_map {
	uint64_t mqd_va; /* of VMID 0 */
	uint64_t wptr_va;
	unsigned vmid;	    /* the queue's */
	unsigned wptr_vmid; /* whose address wptr_va is */
	uint32_t doorbell_dw;
	bool skips; /* begins at its write pointer: what is in the ring is not executed */
};
/* The write pointer as its owner last wrote it to memory; 0 if nothing is mapped, which is not a
 * fault: the doorbell will bring the value. */
uint64_t bw_cp_stored_wptr(struct bw_device *dev, const struct bw_queue_map *m);
/* Loads the registers of queue q from its MQD and starts it. BW_CP_STOP: `by` has been stopped, as
 * the MQD cannot be read; BW_CP_POLL: q is still busy with what it had before. */
enum bw_cp_result bw_cp_map_queue(struct bw_queue *by, struct bw_queue *q,
				  const struct bw_queue_map *m);
/* Ends queue q, with the waves of it where reset; its pointers go back into its MQD. BW_CP_POLL: it
 * has not come to its end yet. */
enum bw_cp_result bw_cp_unmap_queue(struct bw_queue *by, struct bw_queue *q,
				    enum bw_dequeue request);
bool bw_cp_queue_is_active(struct bw_queue *q);
/* The queue of this doorbell; NULL: none. */
struct bw_queue *bw_cp_queue_of_doorbell(struct bw_device *dev, uint32_t index_dw);

/* cp_kiq.c: packets that map queues, of the KIQ alone */
enum bw_cp_result bw_cp_map_queues(struct bw_queue *q, const struct bw_pm4_packet *p);
enum bw_cp_result bw_cp_unmap_queues(struct bw_queue *q, const struct bw_pm4_packet *p);
enum bw_cp_result bw_cp_query_status(struct bw_queue *q, const struct bw_pm4_packet *p);

#endif
