// SPDX-License-Identifier: MIT
/* Waves: their identity, why they have stopped, and which one has the focus. */
#include "debug/dispatches.h"
#include "debug/draws.h"
#include "debug/waves/waves_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* ---- The session's ---- */

void bw_waves_fini(struct bw_waves *waves)
{
	bw_vec_free(&waves->list);
	bw_vec_free(&waves->stopped);
	free(waves->slots);
}

void bw_waves_forget(struct bw_debug *d)
{
	struct bw_waves *waves = d->waves;
	waves->stopped.len = 0;
	waves->unstoppable = waves->last_number = 0;
	waves->excp_ever = waves->excp;
	waves->focus_slot = UINT32_MAX;
	waves->focus_number = 0;
	waves->focus_lane = 0;
	free(waves->slots);
	waves->slots = NULL;
	bw_debug_waves_changed(d);
}

void bw_waves_forget_space(struct bw_debug *d, uint32_t space)
{
	struct bw_u32_vec *stopped = &d->waves->stopped;
	size_t n = 0;
	for (size_t i = 0; i < stopped->len; i++) {
		struct bw_wave_record *w = bw_stopped_wave(d, i);
		if (w->info.space == space && w->known)
			w->stopped = w->known = false;
		else
			stopped->data[n++] = stopped->data[i];
	}
	stopped->len = n;
	bw_debug_waves_changed(d);
	if (d->state == BW_DEBUG_STOPPED && !bw_debug_focus_priv(d))
		bw_debug_focus_first(d);
}

void bw_waves_run(struct bw_debug *d)
{
	d->waves->stopped.len = 0;
	d->waves->focus_slot = UINT32_MAX;
	d->state = BW_DEBUG_RUNNING;
}

/* ---- Focus ---- */

struct bw_wave_record *bw_debug_focus_priv(struct bw_debug *d)
{
	if (d->state != BW_DEBUG_STOPPED || d->waves->focus_slot == UINT32_MAX)
		return NULL;
	struct bw_wave_record *w = &d->waves->slots[d->waves->focus_slot];
	return w->stopped ? w : NULL;
}

void bw_debug_focus_first(struct bw_debug *d)
{
	struct bw_wave_record *w = d->waves->stopped.len ? bw_stopped_wave(d, 0) : NULL;
	if (w) {
		d->waves->focus_number = w->info.number;
		d->waves->focus_lane = bw_wave_first_active(w);
	}
	bw_debug_focus_on(d, w);
}

struct bw_error *bw_debug_need_focus(struct bw_debug *d, struct bw_wave_record **out)
{
	struct bw_wave_record *w = bw_debug_focus_priv(d);
	if (!w) {
		if (!d->target)
			return bw_errorf(BW_E_STATE,
					 "The program has no registers now: it is not being run");
		return bw_errorf(BW_E_STATE, "No wave is stopped");
	}
	*out = w;
	return NULL;
}

