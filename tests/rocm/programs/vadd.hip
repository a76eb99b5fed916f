/* SPDX-License-Identifier: MIT */
/* The kernel of vadd.c. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

extern "C" __global__ void vadd(const float *a, const float *b, float *c)
{
	unsigned i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
	c[i] = a[i] + b[i];
}
