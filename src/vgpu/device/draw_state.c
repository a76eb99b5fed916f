/* SPDX-License-Identifier: MIT */
/* A draw's registers, all but those of its targets, in the form that the stages use. Field
 * positions: gc_11_0_0_sh_mask.h. All registers are a program's, and may have any value. */
#include <stdlib.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/util.h"
#include "base/words.h"
#include "vgpu/device/draw_priv.h"

#define SH(q, name) (*bw_queue_sh(q, BW_REG_SPI_SHADER_##name))
#define SH_FIELD(q, name, field) BW_FIELD_GET(SPI_SHADER_##name, field, SH(q, name))
#define CTX(q, name) bw_reg_get((q)->dev, BW_REG_##name)
#define CTX_FIELD(q, name, field) BW_FIELD_GET(name, field, CTX(q, name))

enum { USE_DEFAULT = 0x20 }; /* in SPI_PS_INPUT_CNTL_n.OFFSET: DEFAULT_VAL, not an attribute */
enum { ATTRIBUTE_RING_UNIT_B = 64 << 10, SCRATCH_UNIT_B = 256 };
enum { OUT_POINTS, OUT_LINES, OUT_TRIANGLES, OUT_RECTS }; /* VGT_GS_OUT_PRIM_TYPE */
enum { POS_AT_SAMPLE = 2 };				  /* SPI_BARYC_CNTL.POS_FLOAT_LOCATION */
enum { VRS_PASSTHROUGH, VRS_OVERRIDE };
enum { LAUNCH_MESH = 2 };	    /* VGT_SHADER_STAGES_EN.GS_FAST_LAUNCH */
enum { MESH_RING_UNITS = 1 << 15 }; /* a wave has so many bits for where its attributes begin */

/* ---- shaders ---- */

/* The three registers of a stage, which has no other names for their fields than its own, as those
 * of compute: the stages of the waves' launch know no others. */
