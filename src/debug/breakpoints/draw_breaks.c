// SPDX-License-Identifier: MIT
/* Breakpoints at pixels, vertices and draws: the GPU stops the waves that have them where they
 * begin, and they are recognised by what the GPU says of their lanes. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"

/* ---- words ---- */

static bool take_number(const char **text, uint64_t most, uint32_t *out)
{
	char word[24];
	uint64_t n;
	bw_take_word(text, word, sizeof(word));
	if (!bw_parse_u64(word, &n) || n > most)
		return false;
	*out = (uint32_t)n;
	return true;
}

/* "50,38", with blanks or without */
static bool take_place(const char **text, struct bw_draw_break *out)
{
	uint64_t n[2];
	const char *at = *text;
	for (int i = 0; i < 2; i++) {
		char number[24];
		size_t length = strcspn(at, i ? " \t" : ", \t");
		snprintf(number, sizeof(number), "%.*s", (int)length, at);
		if (!bw_parse_u64(number, &n[i]) || n[i] > INT32_MAX)
			return false;
		at = bw_skip_blanks(at + length);
		if (!i && *at != ',')
			return false;
		at = i ? at : bw_skip_blanks(at + 1);
	}
	out->x = (int32_t)n[0];
	out->y = (int32_t)n[1];
	*text = at;
	return true;
}

/* A number, "depth" or "stencil": as the attachments of "framebuffer" */
static bool take_attachment(const char **text, struct bw_draw_break *out)
{
	char word[24];
	uint64_t n = 0;
	bw_take_word(text, word, sizeof(word));
	out->target_kind = !strcmp(word, "depth")     ? BW_DRAWS_DEPTH
			   : !strcmp(word, "stencil") ? BW_DRAWS_STENCIL
						      : BW_DRAWS_COLOR;
	if (out->target_kind == BW_DRAWS_COLOR && (!bw_parse_u64(word, &n) || n >= BW_DRAWS_COLORS))
		return false;
	out->target = (uint32_t)n;
	return true;
}

static bool take_pixel(const char *text, struct bw_draw_break *out)
{
	enum { SAMPLES = 16 };
	char word[16];
	if (!take_place(&text, out))
		return false;
	while (*text) {
		bw_take_word(&text, word, sizeof(word));
		bool is_sample = !strcmp(word, "sample") && out->sample == UINT32_MAX;
		bool is_target = !strcmp(word, "attachment") && !out->target_kind;
		if (!(is_sample && take_number(&text, SAMPLES - 1, &out->sample)) &&
		    !(is_target && take_attachment(&text, out)))
			return false;
	}
	return true;
}

static const char *const kind_words[] = {[BW_DRAW_BREAK_PIXEL] = "pixel",
					 [BW_DRAW_BREAK_VERTEX] = "vertex",
					 [BW_DRAW_BREAK_DRAW] = "draw"};

static unsigned kind_of(const char **text)
{
	char word[16];
	bw_take_word(text, word, sizeof(word));
	for (unsigned i = BW_DRAW_BREAK_PIXEL; i <= BW_DRAW_BREAK_DRAW; i++)
		if (!strcmp(word, kind_words[i]))
			return i;
	return 0;
}

bool bw_debug_is_draw_place(const char *text)
{
	/* a function may have such a name, but its place would have no number after it */
	return kind_of(&text) && ((*text >= '0' && *text <= '9') || *text == '-');
}

static struct bw_error *parse(const char *text, struct bw_draw_break *out)
{
	const char *at = text;
	char word[16];
	out->kind = kind_of(&at);
	out->instance = out->sample = UINT32_MAX;
	switch (out->kind) {
	case BW_DRAW_BREAK_PIXEL:
		if (take_pixel(at, out))
			return NULL;
		break;
	case BW_DRAW_BREAK_VERTEX:
		if (!take_number(&at, UINT32_MAX, &out->vertex))
			break;
		bw_take_word(&at, word, sizeof(word));
		if (!word[0] || (!strcmp(word, "instance") &&
				 take_number(&at, UINT32_MAX - 1, &out->instance) && !*at))
			return NULL;
		break;
	case BW_DRAW_BREAK_DRAW:
		if (take_number(&at, UINT32_MAX, &out->draw) && out->draw && !*at)
			return NULL;
		break;
	default:
		break;
	}
	return bw_errorf(
		BW_E_INVALID,
		"\"%s\" is not \"pixel X,Y [sample S] [attachment N | depth | stencil]\", \"vertex N [instance M]\" or \"draw N\"",
		text);
}

