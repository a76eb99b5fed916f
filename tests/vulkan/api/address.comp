// SPDX-License-Identifier: MIT
#version 460
// Twice the values of one buffer into another, both by their addresses.
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430) buffer Data { uint data[]; };
layout(push_constant) uniform P { Data from, to; uint n; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	if (i < n)
		to.data[i] = from.data[i] * 2;
}
