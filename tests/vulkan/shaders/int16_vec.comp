// SPDX-License-Identifier: MIT
#version 460
//! needs int16 storage16
//! buffer 0 u16 1024 random 25 input
//! buffer 1 u16 4096 zeros
//! dispatch 4 1 1
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_16bit_storage : require
// Pairs of 16 bits: packed arithmetic.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { u16vec2 data[]; };
layout(binding = 1) buffer Out { u16vec2 result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	u16vec2 a = data[2 * i], b = data[2 * i + 1];
	i16vec2 ia = i16vec2(a), ib = i16vec2(b);
	result[8 * i] = a + b;
	result[8 * i + 1] = a - b.yx;
	result[8 * i + 2] = a * b + u16vec2(i);
	result[8 * i + 3] = min(a, b) ^ max(a.yx, b);
	result[8 * i + 4] = u16vec2(min(ia, ib) + max(ia, -ib));
	result[8 * i + 5] = a << (b & u16vec2(15));
	result[8 * i + 6] = a >> (b & u16vec2(15));
	result[8 * i + 7] = u16vec2(ia >> (ib & i16vec2(15)));
}
