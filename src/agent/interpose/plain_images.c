/* SPDX-License-Identifier: MIT */
/* The virtual GPU knows images as they are without compression. Drivers compress what is drawn to
 * (DCC, HTILE), and clear it by its metadata alone: what is then read would be wrong. So drivers
 * are asked for none, by their own switches, before the program runs. */
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

static __attribute__((constructor)) void ask_for_plain_images(void)
{
	/* of RADV, and of radeonsi, which rusticl stands on */
	static const char *const words[][2] = {{"RADV_DEBUG", "nodcc"},
					       {"RADV_DEBUG", "nohiz"},
					       {"AMD_DEBUG", "nodcc"},
					       {"AMD_DEBUG", "nohyperz"}};
	if (!bw_agent_config()->vgpu_socket)
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		add_word(words[i][0], words[i][1]);
}
