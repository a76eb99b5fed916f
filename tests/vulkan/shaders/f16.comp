// SPDX-License-Identifier: MIT
#version 460
//! needs float16 storage16
//! buffer 0 f16 256 range -4 4 7 input
//! buffer 1 f16 256 range 0.5 4 8 input
//! buffer 2 f16 1024 zeros ulp 2
//! dispatch 4 1 1
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) buffer C { float16_t c[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	float16_t x = a[i], y = b[i];
	precise float16_t r = x * y + float16_t(0.25);
	c[4 * i] = r;
	c[4 * i + 1] = max(min(x, y), float16_t(-1));
	c[4 * i + 2] = sqrt(y);
	c[4 * i + 3] = float16_t(float(x) * float(y));
}
