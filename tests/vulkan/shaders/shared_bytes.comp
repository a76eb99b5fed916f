// SPDX-License-Identifier: MIT
#version 460
//! needs int8 int16 storage8
//! buffer 0 u8 1024 random 60 input
//! buffer 1 u32 256 zeros
//! dispatch 1 1 1
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
// Bytes, halves and words of neighbours in shared memory.
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint8_t data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared uint8_t bytes[1024];
shared uint16_t halves[512];

void main()
{
	uint l = gl_LocalInvocationIndex;
	for (uint k = 0; k < 4; k++)
		bytes[l + 256 * k] = data[4 * l + k];
	halves[2 * l] = uint16_t(uint(data[l]) * 257u);
	halves[2 * l + 1] = uint16_t(data[l + 1]);
	barrier();
	uint at = (l * 37) & 1023;
	result[l] = uint(bytes[at]) | uint(bytes[(at + 1) & 1023]) << 8 | uint(halves[(at >> 1) & 511]) << 16;
}
