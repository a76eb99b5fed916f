/* SPDX-License-Identifier: MIT */
/* A draw from round to round. */
#include "vgpu/device/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/util.h"
#include "vgpu/device/draw_priv.h"

void bw_draw_unref(struct bw_draw *d)
{
	if (!d || atomic_fetch_sub(&d->n_refs, 1) != 1)
		return;
	free(d->hull);
	free(d->tess);
	free(d->subgroups);
	free(d->primitives);
	free(d->planes);
	free(d->waves);
	free(d->blocks);
	free(d->outputs);
	free(d);
}

void bw_draw_end(struct bw_queue *q)
{
	bw_draw_unref(q->draw);
	q->draw = NULL;
}

/* The shaders of vertices run even if nothing takes what they export: they may store. Only without
 * pixels nothing more comes of it. */
static bool has_pixels(const struct bw_draw *d)
{
	bool any = d->targets.depth.used || d->targets.stencil.used || d->targets.counts;
	for (unsigned i = 0; i < BW_DRAW_COLORS; i++)
		any |= d->targets.color[i].used;
	return any && !d->state.kills_all;
}

/* Rectangles that a driver draws to decompress a surface, which is never compressed here. */
static bool is_for_metadata(struct bw_queue *q, const struct bw_draw *d)
{
	return d->state.topology == BW_TOPOLOGY_RECTS && !has_pixels(d);
}

/* A mesh shader's packet, and the state for it, belong together; a wave has 16 bits for each number
 * of its group. */
static const char *check_mesh(const struct bw_draw *d)
{
	enum { MOST = 0xffff };
	const uint32_t *n = d->call.groups;
	if (d->state.is_mesh != d->call.is_mesh)
		return "its packet and its shader do not fit: DISPATCH_MESH_* run mesh shaders, and only those";
	if (d->call.is_mesh && (n[0] > MOST || n[1] > MOST || n[2] > MOST ||
				(uint64_t)n[0] * n[1] * n[2] > UINT32_MAX))
		return "its mesh shader has more than 65535 groups in a dimension, or 2^32 together";
	return NULL;
}

static const char *read_registers(struct bw_draw *d)
{
	const char *why = d->dev->profile->no_draws;
	if (!why)
		why = bw_draw_state_read(d->q, &d->state);
	if (!why)
		why = check_mesh(d);
	if (!why)
		why = bw_draw_targets_read(d->q, &d->state, &d->targets);
	return why;
}

const char *bw_draw_begin(struct bw_queue *q, const struct bw_draw_call *call, struct bw_draw **out)
{
	*out = NULL;
	if (!call->n || !call->n_instances)
		return NULL;
	struct bw_draw *d = calloc(1, sizeof(*d));
	if (!d)
		return "out of memory";
	atomic_store(&d->n_refs, 1);
	d->q = q;
	d->dev = q->dev;
	d->vmid = bw_cp_vmid(q);
	d->call = *call;
	d->packet_va = bw_draw_packet_va(q);
	d->first_round = q->n_rounds + 1;
	const char *why = read_registers(d);
	if (why || is_for_metadata(q, d)) {
		if (why)
			bw_draw_look_begin(q, call, NULL, why);
		bw_draw_unref(d);
		return why;
	}
	d->assembler = (struct bw_assembler){.topology = d->state.topology,
					     .provoking_last = d->state.provoking_last,
					     .patch_corners = d->state.hull.n_in};
	d->subgroups = malloc(BW_DRAW_SUBGROUPS * sizeof(*d->subgroups));
	d->waves = malloc(BW_DRAW_PIXEL_WAVES * sizeof(*d->waves));
	d->blocks = malloc(BW_DRAW_BLOCKS * sizeof(*d->blocks));
	if (d->state.hull.on) {
		d->hull = calloc(BW_DRAW_HULL_GROUPS, sizeof(*d->hull));
		d->tess = malloc(sizeof(*d->tess));
	}
	if (!d->subgroups || !d->waves || !d->blocks ||
	    (d->state.hull.on && (!d->hull || !d->tess))) {
		bw_draw_unref(d);
		return "out of memory";
	}
	bw_draw_look_begin(q, call, d, NULL);
	*out = d;
	return NULL;
}

