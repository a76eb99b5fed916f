// SPDX-License-Identifier: MIT
#version 460
//! needs float64
//! buffer 0 f64 256 range -1000 1000 37 input
//! buffer 1 f64 2048 zeros
//! dispatch 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { double data[]; };
layout(binding = 1) buffer Out { double result[]; };

#ifdef REFERENCE
// On CPUs without AVX-512, lavapipe loses the sign of a zero in trunc of doubles, and rounds ties of them
// upwards (Mesa's lp_bld_arit.c, vectors of 512 bits).
double toward_zero(double a)
{
	return a < 0.0 ? ceil(a) : floor(a);
}

double to_even(double a)
{
	double r = floor(a + 0.5);
	if (r - a == 0.5 && floor(r * 0.5) * 2.0 != r)
		r -= 1.0;
	return r == 0.0 && a < 0.0 ? -0.0lf : r;
}
#else
#define toward_zero trunc
#define to_even roundEven
#endif

void main()
{
	uint i = gl_GlobalInvocationID.x;
	double a = i < 32 ? double(i) * 0.5 - 8.0 : data[i];
	result[8 * i] = floor(a);
	result[8 * i + 1] = ceil(a);
	result[8 * i + 2] = toward_zero(a);
	result[8 * i + 3] = to_even(a);
	result[8 * i + 4] = fract(a) + sign(a);
	// a change of nothing between the conversions, so that none of them is left out
	result[8 * i + 5] = double(uintBitsToFloat(floatBitsToUint(float(a)) ^ (i >> 20))) + double(int(a));
	result[8 * i + 6] = double(uint(abs(a))) * (a >= 0.25 ? 2.0 : 3.0);
	result[8 * i + 7] = ldexp(a, int(i & 31) - 15);
}
