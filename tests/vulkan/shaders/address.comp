// SPDX-License-Identifier: MIT
#version 460
//! needs address int64
//! buffer 0 u32 256 random 77 input
//! buffer 1 u32 512 zeros
//! buffer 2 u32 4 zeros
//! address 0
//! address 1
//! address 2
//! push u32 3
//! dispatch 4 1 1
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Pointers: loads and stores of several sizes, arithmetic on them, atomics through them.
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint w; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Pairs { uvec2 v; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counters { uint sum, low, high, n; };
layout(push_constant) uniform P { Words data; Pairs result; Counters counters; uint step; };
layout(binding = 0) readonly buffer In { uint same[]; };
layout(binding = 1) buffer Out { uint out_words[]; };
layout(binding = 2) buffer Sums { uint sums[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	uint a = data[i].w, b = data[(i * step) & 255].w;
	Pairs p = Pairs(uint64_t(result) + i * 8);
	p.v = uvec2(a ^ b, a + b + same[0]);
	atomicAdd(counters.sum, a);
	atomicMax(counters.high, b);
	atomicMin(counters.low, a); // from zero: stays
	atomicAdd(counters.n, 1);
}
