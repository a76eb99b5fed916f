/* SPDX-License-Identifier: MIT */
/* Rectangles: vertices from the primitive shader, pixels in quads to the pixel shader. Field
 * positions: gc_11_0_0_sh_mask.h; initial registers of the waves: radv_shader_args.c of Mesa 25. */
#include "vgpu/device/draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/words.h"
#include "vgpu/device/draw_priv.h"

enum { PRIM_RECTLIST = 0x11, M0 = 125 };
enum { USE_DEFAULT = 0x20 }; /* in SPI_PS_INPUT_CNTL_n.OFFSET: DEFAULT_VAL, not an attribute */
/* Fields of the VGPRs ANCILLARY and POS_FIXED_PT. */
#define ANCILLARY_SAMPLE 8, 4
#define ANCILLARY_LAYER 16, 13
#define POS_FIXED_X 0, 16
#define POS_FIXED_Y 16, 16
/* Fields of the SGPRs of a primitive shader, gs_tg_info and merged_wave_info. */
#define TG_N_VERTICES 12, 9
#define TG_N_PRIMITIVES 22, 9
#define WAVE_N_VERTICES 0, 8
#define WAVE_N_PRIMITIVES 8, 8
#define WAVE_N_WAVES 28, 4
/* Fields of VGPR 0 of a primitive: the numbers of its vertices in the subgroup, in the form of its
 * export, if the shader passes them through; else offsets of the first two. */
#define PRIM_VERTEX(i) 10 * (i), 9
#define PRIM_OFFSET(i) 16 * (i), 16
/* Fields of the third component of the position's second export. */
#define EXPORT_LAYER 0, 13
enum { ATTRIBUTE_RING_UNIT_B = 64 << 10 };
enum { MAX_SIZE = 16384, SUBPIXELS = 256 };
/* Number of instructions after which other queues get their turn. */
enum { TURN_INSTRUCTIONS = 1 << 16 };

#define SH(q, name) (*bw_queue_sh(q, BW_REG_SPI_SHADER_##name))
#define SH_FIELD(q, name, field) BW_FIELD_GET(SPI_SHADER_##name, field, SH(q, name))
#define CTX(d, name) bw_reg_get((d)->dev, BW_REG_##name)
#define CTX_FIELD(d, name, field) BW_FIELD_GET(name, field, CTX(d, name))

struct vertex {
	double x, y, z, w; /* on the screen; w as the shader gave it */
	unsigned layer;
	float param[BW_DRAW_PARAMS][4];
};

struct area {
	int32_t x0, y0, x1, y1; /* the last two are outside */
};

struct draw {
	struct bw_queue *q;
	struct bw_device *dev;
	struct bw_draw_unit *u;
	unsigned vmid;
	struct bw_draw_shader vs, ps;
	bool passthrough;
	unsigned n_interp; /* inputs of the pixel shader */
	uint32_t input_addr, input_ena;
	uint32_t scale[6]; /* XSCALE XOFFSET YSCALE YOFFSET ZSCALE ZOFFSET */
	struct area scissor;
	bool per_sample;
	uint64_t executed; /* in this turn */
	struct bw_draw_targets targets;
	struct vertex v[3];
};

/* ---- state ---- */

static void narrow(struct area *a, struct area by)
{
	a->x0 = BW_MAX(a->x0, by.x0);
	a->y0 = BW_MAX(a->y0, by.y0);
	a->x1 = BW_MIN(a->x1, by.x1);
	a->y1 = BW_MIN(a->y1, by.y1);
}

