// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 4096 zeros
//! indirect 3 2 2
//! indirect 0 5 5
//! indirect 1 1 7
//! indirect 2 3 2
//! dispatch 2 3 1
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0) buffer Out { uint n[4], cells[]; };

void main()
{
	uvec3 g = gl_GlobalInvocationID, size = gl_NumWorkGroups * gl_WorkGroupSize;
	atomicAdd(n[gl_WorkGroupID.z & 3], 1);
	uint at = (g.z * size.y + g.y) * size.x + g.x;
	atomicAdd(cells[at], at + gl_NumWorkGroups.x * 1000 + gl_NumWorkGroups.z * 100000);
}
