/* SPDX-License-Identifier: MIT */
#include "vgpu/device/draw_look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/small_float.h"
#include "base/util.h"
#include "vgpu/device/draw_priv.h"
#include "vgpu/device/exec/check/check.h"
#include "vgpu/device/scheduler.h"

enum { DRAWS = 1024, EVENTS = 4096, OWNERS = 8 };

struct owner {
	const void *who; /* NULL: free */
	struct bw_draws_breaks breaks;
};
struct bw_draw_look {
	pthread_mutex_t lock; /* leaf */
	_Atomic unsigned n_breaks;
	struct owner owner[OWNERS];
	struct bw_draws_draw *draws; /* DRAWS, by number modulo it; NULL: there was none yet */
	uint32_t n_draws;
	struct bw_draws_pixel pixel;
	struct BW_VEC(struct bw_draws_event) events;
	uint32_t n_dropped;
};

struct bw_error *bw_draw_look_create(struct bw_device *dev)
{
	dev->draw_look = calloc(1, sizeof(*dev->draw_look));
	if (!dev->draw_look)
		return bw_error_nomem();
	pthread_mutex_init(&dev->draw_look->lock, NULL);
	return NULL;
}

void bw_draw_look_destroy(struct bw_device *dev)
{
	struct bw_draw_look *l = dev->draw_look;
	if (!l)
		return;
	pthread_mutex_destroy(&l->lock);
	bw_vec_free(&l->events);
	free(l->draws);
	free(l);
	dev->draw_look = NULL;
}

/* ---- waves ---- */

/* The WGP and the slot of a wave's place; NULL: there is no such place. */
static struct bw_wgp *place(struct bw_device *dev, const uint32_t where[5], struct bw_slot **slot)
{
	const struct bw_profile *p = dev->profile;
	if (where[0] >= p->n_se || where[1] >= p->sa_per_se || where[2] >= p->wgp_per_sa ||
	    where[3] >= p->simd_per_wgp || where[4] >= BW_MAX_WAVES_PER_SIMD)
		return NULL;
	struct bw_wgp *wgp =
		bw_sched_wgp(dev, (where[0] * p->sa_per_se + where[1]) * p->wgp_per_sa + where[2]);
	*slot = &wgp->slot[where[3]][where[4]];
	return wgp;
}

/* The vertices that a group of the round loads: none, if its shader runs for points in patches. */
static const struct bw_draw_vertex *vertices_of(const struct bw_draw *d, unsigned group,
						unsigned *out_n)
{
	*out_n = 0;
	if (d->runs == BW_DRAW_STAGE_HULL) {
		*out_n = d->hull[group].n_patches * d->state.hull.n_in;
		return d->hull[group].vertex;
	}
	if (!d->state.hull.on && !d->state.is_mesh)
		*out_n = d->subgroups[group].n_vertices;
	return d->subgroups[group].vertex;
}

/* What a lane is in a control or geometry shader, whose program begins with another one; in a mesh
 * shader, and in an evaluation shader. */
static void describe_primitive(const struct bw_draw *d, unsigned group, unsigned number,
			       struct bw_draws_lane *out)
{
	const struct bw_draw_state *s = &d->state;
	if (d->runs == BW_DRAW_STAGE_HULL) {
		const struct bw_draw_hull_group *g = &d->hull[group];
		if (number >= g->n_patches * s->hull.n_out)
			return;
		out->primitive = g->patch_id[number / s->hull.n_out];
		out->invocation = number % s->hull.n_out;
	} else {
		const struct bw_draw_subgroup *g = &d->subgroups[group];
		if (s->is_mesh && number < s->mesh_threads) {
			memcpy(out->group, g->mesh, sizeof(out->group));
			out->invocation = number;
		} else if (s->has_gs && number < g->n_primitives) {
			out->primitive = g->primitive_id[number];
			out->invocation = g->gs_instance[number];
		} else if (s->hull.on && !s->has_gs && number < g->n_vertices) {
			out->primitive = g->vertex[number].instance;
		} else {
			return;
		}
	}
	out->flags |= BW_DRAWS_HAS_PRIMITIVE;
}

static void describe_vertices(const struct bw_draw *d, unsigned group, const struct bw_wave *w,
			      struct bw_draws_wave *out)
{
	unsigned first = w->index_in_group * (unsigned)w->lanes, n;
	const struct bw_draw_vertex *v = vertices_of(d, group, &n);
	for (unsigned i = 0; i < w->lanes && first + i < n; i++)
		out->lane[i] = (struct bw_draws_lane){.flags = BW_DRAWS_IS_USED,
						      .x = (int32_t)v[first + i].id,
						      .instance = v[first + i].instance,
						      .sample = -1};
	for (unsigned i = 0; i < w->lanes; i++)
		describe_primitive(d, group, first + i, &out->lane[i]);
}

