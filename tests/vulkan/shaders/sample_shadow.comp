// SPDX-License-Identifier: MIT
#version 460
//! image 0 2d D32_SFLOAT 8 8 1 range 0 1 162 sampled compare
//! buffer 1 f32 1280 zeros
//! dispatch 2 2 1
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2DShadow c;
layout(binding = 1) buffer Floats { float f[]; };

void main()
{
	uvec2 p = gl_GlobalInvocationID.xy;
	uint at = (p.y * 16 + p.x) * 5;
	vec2 t = (vec2(p) * 0.5 + 0.25) / 8.0;
	f[at] = textureLod(c, vec3(t, float(p.x) / 16.0), 0.0);
	vec4 g = textureGather(c, t, 0.5);
	for (int k = 0; k < 4; k++)
		f[at + 1 + k] = g[k];
}
