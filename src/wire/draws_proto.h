/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_DRAWS_PROTO_H
#define BW_WIRE_DRAWS_PROTO_H

/* What the virtual GPU tells debuggers of draws, by ioctls on the file breakwater_draws of its
 * debugfs: which pixels and vertices the lanes of a wave are, which waves are to stop where they
 * begin, which draws there were and what they drew to, and what has become of one pixel. A GPU says
 * none of it by registers. -EINVAL: there is no such place on the GPU. */

#include <stdint.h>
#include <sys/ioctl.h>

#define BW_DRAWS_FILE "breakwater_draws"
enum { BW_DRAWS_TYPE = 'D', BW_DRAWS_LANES = 64, BW_DRAWS_TARGETS = 10, BW_DRAWS_COLORS = 8 };
enum bw_draws_stage { BW_DRAWS_VERTICES = 1, BW_DRAWS_PIXELS };

/* A lane of a vertex or pixel wave, as it was launched. */
enum bw_draws_lane_flag {
	BW_DRAWS_IS_USED = 1,	 /* it has a vertex or a pixel */
	BW_DRAWS_IS_COVERED = 2, /* pixels: else it is a helper */
	BW_DRAWS_IS_FRONT = 4,	 /* pixels */
	/* vertices: the lane has a primitive, patch or thread as well, in
	 * the program's second shader or in its only one */
	BW_DRAWS_HAS_PRIMITIVE = 8,
};
struct bw_draws_lane {
	uint32_t flags;
	int32_t x, y;	     /* pixels; vertices: x is the index, y is not used */
	uint32_t instance;   /* vertices */
	uint32_t primitive;  /* pixels: of its round; HAS_PRIMITIVE: of its draw */
	uint32_t invocation; /* HAS_PRIMITIVE: of the shader, for that primitive or group */
	uint32_t group[3];   /* HAS_PRIMITIVE: of threads */
	int32_t sample;	     /* pixels: that it is for; -1: all */
	uint32_t samples; /* pixels: covered ones, and not rejected by an early test; a bit each */
	uint32_t layer;	  /* pixels */
};
/* The wave in a slot; the caller stops it, or it may be another one by the time of the answer. */
struct bw_draws_wave {
	uint32_t se, sa, wgp, simd, wave; /* in */
	/* stage 0: no wave of a draw is there; draw: number in the list of draws */
	uint32_t stage, draw, n_lanes;
	struct bw_draws_lane lane[BW_DRAWS_LANES];
};
#define BW_DRAWS_IOCTL_WAVE _IOWR(BW_DRAWS_TYPE, 1, struct bw_draws_wave)

/* Waves that stop at their first instruction (TRAPSTS.WAVE_START), in place of those that the file
 * had named before. They are forgotten when it is closed. */
enum bw_draws_break_kind { BW_DRAWS_BREAK_PIXEL = 1, BW_DRAWS_BREAK_VERTEX, BW_DRAWS_BREAK_DRAW };
enum { BW_DRAWS_BREAKS = 32 };
struct bw_draws_break {
	uint32_t kind;
	int32_t x, y;		   /* PIXEL */
	uint32_t vertex, instance; /* VERTEX; instance UINT32_MAX: any */
	uint32_t pad;
	uint64_t packet_va; /* DRAW: its first wave of vertices stops */
};
struct bw_draws_breaks {
	uint32_t n, pad;
	struct bw_draws_break at[BW_DRAWS_BREAKS];
};
#define BW_DRAWS_IOCTL_BREAKS _IOW(BW_DRAWS_TYPE, 2, struct bw_draws_breaks)