/* ---- rounds ---- */

static enum bw_cp_result stop(struct bw_draw *d, const char *why, const char **out_why)
{
	if (why != d->why)
		snprintf(d->why, sizeof(d->why), "%s", why);
	*out_why = d->why;
	return BW_CP_STOP;
}

static enum bw_cp_result at_end(const struct bw_draw *d)
{
	return d->instance < d->call.n_instances ? BW_CP_AGAIN : BW_CP_DONE;
}

/* The next patches; or there are none. */
static enum bw_cp_result begin_hull(struct bw_draw *d, const char **out_why)
{
	if (!bw_draw_make_patches(d))
		return stop(d, d->why, out_why);
	if (!d->n_hull)
		return at_end(d);
	const char *why = bw_draw_submit(d, BW_DRAW_STAGE_HULL);
	if (why)
		return stop(d, why, out_why);
	d->phase = BW_DRAW_HULL_RUN;
	return BW_CP_JUMPED;
}

/* The next vertices: of the draw, or of its patches; or there are none. */
static enum bw_cp_result begin_vertices(struct bw_draw *d, const char **out_why)
{
	bool is_hull = d->state.hull.on;
	bool is_made = is_hull		  ? bw_draw_divide_patches(d)
		       : d->call.is_task  ? bw_draw_make_task_groups(d)
		       : d->state.is_mesh ? bw_draw_make_mesh_groups(d)
					  : bw_draw_make_subgroups(d);
	if (!is_made)
		return stop(d, d->why, out_why);
	if (d->task.waits)
		return BW_CP_POLL;
	if (!d->n_subgroups) {
		d->phase = BW_DRAW_BEGINS;
		return is_hull ? BW_CP_JUMPED : at_end(d);
	}
	const char *why = bw_draw_submit(d, BW_DRAW_STAGE_VERTICES);
	if (why)
		return stop(d, why, out_why);
	d->phase = BW_DRAW_VERTICES_RUN;
	return BW_CP_JUMPED; /* to the next phase */
}

/* Where more vertices come from. */
static void go_back(struct bw_draw *d)
{
	d->phase = d->state.hull.on ? BW_DRAW_PATCHES : BW_DRAW_BEGINS;
}

static enum bw_cp_result end_vertices(struct bw_draw *d, const char **out_why)
{
	go_back(d);
	if (d->call.is_task && !bw_draw_free_tasks(d))
		return stop(d, d->why, out_why);
	if (!has_pixels(d))
		return BW_CP_JUMPED;
	if (!bw_draw_make_primitives(d))
		return stop(d, d->why, out_why);
	d->primitive = 0;
	d->in_primitive = false;
	d->n_waves = 0;
	d->phase = BW_DRAW_PIXELS;
	return BW_CP_JUMPED;
}

static enum bw_cp_result begin_pixels(struct bw_draw *d, const char **out_why)
{
	bool all = bw_draw_find_pixels(d);
	if (!all && d->why[0])
		return stop(d, d->why, out_why);
	if (!d->n_waves) {
		if (!all)
			return BW_CP_AGAIN;
		go_back(d);
		return BW_CP_JUMPED;
	}
	const char *why = bw_draw_submit(d, BW_DRAW_STAGE_PIXELS);
	if (why)
		return stop(d, why, out_why);
	d->phase = BW_DRAW_PIXELS_RUN;
	return BW_CP_JUMPED;
}

static enum bw_cp_result end_pixels(struct bw_draw *d, const char **out_why)
{
	if (!bw_draw_merge(d))
		return stop(d, d->why, out_why);
	d->n_waves = 0;
	d->phase = BW_DRAW_PIXELS;
	return BW_CP_AGAIN;
}

