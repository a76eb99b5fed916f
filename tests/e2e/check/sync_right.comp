#version 450
// SPDX-License-Identifier: MIT
// sync_wrong.comp without the error. Then ACO has one lane add up, and leaves it alone at the barrier, since the next
// lanes that are needed are others.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer Src { uint src[]; };
layout(binding = 1) buffer Dst { uint dst[]; };
shared uint a[128];
shared uint sum;

void main()
{
	uint i = gl_LocalInvocationIndex;
	a[i] = src[i];
	barrier();
	if (a[i] < 72)
		dst[i] = a[i ^ 1];
	dst[128 + i] = a[i];
	if (i == 0)
		sum = 0;
	barrier();
	atomicAdd(sum, src[i]);
	barrier();
	if (i == 0)
		dst[255] = sum;
	barrier();
	dst[i] += sum;
}
