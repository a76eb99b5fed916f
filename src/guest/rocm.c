/* SPDX-License-Identifier: MIT */
#include "guest/rocm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "guest/guest_priv.h"
#include "kmd/kmd.h"

/* The folder that tools/guest-parts.sh makes in the cache. */
#define ROCM_FOLDER "rocm-3"

struct bw_error *bw_rocm_find(const char *given, char **out_tree, char **out_tools)
{
	_cleanup_free_ char *cache = NULL, *tree = NULL, *real = NULL, *tools = NULL;
	BW_TRY(bw_kmd_find_part("rocm/" BW_ROCM_RUN, &tools));
	*strrchr(tools, '/') = '\0';
	BW_TRY(bw_guest_cache_find(given, &cache));
	if (asprintf(&tree, "%s/" ROCM_FOLDER, cache) < 0) {
		tree = NULL;
		return bw_error_nomem();
	}
	/* A tree that is there is complete. Its hashes are not compared at each start of a program,
	 * which would take longer than the program. */
	if (access(tree, F_OK))
		BW_TRY(bw_guest_cache_make(cache, "--rocm", "the ROCm tree"));
	BW_TRY(bw_folder_check(tree, &real));
	*out_tree = bw_take(real);
	*out_tools = bw_take(tools);
	return NULL;
}
