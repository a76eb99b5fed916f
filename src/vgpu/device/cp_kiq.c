/* SPDX-License-Identifier: MIT */
/* Packets by which the kernel interface queue puts other queues on the hardware (nvd.h and
 * gfx_v11_0.c of Linux 6.12). */
#include "base/util.h"
#include "vgpu/device/cp_packets.h"
#include "vgpu/device/cp_priv.h"

enum {
	ENGINE_COMPUTE = 0,
	ENGINE_GFX = 4,
	ENGINE_MES = 5,
	UNMAP_PREEMPT = 0,
	UNMAP_RESET = 1,
	UNMAP_DISABLE = 2,
};

enum bw_cp_result bw_cp_map_queues(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	if (p->n_body < 6)
		return bw_cp_malformed(q, p);
	uint32_t what = p->body[0];
	unsigned engine = (unsigned)bw_bits(what, 28, 26), me = (unsigned)bw_bits(what, 19, 18);
	if (!bw_is_kiq(q))
		return bw_cp_refuse(q, p, "queue of ME", q->me);
	if (bw_bits(what, 5, 4))
		return bw_cp_refuse(q, p, "QUEUE_SEL", (unsigned)bw_bits(what, 5, 4));
	if (bw_bits(what, 31, 29) != 1)
		return bw_cp_refuse(q, p, "NUM_QUEUES", (unsigned)bw_bits(what, 31, 29));
	/* The packet counts MEs of an engine otherwise than registers do. */
	switch (engine) {
	case ENGINE_COMPUTE:
		me = 1;
		break;
	case ENGINE_GFX:
		break;
	case ENGINE_MES:
		me = 3;
		break;
	default:
		return bw_cp_refuse(q, p, "ENGINE_SEL", engine);
	}
	struct bw_queue *to = bw_cp_queue(q->dev, me, (uint32_t)bw_bits(what, 17, 16),
					  (uint32_t)bw_bits(what, 15, 13));
	if (!to || to == q)
		return bw_cp_refuse(q, p, "queue", (unsigned)bw_bits(what, 15, 13));
	const struct bw_queue_map m = {
		.mqd_va = bw_join32(p->body[3], p->body[2]),
		.wptr_va = bw_join32(p->body[5], p->body[4]),
		.doorbell_dw = (uint32_t)bw_bits(p->body[1], 27, 2),
	};
	return bw_cp_map_queue(q, to, &m);
}

enum bw_cp_result bw_cp_unmap_queues(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	if (p->n_body < 5)
		return bw_cp_malformed(q, p);
	unsigned action = (unsigned)bw_bits(p->body[0], 1, 0);
	if (!bw_is_kiq(q))
		return bw_cp_refuse(q, p, "queue of ME", q->me);
	if (bw_bits(p->body[0], 5, 4))
		return bw_cp_refuse(q, p, "QUEUE_SEL", (unsigned)bw_bits(p->body[0], 5, 4));
	if (bw_bits(p->body[0], 31, 29) != 1)
		return bw_cp_refuse(q, p, "NUM_QUEUES", (unsigned)bw_bits(p->body[0], 31, 29));
	if (action > UNMAP_DISABLE) /* preempting in the middle of a job */
		return bw_cp_refuse(q, p, "ACTION", action);
	/* A packet that waits for its queue is read again, and the queue no longer hears the
	 * doorbell when it has come to its end. */
	if (!q->started)
		q->unmapping =
			bw_cp_queue_of_doorbell(q->dev, (uint32_t)bw_bits(p->body[1], 27, 2));
	q->started = true;
	if (!q->unmapping || q->unmapping == q)
		return BW_CP_DONE;
	return bw_cp_unmap_queue(q, q->unmapping, action == UNMAP_RESET);
}

/* Earlier requests to the queue are done: the packets are in one ring. */
enum bw_cp_result bw_cp_query_status(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	if (p->n_body < 6)
		return bw_cp_malformed(q, p);
	uint64_t value = bw_join32(p->body[5], p->body[4]);
	return bw_cp_mem_write(q, bw_join32(p->body[3], p->body[2]), &value, 8) ? BW_CP_DONE
										: BW_CP_STOP;
}
