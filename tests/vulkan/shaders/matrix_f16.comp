// SPDX-License-Identifier: MIT
#version 460
//! subgroup
//! needs float16 storage16
//! wants matrix
//! buffer 0 f16 2048 range -1 1 90 input
//! buffer 1 f16 2048 range -1 1 91 input
//! buffer 2 f32 2048 range -1 1 92 input
//! buffer 3 f32 2048 zeros abs 1e-5
//! buffer 4 f16 2048 zeros abs 0.02
//! dispatch 8 1 1
// Cooperative matrices: what matrix_f16.spvasm does, without them. The bounds are for the order of
// the sums: 17 terms up to 1, in f32 and in f16.
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) readonly buffer C { float c[]; };
layout(binding = 3) writeonly buffer D { float d[]; };
layout(binding = 4) writeonly buffer E { float16_t e[]; };

void main()
{
	uint at = gl_WorkGroupID.x * 256, row = gl_LocalInvocationID.y, col = gl_LocalInvocationID.x;
	float sum = 0;
	for (uint k = 0; k < 16; k++)
		sum += float(a[at + 16 * row + k]) * float(b[at + 16 * col + k]);
	float old = c[at + 16 * row + col];
	d[at + 16 * row + col] = (sum + old) * 0.5 + old;
	e[at + 16 * col + row] = -float16_t(sum + float(float16_t(old)));
}