static void describe_pixels(const struct bw_draw *d, const struct bw_draw_pixel_wave *wave,
			    struct bw_draws_wave *out)
{
	for (unsigned i = 0; i < wave->n_quads * 4; i++) {
		const struct bw_draw_quad *quad = &wave->quad[i / 4];
		const struct bw_draw_primitive *p = &d->primitives[quad->primitive];
		out->lane[i] = (struct bw_draws_lane){
			.flags = BW_DRAWS_IS_USED |
				 (quad->covered[i % 4] ? BW_DRAWS_IS_COVERED : 0u) |
				 (p->t.is_front ? BW_DRAWS_IS_FRONT : 0u),
			.x = quad->x + (int)(i % 2),
			.y = quad->y + (int)(i / 2 % 2),
			.primitive = quad->primitive,
			.sample = quad->sample,
			.samples = quad->covered[i % 4],
			.layer = p->layer};
	}
}

/* ---- for the checker ---- */

static void lane_words(const struct bw_wave *w, unsigned lane, char out[BW_CHECK_LANE_B])
{
	const struct bw_group *g = w->wg->owner;
	const struct bw_draw *d = g->dispatch->draw;
	struct bw_draws_wave wave = {.stage = 0};
	const struct bw_draws_lane *l = &wave.lane[lane];
	const bool is_pixels = d->runs == BW_DRAW_STAGE_PIXELS;
	if (is_pixels)
		describe_pixels(d, &d->waves[g->wg.id[0]], &wave);
	else
		describe_vertices(d, g->wg.id[0], w, &wave);
	out[0] = 0;
	/* Which of the two a lane is at this place of a program of two shaders is not known. */
	const uint32_t both = BW_DRAWS_IS_USED | BW_DRAWS_HAS_PRIMITIVE;
	if (is_pixels)
		snprintf(out, BW_CHECK_LANE_B, "pixel %d,%d", l->x, l->y);
	else if ((l->flags & both) == BW_DRAWS_IS_USED)
		snprintf(out, BW_CHECK_LANE_B, "vertex %u", (uint32_t)l->x);
}

void bw_draw_checked(const struct bw_group *g, struct bw_check_draw *out)
{
	*out = (struct bw_check_draw){.number = g->dispatch->draw->number, .lane = lane_words};
	bw_draw_group_place(g, out->place);
}

void bw_draw_hide_helpers(struct bw_group *g)
{
	const struct bw_draw *d = g->dispatch->draw;
	uint64_t covered = 0;
	if (d->runs != BW_DRAW_STAGE_PIXELS)
		return;
	const struct bw_draw_pixel_wave *wave = &d->waves[g->wg.id[0]];
	for (unsigned i = 0; i < wave->n_quads * 4; i++)
		covered |= (uint64_t)(wave->quad[i / 4].covered[i % 4] != 0) << i;
	bw_check_hide_lanes(&g->wg, 0, ~covered);
}

/* The draw whose wave is in the slot, and the group; NULL: none is. With the WGP held. */
static const struct bw_draw *draw_in(const struct bw_slot *s, const struct bw_group **group)
{
	if (s->state == BW_SLOT_FREE || !s->group)
		return NULL;
	*group = s->group;
	return s->group->dispatch->draw;
}

int bw_device_draws_wave(struct bw_device *dev, struct bw_draws_wave *io)
{
	const uint32_t where[5] = {io->se, io->sa, io->wgp, io->simd, io->wave};
	struct bw_slot *slot;
	struct bw_wgp *wgp = place(dev, where, &slot);
	const struct bw_group *g;
	if (!wgp)
		return -EINVAL;
	bw_wgp_acquire(wgp);
	const struct bw_draw *d = draw_in(slot, &g);
	memset(io->lane, 0, sizeof(io->lane));
	if (d) {
		bool is_pixels = d->runs == BW_DRAW_STAGE_PIXELS;
		io->draw = d->number;
		io->n_lanes = slot->w.lanes;
		io->stage = is_pixels ? BW_DRAWS_PIXELS : BW_DRAWS_VERTICES;
		if (is_pixels)
			describe_pixels(d, &d->waves[g->wg.id[0]], io);
		else
			describe_vertices(d, g->wg.id[0], &slot->w, io);
	}
	bw_wgp_release(wgp);
	if (!d)
		io->stage = 0;
	return 0;
}

