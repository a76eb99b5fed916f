/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_CP_PACKETS_H
#define BW_VGPU_DEVICE_CP_PACKETS_H

/* Functions that all packet files use: access to memory and registers, and refusals. Each of these
 * stops the queue with a reason when it cannot be done; the packet then ends with BW_CP_STOP. */

#include "vgpu/device/cp.h"
#include "vgpu/device/task_ring.h"

typedef enum bw_cp_result bw_cp_packet_fn(struct bw_queue *q, const struct bw_pm4_packet *p);

enum bw_cp_result bw_cp_malformed(struct bw_queue *q, const struct bw_pm4_packet *p);
enum bw_cp_result bw_cp_refuse(struct bw_queue *q, const struct bw_pm4_packet *p, const char *what,
			       unsigned value);
bool bw_cp_mem_read(struct bw_queue *q, uint64_t va, void *out, size_t n);
bool bw_cp_mem_write(struct bw_queue *q, uint64_t va, const void *data, size_t n);
/* The same for parts of a packet's data: the caller tells the checker what is written. */
bool bw_cp_mem_put(struct bw_queue *q, uint64_t va, const void *data, size_t n);
bool bw_cp_reg_read(struct bw_queue *q, uint32_t addr_dw, uint32_t *out);
bool bw_cp_reg_write(struct bw_queue *q, uint32_t addr_dw, uint32_t value);
/* For the checker: the root of a VMID's page tables, and what executes the queue's packets. */
uint64_t bw_device_space(struct bw_device *dev, unsigned vmid);
struct bw_check_engine;
struct bw_check_engine bw_queue_engine(const struct bw_queue *q);

/* cp_data.c: packets that move data */
bw_cp_packet_fn bw_cp_write_data, bw_cp_copy_data, bw_cp_dma_data, bw_cp_atomic_mem,
	bw_cp_cond_write, bw_cp_reg_rmw, bw_cp_context_reg_rmw;
/* cp_draw.c: packets that draw */
/* Says why the draw of a packet is not done: once, as long as the reason and the program are the
 * same. The reason is static. */
void bw_cp_leave_out(struct bw_queue *q, const struct bw_pm4_packet *p, const char *why);
bw_cp_packet_fn bw_cp_clear_state, bw_cp_num_instances, bw_cp_index_type, bw_cp_index_base,
	bw_cp_index_buffer_size, bw_cp_draw_index_auto, bw_cp_draw_index_2,
	bw_cp_draw_index_offset_2, bw_cp_draw_indirect, bw_cp_draw_index_indirect,
	bw_cp_draw_indirect_multi, bw_cp_draw_index_indirect_multi, bw_cp_dispatch_mesh_direct,
	bw_cp_dispatch_mesh_indirect_multi, bw_cp_dispatch_taskmesh_gfx;
/* cp_task.c: packets of task shaders */
bw_cp_packet_fn bw_cp_dispatch_task_state_init, bw_cp_dispatch_taskmesh_direct,
	bw_cp_dispatch_taskmesh_indirect;
/* The draw of a DISPATCH_TASKMESH_GFX is left out: takes what its task shader launches out of the
 * ring. */
bw_cp_packet_fn bw_cp_task_skip;
/* cp_events.c: events and the counters they write */
bw_cp_packet_fn bw_cp_event_write, bw_cp_event_write_zpass;
/* Whether samples passed between the events that have written to va. False: it cannot be read. */
bool bw_cp_zpass_any(struct bw_queue *q, uint64_t va, bool *out);
/* Whether not all primitives have been stored that were to be, between the two pairs of counts at
 * va. False: they cannot be read. */
bool bw_cp_primitives_missing(struct bw_queue *q, uint64_t va, bool *out);

#endif
