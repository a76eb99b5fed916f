/* SPDX-License-Identifier: MIT */
/* A program that runs the same kernel again and again until its standard input ends: something to
 * attach to. The buffers of --print are empty before each round and must hold the same after it.
 *
 *   again OPTIONS-OF-THE-LAUNCHER KERNEL */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "launch/gpu.h"
#include "launch/options.h"

enum { PAUSE_US = 500, MOST_TOLD = 16 };

/* FNV-1a of what a round has put into the buffers. */
static uint64_t look(const struct bw_launch_gpu *g, const struct bw_launch_plan *p)
{
	uint64_t hash = 0xcbf29ce484222325;
	bw_vec_each(&p->prints, out) {
		const uint8_t *bytes = bw_launch_gpu_buffer(g, out->arg);
		for (size_t i = 0; i < p->args.data[out->arg].value.size_b; i++)
			hash = (hash ^ bytes[i]) * 0x100000001b3;
	}
	return hash;
}

/* A copy of the buffers, one behind the other; the caller frees it. */
static uint8_t *keep(const struct bw_launch_gpu *g, const struct bw_launch_plan *p)
{
	size_t size = 0;
	bw_vec_each(&p->prints, out)
		size += p->args.data[out->arg].value.size_b;
	uint8_t *copy = malloc(size ? size : 1);
	if (!copy)
		return NULL;
	size_t at = 0;
	bw_vec_each(&p->prints, out) {
		size_t n = p->args.data[out->arg].value.size_b;
		memcpy(copy + at, bw_launch_gpu_buffer(g, out->arg), n);
		at += n;
	}
	return copy;
}

/* Says which dwords of the buffers are not those of the first round. */
static void tell(const struct bw_launch_gpu *g, const struct bw_launch_plan *p,
		 const uint8_t *first)
{
	unsigned n_told = 0;
	size_t at = 0;
	bw_vec_each(&p->prints, out) {
		size_t size = p->args.data[out->arg].value.size_b;
		const uint8_t *now = bw_launch_gpu_buffer(g, out->arg);
		for (size_t i = 0; i + 4 <= size; i += 4) {
			uint32_t was, is;
			memcpy(&was, first + at + i, 4);
			memcpy(&is, now + i, 4);
			if (was != is && n_told++ < MOST_TOLD)
				printf("buffer %zu, dword %zu: 0x%" PRIx32 " for 0x%" PRIx32 "\n",
				       (size_t)(out - p->prints.data), i / 4, is, was);
		}
		at += size;
	}
	printf("%u dwords are different\n", n_told);
}

static void clear(struct bw_launch_gpu *g, const struct bw_launch_plan *p)
{
	bw_vec_each(&p->prints, out)
		memset((void *)(uintptr_t)bw_launch_gpu_buffer(g, out->arg), 0,
		       p->args.data[out->arg].value.size_b);
}

static bool input_has_ended(void)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};
	char c;
	return poll(&in, 1, 0) > 0 && read(0, &c, 1) <= 0;
}

static struct bw_error *run(struct bw_launch_gpu *g, const struct bw_launch_plan *p)
{
	uint64_t first = 0;
	_cleanup_free_ uint8_t *kept = NULL;
	unsigned rounds = 0;
	BW_TRY(bw_launch_gpu_place(g, p));
	while (!input_has_ended()) {
		clear(g, p);
		BW_TRY(bw_launch_gpu_once(g, p));
		uint64_t now = look(g, p);
		if (!rounds++) {
			first = now;
			kept = keep(g, p);
			if (!kept)
				return bw_errorf(
					BW_E_NOMEM,
					"no memory for a copy of the first round's results");
			printf("first %016" PRIx64 "\n", first);
			fflush(stdout);
		}
		if (now != first) {
			tell(g, p, kept);
			return bw_errorf(BW_E_INVALID, "round %u: %016" PRIx64, rounds, now);
		}
		usleep(PAUSE_US);
	}
	printf("rounds %u\n", rounds);
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
