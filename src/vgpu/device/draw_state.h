/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_DRAW_STATE_H
#define BW_VGPU_DEVICE_DRAW_STATE_H

/* What the registers say of a draw, in the form that the stages use: read once when it begins
 * (draw_state.c, draw_target.c), constant from then on. */

#include "image/image.h"
#include "vgpu/device/raster/assemble.h"
#include "vgpu/device/raster/blend.h"
#include "vgpu/device/raster/line.h"
#include "vgpu/device/raster/tessellate.h"

struct bw_queue;

enum {
	BW_DRAW_LANES = 64,
	BW_DRAW_QUADS = BW_DRAW_LANES / 4, /* of a wave */
	BW_DRAW_PARAMS = 32,
	BW_DRAW_COLORS = 8,
	BW_DRAW_SAMPLES = 8,
	BW_DRAW_VIEWPORTS = 16,
	BW_DRAW_CORNERS = 6,	/* of a primitive that is not a patch */
	BW_DRAW_POSITIONS = 4,	/* exports of a vertex beside its attributes */
	BW_DRAW_VERTICES = 256, /* of a subgroup, and its primitives */
	BW_DRAW_SUBGROUPS = 16, /* of a round */
	BW_DRAW_HULL_GROUPS = 16,
	/* Vertices of a round that are looked at: other queues have their turns, too. */
	BW_DRAW_BUDGET = 1 << 16,
	BW_DRAW_PIXEL_WAVES = 256,
	BW_DRAW_RING_UNIT_B = 512, /* of the attribute ring */
};

/* ---- draw_state.c ---- */
struct bw_draw_shader {
	uint64_t pc;
	uint32_t rsrc1, rsrc2, rsrc3; /* as COMPUTE_PGM_RSRC1 to 3 would say it */
	uint32_t user[32];
	unsigned n_user, lanes;
};
/* An input of the pixel shader: SPI_PS_INPUT_CNTL_n. */
struct bw_draw_input {
	uint8_t param;
	bool flat, is_default, raw; /* raw: the three vertices' values as they are */
	bool of_primitive;
	bool is_sprite; /* the place in a point, by which component: sprite[] */
	bool halves;	/* two values of 16 bits */
	float by_default[4];
};
/* Tessellation: the shader of vertices and patches, in groups of patches. Each group has a part of
 * the ring of levels, and of the ring with its outputs. */
struct bw_draw_hull {
	bool on;
	struct bw_draw_shader shader;
	uint32_t sgprs[2]; /* of the ring descriptors */
	struct bw_tess_mode mode;
	unsigned n_in, n_out; /* vertices of a patch */
	unsigned n_patches;   /* of a group */
	unsigned n_groups;    /* of a round */
	uint64_t levels_va;
	uint32_t levels_b, outputs_b; /* of a patch, and of a group */
};
/* POLYMODE_FRONT_PTYPE (soc21_enum.h) */
enum bw_draw_shape { BW_DRAW_POINTS, BW_DRAW_LINES, BW_DRAW_TRIANGLES };
struct bw_draw_state {
	struct bw_draw_shader gs, ps;
	struct bw_draw_hull hull;
	uint32_t gs_sgprs[2]; /* of the ring descriptors */
	bool passthrough;
	bool is_mesh; /* the shader makes its own vertices, in groups of threads */
	unsigned mesh_size[3], mesh_threads;	 /* of a group */
	unsigned mesh_vertices, mesh_primitives; /* that a group may export */
	bool is_ordered; /* subgroups are numbered: transform feedback (gds.h) */
	enum bw_topology topology;
	bool drops_neighbours; /* of primitives with adjacency: no geometry shader takes them */
	bool provoking_last;
	/* indices */
	unsigned index_b;
	bool restarts;
	uint32_t restart_index, index_offset;
	/* subgroups */
	unsigned max_vertices, max_primitives;
	/* geometry shader: threads of a primitive, and vertices that each may emit */
	bool has_gs;
	unsigned gs_instances, gs_vertices;
	unsigned vertex_unit; /* of the numbers of vertices that a thread gets */
	uint64_t ring_va;
	uint32_t ring_units;
	unsigned n_params; /* attributes in the ring: of a vertex, and then of a primitive */
	/* position exports */
	int misc, distances[2]; /* which export has them; -1: none */
	bool has_layer, has_viewport;
	/* screen */
	struct bw_raster_rules rules;
	struct bw_raster_viewport viewport[BW_DRAW_VIEWPORTS];
	struct bw_raster_area scissor[BW_DRAW_VIEWPORTS];
	bool kills_all;	      /* nothing is rasterised */
	unsigned out_corners; /* of a primitive that the shader exports: 1 to 3 */
	/* what triangles are drawn as: front and back faces. With an outline, rules.is_outline */
	enum bw_draw_shape polygon[2];
	bool has_edge_flags; /* in the exports of primitives; else all edges are drawn */
	struct bw_raster_line line;
	/* points */
	float point_size[2], point_least, point_most;
	bool has_point_size; /* of the vertex */
	uint8_t sprite[4];   /* for each component: 0, 1, across, down, the attribute */
	bool sprite_is_up;
	struct {
		bool on;
		float scale, offset;
	} bias[2]; /* of front and back faces */
	float bias_clamp;
	int bias_bits; /* of the depth buffer */
	bool bias_is_float;
	/* samples */
	unsigned n_samples;
	uint32_t sample_mask;
	int8_t sample_x[BW_DRAW_SAMPLES], sample_y[BW_DRAW_SAMPLES]; /* in 1/16 pixel */
	bool per_sample;
	/* pixel shader */
	uint32_t input_addr, input_ena;
	bool position_at_sample;
	unsigned n_inputs;
	struct bw_draw_input input[BW_DRAW_PARAMS];
	/* scratch */
	uint64_t scratch_base;
	uint32_t scratch_wave_b, scratch_waves;
};
/* NULL, or the reason why the draw is not supported. */
const char *bw_draw_state_read(struct bw_queue *q, struct bw_draw_state *out);