/* A draw of the list, from 1; the oldest ones may be gone. number 0 in: the last one. */
enum bw_draws_target_kind { BW_DRAWS_COLOR = 1, BW_DRAWS_DEPTH, BW_DRAWS_STENCIL };
struct bw_draws_target {
	uint32_t kind, index;	      /* COLOR: its number in the pass */
	uint32_t words[8];	      /* as an image descriptor; without its level: */
	uint32_t level, samples_log2; /* */
	uint32_t width, height, format;
	uint8_t from[4]; /* which of RGBA each component in memory is */
};
struct bw_draws_draw {
	uint32_t number; /* in, out; 0: there is no such draw */
	uint32_t first;	 /* the oldest that is left */
	uint32_t vmid, n, n_instances, is_indexed, topology, n_targets;
	uint64_t packet_va, vertex_va, pixel_va; /* of the packet, of the shaders */
	struct bw_draws_target target[BW_DRAWS_TARGETS];
	char left_out[112]; /* why it was not drawn; "": it was */
};
#define BW_DRAWS_IOCTL_DRAW _IOWR(BW_DRAWS_TYPE, 3, struct bw_draws_draw)

/* From now on events are noted at this pixel, and those noted before are forgotten. */
struct bw_draws_pixel {
	int32_t x, y;
	uint32_t on, pad;
};
#define BW_DRAWS_IOCTL_PIXEL _IOW(BW_DRAWS_TYPE, 4, struct bw_draws_pixel)
enum bw_draws_result {
	BW_DRAWS_WRITTEN = 1,
	BW_DRAWS_SCISSORED,
	BW_DRAWS_CULLED,
	BW_DRAWS_DEPTH_FAILED,
	BW_DRAWS_STENCIL_FAILED,
	BW_DRAWS_DISCARDED, /* by the shader */
	BW_DRAWS_MASKED,    /* by the sample mask that the shader exports */
};
/* What the components of an attachment are. */
enum bw_draws_number { BW_DRAWS_FLOATS, BW_DRAWS_UINTS, BW_DRAWS_SINTS };
struct bw_draws_color {
	uint32_t index, number;	  /* of the attachment; enum bw_draws_number */
	uint32_t has_value, mask; /* the shader has exported one; components that are written */
	uint32_t value[4], before[4], after[4]; /* floats, or integers; RGBA */
};
struct bw_draws_event {
	uint32_t number; /* in, from 0 */
	uint32_t result; /* 0: there is no such event */
	uint32_t draw, primitive, sample, layer, is_front, is_early;
	uint32_t has_depth, n_colors;
	float z, depth_before; /* has_depth */
	uint32_t n_dropped;    /* events for which there was no room */
	struct bw_draws_color color[BW_DRAWS_COLORS];
};
#define BW_DRAWS_IOCTL_EVENT _IOWR(BW_DRAWS_TYPE, 5, struct bw_draws_event)

/* The inputs of a pixel: attributes as the shader's hardware interpolates them at the pixel's
 * centre (at its sample, where lanes are samples), and at the corners of its triangle. */
enum { BW_DRAWS_INPUTS = 32 };
struct bw_draws_inputs {
	uint32_t se, sa, wgp, simd, wave, lane; /* in */
	uint32_t n, flat;			/* flat: a bit for each */
	float at[BW_DRAWS_INPUTS][4];		/* flat ones: the bits of the provoking vertex */
	float corner[3][BW_DRAWS_INPUTS][4];
};
#define BW_DRAWS_IOCTL_INPUTS _IOWR(BW_DRAWS_TYPE, 6, struct bw_draws_inputs)

/* What a lane has exported so far: a vertex its position, a pixel its colours and its depth. The
 * attributes of vertices are not exports: shaders store them into the attribute ring. */
enum bw_draws_export_kind {
	BW_DRAWS_EXPORT_POSITION = 1,
	BW_DRAWS_EXPORT_COLOR,
	BW_DRAWS_EXPORT_DEPTH
};
enum { BW_DRAWS_EXPORTS = BW_DRAWS_COLORS + 1 };
struct bw_draws_export {
	uint32_t kind, index; /* COLOR: its attachment */
	uint32_t number, pad; /* enum bw_draws_number */
	uint32_t value[4];    /* XYZW, RGBA; DEPTH: the first one */
};
struct bw_draws_outputs {
	uint32_t se, sa, wgp, simd, wave, lane; /* in */
	uint32_t n, pad;
	struct bw_draws_export at[BW_DRAWS_EXPORTS];
};
#define BW_DRAWS_IOCTL_OUTPUTS _IOWR(BW_DRAWS_TYPE, 7, struct bw_draws_outputs)

#endif
