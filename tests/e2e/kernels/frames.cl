// SPDX-License-Identifier: MIT
// Calls of every kind: a chain of three, a function that calls itself, and inlined ones.
__attribute__((noinline)) static int room(int n)
{
	volatile int a[256]; // more scratch than deep() takes
	a[n & 255] = n;
	return a[n & 255];
}

__attribute__((noinline)) static int deep(int a, int n)
{
	if (n <= 0)
		return a;
	int r = deep(a + n, n - 1);
	return r * 2 + n;
}

__attribute__((noinline)) static int third(int a)
{
	return a * a + 1;
}

__attribute__((noinline)) static int second(int a, int b)
{
	int x = third(a);
	if (a & 1)
		x += third(b);
	return x - b;
}

__attribute__((noinline)) static int first(int a, int b)
{
	int y = second(a, b + 1);
	return y ^ second(b, a);
}

static inline int twice(int v)
{
	return v * 2 + 1;
}

static inline int wrapf(int v, int n)
{
	int t = twice(v);
	return t + n;
}

__kernel void frames(__global int *out, int n)
{
	int lid = __builtin_amdgcn_workitem_id_x();
	int a = deep(lid, n);
	int b = first(lid, n);
	int c = wrapf(out[lid + 32], n);
	out[lid] = a + b + room(n);
	out[lid + 32] = c + wrapf(lid, b);
}
