// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 f32 1024 range -1 1 86 input
//! buffer 1 f32 1024 zeros ulp 1024 abs 1e-3
//! dispatch 2 1 1
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { vec4 body[]; };
layout(binding = 1) buffer Out { vec4 force[]; };
shared vec4 tile[128];

void main()
{
	uint l = gl_LocalInvocationIndex, i = gl_GlobalInvocationID.x;
	vec3 p = body[i].xyz, sum = vec3(0);
	for (uint t = 0; t < 2; t++) {
		tile[l] = body[t * 128 + l];
		barrier();
		for (uint k = 0; k < 128; k++) {
			vec3 d = tile[k].xyz - p;
			float r = inversesqrt(dot(d, d) + 0.05);
			sum += d * (abs(tile[k].w) * r * r * r);
		}
		barrier();
	}
	force[i] = vec4(sum, length(sum));
}
