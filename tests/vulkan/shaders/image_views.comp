// SPDX-License-Identifier: MIT
#version 460
//! image 0 1d R32_UINT 40 1 1 random 120
//! image 1 2darray R32_UINT 10 6 5 random 121
//! image 2 3d R32_UINT 9 7 6 random 122
//! image 3 cube R32_UINT 8 8 6 random 123
//! image 4 1darray R32_UINT 16 1 4 random 124
//! buffer 5 u32 24 zeros
//! dispatch 2 2 6
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) uniform uimage1D a;
layout(binding = 1, r32ui) uniform uimage2DArray b;
layout(binding = 2, r32ui) uniform uimage3D c;
layout(binding = 3, r32ui) uniform uimageCube d;
layout(binding = 4, r32ui) uniform uimage1DArray e;
layout(binding = 5) buffer Out { uvec4 sizes[6]; };

// Each texel changed in place, and each its own; those outside are not touched.
void main()
{
	ivec3 p = ivec3(gl_GlobalInvocationID);
	uint k = uint(p.x + 10 * p.y + 100 * p.z);
	if (p.y == 0 && p.z < 3)
		imageStore(a, p.x + 16 * p.z, imageLoad(a, p.x + 16 * p.z) * 3u + k);
	imageStore(b, p, imageLoad(b, p) * 5u + k);
	imageStore(c, p, imageLoad(c, p) * 7u + k);
	if (p.x < 8 && p.y < 8)
		imageStore(d, p, imageLoad(d, p) * 9u + k);
	if (p.z == 0)
		imageStore(e, p.xy, imageLoad(e, p.xy) * 11u + k);
	if (k == 0) {
		sizes[0] = uvec4(imageSize(a));
		sizes[1] = uvec4(imageSize(b), 0);
		sizes[2] = uvec4(imageSize(c), 0);
		sizes[3] = uvec4(imageSize(d), 0, 0);
		sizes[4] = uvec4(imageSize(e), 0, 0);
	}
}