struct bw_wave_record *bw_debug_wave_priv(struct bw_debug *d, uint32_t number)
{
	size_t lo = 0, hi = d->waves->stopped.len;
	if (d->state != BW_DEBUG_STOPPED)
		return NULL;
	/* while waves are still being examined the list has no order yet */
	struct bw_wave_record *focus = bw_debug_focus_priv(d);
	if (focus && focus->info.number == number)
		return focus->stopped ? focus : NULL;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		struct bw_wave_record *w = bw_stopped_wave(d, mid);
		if (w->info.number == number)
			return w->stopped ? w : NULL;
		if (w->info.number < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const struct bw_wave_info *bw_debug_focus(struct bw_debug *d)
{
	struct bw_wave_record *w = bw_debug_focus_priv(d);
	return w ? &w->info : NULL;
}

unsigned bw_debug_focus_lane(struct bw_debug *d)
{
	return d->waves->focus_lane;
}

uint32_t bw_debug_focus_vmid(struct bw_debug *d)
{
	const struct bw_wave_record *w = bw_debug_focus_priv(d);
	return w ? bw_wave_get(&w->hw.state, BW_WF_VMID) : 0;
}

struct bw_error *bw_debug_set_focus(struct bw_debug *d, uint32_t number)
{
	struct bw_wave_record *w = bw_debug_wave_priv(d, number);
	if (!w)
		return bw_errorf(BW_E_NOT_FOUND,
				 number && number <= d->waves->last_number
					 ? "Wave %u is not stopped, or has ended"
					 : "Unknown wave %u",
				 number);
	if (number != d->waves->focus_number)
		d->waves->focus_lane = bw_wave_first_active(w);
	d->waves->focus_number = number;
	bw_debug_focus_on(d, w);
	return NULL;
}

struct bw_error *bw_debug_set_lane(struct bw_debug *d, unsigned lane)
{
	struct bw_wave_record *w;
	BW_TRY(bw_debug_need_focus(d, &w));
	if (lane >= w->info.lanes)
		return bw_errorf(BW_E_NOT_FOUND, "Invalid lane ID: %u (the wave has lanes 0 to %u)",
				 lane, w->info.lanes - 1u);
	d->waves->focus_lane = lane;
	return NULL;
}

/* ---- Names ---- */

/* Writes "(1,0,0)/2" or "(?,?,?)/?" as rocgdb does; for a lane, only the part before the slash. */
static void place_in_grid(const struct bw_wave_info *w, bool of_lane, char out[56])
{
	if (w->draw) {
		snprintf(out, 56, "draw %u, %s", w->draw,
			 w->stage == BW_STAGE_PIXEL ? "pixels" : "vertices");
		return;
	}
	int n = w->wave_in_group == BW_GROUP_UNKNOWN
			? snprintf(out, 56, "(?,?,?)")
			: snprintf(out, 56, "(%u,%u,%u)", w->workgroup[0], w->workgroup[1],
				   w->workgroup[2]);
	if (!of_lane && w->wave_in_group == BW_GROUP_UNKNOWN)
		snprintf(out + n, 56 - (size_t)n, "/?");
	else if (!of_lane)
		snprintf(out + n, 56 - (size_t)n, "/%u", w->wave_in_group);
}

void bw_wave_place_text(const struct bw_wave_info *w, char out[56])
{
	place_in_grid(w, false, out);
}

void bw_wave_name(const struct bw_wave_info *w, char *out, size_t out_b)
{
	char place[56];
	place_in_grid(w, false, place);
	snprintf(out, out_b, "AMDGPU Wave %u:%u:%u:%u %s", w->agent, w->queue, w->dispatch,
		 w->number, place);
}

bool bw_lane_item(struct bw_debug *d, const struct bw_wave_info *w, unsigned lane,
		  uint32_t out_item[3])
{
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, w->dispatch);
	if (!x || w->draw || w->wave_in_group == BW_GROUP_UNKNOWN)
		return false;
	const uint32_t *size = x->desc.group_size;
	uint64_t item = (uint64_t)w->wave_in_group * w->lanes + lane;
	uint64_t xy = (uint64_t)size[0] * size[1];
	if (!xy || item >= xy * size[2])
		return false;
	out_item[0] = (uint32_t)(item % size[0]);
	out_item[1] = (uint32_t)(item / size[0] % size[1]);
	out_item[2] = (uint32_t)(item / xy);
	return true;
}

bool bw_lane_is_used(struct bw_debug *d, const struct bw_wave_info *w, unsigned lane)
{
	uint32_t item[3];
	char text[64];
	return w->draw ? bw_debug_draw_lane_text(d, w, lane, text) : bw_lane_item(d, w, lane, item);
}

void bw_lane_name(struct bw_debug *d, const struct bw_wave_info *w, unsigned lane, char *out,
		  size_t out_b)
{
	uint32_t i[3];
	char item[48] = "[?]", place[56], text[64];
	if (w->draw && bw_debug_draw_lane_text(d, w, lane, text)) {
		snprintf(out, out_b, "AMDGPU Lane %u:%u:%u:%u/%u draw %u, %s", w->agent, w->queue,
			 w->dispatch, w->number, lane, w->draw, text);
		return;
	}
	if (bw_lane_item(d, w, lane, i))
		snprintf(item, sizeof(item), "[%u,%u,%u]", i[0], i[1], i[2]);
	place_in_grid(w, true, place);
	snprintf(out, out_b, "AMDGPU Lane %u:%u:%u:%u/%u %s%s", w->agent, w->queue, w->dispatch,
		 w->number, lane, place, item);
}

/* ---- Lists ---- */

void bw_debug_waves_changed(struct bw_debug *d)
{
	d->waves->list_valid = false;
	bw_stack_resumed(d);
}

const struct bw_wave_info *bw_debug_waves(struct bw_debug *d, size_t *out_n)
{
	*out_n = 0;
	if (d->state != BW_DEBUG_STOPPED)
		return NULL;
	if (!d->waves->list_valid) {
		struct bw_error *err = bw_vec_reserve(&d->waves->list, d->waves->stopped.len);
		if (err) {
			bw_error_free(err);
			return NULL;
		}
		for (size_t i = 0; i < d->waves->stopped.len; i++)
			d->waves->list.data[i] = bw_stopped_wave(d, i)->info;
		d->waves->list.len = d->waves->stopped.len;
		d->waves->list_valid = true;
	}
	*out_n = d->waves->list.len;
	return d->waves->list.data;
}

const struct bw_wave_info *bw_debug_wave(struct bw_debug *d, uint32_t number)
{
	struct bw_wave_record *w = bw_debug_wave_priv(d, number);
	return w ? &w->info : NULL;
}

const struct bw_wave_info *bw_debug_wave_at(struct bw_debug *d, uint32_t dispatch,
					    const uint32_t workgroup[3], uint32_t wave_in_group)
{
	if (d->state != BW_DEBUG_STOPPED)
		return NULL;
	for (size_t i = 0; i < d->waves->stopped.len; i++) {
		const struct bw_wave_info *w = &bw_stopped_wave(d, i)->info;
		if (w->dispatch == dispatch && w->wave_in_group == wave_in_group &&
		    memcmp(w->workgroup, workgroup, sizeof(w->workgroup)) == 0)
			return w;
	}
	return NULL;
}

uint32_t bw_debug_wave_number(struct bw_debug *d, struct bw_wave_record *w)
{
	if (!w->info.number)
		w->info.number = ++d->waves->last_number;
	return w->info.number;
}

static int by_number(const void *pa, const void *pb, void *cookie)
{
	const struct bw_debug *d = cookie;
	uint32_t a = d->waves->slots[*(const uint32_t *)pa].info.number;
	uint32_t b = d->waves->slots[*(const uint32_t *)pb].info.number;
	return a < b ? -1 : a > b;
}

void bw_debug_sort_stopped(struct bw_debug *d)
{
	qsort_r(d->waves->stopped.data, d->waves->stopped.len, sizeof(uint32_t), by_number, d);
}
