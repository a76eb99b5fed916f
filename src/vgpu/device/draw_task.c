/* SPDX-License-Identifier: MIT */
/* Mesh shaders that a task shader launches: their groups, from the task shader's ring. */
#include <string.h>

#include "base/util.h"
#include "vgpu/device/draw_priv.h"

_Static_assert((int)BW_TASK_WHY == (int)BW_DRAW_WHY, "reasons of the ring are those of the draw");

/* The entry that is read next. False: d->why, or there is none yet, or no more. */
static bool next_entry(struct bw_draw *d)
{
	__auto_type t = &d->task;
	while (!t->has_entry && !t->is_over && d->budget) {
		d->budget--;
		switch (bw_task_ring_look(bw_draw_tlb(d), &t->ring, t->entry, t->groups, d->why)) {
		case BW_TASK_GROUPS:
			t->at = 0;
			t->n = t->groups[0] * t->groups[1] * t->groups[2];
			t->has_entry = t->n != 0;
			t->entry += !t->n;
			break;
		case BW_TASK_NOT_READY:
			t->waits = true;
			return false;
		case BW_TASK_END:
			t->is_over = true;
			t->entry++;
			return false;
		case BW_TASK_BAD:
			return false;
		}
	}
	return t->has_entry;
}

/* A round begins when it is full, or nothing more comes before it ends: what is in it does not
 * depend on how fast the task shader is. */
static bool is_complete(const struct bw_draw *d)
{
	__auto_type t = &d->task;
	return t->is_over || t->entry - t->freed >= t->ring.n;
}

static bool begin(struct bw_draw *d)
{
	__auto_type t = &d->task;
	if (!bw_task_ring_load(bw_draw_tlb(d), d->q->task.control_va, &t->ring, d->why))
		return false;
	t->entry = t->freed = t->ring.read;
	t->has_begun = true;
	return true;
}

bool bw_draw_make_task_groups(struct bw_draw *d)
{
	__auto_type t = &d->task;
	d->why[0] = '\0';
	d->budget = BW_DRAW_BUDGET;
	if (!t->has_begun && !begin(d))
		return false;
	if (!t->waits) {
		d->n_subgroups = 0;
		t->unit = 0;
	}
	t->waits = false;
	while (d->n_subgroups < bw_draw_max_subgroups(d) && next_entry(d)) {
		if (d->n_subgroups && !bw_draw_has_room(d, t->unit))
			break;
		struct bw_draw_subgroup *g = &d->subgroups[d->n_subgroups++];
		bw_draw_begin_mesh_group(d, g, t->groups, t->at);
		g->entry = bw_lo32(t->entry);
		memcpy(g->entry_groups, t->groups, sizeof(g->entry_groups));
		bw_draw_end_subgroup(d, g, &t->unit);
		t->n_all++;
		if (++t->at == t->n) {
			t->has_entry = false;
			t->entry++;
		}
	}
	if (d->why[0])
		return false;
	t->waits &= !d->n_subgroups || !is_complete(d);
	if (d->n_subgroups) {
		/* What the task shader has stored for them is there. */
		bw_queue_new_stretch(d->q);
		return true;
	}
	if (t->is_over)
		d->instance = d->call.n_instances;
	return bw_draw_free_tasks(d);
}

bool bw_draw_free_tasks(struct bw_draw *d)
{
	bw_draw_look_groups(d, d->task.n_all);
	d->task.freed = d->task.entry;
	return bw_task_ring_free(bw_draw_tlb(d), &d->task.ring, d->task.entry, d->why);
}

/* Registers by their addresses; the first SH register is none. */
static void set(const struct bw_draw *d, uint32_t *user, uint32_t addr_dw, const uint32_t *values,
		unsigned n)
{
	const uint32_t first = d->dev->regs.map.addr_dw[BW_REG_SPI_SHADER_USER_DATA_GS_0];
	if (addr_dw == BW_PM4_SH_BEGIN_DW)
		return;
	for (unsigned i = 0; i < n; i++)
		if (addr_dw + i - first < d->state.gs.n_user)
			user[addr_dw + i - first] = values[i];
}

void bw_draw_set_task(const struct bw_draw *d, const struct bw_draw_subgroup *g, uint32_t *user)
{
	set(d, user, d->call.ring_register, &g->entry, 1);
	set(d, user, d->call.dimensions_register, g->entry_groups, 3);
}
