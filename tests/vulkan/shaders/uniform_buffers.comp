// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 f32 64 range -2 2 70 uniform
//! buffer 1.0 f32 16 range -2 2 71 uniform
//! buffer 1.3 u32 64 random 72 uniform
//! buffer 2.0 f32 512 zeros
//! dispatch 2 1 1
// std140 layouts in several sets: arrays of 16 bytes, matrices by rows and columns.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std140) uniform A { float a[8]; mat3 m; layout(row_major) mat2x3 n; };
layout(set = 1, binding = 0, std140) uniform B { vec3 p; float q; vec2 r[3]; };
layout(set = 1, binding = 3, std140) uniform C { uvec4 c[16]; };
layout(set = 2, binding = 0) buffer Out { float result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	precise float k = a[i & 7] * q;
	result[4 * i] = k + r[i % 3].y;
	result[4 * i + 1] = float(c[i & 15][i >> 4 & 3] >> 8);
	precise float d = m[i % 3][(i / 3) % 3] + n[i & 1][i % 3];
	result[4 * i + 2] = d;
	result[4 * i + 3] = p[i % 3];
}
