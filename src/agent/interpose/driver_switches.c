/* SPDX-License-Identifier: MIT */
/* What drivers are asked for, by their own switches, before the program runs.
 *
 * The virtual GPU knows images as they are without compression. Drivers compress what is drawn to
 * (DCC, HTILE), and clear it by its metadata alone: what is then read would be wrong.
 *
 * It shows nothing itself, so an X server or a compositor on the CPU gets pictures by shared
 * memory. Vulkan's windows do that when asked. OpenGL's do where they are Vulkan's, too: Mesa takes
 * zink on RADV for a window where the server has no DRI3, if it may do without it (kopper). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = list; (at = strstr(at, word)); at += n)
		if ((at == list || at[-1] == ',') && (!at[n] || at[n] == ','))
			return true;
	return false;
}

static void add_word(const char *variable, const char *word)
{
	char list[1024];
	const char *old = getenv(variable);
	if (old && has_word(old, word))
		return;
	int n = snprintf(list, sizeof(list), "%s%s%s", old ? old : "", old && *old ? "," : "",
			 word);
	if (n > 0 && (size_t)n < sizeof(list))
		setenv(variable, list, 1);
}

static __attribute__((constructor)) void ask_drivers(void)
{
	/* of RADV; of radeonsi, which rusticl stands on; of Mesa's windows */
	static const char *const words[][2] = {
		{"RADV_DEBUG", "nodcc"},   {"RADV_DEBUG", "nohiz"},	{"AMD_DEBUG", "nodcc"},
		{"AMD_DEBUG", "nohyperz"}, {"MESA_VK_WSI_DEBUG", "sw"},
	};
	if (!bw_agent_config()->vgpu_socket)
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		add_word(words[i][0], words[i][1]);
	setenv("LIBGL_KOPPER_DRI2", "1", 0);
}
