/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_DRAWS_H
#define BW_DEBUG_DRAWS_H

/* Draws: the pixels and vertices of their waves, breakpoints at these, what a draw drew to, and
 * what has become of one pixel. All but the list of draws needs a target that tells it
 * (BW_CAP_DRAWS). */

#include "base/vec.h"
#include "debug/debug.h"
#include "debug/dispatches.h"
#include "image/picture.h"
#include "debug/waves.h"
#include "target/draws.h"

/* The lanes of a stopped wave of a draw. Borrowed until the next call that asks or resumes. */
struct bw_error *bw_debug_draw_lanes(struct bw_debug *d, const struct bw_wave_info *w,
				     const struct bw_draws_wave **out) BW_MUST_CHECK;
/* Writes "pixel 50,38", "pixel 51,38, helper", "pixel 50,38, sample 1", "vertex 5" or "vertex 5,
 * instance 2". False: the lane has neither, or it is not known. */
bool bw_debug_draw_lane_text(struct bw_debug *d, const struct bw_wave_info *w, unsigned lane,
			     char out[64]);

/* The attributes of a pixel. */
struct bw_error *bw_debug_draw_inputs(struct bw_debug *d, const struct bw_wave_info *w,
				      unsigned lane, struct bw_draws_inputs *out) BW_MUST_CHECK;

/* What a lane has exported so far. */
struct bw_error *bw_debug_draw_outputs(struct bw_debug *d, const struct bw_wave_info *w,
				       unsigned lane, struct bw_draws_outputs *out) BW_MUST_CHECK;

/* ---- Breakpoints ---- */

enum bw_draw_break_kind { BW_DRAW_BREAK_PIXEL = 1, BW_DRAW_BREAK_VERTEX, BW_DRAW_BREAK_DRAW };
/* Stops waves at their first instruction: "pixel X,Y [sample S] [attachment N | depth | stencil]",
 * "vertex N [instance M]", "draw N", each with "[if EXPR]". */
struct bw_error *bw_debug_break_draw(struct bw_debug *d, const char *text, bool temporary,
				     uint32_t *out_number) BW_MUST_CHECK;
/* Whether the text begins such a place. */
bool bw_debug_is_draw_place(const char *text);

/* ---- The list ---- */

/* What the target knows of the draws that have begun, the oldest first; owned (bw_vec_free). */
struct bw_draw_list BW_VEC(struct bw_draws_draw);
struct bw_error *bw_debug_draw_list(struct bw_debug *d, struct bw_draw_list *out) BW_MUST_CHECK;
/* The one of them that x is; NULL: it has not begun, or is no longer known. */
const struct bw_draws_draw *bw_draws_of(const struct bw_draw_list *all,
					const struct bw_dispatch_info *x);
/* The draw of the focus wave, else the last one that has begun; fails if there is none. */
struct bw_error *bw_debug_draw_now(struct bw_debug *d, struct bw_draws_draw *out) BW_MUST_CHECK;
/* Where a target lies, and the name of its format. */
uint64_t bw_draws_target_va(const struct bw_draws_target *t);
const char *bw_draws_target_format(const struct bw_draws_target *t);
/* The word for a target: its number for a color, "depth" or "stencil". */
void bw_draws_target_word(const struct bw_draws_target *t, char out[16]);
/* The target of a draw that has this word; "": its first one. *out is in *draw. */
struct bw_error *bw_draws_find_target(const struct bw_draws_draw *draw, const char *word,
				      const struct bw_draws_target **out) BW_MUST_CHECK;
/* A target as a picture, as it is now: its first layer, and its first sample. The caller owns *out
 * (bw_picture_fini). */
struct bw_error *bw_debug_draw_picture(struct bw_debug *d, const struct bw_draws_target *t,
				       struct bw_picture *out) BW_MUST_CHECK;

/* ---- One pixel ---- */

/* Notes from here on what becomes of a pixel, in every draw to any target. */
struct bw_error *bw_debug_watch_pixel(struct bw_debug *d, int32_t x, int32_t y) BW_MUST_CHECK;
struct bw_pixel_event {
	struct bw_draws_event e;
	uint32_t draw;	 /* the debugger's number of its draw; 0: not known */
	char shader[72]; /* its pixel shader; "": the driver's own */
	char label[72];
};
/* The events so far, also of a program that has ended; borrowed until the next call. BW_E_STATE: no
 * pixel is watched. */
struct bw_error *bw_debug_pixel_events(struct bw_debug *d, const struct bw_pixel_event **out,
				       size_t *out_n) BW_MUST_CHECK;
/* The pixel that is watched. False: none is. */
bool bw_debug_watched_pixel(const struct bw_debug *d, int32_t *out_x, int32_t *out_y);

#endif
