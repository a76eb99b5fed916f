// SPDX-License-Identifier: MIT
// one lock per bucket; lanes of one wave want the same lock
__global__ void bump(int *lock, int *count)
{
	int id = threadIdx.x;
	while (atomicCAS(lock, 0, 1) != 0)
		;
	count[0] += id;
	__threadfence();
	atomicExch(lock, 0);
}
