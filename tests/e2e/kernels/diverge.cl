// SPDX-License-Identifier: MIT
// Lanes that go different ways: an early return, an if with its else, a loop of several lengths.
__kernel void diverge(__global volatile int *out, __global const int *in, int n)
{
	int lid = __builtin_amdgcn_workitem_id_x();
	int v = in[lid];
	if (lid >= n)
		return;
	if (v & 1) {
		out[lid] = v * 3;
		if (v > 8)
			out[lid] = v - 1;
		for (int i = 0; i < v; i++)
			out[lid] += i * v;
	} else {
		out[lid] = v * 5;
	}
	out[lid] += 7;
}
