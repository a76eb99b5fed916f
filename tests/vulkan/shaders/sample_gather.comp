// SPDX-License-Identifier: MIT
#version 460
//! image 0 2d R32G32B32A32_SFLOAT 8 8 1 range -10 10 160 sampled repeat
//! image 1 2d R32_UINT 8 8 1 random 161 sampled
//! buffer 3 f32 4096 zeros
//! buffer 4 u32 1024 zeros
//! dispatch 2 2 1
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D a;
layout(binding = 1) uniform usampler2D b;
layout(binding = 3) buffer Floats { vec4 f[]; };
layout(binding = 4) buffer Words { uvec4 u[]; };

void main()
{
	uvec2 p = gl_GlobalInvocationID.xy;
	uint at = p.y * 16 + p.x;
	vec2 t = (vec2(p) * 0.5 + 0.25) / 8.0;
	f[4 * at] = textureGather(a, t, 0);
	f[4 * at + 1] = textureGatherOffset(a, t, ivec2(-1, 2), 3);
	f[4 * at + 2] = textureLodOffset(a, t, 0.0, ivec2(2, -1));
	f[4 * at + 3] = textureGatherOffsets(a, t, ivec2[4](ivec2(0, 0), ivec2(1, -2), ivec2(3, 1), ivec2(-4, 2)), 1);
	u[at] = textureGather(b, t, 0);
}