struct bw_error *bw_debug_break_draw(struct bw_debug *d, const char *text, bool temporary,
				     uint32_t *out_number)
{
	_cleanup_free_ char *copy = strdup(text);
	struct bw_draw_break what = {0};
	char *condition;
	uint32_t wave;
	if (!copy)
		return bw_error_nomem();
	BW_TRY(bw_break_split(copy, &condition, &wave));
	BW_TRY(parse(copy, &what));
	if (d->target)
		BW_TRY(bw_target_need(d->target, BW_CAP_DRAWS));
	if (condition)
		BW_TRY(bw_break_check_condition(d, condition));
	struct bw_break *b = calloc(1, sizeof(*b));
	if (!b)
		return bw_error_nomem();
	b->draw = what;
	b->spec = strdup(copy);
	b->condition = condition ? strdup(condition) : NULL;
	b->info = (struct bw_break_info){.kind = BW_BREAK_DRAW,
					 .temporary = temporary,
					 .enabled = true,
					 .wave = wave,
					 .watch_register = -1};
	if (!b->spec || (condition && !b->condition)) {
		bw_break_free(b);
		return bw_error_nomem();
	}
	return bw_break_add(d, b, out_number);
}

/* ---- the GPU ---- */

/* The packet of a draw that has not ended; 0: it is not known yet. */
static uint64_t packet_of(const struct bw_debug *d, uint32_t draw)
{
	bw_vec_each(&d->dispatches->all, x)
		if (x->info.draw == draw && x->info.state < BW_DISPATCH_DONE)
			return x->info.desc.packet_va;
	return 0;
}

struct bw_error *bw_draw_breaks_update(struct bw_debug *d)
{
	struct bw_draws_breaks io = {0};
	if (!d->target || !bw_target_can(d->target, BW_CAP_DRAWS))
		return NULL;
	bw_vec_each(&d->breaks->all, it) {
		const struct bw_break *b = *it;
		struct bw_draws_break x = {.kind = b->draw.kind,
					   .x = b->draw.x,
					   .y = b->draw.y,
					   .vertex = b->draw.vertex,
					   .instance = b->draw.instance};
		if (b->info.kind != BW_BREAK_DRAW || !b->info.enabled)
			continue;
		if (b->draw.kind == BW_DRAW_BREAK_DRAW &&
		    !(x.packet_va = packet_of(d, b->draw.draw)))
			continue;
		if (io.n == BW_DRAWS_BREAKS)
			return bw_errorf(BW_E_UNSUPPORTED,
					 "more than %d breakpoints at pixels, vertices and draws",
					 BW_DRAWS_BREAKS);
		io.at[io.n++] = x;
	}
	if (!memcmp(&io, &d->breaks->draws_sent, sizeof(io)))
		return NULL;
	BW_TRY(bw_target_draws(d->target, BW_DRAWS_IOCTL_BREAKS, &io));
	d->breaks->draws_sent = io;
	return NULL;
}

