// SPDX-License-Identifier: MIT
#version 460
//! wants float_atomics shared_float_atomics
//! buffer 0 f32 256 range 0 100 66 input
//! buffer 1 f32 3 zeros
//! dispatch 1 1 1
#ifndef REFERENCE
#extension GL_EXT_shader_atomic_float : require
#endif
// Whole numbers, so that the order does not matter.
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { float data[]; };
layout(binding = 1) buffer Out { float sums[]; };
shared float sum, part[256];

void main()
{
	uint l = gl_LocalInvocationIndex;
	if (l == 0)
		sum = 0.0;
	barrier();
	float x = floor(data[l]);
#ifdef REFERENCE
	part[l] = x;
	barrier();
	if (l == 0)
		for (uint k = 0; k < 256; k++)
			sum += part[k];
	if (l == 0)
		sums[0] = sum;
	if (l == 77)
		sums[2] = x + 0.5;
#else
	atomicAdd(sums[0], x);
	atomicAdd(sum, x);
	if (l == 77)
		atomicExchange(sums[2], x + 0.5);
#endif
	barrier();
	if (l == 0)
		sums[1] = sum;
}
