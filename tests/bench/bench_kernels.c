/* SPDX-License-Identifier: MIT */

/* Whole kernels on the device, without server and driver: dispatched to all WGPs, run by as many
 * threads as asked for. The same OpenCL C (kernels/bench.cl) runs on PoCL, where there is one, on
 * as many threads: its time as a ratio, and its results, which must be ours.
 *
 *     bench_kernels CODE_OBJECT SOURCE [--threads N] [--json] [--rounds N] [--check LIST]
 *                   [KERNEL...]
 *
 * --check: with the checker, and without the comparison. */

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "cpu.h"
#include "rig.h"
#include "sym/code_object.h"
#include "vgpu/device/exec/check/bounds.h"
#include "wire/checks.h"

enum { N = 512, TABLE_DW = 4 << 20, KERNARG = 0x700000 };

/* Where buffers lie in the rig's data: three of them, and what samplers look at. */
static const uint64_t buffer_va[3] = {RIG_DATA, RIG_DATA + (16 << 20), RIG_DATA + (32 << 20)};

/* clang-format off */
static const struct kernel {
	const char *name, *what;
	uint32_t groups[2], group[2];
	size_t size_b[3]; /* of the buffers: the first one is written */
	uint32_t value;	  /* the argument behind the buffers */
	enum { NO_VALUE, VALUE, IMAGE } last;
	enum { INTS, FLOATS, HALVES } data;
} kernels[] = {
	{"alu", "ALU loop", {2048, 1}, {64, 1}, {2048 * 64 * 4}, 300, VALUE, INTS},
	{"divergent", "divergent loop (3n + 1)", {2048, 1}, {64, 1}, {2048 * 64 * 4}, 1000000, VALUE, INTS},
	{"reduce", "LDS reduction of 4 M", {4096, 1}, {256, 1}, {4096 * 4, 16 << 20}, 0, NO_VALUE, INTS},
	{"matmul", "matmul 512 x 512 f32, LDS", {N / 16, N / 16}, {16, 16}, {N * N * 4, N * N * 4, N * N * 4}, N,
	 VALUE, FLOATS},
	{"wmma", "matmul 512 x 512 f16, WMMA", {N / 16, N / 16}, {32, 1}, {N * N * 4, N * N * 2, N * N * 2}, N, VALUE,
	 HALVES},
	{"gather", "random gather, 16 MiB", {2048, 1}, {64, 1}, {2048 * 64 * 4, TABLE_DW * 4}, TABLE_DW - 1, VALUE,
	 INTS},
	{"copy", "copy of 16 MiB", {4096, 1}, {256, 1}, {16 << 20, 16 << 20}, 0, NO_VALUE, INTS},
	{"tiny", "65,536 groups of a wave", {65536, 1}, {32, 1}, {65536 * 32 * 4}, 0, NO_VALUE, INTS},
	{"sample", "linear image samples", {N / 16, N / 16}, {16, 16}, {N * N * 4, N * N * 4}, 0, IMAGE, INTS},
};
/* clang-format on */

struct options {
	unsigned threads, rounds;
	unsigned check; /* enum bw_check_what */
	bool json;
};

/* By the clock, and of all cores together: on a busy machine only the second says something. */
struct cost {
	double wall_s, cpu_s;
};

static struct cost now(void)
{
	struct timespec t;
	struct cost c;
	clock_gettime(CLOCK_MONOTONIC, &t);
	c.wall_s = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	c.cpu_s = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
	return c;
}

static struct cost since(struct cost start)
{
	struct cost c = now();
	return (struct cost){c.wall_s - start.wall_s, c.cpu_s - start.cpu_s};
}

static struct cost least(struct cost a, struct cost b)
{
	return (struct cost){BW_MIN(a.wall_s, b.wall_s), BW_MIN(a.cpu_s, b.cpu_s)};
}

/* Numbers that a sum does not lose: integers of 32 bits, small floats. */
static void fill(const struct kernel *k, void *data, size_t size_b)
{
	uint32_t state = 1;
	for (size_t i = 0; i < size_b / (k->data == HALVES ? 2 : 4); i++) {
		state = state * 1664525 + 1013904223;
		if (k->data == INTS)
			((uint32_t *)data)[i] = state >> 3;
		else if (k->data == FLOATS)
			((float *)data)[i] = (float)(state >> 24) * (1.0f / 64) - 2.0f;
		else
			/* +-0.125 to 2 */
			((uint16_t *)data)[i] = (uint16_t)(0x3000 | (state >> 16 & 0x8fff));
	}
}

/* T# and S# of the picture: RGBA8, linear in memory; linear filter, clamped. Words as
 * doc/hardware/encodings.md 6 lays them out. */
