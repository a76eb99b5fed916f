// SPDX-License-Identifier: MIT
#version 460
//! needs float64
//! buffer 0 f64 256 range -1000 1000 37 input
//! buffer 1 f64 2048 zeros
//! dispatch 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { double data[]; };
layout(binding = 1) buffer Out { double result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	double a = i < 32 ? double(i) * 0.5 - 8.0 : data[i];
	result[8 * i] = floor(a);
	result[8 * i + 1] = ceil(a);
	result[8 * i + 2] = trunc(a);
	result[8 * i + 3] = roundEven(a);
	result[8 * i + 4] = fract(a) + sign(a);
	// a change of nothing between the conversions, so that none of them is left out
	result[8 * i + 5] = double(uintBitsToFloat(floatBitsToUint(float(a)) ^ (i >> 20))) + double(int(a));
	result[8 * i + 6] = double(uint(abs(a))) * (a >= 0.25 ? 2.0 : 3.0);
	result[8 * i + 7] = ldexp(a, int(i & 31) - 15);
}
