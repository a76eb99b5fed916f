// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 1024 range 0 1000 5
//! subgroup
//! dispatch 4 1 1
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_basic : require
// Inclusive sums of a group: scans of subgroups, then of their totals.
layout(local_size_x = 256) in;
layout(binding = 0) buffer Data { uint data[]; };
shared uint totals[64];

void main()
{
	uint i = gl_GlobalInvocationID.x;
	uint sum = subgroupInclusiveAdd(data[i]);
	if (gl_SubgroupInvocationID == gl_SubgroupSize - 1)
		totals[gl_SubgroupID] = sum;
	barrier();
	uint before = 0;
	for (uint k = 0; k < gl_SubgroupID; k++)
		before += totals[k];
	data[i] = sum + before;
}
