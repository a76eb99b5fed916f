/* SPDX-License-Identifier: MIT */
/* Stopped waves, the focus, and dispatches. */
#include "api/api_priv.h"

#include <breakwater/waves.h>

#include "base/str.h"
#include "debug/code.h"
#include "debug/dispatches.h"
#include "debug/waves.h"
#include "ui/show.h"

/* ---- Lists ---- */

struct breakwater_error *breakwater_waves(struct breakwater_session *s, uint32_t *out, size_t max,
					  size_t *out_n)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STILL);
	if (!err) {
		size_t n;
		const struct bw_wave_info *all = bw_debug_waves(s->session->debug, &n);
		for (size_t i = 0; i < n && i < max; i++)
			out[i] = all[i].number;
		*out_n = n;
	}
	return bw_api_leave(&call, err);
}

static struct bw_error *get_wave(struct breakwater_session *s, uint32_t number,
				 struct breakwater_wave *out)
{
	const struct bw_wave_info *w;
	BW_TRY(bw_api_find_wave(s, number, &w));
	const struct breakwater_wave wave = {
		.pc = w->pc,
		.exec = w->exec,
		.number = w->number,
		.lanes = w->lanes,
		.agent = w->agent,
		.queue = w->queue,
		.dispatch = w->dispatch,
		.inferior = w->inferior,
		.workgroup = {w->workgroup[0], w->workgroup[1], w->workgroup[2]},
		.wave_in_group = w->wave_in_group,
		.se = w->place.se,
		.sa = w->place.sa,
		.wgp = w->place.wgp,
		.simd = w->place.simd,
		.slot = w->place.wave,
		.n_vgprs = w->n_vgprs,
		.reasons = w->reasons,
		.breakpoint = w->breakpoint,
		.in_barrier = w->in_barrier,
		.pc_is_imprecise = w->pc_imprecise,
		.breakpoint_lanes = w->breakpoint_lanes,
	};
	return bw_api_fill(out, &wave, sizeof(wave));
}

struct breakwater_error *breakwater_wave(struct breakwater_session *s, uint32_t number,
					 struct breakwater_wave *out)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_READS | BW_API_STOPPED);
	if (!err)
		err = get_wave(s, number, out);
	return bw_api_leave(&call, err);
}

static struct bw_error *text_of(struct breakwater_session *s, const struct bw_wave_info *w,
				enum breakwater_wave_text what, struct bw_str *out)
{
	char text[256];
	struct bw_api_focus focus;
	switch (what) {
	case BREAKWATER_WAVE_NAME:
		bw_wave_name(w, text, sizeof(text));
		break;
	case BREAKWATER_WAVE_PLACE:
		bw_place_text(w->place, text);
		break;
	case BREAKWATER_WAVE_REASONS:
		bw_reason_text(w->reasons, text, sizeof(text));
		break;
	case BREAKWATER_WAVE_WHERE: {
		const struct bw_wave_info of = *w;
		struct bw_error *err = bw_api_focus_begin(&focus, s, w->number, -1);
		if (!err)
			bw_show_frame(s->session->debug, &of, false, out);
		bw_api_focus_end(&focus);
		return err;
	}
	default:
		return bw_errorf(BW_E_INVALID, "%d is not a text of a wave", (int)what);
	}
	bw_str_add(out, text);
	return NULL;
}

struct breakwater_error *breakwater_wave_text(struct breakwater_session *s, uint32_t number,
					      enum breakwater_wave_text what, char **out)
{
	struct bw_str text = {0};
	const struct bw_wave_info *w;
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_READS | BW_API_STOPPED);
	if (!err)
		err = bw_api_find_wave(s, number, &w);
	if (!err)
		err = text_of(s, w, what, &text);
	if (!err)
		err = bw_api_text(&text, out);
	bw_str_free(&text);
	return bw_api_leave(&call, err);
}

struct breakwater_error *breakwater_work_item(struct breakwater_session *s, uint32_t wave,
					      uint32_t lane, uint32_t out[3])
{
	const struct bw_wave_info *w;
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_READS | BW_API_STOPPED);
	if (!err)
		err = bw_api_find_wave(s, wave, &w);
	if (!err && (lane >= w->lanes || !bw_lane_item(s->session->debug, w, lane, out)))
		err = bw_errorf(BW_E_NOT_FOUND, "No work-item of wave %u is known to be in lane %u",
				wave, lane);
	return bw_api_leave(&call, err);
}

