/* SPDX-License-Identifier: MIT */
/* Copies to the GPU and back, a kernel whose last workgroup is partial, and a copy on the GPU. */
#include "check.h"

__global__ void saxpy(float a, const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}

int main()
{
	const int n = 5000;
	static float host[n], back[n];
	float *x, *y, *copy;
	for (int i = 0; i < n; i++)
		host[i] = i;
	MUST(hipMalloc(&x, sizeof(host)));
	MUST(hipMalloc(&y, sizeof(host)));
	MUST(hipMalloc(&copy, sizeof(host)));
	MUST(hipMemcpy(x, host, sizeof(host), hipMemcpyHostToDevice));
	MUST(hipMemcpy(y, x, sizeof(host), hipMemcpyDeviceToDevice));
	saxpy<<<(n + 255) / 256, 256>>>(2, x, y, n);
	MUST(hipGetLastError());
	MUST(hipMemcpy(copy, y, sizeof(host), hipMemcpyDeviceToDevice));
	MUST(hipMemcpy(back, copy, sizeof(host), hipMemcpyDeviceToHost));
	long wrong = 0;
	for (int i = 0; i < n; i++)
		wrong += back[i] != 3.0f * i;
	return verdict("saxpy", wrong);
}
