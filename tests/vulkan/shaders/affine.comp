// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 256 zeros
//! dispatch 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { uint b[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	b[i] = 2 * i + 1;
}
