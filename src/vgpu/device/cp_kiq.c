/* SPDX-License-Identifier: MIT */
/* Packets by which the kernel interface queue puts other queues on the hardware (nvd.h and
 * gfx_v11_0.c of Linux 6.12). */
#include "base/util.h"
#include "vgpu/device/cp_packets.h"
#include "vgpu/device/cp_priv.h"
#include "vgpu/device/hws.h"

enum bw_cp_result bw_cp_map_queues(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_map_queues map;
	if (!bw_pm4_map_queues(p, &map))
		return bw_cp_malformed(q, p);
	unsigned me = map.me;
	if (bw_is_hiq(q))
		return bw_hws_map_queues(q, p);
	if (!bw_is_kiq(q))
		return bw_cp_refuse(q, p, "queue of ME", q->me);
	if (map.select)
		return bw_cp_refuse(q, p, "QUEUE_SEL", map.select);
	if (map.n_queues != 1)
		return bw_cp_refuse(q, p, "NUM_QUEUES", map.n_queues);
	/* The packet counts MEs of an engine otherwise than registers do. */
	switch (map.engine) {
	case BW_PM4_ENGINE_COMPUTE:
		me = 1;
		break;
	case BW_PM4_ENGINE_HIQ: /* of gfx9: on the second compute engine */
		if (!q->dev->own)
			return bw_cp_refuse(q, p, "ENGINE_SEL", map.engine);
		me = 3;
		break;
	case BW_PM4_ENGINE_GFX:
		break;
	case BW_PM4_ENGINE_MES:
		me = 3;
		break;
	default:
		return bw_cp_refuse(q, p, "ENGINE_SEL", map.engine);
	}
	struct bw_queue *to = bw_cp_queue(q->dev, me, map.pipe, map.queue_of_pipe);
	if (!to || to == q)
		return bw_cp_refuse(q, p, "queue", map.queue_of_pipe);
	const struct bw_queue_map m = {
		.mqd_va = map.mqd,
		.wptr_va = map.write_pointer,
		.doorbell_dw = map.doorbell,
	};
	return bw_cp_map_queue(q, to, &m);
}

enum bw_cp_result bw_cp_unmap_queues(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_unmap_queues u;
	if (!bw_pm4_unmap_queues(p, &u))
		return bw_cp_malformed(q, p);
	if (bw_is_hiq(q))
		return bw_hws_unmap_queues(q, p);
	if (!bw_is_kiq(q))
		return bw_cp_refuse(q, p, "queue of ME", q->me);
	if (u.select)
		return bw_cp_refuse(q, p, "QUEUE_SEL", u.select);
	if (u.n_queues != 1)
		return bw_cp_refuse(q, p, "NUM_QUEUES", u.n_queues);
	if (u.action > BW_PM4_UNMAP_DISABLE) /* preempting in the middle of a job */
		return bw_cp_refuse(q, p, "ACTION", u.action);
	/* A packet that waits for its queue is read again, and the queue no longer hears the
	 * doorbell when it has come to its end. */
	if (!q->started)
		q->unmapping = bw_cp_queue_of_doorbell(q->dev, u.doorbell);
	q->started = true;
	if (!q->unmapping || q->unmapping == q)
		return BW_CP_DONE;
	return bw_cp_unmap_queue(q, q->unmapping,
				 u.action == BW_PM4_UNMAP_RESET ? BW_DEQUEUE_RESET
								: BW_DEQUEUE_DRAIN);
}

/* Earlier requests to the queue are done: the packets are in one ring. */
enum bw_cp_result bw_cp_query_status(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_query_status s;
	if (!bw_pm4_query_status(p, &s))
		return bw_cp_malformed(q, p);
	return bw_cp_mem_write(q, s.address, &s.value, 8) ? BW_CP_DONE : BW_CP_STOP;
}
