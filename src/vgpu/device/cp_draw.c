/* SPDX-License-Identifier: MIT */
/* Packets that draw. What a draw needs and the model does not do is refused by name: the draw is
 * left out, one message says why, and the queue goes on. */
#include "base/log.h"
#include "base/util.h"
#include "vgpu/device/cp_packets.h"
#include "vgpu/device/draw.h"

enum bw_cp_result bw_cp_clear_state(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	bw_draw_clear_state(q->dev);
	return BW_CP_DONE;
}

enum bw_cp_result bw_cp_num_instances(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_num_instances i;
	if (!bw_pm4_num_instances(p, &i))
		return bw_cp_malformed(q, p);
	bw_reg_set(q->dev, BW_REG_VGT_NUM_INSTANCES, i.n);
	return BW_CP_DONE;
}

enum bw_cp_result bw_cp_index_type(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_index_type t;
	if (!bw_pm4_index_type(p, &t))
		return bw_cp_malformed(q, p);
	bw_reg_set(q->dev, BW_REG_VGT_INDEX_TYPE, t.type);
	return BW_CP_DONE;
}

enum bw_cp_result bw_cp_index_base(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_index_base b;
	if (!bw_pm4_index_base(p, &b))
		return bw_cp_malformed(q, p);
	q->index_va = b.address;
	return BW_CP_DONE;
}

enum bw_cp_result bw_cp_index_buffer_size(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_index_buffer_size s;
	if (!bw_pm4_index_buffer_size(p, &s))
		return bw_cp_malformed(q, p);
	q->n_indices = s.n_indices;
	return BW_CP_DONE;
}

void bw_cp_leave_out(struct bw_queue *q, const struct bw_pm4_packet *p, const char *why)
{
	char buf[16];
	unsigned vmid = bw_cp_vmid(q);
	if (q->left_out == why && q->left_out_vmid == vmid)
		return;
	q->left_out = why;
	q->left_out_vmid = vmid;
	BW_LOG(ERROR, "vgpu", "a draw of VMID %u is left out (%s): %s", vmid,
	       bw_pm4_name(p->op, buf), why);
}

/* Begins the draw of the packet, or goes on with it. */
static enum bw_cp_result draw(struct bw_queue *q, const struct bw_pm4_packet *p,
			      const struct bw_draw_call *call)
{
	const char *why = NULL;
	char buf[16];
	if (!q->draw) {
		why = bw_draw_begin(q, call, &q->draw);
		if (why)
			bw_cp_leave_out(q, p, why);
		if (!q->draw)
			return call->is_task ? bw_cp_task_skip(q, p) : BW_CP_DONE;
		bw_sched_flush_code(q->dev);
	}
	enum bw_cp_result result = bw_draw_continue(q->draw, &why);
	if (result == BW_CP_STOP)
		bw_cp_fail(q, BW_QUEUE_BAD_PACKET, "packet %s: %s", bw_pm4_name(p->op, buf), why);
	if (result == BW_CP_STOP || result == BW_CP_DONE)
		bw_draw_end(q);
	return result;
}

/* The vertices that transform feedback has stored: bytes of a buffer, and of a vertex. */
static uint32_t stored_vertices(struct bw_queue *q)
{
	uint32_t filled = bw_reg_get(q->dev, BW_REG_VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE);
	uint32_t offset = bw_reg_get(q->dev, BW_REG_VGT_STRMOUT_DRAW_OPAQUE_OFFSET);
	uint32_t stride =
		BW_FIELD_GET(VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE, VERTEX_STRIDE,
			     bw_reg_get(q->dev, BW_REG_VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE));
	return stride && filled > offset ? (filled - offset) / stride : 0;
}

enum bw_cp_result bw_cp_draw_index_auto(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_draw_index_auto d;
	if (!bw_pm4_draw_index_auto(p, &d))
		return bw_cp_malformed(q, p);
	if (d.draw_initiator & BW_PM4_DRAW_OPAQUE)
		d.n_vertices = stored_vertices(q);
	return draw(q, p,
		    &(struct bw_draw_call){.n = d.n_vertices,
					   .n_instances =
						   bw_reg_get(q->dev, BW_REG_VGT_NUM_INSTANCES)});
}

enum bw_cp_result bw_cp_draw_index_2(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_draw_index_2 d;
	if (!bw_pm4_draw_index_2(p, &d))
		return bw_cp_malformed(q, p);
	return draw(
		q, p,
		&(struct bw_draw_call){.n = d.n_indices,
				       .n_instances = bw_reg_get(q->dev, BW_REG_VGT_NUM_INSTANCES),
				       .indexed = true,
				       .index_va = d.address,
				       .max_indices = d.max_size});
}

