// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 512 zeros
//! push f32 1.5 -2.25 3.0 4.0
//! push u32 7 8 9 10
//! push i32 -5 6
//! push u64 0x123456789abcdef0
//! push f32 0.5 0.25
//! needs int64
//! dispatch 2 1 1
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Read all over, with an index too (the same for all invocations of a group).
layout(local_size_x = 64) in;
layout(binding = 0) buffer Out { uint result[]; };
layout(push_constant) uniform P { vec4 v; uint u[4]; ivec2 s; uint64_t q; vec2 w; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	result[4 * i] = floatBitsToUint(v[gl_WorkGroupID.x + 1] * w.x) + u[gl_WorkGroupID.x * 2];
	result[4 * i + 1] = uint(s.x * int(i) + s.y);
	result[4 * i + 2] = uint(q >> (i & 31));
	result[4 * i + 3] = floatBitsToUint(v.x + w.y);
}
