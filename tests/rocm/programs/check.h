/* SPDX-License-Identifier: MIT */
#pragma once
/* What the HIP programs of this folder share. Each compares what the GPU computed with the CPU. */
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>

static inline void must(hipError_t e, const char *what)
{
	if (e == hipSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, hipGetErrorString(e));
	exit(1);
}
#define MUST(call) must(call, #call)

/* Ends the program with the line that the test expects, or with how many elements are wrong. */
static inline int verdict(const char *name, long wrong)
{
	if (wrong)
		printf("%s: %ld wrong\n", name, wrong);
	else
		printf("%s: right\n", name);
	return wrong != 0;
}
