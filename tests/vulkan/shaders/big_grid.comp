// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 256 zeros
//! dispatch 65535 1 1
//! dispatch 3 1000 5
//! dispatch 1 1 40000
// Far more waves than the GPU holds at once; each counts itself, and where it is.
layout(local_size_x = 32) in;
layout(binding = 0) buffer Out { uint counts[]; };

void main()
{
	uvec3 g = gl_WorkGroupID;
	uint h = g.x * 0x9e3779b9u + g.y * 0x85ebca6bu + g.z * 0xc2b2ae35u + gl_LocalInvocationIndex;
	if (gl_LocalInvocationIndex < 2)
		atomicAdd(counts[h >> 24], h & 0xffff);
}
