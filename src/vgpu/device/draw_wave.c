/* SPDX-License-Identifier: MIT */
/* The waves of a draw: as groups of a dispatch, with registers that the geometry engine and the
 * rasteriser would fill, and exports instead of stores. Initial registers: radv_shader_args.c of
 * Mesa 25. The functions from bw_draw_group_threads() on run on the workers' threads, each for the
 * waves of its group. */
#include <stdlib.h>
#include <string.h>

#include "arch/gfx11_extra.h"
#include "base/float_bits.h"
#include "base/util.h"
#include "base/words.h"
#include "isa/inst.h"
#include "isa/ops.h"
#include "vgpu/device/draw_priv.h"
#include "vgpu/device/spi.h"

enum { M0 = 125, EXEC_LO = 126, EXEC_HI = 127 };
/* Targets of an export (ISA manual: EXP). */
enum { EXP_MRTZ = 8, EXP_POS0 = 12, EXP_PRIM = 20, EXP_DUAL0 = 21, EXP_DUAL1 = 22 };
/* SGPRs and VGPRs of a primitive shader. */
enum { GS_TG_INFO = 2, GS_WAVE_INFO = 3, GS_OUTPUTS, GS_ATTRIBUTES, GS_USER = 8 };
enum { GS_PRIMITIVE_ID = 2, GS_INFO, GS_CORNERS_4_5 };
/* of a mesh shader, in place of GS_OUTPUTS and GS_ATTRIBUTES, which it has in the lower half */
enum { MESH_XY = 4, MESH_Z };
/* of a vertex; or of a point in a patch: U, V, the patch in its group, and in the draw */
enum { GS_VERTEX_ID = 5, GS_PLACE_V, GS_PATCH, GS_INSTANCE_ID };
/* Of the shader of vertices and patches. */
enum { HS_OUTPUTS = 2, HS_WAVE_INFO, HS_LEVELS, HS_WAVE, HS_USER = 8 };
enum { HS_PATCH_ID, HS_NUMBERS, HS_VERTEX_ID, HS_INSTANCE_ID = 5 };
#define NUMBERS_PATCH 0, 8
#define NUMBERS_VERTEX 8, 5
enum { MSG_HS_TESSFACTOR = 2 };
/* Fields of gs_tg_info and merged_wave_info. */
#define TG_ORDER 0, 12
#define TG_N_VERTICES 12, 9
#define TG_N_PRIMITIVES 22, 9
#define WAVE_N_VERTICES 0, 8
#define WAVE_N_PRIMITIVES 8, 8
#define WAVE_IN_GROUP 24, 4
#define WAVE_N_WAVES 28, 4
/* Fields of VGPR 0 of a primitive: those of its export if the shader passes them through, else
 * offsets of the first two vertices. */
#define PRIM_OFFSET(i) 16 * (i), 16
/* Fields of VGPR 3 of a primitive. */
#define GS_INFO_INSTANCE 0, 7
#define GS_INFO_EDGES 8, 3
/* Fields of the VGPRs ANCILLARY and POS_FIXED_PT. */
#define ANCILLARY_SAMPLE 8, 4
#define ANCILLARY_LAYER 16, 13
#define POS_FIXED_X 0, 16
#define POS_FIXED_Y 16, 16

/* Numbers of a mesh shader's thread, in VGPR 0. */
#define THREAD_X 0, 10
#define THREAD_Y 10, 10
#define THREAD_Z 20, 10

#define PLACE_PIXELS (1u << 31) /* bw_draw_group_place() */

