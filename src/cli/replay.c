/* SPDX-License-Identifier: MIT */
/* breakwater replay: starts breakwater-replay on the GPU chosen, and makes it the program of a
 * session for `breakwater run FILE.bwc`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "capture/reader.h"
#include "cli/cli.h"
#include "cli/pass_on.h"
#include "cli/subcommands.h"
#include "compile/compile.h"
#include "inject/swap.h"
#include "launch/options.h"
#include "replay/options.h"
#include "session/prepare.h"

static int fail(struct bw_error *err)
{
	fprintf(stderr, "breakwater: %s.\n", err->message);
	bw_error_free(err);
	return BW_EXIT_USAGE;
}

static struct bw_error *run_on(const char *gpu, char **argv, int *out_status)
{
	struct bw_kmd *kmd;
	pid_t pid;
	BW_TRY(bw_kmd_open(gpu, &kmd));
	bw_pass_on_begin();
	struct bw_error *err = bw_cli_spawn(kmd, argv, (struct bw_shader_wishes){0}, true, &pid);
	if (!err) {
		bw_pass_on_to(pid);
		err = bw_pass_on_wait(pid, kmd, out_status);
	}
	bw_kmd_close(kmd);
	return err;
}

static struct bw_error *replay(const struct bw_replay_words *w, int argc, char **argv,
			       int *out_status)
{
	static char shader_rules[] = "--shader-rules";
	struct bw_swap_options o = {0};
	struct bw_swaps *swaps = NULL;
	struct bw_folder folder = BW_FOLDER_INIT;
	struct bw_out *out = NULL;
	_cleanup_free_ char **words = calloc((size_t)argc + 3, sizeof(*words));
	const char *gpu = bw_capture_gpu(w->file, w->gpu);
	const struct bw_swap_replay of = {w->file, gpu};
	struct bw_error *err = words ? NULL : bw_error_nomem();
	for (size_t i = 0; !err && i < w->shaders.len; i++)
		err = bw_vec_push(&o.words, w->shaders.data[i]);
	if (!err)
		err = bw_swaps_begin(&o, &of, &folder, &swaps);
	if (!err && swaps) {
		words[1] = shader_rules;
		words[2] = folder.path;
	}
	if (!err) {
		words[0] = argv[0];
		memcpy(words + (swaps ? 3 : 1), argv + 1, (size_t)(argc - 1) * sizeof(*words));
		err = run_on(gpu, words, out_status);
	}
	if (!err && swaps)
		err = bw_out_create(stderr, false, &out);
	if (!err && swaps)
		err = bw_swaps_report(swaps, out);
	bw_out_destroy(out);
	bw_swaps_end(swaps);
	bw_folder_remove(&folder);
	bw_swap_options_fini(&o);
	return err;
}

int bw_main_replay(int argc, char **argv)
{
	_cleanup_free_ char *program = NULL;
	struct bw_replay_words w;
	int status = 0;
	struct bw_error *err = bw_replay_words_parse(argc, argv, &w);
	if (!err && w.help)
		bw_command_line_print_help(&bw_line_replay);
	else if (!err && !(err = bw_kmd_find_part("breakwater-replay", &program))) {
		argv[0] = program;
		err = replay(&w, argc, argv, &status);
	}
	bw_replay_words_fini(&w);
	if (err)
		return fail(err);
	return WIFEXITED(status) ? WEXITSTATUS(status) : BW_EXIT_SIGNAL + WTERMSIG(status);
}
