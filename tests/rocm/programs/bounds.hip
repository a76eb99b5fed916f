/* SPDX-License-Identifier: MIT */
/* Wrong accesses of kernels to memory of HIP, and right ones: "bounds HOW WHAT", where HOW names
 * the function that allocates, and WHAT is right, past, before or freed. */
#include "check.h"
#include <cstring>

enum { N = 101, OTHERS = 5 };

__global__ void fill(int *out, int n, int from)
{
	int i = from + (int)threadIdx.x;
	if (i < n)
		out[i] = i;
}

static int *allocate(const char *how)
{
	int *p = nullptr;
	size_t pitch;
	if (!strcmp(how, "malloc"))
		MUST(hipMalloc(&p, N * sizeof(*p)));
	else if (!strcmp(how, "managed"))
		MUST(hipMallocManaged(&p, N * sizeof(*p)));
	else if (!strcmp(how, "host"))
		MUST(hipHostMalloc(&p, N * sizeof(*p), hipHostMallocMapped));
	else if (!strcmp(how, "async"))
		MUST(hipMallocAsync(&p, N * sizeof(*p), nullptr));
	else if (!strcmp(how, "pitch"))
		MUST(hipMallocPitch((void **)&p, &pitch, 1024, 3));
	return p;
}

int main(int argc, char **argv)
{
	int *others[OTHERS];
	if (argc != 3)
		return 2;
	const char *how = argv[1], *what = argv[2];
	for (int *&p : others)
		MUST(hipMalloc(&p, N * sizeof(*p)));
	int *out = allocate(how);
	int n = !strcmp(how, "pitch") ? 3 * 1024 / 4 : N;
	for (int *&p : others)
		MUST(hipMalloc(&p, N * sizeof(*p)));
	fill<<<1, 1024>>>(out, !strcmp(what, "past") ? n + 1 : n, !strcmp(what, "before") ? -1 : 0);
	MUST(hipDeviceSynchronize());
	if (!strcmp(what, "freed")) {
		MUST(!strcmp(how, "host") ? hipHostFree(out) : hipFree(out));
		fill<<<1, 1024>>>(out, n, 0);
		MUST(hipDeviceSynchronize());
	}
	return verdict("bounds", 0);
}
