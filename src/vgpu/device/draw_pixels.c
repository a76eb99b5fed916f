/* SPDX-License-Identifier: MIT */
/* Which pixels the triangles of a round cover: in quads, in the order of the triangles, and within
 * one from block to block. Where the shader does not matter to the depth test, it is done here. */
#include <string.h>

#include "base/util.h"
#include "vgpu/device/draw_priv.h"

enum { BLOCK = BW_DRAW_BLOCK }; /* pixels; a block that a triangle misses is not looked at */
enum { TURN_BLOCKS = 4096 };	/* after which other queues have their turn */
enum { MUCH_BLOCKS = 16 };	/* less takes no longer than to wake other threads */

/* Tests the samples of a pixel in *mask, and leaves those that pass. False: part->why. */
static bool test_early(struct bw_draw_part *part, uint32_t primitive, int32_t x, int32_t y,
		       uint32_t *mask)
{
	struct bw_draw *d = part->d;
	const struct bw_draw_state *s = &d->state;
	const struct bw_draw_primitive *p = &d->primitives[primitive];
	const bool is_watched = bw_draw_is_watched(d, x, y);
	const uint32_t before = *mask;
	float z[BW_IMAGE_SAMPLES];
	if (!d->targets.is_early ||
	    !(d->targets.depth.used || d->targets.stencil.used || d->targets.counts))
		return true;
	for (uint32_t left = before; left; left &= left - 1) {
		int i = __builtin_ctz(left);
		z[i] = (float)bw_triangle_depth(&p->t, bw_draw_sample_at_x(s, x, i),
						bw_draw_sample_at_y(s, y, i));
	}
	struct bw_draw_sample where = {
		.x = (uint32_t)x,
		.y = (uint32_t)y,
		.layer = p->layer,
		.is_front = p->t.is_front,
		.stencil = d->targets.face[p->t.is_front ? 0 : 1].reference,
	};
	if (!is_watched)
		return bw_draw_test_pixel(part, &where, before, z, mask);
	for (uint32_t left = before; left; left &= left - 1) {
		bool passes;
		where.sample = (uint32_t)__builtin_ctz(left);
		where.z = z[where.sample];
		if (!bw_draw_test(part, &where, &passes))
			return false;
		if (passes)
			continue;
		*mask &= ~(1u << where.sample);
		struct bw_draws_event e = bw_draw_look_event(
			d, primitive, &where,
			part->stencil_failed ? BW_DRAWS_STENCIL_FAILED : BW_DRAWS_DEPTH_FAILED);
		e.depth_before = part->depth_before;
		bw_draw_look_note(d, &e);
	}
	return true;
}

/* Samples of a pixel that the triangle covers and that pass. False: part->why. */
static bool cover(struct bw_draw_part *part, const struct bw_draw_block *b, int32_t x, int32_t y,
		  uint8_t *out)
{
	const struct bw_draw_state *s = &part->d->state;
	const struct bw_triangle *t = &part->d->primitives[b->primitive].t;
	uint32_t mask = 0;
	*out = 0;
	if (x < t->box.x0 || x >= t->box.x1 || y < t->box.y0 || y >= t->box.y1)
		return true;
	for (unsigned i = 0; i < s->n_samples; i++)
		if (s->sample_mask >> i & 1 &&
		    (b->is_filled ||
		     bw_triangle_covers(t, x * BW_RASTER_SUBPIXELS + bw_draw_sample_x(s, (int)i),
					y * BW_RASTER_SUBPIXELS + bw_draw_sample_y(s, (int)i))))
			mask |= 1u << i;
	if (mask && !test_early(part, b->primitive, x, y, &mask))
		return false;
	*out = (uint8_t)mask;
	return true;
}

/* Four pixels. False: part->why. */
static bool find_quad(struct bw_draw_part *part, struct bw_draw_block *b, int32_t x, int32_t y)
{
	struct bw_draw_quad quad = {.primitive = b->primitive, .x = x, .y = y, .sample = -1};
	unsigned any = 0;
	for (unsigned k = 0; k < 4; k++) {
		if (!cover(part, b, x + (int)(k % 2), y + (int)(k / 2), &quad.covered[k]))
			return false;
		any |= quad.covered[k];
	}
	if (any)
		b->quad[b->n_quads++] = quad;
	return true;
}

