// SPDX-License-Identifier: MIT
#version 460
//! image 0 2d R8G8B8A8_UINT 20 12 1 zeros
//! image 1 2d R8G8B8A8_SINT 20 12 1 zeros
//! image 2 2d R32_UINT 20 12 1 zeros
//! image 3 2d R32_SINT 20 12 1 zeros
//! image 4 2d R32G32B32A32_UINT 20 12 1 zeros
//! image 5 2d R32G32B32A32_SINT 20 12 1 zeros
//! image 6 2d R16G16B16A16_UINT 20 12 1 zeros
//! image 7 2d R8_UINT 20 12 1 zeros
//! image 8 2d R16_UINT 20 12 1 zeros
//! image 9 2d R32G32_UINT 20 12 1 zeros
//! image 10 2d A2B10G10R10_UINT_PACK32 20 12 1 zeros
//! dispatch 3 2 1
// What fits; how a larger number is cut is open.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8ui) uniform uimage2D a;
layout(binding = 1, rgba8i) uniform iimage2D b;
layout(binding = 2, r32ui) uniform uimage2D c;
layout(binding = 3, r32i) uniform iimage2D d;
layout(binding = 4, rgba32ui) uniform uimage2D e;
layout(binding = 5, rgba32i) uniform iimage2D f;
layout(binding = 6, rgba16ui) uniform uimage2D g;
layout(binding = 7, r8ui) uniform uimage2D h;
layout(binding = 8, r16ui) uniform uimage2D i;
layout(binding = 9, rg32ui) uniform uimage2D j;
layout(binding = 10, rgb10_a2ui) uniform uimage2D k;

void main()
{
	ivec2 p = ivec2(gl_GlobalInvocationID.xy);
	uint n = uint(p.y * 20 + p.x), m = n * 2654435761u;
	uvec4 u = uvec4(m, m >> 8, m >> 16, m >> 24);
	ivec4 s = ivec4(u);
	imageStore(a, p, u & 255u);
	imageStore(b, p, (s & 255) - 128);
	imageStore(c, p, u);
	imageStore(d, p, s);
	imageStore(e, p, u);
	imageStore(f, p, -s);
	imageStore(g, p, u & 0xffffu);
	imageStore(h, p, u & 255u);
	imageStore(i, p, u.yxzw & 0xffffu);
	imageStore(j, p, u.zyxw);
	imageStore(k, p, uvec4(u.xyz & 1023u, u.w & 3u));
}
