// SPDX-License-Identifier: MIT
#version 460
//! robust
//! needs robust2 storage16 int16
//! buffer 0 u32 64 random 98 input bytes 100
//! buffer 1 u32 64 iota uniform bytes 48
//! buffer 2 u32 64 iota bytes 72
//! buffer 3 u32 1024 zeros
//! dispatch 1 1 1
// robustBufferAccess2: zeros from the byte behind the end of what is bound (rounded up to four), and
// the parts of a vector that are inside are there.
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 0, std430) readonly buffer In4 { uvec4 vectors[]; };
layout(binding = 0, std430) readonly buffer In2 { u16vec2 halves[]; };
layout(binding = 1, std140) uniform Block { uvec4 constants[64]; };
layout(binding = 2) buffer Short { uvec2 cut[]; };
layout(binding = 3) buffer Out { uint result[]; };

void main()
{
	uint i = gl_LocalInvocationIndex, far = i * 0x2000003u;
	uvec4 v = vectors[i % 10], c = constants[i % 6];
	uint r[16] = {data[i], data[far], v.x, v.y, v.z, v.w, c.x, c.y, c.z, c.w, halves[i].x, halves[i].y,
		      data.length(), vectors.length(), cut[i].x, cut[i].y};
	for (uint k = 0; k < 16; k++)
		result[16 * i + k] = r[k];
	barrier();
	cut[i] = uvec2(3 * i, 5);
	atomicAdd(cut[i + 9].y, 1);
}
