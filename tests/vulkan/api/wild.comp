// SPDX-License-Identifier: MIT
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Stores to an address that is nobody's.
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint w; };
layout(push_constant) uniform P { uint64_t address; };
layout(binding = 0) buffer Data { uint data[]; };

void main()
{
	Word(address + 4 * gl_LocalInvocationIndex).w = 1;
	data[gl_LocalInvocationIndex] = 7;
}
