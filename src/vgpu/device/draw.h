/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_DRAW_H
#define BW_VGPU_DEVICE_DRAW_H

/* The rectangles that drivers draw for themselves.
 *
 * This GPU computes. But on its universal queue a driver clears images, copies to them and converts
 * them by drawing rectangles (RADV's radv_meta_*.c: all with primitive type RECTLIST, which no API
 * offers to programs), and a program that only computes cannot tell. So a RECTLIST is drawn: vertex
 * and pixel shaders run as waves in the executor, their exports go to the colour and depth
 * surfaces. Every other draw is refused. Left out of the pipeline is what no such rectangle uses,
 * and each of these is refused by name: blending, logic operations, depth and stencil tests,
 * clipping.
 *
 * Surfaces are never compressed here: what would decompress one or eliminate a fast clear draws
 * nothing. (The agent asks RADV for images without compression.)
 *
 * Everything runs on the command processor's thread, one wave after the other: such draws are rare
 * and short. A long one is done in parts, between which other queues have their turns. */

#include "vgpu/device/cp.h"

struct bw_draw_unit;

/* NULL when it is done, or (*out_again) when a part is, which q->draw remembers; else why not, as a
 * clause that stays valid until the next call. */
const char *bw_draw_rects(struct bw_queue *q, uint32_t n_vertices, uint32_t n_instances,
			  bool *out_again);
struct bw_draw_unit *bw_draw_unit_create(struct bw_device *dev); /* NULL: out of memory */
void bw_draw_unit_destroy(struct bw_draw_unit *u);		 /* accepts NULL */
/* Sets the registers that this file reads to the values of CLEAR_STATE (clearstate_gfx11.h of
 * Linux). */
void bw_draw_clear_state(struct bw_device *dev);

#endif
