// SPDX-License-Identifier: MIT
// Values with many parts: what is shown of them, and writing them whole.
typedef struct { int id; float w; char c; short s[4]; } entry;
typedef struct { entry e[100]; int m[30][10]; char name[300]; } wide;
static __attribute__((noinline)) int take(wide b, int n)
{
	return b.e[3].id + b.m[2][3] + n;
}
__kernel void f(__global int *out)
{
	int i = get_local_id(0), list[4] = {1, 2, 3, 4}, other[4] = {5, 6, 7, 8}, grid[2][2] = {{1, 2}, {3, 4}};
	float4 v = (float4)(1, 2, 3, 4);
	entry one = {1, 2.5f, 'c', {1, 2, 3, 4}};
	wide b;
	for (int k = 0; k < 100; k++)
		b.e[k].id = k, b.e[k].w = k, b.e[k].c = 'a', b.e[k].s[0] = k, b.e[k].s[1] = k, b.e[k].s[2] = 1, b.e[k].s[3] = 2;
	for (int k = 0; k < 300; k++)
		b.m[k / 10][k % 10] = k, b.name[k] = 'a' + k % 26;
	out[i] = take(b, list[0] + other[0] + grid[1][1]) + v.x + one.s[0];
}
