/* SPDX-License-Identifier: MIT */
/* The pixels of a round on several threads. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/cp_priv.h"
#include "vgpu/device/draw_priv.h"
#include "vgpu/device/scheduler.h"

struct bw_draw_threads {
	struct bw_tiles *tiles;
	/* of each part but the first, which has the command processor's; dev NULL: not used yet */
	struct bw_tlb tlb[BW_TILE_MOST];
};

void bw_draw_threads_destroy(struct bw_draw_threads *t)
{
	if (!t)
		return;
	bw_tiles_destroy(t->tiles);
	free(t);
}

/* NULL: this thread has to do all itself. */
static struct bw_draw_threads *threads(struct bw_device *dev)
{
	struct bw_cp *cp = dev->cp;
	unsigned n = bw_sched_n_threads(dev);
	if (cp->draw_threads || n < 2)
		return cp->draw_threads;
	struct bw_draw_threads *t = calloc(1, sizeof(*t));
	if (t)
		t->tiles = bw_tiles_create(n);
	if (t && !t->tiles) {
		free(t);
		t = NULL;
	}
	return cp->draw_threads = t;
}

static struct bw_tlb *tlb_of(struct bw_draw *d, struct bw_draw_threads *t, unsigned number)
{
	if (!number)
		return bw_draw_tlb(d);
	struct bw_tlb *tlb = &t->tlb[number];
	if (tlb->dev != d->dev || tlb->vmid != d->vmid)
		bw_tlb_init(tlb, d->dev, d->vmid, BW_CLIENT_CPC);
	return tlb;
}

struct work {
	bw_draw_part_fn *fn;
	struct bw_draw_part part[BW_TILE_MOST];
	bool is_done[BW_TILE_MOST];
};

static void run_part(void *cookie, unsigned number)
{
	struct work *w = cookie;
	w->is_done[number] = w->fn(&w->part[number]);
}

bool bw_draw_in_parts(struct bw_draw *d, bool is_much, bw_draw_part_fn *fn)
{
	struct work w = {.fn = fn};
	struct bw_draw_threads *t = is_much && !d->watched.on ? threads(d->dev) : NULL;
	unsigned n = t ? bw_tiles_parts(t->tiles) : 1;
	for (unsigned i = 0; i < n; i++)
		w.part[i] =
			(struct bw_draw_part){.d = d, .tlb = tlb_of(d, t, i), .number = i, .n = n};
	if (t)
		bw_tiles_run(t->tiles, run_part, &w);
	else
		run_part(&w, 0);
	bool is_done = true;
	for (unsigned i = 0; i < n; i++) {
		d->q->n_samples_passed += w.part[i].n_passed;
		if (is_done && !w.is_done[i])
			memcpy(d->why, w.part[i].why, sizeof(d->why));
		is_done &= w.is_done[i];
	}
	return is_done;
}
