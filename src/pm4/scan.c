/* SPDX-License-Identifier: MIT */
#include "pm4/scan.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "pm4/pm4.h"
#include "regs/field.h"

static void store(struct bw_pm4_scan *state, uint32_t addr_dw, uint32_t value, size_t at_dw)
{
	if (addr_dw == BW_REG_GC_DW(SPI_TMPRING_SIZE))
		state->tmpring_size = value;
	if (addr_dw == BW_REG_GC_DW(VGT_SHADER_STAGES_EN)) {
		state->vertices_w32 = BW_FIELD_GET(VGT_SHADER_STAGES_EN, GS_W32_EN, value);
		state->has_hull = BW_FIELD_GET(VGT_SHADER_STAGES_EN, HS_EN, value);
	}
	if (addr_dw == BW_REG_GC_DW(SPI_PS_IN_CONTROL))
		state->pixels_w32 = BW_FIELD_GET(SPI_PS_IN_CONTROL, PS_W32_EN, value);
	if (addr_dw < BW_PM4_SH_BEGIN_DW || addr_dw >= BW_PM4_SH_BEGIN_DW + BW_PM4_N_SH)
		return;
	state->sh[addr_dw - BW_PM4_SH_BEGIN_DW] = value;
	state->sh_va[addr_dw - BW_PM4_SH_BEGIN_DW] = state->va + at_dw * 4;
}

enum { IN_MEMORY = 0xffffffffu };

static bool look_at_draw(const struct bw_pm4_scan *state, const struct bw_pm4_packet *p,
			 struct bw_pm4_draw *out)
{
	struct bw_pm4_draw_index_auto plain;
	struct bw_pm4_draw_index_2 indexed;
	struct bw_pm4_draw_index_offset_2 offset;
	struct bw_pm4_draw_indirect indirect;
	struct bw_pm4_draw_index_indirect indexed_indirect;
	struct bw_pm4_draw_indirect_multi multi;
	struct bw_pm4_draw_index_indirect_multi indexed_multi;
	struct bw_pm4_dispatch_mesh_direct mesh;
	struct bw_pm4_dispatch_mesh_indirect_multi mesh_multi;
	struct bw_pm4_dispatch_taskmesh_gfx task;
	*out = (struct bw_pm4_draw){.n = IN_MEMORY, .n_instances = IN_MEMORY, .n_draws = 1};
	if (bw_pm4_draw_index_auto(p, &plain)) {
		if (!(plain.draw_initiator & BW_PM4_DRAW_OPAQUE))
			out->n = plain.n_vertices;
		out->n_instances = state->n_instances;
	} else if (bw_pm4_draw_index_2(p, &indexed)) {
		out->n = indexed.n_indices;
		out->is_indexed = true;
	} else if (bw_pm4_draw_index_offset_2(p, &offset)) {
		out->n = offset.n_indices;
		out->is_indexed = true;
	} else if (bw_pm4_draw_indirect_multi(p, &multi)) {
		out->n_draws = multi.n_draws;
	} else if (bw_pm4_draw_index_indirect_multi(p, &indexed_multi)) {
		out->n_draws = indexed_multi.n_draws;
		out->is_indexed = true;
	} else if (bw_pm4_dispatch_mesh_direct(p, &mesh)) {
		out->n = mesh.x * mesh.y * mesh.z;
		out->n_instances = 1;
		return true;
	} else if (bw_pm4_dispatch_mesh_indirect_multi(p, &mesh_multi)) {
		out->n_draws = mesh_multi.n_draws;
	} else if (bw_pm4_dispatch_taskmesh_gfx(p, &task)) {
		out->is_task = true;
	} else if (bw_pm4_draw_index_indirect(p, &indexed_indirect)) {
		out->is_indexed = true;
	} else if (!bw_pm4_draw_indirect(p, &indirect)) {
		return false;
	}
	if (out->n != IN_MEMORY)
		out->n_instances = state->n_instances;
	return true;
}

/* Dispatches of task shaders; of several, dim is that of the first one. */
static bool look_at_task(const struct bw_pm4_packet *p, struct bw_pm4_find *f)
{
	struct bw_pm4_dispatch_taskmesh_direct_ace direct;
	struct bw_pm4_dispatch_taskmesh_indirect_multi_ace multi;
	if (bw_pm4_dispatch_taskmesh_direct_ace(p, &direct)) {
		f->dispatch = (struct bw_pm4_dispatch){
			{direct.x, direct.y, direct.z}, direct.initiator, true};
	} else if (bw_pm4_dispatch_taskmesh_indirect_multi_ace(p, &multi)) {
		f->indirect = true;
		f->indirect_va = multi.address;
		f->dispatch = (struct bw_pm4_dispatch){
			{IN_MEMORY, IN_MEMORY, IN_MEMORY}, multi.initiator, true};
	} else {
		return false;
	}
	f->what = BW_PM4_FOUND_DISPATCH;
	return true;
}

