// SPDX-License-Identifier: MIT
#version 460
//! needs float16 storage16
//! buffer 0 f16 1024 range -8 8 38 input
//! buffer 1 f16 3072 zeros
//! dispatch 4 1 1
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
// Pairs of halves: packed arithmetic.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { f16vec2 data[]; };
layout(binding = 1) buffer Out { f16vec2 result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	f16vec2 a = data[2 * i], b = data[2 * i + 1];
	precise f16vec2 r[6] = {a + b, a - b.yx, a * b, min(a, b), max(a, -b.yx), abs(a) - b};
	for (int k = 0; k < 6; k++)
		result[6 * i + k] = r[k];
}
