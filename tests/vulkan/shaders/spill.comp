// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 4096 random 12 input
//! buffer 1 u32 256 zeros
//! push u32 13 5
//! dispatch 4 1 1
// A private array with indices known only at run time lies in scratch.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
layout(push_constant) uniform P { uint mul, add; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	uint t[64];
	for (uint k = 0; k < 64; k++)
		t[k] = data[(i * 16 + k) & 4095];
	uint sum = 0;
	for (uint k = 0; k < 64; k++) {
		uint at = (k * mul + add + i) & 63;
		t[at] = t[at] * 3 + k;
		sum ^= t[(at * 7 + i) & 63];
	}
	result[i] = sum;
}
