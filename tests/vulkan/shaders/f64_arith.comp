// SPDX-License-Identifier: MIT
#version 460
//! needs float64
//! buffer 0 f64 512 range -100 100 36 input
//! buffer 1 f64 2048 zeros
//! buffer 2 f64 1024 zeros ulp 8
//! dispatch 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { double data[]; };
layout(binding = 1) buffer Exact { double exact[]; };
layout(binding = 2) buffer Near { double near[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	double a = data[2 * i], b = data[2 * i + 1];
	precise double r[8] = {a + b, a - b, a * b, a < b ? a : b, max(a, b), min(a, -b), abs(a) - abs(b), -a};
	for (int k = 0; k < 8; k++)
		exact[8 * i + k] = r[k];
	near[4 * i] = a / b;
	near[4 * i + 1] = sqrt(abs(a));
	near[4 * i + 2] = 1.0lf / b;
	near[4 * i + 3] = inversesqrt(abs(b));
}
