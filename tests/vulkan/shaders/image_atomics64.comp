// SPDX-License-Identifier: MIT
#version 460
//! needs int64
//! wants image_int64_atomics
//! image 0 2d R64_UINT 8 8 1 zeros input
//! buffer 1 u64 64 zeros
//! dispatch 1 1 1
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 1) buffer Out { uint64_t result[]; };
#ifndef REFERENCE
#extension GL_EXT_shader_image_int64 : require
layout(binding = 0, r64ui) uniform coherent u64image2D a;
#endif

uint64_t number(ivec2 p)
{
	return uint64_t(p.y * 32 + p.x + 1) * 0x9e3779b97f4a7c15ul;
}

void main()
{
	ivec2 p = ivec2(gl_LocalInvocationID.xy), q = p & 7;
#ifdef REFERENCE
	if (p != q)
		return;
	uint64_t r = 0;
	for (int k = 0; k < 16; k++) {
		uint64_t m = number(p + 8 * ivec2(k & 3, k >> 2));
		r = (q.y & 3) == 0 ? r + m : (q.y & 3) == 1 ? r | m : (q.y & 3) == 2 ? max(r, m) : r ^ m;
	}
	result[q.y * 8 + q.x] = r;
#else
	uint64_t m = number(p);
	switch (q.y & 3) {
	case 0:
		imageAtomicAdd(a, q, m);
		break;
	case 1:
		imageAtomicOr(a, q, m);
		break;
	case 2:
		imageAtomicMax(a, q, m);
		break;
	case 3:
		imageAtomicXor(a, q, m);
		break;
	}
	memoryBarrierImage();
	barrier();
	if (p == q)
		result[q.y * 8 + q.x] = imageLoad(a, q).x;
#endif
}
