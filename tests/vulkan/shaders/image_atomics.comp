// SPDX-License-Identifier: MIT
#version 460
//! image 0 2d R32_UINT 8 8 1 random 125
//! image 1 2d R32_SINT 8 8 1 random 126
//! image 2 3d R32_UINT 4 4 4 zeros
//! buffer 3 u32 1024 zeros sorted
//! dispatch 4 4 1
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) uniform uimage2D a;
layout(binding = 1, r32i) uniform iimage2D b;
layout(binding = 2, r32ui) uniform uimage3D c;

void main()
{
	ivec2 p = ivec2(gl_GlobalInvocationID.xy), q = p & 7;
	uint n = uint(p.y * 32 + p.x), m = n * 2654435761u;
	switch (q.y) {
	case 0:
		imageAtomicAdd(a, q, m);
		imageAtomicMin(b, q, int(m));
		break;
	case 1:
		imageAtomicMin(a, q, m);
		imageAtomicMax(b, q, int(m));
		break;
	case 2:
		imageAtomicMax(a, q, m);
		imageAtomicAdd(b, q, int(m));
		break;
	case 3:
		imageAtomicAnd(a, q, m | 0xffu);
		imageAtomicXor(b, q, int(m));
		break;
	case 4:
		imageAtomicOr(a, q, m & 0xffu);
		imageAtomicAnd(b, q, int(m | 0xff00u));
		break;
	case 5:
		imageAtomicXor(a, q, m);
		break;
	case 6:
		imageAtomicExchange(a, q, 77u);
		break;
	}
	imageAtomicAdd(c, ivec3(q >> 1, (p.x >> 3)), n);
}
