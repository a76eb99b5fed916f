/* SPDX-License-Identifier: MIT */
#include "cpu.h"

struct cpu *cpu_open(const char *source_path, unsigned threads, const char **out_why_not)
{
	*out_why_not =
		"built without OpenCL (Debian: ocl-icd-opencl-dev, and pocl-opencl-icd to run)";
	return NULL;
}

void cpu_close(struct cpu *cpu)
{
}

const char *cpu_name(const struct cpu *cpu)
{
	return "";
}

bool cpu_run(struct cpu *cpu, const struct cpu_job *job, double *out_wall_s, double *out_cpu_s)
{
	return false;
}
