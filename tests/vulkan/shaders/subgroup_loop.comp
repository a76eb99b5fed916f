// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 256 range 0 12 51 input
//! buffer 1 u32 256 zeros
//! dispatch 2 1 1
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// Each value in turn, taken from the first lane left ("waterfall"): how many lanes have it is added up
// over the group, which is the same for subgroups of any size.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared uint count[12];

void main()
{
	uint l = gl_LocalInvocationIndex, i = gl_GlobalInvocationID.x;
	if (l < 12)
		count[l] = 0;
	barrier();
	uint x = data[i];
	for (;;) {
		uint v = subgroupBroadcastFirst(x);
		if (x == v) {
			uint n = subgroupAdd(1u);
			if (subgroupElect())
				atomicAdd(count[v], n);
			break;
		}
	}
	barrier();
	result[i] = count[x] * 100 + count[l % 12];
}
