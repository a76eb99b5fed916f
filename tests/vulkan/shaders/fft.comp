// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 f32 1024 range -1 1 85 input
//! buffer 1 f32 1024 zeros ulp 256 abs 2e-4
//! dispatch 2 1 1
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { vec2 data[]; };
layout(binding = 1) buffer Out { vec2 result[]; };
shared vec2 s[256];

void main()
{
	uint l = gl_LocalInvocationIndex, base = gl_WorkGroupID.x * 256;
	for (uint k = l; k < 256; k += 128)
		s[bitfieldReverse(k) >> 24] = data[base + k];
	for (uint half_size = 1; half_size < 256; half_size <<= 1) {
		barrier();
		uint at = l & (half_size - 1), i = ((l - at) << 1) + at;
		float angle = -3.14159265358979 * float(at) / float(half_size);
		vec2 t = vec2(cos(angle), sin(angle)), a = s[i], b = s[i + half_size];
		b = vec2(b.x * t.x - b.y * t.y, b.x * t.y + b.y * t.x);
		s[i] = a + b;
		s[i + half_size] = a - b;
	}
	barrier();
	for (uint k = l; k < 256; k += 128)
		result[base + k] = s[k];
}
