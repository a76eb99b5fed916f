/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_DRAW_PRIV_H
#define BW_VGPU_DEVICE_DRAW_PRIV_H

/* Shared by the files that draw rectangles: draw.c walks primitives and pixels, draw_wave.c runs
 * the shaders, draw_target.c stores what they export. */

#include "vgpu/device/draw.h"
#include "image/image.h"

enum {
	BW_DRAW_LANES = 64,
	BW_DRAW_PARAMS = 32,
	BW_DRAW_COLORS = 8,
	/* targets of an export (ISA manual: EXP) */
	BW_EXP_MRT0 = 0,
	BW_EXP_MRTZ = 8,
	BW_EXP_POS0 = 12,
	BW_EXP_PRIM = 20,
	BW_EXP_N_TARGETS = 23,
};

/* The values that a wave exported to one target, by component and lane. */
struct bw_draw_export {
	uint32_t v[4][BW_DRAW_LANES];
	uint64_t lanes;
	uint8_t en;
};

/* P0, and the differences P10 and P20, of one component of an attribute. */
struct bw_draw_plane {
	float p[3];
};

struct bw_draw_shader {
	uint64_t pc;
	/* VGPRS, FLOAT_MODE, DX10_CLAMP and IEEE_MODE are at the same bits for all stages. */
	uint32_t rsrc1;
	unsigned lanes, n_user; /* SGPRs of the user */
	bool scratch, fp16_ovfl;
};

struct bw_draw_unit {
	struct bw_device *dev;
	struct bw_exec *exec;
	struct bw_tlb tlb[BW_N_VMIDS];
	struct bw_wave w;
	struct bw_workgroup wg;
	uint32_t *vgprs; /* 256 of 64 lanes */
	uint8_t *lds;
	struct bw_draw_export exports[BW_EXP_N_TARGETS];
	/* attributes of the primitive whose pixels run, by number and component */
	struct bw_draw_plane planes[BW_DRAW_PARAMS][4];
	unsigned n_planes;
	char why[200];
};

/* ---- draw_wave.c ---- */
/* A wave at its start, with EXEC; registers are zero. */
void bw_draw_wave_begin(struct bw_draw_unit *u, const struct bw_draw_shader *s, unsigned vmid,
			uint64_t exec);
static inline void bw_draw_set_vgpr(struct bw_draw_unit *u, unsigned n, unsigned lane,
				    uint32_t value)
{
	if (n < u->w.n_vgprs)
		u->w.v[n * u->w.lanes + lane] = value;
}
/* Runs the wave to its end. False: it cannot, u->why says the reason. */
bool bw_draw_wave_run(struct bw_draw_unit *u);

/* ---- draw_target.c ---- */
struct bw_draw_surface {
	bool used;
	struct bw_image im;
	unsigned level;
	uint8_t mask;	 /* components written */
	uint8_t from[4]; /* component of RGBA that each component in memory comes from */
	unsigned export_format;
};
struct bw_draw_targets {
	struct bw_draw_surface color[BW_DRAW_COLORS], depth, stencil;
	unsigned n_colors; /* the last one used, and those before */
	unsigned n_samples;
	uint32_t sample_mask;
	bool clear_depth, clear_stencil, export_depth, export_stencil;
	unsigned z_export_format;
	float depth_clear;
	uint8_t stencil_value, stencil_mask;
};
struct bw_draw_pixel {
	uint32_t x, y, layer;
	float z;
};
/* Reads the targets from the CB and DB registers. NULL, or the reason why they cannot be drawn
 * to. */
const char *bw_draw_targets_read(struct bw_device *dev, struct bw_draw_targets *out);
/* Stores what lanes exported: of all samples (-1), or of one. False: u->why. */
bool bw_draw_store(struct bw_draw_unit *u, const struct bw_draw_targets *t, uint64_t lanes,
		   const struct bw_draw_pixel *pixels, int sample);

#endif
