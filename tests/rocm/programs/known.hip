/* SPDX-License-Identifier: MIT */
/* A kernel of two waves with known values in registers, and some lanes off: what two debuggers show of one stop.
 * The address that it prints is in registers there, too. */
#include "check.h"

__global__ void known(unsigned *out)
{
	unsigned t = threadIdx.x, product, inverse, both;
	if (t % 3 == 1) {
		asm volatile("v_mul_u32_u24 %0, 0x101, %3\n"
			     "v_not_b32 %1, %3\n"
			     "s_mov_b32 %2, 0xcafe4321"
			     : "=&{v40}"(product), "=&{v41}"(inverse), "=&{s40}"(both)
			     : "v"(t));
		asm volatile("s_nop 0" : : "{v40}"(product), "{v41}"(inverse), "{s40}"(both)); // HERE
		out[t] = product + inverse + both;
		__builtin_amdgcn_s_sleep(1);
	}
}

int main()
{
	const unsigned n = 64;
	unsigned *out, host[n];
	MUST(hipMalloc(&out, sizeof(host)));
	MUST(hipMemset(out, 0, sizeof(host)));
	printf("out is at %p\n", (void *)out);
	fflush(stdout);
	known<<<1, n>>>(out);
	MUST(hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost));
	long wrong = 0;
	for (unsigned t = 0; t < n; t++)
		wrong += host[t] != (t % 3 == 1 ? 0x101 * t + ~t + 0xcafe4321 : 0);
	return verdict("known", wrong);
}
