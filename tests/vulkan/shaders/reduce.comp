// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 1024 random 3 input
//! buffer 1 u32 4 zeros
//! dispatch 4 1 1
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint sums[]; };
shared uint part[256];

void main()
{
	uint l = gl_LocalInvocationIndex;
	part[l] = data[gl_GlobalInvocationID.x];
	barrier();
	for (uint step = 128; step > 0; step >>= 1) {
		if (l < step)
			part[l] += part[l + step];
		barrier();
	}
	if (l == 0)
		sums[gl_WorkGroupID.x] = part[0];
}
