// SPDX-License-Identifier: MIT
/* What the target says of draws: the lanes of their waves, their targets, and one pixel. */
#include "debug/draws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "debug/bound.h"
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/waves/waves_priv.h"
#include "image/image.h"

/* ---- lanes ---- */

struct bw_error *bw_debug_draw_lanes(struct bw_debug *d, const struct bw_wave_info *w,
				     const struct bw_draws_wave **out)
{
	struct bw_draw_lanes *cache = &d->dispatches->lanes;
	uint32_t seq = d->waves->slots[w->slot].hw.seq;
	if (!w->draw)
		return bw_errorf(BW_E_STATE, "Wave %u is not of a draw", w->number);
	BW_TRY(bw_target_need(d->target, BW_CAP_DRAWS));
	if (cache->is_valid && cache->slot == w->slot && cache->seq == seq) {
		*out = &cache->wave;
		return NULL;
	}
	cache->is_valid = false;
	cache->wave = (struct bw_draws_wave){.se = w->place.se,
					     .sa = w->place.sa,
					     .wgp = w->place.wgp,
					     .simd = w->place.simd,
					     .wave = w->place.wave};
	BW_TRY(bw_target_draws(d->target, BW_DRAWS_IOCTL_WAVE, &cache->wave));
	if (!cache->wave.stage)
		return bw_errorf(BW_E_NOT_FOUND, "the GPU does not know the lanes of wave %u",
				 w->number);
	cache->is_valid = true;
	cache->slot = w->slot;
	cache->seq = seq;
	*out = &cache->wave;
	return NULL;
}

struct bw_error *bw_debug_draw_inputs(struct bw_debug *d, const struct bw_wave_info *w,
				      unsigned lane, struct bw_draws_inputs *out)
{
	*out = (struct bw_draws_inputs){.se = w->place.se,
					.sa = w->place.sa,
					.wgp = w->place.wgp,
					.simd = w->place.simd,
					.wave = w->place.wave,
					.lane = lane};
	BW_TRY(bw_debug_need_target(d));
	return bw_target_draws(d->target, BW_DRAWS_IOCTL_INPUTS, out);
}

struct bw_error *bw_debug_draw_outputs(struct bw_debug *d, const struct bw_wave_info *w,
				       unsigned lane, struct bw_draws_outputs *out)
{
	*out = (struct bw_draws_outputs){.se = w->place.se,
					 .sa = w->place.sa,
					 .wgp = w->place.wgp,
					 .simd = w->place.simd,
					 .wave = w->place.wave,
					 .lane = lane};
	BW_TRY(bw_debug_need_target(d));
	return bw_target_draws(d->target, BW_DRAWS_IOCTL_OUTPUTS, out);
}

/* False: the lane has none of what the shader runs for. */
static bool lane_text(const struct bw_draws_wave *wave, enum bw_target_stage stage,
		      const struct bw_draws_lane *l, char out[64])
{
	char more[32] = "";
	const bool is_primitive = stage > BW_STAGE_PIXEL;
	if (!(l->flags & (is_primitive ? BW_DRAWS_HAS_PRIMITIVE : BW_DRAWS_IS_USED)))
		return false;
	switch (stage) {
	case BW_STAGE_CONTROL:
		snprintf(out, 64, "patch %u, invocation %u", l->primitive, l->invocation);
		return true;
	case BW_STAGE_EVALUATION:
		snprintf(out, 64, "patch %u", l->primitive);
		return true;
	case BW_STAGE_GEOMETRY:
		if (l->invocation)
			snprintf(more, sizeof(more), ", invocation %u", l->invocation);
		snprintf(out, 64, "primitive %u%s", l->primitive, more);
		return true;
	case BW_STAGE_MESH:
		snprintf(out, 64, "group %u,%u,%u, thread %u", l->group[0], l->group[1],
			 l->group[2], l->invocation);
		return true;
	case BW_STAGE_COMPUTE:
	case BW_STAGE_TASK:
	case BW_STAGE_VERTEX:
	case BW_STAGE_PIXEL:
	case BW_STAGES:
		break;
	}
	if (wave->stage == BW_DRAWS_VERTICES) {
		if (l->instance)
			snprintf(more, sizeof(more), ", instance %u", l->instance);
		snprintf(out, 64, "vertex %u%s", (uint32_t)l->x, more);
		return true;
	}
	if (l->sample >= 0)
		snprintf(more, sizeof(more), ", sample %d", l->sample);
	snprintf(out, 64, "pixel %d,%d%s%s", l->x, l->y, more,
		 l->flags & BW_DRAWS_IS_COVERED ? "" : ", helper");
	return true;
}