/* The lanes of the wave that have what the breakpoint names. */
static uint64_t lanes_of(const struct bw_draw_break *b, const struct bw_wave_info *w,
			 const struct bw_draws_wave *wave)
{
	uint64_t lanes = 0;
	for (unsigned i = 0; i < w->lanes; i++) {
		const struct bw_draws_lane *l = &wave->lane[i];
		bool is = l->flags & BW_DRAWS_IS_USED;
		if (b->kind == BW_DRAW_BREAK_PIXEL)
			is &= wave->stage == BW_DRAWS_PIXELS && l->flags & BW_DRAWS_IS_COVERED &&
			      l->x == b->x && l->y == b->y &&
			      (b->sample == UINT32_MAX || l->samples >> b->sample & 1);
		else if (b->kind == BW_DRAW_BREAK_VERTEX)
			is &= wave->stage == BW_DRAWS_VERTICES && (uint32_t)l->x == b->vertex &&
			      (b->instance == UINT32_MAX || l->instance == b->instance);
		else
			is &= wave->stage == BW_DRAWS_VERTICES && w->draw == b->draw;
		lanes |= (uint64_t)is << i;
	}
	/* Lanes of a mesh shader are threads, and have no vertex when they begin. */
	bool is_draw = b->kind == BW_DRAW_BREAK_DRAW && wave->stage == BW_DRAWS_VERTICES &&
		       w->draw == b->draw;
	return is_draw && !lanes ? 1 : lanes;
}

/* Whether a wave's draw has the attachment that the breakpoint names. */
static bool draws_to(struct bw_debug *d, const struct bw_draw_break *b,
		     const struct bw_draws_wave *wave)
{
	struct bw_draws_draw draw = {.number = wave->draw};
	bool found = !b->target_kind;
	struct bw_error *err =
		found ? NULL : bw_target_draws(d->target, BW_DRAWS_IOCTL_DRAW, &draw);
	for (uint32_t i = 0; !err && i < BW_MIN(draw.n_targets, (uint32_t)BW_DRAWS_TARGETS); i++)
		found |= draw.number && draw.target[i].kind == b->target_kind &&
			 draw.target[i].index == b->target;
	bw_error_free(err);
	return found;
}

/* Whether the draw is the driver's, a clear or a copy: who asks for a pixel or a vertex does not
 * mean it. A program of which images or pipelines are known has pipelines for its own draws, though
 * it may make them only after a clear. */
static bool is_of_driver(struct bw_debug *d, const struct bw_wave_record *w)
{
	const struct bw_dispatch_record *x = bw_debug_dispatch_priv(d, w->info.dispatch);
	if (!x || x->pipeline.id)
		return false;
	if (!d->dispatches->n_objects) {
		const struct bw_target_object *all;
		size_t n;
		bw_error_free(bw_debug_objects(d, &all, &n));
	}
	for (size_t i = 0; i < d->dispatches->n_objects; i++)
		if (d->dispatches->objects[i].kind == BW_OBJECT_IMAGE ||
		    (d->dispatches->objects[i].kind == BW_OBJECT_PIPELINE &&
		     d->dispatches->objects[i].stage != BW_STAGE_COMPUTE))
			return true;
	return false;
}

void bw_draw_break_hit(struct bw_debug *d, struct bw_wave_record *w)
{
	const struct bw_draws_wave *wave;
	struct bw_error *err = bw_debug_draw_lanes(d, &w->info, &wave);
	w->info.reasons &= ~(uint32_t)BW_REASON_WAVE_START;
	if (err) {
		bw_error_free(err);
		return;
	}
	bw_vec_each(&d->breaks->all, it) {
		struct bw_break *b = *it;
		uint64_t lanes = 0;
		if (b->info.kind == BW_BREAK_DRAW && b->info.enabled)
			lanes = lanes_of(&b->draw, &w->info, wave);
		/* of a draw one wave is enough: the first */
		if (!lanes || !draws_to(d, &b->draw, wave) ||
		    (b->draw.kind != BW_DRAW_BREAK_DRAW && is_of_driver(d, w)) ||
		    (b->draw.kind == BW_DRAW_BREAK_DRAW && b->draw.is_hit) ||
		    !bw_break_counts(d, b, w, &lanes))
			continue;
		b->draw.is_hit = true;
		w->info.breakpoint = b->info.number;
		w->info.breakpoint_lanes = lanes;
		w->info.reasons |= BW_REASON_BREAKPOINT;
		return;
	}
}