static float of_bits(const struct bw_draw_input *in, uint32_t v)
{
	return in->halves ? bits_f32(bw_f16_to_f32((uint16_t)v)) : bits_f32(v);
}

static void interpolate(const struct bw_draw *d, const struct bw_draw_quad *quad, unsigned k,
			struct bw_draws_inputs *out)
{
	const struct bw_draw_primitive *p = &d->primitives[quad->primitive];
	struct bw_weights w;
	bw_triangle_weigh(&p->t,
			  bw_draw_sample_at_x(&d->state, quad->x + (int)(k % 2), quad->sample),
			  bw_draw_sample_at_y(&d->state, quad->y + (int)(k / 2), quad->sample), &w);
	out->n = BW_MIN(d->state.n_inputs, (unsigned)BW_DRAWS_INPUTS);
	for (unsigned i = 0; i < out->n; i++) {
		const struct bw_draw_input *in = &d->state.input[i];
		out->flat |= (uint32_t)(in->flat || in->raw) << i;
		for (unsigned c = 0; c < 4; c++) {
			const uint32_t *v = p->planes[i][c].p;
			if (in->flat || in->raw) {
				memcpy(&out->at[i][c], &v[0], sizeof(float));
				continue;
			}
			float p0 = of_bits(in, v[0]), p10 = of_bits(in, v[1]),
			      p20 = of_bits(in, v[2]);
			out->at[i][c] = (float)((double)p0 + w.persp[1] * (double)p10 +
						w.persp[2] * (double)p20);
			out->corner[0][i][c] = p0;
			out->corner[1][i][c] = p0 + p10;
			out->corner[2][i][c] = p0 + p20;
		}
	}
}

int bw_device_draws_inputs(struct bw_device *dev, struct bw_draws_inputs *io)
{
	const uint32_t where[5] = {io->se, io->sa, io->wgp, io->simd, io->wave};
	struct bw_slot *slot;
	struct bw_wgp *wgp = place(dev, where, &slot);
	const struct bw_group *g;
	if (!wgp)
		return -EINVAL;
	io->n = io->flat = 0;
	bw_wgp_acquire(wgp);
	const struct bw_draw *d = draw_in(slot, &g);
	if (d && d->runs == BW_DRAW_STAGE_PIXELS && io->lane / 4 < d->waves[g->wg.id[0]].n_quads)
		interpolate(d, &d->waves[g->wg.id[0]].quad[io->lane / 4], io->lane % 4, io);
	bw_wgp_release(wgp);
	return 0;
}

uint32_t bw_draw_look_number(const struct bw_format *f)
{
	return !f->is_int	       ? BW_DRAWS_FLOATS
	       : f->num == BW_NUM_SINT ? BW_DRAWS_SINTS
				       : BW_DRAWS_UINTS;
}

static struct bw_draws_export *add_export(struct bw_draws_outputs *io, uint32_t kind,
					  uint32_t index)
{
	io->at[io->n] = (struct bw_draws_export){.kind = kind, .index = index};
	return &io->at[io->n++];
}

static void exports_of_pixel(const struct bw_draw *d, const struct bw_draw_pixel_wave *w,
			     struct bw_draws_outputs *io)
{
	const struct bw_draw_targets *t = &d->targets;
	const size_t output_dw = (size_t)4 * BW_DRAW_LANES;
	for (unsigned i = 0; i < BW_MIN(t->n_colors, (unsigned)BW_DRAWS_COLORS); i++) {
		const struct bw_draw_surface *s = &t->color[i];
		if (!s->used || s->export >= t->n_exports ||
		    !(w->written[s->export] >> io->lane & 1))
			continue;
		struct bw_draws_export *x = add_export(io, BW_DRAWS_EXPORT_COLOR, i);
		x->number = bw_draw_look_number(s->im.format);
		bw_draw_unpack_export(w->output + s->export * output_dw,
				      t->export_format[s->export], io->lane, x->value);
	}
	if (t->export_depth && w->written[BW_DRAW_COLORS] >> io->lane & 1)
		add_export(io, BW_DRAWS_EXPORT_DEPTH, 0)->value[0] =
			w->output[t->n_exports * output_dw + io->lane];
}