enum bw_cp_result bw_draw_continue(struct bw_draw *d, const char **out_why)
{
	for (;;) {
		enum bw_cp_result result;
		bool runs = d->phase == BW_DRAW_VERTICES_RUN || d->phase == BW_DRAW_PIXELS_RUN ||
			    d->phase == BW_DRAW_HULL_RUN;
		if (runs && !atomic_load(&d->done))
			return BW_CP_WAIT;
		switch (d->phase) {
		case BW_DRAW_BEGINS:
			result = d->state.hull.on ? begin_hull(d, out_why)
						  : begin_vertices(d, out_why);
			break;
		case BW_DRAW_HULL_RUN:
		case BW_DRAW_PATCHES:
			result = begin_vertices(d, out_why);
			break;
		case BW_DRAW_VERTICES_RUN:
			result = end_vertices(d, out_why);
			break;
		case BW_DRAW_PIXELS:
			result = begin_pixels(d, out_why);
			break;
		case BW_DRAW_PIXELS_RUN:
		default:
			result = end_pixels(d, out_why);
			break;
		}
		if (result != BW_CP_JUMPED)
			return result;
	}
}

/* ---- CLEAR_STATE ---- */

void bw_draw_clear_state(struct bw_device *dev)
{
	const uint32_t no_offset = BW_FIELD_MASK(PA_SC_WINDOW_SCISSOR_TL, WINDOW_OFFSET_DISABLE);
	const uint32_t all = BW_FIELD(PA_SC_WINDOW_SCISSOR_BR, BR_X, BW_RASTER_MAX_SIZE) |
			     BW_FIELD(PA_SC_WINDOW_SCISSOR_BR, BR_Y, BW_RASTER_MAX_SIZE);
	const struct {
		enum bw_register first;
		unsigned n;
		uint32_t value;
	} state[] = {
		{BW_REG_PA_SC_SCREEN_SCISSOR_BR, 1, all},
		{BW_REG_PA_SC_WINDOW_SCISSOR_TL, 1, no_offset},
		{BW_REG_PA_SC_WINDOW_SCISSOR_BR, 1, all},
		{BW_REG_PA_SC_GENERIC_SCISSOR_TL, 1, no_offset},
		{BW_REG_PA_SC_GENERIC_SCISSOR_BR, 1, all},
		{BW_REG_PA_SC_VPORT_SCISSOR_0_TL, BW_DRAW_VIEWPORTS, no_offset},
		{BW_REG_PA_SC_VPORT_SCISSOR_0_BR, BW_DRAW_VIEWPORTS, all},
		{BW_REG_PA_SC_VPORT_ZMAX_0, BW_DRAW_VIEWPORTS, f32_bits(1)},
		{BW_REG_PA_SC_AA_MASK_X0Y0_X1Y0, 1, 0xffffffff},
		{BW_REG_PA_CL_CLIP_CNTL, 1,
		 BW_FIELD_MASK(PA_CL_CLIP_CNTL, DX_CLIP_SPACE_DEF) |
			 BW_FIELD_MASK(PA_CL_CLIP_CNTL, CLIP_DISABLE)},
		{BW_REG_PA_SU_SC_MODE_CNTL, 1, BW_FIELD_MASK(PA_SU_SC_MODE_CNTL, FACE)},
		{BW_REG_CB_TARGET_MASK, 1, 0xffffffff},
		{BW_REG_CB_SHADER_MASK, 1, 0xffffffff},
		{BW_REG_SPI_PS_IN_CONTROL, 1, BW_FIELD(SPI_PS_IN_CONTROL, NUM_INTERP, 2)},
	};
	/* All others are 0. radeonsi does not write what CLEAR_STATE has set already
	 * (si_set_tracked_regs_to_clear_state of Mesa 25). */
	for (unsigned r = BW_REG_NONE + 1; r < BW_N_REGISTERS; r++) {
		uint32_t addr_dw = dev->regs.map.addr_dw[r];
		if (addr_dw >= BW_PM4_CONTEXT_BEGIN_DW &&
		    addr_dw < BW_PM4_CONTEXT_BEGIN_DW + BW_PM4_N_CONTEXT)
			bw_reg_set(dev, r, 0);
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(state); i++)
		for (unsigned k = 0; k < state[i].n; k++)
			bw_reg_set(dev, state[i].first + k, state[i].value);
}
