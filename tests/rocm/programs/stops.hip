/* SPDX-License-Identifier: MIT */
/* Kernels that a debugger finds while they run: "two" of them at once, which end when the program says so after it has
 * interrupted itself, and one that goes "astray", to memory that is not there, or to that "before" a buffer. */
#include <csignal>
#include <cstring>
#include <utility>
#include "check.h"

static const unsigned n = 64;

__global__ void patient(unsigned *begun, volatile unsigned *go, unsigned *out, unsigned first)
{
	if (!threadIdx.x)
		atomicAdd_system(begun, 1);
	while (!*go)
		__builtin_amdgcn_s_sleep(8);
	out[threadIdx.x] = first + threadIdx.x;
}

__global__ void astray(unsigned *out)
{
	out[threadIdx.x] = 1;
	*(volatile unsigned *)0x10000000 = threadIdx.x;
	out[threadIdx.x] = 2;
}

__global__ void before(unsigned *out, size_t far_b)
{
	*(volatile unsigned *)((char *)out - far_b) = threadIdx.x;
}

/* A page before the lower of two buffers, whose memory is the lowest that HIP has given. */
static long stray_before()
{
	unsigned *low, *high;
	MUST(hipMalloc(&low, 3000000));
	MUST(hipMalloc(&high, 1000));
	if (low > high)
		std::swap(low, high);
	before<<<1, n>>>(low, 4096);
	MUST(hipDeviceSynchronize());
	return 0;
}

static long two()
{
	volatile unsigned *words;
	unsigned *out, host[2 * n];
	hipStream_t stream[2];
	MUST(hipHostMalloc((void **)&words, 2 * sizeof(*words)));
	words[0] = words[1] = 0;
	MUST(hipMalloc(&out, sizeof(host)));
	for (unsigned i = 0; i < 2; i++) {
		MUST(hipStreamCreate(&stream[i]));
		patient<<<1, n, 0, stream[i]>>>((unsigned *)words, words + 1, out + i * n, i * n);
	}
	while (words[0] < 2)
		;
	raise(SIGINT);
	words[1] = 1;
	MUST(hipDeviceSynchronize());
	MUST(hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost));
	long wrong = 0;
	for (unsigned i = 0; i < 2 * n; i++)
		wrong += host[i] != i;
	return wrong;
}

int main(int argc, char **argv)
{
	unsigned *out;
	if (argc == 2 && !strcmp(argv[1], "two"))
		return verdict("two", two());
	if (argc == 2 && !strcmp(argv[1], "before"))
		return verdict("before", stray_before());
	MUST(hipMalloc(&out, n * sizeof(*out)));
	astray<<<1, n>>>(out);
	MUST(hipDeviceSynchronize());
	return verdict("astray", 0);
}
