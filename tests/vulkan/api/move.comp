// SPDX-License-Identifier: MIT
#version 460
// Reads one part of the buffer and writes another one.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform P { uint from, to, n; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	if (i < n)
		data[to + i] = data[from + i];
}
