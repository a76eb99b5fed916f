// SPDX-License-Identifier: MIT
#version 460
//! image 0 1d R32_SFLOAT 16 1 1 range -10 10 150 sampled linear
//! image 1 3d R32_SFLOAT 8 8 8 range -10 10 151 sampled linear repeat
//! image 2 2darray R32_SFLOAT 8 8 4 range -10 10 152 sampled linear
//! image 3 cube R32_SFLOAT 8 8 6 range -10 10 153 sampled nearest
//! image 4 2d R32_SFLOAT 16 16 1 range -10 10 154 sampled linear unnormalized
//! image 5 cubearray R32_SFLOAT 4 4 12 range -10 10 155 sampled nearest
//! buffer 6 f32 1536 zeros abs 1e-4
//! dispatch 2 2 1
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler1D a;
layout(binding = 1) uniform sampler3D b;
layout(binding = 2) uniform sampler2DArray c;
layout(binding = 3) uniform samplerCube d;
layout(binding = 4) uniform sampler2D e;
layout(binding = 5) uniform samplerCubeArray f;
layout(binding = 6) buffer Out { float result[]; };

void main()
{
	uvec2 p = gl_GlobalInvocationID.xy;
	uint at = (p.y * 16 + p.x) * 6;
	vec2 q = vec2(p) * 0.25;
	// directions that stay away from the edges between texels and faces
	vec3 away = vec3(float(p.x) - 7.37, float(p.y) - 7.6, float((p.x * 5 + p.y * 3) & 15) - 7.45);
	result[at] = textureLod(a, q.x / 4.0, 0.0).x;
	result[at + 1] = textureLod(b, vec3(q, q.x + q.y) / 8.0, 0.0).x;
	result[at + 2] = textureLod(c, vec3(q / 4.0, float(p.x & 7) - 1.25), 0.0).x;
	result[at + 3] = textureLod(d, away, 0.0).x;
	result[at + 4] = textureLod(e, q * 4.0, 0.0).x;
	result[at + 5] = textureLod(f, vec4(away.yzx, float(p.y & 1)), 0.0).x;
}
