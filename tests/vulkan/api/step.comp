// SPDX-License-Identifier: MIT
#version 460
// One step of a chain: the order of steps shows in what comes out.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform P { uint mul, add, n; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	if (i < n)
		data[i] = data[i] * mul + add;
}