static void put_descriptors(struct rig *r)
{
	const uint32_t image[8] = {
		(uint32_t)(buffer_va[1] >> 8),
		(uint32_t)(buffer_va[1] >> 40) | 42u << 20 | (uint32_t)((N - 1) & 3) << 30,
		(N - 1) >> 2 | (uint32_t)(N - 1) << 14,
		4 | 5 << 3 | 6 << 6 | 7 << 9 | 9u << 28,
	};
	const uint32_t sampler[4] = {2 | 2 << 3 | 2 << 6, 0, 1u << 20 | 1u << 22, 0};
	memcpy(rig_ptr(r, buffer_va[2]), image, sizeof(image));
	memcpy(rig_ptr(r, buffer_va[2] + 64), sampler, sizeof(sampler));
}

/* Buffers in place, and the kernel's arguments. */
static void prepare(struct rig *r, const struct kernel *k)
{
	uint8_t *args = rig_ptr(r, RIG_CODE + KERNARG);
	size_t at = 0;
	unsigned n = k->last == IMAGE ? 1 : 3;
	for (unsigned i = 0; i < 3; i++)
		if (k->size_b[i] && i)
			fill(k, rig_ptr(r, buffer_va[i]), k->size_b[i]);
	for (unsigned i = 0; i < n; i++) {
		if (!k->size_b[i])
			continue;
		memcpy(args + at, &buffer_va[i], 8);
		at += 8;
	}
	if (k->last == VALUE)
		memcpy(args + at, &k->value, 4);
	if (k->last == IMAGE) {
		put_descriptors(r);
		memcpy(args + at, (const uint64_t[]){buffer_va[2], buffer_va[2] + 64}, 16);
	}
}

static uint64_t launch(struct rig *r, const struct kernel *k, const struct bw_kernel *code)
{
	struct bw_pm4_stream s = {0};
	uint64_t pc = (RIG_CODE + code->entry) >> 8, kernarg = RIG_CODE + KERNARG;
	uint32_t pgm[2] = {(uint32_t)pc, (uint32_t)(pc >> 32)};
	uint32_t rsrc[2] = {code->rsrc1, code->rsrc2 | (code->lds_b + 511) / 512 << 15};
	uint32_t user[2] = {(uint32_t)kernarg, (uint32_t)(kernarg >> 32)};
	const uint32_t zero[3] = {0}, threads[3] = {k->group[0], k->group[1], 1};
	const uint32_t groups[3] = {k->groups[0], k->groups[1], 1};
	bw_pm4_put_sh(&s, REG(COMPUTE_PGM_LO), pgm, 2);
	bw_pm4_put_sh(&s, REG(COMPUTE_PGM_RSRC1), rsrc, 2);
	bw_pm4_put_sh(&s, REG(COMPUTE_PGM_RSRC3), &code->rsrc3, 1);
	bw_pm4_put_sh(&s, REG(COMPUTE_NUM_THREAD_X), threads, 3);
	bw_pm4_put_sh(&s, REG(COMPUTE_USER_DATA_0), user, 2);
	bw_pm4_put_sh(&s, REG(COMPUTE_TMPRING_SIZE), zero, 1);
	bw_pm4_put_sh(&s, REG(COMPUTE_START_X), zero, 3);
	bw_pm4_put_dispatch(&s, groups,
			    BW_PM4_INIT_ENABLE | (code->wave32 ? BW_PM4_INIT_CS_W32_EN : 0));
	return rig_submit(r, 1, &s);
}

/* Most waves that were resident at a time, and the memory that the process had then. */
struct peak {
	uint64_t waves, rss_b;
};

