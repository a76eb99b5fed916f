// SPDX-License-Identifier: MIT
#version 460
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Src { int src[]; };
layout(binding = 1) buffer Dst { int dst[]; };
shared int t[64];

void main()
{
	uint l = gl_LocalInvocationIndex, i = gl_GlobalInvocationID.x;
	int a[64];
	for (int k = 0; k < src[64]; k++)
		a[src[k]] = k;
	if (l < 64)
		t[l] = src[i];
	barrier();
	if (t[63 - l] > 9)
		dst[i] = 1;
	dst[i + 128] = a[src[l] & 63];
}