enum bw_cp_result bw_cp_draw_index_offset_2(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_draw_index_offset_2 d;
	if (!bw_pm4_draw_index_offset_2(p, &d))
		return bw_cp_malformed(q, p);
	return draw(
		q, p,
		&(struct bw_draw_call){.n = d.n_indices,
				       .n_instances = bw_reg_get(q->dev, BW_REG_VGT_NUM_INSTANCES),
				       .indexed = true,
				       .index_va = q->index_va,
				       .max_indices = d.max_size,
				       .first_index = d.offset});
}

/* With more groups than are possible the number is any but 0: the draw is refused. */
static struct bw_draw_call mesh_call(const uint32_t groups[3])
{
	bool is_none = !groups[0] || !groups[1] || !groups[2];
	return (struct bw_draw_call){.n = is_none ? 0
						  : BW_MAX(groups[0] * groups[1] * groups[2], 1u),
				     .n_instances = 1,
				     .is_mesh = true,
				     .groups = {groups[0], groups[1], groups[2]}};
}

enum bw_cp_result bw_cp_dispatch_mesh_direct(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_dispatch_mesh_direct d;
	if (!bw_pm4_dispatch_mesh_direct(p, &d))
		return bw_cp_malformed(q, p);
	struct bw_draw_call call = mesh_call((const uint32_t[]){d.x, d.y, d.z});
	return draw(q, p, &call);
}

/* Its groups are in the ring of task shaders. */
enum bw_cp_result bw_cp_dispatch_taskmesh_gfx(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_dispatch_taskmesh_gfx d;
	if (!bw_pm4_dispatch_taskmesh_gfx(p, &d))
		return bw_cp_malformed(q, p);
	if (q->task.is_skipped)
		return bw_cp_task_skip(q, p);
	return draw(q, p,
		    &(struct bw_draw_call){.n = 1,
					   .n_instances = 1,
					   .is_mesh = true,
					   .is_task = true,
					   .ring_register = d.ring_register,
					   .dimensions_register = d.has_dimensions
									  ? d.dimensions_register
									  : BW_PM4_SH_BEGIN_DW});
}

/* ---- draws whose numbers are in memory ---- */

struct indirect {
	bool indexed, is_mesh;
	uint64_t va;
	uint32_t stride, n; /* of several draws */
	uint32_t vertex_register, instance_register, draw_register;
	uint32_t groups_register; /* of three, of a mesh shader */
};

/* A user SGPR that an indirect draw writes; the first SH register is none. */
static bool set_user(struct bw_queue *q, uint32_t addr_dw, uint32_t value)
{
	return addr_dw == BW_PM4_SH_BEGIN_DW || bw_cp_reg_write(q, addr_dw, value);
}

/* VkDrawMeshTasksIndirectCommandEXT */
static bool read_mesh_call(struct bw_queue *q, const struct indirect *in, uint32_t number,
			   struct bw_draw_call *out)
{
	uint32_t groups[3] = {0};
	if (!bw_cp_mem_read(q, in->va + (uint64_t)number * in->stride, groups, sizeof(groups)) ||
	    !set_user(q, in->draw_register, number))
		return false;
	for (uint32_t i = 0; i < 3 && in->groups_register != BW_PM4_SH_BEGIN_DW; i++)
		if (!set_user(q, in->groups_register + i, groups[i]))
			return false;
	*out = mesh_call(groups);
	return true;
}

/* Reads the numbers of a draw (VkDrawIndirectCommand, or VkDrawIndexedIndirectCommand). */
static bool read_call(struct bw_queue *q, const struct indirect *in, uint32_t number,
		      struct bw_draw_call *out)
{
	uint32_t args[5] = {0};
	if (in->is_mesh)
		return read_mesh_call(q, in, number, out);
	const uint32_t *base = &args[in->indexed ? 3 : 2];
	if (!bw_cp_mem_read(q, in->va + (uint64_t)number * in->stride, args,
			    in->indexed ? 20 : 16) ||
	    !set_user(q, in->vertex_register, base[0]) ||
	    !set_user(q, in->instance_register, base[1]) || !set_user(q, in->draw_register, number))
		return false;
	*out = (struct bw_draw_call){.n = args[0],
				     .n_instances = args[1],
				     .indexed = in->indexed,
				     .index_va = q->index_va,
				     .max_indices = q->n_indices,
				     .first_index = in->indexed ? args[2] : 0};
	return true;
}