/* ---- The focus ---- */

struct breakwater_error *breakwater_focus(struct breakwater_session *s, uint32_t *out_wave,
					  uint32_t *out_lane)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_READS | BW_API_STILL);
	if (!err) {
		const struct bw_wave_info *w = bw_debug_focus(s->session->debug);
		*out_wave = w ? w->number : 0;
		*out_lane = w ? bw_debug_focus_lane(s->session->debug) : 0;
	}
	return bw_api_leave(&call, err);
}

struct breakwater_error *breakwater_set_focus(struct breakwater_session *s, uint32_t wave, int lane)
{
	const struct bw_wave_info *w;
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STOPPED);
	if (!err)
		err = bw_api_find_wave(s, wave, &w);
	if (!err && lane >= 0 && (unsigned)lane >= w->lanes)
		err = bw_errorf(BW_E_NOT_FOUND, "Invalid lane ID: %d (the wave has lanes 0 to %u)",
				lane, w->lanes - 1u);
	if (!err)
		err = bw_debug_set_focus(s->session->debug, wave);
	if (!err && lane >= 0)
		err = bw_debug_set_lane(s->session->debug, (unsigned)lane);
	return bw_api_leave(&call, err);
}

/* ---- Dispatches ---- */

struct breakwater_error *breakwater_dispatches(struct breakwater_session *s, uint32_t *out,
					       size_t max, size_t *out_n)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STILL);
	if (!err) {
		size_t n;
		const struct bw_dispatch_info *all = bw_debug_dispatches(s->session->debug, &n);
		for (size_t i = 0; i < n && i < max; i++)
			out[i] = all[i].number;
		*out_n = n;
	}
	return bw_api_leave(&call, err);
}

static struct bw_error *find_dispatch(struct breakwater_session *s, uint32_t number,
				      const struct bw_dispatch_info **out)
{
	*out = bw_debug_dispatch(s->session->debug, number);
	return *out ? NULL : bw_errorf(BW_E_NOT_FOUND, "There is no dispatch %u", number);
}

static struct bw_error *get_dispatch(struct breakwater_session *s, uint32_t number,
				     struct breakwater_dispatch *out)
{
	static const uint32_t states[] = {[BW_DISPATCH_HELD] = BREAKWATER_DISPATCH_HELD,
					  [BW_DISPATCH_RUNNING] = BREAKWATER_DISPATCH_RUNNING,
					  [BW_DISPATCH_DONE] = BREAKWATER_DISPATCH_DONE,
					  [BW_DISPATCH_FAILED] = BREAKWATER_DISPATCH_FAILED};
	const struct bw_dispatch_info *x;
	BW_TRY(find_dispatch(s, number, &x));
	struct breakwater_dispatch d = {
		.number = x->number,
		.state = states[x->state],
		.submission = x->submission,
		.queue = x->queue,
		.inferior = x->inferior,
		.code_va = x->desc.code_va,
		.arguments_va = x->kernarg_va,
	};
	for (int i = 0; i < 3; i++) {
		d.groups[i] = x->desc.groups[i] == UINT32_MAX ? 0 : x->desc.groups[i];
		d.group[i] = x->desc.group_size[i];
	}
	return bw_api_fill(out, &d, sizeof(d));
}

struct breakwater_error *breakwater_dispatch(struct breakwater_session *s, uint32_t number,
					     struct breakwater_dispatch *out)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STILL);
	if (!err)
		err = get_dispatch(s, number, out);
	return bw_api_leave(&call, err);
}

struct breakwater_error *breakwater_dispatch_kernel(struct breakwater_session *s, uint32_t number,
						    char **out)
{
	struct bw_str text = {0};
	const struct bw_dispatch_info *x;
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STILL);
	if (!err)
		err = find_dispatch(s, number, &x);
	if (!err) {
		bw_str_add(&text, x->kernel_title);
		err = bw_api_text(&text, out);
	}
	bw_str_free(&text);
	return bw_api_leave(&call, err);
}
