/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_VGPU_MODELS_H
#define BW_WIRE_VGPU_MODELS_H

/* The GPUs that the virtual GPU can be, by the names of --gpu virtual:NAME, and the compiler's name
 * of each: for the virtual GPU's profiles, and for who compiles a kernel before it is started. */

#include <stddef.h>
#include <string.h>

#define BW_VGPU_NAVI31 "navi31"
#define BW_VGPU_NAVI31_GFX "gfx1100"
#define BW_VGPU_MI300X "mi300x"
#define BW_VGPU_MI300X_GFX "gfx942"

/* NULL: there is no such GPU. */
static inline const char *bw_vgpu_model_gfx(const char *name)
{
	return !strcmp(name, BW_VGPU_NAVI31)   ? BW_VGPU_NAVI31_GFX
	       : !strcmp(name, BW_VGPU_MI300X) ? BW_VGPU_MI300X_GFX
					       : NULL;
}

/* The word for --gpu that has it; NULL: no virtual GPU does. */
static inline const char *bw_vgpu_choice_of_gfx(const char *gfx)
{
	return !strcmp(gfx, BW_VGPU_NAVI31_GFX)	  ? "virtual:" BW_VGPU_NAVI31
	       : !strcmp(gfx, BW_VGPU_MI300X_GFX) ? "virtual:" BW_VGPU_MI300X
						  : NULL;
}

#endif
