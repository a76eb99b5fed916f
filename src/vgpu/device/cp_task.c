/* SPDX-License-Identifier: MIT */
/* Packets that run task shaders, on compute queues: their groups, and the entries of the ring
 * (task_ring.h) through which they launch mesh shaders. */
#include <string.h>

#include "base/util.h"
#include "vgpu/device/cp_packets.h"
#include "vgpu/device/spi.h"

enum bw_cp_result bw_cp_dispatch_task_state_init(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_dispatch_task_state_init s;
	if (!bw_pm4_dispatch_task_state_init(p, &s))
		return bw_cp_malformed(q, p);
	q->task.control_va = s.address;
	return BW_CP_DONE;
}

/* The current packet has ended, or is given up. */
static void end_packet(struct bw_queue *q)
{
	q->n_drawn = 0;
	q->task.is_counted = q->task.has_begun = false;
}

static enum bw_cp_result fail(struct bw_queue *q, const struct bw_pm4_packet *p, const char *why)
{
	char buf[16];
	bw_cp_fail(q, BW_QUEUE_BAD_PACKET, "packet %s: %s", bw_pm4_name(p->op, buf), why);
	end_packet(q);
	return BW_CP_STOP;
}

static struct bw_tlb *tlb_of(struct bw_queue *q)
{
	return bw_cp_tlb(q->dev, bw_cp_vmid(q));
}

struct grid {
	uint32_t dim[3], initiator;
	uint32_t ring_register; /* a user SGPR: the number of the first group's entry */
};

/* Goes on with a grid, as far as the ring has room for its groups. */
static enum bw_cp_result launch(struct bw_queue *q, const struct bw_pm4_packet *p,
				const struct grid *g)
{
	enum { MAX_INFLIGHT = 256, MOST = 0xffff };
	struct bw_task_ring ring;
	char reason[BW_TASK_WHY];
	const uint32_t *dim = q->task.has_begun ? q->task.dim : g->dim;
	if (!(g->initiator & BW_PM4_INIT_ENABLE) || !dim[0] || !dim[1] || !dim[2])
		return BW_CP_DONE;
	if (dim[0] > MOST || dim[1] > MOST || dim[2] > MOST)
		return fail(q, p, "a task shader has more than 65535 groups in a dimension");
	if (!bw_task_ring_load(tlb_of(q), q->task.control_va, &ring, reason))
		return fail(q, p, reason);
	if (atomic_load(&q->n_inflight) >= MAX_INFLIGHT)
		return BW_CP_WAIT;
	if (!q->task.has_begun) {
		q->task.has_begun = true;
		memcpy(q->task.dim, g->dim, sizeof(q->task.dim));
		q->task.first = ring.written;
		q->task.n_done = 0;
	}
	const uint64_t n = (uint64_t)dim[0] * dim[1] * dim[2];
	const struct bw_dispatch_part part = {
		.first = q->task.n_done, .n = BW_MIN(n - q->task.n_done, bw_task_ring_room(&ring))};
	if (!part.n)
		return BW_CP_POLL;
	/* Entries that had groups before: their readers have been waited for. */
	const uint64_t from = q->task.first + part.first;
	if (from + part.n - q->task.stretch_first > ring.n) {
		bw_queue_new_stretch(q);
		q->task.stretch_first = from;
	}
	const char *why = NULL;
	if (!bw_cp_reg_write(q, g->ring_register, bw_lo32(q->task.first)))
		return BW_CP_STOP;
	if (!bw_spi_dispatch_part(q, bw_cp_vmid(q), dim, g->initiator, &part, &why)) {
		bw_cp_fail(q, BW_QUEUE_BAD_DISPATCH, "task shader of %u x %u x %u groups: %s",
			   dim[0], dim[1], dim[2], why);
		return BW_CP_STOP;
	}
	q->task.n_done += part.n;
	if (!bw_task_ring_write(tlb_of(q), &ring, q->task.first + q->task.n_done, reason))
		return fail(q, p, reason);
	if (q->task.n_done < n)
		return BW_CP_AGAIN;
	q->task.has_begun = false;
	return BW_CP_DONE;
}

