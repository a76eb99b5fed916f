// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 f32 256 range -0.99 0.99 33 input
//! buffer 1 f32 1536 zeros ulp 256 abs 2e-4
//! dispatch 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float data[]; };
layout(binding = 1) buffer Out { float result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	float a = data[i];
	result[6 * i] = asin(a);
	result[6 * i + 1] = acos(a);
	result[6 * i + 2] = atan(a * 5.0);
	result[6 * i + 3] = atan(a, 0.3);
	result[6 * i + 4] = tan(a);
	result[6 * i + 5] = pow(abs(a), 1.7) + sinh(a) + cosh(a);
}
