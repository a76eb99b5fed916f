// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 4096 zeros
//! push f32 -2.2 -1.5 0.046875 0.046875
//! dispatch 8 8 1
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) buffer Out { uint steps[]; };
layout(push_constant) uniform P { vec2 origin, pitch; };

void main()
{
	uvec2 p = gl_GlobalInvocationID.xy;
	precise vec2 c = origin + vec2(p) * pitch;
	vec2 z = vec2(0);
	uint n = 0;
	for (; n < 200; n++) {
		precise float re = z.x * z.x, im = z.y * z.y;
		if (re + im > 4.0)
			break;
		precise float xy = z.x * z.y;
		precise float nx = re - im;
		precise vec2 next = vec2(nx + c.x, xy + xy + c.y);
		z = next;
	}
	steps[p.y * 64 + p.x] = n;
}
