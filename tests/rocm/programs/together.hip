/* SPDX-License-Identifier: MIT */
/* A cooperative launch: all groups meet twice. */
#include "check.h"
#include <hip/hip_cooperative_groups.h>

__global__ void shift(int *data, int n, int by)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	data[i] = 3 * i + 1;
	grid.sync();
	int value = data[(i + by) % n];
	grid.sync();
	data[i] = value;
}

int main()
{
	int n = 1024, by = 400, *data, got[1024];
	long wrong = 0;
	MUST(hipMalloc(&data, sizeof(got)));
	void *args[] = {&data, &n, &by};
	MUST(hipLaunchCooperativeKernel((const void *)shift, dim3(n / 64), dim3(64), args, 0, 0));
	MUST(hipMemcpy(got, data, sizeof(got), hipMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		wrong += got[i] != 3 * ((i + by) % n) + 1;
	return verdict("together", wrong);
}
