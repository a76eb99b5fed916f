/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_BREAKPOINTS_DRAW_BREAKS_H
#define BW_DEBUG_BREAKPOINTS_DRAW_BREAKS_H

/* Breakpoints at pixels, vertices and draws. */

#include "debug/draws.h"

struct bw_wave_record;

/* What a breakpoint at a pixel, a vertex or a draw names. */
struct bw_draw_break {
	unsigned kind; /* enum bw_draw_break_kind; 0: it is another breakpoint */
	int32_t x, y;
	/* of a pixel: the sample, UINT32_MAX: any; and the attachment, kind 0: any (enum
	 * bw_draws_target_kind) */
	uint32_t sample, target_kind, target;
	uint32_t vertex, instance; /* instance UINT32_MAX: any */
	uint32_t draw;
	bool is_hit; /* in this run */
};

/* Tells the GPU which waves of draws are to stop. Called before waves run on. */
struct bw_error *bw_draw_breaks_update(struct bw_debug *d) BW_MUST_CHECK;
/* A wave of a draw has stopped where it begins: finds the breakpoint that it is for. If there is
 * none, the wave has no reason to be stopped. */
void bw_draw_break_hit(struct bw_debug *d, struct bw_wave_record *w);

#endif