int bw_device_draws_outputs(struct bw_device *dev, struct bw_draws_outputs *io)
{
	const uint32_t where[5] = {io->se, io->sa, io->wgp, io->simd, io->wave};
	struct bw_slot *slot;
	struct bw_wgp *wgp = place(dev, where, &slot);
	const struct bw_group *g;
	if (!wgp || io->lane >= BW_DRAWS_LANES)
		return -EINVAL;
	io->n = 0;
	bw_wgp_acquire(wgp);
	const struct bw_draw *d = draw_in(slot, &g);
	if (d && d->runs == BW_DRAW_STAGE_PIXELS) {
		exports_of_pixel(d, &d->waves[g->wg.id[0]], io);
	} else if (d && d->runs == BW_DRAW_STAGE_VERTICES) {
		const struct bw_draw_subgroup *of = &d->subgroups[g->wg.id[0]];
		unsigned n = slot->w.index_in_group * (unsigned)slot->w.lanes + io->lane;
		if (n < BW_DRAW_VERTICES && of->has_position[n]) {
			struct bw_draws_export *x = add_export(io, BW_DRAWS_EXPORT_POSITION, 0);
			for (unsigned c = 0; c < 4; c++)
				x->value[c] = of->position[0][c][n];
		}
	}
	bw_wgp_release(wgp);
	return 0;
}

/* ---- waves that stop ---- */

int bw_device_draws_break(struct bw_device *dev, const void *owner,
			  const struct bw_draws_breaks *breaks)
{
	struct bw_draw_look *l = dev->draw_look;
	struct owner *to = NULL;
	unsigned n = 0;
	if (breaks->n > BW_DRAWS_BREAKS)
		return -EINVAL;
	pthread_mutex_lock(&l->lock);
	for (unsigned i = OWNERS; i-- > 0;)
		if (!l->owner[i].who)
			to = &l->owner[i];
	for (unsigned i = 0; i < OWNERS; i++)
		if (l->owner[i].who == owner)
			to = &l->owner[i];
	if (to) {
		to->who = breaks->n ? owner : NULL;
		to->breaks = *breaks;
	}
	for (unsigned i = 0; i < OWNERS; i++)
		n += l->owner[i].who ? l->owner[i].breaks.n : 0;
	atomic_store(&l->n_breaks, n);
	pthread_mutex_unlock(&l->lock);
	return to ? 0 : -EBUSY;
}

static bool has_pixel(const struct bw_draw_pixel_wave *w, int32_t x, int32_t y)
{
	for (unsigned i = 0; i < w->n_quads; i++) {
		int32_t dx = x - w->quad[i].x, dy = y - w->quad[i].y;
		if (dx >= 0 && dx < 2 && dy >= 0 && dy < 2 && w->quad[i].covered[dy * 2 + dx])
			return true;
	}
	return false;
}

static bool has_vertex(const struct bw_draw *d, unsigned group, const struct bw_draws_break *b)
{
	unsigned n;
	const struct bw_draw_vertex *v = vertices_of(d, group, &n);
	for (unsigned i = 0; i < n; i++)
		if (v[i].id == b->vertex &&
		    (b->instance == UINT32_MAX || v[i].instance == b->instance))
			return true;
	return false;
}

static bool hits(const struct bw_draw *d, unsigned group, const struct bw_draws_break *b)
{
	switch (b->kind) {
	case BW_DRAWS_BREAK_PIXEL:
		return d->runs == BW_DRAW_STAGE_PIXELS && has_pixel(&d->waves[group], b->x, b->y);
	case BW_DRAWS_BREAK_VERTEX:
		return d->runs != BW_DRAW_STAGE_PIXELS && has_vertex(d, group, b);
	case BW_DRAWS_BREAK_DRAW:
		return d->runs != BW_DRAW_STAGE_PIXELS && group == 0 &&
		       d->round == d->first_round && d->packet_va == bw_canonical(b->packet_va);
	default:
		return false;
	}
}

bool bw_draw_look_stops(const struct bw_group *g)
{
	const struct bw_draw *d = g->dispatch->draw;
	struct bw_draw_look *l = d->dev->draw_look;
	bool any = false;
	if (!atomic_load(&l->n_breaks))
		return false;
	pthread_mutex_lock(&l->lock);
	for (unsigned i = 0; i < OWNERS; i++)
		for (unsigned k = 0; l->owner[i].who && k < l->owner[i].breaks.n; k++)
			any |= hits(d, g->wg.id[0], &l->owner[i].breaks.at[k]);
	pthread_mutex_unlock(&l->lock);
	return any;
}

/* ---- the list of draws ---- */

static void add_target(struct bw_draws_draw *out, const struct bw_draw_surface *s, uint32_t kind,
		       uint32_t index)
{
	struct bw_draws_target *t = &out->target[out->n_targets];
	if (!s->used || out->n_targets == BW_DRAWS_TARGETS)
		return;
	*t = (struct bw_draws_target){.kind = kind,
				      .index = index,
				      .level = s->level,
				      .samples_log2 = s->im.samples_log2,
				      .width = bw_image_mip(s->im.width, s->level),
				      .height = bw_image_mip(s->im.height, s->level),
				      .format = s->im.format->number};
	memcpy(t->words, s->words, sizeof(t->words));
	memcpy(t->from, s->from, sizeof(t->from));
	out->n_targets++;
}