static bool find_quads(struct bw_draw_part *part, struct bw_draw_block *b)
{
	const struct bw_triangle *t = &part->d->primitives[b->primitive].t;
	const struct bw_raster_area *box = &t->box,
				    block = {b->x, b->y, b->x + BLOCK, b->y + BLOCK};
	b->is_filled = bw_triangle_fills(t, &block);
	for (int32_t y = BW_MAX(b->y, box->y0 & ~1); y < BW_MIN(b->y + BLOCK, box->y1); y += 2)
		for (int32_t x = BW_MAX(b->x, box->x0 & ~1); x < BW_MIN(b->x + BLOCK, box->x1);
		     x += 2)
			if (!find_quad(part, b, x, y))
				return false;
	return true;
}

/* A block lies in one tile. */
static bool find_tiles(struct bw_draw_part *part)
{
	struct bw_draw *d = part->d;
	for (unsigned i = 0; i < d->n_blocks; i++) {
		struct bw_draw_block *b = &d->blocks[i];
		if (bw_draw_has_tile(part, b->x, b->y) && !find_quads(part, b))
			return false;
	}
	return true;
}

static void add_quad(struct bw_draw *d, const struct bw_draw_quad *quad)
{
	struct bw_draw_pixel_wave *w = d->n_waves ? &d->waves[d->n_waves - 1] : NULL;
	if (!w || w->n_quads == d->state.ps.lanes / 4) {
		w = &d->waves[d->n_waves++];
		w->n_quads = 0;
		w->live = 0;
		memset(w->written, 0, sizeof(w->written));
	}
	w->quad[w->n_quads++] = *quad;
	for (unsigned k = 0; k < 4; k++)
		bw_draw_count(d, BW_COUNT_PS_INVOCATIONS, quad->covered[k] != 0);
}

/* Once, or for each sample. */
static void add_shaded(struct bw_draw *d, const struct bw_draw_quad *quad)
{
	if (!d->state.per_sample) {
		add_quad(d, quad);
		return;
	}
	for (unsigned i = 0; i < d->state.n_samples; i++) {
		struct bw_draw_quad one = *quad;
		unsigned any = 0;
		one.sample = (int8_t)i;
		for (unsigned k = 0; k < 4; k++)
			any |= one.covered[k] = quad->covered[k] & (uint8_t)(1u << i);
		if (any)
			add_quad(d, &one);
	}
}

/* How many blocks the round has room for: all their quads could need a place in a wave, each time a
 * sample is its own. */
static unsigned room(const struct bw_draw *d)
{
	unsigned quads = BLOCK / 2 * BLOCK / 2 * (d->state.per_sample ? d->state.n_samples : 1);
	unsigned per_wave = d->state.ps.lanes / 4, full = d->n_waves ? d->n_waves - 1 : 0;
	unsigned used = full * per_wave + (d->n_waves ? d->waves[full].n_quads : 0);
	return BW_MIN((BW_DRAW_PIXEL_WAVES * per_wave - used) / quads, (unsigned)BW_DRAW_BLOCKS);
}

/* The next blocks, in the order of the triangles. True: there are no more. */
static bool next_blocks(struct bw_draw *d, unsigned most, unsigned *io_n_looked)
{
	d->n_blocks = 0;
	for (; d->primitive < d->n_primitives; d->primitive++) {
		const struct bw_triangle *t = &d->primitives[d->primitive].t;
		if (!d->in_primitive) {
			d->x = t->box.x0 & -BLOCK;
			d->y = t->box.y0 & -BLOCK;
			d->in_primitive = true;
		}
		while (d->y < t->box.y1) {
			const struct bw_raster_area area = {d->x, d->y, d->x + BLOCK, d->y + BLOCK};
			if (d->n_blocks == most || ++*io_n_looked > TURN_BLOCKS)
				return false;
			if (!bw_triangle_misses(t, &area)) {
				struct bw_draw_block *b = &d->blocks[d->n_blocks++];
				b->primitive = d->primitive;
				b->x = d->x;
				b->y = d->y;
				b->n_quads = 0;
			}
			d->x += BLOCK;
			if (d->x >= t->box.x1) {
				d->x = t->box.x0 & -BLOCK;
				d->y += BLOCK;
			}
		}
		d->in_primitive = false;
	}
	return true;
}

bool bw_draw_find_pixels(struct bw_draw *d)
{
	unsigned n_looked = 0, most;
	d->why[0] = '\0';
	while ((most = room(d)) && n_looked <= TURN_BLOCKS) {
		bool all = next_blocks(d, most, &n_looked);
		if (!bw_draw_in_parts(d, d->n_blocks >= MUCH_BLOCKS, find_tiles))
			return false;
		for (unsigned i = 0; i < d->n_blocks; i++)
			for (unsigned k = 0; k < d->blocks[i].n_quads; k++)
				add_shaded(d, &d->blocks[i].quad[k]);
		if (all)
			return true;
	}
	return false;
}
