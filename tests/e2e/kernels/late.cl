// SPDX-License-Identifier: MIT
// Variables that get a constant late: the optimizer's locations have it earlier (see variables.cl).
#ifndef CPU
#define WORK_ITEM (int)__builtin_amdgcn_workitem_id_x()
#else
#include "variables_cpu.h"
#endif

__attribute__((noinline)) static int scale(int n, int k)
{
	return n * k + 1;
}

__attribute__((noinline)) static int one(__global volatile int *out, int n)
{
	int a = n + 3;
	out[0] = a;
	a = 77;
	out[1] = n;
	out[2] = a;
	return a;
}

__attribute__((noinline)) static int two(__global int *out, int n)
{
	int a = n;
	out[0] = scale(100, a);
	a = 77;
	out[1] = a;
	n = 5;
	return n;
}

__attribute__((noinline)) static int three(__global int *out, int lid, int n)
{
	int a = out[lid];
	if (lid > n)
		a = 5;
	else
		out[lid + 1] = a * 3;
	out[lid + 2] = a;
	a = 9;
	out[lid + 3] = a;
	return a;
}

__attribute__((noinline)) static int four(__global int *out, int lid, int n)
{
	int a = 0;
	for (int i = 0; i < n; i++)
		a += out[(lid + i) & 31];
	out[lid] = a;
	a = 12;
	out[lid + 1] = a;
	a = lid;
	out[lid + 2] = a;
	return a;
}

__attribute__((noinline)) static int five(__global volatile int *out, int lid, int n)
{
	int found;
	found = out[lid] == n;
	out[lid + 1] = lid;
	found = 0;
	out[lid] = found + scale(lid, 2);
	return found;
}

__attribute__((noinline)) static int six(__global volatile int *out, int n)
{
	int a = out[n];
	int b = out[n + 1];
	int t = a;
	a = b;
	b = t;
	out[n] = a;
	out[n + 1] = b;
	t = 3;
	out[0] = t;
	return t;
}

__attribute__((noinline)) static int seven(__global int *out, int n)
{
	const float half_of = 0.5f;
	int state = 1, sum = 0;
	for (int round = 0; round < 4; round++) {
		sum += out[round] * state;
		state = state ? 0 : 1;
		out[round] = (int)((float)sum * half_of) + n;
	}
	return sum;
}

__kernel void kern(__global int *out, __global const int *in, float k, int n)
{
	int lid = WORK_ITEM;
	__global int *mine = out + 32 * lid;
	for (int i = 0; i < 32; i++)
		mine[i] = in[i];
	int total = one(mine, n);
	total += two(mine, n);
	total += three(mine, 3, n);
	total += four(mine, 4, n);
	total += five(mine, 5, n);
	total += six(mine, n);
	total += seven(mine, n);
	mine[0] = total;
}
