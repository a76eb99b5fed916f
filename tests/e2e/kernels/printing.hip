// printf and assert of HIP: each thread of the first two prints, and one may fail.
#include <assert.h>
#include <hip/hip_runtime.h>

__device__ int next(int v)
{
	printf("next of %d\n", v);
	return v + 1;
}

__global__ void say(int *a)
{
	int i = threadIdx.x;
	if (i == 3)
		printf("%s: i %d half %.2f %lld%%\n", "three", i, a[i] * 0.5f, 1ll << 40);
	if (i == 5)
		a[i] = next(a[i]);
	assert(i != FAILS);
}