/* True when the packet is reported to the caller. */
static bool look(struct bw_pm4_scan *state, const struct bw_pm4_packet *p, struct bw_pm4_find *f)
{
	struct bw_pm4_set_reg set;
	struct bw_pm4_set_base base;
	struct bw_pm4_num_instances instances;
	struct bw_pm4_dispatch_direct direct;
	struct bw_pm4_dispatch_indirect indirect;
	struct bw_pm4_dispatch_indirect_at at;
	uint32_t addr_dw, value;

	if (bw_pm4_set_reg_begin(p, &set)) {
		while (bw_pm4_set_reg_next(&set, &addr_dw, &value))
			store(state, addr_dw, value, f->pos_dw + 1 + (size_t)(set.value - p->body));
		return false;
	}
	if (bw_pm4_set_base(p, &base)) {
		if (base.index < 4)
			state->base[base.index] = base.address;
		return false;
	}
	if (bw_pm4_dispatch_direct(p, &direct)) {
		f->what = BW_PM4_FOUND_DISPATCH;
		f->dispatch = (struct bw_pm4_dispatch){
			{direct.x, direct.y, direct.z}, direct.initiator, false};
		return true;
	}
	if (bw_pm4_dispatch_indirect(p, &indirect)) {
		bool has_va = bw_pm4_dispatch_indirect_at(p, &at);
		f->what = BW_PM4_FOUND_DISPATCH;
		f->indirect = true;
		f->indirect_va = has_va ? at.address : indirect.offset + state->base[1];
		f->dispatch = (struct bw_pm4_dispatch){
			{~0u, ~0u, ~0u}, has_va ? at.initiator : indirect.initiator, false};
		return true;
	}
	if (look_at_task(p, f))
		return true;
	if (bw_pm4_num_instances(p, &instances)) {
		state->n_instances = instances.n;
		return false;
	}
	if (look_at_draw(state, p, &f->draw)) {
		f->what = BW_PM4_FOUND_DRAW;
		return true;
	}
	f->flow = bw_pm4_flow(p);
	if (f->flow.calls)
		f->what = BW_PM4_FOUND_INDIRECT_BUFFER;
	return f->flow.calls;
}

void bw_pm4_find_dispatches(struct bw_pm4_scan *state, const uint32_t *dw, size_t n_dw,
			    bw_pm4_find_fn *fn, void *cookie)
{
	struct bw_pm4_packet p;
	for (size_t pos = 0; pos < n_dw; pos += p.size_dw) {
		struct bw_pm4_find f = {.what = BW_PM4_FOUND_BAD, .pos_dw = pos, .state = state};
		if (!bw_pm4_at(dw, n_dw, pos, &p) || !bw_pm4_is_known(&p)) {
			fn(cookie, &f);
			return;
		}
		if (look(state, &p, &f) && !fn(cookie, &f))
			return;
		if (f.flow.chain)
			return;
	}
}

/* ---- Whole IBs ---- */

enum {
	IB_MAX_DW = BW_PM4_IB_MAX_DW,
	ALL_MAX_DW = 16 << 20,
	IBS_MAX = 4096,
	DEPTH_MAX = 4, /* calls in calls; the command processor has two levels */
};

static bool look_at_find(void *cookie, const struct bw_pm4_find *f)
{
	struct bw_pm4_ib_scan *s = cookie;
	if (f->what == BW_PM4_FOUND_INDIRECT_BUFFER && f->flow.chain)
		s->chained = f->flow;
	else if (f->what == BW_PM4_FOUND_INDIRECT_BUFFER)
		bw_pm4_scan_ib(s, f->flow.va, f->flow.size_dw);
	else if (f->what != BW_PM4_FOUND_BAD)
		s->has_ended = !s->found(s->cookie, f, s->ib_va + f->pos_dw * 4);
	return !s->has_ended;
}

/* One IB. s->chained: the one that it chains; size 0: none. */
static void scan_one(struct bw_pm4_ib_scan *s, uint64_t va, size_t size_dw)
{
	s->chained.size_dw = 0;
	if (size_dw > IB_MAX_DW || s->n_ibs >= IBS_MAX || s->n_dw + size_dw > ALL_MAX_DW)
		return;
	/* Those that cannot be read count as well: to try takes as long. */
	s->n_ibs++;
	s->n_dw += size_dw;
	_cleanup_free_ uint32_t *dw = malloc(size_dw * 4);
	if (!dw || !s->read(s->cookie, va, dw, size_dw))
		return;
	s->ib_va = s->state.va = va;
	bw_pm4_find_dispatches(&s->state, dw, size_dw, look_at_find, s);
}

void bw_pm4_scan_ib(struct bw_pm4_ib_scan *s, uint64_t va, size_t size_dw)
{
	uint64_t outer = s->ib_va;
	if (s->depth >= DEPTH_MAX)
		return;
	s->depth++;
	while (size_dw && !s->has_ended) {
		scan_one(s, va, size_dw);
		va = s->chained.va;
		size_dw = s->chained.size_dw;
	}
	s->depth--;
	s->chained.size_dw = 0;
	s->ib_va = s->state.va = outer;
}
