/* SPDX-License-Identifier: MIT */
/* The virtual GPU knows images as they are without compression. Drivers compress what is drawn to
 * (DCC, HTILE), and clear it by its metadata alone: what is then read would be wrong. So RADV is
 * asked for none, by its own switches, before the program runs. */
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

static __attribute__((constructor)) void ask_for_plain_images(void)
{
	static const char *const words[] = {"nodcc", "nohiz"};
	char list[1024];
	if (!bw_agent_config()->vgpu_socket)
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *old = getenv("RADV_DEBUG");
		if (old && has_word(old, words[i]))
			continue;
		int n = snprintf(list, sizeof(list), "%s%s%s", old ? old : "",
				 old && *old ? "," : "", words[i]);
		if (n > 0 && (size_t)n < sizeof(list))
			setenv("RADV_DEBUG", list, 1);
	}
}