/* The draws of a packet one after the other; q->n_drawn of them are done. */
static enum bw_cp_result draw_indirect(struct bw_queue *q, const struct bw_pm4_packet *p,
				       const struct indirect *in)
{
	struct bw_draw_call call = {0};
	enum bw_cp_result result = BW_CP_STOP;
	if (!q->draw && q->n_drawn >= in->n) {
		q->n_drawn = 0;
		return BW_CP_DONE;
	}
	if (q->draw || read_call(q, in, q->n_drawn, &call))
		result = draw(q, p, &call);
	if (result == BW_CP_DONE && ++q->n_drawn < in->n)
		return BW_CP_AGAIN;
	if (result == BW_CP_DONE || result == BW_CP_STOP)
		q->n_drawn = 0;
	return result;
}

enum bw_cp_result bw_cp_draw_indirect(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_draw_indirect d;
	if (!bw_pm4_draw_indirect(p, &d))
		return bw_cp_malformed(q, p);
	return draw_indirect(q, p,
			     &(struct indirect){.va = q->base[1] + d.offset,
						.n = 1,
						.vertex_register = d.vertex_register,
						.instance_register = d.instance_register,
						.draw_register = BW_PM4_SH_BEGIN_DW});
}

enum bw_cp_result bw_cp_draw_index_indirect(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_draw_index_indirect d;
	if (!bw_pm4_draw_index_indirect(p, &d))
		return bw_cp_malformed(q, p);
	return draw_indirect(q, p,
			     &(struct indirect){.indexed = true,
						.va = q->base[1] + d.offset,
						.n = 1,
						.vertex_register = d.vertex_register,
						.instance_register = d.instance_register,
						.draw_register = BW_PM4_SH_BEGIN_DW});
}

/* How many draws a packet with several has. */
static bool read_count(struct bw_queue *q, bool from_memory, uint64_t va, uint32_t *n)
{
	uint32_t count;
	if (!from_memory)
		return true;
	if (!bw_cp_mem_read(q, va, &count, sizeof(count)))
		return false;
	*n = BW_MIN(*n, count);
	return true;
}

enum bw_cp_result bw_cp_draw_indirect_multi(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_draw_indirect_multi d;
	if (!bw_pm4_draw_indirect_multi(p, &d))
		return bw_cp_malformed(q, p);
	if (!read_count(q, d.count_from_memory, d.count_address, &d.n_draws))
		return BW_CP_STOP;
	return draw_indirect(q, p,
			     &(struct indirect){.va = q->base[1] + d.offset,
						.stride = d.stride,
						.n = d.n_draws,
						.vertex_register = d.vertex_register,
						.instance_register = d.instance_register,
						.draw_register = d.has_draw_register
									 ? d.draw_register
									 : BW_PM4_SH_BEGIN_DW});
}

enum bw_cp_result bw_cp_draw_index_indirect_multi(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_draw_index_indirect_multi d;
	if (!bw_pm4_draw_index_indirect_multi(p, &d))
		return bw_cp_malformed(q, p);
	if (!read_count(q, d.count_from_memory, d.count_address, &d.n_draws))
		return BW_CP_STOP;
	return draw_indirect(q, p,
			     &(struct indirect){.indexed = true,
						.va = q->base[1] + d.offset,
						.stride = d.stride,
						.n = d.n_draws,
						.vertex_register = d.vertex_register,
						.instance_register = d.instance_register,
						.draw_register = d.has_draw_register
									 ? d.draw_register
									 : BW_PM4_SH_BEGIN_DW});
}

enum bw_cp_result bw_cp_dispatch_mesh_indirect_multi(struct bw_queue *q,
						     const struct bw_pm4_packet *p)
{
	struct bw_pm4_dispatch_mesh_indirect_multi d;
	if (!bw_pm4_dispatch_mesh_indirect_multi(p, &d))
		return bw_cp_malformed(q, p);
	if (!read_count(q, d.count_from_memory, d.count_address, &d.n_draws))
		return BW_CP_STOP;
	return draw_indirect(
		q, p,
		&(struct indirect){.is_mesh = true,
				   .va = q->base[1] + d.offset,
				   .stride = d.stride,
				   .n = d.n_draws,
				   .groups_register = d.has_dimensions ? d.dimensions_register
								       : BW_PM4_SH_BEGIN_DW,
				   .draw_register = d.has_draw_register ? d.draw_register
									: BW_PM4_SH_BEGIN_DW});
}
