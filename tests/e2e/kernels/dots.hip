// SPDX-License-Identifier: MIT
// HIP as others write it: a header of ROCm's, namespaces, templates, shared memory, lane exchange.
#include <hip/hip_runtime.h>
#include <cstdint>

namespace phys {

template <typename T> struct body {
	T x, mass;
};

template <typename T> __device__ T energy(const body<T> &b)
{
	return b.mass * b.x * b.x / T(2);
}

__global__ void dots(float *out, const body<float> *in, float factor, uint32_t n)
{
	__shared__ float tile[64];
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	tile[threadIdx.x] = energy(in[i]) * factor;
	__syncthreads();
	float mine = tile[blockDim.x - 1 - threadIdx.x];
	mine += __shfl_xor(mine, 1);
	if (i < n)
		out[i] = mine;
	atomicAdd(&out[n], 1.0f);
}

} // namespace phys

template <typename T> __global__ void scale(T *a, T by)
{
	a[threadIdx.x] *= by;
}
template __global__ void scale<float>(float *, float);
template __global__ void scale<double>(double *, double);

#ifdef BREAKWATER_DEVICE_LIBRARY
__global__ void waves(double *out, float x)
{
	out[threadIdx.x] = sinf(x) + pow(2.0, threadIdx.x) + sqrtf(x);
}
#endif
