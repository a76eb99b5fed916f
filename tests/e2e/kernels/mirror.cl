// SPDX-License-Identifier: MIT
// Each group turns its sums round; the sizes that OpenCL knows are added, to see that they are right.
__kernel void mirror(__global const float *a, __global const float *b, __global float *c, uint n)
{
	__local float sums[64];
	uint i = get_global_id(0);
	sums[get_local_id(0)] = a[i] + b[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i < n)
		c[i] = sums[get_local_size(0) - 1 - get_local_id(0)] + get_global_size(0) + get_num_groups(0);
}
