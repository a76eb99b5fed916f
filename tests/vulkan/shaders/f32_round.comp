// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 f32 256 range -20 20 31 input
//! buffer 1 f32 2560 zeros
//! dispatch 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float data[]; };
layout(binding = 1) buffer Out { float result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	float a = i < 32 ? float(i) * 0.5 - 8.0 : data[i];
	int e;
	float m = frexp(a, e);
	float r[10] = {floor(a), ceil(a), trunc(a), roundEven(a), a - floor(a), sign(a), step(0.5, a), a != 0.0 ? m : 0.0,
		       a != 0.0 ? float(e) : 0.0, ldexp(a, int(i & 15) - 7)};
	for (int k = 0; k < 10; k++)
		result[10 * i + k] = r[k];
}
