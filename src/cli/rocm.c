/* SPDX-License-Identifier: MIT */
#include "cli/rocm.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/subcommands.h"
#include "guest/rocm.h"

struct bw_error *bw_cli_add_rocm(struct bw_rocm_words *words, char ***program)
{
	static char run[] = BW_ROCM_RUN;
	_cleanup_free_ char *tree = NULL, *tools = NULL;
	BW_TRY(bw_rocm_find(NULL, &tree, &tools));
	if (setenv(BW_ROCM_VARIABLE, tree, 1))
		return bw_error_errno(errno, "setenv");
	bw_cli_add_to_path("rocm/" BW_ROCM_RUN, true);
	BW_TRY(bw_vec_push(words, run));
	for (char **word = *program; *word; word++)
		BW_TRY(bw_vec_push(words, *word));
	BW_TRY(bw_vec_push(words, NULL));
	*program = words->data;
	return NULL;
}
