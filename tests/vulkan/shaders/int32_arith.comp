// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 i32 512 random 20 input
//! buffer 1 i32 3072 zeros
//! dispatch 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { int data[]; };
layout(binding = 1) buffer Out { int result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	int a = data[2 * i], b = data[2 * i + 1];
	uint ua = uint(a), ub = uint(b);
	int d = (b >> 12) | 1, shift = b & 31;
	uint ud = (ub >> 12) | 1u;
	int r[12] = {a + b * 7, a - b, a * b, a / d, a - (a / d) * d, int(ua / ud), int(ua % ud), (a << shift) ^ (a >> shift),
		     int(ua >> shift), min(a, b) ^ max(a, -b), clamp(a, -1000, 1000) + abs(b >> 1), sign(a) + int(min(ua, ub))};
	for (int k = 0; k < 12; k++)
		result[12 * i + k] = r[k];
}
