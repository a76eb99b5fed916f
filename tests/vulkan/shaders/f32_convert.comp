// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 256 random 35 input
//! buffer 1 u32 2048 zeros
//! dispatch 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	uint a = data[i];
	float f = float(int(a)) * 0.000123, g = float(a >> 8) * 0.5;
	result[8 * i] = floatBitsToUint(float(a >> 9));
	result[8 * i + 1] = floatBitsToUint(float(int(a)));
	result[8 * i + 2] = uint(int(f));
	result[8 * i + 3] = uint(g);
	result[8 * i + 4] = floatBitsToUint(float(a & 255u) + float(a >> 8 & 255u) * 2.0 + float(a >> 24));
	result[8 * i + 5] = uint(bool(a & 1u)) + uint(float(bool(a & 2u)));
	result[8 * i + 6] = floatBitsToUint(float(a));
	result[8 * i + 7] = uint(int(trunc(-g)));
}
