/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_COUNTS_H
#define BW_VGPU_DEVICE_COUNTS_H

/* Pipeline statistics, in the order in which SAMPLE_PIPELINESTAT writes them (radv_query.c of Mesa
 * 25): eleven as before gfx11, and three of mesh and task shaders, which stay 0. */
enum bw_count {
	BW_COUNT_PS_INVOCATIONS,
	BW_COUNT_CLIP_PRIMITIVES,
	BW_COUNT_CLIP_INVOCATIONS,
	BW_COUNT_VS_INVOCATIONS,
	BW_COUNT_GS_INVOCATIONS,
	BW_COUNT_GS_PRIMITIVES,
	BW_COUNT_PRIMITIVES,
	BW_COUNT_VERTICES,
	BW_COUNT_HS_PATCHES,
	BW_COUNT_DS_INVOCATIONS,
	BW_COUNT_CS_INVOCATIONS,
	BW_N_COUNTS = 14,
};

#endif
