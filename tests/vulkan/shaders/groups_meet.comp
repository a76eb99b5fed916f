// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 4096 random 67 input
//! buffer 1 u32 20 zeros
//! dispatch 16 1 1
// The last group to arrive adds up what all wrote: coherent memory and barriers between groups.
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) coherent buffer Out { uint arrived, total, spare[2], sums[16]; };
shared uint sum;
shared bool last;

void main()
{
	uint l = gl_LocalInvocationIndex;
	if (l == 0)
		sum = 0;
	barrier();
	atomicAdd(sum, data[gl_GlobalInvocationID.x]);
	barrier();
	if (l == 0) {
		sums[gl_WorkGroupID.x] = sum;
		memoryBarrierBuffer();
		last = atomicAdd(arrived, 1) == gl_NumWorkGroups.x - 1;
	}
	barrier();
	if (last && l == 0) {
		memoryBarrierBuffer();
		uint t = 0;
		for (uint k = 0; k < gl_NumWorkGroups.x; k++)
			t = t * 3 + sums[k];
		total = t;
	}
}
