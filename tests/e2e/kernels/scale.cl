// SPDX-License-Identifier: MIT
// A name that is an argument of the kernel, a variable of it, and a parameter of two functions.
__attribute__((noinline)) int scale(int n, int k)
{
	return n * k + 1;
}

static inline __attribute__((always_inline)) void shift(int n, int k, __global int *out)
{
	out[2] = n * k;
}

__kernel void launch(__global int *out, int n)
{
	int start = n;
	out[0] = scale(100, start);
	n = 77;
	shift(n + 1, start, out);
	out[1] = n;
}
