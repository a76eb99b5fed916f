// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 f32 1024 range -4 4 61 input
//! buffer 1 f32 1024 zeros
//! dispatch 1 1 1
// Vectors and structs in shared memory, transposed.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer In { vec4 data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };
struct Cell { vec3 v; float w; uvec2 id; };
shared Cell cells[16][16];

void main()
{
	uvec2 l = gl_LocalInvocationID.xy;
	vec4 x = data[l.y * 16 + l.x];
	cells[l.y][l.x] = Cell(x.xyz, x.w, l);
	barrier();
	Cell c = cells[l.x][l.y];
	result[l.y * 16 + l.x] = vec4(c.v.zyx, c.w) + vec4(c.id, 0, 0);
}
