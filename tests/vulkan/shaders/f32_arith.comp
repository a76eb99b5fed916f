// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 f32 512 range -100 100 30 input
//! buffer 1 f32 2048 zeros
//! buffer 2 f32 1024 zeros ulp 4
//! dispatch 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float data[]; };
layout(binding = 1) buffer Exact { float exact[]; };
layout(binding = 2) buffer Near { float near[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	float a = data[2 * i], b = data[2 * i + 1];
	precise float r[8] = {a + b, a - b, a * b, fma(a, b, 0.5), min(a, b), max(a, -b), clamp(a, -1.0, 1.0), abs(a) + -abs(b)};
	for (int k = 0; k < 8; k++)
		exact[8 * i + k] = r[k];
	near[4 * i] = a / b;
	near[4 * i + 1] = sqrt(abs(a));
	near[4 * i + 2] = inversesqrt(abs(b));
	near[4 * i + 3] = 1.0 / a;
}
