/* SPDX-License-Identifier: MIT */
/* A program that submits as often as it is told to: each line of its standard input is a number of
 * rounds of one kernel, and is answered with how many there were in all. Round K finds K in
 * element 0 of the buffer "control". "fault", "hang" and "abort" end it that way.
 *
 *   rounds OPTIONS-OF-THE-LAUNCHER KERNEL */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "launch/gpu.h"
#include "launch/options.h"

enum { ROUND, FAULT, HANG }; /* elements of control */

static struct bw_error *find_control(const struct bw_launch_gpu *g, const struct bw_launch_plan *p,
				     volatile uint32_t **out)
{
	for (size_t i = 0; i < p->args.len; i++) {
		if (strcmp(p->args.data[i].name, "control") != 0)
			continue;
		*out = (volatile uint32_t *)(uintptr_t)bw_launch_gpu_buffer(g, i);
		return NULL;
	}
	return bw_errorf(BW_E_INVALID, "the kernel has no argument \"control\"");
}

static struct bw_error *obey(struct bw_launch_gpu *g, const struct bw_launch_plan *p,
			     volatile uint32_t *control, const char *line)
{
	uint64_t n = 1;
	if (!strcmp(line, "abort"))
		abort();
	control[FAULT] = !strcmp(line, "fault");
	control[HANG] = !strcmp(line, "hang");
	if (!control[FAULT] && !control[HANG] && !bw_parse_u64(line, &n))
		return bw_errorf(BW_E_INVALID, "\"%s\" is not a number", line);
	for (; n; n--) {
		control[ROUND]++;
		BW_TRY(bw_launch_gpu_once(g, p));
	}
	printf("%u\n", control[ROUND]);
	fflush(stdout);
	return NULL;
}

static struct bw_error *run(struct bw_launch_gpu *g, const struct bw_launch_plan *p)
{
	char line[32];
	volatile uint32_t *control = NULL;
	BW_TRY(bw_launch_gpu_place(g, p));
	BW_TRY(find_control(g, p, &control));
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		BW_TRY(obey(g, p, control, line));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct bw_launch_options o = {0};
	struct bw_launch_plan *plan = NULL;
	struct bw_launch_gpu *gpu = NULL;
	struct bw_error *err = NULL;
	const char *kernel = NULL;
	for (int i = 1; i < argc && !err;) {
		bool taken;
		err = bw_launch_options_take(&o, argc, argv, &i, &taken);
		if (!err && !taken)
			kernel = argv[i++];
	}
	if (!err)
		err = bw_launch_plan_make(&o, kernel, NULL, &plan);
	if (!err)
		err = bw_launch_gpu_open("/dev/dri/renderD128", &gpu);
	if (!err)
		err = run(gpu, plan);
	if (err)
		printf("%s\n", err->message);
	bw_launch_gpu_close(gpu);
	bw_launch_plan_free(plan);
	bw_launch_options_fini(&o);
	bool failed = err;
	bw_error_free(err);
	return failed;
}
