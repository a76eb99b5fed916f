// SPDX-License-Identifier: MIT
#version 460
//! robust
//! image 0 2d R32_UINT 8 8 1 random 190
//! image 1 2d R32G32_UINT 8 8 1 random 191 sampled
//! buffer 2 u32 2048 zeros
//! dispatch 4 4 1
// Outside of an image: loads and fetches give zero (alpha of one channel formats 0 or 1: not looked at),
// stores are dropped.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) uniform uimage2D a;
layout(binding = 1) uniform usampler2D b;
layout(binding = 2) buffer Out { uint result[]; };

void main()
{
	ivec2 p = ivec2(gl_GlobalInvocationID.xy) - 12;
	uint at = gl_GlobalInvocationID.y * 32 + gl_GlobalInvocationID.x;
	result[2 * at] = imageLoad(a, p).x;
	result[2 * at + 1] = texelFetch(b, p, 0).y;
	if ((p.x & 1) != 0 && (p.x < 0 || p.x > 7))
		imageStore(a, p, uvec4(1));
}
