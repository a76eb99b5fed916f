/* SPDX-License-Identifier: MIT */
/* Tessellation: patches in groups, whose waves run the vertex shader and then the one that says
 * how the patch is divided; and the primitives that come of it, in subgroups of the primitive
 * shader. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/draw_priv.h"

bool bw_draw_make_patches(struct bw_draw *d)
{
	const struct bw_draw_hull *h = &d->state.hull;
	d->n_hull = d->hull_group = d->patch = 0;
	d->is_divided = false;
	d->why[0] = '\0';
	d->budget = BW_DRAW_BUDGET;
	while (d->n_hull < h->n_groups) {
		struct bw_draw_hull_group *g = &d->hull[d->n_hull];
		g->n_patches = 0;
		atomic_store(&g->message, -1);
		while (g->n_patches < h->n_patches && bw_draw_next_primitive(d)) {
			memcpy(&g->vertex[g->n_patches * h->n_in], d->begun,
			       h->n_in * sizeof(*d->begun));
			g->patch_id[g->n_patches++] = d->begun_id;
		}
		if (d->why[0])
			return false;
		if (!g->n_patches)
			break;
		bw_draw_count(d, BW_COUNT_VS_INVOCATIONS, g->n_patches * h->n_in);
		bw_draw_count(d, BW_COUNT_HS_PATCHES, g->n_patches);
		d->n_hull++;
	}
	return true;
}

/* The levels of a patch, as its shader has stored them (ac_nir_lower_tess_io_to_mem.c of Mesa 25).
 */
static bool read_levels(struct bw_draw *d, float outer[4], float inner[2])
{
	const struct bw_draw_hull *h = &d->state.hull;
	int message = atomic_load(&d->hull[d->hull_group].message);
	unsigned number = d->hull_group * h->n_patches + d->patch;
	struct bw_vm_fault fault;
	float level[6] = {0};
	if (message >= 0) {
		for (unsigned i = 0; i < 6; i++)
			level[i] = (float)message;
	} else if (!bw_vm_read(bw_draw_tlb(d),
			       bw_canonical(h->levels_va + (uint64_t)number * h->levels_b), level,
			       h->levels_b, &fault)) {
		snprintf(d->why, sizeof(d->why),
			 "its tessellation levels at 0x%" PRIx64 " are not mapped", fault.va);
		return false;
	}
	if (h->mode.domain == BW_TESS_ISOLINES) { /* in the other order */
		outer[0] = level[1];
		outer[1] = level[0];
		return true;
	}
	unsigned n_outer = h->mode.domain == BW_TESS_QUADS ? 4 : 3;
	memcpy(outer, level, n_outer * sizeof(*level));
	memcpy(inner, &level[n_outer], (n_outer - 2) * sizeof(*level));
	return true;
}

/* Divides patches until one has a primitive. False: there is none, or d->why. */
static bool next_patch(struct bw_draw *d)
{
	while (d->hull_group < d->n_hull) {
		float outer[4] = {0}, inner[2] = {0};
		if (d->is_divided && d->tess_primitive < d->tess->n_primitives)
			return true;
		if (d->is_divided)
			d->patch++;
		d->is_divided = false;
		if (d->patch >= d->hull[d->hull_group].n_patches) {
			d->patch = 0;
			d->hull_group++;
			continue;
		}
		if (!read_levels(d, outer, inner))
			return false;
		bw_tessellate(&d->state.hull.mode, outer, inner, d->tess);
		d->tess_primitive = 0;
		d->is_divided = true;
	}
	return false;
}

/* The patch's next primitive becomes d->begun. */
static void begin_primitive(struct bw_draw *d)
{
	const struct bw_tess *t = d->tess;
	const uint16_t *point = t->primitive[d->tess_primitive++];
	d->begun_id = d->hull[d->hull_group].patch_id[d->patch];
	d->begun_edges = 7;
	for (unsigned i = 0; i < t->n_corners; i++)
		d->begun[i] = (struct bw_draw_vertex){d->patch, d->begun_id, t->u[point[i]],
						      t->v[point[i]]};
}

bool bw_draw_divide_patches(struct bw_draw *d)
{
	uint32_t unit = 0;
	d->n_subgroups = 0;
	d->why[0] = '\0';
	while (d->n_subgroups < bw_draw_max_subgroups(d)) {
		struct bw_draw_subgroup *g = &d->subgroups[d->n_subgroups];
		if (d->n_subgroups && !bw_draw_has_room(d, unit))
			break;
		bw_draw_begin_subgroup(g);
		unsigned group = d->hull_group;
		while (d->has_begun || next_patch(d)) {
			/* A subgroup has one part of the ring of outputs. */
			if (!d->has_begun && g->n_primitives && d->hull_group != group)
				break;
			group = d->hull_group;
			if (!d->has_begun)
				begin_primitive(d);
			d->has_begun = !bw_draw_add_begun(d, g, d->tess->n_corners);
			if (d->has_begun)
				break;
		}
		if (d->why[0])
			return false;
		if (!g->n_primitives)
			break;
		g->outputs = group * d->state.hull.outputs_b;
		bw_draw_count(d, BW_COUNT_DS_INVOCATIONS, g->n_vertices);
		bw_draw_end_subgroup(d, g, &unit);
		d->n_subgroups++;
	}
	return true;
}