uint32_t bw_draw_look_begin(struct bw_queue *q, const struct bw_draw_call *call, struct bw_draw *d,
			    const char *left_out)
{
	struct bw_draw_look *l = q->dev->draw_look;
	struct bw_draws_draw x = {.vmid = bw_cp_vmid(q),
				  .n = call->is_task ? 0 : call->n,
				  .n_instances = call->n_instances,
				  .is_indexed = call->indexed,
				  .packet_va = bw_draw_packet_va(q)};
	if (left_out)
		snprintf(x.left_out, sizeof(x.left_out), "%s", left_out);
	if (d) {
		x.topology = d->state.topology;
		x.vertex_va = d->state.gs.pc;
		x.pixel_va = d->state.ps.pc;
		for (unsigned i = 0; i < BW_DRAW_COLORS; i++)
			add_target(&x, &d->targets.color[i], BW_DRAWS_COLOR, i);
		add_target(&x, &d->targets.depth, BW_DRAWS_DEPTH, 0);
		add_target(&x, &d->targets.stencil, BW_DRAWS_STENCIL, 0);
	}
	pthread_mutex_lock(&l->lock);
	if (!l->draws)
		l->draws = calloc(DRAWS, sizeof(*l->draws));
	x.number = ++l->n_draws;
	if (l->draws)
		l->draws[x.number % DRAWS] = x;
	if (d) {
		d->number = x.number;
		d->watched = l->pixel;
	}
	pthread_mutex_unlock(&l->lock);
	return x.number;
}

void bw_draw_look_groups(const struct bw_draw *d, uint32_t n)
{
	struct bw_draw_look *l = d->dev->draw_look;
	pthread_mutex_lock(&l->lock);
	struct bw_draws_draw *x = l->draws ? &l->draws[d->number % DRAWS] : NULL;
	if (x && x->number == d->number)
		x->n = n;
	pthread_mutex_unlock(&l->lock);
}

int bw_device_draws_draw(struct bw_device *dev, struct bw_draws_draw *io)
{
	struct bw_draw_look *l = dev->draw_look;
	pthread_mutex_lock(&l->lock);
	uint32_t number = io->number ? io->number : l->n_draws;
	uint32_t first = l->n_draws > DRAWS ? l->n_draws - DRAWS + 1 : 1;
	if (l->draws && number >= first && number <= l->n_draws) {
		*io = l->draws[number % DRAWS];
		io->first = first;
	} else {
		io->number = 0;
	}
	pthread_mutex_unlock(&l->lock);
	return 0;
}

/* ---- the pixel that is watched ---- */

int bw_device_draws_pixel(struct bw_device *dev, const struct bw_draws_pixel *pixel)
{
	struct bw_draw_look *l = dev->draw_look;
	pthread_mutex_lock(&l->lock);
	l->pixel = *pixel;
	l->events.len = 0;
	l->n_dropped = 0;
	pthread_mutex_unlock(&l->lock);
	return 0;
}

struct bw_draws_event bw_draw_look_event(const struct bw_draw *d, uint32_t primitive,
					 const struct bw_draw_sample *at,
					 enum bw_draws_result result)
{
	return (struct bw_draws_event){.draw = d->number,
				       .result = result,
				       .primitive = primitive,
				       .sample = at->sample,
				       .layer = at->layer,
				       .is_front = at->is_front,
				       .is_early = d->targets.is_early,
				       .has_depth = d->targets.depth.used,
				       .z = at->z};
}

void bw_draw_look_note(struct bw_draw *d, const struct bw_draws_event *event)
{
	struct bw_draw_look *l = d->dev->draw_look;
	pthread_mutex_lock(&l->lock);
	struct bw_error *err =
		l->events.len < EVENTS ? bw_vec_push(&l->events, *event) : bw_error_nomem();
	if (err)
		l->n_dropped++;
	else
		l->events.data[l->events.len - 1].number = (uint32_t)l->events.len - 1;
	bw_error_free(err);
	pthread_mutex_unlock(&l->lock);
}

int bw_device_draws_event(struct bw_device *dev, struct bw_draws_event *io)
{
	struct bw_draw_look *l = dev->draw_look;
	io->result = 0;
	pthread_mutex_lock(&l->lock);
	if (io->number < l->events.len) {
		*io = l->events.data[io->number];
		io->n_dropped = l->n_dropped;
	}
	pthread_mutex_unlock(&l->lock);
	return 0;
}
