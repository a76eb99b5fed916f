/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_TASK_RING_H
#define BW_VGPU_DEVICE_TASK_RING_H

/* The ring between task and mesh shaders, in the program's memory. A task shader's group stores how
 * many groups of the mesh shader it launches into its entry, and then the entry's ready bit; its
 * queue puts an entry that ends the draw after those of the draw. The universal queue takes the
 * entries in their order. The control buffer (DISPATCH_TASK_STATE_INIT) has three counts of
 * entries, which begin at the ring's size: written (dispatched), read, and freed (the mesh shader
 * has ended). Layout: radv_queue.c and ac_nir_lower_taskmesh_io_to_mem.c of Mesa 25. [I]
 *
 * Both queues take it from memory each time, and nothing of it is trusted. */

#include <stdbool.h>
#include <stdint.h>

struct bw_tlb;

struct bw_task_ring {
	uint64_t control_va;
	uint64_t written, read, freed;
	uint32_t n; /* entries: a power of two */
	uint64_t va;
};

enum { BW_TASK_WHY = 200 };

enum bw_task_entry {
	BW_TASK_NOT_READY,
	BW_TASK_GROUPS, /* out_groups has how many the mesh shader gets */
	BW_TASK_END,	/* of the draw */
	BW_TASK_BAD	/* why says the reason */
};

/* False: the control buffer cannot be read, or makes no sense; why says it. */
bool bw_task_ring_load(struct bw_tlb *tlb, uint64_t control_va, struct bw_task_ring *out,
		       char why[BW_TASK_WHY]);
/* Looks at the entry of that number. */
enum bw_task_entry bw_task_ring_look(struct bw_tlb *tlb, const struct bw_task_ring *r,
				     uint64_t number, uint32_t out_groups[3],
				     char why[BW_TASK_WHY]);
/* Says that entries have been read and freed up to this one. False: it cannot be written. */
bool bw_task_ring_free(struct bw_tlb *tlb, const struct bw_task_ring *r, uint64_t number,
		       char why[BW_TASK_WHY]);
/* The same, for entries that are given to groups of the task shader. */
bool bw_task_ring_write(struct bw_tlb *tlb, const struct bw_task_ring *r, uint64_t number,
			char why[BW_TASK_WHY]);
/* Makes the entry of that number the end of a draw. */
bool bw_task_ring_end(struct bw_tlb *tlb, const struct bw_task_ring *r, uint64_t number,
		      char why[BW_TASK_WHY]);

static inline uint32_t bw_task_ring_room(const struct bw_task_ring *r)
{
	return r->n - (uint32_t)(r->written - r->freed);
}

#endif