/* Puts the entry that ends the draw. */
static enum bw_cp_result end(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_task_ring ring;
	char why[BW_TASK_WHY];
	if (!bw_task_ring_load(tlb_of(q), q->task.control_va, &ring, why))
		return fail(q, p, why);
	if (!bw_task_ring_room(&ring))
		return BW_CP_POLL;
	if (!bw_task_ring_end(tlb_of(q), &ring, ring.written, why) ||
	    !bw_task_ring_write(tlb_of(q), &ring, ring.written + 1, why))
		return fail(q, p, why);
	end_packet(q);
	return BW_CP_DONE;
}

/* What follows a grid: the next one of n, or the end. */
static enum bw_cp_result after(struct bw_queue *q, const struct bw_pm4_packet *p,
			       enum bw_cp_result result, uint32_t n)
{
	if (result == BW_CP_STOP)
		end_packet(q);
	if (result != BW_CP_DONE)
		return result;
	return ++q->n_drawn < n ? BW_CP_AGAIN : end(q, p);
}

enum bw_cp_result bw_cp_dispatch_taskmesh_direct(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_dispatch_taskmesh_direct_ace d;
	if (!bw_pm4_dispatch_taskmesh_direct_ace(p, &d))
		return bw_cp_malformed(q, p);
	if (q->n_drawn)
		return end(q, p);
	const struct grid g = {{d.x, d.y, d.z}, d.initiator, d.ring_register};
	return after(q, p, launch(q, p, &g), 1);
}

/* The next grid of an indirect packet, and the registers that its shader has it in. */
static bool read_grid(struct bw_queue *q,
		      const struct bw_pm4_dispatch_taskmesh_indirect_multi_ace *d, struct grid *g)
{
	const uint64_t at = d->address + (uint64_t)q->n_drawn * d->stride;
	if (!bw_cp_mem_read(q, at, g->dim, sizeof(g->dim)))
		return false;
	if (d->has_draw_register && !bw_cp_reg_write(q, d->draw_register, q->n_drawn))
		return false;
	for (uint32_t i = 0; i < 3 && d->has_dimensions; i++)
		if (!bw_cp_reg_write(q, d->dimensions_register + i, g->dim[i]))
			return false;
	return true;
}

enum bw_cp_result bw_cp_dispatch_taskmesh_indirect(struct bw_queue *q,
						   const struct bw_pm4_packet *p)
{
	struct bw_pm4_dispatch_taskmesh_indirect_multi_ace d;
	if (!bw_pm4_dispatch_taskmesh_indirect_multi_ace(p, &d))
		return bw_cp_malformed(q, p);
	/* the program may change its memory while the packet waits for room */
	if (!q->task.is_counted) {
		uint32_t n = d.n_draws;
		if (d.count_from_memory && !bw_cp_mem_read(q, d.count_address, &n, sizeof(n)))
			return BW_CP_STOP;
		q->task.n_grids = BW_MIN(n, d.n_draws);
		q->task.is_counted = true;
	}
	const uint32_t n = q->task.n_grids;
	if (q->n_drawn >= n)
		return end(q, p);
	struct grid g = {.initiator = d.initiator, .ring_register = d.ring_register};
	if (!q->task.has_begun && !read_grid(q, &d, &g))
		return after(q, p, BW_CP_STOP, n);
	return after(q, p, launch(q, p, &g), n);
}

/* ---- on the universal queue ---- */

enum bw_cp_result bw_cp_task_skip(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_task_ring ring;
	char why[BW_TASK_WHY];
	uint32_t groups[3];
	q->task.is_skipped = true;
	if (!bw_task_ring_load(tlb_of(q), q->task.control_va, &ring, why))
		return fail(q, p, why);
	enum bw_task_entry entry = BW_TASK_GROUPS;
	uint64_t number = ring.read;
	for (uint32_t i = 0; i < ring.n && entry == BW_TASK_GROUPS; i++) {
		entry = bw_task_ring_look(tlb_of(q), &ring, number, groups, why);
		number += entry == BW_TASK_GROUPS || entry == BW_TASK_END;
	}
	if (entry == BW_TASK_BAD || !bw_task_ring_free(tlb_of(q), &ring, number, why))
		return fail(q, p, why);
	if (entry == BW_TASK_NOT_READY)
		return BW_CP_POLL;
	if (entry != BW_TASK_END)
		return BW_CP_AGAIN;
	q->task.is_skipped = false;
	return BW_CP_DONE;
}
