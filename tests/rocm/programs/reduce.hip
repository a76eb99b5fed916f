/* SPDX-License-Identifier: MIT */
/* LDS, barriers, atomics, hipMemset, and two streams with an event between them. */
#include "check.h"

__global__ void reduce(const unsigned *in, unsigned *sum, int n)
{
	__shared__ unsigned part[256];
	int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x;
	part[lane] = i < n ? in[i] : 0;
	__syncthreads();
	for (int half = 128; half; half /= 2) {
		if (lane < half)
			part[lane] += part[lane + half];
		__syncthreads();
	}
	if (!lane)
		atomicAdd(sum, part[0]);
}

__global__ void fill(unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = i * 7 % 31;
}

int main()
{
	const int n = 10000;
	unsigned *data, *sum, got, want = 0;
	hipStream_t first, second;
	hipEvent_t filled;
	for (unsigned i = 0; i < n; i++)
		want += i * 7 % 31;
	MUST(hipStreamCreate(&first));
	MUST(hipStreamCreate(&second));
	MUST(hipEventCreate(&filled));
	MUST(hipMalloc(&data, n * sizeof(*data)));
	MUST(hipMalloc(&sum, sizeof(*sum)));
	MUST(hipMemset(sum, 0, sizeof(*sum)));
	MUST(hipDeviceSynchronize());
	fill<<<(n + 255) / 256, 256, 0, first>>>(data, n);
	MUST(hipEventRecord(filled, first));
	MUST(hipStreamWaitEvent(second, filled, 0));
	reduce<<<(n + 255) / 256, 256, 0, second>>>(data, sum, n);
	MUST(hipStreamSynchronize(second));
	MUST(hipMemcpy(&got, sum, sizeof(got), hipMemcpyDeviceToHost));
	return verdict("reduce", (long)got - (long)want);
}
