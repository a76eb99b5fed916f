// SPDX-License-Identifier: MIT
#version 460
//! image 0.0.0 2d R32_UINT 8 8 1 random 180 input
//! image 0.0.1 2d R32_UINT 8 8 1 random 181 input
//! image 0.0.2 2d R32_UINT 8 8 1 random 182 input
//! image 1.0.0 2d R32_SFLOAT 8 8 1 range -1 1 183 sampled
//! image 1.0.1 2d R32_SFLOAT 8 8 1 range -1 1 184 sampled
//! image 2.0 2d R32_UINT 8 8 1 zeros
//! dispatch 1 1 1
#extension GL_EXT_nonuniform_qualifier : require
// Arrays of images and of samplers, a different one in each invocation.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D a[3];
layout(set = 1, binding = 0) uniform sampler2D b[2];
layout(set = 2, binding = 0, r32ui) uniform uimage2D c;

void main()
{
	ivec2 p = ivec2(gl_GlobalInvocationID.xy);
	uint which = uint(p.x * 5 + p.y) % 3u;
#ifdef REFERENCE
	// lavapipe 22.3 takes one image for all
	uint x = imageLoad(a[0], p).x;
	if (which != 0)
		x = which == 1 ? imageLoad(a[1], p).x : imageLoad(a[2], p).x;
	float y = texelFetch(b[0], p.yx, 0).x;
	if (which == 1)
		y = texelFetch(b[1], p.yx, 0).x;
#else
	uint x = imageLoad(a[nonuniformEXT(which)], p).x;
	float y = texelFetch(b[nonuniformEXT(which & 1u)], p.yx, 0).x;
#endif
	imageStore(c, p, uvec4(x ^ floatBitsToUint(y)));
}
