/* SPDX-License-Identifier: MIT */
#ifndef BW_TARGET_STAGES_H
#define BW_TARGET_STAGES_H

/* What the waves and the shaders of a draw are for. */

#include <stdbool.h>
#include <stdint.h>

/* A draw has two stages with waves, VERTEX (all that comes before pixels) and PIXEL. The others are
 * those that its shaders are for. */
enum bw_target_stage {
	BW_STAGE_COMPUTE,
	BW_STAGE_VERTEX,
	BW_STAGE_PIXEL,
	BW_STAGE_CONTROL,    /* of tessellation */
	BW_STAGE_EVALUATION, /* the same */
	BW_STAGE_GEOMETRY,
	BW_STAGE_MESH,
	BW_STAGE_TASK, /* in dispatches of their own */
	BW_STAGES
};
/* n: vertices or indices; n_draws: the packet's, at most; UINT32_MAX: read from memory. */
struct bw_target_draw {
	uint32_t n, n_instances, n_draws;
	bool is_indexed;
};

#endif
