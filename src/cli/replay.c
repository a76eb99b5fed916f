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

static int fail(struct bw_error *err)
{
	fprintf(stderr, "breakwater: %s.\n", err->message);
	bw_error_free(err);
	return BW_EXIT_USAGE;
}

/* The value of --gpu; the others are the program's. help: it can answer without a GPU. */
static const char *gpu_of(int argc, char **argv, bool *out_help)
{
	const char *gpu = NULL;
	*out_help = false;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--gpu") && i + 1 < argc)
			gpu = argv[++i];
		else if (bw_starts_with(argv[i], "--gpu="))
			gpu = argv[i] + strlen("--gpu=");
		else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			*out_help = true;
	}
	return gpu;
}

static struct bw_error *run_on(const char *gpu, char **argv, int *out_status)
{
	char setting[] = "BREAKWATER_ATTACH=1";
	struct bw_kmd *kmd;
	pid_t pid;
	BW_TRY(bw_kmd_open(gpu, &kmd));
	bw_pass_on_begin();
	struct bw_error *err = bw_cli_spawn(kmd, argv, (struct bw_shader_wishes){0}, setting, &pid);
	if (!err) {
		bw_pass_on_to(pid);
		err = bw_pass_on_wait(pid, kmd, out_status);
	}
	bw_kmd_close(kmd);
	return err;
}

/* The words without --shader, for breakwater-replay; out: owned, its words are borrowed. */
static struct bw_error *take_shaders(int argc, char **argv, struct bw_swap_options *o, char ***out)
{
	char **words = calloc((size_t)argc + 3, sizeof(*words));
	struct bw_error *err = words ? NULL : bw_error_nomem();
	int n = 0;
	for (int i = 0; !err && i < argc; i++) {
		int used = 0;
		if (i && strncmp(argv[i], "--shader-rules", strlen("--shader-rules")) != 0)
			err = bw_swap_option_take(argv + i, o, &used);
		if (used)
			i += used - 1;
		else
			words[n++] = argv[i];
	}
	if (!err && o->save)
		err = bw_errorf(BW_E_INVALID, "--save-shaders is an option of \"breakwater exec\"");
	if (err)
		free(words);
	else
		*out = words;
	return err;
}

/* The capture among the words of breakwater-replay; "": there is none. */
static const char *capture_of(char *const *words)
{
	/* of its options with a value those that have it in the next word */
	static const char *const with_value[] = {"--gpu",     "--first",    "--last",
						 "--dump",    "--override", "--dispatches",
						 "--packets", "--loop",	    "--timeout"};
	for (size_t i = 1; words[i]; i++) {
		bool takes = false;
		for (size_t k = 0; k < BW_ARRAY_SIZE(with_value); k++)
			takes |= !strcmp(words[i], with_value[k]);
		if (takes && words[i + 1])
			i++;
		else if (words[i][0] != '-')
			return words[i];
	}
	return "";
}

static struct bw_error *replay(int argc, char **argv, int *out_status)
{
	static char shader_rules[] = "--shader-rules";
	struct bw_swap_options o = {0};
	struct bw_swaps *swaps = NULL;
	struct bw_out *out = NULL;
	_cleanup_free_ char **words = NULL;
	bool help;
	const char *gpu = gpu_of(argc, argv, &help);
	struct bw_error *err = take_shaders(argc, argv, &o, &words);
	const struct bw_swap_replay of = {err ? "" : capture_of(words), gpu};
	if (!err)
		err = bw_swaps_begin(&o, &of, &swaps);
	if (!err && swaps) {
		size_t n = 0;
		while (words[n])
			n++;
		words[n++] = shader_rules;
		words[n] = (char *)(uintptr_t)bw_swaps_folder(swaps);
	}
	if (!err)
		err = run_on(gpu, words, out_status);
	if (!err && swaps)
		err = bw_out_create(stderr, false, &out);
	if (!err && swaps)
		err = bw_swaps_report(swaps, out);
	bw_out_destroy(out);
	bw_swaps_end(swaps);
	bw_swap_options_fini(&o);
	return err;
}

int bw_main_replay(int argc, char **argv)
{
	_cleanup_free_ char *program = NULL;
	bool help;
	int status = 0;
	gpu_of(argc, argv, &help);
	struct bw_error *err = bw_kmd_find_part("breakwater-replay", &program);
	if (err)
		return fail(err);
	argv[0] = program;
	if (help || argc < 2) {
		execv(program, argv);
		return fail(bw_error_errno(errno, "cannot run %s", program));
	}
	if ((err = replay(argc, argv, &status)))
		return fail(err);
	return WIFEXITED(status) ? WEXITSTATUS(status) : BW_EXIT_SIGNAL + WTERMSIG(status);
}