/* A pair of scissor registers. */
#define SCISSOR(d, name)                                                                           \
	((struct area){                                                                            \
		(int32_t)CTX_FIELD(d, name##_TL, TL_X), (int32_t)CTX_FIELD(d, name##_TL, TL_Y),    \
		(int32_t)CTX_FIELD(d, name##_BR, BR_X), (int32_t)CTX_FIELD(d, name##_BR, BR_Y)})

static const char *read_shaders(struct draw *d)
{
	struct bw_queue *q = d->q;
	uint32_t stages = CTX(d, VGT_SHADER_STAGES_EN);
	if (!BW_FIELD_GET(VGT_SHADER_STAGES_EN, PRIMGEN_EN, stages))
		return "it does not use a primitive shader";
	if (BW_FIELD_GET(VGT_SHADER_STAGES_EN, LS_EN, stages) ||
	    BW_FIELD_GET(VGT_SHADER_STAGES_EN, HS_EN, stages))
		return "it tessellates";
	d->passthrough = BW_FIELD_GET(VGT_SHADER_STAGES_EN, PRIMGEN_PASSTHRU_EN, stages);
	d->vs = (struct bw_draw_shader){
		.pc = bw_canonical(
			bw_join_256b(SH_FIELD(q, PGM_HI_ES, MEM_BASE), SH(q, PGM_LO_ES))),
		.rsrc1 = SH(q, PGM_RSRC1_GS),
		.lanes = BW_FIELD_GET(VGT_SHADER_STAGES_EN, GS_W32_EN, stages) ? 32 : 64,
		.n_user = SH_FIELD(q, PGM_RSRC2_GS, USER_SGPR) |
			  SH_FIELD(q, PGM_RSRC2_GS, USER_SGPR_MSB)
				  << BW_FIELD_WIDTH(SPI_SHADER_PGM_RSRC2_GS, USER_SGPR),
		.scratch = SH_FIELD(q, PGM_RSRC2_GS, SCRATCH_EN),
		.fp16_ovfl = SH_FIELD(q, PGM_RSRC1_GS, FP16_OVFL),
	};
	d->ps = (struct bw_draw_shader){
		.pc = bw_canonical(
			bw_join_256b(SH_FIELD(q, PGM_HI_PS, MEM_BASE), SH(q, PGM_LO_PS))),
		.rsrc1 = SH(q, PGM_RSRC1_PS),
		.lanes = CTX_FIELD(d, SPI_PS_IN_CONTROL, PS_W32_EN) ? 32 : 64,
		.n_user = SH_FIELD(q, PGM_RSRC2_PS, USER_SGPR) |
			  SH_FIELD(q, PGM_RSRC2_PS, USER_SGPR_MSB)
				  << BW_FIELD_WIDTH(SPI_SHADER_PGM_RSRC2_PS, USER_SGPR),
		.scratch = SH_FIELD(q, PGM_RSRC2_PS, SCRATCH_EN),
		.fp16_ovfl = SH_FIELD(q, PGM_RSRC1_PS, FP16_OVFL),
	};
	if (d->vs.scratch || d->ps.scratch)
		return "its shaders need scratch memory";
	return NULL;
}

static const char *read_state(struct draw *d)
{
	const char *why = read_shaders(d);
	if (why)
		return why;
	d->n_interp = CTX_FIELD(d, SPI_PS_IN_CONTROL, NUM_INTERP);
	if (d->n_interp > BW_DRAW_PARAMS)
		return "its pixel shader has more than 32 inputs";
	d->input_addr = CTX(d, SPI_PS_INPUT_ADDR);
	d->input_ena = CTX(d, SPI_PS_INPUT_ENA);
	/* Six enables from VPORT_X_SCALE_ENA on, in the order of the registers. */
	uint32_t vte = CTX(d, PA_CL_VTE_CNTL) >> BW_FIELD_SHIFT(PA_CL_VTE_CNTL, VPORT_X_SCALE_ENA);
	for (unsigned i = 0; i < 6; i++) {
		uint32_t identity = i % 2 ? 0 : 0x3f800000;
		uint32_t scale = bw_reg_get(d->dev, BW_REG_PA_CL_VPORT_XSCALE + i);
		d->scale[i] = vte >> i & 1 ? scale : identity;
	}
	d->scissor = (struct area){0, 0, MAX_SIZE, MAX_SIZE};
	narrow(&d->scissor, SCISSOR(d, PA_SC_SCREEN_SCISSOR));
	narrow(&d->scissor, SCISSOR(d, PA_SC_WINDOW_SCISSOR));
	narrow(&d->scissor, SCISSOR(d, PA_SC_GENERIC_SCISSOR));
	narrow(&d->scissor, SCISSOR(d, PA_SC_VPORT_SCISSOR_0));
	d->per_sample = CTX_FIELD(d, PA_SC_MODE_CNTL_1, PS_ITER_SAMPLE);
	return bw_draw_targets_read(d->dev, &d->targets);
}

/* ---- vertices ---- */

/* One primitive of three vertices in a wave of its own: a subgroup of the primitive generator. */
static bool run_vertices(struct draw *d, uint32_t first, uint32_t instance)
{
	enum { N = 3 };
	struct bw_draw_unit *u = d->u;
	bw_draw_wave_begin(u, &d->vs, d->vmid, d->vs.lanes == 64 ? ~0ull : 0xffffffffull);
	struct bw_wave *w = &u->w;
	w->s[0] = SH(d->q, PGM_LO_GS);
	w->s[1] = SH(d->q, PGM_HI_GS);
	w->s[2] = w->s[3] = 0;
	bw_words_put(&w->s[2], TG_N_VERTICES, N);
	bw_words_put(&w->s[2], TG_N_PRIMITIVES, 1);
	bw_words_put(&w->s[3], WAVE_N_VERTICES, N);
	bw_words_put(&w->s[3], WAVE_N_PRIMITIVES, 1);
	bw_words_put(&w->s[3], WAVE_N_WAVES, 1);
	for (unsigned i = 0; i < BW_MIN(d->vs.n_user, 32u); i++)
		w->s[8 + i] = *bw_queue_sh(d->q, BW_REG_SPI_SHADER_USER_DATA_GS_0 + i);
	uint32_t primitive = 0;
	for (unsigned i = 0; i < N && d->passthrough; i++)
		bw_words_put(&primitive, PRIM_VERTEX(i), i);
	for (unsigned i = 0; i < 2 && !d->passthrough; i++)
		bw_words_put(&primitive, PRIM_OFFSET(i), i);
	bw_draw_set_vgpr(u, 0, 0, primitive);
	bw_draw_set_vgpr(u, 1, 0, 2);
	bw_draw_set_vgpr(u, 2, 0, first / N);
	for (unsigned lane = 0; lane < N; lane++) {
		bw_draw_set_vgpr(u, 5, lane, first + lane);
		bw_draw_set_vgpr(u, 8, lane, instance);
	}
	return bw_draw_wave_run(u);
}

/* Attributes go through the attribute ring: a swizzled buffer of 16-byte elements in groups of 32
 * vertices (ac_build_attr_ring_descriptor of Mesa), here always from its beginning. */
static bool fetch_params(struct draw *d, unsigned lane, struct vertex *v)
{
	uint64_t ring = (uint64_t)CTX(d, SPI_ATTRIBUTE_RING_BASE) * ATTRIBUTE_RING_UNIT_B;
	struct bw_tlb *tlb = &d->u->tlb[d->vmid];
	struct bw_vm_fault fault;
	for (unsigned i = 0; i < BW_DRAW_PARAMS && i < d->n_interp; i++) {
		uint32_t cntl = bw_reg_get(d->dev, BW_REG_SPI_PS_INPUT_CNTL_0 + i);
		unsigned offset = BW_FIELD_GET(SPI_PS_INPUT_CNTL_0, OFFSET, cntl);
		if (offset >= USE_DEFAULT && !BW_FIELD_GET(SPI_PS_INPUT_CNTL_0, FLAT_SHADE, cntl)) {
			/* 0000, 0001, 1110, 1111 */
			unsigned value = BW_FIELD_GET(SPI_PS_INPUT_CNTL_0, DEFAULT_VAL, cntl);
			for (unsigned c = 0; c < 4; c++)
				v->param[i][c] = (float)(c == 3 ? value % 2 : value / 2);
			continue;
		}
		uint64_t va = bw_canonical(ring + offset % USE_DEFAULT * 512ull + lane * 16ull);
		if (!bw_vm_read(tlb, va, v->param[i], 16, &fault)) {
			snprintf(d->u->why, sizeof(d->u->why),
				 "its attributes at 0x%" PRIx64 " are not mapped", fault.va);
			return false;
		}
	}
	return true;
}

static const char *fetch_vertices(struct draw *d)
{
	struct bw_draw_unit *u = d->u;
	const struct bw_draw_export *pos = &u->exports[BW_EXP_POS0];
	const struct bw_draw_export *misc = &u->exports[BW_EXP_POS0 + 1];
	/* USE_VTX_RENDER_TARGET_INDX in the misc vector */
	bool has_layer = CTX_FIELD(d, PA_CL_VS_OUT_CNTL, USE_VTX_RENDER_TARGET_INDX) &&
			 CTX_FIELD(d, PA_CL_VS_OUT_CNTL, VS_OUT_MISC_VEC_ENA);
	if ((pos->lanes & 7) != 7)
		return "its vertex shader exports no positions";
	for (unsigned i = 0; i < 3; i++) {
		struct vertex *v = &d->v[i];
		double w = bits_f32(pos->v[3][i]);
		if (!(w > 0))
			return "it is clipped";
		v->w = w;
		v->x = bits_f32(pos->v[0][i]) / w * bits_f32(d->scale[0]) + bits_f32(d->scale[1]);
		v->y = bits_f32(pos->v[1][i]) / w * bits_f32(d->scale[2]) + bits_f32(d->scale[3]);
		v->z = bits_f32(pos->v[2][i]) / w * bits_f32(d->scale[4]) + bits_f32(d->scale[5]);
		v->layer = has_layer ? (unsigned)bw_words_get(&misc->v[2][i], EXPORT_LAYER) : 0;
		if (!(fabs(v->x) <= MAX_SIZE * 2) || !(fabs(v->y) <= MAX_SIZE * 2))
			return "it reaches far beyond the screen";
		if (!fetch_params(d, i, v))
			return u->why;
	}
	return NULL;
}

/* ---- pixels ---- */

static void make_planes(struct draw *d)
{
	struct bw_draw_unit *u = d->u;
	u->n_planes = d->n_interp;
	for (unsigned i = 0; i < d->n_interp; i++) {
		uint32_t cntl = bw_reg_get(d->dev, BW_REG_SPI_PS_INPUT_CNTL_0 + i);
		bool flat = BW_FIELD_GET(SPI_PS_INPUT_CNTL_0, FLAT_SHADE, cntl);
		for (unsigned c = 0; c < 4; c++) {
			float p0 = d->v[0].param[i][c];
			u->planes[i][c] =
				(struct bw_draw_plane){{p0, flat ? 0 : d->v[1].param[i][c] - p0,
							flat ? 0 : d->v[2].param[i][c] - p0}};
			/* Bits, not numbers: an integer must not pass through a float operation. */
			memcpy(&u->planes[i][c].p[0], &d->v[0].param[i][c], 4);
		}
	}
}

/* A pixel's position relative to the vertices, and its depth. */
struct weights {
	float i, j;		/* as on the screen */
	float persp_i, persp_j; /* corrected by w */
	float w;
	double z;
};

static struct weights weigh(const struct draw *d, double x, double y)
{
	const struct vertex *a = &d->v[0], *b = &d->v[1], *c = &d->v[2];
	double bx = b->x - a->x, by = b->y - a->y, cx = c->x - a->x, cy = c->y - a->y;
	double det = bx * cy - by * cx, px = x - a->x, py = y - a->y;
	double i = (px * cy - py * cx) / det, j = (py * bx - px * by) / det;
	double wa = (1 - i - j) / a->w, wb = i / b->w, wc = j / c->w, sum = wa + wb + wc;
	return (struct weights){(float)i,	   (float)j,
				(float)(wb / sum), (float)(wc / sum),
				(float)(1 / sum),  a->z + i * (b->z - a->z) + j * (c->z - a->z)};
}

/* One input of the pixel shader by its bit in SPI_PS_INPUT_ADDR. */
static void input(const struct draw *d, unsigned bit, const struct bw_draw_pixel *p, int sample,
		  uint32_t out[3])
{
	const struct weights k = weigh(d, p->x + 0.5, p->y + 0.5);
	switch (bit) {
	case 0: /* PERSP_SAMPLE, _CENTER, _CENTROID */
	case 1:
	case 2:
		out[0] = f32_bits(k.persp_i);
		out[1] = f32_bits(k.persp_j);
		return;
	case 3: /* PERSP_PULL_MODEL */
		out[0] = f32_bits(k.persp_i / k.w);
		out[1] = f32_bits(k.persp_j / k.w);
		out[2] = f32_bits(1 / k.w);
		return;
	case 4: /* LINEAR_SAMPLE, _CENTER, _CENTROID */
	case 5:
	case 6:
		out[0] = f32_bits(k.i);
		out[1] = f32_bits(k.j);
		return;
	case 8: /* POS_X_FLOAT to POS_W_FLOAT */
		out[0] = f32_bits((float)p->x + 0.5f);
		return;
	case 9:
		out[0] = f32_bits((float)p->y + 0.5f);
		return;
	case 10:
		out[0] = f32_bits((float)k.z);
		return;
	case 11:
		out[0] = f32_bits(k.w);
		return;
	case 12: /* FRONT_FACE */
		out[0] = f32_bits(1.0f);
		return;
	case 13: /* ANCILLARY */
		out[0] = 0;
		bw_words_put(out, ANCILLARY_SAMPLE, sample > 0 ? (unsigned)sample : 0);
		bw_words_put(out, ANCILLARY_LAYER, p->layer);
		return;
	case 14: /* SAMPLE_COVERAGE */
		out[0] = sample >= 0 ? 1u << sample : (1u << d->targets.n_samples) - 1;
		return;
	case 15: /* POS_FIXED_PT */
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
static void set_inputs(struct draw *d, unsigned lane, const struct bw_draw_pixel *p, int sample)
{
	static const uint8_t sizes[16] = {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	unsigned n = 0;
	for (uint32_t left = d->input_addr & 0xffff; left; left &= left - 1) {
		unsigned bit = (unsigned)__builtin_ctz(left);
		uint32_t value[3];
		if (d->input_ena >> bit & 1)
			input(d, bit, p, sample, value);
		for (unsigned i = 0; i < sizes[bit] && d->input_ena >> bit & 1; i++)
			bw_draw_set_vgpr(d->u, n + i, lane, value[i]);
		n += sizes[bit];
	}
}

static bool run_pixels(struct draw *d, const struct bw_draw_pixel *pixels, unsigned n,
		       uint64_t covered, int sample)
{
	struct bw_draw_unit *u = d->u;
	bw_draw_wave_begin(u, &d->ps, d->vmid, covered);
	struct bw_wave *w = &u->w;
	unsigned n_user = BW_MIN(d->ps.n_user, 32u);
	for (unsigned i = 0; i < n_user; i++)
		w->s[i] = *bw_queue_sh(d->q, BW_REG_SPI_SHADER_USER_DATA_PS_0 + i);
	/* PRIM_MASK and the place of the attributes in LDS, which are not used here. */
	w->s[n_user] = 0;
	for (unsigned lane = 0; lane < n; lane++)
		set_inputs(d, lane, &pixels[lane], sample);
	if (!bw_draw_wave_run(u))
		return false;
	d->executed += w->n_executed + 100; /* beginning and storing count, too */
	return bw_draw_store(u, &d->targets, covered, pixels, sample);
}

static bool run_wave(struct draw *d, const struct bw_draw_pixel *pixels, unsigned n,
		     uint64_t covered)
{
	if (!n || !covered)
		return true;
	if (!d->per_sample || d->targets.n_samples == 1)
		return run_pixels(d, pixels, n, covered, -1);
	for (unsigned s = 0; s < d->targets.n_samples; s++)
		if (!run_pixels(d, pixels, n, covered, (int)s))
			return false;
	return true;
}

/* First pixel whose centre is not before an edge. */
static int32_t first_pixel(double edge)
{
	double fixed = nearbyint(edge * SUBPIXELS);
	return (int32_t)ceil((fixed - SUBPIXELS / 2) / SUBPIXELS);
}

/* Draws from a row on; *out_row is the row to continue with, UINT32_MAX when all are done. */
static const char *draw_pixels(struct draw *d, uint32_t row, uint32_t *out_row)
{
	const struct vertex *v = d->v;
	bool along_x = v[1].y == v[0].y && v[2].x == v[0].x;
	bool along_y = v[1].x == v[0].x && v[2].y == v[0].y;
	if (!along_x && !along_y)
		return "its corners are not an upright rectangle";
	struct area a = {first_pixel(fmin(v[0].x, fmin(v[1].x, v[2].x))),
			 first_pixel(fmin(v[0].y, fmin(v[1].y, v[2].y))),
			 first_pixel(fmax(v[0].x, fmax(v[1].x, v[2].x))),
			 first_pixel(fmax(v[0].y, fmax(v[1].y, v[2].y)))};
	a.x0 = BW_MAX(a.x0, d->scissor.x0);
	a.y0 = BW_MAX(a.y0, d->scissor.y0);
	a.x1 = BW_MIN(a.x1, d->scissor.x1);
	a.y1 = BW_MIN(a.y1, d->scissor.y1);
	struct bw_draw_pixel pixels[BW_DRAW_LANES];
	unsigned n = 0;
	uint64_t covered = 0;
	make_planes(d);
	*out_row = UINT32_MAX;
	for (int32_t y = BW_MAX(a.y0 & ~1, (int32_t)row); y < a.y1; y += 2) {
		if (d->executed > TURN_INSTRUCTIONS) {
			*out_row = (uint32_t)y;
			break;
		}
		for (int32_t x = a.x0 & ~1; x < a.x1; x += 2) {
			for (int k = 0; k < 4; k++, n++) {
				int32_t px = x + k % 2, py = y + k / 2;
				if (px >= a.x0 && px < a.x1 && py >= a.y0 && py < a.y1)
					covered |= 1ull << n;
				pixels[n] = (struct bw_draw_pixel){(uint32_t)px, (uint32_t)py,
								   v[0].layer, 0};
				if (d->targets.depth.used)
					pixels[n].z = (float)weigh(d, px + 0.5, py + 0.5).z;
			}
			if (n < d->ps.lanes)
				continue;
			if (!run_wave(d, pixels, n, covered))
				return d->u->why;
			n = 0;
			covered = 0;
		}
	}
	return run_wave(d, pixels, n, covered) ? NULL : d->u->why;
}

static bool anything_to_draw(const struct draw *d)
{
	bool any = d->targets.depth.used || d->targets.stencil.used;
	for (unsigned i = 0; i < BW_DRAW_COLORS; i++)
		any |= d->targets.color[i].used;
	return any;
}

const char *bw_draw_rects(struct bw_queue *q, uint32_t n_vertices, uint32_t n_instances,
			  bool *out_again)
{
	struct draw d = {
		.q = q, .dev = q->dev, .vmid = bw_cp_vmid(q), .u = bw_cp_draw_unit(q->dev)};
	if (CTX_FIELD(&d, VGT_PRIMITIVE_TYPE, PRIM_TYPE) != PRIM_RECTLIST)
		return "the virtual GPU computes, it does not draw";
	if (!d.u)
		return "out of memory";
	const char *why = read_state(&d);
	if (why || !anything_to_draw(&d))
		return why;
	bw_exec_flush_code(d.u->exec);
	while (q->draw.instance < n_instances && n_vertices >= 3) {
		uint32_t row;
		if (!run_vertices(&d, q->draw.vertex, q->draw.instance))
			return d.u->why;
		d.executed += d.u->w.n_executed + 100;
		why = fetch_vertices(&d);
		if (!why)
			why = draw_pixels(&d, q->draw.row, &row);
		if (why)
			return why;
		q->draw.row = row;
		if (row == UINT32_MAX) { /* on to the next rectangle */
			q->draw.row = 0;
			q->draw.vertex += 3;
			if (q->draw.vertex > n_vertices - 3) {
				q->draw.vertex = 0;
				q->draw.instance++;
			}
		}
		*out_again = d.executed > TURN_INSTRUCTIONS && q->draw.instance < n_instances;
		if (*out_again)
			break;
	}
	return NULL;
}

void bw_draw_clear_state(struct bw_device *dev)
{
	const uint32_t no_offset = BW_FIELD_MASK(PA_SC_WINDOW_SCISSOR_TL, WINDOW_OFFSET_DISABLE);
	const uint32_t all = BW_FIELD(PA_SC_WINDOW_SCISSOR_BR, BR_X, MAX_SIZE) |
			     BW_FIELD(PA_SC_WINDOW_SCISSOR_BR, BR_Y, MAX_SIZE);
	const struct {
		enum bw_register reg;
		uint32_t value;
	} state[] = {
		{BW_REG_PA_SC_SCREEN_SCISSOR_TL, 0},
		{BW_REG_PA_SC_SCREEN_SCISSOR_BR, all},
		{BW_REG_PA_SC_WINDOW_SCISSOR_TL, no_offset},
		{BW_REG_PA_SC_WINDOW_SCISSOR_BR, all},
		{BW_REG_PA_SC_GENERIC_SCISSOR_TL, no_offset},
		{BW_REG_PA_SC_GENERIC_SCISSOR_BR, all},
		{BW_REG_PA_SC_VPORT_SCISSOR_0_TL, no_offset},
		{BW_REG_PA_SC_VPORT_SCISSOR_0_BR, all},
		{BW_REG_PA_SC_AA_CONFIG, 0},
		{BW_REG_PA_SC_AA_MASK_X0Y0_X1Y0, 0xffffffff},
		{BW_REG_PA_SC_MODE_CNTL_1, 0},
		{BW_REG_PA_CL_VS_OUT_CNTL, 0},
		{BW_REG_CB_COLOR_CONTROL, 0},
		{BW_REG_CB_TARGET_MASK, 0xffffffff},
		{BW_REG_CB_SHADER_MASK, 0xffffffff},
		{BW_REG_DB_RENDER_CONTROL, 0},
		{BW_REG_DB_DEPTH_CONTROL, 0},
		{BW_REG_DB_Z_INFO, 0},
		{BW_REG_DB_STENCIL_INFO, 0},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(state); i++)
		bw_reg_set(dev, state[i].reg, state[i].value);
}