/* Bits of SPI_PS_INPUT_ADDR. */
enum input {
	PERSP_SAMPLE,
	PERSP_CENTER,
	PERSP_CENTROID,
	PERSP_PULL_MODEL,
	LINEAR_SAMPLE,
	LINEAR_CENTER,
	LINEAR_CENTROID,
	LINE_STIPPLE_TEX,
	POS_X_FLOAT,
	POS_Y_FLOAT,
	POS_Z_FLOAT,
	POS_W_FLOAT,
	FRONT_FACE,
	ANCILLARY,
	SAMPLE_COVERAGE,
	POS_FIXED_PT,
	N_INPUTS,
};
static const uint8_t input_sizes[N_INPUTS] = {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* ---- submission ---- */

static bool allocate_outputs(struct bw_draw *d)
{
	size_t wave_dw = (size_t)(d->targets.n_exports + 1) * 4 * BW_DRAW_LANES;
	free(d->outputs);
	d->outputs = calloc(d->n_waves * wave_dw, sizeof(*d->outputs));
	for (unsigned i = 0; i < d->n_waves && d->outputs; i++)
		d->waves[i].output = &d->outputs[i * wave_dw];
	return d->outputs;
}

const char *bw_draw_submit(struct bw_draw *d, enum bw_draw_stage stage)
{
	const struct bw_draw_shader *const shaders[] = {
		[BW_DRAW_STAGE_VERTICES] = &d->state.gs,
		[BW_DRAW_STAGE_PIXELS] = &d->state.ps,
		[BW_DRAW_STAGE_HULL] = &d->state.hull.shader,
	};
	const unsigned numbers[] = {
		[BW_DRAW_STAGE_VERTICES] = d->n_subgroups,
		[BW_DRAW_STAGE_PIXELS] = d->n_waves,
		[BW_DRAW_STAGE_HULL] = d->n_hull,
	};
	const struct bw_draw_shader *s = shaders[stage];
	unsigned n_groups = numbers[stage], most = 0;
	if (stage == BW_DRAW_STAGE_PIXELS && !allocate_outputs(d))
		return "out of memory";
	struct bw_dispatch *dispatch = calloc(1, sizeof(*dispatch));
	if (!dispatch)
		return "out of memory";
	d->runs = stage;
	d->round = ++d->q->n_rounds;
	dispatch->dev = d->dev;
	dispatch->queue = d->q;
	dispatch->vmid = (uint8_t)d->vmid;
	dispatch->lanes = s->lanes;
	dispatch->initiator = s->lanes == 32 ? BW_PM4_INIT_CS_W32_EN : 0;
	dispatch->pc = s->pc;
	dispatch->rsrc1 = s->rsrc1;
	dispatch->rsrc2 = s->rsrc2;
	dispatch->rsrc3 = s->rsrc3;
	for (unsigned i = 0; i < 3; i++)
		dispatch->threads[i] = dispatch->last[i] = dispatch->end[i] = 1;
	dispatch->end[0] = n_groups;
	memset(dispatch->cu_mask, 0xff, sizeof(dispatch->cu_mask));
	/* No dispatch packet has this number. */
	dispatch->packet_id = BW_GFX11_TTMP6__PACKET;
	dispatch->doorbell = BW_HQD_FIELD(d->q, HQD_PQ_DOORBELL_CONTROL, DOORBELL_OFFSET);
	if (BW_FIELD_GET(COMPUTE_PGM_RSRC2, SCRATCH_EN, s->rsrc2)) {
		dispatch->scratch_base = d->state.scratch_base;
		dispatch->scratch_wave_b = d->state.scratch_wave_b;
		dispatch->scratch_waves = d->state.scratch_waves;
	}
	dispatch->draw = d;
	for (unsigned i = 0; i < n_groups; i++)
		most = BW_MAX(most, bw_draw_group_threads(d, i));
	const char *why = bw_dispatch_resources(dispatch, (most + s->lanes - 1) / s->lanes);
	if (why) {
		free(dispatch);
		return why;
	}
	atomic_store(&d->done, false);
	atomic_fetch_add(&d->n_refs, 1);
	bw_spi_submit(dispatch);
	return NULL;
}

void bw_draw_group_place(const struct bw_group *g, uint32_t out[3])
{
	const struct bw_draw *d = g->dispatch->draw;
	out[0] = g->wg.id[0];
	out[1] = (d->round & ~PLACE_PIXELS) |
		 (d->runs == BW_DRAW_STAGE_PIXELS ? (uint32_t)PLACE_PIXELS : 0);
	out[2] = bw_lo32(d->packet_va);
}

void bw_draw_round_done(struct bw_draw *d)
{
	atomic_store(&d->done, true);
}

/* ---- primitive shaders ---- */

unsigned bw_draw_group_threads(const struct bw_draw *d, uint32_t group)
{
	const struct bw_draw_hull *h = &d->state.hull;
	if (d->runs == BW_DRAW_STAGE_PIXELS)
		return d->state.ps.lanes;
	if (d->runs == BW_DRAW_STAGE_HULL)
		return d->hull[group].n_patches * BW_MAX(h->n_in, h->n_out);
	if (d->state.is_mesh)
		return d->state.mesh_threads;
	const struct bw_draw_subgroup *g = &d->subgroups[group];
	unsigned n = BW_MAX(g->n_vertices, g->n_primitives);
	unsigned n_out = bw_draw_out_vertices(&d->state, g);
	return BW_MAX(n, n_out);
}

/* Mesa's shaders of transform feedback read LDS right after a barrier, and some 50 instructions
 * later overwrite it without another one (ngg_gs_build_streamout() and ngg_gs_finale() of Mesa 25):
 * waves of a group that wait for a barrier together are expected to go on together. */
uint64_t bw_draw_turn(const struct bw_draw *d)
{
	enum { TOGETHER = 16 };
	return d->state.is_ordered && d->runs == BW_DRAW_STAGE_VERTICES ? TOGETHER : UINT64_MAX;
}

static void set_vgpr(struct bw_wave *w, unsigned n, unsigned lane, uint32_t value)
{
	if (n < w->n_vgprs)
		w->v[n * w->lanes + lane] = value;
}

static void set_exec(struct bw_wave *w, uint64_t exec)
{
	w->s[EXEC_LO] = bw_lo32(exec);
	w->s[EXEC_HI] = w->lanes == 64 ? bw_hi32(exec) : 0;
}

/* How many of the subgroup's elements this wave has. */
static unsigned share(const struct bw_wave *w, unsigned n)
{
	unsigned first = w->index_in_group * (unsigned)w->lanes;
	return n > first ? BW_MIN(n - first, (unsigned)w->lanes) : 0;
}

/* The registers of a primitive: its vertices as it would export them, or as numbers in halves of
 * registers. */
static void set_primitive(const struct bw_draw_state *s, const struct bw_draw_subgroup *g,
			  struct bw_wave *w, unsigned lane, unsigned number)
{
	static const uint8_t registers[BW_DRAW_CORNERS / 2] = {0, 1, GS_CORNERS_4_5};
	const uint8_t *corner = g->primitive[number];
	uint32_t packed[BW_DRAW_CORNERS / 2] = {0}, info = 0;
	for (unsigned i = 0; i < 3 && s->passthrough; i++) {
		bw_words_put(packed, BW_DRAW_PRIM_VERTEX(i), corner[i]);
		bw_words_put(packed, BW_DRAW_PRIM_IS_EDGE(i), g->edges[number] >> i);
	}
	for (unsigned i = 0; i < BW_DRAW_CORNERS && !s->passthrough; i++)
		bw_words_put(packed, PRIM_OFFSET(i), corner[i] * s->vertex_unit);
	for (unsigned i = 0; i < BW_DRAW_CORNERS / 2; i++)
		set_vgpr(w, registers[i], lane, packed[i]);
	set_vgpr(w, GS_PRIMITIVE_ID, lane, g->primitive_id[number]);
	bw_words_put(&info, GS_INFO_INSTANCE, g->gs_instance[number]);
	bw_words_put(&info, GS_INFO_EDGES, g->edges[number]);
	set_vgpr(w, GS_INFO, lane, info);
}

static void launch_vertices(const struct bw_draw *d, const struct bw_group *group,
			    struct bw_wave *w)
{
	const struct bw_draw_state *s = &d->state;
	const struct bw_draw_subgroup *g = &d->subgroups[group->wg.id[0]];
	unsigned first = w->index_in_group * (unsigned)w->lanes;
	unsigned n_vertices = share(w, g->n_vertices), n_primitives = share(w, g->n_primitives);
	memcpy(w->s, s->gs_sgprs, sizeof(s->gs_sgprs));
	if (s->is_ordered)
		bw_words_put(&w->s[GS_TG_INFO], TG_ORDER, g->order);
	/* With a geometry shader: room for what it emits (seen in code that Mesa makes). */
	bw_words_put(&w->s[GS_TG_INFO], TG_N_VERTICES, bw_draw_out_vertices(s, g));
	bw_words_put(&w->s[GS_TG_INFO], TG_N_PRIMITIVES, g->n_primitives);
	bw_words_put(&w->s[GS_WAVE_INFO], WAVE_N_VERTICES, n_vertices);
	bw_words_put(&w->s[GS_WAVE_INFO], WAVE_N_PRIMITIVES, n_primitives);
	bw_words_put(&w->s[GS_WAVE_INFO], WAVE_IN_GROUP, w->index_in_group);
	bw_words_put(&w->s[GS_WAVE_INFO], WAVE_N_WAVES, group->wg.n_waves);
	w->s[GS_OUTPUTS] = g->outputs;
	w->s[GS_ATTRIBUTES] = g->ring_unit;
	memcpy(&w->s[GS_USER], s->gs.user, s->gs.n_user * sizeof(*w->s));
	for (unsigned lane = 0; lane < n_primitives; lane++)
		set_primitive(s, g, w, lane, first + lane);
	for (unsigned lane = 0; lane < n_vertices; lane++) {
		const struct bw_draw_vertex *v = &g->vertex[first + lane];
		set_vgpr(w, GS_VERTEX_ID, lane, s->hull.on ? f32_bits(v->u) : v->id);
		set_vgpr(w, GS_PLACE_V, lane, f32_bits(v->v));
		set_vgpr(w, GS_PATCH, lane, s->hull.on ? v->id : 0);
		set_vgpr(w, GS_INSTANCE_ID, lane, v->instance);
	}
	set_exec(w, ~0ull); /* the shader cuts it by merged_wave_info */
}

/* A wave of a mesh shader: threads as those of a compute shader, and the number of their group
 * (ac_nir_lower_intrinsics_to_args.c of Mesa 25). */
static void launch_mesh(const struct bw_draw *d, const struct bw_group *group, struct bw_wave *w)
{
	const struct bw_draw_state *s = &d->state;
	const struct bw_draw_subgroup *g = &d->subgroups[group->wg.id[0]];
	const unsigned first = w->index_in_group * (unsigned)w->lanes;
	const unsigned n = share(w, s->mesh_threads);
	memcpy(w->s, s->gs_sgprs, sizeof(s->gs_sgprs));
	bw_words_put(&w->s[GS_TG_INFO], TG_ORDER, g->order);
	bw_words_put(&w->s[GS_TG_INFO], TG_N_VERTICES, g->n_vertices);
	bw_words_put(&w->s[GS_TG_INFO], TG_N_PRIMITIVES, g->n_primitives);
	bw_words_put(&w->s[GS_WAVE_INFO], WAVE_IN_GROUP, w->index_in_group);
	bw_words_put(&w->s[GS_WAVE_INFO], WAVE_N_WAVES, group->wg.n_waves);
	w->s[MESH_XY] = g->mesh[0] | g->mesh[1] << 16;
	w->s[MESH_Z] = g->ring_unit | g->mesh[2] << 16;
	memcpy(&w->s[GS_USER], s->gs.user, s->gs.n_user * sizeof(*w->s));
	if (d->call.is_task)
		bw_draw_set_task(d, g, &w->s[GS_USER]);
	for (unsigned lane = 0; lane < n; lane++) {
		const unsigned *size = s->mesh_size, i = first + lane;
		uint32_t ids = 0;
		bw_words_put(&ids, THREAD_X, i % size[0]);
		bw_words_put(&ids, THREAD_Y, i / size[0] % size[1]);
		bw_words_put(&ids, THREAD_Z, i / size[0] / size[1] % size[2]);
		set_vgpr(w, 0, lane, ids);
	}
	set_exec(w, n < 64 ? (1ull << n) - 1 : ~0ull);
}

/* ---- shaders of vertices and patches ---- */

static void launch_hull(const struct bw_draw *d, const struct bw_group *group, struct bw_wave *w)
{
	const struct bw_draw_hull *h = &d->state.hull;
	unsigned number = group->wg.id[0], first = w->index_in_group * (unsigned)w->lanes;
	const struct bw_draw_hull_group *g = &d->hull[number];
	unsigned n_vertices = share(w, g->n_patches * h->n_in);
	unsigned n_threads = share(w, g->n_patches * h->n_out);
	memcpy(w->s, h->sgprs, sizeof(h->sgprs));
	w->s[HS_OUTPUTS] = number * h->outputs_b;
	bw_words_put(&w->s[HS_WAVE_INFO], WAVE_N_VERTICES, n_vertices);
	bw_words_put(&w->s[HS_WAVE_INFO], WAVE_N_PRIMITIVES, n_threads);
	w->s[HS_LEVELS] = number * h->n_patches * h->levels_b;
	w->s[HS_WAVE] = w->index_in_group;
	memcpy(&w->s[HS_USER], h->shader.user, h->shader.n_user * sizeof(*w->s));
	for (unsigned lane = 0; lane < n_threads; lane++) {
		unsigned patch = (first + lane) / h->n_out;
		uint32_t numbers = 0;
		bw_words_put(&numbers, NUMBERS_PATCH, patch);
		bw_words_put(&numbers, NUMBERS_VERTEX, (first + lane) % h->n_out);
		set_vgpr(w, HS_PATCH_ID, lane, g->patch_id[patch]);
		set_vgpr(w, HS_NUMBERS, lane, numbers);
	}
	for (unsigned lane = 0; lane < n_vertices; lane++) {
		set_vgpr(w, HS_VERTEX_ID, lane, g->vertex[first + lane].id);
		set_vgpr(w, HS_INSTANCE_ID, lane, g->vertex[first + lane].instance);
	}
	set_exec(w, ~0ull);
}

/* ---- pixel shaders ---- */

struct pixel {
	const struct bw_draw_quad *quad;
	const struct bw_draw_primitive *primitive;
	uint32_t x, y;
	uint8_t covered;
};

static void weigh_at(const struct bw_draw *d, const struct pixel *p, int sample,
		     struct bw_weights *out)
{
	bw_triangle_weigh(&p->primitive->t, bw_draw_sample_at_x(&d->state, (int32_t)p->x, sample),
			  bw_draw_sample_at_y(&d->state, (int32_t)p->y, sample), out);
}

/* The sample where a centroid is: none (the centre) when all are covered, or none is. */
static int centroid(const struct bw_draw *d, const struct pixel *p)
{
	unsigned all = (1u << d->state.n_samples) - 1;
	return p->covered == all || !p->covered ? -1 : __builtin_ctz(p->covered);
}

/* One input of the pixel shader by its bit in SPI_PS_INPUT_ADDR. */
static void input_value(const struct bw_draw *d, unsigned which, const struct pixel *p,
			uint32_t out[3])
{
	const struct bw_draw_state *s = &d->state;
	int sample = p->quad->sample;
	int position = s->position_at_sample ? sample : -1;
	struct bw_weights k;
	switch (which) {
	case PERSP_SAMPLE:
	case PERSP_CENTER:
	case PERSP_CENTROID:
	case PERSP_PULL_MODEL:
	case LINEAR_SAMPLE:
	case LINEAR_CENTER:
	case LINEAR_CENTROID: {
		bool at_sample = which == PERSP_SAMPLE || which == LINEAR_SAMPLE;
		bool at_centroid = which == PERSP_CENTROID || which == LINEAR_CENTROID;
		weigh_at(d, p,
			 at_sample     ? BW_MAX(sample, 0)
			 : at_centroid ? centroid(d, p)
				       : -1,
			 &k);
		const double *from = which < LINEAR_SAMPLE ? k.persp : k.linear;
		double scale = which == PERSP_PULL_MODEL ? 1 / k.w : 1;
		out[0] = f32_bits((float)(from[1] * scale));
		out[1] = f32_bits((float)(from[2] * scale));
		out[2] = f32_bits((float)scale);
		return;
	}
	case POS_X_FLOAT:
		out[0] = f32_bits((float)p->x +
				  (float)bw_draw_sample_x(s, position) / BW_RASTER_SUBPIXELS);
		return;
	case POS_Y_FLOAT:
		out[0] = f32_bits((float)p->y +
				  (float)bw_draw_sample_y(s, position) / BW_RASTER_SUBPIXELS);
		return;
	case POS_Z_FLOAT:
		out[0] = f32_bits((float)bw_triangle_depth(
			&p->primitive->t, bw_draw_sample_at_x(s, (int32_t)p->x, sample),
			bw_draw_sample_at_y(s, (int32_t)p->y, sample)));
		return;
	case POS_W_FLOAT:
		weigh_at(d, p, position, &k);
		out[0] = f32_bits((float)k.w);
		return;
	case FRONT_FACE:
		out[0] = f32_bits(p->primitive->t.is_front ? 1.0f : -1.0f);
		return;
	case ANCILLARY:
		out[0] = 0;
		bw_words_put(out, ANCILLARY_SAMPLE, (unsigned)BW_MAX(sample, 0));
		bw_words_put(out, ANCILLARY_LAYER, p->primitive->layer);
		return;
	case SAMPLE_COVERAGE:
		out[0] = p->covered;
		return;
	case POS_FIXED_PT:
		out[0] = 0;
		bw_words_put(out, POS_FIXED_X, p->x);
		bw_words_put(out, POS_FIXED_Y, p->y);
		return;
	default: /* LINE_STIPPLE_TEX */
		out[0] = 0;
		return;
	}
}

/* The inputs that SPI_PS_INPUT_ADDR makes room for, in the order of its bits. */
static void set_inputs(const struct bw_draw *d, struct bw_wave *w, unsigned lane,
		       const struct pixel *p)
{
	unsigned n = 0;
	for (uint32_t left = d->state.input_addr; left; left &= left - 1) {
		unsigned bit = (unsigned)__builtin_ctz(left);
		uint32_t value[3];
		if (d->state.input_ena >> bit & 1) {
			input_value(d, bit, p, value);
			for (unsigned i = 0; i < input_sizes[bit]; i++)
				set_vgpr(w, n + i, lane, value[i]);
		}
		n += input_sizes[bit];
	}
}

static void launch_pixels(const struct bw_draw *d, const struct bw_group *group, struct bw_wave *w)
{
	const struct bw_draw_pixel_wave *wave = &d->waves[group->wg.id[0]];
	const struct bw_draw_shader *s = &d->state.ps;
	uint64_t exec = 0;
	memcpy(w->s, s->user, s->n_user * sizeof(*w->s));
	/* The next one has PRIM_MASK and the place of the attributes in LDS: they are not there. */
	for (unsigned lane = 0; lane < wave->n_quads * 4; lane++) {
		const struct bw_draw_quad *quad = &wave->quad[lane / 4];
		const struct pixel p = {
			.quad = quad,
			.primitive = &d->primitives[quad->primitive],
			.x = (uint32_t)quad->x + lane % 2,
			.y = (uint32_t)quad->y + lane / 2 % 2,
			.covered = quad->covered[lane % 4],
		};
		exec |= (uint64_t)(p.covered != 0) << lane;
		set_inputs(d, w, lane, &p);
	}
	set_exec(w, exec);
}

void bw_draw_wave_launch(const struct bw_group *g, struct bw_wave *w)
{
	const struct bw_draw *d = g->dispatch->draw;
	w->status |= BW_FIELD_MASK(SQ_WAVE_STATUS, EXPORT_RDY);
	if (d->runs == BW_DRAW_STAGE_PIXELS)
		launch_pixels(d, g, w);
	else if (d->runs == BW_DRAW_STAGE_HULL)
		launch_hull(d, g, w);
	else if (d->state.is_mesh)
		launch_mesh(d, g, w);
	else
		launch_vertices(d, g, w);
}

/* ---- exports ---- */

static uint64_t exec_of(const struct bw_wave *w)
{
	return bw_join32(w->lanes == 64 ? w->s[EXEC_HI] : 0, w->s[EXEC_LO]);
}

static void export_vertices(struct bw_draw_subgroup *g, const struct bw_wave *w,
			    const struct bw_inst *in)
{
	/* Mesh shaders say which row of lanes it is. */
	unsigned row = in->exp_row ? w->s[M0] % BW_DRAW_VERTICES : w->index_in_group;
	unsigned first = row * (unsigned)w->lanes, target = in->exp_target;
	for (uint64_t left = exec_of(w); left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(left), n = first + lane;
		if (n >= BW_DRAW_VERTICES)
			return;
		if (target == EXP_PRIM && in->exp_en & 1 && in->exp_src[0] < w->n_vgprs) {
			g->out_primitive[n] = w->v[in->exp_src[0] * w->lanes + lane];
			g->has_primitive[n] = true;
		}
		if (target == EXP_PRIM && in->exp_en & 2 && in->exp_src[1] < w->n_vgprs) {
			g->out_place[n] = w->v[in->exp_src[1] * w->lanes + lane];
			g->has_place[n] = true;
		}
		if (target < EXP_POS0 || target >= EXP_POS0 + BW_DRAW_POSITIONS)
			continue;
		for (unsigned c = 0; c < 4; c++)
			if (in->exp_en >> c & 1 && in->exp_src[c] < w->n_vgprs)
				g->position[target - EXP_POS0][c][n] =
					w->v[in->exp_src[c] * w->lanes + lane];
		g->has_position[n] |= target == EXP_POS0;
	}
}

/* The two colours of dual sources, which lie side by side: the first export has those of the even
 * lanes, in a lane and its odd neighbour, the second one those of the odd lanes. Values of lanes
 * that EXEC leaves out count as well (seen in code that Mesa 25 makes). [I] */
static void export_dual(const struct bw_draw *d, struct bw_draw_pixel_wave *wave,
			const struct bw_wave *w, const struct bw_inst *in)
{
	unsigned odd = in->exp_target == EXP_DUAL1;
	uint64_t exec = exec_of(w) & (odd ? 0xaaaaaaaaaaaaaaaa : 0x5555555555555555);
	if (d->targets.n_exports < 2)
		return;
	for (uint64_t left = exec; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(left), even = lane & ~1u;
		for (unsigned c = 0; c < 4; c++) {
			if (!(in->exp_en >> c & 1) || in->exp_src[c] >= w->n_vgprs)
				continue;
			const uint32_t *from = &w->v[in->exp_src[c] * w->lanes + even];
			wave->output[c * BW_DRAW_LANES + lane] = from[0];
			wave->output[(4 + c) * BW_DRAW_LANES + lane] = from[1];
		}
	}
	wave->written[0] |= exec;
	wave->written[1] |= exec;
}

static void export_pixels(const struct bw_draw *d, struct bw_draw_pixel_wave *wave,
			  const struct bw_wave *w, const struct bw_inst *in)
{
	unsigned target = in->exp_target, which = target;
	uint64_t exec = exec_of(w);
	if (in->exp_done)
		wave->live |= exec;
	if (target == EXP_DUAL0 || target == EXP_DUAL1) {
		export_dual(d, wave, w, in);
		return;
	}
	if (target == EXP_MRTZ)
		which = d->targets.n_exports;
	else if (target >= d->targets.n_exports)
		return; /* no target takes it */
	uint32_t *to = &wave->output[(size_t)which * 4 * BW_DRAW_LANES];
	for (unsigned c = 0; c < 4; c++)
		for (uint64_t left = exec; left; left &= left - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(left);
			if (in->exp_en >> c & 1 && in->exp_src[c] < w->n_vgprs)
				to[c * BW_DRAW_LANES + lane] =
					w->v[in->exp_src[c] * w->lanes + lane];
		}
	wave->written[target == EXP_MRTZ ? BW_DRAW_COLORS : target] |= exec;
}

/* Lanes 0, 1 and 2 of a quad get P0, P10 and P20 (RDNA3 manual, LDS_PARAM_LOAD); quads without an
 * active lane keep what they had. */
static void load_param(const struct bw_draw *d, const struct bw_draw_pixel_wave *wave,
		       struct bw_wave *w, const struct bw_inst *in)
{
	static const struct bw_draw_plane zero;
	uint64_t exec = exec_of(w);
	if (in->dst >= w->n_vgprs)
		return;
	for (unsigned l = 0; l < wave->n_quads * 4; l++) {
		const struct bw_draw_primitive *p = &d->primitives[wave->quad[l / 4].primitive];
		const struct bw_draw_plane *plane =
			in->attr < d->state.n_inputs ? &p->planes[in->attr][in->attr_chan] : &zero;
		if (exec >> (l & ~3u) & 0xf && l % 4 < 3)
			w->v[in->dst * w->lanes + l] = plane->p[l % 4];
	}
}

bool bw_draw_instruction(struct bw_group *g, struct bw_wave *w, const struct bw_inst *in)
{
	struct bw_draw *d = g->dispatch->draw;
	unsigned number = g->wg.id[0];
	bool pixels = d->runs == BW_DRAW_STAGE_PIXELS, hull = d->runs == BW_DRAW_STAGE_HULL;
	if (in->op == BW_OP_S_SENDMSG && hull && (in->imm & 0xff) == MSG_HS_TESSFACTOR)
		atomic_store(&d->hull[number].message, (int)(w->s[M0] & 1));
	else if (in->op == BW_OP_EXP && pixels)
		export_pixels(d, &d->waves[number], w, in);
	else if (in->op == BW_OP_EXP && (!in->exp_row || d->state.is_mesh) && !hull)
		export_vertices(&d->subgroups[number], w, in);
	else if (in->op == BW_OP_LDS_PARAM_LOAD && pixels)
		load_param(d, &d->waves[number], w, in);
	else if (in->gds && !pixels && !hull)
		return bw_gds_instruction(d->dev, w, in);
	else
		return false;
	return true;
}
