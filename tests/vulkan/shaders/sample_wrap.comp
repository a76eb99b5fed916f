// SPDX-License-Identifier: MIT
#version 460
//! image 0 2d R32_SFLOAT 8 8 1 range -10 10 130 sampled linear repeat
//! image 1 2d R32_SFLOAT 8 8 1 range -10 10 131 sampled linear mirror
//! image 2 2d R32_SFLOAT 8 8 1 range -10 10 132 sampled linear clamp
//! image 3 2d R32_SFLOAT 8 8 1 range -10 10 133 sampled linear border
//! image 4 2d R32_SFLOAT 8 8 1 range -10 10 134 sampled nearest repeat
//! buffer 5 f32 20480 zeros abs 1e-4
//! dispatch 8 8 1
// Steps of 1/4 of a texel, far outside too: weights are the same in 8 bits and in floats.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D a;
layout(binding = 1) uniform sampler2D b;
layout(binding = 2) uniform sampler2D c;
layout(binding = 3) uniform sampler2D d;
layout(binding = 4) uniform sampler2D e;
layout(binding = 5) buffer Out { float result[]; };

void main()
{
	uvec2 p = gl_GlobalInvocationID.xy;
	vec2 t = (vec2(p) - 20.0) * 0.25 / 8.0, n = (vec2(p) * 0.25 - 4.875) / 8.0;
	uint at = (p.y * 64 + p.x) * 5;
	result[at] = textureLod(a, t, 0.0).x;
	result[at + 1] = textureLod(b, t, 0.0).x;
	result[at + 2] = textureLod(c, t, 0.0).x;
	result[at + 3] = textureLod(d, t, 0.0).x;
	result[at + 4] = textureLod(e, n, 0.0).x;
}
