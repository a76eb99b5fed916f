/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_RASTER_BLEND_H
#define BW_VGPU_DEVICE_RASTER_BLEND_H

/* What the colour and depth units compute for one sample: blending, logic operations, comparisons,
 * stencil operations. Pure. */

#include <stdbool.h>
#include <stdint.h>

struct bw_blend {
	bool enabled;
	struct {
		uint8_t src, dst, op; /* BlendOp, CombFunc of CB_BLENDn_CONTROL */
	} color, alpha;
	bool clamps; /* inputs, to low..1 */
	float low;   /* 0, or -1 for SNORM */
	float constant[4];
	bool dst_alpha_is_1;
};

/* src1 is the second colour of dual-source blending. */
void bw_blend(const struct bw_blend *b, const float src[4], const float src1[4], const float dst[4],
	      float out[4]);
/* The factors take colours of the shader's second output. */
bool bw_blend_is_dual(const struct bw_blend *b);
/* One byte of the packed colours; rop3 as in CB_COLOR_CONTROL (0xcc copies the source). */
uint8_t bw_blend_rop(uint8_t rop3, uint8_t src, uint8_t dst);

/* CompareFrag: 0 never, 1 less, 2 equal, 3 less or equal, 4 greater, 5 not equal, 6 greater or
 * equal, 7 always. */
bool bw_compare_depth(unsigned function, float value, float stored);
bool bw_compare_stencil(unsigned function, uint8_t reference, uint8_t stored);
/* StencilOp of DB_STENCIL_CONTROL. */
uint8_t bw_stencil_op(unsigned op, uint8_t stored, uint8_t test_value, uint8_t op_value);

#endif
