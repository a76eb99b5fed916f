/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_BENCH_CPU_H
#define BW_TESTS_BENCH_CPU_H

/* Kernels in OpenCL C on the CPU, by way of PoCL. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu;

struct cpu_job {
	const char *kernel;
	size_t local[2], global[2];
	void *out;
	size_t out_b;
	const void *in[2];
	size_t in_b[2]; /* 0: there is none */
	bool has_value;
	uint32_t value;
	uint32_t width; /* not 0: in[0] is a picture of width x width RGBA8, to be sampled */
};

/* Compiles the source. NULL, and why as a clause, where there is no OpenCL or no CPU device.
 * threads: 0 is as many as there are cores. */
struct cpu *cpu_open(const char *source_path, unsigned threads, const char **out_why_not);
void cpu_close(struct cpu *cpu); /* accepts NULL */
const char *cpu_name(const struct cpu *cpu);

/* Seconds of one run by the clock and of all cores, without the copies to and from its buffers.
 * False: it cannot be run. */
bool cpu_run(struct cpu *cpu, const struct cpu_job *job, double *out_wall_s, double *out_cpu_s);

#endif
