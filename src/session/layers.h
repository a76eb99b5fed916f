/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_LAYERS_H
#define BW_SESSION_LAYERS_H

/* What of the agent is loaded into a program beside its library (LD_PRELOAD): its layers of Vulkan
 * and OpenCL. */

#include <stdbool.h>

#include "base/error.h"

/* What is to be done with the shaders of a program for a debugger. */
struct bw_shader_wishes {
	bool lines; /* drivers keep their lines (--shader-lines) */
	bool notes; /* they note their variables and lines (-O0) */
};

/* NAME=VALUE, each owned, up to the first NULL. */
enum { BW_LAYER_SETTINGS = 7 };
struct bw_error *bw_layer_settings(struct bw_shader_wishes shaders,
				   char *out[BW_LAYER_SETTINGS]) BW_MUST_CHECK;
void bw_layer_settings_fini(char *settings[BW_LAYER_SETTINGS]);

#endif
