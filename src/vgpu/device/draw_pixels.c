/* SPDX-License-Identifier: MIT */
/* Which pixels the triangles of a round cover: in quads, in the order of the triangles, and within
 * one from block to block. Where the shader does not matter to the depth test, it is done here. */
#include <string.h>

#include "base/util.h"
#include "vgpu/device/draw_priv.h"

enum { BLOCK = 16 };	     /* pixels; a block that a triangle misses is not looked at */
enum { TURN_BLOCKS = 4096 }; /* after which other queues have their turn */

static bool test_early(struct bw_draw *d, const struct bw_draw_primitive *p, int32_t x, int32_t y,
		       unsigned sample, bool *out_passes)
{
	const struct bw_draw_state *s = &d->state;
	struct bw_weights at;
	*out_passes = true;
	if (!d->targets.is_early ||
	    !(d->targets.depth.used || d->targets.stencil.used || d->targets.counts))
		return true;
	bw_triangle_weigh(&p->t, x + (double)bw_draw_sample_x(s, (int)sample) / BW_RASTER_SUBPIXELS,
			  y + (double)bw_draw_sample_y(s, (int)sample) / BW_RASTER_SUBPIXELS, &at);
	const struct bw_draw_sample where = {
		.x = (uint32_t)x,
		.y = (uint32_t)y,
		.layer = p->layer,
		.sample = sample,
		.is_front = p->t.is_front,
		.z = (float)at.z,
		.stencil = d->targets.face[p->t.is_front ? 0 : 1].reference,
	};
	if (!bw_draw_test(d, &where, out_passes))
		return false;
	if (!*out_passes && bw_draw_is_watched(d, x, y)) {
		const struct bw_draws_event e = bw_draw_look_event(
			d, d->primitive, &where,
			d->stencil_failed ? BW_DRAWS_STENCIL_FAILED : BW_DRAWS_DEPTH_FAILED);
		bw_draw_look_note(d, &e);
	}
	return true;
}

/* Samples of a pixel that the triangle covers and that pass. False: d->why. */
static bool cover(struct bw_draw *d, const struct bw_draw_primitive *p, int32_t x, int32_t y,
		  uint8_t *out)
{
	const struct bw_draw_state *s = &d->state;
	*out = 0;
	if (x < p->t.box.x0 || x >= p->t.box.x1 || y < p->t.box.y0 || y >= p->t.box.y1)
		return true;
	for (unsigned i = 0; i < s->n_samples; i++) {
		bool passes;
		if (!(s->sample_mask >> i & 1) ||
		    !bw_triangle_covers(&p->t,
					x * BW_RASTER_SUBPIXELS + bw_draw_sample_x(s, (int)i),
					y * BW_RASTER_SUBPIXELS + bw_draw_sample_y(s, (int)i)))
			continue;
		if (!test_early(d, p, x, y, i, &passes))
			return false;
		*out |= (uint8_t)(passes << i);
	}
	return true;
}

static void add_quad(struct bw_draw *d, const struct bw_draw_quad *quad)
{
	struct bw_draw_pixel_wave *w = d->n_waves ? &d->waves[d->n_waves - 1] : NULL;
	if (!w || w->n_quads == d->state.ps.lanes / 4) {
		w = &d->waves[d->n_waves++];
		memset(w, 0, sizeof(*w));
	}
	w->quad[w->n_quads++] = *quad;
	for (unsigned k = 0; k < 4; k++)
		bw_draw_count(d, BW_COUNT_PS_INVOCATIONS, quad->covered[k] != 0);
}

/* Four pixels. False: d->why. */
static bool find_quad(struct bw_draw *d, const struct bw_draw_primitive *p, int32_t x, int32_t y)
{
	struct bw_draw_quad quad = {.primitive = d->primitive, .x = x, .y = y, .sample = -1};
	unsigned any = 0;
	for (unsigned k = 0; k < 4; k++) {
		if (!cover(d, p, x + (int)(k % 2), y + (int)(k / 2), &quad.covered[k]))
			return false;
		any |= quad.covered[k];
	}
	if (!any)
		return true;
	if (!d->state.per_sample) {
		add_quad(d, &quad);
		return true;
	}
	for (unsigned i = 0; i < d->state.n_samples; i++) {
		struct bw_draw_quad one = quad;
		one.sample = (int8_t)i;
		for (unsigned k = 0; k < 4; k++)
			one.covered[k] = quad.covered[k] & (uint8_t)(1u << i);
		if (any >> i & 1)
			add_quad(d, &one);
	}
	return true;
}

/* All quads of a block could need a wave slot each time a sample is its own. */
static bool has_room(const struct bw_draw *d)
{
	unsigned quads = BLOCK / 2 * BLOCK / 2 * (d->state.per_sample ? d->state.n_samples : 1);
	unsigned per_wave = d->state.ps.lanes / 4;
	return d->n_waves + quads / per_wave + 1 <= BW_DRAW_PIXEL_WAVES;
}

static bool find_block(struct bw_draw *d, const struct bw_draw_primitive *p)
{
	const struct bw_raster_area block = {d->x, d->y, d->x + BLOCK, d->y + BLOCK};
	if (bw_triangle_misses(&p->t, &block))
		return true;
	for (int32_t y = BW_MAX(d->y, p->t.box.y0 & ~1); y < BW_MIN(block.y1, p->t.box.y1); y += 2)
		for (int32_t x = BW_MAX(d->x, p->t.box.x0 & ~1); x < BW_MIN(block.x1, p->t.box.x1);
		     x += 2)
			if (!find_quad(d, p, x, y))
				return false;
	return true;
}

bool bw_draw_find_pixels(struct bw_draw *d)
{
	unsigned n_blocks = 0;
	d->why[0] = '\0';
	for (; d->primitive < d->n_primitives; d->primitive++) {
		const struct bw_draw_primitive *p = &d->primitives[d->primitive];
		if (!d->in_primitive) {
			d->x = p->t.box.x0 & -BLOCK;
			d->y = p->t.box.y0 & -BLOCK;
			d->in_primitive = true;
		}
		while (d->y < p->t.box.y1) {
			if (!has_room(d) || ++n_blocks > TURN_BLOCKS || !find_block(d, p))
				return false;
			d->x += BLOCK;
			if (d->x >= p->t.box.x1) {
				d->x = p->t.box.x0 & -BLOCK;
				d->y += BLOCK;
			}
		}
		d->in_primitive = false;
	}
	return true;
}