bool bw_debug_draw_lane_text(struct bw_debug *d, const struct bw_wave_info *w, unsigned lane,
			     char out[64])
{
	const struct bw_draws_wave *wave;
	if (!w->draw || lane >= w->lanes || !d->target || !bw_target_can(d->target, BW_CAP_DRAWS))
		return false;
	struct bw_error *err = bw_debug_draw_lanes(d, w, &wave);
	const char *unused;
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, w->dispatch);
	enum bw_target_stage stage =
		x ? bw_debug_draw_stage_at(d, x, w->pc, &unused) : BW_STAGE_VERTEX;
	bool known = !err && lane_text(wave, stage, &wave->lane[lane], out);
	bw_error_free(err);
	return known;
}

/* ---- targets ---- */

struct bw_error *bw_debug_draw_list(struct bw_debug *d, struct bw_draw_list *out)
{
	struct bw_draws_draw draw = {.number = 0};
	*out = (struct bw_draw_list){0};
	BW_TRY(bw_debug_need_target(d));
	BW_TRY(bw_target_draws(d->target, BW_DRAWS_IOCTL_DRAW, &draw));
	const uint32_t last = draw.number;
	struct bw_error *err = NULL;
	for (uint32_t n = draw.first; n && n <= last && !err; n++) {
		draw = (struct bw_draws_draw){.number = n};
		err = bw_target_draws(d->target, BW_DRAWS_IOCTL_DRAW, &draw);
		if (!err && draw.number)
			err = bw_vec_push(out, draw);
	}
	if (err)
		bw_vec_free(out);
	return err;
}

const struct bw_draws_draw *bw_draws_of(const struct bw_draw_list *all,
					const struct bw_dispatch_info *x)
{
	/* from the last one on, as a command buffer may have been submitted before */
	for (size_t i = all->len; i-- > 0;)
		if (all->data[i].packet_va == bw_canonical(x->desc.packet_va))
			return &all->data[i];
	return NULL;
}

struct bw_error *bw_debug_draw_now(struct bw_debug *d, struct bw_draws_draw *out)
{
	const struct bw_wave_record *w = bw_debug_focus_priv(d);
	const struct bw_draws_wave *wave;
	BW_TRY(bw_debug_need_target(d));
	*out = (struct bw_draws_draw){.number = 0};
	if (w && w->info.draw) {
		BW_TRY(bw_debug_draw_lanes(d, &w->info, &wave));
		out->number = wave->draw;
	}
	BW_TRY(bw_target_draws(d->target, BW_DRAWS_IOCTL_DRAW, out));
	return out->number ? NULL : bw_errorf(BW_E_STATE, "Nothing has been drawn yet");
}

/* The pixel shader of a draw of the target's list: of the last one with its packet. NULL: it is not
 * known. */
static const struct bw_dispatch_info *pixels_of(struct bw_debug *d, uint32_t in_target)
{
	struct bw_draws_draw draw = {.number = in_target};
	const struct bw_dispatch_info *found = NULL;
	struct bw_error *err = bw_target_draws(d->target, BW_DRAWS_IOCTL_DRAW, &draw);
	if (err || !draw.number) {
		bw_error_free(err);
		return NULL;
	}
	bw_vec_each(&d->dispatches->all, x)
		if (x->info.desc.stage == BW_STAGE_PIXEL &&
		    bw_canonical(x->info.desc.packet_va) == draw.packet_va &&
		    x->info.state != BW_DISPATCH_HELD)
			found = &x->info;
	return found;
}

uint64_t bw_draws_target_va(const struct bw_draws_target *t)
{
	return bw_canonical(bw_words_get(t->words, BW_IMAGE_BASE_256B) << 8);
}

const char *bw_draws_target_format(const struct bw_draws_target *t)
{
	const struct bw_format *f = bw_format_image(t->format);
	return f ? f->name : "?";
}

void bw_draws_target_word(const struct bw_draws_target *t, char out[16])
{
	if (t->kind == BW_DRAWS_COLOR)
		snprintf(out, 16, "%u", t->index);
	else
		snprintf(out, 16, t->kind == BW_DRAWS_DEPTH ? "depth" : "stencil");
}

struct bw_error *bw_draws_find_target(const struct bw_draws_draw *draw, const char *word,
				      const struct bw_draws_target **out)
{
	for (uint32_t i = 0; i < BW_MIN(draw->n_targets, (uint32_t)BW_DRAWS_TARGETS); i++) {
		char its[16];
		bw_draws_target_word(&draw->target[i], its);
		if (!word[0] || !strcmp(its, word)) {
			*out = &draw->target[i];
			return NULL;
		}
	}
	return bw_errorf(BW_E_NOT_FOUND,
			 "The draw has no attachment%s%s%s; \"info draws\" lists them",
			 word[0] ? " \"" : "", word, word[0] ? "\"" : "");
}

