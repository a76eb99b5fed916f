// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 f32 1000 range -10 10 1 input
//! buffer 1 f32 1000 range -10 10 2
//! push f32 2.5
//! push u32 1000
//! dispatch 4 1 1
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform P { float a; uint n; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	if (i < n) {
		precise float r = a * x[i] + y[i];
		y[i] = r;
	}
}
