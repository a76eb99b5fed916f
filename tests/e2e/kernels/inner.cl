// SPDX-License-Identifier: MIT
static __attribute__((noinline)) int inner(int a)
{
	return a * 2;
}
__kernel void f(__global int *out, int n)
{
	int i = get_global_id(0);
	out[i] = inner(i + n);
	out[i] += 1;
}