/* ---- draw_target.c ---- */
/* SPI_SHADER_EX_FORMAT (soc21_enum.h) */
enum bw_ex_format {
	BW_EX_ZERO,
	BW_EX_32_R,
	BW_EX_32_GR,
	BW_EX_32_AR,
	BW_EX_FP16_ABGR,
	BW_EX_UNORM16_ABGR,
	BW_EX_SNORM16_ABGR,
	BW_EX_UINT16_ABGR,
	BW_EX_SINT16_ABGR,
	BW_EX_32_ABGR,
};
struct bw_draw_surface {
	bool used;
	struct bw_image im;
	uint32_t words[BW_IMAGE_DESC_DW]; /* of a descriptor of it */
	unsigned level;
	uint32_t width, height, slices; /* of the level */
	/* colours */
	uint8_t from[4];    /* component of RGBA that each component in memory comes from */
	uint8_t mask;	    /* components of RGBA that are written */
	uint8_t write_mask; /* the same, of components in memory */
	bool is_rop;	    /* logic operation */
	bool overwrites;    /* nothing of what it held stays or counts */
	unsigned export;    /* the number of the shader's */
	struct bw_blend blend;
};
struct bw_draw_stencil {
	uint8_t function, reference, mask, write_mask, op_value;
	uint8_t fail, pass, depth_fail; /* operations */
};
struct bw_draw_targets {
	struct bw_draw_surface color[BW_DRAW_COLORS], depth, stencil;
	unsigned n_colors;  /* the last one used, and those before */
	unsigned n_exports; /* colours that the shader exports */
	unsigned export_format[BW_DRAW_COLORS];
	uint8_t rop3;
	bool dual_source;
	/* depth and stencil */
	bool clear_depth, clear_stencil, writes_depth, writes_stencil;
	bool export_depth, export_stencil, export_mask;
	bool is_early; /* tested before the shader, and written then */
	unsigned z_export_format, z_function;
	float depth_clear;
	uint8_t stencil_clear;
	struct bw_draw_stencil face[2]; /* front, back */
	bool counts;			/* samples that pass */
	bool has_bounds;		/* the depth in the buffer must lie between these */
	float bounds[2];
	bool alpha_to_mask;
	unsigned alpha_samples_log2;
	uint8_t alpha_offset[4]; /* of each pixel of a quad, in quarters */
};
const char *bw_draw_targets_read(struct bw_queue *q, const struct bw_draw_state *s,
				 struct bw_draw_targets *out);

#endif
