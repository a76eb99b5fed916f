/* SPDX-License-Identifier: MIT */
#include "cli/look/gpu.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"

volatile sig_atomic_t bw_look_ended;

static void on_signal(int number)
{
	bw_look_ended = number;
}

struct bw_error *bw_look_gpu_open(struct bw_look *l, struct bw_gpu *g)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct bw_kmd *kmd;
	BW_TRY(bw_kmd_open(l->gpu, &kmd));
	if (bw_kmd_choice(kmd))
		fprintf(stderr, "breakwater: warning: %s.\n", bw_kmd_choice(kmd));
	BW_TRY(bw_gpu_take(kmd, g));
	struct sigaction end = {.sa_handler = on_signal}, old;
	for (size_t i = 0; i < BW_ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &end, NULL);
	bw_gpu_hold(g);
	return NULL;
}

bool bw_look_line(struct bw_kmd *kmd, const char *file, char *out, size_t size_b)
{
	struct bw_str text = {0};
	_cleanup_error_ struct bw_error *err = bw_kmd_text(kmd, file, &text);
	if (!err)
		snprintf(out, size_b, "%.*s", (int)strcspn(bw_str_text(&text), "\n"),
			 bw_str_text(&text));
	bw_str_free(&text);
	return !err;
}