struct bw_error *bw_debug_draw_picture(struct bw_debug *d, const struct bw_draws_target *t,
				       struct bw_picture *out)
{
	struct bw_bound bound = {.kind = BW_BOUND_IMAGE};
	struct bw_image im;
	uint16_t select = 0;
	memcpy(bound.words, t->words, sizeof(bound.words));
	const char *why = bw_image_read(t->words, &im);
	if (why || !im.format)
		return bw_errorf(BW_E_UNSUPPORTED, "the target cannot be read: %s",
				 why ? why : "it has no format");
	/* which component in memory each of RGBA is */
	for (unsigned c = 0; c < 4; c++) {
		unsigned code = c == 3 ? BW_SEL_1 : BW_SEL_0;
		for (unsigned k = 0; k < im.format->n; k++)
			if (t->kind == BW_DRAWS_COLOR ? t->from[k] == c : k == c)
				code = BW_SEL_X + k;
		select |= (uint16_t)(code << BW_SEL_SHIFT(c));
	}
	bw_words_put(bound.words, BW_IMAGE_DST_SEL, select);
	const struct bw_picture_of of = {.image = &bound, .level = t->level, .any_samples = true};
	return bw_debug_picture(d, &of, out);
}

/* ---- one pixel ---- */

static struct bw_error *send_pixel(struct bw_debug *d)
{
	const struct bw_watched_pixel *p = &d->dispatches->pixel;
	struct bw_draws_pixel io = {.x = p->x, .y = p->y, .on = p->is_on};
	return bw_target_draws(d->target, BW_DRAWS_IOCTL_PIXEL, &io);
}

struct bw_error *bw_debug_watch_pixel(struct bw_debug *d, int32_t x, int32_t y)
{
	if (d->target)
		BW_TRY(bw_target_need(d->target, BW_CAP_DRAWS));
	d->dispatches->pixel = (struct bw_watched_pixel){x, y, true};
	return d->target ? send_pixel(d) : NULL;
}

bool bw_debug_watched_pixel(const struct bw_debug *d, int32_t *out_x, int32_t *out_y)
{
	*out_x = d->dispatches->pixel.x;
	*out_y = d->dispatches->pixel.y;
	return d->dispatches->pixel.is_on;
}

struct bw_error *bw_draws_begin(struct bw_debug *d)
{
	d->dispatches->lanes.is_valid = false;
	d->dispatches->events.len = 0;
	d->breaks->draws_sent = (struct bw_draws_breaks){0};
	bw_vec_each(&d->breaks->all, b)
		(*b)->draw.is_hit = false;
	return d->dispatches->pixel.is_on && bw_target_can(d->target, BW_CAP_DRAWS) ? send_pixel(d)
										    : NULL;
}

const char *bw_debug_draw_shader_name(struct bw_debug *d, const struct bw_dispatch_info *x)
{
	size_t n = 0;
	const struct bw_dispatch_info *all = bw_debug_draw_shaders(d, &n);
	bool some_are_known = false;
	for (size_t i = 0; i < n && !some_are_known; i++)
		some_are_known = all[i].pipeline;
	const char *name = x->vertex_shader ? x->vertex_shader : x->kernel_title;
	return x->pipeline || !some_are_known ? name : NULL;
}

/* Of a program that has ended its events stay known until the next one runs. */
static struct bw_error *read_events(struct bw_debug *d)
{
	__auto_type all = &d->dispatches->events;
	for (;;) {
		struct bw_draws_event e = {.number = (uint32_t)all->len};
		BW_TRY(bw_target_draws(d->target, BW_DRAWS_IOCTL_EVENT, &e));
		if (!e.result)
			return NULL;
		struct bw_pixel_event x = {.e = e};
		const struct bw_dispatch_info *pixels = pixels_of(d, e.draw);
		if (pixels) {
			x.draw = pixels->draw;
			const char *name = bw_debug_draw_shader_name(d, pixels);
			snprintf(x.shader, sizeof(x.shader), "%s", name ? name : "");
			snprintf(x.label, sizeof(x.label), "%s", pixels->label);
		}
		BW_TRY(bw_vec_push(all, x));
	}
}

void bw_draws_end(struct bw_debug *d)
{
	if (d->dispatches->pixel.is_on && bw_target_can(d->target, BW_CAP_DRAWS))
		bw_error_free(read_events(d)); /* with the GPU they are gone, too */
}

struct bw_error *bw_debug_pixel_events(struct bw_debug *d, const struct bw_pixel_event **out,
				       size_t *out_n)
{
	if (!d->dispatches->pixel.is_on)
		return bw_errorf(BW_E_STATE, "No pixel is watched");
	if (d->target)
		BW_TRY(read_events(d));
	*out = d->dispatches->events.data;
	*out_n = d->dispatches->events.len;
	return NULL;
}
