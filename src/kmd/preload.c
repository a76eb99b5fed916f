// SPDX-License-Identifier: MIT
/* The libraries that the dynamic loader of a program is to load first. */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "kmd/kmd_priv.h"

#if defined(__SANITIZE_ADDRESS__)
#define RUNTIME "libasan.so"
#elif defined(__SANITIZE_THREAD__)
#define RUNTIME "libtsan.so"
#else
#define RUNTIME NULL
#endif

/* A sanitizer's runtime must come before the agent that is made with it. */
static int find_runtime(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	if (!RUNTIME || !slash || !bw_starts_with(slash + 1, RUNTIME))
		return 0;
	*(const char **)data = info->dlpi_name;
	return 1;
}

char *bw_kmd_preload_env(void)
{
	const char *users = getenv("LD_PRELOAD"), *runtime = NULL;
	_cleanup_free_ char *agent = NULL;
	char *text = NULL;
	_cleanup_error_ struct bw_error *err = bw_kmd_find_part("libbreakwater-agent.so", &agent);
	if (err)
		return NULL;
	dl_iterate_phdr(find_runtime, &runtime);
	bool is_there = users && strstr(users, agent); /* we run below a debugger ourselves */
	if (asprintf(&text, "LD_PRELOAD=%s%s%s%s%s", runtime && !is_there ? runtime : "",
		     runtime && !is_there ? ":" : "", is_there ? "" : agent,
		     users && *users && !is_there ? ":" : "", users ? users : "") < 0)
		return NULL;
	return text;
}
