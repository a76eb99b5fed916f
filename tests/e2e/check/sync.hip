// SPDX-License-Identifier: MIT
// Pairs for --check=sync, as sync.cl.
#include <hip/hip_runtime.h>

// A tile whose last work-items are not loaded, and miss the barrier.
__global__ void tile_wrong(const int *in, int *out)
{
	__shared__ int tile[128];
	int i = threadIdx.x;
	if (i < 120) {
		tile[i] = in[i];
		__syncthreads();
	} else {
		tile[i] = 0;
	}
	out[i] = tile[i];
}

__global__ void tile_right(const int *in, int *out)
{
	__shared__ int tile[128];
	int i = threadIdx.x;
	tile[i] = i < 120 ? in[i] : 0;
	__syncthreads();
	out[i] = tile[127 - i];
}

// The function that waits is called by some.
__device__ __attribute__((noinline)) int waits(int *a, int i)
{
	__syncthreads();
	return a[i ^ 1];
}

__global__ void called_wrong(const int *in, int *out)
{
	__shared__ int a[128];
	int i = threadIdx.x;
	a[i] = in[i];
	int x = a[i];
	if (x % 2)
		x += waits(a, i);
	out[i] = x;
}

__global__ void called_right(const int *in, int *out)
{
	__shared__ int a[128];
	int i = threadIdx.x;
	a[i] = in[i];
	int x = waits(a, i);
	if (x % 2)
		x += a[i];
	out[i] = x;
}

// What returns early does nothing any more. At -O0 its variables lie in scratch.
__global__ void early_right(const int *in, int *out)
{
	__shared__ int a[128];
	int i = threadIdx.x, j = i * 2;
	if (j >= 150)
		return;
	a[i] = in[j];
	__syncthreads();
	out[i] = a[i / 2];
}
