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
			return BW_CP_DONE;
		bw_sched_flush_code(q->dev);
	}
	enum bw_cp_result result = bw_draw_continue(q->draw, &why);
	if (result == BW_CP_STOP)
		bw_cp_fail(q, BW_QUEUE_BAD_PACKET, "packet %s: %s", bw_pm4_name(p->op, buf), why);
	if (result == BW_CP_STOP || result == BW_CP_DONE)
		bw_draw_end(q);
	return result;
}

enum bw_cp_result bw_cp_draw_index_auto(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_draw_index_auto d;
	if (!bw_pm4_draw_index_auto(p, &d))
		return bw_cp_malformed(q, p);
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

/* A user SGPR that an indirect draw writes; the first SH register is none. */
static bool set_user(struct bw_queue *q, uint32_t addr_dw, uint32_t value)
{
	return addr_dw == BW_PM4_SH_BEGIN_DW || bw_cp_reg_write(q, addr_dw, value);
}

enum bw_cp_result bw_cp_draw_indirect(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_draw_indirect d;
	struct bw_draw_call call = {0};
	uint32_t args[4]; /* VkDrawIndirectCommand */
	if (!bw_pm4_draw_indirect(p, &d))
		return bw_cp_malformed(q, p);
	if (!q->draw) {
		if (!bw_cp_mem_read(q, q->base[1] + d.offset, args, sizeof(args)) ||
		    !set_user(q, d.vertex_register, args[2]) ||
		    !set_user(q, d.instance_register, args[3]))
			return BW_CP_STOP;
		call = (struct bw_draw_call){.n = args[0], .n_instances = args[1]};
	}
	return draw(q, p, &call);
}

enum bw_cp_result bw_cp_draw_index_indirect(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_draw_index_indirect d;
	struct bw_draw_call call = {0};
	uint32_t args[5]; /* VkDrawIndexedIndirectCommand */
	if (!bw_pm4_draw_index_indirect(p, &d))
		return bw_cp_malformed(q, p);
	if (!q->draw) {
		if (!bw_cp_mem_read(q, q->base[1] + d.offset, args, sizeof(args)) ||
		    !set_user(q, d.vertex_register, args[3]) ||
		    !set_user(q, d.instance_register, args[4]))
			return BW_CP_STOP;
		call = (struct bw_draw_call){.n = args[0],
					     .n_instances = args[1],
					     .indexed = true,
					     .index_va = q->index_va,
					     .max_indices = q->n_indices,
					     .first_index = args[2]};
	}
	return draw(q, p, &call);
}
