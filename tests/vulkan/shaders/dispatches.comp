// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 1024 iota
//! dispatch 16 1 1
//! dispatch 16 1 1
//! dispatch 8 1 1
//! dispatch 16 1 1
// One after the other on the same data: each sees what the one before left.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	data[i] = data[i] * 5 + (i >> 3);
}
