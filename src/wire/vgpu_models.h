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
#define BW_VGPU_RAVEN2 "raven2"
#define BW_VGPU_RAVEN2_GFX "gfx902"

struct bw_vgpu_model {
	const char *name, *gfx, *choice; /* choice: the word for --gpu */
};

/* The i-th; NULL after the last. */
static inline const struct bw_vgpu_model *bw_vgpu_model(size_t i)
{
	static const struct bw_vgpu_model models[] = {
		{BW_VGPU_NAVI31, BW_VGPU_NAVI31_GFX, "virtual:" BW_VGPU_NAVI31},
		{BW_VGPU_MI300X, BW_VGPU_MI300X_GFX, "virtual:" BW_VGPU_MI300X},
		{BW_VGPU_RAVEN2, BW_VGPU_RAVEN2_GFX, "virtual:" BW_VGPU_RAVEN2},
	};
	return i < sizeof(models) / sizeof(models[0]) ? &models[i] : NULL;
}

/* NULL: there is no such GPU. */
static inline const struct bw_vgpu_model *bw_vgpu_model_find(const char *name)
{
	const struct bw_vgpu_model *m;
	for (size_t i = 0; (m = bw_vgpu_model(i)); i++)
		if (!strcmp(m->name, name))
			return m;
	return NULL;
}

static inline const char *bw_vgpu_model_gfx(const char *name)
{
	const struct bw_vgpu_model *m = bw_vgpu_model_find(name);
	return m ? m->gfx : NULL;
}

/* The word for --gpu of the GPU that runs such code; NULL: no virtual GPU does. */
static inline const char *bw_vgpu_choice_of_gfx(const char *gfx)
{
	const struct bw_vgpu_model *m;
	for (size_t i = 0; (m = bw_vgpu_model(i)); i++)
		if (!strcmp(m->gfx, gfx))
			return m->choice;
	return NULL;
}

#endif
