// SPDX-License-Identifier: MIT
#version 460
//! image 0 2d R32G32_SFLOAT 32 16 1 range -10 10 140 sampled mips 6 linear miplinear
//! image 1 2d R32_UINT 21 13 1 random 141 sampled mips 4
//! image 2 2d R32_SFLOAT 16 16 1 range -10 10 142 sampled mips 5 mipnearest
//! buffer 3 f32 1024 zeros abs 1e-4
//! buffer 4 u32 1024 zeros
//! dispatch 2 2 1
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D a;
layout(binding = 1) uniform usampler2D b;
layout(binding = 2) uniform sampler2D c;
layout(binding = 3) buffer Floats { float f[]; };
layout(binding = 4) buffer Words { uint u[]; };

void main()
{
	uvec2 p = gl_GlobalInvocationID.xy;
	uint at = (p.y * 16 + p.x) * 4;
	vec2 v = textureLod(a, (vec2(p) + 0.5) / 16.0, float(p.x) * 0.25).xy;
	f[at] = v.x;
	f[at + 1] = v.y;
	f[at + 2] = textureLod(c, (vec2(p) + 0.5) / 16.0, float(p.y) * 0.25 + 0.125).x;
	// derivatives given: steps of 2^n texels choose level n
	float step = exp2(float(p.x & 3)) / 16.0;
	f[at + 3] = textureGrad(c, (vec2(p) + 0.5) / 16.0, vec2(step, 0), vec2(0, step)).x;
	int level = int(p.x & 3);
#ifdef REFERENCE
	ivec2 size = ivec2(21, 13) >> level; // lavapipe takes one level for all
#else
	ivec2 size = textureSize(b, level);
#endif
	u[at] = texelFetch(b, ivec2(p) % size, level).x;
	u[at + 1] = uint(size.x * 100 + size.y);
	u[at + 2] = uint(textureQueryLevels(b) * 10 + textureQueryLevels(a));
	u[at + 3] = p.x;
}
