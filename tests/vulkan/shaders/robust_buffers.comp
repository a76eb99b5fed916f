// SPDX-License-Identifier: MIT
#version 460
//! robust
//! buffer 0 u32 64 random 82 input bytes 128
//! buffer 1 u32 64 iota bytes 160
//! buffer 2 u32 256 zeros
//! dispatch 2 1 1
// Beyond the end of what is bound: reads give zero here, writes are dropped; lavapipe does the same.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Short { uint cut[]; };
layout(binding = 2) buffer Out { uint result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	result[i] = data[i];
	result[128 + i] = data[i * 0x10001u] + uint(data.length());
	cut[i] = i * 3;
	cut[i + 0x4000] = 1;
}
