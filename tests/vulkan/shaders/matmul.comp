// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 f32 4096 range -1 1 9 input
//! buffer 1 f32 4096 range -1 1 10 input
//! buffer 2 f32 4096 zeros ulp 64 abs 1e-5
//! push u32 64
//! dispatch 4 4 1
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) buffer C { float c[]; };
layout(push_constant) uniform P { uint n; };
shared float ta[16][16], tb[16][16];

void main()
{
	uvec2 l = gl_LocalInvocationID.xy, g = gl_GlobalInvocationID.xy;
	float sum = 0;
	for (uint t = 0; t < n; t += 16) {
		ta[l.y][l.x] = a[g.y * n + t + l.x];
		tb[l.y][l.x] = b[(t + l.y) * n + g.x];
		barrier();
		for (uint k = 0; k < 16; k++)
			sum += ta[l.y][k] * tb[k][l.x];
		barrier();
	}
	c[g.y * n + g.x] = sum;
}
