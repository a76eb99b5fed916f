// SPDX-License-Identifier: MIT
#version 460
//! image 0 2d R8G8B8A8_UNORM 32 32 1 random 11 sampled linear repeat
//! image 1 2d R32_SFLOAT 32 32 1 zeros abs 1e-5
//! image 2 2d R32_UINT 8 8 1 zeros
//! dispatch 4 4 1
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D tex;
layout(binding = 1, r32f) uniform image2D dst;
layout(binding = 2, r32ui) uniform uimage2D histogram;

void main()
{
	ivec2 p = ivec2(gl_GlobalInvocationID.xy);
#ifdef REFERENCE
	// lavapipe filters textures of 8 bits in 8 bits: here the filter's formula in floats.
	vec4 t[4];
	for (int k = 0; k < 4; k++)
		t[k] = texelFetch(tex, (p + ivec2(k & 1, k >> 1) - 1) & 31, 0);
	vec4 c = mix(mix(t[0], t[1], 0.75), mix(t[2], t[3], 0.75), 0.75);
#else
	vec4 c = textureLod(tex, (vec2(p) + 0.25) / 32.0, 0.0);
#endif
	vec4 g = textureGather(tex, (vec2(p) + 1.0) / 32.0, 1);
	imageStore(dst, p, vec4(dot(c, vec4(0.5)) + g.x - g.w));
	imageAtomicAdd(histogram, p & 7, uint(p.x + 1));
}