static uint64_t rss_b(void)
{
	unsigned long pages = 0;
	_cleanup_fclose_ FILE *f = fopen("/proc/self/statm", "re");
	if (!f || fscanf(f, "%*s %lu", &pages) != 1)
		return 0;
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static struct cost run(struct rig *r, const struct kernel *k, const struct bw_kernel *code,
		       struct peak *peak)
{
	struct cost start = now();
	uint64_t fence = launch(r, k, code);
	/* rig_wait sleeps a millisecond at a time, which is much for the short ones */
	while (!rig_done(r, 1, fence)) {
		if (since(start).wall_s > 600) {
			fprintf(stderr, "bench_kernels: %s does not end\n", k->name);
			exit(1);
		}
		nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
		struct bw_device_stats stats;
		if (!peak)
			continue;
		bw_device_stats(r->dev, &stats);
		peak->waves = BW_MAX(peak->waves, stats.waves_resident);
		peak->rss_b = BW_MAX(peak->rss_b, rss_b());
	}
	return since(start);
}

/* How far the results are from the CPU's, relative to their size; integers: 1 where one differs. */
static double difference(const struct kernel *k, const void *ours, const void *theirs)
{
	double worst = 0;
	bool floats = k->data != INTS || k->last == IMAGE;
	for (size_t i = 0; i < k->size_b[0] / 4; i++) {
		if (!floats && ((const uint32_t *)ours)[i] != ((const uint32_t *)theirs)[i])
			return 1;
		double a = ((const float *)ours)[i], b = ((const float *)theirs)[i];
		if (floats && !(fabs(a - b) / (fabs(b) + 1) <= worst))
			worst = fabs(a - b) / (fabs(b) + 1);
	}
	return worst;
}

/* False: it cannot be run there. */
static bool on_cpu(struct cpu *cpu, const struct options *o, const struct kernel *k, struct rig *r,
		   struct cost *out)
{
	_cleanup_free_ void *results = malloc(k->size_b[0]);
	struct cpu_job job = {.kernel = k->name,
			      .out_b = k->size_b[0],
			      .out = results,
			      .has_value = k->last == VALUE,
			      .value = k->value,
			      .width = k->last == IMAGE ? N : 0};
	*out = (struct cost){HUGE_VAL, HUGE_VAL};
	for (unsigned i = 0; i < 2; i++) {
		job.local[i] = k->group[i];
		job.global[i] = (size_t)k->groups[i] * k->group[i];
		job.in_b[i] = k->size_b[i + 1];
		job.in[i] = rig_ptr(r, buffer_va[i + 1]);
	}
	for (unsigned i = 0; results && i < o->rounds + 1; i++) { /* the first one compiles */
		struct cost c = {.cpu_s = 0};
		if (!cpu_run(cpu, &job, &c.wall_s, &c.cpu_s))
			return false;
		if (i)
			*out = least(*out, c);
	}
	/* Sums in another order, a filter of another precision. */
	double away = difference(k, rig_ptr(r, buffer_va[0]), results);
	if (!(away <= (k->last == IMAGE ? 0.02 : 1e-4))) {
		fprintf(stderr, "bench_kernels: %s: the results are not those of the CPU (%g)\n",
			k->name, away);
		exit(1);
	}
	return results;
}

/* Each buffer as a program would have told of it; its space is what the rig has written to the page
 * table's register. */
static void declare_buffers(struct rig *r, const struct kernel *k)
{
	struct bw_check *check = bw_device_check(r->dev);
	for (unsigned i = 0; check && i < BW_ARRAY_SIZE(buffer_va); i++) {
		const struct bw_extent e = {
			.space = RIG_TABLES | 1, .va = buffer_va[i], .size_b = k->size_b[i]};
		bw_bounds_withdraw(check, e.space, e.va);
		if (e.size_b)
			bw_bounds_declare(check, &e);
	}
}

static void measure(struct rig *r, struct cpu *cpu, const struct options *o, const struct kernel *k,
		    const struct bw_code_object *co)
{
	const struct bw_kernel *code = bw_code_object_kernel(co, k->name);
	struct bw_device_stats before, after;
	struct cost best = {HUGE_VAL, HUGE_VAL}, theirs;
	uint64_t n = 0;
	if (!code || code->properties & ~0x408u) { /* the kernarg pointer and wave32 */
		fprintf(stderr, "bench_kernels: %s asks for more than its arguments\n", k->name);
		exit(1);
	}
	prepare(r, k);
	declare_buffers(r, k);
	for (unsigned i = 0; i < o->rounds; i++) {
		bw_device_stats(r->dev, &before);
		best = least(best, run(r, k, code, NULL));
		bw_device_stats(r->dev, &after);
		n = after.instructions - before.instructions;
	}
	bool compared = cpu && on_cpu(cpu, o, k, r, &theirs);
	if (o->json) {
		printf(", \"%s\": {\"what\": \"%s\", \"instructions_per_s\": %.0f, \"instructions_per_cpu_s\": %.0f, \"ms\": %.3f",
		       k->name, k->what, (double)n / best.wall_s, (double)n / best.cpu_s,
		       best.wall_s * 1e3);
		if (compared)
			printf(", \"cpu_ms\": %.3f, \"times_cpu\": %.3f", theirs.wall_s * 1e3,
			       best.cpu_s / theirs.cpu_s);
		printf("}");
	} else {
		printf("%-30s %10.1f %10.1f %10.2f", k->what, (double)n / best.wall_s * 1e-6,
		       (double)n / best.cpu_s * 1e-6, best.wall_s * 1e3);
		if (compared)
			printf("%12.2f %9.1fx\n", theirs.wall_s * 1e3, best.cpu_s / theirs.cpu_s);
		else
			printf("%12s %10s\n", "-", "-");
	}
	fflush(stdout);
}

/* The memory of a device that has as many waves as it can: 4096 are dispatched. */
static void measure_memory(struct rig *r, const struct options *o, const struct bw_code_object *co)
{
	struct kernel k = kernels[0];
	struct peak peak = {0};
	/* longer than a turn, so that they are all there before the first one ends */
	k.value = 2000;
	prepare(r, &k);
	run(r, &k, bw_code_object_kernel(co, k.name), &peak);
	if (o->json)
		printf("\"memory\": {\"waves_resident\": %llu, \"rss_bytes\": %llu}, ",
		       (unsigned long long)peak.waves, (unsigned long long)peak.rss_b);
	else
		printf("\n4096 waves dispatched: %llu resident at a time, %.1f MiB of memory with buffers of %d MiB\n",
		       (unsigned long long)peak.waves, (double)peak.rss_b / (1 << 20),
		       (int)(k.size_b[0] >> 20) + 1);
}

static bool take_checks(const char *list, unsigned *out)
{
	_cleanup_error_ struct bw_error *err = bw_checks_parse("--check", list, out);
	if (err)
		fprintf(stderr, "bench_kernels: %s\n", err->message);
	return !err;
}

static int parse(int argc, char **argv, struct options *o)
{
	static const struct option long_options[] = {{"threads", required_argument, NULL, 't'},
						     {"json", no_argument, NULL, 'j'},
						     {"rounds", required_argument, NULL, 'r'},
						     {"check", required_argument, NULL, 'c'},
						     {NULL, 0, NULL, 0}};
	*o = (struct options){.threads = 0, .rounds = 3};
	for (int c; (c = getopt_long(argc, argv, "", long_options, NULL)) != -1;) {
		if (c == 't')
			o->threads = (unsigned)atoi(optarg);
		else if (c == 'j')
			o->json = true;
		else if (c == 'r')
			o->rounds = (unsigned)BW_MAX(1, atoi(optarg));
		else if (c != 'c' || !take_checks(optarg, &o->check))
			return 2;
	}
	if (argc - optind >= 2)
		return 0;
	fprintf(stderr,
		"Usage: bench_kernels CODE_OBJECT SOURCE [--threads N] [--json] [--rounds N] [--check LIST] [KERNEL...]\n");
	return 2;
}

static bool wanted(const char *name, int argc, char **argv)
{
	for (int i = optind + 2; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc == optind + 2;
}

int main(int argc, char **argv)
{
	struct options o;
	struct bw_code_object *co = NULL;
	struct rig r;
	int status = parse(argc, argv, &o);
	if (status)
		return status;
	_cleanup_error_ struct bw_error *err = bw_code_object_load(argv[optind], &co);
	if (err) {
		fprintf(stderr, "bench_kernels: %s\n", err->message);
		return 1;
	}
	struct bw_device_options device = {.threads = o.threads, .check = o.check};
	rig_start(&r, &device);
	size_t image_b;
	const void *image = bw_code_object_image(co, &image_b);
	memcpy(rig_ptr(&r, RIG_CODE), image, BW_MIN(image_b, (size_t)KERNARG));
	const char *why_not = NULL;
	if (o.json)
		printf("{");
	if (argc == optind + 2 && !o.check)
		measure_memory(&r, &o, co);
	struct cpu *cpu = o.check ? NULL : cpu_open(argv[optind + 1], o.threads, &why_not);
	if (o.check)
		why_not = "the checker is on";
	if (o.json)
		printf("\"no_comparison\": %s%s%s", cpu ? "null" : "\"", cpu ? "" : why_not,
		       cpu ? "" : "\"");
	else
		printf("\n%-30s %10s %10s %10s %12s %10s\n%-30s %10s %10s %10s %12s %10s\n",
		       "Kernels on the device", "M wave", "the same", "virtual",
		       cpu ? cpu_name(cpu) : "CPU", "CPU time,", "", "instr./s", "a core",
		       "GPU, ms", "ms", "ratio");
	for (size_t i = 0; i < BW_ARRAY_SIZE(kernels); i++) {
		if (!wanted(kernels[i].name, argc, argv))
			continue;
		measure(&r, cpu, &o, &kernels[i], co);
	}
	if (o.json)
		printf("}\n");
	else if (!cpu)
		printf("No comparison with the CPU: %s.\n", why_not);
	cpu_close(cpu);
	rig_stop(&r);
	bw_code_object_close(co);
	return 0;
}
