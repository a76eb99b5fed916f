/* SPDX-License-Identifier: MIT */
#include "session/layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kmd/kmd.h"

/* Adds a word to a list in the environment; owned. */
static char *list_setting(const char *name, const char *word)
{
	const char *old = getenv(name);
	char *out = NULL;
	if (asprintf(&out, "%s=%s%s%s", name, old ? old : "", old && *old ? ":" : "", word) < 0)
		return NULL;
	return out;
}

/* Another word of a list with commas; owned. */
static char *add_debug_word(const char *name, const char *word)
{
	const char *old = getenv(name);
	char *out = NULL;
	if (asprintf(&out, "%s=%s%s%s", name, old ? old : "", old && *old ? "," : "", word) < 0)
		return NULL;
	return out;
}

/* The settings that make the loaders of Vulkan and OpenCL use the agent as a layer as well, so that
 * pipelines, kernels, arguments, buffers and command buffers have names; those that make drivers
 * keep the lines of shaders; and those that make the agent add code that records their variables. A
 * build without an API's headers has no layer of it: Vulkan's loader is told nothing then, and
 * OpenCL's finds none in the library. */
struct bw_error *bw_layer_settings(struct bw_shader_wishes shaders, char *out[BW_LAYER_SETTINGS])
{
	char *agent = NULL, *manifest = NULL;
	size_t n = 0;
	memset(out, 0, BW_LAYER_SETTINGS * sizeof(*out));
	BW_TRY(bw_kmd_find_part("libbreakwater-agent.so", &agent));
	out[n++] = list_setting("OPENCL_LAYERS", agent);
	*strrchr(agent, '/') = '\0';
	if (asprintf(&manifest, "%s/breakwater-layer.json", agent) < 0)
		manifest = NULL;
	if (manifest && access(manifest, R_OK) == 0) {
		out[n++] = list_setting("VK_ADD_LAYER_PATH", agent);
		out[n++] = list_setting("VK_INSTANCE_LAYERS", "VK_LAYER_BREAKWATER_agent");
	}
	if (n > 1 && shaders.notes)
		out[n++] = strdup("BREAKWATER_SHADER_NOTES=1");
	if (n > 1 && shaders.lines) {
		out[n++] = strdup("BREAKWATER_SHADER_LINES=1");
		out[n++] = add_debug_word("RADV_DEBUG", "nirdebuginfo");
	}
	free(agent);
	free(manifest);
	return NULL;
}

void bw_layer_settings_fini(char *settings[BW_LAYER_SETTINGS])
{
	for (size_t i = 0; i < BW_LAYER_SETTINGS; i++)
		free(settings[i]);
}
