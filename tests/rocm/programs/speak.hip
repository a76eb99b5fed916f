/* SPDX-License-Identifier: MIT */
/* printf in a kernel: its text goes to the host by a buffer that a thread of HIP reads. It needs atomics over PCIe. */
#include "check.h"

__global__ void speak(int n)
{
	if (threadIdx.x < (unsigned)n)
		printf("lane %u of group %u\n", (unsigned)threadIdx.x, (unsigned)blockIdx.x);
}

int main()
{
	speak<<<1, 32>>>(2);
	MUST(hipGetLastError());
	MUST(hipDeviceSynchronize());
	return verdict("speak", 0);
}
