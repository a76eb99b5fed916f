#version 450
// SPDX-License-Identifier: MIT
// sync_wrong.comp without the error.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer Src { uint src[]; };
layout(binding = 1) buffer Dst { uint dst[]; };
shared uint a[128];

void main()
{
	uint i = gl_LocalInvocationIndex;
	a[i] = src[i];
	barrier();
	if (a[i] < 72)
		dst[i] = a[i ^ 1];
	dst[128 + i] = a[i];
}
