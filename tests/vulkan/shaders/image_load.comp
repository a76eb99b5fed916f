// SPDX-License-Identifier: MIT
#version 460
//! image 0 2d R8G8B8A8_UNORM 19 11 1 random 100 input
//! image 1 2d R8G8B8A8_SNORM 19 11 1 random 101 input
//! image 2 2d R16G16B16A16_SFLOAT 19 11 1 range -100 100 102 input
//! image 3 2d R32G32B32A32_SFLOAT 19 11 1 range -100 100 103 input
//! image 4 2d R8G8B8A8_UINT 19 11 1 random 104 input
//! image 5 2d R32_SINT 19 11 1 random 105 input
//! image 6 2d R16_SFLOAT 19 11 1 range -4 4 106 input
//! image 7 2d A2B10G10R10_UNORM_PACK32 19 11 1 random 107 input
//! buffer 8 u32 5016 zeros
//! dispatch 3 2 1
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform image2D a;
layout(binding = 1, rgba8_snorm) uniform image2D b;
layout(binding = 2, rgba16f) uniform image2D c;
layout(binding = 3, rgba32f) uniform image2D d;
layout(binding = 4, rgba8ui) uniform uimage2D e;
layout(binding = 5, r32i) uniform iimage2D f;
layout(binding = 6, r16f) uniform image2D g;
layout(binding = 7, rgb10_a2) uniform image2D h;
layout(binding = 8) buffer Out { uint result[]; };

void main()
{
	ivec2 p = ivec2(gl_GlobalInvocationID.xy), size = imageSize(a);
	if (any(greaterThanEqual(p, size)))
		return;
	uint at = uint(p.y * size.x + p.x) * 24;
	// normalized numbers as the integers they came from: n / 255 is no sum of halves
	uvec4 v[6] = {uvec4(round(imageLoad(a, p) * 255.0)), uvec4(ivec4(round(imageLoad(b, p) * 127.0))),
		      floatBitsToUint(imageLoad(c, p)), floatBitsToUint(imageLoad(d, p)), imageLoad(e, p),
		      uvec4(imageLoad(f, p).x, floatBitsToUint(imageLoad(g, p).xw), uint(round(imageLoad(h, p).y * 1023.0)))};
	for (int k = 0; k < 6; k++)
		for (int n = 0; n < 4; n++)
			result[at + 4 * k + n] = v[k][n];
}
