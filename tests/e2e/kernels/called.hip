// SPDX-License-Identifier: MIT
// LDS in a function that a kernel calls, beside a kernel with LDS of another size; and an object
// without data whose name is one of the debugger's.
struct place {};

template <int N>
__device__ __attribute__((noinline)) float around(const float *in)
{
	__shared__ float tile[N];
	tile[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	return tile[(threadIdx.x + 1) % N];
}

__global__ void turn(const float *in, float *out)
{
	place blockDim;
	(void)blockDim;
	out[threadIdx.x] = around<64>(in);
}

__global__ void last(const float *in, float *out)
{
	__shared__ float kept[2];
	if (threadIdx.x < 2)
		kept[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	out[threadIdx.x] = kept[1];
}
