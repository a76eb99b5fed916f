/* SPDX-License-Identifier: MIT */
/* An array of each lane in scratch memory, which a function writes by an index that the compiler does not know. */
#include "check.h"

__device__ __attribute__((noinline)) void sort(int *v, int n)
{
	for (int i = 1; i < n; i++)
		for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
			int t = v[j];
			v[j] = v[j - 1];
			v[j - 1] = t;
		}
}

__global__ void median(int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, v[33];
	for (int k = 0; k < 33; k++)
		v[k] = (i * 13 + k * 29) % 101;
	sort(v, 33);
	if (i < n)
		out[i] = v[16];
}

static int wanted(int i)
{
	int v[33];
	for (int k = 0; k < 33; k++)
		v[k] = (i * 13 + k * 29) % 101;
	qsort(v, 33, sizeof(int), [](const void *a, const void *b) { return *(const int *)a - *(const int *)b; });
	return v[16];
}

int main()
{
	const int n = 500;
	static int back[n];
	int *out;
	MUST(hipMalloc(&out, sizeof(back)));
	median<<<(n + 63) / 64, 64>>>(out, n);
	MUST(hipGetLastError());
	MUST(hipMemcpy(back, out, sizeof(back), hipMemcpyDeviceToHost));
	long wrong = 0;
	for (int i = 0; i < n; i++)
		wrong += back[i] != wanted(i);
	return verdict("scratch", wrong);
}
