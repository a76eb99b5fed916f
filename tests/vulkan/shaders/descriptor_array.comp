// SPDX-License-Identifier: MIT
#version 460
//! buffer 0.0.0 u32 64 random 73 input
//! buffer 0.0.1 u32 64 random 74 input
//! buffer 0.0.2 u32 64 random 75 input
//! buffer 0.0.3 u32 64 random 76 input
//! buffer 0.1.0 u32 128 zeros
//! buffer 0.1.1 u32 128 zeros
//! push u32 1
//! dispatch 2 1 1
#extension GL_EXT_nonuniform_qualifier : require
// Arrays of buffers, indexed by constants, push constants, and a different one in each invocation.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; } inputs[4];
layout(binding = 1) buffer Out { uint result[]; } outputs[2];
layout(push_constant) uniform P { uint which; };

void main()
{
	uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
	uint far = (i * 5 + 1) & 3;
	uint x = inputs[2].data[l] + 3 * inputs[which].data[l] + 5 * inputs[gl_WorkGroupID.x].data[l] +
		 7 * inputs[nonuniformEXT(far)].data[l];
	outputs[which].result[i] = x;
	outputs[nonuniformEXT(far >> 1) * 0].result[i] = x >> 1;
}
