#version 450
// SPDX-License-Identifier: MIT
// --check=sync: the barrier is in a condition that half of the invocations fulfil.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer Src { uint src[]; };
layout(binding = 1) buffer Dst { uint dst[]; };
shared uint a[128];

void main()
{
	uint i = gl_LocalInvocationIndex;
	a[i] = src[i];
	if (a[i] < 72) {
		barrier();
		dst[i] = a[i ^ 1];
	}
	dst[128 + i] = a[i];
}
