/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_LAYERS_H
#define BW_SESSION_LAYERS_H

/* The settings that load the agent's layers for Vulkan and OpenCL into a program, beside its
 * library (LD_PRELOAD). */

#include <stdbool.h>

#include "base/error.h"

/* What a debugger needs from the shaders of a program. */
struct bw_shader_wishes {
	bool lines; /* drivers keep the lines of shaders (--shader-lines) */
	bool notes; /* shaders record their variables and lines (-O0) */
};

/* Settings NAME=VALUE, each owned, up to the first NULL. */
enum { BW_LAYER_SETTINGS = 7 };
struct bw_error *bw_layer_settings(struct bw_shader_wishes shaders,
				   char *out[BW_LAYER_SETTINGS]) BW_MUST_CHECK;
void bw_layer_settings_fini(char *settings[BW_LAYER_SETTINGS]);

#endif