#define RSRC1(q, stage)                                                                            \
	(BW_FIELD(COMPUTE_PGM_RSRC1, VGPRS, SH_FIELD(q, PGM_RSRC1_##stage, VGPRS)) |               \
	 BW_FIELD(COMPUTE_PGM_RSRC1, FLOAT_MODE, SH_FIELD(q, PGM_RSRC1_##stage, FLOAT_MODE)) |     \
	 BW_FIELD(COMPUTE_PGM_RSRC1, DX10_CLAMP, SH_FIELD(q, PGM_RSRC1_##stage, DX10_CLAMP)) |     \
	 BW_FIELD(COMPUTE_PGM_RSRC1, IEEE_MODE, SH_FIELD(q, PGM_RSRC1_##stage, IEEE_MODE)) |       \
	 BW_FIELD(COMPUTE_PGM_RSRC1, FP16_OVFL, SH_FIELD(q, PGM_RSRC1_##stage, FP16_OVFL)))
#define RSRC2(q, stage)                                                                            \
	(BW_FIELD(COMPUTE_PGM_RSRC2, SCRATCH_EN, SH_FIELD(q, PGM_RSRC2_##stage, SCRATCH_EN)) |     \
	 BW_FIELD(COMPUTE_PGM_RSRC2, TRAP_PRESENT, SH_FIELD(q, PGM_RSRC2_##stage, TRAP_PRESENT)) | \
	 BW_FIELD(COMPUTE_PGM_RSRC2, EXCP_EN, SH_FIELD(q, PGM_RSRC2_##stage, EXCP_EN)) |           \
	 BW_FIELD(COMPUTE_PGM_RSRC2, EXCP_EN_MSB,                                                  \
		  SH_FIELD(q, PGM_RSRC2_##stage, EXCP_EN) >>                                       \
			  BW_FIELD_WIDTH(COMPUTE_PGM_RSRC2, EXCP_EN)))
#define RSRC3(q, stage)                                                                            \
	(BW_FIELD(COMPUTE_PGM_RSRC3, TRAP_ON_START,                                                \
		  SH_FIELD(q, PGM_RSRC4_##stage, TRAP_ON_START)) |                                 \
	 BW_FIELD(COMPUTE_PGM_RSRC3, TRAP_ON_END, SH_FIELD(q, PGM_RSRC4_##stage, TRAP_ON_END)))
#define N_USER(q, stage)                                                                           \
	(SH_FIELD(q, PGM_RSRC2_##stage, USER_SGPR) |                                               \
	 SH_FIELD(q, PGM_RSRC2_##stage, USER_SGPR_MSB)                                             \
		 << BW_FIELD_WIDTH(SPI_SHADER_PGM_RSRC2_##stage, USER_SGPR))

static void read_user(struct bw_queue *q, enum bw_register first, struct bw_draw_shader *s)
{
	s->n_user = BW_MIN(s->n_user, (unsigned)BW_ARRAY_SIZE(s->user));
	for (unsigned i = 0; i < s->n_user; i++)
		s->user[i] = *bw_queue_sh(q, first + i);
}

static const char *read_shaders(struct bw_queue *q, struct bw_draw_state *s)
{
	uint32_t stages = CTX(q, VGT_SHADER_STAGES_EN);
	if (!BW_FIELD_GET(VGT_SHADER_STAGES_EN, PRIMGEN_EN, stages))
		return "it does not use a primitive shader";
	unsigned launch = BW_FIELD_GET(VGT_SHADER_STAGES_EN, GS_FAST_LAUNCH, stages);
	if (launch && launch != LAUNCH_MESH)
		return "it launches its mesh shader as gfx10.3 does, which is not done";
	s->is_mesh = launch == LAUNCH_MESH;
	s->is_ordered = BW_FIELD_GET(VGT_SHADER_STAGES_EN, NGG_WAVE_ID_EN, stages);
	s->has_gs = BW_FIELD_GET(VGT_SHADER_STAGES_EN, GS_EN, stages) && !s->is_mesh;
	s->passthrough = BW_FIELD_GET(VGT_SHADER_STAGES_EN, PRIMGEN_PASSTHRU_EN, stages);
	s->gs = (struct bw_draw_shader){
		.pc = bw_canonical(
			bw_join_256b(SH_FIELD(q, PGM_HI_ES, MEM_BASE), SH(q, PGM_LO_ES))),
		.rsrc1 = RSRC1(q, GS) |
			 BW_FIELD(COMPUTE_PGM_RSRC1, WGP_MODE, SH_FIELD(q, PGM_RSRC1_GS, WGP_MODE)),
		.rsrc2 = RSRC2(q, GS) |
			 BW_FIELD(COMPUTE_PGM_RSRC2, LDS_SIZE, SH_FIELD(q, PGM_RSRC2_GS, LDS_SIZE)),
		.rsrc3 = RSRC3(q, GS),
		.lanes = BW_FIELD_GET(VGT_SHADER_STAGES_EN, GS_W32_EN, stages) ? 32 : 64,
		.n_user = N_USER(q, GS),
	};
	s->gs_sgprs[0] = SH(q, PGM_LO_GS);
	s->gs_sgprs[1] = SH(q, PGM_HI_GS);
	s->ps = (struct bw_draw_shader){
		.pc = bw_canonical(
			bw_join_256b(SH_FIELD(q, PGM_HI_PS, MEM_BASE), SH(q, PGM_LO_PS))),
		.rsrc1 = RSRC1(q, PS),
		.rsrc2 = RSRC2(q, PS),
		.rsrc3 = RSRC3(q, PS),
		.lanes = CTX_FIELD(q, SPI_PS_IN_CONTROL, PS_W32_EN) ? 32 : 64,
		.n_user = N_USER(q, PS),
	};
	read_user(q, BW_REG_SPI_SHADER_USER_DATA_GS_0, &s->gs);
	read_user(q, BW_REG_SPI_SHADER_USER_DATA_PS_0, &s->ps);
	s->scratch_wave_b = CTX_FIELD(q, SPI_TMPRING_SIZE, WAVESIZE) * SCRATCH_UNIT_B;
	s->scratch_waves =
		BW_MIN(CTX_FIELD(q, SPI_TMPRING_SIZE, WAVES), (uint32_t)BW_MAX_SCRATCH_WAVES);
	s->scratch_base = bw_canonical(
		bw_join_256b(CTX(q, SPI_GFX_SCRATCH_BASE_HI), CTX(q, SPI_GFX_SCRATCH_BASE_LO)));
	return NULL;
}

/* ---- tessellation ---- */

static const char *read_hull(struct bw_queue *q, struct bw_draw_state *s)
{
	enum { OUTPUTS_B = 8192 * 4 }; /* with the least granularity */
	static const uint8_t levels_b[] = {8, 16, 24};
	uint32_t stages = CTX(q, VGT_SHADER_STAGES_EN), config = CTX(q, VGT_LS_HS_CONFIG);
	uint32_t mode = CTX(q, VGT_TF_PARAM);
	struct bw_draw_hull *h = &s->hull;
	h->on = BW_FIELD_GET(VGT_SHADER_STAGES_EN, HS_EN, stages);
	if (h->on != (s->topology == BW_TOPOLOGY_PATCHES))
		return "only patches are tessellated, and all of them";
	if (!h->on)
		return NULL;
	h->shader = (struct bw_draw_shader){
		.pc = bw_canonical(
			bw_join_256b(SH_FIELD(q, PGM_HI_LS, MEM_BASE), SH(q, PGM_LO_LS))),
		.rsrc1 = RSRC1(q, HS) |
			 BW_FIELD(COMPUTE_PGM_RSRC1, WGP_MODE, SH_FIELD(q, PGM_RSRC1_HS, WGP_MODE)),
		.rsrc2 = RSRC2(q, HS) |
			 BW_FIELD(COMPUTE_PGM_RSRC2, LDS_SIZE, SH_FIELD(q, PGM_RSRC2_HS, LDS_SIZE)),
		.rsrc3 = RSRC3(q, HS),
		.lanes = BW_FIELD_GET(VGT_SHADER_STAGES_EN, HS_W32_EN, stages) ? 32 : 64,
		.n_user = N_USER(q, HS),
	};
	read_user(q, BW_REG_SPI_SHADER_USER_DATA_HS_0, &h->shader);
	h->sgprs[0] = SH(q, PGM_LO_HS);
	h->sgprs[1] = SH(q, PGM_HI_HS);
	unsigned domain = BW_FIELD_GET(VGT_TF_PARAM, TYPE, mode);
	unsigned spacing = BW_FIELD_GET(VGT_TF_PARAM, PARTITIONING, mode);
	unsigned topology = BW_FIELD_GET(VGT_TF_PARAM, TOPOLOGY, mode);
	if (domain > BW_TESS_QUADS || spacing > BW_TESS_EVEN || topology > BW_TESS_CCW)
		return "its tessellation has a mode that does not exist";
	if (topology != BW_TESS_POINTS &&
	    (topology == BW_TESS_LINES) != (domain == BW_TESS_ISOLINES))
		return "its tessellation makes lines of triangles or quads, or triangles of lines";
	h->mode = (struct bw_tess_mode){domain, spacing, topology};
	h->n_in = BW_FIELD_GET(VGT_LS_HS_CONFIG, HS_NUM_INPUT_CP, config);
	h->n_out = BW_FIELD_GET(VGT_LS_HS_CONFIG, HS_NUM_OUTPUT_CP, config);
	if (!h->n_in || !h->n_out || h->n_in > BW_RASTER_CORNERS || h->n_out > BW_RASTER_CORNERS)
		return "its patches have no vertices, or more than 32";
	h->n_patches = BW_MIN(BW_MAX(BW_FIELD_GET(VGT_LS_HS_CONFIG, NUM_PATCHES, config), 1u),
			      BW_DRAW_VERTICES / BW_MAX(h->n_in, h->n_out));
	h->levels_va = bw_canonical(bw_join_256b(CTX_FIELD(q, VGT_TF_MEMORY_BASE_HI, BASE_HI),
						 CTX(q, VGT_TF_MEMORY_BASE)));
	h->levels_b = levels_b[domain];
	h->outputs_b = OUTPUTS_B >> CTX_FIELD(q, VGT_HS_OFFCHIP_PARAM, OFFCHIP_GRANULARITY);
	h->n_groups = CTX_FIELD(q, VGT_TF_RING_SIZE, SIZE) * 4 / (h->n_patches * h->levels_b);
	h->n_groups =
		BW_MIN(h->n_groups, CTX_FIELD(q, VGT_HS_OFFCHIP_PARAM, OFFCHIP_BUFFERING) + 1);
	h->n_groups = BW_MIN(h->n_groups, (unsigned)BW_DRAW_HULL_GROUPS);
	return h->n_groups ? NULL : "its ring of tessellation levels is too small";
}

/* ---- vertices ---- */

static const char *read_vertices(struct bw_queue *q, struct bw_draw_state *s)
{
	static const uint8_t index_sizes_b[] = {2, 4, 1, 1};
	uint32_t geometry = CTX(q, GE_CNTL), out = CTX(q, PA_CL_VS_OUT_CNTL);
	unsigned topology = CTX_FIELD(q, VGT_PRIMITIVE_TYPE, PRIM_TYPE);
	const char *why = bw_raster_topology_refused(topology);
	if (why)
		return why;
	s->topology = (enum bw_topology)topology;
	unsigned shape = CTX_FIELD(q, VGT_GS_OUT_PRIM_TYPE, OUTPRIM_TYPE);
	s->out_corners = shape == OUT_POINTS ? 1 : shape == OUT_LINES ? 2 : 3;
	s->drops_neighbours = !s->has_gs && topology >= BW_TOPOLOGY_LINES_ADJACENCY &&
			      topology <= BW_TOPOLOGY_STRIP_ADJACENCY;
	s->provoking_last = CTX_FIELD(q, PA_SU_SC_MODE_CNTL, PROVOKING_VTX_LAST);
	s->index_b = index_sizes_b[CTX_FIELD(q, VGT_INDEX_TYPE, INDEX_TYPE)];
	s->restarts = CTX_FIELD(q, GE_MULTI_PRIM_IB_RESET_EN, RESET_EN);
	s->restart_index = CTX(q, VGT_MULTI_PRIM_IB_RESET_INDX);
	if (!CTX_FIELD(q, GE_MULTI_PRIM_IB_RESET_EN, MATCH_ALL_BITS) && s->index_b < 4)
		s->restart_index &= (1u << 8 * s->index_b) - 1;
	s->index_offset = CTX(q, GE_INDX_OFFSET);
	unsigned vertices = BW_FIELD_GET(GE_CNTL, VERTS_PER_SUBGRP, geometry);
	unsigned primitives = BW_FIELD_GET(GE_CNTL, PRIMS_PER_SUBGRP, geometry);
	s->max_vertices =
		BW_MIN(BW_MAX(vertices, (unsigned)BW_DRAW_CORNERS), (unsigned)BW_DRAW_VERTICES - 1);
	s->max_primitives = BW_MIN(BW_MAX(primitives, 1u), (unsigned)BW_DRAW_VERTICES - 1);
	s->ring_va = (uint64_t)CTX(q, SPI_ATTRIBUTE_RING_BASE) * ATTRIBUTE_RING_UNIT_B;
	s->ring_units = (CTX_FIELD(q, SPI_ATTRIBUTE_RING_SIZE, MEM_SIZE) + 1) *
			(ATTRIBUTE_RING_UNIT_B / BW_DRAW_RING_UNIT_B);
	s->n_params = CTX_FIELD(q, SPI_VS_OUT_CONFIG, NO_PC_EXPORT)
			      ? 0
			      : CTX_FIELD(q, SPI_VS_OUT_CONFIG, VS_EXPORT_COUNT) + 1;
	s->n_params += CTX_FIELD(q, SPI_VS_OUT_CONFIG, PRIM_EXPORT_COUNT);
	/* The exports after the position are numbered without gaps. */
	int n = 1;
	s->misc = BW_FIELD_GET(PA_CL_VS_OUT_CNTL, VS_OUT_MISC_VEC_ENA, out) ? n++ : -1;
	s->distances[0] = BW_FIELD_GET(PA_CL_VS_OUT_CNTL, VS_OUT_CCDIST0_VEC_ENA, out) ? n++ : -1;
	s->distances[1] = BW_FIELD_GET(PA_CL_VS_OUT_CNTL, VS_OUT_CCDIST1_VEC_ENA, out) ? n++ : -1;
	s->has_layer =
		s->misc >= 0 && BW_FIELD_GET(PA_CL_VS_OUT_CNTL, USE_VTX_RENDER_TARGET_INDX, out);
	s->has_viewport =
		s->misc >= 0 && BW_FIELD_GET(PA_CL_VS_OUT_CNTL, USE_VTX_VIEWPORT_INDX, out);
	return NULL;
}

/* The threads that a geometry shader has for each primitive, and the room for what each emits (seen
 * in RADV's streams). A subgroup has all threads of its primitives, or those of one instance. */
static const char *read_geometry_shader(struct bw_queue *q, struct bw_draw_state *s)
{
	unsigned vertices = CTX_FIELD(q, GE_NGG_SUBGRP_CNTL, PRIM_AMP_FACTOR);
	s->gs_instances = s->gs_vertices = 1;
	s->vertex_unit = 1;
	if (!s->has_gs)
		return NULL;
	if (CTX_FIELD(q, VGT_GS_INSTANCE_CNT, ENABLE))
		s->gs_instances = BW_MAX(CTX_FIELD(q, VGT_GS_INSTANCE_CNT, CNT), 1u);
	s->vertex_unit = CTX_FIELD(q, VGT_ESGS_RING_ITEMSIZE, ITEMSIZE);
	if (!CTX_FIELD(q, VGT_GS_INSTANCE_CNT, EN_MAX_VERT_OUT_PER_GS_INSTANCE))
		s->max_primitives *= s->gs_instances;
	if (vertices > BW_DRAW_VERTICES)
		return "its geometry shader emits more than 256 vertices";
	s->gs_vertices = BW_MAX(vertices, 1u);
	s->max_primitives = BW_MIN(s->max_primitives, BW_DRAW_VERTICES / s->gs_vertices);
	s->max_primitives = BW_MIN(s->max_primitives, (unsigned)BW_DRAW_VERTICES - 1);
	return NULL;
}

static const char *read_mesh(struct bw_queue *q, struct bw_draw_state *s)
{
	if (!s->is_mesh)
		return NULL;
	if (s->hull.on)
		return "mesh shaders do not take patches";
	s->mesh_size[0] = SH_FIELD(q, GS_MESHLET_DIM, MESHLET_NUM_THREAD_X) + 1;
	s->mesh_size[1] = SH_FIELD(q, GS_MESHLET_DIM, MESHLET_NUM_THREAD_Y) + 1;
	s->mesh_size[2] = SH_FIELD(q, GS_MESHLET_DIM, MESHLET_NUM_THREAD_Z) + 1;
	s->mesh_threads = SH_FIELD(q, GS_MESHLET_DIM, MESHLET_THREADGROUP_SIZE) + 1;
	s->mesh_vertices = SH_FIELD(q, GS_MESHLET_EXP_ALLOC, MAX_EXP_VERTS);
	s->mesh_primitives = SH_FIELD(q, GS_MESHLET_EXP_ALLOC, MAX_EXP_PRIMS);
	s->ring_units = BW_MIN(s->ring_units, (uint32_t)MESH_RING_UNITS);
	if (s->mesh_vertices > BW_DRAW_VERTICES || s->mesh_primitives > BW_DRAW_VERTICES)
		return "its mesh shader makes more than 256 vertices or primitives";
	return NULL;
}

/* ---- the screen ---- */

static void narrow(struct bw_raster_area *a, const struct bw_raster_area *by)
{
	a->x0 = BW_MAX(a->x0, by->x0);
	a->y0 = BW_MAX(a->y0, by->y0);
	a->x1 = BW_MIN(a->x1, by->x1);
	a->y1 = BW_MIN(a->y1, by->y1);
}

static struct bw_raster_area scissor_of(struct bw_queue *q, enum bw_register tl,
					enum bw_register br)
{
	uint32_t first = bw_reg_get(q->dev, tl), last = bw_reg_get(q->dev, br);
	return (struct bw_raster_area){
		(int32_t)BW_FIELD_GET(PA_SC_WINDOW_SCISSOR_TL, TL_X, first),
		(int32_t)BW_FIELD_GET(PA_SC_WINDOW_SCISSOR_TL, TL_Y, first),
		(int32_t)BW_FIELD_GET(PA_SC_WINDOW_SCISSOR_BR, BR_X, last),
		(int32_t)BW_FIELD_GET(PA_SC_WINDOW_SCISSOR_BR, BR_Y, last),
	};
}

static float viewport_register(struct bw_queue *q, unsigned which, unsigned viewport)
{
	static const enum bw_register others[6] = {
		BW_REG_PA_CL_VPORT_XSCALE_1, BW_REG_PA_CL_VPORT_XOFFSET_1,
		BW_REG_PA_CL_VPORT_YSCALE_1, BW_REG_PA_CL_VPORT_YOFFSET_1,
		BW_REG_PA_CL_VPORT_ZSCALE_1, BW_REG_PA_CL_VPORT_ZOFFSET_1,
	};
	/* Six enables from VPORT_X_SCALE_ENA on, in the order of the registers. */
	uint32_t enables =
		CTX(q, PA_CL_VTE_CNTL) >> BW_FIELD_SHIFT(PA_CL_VTE_CNTL, VPORT_X_SCALE_ENA);
	if (!(enables >> which & 1))
		return which % 2 ? 0 : 1;
	return bits_f32(bw_reg_get(q->dev, viewport ? others[which] + viewport - 1
						    : BW_REG_PA_CL_VPORT_XSCALE + which));
}

static void read_viewports(struct bw_queue *q, struct bw_draw_state *s)
{
	const struct bw_raster_area common[] = {
		scissor_of(q, BW_REG_PA_SC_SCREEN_SCISSOR_TL, BW_REG_PA_SC_SCREEN_SCISSOR_BR),
		scissor_of(q, BW_REG_PA_SC_WINDOW_SCISSOR_TL, BW_REG_PA_SC_WINDOW_SCISSOR_BR),
		scissor_of(q, BW_REG_PA_SC_GENERIC_SCISSOR_TL, BW_REG_PA_SC_GENERIC_SCISSOR_BR),
	};
	for (unsigned i = 0; i < (s->has_viewport || s->is_mesh ? BW_DRAW_VIEWPORTS : 1u); i++) {
		float v[6];
		for (unsigned k = 0; k < 6; k++)
			v[k] = viewport_register(q, k, i);
		s->viewport[i] = (struct bw_raster_viewport){
			v[0],
			v[1],
			v[2],
			v[3],
			v[4],
			v[5],
			bits_f32(bw_reg_get(q->dev, BW_REG_PA_SC_VPORT_ZMIN_0 + i)),
			bits_f32(bw_reg_get(q->dev, BW_REG_PA_SC_VPORT_ZMAX_0 + i))};
		s->scissor[i] =
			(struct bw_raster_area){0, 0, BW_RASTER_MAX_SIZE, BW_RASTER_MAX_SIZE};
		for (unsigned k = 0; k < BW_ARRAY_SIZE(common); k++)
			narrow(&s->scissor[i], &common[k]);
		struct bw_raster_area own = scissor_of(q, BW_REG_PA_SC_VPORT_SCISSOR_0_TL + i,
						       BW_REG_PA_SC_VPORT_SCISSOR_0_BR + i);
		narrow(&s->scissor[i], &own);
	}
}

static void read_bias(struct bw_queue *q, struct bw_draw_state *s)
{
	uint32_t mode = CTX(q, PA_SU_SC_MODE_CNTL), format = CTX(q, PA_SU_POLY_OFFSET_DB_FMT_CNTL);
	s->bias[0].on = BW_FIELD_GET(PA_SU_SC_MODE_CNTL, POLY_OFFSET_FRONT_ENABLE, mode);
	s->bias[1].on = BW_FIELD_GET(PA_SU_SC_MODE_CNTL, POLY_OFFSET_BACK_ENABLE, mode);
	s->bias[0].scale = bits_f32(CTX(q, PA_SU_POLY_OFFSET_FRONT_SCALE));
	s->bias[0].offset = bits_f32(CTX(q, PA_SU_POLY_OFFSET_FRONT_OFFSET));
	s->bias[1].scale = bits_f32(CTX(q, PA_SU_POLY_OFFSET_BACK_SCALE));
	s->bias[1].offset = bits_f32(CTX(q, PA_SU_POLY_OFFSET_BACK_OFFSET));
	s->bias_clamp = bits_f32(CTX(q, PA_SU_POLY_OFFSET_CLAMP));
	s->bias_bits = (int8_t)BW_FIELD_GET(PA_SU_POLY_OFFSET_DB_FMT_CNTL,
					    POLY_OFFSET_NEG_NUM_DB_BITS, format);
	s->bias_is_float =
		BW_FIELD_GET(PA_SU_POLY_OFFSET_DB_FMT_CNTL, POLY_OFFSET_DB_IS_FLOAT_FMT, format);
}

static void read_points(struct bw_queue *q, struct bw_draw_state *s)
{
	/* Halves of sizes, in 1/16 pixel. */
	enum { HALF = 8 };
	uint32_t sprite = CTX(q, SPI_INTERP_CONTROL_0);
	s->point_size[0] = (float)CTX_FIELD(q, PA_SU_POINT_SIZE, WIDTH) / HALF;
	s->point_size[1] = (float)CTX_FIELD(q, PA_SU_POINT_SIZE, HEIGHT) / HALF;
	s->point_least = (float)CTX_FIELD(q, PA_SU_POINT_MINMAX, MIN_SIZE) / HALF;
	s->point_most = (float)CTX_FIELD(q, PA_SU_POINT_MINMAX, MAX_SIZE) / HALF;
	s->has_point_size = s->misc >= 0 && CTX_FIELD(q, PA_CL_VS_OUT_CNTL, USE_VTX_POINT_SIZE);
	s->sprite[0] = (uint8_t)BW_FIELD_GET(SPI_INTERP_CONTROL_0, PNT_SPRITE_OVRD_X, sprite);
	s->sprite[1] = (uint8_t)BW_FIELD_GET(SPI_INTERP_CONTROL_0, PNT_SPRITE_OVRD_Y, sprite);
	s->sprite[2] = (uint8_t)BW_FIELD_GET(SPI_INTERP_CONTROL_0, PNT_SPRITE_OVRD_Z, sprite);
	s->sprite[3] = (uint8_t)BW_FIELD_GET(SPI_INTERP_CONTROL_0, PNT_SPRITE_OVRD_W, sprite);
	s->sprite_is_up = BW_FIELD_GET(SPI_INTERP_CONTROL_0, PNT_SPRITE_TOP_1, sprite);
}

/* What triangles are drawn as, and how lines are. */
static const char *read_lines(struct bw_queue *q, struct bw_draw_state *s)
{
	enum { EIGHTHS = 8 }; /* of PA_SU_LINE_CNTL.WIDTH [I] */
	uint32_t mode = CTX(q, PA_SU_SC_MODE_CNTL);
	bool has_modes = BW_FIELD_GET(PA_SU_SC_MODE_CNTL, POLY_MODE, mode) && !s->rules.is_rect;
	bool has_lines = s->out_corners == 2;
	for (unsigned i = 0; i < 2; i++) {
		unsigned as = i ? BW_FIELD_GET(PA_SU_SC_MODE_CNTL, POLYMODE_BACK_PTYPE, mode)
				: BW_FIELD_GET(PA_SU_SC_MODE_CNTL, POLYMODE_FRONT_PTYPE, mode);
		s->polygon[i] = has_modes && as < BW_DRAW_TRIANGLES ? as : BW_DRAW_TRIANGLES;
		s->rules.is_outline |= s->polygon[i] != BW_DRAW_TRIANGLES;
		has_lines |= s->polygon[i] == BW_DRAW_LINES;
	}
	s->has_edge_flags = CTX_FIELD(q, PA_CL_NGG_CNTL, INDEX_BUF_EDGE_FLAG_ENA);
	s->line.width = (float)CTX_FIELD(q, PA_SU_LINE_CNTL, WIDTH) / EIGHTHS;
	s->line.is_rectangular = CTX_FIELD(q, PA_SC_LINE_CNTL, PERPENDICULAR_ENDCAP_ENA);
	if (has_lines && CTX_FIELD(q, PA_SC_MODE_CNTL_0, LINE_STIPPLE_ENABLE))
		return "lines are not stippled";
	if (has_lines && CTX_FIELD(q, DB_EQAA, OVERRASTERIZATION_AMOUNT))
		return "lines are not smoothed";
	return NULL;
}

static const char *read_screen(struct bw_queue *q, struct bw_draw_state *s)
{
	uint32_t mode = CTX(q, PA_SU_SC_MODE_CNTL), clip = CTX(q, PA_CL_CLIP_CNTL);
	uint32_t out = CTX(q, PA_CL_VS_OUT_CNTL);
	bool is_rect = s->topology == BW_TOPOLOGY_RECTS;
	if (CTX_FIELD(q, PA_SC_CONSERVATIVE_RASTERIZATION_CNTL, OVER_RAST_ENABLE) ||
	    CTX_FIELD(q, PA_SC_CONSERVATIVE_RASTERIZATION_CNTL, UNDER_RAST_ENABLE))
		return "conservative rasterisation is not done";
	if (CTX_FIELD(q, PA_CL_VRS_CNTL, VERTEX_RATE_COMBINER_MODE) > VRS_OVERRIDE ||
	    CTX_FIELD(q, PA_CL_VRS_CNTL, HTILE_RATE_COMBINER_MODE) != VRS_PASSTHROUGH)
		return "shading rates other than one pixel are not done";
	s->rules = (struct bw_raster_rules){
		.is_rect = is_rect,
		.z_from_minus_w = !BW_FIELD_GET(PA_CL_CLIP_CNTL, DX_CLIP_SPACE_DEF, clip),
		.clips_near = !BW_FIELD_GET(PA_CL_CLIP_CNTL, ZCLIP_NEAR_DISABLE, clip) &&
			      !BW_FIELD_GET(PA_CL_CLIP_CNTL, CLIP_DISABLE, clip) && !is_rect,
		.clips_far = !BW_FIELD_GET(PA_CL_CLIP_CNTL, ZCLIP_FAR_DISABLE, clip) &&
			     !BW_FIELD_GET(PA_CL_CLIP_CNTL, CLIP_DISABLE, clip) && !is_rect,
		.clip_mask = (uint8_t)(out >> BW_FIELD_SHIFT(PA_CL_VS_OUT_CNTL, CLIP_DIST_ENA_0)),
		.cull_mask = (uint8_t)(out >> BW_FIELD_SHIFT(PA_CL_VS_OUT_CNTL, CULL_DIST_ENA_0)),
		.front_is_clockwise = BW_FIELD_GET(PA_SU_SC_MODE_CNTL, FACE, mode),
		.culls_front = BW_FIELD_GET(PA_SU_SC_MODE_CNTL, CULL_FRONT, mode),
		.culls_back = BW_FIELD_GET(PA_SU_SC_MODE_CNTL, CULL_BACK, mode),
	};
	const char *why = read_lines(q, s);
	if (why)
		return why;
	s->kills_all = BW_FIELD_GET(PA_CL_CLIP_CNTL, DX_RASTERIZATION_KILL, clip);
	read_viewports(q, s);
	read_points(q, s);
	read_bias(q, s);
	return NULL;
}

static const char *read_samples(struct bw_queue *q, struct bw_draw_state *s)
{
	/* samples 0 to 3, and 4 to 7; of the first pixel of four, and of the others */
	static const enum bw_register places[2][4] = {
		{BW_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0, BW_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0,
		 BW_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0,
		 BW_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0},
		{BW_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_1, BW_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_1,
		 BW_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_1,
		 BW_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_1},
	};
	unsigned log2 = CTX_FIELD(q, PA_SC_AA_CONFIG, MSAA_NUM_SAMPLES);
	if (log2 > 3)
		return "it has more than 8 samples";
	s->n_samples = 1u << log2;
	s->sample_mask = CTX_FIELD(q, PA_SC_AA_MASK_X0Y0_X1Y0, AA_MASK_X0Y0);
	s->per_sample = CTX_FIELD(q, PA_SC_MODE_CNTL_1, PS_ITER_SAMPLE) && s->n_samples > 1;
	bool at_centre = !CTX_FIELD(q, PA_SC_MODE_CNTL_0, MSAA_ENABLE) || s->n_samples == 1;
	for (unsigned i = 0; i < s->n_samples && !at_centre; i++) {
		uint32_t word = bw_reg_get(q->dev, places[i / 4][0]);
		for (unsigned k = 1; k < 4; k++)
			if (bw_reg_get(q->dev, places[i / 4][k]) != word)
				return "sample locations that differ between pixels are not done";
		int place = (int)bw_words_get(&word, i % 4 * 8, 8);
		s->sample_x[i] = (int8_t)(((place & 15) ^ 8) - 8);
		s->sample_y[i] = (int8_t)(((place >> 4) ^ 8) - 8);
	}
	return NULL;
}

/* ---- inputs of the pixel shader ---- */

static const char *read_inputs(struct bw_queue *q, struct bw_draw_state *s)
{
	s->input_addr = CTX(q, SPI_PS_INPUT_ADDR) & 0xffff;
	s->input_ena = CTX(q, SPI_PS_INPUT_ENA);
	s->position_at_sample = CTX_FIELD(q, SPI_BARYC_CNTL, POS_FLOAT_LOCATION) == POS_AT_SAMPLE;
	s->n_inputs = CTX_FIELD(q, SPI_PS_IN_CONTROL, NUM_INTERP) +
		      CTX_FIELD(q, SPI_PS_IN_CONTROL, NUM_PRIM_INTERP);
	if (s->n_inputs > BW_DRAW_PARAMS)
		return "its pixel shader has more than 32 inputs";
	for (unsigned i = 0; i < s->n_inputs; i++) {
		uint32_t word = bw_reg_get(q->dev, BW_REG_SPI_PS_INPUT_CNTL_0 + i);
		struct bw_draw_input *in = &s->input[i];
		unsigned offset = BW_FIELD_GET(SPI_PS_INPUT_CNTL_0, OFFSET, word);
		in->is_sprite = s->out_corners == 1 &&
				BW_FIELD_GET(SPI_PS_INPUT_CNTL_0, PT_SPRITE_TEX, word);
		in->of_primitive = BW_FIELD_GET(SPI_PS_INPUT_CNTL_0, PRIM_ATTR, word);
		in->param = offset % USE_DEFAULT;
		in->flat = BW_FIELD_GET(SPI_PS_INPUT_CNTL_0, FLAT_SHADE, word);
		in->raw = in->flat && offset >= USE_DEFAULT;
		in->is_default = !in->flat && offset >= USE_DEFAULT;
		in->halves = BW_FIELD_GET(SPI_PS_INPUT_CNTL_0, FP16_INTERP_MODE, word);
		/* 0000, 0001, 1110, 1111 */
		unsigned value = BW_FIELD_GET(SPI_PS_INPUT_CNTL_0, DEFAULT_VAL, word);
		for (unsigned c = 0; c < 4; c++)
			in->by_default[c] = (float)(c == 3 ? value % 2 : value / 2);
		if (!in->is_default && in->param >= s->n_params)
			in->is_default = true; /* nothing is there */
	}
	return NULL;
}

const char *bw_draw_state_read(struct bw_queue *q, struct bw_draw_state *s)
{
	memset(s, 0, sizeof(*s));
	const char *why = read_shaders(q, s);
	if (!why)
		why = read_vertices(q, s);
	if (!why)
		why = read_geometry_shader(q, s);
	if (!why)
		why = read_hull(q, s);
	if (!why)
		why = read_mesh(q, s);
	if (!why)
		why = read_screen(q, s);
	if (!why)
		why = read_samples(q, s);
	return why ? why : read_inputs(q, s);
}
