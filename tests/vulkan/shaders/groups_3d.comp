// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 10080 zeros
//! dispatch 3 4 5
// Sizes that fill no wave: 7 x 3 x 8 invocations.
layout(local_size_x = 7, local_size_y = 3, local_size_z = 8) in;
layout(binding = 0) buffer Out { uint result[]; };
shared uint sum;

void main()
{
	uvec3 l = gl_LocalInvocationID, w = gl_WorkGroupID, g = gl_GlobalInvocationID;
	if (gl_LocalInvocationIndex == 0)
		sum = 0;
	barrier();
	atomicAdd(sum, l.x + 10 * l.y + 100 * l.z);
	barrier();
	uint at = (g.z * 12 + g.y) * 21 + g.x;
	result[at] = sum + w.x * 3 + w.y * 7 + w.z * 11 + gl_LocalInvocationIndex * 1000000;
}
