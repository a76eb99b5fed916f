// SPDX-License-Identifier: MIT
#version 460
//! needs int16 storage16
//! buffer 0 i16 512 random 24 input
//! buffer 1 i16 2560 zeros
//! dispatch 4 1 1
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { int16_t data[]; };
layout(binding = 1) buffer Out { int16_t result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	int16_t a = data[2 * i], b = data[2 * i + 1];
	uint16_t ua = uint16_t(a), ub = uint16_t(b);
	uint16_t ud = ub | 1us;
	int16_t d = (b >> 4s) | 1s;
	result[10 * i] = a * b + int16_t(i);
	result[10 * i + 1] = a - b;
	result[10 * i + 2] = min(a, b) ^ max(a, b);
	result[10 * i + 3] = int16_t(min(ua, ub) + max(ua, ub));
	result[10 * i + 4] = int16_t(ua / ud);
	result[10 * i + 5] = int16_t(ua % ud);
	result[10 * i + 6] = a / d;
	result[10 * i + 7] = a >> (b & 15s);
	result[10 * i + 8] = int16_t(ua >> (ub & 15us)) ^ (a << (b & 15s));
	result[10 * i + 9] = a < b ? int16_t(abs(int(a))) : int16_t(ua > ub ? 1 : 2);
}
