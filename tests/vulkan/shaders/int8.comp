// SPDX-License-Identifier: MIT
#version 460
//! needs int8 storage8
//! buffer 0 i8 512 random 23 input
//! buffer 1 i8 2048 zeros
//! dispatch 4 1 1
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { int8_t data[]; };
layout(binding = 1) buffer Out { int8_t result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	int8_t a = data[2 * i], b = data[2 * i + 1];
	uint8_t ua = uint8_t(a), ub = uint8_t(b);
	result[8 * i] = a + b;
	result[8 * i + 1] = a * b - int8_t(3);
	result[8 * i + 2] = min(a, b);
	result[8 * i + 3] = int8_t(max(ua, ub));
	result[8 * i + 4] = int8_t(ua >> (ub & uint8_t(7)));
	result[8 * i + 5] = a >> (b & int8_t(7));
	result[8 * i + 6] = int8_t(ua / (ub | uint8_t(1)));
	result[8 * i + 7] = int8_t((int(a) * int(b)) >> 8);
}
